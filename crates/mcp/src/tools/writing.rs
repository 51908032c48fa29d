//! What all write tools share: the arguments that each of them takes, the note that a call is about, and the answer.

use super::diffs::diff;
use super::operations::{declined, new_path, note_now, renamed, review_word, state, warnings, written_files};
use super::refusal::{conflict, hash_required, opens_secret, refused};
use super::resolve::{Naming, check_id, note_id, open, restore, secrets as secrets_of, with_secrets};
use super::selectors::{by_path, by_title};
use super::{Call, answer};
use crate::limits::pieces::Pieces;
use crate::limits::secrets::Secrets;
use crate::limits::window::json_chars;
use crate::wire::args::{Arg, Args, Kind, Problems, optional};
use crate::wire::error::ToolError;
use crate::wire::operations::{Status, Written};
use engine::{Hunk, Intent, LineKind, NoteRef, OpState, OpenNote, Proposed, Readiness, Request, Writes};
use note::{ContentHash, SectionRef};
use serde_json::Value;

pub(crate) const REL_PATH: Arg = optional("rel_path", Kind::Text { max: 4096 }, "Note path.");
pub(crate) const ID: Arg = optional("id", Kind::Text { max: 64 }, "Or note id.");
pub(crate) const HEADING: Arg = optional("heading", Kind::Text { max: 10_000 }, "Section title.");
pub(crate) const HEADING_PATH: Arg = optional("heading_path", Kind::HeadingPath, "Or titles from the top.");
pub(crate) const HEADING_LEVEL: Arg =
    optional("heading_level", Kind::Integer { min: 1, max: 6, default: None }, "Its level.");
pub(crate) const HEADING_OCCURRENCE: Arg =
    optional("heading_occurrence", NTH, "Which of equals, from 1; needs expected_hash.");
pub(crate) const EXPECTED_HASH: Arg = optional("expected_hash", Kind::Hash, "content_hash as read.");
pub(crate) const EXPECTED_UPDATED_AT: Arg = optional("expected_updated_at", Kind::Text { max: 64 }, "Or updated_at.");
pub(crate) const REQUEST_ID: Arg = optional("request_id", Kind::RequestId, "Retry token.");
pub(crate) const REASON: Arg = optional("reason", Kind::Text { max: 2000 }, "Why.");
pub(crate) const DRY_RUN: Arg = optional("dry_run", Kind::Flag { default: false }, "Only plan.");

/// A place among several, from 1.
pub(crate) const NTH: Kind = Kind::Integer { min: 1, max: u32::MAX as u64, default: None };
/// Text that goes into a note; a call with more is better made in pieces.
pub(crate) const NEW_TEXT: Kind = Kind::Text { max: 1_000_000 };

/// Checks what the arguments of a tool that changes a note say together.
pub(crate) fn check_note(args: &Args, problems: &mut Problems) {
    one_of(args, problems, "rel_path", "id");
    check_id(args, problems);
    if args.text("expected_updated_at").is_some_and(|time| time.parse::<jiff::Timestamp>().is_err()) {
        problems.add("expected_updated_at", "must be an updated_at as a read tool gave it");
    }
}

/// Checks what the arguments of a tool that changes a section say together.
pub(crate) fn check_section(args: &Args, problems: &mut Problems) {
    check_note(args, problems);
    one_of(args, problems, "heading", "heading_path");
    if args.has("heading_level") && args.has("heading_path") {
        problems.add("heading_level", "cannot stand together with heading_path");
    }
}

fn one_of(args: &Args, problems: &mut Problems, first: &str, second: &str) {
    match (args.has(first), args.has(second)) {
        (true, true) => problems.add(second, format!("cannot stand together with {first}")),
        (false, false) => problems.add(first, format!("is required unless {second} is given")),
        _ => {}
    }
}

/// The note that a write call is about, as it is now.
pub(crate) struct Target {
    pub note: OpenNote,
    pub secrets: Secrets,
}

impl Target {
    /// Opens the note that the call names.
    pub fn open(call: &Call<'_>) -> Result<Target, ToolError> {
        let at = match call.args.text("id") {
            Some(id) => note_id(id),
            None => NoteRef::Path(call.args.text("rel_path").unwrap_or_default().to_owned()),
        };
        let (note, secrets) = open(call, &at)?;
        Ok(Target { note, secrets })
    }

    /// Reads which section the call names.
    pub fn section(&self, call: &Call<'_>) -> Result<SectionRef, ToolError> {
        let args = &call.args;
        let nth = counted(args, "heading_occurrence")?;
        Ok(match args.words("heading_path") {
            Some(path) => {
                let titles = path.iter().map(|title| self.restored(call, "heading_path", title));
                let restored = titles.collect::<Result<_, _>>()?;
                match self.is_as_meant(call) {
                    true => by_path(call, &self.note, &self.secrets, path, nth)?,
                    false => SectionRef::Path { path: restored, nth },
                }
            }
            None => self.titled(call, "heading", (level(args, "heading_level"), nth), Naming::Heading)?,
        })
    }

    /// Reads which section has the title that an argument holds.
    pub fn titled(
        &self,
        call: &Call<'_>,
        name: &str,
        (level, nth): (Option<u8>, Option<u32>),
        naming: Naming,
    ) -> Result<SectionRef, ToolError> {
        let restored = self.text(call, name)?;
        let sent = || call.args.text(name).unwrap_or_default().to_owned();
        match self.is_as_meant(call) {
            true => by_title(call, &self.note, &self.secrets, sent(), (level, nth), naming),
            false => Ok(SectionRef::Heading { text: restored, level, nth }),
        }
    }

    /// Whether the note is the one that the call speaks of: another text than was read is a conflict, and a retry is
    /// answered from the first call.
    pub fn is_as_meant(&self, call: &Call<'_>) -> bool {
        call.args.hash("expected_hash").is_none_or(|hash| hash == self.note.text.hash()) && !is_retry(call)
    }

    /// Reads a text argument, with the note's secrets back in the place of their placeholders.
    pub fn text(&self, call: &Call<'_>, name: &str) -> Result<String, ToolError> {
        self.restored(call, name, call.args.text(name).unwrap_or_default())
    }

    /// Puts the note's secrets back in the place of their placeholders. What a retry said was understood the first
    /// time, and the note may have lost the secret since.
    pub fn restored(&self, call: &Call<'_>, name: &str, text: &str) -> Result<String, ToolError> {
        match restore(&self.secrets, name, text) {
            Err(_) if is_retry(call) => Ok(text.to_owned()),
            other => other,
        }
    }

    /// Returns a text about this note as it may leave.
    pub fn shown(&self, text: &str) -> String {
        self.secrets.hide(text).text.into_owned()
    }
}

/// Reads which of several is meant; that counts in certain bytes, so these must be named.
pub(crate) fn counted(args: &Args, name: &str) -> Result<Option<u32>, ToolError> {
    let nth = args.integer(name).and_then(|n| u32::try_from(n).ok());
    if nth.is_some() && !args.has("expected_hash") {
        return Err(hash_required(&format!("{name} counts in certain bytes: expected_hash is needed with it")));
    }
    Ok(nth)
}

/// Reads a heading level.
pub(crate) fn level(args: &Args, name: &str) -> Option<u8> {
    args.integer(name).and_then(|level| u8::try_from(level).ok())
}

/// Says how the caller named the section.
pub(crate) fn naming(args: &Args) -> Naming {
    if args.has("heading_path") { Naming::Path } else { Naming::Heading }
}

/// Whether the call's request id is known already.
pub(crate) fn is_retry(call: &Call<'_>) -> bool {
    call.args.text("request_id").is_some_and(|id| call.desk.operation_by_request(id).is_some())
}

/// Proposes a change, or only plans it, and answers as every write tool does. `target` is the note as it is now, unless
/// the change is to make it.
pub(crate) fn propose(
    call: &Call<'_>,
    tool: &str,
    target: Option<&Target>,
    intent: Intent,
) -> Result<Value, ToolError> {
    let args = &call.args;
    let guard = match args.hash("expected_hash") {
        Some(hash) => Some(hash),
        None => target.map(|target| unchanged_since(call, &target.note)).transpose()?.flatten(),
    };
    let request = Request {
        expect: guard,
        request_id: args.text("request_id").map(str::to_owned),
        fingerprint: args.fingerprint(tool),
        reason: args.text("reason").map(str::to_owned),
    };
    if let Some(target) = target.filter(|_| may_plan(call) && !is_retry(call)) {
        keeps_secrets(call, target, &intent, &request, guard)?;
    }
    let asked = match args.flag("dry_run", false) {
        true => call.desk.preview(intent, request),
        false => call.desk.propose(intent, request),
    };
    let proposed = asked.map_err(|error| refused(call, error, guard, target))?;
    answer(&written(call, proposed, target)?)
}

/// Whether the call is carried as far as a plan.
pub(crate) fn may_plan(call: &Call<'_>) -> bool {
    call.desk.writes() != Writes::Off || call.args.flag("dry_run", false)
}

/// Refuses a change after which a piece of a secret could be read: one that cuts it, or joins it to other text.
fn keeps_secrets(
    call: &Call<'_>,
    target: &Target,
    intent: &Intent,
    request: &Request,
    guard: Option<ContentHash>,
) -> Result<(), ToolError> {
    if target.secrets.is_empty() {
        return Ok(());
    }
    let planned = call.desk.preview(intent.clone(), Request { request_id: None, ..request.clone() });
    let planned = planned.map_err(|error| refused(call, error, guard, Some(target)))?;
    let view = call.desk.view();
    for file in &planned.files {
        let before = match file.path == target.note.path.as_str() || file.creates {
            true => target.note.text.lf(),
            false => view.note(&NoteRef::Path(file.path.clone())).map(|open| open.text.lf()).unwrap_or_default(),
        };
        let after = after(if file.creates { "" } else { &before }, &file.hunks);
        let secrets = with_secrets(call, target.secrets.clone(), &before);
        // What can be read already, or was sent just now, is no news.
        let told = format!("{}\n{}", call.args.said(), secrets.hide(&before).text);
        if Pieces::unknown(&secrets, &told).stand_in(&secrets_of(call, &after).hide(&after).text) {
            return Err(opens_secret(&file.path));
        }
    }
    Ok(())
}

/// Applies hunks to the text (line feeds only) that they were made from.
fn after(before: &str, hunks: &[Hunk]) -> String {
    let lines: Vec<&str> = before.split_inclusive('\n').collect();
    let (mut out, mut at) = (String::with_capacity(before.len()), 0);
    for line in hunks.iter().flat_map(|hunk| &hunk.lines) {
        if let Some(old) = line.old_line.map(|n| n as usize) {
            out.extend(lines.get(at..old.saturating_sub(1)).into_iter().flatten().copied());
            at = old.max(at);
        }
        if line.kind != LineKind::Removed {
            line.spans.iter().for_each(|span| out.push_str(span.text.trim_end_matches('\n')));
            out.push('\n');
        }
    }
    out.extend(lines.get(at..).into_iter().flatten().copied());
    out
}

/// Holds `expected_updated_at` against the note, and turns it into the hash that the write is guarded with. A retry is
/// left to the engine, which knows what the first call wrote.
fn unchanged_since(call: &Call<'_>, note: &OpenNote) -> Result<Option<ContentHash>, ToolError> {
    let Some(expected) = call.args.text("expected_updated_at") else { return Ok(None) };
    if is_retry(call) {
        return Ok(None);
    }
    let moment = |text: &str| text.parse::<jiff::Timestamp>().ok();
    if moment(expected) == moment(&note.updated) {
        return Ok(Some(note.text.hash()));
    }
    Err(conflict(note.path.as_str(), Some(note.text.hash())).with("current_updated_at", note.updated.clone()))
}

fn written(call: &Call<'_>, proposed: Proposed, target: Option<&Target>) -> Result<Written, ToolError> {
    let rel_path = proposed.lead.as_str().to_owned();
    let status = proposed.operation.as_ref().map_or(Status::Planned, state);
    if let (true, Some(operation)) = (proposed.replayed, &proposed.operation)
        && operation.state == OpState::Declined
    {
        return Err(declined(operation));
    }
    let readiness = proposed.operation.as_ref().and_then(|operation| operation.readiness.as_ref());
    let is_changed = readiness == Some(&Readiness::ChangedSince);
    let past = proposed.files.is_empty().then(|| call.desk.review(proposed.id).ok()).flatten();
    let files = past.map_or(proposed.files, |review| review.files);
    let none = Secrets::none();
    let secrets = target.map_or(&none, |target| &target.secrets);
    let new_rel_path = new_path(&proposed.summary);
    let now = note_now(call, &rel_path, new_rel_path.as_deref(), status).map(|open| open.text.hash());
    let (listed, files_truncated) = written_files(call, &files, new_rel_path.as_deref());
    let mut out = Written {
        operation_id: proposed.operation.as_ref().map(|operation| operation.id.clone()),
        status,
        committed: status == Status::Committed,
        replayed: proposed.replayed,
        indexed: proposed.indexed,
        new_rel_path,
        content_hash: now.map(|hash| hash.to_string()),
        before_hash: proposed.before_hash.map(|hash| hash.to_string()),
        projected_hash: proposed.projected_hash.map(|hash| hash.to_string()),
        diff: String::new(),
        diff_truncated: None,
        files: listed,
        files_truncated,
        warnings: warnings(call, &proposed.summary.warnings, secrets),
        review: review_word(status, call.desk.writes()).to_owned(),
        renamed: renamed(call, &rel_path, &proposed.summary, secrets),
        rel_path,
    };
    let spent = json_chars(&out);
    (out.diff, out.diff_truncated) = diff(call, &out.rel_path, &files, spent, is_changed)?;
    Ok(out)
}
