//! Outlines, maps and chunks of a note.

use super::get_note::{body, identity, last_line};
use super::resolve::{note_id, open};
use super::selectors::Selectors;
use super::{Call, answer};
use crate::limits::boundary::{wrap, wrap_cost};
use crate::limits::chunks::{Chunk, ChunkName, Fate, chunks};
use crate::limits::secrets::{Secrets, Shown};
use crate::limits::window::{cut, estimated_tokens, fitting, json_chars, page, window};
use crate::wire::error::{Code, ToolError};
use crate::wire::notes::{Format, MapHeading, NoteChunk, NoteMap, OutlineHeading, Select};
use engine::OpenNote;
use note::{Note, NoteText};
use serde_json::Value;
use std::collections::HashMap;
use std::ops::Range;

/// Returns the headings down to the third level within a stretch of the note, with offsets into what is shown of it,
/// as far as they fit `budget`.
pub(crate) fn outline(
    call: &Call<'_>,
    open: &OpenNote,
    secrets: &Secrets,
    shown: &Shown<'_>,
    span: &Range<usize>,
    budget: usize,
) -> (Vec<OutlineHeading>, bool) {
    let mut offsets = Offsets::new(shown);
    let within = open.note.headings.iter().filter(|heading| heading.level <= 3 && span.contains(&heading.span.start));
    let items = within.map(|heading| OutlineHeading {
        level: heading.level,
        text: call.title(&secrets.hide(&heading.text).text),
        offset: offsets.of(heading.span.start - span.start),
    });
    fitting(items, budget)
}

/// Counts characters up to growing places of a text, each stretch once.
struct Offsets<'s> {
    shown: &'s Shown<'s>,
    place: usize,
    n_chars: usize,
}

impl<'s> Offsets<'s> {
    fn new(shown: &'s Shown<'s>) -> Offsets<'s> {
        Offsets { shown, place: 0, n_chars: 0 }
    }

    fn of(&mut self, byte: usize) -> usize {
        let place = self.shown.place_of(byte);
        if place < self.place {
            (self.place, self.n_chars) = (0, 0);
        }
        self.n_chars += self.shown.text[self.place..place].chars().count();
        self.place = place;
        self.n_chars
    }
}

/// Answers `get_note` with `format: map`.
pub(crate) fn map(call: &Call<'_>, open: &OpenNote, secrets: &Secrets) -> Result<Value, ToolError> {
    let note = &open.note;
    let total = note.headings.len();
    let pieces = chunks(&open.text, note, secrets);
    let first_chunk: HashMap<usize, &Chunk> =
        pieces.iter().rev().filter_map(|piece| Some((piece.heading?, piece))).collect();
    let span = body(open);
    let shown = secrets.hide(&open.text.as_str()[span.clone()]);
    let mut offsets = Offsets::new(&shown);
    let limit = call.args.size("limit", total);
    let mut page = page(total, call.args.size("offset", 0), limit);
    let mut out = NoteMap {
        format: Format::Map,
        identity: identity(call, open, secrets),
        headings: Vec::new(),
        chunk_count: pieces.len(),
        total,
        returned: 0,
        offset: page.range.start,
        limit_applied: limit,
        next_offset: None,
        truncated: false,
    };
    let hide = |text: &str| call.title(&secrets.hide(text).text);
    let selectors = Selectors::new(call, open, secrets);
    let id = open.id.to_string();
    let mut spent = json_chars(&out) + 100;
    for index in page.range.clone() {
        let section = note.section_at(index);
        let heading = section.heading;
        let offset = offsets.of(heading.span.start.saturating_sub(span.start));
        let end = shown.place_of(section.span.end.saturating_sub(span.start));
        let start = shown.place_of(heading.span.start.saturating_sub(span.start));
        let titles: Vec<String> = section.path.iter().map(|title| hide(title)).collect();
        let item = MapHeading {
            level: heading.level,
            text: hide(&heading.text),
            raw: hide(&heading.raw),
            path: titles.join(" / "),
            heading_path: selectors.path(index),
            heading_occurrence: section.occurrence,
            select: Select {
                heading: selectors.title(index),
                heading_level: heading.level,
                heading_occurrence: (heading.same_text.of > 1).then_some(heading.same_text.nth),
            },
            line: heading.line,
            line_start: section.line_start,
            line_end: section.line_end,
            offset,
            chars: shown.text[start..end].chars().count(),
            chunk_id: first_chunk.get(&index).map(|piece| piece.name(&id, &open.text)).unwrap_or_default(),
            block_id: heading.block_id.as_deref().map(hide),
        };
        spent += json_chars(&item) + 1;
        if spent > call.settings.max_response_chars && !out.headings.is_empty() {
            page.next_offset = Some(index);
            break;
        }
        out.headings.push(item);
    }
    out.returned = out.headings.len();
    out.next_offset = page.next_offset;
    out.truncated = page.next_offset.is_some();
    answer(&out)
}

/// Answers `get_note` for a chunk id.
pub(crate) fn chunk(call: &Call<'_>, name: &ChunkName) -> Result<Value, ToolError> {
    let (open, secrets) = open(call, &note_id(&name.note_id)).map_err(|error| no_note(call, error))?;
    let text = open.text.as_str();
    let pieces = chunks(&open.text, &open.note, &secrets);
    let at = found(call, &open, &secrets, name, &pieces)?;
    let piece = &pieces[at];
    let id = open.id.to_string();
    let near = |at: Option<usize>| at.and_then(|at| pieces.get(at)).map(|piece| piece.name(&id, &open.text));
    let selectors = Selectors::new(call, &open, &secrets);
    let titles = piece.heading.map(|index| open.note.heading_path(index)).unwrap_or_default();
    let titles: Vec<String> = titles.iter().map(|title| call.title(&secrets.hide(title).text)).collect();
    let mut out = NoteChunk {
        format: Format::Chunk,
        identity: identity(call, &open, &secrets),
        chunk_id: piece.name(&id, &open.text),
        note_id: id.clone(),
        header_path: titles.join(" / "),
        heading_path: piece.heading.map(|index| selectors.path(index)).unwrap_or_default(),
        line_start: open.text.line_of(piece.span.start),
        line_end: last_line(&open, &piece.span),
        content: String::new(),
        returned_chars: 0,
        truncated: false,
        estimated_tokens: 0,
        chunk_content_hash: piece.hash(&open.text).to_string(),
        prev_chunk_id: near(at.checked_sub(1)),
        next_chunk_id: near(at.checked_add(1)),
        chunk_count: pieces.len(),
    };
    let path = open.path.as_str();
    let budget = call.settings.max_response_chars.saturating_sub(json_chars(&out) + wrap_cost(path) + 60);
    let shown = secrets.hide(&text[piece.span.clone()]);
    let window = window(&shown.text, 0, usize::MAX, budget);
    out.content = wrap(path, window.text)?;
    out.returned_chars = window.n_chars;
    out.truncated = window.next_offset.is_some();
    out.estimated_tokens = estimated_tokens(window.total_chars);
    answer(&out)
}

/// Finds a chunk of the text of now by its name.
pub(crate) fn found(
    call: &Call<'_>,
    open: &OpenNote,
    secrets: &Secrets,
    name: &ChunkName,
    pieces: &[Chunk],
) -> Result<usize, ToolError> {
    let fits = name.fits(&open.text.hash());
    match name.find(pieces) {
        Some(at) if fits => Ok(at),
        None if name.hash_start.is_some() && fits => Err(no_chunk(open, name)),
        _ => Err(stale(call, open, secrets, name, pieces)),
    }
}

/// Says that a chunk id was made from an older text, what became of the chunk, and which heading covers it now.
fn stale(call: &Call<'_>, open: &OpenNote, secrets: &Secrets, name: &ChunkName, pieces: &[Chunk]) -> ToolError {
    let (at, became, so) = match name.fate(pieces, &open.text) {
        Fate::Unchanged(at) => (Some(at), "unchanged", "the chunk itself is as it was"),
        Fate::Changed(at) => (Some(at), "changed", "the chunk has changed, too"),
        Fate::Gone(at) => (at, "gone", "the chunk is gone"),
    };
    let hint = match at {
        Some(_) => "read `chunk_id`, or the section `heading_path` with `heading_occurrence`, of the text of now",
        None => "read the headings of now with get_note, format map",
    };
    let covering = at.map(|at| &pieces[at]);
    let heading = covering.and_then(|piece| piece.heading);
    let wanted = if name.slugs.is_empty() { "the text before the first heading" } else { name.slugs.as_str() };
    ToolError::new(
        Code::StaleChunk,
        format!("the chunk id was made from an older text of `{}`, and {so}: {wanted}", open.path),
        hint,
    )
    .with("rel_path", open.path.as_str())
    .with("current_hash", open.text.hash().to_string())
    .with("became", became)
    .with("heading_path", heading.map(|index| Selectors::new(call, open, secrets).path(index)).unwrap_or_default())
    .with_some("heading_occurrence", heading.map(|index| open.note.section_at(index).occurrence))
    .with_some("chunk_id", covering.map(|piece| piece.name(&open.id.to_string(), &open.text)))
}

/// Says of a note that is not there that it was named by a chunk.
fn no_note(call: &Call<'_>, error: ToolError) -> ToolError {
    if error.code != Code::NotFound {
        return error;
    }
    let chunk_id = call.args.text("id_or_path").unwrap_or_default();
    ToolError::new(
        Code::NotFound,
        format!("no note of the vault has the chunk `{}`", cut(chunk_id, 200)),
        "find the note with search_text or list_notes; get_note with format map lists its chunk ids",
    )
}

/// Says that a chunk id was never given out for this text.
fn no_chunk(open: &OpenNote, name: &ChunkName) -> ToolError {
    ToolError::new(
        Code::NotFound,
        format!("`{}` has no chunk `{}::{}`", open.path, name.slugs, name.n),
        "get_note with format map lists the chunk ids of the text of now",
    )
    .with("rel_path", open.path.as_str())
}

/// Returns the chunk that covers a line of a note.
pub(crate) fn chunk_at_line(open: &OpenNote, secrets: &Secrets, line: u32) -> Option<String> {
    Pieces::of(&open.text, &open.note, secrets).at_line(&open.id.to_string(), line)
}

/// The chunks of a text, by what a search needs of them.
#[derive(Debug)]
pub(crate) struct Pieces(Vec<Piece>);

#[derive(Debug)]
struct Piece {
    first_line: u32,
    /// What follows the note's id in the name.
    rest: String,
}

impl Pieces {
    pub fn of(text: &NoteText, note: &Note, secrets: &Secrets) -> Pieces {
        let piece = |chunk: &Chunk| Piece { first_line: text.line_of(chunk.span.start), rest: chunk.name("", text) };
        Pieces(chunks(text, note, secrets).iter().map(piece).collect())
    }

    /// Returns the name of the piece that covers a line; the last one's if none does.
    pub fn at_line(&self, note_id: &str, line: u32) -> Option<String> {
        let before = self.0.partition_point(|piece| piece.first_line <= line);
        let piece = before.checked_sub(1).map_or(self.0.last(), |at| self.0.get(at))?;
        Some(format!("{note_id}{}", piece.rest))
    }
}
