#![no_main]

use libfuzzer_sys::fuzz_target;
use note::{NoteText, parse};
use std::ops::Range;

fuzz_target!(|bytes: &[u8]| {
    let text = NoteText::lossy(bytes.to_vec());
    let note = parse(&text);
    let source = text.as_str();
    let slice = |range: &Range<usize>| source.get(range.clone()).expect("a range of the text");
    let mut last = note.body;
    for (index, heading) in note.headings.iter().enumerate() {
        assert!(last <= heading.span.start && heading.span.start <= heading.title.start);
        assert!(heading.title.end <= heading.span.end);
        let _ = (slice(&heading.span), slice(&heading.title));
        assert_eq!(heading.line, text.line_of(heading.title.start));
        assert!((1..=6).contains(&heading.level));
        last = heading.span.end;
        let section = note.section_at(index);
        let _ = slice(&section.span);
        assert!(section.own_end <= section.span.end && section.line_start <= section.line_end);
    }
    let mut last_link = 0;
    for link in &note.links {
        let _ = slice(&link.span);
        assert!(last_link <= link.span.start);
        last_link = link.span.start;
        assert!(link.span.start <= link.target_span.start && link.target_span.end <= link.span.end);
        if let Some(subpath) = &link.subpath_span {
            let _ = slice(subpath);
            assert!(link.target_span.end <= subpath.start && subpath.end <= link.span.end);
        }
        assert_eq!(link.line, text.line_of(link.span.start));
    }
    for tag in &note.tags {
        assert_eq!(slice(&tag.span), format!("#{}", tag.name));
    }
    for block in &note.blocks {
        assert_eq!(slice(&block.span), format!("^{}", block.id));
        let _ = slice(&block.block);
    }
    let mut last_hidden = note.body;
    for hidden in &note.hidden {
        assert!(last_hidden <= hidden.start);
        let _ = slice(hidden);
        last_hidden = hidden.end;
    }
    for property in note.frontmatter.iter().flat_map(|frontmatter| &frontmatter.entries) {
        let _ = (slice(&property.key_span), slice(&property.value_span), slice(&property.span));
        assert!(property.span.end <= note.body);
    }
});
