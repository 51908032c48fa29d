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

mod recover;

// What is kept outside the vault.
mod journal;

mod lines;

mod blobs;

mod lock;

// How long it is kept.
mod sense;

mod retain;

mod fit;

mod tidy;

mod sweep;

// Reading.
mod scan;

mod watch;

mod error;

pub mod fault;

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
use disk::{Audience, Kind};
pub use disk::{Disk, RealDisk};
pub use error::{CommitError, JournalError, OpenError, ReadError, WatchError};
use journal::Journal;
use lock::Lock;
pub use place::BOOKMARKS;
pub use scan::{FileBytes, Found, Reader, Scan, SkipReason, Skipped, Stat, Walked};
pub use sense::{Meaning, Retention, Sense};
use settle::Displaced;
pub use tidy::Tidied;
use tidy::Tidying;
pub use watch::{Watched, Watcher};

/// The largest file that is read into memory.
pub const MAX_FILE_LEN: u64 = 256 * 1024 * 1024;

/// How long a displaced file is kept beside the new one, so that a late write to it is seen.
pub const SECOND_LOOK_MS: u64 = 2_000;

/// The folder that holds one vault's journal, blobs and lock. It is never inside the vault.
#[derive(Debug, Clone)]
pub struct StateDir(PathBuf);

impl StateDir {
    /// Names the folder; it is created when the vault is opened.
    pub fn new(path: impl Into<PathBuf>) -> StateDir {
        StateDir(path.into())
    }

    /// Returns the folder.
    pub fn path(&self) -> &Path {
        &self.0
    }

    fn journal(&self) -> PathBuf {
        self.0.join("journal.jsonl")
    }

    fn blobs(&self) -> PathBuf {
        self.0.join("blobs")
    }

    fn lock(&self) -> PathBuf {
        self.0.join("lock")
    }
}

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
    // Declared last, so that it is let go of last.
    _lock: Lock,
}

impl Vault {
    /// Opens a vault: takes its lock, settles what was begun and not done, and removes what we left lying about.
    pub fn open(root: &Path, state: StateDir, disk: Arc<dyn Disk>) -> Result<(Vault, Vec<Settled>), OpenError> {
        let root = open_root(root, &*disk)?;
        let lock = prepare_state(&root, &state, &*disk)?;
        let health = Health::default();
        let blobs = Blobs::new(state.blobs(), disk.clone());
        let (journal, replay) = Journal::open(state.journal(), disk.clone())
            .map_err(|source| OpenError::State { path: state.journal(), reason: source.to_string() })?;
        if replay.n_damaged > 0 {
            health.note(HealthNotice::JournalDamaged { n_lines: replay.n_damaged });
        }
        let mut vault = Vault {
            reader: Reader::new(root, disk.clone(), blobs.clone()),
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
            _lock: lock,
        };
        let settled = vault.recover(replay);
        Ok((vault, settled))
    }

    /// Returns a handle that reads, for any thread.
    pub fn reader(&self) -> Reader {
        self.reader.clone()
    }

    /// Appends something of the engine's to the journal and waits until it is durable.
    pub fn record(&mut self, op: OpId, body: serde_json::Value) -> Result<(), JournalError> {
        let at_ms = self.disk.now_ms();
        let entry = Entry::Recorded { op, at_ms, body };
        entry.hashes().iter().for_each(|hash| self.blobs.touch(hash));
        let recorded = self.journal.promise(&entry);
        self.tidying.refused |= recorded.is_err();
        recorded
    }

    /// Returns the whole journal, oldest first.
    pub fn entries(&self) -> Result<Vec<Entry>, JournalError> {
        self.journal.entries()
    }

    /// Stores a text by its hash, as the version that was seen on disk.
    pub fn keep(&mut self, bytes: &[u8]) -> Result<ContentHash, JournalError> {
        let hash = ContentHash::of(bytes);
        self.blobs.put(&[(hash, bytes)]).map_err(|source| JournalError::from_io(source, "blobs"))?;
        Ok(hash)
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

fn prepare_state(root: &Path, state: &StateDir, disk: &dyn Disk) -> Result<Lock, OpenError> {
    let refuse =
        |path: &Path, source: io::Error| OpenError::State { path: path.to_owned(), reason: source.to_string() };
    // Asked of the nearest folder that is there, before any is made: else the refusal would leave some in the vault.
    let there = state.path().ancestors().find_map(|dir| disk.canonical(dir).ok());
    if there.is_some_and(|dir| dir.starts_with(root)) {
        return Err(OpenError::State {
            path: state.path().to_owned(),
            reason: "the state folder must not be inside the vault".to_owned(),
        });
    }
    create_private(disk, state.path()).map_err(|source| refuse(state.path(), source))?;
    let lock = Lock::take(&state.lock())?;
    create_private(disk, &state.blobs()).map_err(|source| refuse(&state.blobs(), source))?;
    Ok(lock)
}

/// Creates a folder and those above it that are missing, for the person only.
fn create_private(disk: &dyn Disk, dir: &Path) -> io::Result<()> {
    match disk.stat(dir) {
        Ok(meta) if meta.kind == Kind::Folder || meta.kind == Kind::Link => return Ok(()),
        Ok(_) => return Err(io::ErrorKind::NotADirectory.into()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => return Err(error),
    }
    if let Some(parent) = dir.parent() {
        create_private(disk, parent)?;
    }
    match disk.create_dir(dir, Audience::Private) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(error),
        _ => dir.parent().map_or(Ok(()), |parent| disk.sync_dirs(&[parent])),
    }
}
