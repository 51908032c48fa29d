//! However notes come, go and take each other's places, by our hand or another program's: each text that a note ever had
//! is in the list of some note.

use crate::bench::{Bench, rel};
use engine::{Intent, Request, Writes};
use note::{ContentHash, FindReplace};
use proptest::prelude::*;
use std::collections::BTreeSet;
use std::fs;

const PATHS: [&str; 3] = ["A.md", "B.md", "dir/C.md"];

#[derive(Debug, Clone)]
enum Deed {
    Create { at: usize, ours: bool },
    Edit { at: usize, ours: bool },
    Delete { at: usize, ours: bool },
    Move { from: usize, to: usize, ours: bool },
}

fn deed() -> impl Strategy<Value = Deed> {
    let place = 0..PATHS.len();
    prop_oneof![
        2 => (place.clone(), any::<bool>()).prop_map(|(at, ours)| Deed::Create { at, ours }),
        1 => (place.clone(), any::<bool>()).prop_map(|(at, ours)| Deed::Edit { at, ours }),
        1 => (place.clone(), any::<bool>()).prop_map(|(at, ours)| Deed::Delete { at, ours }),
        3 => (place.clone(), place, any::<bool>()).prop_map(|(from, to, ours)| Deed::Move { from, to, ours }),
    ]
}

/// Does what can be done; returns the text that it left, if it left a new one.
fn act(bench: &Bench, deed: &Deed, n: usize) -> Option<String> {
    let path = |at: usize| bench.root().join(PATHS[at]);
    let text = format!("text {n}\n");
    let desk = bench.engine.desk("agent", Writes::Allow);
    let written = match *deed {
        Deed::Create { at, ours } if !path(at).exists() => {
            if ours {
                let create = Intent::CreateNote { path: rel(PATHS[at]), text: text.clone() };
                desk.propose(create, Request::default()).unwrap();
            } else {
                fs::create_dir_all(path(at).parent().unwrap()).unwrap();
                fs::write(path(at), &text).unwrap();
            }
            Some(text)
        }
        Deed::Edit { at, ours } if path(at).exists() => {
            if ours {
                let find = fs::read_to_string(path(at)).unwrap();
                let edit = FindReplace { find, replace: text.clone(), expected_count: 1 };
                desk.propose(Intent::EditText { path: rel(PATHS[at]), edits: vec![edit] }, Request::default()).unwrap();
            } else {
                fs::write(path(at), &text).unwrap();
            }
            Some(text)
        }
        Deed::Delete { at, ours } if path(at).exists() => {
            if ours {
                bench.engine.carry(Intent::DeleteNote { path: rel(PATHS[at]) }).unwrap();
            } else {
                fs::remove_file(path(at)).unwrap();
            }
            None
        }
        Deed::Move { from, to, ours } if path(from).exists() && !path(to).exists() => {
            if ours {
                bench.engine.carry(Intent::MoveNote { path: rel(PATHS[from]), to: rel(PATHS[to]) }).unwrap();
            } else {
                fs::create_dir_all(path(to).parent().unwrap()).unwrap();
                fs::rename(path(from), path(to)).unwrap();
            }
            None
        }
        _ => None,
    };
    bench.engine.catch_up();
    written
}

/// Does one deed after another, and looks for all that they wrote, before and after a restart.
fn check(deeds: &[Deed]) -> Result<(), TestCaseError> {
    let mut bench = Bench::new("//- /Other.md\nstays\n");
    let written: Vec<String> = deeds.iter().enumerate().filter_map(|(n, deed)| act(&bench, deed, n)).collect();
    for _ in 0..2 {
        let listed: BTreeSet<String> =
            PATHS.iter().flat_map(|path| bench.engine.history(&rel(path))).filter_map(|one| one.after_hash).collect();
        for path in PATHS.map(rel) {
            for version in bench.engine.history(&path) {
                let Some(listed) = version.after_hash else { continue };
                let text = bench.engine.version_text(&path, &version.id).unwrap();
                prop_assert_eq!(ContentHash::of(text.as_bytes()).to_string(), listed, "{} of {}", version.id, &path);
            }
        }
        for text in &written {
            let hash = ContentHash::of(text.as_bytes()).to_string();
            prop_assert!(listed.contains(&hash), "{text:?} is in no list");
        }
        bench.reopen();
    }
    Ok(())
}

#[test]
fn who_takes_the_place_of_one_that_came_from_elsewhere_hides_nothing_of_it() {
    let moves = |from, to| Deed::Move { from, to, ours: false };
    let comes_and_goes = |at| [Deed::Create { at, ours: false }, moves(at, 0)];
    let gone = Deed::Delete { at: 0, ours: false };
    let [one, two] = [comes_and_goes(2), comes_and_goes(1)];
    check(&[&one[..], &[gone], &two, &[moves(0, 1), moves(1, 0)]].concat()).unwrap();
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_text_that_a_note_had_is_listed_somewhere(deeds in prop::collection::vec(deed(), 1..25)) {
        check(&deeds)?;
    }
}
