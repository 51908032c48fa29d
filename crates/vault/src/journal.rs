//! The journal: what was promised, decided and done, as JSON lines that can be read with `tail`.
//!
//! Each line carries a checksum of its record. A torn last line is dropped, a damaged line elsewhere is set aside: neither
//! is a reason not to open, because the hashes of the files say what really happened.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use note::{ContentHash, RelPath};
use serde::{Deserialize, Serialize};

use crate::change::{Entry, Kept, OpId, Step};
use crate::disk::{Audience, Disk};
use crate::error::JournalError;

/// Every line begins so; the text does not occur inside a record by accident.
const KEY: &str = "{\"blake3\":\"";
/// Comes between the checksum and the record.
const RECORD: &str = "\",\"record\":";
/// Hex digits of the checksum; it guards against decay, not against forgery.
const N_DIGITS: usize = 16;
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

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
enum Record {
    Recorded {
        op: OpId,
        at_ms: u64,
        body: serde_json::Value,
    },
    Begun {
        op: OpId,
        at_ms: u64,
        steps: Vec<Step>,
        label: serde_json::Value,
        /// Set when a rewrite joined the two lines of a change that was done.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        done_at_ms: Option<u64>,
    },
    Done {
        op: OpId,
        at_ms: u64,
    },
    Undone {
        op: OpId,
        at_ms: u64,
    },
    Interrupted {
        op: OpId,
        at_ms: u64,
        files: Vec<RelPath>,
    },
    Released {
        op: OpId,
        at_ms: u64,
    },
    Kept {
        op: OpId,
        at_ms: u64,
        path: RelPath,
        hash: ContentHash,
    },
    /// No temporary file of an earlier change is left in the vault.
    Swept {
        at_ms: u64,
    },
}

impl Journal {
    /// Opens or creates the journal and reads it. Only a folder that cannot be used at all is an error.
    pub(crate) fn open(path: PathBuf, disk: Arc<dyn Disk>) -> io::Result<(Journal, Replay)> {
        let bytes = match disk.read(&path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                disk.append(&path, b"")?;
                if let Some(dir) = path.parent() {
                    disk.sync_dir(dir)?;
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
        };
        // Whatever fails here is tried again by the next append.
        let rewritten = parsed.rewrite();
        if parsed.is_damaged() || bytes.len().saturating_sub(rewritten.len()) >= WORTH_BYTES {
            let _ = journal.replace(&parsed, &rewritten);
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
        let mut bytes = self.disk.read(&self.path).map_err(|source| JournalError::from_io(source, "journal"))?;
        bytes.truncate(usize::try_from(self.good_len).unwrap_or(usize::MAX));
        bytes.extend(&self.backlog);
        Ok(Parsed::of(&bytes).replay().entries)
    }

    fn append_durably(&mut self, line: &[u8]) -> io::Result<()> {
        let waiting = std::mem::take(&mut self.backlog);
        let bytes = [&waiting, line].concat();
        let before = self.good_len;
        let appended = self.append(&bytes).and_then(|()| self.disk.sync(&self.path));
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
    fn replace(&mut self, parsed: &Parsed, rewritten: &[u8]) -> io::Result<()> {
        if !parsed.damaged.is_empty() {
            let aside = self.path.with_file_name("journal.damaged");
            self.disk.append(&aside, &parsed.damaged)?;
            self.disk.sync(&aside)?;
        }
        let fresh = self.path.with_extension("jsonl.new");
        remove_if_there(&*self.disk, &fresh)?;
        self.disk.write_temp(&fresh, rewritten, Audience::Private)?;
        self.disk.sync(&fresh)?;
        self.disk.rename(&fresh, &self.path)?;
        self.good_len = rewritten.len() as u64;
        self.torn = false;
        match self.path.parent() {
            Some(dir) => self.disk.sync_dir(dir),
            None => Ok(()),
        }
    }
}

fn remove_if_there(disk: &dyn Disk, path: &Path) -> io::Result<()> {
    match disk.remove(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

fn line(record: &Record) -> Vec<u8> {
    let json = serde_json::to_string(record).expect("a record has only text keys and no odd numbers");
    sealed(&json)
}

fn sealed(json: &str) -> Vec<u8> {
    format!("{KEY}{}{RECORD}{json}}}\n", checksum(json.as_bytes())).into_bytes()
}

fn checksum(json: &[u8]) -> String {
    ContentHash::of(json).to_string()[..N_DIGITS].to_owned()
}

/// Returns the record text of a whole line (without its line break).
fn unseal(line: &[u8]) -> Option<&str> {
    let rest = line.strip_prefix(KEY.as_bytes())?;
    let (sum, rest) = rest.split_at_checked(N_DIGITS)?;
    let json = rest.strip_prefix(RECORD.as_bytes())?.strip_suffix(b"}")?;
    (checksum(json).as_bytes() == sum).then(|| std::str::from_utf8(json).ok()).flatten()
}

/// Finds the whole lines in one that is not: two lines run together when the byte between them is damaged.
fn salvage(line: &[u8]) -> Vec<&str> {
    let starts: Vec<usize> = line
        .windows(KEY.len())
        .enumerate()
        .filter(|(_, window)| *window == KEY.as_bytes())
        .map(|(at, _)| at)
        .take(64)
        .collect();
    let mut found = Vec::new();
    let mut from = 0;
    while from < starts.len() {
        let start = starts[from];
        let whole = (from + 1..=starts.len()).find_map(|next| {
            let end = starts.get(next).copied().unwrap_or(line.len());
            let inner = &line[start..end];
            let json = unseal(inner).or_else(|| unseal(&inner[..inner.len() - 1]))?;
            Some((next, json))
        });
        match whole {
            Some((next, json)) => {
                found.push(json);
                from = next;
            }
            None => from += 1,
        }
    }
    found
}

/// A journal's bytes, understood.
struct Parsed {
    /// The text of each whole record. One of a kind that we do not know is a newer version's: it is kept as it is.
    records: Vec<(String, Option<Record>)>,
    damaged: Vec<u8>,
    n_damaged: usize,
    good_len: usize,
    /// The last line is whole but for its line break.
    needs_newline: bool,
}

impl Parsed {
    fn of(bytes: &[u8]) -> Parsed {
        let mut parsed =
            Parsed { records: Vec::new(), damaged: Vec::new(), n_damaged: 0, good_len: 0, needs_newline: false };
        for piece in bytes.split_inclusive(|byte| *byte == b'\n') {
            match piece.strip_suffix(b"\n") {
                Some([]) => {}
                Some(line) => match unseal(line) {
                    Some(json) => parsed.push(json),
                    None => parsed.set_aside(line),
                },
                None => match (unseal(piece), salvage(piece)) {
                    (Some(json), _) => {
                        parsed.push(json);
                        parsed.needs_newline = true;
                    }
                    // Torn by a crash in the middle of an append: it was never promised.
                    (None, salvaged) if salvaged.is_empty() => return parsed,
                    (None, _) => {
                        parsed.set_aside(piece);
                        parsed.needs_newline = true;
                    }
                },
            }
            parsed.good_len += piece.len();
        }
        parsed
    }

    fn push(&mut self, json: &str) {
        let record = serde_json::from_str(json).ok();
        self.records.push((json.to_owned(), record));
    }

    fn set_aside(&mut self, line: &[u8]) {
        for json in salvage(line) {
            self.push(json);
        }
        self.damaged.extend(line);
        self.damaged.push(b'\n');
        self.n_damaged += 1;
    }

    fn is_damaged(&self) -> bool {
        self.n_damaged > 0
    }

    /// Writes the same entries again, with the two lines of a finished change joined.
    fn rewrite(&self) -> Vec<u8> {
        let mut done = std::collections::HashMap::new();
        for (_, record) in &self.records {
            if let Some(Record::Done { op, at_ms }) = record {
                done.insert(*op, *at_ms);
            }
        }
        // An operation that was interrupted, or begun twice, keeps its lines in their order.
        let mut n_begun = std::collections::HashMap::new();
        for (_, record) in &self.records {
            match record {
                Some(Record::Begun { op, .. }) => *n_begun.entry(*op).or_insert(0) += 1,
                Some(Record::Interrupted { op, .. }) => *n_begun.entry(*op).or_insert(0) += 2,
                _ => {}
            }
        }
        let joins = |op: &OpId| done.contains_key(op) && n_begun.get(op) == Some(&1);
        let mut bytes = Vec::new();
        for (json, record) in &self.records {
            match record {
                Some(Record::Begun { op, at_ms, steps, label, done_at_ms: None }) if joins(op) => {
                    bytes.extend(line(&Record::Begun {
                        op: *op,
                        at_ms: *at_ms,
                        steps: steps.clone(),
                        label: label.clone(),
                        done_at_ms: done.get(op).copied(),
                    }))
                }
                Some(Record::Done { op, .. }) if joins(op) => {}
                _ => bytes.extend(sealed(json)),
            }
        }
        bytes
    }

    fn replay(self) -> Replay {
        let mut entries = Vec::with_capacity(self.records.len());
        let mut unswept_from = 0;
        for (_, record) in self.records {
            match record {
                None => {}
                Some(Record::Swept { .. }) => unswept_from = entries.len(),
                Some(Record::Begun { op, at_ms, steps, label, done_at_ms }) => {
                    entries.push(Entry::Begun { op, at_ms, steps, label });
                    if let Some(at_ms) = done_at_ms {
                        entries.push(Entry::Done { op, at_ms });
                    }
                }
                Some(Record::Recorded { op, at_ms, body }) => {
                    entries.push(Entry::Recorded { op, at_ms, body });
                }
                Some(Record::Done { op, at_ms }) => entries.push(Entry::Done { op, at_ms }),
                Some(Record::Undone { op, at_ms }) => entries.push(Entry::Undone { op, at_ms }),
                Some(Record::Interrupted { op, at_ms, files }) => {
                    entries.push(Entry::Interrupted { op, at_ms, files });
                }
                Some(Record::Released { op, at_ms }) => {
                    entries.push(Entry::Released { op, at_ms });
                }
                Some(Record::Kept { op, at_ms, path, hash }) => {
                    entries.push(Entry::Kept { at_ms, kept: Kept { op, path, hash } })
                }
            }
        }
        Replay { entries, unswept_from, n_damaged: self.n_damaged }
    }
}

impl From<&Entry> for Record {
    fn from(entry: &Entry) -> Record {
        match entry.clone() {
            Entry::Recorded { op, at_ms, body } => Record::Recorded { op, at_ms, body },
            Entry::Begun { op, at_ms, steps, label } => Record::Begun { op, at_ms, steps, label, done_at_ms: None },
            Entry::Done { op, at_ms } => Record::Done { op, at_ms },
            Entry::Undone { op, at_ms } => Record::Undone { op, at_ms },
            Entry::Interrupted { op, at_ms, files } => Record::Interrupted { op, at_ms, files },
            Entry::Released { op, at_ms } => Record::Released { op, at_ms },
            Entry::Kept { at_ms, kept } => Record::Kept { op: kept.op, at_ms, path: kept.path, hash: kept.hash },
        }
    }
}
