//! Links inside `%%` comments. Nothing follows them, but somebody may want to know of them.

use std::collections::BTreeSet;

use crate::link::Link;
use crate::parse::{Note, parse};
use crate::resolve::linked_name;
use crate::text::NoteText;

impl Note {
    /// The links inside the comments of the note, with their places in its text. They are not among
    /// [`Note::links`]: Obsidian does not count them, and a renaming leaves them alone.
    pub fn links_in_comments(&self, text: &NoteText) -> Vec<Link> {
        let mut links = Vec::new();
        for (start, inner) in self.comments(text.as_str()) {
            let shift = |span: std::ops::Range<usize>| span.start + start..span.end + start;
            links.extend(parse(&NoteText::from_str(inner)).links.into_iter().map(|link| Link {
                span: shift(link.span.clone()),
                target_span: shift(link.target_span),
                subpath_span: link.subpath_span.map(shift),
                line: text.line_of(link.span.start + start),
                ..link
            }));
        }
        links
    }

    /// The [names](linked_name) that links inside the comments ask for, those of links to the note
    /// itself left out.
    pub fn names_in_comments(&self, source: &str) -> BTreeSet<String> {
        let links = self.comments(source).flat_map(|(_, inner)| parse(&NoteText::from_str(inner)).links);
        links.map(|link| linked_name(&link.target)).filter(|name| !name.is_empty()).collect()
    }

    /// Where the inside of each comment that may hold a link starts, and that inside.
    fn comments<'s>(&self, source: &'s str) -> impl Iterator<Item = (usize, &'s str)> {
        self.hidden.iter().filter_map(|hidden| {
            let inner = source.get(hidden.clone())?.strip_prefix("%%")?;
            let inner = inner.strip_suffix("%%").unwrap_or(inner);
            inner.contains('[').then_some((hidden.start + "%%".len(), inner))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_in_comments_know_their_places() {
        let source =
            "# A\n\n%% [[#A]] %% [[#A]]\n\n%%\n- [t](b.md#C) `[[no]]`\n%%\n\n$$[[no]]$$\n\n%%\n![[open#X|x]]\n";
        let text = NoteText::from_str(source);
        let found: Vec<(u32, &str)> =
            parse(&text).links_in_comments(&text).iter().map(|link| (link.line, &source[link.span.clone()])).collect();
        assert_eq!(found, [(3, "[[#A]]"), (6, "[t](b.md#C)"), (12, "![[open#X|x]]")]);
        let names: Vec<String> = parse(&text).names_in_comments(source).into_iter().collect();
        assert_eq!(names, ["b.md", "open"]);
    }
}
