//! An immutable snapshot to read: the index of one moment, and the files as they are now.

use crate::identity::{self, Taken};
use crate::ledger::Ledger;
use crate::{HealthNotice, Intent};
use index::{IndexView, TitleMatch};
use note::{ContentHash, NoteId, NoteText, PathError, RelPath};
use serde::{Deserialize, Serialize};
use std::sync::{Arc, RwLock, RwLockReadGuard};
use thiserror::Error;
use vault::{ReadError, Reader, Stat};

/// A snapshot of the index with a reader of the disk. Cheap to clone; never waits for the writer.
#[derive(Clone)]
pub struct View {
    pub(crate) index: IndexView,
    pub(crate) reader: Reader,
    pub(crate) ledger: Arc<RwLock<Ledger>>,
    pub(crate) vault_key: Arc<str>,
    /// Files and folders that are there and could not be read.
    pub(crate) unread: Arc<Vec<String>>,
}

/// The ways to name a note.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NoteRef {
    /// Vault-relative; `.md` may be left out; exact first, then NFC and case-folded.
    Path(String),
    Id(NoteId),
    /// Exact file name, title property, first H1 or alias; then a unique prefix; then a unique part.
    Title(String),
    /// An id if it reads as one and is known, else a path.
    PathOrId(String),
}

/// A note as it was on disk at the moment of asking, parsed.
#[derive(Debug, Clone)]
pub struct OpenNote {
    pub path: RelPath,
    pub id: NoteId,
    pub text: NoteText,
    pub note: note::Note,
    pub title: String,
    /// Whether the vault and the file let us write; otherwise why not.
    pub writable: Result<(), String>,
    /// RFC 3339, UTC; from the file system.
    pub created: String,
    /// RFC 3339, UTC; moves on any stored change.
    pub updated: String,
    /// RFC 3339, UTC; moves only when this note itself was edited, not when a link in it was repaired.
    pub content_updated: String,
    pub pending: Vec<PendingMark>,
    /// The bytes are not UTF-8: readable with replacement characters, never writable.
    pub not_utf8: bool,
}

/// A proposal that waits for a person and concerns a note.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct PendingMark {
    pub operation: String,
    pub kind: String,
    pub client: String,
    pub heading: Option<String>,
    pub new_heading: Option<String>,
    /// 1-based line of the heading when it was proposed.
    pub line: Option<u32>,
}

/// The text of a note as it is on disk, and whether it may be written.
pub(crate) struct ReadNote {
    pub text: NoteText,
    pub not_utf8: bool,
    pub writable: Result<(), String>,
    pub stat: vault::Stat,
}

/// Why a note cannot be opened.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum NoteError {
    #[error("no note is called `{wanted}`")]
    NotFound { wanted: String, suggestions: Vec<String> },
    #[error("`{wanted}` means more than one note")]
    Ambiguous { wanted: String, candidates: Vec<TitleCandidate> },
    #[error("the path leaves the vault: `{wanted}`")]
    OutsideVault { wanted: String },
    #[error("folders and files whose name begins with a dot are not part of the vault: `{wanted}`")]
    Hidden { wanted: String },
    #[error("not a note (a Markdown file): `{wanted}`")]
    NotANote { wanted: String },
    #[error("the note is too large to open: `{wanted}`")]
    TooLarge { wanted: String },
    #[error("the note cannot be read: `{wanted}` ({reason})")]
    Unreadable { wanted: String, reason: String },
}

/// One of several notes that a name could mean.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct TitleCandidate {
    pub id: String,
    pub title: String,
    pub rel_path: String,
}

impl View {
    /// Returns a number that grows with each change of the index.
    pub fn generation(&self) -> u64 {
        self.index.generation()
    }

    /// Reads a note now, whatever the index believes.
    ///
    /// # Errors
    /// Says what the name could have meant, or why the file cannot be read.
    pub fn note(&self, at: &NoteRef) -> Result<OpenNote, NoteError> {
        let path = self.locate(at)?;
        self.open_note(&path)
    }

    /// Opens the note at an exact path.
    pub(crate) fn open_note(&self, path: &RelPath) -> Result<OpenNote, NoteError> {
        Ok(self.opened(path, self.read_note(path)?))
    }

    /// Takes in what a text means that was read a moment ago.
    pub(crate) fn opened(&self, path: &RelPath, read: ReadNote) -> OpenNote {
        let ReadNote { text, not_utf8, writable, stat } = read;
        let note = note::parse(&text);
        let id = identity::id_of(self, path, Some(&note), &Taken::default());
        let ledger = self.ledger();
        let updated = millis(stat.mtime_ns);
        let content_updated = content_updated(&ledger, path, text.hash(), &stat);
        OpenNote {
            title: note.title(path),
            pending: pending_for(&ledger, path),
            path: path.clone(),
            id,
            created: rfc3339(stat.created_ns.map_or(updated, millis)),
            updated: rfc3339(updated),
            content_updated: rfc3339(content_updated),
            writable,
            text,
            note,
            not_utf8,
        }
    }

    /// Reads the note at an exact path without parsing it.
    pub(crate) fn read_note(&self, path: &RelPath) -> Result<ReadNote, NoteError> {
        let wanted = || path.as_str().to_owned();
        if path.is_hidden() {
            return Err(NoteError::Hidden { wanted: wanted() });
        }
        if !path.is_note() {
            return Err(NoteError::NotANote { wanted: wanted() });
        }
        let file = self.reader.read(path).map_err(|error| self.read_error(path.as_str(), error))?;
        let read_only = self.reader.is_read_only();
        let writable = match (read_only, file.writable) {
            (Some(reason), _) => Err(reason),
            (None, false) => Err("the file is read-only".to_owned()),
            (None, true) => Ok(()),
        };
        let (text, not_utf8) = match NoteText::new(file.bytes) {
            Ok(text) => (text, false),
            Err(error) => (NoteText::lossy(error.bytes), true),
        };
        let writable = if not_utf8 { Err("the note is not UTF-8".to_owned()) } else { writable };
        Ok(ReadNote { text, not_utf8, writable, stat: file.stat })
    }

    /// Finds the path that a name means.
    ///
    /// # Errors
    /// As `note`.
    pub fn locate(&self, at: &NoteRef) -> Result<RelPath, NoteError> {
        match at {
            NoteRef::Path(path) => self.locate_path(path),
            NoteRef::Id(id) => self
                .index
                .entry_by_id(id)
                .map(|entry| entry.path.clone())
                .ok_or_else(|| NoteError::NotFound { wanted: id.to_string(), suggestions: Vec::new() }),
            NoteRef::PathOrId(wanted) => match wanted.parse::<NoteId>().ok().and_then(|id| self.index.entry_by_id(&id))
            {
                Some(entry) => Ok(entry.path.clone()),
                None => self.locate_path(wanted),
            },
            NoteRef::Title(title) => match self.index.find_title(title) {
                TitleMatch::One(path) => Ok(path),
                TitleMatch::Many(paths) => {
                    Err(NoteError::Ambiguous { wanted: title.clone(), candidates: self.candidates(&paths) })
                }
                TitleMatch::None { nearest } => Err(NoteError::NotFound {
                    wanted: title.clone(),
                    suggestions: nearest.into_iter().map(|path| path.as_str().to_owned()).collect(),
                }),
            },
        }
    }

    fn locate_path(&self, wanted: &str) -> Result<RelPath, NoteError> {
        let outside = || NoteError::OutsideVault { wanted: wanted.to_owned() };
        let path = match RelPath::lenient(wanted) {
            Ok(path) => path,
            Err(PathError::Absolute { .. } | PathError::Parent { .. }) => return Err(outside()),
            Err(_) => return Err(self.not_found(wanted)),
        };
        if path.is_hidden() {
            return Err(NoteError::Hidden { wanted: wanted.to_owned() });
        }
        let with_suffix = RelPath::lenient(&format!("{}.md", path.as_str())).ok();
        let spellings = || std::iter::once(&path).chain(with_suffix.as_ref());
        for spelling in spellings().filter(|path| path.is_note()) {
            match self.reader.stat(spelling) {
                // Links inside the vault are followed, so that a note has one path, one history and one id.
                Ok(_) => return Ok(self.reader.real(spelling).unwrap_or_else(|| spelling.clone())),
                Err(ReadError::Missing { .. }) => {}
                Err(error) => return Err(self.read_error(wanted, error)),
            }
        }
        for spelling in spellings() {
            let twins: Vec<RelPath> =
                self.index.lookup_folded(&spelling.fold()).into_iter().filter(|p| p.is_note()).collect();
            match twins.as_slice() {
                [] => {}
                [one] => return Ok(one.clone()),
                many => {
                    return Err(NoteError::Ambiguous { wanted: wanted.to_owned(), candidates: self.candidates(many) });
                }
            }
        }
        if self.reader.stat(&path).is_ok() && !path.is_note() {
            return Err(NoteError::NotANote { wanted: wanted.to_owned() });
        }
        Err(self.not_found(wanted))
    }

    pub(crate) fn candidates(&self, paths: &[RelPath]) -> Vec<TitleCandidate> {
        let one = |path: &RelPath| {
            let entry = self.index.entry(path);
            TitleCandidate {
                id: entry.and_then(|e| e.id).map(|id| id.to_string()).unwrap_or_default(),
                title: entry.map_or_else(|| path.stem().to_owned(), |e| e.title.clone()),
                rel_path: path.as_str().to_owned(),
            }
        };
        paths.iter().map(one).collect()
    }

    fn not_found(&self, wanted: &str) -> NoteError {
        let name = wanted.rsplit('/').next().unwrap_or(wanted);
        let name = name.strip_suffix(".md").unwrap_or(name);
        let suggestions = match self.index.find_title(name) {
            TitleMatch::One(path) => vec![path],
            TitleMatch::Many(paths) => paths,
            TitleMatch::None { nearest } => nearest,
        };
        let suggestions = suggestions.into_iter().take(5).map(|path| path.as_str().to_owned()).collect();
        NoteError::NotFound { wanted: wanted.to_owned(), suggestions }
    }

    pub(crate) fn read_error(&self, wanted: &str, error: ReadError) -> NoteError {
        let wanted = wanted.to_owned();
        match error {
            ReadError::Missing { .. } => self.not_found(&wanted),
            ReadError::Outside { .. } => NoteError::OutsideVault { wanted },
            ReadError::NotAFile { .. } => NoteError::NotANote { wanted },
            ReadError::TooLarge { .. } => NoteError::TooLarge { wanted },
            ReadError::Hidden { .. } => NoteError::Hidden { wanted },
            ReadError::NotDownloaded { .. } => {
                NoteError::Unreadable { wanted, reason: "a sync service has not downloaded it yet".to_owned() }
            }
            ReadError::Denied { .. } => NoteError::Unreadable { wanted, reason: "permission denied".to_owned() },
            ReadError::Io { source, .. } => NoteError::Unreadable { wanted, reason: source.to_string() },
        }
    }

    /// Reads one of the vault's own settings, as Obsidian keeps them.
    pub(crate) fn setting(&self, name: &str) -> Option<String> {
        let settings: serde_json::Value = serde_json::from_slice(&self.reader.read_config("app.json")?).ok()?;
        settings.get(name)?.as_str().map(str::to_owned)
    }

    /// Reads one of the vault's own settings that is switched on or off; one that is not there is off.
    pub(crate) fn flag(&self, name: &str) -> bool {
        let settings: Option<serde_json::Value> =
            self.reader.read_config("app.json").and_then(|bytes| serde_json::from_slice(&bytes).ok());
        settings.as_ref().and_then(|settings| settings.get(name)?.as_bool()).unwrap_or_default()
    }

    /// The ledger is locked only for the look-up at hand; the writer holds it only to add one record.
    pub(crate) fn ledger(&self) -> RwLockReadGuard<'_, Ledger> {
        self.ledger.read().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

/// How the sentence begins that names what could not be read.
pub(crate) const UNREAD: &str = "could not be read:";

/// Says what could not be read, if anything.
pub(crate) fn unread_notice(unread: &[String]) -> Option<HealthNotice> {
    const NAMED: usize = 3;
    let named: Vec<String> = unread.iter().take(NAMED).map(|path| format!("`{path}`")).collect();
    let more = unread.len().saturating_sub(NAMED);
    let rest = if more > 0 { format!(" and {more} more") } else { String::new() };
    (!unread.is_empty()).then(|| HealthNotice {
        message: format!("{UNREAD} {}{rest}", named.join(", ")),
        hint: "links in what cannot be read do not follow a change; look at its rights and its name".to_owned(),
    })
}

/// Lists the proposals that would change the note at `path`.
pub(crate) fn pending_for(ledger: &Ledger, path: &RelPath) -> Vec<PendingMark> {
    ledger
        .open_proposals()
        .filter(|op| op.lead == *path)
        .map(|op| PendingMark {
            operation: op.id.to_string(),
            kind: op.intent.kind().to_owned(),
            client: op.actor.name().to_owned(),
            heading: op.summary.old_heading.clone(),
            new_heading: match &op.intent {
                Intent::RenameSection { new_heading, .. } => Some(new_heading.clone()),
                _ => None,
            },
            line: op.summary.line,
        })
        .collect()
}

pub(crate) fn is_link_repair(ledger: &Ledger, op: vault::OpId, path: &RelPath) -> bool {
    ledger.get(op).is_some_and(|op| op.files.iter().any(|file| file.path == *path && file.link_repair))
}

/// Says when a note that holds this text was last edited itself (milliseconds since 1970, UTC): what only repaired links in
/// it does not count.
pub(crate) fn content_updated(ledger: &Ledger, path: &RelPath, hash: ContentHash, stat: &Stat) -> i64 {
    let updated = millis(stat.mtime_ns);
    let last = ledger.past(path).last();
    let Some(repair) = last.filter(|past| past.after == Some(hash) && is_link_repair(ledger, past.op, path)) else {
        return updated;
    };
    // Repairs that an older version of the program made do not tell.
    repair.own_edit.unwrap_or_else(|| {
        let own = ledger.past(path).iter().rev().find(|past| past.outside || !is_link_repair(ledger, past.op, path));
        own.map_or_else(|| stat.created_ns.map_or(updated, millis), |past| past.at)
    })
}

/// Turns the file system's nanoseconds into milliseconds.
pub(crate) fn millis(ns: i64) -> i64 {
    ns.div_euclid(1_000_000)
}

/// Writes milliseconds since 1970 as RFC 3339 in UTC.
pub(crate) fn rfc3339(ms: i64) -> String {
    jiff::Timestamp::from_millisecond(ms).unwrap_or(jiff::Timestamp::UNIX_EPOCH).to_string()
}
