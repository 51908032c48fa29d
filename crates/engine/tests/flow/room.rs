//! Where a note may go: what is in its way, how the folders on the way are spelled, and names that no link can say.

use crate::bench::{Bench, rel};
use engine::{DecideError, Intent, NoteRef, PlanError, Wish};

fn create(path: &str) -> Intent {
    Intent::CreateNote { path: rel(path), text: "new\n".to_owned() }
}

fn move_note(path: &str, to: &str) -> Intent {
    Intent::MoveNote { path: rel(path), to: rel(to) }
}

fn move_folder(path: &str, to: &str) -> Intent {
    Intent::MoveFolder { path: rel(path), to: rel(to) }
}

fn paths(bench: &Bench) -> Vec<String> {
    bench.files().into_keys().collect()
}

/// Says why an intent is refused, and makes sure that nothing came of it.
fn refused(bench: &Bench, intent: Intent) -> PlanError {
    let before = bench.files();
    let error = blocked(bench, intent);
    assert_eq!(bench.files(), before);
    error
}

fn blocked(bench: &Bench, intent: Intent) -> PlanError {
    match bench.engine.carry(intent) {
        Err(DecideError::Blocked(error)) => error,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_folder_that_is_there_keeps_its_spelling() {
    // The second folder is decomposed on disk, as some systems write it.
    const FILES: &str = "//- /Dir/Sub/n.md\nn\n//- /re\u{301}s/r.md\nr\n//- /l.md\n[[n]] [r](re\u{301}s/r.md)\n";
    for (intent, lead, there) in [
        (create("dir/m.md"), "Dir/m.md", "Dir/m.md"),
        (create("DIR/sub/m.md"), "Dir/Sub/m.md", "Dir/Sub/m.md"),
        (create("dir/new/M.md"), "Dir/new/M.md", "Dir/new/M.md"),
        (create("R\u{e9}S/m.md"), "re\u{301}s/m.md", "re\u{301}s/m.md"),
        (move_note("Dir/Sub/n.md", "dir/N.md"), "Dir/Sub/n.md", "Dir/N.md"),
        (move_note("Dir/Sub/n.md", "dir/SUB/N.md"), "Dir/Sub/n.md", "Dir/Sub/N.md"),
        (move_note("l.md", "r\u{e9}s/l.md"), "l.md", "re\u{301}s/l.md"),
        (move_folder("re\u{301}s", "dir/sub/res"), "re\u{301}s", "Dir/Sub/res/r.md"),
        // Only a rename of the folder itself changes its case.
        (move_folder("Dir", "dir"), "Dir", "dir/Sub/n.md"),
        (move_folder("Dir/Sub", "dir/sub"), "Dir/Sub", "Dir/sub/n.md"),
    ] {
        let bench = Bench::new(FILES);
        let before = bench.files();
        let moves = match &intent {
            Intent::MoveNote { path, .. } => Some(bench.engine.open_note(&NoteRef::Path(path.to_string())).unwrap().id),
            _ => None,
        };
        let done = bench.engine.carry(intent.clone()).unwrap();
        assert_eq!(done.path, lead, "{intent:?}");
        assert!(paths(&bench).contains(&there.to_owned()), "{intent:?}: {:?}", paths(&bench));
        let folded: std::collections::BTreeSet<String> =
            bench.engine.view().folders().iter().map(|path| rel(path).fold()).collect();
        assert_eq!(folded.len(), bench.engine.view().folders().len(), "{intent:?}");
        if let Some(id) = moves {
            assert_eq!(done.summary.new_path.as_deref(), Some(there));
            assert_eq!(bench.engine.open_note(&NoteRef::Path(there.to_owned())).unwrap().id, id);
        }
        bench.engine.undo(done.id.parse().unwrap()).unwrap();
        assert_eq!(bench.files(), before, "{intent:?}");
    }
    let bench = Bench::new(FILES);
    for (path, to) in [("Dir/Sub/n.md", "dir/SUB/n.md"), ("l.md", "dir/sub/N.md")] {
        let error = refused(&bench, move_note(path, to));
        assert!(
            matches!(&error, PlanError::PathTaken { existing, .. } if *existing == rel("Dir/Sub/n.md")),
            "{error:?}"
        );
    }
    bench.engine.create_folder(&rel("dir/more")).unwrap();
    assert!(bench.engine.view().folders().contains(&"Dir/more".to_owned()));
}

#[test]
fn what_is_in_the_way_is_named() {
    let bench = Bench::new("//- /a.md\na\n//- /d/x.png\nx\n");
    for (path, at) in [("a.md/x.md", "a.md"), ("a.md/b/x.md", "a.md"), ("d/x.png/x.md", "d/x.png")] {
        for intent in [create(path), move_note("a.md", path), move_folder("d", path)] {
            let error = refused(&bench, intent);
            if !matches!(error, PlanError::IntoItself { .. }) {
                assert_eq!(error.to_string(), format!("`{at}` is in the way: it is a file, not a folder"));
            }
        }
    }
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink("gone.md", bench.root().join("broken.md")).unwrap();
        std::os::unix::fs::symlink("loop", bench.root().join("loop")).unwrap();
        for (path, at) in [("broken.md", "broken.md"), ("broken.md/x.md", "broken.md"), ("loop/x.md", "loop")] {
            for intent in [create(path), move_note("a.md", path)] {
                let error = blocked(&bench, intent).to_string();
                assert_eq!(error, format!("`{at}` is in the way: it is a symbolic link that leads nowhere"));
            }
        }
        assert_eq!(std::fs::read_link(bench.root().join("broken.md")).unwrap(), std::path::Path::new("gone.md"));
        assert_eq!(bench.read("a.md"), "a\n");
        // A link to a folder of the vault is a way like any other.
        std::os::unix::fs::symlink("d", bench.root().join("again")).unwrap();
        bench.engine.carry(create("again/n.md")).unwrap();
        assert_eq!(bench.read("d/n.md"), "new\n");
    }
}

#[test]
fn a_path_that_the_system_does_not_take_is_refused() {
    let bench = Bench::new("//- /a.md\na\n//- /d/e/n.md\nn\n//- /l.md\n[[a]]\n");
    let deep = |n: usize, name: &str| format!("{}{name}", "folder/".repeat(n));
    let named = |n: usize| format!("{}.md", "ä".repeat(n));
    for path in [named(127), format!("x/{}/a.md", "n".repeat(256)), deep(600, "a.md")] {
        for intent in [create(&path), move_note("a.md", &path)] {
            let error = refused(&bench, intent);
            assert!(matches!(error, PlanError::PathTooLong { .. }), "{error:?}");
            assert!(error.to_string().len() < 300, "{error}");
        }
    }
    // A folder carries what is in it over the edge.
    let error = refused(&bench, move_folder("d", &"folder/".repeat(600).trim_end_matches('/')[..4040]));
    assert!(matches!(error, PlanError::PathTooLong { .. }), "{error:?}");
    bench.engine.carry(move_note("a.md", &named(126))).unwrap();
    assert_eq!(bench.read("l.md"), format!("[[{}]]\n", "ä".repeat(126)));
}

#[cfg(unix)]
#[test]
fn a_note_does_not_move_by_the_name_of_a_link_to_it() {
    let mut bench = Bench::new("//- /a.md\na\n//- /d/n.md\nn\n//- /l.md\n[[a]] [[al]]\n");
    std::os::unix::fs::symlink("a.md", bench.root().join("al.md")).unwrap();
    std::os::unix::fs::symlink("../a.md", bench.root().join("d/deep.md")).unwrap();
    bench.reopen();
    for link in ["al.md", "d/deep.md"] {
        let error = refused(&bench, move_note(link, "al2.md"));
        assert_eq!(error, PlanError::IsLink { path: rel(link), real: rel("a.md") });
        let wish = Wish::MoveNote { path: link.to_owned(), to: "al2.md".to_owned() };
        assert!(matches!(bench.engine.preview(&wish), Err(DecideError::Blocked(PlanError::IsLink { .. }))));
        let view = bench.engine.view();
        assert_eq!(view.named_by_link(link.trim_end_matches(".md")), Some(rel(link)));
    }
    assert_eq!(bench.engine.view().named_by_link("a"), None);
    assert_eq!(bench.engine.view().named_by_link("none"), None);
}

#[cfg(unix)]
#[test]
fn symbolic_links_to_what_moves_are_named() {
    for (intent, warnings) in [
        (move_note("d/a.md", "b.md"), &["`al.md` is a symbolic link to `d/a.md` and will lead nowhere"][..]),
        (move_folder("d", "e"), &["`al.md` is a symbolic link to `d/a.md` and will lead nowhere"]),
        (move_note("same.md", "b.md"), &[]),
    ] {
        let mut bench = Bench::new("//- /d/a.md\na\n//- /same.md\na\n//- /l.md\n[[al]]\n");
        std::os::unix::fs::symlink("d/a.md", bench.root().join("al.md")).unwrap();
        bench.reopen();
        let wish = match intent {
            Intent::MoveFolder { path, to } => Wish::MoveFolder { path: path.to_string(), to: to.to_string() },
            Intent::MoveNote { path, to } => Wish::MoveNote { path: path.to_string(), to: to.to_string() },
            other => panic!("{other:?}"),
        };
        assert_eq!(bench.engine.preview(&wish).unwrap().summary.warnings, warnings);
    }
}

#[test]
fn a_link_keeps_its_note_when_a_file_takes_the_name_it_is_written_by() {
    for (files, intent, link) in [
        ("//- /a.md.md\nold\n//- /l.md\n[[a.md]]\n", create("a.md"), "[[a.md.md]]\n"),
        ("//- /a.md.md\nold\n//- /l.md\n[[a.md]]\n//- /n.md\nn\n", move_note("n.md", "a.md"), "[[a.md.md]]\n"),
        ("//- /d/a.md.md\nold\n//- /l.md\n[[a.md]]\n", create("e/a.md"), "[[a.md.md]]\n"),
        ("//- /a.png.md\nold\n//- /l.md\n[[e/a.png]]\n//- /d/a.png\np\n", move_folder("d", "e"), "[[e/a.png]]\n"),
        ("//- /e/a.png.md\nold\n//- /l.md\n[[e/a.png]]\n//- /d/a.png\np\n", move_folder("d", "e/d"), "[[e/a.png]]\n"),
        (
            "//- /x/a.png.md\nold\n//- /l.md\n[[d/a.png]]\n//- /x/d/a.png.md\np\n//- /y/a.png\np\n",
            move_folder("y", "d"),
            "[[x/d/a.png]]\n",
        ),
    ] {
        let bench = Bench::new(files);
        bench.engine.carry(intent.clone()).unwrap();
        assert_eq!(bench.read("l.md"), link, "{intent:?}");
    }
}

#[test]
fn a_name_that_no_link_can_say_is_taken_with_a_warning() {
    for (to, link, n_warnings) in [
        ("n .md", "[[n .md]]\n\n## see [[n .md]]\n", 1),
        ("n\u{a0}.md", "[[Note]]\n\n## see [[Note]]\n", 2),
        ("a]]b.md", "[[Note]]\n\n## see [[Note]]\n", 2),
        ("d/Zed.md", "[[Zed]]\n\n## see [[Zed]]\n", 1),
        ("d/Note.md", "[[Note]]\n\n## see [[Note]]\n", 0),
    ] {
        let bench = Bench::new("//- /Note.md\nn\n//- /l.md\n[[Note]]\n\n## see [[Note]]\n");
        let done = bench.engine.carry(move_note("Note.md", to)).unwrap();
        assert_eq!(bench.read("l.md"), link);
        assert_eq!(done.summary.warnings.len(), n_warnings, "{:?}", done.summary.warnings);
        assert!(done.summary.warnings.iter().all(|warning| warning.starts_with("`l.md` line ")));
    }
}
