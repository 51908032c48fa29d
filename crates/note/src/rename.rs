//! Renaming a heading: one title changes, and nothing else.

use crate::edit::Edits;
use crate::parse::Note;
use crate::section::{SectionError, SectionRef};
use crate::text::NoteText;

/// A heading with its new title.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RenamedHeading {
    /// The edit of the title; none if it already reads so.
    pub edits: Edits,
    /// The heading's place among the headings, before and after.
    pub index: usize,
    /// The rendered title before.
    pub old: String,
    /// The rendered title after.
    pub new: String,
    /// The level.
    pub level: u8,
    /// The 1-based line.
    pub line: u32,
    /// Which one it was among the headings of the old title and level.
    pub occurrence: u32,
    /// What the person should know.
    pub warnings: Vec<String>,
}

/// Why a heading cannot take a title.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RenameError {
    /// The section was not found.
    #[error(transparent)]
    Section(#[from] SectionError),
    /// It is the note's title.
    #[error("heading of level 1 is the note's title: `{text}` (line {line})")]
    HeadingLevel1 {
        /// The rendered title.
        text: String,
        /// The 1-based line.
        line: u32,
    },
    /// Another heading has that title, or one that links cannot tell from it.
    #[error("heading could not be told from `{text}` (level {level}, line {line})")]
    Collision {
        /// The other heading's rendered title.
        text: String,
        /// Its level.
        level: u8,
        /// Its 1-based line.
        line: u32,
    },
    /// The title cannot be a heading.
    #[error("`{title}` cannot be a heading: {reason}")]
    Invalid {
        /// The title as given, shortened.
        title: String,
        /// What is wrong with it.
        reason: String,
    },
}

/// Plans a new title for a heading. The title is Markdown.
pub fn rename_heading(
    text: &NoteText,
    note: &Note,
    at: &SectionRef,
    title: &str,
    allow_h1: bool,
) -> Result<RenamedHeading, RenameError> {
    let section = note.section(at)?;
    let heading = section.heading;
    if heading.level == 1 && !allow_h1 {
        return Err(RenameError::HeadingLevel1 {
            text: heading.text.clone(),
            line: heading.line,
        });
    }
    let edit = crate::edit::Edit {
        range: heading.title.clone(),
        new: title.to_owned(),
    };
    Ok(RenamedHeading {
        edits: Edits::new(text, vec![edit]),
        index: section.index,
        old: heading.text.clone(),
        new: title.to_owned(),
        level: heading.level,
        line: heading.line,
        occurrence: heading.same_text.nth,
        warnings: Vec::new(),
    })
}
