//! The properties of a text in an editor: what a person sees of them, and what their changes mean for its bytes.

use crate::outline::{TextChange, text_changes};
use crate::view::View;
use note::frontmatter::FrontmatterError;
use note::html::PropertyKind;
use note::{Note, NoteText, PropertyEditError, Value};
use serde::{Deserialize, Serialize};
use thiserror::Error;

/// The properties above a text.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct PropertyRows {
    pub rows: Vec<PropertyRow>,
    /// Why they cannot be read, and so not be changed but as text.
    pub problem: Option<String>,
    pub shown: PropertiesShown,
}

/// How the vault's own settings want properties to be shown.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub enum PropertiesShown {
    /// As rows above the text.
    #[default]
    Visible,
    /// Not with the text.
    Hidden,
    /// As they are written.
    Source,
}

/// One property.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct PropertyRow {
    pub key: String,
    /// As the vault's own settings say where the value fits that, else as it looks.
    pub kind: PropertyKind,
    /// One value, or those of a list, as texts; a nested one is JSON.
    pub values: Vec<String>,
    /// The 1-based line of the name.
    pub line: u32,
}

/// A value as a person gives it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "kind", content = "to")]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub enum PropertyInput {
    Empty,
    /// Words, dates and times.
    Text(String),
    Number(String),
    Checkbox(bool),
    List(Vec<String>),
}

/// What a person does with a property.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "kind")]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub enum PropertyChange {
    /// A name that the text does not have yet.
    Add {
        key: String,
        value: PropertyInput,
    },
    Set {
        key: String,
        value: PropertyInput,
    },
    Rename {
        key: String,
        to: String,
    },
    Remove {
        key: String,
    },
}

/// A change of properties, as edits of the text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct PropertyEdit {
    /// In order and disjoint. Offsets count UTF-16 code units.
    pub changes: Vec<TextChange>,
    /// The properties afterwards.
    pub after: PropertyRows,
}

/// Why a property cannot be changed so.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum PropertyChangeError {
    #[error("the note has a property of this name already: `{key}` (line {line})")]
    Taken { key: String, line: u32 },
    #[error(transparent)]
    Edit(#[from] PropertyEditError),
}

impl View {
    /// Reads the properties of a text (line feeds only) that need not be saved.
    pub fn property_rows(&self, text: &str) -> PropertyRows {
        self.rows_of(&note::parse(&NoteText::from_str(text)))
    }

    /// Returns how the vault's own settings want properties to be shown.
    pub fn properties_shown(&self) -> PropertiesShown {
        match self.setting("propertiesInDocument").as_deref() {
            Some("hidden") => PropertiesShown::Hidden,
            Some("source") => PropertiesShown::Source,
            _ => PropertiesShown::Visible,
        }
    }

    /// Reads the properties of a parsed text.
    pub fn rows_of(&self, note: &Note) -> PropertyRows {
        let shown = self.properties_shown();
        let Some(block) = &note.frontmatter else { return PropertyRows { shown, ..PropertyRows::default() } };
        let kinds = self.property_kinds();
        let views = note::html::properties(note);
        let row = |(entry, view): (&note::Property, &note::html::PropertyView)| {
            let wanted = kinds.get(&note::fold(&entry.key)).copied().filter(|wanted| fits(view.kind, *wanted));
            let own = if view.kind == PropertyKind::Empty { PropertyKind::Text } else { view.kind };
            let own = if entry.key.eq_ignore_ascii_case("cssclasses") && fits(own, PropertyKind::List) {
                PropertyKind::List
            } else {
                own
            };
            let is_fixed = matches!(own, PropertyKind::Tags | PropertyKind::Aliases);
            let kind = wanted.filter(|_| !is_fixed).unwrap_or(own);
            let values = match (&entry.value, kind) {
                (Value::Null, _) => Vec::new(),
                (value, PropertyKind::Nested) => vec![value.to_json().to_string()],
                (value, _) => value.texts().into_iter().map(str::to_owned).collect(),
            };
            PropertyRow { key: entry.key.clone(), kind, values, line: entry.line }
        };
        let rows = block.entries.iter().zip(&views).map(row).collect();
        PropertyRows { rows, problem: block.error.as_ref().map(said), shown }
    }

    /// Works out what a person's change of a property means for a text (line feeds only) that need not be saved. Every
    /// byte that says nothing of it stays.
    ///
    /// # Errors
    /// Says what stands in the way.
    pub fn change_property(&self, text: &str, change: &PropertyChange) -> Result<PropertyEdit, PropertyChangeError> {
        let text = NoteText::from_str(text);
        let note = note::parse(&text);
        let old = |key: &str| {
            let block = note.frontmatter.as_ref()?;
            block.entries.iter().find(|entry| entry.key == key).or_else(|| {
                let folded = note::fold(key);
                block.entries.iter().find(|entry| note::fold(&entry.key) == folded)
            })
        };
        let set = |key: &str, value| note::set_properties(&text, &note, &[(key.to_owned(), value)], &[]);
        let edits = match change {
            PropertyChange::Add { key, value } => match old(key.trim()) {
                Some(there) => {
                    return Err(PropertyChangeError::Taken { key: there.key.clone(), line: there.line });
                }
                None => set(key.trim(), value.value(None))?.edits,
            },
            PropertyChange::Set { key, value } => set(key, value.value(old(key).map(|entry| &entry.value)))?.edits,
            PropertyChange::Rename { key, to } => note::rename_property(&text, &note, key, to)?,
            PropertyChange::Remove { key } => note::set_properties(&text, &note, &[], std::slice::from_ref(key))?.edits,
        };
        let changes = text_changes(text.as_str(), &edits);
        let after = edits.apply(&text).map_err(|_| PropertyEditError::NotUtf8)?;
        Ok(PropertyEdit { changes, after: self.rows_of(&note::parse(&after)) })
    }
}

fn said(error: &FrontmatterError) -> String {
    match error {
        FrontmatterError::NotYaml { line, .. } => format!("{error} (line {line})"),
        FrontmatterError::NotAMap | FrontmatterError::TooLarge => error.to_string(),
    }
}

impl PropertyInput {
    /// The value to write; what stays of the old one keeps what it is.
    fn value(&self, old: Option<&Value>) -> Value {
        let same = |text: &str| old.filter(|old| old.as_text() == Some(text)).cloned();
        match self {
            PropertyInput::Empty => Value::Null,
            PropertyInput::Checkbox(value) => Value::Bool(*value),
            PropertyInput::Text(text) => same(text).unwrap_or_else(|| Value::Text(text.clone())),
            PropertyInput::Number(text) => same(text).unwrap_or_else(|| match text.contains(['.', 'e', 'E']) {
                true => Value::Float(text.clone()),
                false => Value::Int(text.clone()),
            }),
            PropertyInput::List(items) => {
                let mut there: Vec<&Value> = match old {
                    Some(Value::List(values)) => values.iter().collect(),
                    Some(Value::Null) | None => Vec::new(),
                    Some(scalar) => vec![scalar],
                };
                let item = |text: &String| match there.iter().position(|value| value.as_text() == Some(text)) {
                    Some(at) => there.remove(at).clone(),
                    None => Value::Text(text.clone()),
                };
                Value::List(items.iter().map(item).collect())
            }
        }
    }
}

/// Whether a value that looks like one kind can be shown as another.
fn fits(looks: PropertyKind, wanted: PropertyKind) -> bool {
    use PropertyKind::{Aliases, Checkbox, Date, DateTime, Empty, List, Nested, Number, Tags, Text};
    match (looks, wanted) {
        (Nested, _) => false,
        (Empty, _) | (_, List | Tags | Aliases) | (Date, DateTime) => true,
        (Text | Number | Checkbox | Date | DateTime, Text) => true,
        (looks, wanted) => looks == wanted,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kind_is_shown_where_the_value_can_be_edited_as_it() {
        use PropertyKind::{Checkbox, Date, DateTime, Empty, List, Nested, Number, Text};
        for (looks, wanted) in [(Number, Text), (Date, DateTime), (Text, List), (Empty, Checkbox), (Number, Number)] {
            assert!(fits(looks, wanted), "{looks:?} as {wanted:?}");
        }
        for (looks, wanted) in [(Text, Number), (List, Text), (Nested, List), (Text, Date), (Number, Checkbox)] {
            assert!(!fits(looks, wanted), "{looks:?} as {wanted:?}");
        }
    }
}
