//! Every operation that the journal tells of, kept by id and by note.
//!
//! The journal is the truth; this is its replay. The writer thread alone adds to it, in step with the journal.

use crate::operation::{CommitLabel, OpRecord};
use crate::{ChangedFile, Intent, OpState, Operation};
use note::{ContentHash, NoteId, RelPath};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::Arc;
use vault::{Kept, OpId};

/// Who decided: a person who saw it.
const PERSON: &str = "person";

/// Who decided: nobody saw it, a person had allowed the client's writes beforehand.
const ALLOWED: &str = "allowed";

/// The operations of a vault, and what follows from them.
#[derive(Debug, Default)]
pub(crate) struct Ledger {
    operations: BTreeMap<OpId, Arc<Operation>>,
    /// Those of them that wait for a person.
    open: BTreeSet<OpId>,
    /// Interrupted operations that a person began to take back.
    taken_back: HashSet<OpId>,
    /// Steps per note, oldest first: the note's history.
    by_path: HashMap<RelPath, Vec<Past>>,
    by_request: HashMap<(String, String), OpId>,
    ids: HashMap<RelPath, NoteId>,
    /// The other way round: a note that moved on leaves its id to no other.
    homes: HashMap<NoteId, RelPath>,
    /// Where a note came from when it moved, and by which operation.
    arrivals: HashMap<RelPath, Vec<(OpId, RelPath)>>,
    /// The other way round: by which operations notes moved away.
    departures: HashMap<RelPath, Vec<OpId>>,
}

/// One step in a note's history.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Past {
    pub op: OpId,
    /// Milliseconds since 1970, UTC.
    pub at: i64,
    pub before: Option<ContentHash>,
    pub after: Option<ContentHash>,
    /// Whether another program wrote it.
    pub outside: bool,
    /// When the note was last edited itself, if this step only repaired links in it.
    pub own_edit: Option<i64>,
}

/// Returns the id that sorts right before another.
fn earlier(op: OpId) -> OpId {
    OpId(ulid::Ulid(op.0.0.saturating_sub(1)))
}

impl Past {
    /// Returns a step before this one, by which the text that this one met came to be there.
    fn found(&self) -> Option<Past> {
        let after = Some(self.before?);
        Some(Past { op: earlier(self.op), at: self.at, before: None, after, outside: true, own_edit: None })
    }
}

impl Ledger {
    pub fn get(&self, id: OpId) -> Option<&Arc<Operation>> {
        self.operations.get(&id)
    }

    /// Returns operations newest first.
    pub fn newest_first(&self) -> impl Iterator<Item = &Arc<Operation>> {
        self.operations.values().rev()
    }

    pub fn open_proposals(&self) -> impl Iterator<Item = &Arc<Operation>> {
        self.open.iter().filter_map(|id| self.operations.get(id))
    }

    pub fn by_request(&self, client: &str, request_id: &str) -> Option<&Arc<Operation>> {
        self.by_request.get(&(client.to_owned(), request_id.to_owned())).and_then(|id| self.operations.get(id))
    }

    /// Lets another call use the request id of a call that failed.
    pub fn release_request(&mut self, id: OpId) {
        self.by_request.retain(|_, known| *known != id);
    }

    /// Returns a note's steps, oldest first.
    pub fn past(&self, path: &RelPath) -> &[Past] {
        self.by_path.get(path).map_or(&[], Vec::as_slice)
    }

    /// Returns a note's steps with the path that it had at each, oldest first: a note that moved keeps its history.
    ///
    /// What was left by notes that are gone from where it moved to comes first; nowhere else could it be had back.
    pub fn lineage(&self, path: &RelPath) -> Vec<(RelPath, Past)> {
        let (left, own) = (self.left_behind(path), self.own_lineage(path, None));
        if left.is_empty() {
            return own;
        }
        // One operation may have touched both notes; in a list each version needs a name of its own.
        let mut taken: HashSet<OpId> = own.iter().map(|(_, past)| past.op).collect();
        let mut named = |mut past: Past| {
            while !taken.insert(past.op) {
                (past.op, past.outside) = (earlier(past.op), true);
            }
            past
        };
        let found = own.first().and_then(|(path, first)| Some((path.clone(), named(first.found()?))));
        let left: Vec<(RelPath, Past)> = left.into_iter().map(|(path, past)| (path, named(past))).collect();
        left.into_iter().chain(found).chain(own).collect()
    }

    /// Returns the steps of notes that ended at a path before another note moved there, and moved nowhere themselves,
    /// from wherever they came.
    fn left_behind(&self, path: &RelPath) -> Vec<(RelPath, Past)> {
        let arrivals = self.arrivals.get(path).map_or(&[][..], Vec::as_slice);
        let Some((arrived, _)) = arrivals.last() else {
            return Vec::new();
        };
        let past = self.past(path);
        let until = past.iter().position(|past| past.op >= *arrived).unwrap_or(past.len());
        let mut left = Vec::new();
        let (mut end, mut earlier) = (0, None);
        for note in past[..until].split_inclusive(|past| past.after.is_none()) {
            let (first, last) = (&note[0], &note[note.len() - 1]);
            end += note.len();
            let came_before = earlier.replace(last.op);
            let departures = self.departures.get(path).into_iter().flatten();
            if departures.into_iter().any(|op| (first.op..=last.op).contains(op)) {
                continue;
            }
            let came = arrivals.iter().any(|(op, _)| came_before.is_none_or(|before| *op > before) && *op <= last.op);
            if came {
                // It brought its past along, and whoever came next brought another.
                let comes = arrivals.iter().map(|(op, _)| *op).find(|op| *op > last.op).unwrap_or(*arrived);
                let next = past.get(end).map_or(comes, |next| next.op.min(comes));
                left.extend(self.own_lineage(path, Some(next)));
                if last.outside && last.after.is_none() {
                    left.push((path.clone(), last.clone()));
                }
                continue;
            }
            left.extend(first.found().map(|found| (path.clone(), found)));
            left.extend(note.iter().map(|past| (path.clone(), past.clone())));
        }
        left
    }

    /// The steps of the note that was at a path before an operation, or is there now, from wherever it came.
    fn own_lineage(&self, path: &RelPath, until: Option<OpId>) -> Vec<(RelPath, Past)> {
        let (mut path, mut until, mut newest_first) = (path, until, Vec::new());
        loop {
            let past = self.past(path).iter().filter(|past| until.is_none_or(|until| past.op < until));
            // Ids grow with time, so each round ends before the one before it.
            let arrivals = self.arrivals.get(path).map_or(&[][..], Vec::as_slice);
            let arrival = arrivals.iter().rfind(|(op, _)| until.is_none_or(|until| *op < until));
            let mut own: Vec<&Past> = past.filter(|past| arrival.is_none_or(|(op, _)| past.op >= *op)).collect();
            // Its departure may have been noticed before its arrival, and is no version of it.
            while until.is_some() && own.last().is_some_and(|last| last.outside && last.after.is_none()) {
                own.pop();
            }
            newest_first.extend(own.into_iter().rev().map(|past| (path.clone(), past.clone())));
            // What a note came with, it did not write: the step that took it away elsewhere knows it, and another
            // program's move is known by equal bytes.
            if let (Some((op, from)), Some((at, first))) = (arrival, newest_first.last_mut())
                && at == path
                && first.before.is_none()
            {
                first.before = match first.op == *op {
                    true => self.past(from).iter().find(|past| past.op == *op).and_then(|past| past.before),
                    false => first.after,
                };
            }
            match arrival {
                Some((op, from)) => (path, until) = (from, Some(*op)),
                None => break,
            }
        }
        newest_first.reverse();
        newest_first
    }

    /// Returns the path at which a note was last pinned to an id.
    pub fn pinned_to(&self, id: &NoteId) -> Option<&RelPath> {
        self.homes.get(id)
    }

    pub fn pinned_id(&self, path: &RelPath) -> Option<NoteId> {
        self.ids.get(path).copied()
    }

    /// Takes in what happened to an operation beside its commit.
    pub fn record(&mut self, id: OpId, at: i64, record: OpRecord) {
        match record {
            OpRecord::Proposed { intent, actor, lead, base, digest, summary, reason, request_id, fingerprint } => {
                if let (Some(request), crate::Actor::Agent { client }) = (&request_id, &actor) {
                    self.by_request.insert((client.clone(), request.clone()), id);
                }
                let operation = Operation {
                    id,
                    actor,
                    intent,
                    state: OpState::Proposed,
                    lead,
                    base,
                    digest: Some(digest),
                    summary,
                    reason,
                    request_id,
                    fingerprint,
                    proposed_at: at,
                    decided_at: None,
                    decided_by: None,
                    comment: None,
                    amended: false,
                    files: Vec::new(),
                    made_folders: Vec::new(),
                    deleted_folders: Vec::new(),
                    links: Vec::new(),
                    undone_by: None,
                    folded: false,
                };
                self.insert(operation);
            }
            OpRecord::Amended { intent, digest, summary } => self.change(id, |op| {
                op.intent = intent;
                op.digest = Some(digest);
                op.summary = summary;
                op.amended = true;
            }),
            OpRecord::Declined { comment } => self.change(id, |op| {
                op.state = OpState::Declined;
                op.decided_at = Some(at);
                op.decided_by = Some(PERSON.to_owned());
                op.comment = comment;
            }),
            OpRecord::Withdrawn => self.change(id, |op| {
                op.state = OpState::Withdrawn;
                op.decided_at = Some(at);
            }),
            OpRecord::Outside { path, before, after } => {
                self.by_path.entry(path).or_default().push(Past {
                    op: id,
                    at,
                    before,
                    after,
                    outside: true,
                    own_edit: None,
                });
            }
            OpRecord::Identity { path, id: note_id, from } => {
                if let Some(from) = from {
                    self.departures.entry(from.clone()).or_default().push(id);
                    self.arrivals.entry(path.clone()).or_default().push((id, from));
                }
                self.homes.insert(note_id, path.clone());
                self.ids.insert(path, note_id);
            }
            OpRecord::Folders { label } => {
                self.begun(id, at, *label, Vec::new());
                self.done(id);
            }
        }
    }

    /// Takes in a text of another program that was saved from being lost in the course of an operation.
    ///
    /// It is a version of its own: under the operation's id, the operation's own step would stand in front of it.
    pub fn kept(&mut self, at_ms: u64, kept: Kept) {
        let random = u128::from_str_radix(&kept.hash.to_string()[..20], 16).expect("a hash is written as hex digits");
        let id = OpId::from_parts(at_ms, random);
        let at = i64::try_from(at_ms).unwrap_or(i64::MAX);
        self.record(id, at, OpRecord::Outside { path: kept.path, before: None, after: Some(kept.hash) });
    }

    /// Takes in that an operation's commit began.
    pub fn begun(&mut self, id: OpId, at: i64, label: CommitLabel, files: Vec<ChangedFile>) {
        // One that was interrupted begins anew, with what others wrote in between.
        self.forget_files(id);
        for file in &files {
            self.by_path.entry(file.path.clone()).or_default().push(Past {
                op: id,
                at,
                before: file.before,
                after: file.after,
                outside: false,
                own_edit: label.own_edits.get(&file.path).copied(),
            });
        }
        let known = self.operations.get(&id).map(|op| Operation::clone(op));
        let mut operation = known.unwrap_or_else(|| Operation {
            id,
            actor: label.actor,
            intent: label.intent.clone(),
            state: OpState::Begun,
            lead: label.lead,
            base: files.first().and_then(|f| f.before),
            digest: None,
            summary: Default::default(),
            reason: None,
            request_id: None,
            fingerprint: String::new(),
            proposed_at: at,
            decided_at: None,
            decided_by: None,
            comment: None,
            amended: false,
            files: Vec::new(),
            made_folders: Vec::new(),
            deleted_folders: Vec::new(),
            links: Vec::new(),
            undone_by: None,
            folded: false,
        });
        operation.intent = label.intent;
        operation.summary = label.summary;
        operation.comment = label.comment;
        operation.state = OpState::Begun;
        operation.decided_at = Some(at);
        operation.decided_by = Some(if label.allowed_beforehand { ALLOWED } else { PERSON }.to_owned());
        operation.files = files;
        operation.made_folders = label.made_folders;
        operation.deleted_folders = label.deleted_folders;
        operation.links = label.links;
        self.insert(operation);
    }

    /// Takes in that a proposal is being written: from the first file on, it is nothing any more that could be decided, or
    /// that its own effect stands in the way of.
    pub fn under_way(&mut self, id: OpId) {
        if self.open.contains(&id) {
            self.change(id, |op| op.state = OpState::Begun);
        }
    }

    /// Takes in that nothing was written of a proposal that was under way.
    pub fn put_off(&mut self, id: OpId) {
        if self.operations.get(&id).is_some_and(|op| op.state == OpState::Begun) {
            self.failed(id);
        }
    }

    /// Takes in that only a version is left of the operation.
    pub fn folded(&mut self, id: OpId) {
        self.change(id, |op| op.folded = true);
    }

    /// Takes in that a person began to take an interrupted operation back.
    pub fn taking_back(&mut self, id: OpId) {
        self.taken_back.insert(id);
    }

    /// Takes in that every file of the operation is as it should be.
    pub fn done(&mut self, id: OpId) {
        if self.taken_back.remove(&id) {
            return self.failed(id);
        }
        let is_open = |op: &&Arc<Operation>| matches!(op.state, OpState::Begun | OpState::Interrupted);
        let Some(operation) = self.operations.get(&id).filter(is_open) else { return };
        let undone = if let Intent::Undo { op } = operation.intent { Some(op) } else { None };
        self.change(id, |op| op.state = OpState::Done);
        if let Some(undone) = undone {
            self.change(undone, |op| {
                op.state = OpState::Undone;
                op.undone_by = Some(id);
            });
        }
    }

    /// Takes in that the operation stopped half-way, or that none of it happened.
    pub fn interrupted(&mut self, id: OpId) {
        self.change(id, |op| op.state = OpState::Interrupted);
    }

    /// Takes in that nothing of the operation stands: it was taken back, or failed before it did anything. A proposal
    /// that failed so waits for a person again; one that a person took back does not.
    pub fn failed(&mut self, id: OpId) {
        let Some(operation) = self.operations.get(&id).cloned() else { return };
        if operation.state == OpState::Undone {
            return;
        }
        self.forget_files(id);
        match (operation.state, operation.digest.is_some()) {
            (OpState::Interrupted, _) => self.change(id, |op| op.state = OpState::Undone),
            (_, true) => self.change(id, |op| {
                op.state = OpState::Proposed;
                op.files.clear();
            }),
            (_, false) => {
                self.operations.remove(&id);
                self.open.remove(&id);
            }
        }
    }

    fn forget_files(&mut self, id: OpId) {
        let Some(operation) = self.operations.get(&id).cloned() else { return };
        for file in &operation.files {
            if let Some(past) = self.by_path.get_mut(&file.path) {
                past.retain(|past| past.op != id);
            }
        }
    }

    fn change(&mut self, id: OpId, how: impl FnOnce(&mut Operation)) {
        if let Some(operation) = self.operations.get_mut(&id) {
            how(Arc::make_mut(operation));
            match operation.state {
                OpState::Proposed => self.open.insert(id),
                _ => self.open.remove(&id),
            };
        }
    }

    fn insert(&mut self, operation: Operation) {
        let id = operation.id;
        self.operations.insert(id, Arc::new(operation));
        self.change(id, |_| {});
    }
}

/// Turns the vault's steps into the files of an operation, with what the label knows of each.
pub(crate) fn changed_files(steps: &[vault::Step], label: &CommitLabel) -> Vec<ChangedFile> {
    steps
        .iter()
        .map(|step| {
            let known = label.files.iter().find(|file| file.path == step.path);
            ChangedFile {
                path: step.path.clone(),
                before: step.before.hash(),
                after: step.after.hash(),
                n_links: known.map_or(0, |f| f.n_links),
                link_repair: known.is_some_and(|f| f.link_repair),
            }
        })
        .collect()
}
