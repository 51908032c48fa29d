//! Links in canvas files: file cards with their headings, and the text of text cards.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use crate::edit::Edits;
use crate::link::Link;
use crate::repoint::{HeadingMoved, Repointed};
use crate::text::NoteText;

/// A link of a canvas.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CanvasLink {
    /// The path part; for a file card the path from the vault's root.
    pub target: String,
    /// The heading chain or block id, without its `#`.
    pub subpath: Option<String>,
    /// Whether this is a file card, not a link in a text card.
    pub is_card: bool,
    /// The bytes in the JSON: the string of a file card's `file`, or the link in a text card.
    pub span: Range<usize>,
    /// The 1-based line in the JSON.
    pub line: u32,
}

/// The links of a canvas. A file that is not a canvas has none.
pub fn canvas_links(_json: &str) -> Vec<CanvasLink> {
    Vec::new()
}

/// Plans the new targets of the links of a canvas that mean a renamed heading.
pub fn repoint_canvas(
    text: &NoteText,
    _moved: &HeadingMoved<'_>,
    _resolves: &dyn Fn(&Link) -> bool,
) -> Repointed {
    Repointed {
        edits: Edits::none(text),
        n_links: 0,
        warnings: Vec::new(),
    }
}
