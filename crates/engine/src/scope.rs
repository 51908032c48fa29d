//! What of a vault a client is let see. To it the rest is not there: not read, not found, not named, not counted.
//!
//! A desk hands out nothing but what went through here, so that no tool has to remember it.

use crate::allowance::is_within;
use crate::listing::{NoteListItem, NotePage, NoteQuery};
use crate::plan::any_text;
use crate::view::{NoteError, NoteRef, OpenNote};
use crate::{BacklinkView, EntryKind, Query, SearchPage, View};
use index::TitleMatch;
use note::{ContentHash, NoteText, RelPath};
use std::sync::Arc;

/// The folders that a client is let see; without any, the whole vault.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Scope(Option<Arc<[RelPath]>>);

/// A snapshot as one client sees it.
#[derive(Clone)]
pub struct DeskView {
    pub(crate) view: View,
    pub(crate) scope: Scope,
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

impl DeskView {
    /// Reads a note now, whatever the index believes.
    ///
    /// # Errors
    /// As `View::note`.
    pub fn note(&self, at: &NoteRef) -> Result<OpenNote, NoteError> {
        self.view.open_note(&self.locate(at)?)
    }

    /// Reads the text of the note at this very path, and nothing of what it means.
    pub fn text(&self, path: &str) -> Option<NoteText> {
        Some(any_text(self.view.reader.read(&self.seen_note(path)?).ok()?.bytes))
    }

    /// Opens the note at this very path; one that is a symbolic link, as what it leads to.
    pub fn open(&self, path: &str) -> Option<OpenNote> {
        let seen = self.seen_note(path)?;
        let read = self.view.read_note(&seen).ok()?;
        match read.stat.is_symlink {
            true => self.note(&NoteRef::Path(path.to_owned())).ok(),
            false => Some(self.view.opened(&seen, read)),
        }
    }

    /// Returns the hash of what the index knows of the note at this very path.
    pub fn known_hash(&self, path: &str) -> Option<ContentHash> {
        self.view.index.entry(&self.seen_note(path)?)?.hash
    }

    /// Whether the note at this very path could be written, as far as its file and the vault are concerned.
    pub fn is_writable(&self, path: &str) -> bool {
        self.seen_note(path).is_some_and(|path| self.view.reader.refusal(&path).is_none())
    }

    fn seen_note(&self, path: &str) -> Option<RelPath> {
        RelPath::new(path).ok().filter(|path| path.is_note() && self.sees(path))
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

    /// Whether nothing is kept from the client.
    pub(crate) fn sees_all(&self) -> bool {
        self.scope.0.is_none()
    }

    /// Whether a file lies where the client may look, and is no symbolic link to one that does not.
    pub(crate) fn sees(&self, path: &RelPath) -> bool {
        let is_real = || self.view.reader.real(path).is_some_and(|real| self.scope.holds(&real));
        self.scope.0.is_none() || (self.scope.holds(path) && is_real())
    }

    /// The same of a path that is written out, of a file or a folder.
    pub(crate) fn sees_written(&self, path: &str) -> bool {
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
}
