//! Renames that change nothing but the case of a name, where names have none: the usual disks of macOS and Windows.

use crate::{Engine, Intent, OpState, OpenVault, Wish};
use note::RelPath;
use std::path::Path;
use std::sync::Arc;
use vault::folding::FoldingDisk;

struct Bench {
    dir: tempfile::TempDir,
    engine: Engine,
}

impl Bench {
    fn new(files: &[(&str, &str)]) -> Bench {
        let dir = tempfile::tempdir().unwrap();
        for (path, text) in files {
            let path = dir.path().join("vault").join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        let engine = open(dir.path());
        engine.catch_up();
        Bench { dir, engine }
    }

    /// Shows what is on disk, and makes sure that the index knows exactly that.
    fn shown(&self) -> String {
        fn walk(root: &Path, dir: &Path, into: &mut Vec<(String, String)>) {
            for entry in std::fs::read_dir(dir).unwrap() {
                let path = entry.unwrap().path();
                match path.is_dir() {
                    true => walk(root, &path, into),
                    false => into.push((
                        path.strip_prefix(root).unwrap().to_str().unwrap().to_owned(),
                        std::fs::read_to_string(&path).unwrap(),
                    )),
                }
            }
        }
        let (root, mut found) = (self.dir.path().join("vault"), Vec::new());
        walk(&root, &root, &mut found);
        found.sort();
        self.engine.catch_up();
        let mut known: Vec<String> = self.engine.view().index.files().map(|entry| entry.path.to_string()).collect();
        known.sort();
        assert_eq!(known, found.iter().map(|(path, _)| path.clone()).collect::<Vec<_>>());
        found.iter().map(|(path, text)| format!("{path}: {}\n", text.trim_end())).collect()
    }
}

fn open(dir: &Path) -> Engine {
    let cfg = OpenVault {
        root: dir.join("vault"),
        state: dir.join("state"),
        name: "v".to_owned(),
        vault_key: "key".to_owned(),
        system_trash: None,
    };
    Engine::open_on(Arc::new(FoldingDisk), cfg).unwrap()
}

/// Carries a wish out, and takes it back and does it again. Links ask for names in any case, so they stay as they are.
fn check(wish: Wish, after: &str) {
    let mut bench = Bench::new(&[
        ("home.md", "[[note]] [x](dir/note.md) [[dir/sub/deep]]\n"),
        ("dir/note.md", "n\n"),
        ("dir/sub/deep.md", "d\n"),
        ("dir/p.png", "p\n"),
    ]);
    let before = bench.shown();
    let done = bench.engine.grant(&wish, None).unwrap();
    assert_eq!(bench.shown(), after, "{wish:?}");
    let mut turn = done;
    for n in 0..3 {
        bench.engine.close();
        bench.engine = open(bench.dir.path());
        bench.engine.catch_up();
        turn = bench.engine.undo(turn.id.parse().unwrap()).unwrap();
        assert_eq!(turn.state, OpState::Done);
        assert_eq!(bench.shown(), [before.as_str(), after][n % 2], "{wish:?}, turn {n}");
    }
    assert_eq!(bench.engine.info().health, []);
    bench.engine.close();
}

#[test]
fn a_note_is_spelled_in_another_way_and_back() {
    check(
        Wish::MoveNote { path: "dir/note.md".to_owned(), to: "dir/Note.md".to_owned() },
        "dir/Note.md: n\ndir/p.png: p\ndir/sub/deep.md: d\nhome.md: [[note]] [x](dir/note.md) [[dir/sub/deep]]\n",
    );
}

#[test]
fn a_folder_is_spelled_in_another_way_and_back() {
    check(
        Wish::MoveFolder { path: "dir".to_owned(), to: "Dir".to_owned() },
        "Dir/note.md: n\nDir/p.png: p\nDir/sub/deep.md: d\nhome.md: [[note]] [x](dir/note.md) [[dir/sub/deep]]\n",
    );
}

#[test]
fn a_folder_without_files_is_spelled_in_another_way_and_back() {
    let bench = Bench::new(&[("a.md", "a\n")]);
    std::fs::create_dir(bench.dir.path().join("vault/dir")).unwrap();
    let folders = || {
        bench.engine.catch_up();
        bench.engine.view().index.folders().iter().map(RelPath::to_string).collect::<Vec<_>>()
    };
    assert_eq!(folders(), ["dir"]);
    let wish = Wish::MoveFolder { path: "dir".to_owned(), to: "DIR".to_owned() };
    let done = bench.engine.grant(&wish, None).unwrap();
    assert_eq!(folders(), ["DIR"]);
    assert!(
        std::fs::read_dir(bench.dir.path().join("vault")).unwrap().any(|entry| entry.unwrap().file_name() == "DIR")
    );
    bench.engine.undo(done.id.parse().unwrap()).unwrap();
    assert_eq!(folders(), ["dir"]);
    bench.engine.close();
}

#[test]
fn another_program_spells_a_note_in_another_way() {
    let bench = Bench::new(&[("a.md", "a\n"), ("dir/b.md", "b\n")]);
    let at = |path: &str| bench.dir.path().join("vault").join(path);
    std::fs::rename(at("a.md"), at("A.md")).unwrap();
    std::fs::rename(at("dir"), at("DIR")).unwrap();
    assert_eq!(bench.shown(), "A.md: a\nDIR/b.md: b\n");
    bench.engine.close();
}

#[test]
fn a_new_note_or_folder_is_refused_where_one_of_another_case_is() {
    let bench = Bench::new(&[("a.md", "a\n"), ("dir/b.md", "b\n")]);
    let create =
        |path: &str| bench.engine.carry(Intent::CreateNote { path: RelPath::new(path).unwrap(), text: String::new() });
    assert!(create("A.md").is_err());
    create("DIR/c.md").unwrap();
    assert_eq!(bench.shown(), "a.md: a\ndir/b.md: b\ndir/c.md: \n");
    assert!(bench.engine.create_folder(&RelPath::new("Dir").unwrap()).is_err());
    bench.engine.close();
}
