//! Changing what a section holds, where it stands, or whether it is there.
//!
//! Every change is read again before it is returned: what stands outside of it is what it was, or
//! the change is refused with the reason.

use serde::{Deserialize, Serialize};

use crate::blocks::Block;
use crate::edit::Edits;
use crate::parse::Note;
use crate::section::{SectionCandidate, SectionError, SectionRef};
use crate::text::NoteText;

mod body;
mod content;
mod moving;
mod relevel;
mod verify;

pub use moving::{delete_section, move_section};
pub use relevel::relevel_section;

use body::Body;
use content::Content;
use verify::Planned;

/// A note with one section changed.
#[derive(Debug, Clone, PartialEq)]
pub struct SectionEdited {
    /// The edits; none if nothing changes.
    pub edits: Edits,
    /// The text afterwards.
    pub text: NoteText,
    /// The note afterwards.
    pub note: Note,
    /// Where the section's heading is among the headings afterwards; `None` if it was deleted.
    pub index: Option<usize>,
    /// Where each heading went: its place among the headings afterwards.
    pub moved: Vec<Option<usize>>,
    /// Where each block with an id went: its place among those afterwards.
    pub moved_blocks: Vec<Option<usize>>,
    /// The headings that went away, in the order of the text.
    pub taken: Vec<SectionCandidate>,
}

/// Where appended text goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AppendAt {
    /// In front of the section's own text.
    Start,
    /// Behind the section's own text; content that starts with a heading goes behind its last child.
    End,
}

/// Where a moved section goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MoveTo {
    /// In front of the destination.
    Before,
    /// Behind the destination and all it holds.
    After,
    /// Behind the destination's own text, in front of its first child.
    FirstChild,
    /// Behind the destination's last child.
    LastChild,
}

/// Why a section cannot be changed so.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SectionEditError {
    /// The section was not found.
    #[error(transparent)]
    Section(#[from] SectionError),
    /// Something outside of the change would not be what it was.
    #[error("the note's structure would change: {reason}")]
    StructureChanged {
        /// What would happen, with names and lines.
        reason: String,
        /// The 1-based line of the content that does it, if one does.
        line: Option<u32>,
    },
    /// A section cannot stand inside of itself.
    #[error("section `{text}` cannot be moved into itself")]
    IntoItself {
        /// The rendered title.
        text: String,
    },
    /// There are six levels only.
    #[error("heading `{text}` (line {line}) would be of level {level}, and there are only 6")]
    TooDeep {
        /// The rendered title.
        text: String,
        /// The 1-based line.
        line: u32,
        /// The level that it would have.
        level: u8,
    },
    /// The text is not UTF-8.
    #[error("text is not UTF-8, so edits cannot apply to it")]
    NotUtf8,
}

/// Plans new text for a section: in place of its own text, or with `include_children` in place of
/// all that it holds.
///
/// Blank lines around the old text stay. The content may hold headings below the section's level.
pub fn patch_section(
    text: &NoteText,
    note: &Note,
    at: &SectionRef,
    new_content: &str,
    include_children: bool,
) -> Result<SectionEdited, SectionEditError> {
    let section = note.section(at)?;
    let content = Content::read(new_content, text.eol(), section.heading)?;
    let end = if include_children { section.span.end } else { section.own_end };
    let body = Body::of(text, section.heading, end);
    let eol = text.eol().as_str();
    let (cut, new) = if content.is_empty() {
        (body.start..body.behind_core, String::new())
    } else if body.core.is_empty() {
        body.fill(text, note, &content)
    } else {
        let mut new = String::new();
        if body.core.start == body.start && content.leads_blank {
            new.push_str(eol);
        }
        new.push_str(&content.written);
        let ends_note = body.core.end == text.as_str().len();
        let is_last_line = body.behind_core == body.end && !ends_note;
        if ends_note && content.ends_line || is_last_line && body.end < text.as_str().len() && content.trails_blank {
            new.push_str(eol);
        }
        (body.core.clone(), new)
    };
    let planned = Planned::insertion(section.index, cut, new, None);
    planned.with_blank_lines(text, note, Some(&content))
}

/// Plans more text for a section. A list goes on with a list, a quote with a quote, a table with its
/// rows; anything else is parted by a blank line.
pub fn append_to_section(
    text: &NoteText,
    note: &Note,
    at: &SectionRef,
    content: &str,
    position: AppendAt,
) -> Result<SectionEdited, SectionEditError> {
    let section = note.section(at)?;
    let content = Content::read(content, text.eol(), section.heading)?;
    let is_below_children = position == AppendAt::End && content.opens_with_heading();
    let end = if is_below_children { section.span.end } else { section.own_end };
    let body = Body::of(text, section.heading, end);
    let eol = text.eol().as_str();
    let carry_out = |cut: usize, new: String, grown: Option<&Block>| {
        let grown = grown.map(|block| block.range.clone());
        Planned::insertion(section.index, cut..cut, new, grown).with_blank_lines(text, note, Some(&content))
    };
    if content.is_empty() {
        return carry_out(body.end, String::new(), None);
    }
    if body.core.is_empty() {
        let (cut, new) = body.fill(text, note, &content);
        return Planned::insertion(section.index, cut, new, None).with_blank_lines(text, note, Some(&content));
    }
    let is_start = position == AppendAt::Start;
    let (cut, neighbor, is_parted) = if is_start {
        let first = body.first_block(text, note).filter(|(first, _)| content.meets(first));
        (body.core.start, first, content.trails_blank)
    } else {
        let last = body.last_block(text, note).filter(|(last, _)| content.continues(last));
        (body.core.end, last, content.leads_blank)
    };
    let write = |gap: &str| {
        let written = &content.written;
        if is_start {
            let lead = if body.core.start == body.start && content.leads_blank { eol } else { "" };
            return format!("{lead}{written}{eol}{gap}");
        }
        let is_last_line = body.core.end == text.as_str().len() && content.ends_line;
        format!("{eol}{gap}{written}{}", if is_last_line { eol } else { "" })
    };
    let grown = neighbor.as_ref().map(|(block, _)| block);
    if neighbor.as_ref().is_some_and(|(_, is_next)| *is_next && !is_parted) {
        // A block id below a quote is one case where the two cannot be joined.
        let joined = carry_out(cut, write(""), grown);
        if joined.is_ok() {
            return joined;
        }
    }
    carry_out(cut, write(eol), grown)
}

#[cfg(test)]
mod tests;
