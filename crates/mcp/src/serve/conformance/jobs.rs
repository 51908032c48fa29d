//! Tools whose calls become tasks.

use super::asking::wire;
use super::{capabilities, rounds, tool};
use rmcp::RoleServer;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, CancelTaskParams, ContentBlock, CreateTaskResult,
    ErrorData, GetTaskParams, GetTaskResult, Tool, UpdateTaskParams,
};
use rmcp::service::RequestContext;
use rmcp::task_manager::{TaskContext, TaskExit, TaskManager, TaskOptions};
use serde_json::{Value, json};
use std::time::Duration;

/// The running and finished ones.
#[derive(Clone, Default)]
pub(super) struct Jobs(TaskManager);

pub(super) fn tools() -> Vec<Tool> {
    vec![
        tool("confirm_delete", "Asks before it ends.", json!({"filename": {"type": "string"}})),
        tool("failing_job", "Fails after a while; always a task.", json!({})),
        tool("multi_input", "Asks two things at once.", json!({})),
        tool("protocol_error_job", "Ends with an error of the protocol.", json!({})),
        tool("slow_compute", "Takes its time.", json!({"seconds": {"type": "number"}})),
        tool("test_tool_with_task", "Asks first, and is a task then.", json!({})),
    ]
}

type Outcome = Result<CallToolResult, TaskExit>;

impl Jobs {
    pub fn call(
        &self,
        request: &CallToolRequestParams,
        context: &RequestContext<RoleServer>,
    ) -> Result<Option<CallToolResponse>, ErrorData> {
        if !tools().iter().any(|tool| tool.name == request.name) {
            return Ok(None);
        }
        let speaks_tasks = context.client_capabilities().is_some_and(|client| client.supports_tasks());
        let seconds = request.arguments.as_ref().and_then(|arguments| arguments.get("seconds")).and_then(Value::as_f64);
        let pause = Duration::from_secs_f64(seconds.unwrap_or_default().clamp(0.0, 600.0));
        if request.name == "slow_compute" && (!speaks_tasks || pause.is_zero()) {
            return Ok(Some(said("computed").into()));
        }
        if !speaks_tasks {
            let needed = capabilities(json!({"extensions": {"io.modelcontextprotocol/tasks": {}}}));
            return Err(ErrorData::missing_required_client_capability(needed));
        }
        let given = request.input_responses.clone();
        if request.name == "test_tool_with_task" && !rounds::has(given.as_ref(), "user_name") {
            return rounds::asked(vec![("user_name", rounds::name_question())], Some("asked"))
                .map(|question| Some(question.into()));
        }
        let name = request.name.to_string();
        let options = TaskOptions::new().with_poll_interval_ms(100);
        let task = self.0.spawn(options, move |job| {
            Box::pin(async move {
                match name.as_str() {
                    "confirm_delete" => confirm(job).await,
                    "failing_job" => {
                        tokio::time::sleep(Duration::from_secs(1)).await;
                        Ok(CallToolResult::error(vec![ContentBlock::text("this job fails")]))
                    }
                    "multi_input" => ask_twice(job).await,
                    "protocol_error_job" => Err(ErrorData::internal_error("this job cannot be done", None).into()),
                    "test_tool_with_task" => Ok(said(&json!(given).to_string())),
                    _ => tokio::select! {
                        () = tokio::time::sleep(pause) => Ok(said("computed")),
                        () = job.cancelled() => Err(TaskExit::Cancelled),
                    },
                }
            })
        });
        Ok(Some(CreateTaskResult::new(task).into()))
    }

    pub fn knows(&self, id: &str) -> bool {
        self.0.get_task(id).is_ok()
    }

    pub fn get(&self, request: &GetTaskParams) -> Option<GetTaskResult> {
        self.0.get_task(&request.task_id).ok().map(GetTaskResult::new)
    }

    pub fn update(&self, request: UpdateTaskParams) -> Result<(), ErrorData> {
        self.0.update_task(&request.task_id, request.input_responses)
    }

    pub fn cancel(&self, request: &CancelTaskParams) -> Result<(), ErrorData> {
        self.0.cancel_task(&request.task_id)
    }
}

async fn confirm(job: TaskContext) -> Outcome {
    let answer = job.request_input("confirm", wire(rounds::question("Delete it?", "confirm", "boolean"))?).await?;
    Ok(said(&answer.to_string()))
}

async fn ask_twice(job: TaskContext) -> Outcome {
    let name = wire(rounds::name_question())?;
    let sure = wire(rounds::question("Sure?", "confirm", "boolean"))?;
    let (name, sure) = tokio::join!(job.request_input("name", name), job.request_input("sure", sure));
    Ok(said(&format!("{} {}", name?, sure?)))
}

fn said(text: &str) -> CallToolResult {
    CallToolResult::success(vec![ContentBlock::text(text)])
}
