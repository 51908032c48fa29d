//! What follows a rename beside the links of notes: bookmarks, and what is only told.

use crate::bench::{Bench, rel};
use engine::{NoteRef, OpState, PlanDigest, Wish};
use expect_test::{Expect, expect};

const BOOKMARKS: &str = ".obsidian/bookmarks.json";

/// Renames `Old` of `Glacier.md` and shows what the person sees of the plan, then what was written.
fn check(files: &str, expected: Expect) {
    let bench = Bench::new(files);
    let before = bench.files();
    let proposed = bench.rename("Glacier.md", "Old", "New", None).unwrap();
    let review = bench.engine.review(proposed.id).unwrap();
    let mut shown =
        format!("{}; {} bookmarks\n", crate::bench::counts(&proposed.summary), proposed.summary.n_bookmarks);
    shown.extend(review.warnings.iter().map(|warning| format!("warning: {warning}\n")));
    assert_eq!(bench.files(), before);
    bench.approve(proposed.id).unwrap();
    for (path, bytes) in bench.files().iter().filter(|(path, bytes)| before.get(*path) != Some(bytes)) {
        shown += &format!("-- {path}\n{}", String::from_utf8_lossy(bytes));
    }
    expected.assert_eq(&shown);
    bench.engine.undo(proposed.id).unwrap();
    assert_eq!(bench.files(), before);
    assert_eq!(bench.engine.operation(proposed.id).unwrap().state, OpState::Undone);
}

#[test]
fn bookmarks_follow_a_heading() {
    check(
        "\
//- /Glacier.md
## Old
//- /.obsidian/bookmarks.json
{\"items\":[{\"type\":\"file\",\"path\":\"Glacier.md\",\"subpath\":\"#Old\",\"title\":\"Old\"}]}
",
        expect![[r##"
            0 links in 0 notes, 0 canvases; 1 notes, 0 canvases change; 1 bookmarks
            -- .obsidian/bookmarks.json
            {"items":[{"type":"file","path":"Glacier.md","subpath":"#New","title":"Old"}]}
            -- Glacier.md
            ## New
        "##]],
    );
}

#[test]
fn bookmarks_of_other_headings_and_bookmarks_that_are_no_json_stay() {
    for bookmarks in [
        "{\"items\":[{\"type\":\"file\",\"path\":\"Other.md\",\"subpath\":\"#Old\"}]}",
        "{\"items\":[{\"type\":\"file\",\"path\":\"Glacier.md\",\"subpath\":\"#Other\"}]}",
        "{\"items\":[{\"type\":\"file\",\"path\":\"Glacier.md\",\"subpath\":\"#Old\"}]",
    ] {
        check(
            &format!("//- /Glacier.md\n## Old\n## Other\n//- /{BOOKMARKS}\n{bookmarks}\n"),
            expect![[r#"
                0 links in 0 notes, 0 canvases; 1 notes, 0 canvases change; 0 bookmarks
                -- Glacier.md
                ## New
                ## Other
            "#]],
        );
    }
}

#[test]
fn a_link_in_a_comment_is_told_even_if_its_note_has_no_other() {
    check(
        "\
//- /Glacier.md
## Old
//- /Draft.md
Later.

%% was [[Glacier#Old]], see [[Glacier#Other]] %%
",
        expect![[r#"
            0 links in 0 notes, 0 canvases; 1 notes, 0 canvases change; 0 bookmarks
            warning: `Draft.md` line 3: 1 link in a comment still names the old heading
            -- Glacier.md
            ## New
        "#]],
    );
}

#[test]
fn bookmarks_follow_a_moved_note() {
    let bench = Bench::new(&format!(
        "//- /Glacier.md\n## Old\n//- /{BOOKMARKS}\n{{\"items\":[{{\"type\":\"file\",\"path\":\"Glacier.md\",\"subpath\":\"#Old\"}}]}}\n"
    ));
    let wish = Wish::MoveNote { path: "Glacier.md".to_owned(), to: "ice/Glacier.md".to_owned() };
    let shown = bench.engine.preview(&wish).unwrap();
    assert_eq!((shown.summary.n_links, shown.summary.n_bookmarks, shown.summary.n_notes), (0, 1, 1));
    bench.engine.grant(&wish, Some(PlanDigest(shown.digest))).unwrap();
    assert!(bench.read(BOOKMARKS).contains("\"ice/Glacier.md\""), "{}", bench.read(BOOKMARKS));
}

#[test]
fn links_are_counted_where_they_are_and_files_where_they_change() {
    // A note without a link to the heading, the canvas that moves along, and the note's own link to itself.
    const FILES: &str = "\
//- /Trip/Plan.md
## Old
//- /Trip/Kit.md
Socks
//- /Trip/Board.canvas
{\"nodes\":[]}
//- /Home.md
[[Trip/Plan#Old]] and [[Plan#Old]]
";
    let rename = |path: &str| Wish::RenameHeading { path: path.to_owned(), index: 0, new_heading: "New".to_owned() };
    let to = |to: &str| to.to_owned();
    let cases = [
        (FILES, rename("Trip/Plan.md"), "2 links in 1 notes, 0 canvases; 2 notes, 0 canvases change", 2),
        (
            "//- /Plan.md\n## Old\n[[#Old]]\n",
            rename("Plan.md"),
            "1 links in 1 notes, 0 canvases; 1 notes, 0 canvases change",
            1,
        ),
        ("//- /Plan.md\n## Old\n", rename("Plan.md"), "0 links in 0 notes, 0 canvases; 1 notes, 0 canvases change", 1),
        (
            "//- /Plan.md\n## Old\n//- /b.canvas\n{\"nodes\":[{\"id\":\"a\",\"type\":\"text\",\"text\":\"[[Plan#Old]]\"}]}\n",
            rename("Plan.md"),
            "1 links in 0 notes, 1 canvases; 1 notes, 1 canvases change",
            2,
        ),
        (
            FILES,
            Wish::MoveNote { path: to("Trip/Plan.md"), to: to("Trip/Route.md") },
            "2 links in 1 notes, 0 canvases; 2 notes, 0 canvases change",
            2,
        ),
        (
            FILES,
            Wish::MoveNote { path: to("Trip/Kit.md"), to: to("Kit.md") },
            "0 links in 0 notes, 0 canvases; 1 notes, 0 canvases change",
            1,
        ),
        (
            FILES,
            Wish::MoveFolder { path: to("Trip"), to: to("Tour") },
            "1 links in 1 notes, 0 canvases; 3 notes, 1 canvases change",
            4,
        ),
    ];
    for (files, wish, expected, n_files) in cases {
        let bench = Bench::new(files);
        let preview = bench.engine.preview(&wish).unwrap();
        assert_eq!(crate::bench::counts(&preview.summary), expected, "{wish:?}");
        let done = bench.engine.grant(&wish, Some(PlanDigest(preview.digest))).unwrap();
        let path = done.summary.new_path.clone().filter(|path| rel(path).is_note()).unwrap_or(match &wish {
            Wish::MoveFolder { to, .. } => format!("{to}/Plan.md"),
            _ => done.path.clone(),
        });
        let version = bench.engine.history(&rel(&path)).into_iter().find(|one| one.id == done.id).unwrap();
        assert_eq!((crate::bench::counts(&version.summary).as_str(), version.n_files), (expected, n_files), "{wish:?}");
    }
}

#[test]
fn the_history_follows_a_moved_note() {
    let mut bench = Bench::new("//- /a.md\n# A\n");
    let save = |bench: &Bench, path: &str, text: &str| {
        let hash = bench.engine.view().note(&NoteRef::Path(path.to_owned())).unwrap().text.hash();
        bench.engine.save(&rel(path), hash, text.to_owned()).unwrap();
    };
    save(&bench, "a.md", "# A\n\none\n");
    let moved = |bench: &Bench, path: &str, to: &str| {
        let wish = Wish::MoveNote { path: path.to_owned(), to: to.to_owned() };
        bench.engine.grant(&wish, None).unwrap()
    };
    moved(&bench, "a.md", "x/b.md");
    // Another program moves it on; equal bytes tell that it is the same note.
    std::fs::rename(bench.root().join("x/b.md"), bench.root().join("c.md")).unwrap();
    bench.engine.catch_up();
    save(&bench, "c.md", "# A\n\none\ntwo\n");
    // A new note takes the place of the old one, and has no past of its own.
    bench.write("a.md", "# Another\n");
    bench.engine.catch_up();
    for _ in 0..2 {
        let told: Vec<(String, u32, u32)> = bench
            .engine
            .history(&rel("c.md"))
            .into_iter()
            .map(|version| (version.kind, version.chars_added, version.chars_removed))
            .collect();
        let told: Vec<(&str, u32, u32)> =
            told.iter().map(|(kind, added, removed)| (kind.as_str(), *added, *removed)).collect();
        assert_eq!(
            told,
            [("save_text", 4, 0), ("outside", 0, 0), ("move_note", 0, 0), ("save_text", 5, 0), ("as_found", 0, 0)]
        );
        let oldest = bench.engine.history(&rel("c.md")).pop().unwrap();
        assert_eq!(bench.engine.version_text(&rel("c.md"), &oldest.id).unwrap(), "# A\n");
        bench.reopen();
    }
}

/// A note that ended where another one stands now had a past at other places; it is listed where it ended.
#[test]
fn the_past_of_a_note_that_ended_under_another_notes_name_is_not_lost() {
    for ended_by_us in [true, false] {
        let mut bench = Bench::new("//- /a.md\n# A\n//- /other.md\n# Other\n");
        let save = |bench: &Bench, path: &str, text: &str| {
            let hash = bench.engine.view().note(&NoteRef::Path(path.to_owned())).unwrap().text.hash();
            bench.engine.save(&rel(path), hash, text.to_owned()).unwrap();
        };
        let moved = |bench: &Bench, path: &str, to: &str| {
            let wish = Wish::MoveNote { path: path.to_owned(), to: to.to_owned() };
            bench.engine.grant(&wish, None).unwrap();
        };
        save(&bench, "a.md", "# A\n\none\n");
        moved(&bench, "a.md", "b.md");
        moved(&bench, "b.md", "c.md");
        save(&bench, "c.md", "# A\n\none\ntwo\n");
        if ended_by_us {
            bench.engine.grant(&Wish::DeleteNote { path: "c.md".to_owned() }, None).unwrap();
        } else {
            std::fs::remove_file(bench.root().join("c.md")).unwrap();
            bench.engine.catch_up();
        }
        moved(&bench, "other.md", "c.md");
        for _ in 0..2 {
            let listed = bench.engine.history(&rel("c.md"));
            let texts: Vec<String> = listed
                .iter()
                .filter(|version| version.after_hash.is_some())
                .map(|version| bench.engine.version_text(&rel("c.md"), &version.id).unwrap())
                .collect();
            for text in ["# A\n", "# A\n\none\n", "# A\n\none\ntwo\n", "# Other\n"] {
                assert!(texts.iter().any(|listed| listed == text), "{text:?} is not among {texts:?}");
            }
            bench.reopen();
        }
    }
}

/// A watcher may tell of the two halves of a move one after the other.
#[test]
fn a_move_that_is_noticed_in_two_steps_is_still_a_move() {
    for gone_first in [true, false] {
        let bench = Bench::new("//- /a.md\n# A\n\nsome text\n");
        let id = |path: &str| bench.engine.view().note(&NoteRef::Path(path.to_owned())).unwrap().id;
        let known = id("a.md");
        if gone_first {
            std::fs::remove_file(bench.root().join("a.md")).unwrap();
            bench.engine.catch_up();
            bench.write("b.md", "# A\n\nsome text\n");
            bench.engine.catch_up();
        } else {
            std::fs::rename(bench.root().join("a.md"), bench.root().join("b.md")).unwrap();
            bench.engine.catch_up();
        }
        assert_eq!(id("b.md"), known, "gone first: {gone_first}");
        let told: Vec<(String, u32, u32)> = bench
            .engine
            .history(&rel("b.md"))
            .into_iter()
            .map(|version| (version.kind, version.chars_added, version.chars_removed))
            .collect();
        let told: Vec<(&str, u32, u32)> =
            told.iter().map(|(kind, added, removed)| (kind.as_str(), *added, *removed)).collect();
        assert_eq!(told, [("outside", 0, 0), ("as_found", 0, 0)], "gone first: {gone_first}");
    }
    // A copy is another note, even if the first one was away for a moment.
    let bench = Bench::new("//- /a.md\n# A\n");
    let id = |path: &str| bench.engine.view().note(&NoteRef::Path(path.to_owned())).unwrap().id;
    let known = id("a.md");
    std::fs::remove_file(bench.root().join("a.md")).unwrap();
    bench.engine.catch_up();
    bench.write("a.md", "# A\n");
    bench.engine.catch_up();
    bench.write("b.md", "# A\n");
    bench.engine.catch_up();
    assert_eq!(id("a.md"), known);
    assert_ne!(id("b.md"), known);
}
