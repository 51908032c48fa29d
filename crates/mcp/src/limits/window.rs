//! Windows over text, counted in Unicode scalar values and never cutting what a reader sees as one character.

use std::ops::Range;
use unicode_segmentation::GraphemeCursor;

/// What is longer, in scalar values, is no character that anybody sees, and is cut so that a page keeps its limit.
const LONGEST_CHARACTER: usize = 1024;

/// A stretch of a text and where it lies.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Window<'t> {
    pub text: &'t str,
    /// Where it begins; at most the offset asked for, because a window begins between two visible characters.
    pub offset: usize,
    pub n_chars: usize,
    pub total_chars: usize,
    /// Where the next window begins; `None` at the end.
    pub next_offset: Option<usize>,
}

/// Takes at most `limit` characters from `offset` on, and no more than cost `budget` characters once written as JSON.
/// A window that is not at the end holds at least one visible character, so paging always ends.
pub(crate) fn window(text: &str, offset: usize, limit: usize, budget: usize) -> Window<'_> {
    let total_chars = text.chars().count();
    let asked = byte_of(text, offset);
    let whole = floor(text, asked);
    let start = if text[whole..asked].chars().count() < LONGEST_CHARACTER { whole } else { asked };
    let offset = offset.min(total_chars) - text[start..asked].chars().count();

    let (mut end, mut n_chars, mut cost) = (start, 0, 0);
    for (_, cluster) in clusters(&text[start..]) {
        let cluster_chars = cluster.chars().count();
        let cluster_cost: usize = cluster.chars().map(json_cost).sum();
        let fits = n_chars + cluster_chars <= limit && cost + cluster_cost <= budget;
        if !fits && n_chars > 0 {
            break;
        }
        if !fits && cluster_chars > LONGEST_CHARACTER {
            let mut spent = 0;
            let taken = cluster.chars().enumerate().take_while(|(nth, c)| {
                spent += json_cost(*c);
                *nth < LONGEST_CHARACTER || (*nth < limit && spent <= budget)
            });
            (n_chars, end) = taken.fold((0, start), |(n, end), (_, c)| (n + 1, end + c.len_utf8()));
            break;
        }
        (end, n_chars, cost) = (end + cluster.len(), n_chars + cluster_chars, cost + cluster_cost);
        if !fits {
            break;
        }
    }
    let next_offset = (end < text.len()).then_some(offset + n_chars);
    Window { text: &text[start..end], offset, n_chars, total_chars, next_offset }
}

/// Cuts a text to at most `limit` characters without splitting a visible one.
pub(crate) fn cut(text: &str, limit: usize) -> &str {
    let end = byte_of(text, limit);
    &text[..floor(text, end)]
}

/// Cuts a text to what costs at most `budget` characters once written as JSON, without splitting a visible one.
pub(crate) fn cut_to_cost(text: &str, budget: usize) -> &str {
    let mut spent = 0;
    let over = text.char_indices().find(|(_, c)| {
        spent += json_cost(*c);
        spent > budget
    });
    &text[..over.map_or(text.len(), |(at, _)| floor(text, at))]
}

/// A page of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Page {
    pub range: Range<usize>,
    pub next_offset: Option<usize>,
}

/// Takes at most `limit` items from `offset` on.
pub(crate) fn page(total: usize, offset: usize, limit: usize) -> Page {
    let start = offset.min(total);
    let end = start.saturating_add(limit).min(total);
    Page { range: start..end, next_offset: (end < total).then_some(end) }
}

/// Takes items from the front as long as together they fit `budget` characters of JSON, and says whether some are left.
pub(crate) fn fitting<T: serde::Serialize>(items: impl IntoIterator<Item = T>, budget: usize) -> (Vec<T>, bool) {
    let (mut out, mut spent) = (Vec::new(), 0);
    for item in items {
        spent += json_chars(&item) + 1;
        if spent > budget {
            return (out, true);
        }
        out.push(item);
    }
    (out, false)
}

/// Estimates what a text costs a model, the way the published tools count it.
pub(crate) fn estimated_tokens(n_chars: usize) -> usize {
    n_chars / 4
}

/// Counts the characters of a value once it is written as JSON.
pub(crate) fn json_chars(value: &impl serde::Serialize) -> usize {
    serde_json::to_string(value).map_or(0, |text| text.chars().count())
}

fn json_cost(c: char) -> usize {
    match c {
        '"' | '\\' | '\n' | '\r' | '\t' | '\u{8}' | '\u{c}' => 2,
        c if (c as u32) < 0x20 => 6,
        _ => 1,
    }
}

fn byte_of(text: &str, offset: usize) -> usize {
    text.char_indices().nth(offset).map_or(text.len(), |(at, _)| at)
}

/// Returns the start of the visible character that `at` lies in.
fn floor(text: &str, at: usize) -> usize {
    let mut cursor = GraphemeCursor::new(at, text.len(), true);
    match cursor.is_boundary(text, 0) {
        Ok(false) => cursor.prev_boundary(text, 0).ok().flatten().unwrap_or(0),
        _ => at,
    }
}

fn clusters(text: &str) -> impl Iterator<Item = (usize, &str)> {
    use unicode_segmentation::UnicodeSegmentation;
    text.grapheme_indices(true)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use unicode_segmentation::UnicodeSegmentation;

    #[test]
    fn a_window_says_where_it_lies() {
        let all = usize::MAX;
        for (text, offset, limit, budget, expected) in [
            ("hello", 0, 2, all, ("he", 0, Some(2))),
            ("hello", 3, 2, all, ("lo", 3, None)),
            ("hello", 3, 99, all, ("lo", 3, None)),
            ("hello", 9, 2, all, ("", 5, None)),
            ("", 0, 5, all, ("", 0, None)),
            // The family is five characters and one cluster; an offset inside it moves back, a limit inside it takes it whole.
            ("a👨\u{200d}👩\u{200d}👧b", 3, 9, all, ("👨\u{200d}👩\u{200d}👧b", 1, None)),
            ("a👨\u{200d}👩\u{200d}👧b", 0, 3, all, ("a", 0, Some(1))),
            ("a👨\u{200d}👩\u{200d}👧b", 1, 1, all, ("👨\u{200d}👩\u{200d}👧", 1, Some(6))),
            ("x\r\ny", 2, 9, all, ("\r\ny", 1, None)),
            ("x\r\ny", 0, 2, all, ("x", 0, Some(1))),
            ("a\nb\nc", 0, 99, 4, ("a\nb", 0, Some(3))),
            ("\u{1}\u{1}", 0, 99, 6, ("\u{1}", 0, Some(1))),
        ] {
            let w = window(text, offset, limit, budget);
            assert_eq!((w.text, w.offset, w.next_offset), expected, "{text:?} {offset} {limit} {budget}");
        }
    }

    #[test]
    fn a_character_without_end_does_not_outgrow_a_page() {
        let text = format!("a{}b", "\u{301}".repeat(5000));
        let (mut at, mut whole, mut pages) = (Some(0), String::new(), 0);
        while let Some(offset) = at {
            let w = window(&text, offset, 1500, usize::MAX);
            assert_eq!(w.offset, offset);
            assert!(w.n_chars <= 1500, "{} characters", w.n_chars);
            whole.push_str(w.text);
            (at, pages) = (w.next_offset, pages + 1);
        }
        assert_eq!((whole == text, pages), (true, 4));
    }

    proptest! {
        #[test]
        fn windows_follow_each_other_and_make_the_whole(
            parts in prop::collection::vec(
                prop::sample::select(vec!["a", "é", "e\u{301}", "🇩🇪", "👩🏽\u{200d}💻", "\r\n", "\n", "漢", "\u{200d}", "\"", "\u{1}"]), 0..40),
            limit in 1usize..9, budget in 1usize..30,
        ) {
            let text: String = parts.concat();
            let bounds: Vec<usize> = text.grapheme_indices(true).map(|(at, _)| at).chain([text.len()]).collect();
            let (mut offset, mut whole) = (0, String::new());
            loop {
                let w = window(&text, offset, limit, budget);
                prop_assert_eq!(w.offset, offset);
                prop_assert_eq!(w.n_chars, w.text.chars().count());
                prop_assert_eq!(w.total_chars, text.chars().count());
                whole.push_str(w.text);
                prop_assert!(bounds.contains(&whole.len()));
                let one = w.text.graphemes(true).count() == 1;
                prop_assert!(w.n_chars <= limit || one);
                prop_assert!(json_chars(&w.text) - 2 <= budget || one);
                match w.next_offset {
                    Some(next) => { prop_assert!(next > offset); offset = next; }
                    None => break,
                }
            }
            prop_assert_eq!(whole, text);
        }

        #[test]
        fn any_offset_gives_a_window_between_visible_characters(text in any::<String>(), offset in 0usize..60, limit in 1usize..20) {
            let w = window(&text, offset, limit, usize::MAX);
            let before: String = text.chars().take(w.offset).collect();
            prop_assert!(w.offset <= offset);
            prop_assert!(text[before.len()..].starts_with(w.text));
            prop_assert!(text.grapheme_indices(true).any(|(at, _)| at == before.len()) || before.len() == text.len());
        }
    }
}
