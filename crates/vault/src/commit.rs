//! The only call that writes into a vault.
//!
//! The order is the promise: look at every file; keep every text and say in the journal what will happen; do it, swapping
//! and looking; say that it is done. A crash after the second finds in the journal what to finish, and in the hashes how
//! far it came. Texts and journal are waited for together, since no file has changed before all of them are durable; a
//! crash meanwhile leaves every file as it was, and a promise without its texts counts as none.

use std::collections::HashMap;
use std::io;
use std::path::PathBuf;

use note::{ContentHash, RelPath};

use crate::blobs::Stored;
use crate::change::{Change, Committed, Entry, Interrupted, OpId, State, Step};
use crate::disk::Kind;
use crate::error::{CommitError, JournalError};
use crate::fault::crash_point;
use crate::item::{Item, Way, look, pair_moves};
use crate::place::{NoPlace, is_off_limits};
use crate::scan::{ROOT_IS_GONE, placeholder};
use crate::settle::{Found, Halt, Settling, Stop};
use crate::state_dir::unusable;
use crate::{MAX_FILE_LEN, Vault};

/// Texts by their hash.
pub(crate) type Texts = HashMap<ContentHash, Vec<u8>>;

/// The text of a larger file is not kept when the file is only moved.
const KEPT_WHEN_MOVED: u64 = 1024 * 1024;

impl Vault {
    /// Makes a change: all of its steps or none.
    ///
    /// Unless the answer is [`CommitError::Interrupted`], an error means that no file holds anything of the change.
    pub fn commit(&mut self, change: Change) -> Result<Committed, CommitError> {
        if let Some(step) = change.steps.first() {
            let path = step.path.clone();
            self.own().map_err(|reason| CommitError::ReadOnly { path, reason })?;
        }

        // Look at every file.
        let (mut items, mut texts) = self.look_at(&change)?;
        let written: Vec<Step> = items.iter().filter(|item| item.way != Way::Guard).map(Item::step).collect();
        let committed = Committed { op: change.op, paths: written.iter().map(|step| step.path.clone()).collect() };
        if written.is_empty() {
            return Ok(committed);
        }

        // Keep every text.
        for bytes in change.contents {
            texts.insert(ContentHash::of(&bytes), bytes);
        }
        let stored = self.keep_texts(&items, &texts)?;
        crash_point("blobs");

        // Say what will happen.
        let begun = Entry::Begun {
            op: change.op,
            at_ms: self.disk.now_ms(),
            steps: written,
            label: change.label,
            folded: false,
        };
        match self.journal.promise_with(&begun, &stored) {
            Ok(()) => self.blobs.is_durable(stored),
            Err(error) => {
                self.blobs.forget(&stored);
                return Err(error.into());
            }
        }
        crash_point("begun");
        self.unswept = true;

        // Do it.
        let mut settling = self.settling(change.op, texts);
        let outcome = settling.forward(&mut items);
        let left = match outcome {
            Ok(()) => {
                settling.clear_up(&items);
                Vec::new()
            }
            Err(_) => settling.take_back(&mut items),
        };
        let found = settling.found();
        self.take_over(found);
        if let Err(halt) = outcome {
            return Err(self.taken_back(change.op, &items, &left, halt));
        }

        // Say that it is done. Recovery could tell by the hashes, so this need not be durable at once.
        self.journal.note(&Entry::Done { op: change.op, at_ms: self.disk.now_ms() });
        crash_point("done");
        self.interrupted.retain(|waiting| waiting.op != change.op);
        Ok(committed)
    }

    /// Finds the place of every step and checks that what is there is what the change was made for.
    fn look_at(&self, change: &Change) -> Result<(Vec<Item>, Texts), CommitError> {
        if let Some(step) = change.steps.first()
            && self.reader.is_root_gone()
        {
            return Err(CommitError::ReadOnly { path: step.path.clone(), reason: ROOT_IS_GONE.to_owned() });
        }
        let mut items: Vec<Item> = Vec::with_capacity(change.steps.len());
        let mut by_file: HashMap<PathBuf, usize> = HashMap::new();
        for step in &change.steps {
            self.refuse_waiting(change.op, step)?;
            if is_off_limits(&step.path) {
                return Err(CommitError::Outside { path: step.path.clone() });
            }
            let item =
                Item::find(&*self.disk, self.reader.root(), change.op, step).map_err(|no| refuse(&step.path, no))?;
            match by_file.get(&item.file).map(|at| &items[*at]) {
                None => {
                    by_file.insert(item.file.clone(), items.len());
                    items.push(item);
                }
                // A link and the file that it leads to, changed alike, are one file.
                Some(known) if known.before == item.before && known.after == item.after => {}
                Some(_) => {
                    return Err(CommitError::Invalid {
                        path: step.path.clone(),
                        reason: "the same file is changed in two ways".to_owned(),
                    });
                }
            }
        }
        pair_moves(&*self.disk, &mut items).map_err(|source| CommitError::from_io(&change.steps[0].path, source))?;

        let mut texts = HashMap::new();
        for at in 0..items.len() {
            let found =
                self.text_of(&items, at, &mut texts).map_err(|source| CommitError::from_io(&items[at].path, source))?;
            if found != items[at].before {
                return Err(CommitError::Stale { path: items[at].path.clone(), expected: items[at].before, found });
            }
        }
        for item in &items {
            self.refuse_protected(item)?;
        }
        Ok((items, texts))
    }

    /// Looks at one file, remembering its text if it will be displaced.
    fn text_of(&self, items: &[Item], at: usize, texts: &mut Texts) -> io::Result<State> {
        let item = &items[at];
        let is_twin = items.iter().any(|other| matches!(other.way, Way::MoveTo { to, twin: true } if to == at));
        if is_twin {
            return Ok(State::Absent);
        }
        let len = match self.disk.stat(&item.file) {
            Ok(meta) if matches!(meta.kind, Kind::File | Kind::Link) => meta.len,
            _ => return look(&*self.disk, &item.file),
        };
        let keeps = match item.way {
            Way::Guard | Way::Create | Way::Carried => false,
            Way::MoveTo { .. } => len <= KEPT_WHEN_MOVED,
            Way::Replace | Way::InPlace | Way::Remove => true,
        };
        if !keeps {
            return look(&*self.disk, &item.file);
        }
        if len > MAX_FILE_LEN {
            return Err(io::Error::new(io::ErrorKind::FileTooLarge, "it is too large to keep in the history"));
        }
        let text = self.disk.read(&item.file)?;
        let hash = ContentHash::of(&text);
        texts.insert(hash, text);
        Ok(State::Is(hash))
    }

    fn refuse_waiting(&self, op: OpId, step: &Step) -> Result<(), CommitError> {
        // The operation itself may go on: that is how a person finishes it.
        let waiting = self.interrupted.iter().find(|waiting| waiting.op != op && waiting.files.contains(&step.path));
        match waiting {
            Some(Interrupted { op, files, .. }) => Err(CommitError::Interrupted { op: *op, files: files.clone() }),
            None => Ok(()),
        }
    }

    fn refuse_protected(&self, item: &Item) -> Result<(), CommitError> {
        let reason = match item.way {
            Way::Guard => None,
            Way::Create | Way::Carried => {
                if self.disk.stat(&placeholder(&item.file)).is_ok() {
                    Some("it is not downloaded yet".to_owned())
                } else {
                    self.disk.refusal(item.existing_dir())
                }
            }
            Way::InPlace => self.disk.refusal(&item.file),
            Way::Replace => self.disk.refusal(&item.file).or_else(|| self.disk.refusal(item.dir())),
            Way::Remove | Way::MoveTo { .. } => self.disk.refusal(item.dir()),
        };
        match reason {
            Some(reason) => Err(CommitError::ReadOnly { path: item.path.clone(), reason }),
            None => Ok(()),
        }
    }

    /// Stores every text; it is durable once the journal's promise is.
    fn keep_texts(&self, items: &[Item], texts: &Texts) -> Result<Stored, CommitError> {
        let mut needed: Vec<(ContentHash, &[u8])> = Vec::new();
        for item in items.iter().filter(|item| item.way != Way::Guard) {
            for hash in [item.before.hash(), item.after.hash()].into_iter().flatten() {
                match texts.get(&hash) {
                    Some(text) => needed.push((hash, text)),
                    // A large file that is only moved keeps its text itself.
                    None if matches!(item.way, Way::MoveTo { .. } | Way::Carried) => {}
                    None if self.blobs.claim(&hash) => {}
                    None => {
                        return Err(CommitError::Invalid {
                            path: item.path.clone(),
                            reason: "the new text is neither given nor in the history".to_owned(),
                        });
                    }
                }
            }
        }
        self.blobs.store(&needed).map_err(|source| match source.kind() {
            io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
                CommitError::ReadOnly { path: items[0].path.clone(), reason: unusable(&self.state, &source) }
            }
            _ => JournalError::from_io(source, "history").into(),
        })
    }

    /// Records that an operation did not go through, and says why.
    fn taken_back(&mut self, op: OpId, items: &[Item], left: &[usize], halt: Halt) -> CommitError {
        let at_ms = self.disk.now_ms();
        if left.is_empty() {
            self.journal.note(&Entry::Undone { op, at_ms });
            // If this is not durable, a restart finishes the operation: all or none either way.
            let _ = self.journal.flush();
            let item = &items[halt.item];
            return match halt.why {
                Stop::Mismatch(found) => CommitError::Stale { path: item.path.clone(), expected: item.before, found },
                Stop::Io(source) => CommitError::from_io(&item.path, source),
            };
        }
        let mut files: Vec<RelPath> = Vec::new();
        for at in left {
            files.push(items[*at].path.clone());
            if let Way::MoveTo { to, .. } = items[*at].way {
                files.push(items[to].path.clone());
            }
        }
        let steps = items.iter().filter(|item| item.way != Way::Guard).map(Item::step).collect();
        self.interrupt(op, steps, files.clone(), true);
        CommitError::Interrupted { op, files }
    }

    /// Puts an operation before a person.
    pub(crate) fn interrupt(&mut self, op: OpId, steps: Vec<Step>, files: Vec<RelPath>, recorded: bool) {
        if recorded {
            self.journal.note(&Entry::Interrupted { op, at_ms: self.disk.now_ms(), files: files.clone() });
            let _ = self.journal.flush();
        }
        self.interrupted.retain(|waiting| waiting.op != op);
        self.interrupted.push(Interrupted { op, steps, files });
    }

    pub(crate) fn settling(&self, op: OpId, texts: Texts) -> Settling<'_> {
        Settling {
            disk: &*self.disk,
            blobs: &self.blobs,
            health: &self.health,
            op,
            texts,
            kept: Vec::new(),
            displaced: Vec::new(),
        }
    }

    /// Records what was kept on the way, and remembers what lies in the vault.
    pub(crate) fn take_over(&mut self, found: Found) {
        self.displaced.extend(found.displaced);
        for kept in found.kept {
            self.journal.note(&Entry::Kept { at_ms: self.disk.now_ms(), kept: kept.clone() });
            self.kept.push(kept);
        }
    }
}

/// Turns a path without a place into an answer.
pub(crate) fn refuse(path: &RelPath, no: NoPlace) -> CommitError {
    match no {
        NoPlace::Outside => CommitError::Outside { path: path.clone() },
        NoPlace::Blocked(reason) => CommitError::ReadOnly { path: path.clone(), reason: reason.to_owned() },
        NoPlace::Io(source) => CommitError::from_io(path, source),
    }
}
