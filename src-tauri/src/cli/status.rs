//! `vidimus status`: what is where.

use super::say::say;
use super::{DONE, StatusArgs, Stop};
use crate::control::{Owner, OwnerStatus, Request, Role};
use crate::fault::Fault;
use crate::store::Store;
use crate::{owner, vaults};
use serde_json::json;
use std::time::Duration;

/// How long to wait for the index where this process has to open the vault to look.
const PATIENCE: Duration = Duration::from_secs(60);

pub fn run(args: StatusArgs) -> Result<u8, Stop> {
    let store = Store::of_this_account().map_err(Fault::from)?;
    let (root, folder) = vaults::find(&store, &args.vault.vault).map_err(|error| Stop::opening(error.into()))?;
    let Some(folder) = folder else {
        let root = root.display().to_string();
        if args.json {
            say(&format!("{:#}\n", json!({ "path": root, "opened_before": false })));
        } else {
            say(&format!("vault          {root}\n               never opened here\n"));
        }
        return Ok(DONE);
    };
    let state = store.state_folder(&folder.key).map_err(Fault::from)?;
    let socket = store.sockets(&folder.key).map_err(Fault::from)?.control;
    let (status, is_owned) = match Owner::reach(&socket) {
        Ok(Some(mut owner)) => (owner.ask::<OwnerStatus>(&Request::Status)?, true),
        _ => {
            let engine = owner::open(&store, &folder)?;
            engine.wait_indexed(PATIENCE);
            let info = engine.info();
            engine.close();
            (OwnerStatus { role: Role::Headless, pid: std::process::id(), info }, false)
        }
    };
    let info = &status.info;
    let open_in = is_owned.then(|| match status.role {
        Role::Window => format!("a window (process {})", status.pid),
        Role::Headless => format!("`vidimus mcp` (process {})", status.pid),
    });
    if args.json {
        let report = json!({
            "path": root.display().to_string(),
            "opened_before": true,
            "name": info.name,
            "n_notes": info.n_notes,
            "n_pending": info.n_pending,
            "read_only": info.read_only,
            "indexing": info.indexing,
            "notices": info.health,
            "owner": is_owned.then(|| json!({ "role": status.role, "pid": status.pid })),
            "state_folder": state.display().to_string(),
        });
        say(&format!("{report:#}\n"));
        return Ok(DONE);
    }
    let mut text = format!("vault          {}\n", root.display());
    text += &format!("notes          {}\n", info.n_notes);
    text += &format!("waiting        {}\n", info.n_pending);
    text += &format!("open in        {}\n", open_in.as_deref().unwrap_or("no program"));
    if let Some(progress) = info.indexing {
        text += &format!("indexing       {} of {}\n", progress.done, progress.total);
    }
    if let Some(reason) = &info.read_only {
        text += &format!("read only      {reason}\n");
    }
    text += &format!("state folder   {}\n", state.display());
    for notice in &info.health {
        text += &format!("notice         {}\n", notice.message);
        if !notice.hint.is_empty() {
            text += &format!("               {}\n", notice.hint);
        }
    }
    say(&text);
    Ok(DONE)
}
