//! Line diffs with the changed words marked, for the review and the history.

use serde::{Deserialize, Serialize};
use similar::{ChangeTag, TextDiff};
use std::time::Duration;

/// Unchanged lines shown on each side of a change.
const CONTEXT: usize = 1;

/// The finest diff is given up after this long and a coarser one shown; a person waits for it.
const PATIENCE: Duration = Duration::from_millis(500);

/// A run of changed lines with the unchanged lines around it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct Hunk {
    pub lines: Vec<DiffLine>,
}

/// One line of a diff.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct DiffLine {
    pub kind: LineKind,
    /// 1-based, absent on an added line.
    pub old_line: Option<u32>,
    /// 1-based, absent on a removed line.
    pub new_line: Option<u32>,
    pub spans: Vec<DiffSpan>,
}

/// What became of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub enum LineKind {
    Context,
    Removed,
    Added,
}

/// A stretch of a line; `changed` stretches are what differs from its counterpart.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct DiffSpan {
    pub text: String,
    pub changed: bool,
}

/// Compares two texts (line feeds only) and marks the words that differ within changed lines.
pub fn hunks(before: &str, after: &str) -> Vec<Hunk> {
    let diff = TextDiff::configure().timeout(PATIENCE).diff_lines(before, after);
    diff.grouped_ops(CONTEXT)
        .iter()
        .map(|group| Hunk {
            lines: group.iter().flat_map(|op| diff.iter_inline_changes(op)).map(|c| line(&c)).collect(),
        })
        .collect()
}

fn line(change: &similar::InlineChange<'_, str>) -> DiffLine {
    let kind = match change.tag() {
        ChangeTag::Equal => LineKind::Context,
        ChangeTag::Delete => LineKind::Removed,
        ChangeTag::Insert => LineKind::Added,
    };
    let number = |index: Option<usize>| index.map(|i| u32::try_from(i + 1).unwrap_or(u32::MAX));
    let mut spans: Vec<DiffSpan> = Vec::new();
    for (changed, text) in change.values() {
        let text = text.trim_end_matches('\n');
        match spans.last_mut() {
            Some(last) if last.changed == *changed => last.text.push_str(text),
            _ if text.is_empty() => {}
            _ => spans.push(DiffSpan { text: text.to_owned(), changed: *changed }),
        }
    }
    DiffLine { kind, old_line: number(change.old_index()), new_line: number(change.new_index()), spans }
}

/// Counts characters that only one of the two texts has, as `(added, removed)`.
pub(crate) fn count_chars(before: &str, after: &str) -> (u32, u32) {
    let diff = TextDiff::configure().timeout(PATIENCE).diff_lines(before, after);
    let (mut added, mut removed) = (0, 0);
    for group in diff.grouped_ops(0) {
        for op in &group {
            let changes: Vec<_> = diff.iter_inline_changes(op).collect();
            // Where no word of any line is marked, the lines have no counterpart.
            let whole = changes.iter().all(|change| change.values().iter().all(|(changed, _)| !changed));
            for change in &changes {
                let n: usize = change
                    .values()
                    .iter()
                    .filter(|(changed, _)| *changed || whole)
                    .map(|(_, text)| text.chars().count())
                    .sum();
                match change.tag() {
                    ChangeTag::Insert => added += n,
                    ChangeTag::Delete => removed += n,
                    ChangeTag::Equal => {}
                }
            }
        }
    }
    (u32::try_from(added).unwrap_or(u32::MAX), u32::try_from(removed).unwrap_or(u32::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::{Expect, expect};

    fn check(before: &str, after: &str, expect: Expect) {
        let mut out = String::new();
        for hunk in hunks(before, after) {
            out.push_str("@\n");
            for line in hunk.lines {
                let sign = match line.kind {
                    LineKind::Context => ' ',
                    LineKind::Removed => '-',
                    LineKind::Added => '+',
                };
                let text: String = line
                    .spans
                    .iter()
                    .map(|s| if s.changed { format!("{{{}}}", s.text) } else { s.text.clone() })
                    .collect();
                out.push_str(&format!("{sign}{} {text}\n", line.old_line.or(line.new_line).unwrap_or(0)));
            }
        }
        expect.assert_eq(&out);
    }

    #[test]
    fn words_that_differ_are_marked_within_their_line() {
        check(
            "a\n## Old tools\nb\nc\nd\nsee [[#Old tools|x]]\n",
            "a\n## New tools\nb\nc\nd\nsee [[#New tools|x]]\n",
            expect![[r#"
                @
                 1 a
                -2 ## {Old} tools
                +2 ## {New} tools
                 3 b
                @
                 5 d
                -6 see [[#{Old} tools|x]]
                +6 see [[#{New} tools|x]]
            "#]],
        );
    }

    #[test]
    fn a_new_file_is_all_added_and_an_equal_one_has_no_hunk() {
        check("", "a\n", expect![["@\n+1 a\n"]]);
        check("a\n", "a\n", expect![[""]]);
    }

    #[test]
    fn counts_only_what_one_side_has() {
        assert_eq!(count_chars("one two\n", "one three\n"), (5, 3));
        assert_eq!(count_chars("a\n", "a\nbcd\n"), (4, 0));
        // A line that only grew, or only shrank, has its counterpart.
        let (short, long) = ("a line of some length\nend\n", "a line of some length, in short\nend\n");
        assert_eq!(count_chars(short, long), (10, 0));
        assert_eq!(count_chars(long, short), (0, 10));
        assert_eq!(count_chars("one two three\nx\n", "x\n"), (0, 14));
    }
}
