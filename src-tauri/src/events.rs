//! What the window is told. Facts only: the page asks again for what it shows.

use crate::{notify, tray};
use engine::{Event, HealthNotice, NoteChange, OpState};
use headless::report;
use serde::{Deserialize, Serialize};
use std::sync::mpsc::Receiver;
use tauri::{AppHandle, Runtime};
use tauri_specta::Event as _;

/// Notes or other files appeared, changed or vanished.
#[derive(Debug, Clone, Serialize, Deserialize, specta::Type, tauri_specta::Event)]
#[tauri_specta(event_name = "notes_changed")]
pub struct NotesChanged {
    pub changed: Vec<NoteChange>,
    pub generation: u32,
}

/// An operation was proposed or moved on.
#[derive(Debug, Clone, Serialize, Deserialize, specta::Type, tauri_specta::Event)]
#[tauri_specta(event_name = "operation_changed")]
pub struct OperationChanged {
    pub id: String,
    pub state: OpState,
}

/// The index is being built or brought up to date; `done == total` is the end.
#[derive(Debug, Clone, Serialize, Deserialize, specta::Type, tauri_specta::Event)]
#[tauri_specta(event_name = "indexing")]
pub struct Indexing {
    pub done: u32,
    pub total: u32,
}

/// What a person should know about this vault, whole.
#[derive(Debug, Clone, Serialize, Deserialize, specta::Type, tauri_specta::Event)]
#[tauri_specta(event_name = "health")]
pub struct Health {
    pub notices: Vec<HealthNotice>,
}

/// What the vault's own settings say of its looks or keys changed: `look` and `hotkeys` tell all of it.
#[derive(Debug, Clone, Serialize, Deserialize, specta::Type, tauri_specta::Event)]
#[tauri_specta(event_name = "look_changed")]
pub struct LookChanged;

/// Somebody is about to read a note whose text has not been saved yet: save it now.
#[derive(Debug, Clone, Serialize, Deserialize, specta::Type, tauri_specta::Event)]
#[tauri_specta(event_name = "flush_wanted")]
pub struct FlushWanted {
    pub path: String,
}

/// The switch, an agent or what agents did changed; `agents` tells all of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, specta::Type, tauri_specta::Event)]
#[tauri_specta(event_name = "agents_changed")]
pub struct AgentsChanged {
    pub on: bool,
    pub n_connected: u32,
    /// Whether an agent may change something in this vault without the person being asked.
    pub writes_allowed: bool,
}

/// The person changed the settings in another window.
#[derive(Debug, Clone, Serialize, Deserialize, specta::Type, tauri_specta::Event)]
#[tauri_specta(event_name = "settings_changed")]
pub struct SettingsChanged;

/// A vault was opened without the page having asked, or could not be: `app_state` tells which.
#[derive(Debug, Clone, Serialize, Deserialize, specta::Type, tauri_specta::Event)]
#[tauri_specta(event_name = "vault_opened")]
pub struct VaultOpened {
    pub path: String,
}

/// A link was followed: `followed_link` tells where to.
#[derive(Debug, Clone, Serialize, Deserialize, specta::Type, tauri_specta::Event)]
#[tauri_specta(event_name = "link_followed")]
pub struct LinkFollowed;

/// Something went wrong in the program or in a page, and was taken down: `reports` lists it.
#[derive(Debug, Clone, Serialize, Deserialize, specta::Type, tauri_specta::Event)]
#[tauri_specta(event_name = "reports_changed")]
pub struct ReportsChanged;

/// The person chose a command in the menu bar.
#[derive(Debug, Clone, Serialize, Deserialize, specta::Type, tauri_specta::Event)]
#[tauri_specta(event_name = "command_wanted")]
pub struct CommandWanted {
    pub id: String,
}

/// The person wants to see the review, and said so outside of the window.
#[derive(Debug, Clone, Serialize, Deserialize, specta::Type, tauri_specta::Event)]
#[tauri_specta(event_name = "review_wanted")]
pub struct ReviewWanted;

/// The person wants to close the window: save everything, then call `close_window`, or
/// `keep_window` where some text could not be saved. Without an answer the window closes after a moment.
#[derive(Debug, Clone, Serialize, Deserialize, specta::Type, tauri_specta::Event)]
#[tauri_specta(event_name = "close_requested")]
pub struct CloseRequested;

/// Tells every window of each report, for as long as the program runs.
pub fn forward_reports<R: Runtime>(app: AppHandle<R>) {
    let Some(written) = report::heard() else { return };
    // Whoever panics holds what it holds; another thread tells of it.
    let told = move || written.into_iter().for_each(|()| drop(ReportsChanged.emit(&app)));
    let _ = std::thread::Builder::new().name("vidimus-reports".into()).spawn(told);
}

/// Tells a window what its engine tells, until the engine is closed.
pub fn forward<R: Runtime>(events: Receiver<Event>, app: AppHandle<R>, window: String) {
    let window = window.as_str();
    for event in events {
        // A window that is gone hears nothing; the next one asks for everything.
        let _ = match event {
            Event::NotesChanged { changed, generation } => NotesChanged { changed, generation }.emit_to(&app, window),
            Event::OperationChanged { id, state } => {
                if state == OpState::Proposed {
                    notify::of_proposal(&app, window, &id);
                }
                tray::refresh(&app);
                OperationChanged { id, state }.emit_to(&app, window)
            }
            Event::Indexing { done, total } => Indexing { done, total }.emit_to(&app, window),
            Event::Health { notices } => Health { notices }.emit_to(&app, window),
            Event::LookChanged => LookChanged.emit_to(&app, window),
            Event::FlushWanted { path } => FlushWanted { path }.emit_to(&app, window),
        };
    }
}
