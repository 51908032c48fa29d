//! A note as the reading view's parser sees it: what Obsidian adds to Markdown is covered up, and
//! remembered as cuts.

use std::ops::Range;

use crate::opaque;
use crate::parse::Note;
use crate::text::NoteText;

/// A stretch of the text that is not written as the Markdown parser would have it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Cut {
    pub range: Range<usize>,
    pub kind: CutKind,
}

/// What stands in the place of a [`Cut`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum CutKind {
    /// A comment: nothing.
    Hidden,
    /// A `$$` block.
    Math,
    /// A wikilink or an embed, by its index among the note's links.
    Link(usize),
    /// A tag, by its index.
    Tag(usize),
    /// A block id, by its index.
    BlockId(usize),
    /// `==` that begins a highlight.
    MarkStart,
    /// `==` that ends one.
    MarkEnd,
    /// A footnote written in place: the cut is `^[`; the footnote's text ends at `end`, with a `]`.
    Footnote { end: usize },
}

/// The text with every cut of the note covered by inert characters, and the cuts in order.
///
/// The covered text is as long as the original, so every offset stays true.
pub(super) fn covered(text: &NoteText, note: &Note) -> (String, Vec<Cut>) {
    let source = text.as_str();
    let mut bytes = opaque::mask(source, note.body, &note.hidden).into_owned().into_bytes();
    let mut cuts = Vec::new();
    for range in &note.hidden {
        let is_math = source.as_bytes()[range.start] == b'$';
        if is_math {
            cover_math(&mut bytes, source, range);
        }
        cuts.push(Cut { range: range.clone(), kind: if is_math { CutKind::Math } else { CutKind::Hidden } });
    }
    let links = note.links.iter().enumerate().filter(|(_, link)| link.kind == crate::LinkKind::Wiki);
    cuts.extend(links.map(|(at, link)| Cut { range: link.span.clone(), kind: CutKind::Link(at) }));
    let tags = note.tags.iter().enumerate();
    cuts.extend(tags.map(|(at, tag)| Cut { range: tag.span.clone(), kind: CutKind::Tag(at) }));
    let blocks = note.blocks.iter().enumerate();
    cuts.extend(blocks.map(|(at, block)| Cut { range: block.span.clone(), kind: CutKind::BlockId(at) }));
    cuts.sort_by_key(|cut| (cut.range.start, std::cmp::Reverse(cut.range.end)));
    let mut end = 0;
    cuts.retain(|cut| {
        let is_apart = cut.range.start >= end;
        end = end.max(cut.range.end);
        is_apart
    });
    for cut in &cuts {
        if !matches!(cut.kind, CutKind::Hidden | CutKind::Math) {
            cover(&mut bytes, cut.range.clone());
        }
    }
    // Whole stretches are overwritten with ASCII, so this never takes the second way.
    let covered =
        String::from_utf8(bytes).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned());
    (covered, cuts)
}

/// Punctuation at both ends, as what is covered has, so that emphasis around it is read the same.
fn cover(bytes: &mut [u8], range: Range<usize>) {
    let (start, end) = (range.start, range.end);
    for byte in &mut bytes[range] {
        *byte = b'x';
    }
    if start < end {
        bytes[start] = b',';
        bytes[end - 1] = b',';
    }
}

/// Leaves a trace of a math block for the Markdown parser to report.
fn cover_math(bytes: &mut [u8], source: &str, range: &Range<usize>) {
    let original = &source.as_bytes()[range.clone()];
    let first = original.iter().position(|b| matches!(b, b'\n' | b'\r')).unwrap_or(range.len());
    bytes[range.start..range.start + first].fill(b'x');
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(source: &str, expected: &str) {
        let text = NoteText::from_str(source);
        assert_eq!(covered(&text, &crate::parse(&text)).0, expected, "{source:?}");
    }

    #[test]
    fn obsidian_syntax_is_covered_in_place() {
        check("a [[b|c]] d", "a ,xxxxx, d");
        check("a #tag ^id", "a ,xx, ,x,");
        check("> %%\n> a\n> %%\n> b", "> %%\n> a\n> %%\n> b".replace("%%", "  ").replace('a', " ").as_str());
        check("$$\nx\n$$\ny", "xx\n \n  \ny");
        check("a\rb", "a\nb");
    }
}
