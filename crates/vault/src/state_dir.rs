//! The state folder: made, held by one process, and put in order again when somebody took it away.
//!
//! Nothing that lies in it may stop a person from writing. What is in the way of a file of ours is set aside under
//! another name. Only a folder that cannot be written at all means that the vault can only be read.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use crate::disk::{Audience, Disk, Kind};
use crate::error::OpenError;
use crate::lock::{Lock, lock_folder};
use crate::{HealthNotice, Vault};

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

    pub(crate) fn journal(&self) -> PathBuf {
        self.0.join("journal.jsonl")
    }

    pub(crate) fn blobs(&self) -> PathBuf {
        self.0.join("blobs")
    }

    pub(crate) fn lock(&self) -> PathBuf {
        self.0.join("lock")
    }
}

/// Why nothing can be written, if so; shared with every reader.
#[derive(Debug, Clone, Default)]
pub(crate) struct Closed(Arc<Mutex<Option<String>>>);

impl Closed {
    pub(crate) fn reason(&self) -> Option<String> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(crate) fn close(&self, reason: String) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(reason);
    }
}

/// What makes this process the only one that writes: the locks on the vault's folder and in the state folder.
#[derive(Debug)]
pub(crate) struct Hold {
    lock: Option<Lock>,
    _folder: Option<File>,
}

impl Hold {
    /// Takes the vault and makes the state folder. If that cannot be, the vault is closed to writing, unless it is held.
    pub(crate) fn take(root: &Path, state: &StateDir, disk: &dyn Disk, closed: &Closed) -> Result<Hold, OpenError> {
        // Asked of the nearest folder that is there, before any is made: else the refusal would leave some in the vault.
        let there = state.path().ancestors().find_map(|dir| disk.canonical(dir).ok());
        if there.is_some_and(|dir| dir.starts_with(root)) {
            return Err(OpenError::State {
                path: state.path().to_owned(),
                reason: "the state folder must not be inside the vault".to_owned(),
            });
        }
        let Ok(folder) = lock_folder(disk, root) else {
            return Err(OpenError::Locked { pid: Lock::owner(disk, &state.lock()) });
        };
        let lock = match prepare(state, disk) {
            Ok(lock) => Some(lock),
            Err(Unfit::Locked { pid }) => return Err(OpenError::Locked { pid }),
            Err(Unfit::Unusable(source)) if source.kind() == io::ErrorKind::NotADirectory => {
                return Err(OpenError::State { path: state.path().to_owned(), reason: source.to_string() });
            }
            Err(Unfit::Unusable(source)) => {
                closed.close(unusable(state, &source));
                None
            }
        };
        Ok(Hold { lock, _folder: folder })
    }
}

/// Why the state folder cannot be ours.
enum Unfit {
    Locked { pid: Option<u32> },
    Unusable(io::Error),
}

impl From<io::Error> for Unfit {
    fn from(source: io::Error) -> Unfit {
        Unfit::Unusable(source)
    }
}

fn prepare(state: &StateDir, disk: &dyn Disk) -> Result<Lock, Unfit> {
    create_private(disk, state.path())?;
    if disk.stat(&state.lock()).is_ok_and(|meta| matches!(meta.kind, Kind::Folder | Kind::Other)) {
        set_aside(disk, &state.lock())?;
    }
    let lock = Lock::take(disk, &state.lock())?.map_err(|pid| Unfit::Locked { pid })?;
    if disk.stat(&state.blobs()).is_ok() && !leads_to_folder(disk, &state.blobs()) {
        set_aside(disk, &state.blobs())?;
    }
    create_private(disk, &state.blobs())?;
    match disk.refusal(&state.blobs()) {
        Some(reason) => Err(io::Error::new(io::ErrorKind::PermissionDenied, reason).into()),
        None => Ok(lock),
    }
}

/// Says what cannot be used and what to do about it.
pub(crate) fn unusable(state: &StateDir, source: &io::Error) -> String {
    format!(
        "the state folder `{}` cannot be used ({source}); make it writable, then open the vault again",
        state.path().display()
    )
}

/// Gives what is in the way of a file of ours another name beside it, and returns that.
pub(crate) fn set_aside(disk: &dyn Disk, path: &Path) -> io::Result<PathBuf> {
    const MOST: usize = 100;
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    for n in 1..=MOST {
        let suffix = if n == 1 { String::new() } else { format!(".{n}") };
        let aside = path.with_file_name(format!("{name}.aside{suffix}"));
        match disk.rename_new(path, &aside) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            renamed => return renamed.map(|()| aside),
        }
    }
    Err(io::ErrorKind::AlreadyExists.into())
}

/// Says whether a path is a folder, or a link to one.
pub(crate) fn leads_to_folder(disk: &dyn Disk, path: &Path) -> bool {
    match disk.stat(path).map(|meta| meta.kind) {
        Ok(Kind::Link) => disk.canonical(path).and_then(|real| disk.stat(&real)).is_ok_and(|m| m.kind == Kind::Folder),
        kind => matches!(kind, Ok(Kind::Folder)),
    }
}

/// Creates a folder and those above it that are missing, for the person only.
pub(crate) fn create_private(disk: &dyn Disk, dir: &Path) -> io::Result<()> {
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

impl Vault {
    /// Returns why nothing can be written though the notes can be read, if so.
    pub fn closed(&self) -> Option<String> {
        self.closed.reason()
    }

    /// Makes sure, before anything is promised, that the state folder is there and still ours.
    pub(crate) fn own(&mut self) -> Result<(), String> {
        if let Some(reason) = self.closed.reason() {
            return Err(reason);
        }
        let is_ours = |id: Option<(u64, u64)>, path: &Path| match self.disk.stat(path) {
            // Where files have no identity, one of the name is ours.
            Ok(meta) => Ok(id.is_none() || meta.file_id == id),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(error) => Err(unusable(&self.state, &error)),
        };
        let lock_id = self.hold.lock.as_ref().and_then(Lock::id);
        if !is_ours(lock_id, &self.state.lock())? {
            return self.regain();
        }
        if !is_ours(self.journal.id(), &self.state.journal())? {
            return self.journal.restore().map_err(|error| unusable(&self.state, &error));
        }
        Ok(())
    }

    /// Makes the state folder again after somebody removed it; the vault's own folder is still locked meanwhile.
    fn regain(&mut self) -> Result<(), String> {
        let lock = match prepare(&self.state, &*self.disk) {
            Ok(lock) => lock,
            Err(Unfit::Locked { .. }) => {
                let reason = "another process has taken the vault over; close this window and open the vault again";
                self.closed.close(reason.to_owned());
                return Err(reason.to_owned());
            }
            Err(Unfit::Unusable(error)) => return Err(unusable(&self.state, &error)),
        };
        self.journal.restore().map_err(|error| unusable(&self.state, &error))?;
        self.hold.lock = Some(lock);
        self.health.note(HealthNotice::StateRemade);
        Ok(())
    }
}
