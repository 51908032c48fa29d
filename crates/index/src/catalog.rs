//! The catalog: every file of the vault, and the maps by which it is found.
//!
//! It lives in memory, and in one file that is written when there is time. That file is a cache: if
//! its version is another one or its checksum is wrong, it counts as absent. Beside it lies a log of
//! what changed since, so that a save in a large vault does not have all of it written again.

use std::collections::BTreeSet;
use std::fs;
use std::io::{self, Seek, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use note::{NoteId, RelPath};
use serde::{Deserialize, Serialize};

use crate::IndexError;
use crate::entry::{Entry, FileKind};
use crate::folders::{Child, ChildKind, Folders};
use crate::shards::{PathsBy, Shards};
use crate::text::FileKey;

/// To be raised with every change of what is written, or of what an entry is made from.
const VERSION: u32 = 3;
const MAGIC: &[u8; 8] = b"VIDIMUSC";
const FILE_NAME: &str = "catalog.bin";
const LOG_NAME: &str = "catalog.log";
const CHECKSUM: usize = 32;

/// The log may grow to this part of the catalog.
const MOST_OF_LOG: usize = 4;

/// An immutable state of the catalog when shared, a working copy when owned; clones are cheap.
#[derive(Debug, Clone, Default)]
pub(crate) struct Catalog {
    /// Grows with every change.
    pub(crate) generation: u64,
    pub(crate) entries: Shards<RelPath, Arc<Entry>>,
    pub(crate) by_key: Shards<FileKey, Arc<Entry>>,
    pub(crate) by_id: PathsBy<NoteId>,
    pub(crate) by_folded: PathsBy<String>,
    pub(crate) by_name: PathsBy<String>,
    pub(crate) by_title: PathsBy<String>,
    pub(crate) by_link: PathsBy<String>,
    pub(crate) by_name_in_comment: PathsBy<String>,
    pub(crate) folders: Folders,
    n_notes: usize,
}

/// What `catalog.bin` holds after its header; everything else is derived from it.
#[derive(Serialize, Deserialize)]
struct Stored<E> {
    generation: u64,
    folders: Vec<RelPath>,
    entries: Vec<E>,
}

impl Catalog {
    pub(crate) fn entry(&self, path: &RelPath) -> Option<&Arc<Entry>> {
        self.entries.get(path)
    }

    pub(crate) fn n_notes(&self) -> usize {
        self.n_notes
    }

    pub(crate) fn insert(&mut self, entry: Entry) {
        let path = entry.path.clone();
        let entry = Arc::new(entry);
        let before = self.entries.insert(path.clone(), Arc::clone(&entry));
        let was_note = before.as_deref().is_some_and(|before| before.kind == FileKind::Note);
        let is_note = entry.kind == FileKind::Note;
        self.by_key.insert(FileKey::of(&path), Arc::clone(&entry));
        if before.is_none() {
            self.by_folded.add(path.fold(), &path);
            self.by_name.add(note::fold(path.file_name()), &path);
            self.folders.add_file(&path, is_note);
        }
        self.n_notes = self.n_notes + usize::from(is_note) - usize::from(was_note);
        self.refile(before.as_deref(), Some(&entry), &path);
    }

    pub(crate) fn remove(&mut self, path: &RelPath) {
        let Some(before) = self.entries.remove(path) else {
            self.folders.forget(path);
            return;
        };
        let was_note = before.kind == FileKind::Note;
        self.by_key.remove(&FileKey::of(path));
        self.by_folded.drop_path(path.fold().as_str(), path);
        self.by_name.drop_path(note::fold(path.file_name()).as_str(), path);
        self.folders.remove_file(path, was_note);
        self.n_notes -= usize::from(was_note);
        self.refile(Some(&before), None, path);
    }

    pub(crate) fn folder(&self, folder: &str) -> Vec<Child> {
        self.folders.list(folder, |path| match self.entry(path).map(|entry| entry.kind) {
            Some(FileKind::Note) => ChildKind::Note,
            Some(FileKind::Canvas) => ChildKind::Canvas,
            Some(FileKind::Attachment) | None => ChildKind::Attachment,
        })
    }

    /// Moves what depends on a file's text: id, names, links. A save rarely changes any of them.
    fn refile(&mut self, before: Option<&Entry>, after: Option<&Entry>, path: &RelPath) {
        let (old, new) = (before.and_then(|e| e.id), after.and_then(|e| e.id));
        if old != new {
            old.inspect(|id| self.by_id.drop_path(id, path));
            new.inspect(|id| self.by_id.add(*id, path));
        }
        let names = |entry: Option<&Entry>| match entry {
            Some(entry) if entry.kind == FileKind::Note => entry.folded_names(),
            _ => Default::default(),
        };
        let (old, new) = (names(before), names(after));
        old.difference(&new).for_each(|name| self.by_title.drop_path(name.as_str(), path));
        new.difference(&old).for_each(|name| self.by_title.add(name.clone(), path));
        let keys = |entry: Option<&Entry>| entry.map(Entry::link_keys).unwrap_or_default();
        let (old, new) = (keys(before), keys(after));
        old.difference(&new).for_each(|key| self.by_link.drop_path(key.as_str(), path));
        new.difference(&old).for_each(|key| self.by_link.add(key.clone(), path));
        let names = |entry: Option<&Entry>| entry.map(|entry| entry.names_in_comments.clone()).unwrap_or_default();
        let (old, new) = (names(before), names(after));
        old.difference(&new).for_each(|name| self.by_name_in_comment.drop_path(&**name, path));
        new.difference(&old).for_each(|name| self.by_name_in_comment.add(name.to_string(), path));
    }
}

/// One record of the log.
#[derive(Serialize, Deserialize)]
struct Changes<E> {
    generation: u64,
    gone: Vec<RelPath>,
    entries: Vec<E>,
}

/// How the catalog lies on disk.
#[derive(Debug, Default)]
pub(crate) struct OnDisk {
    /// The checksum of `catalog.bin`, which names the log that belongs to it.
    base: [u8; CHECKSUM],
    base_len: usize,
    /// As much of the log as can be read; 0 if there is none for this base.
    log_len: usize,
}

impl OnDisk {
    /// Reads the catalog of this folder; `None` if there is none, or none that can be trusted.
    pub(crate) fn load(dir: &Path) -> Option<(Catalog, OnDisk)> {
        let bytes = fs::read(dir.join(FILE_NAME)).ok()?;
        let (base, body) = checked(&bytes)?;
        let stored: Stored<Entry> = postcard::from_bytes(body).ok()?;
        let mut catalog = Catalog { generation: stored.generation, ..Catalog::default() };
        stored.folders.iter().for_each(|folder| catalog.folders.declare(folder));
        stored.entries.into_iter().for_each(|entry| catalog.insert(entry));
        let mut on_disk = OnDisk { base, base_len: bytes.len(), log_len: 0 };
        on_disk.read_log(&fs::read(dir.join(LOG_NAME)).unwrap_or_default(), &mut catalog);
        Some((catalog, on_disk))
    }

    /// Takes in the records of the log up to the first that is torn.
    fn read_log(&mut self, log: &[u8], catalog: &mut Catalog) {
        let Some(mut rest) = log.strip_prefix(&self.base) else { return };
        self.log_len = CHECKSUM;
        while let Some((record, after)) = first_record(rest) {
            let Ok(changes) = postcard::from_bytes::<Changes<Entry>>(record) else { return };
            changes.gone.iter().for_each(|path| catalog.remove(path));
            changes.entries.into_iter().for_each(|entry| catalog.insert(entry));
            catalog.generation = changes.generation;
            rest = after;
            self.log_len = log.len() - rest.len();
        }
    }

    /// Writes down a catalog: what `changed` alone if that is told and little, else all of it.
    pub(crate) fn store(
        &mut self,
        catalog: &Catalog,
        changed: Option<&BTreeSet<RelPath>>,
        dir: &Path,
    ) -> Result<(), IndexError> {
        if let Some(changed) = changed
            && self.base_len > 0
        {
            let (known, gone): (Vec<_>, Vec<_>) = changed.iter().partition(|path| catalog.entry(path).is_some());
            let entries: Vec<&Entry> = known.into_iter().filter_map(|path| catalog.entry(path)).map(|e| &**e).collect();
            let gone = gone.into_iter().cloned().collect();
            let body = postcard::to_stdvec(&Changes { generation: catalog.generation, gone, entries })?;
            if let Ok(len) = u32::try_from(body.len())
                && self.log_len + body.len() < self.base_len / MOST_OF_LOG
            {
                let record = [&len.to_le_bytes(), blake3::hash(&body).as_bytes().as_slice(), &body].concat();
                return self.append(&record, dir).map_err(|source| folder_error(dir, source));
            }
        }
        self.store_all(catalog, dir)
    }

    fn append(&mut self, record: &[u8], dir: &Path) -> io::Result<()> {
        let mut file = fs::OpenOptions::new().create(true).truncate(false).write(true).open(dir.join(LOG_NAME))?;
        // What is behind is torn, or belongs to an earlier base.
        file.set_len(self.log_len as u64)?;
        file.seek(io::SeekFrom::End(0))?;
        let base: &[u8] = if self.log_len == 0 { &self.base } else { &[] };
        file.write_all(&[base, record].concat())?;
        file.sync_data()?;
        self.log_len += base.len() + record.len();
        Ok(())
    }

    /// Writes the catalog beside the old one and then into its place.
    fn store_all(&mut self, catalog: &Catalog, dir: &Path) -> Result<(), IndexError> {
        let mut entries: Vec<&Entry> = catalog.entries.iter().map(|(_, entry)| &**entry).collect();
        entries.sort_by(|a, b| a.path.cmp(&b.path));
        let stored = Stored { generation: catalog.generation, folders: catalog.folders.declared(), entries };
        let body = postcard::to_stdvec(&stored)?;
        let base = *blake3::hash(&body).as_bytes();
        let header = [MAGIC.as_slice(), &VERSION.to_le_bytes(), &base].concat();
        let write = || -> io::Result<()> {
            let temporary = dir.join(format!("{FILE_NAME}.new"));
            let mut file = fs::File::create(&temporary)?;
            file.write_all(&header)?;
            file.write_all(&body)?;
            file.sync_all()?;
            fs::rename(&temporary, dir.join(FILE_NAME))
        };
        write().map_err(|source| folder_error(dir, source))?;
        *self = OnDisk { base, base_len: header.len() + body.len(), log_len: 0 };
        Ok(())
    }
}

/// Checksum and body of `catalog.bin`, if version and checksum are right.
fn checked(bytes: &[u8]) -> Option<([u8; CHECKSUM], &[u8])> {
    let rest = bytes.strip_prefix(MAGIC)?;
    let (version, rest) = rest.split_first_chunk::<4>()?;
    let (checksum, body) = rest.split_first_chunk::<CHECKSUM>()?;
    let right = u32::from_le_bytes(*version) == VERSION && blake3::hash(body).as_bytes() == checksum;
    right.then_some((*checksum, body))
}

/// The first record of a log, and what follows it.
fn first_record(log: &[u8]) -> Option<(&[u8], &[u8])> {
    let (len, rest) = log.split_first_chunk::<4>()?;
    let (checksum, rest) = rest.split_first_chunk::<CHECKSUM>()?;
    let (body, rest) = rest.split_at_checked(u32::from_le_bytes(*len) as usize)?;
    (blake3::hash(body).as_bytes() == checksum).then_some((body, rest))
}

/// Makes the folder of the index and the one inside it for the full text.
pub(crate) fn make_folders(dir: &Path) -> Result<PathBuf, IndexError> {
    let text = dir.join("text");
    fs::create_dir_all(&text).map_err(|source| folder_error(dir, source))?;
    Ok(text)
}

/// Empties the folder of the index.
pub(crate) fn clear_folder(dir: &Path) -> Result<(), IndexError> {
    let text = dir.join("text");
    if text.exists() {
        fs::remove_dir_all(text).map_err(|source| folder_error(dir, source))?;
    }
    remove_stored(dir)
}

/// Removes what [`OnDisk::store`] wrote.
pub(crate) fn remove_stored(dir: &Path) -> Result<(), IndexError> {
    for name in [FILE_NAME, LOG_NAME] {
        match fs::remove_file(dir.join(name)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(folder_error(dir, error)),
            _ => {}
        }
    }
    Ok(())
}

pub(crate) fn folder_error(dir: &Path, source: io::Error) -> IndexError {
    IndexError::Folder { folder: dir.display().to_string(), source }
}

/// Ways to spoil the folder of an index; here, because no other file of the crate touches files.
#[cfg(test)]
pub(crate) mod damage {
    use std::fs;
    use std::path::Path;

    pub(crate) fn flip(path: &Path, at: usize) {
        let mut bytes = fs::read(path).unwrap();
        let at = at.min(bytes.len() - 1);
        bytes[at] ^= 0xff;
        fs::write(path, bytes).unwrap();
    }

    pub(crate) fn zero(path: &Path, from: usize) {
        let mut bytes = fs::read(path).unwrap();
        let from = from.min(bytes.len());
        bytes[from..].fill(0);
        fs::write(path, bytes).unwrap();
    }

    pub(crate) fn cut(path: &Path, to: usize) {
        let bytes = fs::read(path).unwrap();
        fs::write(path, &bytes[..to.min(bytes.len())]).unwrap();
    }

    pub(crate) fn length(path: &Path) -> usize {
        fs::metadata(path).unwrap().len() as usize
    }

    /// What a file holds; none if it is not there.
    pub(crate) fn content(path: &Path) -> Option<Vec<u8>> {
        fs::read(path).ok()
    }

    /// The names of the files in a folder.
    pub(crate) fn names(dir: &Path) -> Vec<String> {
        let mut names: Vec<String> =
            fs::read_dir(dir).unwrap().map(|file| file.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    /// The folder of an index, elsewhere.
    pub(crate) fn copy(from: &Path, to: &Path) {
        fs::create_dir_all(to).unwrap();
        for name in names(from) {
            let (from, to) = (from.join(&name), to.join(&name));
            if from.is_dir() {
                copy(&from, &to);
            } else {
                fs::copy(from, to).unwrap();
            }
        }
    }

    pub(crate) fn overwrite(path: &Path, bytes: &[u8]) {
        fs::write(path, bytes).unwrap();
    }

    pub(crate) fn remove(path: &Path) {
        if path.is_dir() { fs::remove_dir_all(path).unwrap() } else { fs::remove_file(path).unwrap() }
    }

    pub(crate) fn remove_by_extension(dir: &Path, extensions: &[&str]) {
        for file in fs::read_dir(dir).unwrap() {
            let path = file.unwrap().path();
            if path.extension().is_some_and(|own| extensions.iter().any(|wanted| own == *wanted)) {
                remove(&path);
            }
        }
    }
}
