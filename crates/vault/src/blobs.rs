//! Texts by their hash: what a note was, as long as the history goes back.
//!
//! A text is first added to a file of recent ones, unless it is long. What stays needed of those is moved into packs, or
//! into files of single texts until there are enough for a pack.

use std::collections::{BTreeSet, HashSet};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use note::ContentHash;

use crate::MAX_FILE_LEN;
use crate::disk::Disk;
use crate::packs::{MOST_BYTES, Packs};
use crate::recent::{Added, HEAD_LEN, LARGEST, Recent};
use crate::singles::Singles;

/// Notes compress to a third at this level, faster than the disk takes them.
const LEVEL: i32 = 3;

/// Where the packs and the recent texts are, among the shelves.
pub(crate) const PACKS: &str = "packs";
pub(crate) const RECENT: &str = "recent";

/// The store. A blob's name is the hash of what it holds, so a blob never changes.
#[derive(Clone)]
pub(crate) struct Blobs {
    dir: PathBuf,
    disk: Arc<dyn Disk>,
    /// What was stored or counted on since a sweep began: the sweep did not know of it.
    touched: Arc<Mutex<HashSet<ContentHash>>>,
    recent: Recent,
    singles: Singles,
    packs: Packs,
}

/// Where a text was found whole, and for a recent one, whether it is known to be durable there.
enum Home {
    Recent { file: PathBuf, is_durable: bool },
    Single,
    Pack,
}

/// A text, if it is anywhere whole, and where that is.
type Found = Option<(Home, Vec<u8>)>;

/// Texts that are stored, and durable once these files and folders are synced.
#[derive(Default)]
pub(crate) struct Stored {
    /// With the file that each is in.
    recent: Vec<(ContentHash, PathBuf)>,
    /// With their packed length, where it is known.
    singles: Vec<(ContentHash, Option<u64>)>,
    /// What was not there before: added to a file of recent texts, or in files of single ones.
    added: Option<Added>,
    fresh: Vec<ContentHash>,
    files: BTreeSet<PathBuf>,
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
        let recent = Recent::new(dir.join(RECENT), disk.clone());
        let singles = Singles::new(dir.clone(), disk.clone());
        let packs = Packs::new(dir.join(PACKS), disk.clone());
        Blobs { dir, disk, touched: Arc::default(), recent, singles, packs }
    }

    /// Finds out what is in the files that hold many texts.
    pub(crate) fn load(&self) {
        self.packs.load();
        self.recent.load();
    }

    /// Stores texts durably; those that are there, whole, are left as they are.
    pub(crate) fn put(&self, texts: &[(ContentHash, &[u8])]) -> io::Result<()> {
        let stored = self.store(texts)?;
        self.make_durable(stored)
    }

    /// Stores texts durably in files of their own, wherever else they are.
    pub(crate) fn put_single(&self, texts: &[(ContentHash, &[u8])]) -> io::Result<()> {
        let mut stored = Stored::default();
        for (hash, text) in texts {
            if !matches!(self.singles.get(hash), Ok(Some(_))) {
                self.add_single(hash, text, &mut stored)?;
            } else if self.singles.is_unsure(hash) {
                self.count_on_single(hash, None, &mut stored);
            }
        }
        self.make_durable(stored)
    }

    /// Stores texts, and leaves it to the caller to sync them together with what else has to wait for the disk.
    pub(crate) fn store(&self, texts: &[(ContentHash, &[u8])]) -> io::Result<Stored> {
        let mut stored = Stored::default();
        let (mut seen, mut short, mut n_short) = (BTreeSet::new(), Vec::new(), 0);
        for (hash, text) in texts {
            self.touch(hash);
            if !seen.insert(*hash) || self.is_as_added(hash) {
                continue;
            }
            if let Ok(Some((home, _))) = self.find(hash) {
                self.count_on(hash, home, &mut stored);
            } else if text.len() < LARGEST && n_short + HEAD_LEN + text.len() <= MOST_BYTES {
                n_short += HEAD_LEN + text.len();
                short.push((*hash, *text));
            } else {
                self.add_single(hash, text, &mut stored)?;
            }
        }
        self.add_recent(&short, &mut stored)?;
        Ok(stored)
    }

    fn add_recent(&self, texts: &[(ContentHash, &[u8])], stored: &mut Stored) -> io::Result<()> {
        if texts.is_empty() {
            return Ok(());
        }
        // Whatever keeps us from the recent texts need not keep us from others.
        let Ok(added) = self.recent.add(texts) else {
            return texts.iter().try_for_each(|(hash, text)| self.add_single(hash, text, stored));
        };
        stored.recent.extend(texts.iter().map(|(hash, _)| (*hash, added.file.clone())));
        stored.files.insert(added.file.clone());
        stored.dirs.extend(added.dir.clone());
        stored.added = Some(added);
        Ok(())
    }

    /// Says whether a text that this process made durable still lies there, as far as lengths tell: each save needs the one
    /// before it, which need not be unpacked for that.
    fn is_as_added(&self, hash: &ContentHash) -> bool {
        self.recent.is_as_added(hash) || self.singles.is_as_added(hash)
    }

    /// Has a text synced that was found and may not be durable.
    fn count_on(&self, hash: &ContentHash, home: Home, stored: &mut Stored) {
        match home {
            Home::Recent { file, is_durable: false } => {
                stored.recent.push((*hash, file.clone()));
                stored.files.insert(file);
                stored.dirs.extend([self.dir.join(RECENT), self.dir.clone()]);
            }
            Home::Single if !self.singles.is_durable(hash) => self.count_on_single(hash, None, stored),
            Home::Recent { .. } | Home::Single | Home::Pack => {}
        }
    }

    fn count_on_single(&self, hash: &ContentHash, len: Option<u64>, stored: &mut Stored) {
        stored.singles.push((*hash, len));
        stored.files.insert(self.singles.file_of(hash));
        stored.dirs.insert(self.singles.shelf(hash));
        if self.singles.has_unsynced_shelves() {
            stored.dirs.insert(self.dir.clone());
        }
    }

    fn add_single(&self, hash: &ContentHash, text: &[u8], stored: &mut Stored) -> io::Result<()> {
        let len = self.singles.add(hash, text).inspect_err(|_| self.forget(stored))?;
        stored.fresh.push(*hash);
        self.count_on_single(hash, Some(len), stored);
        Ok(())
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
        self.recent.synced(stored.recent);
        self.singles.synced(stored.singles, stored.dirs.contains(&self.dir));
    }

    /// Removes what was stored and could not be synced: nobody may count on it.
    pub(crate) fn forget(&self, stored: &Stored) {
        stored.fresh.iter().for_each(|hash| self.singles.remove(hash));
        stored.added.iter().for_each(|added| self.recent.take_back(added));
    }

    /// Returns the bytes, or nothing if they are not there or no longer whole.
    pub(crate) fn get(&self, hash: &ContentHash) -> io::Result<Option<Vec<u8>>> {
        Ok(self.find(hash)?.map(|(_, text)| text))
    }

    fn find(&self, hash: &ContentHash) -> io::Result<Found> {
        // In the order in which a text is moved on: what is not found here any more is there already. What is left of a
        // pack is moved back.
        let n_removed = self.packs.n_removed();
        let recent = || {
            let found = self.recent.find(hash)?;
            Ok(found.map(|(text, file, is_durable)| (Home::Recent { file, is_durable }, text)))
        };
        let single = || Ok(self.singles.get(hash)?.map(|text| (Home::Single, text)));
        let pack = || Ok(self.packs.get(hash)?.map(|text| (Home::Pack, text)));
        let looks: [&dyn Fn() -> io::Result<Found>; 3] = [&recent, &single, &pack];
        let mut refused = None;
        for look in looks {
            match look() {
                Ok(None) => {}
                Ok(found) => return Ok(found),
                Err(error) => refused = refused.or(Some(error)),
            }
        }
        if self.packs.n_removed() != n_removed {
            return self.find(hash);
        }
        refused.map_or(Ok(None), Err)
    }

    /// Says whether the bytes can be had. What is damaged or cannot be read cannot; what is packed is not unpacked for that.
    pub(crate) fn has(&self, hash: &ContentHash) -> bool {
        self.packs.has(hash)
            || matches!(self.recent.get(hash), Ok(Some(_)))
            || matches!(self.singles.get(hash), Ok(Some(_)))
    }

    /// Says whether the bytes are there for good, and keeps a sweep that is on its way from removing them.
    pub(crate) fn claim(&self, hash: &ContentHash) -> bool {
        self.touch(hash);
        let Ok(Some((home, _))) = self.find(hash) else { return false };
        let mut stood = Stored::default();
        self.count_on(hash, home, &mut stood);
        self.make_durable(stood).is_ok()
    }

    /// Puts texts that have files of their own into one pack, and removes those files.
    pub(crate) fn pack(&self, texts: &[(ContentHash, Vec<u8>)], now_ms: u64) -> io::Result<()> {
        self.packs.write(texts, now_ms)?;
        texts.iter().for_each(|(hash, _)| self.singles.remove(hash));
        Ok(())
    }

    pub(crate) fn recent(&self) -> &Recent {
        &self.recent
    }

    pub(crate) fn singles(&self) -> &Singles {
        &self.singles
    }

    pub(crate) fn packs(&self) -> &Packs {
        &self.packs
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
}

/// Packs a text in one piece: a compressor that does not know how long it is prepares for a long one.
pub(crate) fn pack(text: &[u8]) -> io::Result<Vec<u8>> {
    zstd::bulk::compress(text, LEVEL)
}

/// Unpacks what was packed in one piece; its frame says how long it is.
pub(crate) fn unpack(packed: &[u8]) -> io::Result<Vec<u8>> {
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
    use crate::fault::{Fault, FaultDisk};

    /// One that is added to the recent texts, and one that has a file of its own.
    fn short_and_long() -> [Vec<u8>; 2] {
        [1_000, 20_000].map(|n| b"# Plans\n".repeat(n))
    }

    fn file_of(blobs: &Blobs, hash: &ContentHash) -> PathBuf {
        blobs.recent.find(hash).unwrap().map_or_else(|| blobs.singles.file_of(hash), |(_, file, _)| file)
    }

    fn n_files(dir: &Path) -> usize {
        fs::read_dir(dir).unwrap().map(|shelf| fs::read_dir(shelf.unwrap().path()).unwrap().count()).sum()
    }

    #[test]
    fn a_damaged_blob_is_not_there_and_is_written_anew() {
        for text in short_and_long() {
            let dir = tempfile::tempdir().unwrap();
            let blobs = Blobs::new(dir.path().to_owned(), Arc::new(RealDisk));
            let hash = ContentHash::of(&text);
            assert_eq!(blobs.get(&hash).unwrap(), None);
            blobs.put(&[(hash, &text)]).unwrap();
            assert_eq!(blobs.get(&hash).unwrap().as_deref(), Some(&*text));

            let path = file_of(&blobs, &hash);
            assert!(fs::metadata(&path).unwrap().len() < 200);
            fs::write(&path, b"rot").unwrap();
            assert_eq!(blobs.get(&hash).unwrap(), None);
            blobs.put(&[(hash, &text)]).unwrap();
            assert!(blobs.has(&hash));
        }
    }

    #[test]
    fn what_is_stored_is_not_unpacked_again_and_short_texts_share_a_file() {
        let dir = tempfile::tempdir().unwrap();
        let disk = Arc::new(FaultDisk::new());
        let blobs = Blobs::new(dir.path().to_owned(), disk.clone());
        let put = |texts: &[&[u8]]| {
            let before = disk.n_calls();
            blobs.put(&texts.iter().map(|text| (ContentHash::of(text), *text)).collect::<Vec<_>>()).unwrap();
            disk.calls()[before..].iter().map(|call| call.name).collect::<Vec<&str>>()
        };
        put(&[b"w"]);
        assert_eq!(put(&[b"x", b"y"]), ["read", "read", "stat", "append", "stat", "sync_both"]);
        assert_eq!(put(&[b"x"]), ["stat"]);
        assert_eq!(n_files(dir.path()), 1);
        let long = b"z".repeat(LARGEST);
        put(&[&long]);
        assert_eq!(put(&[&long]), ["stat"]);
        assert_eq!(n_files(dir.path()), 2);
    }

    #[test]
    fn what_an_earlier_process_may_not_have_synced_is_synced_once_before_it_is_counted_on() {
        for text in short_and_long() {
            let dir = tempfile::tempdir().unwrap();
            let hash = ContentHash::of(&text);
            let stored = Blobs::new(dir.path().to_owned(), Arc::new(RealDisk)).store(&[(hash, &text)]).unwrap();
            assert_eq!(stored.files().len(), 1);

            let disk = Arc::new(FaultDisk::new());
            let blobs = Blobs::new(dir.path().to_owned(), disk.clone());
            blobs.load();
            let syncs = || disk.calls().into_iter().filter(|call| call.name == "sync_both").collect::<Vec<_>>();
            let path = file_of(&blobs, &hash);
            disk.fail_at(disk.n_calls() + 1, Fault::Failure);
            assert!(!blobs.claim(&hash), "{:?}", disk.calls());
            assert_eq!((blobs.claim(&hash), syncs().len()), (true, 2), "{:?}", disk.calls());
            assert!(syncs().iter().all(|call| call.path == path));
            assert_eq!((blobs.claim(&hash), syncs().len()), (true, 2));
            blobs.put(&[(hash, &text)]).unwrap();
            assert_eq!(syncs().len(), 2);
        }
    }

    #[cfg(unix)]
    #[test]
    fn only_the_person_can_read_blobs() {
        use std::os::unix::fs::PermissionsExt;
        for text in short_and_long() {
            let dir = tempfile::tempdir().unwrap();
            let blobs = Blobs::new(dir.path().to_owned(), Arc::new(RealDisk));
            let hash = ContentHash::of(&text);
            blobs.put(&[(hash, &text)]).unwrap();
            let path = file_of(&blobs, &hash);
            let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
            assert_eq!((mode(&path), mode(path.parent().unwrap())), (0o600, 0o700));
        }
    }
}
