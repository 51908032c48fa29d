//! `vidimus audit`: what agents asked for.

use super::say::{Paint, note, plain, say};
use super::{AuditArgs, DONE, Stop};
use crate::agents::clients::time;
use crate::audit::{csv, json_lines, outcome};
use crate::fault::Fault;
use crate::record::CallRecord;
use crate::store::Store;
use crate::vaults;
use mcp::{Called, Record};

pub fn run(args: AuditArgs) -> Result<u8, Stop> {
    let store = Store::of_this_account().map_err(Fault::from)?;
    let (_, folder) = vaults::find(&store, &args.vault.vault).map_err(|error| Stop::opening(error.into()))?;
    let log = folder.map(|folder| CallRecord::in_folder(&store.state_folder(&folder.key)));
    let calls = log.map(|log| log.calls()).transpose();
    let calls = calls
        .map_err(|error| {
            Stop::failed(format!("the record cannot be read: {error}"), "check the permissions of the file")
        })?
        .unwrap_or_default();
    let text = match (args.csv, args.json) {
        (true, _) => csv(&calls),
        (_, true) => json_lines(&calls),
        _ => calls.iter().map(|call| row(call, Paint::of_stdout())).collect(),
    };
    if calls.is_empty() {
        note("no agent has asked for anything in this vault");
    }
    say(&text);
    Ok(DONE)
}

fn row(call: &Called, paint: Paint) -> String {
    let what = match &call.subject {
        Some(subject) => format!("{} {}", call.tool, plain(subject)),
        None => call.tool.clone(),
    };
    let became = outcome(call);
    let became = if call.refused.is_some() { paint.removed(became) } else { paint.faint(became) };
    format!(
        "{}  {:<16} {what}  {became} {}\n",
        time(call.at),
        plain(&call.client),
        paint.faint(&format!("{} ms", call.took.as_millis()))
    )
}
