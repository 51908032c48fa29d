//! Texts by their hash: what a note was, as long as the history goes back.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use note::ContentHash;

use crate::MAX_FILE_LEN;
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
    /// What this process knows to be durable, by its packed length where it knows that. What an earlier one left may not
    /// be: it may have died before it synced.
    durable: Arc<Mutex<HashMap<ContentHash, Option<u64>>>>,
    /// A shelf was made whose name may not be durable yet, perhaps by an earlier process.
    unsynced: Arc<AtomicBool>,
    packs: Packs,
}

/// Texts that are stored, and durable once these files and folders are synced.
#[derive(Default)]
pub(crate) struct Stored {
    /// With their packed length, where it is known.
    hashes: Vec<(ContentHash, Option<u64>)>,
    /// Those of the files that were not there before.
    fresh: Vec<PathBuf>,
    files: Vec<PathBuf>,
    dirs: BTreeSet<PathBuf>,
}

impl Stored {
    pub(crate) fn files(&self) -> Vec<&Path> {
        self.files.iter().map(PathBuf::as_path).collect()
    }

    pub(crate) fn dirs(&self) -> Vec<&Path> {
        self.dirs.iter().map(PathBuf::as_path).collect()
    }
}

impl Blobs {
    pub(crate) fn new(dir: PathBuf, disk: Arc<dyn Disk>) -> Blobs {
        let packs = Packs::new(dir.join(PACKS), disk.clone());
        Blobs {
            dir,
            disk,
            touched: Arc::default(),
            durable: Arc::default(),
            unsynced: Arc::new(AtomicBool::new(true)),
            packs,
        }
    }

    /// Stores texts durably; those that are there, whole, are left as they are.
    pub(crate) fn put(&self, texts: &[(ContentHash, &[u8])]) -> io::Result<()> {
        let stored = self.store(texts)?;
        self.make_durable(stored)
    }

    /// Stores texts durably in files of their own, whether or not they are packed.
    pub(crate) fn put_single(&self, texts: &[(ContentHash, &[u8])]) -> io::Result<()> {
        let stored = self.store_unless(texts, &|hash| matches!(self.get_single(hash), Ok(Some(_))))?;
        self.make_durable(stored)
    }

    /// Stores texts, and leaves it to the caller to sync them together with what else has to wait for the disk.
    pub(crate) fn store(&self, texts: &[(ContentHash, &[u8])]) -> io::Result<Stored> {
        self.store_unless(texts, &|hash| {
            self.touch(hash);
            self.is_as_stored(hash) || matches!(self.get(hash), Ok(Some(_)))
        })
    }

    /// Says whether a text that this process made durable still lies there at its full length: each save needs the one
    /// before it, which need not be unpacked for that.
    fn is_as_stored(&self, hash: &ContentHash) -> bool {
        let known = self.durable().get(hash).copied().flatten();
        known.is_some_and(|len| self.disk.stat(&self.place(hash).1).is_ok_and(|meta| meta.len == len))
    }

    fn make_durable(&self, stored: Stored) -> io::Result<()> {
        if stored.files.is_empty() {
            return Ok(());
        }
        match self.disk.sync_both(&stored.files(), &stored.dirs()) {
            Ok(()) => {
                self.is_durable(stored);
                Ok(())
            }
            Err(error) => {
                self.forget(&stored);
                Err(error)
            }
        }
    }

    /// Takes in that what was stored has been synced.
    pub(crate) fn is_durable(&self, stored: Stored) {
        if stored.dirs.contains(&self.dir) {
            self.unsynced.store(false, Ordering::Release);
        }
        self.durable().extend(stored.hashes);
    }

    /// Removes what was stored and could not be synced: nobody may count on it.
    pub(crate) fn forget(&self, stored: &Stored) {
        for path in &stored.fresh {
            let _ = self.disk.remove(path);
        }
    }

    fn store_unless(
        &self,
        texts: &[(ContentHash, &[u8])],
        is_there: &dyn Fn(&ContentHash) -> bool,
    ) -> io::Result<Stored> {
        let mut stored = Stored::default();
        let mut seen = BTreeSet::new();
        for (hash, text) in texts {
            if !seen.insert(*hash) {
                continue;
            }
            let ((shelf, path), len) = if is_there(hash) {
                let Some(place) = self.stands(hash) else { continue };
                (place, None)
            } else {
                let (place, len) = self.store_one(hash, text).inspect_err(|_| self.forget(&stored))?;
                stored.fresh.push(place.1.clone());
                (place, Some(len))
            };
            stored.hashes.push((*hash, len));
            stored.dirs.insert(shelf);
            stored.files.push(path);
        }
        if !stored.files.is_empty() && self.unsynced.load(Ordering::Acquire) {
            stored.dirs.insert(self.dir.clone());
        }
        Ok(stored)
    }

    /// Returns where a text stands that is there and may not be durable.
    fn stands(&self, hash: &ContentHash) -> Option<(PathBuf, PathBuf)> {
        let place = self.place(hash);
        let is_known = self.durable().contains_key(hash) || self.packs.has(hash) || self.disk.stat(&place.1).is_err();
        (!is_known).then_some(place)
    }

    /// Writes a text under its name. Should it be torn there by a crash, its hash tells.
    fn store_one(&self, hash: &ContentHash, text: &[u8]) -> io::Result<((PathBuf, PathBuf), u64)> {
        let (shelf, path) = self.place(hash);
        self.durable().remove(hash);
        let temp = shelf.join(format!(".{hash}.tmp"));
        // All at once: a compressor that does not know how long the text is prepares for a long one.
        let packed = zstd::bulk::compress(text, LEVEL)?;
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
        renamed.map(|()| ((shelf, path), packed.len() as u64))
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
        let is_folder = |path: &Path| self.disk.stat(path).map(|meta| matches!(meta.kind, Kind::Folder | Kind::Link));
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
        Ok(unpack(&packed).ok().filter(|bytes| ContentHash::of(bytes) == *hash))
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

    /// Says whether the bytes are there for good, and keeps a sweep that is on its way from removing them.
    pub(crate) fn claim(&self, hash: &ContentHash) -> bool {
        self.touch(hash);
        let is_there = matches!(self.get(hash), Ok(Some(_)));
        is_there
            && self.stands(hash).is_none_or(|(shelf, path)| {
                let stood =
                    Stored { hashes: vec![(*hash, None)], fresh: Vec::new(), files: vec![path], dirs: [shelf].into() };
                self.make_durable(stood).is_ok()
            })
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

    fn durable(&self) -> MutexGuard<'_, HashMap<ContentHash, Option<u64>>> {
        self.durable.lock().unwrap_or_else(PoisonError::into_inner)
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

    /// Makes every shelf, so that nobody waits for one later. What cannot be made now is made when it is needed.
    pub(crate) fn make_shelves(&self) -> io::Result<()> {
        let there: HashSet<OsString> = self.disk.list(&self.dir)?.into_iter().map(|listed| listed.name).collect();
        for n in 0..=u8::MAX {
            let name = format!("{n:02x}");
            if !there.contains(OsStr::new(&name)) {
                self.make_shelf(&self.dir.join(name))?;
            }
        }
        if self.unsynced.load(Ordering::Acquire) {
            self.disk.sync_dirs(&[&self.dir])?;
            self.unsynced.store(false, Ordering::Release);
        }
        Ok(())
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

/// Unpacks what was packed in one piece; its frame says how long it is.
fn unpack(packed: &[u8]) -> io::Result<Vec<u8>> {
    match zstd::zstd_safe::get_frame_content_size(packed) {
        Ok(Some(len)) if len <= MAX_FILE_LEN => zstd::bulk::decompress(packed, len as usize),
        _ => zstd::decode_all(packed),
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

    #[test]
    fn once_every_shelf_is_made_a_text_waits_for_none_and_what_is_stored_is_not_unpacked_again() {
        let dir = tempfile::tempdir().unwrap();
        let disk = Arc::new(crate::fault::FaultDisk::new());
        let blobs = Blobs::new(dir.path().to_owned(), disk.clone());
        fs::write(dir.path().join("00"), "in the way").unwrap();
        blobs.make_shelves().unwrap();
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 256);
        let n_made = disk.n_calls();
        blobs.make_shelves().unwrap();
        assert_eq!(disk.n_calls(), n_made + 1, "one look is enough");

        let hash = ContentHash::of(b"x");
        for put in [["read", "write_temp", "rename", "sync_both"].as_slice(), &["stat"]] {
            let before = disk.n_calls();
            blobs.put(&[(hash, b"x")]).unwrap();
            let calls: Vec<&str> = disk.calls()[before..].iter().map(|call| call.name).collect();
            assert_eq!(calls, put);
        }
    }

    #[test]
    fn what_an_earlier_process_may_not_have_synced_is_synced_once_before_it_is_counted_on() {
        let dir = tempfile::tempdir().unwrap();
        let hash = ContentHash::of(b"x");
        let stored = Blobs::new(dir.path().to_owned(), Arc::new(RealDisk)).store(&[(hash, b"x")]).unwrap();
        assert_eq!((stored.files().len(), stored.dirs().len()), (1, 2));

        let disk = Arc::new(crate::fault::FaultDisk::new());
        let blobs = Blobs::new(dir.path().to_owned(), disk.clone());
        let n_syncs = || disk.calls().iter().filter(|call| call.name.starts_with("sync")).count();
        disk.fail_at(2, crate::fault::Fault::Failure);
        assert!(!blobs.claim(&hash), "{:?}", disk.calls());
        assert_eq!((blobs.claim(&hash), n_syncs()), (true, 2));
        assert_eq!((blobs.claim(&hash), n_syncs()), (true, 2));
        blobs.put(&[(hash, b"x")]).unwrap();
        assert_eq!(n_syncs(), 2);
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
