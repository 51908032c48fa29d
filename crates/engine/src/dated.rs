//! Notes that the vault's own settings name: of a day, of a moment, and from templates.

use crate::find::{n32, utf16};
use crate::moment::Moment;
use crate::outline::{TextChange, text_changes};
use crate::{NoteError, View};
use note::{Edit, Edits, Note, NoteText, RelPath, Value};
use serde::{Deserialize, Serialize};
use thiserror::Error;

const DAY: &str = "YYYY-MM-DD";
const TIME: &str = "HH:mm";
const UNIQUE: &str = "YYYYMMDDHHmm";

/// A note that is there, or that is to be made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DatedNote {
    pub path: RelPath,
    /// What it is to hold; nothing if it is there.
    pub text: Option<String>,
    /// The template that the settings name, if it is not there.
    pub missing_template: Option<String>,
}

/// A note from which others are made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct TemplateView {
    pub path: String,
    /// Its name, with the folders between it and the folder of templates.
    pub title: String,
}

/// The templates of a vault.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct Templates {
    /// The folder that the settings name, if they name one.
    pub folder: Option<String>,
    pub notes: Vec<TemplateView>,
}

/// What a template changes in a text. Offsets count UTF-16 code units.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct TemplateEdit {
    /// In order and disjoint.
    pub changes: Vec<TextChange>,
    /// Where the caret belongs afterwards: behind what was inserted.
    pub caret: u32,
}

/// Why there is no such note.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum DatedError {
    #[error("not a time: `{now}`")]
    NotATime { now: String },
    #[error("the pattern `{format}` makes no name for a note: `{name}`")]
    NoName { format: String, name: String },
    #[error(transparent)]
    Template(#[from] NoteError),
}

/// The settings of one of the kinds of dated notes.
struct Pattern {
    folder: String,
    format: String,
    template: Option<String>,
}

impl View {
    /// Returns the note of the day, as the vault's settings name it.
    ///
    /// # Errors
    /// The settings make no name.
    pub fn daily_note(&self, now: &str) -> Result<DatedNote, DatedError> {
        let now = moment(now)?;
        let pattern = self.pattern("daily-notes.json", DAY);
        let path = dated_path(&pattern, now)?;
        let path = self.index.lookup_folded(path.as_str()).into_iter().next().unwrap_or(path);
        if self.reader.stat(&path).is_ok() {
            return Ok(DatedNote { path, text: None, missing_template: None });
        }
        self.made(path, &pattern, now)
    }

    /// Returns a note named after this moment; if that is taken, after the next one that is free.
    ///
    /// # Errors
    /// The settings make no name.
    pub fn unique_note(&self, now: &str) -> Result<DatedNote, DatedError> {
        const PATIENCE: i64 = 24 * 60;
        let now = moment(now)?;
        let pattern = self.pattern("zk-prefixer.json", UNIQUE);
        let is_free =
            |path: &RelPath| self.index.lookup_folded(path.as_str()).is_empty() && self.reader.stat(path).is_err();
        let mut path = dated_path(&pattern, now)?;
        for minutes in 1..PATIENCE {
            if is_free(&path) {
                break;
            }
            path = dated_path(&pattern, now.later(minutes))?;
        }
        // A pattern without minutes names the same note all day.
        let first = path.clone();
        for nth in 2..1000 {
            if is_free(&path) {
                break;
            }
            let numbered = format!("{} {nth}.md", first.as_str().trim_end_matches(".md"));
            path = RelPath::lenient(&numbered).unwrap_or(path);
        }
        self.made(path, &pattern, now)
    }

    /// Lists the templates.
    pub fn templates(&self) -> Templates {
        let folder = self.config("templates.json", "folder").map(|folder| folder.trim_matches('/').to_owned());
        let Some(folder) = folder.filter(|folder| !folder.is_empty()) else {
            return Templates { folder: None, notes: Vec::new() };
        };
        let within = format!("{}/", note::fold(&folder));
        let is_template = |path: &RelPath| path.is_note() && path.fold().starts_with(&within);
        let mut paths: Vec<&RelPath> =
            self.index.files().map(|entry| &entry.path).filter(|path| is_template(path)).collect();
        paths.sort();
        let title = |path: &RelPath| {
            let inside = path.as_str().split('/').skip(folder.split('/').count()).collect::<Vec<_>>().join("/");
            inside.trim_end_matches(".md").to_owned()
        };
        let notes = paths.into_iter().map(|path| TemplateView { path: path.to_string(), title: title(path) }).collect();
        Templates { folder: Some(folder), notes }
    }

    /// Plans a template's way into a text (line feeds only) that need not be saved: its text goes to the caret, its
    /// properties go to those of the note, which keep what they have.
    ///
    /// # Errors
    /// The template cannot be read.
    pub fn insert_template(
        &self,
        path: &RelPath,
        text: &str,
        caret: u32,
        template: &RelPath,
        now: &str,
    ) -> Result<TemplateEdit, DatedError> {
        let filled = self.filled(template, path, moment(now)?)?;
        let template = NoteText::from_str(&filled);
        let from = note::parse(&template);
        let text = NoteText::from_str(text);
        let into = note::parse(&text);
        let caret = byte_of(text.as_str(), caret).max(into.body);
        let body = &filled[from.body..];
        let mut edits = match (&from.frontmatter, &into.frontmatter) {
            (Some(_), None) => vec![Edit { range: 0..0, new: filled[..from.body].to_owned() }],
            (Some(_), Some(_)) => merged_properties(&text, &into, &from),
            (None, _) => Vec::new(),
        };
        let shift: usize = edits.iter().map(|edit| utf16(&edit.new, edit.new.len()) as usize).sum();
        let taken: u32 = edits.iter().map(|edit| utf16(&text.as_str()[edit.range.clone()], edit.range.len())).sum();
        // Where both go to the same place, the properties come first.
        match edits.last_mut() {
            Some(last) if last.range.end == caret && last.range.is_empty() => last.new.push_str(body),
            _ if body.is_empty() => {}
            _ => edits.push(Edit { range: caret..caret, new: body.to_owned() }),
        }
        let after = utf16(text.as_str(), caret) + n32(shift) - taken + utf16(body, body.len());
        Ok(TemplateEdit { changes: text_changes(text.as_str(), &Edits::new(&text, edits)), caret: after })
    }

    fn made(&self, path: RelPath, pattern: &Pattern, now: Moment) -> Result<DatedNote, DatedError> {
        let Some(wanted) = &pattern.template else {
            return Ok(DatedNote { path, text: Some(String::new()), missing_template: None });
        };
        match self.index.resolve(wanted, &path).filter(RelPath::is_note) {
            Some(template) => {
                let text = self.filled(&template, &path, now)?;
                Ok(DatedNote { path, text: Some(text), missing_template: None })
            }
            None => Ok(DatedNote { path, text: Some(String::new()), missing_template: Some(wanted.clone()) }),
        }
    }

    /// The text of a template for a note (line feeds only), with its variables filled in.
    fn filled(&self, template: &RelPath, path: &RelPath, now: Moment) -> Result<String, DatedError> {
        let file = self.reader.read(template).map_err(|error| self.read_error(template.as_str(), error))?;
        let text = crate::plan::any_text(file.bytes).lf();
        let setting = |key: &str, usual: &str| self.config("templates.json", key).unwrap_or_else(|| usual.to_owned());
        Ok(fill(&text, path.stem(), now, &setting("dateFormat", DAY), &setting("timeFormat", TIME)))
    }

    fn pattern(&self, file: &str, usual: &str) -> Pattern {
        Pattern {
            folder: self.config(file, "folder").unwrap_or_default(),
            format: self.config(file, "format").unwrap_or_else(|| usual.to_owned()),
            template: self.config(file, "template"),
        }
    }

    /// Reads a text of one of the vault's own settings files; one that is empty is none.
    fn config(&self, file: &str, key: &str) -> Option<String> {
        let settings: serde_json::Value = serde_json::from_slice(&self.reader.read_config(file)?).ok()?;
        let text = settings.get(key)?.as_str()?.trim();
        (!text.is_empty()).then(|| text.to_owned())
    }
}

fn moment(now: &str) -> Result<Moment, DatedError> {
    Moment::read(now).ok_or_else(|| DatedError::NotATime { now: now.to_owned() })
}

fn dated_path(pattern: &Pattern, now: Moment) -> Result<RelPath, DatedError> {
    let name = now.format(&pattern.format);
    let no_name = || DatedError::NoName { format: pattern.format.clone(), name: name.clone() };
    let name = name.trim().trim_matches('/').trim_end_matches(".md");
    if name.is_empty() {
        return Err(no_name());
    }
    let folder = pattern.folder.trim_matches('/');
    let path = if folder.is_empty() { format!("{name}.md") } else { format!("{folder}/{name}.md") };
    RelPath::lenient(&path).map_err(|_| no_name())
}

/// Fills in `{{title}}`, `{{date}}`, `{{time}}`, and those with a pattern of their own: `{{date:YYYY}}`.
fn fill(template: &str, title: &str, now: Moment, date: &str, time: &str) -> String {
    let mut filled = String::with_capacity(template.len());
    let mut rest = template;
    while let Some(start) = rest.find("{{") {
        let Some(len) = rest[start..].find("}}") else { break };
        let inside = &rest[start + 2..start + len];
        let (name, pattern) = inside.split_once(':').map_or((inside, None), |(name, pattern)| (name, Some(pattern)));
        filled.push_str(&rest[..start]);
        match name.trim().to_ascii_lowercase().as_str() {
            "title" if pattern.is_none() => filled.push_str(title),
            "date" => filled.push_str(&now.format(pattern.map_or(date, str::trim))),
            "time" => filled.push_str(&now.format(pattern.map_or(time, str::trim))),
            _ => {
                // Something else, which may hold what is meant: `{{ {{date}}`.
                filled.push_str("{{");
                rest = &rest[start + 2..];
                continue;
            }
        }
        rest = &rest[start + len + 2..];
    }
    filled + rest
}

/// The properties of a template that the note lacks, and the items that its lists lack.
fn merged_properties(text: &NoteText, into: &Note, from: &Note) -> Vec<Edit> {
    let (Some(there), Some(wanted)) = (&into.frontmatter, &from.frontmatter) else { return Vec::new() };
    let mut set: Vec<(String, Value)> = Vec::new();
    for property in &wanted.entries {
        match (there.entries.iter().find(|own| note::fold(&own.key) == note::fold(&property.key)), &property.value) {
            (None, value) => set.push((property.key.clone(), value.clone())),
            (Some(own), value) if own.value == Value::Null && *value != Value::Null => {
                set.push((own.key.clone(), value.clone()));
            }
            (Some(own), Value::List(more)) => {
                let Value::List(items) = &own.value else { continue };
                let lacking: Vec<Value> = more.iter().filter(|item| !items.contains(item)).cloned().collect();
                if !lacking.is_empty() {
                    set.push((own.key.clone(), Value::List(items.iter().cloned().chain(lacking).collect())));
                }
            }
            (Some(_), _) => {}
        }
    }
    // Properties that cannot be read are left alone.
    note::set_properties(text, into, &set, &[]).map(|edited| edited.edits.edits).unwrap_or_default()
}

fn byte_of(text: &str, units: u32) -> usize {
    let mut n = 0;
    let place = text.char_indices().find(|(_, c)| {
        let is_there = n >= units;
        n += n32(c.len_utf16());
        is_there
    });
    place.map_or(text.len(), |(at, _)| at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_are_filled_in() {
        let now = moment("2026-03-07T14:09:05+01:00").unwrap();
        for (template, expected) in [
            ("# {{title}}\n{{date}} {{time}}", "# Plan\n2026-03-07 14:09"),
            ("{{ Date : DD.MM. }}|{{TIME:HH}}|{{date:[{]}}", "07.03.|14|{"),
            ("{{other}} {{title:x}} {{", "{{other}} {{title:x}} {{"),
            ("{{ {{title}} }}", "{{ Plan }}"),
        ] {
            assert_eq!(fill(template, "Plan", now, DAY, TIME), expected, "{template}");
        }
    }
}
