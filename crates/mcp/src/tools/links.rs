//! The notes that a note links to.

use super::Call;
use super::get_note::body;
use super::remembered::refresh;
use super::resolve::secrets;
use crate::limits::boundary::wrap;
use crate::limits::secrets::Secrets;
use crate::limits::window::{cut, json_chars};
use crate::wire::error::ToolError;
use crate::wire::notes::LinkedNote;
use engine::{NoteRef, OpenNote};
use note::{LinkKind, RelPath};
use std::ops::Range;

/// What a stretch of a note links to, one level deep.
pub(crate) struct Linked {
    pub notes: Vec<LinkedNote>,
    /// Targets that mean nothing in the vault.
    pub unresolved: Vec<String>,
    pub truncated: bool,
}

/// A linked note's text is cut here.
const CONTENT_CHARS: usize = 4000;

/// Lists the notes that the wikilinks in `span` lead to, and in the properties when `span` is the whole body, as far as
/// they fit `budget`.
pub(crate) fn linked_notes(
    call: &Call<'_>,
    open: &OpenNote,
    own: &Secrets,
    span: &Range<usize>,
    budget: usize,
) -> Result<Linked, ToolError> {
    // Where a link leads is the index's business, which may still be at its first pass.
    refresh(call);
    let view = call.desk.view();
    let whole = *span == body(open);
    let mut out = Linked { notes: Vec::new(), unresolved: Vec::new(), truncated: false };
    let mut seen: Vec<RelPath> = Vec::new();
    let mut spent = 0;
    for link in &open.note.links {
        let wiki = matches!(link.kind, LinkKind::Wiki | LinkKind::Property);
        let inside = span.contains(&link.span.start) || (whole && link.span.start < span.start);
        if !wiki || !inside || link.target.is_empty() {
            continue;
        }
        let Some(path) = view.resolve_path(&open.path, &link.target) else {
            let target = call.title(&own.hide(&link.target).text);
            if !out.unresolved.contains(&target) {
                spent += json_chars(&target) + 1;
                if spent > budget {
                    out.truncated = true;
                    break;
                }
                out.unresolved.push(target);
            }
            continue;
        };
        if seen.contains(&path) || !path.is_note() {
            continue;
        }
        seen.push(path.clone());
        let Ok(target) = call.desk.note(&NoteRef::Path(path.as_str().to_owned())) else { continue };
        let mut item = linked(call, &target)?;
        if spent + json_chars(&item) >= budget && item.content.take().is_some() {
            // The note is named all the same; its text can be read on its own.
            item.content_truncated = Some(true);
        }
        spent += json_chars(&item) + 1;
        if spent > budget {
            out.truncated = true;
            break;
        }
        out.notes.push(item);
    }
    Ok(out)
}

fn linked(call: &Call<'_>, target: &OpenNote) -> Result<LinkedNote, ToolError> {
    let secrets = secrets(call, target.text.as_str());
    let mut item = LinkedNote {
        id: target.id.to_string(),
        title: call.title(&secrets.hide(&target.title).text),
        folder_path: target.path.parent().to_owned(),
        rel_path: target.path.as_str().to_owned(),
        content: None,
        content_truncated: None,
    };
    if call.args.flag("include_content", false) {
        let shown = secrets.hide(&target.text.as_str()[body(target)]);
        let text = cut(&shown.text, CONTENT_CHARS);
        item.content = Some(wrap(target.path.as_str(), text)?);
        item.content_truncated = Some(text.len() < shown.text.len());
    }
    Ok(item)
}
