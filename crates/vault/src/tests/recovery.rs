//! What a person can do about an operation that was interrupted.

use serde_json::Value;

use super::*;
use crate::fault::{Fault, FaultDisk};
use crate::{CommitError, Entry, PutBack, SettledOutcome};

const FILES: &[(&str, &str)] = &[("a.md", "A"), ("b.md", "B"), ("c.md", "C")];
const STEPS: &[Asked<'static>] =
    &[("a.md", Some("A"), Some("A2")), ("b.md", Some("B"), Some("B2")), ("c.md", Some("C"), Some("C2"))];

/// Returns a vault whose process died after it had swapped the first file, and where somebody then wrote to the second.
fn half_done() -> World {
    let world = World::new(FILES);
    let counting = Arc::new(FaultDisk::new());
    {
        let scratch = World::new(FILES);
        let (mut vault, _) = scratch.try_open(counting.clone()).unwrap();
        vault.commit(change(1, STEPS)).unwrap();
    }
    let swaps = counting.calls().into_iter().enumerate().filter(|(_, call)| call.name == "swap");
    let (second, _) = swaps.skip(1).next().unwrap();
    let disk = Arc::new(FaultDisk::new());
    disk.fail_at(second, Fault::Die);
    let (mut vault, _) = world.try_open(disk).unwrap();
    vault.commit(change(1, STEPS)).unwrap_err();
    drop(vault);
    assert_eq!(world.get("a.md").as_deref(), Some("A2"));
    assert_eq!(world.get("b.md").as_deref(), Some("B"));
    world
}

fn interrupted() -> World {
    let world = half_done();
    world.put("b.md", "theirs");
    world
}

#[test]
fn a_crash_alone_is_finished() {
    let world = half_done();
    let (vault, settled) = world.open();
    assert_eq!(settled.len(), 1);
    assert_eq!((settled[0].op, &settled[0].outcome), (op(1), &SettledOutcome::Done));
    assert!(matches!(vault.entries().unwrap()[..], [Entry::Begun { .. }, Entry::Done { .. }]));
    drop(vault);
    assert_eq!(world.files(), files(&[("a.md", "A2"), ("b.md", "B2"), ("c.md", "C2")]));
    assert_eq!(world.open().1, []);
}

#[test]
fn a_foreign_text_asks_and_blocks_only_its_file() {
    let world = interrupted();
    for _ in 0..2 {
        let (mut vault, settled) = world.open();
        let files = vec![rel("b.md")];
        assert_eq!(settled[0].outcome, SettledOutcome::Interrupted { files: files.clone() });
        let waiting = vault.interrupted();
        assert_eq!((waiting[0].op, &waiting[0].files, waiting[0].steps.len()), (op(1), &files, 3));
        let error = vault.commit(change(2, &[("b.md", Some("theirs"), Some("x"))])).unwrap_err();
        assert!(matches!(error, CommitError::Interrupted { op: by, .. } if by == op(1)));
        assert_eq!(world.get("b.md").as_deref(), Some("theirs"));
        assert_eq!(world.get("c.md").as_deref(), Some("C"));
    }
}

#[test]
fn undo_puts_back_what_nobody_touched() {
    let world = interrupted();
    let (mut vault, _) = world.open();
    let put_back = vault.undo(op(1), Value::Null).unwrap();
    let expected = PutBack { restored: vec![rel("a.md")], left: vec![rel("b.md")] };
    assert_eq!(put_back, expected);
    assert_eq!(vault.interrupted(), []);
    drop(vault);
    assert_eq!(world.files(), files(&[("a.md", "A"), ("b.md", "theirs"), ("c.md", "C")]));
    let (vault, settled) = world.open();
    assert_eq!((settled, vault.interrupted()), (vec![], vec![]));
}

#[test]
fn finish_is_the_same_operation_begun_again() {
    let world = interrupted();
    let (mut vault, _) = world.open();
    let again = [("b.md", Some("theirs"), Some("theirs and B2")), ("c.md", Some("C"), Some("C2"))];
    // A try that fails changes nothing about the question.
    vault.commit(change(1, &[("b.md", Some("stale"), Some("x"))])).unwrap_err();
    assert_eq!(vault.interrupted().len(), 1);
    vault.commit(change(1, &again)).unwrap();
    assert_eq!(vault.interrupted(), []);
    drop(vault);
    assert_eq!(world.files(), files(&[("a.md", "A2"), ("b.md", "theirs and B2"), ("c.md", "C2")]));
    assert_eq!(world.open().1, []);
}

#[test]
fn a_failed_try_to_finish_leaves_the_question_over_a_restart() {
    let world = interrupted();
    let disk = Arc::new(FaultDisk::new());
    let (mut vault, _) = world.try_open(disk.clone()).unwrap();
    let again = [("b.md", Some("theirs"), Some("B2")), ("c.md", Some("C"), Some("C2"))];
    let first = disk.n_calls();
    let swaps = |calls: Vec<crate::fault::Call>| calls.iter().filter(|call| call.name == "swap").count();
    let mut nth = first;
    // Find the call that is the second swap by trying; each try is taken back.
    let error = loop {
        disk.fail_at(nth, Fault::Failure);
        let before = swaps(disk.calls());
        let error = vault.commit(change(1, &again)).unwrap_err();
        if swaps(disk.calls()) >= before + 2 {
            break error;
        }
        nth = disk.n_calls() + (nth - first) + 1;
    };
    assert!(matches!(error, CommitError::Io { .. }), "{error}");
    assert_eq!(vault.interrupted().len(), 1);
    let entries = vault.entries().unwrap();
    assert!(entries.iter().any(|entry| matches!(entry, Entry::Undone { .. })));
    drop(vault);
    let (vault, settled) = world.open();
    assert_eq!(settled[0].outcome, SettledOutcome::Interrupted { files: vec![rel("b.md")] });
    assert_eq!(vault.interrupted()[0].steps.len(), 3);
}

#[test]
fn a_person_who_puts_things_right_is_not_asked_again() {
    for (text, outcome) in [("B", SettledOutcome::Done), ("B2", SettledOutcome::Done)] {
        let world = interrupted();
        let (mut vault, _) = world.open();
        world.put("b.md", text);
        assert_eq!(vault.settle(op(1)).unwrap().outcome, outcome);
        assert_eq!(vault.interrupted(), []);
        drop(vault);
        assert_eq!(world.files(), files(&[("a.md", "A2"), ("b.md", "B2"), ("c.md", "C2")]));
    }
    let world = interrupted();
    let (vault, _) = world.open();
    drop(vault);
    world.put("b.md", "B");
    world.put("a.md", "A");
    let (_vault, settled) = world.open();
    assert_eq!(settled[0].outcome, SettledOutcome::Undone);
    assert_eq!(world.files(), files(FILES));
}

#[test]
fn release_leaves_everything_as_it_is() {
    let world = interrupted();
    let (mut vault, _) = world.open();
    vault.release(op(1));
    vault.commit(change(2, &[("b.md", Some("theirs"), Some("x"))])).unwrap();
    drop(vault);
    let (vault, settled) = world.open();
    assert_eq!((settled, vault.interrupted()), (vec![], vec![]));
    drop(vault);
    assert_eq!(world.files(), files(&[("a.md", "A2"), ("b.md", "x"), ("c.md", "C")]));
}

#[test]
fn a_lost_state_folder_loses_no_note() {
    let world = World::new(FILES);
    let (mut vault, _) = world.open();
    vault.commit(change(1, STEPS)).unwrap();
    drop(vault);
    std::fs::remove_dir_all(world.state()).unwrap();
    let (mut vault, settled) = world.open();
    assert_eq!((settled, vault.entries().unwrap()), (vec![], vec![]));
    vault.commit(change(2, &[("a.md", Some("A2"), Some("A3"))])).unwrap();
}

#[test]
fn a_full_disk_at_the_start_asks_and_finishes_later() {
    let world = half_done();
    let disk = Arc::new(FaultDisk::new());
    for nth in 0..400 {
        disk.fail_at(nth, Fault::NoSpace);
        if nth == 0 {
            // Opening itself needs a readable vault.
            for early in 0..25 {
                disk.fail_at(early, Fault::NoSpace);
            }
        }
    }
    assert!(world.try_open(disk).is_err());
    let (_vault, settled) = world.open();
    assert_eq!(settled[0].outcome, SettledOutcome::Done);
}
