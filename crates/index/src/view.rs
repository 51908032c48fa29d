//! The reading side.

use std::collections::HashMap;
use std::sync::Arc;

use note::{NoteId, RelPath, fold};
use serde::Serialize;
use tantivy::Searcher;

use crate::catalog::Catalog;
use crate::entry::{Entry, FileKind};
use crate::folders::Child;
use crate::ignore::IgnoreFilters;
use crate::links::{Backlink, Unresolved};
use crate::search::{Hits, Query, QueryError, search};
use crate::text::Fields;
use crate::titles::TitleMatch;

/// An immutable state of the index; clones share it.
#[derive(Clone)]
pub struct IndexView(Arc<Snapshot>);

struct Snapshot {
    catalog: Catalog,
    searcher: Searcher,
    fields: Fields,
    ignored: Arc<IgnoreFilters>,
}

impl std::fmt::Debug for IndexView {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("IndexView").field("generation", &self.generation()).finish_non_exhaustive()
    }
}

/// A tag and how many notes have it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TagCount {
    /// The tag without `#`, in the spelling that most notes use.
    pub tag: String,
    /// How many notes have exactly this tag.
    pub n_notes: usize,
}

impl IndexView {
    pub(crate) fn new(catalog: Catalog, searcher: Searcher, fields: Fields, ignored: Arc<IgnoreFilters>) -> IndexView {
        IndexView(Arc::new(Snapshot { catalog, searcher, fields, ignored }))
    }

    /// Grows with every batch of facts.
    pub fn generation(&self) -> u64 {
        self.0.catalog.generation
    }

    /// What is known of the file at exactly this path.
    pub fn entry(&self, path: &RelPath) -> Option<&Entry> {
        self.0.catalog.entry(path).map(|entry| &**entry)
    }

    /// What is known of the note with this id; of twins, the first in path order.
    pub fn entry_by_id(&self, id: &NoteId) -> Option<&Entry> {
        self.entry(self.0.catalog.by_id.paths(id).first()?)
    }

    /// The files whose paths equal this one but for case and Unicode composition, in path order.
    pub fn lookup_folded(&self, path: &str) -> Vec<RelPath> {
        self.0.catalog.by_folded.paths(fold(path).as_str()).to_vec()
    }

    /// Every file, in no particular order.
    pub fn files(&self) -> impl Iterator<Item = &Entry> {
        self.0.catalog.entries.iter().map(|(_, entry)| &**entry)
    }

    /// How many files there are.
    pub fn n_files(&self) -> usize {
        self.0.catalog.entries.len()
    }

    /// How many of them are notes.
    pub fn n_notes(&self) -> usize {
        self.0.catalog.n_notes()
    }

    /// What is directly in a folder (`""` is the vault): folders first, each part in natural order.
    pub fn folder(&self, folder: &str) -> Vec<Child> {
        self.0.catalog.folder(folder)
    }

    /// Every folder, in path order.
    pub fn folders(&self) -> Vec<RelPath> {
        self.0.catalog.folders.all()
    }

    /// True if the folder is there, spelled exactly so.
    pub fn has_folder(&self, folder: &str) -> bool {
        self.0.catalog.folders.exists(folder)
    }

    /// The file that the path part of a link means in the note `from`, by Obsidian's rules.
    pub fn resolve(&self, linkpath: &str, from: &RelPath) -> Option<RelPath> {
        self.0.catalog.resolve(linkpath, from)
    }

    /// Every link to `to`, from notes and canvases, its own included, by path and place.
    pub fn backlinks(&self, to: &RelPath) -> Vec<Backlink> {
        self.0.catalog.backlinks(to)
    }

    /// The files that hold a link to `to`, in path order.
    pub fn linking_notes(&self, to: &RelPath) -> Vec<RelPath> {
        self.0.catalog.linking_notes(to)
    }

    /// The files with a link that names a file as `to` is named, wherever it leads, in path order.
    pub fn naming_notes(&self, to: &RelPath) -> Vec<RelPath> {
        self.0.catalog.naming_notes(to)
    }

    /// The notes with a link inside a `%%` comment that may mean `to`, in path order.
    pub fn commenting_notes(&self, to: &RelPath) -> Vec<RelPath> {
        self.0.catalog.commenting_notes(to)
    }

    /// Every link in this folder and below that means no file.
    pub fn unresolved(&self, folder: &str) -> Vec<Unresolved> {
        let folder = folder.trim_matches('/');
        self.0.catalog.unresolved(|path| {
            folder.is_empty() || path.as_str().strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'))
        })
    }

    /// The note that a person means by this title.
    pub fn find_title(&self, title: &str) -> TitleMatch {
        self.find_title_where(title, &|_| true)
    }

    /// The same as if only the notes that are admitted were there.
    pub fn find_title_where(&self, title: &str, admits: &dyn Fn(&RelPath) -> bool) -> TitleMatch {
        self.0.catalog.find_title(title, admits)
    }

    /// The notes with the names or paths nearest to this text, best first, at most five.
    pub fn nearest(&self, text: &str) -> Vec<RelPath> {
        let name = text.rsplit('/').next().unwrap_or(text);
        self.0.catalog.nearest(&fold(name.strip_suffix(".md").unwrap_or(name)), &|_| true)
    }

    /// Answers a query. Excluded files never appear.
    pub fn search(&self, query: &Query) -> Result<Hits, QueryError> {
        self.search_where(query, &|_| true)
    }

    /// The same as if only the files that are admitted were there. It asks once about each file that matches.
    pub fn search_where(&self, query: &Query, admits: &dyn Fn(&Entry) -> bool) -> Result<Hits, QueryError> {
        let Snapshot { catalog, searcher, fields, ignored } = &*self.0;
        search(catalog, searcher, *fields, ignored, query, admits)
    }

    /// Every tag with its number of notes, the most used first; excluded files do not count.
    pub fn tags(&self) -> Vec<TagCount> {
        let mut spellings: HashMap<String, HashMap<&str, usize>> = HashMap::new();
        for entry in self.files().filter(|entry| entry.kind == FileKind::Note && !self.is_ignored(&entry.path)) {
            let mut own: Vec<(String, &str)> = entry.tags.iter().map(|tag| (fold(tag), tag.as_str())).collect();
            own.sort();
            own.dedup_by(|a, b| a.0 == b.0);
            for (folded, tag) in own {
                *spellings.entry(folded).or_default().entry(tag).or_default() += 1;
            }
        }
        let count = |spellings: HashMap<&str, usize>| {
            let n_notes = spellings.values().sum();
            let usual = spellings.into_iter().max_by(|a, b| (a.1, b.0).cmp(&(b.1, a.0)));
            usual.map(|(tag, _)| TagCount { tag: tag.to_owned(), n_notes })
        };
        let mut tags: Vec<TagCount> = spellings.into_values().filter_map(count).collect();
        tags.sort_by(|a, b| b.n_notes.cmp(&a.n_notes).then_with(|| a.tag.cmp(&b.tag)));
        tags
    }

    /// True if the vault's settings exclude this file from search and counts.
    pub fn is_ignored(&self, path: &RelPath) -> bool {
        self.0.ignored.excludes(path)
    }
}
