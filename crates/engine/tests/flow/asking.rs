//! What an agent is answered while another program writes: each answer knows all that was on disk when it was asked for.

use crate::bench::{Bench, PATIENCE};
use engine::{ContentHash, NoteQuery, NoteSort, Writes};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::time::Instant;

/// What a list of all notes says, by path.
fn answered(bench: &Bench) -> BTreeMap<String, String> {
    let desk = bench.desk(Writes::Off);
    desk.catch_up();
    let query = NoteQuery {
        folder: String::new(),
        tags: Vec::new(),
        properties: Vec::new(),
        updated_since: None,
        sort: NoteSort::Path,
        offset: 0,
        limit: usize::MAX,
    };
    desk.view().list_notes(&query).notes.into_iter().map(|note| (note.path, note.content_hash)).collect()
}

fn on_disk(bench: &Bench) -> BTreeMap<String, String> {
    let files = bench.files().into_iter().filter(|(path, _)| path.ends_with(".md"));
    files.map(|(path, bytes)| (path, ContentHash::of(&bytes).to_string())).collect()
}

#[test]
fn whatever_was_written_before_a_question_is_in_its_answer() {
    let bench = Bench::new("//- /a.md\none\n//- /deep/b.md\ntwo\n");
    let mut state = 11_u64;
    let mut below = |n: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % n
    };
    let folders = ["", "deep", "deep/down", "new", "new/er"];
    for step in 0..200 {
        // Mostly something is asked while nothing happens, and is answered without a look.
        for _ in 0..below(3) {
            assert_eq!(answered(&bench), on_disk(&bench), "before step {step}");
        }
        let root = bench.root();
        let mut place = |name: u64| {
            let folder = root.join(folders[below(folders.len() as u64) as usize]);
            (folder.clone(), folder.join(format!("n{name}.md")))
        };
        let ((folder, one), (_, other)) = (place(step % 7), place(step % 5));
        // Some of these cannot be done at some moments, which is as good.
        let _ = match step % 9 {
            0 | 1 => fs::create_dir_all(&folder).and_then(|()| fs::write(&one, format!("text {step}"))),
            2 => fs::OpenOptions::new().append(true).open(&one).and_then(|mut file| {
                use std::io::Write;
                file.write_all(format!("more {step}").as_bytes())
            }),
            3 => fs::rename(&one, &other),
            4 => fs::remove_file(&one),
            5 => fs::rename(root.join("new"), root.join("deep/down/moved")),
            6 => fs::rename(root.join("deep/down/moved"), root.join("new")),
            7 => fs::remove_dir_all(root.join("new/er")),
            _ => fs::copy(&one, &other).map(drop),
        };
        assert_eq!(answered(&bench), on_disk(&bench), "step {step}");
    }
}

#[cfg(unix)]
#[test]
fn what_is_written_through_another_name_of_a_note_is_soon_known() {
    let bench = Bench::new("//- /a.md\none\n");
    let other = bench.dir.path().join("other-name");
    fs::hard_link(bench.root().join("a.md"), &other).unwrap();
    let before = (answered(&bench), answered(&bench));
    assert_eq!(before.0, before.1);
    write_in_place(&other, b"two and more\n");
    let begun = Instant::now();
    while answered(&bench) != on_disk(&bench) {
        assert!(begun.elapsed() < PATIENCE, "it is never known");
        std::thread::yield_now();
    }
}

#[cfg(unix)]
fn write_in_place(path: &Path, bytes: &[u8]) {
    use std::io::Write;
    fs::OpenOptions::new().write(true).open(path).unwrap().write_all(bytes).unwrap();
}
