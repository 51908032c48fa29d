//! What holds for whatever is read of any text. The fuzz target takes this file too, so it names nothing of the crate
//! but what stands above it.

use std::ops::Range;

use super::{NoteText, parse};

/// Every range of a note lies in its text, on whole characters, and says what it claims to be.
pub(super) fn assert_sound(text: &NoteText) {
    let note = parse(text);
    let source = text.as_str();
    let slice = |range: &Range<usize>| source.get(range.clone()).expect("a range of the text");
    assert_eq!(note.len, source.len());
    let mut last = note.body;
    for (index, heading) in note.headings.iter().enumerate() {
        assert!(last <= heading.span.start && heading.span.start <= heading.title.start);
        assert!(heading.title.end <= heading.span.end);
        assert!((1..=6).contains(&heading.level));
        let _ = (slice(&heading.span), slice(&heading.title));
        assert_eq!(heading.line, text.line_of(heading.title.start));
        last = heading.span.end;
        let section = note.section_at(index);
        let _ = slice(&section.span);
        assert!(section.own_end <= section.span.end && section.line_start <= section.line_end);
        assert!(section.line_end <= note.n_lines.max(section.line_start));
        if let Some(id) = &heading.block_id {
            assert!(slice(&heading.span).contains(&format!("^{id}")));
        }
    }
    let mut last = 0;
    for link in &note.links {
        let _ = (slice(&link.span), slice(&link.target_span));
        assert!(last <= link.span.start && link.span.start <= link.target_span.start);
        assert!(link.target_span.end <= link.span.end);
        last = link.span.start;
        assert_eq!(link.subpath.is_some(), link.subpath_span.is_some());
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
    let mut last = note.body;
    for hidden in &note.hidden {
        assert!(last <= hidden.start);
        let _ = slice(hidden);
        last = hidden.end;
    }
    for property in note.frontmatter.iter().flat_map(|frontmatter| &frontmatter.entries) {
        let _ = (slice(&property.key_span), slice(&property.value_span), slice(&property.span));
        assert!(property.span.end <= note.body);
    }
    assert_eq!(parse(text), note);
}
