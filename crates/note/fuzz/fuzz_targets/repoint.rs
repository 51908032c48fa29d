#![no_main]

use libfuzzer_sys::fuzz_target;
use note::{HeadingMoved, Link, NoteText, SectionRef, parse, rename_heading, repoint_links};

fuzz_target!(|input: (u8, &str)| {
    let (nth, source) = input;
    let Some((title, source)) = source.split_once('\n') else { return };
    let text = NoteText::from_str(source);
    let before = parse(&text);
    if before.headings.is_empty() {
        return;
    }
    let index = usize::from(nth) % before.headings.len();
    let Ok(renamed) = rename_heading(&text, &before, &SectionRef::Index(index), title, true) else { return };
    let text = renamed.edits.apply(&text).expect("the edits were made for this text");
    let after = parse(&text);
    let moved = HeadingMoved { before: &before, after: &after, index };
    let is_own = |link: &Link| link.target.is_empty();
    let repointed = repoint_links(&text, &after, &moved, &is_own);
    let followed = repointed.edits.apply(&text).expect("the edits were made for this text");
    let note = parse(&followed);
    // The links are the same ones, and each means what it meant or is warned of.
    assert_eq!(note.links.len(), after.links.len());
    assert_eq!(note.headings.len(), after.headings.len());
    let mut n_lost = 0;
    for (old, new) in after.links.iter().zip(&note.links) {
        assert_eq!((old.kind, old.embed, &old.target), (new.kind, new.embed, &new.target));
        // The text of a link may hold another one, which follows too.
        if old.alias.as_deref().is_some_and(|alias| !alias.contains('#')) {
            assert_eq!(old.alias, new.alias);
        }
        let Some(chain) = old.subpath.as_deref().filter(|_| is_own(old)).and_then(|s| before.find_heading(s)) else {
            assert_eq!(old.subpath, new.subpath);
            continue;
        };
        let now = new.subpath.as_deref().and_then(|subpath| note.find_heading(subpath));
        n_lost += usize::from(now.as_ref().and_then(|now| now.last()) != chain.last());
    }
    // A link in a title changes the title, and who linked to that is warned of in one sentence.
    let is_title = repointed.warnings.iter().any(|warning| warning.text.starts_with("heading"));
    assert!(is_title || n_lost <= repointed.warnings.len(), "{n_lost} links lost, {:?}", repointed.warnings);
    // A second time nothing changes.
    let again = repoint_links(&followed, &note, &moved, &is_own);
    assert!(again.edits.is_empty(), "{:?}", again.edits);
});
