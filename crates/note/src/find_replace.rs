//! Replacing pieces of a text that somebody quotes: all of them, or none.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use crate::edit::{Edit, Edits, diff_lf};
use crate::parse::{Note, Problem, parse};
use crate::text::{NoteText, lines, to_lf};

/// A text to be found, and what comes in its place.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FindReplace {
    /// The text as it stands in the note; a line ending in it matches any kind of line ending.
    pub find: String,
    /// The new text, taken literally; its line endings become those of the note.
    pub replace: String,
    /// How often the text must occur.
    pub expected_count: u32,
}

/// A text with all its replacements.
#[derive(Debug, Clone, PartialEq)]
pub struct TextEdited {
    /// The edits.
    pub edits: Edits,
    /// The text afterwards.
    pub text: NoteText,
    /// The note afterwards.
    pub note: Note,
    /// How many pieces were replaced.
    pub n_replaced: u32,
    /// What is the matter with the note afterwards, and was not before.
    pub new_problems: Vec<Problem>,
}

/// Why nothing was replaced.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FindReplaceError {
    /// A text to be found is empty.
    #[error("edit {nth}: the text to find is empty")]
    EmptyFind {
        /// Which edit, from 1.
        nth: usize,
    },
    /// A text does not occur as often as expected.
    #[error("edit {nth}: `{find}` occurs {found} times, not {expected}{}", at_lines(.lines))]
    Count {
        /// Which edit, from 1.
        nth: usize,
        /// The start of the text that was looked for.
        find: String,
        /// How often it was expected.
        expected: u32,
        /// How often it occurs.
        found: u32,
        /// The 1-based lines where it occurs; the first of them, if there are many.
        lines: Vec<u32>,
    },
    /// Two edits want the same bytes.
    #[error("edits {first} and {second} overlap on line {line}")]
    Overlap {
        /// The edit whose match starts first, from 1.
        first: usize,
        /// The other one, from 1.
        second: usize,
        /// The 1-based line where the second match starts.
        line: u32,
    },
    /// The text would grow by more than [`MAX_GROWTH`] bytes.
    #[error("the note would have {len} bytes, which is more than replacements may make of it")]
    TooLarge {
        /// The bytes that it would have.
        len: usize,
    },
    /// The text is not UTF-8.
    #[error("text is not UTF-8, so edits cannot apply to it")]
    NotUtf8,
}

const MAX_LINES_NAMED: usize = 10;

/// How many bytes replacements may add to a text: a short one that occurs often could otherwise fill the memory.
pub const MAX_GROWTH: usize = 4 * 1024 * 1024;

/// Plans the replacement of quoted pieces. Every edit looks at the text as it is now, not at what
/// another edit makes of it.
///
/// What is found may be anything in the note, properties included, but not the byte order mark.
pub fn edit_text(text: &NoteText, note: &Note, edits: &[FindReplace]) -> Result<TextEdited, FindReplaceError> {
    if !text.is_exact() {
        return Err(FindReplaceError::NotUtf8);
    }
    let seen = Seen::new(text);
    let mut found: Vec<(Range<usize>, usize)> = Vec::new();
    for (index, FindReplace { find, expected_count, .. }) in edits.iter().enumerate() {
        let nth = index + 1;
        let wanted = to_lf(find);
        if wanted.is_empty() {
            return Err(FindReplaceError::EmptyFind { nth });
        }
        let matches: Vec<usize> = seen.lf.match_indices(&wanted).map(|(at, _)| at).collect();
        if matches.len() != *expected_count as usize {
            let line_of = |&at: &usize| text.line_of(seen.byte(at));
            return Err(FindReplaceError::Count {
                nth,
                find: shortened(find),
                expected: *expected_count,
                found: matches.len() as u32,
                lines: matches.iter().take(MAX_LINES_NAMED).map(line_of).collect(),
            });
        }
        found.extend(matches.into_iter().map(|at| (at..at + wanted.len(), index)));
    }
    found.sort_by_key(|(range, index)| (range.start, range.end, *index));
    for pair in found.windows(2) {
        let [(before, first), (after, second)] = pair else { continue };
        if after.start < before.end {
            let line = text.line_of(seen.byte(after.start));
            return Err(FindReplaceError::Overlap { first: first + 1, second: second + 1, line });
        }
    }
    let grown = |(range, index): &(Range<usize>, usize)| edits[*index].replace.len().saturating_sub(range.len());
    let growth: usize = found.iter().map(grown).fold(0, usize::saturating_add);
    if growth > MAX_GROWTH {
        return Err(FindReplaceError::TooLarge { len: text.bytes().len().saturating_add(growth) });
    }
    let n_replaced = found.len() as u32;
    let edits = replacements(text, &seen, edits, &found);
    let after = edits.apply(text).map_err(|_| FindReplaceError::NotUtf8)?;
    let after_note = parse(&after);
    let is_new = |problem: &&Problem| !note.problems.iter().any(|known| known.kind == problem.kind);
    let new_problems = after_note.problems.iter().filter(is_new).cloned().collect();
    Ok(TextEdited { edits, text: after, note: after_note, n_replaced, new_problems })
}

fn replacements(text: &NoteText, seen: &Seen, wanted: &[FindReplace], found: &[(Range<usize>, usize)]) -> Edits {
    let mut edits = Vec::with_capacity(found.len());
    let mut lf = String::with_capacity(seen.lf.len());
    let mut at = 0;
    for (range, index) in found {
        let new = to_lf(&wanted[*index].replace);
        lf.push_str(&seen.lf[at..range.start]);
        lf.push_str(&new);
        at = range.end;
        if new != seen.lf[range.clone()] {
            let range = seen.byte(range.start)..seen.byte(range.end);
            edits.push(Edit { range, new: new.replace('\n', text.eol().as_str()) });
        }
    }
    lf.push_str(&seen.lf[at..]);
    let edits = Edits::new(text, edits);
    let reads_back = edits.apply(text).is_ok_and(|after| after.lf() == lf);
    // Among mixed endings a `\r` may have met a `\n`; line by line that is put right.
    if reads_back { edits } else { diff_lf(text, &lf) }
}

/// A text as an editor sees it, with the way back to its bytes.
struct Seen {
    lf: String,
    start: usize,
    /// Where a line ending was shortened: the byte behind it in `lf`, and behind it in the text.
    shortened: Vec<(usize, usize)>,
}

impl Seen {
    fn new(text: &NoteText) -> Seen {
        let start = text.content_start();
        let lf = text.lf();
        let mut shortened = Vec::new();
        let mut n_lost = 0;
        for line in lines(text.as_str(), start).filter(|line| line.eol.len() == 2) {
            n_lost += 1;
            shortened.push((line.eol.end - start - n_lost, line.eol.end));
        }
        Seen { lf, start, shortened }
    }

    fn byte(&self, at: usize) -> usize {
        let n_before = self.shortened.partition_point(|(behind, _)| *behind <= at);
        match n_before.checked_sub(1).map(|last| self.shortened[last]) {
            Some((behind, byte)) => byte + at - behind,
            None => self.start + at,
        }
    }
}

fn shortened(find: &str) -> String {
    let mut short: String = find.chars().take(60).flat_map(char::escape_debug).collect();
    if find.chars().nth(60).is_some() {
        short.push('…');
    }
    short
}

fn at_lines(lines: &[u32]) -> String {
    let listed: Vec<String> = lines.iter().map(u32::to_string).collect();
    match listed.len() {
        0 => String::new(),
        1 => format!(" (line {})", listed[0]),
        _ => format!(" (lines {})", listed.join(", ")),
    }
}

#[cfg(test)]
mod tests;
