//! `rename_note_section`: a heading gets another title, and every link to it follows.

use super::operations::{declined, diff, renamed, review_word, state, warnings, written_files};
use super::resolve::{Naming, note_error, note_id, open, restore, section_error};
use super::{Call, answer};
use crate::limits::secrets::Secrets;
use crate::wire::args::{Arg, Args, Kind, Problems, optional, required};
use crate::wire::error::{Code, ToolError};
use crate::wire::operations::{Status, Written};
use engine::{Intent, NoteRef, OpState, OpenNote, PlanError, ProposeError, Proposed, Request, WriteError};
use note::{ContentHash, RenameError, SectionRef};
use serde_json::{Value, json};

/// What the tool takes.
pub(crate) const ARGS: &[Arg] = &[
    optional("rel_path", Kind::Text { max: 4096 }, "Path of the note. Exactly one of rel_path, id."),
    optional("id", Kind::Text { max: 64 }, "Note id."),
    optional(
        "heading",
        Kind::Text { max: 10_000 },
        "Title now, rendered or as Markdown. Exactly one of heading, heading_path.",
    ),
    optional("heading_path", Kind::HeadingPath, "Titles from the top heading down to it."),
    required("new_heading", Kind::Text { max: 100_000 }, "New title: one line, without # marks."),
    optional(
        "heading_level",
        Kind::Integer { min: 1, max: 6, default: None },
        "Level of heading, to tell equal titles apart.",
    ),
    optional(
        "heading_occurrence",
        Kind::Integer { min: 1, max: u32::MAX as u64, default: None },
        "Which of several, from 1 in document order: of equal heading (and heading_level) or heading_path. Needs expected_hash.",
    ),
    optional("update_links", Kind::Flag { default: true }, "false: leave links as they are."),
    optional("expected_hash", Kind::Hash, "content_hash as you read it; conflict if the note has another."),
    optional("expected_updated_at", Kind::Text { max: 64 }, "Or updated_at as you read it."),
    optional("request_id", Kind::RequestId, "Your token (1-128 of A-Za-z0-9_.-): a repeated call does nothing twice."),
    optional("reason", Kind::Text { max: 2000 }, "Why, for the person who decides."),
    optional("dry_run", Kind::Flag { default: false }, "Only plan; record nothing."),
];

/// Checks what the arguments say together.
pub(crate) fn check(args: &Args, problems: &mut Problems) {
    one_of(args, problems, "rel_path", "id");
    one_of(args, problems, "heading", "heading_path");
    if args.has("heading_level") && args.has("heading_path") {
        problems.add("heading_level", "cannot stand together with heading_path");
    }
    if args.text("expected_updated_at").is_some_and(|time| time.parse::<jiff::Timestamp>().is_err()) {
        problems.add("expected_updated_at", "must be an updated_at as a read tool gave it");
    }
}

fn one_of(args: &Args, problems: &mut Problems, first: &str, second: &str) {
    match (args.has(first), args.has(second)) {
        (true, true) => problems.add(second, format!("cannot stand together with {first}")),
        (false, false) => problems.add(first, format!("is required unless {second} is given")),
        _ => {}
    }
}

/// Carries it out.
pub(crate) fn run(call: &Call<'_>) -> Result<Value, ToolError> {
    let args = &call.args;
    let expect = args.hash("expected_hash");
    if args.has("heading_occurrence") && expect.is_none() {
        return Err(ToolError::new(
            Code::HashRequired,
            "heading_occurrence counts in certain bytes: expected_hash is needed with it",
            "send the content_hash of the text in which you counted as expected_hash",
        ));
    }
    let at = match args.text("id") {
        Some(id) => note_id(id)?,
        None => NoteRef::Path(args.text("rel_path").unwrap_or_default().to_owned()),
    };
    let (note, secrets) = open(call, &at)?;
    let (section, naming) = section(args, &secrets)?;
    let intent = Intent::RenameSection {
        path: note.path.clone(),
        at: section,
        new_heading: restore(&secrets, "new_heading", args.text("new_heading").unwrap_or_default())?,
        update_links: args.flag("update_links", true),
        allow_h1: false,
    };
    let request = Request {
        expect: expect.or(unchanged_since(call, &note)?),
        request_id: args.text("request_id").map(str::to_owned),
        fingerprint: args.fingerprint("rename_note_section"),
        reason: args.text("reason").map(str::to_owned),
    };
    let dry_run = args.flag("dry_run", false);
    let asked = match dry_run {
        true => call.desk.preview(intent, request),
        false => call.desk.propose(intent, request),
    };
    let proposed = asked.map_err(|error| propose_error(call, error, &note, naming, &secrets))?;
    answer(&written(call, proposed, &note, &secrets)?)
}

fn section(args: &Args, secrets: &Secrets) -> Result<(SectionRef, Naming), ToolError> {
    let nth = args.integer("heading_occurrence").and_then(|n| u32::try_from(n).ok());
    Ok(match args.words("heading_path") {
        Some(path) => {
            let path = path.iter().map(|title| restore(secrets, "heading_path", title)).collect::<Result<_, _>>()?;
            (SectionRef::Path { path, nth }, Naming::Path)
        }
        None => {
            let text = restore(secrets, "heading", args.text("heading").unwrap_or_default())?;
            let level = args.integer("heading_level").and_then(|level| u8::try_from(level).ok());
            (SectionRef::Heading { text, level, nth }, Naming::Heading)
        }
    })
}

/// Holds `expected_updated_at` against the note, and turns it into the hash that the write is guarded with. A retry is
/// left to the engine, which knows what the first call wrote.
fn unchanged_since(call: &Call<'_>, note: &OpenNote) -> Result<Option<ContentHash>, ToolError> {
    let Some(expected) = call.args.text("expected_updated_at") else { return Ok(None) };
    let retry = call.args.text("request_id").is_some_and(|id| call.desk.operation_by_request(id).is_some());
    if retry {
        return Ok(None);
    }
    let moment = |text: &str| text.parse::<jiff::Timestamp>().ok();
    if moment(expected) == moment(&note.updated) {
        return Ok(Some(note.text.hash()));
    }
    Err(conflict(note.path.as_str(), Some(note.text.hash())).with("current_updated_at", note.updated.clone()))
}

fn written(call: &Call<'_>, proposed: Proposed, note: &OpenNote, secrets: &Secrets) -> Result<Written, ToolError> {
    let rel_path = proposed.lead.as_str().to_owned();
    let status = proposed.operation.as_ref().map_or(Status::Planned, state);
    if let (true, Some(operation)) = (proposed.replayed, &proposed.operation)
        && operation.state == OpState::Declined
    {
        return Err(declined(operation));
    }
    let past = proposed.files.is_empty().then(|| call.desk.review(proposed.id).ok()).flatten();
    let files = past.map_or(proposed.files, |review| review.files);
    let (diff, diff_truncated) = diff(call, &rel_path, &files)?;
    let committed = status == Status::Committed;
    Ok(Written {
        operation_id: proposed.operation.as_ref().map(|operation| operation.id.clone()),
        status,
        committed,
        replayed: proposed.replayed,
        indexed: proposed.indexed,
        content_hash: proposed.content_hash.unwrap_or_else(|| note.text.hash()).to_string(),
        before_hash: proposed.before_hash.map(|hash| hash.to_string()),
        projected_hash: proposed.projected_hash.map(|hash| hash.to_string()),
        diff,
        diff_truncated: diff_truncated.then_some(true),
        files: written_files(&files),
        warnings: warnings(&proposed.summary.warnings),
        review: review_word(status, call.desk.writes()).to_owned(),
        renamed: renamed(&rel_path, &proposed.summary, secrets),
        rel_path,
    })
}

fn propose_error(
    call: &Call<'_>,
    error: ProposeError,
    note: &OpenNote,
    naming: Naming,
    secrets: &Secrets,
) -> ToolError {
    match error {
        ProposeError::WritesOff => writes_off(),
        ProposeError::Conflict { path, current, .. } => conflict(path.as_str(), Some(current)),
        ProposeError::RequestIdReused { request_id, current } => ToolError::new(
            Code::RequestIdReused,
            format!("the request_id was used for another call, or the note changed since that call: `{request_id}`"),
            "read the note again; if the change is still wanted, call with a new request_id and its content_hash",
        )
        .with("request_id", request_id)
        .with_some("current_hash", current.map(|hash| hash.to_string())),
        ProposeError::Plan(error) => plan_error(call, error, note, naming, secrets),
        ProposeError::Write(error) => write_error(call, &error, note),
        ProposeError::Closed => busy(),
    }
}

/// The error for a vault whose agents may only read.
pub(crate) fn writes_off() -> ToolError {
    ToolError::new(
        Code::WritesOff,
        "agents may only read this vault",
        "the person can allow proposals in Vidimus, or start the server with --writes review",
    )
}

fn busy() -> ToolError {
    ToolError::new(Code::VaultBusy, "the vault is being closed or handed over", "call again in a moment")
}

fn conflict(rel_path: &str, current: Option<ContentHash>) -> ToolError {
    ToolError::new(
        Code::Conflict,
        format!("note changed since it was read, its content_hash is another one: `{rel_path}`"),
        "read it again with get_note and retry with its content_hash as expected_hash",
    )
    .with("rel_path", rel_path)
    .with_some("current_hash", current.map(|hash| hash.to_string()))
}

fn plan_error(call: &Call<'_>, error: PlanError, note: &OpenNote, naming: Naming, secrets: &Secrets) -> ToolError {
    match error {
        PlanError::Note(error) => note_error(error),
        PlanError::Rename { error, current, .. } => {
            rename_error(&error, note, naming, secrets).with("current_hash", current.to_string())
        }
        PlanError::NotUtf8 { path } => ToolError::new(
            Code::NotUtf8,
            format!("the note is not UTF-8 and is never written: `{path}`"),
            "the person can convert it with another program",
        ),
        PlanError::ReadOnly { path, .. } => ToolError::new(
            Code::PathNotAllowed,
            format!("the note cannot be written, it or the vault is read-only: `{path}`"),
            "the person must make it writable first",
        ),
        PlanError::ChangedSince { paths } => {
            let path = paths.first().map(|path| path.as_str().to_owned()).unwrap_or_default();
            let current = call.desk.note(&NoteRef::Path(path.clone())).ok().map(|open| open.text.hash());
            conflict(&path, current)
        }
        PlanError::PathTaken { .. } | PlanError::VersionGone | PlanError::NotDone | PlanError::UnknownOperation => {
            ToolError::new(Code::Internal, "the plan does not fit a rename", "report this")
        }
    }
}

fn rename_error(error: &RenameError, note: &OpenNote, naming: Naming, secrets: &Secrets) -> ToolError {
    let hide = |text: &str| secrets.hide(text).text.into_owned();
    let error = match error {
        RenameError::Section(error) => return section_error(error, naming, note, secrets),
        RenameError::HeadingLevel1 { text, line } => ToolError::new(
            Code::HeadingLevel1,
            format!("an H1 (level 1) is not renamed by this tool: `{}` (line {line})", hide(text)),
            "it may also be the note's title and file name; ask the person to rename it in Vidimus",
        )
        .with("line", *line),
        RenameError::Collision { text, level, line } => ToolError::new(
            Code::HeadingCollision,
            format!(
                "the new title could not be told from another section's: `{}` (level {level}, line {line})",
                hide(text)
            ),
            "choose a title that differs from it by more than punctuation, case or accents",
        )
        .with("collides_with", json!({"heading": hide(text), "heading_level": level, "line": line})),
        RenameError::Invalid { title, reason } => ToolError::new(
            Code::InvalidHeading,
            format!("new_heading cannot be a heading: `{}`: {reason}", hide(title)),
            "send one line of text, without # marks at its beginning, that reads as a heading where it stands",
        ),
    };
    error.with("rel_path", note.path.as_str())
}

fn write_error(call: &Call<'_>, error: &WriteError, note: &OpenNote) -> ToolError {
    let current = |path: &str| call.desk.note(&NoteRef::Path(path.to_owned())).ok().map(|open| open.text.hash());
    match error {
        WriteError::Stale { path } => conflict(path.as_str(), current(path.as_str())),
        WriteError::ReadOnly { path, .. } => ToolError::new(
            Code::PathNotAllowed,
            format!("the file cannot be written: `{path}`"),
            "the person must make it writable first",
        ),
        WriteError::NoSpace => ToolError::new(
            Code::VaultBusy,
            "no space is left on the disk; nothing was written",
            "the person must free some space first",
        ),
        WriteError::Interrupted { files } => {
            let files: Vec<&str> = files.iter().map(|path| path.as_str()).collect();
            ToolError::new(
                Code::Conflict,
                format!(
                    "another program wrote at the same moment and the change stopped half-way: `{}`",
                    files.join("`, `")
                ),
                "a person finishes or undoes it in Vidimus; both texts are kept",
            )
            .for_good()
            .with("files", json!(files))
        }
        WriteError::Failed { .. } => ToolError::new(
            Code::Internal,
            format!("the change of `{}` could not be written", note.path),
            "nothing was changed; try again, and tell the person if it stays so",
        ),
    }
}
