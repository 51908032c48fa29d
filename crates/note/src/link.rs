//! Links: what they point at, and the exact bytes that say so.

use std::ops::Range;

use serde::{Deserialize, Serialize};

/// A link of a note to a note, a heading, a block or a file. Links to the web are not of this kind.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Link {
    /// How it is written.
    pub kind: LinkKind,
    /// Whether the target is shown in place.
    pub embed: bool,
    /// The whole link.
    pub span: Range<usize>,
    /// The path part, decoded; empty for a link into the same note.
    pub target: String,
    /// The bytes of the path part as written.
    pub target_span: Range<usize>,
    /// What follows the first `#`, decoded: a heading chain (`A#B`) or a block id (`^id`).
    pub subpath: Option<String>,
    /// The bytes of the subpath as written, without its `#`.
    pub subpath_span: Option<Range<usize>>,
    /// The text shown instead of the target.
    pub alias: Option<String>,
    /// The 1-based line where it starts.
    pub line: u32,
    /// What must be known to write another target in its place.
    pub encoding: LinkEncoding,
}

/// How a link is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LinkKind {
    /// `[[target#heading|alias]]`
    Wiki,
    /// `[alias](target#heading)`
    Markdown,
    /// `[label]: target#heading`
    Definition,
    /// A wikilink in a property.
    Property,
}

/// The characters around a link's target that decide how it is spelled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LinkEncoding {
    /// Between double brackets: as it reads.
    Brackets,
    /// Between double brackets in a table cell.
    BracketsInTable,
    /// A Markdown destination: percent-encoded.
    Percent,
    /// A Markdown destination between `<` and `>`.
    Angle,
    /// A YAML scalar without quotes.
    Plain,
    /// A YAML scalar in single quotes: `'` is doubled.
    SingleQuoted,
    /// A YAML scalar in double quotes: `"` and `\` are escaped.
    DoubleQuoted,
}

impl Link {
    /// The subpath's segments, for a link to a heading.
    pub fn heading_chain(&self) -> Option<Vec<&str>> {
        let subpath = self.subpath.as_deref()?;
        let is_heading = !subpath.starts_with('^') && footnote_label(subpath).is_none();
        is_heading.then(|| subpath.split('#').filter(|s| !s.trim().is_empty()).collect())
    }

    /// The footnote that the link points at, without its `[^` and `]`.
    pub fn footnote(&self) -> Option<&str> {
        footnote_label(self.subpath.as_deref()?)
    }

    /// The block id that the link points at, without its `^`.
    pub fn block_id(&self) -> Option<&str> {
        self.subpath.as_deref()?.strip_prefix('^')
    }
}

/// The label of a footnote that a subpath names: `[^1]`.
pub(crate) fn footnote_label(subpath: &str) -> Option<&str> {
    let label = subpath.strip_prefix("[^")?.strip_suffix(']')?;
    (!label.is_empty() && !label.contains([']', '#'])).then_some(label)
}

/// Reads the inside of a wikilink that starts at `inner.start` in the text.
///
/// Spans are those of `text`; `decode` turns what is written into what is meant.
pub(crate) fn wikilink(
    text: &str,
    span: Range<usize>,
    inner: Range<usize>,
    embed: bool,
    decode: impl Fn(&str) -> String,
) -> Option<Link> {
    let slice = &text[inner.clone()];
    let (pointer, alias) = match memchr::memchr(b'|', slice.as_bytes()) {
        Some(pipe) => {
            // `\|` is how a pipe is written in a table.
            let end = if slice[..pipe].ends_with('\\') { pipe - 1 } else { pipe };
            (&slice[..end], Some(slice[pipe + 1..].trim()))
        }
        None => (slice, None),
    };
    let (path, subpath) = match memchr::memchr(b'#', pointer.as_bytes()) {
        Some(hash) => (&pointer[..hash], Some(hash + 1..pointer.len())),
        None => (pointer, None),
    };
    if path.trim().is_empty() && subpath.is_none() {
        return None;
    }
    let at = |range: Range<usize>| inner.start + range.start..inner.start + range.end;
    let target_span = at(trimmed(path, 0..path.len()));
    let subpath_span = subpath.map(|range| at(trimmed(pointer, range)));
    Some(Link {
        kind: LinkKind::Wiki,
        embed,
        span,
        target: decode(&text[target_span.clone()]),
        target_span,
        subpath: subpath_span.clone().map(|range| decode(&text[range])),
        subpath_span,
        alias: alias.map(&decode),
        line: 0,
        encoding: LinkEncoding::Brackets,
    })
}

/// Reads a Markdown destination at `raw` in the text, whose unescaped form is `unescaped`.
/// `None` for a link to the web.
pub(crate) fn destination(
    text: &str,
    span: Range<usize>,
    raw: Range<usize>,
    unescaped: &str,
    is_angle: bool,
) -> Option<Link> {
    if unescaped.is_empty() || is_external(unescaped) {
        return None;
    }
    let slice = &text[raw.clone()];
    let hash = slice
        .match_indices('#')
        .map(|(at, _)| at)
        // `&#35;` is a character, not the start of a subpath.
        .find(|&at| !slice[..at].ends_with('&'));
    let (target_span, subpath_span) = match hash {
        Some(hash) => (raw.start..raw.start + hash, Some(raw.start + hash + 1..raw.end)),
        None => (raw.clone(), None),
    };
    let (path, subpath) = match (hash, unescaped.split_once('#')) {
        (Some(_), Some((path, subpath))) => (path, Some(subpath)),
        _ => (unescaped, None),
    };
    Some(Link {
        kind: LinkKind::Markdown,
        embed: false,
        span,
        target: percent_decode(path),
        target_span,
        subpath: subpath.map(percent_decode),
        subpath_span: subpath.and(subpath_span),
        alias: None,
        line: 0,
        encoding: if is_angle { LinkEncoding::Angle } else { LinkEncoding::Percent },
    })
}

/// Finds the destination in Markdown text that starts where one may stand.
/// Returns its range and whether it is between angle brackets.
pub(crate) fn find_destination(bytes: &[u8], mut at: usize) -> Option<(Range<usize>, bool)> {
    while bytes.get(at).is_some_and(|b| matches!(b, b' ' | b'\t' | b'\n' | b'\r')) {
        at += 1;
    }
    let is_angle = bytes.get(at) == Some(&b'<');
    let start = at + usize::from(is_angle);
    let mut end = start;
    let mut depth = 0usize;
    loop {
        end += bytes[end..].iter().take_while(|&&byte| !MAY_END[usize::from(byte)]).count();
        let Some(&byte) = bytes.get(end) else { break };
        match byte {
            b'\\' if bytes.get(end + 1).is_some_and(u8::is_ascii_punctuation) => end += 1,
            b'\n' | b'\r' => break,
            b'>' if is_angle => return Some((start..end, true)),
            _ if is_angle => {}
            b'(' => depth += 1,
            b')' if depth == 0 => break,
            b')' => depth -= 1,
            _ if byte.is_ascii_whitespace() || byte.is_ascii_control() => break,
            _ => {}
        }
        end += 1;
    }
    (!is_angle).then_some((start..end, false))
}

/// The bytes that may end a destination, or say how long it goes on.
const MAY_END: [bool; 256] = {
    let mut may_end = [false; 256];
    let mut byte = 0;
    while byte <= b' ' as usize {
        may_end[byte] = true;
        byte += 1;
    }
    may_end[0x7f] = true;
    may_end[b'\\' as usize] = true;
    may_end[b'>' as usize] = true;
    may_end[b'(' as usize] = true;
    may_end[b')' as usize] = true;
    may_end
};

fn is_external(destination: &str) -> bool {
    if destination.starts_with("//") {
        return true;
    }
    let n_scheme =
        destination.bytes().take_while(|b| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'.' | b'-')).count();
    n_scheme >= 2
        && destination.as_bytes()[0].is_ascii_alphabetic()
        && destination.as_bytes().get(n_scheme) == Some(&b':')
}

pub(crate) fn percent_decode(text: &str) -> String {
    match percent_encoding::percent_decode_str(text).decode_utf8() {
        Ok(decoded) => decoded.into_owned(),
        Err(_) => text.to_owned(),
    }
}

fn trimmed(text: &str, range: Range<usize>) -> Range<usize> {
    let slice = &text[range.clone()];
    let start = range.start + (slice.len() - slice.trim_start().len());
    let end = range.end - (slice.len() - slice.trim_end().len());
    start..end.max(start)
}
