//! Tools of the era of handshakes that ask the client something, or tell it something, while they run.
#![allow(deprecated, reason = "that era has sampling and logging")]

use super::tool;
use rmcp::RoleServer;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ClientResult, ContentBlock, CreateMessageRequestParams,
    CreateMessageResult, ElicitRequest, ErrorData, LoggingLevel, LoggingMessageNotificationParam, ServerRequest, Tool,
};
use rmcp::service::RequestContext;
use serde_json::{Value, json};
use std::time::Duration;

pub(super) fn tools() -> Vec<Tool> {
    let text = json!({"type": "string"});
    vec![
        tool("test_elicitation", "Asks a person.", json!({"message": text})),
        tool("test_elicitation_sep1034_defaults", "Asks with defaults.", json!({})),
        tool("test_elicitation_sep1330_enums", "Asks for choices.", json!({})),
        tool("test_sampling", "Asks a model.", json!({"prompt": text})),
        tool("test_tool_with_logging", "Logs what it does.", json!({})),
    ]
}

pub(super) async fn call(
    request: &CallToolRequestParams,
    context: &RequestContext<RoleServer>,
) -> Result<Option<CallToolResponse>, ErrorData> {
    let argument = |name: &str| {
        let value = request.arguments.as_ref().and_then(|arguments| arguments.get(name)).and_then(Value::as_str);
        value.unwrap_or_default().to_owned()
    };
    let said = match &*request.name {
        "test_elicitation" => elicit(context, &argument("message"), person()).await?,
        "test_elicitation_sep1034_defaults" => elicit(context, "Who are you?", defaults()).await?,
        "test_elicitation_sep1330_enums" => elicit(context, "Choose.", choices()).await?,
        "test_sampling" => sample(context, &argument("prompt")).await?,
        "test_tool_with_logging" => log(context).await,
        _ => return Ok(None),
    };
    Ok(Some(CallToolResult::success(vec![ContentBlock::text(said)]).into()))
}

async fn elicit(context: &RequestContext<RoleServer>, message: &str, schema: Value) -> Result<String, ErrorData> {
    let question: ElicitRequest = wire(json!({
        "method": "elicitation/create",
        "params": {"mode": "form", "message": message, "requestedSchema": schema},
    }))?;
    match context.peer.send_request(ServerRequest::ElicitRequest(question)).await {
        Ok(ClientResult::ElicitResult(answer)) => {
            Ok(serde_json::to_string(&answer).unwrap_or_else(|_| "an answer".to_owned()))
        }
        Ok(_) => Err(ErrorData::internal_error("the client answered something else", None)),
        Err(error) => Err(ErrorData::internal_error(error.to_string(), None)),
    }
}

async fn sample(context: &RequestContext<RoleServer>, prompt: &str) -> Result<String, ErrorData> {
    let wanted: CreateMessageRequestParams = wire(json!({
        "messages": [{"role": "user", "content": {"type": "text", "text": prompt}}],
        "maxTokens": 100,
    }))?;
    let answer: Result<CreateMessageResult, _> = context.peer.create_message(wanted).await;
    let answer = answer.map_err(|error| ErrorData::internal_error(error.to_string(), None))?;
    Ok(format!("The model says: {}", serde_json::to_string(&answer.message).unwrap_or_default()))
}

async fn log(context: &RequestContext<RoleServer>) -> String {
    for line in ["begun", "at work", "done"] {
        let told = LoggingMessageNotificationParam::new(LoggingLevel::Info, json!(line));
        let _ = context.peer.notify_logging_message(told).await;
        // The suite asks for lines that come one after the other.
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    "done".to_owned()
}

/// Reads a value of the protocol from how it stands on the wire.
pub(super) fn wire<T: serde::de::DeserializeOwned>(value: Value) -> Result<T, ErrorData> {
    serde_json::from_value(value).map_err(|error| ErrorData::internal_error(error.to_string(), None))
}

fn person() -> Value {
    json!({
        "type": "object",
        "properties": {
            "username": {"type": "string", "description": "A name"},
            "email": {"type": "string", "description": "An address"},
        },
        "required": ["username", "email"],
    })
}

fn defaults() -> Value {
    json!({
        "type": "object",
        "properties": {
            "name": {"type": "string", "default": "John Doe"},
            "age": {"type": "integer", "default": 30},
            "score": {"type": "number", "default": 95.5},
            "status": {"type": "string", "enum": ["active", "inactive", "pending"], "default": "active"},
            "verified": {"type": "boolean", "default": true},
        },
    })
}

fn choices() -> Value {
    let options = json!(["option1", "option2", "option3"]);
    let titled = json!([
        {"const": "value1", "title": "First"},
        {"const": "value2", "title": "Second"},
        {"const": "value3", "title": "Third"},
    ]);
    json!({
        "type": "object",
        "properties": {
            "untitledSingle": {"type": "string", "enum": options},
            "titledSingle": {"type": "string", "oneOf": titled},
            "legacyEnum": {"type": "string", "enum": ["opt1", "opt2", "opt3"], "enumNames": ["One", "Two", "Three"]},
            "untitledMulti": {"type": "array", "items": {"type": "string", "enum": options}},
            "titledMulti": {"type": "array", "items": {"anyOf": titled}},
        },
    })
}
