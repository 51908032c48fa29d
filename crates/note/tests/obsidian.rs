//! What makes a note read as Obsidian reads it: one fixture for each behaviour that concerns text.
//!
//! `tests/obsidian/NAME.md` is a note and `NAME.json` what is known of it; the numbers are those of the list of
//! behaviours that the program promises. Whatever needs more than reading has a test of its own below.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use expect_test::{ExpectFile, expect, expect_file};
use note::html::{Embedded, RenderOptions, Resolved, properties, render};
use note::{
    HeadingMoved, Link, LinkFormat, Note, NoteText, NotesMoved, RelPath, SectionRef, Value, diff_lf, fold, parse,
    rename_heading, repoint_links, repoint_note_links, resolve_link, set_properties,
};
use serde_json::{Value as Json, json};

const OTHER: &str = "# Other\n\n## Part\n\nSaid here. ^one\n\n## Last\n";

/// Checks a fixture against all that is known of it.
fn check(source: &str, expected: ExpectFile) {
    let text = NoteText::from_str(source);
    let note = parse(&text);
    // JSON with one row for each thing that is known.
    let parts: Vec<String> = known(&text, &note)
        .into_iter()
        .map(|(name, rows)| {
            let rows: Vec<String> = rows.iter().map(|row| format!("    {row}")).collect();
            format!("  {}: [\n{}\n  ]", Json::from(name), rows.join(",\n"))
        })
        .collect();
    expected.assert_eq(&format!("{{\n{}\n}}\n", parts.join(",\n")));
}

/// Only what is there, so that every fixture shows what it is about.
fn known(text: &NoteText, note: &Note) -> Vec<(&'static str, Vec<Json>)> {
    let mut all = Vec::new();
    let mut add = |name, rows: Vec<Json>| {
        if !rows.is_empty() {
            all.push((name, rows));
        }
    };
    let headings = note.headings.iter();
    add("headings", headings.map(|h| json!([h.line, h.level, h.text, h.key, h.block_id])).collect());
    let link = |link: &Link| {
        let means = link.subpath.as_deref().filter(|_| link.target.is_empty()).map(|_| means(note, link));
        json!([link.line, link.kind, link.embed, link.target, link.subpath, link.alias, means])
    };
    add("links", note.links.iter().map(link).collect());
    add("links in comments", note.links_in_comments(text).iter().map(link).collect());
    add("tags", note.all_tags().into_iter().map(Json::from).collect());
    let blocks = note.blocks.iter();
    add("blocks", blocks.map(|block| json!([block.line, block.id, &text.as_str()[block.block.clone()]])).collect());
    add("aliases", note.aliases().into_iter().map(Json::from).collect());
    add("properties", properties(note).into_iter().map(|view| serde_json::to_value(view).unwrap()).collect());
    add("problems", note.problems.iter().map(|problem| Json::from(problem.to_string())).collect());
    add("html", shown(text, note, false).lines().map(Json::from).collect());
    all
}

/// The line of the heading or block that a link into its own note means.
fn means(note: &Note, link: &Link) -> Json {
    if let Some(id) = link.block_id() {
        let block = note.blocks.iter().find(|block| block.id.eq_ignore_ascii_case(id));
        return json!(block.map(|block| block.line));
    }
    let chain = link.subpath.as_deref().and_then(|subpath| note.find_heading(subpath));
    json!(chain.and_then(|chain| Some(note.headings[*chain.last()?].line)))
}

fn shown(text: &NoteText, note: &Note, strict_line_breaks: bool) -> String {
    let path = RelPath::new("Self.md").unwrap();
    let resolve = |_: &RelPath, link: &Link| match link.target.as_str() {
        "" => Resolved::Note { path: RelPath::new("Self.md").unwrap() },
        "Other" => Resolved::Note { path: RelPath::new("Other.md").unwrap() },
        file if file.contains('.') => {
            RelPath::new(file).map_or(Resolved::Missing, |path| Resolved::Attachment { path })
        }
        _ => Resolved::Missing,
    };
    let embed = |path: &RelPath| {
        let text = if path.as_str() == "Other.md" { NoteText::from_str(OTHER) } else { text.clone() };
        Some(Embedded { note: parse(&text), text })
    };
    let options = RenderOptions { path: &path, resolve: &resolve, embed: &embed, strict_line_breaks, asset_base: None };
    render(text, note, &options).html
}

macro_rules! behaviours {
    ($($test:ident $file:literal,)*) => {
        $(
            #[test]
            fn $test() {
                check(
                    include_str!(concat!("obsidian/", $file, ".md")),
                    expect_file![concat!("obsidian/", $file, ".json")],
                );
            }
        )*
    };
}

behaviours! {
    heading_links_match_as_obsidian_strips_them "07-heading-links",
    block_ids_name_paragraphs_items_quotes_and_tables "09-block-ids",
    embeds_of_notes_sections_blocks_pictures_and_files "10-embeds",
    callouts_of_every_kind "11-callouts",
    comments_highlights_footnotes_math_and_html "12-comments-and-marks",
    a_line_break_breaks_the_line "13-line-breaks",
    the_grammar_of_tags "14-tags",
    tasks_of_every_status "15-tasks",
    properties_of_every_type "16-properties",
}

#[test]
fn opening_and_saving_changes_nothing() {
    let source = include_str!("obsidian/01-opening-changes-nothing.md");
    for eol in ["\n", "\r\n", "\r"] {
        for start in ["", "\u{feff}"] {
            let text = NoteText::from_str(&format!("{start}{}", source.replace('\n', eol)));
            let edits = diff_lf(&text, &text.lf());
            assert!(edits.is_empty());
            assert_eq!(edits.apply(&text).unwrap().as_str(), text.as_str());
            assert_eq!(parse(&text).headings.len(), 1);
        }
    }
}

/// The files of a folder, as a link looks them up by name.
fn named<'f>(files: &'f [&str]) -> impl Fn(&str) -> Vec<RelPath> + 'f {
    move |name| {
        let files = files.iter().map(|path| RelPath::new(path).unwrap());
        files.filter(|file| fold(file.file_name()) == name).collect()
    }
}

#[test]
fn links_resolve_as_in_obsidian() {
    let files = [
        "b/Note.md",
        "a/b/Note.md",
        "zzzz/Note.md",
        "zzzz/deep/From.md",
        "Sub/My Note.md",
        "R\u{e9}sume\u{301}.md",
        "a/Figure 1.png",
        "Sq]uare.md",
        "Artificial Intelligence.md",
    ];
    let note = parse(&NoteText::from_str(include_str!("obsidian/03-link-resolution.md")));
    let lines = ["b/From.md", "zzzz/deep/From.md"].into_iter().flat_map(|from| {
        let from = RelPath::new(from).unwrap();
        note.links.iter().map(move |link| {
            let to = resolve_link(&link.target, &from, &named(&files));
            format!("{from}: {} -> {}\n", link.target, to.as_ref().map_or("nothing", RelPath::as_str))
        })
    });
    let lines: Vec<String> = lines.collect();
    expect_file!["obsidian/03-link-resolution.txt"].assert_eq(&lines.concat());
}

/// The note after files moved.
fn moved(source: &str, moves: &[(&str, &str)], files: &[&str], format: LinkFormat) -> String {
    let path = |path: &str| RelPath::new(path).unwrap();
    let renames: Vec<(RelPath, RelPath)> = moves.iter().map(|(from, to)| (path(from), path(to))).collect();
    let named = named(files);
    let moved = NotesMoved::new(&renames, &named, format);
    let text = NoteText::from_str(source);
    let repointed = repoint_note_links(&text, &parse(&text), &path("dir/From.md"), &moved);
    repointed.edits.apply(&text).unwrap().as_str().to_owned()
}

#[test]
fn links_are_written_in_the_format_of_the_vault() {
    let source = include_str!("obsidian/04-generated-links.md");
    let all = [LinkFormat::Shortest, LinkFormat::Relative, LinkFormat::Absolute].map(|format| {
        let free = moved(source, &[("old/Target.md", "new/Goal 1.md")], &["old/Target.md", "dir/From.md"], format);
        let files = ["old/Target.md", "dir/From.md", "x/Goal 1.md"];
        let taken = moved(source, &[("old/Target.md", "new/Goal 1.md")], &files, format);
        format!("{format:?}\n{free}and with another of that name\n{taken}\n")
    });
    expect_file!["obsidian/04-generated-links.txt"].assert_eq(&all.concat());
}

#[test]
fn links_follow_a_note_that_moves() {
    let source = include_str!("obsidian/06-note-moves.md");
    let after = moved(
        source,
        &[("old/Target.md", "new/It's here.md")],
        &["old/Target.md", "dir/From.md", "Other.md"],
        LinkFormat::Shortest,
    );
    expect_file!["obsidian/06-note-moves.after.md"].assert_eq(&after);
}

#[test]
fn links_follow_a_heading_that_is_renamed_chains_too() {
    let text = NoteText::from_str(include_str!("obsidian/08-rename-heading.md"));
    let before = parse(&text);
    let renamed = rename_heading(&text, &before, &SectionRef::Index(1), "New: **part** [1]", false).unwrap();
    let new = renamed.edits.apply(&text).unwrap();
    let after = parse(&new);
    let heading = HeadingMoved { before: &before, after: &after, index: renamed.index };
    let repointed = repoint_links(&new, &after, &heading, &|link| matches!(link.target.as_str(), "" | "N"));
    expect_file!["obsidian/08-rename-heading.after.md"].assert_eq(repointed.edits.apply(&new).unwrap().as_str());
    let said: Vec<String> = repointed.warnings.iter().map(|w| format!("line {}: {}\n", w.line, w.text)).collect();
    expect![[r#"
        9 links
        line 12: 1 link in a comment still names the old heading
    "#]]
    .assert_eq(&format!("{} links\n{}", repointed.n_links, said.concat()));
}

#[test]
fn strict_line_breaks_are_blanks() {
    let text = NoteText::from_str(include_str!("obsidian/13-line-breaks.md"));
    expect_file!["obsidian/13-line-breaks.strict.html"].assert_eq(&shown(&text, &parse(&text), true));
}

#[test]
fn a_changed_property_leaves_all_others_as_they_were() {
    let text = NoteText::from_str(include_str!("obsidian/16-properties.md"));
    let set = [
        ("checkbox".to_owned(), Value::Bool(false)),
        ("quoted key".to_owned(), Value::Text("it's new".to_owned())),
        ("list".to_owned(), Value::List(vec![Value::Text("one".to_owned()), Value::Text("three".to_owned())])),
    ];
    let edited = set_properties(&text, &parse(&text), &set, &["empty".to_owned()]).unwrap();
    expect_file!["obsidian/16-properties.after.md"].assert_eq(edited.text.as_str());
}
