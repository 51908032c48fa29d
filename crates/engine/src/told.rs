//! What a client is told of changes and of what happens: nothing that names what it may not see.

use crate::scope::DeskView;
use crate::view::{NoteError, UNREAD};
use crate::{Event, FileReview, Hunk, Intent, LineKind, NoteChange, OperationView, Plan, PlanError};
use crate::{ProposeError, Readiness, Review, WriteError};
use note::{NoteText, RelPath};
use std::borrow::Cow;

/// How much of a change a client is not shown.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Hidden {
    n_files: usize,
    /// Pieces of files that it may see.
    n_parts: usize,
}

impl DeskView {
    /// Refuses a wish for something that the client may not see.
    pub(crate) fn allows(&self, intent: &Intent) -> Result<(), ProposeError> {
        let named = match intent {
            Intent::MoveNote { path, to } | Intent::MoveFolder { path, to } => vec![path, to],
            Intent::CreateNote { path, .. }
            | Intent::RenameSection { path, .. }
            | Intent::EditSection { path, .. }
            | Intent::EditText { path, .. }
            | Intent::SetProperties { path, .. }
            | Intent::DeleteNote { path }
            | Intent::Restore { path, .. }
            | Intent::SaveText { path, .. }
            | Intent::DeleteFolder { path } => vec![path],
            // No agent has a tool for these. What they touch cannot be told from what they say.
            _ => return if self.sees_all() { Ok(()) } else { Err(ProposeError::WritesOff) },
        };
        let is_open = |path: &RelPath| {
            let path = self.view.on_disk(path);
            // What is in the way of a new path is told elsewhere.
            self.scope.holds(&path) && self.view.reader.real(&path).is_none_or(|real| self.scope.holds(&real))
        };
        match named.into_iter().find(|path| !is_open(path)) {
            Some(path) => Err(ProposeError::BeyondScope { path: path.clone() }),
            None => Ok(()),
        }
    }

    /// Leaves out of what is told of an operation what the client may not see; all of it if that is what it is about.
    pub(crate) fn operation(&self, mut operation: OperationView) -> Option<OperationView> {
        let moved = operation.summary.new_path.as_deref().filter(|path| !path.starts_with('.'));
        if !self.sees_written(&operation.path) || moved.is_some_and(|path| !self.sees_written(path)) {
            return None;
        }
        let n_files = operation.files.len();
        operation.files.retain(|file| self.sees(&file.path));
        let hidden = Hidden { n_files: n_files - operation.files.len(), n_parts: 0 };
        self.warn(&mut operation.summary.warnings, hidden);
        if let Some(Readiness::Blocked { message }) = &mut operation.readiness
            && self.names_more(message)
        {
            *message = "the notes changed so that it no longer fits".to_owned();
        }
        Some(operation)
    }

    /// The same for what a person is shown of it.
    pub(crate) fn review(&self, mut review: Review, said: &str) -> Option<Review> {
        let hidden = self.files(&mut review.files, said);
        self.warn(&mut review.warnings, hidden);
        let n_files = if review.operation.files.is_empty() { hidden.n_files } else { 0 };
        self.warn(&mut review.operation.summary.warnings, Hidden { n_files, ..hidden });
        Some(Review { operation: self.operation(review.operation)?, ..review })
    }

    /// Keeps of the files of a change what the client may see, and returns how much else there is. `said` is what the client
    /// said: an answer that depended on that would tell whether a guess is right.
    pub(crate) fn files(&self, files: &mut Vec<FileReview>, said: &str) -> Hidden {
        let n_files = files.len();
        files.retain(|file| self.sees_written(&file.path));
        let mut hidden = Hidden { n_files: n_files - files.len(), n_parts: 0 };
        if self.sees_all() {
            return hidden;
        }
        let names = self.hidden_targets(files.iter().filter_map(|file| RelPath::new(&file.path).ok()), said);
        for file in files {
            let n_hunks = file.hunks.len();
            // What is no note cannot be read by any tool either.
            let is_note = RelPath::new(&file.path).is_ok_and(|path| path.is_note());
            file.hunks
                .retain(|hunk| is_note && !tells(&names, &side(hunk, LineKind::Added), &side(hunk, LineKind::Removed)));
            hidden.n_parts += n_hunks - file.hunks.len();
        }
        hidden
    }

    /// Whether a plan writes the name of something that the client may not see where the client may look: a link that
    /// led there by a short name gets a longer one when another note takes that name.
    pub(crate) fn is_told_by(&self, plan: &Plan, said: &str) -> bool {
        let seen = || plan.files.iter().filter(|file| self.sees(&file.path));
        let names = self.hidden_targets(seen().map(|file| file.path.clone()).chain([plan.lead.clone()]), said);
        let text = |text: &Option<NoteText>| text.as_ref().map(NoteText::lf).unwrap_or_default();
        !names.is_empty() && seen().any(|file| tells(&names, &text(&file.after), &text(&file.before)))
    }

    /// Names what the links of these files lead to and the client may not see, and has not named itself: the last folder
    /// and the name.
    fn hidden_targets(&self, files: impl Iterator<Item = RelPath>, said: &str) -> Vec<String> {
        let (mut names, said) = (Vec::new(), decoded(said));
        if self.sees_all() {
            return names;
        }
        for from in files {
            let links = self.view.index.entry(&from).map(|entry| entry.links.as_slice()).unwrap_or_default();
            let targets = links.iter().filter_map(|link| self.view.index.resolve(&link.target, &from));
            for target in targets.filter(|target| !self.sees(target)) {
                let folder = target.parent().rsplit('/').next().unwrap_or_default().to_owned();
                names.push(format!("{folder}/{}", target.stem()));
            }
        }
        names.retain(|name| !said.contains(name));
        names
    }

    /// Keeps the warnings that name nothing else, and says how much the client is not shown.
    pub(crate) fn warn(&self, warnings: &mut Vec<String>, hidden: Hidden) {
        if self.sees_all() {
            return;
        }
        let n_warnings = warnings.len();
        warnings.retain(|warning| !self.names_more(warning));
        let n_more = n_warnings - warnings.len();
        let kinds = [(hidden.n_files, "file"), (hidden.n_parts, "part"), (n_more, "warning")];
        for (n, what) in kinds.into_iter().filter(|(n, _)| *n > 0) {
            let (plural, is) = if n == 1 { ("", "is") } else { ("s", "are") };
            let about = if what == "part" { "about files " } else { "" };
            warnings.push(format!(
                "{n} {what}{plural} {about}beyond the folders open to you {is} shown to the person only"
            ));
        }
    }

    /// Turns a refusal that tells of what the client may not see into one that does not.
    pub(crate) fn refusal(&self, error: ProposeError, lead_is_hidden: impl FnOnce(&str) -> bool) -> ProposeError {
        if self.sees_all() {
            return error;
        }
        let at = |path: &RelPath| ProposeError::BeyondScope { path: path.clone() };
        match error {
            ProposeError::RequestIdReused { request_id, .. } if lead_is_hidden(&request_id) => {
                ProposeError::RequestIdReused { request_id, current: None }
            }
            ProposeError::Plan(PlanError::PathTaken { path, existing }) if !self.sees(&existing) => at(&path),
            ProposeError::Plan(PlanError::IsLink { path, real }) if !self.sees(&real) => at(&path),
            ProposeError::Plan(PlanError::InTheWay { path, at: stands, .. }) if !self.sees(&stands) => at(&path),
            ProposeError::Plan(PlanError::Note(NoteError::NotFound { wanted, mut suggestions })) => {
                suggestions.retain(|path| self.sees_written(path));
                ProposeError::Plan(PlanError::Note(NoteError::NotFound { wanted, suggestions }))
            }
            ProposeError::Write(WriteError::Held { mut files }) => {
                files.retain(|path| self.sees(path));
                if files.is_empty() { ProposeError::Hidden } else { ProposeError::Write(WriteError::Held { files }) }
            }
            ProposeError::Write(WriteError::Interrupted { mut files }) => {
                files.retain(|path| self.sees(path));
                if files.is_empty() {
                    ProposeError::Hidden
                } else {
                    ProposeError::Write(WriteError::Interrupted { files })
                }
            }
            error if self.names_more(&error.to_string()) => ProposeError::Hidden,
            error => error,
        }
    }

    /// Leaves out of an event what the client may not see.
    pub(crate) fn event(&self, event: Event) -> Option<Event> {
        match event {
            Event::NotesChanged { mut changed, generation } => {
                changed.retain(|change: &NoteChange| self.sees_written(&change.path));
                (!changed.is_empty()).then_some(Event::NotesChanged { changed, generation })
            }
            event => Some(event),
        }
    }

    /// Whether a sentence quotes a path of something that the client may not see. Sentences put what they quote between
    /// backticks, and a name may have some of its own, so every stretch between two of them is looked at.
    fn names_more(&self, sentence: &str) -> bool {
        let ticks: Vec<usize> = sentence.match_indices('`').map(|(at, _)| at).collect();
        if ticks.len() > MOST_TICKS {
            return !self.sees_all();
        }
        let mut quoted = ticks
            .iter()
            .enumerate()
            .flat_map(|(n, start)| ticks[n + 1..].iter().map(move |end| &sentence[*start + 1..*end]));
        // What could not be read may be a folder of the vault's root, which looks like any word.
        let is_path = |quoted: &str| may_be_path(quoted) || sentence.starts_with(UNREAD);
        !self.sees_all() && quoted.any(|quoted| is_path(quoted) && !self.sees_written(quoted))
    }
}

/// Writes the lines that only one side of a change has.
fn side(hunk: &Hunk, kind: LineKind) -> String {
    let lines = hunk.lines.iter().filter(|line| line.kind == kind);
    lines.flat_map(|line| line.spans.iter().map(|span| span.text.as_str()).chain(["\n"])).collect()
}

/// Whether one of these names stands in a text and not in the other, be it in the spelling of an address.
fn tells(names: &[String], text: &str, other: &str) -> bool {
    if names.is_empty() {
        return false;
    }
    let (text, other) = (decoded(text), decoded(other));
    names.iter().any(|name| text.contains(name) && !other.contains(name))
}

fn decoded(text: &str) -> Cow<'_, str> {
    if !text.contains('%') {
        return Cow::Borrowed(text);
    }
    let (mut out, mut rest) = (Vec::with_capacity(text.len()), text.as_bytes());
    while let [first, after @ ..] = rest {
        let byte = (*first == b'%').then(|| after.get(..2)).flatten();
        let byte = byte.and_then(|hex| std::str::from_utf8(hex).ok()).and_then(|hex| u8::from_str_radix(hex, 16).ok());
        out.push(byte.unwrap_or(*first));
        rest = if byte.is_some() { &after[2..] } else { after };
    }
    Cow::Owned(String::from_utf8_lossy(&out).into_owned())
}

/// A sentence with more backticks than this is not looked through: every pair of them may quote something.
const MOST_TICKS: usize = 200;

/// Whether a quotation may be the path of a file: it is in a folder, or has an ending.
fn may_be_path(quoted: &str) -> bool {
    let is_ending = |ending: &str| (1..=12).contains(&ending.len()) && !ending.contains(char::is_whitespace);
    quoted.contains('/') || quoted.rsplit_once('.').is_some_and(|(_, ending)| is_ending(ending))
}

#[cfg(test)]
mod tests {
    use super::may_be_path;

    #[test]
    fn quotations_that_may_be_paths_are_known() {
        for (quoted, is_path) in
            [("a/b", true), ("a.md", true), ("Plan.canvas", true), ("Plan", false), ("v1.2 of it", false), ("", false)]
        {
            assert_eq!(may_be_path(quoted), is_path, "{quoted}");
        }
    }
}
