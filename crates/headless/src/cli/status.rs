//! `vidimus status`: what is where.

use super::say::say;
use super::{DONE, StatusArgs, Stop};
use crate::control::{Owner, OwnerStatus, Request, Role};
use crate::fault::Fault;
use crate::store::Store;
use crate::{owner, vaults};
use engine::{OpState, OperationView};
use serde_json::json;
use std::time::Duration;

/// How long to wait for the index where this process has to open the vault to look.
const PATIENCE: Duration = Duration::from_secs(60);

pub fn run(args: StatusArgs) -> Result<u8, Stop> {
    let store = Store::of_this_account().map_err(Fault::from)?;
    say(&report(&store, &args)?);
    Ok(DONE)
}

fn report(store: &Store, args: &StatusArgs) -> Result<String, Stop> {
    let (root, folder) = vaults::find(store, &args.vault.vault).map_err(|error| Stop::opening(error.into()))?;
    let Some(folder) = folder else {
        let root = root.display().to_string();
        return Ok(match args.json {
            true => format!("{:#}\n", json!({ "path": root, "opened_before": false })),
            false => format!("vault          {root}\n               never opened here\n"),
        });
    };
    let state = store.state_folder(&folder.key);
    let socket = store.sockets(&folder.key).control;
    let (status, n_interrupted, is_owned) = match Owner::reach(&socket) {
        Ok(Some(mut owner)) => {
            let status = owner.ask::<OwnerStatus>(&Request::Status)?;
            let operations: Vec<OperationView> = owner.ask(&Request::Operations)?;
            (status, count_interrupted(&operations), true)
        }
        _ => {
            let engine = owner::open(store, &folder)?;
            engine.wait_indexed(PATIENCE);
            let (info, n_interrupted) = (engine.info(), count_interrupted(&engine.operations()));
            engine.close();
            (OwnerStatus { role: Role::Headless, pid: std::process::id(), info }, n_interrupted, false)
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
            "n_interrupted": n_interrupted,
            "read_only": info.read_only,
            "indexing": info.indexing,
            "notices": info.health,
            "owner": is_owned.then(|| json!({ "role": status.role, "pid": status.pid })),
            "state_folder": state.display().to_string(),
        });
        return Ok(format!("{report:#}\n"));
    }
    let mut text = format!("vault          {}\n", root.display());
    text += &format!("notes          {}\n", info.n_notes);
    text += &format!("waiting        {}\n", info.n_pending);
    text += &format!("interrupted    {n_interrupted}\n");
    if n_interrupted > 0 {
        text += "               see `vidimus review list`, then `vidimus review finish` or `undo`\n";
    }
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
    Ok(text)
}

fn count_interrupted(operations: &[OperationView]) -> usize {
    operations.iter().filter(|operation| operation.state == OpState::Interrupted).count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::VaultArg;
    use crate::cli::interrupted_tests::Interrupted;

    #[test]
    fn what_was_interrupted_is_counted() {
        let there = Interrupted::new();
        let told = |json| {
            let args = StatusArgs { vault: VaultArg { vault: there.vault.clone() }, json };
            report(&there.store, &args).unwrap()
        };
        let (text, json) = (told(false), told(true));
        assert!(text.contains("interrupted    1\n") && text.contains("vidimus review finish"), "{text}");
        let json: serde_json::Value = serde_json::from_str(&json).unwrap();
        assert_eq!((&json["n_interrupted"], &json["n_pending"]), (&json!(1), &json!(0)));
        let mut reach = owner::Reach::find(&there.store, &there.vault).unwrap();
        let settled: Result<OperationView, Fault> = reach.ask(Request::Settle { id: there.id.clone(), finish: false });
        settled.unwrap();
        reach.close();
        let text = told(false);
        assert!(text.contains("interrupted    0\n") && !text.contains("review finish"), "{text}");
    }
}
