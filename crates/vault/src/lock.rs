//! One writer for a vault: a lock that the system lets go of when its owner dies.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read, Seek, Write};
use std::path::Path;
use std::time::Duration;

use crate::error::OpenError;

/// A process that is just starting another one holds what it had open until that one has begun.
const MOMENTS: u32 = 5;
const MOMENT: Duration = Duration::from_millis(20);

/// Held as long as it lives.
#[derive(Debug)]
pub(crate) struct Lock(#[expect(dead_code, reason = "closing the file is what unlocks it")] File);

impl Lock {
    /// Takes the lock or says who has it. A dead owner has let go of it already.
    pub(crate) fn take(path: &Path) -> Result<Lock, OpenError> {
        let refuse = |source: std::io::Error| OpenError::State { path: path.to_owned(), reason: source.to_string() };
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let mut file = options.open(path).map_err(refuse)?;
        match try_for_a_moment(&file) {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let mut owner = String::new();
                // The number only helps a person; where a locked file cannot be read there is none.
                let read = file.read_to_string(&mut owner);
                return Err(OpenError::Locked { pid: read.ok().and_then(|_| owner.trim().parse().ok()) });
            }
            Err(TryLockError::Error(source)) => return Err(refuse(source)),
        }
        file.set_len(0)
            .and_then(|()| file.rewind())
            .and_then(|()| writeln!(file, "{}", std::process::id()))
            .map_err(refuse)?;
        Ok(Lock(file))
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
