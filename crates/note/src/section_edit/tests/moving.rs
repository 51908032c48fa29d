use expect_test::expect;

use super::*;

#[test]
fn deleting_takes_the_subtree_and_nothing_above_it() {
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
            ("## A\na  \n \t\n\n## B\nb\n\n\n", "B"),
            ("## A\r\na\r\n\r\nB\r\n---\r\nb", "B"),
            ("## A\ra\r\r## B\r", "B"),
        ]
        .map(|(before, heading)| delete(before, &named(heading))),
        expect![[r###"
            "# T\n\n## A\na\n\n## C\nc\n"
            "## A\na\n\n"
            "## A\na\n\n"
            "## A\na\n\n## C\n"
            "## A\na\n## C\n"
            "\u{feff}## C\r\n"
            "---\na: 1\n---\n\n"
            ""
            "## A\na\n\nC\n---\n"
            the note's structure would change: the list on line 1 would take in the heading `C` (line 3)
            "## A\n"
            "## A\na  \n \t\n\n"
            "## A\r\na\r\n\r\n"
            "## A\ra\r\r""###]],
    );
    let edited = delete("# T\n## B\n### c\n## B\n### c\nx ^id\n", &SectionRef::Index(1)).unwrap();
    let names = |list: &[SectionCandidate]| list.iter().map(|of| (of.text.clone(), of.line)).collect::<Vec<_>>();
    assert_eq!(names(&edited.taken), [("B".to_owned(), 2), ("c".to_owned(), 3)]);
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
