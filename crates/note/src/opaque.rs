//! What Obsidian hides from Markdown: `%%` comments and `$$` blocks.
//!
//! They are found from left to right among what is not code, and blanked out in a copy of the text
//! that the Markdown parser reads. The copy has the same length, so every offset stays true.

use std::ops::Range;

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

/// A text as the Markdown parser may see it.
pub(crate) struct Masked {
    /// As long as the original; hidden stretches are blanks or letters, lone carriage returns are
    /// line feeds.
    pub text: String,
    /// The hidden stretches, in order.
    pub hidden: Vec<Range<usize>>,
    /// Where a comment starts that is never closed.
    pub unclosed_comment: Option<usize>,
}

/// The Markdown that Obsidian reads.
pub(crate) fn options() -> Options {
    Options::ENABLE_TABLES
        | Options::ENABLE_FOOTNOTES
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_TASKLISTS
        | Options::ENABLE_MATH
}

/// Each round settles at least the first stretch that the one before got wrong; real notes need two.
const MAX_ROUNDS: usize = 6;

/// Blanks out what Markdown must not see from `body` on.
pub(crate) fn mask(text: &str, body: usize) -> Masked {
    let mut plain = text.as_bytes().to_vec();
    normalize(&mut plain, body);
    let tail = &plain[body..];
    let has_marks = tail.windows(2).any(|pair| pair == b"%%" || pair == b"$$");
    let plain = into_text(plain);
    if !has_marks {
        return Masked { text: plain, hidden: Vec::new(), unclosed_comment: None };
    }
    let marks = find_marks(plain.as_bytes(), body);
    let mut masked = plain.clone();
    let mut stretches: Vec<Stretch> = Vec::new();
    for _ in 0..MAX_ROUNDS {
        let layout = Layout::of(&masked, body);
        let found = stretches_in(plain.as_bytes(), &marks, &layout);
        if found == stretches {
            break;
        }
        masked = blank_out(&plain, &found);
        stretches = found;
    }
    let unclosed_comment = stretches.last().filter(|last| last.is_unclosed).map(|last| last.range.start);
    let hidden = stretches.into_iter().map(|stretch| stretch.range).collect();
    Masked { text: masked, hidden, unclosed_comment }
}

#[derive(PartialEq)]
struct Stretch {
    range: Range<usize>,
    /// Nothing else stands on its first and last line.
    is_block: bool,
    is_unclosed: bool,
}

/// Code and leaf blocks of a text.
struct Layout {
    code: Vec<Range<usize>>,
    leaves: Vec<Range<usize>>,
}

impl Layout {
    fn of(masked: &str, body: usize) -> Layout {
        let mut layout = Layout { code: Vec::new(), leaves: Vec::new() };
        let mut leaf: Option<Range<usize>> = None;
        let mut in_block = false;
        for (event, range) in Parser::new_ext(&masked[body..], options()).into_offset_iter() {
            let range = range.start + body..range.end + body;
            match event {
                Event::Start(Tag::CodeBlock(_) | Tag::HtmlBlock) => {
                    layout.code.push(range);
                    layout.leaves.extend(leaf.take());
                    in_block = true;
                }
                Event::End(TagEnd::CodeBlock | TagEnd::HtmlBlock) => in_block = false,
                _ if in_block => {}
                _ if is_inline(&event) => {
                    if matches!(event, Event::Code(_) | Event::InlineHtml(_)) {
                        layout.code.push(range.clone());
                    }
                    leaf = Some(match leaf {
                        Some(leaf) => leaf.start.min(range.start)..leaf.end.max(range.end),
                        None => range,
                    });
                }
                _ => layout.leaves.extend(leaf.take()),
            }
        }
        layout.leaves.extend(leaf);
        layout
    }
}

/// Whether an event is part of a leaf block's text.
pub(crate) fn is_inline(event: &Event<'_>) -> bool {
    match event {
        Event::Start(tag) => matches!(
            tag,
            Tag::Emphasis
                | Tag::Strong
                | Tag::Strikethrough
                | Tag::Superscript
                | Tag::Subscript
                | Tag::Link { .. }
                | Tag::Image { .. }
        ),
        Event::End(tag) => matches!(
            tag,
            TagEnd::Emphasis
                | TagEnd::Strong
                | TagEnd::Strikethrough
                | TagEnd::Superscript
                | TagEnd::Subscript
                | TagEnd::Link
                | TagEnd::Image
        ),
        Event::Rule | Event::TaskListMarker(_) | Event::Html(_) => false,
        _ => true,
    }
}

/// Two `%` or two `$`, neither more nor escaped.
struct Mark {
    at: usize,
    byte: u8,
    /// The next mark of the same kind.
    next: Option<usize>,
}

fn find_marks(bytes: &[u8], body: usize) -> Vec<Mark> {
    let mut marks: Vec<Mark> = Vec::new();
    let mut last_of = [None::<usize>; 2];
    let mut at = body;
    while at < bytes.len() {
        let byte = bytes[at];
        if !matches!(byte, b'%' | b'$') {
            at += 1;
            continue;
        }
        let n = bytes[at..].iter().take_while(|&&b| b == byte).count();
        if n == 2 && !is_escaped(bytes, at) {
            let kind = usize::from(byte == b'$');
            if let Some(last) = last_of[kind] {
                marks[last].next = Some(at);
            }
            last_of[kind] = Some(marks.len());
            marks.push(Mark { at, byte, next: None });
        }
        at += n;
    }
    marks
}

fn stretches_in(bytes: &[u8], marks: &[Mark], layout: &Layout) -> Vec<Stretch> {
    let mut found = Vec::new();
    let (mut from, mut before) = (0, 0);
    for mark in marks {
        let starts_line = starts_line(bytes, before, mark.at);
        before = mark.at + 2;
        if mark.at < from || holds(&layout.code, mark.at).is_some() {
            continue;
        }
        let end = match mark.next {
            Some(next) if starts_line => next + 2,
            // Inside a line a comment ends within its paragraph; `$$` there is the parser's business.
            Some(next) if mark.byte == b'%' => match holds(&layout.leaves, mark.at) {
                Some(leaf) if next < leaf.end => next + 2,
                _ => continue,
            },
            None if starts_line && mark.byte == b'%' => {
                found.push(Stretch { range: mark.at..bytes.len(), is_block: true, is_unclosed: true });
                break;
            }
            _ => continue,
        };
        let is_block = starts_line && blank_until_eol(bytes, end);
        found.push(Stretch { range: mark.at..end, is_block, is_unclosed: false });
        from = end;
    }
    found
}

fn blank_out(plain: &str, stretches: &[Stretch]) -> String {
    let mut bytes = plain.as_bytes().to_vec();
    for stretch in stretches {
        let filler = if stretch.is_block { b' ' } else { b'x' };
        for byte in &mut bytes[stretch.range.clone()] {
            if !matches!(byte, b'\n' | b'\r') {
                *byte = filler;
            }
        }
    }
    into_text(bytes)
}

/// The range of a sorted list that holds a byte.
pub(crate) fn holds(ranges: &[Range<usize>], at: usize) -> Option<&Range<usize>> {
    let after = ranges.partition_point(|range| range.start <= at);
    ranges[..after].last().filter(|range| at < range.end)
}

/// Whether an odd number of backslashes stands before a byte.
pub(crate) fn is_escaped(bytes: &[u8], at: usize) -> bool {
    bytes[..at].iter().rev().take_while(|&&b| b == b'\\').count() % 2 == 1
}

/// Whether only indentation, quote marks and a list marker stand before a byte on its line.
/// Looks back no further than `before`, where the last mark ends.
fn starts_line(bytes: &[u8], before: usize, at: usize) -> bool {
    let start = match bytes[before..at].iter().rposition(|&b| matches!(b, b'\n' | b'\r')) {
        Some(eol) => before + eol + 1,
        None if before == 0 => 0,
        None => return false,
    };
    let lead = &bytes[start..at];
    let lead = lead.strip_prefix("\u{feff}".as_bytes()).unwrap_or(lead);
    let is_indent = |b: &u8| matches!(b, b' ' | b'\t' | b'>');
    let n_indent = lead.iter().take_while(|b| is_indent(b)).count();
    let marker = lead[n_indent..].trim_ascii_end();
    match marker {
        [] | [b'-' | b'*' | b'+'] => true,
        [digits @ .., b'.' | b')'] => (1..10).contains(&digits.len()) && digits.iter().all(u8::is_ascii_digit),
        _ => false,
    }
}

fn blank_until_eol(bytes: &[u8], at: usize) -> bool {
    bytes[at..].iter().find(|b| !matches!(b, b' ' | b'\t')).is_none_or(|b| matches!(b, b'\n' | b'\r'))
}

/// Makes every line end the parser's way.
fn normalize(bytes: &mut [u8], body: usize) {
    for at in body..bytes.len() {
        if bytes[at] == b'\r' && bytes.get(at + 1) != Some(&b'\n') {
            bytes[at] = b'\n';
        }
    }
}

fn into_text(bytes: Vec<u8>) -> String {
    // Only whole stretches between ASCII marks are overwritten, so this never takes the second way.
    String::from_utf8(bytes).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}
