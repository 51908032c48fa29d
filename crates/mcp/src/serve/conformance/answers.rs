//! Tools that answer at once.

use super::{capabilities, schema_tool, tool};
use rmcp::RoleServer;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, ErrorData, ProgressNotificationParam,
    ResourceContents, Tool,
};
use rmcp::service::RequestContext;
use serde_json::{Value, json};
use std::time::Duration;

/// A picture of one pixel.
pub(super) const PNG: &str =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==";
/// A sound of no length.
const WAV: &str = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQAAAAA=";

pub(super) fn tools() -> Vec<Tool> {
    let none = || json!({});
    vec![
        tool("greet", "Greets.", json!({"name": {"type": "string"}})),
        schema_tool("json_schema_2020_12_tool", "Has a schema of every kind.", broad_schema()),
        tool("test_audio_content", "Answers with sound.", none()),
        schema_tool(
            "test_custom_header",
            "Has an argument that travels as a header too.",
            json!({"type": "object", "properties": {"region": {"type": "string", "x-mcp-header": "Region"}}}),
        ),
        tool("test_embedded_resource", "Answers with a resource.", none()),
        tool("test_error_handling", "Fails.", none()),
        tool("test_image_content", "Answers with a picture.", none()),
        tool("test_logging_tool", "Would log if it were asked to.", none()),
        tool("test_missing_capability", "Needs a client that samples.", none()),
        tool("test_multiple_content_types", "Answers with several things.", none()),
        // The suite would like to see a stream closed in the middle of a call; this server closes none.
        tool("test_reconnection", "Answers after a while.", none()),
        tool("test_simple_text", "Answers with text.", none()),
        tool("test_tool_with_progress", "Says how far it is.", none()),
    ]
}

pub(super) async fn call(
    request: &CallToolRequestParams,
    context: &RequestContext<RoleServer>,
) -> Result<Option<CallToolResponse>, ErrorData> {
    let picture = || ContentBlock::image(PNG, "image/png");
    let text = |text: &str| ContentBlock::text(text);
    let content = match &*request.name {
        "greet" => {
            let name = request.arguments.as_ref().and_then(|arguments| arguments.get("name")).and_then(Value::as_str);
            vec![text(&format!("Hello, {}!", name.unwrap_or("you")))]
        }
        "json_schema_2020_12_tool" | "test_custom_header" | "test_logging_tool" => vec![text("done")],
        "test_audio_content" => vec![ContentBlock::audio(WAV, "audio/wav")],
        "test_embedded_resource" => vec![embedded("test://embedded-resource", "text/plain", "An embedded resource.")],
        "test_error_handling" => {
            let failed = CallToolResult::error(vec![text("This tool always fails.")]);
            return Ok(Some(failed.into()));
        }
        "test_image_content" => vec![picture()],
        "test_missing_capability" => {
            let samples = context.client_capabilities().is_some_and(|client| client.sampling.is_some());
            if !samples {
                let needed = capabilities(json!({"sampling": {}}));
                return Err(ErrorData::missing_required_client_capability(needed));
            }
            vec![text("the client samples")]
        }
        "test_multiple_content_types" => vec![
            text("Several kinds of content:"),
            picture(),
            embedded("test://mixed-content-resource", "application/json", r#"{"test":"data","value":123}"#),
        ],
        "test_reconnection" => {
            tokio::time::sleep(Duration::from_millis(50)).await;
            vec![text("done")]
        }
        "test_simple_text" => vec![text("A plain answer.")],
        "test_tool_with_progress" => {
            progress(context).await;
            vec![text("done")]
        }
        _ => return Ok(None),
    };
    Ok(Some(CallToolResult::success(content).into()))
}

async fn progress(context: &RequestContext<RoleServer>) {
    let token = context.meta.get_progress_token();
    for percent in [0.0, 50.0, 100.0] {
        if let Some(token) = token.clone() {
            let told = ProgressNotificationParam::new(token, percent).with_total(100.0);
            let _ = context.peer.notify_progress(told).await;
        }
        // The suite asks for steps that take a while.
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

fn embedded(uri: &str, kind: &str, text: &str) -> ContentBlock {
    ContentBlock::resource(ResourceContents::text(text, uri).with_mime_type(kind))
}

fn broad_schema() -> Value {
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "$defs": {"address": {
            "$anchor": "addressDef",
            "type": "object",
            "properties": {"street": {"type": "string"}, "city": {"type": "string"}},
        }},
        "properties": {
            "name": {"type": "string"},
            "address": {"$ref": "#/$defs/address"},
            "contactMethod": {"type": "string", "enum": ["phone", "email"]},
            "phone": {"type": "string"},
            "email": {"type": "string"},
        },
        "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
        "if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
        "then": {"required": ["phone"]},
        "else": {"required": ["email"]},
        "additionalProperties": false,
    })
}
