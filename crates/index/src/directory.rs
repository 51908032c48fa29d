//! The folder of the full text, written fast and made durable when there is time.
//!
//! Tantivy syncs every file that it writes, eight or so for each commit, while a person waits. What
//! an index holds can be derived again, so here nothing is synced until [`TextDirectory::settle`].
//! That leaves a mark which names the state it made durable: whatever is found under another mark
//! may be torn by a loss of power, and must be checked before it is trusted.

use std::collections::HashSet;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tantivy::Directory;
use tantivy::directory::error::{DeleteError, LockError, OpenDirectoryError, OpenReadError, OpenWriteError};
use tantivy::directory::{
    AntiCallToken, DirectoryLock, FileHandle, Lock, MmapDirectory, TerminatingWrite, WatchCallback, WatchHandle,
    WritePtr,
};

/// Where tantivy says which files make up the index. It is replaced by every commit and every merge.
const META: &str = "meta.json";

/// Where tantivy keeps a list of its files, to know which it may remove.
const MANAGED: &str = ".managed.json";

/// Holds the hash of the `meta.json` that is durable with everything it names.
const SETTLED: &str = ".settled";

/// The fixed part of the footer: its length and a magic number.
const FOOTER_END: u64 = 8;

/// Tantivy's folder; clones share it.
#[derive(Debug, Clone)]
pub(crate) struct TextDirectory {
    mapped: MmapDirectory,
    folder: Arc<Path>,
    written: Arc<Mutex<Written>>,
}

#[derive(Debug, Default)]
struct Written {
    /// The files that were written and not yet synced.
    unsettled: HashSet<PathBuf>,
    closed: bool,
}

impl TextDirectory {
    pub(crate) fn open(folder: &Path) -> Result<TextDirectory, OpenDirectoryError> {
        let mapped = MmapDirectory::open(folder)?;
        Ok(TextDirectory { mapped, folder: folder.into(), written: Arc::default() })
    }

    /// True if what is there was made durable as it is. Else it will be with what is written from now
    /// on: that a killed program's files are whole today does not mean that they are synced.
    pub(crate) fn is_settled(&self) -> io::Result<bool> {
        let read = |name| fs::read(self.folder.join(name)).unwrap_or_default();
        let is_settled = read(SETTLED) == mark(&read(META));
        if !is_settled {
            let names = self.names()?;
            self.written().unsettled.extend(names.into_iter().map(PathBuf::from));
        }
        Ok(is_settled)
    }

    /// True if this file is there and long enough for the footer that tantivy gives every file; it
    /// would read past the beginning of a shorter one.
    pub(crate) fn has_footer(&self, path: &Path) -> bool {
        fs::metadata(self.folder.join(path)).is_ok_and(|metadata| metadata.len() >= FOOTER_END)
    }

    /// True if something was written since everything was made durable.
    pub(crate) fn is_unsettled(&self) -> bool {
        !self.written().unsettled.is_empty()
    }

    /// Lets nothing more be written. A merge in the background outlives the index that began it, and
    /// would otherwise write into a folder that someone else has opened or cleared.
    pub(crate) fn close(&self) {
        self.written().closed = true;
    }

    /// Fails every write for a while, as a full disk does.
    #[cfg(test)]
    pub(crate) fn refuse_writes(&self, refuse: bool) {
        self.written().closed = refuse;
    }

    /// Makes everything durable, and marks it so.
    pub(crate) fn settle(&self) -> io::Result<()> {
        loop {
            let meta = fs::read(self.folder.join(META))?;
            // Taken before the files are synced: a merge may go on writing meanwhile.
            let taken = std::mem::take(&mut self.written().unsettled);
            if let Err(error) = self.sync(&taken) {
                self.written().unsettled.extend(taken);
                return Err(error);
            }
            // Else a merge has ended in between, and may have removed what it merged.
            if fs::read(self.folder.join(META))? == meta {
                return fs::write(self.folder.join(SETTLED), mark(&meta));
            }
        }
    }

    fn sync(&self, files: &HashSet<PathBuf>) -> io::Result<()> {
        // Always that one too, for it may be another by now than when it was written down.
        for file in files.iter().map(PathBuf::as_path).chain([Path::new(META)]) {
            // Windows syncs only what is open for writing.
            match OpenOptions::new().write(true).open(self.folder.join(file)).and_then(|file| file.sync_data()) {
                // Removed since, because nothing needs it any more.
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                synced => synced?,
            }
        }
        self.mapped.sync_directory()
    }

    fn written(&self) -> MutexGuard<'_, Written> {
        self.written.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What a file is created or replaced under, so that none appears once the folder was closed.
    fn open_for_writing(&self) -> io::Result<MutexGuard<'_, Written>> {
        let written = self.written();
        if written.closed { Err(io::Error::other("the index was closed")) } else { Ok(written) }
    }
}

fn mark(meta: &[u8]) -> [u8; 32] {
    *blake3::hash(meta).as_bytes()
}

impl Directory for TextDirectory {
    fn open_write(&self, path: &Path) -> Result<WritePtr, OpenWriteError> {
        let create = || OpenOptions::new().write(true).create_new(true).open(self.folder.join(path));
        let create = || {
            let _written = self.open_for_writing()?;
            match create() {
                // Names are given once, except that the numbers of a commit that failed are given again.
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                    fs::remove_file(self.folder.join(path))?;
                    create()
                }
                created => created,
            }
        };
        let file = create().map_err(|error| OpenWriteError::wrap_io_error(error, path.to_owned()))?;
        Ok(BufWriter::new(Box::new(Unsettled { file, path: path.to_owned(), directory: self.clone() })))
    }

    fn atomic_write(&self, path: &Path, data: &[u8]) -> io::Result<()> {
        // The folder itself is the list: see `atomic_read`.
        if path == Path::new(MANAGED) {
            return Ok(());
        }
        let mut written = self.open_for_writing()?;
        let temporary = self.folder.join(format!(".{}.new", path.display()));
        fs::write(&temporary, data)?;
        fs::rename(&temporary, self.folder.join(path))?;
        written.unsettled.insert(path.to_owned());
        Ok(())
    }

    fn atomic_read(&self, path: &Path) -> Result<Vec<u8>, OpenReadError> {
        if path != Path::new(MANAGED) {
            return self.mapped.atomic_read(path);
        }
        // Read once, when the index is opened. So nothing that a crash left over stays for good.
        let names = self.names().map_err(|error| OpenReadError::wrap_io_error(error, path.to_owned()))?;
        let quoted: Vec<String> = names.iter().map(|name| format!("\"{name}\"")).collect();
        Ok(format!("[{}]", quoted.join(",")).into_bytes())
    }

    /// Left to [`TextDirectory::settle`].
    fn sync_directory(&self) -> io::Result<()> {
        Ok(())
    }

    fn delete(&self, path: &Path) -> Result<(), DeleteError> {
        let refused = |error| DeleteError::IoError { io_error: Arc::new(error), filepath: path.to_owned() };
        self.open_for_writing().map_err(refused)?.unsettled.remove(path);
        self.mapped.delete(path)
    }

    fn get_file_handle(&self, path: &Path) -> Result<Arc<dyn FileHandle>, OpenReadError> {
        self.mapped.get_file_handle(path)
    }

    fn exists(&self, path: &Path) -> Result<bool, OpenReadError> {
        self.mapped.exists(path)
    }

    fn acquire_lock(&self, lock: &Lock) -> Result<DirectoryLock, LockError> {
        self.mapped.acquire_lock(lock)
    }

    fn watch(&self, callback: WatchCallback) -> tantivy::Result<WatchHandle> {
        self.mapped.watch(callback)
    }
}

impl TextDirectory {
    /// The names of tantivy's files, of plain letters, digits and dots; locks are left out.
    fn names(&self) -> io::Result<Vec<String>> {
        let mut names = Vec::new();
        for file in fs::read_dir(&self.folder)? {
            let name = file?.file_name().to_string_lossy().into_owned();
            let is_plain = name.chars().all(|c| c.is_ascii_alphanumeric() || c == '.');
            if is_plain && !name.starts_with('.') {
                names.push(name);
            }
        }
        Ok(names)
    }
}

/// A file that is being written.
struct Unsettled {
    file: File,
    path: PathBuf,
    directory: TextDirectory,
}

impl Write for Unsettled {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        // So that a merge that nobody waits for ends soon.
        drop(self.directory.open_for_writing()?);
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl TerminatingWrite for Unsettled {
    fn terminate_ref(&mut self, _: AntiCallToken) -> io::Result<()> {
        self.directory.open_for_writing()?.unsettled.insert(self.path.clone());
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(directory: &TextDirectory, name: &str, bytes: &[u8]) -> io::Result<()> {
        let mut file = directory.open_write(Path::new(name)).map_err(|error| io::Error::other(error.to_string()))?;
        file.write_all(bytes)?;
        file.flush()?;
        file.terminate()
    }

    #[test]
    fn a_closed_folder_takes_no_more_writes() {
        let folder = tempfile::TempDir::new().unwrap();
        let directory = TextDirectory::open(folder.path()).unwrap();
        directory.atomic_write(Path::new(META), b"{}").unwrap();
        write(&directory, "a.idx", b"one").unwrap();
        let mut open = directory.open_write(Path::new("b.idx")).unwrap();
        directory.close();
        open.write_all(b"more").unwrap();
        assert!(open.flush().is_err() && open.terminate().is_err());
        assert!(write(&directory, "c.idx", b"").is_err());
        assert!(directory.atomic_write(Path::new(META), b"[]").is_err());
        assert!(directory.delete(Path::new("a.idx")).is_err());
        assert_eq!(fs::read(folder.path().join(META)).unwrap(), b"{}");
        assert!(folder.path().join("a.idx").exists() && !folder.path().join("c.idx").exists());
    }

    #[test]
    fn what_was_left_over_is_replaced_and_listed() {
        let folder = tempfile::TempDir::new().unwrap();
        fs::write(folder.path().join("a.7.del"), b"of a commit that failed").unwrap();
        fs::write(folder.path().join(".lock"), b"").unwrap();
        let directory = TextDirectory::open(folder.path()).unwrap();
        assert_eq!(directory.atomic_read(Path::new(MANAGED)).unwrap(), b"[\"a.7.del\"]");
        write(&directory, "a.7.del", b"new").unwrap();
        assert_eq!(fs::read(folder.path().join("a.7.del")).unwrap(), b"new");
    }

    #[test]
    fn only_what_was_synced_is_settled() {
        let folder = tempfile::TempDir::new().unwrap();
        let directory = TextDirectory::open(folder.path()).unwrap();
        directory.atomic_write(Path::new(META), b"{}").unwrap();
        write(&directory, "a.idx", b"one").unwrap();
        assert!(directory.is_unsettled() && !directory.is_settled().unwrap());
        directory.settle().unwrap();
        assert!(!directory.is_unsettled() && directory.is_settled().unwrap());
        directory.atomic_write(Path::new(META), b"{ }").unwrap();
        assert!(directory.is_unsettled());
        let reopened = TextDirectory::open(folder.path()).unwrap();
        assert!(!reopened.is_settled().unwrap() && reopened.is_unsettled());
    }
}
