//! `get_note_history`: the past texts of a note.

use super::diffs::unified;
use super::refusal::version_gone;
use super::resolve::{open, with_secrets};
use super::{Call, answer};
use crate::limits::boundary::{wrap, wrap_cost};
use crate::limits::secrets::Secrets;
use crate::limits::window::{json_chars, page, window};
use crate::wire::args::{Arg, Args, Kind, Problems, optional, required};
use crate::wire::error::{Code, ToolError};
use crate::wire::lists::{History, PastVersion};
use engine::{Actor, NoteRef, OpenNote, RelPath, Version};
use serde_json::Value;

/// What the tool takes.
pub(crate) const ARGS: &[Arg] = &[
    required("note", Kind::Text { max: 4096 }, "Path or id."),
    optional("version", Kind::Text { max: 64 }, "A version_id: its text, and the diff from it to now."),
    optional(
        "limit",
        Kind::Integer { min: 1, max: u64::MAX, default: None },
        "At most so many versions (50) or characters of one (20000).",
    ),
    optional(
        "offset",
        Kind::Integer { min: 0, max: u64::MAX, default: Some(0) },
        "Versions or characters to skip; pass back next_offset.",
    ),
];

/// Checks what the arguments say together.
pub(crate) fn check(args: &Args, problems: &mut Problems) {
    if args.text("note").is_some_and(|note| note.trim().is_empty()) {
        problems.add("note", "must not be empty");
    }
}

/// How many versions one answer lists at most.
const MAX_VERSIONS: usize = 200;

/// Carries it out.
pub(crate) fn run(call: &Call<'_>) -> Result<Value, ToolError> {
    let wanted = call.args.text("note").unwrap_or_default();
    let (open, secrets) = open(call, &NoteRef::PathOrId(wanted.to_owned()))?;
    let versions = call.desk.history(&open.path);
    match call.args.text("version") {
        Some(version) => one(call, &open, &secrets, &versions, version),
        None => list(call, &open, &versions),
    }
}

fn list(call: &Call<'_>, open: &OpenNote, versions: &[Version]) -> Result<Value, ToolError> {
    let limit = call.args.size("limit", 50).min(MAX_VERSIONS);
    let mut page = page(versions.len(), call.args.size("offset", 0), limit);
    let (mut shown, mut spent) = (Vec::new(), 400);
    for (at, version) in versions.iter().enumerate().take(page.range.end).skip(page.range.start) {
        let item = past(version);
        spent += json_chars(&item) + 1;
        if spent > call.settings.max_response_chars && !shown.is_empty() {
            page.next_offset = Some(at);
            break;
        }
        shown.push(item);
    }
    answer(&History {
        total: versions.len(),
        returned: shown.len(),
        versions: shown,
        offset: page.range.start,
        next_offset: page.next_offset,
        truncated: page.next_offset.is_some(),
        ..about(open)
    })
}

/// Shows one version's text and what has become of it since.
fn one(
    call: &Call<'_>,
    open: &OpenNote,
    secrets: &Secrets,
    versions: &[Version],
    wanted: &str,
) -> Result<Value, ToolError> {
    let version = find_version(&open.path, versions, wanted)?;
    let gone = |_| version_gone(wanted);
    let text = call.desk.version_text(&open.path, &version.id).map_err(gone)?;
    let hunks = call.desk.diff_since(&open.path, &version.id).map_err(gone)?;
    let path = open.path.as_str();
    // What the note still holds keeps its number; only that can be sent back.
    let own = with_secrets(call, secrets.clone(), &text);
    let diff = match hunks.is_empty() {
        true => String::new(),
        false => unified(path, false, false, &hunks),
    };
    let diff = own.hide(&diff).text.into_owned();
    let budget = call.settings.max_response_chars;
    let diff_window = window(&diff, 0, budget / 3, budget / 3);
    let mut out = History {
        versions: vec![past(version)],
        total: versions.len(),
        returned: 1,
        diff: Some(if diff.is_empty() { diff.clone() } else { wrap(path, diff_window.text)? }),
        diff_truncated: diff_window.next_offset.map(|_| true),
        ..about(open)
    };
    let shown = own.hide(&text);
    let left = budget.saturating_sub(json_chars(&out) + wrap_cost(path) + 200);
    let window = window(&shown.text, call.args.size("offset", 0), call.args.size("limit", 20_000), left);
    out.content = Some(wrap(path, window.text)?);
    out.total_chars = Some(window.total_chars);
    out.returned_chars = Some(window.n_chars);
    out.offset = window.offset;
    out.next_offset = window.next_offset;
    out.truncated = window.next_offset.is_some();
    answer(&out)
}

/// Finds the version that a caller names.
pub(crate) fn find_version<'v>(
    path: &RelPath,
    versions: &'v [Version],
    wanted: &str,
) -> Result<&'v Version, ToolError> {
    versions.iter().find(|version| version.id.eq_ignore_ascii_case(wanted.trim())).ok_or_else(|| {
        ToolError::new(
            Code::NotFound,
            format!("`{path}` has no version `{wanted}`"),
            "call get_note_history without version for the list of versions",
        )
    })
}

fn about(open: &OpenNote) -> History {
    History {
        rel_path: open.path.as_str().to_owned(),
        id: open.id.to_string(),
        content_hash: open.text.hash().to_string(),
        ..History::default()
    }
}

fn past(version: &Version) -> PastVersion {
    let (actor, client) = match &version.actor {
        Actor::Person => ("person", None),
        Actor::Agent { client } => ("agent", Some(client.clone())),
        Actor::Disk => ("disk", None),
    };
    PastVersion {
        version_id: version.id.clone(),
        at: version.at.clone(),
        kind: version.kind.clone(),
        actor: actor.to_owned(),
        client,
        operation_id: version.id.clone(),
        request_id: version.request_id.clone(),
        before_hash: version.before_hash.clone(),
        after_hash: version.after_hash.clone(),
        chars_added: version.chars_added,
        chars_removed: version.chars_removed,
        restorable: version.restorable,
        is_link_repair: version.is_link_repair,
    }
}
