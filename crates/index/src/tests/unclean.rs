//! What is left after a stop that nobody announced: a kill, or a loss of power.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use note::ContentHash;
use tempfile::TempDir;

use crate::catalog::damage;
use crate::fixture::{Read, Vault, hits};
use crate::tests::Dice;
use crate::{Fact, Index, IndexView, Opened};

/// A text that no other version of any note has, with a word that tells which it is.
fn text(version: usize) -> String {
    format!("# Common\n\nword{version}x stands here\n\n## Second\n\nmore of word{version}x\n")
}

/// Checks that the view knows only texts that were told, and finds each of them, and nothing else.
fn check_known(view: &IndexView, told: &BTreeMap<String, Vec<usize>>, case: &str) {
    let mut known: Vec<String> = Vec::new();
    for entry in view.files() {
        let path = entry.path.as_str();
        let hash = entry.hash.expect("all files are notes");
        let version = told[path].iter().find(|version| ContentHash::of(text(**version).as_bytes()) == hash);
        let found = hits(view, &format!("word{}x", version.expect("a text that was told")));
        assert_eq!(found, [format!("{path} > Common"), format!("{path} > Common > Second")], "{case}: {path}");
        known.push(format!("{path} > Common"));
    }
    known.sort();
    let mut found = hits(view, "common stands");
    found.sort();
    assert_eq!(found, known, "{case}");
}

/// Tells everything again, as a scan does, and checks that this is enough.
fn check_told_again(index: &mut Index, told: &BTreeMap<String, Vec<usize>>, case: &str) {
    let latest: BTreeMap<String, Vec<usize>> =
        told.iter().filter_map(|(path, versions)| Some((path.clone(), vec![*versions.last()?]))).collect();
    let read: Vec<Read> = latest.iter().map(|(path, version)| Read::new(path, &text(version[0]))).collect();
    let view = index.apply(&read.iter().map(Read::fact).collect::<Vec<_>>()).unwrap();
    assert_eq!(view.n_files(), latest.len(), "{case}");
    check_known(&view, &latest, case);
}

#[test]
fn a_damaged_file_is_never_trusted() {
    let mut vault = Vault::empty();
    let mut told: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for n in 0..3 {
        vault.tell(&[(&format!("n{n}.md"), &text(n))]);
        told.insert(format!("n{n}.md"), vec![n]);
    }
    vault.tell(&[("n1.md", &text(7))]);
    told.insert("n1.md".into(), vec![1, 7]);
    vault.index.flush().unwrap();
    vault.tell(&[("n2.md", &text(8))]);
    told.insert("n2.md".into(), vec![2, 8]);
    let Vault { dir, index } = vault;
    drop(index);
    type Harm = (&'static str, fn(&Path));
    let harms: &[Harm] = &[
        ("zeros", |path| damage::zero(path, 0)),
        ("zeros at the end", |path| damage::zero(path, damage::length(path) / 2)),
        ("a byte", |path| damage::flip(path, damage::length(path) / 3)),
        ("the last byte", |path| damage::flip(path, usize::MAX)),
        ("empty", |path| damage::cut(path, 0)),
        ("one byte", |path| damage::cut(path, 1)),
        ("seven bytes", |path| damage::cut(path, 7)),
        ("eight bytes", |path| damage::cut(path, 8)),
        ("half", |path| damage::cut(path, damage::length(path) / 2)),
        ("all but a byte", |path| damage::cut(path, damage::length(path) - 1)),
        ("gone", damage::remove),
    ];
    let parts = ["idx", "pos", "fast", "fieldnorm", "term", "store", "del"];
    let names = damage::names(&dir.path().join("text"));
    let part = |name: &String| parts.contains(&name.rsplit('.').next().unwrap_or_default());
    let mut n_tried = 0;
    for name in names.iter().filter(|name| part(name)) {
        for (what, harm) in harms {
            let case = format!("{what}: {name}");
            let copy = TempDir::new().unwrap();
            damage::copy(dir.path(), copy.path());
            harm(&copy.path().join("text").join(name));
            let (mut index, view) = Index::open(copy.path()).unwrap();
            assert_eq!((index.opened(), view.n_files()), (Opened::Empty, 0), "{case}");
            if n_tried % 16 == 0 {
                check_told_again(&mut index, &told, &case);
            }
            n_tried += 1;
        }
    }
    assert!(n_tried > 100, "{n_tried}");
    // Without any damage, only what was told since the flush is forgotten.
    let (mut index, view) = Index::open(dir.path()).unwrap();
    assert_eq!(index.opened(), Opened::Partial { n_forgotten: 1 });
    assert!(index.text.is_unsettled(), "what a killed program wrote is synced by the next flush");
    check_known(&view, &told, "no damage");
    check_told_again(&mut index, &told, "no damage");
}

#[test]
fn equal_generations_are_not_enough() {
    // A merge after a flush writes new files under the generation of the flush.
    let mut vault = Vault::new(&[("a.md", &text(1))]);
    vault.index.flush().unwrap();
    let Vault { dir, index } = vault;
    drop(index);
    damage::remove(&dir.path().join("text/.settled"));
    assert_eq!(Index::open(dir.path()).unwrap().0.opened(), Opened::Whole, "unmarked, yet whole");
    let store = damage::names(&dir.path().join("text")).into_iter().find(|name| name.ends_with(".store")).unwrap();
    damage::flip(&dir.path().join("text").join(store), 3);
    assert_eq!(Index::open(dir.path()).unwrap().0.opened(), Opened::Empty, "unmarked and torn");
}

#[test]
fn what_was_dropped_stays_dropped_when_a_batch_fails() {
    let mut vault = Vault::new(&[("a.md", &text(1)), ("b.md", &text(2))]);
    vault.index.flush().unwrap();
    vault.tell(&[("a.md", &text(3)), ("new.md", &text(4))]);
    let mut vault = vault.reopen();
    assert_eq!(vault.index.opened(), Opened::Partial { n_forgotten: 1 });
    let told: BTreeMap<String, Vec<usize>> =
        [("a.md", 5), ("b.md", 2), ("new.md", 6)].into_iter().map(|(path, n)| (path.to_owned(), vec![n])).collect();
    let read = [Read::new("a.md", &text(5)), Read::new("new.md", &text(6))];
    let facts: Vec<Fact<'_>> = read.iter().map(Read::fact).collect();
    vault.index.text.refuse_writes(true);
    assert!(vault.index.apply(&facts).is_err());
    assert!(vault.index.apply(&facts).is_err());
    vault.index.text.refuse_writes(false);
    check_known(&vault.index.apply(&facts).unwrap(), &told, "after the disk was full");
    assert_eq!(hits(&vault.view(), "word3x OR word4x"), Vec::<String>::new());
}

#[test]
fn a_loss_of_power_takes_only_what_was_not_flushed() {
    let mut outcomes = [0; 2];
    for seed in 0..16 {
        let case = format!("seed {seed}");
        let mut dice = Dice(seed);
        let mut vault = Vault::empty();
        let text_dir = vault.dir.path().join("text");
        let mut told: BTreeMap<String, Vec<usize>> = BTreeMap::new();
        let mut safe: BTreeMap<String, Vec<u8>> = BTreeMap::new();
        for version in 0..12 + dice.roll(12) {
            let path = format!("n{}.md", dice.roll(9));
            vault.tell(&[(&path, &text(version))]);
            told.entry(path).or_default().push(version);
            if dice.roll(4) == 0 {
                vault.index.flush().unwrap();
                let names = damage::names(&text_dir);
                safe = names
                    .into_iter()
                    .filter_map(|name| damage::content(&text_dir.join(&name)).map(|bytes| (name, bytes)))
                    .collect();
            }
        }
        let Vault { dir, index } = vault;
        drop(index);
        for name in damage::names(&text_dir) {
            let path = text_dir.join(&name);
            let (Some(now), before) = (damage::content(&path), safe.get(&name)) else { continue };
            if before == Some(&now) || name == ".settled" {
                continue;
            }
            match dice.roll(6) {
                0 => damage::zero(&path, dice.roll(now.len() + 1)),
                1 => damage::cut(&path, dice.roll(now.len() + 1)),
                // The name went back to what it stood for, or never came to be.
                2 => match before {
                    Some(before) => damage::overwrite(&path, before),
                    None => damage::remove(&path),
                },
                _ => {}
            }
        }
        let (mut index, view) = Index::open(dir.path()).unwrap();
        outcomes[usize::from(index.opened() == Opened::Empty)] += 1;
        check_known(&view, &told, &case);
        check_told_again(&mut index, &told, &case);
        index.flush().unwrap();
        drop((index, view));
        assert_eq!(Index::open(dir.path()).unwrap().0.opened(), Opened::Whole, "{case}");
    }
    assert!(outcomes.iter().all(|n| *n > 0), "{outcomes:?}");
}

const CHILD: &str = "VIDIMUS_INDEX_TO_BE_KILLED";
const N_NOTES: usize = 40;

/// Not a test by itself: saves notes until it is killed, and tells of every save.
#[test]
fn saves_until_it_is_killed() {
    let Some(dir) = std::env::var_os(CHILD).map(PathBuf::from) else { return };
    let (mut index, _) = Index::open(&dir).unwrap();
    for version in N_NOTES.. {
        let read = Read::new(&format!("n{}.md", version % N_NOTES), &text(version));
        index.apply(&[read.fact()]).unwrap();
        #[allow(clippy::print_stdout)]
        {
            println!("\nsaved {version}");
        }
    }
}

#[test]
fn a_kill_takes_only_what_was_saved_since_the_flush() {
    let dir = TempDir::new().unwrap();
    let mut dice = Dice(5);
    for round in 0..4 {
        let case = format!("round {round}");
        let told: BTreeMap<String, Vec<usize>> = (0..N_NOTES).map(|n| (format!("n{n}.md"), vec![n])).collect();
        let (mut index, _) = Index::open(dir.path()).unwrap();
        check_told_again(&mut index, &told, &case);
        index.flush().unwrap();
        drop(index);
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "tests::unclean::saves_until_it_is_killed", "--nocapture"])
            .env(CHILD, dir.path())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap);
        let n_saves = 1 + dice.roll(N_NOTES - 10);
        let saved: Vec<String> = lines.by_ref().filter(|line| line.starts_with("saved")).take(n_saves).collect();
        child.kill().unwrap();
        child.wait().unwrap();
        assert_eq!(saved.len(), n_saves, "{case}");
        // Saves go on between the last line that was read and the kill.
        let n_saved = n_saves + lines.filter(|line| line.starts_with("saved")).count();
        let (index, view) = Index::open(dir.path()).unwrap();
        let Opened::Partial { n_forgotten } = index.opened() else { panic!("{case}: {:?}", index.opened()) };
        let n_saved = n_saved.min(N_NOTES);
        // The last save may be there without having been told of.
        assert!(n_forgotten == n_saved || n_forgotten == n_saved + 1, "{case}: {n_forgotten} of {n_saved}");
        assert_eq!(view.n_files(), N_NOTES - n_forgotten, "{case}");
        check_known(&view, &told, &case);
    }
}
