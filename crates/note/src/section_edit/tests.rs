use expect_test::{Expect, expect};

use super::*;
use crate::parse::parse;

mod moving;
mod properties;

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
    let kept = |before: &str, content: &str| {
        let all = shown(patch(before, &named("A"), content, false));
        if all.starts_with('"') { format!("{content:?}") } else { all }
    };
    let all = contents.map(|content| kept("## A\nold\n", content));
    assert_eq!(all, contents.map(|content| kept("## A\nold\n\n## B\nb\n", content)));
    expect![[r#"
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
        "<pre>\n\n</pre>""#]]
    .assert_eq(&all.join("\n"));
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
        ("## A\n> q\n^id\n", "> r"),
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
            "## A\nx ^id\n\ny ^other\n"
            "## A\n> q\n^id\n\n> r\n""###]],
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
