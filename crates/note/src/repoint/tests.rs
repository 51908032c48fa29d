use expect_test::{Expect, expect};
use proptest::prelude::*;

use super::*;
use crate::heading::strip_heading;
use crate::path::fold;
use crate::rename::rename_heading;
use crate::section::SectionRef;

/// Renames the heading at `index` of the note `n.md` and repoints a text that lives beside it.
fn follow(note: &str, index: usize, title: &str, linking: &str) -> (String, Repointed) {
    let text = NoteText::from_str(note);
    let before = parse(&text);
    let renamed = rename_heading(&text, &before, &SectionRef::Index(index), title, true).unwrap();
    let after = parse(&renamed.edits.apply(&text).unwrap());
    let moved = HeadingMoved { before: &before, after: &after, index };
    let linking = NoteText::from_str(linking);
    let is_it = |link: &Link| matches!(fold(&link.target).as_str(), "n" | "n.md" | "dir/n" | "dir/n.md");
    let repointed = repoint_links(&linking, &parse(&linking), &moved, &is_it);
    let new = repointed.edits.apply(&linking).unwrap();
    let again = repoint_links(&new, &parse(&new), &moved, &is_it);
    assert!(again.edits.is_empty(), "a second time changes {new:?}: {again:?}");
    (new.as_str().to_owned(), repointed)
}

fn check(note: &str, index: usize, title: &str, linking: &str, expect: Expect) {
    let (new, repointed) = follow(note, index, title, linking);
    let mut shown = new;
    for warning in &repointed.warnings {
        shown += &format!("warning, line {}: {}\n", warning.line, warning.text);
    }
    expect.assert_eq(&shown);
}

const NOTE: &str = "# N\n\n## S1\n\n### Log\n\n## S2\n\n### Log\n\n## Old: *x*\n";
const OLD: usize = 5;

#[test]
fn every_form_follows() {
    check(
        NOTE,
        OLD,
        "New (a)",
        "[[n#Old x]] [[N.md#old, X|as is]] ![[dir/n#Old: x]] [[n#N#Old x]] [[ n # Old x ]]\n\
         [a](n.md#Old%20x) [b](<n.md#Old x> \"t\") ![c](dir/n.md#N#Old%20x)\n\
         [d][r] [[other#Old x]] [[n]] [[n#^old]] [[n#Old]]\n\
         \n\
         | [[n#Old x\\|cell]] |\n|---|\n| ![[n#Old x]] |\n\n\
         > - [[n#Old x]]\n\n\
         [r]: n.md#Old%20x 'title'\n",
        expect![[r#"
            [[n#New (a)]] [[N.md#New (a)|as is]] ![[dir/n#New (a)]] [[n#N#New (a)]] [[ n # New (a) ]]
            [a](n.md#New%20(a)) [b](<n.md#New (a)> "t") ![c](dir/n.md#N#New%20(a))
            [d][r] [[other#Old x]] [[n]] [[n#^old]] [[n#Old]]

            | [[n#New (a)\|cell]] |
            |---|
            | ![[n#New (a)]] |

            > - [[n#New (a)]]

            [r]: n.md#New%20(a) 'title'
        "#]],
    );
}

#[test]
fn links_in_comments_stay_and_are_counted() {
    check(
        NOTE,
        OLD,
        "New",
        "%% [[n#Old x]] [[other#Old x]] [[n#S1]] %%\n\nx %%[a](n.md#N#Old%20x)%% [[n#Old x]]\n",
        expect![[r#"
            %% [[n#Old x]] [[other#Old x]] [[n#S1]] %%

            x %%[a](n.md#N#Old%20x)%% [[n#New]]
            warning, line 1: 2 links in comments still name the old heading
        "#]],
    );
    check(
        NOTE,
        OLD,
        "Old -- x",
        "%%\n[[n#Old x]]\n%%\n",
        expect![[r#"
        %%
        [[n#Old x]]
        %%
        warning, line 2: 1 link in a comment still names the old heading
    "#]],
    );
    check(
        NOTE,
        OLD,
        "old: x",
        "%%\n[[n#Old x]]\n%%\n",
        expect![[r#"
        %%
        [[n#Old x]]
        %%
    "#]],
    );
}

#[test]
fn a_link_in_a_title_changes_the_title_and_that_is_said() {
    check(
        NOTE,
        OLD,
        "New",
        "## See [[n#Old x]]\n\n## And [[n#Old x|so]] [[n#Old x]]\n\n[[n#Old x]]\n",
        expect![[r#"
            ## See [[n#New]]

            ## And [[n#New|so]] [[n#New]]

            [[n#New]]
            warning, line 1: heading `See [[n#Old x]]` holds a link that was followed; links to it may find it no more
            warning, line 3: heading `And [[n#Old x|so]] [[n#Old x]]` holds a link that was followed; links to it may find it no more
        "#]],
    );
    // The new title's link to itself stays; there would be no end to it.
    let text = NoteText::from_str("## Old\n\n[[#Old]]\n");
    let before = parse(&text);
    let renamed = rename_heading(&text, &before, &SectionRef::Index(0), "Not [[#Old]]", true).unwrap();
    let new = renamed.edits.apply(&text).unwrap();
    let after = parse(&new);
    let moved = HeadingMoved { before: &before, after: &after, index: 0 };
    let repointed = repoint_links(&new, &after, &moved, &|link| link.target.is_empty());
    let followed = repointed.edits.apply(&new).unwrap();
    let again = repoint_links(&followed, &parse(&followed), &moved, &|link| link.target.is_empty());
    assert!(again.edits.is_empty(), "{again:?}");
    expect![[r###"
        (
            "## Not [[#Old]]\n\n[[#Not Old]]\n",
            [
                LinkWarning {
                    line: 1,
                    text: "link to `#Old` stands in the new title itself and was left alone",
                },
            ],
        )
    "###]]
    .assert_debug_eq(&(repointed.edits.apply(&new).unwrap(), repointed.warnings));
}

#[test]
fn a_link_in_the_text_of_another_follows_with_it() {
    check(
        NOTE,
        OLD,
        "New",
        "![see [this](n.md#Old%20x)](<n.md#Old x>)\n",
        expect![[r#"
        ![see [this](n.md#New)](<n.md#New>)
    "#]],
    );
}

#[test]
fn a_link_that_others_stood_in_the_way_of_is_tried_again() {
    // Plainly spelled, either link makes math of the other.
    check(
        NOTE,
        OLD,
        "$x",
        "$[a](n.md#Old%20x)[[n#Old x]]\n",
        expect![[r#"
        $[a](n.md#%24x)[[n#x]]
    "#]],
    );
}

#[test]
fn properties_follow_inside_their_quotes() {
    check(
        NOTE,
        OLD,
        "It's \"new\"",
        "---\na: \"[[n#Old x]]\" # keep\nb: '[[n#Old x|y]]'\nc: [\"[[n#Old x]]\", 'Old x']\nd: see [[n#Old x]]\n---\n[[n#Old x]]\n",
        expect![[r#"
            ---
            a: "[[n#It's \"new\"]]" # keep
            b: '[[n#It''s "new"|y]]'
            c: ["[[n#It's \"new\"]]", 'Old x']
            d: see [[n#It's "new"]]
            ---
            [[n#It's "new"]]
        "#]],
    );
}

#[test]
fn only_the_segment_of_the_heading_changes() {
    check(
        NOTE,
        3,
        "Section two",
        "[[n#S2]] [[n#S2#Log]] [[n#N#S2#Log|x]] [[n#S1#Log]] [[n#Log]] [a](n.md#S2#Log) [b](n.md#N%23S2%23Log)\n",
        expect![[r#"
            [[n#Section two]] [[n#Section two#Log]] [[n#N#Section two#Log|x]] [[n#S1#Log]] [[n#Log]] [a](n.md#Section%20two#Log) [b](n.md#N%23Section%20two%23Log)
        "#]],
    );
    // The plain link means the first of the two.
    check(
        NOTE,
        4,
        "Diary",
        "[[n#S1#Log]] [[n#S2#Log]] [[n#Log]] [[n#N#S2#Log|x]]\n",
        expect![[r#"
        [[n#S1#Log]] [[n#S2#Diary]] [[n#Log]] [[n#N#S2#Diary|x]]
    "#]],
    );
}

#[test]
fn what_is_no_link_stays() {
    let text = "`[[n#Old x]]` \\[[n#Old x]] %%[[n#Old x]]%%\n\n```\n[[n#Old x]]\n```\n\n    [[n#Old x]]\n\n<!-- [[n#Old x]] -->\n\n$$\n[[n#Old x]]\n$$\n";
    let (new, repointed) = follow(NOTE, OLD, "New", text);
    assert_eq!((new.as_str(), repointed.n_links), (text, 0));
}

#[test]
fn links_that_cannot_follow_are_named() {
    // Nothing can be written between brackets that means a colon.
    check(
        "## Log\n",
        0,
        ":",
        "[[n#Log]]\n[[n#Log|x]]\n",
        expect![[r#"
        [[n#Log]]
        [[n#Log|x]]
        warning, line 1: link to `n#Log` meant `Log` (line 1) and now means no heading
        warning, line 2: link to `n#Log` meant `Log` (line 1) and now means no heading
    "#]],
    );
    // Web anchors are left alone, and named.
    check(
        "## Red fox\n",
        0,
        "Grey fox",
        "[a](n.md#red-fox) [[n#Red fox]]\n",
        expect![[r#"
        [a](n.md#red-fox) [[n#Grey fox]]
        warning, line 1: link to `n.md#red-fox` names the old title as a website would; it was left alone
    "#]],
    );
}

#[test]
fn a_title_that_would_break_the_link_is_written_barer() {
    check(
        NOTE,
        OLD,
        "a ` b",
        "[[n#Old x]] and `code`\n",
        expect![[r#"
        [[n#a b]] and `code`
    "#]],
    );
    check(
        NOTE,
        OLD,
        "a [b]",
        "[[n#Old x]]\n",
        expect![[r#"
        [[n#a b]]
    "#]],
    );
    check(
        NOTE,
        OLD,
        "[b] a",
        "[[n#Old x]]\n",
        expect![[r#"
        [[n#[b] a]]
    "#]],
    );
    check(
        NOTE,
        OLD,
        "a $b$ c",
        "$[[n#Old x]] [[n#Old x]]\n",
        expect![[r#"
        $[[n#a $b$ c]] [[n#a $b$ c]]
    "#]],
    );
    check(
        NOTE,
        OLD,
        "Q&amp;A",
        "[a](n.md#Old%20x) [[n#Old x]]\n",
        expect![[r#"
            [a](n.md#Q%26amp%3BA) [[n#Q&amp;A]]
        "#]],
    );
    check(
        NOTE,
        OLD,
        "a) b, 50% \"c\"",
        "[a](n.md#Old%20x) [b](<n.md#Old x>)\n",
        expect![[r#"
        [a](n.md#a%29%20b,%2050%25%20%22c%22) [b](<n.md#a) b, 50%25 "c">)
    "#]],
    );
    check(
        NOTE,
        OLD,
        "100 %% a | b # c ^d \\e",
        "[[n#Old x|t]]\n\n| [[n#Old x\\|t]] |\n|-|\n",
        expect![[r#"
        [[n#100 a b c d e|t]]

        | [[n#100 a b c d e\|t]] |
        |-|
    "#]],
    );
    check(
        NOTE,
        OLD,
        "см. [[X]]",
        "[a](n.md#Old%20x) [b](n.md#%4Fld%20x) [[n#Old x]]\n",
        expect![[r#"
        [a](n.md#см.%20X) [b](n.md#см.%20X) [[n#см. X]]
    "#]],
    );
    check(
        NOTE,
        OLD,
        "???",
        "[[n#Old x]]\n",
        expect![[r#"
        [[n#???]]
    "#]],
    );
    check(
        NOTE,
        OLD,
        "a: b",
        "---\nup: see [[n#Old x]]\n---\n",
        expect![[r#"
        ---
        up: see [[n#a b]]
        ---
    "#]],
    );
}

#[test]
fn a_note_follows_itself() {
    let text = NoteText::from_str("## Old\n\n[[#Old]] ![[#Old|x]] [y](#Old) [[#Other]] [[n#Old]]\n");
    let before = parse(&text);
    let renamed = rename_heading(&text, &before, &SectionRef::Index(0), "New", false).unwrap();
    let after_text = renamed.edits.apply(&text).unwrap();
    let after = parse(&after_text);
    let moved = HeadingMoved { before: &before, after: &after, index: 0 };
    let is_self = |link: &Link| link.target.is_empty() || link.target == "n";
    // Planned on either text, the links come out the same.
    for (base, note) in [(&text, &before), (&after_text, &after)] {
        let repointed = repoint_links(base, note, &moved, &is_self);
        assert_eq!(repointed.n_links, 4);
        let new = repointed.edits.apply(base).unwrap();
        assert!(new.as_str().ends_with("[[#New]] ![[#New|x]] [y](#New) [[#Other]] [[n#New]]\n"));
    }
}

#[test]
fn a_change_of_case_is_followed() {
    check(
        "## api keys\n",
        0,
        "API keys",
        "[[n#api keys]] [[n#API keys]]\n",
        expect![[r#"
        [[n#API keys]] [[n#API keys]]
    "#]],
    );
}

#[test]
fn a_link_that_was_followed_is_not_followed_again() {
    let alone = "# Old\n\n[a](<#Old>) [b](#Old) [c](<#Old%20>) [[#Old]]\n";
    // Each link here can stand in the way of the others.
    let close = "[[#Old]]$[[#Old]][](#Old)`\n# Old";
    // Punctuation is not compared, so the new title is found where the old one was named.
    for (text, title) in [
        (alone, "Old>)"),
        (alone, "Old (<>"),
        (alone, "Old %"),
        (alone, "Old ) %20"),
        (alone, "(Old)"),
        (close, "P$]]`"),
        (close, "Old`$"),
    ] {
        let text = NoteText::from_str(text);
        let before = parse(&text);
        let renamed = rename_heading(&text, &before, &SectionRef::Index(0), title, true).unwrap();
        let renamed = renamed.edits.apply(&text).unwrap();
        let after = parse(&renamed);
        let moved = HeadingMoved { before: &before, after: &after, index: 0 };
        let once = repoint_links(&renamed, &after, &moved, &|_| true).edits.apply(&renamed).unwrap();
        let twice = repoint_links(&once, &parse(&once), &moved, &|_| true);
        assert!(twice.edits.is_empty(), "{title:?}: {:?} of {:?}", twice.edits, once.as_str());
    }
}

#[test]
fn a_link_around_another_one_stays_a_link() {
    for title in ["[", "a [b", "a] b", "](x)", "a ][ b", "[[x"] {
        let (new, repointed) = follow("# N\n\n## Old\n", 1, title, "[x [[n#Old]] y](z.md) [![[n#Old]]](n.md#Old)\n");
        let targets: Vec<String> =
            parse(&NoteText::from_str(&new)).links.iter().map(|link| link.target.clone()).collect();
        assert_eq!(targets.iter().filter(|target| *target == "z.md").count(), 1, "{title:?} {new:?}");
        let before = parse(&NoteText::from_str("[x [[n#Old]] y](z.md) [![[n#Old]]](n.md#Old)\n")).links.len();
        assert_eq!(targets.len(), before, "{title:?} {new:?} {:?}", repointed.warnings);
    }
}

proptest! {
    /// Whatever the title, every link still means the heading, and nothing else changes.
    #[test]
    fn every_link_still_means_the_heading(title in "[a-d#*_`|(){}'\"+>.:1$%^\\[\\]<&\\\\éд🎉 -]{1,12}") {
        let text = NoteText::from_str("# T\n\n## Old x\n\n## Other\n");
        let before = parse(&text);
        let Ok(renamed) = rename_heading(&text, &before, &SectionRef::Index(1), &title, false) else {
            return Ok(());
        };
        if strip_heading(&title).is_empty() {
            // Obsidian cannot link to a title that is all punctuation.
            return Ok(());
        }
        let after = parse(&renamed.edits.apply(&text).unwrap());
        let moved = HeadingMoved { before: &before, after: &after, index: 1 };
        let linking = NoteText::from_str(
            "---\na: \"[[n#Old x]]\"\nb: '[[n#T#Old x|y]]'\n---\n[[n#Old x]] `c` ![[n#Old x|a]]\n\n| [[n#Old x\\|b]] | [c](n.md#Old%20x) |\n|-|-|\n\n[d](<n.md#Old x> \"t\") $e$\n\n[f]: n.md#T#Old%20x\n\n[[n#Other]] [x [[n#Old x]] y](z.md#q) [![[n#Old x]]](n.md#Old%20x) [ [[n#Old x|a]] ][f]\n",
        );
        let note = parse(&linking);
        let resolves = |link: &Link| link.target.starts_with('n');
        let repointed = repoint_links(&linking, &note, &moved, &resolves);
        prop_assert!(repointed.warnings.is_empty(), "{:?}", repointed.warnings);
        let new = repointed.edits.apply(&linking).unwrap();
        let new_note = parse(&new);
        prop_assert_eq!(new_note.links.len(), note.links.len());
        for (old, new) in note.links.iter().zip(&new_note.links) {
            // The text of a link may hold another one, which follows.
            let alias = |link: &Link| link.alias.clone().filter(|alias| !alias.contains("[["));
            prop_assert_eq!((&old.target, alias(old), old.kind), (&new.target, alias(new), new.kind));
            let means = |note: &Note, link: &Link| note.find_heading(link.subpath.as_deref().unwrap());
            prop_assert_eq!(means(&before, old), means(&after, new));
        }
        let again = repoint_links(&new, &new_note, &moved, &resolves);
        prop_assert!(again.edits.is_empty());
    }
}
