//! What the properties of a note hold for the rest of the program.

use expect_test::expect;

use super::*;

#[test]
fn property_links() {
    check(
        "---\nup: \"[[N#A \\\"q\\\"|x]]\"\nrel:\n  - '[[it''s#H]]'\n  - see [[Plain]] and ![[More]]\n  - [[not, a link]]\nkey [[no]]: x\nnested: {a: \"[[Deep]]\"}\nblock: |\n  text [[In block#H]]\n# comment [[no]]\né: \"é [[É]]\"\n---\n[[body]]\n",
        expect![[r##"
            2: Property "N"#A "q" as "x" from "N#A \\\"q\\\""
            4: Property "it's"#H from "it''s#H"
            5: Property "Plain" from "Plain"
            5: !Property "More" from "More"
            8: Property "Deep" from "Deep"
            10: Property "In block"#H from "In block#H"
            12: Property "É" from "É"
            14: Wiki "body" from "body"
        "##]],
    );
}

#[test]
fn a_broken_frontmatter_is_a_problem_and_no_more() {
    check(
        "---\ngood: [[A]]\nbad: \"open\n---\n# H\n[[yes]]\n",
        expect![[r#"
        6: Wiki "yes" from "yes"
        problem: properties are not valid YAML: while scanning a quoted scalar, found unexpected end of stream (line 3)
    "#]],
    );
    check(
        "---\njust prose\n---\n[[yes]]\n",
        expect![[r#"
        4: Wiki "yes" from "yes"
        problem: properties are not names with values (line 1)
    "#]],
    );
    check(
        "---\n\n---\n[[yes]]\n",
        expect![[r#"
        4: Wiki "yes" from "yes"
    "#]],
    );
    let deep = format!("---\na: {}\n---\n", "[".repeat(5000));
    check(
        &deep,
        expect![[r#"
        problem: properties are not valid YAML: recursion limit exceeded (line 2)
    "#]],
    );
}

#[test]
fn titles_aliases_and_tags_of_a_note() {
    let path = RelPath::new("dir/File name.md").unwrap();
    for (text, title) in [
        ("---\ntitle: Given\n---\n# H1\n", "Given"),
        ("---\ntitle: 2026\n---\n", "2026"),
        ("---\ntitle: ' '\n---\n## H2\n# H1 *x*\n", "H1 x"),
        ("## H2\n", "File name"),
        ("#\n", "File name"),
    ] {
        assert_eq!(parse(&NoteText::from_str(text)).title(&path), title);
    }
    let note =
        parse(&NoteText::from_str("---\nAliases:\n  - One\n  - 2\n  -\ntags: ['#a', b/c, 'x y', 12]\n---\n#A #d\n"));
    assert_eq!(note.aliases(), ["One", "2"]);
    assert_eq!(note.all_tags(), ["a", "b/c", "d"]);
    let single = parse(&NoteText::from_str("---\naliases: Only\ntags: one\n---\n"));
    assert_eq!((single.aliases(), single.all_tags()), (vec!["Only".to_owned()], vec!["one".to_owned()]));
}
