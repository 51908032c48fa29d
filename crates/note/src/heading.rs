//! Headings: their place in the text, and how links name them.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use crate::path::fold;
use crate::text::lines;

/// A heading of a note. Headings inside quotes, lists, code and comments are none.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Heading {
    /// 1 to 6.
    pub level: u8,
    /// The title as it reads when rendered.
    pub text: String,
    /// The title's Markdown, without hashes and block id; lines of a Setext title joined by a space.
    pub raw: String,
    /// Hashes or an underline.
    pub style: HeadingStyle,
    /// From the start of its first line to the end of its last one, without the line ending.
    pub span: Range<usize>,
    /// The bytes that a rename replaces.
    pub title: Range<usize>,
    /// The block id behind the title, without its `^`.
    pub block_id: Option<String>,
    /// The 1-based line of the title.
    pub line: u32,
    /// The nearest heading above that is of a lower level.
    pub parent: Option<usize>,
    /// What links are compared with: the raw title through [`strip_heading`].
    pub key: String,
    /// Which one this is among the headings of the same ancestry.
    pub same_path: Tally,
    /// Which one this is among the headings of the same text and level.
    pub same_text: Tally,
}

/// A place in a count, in document order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tally {
    /// 1-based.
    pub nth: u32,
    /// How many there are.
    pub of: u32,
}

/// How a heading is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HeadingStyle {
    /// Hashes before the title.
    Atx,
    /// An underline below the title.
    Setext,
}

/// The form by which a link's heading is matched, as Obsidian does: punctuation becomes blanks,
/// blanks collapse, case and normal form do not count.
pub fn strip_heading(title: &str) -> String {
    if title.is_ascii() {
        return strip_ascii(title);
    }
    fold(&collapse(title.chars().map(|c| if is_stripped(c) { ' ' } else { c })))
}

/// The form in which a heading is written into a link, as Obsidian does: only what a link cannot
/// hold becomes blanks.
pub fn strip_heading_for_link(title: &str) -> String {
    let mut blanked = String::with_capacity(title.len());
    let mut chars = title.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            ':' | '#' | '|' | '^' | '\\' | '\r' | '\n' => blanked.push(' '),
            '%' | '[' | ']' if chars.peek() == Some(&c) => {
                chars.next();
                blanked.push(' ');
            }
            _ => blanked.push(c),
        }
    }
    collapse(blanked.chars())
}

/// A heading key for one segment of a link. Titles of nothing but punctuation strip to nothing and
/// would all be one; they are told apart by their characters.
pub(crate) fn heading_key(title: &str) -> String {
    let key = strip_heading(title);
    if key.is_empty() { fold(title.trim()) } else { key }
}

/// What [`strip_heading`] says of a title of ASCII characters.
fn strip_ascii(title: &str) -> String {
    let mut stripped = String::with_capacity(title.len().min(MAX_RESERVED));
    // Whether a blank comes before the next character.
    let mut is_apart = false;
    for byte in title.bytes() {
        match STRIPPED[usize::from(byte & 0x7f)] {
            b' ' => is_apart = !stripped.is_empty(),
            kept => {
                if is_apart {
                    stripped.push(' ');
                    is_apart = false;
                }
                stripped.push(char::from(kept));
            }
        }
    }
    stripped
}

/// What each ASCII character strips to.
const STRIPPED: [u8; 128] = {
    let mut stripped = [0; 128];
    let mut byte = 0;
    while byte < 128u8 {
        let is_blank = is_stripped(byte as char) || matches!(byte, b' ' | b'\t'..=b'\r');
        stripped[byte as usize] = if is_blank { b' ' } else { byte.to_ascii_lowercase() };
        byte += 1;
    }
    stripped
};

const fn is_stripped(c: char) -> bool {
    matches!(
        c,
        '!' | '"'
            | '#'
            | '$'
            | '%'
            | '&'
            | '('
            | ')'
            | '*'
            | '+'
            | ','
            | '.'
            | ':'
            | ';'
            | '<'
            | '='
            | '>'
            | '?'
            | '@'
            | '^'
            | '`'
            | '{'
            | '|'
            | '}'
            | '~'
            | '/'
            | '['
            | ']'
            | '\\'
            | '\r'
            | '\n'
    )
}

/// Longer titles are none, and need not be fast.
const MAX_RESERVED: usize = 200;

fn collapse(chars: impl Iterator<Item = char>) -> String {
    let mut collapsed = String::with_capacity(chars.size_hint().1.unwrap_or(0).min(MAX_RESERVED));
    for c in chars {
        if !c.is_whitespace() {
            collapsed.push(c);
        } else if !collapsed.is_empty() && !collapsed.ends_with(' ') {
            collapsed.push(' ');
        }
    }
    if collapsed.ends_with(' ') {
        collapsed.pop();
    }
    collapsed
}

/// Where the parts of a heading are in the text.
pub(crate) struct Shape {
    pub style: HeadingStyle,
    pub span: Range<usize>,
    pub title: Range<usize>,
    pub raw: String,
    pub block_id: Option<String>,
}

/// Measures a heading that the Markdown parser found at `range` of a text whose body starts at `body`.
pub(crate) fn measure(text: &str, body: usize, range: Range<usize>) -> Shape {
    let bytes = text.as_bytes();
    let before = bytes[body..range.start].iter().rposition(|&b| matches!(b, b'\n' | b'\r'));
    let line_start = before.map_or(body, |eol| body + eol + 1);
    let line_end = end_of_line(bytes, range.start);
    let indented = range.start.max(line_start);
    let indented = indented + blanks(&bytes[indented..line_end]);
    match atx_title(bytes, indented..line_end) {
        Some(title) => {
            let (title, block_id) = split_block_id(text, title);
            let raw = text[title.clone()].to_owned();
            Shape { style: HeadingStyle::Atx, span: line_start..line_end, title, raw, block_id }
        }
        None => measure_setext(text, line_start, indented, range.end),
    }
}

fn measure_setext(text: &str, line_start: usize, title_start: usize, range_end: usize) -> Shape {
    let title_and_underline: Vec<_> = lines(text, title_start)
        .take_while(|line| line.content.start < range_end)
        .filter(|line| !text[line.content.clone()].trim().is_empty())
        .collect();
    let n_title = title_and_underline.len().saturating_sub(1).max(1);
    let title_lines = &title_and_underline[..n_title.min(title_and_underline.len())];
    let span_end = title_and_underline.last().map_or(title_start, |line| line.content.end);
    let Some(last) = title_lines.last() else {
        // An empty range; the parser never reports one, and nothing is claimed about it.
        let at = title_start;
        return Shape {
            style: HeadingStyle::Setext,
            span: line_start..at,
            title: at..at,
            raw: String::new(),
            block_id: None,
        };
    };
    let title_end = last.content.start + text[last.content.clone()].trim_end_matches([' ', '\t']).len();
    let (title, block_id) = split_block_id(text, title_start..title_end);
    let raw = lines(&text[title.clone()], 0)
        .map(|line| text[title.clone()][line.content].trim_matches([' ', '\t']))
        .collect::<Vec<_>>()
        .join(" ");
    Shape { style: HeadingStyle::Setext, span: line_start..span_end, title, raw, block_id }
}

/// The title of an ATX line, given without its indentation; `None` if the line is no such heading.
fn atx_title(bytes: &[u8], line: Range<usize>) -> Option<Range<usize>> {
    let n_hashes = bytes[line.clone()].iter().take_while(|&&b| b == b'#').count();
    let after = line.start + n_hashes;
    if !(1..=6).contains(&n_hashes) {
        return None;
    }
    if after < line.end && !matches!(bytes[after], b' ' | b'\t') {
        return None;
    }
    let start = after + blanks(&bytes[after..line.end]);
    let mut end = line.end - trailing_blanks(&bytes[start..line.end]);
    let n_closing = bytes[start..end].iter().rev().take_while(|&&b| b == b'#').count();
    let before_closing = end - n_closing;
    if n_closing > 0 && (before_closing == start || matches!(bytes[before_closing - 1], b' ' | b'\t')) {
        end = before_closing - trailing_blanks(&bytes[start..before_closing]);
    }
    Some(start..end)
}

/// Parts a title from the block id behind it.
fn split_block_id(text: &str, title: Range<usize>) -> (Range<usize>, Option<String>) {
    let slice = &text[title.clone()];
    let Some((rest, id)) = trailing_block_id(slice) else {
        return (title, None);
    };
    let rest = rest.trim_end_matches([' ', '\t', '\n', '\r']);
    if rest.is_empty() {
        return (title, None);
    }
    (title.start..title.start + rest.len(), Some(id.to_owned()))
}

/// Splits `text ^id` into `text ` and `id`.
pub(crate) fn trailing_block_id(text: &str) -> Option<(&str, &str)> {
    let trimmed = text.trim_end_matches([' ', '\t', '\r', '\n']);
    let id_start =
        trimmed.len() - trimmed.bytes().rev().take_while(|b| b.is_ascii_alphanumeric() || *b == b'-').count();
    if id_start == trimmed.len() {
        return None;
    }
    let before = trimmed[..id_start].strip_suffix('^')?;
    let stands_alone = before.is_empty() || before.ends_with([' ', '\t', '\r', '\n']);
    stands_alone.then_some((before, &trimmed[id_start..]))
}

fn end_of_line(bytes: &[u8], from: usize) -> usize {
    bytes[from..].iter().position(|&b| matches!(b, b'\n' | b'\r')).map_or(bytes.len(), |n| from + n)
}

fn blanks(bytes: &[u8]) -> usize {
    bytes.iter().take_while(|&&b| matches!(b, b' ' | b'\t')).count()
}

fn trailing_blanks(bytes: &[u8]) -> usize {
    bytes.iter().rev().take_while(|&&b| matches!(b, b' ' | b'\t')).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn matching_ignores_what_obsidian_ignores() {
        for (title, key) in [
            ("Chapter 1: Foo", "chapter 1 foo"),
            ("C++", "c"),
            ("  a,  b ", "a b"),
            ("it's-a_b", "it's-a_b"),
            ("see [[X]]", "see x"),
            ("CAFE\u{301}", "caf\u{e9}"),
            ("???", ""),
            ("\u{b}a\u{1f}\t? B\r\n", "a\u{1f} b"),
        ] {
            assert_eq!(strip_heading(title), key);
        }
        assert_ne!(heading_key("???"), heading_key("!!!"));
    }

    #[test]
    fn writing_keeps_what_a_link_can_hold() {
        for (title, written) in
            [("foo:#|^\\\r\n%%[[]]bar", "foo bar"), ("Can I…?", "Can I…?"), ("100 % sure [x]", "100 % sure [x]")]
        {
            assert_eq!(strip_heading_for_link(title), written);
        }
    }

    #[test]
    fn block_ids_stand_alone() {
        assert_eq!(trailing_block_id("Old ^ab-1 "), Some(("Old ", "ab-1")));
        assert_eq!(trailing_block_id("x^2"), None);
        assert_eq!(trailing_block_id("a ^"), None);
        assert_eq!(trailing_block_id("^id"), Some(("", "id")));
    }
}
