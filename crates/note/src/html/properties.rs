//! The properties of a note, for the block above its text.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use crate::frontmatter::{Property, Value};
use crate::link::{Link, LinkKind};
use crate::parse::Note;

use super::links::{display, link_text};
use super::writer::{Attributes, Writer};
use super::{RenderOptions, Resolved, external};

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

/// The properties as HTML, before it is cleaned; nothing for a note without any.
pub(super) fn block(note: &Note, options: &RenderOptions<'_>) -> String {
    let mut writer = Writer::default();
    let Some(frontmatter) = &note.frontmatter else { return String::new() };
    let views = properties(note);
    if !views.is_empty() {
        writer.open("dl", &Attributes::class("properties").with("data-line", "1"));
        let links = note.links.iter().filter(|link| link.kind == LinkKind::Property);
        let links: HashMap<String, &Link> = links.map(|link| (link_text(link), link)).collect();
        for view in &views {
            write_view(&mut writer, view, &links, options);
        }
        writer.close();
        writer.newline();
    }
    if let Some(error) = &frontmatter.error {
        writer.open("p", &Attributes::class("properties-error").with("data-line", "1"));
        writer.text(&error.to_string());
        writer.close();
        writer.newline();
    }
    writer.finish()
}

fn write_view(writer: &mut Writer, view: &PropertyView, links: &HashMap<String, &Link>, options: &RenderOptions<'_>) {
    writer.open("dt", &Attributes::new().number("data-line", view.line));
    writer.text(&view.key);
    writer.close();
    let kind = serde_json::to_value(view.kind).unwrap_or_default();
    writer.open("dd", &Attributes::new().maybe("data-kind", kind.as_str()));
    for (at, value) in view.values.iter().enumerate() {
        if at > 0 {
            writer.verbatim(" ");
        }
        match &value.link {
            Some(PropertyLink::Internal(to)) => {
                let resolved = links.get(to).map(|link| (options.resolve)(options.path, link));
                writer.open("a", &internal(to, resolved));
            }
            Some(PropertyLink::External(url)) => writer.open("a", &external::link(Attributes::new(), url)),
            None if view.kind == PropertyKind::Tags => {
                let name = value.text.trim().trim_start_matches('#');
                writer.open("a", &Attributes::class("tag").with("data-tag", name).with("href", "#"));
                writer.text("#");
                writer.text(name);
                writer.close();
                continue;
            }
            None if view.kind == PropertyKind::Checkbox => {
                let attributes = Attributes::new().with("type", "checkbox").flag("disabled");
                let attributes = if value.text == "true" { attributes.flag("checked") } else { attributes };
                writer.void("input", &attributes);
                continue;
            }
            None => writer.open("span", &Attributes::class("property-value")),
        }
        writer.text(&value.text);
        writer.close();
    }
    writer.close();
}

fn internal(to: &str, resolved: Option<Resolved>) -> Attributes {
    let class = if resolved == Some(Resolved::Missing) { "internal-link is-unresolved" } else { "internal-link" };
    let attributes = Attributes::class(class).with("data-href", to);
    match resolved {
        Some(Resolved::Note { path } | Resolved::Attachment { path }) => attributes.with("data-path", path.as_str()),
        _ => attributes,
    }
    .with("href", "#")
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
