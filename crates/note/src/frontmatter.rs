//! Properties: the YAML 1.2 block at the start of a note, with the place of every value.

use std::ops::Range;

use saphyr_parser::{Event, Input, Parser, ScalarStyle, Span};
use serde::{Deserialize, Serialize};

use crate::link::Link;
use crate::text::{NoteText, lines};

mod links;
mod scalar;
mod simple;

pub(crate) use scalar::resolve;

/// The properties of a note.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Frontmatter {
    /// From the opening `---` to the end of the closing line, its ending included.
    pub span: Range<usize>,
    /// The YAML between the two lines.
    pub yaml: Range<usize>,
    /// The properties in the order of the text.
    pub entries: Vec<Property>,
    /// Why the block, or the rest of it, could not be read.
    pub error: Option<FrontmatterError>,
}

/// One property.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Property {
    /// Its name.
    pub key: String,
    /// The bytes of the name, quotes included.
    pub key_span: Range<usize>,
    /// Its value.
    pub value: Value,
    /// The bytes of the value, quotes included; empty for a value that is not written.
    pub value_span: Range<usize>,
    /// The whole lines of the property: from the start of its first line to behind the ending of
    /// its last one.
    pub span: Range<usize>,
    /// The 1-based line of the name.
    pub line: u32,
}

/// A YAML value. Numbers keep their spelling.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Value {
    /// Nothing, or `null`.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A whole number as it is written.
    Int(String),
    /// A number with a fraction as it is written.
    Float(String),
    /// Everything else: words, dates, times.
    Text(String),
    /// A list.
    List(Vec<Value>),
    /// Names and values in the order of the text.
    Map(Vec<(String, Value)>),
}

/// Why properties could not be read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
pub enum FrontmatterError {
    /// It is not YAML.
    #[error("properties are not valid YAML: {reason}")]
    NotYaml {
        /// What the parser says.
        reason: String,
        /// The 1-based line in the note.
        line: u32,
    },
    /// It is YAML, but not names with values.
    #[error("properties are not names with values")]
    NotAMap,
    /// It is too large or nested too deep to be properties.
    #[error("properties are larger or nested deeper than any note needs")]
    TooLarge,
}

const MAX_BYTES: usize = 1 << 20;
const MAX_DEPTH: usize = 32;

impl Frontmatter {
    /// The first property of a name, in any case.
    pub fn get(&self, key: &str) -> Option<&Property> {
        self.entries.iter().find(|entry| entry.key.eq_ignore_ascii_case(key))
    }

    /// The text of a scalar property.
    pub fn text(&self, key: &str) -> Option<&str> {
        self.get(key)?.value.as_text()
    }
}

impl Value {
    /// The text of a scalar.
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Value::Int(text) | Value::Float(text) | Value::Text(text) => Some(text),
            Value::Bool(true) => Some("true"),
            Value::Bool(false) => Some("false"),
            Value::Null | Value::List(_) | Value::Map(_) => None,
        }
    }

    /// The texts of a list of scalars; one for a single scalar.
    pub fn texts(&self) -> Vec<&str> {
        match self {
            Value::List(values) => values.iter().filter_map(Value::as_text).collect(),
            scalar => scalar.as_text().into_iter().collect(),
        }
    }

    /// The value as JSON. A number whose spelling JSON would lose (`1.10`, `0x1F`) is a string.
    pub fn to_json(&self) -> serde_json::Value {
        use serde_json::Value as Json;
        match self {
            Value::Null => Json::Null,
            Value::Bool(value) => Json::Bool(*value),
            Value::Int(text) => match text.parse::<i64>() {
                Ok(number) if number.to_string() == *text => Json::from(number),
                _ => Json::from(text.as_str()),
            },
            Value::Float(text) => match text.parse::<f64>().ok().and_then(serde_json::Number::from_f64) {
                Some(number) if number.to_string() == *text => Json::Number(number),
                _ => Json::from(text.as_str()),
            },
            Value::Text(text) => Json::from(text.as_str()),
            Value::List(values) => Json::Array(values.iter().map(Value::to_json).collect()),
            Value::Map(entries) => Json::Object(entries.iter().map(|(k, v)| (k.clone(), v.to_json())).collect()),
        }
    }
}

/// What the start of a note holds.
pub(crate) struct Found {
    pub frontmatter: Frontmatter,
    pub links: Vec<Link>,
}

/// Finds and reads the properties of a note.
pub(crate) fn find(note: &NoteText) -> Option<Found> {
    let text = note.as_str();
    let is_fence = |range: Range<usize>| text[range].trim_end_matches([' ', '\t']) == "---";
    let mut all = lines(text, note.content_start());
    let opening = all.next().filter(|line| is_fence(line.content.clone()))?;
    let closing = all.find(|line| is_fence(line.content.clone()))?;
    let yaml = opening.eol.end..closing.content.start;
    let mut reader = Reader { note, text, yaml: yaml.clone(), offsets: Vec::new(), links: Vec::new() };
    let (entries, error) = reader.read();
    let frontmatter = Frontmatter { span: opening.content.start..closing.eol.end, yaml, entries, error };
    Some(Found { frontmatter, links: reader.links })
}

struct Reader<'t> {
    note: &'t NoteText,
    text: &'t str,
    yaml: Range<usize>,
    /// Where each character of the YAML is, unless all are one byte long.
    offsets: Vec<u32>,
    links: Vec<Link>,
}

/// A value that is still being read.
enum Open {
    List { values: Vec<Value>, start: usize },
    Map { entries: Vec<(String, Value)>, key: Option<(String, Range<usize>)>, start: usize },
}

impl<'t> Reader<'t> {
    fn read(&mut self) -> (Vec<Property>, Option<FrontmatterError>) {
        if self.yaml.len() > MAX_BYTES {
            return (Vec::new(), Some(FrontmatterError::TooLarge));
        }
        if let Some(properties) = self.read_simple() {
            return (properties, None);
        }
        self.links.clear();
        self.read_yaml()
    }

    /// Reads properties that may be written in any way.
    fn read_yaml(&mut self) -> (Vec<Property>, Option<FrontmatterError>) {
        let yaml = &self.text[self.yaml.clone()];
        if !yaml.is_ascii() {
            self.offsets = yaml.char_indices().map(|(at, _)| at as u32).collect();
            self.offsets.push(yaml.len() as u32);
        }
        let mut parser = Parser::new_from_str(yaml).keep_tags(false);
        let mut properties = Vec::new();
        let mut open: Vec<Open> = Vec::new();
        // The end of the last thing read: where a block list or map ends.
        let mut end = self.yaml.start;
        loop {
            let (event, span) = match parser.next_event() {
                None => break,
                Some(Ok(event)) => event,
                Some(Err(error)) => {
                    let line = self.note.line_of(self.yaml.start) + error.marker().line().max(1) as u32 - 1;
                    let reason = error.info().to_owned();
                    return (properties, Some(FrontmatterError::NotYaml { reason, line }));
                }
            };
            let (value, range) = match event {
                Event::Scalar(text, style, _, tag) => {
                    let range = self.scalar(span, style, end);
                    let forced = tag.is_some_and(|tag| tag.is_yaml_core_schema() && tag.suffix == "str");
                    let plain = style == ScalarStyle::Plain && !forced;
                    let is_key = matches!(open.last(), Some(Open::Map { key: None, .. }));
                    if !is_key {
                        self.find_links(style, range.clone(), &text);
                    }
                    (if plain { resolve(&text) } else { Value::Text(text.into_owned()) }, range)
                }
                // Anchors are not followed: a property means what its own line says.
                Event::Alias(_) => {
                    let range = self.bytes_of(span);
                    (Value::Text(self.text[range.clone()].to_owned()), range)
                }
                Event::SequenceStart(..) | Event::MappingStart(..) => {
                    if open.len() >= MAX_DEPTH {
                        return (properties, Some(FrontmatterError::TooLarge));
                    }
                    let start = self.bytes_of(span).start;
                    let start = if open.len() == 1 { self.first_dash(start) } else { start };
                    open.push(match event {
                        Event::SequenceStart(..) => Open::List { values: Vec::new(), start },
                        _ => Open::Map { entries: Vec::new(), key: None, start },
                    });
                    continue;
                }
                Event::SequenceEnd | Event::MappingEnd => {
                    end = end.max(self.bytes_of(span).end.min(self.trimmed_end(span)));
                    match open.pop() {
                        Some(Open::List { values, start }) => (Value::List(values), start..end.max(start)),
                        Some(Open::Map { entries, start, .. }) => {
                            if open.is_empty() {
                                return (properties, self.more(parser));
                            }
                            (Value::Map(entries), start..end.max(start))
                        }
                        None => continue,
                    }
                }
                _ => continue,
            };
            end = end.max(range.end);
            let is_top = open.len() == 1;
            match open.last_mut() {
                None => return (properties, not_a_map(&value)),
                Some(Open::List { values, .. }) => values.push(value),
                Some(Open::Map { key, .. }) if key.is_none() => {
                    let name = value.as_text().map_or_else(|| self.text[range.clone()].to_owned(), str::to_owned);
                    *key = Some((name, range));
                }
                Some(Open::Map { entries, key, .. }) => {
                    let Some((name, key_span)) = key.take() else {
                        continue;
                    };
                    if is_top {
                        properties.push(self.property(name, key_span, value, range));
                    } else {
                        entries.push((name, value));
                    }
                }
            }
        }
        (properties, None)
    }

    /// Why what follows the first document keeps the block from being properties.
    fn more(&self, rest: Parser<'_, impl Input>) -> Option<FrontmatterError> {
        let first_line = self.note.line_of(self.yaml.start) - 1;
        for event in rest {
            match event {
                Ok((Event::DocumentStart(_), span)) => {
                    let reason = "a second document begins".to_owned();
                    return Some(FrontmatterError::NotYaml {
                        reason,
                        line: first_line + span.start.line().max(1) as u32,
                    });
                }
                Ok(_) => {}
                Err(error) => {
                    let line = first_line + error.marker().line().max(1) as u32;
                    return Some(FrontmatterError::NotYaml { reason: error.info().to_owned(), line });
                }
            }
        }
        None
    }

    fn property(&self, key: String, key_span: Range<usize>, value: Value, value_span: Range<usize>) -> Property {
        let bytes = self.text.as_bytes();
        let is_eol = |b: &u8| matches!(b, b'\n' | b'\r');
        let start = bytes[..key_span.start].iter().rposition(is_eol).map_or(0, |at| at + 1);
        let last = key_span.end.max(value_span.end);
        let end = lines(self.text, last).next().map_or(last, |line| line.eol.end);
        let line = self.note.line_of(key_span.start);
        Property { key, key_span, value, value_span, span: start.max(self.yaml.start)..end, line }
    }

    fn bytes_of(&self, span: Span) -> Range<usize> {
        let at = |index: usize| {
            let offset = if self.offsets.is_empty() {
                index.min(self.yaml.len())
            } else {
                self.offsets.get(index).map_or(self.yaml.len(), |&offset| offset as usize)
            };
            self.yaml.start + offset
        };
        let (start, end) = (at(span.start.index()), at(span.end.index()));
        // Block scalars and missing values end where the next thing starts.
        let slice = &self.text[start..end.max(start)];
        start..start + slice.trim_end().len()
    }

    /// The bytes of a scalar. The parser's span of a quoted one may run on over a comment, and that
    /// of a block starts behind its mark.
    fn scalar(&self, span: Span, style: ScalarStyle, from: usize) -> Range<usize> {
        let range = self.bytes_of(span);
        let quote = match style {
            ScalarStyle::SingleQuoted => b'\'',
            ScalarStyle::DoubleQuoted => b'"',
            ScalarStyle::Literal | ScalarStyle::Folded => {
                let mark = self.text.get(from..range.start).and_then(|before| before.find(['|', '>']));
                return mark.map_or(range.start, |mark| from + mark)..range.end;
            }
            ScalarStyle::Plain => return range,
        };
        let bytes = &self.text.as_bytes()[..range.end];
        let Some(opening) = bytes[range.start..].iter().position(|&b| b == quote) else { return range };
        let mut at = range.start + opening + 1;
        while at < range.end {
            match bytes[at] {
                b'\\' if quote == b'"' => at += 1,
                b'\'' if quote == b'\'' && bytes.get(at + 1) == Some(&quote) => at += 1,
                b if b == quote => return range.start..at + 1,
                _ => {}
            }
            at += 1;
        }
        range
    }

    /// Where a list starts whose dashes stand right below its name: the parser reports its first item.
    fn first_dash(&self, start: usize) -> usize {
        let before = &self.text[self.yaml.start..start];
        let line = &before[before.rfind(['\n', '\r']).map_or(0, |eol| eol + 1)..];
        let is_dash = line.trim_matches([' ', '\t']) == "-";
        if is_dash { start - line.trim_start().len() } else { start }
    }

    /// The end of a flow list or map, which has a bracket (its span may run on over a comment); a
    /// block one ends with its last value.
    fn trimmed_end(&self, span: Span) -> usize {
        let range = self.bytes_of(span);
        if range.is_empty() { self.yaml.start } else { range.start + 1 }
    }
}

fn not_a_map(value: &Value) -> Option<FrontmatterError> {
    (*value != Value::Null).then_some(FrontmatterError::NotAMap)
}

#[cfg(test)]
mod tests;
