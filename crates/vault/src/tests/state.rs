//! The state folder: strange things in it, no way to write to it, and somebody who removes it.

use std::fs;
use std::sync::Arc;

use serde_json::json;

use super::*;
use crate::fault::FaultDisk;
use crate::{CommitError, HealthNotice, JournalError};
#[cfg(unix)]
use crate::{Entry, OpenError};

/// Puts something in the way below the state folder; a name that ends in `/` is a folder with a file in it.
fn obstruct(world: &World, path: &str) {
    let at = world.state().join(path.trim_end_matches('/'));
    let _ = fs::remove_file(&at);
    let _ = fs::remove_dir_all(&at);
    if path.ends_with('/') {
        put(&at.join("stray.txt"), "stray");
    } else {
        put(&at, "stray");
    }
}

/// Whatever the folder of recent texts is, and whatever lies in it.
#[cfg(unix)]
#[test]
fn a_save_needs_no_recent_texts() {
    let recent = |world: &World| world.state().join("blobs/recent");
    let away = |world: &World| drop(fs::remove_dir_all(recent(world)));
    type Way<'a> = (&'a str, &'a dyn Fn(&World, &FaultDisk));
    let ways: [Way<'_>; 6] = [
        ("a link to nowhere", &|world, _| {
            away(world);
            std::os::unix::fs::symlink("nowhere", recent(world)).unwrap();
        }),
        ("a link to a file", &|world, _| {
            away(world);
            std::os::unix::fs::symlink(world.root().join("a.md"), recent(world)).unwrap();
        }),
        ("a link to a folder", &|world, _| {
            fs::rename(recent(world), world.dir.path().join("elsewhere")).unwrap();
            std::os::unix::fs::symlink(world.dir.path().join("elsewhere"), recent(world)).unwrap();
        }),
        ("write-protected", &|world, disk| disk.set_read_only(Some(&recent(world)))),
        ("its files are folders", &|world, _| {
            for file in fs::read_dir(recent(world)).unwrap() {
                let path = file.unwrap().path();
                fs::remove_file(&path).unwrap();
                fs::create_dir(path).unwrap();
            }
        }),
        ("a pipe lies in it", &|world, _| {
            let pipe = recent(world).join("0.texts");
            assert!(std::process::Command::new("mkfifo").arg(pipe).status().unwrap().success());
        }),
    ];
    for (about, way) in ways {
        for reopens in [false, true] {
            let world = World::new(&[("a.md", "0")]);
            let disk = Arc::new(FaultDisk::new());
            let (mut vault, _) = world.try_open(disk.clone()).unwrap();
            vault.commit(change(1, &[("a.md", Some("0"), Some("1"))])).unwrap();
            way(&world, &disk);
            if reopens {
                drop(vault);
                vault = world.try_open(disk).unwrap().0;
            }
            for n in 1..4 {
                let (before, after) = (n.to_string(), (n + 1).to_string());
                let asked = change(n + 1, &[("a.md", Some(&before), Some(&after))]);
                vault.commit(asked).unwrap_or_else(|error| panic!("{about}, {reopens}: {error}"));
                assert!(vault.reader().has_blob(&ContentHash::of(before.as_bytes())), "{about}, {reopens}");
            }
            drop(vault);
            let (vault, _) = world.open();
            assert_eq!(world.get("a.md").as_deref(), Some("4"));
            for n in 1..5 {
                let is_there = vault.reader().has_blob(&ContentHash::of(n.to_string().as_bytes()));
                assert!(is_there, "{about}, {reopens}: {n}");
            }
        }
    }
}

/// A pipe where the journal or a pack should be is waited for by nobody.
#[cfg(unix)]
#[test]
fn a_pipe_in_the_state_folder_is_not_waited_for() {
    for name in ["journal.jsonl", "blobs/packs/x.pack", "blobs/recent/x.texts", "lock"] {
        let world = World::new(&[("a.md", "A")]);
        drop(world.open());
        let at = world.state().join(name);
        fs::create_dir_all(at.parent().unwrap()).unwrap();
        let _ = fs::remove_file(&at);
        assert!(std::process::Command::new("mkfifo").arg(&at).status().unwrap().success());
        let (mut vault, _) = world.open();
        vault.commit(change(1, &[("a.md", Some("A"), Some("A2"))])).unwrap();
    }
}

#[test]
fn nothing_that_lies_in_the_state_folder_keeps_a_person_from_writing() {
    // One that goes to the recent texts, and one that has a file of its own.
    let long = "A2".repeat(40_000);
    let hash = ContentHash::of(long.as_bytes()).to_string();
    let shelf = format!("blobs/{}", &hash[..2]);
    let in_the_way = [
        "journal.jsonl/".to_owned(),
        "journal.jsonl".to_owned(),
        "journal.jsonl.new/".to_owned(),
        "journal.damaged/".to_owned(),
        "lock/".to_owned(),
        "blobs".to_owned(),
        shelf.clone(),
        format!("{shelf}/{hash}/"),
        format!("{shelf}/.{hash}.tmp/"),
        format!("{shelf}/.{hash}.tmp"),
        "blobs/zz/".to_owned(),
        "blobs/recent".to_owned(),
        "blobs/recent/".to_owned(),
        "somebody's notes/".to_owned(),
        "index".to_owned(),
    ];
    for (obstacle, after) in in_the_way.iter().flat_map(|obstacle| [(obstacle, "A2"), (obstacle, &*long)]) {
        for while_open in [false, true] {
            // What is held open cannot be taken away from under us before the next check.
            if while_open && !obstacle.starts_with("blobs") {
                continue;
            }
            let world = World::new(&[("a.md", "A")]);
            let about = format!("{obstacle}, while open: {while_open}");
            let before = (!while_open).then(|| {
                drop(world.open());
                obstruct(&world, obstacle);
            });
            let (mut vault, _) = world.open();
            if before.is_none() {
                obstruct(&world, obstacle);
            }
            vault
                .commit(change(1, &[("a.md", Some("A"), Some(after))]))
                .unwrap_or_else(|error| panic!("{about}: {error}"));
            vault.record(op(2), json!("noted")).unwrap();
            assert_eq!(vault.closed(), None, "{about}");
            let kept = vault.reader().blob(&ContentHash::of(b"A")).unwrap();
            assert_eq!(kept.as_deref(), Some(&b"A"[..]), "{about}");
            drop(vault);
            let (vault, settled) = world.open();
            assert_eq!(settled, [], "{about}");
            assert_eq!(vault.entries().unwrap().len(), 3, "{about}");
            assert!(vault.reader().has_blob(&ContentHash::of(after.as_bytes())), "{about}");
            drop(vault);
            assert_eq!(world.files(), files(&[("a.md", after)]), "{about}");
            let strays = strays(&world.state());
            assert!(
                strays >= 1 || obstacle.ends_with(".tmp") || obstacle == "journal.jsonl",
                "{about}: what was there is gone"
            );
        }
    }
}

/// Counts what was put there and is still somewhere below.
fn strays(dir: &Path) -> usize {
    let mut n = 0;
    for entry in fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        n += if path.is_dir() { strays(&path) } else { usize::from(fs::read(&path).unwrap() == b"stray") };
    }
    n
}

#[test]
fn a_journal_that_cannot_be_read_is_set_aside_and_told() {
    let world = World::new(&[("a.md", "A")]);
    drop(world.open());
    obstruct(&world, "journal.jsonl/");
    let (vault, _) = world.open();
    assert_eq!(vault.health(), [HealthNotice::JournalSetAside { name: "journal.jsonl.aside".to_owned() }]);
    drop(vault);
    assert_eq!(world.open().0.health(), [], "it is told once");
}

#[cfg(unix)]
#[test]
fn a_write_protected_journal_is_replaced_by_one_of_the_same_lines() {
    use std::os::unix::fs::PermissionsExt;
    let world = World::new(&[("a.md", "A")]);
    let (mut vault, _) = world.open();
    vault.record(op(1), json!("one")).unwrap();
    drop(vault);
    let journal = world.state().join("journal.jsonl");
    fs::set_permissions(&journal, fs::Permissions::from_mode(0o444)).unwrap();
    let (mut vault, _) = world.open();
    vault.record(op(2), json!("two")).unwrap();
    assert_eq!(vault.entries().unwrap().len(), 2);
    assert_eq!(fs::metadata(&journal).unwrap().permissions().mode() & 0o777, 0o600);
}

#[test]
fn a_state_folder_that_cannot_be_written_leaves_the_notes_to_read() {
    for has_state in [false, true] {
        let world = World::new(&[("a.md", "A")]);
        if has_state {
            let (mut vault, _) = world.open();
            vault.commit(change(1, &[("a.md", Some("A"), Some("A2"))])).unwrap();
        }
        let text = world.get("a.md").unwrap();
        let disk = Arc::new(FaultDisk::new());
        disk.set_read_only(Some(&world.dir.path().join("state")));
        let (mut vault, settled) = world.try_open(disk.clone()).unwrap();
        assert_eq!(settled, []);
        let reason = vault.closed().unwrap();
        assert!(reason.contains("cannot be used") && reason.contains("make it writable"), "{reason}");
        assert_eq!(vault.health(), [HealthNotice::Closed { reason: reason.clone() }]);
        let reader = vault.reader();
        assert_eq!(reader.read(&rel("a.md")).unwrap().bytes, text.as_bytes());
        assert!(!reader.read(&rel("a.md")).unwrap().writable);
        assert_eq!(reader.is_read_only(), Some(reason.clone()));
        // What the history says can be read too.
        assert_eq!(vault.entries().unwrap_or_default().len(), if has_state { 2 } else { 0 });
        assert_eq!(reader.has_blob(&ContentHash::of(b"A")), has_state);

        let error = vault.commit(change(2, &[("a.md", Some(&text), Some("B"))])).unwrap_err();
        assert!(matches!(&error, CommitError::ReadOnly { .. }), "{error}");
        assert_eq!(error.to_string(), format!("cannot write `a.md`: {reason}"));
        assert!(matches!(vault.make_folder(&rel("new")), Err(CommitError::ReadOnly { .. })));
        assert!(matches!(vault.record(op(3), json!(1)), Err(JournalError::Closed { .. })));
        assert!(matches!(vault.keep(b"x"), Err(JournalError::Closed { .. })));
        assert_eq!(vault.tick(u64::MAX), []);
        drop(vault);
        assert_eq!(world.files(), files(&[("a.md", &text)]));
        disk.set_read_only(None);
        let (mut vault, _) = world.try_open(disk).unwrap();
        assert_eq!(vault.health(), []);
        vault.commit(change(2, &[("a.md", Some(&text), Some("B"))])).unwrap();
    }
}

#[test]
fn a_history_that_turns_read_only_refuses_and_says_what_to_do() {
    let world = World::new(&[("a.md", "A")]);
    let disk = Arc::new(FaultDisk::new());
    let (mut vault, _) = world.try_open(disk.clone()).unwrap();
    disk.set_read_only(Some(&world.dir.path().join("state")));
    let error = vault.commit(change(1, &[("a.md", Some("A"), Some("B"))])).unwrap_err();
    assert!(error.to_string().contains("make it writable"), "{error}");
    assert_eq!(world.files(), files(&[("a.md", "A")]));
    disk.set_read_only(None);
    vault.commit(change(1, &[("a.md", Some("A"), Some("B"))])).unwrap();
}

#[cfg(unix)]
#[test]
fn whoever_removes_the_state_folder_does_not_make_a_second_owner() {
    let world = World::new(&[("a.md", "A")]);
    let (mut vault, _) = world.open();
    vault.record(op(1), json!("a proposal")).unwrap();
    vault.commit(change(2, &[("a.md", Some("A"), Some("A2"))])).unwrap();
    fs::remove_dir_all(world.state()).unwrap();
    for _ in 0..2 {
        match world.try_open(Arc::new(RealDisk)) {
            Err(OpenError::Locked { .. }) => {}
            other => panic!("{other:?}"),
        }
    }
    // The owner goes on, with everything that its journal said.
    vault.commit(change(3, &[("a.md", Some("A2"), Some("A3"))])).unwrap();
    assert_eq!(vault.health(), [HealthNotice::StateRemade]);
    match world.try_open(Arc::new(RealDisk)) {
        Err(OpenError::Locked { pid }) => assert_eq!(pid, Some(std::process::id())),
        other => panic!("{other:?}"),
    }
    let ops = |vault: &Vault| vault.entries().unwrap().iter().map(Entry::op).collect::<Vec<OpId>>();
    assert_eq!(ops(&vault), [op(1), op(2), op(2), op(3), op(3)]);
    drop(vault);
    let (vault, settled) = world.open();
    assert_eq!((settled, vault.health()), (vec![], vec![]));
    assert_eq!(ops(&vault), [op(1), op(2), op(2), op(3), op(3)]);
    assert!(vault.reader().has_blob(&ContentHash::of(b"A2")));
}

#[cfg(unix)]
#[test]
fn parts_of_the_state_folder_may_go_while_a_vault_is_open() {
    for part in ["journal.jsonl", "blobs", "lock"] {
        let world = World::new(&[("a.md", "A")]);
        let (mut vault, _) = world.open();
        vault.record(op(1), json!("a proposal")).unwrap();
        let path = world.state().join(part);
        if path.is_dir() {
            fs::remove_dir_all(path).unwrap()
        } else {
            fs::remove_file(path).unwrap()
        }
        vault.commit(change(2, &[("a.md", Some("A"), Some("A2"))])).unwrap();
        assert_eq!(vault.entries().unwrap().len(), 3, "{part}");
        drop(vault);
        assert_eq!(world.open().0.entries().unwrap().len(), 3, "{part}");
    }
    // A journal that somebody puts back from a copy is kept beside the one that goes on.
    let world = World::new(&[("a.md", "A")]);
    let (mut vault, _) = world.open();
    let journal = world.state().join("journal.jsonl");
    let copy = fs::read(&journal).unwrap();
    vault.record(op(1), json!("one")).unwrap();
    fs::remove_file(&journal).unwrap();
    fs::write(&journal, [copy, b"other".to_vec()].concat()).unwrap();
    vault.record(op(2), json!("two")).unwrap();
    assert_eq!(vault.entries().unwrap().len(), 2);
    assert_eq!(fs::read(world.state().join("journal.jsonl.aside")).unwrap(), b"other");
}

/// Where folders cannot be locked, the file that is on the disk says who the owner is.
#[cfg(unix)]
#[test]
fn without_a_lock_on_the_folder_the_older_owner_stops() {
    let world = World::new(&[("a.md", "A")]);
    let open = || world.try_open(Arc::new(FaultDisk::new().without_folder_lock())).unwrap().0;
    let mut first = open();
    fs::remove_dir_all(world.state()).unwrap();
    let mut second = open();
    second.commit(change(1, &[("a.md", Some("A"), Some("A2"))])).unwrap();
    let error = first.commit(change(2, &[("a.md", Some("A2"), Some("A3"))])).unwrap_err();
    assert_eq!(
        error.to_string(),
        "cannot write `a.md`: another process has taken the vault over; close this window and open the vault again"
    );
    assert!(first.closed().is_some() && first.reader().is_read_only().is_some());
    assert_eq!(first.reader().read(&rel("a.md")).unwrap().bytes, b"A2");
    drop(first);
    second.commit(change(3, &[("a.md", Some("A2"), Some("A3"))])).unwrap();
    // Nobody took it over: the owner goes on.
    fs::remove_dir_all(world.state()).unwrap();
    second.commit(change(4, &[("a.md", Some("A3"), Some("A4"))])).unwrap();
    assert_eq!(world.files(), files(&[("a.md", "A4")]));
}
