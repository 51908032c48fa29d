//! The journal: what was promised, decided and done, as JSON lines that can be read with `tail`.
//!
//! Each line carries a checksum of its record. A torn last line is dropped, a damaged line elsewhere is set aside: neither
//! is a reason not to open, because the hashes of the files say what really happened.

use std::collections::{BTreeMap, HashSet};
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use note::{ContentHash, RelPath};

use crate::blobs::Stored;
use crate::change::Entry;
use crate::disk::{Audience, Disk, Kind};
use crate::error::JournalError;
use crate::lines::{Parsed, Record, line};
use crate::retain::Rest;
use crate::state_dir::set_aside;
use crate::tidy::hashes_in_bytes;
use crate::{Health, HealthNotice};

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
    /// The file itself, whatever becomes of its name.
    held: Option<File>,
    id: Option<(u64, u64)>,
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
    /// The texts of its steps, those of one file beside each other.
    pub(crate) order: Vec<ContentHash>,
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
    /// Opens or creates the journal and reads it. One that cannot be read is set aside; only a folder that cannot be used
    /// at all is an error.
    pub(crate) fn open(path: PathBuf, disk: Arc<dyn Disk>, health: &Health) -> io::Result<(Journal, Replay)> {
        // Asked twice: what was promised is given up only if it cannot be read at all.
        let read = read_file(&*disk, &path).or_else(|error| match error.kind() {
            io::ErrorKind::NotFound => Err(error),
            _ => read_file(&*disk, &path),
        });
        let bytes = match read {
            Ok(bytes) => bytes,
            Err(error) => {
                if error.kind() != io::ErrorKind::NotFound {
                    let aside = set_aside(&*disk, &path)?;
                    let name = aside.file_name().unwrap_or_default().to_string_lossy().into_owned();
                    health.note(HealthNotice::JournalSetAside { name });
                }
                disk.append(&path, b"")?;
                if let Some(dir) = path.parent() {
                    disk.sync_dirs(&[dir])?;
                }
                Vec::new()
            }
        };
        let refusal = disk.refusal(&path);
        let parsed = Parsed::of(&bytes);
        let mut journal = Journal {
            path,
            disk,
            good_len: parsed.good_len as u64,
            torn: parsed.good_len < bytes.len(),
            backlog: Vec::new(),
            // An earlier process may have died before it synced.
            unsynced: true,
            unnamed: false,
            held: None,
            id: None,
        };
        journal.hold();
        if refusal.is_some() {
            // The file is write-protected; one of the same lines that is ours takes its place.
            journal.put_in_place(&bytes[..parsed.good_len])?;
        }
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

    /// Reads a journal that cannot be written; nothing is promised, noted or mended.
    pub(crate) fn to_read(path: PathBuf, disk: Arc<dyn Disk>) -> (Journal, Replay) {
        let bytes = disk.read(&path).unwrap_or_default();
        let parsed = Parsed::of(&bytes);
        let journal = Journal {
            path,
            disk,
            good_len: parsed.good_len as u64,
            torn: false,
            backlog: Vec::new(),
            unsynced: false,
            unnamed: false,
            held: None,
            id: None,
        };
        (journal, parsed.replay())
    }

    /// Keeps the journal in hand, so that its lines are not lost with its name.
    fn hold(&mut self) {
        self.id = self.disk.stat(&self.path).ok().and_then(|meta| meta.file_id);
        self.held = self.disk.hold(&self.path).ok().flatten();
    }

    /// Returns which file it is, where files have such a thing.
    pub(crate) fn id(&self) -> Option<(u64, u64)> {
        self.id
    }

    /// Writes the journal again after somebody removed or replaced it. What lies in its place is set aside.
    pub(crate) fn restore(&mut self) -> io::Result<()> {
        let mut bytes = match &self.held {
            Some(file) => self.disk.read_held(file)?,
            None => Vec::new(),
        };
        bytes.truncate(usize::try_from(self.good_len).unwrap_or(usize::MAX));
        bytes.extend(&self.backlog);
        match self.disk.stat(&self.path) {
            Ok(_) => drop(set_aside(&*self.disk, &self.path)?),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
        self.put_in_place(&bytes)
    }

    /// Appends an entry and waits until it is on the medium. If it cannot, the journal is as before.
    pub(crate) fn promise(&mut self, entry: &Entry) -> Result<(), JournalError> {
        self.promise_with(entry, &Stored::default())
    }

    /// The same for an entry and the texts that it names, which are waited for together.
    pub(crate) fn promise_with(&mut self, entry: &Entry, texts: &Stored) -> Result<(), JournalError> {
        self.promise_all(&[entry], texts)
    }

    /// The same for entries that only mean something together.
    pub(crate) fn promise_all(&mut self, entries: &[&Entry], texts: &Stored) -> Result<(), JournalError> {
        let lines: Vec<u8> = entries.iter().flat_map(|entry| line(&Record::from(*entry))).collect();
        let appended = self.append_durably(&lines, texts);
        appended.map_err(|source| JournalError::from_io(source, "journal"))
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
        self.append_durably(b"", &Stored::default()).map_err(|source| JournalError::from_io(source, "journal"))
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
            order: by_file(&entries),
            bytes: [parsed.with(&rest.entries, &from_record).rewrite(), line(&Record::Swept { at_ms })].concat(),
        })
    }

    /// Puts a shorter journal in place of this one; nothing of ours may lie in the vault.
    pub(crate) fn replace_with(&mut self, shorter: &Shorter) -> io::Result<()> {
        self.mend()?;
        self.put_in_place(&shorter.bytes)
    }

    fn append_durably(&mut self, line: &[u8], texts: &Stored) -> io::Result<()> {
        let waiting = std::mem::take(&mut self.backlog);
        let bytes = [&waiting, line].concat();
        let before = self.good_len;
        let named = self.settle_name();
        let appended = named.and_then(|()| self.append(&bytes)).and_then(|()| match &texts.files()[..] {
            [] => self.disk.sync(&[&self.path]),
            texts_of => self.disk.sync_both(&[&[&*self.path], texts_of].concat(), &texts.dirs()),
        });
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
        if remove_if_there(&*self.disk, &fresh).is_err() {
            set_aside(&*self.disk, &fresh)?;
        }
        self.disk.write_temp(&fresh, rewritten, Audience::Private)?;
        self.disk.sync(&[&fresh])?;
        self.disk.rename(&fresh, &self.path)?;
        self.good_len = rewritten.len() as u64;
        self.torn = false;
        self.backlog.clear();
        self.unsynced = false;
        self.unnamed = true;
        self.hold();
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

/// Lists the texts of all steps file by file, the oldest first: texts that are much alike stand together.
fn by_file(entries: &[Entry]) -> Vec<ContentHash> {
    let mut files: BTreeMap<&RelPath, Vec<ContentHash>> = BTreeMap::new();
    for entry in entries {
        if let Entry::Begun { steps, .. } = entry {
            for step in steps {
                let texts = [step.before.hash(), step.after.hash()];
                files.entry(&step.path).or_default().extend(texts.into_iter().flatten());
            }
        }
    }
    let mut seen = HashSet::new();
    files.into_values().flatten().filter(|hash| seen.insert(*hash)).collect()
}

/// Reads a file, and nothing that would have to be waited for, as a pipe.
fn read_file(disk: &dyn Disk, path: &Path) -> io::Result<Vec<u8>> {
    match disk.stat(path)?.kind {
        Kind::Other => Err(io::ErrorKind::InvalidData.into()),
        Kind::File | Kind::Folder | Kind::Link => disk.read(path),
    }
}

fn remove_if_there(disk: &dyn Disk, path: &Path) -> io::Result<()> {
    match disk.remove(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}
