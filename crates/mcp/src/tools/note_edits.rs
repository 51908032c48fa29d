//! The tools that make a note or change one outside of its sections.

use super::Call;
use super::find_shown::find_shown;
use super::get_note_history::find_version;
use super::refusal::refused;
use super::resolve::{note_error, restore};
use super::writing::{
    DRY_RUN, EXPECTED_HASH, EXPECTED_UPDATED_AT, ID, NEW_TEXT, REASON, REL_PATH, REQUEST_ID, Target, check_note,
    is_retry, may_plan, propose,
};
use crate::limits::secrets::Secrets;
use crate::wire::args::{Arg, Args, Kind, Problems, optional, required};
use crate::wire::error::{Code, ToolError};
use engine::{Intent, NoteError, NoteRef, PlanError, ProposeError};
use note::{FindReplace, PathError, RelPath};
use serde_json::{Map, Value, json};

/// What `create_note` takes.
pub(crate) const CREATE_ARGS: &[Arg] = &[
    required("rel_path", Kind::Text { max: 4096 }, "Its path; folders are made as needed."),
    required("content", NEW_TEXT, "Its text, properties included."),
    REQUEST_ID,
    REASON,
    DRY_RUN,
];

/// What `edit_note` takes.
pub(crate) const EDIT_ARGS: &[Arg] = &[
    REL_PATH,
    ID,
    required("edits", Kind::Edits, "find is literal text and must occur expected_count (1) times."),
    EXPECTED_HASH,
    EXPECTED_UPDATED_AT,
    REQUEST_ID,
    REASON,
    DRY_RUN,
];

/// What `set_properties` takes.
pub(crate) const PROPERTIES_ARGS: &[Arg] = &[
    REL_PATH,
    ID,
    optional("set", Kind::Object, "Names and values."),
    optional("remove", Kind::Words, "Names to take out."),
    EXPECTED_HASH,
    EXPECTED_UPDATED_AT,
    REQUEST_ID,
    REASON,
    DRY_RUN,
];

/// What `revert_note` takes.
pub(crate) const REVERT_ARGS: &[Arg] = &[
    REL_PATH,
    ID,
    required("version_id", Kind::Text { max: 64 }, "As get_note_history lists it."),
    EXPECTED_HASH,
    EXPECTED_UPDATED_AT,
    REQUEST_ID,
    REASON,
    DRY_RUN,
];

/// What `move_note` takes.
pub(crate) const MOVE_ARGS: &[Arg] = &[
    REL_PATH,
    ID,
    required("new_rel_path", Kind::Text { max: 4096 }, "Where it goes; folders are made as needed."),
    EXPECTED_HASH,
    EXPECTED_UPDATED_AT,
    REQUEST_ID,
    REASON,
    DRY_RUN,
];

/// What `delete_note` takes.
pub(crate) const DELETE_ARGS: &[Arg] = &[REL_PATH, ID, EXPECTED_HASH, EXPECTED_UPDATED_AT, REQUEST_ID, REASON, DRY_RUN];

/// Checks what the arguments of `create_note` say together.
pub(crate) fn check_create(_: &Args, _: &mut Problems) {}

/// Checks what the arguments of `set_properties` say together.
pub(crate) fn check_properties(args: &Args, problems: &mut Problems) {
    check_note(args, problems);
    let names = args.object("set").map_or(0, Map::len) + args.words("remove").map_or(0, |names| names.len());
    if names == 0 {
        problems.add("set", "or remove must name a property");
    }
}

/// Carries `create_note` out.
pub(crate) fn create(call: &Call<'_>) -> Result<Value, ToolError> {
    let path = new_path(call, "rel_path", call.args.text("rel_path").unwrap_or_default())?;
    let content = call.args.text("content").unwrap_or_default();
    // A new note has hidden nothing yet, so no placeholder can stand for anything in it.
    let text = match is_retry(call) {
        true => content.to_owned(),
        false => restore(&Secrets::none(), "content", content)?,
    };
    propose(call, "create_note", None, Intent::CreateNote { path, text })
}

/// Carries `edit_note` out.
pub(crate) fn edit(call: &Call<'_>) -> Result<Value, ToolError> {
    let target = Target::open(call)?;
    let text = |text: &str| target.restored(call, "edits", text);
    let sent = call.args.edits("edits");
    let edits = sent.iter().map(|edit| {
        Ok(FindReplace { find: text(&edit.find)?, replace: text(&edit.replace)?, expected_count: edit.expected_count })
    });
    let mut edits = edits.collect::<Result<Vec<_>, ToolError>>()?;
    let path = &target.note.path;
    if target.is_as_meant(call) && may_plan(call) {
        edits = find_shown(&target, &sent, edits).map_err(|error| {
            let error = PlanError::Text { path: path.clone(), error, current: target.note.text.hash() };
            refused(call, ProposeError::Plan(error), None, Some(&target))
        })?;
    }
    let intent = Intent::EditText { path: path.clone(), edits };
    propose(call, "edit_note", Some(&target), intent)
}

/// Carries `set_properties` out.
pub(crate) fn set_properties(call: &Call<'_>) -> Result<Value, ToolError> {
    let target = Target::open(call)?;
    let set = call.args.object("set").into_iter().flatten();
    let set = set.map(|(name, value)| {
        Ok((target.restored(call, "set", name)?, map_texts(value, &|text| target.restored(call, "set", text))?))
    });
    let set = set.collect::<Result<Map<String, Value>, ToolError>>()?;
    let remove = call.args.words("remove").unwrap_or_default();
    let remove = remove.iter().map(|name| target.restored(call, "remove", name)).collect::<Result<_, _>>()?;
    propose(
        call,
        "set_properties",
        Some(&target),
        Intent::SetProperties { path: target.note.path.clone(), set, remove },
    )
}

/// Carries `revert_note` out.
pub(crate) fn revert(call: &Call<'_>) -> Result<Value, ToolError> {
    let target = Target::open(call)?;
    let path = &target.note.path;
    if target.note.not_utf8 {
        return Err(super::refusal::not_utf8(path));
    }
    let versions = call.desk.history(path);
    let wanted = call.args.text("version_id").unwrap_or_default();
    let version = find_version(path, &versions, wanted)?;
    let kept = version.after_hash.as_ref().filter(|_| version.restorable).and_then(|hash| hash.parse().ok());
    let to = kept.ok_or_else(|| super::refusal::version_gone(wanted))?;
    propose(call, "revert_note", Some(&target), Intent::Restore { path: path.clone(), to })
}

/// Carries `move_note` out.
pub(crate) fn move_note(call: &Call<'_>) -> Result<Value, ToolError> {
    let target = whole(call)?;
    let path = lead(call, target.as_ref())?;
    let to = new_path(call, "new_rel_path", call.args.text("new_rel_path").unwrap_or_default())?;
    if target.is_some() && to == path && !is_retry(call) {
        return Err(bad_path("new_rel_path", "the note is there already"));
    }
    propose(call, "move_note", target.as_ref(), Intent::MoveNote { path, to })
}

/// Carries `delete_note` out.
pub(crate) fn delete(call: &Call<'_>) -> Result<Value, ToolError> {
    let target = whole(call)?;
    let path = lead(call, target.as_ref())?;
    propose(call, "delete_note", target.as_ref(), Intent::DeleteNote { path })
}

/// Opens a note that is to go from where it is. For a retry it may have gone already: then the first answer says all.
///
/// A symbolic link is not taken for the note that it leads to: whoever names it may mean either, and one of the two would
/// go unasked.
fn whole(call: &Call<'_>) -> Result<Option<Target>, ToolError> {
    match Target::open(call) {
        Ok(target) if target.note.not_utf8 => Err(super::refusal::not_utf8(&target.note.path)),
        Ok(target) => match link_to(call, &target.note.path).filter(|_| !is_retry(call)) {
            Some(link) => {
                let real = call.desk.locate(&NoteRef::Path(link.as_str().to_owned()));
                Err(super::refusal::is_link(call, &link, real.as_ref().unwrap_or(&target.note.path)))
            }
            None => Ok(Some(target)),
        },
        Err(_) if is_retry(call) => Ok(None),
        Err(error) => Err(error),
    }
}

/// Returns the symbolic link that the call names a note by, be it in other letters or by an id of its own.
fn link_to(call: &Call<'_>, opened: &RelPath) -> Option<RelPath> {
    let view = call.desk.view();
    let named = call.args.text("rel_path").and_then(|wanted| view.named_by_link(wanted));
    named.or_else(|| view.named_by_link(opened.as_str()))
}

/// Returns the path of a note that goes. Of one that has gone only a retry speaks, and that is answered by its token.
fn lead(call: &Call<'_>, target: Option<&Target>) -> Result<RelPath, ToolError> {
    match target {
        Some(target) => Ok(target.note.path.clone()),
        None => new_path(call, "rel_path", call.args.text("rel_path").unwrap_or("gone")),
    }
}

/// Reads the path of a note that is to be made. A name without any ending gets `.md`.
fn new_path(call: &Call<'_>, name: &str, wanted: &str) -> Result<RelPath, ToolError> {
    let full = match wanted.rsplit('/').next() {
        Some(name) if !name.is_empty() && !name.contains('.') => format!("{wanted}.md"),
        _ => wanted.to_owned(),
    };
    let path = RelPath::lenient(&full).map_err(|error| match error {
        PathError::Absolute { .. } | PathError::Parent { .. } => {
            note_error(call, NoteError::OutsideVault { wanted: wanted.to_owned() })
        }
        error => bad_path(name, &error.to_string()),
    })?;
    if !path.is_note() {
        return Err(note_error(call, NoteError::NotANote { wanted: wanted.to_owned() }));
    }
    match path.as_str().split('/').find_map(unportable) {
        Some(problem) => Err(bad_path(name, &problem)),
        None => Ok(path),
    }
}

fn bad_path(name: &str, problem: &str) -> ToolError {
    ToolError::new(
        Code::InvalidArguments,
        format!("wrong argument: `{name}` cannot be the path of a note: {problem}"),
        "name the note by its folders and file name, separated by /",
    )
    .with("arguments", json!([{"name": name, "problem": problem}]))
}

/// Says why a new file or folder of this name could not be synced to every system.
fn unportable(name: &str) -> Option<String> {
    const DEVICES: [&str; 4] = ["con", "prn", "aux", "nul"];
    let device = name.split('.').next().unwrap_or(name).to_ascii_lowercase();
    let numbered = |port: &str| device.strip_prefix(port).is_some_and(|n| matches!(n.as_bytes(), [b'1'..=b'9']));
    if let Some(bad) = name.chars().find(|c| c.is_control() || r#"<>:"|?*\"#.contains(*c)) {
        return Some(format!("{bad:?} cannot stand in a file name"));
    }
    if name.len() > MAX_NAME {
        return Some(format!("a name of {} bytes is too long, {MAX_NAME} are possible", name.len()));
    }
    if name.ends_with(['.', ' ']) || name.starts_with(' ') {
        return Some(format!("a name cannot begin or end with a space or end with a dot: {name:?}"));
    }
    let reserved = DEVICES.contains(&device.as_str()) || numbered("com") || numbered("lpt");
    reserved.then(|| format!("{name:?} is reserved on some systems"))
}

/// What the usual file systems hold.
const MAX_NAME: usize = 255;

/// Rewrites every text within a value.
fn map_texts(value: &Value, rewrite: &dyn Fn(&str) -> Result<String, ToolError>) -> Result<Value, ToolError> {
    Ok(match value {
        Value::String(text) => Value::String(rewrite(text)?),
        Value::Array(items) => {
            Value::Array(items.iter().map(|item| map_texts(item, rewrite)).collect::<Result<_, _>>()?)
        }
        Value::Object(entries) => Value::Object(
            entries
                .iter()
                .map(|(name, value)| Ok((rewrite(name)?, map_texts(value, rewrite)?)))
                .collect::<Result<_, ToolError>>()?,
        ),
        plain => plain.clone(),
    })
}
