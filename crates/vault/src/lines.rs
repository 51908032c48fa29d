//! The lines of the journal: how a record is written, and what can be read of bytes that may be damaged.

use std::collections::HashMap;

use note::{ContentHash, RelPath};
use serde::{Deserialize, Serialize};

use crate::change::{Entry, Kept, OpId, State, Step};
use crate::journal::Replay;

/// Every line begins so; the text does not occur inside a record by accident.
const KEY: &str = "{\"blake3\":\"";
/// Comes between the checksum and the record.
const RECORD: &str = "\",\"record\":";
/// Hex digits of the checksum; it guards against decay, not against forgery.
const N_DIGITS: usize = 16;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub(crate) enum Record {
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
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        folded: bool,
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
    Version {
        op: OpId,
        at_ms: u64,
        path: RelPath,
        before: State,
        after: State,
    },
    /// No temporary file of an earlier change is left in the vault.
    Swept {
        at_ms: u64,
    },
}

pub(crate) fn line(record: &Record) -> Vec<u8> {
    sealed(&written(record))
}

fn written(record: &Record) -> String {
    serde_json::to_string(record).expect("a record has only text keys and no odd numbers")
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
pub(crate) struct Parsed {
    /// The text of each whole record. One of a kind that we do not know is a newer version's: it is kept as it is.
    pub(crate) records: Vec<(String, Option<Record>)>,
    pub(crate) damaged: Vec<u8>,
    pub(crate) n_damaged: usize,
    /// The length up to which every line is whole.
    pub(crate) good_len: usize,
    /// The last line is whole but for its line break.
    pub(crate) needs_newline: bool,
}

impl Parsed {
    pub(crate) fn of(bytes: &[u8]) -> Parsed {
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

    pub(crate) fn is_damaged(&self) -> bool {
        self.n_damaged > 0
    }

    /// Estimates how many bytes a rewrite would save.
    pub(crate) fn n_superfluous(&self) -> usize {
        let joined = self.joined();
        let is_joined = |record: &Record| matches!(record, Record::Done { op, .. } if joined.contains_key(op));
        let done = self.records.iter().filter(|(_, record)| record.as_ref().is_some_and(is_joined));
        done.map(|(json, _)| json.len()).sum()
    }

    /// Returns the changes whose two lines can be one, and when they were done.
    fn joined(&self) -> HashMap<OpId, u64> {
        let mut done = HashMap::new();
        let mut n_begun: HashMap<OpId, usize> = HashMap::new();
        for record in self.records.iter().filter_map(|(_, record)| record.as_ref()) {
            match record {
                Record::Done { op, at_ms } => drop(done.insert(*op, *at_ms)),
                Record::Begun { op, .. } => *n_begun.entry(*op).or_default() += 1,
                // An operation that was interrupted, or begun twice, keeps its lines in their order.
                Record::Interrupted { op, .. } => *n_begun.entry(*op).or_default() += 2,
                _ => {}
            }
        }
        done.retain(|op, _| n_begun.get(op) == Some(&1));
        done
    }

    /// Writes the same entries again, with the two lines of a finished change joined.
    pub(crate) fn rewrite(&self) -> Vec<u8> {
        let done = self.joined();
        let joins = |op: &OpId| done.contains_key(op);
        let mut bytes = Vec::new();
        for (json, record) in &self.records {
            match record {
                Some(Record::Begun { op, at_ms, steps, label, done_at_ms: None, folded }) if joins(op) => {
                    bytes.extend(line(&Record::Begun {
                        op: *op,
                        at_ms: *at_ms,
                        steps: steps.clone(),
                        label: label.clone(),
                        done_at_ms: done.get(op).copied(),
                        folded: *folded,
                    }))
                }
                Some(Record::Done { op, .. }) if joins(op) => {}
                _ => bytes.extend(sealed(json)),
            }
        }
        bytes
    }

    /// Returns the entries, and of each the place of its record.
    pub(crate) fn entries(&self) -> (Vec<Entry>, Vec<usize>) {
        let (mut entries, mut from_record) = (Vec::new(), Vec::new());
        for (at, (_, record)) in self.records.iter().enumerate() {
            if let Some(record) = record {
                record.clone().tell(&mut entries);
                from_record.resize(entries.len(), at);
            }
        }
        (entries, from_record)
    }

    /// Returns a journal of these entries, each with the place of the one it comes from, and of the records that nobody
    /// here knows.
    pub(crate) fn with(&self, rest: &[(usize, Entry)], from_record: &[usize]) -> Parsed {
        let mut rest = rest.iter().peekable();
        let mut records = Vec::new();
        for (at, (json, record)) in self.records.iter().enumerate() {
            if record.is_none() {
                records.push((json.clone(), None));
            }
            while let Some((_, entry)) = rest.next_if(|(from, _)| from_record[*from] == at) {
                let record = Record::from(entry);
                records.push((written(&record), Some(record)));
            }
        }
        Parsed { records, damaged: Vec::new(), n_damaged: 0, good_len: 0, needs_newline: false }
    }

    pub(crate) fn replay(self) -> Replay {
        let mut entries = Vec::with_capacity(self.records.len());
        let mut unswept_from = 0;
        for record in self.records.into_iter().filter_map(|(_, record)| record) {
            if let Record::Swept { .. } = record {
                unswept_from = entries.len();
            }
            record.tell(&mut entries);
        }
        Replay { entries, unswept_from, n_damaged: self.n_damaged }
    }
}

impl Record {
    /// Adds what it says.
    fn tell(self, entries: &mut Vec<Entry>) {
        match self {
            Record::Swept { .. } => {}
            Record::Begun { op, at_ms, steps, label, done_at_ms, folded } => {
                entries.push(Entry::Begun { op, at_ms, steps, label, folded });
                entries.extend(done_at_ms.map(|at_ms| Entry::Done { op, at_ms }));
            }
            Record::Recorded { op, at_ms, body } => entries.push(Entry::Recorded { op, at_ms, body }),
            Record::Done { op, at_ms } => entries.push(Entry::Done { op, at_ms }),
            Record::Undone { op, at_ms } => entries.push(Entry::Undone { op, at_ms }),
            Record::Interrupted { op, at_ms, files } => entries.push(Entry::Interrupted { op, at_ms, files }),
            Record::Released { op, at_ms } => entries.push(Entry::Released { op, at_ms }),
            Record::Kept { op, at_ms, path, hash } => {
                entries.push(Entry::Kept { at_ms, kept: Kept { op, path, hash } })
            }
            Record::Version { op, at_ms, path, before, after } => {
                entries.push(Entry::Version { op, at_ms, path, before, after });
            }
        }
    }
}

impl From<&Entry> for Record {
    fn from(entry: &Entry) -> Record {
        match entry.clone() {
            Entry::Recorded { op, at_ms, body } => Record::Recorded { op, at_ms, body },
            Entry::Begun { op, at_ms, steps, label, folded } => {
                Record::Begun { op, at_ms, steps, label, done_at_ms: None, folded }
            }
            Entry::Done { op, at_ms } => Record::Done { op, at_ms },
            Entry::Undone { op, at_ms } => Record::Undone { op, at_ms },
            Entry::Interrupted { op, at_ms, files } => Record::Interrupted { op, at_ms, files },
            Entry::Released { op, at_ms } => Record::Released { op, at_ms },
            Entry::Kept { at_ms, kept } => Record::Kept { op: kept.op, at_ms, path: kept.path, hash: kept.hash },
            Entry::Version { op, at_ms, path, before, after } => Record::Version { op, at_ms, path, before, after },
        }
    }
}
