//! Proposals as tasks, for clients that speak the tasks extension: a task is an operation under the same id, so it
//! outlives the session and the program, and nothing is kept twice.

use crate::tools::{self, Remembered};
use crate::wire::error::{Code, ToolError};
use crate::{DoorSettings, serve::answers::result};
use engine::{Actor, Desk, OpId, OpState, OperationView, Readiness};
use rmcp::model::{
    CreateTaskResult, DetailedTask, ErrorData, GetTaskResult, JsonObject, Task, TaskPayload, TaskStatus,
};
use serde_json::Value;
use std::sync::Arc;

/// How often a client should ask; a person takes longer than this.
const POLL_MS: u64 = 3_000;

/// Turns the answer of a write tool into a task, if it waits for a person.
pub(crate) fn created(desk: &Desk, answer: &Value) -> Option<CreateTaskResult> {
    let waits = answer.get("status").and_then(Value::as_str) == Some("proposed");
    let id = answer.get("operation_id").and_then(Value::as_str).filter(|_| waits)?;
    let view = own(desk, id).ok()?;
    Some(CreateTaskResult::new(task(&view)))
}

/// Says how a task stands, with its outcome once there is one.
pub(crate) fn get(
    desk: &Desk,
    settings: &DoorSettings,
    remembered: &Arc<Remembered>,
    id: &str,
) -> Result<GetTaskResult, ErrorData> {
    let view = own(desk, id)?;
    let payload = match view.state {
        OpState::Proposed | OpState::Begun | OpState::Interrupted => TaskPayload::Working,
        OpState::Withdrawn => TaskPayload::Cancelled,
        OpState::Done | OpState::Undone => {
            TaskPayload::Completed { result: object(tools::outcome(desk, settings, remembered, &view))? }
        }
        OpState::Declined => TaskPayload::Completed { result: object(Err(tools::declined(&view)))? },
    };
    Ok(GetTaskResult::new(DetailedTask::new(task(&view), payload)))
}

/// Takes a proposal back.
pub(crate) fn cancel(desk: &Desk, id: &str) -> Result<(), ErrorData> {
    let view = own(desk, id)?;
    if let Ok(id) = view.id.parse::<OpId>() {
        // Cancelling asks; what was decided meanwhile stays decided, and tasks/get tells so.
        let _ = desk.withdraw(id);
    }
    Ok(())
}

/// Finds an operation of this client; another client's is as unknown as none.
pub(crate) fn own(desk: &Desk, id: &str) -> Result<OperationView, ErrorData> {
    let mine = Actor::Agent { client: desk.client().to_owned() };
    let view = id.parse::<OpId>().ok().and_then(|id| desk.operation(id));
    view.filter(|view| view.actor == mine).ok_or_else(|| ErrorData::invalid_params("unknown task", None))
}

fn task(view: &OperationView) -> Task {
    let last = view.decided_at.as_ref().unwrap_or(&view.proposed_at);
    let message = match (&view.state, &view.readiness) {
        (OpState::Proposed, Some(Readiness::Blocked { .. })) => {
            "the notes changed and it no longer fits; cancel it, or a person declines it"
        }
        (OpState::Proposed, _) => "waits for a person to decide in Vidimus",
        (OpState::Begun, _) => "being written",
        (OpState::Interrupted, _) => "stopped half-way; a person finishes or undoes it in Vidimus",
        (OpState::Done, _) => "approved and written",
        (OpState::Undone, _) => "written, and undone by a person since",
        (OpState::Declined, _) => "declined by a person",
        (OpState::Withdrawn, _) => "withdrawn",
    };
    Task::new(view.id.clone(), TaskStatus::Working, view.proposed_at.clone(), last.clone())
        .with_status_message(message)
        .with_poll_interval_ms(POLL_MS)
}

fn object(outcome: Result<Value, ToolError>) -> Result<JsonObject, ErrorData> {
    match serde_json::to_value(result(outcome)) {
        Ok(Value::Object(object)) => Ok(object),
        _ => Err(ErrorData::internal_error(Code::Internal.as_str(), None)),
    }
}
