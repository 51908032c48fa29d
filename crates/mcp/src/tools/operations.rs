//! `get_operation` and `withdraw_operation`, and what all write tools say of an operation.

use super::diffs::diff;
use super::resolve::{secrets, told};
use super::{Call, answer};
use crate::limits::secrets::Secrets;
use crate::limits::window::{cut, fitting, json_chars};
use crate::wire::args::{Arg, Args, Kind, Problems, optional, required};
use crate::wire::error::{Code, ToolError};
use crate::wire::operations::{
    OpenOperation, OperationFile, OperationStatus, OwnOperations, Renamed, Status, Written, WrittenFile,
};
use engine::{DecideError, FileReview, NoteRef, OpId, OpState, OpenNote, OperationView, Readiness, Summary, Writes};
use serde_json::Value;
use std::time::{Duration, Instant};

/// What `get_operation` takes.
pub(crate) const GET_ARGS: &[Arg] = &[
    optional("operation_id", Kind::Text { max: 64 }, "As a write tool answered it."),
    optional("request_id", Kind::RequestId, "Or the request_id you started it with."),
    optional("wait_seconds", Kind::Integer { min: 0, max: 45, default: Some(0) }, "Wait so long for the decision."),
];

/// What `withdraw_operation` takes.
pub(crate) const WITHDRAW_ARGS: &[Arg] = &[required("operation_id", Kind::Text { max: 64 }, "Your open operation.")];

/// Checks what `get_operation`'s arguments say together.
pub(crate) fn check_get(args: &Args, problems: &mut Problems) {
    if args.has("operation_id") && args.has("request_id") {
        problems.add("request_id", "cannot stand together with operation_id");
    }
}

/// `withdraw_operation` has one argument.
pub(crate) fn check_withdraw(_: &Args, _: &mut Problems) {}

/// Carries `get_operation` out.
pub(crate) fn get(call: &Call<'_>) -> Result<Value, ToolError> {
    let found = match (call.args.text("operation_id"), call.args.text("request_id")) {
        (Some(id), _) => {
            operation_id(id).and_then(|id| call.desk.operation(id)).ok_or_else(|| unknown("operation_id", id))
        }
        (None, Some(request)) => call.desk.operation_by_request(request).ok_or_else(|| unknown("request_id", request)),
        (None, None) => return answer(&own(call)),
    }?;
    let settled = wait(call, found);
    answer(&status(call, settled)?)
}

/// Carries `withdraw_operation` out.
pub(crate) fn withdraw(call: &Call<'_>) -> Result<Value, ToolError> {
    let wanted = call.args.text("operation_id").unwrap_or_default();
    let id = operation_id(wanted).ok_or_else(|| unknown("operation_id", wanted))?;
    let view = match call.desk.withdraw(id) {
        Ok(view) => view,
        Err(error) => match call.desk.operation(id).filter(|view| view.state == OpState::Withdrawn) {
            // Taken back already: the wish is fulfilled.
            Some(view) if matches!(error, DecideError::NotOpen { .. }) => view,
            _ => return Err(not_withdrawn(call, wanted, id, &error)),
        },
    };
    answer(&brief(view))
}

fn not_withdrawn(call: &Call<'_>, wanted: &str, id: OpId, error: &DecideError) -> ToolError {
    match error {
        DecideError::NotOpen { .. } => {
            let status = call.desk.operation(id).map(|view| state(&view));
            ToolError::new(
                Code::Conflict,
                format!("the operation has been decided already: `{wanted}`"),
                "read what became of it with get_operation; only the person can undo what was committed",
            )
            .for_good()
            .with("operation_id", wanted)
            .with_some("status", status.and_then(|status| serde_json::to_value(status).ok()))
        }
        DecideError::Unknown => unknown("operation_id", wanted),
        _ => ToolError::new(Code::VaultBusy, "the vault is being closed or handed over", "call again in a moment"),
    }
}

fn unknown(name: &str, wanted: &str) -> ToolError {
    ToolError::new(
        Code::NotFound,
        format!("no operation of yours has the {name} `{wanted}`"),
        "call get_operation without arguments for your open operations",
    )
}

fn operation_id(text: &str) -> Option<OpId> {
    text.trim().to_uppercase().parse().ok()
}

/// Waits in short turns, so that a client that has gone does not hold a thread.
fn wait(call: &Call<'_>, mut view: OperationView) -> OperationView {
    let end = Instant::now() + Duration::from_secs(call.args.integer("wait_seconds").unwrap_or(0));
    let Some(id) = operation_id(&view.id) else { return view };
    while matches!(state(&view), Status::Proposed | Status::Approved) && !call.is_cancelled() {
        let left = end.saturating_duration_since(Instant::now());
        if left.is_zero() {
            break;
        }
        match call.desk.wait(id, left.min(Duration::from_millis(500))) {
            Some(now) => view = now,
            None => break,
        }
    }
    view
}

fn own(call: &Call<'_>) -> OwnOperations {
    let all = call.desk.own_operations().into_iter().map(brief);
    let (operations, left_out) = fitting(all, call.settings.max_response_chars.saturating_sub(100));
    OwnOperations { operations, operations_truncated: left_out.then_some(true) }
}

fn brief(view: OperationView) -> OpenOperation {
    OpenOperation {
        status: state(&view),
        operation_id: view.id,
        request_id: view.request_id,
        kind: view.kind,
        rel_path: view.path,
        proposed_at: view.proposed_at,
    }
}

fn status(call: &Call<'_>, view: OperationView) -> Result<OperationStatus, ToolError> {
    let review = operation_id(&view.id).and_then(|id| call.desk.review(id).ok());
    let reviewed = review.as_ref().map(|review| review.files.as_slice()).unwrap_or_default();
    let new_rel_path = new_path(&view.summary);
    let lead = note_now(call, &view.path, new_rel_path.as_deref(), state(&view));
    let secrets = lead.as_ref().map(|open| secrets(call, open.text.as_str())).unwrap_or_default();
    let summary = review.as_ref().map_or(&view.summary, |review| &review.operation.summary);
    let status = state(&view);
    let is_changed = view.readiness == Some(Readiness::ChangedSince);
    let done = view.files.iter().map(|file| OperationFile {
        rel_path: file.path.as_str().to_owned(),
        before_hash: file.before.map(|hash| hash.to_string()),
        after_hash: file.after.map(|hash| hash.to_string()),
        links_changed: file.n_links,
    });
    let planned = reviewed.iter().filter(|_| view.files.is_empty()).map(|file| OperationFile {
        rel_path: file.path.clone(),
        before_hash: None,
        after_hash: None,
        links_changed: file.n_links,
    });
    let (files, files_left) = fitting(done.chain(planned), share(call));
    let mut out = OperationStatus {
        status,
        committed: status == Status::Committed,
        content_hash: lead.map(|open| open.text.hash().to_string()),
        files,
        files_truncated: files_left.then_some(true),
        warnings: warnings(call, &summary.warnings, &secrets),
        renamed: renamed(call, &view.path, summary, &secrets),
        note: match &view.readiness {
            Some(Readiness::Blocked { message }) => {
                // What it quotes may have left the note since, or be cut so that no secret in it can be known as one.
                Some(call.title(&without_cut_quotes(&told(call, &secrets, message))))
            }
            Some(Readiness::ChangedSince) => {
                Some("notes changed since this was proposed; the diff is that of now".to_owned())
            }
            _ => None,
        },
        diff: String::new(),
        diff_truncated: None,
        operation_id: view.id,
        request_id: view.request_id,
        kind: view.kind,
        rel_path: view.path,
        new_rel_path,
        proposed_at: view.proposed_at,
        decided_at: view.decided_at,
        decided_by: view.decided_by,
        comment: view.comment.map(|comment| cut(&comment, share(call)).to_owned()),
        amended: view.amended.then_some(true),
    };
    let spent = json_chars(&out);
    (out.diff, out.diff_truncated) = diff(call, &out.rel_path, reviewed, spent, is_changed)?;
    Ok(out)
}

/// Takes the quotations out of a sentence that do not go on to their end.
fn without_cut_quotes(sentence: &str) -> String {
    let (mut out, mut rest) = (String::with_capacity(sentence.len()), sentence);
    while let Some((before, after)) = rest.split_once("…`") {
        out.push_str(&before[..before.rfind('`').map_or(0, |open| open + 1)]);
        out.push_str("…`");
        rest = after;
    }
    out + rest
}

/// Says of an operation what the tool that proposed it would say.
pub(crate) fn written(call: &Call<'_>, view: &OperationView) -> Result<Written, ToolError> {
    let review = operation_id(&view.id).and_then(|id| call.desk.review(id).ok());
    let (files, summary) = match &review {
        Some(review) => (review.files.as_slice(), &review.operation.summary),
        None => (&[][..], &view.summary),
    };
    let new_rel_path = new_path(&view.summary);
    let open = note_now(call, &view.path, new_rel_path.as_deref(), state(view));
    let secrets = open.as_ref().map(|open| secrets(call, open.text.as_str())).unwrap_or_default();
    let lead = view.files.iter().find(|file| file.path.as_str() == view.path);
    let after = lead.and_then(|file| file.after).map(|hash| hash.to_string());
    let before = lead.and_then(|file| file.before).map(|hash| hash.to_string());
    let status = state(view);
    let (listed, files_truncated) = written_files(call, files, new_rel_path.as_deref());
    let mut out = Written {
        operation_id: Some(view.id.clone()),
        status,
        committed: status == Status::Committed,
        replayed: false,
        indexed: status == Status::Committed,
        rel_path: view.path.clone(),
        new_rel_path,
        content_hash: open.map(|open| open.text.hash().to_string()),
        before_hash: before,
        projected_hash: after,
        diff: String::new(),
        diff_truncated: None,
        files: listed,
        files_truncated,
        warnings: warnings(call, &summary.warnings, &secrets),
        review: review_word(status, call.desk.writes()).to_owned(),
        renamed: renamed(call, &view.path, summary, &secrets),
    };
    let spent = json_chars(&out);
    let is_changed = view.readiness == Some(Readiness::ChangedSince);
    (out.diff, out.diff_truncated) = diff(call, &out.rel_path, files, spent, is_changed)?;
    Ok(out)
}

/// The error that tells an agent of a person's no.
pub(crate) fn declined(view: &OperationView) -> ToolError {
    ToolError::new(
        Code::Declined,
        format!("the person declined this change of `{}`", view.path),
        "do not repeat it; ask the person, or propose something else with a new request_id",
    )
    .with("operation_id", view.id.clone())
    .with_some("comment", view.comment.clone())
}

/// Says where an operation stands.
pub(crate) fn state(view: &OperationView) -> Status {
    match (view.state, &view.readiness) {
        (OpState::Proposed, Some(Readiness::Blocked { .. })) => Status::Stale,
        (OpState::Proposed, _) => Status::Proposed,
        (OpState::Begun, _) => Status::Approved,
        (OpState::Done, _) => Status::Committed,
        (OpState::Declined, _) => Status::Declined,
        (OpState::Withdrawn, _) => Status::Withdrawn,
        (OpState::Interrupted, _) => Status::Interrupted,
        (OpState::Undone, _) => Status::Undone,
    }
}

/// Returns where a note goes that moves; a deleted note's place in the trash is nobody's business here.
pub(crate) fn new_path(summary: &Summary) -> Option<String> {
    summary.new_path.clone().filter(|path| !path.starts_with('.'))
}

/// Opens the note that an operation is about where it is now: once it has moved, at its new path.
pub(crate) fn note_now(call: &Call<'_>, path: &str, new_path: Option<&str>, status: Status) -> Option<OpenNote> {
    let path = new_path.filter(|_| status == Status::Committed).unwrap_or(path);
    call.desk.view().note(&NoteRef::Path(path.to_owned())).ok().filter(|open| open.path.as_str() == path)
}

/// Says what a rename does; `None` for other operations.
pub(crate) fn renamed(call: &Call<'_>, rel_path: &str, summary: &Summary, secrets: &Secrets) -> Option<Renamed> {
    let hide = |text: &String| call.title(&told(call, secrets, text));
    Some(Renamed {
        rel_path: rel_path.to_owned(),
        old_heading: summary.old_heading.as_ref().map(hide)?,
        new_heading: summary.new_heading.as_ref().map(hide)?,
        level: summary.level?,
        line: summary.line,
        heading_occurrence: summary.heading_occurrence,
        links_updated: summary.n_links,
        notes_touched: summary.n_notes + summary.n_canvases,
    })
}

/// Says how the decision comes.
pub(crate) fn review_word(status: Status, writes: Writes) -> &'static str {
    match (status, writes) {
        (Status::Planned, _) => "nothing was recorded; call again without dry_run to propose it",
        (Status::Proposed | Status::Approved, _) => {
            "a person decides in Vidimus; get_operation with this operation_id (and wait_seconds) tells the outcome"
        }
        (Status::Committed, Writes::Allow) => "approved in advance by the person who started this server",
        (Status::Committed, _) => "approved by a person",
        (Status::Stale, _) => "the notes have changed so that it can no longer be done; withdraw it",
        (Status::Declined, _) => "declined by a person",
        (Status::Withdrawn, _) => "withdrawn",
        (Status::Interrupted, _) => "stopped half-way; a person finishes or undoes it in Vidimus",
        (Status::Undone, _) => "undone by a person",
    }
}

/// Lists the files of a plan, as far as they fit.
pub(crate) fn written_files(
    call: &Call<'_>,
    files: &[FileReview],
    new_rel_path: Option<&str>,
) -> (Vec<WrittenFile>, Option<bool>) {
    let kind = |file: &FileReview| match (file.creates, file.deletes, file.link_repair) {
        (true, _, _) | (_, true, _) if new_rel_path.is_some() => "move",
        (true, _, _) => "create",
        (_, true, _) => "delete",
        (_, _, true) => "links",
        _ => "edit",
    };
    let written = files.iter().map(|file| WrittenFile {
        rel_path: file.path.clone(),
        kind: kind(file).to_owned(),
        links_changed: file.n_links,
    });
    let (listed, left_out) = fitting(written, share(call));
    (listed, left_out.then_some(true))
}

/// Keeps a list of warnings readable.
pub(crate) fn warnings(call: &Call<'_>, all: &[String], secrets: &Secrets) -> Vec<String> {
    let shown = all.iter().take(MAX_WARNINGS).map(|warning| cut(&told(call, secrets, warning), 500).to_owned());
    let mut shown = fitting(shown, share(call)).0;
    if all.len() > shown.len() {
        shown.push(format!("{} more warnings are shown in the person's review", all.len() - shown.len()));
    }
    shown
}

/// How much of an answer each of its lists may take.
fn share(call: &Call<'_>) -> usize {
    call.settings.max_response_chars / 6
}

const MAX_WARNINGS: usize = 50;
