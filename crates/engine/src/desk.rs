//! What an agent is handed: it reads and proposes. It has no way to decide, so approving itself cannot even be said.

use crate::allowance::Allowance;
use crate::scope::{DeskView, Scope};
use crate::view::{NoteError, NoteRef, OpenNote};
use crate::writer::Msg;
use crate::{
    Actor, DecideError, Engine, Event, FileReview, HistoryError, Hunk, Intent, OpState, Operation, OperationView, Plan,
    PlanError, Request, Review, ReviewError,
};
use crate::{Version, View, WriteError, Writes};
use note::{ContentHash, RelPath};
use std::sync::Arc;
use std::sync::mpsc::Receiver;
use std::time::{Duration, Instant};
use thiserror::Error;
use vault::OpId;

/// An agent's handle on a vault.
#[derive(Clone)]
pub struct Desk {
    engine: Engine,
    client: String,
    allowance: Allowance,
    tools: Option<Arc<[String]>>,
}

/// What came of a proposal.
#[derive(Debug, Clone, PartialEq)]
pub struct Proposed {
    /// How the operation stands; absent for a dry run.
    pub operation: Option<OperationView>,
    pub id: OpId,
    pub lead: RelPath,
    /// Every file, with its diff.
    pub files: Vec<FileReview>,
    pub summary: crate::Summary,
    pub before_hash: Option<ContentHash>,
    pub projected_hash: Option<ContentHash>,
    /// The hash of the lead note now.
    pub content_hash: Option<ContentHash>,
    pub replayed: bool,
    /// Whether search and links already know the outcome.
    pub indexed: bool,
}

/// Why nothing was proposed.
#[derive(Debug, Error)]
pub enum ProposeError {
    #[error("agents may not write in this vault")]
    WritesOff,
    #[error("note changed since it was read: `{path}`")]
    Conflict { path: RelPath, expected: ContentHash, current: ContentHash },
    #[error("request_id `{request_id}` was used for another call, or the note changed since that call")]
    RequestIdReused { request_id: String, current: Option<ContentHash> },
    #[error(transparent)]
    Plan(#[from] PlanError),
    #[error(transparent)]
    Write(#[from] WriteError),
    #[error("not open to this client: `{path}`")]
    BeyondScope { path: RelPath },
    #[error("the change meets something that is not open to this client")]
    Hidden,
    #[error("the vault is closed; open it again")]
    Closed,
}

impl Desk {
    pub(crate) fn new(engine: Engine, client: String, writes: Writes) -> Desk {
        Desk { engine, client, allowance: Allowance { writes, folders: None, scope: Scope::default() }, tools: None }
    }

    /// Lets the client see these folders only.
    #[must_use]
    pub fn seeing(mut self, folders: &[RelPath]) -> Desk {
        self.allowance.scope = Scope::of(folders);
        self
    }

    /// Lets the client use these tools only, by the names that its door gives them.
    #[must_use]
    pub fn using(mut self, tools: &[String]) -> Desk {
        self.tools = Some(tools.into());
        self
    }

    /// Keeps what is allowed to these folders: what goes beyond them waits for a person.
    #[must_use]
    pub fn within(mut self, folders: &[RelPath]) -> Desk {
        self.allowance.folders = Some(folders.into());
        self
    }

    /// Returns the snapshot of now, as the client is let see it.
    pub fn view(&self) -> DeskView {
        self.allowance.scope.view(self.engine.view())
    }

    /// Whether the client may use a tool.
    pub fn may_use(&self, tool: &str) -> bool {
        self.tools.as_ref().is_none_or(|tools| tools.iter().any(|name| name == tool))
    }

    /// Returns the name the client was let in under.
    pub fn client(&self) -> &str {
        &self.client
    }

    /// Returns what happens to this client's writes.
    pub fn writes(&self) -> Writes {
        self.allowance.writes
    }

    /// Returns the vault's name.
    pub fn vault_name(&self) -> String {
        self.engine.name().to_owned()
    }

    /// Reads a note as the person sees it: unsaved text in a window is saved first.
    ///
    /// # Errors
    /// As `View::note`.
    pub fn note(&self, at: &NoteRef) -> Result<OpenNote, NoteError> {
        let path = self.locate(at)?;
        self.engine.shared.flush(|editing| *editing == path);
        self.engine.view().open_note(&path)
    }

    /// Finds the path that a name means. What the index does not know is looked for on disk once more before it is
    /// called missing: the vault may have been opened, or the file written, a moment ago.
    ///
    /// # Errors
    /// As `View::locate`.
    pub fn locate(&self, at: &NoteRef) -> Result<RelPath, NoteError> {
        match self.view().locate(at) {
            Err(NoteError::NotFound { .. }) => {
                self.catch_up();
                self.view().locate(at)
            }
            found => found,
        }
    }

    /// Follows what happens in the vault since a moment, at most some seconds ago. What of it is for the client, `told` says.
    pub fn events(&self, since: Instant) -> Receiver<Event> {
        self.engine.subscribe_since(since)
    }

    /// Leaves of an event what the client is told: of the notes that it may see, and of its own operations.
    pub fn told(&self, event: Event) -> Option<Event> {
        match &event {
            Event::NotesChanged { .. } => self.view().event(event),
            Event::OperationChanged { id, .. } => id.parse().ok().and_then(|id| self.operation(id)).map(|_| event),
            Event::Indexing { .. } | Event::Health { .. } | Event::LookChanged | Event::FlushWanted { .. } => None,
        }
    }

    /// Waits until the whole vault has been indexed once, so that search and titles answer fully.
    pub fn wait_indexed(&self, timeout: Duration) -> bool {
        self.engine.wait_indexed(timeout)
    }

    /// Takes in what other programs changed on disk until now, so that search and links answer on the files of now.
    pub fn catch_up(&self) {
        self.engine.catch_up();
    }

    /// Whether what the views say is what is on disk at this moment, as far as the system tells.
    pub fn is_current(&self) -> bool {
        self.engine.is_still()
    }

    /// Has what a person types into a note saved first, and says whether anybody was typing.
    pub fn flush(&self, path: &str) -> bool {
        self.engine.shared.flush(|editing| editing.as_str() == path)
    }

    /// Proposes a change. It is carried out at once only if the person started the program with that leave.
    ///
    /// # Errors
    /// Says what stands in the way and what the next attempt needs; nothing was written.
    pub fn propose(&self, intent: Intent, request: Request) -> Result<Proposed, ProposeError> {
        self.ask(intent, request, false)
    }

    /// Works out what a proposal would do, and records nothing.
    ///
    /// # Errors
    /// As `propose`.
    pub fn preview(&self, intent: Intent, request: Request) -> Result<Proposed, ProposeError> {
        self.ask(intent, request, true)
    }

    fn ask(&self, intent: Intent, request: Request, dry_run: bool) -> Result<Proposed, ProposeError> {
        self.view().allows(&intent)?;
        self.engine.shared.flush(|_| true);
        let (client, said) = (self.client.clone(), intent.said());
        // What the client cannot see is changed for it by a person only.
        let folders = self.allowance.scope.narrowed(self.allowance.folders.clone());
        let allowance = Allowance { writes: self.allowance.writes, folders, scope: self.allowance.scope.clone() };
        let asked = self.engine.ask(|reply| Msg::Propose { client, allowance, intent, request, dry_run, reply });
        match asked.unwrap_or(Err(ProposeError::Closed)) {
            Ok(proposed) => self.shown(proposed, &said),
            Err(error) => Err(self.view().refusal(error, |request| self.operation_by_request(request).is_none())),
        }
    }

    /// Leaves out of an answer what the client may not see.
    fn shown(&self, mut proposed: Proposed, said: &str) -> Result<Proposed, ProposeError> {
        let view = self.view();
        let hidden = view.files(&mut proposed.files, said);
        view.warn(&mut proposed.summary.warnings, hidden);
        proposed.operation = match proposed.operation.take() {
            Some(operation) => Some(view.operation(operation).ok_or(ProposeError::Hidden)?),
            None if self.allowance.scope.holds(&proposed.lead) => None,
            None => return Err(ProposeError::Hidden),
        };
        Ok(proposed)
    }

    /// Returns one of this client's operations; another client's is as unknown as none.
    pub fn operation(&self, id: OpId) -> Option<OperationView> {
        self.own(self.engine.operation(id))
    }

    /// Returns the operation that this client started under a request id.
    pub fn operation_by_request(&self, request_id: &str) -> Option<OperationView> {
        let view = self.engine.view();
        let id = view.ledger().by_request(&self.client, request_id)?.id;
        self.operation(id)
    }

    /// Lists this client's open proposals, newest first.
    pub fn own_operations(&self) -> Vec<OperationView> {
        let view = self.engine.view();
        let own = self.actor();
        let ids: Vec<OpId> = view.ledger().open_proposals().filter(|op| op.actor == own).map(|op| op.id).collect();
        ids.into_iter().rev().filter_map(|id| self.operation(id)).collect()
    }

    /// Lists this client's proposals that a person declined, newest first.
    pub fn own_declined(&self, limit: usize) -> Vec<OperationView> {
        let view = self.engine.view();
        let own = self.actor();
        let declined = |op: &&Arc<Operation>| op.actor == own && op.state == OpState::Declined;
        let ids: Vec<OpId> = view.ledger().newest_first().filter(declined).take(limit).map(|op| op.id).collect();
        ids.into_iter().filter_map(|id| self.operation(id)).collect()
    }

    /// Waits until one of this client's operations is decided, or the time is up, and returns how it stands.
    pub fn wait(&self, id: OpId, timeout: Duration) -> Option<OperationView> {
        self.operation(id)?;
        self.own(self.engine.wait_operation(id, timeout))
    }

    /// Shows what one of this client's open proposals would do on the text of now.
    ///
    /// # Errors
    /// The operation is not known, or not this client's.
    pub fn review(&self, id: OpId) -> Result<Review, ReviewError> {
        self.operation(id).ok_or(ReviewError::Unknown)?;
        let said = self.engine.view().ledger().get(id).map(|operation| operation.intent.said());
        let review = self.engine.review(id)?;
        self.view().review(review, &said.unwrap_or_default()).ok_or(ReviewError::Unknown)
    }

    fn own(&self, operation: Option<OperationView>) -> Option<OperationView> {
        self.view().operation(operation.filter(|operation| operation.actor == self.actor())?)
    }

    fn actor(&self) -> Actor {
        Actor::Agent { client: self.client.clone() }
    }

    /// Lists a note's past texts, newest first.
    pub fn history(&self, path: &RelPath) -> Vec<Version> {
        if self.allowance.scope.holds(path) { self.engine.history(path) } else { Vec::new() }
    }

    /// Returns the text (line feeds only) that a version left.
    ///
    /// # Errors
    /// The version is not known or its text is no longer kept.
    pub fn version_text(&self, path: &RelPath, version: &str) -> Result<String, HistoryError> {
        self.may_see(path, version)?;
        self.engine.version_text(path, version)
    }

    /// Compares a version with the text of now.
    ///
    /// # Errors
    /// The version is not known or its text is no longer kept.
    pub fn diff_since(&self, path: &RelPath, version: &str) -> Result<Vec<Hunk>, HistoryError> {
        self.may_see(path, version)?;
        self.engine.diff(path, Some(version), None)
    }

    fn may_see(&self, path: &RelPath, version: &str) -> Result<(), HistoryError> {
        let unknown = || HistoryError::UnknownVersion { version: version.to_owned() };
        self.allowance.scope.holds(path).then_some(()).ok_or_else(unknown)
    }

    /// Takes back one of this client's own open proposals.
    ///
    /// # Errors
    /// Another client's operation is unknown to this one.
    pub fn withdraw(&self, id: OpId) -> Result<OperationView, DecideError> {
        self.operation(id).ok_or(DecideError::Unknown)?;
        let client = self.client.clone();
        let id = self.engine.ask(|reply| Msg::Withdraw { id, client, reply }).unwrap_or(Err(DecideError::Closed))?;
        self.operation(id).ok_or(DecideError::Unknown)
    }
}

impl Proposed {
    /// Describes a plan before anything is recorded.
    pub(crate) fn preview(id: OpId, plan: &Plan, before: Option<ContentHash>) -> Proposed {
        let lead = plan.files.iter().find(|file| file.path == plan.lead);
        Proposed {
            operation: None,
            id,
            lead: plan.lead.clone(),
            files: crate::review::file_reviews(plan),
            summary: plan.summary.clone(),
            before_hash: before,
            projected_hash: lead.map_or(before, |file| file.after_hash()),
            content_hash: before,
            replayed: false,
            indexed: false,
        }
    }

    /// Fills in how the operation stands after it was recorded, and perhaps carried out.
    pub(crate) fn finish(&mut self, view: &View) {
        self.operation = crate::review::one(view, self.id);
        self.content_hash = view.reader.read(&self.lead).ok().map(|file| file.hash);
    }

    /// Gives the first answer to a call again.
    pub(crate) fn again(view: &View, known: &Operation) -> Proposed {
        let lead = known.files.iter().find(|file| file.path == known.lead);
        let open = crate::review::review(view, known.id).ok().filter(|_| known.state == crate::OpState::Proposed);
        let plan = crate::plan::plan(&known.intent, view).ok().filter(|_| known.state == crate::OpState::Proposed);
        Proposed {
            operation: crate::review::one(view, known.id),
            id: known.id,
            lead: known.lead.clone(),
            files: open.map(|review| review.files).unwrap_or_default(),
            summary: known.summary.clone(),
            before_hash: known.base,
            projected_hash: lead.and_then(|file| file.after).or_else(|| {
                plan.and_then(|plan| plan.files.into_iter().find(|file| file.path == known.lead))
                    .and_then(|f| f.after_hash())
            }),
            content_hash: view.reader.read(&known.lead).ok().map(|file| file.hash),
            replayed: true,
            indexed: known.state == crate::OpState::Done,
        }
    }
}
