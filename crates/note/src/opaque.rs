//! What Obsidian hides from Markdown: `%%` comments and `$$` blocks.
//!
//! They are found from left to right among what is not code, and blanked out in a copy of the text
//! that the Markdown parser reads. The copy has the same length, so every offset stays true.

use std::borrow::Cow;
use std::ops::Range;

use pulldown_cmark::{Event, Options, Tag, TagEnd};

mod lead;

use lead::{Lead, end_of_container, is_eol, lead, stands_apart};

/// A text as the Markdown parser may see it.
pub(crate) struct Masked<'t> {
    /// As long as the original; hidden stretches are blanks, letters or [traces](is_trace), lone
    /// carriage returns are line feeds.
    pub text: Cow<'t, str>,
    /// The hidden stretches, in order.
    pub hidden: Vec<Range<usize>>,
    /// Where a comment starts that is never closed.
    pub unclosed_comment: Option<usize>,
    /// Whether the text holds more marks than any note; then all of it reads as plain words.
    pub is_too_dense: bool,
}

/// The Markdown that Obsidian reads.
pub(crate) fn options() -> Options {
    Options::ENABLE_TABLES
        | Options::ENABLE_FOOTNOTES
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_TASKLISTS
        | Options::ENABLE_MATH
}

/// Each round settles at least the first stretch that the one before got wrong; real notes need one.
const MAX_ROUNDS: usize = 7;

/// The parser keeps some sixty bytes for every mark that it sees. A note of four million words of
/// prose holds fewer than this; a text that holds more is no note, and would take gigabytes.
const MAX_MARKS: usize = 4_000_000;

/// Blanks out what Markdown must not see from `body` on, and reads the rest.
///
/// What is a comment depends on what is code, and the other way round. So `read` reads a guess, and
/// again what follows from the [`Layout`] that it found there, until both agree.
pub(crate) fn read_masked<'t, T>(
    text: &'t str,
    body: usize,
    mut read: impl FnMut(&Masked<'t>, &mut Layout) -> T,
) -> (Masked<'t>, T) {
    let plain = plain(text, body);
    let marks = if plain.is_too_dense { Vec::new() } else { find_marks(plain.text.as_bytes(), body) };
    if marks.is_empty() {
        let done = read(&plain, &mut Layout::default());
        return (plain, done);
    }
    let plain = plain.text;
    let mut stretches = stretches_in(plain.as_bytes(), &marks, &Layout::rough(plain.as_bytes(), body));
    let mut round = 1;
    loop {
        let unclosed_comment = stretches.iter().find(|stretch| stretch.is_unclosed).map(|stretch| stretch.range.start);
        let hidden: Vec<Range<usize>> = stretches.iter().map(|stretch| stretch.range.clone()).collect();
        let text = if hidden.is_empty() { plain.clone() } else { Cow::Owned(blank_out(&plain, body, &stretches)) };
        let masked = Masked { text, hidden, unclosed_comment, is_too_dense: false };
        let mut layout = Layout::wanted();
        let done = read(&masked, &mut layout);
        layout.finish();
        let found = stretches_in(plain.as_bytes(), &marks, &layout);
        if found == stretches || round == MAX_ROUNDS {
            return (masked, done);
        }
        stretches = found;
        round += 1;
    }
}

/// Blanks out what is known to be hidden.
pub(crate) fn mask<'t>(text: &'t str, body: usize, hidden: &[Range<usize>]) -> Cow<'t, str> {
    let plain = plain(text, body).text;
    if hidden.is_empty() {
        return plain;
    }
    let bytes = plain.as_bytes();
    let mut before = 0;
    let stretches: Vec<Stretch> = hidden
        .iter()
        .map(|range| {
            let lead = lead(bytes, before, range.start);
            before = range.end;
            Stretch { range: range.clone(), is_block: is_block(bytes, lead, range.end), is_unclosed: false }
        })
        .collect();
    Cow::Owned(blank_out(&plain, body, &stretches))
}

/// Whether a heading that the parser reports is none of the text, but the trace of a hidden block.
///
/// A blank would leave the lists above such a block open, so that what follows became part of an item. An
/// empty heading ends them as the block does, and unlike a paragraph it never goes on below.
pub(crate) fn is_trace(masked: &str, hidden: &[Range<usize>], heading: &Range<usize>) -> bool {
    let mark = masked[heading.clone()].find('#').map(|n| heading.start + n);
    mark.is_some_and(|mark| holds(hidden, mark).is_some_and(|hidden| hidden.start == mark))
}

/// The text with line endings as the parser knows them, nothing hidden yet.
fn plain(text: &str, body: usize) -> Masked<'_> {
    let tail = &text.as_bytes()[body..];
    let has_lone_cr = memchr::memchr_iter(b'\r', tail).any(|at| tail.get(at + 1) != Some(&b'\n'));
    let is_too_dense = tail.len() > MAX_MARKS && tail.iter().filter(|&&byte| is_mark(byte)).count() > MAX_MARKS;
    let text = if has_lone_cr || is_too_dense {
        let mut bytes = text.as_bytes().to_vec();
        normalize(&mut bytes, body);
        if is_too_dense {
            for byte in &mut bytes[body..] {
                if is_mark(*byte) {
                    *byte = if byte.is_ascii_punctuation() { b'x' } else { b' ' };
                }
            }
        }
        Cow::Owned(into_text(bytes))
    } else {
        Cow::Borrowed(text)
    };
    Masked { text, hidden: Vec::new(), unclosed_comment: None, is_too_dense }
}

/// Whether the Markdown parser remembers every such byte.
fn is_mark(byte: u8) -> bool {
    byte.is_ascii_punctuation() || matches!(byte, b'\n' | b'\r')
}

#[derive(PartialEq)]
struct Stretch {
    range: Range<usize>,
    /// Nothing else stands on its first and last line.
    is_block: bool,
    is_unclosed: bool,
}

/// Code and leaf blocks of a text.
#[derive(Default)]
pub(crate) struct Layout {
    code: Vec<Range<usize>>,
    leaves: Vec<Range<usize>>,
    leaf: Option<Range<usize>>,
    in_block: bool,
    /// Whether anybody will look at it.
    pub is_wanted: bool,
}

impl Layout {
    /// One that is filled in with [`Layout::see`].
    fn wanted() -> Layout {
        Layout { is_wanted: true, ..Layout::default() }
    }

    /// A first guess without a parser: fences, code spans of one line, lines up to a blank one.
    fn rough(bytes: &[u8], body: usize) -> Layout {
        let mut layout = Layout::default();
        let mut fence: Option<(u8, usize)> = None;
        // Where lines begin that may be HTML. Were they none, the next round would say so; were they taken for
        // none, a comment in them would become a blank line, and end them.
        let mut html = None;
        let mut start = body;
        while start < bytes.len() {
            let end = memchr::memchr(b'\n', &bytes[start..]).map_or(bytes.len(), |n| start + n + 1);
            let line = &bytes[start..end];
            let lead = line.iter().take_while(|b| matches!(b, b' ' | b'\t' | b'>' | b'\r' | b'\n')).count();
            let first = line.get(lead).copied().unwrap_or(b'\n');
            let n_fence = line[lead..].iter().take_while(|&&b| b == first).count();
            match fence {
                Some((mark, from)) => {
                    if first == mark && n_fence >= 3 {
                        layout.code.push(from..end);
                        fence = None;
                    }
                }
                None if matches!(first, b'`' | b'~') && n_fence >= 3 => {
                    layout.end_rough_leaf(&mut html);
                    fence = Some((first, start));
                }
                None if lead == line.len() => layout.end_rough_leaf(&mut html),
                None => {
                    let behind_marks =
                        line[lead..].iter().find(|b| !matches!(b, b' ' | b'\t' | b'>' | b'-' | b'*' | b'+'));
                    if layout.leaf.is_none() && behind_marks == Some(&b'<') {
                        html = Some(start);
                    }
                    layout.leaf = Some(layout.leaf.map_or(start, |leaf| leaf.start)..end);
                    if html.is_none() {
                        layout.rough_code(line, start);
                    }
                }
            }
            start = end;
        }
        layout.code.extend(fence.map(|(_, from)| from..bytes.len()));
        layout.end_rough_leaf(&mut html);
        layout
    }

    fn end_rough_leaf(&mut self, html: &mut Option<usize>) {
        if let Some(leaf) = self.leaf.take() {
            self.code.extend(html.take().map(|html| html..leaf.end));
            self.leaves.push(leaf);
        }
    }

    fn rough_code(&mut self, line: &[u8], start: usize) {
        let mut ticks = memchr::memchr_iter(b'`', line);
        while let (Some(open), Some(close)) = (ticks.next(), ticks.next()) {
            self.code.push(start + open..start + close + 1);
        }
    }

    /// Takes an event of the Markdown parser in.
    pub fn see(&mut self, event: &Event<'_>, range: &Range<usize>) {
        match event {
            Event::Start(Tag::CodeBlock(_) | Tag::HtmlBlock) => {
                self.code.push(range.clone());
                self.leaves.extend(self.leaf.take());
                self.in_block = true;
            }
            Event::End(TagEnd::CodeBlock | TagEnd::HtmlBlock) => self.in_block = false,
            _ if self.in_block => {}
            _ if is_inline(event) => {
                if matches!(event, Event::Code(_) | Event::InlineHtml(_)) {
                    self.code.push(range.clone());
                }
                self.leaf = Some(match self.leaf.take() {
                    Some(leaf) => leaf.start.min(range.start)..leaf.end.max(range.end),
                    None => range.clone(),
                });
            }
            _ => self.leaves.extend(self.leaf.take()),
        }
    }

    fn finish(&mut self) {
        self.leaves.extend(self.leaf.take());
    }
}

/// Whether an event is part of a leaf block's text.
#[inline]
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
    while let Some(found) = memchr::memchr2(b'%', b'$', &bytes[at..]) {
        at += found;
        let byte = bytes[at];
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
        let lead = lead(bytes, before, mark.at);
        before = mark.at + 2;
        if mark.at < from || holds(&layout.code, mark.at).is_some() {
            continue;
        }
        // Inside a line a comment ends within its paragraph; `$$` there is the parser's business.
        let in_leaf =
            |next: &usize| mark.byte == b'%' && holds(&layout.leaves, mark.at).is_some_and(|leaf| *next < leaf.end);
        // What begins in a quote or a list item ends there.
        let until = mark.next.unwrap_or(bytes.len());
        let held_to = lead.and_then(|lead| end_of_container(bytes, lead, mark.at, until));
        let (end, is_unclosed) = match mark.next {
            Some(next) if lead.is_some() && held_to.is_none() => (next + 2, false),
            Some(next) if in_leaf(&next) => (next + 2, false),
            _ if lead.is_some() && mark.byte == b'%' => (held_to.unwrap_or(bytes.len()), true),
            _ => continue,
        };
        // A paragraph that goes on without the marks of its quote is none any more if it is blank.
        let is_lazy = held_to.is_some() && !is_unclosed;
        found.push(Stretch { range: mark.at..end, is_block: !is_lazy && is_block(bytes, lead, end), is_unclosed });
        from = end;
    }
    found
}

/// Whether nothing else stands on the first and last line of a stretch. An item of a list is none without
/// something in it, and only letters, not blanks, show the parser what is indented code.
fn is_block(bytes: &[u8], lead: Option<Lead>, end: usize) -> bool {
    lead.is_some_and(|lead| lead.n_indent == 0 && !lead.is_deep) && blank_until_eol(bytes, end)
}

/// Covers what is hidden; what keeps its lines in a quote or a list item stays.
fn blank_out(plain: &str, body: usize, stretches: &[Stretch]) -> String {
    let mut bytes = plain.as_bytes().to_vec();
    // A line may hold thousands of stretches: each is looked at from the one before it on.
    let (mut before, mut n_quotes) = (0, 0);
    for stretch in stretches {
        let filler = if stretch.is_block { b' ' } else { b'x' };
        let between = &bytes[before..stretch.range.start];
        let in_line = between.iter().rposition(|&b| is_eol(b)).map(|eol| &between[eol + 1..]);
        n_quotes = in_line.map_or(n_quotes, |_| 0);
        n_quotes += in_line.unwrap_or(between).iter().filter(|&&b| b == b'>').count();
        before = stretch.range.start;
        // How many quote marks may follow at the start of a line.
        let mut in_lead = None;
        for byte in &mut bytes[stretch.range.clone()] {
            match (*byte, in_lead) {
                (b'\n' | b'\r', _) => in_lead = Some(n_quotes),
                (b' ' | b'\t', Some(_)) => {}
                (b'>', Some(1..)) => in_lead = in_lead.map(|n| n - 1),
                _ => {
                    *byte = filler;
                    in_lead = None;
                }
            }
        }
        if stretch.is_block && stands_apart(plain.as_bytes(), body, stretch.range.start) {
            bytes[stretch.range.start] = b'#';
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

#[cfg(test)]
mod tests;
