#![no_main]

use libfuzzer_sys::fuzz_target;
use note::{NoteText, parse};

#[path = "../../src/parse/tests/soundness.rs"]
mod soundness;

fuzz_target!(|bytes: &[u8]| soundness::assert_sound(&NoteText::lossy(bytes.to_vec())));
