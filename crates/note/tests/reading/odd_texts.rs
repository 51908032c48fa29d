//! Texts that are not what an editor would write.

use expect_test::{Expect, expect};
use note::{LinkKind, NoteText, parse};
use proptest::prelude::*;

use super::{check, found, view};

#[test]
fn line_endings_of_every_kind() {
    check(
        "# a\r\n## b\r### c\n#### d\r\r\n##### e\n\r###### f",
        expect![[r#"
        1: h1 "a"
        2: h2 "b"
        3: h3 "c"
        4: h4 "d"
        6: h5 "e"
        8: h6 "f"
    "#]],
    );
    check(
        "a\rb\r===\r\r[[c]] ^d\r\r- e ^f\r",
        expect![[r#"
        1: h1 "a b"
        5: [[]] "c"
        5: ^d is "[[c]]"
        7: ^f is "e"
    "#]],
    );
    check(
        "---\rx: \"[[a]]\"\r\ny: '[[b]]'\n---\r# c\r```\r# no\r```\r# d",
        expect![[r#"
        5: h1 "c"
        9: h1 "d"
        2: property "a"
        3: property "b"
    "#]],
    );
}

#[test]
fn other_blanks_end_no_line_and_are_no_blanks_of_markdown() {
    check(
        "# a\u{2028}b\u{85}c\u{b}d\u{c}e\n#\u{a0}no\n# \u{a0}f\u{a0}\n\u{a0}# no\n\u{3000}# no\n",
        expect![[r#"
        1: h1 "a\u{2028}b\u{85}c\u{b}d\u{c}e"
        3: h1 "f" written "\u{a0}f\u{a0}"
    "#]],
    );
}

#[test]
fn a_no_break_space_in_a_link_is_a_space_of_the_name() {
    check(
        "[[a\u{a0}b]] #c\u{a0}d\n\n# a\u{a0}b\n\n[[#a b]]",
        expect![[r#"
        3: h1 "a\u{a0}b"
        1: [[]] "a\u{a0}b"
        5: [[]] "" # "a b" -> line 3
        1: #c
    "#]],
    );
}

#[test]
fn a_byte_order_mark_counts_only_at_the_start() {
    check(
        "\u{feff}# a\n\u{feff}# no\n",
        expect![[r#"
        1: h1 "a"
    "#]],
    );
    check(
        "\u{feff}---\na: '[[b]]'\n---\n# c\n",
        expect![[r#"
        4: h1 "c"
        2: property "b"
    "#]],
    );
    check("\u{feff}\u{feff}# no\n", expect![[r#""#]]);
}

#[test]
fn a_zero_is_a_character_like_others() {
    check(
        "# a\0b\n[[c\0d]] #e\0f\n\0# no\n",
        expect![[r#"
        1: h1 "a\0b"
        2: [[]] "c\0d"
        2: #e
    "#]],
    );
}

#[test]
fn what_is_not_utf8_is_read_as_far_as_it_goes() {
    let check = |bytes: &[u8], expected: Expect| expected.assert_eq(&found(&NoteText::lossy(bytes.to_vec())));
    check(
        b"# a\xff\n[[b]]\n\xc3\n# c\n",
        expect![[r#"
        1: h1 "a�"
        4: h1 "c"
        2: [[]] "b"
        problem: text is not UTF-8
    "#]],
    );
    check(
        b"\xff\xfe#\0 \0a\0",
        expect![[r#"
        problem: text is not UTF-8
    "#]],
    );
}

#[test]
fn nothing_is_a_note() {
    for text in ["", "\u{feff}", "\n", "\r", "\r\n", " ", "\t", "\0", "---", "---\n", "---\n---", "%%", "$$", "```"] {
        let note = parse(&NoteText::from_str(text));
        assert_eq!(
            (note.headings.len(), note.links.len(), note.tags.len(), note.blocks.len()),
            (0, 0, 0, 0),
            "{text:?}"
        );
    }
}

#[test]
fn the_last_line_needs_no_ending() {
    for (text, expected) in [
        ("# a", 1),
        ("a\n===", 1),
        ("```\nx\n```", 0),
        ("- [[b]]", 1),
        ("c ^d", 1),
        ("#e", 1),
        ("---\nx: '[[f]]'\n---", 1),
    ] {
        let note = parse(&NoteText::from_str(text));
        assert_eq!(note.headings.len() + note.links.len() + note.tags.len() + note.blocks.len(), expected, "{text:?}");
        assert_eq!(note.problems, [], "{text:?}");
    }
}

#[test]
fn a_title_is_one_line() {
    check(
        "a `b\nc` $d\ne$ $$f\n  g$$ h\n===\n",
        expect![[r#"
        1: h1 "a b c $d e$ $$f g$$ h" written "a `b c` $d e$ $$f g$$ h"
    "#]],
    );
    check(
        "a `b\r\nc` $d\r\ne$ \\\r\nf\r\n===\r\n",
        expect![[r#"
        1: h1 "a b c $d e$  f" written "a `b c` $d e$ \\ f"
    "#]],
    );
    check("[[a\\\nb]] [[c\\\r\nd]]\n", expect![[r#""#]]);
}

fn text() -> impl Strategy<Value = String> {
    let pieces = prop::sample::select(vec![
        "# ",
        "## ",
        "a",
        "b ",
        "\n",
        "\n",
        "\n",
        "\n\n",
        "\n\n",
        "- ",
        "  ",
        "- [ ] ",
        "1. ",
        "> ",
        "```\n",
        "~~~\n",
        "%%",
        "%%\n",
        "$$",
        "$$\n",
        "$",
        "`",
        "[[a]]",
        "[[b|c]]",
        "[[",
        "]]",
        "![[d]]",
        "[e](f.md)",
        "#tag",
        " #t",
        " ^id",
        "^id",
        "===\n",
        "---\n",
        "| a | b |\n|---|---|\n",
        "| c |",
        "<div>",
        "</div>",
        "<b>",
        "</b>",
        "<!--",
        "-->",
        "**",
        "*",
        "==",
        "~~",
        "[^1]",
        "[^1]: ",
        "[r]: x\n",
        "[r]",
        "\\",
        "    ",
        "&amp;",
        "é",
        "> [!note] ",
        "  \n",
        "\\\n",
        "<br>",
        "|",
    ]);
    prop::collection::vec(pieces, 0..14).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn it_does_not_matter_how_lines_end_or_how_the_text_begins_and_ends(text in text()) {
        let all = found(&NoteText::from_str(&text));
        for other in ["\r\n", "\r"] {
            let with_other_endings = found(&NoteText::from_str(&text.replace('\n', other)));
            prop_assert_eq!(with_other_endings.replace("\\r\\n", "\\n").replace("\\r", "\\n"), all.as_str(), "{:?}", text);
        }
        prop_assert_eq!(found(&NoteText::from_str(&format!("\u{feff}{text}"))), all.as_str(), "{:?}", text);
        let ended = text.trim_end_matches('\n');
        let (one, more) = (found(&NoteText::from_str(&format!("{ended}\n"))), found(&NoteText::from_str(&format!("{ended}\n\n\n"))));
        prop_assert_eq!(one, more, "{:?}", text);
        prop_assert_eq!(view(&text.replace('\n', "\r"), false), view(&text, false), "{:?}", text);
    }

    #[test]
    fn a_quote_holds_the_links_and_tags_that_its_text_holds(text in text()) {
        prop_assume!(!text.starts_with("---"));
        let held = |text: &str| {
            let note = parse(&NoteText::from_str(text));
            let links = note.links.iter().filter(|link| link.kind != LinkKind::Property);
            let links = links.map(|link| format!("{}: {} {:?}", link.line, link.target, link.subpath));
            let mut all: Vec<String> = links.chain(note.tags.iter().map(|tag| format!("{}: #{}", tag.line, tag.name))).collect();
            all.sort();
            all
        };
        let quoted: Vec<String> = text.split('\n').map(|line| format!("> {line}")).collect();
        prop_assert_eq!(held(&quoted.join("\n")), held(&text), "{:?}", text);
    }
}
