//! Which id a note goes by.
//!
//! Nothing is written into notes. An id is derived from the vault's key and the path where the note was first seen, so
//! it survives the loss of the index; only what a path cannot tell (a note that moved) is kept, in the journal. A valid
//! `id` property wins when no other note carries it.

use crate::View;
use note::{Note, NoteId, RelPath};
use std::collections::HashSet;
use std::str::FromStr;

/// Returns the id of the note at `path`; `taken` are ids that other notes go by, besides those that the index knows.
pub(crate) fn id_of(view: &View, path: &RelPath, note: Option<&Note>, taken: &Taken) -> NoteId {
    let (index, ledger) = (&view.index, view.ledger());
    let is_there = |other: &RelPath| view.reader.stat(other).is_ok();
    let free = |id: &NoteId| {
        let indexed = index.entry_by_id(id).filter(|entry| !taken.gone.contains(&entry.path));
        let pinned = ledger.pinned_to(id).filter(|home| *home != path && is_there(home));
        !taken.ids.contains(id) && pinned.is_none() && indexed.is_none_or(|entry| entry.path == *path)
    };
    let known = index.entry(path).and_then(|entry| entry.id);
    let candidates = [note.and_then(declared), ledger.pinned_id(path), known];
    candidates.into_iter().flatten().find(free).unwrap_or_else(|| {
        (0u32..).map(|salt| derived(&view.vault_key, path, salt)).find(free).expect("2^32 salts are not all taken")
    })
}

/// What is known beyond the index while several files are taken in at once.
#[derive(Debug, Default)]
pub(crate) struct Taken {
    /// Ids that were given to others of these files.
    pub ids: HashSet<NoteId>,
    /// Files that are no longer there: their ids may go on.
    pub gone: HashSet<RelPath>,
}

/// Reads a ULID from the `id` property.
fn declared(note: &Note) -> Option<NoteId> {
    note.frontmatter.as_ref()?.get("id")?.value.as_text().and_then(|id| NoteId::from_str(id.trim()).ok())
}

fn derived(vault_key: &str, path: &RelPath, salt: u32) -> NoteId {
    let mut hasher = blake3::Hasher::new_derive_key("vidimus note id v1");
    for part in [vault_key.as_bytes(), &[0], path.as_str().as_bytes(), &[0], &salt.to_le_bytes()] {
        hasher.update(part);
    }
    let mut bytes = [0; 16];
    bytes.copy_from_slice(&hasher.finalize().as_bytes()[..16]);
    NoteId(ulid::Ulid::from_bytes(bytes))
}
