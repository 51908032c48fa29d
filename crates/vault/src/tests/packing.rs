//! Old texts in packs: they are read as before, and nothing that fails on the way loses one.

use std::fs;
use std::sync::Arc;

use super::tidying::{DAY, Knows, MUCH_LATER, START, assert_whole, blobs, copy_folder, faults_at, singles, tidy};
use super::*;
use crate::fault::FaultDisk;
use crate::{Retention, Tidied};

/// A note that is written to for days, agents' work that stays whole for a month: `n` texts that differ in a line.
fn written(n: u64) -> World {
    let world = World::new(&[("a.md", &long(0)), ("b.md", "B")]);
    let disk = Arc::new(FaultDisk::new());
    let (mut vault, _) = world.try_open(disk.clone()).unwrap();
    for at in 0..n {
        disk.set_now_ms(START + at * 60_000);
        vault.commit(change(at, &[("a.md", Some(&long(at)), Some(&long(at + 1)))])).unwrap();
    }
    vault.tick(u64::MAX);
    drop(vault);
    world
}

/// The same, with each text in a file of its own.
fn written_singly(n: u64) -> World {
    let world = written(n);
    let (vault, _) = world.open();
    let reader = vault.reader();
    let texts: Vec<(ContentHash, Vec<u8>)> = blobs(&world)
        .into_iter()
        .map(|name| name.parse().unwrap())
        .map(|hash| (hash, reader.blob(&hash).unwrap().unwrap()))
        .collect();
    let slices: Vec<(ContentHash, &[u8])> = texts.iter().map(|(hash, text)| (*hash, text.as_slice())).collect();
    vault.blobs.put_single(&slices).unwrap();
    drop(vault);
    fs::remove_dir_all(world.state().join("blobs/recent")).unwrap();
    assert_eq!(singles(&world).len(), texts.len());
    world
}

fn long(n: u64) -> String {
    let lines: Vec<String> =
        (0..100_u64).map(|line| format!("line {line} of a note, {}", line * line * 7919)).collect();
    format!("{}\nversion {n}\n", lines.join("\n"))
}

fn packs(world: &World) -> Vec<PathBuf> {
    let Ok(listed) = fs::read_dir(world.state().join("blobs/packs")) else { return Vec::new() };
    listed.map(|entry| entry.unwrap().path()).collect()
}

fn collect_files(dir: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { collect_files(&path, files) } else { files.push(path) }
    }
}

fn open_later(world: &World) -> (Vault, Arc<FaultDisk>) {
    let disk = Arc::new(FaultDisk::new());
    disk.set_now_ms(MUCH_LATER);
    (world.try_open(disk.clone()).unwrap().0, disk)
}

#[test]
fn old_texts_are_packed_and_read_as_before() {
    for world in [written(200), written_singly(200)] {
        packed_and_read(&world);
    }
}

fn packed_and_read(world: &World) {
    let (mut vault, _) = open_later(world);
    let size = || {
        let mut all = Vec::new();
        collect_files(&world.state().join("blobs"), &mut all);
        all.iter().map(|path| fs::metadata(path).unwrap().len()).sum::<u64>()
    };
    let before = size();
    tidy(&mut vault, &Retention::default());
    assert_eq!(packs(world).len(), 1);
    assert!(size() < before / 10, "{} of {before}", size());
    assert!(blobs(world).is_empty());
    assert_whole(&vault, "packed");
    assert_eq!(tidy(&mut vault, &Retention::default()), []);
    // A text that is packed is at hand for a change, and one that is in no pack is stored as ever.
    let mut back = change(500, &[("a.md", Some(&long(200)), Some(&long(17)))]);
    back.contents.clear();
    vault.commit(back).unwrap();
    vault.commit(change(501, &[("b.md", Some("B"), Some("B2"))])).unwrap();
    drop(vault);
    let (vault, _) = open_later(world);
    assert_whole(&vault, "opened again");
    assert_eq!(world.get("a.md"), Some(long(17)));
    // Who removes the packs loses old texts, and nothing else.
    drop(vault);
    fs::remove_dir_all(world.state().join("blobs/packs")).unwrap();
    let (mut vault, _) = open_later(world);
    assert!(!vault.reader().has_blob(&ContentHash::of(long(18).as_bytes())));
    vault.commit(change(502, &[("a.md", Some(&long(17)), Some(&long(18)))])).unwrap();
    assert!(vault.reader().has_blob(&ContentHash::of(long(18).as_bytes())));
}

#[test]
fn a_damaged_pack_takes_only_what_is_damaged() {
    let world = written(100);
    let (mut vault, _) = open_later(&world);
    tidy(&mut vault, &Retention::default());
    drop(vault);
    let pack = packs(&world).remove(0);
    let bytes = fs::read(&pack).unwrap();
    for at in [0, 3, 40, bytes.len() / 2, bytes.len() - 1] {
        let mut damaged = bytes.clone();
        damaged[at] ^= 0x41;
        fs::write(&pack, &damaged).unwrap();
        let (mut vault, _) = open_later(&world);
        for n in 0..100 {
            let hash = ContentHash::of(long(n).as_bytes());
            if let Ok(Some(text)) = vault.reader().blob(&hash) {
                assert_eq!(ContentHash::of(&text), hash, "byte {at}");
            }
        }
        let now = world.get("a.md").unwrap();
        vault.commit(change(600 + at as u64, &[("a.md", Some(&now), Some(&format!("{now}{at}\n")))])).unwrap();
        assert!(vault.reader().has_blob(&ContentHash::of(now.as_bytes())));
    }
    for torn in [0, 3, 5, 200, bytes.len() / 2] {
        fs::write(&pack, &bytes[..torn]).unwrap();
        drop(open_later(&world));
    }
}

#[test]
fn packs_shrink_with_the_history() {
    let world = written(200);
    let (mut vault, disk) = open_later(&world);
    tidy(&mut vault, &Retention::default());
    let names = packs(&world);
    // Two months later all but a few of them are old.
    disk.set_now_ms(START + 60 * DAY);
    vault.commit(change(700, &[("b.md", Some("B"), Some("B2"))])).unwrap();
    vault.tick(u64::MAX);
    while vault.tidy(MUCH_LATER + DAY + 1, &Retention::default(), &Knows(Vec::new())) != Tidied::Nothing {}
    assert_whole(&vault, "thinned");
    assert!(packs(&world).iter().all(|pack| !names.contains(pack)), "{:?}", packs(&world));
    let kept = blobs(&world).len();
    assert!((2..20).contains(&kept), "{kept}");
}

/// At each call of the packing, and of taking packs apart, the disk fails once or the process dies.
#[test]
fn packing_that_fails_or_dies_loses_nothing() {
    let mut n_points = 0;
    for (template, thins) in [(written(90), false), (written_singly(90), false), (written(90), true)] {
        if thins {
            let (mut vault, disk) = open_later(&template);
            tidy(&mut vault, &Retention::default());
            disk.set_now_ms(START + 60 * DAY);
            vault.commit(change(700, &[("b.md", Some("B"), Some("B2"))])).unwrap();
            vault.tick(u64::MAX);
            assert_eq!(packs(&template).len(), 1);
        }
        let later = MUCH_LATER + DAY + 1;
        let rule = Retention::default();
        let run = |vault: &mut Vault| while vault.tidy(later, &rule, &Knows(Vec::new())) != Tidied::Nothing {};
        let copy = || {
            let world = World { dir: temp_dir() };
            copy_folder(&template.dir.path().join("vault"), &world.root());
            copy_folder(&template.state(), &world.state());
            world
        };
        let world = copy();
        let (mut vault, disk) = open_later(&world);
        let first = disk.n_calls();
        run(&mut vault);
        let calls = disk.calls()[first..].to_vec();
        // The calls about each single text are all alike; the first and last of them stand for the rest.
        let about_pack = |name: &str| calls.iter().position(|call| call.path.to_string_lossy().contains(name));
        let packing = about_pack("packs").unwrap_or(calls.len());
        let chosen = |at: &usize| {
            *at < 12 || (at + 6 >= packing && *at < packing + 14) || at + 12 >= calls.len() || at.is_multiple_of(11)
        };
        for nth in (0..calls.len()).filter(chosen) {
            for fault in faults_at(&calls[nth]) {
                n_points += 1;
                let world = copy();
                let (mut vault, disk) = open_later(&world);
                disk.fail_at(first + nth, fault);
                run(&mut vault);
                drop(vault);
                let about = format!("{fault:?} at {:?}", calls[nth]);
                let (mut vault, _) = open_later(&world);
                assert_whole(&vault, &about);
                run(&mut vault);
                assert_whole(&vault, &about);
                drop(vault);
                let (vault, _) = open_later(&world);
                assert_whole(&vault, &about);
                let n_single = blobs(&world).len();
                assert!(n_single < 20, "{about}: {n_single} stand alone");
                assert!(packs(&world).iter().all(|pack| pack.extension().is_some_and(|end| end == "pack")), "{about}");
            }
        }
    }
    println!("{n_points} points");
}
