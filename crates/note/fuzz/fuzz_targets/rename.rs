#![no_main]

use libfuzzer_sys::fuzz_target;
use note::{NoteText, SectionRef, parse, rename_heading};

fuzz_target!(|input: (u8, &str)| {
    let (nth, source) = input;
    let Some((title, source)) = source.split_once('\n') else { return };
    let text = NoteText::from_str(source);
    let note = parse(&text);
    if note.headings.is_empty() {
        return;
    }
    let index = usize::from(nth) % note.headings.len();
    let Ok(renamed) = rename_heading(&text, &note, &SectionRef::Index(index), title, true) else { return };
    let new = renamed.edits.apply(&text).expect("the edits were made for this text");
    let (old_title, after) = (&note.headings[index].title, parse(&new));
    assert!(new.as_str().starts_with(&source[..old_title.start]));
    assert!(new.as_str().ends_with(&source[old_title.end..]));
    assert_eq!(note.headings.len(), after.headings.len());
    for (at, (old, new)) in note.headings.iter().zip(&after.headings).enumerate() {
        assert_eq!((old.level, old.style, &old.block_id), (new.level, new.style, &new.block_id));
        if at == index {
            assert_eq!(new.text, renamed.new);
        } else {
            assert_eq!((&old.text, &old.raw), (&new.text, &new.raw));
        }
    }
    let before_title = |note: &note::Note| note.links.iter().filter(|l| l.span.end <= old_title.start).count();
    assert_eq!(before_title(&note), before_title(&after));
    assert_eq!(note.blocks.len(), after.blocks.len());
    let new_title = &after.headings[index].title;
    let outside = |note: &note::Note, title: &std::ops::Range<usize>| {
        note.hidden.iter().filter(|hidden| hidden.end <= title.start || hidden.start >= title.end).count()
    };
    assert_eq!(outside(&note, old_title), outside(&after, new_title));
    // Done again, it says the same.
    let again = rename_heading(&new, &after, &SectionRef::Index(index), title, true);
    assert!(again.is_ok_and(|again| again.new == renamed.new));
});
