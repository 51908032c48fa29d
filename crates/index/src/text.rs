//! The full text: one tantivy document for each section of a note.

use std::collections::HashMap;
use std::path::Path;

use note::{ContentHash, Note, RelPath};
use serde::{Deserialize, Serialize};
use tantivy::directory::error::LockError;
use tantivy::index::{SegmentComponent, SegmentMeta};
use tantivy::indexer::IndexWriterOptions;
use tantivy::schema::{FAST, Field, INDEXED, IndexRecordOption, STORED, Schema, TextFieldIndexing, TextOptions, Value};
use tantivy::tokenizer::TextAnalyzer;
use tantivy::{
    IndexReader, IndexSettings, IndexWriter, ReloadPolicy, Searcher, TantivyDocument, TantivyError, Term, doc,
};

use crate::IndexError;
use crate::catalog;
use crate::directory::TextDirectory;
use crate::entry::Entry;
use crate::merging::Tiers;
use crate::words::WordTokenizer;

const TOKENIZER: &str = "vidimus_words";

/// Enough for a batch of some hundred notes before tantivy spills a segment.
const WRITER_BYTES: usize = 32_000_000;

/// A file in tantivy: eight bytes of a hash of its path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub(crate) struct FileKey(pub(crate) u64);

impl FileKey {
    pub(crate) fn of(path: &RelPath) -> FileKey {
        FileKey(first_eight(blake3::hash(path.as_str().as_bytes()).as_bytes()))
    }
}

/// The part of a content hash that is kept beside every document.
pub(crate) fn hash_mark(hash: &ContentHash) -> u64 {
    first_eight(hash.as_bytes())
}

fn first_eight(bytes: &[u8; 32]) -> u64 {
    let mut eight = [0; 8];
    eight.copy_from_slice(&bytes[..8]);
    u64::from_le_bytes(eight)
}

/// The fields of a document.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Fields {
    pub(crate) file: Field,
    pub(crate) hash: Field,
    pub(crate) chunk: Field,
    pub(crate) body: Field,
    pub(crate) heading: Field,
    pub(crate) name: Field,
    pub(crate) place: Field,
}

/// Where a document's text stands in its note.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Place {
    /// The place of the section's heading in the outline; none before the first heading.
    pub(crate) section: Option<u32>,
    pub(crate) heading_path: Vec<String>,
    pub(crate) line_start: u32,
    pub(crate) line_end: u32,
}

impl Fields {
    fn schema() -> (Schema, Fields) {
        let mut schema = Schema::builder();
        let indexing = |record| TextFieldIndexing::default().set_tokenizer(TOKENIZER).set_index_option(record);
        let words = TextOptions::default().set_indexing_options(indexing(IndexRecordOption::WithFreqsAndPositions));
        let fields = Fields {
            file: schema.add_u64_field("file", INDEXED | FAST),
            hash: schema.add_u64_field("hash", FAST),
            chunk: schema.add_u64_field("chunk", FAST),
            body: schema.add_text_field("body", words.clone().set_stored()),
            heading: schema.add_text_field("heading", words.clone()),
            name: schema.add_text_field("name", words),
            place: schema.add_bytes_field("place", STORED),
        };
        (schema.build(), fields)
    }
}

/// The writing side.
pub(crate) struct TextIndex {
    writer: IndexWriter,
    reader: IndexReader,
    directory: TextDirectory,
    fields: Fields,
    /// Files that no catalog knew when the index was opened, until their removal is committed.
    strays: Vec<FileKey>,
    /// True if something was written since the last commit.
    dirty: bool,
}

impl std::fmt::Debug for TextIndex {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("TextIndex").field("dirty", &self.dirty).finish_non_exhaustive()
    }
}

impl Drop for TextIndex {
    fn drop(&mut self) {
        self.directory.close();
    }
}

impl TextIndex {
    /// Opens the index below `dir`, or makes one; also tells the generation of its last commit.
    ///
    /// `known` is the generation of the catalog. What was made durable at that generation is taken as
    /// it is; else every file is checked. Without a catalog the texts cannot be trusted at all.
    pub(crate) fn open(dir: &Path, known: Option<u64>) -> Result<(TextIndex, Option<u64>), OpenTextError> {
        let folder = catalog::make_folders(dir).map_err(OpenTextError::Unusable)?;
        let (schema, fields) = Fields::schema();
        let directory = TextDirectory::open(&folder).map_err(TantivyError::from)?;
        // A thread for each small segment costs more than it saves.
        let settings = IndexSettings { docstore_compress_dedicated_thread: false, ..IndexSettings::default() };
        let index = tantivy::Index::builder().schema(schema).settings(settings).open_or_create(directory.clone())?;
        index.tokenizers().register(TOKENIZER, TextAnalyzer::from(WordTokenizer));
        let options = IndexWriterOptions::builder().memory_budget_per_thread(WRITER_BYTES).num_merge_threads(1).build();
        let writer = index.writer_with_options(options).map_err(|error| match error {
            TantivyError::LockFailure(LockError::LockBusy, _) => {
                OpenTextError::Unusable(IndexError::Locked { folder: dir.display().to_string() })
            }
            error => error.into(),
        })?;
        writer.set_merge_policy(Box::new(Tiers));
        let metas = index.load_metas()?;
        let generation: Option<u64> = metas.payload.and_then(|payload| payload.parse().ok());
        let settled = directory.is_settled().map_err(TantivyError::from)? && generation == known;
        let is_whole = |segment| is_whole(&index, &directory, segment, settled);
        if known.is_none() && generation.is_some() || !metas.segments.iter().all(is_whole) {
            return Err(OpenTextError::Untrusted);
        }
        let reader = index.reader_builder().reload_policy(ReloadPolicy::Manual).try_into()?;
        Ok((TextIndex { writer, reader, directory, fields, strays: Vec::new(), dirty: false }, generation))
    }

    pub(crate) fn fields(&self) -> Fields {
        self.fields
    }

    pub(crate) fn searcher(&self) -> Searcher {
        self.reader.searcher()
    }

    pub(crate) fn remove(&mut self, file: FileKey) {
        self.writer.delete_term(Term::from_field_u64(self.fields.file, file.0));
        self.dirty = true;
    }

    /// Removes a file that no catalog knows, and does not forget to when other changes are taken back.
    pub(crate) fn remove_stray(&mut self, file: FileKey) {
        self.remove(file);
        self.strays.push(file);
    }

    /// Adds the documents of a note; those of an earlier text have to be removed first.
    pub(crate) fn put_note(&mut self, entry: &Entry, note: &Note, text: &str) -> Result<(), IndexError> {
        let file = FileKey::of(&entry.path);
        let first = note.headings.first().map_or(text.len(), |heading| heading.span.start);
        let mut lines = Lines { text, at: 0, line: 1 };
        let before = text.get(..first).unwrap_or(text);
        let mut named = false;
        // A note that begins with a heading has no part before it; an empty note still has a name.
        if !before.trim().is_empty() || note.headings.is_empty() {
            let (line_start, line_end) = lines.span(0, first);
            let place = Place { section: None, heading_path: Vec::new(), line_start, line_end };
            self.put(file, entry, &place, "", before, true)?;
            named = true;
        }
        for (index, heading) in note.headings.iter().enumerate() {
            let start = heading.span.start;
            let end = note.headings.get(index + 1).map_or(text.len(), |next| next.span.start);
            let (line_start, line_end) = lines.span(start, end);
            let heading_path = note.heading_path(index);
            let place = Place { section: u32::try_from(index).ok(), heading_path, line_start, line_end };
            self.put(file, entry, &place, &heading.text, text.get(start..end).unwrap_or_default(), !named)?;
            named = true;
        }
        Ok(())
    }

    /// Adds the document of a canvas; that of an earlier text has to be removed first.
    pub(crate) fn put_canvas(&mut self, entry: &Entry, text: &str) -> Result<(), IndexError> {
        let file = FileKey::of(&entry.path);
        let place = Place { section: None, heading_path: Vec::new(), line_start: 1, line_end: 1 };
        self.put(file, entry, &place, "", text, true)
    }

    fn put(
        &mut self,
        file: FileKey,
        entry: &Entry,
        place: &Place,
        heading: &str,
        body: &str,
        named: bool,
    ) -> Result<(), IndexError> {
        let fields = self.fields;
        let mut document = doc!(
            fields.file => file.0,
            fields.hash => entry.hash.as_ref().map_or(0, hash_mark),
            fields.chunk => place.section.map_or(0, |section| u64::from(section) + 1),
            fields.body => body,
            fields.place => postcard::to_stdvec(place)?,
        );
        if !heading.is_empty() {
            document.add_text(fields.heading, heading);
        }
        if named {
            document.add_text(fields.name, entry.path.parent());
            entry.names().for_each(|name| document.add_text(fields.name, name));
        }
        self.dirty = true;
        self.writer.add_document(document)?;
        Ok(())
    }

    /// True if something was written that a loss of power could take.
    pub(crate) fn is_unsettled(&self) -> bool {
        self.directory.is_unsettled()
    }

    #[cfg(test)]
    pub(crate) fn refuse_writes(&self, refuse: bool) {
        self.directory.refuse_writes(refuse);
    }

    /// Makes every commit durable.
    pub(crate) fn settle(&self) -> std::io::Result<()> {
        self.directory.settle()
    }

    /// Makes what was written visible. Does nothing if nothing was written, unless the generation
    /// must be noted in any case.
    pub(crate) fn commit(&mut self, generation: u64, always: bool) -> Result<(), IndexError> {
        if self.dirty || always {
            let mut commit = self.writer.prepare_commit()?;
            commit.set_payload(&generation.to_string());
            commit.commit()?;
            self.reader.reload()?;
            self.dirty = false;
            self.strays.clear();
        }
        Ok(())
    }

    /// Goes back to the last commit after an error.
    pub(crate) fn roll_back(&mut self) {
        // Should this fail too, every later commit fails, and the index has to be opened again.
        self.dirty = self.writer.rollback().is_err();
        // The writer is a new one.
        self.writer.set_merge_policy(Box::new(Tiers));
        for file in std::mem::take(&mut self.strays) {
            self.remove_stray(file);
        }
    }

    /// Removes every document.
    pub(crate) fn clear(&mut self, generation: u64) -> Result<(), IndexError> {
        self.writer.delete_all_documents()?;
        self.commit(generation, true)
    }

    /// The hash mark of every file that has documents; a file whose documents disagree has none.
    pub(crate) fn marks(&self) -> Result<HashMap<FileKey, Option<u64>>, IndexError> {
        let mut marks: HashMap<FileKey, Option<u64>> = HashMap::new();
        for segment in self.searcher().segment_readers() {
            let files = segment.fast_fields().u64("file")?;
            let hashes = segment.fast_fields().u64("hash")?;
            for document in segment.doc_ids_alive() {
                let (Some(file), Some(hash)) = (files.first(document), hashes.first(document)) else {
                    continue;
                };
                let mark = marks.entry(FileKey(file)).or_insert(Some(hash));
                if *mark != Some(hash) {
                    *mark = None;
                }
            }
        }
        Ok(marks)
    }
}

/// Why the full text of a folder is not opened.
pub(crate) enum OpenTextError {
    /// The folder cannot be used now, whatever it holds.
    Unusable(IndexError),
    /// Tantivy cannot read what is there.
    Unreadable(TantivyError),
    /// Something is missing or torn, or no catalog belongs to it.
    Untrusted,
}

impl From<TantivyError> for OpenTextError {
    fn from(error: TantivyError) -> OpenTextError {
        OpenTextError::Unreadable(error)
    }
}

/// True if every file of this segment is there and, unless all was made durable, holds what was written.
fn is_whole(index: &tantivy::Index, directory: &TextDirectory, segment: &SegmentMeta, settled: bool) -> bool {
    use SegmentComponent::{Delete, FastFields, FieldNorms, Positions, Postings, Store, Terms};
    let deletes = segment.has_deletes().then_some(Delete);
    let mut components = [Postings, Positions, FastFields, FieldNorms, Terms, Store].into_iter().chain(deletes);
    components.all(|component| {
        let path = segment.relative_path(component);
        let right = || index.directory().validate_checksum(&path).unwrap_or(false);
        directory.has_footer(&path) && (settled || right())
    })
}

/// The text and the place of a stored document.
pub(crate) fn stored(document: &TantivyDocument, fields: Fields) -> Option<(&str, Place)> {
    let body = stored_body(document, fields)?;
    let place = postcard::from_bytes(document.get_first(fields.place)?.as_bytes()?).ok()?;
    Some((body, place))
}

/// The text of a stored document.
pub(crate) fn stored_body(document: &TantivyDocument, fields: Fields) -> Option<&str> {
    document.get_first(fields.body)?.as_str()
}

/// Counts lines while walking forward through a text.
struct Lines<'t> {
    text: &'t str,
    at: usize,
    line: u32,
}

impl Lines<'_> {
    /// The first and the last line of the bytes from `start` to `end`.
    fn span(&mut self, start: usize, end: usize) -> (u32, u32) {
        self.walk(start);
        let first = self.line;
        self.walk(end);
        // A part that ends with a line ending stops at that line, not at the next.
        let last = if self.at > 0 && self.text.as_bytes().get(self.at - 1).is_some_and(is_line_end) {
            self.line - 1
        } else {
            self.line
        };
        (first, last.max(first))
    }

    fn walk(&mut self, to: usize) {
        let bytes = self.text.as_bytes();
        let to = to.min(bytes.len());
        while self.at < to {
            self.line += u32::from(ends_line(bytes, self.at));
            self.at += 1;
        }
    }
}

/// How many lines end before byte `to`.
pub(crate) fn n_line_ends(text: &str, to: usize) -> u32 {
    let ends = (0..to.min(text.len())).filter(|at| ends_line(text.as_bytes(), *at));
    u32::try_from(ends.count()).unwrap_or(u32::MAX)
}

/// The two bytes of CRLF are one line ending, counted at its second.
fn ends_line(bytes: &[u8], at: usize) -> bool {
    match bytes[at] {
        b'\n' => true,
        b'\r' => bytes.get(at + 1) != Some(&b'\n'),
        _ => false,
    }
}

fn is_line_end(byte: &u8) -> bool {
    matches!(byte, b'\n' | b'\r')
}
