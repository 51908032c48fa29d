//! What comes from the page as bytes rather than as JSON, and so has no place in the generated bindings.

use super::{Answer, ask};
use engine::AddedFile;
use headless::door;
use headless::fault::Fault;
use tauri::WebviewWindow;
use tauri::ipc::{InvokeBody, Request};

/// Puts a file into a note of the vault. Its bytes are the body; the headers `note` and `name` say the rest,
/// percent-encoded, for a header holds nothing but ASCII.
#[tauri::command]
pub async fn add_file(page: WebviewWindow, request: Request<'_>) -> Answer<AddedFile> {
    let (note, name) = (header(&request, "note")?, header(&request, "name")?);
    let bytes = match request.body() {
        InvokeBody::Raw(bytes) => bytes.clone(),
        // A web view that cannot send bytes sends the list of them.
        InvokeBody::Json(list) => serde_json::from_value(list.clone()).map_err(|_| no_file())?,
    };
    ask(page, move |engine| Ok(engine.add_file(&door::path(&note)?, &name, bytes)?)).await
}

fn header(request: &Request<'_>, name: &str) -> Result<String, Fault> {
    let value = request.headers().get(name).and_then(|value| value.to_str().ok());
    value.and_then(headless::link::decode).ok_or_else(no_file)
}

fn no_file() -> Fault {
    Fault::new("invalid_arguments", "the page sent no file that can be read", "drop or paste it again")
}
