//! The icon in the tray, seen by a tray of our own: what it says, what its menu does, and what closing the window means.

use crate::steps::{let_agent_in, open_note};
use anyhow::Context;
use it::{Agent, Bench, Window, until};
use serde_json::json;
use std::collections::HashMap;
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex};
use zbus::blocking::{Connection, Proxy, connection::Builder};
use zbus::zvariant::{OwnedObjectPath, OwnedValue, Value};

const NOTES: &str = "\
//- /June.md
# June

## Old plans

Go.
";

/// What a desktop's panel offers to programs, as far as one icon needs it.
#[derive(Default, Clone)]
struct Panel(Arc<Mutex<Vec<(String, String)>>>);

#[zbus::interface(name = "org.kde.StatusNotifierWatcher")]
impl Panel {
    fn register_status_notifier_item(&self, item: String, #[zbus(header)] header: zbus::message::Header<'_>) {
        let sender = header.sender().map(ToString::to_string).unwrap_or_default();
        self.0.lock().unwrap().push((sender, item));
    }

    fn register_status_notifier_host(&self, _host: String) {}

    #[zbus(property)]
    fn is_status_notifier_host_registered(&self) -> bool {
        true
    }

    #[zbus(property)]
    fn registered_status_notifier_items(&self) -> Vec<String> {
        Vec::new()
    }

    #[zbus(property)]
    fn protocol_version(&self) -> i32 {
        0
    }
}

/// One entry of a menu, with those below it.
type Layout = (i32, HashMap<String, OwnedValue>, Vec<OwnedValue>);

/// A desktop with a tray, and the icon that the program put there.
struct Desktop {
    bus: Connection,
    panel: Panel,
}

impl Desktop {
    fn on(window: &Window) -> anyhow::Result<Desktop> {
        let panel = Panel::default();
        let bus = Builder::address(window.bus()?.as_str())?
            .serve_at("/StatusNotifierWatcher", panel.clone())?
            .name("org.kde.StatusNotifierWatcher")?
            .build()?;
        Ok(Desktop { bus, panel })
    }

    fn item(&self) -> anyhow::Result<Proxy<'static>> {
        let items = self.panel.0.lock().unwrap().clone();
        let (sender, path) = items.last().cloned().context("an icon is there")?;
        Ok(Proxy::new(&self.bus, sender, path, "org.kde.StatusNotifierItem")?)
    }

    fn label(&self) -> anyhow::Result<String> {
        Ok(self.item()?.get_property("XAyatanaLabel")?)
    }

    fn menu(&self) -> anyhow::Result<Proxy<'static>> {
        let item = self.item()?;
        let path: OwnedObjectPath = item.get_property("Menu")?;
        Ok(Proxy::new(&self.bus, item.destination().to_owned(), path, "com.canonical.dbusmenu")?)
    }

    /// Lists the entries by what they say, with their number and whether they can be chosen.
    fn entries(&self) -> anyhow::Result<Vec<(String, i32, bool)>> {
        let (_, (_, _, below)): (u32, Layout) = self.menu()?.call("GetLayout", &(0, -1, Vec::<String>::new()))?;
        let mut entries = Vec::new();
        for entry in below {
            let (id, says, _) = Layout::try_from(entry)?;
            let text = says.get("label").and_then(|label| <&str>::try_from(label).ok()).unwrap_or_default();
            let enabled = says.get("enabled").is_none_or(|enabled| bool::try_from(enabled).unwrap_or(true));
            entries.push((text.replace('_', ""), id, enabled));
        }
        Ok(entries)
    }

    fn choose(&self, wanted: &str) -> anyhow::Result<()> {
        let entries = self.entries()?;
        let (_, id, _) =
            entries.iter().find(|(text, ..)| text == wanted).with_context(|| format!("{wanted} in {entries:?}"))?;
        Ok(self.menu()?.call("Event", &(*id, "clicked", Value::from(0_i32), 0_u32))?)
    }
}

/// The windows that the manager of the display shows.
fn is_shown(window: &Window) -> bool {
    let listed = Command::new("xprop").args(["-display", &window.display.name, "-root", "_NET_CLIENT_LIST"]).output();
    listed.is_ok_and(|listed| String::from_utf8_lossy(&listed.stdout).contains("0x"))
}

async fn say(what: &str, is_so: impl Fn() -> anyhow::Result<bool>) -> anyhow::Result<()> {
    until(what, || async { Ok(is_so().unwrap_or(false).then_some(())) }).await
}

#[tokio::test(flavor = "multi_thread")]
async fn the_icon_says_what_waits_and_keeps_a_closed_window() -> anyhow::Result<()> {
    let bench = Bench::new(NOTES);
    let window = Window::open(&bench, &[bench.vault().to_str().context("a plain path")?]).await?;
    open_note(&window, "June").await?;
    let desktop = Desktop::on(&window)?;
    say("an icon is in the tray", || Ok(desktop.entries()?.len() >= 5)).await?;
    let texts = || anyhow::Ok(desktop.entries()?.into_iter().map(|(text, ..)| text).collect::<Vec<_>>());
    assert_eq!(texts()?, ["Open Vidimus", "Nothing to review", "Agents", "", "Quit"]);

    let (url, token) = let_agent_in(&window, "Claude").await?;
    let agent = Agent::http(&url, &token).await?;
    let hash = agent.hash("June.md").await?;
    let arguments =
        json!({ "rel_path": "June.md", "heading": "Old plans", "new_heading": "Plans", "expected_hash": hash });
    assert!(!agent.call("rename_note_section", arguments).await?.is_error);
    say("the icon says that one waits", || Ok(desktop.label()? == "1")).await?;
    say("the menu says it, too", || Ok(desktop.entries()?.iter().any(|one| one.0 == "Review 1 proposal" && one.2)))
        .await?;
    desktop.choose("Review 1 proposal")?;
    window.find("section.review").await?;

    desktop.choose("Agents")?;
    window.text_has("header", "Agents off").await?;

    // Closing hides the window, and it comes back by the icon and by another start.
    let keep = "const { invoke } = window.__TAURI_INTERNALS__; invoke('settings_get').then((now) => \
                invoke('settings_set', { settings: { ...now, close_to_tray: true } })).then(() => invoke('close_window')); return null";
    window.script(keep).await?;
    say("the window is hidden", || Ok(!is_shown(&window))).await?;
    desktop.choose("Open Vidimus")?;
    say("the window is back", || Ok(is_shown(&window))).await?;
    window.script("window.__TAURI_INTERNALS__.invoke('close_window'); return null").await?;
    say("the window is hidden", || Ok(!is_shown(&window))).await?;
    window.second(&bench, &[])?.stdout(Stdio::null()).stderr(Stdio::null()).status()?;
    say("the window is back", || Ok(is_shown(&window))).await?;

    desktop.choose("Quit")?;
    say("the program has ended", || Ok(!is_shown(&window) && desktop.label().is_err())).await?;
    window.close().await
}
