//! Which id a note goes by.
//!
//! Nothing is written into notes. An id is derived from the vault's key and the path where the note was first seen, so
//! it survives the loss of the index; only what a path cannot tell (a note that moved) is kept, in the journal. A valid
//! `id` property wins when no other note carries it.

use crate::ledger::Ledger;
use index::IndexView;
use note::{Note, NoteId, RelPath};
use std::str::FromStr;

/// Returns the id of the note at `path`.
pub(crate) fn id_of(
    vault_key: &str,
    path: &RelPath,
    note: Option<&Note>,
    index: &IndexView,
    ledger: &Ledger,
) -> NoteId {
    let own = note.and_then(declared);
    let free = |id: &NoteId| index.entry_by_id(id).is_none_or(|entry| entry.path == *path);
    own.filter(free)
        .or_else(|| ledger.pinned_id(path))
        .or_else(|| index.entry(path).and_then(|entry| entry.id))
        .unwrap_or_else(|| {
            (0u32..).map(|salt| derived(vault_key, path, salt)).find(free).expect("2^32 salts are not all taken")
        })
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
