//! The properties above the text of an editor.

use super::{Answer, ask};
use engine::{PropertyChange, PropertyEdit, PropertyRows};
use tauri::WebviewWindow;

commands! {
    /// Reads the properties of a text; only its beginning is needed.
    property_rows(page, text: String) -> PropertyRows { ask(page, move |engine| Ok(engine.view().property_rows(&text))) }
    /// Works out what a change of a property means for a text, as edits.
    change_property(page, text: String, change: PropertyChange) -> PropertyEdit {
        ask(page, move |engine| Ok(engine.view().change_property(&text, &change)?))
    }
}
