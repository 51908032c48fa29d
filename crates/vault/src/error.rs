//! What can go wrong, named after the operation that it goes wrong in.

use std::io;
use std::path::PathBuf;

use note::RelPath;

use crate::change::{OpId, State};

/// Says why a vault was not opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// There is no such folder.
    #[error("no such folder: `{}`", path.display())]
    Missing {
        /// The folder.
        path: PathBuf,
    },
    /// It is a file.
    #[error("not a folder: `{}`", path.display())]
    NotAFolder {
        /// The file.
        path: PathBuf,
    },
    /// The system does not let us in.
    #[error("cannot read the folder `{}`: {source}", path.display())]
    Unreadable {
        /// The folder.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// Another process writes to this vault.
    #[error("the vault is open in another process{}", pid.map(|pid| format!(": {pid}")).unwrap_or_default())]
    Locked {
        /// That process, if it could be told.
        pid: Option<u32>,
    },
    /// Our own folder is not usable.
    #[error("cannot use the state folder `{}`: {reason}", path.display())]
    State {
        /// The folder or a file in it.
        path: PathBuf,
        /// Why.
        reason: String,
    },
}

impl OpenError {
    /// Says that not even a temporary folder could be made.
    pub fn from_scratch(source: io::Error) -> OpenError {
        OpenError::State { path: std::env::temp_dir(), reason: source.to_string() }
    }

    /// Returns what to do next.
    pub fn hint(&self) -> &'static str {
        match self {
            OpenError::Missing { .. } => "check the path, or whether its disk is connected",
            OpenError::NotAFolder { .. } => "name the folder that holds the notes",
            OpenError::Unreadable { .. } => "give yourself permission to read the folder",
            OpenError::Locked { .. } => "use the window that has it open, or close that process",
            OpenError::State { .. } => "free or repair this folder; the notes themselves are untouched",
        }
    }
}

/// Says why a change was not made. Unless it is `Interrupted`, every file is as it was.
#[derive(Debug, thiserror::Error)]
pub enum CommitError {
    /// A file is not what the change was made for.
    #[error("note changed since it was read: `{path}`")]
    Stale {
        /// The file.
        path: RelPath,
        /// What should have been there.
        expected: State,
        /// What is there.
        found: State,
    },
    /// The file, its folder or the whole vault cannot be written.
    #[error("cannot write `{path}`: {reason}")]
    ReadOnly {
        /// The file.
        path: RelPath,
        /// Why.
        reason: String,
    },
    /// The path leaves the vault, or leads into a hidden folder.
    #[error("path is outside of the notes: `{path}`")]
    Outside {
        /// The path.
        path: RelPath,
    },
    /// The disk is full.
    #[error("no space left on the disk for `{path}`")]
    NoSpace {
        /// What was being written.
        path: String,
    },
    /// An operation was stopped half-way and a person has to say what is right.
    #[error("an interrupted operation ({op}) holds {}", listed(files))]
    Interrupted {
        /// That operation; it may be this one.
        op: OpId,
        /// The files that are at neither state.
        files: Vec<RelPath>,
    },
    /// The change contradicts itself.
    #[error("not a change that can be made: {reason}: `{path}`")]
    Invalid {
        /// The file.
        path: RelPath,
        /// Why.
        reason: String,
    },
    /// The disk failed.
    #[error("cannot write `{path}`: {source}")]
    Io {
        /// What was being written.
        path: String,
        /// What the system said.
        source: io::Error,
    },
}

fn listed(files: &[RelPath]) -> String {
    let names: Vec<String> = files.iter().map(|file| format!("`{file}`")).collect();
    names.join(", ")
}

impl CommitError {
    /// Sorts what the system said about a note into what a caller does about it.
    pub(crate) fn from_io(path: &RelPath, source: io::Error) -> CommitError {
        use io::ErrorKind::{IsADirectory, PermissionDenied, QuotaExceeded, ReadOnlyFilesystem, StorageFull};
        match source.kind() {
            StorageFull | QuotaExceeded => CommitError::NoSpace { path: path.to_string() },
            PermissionDenied | ReadOnlyFilesystem | IsADirectory => {
                CommitError::ReadOnly { path: path.clone(), reason: source.to_string() }
            }
            _ => CommitError::Io { path: path.to_string(), source },
        }
    }
}

/// Says why something could not be recorded or read back.
#[derive(Debug, thiserror::Error)]
pub enum JournalError {
    /// The disk is full.
    #[error("no space left on the disk for the {what}")]
    NoSpace {
        /// `journal` or `blobs`.
        what: &'static str,
    },
    /// The disk failed.
    #[error("cannot use the {what}: {source}")]
    Io {
        /// `journal` or `blobs`.
        what: &'static str,
        /// What the system said.
        source: io::Error,
    },
    /// The vault can only be read.
    #[error("nothing can be recorded: {reason}")]
    Closed {
        /// Why, and what to do.
        reason: String,
    },
}

impl JournalError {
    pub(crate) fn from_io(source: io::Error, what: &'static str) -> JournalError {
        match source.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => JournalError::NoSpace { what },
            _ => JournalError::Io { what, source },
        }
    }
}

impl From<JournalError> for CommitError {
    fn from(error: JournalError) -> CommitError {
        match error {
            JournalError::NoSpace { what } => CommitError::NoSpace { path: what.to_owned() },
            JournalError::Io { what, source } => CommitError::Io { path: what.to_owned(), source },
            JournalError::Closed { reason } => {
                CommitError::Io { path: "journal".to_owned(), source: io::Error::other(reason) }
            }
        }
    }
}

/// Says why a file was not read.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// There is no such file.
    #[error("no such note: `{path}`")]
    Missing {
        /// The path.
        path: RelPath,
    },
    /// The path leaves the vault by a link.
    #[error("path is outside of the vault: `{path}`")]
    Outside {
        /// The path.
        path: RelPath,
    },
    /// The path leads into a hidden folder or names a hidden file.
    #[error("path is hidden: `{path}`")]
    Hidden {
        /// The path.
        path: RelPath,
    },
    /// It is a folder, or nothing that holds bytes.
    #[error("not a file: `{path}`")]
    NotAFile {
        /// The path.
        path: RelPath,
    },
    /// A sync service has the file, but not here yet.
    #[error("not downloaded yet: `{path}`")]
    NotDownloaded {
        /// The path.
        path: RelPath,
    },
    /// The system does not let us read it.
    #[error("no permission to read `{path}`")]
    Denied {
        /// The path.
        path: RelPath,
    },
    /// It is larger than any note.
    #[error("too large to read: `{path}` ({len} bytes)")]
    TooLarge {
        /// The path.
        path: RelPath,
        /// Its length.
        len: u64,
    },
    /// The disk failed.
    #[error("cannot read `{path}`: {source}")]
    Io {
        /// The path, or the name of a blob.
        path: String,
        /// What the system said.
        source: io::Error,
    },
}

/// Says why changes cannot be watched at all.
#[derive(Debug, thiserror::Error)]
#[error("cannot watch the vault for changes: {reason}")]
pub struct WatchError {
    /// What the system said.
    pub reason: String,
}
