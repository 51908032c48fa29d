//! How Obsidian reads a note, rule by rule: each case is a rule, a text and what is found in it.
//!
//! The fixtures of `tests/obsidian` show what the program promises; these cases go through every sentence
//! that says how Obsidian reads, and through the texts that are read otherwise than they look.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use expect_test::Expect;
use note::html::{Embedded, RenderOptions, Resolved, properties, render};
use note::{Link, LinkKind, Note, NoteText, RelPath, parse};

mod links;

mod resolving;

mod headings;

mod opaque;

mod odd_texts;

mod blocks;

mod tags;

mod properties;

mod view;

mod html;

/// Checks what is found in a text: one line for each thing, with its line in the note.
fn check(text: &str, expected: Expect) {
    expected.assert_eq(&found(&NoteText::from_str(text)));
}

fn found(text: &NoteText) -> String {
    let note = parse(text);
    let source = text.as_str();
    let mut lines = Vec::new();
    for heading in &note.headings {
        let raw = if heading.raw == heading.text { String::new() } else { format!(" written {:?}", heading.raw) };
        let id = heading.block_id.as_ref().map_or(String::new(), |id| format!(" ^{id}"));
        lines.push(format!("{}: h{} {:?}{raw}{id}", heading.line, heading.level, heading.text));
    }
    lines.extend(note.links.iter().map(|link| format!("{}: {}", link.line, said(&note, link))));
    lines.extend(note.tags.iter().map(|tag| format!("{}: #{}", tag.line, tag.name)));
    for block in &note.blocks {
        lines.push(format!("{}: ^{} is {:?}", block.line, block.id, source[block.block.clone()].trim_end()));
    }
    lines.extend(note.problems.iter().map(|problem| format!("problem: {problem}")));
    lines.into_iter().map(|line| line + "\n").collect()
}

fn said(note: &Note, link: &Link) -> String {
    let kind = match (link.kind, link.embed) {
        (LinkKind::Wiki, false) => "[[]]",
        (LinkKind::Wiki, true) => "![[]]",
        (LinkKind::Markdown, false) => "[]()",
        (LinkKind::Markdown, true) => "![]()",
        (LinkKind::Definition, _) => "[]:",
        (LinkKind::Property, _) => "property",
    };
    let subpath = link.subpath.as_ref().map_or(String::new(), |subpath| format!(" # {subpath:?}"));
    let alias = link.alias.as_ref().map_or(String::new(), |alias| format!(" | {alias:?}"));
    let own = link.subpath.as_deref().filter(|_| link.target.is_empty());
    let means = own.map_or(String::new(), |subpath| {
        let chain = note.find_heading(subpath);
        let heading = chain.and_then(|chain| chain.last().map(|&at| note.headings[at].line));
        let block = link.block_id().and_then(|id| note.blocks.iter().find(|block| block.id.eq_ignore_ascii_case(id)));
        match (heading.or(block.map(|block| block.line)), link.footnote()) {
            (Some(line), _) => format!(" -> line {line}"),
            (None, Some(label)) => format!(" -> footnote {label:?}"),
            (None, None) => " -> nothing".to_owned(),
        }
    });
    format!("{kind} {:?}{subpath}{alias}{means}", link.target)
}

/// Checks the reading view of a text.
fn check_view(text: &str, expected: Expect) {
    expected.assert_eq(view(text, false).trim_end());
}

const OTHER: &str = "---\na: b\n---\n# Other\n\n## Part\n\nSaid here. ^one\n\n- item ^li\n  - below\n\n> [!tip] Held\n> in ^box\n\n[^n]: A *foot*.\n";

fn view(text: &str, strict_line_breaks: bool) -> String {
    let path = RelPath::new("Self.md").unwrap();
    let note = |path: &str| Resolved::Note { path: RelPath::new(path).unwrap() };
    let resolve = |_: &RelPath, link: &Link| match link.target.trim_end_matches(".md") {
        "" => note("Self.md"),
        "Other" => note("Other.md"),
        gone if gone.starts_with("Gone") => Resolved::Missing,
        file if file.contains('.') => {
            RelPath::new(file).map_or(Resolved::Missing, |path| Resolved::Attachment { path })
        }
        _ => Resolved::Missing,
    };
    let embed = |path: &RelPath| {
        let text = NoteText::from_str(if path.as_str() == "Other.md" { OTHER } else { text });
        Some(Embedded { note: parse(&text), text })
    };
    let options = RenderOptions { path: &path, resolve: &resolve, embed: &embed, strict_line_breaks, asset_base: None };
    let text = NoteText::from_str(text);
    render(&text, &parse(&text), &options).html
}

/// Checks the properties of a text: name, kind and value, with the bytes that say so.
fn check_properties(text: &str, expected: Expect) {
    let note = parse(&NoteText::from_str(text));
    let mut lines: Vec<String> = Vec::new();
    let views = properties(&note);
    let entries = note.frontmatter.iter().flat_map(|frontmatter| &frontmatter.entries);
    for (property, view) in entries.zip(&views) {
        let (key, value) = (&text[property.key_span.clone()], &text[property.value_span.clone()]);
        let kind = serde_json::to_value(view.kind).unwrap();
        let kind = kind.as_str().unwrap();
        lines.push(format!("{}: {key} {kind} {} from {value:?}", property.line, property.value.to_json()));
    }
    let error = note.frontmatter.as_ref().and_then(|frontmatter| frontmatter.error.as_ref());
    lines.extend(error.map(|error| format!("error: {error}")));
    let listed = |what: &str, all: Vec<String>| (!all.is_empty()).then(|| format!("{what}: {}", all.join(" | ")));
    lines.extend(listed("tags", note.all_tags()));
    lines.extend(listed("aliases", note.aliases()));
    lines.extend(note.links.iter().map(|link| said(&note, link)));
    lines.push(format!("text: {:?}", &text[note.body..]));
    expected.assert_eq(&lines.into_iter().map(|line| line + "\n").collect::<String>());
}
