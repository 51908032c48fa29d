//! Folders: made, moved and deleted with all that is in them; notes that other programs move; names that get a twin.

use crate::bench::{Bench, rel};
use engine::{DecideError, Intent, NoteRef, OutsideMove, PlanDigest, PlanError, Wish};
use expect_test::{Expect, expect};

const TRIP: &str = "\
//- /Home.md
[[Trip/Plan#Day 1]] [p](Trip/Plan.md) ![[Trip/map.png]] [[Kit]]
//- /Trip/Plan.md
## Day 1

[k](Gear/Kit.md) [[Home]]
//- /Trip/Gear/Kit.md
[up](../Plan.md)
//- /Trip/map.png
not text
//- /Board.canvas
{\"nodes\":[{\"id\":\"a\",\"type\":\"file\",\"file\":\"Trip/Plan.md\"}]}
";

fn move_folder(path: &str, to: &str) -> Wish {
    Wish::MoveFolder { path: path.to_owned(), to: to.to_owned() }
}

/// Shows the vault as one text, folders that hold nothing included.
fn shown(bench: &Bench) -> String {
    let empty = bench.engine.view().folders().into_iter().filter(|folder| {
        let start = format!("{folder}/");
        !bench.files().keys().any(|path| path.starts_with(&start))
    });
    let files = bench.files();
    let mut lines: Vec<String> =
        files.iter().map(|(path, bytes)| format!("-- {path}\n{}", String::from_utf8_lossy(bytes))).collect();
    lines.extend(empty.map(|folder| format!("-- {folder}/\n")));
    lines.concat()
}

fn check(files: &str, wish: &Wish, expected: Expect) {
    let mut bench = Bench::new(files);
    let before = shown(&bench);
    let preview = bench.engine.preview(wish).unwrap();
    assert_eq!(shown(&bench), before);
    let done = bench.engine.grant(wish, Some(PlanDigest(preview.digest))).unwrap();
    let summary = preview.summary;
    let mut told = format!("{} moved, {}\n", summary.n_moved, crate::bench::counts(&summary));
    told.extend(summary.warnings.iter().map(|warning| format!("warning: {warning}\n")));
    expected.assert_eq(&(told + &shown(&bench)));
    // A restart between the change and its undo: the journal knows all that is needed.
    bench.reopen();
    let undo = bench.engine.undo(done.id.parse().unwrap()).unwrap();
    assert_eq!(shown(&bench), before);
    bench.engine.undo(undo.id.parse().unwrap()).unwrap();
    bench.engine.undo(bench.engine.operations()[0].id.parse().unwrap()).unwrap();
    assert_eq!(shown(&bench), before);
}

#[test]
fn a_folder_moves_with_all_that_is_in_it_and_every_link_follows() {
    check(
        TRIP,
        &move_folder("Trip", "2026/Summer"),
        expect![[r#"
            3 moved, 4 links in 1 notes, 1 canvases; 3 notes, 1 canvases change
            -- 2026/Summer/Gear/Kit.md
            [up](../Plan.md)
            -- 2026/Summer/Plan.md
            ## Day 1

            [k](Gear/Kit.md) [[Home]]
            -- 2026/Summer/map.png
            not text
            -- Board.canvas
            {"nodes":[{"id":"a","type":"file","file":"2026/Summer/Plan.md"}]}
            -- Home.md
            [[Plan#Day 1]] [p](2026/Summer/Plan.md) ![[map.png]] [[Kit]]
        "#]],
    );
}

#[test]
fn of_a_file_that_moves_only_what_changes_on_the_way_is_shown() {
    let bench = Bench::new("//- /Trip/Plan.md\nOne.\nTwo.\nThree.\n[me](../Trip/Plan.md)\n//- /Trip/Kit.md\nSame.\n");
    let preview = bench.engine.preview(&move_folder("Trip", "2026")).unwrap();
    let lines = |path: &str| {
        let file = preview.files.iter().find(|file| file.path == path).unwrap();
        file.hunks.iter().flat_map(|hunk| &hunk.lines).map(|line| line.old_line.or(line.new_line)).collect::<Vec<_>>()
    };
    assert_eq!(lines("2026/Plan.md"), [Some(3), Some(4), Some(4)]);
    assert_eq!(lines("2026/Kit.md"), [Some(1)]);
}

#[test]
fn a_folder_that_holds_nothing_can_be_renamed_too() {
    let bench = Bench::new("//- /a.md\nA\n");
    bench.engine.create_folder(&rel("New/Inner")).unwrap();
    let done = bench.engine.grant(&move_folder("New", "Old"), None).unwrap();
    assert_eq!(shown(&bench), "-- a.md\nA\n-- Old/\n-- Old/Inner/\n");
    bench.engine.undo(done.id.parse().unwrap()).unwrap();
    assert_eq!(shown(&bench), "-- a.md\nA\n-- New/\n-- New/Inner/\n");
    assert!(bench.engine.remove_empty_folder(&rel("New")).unwrap());
    assert_eq!(shown(&bench), "-- a.md\nA\n");
    assert!(!bench.root().join("New").exists());
}

#[test]
fn a_folder_is_deleted_by_the_vaults_setting() {
    check(
        TRIP,
        &Wish::DeleteFolder { path: "Trip".to_owned() },
        expect![[r#"
            3 moved, 0 links in 0 notes, 0 canvases; 2 notes, 0 canvases change
            warning: 5 links to it in 1 note and 1 canvas will lead nowhere: `Board.canvas`, `Home.md`
            -- Board.canvas
            {"nodes":[{"id":"a","type":"file","file":"Trip/Plan.md"}]}
            -- Home.md
            [[Trip/Plan#Day 1]] [p](Trip/Plan.md) ![[Trip/map.png]] [[Kit]]
        "#]],
    );
    check(
        "//- /.obsidian/app.json\n{\"trashOption\":\"local\"}\n//- /.trash/T/old.md\nold\n//- /T/a.md\nA\n//- /T/b.png\nB\n",
        &Wish::DeleteFolder { path: "T".to_owned() },
        expect![[r#"
            2 moved, 0 links in 0 notes, 0 canvases; 1 notes, 0 canvases change
            -- .obsidian/app.json
            {"trashOption":"local"}
            -- .trash/T 2/a.md
            A
            -- .trash/T 2/b.png
            B
            -- .trash/T/old.md
            old
        "#]],
    );
}

#[test]
fn what_cannot_be_done_with_a_folder_is_refused() {
    let bench = Bench::new(TRIP);
    let before = shown(&bench);
    let refused = |wish: &Wish| match bench.engine.preview(wish) {
        Err(DecideError::Blocked(error)) => error,
        other => panic!("{other:?}"),
    };
    assert!(matches!(refused(&move_folder("Trip", "Trip/Gear/Deep")), PlanError::IntoItself { .. }));
    assert!(matches!(refused(&move_folder("Trip/Gear", "trip")), PlanError::PathTaken { .. }));
    assert!(matches!(refused(&move_folder("None", "x")), PlanError::UnknownFolder { .. }));
    assert!(matches!(refused(&move_folder("Trip", ".hidden")), PlanError::Note(_)));
    for taken in ["Trip", "trip", "Home.md", "a/.b"] {
        assert!(bench.engine.create_folder(&rel(taken)).is_err(), "{taken}");
    }
    assert!(!bench.engine.remove_empty_folder(&rel("Trip")).unwrap());
    assert_eq!(shown(&bench), before);
}

#[test]
fn notes_keep_their_ids_and_their_history_in_a_moved_folder() {
    let mut bench = Bench::new(TRIP);
    let id = |bench: &Bench, path: &str| bench.engine.view().note(&NoteRef::Path(path.to_owned())).unwrap().id;
    let (plan, kit) = (id(&bench, "Trip/Plan.md"), id(&bench, "Trip/Gear/Kit.md"));
    bench.engine.grant(&move_folder("Trip", "Old trips/2026"), None).unwrap();
    for _ in 0..2 {
        assert_eq!(id(&bench, "Old trips/2026/Plan.md"), plan);
        assert_eq!(id(&bench, "Old trips/2026/Gear/Kit.md"), kit);
        let told: Vec<String> =
            bench.engine.history(&rel("Old trips/2026/Plan.md")).into_iter().map(|version| version.kind).collect();
        assert_eq!(told, ["move_folder", "as_found"]);
        bench.reopen();
    }
}

#[test]
fn links_can_follow_what_another_program_moved_and_do_not_unasked() {
    let bench = Bench::new(TRIP);
    std::fs::create_dir(bench.root().join("Archive")).unwrap();
    std::fs::rename(bench.root().join("Trip/Plan.md"), bench.root().join("Archive/Plan.md")).unwrap();
    let before = bench.files();
    bench.engine.catch_up();
    assert_eq!(bench.files(), before);
    let offered = bench.engine.info().outside_moves.unwrap();
    assert_eq!(offered.moves, [OutsideMove { from: "Trip/Plan.md".to_owned(), to: "Archive/Plan.md".to_owned() }]);
    let wish = Wish::RepairLinks { moves: offered.moves };
    let preview = bench.engine.preview(&wish).unwrap();
    assert_eq!(offered.n_links, preview.summary.n_links);
    let done = bench.engine.grant(&wish, Some(PlanDigest(preview.digest))).unwrap();
    assert_eq!(bench.read("Home.md"), "[[Plan#Day 1]] [p](Archive/Plan.md) ![[Trip/map.png]] [[Kit]]\n");
    assert_eq!(bench.read("Archive/Plan.md"), "## Day 1\n\n[k](../Trip/Gear/Kit.md) [[Home]]\n");
    assert_eq!(bench.read("Trip/Gear/Kit.md"), "[up](../../Archive/Plan.md)\n");
    assert!(bench.read("Board.canvas").contains("\"Archive/Plan.md\""));
    assert_eq!(bench.engine.info().outside_moves, None);
    bench.engine.undo(done.id.parse().unwrap()).unwrap();
    assert_eq!(bench.files(), before);
}

#[test]
fn outside_moves_that_break_no_link_or_are_dismissed_are_not_offered() {
    let bench = Bench::new("//- /a.md\n[[b]] [[x/c]]\n//- /b.md\nB\n//- /x/c.md\nC\n");
    std::fs::create_dir(bench.root().join("y")).unwrap();
    std::fs::rename(bench.root().join("b.md"), bench.root().join("y/b.md")).unwrap();
    bench.engine.catch_up();
    assert_eq!(bench.engine.info().outside_moves, None);
    std::fs::rename(bench.root().join("x/c.md"), bench.root().join("y/c.md")).unwrap();
    bench.engine.catch_up();
    assert_eq!(bench.engine.info().outside_moves.unwrap().n_links, 1);
    bench.engine.dismiss_outside_moves();
    assert_eq!(bench.engine.info().outside_moves, None);
}

#[test]
fn links_follow_no_move_where_none_is_named() {
    let bench = Bench::new(TRIP);
    let wish = Wish::RepairLinks { moves: Vec::new() };
    for refused in [bench.engine.preview(&wish).map(drop), bench.engine.grant(&wish, None).map(drop)] {
        let Err(DecideError::Blocked(error @ PlanError::NothingMoved)) = refused else { panic!("{refused:?}") };
        assert_eq!(error.to_string(), "no file is named that moved: `moves` is empty");
    }
}

#[test]
fn a_new_note_does_not_take_the_links_of_another_of_its_name() {
    let bench = Bench::new("//- /deep/Note.md\n## H\n//- /l.md\n[[Note#H|n]]\n//- /b/l.md\n[[Note]]\n");
    let intent = Intent::CreateNote { path: rel("b/Note.md"), text: "new\n".to_owned() };
    bench.engine.carry(intent).unwrap();
    // From `b` the new one is nearer, and from the root its path is shorter.
    assert_eq!(bench.read("b/l.md"), "[[deep/Note]]\n");
    assert_eq!(bench.read("l.md"), "[[deep/Note#H|n]]\n");
}

#[test]
fn a_sync_tools_second_version_is_shown_for_what_it_is() {
    let bench = Bench::new("//- /a/Plan.md\nA\n//- /a/Plan.sync-conflict-20261130-101112-ABCDEFG.md\nB\n");
    let rows: Vec<(String, Option<String>)> =
        bench.engine.view().tree("a").unwrap().into_iter().map(|row| (row.name, row.conflict_of)).collect();
    assert_eq!(rows[0], ("Plan".to_owned(), None));
    assert_eq!(rows[1].1.as_deref(), Some("a/Plan.md"));
}

#[test]
fn what_is_deleted_is_in_the_desktops_trash_if_the_vault_does_not_say_otherwise() {
    for (setting, kept) in [("", true), ("system", true), ("local", false), ("none", false)] {
        let app = if setting.is_empty() { "{}".to_owned() } else { format!("{{\"trashOption\":\"{setting}\"}}") };
        let bench = Bench::new(&format!("{TRIP}//- /.obsidian/app.json\n{app}\n"));
        let kept_text = |path: &str| std::fs::read_to_string(bench.dir.path().join("trash/files").join(path)).ok();
        bench.engine.grant(&Wish::DeleteNote { path: "Home.md".to_owned() }, None).unwrap();
        bench.engine.grant(&Wish::DeleteFolder { path: "Trip".to_owned() }, None).unwrap();
        assert_eq!(kept_text("Home.md").is_some(), kept, "{setting}");
        assert_eq!(kept_text("Trip/Gear/Kit.md").as_deref(), kept.then_some("[up](../Plan.md)\n"), "{setting}");
        assert_eq!(kept_text("Trip/map.png").as_deref(), kept.then_some("not text\n"), "{setting}");
    }
}

#[test]
fn what_was_done_to_a_folder_without_files_is_undone_and_done_again() {
    for (wish, after) in [
        (move_folder("empty", "moved/there"), "-- moved/there/\n-- moved/there/inner/\n"),
        (Wish::DeleteFolder { path: "empty".to_owned() }, ""),
    ] {
        let mut bench = Bench::new("//- /a.md\nx\n");
        std::fs::create_dir_all(bench.root().join("empty/inner")).unwrap();
        bench.engine.catch_up();
        let folders = |bench: &Bench| {
            bench.engine.catch_up();
            shown(bench).replace("-- a.md\nx\n", "").replace("-- moved/\n", "")
        };
        let before = folders(&bench);
        assert_eq!(before, "-- empty/\n-- empty/inner/\n");
        let mut turn = bench.engine.grant(&wish, None).unwrap();
        for n in 0..4 {
            assert_eq!(folders(&bench), [after, &before][n % 2], "{wish:?}, {n}");
            assert!(turn.can_undo, "{wish:?}, {n}");
            bench.reopen();
            bench.engine.catch_up();
            turn = bench.engine.undo(turn.id.parse().unwrap()).unwrap();
        }
    }
}

/// Symbolic links in a folder that moves.
#[cfg(unix)]
mod links {
    use super::*;
    use engine::Writes;
    use std::path::Path;

    const VAULT: &str = "\
//- /Home.md
[[alias]] [[Trip/home]]
//- /Trip/Plan.md
plan
//- /Trip/Gear/Kit.md
kit
//- /other/x.md
x
";

    fn link(bench: &Bench, says: &str, at: &str) {
        let says = says.replace("ROOT", bench.root().to_str().unwrap());
        std::os::unix::fs::symlink(says, bench.root().join(at)).unwrap();
    }

    fn all(bench: &Bench) -> String {
        fn walk(root: &Path, dir: &Path, into: &mut Vec<String>) {
            for entry in std::fs::read_dir(dir).unwrap() {
                let path = entry.unwrap().path();
                let name = path.strip_prefix(root).unwrap().display();
                match std::fs::read_link(&path) {
                    Ok(says) => into.push(format!("{name} -> {}\n", says.display())),
                    Err(_) if path.is_dir() => walk(root, &path, into),
                    Err(_) => into.push(format!("{name}: {}\n", std::fs::read_to_string(&path).unwrap().trim_end())),
                }
            }
        }
        let (root, mut lines) = (bench.root().canonicalize().unwrap(), Vec::new());
        walk(&root, &root, &mut lines);
        lines.sort();
        lines.concat().replace(root.to_str().unwrap(), "ROOT")
    }

    fn backlinks(bench: &Bench, folder: &str) -> [usize; 2] {
        ["alias", "home"].map(|name| bench.engine.view().backlinks(&rel(&format!("{folder}/{name}.md"))).len())
    }

    #[test]
    fn a_link_moves_with_its_folder_as_the_link_it_is() {
        let mut bench = Bench::new(VAULT);
        std::fs::write(bench.dir.path().join("outside.txt"), "not ours").unwrap();
        for (says, at) in [
            ("Plan.md", "Trip/alias.md"),
            ("../Plan.md", "Trip/Gear/up.md"),
            ("../Home.md", "Trip/home.md"),
            ("./../../other", "Trip/Gear/folder"),
            ("../../other/", "Trip/Gear/slash"),
            ("ROOT/Trip/Plan.md", "Trip/absolute.md"),
            ("ROOT/../outside.txt", "Trip/outside.txt"),
            ("gone.md", "Trip/broken.md"),
            ("../gone.md", "Trip/lost.md"),
            ("../Trip", "Trip/itself"),
        ] {
            link(&bench, says, at);
        }
        bench.engine.catch_up();
        let (before, linked) = (all(&bench), backlinks(&bench, "Trip"));
        assert!(linked.iter().all(|n| *n > 0), "{linked:?}");
        let wish = move_folder("Trip", "deep/er/Trip");
        let preview = bench.engine.preview(&wish).unwrap();
        expect!["`Trip/lost.md` is a symbolic link to `../gone.md`, and may lead elsewhere from its new place"]
            .assert_eq(&preview.summary.warnings.join("\n"));
        let moved = bench.engine.grant(&wish, Some(PlanDigest(preview.digest))).unwrap();
        let after = all(&bench);
        expect![[r#"
            Home.md: [[alias]] [[Trip/home]]
            deep/er/Trip/Gear/Kit.md: kit
            deep/er/Trip/Gear/folder -> ../../../../other
            deep/er/Trip/Gear/slash -> ../../../../other
            deep/er/Trip/Gear/up.md -> ../Plan.md
            deep/er/Trip/Plan.md: plan
            deep/er/Trip/absolute.md -> ROOT/deep/er/Trip/Plan.md
            deep/er/Trip/alias.md -> Plan.md
            deep/er/Trip/broken.md -> gone.md
            deep/er/Trip/home.md -> ../../../Home.md
            deep/er/Trip/itself -> ../Trip
            deep/er/Trip/lost.md -> ../gone.md
            deep/er/Trip/outside.txt -> ROOT/../outside.txt
            other/x.md: x
        "#]]
        .assert_eq(&after);
        assert!(!bench.root().join("Trip").exists());
        assert_eq!(bench.read("deep/er/Trip/home.md"), bench.read("Home.md"));
        bench.engine.catch_up();
        assert_eq!(backlinks(&bench, "deep/er/Trip"), linked);

        // There and back, however often, and over a restart.
        let mut turn = moved.id;
        for n in 0..4 {
            turn = bench.engine.undo(turn.parse().unwrap()).unwrap().id;
            assert_eq!(&all(&bench), [&before, &after][n % 2]);
            bench.reopen();
            bench.engine.catch_up();
        }
        assert_eq!(bench.engine.info().health, []);
    }

    #[test]
    fn a_folder_of_links_alone_moves_and_a_link_that_changed_stays() {
        let bench = Bench::new("//- /a.md\n[[d/l]]\n");
        std::fs::create_dir(bench.root().join("d")).unwrap();
        for at in ["d/l.md", "d/m.md"] {
            link(&bench, "../a.md", at);
        }
        bench.engine.catch_up();
        let moved = bench.engine.grant(&move_folder("d", "e/f"), None).unwrap();
        assert_eq!(all(&bench), "a.md: [[l]]\ne/f/l.md -> ../../a.md\ne/f/m.md -> ../../a.md\n");
        std::fs::remove_file(bench.root().join("e/f/l.md")).unwrap();
        link(&bench, "elsewhere.md", "e/f/l.md");
        let undone =
            bench.desk(Writes::Off).preview(Intent::Undo { op: moved.id.parse().unwrap() }, Default::default());
        expect!["`e/f/l.md` is not the symbolic link any more that was moved, and stays"]
            .assert_eq(&undone.unwrap().summary.warnings.join("\n"));
        bench.engine.undo(moved.id.parse().unwrap()).unwrap();
        assert_eq!(all(&bench), "a.md: [[d/l]]\nd/m.md -> ../a.md\ne/f/l.md -> elsewhere.md\n");
    }
}
