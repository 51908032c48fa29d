//! The edits of `edit_note`, held against the text as it is shown: what is hidden is not found, and not cut.

use super::writing::Target;
use note::{FindReplace, FindReplaceError};
use std::ops::Range;

/// Makes the engine's edits of those that were sent. The engine looks for text in the note as it is; where that would
/// find another number of places, the edits are made anew, each with as much of its surroundings as makes it unique.
/// `restored` are the edits as they were sent, with the secrets in the place of their placeholders.
pub(crate) fn find_shown(
    target: &Target,
    sent: &[FindReplace],
    restored: Vec<FindReplace>,
) -> Result<Vec<FindReplace>, FindReplaceError> {
    let seen = Seen::new(target);
    if seen.hidden.is_empty() || sent.iter().any(|edit| edit.find.is_empty()) {
        return Ok(restored);
    }
    let found: Vec<Vec<Range<usize>>> = sent.iter().map(|edit| seen.find(&lf(&edit.find))).collect();
    let is_plain = |(edit, places): (&FindReplace, &Vec<Range<usize>>)| {
        let find = lf(&edit.find);
        seen.raw.match_indices(&find).map(|(at, _)| at..at + find.len()).eq(places.iter().cloned())
    };
    if restored.iter().zip(&found).all(is_plain) {
        return Ok(restored);
    }
    let mut places: Vec<Place> = Vec::new();
    for (index, (edit, ranges)) in sent.iter().zip(&found).enumerate() {
        if ranges.len() != edit.expected_count as usize {
            return Err(FindReplaceError::Count {
                nth: index + 1,
                find: String::new(),
                expected: edit.expected_count,
                found: u32::try_from(ranges.len()).unwrap_or(u32::MAX),
                lines: ranges.iter().take(10).map(|range| seen.line(range.start)).collect(),
            });
        }
        places.extend(ranges.iter().map(|range| (range.clone(), index)));
    }
    places.sort_by_key(|(range, index)| (range.start, range.end, *index));
    if let Some(pair) = places.windows(2).find(|pair| pair[1].0.start < pair[0].0.end) {
        let line = seen.line(pair[1].0.start);
        return Err(FindReplaceError::Overlap { first: pair[0].1 + 1, second: pair[1].1 + 1, line });
    }
    Ok(seen.widened(&places, &restored))
}

/// A stretch of the text to replace, and which edit replaces it.
type Place = (Range<usize>, usize);

/// A text (line feeds only), and what is shown of it.
struct Seen {
    raw: String,
    shown: String,
    /// Where what is hidden lies in the text, and where its placeholder lies in what is shown.
    hidden: Vec<(Range<usize>, Range<usize>)>,
}

impl Seen {
    fn new(target: &Target) -> Seen {
        let text = &target.note.text.as_str()[target.note.text.content_start()..];
        let (mut out, mut at, mut at_shown) = (Seen { raw: String::new(), shown: String::new(), hidden: vec![] }, 0, 0);
        let hiding = target.secrets.hide(text);
        for (range, n) in hiding.hidden() {
            let visible = lf(&text[at..range.start]);
            at_shown += range.start - at;
            out.raw.push_str(&visible);
            out.shown.push_str(&visible);
            let start = (out.raw.len(), out.shown.len());
            out.raw.push_str(&lf(&text[range.clone()]));
            out.shown.push_str(&hiding.text[at_shown..at_shown + n]);
            out.hidden.push((start.0..out.raw.len(), start.1..out.shown.len()));
            (at, at_shown) = (range.end, at_shown + n);
        }
        let rest = lf(&text[at..]);
        out.raw.push_str(&rest);
        out.shown.push_str(&rest);
        out
    }

    /// Finds a text in what is shown, and returns where it lies in the text itself. What takes a part of a placeholder
    /// is not found.
    fn find(&self, wanted: &str) -> Vec<Range<usize>> {
        let (mut found, mut at) = (Vec::new(), 0);
        while let Some(start) = self.shown.get(at..).and_then(|rest| rest.find(wanted)).map(|n| at + n) {
            let end = start + wanted.len();
            let cut = |(_, place): &&(Range<usize>, Range<usize>)| {
                place.start < end && start < place.end && !(start <= place.start && place.end <= end)
            };
            at = match self.hidden.iter().find(cut) {
                Some((_, place)) if place.start < start => place.end,
                Some(_) => start + self.shown[start..].chars().next().map_or(1, char::len_utf8),
                None => {
                    found.push(self.raw_place(start)..self.raw_place(end));
                    end
                }
            };
        }
        found
    }

    /// Returns where a place of what is shown, outside of placeholders, lies in the text.
    fn raw_place(&self, shown: usize) -> usize {
        let before = self.hidden.partition_point(|(_, place)| place.end <= shown);
        before.checked_sub(1).map_or(shown, |last| {
            let (raw, place) = &self.hidden[last];
            raw.end + (shown - place.end)
        })
    }

    fn line(&self, at: usize) -> u32 {
        let n = self.raw[..at].bytes().filter(|byte| *byte == b'\n').count();
        u32::try_from(n + 1).unwrap_or(u32::MAX)
    }

    /// Widens each place until its text is unique, and makes one edit of those that meet.
    fn widened(&self, places: &[Place], edits: &[FindReplace]) -> Vec<FindReplace> {
        let mut wide: Vec<(Range<usize>, Vec<&Place>)> = Vec::new();
        for place in places {
            let range = self.unique(&place.0);
            match wide.last_mut().filter(|(last, _)| range.start < last.end) {
                Some((last, within)) => {
                    *last = last.start.min(range.start)..last.end.max(range.end);
                    within.push(place);
                }
                None => wide.push((range, vec![place])),
            }
            // What starts further left than the edit before it takes that one in, too.
            while let [.., (before, _), (last, _)] = wide.as_slice()
                && last.start < before.end
            {
                let Some((last, within)) = wide.pop() else { break };
                if let Some((before, all)) = wide.last_mut() {
                    *before = before.start.min(last.start)..before.end.max(last.end);
                    all.extend(within);
                }
            }
        }
        let one = |(range, within): (Range<usize>, Vec<&Place>)| {
            let (mut replace, mut at) = (String::new(), range.start);
            for (place, index) in within {
                replace.push_str(&self.raw[at..place.start]);
                replace.push_str(&lf(&edits[*index].replace));
                at = place.end;
            }
            replace.push_str(&self.raw[at..range.end]);
            FindReplace { find: self.raw[range].to_owned(), replace, expected_count: 1 }
        };
        wide.into_iter().map(one).collect()
    }

    fn unique(&self, place: &Range<usize>) -> Range<usize> {
        let mut n = 0;
        loop {
            let range = self.floor(place.start.saturating_sub(n))..self.ceil(place.end.saturating_add(n));
            let text = &self.raw[range.clone()];
            let is_first = self.raw.find(text) == Some(range.start);
            if is_first && self.raw.rfind(text) == Some(range.start) || text.len() == self.raw.len() {
                return range;
            }
            n = (n * 2).max(8);
        }
    }

    fn floor(&self, at: usize) -> usize {
        (0..=at).rev().find(|at| self.raw.is_char_boundary(*at)).unwrap_or(0)
    }

    fn ceil(&self, at: usize) -> usize {
        (at..self.raw.len()).find(|at| self.raw.is_char_boundary(*at)).unwrap_or(self.raw.len())
    }
}

/// Writes every line ending as a line feed.
fn lf(text: &str) -> String {
    text.replace("\r\n", "\n").replace('\r', "\n")
}
