use expect_test::{Expect, expect};
use proptest::prelude::*;

use super::*;

mod blocks;

fn rename(before: &str, at: &SectionRef, title: &str) -> Result<(String, RenamedHeading), RenameError> {
    let text = NoteText::from_str(before);
    let renamed = rename_heading(&text, &parse(&text), at, title, false)?;
    let after = renamed.edits.apply(&text).unwrap().as_str().to_owned();
    Ok((after, renamed))
}

fn named(heading: &str) -> SectionRef {
    SectionRef::Heading { text: heading.to_owned(), level: None, nth: None }
}

/// Renames the only heading of a name, and shows the text or what is wrong.
fn outcome(before: &str, heading: &str, title: &str) -> String {
    match rename(before, &named(heading), title) {
        Ok((after, _)) => format!("{after:?}"),
        Err(error) => error.to_string(),
    }
}

fn check(before: &str, heading: &str, title: &str, expect: Expect) {
    expect.assert_eq(&outcome(before, heading, title));
}

#[test]
fn only_the_title_changes() {
    for (before, after) in [
        ("## Old\n", "## New\n"),
        ("  ##\t Old \t\n", "  ##\t New \t\n"),
        ("## Old ##  \r\nx\r", "## New ##  \r\nx\r"),
        ("\u{feff}---\na: 1 # c\n---\r\n### Old ^id  \n", "\u{feff}---\na: 1 # c\n---\r\n### New ^id  \n"),
        ("a\r\r## Old\rb", "a\r\r## New\rb"),
        ("Old\n---\nx", "New\n---\nx"),
        (" Old  \n   -----   \n", " New  \n   -----   \n"),
        ("x\n\nO\n  l  \n\td ^i\n-\n", "x\n\nNew ^i\n-\n"),
        ("## Old", "## New"),
        ("## *O*ld [x](y)", "## New"),
        ("## Old\n---\n```\n## Old\n", "## New\n---\n```\n## Old\n"),
    ] {
        let text = NoteText::from_str(before);
        let index = SectionRef::Index(0);
        let (renamed, _) = rename(before, &index, "New").unwrap();
        assert_eq!(renamed, after, "{:?}", text);
    }
}

#[test]
fn the_answer_says_what_was_and_is() {
    let (_, renamed) = rename("# T\n\n## Log\n\n## Log\n", &SectionRef::Index(2), "The *new* one").unwrap();
    let RenamedHeading { index, old, new, level, line, occurrence, warnings, .. } = renamed;
    assert_eq!((index, old.as_str(), new.as_str()), (2, "Log", "The new one"));
    assert_eq!((level, line, occurrence, warnings.len()), (2, 5, 2, 0));
    let (_, renamed) = rename("## Old\n", &named("Old"), "a: b | [[c]] 100%% \\d").unwrap();
    expect!["links cannot hold `:` `|` `[[` `]]` `%%` `\\`; they name the heading without"]
        .assert_eq(&renamed.warnings.join("\n"));
}

#[test]
fn titles_that_need_escapes() {
    let atx = "## Old\n\n[a]: /url\n\n[^1]: foot\n";
    let setext = "Old\n---\n\n[a]: /url\n";
    let mut all = String::new();
    for title in [
        "- item",
        "+ plus",
        "* star",
        "1. one",
        "12) two",
        "> quote",
        "```",
        "~~~ x",
        "---",
        "***",
        "===",
        "# no",
        "#tag x",
        "C #",
        "C#",
        "a ##",
        "<!-- x",
        "<div>",
        "| a | b |",
        "|a|",
        "a |",
        "[b]: /c",
        "[a]",
        "[^1]",
        "%% x",
        "$$ y",
        "New ^id",
        "^id",
        "`code`",
        "a ` b",
        "a $ b $ c",
        "\\",
        "a \\# b",
        "&amp;",
        "*em*",
        "__x",
        "[x](y",
        "    four",
        "a|b",
        "<b",
        "- [ ] task",
        "\u{a0}nbsp\u{a0}",
        "2026",
        "# #",
        "[[N|x]]",
        "![[e]]",
        "==h==",
        ":::",
        "~",
        "=",
        "-",
    ] {
        let line = |before: &str| match rename(before, &named("Old"), title) {
            Ok((after, renamed)) => {
                let line = after.lines().next().unwrap();
                if line.trim_start_matches('#').trim() == renamed.new {
                    line.to_owned()
                } else {
                    format!("{line} = {}", renamed.new)
                }
            }
            Err(RenameError::Invalid { reason, .. }) => reason,
            Err(error) => error.to_string(),
        };
        all += &format!("{title:?}: {} | {}\n", line(atx), line(setext));
    }
    expect![[r##"
        "- item": ## - item | \- item = - item
        "+ plus": ## + plus | \+ plus = + plus
        "* star": ## * star | \* star = * star
        "1. one": ## 1. one | 1\. one = 1. one
        "12) two": ## 12) two | 12\) two = 12) two
        "> quote": ## > quote | \> quote = > quote
        "```": ## ``` | \``` = ```
        "~~~ x": ## ~~~ x | \~~~ x = ~~~ x
        "---": ## --- | \--- = ---
        "***": ## *** | \*** = ***
        "===": ## === | ===
        "# no": it starts with heading marks (`#`); give the text only | it starts with heading marks (`#`); give the text only
        "#tag x": ## #tag x | #tag x = #tag x
        "C #": ## C \# = C # | C #
        "C#": ## C# | C#
        "a ##": ## a \## = a ## | a ##
        "<!-- x": ## <!-- x | \<!-- x = <!-- x
        "<div>": it shows nothing when rendered | it shows nothing when rendered
        "| a | b |": ## | a | b | | | a | b |
        "|a|": ## |a| | |a|
        "a |": ## a | | a |
        "[b]: /c": ## [b]: /c | \[b]: /c = [b]: /c
        "[a]": ## \[a] = [a] | \[a] = [a]
        "[^1]": ## [^1] | [^1]
        "%% x": ## %% x | \%% x = %% x
        "$$ y": ## $$ y | \$$ y = $$ y
        "New ^id": ## New \^id = New ^id | New \^id = New ^id
        "^id": ## ^id | ^id
        "`code`": ## `code` = code | `code` = code
        "a ` b": ## a ` b | a ` b
        "a $ b $ c": ## a $ b $ c | a $ b $ c
        "\\": ## \ | \
        "a \\# b": ## a \# b = a # b | a \# b = a # b
        "&amp;": ## &amp; = & | &amp; = &
        "*em*": ## *em* = em | *em* = em
        "__x": ## __x | __x
        "[x](y": ## [x](y | [x](y
        "    four": ## four | four
        "a|b": ## a|b | a|b
        "<b": ## <b | <b
        "- [ ] task": ## - [ ] task | \- [ ] task = - [ ] task
        "\u{a0}nbsp\u{a0}": ## nbsp | nbsp
        "2026": ## 2026 | 2026
        "# #": it starts with heading marks (`#`); give the text only | it starts with heading marks (`#`); give the text only
        "[[N|x]]": ## [[N|x]] | [[N|x]]
        "![[e]]": ## ![[e]] | ![[e]]
        "==h==": ## ==h== | ==h==
        ":::": ## ::: | :::
        "~": ## ~ | ~
        "=": ## = | =
        "-": ## - | \- = -
    "##]].assert_eq(&all);
}

#[test]
fn hostile_titles_are_refused_by_name() {
    check("## Old\n", "Old", " \u{a0}\t", expect!["`` cannot be a heading: it is empty"]);
    check("## Old\n", "Old", "\u{200b}", expect![[r#"`\u{200b}` cannot be a heading: it is empty"#]]);
    check(
        "## Old\n",
        "Old",
        "New\n# Injected",
        expect![[r#"`New\n# Injected` cannot be a heading: it holds a line break"#]],
    );
    check("## Old\n", "Old", "New\rx", expect![[r#"`New\rx` cannot be a heading: it holds a line break"#]]);
    check("## Old\n", "Old", "New\u{2028}x", expect![[r#"`New\u{2028}x` cannot be a heading: it holds a line break"#]]);
    check("## Old\n", "Old", "a\0b", expect![[r#"`a\0b` cannot be a heading: it holds a control character (U+0000)"#]]);
    check("## Old\n", "Old", "a\tb", expect![[r#"`a\tb` cannot be a heading: it holds a control character (U+0009)"#]]);
    check(
        "## Old\n",
        "Old",
        "## New",
        expect!["`## New` cannot be a heading: it starts with heading marks (`##`); give the text only"],
    );
    check(
        "## Old\n",
        "Old",
        "#",
        expect!["`#` cannot be a heading: it starts with heading marks (`#`); give the text only"],
    );
    check(
        "## Old\n",
        "Old",
        &"x".repeat(1001),
        expect![
            "`xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx…` cannot be a heading: it has 1001 characters, more than 1000"
        ],
    );
    check("# Old\n", "Old", "New", expect!["heading of level 1 is the note's title: `Old` (line 1)"]);
    check("## Old\n", "Odl", "New", expect!["no section is called `Odl`"]);
    check(
        "## Old\n\n## Old\n",
        "Old",
        "New",
        expect!["2 sections are called `Old`; choose one with heading_level or heading_occurrence"],
    );
}

#[test]
fn the_title_of_the_note_changes_only_if_that_is_meant() {
    let text = NoteText::from_str("# Old\n");
    let renamed = rename_heading(&text, &parse(&text), &named("Old"), "New", true).unwrap();
    assert_eq!(renamed.edits.apply(&text).unwrap().as_str(), "# New\n");
}

#[test]
fn collisions() {
    let note = "# Top\n\n## Old\n\n## C++\n\n### _deep_\n\n## Step: one\n\n## log\n\n## log\n";
    check(note, "Old", "C++", expect!["the new heading could not be told from `C++` (level 2, line 5)"]);
    check(note, "Old", "C#", expect!["the new heading could not be told from `C++` (level 2, line 5)"]);
    check(note, "Old", "c", expect!["the new heading could not be told from `C++` (level 2, line 5)"]);
    check(note, "Old", "TOP", expect!["the new heading could not be told from `Top` (level 1, line 1)"]);
    check(note, "Old", "deep", expect!["the new heading could not be told from `deep` (level 3, line 7)"]);
    check(note, "Old", "Step (one)", expect!["the new heading could not be told from `Step: one` (level 2, line 9)"]);
    check(
        note,
        "Old",
        "**Step** one!",
        expect!["the new heading could not be told from `Step: one` (level 2, line 9)"],
    );
    check(
        "## Cafe\u{301}\n## Old\n",
        "Old",
        "CAF\u{c9}",
        expect!["the new heading could not be told from `Café` (level 2, line 1)"],
    );
    // What could not be told apart before may stay so, and case is nobody else's business.
    check("## old\n", "old", "OLD", expect![[r###""## OLD\n""###]]);
    let second = SectionRef::Heading { text: "log".into(), level: Some(2), nth: Some(2) };
    assert!(rename(note, &second, "LOG").unwrap().0.ends_with("## log\n\n## LOG\n"));
    check("## log\n## Log\n", "log", "Log", expect!["the new heading could not be told from `Log` (level 2, line 2)"]);
    check("## ???\n## Old\n", "Old", "!!!", expect!["the new heading could not be told from `???` (level 2, line 1)"]);
}

#[test]
fn a_title_that_stays_has_no_edit() {
    let (after, renamed) = rename("## Old ^x\n", &named("Old"), "Old ^x").unwrap();
    assert_eq!(after, "## Old ^x\n");
    assert!(renamed.edits.is_empty());
}

#[test]
fn headings_without_a_title_can_get_one() {
    for (before, after) in
        [("##\n", "## New\n"), ("##   \n", "##   New\n"), ("## ##\n", "## New ##\n"), ("##\r\n", "## New\r\n")]
    {
        assert_eq!(rename(before, &SectionRef::Index(0), "New").unwrap().0, after);
    }
}

proptest! {
    /// A rename changes one title, whatever the note and the title are, and back again.
    #[test]
    fn one_title_changes_and_comes_back(
        before in "(#{1,3} |[-=]{1,4}\n|> |- |```|%%|\\$\\$|\\[\\[|\\]\\]|\\^|[a-c#*_`|\\\\ ]|\n|\r\n|\r){0,40}",
        at in 0usize..4,
        title in "[a-c#*_`|\\-+>.1$%^\\[\\]<& ]{1,8}",
    ) {
        let text = NoteText::from_str(&before);
        let note = parse(&text);
        let Ok(renamed) = rename_heading(&text, &note, &SectionRef::Index(at), &title, true) else {
            return Ok(());
        };
        let after_text = renamed.edits.apply(&text).unwrap();
        let after = parse(&after_text);
        prop_assert_eq!(&after.headings[at].text, &renamed.new);
        prop_assert_eq!(after.headings.len(), note.headings.len());
        let heading = &note.headings[at];
        let (new, old) = (after_text.as_str(), text.as_str());
        prop_assert!(new.starts_with(&old[..heading.title.start]));
        prop_assert!(new.ends_with(&old[heading.title.end..]));

        // Marks that stood open under an underline are escaped on the way back.
        let is_open = heading.style == HeadingStyle::Setext && leaves_open(&heading.raw);
        let is_plain = !heading.raw.is_empty() && old[heading.title.clone()] == heading.raw && !is_open;
        if let Ok(back) = rename_heading(&after_text, &after, &SectionRef::Index(at), &heading.raw, true)
            && is_plain
        {
            let restored = back.edits.apply(&after_text).unwrap();
            prop_assert_eq!(restored.as_str(), old);
        }
    }
}
