//! How the person likes the window.

use crate::store::{Store, StoreError};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

const FILE: &str = "settings.json";

/// What the settings page shows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, specta::Type)]
pub struct Settings {
    pub theme: Theme,
    /// Pixels of the note's text.
    pub font_size: u8,
    pub line_width: LineWidth,
    pub default_mode: Mode,
    pub show_line_numbers: bool,
    pub spellcheck: bool,
    /// Whether the desktop tells of proposals while the window is not looked at.
    pub notify: bool,
    /// Whether the theme, colors, fonts, snippets and keys of the vault's own settings are honored.
    pub vault_look: bool,
    /// Whether an icon in the desktop's tray says how much waits.
    pub tray_icon: bool,
    /// Whether the program runs on in the tray when its window is closed.
    pub close_to_tray: bool,
}

/// Light, dark, or as the system says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, specta::Type)]
#[serde(rename_all = "snake_case")]
pub enum Theme {
    System,
    Light,
    Dark,
}

/// How wide a line of prose may get.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, specta::Type)]
#[serde(rename_all = "snake_case")]
pub enum LineWidth {
    Readable,
    Wide,
    Full,
}

/// How a note opens.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, specta::Type)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    Editing,
    Reading,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            theme: Theme::System,
            font_size: 16,
            line_width: LineWidth::Readable,
            default_mode: Mode::Editing,
            show_line_numbers: false,
            spellcheck: true,
            notify: true,
            vault_look: true,
            tray_icon: true,
            close_to_tray: false,
        }
    }
}

/// Reads the settings. What is missing, or unknown to this version, takes its default.
pub fn load(store: &Store) -> Result<Settings, StoreError> {
    Ok(complete(&store.read(FILE)?))
}

fn complete(kept: &Map<String, Value>) -> Settings {
    let mut settings = Settings::default();
    for (name, value) in kept {
        let mut whole = serde_json::to_value(&settings).unwrap_or_default();
        if let Some(field) = whole.get_mut(name) {
            *field = value.clone();
        }
        // One value that cannot be read does not cost the others.
        settings = serde_json::from_value(whole).unwrap_or(settings);
    }
    settings
}

/// Keeps the settings, brought into the range that the window can show.
pub fn keep(store: &Store, mut settings: Settings) -> Result<Settings, StoreError> {
    settings.font_size = settings.font_size.clamp(10, 32);
    if let Ok(Value::Object(fields)) = serde_json::to_value(&settings) {
        // Fields of a newer version stay where they are.
        store.update(FILE, |kept: &mut Map<String, Value>| kept.extend(fields))?;
    }
    Ok(settings)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_of_another_version_are_read() {
        let kept =
            serde_json::from_str(r#"{"theme":"dark","later":true,"line_width":"round","font_size":18}"#).unwrap();
        assert_eq!(complete(&kept), Settings { theme: Theme::Dark, font_size: 18, ..Settings::default() });
    }

    #[test]
    fn a_size_out_of_range_is_brought_back() {
        let root = tempfile::tempdir().unwrap();
        let store = Store::at(root.path().into(), root.path().into());
        let kept = keep(&store, Settings { font_size: 200, ..Settings::default() }).unwrap();
        assert_eq!(kept.font_size, 32);
        assert_eq!(load(&store).unwrap(), kept);
    }
}
