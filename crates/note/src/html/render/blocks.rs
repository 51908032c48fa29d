//! Headings, quotes and callouts, code, HTML, list items and tables.

use std::ops::Range;

use pulldown_cmark::{Alignment, CodeBlockKind, Event, Tag};

use super::super::callout::{self, Fold};
use super::super::raw;
use super::super::writer::Attributes;
use super::{Frame, Page, Title};
use crate::opaque;

impl<'p> Page<'p> {
    pub(super) fn heading(&mut self, level: u8, range: &Range<usize>) {
        let name = ["h1", "h2", "h3", "h4", "h5", "h6"][usize::from(level.clamp(1, 6)) - 1];
        let headings = &self.place.note.headings;
        let index = headings.partition_point(|heading| heading.span.start <= range.start).checked_sub(1);
        let mut attributes = self.line(Attributes::new(), range.start);
        if let Some(index) = index.filter(|&index| range.start < headings[index].span.end) {
            attributes = attributes.with("data-heading", &headings[index].key);
            if self.place.outer.is_none() {
                attributes = attributes.with("id", &format!("heading-{index}"));
            }
        }
        self.writer.open(name, &attributes);
    }

    pub(super) fn quote(&mut self, at: usize) -> usize {
        let depth = self.writer.depth();
        let range = self.events[at].1.clone();
        let first = match (self.events.get(at + 1), self.events.get(at + 2)) {
            (Some((Event::Start(Tag::Paragraph), _)), Some((_, range))) => Some(range.start),
            _ => None,
        };
        let head = first
            // An empty line before it makes it a quote.
            .filter(|&first| !self.slice(range.start..first).trim_start().contains(['\n', '\r']))
            .filter(|&first| !opaque::is_escaped(self.source.as_bytes(), first))
            .and_then(|first| Some((first, callout::head(self.slice(first..self.source.len()))?)));
        let Some((first, head)) = head else {
            let attributes = self.line(Attributes::new(), range.start);
            self.writer.open("blockquote", &attributes);
            self.frames.push(Frame::Close(depth));
            return at + 1;
        };
        self.hidden_to = self.hidden_to.max(first + head.len);
        let fold = head.fold.map(|fold| if fold == Fold::Open { "+" } else { "-" });
        let attributes = Attributes::class("callout")
            .with("data-callout", head.kind)
            .with("data-callout-type", &head.written)
            .maybe("data-callout-metadata", head.metadata.as_deref())
            .maybe("data-callout-fold", fold);
        let attributes = self.line(attributes, range.start);
        self.writer.open("div", &attributes);
        match head.fold {
            Some(Fold::Open) => self.writer.open("details", &Attributes::new().flag("open")),
            Some(Fold::Folded) => self.writer.open("details", &Attributes::new()),
            None => {}
        }
        let outer = self.writer.depth();
        self.writer.open(if head.fold.is_some() { "summary" } else { "div" }, &Attributes::class("callout-title"));
        self.writer.open("div", &Attributes::class("callout-title-inner"));
        self.title = Some(Title { depth: self.writer.depth(), default: head.default_title(), outer });
        self.frames.push(Frame::Callout { depth, content: outer });
        self.frames.push(Frame::CalloutHead);
        at + 2
    }

    /// Ends the title of a callout and opens its content.
    pub(super) fn end_title(&mut self) {
        let Some(title) = self.title.take() else { return };
        self.writer.close_to(title.depth);
        if !self.writer.shows() {
            self.writer.text(&title.default);
        }
        self.writer.close_to(title.outer);
        self.writer.open("div", &Attributes::class("callout-content"));
    }

    pub(super) fn end_callout_head(&mut self) {
        if self.title.is_some() {
            self.end_title();
            return;
        }
        let depth = self.frames.iter().rev().find_map(|frame| match frame {
            Frame::Callout { content, .. } => Some(content + 1),
            _ => None,
        });
        self.writer.close_to(depth.unwrap_or(0) + 1);
        self.writer.close_or_drop();
        self.writer.newline();
    }

    pub(super) fn code_block(&mut self, kind: &CodeBlockKind<'_>, at: usize) -> usize {
        let end = self.pairs.ends[at];
        let language = match kind {
            CodeBlockKind::Fenced(info) => {
                info.split([' ', '\t', ',', '{']).next().filter(|language| !language.is_empty())
            }
            CodeBlockKind::Indented => None,
        };
        let mut attributes = Attributes::new();
        if let Some(language) = language.filter(|language| language.eq_ignore_ascii_case("mermaid")) {
            attributes = attributes.with("class", &language.to_lowercase());
        }
        let attributes = self.line(attributes, self.events[at].1.start);
        let class = language.map(|language| format!("language-{}", language.to_lowercase()));
        self.writer.open("pre", &attributes);
        self.writer.open("code", &Attributes::new().maybe("class", class.as_deref()));
        for (event, _) in &self.events[at + 1..end] {
            if let Event::Text(text) = event {
                self.writer.verbatim(text);
            }
        }
        self.writer.close();
        self.writer.close();
        self.writer.newline();
        end + 1
    }

    pub(super) fn html_block(&mut self, at: usize) -> usize {
        let end = self.pairs.ends[at];
        let mut html = String::new();
        for (event, range) in &self.events[at + 1..end] {
            match event {
                // What was covered up is read as it stands.
                Event::Html(text) if text.len() == range.len() => html.push_str(self.slice(range.clone())),
                Event::Html(text) | Event::Text(text) => html.push_str(text),
                _ => {}
            }
        }
        let tamed = raw::tame(&html, false);
        if !tamed.html.trim().is_empty() {
            let attributes = self.line(Attributes::class("html-block"), self.events[at].1.start);
            self.writer.open("div", &attributes);
            self.writer.html(tamed.html.trim_end());
            self.writer.close();
            self.writer.newline();
        }
        end + 1
    }

    pub(super) fn item(&mut self, at: usize) -> usize {
        let depth = self.writer.depth();
        let range = self.events[at].1.clone();
        let mut next = at + 1;
        let paragraph = matches!(self.events.get(next), Some((Event::Start(Tag::Paragraph), _)));
        let first = self.events.get(next + usize::from(paragraph)).map(|(_, range)| range.start);
        if !self.writer.is_in_list() {
            self.writer.open("ul", &Attributes::new());
        }
        let task = first
            // Its brackets stand on the line of the item, where a click looks for them.
            .filter(|&first| !self.slice(range.start..first).trim_start().contains(['\n', '\r']))
            .filter(|&first| range.contains(&first) && !opaque::is_escaped(self.source.as_bytes(), first))
            .and_then(|first| Some((first, task(self.slice(first..self.source.len()))?)));
        let Some((first, (status, len))) = task else {
            let attributes = self.line(Attributes::new(), range.start);
            self.writer.open("li", &attributes);
            self.frames.push(Frame::Close(depth));
            return next;
        };
        let is_done = status != ' ';
        let class = if is_done { "task-list-item is-checked" } else { "task-list-item" };
        let attributes = self.task_line(Attributes::class(class).with("data-task", &status.to_string()), range.start);
        self.writer.open("li", &attributes);
        self.frames.push(Frame::Close(depth));
        if paragraph {
            next = self.event(next, usize::MAX);
        }
        let attributes = Attributes::class("task-list-item-checkbox").with("type", "checkbox");
        let mut attributes = self.task_line(attributes, range.start);
        if is_done {
            attributes = attributes.flag("checked");
        }
        self.writer.void("input", &attributes);
        self.writer.text(" ");
        self.hidden_to = self.hidden_to.max(first + len);
        next
    }

    /// Where a task can be switched, in an embed too.
    fn task_line(&self, attributes: Attributes, byte: usize) -> Attributes {
        match self.place.outer {
            Some(_) => {
                attributes.with("data-note", self.place.path.as_str()).number("data-note-line", self.line_of(byte))
            }
            None => self.line(attributes, byte),
        }
    }

    pub(super) fn row(&mut self, range: &Range<usize>, is_head: bool) {
        if let Some(column) = self.columns.last_mut() {
            column.at = 0;
            column.is_head = is_head;
        }
        let attributes = self.line(Attributes::new(), range.start);
        self.writer.open("tr", &attributes);
    }

    pub(super) fn cell(&mut self) {
        let (name, alignment) = match self.columns.last_mut() {
            Some(column) => {
                column.at += 1;
                let alignment = column.alignments.get(column.at - 1).copied();
                (if column.is_head { "th" } else { "td" }, alignment.unwrap_or(Alignment::None))
            }
            None => ("td", Alignment::None),
        };
        let align = match alignment {
            Alignment::None => None,
            Alignment::Left => Some("left"),
            Alignment::Center => Some("center"),
            Alignment::Right => Some("right"),
        };
        self.writer.open(name, &Attributes::new().maybe("align", align));
    }
}

/// The status character of a task, and how many bytes its brackets and the blank after them take.
fn task(text: &str) -> Option<(char, usize)> {
    let inner = text.strip_prefix('[')?;
    let status = inner.chars().next().filter(|status| !matches!(status, '\n' | '\r' | '\t'))?;
    let rest = inner[status.len_utf8()..].strip_prefix(']')?;
    let blank = match rest.chars().next() {
        None | Some('\n' | '\r') => 0,
        Some(' ' | '\t') => 1,
        Some(_) => return None,
    };
    Some((status, 2 + status.len_utf8() + blank))
}
