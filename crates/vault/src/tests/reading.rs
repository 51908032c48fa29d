//! Scanning, reading and watching.

use std::collections::BTreeSet;
use std::fs;
use std::sync::mpsc::{self, Receiver};
use std::time::{Duration, Instant};

use expect_test::{Expect, expect};

use super::*;
use crate::{OpenError, ReadError, Watched, Watcher};

fn check_scan(world: &World, scanned: Expect) {
    let (vault, _) = world.open();
    let scan = vault.reader().scan().unwrap();
    let mut shown = String::new();
    for found in scan.files {
        let link = if found.stat.is_symlink { " (link)" } else { "" };
        shown += &format!("{} {}{link}\n", found.path, found.stat.len);
    }
    for folder in scan.folders {
        shown += &format!("{folder}/\n");
    }
    for skipped in scan.skipped {
        shown += &format!("{}: {:?}\n", skipped.path, skipped.reason);
    }
    scanned.assert_eq(&shown);
}

#[test]
fn a_scan_is_sorted_and_leaves_out_what_is_hidden() {
    let world = World::new(&[
        ("b/z.md", "12"),
        ("b/a.canvas", "{}"),
        ("b.md", "123"),
        (".obsidian/app.json", "{}"),
        ("b/.hidden.md", ""),
        (".away.md.icloud", "placeholder"),
        ("picture.png", "1234"),
    ]);
    fs::create_dir(world.path("empty")).unwrap();
    check_scan(
        &world,
        expect![[r#"
            b.md 3
            b/a.canvas 2
            b/z.md 2
            picture.png 4
            b/
            empty/
            away.md: NotDownloaded
        "#]],
    );
}

#[cfg(unix)]
#[test]
fn links_are_followed_only_inside_and_never_in_circles() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    use std::os::unix::fs::symlink;

    let world = World::new(&[("a/n.md", "note"), (".git/config", "")]);
    put(&world.dir.path().join("out/secret.md"), "SECRET");
    symlink("a/n.md", world.path("link.md")).unwrap();
    symlink("..", world.path("a/up")).unwrap();
    symlink("a", world.path("again")).unwrap();
    symlink(world.dir.path().join("out"), world.path("out")).unwrap();
    symlink(world.dir.path().join("out/secret.md"), world.path("out.md")).unwrap();
    symlink(".git/config", world.path("config.md")).unwrap();
    symlink("gone.md", world.path("broken.md")).unwrap();
    symlink("loop", world.path("loop")).unwrap();
    fs::write(world.root().join(OsStr::from_bytes(b"latin-\xe9.md")), "x").unwrap();
    fs::write(world.path("back\\slash.md"), "x").unwrap();
    check_scan(
        &world,
        expect![[r#"
            a/n.md 4
            link.md 4 (link)
            a/
            a/up: LinkedFolder
            again: LinkedFolder
            back\slash.md: Name
            broken.md: BrokenLink
            config.md: Outside
            latin-�.md: Name
            loop: BrokenLink
            out: Outside
            out.md: Outside
        "#]],
    );
}

#[test]
fn a_read_hashes_what_it_returns_and_says_why_not() {
    let world = World::new(&[("a/n.md", "note"), (".obsidian/app.json", "{}"), ("a/.x.md.icloud", "")]);
    let (vault, _) = world.open();
    let reader = vault.reader();
    let read = reader.read(&rel("a/n.md")).unwrap();
    assert_eq!(State::Is(read.hash), is("note"));
    assert_eq!((read.stat.len, read.writable, read.stat.is_symlink), (4, true, false));
    assert!(matches!(reader.read(&rel("a")), Err(ReadError::NotAFile { .. })));
    assert!(matches!(reader.read(&rel("a/m.md")), Err(ReadError::Missing { .. })));
    assert!(matches!(reader.read(&rel("a/n.md/x.md")), Err(ReadError::Missing { .. })));
    assert!(matches!(reader.read(&rel("a/x.md")), Err(ReadError::NotDownloaded { .. })));
    assert!(matches!(reader.read(&rel(".obsidian/app.json")), Err(ReadError::Hidden { .. })));
    assert!(matches!(reader.read(&rel(&"x".repeat(300))), Err(ReadError::Missing { .. })));
    assert_eq!(reader.read_config("app.json").as_deref(), Some(&b"{}"[..]));
    assert_eq!(reader.read_config("none.json"), None);
    assert!(reader.exists(&rel("a")) && !reader.exists(&rel("b")));
    assert_eq!(reader.is_read_only(), None);
}

#[test]
fn opening_says_what_is_wrong() {
    let world = World::new(&[("a.md", "A")]);
    let open =
        |root: PathBuf, state: PathBuf| Vault::open(&root, StateDir::new(state), Arc::new(RealDisk)).unwrap_err();
    let missing = open(world.path("none"), world.state());
    assert!(matches!(missing, OpenError::Missing { .. }), "{missing}");
    let file = open(world.path("a.md"), world.state());
    assert!(matches!(file, OpenError::NotAFolder { .. }), "{file}");
    let inside = open(world.root(), world.path(".vidimus"));
    assert!(matches!(inside, OpenError::State { .. }), "{inside}");
    let deep = open(world.root(), world.path("data/state/of/it"));
    assert!(matches!(deep, OpenError::State { .. }), "{deep}");
    assert_eq!(fs::read_dir(world.root()).unwrap().count(), 1, "a refusal leaves no folder in the vault");
    put(&world.dir.path().join("file"), "");
    let blocked = open(world.root(), world.dir.path().join("file"));
    assert!(matches!(blocked, OpenError::State { .. }), "{blocked}");
}

#[test]
fn one_process_writes_and_the_next_may_when_it_is_gone() {
    let world = World::new(&[("a.md", "A")]);
    let (vault, _) = world.open();
    match world.try_open(Arc::new(RealDisk)) {
        Err(OpenError::Locked { pid }) => assert_eq!(pid, Some(std::process::id())),
        other => panic!("{other:?}"),
    }
    drop(vault);
    world.open();
}

#[test]
fn a_vault_whose_folder_went_away_has_lost_nothing() {
    let world = World::new(&[("a.md", "A")]);
    let (mut vault, _) = world.open();
    let reader = vault.reader();
    let away = world.dir.path().join("away");
    fs::rename(world.root(), &away).unwrap();
    for is_empty_folder in [false, true] {
        if is_empty_folder {
            fs::create_dir(world.root()).unwrap();
        }
        assert!(reader.scan().is_err());
        assert!(matches!(reader.read(&rel("a.md")), Err(ReadError::Io { .. })));
        assert!(reader.is_read_only().is_some());
        let error = vault.commit(change(1, &[("new.md", None, Some("N"))])).unwrap_err();
        assert_eq!(error.to_string(), "cannot write `new.md`: the folder of the vault is no longer there");
    }
    fs::remove_dir(world.root()).unwrap();
    fs::rename(&away, world.root()).unwrap();
    vault.commit(change(1, &[("new.md", None, Some("N"))])).unwrap();
    assert_eq!(reader.scan().unwrap().files.len(), 2);
}

struct Seen {
    events: Receiver<Watched>,
    _watcher: Watcher,
    vault: Vault,
}

impl Seen {
    fn watch(world: &World) -> Seen {
        let (vault, _) = world.open();
        let (send, events) = mpsc::channel();
        let watcher = vault
            .watch(Box::new(move |watched| {
                let _ = send.send(watched);
            }))
            .unwrap();
        Seen { events, _watcher: watcher, vault }
    }

    /// Waits until all of these have been reported.
    fn wait_for(&self, paths: &[&str]) -> BTreeSet<String> {
        let deadline = Instant::now() + Duration::from_secs(20);
        let mut seen = BTreeSet::new();
        while !paths.iter().all(|path| seen.contains(*path)) {
            let left = deadline.saturating_duration_since(Instant::now());
            match self.events.recv_timeout(left) {
                Ok(Watched::Paths(paths)) => seen.extend(paths.iter().map(RelPath::to_string)),
                Ok(Watched::Settings) => drop(seen.insert("settings".to_owned())),
                Ok(Watched::Rescan) => {}
                Err(_) => panic!("only {seen:?} of {paths:?}"),
            }
        }
        seen
    }
}

#[test]
fn settings_that_another_program_writes_are_reported() {
    let world = World::new(&[("a.md", "A")]);
    let seen = Seen::watch(&world);
    // The folder comes with what is in it, and is looked at from then on.
    world.put(".obsidian/appearance.json", "{}");
    assert_eq!(seen.wait_for(&["settings"]), BTreeSet::from(["settings".to_owned()]));
    world.put(".obsidian/snippets/wide.css", "p {}");
    seen.wait_for(&["settings"]);
    world.put(".obsidian/snippets/wide.css", "a {}");
    seen.wait_for(&["settings"]);
    world.put(".obsidian/workspace.json", "{}");
    world.put("a.md", "B");
    assert_eq!(seen.wait_for(&["a.md"]), BTreeSet::from(["a.md".to_owned()]));
    let reader = seen.vault.reader();
    assert_eq!(reader.list_config("snippets"), ["wide.css"]);
    assert_eq!(reader.list_config("themes"), Vec::<String>::new());
}

#[test]
fn changes_are_reported_and_reads_are_not() {
    let world = World::new(&[("a.md", "A"), ("sub/b.md", "B"), (".git/index", "")]);
    let seen = Seen::watch(&world);
    fs::read(world.path("a.md")).unwrap();
    world.put(".git/index", "1");
    world.put("sub/.b.md.tmp", "1");
    world.put("sub/b.md", "B2");
    assert_eq!(seen.wait_for(&["sub/b.md"]), BTreeSet::from(["sub/b.md".to_owned()]));
    fs::remove_file(world.path("a.md")).unwrap();
    seen.wait_for(&["a.md"]);
}

#[test]
fn new_and_moved_folders_are_watched() {
    let world = World::new(&[("a.md", "A"), ("old/deep/n.md", "N")]);
    let seen = Seen::watch(&world);
    world.put("x/y/z/new.md", "1");
    seen.wait_for(&["x/y/z/new.md"]);
    world.put("x/y/z/new.md", "2");
    world.put("x/y/later.md", "2");
    seen.wait_for(&["x/y/z/new.md", "x/y/later.md"]);

    fs::rename(world.path("old"), world.path("moved")).unwrap();
    seen.wait_for(&["old", "moved/deep/n.md"]);
    world.put("moved/deep/n.md", "N2");
    seen.wait_for(&["moved/deep/n.md"]);
    fs::remove_dir_all(world.path("moved")).unwrap();
    seen.wait_for(&["moved"]);
}

#[test]
fn a_dropped_watcher_is_silent() {
    let world = World::new(&[("a.md", "A")]);
    let Seen { events, _watcher: watcher, vault } = Seen::watch(&world);
    drop(watcher);
    world.put("a.md", "B");
    // The thread ends, and with it the sender.
    let heard = events.recv_timeout(Duration::from_secs(20));
    assert_eq!(heard, Err(mpsc::RecvTimeoutError::Disconnected));
    drop(vault);
}
