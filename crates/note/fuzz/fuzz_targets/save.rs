#![no_main]

use libfuzzer_sys::fuzz_target;
use note::{NoteText, diff_lf};

fuzz_target!(|source: &str| {
    let Some((base, typed)) = source.split_once('\0') else { return };
    let base = NoteText::from_str(base);
    // An editor shows `\n` only, and no byte order mark.
    let typed = NoteText::from_str(&typed.replace('\u{feff}', "")).lf();
    let edits = diff_lf(&base, &typed);
    let saved = edits.apply(&base).expect("the edits were made for this text");
    assert_eq!(saved.lf(), typed);
    assert_eq!(saved.has_bom(), base.has_bom());
    assert!(diff_lf(&saved, &typed).is_empty());
    if base.lf() == typed {
        assert!(edits.is_empty());
    }
});
