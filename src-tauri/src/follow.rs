//! Following a link: its vault is opened if it is not, and the page is told what to show there.

use crate::events::LinkFollowed;
use crate::session;
use crate::window;
use engine::{Engine, RelPath};
use headless::fault::Fault;
use headless::link::{Link, Spot, VaultNamed};
use headless::vaults;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use std::time::Duration;
use tauri::{AppHandle, Runtime};
use tauri_specta::Event as _;

/// How long a vault that was just opened may take to know its notes.
const KNOWN: Duration = Duration::from_secs(30);

/// Where a link led.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, specta::Type)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Followed {
    /// To a file of the open vault.
    Place {
        path: String,
        /// From 1.
        line: Option<u32>,
        /// The heading or block that the note does not have.
        missing: Option<String>,
    },
    /// Nowhere.
    Refused { fault: Fault },
}

/// Follows a link that somebody pressed, in a window or outside of them, and leaves where it led for the page to fetch.
pub fn follow<R: Runtime>(app: &AppHandle<R>, from: Option<&str>, text: &str) {
    let here = from.map_or_else(|| window::looked_at(app), str::to_owned);
    match Link::read(text).map_err(Fault::from).and_then(|link| lead(app, &here, link)) {
        // The vault itself was meant.
        Ok((window, None)) => window::to_front(app, &window),
        Ok((window, Some(place))) => tell(app, &window, place),
        Err(fault) => refuse(app, &here, fault),
    }
}

/// Says in a window why what was asked for outside of it was not done.
pub fn refuse<R: Runtime>(app: &AppHandle<R>, window: &str, fault: Fault) {
    tell(app, window, Followed::Refused { fault });
}

fn tell<R: Runtime>(app: &AppHandle<R>, window: &str, followed: Followed) {
    let Some(session) = session::in_window(app, window) else { return };
    session.followed(followed);
    window::to_front(app, window);
    let _ = LinkFollowed.emit_to(app, window);
}

/// Finds the folder of the vault that a link means; none means the one of the window that it was pressed in.
///
/// # Errors
/// No vault of that name was ever opened here: a link opens no folder that the person has not.
pub fn vault_of<R: Runtime>(app: &AppHandle<R>, here: Option<&str>, link: &Link) -> Result<Option<PathBuf>, Fault> {
    let sessions = session::all(app);
    match &link.vault {
        VaultNamed::Open => Ok(None),
        VaultNamed::Name(name) => {
            let known = vaults::named(&sessions.store, name)?;
            // Of several with one name that of this window is meant, else one that is open, else the last one.
            let own = here.and_then(|window| sessions.get(window)?.engine().ok());
            let own = own.map(|engine| PathBuf::from(engine.info().root));
            let wanted = known.iter().find(|path| own.as_ref() == Some(*path));
            let wanted = wanted.or_else(|| known.iter().find(|path| sessions.holding(path).is_some()));
            let unknown = || no_vault(format!("no vault called `{name}` has been opened here"));
            Ok(Some(wanted.or(known.first()).cloned().ok_or_else(unknown)?))
        }
        VaultNamed::Around(file) => {
            let around = vaults::around(&sessions.store, file)?;
            let unknown = || no_vault(format!("no vault that has been opened here holds `{}`", file.display()));
            Ok(Some(around.ok_or_else(unknown)?))
        }
    }
}

fn no_vault(message: String) -> Fault {
    Fault::new("bad_link", message, "open the folder once, then follow the link again")
}

/// Brings the vault of a link to the front, and returns its window and where in it the link leads.
fn lead<R: Runtime>(app: &AppHandle<R>, here: &str, link: Link) -> Result<(String, Option<Followed>), Fault> {
    let window = match vault_of(app, Some(here), &link)? {
        Some(root) => window::bring(app, &root)?,
        None => here.to_owned(),
    };
    let session = session::in_window(app, &window).ok_or_else(Fault::no_vault)?;
    let engine = session.engine()?;
    let followed = match link.within(Path::new(&engine.info().root))? {
        Some(spot) => Some(place(&engine, &spot)?),
        None => None,
    };
    Ok((window, followed))
}

/// Finds a place in the open vault, as a link in a note at its root would.
fn place(engine: &Engine, spot: &Spot) -> Result<Followed, Fault> {
    engine.wait_indexed(KNOWN);
    let from = RelPath::new("link.md").map_err(|_| Fault::internal())?;
    let text = match &spot.heading {
        Some(heading) => format!("{}#{heading}", spot.file),
        None => spot.file.clone(),
    };
    let found = || engine.view().resolve_link(&from, &text);
    let target = found().or_else(|| {
        // It may have been written a moment ago.
        engine.catch_up();
        found()
    });
    let target = target.ok_or_else(|| {
        let name = engine.info().name;
        let hint = "it may have been moved or deleted; look for it by name";
        Fault::new("not_found", format!("`{}` is not in the vault `{name}`", spot.file), hint)
    })?;
    let missing = spot.heading.clone().filter(|_| target.line.is_none());
    Ok(Followed::Place { path: target.path, line: target.line.or(spot.line), missing })
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine::OpenVault;
    use expect_test::{Expect, expect};

    const FILES: [(&str, &str); 4] = [
        ("Trips/June.md", "# June\n\n## Old: plans?\n\nGo. ^go\n"),
        ("Trips/Kit.md", "# Kit\n"),
        ("Kit.md", "# Kit\n\n## Ropes\n"),
        ("a.png", "x"),
    ];

    fn check(engine: &Engine, link: &str, leads: Expect) {
        let spot = Link::read(&format!("vidimus://open?vault=v&file={link}")).unwrap().spot.unwrap();
        let said = match place(engine, &spot) {
            Ok(Followed::Place { path, line, missing }) => {
                let line = line.map_or(String::new(), |line| format!(":{line}"));
                let missing = missing.map_or(String::new(), |missing| format!(" without {missing:?}"));
                format!("{path}{line}{missing}")
            }
            Ok(Followed::Refused { fault }) | Err(fault) => format!("{}: {}", fault.code, fault.message),
        };
        leads.assert_eq(&said);
    }

    #[test]
    fn a_link_leads_where_one_in_a_note_would() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().join("v");
        for (path, text) in FILES {
            std::fs::create_dir_all(root.join(path).parent().unwrap()).unwrap();
            std::fs::write(root.join(path), text).unwrap();
        }
        let (state, name) = (dir.path().join("state"), "v".to_owned());
        let open = OpenVault { root: root.clone(), state, name, vault_key: "k".to_owned(), system_trash: None };
        let engine = Engine::open(open).unwrap();
        check(&engine, "Trips/June.md", expect!["Trips/June.md"]);
        check(&engine, "trips/june", expect!["Trips/June.md"]);
        check(&engine, "June", expect!["Trips/June.md"]);
        check(&engine, "June&heading=old%20plans", expect!["Trips/June.md:3"]);
        check(&engine, "June%23Old:%20plans?", expect!["Trips/June.md:3"]);
        check(&engine, "June%23^go", expect!["Trips/June.md:5"]);
        check(&engine, "June&line=4", expect!["Trips/June.md:4"]);
        check(&engine, "June&heading=New&line=2", expect![[r#"Trips/June.md:2 without "New""#]]);
        check(&engine, "Kit&heading=Ropes", expect!["Kit.md:3"]);
        check(&engine, "Trips/Kit&heading=Ropes", expect![[r#"Trips/Kit.md without "Ropes""#]]);
        check(&engine, "a.png", expect!["a.png"]);
        check(&engine, "Nothing", expect!["not_found: `Nothing` is not in the vault `v`"]);
        // What was written just now is found without a moment of waiting.
        std::fs::write(root.join("New.md"), "x\n").unwrap();
        check(&engine, "New", expect!["New.md"]);
        engine.close();
    }
}
