//! What a person allowed beforehand in some folders is carried out there, and waits for them everywhere else.

use crate::bench::{Bench, rel};
use engine::{Desk, Intent, OpState, Request, Writes};
use note::SectionRef;

const VAULT: &str = "\
//- /Drafts/One.md
# One
## Old
//- /Drafts/Two.md
See [[One#Old]].
//- /Drafts/Far.md
## Known
//- /Kept.md
See [[Far#Known]].
//- /Drafts too/A.md
## Old
";

fn desk(bench: &Bench) -> Desk {
    bench.engine.desk("Agent", Writes::Allow).within(&[rel("Drafts")])
}

fn rename(path: &str, old: &str) -> Intent {
    Intent::RenameSection {
        path: rel(path),
        at: SectionRef::Heading { text: old.to_owned(), level: None, nth: None },
        new_heading: "New".to_owned(),
        update_links: true,
        allow_h1: false,
    }
}

#[test]
fn each_file_that_a_change_touches_must_lie_where_it_is_allowed() {
    let create = |path: &str| Intent::CreateNote { path: rel(path), text: "x\n".to_owned() };
    let moved = |path: &str, to: &str| Intent::MoveNote { path: rel(path), to: rel(to) };
    for (intent, state) in [
        (rename("Drafts/One.md", "Old"), OpState::Done),
        (rename("Drafts/Far.md", "Known"), OpState::Proposed),
        (rename("Drafts too/A.md", "Old"), OpState::Proposed),
        (create("Drafts/New.md"), OpState::Done),
        (create("Drafts/deep/New.md"), OpState::Done),
        (create("New.md"), OpState::Proposed),
        (create("drafts2/New.md"), OpState::Proposed),
        (moved("Drafts/Two.md", "Drafts/Three.md"), OpState::Done),
        (moved("Drafts/Two.md", "Two.md"), OpState::Proposed),
        (moved("Kept.md", "Drafts/Kept.md"), OpState::Proposed),
        (Intent::DeleteNote { path: rel("Drafts/Two.md") }, OpState::Done),
        (Intent::DeleteNote { path: rel("Kept.md") }, OpState::Proposed),
        (Intent::DeleteFolder { path: rel("Drafts too") }, OpState::Proposed),
    ] {
        let bench = Bench::new(VAULT);
        let before = bench.files();
        let proposed = desk(&bench).propose(intent.clone(), Request::default()).unwrap();
        assert_eq!(bench.engine.operation(proposed.id).unwrap().state, state, "{intent:?}");
        assert_eq!(bench.files() == before, state == OpState::Proposed, "{intent:?}");
    }
}

#[test]
fn asking_again_does_not_carry_out_what_waits() {
    let bench = Bench::new(VAULT);
    let request = || Request { request_id: Some("r1".to_owned()), ..Request::default() };
    let first = desk(&bench).propose(rename("Drafts/Far.md", "Known"), request()).unwrap();
    let again = desk(&bench).propose(rename("Drafts/Far.md", "Known"), request()).unwrap();
    assert_eq!((again.id, again.replayed), (first.id, true));
    assert_eq!(bench.engine.operation(first.id).unwrap().state, OpState::Proposed);
    assert_eq!(bench.read("Drafts/Far.md"), "## Known\n");
}
