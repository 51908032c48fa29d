//! A folder for what is only needed while the program runs, for a vault whose state folder cannot be written.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::disk::{Audience, Disk, RealDisk};

/// A private folder among the system's temporary ones; it goes with this value.
#[derive(Debug)]
pub struct Scratch(PathBuf);

impl Scratch {
    /// Makes a new one.
    pub fn new() -> io::Result<Scratch> {
        static N_MADE: AtomicUsize = AtomicUsize::new(0);
        loop {
            let n = N_MADE.fetch_add(1, Ordering::Relaxed);
            let dir = std::env::temp_dir().join(format!("vidimus-{}-{n}", std::process::id()));
            match RealDisk.create_dir(&dir, Audience::Private) {
                // A process of the same number may have died and left one.
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                made => return made.map(|()| Scratch(dir)),
            }
        }
    }

    /// Returns the folder.
    pub fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // Whatever cannot be removed is left to the system, which clears its temporary folder.
        let _ = fs::remove_dir_all(&self.0);
    }
}
