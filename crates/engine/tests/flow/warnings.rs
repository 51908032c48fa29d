//! Of links that lose their target somebody is told, file by file.

use crate::bench::{Bench, rel};
use engine::{Intent, NoteRef, Request, SectionEdit, Writes};
use expect_test::{Expect, expect};
use note::{AppendAt, FindReplace, MoveTo, SectionRef};

fn section(edit: SectionEdit, path: &str, index: usize) -> Intent {
    Intent::EditSection { path: rel(path), at: SectionRef::Index(index), edit }
}

fn edit_note(path: &str, find: &str, replace: &str) -> Intent {
    let edit = FindReplace { find: find.to_owned(), replace: replace.to_owned(), expected_count: 1 };
    Intent::EditText { path: rel(path), edits: vec![edit] }
}

/// Shows what is warned of when these are carried out one after the other, each on what the one before left.
fn check(files: &str, intents: &[Intent], expected: Expect) {
    let bench = Bench::new(files);
    let shown: Vec<String> = intents
        .iter()
        .map(|intent| {
            let proposed = bench.desk(Writes::Review).propose(intent.clone(), Request::default()).unwrap();
            let review = bench.engine.review(proposed.id).unwrap();
            assert_eq!(review.warnings, proposed.summary.warnings);
            bench.approve(proposed.id).unwrap();
            proposed.summary.warnings.iter().map(|warning| format!("{warning}\n")).collect()
        })
        .collect();
    expected.assert_eq(&shown.join("--\n"));
}

/// Everything that can lead to a heading or a block of `a.md`.
const EVERYWHERE: &str = "\
//- /a.md
# A

See [[#H]].

## H

text ^id1

### Inner

## H2
//- /b.md
---
up: \"[[a#H]]\"
---
[[a#H|there]] ![[a#^id1]] [t](a.md#H) [[a#H2]] [[a]] [[a#nothing]]

[d]: a.md#Inner
//- /Board.canvas
{\"nodes\":[
{\"id\":\"a\",\"type\":\"file\",\"file\":\"a.md\",\"subpath\":\"#H\"},
{\"id\":\"b\",\"type\":\"text\",\"text\":\"[[a#H]] [[a#H2]]\"},
{\"id\":\"c\",\"type\":\"file\",\"file\":\"a.md\"}
]}
//- /.obsidian/bookmarks.json
{\"items\":[
{\"type\":\"file\",\"path\":\"a.md\",\"subpath\":\"#H\"},
{\"type\":\"file\",\"path\":\"a.md\",\"subpath\":\"#^id1\"},
{\"type\":\"file\",\"path\":\"a.md\"},
{\"type\":\"file\",\"path\":\"b.md\",\"subpath\":\"#H\"}
]}
";

#[test]
fn a_deleted_section_is_missed_by_notes_canvases_and_bookmarks() {
    check(
        EVERYWHERE,
        &[section(SectionEdit::Delete, "a.md", 1)],
        expect![[r#"
            the sections below go with it: `Inner`
            `a.md` line 3: link to `#H` meant `H` (line 5) and now means no heading
            `Board.canvas` line 2: link to `a.md#H` meant `H` (line 5) and now means no heading
            `Board.canvas` line 3: link to `a#H` meant `H` (line 5) and now means no heading
            `b.md` line 2: link to `a#H` meant `H` (line 5) and now means no heading
            `b.md` line 4: link to `a#H` meant `H` (line 5) and now means no heading
            `b.md` line 4: link to `a#^id1` meant the block on line 7, which is gone
            `b.md` line 4: link to `a.md#H` meant `H` (line 5) and now means no heading
            `b.md` line 6: link to `a.md#Inner` meant `Inner` (line 9) and now means no heading
            `.obsidian/bookmarks.json` line 2: bookmark `a.md#H` meant `H` (line 5) and now means no heading
            `.obsidian/bookmarks.json` line 3: bookmark `a.md#^id1` meant the block on line 7, which is gone
        "#]],
    );
}

#[test]
fn a_patched_or_moved_section_is_missed_the_same_way() {
    let patch = |content: &str, include_children| SectionEdit::Patch { content: content.to_owned(), include_children };
    check(
        EVERYWHERE,
        &[
            section(patch("other text ^id1\n", false), "a.md", 1),
            section(patch("other text\n", false), "a.md", 1),
            section(patch("other text\n", true), "a.md", 1),
            section(SectionEdit::Append { content: "more".to_owned(), position: AppendAt::End }, "a.md", 1),
        ],
        expect![[r#"
            --
            `b.md` line 4: link to `a#^id1` meant the block on line 7, which is gone
            `.obsidian/bookmarks.json` line 3: bookmark `a.md#^id1` meant the block on line 7, which is gone
            --
            `b.md` line 6: link to `a.md#Inner` meant `Inner` (line 9) and now means no heading
            --
        "#]],
    );
    let moved = |destination, position, relevel| SectionEdit::Move {
        destination: SectionRef::Index(destination),
        position,
        relevel,
    };
    check(
        "//- /n.md\n# P\n\n## Q\n\nx\n//- /b.md\n[[n#P#Q]] [[n#Q]]\n//- /c.canvas\n{\"nodes\":[{\"type\":\"text\",\"text\":\"[[n#P#Q]]\"}]}\n",
        &[section(moved(0, MoveTo::After, true), "n.md", 1)],
        expect![[r#"
            `b.md` line 1: link to `n#P#Q` meant `Q` (line 3) and now means no heading
            `c.canvas` line 1: link to `n#P#Q` meant `Q` (line 3) and now means no heading
        "#]],
    );
    check(
        "//- /n.md\n## L\none\n\n## L\ntwo\n//- /b.md\n[[n#L]]\n//- /.obsidian/bookmarks.json\n{\"items\":[{\"type\":\"file\",\"path\":\"n.md\",\"subpath\":\"#L\"}]}\n",
        &[section(moved(0, MoveTo::Before, false), "n.md", 1)],
        expect![[r#"
            `b.md` line 1: link to `n#L` meant `L` (line 1) and now means `L` (line 4, line 1 afterwards)
            `.obsidian/bookmarks.json` line 1: bookmark `n.md#L` meant `L` (line 1) and now means `L` (line 4, line 1 afterwards)
        "#]],
    );
}

#[test]
fn a_heading_that_only_a_chain_reaches_is_missed_too() {
    check(
        "//- /n.md\n## it\n\n### Plan\n\n#### T1\n\n# Ist\n\n### T5\n\n### Plan\n\n## one\n//- /b.md\n[[n#Ist#Plan]] [[n#Plan]]\n",
        &[section(SectionEdit::Delete, "n.md", 5)],
        expect![[r#"
            `b.md` line 1: link to `n#Ist#Plan` meant `Plan` (line 11) and now means no heading
        "#]],
    );
}

#[test]
fn an_edited_or_reverted_text_is_held_to_the_same() {
    check(
        EVERYWHERE,
        &[
            edit_note("a.md", "text ^id1", "words ^id1"),
            edit_note("a.md", "See [[#H]].\n\n## H\n", "## Hello\n"),
            edit_note("a.md", " ^id1", ""),
            edit_note("a.md", "### Inner", "# Inner"),
        ],
        expect![[r#"
            --
            `Board.canvas` line 2: link to `a.md#H` meant `H` (line 5) and now means no heading
            `Board.canvas` line 3: link to `a#H` meant `H` (line 5) and now means no heading
            `b.md` line 2: link to `a#H` meant `H` (line 5) and now means no heading
            `b.md` line 4: link to `a#H` meant `H` (line 5) and now means no heading
            `b.md` line 4: link to `a.md#H` meant `H` (line 5) and now means no heading
            `.obsidian/bookmarks.json` line 2: bookmark `a.md#H` meant `H` (line 5) and now means no heading
            --
            `b.md` line 4: link to `a#^id1` meant the block on line 5, which is gone
            `.obsidian/bookmarks.json` line 3: bookmark `a.md#^id1` meant the block on line 5, which is gone
            --
        "#]],
    );
    let bench = Bench::new("//- /n.md\n## A\r\n//- /b.md\n[[n#A]] [[n#B]] [[n#^id]]\n");
    let old = bench.engine.view().note(&NoteRef::Path("n.md".to_owned())).unwrap().text.hash();
    bench.engine.save(&rel("n.md"), old, "## A\n\n## B\nx ^id\n".to_owned()).unwrap();
    let revert = Intent::Restore { path: rel("n.md"), to: old };
    let proposed = bench.desk(Writes::Review).propose(revert, Request::default()).unwrap();
    expect![[r#"
        `b.md` line 1: link to `n#B` meant `B` (line 3) and now means no heading
        `b.md` line 1: link to `n#^id` meant the block on line 4, which is gone"#]]
    .assert_eq(&proposed.summary.warnings.join("\n"));
}

#[test]
fn a_deleted_note_is_missed_by_name_or_its_twin_takes_over() {
    let delete = |path: &str| [Intent::DeleteNote { path: rel(path) }];
    check(
        "\
//- /Log.md
[[Log]]
//- /d/Log.md
//- /d/a.md
[[Log.md]] [[Log]] [[d/Log]] [[/Log]]
//- /b.md
[[Log]]
//- /Board.canvas
{\"nodes\":[{\"type\":\"file\",\"file\":\"Log.md\"},{\"type\":\"text\",\"text\":\"[[/Log]] [[Log]]\"}]}
//- /.obsidian/bookmarks.json
{\"items\":[{\"type\":\"file\",\"path\":\"Log.md\"},{\"type\":\"file\",\"path\":\"d/Log.md\"},{\"type\":\"file\",\"path\":\"log.md\",\"subpath\":\"#x\"}]}
",
        &delete("Log.md"),
        expect![[r#"
            3 links to it in 1 note and 1 canvas will lead nowhere: `Board.canvas`, `d/a.md`
            4 links to it in 2 notes and 1 canvas will lead to `d/Log.md` instead: `Board.canvas`, `b.md`, `d/a.md`
            2 bookmarks of it will lead nowhere
        "#]],
    );
    let many: String = (10..22).map(|n| format!("//- /n{n}.md\n[[a]] [[a#x]]\n")).collect();
    check(
        &format!("//- /a.md\n{many}"),
        &delete("a.md"),
        expect![[r#"
            24 links to it in 12 notes will lead nowhere: `n10.md`, `n11.md`, `n12.md`, `n13.md`, `n14.md`, `n15.md`, `n16.md`, `n17.md`, `n18.md`, `n19.md` and 2 more
        "#]],
    );
    check("//- /a.md\n[[a]]\n//- /b.md\n[[c]]\n", &delete("a.md"), expect![""]);
}

#[test]
fn links_in_comments_are_named_as_a_rename_names_them() {
    const COMMENTED: &str = "\
//- /a.md
# A

## H

x ^id

%% [[#H]] [[#A]] %%
//- /b.md
%%
[[a#H]] and [t](a.md#^id) and [[other#H]]
%%

%% [[a]] [[a#A]] %% `[[a#H]]`
//- /c.md
[[a#H]] %% ![[a#H|x]] %%
";
    check(
        COMMENTED,
        &[edit_note("a.md", "## H\n\nx ^id\n\n", "")],
        expect![[r#"
        `a.md` line 3: link in a comment to `#H` meant `H` (line 3) and now means no heading
        `b.md` line 2: link in a comment to `a#H` meant `H` (line 3) and now means no heading
        `b.md` line 2: link in a comment to `a.md#^id` meant the block on line 5, which is gone
        `c.md` line 1: link to `a#H` meant `H` (line 3) and now means no heading
        `c.md` line 1: link in a comment to `a#H` meant `H` (line 3) and now means no heading
    "#]],
    );
    check(
        COMMENTED,
        &[section(SectionEdit::Delete, "a.md", 1)],
        expect![[r#"
        `b.md` line 2: link in a comment to `a#H` meant `H` (line 3) and now means no heading
        `b.md` line 2: link in a comment to `a.md#^id` meant the block on line 5, which is gone
        `c.md` line 1: link to `a#H` meant `H` (line 3) and now means no heading
        `c.md` line 1: link in a comment to `a#H` meant `H` (line 3) and now means no heading
    "#]],
    );
    let bench = Bench::new(COMMENTED);
    let renamed = bench.rename("a.md", "H", "New", None).unwrap();
    expect![[r#"
        `a.md` line 7: 1 link in a comment still names the old heading
        `b.md` line 2: 1 link in a comment still names the old heading
        `c.md` line 1: 1 link in a comment still names the old heading"#]]
    .assert_eq(&renamed.summary.warnings.join("\n"));
}

/// Carries an intent out, lets other programs write, and shows what an undo is warned of.
fn check_undo(files: &str, intent: Intent, written: &[(&str, &str)], expected: Expect) {
    let bench = Bench::new(files);
    bench.engine.catch_up();
    let done = bench.engine.carry(intent).unwrap();
    for (path, text) in written {
        bench.write(path, text);
    }
    let undo = Intent::Undo { op: done.id.parse().unwrap() };
    bench.engine.catch_up();
    let shown = bench.desk(Writes::Review).preview(undo.clone(), Request::default()).unwrap().summary.warnings;
    let undone = bench.engine.carry(undo).unwrap();
    assert_eq!(undone.summary.warnings, shown, "the answer tells the same");
    expected.assert_eq(&shown.iter().map(|warning| format!("{warning}\n")).collect::<String>());
}

#[test]
fn what_an_undo_takes_from_links_made_since_is_named() {
    let rename = |path: &str, old: &str, new: &str| Intent::RenameSection {
        path: rel(path),
        at: SectionRef::Heading { text: old.to_owned(), level: None, nth: None },
        new_heading: new.to_owned(),
        update_links: true,
        allow_h1: true,
    };
    const FILES: &str = "\
//- /a.md
# A

## Old
//- /kit.md
[[a#Old]]
//- /later.md
-
//- /dir/n.md
see [[m]]
//- /dir/m.md
m
//- /dir/p.png
not text
//- /.obsidian/bookmarks.json
{\"items\":[
{\"type\":\"file\",\"path\":\"a.md\",\"subpath\":\"#Old\"}
]}
";
    // What followed goes back with the heading; only what was written since is left.
    check_undo(FILES, rename("a.md", "Old", "New"), &[], expect![[""]]);
    check_undo(
        FILES,
        rename("a.md", "Old", "New"),
        &[
            ("kit.md", "[[a#New]]\nand [[a#New|again]]\n"),
            ("later.md", "[[a#New]] %% [[a#New]] %% [[a#Old]] [[a]]\n"),
            ("board.canvas", "{\"nodes\":[{\"id\":\"1\",\"type\":\"file\",\"file\":\"a.md\",\"subpath\":\"#New\"}]}"),
        ],
        expect![[r#"
            `board.canvas` line 1: link to `a.md#New` meant `New` (line 3) and now means no heading
            `kit.md` line 2: link to `a#New` meant `New` (line 3) and now means no heading
            `later.md` line 1: link to `a#New` meant `New` (line 3) and now means no heading
            `later.md` line 1: link in a comment to `a#New` meant `New` (line 3) and now means no heading
        "#]],
    );
    let moved = |path: &str, to: &str| Intent::MoveNote { path: rel(path), to: rel(to) };
    check_undo(FILES, moved("a.md", "deep/b.md"), &[], expect![[""]]);
    check_undo(
        FILES,
        moved("a.md", "deep/b.md"),
        &[
            ("later.md", "[[b]] [x](deep/b.md) [[a]] [[b#Old]]\n"),
            ("board.canvas", "{\"nodes\":[{\"id\":\"1\",\"type\":\"file\",\"file\":\"deep/b.md\"}]}"),
        ],
        expect![[r#"
            `board.canvas` line 1: link to `deep/b.md` will lead nowhere
            `later.md` line 1: link to `b` will lead nowhere
            `later.md` line 1: link to `deep/b.md` will lead nowhere
            `later.md` line 1: link to `b#Old` will lead nowhere
        "#]],
    );
    // Links by the name alone find the note wherever it is.
    check_undo(
        FILES,
        moved("a.md", "deep/a.md"),
        &[("later.md", "[[a]] [[deep/a]]\n")],
        expect![[r#"
        `later.md` line 1: link to `deep/a` will lead nowhere
    "#]],
    );
    check_undo(
        FILES,
        Intent::CreateNote { path: rel("deep/kit.md"), text: "new\n".to_owned() },
        &[("later.md", "[[deep/kit]]\n"), ("deep/near.md", "[[kit]]\n")],
        expect![[r#"
            `later.md` line 1: link to `deep/kit` will lead nowhere
        "#]],
    );
    check_undo(
        FILES,
        Intent::MoveFolder { path: rel("dir"), to: rel("other") },
        &[("later.md", "[[other/n]] [[n]] ![[other/p.png]]\n")],
        expect![[r#"
            `later.md` line 1: link to `other/n` will lead nowhere
            `later.md` line 1: link to `other/p.png` will lead nowhere
        "#]],
    );
}
