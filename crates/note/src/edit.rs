//! Changes to a text: bytes replaced, nothing else touched.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use crate::hash::ContentHash;
use crate::text::{Line, NoteText, lines, to_lf};

/// Bytes replaced in a text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Edit {
    /// What goes away; empty for an insertion.
    pub range: Range<usize>,
    /// What comes in its place.
    pub new: String,
}

/// Edits of one text, sorted and disjoint.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Edits {
    /// The hash of the text that the ranges count in.
    pub base: ContentHash,
    /// The edits in the order of the text.
    pub edits: Vec<Edit>,
}

/// Why edits do not apply to a text.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BaseMismatch {
    /// The edits were made for other bytes.
    #[error("edits were made for other bytes: expected {expected}, found {found}")]
    OtherBytes {
        /// The text that the edits were made for.
        expected: ContentHash,
        /// The text at hand.
        found: ContentHash,
    },
    /// The text was read with replacement characters, so its bytes cannot be written back.
    #[error("text is not UTF-8, so edits cannot apply to it")]
    NotUtf8,
    /// A range lies outside the text, inside a character, or over another range.
    #[error("edit range does not fit the text: {start}..{end}")]
    Range {
        /// Where the range starts.
        start: usize,
        /// Where the range ends.
        end: usize,
    },
}

impl Edits {
    /// No edits of a text.
    pub fn none(of: &NoteText) -> Edits {
        Edits { base: of.hash(), edits: Vec::new() }
    }

    /// Edits of a text, put in order.
    pub fn new(of: &NoteText, mut edits: Vec<Edit>) -> Edits {
        edits.sort_by_key(|edit| (edit.range.start, edit.range.end));
        Edits { base: of.hash(), edits }
    }

    /// Whether nothing changes.
    pub fn is_empty(&self) -> bool {
        self.edits.is_empty()
    }

    /// Makes the new text. Refused unless the text is the one that the edits were made for.
    pub fn apply(&self, to: &NoteText) -> Result<NoteText, BaseMismatch> {
        if !to.is_exact() {
            return Err(BaseMismatch::NotUtf8);
        }
        if to.hash() != self.base {
            return Err(BaseMismatch::OtherBytes { expected: self.base, found: to.hash() });
        }
        let text = to.as_str();
        let mut new = String::with_capacity(text.len());
        let mut at = 0;
        for Edit { range, new: replacement } in &self.edits {
            let fits = at <= range.start && range.start <= range.end;
            let (true, Some(kept)) = (fits, text.get(at..range.start)) else {
                return Err(BaseMismatch::Range { start: range.start, end: range.end });
            };
            if !text.is_char_boundary(range.end) {
                return Err(BaseMismatch::Range { start: range.start, end: range.end });
            }
            new.push_str(kept);
            new.push_str(replacement);
            at = range.end;
        }
        new.push_str(&text[at..]);
        Ok(NoteText::from_str(&new))
    }

    /// Where a byte of the old text is in the new one; a byte inside a replaced range moves to
    /// the start of its replacement.
    pub fn map(&self, byte: usize) -> usize {
        let mut mapped = byte as isize;
        for edit in &self.edits {
            if edit.range.end <= byte && edit.range.start < byte.max(edit.range.end) {
                mapped += edit.new.len() as isize - edit.range.len() as isize;
            } else if edit.range.start < byte {
                mapped -= (byte - edit.range.start) as isize;
            }
        }
        mapped as usize
    }
}

/// The edits that turn a text into what a person typed in an editor.
///
/// `lf` has no byte order mark and ends its lines with `\n`. Lines that did not change keep their
/// bytes, a changed line keeps its ending, and new lines end as most lines of the note do.
pub fn diff_lf(base: &NoteText, lf: &str) -> Edits {
    let text = base.as_str();
    let normal;
    let lf = if lf.contains('\r') {
        normal = to_lf(lf);
        &normal
    } else {
        lf
    };
    let old: Vec<Line> = lines(text, base.content_start()).collect();
    let new: Vec<Line> = lines(lf, 0).collect();
    let old_keys: Vec<(&str, bool)> =
        old.iter().map(|line| (&text[line.content.clone()], line.eol.is_empty())).collect();
    let new_keys: Vec<(&str, bool)> = new.iter().map(|line| (&lf[line.content.clone()], line.eol.is_empty())).collect();

    let mut edits = Vec::new();
    for hunk in hunks(&old_keys, &new_keys) {
        let start = old.get(hunk.old.start).map_or(text.len(), |line| line.content.start);
        let end = match hunk.old.end.checked_sub(1) {
            Some(last) if !hunk.old.is_empty() => old[last].eol.end,
            _ => start,
        };
        let mut replacement = String::new();
        for (nth, line) in new[hunk.new.clone()].iter().enumerate() {
            replacement.push_str(&lf[line.content.clone()]);
            if line.eol.is_empty() {
                continue;
            }
            let twin = hunk.old.clone().nth(nth).map(|index| &text[old[index].eol.clone()]);
            replacement.push_str(match twin {
                Some(eol) if !eol.is_empty() => eol,
                _ => base.eol().as_str(),
            });
        }
        edits.push(Edit { range: start..end, new: replacement });
    }
    let edits = Edits { base: base.hash(), edits };
    let reads_back = edits.apply(base).is_ok_and(|saved| saved.lf() == lf);
    if reads_back || !base.is_exact() {
        return edits;
    }
    // A lone `\r` met the `\n` of an empty line, and two lines would become one. Only a note of
    // mixed endings can do that, and it gets its own habit throughout.
    let new = lf.replace('\n', base.eol().as_str());
    Edits { base: base.hash(), edits: vec![Edit { range: base.content_start()..text.len(), new }] }
}

struct Hunk {
    old: Range<usize>,
    new: Range<usize>,
}

/// Above this many pairs of lines a changed stretch is replaced as a whole.
const MAX_PAIRS: usize = 16_000_000;

fn hunks<K: Eq + std::hash::Hash + Ord>(old: &[K], new: &[K]) -> Vec<Hunk> {
    let n_head = old.iter().zip(new).take_while(|(a, b)| a == b).count();
    let (old_rest, new_rest) = (&old[n_head..], &new[n_head..]);
    let n_tail = old_rest.iter().rev().zip(new_rest.iter().rev()).take_while(|(a, b)| a == b).count();
    let old_middle = &old_rest[..old_rest.len() - n_tail];
    let new_middle = &new_rest[..new_rest.len() - n_tail];
    if old_middle.is_empty() && new_middle.is_empty() {
        return Vec::new();
    }
    let whole = || vec![Hunk { old: n_head..n_head + old_middle.len(), new: n_head..n_head + new_middle.len() }];
    if old_middle.is_empty() || new_middle.is_empty() {
        return whole();
    }
    if old_middle.len().saturating_mul(new_middle.len()) > MAX_PAIRS {
        return whole();
    }
    let mut hunks: Vec<Hunk> = Vec::new();
    for op in similar::capture_diff_slices(similar::Algorithm::Myers, old_middle, new_middle) {
        if matches!(op, similar::DiffOp::Equal { .. }) {
            continue;
        }
        let shift = |range: Range<usize>| range.start + n_head..range.end + n_head;
        let (op_old, op_new) = (shift(op.old_range()), shift(op.new_range()));
        match hunks.last_mut() {
            Some(last) if last.old.end == op_old.start && last.new.end == op_new.start => {
                last.old.end = op_old.end;
                last.new.end = op_new.end;
            }
            _ => hunks.push(Hunk { old: op_old, new: op_new }),
        }
    }
    hunks
}

#[cfg(test)]
mod tests {
    use super::*;

    fn saved(base: &str, lf: &str) -> String {
        let base = NoteText::from_str(base);
        diff_lf(&base, lf).apply(&base).unwrap().as_str().to_owned()
    }

    #[test]
    fn a_save_keeps_the_endings_of_other_lines() {
        for (base, lf, after) in [
            ("\u{feff}a\r\nb\nc\r", "a\nB\nc\n", "\u{feff}a\r\nB\nc\r"),
            ("a\r\nb\r\n", "a\nx\nb\n", "a\r\nx\r\nb\r\n"),
            ("a\r\nb", "a\nb\n", "a\r\nb\r\n"),
            ("a\r\nb\r\n", "a\nb", "a\r\nb"),
            ("a\nb\n", "", ""),
            ("", "a\n", "a\n"),
            ("a\rb\rc", "a\rB\r\nc", "a\rB\rc"),
            ("a\n", "a\n\n", "a\n\n"),
        ] {
            assert_eq!(saved(base, lf), after, "{base:?} -> {lf:?}");
        }
    }

    #[test]
    fn an_unchanged_text_has_no_edits() {
        let base = NoteText::from_str("\u{feff}a\r\nb\rc\n");
        assert!(diff_lf(&base, &base.lf()).is_empty());
    }

    #[test]
    fn edits_for_other_bytes_are_refused() {
        let text = NoteText::from_str("é\n");
        let edits = Edits::new(&text, vec![Edit { range: 1..2, new: "x".into() }]);
        assert_eq!(edits.apply(&text), Err(BaseMismatch::Range { start: 1, end: 2 }));
        let other = NoteText::from_str("e\n");
        assert!(matches!(edits.apply(&other), Err(BaseMismatch::OtherBytes { .. })));
        let lossy = NoteText::lossy(b"\xe9".to_vec());
        assert_eq!(Edits::none(&lossy).apply(&lossy), Err(BaseMismatch::NotUtf8));
        let far = Edits::new(&text, vec![Edit { range: 9..12, new: String::new() }]);
        assert_eq!(far.apply(&text), Err(BaseMismatch::Range { start: 9, end: 12 }));
    }

    #[test]
    fn positions_map_through_edits() {
        let text = NoteText::from_str("0123456789");
        let edit = |range: Range<usize>, new: &str| Edit { range, new: new.to_owned() };
        let edits = Edits::new(&text, vec![edit(6..8, "x"), edit(2..3, "abc"), edit(9..9, "yy")]);
        assert_eq!(edits.apply(&text).unwrap().as_str(), "01abc345x8yy9");
        let mapped: Vec<usize> = (0..=10).map(|at| edits.map(at)).collect();
        assert_eq!(mapped, [0, 1, 2, 5, 6, 7, 8, 8, 9, 10, 13]);
    }

    use proptest::prelude::*;

    proptest! {
        /// What an editor shows after a save is what was typed, whatever the endings were.
        #[test]
        fn a_save_reads_back_as_typed(base in "\u{feff}?([ab]|\n|\r\n|\r){0,30}", lf in "([ab]|\n){0,30}") {
            let base = NoteText::from_str(&base);
            let edits = diff_lf(&base, &lf);
            let saved = edits.apply(&base).unwrap();
            prop_assert_eq!(saved.lf(), lf);
            prop_assert_eq!(saved.has_bom(), base.has_bom());
            prop_assert!(diff_lf(&saved, &saved.lf()).is_empty());
        }

        /// Lines before and behind what was typed keep their bytes.
        #[test]
        fn a_save_touches_only_what_was_typed(
            head in "([ab]{1,2}(\n|\r\n|\r)){0,8}",
            old in "[cd]{1,3}",
            new in "[ef]{1,3}(\n[ef]{1,3}){0,2}",
            tail in "([ab]{1,2}(\n|\r\n|\r)){0,8}",
        ) {
            let base = NoteText::from_str(&format!("{head}{old}\n{tail}"));
            let typed = base.lf().replacen(&old, &new, 1);
            let saved = diff_lf(&base, &typed).apply(&base).unwrap();
            prop_assert!(saved.as_str().starts_with(&head));
            prop_assert!(saved.as_str().ends_with(&tail));
        }
    }
}
