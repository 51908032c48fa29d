//! The examples of the CommonMark spec, and of GitHub's extensions that Obsidian shares: what we make
//! of them is what their HTML says, but for the exceptions of `tests/commonmark-exceptions.txt`.

use std::collections::BTreeMap;

use crate::blocks::{self, BlockKind};
use crate::html::{RenderOptions, Resolved, render};
use crate::link::{Link, LinkKind, percent_decode};
use crate::parse::{Note, parse};
use crate::path::RelPath;
use crate::text::NoteText;

mod html;

mod spec;

use html::{Piece, pieces};
use spec::{Example, examples};

/// Compares all examples; those that differ must be the exceptions and no others.
fn check(what: &str, compare: impl Fn(&Example) -> Result<(), String>) {
    let mut exceptions = exceptions(what);
    let mut wrong = String::new();
    for example in examples() {
        let Example { name, markdown, html } = example;
        match (compare(example), exceptions.remove(name.as_str())) {
            (Err(difference), None) => {
                wrong += &format!("{name}: {markdown:?}\n  theirs {html:?}\n  {difference}\n");
            }
            (Ok(()), Some(reason)) => wrong += &format!("{name} is no exception any more ({reason})\n"),
            _ => {}
        }
    }
    wrong.extend(exceptions.into_keys().map(|name| format!("there is no example {name}\n")));
    assert!(wrong.is_empty(), "{wrong}");
}

/// The names of the examples that are read otherwise, with the reasons.
fn exceptions(what: &str) -> BTreeMap<&'static str, &'static str> {
    let lines = include_str!("../../../tests/commonmark-exceptions.txt").lines();
    let mut found = BTreeMap::new();
    for line in lines.filter(|line| !line.starts_with('#')) {
        let (of, rest) = line.split_once(' ').unwrap();
        let (name, reason) = rest.split_once(": ").unwrap();
        assert!(["headings", "links", "blocks", "view"].contains(&of) && !reason.is_empty(), "{line:?}");
        if of == what {
            assert_eq!(found.insert(name, reason), None, "{line:?} stands there twice");
        }
    }
    found
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
    check("headings", |example| {
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
    check("links", |example| {
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
    check("blocks", |example| {
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
    check("view", |example| {
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
