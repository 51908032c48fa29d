//! The texts that were stored last, in files that only grow: a file of its own for each costs a save more than its bytes.
//!
//! A process only adds to a file that it began; the housekeeping moves what is needed of the others to where it stays. Each
//! text stands behind a mark, its hash and its length, which have a checksum: what a crash tore, or somebody damaged, takes
//! no other text with it.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::io;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use note::ContentHash;

use crate::blobs::{pack, unpack};
use crate::disk::{Audience, Disk, Kind};
use crate::packs::{MOST_BYTES, MOST_TEXTS};
use crate::state_dir::{create_private, set_aside};

/// A larger text has a file of its own: it costs hardly more than its bytes.
pub(crate) const LARGEST: usize = 64 * 1024;

const SUFFIX: &str = ".texts";
const MARK: &[u8; 4] = b"text";
/// The mark, the hash, the length of what follows, and the checksum of these.
const HEAD_LEN: usize = 4 + 32 + 4 + 4;

/// The files of recent texts of a vault.
#[derive(Clone)]
pub(crate) struct Recent {
    dir: PathBuf,
    disk: Arc<dyn Disk>,
    files: Arc<Mutex<Files>>,
}

#[derive(Default)]
struct Files {
    by_name: BTreeMap<String, RecentFile>,
    /// In which file each text is, where it begins there and how long it is.
    texts: HashMap<ContentHash, (String, u64, usize)>,
    /// What this process knows to be durable: an earlier one may have died before it synced.
    durable: HashSet<ContentHash>,
    /// The one that this process adds to.
    growing: Option<Growing>,
}

/// One file of recent texts.
#[derive(Debug, Clone, Default)]
pub(crate) struct RecentFile {
    /// Its texts, and how much each takes, in the order in which they were stored.
    pub(crate) texts: Vec<(ContentHash, u64)>,
    /// When something was added to it last.
    pub(crate) made_ms: u64,
}

struct Growing {
    name: String,
    began_ms: u64,
    len: u64,
    n_texts: usize,
    /// How long its texts are, unpacked.
    n_bytes: usize,
}

/// What was added to a file, and how long that was before.
pub(crate) struct Added {
    name: String,
    len_before: u64,
    /// The file, and the folder if the file is new: both have to be synced.
    pub(crate) file: PathBuf,
    pub(crate) dir: Option<PathBuf>,
}

impl Recent {
    pub(crate) fn new(dir: PathBuf, disk: Arc<dyn Disk>) -> Recent {
        Recent { dir, disk, files: Arc::default() }
    }

    fn files(&self) -> MutexGuard<'_, Files> {
        self.files.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reads what earlier processes left. What cannot be read is passed over; it may be readable another day.
    pub(crate) fn load(&self) {
        let Ok(listed) = self.disk.list(&self.dir) else { return };
        for entry in listed {
            let Some(name) = entry.name.to_str().filter(|name| name.ends_with(SUFFIX)) else { continue };
            let path = self.dir.join(name);
            let Ok(meta) = self.disk.stat(&path) else { continue };
            let Ok(bytes) = self.disk.read(&path) else { continue };
            let made_ms = u64::try_from(meta.mtime_ns / 1_000_000).unwrap_or(0);
            let mut files = self.files();
            files.by_name.insert(name.to_owned(), RecentFile { texts: Vec::new(), made_ms });
            for (hash, at, len) in heads(&bytes) {
                files.add(name, hash, at, len);
            }
        }
    }

    /// Returns a text, if it is here and whole.
    pub(crate) fn get(&self, hash: &ContentHash) -> io::Result<Option<Vec<u8>>> {
        let Some((name, at, len)) = self.files().texts.get(hash).cloned() else { return Ok(None) };
        match self.disk.read_part(&self.dir.join(name), at, len) {
            Ok(packed) => Ok(unpack(&packed).ok().filter(|text| ContentHash::of(text) == *hash)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Returns the file in which a text is.
    pub(crate) fn file_of(&self, hash: &ContentHash) -> Option<PathBuf> {
        self.files().texts.get(hash).map(|(name, ..)| self.dir.join(name))
    }

    /// Says whether a text that this process made durable still lies there, as far as the length of the file tells.
    pub(crate) fn is_as_added(&self, hash: &ContentHash) -> bool {
        let files = self.files();
        let Some(growing) = &files.growing else { return false };
        let is_there = files.texts.get(hash).is_some_and(|(name, ..)| *name == growing.name);
        is_there && files.durable.contains(hash) && self.is_as_left(growing)
    }

    pub(crate) fn is_durable(&self, hash: &ContentHash) -> bool {
        let files = self.files();
        files.durable.contains(hash) && files.texts.contains_key(hash)
    }

    /// Takes in that texts have been synced.
    pub(crate) fn synced(&self, texts: Vec<ContentHash>) {
        self.files().durable.extend(texts);
    }

    fn is_as_left(&self, growing: &Growing) -> bool {
        let meta = self.disk.stat(&self.dir.join(&growing.name));
        meta.is_ok_and(|meta| meta.kind == Kind::File && meta.len == growing.len)
    }

    /// Adds texts behind the others, none of which is longer than [`LARGEST`]; whoever asks for it syncs the file.
    pub(crate) fn add(&self, texts: &[(ContentHash, &[u8])]) -> io::Result<Added> {
        let mut bytes = Vec::new();
        let mut spots = Vec::with_capacity(texts.len());
        for (hash, text) in texts {
            let packed = pack(text)?;
            bytes.extend(head(hash, packed.len()));
            spots.push((*hash, bytes.len() as u64, packed.len()));
            bytes.extend(packed);
        }
        let now_ms = self.disk.now_ms();
        // Taken meanwhile: if anything fails, the next text begins another file.
        let growing = self.files().growing.take().filter(|growing| !growing.is_full() && self.is_as_left(growing));
        let (mut growing, dir) = match growing {
            Some(growing) => {
                let path = self.dir.join(&growing.name);
                if let Err(error) = self.disk.append(&path, &bytes) {
                    // A torn text is found out, and what follows it is found.
                    let _ = self.disk.truncate(&path, growing.len);
                    return Err(error);
                }
                (growing, None)
            }
            None => (self.begin(&bytes, now_ms)?, Some(self.dir.clone())),
        };
        let (name, len_before) = (growing.name.clone(), growing.len);
        growing.len += bytes.len() as u64;
        growing.n_texts += texts.len();
        growing.n_bytes += texts.iter().map(|(_, text)| text.len()).sum::<usize>();
        let mut files = self.files();
        files.growing = Some(growing);
        files.by_name.entry(name.clone()).or_default().made_ms = now_ms;
        for (hash, at, len) in spots {
            files.add(&name, hash, len_before + at, len);
        }
        Ok(Added { file: self.dir.join(&name), name, len_before, dir })
    }

    /// Begins another file with what is to be in it.
    fn begin(&self, bytes: &[u8], now_ms: u64) -> io::Result<Growing> {
        let name = format!("{}{SUFFIX}", ulid::Ulid::generate());
        let path = self.dir.join(&name);
        let written = match self.disk.write_temp(&path, bytes, Audience::Private) {
            Err(error) if !matches!(self.disk.stat(&self.dir).map(|meta| meta.kind), Ok(Kind::Folder | Kind::Link)) => {
                self.make_dir().map_err(|_| error)?;
                self.disk.write_temp(&path, bytes, Audience::Private)
            }
            written => written,
        };
        if let Err(error) = written {
            let _ = self.disk.remove(&path);
            return Err(error);
        }
        Ok(Growing { name, began_ms: now_ms, len: 0, n_texts: 0, n_bytes: 0 })
    }

    /// Makes the folder; what is in its way is set aside.
    fn make_dir(&self) -> io::Result<()> {
        for dir in self.dir.parent().into_iter().chain([self.dir.as_path()]) {
            if self.disk.stat(dir).is_ok_and(|meta| !matches!(meta.kind, Kind::Folder | Kind::Link)) {
                set_aside(&*self.disk, dir)?;
            }
        }
        create_private(&*self.disk, &self.dir)
    }

    /// Takes back what could not be synced: nobody may count on it. The next text begins another file.
    pub(crate) fn take_back(&self, added: &Added) {
        let mut files = self.files();
        if files.growing.as_ref().is_some_and(|growing| growing.name == added.name) {
            files.growing = None;
        }
        files.texts.retain(|_, (name, at, _)| *name != added.name || *at < added.len_before);
        if added.len_before == 0 {
            files.by_name.remove(&added.name);
            let _ = self.disk.remove(&added.file);
            return;
        }
        let left: Vec<ContentHash> =
            files.texts.iter().filter(|(_, (name, ..))| *name == added.name).map(|(hash, _)| *hash).collect();
        if let Some(file) = files.by_name.get_mut(&added.name) {
            file.texts.retain(|(hash, _)| left.contains(hash));
        }
        let _ = self.disk.truncate(&added.file, added.len_before);
    }

    /// Begins another file with the next text if this one is full, or was begun before a time.
    pub(crate) fn close(&self, before_ms: u64) {
        let mut files = self.files();
        files.growing = files.growing.take().filter(|growing| !growing.is_full() && growing.began_ms > before_ms);
    }

    /// Returns every file to which nothing is added any more.
    pub(crate) fn closed(&self) -> Vec<(String, RecentFile)> {
        let files = self.files();
        let grows = |name: &str| files.growing.as_ref().is_some_and(|growing| growing.name == name);
        files.by_name.iter().filter(|(name, _)| !grows(name)).map(|(name, file)| (name.clone(), file.clone())).collect()
    }

    /// Returns what each text takes.
    pub(crate) fn sizes(&self) -> Vec<(ContentHash, u64)> {
        self.files().by_name.values().flat_map(|file| file.texts.iter().copied()).collect()
    }

    /// Removes a file of which nothing is needed any more.
    pub(crate) fn remove(&self, name: &str) -> io::Result<()> {
        match self.disk.remove(&self.dir.join(name)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        let mut files = self.files();
        files.by_name.remove(name);
        let Files { texts, durable, .. } = &mut *files;
        texts.retain(|_, (of, ..)| of != name);
        durable.retain(|hash| texts.contains_key(hash));
        Ok(())
    }
}

impl Files {
    fn add(&mut self, name: &str, hash: ContentHash, at: u64, len: usize) {
        self.durable.remove(&hash);
        self.texts.insert(hash, (name.to_owned(), at, len));
        self.by_name.entry(name.to_owned()).or_default().texts.push((hash, (HEAD_LEN + len) as u64));
    }
}

impl Growing {
    /// Says whether what is in it makes a pack.
    fn is_full(&self) -> bool {
        self.n_texts >= MOST_TEXTS || self.n_bytes + LARGEST > MOST_BYTES
    }
}

fn head(hash: &ContentHash, len: usize) -> Vec<u8> {
    let len = u32::try_from(len).expect("a packed text is hardly longer than itself, and no text here is long");
    let head = [MARK, hash.as_bytes().as_slice(), &len.to_le_bytes()].concat();
    let check = checksum(&head);
    [head.as_slice(), &check].concat()
}

fn checksum(head: &[u8]) -> [u8; 4] {
    let hash = ContentHash::of(head);
    let [a, b, c, d, ..] = *hash.as_bytes();
    [a, b, c, d]
}

/// Finds every text of a file: where it begins and how long it is. A torn or damaged one is passed over.
pub(crate) fn heads(bytes: &[u8]) -> Vec<(ContentHash, u64, usize)> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(rest) = bytes.get(at..).filter(|rest| rest.len() >= HEAD_LEN) {
        match read_head(&rest[..HEAD_LEN]) {
            Some((hash, len)) if rest.len() - HEAD_LEN >= len => {
                found.push((hash, (at + HEAD_LEN) as u64, len));
                at += HEAD_LEN + len;
            }
            _ => at += 1,
        }
    }
    found
}

fn read_head(head: &[u8]) -> Option<(ContentHash, usize)> {
    let (said, check) = head.split_at(HEAD_LEN - 4);
    let rest = said.strip_prefix(MARK)?;
    let (hash, len) = rest.split_first_chunk::<32>()?;
    let is_whole = checksum(said) == check;
    is_whole.then(|| (ContentHash::from(*hash), u32::from_le_bytes(len.try_into().unwrap_or_default()) as usize))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::fault::{Fault, FaultDisk};

    fn texts(range: std::ops::Range<u32>) -> Vec<(ContentHash, Vec<u8>)> {
        range.map(|n| format!("text {n} ").repeat(20).into_bytes()).map(|text| (ContentHash::of(&text), text)).collect()
    }

    fn add(recent: &Recent, texts: &[(ContentHash, Vec<u8>)]) -> io::Result<Added> {
        recent.add(&texts.iter().map(|(hash, text)| (*hash, text.as_slice())).collect::<Vec<_>>())
    }

    fn n_found(recent: &Recent, texts: &[(ContentHash, Vec<u8>)]) -> usize {
        texts.iter().filter(|(hash, text)| recent.get(hash).unwrap().as_ref() == Some(text)).count()
    }

    fn opened(dir: &std::path::Path) -> (Recent, Arc<FaultDisk>) {
        let disk = Arc::new(FaultDisk::new());
        let recent = Recent::new(dir.to_owned(), disk.clone());
        recent.load();
        (recent, disk)
    }

    #[test]
    fn what_is_damaged_or_torn_takes_no_other_text_with_it() {
        let dir = tempfile::tempdir().unwrap();
        let all = texts(0..5);
        let (recent, _) = opened(dir.path());
        let file = add(&recent, &all[..2]).unwrap().file;
        add(&recent, &all[2..]).unwrap();
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
        let whole = fs::read(&file).unwrap();
        for at in 0..whole.len() {
            let mut damaged = whole.clone();
            damaged[at] ^= 0x21;
            fs::write(&file, &damaged).unwrap();
            assert_eq!(n_found(&opened(dir.path()).0, &all), 4, "byte {at}");
            fs::write(&file, &whole[..at]).unwrap();
            let n_whole = heads(&whole).iter().filter(|(_, begins, len)| *begins as usize + len <= at).count();
            assert_eq!(n_found(&opened(dir.path()).0, &all), n_whole, "torn at {at}");
        }
    }

    #[test]
    fn a_process_adds_to_a_file_of_its_own_and_to_none_that_another_touched() {
        let dir = tempfile::tempdir().unwrap();
        let all = texts(0..8);
        let n_files = || fs::read_dir(dir.path()).unwrap().count();
        add(&opened(dir.path()).0, &all[..1]).unwrap();
        let (recent, disk) = opened(dir.path());
        let added = add(&recent, &all[1..2]).unwrap();
        assert_eq!((n_files(), added.dir.is_some()), (2, true));
        let again = add(&recent, &all[2..3]).unwrap();
        assert_eq!((n_files(), again.dir.is_some(), &again.file), (2, false, &added.file));
        // Shorter, longer, gone, a folder: the next text begins another file.
        let len = fs::metadata(&added.file).unwrap().len();
        fs::File::options().write(true).open(&added.file).unwrap().set_len(len - 1).unwrap();
        let next = add(&recent, &all[3..4]).unwrap();
        fs::write(&next.file, [fs::read(&next.file).unwrap(), b"more".to_vec()].concat()).unwrap();
        let next = add(&recent, &all[4..5]).unwrap();
        fs::remove_file(&next.file).unwrap();
        let next = add(&recent, &all[5..6]).unwrap();
        fs::remove_file(&next.file).unwrap();
        fs::create_dir(&next.file).unwrap();
        add(&recent, &all[6..7]).unwrap();
        // And so does one after a failure.
        let n_before = n_files();
        disk.fail_at(disk.n_calls() + 1, Fault::ShortWrite);
        assert!(add(&recent, &all[7..]).is_err());
        add(&recent, &all[7..]).unwrap();
        assert_eq!(n_files(), n_before + 1);
        assert_eq!(
            n_found(&opened(dir.path()).0, &all),
            8 - 3,
            "those of the torn, removed and replaced files are lost"
        );
        assert_eq!(recent.closed().len(), n_files());
    }

    #[test]
    fn what_is_taken_back_is_not_there_and_what_was_before_it_is() {
        let dir = tempfile::tempdir().unwrap();
        let all = texts(0..3);
        let (recent, _) = opened(dir.path());
        recent.take_back(&add(&recent, &all[..1]).unwrap());
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0);
        add(&recent, &all[..1]).unwrap();
        recent.take_back(&add(&recent, &all[1..]).unwrap());
        assert_eq!(n_found(&recent, &all), 1);
        assert_eq!(n_found(&opened(dir.path()).0, &all), 1);
        assert_eq!(recent.closed()[0].1.texts.len(), 1);
    }

    #[test]
    fn a_file_is_closed_when_it_is_full_or_old() {
        let dir = tempfile::tempdir().unwrap();
        let (recent, disk) = opened(dir.path());
        disk.set_now_ms(1_000);
        let long: Vec<u8> = (0..LARGEST as u32 - 1).map(|n| n.wrapping_mul(2_654_435_761).to_le_bytes()[3]).collect();
        let mut files = std::collections::BTreeSet::new();
        for n in 0..70_u8 {
            let text = [long.as_slice(), &[n]].concat();
            files.insert(add(&recent, &[(ContentHash::of(&text), text)]).unwrap().file);
        }
        assert_eq!((files.len(), recent.closed().len()), (2, 1));
        recent.close(999);
        assert_eq!(recent.closed().len(), 1);
        recent.close(1_000);
        assert_eq!(recent.closed().len(), 2);
    }
}
