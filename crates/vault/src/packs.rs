//! Old texts, many to a file: a version differs from the next by a line, and a file of its own takes a whole block.
//!
//! A pack is written once and never changed. It lists its texts by hash and holds them as one compressed run, so that what
//! they share is stored once. A text is looked for among the single files first; a pack only ever repeats or replaces one.

use std::collections::HashMap;
use std::io;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use note::ContentHash;

use crate::disk::{Audience, Disk, Kind};
use crate::state_dir::create_private;

/// Texts that compress to nothing when they stand beside their neighbors still have to be unpacked together.
pub(crate) const MOST_BYTES: usize = 4 * 1024 * 1024;
pub(crate) const MOST_TEXTS: usize = 1_024;

/// A list of texts is not longer than this.
const MOST_LISTED: usize = MOST_TEXTS * 100;

/// Far more than all texts of a pack together.
const MOST_LEN: u64 = 64 * 1024 * 1024;

const LEVEL: i32 = 6;
const SUFFIX: &str = ".pack";

/// Texts, and how long each is.
type Texts = Vec<(ContentHash, u64)>;

/// All packs of a vault.
#[derive(Clone)]
pub(crate) struct Packs {
    dir: PathBuf,
    disk: Arc<dyn Disk>,
    shelf: Arc<Mutex<Shelf>>,
}

#[derive(Default)]
struct Shelf {
    packs: HashMap<String, Pack>,
    /// In which packs each text is.
    texts: HashMap<ContentHash, Vec<String>>,
    n_removed: u64,
    /// The texts of the pack that was opened last: whoever reads one version mostly reads the next.
    open: Option<(String, Arc<Vec<u8>>)>,
}

/// What is known of one pack without unpacking it.
#[derive(Debug, Clone)]
pub(crate) struct Pack {
    /// Its texts, and how long each is, in their order.
    pub(crate) texts: Texts,
    /// How much it takes on the disk.
    pub(crate) len: u64,
    pub(crate) made_ms: u64,
}

impl Packs {
    pub(crate) fn new(dir: PathBuf, disk: Arc<dyn Disk>) -> Packs {
        Packs { dir, disk, shelf: Arc::default() }
    }

    fn shelf(&self) -> MutexGuard<'_, Shelf> {
        self.shelf.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reads what is in the packs. One that cannot be read is passed over; it may be readable another day.
    pub(crate) fn load(&self) {
        let Ok(listed) = self.disk.list(&self.dir) else { return };
        for entry in listed {
            let Some(name) = entry.name.to_str() else { continue };
            if is_unfinished(name) {
                let _ = self.disk.remove(&self.dir.join(name));
            } else if name.ends_with(SUFFIX)
                && let Ok(pack) = self.look(name)
            {
                self.shelf().add(name, pack);
            }
        }
    }

    fn look(&self, name: &str) -> io::Result<Pack> {
        let path = self.dir.join(name);
        let meta = self.disk.stat(&path)?;
        // A pipe would be waited for.
        if meta.kind != Kind::File {
            return Err(io::ErrorKind::InvalidData.into());
        }
        let head = self.disk.read_part(&path, 0, 4 + MOST_LISTED)?;
        let (texts, _) = unlist(&head)?;
        let made_ms = u64::try_from(meta.mtime_ns / 1_000_000).unwrap_or(0);
        Ok(Pack { texts, len: meta.len, made_ms })
    }

    pub(crate) fn has(&self, hash: &ContentHash) -> bool {
        self.shelf().texts.contains_key(hash)
    }

    /// Returns a text, if a pack has it and it is whole there.
    pub(crate) fn get(&self, hash: &ContentHash) -> io::Result<Option<Vec<u8>>> {
        let names = self.shelf().texts.get(hash).cloned().unwrap_or_default();
        let mut refused = None;
        for name in &names {
            match self.get_from(name, hash) {
                Ok(None) => {}
                Ok(found) => return Ok(found),
                Err(error) if error.kind() == io::ErrorKind::NotFound => self.shelf().forget(name),
                Err(error) => refused = Some(error),
            }
        }
        refused.map_or(Ok(None), Err)
    }

    fn get_from(&self, name: &str, hash: &ContentHash) -> io::Result<Option<Vec<u8>>> {
        let (start, len) = {
            let shelf = self.shelf();
            let Some(pack) = shelf.packs.get(name) else { return Ok(None) };
            let Some(nth) = pack.texts.iter().position(|(text, _)| text == hash) else { return Ok(None) };
            let start: u64 = pack.texts[..nth].iter().map(|(_, len)| len).sum();
            (start as usize, pack.texts[nth].1 as usize)
        };
        let all = self.unpacked(name)?;
        let text = all.get(start..start + len).filter(|text| ContentHash::of(text) == *hash);
        Ok(text.map(<[u8]>::to_vec))
    }

    fn unpacked(&self, name: &str) -> io::Result<Arc<Vec<u8>>> {
        if let Some((open, texts)) = &self.shelf().open
            && open == name
        {
            return Ok(texts.clone());
        }
        let bytes = self.disk.read(&self.dir.join(name))?;
        let (_, run) = unlist(&bytes)?;
        let texts = Arc::new(zstd::decode_all(run)?);
        self.shelf().open = Some((name.to_owned(), texts.clone()));
        Ok(texts)
    }

    /// Writes a pack durably, reads it back, and only then counts on it.
    pub(crate) fn write(&self, texts: &[(ContentHash, Vec<u8>)], now_ms: u64) -> io::Result<()> {
        let listed: Texts = texts.iter().map(|(hash, text)| (*hash, text.len() as u64)).collect();
        let run: Vec<u8> = texts.iter().flat_map(|(_, text)| text.iter().copied()).collect();
        let bytes = [list(&listed)?, zstd::encode_all(run.as_slice(), LEVEL)?].concat();
        let name = format!("{}{SUFFIX}", ContentHash::of(&bytes));
        create_private(&*self.disk, &self.dir)?;
        let (temp, path) = (self.dir.join(format!(".{name}.tmp")), self.dir.join(&name));
        match self.disk.remove(&temp) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        let written = self
            .disk
            .write_temp(&temp, &bytes, Audience::Private)
            .and_then(|()| self.disk.sync(&[&temp]))
            .and_then(|()| self.disk.rename(&temp, &path));
        if written.is_err() {
            let _ = self.disk.remove(&temp);
        }
        written?;
        self.disk.sync_dirs(&[&self.dir])?;
        if self.disk.read(&path)? != bytes {
            return Err(io::ErrorKind::InvalidData.into());
        }
        self.shelf().add(&name, Pack { texts: listed, len: bytes.len() as u64, made_ms: now_ms });
        Ok(())
    }

    /// Returns every pack by its name.
    pub(crate) fn all(&self) -> Vec<(String, Pack)> {
        self.shelf().packs.iter().map(|(name, pack)| (name.clone(), pack.clone())).collect()
    }

    /// Returns how many packs were removed or found gone so far.
    pub(crate) fn n_removed(&self) -> u64 {
        self.shelf().n_removed
    }

    /// Removes a pack of which nothing is needed any more.
    pub(crate) fn remove(&self, name: &str) -> io::Result<()> {
        self.disk.remove(&self.dir.join(name))?;
        self.shelf().forget(name);
        Ok(())
    }
}

impl Shelf {
    fn add(&mut self, name: &str, pack: Pack) {
        for (hash, _) in &pack.texts {
            let names = self.texts.entry(*hash).or_default();
            if names.iter().all(|known| known != name) {
                names.push(name.to_owned());
            }
        }
        self.packs.insert(name.to_owned(), pack);
    }

    /// Forgets a pack; what another one repeats is found there from now on.
    fn forget(&mut self, name: &str) {
        self.n_removed += 1;
        self.open = self.open.take().filter(|(open, _)| open != name);
        for (hash, _) in self.packs.remove(name).map(|pack| pack.texts).unwrap_or_default() {
            if let Some(names) = self.texts.get_mut(&hash) {
                names.retain(|known| known != name);
                if names.is_empty() {
                    self.texts.remove(&hash);
                }
            }
        }
    }
}

fn is_unfinished(name: &str) -> bool {
    name.starts_with('.') && name.ends_with(".pack.tmp")
}

/// Writes the list of a pack: its length, then the list as JSON, compressed.
fn list(texts: &[(ContentHash, u64)]) -> io::Result<Vec<u8>> {
    let json = serde_json::to_vec(texts).expect("hashes and numbers are plain data");
    let listed = zstd::encode_all(json.as_slice(), LEVEL)?;
    let len = u32::try_from(listed.len()).map_err(|_| io::ErrorKind::InvalidInput)?;
    Ok([&len.to_le_bytes()[..], &listed].concat())
}

/// Reads the list of a pack, and returns what comes after it.
fn unlist(bytes: &[u8]) -> io::Result<(Texts, &[u8])> {
    let damaged = || io::Error::from(io::ErrorKind::InvalidData);
    let (len, rest) = bytes.split_first_chunk::<4>().ok_or_else(damaged)?;
    let (listed, run) = rest.split_at_checked(u32::from_le_bytes(*len) as usize).ok_or_else(damaged)?;
    let json = zstd::decode_all(listed)?;
    let texts: Texts = serde_json::from_slice(&json).map_err(|_| damaged())?;
    // No pack is that long; whoever adds up the lengths may rely on it.
    let is_sane =
        texts.iter().try_fold(0_u64, |sum, (_, len)| sum.checked_add(*len)).is_some_and(|sum| sum <= MOST_LEN);
    if is_sane { Ok((texts, run)) } else { Err(damaged()) }
}
