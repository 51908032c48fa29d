//! The properties above the text of an editor.

use super::{Answer, ask};
use engine::{PropertyChange, PropertyEdit, PropertyRows};
use tauri::AppHandle;

commands! {
    /// Reads the properties of a text; only its beginning is needed.
    property_rows(app, text: String) -> PropertyRows { ask(app, move |engine| Ok(engine.view().property_rows(&text))) }
    /// Works out what a change of a property means for a text, as edits.
    change_property(app, text: String, change: PropertyChange) -> PropertyEdit {
        ask(app, move |engine| Ok(engine.view().change_property(&text, &change)?))
    }
}
