//! Canvas files when notes move.

use super::{Card, cards};
use crate::edit::{Edit, Edits};
use crate::json;
use crate::parse::parse;
use crate::path::RelPath;
use crate::repoint::{LinkWarning, Repointed};
use crate::repoint_notes::{NotesMoved, repoint_note_links};
use crate::text::NoteText;

/// Plans the new paths of file cards, and of links in text cards, when files move.
///
/// `from` is the path of the canvas before the move. All other bytes of the JSON stay.
pub fn repoint_canvas_notes(text: &NoteText, from: &RelPath, moved: &NotesMoved<'_>) -> Repointed {
    let mut edits = Vec::new();
    let (mut n_links, mut warnings) = (0, Vec::new());
    for card in cards(text.as_str()) {
        let line = text.line_of(card.span().start);
        match card {
            Card::File { file, .. } => {
                let Some(new) = moved.new_path_of_card(&file.value) else { continue };
                n_links += 1;
                let range = file.raw(0)..file.raw(file.value.len());
                edits.push(Edit { range, new: json::escape(new.as_str()) });
            }
            Card::Text(card) => {
                let content = NoteText::from_str(&card.value);
                let repointed = repoint_note_links(&content, &parse(&content), from, moved);
                n_links += repointed.n_links;
                warnings.extend(repointed.warnings.into_iter().map(|warning| LinkWarning { line, ..warning }));
                edits.extend(repointed.edits.edits.into_iter().map(|edit| Edit {
                    range: card.raw(edit.range.start)..card.raw(edit.range.end),
                    new: json::escape(&edit.new),
                }));
            }
        }
    }
    Repointed { edits: Edits::new(text, edits), n_links, warnings }
}
