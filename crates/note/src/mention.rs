//! Mentions: names that stand in a note's prose without being a link.

use std::ops::Range;

use pulldown_cmark::{Event, Parser, Tag, TagEnd};
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

use crate::opaque;
use crate::parse::{Note, parse};
use crate::text::NoteText;

/// A name in the prose of a note.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mention {
    /// Its bytes.
    pub span: Range<usize>,
    /// The 1-based line.
    pub line: u32,
    /// Whether it stands in a table, where a link's `|` needs a backslash.
    pub in_table: bool,
}

/// Finds names as whole words, in any case, where a link could be written instead: not in links, code, comments, math,
/// HTML, tags or properties. Headings are left out too: a link in one would change how others link to it.
pub fn mentions(text: &NoteText, note: &Note, names: &[&str]) -> Vec<Mention> {
    let mut needles: Vec<Vec<char>> = names.iter().flat_map(|name| spellings(name.trim())).collect();
    needles.retain(|needle| needle.iter().any(|c| c.is_alphanumeric()));
    // The longest name that fits is the one that is meant.
    needles.sort_by(|a, b| b.len().cmp(&a.len()).then_with(|| a.cmp(b)));
    needles.dedup();
    if needles.is_empty() || !text.is_exact() {
        return Vec::new();
    }
    let mut found = Vec::new();
    for (range, in_table) in prose(text, note) {
        let mut at = range.start;
        while at < range.end {
            match needles.iter().find_map(|needle| match_at(text.as_str(), at, range.end, needle)) {
                Some(end) if !in_address(text.as_str(), at) => {
                    found.push(Mention { span: at..end, line: text.line_of(at), in_table });
                    at = end;
                }
                _ => at += text.as_str()[at..].chars().next().map_or(1, char::len_utf8),
            }
        }
    }
    readable_as_links(text, note, found)
}

/// Those of the places where a link that is written there is read as one, and leaves every other link as it is. What
/// stands before a name can make it something else: a backslash, or the mark of an embed.
fn readable_as_links(text: &NoteText, note: &Note, mut found: Vec<Mention>) -> Vec<Mention> {
    let is_free = |mention: &Mention| !text.as_str()[..mention.span.start].ends_with(['!', '\\', '[']);
    found.retain(is_free);
    // One that is not read as a link may change how others are, so what is left is tried again.
    while !found.is_empty() {
        let mut tried = String::with_capacity(text.as_str().len() + found.len() * LINK.len());
        let (mut at, mut starts) = (0, Vec::with_capacity(found.len()));
        for mention in &found {
            tried.push_str(&text.as_str()[at..mention.span.start]);
            starts.push(tried.len());
            tried.push_str(LINK);
            at = mention.span.end;
        }
        tried.push_str(&text.as_str()[at..]);
        let after = parse(&NoteText::from_str(&tried));
        let is_made = |start: &usize| {
            let made = after.links.iter().find(|link| link.span.start == *start);
            made.is_some_and(|link| link.span.len() == LINK.len())
        };
        if starts.iter().all(is_made) {
            return if after.links.len() == note.links.len() + found.len() { found } else { Vec::new() };
        }
        let mut kept = starts.iter().map(is_made);
        found.retain(|_| kept.next().unwrap_or_default());
    }
    found
}

/// Stands for whatever link is written.
const LINK: &str = "[[x]]";

/// A name in lower case, composed and decomposed.
fn spellings(name: &str) -> Vec<Vec<char>> {
    let lower = |c: char| c.to_lowercase();
    vec![name.nfc().flat_map(lower).collect(), name.nfd().flat_map(lower).collect()]
}

/// Where a name that starts at a byte ends, if it stands there as a whole word.
fn match_at(text: &str, at: usize, limit: usize, needle: &[char]) -> Option<usize> {
    let mut wanted = needle.iter();
    let mut end = at;
    while wanted.len() > 0 {
        let c = text[end..limit].chars().next()?;
        for lower in c.to_lowercase() {
            if wanted.next() != Some(&lower) {
                return None;
            }
        }
        end += c.len_utf8();
    }
    let before = text[..at].chars().next_back();
    let after = text[end..].chars().next();
    let first = text[at..].chars().next();
    let last = text[..end].chars().next_back();
    (!joins(before, first) && !joins(last, after) && !after.is_some_and(is_combining_mark)).then_some(end)
}

/// Whether two characters belong to one word.
fn joins(a: Option<char>, b: Option<char>) -> bool {
    let is_of_word = |c: char| (c.is_alphanumeric() || c == '_') && !is_without_blanks(c);
    a.is_some_and(is_of_word) && b.is_some_and(is_of_word)
}

/// Whether a character is of a script that writes its words without blanks between them.
fn is_without_blanks(c: char) -> bool {
    matches!(c, '\u{e00}'..='\u{eff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}' | '\u{3040}'..='\u{30ff}'
        | '\u{31f0}'..='\u{31ff}' | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{f900}'..='\u{faff}'
        | '\u{20000}'..='\u{3ffff}')
}

/// Whether a byte is inside of a bare address.
fn in_address(text: &str, at: usize) -> bool {
    let start = text[..at].rfind(char::is_whitespace).map_or(0, |blank| blank + 1);
    let word = text[start..].split(char::is_whitespace).next().unwrap_or_default();
    word.contains("://") || word.starts_with("www.") || word.contains('@')
}

/// The stretches of a note that are plain words, and whether they stand in a table.
fn prose(text: &NoteText, note: &Note) -> Vec<(Range<usize>, bool)> {
    let masked = opaque::mask(text.as_str(), note.body, &note.hidden);
    let mut found: Vec<(Range<usize>, bool)> = Vec::new();
    // How many code blocks, headings and links are open.
    let mut n_open = 0usize;
    let mut in_table = false;
    for (event, range) in Parser::new_ext(&masked[note.body..], opaque::options()).into_offset_iter() {
        let range = range.start + note.body..range.end + note.body;
        match event {
            Event::Start(Tag::CodeBlock(_) | Tag::HtmlBlock | Tag::Heading { .. }) => n_open += 1,
            Event::Start(Tag::Link { .. } | Tag::Image { .. }) => n_open += 1,
            Event::End(TagEnd::CodeBlock | TagEnd::HtmlBlock | TagEnd::Heading(_)) => n_open -= 1,
            Event::End(TagEnd::Link | TagEnd::Image) => n_open -= 1,
            Event::Start(Tag::TableCell) => in_table = true,
            Event::End(TagEnd::TableCell) => in_table = false,
            Event::Text(_) if n_open == 0 => match found.last_mut() {
                Some((last, _)) if last.end == range.start => last.end = range.end,
                _ => found.push((range, in_table)),
            },
            _ => {}
        }
    }
    let links = note.links.iter().map(|link| &link.span);
    let tags = note.tags.iter().map(|tag| &tag.span);
    let blocks = note.blocks.iter().map(|block| &block.span);
    let mut opaque: Vec<Range<usize>> = links.chain(tags).chain(blocks).chain(&note.hidden).cloned().collect();
    opaque.sort_by_key(|range| range.start);
    opaque.dedup_by(|range, last| {
        let overlaps = range.start < last.end;
        if overlaps {
            last.end = last.end.max(range.end);
        }
        overlaps
    });
    found
        .into_iter()
        .flat_map(|(range, in_table)| without(range, &opaque).map(move |range| (range, in_table)))
        .collect()
}

/// A stretch without what lies in it; the holes are in order and disjoint.
fn without(range: Range<usize>, holes: &[Range<usize>]) -> std::vec::IntoIter<Range<usize>> {
    let mut rest = Vec::new();
    let mut at = range.start;
    let first = holes.partition_point(|hole| hole.end <= range.start);
    for hole in holes[first..].iter().take_while(|hole| hole.start < range.end) {
        if hole.start > at {
            rest.push(at..hole.start);
        }
        at = hole.end;
    }
    if at < range.end {
        rest.push(at..range.end);
    }
    rest.into_iter()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The mentions of names as `line:text`, those in a table with a bar behind them.
    fn found(text: &str, names: &[&str]) -> Vec<String> {
        let text = NoteText::from_str(text);
        let shown = |one: &Mention| {
            let bar = if one.in_table { "|" } else { "" };
            format!("{}:{}{bar}", one.line, &text.as_str()[one.span.clone()])
        };
        mentions(&text, &parse(&text), names).iter().map(shown).collect()
    }

    #[test]
    fn names_count_as_whole_words_in_any_case() {
        let text = "Ice and ice, not iced nor police.\n**ICE**-cold ice_age, icE’s\n";
        assert_eq!(found(text, &["Ice"]), ["1:Ice", "1:ice", "2:ICE", "2:icE"]);
        assert_eq!(found("An old ice field.\n", &["Ice", "ice field"]), ["1:ice field"]);
        assert_eq!(found("C++ and C.\n", &["C++"]), ["1:C++"]);
        assert_eq!(found("anything ... at all\n", &["...", " "]), Vec::<String>::new());
    }

    #[test]
    fn letters_may_be_composed_or_not() {
        assert_eq!(found("Ein SCHÖNER Tag, scho\u{308}ner\n", &["scho\u{308}ner"]).len(), 2);
        assert_eq!(found("schon\u{308}\n", &["schon"]), Vec::<String>::new());
        assert_eq!(found("我們看見冰川了。\n", &["冰川"]), ["1:冰川"]);
    }

    #[test]
    fn links_code_and_all_that_is_not_prose_hold_none() {
        let text = "---\nup: ice\n---\n# Ice\n\n[[Ice]] [[x|ice]] ![[ice]] [ice](a.md) [ice](https://e.org) [ice][r] `ice` $ice$\n\n\
            ```\nice\n```\n\n%% ice %% <b title=\"ice\"> #ice https://e.org/ice/x me@ice.org ^ice\n\n<div>\nice\n</div>\n\n[r]: ice.md\n\n\
            > ice\n\n- [ ] ice\n\n| a |\n| --- |\n| ice |\n";
        assert_eq!(found(text, &["ice"]), ["20:ice", "22:ice", "26:ice|"]);
    }

    /// Pieces of Markdown, with the name among what could hide it.
    fn pieces() -> impl Strategy<Value = String> {
        let piece = prop::sample::select(vec![
            "ice",
            "Ice",
            " ",
            " ",
            "\n",
            "\n\n",
            "a",
            "[",
            "]",
            "[[",
            "]]",
            "(",
            ")",
            "](x.md)",
            "[a](",
            "`",
            "``",
            "```\n",
            "$",
            "$$",
            "%%",
            "<b>",
            "<!--",
            "-->",
            "<div>\n",
            "|",
            "\n| a | b |\n| - | - |\n| ",
            "- ",
            "> ",
            "# ",
            "#",
            "^",
            "\\",
            "*",
            "_",
            "~~",
            "==",
            "!",
            "https://",
            "[^1]",
            "\n[^1]: ",
            "\n[r]: ",
            "---\n",
            "&amp;",
            "\t",
            "    ",
            "\r\n",
            "é",
            ".",
        ]);
        prop::collection::vec(piece, 0..30).prop_map(|pieces| pieces.concat())
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 2000, ..ProptestConfig::default() })]

        /// A mention is a place where a link can stand: written there, it is read as one, and every other link stays.
        #[test]
        fn a_mention_can_be_made_a_link(text in pieces()) {
            let text = NoteText::from_str(&text);
            let before = parse(&text);
            for mention in mentions(&text, &before, &["ice"]) {
                let mut after = text.as_str().to_owned();
                after.replace_range(mention.span.clone(), "[[ice]]");
                let after = parse(&NoteText::from_str(&after));
                let is_made = |link: &crate::Link| link.span == (mention.span.start..mention.span.start + 7);
                prop_assert!(after.links.iter().any(is_made), "{:?} at {:?}", text.as_str(), mention.span);
                prop_assert_eq!(after.links.len(), before.links.len() + 1, "{:?} at {:?}", text.as_str(), mention.span);
            }
        }
    }
}
