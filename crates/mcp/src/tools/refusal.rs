//! Why a change was not proposed or written, with what the next call needs.

use super::Call;
use super::resolve::{note_error, section_error};
use super::writing::{Target, naming};
use crate::wire::error::{Code, ToolError};
use engine::{NoteRef, PlanError, ProposeError, WriteError};
use note::{ContentHash, FindReplaceError, PropertyEditError, RelPath, RenameError, SectionEditError};
use serde_json::{Value, json};

/// Turns the engine's refusal into the answer. `guard` is the hash that the caller's write was guarded with.
pub(crate) fn refused(
    call: &Call<'_>,
    error: ProposeError,
    guard: Option<ContentHash>,
    target: Option<&Target>,
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
        ProposeError::Plan(error) => match (guard, target) {
            // What does not fit another text than was read says nothing about the wish.
            (Some(guard), Some(target)) if guard != target.note.text.hash() => {
                conflict(target.note.path.as_str(), Some(target.note.text.hash()))
            }
            _ => unplanned(call, error, target),
        },
        ProposeError::Write(error) => unwritten(call, &error),
        ProposeError::BeyondScope { path } => ToolError::new(
            Code::PathNotAllowed,
            format!("the path lies outside of the folders that are open to you: `{path}`"),
            "choose a path in a folder that list_notes shows; the person can open more to you in Vidimus",
        ),
        ProposeError::Hidden => ToolError::new(
            Code::PathNotAllowed,
            "the change meets something outside of the folders that are open to you",
            "ask for another change; the person can open more to you in Vidimus",
        ),
        ProposeError::Closed => {
            ToolError::new(Code::VaultBusy, "the vault is being closed or handed over", "call again in a moment")
        }
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

/// The error for a tool that a person has not given this client.
pub(crate) fn not_allowed(tool: &str) -> ToolError {
    ToolError::new(
        Code::ToolNotAllowed,
        format!("the person has not given you the tool `{tool}`"),
        "use the tools that tools/list names; the person can give you more in Vidimus",
    )
}

/// The error for a call that must say which bytes it means.
pub(crate) fn hash_required(message: &str) -> ToolError {
    ToolError::new(
        Code::HashRequired,
        message,
        "read the note with get_note and send its content_hash as expected_hash",
    )
}

/// The error for a change after which a secret would no longer be known as one.
pub(crate) fn opens_secret(rel_path: &str) -> ToolError {
    ToolError::new(
        Code::InvalidArguments,
        format!("the change would cut a secret in `{rel_path}`, or join it to other text"),
        "leave a placeholder whole, with a space on each side, or take it out whole; what stands before it, such as `Bearer`, stays",
    )
    .with("rel_path", rel_path)
}

/// The error for a note that is not what the caller read.
pub(crate) fn conflict(rel_path: &str, current: Option<ContentHash>) -> ToolError {
    ToolError::new(
        Code::Conflict,
        format!("note changed since it was read, its content_hash is another one: `{rel_path}`"),
        "read it again with get_note and retry with its content_hash as expected_hash",
    )
    .with("rel_path", rel_path)
    .with_some("current_hash", current.map(|hash| hash.to_string()))
}

/// The error for a note whose bytes are not text.
pub(crate) fn not_utf8(path: &RelPath) -> ToolError {
    ToolError::new(
        Code::NotUtf8,
        format!("the note is not UTF-8 and is never written: `{path}`"),
        "the person can convert it with another program",
    )
}

/// The error for a version whose text the history has let go.
pub(crate) fn version_gone(version: &str) -> ToolError {
    ToolError::new(
        Code::NotFound,
        format!("the text of version `{version}` is no longer kept"),
        "choose a version with restorable true",
    )
}

fn read_only(path: &str) -> ToolError {
    ToolError::new(
        Code::PathNotAllowed,
        format!("the note cannot be written, it or the vault is read-only: `{path}`"),
        "the person must make it writable first",
    )
}

fn current_hash(call: &Call<'_>, path: &str) -> Option<ContentHash> {
    call.desk.note(&NoteRef::Path(path.to_owned())).ok().map(|open| open.text.hash())
}

fn unplanned(call: &Call<'_>, error: PlanError, target: Option<&Target>) -> ToolError {
    let misfit = || ToolError::new(Code::Internal, "the plan does not fit the call", "report this");
    match (error, target) {
        (PlanError::Note(error), _) => note_error(call, error),
        (PlanError::NotUtf8 { path }, _) => not_utf8(&path),
        (PlanError::ReadOnly { path, .. }, _) => read_only(path.as_str()),
        (PlanError::ChangedSince { paths }, _) => {
            let path = paths.first().map(|path| path.as_str().to_owned()).unwrap_or_default();
            conflict(&path, current_hash(call, &path))
        }
        (PlanError::PathTaken { existing, .. }, _) => ToolError::new(
            Code::Conflict,
            format!("a note of that name exists: `{existing}`"),
            match call.args.has("new_rel_path") {
                true => "choose another new_rel_path",
                false => "choose another rel_path, or change that note with the other write tools",
            },
        )
        .for_good()
        .with("existing", existing.as_str())
        .with_some("current_hash", current_hash(call, existing.as_str()).map(|hash| hash.to_string())),
        (error @ (PlanError::InTheWay { .. } | PlanError::PathTooLong { .. } | PlanError::IsLink { .. }), _) => {
            unplaced(call, &error)
        }
        (PlanError::VersionGone, _) => version_gone(call.args.text("version_id").unwrap_or_default()),
        (PlanError::Rename { error, current, .. }, Some(target)) => {
            about(rename_error(call, &error, target), target, current)
        }
        (PlanError::Section { error, current, .. }, Some(target)) => {
            about(section_edit_error(call, &error, target), target, current)
        }
        (PlanError::Text { error, current, .. }, Some(target)) => {
            about(text_error(call, &error, target), target, current)
        }
        (PlanError::Properties { error, current, .. }, Some(target)) => {
            about(property_error(&error, target), target, current)
        }
        _ => misfit(),
    }
}

/// The error for a note that cannot go where it was to go, or cannot leave by the name it was given.
fn unplaced(call: &Call<'_>, error: &PlanError) -> ToolError {
    let message = error.to_string();
    let name = if call.args.has("new_rel_path") { "new_rel_path" } else { "rel_path" };
    match error {
        PlanError::InTheWay { at, .. } => {
            let hint = format!("choose another {name}, or ask the person to take it away");
            ToolError::new(Code::PathNotAllowed, message, hint).with("existing", at.as_str())
        }
        PlanError::IsLink { path, real } => is_link(call, path, real),
        _ => ToolError::new(Code::InvalidArguments, message.clone(), format!("send a shorter {name}"))
            .with("arguments", wrong(name, &message)),
    }
}

/// The error for a note that is to go, named by a symbolic link to it.
pub(crate) fn is_link(call: &Call<'_>, link: &RelPath, real: &RelPath) -> ToolError {
    let message = format!("`{link}` is a symbolic link to the note `{real}`");
    let act = if call.args.has("new_rel_path") { "move" } else { "delete" };
    let name = if call.args.has("id") { "id" } else { "rel_path" };
    let hint =
        format!("to {act} the note that it leads to, name that by its own path; only the person can {act} the link");
    ToolError::new(Code::InvalidArguments, message.clone(), hint)
        .with("arguments", wrong(name, &message))
        .with("rel_path", real.as_str())
}

fn about(error: ToolError, target: &Target, current: ContentHash) -> ToolError {
    error.with("rel_path", target.note.path.as_str()).with("current_hash", current.to_string())
}

fn rename_error(call: &Call<'_>, error: &RenameError, target: &Target) -> ToolError {
    match error {
        RenameError::Section(error) => section_error(call, error, naming(&call.args), &target.note, &target.secrets),
        RenameError::HeadingLevel1 { text, line } => ToolError::new(
            Code::HeadingLevel1,
            format!("an H1 (level 1) is not renamed by this tool: `{}` (line {line})", target.shown(text)),
            "it may also be the note's title and file name; ask the person to rename it in Vidimus",
        )
        .with("line", *line),
        RenameError::Collision { text, level, line } => {
            let text = target.shown(text);
            ToolError::new(
                Code::HeadingCollision,
                format!(
                    "the new title could not be told from another section's: `{text}` (level {level}, line {line})"
                ),
                "choose a title that differs from it by more than punctuation, case or accents",
            )
            .with("collides_with", json!({"heading": text, "heading_level": level, "line": line}))
        }
        RenameError::Invalid { reason, .. } => ToolError::new(
            Code::InvalidHeading,
            format!(
                "new_heading cannot be a heading: `{}`: {reason}",
                quoted(call.args.text("new_heading").unwrap_or_default())
            ),
            "send one line of text, without # marks at its beginning, that reads as a heading where it stands",
        ),
    }
}

fn section_edit_error(call: &Call<'_>, error: &SectionEditError, target: &Target) -> ToolError {
    let message = target.shown(&error.to_string());
    match error {
        SectionEditError::Section(error) => section_error(call, error, naming(&call.args), &target.note, &target.secrets),
        SectionEditError::StructureChanged { reason, line } => ToolError::new(
            Code::StructureChanged,
            message,
            "nothing was written; send text that stays within the section: close what it opens, and keep its headings below the section's level",
        )
        .with("reason", target.shown(reason))
        .with_some("line", *line),
        SectionEditError::TooDeep { line, .. } => ToolError::new(
            Code::StructureChanged,
            message,
            "choose a place higher up; headings have levels 1 to 6",
        )
        .with("line", *line),
        SectionEditError::IntoItself { .. } => ToolError::new(
            Code::InvalidArguments,
            message,
            "name a destination outside of the section",
        )
        .with("arguments", wrong("destination_heading", "lies within the section that moves")),
        SectionEditError::NotUtf8 => not_utf8(&target.note.path),
    }
}

fn text_error(call: &Call<'_>, error: &FindReplaceError, target: &Target) -> ToolError {
    let asked = call.args.edits("edits");
    let quoted = |nth: usize| quoted(asked.get(nth.saturating_sub(1)).map_or("", |edit| &edit.find));
    match error {
        FindReplaceError::EmptyFind { nth } => {
            let problem = format!("edits[{}].find must not be empty", nth - 1);
            ToolError::new(Code::InvalidArguments, format!("wrong argument: {problem}"), "quote the text to replace")
                .with("arguments", wrong("edits", &problem))
        }
        FindReplaceError::Count { nth, expected, found, lines, .. } => {
            let problem = format!("edits[{}].find occurs {found} times, not {expected}: `{}`", nth - 1, quoted(*nth));
            ToolError::new(
                Code::InvalidArguments,
                format!("wrong argument: {problem}; nothing was replaced"),
                match found {
                    0 => "quote the text exactly as it stands in the note now; read it again with get_note",
                    _ => "quote more of the text around it, or send expected_count as it is meant",
                },
            )
            .with("arguments", wrong("edits", &problem))
            .with("found", *found)
            .with("lines", json!(lines))
        }
        FindReplaceError::Overlap { first, second, line } => {
            let problem = format!("edits[{}] and edits[{}] overlap on line {line}", first - 1, second - 1);
            ToolError::new(Code::InvalidArguments, format!("wrong argument: {problem}"), "make one edit of the two")
                .with("arguments", wrong("edits", &problem))
                .with("line", *line)
        }
        FindReplaceError::TooLarge { len } => ToolError::new(
            Code::TooLarge,
            format!("the note would have {len} bytes, which is more than replacements may make of it"),
            "replace fewer pieces in one call, or by shorter texts",
        ),
        FindReplaceError::NotUtf8 => not_utf8(&target.note.path),
    }
}

fn property_error(error: &PropertyEditError, target: &Target) -> ToolError {
    let message = target.shown(&error.to_string());
    match error {
        PropertyEditError::NamedTwice(_) | PropertyEditError::EmptyName | PropertyEditError::Unwritable { .. } => {
            let wrong = wrong("set", &message);
            ToolError::new(Code::InvalidArguments, message, "correct the names and values and call again")
                .with("arguments", wrong)
        }
        PropertyEditError::Unreadable(_)
        | PropertyEditError::Duplicate { .. }
        | PropertyEditError::Anchored { .. }
        | PropertyEditError::Missing { .. }
        | PropertyEditError::Braces => ToolError::new(
            Code::StructureChanged,
            message,
            "the properties as they are written cannot be changed safely; mend them with edit_note first",
        ),
        PropertyEditError::NotUtf8 => not_utf8(&target.note.path),
    }
}

/// Quotes the beginning of the caller's own words. They have placeholders where the note has secrets; in what the engine
/// quotes, a secret that is cut would be known to nobody as one.
fn quoted(words: &str) -> String {
    const SHOWN: usize = 80;
    let start: String = words.chars().take(SHOWN).flat_map(char::escape_debug).collect();
    if words.chars().nth(SHOWN).is_some() { start + "…" } else { start }
}

fn wrong(name: &str, problem: &str) -> Value {
    json!([{"name": name, "problem": problem}])
}

fn unwritten(call: &Call<'_>, error: &WriteError) -> ToolError {
    match error {
        WriteError::Stale { path } => conflict(path.as_str(), current_hash(call, path.as_str())),
        WriteError::ReadOnly { path, .. } => read_only(path.as_str()),
        WriteError::NoSpace => ToolError::new(
            Code::VaultBusy,
            "no space is left on the disk; nothing was written",
            "the person must free some space first",
        ),
        WriteError::Held { files } => {
            let files: Vec<&str> = files.iter().map(|path| path.as_str()).collect();
            ToolError::new(
                Code::VaultBusy,
                format!("an interrupted operation holds `{}`", files.join("`, `")),
                "a person must finish or undo it in Vidimus first; then try again",
            )
            .with("files", json!(files))
        }
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
            "the change could not be written",
            "nothing was changed; try again, and tell the person if it stays so",
        ),
    }
}
