//! Sections: a heading and what belongs to it, found by what somebody calls it.

use std::ops::Range;

use unicode_normalization::UnicodeNormalization;

mod alike;

pub(crate) use alike::slug;

use alike::{dashes, likeness, pairs};

use crate::heading::{Heading, heading_key};
use crate::link::footnote_label;
use crate::parse::Note;
use crate::path::fold;

/// A heading with its text and all subordinate headings.
#[derive(Debug, Clone)]
pub struct Section<'n> {
    /// The heading itself.
    pub heading: &'n Heading,
    /// Its place among the note's headings.
    pub index: usize,
    /// From the heading's line to the next heading of the same or a lower level number.
    pub span: Range<usize>,
    /// Where its own text ends: before its first subordinate heading.
    pub own_end: usize,
    /// The rendered titles from the top down to this one.
    pub path: Vec<String>,
    /// Which one of the equally named this is.
    pub occurrence: u32,
    /// How many are equally named.
    pub matching: u32,
    /// The first line, 1-based.
    pub line_start: u32,
    /// The last line, inclusive.
    pub line_end: u32,
}

/// How somebody names a section.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SectionRef {
    /// By its title, rendered or raw.
    Heading {
        /// The title.
        text: String,
        /// The level, if it must be that one.
        level: Option<u8>,
        /// Which one among those of this title (and level, if given), from 1.
        nth: Option<u32>,
    },
    /// By its ancestry, whole or a suffix that only one ancestry has.
    Path {
        /// Titles from the top down.
        path: Vec<String>,
        /// Which one among those of the same ancestry, from 1.
        nth: Option<u32>,
    },
    /// By title or slug in any case; the first one.
    Loose {
        /// The title or slug.
        text: String,
    },
    /// By its place among the note's headings, from 0.
    Index(usize),
}

/// Why a section was not found.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SectionError {
    /// No section is called that.
    #[error("no section is called `{wanted}`")]
    NotFound {
        /// What was asked for.
        wanted: String,
        /// What is called something like it, the nearest first.
        nearest: Vec<SectionCandidate>,
    },
    /// Several sections are called that.
    #[error("{} sections are called `{wanted}`; choose one with heading_level or heading_occurrence", .candidates.len())]
    Ambiguous {
        /// What was asked for.
        wanted: String,
        /// The sections, each with what selects it.
        candidates: Vec<SectionCandidate>,
    },
    /// There are fewer sections of that name.
    #[error("heading_occurrence {wanted} is out of range: {matching} sections match")]
    OccurrenceOutOfRange {
        /// What was asked for.
        wanted: u32,
        /// How many there are.
        matching: u32,
        /// The sections, each with what selects it.
        candidates: Vec<SectionCandidate>,
    },
}

/// A section as an answer to somebody who named none exactly.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct SectionCandidate {
    /// The rendered titles from the top down.
    pub heading_path: Vec<String>,
    /// The rendered title.
    pub text: String,
    /// The level.
    pub level: u8,
    /// The 1-based line.
    pub line: u32,
    /// The `nth` to send back together with the title and level (or with the path, if a path was asked for).
    pub heading_occurrence: u32,
}

const MAX_NEAREST: usize = 5;

impl Note {
    /// Finds a section.
    pub fn section(&self, at: &SectionRef) -> Result<Section<'_>, SectionError> {
        match at {
            SectionRef::Heading { text, level, nth } => self.by_title(text, *level, *nth),
            SectionRef::Path { path, nth } => self.by_path(path, *nth),
            SectionRef::Loose { text } => self.by_loose_title(text),
            SectionRef::Index(index) if *index < self.headings.len() => Ok(self.section_at(*index)),
            SectionRef::Index(index) => {
                Err(SectionError::NotFound { wanted: format!("#{index}"), nearest: Vec::new() })
            }
        }
    }

    /// The section of the heading at a place.
    ///
    /// # Panics
    /// If there is no such heading.
    pub fn section_at(&self, index: usize) -> Section<'_> {
        let heading = &self.headings[index];
        let below = &self.headings[index + 1..];
        let next = below.iter().find(|other| other.level <= heading.level);
        let end = next.map_or(self.len, |next| next.span.start);
        Section {
            heading,
            index,
            span: heading.span.start..end,
            own_end: below.first().map_or(self.len, |first| first.span.start),
            path: self.heading_path(index),
            occurrence: heading.same_path.nth,
            matching: heading.same_path.of,
            line_start: heading.line,
            line_end: next.map_or(self.n_lines, |next| next.line - 1).max(heading.line),
        }
    }

    /// The rendered titles from the top down to a heading.
    pub fn heading_path(&self, index: usize) -> Vec<String> {
        let mut path = Vec::new();
        let mut at = self.headings.get(index);
        while let Some(heading) = at {
            path.push(heading.text.clone());
            at = heading.parent.map(|parent| &self.headings[parent]);
        }
        path.reverse();
        path
    }

    /// Follows a link's subpath: each segment is the next heading of that name below the one
    /// before, the first match wins. Returns the headings of the whole chain.
    pub fn find_heading(&self, subpath: &str) -> Option<Vec<usize>> {
        let keys = heading_keys(subpath)?;
        let mut chain = Vec::with_capacity(keys.len());
        let mut level = 0;
        for (index, heading) in self.headings.iter().enumerate() {
            let Some(key) = keys.get(chain.len()) else {
                break;
            };
            if heading.level > level && heading.key == *key {
                level = heading.level;
                chain.push(index);
            }
        }
        (chain.len() == keys.len()).then_some(chain)
    }

    fn by_title(&self, wanted: &str, level: Option<u8>, nth: Option<u32>) -> Result<Section<'_>, SectionError> {
        let mut level = level;
        // As it stands first: a title may be empty, or begin with a space that is no Markdown space.
        let mut text = wanted;
        let mut matches = self.titled(text, level);
        if matches.is_empty() && !wanted.trim().is_empty() {
            text = wanted.trim();
            matches = self.titled(text, level);
        }
        if matches.is_empty()
            && let Some((marked, rest)) = split_marker(text)
        {
            // The marker was copied along with the title; it must not contradict the level.
            if level.is_none_or(|level| level == marked) {
                matches = self.titled(rest, Some(marked));
                if !matches.is_empty() {
                    (text, level) = (rest, Some(marked));
                }
            }
        }
        if matches.is_empty() {
            let nearest = self.nearest(text, level);
            return Err(SectionError::NotFound { wanted: wanted.to_owned(), nearest });
        }
        let candidates = || self.candidates(&matches, |heading| heading.same_text.nth);
        self.choose(&matches, wanted, nth, candidates)
    }

    fn titled(&self, text: &str, level: Option<u8>) -> Vec<usize> {
        let matching = |is_match: &dyn Fn(&Heading) -> bool| -> Vec<usize> {
            (0..self.headings.len())
                .filter(|&index| {
                    let heading = &self.headings[index];
                    level.is_none_or(|level| level == heading.level) && is_match(heading)
                })
                .collect()
        };
        let mut found = matching(&|heading| heading.text == text);
        if text.is_empty() {
            return found;
        }
        if found.is_empty() {
            found = matching(&|heading| heading.raw == text);
        }
        if found.is_empty() {
            let with_id = |heading: &Heading| {
                heading.block_id.as_ref().is_some_and(|id| {
                    let stem = text.strip_suffix(id.as_str()).and_then(|t| t.strip_suffix('^'));
                    stem.is_some_and(|t| t.trim_end() == heading.text || t.trim_end() == heading.raw)
                })
            };
            found = matching(&with_id);
        }
        if found.is_empty() && !text.is_ascii() {
            let composed: String = text.nfc().collect();
            found = matching(&|heading| !heading.text.is_ascii() && heading.text.nfc().eq(composed.chars()));
        }
        found
    }

    fn by_path(&self, path: &[String], nth: Option<u32>) -> Result<Section<'_>, SectionError> {
        let wanted = || path.join(" > ");
        let is_titled = |heading: &Heading, name: &str| heading.text == name;
        let is_called = |heading: &Heading, name: &str| {
            let is_called = |name: &str| heading.text == name || heading.raw == name;
            let same = || !name.is_ascii() && heading.text.nfc().eq(name.trim().nfc());
            is_called(name) || is_called(name.trim()) || same()
        };
        // What one heading is titled another may be called, too: its own title goes before that.
        let (mut whole, mut suffix) = self.ending_with(path, &is_titled);
        if whole.is_empty() {
            let called = self.ending_with(path, &is_called);
            whole = called.0;
            suffix = if suffix.is_empty() { called.1 } else { suffix };
        }
        let matches = if whole.is_empty() { suffix } else { whole };
        let Some(&first) = matches.first() else {
            let nearest = self.nearest(path.last().map_or("", String::as_str), None);
            return Err(SectionError::NotFound { wanted: wanted(), nearest });
        };
        let candidates = || self.candidates(&matches, |heading| heading.same_path.nth);
        let first_path = self.heading_path(first);
        if matches.iter().any(|&index| self.heading_path(index) != first_path) {
            return Err(SectionError::Ambiguous { wanted: wanted(), candidates: candidates() });
        }
        self.choose(&matches, &wanted(), nth, candidates)
    }

    /// The headings whose ancestry is the path, and those whose ancestry only ends with it.
    fn ending_with(&self, path: &[String], is_named: &dyn Fn(&Heading, &str) -> bool) -> (Vec<usize>, Vec<usize>) {
        // Whether the ancestry ends with the path, and whether it is the path.
        let ends = |index: usize| -> Option<bool> {
            let mut at = Some(index);
            for name in path.iter().rev() {
                let here = &self.headings[at?];
                if !is_named(here, name) {
                    return None;
                }
                at = here.parent;
            }
            Some(at.is_none())
        };
        let (mut whole, mut suffix) = (Vec::new(), Vec::new());
        for index in 0..if path.is_empty() { 0 } else { self.headings.len() } {
            match ends(index) {
                Some(true) => whole.push(index),
                Some(false) => suffix.push(index),
                None => {}
            }
        }
        (whole, suffix)
    }

    fn by_loose_title(&self, wanted: &str) -> Result<Section<'_>, SectionError> {
        let folded = fold(wanted.trim());
        let (as_slug, dashed) = (slug(wanted), dashes(wanted));
        let titled = |heading: &Heading| fold(heading.text.trim()) == folded || fold(heading.raw.trim()) == folded;
        let slugged = |heading: &Heading| !as_slug.is_empty() && slug(&heading.text) == as_slug;
        let with_dashes = |heading: &Heading| !dashed.is_empty() && dashes(&heading.text) == dashed;
        // A title is nearer than a slug, and the usual slug than one with a dash for every mark.
        let tiers: [&dyn Fn(&Heading) -> bool; 3] = [&titled, &slugged, &with_dashes];
        let matches: Vec<usize> = tiers
            .into_iter()
            .map(|is_match| (0..self.headings.len()).filter(|&index| is_match(&self.headings[index])).collect())
            .find(|matches: &Vec<usize>| !matches.is_empty())
            .unwrap_or_default();
        let Some(&first) = matches.first().filter(|_| !folded.is_empty()) else {
            let nearest = self.nearest(wanted, None);
            return Err(SectionError::NotFound { wanted: wanted.to_owned(), nearest });
        };
        let mut section = self.section_at(first);
        section.occurrence = 1;
        section.matching = matches.len() as u32;
        Ok(section)
    }

    fn choose(
        &self,
        matches: &[usize],
        wanted: &str,
        nth: Option<u32>,
        candidates: impl Fn() -> Vec<SectionCandidate>,
    ) -> Result<Section<'_>, SectionError> {
        match (matches, nth) {
            ([only], None) => Ok(self.section_at(*only)),
            (_, None) => Err(SectionError::Ambiguous { wanted: wanted.to_owned(), candidates: candidates() }),
            (_, Some(nth)) => match (nth as usize).checked_sub(1).and_then(|at| matches.get(at)) {
                Some(&index) => Ok(self.section_at(index)),
                None => Err(SectionError::OccurrenceOutOfRange {
                    wanted: nth,
                    matching: matches.len() as u32,
                    candidates: candidates(),
                }),
            },
        }
    }

    pub(crate) fn candidates(&self, indexes: &[usize], nth: impl Fn(&Heading) -> u32) -> Vec<SectionCandidate> {
        indexes
            .iter()
            .map(|&index| {
                let heading = &self.headings[index];
                SectionCandidate {
                    heading_path: self.heading_path(index),
                    text: heading.text.clone(),
                    level: heading.level,
                    line: heading.line,
                    heading_occurrence: nth(heading),
                }
            })
            .collect()
    }

    fn nearest(&self, wanted: &str, level: Option<u8>) -> Vec<SectionCandidate> {
        let wanted = pairs(&fold(wanted));
        let mut scored: Vec<(u32, usize)> = (0..self.headings.len())
            .map(|index| {
                let heading = &self.headings[index];
                let mut score = likeness(&wanted, &pairs(&fold(&heading.text)));
                if level == Some(heading.level) {
                    score += 50;
                }
                (score, index)
            })
            .filter(|&(score, _)| score >= 350)
            .collect();
        scored.sort_by_key(|&(score, index)| (std::cmp::Reverse(score), index));
        scored.truncate(MAX_NEAREST);
        let indexes: Vec<usize> = scored.into_iter().map(|(_, index)| index).collect();
        self.candidates(&indexes, |heading| heading.same_text.nth)
    }
}

/// The keys of the headings that a subpath names, from the top down; `None` if it names none.
pub(crate) fn heading_keys(subpath: &str) -> Option<Vec<String>> {
    let subpath = subpath.strip_prefix('#').unwrap_or(subpath);
    if subpath.starts_with('^') || footnote_label(subpath).is_some() {
        return None;
    }
    let segments = subpath.split('#').filter(|segment| !segment.trim().is_empty());
    let keys: Vec<String> = segments.map(heading_key).collect();
    (!keys.is_empty()).then_some(keys)
}

/// Splits `## Title` into 2 and `Title`.
fn split_marker(text: &str) -> Option<(u8, &str)> {
    let rest = text.trim_start_matches('#');
    let n_hashes = text.len() - rest.len();
    let title = rest.trim_start();
    ((1..=6).contains(&n_hashes) && title.len() < rest.len()).then_some((n_hashes as u8, title))
}

#[cfg(test)]
mod tests;
