//! Whatever the text, what is read of it is sound, and is read in time.

use proptest::prelude::*;

use super::soundness::assert_sound;
use super::*;

proptest! {
    #[test]
    fn any_bytes_parse(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        assert_sound(&NoteText::lossy(bytes));
    }

    #[test]
    fn any_markdown_parses(text in "\u{feff}?(#{1,7}|---|===|```|~~~|\\$\\$|%%|\\[\\[|\\]\\]|\\]\\(|\\]:|\\)|<!--|-->|<div>|\\| |> |- |1\\. |\\^a|[a-c:\"'*_`!&\\\\é🎉\u{a0}]| |\t|\n|\r\n|\r|\n\n){0,60}") {
        assert_sound(&NoteText::from_str(&text));
    }

    #[test]
    fn any_properties_parse(yaml in "([a-c]: |- |\\[\\[a#b|\\]\\]|[\\[\\]{}|>&*!'\",:#?%@é🎉\\\\-]|[a-c]|  |\n|\r\n|\r|\t){0,40}") {
        assert_sound(&NoteText::from_str(&format!("---\n{yaml}\n---\n# A\n[[b]]\n")));
    }
}

/// Work that grows with the square of the input would take minutes here.
#[test]
fn much_of_anything_is_read_in_time() {
    let n = 100_000;
    for unit in [
        "#",
        "`",
        "[",
        "]",
        ">",
        "*",
        "_",
        "~",
        "!",
        "<",
        "&",
        "\\",
        "|",
        "(",
        "$",
        "%",
        "^",
        "-",
        "=",
        "\t",
        "\r",
        "\0",
        "[[",
        "![[",
        "[[a]]",
        "[[a]](b) ",
        "[](",
        "[a](",
        "[a]: b\n",
        "[^a]: ",
        "$$ ",
        "%% ",
        "%%\n",
        "$$\n",
        "> ",
        "- ",
        "1. ",
        "a_",
        "*a",
        "_a_",
        "`a``b",
        "<a ",
        "<!-- ",
        "<![CDATA[",
        "# a\n",
        "a\n-\n",
        "- a\n",
        "> a\n\n",
        "| a |\n",
        "|a\n|-\n",
        " #a",
        "^a\n\n",
        "a ^b\n",
        "[[a]]^b\n",
        "- a ^b\n",
        "> a ^b\n",
        "[[a#[^b]]] ",
        "```\n",
        "&#35;",
        "- [ ] ",
        "<div>\n",
        "[[a|",
        "$a",
        "a$ $b",
        "---\n",
        "a: ",
        "a: 1\n",
        "a: [[b]]\n",
        "- '[[b]]'\n",
        "a: {",
        "é: é\n",
    ] {
        let text = NoteText::from_str(&unit.repeat(n / unit.len()));
        let note = parse(&text);
        for index in [0, note.headings.len() / 2] {
            if index < note.headings.len() {
                let _ = note.section_at(index);
            }
        }
        let in_properties = format!("---\n{}\n---\n", text.as_str());
        let _ = parse(&NoteText::from_str(&in_properties));
    }
}

#[test]
fn a_text_of_nothing_but_marks_is_read_as_words() {
    let text = NoteText::from_str(&format!("# A\n{}", "[[b]]\n".repeat(900_000)));
    let note = parse(&text);
    assert_eq!((note.headings.len(), note.links.len(), note.n_lines), (0, 0, 900_001));
    assert_eq!(note.problems, [Problem { line: 1, kind: ProblemKind::TooDense }]);
    let prose = format!("# A\n{}", "Much is written here, \n".repeat(200_000));
    assert_eq!(parse(&NoteText::from_str(&prose)).headings.len(), 1);
}
