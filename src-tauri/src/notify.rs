//! Telling a person who looks elsewhere that something waits for them.

use crate::session;
use engine::{Actor, OpState, OperationView};
use headless::settings;
use tauri::{AppHandle, Manager, Runtime, UserAttentionType};
use tauri_plugin_notification::NotificationExt;

/// Tells of a proposal that was just made, unless the window is being looked at or the person wants no such words.
pub fn of_proposal<R: Runtime>(app: &AppHandle<R>, label: &str, id: &str) {
    let Some(window) = app.get_webview_window(label) else { return };
    if window.is_focused().unwrap_or(true) {
        return;
    }
    let Ok(session) = session::of(&window) else { return };
    let Ok(engine) = session.engine() else { return };
    let waiting: Vec<OperationView> =
        engine.operations().into_iter().filter(|operation| operation.state == OpState::Proposed).collect();
    let Some((title, body)) = words(&waiting, id) else { return };
    // Both may find nobody who listens, as where no desktop runs; the review shows what waits in any case.
    let _ = window.request_user_attention(Some(UserAttentionType::Informational));
    if settings::load(&session.store).is_ok_and(|settings| settings.notify) {
        let _ = app.notification().builder().title(title).body(body).show();
    }
}

/// Returns the words for a proposal; none if it no longer waits.
fn words(waiting: &[OperationView], id: &str) -> Option<(String, String)> {
    let new = waiting.iter().find(|operation| operation.id == id)?;
    let client = match &new.actor {
        Actor::Agent { client } => client.as_str(),
        _ => "Somebody",
    };
    let note = new.path.rsplit('/').next().unwrap_or(&new.path);
    let note = note.strip_suffix(".md").unwrap_or(note);
    let what = match (&new.summary.old_heading, &new.summary.new_heading) {
        (Some(old), Some(renamed)) if old != renamed => format!("{old} → {renamed}, in {note}"),
        _ => note.to_owned(),
    };
    Some(match waiting.len() {
        1 => (format!("{client} proposes a change"), what),
        n => (format!("{n} changes wait for you"), format!("{client}: {what}")),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine::{Engine, Intent, OpenVault, RelPath, Request, Writes};
    use std::time::Duration;

    #[test]
    fn who_proposes_what_is_said_and_how_much_waits() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().join("vault");
        std::fs::create_dir(&root).unwrap();
        let (state, name) = (dir.path().join("state"), "v".to_owned());
        let engine =
            Engine::open(OpenVault { root, state, name, vault_key: "k".to_owned(), system_trash: None }).unwrap();
        assert!(engine.wait_indexed(Duration::from_secs(20)));
        let desk = engine.desk("Claude", Writes::Review);
        let propose = |path: &str| {
            let intent = Intent::CreateNote { path: RelPath::new(path).unwrap(), text: "x\n".to_owned() };
            desk.propose(intent, Request::default()).unwrap().id.to_string()
        };
        let said = |id: &str| words(&engine.operations(), id);
        let text = |title: &str, body: &str| Some((title.to_owned(), body.to_owned()));
        let first = propose("deep/June.md");
        assert_eq!(said(&first), text("Claude proposes a change", "June"));
        let second = propose("July.md");
        assert_eq!(said(&second), text("2 changes wait for you", "Claude: July"));
        assert_eq!(said("gone"), None);
        engine.close();
    }
}
