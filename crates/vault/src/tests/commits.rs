//! What a commit does to files, when nothing goes wrong and when something is refused.

use std::fs;
use std::sync::Arc;

use expect_test::{Expect, expect};

use super::*;
use crate::fault::FaultDisk;
use crate::{CommitError, Entry, HealthNotice};

fn check(before: &[(&str, &str)], steps: &[Asked<'_>], after: Expect) {
    for disk in [FaultDisk::new(), FaultDisk::new().without_swap()] {
        let world = World::new(before);
        let (mut vault, _) = world.try_open(Arc::new(disk)).unwrap();
        let outcome = vault.commit(change(1, steps));
        let shown_at_once = world.files();
        vault.tick(u64::MAX);
        assert_eq!(world.files(), shown_at_once, "nothing waits in the vault");
        let said = match &outcome {
            Ok(committed) => format!("done: {}", committed.paths.len()),
            Err(error) => format!("refused: {error}"),
        };
        drop(vault);
        let mut shown = said + "\n";
        for (path, text) in world.files() {
            shown += &format!("{path}: {text}\n");
        }
        after.assert_eq(&shown);
    }
}

#[test]
fn one_mechanism_creates_edits_moves_and_deletes() {
    check(
        &[("a.md", "A"), ("b.md", "B"), ("c.md", "C")],
        &[
            ("a.md", Some("A"), Some("A2")),
            ("new/folder/n.md", None, Some("N")),
            ("b.md", Some("B"), None),
            ("c.md", Some("C"), None),
            ("moved/c.md", None, Some("C")),
        ],
        expect![[r#"
            done: 5
            a.md: A2
            moved/c.md: C
            new/folder/n.md: N
        "#]],
    );
}

#[test]
fn a_stale_file_refuses_the_whole_change() {
    check(
        &[("a.md", "A"), ("b.md", "theirs")],
        &[("a.md", Some("A"), Some("A2")), ("b.md", Some("B"), Some("B2"))],
        expect![[r#"
            refused: note changed since it was read: `b.md`
            a.md: A
            b.md: theirs
        "#]],
    );
    check(
        &[("a.md", "A"), ("b.md", "theirs")],
        &[("a.md", Some("A"), Some("A2")), ("b.md", None, Some("B2"))],
        expect![[r#"
            refused: note changed since it was read: `b.md`
            a.md: A
            b.md: theirs
        "#]],
    );
    check(
        &[("a.md", "A")],
        &[("a.md", Some("A"), Some("A2")), ("gone.md", Some("B"), None)],
        expect![[r#"
            refused: note changed since it was read: `gone.md`
            a.md: A
        "#]],
    );
}

#[test]
fn a_guard_is_checked_and_not_written() {
    check(
        &[("a.md", "A"), ("b.md", "B")],
        &[("b.md", Some("B"), Some("B")), ("c.md", None, None), ("a.md", Some("A"), Some("A2"))],
        expect![[r#"
            done: 1
            a.md: A2
            b.md: B
        "#]],
    );
    check(
        &[("a.md", "A"), ("c.md", "C")],
        &[("c.md", None, None), ("a.md", Some("A"), Some("A2"))],
        expect![[r#"
            refused: note changed since it was read: `c.md`
            a.md: A
            c.md: C
        "#]],
    );
}

#[test]
fn a_case_only_rename_is_a_rename() {
    check(
        &[("Note.md", "N"), ("x/Twin.md", "T")],
        &[
            ("Note.md", Some("N"), None),
            ("note.md", None, Some("N")),
            ("x/Twin.md", Some("T"), None),
            ("x/twin.md", None, Some("T2")),
        ],
        expect![[r#"
            done: 4
            note.md: N
            x/twin.md: T2
        "#]],
    );
}

#[test]
fn nfc_and_nfd_names_are_two_files() {
    let (composed, decomposed) = ("r\u{e9}sum\u{e9}.md", "re\u{301}sume\u{301}.md");
    let world = World::new(&[(composed, "C"), (decomposed, "D")]);
    let (mut vault, _) = world.open();
    vault.commit(change(1, &[(decomposed, Some("D"), Some("edited"))])).unwrap();
    drop(vault);
    assert_eq!(world.files(), files(&[(composed, "C"), (decomposed, "edited")]));
}

#[test]
fn hidden_paths_are_refused_but_for_the_trash_and_the_bookmarks() {
    check(
        &[("a.md", "A"), (".obsidian/app.json", "{}")],
        &[(".obsidian/app.json", Some("{}"), Some("{ }"))],
        expect![[r#"
            refused: path is outside of the notes: `.obsidian/app.json`
            .obsidian/app.json: {}
            a.md: A
        "#]],
    );
    check(
        &[("a/b.md", "B")],
        &[("a/b.md", Some("B"), None), (".trash/a/b.md", None, Some("B"))],
        expect![[r#"
            done: 2
            .trash/a/b.md: B
        "#]],
    );
    check(
        &[("a.md", "A"), (".obsidian/bookmarks.json", "{}")],
        &[("a.md", Some("A"), Some("B")), (".obsidian/bookmarks.json", Some("{}"), Some("{ }"))],
        expect![[r#"
            done: 2
            .obsidian/bookmarks.json: { }
            a.md: B
        "#]],
    );
    check(
        &[("a.md", "A"), ("b/.obsidian/bookmarks.json", "{}")],
        &[("b/.obsidian/bookmarks.json", Some("{}"), Some("{ }"))],
        expect![[r#"
            refused: path is outside of the notes: `b/.obsidian/bookmarks.json`
            a.md: A
            b/.obsidian/bookmarks.json: {}
        "#]],
    );
}

#[test]
fn a_file_in_the_way_of_a_folder_is_named() {
    check(
        &[("a.md", "A"), ("plans", "not a folder")],
        &[("plans/june.md", None, Some("J"))],
        expect![[r#"
            refused: cannot write `plans/june.md`: a part of the path is not a folder
            a.md: A
            plans: not a folder
        "#]],
    );
    check(
        &[("plans/june.md", "J")],
        &[("plans", None, Some("P"))],
        expect![[r#"
            refused: cannot write `plans`: is a directory
            plans/june.md: J
        "#]],
    );
}

#[test]
fn a_change_that_contradicts_itself_is_refused() {
    check(
        &[("a.md", "A")],
        &[("a.md", Some("A"), Some("1")), ("a.md", Some("A"), Some("2"))],
        expect![[r#"
            refused: not a change that can be made: the same file is changed in two ways: `a.md`
            a.md: A
        "#]],
    );
    let world = World::new(&[("a.md", "A")]);
    let (mut vault, _) = world.open();
    let mut asked = change(1, &[("a.md", Some("A"), Some("A2"))]);
    asked.contents.clear();
    let error = vault.commit(asked).unwrap_err();
    assert_eq!(
        error.to_string(),
        "not a change that can be made: the new text is neither given nor in the history: `a.md`"
    );
}

#[test]
fn an_old_text_comes_back_from_the_history() {
    let world = World::new(&[("a.md", "one")]);
    let (mut vault, _) = world.open();
    vault.commit(change(1, &[("a.md", Some("one"), Some("two"))])).unwrap();
    let mut back = change(2, &[("a.md", Some("two"), Some("one"))]);
    back.contents.clear();
    vault.commit(back).unwrap();
    assert_eq!(world.get("a.md").as_deref(), Some("one"));
    let two = ContentHash::of(b"two");
    assert_eq!(vault.reader().blob(&two).unwrap().as_deref(), Some(&b"two"[..]));
}

#[test]
fn bytes_that_are_not_text_are_bytes() {
    let world = World::new(&[]);
    let old = b"\xff\xfe latin \xe9".to_vec();
    let new = b"\x00\x01\xff".to_vec();
    fs::write(world.path("old.md"), &old).unwrap();
    let (mut vault, _) = world.open();
    let mut asked = change(1, &[]);
    asked.steps.push(Step {
        path: rel("old.md"),
        before: State::Is(ContentHash::of(&old)),
        after: State::Is(ContentHash::of(&new)),
    });
    asked.contents.push(new.clone());
    vault.commit(asked).unwrap();
    assert_eq!(fs::read(world.path("old.md")).unwrap(), new);
    assert_eq!(vault.reader().blob(&ContentHash::of(&old)).unwrap(), Some(old));
}

#[test]
fn long_names_have_temporary_names_that_fit() {
    let long = format!("{}.md", "\u{e9}".repeat(126));
    assert_eq!(long.len(), 255);
    let world = World::new(&[(&long, "A")]);
    let (mut vault, _) = world.open();
    vault.commit(change(1, &[(&long, Some("A"), Some("B"))])).unwrap();
    assert_eq!(world.get(&long).as_deref(), Some("B"));
}

#[test]
fn the_journal_tells_what_happened() {
    let world = World::new(&[("a.md", "A")]);
    let (mut vault, _) = world.open();
    vault.record(op(7), serde_json::json!({"z": 1, "a": [1.5, null]})).unwrap();
    vault.commit(change(1, &[("a.md", Some("A"), Some("B"))])).unwrap();
    let before = vault.entries().unwrap();
    drop(vault);
    let (vault, settled) = world.open();
    assert_eq!(settled, []);
    let entries = vault.entries().unwrap();
    assert_eq!(entries, before);
    assert!(matches!(
        &entries[..],
        [Entry::Recorded { .. }, Entry::Begun { steps, .. }, Entry::Done { .. }] if steps.len() == 1
    ));
}

#[test]
fn without_an_exchange_the_person_is_told() {
    let world = World::new(&[("a.md", "A")]);
    let (mut vault, _) = world.try_open(Arc::new(FaultDisk::new().without_swap())).unwrap();
    assert_eq!(vault.health(), []);
    vault.commit(change(1, &[("a.md", Some("A"), Some("B"))])).unwrap();
    assert_eq!(vault.health(), [HealthNotice::NoAtomicSwap]);
    let (mut vault, world) = {
        let world = World::new(&[("a.md", "A")]);
        (world.open().0, world)
    };
    vault.commit(change(1, &[("a.md", Some("A"), Some("B"))])).unwrap();
    assert_eq!(vault.health(), [], "{:?}", world.root());
}

#[test]
fn a_commit_names_the_interrupted_operation_in_its_way() {
    let world = World::new(&[("a.md", "A"), ("b.md", "B"), ("c.md", "C")]);
    let (mut vault, _) = world.open();
    vault.interrupt(op(9), Vec::new(), vec![rel("a.md")], true);
    let error = vault.commit(change(1, &[("a.md", Some("A"), Some("B"))])).unwrap_err();
    assert!(matches!(error, CommitError::Interrupted { op: by, .. } if by == op(9)));
    vault.commit(change(2, &[("c.md", Some("C"), Some("D"))])).unwrap();
    vault.release(op(9));
    vault.commit(change(1, &[("a.md", Some("A"), Some("B"))])).unwrap();
}

/// What makes a commit durable is the order of its calls, which no test can see fail.
#[test]
fn the_order_of_calls_is_the_promise() {
    let world = World::new(&[("a.md", "A"), ("b.md", "B")]);
    let disk = Arc::new(FaultDisk::new());
    let (mut vault, _) = world.try_open(disk.clone()).unwrap();
    let first = disk.n_calls();
    vault.commit(change(1, &[("a.md", Some("A"), Some("A2")), ("b.md", Some("B"), None)])).unwrap();
    let mut shown = String::new();
    for call in &disk.calls()[first..] {
        let path = call.path.strip_prefix(world.dir.path()).unwrap().to_str().unwrap();
        let path = match path.split_once("blobs/") {
            Some(_) => "a blob",
            None if path.contains("/.") => "a temporary file",
            None => path,
        };
        if !matches!(call.name, "stat" | "refusal") {
            shown += &format!("{} {path}\n", call.name);
        }
    }
    expect![[r#"
        read vault/a.md
        read vault/b.md
        read a blob
        read a blob
        read a blob
        write_temp a blob
        create_dir a blob
        sync_dirs state/of/it/blobs
        write_temp a blob
        append state/of/it/journal.jsonl
        sync_both state/of/it/journal.jsonl
        write_temp a temporary file
        set_attributes vault/a.md
        sync a temporary file
        swap a temporary file
        hash a temporary file
        rename_new vault/b.md
        hash a temporary file
        sync_dirs vault
        remove_and_hold a temporary file
        remove_and_hold a temporary file
        append state/of/it/journal.jsonl
    "#]]
    .assert_eq(&shown);
}

#[cfg(unix)]
mod unix {
    use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};

    use super::*;

    fn mode(world: &World, path: &str) -> u32 {
        fs::metadata(world.path(path)).unwrap().permissions().mode() & 0o7777
    }

    #[test]
    fn mode_and_attributes_stay() {
        let world = World::new(&[("a.md", "A"), ("b.md", "B")]);
        fs::set_permissions(world.path("a.md"), fs::Permissions::from_mode(0o640)).unwrap();
        let tagged = xattr::set(world.path("a.md"), "user.tag", b"blue").is_ok();
        let (mut vault, _) = world.open();
        vault
            .commit(change(
                1,
                &[
                    ("a.md", Some("A"), Some("A2")),
                    ("n.md", None, Some("N")),
                    ("b.md", Some("B"), None),
                    ("c/b.md", None, Some("B")),
                ],
            ))
            .unwrap();
        assert_eq!(mode(&world, "a.md"), 0o640);
        if tagged {
            let tag = xattr::get(world.path("a.md"), "user.tag").unwrap();
            assert_eq!(tag.as_deref(), Some(&b"blue"[..]));
        }
        assert_ne!(mode(&world, "n.md"), 0o600, "a new note is for whoever the person's settings say");
    }

    /// What a person gave to a note stays with it, whatever becomes of its text and its place.
    #[test]
    fn mode_owner_and_attributes_go_with_the_note() {
        const STEPS: &[(&str, &[Asked<'static>], &str)] = &[
            ("saved", &[("d/a.md", Some("A"), Some("A2"))], "d/a.md"),
            ("moved", &[("d/a.md", Some("A"), None), ("e/b.md", None, Some("A"))], "e/b.md"),
            ("moved and edited", &[("d/a.md", Some("A"), None), ("e/b.md", None, Some("A2"))], "e/b.md"),
            (
                "moved with its folder and edited",
                &[
                    ("e/f/other.md", None, Some("O2")),
                    ("d/a.md", Some("A"), None),
                    ("d/other.md", Some("O"), None),
                    ("e/f/a.md", None, Some("A2")),
                ],
                "e/f/a.md",
            ),
            ("renamed in case and edited", &[("d/a.md", Some("A"), None), ("d/A.md", None, Some("A2"))], "d/A.md"),
            ("deleted", &[("d/a.md", Some("A"), None), (".trash/d/a.md", None, Some("A"))], ".trash/d/a.md"),
        ];
        for (what, steps, path) in STEPS {
            for disk in [FaultDisk::new(), FaultDisk::new().without_swap(), FaultDisk::new().without_hold()] {
                let world = World::new(&[("d/a.md", "A"), ("d/other.md", "O")]);
                let file = world.path("d/a.md");
                fs::set_permissions(&file, fs::Permissions::from_mode(0o640)).unwrap();
                let tagged = xattr::set(&file, "user.tag", b"blue").is_ok();
                // Only root may give a file away.
                let given = std::os::unix::fs::chown(&file, Some(1234), Some(2345)).is_ok();
                let (mut vault, _) = world.try_open(Arc::new(disk)).unwrap();
                vault.commit(change(1, steps)).unwrap();
                drop(vault);
                let meta = fs::metadata(world.path(path)).unwrap();
                assert_eq!(meta.mode() & 0o7777, 0o640, "{what}");
                assert!(!given || (meta.uid(), meta.gid()) == (1234, 2345), "{what}");
                if tagged {
                    let tag = xattr::get(world.path(path), "user.tag").unwrap();
                    assert_eq!(tag.as_deref(), Some(&b"blue"[..]), "{what}");
                }
                if what.starts_with("moved with") {
                    assert_ne!(mode(&world, "e/f/other.md"), 0o640, "{what}: it was another file's");
                }
            }
        }
    }

    #[test]
    fn a_change_that_is_taken_back_leaves_mode_and_attributes() {
        for new_disk in [FaultDisk::new, || FaultDisk::new().without_swap()] {
            let steps = [("a.md", Some("A"), Some("A2")), ("b.md", Some("B"), None)];
            let mut set_aside = None;
            for last in [false, true] {
                let world = World::new(&[("a.md", "A"), ("b.md", "B")]);
                fs::set_permissions(world.path("a.md"), fs::Permissions::from_mode(0o600)).unwrap();
                let tagged = xattr::set(world.path("a.md"), "user.tag", b"blue").is_ok();
                let disk = Arc::new(new_disk());
                if let Some(nth) = set_aside {
                    disk.fail_at(nth, crate::fault::Fault::Failure);
                }
                let (mut vault, _) = world.try_open(disk.clone()).unwrap();
                assert_eq!(vault.commit(change(1, &steps)).is_err(), last);
                drop(vault);
                set_aside = disk.calls().iter().position(|call| call.name == "rename_new");
                assert!(!last || world.files() == files(&[("a.md", "A"), ("b.md", "B")]));
                assert_eq!(mode(&world, "a.md"), 0o600);
                assert!(!tagged || xattr::get(world.path("a.md"), "user.tag").unwrap().is_some());
            }
        }
    }

    #[test]
    fn a_moved_file_stays_the_same_file() {
        let world = World::new(&[("a.md", "A")]);
        let before = fs::metadata(world.path("a.md")).unwrap();
        let (mut vault, _) = world.open();
        vault.commit(change(1, &[("x/y/b.md", None, Some("A")), ("a.md", Some("A"), None)])).unwrap();
        let after = fs::metadata(world.path("x/y/b.md")).unwrap();
        assert_eq!(before.ino(), after.ino());
        assert_eq!(before.mtime_nsec(), after.mtime_nsec());
    }

    #[test]
    fn the_other_names_of_a_file_see_the_change() {
        let world = World::new(&[("a.md", "A, which is longer than what follows")]);
        fs::hard_link(world.path("a.md"), world.dir.path().join("outside.md")).unwrap();
        let (mut vault, _) = world.open();
        vault.commit(change(1, &[("a.md", Some("A, which is longer than what follows"), Some("B"))])).unwrap();
        let outside = fs::read_to_string(world.dir.path().join("outside.md")).unwrap();
        assert_eq!(outside, "B");
        // Moving one name and deleting one leave the others alone.
        vault.commit(change(2, &[("a.md", Some("B"), None), ("x/b.md", None, Some("B"))])).unwrap();
        let same = |path: &Path| fs::metadata(path).unwrap().ino();
        assert_eq!(same(&world.path("x/b.md")), same(&world.dir.path().join("outside.md")));
        vault.commit(change(3, &[("x/b.md", Some("B"), None)])).unwrap();
        drop(vault);
        assert_eq!(fs::read_to_string(world.dir.path().join("outside.md")).unwrap(), "B");
    }

    #[test]
    fn a_link_inside_the_vault_is_followed_and_stays() {
        let world = World::new(&[("real/a.md", "A"), ("b.md", "B")]);
        symlink("real/a.md", world.path("link.md")).unwrap();
        symlink("real", world.path("folder")).unwrap();
        let (mut vault, _) = world.open();
        vault.commit(change(1, &[("link.md", Some("A"), Some("A2")), ("real/a.md", Some("A"), Some("A2"))])).unwrap();
        assert_eq!(world.get("real/a.md").as_deref(), Some("A2"));
        vault.commit(change(2, &[("folder/a.md", Some("A2"), Some("A3"))])).unwrap();
        assert_eq!(world.get("real/a.md").as_deref(), Some("A3"));
        assert!(fs::symlink_metadata(world.path("link.md")).unwrap().is_symlink());

        // Deleting a link takes the link alone.
        vault.commit(change(3, &[("link.md", Some("A3"), None)])).unwrap();
        vault.tick(u64::MAX);
        assert!(fs::symlink_metadata(world.path("link.md")).is_err());
        assert_eq!(world.get("real/a.md").as_deref(), Some("A3"));
        drop(vault);
        assert_eq!(world.files(), files(&[("b.md", "B"), ("real/a.md", "A3")]));
    }

    #[test]
    fn a_link_out_of_the_vault_is_refused() {
        let world = World::new(&[("a.md", "A"), (".git/config", "G")]);
        put(&world.dir.path().join("out/secret.md"), "SECRET");
        symlink(world.dir.path().join("out/secret.md"), world.path("link.md")).unwrap();
        symlink(world.dir.path().join("out"), world.path("folder")).unwrap();
        symlink(".git", world.path("git")).unwrap();
        symlink("nothing.md", world.path("broken.md")).unwrap();
        symlink("loop.md", world.path("loop.md")).unwrap();
        let (mut vault, _) = world.open();
        let outside = [
            ("link.md", Some("SECRET"), Some("X")),
            ("folder/secret.md", Some("SECRET"), Some("X")),
            ("folder/new/n.md", None, Some("X")),
            ("git/config", Some("G"), Some("X")),
        ];
        for asked in outside {
            let error = vault.commit(change(1, &[asked])).unwrap_err();
            assert!(matches!(error, CommitError::Outside { .. }), "{asked:?}: {error}");
        }
        for asked in [("broken.md", None, Some("X")), ("loop.md", None, Some("X"))] {
            let error = vault.commit(change(1, &[asked])).unwrap_err();
            assert!(matches!(error, CommitError::ReadOnly { .. }), "{asked:?}: {error}");
        }
        let secret = fs::read_to_string(world.dir.path().join("out/secret.md")).unwrap();
        assert_eq!(secret, "SECRET");
        assert_eq!(vault.entries().unwrap(), []);
    }

    #[test]
    fn a_protected_file_is_not_replaced() {
        let world = World::new(&[("a.md", "A"), ("b.md", "B")]);
        fs::set_permissions(world.path("a.md"), fs::Permissions::from_mode(0o444)).unwrap();
        let (mut vault, _) = world.open();
        let asked = [("b.md", Some("B"), Some("B2")), ("a.md", Some("A"), Some("A2"))];
        let error = vault.commit(change(1, &asked)).unwrap_err();
        assert_eq!(error.to_string(), "cannot write `a.md`: the file is write-protected");
        assert!(!vault.reader().read(&rel("a.md")).unwrap().writable);
        assert!(vault.reader().read(&rel("b.md")).unwrap().writable);
        assert_eq!(world.files(), files(&[("a.md", "A"), ("b.md", "B")]));
    }

    #[test]
    fn the_state_folder_is_private() {
        let world = World::new(&[]);
        let (vault, _) = world.open();
        let mode = |path: &str| fs::metadata(world.state().join(path)).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(""), 0o700);
        assert_eq!(mode("blobs"), 0o700);
        assert_eq!(mode("journal.jsonl"), 0o600);
        assert_eq!(mode("lock"), 0o600);
        drop(vault);
    }
}
