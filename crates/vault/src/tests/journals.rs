//! The journal against decay: any cut opens, any damaged byte takes at most the record that it is in.

use std::fs;
use std::sync::Arc;

use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::fault::{Fault, FaultDisk};
use crate::{Entry, HealthNotice, JournalError};

/// Returns the bytes of a journal with every kind of entry, and the entries.
fn sample() -> (Vec<u8>, Vec<Entry>) {
    let world = World::new(&[("a.md", "A"), ("b.md", "B")]);
    let (mut vault, _) = world.open();
    vault.record(op(1), json!({"state": "proposed", "text": "{\"blake3\":\"trap\",\"record\":1}\n\u{e9}"})).unwrap();
    vault.commit(change(1, &[("a.md", Some("A"), Some("A2")), ("b.md", Some("B"), None)])).unwrap();
    vault.interrupt(op(2), Vec::new(), vec![rel("x y.md")], true);
    vault.release(op(2));
    vault.record(op(3), json!([])).unwrap();
    vault.commit(change(3, &[("c.md", None, Some("C"))])).unwrap();
    let entries = vault.entries().unwrap();
    assert_eq!(entries.len(), 8);
    let bytes = fs::read(world.state().join("journal.jsonl")).unwrap();
    (bytes, entries)
}

/// Opens a vault of which only the journal is given, and returns the entries and the damage that it reports.
fn reopen(journal: &[u8], all: &[Entry]) -> (Vec<Entry>, usize) {
    let world = World::new(&[]);
    fs::create_dir_all(world.state()).unwrap();
    fs::write(world.state().join("journal.jsonl"), journal).unwrap();
    let n_damaged = |vault: &Vault| {
        vault
            .health()
            .iter()
            .map(|notice| match notice {
                HealthNotice::JournalDamaged { n_lines } => *n_lines,
                _ => 0,
            })
            .sum()
    };
    let (mut vault, _) = world.open();
    let damaged = n_damaged(&vault);
    let entries: Vec<Entry> = vault.entries().unwrap();
    vault.record(op(50), json!("goes on")).unwrap();
    drop(vault);
    let (vault, _) = world.open();
    let again = vault.entries().unwrap();
    assert_eq!(n_damaged(&vault), 0, "what was damaged is set aside once");
    assert!(again.len() > entries.len());
    assert_eq!(again[..entries.len()], entries);
    assert!(matches!(&again[entries.len()], Entry::Recorded { op: by, .. } if *by == op(50)));
    // What the damage leaves unfinished is settled at once; that is not what is looked at here.
    let n_old = entries.iter().rposition(|entry| all.contains(entry)).map_or(0, |last| last + 1);
    (entries[..n_old].to_vec(), damaged)
}

/// Leaves out of `all` what is not in `some`, checking the order, and returns how many are missing.
fn n_missing(all: &[Entry], some: &[Entry]) -> usize {
    let mut rest = some.iter().peekable();
    let missing = all.iter().filter(|entry| rest.next_if(|next| next == entry).is_none()).count();
    assert!(rest.next().is_none(), "an entry that was never written: {some:#?}");
    missing
}

#[test]
fn every_cut_opens_with_what_was_whole() {
    let (bytes, entries) = sample();
    let mut n_known = 0;
    for end in 0..=bytes.len() {
        let (some, damaged) = reopen(&bytes[..end], &entries);
        assert_eq!(damaged, 0, "cut at {end}");
        assert_eq!(some[..], entries[..some.len()], "cut at {end}");
        assert!(some.len() >= n_known);
        n_known = some.len();
    }
    assert_eq!(n_known, entries.len());
}

#[test]
fn every_damaged_byte_takes_one_record_at_most() {
    let (bytes, entries) = sample();
    for at in 0..bytes.len() {
        for flip in [0x01, 0x80, bytes[at] ^ b'\n', bytes[at]] {
            if flip == 0 {
                continue;
            }
            let mut damaged = bytes.clone();
            damaged[at] ^= flip;
            let (some, _) = reopen(&damaged, &entries);
            let missing = n_missing(&entries, &some);
            assert!(missing <= 1, "byte {at} ^ {flip:#x}: {missing} missing");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn rubbish_between_lines_takes_nothing(
        rubbish in prop::collection::vec(any::<u8>(), 1..200),
        before in 0..8_usize,
    ) {
        let (bytes, entries) = sample();
        let starts: Vec<usize> = std::iter::once(0)
            .chain(bytes.iter().enumerate().filter(|(_, byte)| **byte == b'\n').map(|(at, _)| at + 1))
            .collect();
        let at = starts[before];
        let noise = [&bytes[..at], &rubbish, b"\n", &bytes[at..]].concat();
        let (some, _) = reopen(&noise, &entries);
        prop_assert_eq!(n_missing(&entries, &some), 0);
    }

    #[test]
    fn any_bytes_open(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        let (some, _) = reopen(&bytes, &[]);
        prop_assert_eq!(some, vec![]);
    }
}

#[test]
fn damaged_lines_are_set_aside_and_told() {
    let (mut bytes, entries) = sample();
    bytes[40] ^= 1;
    let world = World::new(&[]);
    fs::create_dir_all(world.state()).unwrap();
    fs::write(world.state().join("journal.jsonl"), &bytes).unwrap();
    let (vault, _) = world.open();
    assert_eq!(vault.health(), [HealthNotice::JournalDamaged { n_lines: 1 }]);
    assert_eq!(vault.entries().unwrap(), entries[1..]);
    drop(vault);
    let aside = fs::read(world.state().join("journal.damaged")).unwrap();
    assert!(bytes.starts_with(&aside));
}

#[test]
fn a_line_of_a_newer_version_is_left_alone() {
    let (bytes, entries) = sample();
    let json = r#"{"kind":"dreamt","op":1}"#;
    let sum = &ContentHash::of(json.as_bytes()).to_string()[..16];
    let newer = format!("{{\"blake3\":\"{sum}\",\"record\":{json}}}\n");
    // A damaged line makes it be rewritten.
    let bytes = [newer.as_bytes(), b"rubbish\n", &bytes].concat();
    let world = World::new(&[]);
    fs::create_dir_all(world.state()).unwrap();
    fs::write(world.state().join("journal.jsonl"), &bytes).unwrap();
    let (vault, _) = world.open();
    assert_eq!(vault.entries().unwrap(), entries);
    drop(vault);
    let now = fs::read_to_string(world.state().join("journal.jsonl")).unwrap();
    assert!(now.starts_with(&newer), "{now}");
    assert!(!world.state().join("journal.jsonl.new").exists());
}

#[test]
fn a_long_journal_is_rewritten_with_the_same_entries() {
    let world = World::new(&[("a.md", "0")]);
    let (mut vault, _) = world.open();
    for n in 0..1_500 {
        let (before, after) = (n.to_string(), (n + 1).to_string());
        vault.commit(change(n, &[("a.md", Some(&before), Some(&after))])).unwrap();
    }
    let entries = vault.entries().unwrap();
    drop(vault);
    let journal = world.state().join("journal.jsonl");
    let before = fs::metadata(&journal).unwrap().len();
    let (vault, settled) = world.open();
    assert_eq!(settled, []);
    assert_eq!(vault.entries().unwrap(), entries);
    let after = fs::metadata(&journal).unwrap().len();
    assert!(after + 64 * 1024 < before, "{before} -> {after}");
}

#[test]
fn a_record_that_fails_leaves_no_trace() {
    for fault in [Fault::NoSpace, Fault::ShortWrite, Fault::Failure] {
        for name in ["append", "sync"] {
            let world = World::new(&[]);
            let disk = Arc::new(FaultDisk::new());
            let (mut vault, _) = world.try_open(disk.clone()).unwrap();
            vault.record(op(1), json!("one")).unwrap();
            // First it looks whether lock and journal are still there.
            let nth = disk.n_calls() + 2 + usize::from(name == "sync");
            disk.fail_at(nth, fault);
            let error = vault.record(op(2), json!("two")).unwrap_err();
            assert_eq!(disk.calls()[nth].name, name);
            let is_full = matches!(error, JournalError::NoSpace { .. });
            assert_eq!(is_full, fault == Fault::NoSpace || fault == Fault::ShortWrite, "{error}");
            // The line cannot be cut off at once either.
            vault.record(op(3), json!("three")).unwrap();
            drop(vault);
            let (vault, _) = world.open();
            let ops: Vec<_> = vault
                .entries()
                .unwrap()
                .iter()
                .map(|entry| match entry {
                    Entry::Recorded { op, .. } => *op,
                    other => panic!("{other:?}"),
                })
                .collect();
            assert_eq!(ops, [op(1), op(3)]);
            assert_eq!(vault.health(), []);
        }
    }
}
