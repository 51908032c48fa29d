//! Links in canvas files: file cards with their headings, and the text of text cards.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use crate::edit::{Edit, Edits};
use crate::json::{self, Lists};
use crate::parse::parse;
use crate::repoint::{HeadingMoved, LinkWarning, Repointed, repoint_links, repoint_subpath};
use crate::text::NoteText;

mod notes;

pub use notes::repoint_canvas_notes;

/// A link of a canvas.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CanvasLink {
    /// The path part; for a file card the path from the vault's root.
    pub target: String,
    /// The heading chain or block id, without its `#`.
    pub subpath: Option<String>,
    /// Whether this is a file card, not a link in a text card.
    pub is_card: bool,
    /// The bytes in the JSON: the value of a file card's `file`, or the text that holds the link.
    pub span: Range<usize>,
    /// The 1-based line in the JSON.
    pub line: u32,
}

/// The links of a canvas. A file that is not a canvas has none.
pub fn canvas_links(json: &str) -> Vec<CanvasLink> {
    let text = NoteText::from_str(json);
    let mut links = Vec::new();
    for card in cards(json) {
        let (span, line) = (card.span(), text.line_of(card.span().start));
        match card {
            Card::File { file, subpath } => {
                let subpath = subpath.map(|s| s.value.strip_prefix('#').unwrap_or(&s.value).to_owned());
                links.push(CanvasLink { target: file.value, subpath, is_card: true, span, line });
            }
            Card::Text(card) => {
                let note = parse(&NoteText::from_str(&card.value));
                links.extend(note.links.into_iter().map(|link| CanvasLink {
                    target: link.target,
                    subpath: link.subpath,
                    is_card: false,
                    span: span.clone(),
                    line,
                }));
            }
        }
    }
    links
}

/// The text of all text cards, for the search.
pub fn canvas_text(json: &str) -> String {
    let mut all = String::new();
    for card in cards(json) {
        if let Card::Text(card) = card {
            all.push_str(&card.value);
            all.push_str("\n\n");
        }
    }
    all
}

/// Plans the new targets of the links of a canvas that mean a renamed heading.
///
/// `resolves` says whether a path, seen from the canvas, means the note of that heading. All other
/// bytes of the JSON stay: its formatting, its order, what this program does not know.
pub fn repoint_canvas(text: &NoteText, moved: &HeadingMoved<'_>, resolves: &dyn Fn(&str) -> bool) -> Repointed {
    let mut edits = Vec::new();
    let (mut n_links, mut warnings) = (0, Vec::new());
    for card in cards(text.as_str()) {
        let line = text.line_of(card.span().start);
        match card {
            Card::Text(card) => {
                let content = NoteText::from_str(&card.value);
                let repointed = repoint_links(&content, &parse(&content), moved, &|link| resolves(&link.target));
                n_links += repointed.n_links;
                warnings.extend(repointed.warnings.into_iter().map(|warning| LinkWarning { line, ..warning }));
                edits.extend(repointed.edits.edits.into_iter().map(|edit| Edit {
                    range: card.raw(edit.range.start)..card.raw(edit.range.end),
                    new: json::escape(&edit.new),
                }));
            }
            Card::File { file, subpath: Some(subpath) } if resolves(&file.value) => {
                let mark = if subpath.value.starts_with('#') { "#" } else { "" };
                match repoint_subpath(&subpath.value[mark.len()..], moved) {
                    Ok(Some(new)) if new != subpath.value[mark.len()..] => {
                        n_links += 1;
                        let range = subpath.raw(mark.len())..subpath.raw(subpath.value.len());
                        edits.push(Edit { range, new: json::escape(&new) });
                    }
                    Ok(_) => {}
                    Err(what) => {
                        let text = format!("card `{}{}` {what}", file.value, subpath.value);
                        warnings.push(LinkWarning { line, text });
                    }
                }
            }
            Card::File { .. } => {}
        }
    }
    Repointed { edits: Edits::new(text, edits), n_links, warnings }
}

enum Card {
    File { file: json::Text, subpath: Option<json::Text> },
    Text(json::Text),
}

impl Card {
    fn span(&self) -> Range<usize> {
        match self {
            Card::File { file, .. } => file.span.clone(),
            Card::Text(text) => text.span.clone(),
        }
    }
}

fn cards(json: &str) -> Vec<Card> {
    let mut cards = Vec::new();
    for mut strings in json::objects(json, Lists::Outermost("nodes")) {
        let mut take = |key: &str| json::take(&mut strings, key);
        match take("type").map(|kind| kind.value).as_deref() {
            Some("file") => {
                let subpath = take("subpath");
                cards.extend(take("file").map(|file| Card::File { file, subpath }));
            }
            Some("text") => cards.extend(take("text").map(Card::Text)),
            _ => {}
        }
    }
    cards
}

#[cfg(test)]
mod tests;
