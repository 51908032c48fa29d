//! The person's side of the engine, with ids and hashes as text: what the window and the terminal both ask for.

pub mod dated;

use crate::fault::Fault;
use engine::{
    ContentHash, DecideError, Decision, Engine, Hunk, Intent, NoteRef, OpId, OpenNote, OperationView, PlanDigest,
    Query, RelPath, Review, Saved, SearchPage, Wish, WishPreview,
};
use serde::{Deserialize, Serialize};

/// What became of an approval.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, specta::Type)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Approval {
    /// It is on disk.
    Decided { operation: OperationView },
    /// The notes changed since the digest was shown: look at this, and decide again.
    Changed { review: Review },
}

/// What became of a person's own change.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, specta::Type)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Granted {
    /// It is on disk.
    Decided { operation: Box<OperationView> },
    /// It would no longer do what was shown: look at this, and decide again.
    Changed { preview: WishPreview },
}

/// A note as the window opens it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, specta::Type)]
pub struct NoteView {
    pub path: String,
    pub id: String,
    pub title: String,
    /// The text with line feeds only.
    pub text: String,
    pub hash: String,
    pub writable: bool,
    pub read_only_reason: Option<String>,
    pub headings: Vec<engine::HeadingView>,
    pub properties: engine::PropertyRows,
    pub n_backlinks: u32,
    pub pending: Vec<engine::PendingMark>,
    /// The note of which a sync tool made this copy, because two devices had written it.
    pub conflict_of: Option<String>,
    pub n_chars: u32,
    /// RFC 3339, UTC.
    pub created: String,
    /// RFC 3339, UTC.
    pub updated: String,
}

/// Reads a path within the vault.
pub fn path(text: &str) -> Result<RelPath, Fault> {
    RelPath::lenient(text)
        .map_err(|error| Fault::new("path_not_allowed", error.to_string(), "name a path inside the vault"))
}

/// Reads the id of an operation.
pub fn operation_id(text: &str) -> Result<OpId, Fault> {
    text.parse().map_err(|_| Fault::no_operation(text))
}

fn hash(text: &str) -> Result<ContentHash, Fault> {
    text.parse()
        .map_err(|_| Fault::new("invalid_arguments", format!("not a content hash: `{text}`"), "read the note again"))
}

/// Opens a note by its path.
pub fn read_note(engine: &Engine, at: &str) -> Result<NoteView, Fault> {
    let open = engine.open_note(&NoteRef::Path(at.to_owned()))?;
    let view = engine.view();
    let n_backlinks = view.n_backlinks(&open.path);
    let conflict_of = view.conflict_of(&open.path).map(|path| path.to_string());
    let properties = view.rows_of(&open.note);
    Ok(note_view(open, properties, n_backlinks, conflict_of))
}

fn note_view(
    open: OpenNote,
    properties: engine::PropertyRows,
    n_backlinks: u32,
    conflict_of: Option<String>,
) -> NoteView {
    let text = open.text.lf();
    NoteView {
        path: open.path.to_string(),
        id: open.id.to_string(),
        title: open.title,
        hash: open.text.hash().to_string(),
        writable: open.writable.is_ok(),
        read_only_reason: open.writable.err(),
        headings: engine::headings(&open.note),
        properties,
        n_backlinks,
        pending: open.pending,
        conflict_of,
        n_chars: u32::try_from(text.chars().count()).unwrap_or(u32::MAX),
        text,
        created: open.created,
        updated: open.updated,
    }
}

/// Saves a text over the one that has the hash `base`.
pub fn save(engine: &Engine, at: &str, base: &str, text: String) -> Result<Saved, Fault> {
    Ok(engine.save(&path(at)?, hash(base)?, text)?)
}

/// Makes an empty note and opens it.
pub fn create_note(engine: &Engine, at: &str) -> Result<NoteView, Fault> {
    let made = engine.carry(Intent::CreateNote { path: path(at)?, text: String::new() })?;
    read_note(engine, &made.path)
}

/// Shows what an operation would do now.
pub fn review(engine: &Engine, id: &str) -> Result<Review, Fault> {
    Ok(engine.review(operation_id(id)?)?)
}

/// Approves what was seen: if the notes changed since, nothing is written and the new review comes back.
pub fn approve(engine: &Engine, id: &str, seen: String) -> Result<Approval, Fault> {
    let op = operation_id(id)?;
    match engine.decide(op, Decision::Approve { seen: PlanDigest(seen) }) {
        Ok(operation) => Ok(Approval::Decided { operation }),
        Err(DecideError::Changed) => Ok(Approval::Changed { review: engine.review(op)? }),
        Err(error) => Err(error.into()),
    }
}

/// Turns a proposal down.
pub fn decline(engine: &Engine, id: &str, comment: Option<String>) -> Result<OperationView, Fault> {
    let comment = comment.map(|comment| comment.trim().to_owned()).filter(|comment| !comment.is_empty());
    Ok(engine.decide(operation_id(id)?, Decision::Decline { comment })?)
}

/// Proposes another heading in place of the one that was proposed.
pub fn amend(engine: &Engine, id: &str, new_heading: &str) -> Result<Review, Fault> {
    Ok(engine.amend(operation_id(id)?, new_heading)?)
}

/// Carries out a wish as it was previewed: if it would do something else by now, nothing is written.
pub fn grant(engine: &Engine, wish: &Wish, seen: Option<String>) -> Result<Granted, Fault> {
    match engine.grant(wish, seen.map(PlanDigest)) {
        Ok(operation) => Ok(Granted::Decided { operation: Box::new(operation) }),
        Err(DecideError::Changed) => Ok(Granted::Changed { preview: engine.preview(wish)? }),
        Err(error) => Err(error.into()),
    }
}

/// Takes back what an operation did.
pub fn undo(engine: &Engine, id: &str) -> Result<OperationView, Fault> {
    Ok(engine.undo(operation_id(id)?)?)
}

/// Ends an operation that was interrupted: carries it through, or takes it back.
pub fn settle(engine: &Engine, id: &str, finish: bool) -> Result<OperationView, Fault> {
    Ok(engine.settle(operation_id(id)?, finish)?)
}

/// Compares the texts of two notes.
pub fn compare(engine: &Engine, one: &str, other: &str) -> Result<Vec<Hunk>, Fault> {
    let text = |at: &str| Ok::<_, Fault>(engine.open_note(&NoteRef::Path(at.to_owned()))?.text.lf());
    Ok(engine::compare_texts(&text(one)?, &text(other)?))
}

/// The reading view of a note, safe to put into the page.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, specta::Type)]
pub struct Rendered {
    pub html: String,
}

/// Renders a note, or the text that an editor has of it.
pub fn render(engine: &Engine, at: &str, text: Option<String>) -> Result<Rendered, Fault> {
    let strict_line_breaks = engine.info().strict_line_breaks;
    let view = engine.view();
    let rendered = view.render(&path(at)?, text.as_deref(), strict_line_breaks)?;
    let is_hidden = view.properties_shown() == engine::PropertiesShown::Hidden;
    Ok(Rendered { html: if is_hidden { rendered.html } else { rendered.page() } })
}

/// Searches the vault; never more than 500 hits at once.
pub fn search(engine: &Engine, text: String, folder: Option<String>, limit: u32, offset: u32) -> SearchPage {
    const MOST: u32 = 500;
    let (limit, offset) = (limit.min(MOST) as usize, offset as usize);
    engine.view().search(&Query { text, folder, limit, offset, ..Query::default() })
}
