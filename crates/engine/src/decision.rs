//! How a person decides, and what can come of a write.

use crate::{OpState, PlanDigest, PlanError};
use note::RelPath;
use serde::{Deserialize, Serialize};
use thiserror::Error;
use vault::CommitError;

/// A person's word on a proposal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Decision {
    /// Yes, to exactly the effect whose digest was shown.
    Approve { seen: PlanDigest },
    /// No, with an optional word to the agent.
    Decline { comment: Option<String> },
}

/// Why a decision did not go through.
#[derive(Debug, Error)]
pub enum DecideError {
    #[error("the operation is not known")]
    Unknown,
    #[error("the operation was already decided: {state:?}")]
    NotOpen { state: OpState },
    /// The notes changed since the person looked; nothing was written. Show the new review and ask again.
    #[error("the notes changed since this was shown; look at the new diff and decide again")]
    Changed,
    #[error("it cannot be done any more: {0}")]
    Blocked(PlanError),
    #[error(transparent)]
    Write(#[from] WriteError),
    #[error("the vault is closed; open it again")]
    Closed,
}

/// Why a proposal could not be changed before its approval.
#[derive(Debug, Error)]
pub enum AmendError {
    #[error("only the new heading of a rename can be changed")]
    NotARename,
    #[error(transparent)]
    Decide(#[from] DecideError),
}

/// Why nothing was written.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum WriteError {
    /// Another program wrote the file in between; its text stays.
    #[error("note changed since it was read: `{path}`")]
    Stale { path: RelPath },
    #[error("`{path}` cannot be written: {reason}")]
    ReadOnly { path: RelPath, reason: String },
    #[error("no space left on the disk")]
    NoSpace,
    /// Some files were written and another program stands in the way; a person finishes or undoes it.
    #[error("the operation stopped half-way at {}", .files.iter().map(|f| format!("`{f}`")).collect::<Vec<_>>().join(", "))]
    Interrupted { files: Vec<RelPath> },
    /// An older operation stopped half-way at these files, and waits for a person to finish or undo it.
    #[error("an interrupted operation holds {}", .files.iter().map(|f| format!("`{f}`")).collect::<Vec<_>>().join(", "))]
    Held { files: Vec<RelPath> },
    #[error("`{path}` could not be written: {reason}")]
    Failed { path: String, reason: String },
}

impl From<CommitError> for WriteError {
    fn from(error: CommitError) -> Self {
        match error {
            CommitError::Stale { path, .. } => WriteError::Stale { path },
            CommitError::ReadOnly { path, reason } => WriteError::ReadOnly { path, reason },
            CommitError::NoSpace { .. } => WriteError::NoSpace,
            CommitError::Interrupted { files, .. } => WriteError::Interrupted { files },
            CommitError::Outside { path } => {
                WriteError::ReadOnly { path, reason: "it is outside of the notes".to_owned() }
            }
            CommitError::Invalid { path, reason } => WriteError::Failed { path: path.to_string(), reason },
            CommitError::Io { path, source } => WriteError::Failed { path, reason: source.to_string() },
        }
    }
}

/// What became of a save.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub enum Saved {
    /// The text is on disk under this hash.
    Saved { hash: String, changed: bool },
    /// Another program wrote the note meanwhile: merge with this text (line feeds only) and save again on this hash.
    Stale { hash: String, text: String },
}

/// Why a save failed; the text stays with the caller.
#[derive(Debug, Error)]
pub enum SaveError {
    /// The note was deleted or moved away; it can be created anew.
    #[error("the note is no longer there: `{path}`")]
    Gone { path: RelPath },
    #[error(transparent)]
    Plan(#[from] PlanError),
    #[error(transparent)]
    Write(#[from] WriteError),
    #[error("the vault is closed; open it again")]
    Closed,
}
