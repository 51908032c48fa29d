//! What the panes beside a note show: its links, who names it, tags, properties and bookmarks.

use crate::bench::{Bench, rel};
use engine::{BookmarkView, LinkMentionError, MentionView, OpId};
use expect_test::{Expect, expect};

const ICE: &str = "\
//- /Ice.md
---
aliases: [The glacier, \"ice|field\"]
tags: [field/ice, survey]
n: 3
---
# Ice

## Old tools

See [[Kit#Probes]], [[./New]], [[Lost/Note]], [[Kit list]], [[pic.png]], [[#Ice]], [k](Kit.md), [[a:b]].
//- /Kit.md
---
done: true
day: 2026-03-07
---
The glacier and ICE. [[Ice]] on ice: `ice`, [[Ice#Old tools|ice]]
Nice! #field #Field/snow
//- /deep/Day.md
---
day: 2026-03-07T10:00
n: three
---
# The glacier

| a |
| - |
| ice ![[Ice#ice#old tools]] |

Ice. Ice.

Ice. Ice.
//- /deep/Ice field.md
Empty.
//- /skipped/x.md
---
hidden: 1
---
Ice #nowhere
//- /.obsidian/app.json
{\"userIgnoreFilters\": [\"skipped/\"], \"newFileLocation\": \"folder\", \"newFileFolderPath\": \"In/box\"}
//- /.obsidian/types.json
{\"types\": {\"N\": \"number\", \"done\": \"nonsense\"}}
//- /.obsidian/bookmarks.json
{\"items\": [
  {\"type\": \"file\", \"path\": \"ice.md\", \"subpath\": \"#Old tools\"},
  {\"type\": \"group\", \"title\": \"G\", \"items\": [
    {\"type\": \"file\", \"path\": \"Kit.md\", \"subpath\": \"#^b\", \"title\": \"Probes\"}, {\"type\": \"file\", \"path\": \"Gone.md\"}, 3,
    {\"type\": \"group\"}]},
  {\"type\": \"folder\", \"path\": \"deep\"}, {\"type\": \"search\", \"query\": \"tag:#field\"}, {\"type\": \"graph\", \"title\": \"All\"},
  {\"type\": \"url\", \"url\": \"https://e.org\", \"title\": \"E\"}, {\"path\": \"x\"}]}
";

fn check<T>(list: Vec<T>, shown: impl Fn(&T) -> String, expected: Expect) {
    let lines: Vec<String> = list.iter().map(shown).collect();
    expected.assert_eq(&lines.join("\n"));
}

#[test]
fn links_say_where_they_lead_and_what_they_would_make() {
    let bench = Bench::new(ICE);
    let view = bench.engine.view();
    let shown = |link: &engine::OutgoingLink| {
        let to = link.path.clone().or(link.creates.as_ref().map(|path| format!("new {path}")));
        format!("{} {} {} -> {}", link.line, link.kind, link.title, to.unwrap_or_else(|| "nothing".to_owned()))
    };
    check(
        view.outgoing(&rel("Ice.md")),
        shown,
        expect![[r#"
        10 wiki Kit -> Kit.md
        10 wiki ./New -> new New.md
        10 wiki Lost/Note -> new Lost/Note.md
        10 wiki Kit list -> new In/box/Kit list.md
        10 wiki pic.png -> nothing
        10 markdown Kit -> Kit.md
        10 wiki a:b -> nothing"#]],
    );
    assert_eq!(view.outgoing(&rel("none.md")), []);
    let place = |from: &str, target: &str| view.new_note_path(&rel(from), target).map(|path| path.to_string());
    assert_eq!(place("a/b/c.md", "../x#y").as_deref(), Some("a/x.md"));
    for target in ["../../../x", "x.png", ".hidden", "a/.b", "https://e.org", ""] {
        assert_eq!(place("a/b/c.md", target), None, "{target}");
    }
}

#[test]
fn headings_know_how_many_links_lead_to_them() {
    let bench = Bench::new(ICE);
    let shown = |heading: &engine::HeadingLinks| format!("{} {} {}", heading.level, heading.text, heading.n_links);
    check(bench.engine.view().heading_links(&rel("Ice.md")), shown, expect!["2 Old tools 2"]);
    assert_eq!(bench.engine.view().heading_links(&rel("Kit.md")), []);
}

fn mention(one: &MentionView) -> String {
    let units: Vec<u16> = one.snippet.encode_utf16().collect();
    let marked = String::from_utf16(&units[one.from as usize..one.to as usize]).unwrap();
    assert_eq!(marked, one.text);
    format!("{}:{}.{} {}: {}", one.path, one.line, one.nth, one.text, one.snippet)
}

#[test]
fn names_that_are_no_links_are_found_and_made_links() {
    let bench = Bench::new(ICE);
    let find = |limit| bench.engine.view().mentions(&rel("Ice.md"), limit);
    let mut found = find(100);
    assert!(!found.more);
    found.mentions.sort_by(|a, b| (&a.path, a.line, a.nth).cmp(&(&b.path, b.line, b.nth)));
    check(
        found.mentions.clone(),
        mention,
        expect![[r#"
        Kit.md:5.0 The glacier: The glacier and ICE. [[Ice]] on ice: `ice`, [[Ice#Old tools|ice]]
        Kit.md:5.1 ICE: The glacier and ICE. [[Ice]] on ice: `ice`, [[Ice#Old tools|ice]]
        Kit.md:5.2 ice: The glacier and ICE. [[Ice]] on ice: `ice`, [[Ice#Old tools|ice]]
        deep/Day.md:9.0 ice: | ice ![[Ice#ice#old tools]] |
        deep/Day.md:11.0 Ice: Ice. Ice.
        deep/Day.md:11.1 Ice: Ice. Ice.
        deep/Day.md:13.0 Ice: Ice. Ice.
        deep/Day.md:13.1 Ice: Ice. Ice."#]],
    );
    assert_eq!((find(2).mentions.len(), find(2).more), (2, true));

    // What stood before is what stands again after an undo.
    let before = bench.files();
    let mut done = Vec::new();
    for one in found.mentions.iter().rev() {
        let intent = bench.engine.view().link_mention(&rel("Ice.md"), one).unwrap();
        done.push(bench.engine.carry(intent).unwrap());
    }
    expect![[r#"
        ---
        done: true
        day: 2026-03-07
        ---
        [[Ice|The glacier]] and [[Ice|ICE]]. [[Ice]] on [[Ice|ice]]: `ice`, [[Ice#Old tools|ice]]
        Nice! #field #Field/snow

        --
        ---
        day: 2026-03-07T10:00
        n: three
        ---
        # The glacier

        | a |
        | - |
        | [[Ice\|ice]] ![[Ice#ice#old tools]] |

        [[Ice]]. [[Ice]].

        [[Ice]]. [[Ice]].
    "#]]
    .assert_eq(&format!("{}\n--\n{}", bench.read("Kit.md"), bench.read("deep/Day.md")));
    assert_eq!(find(100).mentions, []);
    for operation in done.iter().rev() {
        bench.engine.undo(operation.id.parse::<OpId>().unwrap()).unwrap();
    }
    assert_eq!(bench.files(), before);
}

#[test]
fn a_name_that_moved_on_is_not_made_a_link() {
    let bench = Bench::new(ICE);
    let found = bench.engine.view().mentions(&rel("Ice.md"), 100);
    let one = found.mentions.iter().find(|one| one.path == "Kit.md").unwrap();
    bench.write("Kit.md", "Nothing of the kind.\n");
    let refused = bench.engine.view().link_mention(&rel("Ice.md"), one);
    assert!(matches!(refused, Err(LinkMentionError::Gone { .. })), "{refused:?}");
}

#[test]
fn links_are_written_as_the_vault_writes_them() {
    for (setting, expected) in [
        ("{}", "[[x/Old Ice|old ice]]"),
        (r#"{"newLinkFormat":"relative"}"#, "[[../x/Old Ice|old ice]]"),
        (r#"{"useMarkdownLinks":true}"#, "[old ice](x/Old%20Ice.md)"),
        (r#"{"useMarkdownLinks":true,"newLinkFormat":"relative"}"#, "[old ice](../x/Old%20Ice.md)"),
    ] {
        let files = "//- /x/Old Ice.md\n\n//- /b/Old Ice.md\n\n//- /b/l.md\nof old ice\n//- /.obsidian/app.json\n";
        let bench = Bench::new(&format!("{files}{setting}\n"));
        let found = bench.engine.view().mentions(&rel("x/Old Ice.md"), 10);
        let intent = bench.engine.view().link_mention(&rel("x/Old Ice.md"), &found.mentions[0]).unwrap();
        bench.engine.carry(intent).unwrap();
        assert_eq!(bench.read("b/l.md"), format!("of {expected}\n"), "{setting}");
    }
}

#[test]
fn tags_and_properties_are_counted_by_note() {
    let bench = Bench::new(ICE);
    let view = bench.engine.view();
    check(
        view.tags(),
        |tag| format!("{} {}", tag.tag, tag.n_notes),
        expect![[r#"
        field 2
        field/ice 1
        Field/snow 1
        survey 1"#]],
    );
    check(
        view.properties(),
        |one| format!("{} {:?} {}", one.name, one.kind, one.n_notes),
        expect![[r#"
        aliases Aliases 1
        day DateTime 2
        done Checkbox 1
        n Number 2
        tags Tags 1"#]],
    );
}

#[test]
fn bookmarks_are_shown_as_they_lie() {
    let bench = Bench::new(ICE);
    let shown = |one: &BookmarkView| {
        let BookmarkView { kind, title, level, path, subpath, query, url, missing } = one;
        let of = [path, subpath, query, url].into_iter().flatten().cloned().collect::<Vec<_>>().join(" ");
        format!("{level} {kind:?} {title}: {of}{}", if *missing { " (missing)" } else { "" })
    };
    check(
        bench.engine.view().bookmarks(),
        shown,
        expect![[r#"
        1 Heading Old tools: Ice.md Old tools
        1 Group G: 
        2 Block Probes: Kit.md ^b
        2 File Gone: Gone.md (missing)
        2 Group Group: 
        1 Folder deep: deep
        1 Search tag:#field: tag:#field
        1 Other All: 
        1 Url E: https://e.org"#]],
    );
    for text in ["", "[]", "{\"items\": {}}"] {
        let bench = Bench::new(&format!("//- /a.md\n\n//- /.obsidian/bookmarks.json\n{text}\n"));
        assert_eq!(bench.engine.view().bookmarks(), [], "{text}");
    }
}

#[test]
fn a_random_note_is_another_one_while_there_is_one() {
    let bench = Bench::new("//- /a.md\n\n//- /b.md\n\n//- /c.md\n\n");
    let view = bench.engine.view();
    let chosen = |except, thrown| view.random_note(except, thrown);
    assert_eq!([0, 1, 2, 3].map(|thrown| chosen(None, thrown).unwrap()), ["a.md", "b.md", "c.md", "a.md"]);
    assert_eq!([0, 1, 2].map(|thrown| chosen(Some("a.md"), thrown).unwrap()), ["b.md", "c.md", "b.md"]);
    assert_eq!(Bench::new("").engine.view().random_note(None, 5), None);
    assert_eq!(Bench::new("//- /a.md\n\n").engine.view().random_note(Some("a.md"), 5).as_deref(), Some("a.md"));
}
