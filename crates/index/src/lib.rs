//! What we derive: full text, catalog, link graph. Delete it and nothing is lost.
//!
//! The engine tells an [`Index`] facts about files and gets back an [`IndexView`], an immutable
//! snapshot that any thread may read. The index never looks at the vault: it touches only the
//! folder that it is handed.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use note::{CanvasLink, ContentHash, Note, NoteId, RelPath};

mod shards;

mod entry;

mod folders;

mod catalog;

mod resolve;

mod links;

mod titles;

mod ignore;

mod words;

mod directory;

mod merging;

mod text;

mod needle;

mod query;

mod parse;

mod rows;

mod evaluate;

mod snippet;

mod search;

mod view;

#[cfg(test)]
mod fixture;
#[cfg(test)]
mod tests;

pub use entry::{Entry, FileKind, HeadingFact, IndexStat, LinkFact, LinkForm, PropertyFact};
pub use folders::{Child, ChildKind};
pub use ignore::IgnoreFilters;
pub use links::{Backlink, Unresolved};
pub use search::{Hit, Hits, Query, QueryError};
pub use titles::TitleMatch;
pub use view::{IndexView, TagCount};

use catalog::{Catalog, OnDisk};
use text::{OpenTextError, TextIndex};

/// What the index is told.
#[derive(Debug, Clone)]
pub enum Fact<'a> {
    /// A note was read.
    Seen {
        /// Where it is.
        path: RelPath,
        /// Its id.
        id: NoteId,
        /// What the file system said when it was read.
        stat: IndexStat,
        /// The hash of its bytes.
        hash: ContentHash,
        /// Its parse.
        note: &'a Note,
        /// The text that was parsed. It may be masked, byte for byte, where search must not look.
        text: &'a str,
    },
    /// A canvas was read.
    Canvas {
        /// Where it is.
        path: RelPath,
        /// What the file system said when it was read.
        stat: IndexStat,
        /// The hash of its bytes.
        hash: ContentHash,
        /// Its links, of file nodes and of text cards.
        links: Vec<CanvasLink>,
        /// What its text cards and groups say, for search.
        text: String,
    },
    /// Another file is there.
    Attachment {
        /// Where it is.
        path: RelPath,
        /// What the file system said.
        stat: IndexStat,
    },
    /// A folder is there, though it may hold nothing. Folders of known files need no such fact.
    Folder {
        /// Where it is.
        path: RelPath,
    },
    /// A file or an empty folder is no longer there.
    Gone {
        /// Where it was.
        path: RelPath,
    },
}

/// Why the index could not do its work. If trying again does not help, [`Index::open`] again; if that
/// fails too, delete the folder: nothing is lost.
#[derive(Debug, thiserror::Error)]
pub enum IndexError {
    /// The folder of the index cannot be made, read or written.
    #[error("index folder cannot be used: `{folder}`: {source}")]
    Folder {
        /// The folder.
        folder: String,
        /// What the system said.
        source: std::io::Error,
    },
    /// Another program holds the full-text index of this folder.
    #[error("index is in use by another program: `{folder}`")]
    Locked {
        /// The folder.
        folder: String,
    },
    /// The full-text index failed.
    #[error("full-text index failed: {0}")]
    Text(#[from] tantivy::TantivyError),
    /// The catalog cannot be written down.
    #[error("catalog cannot be encoded: {0}")]
    Encode(#[from] postcard::Error),
}

/// What [`Index::open`] found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Opened {
    /// Everything that was written down last time.
    Whole,
    /// Catalog and text did not agree on this many files, so these are forgotten: a scan that
    /// compares stats will tell them again.
    Partial {
        /// How many files were forgotten.
        n_forgotten: usize,
    },
    /// Nothing, or nothing that could be trusted: every file must be told again.
    Empty,
}

/// The writing side of the index; one thread owns it.
#[derive(Debug)]
pub struct Index {
    dir: PathBuf,
    catalog: Catalog,
    text: TextIndex,
    ignored: Arc<IgnoreFilters>,
    opened: Opened,
    /// The generation that is written down.
    stored: Option<u64>,
    on_disk: OnDisk,
    /// The files that changed since; none if more than files may have.
    changed: Option<BTreeSet<RelPath>>,
}

impl Index {
    /// Opens the index in `dir`, making the folder if it is missing.
    ///
    /// What is torn, of another version, or does not fit together counts as absent; see
    /// [`Index::opened`] for how much is left.
    pub fn open(dir: &Path) -> Result<(Index, IndexView), IndexError> {
        let (mut catalog, on_disk) = OnDisk::load(dir).unzip();
        let known = catalog.as_ref().map(|catalog| catalog.generation);
        let text = match TextIndex::open(dir, known) {
            Err(OpenTextError::Unreadable(_) | OpenTextError::Untrusted) => {
                catalog = None;
                catalog::clear_folder(dir)?;
                TextIndex::open(dir, None)
            }
            text => text,
        };
        let (mut text, generation) = text.map_err(|error| match error {
            OpenTextError::Unusable(error) => error,
            OpenTextError::Unreadable(error) => error.into(),
            OpenTextError::Untrusted => {
                let source = std::io::Error::other("what was written to it cannot be read back");
                catalog::folder_error(dir, source)
            }
        })?;
        let (catalog, opened) = match (catalog, generation) {
            (Some(catalog), Some(generation)) if catalog.generation == generation => (catalog, Opened::Whole),
            (Some(catalog), Some(generation)) => agree(catalog, generation, &mut text)?,
            _ => (Catalog::default(), Opened::Empty),
        };
        let stored = (opened == Opened::Whole).then_some(catalog.generation);
        let index = Index {
            dir: dir.to_owned(),
            catalog,
            text,
            ignored: Arc::default(),
            opened,
            stored,
            on_disk: on_disk.unwrap_or_default(),
            changed: stored.map(|_| BTreeSet::new()),
        };
        let view = index.view();
        Ok((index, view))
    }

    /// How much of the index was there when it was opened.
    pub fn opened(&self) -> Opened {
        self.opened
    }

    /// Takes in facts, in order, and returns the view that knows them.
    ///
    /// Text is searchable when this returns. A large batch is cheaper than many small ones: some
    /// hundred notes at a time are a good size. After an error nothing of the batch is known, and
    /// it can be tried again.
    pub fn apply(&mut self, facts: &[Fact<'_>]) -> Result<IndexView, IndexError> {
        if facts.is_empty() {
            return Ok(self.view());
        }
        let before = self.catalog.clone();
        if let Err(error) = self.take_all(facts) {
            self.catalog = before;
            self.text.roll_back();
            return Err(error);
        }
        Ok(self.view())
    }

    /// Sets which files the vault's settings exclude from search and counts.
    pub fn ignore(&mut self, filters: IgnoreFilters) -> IndexView {
        self.ignored = Arc::new(filters);
        self.view()
    }

    /// Writes everything down, for a quick start next time. To be called when there is time.
    pub fn flush(&mut self) -> Result<(), IndexError> {
        let is_stored = self.stored == Some(self.catalog.generation);
        // The text first: a catalog may lag behind the text, but must not promise text that is lost.
        if !is_stored {
            self.text.commit(self.catalog.generation, true)?;
        }
        if self.text.is_unsettled() {
            self.text.settle().map_err(|source| catalog::folder_error(&self.dir, source))?;
        }
        if !is_stored {
            self.on_disk.store(&self.catalog, self.changed.as_ref(), &self.dir)?;
            self.stored = Some(self.catalog.generation);
            self.changed = Some(BTreeSet::new());
        }
        Ok(())
    }

    /// Forgets everything, for a rebuild that the person asks for.
    pub fn clear(&mut self) -> Result<IndexView, IndexError> {
        let generation = self.catalog.generation + 1;
        self.text.clear(generation)?;
        catalog::remove_stored(&self.dir)?;
        self.catalog = Catalog::default();
        self.catalog.generation = generation;
        self.stored = None;
        self.on_disk = OnDisk::default();
        self.changed = None;
        Ok(self.view())
    }

    /// The current state.
    pub fn view(&self) -> IndexView {
        IndexView::new(self.catalog.clone(), self.text.searcher(), self.text.fields(), Arc::clone(&self.ignored))
    }

    fn take_all(&mut self, facts: &[Fact<'_>]) -> Result<(), IndexError> {
        self.catalog.generation += 1;
        for fact in facts {
            self.take(fact)?;
        }
        self.text.commit(self.catalog.generation, false)
    }

    fn take(&mut self, fact: &Fact<'_>) -> Result<(), IndexError> {
        self.note_change(fact);
        match fact {
            Fact::Seen { path, id, stat, hash, note, text } => {
                let entry = Entry::of_note(path.clone(), *id, *stat, *hash, note, text);
                if !self.is_indexed(&entry) {
                    self.remove_text(path);
                    self.text.put_note(&entry, note, text)?;
                }
                self.catalog.insert(entry);
            }
            Fact::Canvas { path, stat, hash, links, text } => {
                let entry = Entry::of_canvas(path.clone(), *stat, *hash, links, text);
                if !self.is_indexed(&entry) {
                    self.remove_text(path);
                    self.text.put_canvas(&entry, text)?;
                }
                self.catalog.insert(entry);
            }
            Fact::Attachment { path, stat } => {
                let entry = Entry::of_attachment(path.clone(), *stat);
                self.remove_text(path);
                self.catalog.insert(entry);
            }
            Fact::Folder { path } => self.catalog.folders.declare(path),
            Fact::Gone { path } => {
                self.remove_text(path);
                self.catalog.remove(path);
            }
        }
        Ok(())
    }

    fn note_change(&mut self, fact: &Fact<'_>) {
        match fact {
            Fact::Seen { path, .. } | Fact::Canvas { path, .. } | Fact::Attachment { path, .. } => {
                self.changed.as_mut().map(|changed| changed.insert(path.clone()));
            }
            Fact::Gone { path } if self.catalog.entry(path).is_some() => {
                self.changed.as_mut().map(|changed| changed.insert(path.clone()));
            }
            // About a folder.
            Fact::Folder { .. } | Fact::Gone { .. } => self.changed = None,
        }
    }

    /// True if the same bytes are indexed already, so that only the stat or the id is news.
    fn is_indexed(&self, entry: &Entry) -> bool {
        self.catalog.entry(&entry.path).is_some_and(|known| known.kind == entry.kind && known.hash == entry.hash)
    }

    /// Removes the documents of a file if there are any: of a new one there are none, and every
    /// removal has tantivy look through all segments.
    fn remove_text(&mut self, path: &RelPath) {
        if self.catalog.entry(path).is_some_and(|known| known.kind != FileKind::Attachment) {
            self.text.remove(text::FileKey::of(path));
        }
    }
}

/// Keeps of a catalog what the text agrees with, after a stop between two flushes.
fn agree(mut catalog: Catalog, generation: u64, text: &mut TextIndex) -> Result<(Catalog, Opened), IndexError> {
    let marks = text.marks()?;
    let with_text = catalog.entries.iter().filter(|(_, entry)| entry.kind != FileKind::Attachment);
    let differs = |entry: &Entry| {
        let mark = entry.hash.as_ref().map(text::hash_mark);
        marks.get(&text::FileKey::of(&entry.path)).copied().flatten() != mark
    };
    let forgotten: Vec<RelPath> = with_text.filter(|(_, entry)| differs(entry)).map(|(path, _)| path.clone()).collect();
    forgotten.iter().for_each(|path| catalog.remove(path));
    for file in marks.keys() {
        if catalog.by_key.get(file).is_none() {
            text.remove_stray(*file);
        }
    }
    catalog.generation = catalog.generation.max(generation);
    Ok((catalog, Opened::Partial { n_forgotten: forgotten.len() }))
}
