//! Text, with what stands in the place of its cuts, and HTML in it.

use std::ops::Range;

use pulldown_cmark::Event;

use super::super::external;
use super::super::raw;
use super::super::source::{Cut, CutKind};
use super::super::tokens;
use super::super::writer::Attributes;
use super::Page;
use super::footnotes::Footnote;

impl<'p> Page<'p> {
    /// Writes text of the source, with what stands in the place of its cuts.
    pub(super) fn text(&mut self, event: usize, range: Range<usize>) {
        let mut from = range.start.max(self.hidden_to);
        let first = self.cuts.partition_point(|cut| cut.range.start < from);
        for index in first..self.cuts.len() {
            let cut = self.cuts[index].clone();
            if cut.range.start >= range.end {
                break;
            }
            if cut.range.start < from {
                continue;
            }
            self.words(from..cut.range.start);
            let end = self.cut(&cut, event);
            self.hidden_to = self.hidden_to.max(end);
            from = end;
        }
        if from < range.end {
            self.words(from..range.end);
        }
    }

    /// Writes what stands in the place of a cut, and returns where the text goes on.
    fn cut(&mut self, cut: &Cut, event: usize) -> usize {
        match cut.kind {
            CutKind::Hidden => {}
            CutKind::Math => {
                let tex = self.tex(cut.range.clone());
                self.display_math(&tex, cut.range.start);
            }
            CutKind::Link(at) => self.wikilink(at),
            CutKind::Tag(at) => self.tag(at),
            CutKind::BlockId(at) => {
                let id = &self.place.note.blocks[at].id;
                let attributes = Attributes::class("block-anchor").with("data-block-id", id);
                let attributes = match self.place.outer {
                    Some(_) => attributes,
                    None => attributes.with("id", &format!("^{id}")),
                };
                self.writer.anchor(&attributes);
            }
            CutKind::MarkStart => self.writer.open("mark", &Attributes::new()),
            CutKind::MarkEnd => self.writer.close_if("mark"),
            CutKind::Footnote { end } => {
                self.footnotes.used.push(Footnote::Inline(event, cut.range.end..end));
                self.reference(self.footnotes.used.len());
                return end + 1;
            }
        }
        cut.range.end
    }

    /// Writes plain text, with web addresses as links.
    fn words(&mut self, range: Range<usize>) {
        let mut text = self.slice(range);
        if !self.in_link() {
            let mut searched = 0;
            while let Some(found) = text[searched..].find("://") {
                let colon = searched + found;
                let start = colon - text[..colon].bytes().rev().take_while(u8::is_ascii_alphabetic).count();
                let Some(len) = external::bare_url_len(&text[start..]) else {
                    searched = colon + 3;
                    continue;
                };
                let url = &text[start..start + len];
                self.writer.text(&text[..start]);
                self.writer.open("a", &external::link(Attributes::new(), url));
                self.writer.text(url);
                self.writer.close();
                text = &text[start + len..];
                searched = 0;
            }
        }
        self.writer.text(text);
    }

    pub(super) fn line_break(&mut self, is_hard: bool, next: usize) {
        if let Some(title) = &self.title {
            // What was open in the title goes on in the text below it.
            let paragraph = self.line(Attributes::new(), next);
            let again = self.writer.close_remembering(title.depth);
            self.end_title();
            self.writer.open("p", &paragraph);
            self.writer.open_again(again);
        } else if is_hard || !self.world.options.strict_line_breaks {
            self.writer.break_line();
        } else {
            self.writer.text("\n");
        }
    }

    /// The text of a math block, without the marks of the quote around it.
    fn tex(&self, range: Range<usize>) -> String {
        let line = self.place.text.line_start(self.place.text.line_of(range.start));
        let is_quoted = self.slice(line..range.start).contains('>');
        let tex = self.slice(range).trim_matches('$');
        if !is_quoted {
            return tex.trim().to_owned();
        }
        let lines: Vec<&str> = tex.lines().map(|line| line.trim_start_matches(['>', ' '])).collect();
        lines.join("\n").trim().to_owned()
    }

    pub(super) fn display_math(&mut self, tex: &str, byte: usize) {
        let attributes = self.line(Attributes::class("math block"), byte);
        self.writer.beside_paragraph(|writer| {
            writer.open("div", &attributes);
            writer.verbatim(tex);
            writer.close();
            writer.newline();
        });
    }

    pub(super) fn inline_html(&mut self, html: &str, at: usize) -> usize {
        let name = tokens::tag_name(html);
        if let Some(depth) = self.phrases.remove(&at) {
            if self.writer.depth() > depth {
                self.writer.close_to(depth);
            }
            self.leave_phrase();
            return at + 1;
        }
        if let Some(&end) = self.pairs.html.get(&at) {
            if let Some((name, attributes)) = raw::phrase(html) {
                if name == "a" {
                    if self.in_link() {
                        return at + 1;
                    }
                    self.phrase_link = Some(self.writer.depth());
                }
                self.phrases.insert(end, self.writer.depth());
                self.writer.open(name, &attributes);
                return at + 1;
            }
            self.tamed(&self.raw_source(at, end));
            self.hidden_to = self.hidden_to.max(self.events[end].1.end);
            return end + 1;
        }
        if raw::is_void(name) || html.ends_with("/>") {
            self.tamed(html);
        } else if !name.is_empty() && !raw::is_known(name) {
            // `Vec<T>` in a sentence means what it says.
            self.writer.text(html);
        }
        at + 1
    }

    /// Writes HTML of the note that holds no Markdown.
    fn tamed(&mut self, html: &str) {
        let tamed = raw::tame(html, self.in_link());
        if tamed.has_blocks {
            self.writer.beside_paragraph(|writer| writer.html(&tamed.html));
        } else {
            self.writer.html(&tamed.html);
        }
    }

    /// The source of some events, without the marks of quotes at the start of lines.
    fn raw_source(&self, first: usize, last: usize) -> String {
        let mut out = String::new();
        let mut from = self.events[first].1.start;
        for at in first..last {
            if matches!(self.events[at].0, Event::SoftBreak | Event::HardBreak) {
                let range = &self.events[at].1;
                self.push_visible(&mut out, from..range.start);
                out.push('\n');
                from = self.events[at + 1].1.start;
            }
        }
        self.push_visible(&mut out, from..self.events[last].1.end);
        out
    }

    /// Copies source without the comments in it.
    fn push_visible(&self, out: &mut String, range: Range<usize>) {
        let mut from = range.start;
        for cut in &self.cuts[self.cuts.partition_point(|cut| cut.range.end <= range.start)..] {
            if cut.range.start >= range.end {
                break;
            }
            if cut.kind == CutKind::Hidden {
                out.push_str(self.slice(from..cut.range.start));
                from = cut.range.end;
            }
        }
        out.push_str(self.slice(from..range.end));
    }
}
