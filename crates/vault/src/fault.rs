//! Ways to fail on purpose, for tests: points at which the process ends, and a disk that refuses.

#[cfg(any(test, feature = "test-support"))]
pub use disk::{Call, Fault, FaultDisk};

/// Ends the process here if `VIDIMUS_CRASH_AT` says so: `swap:2` is the second time that this point is passed.
///
/// The points are named after what was just done: `blobs`, `begun`, `temp`, `swap`, `look`, `syncdir`, `done`.
#[cfg(any(debug_assertions, feature = "test-support"))]
pub(crate) fn crash_point(name: &str) {
    use std::sync::OnceLock;
    use std::sync::atomic::{AtomicUsize, Ordering};

    static WANTED: OnceLock<Option<(String, usize)>> = OnceLock::new();
    static N_PASSED: AtomicUsize = AtomicUsize::new(0);
    let wanted = WANTED.get_or_init(|| {
        let wanted = std::env::var("VIDIMUS_CRASH_AT").ok()?;
        match wanted.split_once(':') {
            Some((point, nth)) => Some((point.to_owned(), nth.parse().ok()?)),
            None => Some((wanted, 1)),
        }
    });
    if let Some((point, nth)) = wanted
        && point == name
        && N_PASSED.fetch_add(1, Ordering::SeqCst) + 1 == *nth
    {
        std::process::abort();
    }
}

/// Does nothing in a program that people use.
#[cfg(not(any(debug_assertions, feature = "test-support")))]
pub(crate) fn crash_point(_name: &str) {}

/// Refuses like a full disk as long as the file named by `VIDIMUS_FULL_DISK` exists.
#[cfg(any(debug_assertions, feature = "test-support"))]
pub(crate) fn full_disk() -> std::io::Result<()> {
    use std::path::PathBuf;
    use std::sync::OnceLock;

    static SIGN: OnceLock<Option<PathBuf>> = OnceLock::new();
    let sign = SIGN.get_or_init(|| std::env::var_os("VIDIMUS_FULL_DISK").map(PathBuf::from));
    match sign {
        Some(sign) if sign.exists() => Err(std::io::ErrorKind::StorageFull.into()),
        _ => Ok(()),
    }
}

/// Does nothing in a program that people use.
#[cfg(not(any(debug_assertions, feature = "test-support")))]
pub(crate) fn full_disk() -> std::io::Result<()> {
    Ok(())
}

#[cfg(any(test, feature = "test-support"))]
mod disk {
    use std::collections::BTreeMap;
    use std::fs::File;
    use std::io;
    use std::path::{Path, PathBuf};
    use std::sync::{Mutex, MutexGuard, PoisonError};

    use note::ContentHash;

    use crate::disk::{Audience, Disk, Listed, Meta, RealDisk, Seen};

    /// What happens at a call that was chosen.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum Fault {
        /// The disk is full.
        NoSpace,
        /// The medium fails.
        Failure,
        /// Permission is denied.
        Denied,
        /// Half of the bytes are written, then the disk is full. Calls that write no bytes fail.
        ShortWrite,
        /// This call and every later one are refused, as for a process that is gone.
        Die,
        /// Half of the bytes are written, then the process is gone.
        DieTorn,
    }

    /// One call that was made.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct Call {
        /// The method of [`Disk`].
        pub name: &'static str,
        /// The path, or the first of two.
        pub path: PathBuf,
    }

    #[derive(Default)]
    struct Script {
        calls: Vec<Call>,
        faults: BTreeMap<usize, Fault>,
        outsiders: BTreeMap<usize, Box<dyn FnOnce() + Send>>,
        dead: bool,
        no_swap: bool,
        no_hold: bool,
        no_folder_lock: bool,
        read_only: Option<PathBuf>,
        now_ms: Option<u64>,
    }

    /// A disk, counting calls and refusing those that a test chose.
    pub struct FaultDisk {
        inner: Box<dyn Disk>,
        script: Mutex<Script>,
    }

    impl Default for FaultDisk {
        fn default() -> FaultDisk {
            FaultDisk::over(RealDisk)
        }
    }

    impl FaultDisk {
        /// Returns a disk that refuses nothing.
        pub fn new() -> FaultDisk {
            FaultDisk::default()
        }

        /// Returns one that refuses nothing of another disk.
        pub fn over(disk: impl Disk + 'static) -> FaultDisk {
            FaultDisk { inner: Box::new(disk), script: Mutex::default() }
        }

        fn script(&self) -> MutexGuard<'_, Script> {
            self.script.lock().unwrap_or_else(PoisonError::into_inner)
        }

        /// Returns the number of calls so far.
        pub fn n_calls(&self) -> usize {
            self.script().calls.len()
        }

        /// Returns the calls so far.
        pub fn calls(&self) -> Vec<Call> {
            self.script().calls.clone()
        }

        /// Lets the `nth` call (counting from 0, over the life of this disk) fail.
        pub fn fail_at(&self, nth: usize, fault: Fault) {
            self.script().faults.insert(nth, fault);
        }

        /// Lets another program do something right before the `nth` call.
        pub fn before(&self, nth: usize, outsider: impl FnOnce() + Send + 'static) {
            self.script().outsiders.insert(nth, Box::new(outsider));
        }

        /// Makes this a file system that cannot exchange two files.
        pub fn without_swap(self) -> FaultDisk {
            self.script().no_swap = true;
            self
        }

        /// Makes this a system where a file that is open keeps its name.
        pub fn without_hold(self) -> FaultDisk {
            self.script().no_hold = true;
            self
        }

        /// Makes this a system where folders cannot be locked.
        pub fn without_folder_lock(self) -> FaultDisk {
            self.script().no_folder_lock = true;
            self
        }

        /// Makes everything below a folder read-only, or nothing.
        pub fn set_read_only(&self, folder: Option<&Path>) {
            self.script().read_only = folder.map(Path::to_owned);
        }

        /// Sets the clock, which otherwise is the real one.
        pub fn set_now_ms(&self, now_ms: u64) {
            self.script().now_ms = Some(now_ms);
        }

        /// Counts a call and says what happens to it; `Some` is a write that is torn.
        fn pass(&self, name: &'static str, path: &Path) -> io::Result<Option<io::Error>> {
            let outsider = {
                let mut script = self.script();
                let nth = script.calls.len();
                script.outsiders.remove(&nth)
            };
            if let Some(outsider) = outsider {
                outsider();
            }
            let mut script = self.script();
            let nth = script.calls.len();
            script.calls.push(Call { name, path: path.to_owned() });
            if script.dead {
                return Err(gone());
            }
            let is_read = matches!(
                name,
                "read"
                    | "read_part"
                    | "hash"
                    | "stat"
                    | "list"
                    | "canonical"
                    | "read_link"
                    | "refusal"
                    | "hold"
                    | "read_held"
                    | "open_folder"
                    | "sync"
                    | "sync_both"
            );
            if !is_read && script.read_only.as_ref().is_some_and(|folder| path.starts_with(folder)) {
                return Err(io::ErrorKind::ReadOnlyFilesystem.into());
            }
            match script.faults.remove(&nth) {
                None => Ok(None),
                Some(Fault::NoSpace) => Err(io::ErrorKind::StorageFull.into()),
                Some(Fault::Failure) => Err(io::Error::other("the medium failed")),
                Some(Fault::Denied) => Err(io::ErrorKind::PermissionDenied.into()),
                Some(Fault::ShortWrite) => Ok(Some(io::ErrorKind::StorageFull.into())),
                Some(Fault::Die) => {
                    script.dead = true;
                    Err(gone())
                }
                Some(Fault::DieTorn) => {
                    script.dead = true;
                    Ok(Some(gone()))
                }
            }
        }

        fn call<T>(&self, name: &'static str, path: &Path, real: impl FnOnce() -> io::Result<T>) -> io::Result<T> {
            match self.pass(name, path)? {
                Some(torn) => Err(torn),
                None => real(),
            }
        }

        fn write(
            &self,
            name: &'static str,
            path: &Path,
            bytes: &[u8],
            real: impl Fn(&[u8]) -> io::Result<()>,
        ) -> io::Result<()> {
            match self.pass(name, path)? {
                Some(torn) => {
                    real(&bytes[..bytes.len() / 2])?;
                    Err(torn)
                }
                None => real(bytes),
            }
        }
    }

    fn gone() -> io::Error {
        io::Error::other("the process is gone")
    }

    impl Disk for FaultDisk {
        fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
            self.call("read", path, || self.inner.read(path))
        }

        fn read_part(&self, path: &Path, at: u64, max_len: usize) -> io::Result<Vec<u8>> {
            self.call("read_part", path, || self.inner.read_part(path, at, max_len))
        }

        fn hash(&self, path: &Path) -> io::Result<ContentHash> {
            self.call("hash", path, || self.inner.hash(path))
        }

        fn stat(&self, path: &Path) -> io::Result<Meta> {
            self.call("stat", path, || self.inner.stat(path))
        }

        fn list(&self, dir: &Path) -> io::Result<Vec<Listed>> {
            self.call("list", dir, || self.inner.list(dir))
        }

        fn look_into(&self, dir: &Path) -> io::Result<Vec<Seen>> {
            self.call("look_into", dir, || self.inner.look_into(dir))
        }

        fn canonical(&self, path: &Path) -> io::Result<PathBuf> {
            self.call("canonical", path, || self.inner.canonical(path))
        }

        fn read_link(&self, path: &Path) -> io::Result<PathBuf> {
            self.call("read_link", path, || self.inner.read_link(path))
        }

        fn refusal(&self, path: &Path) -> Option<String> {
            match self.call("refusal", path, || Ok(self.inner.refusal(path))) {
                Ok(refusal) => refusal,
                Err(error) => Some(error.to_string()),
            }
        }

        fn write_temp(&self, path: &Path, bytes: &[u8], audience: Audience) -> io::Result<()> {
            self.write("write_temp", path, bytes, |bytes| self.inner.write_temp(path, bytes, audience))
        }

        fn write_in_place(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
            self.write("write_in_place", path, bytes, |bytes| self.inner.write_in_place(path, bytes))
        }

        fn append(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
            self.write("append", path, bytes, |bytes| self.inner.append(path, bytes))
        }

        fn truncate(&self, path: &Path, len: u64) -> io::Result<()> {
            self.call("truncate", path, || self.inner.truncate(path, len))
        }

        fn set_attributes(&self, from: &Path, to: &Path) -> io::Result<()> {
            self.call("set_attributes", from, || self.inner.set_attributes(from, to))
        }

        fn sync(&self, paths: &[&Path]) -> io::Result<()> {
            self.call("sync", paths[0], || self.inner.sync(paths))
        }

        fn swap(&self, a: &Path, b: &Path) -> io::Result<()> {
            let unsupported = self.script().no_swap;
            self.call("swap", a, || match unsupported {
                true => Err(io::ErrorKind::Unsupported.into()),
                false => self.inner.swap(a, b),
            })
        }

        fn rename_new(&self, from: &Path, to: &Path) -> io::Result<()> {
            self.call("rename_new", from, || self.inner.rename_new(from, to))
        }

        fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
            self.call("rename", from, || self.inner.rename(from, to))
        }

        fn make_link(&self, says: &Path, path: &Path) -> io::Result<()> {
            self.call("make_link", path, || self.inner.make_link(says, path))
        }

        fn remove(&self, path: &Path) -> io::Result<()> {
            self.call("remove", path, || self.inner.remove(path))
        }

        fn remove_and_hold(&self, path: &Path) -> io::Result<Option<File>> {
            let unsupported = self.script().no_hold;
            self.call("remove_and_hold", path, || match unsupported {
                true => Ok(None),
                false => self.inner.remove_and_hold(path),
            })
        }

        fn hold(&self, path: &Path) -> io::Result<Option<File>> {
            let unsupported = self.script().no_hold;
            self.call("hold", path, || match unsupported {
                true => Ok(None),
                false => self.inner.hold(path),
            })
        }

        fn read_held(&self, file: &File) -> io::Result<Vec<u8>> {
            self.call("read_held", Path::new(""), || self.inner.read_held(file))
        }

        fn sync_dirs(&self, dirs: &[&Path]) -> io::Result<()> {
            self.call("sync_dirs", dirs[0], || self.inner.sync_dirs(dirs))
        }

        fn sync_both(&self, files: &[&Path], dirs: &[&Path]) -> io::Result<()> {
            self.call("sync_both", files[0], || self.inner.sync_both(files, dirs))
        }

        fn create_dir(&self, dir: &Path, audience: Audience) -> io::Result<()> {
            self.call("create_dir", dir, || self.inner.create_dir(dir, audience))
        }

        fn remove_dir(&self, dir: &Path) -> io::Result<()> {
            self.call("remove_dir", dir, || self.inner.remove_dir(dir))
        }

        fn open_to_lock(&self, path: &Path) -> io::Result<(File, Option<(u64, u64)>)> {
            self.call("open_to_lock", path, || self.inner.open_to_lock(path))
        }

        fn open_folder(&self, dir: &Path) -> io::Result<Option<File>> {
            let unsupported = self.script().no_folder_lock;
            self.call("open_folder", dir, || match unsupported {
                true => Ok(None),
                false => self.inner.open_folder(dir),
            })
        }

        fn now_ms(&self) -> u64 {
            self.script().now_ms.unwrap_or_else(|| self.inner.now_ms())
        }
    }
}
