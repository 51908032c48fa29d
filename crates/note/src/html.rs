//! The reading view: a note as HTML that is safe to put into a page.
//!
//! Blocks carry `data-line`, the 1-based line of the note where they start. Links, tags, tasks,
//! pictures and embeds carry what they mean in `data-` attributes; nothing in the result loads, runs
//! or leads anywhere by itself.

use crate::link::Link;
use crate::parse::Note;
use crate::path::RelPath;
use crate::text::NoteText;

mod render;

mod source;

mod marks;

mod links;

mod embed;

mod callout;

mod external;

mod raw;

mod tokens;

mod writer;

mod clean;

mod properties;

pub use properties::{PropertyKind, PropertyLink, PropertyText, PropertyView, properties};

/// What the reading view must be told of the world around the note.
pub struct RenderOptions<'a> {
    /// The note that is shown.
    pub path: &'a RelPath,
    /// What a link means that stands in the note of this path.
    pub resolve: &'a dyn Fn(&RelPath, &Link) -> Resolved,
    /// The note of a path, to be shown inside another.
    pub embed: &'a dyn Fn(&RelPath) -> Option<Embedded>,
    /// Whether a single line break in a paragraph is a blank, as in plain Markdown.
    pub strict_line_breaks: bool,
    /// How the URL of a file of the vault begins, if pictures shall carry one beside their path.
    pub asset_base: Option<&'a str>,
}

/// What a link means.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Resolved {
    /// A note.
    Note {
        /// Where it is.
        path: RelPath,
    },
    /// Another file of the vault.
    Attachment {
        /// Where it is.
        path: RelPath,
    },
    /// Nothing that exists.
    Missing,
}

/// A note that is shown inside another.
#[derive(Debug, Clone)]
pub struct Embedded {
    /// Its text.
    pub text: NoteText,
    /// What [`crate::parse`] makes of it.
    pub note: Note,
}

/// A note as HTML.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RenderedNote {
    /// The text of the note: safe to put into a page.
    pub html: String,
    /// Its properties as a list of names and values, safe too; empty for a note without any.
    pub properties_html: String,
}

impl RenderedNote {
    /// The properties and the text.
    pub fn page(&self) -> String {
        format!("{}{}", self.properties_html, self.html)
    }
}

/// Renders a note for reading. What its properties are is told by [`properties`].
pub fn render(text: &NoteText, note: &Note, options: &RenderOptions<'_>) -> RenderedNote {
    let html = render::note(text, note, options);
    let properties = properties::block(note, options);
    RenderedNote {
        html: clean::clean(&html, options.asset_base),
        properties_html: clean::clean(&properties, options.asset_base),
    }
}

#[cfg(test)]
mod tests;
