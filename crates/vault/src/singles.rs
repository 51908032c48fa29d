//! Texts that have a file of their own, by their hash, on shelves by its first two digits.

use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use note::ContentHash;

use crate::blobs::{pack, unpack};
use crate::disk::{Audience, Disk};
use crate::item::is_absence;
use crate::state_dir::{create_private, leads_to_folder, set_aside};

/// The files of single texts of a vault.
#[derive(Clone)]
pub(crate) struct Singles {
    dir: PathBuf,
    disk: Arc<dyn Disk>,
    /// What this process knows to be durable, by its packed length where it knows that. What an earlier one left may not
    /// be: it may have died before it synced.
    durable: Arc<Mutex<HashMap<ContentHash, Option<u64>>>>,
    /// A shelf was made whose name may not be durable yet, perhaps by an earlier process.
    unsynced: Arc<AtomicBool>,
}

impl Singles {
    pub(crate) fn new(dir: PathBuf, disk: Arc<dyn Disk>) -> Singles {
        Singles { dir, disk, durable: Arc::default(), unsynced: Arc::new(AtomicBool::new(true)) }
    }

    /// Returns a text, if it has a file of its own and is whole.
    pub(crate) fn get(&self, hash: &ContentHash) -> io::Result<Option<Vec<u8>>> {
        let packed = match self.disk.read(&self.file_of(hash)) {
            Ok(packed) => packed,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error),
        };
        Ok(unpack(&packed).ok().filter(|bytes| ContentHash::of(bytes) == *hash))
    }

    /// Says whether a text that this process made durable still lies there at its full length.
    pub(crate) fn is_as_added(&self, hash: &ContentHash) -> bool {
        let known = self.durable().get(hash).copied().flatten();
        known.is_some_and(|len| self.disk.stat(&self.file_of(hash)).is_ok_and(|meta| meta.len == len))
    }

    /// Says whether a text is there that may not be durable.
    pub(crate) fn is_unsure(&self, hash: &ContentHash) -> bool {
        !self.is_durable(hash) && self.disk.stat(&self.file_of(hash)).is_ok()
    }

    pub(crate) fn is_durable(&self, hash: &ContentHash) -> bool {
        self.durable().contains_key(hash)
    }

    /// Takes in that texts, and perhaps their shelves, have been synced.
    pub(crate) fn synced(&self, texts: Vec<(ContentHash, Option<u64>)>, with_shelves: bool) {
        if with_shelves {
            self.unsynced.store(false, Ordering::Release);
        }
        self.durable().extend(texts);
    }

    /// Says whether the names of shelves may not be durable.
    pub(crate) fn has_unsynced_shelves(&self) -> bool {
        self.unsynced.load(Ordering::Acquire)
    }

    pub(crate) fn shelf(&self, hash: &ContentHash) -> PathBuf {
        self.dir.join(&hash.to_string()[..2])
    }

    pub(crate) fn file_of(&self, hash: &ContentHash) -> PathBuf {
        self.shelf(hash).join(hash.to_string())
    }

    fn durable(&self) -> MutexGuard<'_, HashMap<ContentHash, Option<u64>>> {
        self.durable.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Removes a text. One that stays is only there twice, or for nothing.
    pub(crate) fn remove(&self, hash: &ContentHash) {
        self.durable().remove(hash);
        let _ = self.disk.remove(&self.file_of(hash));
    }

    /// Writes a text under its name, and returns how long it is there. Should it be torn by a crash, its hash tells.
    pub(crate) fn add(&self, hash: &ContentHash, text: &[u8]) -> io::Result<u64> {
        let (shelf, path) = (self.shelf(hash), self.file_of(hash));
        self.durable().remove(hash);
        let temp = shelf.join(format!(".{hash}.tmp"));
        let packed = pack(text)?;
        if let Err(error) = self.fill(&temp, &packed) {
            self.make_way(&error, &shelf, &temp)?;
            self.make_shelf(&shelf)?;
            self.fill(&temp, &packed)?;
        }
        let renamed = match self.disk.rename(&temp, &path) {
            Err(error) if error.kind() == io::ErrorKind::IsADirectory => {
                set_aside(&*self.disk, &path).and_then(|_| self.disk.rename(&temp, &path))
            }
            renamed => renamed,
        };
        if renamed.is_err() {
            let _ = self.disk.remove(&temp);
        }
        renamed.map(|()| packed.len() as u64)
    }

    fn fill(&self, temp: &Path, packed: &[u8]) -> io::Result<()> {
        let filled = match self.disk.write_temp(temp, packed, Audience::Private) {
            // A crash may have left half a blob under this name; only we write here.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                self.disk.remove(temp)?;
                self.disk.write_temp(temp, packed, Audience::Private)
            }
            filled => filled,
        };
        if filled.is_err() {
            let _ = self.disk.remove(temp);
        }
        filled
    }

    /// Sets aside what is no shelf or no file of ours; passes on an error that has another cause.
    fn make_way(&self, error: &io::Error, shelf: &Path, temp: &Path) -> io::Result<()> {
        let is_folder = |path: &Path| self.disk.stat(path).map(|_| leads_to_folder(&*self.disk, path));
        match is_folder(shelf) {
            Ok(true) => {}
            Ok(false) => return set_aside(&*self.disk, shelf).map(|_| ()),
            // The shelf is still to be made, and what is in its way is above it.
            Err(missing) if is_absence(&missing) => return Ok(()),
            Err(_) => return Err(io::Error::new(error.kind(), error.to_string())),
        }
        if is_folder(temp).unwrap_or(false) {
            set_aside(&*self.disk, temp)?;
        } else {
            return Err(io::Error::new(error.kind(), error.to_string()));
        }
        Ok(())
    }

    fn make_shelf(&self, shelf: &Path) -> io::Result<()> {
        let made = match self.disk.create_dir(shelf, Audience::Private) {
            Err(error) if is_absence(&error) => {
                if self.disk.stat(&self.dir).is_ok() && !leads_to_folder(&*self.disk, &self.dir) {
                    set_aside(&*self.disk, &self.dir)?;
                }
                create_private(&*self.disk, &self.dir)?;
                self.disk.create_dir(shelf, Audience::Private)
            }
            made => made,
        };
        match made {
            Ok(()) => {
                self.unsynced.store(true, Ordering::Release);
                Ok(())
            }
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
            Err(error) => Err(error),
        }
    }
}
