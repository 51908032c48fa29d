//! `vidimus review`: the same review as in the window, for a terminal.

use super::say::{self, Paint, plain, say};
use super::{DONE, FAILED, ReviewArgs, ReviewCommand, Stop, USAGE};
use crate::control::Request;
use crate::door::Approval;
use crate::fault::Fault;
use crate::owner::Reach;
use crate::store::Store;
use engine::{DiffLine, LineKind, OpState, OperationView, Readiness, Review};
use std::path::Path;

/// How much of an operation's id is typed at least.
const SHORTEST_ID: usize = 4;

pub fn run(args: ReviewArgs) -> Result<u8, Stop> {
    let vault = match &args.what {
        ReviewCommand::List { vault, .. }
        | ReviewCommand::Show { vault, .. }
        | ReviewCommand::Approve { vault, .. }
        | ReviewCommand::Decline { vault, .. }
        | ReviewCommand::Finish { vault, .. }
        | ReviewCommand::Undo { vault, .. } => vault.vault.clone(),
    };
    let mut reach = reach(&vault)?;
    let done = decide(&mut reach, args.what);
    reach.close();
    done
}

fn reach(vault: &Path) -> Result<Reach, Stop> {
    let store = Store::of_this_account().map_err(Fault::from)?;
    Reach::find(&store, vault).map_err(Stop::opening)
}

impl Stop {
    /// A vault that cannot be opened is a wrong argument; one that is busy is not.
    pub fn opening(fault: Fault) -> Stop {
        let code = if fault.code == "cannot_open" { USAGE } else { FAILED };
        Stop { message: fault.message, hint: fault.hint, code }
    }
}

impl From<Fault> for Stop {
    fn from(fault: Fault) -> Stop {
        let hint = hint(&fault);
        Stop::failed(fault.message, hint)
    }
}

/// Names the way out for a terminal; the fault itself names the window's.
fn hint(fault: &Fault) -> String {
    match fault.code.as_str() {
        "interrupted" => "see `vidimus review list`, then `vidimus review finish` or `vidimus review undo`".to_owned(),
        _ => fault.hint.clone(),
    }
}

fn decide(reach: &mut Reach, what: ReviewCommand) -> Result<u8, Stop> {
    let paint = Paint::of_stdout();
    match what {
        ReviewCommand::List { all, json, .. } => {
            let mut operations: Vec<OperationView> = reach.ask(Request::Operations)?;
            operations.retain(|operation| all || is_open(operation) || is_interrupted(operation));
            if json {
                return print_json(&operations);
            }
            if operations.is_empty() {
                say::note("nothing waits for you");
            }
            say(&operations.iter().map(|operation| listed(operation, paint)).collect::<String>());
            Ok(DONE)
        }
        ReviewCommand::Show { id, json, .. } => {
            let id = whole_id(reach, &id, |_| true)?;
            let review: Review = reach.ask(Request::Review { id })?;
            if json {
                return print_json(&review);
            }
            say(&written(&review, paint));
            Ok(DONE)
        }
        ReviewCommand::Approve { id, all, yes, .. } => {
            if !yes && !say::can_ask() {
                return Err(Stop::usage(
                    "there is no terminal to ask on",
                    "look with `vidimus review show`, then add --yes",
                ));
            }
            let ids = match (id, all) {
                (Some(id), _) => vec![whole_id(reach, &id, is_open)?],
                (None, _) => {
                    let operations: Vec<OperationView> = reach.ask(Request::Operations)?;
                    operations.into_iter().rev().filter(is_open).map(|operation| operation.id).collect()
                }
            };
            if ids.is_empty() {
                say::note("nothing waits for you");
            }
            let mut code = DONE;
            for id in ids {
                code = code.max(approve(reach, &id, yes, paint)?);
            }
            Ok(code)
        }
        ReviewCommand::Decline { id, comment, .. } => {
            let id = whole_id(reach, &id, is_open)?;
            let operation: OperationView = reach.ask(Request::Decline { id, comment })?;
            say::note(&format!("declined {}", operation.id));
            Ok(DONE)
        }
        ReviewCommand::Finish { id, .. } => settle(reach, &id, true),
        ReviewCommand::Undo { id, .. } => settle(reach, &id, false),
    }
}

/// Carries an interrupted operation through, or takes it back.
fn settle(reach: &mut Reach, typed: &str, finish: bool) -> Result<u8, Stop> {
    let id = whole_id(reach, typed, is_interrupted)?;
    let operation: OperationView = reach.ask(Request::Settle { id, finish })?;
    let done = if finish { "finished" } else { "took back" };
    say::note(&format!("{done} {}", operation.id));
    Ok(DONE)
}

/// Shows a proposal, asks, and makes it so. A failure of one is told and does not stop the others.
fn approve(reach: &mut Reach, id: &str, yes: bool, paint: Paint) -> Result<u8, Stop> {
    let mut review: Review = reach.ask(Request::Review { id: id.to_owned() })?;
    loop {
        say(&written(&review, paint));
        let Some(seen) = review.digest.clone() else {
            let message = match &review.operation.readiness {
                Some(Readiness::Blocked { message }) => message.clone(),
                _ => "it cannot be approved".to_owned(),
            };
            say::complain(
                &format!("{id}: {}", plain(&message)),
                "decline it, or change the note so that it fits again",
            );
            return Ok(FAILED);
        };
        if !yes && !say::ask("Approve this?") {
            say::note(&format!("left open: {id}"));
            return Ok(DONE);
        }
        match reach.ask::<Approval>(Request::Approve { id: id.to_owned(), seen }) {
            Ok(Approval::Decided { operation }) => {
                say::note(&format!("approved {} ({})", operation.id, count(operation.files.len(), "file")));
                return Ok(DONE);
            }
            Ok(Approval::Changed { review: _ }) if yes => {
                say::complain(
                    &format!("{id}: the notes changed while it was shown"),
                    "look at it again: `vidimus review show`",
                );
                return Ok(FAILED);
            }
            Ok(Approval::Changed { review: now }) => {
                say::note("the notes changed meanwhile; this is what it would do now:");
                review = now;
            }
            Err(fault) => {
                say::complain(&format!("{id}: {}", fault.message), &hint(&fault));
                return Ok(FAILED);
            }
        }
    }
}

fn is_open(operation: &OperationView) -> bool {
    operation.state == OpState::Proposed
}

fn is_interrupted(operation: &OperationView) -> bool {
    operation.state == OpState::Interrupted
}

/// Completes an id of which only the beginning was typed. Ids begin alike, so the end is taken as well.
fn whole_id(reach: &mut Reach, typed: &str, fits: impl Fn(&OperationView) -> bool) -> Result<String, Stop> {
    // So that a variable of a script that is empty decides about nothing.
    if typed.chars().count() < SHORTEST_ID {
        return Err(Stop::usage(
            format!("`{typed}` is too short for an id"),
            format!("type at least {SHORTEST_ID} characters of it; `vidimus review list` shows them"),
        ));
    }
    let operations: Vec<OperationView> = reach.ask(Request::Operations)?;
    let wanted = typed.to_uppercase();
    let found: Vec<&OperationView> = operations
        .iter()
        .filter(|operation| operation.id.starts_with(&wanted) || operation.id.ends_with(&wanted))
        .collect();
    match found.as_slice() {
        [one] if fits(one) => Ok(one.id.clone()),
        [one] if is_interrupted(one) => Err(Stop::failed(
            format!("`{}` was approved and then interrupted: some of its files are written", one.id),
            "carry it through with `vidimus review finish`, or take it back with `vidimus review undo`",
        )),
        [one] if is_open(one) => Err(Stop::failed(
            format!("`{}` was not interrupted: it waits to be decided", one.id),
            "use `vidimus review approve` or `vidimus review decline`",
        )),
        [one] => Err(Stop::failed(
            format!("`{}` is decided already: {}", one.id, state_word(one.state)),
            "list what waits with `vidimus review list`",
        )),
        [] => Err(Stop::failed(
            format!("no operation has the id `{typed}`"),
            "list them with `vidimus review list --all`",
        )),
        _ => Err(Stop::failed(format!("`{typed}` fits {} operations", found.len()), "type more of the id")),
    }
}

fn print_json(value: &impl serde::Serialize) -> Result<u8, Stop> {
    let text = serde_json::to_string_pretty(value).map_err(|_| Fault::internal())?;
    say(&(text + "\n"));
    Ok(DONE)
}

fn one_line(operation: &OperationView, paint: Paint) -> String {
    let fit = match &operation.readiness {
        Some(Readiness::Ready) => "ready",
        Some(Readiness::ChangedSince) => "changed since",
        Some(Readiness::Blocked { .. }) => "blocked",
        None => state_word(operation.state),
    };
    let line = format!(
        "{}  {}  {}  {}  {}",
        paint.bold(&operation.id),
        paint.faint(&operation.proposed_at),
        plain(operation.actor.name()),
        what(operation),
        paint.faint(fit),
    );
    line + "\n"
}

/// A line of the list; of what was interrupted, the files and the way out too.
fn listed(operation: &OperationView, paint: Paint) -> String {
    let mut text = one_line(operation, paint);
    if is_interrupted(operation) {
        for file in &operation.files {
            text += &format!("    {}\n", plain(file.path.as_str()));
        }
        text += "    it stopped half-way: some of these files are written, others are not\n";
        text += "    next: `vidimus review finish ID` carries it through, `vidimus review undo ID` takes it back\n";
    }
    text
}

fn what(operation: &OperationView) -> String {
    let path = plain(&operation.path);
    match (&operation.summary.old_heading, &operation.summary.new_heading) {
        (Some(old), Some(new)) => format!("{path}: {} -> {}", plain(old), plain(new)),
        _ => format!("{path}: {}", operation.kind.replace('_', " ")),
    }
}

fn state_word(state: OpState) -> &'static str {
    match state {
        OpState::Proposed => "waits",
        OpState::Declined => "declined",
        OpState::Withdrawn => "withdrawn",
        OpState::Begun => "being written",
        OpState::Done => "done",
        OpState::Interrupted => "interrupted",
        OpState::Undone => "undone",
    }
}

/// Writes out all that a person needs to decide.
fn written(review: &Review, paint: Paint) -> String {
    let operation = &review.operation;
    let mut text = if is_interrupted(operation) { listed(operation, paint) } else { one_line(operation, paint) };
    if let Some(reason) = &operation.reason {
        text += &format!("  {}\n", plain(reason));
    }
    for warning in &review.warnings {
        text += &format!("  warning: {}\n", plain(warning));
    }
    for file in &review.files {
        let what = match (file.creates, file.deletes, file.link_repair) {
            (true, _, _) => "new".to_owned(),
            (_, true, _) => "deleted".to_owned(),
            (_, _, true) => count(file.n_links as usize, "link"),
            _ if file.n_links > 0 => format!("the change, {}", count(file.n_links as usize, "link")),
            _ => "the change".to_owned(),
        };
        text += &format!("\n{}  {}\n", paint.bold(&plain(&file.path)), paint.faint(&what));
        for (n, hunk) in file.hunks.iter().enumerate() {
            if n > 0 {
                text += &paint.faint("      ...\n");
            }
            for line in &hunk.lines {
                text += &diff_line(line, paint);
            }
        }
    }
    text + "\n"
}

pub(super) fn diff_line(line: &DiffLine, paint: Paint) -> String {
    let number = line.old_line.or(line.new_line).map(|n| n.to_string()).unwrap_or_default();
    let body: String = line.spans.iter().map(|span| plain(span.text.trim_end_matches(['\r', '\n']))).collect();
    let painted = match line.kind {
        LineKind::Context => format!("  {body}"),
        LineKind::Removed => paint.removed(&format!("- {body}")),
        LineKind::Added => paint.added(&format!("+ {body}")),
    };
    format!("{number:>5} {painted}\n")
}

fn count(n: usize, thing: &str) -> String {
    if n == 1 { format!("1 {thing}") } else { format!("{n} {thing}s") }
}

#[cfg(test)]
mod tests;
