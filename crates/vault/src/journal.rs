//! The journal: JSON lines, each with a checksum.
use crate::change::Entry;
use crate::disk::Disk;
use crate::error::JournalError;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;

pub(crate) struct Journal {}

pub(crate) struct Replay {
    pub(crate) n_damaged: usize,
}

impl Journal {
    pub(crate) fn open(_path: PathBuf, _disk: Arc<dyn Disk>) -> io::Result<(Journal, Replay)> {
        Ok((Journal {}, Replay { n_damaged: 0 }))
    }
    pub(crate) fn promise(&mut self, _entry: &Entry) -> Result<(), JournalError> {
        Ok(())
    }
    pub(crate) fn entries(&self) -> Result<Vec<Entry>, JournalError> {
        Ok(vec![])
    }
}
