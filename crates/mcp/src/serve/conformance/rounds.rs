//! Tools and a prompt of the stateless era that need input: they answer with a question, and the call comes again with the
//! answer and with a state that only this server can have written.

use super::asking::wire;
use super::tool;
use rmcp::RoleServer;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, ErrorData, GetPromptRequestParams,
    GetPromptResponse, GetPromptResult, InputRequest, InputRequiredResult, InputResponses, PromptMessage, Role, Tool,
};
use rmcp::service::RequestContext;
use serde_json::{Value, json};

const PREFIX: &str = "test_input_required_result_";

pub(super) fn tools() -> Vec<Tool> {
    vec![
        tool("test_input_required_result_capabilities", "Asks what the client can answer.", json!({})),
        tool("test_input_required_result_elicitation", "Asks for a name.", json!({})),
        tool("test_input_required_result_list_roots", "Asks for roots.", json!({})),
        tool("test_input_required_result_multi_round", "Asks twice.", json!({})),
        tool("test_input_required_result_multiple_inputs", "Asks three things at once.", json!({})),
        tool("test_input_required_result_request_state", "Asks, and remembers.", json!({})),
        tool("test_input_required_result_sampling", "Asks a model.", json!({})),
        tool("test_input_required_result_tampered_state", "Asks, and looks whether its state is its own.", json!({})),
        tool("test_streaming_elicitation", "Asks for a name.", json!({})),
    ]
}

pub(super) fn call(
    request: &CallToolRequestParams,
    context: &RequestContext<RoleServer>,
) -> Result<Option<CallToolResponse>, ErrorData> {
    let name = request.name.strip_prefix(PREFIX).unwrap_or(&request.name);
    let given = request.input_responses.as_ref();
    let state = request.request_state.as_deref().map(opened).transpose()?;
    let (questions, state_for_next): (Vec<(&str, Value)>, Option<&str>) = match name {
        "capabilities" => {
            let client = context.client_capabilities().unwrap_or_default();
            let mut questions = Vec::new();
            questions.extend(client.elicitation.is_some().then(|| ("user_name", name_question())));
            questions.extend(client.sampling.is_some().then(|| ("greeting", model_question())));
            (questions, None)
        }
        "elicitation" | "test_streaming_elicitation" => (vec![("user_name", name_question())], None),
        "list_roots" => (vec![("client_roots", roots_question())], None),
        "multi_round" if state.as_deref() == Some("first") && has(given, "step1") => {
            (vec![("step2", question("A color?", "color", "string"))], Some("second"))
        }
        "multi_round" if state.as_deref() == Some("second") => {
            (vec![("step2", question("A color?", "color", "string"))], Some("second"))
        }
        "multi_round" => (vec![("step1", name_question())], Some("first")),
        "multiple_inputs" => (
            vec![("client_roots", roots_question()), ("greeting", model_question()), ("user_name", name_question())],
            Some("asked"),
        ),
        "request_state" | "tampered_state" => (vec![("confirm", question("Sure?", "ok", "boolean"))], Some("asked")),
        "sampling" => (vec![("capital_question", model_question())], None),
        _ => return Ok(None),
    };
    let is_answered = !questions.is_empty()
        && questions.iter().all(|(key, _)| has(given, key))
        && (state_for_next.is_none() || state.as_deref() == state_for_next);
    if is_answered {
        let said = format!("state-ok, and the answers were: {}", json!(given));
        return Ok(Some(CallToolResult::success(vec![ContentBlock::text(said)]).into()));
    }
    asked(questions, state_for_next).map(|question| Some(question.into()))
}

/// The prompt that needs input.
pub(super) fn prompt(request: &GetPromptRequestParams) -> Result<Option<GetPromptResponse>, ErrorData> {
    if request.name != "test_input_required_result_prompt" {
        return Ok(None);
    }
    let given = request.input_responses.as_ref();
    if has(given, "user_context") {
        let said = format!("With this in mind: {}", json!(given));
        return Ok(Some(GetPromptResult::new(vec![PromptMessage::new_text(Role::User, said)]).into()));
    }
    asked(vec![("user_context", question("In what context?", "context", "string"))], None)
        .map(|question| Some(question.into()))
}

/// Makes an answer that is a question.
pub(super) fn asked(questions: Vec<(&str, Value)>, state: Option<&str>) -> Result<InputRequiredResult, ErrorData> {
    let requests: Result<_, ErrorData> =
        questions.into_iter().map(|(key, question)| Ok((key.to_owned(), wire::<InputRequest>(question)?))).collect();
    Ok(InputRequiredResult::new(Some(requests?), state.map(sealed)))
}

/// Whether there is an answer that can be one.
pub(super) fn has(given: Option<&InputResponses>, key: &str) -> bool {
    given.and_then(|given| given.get(key)).is_some_and(Value::is_object)
}

pub(super) fn name_question() -> Value {
    question("What is your name?", "name", "string")
}

pub(super) fn question(message: &str, name: &str, kind: &str) -> Value {
    let schema = json!({"type": "object", "properties": {name: {"type": kind}}, "required": [name]});
    json!({"method": "elicitation/create", "params": {"mode": "form", "message": message, "requestedSchema": schema}})
}

fn model_question() -> Value {
    let messages = json!([{"role": "user", "content": {"type": "text", "text": "What is the capital of France?"}}]);
    json!({"method": "sampling/createMessage", "params": {"messages": messages, "maxTokens": 100}})
}

fn roots_question() -> Value {
    json!({"method": "roots/list", "params": {}})
}

/// A key for this run; what a client sends back cannot have been written without it.
fn key() -> [u8; 32] {
    blake3::derive_key("vidimus conformance state", &std::process::id().to_le_bytes())
}

fn sealed(state: &str) -> String {
    format!("{state}.{}", blake3::keyed_hash(&key(), state.as_bytes()).to_hex())
}

fn opened(sealed: &str) -> Result<String, ErrorData> {
    let refused = || ErrorData::invalid_params("this server did not write that state", None);
    let (state, seal) = sealed.split_once('.').ok_or_else(refused)?;
    let seal = blake3::Hash::from_hex(seal).map_err(|_| refused())?;
    (blake3::keyed_hash(&key(), state.as_bytes()) == seal).then(|| state.to_owned()).ok_or_else(refused)
}
