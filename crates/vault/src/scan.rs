//! Reading: one file by its path, or all of them.

use std::collections::VecDeque;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use note::{ContentHash, RelPath};

use crate::MAX_FILE_LEN;
use crate::blobs::Blobs;
use crate::disk::{Disk, Kind, Meta, Seen};
use crate::error::ReadError;
use crate::item::is_listed;
use crate::place::{NoPlace, is_off_limits, place};
use crate::state_dir::Closed;

/// What a person is told when the folder that was opened is no longer there.
pub(crate) const ROOT_IS_GONE: &str = "the folder of the vault is no longer there";

/// Reads a vault, from any thread. It never writes.
#[derive(Clone)]
pub struct Reader {
    root: Arc<Path>,
    /// The folder that was opened; another one under its name is not the vault.
    root_id: Option<(u64, u64)>,
    disk: Arc<dyn Disk>,
    blobs: Blobs,
    closed: Closed,
}

/// A file's bytes, with the hash of exactly these bytes.
#[derive(Debug, Clone)]
pub struct FileBytes {
    /// The bytes.
    pub bytes: Vec<u8>,
    /// Their hash.
    pub hash: ContentHash,
    /// What the file system says about the file.
    pub stat: Stat,
    /// Whether a commit could replace it.
    pub writable: bool,
}

/// What the file system says about a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stat {
    /// Length in bytes.
    pub len: u64,
    /// Last modification, in nanoseconds since 1970.
    pub mtime_ns: i64,
    /// Creation, where the file system keeps it.
    pub created_ns: Option<i64>,
    /// Device and inode, where there are such things.
    pub file_id: Option<(u64, u64)>,
    /// The path is a link; the rest is about what it leads to.
    pub is_symlink: bool,
}

impl Stat {
    fn of(meta: &Meta, is_symlink: bool) -> Stat {
        Stat { len: meta.len, mtime_ns: meta.mtime_ns, created_ns: meta.created_ns, file_id: meta.file_id, is_symlink }
    }
}

/// Everything that is in a vault, by path.
#[derive(Debug, Clone, Default)]
pub struct Scan {
    /// Files of every kind, sorted by path.
    pub files: Vec<Found>,
    /// Folders, sorted by path.
    pub folders: Vec<RelPath>,
    /// What was left out, and why. Hidden names are left out silently.
    pub skipped: Vec<Skipped>,
}

/// A file that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// Where.
    pub path: RelPath,
    /// What the file system says about it.
    pub stat: Stat,
}

/// Something that was left out of a scan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Skipped {
    /// Where; characters that are not Unicode are replaced.
    pub path: String,
    /// Why.
    pub reason: SkipReason,
}

/// Why something was left out of a scan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SkipReason {
    /// A link leads out of the vault or into a hidden folder.
    Outside,
    /// A link leads to a folder of this vault, whose files are listed where they are.
    LinkedFolder,
    /// A link leads nowhere.
    BrokenLink,
    /// The name is not valid Unicode, or holds what a vault path cannot.
    Name,
    /// A pipe, a socket or a device.
    NotAFile,
    /// A sync service has the file, but not here yet. It is not gone.
    NotDownloaded,
    /// The system did not let us look; what is below it is unknown, not gone.
    Unreadable {
        /// What the system said.
        reason: String,
    },
}

/// One step of a walk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Walked {
    /// A file.
    File(Found),
    /// A folder; what is in it follows later.
    Folder(RelPath),
    /// Something that is left out.
    Skipped(Skipped),
}

impl Reader {
    pub(crate) fn new(root: PathBuf, disk: Arc<dyn Disk>, blobs: Blobs, closed: Closed) -> Reader {
        let root_id = disk.stat(&root).ok().and_then(|meta| meta.file_id);
        Reader { root: root.into(), root_id, disk, blobs, closed }
    }

    /// Returns the vault's folder, with every link resolved.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Reads a file as it is now.
    pub fn read(&self, path: &RelPath) -> Result<FileBytes, ReadError> {
        let (file, stat) = self.find(path)?;
        if stat.len > MAX_FILE_LEN {
            return Err(ReadError::TooLarge { path: path.clone(), len: stat.len });
        }
        let bytes = self.disk.read(&file).map_err(|error| refused(path, error))?;
        Ok(FileBytes { hash: ContentHash::of(&bytes), bytes, stat, writable: self.refusal_at(&file).is_none() })
    }

    /// Looks at a file without reading it.
    pub fn stat(&self, path: &RelPath) -> Result<Stat, ReadError> {
        self.find(path).map(|(_, stat)| stat)
    }

    /// Says whether there is anything at a path: a file, a folder, or a link.
    pub fn exists(&self, path: &RelPath) -> bool {
        self.disk.stat(&self.root.join(path.as_str())).is_ok()
    }

    /// Says whether there is a folder at a path.
    pub fn is_folder(&self, path: &RelPath) -> bool {
        self.disk.stat(&self.root.join(path.as_str())).is_ok_and(|meta| meta.kind == Kind::Folder)
    }

    /// Says whether a path is spelled exactly as its folders list it; where names have no case, others lead there too.
    pub fn is_spelled_so(&self, path: &RelPath) -> bool {
        let ends = path.as_str().match_indices('/').map(|(at, _)| at).chain([path.as_str().len()]);
        ends.into_iter().all(|end| is_listed(&*self.disk, &self.root.join(&path.as_str()[..end])).unwrap_or(true))
    }

    /// Says why a path that exists cannot be written; `None` when it can.
    pub fn refusal(&self, path: &RelPath) -> Option<String> {
        match self.find(path) {
            Ok((file, _)) => self.refusal_at(&file),
            Err(ReadError::Missing { .. }) => self.is_read_only(),
            Err(error) => Some(error.to_string()),
        }
    }

    /// Says why nothing in this vault can be written; `None` when it can.
    pub fn is_read_only(&self) -> Option<String> {
        if self.is_root_gone() {
            return Some(ROOT_IS_GONE.to_owned());
        }
        self.closed.reason().or_else(|| self.disk.refusal(&self.root))
    }

    /// Returns the path of the file that a path means once every link in it is followed; `None` if it leads out of the
    /// vault or nowhere.
    pub fn real(&self, path: &RelPath) -> Option<RelPath> {
        let place = place(&*self.disk, &self.root, path).ok()?;
        let inside = place.file.strip_prefix(&*self.root).ok()?;
        let segments: Option<Vec<&str>> = inside.iter().map(|segment| segment.to_str()).collect();
        RelPath::new(&segments?.join("/")).ok()
    }

    /// Returns whether a version's text is still kept.
    pub fn has_blob(&self, hash: &ContentHash) -> bool {
        self.blobs.has(hash)
    }

    /// Returns the text with this hash from the history, if it is there.
    pub fn blob(&self, hash: &ContentHash) -> Result<Option<Vec<u8>>, ReadError> {
        self.blobs.get(hash).map_err(|source| ReadError::Io { path: hash.to_string(), source })
    }

    /// Reads a file of `.obsidian`, such as `app.json`. It is never written.
    pub fn read_config(&self, name: &str) -> Option<Vec<u8>> {
        let path = RelPath::new(&format!(".obsidian/{name}")).ok()?;
        let place = place(&*self.disk, &self.root, &path).ok()?;
        // A configuration folder that is a link to a shared one elsewhere is common, but it is not ours to follow.
        let meta = self.disk.stat(&place.file).ok()?;
        (meta.kind == Kind::File && meta.len <= MAX_FILE_LEN).then(|| self.disk.read(&place.file).ok())?
    }

    /// Lists the names of the files in a folder of `.obsidian`, such as `snippets`, in their order.
    pub fn list_config(&self, folder: &str) -> Vec<String> {
        let place = RelPath::new(&format!(".obsidian/{folder}")).ok().and_then(|path| {
            let place = place(&*self.disk, &self.root, &path).ok()?;
            (self.disk.stat(&place.file).ok()?.kind == Kind::Folder).then_some(place)
        });
        let listed = place.and_then(|place| self.disk.list(&place.file).ok()).unwrap_or_default();
        let files = listed.into_iter().filter(|entry| entry.kind == Kind::File);
        let mut names: Vec<String> = files.filter_map(|entry| entry.name.into_string().ok()).collect();
        names.sort();
        names
    }

    /// Lists everything in the vault.
    pub fn scan(&self) -> Result<Scan, ReadError> {
        let refuse = |source| ReadError::Io { path: ".".to_owned(), source };
        if self.is_root_gone() {
            return Err(refuse(io::Error::new(io::ErrorKind::NotFound, ROOT_IS_GONE)));
        }
        self.disk.list(&self.root).map_err(refuse)?;
        Ok(collect(self.walk()))
    }

    /// Says whether the vault's folder went away, as when its disk is taken out: then nothing in it is gone.
    pub(crate) fn is_root_gone(&self) -> bool {
        match self.disk.stat(&self.root) {
            Ok(meta) => meta.file_id != self.root_id,
            Err(error) => error.kind() == io::ErrorKind::NotFound,
        }
    }

    /// Lists everything below one folder; empty if it is none.
    pub fn scan_folder(&self, folder: &RelPath) -> Scan {
        collect(self.walk_folder(folder))
    }

    pub(crate) fn walk_folder(&self, folder: &RelPath) -> Walk {
        let mut walk = self.walk();
        walk.folders.clear();
        if self.is_folder(folder)
            && !is_off_limits(folder)
            && let Ok(found) = place(&*self.disk, &self.root, folder)
        {
            walk.folders.push_back((found.file, folder.to_string()));
        }
        walk
    }

    pub(crate) fn disk(&self) -> &dyn Disk {
        &*self.disk
    }

    /// Goes through the vault one entry at a time, a folder's own files first.
    pub fn walk(&self) -> Walk {
        Walk {
            reader: self.clone(),
            folders: VecDeque::from([(self.root.to_path_buf(), String::new())]),
            ready: VecDeque::new(),
        }
    }

    fn find(&self, path: &RelPath) -> Result<(PathBuf, Stat), ReadError> {
        if is_off_limits(path) {
            return Err(ReadError::Hidden { path: path.clone() });
        }
        let place = place(&*self.disk, &self.root, path).map_err(|no| match no {
            NoPlace::Outside => ReadError::Outside { path: path.clone() },
            NoPlace::Blocked(_) => ReadError::Missing { path: path.clone() },
            NoPlace::Io(error) => refused(path, error),
        })?;
        match self.disk.stat(&place.file) {
            Ok(meta) if meta.kind == Kind::File => {
                let stat = Stat::of(&meta, place.is_link());
                Ok((place.file, stat))
            }
            Ok(_) => Err(ReadError::NotAFile { path: path.clone() }),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                if self.is_root_gone() {
                    let source = io::Error::new(io::ErrorKind::NotFound, ROOT_IS_GONE);
                    return Err(ReadError::Io { path: path.to_string(), source });
                }
                if self.disk.stat(&placeholder(&place.file)).is_ok() {
                    return Err(ReadError::NotDownloaded { path: path.clone() });
                }
                Err(ReadError::Missing { path: path.clone() })
            }
            Err(error) => Err(refused(path, error)),
        }
    }

    /// A replaced file needs its folder to be writable, and is not replaced if it is itself protected.
    fn refusal_at(&self, file: &Path) -> Option<String> {
        let refusal = self.closed.reason().or_else(|| self.disk.refusal(file));
        refusal.or_else(|| file.parent().and_then(|dir| self.disk.refusal(dir)))
    }
}

fn refused(path: &RelPath, source: io::Error) -> ReadError {
    match source.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => ReadError::Missing { path: path.clone() },
        io::ErrorKind::InvalidFilename => ReadError::Missing { path: path.clone() },
        io::ErrorKind::PermissionDenied => ReadError::Denied { path: path.clone() },
        io::ErrorKind::IsADirectory => ReadError::NotAFile { path: path.clone() },
        _ => ReadError::Io { path: path.to_string(), source },
    }
}

/// Names what iCloud leaves in place of a file that it has taken away to save space.
pub(crate) fn placeholder(file: &Path) -> PathBuf {
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    file.with_file_name(format!(".{name}.icloud"))
}

fn collect(walk: Walk) -> Scan {
    let mut scan = Scan::default();
    for walked in walk {
        match walked {
            Walked::File(found) => scan.files.push(found),
            Walked::Folder(path) => scan.folders.push(path),
            Walked::Skipped(skipped) => scan.skipped.push(skipped),
        }
    }
    scan.files.sort_unstable_by(|a, b| a.path.cmp(&b.path));
    scan.folders.sort_unstable();
    scan.skipped.sort_unstable_by(|a, b| a.path.cmp(&b.path));
    scan
}

/// A walk through a vault; folders are read when their turn comes.
pub struct Walk {
    reader: Reader,
    folders: VecDeque<(PathBuf, String)>,
    ready: VecDeque<Walked>,
}

impl Iterator for Walk {
    type Item = Walked;

    fn next(&mut self) -> Option<Walked> {
        while self.ready.is_empty() {
            let (dir, prefix) = self.folders.pop_front()?;
            self.read_folder(&dir, &prefix);
        }
        self.ready.pop_front()
    }
}

impl Walk {
    fn read_folder(&mut self, dir: &Path, prefix: &str) {
        let mut listed = match self.reader.disk.look_into(dir) {
            Ok(listed) => listed,
            Err(error) => {
                let reason = SkipReason::Unreadable { reason: error.to_string() };
                return self.skip(prefix.to_owned(), reason);
            }
        };
        listed.sort_unstable_by(|a, b| a.name.cmp(&b.name));
        for Seen { name, meta } in listed {
            let Some(name) = name.to_str() else {
                let name = name.to_string_lossy();
                if !name.starts_with('.') {
                    self.skip(join(prefix, &name), SkipReason::Name);
                }
                continue;
            };
            if let Some(hidden) = name.strip_prefix('.') {
                match hidden.strip_suffix(".icloud") {
                    Some(real) if !real.is_empty() => {
                        self.skip(join(prefix, real), SkipReason::NotDownloaded);
                    }
                    _ => {}
                }
                continue;
            }
            let here = join(prefix, name);
            match RelPath::new(&here) {
                Ok(path) => self.take(dir, name, path, meta),
                Err(_) => self.skip(here, SkipReason::Name),
            }
        }
    }

    fn take(&mut self, dir: &Path, name: &str, path: RelPath, meta: io::Result<Meta>) {
        match meta {
            Ok(meta) => match meta.kind {
                Kind::Folder => {
                    self.folders.push_back((dir.join(name), path.to_string()));
                    self.ready.push_back(Walked::Folder(path));
                }
                Kind::File => self.found(path, Stat::of(&meta, false)),
                Kind::Link => self.follow(path),
                Kind::Other => self.skip(path.to_string(), SkipReason::NotAFile),
            },
            // It went away between the list and the look.
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => self.unreadable(&path, &error),
        }
    }

    fn follow(&mut self, path: RelPath) {
        let disk = self.reader.disk.clone();
        match place(&*disk, &self.reader.root, &path) {
            Ok(place) => match disk.stat(&place.file) {
                Ok(meta) if meta.kind == Kind::File => self.found(path, Stat::of(&meta, true)),
                Ok(meta) if meta.kind == Kind::Folder => self.skip(path.to_string(), SkipReason::LinkedFolder),
                Ok(_) => self.skip(path.to_string(), SkipReason::NotAFile),
                Err(error) => self.unreadable(&path, &error),
            },
            Err(NoPlace::Outside) => self.skip(path.to_string(), SkipReason::Outside),
            Err(NoPlace::Blocked(_)) => self.skip(path.to_string(), SkipReason::BrokenLink),
            Err(NoPlace::Io(error)) => self.unreadable(&path, &error),
        }
    }

    fn found(&mut self, path: RelPath, stat: Stat) {
        self.ready.push_back(Walked::File(Found { path, stat }));
    }

    fn unreadable(&mut self, path: &RelPath, error: &io::Error) {
        let reason = SkipReason::Unreadable { reason: error.to_string() };
        self.skip(path.to_string(), reason);
    }

    fn skip(&mut self, path: String, reason: SkipReason) {
        self.ready.push_back(Walked::Skipped(Skipped { path, reason }));
    }
}

fn join(prefix: &str, name: &str) -> String {
    if prefix.is_empty() { name.to_owned() } else { [prefix, "/", name].concat() }
}
