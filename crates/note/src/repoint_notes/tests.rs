use expect_test::{Expect, expect};

use super::*;
use crate::canvas::repoint_canvas_notes;

mod properties;

fn rel(path: &str) -> RelPath {
    RelPath::new(path).unwrap()
}

/// What becomes of a file at `from` when files of a vault move, and its warnings.
fn follow(files: &[&str], moves: &[(&str, &str)], format: LinkFormat, from: &str, text: &str) -> String {
    let files: Vec<RelPath> = files.iter().map(|path| rel(path)).collect();
    let renames: Vec<(RelPath, RelPath)> = moves.iter().map(|(old, new)| (rel(old), rel(new))).collect();
    let named = |name: &str| files.iter().filter(|file| fold(file.file_name()) == name).cloned().collect();
    let moved = NotesMoved::new(&renames, &named, format);
    let from = rel(from);
    let text = NoteText::from_str(text);
    let repoint = |text: &NoteText, from: &RelPath, moved: &NotesMoved<'_>| match from.is_note() {
        true => repoint_note_links(text, &parse(text), from, moved),
        false => repoint_canvas_notes(text, from, moved),
    };
    let repointed = repoint(&text, &from, &moved);
    let after = repointed.edits.apply(&text).unwrap();

    // Where the files are now, nothing is to be done any more.
    let settled: Vec<RelPath> = files.iter().map(|file| moved.new_path(file).clone()).collect();
    let named_now = |name: &str| settled.iter().filter(|file| fold(file.file_name()) == name).cloned().collect();
    let stays = NotesMoved::new(&[], &named_now, format);
    assert!(repoint(&after, moved.new_path(&from), &stays).edits.is_empty(), "not settled: {after:?}");
    if from.is_note() {
        leads_where_it_led(&text, &after, &from, &moved);
    }
    let mut shown = after.as_str().to_owned();
    for warning in repointed.warnings {
        shown += &format!("warning, line {}: {}\n", warning.line, warning.text);
    }
    shown
}

fn leads_where_it_led(text: &NoteText, after: &NoteText, from: &RelPath, moved: &NotesMoved<'_>) {
    let (old, new) = (parse(text), parse(after));
    assert_eq!(old.links.len(), new.links.len());
    for (old, new) in old.links.iter().zip(&new.links) {
        assert_eq!((&old.subpath, &old.alias, old.embed), (&new.subpath, &new.alias, new.embed));
        let Some(file) = moved.before(&old.target, from) else {
            assert_eq!(old.target, new.target);
            continue;
        };
        let now = moved.after(&new.target, moved.new_path(from));
        assert!(now.as_ref() == Some(moved.new_path(&file)) || old.target == new.target, "{old:?} -> {new:?}");
    }
}

fn check(files: &[&str], moves: &[(&str, &str)], format: LinkFormat, from: &str, text: &str, expect: Expect) {
    expect.assert_eq(&follow(files, moves, format, from, text));
}

const FILES: &[&str] = &["s.md", "a/Note.md", "a/Other.md", "b/s.md", "a/pic 1.png"];

const EVERY_FORM: &str = "---\np: \"[[Note]]\" # c\nq: ['[[a/Note|x]]', plain]\nr: see [[Note#H]]\n---\n\
    [[Note]] [[note#H]] ![[Note#^id|x]] [[a/Note.md]] [[/a/Note]] [[ Note | y ]] [[Other]] [[Gone]] [[#H]]\n\
    [t](a/Note.md) [t](<a/Note.md#H h> \"x\") ![i](a/pic%201.png) [t](Note) [t](/a/Note.md) [t](https://x/Note.md)\n\
    `[[Note]]` %%[[Note]]%% [d][d]\n\n\
    | [[Note\\|cell]] |\n|---|\n\n\
    [d]: a/Note.md 'title'\n";

#[test]
fn every_form_follows_a_rename() {
    let moves = [("a/Note.md", "a/It's new (1).md")];
    check(
        FILES,
        &moves,
        LinkFormat::Shortest,
        "s.md",
        EVERY_FORM,
        expect![[r#"
            ---
            p: "[[It's new (1)]]" # c
            q: ['[[It''s new (1)|x]]', plain]
            r: see [[It's new (1)#H]]
            ---
            [[It's new (1)]] [[It's new (1)#H]] ![[It's new (1)#^id|x]] [[It's new (1).md]] [[/a/It's new (1)]] [[ It's new (1) | y ]] [[Other]] [[Gone]] [[#H]]
            [t](a/It's%20new%20(1).md) [t](<a/It's new (1).md#H h> "x") ![i](a/pic%201.png) [t](It's%20new%20(1)) [t](/a/It's%20new%20(1).md) [t](https://x/Note.md)
            `[[Note]]` %%[[Note]]%% [d][d]

            | [[It's new (1)\|cell]] |
            |---|

            [d]: a/It's%20new%20(1).md 'title'
        "#]],
    );
    check(
        FILES,
        &moves,
        LinkFormat::Absolute,
        "s.md",
        EVERY_FORM,
        expect![[r#"
        ---
        p: "[[a/It's new (1)]]" # c
        q: ['[[a/It''s new (1)|x]]', plain]
        r: see [[a/It's new (1)#H]]
        ---
        [[a/It's new (1)]] [[a/It's new (1)#H]] ![[a/It's new (1)#^id|x]] [[a/It's new (1).md]] [[/a/It's new (1)]] [[ a/It's new (1) | y ]] [[Other]] [[Gone]] [[#H]]
        [t](a/It's%20new%20(1).md) [t](<a/It's new (1).md#H h> "x") ![i](a/pic%201.png) [t](a/It's%20new%20(1)) [t](/a/It's%20new%20(1).md) [t](https://x/Note.md)
        `[[Note]]` %%[[Note]]%% [d][d]

        | [[a/It's new (1)\|cell]] |
        |---|

        [d]: a/It's%20new%20(1).md 'title'
    "#]],
    );
    check(
        FILES,
        &moves,
        LinkFormat::Relative,
        "b/s.md",
        EVERY_FORM,
        expect![[r#"
        ---
        p: "[[../a/It's new (1)]]" # c
        q: ['[[../a/It''s new (1)|x]]', plain]
        r: see [[../a/It's new (1)#H]]
        ---
        [[../a/It's new (1)]] [[../a/It's new (1)#H]] ![[../a/It's new (1)#^id|x]] [[../a/It's new (1).md]] [[/a/It's new (1)]] [[ ../a/It's new (1) | y ]] [[Other]] [[Gone]] [[#H]]
        [t](../a/It's%20new%20(1).md) [t](<../a/It's new (1).md#H h> "x") ![i](a/pic%201.png) [t](../a/It's%20new%20(1)) [t](/a/It's%20new%20(1).md) [t](https://x/Note.md)
        `[[Note]]` %%[[Note]]%% [d][d]

        | [[../a/It's new (1)\|cell]] |
        |---|

        [d]: ../a/It's%20new%20(1).md 'title'
    "#]],
    );
}

#[test]
fn every_form_follows_a_move() {
    let moves = [("a/Note.md", "b/c/Note.md")];
    check(
        FILES,
        &moves,
        LinkFormat::Shortest,
        "s.md",
        EVERY_FORM,
        expect![[r#"
            ---
            p: "[[Note]]" # c
            q: ['[[Note|x]]', plain]
            r: see [[Note#H]]
            ---
            [[Note]] [[note#H]] ![[Note#^id|x]] [[Note.md]] [[/b/c/Note]] [[ Note | y ]] [[Other]] [[Gone]] [[#H]]
            [t](b/c/Note.md) [t](<b/c/Note.md#H h> "x") ![i](a/pic%201.png) [t](Note) [t](/b/c/Note.md) [t](https://x/Note.md)
            `[[Note]]` %%[[Note]]%% [d][d]

            | [[Note\|cell]] |
            |---|

            [d]: b/c/Note.md 'title'
        "#]],
    );
    check(
        FILES,
        &moves,
        LinkFormat::Absolute,
        "s.md",
        EVERY_FORM,
        expect![[r#"
        ---
        p: "[[Note]]" # c
        q: ['[[b/c/Note|x]]', plain]
        r: see [[Note#H]]
        ---
        [[Note]] [[note#H]] ![[Note#^id|x]] [[b/c/Note.md]] [[/b/c/Note]] [[ Note | y ]] [[Other]] [[Gone]] [[#H]]
        [t](b/c/Note.md) [t](<b/c/Note.md#H h> "x") ![i](a/pic%201.png) [t](Note) [t](/b/c/Note.md) [t](https://x/Note.md)
        `[[Note]]` %%[[Note]]%% [d][d]

        | [[Note\|cell]] |
        |---|

        [d]: b/c/Note.md 'title'
    "#]],
    );
    check(
        FILES,
        &moves,
        LinkFormat::Relative,
        "b/s.md",
        EVERY_FORM,
        expect![[r#"
        ---
        p: "[[Note]]" # c
        q: ['[[c/Note|x]]', plain]
        r: see [[Note#H]]
        ---
        [[Note]] [[note#H]] ![[Note#^id|x]] [[c/Note.md]] [[/b/c/Note]] [[ Note | y ]] [[Other]] [[Gone]] [[#H]]
        [t](c/Note.md) [t](<c/Note.md#H h> "x") ![i](a/pic%201.png) [t](Note) [t](/b/c/Note.md) [t](https://x/Note.md)
        `[[Note]]` %%[[Note]]%% [d][d]

        | [[Note\|cell]] |
        |---|

        [d]: c/Note.md 'title'
    "#]],
    );
}

#[test]
fn links_of_a_moved_note_lead_where_they_led() {
    let files = ["a/n.md", "a/x.md", "a/sub/y.md", "z.md", "a/pic.png", "b/x.md"];
    let text = "[[x]] [[n#H]] [[./x]] [[sub/y]] [[../z]] ![p](pic.png) [y](sub/y.md) [z](../z.md) [[a/x]] [[/a/x]] [[#H]] [[y]]\n";
    for format in [LinkFormat::Shortest, LinkFormat::Relative, LinkFormat::Absolute] {
        check(
            &files,
            &[("a/n.md", "b/c/m.md")],
            format,
            "a/n.md",
            text,
            match format {
                LinkFormat::Shortest => expect![[r#"
                    [[x]] [[m#H]] [[../../a/x]] [[sub/y]] [[../../z]] ![p](pic.png) [y](../../a/sub/y.md) [z](../../z.md) [[a/x]] [[/a/x]] [[#H]] [[y]]
                "#]],
                LinkFormat::Relative => expect![[r#"
                    [[../../a/x]] [[m#H]] [[../../a/x]] [[../../a/sub/y]] [[../../z]] ![p](../../a/pic.png) [y](../../a/sub/y.md) [z](../../z.md) [[a/x]] [[/a/x]] [[#H]] [[y]]
                "#]],
                LinkFormat::Absolute => expect![[r#"
                    [[x]] [[b/c/m#H]] [[../../a/x]] [[sub/y]] [[../../z]] ![p](pic.png) [y](sub/y.md) [z](../../z.md) [[a/x]] [[/a/x]] [[#H]] [[y]]
                "#]],
            },
        );
    }
}

#[test]
fn a_whole_folder_moves() {
    let files = ["a/n.md", "a/x.md", "a/sub/y.md", "z.md", "x.md"];
    let moves = [("a/n.md", "c/d/n.md"), ("a/x.md", "c/d/x.md"), ("a/sub/y.md", "c/d/sub/y.md")];
    let text = "[[./x]] [[sub/y]] [y](sub/y.md) [z](../z.md) [[a/x]] [[z]]\n";
    check(
        &files,
        &moves,
        LinkFormat::Shortest,
        "a/n.md",
        text,
        expect![[r#"
        [[./x]] [[sub/y]] [y](sub/y.md) [z](../../z.md) [[c/d/x]] [[z]]
    "#]],
    );
    check(
        &files,
        &moves,
        LinkFormat::Shortest,
        "z.md",
        "[[a/x]] [[a/sub/y|y]] [[n]] [[x]] [x](a/x.md)\n",
        expect![[r#"
            [[c/d/x]] [[y|y]] [[n]] [[x]] [x](c/d/x.md)
        "#]],
    );
}

#[test]
fn a_new_name_takes_no_links_from_others() {
    let files = ["a/Plan.md", "b/Draft.md", "s.md", "b/s.md"];
    let moves = [("b/Draft.md", "b/Plan.md")];
    let text = "[[Plan]] [[Draft]] [[Plan#H|x]]\n";
    // Seen from `b` the plain name would now mean the neighbour.
    check(
        &files,
        &moves,
        LinkFormat::Shortest,
        "b/s.md",
        text,
        expect![[r#"
        [[a/Plan]] [[b/Plan]] [[a/Plan#H|x]]
    "#]],
    );
    check(
        &files,
        &moves,
        LinkFormat::Shortest,
        "s.md",
        text,
        expect![[r#"
        [[Plan]] [[b/Plan]] [[Plan#H|x]]
    "#]],
    );
    // Two notes that change names.
    let swap = [("a/Plan.md", "a/Draft.md"), ("b/Draft.md", "b/Plan.md")];
    check(
        &files,
        &swap,
        LinkFormat::Shortest,
        "s.md",
        text,
        expect![[r#"
        [[Draft]] [[Plan]] [[Draft#H|x]]
    "#]],
    );
    // Only the case changes: nothing has to.
    check(
        &files,
        &[("a/Plan.md", "a/PLAN.md")],
        LinkFormat::Shortest,
        "s.md",
        text,
        expect![[r#"
        [[Plan]] [[Draft]] [[Plan#H|x]]
    "#]],
    );
}

#[test]
fn names_that_a_link_cannot_hold_are_told() {
    let moves = [("a/Note.md", "a/C# [x] 100% & \"q\"? ü.md")];
    let text =
        "---\np: \"[[Note]]\"\nq: see [[Note]]\n---\n[[Note]] [t](a/Note.md) [t](<a/Note.md>) [t](a/Note.md#%C3%BC)\n";
    check(
        FILES,
        &moves,
        LinkFormat::Shortest,
        "s.md",
        text,
        expect![[r#"
            ---
            p: "[[Note]]"
            q: see [[Note]]
            ---
            [[Note]] [t](a/C%23%20%5Bx%5D%20100%25%20&%20%22q%22%3F%20ü.md) [t](<a/C%23 [x] 100%25 & "q"? ü.md>) [t](a/C%23%20%5Bx%5D%20100%25%20&%20%22q%22%3F%20ü.md#%C3%BC)
            warning, line 2: link to `Note` could not be followed: it cannot name `a/C# [x] 100% & "q"? ü.md`
            warning, line 3: link to `Note` could not be followed: it cannot name `a/C# [x] 100% & "q"? ü.md`
            warning, line 5: link to `Note` could not be followed: it cannot name `a/C# [x] 100% & "q"? ü.md`
        "#]],
    );
    let moves = [("a/Note.md", "a/x: y #z.md")];
    check(
        FILES,
        &moves,
        LinkFormat::Shortest,
        "s.md",
        "---\nq: see [[Note]]\nr: '[[Note]]'\n---\n",
        expect![[r#"
        ---
        q: see [[Note]]
        r: '[[Note]]'
        ---
        warning, line 2: link to `Note` could not be followed: it cannot name `a/x: y #z.md`
        warning, line 3: link to `Note` could not be followed: it cannot name `a/x: y #z.md`
    "#]],
    );
    let moves = [("a/Note.md", "a/x: 'y'.md")];
    let text = "---\nq: see [[Note]]\nr: '[[Note]]'\ns: \"[[Note]]\"\n---\n";
    check(
        FILES,
        &moves,
        LinkFormat::Shortest,
        "s.md",
        text,
        expect![[r#"
            ---
            q: see [[Note]]
            r: '[[x: ''y'']]'
            s: "[[x: 'y']]"
            ---
            warning, line 2: link to `Note` could not be followed: it cannot name `a/x: 'y'.md`
        "#]],
    );
}

/// Moves `Note.md` beside `others` and shows what becomes of a wikilink, one with a heading and a
/// Markdown link to it; each must lead to the note, or a warning must name its line.
fn named_in_full(others: &[&str], to: &str) -> String {
    let files = [&["s.md", "Note.md"], others].concat();
    let text = "[[Note]]\n![[Note#H|x]]\n[t](Note.md)\n";
    let moves = [("Note.md", to)];
    let shown = [LinkFormat::Shortest, LinkFormat::Relative, LinkFormat::Absolute]
        .map(|format| follow(&files, &moves, format, "s.md", text));
    let (now, from) = ([others, &["s.md", to]].concat(), rel("s.md"));
    let now: Vec<RelPath> = now.iter().map(|path| rel(path)).collect();
    let named = |name: &str| now.iter().filter(|file| fold(file.file_name()) == name).cloned().collect();
    for shown in &shown {
        for link in &parse(&NoteText::from_str(shown)).links {
            let leads_there = resolve_link(&link.target, &from, &named) == Some(rel(to));
            assert!(leads_there || shown.contains(&format!("warning, line {}: ", link.line)), "{to}: {shown}");
        }
    }
    shown.into_iter().next().unwrap_or_default()
}

#[test]
fn names_that_mean_another_file_are_written_in_full() {
    for (others, to, written) in [
        (&[][..], "n .md", "[[n .md]]\n![[n .md#H|x]]\n[t](n%20.md)\n"),
        (&["n.md"], "n .md", "[[n .md]]\n![[n .md#H|x]]\n[t](n%20.md)\n"),
        (&[], "d/n .md", "[[n .md]]\n![[n .md#H|x]]\n[t](n%20.md)\n"),
        (&["n .md"], "d/n .md", "[[d/n .md]]\n![[d/n .md#H|x]]\n[t](d/n%20.md)\n"),
        (&["a.md"], "a.md.md", "[[a.md.md]]\n![[a.md.md#H|x]]\n[t](a.md.md)\n"),
        (&[], "a.md.md", "[[a.md]]\n![[a.md#H|x]]\n[t](a.md.md)\n"),
        (&["a.png"], "a.png.md", "[[a.png.md]]\n![[a.png.md#H|x]]\n[t](a.png.md)\n"),
        (&["d/a.png"], "a.png.md", "[[a.png.md]]\n![[a.png.md#H|x]]\n[t](a.png.md)\n"),
        (&["a.canvas"], "d/a.canvas.MD", "[[a.canvas.MD]]\n![[a.canvas.MD#H|x]]\n[t](a.canvas.MD)\n"),
        (&[], " n.md", "[[/ n]]\n![[/ n#H|x]]\n[t](/%20n.md)\n"),
        (&[], "n].md", "[[n].md]]\n![[n]#H|x]]\n[t](n%5D.md)\n"),
    ] {
        assert_eq!(named_in_full(others, to), written, "{others:?} {to}");
    }
}

#[test]
fn links_to_names_that_no_link_can_hold_are_told() {
    // A no-break space in a link is a plain one.
    for (to, n_told) in [("n\u{a0}.md", 3), ("n\u{202f}x.md", 3), ("a#b.md", 2), ("a]]b.md", 2), ("a|b.md", 2)] {
        let shown = named_in_full(&[], to);
        assert_eq!(shown.matches(&format!("it cannot name `{to}`")).count(), n_told, "{shown}");
    }
}

#[test]
fn titles_that_change_with_a_link_are_told() {
    let text =
        "## see [[Note]]\n# [[Note|x]] [[Note]]\n### [t](a/Note.md)\n## [[Other]]\n\n[[Note]]\nsee [[Note]]\n===\n";
    check(
        FILES,
        &[("a/Note.md", "d/Zed.md")],
        LinkFormat::Shortest,
        "s.md",
        text,
        expect![[r#"
            ## see [[Zed]]
            # [[Zed|x]] [[Zed]]
            ### [t](d/Zed.md)
            ## [[Other]]

            [[Zed]]
            see [[Zed]]
            ===
            warning, line 1: heading `see [[Note]]` holds a link that was followed; links to it may find it no more
            warning, line 2: heading `[[Note|x]] [[Note]]` holds a link that was followed; links to it may find it no more
            warning, line 3: heading `t` holds a link that was followed; links to it may find it no more
            warning, line 6: heading `[[Note]] see [[Note]]` holds a link that was followed; links to it may find it no more
        "#]],
    );
    // A link that stays leaves the title as it is.
    check(
        FILES,
        &[("a/Note.md", "d/Note.md")],
        LinkFormat::Shortest,
        "s.md",
        "## see [[Note]]\n",
        expect![[r#"
        ## see [[Note]]
    "#]],
    );
}

#[test]
fn extensions_stay_as_they_are_written() {
    let files = ["v1.2.md", "x.md.md", "d.canvas", "Up.MD", "s.md"];
    let moves = [("v1.2.md", "v2.0.md"), ("x.md.md", "y.md"), ("d.canvas", "e.canvas"), ("Up.MD", "Down.MD")];
    let text = "[[v1.2]] [[v1.2.md]] [[x.md]] [[d.canvas]] [u](Up.md) [u](up)\n";
    check(
        &files,
        &moves,
        LinkFormat::Shortest,
        "s.md",
        text,
        expect![[r#"
        [[v2.0]] [[v2.0.md]] [[y]] [[e.canvas]] [u](Down.MD) [u](Down)
    "#]],
    );
}

#[test]
fn cards_follow_and_the_json_stays() {
    let canvas = "{\"nodes\":[ {\"type\":\"file\",\"file\":\"a\\/Note.md\",\"subpath\":\"#H\",\"x\":1.0},\n\
        {\"type\":\"file\",\"file\":\"Note.md\"},\n{\"type\":\"text\",\"text\":\"[[Note]] \\u00e9 [[Other]] [t](../a/Note.md)\"}],\"zz\":[]}";
    let moves = [("a/Note.md", "a/New \"q\".md")];
    check(
        &[FILES, &["b/x.canvas"]].concat(),
        &moves,
        LinkFormat::Shortest,
        "b/x.canvas",
        canvas,
        expect![[r##"
        {"nodes":[ {"type":"file","file":"a/New \"q\".md","subpath":"#H","x":1.0},
        {"type":"file","file":"Note.md"},
        {"type":"text","text":"[[New \"q\"]] \u00e9 [[Other]] [t](../a/New%20%22q%22.md)"}],"zz":[]}"##]],
    );
    let moves = [("b/x.canvas", "x.canvas")];
    check(
        &[FILES, &["b/x.canvas"]].concat(),
        &moves,
        LinkFormat::Shortest,
        "b/x.canvas",
        canvas,
        expect![[r##"
        {"nodes":[ {"type":"file","file":"a\/Note.md","subpath":"#H","x":1.0},
        {"type":"file","file":"Note.md"},
        {"type":"text","text":"[[Note]] \u00e9 [[Other]] [t](./a/Note.md)"}],"zz":[]}"##]],
    );
}
