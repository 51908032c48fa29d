//! Texts by their hash: what a note was, as long as the history goes back.

use std::collections::{BTreeSet, HashSet};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use note::ContentHash;

use crate::disk::{Audience, Disk, Kind};
use crate::item::is_absence;
use crate::packs::Packs;
use crate::state_dir::{create_private, set_aside};

/// Notes compress to a third at this level, faster than the disk takes them.
const LEVEL: i32 = 3;

/// Where the packs are, among the shelves.
pub(crate) const PACKS: &str = "packs";

/// The store. A blob's name is the hash of what it holds, so a blob never changes.
#[derive(Clone)]
pub(crate) struct Blobs {
    dir: PathBuf,
    disk: Arc<dyn Disk>,
    /// What was stored or counted on since a sweep began: the sweep did not know of it.
    touched: Arc<Mutex<HashSet<ContentHash>>>,
    /// A shelf was made whose name may not be durable yet, perhaps by an earlier process.
    unsynced: Arc<AtomicBool>,
    packs: Packs,
}

/// A blob on its way.
struct Fresh {
    shelf: PathBuf,
    temp: PathBuf,
    path: PathBuf,
}

impl Blobs {
    pub(crate) fn new(dir: PathBuf, disk: Arc<dyn Disk>) -> Blobs {
        let packs = Packs::new(dir.join(PACKS), disk.clone());
        Blobs { dir, disk, touched: Arc::default(), unsynced: Arc::new(AtomicBool::new(true)), packs }
    }

    /// Stores texts durably; those that are there, whole, are left as they are.
    pub(crate) fn put(&self, texts: &[(ContentHash, &[u8])]) -> io::Result<()> {
        self.put_unless(texts, &|hash| self.claim(hash))
    }

    /// Stores texts durably in files of their own, whether or not they are packed.
    pub(crate) fn put_single(&self, texts: &[(ContentHash, &[u8])]) -> io::Result<()> {
        self.put_unless(texts, &|hash| matches!(self.get_single(hash), Ok(Some(_))))
    }

    fn put_unless(&self, texts: &[(ContentHash, &[u8])], is_there: &dyn Fn(&ContentHash) -> bool) -> io::Result<()> {
        let mut fresh = Vec::new();
        let written = self.write(texts, is_there, &mut fresh);
        if written.is_err() {
            for blob in &fresh {
                let _ = self.disk.remove(&blob.temp);
            }
        }
        written
    }

    fn write(
        &self,
        texts: &[(ContentHash, &[u8])],
        is_there: &dyn Fn(&ContentHash) -> bool,
        fresh: &mut Vec<Fresh>,
    ) -> io::Result<()> {
        let mut seen = BTreeSet::new();
        for (hash, text) in texts {
            if !seen.insert(*hash) || is_there(hash) {
                continue;
            }
            let (shelf, path) = self.place(hash);
            self.make_shelf(&shelf)?;
            let temp = shelf.join(format!(".{hash}.tmp"));
            // All at once: a compressor that does not know how long the text is prepares for a long one.
            let packed = zstd::bulk::compress(text, LEVEL)?;
            if let Err(error) = self.fill(&temp, &packed) {
                self.make_way(&error, &shelf, &temp)?;
                self.make_shelf(&shelf)?;
                self.fill(&temp, &packed)?;
            }
            fresh.push(Fresh { shelf, temp, path });
        }
        if fresh.is_empty() {
            return Ok(());
        }
        let temps: Vec<&Path> = fresh.iter().map(|blob| blob.temp.as_path()).collect();
        self.disk.sync(&temps)?;
        for blob in fresh.iter() {
            match self.disk.rename(&blob.temp, &blob.path) {
                Err(error) if error.kind() == io::ErrorKind::IsADirectory => {
                    set_aside(&*self.disk, &blob.path)?;
                    self.disk.rename(&blob.temp, &blob.path)?;
                }
                renamed => renamed?,
            }
        }
        let mut shelves: BTreeSet<&Path> = fresh.iter().map(|blob| blob.shelf.as_path()).collect();
        if self.unsynced.load(Ordering::Acquire) {
            shelves.insert(&self.dir);
        }
        self.disk.sync_dirs(&shelves.iter().copied().collect::<Vec<&Path>>())?;
        if shelves.contains(&*self.dir) {
            self.unsynced.store(false, Ordering::Release);
        }
        Ok(())
    }

    fn fill(&self, temp: &Path, packed: &[u8]) -> io::Result<()> {
        // A crash may have left half a blob under this name; only we write here.
        match self.disk.remove(temp) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        let filled = self.disk.write_temp(temp, packed, Audience::Private);
        if filled.is_err() {
            let _ = self.disk.remove(temp);
        }
        filled
    }

    /// Sets aside what is no shelf or no file of ours; passes on an error that has another cause.
    fn make_way(&self, error: &io::Error, shelf: &Path, temp: &Path) -> io::Result<()> {
        let is_folder = |path: &Path| self.disk.stat(path).map(|meta| matches!(meta.kind, Kind::Folder | Kind::Link));
        if is_folder(shelf).is_ok_and(|is_folder| !is_folder) {
            set_aside(&*self.disk, shelf)?;
        } else if is_folder(temp).unwrap_or(false) {
            set_aside(&*self.disk, temp)?;
        } else {
            return Err(io::Error::new(error.kind(), error.to_string()));
        }
        Ok(())
    }

    /// Returns the bytes, or nothing if they are not there or no longer whole.
    pub(crate) fn get(&self, hash: &ContentHash) -> io::Result<Option<Vec<u8>>> {
        match self.get_single(hash) {
            Ok(None) => self.packs.get(hash),
            Err(error) => self.packs.get(hash)?.map(Some).ok_or(error),
            found => found,
        }
    }

    /// Returns the bytes of a text that has a file of its own.
    pub(crate) fn get_single(&self, hash: &ContentHash) -> io::Result<Option<Vec<u8>>> {
        let packed = match self.disk.read(&self.place(hash).1) {
            Ok(packed) => packed,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error),
        };
        Ok(zstd::decode_all(packed.as_slice()).ok().filter(|bytes| ContentHash::of(bytes) == *hash))
    }

    /// Says whether the bytes can be had. What is damaged or cannot be read cannot; what is packed is not unpacked for that.
    pub(crate) fn has(&self, hash: &ContentHash) -> bool {
        self.packs.has(hash) || matches!(self.get_single(hash), Ok(Some(_)))
    }

    /// Puts texts that have files of their own into one pack, and removes those files.
    pub(crate) fn pack(&self, texts: &[(ContentHash, Vec<u8>)], now_ms: u64) -> io::Result<()> {
        self.packs.write(texts, now_ms)?;
        texts.iter().for_each(|(hash, _)| self.remove_single(hash));
        Ok(())
    }

    /// Removes the file of a text that is packed. One that stays is only there twice.
    pub(crate) fn remove_single(&self, hash: &ContentHash) {
        let _ = self.disk.remove(&self.place(hash).1);
    }

    pub(crate) fn packs(&self) -> &Packs {
        &self.packs
    }

    /// Says whether the bytes are there, and keeps a sweep that is on its way from removing them.
    pub(crate) fn claim(&self, hash: &ContentHash) -> bool {
        self.touch(hash);
        matches!(self.get(hash), Ok(Some(_)))
    }

    /// Keeps a sweep that is on its way from removing these bytes.
    pub(crate) fn touch(&self, hash: &ContentHash) {
        self.touched().insert(*hash);
    }

    pub(crate) fn was_touched(&self, hash: &ContentHash) -> bool {
        self.touched().contains(hash)
    }

    pub(crate) fn forget_touched(&self) {
        self.touched().clear();
    }

    fn touched(&self) -> MutexGuard<'_, HashSet<ContentHash>> {
        self.touched.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn dir(&self) -> &Path {
        &self.dir
    }

    pub(crate) fn disk(&self) -> &dyn Disk {
        &*self.disk
    }

    fn place(&self, hash: &ContentHash) -> (PathBuf, PathBuf) {
        let name = hash.to_string();
        let shelf = self.dir.join(&name[..2]);
        let path = shelf.join(name);
        (shelf, path)
    }

    fn make_shelf(&self, shelf: &Path) -> io::Result<()> {
        let made = match self.disk.create_dir(shelf, Audience::Private) {
            Err(error) if is_absence(&error) => {
                if self.disk.stat(&self.dir).is_ok_and(|meta| !matches!(meta.kind, Kind::Folder | Kind::Link)) {
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

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::disk::RealDisk;

    #[test]
    fn a_damaged_blob_is_not_there_and_is_written_anew() {
        let dir = tempfile::tempdir().unwrap();
        let blobs = Blobs::new(dir.path().to_owned(), Arc::new(RealDisk));
        let text = b"# Plans\n".repeat(1000);
        let hash = ContentHash::of(&text);
        assert_eq!(blobs.get(&hash).unwrap(), None);
        blobs.put(&[(hash, &text)]).unwrap();
        assert_eq!(blobs.get(&hash).unwrap().as_deref(), Some(&*text));

        let path = blobs.place(&hash).1;
        assert!(fs::metadata(&path).unwrap().len() < 200);
        fs::write(&path, b"rot").unwrap();
        assert_eq!(blobs.get(&hash).unwrap(), None);
        blobs.put(&[(hash, &text)]).unwrap();
        assert!(blobs.has(&hash));
    }

    #[cfg(unix)]
    #[test]
    fn only_the_person_can_read_blobs() {
        use std::os::unix::fs::PermissionsExt;
        let dir = tempfile::tempdir().unwrap();
        let blobs = Blobs::new(dir.path().to_owned(), Arc::new(RealDisk));
        let hash = ContentHash::of(b"x");
        blobs.put(&[(hash, b"x")]).unwrap();
        let (shelf, path) = blobs.place(&hash);
        assert_eq!(fs::metadata(path).unwrap().permissions().mode() & 0o777, 0o600);
        assert_eq!(fs::metadata(shelf).unwrap().permissions().mode() & 0o777, 0o700);
    }
}
