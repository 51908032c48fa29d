//! The arguments of a tool call. One description of each argument makes both its schema and its check, so that what is
//! advertised is what is enforced.

mod problems;

pub(crate) use problems::{Problems, shown};

use note::{ContentHash, FindReplace};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// One argument of a tool.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Arg {
    pub name: &'static str,
    pub kind: Kind,
    pub required: bool,
    /// What it means, for the caller.
    pub about: &'static str,
}

/// What an argument may hold.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Kind {
    /// A string of at most so many characters.
    Text { max: usize },
    /// One of these words.
    Choice(&'static [&'static str]),
    /// A whole number within these bounds.
    Integer { min: u64, max: u64, default: Option<u64> },
    /// True or false.
    Flag { default: bool },
    /// Heading titles from the outermost to the one meant.
    HeadingPath,
    /// At most 50 words.
    Words,
    /// Names with a value each.
    Pairs,
    /// Names with any JSON value each.
    Object,
    /// Quoted pieces of text, each with what comes in its place.
    Edits,
    /// A content hash as a read tool gave it.
    Hash,
    /// A retry token.
    RequestId,
}

/// Makes an optional argument.
pub(crate) const fn optional(name: &'static str, kind: Kind, about: &'static str) -> Arg {
    Arg { name, kind, required: false, about }
}

/// Makes a required argument.
pub(crate) const fn required(name: &'static str, kind: Kind, about: &'static str) -> Arg {
    Arg { name, kind, required: true, about }
}

/// Arguments that passed their checks, with values in one form: `5.0` is `5`, an explicit null is gone.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Args {
    values: BTreeMap<&'static str, Value>,
}

impl Args {
    /// Checks the raw arguments of a call against the tool's list.
    pub fn check(known: &[Arg], raw: Option<&Map<String, Value>>) -> (Args, Problems) {
        let (mut args, mut problems) = (Args::default(), Problems::default());
        for (name, value) in raw.into_iter().flatten() {
            match known.iter().find(|arg| arg.name == name) {
                _ if value.is_null() && known.iter().any(|arg| arg.name == name) => {}
                Some(arg) => match arg.kind.read(value) {
                    Ok(value) => {
                        args.values.insert(arg.name, value);
                    }
                    Err(wanted) => problems.wrong_value(arg, &wanted, value),
                },
                None => problems.unknown(name, known),
            }
        }
        for arg in known.iter().filter(|arg| arg.required) {
            let sent = raw.is_some_and(|raw| raw.get(arg.name).is_some_and(|value| !value.is_null()));
            if !sent {
                problems.add(arg.name, "is required");
            }
        }
        (args, problems)
    }

    /// Whether the argument was sent.
    pub fn has(&self, name: &str) -> bool {
        self.values.contains_key(name)
    }

    /// Returns a string argument.
    pub fn text(&self, name: &str) -> Option<&str> {
        self.values.get(name)?.as_str()
    }

    /// Returns a whole number.
    pub fn integer(&self, name: &str) -> Option<u64> {
        self.values.get(name)?.as_u64()
    }

    /// Returns a whole number as a size, or what to take without one.
    pub fn size(&self, name: &str, default: usize) -> usize {
        self.integer(name).and_then(|n| usize::try_from(n).ok()).unwrap_or(default)
    }

    /// Returns a switch, or what to take without one.
    pub fn flag(&self, name: &str, default: bool) -> bool {
        self.values.get(name).and_then(Value::as_bool).unwrap_or(default)
    }

    /// Returns a heading path or a list of words.
    pub fn words(&self, name: &str) -> Option<Vec<String>> {
        let items = self.values.get(name)?.as_array()?;
        Some(items.iter().filter_map(|item| item.as_str().map(str::to_owned)).collect())
    }

    /// Returns names and their values.
    pub fn pairs(&self, name: &str) -> Vec<(String, String)> {
        let object = self.values.get(name).and_then(Value::as_object);
        object
            .into_iter()
            .flatten()
            .filter_map(|(name, value)| Some((name.clone(), value.as_str()?.to_owned())))
            .collect()
    }

    /// Returns names and whatever they hold.
    pub fn object(&self, name: &str) -> Option<&Map<String, Value>> {
        self.values.get(name)?.as_object()
    }

    /// Returns quoted pieces and what comes in their place.
    pub fn edits(&self, name: &str) -> Vec<FindReplace> {
        let items = self.values.get(name).and_then(Value::as_array);
        items.into_iter().flatten().filter_map(|item| FindReplace::deserialize(item).ok()).collect()
    }

    /// Returns a content hash.
    pub fn hash(&self, name: &str) -> Option<ContentHash> {
        self.text(name)?.parse().ok()
    }

    /// Returns all that was said, as one text.
    pub fn said(&self) -> String {
        json!(self.values).to_string()
    }

    /// Returns a digest of the tool and its arguments, to tell a retry from another call. The retry token itself and
    /// the order of the arguments do not count.
    pub fn fingerprint(&self, tool: &str) -> String {
        let values: BTreeMap<_, _> = self.values.iter().filter(|(name, _)| **name != "request_id").collect();
        let text = json!([tool, values]).to_string();
        blake3::hash(text.as_bytes()).to_hex().to_string()
    }
}

impl Kind {
    /// Reads a value into its one form, or says what was wanted.
    fn read(&self, value: &Value) -> Result<Value, String> {
        match *self {
            Kind::Text { max } => match value.as_str() {
                Some(text) if text.chars().count() <= max => Ok(value.clone()),
                _ => Err(format!("a string of at most {max} characters")),
            },
            Kind::Choice(words) => match value.as_str() {
                Some(word) if words.contains(&word) => Ok(value.clone()),
                _ => Err(format!("one of {}", quoted(words))),
            },
            Kind::Integer { min, max, .. } => match whole(value) {
                Some(n) if (min..=max).contains(&n) => Ok(json!(n)),
                _ if max == u64::MAX => Err(format!("an integer from {min} up")),
                _ => Err(format!("an integer from {min} to {max}")),
            },
            Kind::Flag { .. } => match value {
                Value::Bool(_) => Ok(value.clone()),
                _ => Err("true or false".to_owned()),
            },
            Kind::HeadingPath => heading_path(value)
                .ok_or_else(|| format!("an array of 1 to {MAX_PATH} heading titles, outermost first")),
            Kind::Words => match value.as_array() {
                Some(items) if items.len() <= 50 && items.iter().all(Value::is_string) => Ok(value.clone()),
                _ => Err("an array of at most 50 strings".to_owned()),
            },
            Kind::Pairs => pairs(value).ok_or_else(|| {
                "an object of at most 20 property names, each with a string, number or boolean".to_owned()
            }),
            Kind::Object => match value.as_object() {
                Some(object) if object.len() <= 200 => Ok(value.clone()),
                _ => Err("an object of at most 200 names, each with its value".to_owned()),
            },
            Kind::Edits => edits(value),
            Kind::Hash => match value.as_str() {
                Some(text) if is_hash(text) => Ok(value.clone()),
                _ => Err("a content_hash of 64 lowercase hex digits, as a read tool gave it".to_owned()),
            },
            Kind::RequestId => match value.as_str() {
                Some(text) if is_request_id(text) => Ok(value.clone()),
                _ => Err("1 to 128 characters of A-Z a-z 0-9 _ . -".to_owned()),
            },
        }
    }
}

/// More heading levels than a note can nest, with room for notes that skip and repeat.
const MAX_PATH: usize = 32;

/// Takes an array of titles, or the same array as JSON in a string: some clients send it so.
fn heading_path(value: &Value) -> Option<Value> {
    let parsed;
    let items = match value {
        Value::Array(items) => items,
        Value::String(text) => {
            parsed = serde_json::from_str::<Vec<Value>>(text).ok()?;
            &parsed
        }
        _ => return None,
    };
    let fits = (1..=MAX_PATH).contains(&items.len()) && items.iter().all(Value::is_string);
    fits.then(|| Value::Array(items.clone()))
}

/// Takes an object of plain values and brings every value into text.
fn pairs(value: &Value) -> Option<Value> {
    let object = value.as_object().filter(|object| object.len() <= 20)?;
    let text = |value: &Value| match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(_) | Value::Bool(_) => Some(value.to_string()),
        _ => None,
    };
    object
        .iter()
        .map(|(name, value)| Some((name.clone(), Value::String(text(value)?))))
        .collect::<Option<Map<_, _>>>()
        .map(Value::Object)
}

/// How many pieces one call may replace.
const MAX_EDITS: usize = 50;

/// Takes a list of replacements and fills in that each piece occurs once unless its count is given.
fn edits(value: &Value) -> Result<Value, String> {
    let wanted = || format!("an array of 1 to {MAX_EDITS} objects, each with find, replace and perhaps expected_count");
    let items = value.as_array().filter(|items| (1..=MAX_EDITS).contains(&items.len())).ok_or_else(wanted)?;
    items.iter().map(|item| edit(item).ok_or_else(wanted)).collect()
}

fn edit(value: &Value) -> Option<Value> {
    let object = value.as_object()?;
    let known = |name: &String| matches!(name.as_str(), "find" | "replace" | "expected_count");
    let text = |name: &str| object.get(name)?.as_str();
    let count = object.get("expected_count").map_or(Some(1), count_of)?;
    object.keys().all(known).then_some(())?;
    Some(json!({"find": text("find")?, "replace": text("replace")?, "expected_count": count}))
}

/// Takes how often a piece occurs; once, where that is left open.
fn count_of(value: &Value) -> Option<u64> {
    match value {
        Value::Null => Some(1),
        count => whole(count).filter(|count| (1..=u64::from(u32::MAX)).contains(count)),
    }
}

/// Takes a JSON number that is whole, however it is written.
fn whole(value: &Value) -> Option<u64> {
    let number = value.as_number()?;
    number.as_u64().or_else(|| {
        let float = number.as_f64()?;
        // Above 2^53 a float no longer names one integer.
        let exact = float.fract() == 0.0 && (0.0..=9_007_199_254_740_992.0).contains(&float);
        exact.then_some(float as u64)
    })
}

fn is_hash(text: &str) -> bool {
    text.len() == 64 && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

fn is_request_id(text: &str) -> bool {
    let known = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'-');
    (1..=128).contains(&text.len()) && text.bytes().all(known)
}

fn quoted(words: &[&str]) -> String {
    words.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests;
