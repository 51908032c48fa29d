//! Wikilinks in values, whatever YAML makes of the characters and lines that they are written with.

use std::ops::Range;

use saphyr_parser::ScalarStyle;

use super::Reader;
use crate::link::{Link, LinkEncoding, LinkKind, wikilink};

impl Reader<'_> {
    /// Takes in the links of a scalar that means `value`.
    pub(super) fn find_links(&mut self, style: ScalarStyle, range: Range<usize>, value: &str) {
        if memchr::memchr(b'[', value.as_bytes()).is_none() {
            return;
        }
        let written = &self.text[range.clone()];
        let means_more = |byte: u8| match byte {
            b'\n' | b'\r' => style != ScalarStyle::Literal,
            b'\\' => style == ScalarStyle::DoubleQuoted,
            b'\'' => style == ScalarStyle::SingleQuoted,
            _ => false,
        };
        let decoded = written.bytes().any(means_more).then(|| match style {
            ScalarStyle::Folded => Decoded::folded(written),
            _ => Decoded::new(written, style),
        });
        // Were it read otherwise than YAML reads it, what is written would be looked at instead.
        match decoded.filter(|decoded| decoded.text.trim() == value.trim()) {
            Some(decoded) => {
                for found in wikilinks(&decoded.text, 0..decoded.text.len()) {
                    let place = |span: Range<usize>| decoded.place(span, range.start);
                    self.links.extend(found.link(&decoded.text, style).map(|link| Link {
                        span: place(link.span),
                        target_span: place(link.target_span),
                        subpath_span: link.subpath_span.map(place),
                        ..link
                    }));
                }
            }
            None => self.find_plain_links(style, range),
        }
    }

    /// Takes in the links of a scalar that means what is written.
    pub(super) fn find_plain_links(&mut self, style: ScalarStyle, range: Range<usize>) {
        for found in wikilinks(self.text, range) {
            self.links.extend(found.link(self.text, style));
        }
    }
}

/// A pair of double brackets.
struct Found {
    span: Range<usize>,
    inner: Range<usize>,
    embed: bool,
}

impl Found {
    fn link(self, text: &str, style: ScalarStyle) -> Option<Link> {
        let encoding = match style {
            ScalarStyle::SingleQuoted => LinkEncoding::SingleQuoted,
            ScalarStyle::DoubleQuoted => LinkEncoding::DoubleQuoted,
            _ => LinkEncoding::Plain,
        };
        let link = wikilink(text, self.span, self.inner, self.embed, str::to_owned)?;
        Some(Link { kind: LinkKind::Property, encoding, ..link })
    }
}

/// The pairs of double brackets on the lines of a part of a text.
fn wikilinks(text: &str, range: Range<usize>) -> impl Iterator<Item = Found> + '_ {
    let bytes = text.as_bytes();
    let mut at = memchr::memchr(b'[', &bytes[range.clone()]).map_or(range.end, |first| range.start + first);
    std::iter::from_fn(move || {
        let mut opener = None;
        while at + 1 < range.end {
            match &bytes[at..at + 2] {
                b"[[" => opener = Some(at),
                b"]]" => {
                    if let Some(start) = opener.take() {
                        let embed = start > range.start && bytes[start - 1] == b'!';
                        let found = Found { span: start - usize::from(embed)..at + 2, inner: start + 2..at, embed };
                        at += 2;
                        return Some(found);
                    }
                }
                [b'\n' | b'\r', _] => opener = None,
                _ => {}
            }
            at += 1;
        }
        None
    })
}

/// What a scalar means, and where each byte of that is written.
struct Decoded {
    text: String,
    /// The place of the character that a byte belongs to, counted from the start of the scalar.
    places: Vec<Range<u32>>,
}

impl Decoded {
    fn new(written: &str, style: ScalarStyle) -> Decoded {
        let quote = match style {
            ScalarStyle::DoubleQuoted => Some('"'),
            ScalarStyle::SingleQuoted => Some('\''),
            _ => None,
        };
        let start = match quote {
            Some(quote) => written.find(quote).map_or(0, |opening| opening + 1),
            None => written.len() - behind_tags(written).len(),
        };
        let end = if quote.is_some_and(|quote| written[start..].ends_with(quote)) {
            written.len() - 1
        } else {
            written.len()
        };
        let mut decoded = Decoded { text: String::new(), places: Vec::new() };
        // How many blanks stand at the end as they are written: those before a break mean nothing.
        let mut n_blanks = 0;
        let mut rest = &written[start..end];
        while let Some(first) = rest.chars().next() {
            let at = end - rest.len();
            let (c, behind) = match first {
                '\n' | '\r' => {
                    let n_kept = decoded.text.len() - n_blanks;
                    let from = decoded.places.get(n_kept).map_or(at, |place| place.start as usize);
                    decoded.text.truncate(n_kept);
                    decoded.places.truncate(n_kept);
                    let (n_breaks, behind) = breaks(rest);
                    let instead = if n_breaks == 1 { " " } else { &"\n".repeat(n_breaks - 1) };
                    decoded.push(instead, from..end - behind.len());
                    (rest, n_blanks) = (behind, 0);
                    continue;
                }
                '\\' if style == ScalarStyle::DoubleQuoted && rest[1..].starts_with(['\n', '\r']) => {
                    let (n_breaks, behind) = breaks(&rest[1..]);
                    decoded.push(&"\n".repeat(n_breaks - 1), at..end - behind.len());
                    (rest, n_blanks) = (behind, 0);
                    continue;
                }
                '\\' if style == ScalarStyle::DoubleQuoted => {
                    n_blanks = 0;
                    escape(&rest[1..])
                }
                '\'' if style == ScalarStyle::SingleQuoted => {
                    n_blanks = 0;
                    ('\'', rest[1..].strip_prefix('\'').unwrap_or(&rest[1..]))
                }
                c => {
                    n_blanks = if matches!(c, ' ' | '\t') { n_blanks + 1 } else { 0 };
                    (c, &rest[c.len_utf8()..])
                }
            };
            decoded.push(c.encode_utf8(&mut [0; 4]), at..end - behind.len());
            rest = behind;
        }
        decoded
    }

    /// Reads a block whose lines are joined, but for those that are indented deeper than its first one.
    fn folded(written: &str) -> Decoded {
        let mut decoded = Decoded { text: String::new(), places: Vec::new() };
        let is_eol = |c: char| matches!(c, '\n' | '\r');
        // The text begins on the line below the mark.
        let below = written.find(is_eol).unwrap_or(written.len());
        let first = written[below..].trim_start();
        let indentation = written[..written.len() - first.len()].bytes().rev().take_while(|&b| b == b' ').count();
        let mut rest = first;
        let mut was_deeper = false;
        loop {
            let (line, behind) = rest.split_at(rest.find(is_eol).unwrap_or(rest.len()));
            let at = written.len() - rest.len();
            for (nth, c) in line.char_indices() {
                decoded.push(c.encode_utf8(&mut [0; 4]), at + nth..at + nth + c.len_utf8());
            }
            let (n_breaks, next) = breaks(behind);
            if next.is_empty() {
                return decoded;
            }
            let n_blanks =
                behind[..behind.len() - next.len()].bytes().rev().take_while(|&b| b == b' ' || b == b'\t').count();
            rest = &behind[behind.len() - next.len() - n_blanks.saturating_sub(indentation)..];
            let is_deeper = n_blanks > indentation;
            let instead = match n_breaks {
                n if was_deeper || is_deeper => "\n".repeat(n),
                1 => " ".to_owned(),
                n => "\n".repeat(n - 1),
            };
            let end = at + line.len();
            decoded.push(&instead, end..written.len() - rest.len());
            was_deeper = is_deeper;
        }
    }

    fn push(&mut self, text: &str, place: Range<usize>) {
        self.text.push_str(text);
        let place = place.start as u32..place.end as u32;
        self.places.extend(std::iter::repeat_n(place, text.len()));
    }

    /// Where a part of the text is written, in a scalar that starts at `start`.
    fn place(&self, span: Range<usize>, start: usize) -> Range<usize> {
        let end_of_all = self.places.last().map_or(0, |place| place.end as usize);
        let from = self.places.get(span.start).map_or(end_of_all, |place| place.start as usize);
        let to = if span.is_empty() { from } else { self.places[span.end - 1].end as usize };
        start + from..start + to
    }
}

/// What follows the tag and the anchor of a scalar.
fn behind_tags(written: &str) -> &str {
    let mut rest = written;
    while rest.starts_with(['&', '!']) {
        let end = rest.find([' ', '\t', '\n', '\r']).unwrap_or(rest.len());
        rest = rest[end..].trim_start();
    }
    rest
}

/// Counts the line breaks at the start of a text, and takes them away with the blanks among and behind them.
fn breaks(text: &str) -> (usize, &str) {
    let behind = text.trim_start_matches(['\n', '\r', ' ', '\t']);
    let taken = &text[..text.len() - behind.len()];
    let n_breaks = taken.matches(['\n', '\r']).count() - taken.matches("\r\n").count();
    (n_breaks, behind)
}

/// The character that stands behind a backslash, and what follows it.
fn escape(text: &str) -> (char, &str) {
    let mut chars = text.chars();
    let n_digits = match chars.next() {
        None => return ('\\', text),
        Some('x') => 2,
        Some('u') => 4,
        Some('U') => 8,
        Some(escaped) => {
            let c = match escaped {
                '0' => '\0',
                'a' => '\u{7}',
                'b' => '\u{8}',
                't' => '\t',
                'n' => '\n',
                'v' => '\u{b}',
                'f' => '\u{c}',
                'r' => '\r',
                'e' => '\u{1b}',
                'N' => '\u{85}',
                '_' => '\u{a0}',
                'L' => '\u{2028}',
                'P' => '\u{2029}',
                itself => itself,
            };
            return (c, chars.as_str());
        }
    };
    let digits = chars.as_str().get(..n_digits).unwrap_or("");
    let decoded = u32::from_str_radix(digits, 16).ok().and_then(char::from_u32);
    (decoded.unwrap_or('\u{fffd}'), &chars.as_str()[digits.len()..])
}
