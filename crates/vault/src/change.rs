//! What a commit is asked to do, and what comes back: values only.

use std::fmt;
use std::str::FromStr;
use std::sync::{Mutex, PoisonError};

use note::{ContentHash, RelPath};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use ulid::Ulid;

/// Names one operation from its proposal to its history.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct OpId(pub Ulid);

impl OpId {
    /// Draws a new id; ids that a process draws later sort later.
    pub fn generate() -> OpId {
        static LAST: Mutex<Ulid> = Mutex::new(Ulid::nil());
        let mut last = LAST.lock().unwrap_or_else(PoisonError::into_inner);
        let drawn = Ulid::generate();
        // In one millisecond, or when the clock was set back, the order is kept by counting on.
        *last = if drawn > *last { drawn } else { last.increment().unwrap_or(drawn) };
        OpId(*last)
    }

    /// Builds an id from a time and randomness that the caller holds.
    pub fn from_parts(at_ms: u64, random: u128) -> OpId {
        OpId(Ulid::from_parts(at_ms, random))
    }

    /// Returns the time at which the id was drawn.
    pub fn at_ms(&self) -> u64 {
        self.0.timestamp_ms()
    }
}

impl fmt::Display for OpId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl fmt::Debug for OpId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "OpId({})", self.0)
    }
}

/// Says that a text is not an operation id.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("not an operation id: `{0}`")]
pub struct NotAnOpId(pub String);

impl FromStr for OpId {
    type Err = NotAnOpId;

    fn from_str(text: &str) -> Result<OpId, NotAnOpId> {
        Ulid::from_string(text).map(OpId).map_err(|_| NotAnOpId(text.to_owned()))
    }
}

impl Serialize for OpId {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for OpId {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<OpId, D::Error> {
        String::deserialize(from)?.parse().map_err(de::Error::custom)
    }
}

/// What is, or should be, at a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// No file.
    Absent,
    /// A file with exactly these bytes.
    Is(ContentHash),
}

impl State {
    /// Returns the hash, if there is a file.
    pub fn hash(&self) -> Option<ContentHash> {
        match self {
            State::Absent => None,
            State::Is(hash) => Some(*hash),
        }
    }
}

impl fmt::Display for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            State::Absent => f.write_str("absent"),
            State::Is(hash) => hash.fmt(f),
        }
    }
}

/// One file's part in a change. Creating, editing, moving and deleting are all pairs of states.
///
/// A step whose two states are equal writes nothing; it only guards what the change relies on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Step {
    /// Where.
    pub path: RelPath,
    /// What must be there for the change to begin.
    pub before: State,
    /// What is there when the change is done.
    pub after: State,
}

/// Everything one commit does: all of its steps or none.
#[derive(Debug, Clone)]
pub struct Change {
    /// The operation that this change carries out.
    pub op: OpId,
    /// The files, in the order in which they are swapped.
    pub steps: Vec<Step>,
    /// The bytes for every `after` that is not kept as a blob already.
    pub contents: Vec<Vec<u8>>,
    /// What the engine wants to read back from the journal; opaque here.
    pub label: serde_json::Value,
}

/// A change that is on disk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Committed {
    /// The operation.
    pub op: OpId,
    /// The paths that it wrote, moved or removed.
    pub paths: Vec<RelPath>,
}

/// What became of an operation that was begun and not known to be done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settled {
    /// The operation.
    pub op: OpId,
    /// How it ended.
    pub outcome: SettledOutcome,
}

/// How an unfinished operation ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SettledOutcome {
    /// Every file is at its `after`.
    Done,
    /// Every file is at its `before`.
    Undone,
    /// These files are at neither; a person has to say what is right.
    Interrupted {
        /// The files that refuse other changes until then.
        files: Vec<RelPath>,
    },
}

/// An operation that waits for a person, with the whole of what it wanted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Interrupted {
    /// The operation.
    pub op: OpId,
    /// Every step of it.
    pub steps: Vec<Step>,
    /// The files that were at neither state when last looked at.
    pub files: Vec<RelPath>,
}

/// What [`crate::Vault::undo`] could put back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PutBack {
    /// Files that hold their `before` again.
    pub restored: Vec<RelPath>,
    /// Files that somebody else wrote since; they stay as they are.
    pub left: Vec<RelPath>,
}

/// A text that was found where it would have been lost, and is now a blob.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Kept {
    /// The operation in whose course it was found.
    pub op: OpId,
    /// The note that the text belonged to.
    pub path: RelPath,
    /// The text, by name.
    pub hash: ContentHash,
}

/// One line of the journal.
#[derive(Debug, Clone, PartialEq)]
pub enum Entry {
    /// Something that the engine recorded.
    Recorded {
        /// The operation it is about.
        op: OpId,
        /// When.
        at_ms: u64,
        /// What; opaque here.
        body: serde_json::Value,
    },
    /// A change was promised.
    Begun {
        /// The operation.
        op: OpId,
        /// When.
        at_ms: u64,
        /// The steps that write something.
        steps: Vec<Step>,
        /// What the engine said about it.
        label: serde_json::Value,
        /// It is old, or its steps are what is left of several: a version to read, no longer a change to take back.
        folded: bool,
    },
    /// The change is on disk.
    Done {
        /// The operation.
        op: OpId,
        /// When.
        at_ms: u64,
    },
    /// The change was taken back, or failed before it did anything: every file that we could is at its `before`.
    Undone {
        /// The operation.
        op: OpId,
        /// When.
        at_ms: u64,
    },
    /// The change stopped half-way because of these files.
    Interrupted {
        /// The operation.
        op: OpId,
        /// When.
        at_ms: u64,
        /// The files at neither state.
        files: Vec<RelPath>,
    },
    /// A person left an interrupted change as it was.
    Released {
        /// The operation.
        op: OpId,
        /// When.
        at_ms: u64,
    },
    /// Another program's text was saved from being lost.
    Kept {
        /// When.
        at_ms: u64,
        /// What and where.
        kept: Kept,
    },
    /// What is left of what the engine recorded about the texts of another program.
    Version {
        /// The operation that named the last of them.
        op: OpId,
        /// When.
        at_ms: u64,
        /// Where.
        path: RelPath,
        /// What was there before the first of them.
        before: State,
        /// What the last of them left.
        after: State,
    },
}

impl Entry {
    /// Returns the operation that it is about.
    pub fn op(&self) -> OpId {
        match self {
            Entry::Recorded { op, .. }
            | Entry::Begun { op, .. }
            | Entry::Done { op, .. }
            | Entry::Undone { op, .. }
            | Entry::Interrupted { op, .. }
            | Entry::Released { op, .. }
            | Entry::Version { op, .. } => *op,
            Entry::Kept { kept, .. } => kept.op,
        }
    }

    /// Returns when it was written.
    pub fn at_ms(&self) -> u64 {
        match self {
            Entry::Recorded { at_ms, .. }
            | Entry::Begun { at_ms, .. }
            | Entry::Done { at_ms, .. }
            | Entry::Undone { at_ms, .. }
            | Entry::Interrupted { at_ms, .. }
            | Entry::Released { at_ms, .. }
            | Entry::Kept { at_ms, .. }
            | Entry::Version { at_ms, .. } => *at_ms,
        }
    }

    /// Returns every text that it names, in the engine's words too; only the label of a change repeats its steps.
    pub fn hashes(&self) -> Vec<ContentHash> {
        match self {
            Entry::Begun { steps, .. } => {
                steps.iter().flat_map(|step| [step.before.hash(), step.after.hash()]).flatten().collect()
            }
            Entry::Version { before, after, .. } => [before.hash(), after.hash()].into_iter().flatten().collect(),
            Entry::Kept { kept, .. } => vec![kept.hash],
            Entry::Recorded { body, .. } => {
                let mut found = Vec::new();
                find_hashes(body, &mut found);
                found
            }
            Entry::Done { .. } | Entry::Undone { .. } | Entry::Interrupted { .. } | Entry::Released { .. } => {
                Vec::new()
            }
        }
    }
}

/// Finds everything that reads as a hash: better to keep one text too many.
pub(crate) fn find_hashes(value: &serde_json::Value, found: &mut Vec<ContentHash>) {
    match value {
        serde_json::Value::String(text) => found.extend(text.parse::<ContentHash>().ok()),
        serde_json::Value::Array(values) => values.iter().for_each(|value| find_hashes(value, found)),
        serde_json::Value::Object(fields) => fields.values().for_each(|value| find_hashes(value, found)),
        serde_json::Value::Null | serde_json::Value::Bool(_) | serde_json::Value::Number(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_sort_as_they_were_drawn() {
        let drawn: Vec<OpId> = std::iter::repeat_with(OpId::generate).take(5000).collect();
        assert!(drawn.is_sorted_by(|a, b| a < b));
    }
}
