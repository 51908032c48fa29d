//! What a heading reads as when it is shown.

use std::borrow::Cow;
use std::ops::Range;

use pulldown_cmark::{CowStr, Event};

use crate::heading::Shape;
use crate::text::lines;

/// A heading that is being read.
pub(super) struct Title {
    pub level: u8,
    pub shape: Shape,
    pub text: String,
}

/// Adds what an event shows to a title. Comments and block ids show nothing, math shows its source.
pub(super) fn push_title_text(
    title: &mut Title,
    event: &Event<'_>,
    range: Range<usize>,
    source: &str,
    hidden: &[Range<usize>],
) {
    if range.start >= title.shape.title.end {
        return;
    }
    match event {
        Event::Text(CowStr::Borrowed(shown)) if shown.len() == range.len() => {
            let range = range.start..range.end.min(title.shape.title.end);
            let mut at = range.start;
            let first = hidden.partition_point(|hidden| hidden.end <= range.start);
            for hidden in hidden[first..].iter().take_while(|hidden| hidden.start < range.end) {
                let is_math = source[hidden.clone()].starts_with('$');
                if !is_math {
                    title.text.push_str(source.get(at..hidden.start.max(at)).unwrap_or(""));
                    at = hidden.end;
                }
            }
            title.text.push_str(source.get(at..range.end).unwrap_or(""));
        }
        Event::Text(shown) => title.text.push_str(shown),
        Event::Code(shown) => title.text.push_str(&one_line(&source[range], shown)),
        Event::InlineMath(_) | Event::DisplayMath(_) | Event::FootnoteReference(_) => {
            let written = &source[range];
            title.text.push_str(&one_line(written, written));
        }
        Event::SoftBreak | Event::HardBreak => title.text.push(' '),
        _ => {}
    }
}

/// What is shown of a stretch of a title that may go over several lines, on one line.
fn one_line<'s>(written: &str, shown: &'s str) -> Cow<'s, str> {
    if !written.contains(['\n', '\r']) {
        return Cow::Borrowed(shown);
    }
    let ticks = written.len() - written.trim_start_matches('`').len();
    let inner = &written[ticks..written.len() - ticks];
    let lines: Vec<&str> = lines(inner, 0).map(|line| inner[line.content].trim_matches([' ', '\t'])).collect();
    Cow::Owned(lines.join(" ").trim().to_owned())
}
