//! `rename_note_section`: a heading gets another title, and every link to it follows.

use super::Call;
use super::writing::{
    DRY_RUN, EXPECTED_HASH, EXPECTED_UPDATED_AT, HEADING, HEADING_LEVEL, HEADING_OCCURRENCE, HEADING_PATH, ID, REASON,
    REL_PATH, REQUEST_ID, Target, propose,
};
use crate::wire::args::{Arg, Kind, optional, required};
use crate::wire::error::ToolError;
use engine::Intent;
use serde_json::Value;

/// What the tool takes.
pub(crate) const ARGS: &[Arg] = &[
    REL_PATH,
    ID,
    HEADING,
    HEADING_PATH,
    required("new_heading", Kind::Text { max: 100_000 }, "New title: one line, without # marks."),
    HEADING_LEVEL,
    HEADING_OCCURRENCE,
    optional("update_links", Kind::Flag { default: true }, "false: leave links as they are."),
    EXPECTED_HASH,
    EXPECTED_UPDATED_AT,
    REQUEST_ID,
    REASON,
    DRY_RUN,
];

/// Carries it out.
pub(crate) fn run(call: &Call<'_>) -> Result<Value, ToolError> {
    let target = Target::open(call)?;
    let intent = Intent::RenameSection {
        path: target.note.path.clone(),
        at: target.section(call)?,
        new_heading: target.text(call, "new_heading")?,
        update_links: call.args.flag("update_links", true),
        allow_h1: false,
    };
    propose(call, "rename_note_section", Some(&target), intent)
}
