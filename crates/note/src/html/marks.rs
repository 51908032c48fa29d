//! Pairs what Markdown itself does not pair: `==highlights==`, `^[footnotes]` and tags of inline HTML.

use std::collections::HashMap;
use std::ops::Range;

use pulldown_cmark::Event;

use super::raw;
use super::source::{Cut, CutKind};
use super::tokens;

/// What is known of the events once all of them were seen.
#[derive(Default)]
pub(super) struct Pairs {
    /// For each start event the index of its end; for a text that others continue the last of
    /// them; its own index for all others.
    pub ends: Vec<usize>,
    /// Whether a text, with those that continue it, stands in the source as it reads.
    pub is_verbatim: Vec<bool>,
    /// Highlights and inline footnotes.
    pub cuts: Vec<Cut>,
    /// Start tags of inline HTML with the event of their end tag.
    pub html: HashMap<usize, usize>,
}

/// One element that is open while the events are read.
#[derive(Default)]
struct Frame {
    start: usize,
    highlight: Option<usize>,
    /// Brackets that are open: where, and whether a footnote begins there.
    brackets: Vec<(usize, bool)>,
    html: HashMap<String, Vec<usize>>,
}

/// Reads all events once.
pub(super) fn pair(covered: &str, events: &[(Event<'_>, Range<usize>)]) -> Pairs {
    let mut pairs =
        Pairs { ends: (0..events.len()).collect(), is_verbatim: vec![false; events.len()], ..Pairs::default() };
    let mut frames = vec![Frame::default()];
    let mut at = 0;
    while at < events.len() {
        let (event, _) = &events[at];
        match event {
            Event::Start(_) => frames.push(Frame { start: at, ..Frame::default() }),
            Event::End(_) => {
                if let Some(frame) = frames.pop() {
                    pairs.ends[frame.start] = at;
                }
            }
            Event::Text(_) => {
                let (range, last) = text_run(covered, events, at);
                pairs.ends[at] = last;
                pairs.is_verbatim[at] = range.is_some();
                if let (Some(range), Some(frame)) = (range, frames.last_mut()) {
                    read_text(covered, range, frame, &mut pairs.cuts);
                }
                at = last;
            }
            Event::InlineHtml(html) => {
                if let Some(frame) = frames.last_mut() {
                    let name = tokens::tag_name(html).to_ascii_lowercase();
                    if html.starts_with("</") {
                        if let Some(start) = frame.html.get_mut(&name).and_then(Vec::pop) {
                            pairs.html.insert(start, at);
                        }
                    } else if !name.is_empty() && !html.ends_with("/>") && !raw::is_void(&name) {
                        frame.html.entry(name).or_default().push(at);
                    }
                }
            }
            _ => {}
        }
        at += 1;
    }
    pairs.cuts.sort_by_key(|cut| cut.range.start);
    pairs
}

/// Joins text events that follow each other without a gap, from `at` on. Returns where their text
/// stands, if it stands there as it reads, and the last of them.
fn text_run(covered: &str, events: &[(Event<'_>, Range<usize>)], at: usize) -> (Option<Range<usize>>, usize) {
    let verbatim = |at: usize| match events.get(at) {
        Some((Event::Text(text), range)) if covered.get(range.clone()) == Some(text) => Some(range.clone()),
        _ => None,
    };
    let Some(mut range) = verbatim(at) else { return (None, at) };
    let mut last = at;
    while let Some(more) = verbatim(last + 1).filter(|more| more.start == range.end) {
        range.end = more.end;
        last += 1;
    }
    (Some(range), last)
}

fn read_text(covered: &str, range: Range<usize>, frame: &mut Frame, cuts: &mut Vec<Cut>) {
    let bytes = covered.as_bytes();
    // The first character may be escaped; then a backslash stands before it that is not text.
    let mut at = range.start;
    if at > 0 && bytes[at - 1] == b'\\' {
        at += 1;
    }
    while at < range.end {
        match bytes[at] {
            b'=' => {
                let n = bytes[at..range.end].iter().take_while(|&&b| b == b'=').count();
                if n == 2 {
                    read_highlight(covered, at, range.end, frame, cuts);
                }
                at += n;
            }
            b'^' if bytes.get(at + 1) == Some(&b'[') && at + 1 < range.end => {
                frame.brackets.push((at, true));
                at += 2;
            }
            b'[' => {
                frame.brackets.push((at, false));
                at += 1;
            }
            b']' => {
                if let Some((start, true)) = frame.brackets.pop()
                    && !covered[start + 2..at].trim().is_empty()
                {
                    cuts.push(Cut { range: start..start + 2, kind: CutKind::Footnote { end: at } });
                }
                at += 1;
            }
            _ => at += 1,
        }
    }
}

fn read_highlight(covered: &str, at: usize, end: usize, frame: &mut Frame, cuts: &mut Vec<Cut>) {
    let before = covered[..at].chars().next_back();
    let after = covered[at + 2..].chars().next();
    if let Some(start) = frame.highlight
        && before.is_some_and(|c| !c.is_whitespace())
    {
        cuts.push(Cut { range: start..start + 2, kind: CutKind::MarkStart });
        cuts.push(Cut { range: at..at + 2, kind: CutKind::MarkEnd });
        frame.highlight = None;
    } else if after.is_some_and(|c| !c.is_whitespace()) && at + 2 <= end {
        frame.highlight = Some(at);
    }
}
