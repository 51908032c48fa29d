//! The life of a proposal on the writer's thread: made, decided, amended, withdrawn, settled.

use crate::allowance::Allowance;
use crate::carry_out::{Leave, Recorded};
use crate::operation::OpRecord;
use crate::plan::plan;
use crate::rebase::rebase;
use crate::writer::Writer;
use crate::{Actor, AmendError, DecideError, Decision, HealthNotice, Intent, OpState, Operation, Plan, PlanError};
use crate::{ProposeError, Proposed, Request, View, WriteError, Writes};
use note::ContentHash;
use std::sync::Arc;
use vault::{OpId, SettledOutcome};

impl Writer {
    pub(crate) fn propose(
        &mut self,
        client: String,
        allowance: Allowance,
        intent: Intent,
        request: Request,
        dry_run: bool,
    ) -> Result<Proposed, ProposeError> {
        let view = self.view();
        // Looked up on its own, so that the ledger is let go of before anything is committed.
        let known = request.request_id.as_ref().and_then(|id| view.ledger().by_request(&client, id).cloned());
        if let (Some(id), Some(known)) = (&request.request_id, known) {
            let may_be_committed = allowance.writes == Writes::Allow && !dry_run && known.state == OpState::Proposed;
            if may_be_committed && known.fingerprint == request.fingerprint {
                return self.carry_on(&known, &allowance);
            }
            return replay(&view, &known, id, &request);
        }
        if allowance.writes == Writes::Off && !dry_run {
            return Err(ProposeError::WritesOff);
        }
        let plan = plan(&intent, &view).map_err(|error| refusal(error, request.expect))?;
        let before = plan.lead_before(&view);
        expected(&plan, request.expect, before)?;
        let id = OpId::generate();
        let mut proposed = Proposed::preview(id, &plan, before);
        if dry_run {
            return Ok(proposed);
        }
        let recorded = self.record(
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
        if allowance.covers(&plan, &intent, &view) {
            if let Err(error) = self.commit(id, plan, Actor::Agent { client }, intent, Leave::Beforehand) {
                self.give_up(id);
                return Err(error.into());
            }
            proposed.indexed = true;
        }
        self.announce(id);
        proposed.finish(&self.view());
        if recorded == Recorded::UntilTheEnd {
            proposed.summary.warnings.push(
                "this proposal is kept only until the program that has the vault open ends: its journal cannot be written, \
                 perhaps because the disk is full"
                    .to_owned(),
            );
        }
        Ok(proposed)
    }

    /// Carries out what a process proposed on a person's standing leave and did not live to commit.
    fn carry_on(&mut self, known: &Operation, allowance: &Allowance) -> Result<Proposed, ProposeError> {
        let view = self.view();
        let plan = plan(&known.intent, &view).map_err(|error| refusal(error, known.base))?;
        if !allowance.covers(&plan, &known.intent, &view) {
            return Ok(Proposed::again(&view, known));
        }
        if let Err(conflict) = expected(&plan, known.base, plan.lead_before(&view)) {
            self.give_up(known.id);
            return Err(conflict);
        }
        if let Err(error) = self.commit(known.id, plan, known.actor.clone(), known.intent.clone(), Leave::Beforehand) {
            self.give_up(known.id);
            return Err(error.into());
        }
        self.announce(known.id);
        let view = self.view();
        let done = view.ledger().get(known.id).cloned();
        Ok(Proposed::again(&view, done.as_deref().unwrap_or(known)))
    }

    /// Ends a proposal that was to be carried out at once and could not be: nobody is to find it waiting, and the failed
    /// call uses up no request id.
    pub(crate) fn give_up(&mut self, id: OpId) {
        if self.open_proposal(id).is_ok() {
            self.record(id, OpRecord::Withdrawn);
            self.ledger_mut().release_request(id);
        }
        self.announce(id);
    }

    pub(crate) fn decide(&mut self, id: OpId, decision: Decision) -> Result<OpId, DecideError> {
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

    pub(crate) fn amend(&mut self, id: OpId, new_title: &str) -> Result<OpId, AmendError> {
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

    pub(crate) fn withdraw(&mut self, id: OpId, client: &str) -> Result<OpId, DecideError> {
        let own = Actor::Agent { client: client.to_owned() };
        if self.view().ledger().get(id).is_none_or(|operation| operation.actor != own) {
            return Err(DecideError::Unknown);
        }
        self.open_proposal(id)?;
        self.record(id, OpRecord::Withdrawn);
        self.announce(id);
        Ok(id)
    }

    /// Ends an operation that was stopped half-way: it is planned again on the text of now, or taken back.
    pub(crate) fn settle(&mut self, id: OpId, finish: bool) -> Result<OpId, DecideError> {
        let interrupted = self.vault.interrupted().into_iter().find(|interrupted| interrupted.op == id);
        let interrupted = interrupted.ok_or(DecideError::Unknown)?;
        let operation = self.view().ledger().get(id).cloned().ok_or(DecideError::Unknown)?;
        let rebased = rebase(&self.view(), &operation.intent, &interrupted.steps, finish)?;
        if rebased.steps != interrupted.steps {
            self.vault.rebase(id, rebased.steps, rebased.contents).map_err(WriteError::from)?;
        }
        if finish {
            let settled = self.vault.settle(id).map(|settled| settled.outcome);
            if let Some(SettledOutcome::Interrupted { files }) = settled {
                return Err(WriteError::Interrupted { files }.into());
            }
        } else {
            // Without a label the journal's replay takes this for what it is: the end of the operation, not another.
            let put_back = self.vault.undo(id, serde_json::Value::Null).map_err(WriteError::from)?;
            for path in put_back.left {
                self.shared.notice(HealthNotice {
                    message: format!("another program wrote `{path}` while the operation was taken back"),
                    hint: "it stays as that program left it; look whether its links still lead where they should"
                        .to_owned(),
                });
            }
        }
        self.replay_journal();
        self.scan();
        self.announce(id);
        Ok(id)
    }

    pub(crate) fn open_proposal(&self, id: OpId) -> Result<Arc<Operation>, DecideError> {
        let view = self.view();
        let operation = view.ledger().get(id).cloned().ok_or(DecideError::Unknown)?;
        if operation.state != OpState::Proposed {
            return Err(DecideError::NotOpen { state: operation.state });
        }
        Ok(operation)
    }
}

/// Refuses a plan for another text of its lead note than the caller read.
fn expected(plan: &Plan, expected: Option<ContentHash>, current: Option<ContentHash>) -> Result<(), ProposeError> {
    match (expected, current) {
        (Some(expected), Some(current)) if expected != current => {
            Err(ProposeError::Conflict { path: plan.lead.clone(), expected, current })
        }
        _ => Ok(()),
    }
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
