//! What happens when a vault is opened after a crash, and what a person can do about an operation that was interrupted.
//!
//! An operation that was begun is finished if every file is at one of its two states; otherwise a person is asked.
//! Nothing is guessed.

use std::collections::HashSet;

use note::{ContentHash, RelPath};

use crate::change::{Change, Entry, Kept, OpId, PutBack, Settled, SettledOutcome, State, Step};
use crate::commit::Texts;
use crate::error::{CommitError, JournalError};
use crate::item::{Item, is_listed, is_one, look, pair_moves};
use crate::journal::Replay;
use crate::place::{place, temp_beside};
use crate::settle::{Displaced, Stop};
use crate::{SECOND_LOOK_MS, Vault};

impl Vault {
    /// Settles what was begun and not done, after putting away what a crash left in the vault.
    pub(crate) fn recover(&mut self, replay: Replay) -> Vec<Settled> {
        let unfinished = unfinished(&replay.entries);
        self.sweep(&replay.entries[replay.unswept_from..], &unfinished);
        let mut settled = Vec::new();
        for pending in unfinished {
            let ask = if pending.was_asked { Ask::Waits } else { Ask::Never };
            let outcome = self.settle_steps(pending.op, pending.steps, ask);
            settled.push(Settled { op: pending.op, outcome });
        }
        settled
    }

    /// Looks again at an interrupted operation, and finishes it if every file is at one of its two states by now.
    pub fn settle(&mut self, op: OpId) -> Option<Settled> {
        self.own().ok()?;
        let waiting = self.interrupted.iter().find(|waiting| waiting.op == op)?;
        let steps = waiting.steps.clone();
        let outcome = self.settle_steps(op, steps, Ask::Finish);
        Some(Settled { op, outcome })
    }

    /// Gives an interrupted operation other steps, over the same files: what another program wrote in between is then part
    /// of the texts that it leads from or to. Nothing in the vault changes, and the operation still waits for a person.
    ///
    /// # Errors
    /// The texts or the steps cannot be kept; then the operation is as it was.
    pub fn rebase(&mut self, op: OpId, steps: Vec<Step>, contents: Vec<Vec<u8>>) -> Result<(), CommitError> {
        self.own_journal()?;
        let Some(waiting) = self.interrupted.iter().find(|waiting| waiting.op == op) else { return Ok(()) };
        let files = waiting.files.clone();
        let label = self.journal.entries()?.into_iter().rev().find_map(|entry| match entry {
            Entry::Begun { op: begun, label, .. } if begun == op => Some(label),
            _ => None,
        });
        let texts: Vec<(ContentHash, &[u8])> =
            contents.iter().map(|bytes| (ContentHash::of(bytes), bytes.as_slice())).collect();
        let stored = self.blobs.store(&texts).map_err(|source| JournalError::from_io(source, "history"))?;
        let at_ms = self.disk.now_ms();
        let label = label.unwrap_or_default();
        let begun = Entry::Begun { op, at_ms, steps: steps.clone(), label, folded: false };
        // Should the power go now, nobody may take the new steps for a promise to carry them out.
        let asked = Entry::Interrupted { op, at_ms, files: files.clone() };
        if let Err(error) = self.journal.promise_all(&[&begun, &asked], &stored) {
            self.blobs.forget(&stored);
            return Err(error.into());
        }
        self.blobs.is_durable(stored);
        self.interrupt(op, steps, files, false);
        Ok(())
    }

    /// Puts back every file of an interrupted operation that is still at its `after`, and ends the operation.
    ///
    /// It is a change like any other, under the same id: a crash in its middle is finished.
    pub fn undo(&mut self, op: OpId, label: serde_json::Value) -> Result<PutBack, CommitError> {
        let mut put_back = PutBack { restored: Vec::new(), left: Vec::new() };
        let Some(waiting) = self.interrupted.iter().find(|waiting| waiting.op == op) else {
            return Ok(put_back);
        };
        let mut steps = Vec::new();
        for step in waiting.steps.iter().rev() {
            match self.state_of(op, step) {
                Some(found) if found == step.after => {
                    put_back.restored.push(step.path.clone());
                    steps.push(Step { path: step.path.clone(), before: step.after, after: step.before });
                }
                Some(found) if found == step.before => {}
                _ => put_back.left.push(step.path.clone()),
            }
        }
        self.commit(Change { op, steps, contents: Vec::new(), label })?;
        self.end(Entry::Undone { op, at_ms: self.disk.now_ms() });
        Ok(put_back)
    }

    /// Ends an interrupted operation, leaving every file as it is.
    pub fn release(&mut self, op: OpId) {
        if self.interrupted.iter().any(|waiting| waiting.op == op) {
            self.end(Entry::Released { op, at_ms: self.disk.now_ms() });
        }
    }

    fn end(&mut self, entry: Entry) {
        if let Entry::Undone { op, .. } | Entry::Released { op, .. } | Entry::Done { op, .. } = entry {
            self.interrupted.retain(|waiting| waiting.op != op);
        }
        self.journal.note(&entry);
        let _ = self.journal.flush();
    }

    /// Looks a second time at the files that were displaced a while ago, and removes them.
    ///
    /// Returns the texts that had to be kept since the last call: another program held the old file open and wrote to it.
    pub fn tick(&mut self, now_ms: u64) -> Vec<Kept> {
        if !self.displaced.is_empty() {
            // If what has to be kept cannot be, the next call tries again.
            let _ = self.own();
        }
        for displaced in std::mem::take(&mut self.displaced) {
            if displaced.due_ms > now_ms {
                self.displaced.push(displaced);
                continue;
            }
            let mut settling = self.settling(displaced.op, Texts::new());
            let is_gone = settling.look_again(&displaced);
            let found = settling.found();
            self.take_over(found);
            if !matches!(is_gone, Ok(true)) {
                self.displaced.push(Displaced { due_ms: now_ms.saturating_add(SECOND_LOOK_MS), ..displaced });
            }
        }
        // What was only noted becomes durable now; if it cannot, the next call tries again.
        let _ = self.journal.flush();
        self.take_kept()
    }

    /// Returns the texts that had to be kept since the last call, without a second look at anything.
    pub fn take_kept(&mut self) -> Vec<Kept> {
        std::mem::take(&mut self.kept)
    }

    /// Puts everything away. Whoever opens the vault next reads in the journal what had to be kept.
    pub(crate) fn close(&mut self) {
        for displaced in std::mem::take(&mut self.displaced) {
            let mut settling = self.settling(displaced.op, Texts::new());
            let gone = settling.let_go(&displaced);
            let found = settling.found();
            self.take_over(found);
            if gone.is_err() {
                self.displaced.push(displaced);
            }
        }
        if self.unswept && self.displaced.is_empty() && !self.has_litter {
            self.journal.note_swept();
        }
        let _ = self.journal.flush();
    }

    /// Removes the temporary files of changes that an earlier process left, and of no others. What is not finished may
    /// have left some however long ago it was swept last: a process that finished it may have died over that.
    fn sweep(&mut self, entries: &[Entry], unfinished: &[Pending]) {
        let begun = entries.iter().filter_map(|entry| match entry {
            Entry::Begun { op, steps, .. } => Some((*op, steps)),
            _ => None,
        });
        let mut clean = true;
        for (op, steps) in begun.chain(unfinished.iter().map(|pending| (pending.op, &pending.steps))) {
            self.unswept = true;
            for step in steps {
                clean &= self.sweep_step(op, step);
            }
        }
        self.has_litter = !clean;
        if self.unswept && clean {
            self.unswept = false;
            self.journal.note_swept();
        }
    }

    fn sweep_step(&mut self, op: OpId, step: &Step) -> bool {
        let Ok(place) = place(&*self.disk, self.reader.root(), &step.path) else {
            return true;
        };
        let mut temps = vec![temp_beside(&place.file, op)];
        if place.is_link() {
            temps.push(temp_beside(&place.name, op));
        }
        let mut clean = true;
        for temp in temps {
            let mut settling = self.settling(op, Texts::new());
            clean &= settling.retire(&temp, &step.path, Some(step.after)).is_ok();
            let found = settling.found();
            self.take_over(found);
        }
        clean
    }

    fn state_of(&self, op: OpId, step: &Step) -> Option<State> {
        let item = Item::find(&*self.disk, self.reader.root(), op, step).ok()?;
        look(&*self.disk, &item.file).ok()
    }

    /// Where names have no case, a file that only changes its spelling is found at both of its paths. It is at the one
    /// that its folder lists.
    fn tell_twins_apart(&self, op: OpId, steps: &[Step], found: &mut [Option<State>]) {
        let item = |step: &Step| Item::find(&*self.disk, self.reader.root(), op, step).ok();
        for (from, going) in steps.iter().enumerate().filter(|(_, step)| step.after == State::Absent) {
            let is_twin = |step: &&Step| step.after == going.before && step.path.fold() == going.path.fold();
            let Some(to) = steps.iter().position(|step| is_twin(&step)) else { continue };
            let (Some(old), Some(new)) = (item(going), item(&steps[to])) else { continue };
            let is_one = is_one(&*self.disk, &old.file, &new.file).unwrap_or(false);
            if is_one && !(is_listed(&*self.disk, &old.file).unwrap_or(true) && old.dir() == new.dir()) {
                found[from] = Some(State::Absent);
            } else if is_one && found[to] == found[from] {
                found[to] = Some(State::Absent);
            }
        }
    }

    /// Finishes an operation if the hashes allow it.
    fn settle_steps(&mut self, op: OpId, steps: Vec<Step>, ask: Ask) -> SettledOutcome {
        let mut found: Vec<Option<State>> = steps.iter().map(|step| self.state_of(op, step)).collect();
        self.tell_twins_apart(op, &steps, &mut found);
        let at = |state: fn(&Step) -> State| {
            let is_at = |(step, found): (&Step, &Option<State>)| *found == Some(state(step));
            steps.iter().zip(&found).map(is_at).collect::<Vec<bool>>()
        };
        let (at_before, at_after) = (at(|step| step.before), at(|step| step.after));
        let off: Vec<RelPath> = steps
            .iter()
            .enumerate()
            .filter(|(n, _)| !at_before[*n] && !at_after[*n])
            .map(|(_, step)| step.path.clone())
            .collect();
        let at_ms = self.disk.now_ms();
        if !off.is_empty() {
            // The question was put before; asking it at every start need not be told each time.
            self.interrupt(op, steps, off.clone(), ask == Ask::Never);
            return SettledOutcome::Interrupted { files: off };
        }
        if at_after.iter().all(|at| *at) {
            self.end(Entry::Done { op, at_ms });
            return SettledOutcome::Done;
        }
        // Either a person has put everything back by hand since, or the power went while the promise was being made.
        if at_before.iter().all(|at| *at) && (ask == Ask::Waits || !self.has_texts(&steps)) {
            self.end(Entry::Undone { op, at_ms });
            return SettledOutcome::Undone;
        }
        let rest: Vec<Step> =
            steps.iter().zip(&at_after).filter(|(_, at_after)| !**at_after).map(|(step, _)| step.clone()).collect();
        match self.finish(op, &rest) {
            Ok(()) => {
                self.end(Entry::Done { op, at_ms });
                SettledOutcome::Done
            }
            Err((files, is_final)) => {
                self.interrupt(op, steps, files.clone(), is_final);
                SettledOutcome::Interrupted { files }
            }
        }
    }

    /// Says whether every text of the steps is kept; what only moves may be too large for that, and keeps itself.
    fn has_texts(&self, steps: &[Step]) -> bool {
        let of = |state: fn(&Step) -> State| steps.iter().filter_map(move |step| state(step).hash()).collect();
        let (before, after): (HashSet<_>, HashSet<_>) = (of(|step| step.before), of(|step| step.after));
        before.symmetric_difference(&after).all(|hash| self.blobs.claim(hash))
    }

    /// Brings files from `before` to `after`. What fails for want of space or permission is tried again at the next start.
    fn finish(&mut self, op: OpId, rest: &[Step]) -> Result<(), (Vec<RelPath>, bool)> {
        let paths = || rest.iter().map(|step| step.path.clone()).collect();
        let mut items = Vec::new();
        for step in rest {
            match Item::find(&*self.disk, self.reader.root(), op, step) {
                Ok(item) => items.push(item),
                Err(_) => return Err((paths(), false)),
            }
        }
        // What is finished here must be finished as well should the power go in its midst.
        if pair_moves(&*self.disk, &mut items).is_err() || self.journal.flush().is_err() {
            return Err((paths(), false));
        }
        self.unswept = true;
        let mut settling = self.settling(op, Texts::new());
        let outcome = settling.forward(&mut items);
        settling.clear_up(&items);
        let found = settling.found();
        self.take_over(found);
        outcome.map_err(|halt| match halt.why {
            Stop::Mismatch(_) => (vec![items[halt.item].path.clone()], true),
            Stop::Io(_) => (paths(), false),
        })
    }
}

/// Whether a person has been asked what is to become of an operation.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Ask {
    /// Not yet: the operation was cut off a moment ago.
    Never,
    /// They were asked and have not said.
    Waits,
    /// They said that it is to be finished.
    Finish,
}

/// An operation that the journal does not end.
pub(crate) struct Pending {
    pub(crate) op: OpId,
    steps: Vec<Step>,
    was_asked: bool,
    /// What was interrupted before a person tried to finish it.
    earlier: Option<Vec<Step>>,
}

/// Finds the operations that were begun and not ended.
///
/// There is one writer and it does one thing at a time: an operation that was followed by another had ended, even if the
/// line that said so is damaged.
pub(crate) fn unfinished(entries: &[Entry]) -> Vec<Pending> {
    let mut pending: Vec<Pending> = Vec::new();
    for entry in entries {
        match entry {
            Entry::Begun { op, steps, .. } => {
                pending.retain(|known| known.was_asked);
                let known = pending.iter().position(|known| known.op == *op);
                let earlier = known.map(|at| pending.remove(at).steps);
                pending.push(Pending { op: *op, steps: steps.clone(), was_asked: false, earlier });
            }
            Entry::Undone { op, .. } => {
                for known in pending.iter_mut().filter(|known| known.op == *op) {
                    if let Some(steps) = known.earlier.take() {
                        // The try was taken back; what it meant to finish is as it was.
                        known.steps = steps;
                        known.was_asked = true;
                        continue;
                    }
                    known.steps.clear();
                }
                pending.retain(|known| !known.steps.is_empty());
            }
            Entry::Done { op, .. } | Entry::Released { op, .. } => {
                pending.retain(|known| known.op != *op);
            }
            Entry::Interrupted { op, .. } => {
                for known in pending.iter_mut().filter(|known| known.op == *op) {
                    known.was_asked = true;
                    // Its own steps count from here on.
                    known.earlier = None;
                }
            }
            Entry::Recorded { .. } | Entry::Kept { .. } | Entry::Version { .. } => {}
        }
    }
    pending
}
