//! What is left when the index is opened again.

use std::path::Path;

use crate::catalog::damage;
use crate::fixture::{Read, Vault, hits, rel};
use crate::{Fact, Index, IndexError, Opened, Query};

const FILES: &[(&str, &str)] =
    &[("a.md", "# A\n\nriver [[b]]\n"), ("b.md", "stone\n"), ("p.png", ""), ("c.canvas", "{}")];

#[test]
fn everything_is_there_after_a_flush() {
    let mut vault = Vault::new(FILES);
    assert_eq!(vault.index.opened(), Opened::Empty);
    vault.index.flush().unwrap();
    let before = vault.view();
    let vault = vault.reopen();
    let after = vault.view();
    assert_eq!(vault.index.opened(), Opened::Whole);
    assert_eq!(after.generation(), before.generation());
    assert_eq!((after.n_files(), after.n_notes()), (4, 2));
    for entry in before.files() {
        assert_eq!(after.entry(&entry.path), Some(entry));
    }
    assert_eq!(hits(&after, "river"), ["a.md > A"]);
    assert_eq!(after.linking_notes(&rel("b.md")), [rel("a.md")]);
}

#[test]
fn what_was_not_flushed_is_told_again() {
    let mut vault = Vault::new(FILES);
    vault.index.flush().unwrap();
    vault.tell(&[("a.md", "# A\n\nlake\n"), ("new.md", "pond\n")]);
    vault.gone(&["b.md"]);
    let mut vault = vault.reopen();
    // The catalog still knows the old `a.md` and `b.md`, whose texts are no longer those.
    assert_eq!(vault.index.opened(), Opened::Partial { n_forgotten: 2 });
    let view = vault.view();
    assert_eq!((view.entry(&rel("a.md")), view.entry(&rel("b.md"))), (None, None));
    assert!(view.entry(&rel("p.png")).is_some() && view.entry(&rel("c.canvas")).is_some());
    for word in ["lake", "pond", "river", "stone"] {
        assert_eq!(hits(&view, word), Vec::<String>::new(), "{word}");
    }
    let view = vault.tell(&[("a.md", "# A\n\nlake\n"), ("new.md", "pond\n")]);
    assert_eq!((hits(&view, "lake"), hits(&view, "pond")), (vec!["a.md > A".into()], vec!["new.md".to_owned()]));
    vault.index.flush().unwrap();
    assert_eq!(vault.reopen().index.opened(), Opened::Whole);
}

#[test]
fn a_torn_catalog_counts_as_absent() {
    for at in [0, 8, 12, 20, 60, 1_000_000] {
        let mut vault = Vault::new(FILES);
        vault.index.flush().unwrap();
        let Vault { dir, index } = vault;
        drop(index);
        damage::flip(&dir.path().join("catalog.bin"), at);
        let (mut index, view) = Index::open(dir.path()).unwrap();
        assert_eq!((index.opened(), view.n_files()), (Opened::Empty, 0), "byte {at}");
        assert_eq!(view.search(&Query::default()).unwrap().total, 0);
        let read = Read::new("a.md", "river\n");
        let view = index.apply(&[read.fact()]).unwrap();
        assert_eq!(hits(&view, "river"), ["a.md"]);
    }
}

#[test]
fn a_lost_or_broken_text_index_is_made_anew() {
    for break_it in [
        (|dir| damage::remove(&dir.join("text"))) as fn(&Path),
        |dir| damage::overwrite(&dir.join("text/meta.json"), b"{"),
        |dir| damage::remove(&dir.join("text/meta.json")),
        |dir| damage::remove(&dir.join("catalog.bin")),
        |dir| damage::remove_by_extension(&dir.join("text"), &["store", "term"]),
    ] {
        let mut vault = Vault::new(FILES);
        vault.index.flush().unwrap();
        let Vault { dir, index } = vault;
        drop(index);
        break_it(dir.path());
        let (mut index, view) = Index::open(dir.path()).unwrap();
        assert_ne!(index.opened(), Opened::Whole);
        assert!(view.entry(&rel("a.md")).is_none());
        let read: Vec<Read> = FILES.iter().map(|(path, text)| Read::new(path, text)).collect();
        let view = index.apply(&read.iter().map(Read::fact).collect::<Vec<_>>()).unwrap();
        assert_eq!(hits(&view, "river"), ["a.md > A"]);
        index.flush().unwrap();
        drop((index, view));
        let (index, view) = Index::open(dir.path()).unwrap();
        assert_eq!((index.opened(), hits(&view, "stone")), (Opened::Whole, vec!["b.md".to_owned()]));
    }
}

#[test]
fn one_program_at_a_time() {
    let vault = Vault::new(FILES);
    let second = Index::open(vault.dir.path());
    assert!(matches!(second, Err(IndexError::Locked { .. })), "{second:?}");
    assert_eq!(hits(&vault.view(), "river"), ["a.md > A"]);
}

#[test]
fn clearing_forgets_and_facts_bring_back() {
    let mut vault = Vault::new(FILES);
    vault.index.flush().unwrap();
    let old = vault.view();
    let view = vault.index.clear().unwrap();
    assert_eq!((view.n_files(), view.folders().len(), hits(&view, "river").len()), (0, 0, 0));
    assert!(view.generation() > old.generation());
    assert_eq!(hits(&old, "river"), ["a.md > A"], "an old view keeps what it saw");
    let view = vault.tell(FILES);
    assert_eq!(hits(&view, "river"), ["a.md > A"]);
}

#[test]
fn the_last_fact_of_a_batch_counts() {
    let mut vault = Vault::empty();
    let (first, second) = (Read::new("a.md", "one\n"), Read::new("a.md", "two\n"));
    let view = vault.index.apply(&[first.fact(), second.fact()]).unwrap();
    assert_eq!((hits(&view, "one").len(), hits(&view, "two").len()), (0, 1));
    let view = vault.index.apply(&[first.fact(), Fact::Gone { path: rel("a.md") }]).unwrap();
    assert_eq!((view.n_files(), hits(&view, "one").len()), (0, 0));
    let view = vault.index.apply(&[Fact::Gone { path: rel("a.md") }, second.fact()]).unwrap();
    assert_eq!((view.n_notes(), hits(&view, "two").len()), (1, 1));
    // However large the batch, and wherever it is cut.
    let others: Vec<Read> = (0..70).map(|n| Read::new(&format!("{n}.md"), &format!("other{n}x\n"))).collect();
    for n_before in [0, 1, 62, 63, 64, 65, 69, 70] {
        let mut vault = Vault::empty();
        let others: Vec<Fact<'_>> = others.iter().map(Read::fact).collect();
        let (before, after) = others.split_at(n_before);
        let gone = Fact::Gone { path: rel("b.md") };
        let b = Read::new("b.md", "one\n");
        let batch = [&[first.fact(), b.fact()], before, &[second.fact(), gone], after].concat();
        let view = vault.index.apply(&batch).unwrap();
        assert_eq!((hits(&view, "one").len(), hits(&view, "two").len(), hits(&view, "other").len()), (0, 1, 70));
        let view = vault.index.apply(&[first.fact()]).unwrap();
        assert_eq!((hits(&view, "one").len(), hits(&view, "two").len(), view.n_notes()), (1, 0, 71));
    }
}

#[test]
fn ids_and_stats_may_change_alone() {
    let mut vault = Vault::new(FILES);
    let read = Read::new("a.md", FILES[0].1);
    let Fact::Seen { path, hash, note, text, .. } = read.fact() else { panic!("a note") };
    let id = crate::fixture::id_of(&rel("another"));
    let stat = crate::IndexStat { len: 1, mtime_ns: 99, created_ns: Some(3) };
    let view = vault.index.apply(&[Fact::Seen { path, id, stat, hash, note, text }]).unwrap();
    let entry = view.entry_by_id(&id).unwrap();
    assert_eq!((entry.path.as_str(), entry.stat.mtime_ns), ("a.md", 99));
    assert!(view.entry_by_id(&crate::fixture::id_of(&rel("a.md"))).is_none());
    assert_eq!(hits(&view, "river"), ["a.md > A"]);
    vault.index.flush().unwrap();
    assert_eq!(vault.reopen().index.opened(), Opened::Whole);
}

#[test]
fn a_batch_that_fails_leaves_everything_as_it_was() {
    let mut vault = Vault::new(FILES);
    vault.index.flush().unwrap();
    let generation = vault.view().generation();
    damage::remove(&vault.dir.path().join("text"));
    let read = Read::new("new.md", "pond\n");
    assert!(vault.index.apply(&[read.fact(), Fact::Gone { path: rel("a.md") }]).is_err());
    let view = vault.view();
    assert_eq!((view.generation(), view.n_files()), (generation, 4));
    assert!(view.entry(&rel("a.md")).is_some() && view.entry(&rel("new.md")).is_none());
    let mut vault = vault.reopen();
    assert_ne!(vault.index.opened(), Opened::Whole);
    let view = vault.tell(FILES);
    assert_eq!(hits(&view, "river"), ["a.md > A"]);
}

#[test]
fn a_small_change_is_written_to_the_log() {
    let texts: Vec<(String, String)> =
        (0..60).map(|n| (format!("f{}/n{n}.md", n % 4), format!("# H{n}\n\nword{n}x [[n{}]]\n", n + 1))).collect();
    let mut vault = Vault::new(&texts.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect::<Vec<_>>());
    vault.index.flush().unwrap();
    let base = damage::content(&vault.dir.path().join("catalog.bin"));
    vault.tell(&[("f0/n0.md", "changed\n"), ("new/one.md", "# New\n")]);
    vault.index.flush().unwrap();
    let first = damage::length(&vault.dir.path().join("catalog.log"));
    vault.gone(&["f1/n1.md"]);
    vault.index.flush().unwrap();
    let log = damage::length(&vault.dir.path().join("catalog.log"));
    assert_eq!(damage::content(&vault.dir.path().join("catalog.bin")), base);
    let before = vault.view();
    let vault = vault.reopen();
    let after = vault.view();
    assert_eq!((vault.index.opened(), after.n_files()), (Opened::Whole, 60));
    for entry in before.files() {
        assert_eq!(after.entry(&entry.path), Some(entry));
    }
    assert_eq!(after.linking_notes(&rel("f2/n2.md")), Vec::new());
    assert_eq!(format!("{:?}", after.folder("")), format!("{:?}", before.folder("")));
    let Vault { dir, index } = vault;
    drop((index, after));
    // Wherever the log is torn, what came before counts, and what came later is told again.
    for at in (0..log).step_by(29) {
        let copy = tempfile::TempDir::new().unwrap();
        damage::copy(dir.path(), copy.path());
        let path = copy.path().join("catalog.log");
        if at % 2 == 0 {
            damage::flip(&path, at)
        } else {
            damage::cut(&path, at)
        }
        let (mut index, view) = Index::open(copy.path()).unwrap();
        let Opened::Partial { n_forgotten } = index.opened() else { panic!("{at}: {:?}", index.opened()) };
        // The first record told of two files, the second took one away.
        assert_eq!(n_forgotten, if at < first { 2 } else { 1 }, "byte {at} of {first}, {log}");
        assert_eq!(view.entry(&rel("f0/n0.md")).is_some(), at >= first);
        assert_eq!(view.entry(&rel("f1/n1.md")), None);
        let read = [Read::new("f0/n0.md", "changed\n"), Read::new("new/one.md", "# New\n")];
        let told = index.apply(&read.iter().map(Read::fact).collect::<Vec<_>>()).unwrap();
        assert_eq!((told.n_files(), hits(&told, "changed").len(), hits(&told, "new").len()), (60, 1, 1));
        index.flush().unwrap();
        drop((index, view, told));
        assert_eq!(Index::open(copy.path()).unwrap().0.opened(), Opened::Whole);
    }
    // What happens to folders is not in the log.
    let mut vault = Vault { index: Index::open(dir.path()).unwrap().0, dir };
    vault.index.apply(&[Fact::Folder { path: rel("empty") }]).unwrap();
    vault.index.flush().unwrap();
    assert_ne!(damage::content(&vault.dir.path().join("catalog.bin")), base);
    assert!(vault.reopen().view().has_folder("empty"));
}
