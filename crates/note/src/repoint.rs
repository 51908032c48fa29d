//! Following a renamed heading: the links to it get its new title.

use crate::edit::Edits;
use crate::link::Link;
use crate::parse::Note;
use crate::text::NoteText;

/// A renamed heading, seen in its note before and after.
#[derive(Debug, Clone, Copy)]
pub struct HeadingMoved<'a> {
    /// The note with the old title.
    pub before: &'a Note,
    /// The note with the new title.
    pub after: &'a Note,
    /// The heading's place in both.
    pub index: usize,
}

/// What following means for one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Repointed {
    /// The edits of the links.
    pub edits: Edits,
    /// How many links change.
    pub n_links: u32,
    /// Links that could not follow, or that now mean something else.
    pub warnings: Vec<LinkWarning>,
}

/// A link that a person should look at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LinkWarning {
    /// The 1-based line of the link.
    pub line: u32,
    /// What is the matter with it.
    pub text: String,
}

/// Plans the new target of every link of a note that means the renamed heading.
///
/// `resolves` says whether a link's path, seen from its note, means the note of that heading.
pub fn repoint_links(
    text: &NoteText,
    _note: &Note,
    _moved: &HeadingMoved<'_>,
    _resolves: &dyn Fn(&Link) -> bool,
) -> Repointed {
    Repointed {
        edits: Edits::none(text),
        n_links: 0,
        warnings: Vec::new(),
    }
}
