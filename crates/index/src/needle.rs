//! One thing that is looked for: a word, an identifier or a phrase.

use std::ops::Range;

use tantivy::Term;
use tantivy::query::{BooleanQuery, BoostQuery, ConstScoreQuery, PhrasePrefixQuery, PhraseQuery, Query, TermQuery};
use tantivy::schema::{Field, IndexRecordOption};

use crate::text::Fields;
use crate::words::{Word, WordKind, words};

/// How many words the beginning of a word may stand for at the end of a phrase.
const MAX_EXPANSIONS: u32 = 4096;

/// A match in the name of a note or in a heading tells more than one in the text.
const NAME_BOOST: f32 = 6.0;
const HEADING_BOOST: f32 = 2.0;

/// A word or phrase, cut like the text it is looked for in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Needle {
    /// The ways in which a text may hold it: cut at humps, and with humped words in one piece.
    ways: Vec<Way>,
}

/// Words at fixed distances.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Way {
    words: Vec<(usize, String)>,
    /// True if the last word is only the beginning of one.
    prefix: bool,
}

impl Needle {
    /// `None` if there is nothing to look for: marks only. With `prefix`, the last word may go on.
    pub(crate) fn new(text: &str, prefix: bool) -> Option<Needle> {
        let cut = words(text);
        if cut.is_empty() {
            return None;
        }
        let mut ways = vec![in_parts(&cut, prefix)];
        let whole = in_wholes(&cut, prefix);
        if !ways.contains(&whole) {
            ways.push(whole);
        }
        Some(Needle { ways })
    }

    /// The query for documents that hold it; with `names`, in the names of their note as well.
    pub(crate) fn query(&self, fields: Fields, names: bool) -> Box<dyn Query> {
        let mut any: Vec<Box<dyn Query>> = Vec::new();
        for way in &self.ways {
            any.push(way.query(fields.body));
            any.push(boost(way.query(fields.heading), HEADING_BOOST));
            if names {
                any.push(boost(way.query(fields.name), NAME_BOOST));
            }
        }
        Box::new(BooleanQuery::union(any))
    }

    /// Where a text holds it, in order; `cut` are the words of the text.
    pub(crate) fn find(&self, cut: &[Word]) -> Vec<Range<usize>> {
        let mut found: Vec<Range<usize>> = Vec::new();
        for way in &self.ways {
            for at in 0..cut.len() {
                if let Some(range) = way.at(cut, at) {
                    found.push(range);
                }
            }
        }
        found.sort_by_key(|range| (range.start, range.end));
        found
    }
}

fn boost(query: Box<dyn Query>, by: f32) -> Box<dyn Query> {
    Box::new(BoostQuery::new(query, by))
}

impl Way {
    fn query(&self, field: Field) -> Box<dyn Query> {
        let mut terms: Vec<(usize, Term)> =
            self.words.iter().map(|(at, text)| (*at, Term::from_field_text(field, text))).collect();
        if terms.len() == 1
            && let Some((_, term)) = terms.pop()
        {
            let exact = TermQuery::new(term.clone(), IndexRecordOption::WithFreqs);
            if !self.prefix {
                return Box::new(exact);
            }
            let mut longer = PhrasePrefixQuery::new(vec![term]);
            longer.set_max_expansions(u32::MAX);
            let longer = ConstScoreQuery::new(Box::new(longer), 0.5);
            return Box::new(BooleanQuery::union(vec![Box::new(exact), Box::new(longer)]));
        }
        if self.prefix {
            let mut phrase = PhrasePrefixQuery::new_with_offset(terms);
            phrase.set_max_expansions(MAX_EXPANSIONS);
            // Its own score would depend on deleted documents.
            return Box::new(ConstScoreQuery::new(Box::new(phrase), 1.5));
        }
        Box::new(PhraseQuery::new_with_offset(terms))
    }

    /// The range from the first to the last word if they all stand at their distances from `at`.
    fn at(&self, cut: &[Word], at: usize) -> Option<Range<usize>> {
        let first = &cut[at];
        let (offset_first, text_first) = self.words.first()?;
        let mut range = first.from..first.to;
        if !self.accepts(0, text_first, &first.text) {
            return None;
        }
        for (index, (offset, text)) in self.words.iter().enumerate().skip(1) {
            let position = first.position + offset - offset_first;
            let word = cut[at..]
                .iter()
                .take_while(|word| word.position <= position)
                .find(|word| word.position == position && self.accepts(index, text, &word.text))?;
            range.end = range.end.max(word.to);
        }
        Some(range)
    }

    fn accepts(&self, index: usize, wanted: &str, word: &str) -> bool {
        let may_go_on = self.prefix && index + 1 == self.words.len();
        if may_go_on { word.starts_with(wanted) } else { word == wanted }
    }
}

/// Humped words in their parts, runs of unspaced characters in pairs.
fn in_parts(cut: &[Word], prefix: bool) -> Way {
    let chosen = cut.iter().filter(|word| match word.kind {
        WordKind::Whole(_) => false,
        WordKind::Part => !cut.iter().any(|w| w.kind == WordKind::Sharp && w.position == word.position),
        WordKind::Sharp | WordKind::Pair => true,
        // Where no pair begins: alone, or last of a run that goes on in another script.
        WordKind::Single => {
            let pair_at = |position| cut.iter().any(|w| w.kind == WordKind::Pair && w.position == position);
            let is_last = cut.last().is_some_and(|last| last.position == word.position);
            let held = is_last && word.position > 0 && pair_at(word.position - 1);
            !pair_at(word.position) && !held
        }
    });
    way(chosen.map(|word| (word.position, word)), prefix)
}

/// Humped words in one piece, so that everything behind them stands closer.
fn in_wholes(cut: &[Word], prefix: bool) -> Way {
    let parts = in_parts(cut, false);
    let mut saved = 0;
    let mut inside_until = 0;
    let mut chosen: Vec<(usize, &Word)> = Vec::new();
    for word in cut {
        if let WordKind::Whole(n_parts) = word.kind {
            chosen.push((word.position - saved, word));
            saved += n_parts - 1;
            inside_until = word.position + n_parts;
        } else if word.position >= inside_until
            && parts.words.iter().any(|(at, text)| *at == word.position && *text == word.text)
        {
            chosen.push((word.position - saved, word));
        }
    }
    way(chosen.into_iter(), prefix)
}

fn way<'w>(chosen: impl Iterator<Item = (usize, &'w Word)>, prefix: bool) -> Way {
    let mut can_go_on = false;
    let mut words: Vec<(usize, String)> = Vec::new();
    for (at, word) in chosen {
        // Tantivy looks for the beginning of a word right behind the word before it only.
        let follows = words.last().is_none_or(|(before, _)| before + 1 == at);
        can_go_on = follows && !matches!(word.kind, WordKind::Single | WordKind::Pair);
        words.push((at, word.text.clone()));
    }
    Way { words, prefix: prefix && can_go_on }
}
