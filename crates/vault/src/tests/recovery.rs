//! What a person can do about an operation that was interrupted.

use serde_json::Value;

use super::*;
use crate::fault::{Fault, FaultDisk};
use crate::{CommitError, Entry, PutBack, SettledOutcome};

const FILES: &[(&str, &str)] = &[("a.md", "A"), ("b.md", "B"), ("c.md", "C")];
const STEPS: &[Asked<'static>] =
    &[("a.md", Some("A"), Some("A2")), ("b.md", Some("B"), Some("B2")), ("c.md", Some("C"), Some("C2"))];

/// Returns the number of a call by its name, counting such calls on vault files from 0.
fn nth_call(disk: &FaultDisk, name: &str, nth: usize) -> usize {
    let calls = disk.calls().into_iter().enumerate();
    let mut named = calls.filter(|(_, call)| call.name == name && call.path.to_string_lossy().contains("/vault/"));
    named.nth(nth).unwrap().0
}

/// Returns a vault whose process died at a call on one of its files.
fn died_at(name: &str, nth: usize) -> World {
    let counting = Arc::new(FaultDisk::new());
    let scratch = World::new(FILES);
    scratch.try_open(counting.clone()).unwrap().0.commit(change(1, STEPS)).unwrap();

    let world = World::new(FILES);
    let disk = Arc::new(FaultDisk::new());
    disk.fail_at(nth_call(&counting, name, nth), Fault::Die);
    let (mut vault, _) = world.try_open(disk).unwrap();
    vault.commit(change(1, STEPS)).unwrap_err();
    world
}

/// Returns a vault whose process died after it had swapped the first file.
fn half_done() -> World {
    let world = died_at("swap", 1);
    assert_eq!(world.get("a.md").as_deref(), Some("A2"));
    assert_eq!(world.get("b.md").as_deref(), Some("B"));
    world
}

/// The same, and then somebody wrote to the second file.
fn interrupted() -> World {
    let world = half_done();
    world.put("b.md", "theirs");
    world
}

#[test]
fn a_crash_while_a_crash_is_mended_is_mended_too_and_leaves_nothing_behind() {
    for nth in 0.. {
        let world = half_done();
        let disk = Arc::new(FaultDisk::new());
        disk.fail_at(nth, Fault::Die);
        drop(world.try_open(disk.clone()));
        if disk.calls().len() <= nth {
            assert!(nth > 50, "only {nth} calls were looked at");
            break;
        }
        // Twice: what the second start does may not hide from a third what the first one left.
        drop(world.open());
        drop(world.open());
        assert_eq!(world.files(), files(&[("a.md", "A2"), ("b.md", "B2"), ("c.md", "C2")]), "call {nth}");
    }
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

/// Damages a text where it is kept.
fn lose(world: &World, text: &str) {
    let hash = ContentHash::of(text.as_bytes());
    let mut n_lost = 0;
    for file in fs::read_dir(world.state().join("blobs/recent")).unwrap() {
        let path = file.unwrap().path();
        let mut bytes = fs::read(&path).unwrap();
        let heads = crate::recent::heads(&bytes);
        for (_, at, len) in heads.into_iter().filter(|(of, ..)| *of == hash) {
            bytes[at as usize + len - 1] ^= 1;
            n_lost += 1;
        }
        fs::write(path, bytes).unwrap();
    }
    assert_eq!(n_lost, 1);
}

#[test]
fn a_promise_counts_only_with_all_of_its_texts() {
    // Texts and promise are waited for together: when the power goes meanwhile, either may be there without the other.
    for text in ["A", "A2", "B", "B2", "C", "C2"] {
        let world = died_at("write_temp", 0);
        lose(&world, text);
        let (mut vault, settled) = world.open();
        assert_eq!(settled.len(), 1, "{text}");
        assert_eq!((settled[0].op, &settled[0].outcome), (op(1), &SettledOutcome::Undone), "{text}");
        assert_eq!((world.files(), vault.interrupted()), (files(FILES), vec![]), "{text}");
        vault.commit(change(2, STEPS)).unwrap();
        drop(vault);
        assert_eq!(world.open().1, [], "{text}");
    }
    assert_eq!(died_at("write_temp", 0).open().1[0].outcome, SettledOutcome::Done);
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
    let again = [("b.md", Some("theirs"), Some("B2")), ("c.md", Some("C"), Some("C2"))];
    let counting = Arc::new(FaultDisk::new());
    interrupted().try_open(counting.clone()).unwrap().0.commit(change(1, &again)).unwrap();

    let world = interrupted();
    let disk = Arc::new(FaultDisk::new());
    disk.fail_at(nth_call(&counting, "swap", 1), Fault::Failure);
    let (mut vault, _) = world.try_open(disk).unwrap();
    let error = vault.commit(change(1, &again)).unwrap_err();
    assert!(matches!(error, CommitError::Io { .. }), "{error}");
    assert_eq!(world.files(), files(&[("a.md", "A2"), ("b.md", "theirs"), ("c.md", "C")]));
    assert_eq!(vault.interrupted().len(), 1);
    assert!(vault.entries().unwrap().iter().any(|entry| matches!(entry, Entry::Undone { .. })));
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
fn what_a_full_disk_keeps_from_finishing_is_finished_later() {
    let counting = Arc::new(FaultDisk::new());
    half_done().try_open(counting.clone()).unwrap();
    for again_by_itself in [false, true] {
        let world = half_done();
        let disk = Arc::new(FaultDisk::new());
        disk.fail_at(nth_call(&counting, "write_temp", 1), Fault::ShortWrite);
        let (mut vault, settled) = world.try_open(disk).unwrap();
        let files = vec![rel("b.md"), rel("c.md")];
        assert_eq!(settled[0].outcome, SettledOutcome::Interrupted { files });
        assert_eq!(vault.tick(u64::MAX), []);
        let settled = if again_by_itself {
            drop(vault);
            world.open().1
        } else {
            vec![vault.settle(op(1)).unwrap()]
        };
        assert_eq!(settled[0].outcome, SettledOutcome::Done);
        assert_eq!(world.files(), super::files(&[("a.md", "A2"), ("b.md", "B2"), ("c.md", "C2")]));
    }
}
