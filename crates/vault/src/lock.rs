//! One writer for a vault: locks that the system lets go of when their owner dies.
//!
//! A lock in the state folder says who has the vault. It is worth nothing once somebody has removed that folder, so the
//! vault's own folder is locked too, where the system can do that: no file is left in it.

use std::fs::{File, TryLockError};
use std::io::{self, Seek, Write};
use std::path::Path;
use std::time::Duration;

use crate::disk::Disk;

/// A process that is just starting another one holds what it had open until that one has begun.
const MOMENTS: u32 = 5;
const MOMENT: Duration = Duration::from_millis(20);

/// Held as long as it lives.
#[derive(Debug)]
pub(crate) struct Lock {
    // Closing the file is what unlocks it.
    _file: File,
    id: Option<(u64, u64)>,
}

impl Lock {
    /// Takes the lock or says who has it. A dead owner has let go of it already.
    pub(crate) fn take(disk: &dyn Disk, path: &Path) -> io::Result<Result<Lock, Option<u32>>> {
        loop {
            let (mut file, id) = disk.open_to_lock(path)?;
            match try_for_a_moment(&file) {
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => return Ok(Err(Lock::owner(disk, path))),
                Err(TryLockError::Error(source)) => return Err(source),
            }
            if disk.stat(path)?.file_id != id {
                // Somebody removed it as we took it: what we hold is a file without a name.
                continue;
            }
            // The number only helps a person.
            let told = file.set_len(0).and_then(|()| file.rewind());
            told.and_then(|()| writeln!(file, "{}", std::process::id()))?;
            return Ok(Ok(Lock { _file: file, id }));
        }
    }

    /// Reads who has the lock; where a locked file cannot be read, nobody knows.
    pub(crate) fn owner(disk: &dyn Disk, path: &Path) -> Option<u32> {
        String::from_utf8(disk.read(path).ok()?).ok()?.trim().parse().ok()
    }

    /// Returns which file it is, where files have such a thing.
    pub(crate) fn id(&self) -> Option<(u64, u64)> {
        self.id
    }
}

/// Locks a folder; `None` where the system cannot, `Err` where somebody else has.
pub(crate) fn lock_folder(disk: &dyn Disk, folder: &Path) -> Result<Option<File>, ()> {
    let Ok(Some(file)) = disk.open_folder(folder) else { return Ok(None) };
    match try_for_a_moment(&file) {
        Ok(()) => Ok(Some(file)),
        Err(TryLockError::WouldBlock) => Err(()),
        Err(TryLockError::Error(_)) => Ok(None),
    }
}

fn try_for_a_moment(file: &File) -> Result<(), TryLockError> {
    for _ in 1..MOMENTS {
        match file.try_lock() {
            Err(TryLockError::WouldBlock) => std::thread::sleep(MOMENT),
            answer => return answer,
        }
    }
    file.try_lock()
}
