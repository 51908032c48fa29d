//! Carries a change over to a text that changed elsewhere meanwhile.

use similar::{DiffOp, DiffTag, TextDiff};
use std::ops::Range;
use std::time::Duration;

/// A merge that takes longer is given up; the texts are then far apart anyway.
const PATIENCE: Duration = Duration::from_millis(500);

/// Applies the change from `base` to `wanted` to `current`, which also came from `base`.
///
/// Works on whole lines with their endings. Returns `None` when both touched the same lines, or put lines in at the same
/// place: what the result should be is then for a person to say.
pub(crate) fn carry_over(base: &str, wanted: &str, current: &str) -> Option<String> {
    let ours = TextDiff::configure().timeout(PATIENCE).diff_lines(base, wanted);
    let theirs = TextDiff::configure().timeout(PATIENCE).diff_lines(base, current);
    let changed = |op: &&DiffOp| op.tag() != DiffTag::Equal;
    let mut taken: Vec<(Range<usize>, String)> = Vec::new();
    for (diff, ops) in [(&ours, ours.ops()), (&theirs, theirs.ops())] {
        let own = taken.len();
        for op in ops.iter().filter(changed) {
            let range = op.old_range();
            if taken[..own].iter().any(|(other, _)| meets(other, &range)) {
                return None;
            }
            let new = op.new_range().filter_map(|line| diff.new_slice(line)).collect();
            taken.push((range, new));
        }
    }
    taken.sort_by_key(|(range, _)| (range.start, range.end));
    let lines = ours.old_len();
    let mut merged = String::with_capacity(current.len());
    let mut at = 0;
    for (range, new) in taken {
        (at..range.start).filter_map(|line| ours.old_slice(line)).for_each(|line| merged.push_str(line));
        merged.push_str(&new);
        at = range.end;
    }
    (at..lines).filter_map(|line| ours.old_slice(line)).for_each(|line| merged.push_str(line));
    Some(merged)
}

/// Whether two ranges of lines share a line, or an empty one lies within or upon the other empty one.
fn meets(one: &Range<usize>, other: &Range<usize>) -> bool {
    one == other || (one.start < other.end && other.start < one.end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(base: &str, wanted: &str, current: &str, merged: Option<&str>) {
        assert_eq!(carry_over(base, wanted, current).as_deref(), merged);
    }

    #[test]
    fn changes_in_different_places_are_both_kept() {
        check("a\nb\nc\nd\n", "A\nb\nc\nd\n", "a\nb\nc\nD\ne\n", Some("A\nb\nc\nD\ne\n"));
        check("a\r\nb\r\nc\r\n", "a\r\nb\r\nC\r\n", "x\r\na\r\nb\r\nc\r\n", Some("x\r\na\r\nb\r\nC\r\n"));
        check("a\nb\nc", "a\nb\nc", "a\nx\nc", Some("a\nx\nc"));
    }

    #[test]
    fn neighboring_lines_do_not_meet() {
        check("a\nb\nc\n", "a\nB\nc\n", "a\nb\nx\n", Some("a\nB\nx\n"));
        check("a\n", "A\n", "a\nx\n", Some("A\nx\n"));
        check("a\n", "A\n", "x\na\n", Some("x\nA\n"));
    }

    #[test]
    fn changes_of_the_same_lines_are_for_a_person() {
        check("a\nb\nc\n", "a\nB\nc\n", "a\nx\nc\n", None);
        check("a\nb\n", "a\nb\nc\n", "a\nb\nd\n", None);
        check("a\nb\nc\nd\n", "a\nd\n", "a\nb\nx\nc\nd\n", None);
    }
}
