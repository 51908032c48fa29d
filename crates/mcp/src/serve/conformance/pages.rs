//! Resources and prompts.

use super::answers::PNG;
use super::is_fixture;
use rmcp::model::{
    ContentBlock, GetPromptRequestParams, GetPromptResult, Prompt, PromptArgument, PromptMessage, ReadResourceResult,
    Resource, ResourceContents, ResourceTemplate, Role,
};
use serde_json::{Value, json};

pub(super) fn resources() -> Vec<Resource> {
    [("static-text", "text/plain"), ("static-binary", "image/png"), ("watched-resource", "text/plain")]
        .map(|(name, kind)| {
            Resource::new(format!("test://{name}"), name).with_description("A fixture.").with_mime_type(kind)
        })
        .to_vec()
}

pub(super) fn template() -> ResourceTemplate {
    ResourceTemplate::new("test://template/{id}/data", "template")
        .with_description("A fixture.")
        .with_mime_type("application/json")
}

pub(super) fn read(uri: &str) -> Option<ReadResourceResult> {
    let name = uri.strip_prefix("test://").filter(|_| is_fixture(uri))?;
    let contents = match name {
        "static-text" | "watched-resource" => {
            ResourceContents::text("The text of a fixture.", uri).with_mime_type("text/plain")
        }
        "static-binary" => ResourceContents::blob(PNG, uri).with_mime_type("image/png"),
        _ => {
            let id = name.strip_prefix("template/")?.strip_suffix("/data")?;
            let text = json!({"id": id, "templateTest": true, "data": format!("Data for ID: {id}")});
            ResourceContents::text(text.to_string(), uri).with_mime_type("application/json")
        }
    };
    Some(ReadResourceResult::new(vec![contents]))
}

pub(super) fn prompts() -> Vec<Prompt> {
    let prompt = |name: &str, arguments: &[&str]| {
        let arguments = arguments
            .iter()
            .map(|name| PromptArgument::new(*name).with_description("An argument.").with_required(true))
            .collect();
        Prompt::new(name, Some("A fixture."), Some(arguments))
    };
    vec![
        prompt("test_input_required_result_prompt", &[]),
        prompt("test_prompt_with_arguments", &["arg1", "arg2"]),
        prompt("test_prompt_with_embedded_resource", &["resourceUri"]),
        prompt("test_prompt_with_image", &[]),
        prompt("test_simple_prompt", &[]),
    ]
}

pub(super) fn prompt(request: &GetPromptRequestParams) -> Option<GetPromptResult> {
    let argument = |name: &str| {
        let value = request.arguments.as_ref().and_then(|arguments| arguments.get(name)).and_then(Value::as_str);
        value.unwrap_or_default().to_owned()
    };
    let text = |text: String| PromptMessage::new_text(Role::User, text);
    let messages = match request.name.as_str() {
        "test_prompt_with_arguments" => {
            vec![text(format!("Prompt with arguments: arg1='{}', arg2='{}'", argument("arg1"), argument("arg2")))]
        }
        "test_prompt_with_embedded_resource" => {
            let embedded = ResourceContents::text("Embedded.", argument("resourceUri")).with_mime_type("text/plain");
            vec![
                PromptMessage::new(Role::User, ContentBlock::resource(embedded)),
                text("Look at the resource above.".to_owned()),
            ]
        }
        "test_prompt_with_image" => vec![
            PromptMessage::new(Role::User, ContentBlock::image(PNG, "image/png")),
            text("Look at the picture above.".to_owned()),
        ],
        "test_simple_prompt" => vec![text("A simple prompt.".to_owned())],
        _ => return None,
    };
    Some(GetPromptResult::new(messages))
}
