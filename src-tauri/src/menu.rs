//! The menu bar of macOS. What stands in it is the page's: names, keys and what can be done now come from its one list of
//! commands, and what is chosen goes back there. Elsewhere there is no menu bar.

use crate::events::CommandWanted;
use crate::window;
use serde::{Deserialize, Serialize};
use tauri::menu::{
    AboutMetadata, HELP_SUBMENU_ID, IsMenuItem, Menu, MenuItem, PredefinedMenuItem, Submenu, WINDOW_SUBMENU_ID,
};
use tauri::{AppHandle, Manager, Runtime};
use tauri_specta::Event as _;

/// Sets the entries of commands apart from those of the tray, which one handler of the system hears, too.
const COMMAND: &str = "command:";

/// One menu of the bar; the first is the program's own.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, specta::Type)]
pub struct BarMenu {
    pub title: String,
    pub entries: Vec<BarEntry>,
}

/// An entry of a menu.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, specta::Type)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum BarEntry {
    Line,
    /// What the system does itself, by its own name and key.
    Role {
        role: Role,
    },
    Command {
        id: String,
        title: String,
        /// As the page writes it: `Mod-Shift-o`.
        key: Option<String>,
        enabled: bool,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, specta::Type)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    About,
    Services,
    Hide,
    HideOthers,
    ShowAll,
    Undo,
    Redo,
    Cut,
    Copy,
    Paste,
    SelectAll,
    Minimize,
    Zoom,
    Fullscreen,
    BringAllToFront,
}

/// Shows the page's menus, where there is a menu bar.
pub fn show<R: Runtime>(app: &AppHandle<R>, menus: Vec<BarMenu>) {
    if !cfg!(target_os = "macos") {
        return;
    }
    let told = app.clone();
    // Menus belong to the window's thread. One that cannot be made leaves the old one.
    let _ = app.run_on_main_thread(move || {
        let _ = make(&told, &menus).and_then(|menu| told.set_menu(menu));
    });
}

/// Shows what stands in the bar until the page has said more, and hands what is chosen to the page.
pub fn start<R: Runtime>(app: &AppHandle<R>) {
    if !cfg!(target_os = "macos") {
        return;
    }
    show(app, bare());
    app.on_menu_event(|app, event| {
        let Some(id) = event.id().as_ref().strip_prefix(COMMAND) else { return };
        let looked_at = window::looked_at(app);
        // A page that does not answer must not keep the person from leaving.
        if id == QUIT && app.get_webview_window(&looked_at).is_none() {
            return window::quit(app);
        }
        let _ = CommandWanted { id: id.to_owned() }.emit_to(app, looked_at.as_str());
    });
}

const QUIT: &str = "quit";

fn bare() -> Vec<BarMenu> {
    let role = |role| BarEntry::Role { role };
    let quit = BarEntry::Command {
        id: QUIT.to_owned(),
        title: "Quit Vidimus".to_owned(),
        key: Some("Mod-q".to_owned()),
        enabled: true,
    };
    vec![BarMenu {
        title: "Vidimus".to_owned(),
        entries: vec![role(Role::About), BarEntry::Line, role(Role::Hide), quit],
    }]
}

fn make<R: Runtime>(app: &AppHandle<R>, menus: &[BarMenu]) -> tauri::Result<Menu<R>> {
    let bar = Menu::new(app)?;
    for menu in menus {
        let made = match menu.title.as_str() {
            "Window" => Submenu::with_id(app, WINDOW_SUBMENU_ID, &menu.title, true)?,
            "Help" => Submenu::with_id(app, HELP_SUBMENU_ID, &menu.title, true)?,
            title => Submenu::new(app, title, true)?,
        };
        for entry in &menu.entries {
            made.append(&*item(app, entry)?)?;
        }
        bar.append(&made)?;
    }
    Ok(bar)
}

fn item<R: Runtime>(app: &AppHandle<R>, entry: &BarEntry) -> tauri::Result<Box<dyn IsMenuItem<R>>> {
    Ok(match entry {
        BarEntry::Line => Box::new(PredefinedMenuItem::separator(app)?),
        BarEntry::Role { role } => Box::new(of_system(app, *role)?),
        BarEntry::Command { id, title, key, enabled } => {
            let id = format!("{COMMAND}{id}");
            let keyed = key.as_deref().map(accelerator);
            // A key that only the page knows is no reason to be without the entry.
            Box::new(
                MenuItem::with_id(app, &id, title, *enabled, keyed.as_deref())
                    .or_else(|_| MenuItem::with_id(app, &id, title, *enabled, None::<&str>))?,
            )
        }
    })
}

fn of_system<R: Runtime>(app: &AppHandle<R>, role: Role) -> tauri::Result<PredefinedMenuItem<R>> {
    match role {
        Role::About => {
            let about = AboutMetadata {
                name: Some("Vidimus".to_owned()),
                version: Some(env!("CARGO_PKG_VERSION").to_owned()),
                license: Some("MIT or Apache-2.0".to_owned()),
                icon: app.default_window_icon().cloned(),
                ..AboutMetadata::default()
            };
            PredefinedMenuItem::about(app, None, Some(about))
        }
        Role::Services => PredefinedMenuItem::services(app, None),
        Role::Hide => PredefinedMenuItem::hide(app, None),
        Role::HideOthers => PredefinedMenuItem::hide_others(app, None),
        Role::ShowAll => PredefinedMenuItem::show_all(app, None),
        Role::Undo => PredefinedMenuItem::undo(app, None),
        Role::Redo => PredefinedMenuItem::redo(app, None),
        Role::Cut => PredefinedMenuItem::cut(app, None),
        Role::Copy => PredefinedMenuItem::copy(app, None),
        Role::Paste => PredefinedMenuItem::paste(app, None),
        Role::SelectAll => PredefinedMenuItem::select_all(app, None),
        Role::Minimize => PredefinedMenuItem::minimize(app, None),
        Role::Zoom => PredefinedMenuItem::maximize(app, None),
        Role::Fullscreen => PredefinedMenuItem::fullscreen(app, None),
        Role::BringAllToFront => PredefinedMenuItem::bring_all_to_front(app, None),
    }
}

/// Writes a key as the system's menus read it: `Mod-Shift-o` is `CmdOrCtrl+Shift+o`.
fn accelerator(key: &str) -> String {
    // The minus sign is a key, too.
    let (held, last) = match key.strip_suffix("--") {
        Some(held) => (held, "-"),
        None => key.rsplit_once('-').unwrap_or(("", key)),
    };
    let held =
        held.split('-').filter(|part| !part.is_empty()).map(|part| if part == "Mod" { "CmdOrCtrl" } else { part });
    held.chain([last]).collect::<Vec<_>>().join("+")
}

#[cfg(test)]
mod tests {
    use super::*;
    use muda::accelerator::Accelerator;
    use std::collections::BTreeMap;

    /// What the page's own test writes of its list of commands.
    const BAR: &str = include_str!("../../ui/src/state/menu_bar.json");

    fn keys(menus: &[BarMenu]) -> Vec<(&str, &str)> {
        let entries = menus.iter().flat_map(|menu| &menu.entries);
        let keyed = entries.filter_map(|entry| match entry {
            BarEntry::Command { title, key: Some(key), .. } => Some((title.as_str(), key.as_str())),
            _ => None,
        });
        keyed.collect()
    }

    #[test]
    fn every_key_of_the_page_is_one_of_the_systems_menus() {
        let menus: Vec<BarMenu> = serde_json::from_str(BAR).unwrap();
        for (title, key) in keys(&menus).into_iter().chain(keys(&bare())) {
            let written = accelerator(key);
            assert!(written.parse::<Accelerator>().is_ok(), "{title}: {key} is written {written}");
        }
    }

    #[test]
    fn no_key_means_two_things_and_none_is_the_systems() {
        let menus: Vec<BarMenu> = serde_json::from_str(BAR).unwrap();
        // Of the roles: cut, copy, paste, select all, undo, redo, hide, hide others, minimize, full screen.
        let system =
            ["Mod-x", "Mod-c", "Mod-v", "Mod-a", "Mod-z", "Mod-Shift-z", "Mod-h", "Mod-Alt-h", "Mod-m", "Mod-Ctrl-f"];
        let mut meant: BTreeMap<String, Vec<&str>> = BTreeMap::new();
        for (title, key) in keys(&menus).into_iter().chain(system.map(|key| ("the system", key))) {
            meant.entry(key.to_lowercase()).or_default().push(title);
        }
        meant.retain(|_, titles| titles.len() > 1);
        assert_eq!(meant, BTreeMap::new());
    }

    #[test]
    fn the_first_menus_are_there_before_the_page_and_say_the_same() {
        let menus: Vec<BarMenu> = serde_json::from_str(BAR).unwrap();
        for entry in &bare()[0].entries {
            assert!(menus[0].entries.contains(entry), "{entry:?}");
        }
        let titles: Vec<&str> = menus.iter().map(|menu| menu.title.as_str()).collect();
        assert_eq!(titles, ["Vidimus", "File", "Edit", "Format", "View", "Go", "Window", "Help"]);
    }

    #[test]
    fn keys_are_written_as_menus_read_them() {
        for (key, written) in [
            ("Mod-Shift-o", "CmdOrCtrl+Shift+o"),
            ("F6", "F6"),
            ("Mod--", "CmdOrCtrl+-"),
            ("Mod-,", "CmdOrCtrl+,"),
            ("Ctrl-Shift-Tab", "Ctrl+Shift+Tab"),
            ("Alt-ArrowLeft", "Alt+ArrowLeft"),
        ] {
            assert_eq!(accelerator(key), written);
        }
    }
}
