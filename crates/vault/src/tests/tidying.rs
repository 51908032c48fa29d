//! Housekeeping on a disk: what is listed can be read, whatever fails or dies on the way.

use std::collections::BTreeSet;
use std::fs;
use std::sync::Arc;

use proptest::prelude::*;
use serde_json::json;

use super::retaining::{Words, assert_chains, listed};
use super::*;
use crate::fault::{Call, Fault, FaultDisk};
use crate::{Entry, Meaning, Retention, Sense, Tidied};

pub(super) const DAY: u64 = 24 * 60 * 60 * 1000;
pub(super) const START: u64 = 1_700_000_000_000;
/// Files that are made today are old by then.
pub(super) const MUCH_LATER: u64 = START + 10_000 * DAY;

/// Words, and hashes that are current.
pub(super) struct Knows(pub(super) Vec<ContentHash>);

impl Meaning for Knows {
    fn sense(&self, entry: &Entry) -> Sense {
        Words.sense(entry)
    }

    fn current(&self) -> Vec<ContentHash> {
        self.0.clone()
    }
}

pub(super) fn tidy(vault: &mut Vault, rule: &Retention) -> Vec<Tidied> {
    let mut done = Vec::new();
    loop {
        let tidied = vault.tidy(MUCH_LATER, rule, &Knows(Vec::new()));
        if tidied == Tidied::Nothing {
            return done;
        }
        done.push(tidied);
    }
}

fn typed(n: u64, steps: &[Asked<'_>]) -> Change {
    Change { label: json!({"kind": "typed"}), ..change(n, steps) }
}

/// Returns the names of the texts that are in no pack.
pub(super) fn blobs(world: &World) -> BTreeSet<String> {
    let mut names = singles(world);
    let Ok(recent) = fs::read_dir(world.state().join("blobs/recent")) else { return names };
    for file in recent {
        let bytes = fs::read(file.unwrap().path()).unwrap();
        names.extend(crate::recent::heads(&bytes).into_iter().map(|(hash, ..)| hash.to_string()));
    }
    names
}

/// Returns the names of the texts that have files of their own.
pub(super) fn singles(world: &World) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for shelf in fs::read_dir(world.state().join("blobs")).unwrap() {
        for blob in fs::read_dir(shelf.unwrap().path()).unwrap() {
            names.insert(blob.unwrap().file_name().into_string().unwrap());
        }
    }
    names.retain(|name| name.parse::<ContentHash>().is_ok());
    names
}

/// Checks that every text that the journal names can be read and is what its name says, and that lists are chains.
pub(super) fn assert_whole(vault: &Vault, about: &str) -> Vec<Entry> {
    let entries = vault.entries().unwrap();
    assert_chains(&listed(&entries));
    let reader = vault.reader();
    for hash in entries.iter().flat_map(Entry::hashes).filter(|hash| !is_never_stored(hash)) {
        let text = reader.blob(&hash).unwrap();
        assert_eq!(text.map(|text| ContentHash::of(&text)), Some(hash), "{about}: a text is lost");
    }
    entries
}

/// What a proposal wants is not a text of the store.
fn is_never_stored(hash: &ContentHash) -> bool {
    *hash == ContentHash::of(b"a digest")
}

/// A vault with two years behind it: typing, a rename over two notes, a deletion, an open proposal, an interruption.
fn lived() -> World {
    let world = World::new(&[("a.md", "0"), ("b.md", "B"), ("c.md", "C"), ("i.md", "I")]);
    let disk = Arc::new(FaultDisk::new());
    let (mut vault, _) = world.try_open(disk.clone()).unwrap();
    let mut at_ms = START;
    disk.set_now_ms(at_ms);
    for n in 0..60_u64 {
        at_ms += if n % 6 == 5 { 20 * DAY } else { 50_000 };
        disk.set_now_ms(at_ms);
        let (before, after) = (n.to_string(), (n + 1).to_string());
        vault.commit(typed(n, &[("a.md", Some(&before), Some(&after))])).unwrap();
    }
    vault.commit(change(100, &[("b.md", Some("B"), Some("B2")), ("c.md", Some("C"), Some("C2"))])).unwrap();
    vault.commit(change(101, &[("c.md", Some("C2"), None)])).unwrap();
    vault.record(op(102), json!({"kind": "opens", "wants": ContentHash::of(b"a digest")})).unwrap();
    let steps = change(103, &[("i.md", Some("I"), Some("I2"))]).steps;
    vault.keep(b"I").unwrap();
    vault.keep(b"I2").unwrap();
    let begun =
        Entry::Begun { op: op(103), at_ms, steps: steps.clone(), label: json!({"kind": "agent"}), folded: false };
    vault.journal.promise(&begun).unwrap();
    vault.interrupt(op(103), steps, vec![rel("i.md")], true);
    world.put("i.md", "theirs");
    vault.keep(b"nobody names this").unwrap();
    vault.tick(u64::MAX);
    drop(vault);
    world
}

#[test]
fn what_nobody_names_goes_and_all_else_can_be_read() {
    let world = lived();
    let disk = Arc::new(FaultDisk::new());
    disk.set_now_ms(MUCH_LATER);
    let (mut vault, _) = world.try_open(disk).unwrap();
    let n_before = blobs(&world).len();
    let len = |name: &str| fs::metadata(world.state().join(name)).unwrap().len();
    let len_before = len("journal.jsonl");
    let done = tidy(&mut vault, &Retention::default());
    assert_eq!(done[0], Tidied::Rewritten);
    let entries = assert_whole(&vault, "tidied");
    let named: BTreeSet<String> = entries.iter().flat_map(Entry::hashes).map(|hash| hash.to_string()).collect();
    let left = blobs(&world);
    assert!(left.iter().all(|name| named.contains(name)), "{left:?}");
    assert!(left.len() < n_before / 3, "{} of {n_before}", left.len());
    assert!(len("journal.jsonl") < len_before / 2);
    let waits = |entry: &Entry| matches!(entry, Entry::Recorded { op: by, .. } if *by == op(102));
    assert!(entries.iter().any(waits));
    // Nothing is left to do, and the vault works on as before.
    assert_eq!(tidy(&mut vault, &Retention::default()), []);
    vault.commit(change(200, &[("b.md", Some("B2"), Some("B"))])).unwrap();
    drop(vault);
    let (vault, settled) = world.open();
    assert_eq!((settled.len(), vault.interrupted()[0].op), (1, op(103)));
    assert_eq!(vault.entries().unwrap()[..entries.len()], entries);
    drop(vault);
    assert_eq!(world.files(), files(&[("a.md", "60"), ("b.md", "B"), ("i.md", "theirs")]));
}

/// At each call of a compaction and its sweep, the disk fails once or the process dies; then the vault is opened again.
#[test]
fn a_compaction_that_fails_or_dies_loses_nothing() {
    let template = lived();
    let copy = || {
        let world = World { dir: temp_dir() };
        copy_folder(&template.dir.path().join("vault"), &world.root());
        copy_folder(&template.state(), &world.state());
        world
    };
    let open = |world: &World| {
        let disk = Arc::new(FaultDisk::new());
        disk.set_now_ms(MUCH_LATER);
        let (vault, settled) = world.try_open(disk.clone()).unwrap();
        assert_eq!(settled.len(), 1);
        assert_eq!(vault.interrupted().len(), 1);
        (vault, disk)
    };
    let (world, before) = (copy(), template.open().0.entries().unwrap());
    let (mut vault, disk) = open(&world);
    let first = disk.n_calls();
    tidy(&mut vault, &Retention::default());
    let calls = disk.calls()[first..].to_vec();
    let n_calls = calls.len();
    let after = vault.entries().unwrap();
    let left = blobs(&world);
    drop(vault);

    let mut n_points = 0;
    for (nth, call) in calls.iter().enumerate() {
        for fault in faults_at(call) {
            n_points += 1;
            let world = copy();
            let (mut vault, disk) = open(&world);
            assert_eq!(disk.n_calls(), first);
            disk.fail_at(first + nth, fault);
            tidy(&mut vault, &Retention::default());
            let about = format!("{fault:?} at {:?}", disk.calls().get(first + nth));
            let survives = !matches!(fault, Fault::Die | Fault::DieTorn);
            if survives {
                assert_whole(&vault, &about);
                vault.commit(change(300, &[("b.md", Some("B2"), Some("B3"))])).unwrap();
            }
            drop(vault);

            let (mut vault, _) = open(&world);
            let mut now = assert_whole(&vault, &about);
            if survives {
                assert!(now.iter().any(|entry| entry.op() == op(300)), "{about}");
                now.retain(|entry| entry.op() != op(300));
            }
            assert!(now == before || now == after, "{about}: neither journal");
            assert_eq!(vault.health(), [], "{about}");
            // Whatever was left to do is done now.
            tidy(&mut vault, &Retention::default());
            assert_whole(&vault, &about);
            let again = blobs(&world);
            assert!(left.is_subset(&again), "{about}");
            if !survives {
                assert_eq!(again, left, "{about}");
                assert_eq!(vault.entries().unwrap(), after, "{about}");
            }
        }
    }
    println!("{n_calls} calls, {n_points} points");
}

/// What can happen at a call: a write can also come to half of it.
pub(super) fn faults_at(call: &Call) -> Vec<Fault> {
    match call.name {
        "write_temp" | "append" => vec![Fault::NoSpace, Fault::ShortWrite, Fault::Die, Fault::DieTorn],
        _ => vec![Fault::Failure, Fault::Die],
    }
}

pub(super) fn copy_folder(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy_folder(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}

/// A text that is stored, or counted on again, while a sweep is on its way is not swept.
#[test]
fn a_sweep_spares_what_came_after_it_began() {
    let world = lived();
    let disk = Arc::new(FaultDisk::new());
    disk.set_now_ms(MUCH_LATER);
    let (mut vault, _) = world.try_open(disk).unwrap();
    let rule = Retention::default();
    assert_eq!(vault.tidy(MUCH_LATER, &rule, &Knows(Vec::new())), Tidied::Rewritten);
    // Texts that the journal gave up, but that are still there.
    let named: BTreeSet<ContentHash> = vault.entries().unwrap().iter().flat_map(Entry::hashes).collect();
    let given_up: Vec<String> =
        (0..60).map(|n| n.to_string()).filter(|n| !named.contains(&ContentHash::of(n.as_bytes()))).collect();
    assert!(given_up.len() > 10, "{given_up:?}");
    let mut back = change(400, &[("a.md", Some("60"), Some(&given_up[0]))]);
    back.contents.clear();
    vault.commit(back).unwrap();
    vault.keep(given_up[1].as_bytes()).unwrap();
    let wanted = ContentHash::of(given_up[2].as_bytes());
    vault.record(op(401), json!({"kind": "opens", "wants": wanted})).unwrap();
    vault.commit(change(402, &[("b.md", Some("B2"), Some(&given_up[3]))])).unwrap();
    while vault.tidy(MUCH_LATER, &rule, &Knows(Vec::new())) != Tidied::Nothing {}
    assert_whole(&vault, "swept");
    let is_there = |text: &String| vault.reader().has_blob(&ContentHash::of(text.as_bytes()));
    assert_eq!(given_up.iter().filter(|text| is_there(text)).count(), 4);
}

#[test]
fn what_is_current_or_young_or_not_ours_stays() {
    let world = lived();
    let disk = Arc::new(FaultDisk::new());
    disk.set_now_ms(MUCH_LATER);
    let (mut vault, _) = world.try_open(disk).unwrap();
    vault.keep(b"a person looks at this").unwrap();
    let shelf = fs::read_dir(world.state().join("blobs")).unwrap().next().unwrap().unwrap().path();
    fs::write(shelf.join("notes of my own.txt"), "mine").unwrap();
    fs::create_dir(shelf.join("folder")).unwrap();
    let shown = ContentHash::of(b"a person looks at this");
    // Longer than what is kept with the recent texts.
    let young = vault.keep(&b"young".repeat(20_000)).unwrap();
    let later = fs::FileTimes::new().set_modified(std::time::UNIX_EPOCH + std::time::Duration::from_millis(MUCH_LATER));
    let path = world.state().join("blobs").join(&young.to_string()[..2]).join(young.to_string());
    fs::File::options().write(true).open(path).unwrap().set_times(later).unwrap();
    while vault.tidy(MUCH_LATER, &Retention::default(), &Knows(vec![shown])) != Tidied::Nothing {}
    assert!(vault.reader().has_blob(&shown));
    assert!(vault.reader().has_blob(&young));
    assert!(!vault.reader().has_blob(&ContentHash::of(b"nobody names this")));
    assert!(shelf.join("notes of my own.txt").exists() && shelf.join("folder").exists());
}

/// What the journal of today never named may be all that is left of another: it stays for a month.
#[test]
fn texts_of_a_lost_journal_are_not_swept_at_once() {
    let world = lived();
    fs::remove_file(world.state().join("journal.jsonl")).unwrap();
    let before = blobs(&world);
    let made_ms = fs::metadata(world.state().join("blobs")).unwrap().modified().unwrap();
    let made_ms = made_ms.duration_since(std::time::UNIX_EPOCH).unwrap().as_millis() as u64;
    for (days, n_left) in [(2, before.len()), (29, before.len()), (31, 0)] {
        let (mut vault, _) = world.open();
        while vault.tidy(made_ms + days * DAY, &Retention::default(), &Knows(Vec::new())) != Tidied::Nothing {}
        let is_there = |name: &&String| vault.reader().has_blob(&name.parse().unwrap());
        assert_eq!(before.iter().filter(is_there).count(), n_left, "after {days} days");
    }
}

#[test]
fn what_a_damaged_line_names_is_not_swept() {
    let world = lived();
    let journal = world.state().join("journal.jsonl");
    let mut bytes = fs::read(&journal).unwrap();
    let text = String::from_utf8(bytes.clone()).unwrap();
    let line = text.lines().position(|line| line.contains(&op(101).to_string())).unwrap();
    let at: usize = text.lines().take(line).map(|line| line.len() + 1).sum();
    bytes[at + 15] ^= 1;
    fs::write(&journal, &bytes).unwrap();
    let disk = Arc::new(FaultDisk::new());
    disk.set_now_ms(MUCH_LATER);
    let (mut vault, _) = world.try_open(disk.clone()).unwrap();
    assert_eq!(vault.health(), [crate::HealthNotice::JournalDamaged { n_lines: 1 }]);
    tidy(&mut vault, &Retention::default());
    assert!(vault.reader().has_blob(&ContentHash::of(b"C2")));
    assert_whole(&vault, "damaged");
}

#[test]
fn a_history_that_takes_too_much_shrinks_to_what_must_stay() {
    let world = lived();
    let disk = Arc::new(FaultDisk::new());
    disk.set_now_ms(MUCH_LATER);
    let (mut vault, _) = world.try_open(disk).unwrap();
    let all = Retention { whole_ms: 2_000 * DAY, fold_ms: 0, ..Retention::default() };
    tidy(&mut vault, &all);
    let n_named = |vault: &Vault| {
        let entries = vault.entries().unwrap();
        entries.iter().flat_map(Entry::hashes).collect::<BTreeSet<ContentHash>>().len()
    };
    let n_before = n_named(&vault);
    // The size is known only after a sweep; the next look acts on it.
    drop(vault);
    let disk = Arc::new(FaultDisk::new());
    disk.set_now_ms(MUCH_LATER);
    let (mut vault, _) = world.try_open(disk).unwrap();
    let little = Retention { max_bytes: 300, ..all };
    tidy(&mut vault, &little);
    tidy(&mut vault, &little);
    assert_whole(&vault, "shrunk");
    assert!(n_named(&vault) < n_before / 2, "{} of {n_before}", n_named(&vault));
    for text in ["60", "B2", "C2", "I", "I2"] {
        assert!(vault.reader().has_blob(&ContentHash::of(text.as_bytes())), "{text}");
    }
}

/// What is given up goes soon, wherever it is kept, so that the store does not outgrow its bound.
#[test]
fn a_store_stays_about_as_large_as_it_may_be() {
    const MOST: u64 = 100_000;
    let world = World::new(&[("a.md", "0")]);
    let disk = Arc::new(FaultDisk::new());
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_millis() as u64;
    disk.set_now_ms(now);
    let (mut vault, _) = world.try_open(disk.clone()).unwrap();
    let rule = Retention { max_bytes: MOST, ..Retention::default() };
    let text = |n: u64| -> String {
        // Hardly to be compressed.
        let mut state = n;
        (0..10_000)
            .map(|_| {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                char::from(b'!' + (state >> 57) as u8 % 90)
            })
            .collect()
    };
    let mut before = "0".to_owned();
    for n in 1..=24 * 8 {
        let at_ms = now + n * 60 * 60 * 1000;
        disk.set_now_ms(at_ms);
        let after = text(n);
        vault.commit(typed(n, &[("a.md", Some(&before), Some(&after))])).unwrap();
        before = after;
        vault.tick(u64::MAX);
        while vault.tidy(at_ms, &rule, &Knows(Vec::new())) != Tidied::Nothing {}
        if n % 12 == 0 {
            // One process after the other.
            drop(vault);
            vault = world.try_open(disk.clone()).unwrap().0;
        }
        let taken = size_of(&world.state().join("blobs"));
        // What was written within a day stays in any case.
        assert!(taken < 3 * MOST, "{taken} bytes after {n} hours");
    }
    assert_whole(&vault, "bounded");
}

/// A clock that was wrong for an hour makes nothing old, neither then nor when it is right again.
#[test]
fn a_clock_that_jumps_ahead_gives_nothing_up() {
    let world = World::new(&[("a.md", "0")]);
    let disk = Arc::new(FaultDisk::new());
    let (mut vault, _) = world.try_open(disk.clone()).unwrap();
    let mut n = 0;
    let mut save = |vault: &mut Vault, at_ms: u64| {
        disk.set_now_ms(at_ms);
        let (before, after) = (n.to_string(), (n + 1).to_string());
        vault.commit(typed(n, &[("a.md", Some(&before), Some(&after))])).unwrap();
        vault.tick(u64::MAX);
        while vault.tidy(at_ms, &Retention::default(), &Knows(Vec::new())) != Tidied::Nothing {}
        n += 1;
    };
    let hours = |n: u64| START + n * DAY / 24;
    (0..150).for_each(|n| save(&mut vault, hours(n * 4)));
    [0, 1].into_iter().for_each(|n| save(&mut vault, hours(n) + 3_000 * DAY));
    (150..156).for_each(|n| save(&mut vault, hours(n * 4)));
    let named: BTreeSet<ContentHash> = assert_whole(&vault, "jumped").iter().flat_map(Entry::hashes).collect();
    assert_eq!(named.len(), 159);
    // Days that follow one another are believed.
    (0..2).for_each(|n| save(&mut vault, hours(n * 24) + 3_000 * DAY));
    let named: BTreeSet<ContentHash> = assert_whole(&vault, "years later").iter().flat_map(Entry::hashes).collect();
    assert!(named.len() < 40, "{}", named.len());
}

fn size_of(dir: &Path) -> u64 {
    let entries = fs::read_dir(dir).into_iter().flatten().map(Result::unwrap);
    entries
        .map(|entry| if entry.path().is_dir() { size_of(&entry.path()) } else { entry.metadata().unwrap().len() })
        .sum()
}

/// Files of recent texts that are there twice, damaged, or empty for a moment: no text is removed that is whole nowhere else.
#[test]
fn moving_recent_texts_removes_none_that_is_nowhere_else() {
    type Way<'a> = (&'a str, &'a dyn Fn(&Path, &mut Vault));
    let tidies = |vault: &mut Vault| drop(tidy(vault, &Retention::default()));
    let ways: [Way<'_>; 3] = [
        ("a copy lies beside it and goes", &|file, vault| {
            fs::remove_file(file.with_file_name("z copy.texts")).unwrap();
            fs::remove_file(file.with_file_name("0 copy.texts")).unwrap();
            tidies(vault);
        }),
        ("it is empty for a moment", &|file, vault| {
            let bytes = fs::read(file).unwrap();
            fs::write(file, "").unwrap();
            fs::remove_file(file.with_file_name("z copy.texts")).unwrap();
            fs::remove_file(file.with_file_name("0 copy.texts")).unwrap();
            tidies(vault);
            fs::write(file, bytes).unwrap();
        }),
        ("only a copy is left", &|file, vault| {
            fs::remove_file(file).unwrap();
            tidies(vault);
        }),
    ];
    for (about, way) in ways {
        let world = World::new(&[("a.md", "0")]);
        let (mut vault, _) = world.open();
        for n in 0..100_u64 {
            let (before, after) = (n.to_string(), (n + 1).to_string());
            vault.commit(change(n, &[("a.md", Some(&before), Some(&after))])).unwrap();
        }
        drop(vault);
        let file = fs::read_dir(world.state().join("blobs/recent")).unwrap().next().unwrap().unwrap().path();
        for copy in ["0 copy.texts", "z copy.texts"] {
            fs::copy(&file, file.with_file_name(copy)).unwrap();
        }
        let disk = Arc::new(FaultDisk::new());
        disk.set_now_ms(MUCH_LATER);
        let (mut vault, _) = world.try_open(disk).unwrap();
        way(&file, &mut vault);
        drop(vault);
        let (mut vault, _) = world.open();
        assert_whole(&vault, about);
        tidy(&mut vault, &Retention::default());
        assert_whole(&vault, about);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, failure_persistence: None, ..ProptestConfig::default() })]

    /// Whatever was done, and however often it was tidied in between: what is listed can be read, and lists are chains.
    #[test]
    fn every_version_that_is_listed_can_be_read(
        done in prop::collection::vec((0..3_usize, 0..4_u8, 1..12_u64, any::<bool>()), 1..60),
        max_bytes in prop_oneof![Just(u64::MAX), 0..2_000_u64],
    ) {
        let names = ["a.md", "b.md", "c.md"];
        let world = World::new(&[]);
        let mut now: [Option<String>; 3] = [None, None, None];
        let mut at_ms = START;
        let disk = Arc::new(FaultDisk::new());
        disk.set_now_ms(at_ms);
        let (mut vault, _) = world.try_open(disk.clone()).unwrap();
        let rule = Retention { max_bytes, ..Retention::default() };
        let mut clock_ms = MUCH_LATER;
        for (n, (path, how, pause, tidies)) in done.into_iter().enumerate() {
            at_ms += if how == 3 { pause * 5 * DAY } else { pause * 20_000 };
            disk.set_now_ms(at_ms);
            let text = format!("{} of {}", n % 13, names[path]);
            let after = (how != 2 || now[path].is_none()).then_some(text);
            let mut asked = change(n as u64, &[(names[path], now[path].as_deref(), after.as_deref())]);
            if how == 0 {
                asked.label = json!({"kind": "typed"});
            }
            if now[path] != after {
                vault.commit(asked).unwrap();
                now[path] = after;
            }
            if tidies {
                vault.tick(u64::MAX);
                // An hour later it looks again.
                clock_ms += 2 * 60 * 60 * 1000;
                while vault.tidy(clock_ms, &rule, &Knows(Vec::new())) != Tidied::Nothing {}
                assert_whole(&vault, "tidied");
            }
        }
        for (name, text) in names.iter().zip(&now) {
            prop_assert_eq!(&world.get(name), text);
        }
        drop(vault);
        let (vault, settled) = world.open();
        prop_assert_eq!(settled, vec![]);
        assert_whole(&vault, "opened again");
    }
}
