//! A disk that fails or a process that dies at each single call: all or none, and no byte lost.

use std::sync::Arc;

use super::*;
use crate::fault::{Fault, FaultDisk};
use crate::folding::FoldingDisk;
use crate::{CommitError, SettledOutcome};

struct Scenario {
    name: &'static str,
    files: &'static [(&'static str, &'static str)],
    steps: &'static [Asked<'static>],
}

const SCENARIOS: &[Scenario] = &[
    Scenario {
        name: "a section is renamed, and two notes link to it",
        files: &[
            ("plans/june.md", "# June\n\n## Old\n"),
            ("index.md", "[[june#Old]]\n"),
            ("deep/er/log.md", "see [[june#Old|this]]\n"),
            ("other.md", "other\n"),
        ],
        steps: &[
            ("plans/june.md", Some("# June\n\n## Old\n"), Some("# June\n\n## New\n")),
            ("index.md", Some("[[june#Old]]\n"), Some("[[june#New]]\n")),
            ("deep/er/log.md", Some("see [[june#Old|this]]\n"), Some("see [[june#New|this]]\n")),
        ],
    },
    Scenario {
        name: "a note is moved, one made and one deleted",
        files: &[("a.md", "A\n"), ("b.md", "[[a]]\n"), ("c.md", "C\n")],
        steps: &[
            ("a.md", Some("A\n"), None),
            ("new/place/a.md", None, Some("A\n")),
            ("b.md", Some("[[a]]\n"), Some("[[new/place/a]]\n")),
            ("made/here.md", None, Some("made\n")),
            ("c.md", Some("C\n"), None),
        ],
    },
];

fn expected(scenario: &Scenario) -> (Files, Files) {
    let before = files(scenario.files);
    let mut after = before.clone();
    for (path, _, text) in scenario.steps {
        match text {
            Some(text) => after.insert((*path).to_owned(), (*text).to_owned()),
            None => after.remove(*path),
        };
    }
    (before, after)
}

/// Counts the calls of one whole life: open, commit, second look, close.
fn count(scenario: &Scenario, disk: FaultDisk) -> usize {
    let world = World::new(scenario.files);
    let disk = Arc::new(disk);
    let (mut vault, _) = world.try_open(disk.clone()).unwrap();
    vault.commit(change(1, scenario.steps)).unwrap();
    vault.tick(u64::MAX);
    drop(vault);
    disk.n_calls()
}

fn check(scenario: &Scenario, new_disk: fn() -> FaultDisk, nth: usize, fault: Fault) {
    let about = format!("{}: {fault:?} at call {nth}", scenario.name);
    let (before, after) = expected(scenario);
    let world = World::new(scenario.files);
    let disk = Arc::new(new_disk());
    disk.fail_at(nth, fault);
    let mut outcome = None;
    if let Ok((mut vault, settled)) = world.try_open(disk.clone()) {
        assert_eq!(settled, [], "{about}");
        outcome = Some(vault.commit(change(1, scenario.steps)));
        if !matches!(fault, Fault::Die | Fault::DieTorn) {
            let now = visible(&world);
            match &outcome {
                Some(Ok(_)) => assert_eq!(now, after, "{about}"),
                Some(Err(error)) => assert_eq!(now, before, "{about}: {error}"),
                None => {}
            }
        }
        vault.tick(u64::MAX);
    }
    let about = format!("{about}, {:?}", disk.calls().get(nth));

    let (mut vault, settled) = world.open();
    for settled in &settled {
        assert_eq!(settled.outcome, SettledOutcome::Done, "{about}");
    }
    assert_eq!(vault.tick(u64::MAX), [], "{about}: nobody else wrote");
    assert_eq!(vault.interrupted(), [], "{about}");
    let reader = vault.reader();
    let now = visible(&world);
    match &outcome {
        Some(Ok(_)) => assert_eq!(now, after, "{about}"),
        // The one promise that an error cannot take back is one that nobody lived to take back.
        Some(Err(_)) if matches!(fault, Fault::Die | Fault::DieTorn) => {
            assert!(now == before || now == after, "{about}: {now:#?}");
        }
        Some(Err(error)) => {
            assert!(!matches!(error, CommitError::Interrupted { .. }), "{about}: {error}");
            assert_eq!(now, before, "{about}");
        }
        None => assert_eq!(now, before, "{about}"),
    }
    if now == after {
        for text in before.values() {
            let hash = ContentHash::of(text.as_bytes());
            let kept =
                now.values().any(|now| now == text) || reader.blob(&hash).unwrap().as_deref() == Some(text.as_bytes());
            assert!(kept, "{about}: lost {text:?}");
        }
    }
    // The vault works on.
    let (path, text) = now.iter().next_back().unwrap();
    vault.commit(change(2, &[(path, Some(text), Some("next"))])).unwrap();
    drop(vault);
    assert_eq!(world.files().len(), visible(&world).len(), "{about}: {:#?}", world.files());
    if now == before {
        let folders: Vec<String> = World::new(scenario.files).folders();
        assert_eq!(world.folders(), folders, "{about}");
    }
}

/// Returns what a person sees: no dot files.
fn visible(world: &World) -> Files {
    let mut files = world.files();
    files.retain(|path, _| !path.split('/').any(|part| part.starts_with('.')));
    files
}

fn check_every_call(new_disk: fn() -> FaultDisk) {
    for scenario in SCENARIOS {
        let n_calls = count(scenario, new_disk());
        println!("{}: {n_calls} calls", scenario.name);
        for nth in 0..n_calls {
            for fault in [Fault::NoSpace, Fault::Failure, Fault::Denied, Fault::ShortWrite, Fault::Die, Fault::DieTorn]
            {
                check(scenario, new_disk, nth, fault);
            }
        }
    }
}

#[test]
fn every_call_fails_and_dies() {
    check_every_call(FaultDisk::new);
}

#[test]
fn every_call_fails_and_dies_without_an_exchange() {
    check_every_call(|| FaultDisk::new().without_swap());
}

/// A second crash while the first is being settled.
#[test]
fn recovery_dies_too() {
    let scenario = &SCENARIOS[0];
    let (before, after) = expected(scenario);
    let n_calls = count(scenario, FaultDisk::new());
    for first in (0..n_calls).step_by(3) {
        let mut second = 0;
        loop {
            let world = World::new(scenario.files);
            let disk = Arc::new(FaultDisk::new());
            disk.fail_at(first, Fault::Die);
            if let Ok((mut vault, _)) = world.try_open(disk) {
                let _ = vault.commit(change(1, scenario.steps));
            }
            let disk = Arc::new(FaultDisk::new());
            disk.fail_at(second, Fault::DieTorn);
            drop(world.try_open(disk.clone()));
            let (vault, _) = world.open();
            assert_eq!(vault.interrupted(), [], "{first} then {second}");
            drop(vault);
            let now = world.files();
            assert!(now == before || now == after, "{first} then {second}: {now:#?}");
            second += 3;
            if second >= disk.n_calls() {
                break;
            }
        }
    }
}

/// A file with other names is written in place, which is not atomic: a person may be asked, and no text is lost.
#[cfg(unix)]
#[test]
fn a_file_with_other_names_loses_no_text_at_any_call() {
    let (before, after) = ("the text before, which is the longer one of the two\n", "the text after\n");
    let steps: &[Asked<'static>] = &[("a.md", Some(before), Some(after)), ("b.md", Some("B"), Some("B2"))];
    let make = || {
        let world = World::new(&[("a.md", before), ("b.md", "B")]);
        std::fs::hard_link(world.path("a.md"), world.dir.path().join("other.md")).unwrap();
        world
    };
    let disk = Arc::new(FaultDisk::new());
    make().try_open(disk.clone()).unwrap().0.commit(change(1, steps)).unwrap();
    let mut n_asked = 0;
    for nth in 0..disk.n_calls() {
        for fault in [Fault::NoSpace, Fault::Failure, Fault::ShortWrite, Fault::Die, Fault::DieTorn] {
            let world = make();
            let disk = Arc::new(FaultDisk::new());
            disk.fail_at(nth, fault);
            let outcome = world.try_open(disk.clone()).map(|(mut vault, _)| vault.commit(change(1, steps)));
            let about = format!("{fault:?} at {:?}", disk.calls().get(nth));
            let (vault, _) = world.open();
            let now = world.get("a.md").unwrap();
            assert_eq!(std::fs::read_to_string(world.dir.path().join("other.md")).unwrap(), now, "{about}");
            let kept = |text: &str| now == text || vault.reader().has_blob(&ContentHash::of(text.as_bytes()));
            match &outcome {
                Ok(Ok(_)) => assert_eq!(now, after, "{about}"),
                _ if now == before => {}
                _ => assert!(kept(before) && kept(after), "{about}: {now:?}"),
            }
            if now != before && now != after {
                n_asked += 1;
                assert_eq!(vault.interrupted().len(), 1, "{about}: {now:?}");
                assert!(matches!(fault, Fault::Die | Fault::DieTorn), "{about}");
            }
        }
    }
    assert!(n_asked >= 1, "a process that dies as it writes leaves half of a text");
}

/// Where names have no case, one file answers to both spellings, during recovery too.
#[test]
fn a_note_and_a_folder_get_another_case_at_any_call() {
    let texts: &[(&str, &str)] = &[("a.md", "A"), ("dir/b.md", "B"), ("c.md", "C")];
    let steps: &[Asked<'static>] = &[
        ("a.md", Some("A"), None),
        ("A.md", None, Some("A")),
        ("dir/b.md", Some("B"), None),
        ("Dir/b.md", None, Some("B")),
        ("c.md", Some("C"), Some("C2")),
    ];
    // A folder's own name is no file's business.
    let (before, after) = (files(texts), files(&[("A.md", "A"), ("dir/b.md", "B"), ("c.md", "C2")]));
    let life = |world: &World, disk: &Arc<FaultDisk>| {
        world.try_open(disk.clone()).map(|(mut vault, _)| vault.commit(change(1, steps))).ok()
    };
    let disk = Arc::new(FaultDisk::over(FoldingDisk));
    let world = World::new(texts);
    life(&world, &disk).unwrap().unwrap();
    assert_eq!(visible(&world), after);
    for nth in 0..disk.n_calls() {
        for fault in [Fault::Failure, Fault::Die] {
            let world = World::new(texts);
            let disk = Arc::new(FaultDisk::over(FoldingDisk));
            disk.fail_at(nth, fault);
            let outcome = life(&world, &disk);
            let about = format!("{fault:?} at {nth}, {:?}", disk.calls().get(nth));
            let (vault, _) = world.try_open(Arc::new(FoldingDisk)).unwrap();
            assert_eq!(vault.interrupted(), [], "{about}");
            drop(vault);
            let now = world.files();
            match (outcome, fault) {
                (Some(Ok(_)), _) => assert_eq!(now, after, "{about}"),
                (_, Fault::Die) => assert!(now == before || now == after, "{about}: {now:#?}"),
                _ => assert_eq!(now, before, "{about}"),
            }
        }
    }
}

#[test]
fn a_folder_is_spelled_in_another_way_only_where_that_is_the_same_folder() {
    for (disk, spelled) in [(Arc::new(FoldingDisk) as Arc<dyn Disk>, "DIR/b.md"), (Arc::new(RealDisk), "dir/b.md")] {
        let world = World::new(&[("dir/b.md", "B")]);
        let (mut vault, _) = world.try_open(disk).unwrap();
        let respelled = vault.respell_folder(&rel("dir"), &rel("DIR"));
        assert!(respelled.is_ok(), "{respelled:?}");
        assert!(vault.respell_folder(&rel("dir"), &rel("other")).is_ok());
        drop(vault);
        assert_eq!(world.files(), files(&[(spelled, "B")]));
    }
}
