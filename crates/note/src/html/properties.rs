//! The properties of a note, for the block above its text.

use serde::{Deserialize, Serialize};

use crate::frontmatter::{Property, Value};
use crate::link::{Link, LinkKind};
use crate::parse::Note;

use super::links::{display, link_text};

/// One property as it is shown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct PropertyView {
    /// Its name.
    pub key: String,
    /// What it looks like.
    pub kind: PropertyKind,
    /// One value, or those of a list; none for an empty property.
    pub values: Vec<PropertyText>,
    /// The 1-based line of the name.
    pub line: u32,
}

/// What a property looks like.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub enum PropertyKind {
    /// Words.
    Text,
    /// Several values.
    List,
    /// A number, as it is written.
    Number,
    /// `true` or `false`.
    Checkbox,
    /// `2020-08-21`
    Date,
    /// `2020-08-21T10:30:00`
    DateTime,
    /// The property `tags`.
    Tags,
    /// The property `aliases`.
    Aliases,
    /// A map, or a list with maps or lists in it: shown as JSON.
    Nested,
    /// Nothing.
    Empty,
}

/// A value of a property.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct PropertyText {
    /// What is shown.
    pub text: String,
    /// Where it leads: the text of a wikilink, or a web address.
    pub link: Option<PropertyLink>,
}

/// Where the value of a property leads.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "kind", content = "to")]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub enum PropertyLink {
    /// A note, by the link's text.
    Internal(String),
    /// A web address.
    External(String),
}

/// The properties of a note in the order of the text.
pub fn properties(note: &Note) -> Vec<PropertyView> {
    let Some(frontmatter) = &note.frontmatter else { return Vec::new() };
    let links: Vec<&Link> = note.links.iter().filter(|link| link.kind == LinkKind::Property).collect();
    frontmatter.entries.iter().map(|property| view(property, &links)).collect()
}

fn view(property: &Property, links: &[&Link]) -> PropertyView {
    let span = &property.value_span;
    let from = links.partition_point(|link| link.span.start < span.start);
    let mut links = links[from..].iter().take_while(|link| link.span.end <= span.end).copied().peekable();
    let kind = kind(&property.key, &property.value);
    let values = match &property.value {
        Value::Null => Vec::new(),
        _ if kind == PropertyKind::Nested => {
            vec![PropertyText { text: property.value.to_json().to_string(), link: None }]
        }
        value => value.texts().into_iter().map(|text| shown(text, &mut links)).collect(),
    };
    PropertyView { key: property.key.clone(), kind, values, line: property.line }
}

/// A value, with the next link if the value is one.
fn shown<'l>(text: &str, links: &mut std::iter::Peekable<impl Iterator<Item = &'l Link>>) -> PropertyText {
    let trimmed = text.trim();
    if trimmed.starts_with("[[")
        && trimmed.ends_with("]]")
        && let Some(link) = links.next()
    {
        let text = link.alias.clone().filter(|alias| !alias.is_empty()).unwrap_or_else(|| display(link));
        return PropertyText { text, link: Some(PropertyLink::Internal(link_text(link))) };
    }
    let is_web = ["https://", "http://"].iter().any(|scheme| trimmed.starts_with(scheme))
        && !trimmed.contains(char::is_whitespace);
    let link = is_web.then(|| PropertyLink::External(trimmed.to_owned()));
    PropertyText { text: text.to_owned(), link }
}

fn kind(key: &str, value: &Value) -> PropertyKind {
    match value {
        Value::Map(_) => PropertyKind::Nested,
        Value::List(values) if values.iter().any(|value| matches!(value, Value::Map(_) | Value::List(_))) => {
            PropertyKind::Nested
        }
        _ if key.eq_ignore_ascii_case("tags") => PropertyKind::Tags,
        _ if key.eq_ignore_ascii_case("aliases") => PropertyKind::Aliases,
        Value::Null => PropertyKind::Empty,
        Value::Bool(_) => PropertyKind::Checkbox,
        Value::Int(_) | Value::Float(_) => PropertyKind::Number,
        Value::List(_) => PropertyKind::List,
        Value::Text(text) if is_date(text) => PropertyKind::Date,
        Value::Text(text) if is_date_time(text) => PropertyKind::DateTime,
        Value::Text(_) => PropertyKind::Text,
    }
}

fn is_date(text: &str) -> bool {
    matches(text, "dddd-dd-dd")
}

fn is_date_time(text: &str) -> bool {
    ["dddd-dd-ddTdd:dd", "dddd-dd-ddTdd:dd:dd", "dddd-dd-dd dd:dd", "dddd-dd-dd dd:dd:dd"]
        .iter()
        .any(|shape| matches(text, shape))
}

/// Whether a text has a shape, in which `d` stands for a digit.
fn matches(text: &str, shape: &str) -> bool {
    text.len() == shape.len()
        && text
            .bytes()
            .zip(shape.bytes())
            .all(|(byte, shape)| if shape == b'd' { byte.is_ascii_digit() } else { byte == shape })
}
