//! Lists of what is in a vault: the tree, folder by folder, and notes by query.

use crate::View;
use crate::find::n32;
use crate::view::rfc3339;
use index::{ChildKind, FileKind};
use note::RelPath;
use serde::{Deserialize, Serialize};
use thiserror::Error;

/// One row of the file tree.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct TreeEntry {
    pub path: String,
    /// The last segment; a note's without `.md`.
    pub name: String,
    pub kind: EntryKind,
    /// Notes in a folder and below it.
    pub n_notes: u32,
    /// Open proposals about this note, or about notes below this folder.
    pub pending: u32,
    /// The note of which a sync tool made this copy, because two devices had written it.
    pub conflict_of: Option<String>,
}

/// What a row of the tree is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub enum EntryKind {
    Folder,
    Note,
    Canvas,
    Base,
    Image,
    Audio,
    Video,
    Pdf,
    Other,
}

/// Why a folder cannot be listed.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum TreeError {
    #[error("there is no folder `{folder}`")]
    UnknownFolder { folder: String },
}

/// One note of a listing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct NoteListItem {
    pub id: String,
    pub path: String,
    pub title: String,
    pub tags: Vec<String>,
    pub updated: String,
    pub created: String,
    pub content_hash: String,
    pub n_chars: u32,
}

/// Which notes a listing holds, in which order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NoteQuery {
    /// Only in this folder and below; `""` is the whole vault.
    pub folder: String,
    /// Only with all of these tags, or tags nested below them.
    pub tags: Vec<String>,
    /// Only with all of these properties.
    pub properties: Vec<(String, String)>,
    /// Only changed at this time (milliseconds since 1970, UTC) or later.
    pub updated_since: Option<i64>,
    pub sort: NoteSort,
    pub offset: usize,
    pub limit: usize,
}

/// The orders of a listing; equals stand in path order.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum NoteSort {
    #[default]
    Path,
    Title,
    /// Newest first.
    Updated,
    /// Newest first.
    Created,
}

/// One page of a listing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NotePage {
    pub notes: Vec<NoteListItem>,
    /// How many notes the query asks for on all pages.
    pub total: usize,
}

impl View {
    /// Lists a folder (`""` is the vault's root): folders first, then files, each in natural order.
    ///
    /// # Errors
    /// The folder is not known.
    pub fn tree(&self, folder: &str) -> Result<Vec<TreeEntry>, TreeError> {
        let folder = folder.trim_matches('/');
        if !folder.is_empty() && !self.index.has_folder(folder) {
            return Err(TreeError::UnknownFolder { folder: folder.to_owned() });
        }
        let leads: Vec<RelPath> = self.ledger().open_proposals().map(|op| op.lead.clone()).collect();
        let below = |path: &RelPath| leads.iter().filter(|lead| lead.as_str().starts_with(&format!("{path}/"))).count();
        let at = |path: &RelPath| leads.iter().filter(|lead| *lead == path).count();
        let row = |child: index::Child| {
            let (kind, n_notes, pending) = match child.kind {
                ChildKind::Folder { n_notes, .. } => (EntryKind::Folder, n_notes, below(&child.path)),
                _ => (kind_of(&child.path), 0, at(&child.path)),
            };
            let name = if kind == EntryKind::Note { child.path.stem().to_owned() } else { child.name };
            let conflict_of = self.conflict_of(&child.path).map(|path| path.to_string());
            TreeEntry { path: child.path.as_str().to_owned(), name, kind, n_notes, pending: n32(pending), conflict_of }
        };
        Ok(self.index.folder(folder).into_iter().map(row).collect())
    }

    /// Returns the note of which a sync tool made this copy, because two devices had written it.
    pub fn conflict_of(&self, path: &RelPath) -> Option<RelPath> {
        crate::conflict_copy::conflict_of(path, &|path| self.index.entry(path).is_some())
    }

    /// Lists every folder of the vault.
    pub fn folders(&self) -> Vec<String> {
        self.index.folders().into_iter().map(|path| path.as_str().to_owned()).collect()
    }

    /// Lists the notes in a folder and below it, in path order.
    pub fn notes(&self, folder: &str) -> Vec<NoteListItem> {
        self.list_notes(&NoteQuery { folder: folder.to_owned(), limit: usize::MAX, ..NoteQuery::default() }).notes
    }

    /// Lists the notes that a query asks for. Only those of its page are described: times are not written out for notes
    /// that nobody sees.
    pub fn list_notes(&self, query: &NoteQuery) -> NotePage {
        self.list_notes_where(query, &|_| true)
    }

    /// The same as if only the notes that are admitted were there.
    pub(crate) fn list_notes_where(&self, query: &NoteQuery, admits: &dyn Fn(&RelPath) -> bool) -> NotePage {
        let folder = query.folder.trim_matches('/');
        let inside = |path: &RelPath| {
            folder.is_empty() || path.as_str().strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'))
        };
        let wanted = |entry: &&index::Entry| {
            entry.kind == FileKind::Note
                && inside(&entry.path)
                && admits(&entry.path)
                && query.updated_since.is_none_or(|since| updated(entry) >= since)
                && query.tags.iter().all(|tag| entry.has_tag(tag))
                && query.properties.iter().all(|(key, value)| entry.has_property(key, value))
        };
        let mut entries: Vec<&index::Entry> = self.index.files().filter(wanted).collect();
        entries.sort_by(|a, b| a.path.cmp(&b.path));
        match query.sort {
            NoteSort::Path => {}
            NoteSort::Title => entries.sort_by_cached_key(|entry| note::fold(&entry.title)),
            NoteSort::Updated => entries.sort_by_key(|entry| std::cmp::Reverse(updated(entry))),
            NoteSort::Created => entries.sort_by_key(|entry| std::cmp::Reverse(created(entry))),
        }
        let item = |entry: &index::Entry| NoteListItem {
            id: entry.id.map(|id| id.to_string()).unwrap_or_default(),
            path: entry.path.as_str().to_owned(),
            title: entry.title.clone(),
            tags: entry.tags.clone(),
            updated: rfc3339(updated(entry)),
            created: rfc3339(created(entry)),
            content_hash: entry.hash.map(|hash| hash.to_string()).unwrap_or_default(),
            n_chars: n32(usize::try_from(entry.n_chars).unwrap_or(usize::MAX)),
        };
        let total = entries.len();
        let notes = entries.into_iter().skip(query.offset).take(query.limit).map(item).collect();
        NotePage { notes, total }
    }
}

fn updated(entry: &index::Entry) -> i64 {
    crate::view::millis(entry.stat.mtime_ns)
}

fn created(entry: &index::Entry) -> i64 {
    crate::view::millis(entry.stat.created_ns.unwrap_or(entry.stat.mtime_ns))
}

pub(crate) fn kind_of(path: &RelPath) -> EntryKind {
    match path.extension().map(str::to_lowercase).as_deref() {
        Some("md") => EntryKind::Note,
        Some("canvas") => EntryKind::Canvas,
        Some("base") => EntryKind::Base,
        Some("avif" | "bmp" | "gif" | "jpeg" | "jpg" | "png" | "svg" | "webp") => EntryKind::Image,
        Some("flac" | "m4a" | "mp3" | "ogg" | "wav" | "webm" | "3gp") => EntryKind::Audio,
        Some("mkv" | "mov" | "mp4" | "ogv") => EntryKind::Video,
        Some("pdf") => EntryKind::Pdf,
        _ => EntryKind::Other,
    }
}
