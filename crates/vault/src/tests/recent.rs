//! Files of recent texts: what is torn, damaged, there twice or not ours.

use std::fs;
use std::io;
use std::sync::Arc;

use note::ContentHash;

use crate::fault::{Fault, FaultDisk};
use crate::recent::{Added, LARGEST, Recent, head, heads};

fn texts(range: std::ops::Range<u32>) -> Vec<(ContentHash, Vec<u8>)> {
    range.map(|n| format!("text {n} ").repeat(20).into_bytes()).map(|text| (ContentHash::of(&text), text)).collect()
}

fn add(recent: &Recent, texts: &[(ContentHash, Vec<u8>)]) -> io::Result<Added> {
    recent.add(&texts.iter().map(|(hash, text)| (*hash, text.as_slice())).collect::<Vec<_>>())
}

fn n_found(recent: &Recent, texts: &[(ContentHash, Vec<u8>)]) -> usize {
    texts.iter().filter(|(hash, text)| recent.get(hash).unwrap().as_ref() == Some(text)).count()
}

fn opened(dir: &std::path::Path) -> (Recent, Arc<FaultDisk>) {
    let disk = Arc::new(FaultDisk::new());
    let recent = Recent::new(dir.to_owned(), disk.clone());
    recent.load();
    (recent, disk)
}

#[test]
fn what_is_damaged_or_torn_takes_no_other_text_with_it() {
    let dir = tempfile::tempdir().unwrap();
    let all = texts(0..5);
    let (recent, _) = opened(dir.path());
    let file = add(&recent, &all[..2]).unwrap().file;
    add(&recent, &all[2..]).unwrap();
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
    let whole = fs::read(&file).unwrap();
    for at in 0..whole.len() {
        let mut damaged = whole.clone();
        damaged[at] ^= 0x21;
        fs::write(&file, &damaged).unwrap();
        assert_eq!(n_found(&opened(dir.path()).0, &all), 4, "byte {at}");
        fs::write(&file, &whole[..at]).unwrap();
        let n_whole = heads(&whole).iter().filter(|(_, begins, len)| *begins as usize + len <= at).count();
        assert_eq!(n_found(&opened(dir.path()).0, &all), n_whole, "torn at {at}");
    }
}

#[test]
fn a_process_adds_to_a_file_of_its_own_and_to_none_that_another_touched() {
    let dir = tempfile::tempdir().unwrap();
    let all = texts(0..8);
    let n_files = || fs::read_dir(dir.path()).unwrap().count();
    add(&opened(dir.path()).0, &all[..1]).unwrap();
    let (recent, disk) = opened(dir.path());
    let added = add(&recent, &all[1..2]).unwrap();
    assert_eq!((n_files(), added.dir.is_some()), (2, true));
    let again = add(&recent, &all[2..3]).unwrap();
    assert_eq!((n_files(), again.dir.is_some(), &again.file), (2, false, &added.file));
    // Shorter, longer, gone, a folder: the next text begins another file.
    let len = fs::metadata(&added.file).unwrap().len();
    fs::File::options().write(true).open(&added.file).unwrap().set_len(len - 1).unwrap();
    let next = add(&recent, &all[3..4]).unwrap();
    fs::write(&next.file, [fs::read(&next.file).unwrap(), b"more".to_vec()].concat()).unwrap();
    let next = add(&recent, &all[4..5]).unwrap();
    fs::remove_file(&next.file).unwrap();
    let next = add(&recent, &all[5..6]).unwrap();
    fs::remove_file(&next.file).unwrap();
    fs::create_dir(&next.file).unwrap();
    add(&recent, &all[6..7]).unwrap();
    // And so does one after a failure.
    let n_before = n_files();
    disk.fail_at(disk.n_calls() + 1, Fault::ShortWrite);
    assert!(add(&recent, &all[7..]).is_err());
    add(&recent, &all[7..]).unwrap();
    assert_eq!(n_files(), n_before + 1);
    assert_eq!(n_found(&opened(dir.path()).0, &all), 8 - 3, "those of the torn, removed and replaced files are lost");
    assert_eq!(recent.closed().len(), n_files());
}

#[test]
fn what_is_taken_back_is_not_there_and_what_was_before_it_is() {
    let dir = tempfile::tempdir().unwrap();
    let all = texts(0..3);
    let (recent, _) = opened(dir.path());
    recent.take_back(&add(&recent, &all[..1]).unwrap());
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0);
    add(&recent, &all[..1]).unwrap();
    recent.take_back(&add(&recent, &all[1..]).unwrap());
    assert_eq!(n_found(&recent, &all), 1);
    assert_eq!(n_found(&opened(dir.path()).0, &all), 1);
    assert_eq!(recent.closed()[0].1.texts.len(), 1);
}

#[test]
fn a_file_is_closed_when_it_is_full_or_old() {
    let dir = tempfile::tempdir().unwrap();
    let (recent, disk) = opened(dir.path());
    disk.set_now_ms(1_000);
    let long: Vec<u8> = (0..LARGEST as u32 - 1).map(|n| n.wrapping_mul(2_654_435_761).to_le_bytes()[3]).collect();
    let mut files = std::collections::BTreeSet::new();
    for n in 0..70_u8 {
        let text = [long.as_slice(), &[n]].concat();
        files.insert(add(&recent, &[(ContentHash::of(&text), text)]).unwrap().file);
    }
    assert_eq!((files.len(), recent.closed().len()), (2, 1));
    recent.close(999, |_| false);
    assert_eq!(recent.closed().len(), 1);
    recent.close(1_000, |_| false);
    assert_eq!(recent.closed().len(), 2);
    let text = b"given up".to_vec();
    let hash = ContentHash::of(&text);
    add(&recent, &[(hash, text)]).unwrap();
    recent.close(0, |text| text.hash != hash);
    assert_eq!(recent.closed().len(), 2);
    recent.close(0, |text| text.hash == hash);
    assert_eq!(recent.closed().len(), 3);
}

/// A copy beside it, one that was damaged and stored anew, a place that only looks like one.
#[test]
fn a_text_that_stands_in_several_places_is_read_where_it_is_whole() {
    let all = texts(0..3);
    for keeps in ["0.texts", "z.texts"] {
        let dir = tempfile::tempdir().unwrap();
        let first = add(&opened(dir.path()).0, &all).unwrap().file;
        let bytes = fs::read(&first).unwrap();
        fs::copy(&first, dir.path().join(keeps)).unwrap();
        let forged = [head(&all[0].0, 5), b"never".to_vec()].concat();
        fs::write(dir.path().join("forged.texts"), &forged).unwrap();
        fs::write(dir.path().join("a forged.texts"), &forged).unwrap();
        for lost in [&first, &dir.path().join(keeps)] {
            let (recent, _) = opened(dir.path());
            fs::write(lost, vec![b'-'; bytes.len()]).unwrap();
            assert_eq!(n_found(&recent, &all), 3, "{keeps}: damaged while open");
            assert_eq!(n_found(&opened(dir.path()).0, &all), 3, "{keeps}: damaged before");
            fs::remove_file(lost).unwrap();
            assert_eq!(n_found(&recent, &all), 3, "{keeps}: gone");
            fs::write(lost, &bytes).unwrap();
        }
    }
}

#[test]
fn what_another_program_adds_in_between_begins_another_file() {
    let dir = tempfile::tempdir().unwrap();
    let all = texts(0..3);
    let (recent, disk) = opened(dir.path());
    let file = add(&recent, &all[..1]).unwrap().file;
    let theirs = file.clone();
    disk.before(disk.n_calls() + 1, move || {
        fs::write(&theirs, [fs::read(&theirs).unwrap(), b"theirs".to_vec()].concat()).unwrap();
    });
    assert_ne!(add(&recent, &all[1..2]).unwrap().file, file);
    add(&recent, &all[2..]).unwrap();
    assert_eq!(n_found(&recent, &all), 3);
    assert_eq!(n_found(&opened(dir.path()).0, &all), 3);
}

#[cfg(unix)]
#[test]
fn what_is_not_ours_is_passed_over() {
    let dir = tempfile::tempdir().unwrap();
    let all = texts(0..1);
    add(&opened(dir.path()).0, &all).unwrap();
    // A pipe would be waited for without end, and a long file read whole.
    let made = std::process::Command::new("mkfifo").arg(dir.path().join("pipe.texts")).status().unwrap();
    assert!(made.success());
    fs::create_dir(dir.path().join("folder.texts")).unwrap();
    std::os::unix::fs::symlink("/dev/zero", dir.path().join("link.texts")).unwrap();
    fs::File::create(dir.path().join("long.texts")).unwrap().set_len(1 << 40).unwrap();
    assert_eq!(n_found(&opened(dir.path()).0, &all), 1);
}
