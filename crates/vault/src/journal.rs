//! The journal: what was promised, decided and done, as JSON lines that can be read with `tail`.
//!
//! Each line carries a checksum of its record. A torn last line is dropped, a damaged line elsewhere is set aside: neither
//! is a reason not to open, because the hashes of the files say what really happened.

use std::collections::HashSet;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use note::ContentHash;

use crate::change::Entry;
use crate::disk::{Audience, Disk};
use crate::error::JournalError;
use crate::lines::{Parsed, Record, line};
use crate::retain::Rest;
use crate::tidy::hashes_in_bytes;

/// A rewrite that saves less than this is not worth the risk.
const WORTH_BYTES: usize = 64 * 1024;

/// The journal of one vault, open for appending.
pub(crate) struct Journal {
    path: PathBuf,
    disk: Arc<dyn Disk>,
    /// The length up to which every line is whole.
    good_len: u64,
    /// Something past `good_len` may have been written in part.
    torn: bool,
    /// Lines that could not be appended and need no promise; they go with the next one.
    backlog: Vec<u8>,
    unsynced: bool,
    /// The journal was replaced, and its name may not be durable yet: no promise may rest on it.
    unnamed: bool,
}

/// A journal that says the same in fewer lines.
pub(crate) struct Shorter {
    bytes: Vec<u8>,
    n_before: usize,
    /// How many entries are not in it.
    pub(crate) n_dropped: usize,
    /// What the journal names as it is, and what this one does.
    pub(crate) named_before: HashSet<ContentHash>,
    pub(crate) named_after: HashSet<ContentHash>,
}

impl Shorter {
    /// Returns how many bytes it saves.
    pub(crate) fn n_saved(&self) -> u64 {
        self.n_before.saturating_sub(self.bytes.len()) as u64
    }
}

/// What the journal held when it was opened.
pub(crate) struct Replay {
    /// Every entry, oldest first.
    pub(crate) entries: Vec<Entry>,
    /// Where the entries begin whose temporary files may still lie in the vault.
    pub(crate) unswept_from: usize,
    /// Lines that were set aside.
    pub(crate) n_damaged: usize,
}

impl Journal {
    /// Opens or creates the journal and reads it. Only a folder that cannot be used at all is an error.
    pub(crate) fn open(path: PathBuf, disk: Arc<dyn Disk>) -> io::Result<(Journal, Replay)> {
        let bytes = match disk.read(&path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                disk.append(&path, b"")?;
                if let Some(dir) = path.parent() {
                    disk.sync_dirs(&[dir])?;
                }
                Vec::new()
            }
            Err(error) => return Err(error),
        };
        let parsed = Parsed::of(&bytes);
        let mut journal = Journal {
            path,
            disk,
            good_len: parsed.good_len as u64,
            torn: parsed.good_len < bytes.len(),
            backlog: Vec::new(),
            unsynced: false,
            unnamed: false,
        };
        // Whatever fails here is tried again by the next append.
        if parsed.is_damaged() || parsed.n_superfluous() >= WORTH_BYTES {
            let _ = journal.replace(&parsed);
        }
        let _ = journal.mend();
        if parsed.needs_newline {
            journal.backlog.push(b'\n');
        }
        Ok((journal, parsed.replay()))
    }

    /// Appends an entry and waits until it is on the medium. If it cannot, the journal is as before.
    pub(crate) fn promise(&mut self, entry: &Entry) -> Result<(), JournalError> {
        self.append_durably(&line(&Record::from(entry))).map_err(|source| JournalError::from_io(source, "journal"))
    }

    /// Appends an entry that recovery could do without. It is never refused: what fails now goes with the next append.
    pub(crate) fn note(&mut self, entry: &Entry) {
        self.note_record(&Record::from(entry));
    }

    /// Notes that nothing of ours lies in the vault.
    pub(crate) fn note_swept(&mut self) {
        let at_ms = self.disk.now_ms();
        self.note_record(&Record::Swept { at_ms });
    }

    fn note_record(&mut self, record: &Record) {
        self.backlog.extend(line(record));
        let waiting = std::mem::take(&mut self.backlog);
        match self.append(&waiting) {
            Ok(()) => self.unsynced = true,
            Err(_) => self.backlog = waiting,
        }
    }

    /// Makes durable whatever was noted.
    pub(crate) fn flush(&mut self) -> Result<(), JournalError> {
        if self.backlog.is_empty() && !self.unsynced {
            return Ok(());
        }
        self.append_durably(b"").map_err(|source| JournalError::from_io(source, "journal"))
    }

    /// Reads all entries back.
    pub(crate) fn entries(&self) -> Result<Vec<Entry>, JournalError> {
        let bytes = self.bytes().map_err(|source| JournalError::from_io(source, "journal"))?;
        Ok(Parsed::of(&bytes).replay().entries)
    }

    /// Returns its length, with what waits to be written.
    pub(crate) fn len(&self) -> u64 {
        self.good_len + self.backlog.len() as u64
    }

    fn bytes(&self) -> io::Result<Vec<u8>> {
        let mut bytes = self.disk.read(&self.path)?;
        bytes.truncate(usize::try_from(self.good_len).unwrap_or(usize::MAX));
        bytes.extend(&self.backlog);
        Ok(bytes)
    }

    /// Works out a journal that holds only what `retain` leaves; every line of a newer version stays.
    pub(crate) fn shorter(&self, retain: impl FnOnce(&[Entry]) -> Rest) -> io::Result<Shorter> {
        let bytes = self.bytes()?;
        let parsed = Parsed::of(&bytes);
        let (entries, from_record) = parsed.entries();
        let mut rest = retain(&entries);
        let strange = parsed.records.iter().filter(|(_, record)| record.is_none());
        let strange: Vec<ContentHash> = strange.flat_map(|(json, _)| hashes_in_bytes(json.as_bytes())).collect();
        rest.named.extend(&strange);
        let at_ms = self.disk.now_ms();
        Ok(Shorter {
            n_before: bytes.len(),
            n_dropped: entries.len().saturating_sub(rest.entries.len()),
            named_before: entries.iter().flat_map(Entry::hashes).chain(strange).collect(),
            named_after: rest.named,
            bytes: [parsed.with(&rest.entries, &from_record).rewrite(), line(&Record::Swept { at_ms })].concat(),
        })
    }

    /// Puts a shorter journal in place of this one; nothing of ours may lie in the vault.
    pub(crate) fn replace_with(&mut self, shorter: &Shorter) -> io::Result<()> {
        self.mend()?;
        self.put_in_place(&shorter.bytes)
    }

    fn append_durably(&mut self, line: &[u8]) -> io::Result<()> {
        let waiting = std::mem::take(&mut self.backlog);
        let bytes = [&waiting, line].concat();
        let before = self.good_len;
        let named = self.settle_name();
        let appended = named.and_then(|()| self.append(&bytes)).and_then(|()| self.disk.sync(&[&self.path]));
        match appended {
            Ok(()) => self.unsynced = false,
            Err(_) => {
                // A line that may or may not survive must not be there: its promise was refused.
                self.backlog = waiting;
                self.good_len = before;
                self.torn = true;
                let _ = self.mend();
            }
        }
        appended
    }

    fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.mend()?;
        if bytes.is_empty() {
            return Ok(());
        }
        match self.disk.append(&self.path, bytes) {
            Ok(()) => {
                self.good_len += bytes.len() as u64;
                Ok(())
            }
            Err(error) => {
                self.torn = true;
                let _ = self.mend();
                Err(error)
            }
        }
    }

    fn mend(&mut self) -> io::Result<()> {
        if self.torn {
            self.disk.truncate(&self.path, self.good_len)?;
            self.torn = false;
        }
        Ok(())
    }

    /// Puts a rewritten journal in place of the old one, after saving what was damaged in it.
    fn replace(&mut self, parsed: &Parsed) -> io::Result<()> {
        if !parsed.damaged.is_empty() {
            let aside = self.path.with_file_name("journal.damaged");
            self.disk.append(&aside, &parsed.damaged)?;
            self.disk.sync(&[&aside])?;
        }
        self.put_in_place(&parsed.rewrite())
    }

    fn put_in_place(&mut self, rewritten: &[u8]) -> io::Result<()> {
        let fresh = self.path.with_extension("jsonl.new");
        remove_if_there(&*self.disk, &fresh)?;
        self.disk.write_temp(&fresh, rewritten, Audience::Private)?;
        self.disk.sync(&[&fresh])?;
        self.disk.rename(&fresh, &self.path)?;
        self.good_len = rewritten.len() as u64;
        self.torn = false;
        self.backlog.clear();
        self.unsynced = false;
        self.unnamed = true;
        self.settle_name()
    }

    fn settle_name(&mut self) -> io::Result<()> {
        if self.unnamed
            && let Some(dir) = self.path.parent()
        {
            self.disk.sync_dirs(&[dir])?;
        }
        self.unnamed = false;
        Ok(())
    }
}

fn remove_if_there(disk: &dyn Disk, path: &Path) -> io::Result<()> {
    match disk.remove(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}
