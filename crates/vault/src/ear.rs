//! Listening to a vault's folders, for whoever must know whether anything happened there until now.
//!
//! The watcher gathers what it hears before it tells of it. Here nothing is gathered: what the kernel has noted is there to
//! be read before the call that caused it returns. Only Linux notes so; elsewhere there is nothing to hear by.

#[cfg(target_os = "linux")]
pub use linux::Ear;
#[cfg(not(target_os = "linux"))]
pub use nowhere::Ear;

#[cfg(target_os = "linux")]
mod linux {
    use note::RelPath;
    use rustix::fd::OwnedFd;
    use rustix::fs::inotify::{CreateFlags, ReadFlags, Reader, WatchFlags, add_watch, init};
    use rustix::fs::statfs;
    use rustix::io::Errno;
    use std::collections::HashSet;
    use std::mem::MaybeUninit;
    use std::path::{Path, PathBuf};

    /// File systems whose files only this machine's kernel writes: ext4, XFS, btrfs, tmpfs, F2FS, ZFS, bcachefs.
    const LOCAL: [u32; 7] = [0xEF53, 0x5846_5342, 0x9123_683E, 0x0102_1994, 0xF2F5_2010, 0x2FC1_2FC1, 0xCA45_1A4E];

    /// The events of some folders, without what is below them.
    #[derive(Debug)]
    pub struct Ear {
        root: PathBuf,
        events: OwnedFd,
        folders: HashSet<RelPath>,
        /// By number, as the kernel has them.
        watches: HashSet<i32>,
        /// A folder came, went or moved, so that another one may stand at a known path.
        has_moved: bool,
        is_whole: bool,
    }

    impl Ear {
        /// Listens at the folder of a vault. `None` if the system has no more of these to give.
        pub fn at(root: &Path) -> Option<Ear> {
            let events = init(CreateFlags::NONBLOCK | CreateFlags::CLOEXEC).ok()?;
            let (folders, watches) = (HashSet::new(), HashSet::new());
            Some(Ear { root: root.to_owned(), events, folders, watches, has_moved: true, is_whole: false })
        }

        /// Whether no folder is left out.
        pub fn is_whole(&self) -> bool {
            self.is_whole
        }

        /// Listens to these folders, and says whether one of them is new.
        pub fn turn_to(&mut self, folders: &[RelPath]) -> bool {
            let is_known = !self.has_moved && folders.iter().all(|folder| self.folders.contains(folder));
            if is_known {
                return false;
            }
            let n_before = self.watches.len();
            let root = self.root.clone();
            let paths = folders.iter().map(|folder| self.root.join(folder.as_str()));
            let watched: Option<Vec<i32>> =
                std::iter::once(root).chain(paths).map(|path| watch(&self.events, &path)).collect();
            self.is_whole = watched.is_some();
            self.watches.extend(watched.into_iter().flatten());
            self.folders = folders.iter().cloned().collect();
            // What is heard of folders that moved meanwhile says so again.
            self.has_moved = !self.is_whole;
            self.watches.len() > n_before
        }

        /// Whether anything was heard since it was asked last.
        pub fn hears(&mut self) -> bool {
            let mut buffer = [MaybeUninit::uninit(); 4096];
            let mut reader = Reader::new(&self.events, &mut buffer);
            let mut hears = false;
            loop {
                match reader.next() {
                    Ok(event) => {
                        hears = true;
                        let told = event.events();
                        if told.contains(ReadFlags::IGNORED) {
                            self.watches.remove(&event.wd());
                        }
                        let moved = ReadFlags::ISDIR | ReadFlags::IGNORED | ReadFlags::QUEUE_OVERFLOW;
                        self.has_moved |= told.intersects(moved);
                    }
                    Err(Errno::WOULDBLOCK) => return hears,
                    Err(Errno::INTR) => {}
                    Err(_) => {
                        self.is_whole = false;
                        return true;
                    }
                }
            }
        }
    }

    /// Listens to a folder. `None` if what is done in it cannot all be heard here.
    fn watch(events: &OwnedFd, path: &Path) -> Option<i32> {
        let kind = statfs(path).ok()?.f_type as u32;
        let what = WatchFlags::CREATE
            | WatchFlags::DELETE
            | WatchFlags::MODIFY
            | WatchFlags::ATTRIB
            | WatchFlags::MOVE
            | WatchFlags::DELETE_SELF
            | WatchFlags::MOVE_SELF
            | WatchFlags::ONLYDIR
            | WatchFlags::DONT_FOLLOW;
        LOCAL.contains(&kind).then(|| add_watch(events, path, what).ok())?
    }
}

#[cfg(not(target_os = "linux"))]
mod nowhere {
    use note::RelPath;
    use std::path::Path;

    /// Hears nothing, and so never says that nothing happened.
    #[derive(Debug)]
    pub struct Ear;

    impl Ear {
        /// There is none.
        pub fn at(_root: &Path) -> Option<Ear> {
            None
        }

        /// Whether no folder is left out.
        pub fn is_whole(&self) -> bool {
            false
        }

        /// Listens to these folders, and says whether one of them is new.
        pub fn turn_to(&mut self, _folders: &[RelPath]) -> bool {
            false
        }

        /// Whether anything was heard since it was asked last.
        pub fn hears(&mut self) -> bool {
            false
        }
    }
}
