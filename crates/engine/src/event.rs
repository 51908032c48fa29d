//! What the doors are told.

use serde::{Deserialize, Serialize};

/// A fact about the vault. Doors ask again for what they show; an event carries no text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub enum Event {
    /// Notes or other files appeared, changed or vanished.
    NotesChanged { changed: Vec<NoteChange>, generation: u32 },
    /// An operation was proposed or moved on.
    OperationChanged { id: String, state: crate::OpState },
    /// The index is being built or brought up to date; `done == total` is the end.
    Indexing { done: u32, total: u32 },
    /// Something a person should know about this vault.
    Health { notices: Vec<HealthNotice> },
    /// What the vault's own settings say of its looks and keys was written by another program.
    LookChanged,
    /// An agent is about to read a note whose text has not been saved yet: save it now.
    FlushWanted { path: String },
}

/// One changed path.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct NoteChange {
    pub path: String,
    pub before: Option<String>,
    pub after: Option<String>,
    /// Who wrote it: another program, a person here, or an agent's approved proposal.
    pub origin: Origin,
}

/// Whence a change came.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub enum Origin {
    Outside,
    Person,
    Agent,
}

/// Something about the vault that works less well than it should.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct HealthNotice {
    pub message: String,
    pub hint: String,
}
