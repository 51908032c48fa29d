//! Which section a caller means, and what a caller is given to mean it by.
//!
//! A title that is longer than answers have room for cannot be sent back. The id of its section's first chunk stands for
//! it, in every place where a title is sent or given. It says which text it was made from, and holds for that text only.

use super::Call;
use super::resolve::{Naming, section_error};
use super::sections::found;
use crate::limits::chunks::{ChunkName, chunks};
use crate::limits::secrets::Secrets;
use crate::limits::window::cut_to_cost;
use crate::wire::error::ToolError;
use engine::OpenNote;
use note::{Heading, Section, SectionError, SectionRef};
use std::cell::OnceCell;

/// What names the sections of one note.
pub(crate) struct Selectors<'a> {
    open: &'a OpenNote,
    secrets: &'a Secrets,
    /// The longest title that is given whole.
    max_title: usize,
    ids: OnceCell<Vec<String>>,
}

impl<'a> Selectors<'a> {
    pub fn new(call: &Call<'_>, open: &'a OpenNote, secrets: &'a Secrets) -> Selectors<'a> {
        Selectors { open, secrets, max_title: call.max_title(), ids: OnceCell::new() }
    }

    /// Returns what is sent to name a heading, together with its level.
    pub fn title(&self, index: usize) -> String {
        self.whole(&self.open.note.headings[index].text).unwrap_or_else(|| self.id(index))
    }

    /// Returns the `heading_path` that names a section.
    pub fn path(&self, index: usize) -> Vec<String> {
        let titles = self.open.note.heading_path(index);
        let whole: Option<Vec<String>> = titles.iter().map(|title| self.whole(title)).collect();
        whole.unwrap_or_else(|| vec![self.id(index)])
    }

    /// The title as it may leave, unless it is too long.
    fn whole(&self, title: &str) -> Option<String> {
        let shown = self.secrets.hide(title).text;
        let is_whole = cut_to_cost(&shown, self.max_title).len() == shown.len();
        is_whole.then(|| shown.into_owned())
    }

    fn id(&self, index: usize) -> String {
        let ids = self.ids.get_or_init(|| {
            let OpenNote { text, note, id, .. } = self.open;
            let mut ids = vec![String::new(); note.headings.len()];
            for piece in chunks(text, note, self.secrets).iter().rev() {
                if let Some(heading) = piece.heading {
                    ids[heading] = piece.name(&id.to_string(), text);
                }
            }
            ids
        });
        ids[index].clone()
    }
}

/// Reads the title of a section as it was sent, or the chunk id that stands for it. `level` and `nth` are those that were
/// sent.
pub(crate) fn by_title(
    call: &Call<'_>,
    open: &OpenNote,
    secrets: &Secrets,
    text: String,
    (level, nth): (Option<u8>, Option<u32>),
    naming: Naming,
) -> Result<SectionRef, ToolError> {
    if let Some(heading) = by_chunk(call, open, secrets, &text)? {
        return Ok(SectionRef::Heading {
            text: heading.text.clone(),
            level: level.or(Some(heading.level)),
            nth: nth.or((heading.same_text.of > 1).then_some(heading.same_text.nth)),
        });
    }
    let sent = SectionRef::Heading { text, level, nth };
    if secrets.is_empty() {
        return Ok(sent);
    }
    let found = find(open, secrets, &sent).map_err(|error| section_error(call, &error, naming, open, secrets))?;
    Ok(SectionRef::Heading { text: found.heading.text.clone(), level: level.or(Some(found.heading.level)), nth })
}

/// Reads a `heading_path` as it was sent, or the chunk id that stands for it.
pub(crate) fn by_path(
    call: &Call<'_>,
    open: &OpenNote,
    secrets: &Secrets,
    path: Vec<String>,
    nth: Option<u32>,
) -> Result<SectionRef, ToolError> {
    let heading = match path.as_slice() {
        [only] => by_chunk(call, open, secrets, only)?,
        _ => None,
    };
    if let Some(heading) = heading {
        let index = open.note.headings.iter().position(|other| other.span == heading.span);
        return Ok(SectionRef::Path {
            path: index.map(|index| open.note.heading_path(index)).unwrap_or_default(),
            nth: nth.or((heading.same_path.of > 1).then_some(heading.same_path.nth)),
        });
    }
    let sent = SectionRef::Path { path, nth };
    if secrets.is_empty() {
        return Ok(sent);
    }
    let found = find(open, secrets, &sent).map_err(|error| section_error(call, &error, Naming::Path, open, secrets))?;
    Ok(SectionRef::Path { path: open.note.heading_path(found.index), nth })
}

/// Finds a section among the titles as they are shown: what is hidden is neither matched nor likened to.
pub(crate) fn find<'o>(open: &'o OpenNote, secrets: &Secrets, at: &SectionRef) -> Result<Section<'o>, SectionError> {
    if secrets.is_empty() {
        return open.note.section(at);
    }
    let mut shown = open.note.clone();
    for heading in &mut shown.headings {
        heading.text = secrets.hide(&heading.text).text.into_owned();
        heading.raw = secrets.hide(&heading.raw).text.into_owned();
    }
    let found = shown.section(at)?;
    let (occurrence, matching) = (found.occurrence, found.matching);
    Ok(Section { occurrence, matching, ..open.note.section_at(found.index) })
}

/// Returns the heading whose chunk is named, unless a heading is called so.
fn by_chunk<'o>(
    call: &Call<'_>,
    open: &'o OpenNote,
    secrets: &Secrets,
    text: &str,
) -> Result<Option<&'o Heading>, ToolError> {
    let headings = &open.note.headings;
    let is_own = |name: &ChunkName| name.hash_start.is_some() && name.note_id == open.id.to_string();
    let Some(name) = ChunkName::parse(text).filter(is_own) else { return Ok(None) };
    if headings.iter().any(|heading| heading.text == text || heading.raw == text) {
        return Ok(None);
    }
    let pieces = chunks(&open.text, &open.note, secrets);
    let at = found(call, open, secrets, &name, &pieces)?;
    Ok(pieces[at].heading.map(|index| &headings[index]))
}
