//! The one thread that changes anything: it owns the vault and the index and works through a closed list of messages.

use crate::engine::Shared;
use crate::ledger::{Ledger, changed_files};
use crate::operation::{CommitLabel, OpRecord};
use crate::plan::{any_text, plan};
use crate::remove::Thrown;
use crate::view::content_updated;
use crate::{
    Actor, AmendError, ChangedFile, DecideError, Decision, HealthNotice, Intent, OpState, Operation, Origin, Plan,
    PlanError,
};
use crate::{PlanDigest, ProposeError, Proposed, Request, SaveError, Saved, View, WriteError, Writes};
use index::{Index, IndexView};
use note::{ContentHash, NoteText, RelPath};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, TryRecvError};
use std::sync::{Arc, RwLockWriteGuard};
use std::time::Duration;
use vault::{Change, CommitError, Kept, OpId, SettledOutcome, Vault, Watched};

/// How long the thread sleeps when there is nothing to do, before it looks after what was displaced.
const TICK: Duration = Duration::from_secs(2);

/// Files read between two looks at the messages while the index is being built.
const BATCH: usize = 128;

/// Where an answer goes.
pub(crate) type Reply<T> = SyncSender<T>;

/// Everything that can be asked of the writer.
pub(crate) enum Msg {
    Save {
        path: RelPath,
        base: ContentHash,
        text: String,
        reply: Reply<Result<Saved, SaveError>>,
    },
    /// A person's wish, carried out at once.
    Carry {
        intent: Intent,
        /// What the person was shown of it, if anything.
        seen: Option<PlanDigest>,
        reply: Reply<Result<OpId, DecideError>>,
    },
    Propose {
        client: String,
        writes: Writes,
        intent: Intent,
        request: Request,
        dry_run: bool,
        reply: Reply<Result<Proposed, ProposeError>>,
    },
    Decide {
        id: OpId,
        decision: Decision,
        reply: Reply<Result<OpId, DecideError>>,
    },
    Amend {
        id: OpId,
        new_heading: String,
        reply: Reply<Result<OpId, AmendError>>,
    },
    Withdraw {
        id: OpId,
        client: String,
        reply: Reply<Result<OpId, DecideError>>,
    },
    /// A person decides about an operation that was interrupted.
    MakeFolder {
        path: RelPath,
        reply: Reply<Result<(), DecideError>>,
    },
    DismissMoves {
        reply: Reply<()>,
    },
    RemoveFolder {
        path: RelPath,
        reply: Reply<Result<bool, DecideError>>,
    },
    Settle {
        id: OpId,
        finish: bool,
        reply: Reply<Result<OpId, DecideError>>,
    },
    /// A person looks at this text; it must not be lost to what another program writes next.
    Keep {
        text: NoteText,
    },
    /// Answers once everything that changed on disk until now is known.
    CatchUp {
        reply: Reply<()>,
    },
    Watched(Watched),
    Close {
        reply: Reply<()>,
    },
}

pub(crate) struct Writer {
    pub(crate) vault: Vault,
    /// Absent only while it cannot be opened; everything but search and links goes on without it.
    pub(crate) index: Option<Index>,
    pub(crate) index_folder: PathBuf,
    /// What is there and could not be read, by path.
    pub(crate) unread: BTreeSet<String>,
    /// Everything must be looked at again, because the index was lost or a request ended in a panic.
    pub(crate) rescan: bool,
    pub(crate) shared: Arc<Shared>,
    /// Files that a scan found to differ and that have not been read yet.
    pub(crate) queue: VecDeque<RelPath>,
    pub(crate) queue_total: usize,
    /// Notes that went away a moment ago and may come back elsewhere.
    pub(crate) gone: Vec<crate::outside_moves::Gone>,
    /// Notes that another program moved, from and to, as long as links name their old paths.
    pub(crate) outside_moves: Vec<(RelPath, RelPath)>,
    /// Whether every file has been seen once since the vault was opened.
    pub(crate) complete: bool,
    /// What the vault had to say of its health when it was last asked.
    pub(crate) told_health: Vec<vault::HealthNotice>,
    // Declared after the index, which may lie in it.
    pub(crate) _scratch: Option<vault::Scratch>,
}

impl Writer {
    /// Works until it is told to close or every sender is gone.
    pub fn run(mut self, messages: Receiver<Msg>) {
        self.guarded(Writer::read_settings);
        self.rescan = true;
        loop {
            if std::mem::take(&mut self.rescan) {
                self.guarded(Writer::scan);
            }
            let message = if self.queue.is_empty() {
                match messages.recv_timeout(TICK) {
                    Ok(message) => Some(message),
                    Err(RecvTimeoutError::Timeout) => None,
                    Err(RecvTimeoutError::Disconnected) => break,
                }
            } else {
                match messages.try_recv() {
                    Ok(message) => Some(message),
                    Err(TryRecvError::Empty) => {
                        self.guarded(Writer::index_batch);
                        continue;
                    }
                    Err(TryRecvError::Disconnected) => break,
                }
            };
            match message {
                None => drop(self.guarded(Writer::tick)),
                Some(Msg::Close { reply }) => {
                    self.guarded(Writer::close);
                    // The locks of vault and index go with the writer; whoever waits may open the vault again at once.
                    drop(self);
                    answer(reply, ());
                    return;
                }
                Some(message) => self.rescan |= !self.guarded(|writer| writer.handle(message)),
            }
        }
        self.guarded(Writer::close);
    }

    /// Does a piece of work; says whether it came to its end.
    ///
    /// A panic must not end the thread that everything waits for. What it left behind is found by looking at the disk
    /// again, and whoever asked sees the answer channel close.
    fn guarded(&mut self, work: impl FnOnce(&mut Writer)) -> bool {
        let done = catch_unwind(AssertUnwindSafe(|| work(self))).is_ok();
        if !done {
            self.shared.notice(HealthNotice {
                message: "an operation ended in a fault of the program".to_owned(),
                hint: "the vault was looked at again and is whole; please report what you did".to_owned(),
            });
        }
        done
    }

    fn handle(&mut self, message: Msg) {
        match message {
            Msg::Save { path, base, text, reply } => answer(reply, self.save(path, base, text)),
            Msg::Carry { intent, seen, reply } => answer(reply, self.carry(intent, seen)),
            Msg::Propose { client, writes, intent, request, dry_run, reply } => {
                self.catch_up();
                answer(reply, self.propose(client, writes, intent, request, dry_run));
            }
            Msg::Decide { id, decision, reply } => {
                self.catch_up();
                answer(reply, self.decide(id, decision));
            }
            Msg::Amend { id, new_heading, reply } => {
                self.catch_up();
                answer(reply, self.amend(id, &new_heading));
            }
            Msg::Withdraw { id, client, reply } => answer(reply, self.withdraw(id, &client)),
            Msg::DismissMoves { reply } => {
                self.dismiss_moves();
                answer(reply, ());
            }
            Msg::MakeFolder { path, reply } => answer(reply, self.make_folder(&path)),
            Msg::RemoveFolder { path, reply } => answer(reply, self.remove_folder(&path)),
            Msg::Settle { id, finish, reply } => answer(reply, self.settle(id, finish)),
            // Why nothing can be kept was told when the vault was opened.
            Msg::Keep { .. } if self.vault.closed().is_some() => {}
            Msg::Keep { text } => {
                if let Err(error) = self.vault.keep(text.bytes()) {
                    self.shared.notice(HealthNotice {
                        message: format!("the text of an opened note could not be kept: {error}"),
                        hint: "free some space on the disk that holds the app's data".to_owned(),
                    });
                }
            }
            Msg::CatchUp { reply } => {
                self.catch_up();
                answer(reply, ());
            }
            Msg::Watched(Watched::Paths(paths)) => self.reconcile(paths, Origin::Outside),
            Msg::Watched(Watched::Rescan) => {
                self.read_settings();
                self.scan();
            }
            Msg::Close { .. } => unreachable!("handled by the loop"),
        }
    }

    fn tick(&mut self) {
        let now = now_ms();
        let kept = self.vault.tick(now);
        self.take_kept(kept);
        if self.index.as_mut().is_none_or(|index| index.flush().is_err()) {
            self.rebuild_index();
        }
        self.keep_house(now);
        self.tell_health();
    }

    /// Takes in texts of other programs that were saved from being lost. The journal has them already.
    fn take_kept(&mut self, kept: Vec<Kept>) {
        let reader = self.view().reader;
        for kept in kept {
            // What went back into its file is nothing to be told about.
            if reader.read(&kept.path).ok().map(|file| file.hash) != Some(kept.hash) {
                self.shared.notice(HealthNotice {
                    message: format!("another program wrote `{}` while it was being replaced", kept.path),
                    hint: "its text is kept as a version in the note's history".to_owned(),
                });
            }
            self.ledger_mut().kept(now_ms(), kept);
        }
    }

    fn close(&mut self) {
        let _ = self.index.as_mut().map(Index::flush);
    }

    fn save(&mut self, path: RelPath, base: ContentHash, text: String) -> Result<Saved, SaveError> {
        let view = self.view();
        let file = match view.reader.read(&path) {
            Ok(file) => file,
            Err(vault::ReadError::Missing { .. }) => return Err(SaveError::Gone { path }),
            Err(error) => {
                return Err(SaveError::Write(WriteError::Failed { path: path.to_string(), reason: error.to_string() }));
            }
        };
        let disk = any_text(file.bytes);
        if disk.hash() != base {
            let lf = disk.lf();
            if lf == text {
                return Ok(Saved::Saved { hash: disk.hash().to_string(), changed: false });
            }
            self.reconcile([path], Origin::Outside);
            return Ok(Saved::Stale { hash: disk.hash().to_string(), text: lf });
        }
        let intent = Intent::SaveText { path: path.clone(), base, text };
        let plan = plan(&intent, &view)?;
        let Some(after) = plan.files.first().and_then(|file| file.after_hash()) else {
            return Ok(Saved::Saved { hash: base.to_string(), changed: false });
        };
        // The text itself is a blob; the journal needs only whose it is.
        let intent = Intent::SaveText { path, base, text: String::new() };
        match self.commit(OpId::generate(), plan, Actor::Person, intent, Leave::Given) {
            Ok(()) => Ok(Saved::Saved { hash: after.to_string(), changed: true }),
            Err(WriteError::Stale { path }) => {
                let disk = any_text(view.reader.read(&path).map_err(|_| SaveError::Gone { path: path.clone() })?.bytes);
                Ok(Saved::Stale { hash: disk.hash().to_string(), text: disk.lf() })
            }
            Err(error) => Err(error.into()),
        }
    }

    fn carry(&mut self, intent: Intent, seen: Option<PlanDigest>) -> Result<OpId, DecideError> {
        self.catch_up();
        let plan = plan(&intent, &self.view())?;
        if seen.is_some_and(|seen| seen != plan.digest) {
            return Err(DecideError::Changed);
        }
        let id = OpId::generate();
        self.commit(id, plan, Actor::Person, intent, Leave::Given)?;
        Ok(id)
    }

    fn propose(
        &mut self,
        client: String,
        writes: Writes,
        intent: Intent,
        request: Request,
        dry_run: bool,
    ) -> Result<Proposed, ProposeError> {
        let view = self.view();
        if let Some(id) = &request.request_id
            && let Some(known) = view.ledger().by_request(&client, id).cloned()
        {
            return replay(&view, &known, id, &request);
        }
        if writes == Writes::Off && !dry_run {
            return Err(ProposeError::WritesOff);
        }
        let plan = plan(&intent, &view).map_err(|error| refusal(error, request.expect))?;
        let before = plan.lead_before(&view);
        if let (Some(expect), Some(current)) = (request.expect, before)
            && expect != current
        {
            return Err(ProposeError::Conflict { path: plan.lead, expected: expect, current });
        }
        let id = OpId::generate();
        let mut proposed = Proposed::preview(id, &plan, before);
        if dry_run {
            return Ok(proposed);
        }
        self.record(
            id,
            OpRecord::Proposed {
                intent: intent.clone(),
                actor: Actor::Agent { client: client.clone() },
                lead: plan.lead.clone(),
                base: before,
                digest: plan.digest.clone(),
                summary: plan.summary.clone(),
                reason: request.reason,
                request_id: request.request_id,
                fingerprint: request.fingerprint,
            },
        );
        if writes == Writes::Allow {
            if let Err(error) = self.commit(id, plan, Actor::Agent { client }, intent, Leave::Beforehand) {
                self.give_up(id);
                return Err(error.into());
            }
            proposed.indexed = true;
        }
        self.announce(id);
        proposed.finish(&self.view());
        Ok(proposed)
    }

    /// Ends a proposal that was to be carried out at once and could not be: nobody is to find it waiting, and the failed
    /// call uses up no request id.
    fn give_up(&mut self, id: OpId) {
        if self.open_proposal(id).is_ok() {
            self.record(id, OpRecord::Withdrawn);
            self.ledger_mut().release_request(id);
        }
        self.announce(id);
    }

    fn decide(&mut self, id: OpId, decision: Decision) -> Result<OpId, DecideError> {
        let operation = self.open_proposal(id)?;
        match decision {
            Decision::Decline { comment } => {
                self.record(id, OpRecord::Declined { comment });
                self.announce(id);
            }
            Decision::Approve { seen } => {
                let plan = plan(&operation.intent, &self.view())?;
                if plan.digest != seen {
                    return Err(DecideError::Changed);
                }
                self.commit(id, plan, operation.actor.clone(), operation.intent.clone(), Leave::Given)?;
                self.announce(id);
            }
        }
        Ok(id)
    }

    fn amend(&mut self, id: OpId, new_title: &str) -> Result<OpId, AmendError> {
        let operation = self.open_proposal(id)?;
        let mut intent = operation.intent.clone();
        let Intent::RenameSection { new_heading, .. } = &mut intent else {
            return Err(AmendError::NotARename);
        };
        *new_heading = new_title.to_owned();
        let plan = plan(&intent, &self.view()).map_err(DecideError::from)?;
        self.record(id, OpRecord::Amended { intent, digest: plan.digest, summary: plan.summary });
        self.announce(id);
        Ok(id)
    }

    fn withdraw(&mut self, id: OpId, client: &str) -> Result<OpId, DecideError> {
        let operation = self.open_proposal(id)?;
        if operation.actor.name() != client {
            return Err(DecideError::Unknown);
        }
        self.record(id, OpRecord::Withdrawn);
        self.announce(id);
        Ok(id)
    }

    /// Ends an operation that was stopped half-way: it is planned again on the text of now, or taken back.
    fn settle(&mut self, id: OpId, finish: bool) -> Result<OpId, DecideError> {
        if !self.vault.interrupted().iter().any(|interrupted| interrupted.op == id) {
            return Err(DecideError::Unknown);
        }
        if finish {
            let done = self.vault.settle(id).is_some_and(|settled| settled.outcome == SettledOutcome::Done);
            if !done {
                let operation = self.view().ledger().get(id).cloned().ok_or(DecideError::Unknown)?;
                let plan = plan(&operation.intent, &self.view())?;
                self.commit(id, plan, operation.actor.clone(), operation.intent.clone(), Leave::Given)?;
            }
        } else {
            // Without a label the journal's replay takes this for what it is: the end of the operation, not another.
            self.vault.undo(id, serde_json::Value::Null).map_err(WriteError::from)?;
        }
        self.replay_journal();
        self.scan();
        self.announce(id);
        Ok(id)
    }

    fn open_proposal(&self, id: OpId) -> Result<Arc<Operation>, DecideError> {
        let view = self.view();
        let operation = view.ledger().get(id).cloned().ok_or(DecideError::Unknown)?;
        if operation.state != OpState::Proposed {
            return Err(DecideError::NotOpen { state: operation.state });
        }
        Ok(operation)
    }

    /// Hands a plan to the vault, and lets what it wrote come in as every change on disk does.
    fn commit(&mut self, op: OpId, plan: Plan, actor: Actor, intent: Intent, leave: Leave) -> Result<(), WriteError> {
        let origin = if actor == Actor::Person { Origin::Person } else { Origin::Agent };
        let arrivals = self.arrivals(&plan, &intent);
        let around = self.around(&intent, false);
        let made_folders = self.missing_folders(&plan, &around);
        let thrown = Thrown::by(&intent, &plan, &self.view());
        let followed = if let Intent::RepairLinks { moves } = &intent { moves.clone() } else { Vec::new() };
        let (steps, contents) = plan.steps();
        let files = plan.changed_files();
        let allowed_beforehand = leave == Leave::Beforehand;
        let own_edits = own_edits(&self.view(), &files);
        let label = CommitLabel {
            actor,
            intent,
            lead: plan.lead,
            summary: plan.summary,
            files,
            comment: None,
            made_folders,
            allowed_beforehand,
            own_edits,
        };
        let value = serde_json::to_value(&label).expect("labels are plain data");
        let change = Change { op, steps: steps.clone(), contents, label: value };
        match self.vault.commit(change) {
            Ok(committed) => {
                if steps.is_empty() {
                    // The vault has nothing to promise where no file is touched, so its journal is told here.
                    self.record(op, OpRecord::Folders { label: Box::new(label) });
                } else {
                    let files = changed_files(&steps, &label);
                    let mut ledger = self.ledger_mut();
                    ledger.begun(op, now_ms_signed(), label, files);
                    ledger.done(op);
                }
                self.record_all(op, arrivals);
                self.reconcile(committed.paths, origin);
                self.change_folders(around, origin);
                if let Some(thrown) = thrown {
                    self.throw_away(&thrown);
                }
                self.moves_followed(&followed);
                Ok(())
            }
            Err(error) => {
                let kept = self.vault.take_kept();
                self.take_kept(kept);
                let paths: Vec<RelPath> = steps.iter().map(|step| step.path.clone()).collect();
                let is_own = matches!(&error, CommitError::Interrupted { op: stopped, .. } if *stopped == op);
                if is_own {
                    let files = changed_files(&steps, &label);
                    let mut ledger = self.ledger_mut();
                    ledger.begun(op, now_ms_signed(), label, files);
                    ledger.interrupted(op);
                }
                self.reconcile(paths, Origin::Outside);
                match error {
                    // An older operation stands in the way, and nothing of this one happened.
                    CommitError::Interrupted { files, .. } if !is_own => Err(WriteError::Held { files }),
                    error => Err(WriteError::from(error)),
                }
            }
        }
    }

    pub(crate) fn record(&mut self, id: OpId, record: OpRecord) {
        self.record_all(id, vec![record]);
    }

    /// Writes records to the journal and takes them into the ledger, in that order.
    pub(crate) fn record_all(&mut self, id: OpId, records: Vec<OpRecord>) {
        let bodies = records.iter().map(|record| serde_json::to_value(record).expect("records are plain data"));
        if let Err(error) = self.vault.record_all(id, bodies.collect()) {
            self.shared.notice(HealthNotice {
                message: format!("the journal cannot be written: {error}"),
                hint: "free some space; until then proposals and history are kept only until the program ends"
                    .to_owned(),
            });
        }
        let mut ledger = self.ledger_mut();
        for record in records {
            ledger.record(id, now_ms_signed(), record);
        }
    }

    pub(crate) fn replay_journal(&mut self) {
        // A journal that cannot be read right now takes nothing from what is known of it.
        if let Ok(ledger) = crate::engine::replay(&self.vault) {
            *self.ledger_mut() = ledger;
        }
    }

    fn announce(&self, id: OpId) {
        let state = self.view().ledger().get(id).map(|op| op.state);
        if let Some(state) = state {
            self.shared.operation_changed(id, state);
        }
    }

    pub(crate) fn view(&self) -> View {
        self.shared.view()
    }

    pub(crate) fn publish(&self, index: IndexView) {
        self.shared.publish(index);
    }

    fn ledger_mut(&self) -> RwLockWriteGuard<'_, Ledger> {
        self.shared.ledger.write().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    fn index_batch(&mut self) {
        let n = self.queue.len().min(BATCH);
        let batch: BTreeSet<RelPath> = self.queue.drain(..n).collect();
        self.reconcile(batch, Origin::Outside);
        self.shared.indexing(self.queue_total - self.queue.len(), self.queue_total);
        if self.queue.is_empty() {
            self.complete = true;
            self.shared.indexed();
        }
    }

    /// Reads everything that a look at the whole vault finds changed, so that a plan never rests on old links.
    fn catch_up(&mut self) {
        self.scan();
        while !self.queue.is_empty() {
            self.index_batch();
        }
    }
}

/// By whose leave something is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Leave {
    /// A person did it or approved it.
    Given,
    /// A person allowed the client's writes before any of them; nobody saw this one.
    Beforehand,
}

fn answer<T>(reply: Reply<T>, value: T) {
    // Whoever asked may have gone away; what was done is done.
    let _ = reply.send(value);
}

/// Says when each file that changes in its links alone was last edited itself.
fn own_edits(view: &View, files: &[ChangedFile]) -> BTreeMap<RelPath, i64> {
    let ledger = view.ledger();
    let edited = |file: &ChangedFile| {
        let stat = view.reader.stat(&file.path).ok()?;
        Some((file.path.clone(), content_updated(&ledger, &file.path, file.before?, &stat)))
    };
    files.iter().filter(|file| file.link_repair).filter_map(edited).collect()
}

/// Answers a repeated request id: the first outcome if it still holds, a refusal otherwise.
fn replay(view: &View, known: &Operation, request_id: &str, request: &Request) -> Result<Proposed, ProposeError> {
    let current = view.reader.read(&known.lead).ok().map(|file| file.hash);
    let refuse = || ProposeError::RequestIdReused { request_id: request_id.to_owned(), current };
    if known.fingerprint != request.fingerprint {
        return Err(refuse());
    }
    let lead_after = known.files.iter().find(|file| file.path == known.lead).map(|file| file.after);
    let holds = match known.state {
        OpState::Proposed | OpState::Declined | OpState::Withdrawn => true,
        OpState::Done => lead_after.is_none_or(|after| after == current),
        OpState::Begun | OpState::Interrupted | OpState::Undone => false,
    };
    if !holds {
        return Err(refuse());
    }
    Ok(Proposed::again(view, known))
}

impl Plan {
    /// Returns the hash that the lead note has now.
    fn lead_before(&self, view: &View) -> Option<ContentHash> {
        let planned = self.files.iter().find(|file| file.path == self.lead);
        planned.map_or_else(|| view.reader.read(&self.lead).ok().map(|file| file.hash), |file| file.before_hash())
    }
}

/// What does not fit the note of now was perhaps right for the one that the caller read; then that is what to say.
fn refusal(error: PlanError, expect: Option<ContentHash>) -> ProposeError {
    match (&error, expect) {
        (
            PlanError::Rename { path, current, .. }
            | PlanError::Section { path, current, .. }
            | PlanError::Text { path, current, .. }
            | PlanError::Properties { path, current, .. },
            Some(expected),
        ) if *current != expected => ProposeError::Conflict { path: path.clone(), expected, current: *current },
        _ => error.into(),
    }
}

impl From<PlanError> for DecideError {
    fn from(error: PlanError) -> Self {
        DecideError::Blocked(error)
    }
}

pub(crate) fn now_ms() -> u64 {
    u64::try_from(now_ms_signed()).unwrap_or_default()
}

pub(crate) fn now_ms_signed() -> i64 {
    jiff::Timestamp::now().as_millisecond()
}
