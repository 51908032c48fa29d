//! What a hidden block leaves in its place.

use expect_test::{Expect, expect};
use proptest::prelude::*;

use crate::html::{RenderOptions, Resolved, render};
use crate::parse::parse;
use crate::path::RelPath;
use crate::text::NoteText;

/// Everything in a note outside of `block`, as the note without that block has it.
fn found(source: &str, block: std::ops::Range<usize>, n_instead: usize) -> Vec<String> {
    let note = parse(&NoteText::from_str(source));
    let place = |at: usize| if at >= block.end { at - block.len() + n_instead } else { at };
    let place = |range: &std::ops::Range<usize>| (place(range.start), place(range.end));
    let outside = |range: &std::ops::Range<usize>| range.end <= block.start || range.start >= block.end;
    let headings = note.headings.iter().map(|heading| format!("{} {:?}", heading.level, place(&heading.span)));
    let links =
        note.links.iter().filter(|link| outside(&link.span)).map(|link| format!("link {:?}", place(&link.span)));
    let tags = note.tags.iter().filter(|tag| outside(&tag.span)).map(|tag| format!("tag {:?}", place(&tag.span)));
    let blocks = crate::blocks::outermost(source, note.body).into_iter().filter(|block| outside(&block.range));
    let blocks = blocks.map(|block| format!("{:?} {:?}", block.kind, place(&block.range)));
    let hidden =
        note.hidden.iter().filter(|hidden| outside(hidden)).map(|hidden| format!("hidden {:?}", place(hidden)));
    let problems = note.problems.iter().map(|problem| format!("{:?}", problem.kind));
    headings.chain(links).chain(tags).chain(blocks).chain(hidden).chain(problems).collect()
}

/// Checks that a note with a block in the place of `@` reads as it does with a paragraph there.
fn check_as_paragraph(source: &str, block: &str) {
    let at = source.find('@').map_or(0, |at| at);
    let with = |instead: &str| source.replacen('@', instead, 1);
    let (hidden, paragraph) = (with(block), with("x"));
    let expected = found(&paragraph, at..at + 1, 1);
    assert_eq!(found(&hidden, at..at + block.len(), 1), expected, "{hidden:?}");
}

const BLOCKS: [&str; 8] = [
    "$$\nx\n$$",
    "%%\nx\n%%",
    "$$ x $$",
    "%% x %%",
    "$$\n\n# x\n\n- y\n$$",
    "%%\n\n# x\n\n- y\n\n[[z]] %%",
    "%%%%\n%%\n\t```\n%%",
    "$$\n    - x\n\n>y\n$$",
];

const LISTS: [&str; 12] = [
    "- item",
    "* item\n\n  more",
    "1. item",
    "10) item\n11) item",
    "- [ ] task",
    "- item\n  - inner",
    "1. item\n   - inner\n     + innermost\n\n       text",
    "- item\nlazy",
    "- # heading",
    "- ```\n  code\n  ```",
    "- > quote",
    "-",
];

const FOLLOWING: [&str; 9] = [
    "  ## H\n\ntext\n\n## B",
    "   ### H\n\n   text",
    "  ```\n## A\n  ```\n\n## B",
    "   ~~~\n[[a]]\n   ~~~\n[[b]]",
    "    [[n#A]]",
    "     - [[n#A]] #tag",
    "  > [[a]]\n\n  - [[b]]\n\n    [[c]]",
    "  | a |\n  |---|\n  | [[b]] |",
    "  Title\n  ===\n\n    [[code]]",
];

#[test]
fn a_block_beside_a_list_ends_it() {
    for list in LISTS {
        for block in BLOCKS {
            for following in FOLLOWING {
                let source = format!("## A\n\n{list}\n\n@\n\n{following}\n");
                check_as_paragraph(&source, block);
                check_as_paragraph(&source.replace("\n@", "\n @"), block.replace('\n', "\n ").as_str());
                check_as_paragraph(&source.replace('\n', "\r\n"), &block.replace('\n', "\r\n"));
                let quoted: String = source.lines().map(|line| format!("> {line}\n")).collect();
                check_as_paragraph(&quoted, &block.replace('\n', "\n> "));
            }
        }
    }
}

#[test]
fn what_stands_in_an_item_stays_there() {
    for (list, indentation) in [("- item", 2), ("- item\n  - inner", 2), ("1. item\n   - inner", 3), ("- item", 3)] {
        for block in BLOCKS {
            for following in FOLLOWING {
                let blanks = " ".repeat(indentation);
                let source = format!("## A\n\n{list}\n\n{blanks}@\n\n{following}\n");
                check_as_paragraph(&source, &block.replace('\n', &format!("\n{blanks}")));
            }
        }
    }
}

fn check(source: &str, expected: Expect) {
    let note = parse(&NoteText::from_str(source));
    let headings =
        note.headings.iter().map(|heading| format!("{} {}\n", "#".repeat(heading.level.into()), heading.raw));
    let links = note.links.iter().map(|link| format!("[[{}]]\n", link.target));
    let blocks = note.blocks.iter().map(|block| format!("^{} {:?}\n", block.id, &source[block.block.clone()]));
    let problems = note.problems.iter().map(|problem| format!("{problem}\n"));
    expected.assert_eq(&headings.chain(links).chain(blocks).chain(problems).collect::<String>());
}

#[test]
fn a_block_that_goes_on_with_a_paragraph_ends_no_list() {
    check(
        "- item\n$$\nx\n$$\n\n  ## no\n\n## A\n",
        expect![[r###"
        ## A
    "###]],
    );
    check(
        "- item\n%% x %%\n%%\ny\n%%\n\n  ## no\n\n## A\n",
        expect![[r###"
        ## A
    "###]],
    );
    check("1. item\n   - inner\n%% x %%\n\n   ## no\n", expect![""]);
}

#[test]
fn a_block_behind_what_is_no_paragraph_ends_a_list() {
    for before in ["- # item", "1. ```\n   x\n   ```", "- ***", "-", "- item\n\n## B"] {
        for block in BLOCKS {
            let source = format!("{before}\n{block}\n\n   ## H\n");
            let note = parse(&NoteText::from_str(&source));
            assert_eq!(note.headings.last().map(|heading| heading.raw.as_str()), Some("H"), "{source:?}");
        }
    }
}

#[test]
fn a_block_that_is_never_closed() {
    check(
        "- item\n\n$$\nx\n\n  ## H\n\n    [[code]]\n",
        expect![[r###"
        ## H
    "###]],
    );
    check(
        "- item\n\n%%\nx\n\n  ## no\n",
        expect![[r###"
        comment on line 3 is not closed
    "###]],
    );
    check(
        "> - item\n>\n> %%\n> x\n\n  ## H\n",
        expect![[r###"
        ## H
        comment on line 3 is not closed
    "###]],
    );
}

#[test]
fn the_trace_of_a_block_is_no_block_itself() {
    check(
        "text\n\n%% x %%\n\n^id\n",
        expect![[r#"
            ^id "text\n"
        "#]],
    );
    check("text\n\n%% x %%\n===\n\n%% x %%\n    [[code]]\n", expect![""]);
    check(
        "- item\n\n$$\nx\n$$\n\n^id\n",
        expect![[r###"
        ^id "$$\nx\n$$"
    "###]],
    );
    check(
        "a\n\n%% x %% Title\n===\n",
        expect![[r###"
        # %% x %% Title
    "###]],
    );
    let text = NoteText::from_str("- item\n\n%%\nx\n%%\n\n  ## H\n");
    let path = RelPath::new("a.md").expect("it is a path");
    let options = RenderOptions {
        path: &path,
        resolve: &|_, _| Resolved::Missing,
        embed: &|_| None,
        strict_line_breaks: false,
        asset_base: None,
    };
    expect![[
        r#"<ul data-line="1"><li data-line="1">item</li></ul><h2 data-line="7" data-heading="h" id="heading-0">H</h2>"#
    ]]
    .assert_eq(&render(&text, &parse(&text), &options).html);
}

fn line() -> impl Strategy<Value = String> {
    let indentation = prop::sample::select(vec!["", "", "", " ", "  ", "   ", "    ", "      "]);
    let quote = prop::sample::select(vec!["", "", "", "", "> "]);
    let marker = prop::sample::select(vec!["", "", "", "- ", "* ", "1. ", "10) ", "- - ", "- [ ] "]);
    let text = prop::sample::select(vec![
        "text",
        "",
        "",
        "## H",
        "```",
        "~~~",
        "[[a#B]]",
        "---",
        "===",
        "| a |",
        "|---|",
        "%% b %%",
        "$$ c $$",
        "#tag",
        "<!-- d -->",
        "[^1]: e",
        "`f`",
        "[g]: h",
    ]);
    (quote, indentation, marker, text).prop_map(|(quote, indentation, marker, text)| {
        // Whether a mark stands in indented code is decided by what hides, and the other way round. So it is in
        // HTML that ends with a blank line, of which there is none here.
        let is_mark = text.starts_with(['%', '$']);
        let indentation = if is_mark && indentation.len() > 3 { "" } else { indentation };
        format!("{quote}{indentation}{marker}{text}")
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, ..ProptestConfig::default() })]

    #[test]
    fn a_block_reads_as_a_paragraph_for_all_around_it(
        before in prop::collection::vec(line(), 0..7),
        after in prop::collection::vec(line(), 0..7),
        block in prop::sample::select(BLOCKS.iter().filter(|block| !block.contains("```")).copied().collect::<Vec<_>>()),
        eol in prop::sample::select(vec!["\n", "\r\n"]),
    ) {
        let source = format!("Start\n\n{}\n\n@\n\n{}\n", before.join("\n"), after.join("\n"));
        // Where the paragraph would be none, neither is the block.
        let paragraph = source.replacen('@', "x", 1);
        let at = source.find('@').unwrap_or(0);
        let is_alone = crate::blocks::outermost(&paragraph, 0)
            .iter()
            .any(|block| block.kind == crate::blocks::BlockKind::Paragraph && block.range == (at..at + 1));
        if is_alone {
            check_as_paragraph(&source.replace('\n', eol), &block.replace('\n', eol));
        }
    }
}
