//! Whatever the text, what is read of it is sound, and is read in time.

use proptest::prelude::*;

use super::*;

/// Every range of a note lies in its text, on whole characters, and says what it claims to be.
fn assert_sound(text: &NoteText) {
    let note = parse(text);
    let source = text.as_str();
    let slice = |range: &Range<usize>| source.get(range.clone()).expect("a range of the text");
    assert_eq!(note.len, source.len());
    let mut last = 0;
    for (index, heading) in note.headings.iter().enumerate() {
        assert!(last <= heading.span.start && heading.span.start >= note.body);
        assert!(heading.span.start <= heading.title.start && heading.title.end <= heading.span.end);
        last = heading.span.end;
        let _ = (slice(&heading.span), slice(&heading.title));
        assert_eq!(heading.line, text.line_of(heading.title.start));
        let section = note.section_at(index);
        let _ = slice(&section.span);
        assert!(section.own_end <= section.span.end && section.line_start <= section.line_end);
        assert!(section.line_end <= note.n_lines.max(section.line_start));
        if let Some(id) = &heading.block_id {
            assert!(slice(&heading.span).contains(&format!("^{id}")));
        }
    }
    for link in &note.links {
        let _ = slice(&link.span);
        assert!(link.span.start <= link.target_span.start && link.target_span.end <= link.span.end);
        let _ = (slice(&link.target_span), link.subpath_span.as_ref().map(slice));
        assert_eq!(link.subpath.is_some(), link.subpath_span.is_some());
        assert_eq!(link.line, text.line_of(link.span.start));
    }
    for tag in &note.tags {
        assert_eq!(slice(&tag.span), format!("#{}", tag.name));
    }
    for block in &note.blocks {
        assert_eq!(slice(&block.span), format!("^{}", block.id));
        let _ = slice(&block.block);
    }
    for hidden in &note.hidden {
        let _ = slice(hidden);
    }
    for property in note.frontmatter.iter().flat_map(|frontmatter| &frontmatter.entries) {
        let _ = (slice(&property.key_span), slice(&property.value_span), slice(&property.span));
        assert!(property.span.end <= note.body);
    }
    assert_eq!(parse(text), note);
}

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
