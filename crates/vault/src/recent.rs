//! The texts that were stored last, in files that only grow: a file of its own for each costs a save more than its bytes.
//!
//! A process only adds to a file that it began; the housekeeping moves what is needed of the others to where it stays. Each
//! text stands behind a mark, its hash and its length, which have a checksum: what a crash tore, or somebody damaged, takes
//! no other text with it. The same text may stand in several places, and any that is whole will do.

use std::collections::{BTreeMap, HashMap};
use std::io;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use note::ContentHash;

use crate::blobs::{pack, unpack};
use crate::disk::{Audience, Disk, Kind};
use crate::packs::{MOST_BYTES, MOST_TEXTS};
use crate::state_dir::{create_private, leads_to_folder, set_aside};

/// A larger text has a file of its own: it costs hardly more than its bytes.
pub(crate) const LARGEST: usize = 64 * 1024;

/// No file of ours grows as long: one that does not hold a pack's texts yet is added no more than a pack's to.
const LONGEST: u64 = 4 * MOST_BYTES as u64;

const SUFFIX: &str = ".texts";
const MARK: &[u8; 4] = b"text";
/// The mark, the hash, the length of what follows, and the checksum of these.
pub(crate) const HEAD_LEN: usize = 4 + 32 + 4 + 4;

/// The files of recent texts of a vault.
#[derive(Clone)]
pub(crate) struct Recent {
    dir: PathBuf,
    disk: Arc<dyn Disk>,
    files: Arc<Mutex<Files>>,
}

#[derive(Default)]
struct Files {
    by_name: BTreeMap<Arc<str>, RecentFile>,
    /// Where each text is, the newest place last.
    texts: HashMap<ContentHash, Vec<Spot>>,
    /// The one that this process adds to.
    growing: Option<Growing>,
}

/// A place where a text is.
#[derive(Debug, Clone)]
struct Spot {
    file: Arc<str>,
    at: u64,
    len: usize,
    /// This process knows that it is durable: an earlier one may have died before it synced.
    is_durable: bool,
}

/// One file of recent texts.
#[derive(Debug, Clone, Default)]
pub(crate) struct RecentFile {
    /// In the order in which they were stored.
    pub(crate) texts: Vec<RecentText>,
}

/// A text, how much it takes, and when it was stored; of an earlier process's, when its file was added to last.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RecentText {
    pub(crate) hash: ContentHash,
    pub(crate) len: u64,
    pub(crate) made_ms: u64,
}

struct Growing {
    name: Arc<str>,
    began_ms: u64,
    len: u64,
    n_texts: usize,
    /// How long its texts are, unpacked.
    n_bytes: usize,
}

/// What was added to a file, and how long that was before.
pub(crate) struct Added {
    name: Arc<str>,
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

    fn path(&self, name: &str) -> PathBuf {
        self.dir.join(name)
    }

    /// Reads what earlier processes left. What cannot be read is passed over; it may be readable another day.
    pub(crate) fn load(&self) {
        let Ok(listed) = self.disk.list(&self.dir) else { return };
        // Names begin with the time.
        let mut names: Vec<String> = listed.into_iter().filter_map(|entry| entry.name.into_string().ok()).collect();
        names.sort_unstable();
        for name in names.into_iter().filter(|name| name.ends_with(SUFFIX)) {
            let path = self.path(&name);
            let Ok(meta) = self.disk.stat(&path) else { continue };
            // Not ours: a pipe would be waited for, and what is longer is not made here.
            if meta.kind != Kind::File || meta.len > LONGEST {
                continue;
            }
            let Ok(bytes) = self.disk.read(&path) else { continue };
            let made_ms = u64::try_from(meta.mtime_ns / 1_000_000).unwrap_or(0);
            let (name, mut files) = (Arc::from(name), self.files());
            files.by_name.insert(Arc::clone(&name), RecentFile::default());
            for (hash, at, len) in heads(&bytes) {
                files.add(hash, Spot { file: Arc::clone(&name), at, len, is_durable: false }, made_ms);
            }
        }
    }

    /// Returns a text, if it is here and whole.
    pub(crate) fn get(&self, hash: &ContentHash) -> io::Result<Option<Vec<u8>>> {
        Ok(self.find(hash)?.map(|(text, ..)| text))
    }

    /// Returns a text, the file in which it is whole, and whether it is known to be durable there.
    pub(crate) fn find(&self, hash: &ContentHash) -> io::Result<Option<(Vec<u8>, PathBuf, bool)>> {
        let spots = self.files().texts.get(hash).cloned().unwrap_or_default();
        let mut refused = None;
        for spot in spots.iter().rev() {
            let path = self.path(&spot.file);
            match self.disk.read_part(&path, spot.at, spot.len) {
                Ok(packed) => {
                    if let Some(text) = unpack(&packed).ok().filter(|text| ContentHash::of(text) == *hash) {
                        return Ok(Some((text, path, spot.is_durable)));
                    }
                }
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => refused = Some(error),
            }
        }
        refused.map_or(Ok(None), Err)
    }

    /// Says whether a text that this process made durable still lies there, as far as the length of the file tells.
    pub(crate) fn is_as_added(&self, hash: &ContentHash) -> bool {
        let files = self.files();
        let Some(growing) = &files.growing else { return false };
        let is_there = |spots: &Vec<Spot>| spots.iter().any(|spot| spot.file == growing.name && spot.is_durable);
        files.texts.get(hash).is_some_and(is_there) && self.has_len(&growing.name, growing.len)
    }

    fn has_len(&self, name: &str, len: u64) -> bool {
        self.disk.stat(&self.path(name)).is_ok_and(|meta| meta.kind == Kind::File && meta.len == len)
    }

    /// Takes in that a file has been synced, with these texts in it.
    pub(crate) fn synced(&self, texts: Vec<(ContentHash, PathBuf)>) {
        let mut files = self.files();
        for (hash, path) in texts {
            let spots = files.texts.get_mut(&hash).into_iter().flatten();
            spots.filter(|spot| path.ends_with(&*spot.file)).for_each(|spot| spot.is_durable = true);
        }
    }

    /// Adds texts behind the others, each shorter than [`LARGEST`] and all no longer than a pack; whoever asks for it syncs
    /// the file.
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
        let growing = self.files().growing.take();
        let growing = growing.filter(|growing| !growing.is_full() && self.has_len(&growing.name, growing.len));
        let (mut growing, dir) = match growing.map(|growing| self.append(growing, &bytes)).transpose()?.flatten() {
            Some(growing) => (growing, None),
            None => (self.begin(&bytes, now_ms)?, Some(self.dir.clone())),
        };
        let (name, len_before) = (Arc::clone(&growing.name), growing.len);
        growing.len += bytes.len() as u64;
        growing.n_texts += texts.len();
        growing.n_bytes += texts.iter().map(|(_, text)| text.len()).sum::<usize>();
        let mut files = self.files();
        files.growing = Some(growing);
        for (hash, at, len) in spots {
            files.add(hash, Spot { file: Arc::clone(&name), at: len_before + at, len, is_durable: false }, now_ms);
        }
        Ok(Added { file: self.path(&name), name, len_before, dir })
    }

    /// Appends to the file that grows; nothing if another program wrote to it at the same moment.
    fn append(&self, growing: Growing, bytes: &[u8]) -> io::Result<Option<Growing>> {
        let path = self.path(&growing.name);
        if let Err(error) = self.disk.append(&path, bytes) {
            // A torn text is found out, and what follows it is found.
            let _ = self.disk.truncate(&path, growing.len);
            return Err(error);
        }
        Ok(self.has_len(&growing.name, growing.len + bytes.len() as u64).then_some(growing))
    }

    /// Begins another file with what is to be in it.
    fn begin(&self, bytes: &[u8], now_ms: u64) -> io::Result<Growing> {
        let name = format!("{}{SUFFIX}", ulid::Ulid::generate());
        let path = self.path(&name);
        let written = match self.disk.write_temp(&path, bytes, Audience::Private) {
            Err(error) if !leads_to_folder(&*self.disk, &self.dir) => {
                self.make_dir().map_err(|_| error)?;
                self.disk.write_temp(&path, bytes, Audience::Private)
            }
            written => written,
        };
        if let Err(error) = written {
            let _ = self.disk.remove(&path);
            return Err(error);
        }
        Ok(Growing { name: Arc::from(name), began_ms: now_ms, len: 0, n_texts: 0, n_bytes: 0 })
    }

    /// Makes the folder; what is in its way is set aside.
    fn make_dir(&self) -> io::Result<()> {
        for dir in self.dir.parent().into_iter().chain([self.dir.as_path()]) {
            if self.disk.stat(dir).is_ok() && !leads_to_folder(&*self.disk, dir) {
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
        files.forget(&added.name, added.len_before);
        if added.len_before == 0 {
            let _ = self.disk.remove(&added.file);
        } else {
            let _ = self.disk.truncate(&added.file, added.len_before);
        }
    }

    /// Begins another file with the next text if this one is full, was begun before a time, or holds a text of a kind.
    pub(crate) fn close(&self, before_ms: u64, holds: impl Fn(&RecentText) -> bool) {
        let mut files = self.files();
        let Some(growing) = files.growing.take() else { return };
        let has_any = files.by_name.get(&growing.name).is_some_and(|file| file.texts.iter().any(holds));
        if !growing.is_full() && growing.began_ms > before_ms && !has_any {
            files.growing = Some(growing);
        }
    }

    /// Returns every file to which nothing is added any more.
    pub(crate) fn closed(&self) -> Vec<(Arc<str>, RecentFile)> {
        let files = self.files();
        let grows = |name: &str| files.growing.as_ref().is_some_and(|growing| &*growing.name == name);
        let closed = files.by_name.iter().filter(|(name, _)| !grows(name));
        closed.map(|(name, file)| (Arc::clone(name), file.clone())).collect()
    }

    /// Returns what each text takes.
    pub(crate) fn sizes(&self) -> Vec<(ContentHash, u64)> {
        self.files().by_name.values().flat_map(|file| file.texts.iter().map(|text| (text.hash, text.len))).collect()
    }

    /// Removes a file of which nothing is needed any more.
    pub(crate) fn remove(&self, name: &str) -> io::Result<()> {
        match self.disk.remove(&self.path(name)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        self.files().forget(name, 0);
        Ok(())
    }
}

impl Files {
    fn add(&mut self, hash: ContentHash, spot: Spot, made_ms: u64) {
        let text = RecentText { hash, len: (HEAD_LEN + spot.len) as u64, made_ms };
        self.by_name.entry(Arc::clone(&spot.file)).or_default().texts.push(text);
        self.texts.entry(hash).or_default().push(spot);
    }

    /// Forgets what stands in a file from a place on.
    fn forget(&mut self, name: &str, from: u64) {
        let Some(file) = self.by_name.get_mut(name) else { return };
        let gone = |spot: &Spot| &*spot.file == name && spot.at >= from;
        file.texts.retain(|text| {
            let Some(spots) = self.texts.get_mut(&text.hash) else { return false };
            spots.retain(|spot| !gone(spot));
            spots.iter().any(|spot| &*spot.file == name)
        });
        if from == 0 {
            self.by_name.remove(name);
        }
        self.texts.retain(|_, spots| !spots.is_empty());
    }
}

impl Growing {
    /// Says whether what is in it makes a pack.
    fn is_full(&self) -> bool {
        self.n_texts >= MOST_TEXTS || self.n_bytes + LARGEST > MOST_BYTES
    }
}

pub(crate) fn head(hash: &ContentHash, len: usize) -> Vec<u8> {
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
