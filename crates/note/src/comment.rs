//! Links inside `%%` comments. Nothing follows them, but somebody may want to know of them.

use crate::link::Link;
use crate::parse::{Note, parse};
use crate::text::NoteText;

impl Note {
    /// The links inside the comments of the note, with their places in its text. They are not among
    /// [`Note::links`]: Obsidian does not count them, and a renaming leaves them alone.
    pub fn links_in_comments(&self, text: &NoteText) -> Vec<Link> {
        let source = text.as_str();
        let mut links = Vec::new();
        for hidden in &self.hidden {
            let Some(inner) = source.get(hidden.clone()).and_then(|comment| comment.strip_prefix("%%")) else {
                continue;
            };
            let inner = inner.strip_suffix("%%").unwrap_or(inner);
            if !inner.contains('[') {
                continue;
            }
            let start = hidden.start + "%%".len();
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
    }
}
