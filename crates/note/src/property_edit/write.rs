//! Writing values as YAML 1.2 that other readers of YAML agree on.

use super::PropertyEditError;
use crate::frontmatter::{Frontmatter, Property, Value, resolve};

/// How lists are written where a list comes in.
#[derive(Debug, Clone, Default)]
pub(super) struct Habit {
    /// Between brackets.
    pub is_flow: bool,
    /// The blanks before an item's dash, counted from its property.
    pub indent: Option<String>,
    /// The blanks before every name.
    margin: String,
    /// How the value that goes away is quoted.
    quote: Option<char>,
}

/// A value as it is to be written.
pub(super) enum Form {
    /// Behind the colon; empty for nothing.
    Inline(String),
    /// On the lines below, each with its ending.
    Lines(String),
}

impl Habit {
    /// What the lists of a block look like.
    pub fn of(source: &str, block: &Frontmatter) -> Habit {
        let lists = block.entries.iter().filter(|entry| matches!(&entry.value, Value::List(_)));
        let (mut n_flow, mut n_block, mut indent) = (0usize, 0usize, None);
        for entry in lists.filter(|entry| !entry.value_span.is_empty()) {
            match dash_indent(source, entry) {
                Some(blanks) => {
                    n_block += 1;
                    indent = indent.or(Some(blanks));
                }
                None if matches!(&entry.value, Value::List(items) if items.is_empty()) => {}
                None => n_flow += 1,
            }
        }
        let margin = block.entries.first().map_or("", |entry| {
            let before = &source[entry.span.start..entry.key_span.start];
            if before.trim_matches([' ', '\t']).is_empty() { before } else { "" }
        });
        Habit { is_flow: n_flow > n_block, indent, margin: margin.to_owned(), quote: None }
    }

    /// What stays when one property gets another value.
    pub fn of_entry(&self, source: &str, entry: &Property) -> Habit {
        let mut habit = self.clone();
        let written = &source[entry.value_span.clone()];
        match &entry.value {
            Value::List(items) if !items.is_empty() => {
                let blanks = dash_indent(source, entry);
                habit.is_flow = blanks.is_none();
                habit.indent = blanks.or(habit.indent);
            }
            Value::Map(_) if written.starts_with('{') => habit.is_flow = true,
            Value::Text(_) => habit.quote = written.chars().next().filter(|c| matches!(c, '\'' | '"')),
            _ => {}
        }
        habit
    }

    fn indent(&self) -> &str {
        self.indent.as_deref().unwrap_or("  ")
    }
}

/// The blanks before the first dash of a list with an item on each line.
pub(super) fn dash_indent(source: &str, entry: &Property) -> Option<String> {
    let first = source[entry.value_span.clone()].find(['-', '['])? + entry.value_span.start;
    let line = &source[..first];
    let blanks = &line[line.rfind(['\n', '\r']).map_or(0, |eol| eol + 1)..];
    let margin = entry.key_span.start - entry.span.start;
    let is_dash = source[first..].starts_with('-') && blanks.trim_matches(' ').is_empty() && blanks.len() >= margin;
    is_dash.then(|| blanks[margin..].to_owned())
}

/// Writes the name of a property.
pub(super) fn name(of: &str) -> String {
    text(of, None, false)
}

/// The lines of a property that is not there yet.
pub(super) fn property(key: &str, value: &Value, habit: &Habit, eol: &str) -> Result<String, PropertyEditError> {
    let unwritable = |reason| PropertyEditError::Unwritable { key: key.to_owned(), reason };
    let name = name(key);
    let margin = &habit.margin;
    Ok(match self::value(value, habit, eol).map_err(unwritable)? {
        Form::Inline(new) if new.is_empty() => format!("{margin}{name}:{eol}"),
        Form::Inline(new) => format!("{margin}{name}: {new}{eol}"),
        Form::Lines(new) => format!("{margin}{name}:{eol}{new}"),
    })
}

/// Writes a value; the error says why it cannot be.
pub(super) fn value(value: &Value, habit: &Habit, eol: &str) -> Result<Form, String> {
    let is_inline = |is_empty: bool| habit.is_flow || is_empty;
    Ok(match value {
        Value::List(items) if !is_inline(items.is_empty()) => {
            let mut new = String::new();
            for item in items {
                new += &format!("{}{}- {}{eol}", habit.margin, habit.indent(), in_list(item)?);
            }
            Form::Lines(new)
        }
        Value::Map(entries) if !is_inline(entries.is_empty()) => {
            let mut new = String::new();
            for (key, value) in entries {
                let name = text(key, None, false);
                let written = match value {
                    Value::Null => String::new(),
                    value => format!(" {}", flow(value)?),
                };
                new += &format!("{}{}{name}:{written}{eol}", habit.margin, "  ");
            }
            Form::Lines(new)
        }
        Value::Null => Form::Inline(String::new()),
        Value::Text(of) => Form::Inline(text(of, habit.quote, false)),
        other => Form::Inline(flow(other)?),
    })
}

/// Writes an item of a list that has one on each line.
pub(super) fn in_list(item: &Value) -> Result<String, String> {
    match item {
        Value::Text(of) => Ok(text(of, None, false)),
        other => flow(other),
    }
}

/// Writes a value between brackets, or where there is one line only.
pub(super) fn flow(value: &Value) -> Result<String, String> {
    Ok(match value {
        Value::Null => "null".to_owned(),
        Value::Bool(value) => value.to_string(),
        Value::Int(number) | Value::Float(number) if resolve(number) == *value => number.clone(),
        Value::Int(number) | Value::Float(number) => return Err(format!("`{number}` is not a number in YAML")),
        Value::Text(of) => text(of, None, true),
        Value::List(items) => {
            let items: Result<Vec<String>, String> = items.iter().map(flow).collect();
            format!("[{}]", items?.join(", "))
        }
        Value::Map(entries) => {
            let mut written = Vec::new();
            for (key, value) in entries {
                written.push(format!("{}: {}", text(key, None, true), flow(value)?));
            }
            format!("{{{}}}", written.join(", "))
        }
    })
}

/// Writes a text: without quotes where every reader takes it for that text, else in the quotes that
/// were there, else in double ones.
fn text(of: &str, quote: Option<char>, in_flow: bool) -> String {
    match quote {
        None if is_plain(of) && !(in_flow && of.contains([',', '[', ']', '{', '}'])) => of.to_owned(),
        Some('\'') if of.chars().all(|c| !needs_escape(c)) => format!("'{}'", of.replace('\'', "''")),
        _ => double_quoted(of),
    }
}

/// Whether a text reads as itself without quotes, in YAML 1.1 too.
fn is_plain(text: &str) -> bool {
    let is_number_like = text.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '.' | '+'))
        && text.chars().all(|c| c.is_ascii_hexdigit() || matches!(c, '.' | '_' | ':' | '+' | '-' | 'x' | 'o'));
    let old_words = ["y", "n", "yes", "no", "on", "off", "true", "false", "null", "~", "=", "<<", "..."];
    !text.is_empty()
        && resolve(text) == Value::Text(text.to_owned())
        && !old_words.contains(&text.to_ascii_lowercase().as_str())
        && (!is_number_like || is_date(text))
        && !text.starts_with(['-', '?', ':', ',', '[', ']', '{', '}', '#', '&', '*', '!', '|', '>', '\'', '"', '%', '@', '`'])
        && !text.starts_with("...")
        && text.trim_matches(char::is_whitespace) == text
        && !text.contains(": ")
        && !text.ends_with(':')
        && ![" -", " ?"].iter().any(|mark| text.ends_with(mark))
        && !text.contains(" #")
        // Obsidian follows links in properties between quotes only.
        && !text.contains("[[")
        && text.chars().all(|c| !needs_escape(c))
}

/// Obsidian writes dates and times of day behind them without quotes.
fn is_date(text: &str) -> bool {
    let bytes = text.as_bytes();
    let shape: String = bytes.iter().map(|b| if b.is_ascii_digit() { '0' } else { *b as char }).collect();
    matches!(shape.as_str(), "0000-00-00" | "0000-00-00T00:00:00" | "0000-00-00T00:00")
}

fn needs_escape(c: char) -> bool {
    c.is_control() || matches!(c, '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}' | '\u{85}' | '\u{a0}')
}

fn double_quoted(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for c in text.chars() {
        match c {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            '\t' => quoted.push_str("\\t"),
            c if needs_escape(c) && u32::from(c) < 0x100 => quoted.push_str(&format!("\\x{:02X}", u32::from(c))),
            c if needs_escape(c) => quoted.push_str(&format!("\\u{:04X}", u32::from(c))),
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}

impl Value {
    /// The value that JSON stands for.
    pub fn from_json(json: &serde_json::Value) -> Value {
        use serde_json::Value as Json;
        match json {
            Json::Null => Value::Null,
            Json::Bool(value) => Value::Bool(*value),
            Json::Number(number) if number.is_f64() => Value::Float(number.to_string()),
            Json::Number(number) => Value::Int(number.to_string()),
            Json::String(text) => Value::Text(text.clone()),
            Json::Array(items) => Value::List(items.iter().map(Value::from_json).collect()),
            Json::Object(entries) => {
                Value::Map(entries.iter().map(|(key, value)| (key.clone(), Value::from_json(value))).collect())
            }
        }
    }
}
