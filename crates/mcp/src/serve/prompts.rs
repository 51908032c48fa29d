//! Prompts that a person can start in a client: each says what to do with the tools, and that a person decides.

use super::resources::{complete_folder, complete_path};
use crate::DoorSettings;
use crate::limits::secrets::Secrets;
use crate::wire::args::shown;
use engine::Desk;
use rmcp::model::{
    CompletionInfo, ErrorData, GetPromptResult, JsonObject, ListPromptsResult, Prompt, PromptArgument, PromptMessage,
    Role,
};
use serde_json::{Value, json};

/// How many declined changes are gone through at once.
const MAX_DECLINED: usize = 20;

/// Lists the prompts.
pub(crate) fn list() -> ListPromptsResult {
    let argument =
        |name: &str, about: &str| vec![PromptArgument::new(name).with_description(about).with_required(true)];
    ListPromptsResult::with_all_items(vec![
        Prompt::new(
            "fix_broken_links",
            Some("Find links that lead nowhere in a folder, and say what each was meant to be."),
            Some(argument("folder", "A folder of the vault")),
        )
        .with_title("Fix broken links"),
        Prompt::new("review_declined", Some("Learn from the changes that a person declined."), None)
            .with_title("Review declined changes"),
        Prompt::new(
            "tidy_headings",
            Some("Propose better titles for outdated headings of a note."),
            Some(argument("path", "The note's path in the vault")),
        )
        .with_title("Tidy headings"),
    ])
}

/// Writes a prompt out.
pub(crate) fn get(
    desk: &Desk,
    settings: &DoorSettings,
    name: &str,
    arguments: Option<&JsonObject>,
) -> Result<GetPromptResult, ErrorData> {
    let text = match name {
        "tidy_headings" => tidy_headings(&required(arguments, "path")?),
        "fix_broken_links" => fix_broken_links(&required(arguments, "folder")?),
        "review_declined" if !desk.may_use("get_operation") => {
            let message = "review_declined needs the tool get_operation, which the person has not given you";
            return Err(ErrorData::invalid_params(message, None));
        }
        "review_declined" => {
            let text = review_declined(desk);
            let secrets = if settings.redact_secrets { Secrets::of(&text) } else { Secrets::none() };
            secrets.hide(&text).text.into_owned()
        }
        _ => {
            let allowed = ["fix_broken_links", "review_declined", "tidy_headings"];
            let message = format!("unknown prompt: {}", shown(&json!(name)));
            return Err(ErrorData::invalid_params(message, Some(json!({"allowed": allowed}))));
        }
    };
    Ok(GetPromptResult::new(vec![PromptMessage::new_text(Role::User, text)]))
}

/// Suggests values for a prompt's argument.
pub(crate) fn complete(desk: &Desk, prompt: &str, argument: &str, typed: &str) -> CompletionInfo {
    match (prompt, argument) {
        ("tidy_headings", "path") => complete_path(desk, typed),
        ("fix_broken_links", "folder") => complete_folder(desk, typed),
        _ => CompletionInfo::default(),
    }
}

fn required(arguments: Option<&JsonObject>, name: &str) -> Result<String, ErrorData> {
    let problem = match arguments.and_then(|arguments| arguments.get(name)) {
        Some(Value::String(value)) if !value.trim().is_empty() => return Ok(value.clone()),
        None | Some(Value::Null) => "is required".to_owned(),
        Some(other) => format!("must be a string that is not empty, not {}", shown(other)),
    };
    Err(ErrorData::invalid_params(format!("wrong argument: `{name}` {problem}"), None))
}

fn tidy_headings(path: &str) -> String {
    format!(
        "Look over the headings of the note {path:?}.\n\
         1. Read it with get_note (format map for the headings, format full for the text).\n\
         2. Find H2-H6 titles that are outdated, unclear or no longer fit the text below them. Leave the others alone, and leave the H1 to me.\n\
         3. For each, call rename_note_section with what the map's `select` holds, the note's content_hash as expected_hash, a request_id of your own and a short reason. One call for each title.\n\
         4. Tell me what you proposed, and what you left and why. I decide about each proposal in Vidimus; do not call anything done that is not committed."
    )
}

fn fix_broken_links(folder: &str) -> String {
    format!(
        "Find links that lead nowhere in the notes of the folder {folder:?}.\n\
         1. List the notes with list_notes (page through all of them).\n\
         2. Read each with get_note and resolve_links; `unresolved_links` holds the targets that are not in the vault.\n\
         3. For each target look for the note that was meant: get_note with title, then search_text.\n\
         4. Tell me, note by note, which link is broken, what you think was meant and how sure you are. Change nothing without a proposal that I can decide on in Vidimus."
    )
}

fn review_declined(desk: &Desk) -> String {
    let declined = desk.own_declined(MAX_DECLINED);
    if declined.is_empty() {
        return "I have declined none of your changes yet. Say so, and do nothing else.".to_owned();
    }
    let lines: String = declined
        .iter()
        .map(|view| {
            let item = json!({
                "operation_id": view.id, "kind": view.kind, "rel_path": view.path, "heading": view.summary.old_heading,
                "new_heading": view.summary.new_heading, "reason": view.reason, "comment": view.comment,
            });
            format!("{item}\n")
        })
        .collect();
    format!(
        "These are changes that you proposed and I declined, newest first, one JSON object a line; `comment` is my word on it:\n\
         {lines}\
         Say briefly what I seem to want and not to want, and what you will do otherwise. Where a comment asks for a different change, read the note again and propose that one, with a new request_id. Do not repeat what was declined."
    )
}
