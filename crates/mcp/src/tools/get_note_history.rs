//! `get_note_history`: the past texts of a note.

use super::resolve::open;
use super::{Call, answer};
use crate::limits::window::{json_chars, page};
use crate::wire::args::{Arg, Args, Kind, Problems, optional, required};
use crate::wire::error::ToolError;
use crate::wire::lists::{History, PastVersion};
use engine::{Actor, NoteRef, Version};
use serde_json::Value;

/// What the tool takes.
pub(crate) const ARGS: &[Arg] = &[
    required("note", Kind::Text { max: 4096 }, "Path or id."),
    optional("limit", Kind::Integer { min: 1, max: 200, default: Some(50) }, "At most so many versions."),
    optional(
        "offset",
        Kind::Integer { min: 0, max: u64::MAX, default: Some(0) },
        "Versions to skip; pass back next_offset.",
    ),
];

/// Checks what the arguments say together.
pub(crate) fn check(args: &Args, problems: &mut Problems) {
    if args.text("note").is_some_and(|note| note.trim().is_empty()) {
        problems.add("note", "must not be empty");
    }
}

/// Carries it out.
pub(crate) fn run(call: &Call<'_>) -> Result<Value, ToolError> {
    let wanted = call.args.text("note").unwrap_or_default();
    let (open, _) = open(call, &NoteRef::PathOrId(wanted.to_owned()))?;
    let versions = call.desk.history(&open.path);
    let mut page = page(versions.len(), call.args.size("offset", 0), call.args.size("limit", 50));
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
        rel_path: open.path.as_str().to_owned(),
        id: open.id.to_string(),
        content_hash: open.text.hash().to_string(),
        returned: shown.len(),
        versions: shown,
        total: versions.len(),
        offset: page.range.start,
        next_offset: page.next_offset,
        truncated: page.next_offset.is_some(),
    })
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
