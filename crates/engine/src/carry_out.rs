//! How a plan becomes true: handed to the vault, told to the journal, and taken in like every change on disk.

use crate::folders::Around;
use crate::ledger::changed_files;
use crate::operation::{CommitLabel, OpRecord};
use crate::plan::{any_text, plan};
use crate::remove::Thrown;
use crate::view::content_updated;
use crate::writer::{Writer, now_ms_signed};
use crate::{Actor, ChangedFile, DecideError, HealthNotice, Intent, Origin, Plan};
use crate::{PlanDigest, SaveError, Saved, View, WriteError};
use note::{ContentHash, RelPath};
use std::collections::BTreeMap;
use vault::{Change, CommitError, OpId};

/// What is on disk and in the ledger, and is still to be told to the index and the doors.
pub(crate) struct Landed {
    paths: Vec<RelPath>,
    origin: Origin,
    around: Around,
    thrown: Option<Thrown>,
    followed: Vec<(RelPath, RelPath)>,
}

impl Writer {
    /// Saves what a person typed, and leaves it to the caller to let it in: whoever types waits for the disk, not for
    /// the index.
    pub(crate) fn save(
        &mut self,
        path: RelPath,
        base: ContentHash,
        text: String,
    ) -> Result<(Saved, Option<Landed>), SaveError> {
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
                return Ok((Saved::Saved { hash: disk.hash().to_string(), changed: false }, None));
            }
            self.reconcile([path], Origin::Outside);
            return Ok((Saved::Stale { hash: disk.hash().to_string(), text: lf }, None));
        }
        let intent = Intent::SaveText { path: path.clone(), base, text };
        let plan = plan(&intent, &view)?;
        let Some(after) = plan.files.first().and_then(|file| file.after_hash()) else {
            return Ok((Saved::Saved { hash: base.to_string(), changed: false }, None));
        };
        // The text itself is a blob; the journal needs only whose it is.
        let intent = Intent::SaveText { path, base, text: String::new() };
        match self.land(OpId::generate(), plan, Actor::Person, intent, Leave::Given) {
            Ok(landed) => Ok((Saved::Saved { hash: after.to_string(), changed: true }, Some(landed))),
            Err(WriteError::Stale { path }) => {
                let disk = any_text(view.reader.read(&path).map_err(|_| SaveError::Gone { path: path.clone() })?.bytes);
                Ok((Saved::Stale { hash: disk.hash().to_string(), text: disk.lf() }, None))
            }
            Err(error) => Err(error.into()),
        }
    }

    pub(crate) fn carry(&mut self, intent: Intent, seen: Option<PlanDigest>) -> Result<OpId, DecideError> {
        self.catch_up();
        let plan = plan(&intent, &self.view())?;
        if seen.is_some_and(|seen| seen != plan.digest) {
            return Err(DecideError::Changed);
        }
        let id = OpId::generate();
        self.commit(id, plan, Actor::Person, intent, Leave::Given)?;
        Ok(id)
    }

    /// Hands a plan to the vault, and lets what it wrote in.
    pub(crate) fn commit(
        &mut self,
        op: OpId,
        plan: Plan,
        actor: Actor,
        intent: Intent,
        leave: Leave,
    ) -> Result<(), WriteError> {
        let landed = self.land(op, plan, actor, intent, leave)?;
        self.let_in(landed);
        Ok(())
    }

    /// Lets what was written come in as every change on disk does.
    pub(crate) fn let_in(&mut self, landed: Landed) {
        let Landed { paths, origin, around, thrown, followed } = landed;
        self.reconcile(paths, origin);
        self.change_folders(around, origin);
        if let Some(thrown) = thrown {
            self.throw_away(&thrown);
        }
        self.moves_followed(&followed);
    }

    /// Hands a plan to the vault. What it wrote is durable then, and the ledger knows it.
    fn land(&mut self, op: OpId, plan: Plan, actor: Actor, intent: Intent, leave: Leave) -> Result<Landed, WriteError> {
        let origin = if actor == Actor::Person { Origin::Person } else { Origin::Agent };
        let arrivals = self.arrivals(&plan, &intent);
        let mut around = self.around(&intent, false);
        around.links.clone_from(&plan.links);
        let made_folders = self.missing_folders(&plan, &around);
        let deleted_folders = self.deleted_folders(&intent);
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
            // The steps say the rest; who writes for years reads every byte of this again.
            files: files.into_iter().filter(|file| file.n_links > 0 || file.link_repair).collect(),
            comment: None,
            made_folders,
            deleted_folders,
            links: plan.links,
            allowed_beforehand,
            own_edits,
        };
        let value = serde_json::to_value(&label).expect("labels are plain data");
        let change = Change { op, steps: steps.clone(), contents, label: value };
        self.ledger_mut().under_way(op);
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
                Ok(Landed { paths: committed.paths, origin, around, thrown, followed })
            }
            Err(error) => {
                self.ledger_mut().put_off(op);
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

    pub(crate) fn record(&mut self, id: OpId, record: OpRecord) -> Recorded {
        self.record_all(id, vec![record])
    }

    /// Writes records to the journal and takes them into the ledger, in that order.
    pub(crate) fn record_all(&mut self, id: OpId, records: Vec<OpRecord>) -> Recorded {
        let bodies = records.iter().map(|record| serde_json::to_value(record).expect("records are plain data"));
        let recorded = self.vault.record_all(id, bodies.collect());
        if let Err(error) = &recorded {
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
        recorded.map_or(Recorded::UntilTheEnd, |_| Recorded::ForGood)
    }

    pub(crate) fn replay_journal(&mut self) {
        // A journal that cannot be read right now takes nothing from what is known of it.
        if let Ok(ledger) = crate::engine::replay(&self.vault) {
            *self.ledger_mut() = ledger;
        }
    }
}

/// How long what was recorded is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Recorded {
    ForGood,
    /// Until the program ends: the journal could not be written, of which the person is told.
    UntilTheEnd,
}

/// By whose leave something is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Leave {
    /// A person did it or approved it.
    Given,
    /// A person allowed the client's writes before any of them; nobody saw this one.
    Beforehand,
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
