use expect_test::{Expect, expect};
use proptest::prelude::*;

use super::*;

fn edit(find: &str, replace: &str, expected_count: u32) -> FindReplace {
    FindReplace { find: find.to_owned(), replace: replace.to_owned(), expected_count }
}

fn outcome(before: &str, edits: &[FindReplace]) -> Result<TextEdited, FindReplaceError> {
    let text = NoteText::from_str(before);
    edit_text(&text, &parse(&text), edits)
}

fn check(before: &str, edits: &[FindReplace], expect: Expect) {
    expect.assert_eq(&match outcome(before, edits) {
        Ok(edited) => format!("{:?}", edited.text),
        Err(error) => error.to_string(),
    });
}

#[test]
fn every_edit_looks_at_the_text_as_it_was() {
    check("a b a\n", &[edit("a", "b", 2), edit("b", "a", 1)], expect![[r#""b a b\n""#]]);
    check("x\n", &[edit("x", "$& $1 \\n", 1)], expect![[r#""$& $1 \\n\n""#]]);
    check("aaa\n", &[edit("aa", "b", 1)], expect![[r#""ba\n""#]]);
    check("x\n", &[], expect![[r#""x\n""#]]);
    check("a\nb\n", &[edit("a\n", "", 1)], expect![[r#""b\n""#]]);
}

#[test]
fn line_endings_are_those_of_the_note() {
    check("\u{feff}a\r\nb\r\nc\r\n", &[edit("a\nb", "x\ny\r\nz", 1)], expect![[r#""\u{feff}x\r\ny\r\nz\r\nc\r\n""#]]);
    check("a\rb\rc", &[edit("b\r\nc", "d\n", 1)], expect![[r#""a\rd\r""#]]);
    check("a\r\nb\r\n", &[edit("\n", "", 2)], expect![[r#""ab""#]]);
    // A lone `\r` must not meet the `\n` of the next line.
    check("a\rX\nb\rc\r", &[edit("X", "", 1)], expect![[r#""a\r\rb\rc\r""#]]);
}

#[test]
fn counts_that_differ_are_named() {
    check(
        "a\nb a\n",
        &[edit("b", "c", 1), edit("a", "c", 1)],
        expect!["edit 2: `a` occurs 2 times, not 1 (lines 1, 2)"],
    );
    check("a\n", &[edit("b\nc", "c", 1)], expect![[r#"edit 1: `b\nc` occurs 0 times, not 1"#]]);
    check("a\n", &[edit("a", "c", 3)], expect!["edit 1: `a` occurs 1 times, not 3 (line 1)"]);
    check("a\n", &[edit("", "c", 1)], expect!["edit 1: the text to find is empty"]);
}

#[test]
fn edits_that_want_the_same_bytes_are_refused() {
    check("x\nabc\n", &[edit("bc", "1", 1), edit("ab", "2", 1)], expect!["edits 2 and 1 overlap on line 2"]);
    check("abc\n", &[edit("abc", "1", 1), edit("b", "2", 1)], expect!["edits 1 and 2 overlap on line 1"]);
    check("a\n", &[edit("a", "1", 1), edit("a", "2", 1)], expect!["edits 1 and 2 overlap on line 1"]);
}

#[test]
fn what_does_not_change_has_no_edit() {
    let edited = outcome("a\r\nb\r\n", &[edit("a\nb", "a\nb", 1)]).unwrap();
    assert!(edited.edits.is_empty());
    assert_eq!(edited.n_replaced, 1);
}

#[test]
fn new_problems_are_told() {
    let edited = outcome("---\na: 1\n---\n```\nx\n```\n", &[edit("x\n```", "x", 1), edit("a: 1", "a: [", 1)]).unwrap();
    let problems: Vec<String> = edited.new_problems.iter().map(Problem::to_string).collect();
    assert_eq!(problems.len(), 2, "{problems:?}");
    assert!(problems.contains(&"code fence on line 4 is not closed".to_owned()), "{problems:?}");
}

#[test]
fn bytes_that_are_not_utf8_cannot_be_edited() {
    let text = NoteText::lossy(b"a\xff".to_vec());
    assert_eq!(edit_text(&text, &parse(&text), &[edit("a", "b", 1)]), Err(FindReplaceError::NotUtf8));
}

proptest! {
    /// An editor sees exactly the pieces replaced, and bytes outside of them stay.
    #[test]
    fn only_the_pieces_change(
        before in "\u{feff}?([abé]|\n|\r\n|\r){0,24}",
        find in "([abé]|\n){1,3}",
        replace in "([abc]|\n|\r\n){0,4}",
    ) {
        let text = NoteText::from_str(&before);
        let n = text.lf().matches(&find).count() as u32;
        let edited = outcome(&before, &[edit(&find, &replace, n)]).unwrap();
        prop_assert_eq!(edited.text.lf(), text.lf().replace(&find, &to_lf(&replace)));
        prop_assert_eq!(edited.text.has_bom(), text.has_bom());
        prop_assert_eq!(parse(&edited.text), edited.note);
    }
}

#[test]
fn replacements_that_would_fill_the_memory_are_refused_before_they_are_made() {
    let text = NoteText::from_str(&"x".repeat(200_000));
    let edits = [edit("xx", &"y".repeat(1_000_000), 100_000)];
    let len = 200_000 + 100_000 * 999_998;
    assert_eq!(edit_text(&text, &parse(&text), &edits), Err(FindReplaceError::TooLarge { len }));
    let edits = [edit("xx", &"y".repeat(40), 100_000)];
    assert_eq!(edit_text(&text, &parse(&text), &edits).map(|edited| edited.n_replaced), Ok(100_000));
}
