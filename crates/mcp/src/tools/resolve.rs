//! From what a caller calls a note or a section to the thing itself, and from the engine's refusals to errors that
//! carry what the next call needs.

use super::Call;
use super::remembered::{look, wait_indexed};
use super::selectors::Selectors;
use crate::limits::secrets::Secrets;
use crate::wire::args::{Args, Problems, shown};
use crate::wire::error::{Code, ToolError};
use engine::{NoteError, NoteRef, OpenNote};
use note::{Note, NoteId, Problem, ProblemKind, SectionCandidate, SectionError};
use serde_json::{Value, json};

/// Opens a note, with the secrets in it that must not leave.
pub(crate) fn open(call: &Call<'_>, at: &NoteRef) -> Result<(OpenNote, Secrets), ToolError> {
    let open = note(call, at).map_err(|error| note_error(call, error))?;
    let secrets = secrets(call, open.text.as_str());
    Ok((open, secrets))
}

/// Opens a note. What is not found is looked for once more when the index knows the whole disk of now: titles, ids and
/// other spellings of a path are the index's business, and it may still be at its first pass.
pub(crate) fn note(call: &Call<'_>, at: &NoteRef) -> Result<OpenNote, NoteError> {
    if matches!(at, NoteRef::Title(_)) {
        wait_indexed(call);
    }
    let found = match call.desk.note(at) {
        Err(NoteError::NotFound { .. }) => {
            wait_indexed(call);
            look(call);
            call.desk.note(at)
        }
        other => other,
    };
    match at {
        NoteRef::Title(wanted) => visibly_called(call, wanted, found),
        _ => found,
    }
}

/// Leaves out the notes that are called so in a secret only.
fn visibly_called(call: &Call<'_>, wanted: &str, found: Result<OpenNote, NoteError>) -> Result<OpenNote, NoteError> {
    let not_found = || NoteError::NotFound { wanted: wanted.to_owned(), suggestions: Vec::new() };
    match found {
        Ok(open) if is_called(call, &open, wanted) => Ok(open),
        Ok(_) => Err(not_found()),
        Err(NoteError::Ambiguous { wanted, mut candidates }) => {
            let view = call.desk.view();
            let opened = |path: &str| view.note(&NoteRef::Path(path.to_owned())).ok();
            candidates.retain(|one| opened(&one.rel_path).is_none_or(|open| is_called(call, &open, &wanted)));
            match candidates.as_slice() {
                [] => Err(not_found()),
                [one] => call.desk.note(&NoteRef::Path(one.rel_path.clone())),
                _ => Err(NoteError::Ambiguous { wanted, candidates }),
            }
        }
        Err(error) => Err(error),
    }
}

/// Whether a name that may leave has this in it.
fn is_called(call: &Call<'_>, open: &OpenNote, wanted: &str) -> bool {
    let secrets = secrets(call, open.text.as_str());
    let wanted = note::fold(wanted.trim());
    let bare = wanted.strip_suffix(".md").unwrap_or(&wanted);
    let has = |name: &str| note::fold(&secrets.hide(name).text).contains(bare);
    secrets.is_empty() || names(open).iter().any(|name| has(name))
}

/// Returns all that a note is called.
fn names(open: &OpenNote) -> Vec<String> {
    let h1 = open.note.headings.iter().filter(|heading| heading.level == 1).map(|heading| heading.text.clone());
    let own = [open.path.as_str().to_owned(), open.title.clone()];
    own.into_iter().chain(open.note.aliases()).chain(h1).collect()
}

/// Whether one of a note's names has a secret in it, so that what is like it could tell of that.
fn is_called_by_secret(call: &Call<'_>, path: &str) -> bool {
    let open = call.desk.view().note(&NoteRef::Path(path.to_owned())).ok();
    open.is_some_and(|open| {
        let secrets = secrets(call, open.text.as_str());
        !secrets.is_empty() && names(&open).iter().any(|name| secrets.hide(name).hides())
    })
}

/// Finds the secrets of a text, unless the person has switched hiding off.
pub(crate) fn secrets(call: &Call<'_>, text: &str) -> Secrets {
    match call.settings.redact_secrets {
        true => Secrets::of(text),
        false => Secrets::open(text),
    }
}

/// Adds the secrets of another text, such as a note's past, to those of the note of now.
pub(crate) fn with_secrets(call: &Call<'_>, known: Secrets, text: &str) -> Secrets {
    match call.settings.redact_secrets {
        true => known.and(text),
        false => known,
    }
}

/// Returns a sentence as it may leave. It may quote a note as it once was, or another one than `secrets` are of.
pub(crate) fn told(call: &Call<'_>, secrets: &Secrets, sentence: &str) -> String {
    with_secrets(call, secrets.clone(), sentence).hide(sentence).text.into_owned()
}

/// Reads a note's id. What is none is looked for in vain; of an argument, `check_id` has said so.
pub(crate) fn note_id(text: &str) -> NoteRef {
    parsed_id(text).map_or_else(|| NoteRef::PathOrId(text.to_owned()), NoteRef::Id)
}

fn parsed_id(text: &str) -> Option<NoteId> {
    text.trim().to_uppercase().parse().ok()
}

/// Checks that the argument `id`, if it was sent, is a note's id.
pub(crate) fn check_id(args: &Args, problems: &mut Problems) {
    if let Some(text) = args.text("id").filter(|text| parsed_id(text).is_none()) {
        let got = shown(&Value::String(text.to_owned()));
        problems
            .add("id", format!("must be a note id of 26 letters and digits, as another tool answered it, not {got}"));
    }
}

/// Says why a note was not opened.
pub(crate) fn note_error(call: &Call<'_>, error: NoteError) -> ToolError {
    let message = match &error {
        // The reason may quote the system, and that may quote a path of this machine.
        NoteError::Unreadable { wanted, .. } => format!("the note cannot be read: `{wanted}`"),
        other => other.to_string(),
    };
    match error {
        NoteError::NotFound { mut suggestions, .. } => {
            suggestions.retain(|path| !is_called_by_secret(call, path));
            let hint = match suggestions.is_empty() {
                true => "find it with search_text or list_notes",
                false => "one of `suggestions` may be meant; else find it with search_text or list_notes",
            };
            ToolError::new(Code::NotFound, message, hint).with("suggestions", suggestions)
        }
        NoteError::Ambiguous { mut candidates, .. } => {
            for candidate in &mut candidates {
                candidate.title = call.title(&secrets(call, &candidate.title).hide(&candidate.title).text);
            }
            ToolError::new(Code::AmbiguousTitle, message, "call again with the id or rel_path of one of `candidates`")
                .with("candidates", json!(candidates))
        }
        NoteError::OutsideVault { .. } => {
            ToolError::new(Code::PathOutsideVault, message, "use a path relative to the vault, without `..`")
        }
        NoteError::Hidden { .. } => {
            ToolError::new(Code::PathNotAllowed, message, "only notes of the vault can be read and changed")
        }
        NoteError::NotANote { .. } => {
            ToolError::new(Code::NotANote, message, "name a file that ends in .md; list_notes shows them")
        }
        NoteError::TooLarge { .. } => {
            ToolError::new(Code::TooLarge, message, "the person can open it in another program")
        }
        NoteError::Unreadable { .. } => ToolError::new(
            Code::VaultBusy,
            message,
            "try again; if it stays so, the person must look at the file's rights",
        ),
    }
}

/// How a caller names sections, which decides what the candidates of an error look like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Naming {
    /// By `heading`, `heading_level`, `heading_occurrence`.
    Heading,
    /// By `heading_path` and its own `heading_occurrence`.
    Path,
    /// By `section`, title or slug.
    Loose,
    /// By `destination_heading`, `destination_level`, `destination_occurrence`.
    Destination,
}

/// Says why a section of a note was not found.
pub(crate) fn section_error(
    call: &Call<'_>,
    error: &SectionError,
    naming: Naming,
    open: &OpenNote,
    secrets: &Secrets,
) -> ToolError {
    let selectors = Selectors::new(call, open, secrets);
    let shown = |candidates: &[SectionCandidate]| -> Vec<Value> {
        let headings = &open.note.headings;
        let at_line = |line: u32| headings.binary_search_by_key(&line, |heading| heading.line).ok();
        let one = |of: &SectionCandidate| Some(candidate_json(of, naming, &selectors, at_line(of.line)?));
        candidates.iter().filter_map(one).collect()
    };
    let unsaid = secrets.but_for(&call.args.said());
    let hide = |text: &str| unsaid.hide(text).text.into_owned();
    let place = format!("in `{}`", open.path);
    let occurrence = if naming == Naming::Destination { "destination_occurrence" } else { "heading_occurrence" };
    let error = match error {
        SectionError::NotFound { wanted, nearest } => {
            let hint = match nearest.is_empty() {
                true => "read the headings with get_note, format map",
                false => "one of `suggestions` may be meant; get_note with format map lists all headings",
            };
            let message = format!("no section is called `{}` {place}{}", hide(wanted), hidden_by(&open.note));
            ToolError::new(Code::HeadingNotFound, message, hint).with("suggestions", shown(nearest))
        }
        SectionError::Ambiguous { wanted, candidates } => {
            let hint = match naming {
                Naming::Heading => {
                    "send heading_level, heading_occurrence and expected_hash as one of `candidates` has them"
                }
                Naming::Destination => {
                    "send destination_level, destination_occurrence and expected_hash as one of `candidates` has them"
                }
                Naming::Path | Naming::Loose => "send the heading_path and heading_occurrence of one of `candidates`",
            };
            let (n, wanted) = (candidates.len(), hide(wanted));
            ToolError::new(
                Code::AmbiguousHeading,
                format!("{n} sections are called `{wanted}` {place}: {occurrence} is needed to tell them apart"),
                hint,
            )
            .with("candidates", shown(candidates))
        }
        SectionError::OccurrenceOutOfRange { wanted, matching, candidates } => {
            let n = if *matching == 1 { "1 section matches".to_owned() } else { format!("{matching} sections match") };
            ToolError::new(
                Code::HeadingNotFound,
                format!("{occurrence} {wanted} is out of range: {n} {place}"),
                format!("send the {occurrence} of one of `candidates`"),
            )
            .with("matching_headings", *matching)
            .with("candidates", shown(candidates))
        }
    };
    error.with("rel_path", open.path.as_str()).with("current_hash", open.text.hash().to_string())
}

/// Says what in the note keeps headings from being headings.
fn hidden_by(note: &Note) -> String {
    let hides = |problem: &&Problem| matches!(problem.kind, ProblemKind::UnclosedFence | ProblemKind::UnclosedComment);
    let problems: Vec<String> = note.problems.iter().filter(hides).take(3).map(Problem::to_string).collect();
    match problems.is_empty() {
        true => String::new(),
        false => format!(" (what follows is no heading: {})", problems.join(", ")),
    }
}

fn candidate_json(candidate: &SectionCandidate, naming: Naming, selectors: &Selectors<'_>, index: usize) -> Value {
    let path = selectors.path(index);
    match naming {
        Naming::Heading => json!({
            "heading": selectors.title(index),
            "heading_level": candidate.level,
            "heading_occurrence": candidate.heading_occurrence,
            "heading_path": path,
            "line": candidate.line,
        }),
        Naming::Destination => json!({
            "destination_heading": selectors.title(index),
            "destination_level": candidate.level,
            "destination_occurrence": candidate.heading_occurrence,
            "heading_path": path,
            "line": candidate.line,
        }),
        Naming::Path | Naming::Loose => json!({
            "heading_path": path,
            "heading_occurrence": candidate.heading_occurrence,
            "level": candidate.level,
            "line": candidate.line,
        }),
    }
}

/// Puts the secrets back that stand behind placeholders in an argument.
pub(crate) fn restore(secrets: &Secrets, name: &str, text: &str) -> Result<String, ToolError> {
    secrets.restore(text).map_err(|placeholder| {
        ToolError::new(
            Code::InvalidArguments,
            format!("wrong argument: `{name}` carries `{placeholder}`, which stands for nothing in this note"),
            "use only placeholders that this note's text was shown with",
        )
        .with("arguments", json!([{"name": name, "problem": format!("carries the unknown placeholder {placeholder}")}]))
    })
}
