//! What the journal's entries mean for how long they are kept, and the rules of keeping.

use std::collections::HashMap;

use note::{ContentHash, RelPath};

use crate::change::{Entry, OpId, State};
use crate::retain::Past;

const MINUTE_MS: u64 = 60 * 1000;
const DAY_MS: u64 = 24 * 60 * MINUTE_MS;

/// How long the history goes back, and how much it may take.
///
/// Whatever the rules, these stay: the newest version of every file, the text that a file had before its first change,
/// the last text of what was deleted, and all that an operation needs which waits, or which can still be taken back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Retention {
    /// A person's saves of one note within this time of the first are one version.
    pub fold_ms: u64,
    /// Versions younger than this are all kept, and operations can be taken back.
    pub whole_ms: u64,
    /// Older ones are kept one for each day, and past this age one for each week.
    pub daily_ms: u64,
    /// What all kept texts may take on the disk; beyond it, the oldest versions go first.
    pub max_bytes: u64,
    /// Versions younger than this are not given up for want of space either.
    pub spared_ms: u64,
}

impl Default for Retention {
    fn default() -> Retention {
        Retention {
            fold_ms: 5 * MINUTE_MS,
            whole_ms: 30 * DAY_MS,
            daily_ms: 365 * DAY_MS,
            max_bytes: 1024 * 1024 * 1024,
            spared_ms: DAY_MS,
        }
    }
}

/// What the engine's own words in an entry say about how long it is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Sense {
    /// It goes with its operation.
    Part,
    /// It saved what a person typed.
    Typing,
    /// A text that another program wrote.
    Version {
        /// Where.
        path: RelPath,
        /// What was known to be there.
        before: State,
        /// What was found.
        after: State,
    },
    /// The operation waits for a person from here on.
    Opens,
    /// The operation waits no more.
    Closes,
    /// It holds until a later entry has the same subject, and is part of its operation's past from then on.
    Standing {
        /// What it is about.
        subject: String,
    },
    /// A newer version of the engine wrote it: it is kept, and all that it names.
    Unknown,
}

/// What the engine knows and the journal does not say.
pub trait Meaning {
    /// Says what an entry means. It is asked about those that hold the engine's words: `Recorded` and `Begun`.
    fn sense(&self, entry: &Entry) -> Sense;
    /// Returns the hashes of all files as they are now known: what a person sees is kept.
    fn current(&self) -> Vec<ContentHash>;
}

/// What becomes of the entries of an operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fate {
    /// It waits, is not at its end, or is not understood: its entries stay as they are.
    Held,
    /// It was carried out: its steps are versions.
    Done {
        /// The entry that says which steps.
        begun: usize,
        done_ms: u64,
    },
    /// Nothing of it stands.
    Over {
        /// It is young enough to be told about.
        stays: bool,
    },
}

/// What the entries say of one operation.
#[derive(Default)]
struct Life {
    opened: bool,
    closed: bool,
    unknown: bool,
    begun: Option<usize>,
    n_begun: usize,
    interrupted: bool,
    ended: Option<End>,
    last_ms: u64,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum End {
    Done,
    TakenBack,
}

/// Says of every operation what becomes of it; `old_ms` is the time before which it is old.
pub(crate) fn fates(past: &Past<'_>, old_ms: u64) -> HashMap<OpId, Fate> {
    let mut lives: HashMap<OpId, Life> = HashMap::new();
    for (at, (entry, sense)) in past.entries.iter().zip(past.senses).enumerate() {
        let life = lives.entry(entry.op()).or_default();
        life.last_ms = life.last_ms.max(entry.at_ms());
        match sense {
            Sense::Opens => life.opened = true,
            Sense::Closes => life.closed = true,
            Sense::Unknown => life.unknown = true,
            Sense::Part | Sense::Typing | Sense::Version { .. } | Sense::Standing { .. } => {}
        }
        match entry {
            Entry::Begun { .. } => {
                life.begun = Some(at);
                life.n_begun += 1;
                life.ended = None;
            }
            Entry::Done { .. } => life.ended = Some(End::Done),
            Entry::Undone { .. } | Entry::Released { .. } => life.ended = Some(End::TakenBack),
            Entry::Interrupted { .. } => life.interrupted = true,
            Entry::Recorded { .. } | Entry::Kept { .. } | Entry::Version { .. } => {}
        }
    }
    let fate = |op: OpId, life: &Life| {
        let is_old = life.last_ms < old_ms;
        // A proposal whose commit failed waits for a person again; one that was taken back does not.
        let waits = life.opened && !life.closed;
        match (life.begun, life.ended) {
            _ if life.unknown || past.unfinished.contains(&op) => Fate::Held,
            (None, _) if waits => Fate::Held,
            (Some(_), Some(End::TakenBack)) if waits && !life.interrupted => Fate::Held,
            (Some(_), Some(End::TakenBack)) | (None, _) => Fate::Over { stays: !is_old },
            // What was begun twice is told in full while it is young.
            (Some(_), _) if (life.n_begun > 1 || life.interrupted) && !is_old => Fate::Held,
            // It was followed by others, so it had ended, even if the line that said so is lost.
            (Some(begun), _) => Fate::Done { begun, done_ms: life.last_ms },
        }
    };
    lives.into_iter().map(|(op, life)| (op, fate(op, &life))).collect()
}
