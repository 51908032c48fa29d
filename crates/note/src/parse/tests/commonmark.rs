//! The examples of the CommonMark spec, and of GitHub's extensions that Obsidian shares: what we make
//! of them is what the spec's HTML says, but for the exceptions named here.

use std::collections::BTreeMap;

use crate::blocks::{self, BlockKind};
use crate::html::{RenderOptions, Resolved, render};
use crate::link::{Link, LinkKind, percent_decode};
use crate::parse::{Note, parse};
use crate::path::RelPath;
use crate::text::NoteText;

mod html;

use html::{Piece, pieces};

/// An example: its number (GitHub's go on from 1001), what is written and what it means.
struct Example {
    number: u32,
    markdown: String,
    html: String,
}

fn examples() -> Vec<Example> {
    let all: serde_json::Value = serde_json::from_str(include_str!("../../../tests/commonmark.json")).unwrap();
    let read = |name: &str, first: u32| {
        let rows: Vec<[String; 3]> = serde_json::from_value(all[name].clone()).unwrap();
        let numbered = (first..).zip(rows);
        numbered.map(|(number, [_, markdown, html])| Example { number, markdown, html }).collect::<Vec<_>>()
    };
    [read("commonmark", 1), read("gfm", 1001)].into_iter().flatten().collect()
}

/// Compares all examples; those that differ must be the exceptions and no others.
fn check(exceptions: &[(&str, &[u32])], compare: impl Fn(&Example) -> Result<(), String>) {
    let mut known: BTreeMap<u32, &str> = BTreeMap::new();
    for (reason, numbers) in exceptions {
        known.extend(numbers.iter().map(|number| (*number, *reason)));
    }
    let mut wrong = String::new();
    for example in examples() {
        let (number, markdown, html) = (example.number, &example.markdown, &example.html);
        match (compare(&example), known.get(&number)) {
            (Err(difference), None) => {
                wrong += &format!("{number}: {markdown:?}\n  spec {html:?}\n  {difference}\n");
            }
            (Ok(()), Some(reason)) => wrong += &format!("{number} is no exception any more ({reason})\n"),
            _ => {}
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

fn differ<T: PartialEq + std::fmt::Debug>(ours: T, theirs: T) -> Result<(), String> {
    if ours == theirs { Ok(()) } else { Err(format!("ours {ours:?}\n  theirs {theirs:?}")) }
}

fn read(example: &Example) -> (NoteText, Note) {
    let text = NoteText::from_str(&example.markdown);
    let note = parse(&text);
    (text, note)
}

#[test]
fn headings_are_those_of_the_spec() {
    check(HEADINGS, |example| {
        let (text, note) = read(example);
        let ours: Vec<(u8, String)> =
            note.headings.iter().map(|heading| (heading.level, heading.text.clone())).collect();
        differ(ours, headings_of(&example.html))?;
        for heading in &note.headings {
            let line = heading.line as usize;
            let written: Vec<&str> = example.markdown.lines().skip(line - 1).collect();
            let is_atx = written[0].trim_start().starts_with(&"#".repeat(heading.level.into()));
            let mark = if heading.level == 1 { '=' } else { '-' };
            let last = text.line_of(heading.span.end) as usize - line;
            let is_setext = written[last].trim().chars().all(|c| c == mark) && last > 0;
            let is_heading = is_setext || is_atx && last == 0;
            if !is_heading {
                return Err(format!("no heading starts on line {line}"));
            }
        }
        Ok(())
    });
}

/// The headings outside of quotes and lists.
fn headings_of(html: &str) -> Vec<(u8, String)> {
    let (mut found, mut open, mut depth) = (Vec::new(), None, 0);
    for piece in pieces(html) {
        match piece {
            Piece::Start { name, attributes } => match (name.as_str(), &mut open) {
                ("blockquote" | "ul" | "ol", None) => depth += 1,
                ("img", Some((_, text))) => *text += attributes.get("alt").map_or("", String::as_str),
                (_, None) if depth == 0 => open = level(&name).map(|level| (level, String::new())),
                _ => {}
            },
            Piece::End(name) => {
                if matches!(name.as_str(), "blockquote" | "ul" | "ol") && open.is_none() {
                    depth -= 1;
                }
                if level(&name).is_some() {
                    found.extend(open.take().map(|(level, text)| (level, text.replace('\n', " "))));
                }
            }
            Piece::Text(text) => {
                if let Some((_, title)) = &mut open {
                    *title += &text;
                }
            }
        }
    }
    found
}

fn level(name: &str) -> Option<u8> {
    let level = name.strip_prefix('h')?.parse().ok()?;
    (1..=6).contains(&level).then_some(level)
}

#[test]
fn links_lead_where_the_spec_says() {
    check(LINKS, |example| {
        let (_, note) = read(example);
        let ours = |kind: LinkKind| note.links.iter().filter(move |link| link.kind == kind).map(destination);
        let defined: Vec<String> = ours(LinkKind::Definition).collect();
        let mut theirs: Vec<String> = destinations_of(&example.html);
        for destination in ours(LinkKind::Markdown) {
            let Some(at) = theirs.iter().position(|theirs| *theirs == destination) else {
                return Err(format!("ours leads to {destination:?}, theirs to {theirs:?}"));
            };
            theirs.remove(at);
        }
        // What is left are references.
        let stray = theirs.iter().find(|theirs| !defined.contains(theirs));
        match (stray, ours(LinkKind::Wiki).next()) {
            (Some(stray), _) => Err(format!("theirs leads to {stray:?}")),
            (None, Some(wikilink)) => Err(format!("ours is a wikilink to {wikilink:?}")),
            (None, None) => Ok(()),
        }
    });
}

fn destination(link: &Link) -> String {
    match &link.subpath {
        Some(subpath) => format!("{}#{subpath}", link.target),
        None => link.target.clone(),
    }
}

/// What links and pictures lead to, except to the web, and except from HTML in the text.
fn destinations_of(html: &str) -> Vec<String> {
    let is_internal = |url: &str| {
        let n_scheme = url.find(':').unwrap_or(0);
        let is_scheme = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.');
        let is_web = url.starts_with("//") || n_scheme > 1 && url[..n_scheme].chars().all(is_scheme);
        !url.is_empty() && !is_web
    };
    let starts = pieces(html).into_iter().filter_map(|piece| match piece {
        Piece::Start { name, mut attributes } => match name.as_str() {
            "a" => attributes.remove("href"),
            "img" => attributes.remove("src"),
            _ => None,
        },
        _ => None,
    });
    starts.filter(|url| is_internal(url)).map(|url| percent_decode(&url)).collect()
}

#[test]
fn blocks_are_those_of_the_spec() {
    check(BLOCKS, |example| {
        let (text, note) = read(example);
        let ours = blocks::outermost(text.as_str(), note.body);
        let mut kinds: Vec<&str> = Vec::new();
        let mut rest = example.html.as_str();
        for block in &ours {
            if block.kind == BlockKind::Html {
                // HTML stands in the result as it was written.
                let written = text.as_str()[block.range.clone()].trim();
                let Some(at) = rest.find(written) else { return Err(format!("{written:?} is no HTML block")) };
                kinds.extend(kinds_of(&rest[..at])?);
                kinds.push("html");
                rest = &rest[at + written.len()..];
            }
        }
        kinds.extend(kinds_of(rest)?);
        let ours: Vec<&str> = ours.iter().map(|block| name(block.kind)).filter(|name| !name.is_empty()).collect();
        differ(ours, kinds)
    });
}

fn name(kind: BlockKind) -> &'static str {
    match kind {
        BlockKind::Paragraph => "p",
        BlockKind::Heading => "h",
        BlockKind::Quote => "blockquote",
        BlockKind::List => "list",
        BlockKind::IndentedCode | BlockKind::Fence => "pre",
        BlockKind::Html => "html",
        BlockKind::Table => "table",
        BlockKind::Rule => "hr",
        BlockKind::Other => "",
    }
}

fn kinds_of(html: &str) -> Result<Vec<&'static str>, String> {
    let (mut kinds, mut open) = (Vec::new(), Vec::new());
    for piece in pieces(html) {
        match piece {
            Piece::Start { name, .. } => {
                if open.is_empty() {
                    kinds.push(match name.as_str() {
                        "p" => "p",
                        "blockquote" => "blockquote",
                        "ul" | "ol" => "list",
                        "pre" => "pre",
                        "table" => "table",
                        "hr" => "hr",
                        name if level(name).is_some() => "h",
                        name => return Err(format!("<{name}> stands alone")),
                    });
                }
                if !matches!(name.as_str(), "hr" | "br" | "img" | "input") {
                    open.push(name);
                }
            }
            Piece::End(name) => {
                if open.last() == Some(&name) {
                    open.pop();
                }
            }
            Piece::Text(text) if open.is_empty() && !text.trim().is_empty() => {
                return Err(format!("{text:?} stands alone"));
            }
            Piece::Text(_) => {}
        }
    }
    Ok(kinds)
}

#[test]
fn the_reading_view_shows_what_the_spec_shows() {
    check(SHOWN, |example| {
        let (text, note) = read(example);
        let path = RelPath::new("Self.md").unwrap();
        // Everything exists; the ending makes it a picture and is taken off again.
        let resolve = |_: &RelPath, link: &Link| {
            let target = destination(link);
            let path = RelPath::new(&format!("{}.png", target.trim_start_matches('/').replace('\\', "%5C")));
            path.map_or(Resolved::Missing, |path| Resolved::Attachment { path })
        };
        let options = RenderOptions {
            path: &path,
            resolve: &resolve,
            embed: &|_| None,
            strict_line_breaks: true,
            asset_base: None,
        };
        differ(html::plain(&render(&text, &note, &options).html), html::plain(&example.html))
    });
}

const PROPERTIES: &str = "a note that starts with `---` starts with its properties";
const WIKILINKS: &str = "double brackets are a wikilink";
const TEST: &str = "HTML that nobody closes; this test cannot count it";

const HEADINGS: &[(&str, &[u32])] = &[(PROPERTIES, &[96])];

const LINKS: &[(&str, &[u32])] = &[
    (WIKILINKS, &[548, 559, 590]),
    ("links in the text of a picture are followed, though it shows only their words", &[520, 574, 575]),
    ("a link written as HTML is none of the note's", &[21, 31, 159, 162, 187, 344, 475, 476, 477, 630, 631, 642, 643]),
];

const BLOCKS: &[(&str, &[u32])] = &[(PROPERTIES, &[96, 98]), (TEST, &[174, 201])];

const SHOWN: &[(&str, &[u32])] = &[
    (PROPERTIES, &[96, 98]),
    (WIKILINKS, &[548, 559, 590]),
    ("a tag is a link", &[64]),
    ("a bare web address is a link", &[602, 608, 611]),
    ("other bare addresses are none, as in Obsidian", &[1015, 1016, 1017]),
    ("one tilde does not strike out, as in Obsidian", &[1011]),
    ("a link to nowhere is its text", &[200, 485, 486, 487, 567]),
    ("a paragraph that shows nothing is left out", &[484]),
    ("a picture without a text is named after its file", &[581]),
    ("blanks that start a paragraph are left out, however they are written", &[40]),
    ("what runs or loads is left out", &[170, 171, 172, 173, 176, 178, 475]),
    (
        "a block of HTML stands for itself and is closed at its end, as in Obsidian",
        &[148, 152, 155, 167, 174, 175, 184, 188, 190, 191],
    ),
    ("a tag that never ends is text", &[156, 157, 158]),
    (
        "a tag without its other half is closed or left out",
        &[21, 31, 151, 165, 187, 344, 476, 477, 494, 614, 616, 630, 631, 642, 643],
    ),
    ("a tag that HTML does not know is text, or left out in a block", &[150, 163, 491, 524, 536, 613, 615, 617, 623]),
    ("a section of CDATA is left out", &[629]),
];
