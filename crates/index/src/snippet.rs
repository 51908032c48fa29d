//! The piece of a section that shows why it answers a query.

use std::ops::Range;

use crate::query::Expr;
use crate::text::n_line_ends;
use crate::words::words;

/// The usual length of a snippet in characters, and how many stand before the first match.
const LENGTH: usize = 220;
const LEAD: usize = 50;

/// A snippet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Snippet {
    /// One line of text.
    pub(crate) text: String,
    /// What matched, in bytes of `text`.
    pub(crate) highlights: Vec<Range<usize>>,
    /// How many lines of the section stand before the first match.
    pub(crate) lines_before: u32,
}

/// Cuts the best piece out of `body`.
pub(crate) fn snippet(body: &str, needles: &[&Expr]) -> Snippet {
    let matches = matches(body, needles);
    let best = best(body, &matches);
    let start = start(body, best.map_or(0, |first| matches[first].start), best.is_some());
    let end = end(body, start, &matches);
    let mut text = String::new();
    if !body[..start].trim().is_empty() {
        text.push('…');
    }
    let shift = text.len();
    // Same length in bytes for every replaced character, so that the ranges stay right.
    text.extend(body[start..end].chars().map(|c| if matches!(c, '\n' | '\r' | '\t') { ' ' } else { c }));
    text.truncate(text.trim_end().len().max(shift));
    let cut = text.len();
    if !body[end..].trim().is_empty() {
        text.push('…');
    }
    let highlights = matches
        .iter()
        .filter(|range| range.start >= start && range.end <= end)
        .map(|range| range.start - start + shift..range.end - start + shift)
        .filter(|range| range.end <= cut)
        .collect();
    let first = best.map_or(0, |first| matches[first].start);
    Snippet { text, highlights, lines_before: n_line_ends(body, first) }
}

/// Everything that matched, in order and disjoint.
fn matches(body: &str, needles: &[&Expr]) -> Vec<Range<usize>> {
    let cut = words(body);
    let mut all: Vec<Range<usize>> = Vec::new();
    for needle in needles {
        match needle {
            Expr::Needle(needle) => all.extend(needle.find(&cut)),
            Expr::Pattern(pattern) => all.extend(pattern.find_iter(body).map(|found| found.range())),
            _ => {}
        }
    }
    all.retain(|range| !range.is_empty());
    all.sort_by_key(|range| (range.start, range.end));
    let mut disjoint: Vec<Range<usize>> = Vec::new();
    for range in all {
        match disjoint.last_mut() {
            Some(last) if range.start < last.end => last.end = last.end.max(range.end),
            _ => disjoint.push(range),
        }
    }
    disjoint
}

/// The match from which a snippet holds the most text that matched, the first of equals.
fn best(body: &str, matches: &[Range<usize>]) -> Option<usize> {
    let weight = |first: usize| -> usize {
        let near = matches[first..].iter().take_while(|range| range.end - matches[first].start <= LENGTH - LEAD);
        // Different words tell more than one word many times.
        let mut seen: Vec<String> = near.map(|range| body[range.clone()].to_lowercase()).collect();
        let n_all = seen.len();
        seen.sort_unstable();
        seen.dedup();
        seen.len() * 100 + n_all.min(99)
    };
    (0..matches.len()).rev().max_by_key(|first| weight(*first))
}

/// Some words before the match, at the beginning of a word, within the line if that leaves enough.
fn start(body: &str, at: usize, found: bool) -> usize {
    if !found {
        return body.len() - body.trim_start().len();
    }
    let before: Vec<(usize, char)> = body[..at].char_indices().rev().take(LEAD).collect();
    if let Some((newline, _)) = before.iter().find(|(_, c)| matches!(c, '\n' | '\r')) {
        return newline + 1;
    }
    let Some((earliest, _)) = before.last().copied() else {
        return at;
    };
    if earliest == 0 {
        return 0;
    }
    // Before a run without blanks, as in Chinese, the cut falls where it falls.
    let blank = before.iter().rev().find(|(_, c)| c.is_whitespace());
    blank.map_or(earliest, |(blank, c)| blank + c.len_utf8())
}

/// The usual length on, never inside a match, at the end of a word if one is near.
fn end(body: &str, start: usize, matches: &[Range<usize>]) -> usize {
    let Some((mut end, _)) = body[start..].char_indices().nth(LENGTH).map(|(at, c)| (start + at, c)) else {
        return body.len();
    };
    if let Some(inside) = matches.iter().find(|range| range.start < end && end < range.end && range.start > start) {
        end = inside.start;
    } else if let Some(blank) = body[start..end].rfind(char::is_whitespace).filter(|blank| *blank > LENGTH / 2) {
        end = start + blank;
    }
    end
}
