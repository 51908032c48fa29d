//! Clients that were written for other servers, calling this one as they call those. `docs/compatibility.md` says of each
//! thing that is documented there which test here asserts it.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

#[path = "../harness/mod.rs"]
mod harness;

mod datacron_get_note;
mod datacron_get_note_chunks;
mod datacron_rename_note_section;
mod kybase_get_note;
mod table;

fn hash(text: &str) -> String {
    blake3::hash(text.as_bytes()).to_hex().to_string()
}
