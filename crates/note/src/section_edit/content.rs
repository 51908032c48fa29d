//! Content that somebody sends, checked on its own before it meets the note.

use crate::blocks::{self, Block, BlockKind};
use crate::heading::Heading;
use crate::parse::parse;
use crate::text::{Eol, NoteText, to_lf};

use super::SectionEditError;

/// What a section is to hold.
pub(super) struct Content {
    /// The content with the note's line endings, without blank lines around it.
    pub written: String,
    /// Whether blank lines stood in front.
    pub leads_blank: bool,
    /// Whether blank lines stood behind.
    pub trails_blank: bool,
    /// Whether the last line had an ending.
    pub ends_line: bool,
    /// Whether the first line is indented.
    is_indented: bool,
    has_bar: bool,
    first: Option<BlockKind>,
    last: Option<BlockKind>,
    /// The first line that stands in `written`, from 1.
    pub first_line: u32,
}

/// What stands in front of the content when it is read on its own, and behind it: a heading that
/// nothing may take in, then the closing marks that an open comment or math block would wait for.
const BEFORE: &str = "# p\n\n";
const BEHIND: &str = "\n\n# s\n\n%%\n\n$$\n";

impl Content {
    /// Reads content for a section. Refuses what would not end where the content ends, and
    /// headings that would end the section.
    pub fn read(given: &str, eol: Eol, section: &Heading) -> Result<Content, SectionEditError> {
        let lf = to_lf(given);
        let is_blank = |line: &str| line.trim_matches([' ', '\t']).is_empty();
        let all: Vec<&str> = lf.split('\n').collect();
        let n_lead = all.iter().take_while(|line| is_blank(line)).count();
        let n_tail = all[n_lead..].iter().rev().take_while(|line| is_blank(line)).count();
        let kept = all[n_lead..all.len() - n_tail].join("\n");
        let (first, last) = probe(&kept, n_lead as u32, section)?;
        Ok(Content {
            leads_blank: n_lead > 0,
            trails_blank: n_tail > 1,
            ends_line: n_tail > 0,
            is_indented: kept.starts_with([' ', '\t']),
            has_bar: kept.contains('|'),
            first,
            last,
            first_line: n_lead as u32 + 1,
            written: kept.replace('\n', eol.as_str()),
        })
    }

    pub fn is_empty(&self) -> bool {
        self.written.is_empty()
    }

    pub fn opens_with_heading(&self) -> bool {
        self.first == Some(BlockKind::Heading)
    }

    /// Whether the content goes on with a block that stands before it.
    pub fn continues(&self, before: &Block) -> bool {
        match before.kind {
            BlockKind::List => self.first == Some(BlockKind::List) || self.is_indented,
            BlockKind::Quote | BlockKind::IndentedCode => self.first == Some(before.kind),
            BlockKind::Table => self.first == Some(BlockKind::Paragraph) && self.has_bar,
            _ => false,
        }
    }

    /// Whether a block that stands behind the content goes on with it.
    pub fn meets(&self, behind: &Block) -> bool {
        matches!(behind.kind, BlockKind::List | BlockKind::Quote | BlockKind::IndentedCode)
            && self.last == Some(behind.kind)
    }
}

/// Reads content between two headings of its own; returns what its first and last blocks are.
fn probe(
    content: &str,
    n_lead: u32,
    section: &Heading,
) -> Result<(Option<BlockKind>, Option<BlockKind>), SectionEditError> {
    if content.is_empty() {
        return Ok((None, None));
    }
    let text = NoteText::from_str(&format!("{BEFORE}{content}{BEHIND}"));
    let sentinel = BEFORE.len() + content.len() + 2;
    let note = parse(&text);
    let blocks = blocks::outermost(text.as_str(), 0);
    // The heading before the content takes two lines.
    let line_of = |byte: usize| text.line_of(byte) - 2 + n_lead;
    let is_free = note.headings.iter().any(|heading| heading.span.start == sentinel);
    if !is_free {
        let (what, start) = swallower(&text, &note.hidden, &blocks, sentinel);
        let line = line_of(start);
        let reason =
            format!("the {what} on line {line} of the content is not closed, so it would take in what follows");
        return Err(SectionEditError::StructureChanged { reason, line: Some(line) });
    }
    let ends_section = |heading: &&Heading| {
        heading.span.start >= BEFORE.len() && heading.span.start < sentinel && heading.level <= section.level
    };
    if let Some(heading) = note.headings.iter().find(ends_section) {
        let line = line_of(heading.span.start);
        let (text, level) = (&heading.text, heading.level);
        let advice = if heading.text == section.text && heading.level == section.level {
            "; leave out the section's own heading"
        } else {
            ""
        };
        let reason = format!(
            "line {line} of the content is a heading of level {level} (`{text}`), which would end the section `{}` of level {}{advice}",
            section.text, section.level
        );
        return Err(SectionEditError::StructureChanged { reason, line: Some(line) });
    }
    let inside = |block: &&Block| block.range.start >= BEFORE.len() && block.range.start < sentinel;
    let first =
        blocks.iter().find(inside).filter(|block| text.as_str()[BEFORE.len()..block.range.start].trim().is_empty());
    let last = blocks.iter().rfind(inside).filter(|block| text.as_str()[block.range.end..sentinel].trim().is_empty());
    Ok((first.map(|block| block.kind), last.map(|block| block.kind)))
}

/// What holds a byte that should stand free, and where it starts.
pub(super) fn swallower(
    text: &NoteText,
    hidden: &[std::ops::Range<usize>],
    blocks: &[Block],
    at: usize,
) -> (&'static str, usize) {
    if let Some(range) = crate::opaque::holds(hidden, at) {
        let is_comment = text.as_str()[range.clone()].starts_with('%');
        return (if is_comment { "comment (`%%`)" } else { "math block (`$$`)" }, range.start);
    }
    let block = blocks.iter().rfind(|block| block.range.start <= at);
    let what = match block.map(|block| block.kind) {
        Some(BlockKind::Fence) => "code fence",
        Some(BlockKind::Html) => "HTML block",
        Some(BlockKind::List) => "list",
        Some(BlockKind::Quote) => "quote",
        Some(BlockKind::Table) => "table",
        Some(BlockKind::IndentedCode) => "code",
        Some(BlockKind::Heading) => "heading",
        _ => "text",
    };
    (what, block.map_or(at, |block| block.range.start))
}
