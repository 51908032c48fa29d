//! Sections that matched, gathered from the full text and joined by file.

use std::cmp::Ordering;
use std::collections::HashSet;
use std::sync::Arc;

use tantivy::collector::{Collector, SegmentCollector};
use tantivy::columnar::ColumnValues;
use tantivy::query::{Bm25StatisticsProvider, Query};
use tantivy::schema::Field;
use tantivy::{DocAddress, DocId, Score, Searcher, SegmentOrdinal, SegmentReader, Term};

use crate::text::FileKey;

/// One section that matched.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Row {
    pub(crate) file: FileKey,
    /// The place of the section in its file.
    pub(crate) chunk: u64,
    pub(crate) address: DocAddress,
    pub(crate) score: f32,
    /// How many of the things asked for are in it.
    pub(crate) n_matched: u32,
}

impl Row {
    /// Stands in for the place when the file as a whole matched, and no section in particular.
    pub(crate) const WHOLE_FILE: u64 = u64::MAX;

    pub(crate) fn key(&self) -> (FileKey, u64) {
        (self.file, self.chunk)
    }

    pub(crate) fn whole(file: FileKey) -> Row {
        Row { file, chunk: Row::WHOLE_FILE, address: DocAddress::new(0, 0), score: 0.0, n_matched: 0 }
    }
}

/// Rows in the order of their keys.
#[derive(Debug, Clone, Default)]
pub(crate) struct Found {
    pub(crate) rows: Vec<Row>,
}

impl Found {
    pub(crate) fn files(&self) -> HashSet<FileKey> {
        self.rows.iter().map(|row| row.file).collect()
    }

    /// The rows of both; with `both`, only of files that are in both.
    pub(crate) fn merge(self, other: Found, both: bool) -> Found {
        let mut rows: Vec<Row> = Vec::with_capacity(self.rows.len().max(other.rows.len()));
        let mut a = self.rows.chunk_by(|x, y| x.file == y.file).peekable();
        let mut b = other.rows.chunk_by(|x, y| x.file == y.file).peekable();
        while let (Some(x), Some(y)) = (a.peek().copied(), b.peek().copied()) {
            match x[0].file.cmp(&y[0].file) {
                Ordering::Less => {
                    rows.extend(x.iter().filter(|_| !both));
                    a.next();
                }
                Ordering::Greater => {
                    rows.extend(y.iter().filter(|_| !both));
                    b.next();
                }
                Ordering::Equal => {
                    let start = rows.len();
                    rows.extend(x.iter().chain(y));
                    rows[start..].sort_unstable_by_key(Row::key);
                    let mut kept = start;
                    for next in start + 1..rows.len() {
                        if rows[kept].key() == rows[next].key() {
                            rows[kept].score += rows[next].score;
                            rows[kept].n_matched += rows[next].n_matched;
                        } else {
                            kept += 1;
                            rows[kept] = rows[next];
                        }
                    }
                    rows.truncate(kept + 1);
                    a.next();
                    b.next();
                }
            }
        }
        if !both {
            rows.extend(a.flatten());
            rows.extend(b.flatten());
        }
        Found { rows }
    }
}

/// The matching documents that are alive, with their scores.
pub(crate) fn collect(searcher: &Searcher, query: &dyn Query) -> tantivy::Result<Vec<Row>> {
    searcher.search_with_statistics_provider(query, &Rows, &EvenStatistics)
}

/// Takes every matching document.
struct Rows;

struct SegmentRows {
    segment: SegmentOrdinal,
    files: Arc<dyn ColumnValues<u64>>,
    chunks: Arc<dyn ColumnValues<u64>>,
    rows: Vec<Row>,
}

impl Collector for Rows {
    type Fruit = Vec<Row>;
    type Child = SegmentRows;

    fn for_segment(&self, segment: SegmentOrdinal, reader: &SegmentReader) -> tantivy::Result<SegmentRows> {
        let files = reader.fast_fields().u64("file")?.first_or_default_col(0);
        let chunks = reader.fast_fields().u64("chunk")?.first_or_default_col(0);
        Ok(SegmentRows { segment, files, chunks, rows: Vec::new() })
    }

    fn requires_scoring(&self) -> bool {
        true
    }

    fn merge_fruits(&self, fruits: Vec<Vec<Row>>) -> tantivy::Result<Vec<Row>> {
        Ok(fruits.into_iter().flatten().collect())
    }
}

impl SegmentCollector for SegmentRows {
    type Fruit = Vec<Row>;

    fn collect(&mut self, doc: DocId, score: Score) {
        self.rows.push(Row {
            file: FileKey(self.files.get_val(doc)),
            chunk: self.chunks.get_val(doc),
            address: DocAddress::new(self.segment, doc),
            score,
            n_matched: 1,
        });
    }

    fn harvest(self) -> Vec<Row> {
        self.rows
    }
}

/// Makes every word equally rare and every field of usual length, so that a score depends on its
/// document alone. Rarity is added by the caller.
struct EvenStatistics;

impl EvenStatistics {
    const N_DOCUMENTS: u64 = 1_000_000;
    /// Gives a weight of one in tantivy's formula.
    const N_WITH_TERM: u64 = 367_879;
    /// Words in a usual section; names and headings are short of it, which favors them a little.
    const USUAL_LENGTH: u64 = 80;
}

impl Bm25StatisticsProvider for EvenStatistics {
    fn total_num_tokens(&self, _: Field) -> tantivy::Result<u64> {
        Ok(Self::N_DOCUMENTS * Self::USUAL_LENGTH)
    }

    fn total_num_docs(&self) -> tantivy::Result<u64> {
        Ok(Self::N_DOCUMENTS)
    }

    fn doc_freq(&self, _: &Term) -> tantivy::Result<u64> {
        Ok(Self::N_WITH_TERM)
    }
}
