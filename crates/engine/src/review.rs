//! What a person is shown before deciding, and in the history.

use crate::plan::{any_text, plan};
use crate::view::rfc3339;
use crate::{Actor, Hunk, Intent, OpState, Operation, Plan, PlannedFile, Summary, View, diff};
use note::{ContentHash, NoteText, RelPath};
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use thiserror::Error;
use vault::OpId;

/// An operation in a list.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct OperationView {
    pub id: String,
    /// `rename_section`, `save_text`, `create_note`, `restore`, `undo`.
    pub kind: String,
    pub actor: Actor,
    pub state: OpState,
    /// The note it is about.
    pub path: String,
    pub summary: Summary,
    pub reason: Option<String>,
    pub request_id: Option<String>,
    /// RFC 3339, UTC.
    pub proposed_at: String,
    pub decided_at: Option<String>,
    pub decided_by: Option<String>,
    pub comment: Option<String>,
    pub amended: bool,
    /// Only for proposals: whether it can be approved as it was proposed.
    pub readiness: Option<Readiness>,
    pub files: Vec<crate::ChangedFile>,
    pub can_undo: bool,
    /// The operation that took this one back; undoing that one does this one again.
    pub undone_by: Option<String>,
}

/// Whether a proposal still fits the notes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub enum Readiness {
    /// It would write exactly what was proposed.
    Ready,
    /// Notes changed since; the diff shown is planned anew on the text of now.
    ChangedSince,
    /// It cannot be done any more; the message says why and what to do.
    Blocked { message: String },
}

/// Everything a person sees of one proposal.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct Review {
    pub operation: OperationView,
    /// Sent back with an approval; absent when it is blocked.
    pub digest: Option<String>,
    pub files: Vec<FileReview>,
    pub warnings: Vec<String>,
}

/// One file that would change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct FileReview {
    pub path: String,
    /// Whether the file changes only because links in it follow.
    pub link_repair: bool,
    pub n_links: u32,
    /// Whether the lead heading itself is in this file.
    pub has_change: bool,
    pub creates: bool,
    pub deletes: bool,
    pub hunks: Vec<Hunk>,
}

/// One past text of a note.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct Version {
    /// The operation that made it; unique within a note.
    pub id: String,
    /// RFC 3339, UTC.
    pub at: String,
    pub actor: Actor,
    pub kind: String,
    pub summary: Summary,
    pub before_hash: Option<String>,
    pub after_hash: Option<String>,
    pub chars_added: u32,
    pub chars_removed: u32,
    pub is_link_repair: bool,
    /// Whether its text is still kept.
    pub restorable: bool,
    pub request_id: Option<String>,
    /// How many files the whole operation touched.
    pub n_files: u32,
    /// Whether the whole operation can be taken back now.
    pub can_undo: bool,
    /// Whether this is the text that the note has now.
    pub is_current: bool,
}

/// Why there is nothing to show.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum ReviewError {
    #[error("the operation is not known")]
    Unknown,
}

/// Decided operations that a list goes back to.
const RECENT: usize = 200;

pub(crate) fn list(view: &View) -> Vec<OperationView> {
    let operations: Vec<Arc<Operation>> = {
        let ledger = view.ledger();
        let shown = |op: &&Arc<Operation>| {
            let plain = op.files.len() <= 1 && matches!(op.intent, Intent::SaveText { .. });
            op.state == OpState::Interrupted || (op.state != OpState::Proposed && !plain)
        };
        let open = ledger.open_proposals().cloned().collect::<Vec<_>>().into_iter().rev();
        let waits = |op: &&Arc<Operation>| op.state == OpState::Interrupted;
        open.chain(ledger.newest_first().filter(shown).filter(recent(RECENT, waits)).cloned()).collect()
    };
    operations.iter().map(|op| describe(view, op)).collect()
}

/// Keeps the first `most`, and beyond them what still waits for a person, however old it is.
fn recent<T>(most: usize, waits: impl Fn(&T) -> bool) -> impl FnMut(&T) -> bool {
    let mut n = 0;
    move |one| {
        waits(one) || {
            n += 1;
            n <= most
        }
    }
}

pub(crate) fn one(view: &View, id: OpId) -> Option<OperationView> {
    let operation = view.ledger().get(id).cloned()?;
    Some(describe(view, &operation))
}

pub(crate) fn review(view: &View, id: OpId) -> Result<Review, ReviewError> {
    let operation = view.ledger().get(id).cloned().ok_or(ReviewError::Unknown)?;
    let mut shown = describe(view, &operation);
    if operation.state != OpState::Proposed {
        let files = past_files(view, &operation);
        return Ok(Review { warnings: operation.summary.warnings.clone(), operation: shown, digest: None, files });
    }
    match plan(&operation.intent, view) {
        _ if !is_still(view, &operation) => review(view, id),
        Ok(plan) => {
            shown.readiness = Some(readiness(&operation, &plan));
            shown.summary = plan.summary.clone();
            Ok(Review {
                operation: shown,
                digest: Some(plan.digest.0.clone()),
                files: file_reviews(&plan),
                warnings: plan.summary.warnings,
            })
        }
        Err(error) => {
            shown.readiness = Some(Readiness::Blocked { message: error.to_string() });
            Ok(Review { operation: shown, digest: None, files: Vec::new(), warnings: Vec::new() })
        }
    }
}

fn describe(view: &View, op: &Arc<Operation>) -> OperationView {
    let readiness = (op.state == OpState::Proposed).then(|| match plan(&op.intent, view) {
        Ok(plan) => readiness(op, &plan),
        Err(error) => Readiness::Blocked { message: error.to_string() },
    });
    if readiness.is_some() && !is_still(view, op) {
        let now = view.ledger().get(op.id).cloned();
        return describe(view, &now.unwrap_or_else(|| op.clone()));
    }
    OperationView {
        id: op.id.to_string(),
        kind: op.intent.kind().to_owned(),
        actor: op.actor.clone(),
        state: op.state,
        path: op.lead.as_str().to_owned(),
        summary: op.summary.clone(),
        reason: op.reason.clone(),
        request_id: op.request_id.clone(),
        proposed_at: rfc3339(op.proposed_at),
        decided_at: op.decided_at.map(rfc3339),
        decided_by: op.decided_by.clone(),
        comment: op.comment.clone(),
        amended: op.amended,
        readiness,
        files: op.files.clone(),
        can_undo: can_undo(view, op),
        undone_by: op.undone_by.map(|id| id.to_string()),
    }
}

/// Says whether a proposal is what it was before it was planned: if not, its plan may have met its own effect.
fn is_still(view: &View, op: &Arc<Operation>) -> bool {
    view.ledger().get(op.id).is_none_or(|now| Arc::ptr_eq(now, op))
}

fn readiness(op: &Operation, plan: &Plan) -> Readiness {
    if op.digest.as_ref() == Some(&plan.digest) { Readiness::Ready } else { Readiness::ChangedSince }
}

/// Whether it is worth offering to take the operation back. Whether that still works is planned when it is asked for.
pub(crate) fn can_undo(view: &View, op: &Operation) -> bool {
    let kept = |hash: Option<ContentHash>| hash.is_none_or(|hash| view.reader.has_blob(&hash));
    let moved = |file: &crate::ChangedFile| op.files.iter().any(|other| other.is_other_half_of(file));
    op.state == OpState::Done
        && !op.folded
        && (!op.files.is_empty() || is_about_folders(view, &op.intent))
        && op.files.iter().all(|file| kept(file.before) || moved(file))
}

/// Whether an intent, or the one that it takes back, does something though no file is touched.
fn is_about_folders(view: &View, intent: &Intent) -> bool {
    match intent {
        Intent::MoveFolder { .. } | Intent::DeleteFolder { .. } => true,
        Intent::Undo { op } => {
            let undone = view.ledger().get(*op).map(|op| op.intent.clone());
            undone.is_some_and(|intent| is_about_folders(view, &intent))
        }
        _ => false,
    }
}

/// Shows what a plan would change, the lead note first.
pub(crate) fn file_reviews(plan: &Plan) -> Vec<FileReview> {
    let one = |file: &PlannedFile| {
        let lf = |text: &Option<NoteText>| text.as_ref().map(NoteText::lf).unwrap_or_default();
        // Of what arrives from another path only what changes on the way is news.
        let moved = moved_from(plan, file).map(|from| diff::hunks(&lf(&from.before), &lf(&file.after)));
        FileReview {
            path: file.path.as_str().to_owned(),
            link_repair: file.link_repair,
            n_links: file.n_links,
            has_change: !file.link_repair,
            creates: file.before.is_none(),
            deletes: file.after.is_none(),
            hunks: moved
                .filter(|hunks| !hunks.is_empty())
                .unwrap_or_else(|| diff::hunks(&lf(&file.before), &lf(&file.after))),
        }
    };
    plan.files.iter().map(one).collect()
}

/// Finds the file that a plan takes away where another one comes from.
fn moved_from<'p>(plan: &'p Plan, file: &PlannedFile) -> Option<&'p PlannedFile> {
    let to = plan.summary.new_path.as_deref().filter(|_| file.before.is_none())?;
    let rest = file.path.as_str().strip_prefix(to).filter(|rest| rest.is_empty() || rest.starts_with('/'))?;
    let from = format!("{}{rest}", plan.lead);
    plan.files.iter().find(|other| other.after.is_none() && other.path.as_str() == from)
}

/// Shows what a finished operation changed, from the kept texts.
fn past_files(view: &View, op: &Operation) -> Vec<FileReview> {
    // What is no text is not shown as one.
    let text = |path: &RelPath, hash: Option<ContentHash>| match hash {
        None => Some(String::new()),
        Some(hash) => {
            let bytes = view.reader.blob(&hash).ok().flatten()?;
            let text = if path.is_note() { Some(any_text(bytes)) } else { NoteText::new(bytes).ok() };
            text.map(|text| text.lf())
        }
    };
    let one = |file: &crate::ChangedFile| FileReview {
        path: file.path.as_str().to_owned(),
        link_repair: file.link_repair,
        n_links: file.n_links,
        has_change: !file.link_repair,
        creates: file.before.is_none(),
        deletes: file.after.is_none(),
        hunks: match (text(&file.path, file.before), text(&file.path, file.after)) {
            (Some(before), Some(after)) => diff::hunks(&before, &after),
            _ => Vec::new(),
        },
    };
    op.files.iter().map(one).collect()
}

#[cfg(test)]
mod tests {
    use super::recent;

    #[test]
    fn what_waits_is_kept_however_old_it_is() {
        let kept: Vec<i32> = [1, -2, 3, 4, -5, 6].into_iter().filter(recent(2, |n| *n < 0)).collect();
        assert_eq!(kept, [1, -2, 3, -5]);
    }
}
