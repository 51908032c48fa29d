//! An interrupted operation whose files another program wrote in between: what was written becomes part of the texts
//! that the operation leads from or to, so that it can be carried through, or taken back, whole.

use crate::merge::carry_over;
use crate::plan::{current, kept};
use crate::{Intent, PlanError, View};
use note::{ContentHash, NoteText, RelPath};
use vault::{State, Step};

/// The steps of an operation over the texts of now.
pub(crate) struct Rebased {
    pub steps: Vec<Step>,
    /// Texts that the history does not have yet.
    pub contents: Vec<Vec<u8>>,
}

/// Works out the steps anew for the files that are at neither of their two states.
///
/// # Errors
/// Names the files in which the operation and the other program wrote the same lines, or which only one of them wanted
/// to be there.
pub(crate) fn rebase(view: &View, intent: &Intent, steps: &[Step], finish: bool) -> Result<Rebased, PlanError> {
    let mut rebased = Rebased { steps: steps.to_vec(), contents: Vec::new() };
    let mut changed = Vec::new();
    for at in 0..steps.len() {
        let step = &steps[at];
        let now = current(view, &step.path)?;
        let here = now.as_ref().map(NoteText::hash);
        if here == step.before.hash() || here == step.after.hash() {
            continue;
        }
        let done = match (now, step.before.hash(), step.after.hash()) {
            (Some(now), Some(before), Some(after)) => rebased.changed(view, at, &now, before, after)?,
            (Some(now), Some(before), None) => match other_half(intent, steps, at) {
                Some(to) => rebased.left(view, (at, to), &now, before)?,
                // What should go was written to: it can stay, but nobody may take it away unseen.
                None if !finish => rebased.is_at(at, &now, |step, state| step.before = state),
                None => false,
            },
            (Some(now), None, Some(after)) => match other_half(intent, steps, at) {
                Some(from) => rebased.arrived(view, (from, at), &now, after)?,
                None if finish => rebased.is_at(at, &now, |step, state| step.after = state),
                None => false,
            },
            // Somebody removed it: that it is gone is what one way leads to, and the other has a text to put there.
            (None, Some(_), Some(_)) => false,
            (None, ..) | (Some(_), None, None) => true,
        };
        if !done {
            changed.push(step.path.clone());
        }
    }
    if changed.is_empty() { Ok(rebased) } else { Err(PlanError::ChangedSince { paths: changed }) }
}

impl Rebased {
    /// A file that changes in its place: somebody wrote to it before our change, or after it.
    fn changed(
        &mut self,
        view: &View,
        at: usize,
        now: &NoteText,
        before: ContentHash,
        after: ContentHash,
    ) -> Result<bool, PlanError> {
        let (before, after) = (kept(view, before)?, kept(view, after)?);
        if let Some(with) = carried(&before, &after, now) {
            self.steps[at].before = self.keep(now);
            self.steps[at].after = self.keep(&with);
            return Ok(true);
        }
        if let Some(without) = carried(&after, &before, now) {
            self.steps[at].before = self.keep(&without);
            self.steps[at].after = self.keep(now);
            return Ok(true);
        }
        Ok(false)
    }

    /// A file that moves and was written to before it went: what was written goes along.
    fn left(
        &mut self,
        view: &View,
        (from, to): (usize, usize),
        now: &NoteText,
        before: ContentHash,
    ) -> Result<bool, PlanError> {
        let (Some(after), None) = (self.steps[to].after.hash(), current(view, &self.steps[to].path)?) else {
            return Ok(false);
        };
        let Some(with) = carried(&kept(view, before)?, &kept(view, after)?, now) else { return Ok(false) };
        self.steps[from].before = self.keep(now);
        self.steps[to].after = self.keep(&with);
        Ok(true)
    }

    /// A file that moved and was written to where it arrived: what was written comes back with it.
    fn arrived(
        &mut self,
        view: &View,
        (from, to): (usize, usize),
        now: &NoteText,
        after: ContentHash,
    ) -> Result<bool, PlanError> {
        let (Some(before), None) = (self.steps[from].before.hash(), current(view, &self.steps[from].path)?) else {
            return Ok(false);
        };
        let Some(without) = carried(&kept(view, after)?, &kept(view, before)?, now) else { return Ok(false) };
        self.steps[to].after = self.keep(now);
        self.steps[from].before = self.keep(&without);
        Ok(true)
    }

    fn is_at(&mut self, at: usize, now: &NoteText, set: impl FnOnce(&mut Step, State)) -> bool {
        let state = self.keep(now);
        set(&mut self.steps[at], state);
        true
    }

    fn keep(&mut self, text: &NoteText) -> State {
        self.contents.push(text.bytes().to_vec());
        State::Is(text.hash())
    }
}

/// Carries the change from one text to another over to a third, byte for byte.
fn carried(from: &NoteText, to: &NoteText, onto: &NoteText) -> Option<NoteText> {
    if ![from, to, onto].iter().all(|text| text.is_exact()) {
        return None;
    }
    carry_over(from.as_str(), to.as_str(), onto.as_str()).map(|text| NoteText::from_str(&text))
}

/// The step that is the other half of a file's move.
fn other_half(intent: &Intent, steps: &[Step], at: usize) -> Option<usize> {
    let step = &steps[at];
    let goes = step.after == State::Absent;
    let moved_to = |path: &RelPath| match intent {
        Intent::MoveNote { path: from, to } if from == path => Some(to.clone()),
        Intent::MoveFolder { path: from, to } => {
            let below = path.as_str().strip_prefix(from.as_str())?;
            RelPath::new(&format!("{to}{below}")).ok().filter(|_| below.starts_with('/'))
        }
        _ => None,
    };
    steps.iter().position(|other| {
        let (source, target) = if goes { (step, other) } else { (other, step) };
        let is_pair = source.after == State::Absent && target.before == State::Absent;
        is_pair && (moved_to(&source.path).as_ref() == Some(&target.path) || source.before == target.after)
    })
}
