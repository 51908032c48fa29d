//! The tools that change what a section holds, where it stands, or whether it is there.

use super::Call;
use super::refusal::hash_required;
use super::resolve::{Naming, section_error};
use super::writing::{
    DRY_RUN, EXPECTED_HASH, EXPECTED_UPDATED_AT, HEADING, HEADING_LEVEL, HEADING_OCCURRENCE, HEADING_PATH, ID,
    NEW_TEXT, NTH, REASON, REL_PATH, REQUEST_ID, Target, counted, level, propose,
};
use crate::wire::args::{Arg, Kind, optional, required};
use crate::wire::error::ToolError;
use engine::{Intent, SectionEdit};
use note::{AppendAt, MoveTo, SectionRef};
use serde_json::Value;

/// What `patch_note_section` takes.
pub(crate) const PATCH_ARGS: &[Arg] = &[
    REL_PATH,
    ID,
    HEADING,
    HEADING_PATH,
    required("new_content", NEW_TEXT, "Its new text, without its heading."),
    HEADING_LEVEL,
    HEADING_OCCURRENCE,
    optional("include_children", Kind::Flag { default: false }, "Replace its subsections, too."),
    EXPECTED_HASH,
    EXPECTED_UPDATED_AT,
    REQUEST_ID,
    REASON,
    DRY_RUN,
];

/// What `append_to_section` takes.
pub(crate) const APPEND_ARGS: &[Arg] = &[
    REL_PATH,
    ID,
    HEADING,
    HEADING_PATH,
    required("content", NEW_TEXT, "Text to add."),
    optional("position", Kind::Choice(&["start", "end"]), "Of its own text; end unless given."),
    HEADING_LEVEL,
    HEADING_OCCURRENCE,
    EXPECTED_HASH,
    EXPECTED_UPDATED_AT,
    REQUEST_ID,
    REASON,
    DRY_RUN,
];

/// What `move_note_section` takes.
pub(crate) const MOVE_ARGS: &[Arg] = &[
    REL_PATH,
    ID,
    HEADING,
    HEADING_PATH,
    required("destination_heading", Kind::Text { max: 10_000 }, "Title of a section of the same note."),
    required("position", Kind::Choice(&["before", "after", "first_child", "last_child"]), "Where, seen from it."),
    HEADING_LEVEL,
    HEADING_OCCURRENCE,
    optional("destination_level", Kind::Integer { min: 1, max: 6, default: None }, "Its level."),
    optional("destination_occurrence", NTH, "Which of equal ones."),
    optional("relevel", Kind::Flag { default: false }, "Fit the levels to the new place."),
    EXPECTED_HASH,
    EXPECTED_UPDATED_AT,
    REQUEST_ID,
    REASON,
    DRY_RUN,
];

/// What `delete_note_section` takes.
pub(crate) const DELETE_ARGS: &[Arg] = &[
    REL_PATH,
    ID,
    HEADING,
    HEADING_PATH,
    HEADING_LEVEL,
    HEADING_OCCURRENCE,
    optional("expected_hash", Kind::Hash, "content_hash you read; needed."),
    EXPECTED_UPDATED_AT,
    REQUEST_ID,
    REASON,
    DRY_RUN,
];

/// Carries `patch_note_section` out.
pub(crate) fn patch(call: &Call<'_>) -> Result<Value, ToolError> {
    let target = Target::open(call)?;
    let content = target.text(call, "new_content")?;
    let include_children = call.args.flag("include_children", false);
    edit(call, "patch_note_section", &target, SectionEdit::Patch { content, include_children })
}

/// Carries `append_to_section` out.
pub(crate) fn append(call: &Call<'_>) -> Result<Value, ToolError> {
    let target = Target::open(call)?;
    let content = target.text(call, "content")?;
    let position = match call.args.text("position") {
        Some("start") => AppendAt::Start,
        _ => AppendAt::End,
    };
    edit(call, "append_to_section", &target, SectionEdit::Append { content, position })
}

/// Carries `move_note_section` out.
pub(crate) fn move_section(call: &Call<'_>) -> Result<Value, ToolError> {
    let target = Target::open(call)?;
    let destination = destination(call, &target)?;
    let position = match call.args.text("position") {
        Some("before") => MoveTo::Before,
        Some("first_child") => MoveTo::FirstChild,
        Some("last_child") => MoveTo::LastChild,
        _ => MoveTo::After,
    };
    let relevel = call.args.flag("relevel", false);
    edit(call, "move_note_section", &target, SectionEdit::Move { destination, position, relevel })
}

/// Carries `delete_note_section` out.
pub(crate) fn delete(call: &Call<'_>) -> Result<Value, ToolError> {
    if !call.args.has("expected_hash") {
        return Err(hash_required("a section is deleted only as it was read: expected_hash is needed"));
    }
    let target = Target::open(call)?;
    edit(call, "delete_note_section", &target, SectionEdit::Delete)
}

fn edit(call: &Call<'_>, tool: &str, target: &Target, edit: SectionEdit) -> Result<Value, ToolError> {
    let intent = Intent::EditSection { path: target.note.path.clone(), at: target.section(call)?, edit };
    propose(call, tool, Some(target), intent)
}

/// Reads where a section goes. The place is looked for here, so that its error speaks of the destination's arguments.
fn destination(call: &Call<'_>, target: &Target) -> Result<SectionRef, ToolError> {
    let nth = counted(&call.args, "destination_occurrence")?;
    let which = (level(&call.args, "destination_level"), nth);
    let destination = target.titled(call, "destination_heading", which, Naming::Destination)?;
    match target.note.note.section(&destination) {
        Err(error) if target.is_as_meant(call) => {
            Err(section_error(call, &error, Naming::Destination, &target.note, &target.secrets))
        }
        _ => Ok(destination),
    }
}
