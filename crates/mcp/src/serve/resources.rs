//! Notes and operations as resources, for clients that let a person pick them. They show what the tools show, to those
//! who may use the tools.

use crate::DoorSettings;
use crate::limits::secrets::Secrets;
use crate::tools::{self, INDEX_WAIT, Remembered};
use crate::wire::args::shown;
use crate::wire::error::{Code, ToolError};
use engine::{Desk, NoteListItem};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};
use rmcp::model::{
    CompletionInfo, ErrorData, ListResourceTemplatesResult, ListResourcesResult, MetaObject, ReadResourceResult,
    Resource, ResourceContents, ResourceTemplate,
};
use serde_json::{Map, Value, json};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

const NOTE: &str = "vault://note/";
const OPERATION: &str = "vault://operation/";
/// The template whose variable can be completed.
pub(crate) const NOTE_TEMPLATE: &str = "vault://note/{+path}";
/// How many resources one page lists.
const PAGE: usize = 200;
/// What a path keeps of its own in a URI.
const IN_PATH: &AsciiSet = &NON_ALPHANUMERIC.remove(b'/').remove(b'-').remove(b'_').remove(b'.').remove(b'~');

/// Lists the notes of the vault, a page at a time.
pub(crate) fn list(
    desk: &Desk,
    settings: &DoorSettings,
    cursor: Option<&str>,
) -> Result<ListResourcesResult, ErrorData> {
    let start = match cursor {
        None => 0,
        Some(cursor) => cursor.strip_prefix("from-").and_then(|n| n.parse::<usize>().ok()).ok_or_else(|| {
            let message = format!("unknown cursor: {}; begin without one", shown(&json!(cursor)));
            ErrorData::invalid_params(message, None)
        })?,
    };
    let notes = notes(desk);
    let end = start.saturating_add(PAGE).min(notes.len());
    let resources = notes.get(start..end).unwrap_or_default().iter().map(|note| {
        let title =
            if settings.redact_secrets { Secrets::of(&note.title) } else { Secrets::none() }.hide(&note.title).text;
        Resource::new(note_uri(&note.path), &note.path).with_title(title).with_mime_type("text/markdown")
    });
    let mut page = ListResourcesResult::with_all_items(resources.collect());
    page.next_cursor = (end < notes.len()).then(|| format!("from-{end}"));
    Ok(page)
}

fn notes(desk: &Desk) -> Vec<NoteListItem> {
    if !desk.may_use("list_notes") {
        return Vec::new();
    }
    desk.wait_indexed(INDEX_WAIT);
    desk.view().notes()
}

/// Lists the two kinds of addresses.
pub(crate) fn templates() -> ListResourceTemplatesResult {
    ListResourceTemplatesResult::with_all_items(vec![
        ResourceTemplate::new(NOTE_TEMPLATE, "note")
            .with_title("A note")
            .with_description("The text of a note, between marks that say it is data.")
            .with_mime_type("text/markdown"),
        ResourceTemplate::new("vault://operation/{id}", "operation")
            .with_title("An operation")
            .with_description("What became of a proposed change.")
            .with_mime_type("application/json"),
    ])
}

/// Reads a note or an operation.
pub(crate) fn read(
    desk: &Desk,
    settings: &DoorSettings,
    remembered: &Arc<Remembered>,
    uri: &str,
) -> Result<ReadResourceResult, ErrorData> {
    let ask = |name: &str, arguments: Value| {
        let tool = tools::find(name).ok_or_else(|| ErrorData::internal_error("the tool is gone", None))?;
        tools::call(tool, desk, settings, remembered, arguments.as_object(), &AtomicBool::new(false))
            .map_err(|error| not_read(uri, &error))
    };
    let decoded = |text: &str| percent_decode_str(text).decode_utf8().map(|text| text.into_owned());
    let contents = if let Some(Ok(path)) = uri.strip_prefix(NOTE).map(decoded) {
        let mut note = ask("get_note", json!({"id_or_path": path, "limit": u32::MAX}))?;
        let text = note["content"].as_str().unwrap_or_default().to_owned();
        let mut meta = Map::new();
        for field in ["content_hash", "next_offset"] {
            meta.insert(format!("vidimus/{field}"), note[field].take());
        }
        ResourceContents::text(text, uri).with_mime_type("text/markdown").with_meta(MetaObject(meta))
    } else if let Some(Ok(id)) = uri.strip_prefix(OPERATION).map(decoded) {
        let status = ask("get_operation", json!({"operation_id": id}))?;
        ResourceContents::text(status.to_string(), uri).with_mime_type("application/json")
    } else {
        return Err(ErrorData::resource_not_found("no resource has this address", Some(json!({"uri": uri}))));
    };
    Ok(ReadResourceResult::new(vec![contents]))
}

/// Suggests note paths for what has been typed of one: those that begin with it, then those that hold it.
pub(crate) fn complete_path(desk: &Desk, typed: &str) -> CompletionInfo {
    let notes = notes(desk);
    complete(notes.iter().map(|note| note.path.as_str()), typed)
}

/// Suggests folders for what has been typed of one.
pub(crate) fn complete_folder(desk: &Desk, typed: &str) -> CompletionInfo {
    let folders = match desk.may_use("list_notes") {
        true => {
            desk.wait_indexed(INDEX_WAIT);
            desk.view().folders()
        }
        false => Vec::new(),
    };
    complete(folders.iter().map(String::as_str), typed)
}

fn complete<'a>(all: impl Iterator<Item = &'a str>, typed: &str) -> CompletionInfo {
    let wanted = note::fold(typed.trim());
    let mut found: Vec<(bool, &str)> = all
        .filter_map(|path| {
            let folded = note::fold(path);
            folded.contains(&wanted).then(|| (!folded.starts_with(&wanted), path))
        })
        .collect();
    found.sort_unstable();
    let total = u32::try_from(found.len()).ok();
    let more = found.len() > CompletionInfo::MAX_VALUES;
    let values = found.into_iter().take(CompletionInfo::MAX_VALUES).map(|(_, path)| path.to_owned()).collect();
    CompletionInfo::with_pagination(values, total, more).unwrap_or_default()
}

/// Returns a note's address.
pub(crate) fn note_uri(path: &str) -> String {
    format!("{NOTE}{}", utf8_percent_encode(path, IN_PATH))
}

/// Returns an operation's address.
pub(crate) fn operation_uri(id: &str) -> String {
    format!("{OPERATION}{id}")
}

/// Whether an address is one that this server may come to have something behind.
pub(crate) fn is_ours(uri: &str) -> bool {
    uri.starts_with(NOTE) || uri.starts_with(OPERATION)
}

fn not_read(uri: &str, error: &ToolError) -> ErrorData {
    let mut data = error.to_json();
    data["uri"] = json!(uri);
    match error.code {
        Code::Internal | Code::VaultBusy => ErrorData::internal_error(error.message.clone(), Some(data)),
        _ => ErrorData::resource_not_found(error.message.clone(), Some(data)),
    }
}
