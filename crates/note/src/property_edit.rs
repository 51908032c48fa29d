//! Setting and removing properties: the bytes of those names change, and no others.

use std::ops::Range;

use crate::edit::{Edit, Edits};
use crate::frontmatter::{Frontmatter, FrontmatterError, Property, Value};
use crate::parse::{Note, parse};
use crate::text::{NoteText, lines};

mod list;
mod rename;
mod write;

pub use rename::rename_property;

use write::{Form, Habit};

/// A note with other properties.
#[derive(Debug, Clone, PartialEq)]
pub struct PropertiesEdited {
    /// The edits; none if every property is already so.
    pub edits: Edits,
    /// The text afterwards.
    pub text: NoteText,
    /// The note afterwards.
    pub note: Note,
    /// The names that got another value, as they stand in the note.
    pub set: Vec<String>,
    /// The names that went away.
    pub removed: Vec<String>,
    /// Whether the note had no block of properties before.
    pub creates_block: bool,
}

/// Why properties cannot be changed so.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PropertyEditError {
    /// The block cannot be read, so nothing in it can be changed with care.
    #[error("{0}; mend the block first")]
    Unreadable(FrontmatterError),
    /// A name is given more than once.
    #[error("property is named twice: `{0}`")]
    NamedTwice(String),
    /// The note has a name more than once.
    #[error("the note has this property twice: `{key}` (lines {} and {})", .lines.0, .lines.1)]
    Duplicate {
        /// The name.
        key: String,
        /// The 1-based lines of the first two.
        lines: (u32, u32),
    },
    /// The note has no property of a name.
    #[error("the note has no property of this name: `{key}`")]
    Missing {
        /// The name.
        key: String,
    },
    /// A name is no name.
    #[error("property name is empty")]
    EmptyName,
    /// A value cannot be written so that it reads back the same.
    #[error("property `{key}` cannot be written: {reason}")]
    Unwritable {
        /// The name.
        key: String,
        /// What is in the way.
        reason: String,
    },
    /// Another property refers to the value.
    #[error("property `{key}` is referred to elsewhere as `*{anchor}`")]
    Anchored {
        /// The name.
        key: String,
        /// The anchor.
        anchor: String,
    },
    /// The properties are one map between braces.
    #[error("properties are written between `{{` and `}}`; write them one on a line first")]
    Braces,
    /// The text is not UTF-8.
    #[error("text is not UTF-8, so edits cannot apply to it")]
    NotUtf8,
}

/// Plans other values for properties, and the removal of some. A name is found exactly, else in any
/// case; removing one that is not there changes nothing.
///
/// Lists are written in the style that they have, and items that stay keep their bytes. A note
/// without properties gets a block in front of its text.
pub fn set_properties(
    text: &NoteText,
    note: &Note,
    set: &[(String, Value)],
    remove: &[String],
) -> Result<PropertiesEdited, PropertyEditError> {
    check_names(set, remove)?;
    if !text.is_exact() {
        return Err(PropertyEditError::NotUtf8);
    }
    let plan = match &note.frontmatter {
        Some(block) => change(text, block, set, remove)?,
        None => create(text, set)?,
    };
    let Plan { edits, wanted, set, removed } = plan;
    let edits = Edits::new(text, edits);
    let after = edits.apply(text).map_err(|_| PropertyEditError::NotUtf8)?;
    let after_note = parse(&after);
    verify(text, note, &after, &after_note, &wanted)?;
    let creates_block = note.frontmatter.is_none() && after_note.frontmatter.is_some();
    Ok(PropertiesEdited { edits, text: after, note: after_note, set, removed, creates_block })
}

struct Plan<'p> {
    edits: Vec<Edit>,
    /// What must be read afterwards.
    wanted: Vec<Wanted<'p>>,
    set: Vec<String>,
    removed: Vec<String>,
}

struct Wanted<'p> {
    key: &'p str,
    value: &'p Value,
    /// The lines of a property that stays as it is.
    untouched: Option<Range<usize>>,
}

fn check_names(set: &[(String, Value)], remove: &[String]) -> Result<(), PropertyEditError> {
    let names: Vec<&String> = set.iter().map(|(key, _)| key).chain(remove).collect();
    if names.iter().any(|name| name.trim().is_empty()) {
        return Err(PropertyEditError::EmptyName);
    }
    let twice = names.iter().enumerate().find(|(at, name)| names[..*at].contains(name));
    twice.map_or(Ok(()), |(_, name)| Err(PropertyEditError::NamedTwice((*name).clone())))
}

fn create<'p>(text: &NoteText, set: &'p [(String, Value)]) -> Result<Plan<'p>, PropertyEditError> {
    let mut plan = Plan { edits: Vec::new(), wanted: Vec::new(), set: Vec::new(), removed: Vec::new() };
    if set.is_empty() {
        return Ok(plan);
    }
    let eol = text.eol().as_str();
    let mut new = format!("---{eol}");
    for (key, value) in set {
        new += &write::property(key, value, &Habit::default(), eol)?;
        plan.wanted.push(Wanted { key, value, untouched: None });
        plan.set.push(key.clone());
    }
    new += &format!("---{eol}");
    plan.edits.push(Edit { range: text.content_start()..text.content_start(), new });
    Ok(plan)
}

fn change<'p>(
    text: &NoteText,
    block: &'p Frontmatter,
    set: &'p [(String, Value)],
    remove: &'p [String],
) -> Result<Plan<'p>, PropertyEditError> {
    if let Some(error) = &block.error {
        return Err(PropertyEditError::Unreadable(error.clone()));
    }
    let source = text.as_str();
    let eol = text.eol().as_str();
    if let Some(first) = block.entries.first()
        && source[block.yaml.start..first.key_span.start].trim_start().starts_with('{')
    {
        return Err(PropertyEditError::Braces);
    }
    let mut of_entry: Vec<Option<Change<'_>>> = block.entries.iter().map(|_| None).collect();
    let mut added = Vec::new();
    let changes = set.iter().map(|(key, value)| (key, Change::Set(value)));
    for (key, change) in changes.chain(remove.iter().map(|key| (key, Change::Remove))) {
        match find(block, key)? {
            Some(at) if of_entry[at].is_some() => return Err(PropertyEditError::NamedTwice(key.clone())),
            Some(at) => of_entry[at] = Some(change),
            None => added.extend(change.value().map(|value| (key, value))),
        }
    }
    let habit = Habit::of(source, block);
    let mut plan = Plan { edits: Vec::new(), wanted: Vec::new(), set: Vec::new(), removed: Vec::new() };
    for (entry, change) in block.entries.iter().zip(&of_entry) {
        let stays = Wanted { key: &entry.key, value: &entry.value, untouched: Some(entry.span.clone()) };
        match change {
            None => plan.wanted.push(stays),
            // A value that was read as JSON and comes back means no change of its spelling.
            Some(Change::Set(value)) if value.to_json() == entry.value.to_json() => plan.wanted.push(stays),
            Some(Change::Set(value)) => {
                check_anchor(source, block, entry)?;
                plan.edits.extend(replacement(source, entry, value, &habit, eol)?);
                plan.wanted.push(Wanted { key: &entry.key, value, untouched: None });
                plan.set.push(entry.key.clone());
            }
            Some(Change::Remove) => {
                check_anchor(source, block, entry)?;
                plan.edits.push(Edit { range: entry.span.clone(), new: String::new() });
                plan.removed.push(entry.key.clone());
            }
        }
    }
    let mut new = String::new();
    for (key, value) in added {
        new += &write::property(key, value, &habit, eol)?;
        plan.wanted.push(Wanted { key, value, untouched: None });
        plan.set.push(key.clone());
    }
    if !new.is_empty() {
        plan.edits.push(Edit { range: block.yaml.end..block.yaml.end, new });
    }
    Ok(plan)
}

enum Change<'p> {
    Set(&'p Value),
    Remove,
}

impl<'p> Change<'p> {
    fn value(&self) -> Option<&'p Value> {
        match self {
            Change::Set(value) => Some(value),
            Change::Remove => None,
        }
    }
}

/// The property of a name: spelled so, else the one spelled so in another case.
fn find(block: &Frontmatter, key: &str) -> Result<Option<usize>, PropertyEditError> {
    let all = |is_it: &dyn Fn(&Property) -> bool| -> Vec<usize> {
        (0..block.entries.len()).filter(|&at| is_it(&block.entries[at])).collect()
    };
    let mut found = all(&|entry| entry.key == key);
    if found.is_empty() {
        let folded = crate::path::fold(key);
        found = all(&|entry| crate::path::fold(&entry.key) == folded);
    }
    match found[..] {
        [] => Ok(None),
        [only] => Ok(Some(only)),
        [first, second, ..] => {
            let lines = (block.entries[first].line, block.entries[second].line);
            Err(PropertyEditError::Duplicate { key: key.to_owned(), lines })
        }
    }
}

fn check_anchor(source: &str, block: &Frontmatter, entry: &Property) -> Result<(), PropertyEditError> {
    let written = &source[entry.key_span.end..entry.span.end];
    for (at, _) in written.match_indices('&') {
        let name: String =
            written[at + 1..].chars().take_while(|c| !c.is_whitespace() && !",[]{}".contains(*c)).collect();
        let yaml = &source[block.yaml.clone()];
        let is_alias =
            |at: usize| !yaml[at + 1 + name.len()..].starts_with(|c: char| c.is_alphanumeric() || c == '-' || c == '_');
        if !name.is_empty() && yaml.match_indices(&format!("*{name}")).any(|(at, _)| is_alias(at)) {
            return Err(PropertyEditError::Anchored { key: entry.key.clone(), anchor: name });
        }
    }
    Ok(())
}

/// The edits that give a property another value.
fn replacement(
    source: &str,
    entry: &Property,
    value: &Value,
    habit: &Habit,
    eol: &str,
) -> Result<Vec<Edit>, PropertyEditError> {
    let unwritable = |reason: &str| PropertyEditError::Unwritable { key: entry.key.clone(), reason: reason.to_owned() };
    if let Some(edits) = list::edits(source, entry, value, eol) {
        return Ok(edits);
    }
    let after_key = entry.key_span.end;
    let n_blanks = blanks(&source[after_key..]);
    if !source[after_key + n_blanks..].starts_with(':') {
        return Err(unwritable("its name and its value stand on lines of their own"));
    }
    let colon = after_key + n_blanks + 1;
    let value_start = if entry.value_span.is_empty() { colon } else { entry.value_span.start.max(colon) };
    let keyline = lines(source, colon).next();
    let (line_end, behind_line) = keyline.map_or((colon, colon), |line| (line.content.end, line.eol.end));
    // What stands on the name's line in front of the value and must stay there.
    let anchor_end = anchor_end(source, colon, line_end);
    let on_own_lines = value_start > line_end;
    let form = write::value(value, &habit.of_entry(source, entry), eol).map_err(|reason| unwritable(&reason))?;
    let mut edits = Vec::new();
    match (form, on_own_lines) {
        (Form::Inline(new), true) => {
            edits.push(Edit { range: anchor_end..anchor_end, new: spaced(&new) });
            edits.push(Edit { range: behind_line..entry.span.end, new: String::new() });
        }
        (Form::Inline(new), false) => {
            let old = source[anchor_end..value_start.max(anchor_end)].len();
            let end = if entry.value_span.is_empty() { anchor_end } else { entry.value_span.end.max(anchor_end) };
            let blanks = if old > 0 && !new.is_empty() {
                &source[anchor_end..anchor_end + blanks(&source[anchor_end..])]
            } else {
                ""
            };
            let new = if blanks.is_empty() { spaced(&new) } else { format!("{blanks}{new}") };
            edits.push(Edit { range: anchor_end..end.max(anchor_end), new });
        }
        (Form::Lines(new), true) => edits.push(Edit { range: behind_line..entry.span.end, new }),
        (Form::Lines(new), false) => {
            let end = if entry.value_span.is_empty() { anchor_end } else { entry.value_span.end.max(anchor_end) };
            edits.push(Edit { range: anchor_end..end, new: String::new() });
            edits.push(Edit { range: entry.span.end..entry.span.end, new });
        }
    }
    Ok(edits)
}

fn spaced(new: &str) -> String {
    if new.is_empty() { String::new() } else { format!(" {new}") }
}

fn blanks(text: &str) -> usize {
    text.bytes().take_while(|b| matches!(b, b' ' | b'\t')).count()
}

/// Behind the anchor that may stand behind a colon, else behind the colon.
fn anchor_end(source: &str, colon: usize, line_end: usize) -> usize {
    let start = colon + blanks(&source[colon..line_end]);
    let word = &source[start..line_end];
    match word.starts_with('&') {
        true => start + word.find([' ', '\t']).unwrap_or(word.len()),
        false => colon,
    }
}

/// Checks that the properties read as they should, and that all else is what it was.
fn verify(
    text: &NoteText,
    note: &Note,
    after: &NoteText,
    after_note: &Note,
    wanted: &[Wanted<'_>],
) -> Result<(), PropertyEditError> {
    let found = after_note.frontmatter.as_ref();
    let entries: &[Property] = found.map_or(&[], |block| &block.entries);
    let error = found.and_then(|block| block.error.as_ref());
    let unwritable =
        |key: &str, reason: &str| Err(PropertyEditError::Unwritable { key: key.to_owned(), reason: reason.to_owned() });
    for (nth, wanted) in wanted.iter().enumerate() {
        let is_right = entries.get(nth).is_some_and(|entry| {
            let same_bytes = |old: &Range<usize>| text.as_str()[old.clone()] == after.as_str()[entry.span.clone()];
            entry.key == wanted.key && entry.value == *wanted.value && wanted.untouched.as_ref().is_none_or(same_bytes)
        });
        if !is_right {
            return unwritable(wanted.key, "it would not read back as the same value");
        }
    }
    let (old, new) = (&text.as_str()[note.body..], &after.as_str()[after_note.body..]);
    let outline =
        |note: &Note| note.headings.iter().map(|heading| (heading.level, heading.raw.clone())).collect::<Vec<_>>();
    if error.is_some() || entries.len() != wanted.len() || old != new || outline(note) != outline(after_note) {
        let last = wanted.last().map_or("", |wanted| wanted.key);
        return unwritable(last, "the block would not be read as properties any more");
    }
    Ok(())
}

#[cfg(test)]
mod tests;
