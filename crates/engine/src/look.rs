//! What Obsidian keeps of a vault's looks and keys, read as it stands and never written.

use crate::View;
use note::css;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// A larger stylesheet is a theme, not a snippet.
const LARGEST: usize = 512 * 1024;
/// More than anybody has.
const MOST: usize = 500;

/// What of a vault's looks can be honored here.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct Look {
    /// Absent: the system says.
    pub theme: Option<VaultTheme>,
    /// `#rrggbb`.
    pub accent: Option<String>,
    /// Pixels of a note's text.
    pub font_size: Option<u8>,
    /// Names in quotes, with commas between them; empty for the program's own.
    pub interface_font: String,
    pub text_font: String,
    pub monospace_font: String,
    /// All that are there, by name.
    pub snippets: Vec<Snippet>,
    /// A theme of the community, which is not honored.
    pub community_theme: Option<String>,
}

/// Light or dark.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub enum VaultTheme {
    Light,
    Dark,
}

/// A stylesheet of the vault.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct Snippet {
    /// Without `.css`.
    pub name: String,
    /// Whether the vault's own settings turn it on.
    pub enabled: bool,
    /// What it says about notes, made harmless; empty if nothing of it can be used.
    pub css: String,
}

/// The keys that a vault gives to one of Obsidian's commands, in place of the usual ones.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct Hotkey {
    /// As Obsidian names it: `editor:toggle-bold`.
    pub command: String,
    /// `Mod-Shift-b`; none takes the usual key away.
    pub keys: Vec<String>,
}

impl View {
    /// Reads the vault's looks. What is missing, or not as Obsidian writes it, is as if it were not there.
    pub fn look(&self) -> Look {
        let kept = self.kept_in("appearance.json");
        let text = |name: &str| kept.get(name).and_then(Value::as_str).filter(|text| !text.is_empty());
        let font = |name: &str| text(name).map(css::font_list).unwrap_or_default();
        let size = kept.get("baseFontSize").and_then(Value::as_f64).map(f64::round);
        Look {
            theme: match text("theme") {
                Some("obsidian") => Some(VaultTheme::Dark),
                Some("moonstone") => Some(VaultTheme::Light),
                _ => None,
            },
            accent: text("accentColor").filter(|color| is_color(color)).map(str::to_ascii_lowercase),
            // The range that Obsidian's own slider has.
            font_size: (10_u8..=30).find(|pixels| size == Some(f64::from(*pixels))),
            interface_font: font("interfaceFontFamily"),
            text_font: font("textFontFamily"),
            monospace_font: font("monospaceFontFamily"),
            snippets: self.snippets(&kept),
            community_theme: text("cssTheme").map(str::to_owned),
        }
    }

    fn snippets(&self, kept: &Map<String, Value>) -> Vec<Snippet> {
        let enabled = kept.get("enabledCssSnippets").and_then(Value::as_array).cloned().unwrap_or_default();
        let listed = self.reader.list_config("snippets");
        let names = listed.iter().filter_map(|file| file.strip_suffix(".css")).take(MOST);
        let read = |name: &str| {
            let bytes = self.reader.read_config(&format!("snippets/{name}.css"))?;
            (bytes.len() <= LARGEST).then(|| css::contained(&String::from_utf8_lossy(&bytes)))
        };
        names
            .map(|name| Snippet {
                name: name.to_owned(),
                enabled: enabled.iter().any(|one| one == name),
                css: read(name).unwrap_or_default(),
            })
            .collect()
    }

    /// Reads the keys that the vault gives to commands. One that would take a plain letter away from typing is left out.
    pub fn hotkeys(&self) -> Vec<Hotkey> {
        let kept = self.kept_in("hotkeys.json");
        let keys = |bindings: &Value| {
            let bindings = bindings.as_array()?;
            let keys: Vec<String> = bindings.iter().filter_map(key).collect();
            // An empty list takes the key away; one of which nothing was understood says nothing.
            (bindings.is_empty() || !keys.is_empty()).then_some(keys)
        };
        let read = kept
            .iter()
            .take(MOST * 4)
            .filter_map(|(command, bindings)| keys(bindings).map(|keys| Hotkey { command: command.clone(), keys }));
        read.collect()
    }

    fn kept_in(&self, name: &str) -> Map<String, Value> {
        let bytes = self.reader.read_config(name);
        bytes.and_then(|bytes| serde_json::from_slice(&bytes).ok()).unwrap_or_default()
    }
}

fn is_color(text: &str) -> bool {
    text.len() == 7 && text.starts_with('#') && text[1..].bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Writes a key of Obsidian's as this program does.
fn key(binding: &Value) -> Option<String> {
    let pressed = binding.get("key")?.as_str()?;
    let held: Vec<&str> = binding.get("modifiers")?.as_array()?.iter().filter_map(Value::as_str).collect();
    let is_function = pressed.strip_prefix('F').is_some_and(|n| n.parse::<u8>().is_ok_and(|n| (1..=24).contains(&n)));
    let has_power = held.iter().any(|name| ["Mod", "Ctrl", "Meta", "Alt"].contains(name));
    let is_key = !pressed.is_empty() && pressed.len() <= 16 && !pressed.contains(char::is_control);
    if !is_key || !(is_function || has_power) {
        return None;
    }
    let pressed = match pressed {
        "Space" => " ".to_owned(),
        one if one.chars().count() == 1 => one.to_lowercase(),
        named => named.to_owned(),
    };
    let order = ["Mod", "Ctrl", "Meta", "Alt", "Shift"];
    let held: String = order.iter().filter(|name| held.contains(name)).map(|name| format!("{name}-")).collect();
    Some(format!("{held}{pressed}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Engine, Event, OpenVault};
    use expect_test::{Expect, expect};
    use std::path::Path;
    use std::time::Duration;

    fn open(root: &Path, files: &[(&str, &str)]) -> Engine {
        for (path, text) in files {
            let file = root.join("v/.obsidian").join(path);
            std::fs::create_dir_all(file.parent().unwrap()).unwrap();
            std::fs::write(file, text).unwrap();
        }
        std::fs::create_dir_all(root.join("v")).unwrap();
        let (state, name) = (root.join("state"), "v".to_owned());
        let open = OpenVault { root: root.join("v"), state, name, vault_key: "k".to_owned(), system_trash: None };
        Engine::open(open).unwrap()
    }

    #[test]
    fn what_obsidian_keeps_of_its_looks_is_read() {
        let dir = tempfile::tempdir().unwrap();
        let appearance = r##"{"theme": "obsidian", "accentColor": "#A1B2C3", "baseFontSize": 18, "cssTheme": "Minimal",
            "textFontFamily": "Charter, serif; x", "enabledCssSnippets": ["wide", "gone"], "translucency": true}"##;
        let files = [
            ("appearance.json", appearance),
            ("snippets/wide.css", "p { width: 90%; background: url(http://x.example) }"),
            ("snippets/off.css", "body { --h1-color: red }"),
            ("snippets/note.txt", "x"),
        ];
        let engine = open(dir.path(), &files);
        let look = engine.view().look();
        let wide = "@scope (.vault-look) {\n:scope p { width: 90%; }\n}\n".to_owned();
        let off = "@scope (.vault-look) {\n:scope { --h1-color: red; }\n}\n".to_owned();
        let wanted = Look {
            theme: Some(VaultTheme::Dark),
            accent: Some("#a1b2c3".to_owned()),
            font_size: Some(18),
            interface_font: String::new(),
            text_font: "\"Charter\", \"serif x\"".to_owned(),
            monospace_font: String::new(),
            snippets: vec![
                Snippet { name: "off".to_owned(), enabled: false, css: off },
                Snippet { name: "wide".to_owned(), enabled: true, css: wide },
            ],
            community_theme: Some("Minimal".to_owned()),
        };
        assert_eq!(look, wanted);
        engine.close();
    }

    #[test]
    fn what_is_strange_is_as_if_it_were_not_there() {
        for text in
            ["", "[]", "{", r#"{"theme": 1, "accentColor": "red", "baseFontSize": 900, "enabledCssSnippets": "x"}"#]
        {
            let dir = tempfile::tempdir().unwrap();
            let engine = open(dir.path(), &[("appearance.json", text), ("hotkeys.json", text)]);
            assert_eq!(engine.view().look(), Look::default(), "{text}");
            engine.close();
        }
        let dir = tempfile::tempdir().unwrap();
        let engine = open(dir.path(), &[]);
        assert_eq!((engine.view().look(), engine.view().hotkeys()), (Look::default(), Vec::new()));
        engine.close();
    }

    fn check(hotkeys: &str, read: Expect) {
        let dir = tempfile::tempdir().unwrap();
        let engine = open(dir.path(), &[("hotkeys.json", hotkeys)]);
        let lines = engine.view().hotkeys().into_iter().map(|one| format!("{} = {}", one.command, one.keys.join(" ")));
        read.assert_eq(&lines.collect::<Vec<_>>().join("\n"));
        engine.close();
    }

    #[test]
    fn keys_are_read_as_this_program_writes_them() {
        check(
            r#"{"editor:toggle-bold": [{"modifiers": ["Shift", "Mod"], "key": "B"}, {"modifiers": ["Alt"], "key": "ArrowLeft"}],
                "app:go-back": [], "switcher:open": [{"modifiers": [], "key": "F2"}], "a": [{"modifiers": ["Ctrl"], "key": "Space"}],
                "minus": [{"modifiers": ["Mod"], "key": "-"}]}"#,
            expect![[r#"
                editor:toggle-bold = Mod-Shift-b Alt-ArrowLeft
                app:go-back = 
                switcher:open = F2
                a = Ctrl- 
                minus = Mod--"#]],
        );
        // Typing and leaving stay what they are.
        check(
            r#"{"a": [{"modifiers": [], "key": "x"}], "b": [{"modifiers": ["Shift"], "key": "X"}], "c": [{"modifiers": [], "key": "Escape"}],
                "d": [{"key": "F1"}], "e": "x", "f": [{"modifiers": ["Mod"], "key": ""}]}"#,
            expect![""],
        );
    }

    #[test]
    fn a_change_by_another_program_is_told() {
        let dir = tempfile::tempdir().unwrap();
        let engine = open(dir.path(), &[("appearance.json", "{}")]);
        assert!(engine.wait_indexed(Duration::from_secs(20)));
        let events = engine.subscribe();
        std::fs::write(dir.path().join("v/.obsidian/appearance.json"), r#"{"theme": "moonstone"}"#).unwrap();
        let told = std::iter::from_fn(|| events.recv_timeout(Duration::from_secs(20)).ok());
        assert!(told.into_iter().any(|event| event == Event::LookChanged));
        assert_eq!(engine.view().look().theme, Some(VaultTheme::Light));
        engine.close();
    }
}
