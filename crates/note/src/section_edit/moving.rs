//! Taking a section away, or to another place.

use std::ops::Range;

use super::body::core;
use super::verify::{Moved, Part, Planned};
use super::{MoveTo, SectionEditError, SectionEdited};
use crate::edit::Edit;
use crate::heading::{Heading, HeadingStyle};
use crate::parse::Note;
use crate::section::{Section, SectionRef};
use crate::text::{NoteText, lines};

/// Plans a section's way to another place in its note. Its bytes go there as they are; with
/// `relevel` its headings get the level that belongs there, else a level that does not fit is
/// refused.
///
/// Blank lines part sections as before: the line between the last section and the one above it
/// changes places with the end of the note.
pub fn move_section(
    text: &NoteText,
    note: &Note,
    from: &SectionRef,
    destination: &SectionRef,
    position: MoveTo,
    relevel: bool,
) -> Result<SectionEdited, SectionEditError> {
    let section = note.section(from)?;
    let destination = note.section(destination)?;
    let headings = subtree(note, &section);
    if headings.contains(&destination.index) {
        return Err(SectionEditError::IntoItself { text: section.heading.text.clone() });
    }
    let is_child = matches!(position, MoveTo::FirstChild | MoveTo::LastChild);
    let parent = if is_child { Some(destination.index) } else { destination.heading.parent };
    let level = level_there(note, &section, &destination, position);
    if is_child && !relevel && section.heading.level <= destination.heading.level {
        return Err(misfit(&section, &destination));
    }
    let delta = if relevel { level as i8 - section.heading.level as i8 } else { 0 };
    let relevelled = relevel_edits(text, note, headings.clone(), delta)?;
    let len = text.as_str().len();
    let span = start(note, section.heading)..section.span.end;
    let at = match position {
        MoveTo::Before => start(note, destination.heading),
        MoveTo::After | MoveTo::LastChild => destination.span.end,
        MoveTo::FirstChild => destination.own_end,
    };
    let moved = if at == span.start || at == span.end {
        Err(relevelled)
    } else {
        let own = core(text.as_str(), span.clone());
        let mut parts = Vec::new();
        let (cut, at) = if span.end == len {
            let above = core(text.as_str(), note.body..span.start).end;
            parts.extend(with_edits(own.clone(), relevelled));
            parts.push(Part::Kept(above..span.start));
            (above..own.end, at)
        } else if at == len {
            parts.push(Part::Kept(own.end..span.end));
            parts.extend(with_edits(own, relevelled));
            (span, core(text.as_str(), note.body..len).end)
        } else {
            parts.extend(with_edits(span.clone(), relevelled));
            (span, at)
        };
        Ok(Moved { cut, at, parts, headings: headings.clone() })
    };
    let planned = Planned::movement(section.index, moved, (headings, delta), parent);
    planned.with_blank_lines(text, note, None)
}

/// Plans a note without a section. What goes away with it is in [`SectionEdited::taken`].
///
/// Only bytes of the section go: from the start of its heading's line to where the next section starts, or to the end of
/// the note. What stands above keeps every byte, the blank lines at its end too, also where nothing follows any more. If
/// it has no blank line there, those at the end of the section stay and part it from what follows.
pub fn delete_section(text: &NoteText, note: &Note, at: &SectionRef) -> Result<SectionEdited, SectionEditError> {
    let section = note.section(at)?;
    let source = text.as_str();
    let start = start(note, section.heading);
    let behind = |line_end: usize| lines(source, line_end).next().map_or(line_end, |line| line.eol.end);
    let above = core(source, note.body..start);
    let is_parted = above.is_empty() || behind(above.end) < start;
    let end = if is_parted || section.span.end == source.len() {
        section.span.end
    } else {
        behind(core(source, start..section.span.end).end)
    };
    Planned::insertion(section.index, start..end, String::new(), None).with_blank_lines(text, note, None)
}

/// Where a heading starts; the byte order mark stands before it.
fn start(note: &Note, heading: &Heading) -> usize {
    heading.span.start.max(note.body)
}

pub(super) fn subtree(note: &Note, section: &Section<'_>) -> Range<usize> {
    let below = &note.headings[section.index..];
    section.index..section.index + below.iter().take_while(|heading| heading.span.start < section.span.end).count()
}

/// The level of the headings that stand where the section goes.
fn level_there(note: &Note, section: &Section<'_>, destination: &Section<'_>, position: MoveTo) -> u8 {
    let is_child =
        |(index, heading): &(usize, &Heading)| heading.parent == Some(destination.index) && *index != section.index;
    let mut children = note.headings.iter().enumerate().filter(is_child).map(|(_, child)| child.level);
    match position {
        MoveTo::Before | MoveTo::After => destination.heading.level,
        MoveTo::FirstChild => children.next().unwrap_or(destination.heading.level + 1),
        MoveTo::LastChild => children.next_back().unwrap_or(destination.heading.level + 1),
    }
}

fn misfit(section: &Section<'_>, destination: &Section<'_>) -> SectionEditError {
    let reason = format!(
        "`{}` is of level {} and can be no child of `{}` (level {}) unless it is relevelled",
        section.heading.text, section.heading.level, destination.heading.text, destination.heading.level
    );
    SectionEditError::StructureChanged { reason, line: None }
}

/// The edits that give headings other levels.
pub(super) fn relevel_edits(
    text: &NoteText,
    note: &Note,
    headings: Range<usize>,
    delta: i8,
) -> Result<Vec<Edit>, SectionEditError> {
    if delta == 0 {
        return Ok(Vec::new());
    }
    let source = text.as_str();
    let mut edits = Vec::new();
    for heading in &note.headings[headings] {
        let level = heading.level.saturating_add_signed(delta);
        if level > 6 {
            return Err(SectionEditError::TooDeep { text: heading.text.clone(), line: heading.line, level });
        }
        let first = start(note, heading);
        edits.push(match heading.style {
            HeadingStyle::Atx => {
                let line = &source[first..heading.span.end];
                let at = first + line.find('#').unwrap_or(0);
                Edit { range: at..at + heading.level as usize, new: "#".repeat(level as usize) }
            }
            HeadingStyle::Setext if level <= 2 => {
                let underline = lines(&source[..heading.span.end], first).last();
                let at = underline.map_or(heading.span.end, |line| line.content.start);
                let line = &source[at..heading.span.end];
                let lead = line.len() - line.trim_start_matches([' ', '\t']).len();
                let n_marks = line.trim_matches([' ', '\t']).len();
                let mark = if level == 1 { "=" } else { "-" };
                Edit { range: at + lead..at + lead + n_marks, new: mark.repeat(n_marks) }
            }
            HeadingStyle::Setext => {
                let id = heading.block_id.as_ref().map(|id| format!(" ^{id}")).unwrap_or_default();
                let hashes = "#".repeat(level as usize);
                Edit { range: first..heading.span.end, new: format!("{hashes} {}{id}", heading.raw) }
            }
        });
    }
    Ok(edits)
}

/// A kept stretch in the pieces that edits leave of it.
fn with_edits(range: Range<usize>, edits: Vec<Edit>) -> Vec<Part> {
    let mut parts = Vec::new();
    let mut at = range.start;
    for edit in edits {
        parts.push(Part::Kept(at..edit.range.start));
        parts.push(Part::New(edit.new));
        at = edit.range.end;
    }
    parts.push(Part::Kept(at..range.end));
    parts
}
