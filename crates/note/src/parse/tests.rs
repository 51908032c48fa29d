use expect_test::{Expect, expect};

use super::*;

mod commonmark;
mod properties;
mod sound;
mod soundness;

/// The headings, one a line: line, level, text, and what differs from the text.
fn outline(text: &str) -> String {
    let note = parse(&NoteText::from_str(text));
    note.headings
        .iter()
        .map(|heading| {
            let mut line = format!("{}: h{} {}", heading.line, heading.level, heading.text);
            if heading.raw != heading.text {
                line += &format!(" | raw {:?}", heading.raw);
            }
            if let Some(id) = &heading.block_id {
                line += &format!(" | ^{id}");
            }
            line + "\n"
        })
        .collect()
}

fn check_outline(text: &str, expect: Expect) {
    expect.assert_eq(&outline(text));
}

/// The links, tags and block ids, with the bytes they were read from.
fn inventory(text: &str) -> String {
    let note = parse(&NoteText::from_str(text));
    let mut lines = Vec::new();
    for link in &note.links {
        let subpath = link.subpath.as_ref().map_or(String::new(), |subpath| format!("#{subpath}"));
        let alias = link.alias.as_ref().map_or(String::new(), |alias| format!(" as {alias:?}"));
        let embed = if link.embed { "!" } else { "" };
        let written = &text[link.target_span.start..link.subpath_span.as_ref().unwrap_or(&link.target_span).end];
        let (line, kind, target) = (link.line, link.kind, &link.target);
        lines.push(format!("{line}: {embed}{kind:?} {target:?}{subpath}{alias} from {written:?}"));
    }
    lines.extend(note.tags.iter().map(|tag| format!("{}: #{} from {:?}", tag.line, tag.name, &text[tag.span.clone()])));
    lines.extend(
        note.blocks.iter().map(|block| format!("{}: ^{} of {:?}", block.line, block.id, &text[block.block.clone()])),
    );
    lines.extend(note.problems.iter().map(|problem| format!("problem: {problem}")));
    lines.into_iter().map(|line| line + "\n").collect()
}

fn check(text: &str, expect: Expect) {
    expect.assert_eq(&inventory(text));
}

#[test]
fn atx_shapes() {
    check_outline(
        "# One\n#not a heading\n   ### Three in\n    #### code\n##\tTab\n## Closed ##  \n## F#\n## F# #\n\\## No\n##\n###   \n####### seven\n#\u{a0}nbsp\n## nbsp inside\u{a0}\n###### Six #####\ntext\n## Interrupts\n",
        expect![[r#"
            1: h1 One
            3: h3 Three in
            5: h2 Tab
            6: h2 Closed
            7: h2 F#
            8: h2 F#
            10: h2 
            11: h3 
            14: h2 nbsp inside | raw "nbsp inside\u{a0}"
            15: h6 Six
            17: h2 Interrupts
        "#]],
    );
}

#[test]
fn setext_shapes() {
    check_outline(
        "Top\n====\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n- item\n---\n\n> quote\n---\n\nShort\n-\n\n  In dented\n\tlines ^id  \n  ----   \n\n[ref]: /url\nAfter ref\n===\n\n    code\n---\n\n#tag first\n---\n",
        expect![[r#"
            1: h1 Top
            14: h2 Short
            17: h2 In dented lines | ^id
            22: h1 After ref
            28: h2 #tag first
        "#]],
    );
}

#[test]
fn containers_hold_no_headings() {
    check_outline(
        "# T\n\n> # quote\n\n> [!tip]+ Callout\n> ## in it\n\n* # list\n\n  ## deeper\n\n1) x\n\n   ### ordered\n\n[^1]: ## footnote\n\n    ## in it\n\n| # a | b |\n|-----|---|\n| # c | d |\n\n# End\n",
        expect![[r#"
            1: h1 T
            24: h1 End
        "#]],
    );
}

#[test]
fn code_and_html_hold_no_headings() {
    check_outline(
        "  ~~~~ md\n# no\n~~~\n# no\n~~~~~\n# Yes 1\n```a`b\n# Yes 2\n\n    # no\n\n<!--\n# no\n\n# no\n-->\n# Yes 3\n<pre>\n# no\n\n# no\n</pre>\n<section>\n# no\n\n# Yes 4\n<?php\n\n# no\n?>\n<i>inline</i>\n# Yes 5\n<custom-tag>\n# no\n\n# Yes 6\n",
        expect![[r#"
            6: h1 Yes 1
            8: h1 Yes 2
            17: h1 Yes 3
            26: h1 Yes 4
            32: h1 Yes 5
            36: h1 Yes 6
        "#]],
    );
}

#[test]
fn comments_and_math_hold_no_headings() {
    check_outline(
        "# A\n\n%%\n# no\n\n```\n%%\n\n# B %%no%% b\n\na %% b\n# C\n\n%% c %%\n---\n\n$$\nx\n=\ny\n\n# no\n$$\n\n# D $x$\n\n```\n%%\n```\n\n# E\n\n`%%`\n\n# F\n\n%%%%\n\n# G\n\n\\%%\n\n# H\n\n    %% code\n\n# I\n\nx %%a\nb%%\n===\n",
        expect![[r#"
            1: h1 A
            9: h1 B  b | raw "B %%no%% b"
            12: h1 C
            25: h1 D $x$
            31: h1 E
            35: h1 F
            39: h1 G
            43: h1 H
            47: h1 I
            49: h1 x | raw "x %%a b%%"
        "#]],
    );
}

#[test]
fn what_is_never_closed_hides_the_rest() {
    check_outline(
        "# A\n\n````\n```\n# no\n",
        expect![[r#"
        1: h1 A
    "#]],
    );
    check(
        "# A\n\n````\n```\n[[no]]\n",
        expect![[r#"
        problem: code fence on line 3 is not closed
    "#]],
    );
    check(
        "a\n\n%%\n[[no]]\n\n# no\n",
        expect![[r#"
        problem: comment on line 3 is not closed
    "#]],
    );
    check("```\nclosed\n```\n\n", expect![[r#""#]]);
    check(
        "> ```\n> open in a quote\n\n[[yes]]",
        expect![[r#"
        4: Wiki "yes" from "yes"
    "#]],
    );
    // Money is no math.
    check_outline(
        "$$ is short\n\n# A\n",
        expect![[r#"
        3: h1 A
    "#]],
    );
}

#[test]
fn every_line_ending_counts() {
    check_outline(
        "\u{feff}# A\r\rText\rmore\r---\r\n\r\n## B\r\nx\r## C\n\n## D",
        expect![[r#"
        1: h1 A
        3: h2 Text more
        7: h2 B
        9: h2 C
        11: h2 D
    "#]],
    );
}

#[test]
fn frontmatter_hides_its_lines() {
    check_outline(
        "---\t\n# no\ntext: |\n  # no\nlast: x\n--- \nAfter\n---\n",
        expect![[r#"
        7: h2 After
    "#]],
    );
    check_outline(
        "\u{feff}---\na: b\n---\n# A\n",
        expect![[r#"
        4: h1 A
    "#]],
    );
    check_outline(
        "---\nno end\n# A\n",
        expect![[r#"
        3: h1 A
    "#]],
    );
    check_outline(
        " ---\nx\n---\n# A\n",
        expect![[r#"
        2: h2 x
        4: h1 A
    "#]],
    );
    check_outline(
        "---\n---\n# A\n",
        expect![[r#"
        3: h1 A
    "#]],
    );
}

#[test]
fn titles_read_as_rendered() {
    check_outline(
        "# Run `cargo  x` *now* &amp; **then** \\*\n## see [[Note|the note]] and [docs](https://example.org/a#b)\n## ![alt](i.png) <b>bold</b> ~~old~~ $x^2$ [^1]\n## Spaced   out ^id-1\n## x^2\n## ^alone\n## Emoji 👩🏽\u{200d}💻 #tag\n## Cost $5 [a] %%gone%%\n",
        expect![[r#"
            1: h1 Run cargo  x now & then * | raw "Run `cargo  x` *now* &amp; **then** \\*"
            2: h2 see [[Note|the note]] and docs | raw "see [[Note|the note]] and [docs](https://example.org/a#b)"
            3: h2 alt bold old $x^2$ [^1] | raw "![alt](i.png) <b>bold</b> ~~old~~ $x^2$ [^1]"
            4: h2 Spaced   out | ^id-1
            5: h2 x^2
            6: h2 ^alone
            7: h2 Emoji 👩🏽‍💻 #tag
            8: h2 Cost $5 [a] | raw "Cost $5 [a] %%gone%%"
        "#]],
    );
}

#[test]
fn wikilinks() {
    check(
        "[[A]] [[A#H]] ![[A#H|alias]] [[#H]] [[ A # H |x]] [[A#B#C]] [[A#^b1]] [[A.md|a|b]]\n[[Sq]uare]] [[a [[In]] c]] [[]] [[|x]] [[no\nline]] [[https://x.y]]\n\\[[no]] \\![[yes]] `[[no]]` [[`code`]] [[a`b]] `\n[[x*y*]] [[[tri]]] $[[no]]$ <b t='[[no]]'>\n",
        expect![[r##"
            1: Wiki "A" from "A"
            1: Wiki "A"#H from "A#H"
            1: !Wiki "A"#H as "alias" from "A#H"
            1: Wiki ""#H from "#H"
            1: Wiki "A"#H as "x" from "A # H"
            1: Wiki "A"#B#C from "A#B#C"
            1: Wiki "A"#^b1 from "A#^b1"
            1: Wiki "A.md" as "a|b" from "A.md"
            2: Wiki "Sq]uare" from "Sq]uare"
            2: Wiki "In" from "In"
            3: Wiki "https://x.y" from "https://x.y"
            4: Wiki "yes" from "yes"
            4: Wiki "`code`" from "`code`"
            5: Wiki "x*y*" from "x*y*"
            5: Wiki "tri" from "tri"
        "##]],
    );
}

#[test]
fn links_in_tables_and_containers() {
    check(
        "| [[A\\|x]] | b |\n|---|---|\n| ![[B#H\\|y]] | [[C|z]] |\n\n> [[Q]] [t](q.md)\n> - [[R]]\n>   ```\n>   [[no]]\n>   ```\n\n- [ ] [[T]]\n\n[^1]: [[F]]\n\n# [[H]]\n",
        expect![[r##"
            1: Wiki "A" as "x" from "A"
            3: !Wiki "B"#H as "y" from "B#H"
            5: Wiki "Q" from "Q"
            5: Markdown "q.md" as "t" from "q.md"
            6: Wiki "R" from "R"
            11: Wiki "T" from "T"
            13: Wiki "F" from "F"
            15: Wiki "H" from "H"
        "##]],
    );
}

#[test]
fn markdown_links() {
    check(
        "[a](b.md) [a b](My%20Note.md#A%20B \"title\") [c](<My Note.md#A B>) ![i](img.png) [d](#H) [e]() \n[f](https://example.org) [g](mailto:x@y.z) [h](obsidian://open) [i](n(1).md#a\\)b) [j](x.md#R&amp;D)\n[`k](l.md)`](no.md) [![m](n.png)](o.md) [p][q] <https://example.org/[[no]]>\n[r]( s.md ) [t](bad%ff.md) [u](v.md#^blk) [w *x*](y.md)\n",
        expect![[r##"
            1: Markdown "b.md" as "a" from "b.md"
            1: Markdown "My Note.md"#A B as "a b" from "My%20Note.md#A%20B"
            1: Markdown "My Note.md"#A B as "c" from "My Note.md#A B"
            1: !Markdown "img.png" as "i" from "img.png"
            1: Markdown ""#H as "d" from "#H"
            2: Markdown "n(1).md"#a)b as "i" from "n(1).md#a\\)b"
            2: Markdown "x.md"#R&D as "j" from "x.md#R&amp;D"
            3: Markdown "no.md" as "`k](l.md)`" from "no.md"
            3: Markdown "o.md" as "![m](n.png)" from "o.md"
            3: !Markdown "n.png" as "m" from "n.png"
            4: Markdown "s.md" as "r" from "s.md"
            4: Markdown "bad%ff.md" as "t" from "bad%ff.md"
            4: Markdown "v.md"#^blk as "u" from "v.md#^blk"
            4: Markdown "y.md" as "w *x*" from "y.md"
        "##]],
    );
}

#[test]
fn reference_definitions() {
    check(
        "[p] and [q][]\n\n[p]: n.md#Old%20x \"t\"\n[q]:\n  <a b.md#c>\n[web]: https://example.org\n[p]: second.md\n\n> [r\\]s]: deep.md\n\n```\n[no]: no.md\n```\n",
        expect![[r##"
            3: Definition "n.md"#Old x from "n.md#Old%20x"
            4: Definition "a b.md"#c from "a b.md#c"
            9: Definition "deep.md" from "deep.md"
        "##]],
    );
}

#[test]
fn nothing_hidden_links() {
    check(
        "<!-- [[no]] -->\n\n<div>[[no]]</div>\n\n%% [[no]] [x](no.md) #no ^no %%\n\n$$\n[[no]]\n$$\n\n    [[no]]\n\nx %%[[no]]%% [[yes]]\n\na %% open [[yes]]\n\n[[yes]] %% b\n",
        expect![[r#"
            13: Wiki "yes" from "yes"
            15: Wiki "yes" from "yes"
            17: Wiki "yes" from "yes"
        "#]],
    );
}

#[test]
fn tags() {
    check(
        "#a #b/c #1984 #y1984 x#no #one#two #ünï #日本 #🎉 #a-b_c, (#no) [[#no]] [x]( #no) \\#no #end/\n#\n# h #in-heading\n\n- #item\n`#no` #a.b https://x.y/#no\n",
        expect![[r##"
            1: Wiki ""#no from "#no"
            1: Markdown ""#no as "x" from "#no"
            1: #a from "#a"
            1: #b/c from "#b/c"
            1: #y1984 from "#y1984"
            1: #one from "#one"
            1: #two from "#two"
            1: #ünï from "#ünï"
            1: #日本 from "#日本"
            1: #🎉 from "#🎉"
            1: #a-b_c from "#a-b_c"
            1: #end from "#end"
            3: #in-heading from "#in-heading"
            5: #item from "#item"
            6: #a from "#a"
        "##]],
    );
}

#[test]
fn block_ids() {
    check(
        "para ^p1\n\ntwo\nlines ^p2\n\n- item ^i1\n  - nested ^i2\n\n> quote\n\n^q1\n\n| a |\n|---|\n| b |\n\n^t1\n\nx^no ^no no\n\n# H ^h1\n\n`code ^no`\n",
        expect![[r#"
            1: ^p1 of "para"
            4: ^p2 of "two\nlines"
            6: ^i1 of "item"
            7: ^i2 of "nested"
            11: ^q1 of "> quote\n"
            17: ^t1 of "| a |\n|---|\n| b |\n"
            21: ^h1 of "H"
        "#]],
    );
}

#[test]
fn a_title_of_an_id_names_no_block() {
    check("before\n\n# ^id\n\n^id2\n===\n", expect![[r#""#]]);
}

#[test]
fn a_wikilink_is_one_link_whatever_its_alias_looks_like() {
    check(
        "[[a|[b](c.md)]] [[d](e.md)]] [f [[g]] h](i.md) [[j]](k.md) [l](m.md) [[n]]\n",
        expect![[r#"
            1: Wiki "a" as "[b](c.md)" from "a"
            1: Wiki "d](e.md)" from "d](e.md)"
            1: Markdown "i.md" as "f [[g]] h" from "i.md"
            1: Wiki "g" from "g"
            1: Wiki "j" from "j"
            1: Markdown "m.md" as "l" from "m.md"
            1: Wiki "n" from "n"
        "#]],
    );
}

#[test]
fn no_section_holds_the_byte_order_mark() {
    for text in ["\u{feff}# A\n", "\u{feff}A\n===\n"] {
        assert_eq!(parse(&NoteText::from_str(text)).section_at(0).span.start, 3);
    }
}
