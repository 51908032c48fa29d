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
        let mut settled: Vec<Range<usize>> = Vec::with_capacity(self.opaque.len());
        for range in self.opaque.drain(..) {
            match settled.last_mut() {
                Some(last) if range.start < last.end => last.end = last.end.max(range.end),
                _ => settled.push(range),
            }
        }
        self.opaque = settled;
    }
}

/// The wikilinks of a leaf. Both pairs of brackets stand outside of what is opaque, on one line.
pub(crate) fn wikilinks(text: &str, leaf: &Leaf) -> Vec<Link> {
    let bytes = text.as_bytes();
    let mut links = Vec::new();
    let mut opener = None;
    // Nothing counts on a line before its first pair of brackets, but for a backslash before them.
    let next_opening = |from: usize| {
        let brackets = memchr_iter(b'[', &bytes[from..leaf.range.end]).map(|found| from + found);
        let pair = brackets.into_iter().find(|&at| bytes.get(at + 1) == Some(&b'['))?;
        let n_escapes = bytes[from..pair].iter().rev().take_while(|&&b| b == b'\\').count();
        Some(pair - n_escapes)
    };
    let Some(mut at) = next_opening(leaf.range.start) else { return links };
    let mut opaque = leaf.opaque.iter().peekable();
    while at < leaf.range.end {
        while opaque.next_if(|range| range.end <= at).is_some() {}
        if let Some(range) = opaque.peek()
            && range.start <= at
        {
            if bytes[at..range.end].iter().any(|b| matches!(b, b'\n' | b'\r')) {
                opener = None;
            }
            at = range.end;
            continue;
        }
        match bytes[at] {
            b'\n' | b'\r' => {
                opener = None;
                match next_opening(at) {
                    Some(next) => at = next,
                    None => break,
                }
                continue;
            }
            b'\\' if !matches!(bytes.get(at + 1), Some(b'\n' | b'\r')) => at += 1,
            // Only the first byte of a leaf can be escaped by what stands before it.
            b'[' if at == leaf.range.start && is_escaped(bytes, at) => {}
            b'[' if bytes.get(at + 1) == Some(&b'[') && at + 1 < leaf.range.end => opener = Some(at),
            b']' if bytes.get(at + 1) == Some(&b']') && at + 1 < leaf.range.end => {
                let ends_footnote =
                    |&start: &usize| bytes.get(at + 2) == Some(&b']') && names_footnote(&text[start..at]);
                if at + 2 < leaf.range.end && opener.as_ref().is_some_and(ends_footnote) {
                    // The first bracket of `[[note#[^1]]]` belongs to the footnote.
                    at += 1;
                    continue;
                }
                if let Some(start) = opener.take() {
                    let embed = start > leaf.range.start && bytes[start - 1] == b'!' && !is_escaped(bytes, start - 1);
                    let span = start - usize::from(embed)..at + 2;
                    let link = wikilink(text, span, start + 2..at, embed, str::to_owned);
                    links.extend(link.map(|link| match leaf.in_table {
                        true => Link {
                            encoding: LinkEncoding::BracketsInTable,
                            alias: link.alias.map(|alias| alias.replace("\\|", "|")),
                            ..link
                        },
                        false => Link { encoding: LinkEncoding::Brackets, ..link },
                    }));
                    match next_opening(at + 2) {
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
    links
}

/// Whether a link's text up to here ends inside the name of a footnote: `note#[^1`.
fn names_footnote(text: &str) -> bool {
    text.rsplit_once("#[^").is_some_and(|(_, name)| !name.is_empty() && !name.contains([']', '#', '|']))
}

/// The tags of a leaf, `#` included in their ranges, outside of `links`.
pub(crate) fn tags(text: &str, leaf: &Leaf, links: &[Link]) -> Vec<Range<usize>> {
    let mut tags = Vec::new();
    let in_link = |hash| {
        let after = links.partition_point(|link| link.span.start <= hash);
        links[..after].last().is_some_and(|link| hash < link.span.end)
    };
    let mut at = leaf.range.start;
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
            tags.push(hash..at + name.len());
            last_end = Some(at + n);
        }
        at += n;
    }
    tags
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
