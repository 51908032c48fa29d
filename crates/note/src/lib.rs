//! What a note is, as values: paths, hashes, text, headings, links and edits.
//!
//! Nothing here reads a file or a clock. [`parse`] never fails and is the only reader of Markdown in
//! the program; every change to a note is a set of [`Edits`], computed here and applied to the exact
//! bytes that it was computed from.

pub mod path;

pub mod hash;

pub mod text;

pub mod parse;

pub mod heading;

pub mod section;

pub mod link;

pub mod comment;

pub mod frontmatter;

pub mod edit;

pub mod rename;

pub mod repoint;

pub mod resolve;

pub mod repoint_notes;

pub mod section_edit;

pub mod property_edit;

pub mod find_replace;

pub mod changed;

pub mod canvas;

pub mod bookmarks;

pub mod mention;

pub mod html;

pub mod css;

pub use bookmarks::{BookmarkLink, bookmark_links, repoint_bookmarks, repoint_bookmarks_notes};
pub use canvas::{CanvasLink, canvas_links, canvas_text, repoint_canvas, repoint_canvas_notes};
pub use changed::NoteChanged;
pub use edit::{BaseMismatch, Edit, Edits, diff_lf};
pub use find_replace::{FindReplace, FindReplaceError, TextEdited, edit_text};
pub use frontmatter::{Frontmatter, Property, Value};
pub use hash::{ContentHash, NoteId};
pub use heading::{Heading, HeadingStyle, strip_heading, strip_heading_for_link};
pub use link::{Link, LinkEncoding, LinkKind};
pub use mention::{Mention, mentions};
pub use parse::{BlockId, Note, Problem, ProblemKind, Tag, parse};
pub use path::{PathError, RelPath, fold};
pub use property_edit::{PropertiesEdited, PropertyEditError, rename_property, set_properties};
pub use rename::{RenameError, RenamedHeading, rename_heading};
pub use repoint::{HeadingMoved, LinkWarning, Repointed, repoint_links};
pub use repoint_notes::{LinkFormat, NotesMoved, repoint_note_links};
pub use resolve::{FileNames, linked_name, resolve_link};
pub use section::{Section, SectionCandidate, SectionError, SectionRef};
pub use section_edit::{
    AppendAt, MoveTo, SectionEditError, SectionEdited, append_to_section, delete_section, move_section, patch_section,
    relevel_section,
};
pub use text::{Eol, NotUtf8, NoteText};

mod blocks;
mod inline;

mod json;
mod opaque;
