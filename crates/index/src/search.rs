//! Answering a query.
//!
//! Words are joined by file, as a person expects of "notes that say both", while documents are
//! sections. So each word is looked up alone, the answers are joined by file, and of every file that
//! is left those sections are shown that hold the most of the words.

use std::cmp::Ordering;
use std::ops::Range;

use note::{NoteId, RelPath, fold};
use tantivy::query::TermQuery;
use tantivy::schema::IndexRecordOption;
use tantivy::{DocAddress, Searcher, TantivyDocument, Term};

use crate::catalog::Catalog;
use crate::entry::{Entry, FileKind};
use crate::evaluate::Evaluation;
use crate::ignore::IgnoreFilters;
use crate::parse::parse;
use crate::rows::{Row, collect};
use crate::snippet::snippet;
use crate::text::{Fields, FileKey, stored};

/// What is asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Query {
    /// The words, and the operators of the search box.
    pub text: String,
    /// Only files in this folder and below.
    pub folder: Option<String>,
    /// Only notes with all of these tags, or tags nested below them.
    pub tags: Vec<String>,
    /// Only notes with all of these properties, compared as text without regard to case.
    pub properties: Vec<(String, String)>,
    /// One hit for each file instead of one for each section.
    pub group_by_note: bool,
    /// How many hits to return.
    pub limit: usize,
    /// How many hits to leave out first.
    pub offset: usize,
}

impl Default for Query {
    fn default() -> Self {
        Query {
            text: String::new(),
            folder: None,
            tags: Vec::new(),
            properties: Vec::new(),
            group_by_note: false,
            limit: 20,
            offset: 0,
        }
    }
}

/// A page of answers.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Hits {
    /// How many hits there are in all.
    pub total: usize,
    /// The hits of this page, best first.
    pub hits: Vec<Hit>,
    /// Said when the query was not taken as it is written.
    pub query_note: Option<String>,
}

/// One section that answers a query.
#[derive(Debug, Clone, PartialEq)]
pub struct Hit {
    /// The file.
    pub path: RelPath,
    /// Its id, if it is a note.
    pub id: Option<NoteId>,
    /// The title of the file.
    pub title: String,
    /// How well it answers; comparable within one query only.
    pub score: f32,
    /// The place of the section's heading in the outline; none for the text before the first one.
    pub section: Option<usize>,
    /// The headings from the top to the section.
    pub heading_path: Vec<String>,
    /// The first line of the section, 1-based.
    pub line_start: u32,
    /// Its last line before the next heading.
    pub line_end: u32,
    /// The line of the first match, or the first line.
    pub line: u32,
    /// A piece of the text around the matches, in one line.
    pub snippet: String,
    /// What matched, as byte ranges of `snippet`, in order and disjoint.
    pub highlights: Vec<Range<usize>>,
}

impl Hit {
    /// The snippet in pieces; `true` marks those that matched.
    pub fn pieces(&self) -> Vec<(&str, bool)> {
        let mut pieces = Vec::new();
        let mut at = 0;
        for range in &self.highlights {
            pieces.push((&self.snippet[at..range.start], false));
            pieces.push((&self.snippet[range.clone()], true));
            at = range.end;
        }
        pieces.push((&self.snippet[at..], false));
        pieces.retain(|(text, _)| !text.is_empty());
        pieces
    }
}

/// Why a search failed. A query is never at fault.
#[derive(Debug, thiserror::Error)]
pub enum QueryError {
    /// The full-text index could not be read.
    #[error("full-text index cannot be read: {0}")]
    Text(#[from] tantivy::TantivyError),
}

/// Answers `query` from one state of catalog and text.
pub(crate) fn search(
    catalog: &Catalog,
    searcher: &Searcher,
    fields: Fields,
    ignored: &IgnoreFilters,
    query: &Query,
    admitted: &dyn Fn(&Entry) -> bool,
) -> Result<Hits, QueryError> {
    let parsed = parse(&query.text);
    let evaluation = Evaluation { catalog, searcher, fields };
    let found = evaluation.found(&parsed.expr)?;
    let mut ranked = Vec::new();
    for rows in found.rows.chunk_by(|a, b| a.file == b.file) {
        let Some(entry) = catalog.by_key.get(&rows[0].file) else { continue };
        if admits(query, entry) && !ignored.excludes(&entry.path) && admitted(entry) {
            rank(rows, entry, query.group_by_note, &mut ranked);
        }
    }
    // Of many thousand hits only the first few have to be in order.
    let n_wanted = query.offset.saturating_add(query.limit);
    if n_wanted < ranked.len() {
        ranked.select_nth_unstable_by(n_wanted, Ranked::order);
    }
    let n_wanted = n_wanted.min(ranked.len());
    ranked[..n_wanted].sort_unstable_by(Ranked::order);
    let needles = parsed.expr.needles();
    let mut hits = Vec::new();
    for ranked in ranked[..n_wanted].iter().skip(query.offset) {
        let address = match ranked.row {
            Some(row) => Some(row.address),
            None => first_document(searcher, fields, &ranked.entry.path)?,
        };
        let Some(address) = address else { continue };
        let document: TantivyDocument = searcher.doc(address)?;
        let Some((body, place)) = stored(&document, fields) else {
            continue;
        };
        let cut = snippet(body, &needles);
        hits.push(Hit {
            path: ranked.entry.path.clone(),
            id: ranked.entry.id,
            title: ranked.entry.title.clone(),
            score: ranked.score,
            section: place.section.map(|section| section as usize),
            heading_path: place.heading_path,
            line_start: place.line_start,
            line_end: place.line_end,
            line: place.line_start + cut.lines_before,
            snippet: cut.text,
            highlights: cut.highlights,
        });
    }
    Ok(Hits { total: ranked.len(), hits, query_note: parsed.note })
}

struct Ranked<'c> {
    entry: &'c Entry,
    score: f32,
    /// None if only the catalog knows why the file matched.
    row: Option<&'c Row>,
}

impl Ranked<'_> {
    /// The best first, equals by path and place.
    fn order(a: &Ranked<'_>, b: &Ranked<'_>) -> Ordering {
        let place = |ranked: &Ranked<'_>| ranked.row.map(|row| row.chunk);
        let by_score = b.score.partial_cmp(&a.score).unwrap_or(Ordering::Equal);
        by_score.then_with(|| a.entry.path.cmp(&b.entry.path)).then_with(|| place(a).cmp(&place(b)))
    }
}

/// Chooses the sections of one file that are shown: those that hold the most of what was asked.
fn rank<'c>(rows: &'c [Row], entry: &'c Entry, one: bool, ranked: &mut Vec<Ranked<'c>>) {
    let in_text = || rows.iter().filter(|row| row.chunk != Row::WHOLE_FILE);
    let Some(most) = in_text().map(|row| row.n_matched).max() else {
        ranked.push(Ranked { entry, score: 0.0, row: None });
        return;
    };
    let all: f32 = in_text().map(|row| row.score).sum();
    let best = in_text().filter(|row| row.n_matched == most);
    // What the rest of the file says counts a little. Rounded, because sums of the same numbers in
    // another order may differ in their last digits.
    let score = |row: &Row| ((row.score + 0.1 * (all - row.score)) * 1000.0).round() / 1000.0;
    let chosen = best.map(|row| Ranked { entry, score: score(row), row: Some(row) });
    if one {
        ranked.extend(chosen.reduce(|a, b| if b.score > a.score { b } else { a }));
    } else {
        ranked.extend(chosen);
    }
}

/// The filters of the query that are not part of its text.
fn admits(query: &Query, entry: &Entry) -> bool {
    let in_folder = query.folder.as_deref().is_none_or(|folder| {
        let folder = fold(folder.trim_matches('/'));
        folder.is_empty() || entry.path.fold().strip_prefix(&folder).is_some_and(|rest| rest.starts_with('/'))
    });
    in_folder
        && entry.kind != FileKind::Attachment
        && query.tags.iter().all(|tag| entry.has_tag(tag))
        && query.properties.iter().all(|(key, value)| entry.has_property(key, value))
}

/// The first document of a file.
fn first_document(searcher: &Searcher, fields: Fields, path: &RelPath) -> tantivy::Result<Option<DocAddress>> {
    let term = Term::from_field_u64(fields.file, FileKey::of(path).0);
    let rows = collect(searcher, &TermQuery::new(term, IndexRecordOption::Basic))?;
    Ok(rows.iter().min_by_key(|row| row.chunk).map(|row| row.address))
}
