use expect_test::{Expect, expect};
use proptest::prelude::*;

use super::*;
use crate::link::Link;
use crate::parse::parse;

fn named(heading: &str) -> SectionRef {
    SectionRef::Heading { text: heading.to_owned(), level: None, nth: None }
}

fn read(before: &str) -> (NoteText, Note) {
    let text = NoteText::from_str(before);
    let note = parse(&text);
    (text, note)
}

type Outcome = Result<SectionEdited, SectionEditError>;

fn patch(before: &str, at: &SectionRef, content: &str, include_children: bool) -> Outcome {
    let (text, note) = read(before);
    patch_section(&text, &note, at, content, include_children)
}

fn append(before: &str, at: &SectionRef, content: &str, position: AppendAt) -> Outcome {
    let (text, note) = read(before);
    append_to_section(&text, &note, at, content, position)
}

fn delete(before: &str, at: &SectionRef) -> Outcome {
    let (text, note) = read(before);
    delete_section(&text, &note, at)
}

fn moved(before: &str, from: &SectionRef, to: &SectionRef, position: MoveTo, relevel: bool) -> Outcome {
    let (text, note) = read(before);
    move_section(&text, &note, from, to, position, relevel)
}

/// The text afterwards, or what is wrong.
fn shown(outcome: Outcome) -> String {
    match outcome {
        Ok(edited) => {
            assert_eq!(parse(&edited.text), edited.note);
            format!("{:?}", edited.text)
        }
        Err(SectionEditError::StructureChanged { reason, line: Some(line) }) => format!("{reason} [{line}]"),
        Err(error) => error.to_string(),
    }
}

fn check_all(outcomes: impl IntoIterator<Item = Outcome>, expect: Expect) {
    let all: Vec<String> = outcomes.into_iter().map(shown).collect();
    expect.assert_eq(&all.join("\n"));
}

#[test]
fn a_patch_keeps_the_blank_lines_around_the_text() {
    let a = named("A");
    check_all(
        [
            ("## A\nold\n\n## B\nb\n", "new"),
            ("## A\n\nold\nold\n\n\n## B\nb\n", "new\n"),
            ("## A\nold\n## B\n", "new"),
            ("## A\nold\n## B\n", "\nnew\n\n"),
            ("## A\nold\n\n## B\n", ""),
            ("## A\n\nold\n\n## B\n", " \n"),
            ("## A\nold\n", "new"),
            ("## A\nold", "new"),
            ("## A\nold", "new\n"),
            ("## A\n\nold\n\n\n", "new"),
            ("# T\n\n## A\r\nold\r\n\r\n## B\r\n", "x\ny\r\nz"),
            ("\u{feff}## A\rold\r\r## B\r", "x\ny"),
            ("---\na: 1\n---\nA\n---\nold\n\nB\n---\n", "$& $$ $1 \\n"),
            ("## A ## \nold  \n \n## B\n", "    code"),
        ]
        .map(|(before, content)| patch(before, &a, content, false)),
        expect![[r###"
            "## A\nnew\n\n## B\nb\n"
            "## A\n\nnew\n\n\n## B\nb\n"
            "## A\nnew\n## B\n"
            "## A\n\nnew\n\n## B\n"
            "## A\n\n## B\n"
            "## A\n\n## B\n"
            "## A\nnew\n"
            "## A\nnew"
            "## A\nnew\n"
            "## A\n\nnew\n\n\n"
            "# T\n\n## A\r\nx\r\ny\r\nz\r\n\r\n## B\r\n"
            "\u{feff}## A\rx\ry\r\r## B\r"
            "---\na: 1\n---\nA\n---\n$& $$ $1 \\n\n\nB\n---\n"
            "## A ## \n    code\n \n## B\n""###]],
    );
}

#[test]
fn a_section_without_text_gets_some() {
    let a = named("A");
    check_all(
        [
            "## A\n## B\n",
            "## A\n\n## B\n",
            "## A\nx\n## A2\nx\n### A3\n## B\n",
            "## A",
            "## A\n",
            "## A\n\n",
            "## A\r\n\r\n",
        ]
        .map(|before| patch(before, &a, "new", false)),
        expect![[r###"
            "## A\n\nnew\n\n## B\n"
            "## A\n\nnew\n\n## B\n"
            "## A\nnew\n## A2\nx\n### A3\n## B\n"
            "## A\nnew"
            "## A\n\nnew\n"
            "## A\n\nnew\n"
            "## A\r\n\r\nnew\r\n""###]],
    );
    check_all(
        ["# T\nx\n## A\n## B\n", "# T\nx\n## A\n"].map(|before| append(before, &a, "new\n", AppendAt::End)),
        expect![[r##"
            "# T\nx\n## A\nnew\n\n## B\n"
            "# T\nx\n## A\nnew\n""##]],
    );
}

#[test]
fn children_stay_unless_they_are_meant() {
    let note = "## A\nold\n\n### C\nc\n\n#### D\nd\n\n## B\n";
    check_all(
        [
            patch(note, &named("A"), "new", false),
            patch(note, &named("A"), "new", true),
            patch(note, &named("A"), "new\n\n### N\n\nn", false),
            patch(note, &named("A"), "new\n\n### N\n\nn", true),
            patch("## A\nold\n\n#### D\nd\n", &named("A"), "new\n\n### N\n\nn", false),
        ],
        expect![[r###"
            "## A\nnew\n\n### C\nc\n\n#### D\nd\n\n## B\n"
            "## A\nnew\n\n## B\n"
            "## A\nnew\n\n### N\n\nn\n\n### C\nc\n\n#### D\nd\n\n## B\n"
            "## A\nnew\n\n### N\n\nn\n\n## B\n"
            the note's structure would change: the heading `D` (line 4) would belong to `N` of level 3"###]],
    );
    let edited = patch(note, &named("A"), "### D\n", true).unwrap();
    let names = |list: &[SectionCandidate]| list.iter().map(|of| of.heading_path.join("/")).collect::<Vec<_>>();
    assert_eq!(names(&edited.taken), ["A/C"]);
    assert_eq!(names(&edited.lost), ["A/C"]);
    assert_eq!(edited.moved, [Some(0), None, Some(1), Some(2)]);
}

#[test]
fn content_that_would_not_end_is_refused() {
    let contents = [
        "```sh\nls\n",
        "x\n\n~~~~\n~~~\n",
        "x\n%% hidden",
        "x\n\n$$\na + b",
        "<!-- x",
        "a\n\n<script>\nlet x;",
        "<div>\nx",
        "- a\n\n  ```\n  b",
        "> ```\n> b",
        "`a",
        "100 %% x",
        "<pre>\n\n</pre>",
    ];
    let expected = expect![[r#"
        the code fence on line 1 of the content is not closed, so it would take in what follows [1]
        the code fence on line 3 of the content is not closed, so it would take in what follows [3]
        the comment (`%%`) on line 2 of the content is not closed, so it would take in what follows [2]
        the math block (`$$`) on line 3 of the content is not closed, so it would take in what follows [3]
        the HTML block on line 1 of the content is not closed, so it would take in what follows [1]
        the HTML block on line 3 of the content is not closed, so it would take in what follows [3]
        "<div>\nx"
        "- a\n\n  ```\n  b"
        "> ```\n> b"
        "`a"
        "100 %% x"
        "<pre>\n\n</pre>""#]
        the code fence on line 1 of the content is not closed, so it would take in what follows [1]
        the code fence on line 3 of the content is not closed, so it would take in what follows [3]
        the comment (`%%`) on line 2 of the content is not closed, so it would take in what follows [2]
        the math block (`$$`) on line 3 of the content is not closed, so it would take in what follows [3]
        the HTML block on line 1 of the content is not closed, so it would take in what follows [1]
        the HTML block on line 3 of the content is not closed, so it would take in what follows [3]
        "<div>\nx"
        "- a\n\n  ```\n  b"
        "> ```\n> b"
        "`a"
        "100 %% x"
        "<pre>\n\n</pre>""#]];
    for behind in ["", "\n## B\nb\n"] {
        let before = format!("## A\nold\n{behind}");
        let kept = |content: &str| {
            let all = shown(patch(&before, &named("A"), content, false));
            if all.starts_with('"') { format!("{content:?}") } else { all }
        };
        let all = contents.map(kept).join("\n");
        expected.assert_eq(&all);
    }
}

#[test]
fn headings_of_the_level_or_above_are_refused() {
    check_all(
        [
            patch("## A\nold\n", &named("A"), "new\n\n## New\n", false),
            patch("## A\nold\n", &named("A"), "\n## A\nnew\n", false),
            patch("## A\nold\n", &named("A"), "new\nNew\n---\n", true),
            patch("### A\nold\n", &named("A"), "x\n\n# New", true),
            append("### A\nold\n", &named("A"), "x\n\n# New", AppendAt::Start),
            patch("### A\nold\n", &named("A"), "```\n# no\n```\n\n> # no\n\n#### yes", true),
        ],
        expect![[r####"
            line 3 of the content is a heading of level 2 (`New`), which would end the section `A` of level 2 [3]
            line 2 of the content is a heading of level 2 (`A`), which would end the section `A` of level 2; leave out the section's own heading [2]
            line 1 of the content is a heading of level 2 (`new New`), which would end the section `A` of level 2 [1]
            line 3 of the content is a heading of level 1 (`New`), which would end the section `A` of level 3 [3]
            line 3 of the content is a heading of level 1 (`New`), which would end the section `A` of level 3 [3]
            "### A\n```\n# no\n```\n\n> # no\n\n#### yes\n""####]],
    );
}

#[test]
fn what_stands_outside_is_not_taken_in() {
    check_all(
        [
            patch("## A\nold\n\n  ## B\nb\n", &named("A"), "- item", false),
            patch("## A\n```\n```\nB\n---\nb\n", &named("A"), "text", false),
            patch("## A\n```\n```\nB\n---\nb\n", &named("A"), "| a |\n|---|", false),
            patch("## A\nold\n## B\nb\n", &named("A"), "<div>", false),
            patch("---\n\n## A\nold\n", &named("A"), "a: 1\n\n---\n", false),
            append("## A\n%% open\n", &named("A"), "more", AppendAt::End),
            append("## A\nold\n", &named("A"), "---", AppendAt::End),
            append("## A\nold\n", &named("A"), "===\nx", AppendAt::End),
            append("## A\n---\nold\n", &named("A"), "new", AppendAt::Start),
            append("## A\n    code\n", &named("A"), "    more", AppendAt::End),
            append("## A\n<div>\n", &named("A"), "more", AppendAt::End),
            append("## A\n<!--\n", &named("A"), "more", AppendAt::End),
            append("## A\n```\nx\n", &named("A"), "more", AppendAt::End),
        ],
        expect![[r###"
            the list on line 1 of the content would take in the heading `B` (line 4) [1]
            "## A\ntext\n\nB\n---\nb\n"
            "## A\n| a |\n|---|\n\nB\n---\nb\n"
            "## A\n<div>\n\n## B\nb\n"
            line 3 of the content would end a block of properties [3]
            the note's structure would change: line 2 would be read as something else
            "## A\nold\n\n---\n"
            "## A\nold\n\n===\nx\n"
            "## A\nnew\n\n---\nold\n"
            "## A\n    code\n    more\n"
            "## A\n<div>\n\nmore\n"
            the note's structure would change: line 2 would be read as something else
            the note's structure would change: line 2 would be read as something else"###]],
    );
}

#[test]
fn appended_text_goes_on_with_what_is_there() {
    let end = [
        ("## A\n- a\n- b\n\n## B\n", "- c"),
        ("## A\n- a\n", "\n- c"),
        ("## A\n- a\n", "  more"),
        ("## A\n- a\n", "more"),
        ("## A\n> a\n", "> b\n"),
        ("## A\n| a |\n|---|\n| b |\n", "| c |"),
        ("## A\nold\n\n## B\n", "more\n\n\n"),
        ("## A\r\nold", "more"),
        ("## A\nold", "more\n"),
        ("## A\nold\n\n### C\nc\n\n## B\n", "more"),
        ("## A\nold\n\n### C\nc\n\n## B\n", "### D\nd"),
        ("## A\n\n- a\n\n%% c %%\n", "- b"),
        ("## A\nx ^id\n", "y ^other"),
    ];
    check_all(
        end.map(|(before, content)| append(before, &named("A"), content, AppendAt::End)),
        expect![[r###"
            "## A\n- a\n- b\n- c\n\n## B\n"
            "## A\n- a\n\n- c\n"
            "## A\n- a\n  more\n"
            "## A\n- a\n\nmore\n"
            "## A\n> a\n> b\n"
            "## A\n| a |\n|---|\n| b |\n| c |\n"
            "## A\nold\n\nmore\n\n## B\n"
            "## A\r\nold\r\n\r\nmore"
            "## A\nold\n\nmore\n"
            "## A\nold\n\nmore\n\n### C\nc\n\n## B\n"
            "## A\nold\n\n### C\nc\n\n### D\nd\n\n## B\n"
            "## A\n\n- a\n\n%% c %%\n\n- b\n"
            "## A\nx ^id\n\ny ^other\n""###]],
    );
    let start = [
        ("## A\n- a\n- b\n\n## B\n", "- c"),
        ("## A\n\n> a\n", "> b\n"),
        ("## A\nold\n", "more"),
        ("## A\nold\n", "\nmore\n"),
        ("## A\nold", "more"),
        ("## A\n\n### C\nc\n", "more"),
        ("## A\n\n    code\n", "- a"),
    ];
    check_all(
        start.map(|(before, content)| append(before, &named("A"), content, AppendAt::Start)),
        expect![[r###"
        "## A\n- c\n- a\n- b\n\n## B\n"
        "## A\n\n> b\n> a\n"
        "## A\nmore\n\nold\n"
        "## A\n\nmore\n\nold\n"
        "## A\nmore\n\nold"
        "## A\nmore\n\n### C\nc\n"
        the note's structure would change: line 3 would be read as something else"###]],
    );
    let unchanged = append("## A\nold", &named("A"), " \n", AppendAt::End).unwrap();
    assert!(unchanged.edits.is_empty());
}

#[test]
fn deleting_takes_the_subtree_and_one_gap() {
    check_all(
        [
            ("# T\n\n## A\na\n\n## B\n```\n# no\n```\n\n#### d\nx\n\n### c\ny\n\n## C\nc\n", "B"),
            ("## A\na\n\n## B\nb\n", "B"),
            ("## A\na\n\n## B\nb", "B"),
            ("## A\na\n## B\nb\n\n## C\n", "B"),
            ("## A\na\n## B\nb\n## C\n", "B"),
            ("\u{feff}## B\r\nb\r\n\r\n## C\r\n", "B"),
            ("---\na: 1\n---\n\n## B\nb\n", "B"),
            ("## B\n", "B"),
            ("## A\na\n## B\n\n```\n```\nC\n---\n", "B"),
            ("- a\n## B\n  ## C\n", "B"),
            ("## A\n## B\n", "B"),
        ]
        .map(|(before, heading)| delete(before, &named(heading))),
        expect![[r###"
            "# T\n\n## A\na\n\n## C\nc\n"
            "## A\na\n"
            "## A\na\n"
            "## A\na\n\n## C\n"
            "## A\na\n## C\n"
            "\u{feff}## C\r\n"
            "---\na: 1\n---\n\n"
            ""
            "## A\na\n\nC\n---\n"
            the note's structure would change: the list on line 1 would take in the heading `C` (line 3)
            "## A\n""###]],
    );
    let edited = delete("# T\n## B\n### c\n## B\n### c\nx ^id\n", &SectionRef::Index(1)).unwrap();
    let names = |list: &[SectionCandidate]| list.iter().map(|of| (of.text.clone(), of.line)).collect::<Vec<_>>();
    assert_eq!(names(&edited.taken), [("B".to_owned(), 2), ("c".to_owned(), 3)]);
    assert_eq!(names(&edited.lost), [("B".to_owned(), 2), ("c".to_owned(), 3)]);
    assert_eq!((edited.index, edited.moved), (None, vec![Some(0), None, None, Some(1), Some(2)]));
}

const TREE: &str = "# T\n\n## A\na\n\n### A1\n\n### A2\na2\n\n## B\nb\n\n#### B1\n\n## C\nc\n";

#[test]
fn sections_move_with_all_they_hold() {
    use MoveTo::*;
    check_all(
        [
            ("A", "C", Before),
            ("A", "B", After),
            ("A", "C", After),
            ("C", "A", Before),
            ("C", "A", After),
            ("C", "T", FirstChild),
            ("A", "T", LastChild),
            ("A2", "A1", Before),
            ("A2", "B", FirstChild),
            ("A1", "B", LastChild),
            ("B1", "A2", LastChild),
            ("A1", "A2", Before),
        ]
        .map(|(from, to, position)| moved(TREE, &named(from), &named(to), position, false)),
        expect![[r##"
            "# T\n\n## B\nb\n\n#### B1\n\n## A\na\n\n### A1\n\n### A2\na2\n\n## C\nc\n"
            "# T\n\n## B\nb\n\n#### B1\n\n## A\na\n\n### A1\n\n### A2\na2\n\n## C\nc\n"
            "# T\n\n## B\nb\n\n#### B1\n\n## C\nc\n\n## A\na\n\n### A1\n\n### A2\na2\n"
            "# T\n\n## C\nc\n\n## A\na\n\n### A1\n\n### A2\na2\n\n## B\nb\n\n#### B1\n"
            "# T\n\n## A\na\n\n### A1\n\n### A2\na2\n\n## C\nc\n\n## B\nb\n\n#### B1\n"
            "# T\n\n## C\nc\n\n## A\na\n\n### A1\n\n### A2\na2\n\n## B\nb\n\n#### B1\n"
            "# T\n\n## B\nb\n\n#### B1\n\n## C\nc\n\n## A\na\n\n### A1\n\n### A2\na2\n"
            "# T\n\n## A\na\n\n### A2\na2\n\n### A1\n\n## B\nb\n\n#### B1\n\n## C\nc\n"
            the note's structure would change: the heading `B1` (line 14) would belong to `A2` of level 3
            "# T\n\n## A\na\n\n### A2\na2\n\n## B\nb\n\n#### B1\n\n### A1\n\n## C\nc\n"
            "# T\n\n## A\na\n\n### A1\n\n### A2\na2\n\n#### B1\n\n## B\nb\n\n## C\nc\n"
            "# T\n\n## A\na\n\n### A1\n\n### A2\na2\n\n## B\nb\n\n#### B1\n\n## C\nc\n""##]],
    );
}

#[test]
fn levels_change_only_if_that_is_meant() {
    use MoveTo::*;
    check_all(
        [
            moved(TREE, &named("A"), &named("B"), LastChild, false),
            moved(TREE, &named("A"), &named("B"), LastChild, true),
            moved(TREE, &named("A"), &named("C"), FirstChild, true),
            moved(TREE, &named("A2"), &named("B"), After, false),
            moved(TREE, &named("A2"), &named("B"), After, true),
            moved(TREE, &named("B"), &named("A2"), Before, false),
            moved(TREE, &named("B"), &named("A2"), Before, true),
            moved(TREE, &named("A2"), &named("A"), After, true),
            moved(TREE, &named("T"), &named("A"), After, true),
            moved(TREE, &named("A"), &named("A"), Before, true),
            moved("##### A\n###### A1\n##### B\n", &named("A"), &named("B"), LastChild, true),
            moved("# T\nA\n---\na\n\nB\nb\n---\n", &named("A"), &named("B b"), LastChild, true),
            moved("# T\n\n# A\n\nB ^id\n---\n", &named("A"), &named("T"), LastChild, true),
            moved("T\n=\n\n# A\nB\n---\n### C\n", &named("B"), &named("A"), After, true),
        ],
        expect![[r##"
            the note's structure would change: `A` is of level 2 and can be no child of `B` (level 2) unless it is relevelled
            "# T\n\n## B\nb\n\n#### B1\n\n#### A\na\n\n##### A1\n\n##### A2\na2\n\n## C\nc\n"
            "# T\n\n## B\nb\n\n#### B1\n\n## C\nc\n\n### A\na\n\n#### A1\n\n#### A2\na2\n"
            the note's structure would change: the heading `A2` (line 8) would belong to `B` of level 2
            "# T\n\n## A\na\n\n### A1\n\n## B\nb\n\n#### B1\n\n## A2\na2\n\n## C\nc\n"
            the note's structure would change: the heading `B` (line 11) would belong to `T` of level 1
            "# T\n\n## A\na\n\n### A1\n\n### B\nb\n\n##### B1\n\n### A2\na2\n\n## C\nc\n"
            "# T\n\n## A\na\n\n### A1\n\n## A2\na2\n\n## B\nb\n\n#### B1\n\n## C\nc\n"
            section `T` cannot be moved into itself
            section `A` cannot be moved into itself
            heading `A1` (line 2) would be of level 7, and there are only 6
            "# T\nB\nb\n---\n\n### A\na\n"
            "# T\n\n## A\n\n### B ^id\n"
            "T\n=\n\n# A\nB\n===\n## C\n""##]],
    );
}

#[test]
fn moving_keeps_apart_what_would_read_as_one() {
    use MoveTo::*;
    check_all(
        [
            moved("## A\n```\n```\nB\n---\nb\n## C\npara\n", &named("B"), &named("C"), After, false),
            moved("## A\n## C\npara\n\nB\n---\nb\n", &named("A"), &named("C"), After, false),
            moved("## A\n%% open\n", &named("A"), &named("A"), After, false),
            moved("## B\nb\n\n## A\n```\nopen\n", &named("A"), &named("B"), Before, false),
            moved("\u{feff}## A\r\na\r\n\r\n## B\r\nb", &named("A"), &named("B"), After, false),
            moved("\u{feff}## A\r\na\r\n\r\n## B\r\nb", &named("B"), &named("A"), Before, false),
            moved("---\na: 1\n---\n## A\na\n\n\n## B\nb\n", &named("B"), &named("A"), Before, false),
        ],
        expect![[r###"
            "## A\n```\n```\n## C\npara\n\nB\n---\nb\n"
            "## C\npara\n\n## A\nB\n---\nb\n"
            section `A` cannot be moved into itself
            the note's structure would change: the code fence on line 5 would take in the heading `B` (line 1)
            "\u{feff}## B\r\nb\r\n\r\n## A\r\na"
            "\u{feff}## B\r\nb\r\n\r\n## A\r\na"
            "---\na: 1\n---\n## B\nb\n\n\n## A\na\n""###]],
    );
}

#[test]
fn links_that_lose_their_target_are_named() {
    let (text, note) =
        read("# T\n\n## Log\nx ^one\n\n## End\n\n## Log\n\n### Deep\ny ^two\n\n[[#Log]] [[#End#Deep]]\n");
    let (_, linking) =
        read("[[n#Log]] [[n#^one]] [[n#^TWO]] [[n#Deep]] [[n#T#Log]] [[n#gone]] [[o#Log]]\n[x](n.md#Log)\n");
    let resolves = |link: &Link| matches!(link.target.as_str(), "n" | "n.md" | "");
    let warn = |edited: &SectionEdited| {
        let of = |note: &Note| edited.lost_links(&read_note(&text), note, &resolves);
        let all = of(&linking).into_iter().chain(of(&edited.note));
        all.map(|warning| format!("{}: {}", warning.line, warning.text)).collect::<Vec<_>>().join("\n")
    };
    let first = SectionRef::Index(1);
    let deleted = delete_section(&text, &note, &first).unwrap();
    let last = SectionRef::Index(3);
    let moved = move_section(&text, &note, &last, &first, MoveTo::Before, false).unwrap();
    let both = format!("{}\n--\n{}", warn(&deleted), warn(&moved));
    expect![[r#"
        1: link to `n#Log` meant `Log` (line 3) and now means `Log` (line 5)
        1: link to `n#^one` meant a block that is gone
        1: link to `n#T#Log` meant `Log` (line 3) and now means `Log` (line 5)
        2: link to `n.md#Log` meant `Log` (line 3) and now means `Log` (line 5)
        10: link to `#Log` meant `Log` (line 3) and now means `Log` (line 5)
        --
        1: link to `n#Log` meant `Log` (line 3) and now means `Log` (line 3)
        1: link to `n#T#Log` meant `Log` (line 3) and now means `Log` (line 3)
        2: link to `n.md#Log` meant `Log` (line 3) and now means `Log` (line 3)
        8: link to `#Log` meant `Log` (line 3) and now means `Log` (line 3)
        8: link to `#End#Deep` meant `Deep` (line 10) and now means no heading"#]]
    .assert_eq(&both);
}

fn read_note(text: &NoteText) -> Note {
    parse(text)
}

#[test]
fn sections_that_are_not_there_are_named() {
    check_all(
        [
            patch("## A\n## A\n", &named("A"), "x", false),
            delete("## A\n", &named("B")),
            moved("## A\n", &named("A"), &named("B"), MoveTo::After, false),
        ],
        expect![[r#"
            2 sections are called `A`; choose one with heading_level or heading_occurrence
            no section is called `B`
            no section is called `B`"#]],
    );
    let text = NoteText::lossy(b"## A\n\xff".to_vec());
    let refused = patch_section(&text, &parse(&text), &named("A"), "x", false);
    assert_eq!(refused, Err(SectionEditError::NotUtf8));
}

const TEXT: &str = "(#{1,3} [a-c]{1,2}\n|[a-c]\n[-=]{1,3}\n|> |- |    |```\n|<!--|<div>\n|%%|\\$\\$|[a-c#*_` |-]|\n|\r\n|\r|---\n){0,24}";

/// What a person sees of a note's headings.
fn outline(note: &Note) -> Vec<(u8, String)> {
    note.headings.iter().map(|heading| (heading.level, heading.raw.clone())).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, ..ProptestConfig::default() })]

    /// Any content is refused, or everything outside of the section is what it was.
    #[test]
    fn content_stays_in_its_section(before in TEXT, at in 0usize..4, content in TEXT, how in 0u8..4) {
        let (text, note) = read(&before);
        let at_ref = SectionRef::Index(at);
        let outcome = match how {
            0 => patch_section(&text, &note, &at_ref, &content, false),
            1 => patch_section(&text, &note, &at_ref, &content, true),
            2 => append_to_section(&text, &note, &at_ref, &content, AppendAt::Start),
            _ => append_to_section(&text, &note, &at_ref, &content, AppendAt::End),
        };
        let Ok(edited) = outcome else { return Ok(()) };
        let section = note.section_at(at);
        let (old, new) = (text.as_str(), edited.text.as_str());
        let after = edited.note.section_at(at);
        prop_assert!(new.starts_with(&old[..section.heading.span.end]));
        prop_assert_eq!(&new[after.span.end..], &old[section.span.end..]);
        if how != 1 {
            prop_assert!(new.ends_with(&old[section.own_end..]));
        }
        let (outline_before, outline_after) = (outline(&note), outline(&edited.note));
        prop_assert_eq!(&outline_before[..=at], &outline_after[..=at]);
        let n_behind = note.headings.iter().filter(|heading| heading.span.start >= section.span.end).count();
        let (n_before, n_after) = (outline_before.len(), outline_after.len());
        prop_assert_eq!(&outline_before[n_before - n_behind..], &outline_after[n_after - n_behind..]);
        let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
        let inside = words(&new[after.heading.span.end..after.span.end]).join(" ");
        prop_assert!(inside.contains(&words(&content).join(" ")));
    }

    /// What is deleted is one section, and the rest keeps its bytes.
    #[test]
    fn deleting_takes_one_section(before in TEXT, at in 0usize..4) {
        let (text, note) = read(&before);
        let Ok(edited) = delete_section(&text, &note, &SectionRef::Index(at)) else { return Ok(()) };
        let section = note.section_at(at);
        let start = section.span.start.max(note.body);
        let (old, new) = (text.as_str(), edited.text.as_str());
        let blank = |text: &str| text.trim_matches([' ', '\t', '\n', '\r']).to_owned();
        prop_assert!(new.starts_with(old[..start].trim_end_matches([' ', '\t', '\n', '\r'])));
        prop_assert!(new.ends_with(&old[section.span.end..]));
        let rest = format!("{}{}", blank(&old[..start]), blank(&old[section.span.end..]));
        let squeezed = |text: &str| text.split_whitespace().collect::<String>();
        prop_assert_eq!(squeezed(new), squeezed(&rest));
        let kept: Vec<_> = (0..note.headings.len()).filter(|&old| edited.moved[old].is_some()).collect();
        prop_assert_eq!(kept.len(), edited.note.headings.len());
        prop_assert_eq!(edited.taken.len() + kept.len(), note.headings.len());
    }

    /// A section that goes somewhere and comes back leaves the bytes as they were, unless a blank
    /// line had to part it.
    #[test]
    fn there_and_back(before in TEXT, from in 0usize..4, to in 0usize..5, how in 0u8..4) {
        let (text, note) = read(&before);
        let position = [MoveTo::Before, MoveTo::After, MoveTo::FirstChild, MoveTo::LastChild][how as usize];
        let (from_ref, to_ref) = (SectionRef::Index(from), SectionRef::Index(to));
        let Ok(edited) = move_section(&text, &note, &from_ref, &to_ref, position, false) else { return Ok(()) };
        let mut bytes: Vec<char> = text.as_str().chars().collect();
        let mut after: Vec<char> = edited.text.as_str().chars().collect();
        bytes.sort();
        after.sort();
        let is_pure = bytes == after;
        prop_assert!(after.len() <= bytes.len() + 3 * text.eol().as_str().len());
        // The section that stood behind it, else the one that it was the last child of.
        let section = note.section_at(from);
        let next = note.headings.iter().position(|heading| heading.span.start >= section.span.end);
        let above = note.headings[..from].iter().enumerate().rfind(|(_, heading)| heading.level == section.heading.level);
        let parent = section.heading.parent;
        let (anchor, position) = match (next, above, parent) {
            (Some(next), _, _) if note.headings[next].level == section.heading.level => (next, MoveTo::Before),
            (_, Some((above, heading)), _) if heading.parent == parent => (above, MoveTo::After),
            (_, _, Some(parent)) => (parent, MoveTo::LastChild),
            _ => return Ok(()),
        };
        let index = |old: usize| SectionRef::Index(edited.moved[old].unwrap());
        let back = move_section(&edited.text, &edited.note, &index(from), &index(anchor), position, false);
        if let (true, Ok(back)) = (is_pure, back) {
            prop_assert_eq!(outline(&back.note), outline(&note));
            let n_added = back.text.as_str().len() - text.as_str().len();
            if n_added == 0 {
                prop_assert_eq!(back.text.as_str(), text.as_str());
            }
        }
    }
}
