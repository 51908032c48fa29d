//! Properties as nearly every note writes them: each on a line of its own, or as a list of such lines.
//!
//! They are read here many times as fast as by the YAML parser, and with the very same result.
//! Whatever is written in another way is left to that parser.

use std::ops::Range;

use saphyr_parser::ScalarStyle;

use super::{Property, Reader, Value, resolve};
use crate::text::lines;

/// YAML itself stops at 1024 characters.
const MAX_KEY: usize = 200;

/// A line without the blanks around it.
struct Line {
    indent: usize,
    written: Range<usize>,
    content_end: usize,
    /// The whole line with its ending.
    span: Range<usize>,
    number: u32,
}

impl Reader<'_> {
    /// Reads all properties; `None` if one of them is written in another way.
    pub(super) fn read_simple(&mut self) -> Option<Vec<Property>> {
        let text = &self.text[..self.yaml.end];
        let mut properties: Vec<Property> = Vec::new();
        // How far the dashes of the list are indented that is being read.
        let mut dashes = None;
        // The opening line is the first one.
        for (line, number) in lines(text, self.yaml.start).zip(2..) {
            if text[line.eol.clone()] == *"\r" {
                return None;
            }
            let content = &text[line.content.clone()];
            let indent = content.bytes().take_while(|&b| b == b' ').count();
            if indent == content.len() {
                continue;
            }
            if !is_plain(content) {
                return None;
            }
            let written = line.content.start + indent..line.content.start + content.trim_end_matches(' ').len();
            let Range { start, end } = line.content;
            let line = Line { indent, written, content_end: end, span: start..line.eol.end, number };
            if text[line.written.clone()].starts_with('-') {
                dashes = Some(self.item(&line, properties.last_mut()?, dashes)?);
            } else {
                dashes = None;
                properties.push(self.simple_property(line)?);
            }
        }
        // Nothing at all is not a map.
        (!properties.is_empty()).then_some(properties)
    }

    fn simple_property(&mut self, line: Line) -> Option<Property> {
        let Line { indent: 0, written, span, number, .. } = line else { return None };
        let n_key = key_len(&self.text[written.clone()])?;
        let key_span = written.start..written.start + n_key;
        let key = &self.text[key_span.clone()];
        let key = resolve(key).as_text().unwrap_or(key).to_owned();
        let behind = &self.text[key_span.end + 1..written.end];
        let value_span = match behind.trim_start_matches(' ') {
            "" => key_span.end..key_span.end,
            value => written.end - value.len()..written.end,
        };
        let value = match self.text.as_bytes()[value_span.clone()] {
            [] => Value::Null,
            [b'[', .., b']'] => self.flow_list(value_span.start + 1..value_span.end - 1)?,
            _ => self.simple_scalar(value_span.clone(), is_block_start, |_| true)?,
        };
        Some(Property { key, key_span, value, value_span, span, line: number })
    }

    /// Reads an item of a list of lines and returns how far its dash is indented.
    fn item(&mut self, line: &Line, list: &mut Property, dashes: Option<usize>) -> Option<usize> {
        let is_first = list.value_span == (list.key_span.end..list.key_span.end);
        if is_first {
            list.value = Value::List(Vec::new());
            list.value_span.start = line.written.start;
        } else if dashes != Some(line.indent) {
            return None;
        }
        let (item, end) = match &self.text[line.written.clone()] {
            // An item that is not written stands behind the blanks.
            "-" => (Value::Null, line.content_end),
            dash_and_item => {
                let item = dash_and_item.strip_prefix("- ")?.trim_start_matches(' ');
                let range = line.written.end - item.len()..line.written.end;
                (self.simple_scalar(range, is_block_start, |_| true)?, line.written.end)
            }
        };
        let Value::List(items) = &mut list.value else { return None };
        items.push(item);
        list.value_span.end = end;
        list.span.end = line.span.end;
        Some(line.indent)
    }

    /// Reads a list between brackets.
    fn flow_list(&mut self, inner: Range<usize>) -> Option<Value> {
        let mut items = Vec::new();
        let mut start = inner.start;
        if self.text[inner.clone()].trim_matches(' ').is_empty() {
            return Some(Value::List(items));
        }
        for part in self.text[inner].split(',') {
            let item = part.trim_start_matches(' ');
            let at = start + part.len() - item.len();
            items.push(self.simple_scalar(at..at + item.trim_end_matches(' ').len(), is_word, is_inner)?);
            start += part.len() + 1;
        }
        Some(Value::List(items))
    }

    /// Reads a scalar: between quotes without any escape, or without quotes.
    fn simple_scalar(
        &mut self,
        range: Range<usize>,
        may_start: fn(u8) -> bool,
        may_follow: fn(u8) -> bool,
    ) -> Option<Value> {
        let text = self.text;
        let (value, style) = match text.as_bytes()[range.clone()] {
            [b'"', ref inner @ .., b'"'] if memchr::memchr2(b'"', b'\\', inner).is_none() => {
                (Value::Text(text[range.start + 1..range.end - 1].to_owned()), ScalarStyle::DoubleQuoted)
            }
            [b'\'', ref inner @ .., b'\''] if memchr::memchr(b'\'', inner).is_none() => {
                (Value::Text(text[range.start + 1..range.end - 1].to_owned()), ScalarStyle::SingleQuoted)
            }
            [first, ref rest @ ..] if may_start(first) => {
                let may_stand = |(at, &byte): (usize, &u8)| match byte {
                    b':' => may_follow(byte) && rest.get(at + 1).is_some_and(|&next| next != b' '),
                    b'#' => may_follow(byte) && at > 0 && rest[at - 1] != b' ',
                    b' ' => true,
                    _ => may_follow(byte),
                };
                if !rest.iter().enumerate().all(may_stand) {
                    return None;
                }
                (resolve(&text[range.clone()]), ScalarStyle::Plain)
            }
            _ => return None,
        };
        self.find_plain_links(style, range);
        Some(value)
    }
}

/// The length of the name at the start of a line.
fn key_len(line: &str) -> Option<usize> {
    let colon = memchr::memchr(b':', line.as_bytes())?;
    let key = &line.as_bytes()[..colon];
    let is_key = is_word(*key.first()?) && key.iter().all(|&b| is_inner(b) || b == b' ') && !key.ends_with(b" ");
    let is_alone = line.as_bytes().get(colon + 1).is_none_or(|&next| next == b' ');
    (is_key && is_alone && colon <= MAX_KEY).then_some(colon)
}

/// Whether a byte means nothing but itself wherever it stands.
fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'/' | b'.') || !byte.is_ascii()
}

/// Whether a byte means nothing but itself behind the first one.
fn is_inner(byte: u8) -> bool {
    is_word(byte) || matches!(byte, b'-' | b'+' | b'(' | b')')
}

/// Whether a value or an item on a line of its own may start so.
fn is_block_start(byte: u8) -> bool {
    is_word(byte) || matches!(byte, b'(' | b'+' | b'~' | b'$')
}

/// Whether a line holds only characters that YAML takes as they are, and no blanks but spaces.
fn is_plain(line: &str) -> bool {
    let is_printable = |byte: &u8| (b' '..=b'~').contains(byte);
    line.as_bytes().iter().all(is_printable)
        || line.chars().all(|c| c == ' ' || !c.is_whitespace() && !c.is_control() && c != '\u{feff}')
}
