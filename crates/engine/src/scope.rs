//! What of a vault a client is let see. To it the rest is not there: not read, not found, not named, not counted.
//!
//! A desk hands out nothing but what went through here, so that no tool has to remember it.

use crate::allowance::is_within;
use crate::listing::{NoteListItem, NotePage, NoteQuery};
use crate::view::{NoteError, NoteRef, OpenNote, UNREAD};
use crate::{BacklinkView, EntryKind, Event, FileReview, Intent, NoteChange, OperationView, PlanError};
use crate::{ProposeError, Query, Readiness, Review, SearchPage, View, WriteError};
use index::TitleMatch;
use note::{ContentHash, RelPath};
use std::sync::Arc;

/// The folders that a client is let see; without any, the whole vault.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Scope(Option<Arc<[RelPath]>>);

/// A snapshot as one client sees it.
#[derive(Clone)]
pub struct DeskView {
    view: View,
    scope: Scope,
}

impl Scope {
    pub fn of(folders: &[RelPath]) -> Scope {
        Scope(Some(folders.into()))
    }

    /// Whether a file lies where the client may look.
    pub fn holds(&self, path: &RelPath) -> bool {
        self.0.as_ref().is_none_or(|folders| folders.iter().any(|folder| is_within(path, folder)))
    }

    /// The same, whatever the spelling.
    fn holds_folded(&self, path: &RelPath) -> bool {
        let folded = RelPath::new(&path.fold());
        let within = |folder: &RelPath| {
            RelPath::new(&folder.fold()).is_ok_and(|folder| folded.as_ref().is_ok_and(|path| is_within(path, &folder)))
        };
        self.0.as_ref().is_none_or(|folders| folders.iter().any(within))
    }

    /// Whether a path that is written out, of a file or a folder, lies where the client may look.
    fn holds_written(&self, path: &str) -> bool {
        let is_one = |folders: &Arc<[RelPath]>| folders.iter().any(|folder| folder.as_str() == path);
        self.0.as_ref().is_none_or(is_one) || RelPath::new(path).is_ok_and(|path| self.holds(&path))
    }

    /// Whether a folder is one of those, below one, or on the way to one.
    fn shows_folder(&self, folder: &str) -> bool {
        let leads_there = |seen: &RelPath| RelPath::new(folder).is_ok_and(|folder| is_within(seen, &folder));
        self.holds_written(folder) || self.0.as_ref().is_some_and(|folders| folders.iter().any(leads_there))
    }

    /// Which of the folders in which a client writes freely lie where it may look; `None` is everywhere.
    pub fn narrowed(&self, free: Option<Arc<[RelPath]>>) -> Option<Arc<[RelPath]>> {
        let Some(seen) = &self.0 else { return free };
        let Some(free) = free else { return Some(seen.clone()) };
        let inner = |one: &RelPath, other: &RelPath| (one == other || is_within(one, other)).then(|| one.clone());
        let both =
            |free: &RelPath| seen.iter().filter_map(|seen| inner(free, seen).or(inner(seen, free))).collect::<Vec<_>>();
        Some(free.iter().flat_map(both).collect())
    }

    /// Shows a snapshot to the client.
    pub fn view(&self, view: View) -> DeskView {
        DeskView { view, scope: self.clone() }
    }
}

/// A sentence with more backticks than this is not looked through: every pair of them may quote something.
const MOST_TICKS: usize = 200;

/// Whether a quotation may be the path of a file: it is in a folder, or has an ending.
fn may_be_path(quoted: &str) -> bool {
    let is_ending = |ending: &str| (1..=12).contains(&ending.len()) && !ending.contains(char::is_whitespace);
    quoted.contains('/') || quoted.rsplit_once('.').is_some_and(|(_, ending)| is_ending(ending))
}

impl DeskView {
    /// Reads a note now, whatever the index believes.
    ///
    /// # Errors
    /// As `View::note`.
    pub fn note(&self, at: &NoteRef) -> Result<OpenNote, NoteError> {
        self.view.open_note(&self.locate(at)?)
    }

    /// Finds the path that a name means among what the client may see.
    ///
    /// # Errors
    /// As `View::locate`.
    pub fn locate(&self, at: &NoteRef) -> Result<RelPath, NoteError> {
        if self.scope.0.is_none() {
            return self.view.locate(at);
        }
        match at {
            NoteRef::Path(path) => self.locate_path(path),
            NoteRef::Id(id) => {
                self.by_id(id).ok_or_else(|| NoteError::NotFound { wanted: id.to_string(), suggestions: Vec::new() })
            }
            NoteRef::PathOrId(wanted) => match wanted.parse().ok().and_then(|id| self.by_id(&id)) {
                Some(path) => Ok(path),
                None => self.locate_path(wanted),
            },
            NoteRef::Title(title) => match self.view.index.find_title_where(title, &|path| self.sees(path)) {
                TitleMatch::One(path) => Ok(path),
                TitleMatch::Many(paths) => {
                    Err(NoteError::Ambiguous { wanted: title.clone(), candidates: self.view.candidates(&paths) })
                }
                TitleMatch::None { nearest } => {
                    let suggestions = nearest.into_iter().map(|path| path.as_str().to_owned()).collect();
                    Err(NoteError::NotFound { wanted: title.clone(), suggestions })
                }
            },
        }
    }

    /// Whether a file lies where the client may look, and is no symbolic link to one that does not.
    fn sees(&self, path: &RelPath) -> bool {
        let is_real = || self.view.reader.real(path).is_some_and(|real| self.scope.holds(&real));
        self.scope.0.is_none() || (self.scope.holds(path) && is_real())
    }

    /// The same of a path that is written out, of a file or a folder.
    fn sees_written(&self, path: &str) -> bool {
        let is_real = || RelPath::new(path).is_ok_and(|path| self.sees(&path) || !self.scope.holds(&path));
        self.scope.0.is_none() || (self.scope.holds_written(path) && is_real())
    }

    fn by_id(&self, id: &note::NoteId) -> Option<RelPath> {
        let first = self.view.index.entry_by_id(id)?;
        if self.sees(&first.path) {
            return Some(first.path.clone());
        }
        // A note that the client may not see may have the same.
        let twins = self.view.index.files().filter(|entry| entry.id == Some(*id) && self.sees(&entry.path));
        twins.map(|entry| entry.path.clone()).min()
    }

    fn locate_path(&self, wanted: &str) -> Result<RelPath, NoteError> {
        let lexical = RelPath::lenient(wanted).ok();
        let is_inside = lexical.as_ref().is_some_and(|path| self.scope.holds_folded(path));
        let found = self.view.locate(&NoteRef::Path(wanted.to_owned()));
        match &found {
            Ok(path) if is_inside && self.scope.holds(path) => return found,
            Err(NoteError::OutsideVault { .. } | NoteError::Hidden { .. }) => return found,
            // What stands in the way of reading a note is told of those that lie inside, and not by the name of a link.
            Err(NoteError::NotANote { .. } | NoteError::TooLarge { .. } | NoteError::Unreadable { .. })
                if lexical.as_ref().is_some_and(|path| {
                    self.scope.holds(path) && self.view.reader.real(path).is_none_or(|real| real == *path)
                }) =>
            {
                return found;
            }
            _ => {}
        }
        let spellings = [wanted.to_owned(), format!("{wanted}.md")];
        let spellings = spellings.iter().filter(|_| is_inside).filter_map(|path| RelPath::lenient(path).ok());
        for spelling in spellings {
            let mut twins = self.view.index.lookup_folded(&spelling.fold());
            twins.retain(|path| path.is_note() && self.sees(path));
            match twins.as_slice() {
                [] => {}
                [one] => return Ok(one.clone()),
                many => {
                    let candidates = self.view.candidates(many);
                    return Err(NoteError::Ambiguous { wanted: wanted.to_owned(), candidates });
                }
            }
        }
        let name = wanted.rsplit('/').next().unwrap_or(wanted);
        let name = name.strip_suffix(".md").unwrap_or(name);
        let nearest = match self.view.index.find_title_where(name, &|path| self.sees(path)) {
            TitleMatch::One(path) => vec![path],
            TitleMatch::Many(paths) => paths,
            TitleMatch::None { nearest } => nearest,
        };
        let suggestions = nearest.into_iter().take(5).map(|path| path.as_str().to_owned()).collect();
        Err(NoteError::NotFound { wanted: wanted.to_owned(), suggestions })
    }

    /// Searches what the client may see. Files that are not `admitted`, by path and hash, are as good as not there.
    pub fn search(&self, query: &Query, admitted: &dyn Fn(&str, Option<&ContentHash>) -> bool) -> SearchPage {
        self.view
            .search_where(query, &|entry| self.sees(&entry.path) && admitted(entry.path.as_str(), entry.hash.as_ref()))
    }

    /// Lists the links to a note, by path and line.
    pub fn backlinks(&self, to: &RelPath) -> Vec<BacklinkView> {
        let mut links = if self.scope.holds(to) { self.view.backlinks(to) } else { Vec::new() };
        links.retain(|link| RelPath::new(&link.path).is_ok_and(|path| self.sees(&path)));
        links
    }

    /// Lists all notes, in path order.
    pub fn notes(&self) -> Vec<NoteListItem> {
        self.list_notes(&NoteQuery { limit: usize::MAX, ..NoteQuery::default() }).notes
    }

    /// Lists the notes that a query asks for.
    pub fn list_notes(&self, query: &NoteQuery) -> NotePage {
        self.view.list_notes_where(query, &|path| self.sees(path))
    }

    /// Lists every folder, in path order.
    pub fn folders(&self) -> Vec<String> {
        self.view.folders().into_iter().filter(|folder| self.scope.shows_folder(folder)).collect()
    }

    /// Lists the folders directly in a folder; `""` is the vault's root.
    pub fn subfolders(&self, folder: &str) -> Vec<String> {
        let rows = self.view.tree(folder).unwrap_or_default().into_iter();
        let folders = rows.filter(|row| row.kind == EntryKind::Folder).map(|row| row.path);
        folders.filter(|folder| self.scope.shows_folder(folder)).collect()
    }

    /// Resolves the path part of a link, seen from a note.
    pub fn resolve_path(&self, from: &RelPath, target: &str) -> Option<RelPath> {
        self.view.resolve_path(from, target).filter(|path| self.sees(path))
    }

    /// Returns the name that a note is asked for by, if that is a symbolic link to it.
    pub fn named_by_link(&self, wanted: &str) -> Option<RelPath> {
        self.view.named_by_link(wanted).filter(|path| self.sees(path))
    }

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
            _ => return if self.scope.0.is_none() { Ok(()) } else { Err(ProposeError::WritesOff) },
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
        self.warn(&mut operation.summary.warnings, n_files - operation.files.len());
        if let Some(Readiness::Blocked { message }) = &mut operation.readiness
            && self.names_more(message)
        {
            *message = "the notes changed so that it no longer fits".to_owned();
        }
        Some(operation)
    }

    /// The same for what a person is shown of it.
    pub(crate) fn review(&self, mut review: Review) -> Option<Review> {
        let n_hidden = self.files(&mut review.files);
        self.warn(&mut review.warnings, n_hidden);
        if review.operation.files.is_empty() {
            self.warn(&mut review.operation.summary.warnings, n_hidden);
        }
        Some(Review { operation: self.operation(review.operation)?, ..review })
    }

    /// Keeps the files that the client may see, and returns how many others there are.
    pub(crate) fn files(&self, files: &mut Vec<FileReview>) -> usize {
        let n_files = files.len();
        files.retain(|file| self.sees_written(&file.path));
        n_files - files.len()
    }

    /// Keeps the warnings that name nothing else, and says how many files the client is not shown.
    pub(crate) fn warn(&self, warnings: &mut Vec<String>, n_hidden: usize) {
        if self.scope.0.is_none() {
            return;
        }
        let n_warnings = warnings.len();
        warnings.retain(|warning| !self.names_more(warning));
        let n_more = n_warnings - warnings.len();
        for (n, what) in [(n_hidden, "file"), (n_more, "warning")].into_iter().filter(|(n, _)| *n > 0) {
            let (plural, goes) = if n == 1 { ("", "is") } else { ("s", "are") };
            warnings.push(format!("{n} {what}{plural} beyond the folders open to you {goes} shown to the person only"));
        }
    }

    /// Turns a refusal that tells of what the client may not see into one that does not.
    pub(crate) fn refusal(&self, error: ProposeError, lead_is_hidden: impl FnOnce(&str) -> bool) -> ProposeError {
        if self.scope.0.is_none() {
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
                ProposeError::Write(WriteError::Held { files })
            }
            ProposeError::Write(WriteError::Interrupted { mut files }) => {
                files.retain(|path| self.sees(path));
                ProposeError::Write(WriteError::Interrupted { files })
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
            return self.scope.0.is_some();
        }
        let mut quoted = ticks
            .iter()
            .enumerate()
            .flat_map(|(n, start)| ticks[n + 1..].iter().map(move |end| &sentence[*start + 1..*end]));
        // What could not be read may be a folder of the vault's root, which looks like any word.
        let is_path = |quoted: &str| may_be_path(quoted) || sentence.starts_with(UNREAD);
        self.scope.0.is_some() && quoted.any(|quoted| is_path(quoted) && !self.sees_written(quoted))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paths(names: &[&str]) -> Vec<RelPath> {
        names.iter().map(|name| RelPath::new(name).unwrap()).collect()
    }

    #[test]
    fn a_folder_is_shown_with_what_is_below_it_and_the_way_to_it() {
        let scope = Scope::of(&paths(&["a/b", "c"]));
        for (path, is_held, is_shown) in [
            ("a/b/x.md", true, true),
            ("c/d/x.md", true, true),
            ("a/b", false, true),
            ("a", false, true),
            ("a/bc", false, false),
            ("a/x.md", false, false),
            ("cd", false, false),
            ("C/x.md", false, false),
        ] {
            let held = scope.holds(&RelPath::new(path).unwrap());
            assert_eq!((held, scope.shows_folder(path)), (is_held, is_shown), "{path}");
        }
        assert!(scope.holds_folded(&RelPath::new("C/x.md").unwrap()));
        assert!(Scope::default().holds(&RelPath::new("x.md").unwrap()) && Scope::default().shows_folder("x"));
    }

    #[test]
    fn what_is_free_is_no_more_than_what_is_seen() {
        let check = |seen: Option<&[&str]>, free: Option<&[&str]>, both: Option<&[&str]>| {
            let scope = seen.map_or(Scope::default(), |seen| Scope::of(&paths(seen)));
            let narrowed = scope.narrowed(free.map(|free| paths(free).into()));
            assert_eq!(narrowed.as_deref(), both.map(paths).as_deref(), "{seen:?} {free:?}");
        };
        check(None, None, None);
        check(None, Some(&["a"]), Some(&["a"]));
        check(Some(&["a"]), None, Some(&["a"]));
        check(Some(&["a"]), Some(&["a/b"]), Some(&["a/b"]));
        check(Some(&["a/b"]), Some(&["a"]), Some(&["a/b"]));
        check(Some(&["a", "c"]), Some(&["c", "d"]), Some(&["c"]));
        check(Some(&["a"]), Some(&["b"]), Some(&[]));
    }

    #[test]
    fn quotations_that_may_be_paths_are_known() {
        for (quoted, is_path) in
            [("a/b", true), ("a.md", true), ("Plan.canvas", true), ("Plan", false), ("v1.2 of it", false), ("", false)]
        {
            assert_eq!(may_be_path(quoted), is_path, "{quoted}");
        }
    }
}
