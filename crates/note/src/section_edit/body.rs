//! The text of a section, without the blank lines around it.

use std::ops::Range;

use super::content::Content;
use crate::blocks::{self, Block};
use crate::heading::Heading;
use crate::parse::Note;
use crate::text::{NoteText, lines};

/// Where the text below a heading is.
pub(super) struct Body {
    /// Behind the heading's line, its ending included.
    pub start: usize,
    /// The text without blank lines before and behind it; empty at `start` if there is none.
    pub core: Range<usize>,
    /// Behind the ending of the text's last line.
    pub behind_core: usize,
    /// Where the next heading starts, or the end of the note.
    pub end: usize,
    /// Whether the heading's own line is the last of the note and has no ending.
    lacks_eol: bool,
}

impl Body {
    /// The text from below a heading to `end`.
    pub fn of(text: &NoteText, heading: &Heading, end: usize) -> Body {
        let source = text.as_str();
        let heading_end = heading.span.end;
        let start = lines(source, heading_end).next().map_or(heading_end, |line| line.eol.end).min(end);
        let core = core(source, start..end);
        let behind_core = match core.is_empty() {
            true => start,
            false => lines(source, core.end).next().map_or(core.end, |line| line.eol.end),
        };
        Body { start, core, behind_core, end, lacks_eol: start == heading_end }
    }

    /// The edit that puts content where there is none.
    pub fn fill(&self, text: &NoteText, note: &Note, content: &Content) -> (Range<usize>, String) {
        let eol = text.eol().as_str();
        let written = &content.written;
        if self.lacks_eol {
            let last = if content.ends_line { eol } else { "" };
            let gap = if content.leads_blank { eol } else { "" };
            return (self.start..self.end, format!("{eol}{gap}{written}{last}"));
        }
        let has_blank = self.start < self.end;
        if self.end == text.as_str().len() {
            let gap = if !has_blank && (content.leads_blank || has_gaps(text, note)) { eol } else { "" };
            return (self.end..self.end, format!("{gap}{written}{eol}"));
        }
        // The blank lines that are there go on parting the section from what follows.
        let gap = if content.leads_blank || has_gaps(text, note) { eol } else { "" };
        let last = if has_blank { "" } else { eol };
        (self.start..self.start, format!("{gap}{written}{eol}{last}"))
    }

    /// The first block of the text, and whether nothing hidden stands before it.
    pub fn first_block(&self, text: &NoteText, note: &Note) -> Option<(Block, bool)> {
        let blocks = blocks::outermost(text.as_str(), note.body);
        let first = blocks.into_iter().find(|block| block.range.start >= self.core.start)?;
        let is_first = text.as_str()[self.core.start..first.range.start].trim().is_empty();
        (first.range.end <= self.core.end).then_some((first, is_first))
    }

    /// The last block of the text, and whether nothing hidden stands behind it.
    pub fn last_block(&self, text: &NoteText, note: &Note) -> Option<(Block, bool)> {
        let blocks = blocks::outermost(text.as_str(), note.body);
        let last = blocks.into_iter().rfind(|block| block.range.start < self.core.end)?;
        let is_last = text.as_str().get(last.range.end..self.core.end).is_some_and(|rest| rest.trim().is_empty());
        (last.range.start >= self.core.start).then_some((last, is_last))
    }
}

/// A stretch without the blank lines before and behind it: from the start of its first line to the
/// end of its last one, without the ending. Empty at its start if all lines are blank.
pub(super) fn core(source: &str, range: Range<usize>) -> Range<usize> {
    let is_blank = |line: &Range<usize>| source[line.clone()].trim_matches([' ', '\t']).is_empty();
    let contents = lines(&source[..range.end], range.start).map(|line| line.content);
    let mut core: Option<Range<usize>> = None;
    for line in contents.filter(|line| !is_blank(line)) {
        core = Some(core.map_or(line.start, |core| core.start)..line.end);
    }
    core.unwrap_or(range.start..range.start)
}

/// Whether this note leaves a blank line below its headings; without an example it does.
fn has_gaps(text: &NoteText, note: &Note) -> bool {
    let source = text.as_str();
    let (mut n_with, mut n_without) = (0usize, 0usize);
    for index in 0..note.headings.len() {
        let section = note.section_at(index);
        let body = Body::of(text, section.heading, section.own_end);
        if !body.core.is_empty() {
            let is_parted = body.core.start > body.start && !source[body.start..body.core.start].is_empty();
            n_with += usize::from(is_parted);
            n_without += usize::from(!is_parted);
        }
    }
    n_with >= n_without
}
