//! Names of a note that stand in other notes without being a link, and making links of them.

use crate::find::utf16;
use crate::new_link::encoded;
use crate::{Intent, NoteError, Query, View};
use note::{Eol, FindReplace, Mention, NoteText, RelPath};
use serde::{Deserialize, Serialize};
use thiserror::Error;

/// So many notes are read to answer once; one that the search ranks lower is left for later.
const MOST_NOTES: usize = 300;
/// And so many bytes of them.
const MOST_BYTES: usize = 24 * 1024 * 1024;
/// Characters of a line around a name.
const AROUND: usize = 110;

/// A name of a note in the text of another one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct MentionView {
    pub path: String,
    pub title: String,
    /// 1-based.
    pub line: u32,
    /// Which one it is among the names in this line, from 0.
    pub nth: u32,
    /// The name as it is written there.
    pub text: String,
    /// The line that holds it, shortened.
    pub snippet: String,
    /// The name in the snippet, in UTF-16 code units.
    pub from: u32,
    pub to: u32,
}

/// The names found, by note.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct Mentions {
    pub mentions: Vec<MentionView>,
    /// Whether there may be more than these.
    pub more: bool,
}

/// Why a name was not made a link.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum LinkMentionError {
    #[error(transparent)]
    Note(#[from] NoteError),
    #[error("`{text}` does not stand on line {line} of `{path}` any more")]
    Gone { text: String, line: u32, path: String },
    #[error("no link can be written there that leads to `{to}`")]
    Unlinkable { to: String },
}

impl View {
    /// Finds where other notes name a note, by its file name, title or aliases, without linking to it. Reads no more than
    /// some hundred notes, and tells whether that was all. Files that the vault's settings exclude are left out.
    pub fn mentions(&self, of: &RelPath, limit: usize) -> Mentions {
        let names = self.names_of(of);
        let quoted: Vec<String> = names.iter().filter_map(|name| quoted(name)).collect();
        let mut found = Mentions { mentions: Vec::new(), more: false };
        if quoted.is_empty() {
            return found;
        }
        let query = Query { text: quoted.join(" OR "), group_by_note: true, limit: MOST_NOTES, ..Query::default() };
        let Ok(hits) = self.index.search(&query) else { return Mentions { more: true, ..found } };
        found.more = hits.total > MOST_NOTES;
        let mut n_bytes = 0;
        for path in hits.hits.into_iter().map(|hit| hit.path).filter(|path| path != of && path.is_note()) {
            if found.mentions.len() >= limit || n_bytes > MOST_BYTES {
                found.more = true;
                break;
            }
            let Ok(text) = self.text_of(&path) else { continue };
            n_bytes += text.bytes().len();
            self.mentions_in(&path, &text, &names, &mut found.mentions);
        }
        if found.mentions.len() > limit {
            found.mentions.truncate(limit);
            found.more = true;
        }
        found
    }

    /// Returns what makes a link to `to` of a name, as one edit; what was found must still stand there.
    ///
    /// # Errors
    /// Says why not.
    pub fn link_mention(&self, to: &RelPath, mention: &MentionView) -> Result<Intent, LinkMentionError> {
        let path = self.locate(&crate::NoteRef::Path(mention.path.clone()))?;
        let text = self.text_of(&path)?;
        let note = note::parse(&text);
        let names = self.names_of(to);
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let all = note::mentions(&text, &note, &names);
        let mut in_line = all.iter().filter(|one| one.line == mention.line);
        let found = in_line.nth(mention.nth as usize).filter(|one| text.as_str()[one.span.clone()] == *mention.text);
        let gone =
            || LinkMentionError::Gone { text: mention.text.clone(), line: mention.line, path: mention.path.clone() };
        let found = found.ok_or_else(gone)?;
        let unlinkable = || LinkMentionError::Unlinkable { to: to.to_string() };
        let link = self.link_text(&path, to, &mention.text, found.in_table).ok_or_else(unlinkable)?;
        // Read again before anybody sees it: it must be a link, to that note, and every other link must be what it was.
        let mut after = text.as_str().to_owned();
        after.replace_range(found.span.clone(), &link);
        let after = note::parse(&NoteText::from_str(&after));
        let is_made = |other: &&note::Link| other.span.start == found.span.start;
        let made = after.links.iter().find(is_made);
        let target = |other: &note::Link| (other.target.clone(), other.subpath.clone(), other.embed);
        let others = after.links.iter().filter(|other| !is_made(other)).map(target);
        if made.and_then(|link| self.index.resolve(&link.target, &path)).as_ref() != Some(to)
            || !others.eq(note.links.iter().map(target))
        {
            return Err(unlinkable());
        }
        Ok(Intent::EditText { path, edits: vec![replacement(&text, found, &link)] })
    }

    fn mentions_in(&self, path: &RelPath, text: &NoteText, names: &[String], found: &mut Vec<MentionView>) {
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let title = self.index.entry(path).map_or_else(|| path.stem().to_owned(), |entry| entry.title.clone());
        let (mut line, mut nth) = (0, 0);
        for mention in note::mentions(text, &note::parse(text), &names) {
            nth = if mention.line == line { nth + 1 } else { 0 };
            line = mention.line;
            let (snippet, from, to) = snippet(text, &mention);
            found.push(MentionView {
                path: path.to_string(),
                title: title.clone(),
                line,
                nth,
                text: text.as_str()[mention.span].to_owned(),
                snippet,
                from,
                to,
            });
        }
    }

    /// The names under which people write of a note. One letter is none: it would be everywhere.
    fn names_of(&self, path: &RelPath) -> Vec<String> {
        let Some(entry) = self.index.entry(path) else { return Vec::new() };
        let mut names: Vec<String> = entry.names().map(|name| name.trim().to_owned()).collect();
        names.retain(|name| name.chars().count() > 1 || name.chars().any(|c| c > '\u{2e7f}'));
        names.sort_by_key(|name| note::fold(name));
        names.dedup_by_key(|name| note::fold(name));
        names
    }

    fn text_of(&self, path: &RelPath) -> Result<NoteText, NoteError> {
        let file = self.reader.read(path).map_err(|error| self.read_error(path.as_str(), error))?;
        Ok(crate::plan::any_text(file.bytes))
    }

    /// Writes a link as the vault's settings say; nothing if none can name that note.
    fn link_text(&self, from: &RelPath, to: &RelPath, shown: &str, in_table: bool) -> Option<String> {
        let target = self.link_path(from, to);
        if self.flag("useMarkdownLinks") {
            return Some(format!("[{shown}]({}.md)", encoded(&target)));
        }
        if target.contains(['|', '#', '^', '[', ']']) {
            return None;
        }
        let bar = if in_table { "\\|" } else { "|" };
        Some(if target == shown { format!("[[{target}]]") } else { format!("[[{target}{bar}{shown}]]") })
    }
}

/// A name as a phrase to search for in texts; nothing if there is no word in it.
fn quoted(name: &str) -> Option<String> {
    let has_word = name.chars().any(char::is_alphanumeric);
    has_word.then(|| format!("content:\"{}\"", name.replace('\\', "\\\\").replace('"', "\\\"")))
}

/// The replacement of a name by a link, with as many lines around it as make it the only one of its kind.
fn replacement(text: &NoteText, mention: &Mention, link: &str) -> FindReplace {
    let source = text.as_str();
    let start = text.content_start();
    let eol = if text.eol() == Eol::Cr { '\r' } else { '\n' };
    let mut range = mention.span.clone();
    loop {
        let is_only = source.match_indices(&source[range.clone()]).nth(1).is_none();
        if is_only || (range.start == start && range.end == source.len()) {
            break;
        }
        let above = source[start..range.start].trim_end_matches(eol).rfind(eol).map_or(start, |at| start + at + 1);
        let below = source[range.end..].trim_start_matches(eol).find(eol);
        let skipped = source[range.end..].len() - source[range.end..].trim_start_matches(eol).len();
        range = above.min(range.start)..below.map_or(source.len(), |at| range.end + skipped + at);
    }
    let replace = format!("{}{link}{}", &source[range.start..mention.span.start], &source[mention.span.end..range.end]);
    FindReplace { find: source[range].to_owned(), replace, expected_count: 1 }
}

/// The line of a name, shortened around it, and the name's place in it.
fn snippet(text: &NoteText, mention: &Mention) -> (String, u32, u32) {
    let source = text.as_str();
    let is_eol = |c| matches!(c, '\n' | '\r');
    let line_start = source[..mention.span.start].rfind(is_eol).map_or(text.content_start(), |at| at + 1);
    let line_end = source[mention.span.end..].find(is_eol).map_or(source.len(), |at| mention.span.end + at);
    let before = source[line_start..mention.span.start].trim_start();
    let after = source[mention.span.end..line_end].trim_end();
    let name = &source[mention.span.clone()];
    let cut = before.char_indices().rev().nth(AROUND).map(|(at, _)| at);
    let before = cut.map_or_else(|| before.to_owned(), |at| format!("…{}", &before[at..]));
    let cut = after.char_indices().nth(AROUND).map(|(at, _)| at);
    let after = cut.map_or_else(|| after.to_owned(), |at| format!("{}…", &after[..at]));
    let from = utf16(&before, before.len());
    (format!("{before}{name}{after}"), from, from + utf16(name, name.len()))
}
