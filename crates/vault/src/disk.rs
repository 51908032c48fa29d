//! The narrow door to the operating system: everything that this crate does to a file goes through [`Disk`].
//!
//! The trait is small so that a test can stand in between and refuse, tear or stop any single call.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Seek, Write};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use note::ContentHash;

use crate::fault::full_disk;

/// What a path names; links are not followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A regular file.
    File,
    /// A folder.
    Folder,
    /// A symbolic link (or a junction).
    Link,
    /// A pipe, a socket, a device.
    Other,
}

/// What the file system says about a path; links are not followed.
#[derive(Debug, Clone)]
pub struct Meta {
    /// What it is.
    pub kind: Kind,
    /// Length in bytes.
    pub len: u64,
    /// Last modification, in nanoseconds since 1970.
    pub mtime_ns: i64,
    /// Creation, where the file system keeps it.
    pub created_ns: Option<i64>,
    /// Device and inode, where there are such things.
    pub file_id: Option<(u64, u64)>,
    /// Number of names that this file has.
    pub n_links: u64,
    /// Owner, where there is such a thing.
    pub owner: Option<u32>,
    /// No one may write to it, by its own attributes.
    pub read_only: bool,
}

/// One name in a folder.
#[derive(Debug, Clone)]
pub struct Listed {
    /// The name as the file system has it.
    pub name: std::ffi::OsString,
    /// What it names.
    pub kind: Kind,
}

/// One name in a folder, and what a look at it said.
#[derive(Debug)]
pub struct Seen {
    /// The name as the file system has it.
    pub name: std::ffi::OsString,
    /// What is there. It may have gone since its name was read.
    pub meta: io::Result<Meta>,
}

/// Who may read what is created.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Audience {
    /// Only the person.
    Private,
    /// Whoever the person's own settings say.
    Usual,
}

/// The calls that this crate makes to the file system, and the clock.
///
/// No call hides another: what must be durable is synced by whoever needs it.
pub trait Disk: Send + Sync {
    /// Reads a whole file; a final link is followed.
    fn read(&self, path: &Path) -> io::Result<Vec<u8>>;
    /// Reads a part of a file; less, if it ends before.
    fn read_part(&self, path: &Path, at: u64, max_len: usize) -> io::Result<Vec<u8>>;
    /// Hashes a file without holding it in memory; a final link is followed.
    fn hash(&self, path: &Path) -> io::Result<ContentHash>;
    /// Looks at a path without following a final link.
    fn stat(&self, path: &Path) -> io::Result<Meta>;
    /// Lists a folder, in no particular order.
    fn list(&self, dir: &Path) -> io::Result<Vec<Listed>>;
    /// Lists a folder together with a look at each thing in it, in no particular order; links are not followed.
    fn look_into(&self, dir: &Path) -> io::Result<Vec<Seen>>;
    /// Resolves every link of a path that exists.
    fn canonical(&self, path: &Path) -> io::Result<PathBuf>;
    /// Reads what a link says.
    fn read_link(&self, path: &Path) -> io::Result<PathBuf>;
    /// Says why this process may not write to a path that exists; `None` when it may.
    fn refusal(&self, path: &Path) -> Option<String>;
    /// Creates a file that must not exist yet and fills it.
    fn write_temp(&self, path: &Path, bytes: &[u8], audience: Audience) -> io::Result<()>;
    /// Replaces the bytes of a file that keeps its identity. Not atomic.
    fn write_in_place(&self, path: &Path, bytes: &[u8]) -> io::Result<()>;
    /// Adds to the end of a file, creating it (private) if need be.
    fn append(&self, path: &Path, bytes: &[u8]) -> io::Result<()>;
    /// Cuts a file to a length.
    fn truncate(&self, path: &Path, len: u64) -> io::Result<()>;
    /// Gives `to` the mode, owner, extended attributes and creation time of `from`, as far as the platform lets us.
    fn set_attributes(&self, from: &Path, to: &Path) -> io::Result<()>;
    /// Waits until the bytes of files are on the medium. Many at a time take hardly longer than one.
    fn sync(&self, paths: &[&Path]) -> io::Result<()>;
    /// Exchanges two files in one step; `Unsupported` where the file system cannot.
    fn swap(&self, a: &Path, b: &Path) -> io::Result<()>;
    /// Renames, refusing to replace anything.
    fn rename_new(&self, from: &Path, to: &Path) -> io::Result<()>;
    /// Renames, replacing what is there.
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()>;
    /// Makes a link that must not exist yet.
    fn make_link(&self, says: &Path, path: &Path) -> io::Result<()>;
    /// Removes a file or a link.
    fn remove(&self, path: &Path) -> io::Result<()>;
    /// Removes a file's name and keeps the file itself in hand; `None`, and nothing is done, where that cannot be.
    fn remove_and_hold(&self, path: &Path) -> io::Result<Option<File>>;
    /// Holds a file open, so that it can be read whatever becomes of its name; `None` where that hinders others.
    fn hold(&self, path: &Path) -> io::Result<Option<File>>;
    /// Reads a whole file that is held.
    fn read_held(&self, file: &File) -> io::Result<Vec<u8>>;
    /// Waits until the names in folders are on the medium.
    fn sync_dirs(&self, dirs: &[&Path]) -> io::Result<()>;
    /// Waits for the bytes of files and the names in folders together, which takes hardly longer than one of them.
    fn sync_both(&self, files: &[&Path], dirs: &[&Path]) -> io::Result<()>;
    /// Creates one folder.
    fn create_dir(&self, dir: &Path, audience: Audience) -> io::Result<()>;
    /// Removes one empty folder.
    fn remove_dir(&self, dir: &Path) -> io::Result<()>;
    /// Opens a file to be locked, creating it (private) if need be, and says which file it is.
    fn open_to_lock(&self, path: &Path) -> io::Result<(File, Option<(u64, u64)>)>;
    /// Opens a folder to be locked; `None` where folders cannot be.
    fn open_folder(&self, dir: &Path) -> io::Result<Option<File>>;
    /// Milliseconds since 1970. Nothing is decided by it; it dates what is recorded.
    fn now_ms(&self) -> u64;
}

/// The disk of this machine.
#[derive(Debug, Clone, Copy, Default)]
pub struct RealDisk;

impl Disk for RealDisk {
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        fs::read(path)
    }

    fn read_part(&self, path: &Path, at: u64, max_len: usize) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        let mut file = File::open(path)?;
        file.seek(io::SeekFrom::Start(at))?;
        file.take(max_len as u64).read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    fn hash(&self, path: &Path) -> io::Result<ContentHash> {
        let mut hasher = blake3::Hasher::new();
        hasher.update_reader(File::open(path)?)?;
        let digits = hasher.finalize().to_hex();
        Ok(digits.parse().expect("a hash is written as 64 hex digits"))
    }

    fn stat(&self, path: &Path) -> io::Result<Meta> {
        fs::symlink_metadata(path).map(|meta| describe(&meta))
    }

    fn list(&self, dir: &Path) -> io::Result<Vec<Listed>> {
        fs::read_dir(dir)?
            .map(|entry| {
                let entry = entry?;
                Ok(Listed { name: entry.file_name(), kind: kind_of(entry.file_type()?) })
            })
            .collect()
    }

    fn look_into(&self, dir: &Path) -> io::Result<Vec<Seen>> {
        fs::read_dir(dir)?
            .map(|entry| {
                let entry = entry?;
                // Relative to the open folder, a look costs half of what it costs by its whole path.
                Ok(Seen { name: entry.file_name(), meta: entry.metadata().map(|meta| describe(&meta)) })
            })
            .collect()
    }

    fn canonical(&self, path: &Path) -> io::Result<PathBuf> {
        fs::canonicalize(path)
    }

    fn read_link(&self, path: &Path) -> io::Result<PathBuf> {
        fs::read_link(path)
    }

    fn refusal(&self, path: &Path) -> Option<String> {
        platform::refusal(path)
    }

    fn write_temp(&self, path: &Path, bytes: &[u8], audience: Audience) -> io::Result<()> {
        full_disk()?;
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        platform::created_for(&mut options, audience);
        options.open(path)?.write_all(bytes)
    }

    fn write_in_place(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        full_disk()?;
        let mut file = OpenOptions::new().write(true).open(path)?;
        file.write_all(bytes)?;
        file.set_len(bytes.len() as u64)
    }

    fn append(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        full_disk()?;
        let mut options = OpenOptions::new();
        options.append(true).create(true);
        platform::created_for(&mut options, Audience::Private);
        options.open(path)?.write_all(bytes)
    }

    fn truncate(&self, path: &Path, len: u64) -> io::Result<()> {
        OpenOptions::new().write(true).open(path)?.set_len(len)
    }

    fn set_attributes(&self, from: &Path, to: &Path) -> io::Result<()> {
        platform::set_attributes(from, to)
    }

    fn sync(&self, paths: &[&Path]) -> io::Result<()> {
        // Each is open meanwhile.
        const AT_ONCE: usize = 64;
        paths.chunks(AT_ONCE).try_for_each(sync_files)
    }

    fn swap(&self, a: &Path, b: &Path) -> io::Result<()> {
        platform::swap(a, b)
    }

    fn rename_new(&self, from: &Path, to: &Path) -> io::Result<()> {
        match platform::rename_new(from, to) {
            Err(error) if error.kind() == io::ErrorKind::Unsupported => {}
            answer => return answer,
        }
        // A hard link also refuses to replace; only where there are none do we have to look first.
        match fs::hard_link(from, to) {
            Ok(()) => fs::remove_file(from),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Err(error),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Err(error),
            Err(_) if fs::symlink_metadata(to).is_ok() => Err(io::ErrorKind::AlreadyExists.into()),
            Err(_) => fs::rename(from, to),
        }
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        fs::rename(from, to)
    }

    fn make_link(&self, says: &Path, path: &Path) -> io::Result<()> {
        platform::make_link(says, path)
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        fs::remove_file(path)
    }

    fn remove_and_hold(&self, path: &Path) -> io::Result<Option<File>> {
        // Elsewhere a name goes away only when the last handle is closed.
        if !cfg!(unix) {
            return Ok(None);
        }
        let file = File::open(path)?;
        fs::remove_file(path)?;
        Ok(Some(file))
    }

    fn hold(&self, path: &Path) -> io::Result<Option<File>> {
        if cfg!(unix) { File::open(path).map(Some) } else { Ok(None) }
    }

    fn read_held(&self, mut file: &File) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        file.rewind()?;
        file.read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    fn sync_dirs(&self, dirs: &[&Path]) -> io::Result<()> {
        side_by_side(dirs, |dir| platform::sync_dir(dir))
    }

    fn sync_both(&self, files: &[&Path], dirs: &[&Path]) -> io::Result<()> {
        self.sync(files)?;
        // Where the names of new files become durable with them, as on ext4, hardly anything is left to wait for.
        dirs.iter().try_for_each(|dir| platform::sync_dir(dir))
    }

    fn create_dir(&self, dir: &Path, audience: Audience) -> io::Result<()> {
        let mut builder = fs::DirBuilder::new();
        platform::folder_for(&mut builder, audience);
        builder.create(dir)
    }

    fn remove_dir(&self, dir: &Path) -> io::Result<()> {
        fs::remove_dir(dir)
    }

    fn open_to_lock(&self, path: &Path) -> io::Result<(File, Option<(u64, u64)>)> {
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false);
        platform::created_for(&mut options, Audience::Private);
        platform::undeletable(&mut options);
        let file = options.open(path)?;
        let id = platform::identity(&file.metadata()?).0;
        Ok((file, id))
    }

    fn open_folder(&self, dir: &Path) -> io::Result<Option<File>> {
        if cfg!(unix) { File::open(dir).map(Some) } else { Ok(None) }
    }

    fn now_ms(&self) -> u64 {
        SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_millis() as u64)
    }
}

/// Waits for files that are all on their way to the medium, one after the other; where a file cannot be sent on its way,
/// several threads wait.
fn sync_files(paths: &[&Path]) -> io::Result<()> {
    let files = paths.iter().map(|path| platform::open_to_sync(path)).collect::<io::Result<Vec<File>>>()?;
    if files.iter().all(platform::starts_writing) {
        return files.iter().try_for_each(File::sync_all);
    }
    side_by_side(&files, File::sync_all)
}

/// Does the same to many things from several threads, since each mostly waits; returns the first failure.
fn side_by_side<T: Sync>(things: &[T], act: impl Fn(&T) -> io::Result<()> + Sync) -> io::Result<()> {
    const N_THREADS: usize = 16;
    let act_on_all = |things: &[T]| things.iter().try_for_each(&act);
    let mut parts = things.chunks(things.len().div_ceil(N_THREADS).max(1));
    // This thread would only wait for the others.
    let own = parts.next().unwrap_or_default();
    std::thread::scope(|scope| {
        let started: Vec<_> =
            parts.map(|some| (some, std::thread::Builder::new().spawn_scoped(scope, || act_on_all(some)))).collect();
        let mut done = act_on_all(own);
        for (some, thread) in started {
            let also = match thread {
                Ok(thread) => {
                    thread.join().unwrap_or_else(|_| Err(io::Error::other("a thread that synced ended early")))
                }
                // No more threads are to be had; this one has nothing better to do.
                Err(_) => act_on_all(some),
            };
            done = done.and(also);
        }
        done
    })
}

fn kind_of(kind: fs::FileType) -> Kind {
    if kind.is_symlink() {
        Kind::Link
    } else if kind.is_dir() {
        Kind::Folder
    } else if kind.is_file() {
        Kind::File
    } else {
        Kind::Other
    }
}

fn describe(meta: &fs::Metadata) -> Meta {
    let (file_id, n_links, owner) = platform::identity(meta);
    Meta {
        kind: kind_of(meta.file_type()),
        len: meta.len(),
        mtime_ns: meta.modified().map_or(0, nanos),
        created_ns: meta.created().ok().map(nanos),
        file_id,
        n_links,
        owner,
        read_only: meta.permissions().readonly(),
    }
}

fn nanos(at: SystemTime) -> i64 {
    match at.duration_since(UNIX_EPOCH) {
        Ok(since) => i64::try_from(since.as_nanos()).unwrap_or(i64::MAX),
        Err(before) => i64::try_from(before.duration().as_nanos()).map_or(i64::MIN, |ns| -ns),
    }
}

#[cfg(unix)]
#[path = "disk_unix.rs"]
mod platform;

#[cfg(not(unix))]
#[path = "disk_other.rs"]
mod platform;

/// Returns how many displaced files may be held open at a time: a part of what this process may open at all.
pub(crate) fn n_to_hold() -> usize {
    platform::max_open_files() / 4
}

/// Says whether this process acts as the owner of a file with this owner.
pub(crate) fn acts_as(owner: Option<u32>) -> bool {
    owner.is_none_or(platform::acts_as)
}
