//! How the person likes the window.

use crate::store::{Store, StoreError};
use serde::{Deserialize, Serialize};

const FILE: &str = "settings.json";

/// What the settings page shows. Unknown fields of a newer version are dropped, missing ones take their default.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, specta::Type)]
#[serde(default)]
pub struct Settings {
    pub theme: Theme,
    /// Pixels of the note's text.
    pub font_size: u8,
    pub line_width: LineWidth,
    pub default_mode: Mode,
    pub show_line_numbers: bool,
    pub spellcheck: bool,
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
        }
    }
}

/// Reads the settings; whoever never changed one has the defaults.
pub fn load(store: &Store) -> Result<Settings, StoreError> {
    store.read(FILE)
}

/// Keeps the settings, brought into the range that the window can show.
pub fn keep(store: &Store, mut settings: Settings) -> Result<Settings, StoreError> {
    settings.font_size = settings.font_size.clamp(10, 32);
    store.update(FILE, |kept: &mut Settings| *kept = settings.clone())?;
    Ok(settings)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_of_another_version_are_read() {
        let read: Settings = serde_json::from_str(r#"{"theme":"dark","later":true}"#).unwrap();
        assert_eq!(read, Settings { theme: Theme::Dark, ..Settings::default() });
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
