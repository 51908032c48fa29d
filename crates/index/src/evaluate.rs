//! Which sections match an expression.

use std::cell::OnceCell;
use std::collections::HashSet;

use note::fold;
use tantivy::query::AllQuery;
use tantivy::{DocAddress, Searcher, TantivyDocument};

use crate::catalog::Catalog;
use crate::entry::{Entry, FileKind};
use crate::needle::Needle;
use crate::query::{Expr, PropertyTest, Span, ValueTest};
use crate::rows::{Found, Row, collect};
use crate::text::{Fields, FileKey, stored_body};
use crate::words::{Word, words};

/// One state of catalog and text, to be asked.
#[derive(Clone, Copy)]
pub(crate) struct Evaluation<'c> {
    pub(crate) catalog: &'c Catalog,
    pub(crate) searcher: &'c Searcher,
    pub(crate) fields: Fields,
}

impl Evaluation<'_> {
    /// The sections that match, whole files where only the catalog was asked.
    pub(crate) fn found(&self, expr: &Expr) -> tantivy::Result<Found> {
        self.find(expr, None, true)
    }

    /// `within` are the files that can still matter; `names` tells whether names count as text.
    fn find(&self, expr: &Expr, within: Option<&HashSet<FileKey>>, names: bool) -> tantivy::Result<Found> {
        match expr {
            Expr::All => Ok(self.files(|_| true)),
            Expr::Needle(needle) => self.needle(needle, names),
            Expr::Pattern(pattern) => self.scan(within, None, |text| pattern.is_match(text)),
            Expr::File(part) => Ok(self.files(|entry| fold(entry.path.file_name()).contains(part.as_str()))),
            Expr::Path(part) => Ok(self.files(|entry| entry.path.fold().contains(part.as_str()))),
            Expr::Tag(tag) => Ok(self.files(|entry| entry.has_tag(tag))),
            Expr::Property(test) => Ok(self.files(|entry| test.holds(entry))),
            Expr::Content(inner) => self.find(inner, within, false),
            Expr::Or(any) => {
                let mut found = Found::default();
                for expr in any {
                    found = found.merge(self.find(expr, within, names)?, false);
                }
                Ok(found)
            }
            Expr::Not(inner) => {
                let without = self.find(inner, within, names)?.files();
                Ok(self.files(|entry| !without.contains(&FileKey::of(&entry.path))))
            }
            Expr::And(all) => self.and(all, within, names),
            Expr::Within(span, inner) => self.within(*span, inner, within),
        }
    }

    fn and(&self, all: &[Expr], within: Option<&HashSet<FileKey>>, names: bool) -> tantivy::Result<Found> {
        // What is cheap comes first, so that texts are read of few files only.
        let mut all: Vec<&Expr> = all.iter().collect();
        all.sort_by_key(|expr| expr.cost());
        let mut found: Option<Found> = None;
        for expr in all {
            let left = found.as_ref().map(Found::files);
            let left = left.as_ref().or(within);
            found = Some(match (found, expr) {
                (Some(found), Expr::Not(inner)) => {
                    let without = self.find(inner, left, names)?.files();
                    Found { rows: found.rows.into_iter().filter(|row| !without.contains(&row.file)).collect() }
                }
                (Some(found), expr) => found.merge(self.find(expr, left, names)?, true),
                (None, expr) => self.find(expr, within, names)?,
            });
            if found.as_ref().is_some_and(|found| found.rows.is_empty()) {
                break;
            }
        }
        Ok(found.unwrap_or_default())
    }

    fn needle(&self, needle: &Needle, names: bool) -> tantivy::Result<Found> {
        let mut rows = collect(self.searcher, &*needle.query(self.fields, names))?;
        // Rare words weigh more. Counted here, because tantivy would count deleted documents too,
        // and then the same vault could answer in another order after a rebuild.
        let (n_all, n_with) = (self.searcher.num_docs() as f32, rows.len() as f32);
        let rarity = (1.0 + (n_all - n_with + 0.5).max(0.0) / (n_with + 0.5)).ln();
        for row in &mut rows {
            row.score *= rarity;
        }
        rows.sort_unstable_by_key(Row::key);
        Ok(Found { rows })
    }

    /// Sections with a span of this kind in which everything inside matches.
    fn within(&self, span: Span, inner: &Expr, within: Option<&HashSet<FileKey>>) -> tantivy::Result<Found> {
        // Words are looked up to know which texts to read; what stands where is seen in the text.
        let candidates = self.candidates(inner)?;
        self.scan(within, candidates.as_ref(), |text| spans(text, span).any(|piece| inner.matches(&Piece::new(piece))))
    }

    /// The sections whose text can match `expr` at all; none if words cannot tell.
    fn candidates(&self, expr: &Expr) -> tantivy::Result<Option<HashSet<DocAddress>>> {
        Ok(match expr {
            Expr::Needle(needle) => Some(self.needle(needle, false)?.rows.iter().map(|row| row.address).collect()),
            Expr::And(all) => {
                let mut sections: Option<HashSet<DocAddress>> = None;
                for expr in all {
                    sections = match (sections, self.candidates(expr)?) {
                        (Some(sections), Some(others)) => Some(sections.intersection(&others).copied().collect()),
                        (sections, others) => sections.or(others),
                    };
                }
                sections
            }
            Expr::Or(any) => {
                let mut sections = HashSet::new();
                for expr in any {
                    let Some(others) = self.candidates(expr)? else { return Ok(None) };
                    sections.extend(others);
                }
                Some(sections)
            }
            Expr::Content(inner) | Expr::Within(_, inner) => self.candidates(inner)?,
            _ => None,
        })
    }

    /// Reads the stored texts of these sections of these files; of all if there is no set.
    fn scan(
        &self,
        files: Option<&HashSet<FileKey>>,
        sections: Option<&HashSet<DocAddress>>,
        test: impl Fn(&str) -> bool,
    ) -> tantivy::Result<Found> {
        let mut rows = collect(self.searcher, &AllQuery)?;
        rows.retain(|row| sections.is_none_or(|sections| sections.contains(&row.address)));
        rows.retain(|row| files.is_none_or(|files| files.contains(&row.file)));
        // In the order of the store, which is read block by block.
        rows.sort_unstable_by_key(|row| row.address);
        let mut found = Vec::new();
        for row in rows {
            let document: TantivyDocument = self.searcher.doc(row.address)?;
            if stored_body(&document, self.fields).is_some_and(&test) {
                found.push(Row { score: 1.0, ..row });
            }
        }
        found.sort_unstable_by_key(Row::key);
        Ok(Found { rows: found })
    }

    fn files(&self, test: impl Fn(&Entry) -> bool) -> Found {
        let entries = self.catalog.entries.iter().filter(|(_, entry)| entry.kind != FileKind::Attachment);
        let matching = entries.filter(|(_, entry)| test(entry));
        let mut rows: Vec<Row> = matching.map(|(path, _)| Row::whole(FileKey::of(path))).collect();
        rows.sort_unstable_by_key(Row::key);
        Found { rows }
    }
}

impl Expr {
    /// Everything that may be highlighted.
    pub(crate) fn needles(&self) -> Vec<&Expr> {
        match self {
            Expr::Needle(_) | Expr::Pattern(_) => vec![self],
            Expr::And(all) | Expr::Or(all) => all.iter().flat_map(Expr::needles).collect(),
            Expr::Content(inner) | Expr::Within(_, inner) => inner.needles(),
            _ => Vec::new(),
        }
    }

    fn cost(&self) -> u32 {
        match self {
            Expr::File(_) | Expr::Path(_) | Expr::Tag(_) | Expr::Property(_) => 0,
            Expr::Needle(_) => 1,
            Expr::And(all) | Expr::Or(all) => all.iter().map(Expr::cost).max().unwrap_or(0),
            Expr::Content(inner) => inner.cost(),
            Expr::All => 2,
            Expr::Within(..) => 3,
            Expr::Not(inner) => inner.cost().max(2) + 2,
            Expr::Pattern(_) => 5,
        }
    }

    /// Whether a piece of text matches by itself. Operators that ask about files hold everywhere.
    fn matches(&self, piece: &Piece<'_>) -> bool {
        match self {
            Expr::Needle(needle) => !needle.find(piece.words()).is_empty(),
            Expr::Pattern(pattern) => pattern.is_match(piece.text),
            Expr::And(all) => all.iter().all(|expr| expr.matches(piece)),
            Expr::Or(any) => any.iter().any(|expr| expr.matches(piece)),
            Expr::Not(inner) => !inner.matches(piece),
            Expr::Content(inner) => inner.matches(piece),
            Expr::Within(span, inner) => spans(piece.text, *span).any(|piece| inner.matches(&Piece::new(piece))),
            Expr::All | Expr::File(_) | Expr::Path(_) | Expr::Tag(_) | Expr::Property(_) => true,
        }
    }
}

/// A piece of a text, cut into words at most once.
struct Piece<'t> {
    text: &'t str,
    words: OnceCell<Vec<Word>>,
}

impl<'t> Piece<'t> {
    fn new(text: &'t str) -> Piece<'t> {
        Piece { text, words: OnceCell::new() }
    }

    fn words(&self) -> &[Word] {
        self.words.get_or_init(|| words(self.text))
    }
}

impl PropertyTest {
    fn holds(&self, entry: &Entry) -> bool {
        let mut properties = entry.properties.iter().filter(|property| fold(&property.key) == self.key);
        let Some(property) = properties.next() else {
            return false;
        };
        self.any.is_empty() || self.any.iter().any(|test| test.holds(&property.values))
    }
}

impl ValueTest {
    fn holds(&self, values: &[Box<str>]) -> bool {
        let number = |test: &dyn Fn(f64) -> bool| values.iter().any(|value| value.trim().parse().is_ok_and(test));
        match self {
            ValueTest::Empty => values.iter().all(|value| value.trim().is_empty()),
            ValueTest::Has(part) => values.iter().any(|value| fold(value).contains(part.as_str())),
            ValueTest::Less(limit) => number(&|value| value < *limit),
            ValueTest::Greater(limit) => number(&|value| value > *limit),
        }
    }
}

/// The pieces of a text that an operator looks at one by one.
fn spans(text: &str, span: Span) -> Box<dyn Iterator<Item = &str> + '_> {
    match span {
        Span::Section => Box::new(std::iter::once(text)),
        Span::Line => Box::new(lines(text)),
        Span::Block => {
            let mut blocks = Vec::new();
            let (mut start, mut at) = (0, 0);
            for line in text.split_inclusive('\n') {
                if line.trim().is_empty() {
                    blocks.push(&text[start..at]);
                    start = at + line.len();
                }
                at += line.len();
            }
            blocks.push(&text[start.min(text.len())..]);
            Box::new(blocks.into_iter().filter(|block| !block.trim().is_empty()))
        }
        Span::Task(done) => Box::new(lines(text).filter_map(move |line| {
            let (state, rest) = task(line)?;
            done.is_none_or(|done| done == (state != ' ')).then_some(rest)
        })),
    }
}

/// The lines of a text, whichever way they end; empty ones may be left over.
fn lines(text: &str) -> impl Iterator<Item = &str> {
    text.split(['\n', '\r'])
}

/// The state and the text of a task line.
fn task(line: &str) -> Option<(char, &str)> {
    let line = line.trim_start_matches([' ', '\t', '>']);
    let item = line.strip_prefix(['-', '*', '+']).or_else(|| {
        let number = line.trim_start_matches(|c: char| c.is_ascii_digit());
        (number.len() < line.len()).then(|| number.strip_prefix(['.', ')'])).flatten()
    })?;
    let mut rest = item.trim_start().strip_prefix('[')?.chars();
    let state = rest.next()?;
    rest.as_str().strip_prefix("] ").map(|rest| (state, rest))
}
