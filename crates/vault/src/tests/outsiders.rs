//! Another program that writes in the middle of a commit: what it wrote is in its file or in a blob, whatever happens.

use std::fs::{self, File, OpenOptions};
use std::io::{Seek, Write};
use std::sync::{Arc, Mutex};

use proptest::prelude::*;

use super::*;
use crate::fault::{Fault, FaultDisk};
use crate::{CommitError, Entry, Kept, SettledOutcome};

const FILES: &[(&str, &str)] = &[("a.md", "A\n"), ("b.md", "B\n"), ("c.md", "C\n"), ("d.md", "D\n")];

const STEPS: &[Asked<'static>] = &[
    ("a.md", Some("A\n"), Some("A2\n")),
    ("b.md", Some("B\n"), None),
    ("c.md", Some("C\n"), None),
    ("x/c.md", None, Some("C\n")),
    ("new.md", None, Some("N\n")),
    ("d.md", Some("D\n"), Some("D2\n")),
];

const THEIRS: &str = "what somebody else wrote\n";

/// How another program writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Outsider {
    /// Opens the path and overwrites it.
    InPlace,
    /// Writes a new file and renames it over the path.
    Renames,
    /// Overwrites through a handle that it opened before the commit.
    HeldOpen,
    /// Removes the file.
    Removes,
}

const OUTSIDERS: [Outsider; 4] = [Outsider::InPlace, Outsider::Renames, Outsider::HeldOpen, Outsider::Removes];

fn overwrite(mut file: &File, text: &str) {
    file.rewind().unwrap();
    file.set_len(0).unwrap();
    file.write_all(text.as_bytes()).unwrap();
}

/// Returns what the other program will do, with its handle open from now on.
fn outsider(world: &World, how: Outsider, path: &str, text: &str) -> Option<impl FnOnce() + Send + use<>> {
    let file = world.path(path);
    let text = text.to_owned();
    let held = match how {
        Outsider::HeldOpen => Some(OpenOptions::new().write(true).open(&file).ok()?),
        _ => None,
    };
    Some(move || match how {
        // A folder that is not there yet keeps a program from writing into it.
        Outsider::InPlace => drop(fs::write(&file, text)),
        Outsider::Renames => {
            let theirs = file.with_file_name(".theirs.swp");
            if fs::write(&theirs, text).is_ok() {
                fs::rename(theirs, file).unwrap();
            }
        }
        Outsider::HeldOpen => overwrite(&held.unwrap(), &text),
        Outsider::Removes => drop(fs::remove_file(file)),
    })
}

/// Whether a text is in some file of the vault or in a blob.
fn survives(world: &World, vault: &Vault, text: &str) -> bool {
    let hash = ContentHash::of(text.as_bytes());
    let is_blob = vault.reader().blob(&hash).unwrap().is_some();
    is_blob || world.files().values().any(|now| now == text)
}

fn count() -> usize {
    let world = World::new(FILES);
    let disk = Arc::new(FaultDisk::new());
    let (mut vault, _) = world.try_open(disk.clone()).unwrap();
    vault.commit(change(1, STEPS)).unwrap();
    disk.n_calls()
}

/// One outsider at one call, and no other mishap.
fn check(how: Outsider, path: &str, nth: usize, new_disk: fn() -> FaultDisk) {
    let about = format!("{how:?} {path} before call {nth}");
    let world = World::new(FILES);
    let disk = Arc::new(new_disk());
    let (mut vault, _) = world.try_open(disk.clone()).unwrap();
    let Some(outsider) = outsider(&world, how, path, THEIRS) else {
        return;
    };
    let wrote = Arc::new(Mutex::new(false));
    let told = wrote.clone();
    let there = world.path(path);
    disk.before(nth, move || {
        outsider();
        *told.lock().unwrap() = how == Outsider::HeldOpen || there.exists();
    });
    let outcome = vault.commit(change(1, STEPS));
    let about = format!("{about} ({:?}): {outcome:?}", disk.calls().get(nth));
    let late = vault.tick(u64::MAX);
    let wrote = *wrote.lock().unwrap() && how != Outsider::Removes;
    if wrote {
        assert!(survives(&world, &vault, THEIRS), "{about}: {:#?}", world.files());
    }
    for (_, text) in FILES {
        if wrote || how != Outsider::Removes {
            continue;
        }
        // What the other program removed is its own affair, unless we took it to be there.
        if outcome.is_ok() {
            assert!(survives(&world, &vault, text), "{about}: {text}");
        }
    }
    for kept in &late {
        assert_eq!(kept.hash, ContentHash::of(THEIRS.as_bytes()), "{about}");
        assert_eq!(kept.op, op(1), "{about}");
    }

    // Apart from the file that they touched, it is all or none, or a person is asked.
    let touched: Vec<&str> = match path {
        // These two are one move.
        "c.md" | "x/c.md" => vec!["c.md", "x/c.md"],
        path => vec![path],
    };
    if wrote && how != Outsider::HeldOpen {
        // What is written to the new place of a move goes back with it.
        let places = if path == "x/c.md" { &touched[..] } else { &[path] };
        let there = places.iter().any(|path| world.get(path).as_deref() == Some(THEIRS));
        assert!(there, "{about}: who names the file finds the text in it");
    }
    let rest = |after: bool| {
        let wanted = STEPS.iter().filter(|(path, ..)| !touched.contains(path));
        wanted
            .map(|(path, before, then)| ((*path).to_owned(), if after { *then } else { *before }))
            .all(|(path, text)| world.get(&path).as_deref() == text)
    };
    match &outcome {
        Ok(_) => assert!(rest(true), "{about}: {:#?}", world.files()),
        Err(CommitError::Stale { .. } | CommitError::ReadOnly { .. } | CommitError::Io { .. }) => {
            assert!(rest(false), "{about}: {:#?}", world.files());
            assert_eq!(vault.interrupted(), [], "{about}");
        }
        Err(CommitError::Interrupted { files, .. }) => {
            assert!(rest(false), "{about}: {:#?}", world.files());
            assert!(touched.contains(&files[0].as_str()), "{about}");
        }
        Err(_) => panic!("{about}"),
    }

    let interrupted = vault.interrupted();
    drop(vault);
    let litter: Vec<String> = world.files().into_keys().filter(|path| path.contains(".tmp")).collect();
    assert_eq!(litter, Vec::<String>::new(), "{about}");
    let (vault, settled) = world.open();
    // Removing a file can make the hashes exact again: then it is finished.
    let is_exact = how == Outsider::Removes && settled.iter().all(|settled| settled.outcome == SettledOutcome::Done);
    assert!(is_exact || vault.interrupted() == interrupted, "{about}");
    if wrote {
        assert!(survives(&world, &vault, THEIRS), "{about}: after a restart");
    }
}

#[test]
fn nobodys_text_is_lost_at_any_call() {
    let n_calls = count();
    println!("{n_calls} calls");
    for how in OUTSIDERS {
        for (path, ..) in STEPS {
            for nth in 0..n_calls {
                check(how, path, nth, FaultDisk::new);
            }
        }
    }
}

#[test]
fn who_writes_twice_finds_the_second_text() {
    let steps = &STEPS[..1];
    let counting = Arc::new(FaultDisk::new());
    World::new(FILES).try_open(counting.clone()).unwrap().0.commit(change(1, steps)).unwrap();
    let swap = counting.calls().iter().position(|call| call.name == "swap").unwrap();

    let world = World::new(FILES);
    let disk = Arc::new(FaultDisk::new());
    let file = world.path("a.md");
    let again = file.clone();
    disk.before(swap, move || fs::write(file, "first").unwrap());
    disk.before(swap + 1, move || fs::write(again, "second").unwrap());
    let (mut vault, _) = world.try_open(disk).unwrap();
    let error = vault.commit(change(1, steps)).unwrap_err();
    assert!(matches!(error, CommitError::Stale { found, .. } if found == is("first")), "{error}");
    assert_eq!(world.get("a.md").as_deref(), Some("second"));
    assert_eq!(vault.tick(0)[0].hash, ContentHash::of(b"first"));
    assert_eq!(world.files().len(), FILES.len());
    assert_eq!(vault.interrupted(), []);
}

/// A program reads our text in the instant in which it stands in the file, and writes over what we put back.
#[test]
fn what_was_displaced_and_put_back_is_kept() {
    let counting = Arc::new(FaultDisk::new());
    World::new(FILES).try_open(counting.clone()).unwrap().0.commit(change(1, STEPS)).unwrap();
    let swaps: Vec<usize> = (0..counting.n_calls()).filter(|nth| counting.calls()[*nth].name == "swap").collect();
    // Either it was written before we swapped, or it is the file that we displaced, written before we take it back.
    for (at, other) in [(swaps[0], None), (swaps[0] + 1, Some((swaps[1], "d.md")))] {
        for nth in at + 1..=counting.n_calls() + 40 {
            let world = World::new(FILES);
            let disk = Arc::new(FaultDisk::new());
            let (mut vault, _) = world.try_open(disk.clone()).unwrap();
            let file = world.path("a.md");
            let held = OpenOptions::new().write(true).open(&file).unwrap();
            disk.before(at, move || overwrite(&held, THEIRS));
            if let Some((spoilt, path)) = other {
                let file = world.path(path);
                disk.before(spoilt, move || fs::write(file, "spoilt").unwrap());
            }
            let over = Arc::new(Mutex::new(None));
            let told = over.clone();
            let write = move || {
                *told.lock().unwrap() = fs::read_to_string(&file).ok();
                let theirs = file.with_file_name(".theirs.swp");
                fs::write(&theirs, "from what was read before").unwrap();
                fs::rename(theirs, file).unwrap();
            };
            if Some(nth) != other.map(|(spoilt, _)| spoilt) {
                disk.before(nth, write);
            }
            let outcome = vault.commit(change(1, STEPS));
            let wrote = over.lock().unwrap().clone();
            let about = format!("overwritten {wrote:?} before call {nth} ({:?}): {outcome:?}", disk.calls().get(nth));
            assert!(outcome.is_err(), "{about}");
            vault.tick(u64::MAX);
            assert!(survives(&world, &vault, THEIRS), "{about}: {:#?}", world.files());
        }
    }
}

/// A program writes into our text while that stands in the file, reads the other one in the instant in which that is put
/// back, and writes over what stands there in the end.
#[test]
fn what_was_written_into_our_text_and_went_back_is_kept() {
    const SECOND: &str = "written into ours\n";
    let spoilt = |disk: &FaultDisk, world: &World, at: usize| {
        let held = OpenOptions::new().write(true).open(world.path("a.md")).unwrap();
        disk.before(at, move || overwrite(&held, THEIRS));
    };
    let swaps = |disk: &FaultDisk| -> Vec<usize> {
        (0..disk.n_calls()).filter(|nth| disk.calls()[*nth].name == "swap").collect()
    };
    let counting = Arc::new(FaultDisk::new());
    World::new(FILES).try_open(counting.clone()).unwrap().0.commit(change(1, STEPS)).unwrap();
    let first = swaps(&counting)[0];
    let (world, counting) = (World::new(FILES), Arc::new(FaultDisk::new()));
    let (mut vault, _) = world.try_open(counting.clone()).unwrap();
    spoilt(&counting, &world, first);
    vault.commit(change(1, STEPS)).unwrap_err();
    vault.tick(u64::MAX);
    let back = swaps(&counting)[1];

    for written in first + 1..=back {
        for nth in back + 1..=counting.n_calls() + 20 {
            let (world, disk) = (World::new(FILES), Arc::new(FaultDisk::new()));
            let (mut vault, _) = world.try_open(disk.clone()).unwrap();
            let file = world.path("a.md");
            spoilt(&disk, &world, first);
            let ours = file.clone();
            disk.before(written, move || fs::write(ours, SECOND).unwrap());
            disk.before(nth, move || {
                let theirs = file.with_file_name(".theirs.swp");
                fs::write(&theirs, "from what was read before").unwrap();
                fs::rename(theirs, file).unwrap();
            });
            let outcome = vault.commit(change(1, STEPS));
            let about =
                format!("written before call {written}, overwritten before {nth} ({:?})", disk.calls().get(nth));
            assert!(outcome.is_err(), "{about}");
            vault.tick(u64::MAX);
            for text in [THEIRS, SECOND] {
                assert!(survives(&world, &vault, text), "{about}: {text:?} is nowhere: {:#?}", world.files());
            }
        }
    }
}

/// A program opens a file at some call of a commit that is taken back, and writes to what it opened when all is over.
#[test]
fn who_opened_what_was_taken_back_may_still_write() {
    let last = "d.md";
    let counting = Arc::new(FaultDisk::new());
    World::new(FILES).try_open(counting.clone()).unwrap().0.commit(change(1, STEPS)).unwrap();
    let spoilt = counting.calls().iter().rposition(|call| call.name == "swap").unwrap();
    let mut n_late = 0;
    for (path, ..) in STEPS {
        for nth in 0..counting.n_calls() {
            let world = World::new(FILES);
            let disk = Arc::new(FaultDisk::new());
            let (mut vault, _) = world.try_open(disk.clone()).unwrap();
            let opened = Arc::new(Mutex::new(None));
            let (file, hand) = (world.path(path), opened.clone());
            let open = move || *hand.lock().unwrap() = OpenOptions::new().read(true).append(true).open(file).ok();
            let spoil = {
                let file = world.path(last);
                move || fs::write(file, "spoilt").unwrap()
            };
            if nth == spoilt {
                disk.before(nth, move || (open(), spoil()).1);
            } else {
                disk.before(nth, open);
                disk.before(spoilt, spoil);
            }
            let error = vault.commit(change(1, STEPS)).unwrap_err();
            assert!(matches!(&error, CommitError::Stale { path, .. } if path.as_str() == last), "{error}");
            let Some(mut file) = opened.lock().unwrap().take() else { continue };
            file.write_all(THEIRS.as_bytes()).unwrap();
            file.rewind().unwrap();
            let text = std::io::read_to_string(file).unwrap();
            n_late += vault.tick(u64::MAX).len();
            let call = &disk.calls()[nth];
            assert!(survives(&world, &vault, &text), "{path} opened before call {nth} ({call:?}): lost {text:?}");
        }
    }
    assert!(n_late > 0, "some of what was opened was ours, and is nowhere but in the history");
}

#[test]
fn without_an_exchange_only_the_last_instant_is_open() {
    let no_swap: fn() -> FaultDisk = || FaultDisk::new().without_swap();
    let world = World::new(FILES);
    let disk = Arc::new(no_swap());
    let (mut vault, _) = world.try_open(disk.clone()).unwrap();
    vault.commit(change(1, STEPS)).unwrap();
    drop(vault);
    for (nth, call) in disk.calls().iter().enumerate() {
        let is_open = call.name == "rename" && !call.path.to_string_lossy().contains("blobs");
        if !is_open {
            check(Outsider::InPlace, "a.md", nth, no_swap);
        }
    }
}

#[test]
fn a_late_write_to_the_old_file_is_kept_and_told() {
    check_late_write(FaultDisk::new());
    check_late_write(FaultDisk::new().without_hold());
}

fn check_late_write(disk: FaultDisk) {
    let world = World::new(FILES);
    let disk = Arc::new(disk);
    let held = OpenOptions::new().write(true).open(world.path("a.md")).unwrap();
    let (mut vault, _) = world.try_open(disk.clone()).unwrap();
    disk.set_now_ms(5_000);
    vault.commit(change(1, &STEPS[..1])).unwrap();
    overwrite(&held, THEIRS);
    assert_eq!(vault.tick(5_000), [], "it is not time yet");
    let kept = Kept { op: op(1), path: rel("a.md"), hash: ContentHash::of(THEIRS.as_bytes()) };
    assert_eq!(vault.tick(7_000), [kept]);
    // Who writes may not be finished.
    overwrite(&held, "more");
    assert_eq!(vault.tick(8_000), []);
    assert_eq!(vault.tick(9_000)[0].hash, ContentHash::of(b"more"));
    assert_eq!(vault.tick(11_000), []);
    assert_eq!(world.files().len(), FILES.len());
    assert_eq!(world.get("a.md").as_deref(), Some("A2\n"));
    assert_eq!(vault.tick(u64::MAX), []);
    assert_eq!(world.files().len(), FILES.len());
    let last = vault.entries().unwrap().pop();
    assert!(matches!(last, Some(Entry::Kept { kept: told, .. }) if told.hash == ContentHash::of(b"more")));
}

#[test]
fn a_late_write_is_found_when_the_vault_is_closed_or_opened_after_a_crash() {
    for dies in [false, true] {
        let world = World::new(FILES);
        let held = OpenOptions::new().write(true).open(world.path("a.md")).unwrap();
        // A file without a name is gone with its process, so this is about systems that keep the name.
        let disk = Arc::new(if dies { FaultDisk::new().without_hold() } else { FaultDisk::new() });
        let (mut vault, _) = world.try_open(disk.clone()).unwrap();
        vault.commit(change(1, &STEPS[..1])).unwrap();
        overwrite(&held, THEIRS);
        if dies {
            disk.fail_at(disk.n_calls(), Fault::Die);
        }
        drop(vault);
        let (mut vault, settled) = world.open();
        assert_eq!(settled.len(), 0);
        assert!(survives(&world, &vault, THEIRS));
        assert_eq!(world.files().len(), FILES.len());
        assert_eq!(vault.tick(0).len(), usize::from(dies), "who opens it is told");
        assert!(vault.entries().unwrap().iter().any(|entry| matches!(entry, Entry::Kept { .. })));
    }
}

#[test]
fn files_that_are_not_ours_are_not_swept() {
    let world = World::new(FILES);
    let disk = Arc::new(FaultDisk::new().without_hold());
    let (mut vault, _) = world.try_open(disk.clone()).unwrap();
    vault.commit(change(1, STEPS)).unwrap();
    disk.fail_at(disk.n_calls(), Fault::Die);
    drop(vault);
    assert_eq!(world.files().len(), 4 + 3, "the files that were displaced wait under their names");
    let theirs = [
        ".a.md.tmp".to_owned(),
        ".a.md.swp".to_owned(),
        format!(".a.md.{}.tmp", op(99)),
        format!(".z.md.{}.tmp", op(1)),
    ];
    for name in &theirs {
        world.put(name, "not ours");
    }
    let (vault, _) = world.open();
    drop(vault);
    for name in &theirs {
        assert_eq!(world.get(name).as_deref(), Some("not ours"), "{name}");
    }
    assert_eq!(world.files().len(), 4 + theirs.len());
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, failure_persistence: None, ..ProptestConfig::default() })]

    /// Two outsiders, a fault and a death at any calls.
    #[test]
    fn no_text_is_lost_when_everything_goes_wrong(
        writes in prop::collection::vec((0..160_usize, 0..2_usize, 0..STEPS.len()), 1..3),
        fault in (0..160_usize, prop::sample::select(vec![Fault::NoSpace, Fault::Failure, Fault::ShortWrite])),
        death in prop::option::of(20..200_usize),
    ) {
        let world = World::new(FILES);
        let disk = Arc::new(FaultDisk::new());
        let written = Arc::new(Mutex::new(Vec::new()));
        for (n, (nth, how, step)) in writes.iter().enumerate() {
            let text = format!("{THEIRS}{n}");
            let path = STEPS[*step].0;
            let Some(outsider) = outsider(&world, OUTSIDERS[*how], path, &text) else { continue };
            let (there, written) = (world.path(path), written.clone());
            disk.before(*nth, move || {
                // A program that overwrites the other one's text has had it in its hands.
                let over = fs::read_to_string(&there).unwrap_or_default();
                outsider();
                let mut written = written.lock().unwrap();
                written.retain(|text| *text != over);
                if there.exists() {
                    written.push(text);
                }
            });
        }
        disk.fail_at(fault.0, fault.1);
        if let Some(nth) = death {
            disk.fail_at(nth, Fault::Die);
        }
        let mut interrupted = false;
        if let Ok((mut vault, _)) = world.try_open(disk) {
            interrupted = matches!(vault.commit(change(1, STEPS)), Err(CommitError::Interrupted { .. }));
            vault.tick(u64::MAX);
        }
        let (vault, settled) = world.open();
        interrupted |= settled.iter().any(|settled| matches!(settled.outcome, SettledOutcome::Interrupted { .. }));
        for text in written.lock().unwrap().iter() {
            prop_assert!(survives(&world, &vault, text), "lost {text:?}: {:#?}", world.files());
        }
        let at = |after: bool| STEPS.iter().all(|(path, before, then)| {
            world.get(path).as_deref() == if after { *then } else { *before }
        });
        let is_theirs = world.files().values().any(|text| text.starts_with(THEIRS));
        prop_assert!(at(true) || at(false) || interrupted || is_theirs, "{:#?}", world.files());
        drop(vault);
        prop_assert!(world.files().keys().all(|path| !path.contains(".tmp")), "{:#?}", world.files());
    }
}
