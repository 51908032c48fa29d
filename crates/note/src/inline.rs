//! What Obsidian adds to Markdown's text: wikilinks, tags and block ids.

use std::ops::Range;

use memchr::{memchr, memchr_iter};

use crate::link::{Link, LinkEncoding, wikilink};
use crate::opaque::{holds, is_escaped};

/// The text of one paragraph, heading or table cell.
pub(crate) struct Leaf {
    pub range: Range<usize>,
    /// Code, HTML, math, comments and link destinations in it.
    pub opaque: Vec<Range<usize>>,
    pub in_table: bool,
}

impl Leaf {
    /// Puts the opaque ranges in order and lets none overlap.
    pub fn settle(&mut self) {
        if self.opaque.len() < 2 {
            return;
        }
        self.opaque.sort_by_key(|range| range.start);
        self.opaque.dedup_by(|range, last| {
            let overlaps = range.start < last.end;
            if overlaps {
                last.end = last.end.max(range.end);
            }
            overlaps
        });
    }
}

/// Adds the wikilinks of a leaf that has no bracket before `from`. Both pairs of brackets stand outside
/// of what is opaque, on one line.
pub(crate) fn wikilinks(text: &str, leaf: &Leaf, from: usize, links: &mut Vec<Link>) {
    let bytes = &text.as_bytes()[..leaf.range.end];
    let mut opener = None;
    // Nothing counts on a line before its first pair of brackets, but for a backslash before them.
    let next_opening = |start: usize, from: usize| {
        let mut brackets = memchr_iter(b'[', &bytes[from..]).map(|found| from + found);
        let pair = brackets.find(|&at| bytes.get(at + 1) == Some(&b'['))?;
        let n_escapes = bytes[start..pair].iter().rev().take_while(|&&b| b == b'\\').count();
        Some(pair - n_escapes)
    };
    let Some(mut at) = next_opening(leaf.range.start, from) else { return };
    let mut opaque = leaf.opaque.iter().peekable();
    while at < bytes.len() {
        while opaque.next_if(|range| range.end <= at).is_some() {}
        let next_opaque = opaque.peek().map_or(bytes.len(), |range| range.start.min(bytes.len()));
        if let Some(range) = opaque.peek()
            && range.start <= at
        {
            if bytes[at..range.end.min(bytes.len())].iter().any(|b| matches!(b, b'\n' | b'\r')) {
                opener = None;
            }
            at = range.end;
            continue;
        }
        let is_mark = |b: &u8| matches!(b, b'\n' | b'\r' | b'\\' | b'[' | b']');
        match bytes[at..next_opaque].iter().position(is_mark) {
            None => {
                at = next_opaque;
                continue;
            }
            Some(n) => at += n,
        }
        match bytes[at] {
            b'\n' | b'\r' => {
                opener = None;
                match next_opening(at, at) {
                    Some(next) => at = next,
                    None => break,
                }
                continue;
            }
            b'\\' if !matches!(bytes.get(at + 1), Some(b'\n' | b'\r')) => at += 1,
            // Only the first byte of a leaf can be escaped by what stands before it.
            b'[' if at == leaf.range.start && is_escaped(bytes, at) => {}
            b'[' if bytes.get(at + 1) == Some(&b'[') => opener = Some(at),
            b']' if bytes.get(at + 1) == Some(&b']') => {
                let ends_footnote = |&start: &usize| names_footnote(&text[start..at]);
                if bytes.get(at + 2) == Some(&b']') && opener.as_ref().is_some_and(ends_footnote) {
                    // The first bracket of `[[note#[^1]]]` belongs to the footnote.
                    at += 1;
                    continue;
                }
                if let Some(start) = opener.take() {
                    let embed = start > leaf.range.start && bytes[start - 1] == b'!' && !is_escaped(bytes, start - 1);
                    let span = start - usize::from(embed)..at + 2;
                    if let Some(mut link) = wikilink(text, span, start + 2..at, embed, str::to_owned) {
                        if leaf.in_table {
                            link.encoding = LinkEncoding::BracketsInTable;
                            link.alias = link.alias.map(|alias| alias.replace("\\|", "|"));
                        }
                        links.push(link);
                    }
                    match next_opening(at + 2, at + 2) {
                        Some(next) => at = next,
                        None => break,
                    }
                    continue;
                }
            }
            _ => {}
        }
        at += 1;
    }
}

/// Whether a link's text up to here ends inside the name of a footnote: `note#[^1`.
fn names_footnote(text: &str) -> bool {
    text.rsplit_once("#[^").is_some_and(|(_, name)| !name.is_empty() && !name.contains([']', '#', '|']))
}

/// Finds the tags of a leaf that has no `#` before `from`, outside of `links`. The `#` is part of their ranges.
pub(crate) fn tags(text: &str, leaf: &Leaf, from: usize, links: &[Link], mut found_tag: impl FnMut(Range<usize>)) {
    let in_link = |hash| {
        let after = links.partition_point(|link| link.span.start <= hash);
        links[..after].last().is_some_and(|link| hash < link.span.end)
    };
    let mut at = from;
    // Where the last tag ends: another one may follow it without a blank.
    let mut last_end = None;
    while let Some(found) = memchr(b'#', &text.as_bytes()[at..leaf.range.end]) {
        let hash = at + found;
        at = hash + 1;
        let stands_alone = last_end == Some(hash)
            || hash == leaf.range.start && !is_escaped(text.as_bytes(), hash)
            || text[..hash].chars().next_back().is_some_and(char::is_whitespace);
        if !stands_alone || holds(&leaf.opaque, hash).is_some() || in_link(hash) {
            continue;
        }
        let rest = &text[at..leaf.range.end];
        let n = rest.find(|c| !is_tag_char(c)).unwrap_or(rest.len());
        let name = rest[..n].trim_end_matches('/');
        if is_tag(name) {
            found_tag(hash..at + name.len());
            last_end = Some(at + n);
        }
        at += n;
    }
}

/// Whether a name, without its `#`, is a tag.
pub(crate) fn is_tag(name: &str) -> bool {
    !name.is_empty() && name.chars().all(is_tag_char) && name.chars().any(|c| !c.is_ascii_digit() && c != '/')
}

fn is_tag_char(c: char) -> bool {
    match c {
        '_' | '-' | '/' => true,
        _ if c.is_ascii() => c.is_ascii_alphanumeric(),
        '\u{2000}'..='\u{206f}' | '\u{2e00}'..='\u{2e7f}' => false,
        _ => !c.is_whitespace() && !c.is_control(),
    }
}
