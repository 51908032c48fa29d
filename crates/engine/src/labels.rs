//! What notes are filed under: tags and properties, each with the number of notes that have it.

use crate::View;
use index::{Entry, FileKind};
use note::html::PropertyKind;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// A tag, or what tags that are nested below it have in common.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct TagView {
    /// The whole tag without `#`, in the spelling that most notes use.
    pub tag: String,
    /// Notes with this tag or one below it.
    pub n_notes: u32,
}

/// A property that notes have.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct PropertyView {
    /// In the spelling that most notes use.
    pub name: String,
    /// As the vault's own settings say, else as its values look.
    pub kind: PropertyKind,
    pub n_notes: u32,
}

/// How often something is spelled in which way.
#[derive(Default)]
struct Spellings(HashMap<String, u32>);

impl Spellings {
    fn saw(&mut self, spelling: &str) {
        *self.0.entry(spelling.to_owned()).or_default() += 1;
    }

    /// The usual one; of equals the first in order.
    fn usual(self) -> String {
        self.0
            .into_iter()
            .max_by(|a, b| (a.1, &b.0).cmp(&(b.1, &a.0)))
            .map(|(spelling, _)| spelling)
            .unwrap_or_default()
    }
}

impl View {
    /// Lists every tag, each before what is nested below it, in alphabetical order. Excluded files do not count.
    pub fn tags(&self) -> Vec<TagView> {
        // By segment, so that `a/b` stands right behind `a` and before `a-b`.
        let mut all: BTreeMap<Vec<String>, (Spellings, u32)> = BTreeMap::new();
        for entry in self.counted() {
            let mut own: BTreeSet<Vec<String>> = BTreeSet::new();
            for tag in &entry.tags {
                let names: Vec<&str> = tag.split('/').filter(|name| !name.is_empty()).collect();
                for n in 1..=names.len() {
                    let key: Vec<String> = names[..n].iter().map(|name| note::fold(name)).collect();
                    let (spellings, n_notes) = all.entry(key.clone()).or_default();
                    spellings.saw(&names[..n].join("/"));
                    if own.insert(key) {
                        *n_notes += 1;
                    }
                }
            }
        }
        all.into_values().map(|(spellings, n_notes)| TagView { tag: spellings.usual(), n_notes }).collect()
    }

    /// Lists every property in alphabetical order. Excluded files do not count.
    pub fn properties(&self) -> Vec<PropertyView> {
        let kinds = self.property_kinds();
        let mut all: BTreeMap<String, (Spellings, u32, Option<PropertyKind>)> = BTreeMap::new();
        for entry in self.counted() {
            let mut own = BTreeSet::new();
            for property in &entry.properties {
                let key = note::fold(&property.key);
                let (spellings, n_notes, kind) = all.entry(key.clone()).or_default();
                spellings.saw(&property.key);
                *kind = match (*kind, guess(&property.values)) {
                    (Some(known), Some(guessed)) if known != guessed => Some(both(known, guessed)),
                    (known, guessed) => guessed.or(known),
                };
                if own.insert(key) {
                    *n_notes += 1;
                }
            }
        }
        let view = |(key, (spellings, n_notes, guessed)): (String, (Spellings, u32, Option<PropertyKind>))| {
            let fixed = match key.as_str() {
                "tags" => Some(PropertyKind::Tags),
                "aliases" => Some(PropertyKind::Aliases),
                "cssclasses" => Some(PropertyKind::List),
                _ => kinds.get(&key).copied(),
            };
            PropertyView { name: spellings.usual(), kind: fixed.or(guessed).unwrap_or(PropertyKind::Text), n_notes }
        };
        all.into_iter().map(view).collect()
    }

    /// Chooses one of the notes by a number that was thrown. The one that is open already is chosen only if there is no
    /// other.
    pub fn random_note(&self, except: Option<&str>, thrown: u32) -> Option<String> {
        let mut paths: Vec<&str> = self.counted().map(|entry| entry.path.as_str()).collect();
        if paths.len() > 1 {
            paths.retain(|path| Some(*path) != except);
        }
        paths.sort_unstable();
        let place = (thrown as usize).checked_rem(paths.len())?;
        Some(paths[place].to_owned())
    }

    /// The notes that the vault's settings do not exclude.
    fn counted(&self) -> impl Iterator<Item = &Entry> {
        self.index.files().filter(|entry| entry.kind == FileKind::Note && !self.index.is_ignored(&entry.path))
    }

    /// The kinds that the vault's own settings give, by folded name.
    pub(crate) fn property_kinds(&self) -> HashMap<String, PropertyKind> {
        let types: serde_json::Value = self
            .reader
            .read_config("types.json")
            .and_then(|bytes| serde_json::from_slice(&bytes).ok())
            .unwrap_or_default();
        let kind = |kind: &str| {
            Some(match kind {
                "text" => PropertyKind::Text,
                "multitext" => PropertyKind::List,
                "number" => PropertyKind::Number,
                "checkbox" => PropertyKind::Checkbox,
                "date" => PropertyKind::Date,
                "datetime" => PropertyKind::DateTime,
                "tags" => PropertyKind::Tags,
                "aliases" => PropertyKind::Aliases,
                _ => return None,
            })
        };
        let types = types.get("types").and_then(serde_json::Value::as_object);
        let pairs = types.into_iter().flatten();
        pairs.filter_map(|(name, value)| Some((note::fold(name), kind(value.as_str()?)?))).collect()
    }
}

/// What values look like; empty ones say nothing.
fn guess(values: &[Box<str>]) -> Option<PropertyKind> {
    let [value] = values else { return (!values.is_empty()).then_some(PropertyKind::List) };
    let value = value.trim();
    let is_digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    let is_date = |text: &str| {
        let parts: Vec<&str> = text.split('-').collect();
        matches!(parts[..], [y, m, d] if y.len() == 4 && m.len() == 2 && d.len() == 2 && parts.iter().all(|p| is_digits(p)))
    };
    match value {
        "" => None,
        "true" | "false" => Some(PropertyKind::Checkbox),
        _ if value.parse::<f64>().is_ok_and(f64::is_finite) => Some(PropertyKind::Number),
        _ if is_date(value) => Some(PropertyKind::Date),
        _ if value.get(..10).is_some_and(is_date) && value[10..].starts_with('T') => Some(PropertyKind::DateTime),
        _ => Some(PropertyKind::Text),
    }
}

/// What holds values of two kinds.
fn both(a: PropertyKind, b: PropertyKind) -> PropertyKind {
    use PropertyKind::{Date, DateTime, List, Text};
    match (a, b) {
        (List, _) | (_, List) => List,
        (Date, DateTime) | (DateTime, Date) => DateTime,
        _ => Text,
    }
}
