//! The tools: what each one is called, takes, answers and does.

mod catalog;
mod diffs;
mod find_shown;
mod get_backlinks;
mod get_note;
mod get_note_history;
mod links;
mod list_notes;
mod note_edits;
mod operations;
mod refusal;
mod remembered;
mod rename_note_section;
pub(crate) mod resolve;
mod search_sieve;
mod search_text;
mod section_edits;
mod sections;
mod selectors;
mod writing;

pub use catalog::tools;
pub(crate) use catalog::{Tool, catalog, find, names};
pub(crate) use operations::declined;
pub(crate) use remembered::{INDEX_WAIT, Remembered};

use crate::DoorSettings;
use crate::limits::window::cut_to_cost;
use crate::wire::args::Args;
use crate::wire::error::{Code, ToolError};
use engine::{Desk, OperationView};
use serde::Serialize;
use serde_json::{Map, Value};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// One call of one tool.
pub(crate) struct Call<'a> {
    pub desk: &'a Desk,
    pub settings: &'a DoorSettings,
    pub remembered: &'a Arc<Remembered>,
    pub args: Args,
    /// Set once the client no longer waits for the answer.
    pub cancelled: &'a AtomicBool,
}

impl Call<'_> {
    /// Cuts a title to what an answer has room for; only titles beyond all use are that long.
    pub fn title(&self, text: &str) -> String {
        cut_to_cost(text, self.max_title()).to_owned()
    }

    /// How many characters a title may have once it is written as JSON.
    pub fn max_title(&self) -> usize {
        self.settings.max_response_chars / 32
    }

    /// Whether the client has gone or has taken the call back.
    pub fn is_cancelled(&self) -> bool {
        self.cancelled.load(Ordering::Relaxed)
    }
}

/// Checks whether the client may call a tool, checks the arguments, and carries the call out.
pub(crate) fn call(
    tool: &Tool,
    desk: &Desk,
    settings: &DoorSettings,
    remembered: &Arc<Remembered>,
    arguments: Option<&Map<String, Value>>,
    cancelled: &AtomicBool,
) -> Result<Value, ToolError> {
    tool.check_leave(desk)?;
    let (args, mut problems) = Args::check(tool.args, arguments);
    (tool.check)(&args, &mut problems);
    let done = problems.into_result().and_then(|()| (tool.run)(&Call { desk, settings, remembered, args, cancelled }));
    done.map_err(|error| error.within(settings.max_response_chars))
}

/// Answers anew what a write tool would answer for an operation that has been decided.
pub(crate) fn outcome(
    desk: &Desk,
    settings: &DoorSettings,
    remembered: &Arc<Remembered>,
    operation: &OperationView,
) -> Result<Value, ToolError> {
    let cancelled = AtomicBool::new(false);
    let call = Call { desk, settings, remembered, args: Args::default(), cancelled: &cancelled };
    answer(&operations::written(&call, operation)?)
}

/// Writes an answer as JSON.
pub(crate) fn answer(value: &impl Serialize) -> Result<Value, ToolError> {
    serde_json::to_value(value)
        .map_err(|_| ToolError::new(Code::Internal, "the answer could not be written as JSON", "report this"))
}
