//! What is on disk: read, scan, watch, and the one call that writes, [`Vault::commit`].
//!
//! Nothing here knows what Markdown is. A vault is a folder of files with hashes; a change is a list of steps from one
//! hash to another; the journal says what was promised, and the hashes say what happened.
//!
//! Any byte that anyone wrote is either in its file or in a blob. Start reading at [`commit`].

// What a change is, as values.
pub mod change;

// What the operating system is asked to do.
pub mod disk;

// Where a vault path really is, and what a step means there.
mod place;

mod item;

// The write path: the order, the doing of it, the way back, and the start after a crash.
pub mod commit;

mod settle;

mod put_back;

mod folders;

mod links;

mod system_trash;

mod recover;

// What is kept outside the vault.
mod journal;

mod lines;

mod blobs;

mod recent;

mod singles;

mod lock;

mod state_dir;

mod scratch;

// How long it is kept.
mod sense;

mod retain;

mod fit;

mod tidy;

mod sweep;

mod packs;

mod packing;

// Reading.
mod scan;

mod watch;

mod ear;

mod error;

pub mod fault;

#[cfg(any(test, feature = "test-support"))]
pub mod folding;

#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::{fmt, io};

use note::ContentHash;
use serde::Serialize;

use blobs::Blobs;
pub use change::{
    Change, Committed, Entry, Interrupted, Kept, NotAnOpId, OpId, PutBack, Settled, SettledOutcome, State, Step,
};
use disk::Kind;
pub use disk::{Disk, RealDisk};
pub use ear::Ear;
pub use error::{CommitError, JournalError, OpenError, ReadError, WatchError};
use journal::Journal;
pub use links::{Leads, LinkMove};
pub use place::BOOKMARKS;
pub use scan::{FileBytes, Found, Reader, Scan, SkipReason, Skipped, Stat, Walked};
pub use scratch::Scratch;
pub use sense::{Meaning, Retention, Sense};
use settle::Displaced;
pub use state_dir::StateDir;
use state_dir::{Closed, Hold, unusable};
pub use system_trash::{Thrown, throw_away};
pub use tidy::Tidied;
use tidy::Tidying;
pub use watch::{Watched, Watcher};

/// The largest file that is read into memory.
pub const MAX_FILE_LEN: u64 = 256 * 1024 * 1024;

/// How long a displaced file is kept beside the new one, so that a late write to it is seen.
pub const SECOND_LOOK_MS: u64 = 2_000;

/// Something about the disk that a person should know, though everything works.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum HealthNotice {
    /// The file system cannot exchange two files in one step.
    NoAtomicSwap,
    /// The system refused to watch some folders.
    WatchLimited {
        /// How many.
        n_folders: usize,
    },
    /// Lines of the journal were damaged; they were set aside.
    JournalDamaged {
        /// How many.
        n_lines: usize,
    },
    /// The journal could not be read at all; it was set aside, and a new one begun.
    JournalSetAside {
        /// The name that it has now.
        name: String,
    },
    /// Somebody removed the state folder while the vault was open.
    StateRemade,
    /// The notes can only be read.
    Closed {
        /// Why, and what to do.
        reason: String,
    },
}

impl fmt::Display for HealthNotice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            HealthNotice::NoAtomicSwap => f.write_str(
                "this disk cannot exchange two files in one step: another program that saves a note in the same instant could be overwritten (its text is then in the history)",
            ),
            HealthNotice::WatchLimited { n_folders } => write!(
                f,
                "the system refused to watch {n_folders} folders: changes made there by other programs are noticed late; raise its limit of watches (fs.inotify.max_user_watches on Linux)",
            ),
            HealthNotice::JournalDamaged { n_lines } => write!(
                f,
                "{n_lines} damaged lines of the journal were set aside in `journal.damaged`: some history may be missing, no note is",
            ),
            HealthNotice::JournalSetAside { name } => write!(
                f,
                "the journal could not be read and was set aside as `{name}`: proposals and history that it tells of are missing, no note is",
            ),
            HealthNotice::StateRemade => f.write_str(
                "the state folder was removed while the vault was open and has been made again: past texts that were in it are gone, no note is",
            ),
            HealthNotice::Closed { reason } => write!(f, "notes can be read but not written: {reason}"),
        }
    }
}

/// The notices of one vault, shared with its watcher.
#[derive(Debug, Clone, Default)]
pub(crate) struct Health(Arc<Mutex<Vec<HealthNotice>>>);

impl Health {
    pub(crate) fn note(&self, notice: HealthNotice) {
        let mut notices = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        notices.retain(|known| std::mem::discriminant(known) != std::mem::discriminant(&notice));
        notices.push(notice);
        notices.sort();
    }

    fn notices(&self) -> Vec<HealthNotice> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// One vault, opened for writing by this process alone. Not `Clone`: the writer owns it.
pub struct Vault {
    reader: Reader,
    state: StateDir,
    disk: Arc<dyn Disk>,
    journal: Journal,
    blobs: Blobs,
    interrupted: Vec<Interrupted>,
    displaced: Vec<Displaced>,
    kept: Vec<Kept>,
    /// A change of this process may have left something in the vault.
    unswept: bool,
    /// An earlier process left something in the vault that could not be removed yet.
    has_litter: bool,
    tidying: Tidying,
    health: Health,
    closed: Closed,
    // Declared last, so that it is let go of last.
    hold: Hold,
}

impl Vault {
    /// Opens a vault: takes its lock, settles what was begun and not done, and removes what we left lying about.
    pub fn open(root: &Path, state: StateDir, disk: Arc<dyn Disk>) -> Result<(Vault, Vec<Settled>), OpenError> {
        let root = open_root(root, &*disk)?;
        let (health, closed) = (Health::default(), Closed::default());
        let hold = Hold::take(&root, &state, &*disk, &closed)?;
        let blobs = Blobs::new(state.blobs(), disk.clone());
        blobs.load();
        let opened = match closed.reason() {
            None => Journal::open(state.journal(), disk.clone(), &health)
                .inspect_err(|error| closed.close(unusable(&state, error))),
            Some(_) => Err(io::ErrorKind::ReadOnlyFilesystem.into()),
        };
        let (journal, replay) = opened.unwrap_or_else(|_| Journal::to_read(state.journal(), disk.clone()));
        if replay.n_damaged > 0 {
            health.note(HealthNotice::JournalDamaged { n_lines: replay.n_damaged });
        }
        if let Some(reason) = closed.reason() {
            health.note(HealthNotice::Closed { reason });
        }
        let mut vault = Vault {
            reader: Reader::new(root, disk.clone(), blobs.clone(), closed.clone()),
            state,
            disk,
            journal,
            blobs,
            interrupted: Vec::new(),
            displaced: Vec::new(),
            kept: Vec::new(),
            unswept: false,
            has_litter: false,
            tidying: Tidying::default(),
            health,
            closed,
            hold,
        };
        let settled = if vault.closed().is_some() { Vec::new() } else { vault.recover(replay) };
        Ok((vault, settled))
    }

    /// Returns a handle that reads, for any thread.
    pub fn reader(&self) -> Reader {
        self.reader.clone()
    }

    /// Appends something of the engine's to the journal and waits until it is durable.
    pub fn record(&mut self, op: OpId, body: serde_json::Value) -> Result<(), JournalError> {
        self.record_all(op, vec![body])
    }

    /// The same for several things, which together take no longer than one.
    pub fn record_all(&mut self, op: OpId, bodies: Vec<serde_json::Value>) -> Result<(), JournalError> {
        self.own_journal()?;
        let at_ms = self.disk.now_ms();
        let mut entries: Vec<Entry> = bodies.into_iter().map(|body| Entry::Recorded { op, at_ms, body }).collect();
        entries.iter().flat_map(Entry::hashes).for_each(|hash| self.blobs.touch(&hash));
        let Some(last) = entries.pop() else { return Ok(()) };
        entries.iter().for_each(|entry| self.journal.note(entry));
        let recorded = self.journal.promise(&last);
        self.tidying.refused |= recorded.is_err();
        recorded
    }

    /// Returns the whole journal, oldest first.
    pub fn entries(&self) -> Result<Vec<Entry>, JournalError> {
        self.journal.entries()
    }

    /// Stores a text by its hash, as the version that was seen on disk.
    pub fn keep(&mut self, bytes: &[u8]) -> Result<ContentHash, JournalError> {
        self.own_journal()?;
        let hash = ContentHash::of(bytes);
        self.blobs.put(&[(hash, bytes)]).map_err(|source| JournalError::from_io(source, "blobs"))?;
        Ok(hash)
    }

    fn own_journal(&mut self) -> Result<(), JournalError> {
        self.own().map_err(|reason| JournalError::Closed { reason })
    }

    /// Returns the operations that wait for a person.
    pub fn interrupted(&self) -> Vec<Interrupted> {
        self.interrupted.clone()
    }

    /// Returns what a person should know about the disk.
    pub fn health(&self) -> Vec<HealthNotice> {
        self.health.notices()
    }

    /// Calls `on` whenever something in the vault may have changed, until the watcher is dropped.
    pub fn watch(&self, on: Box<dyn Fn(Watched) + Send>) -> Result<Watcher, WatchError> {
        watch::watch(self.reader.clone(), self.health.clone(), on)
    }
}

impl fmt::Debug for Vault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Vault")
            .field("root", &self.reader.root())
            .field("interrupted", &self.interrupted)
            .finish_non_exhaustive()
    }
}

impl Drop for Vault {
    /// Looks at what was displaced a last time, so that nothing of ours stays in the vault.
    fn drop(&mut self) {
        self.close();
    }
}

fn open_root(root: &Path, disk: &dyn Disk) -> Result<PathBuf, OpenError> {
    let refuse = |source: io::Error| match source.kind() {
        io::ErrorKind::NotFound => OpenError::Missing { path: root.to_owned() },
        _ => OpenError::Unreadable { path: root.to_owned(), source },
    };
    let real = disk.canonical(root).map_err(refuse)?;
    if disk.stat(&real).map_err(refuse)?.kind != Kind::Folder {
        return Err(OpenError::NotAFolder { path: root.to_owned() });
    }
    disk.list(&real).map_err(refuse)?;
    Ok(real)
}
