//! Walks the Markdown parser's events and writes HTML.

use std::cell::Cell;
use std::collections::HashMap;
use std::ops::Range;

use pulldown_cmark::{Alignment, CodeBlockKind, Event, Parser, Tag};

use super::RenderOptions;
use super::callout::{self, Fold};
use super::external;
use super::marks::{self, Pairs};
use super::raw;
use super::source::{self, Cut, CutKind};
use super::writer::{Attributes, Writer};
use crate::opaque;
use crate::parse::Note;
use crate::path::{RelPath, fold};
use crate::text::NoteText;

/// Renders a whole note and what it embeds.
pub(super) fn note(text: &NoteText, note: &Note, options: &RenderOptions<'_>) -> String {
    let world = World { options, n_embeds: Cell::new(0), n_bytes: Cell::new(0) };
    let place =
        Place { text, note, path: options.path, part: note.body..text.as_str().len(), is_block: false, outer: None };
    world.render(&place)
}

/// What all notes of one rendering share.
pub(super) struct World<'a> {
    pub options: &'a RenderOptions<'a>,
    /// How many embeds were opened.
    pub n_embeds: Cell<u32>,
    /// How much text was read for them.
    pub n_bytes: Cell<usize>,
}

/// The part of a note that is rendered, and through which embeds one came to it.
pub(super) struct Place<'a> {
    pub text: &'a NoteText,
    pub note: &'a Note,
    pub path: &'a RelPath,
    pub part: Range<usize>,
    /// Whether the part is one block of the note.
    pub is_block: bool,
    pub outer: Option<&'a Place<'a>>,
}

impl Place<'_> {
    /// How many embeds are around this.
    pub fn depth(&self) -> usize {
        std::iter::successors(self.outer, |place| place.outer).count()
    }
}

impl World<'_> {
    /// Renders a part of a note.
    pub fn render(&self, place: &Place<'_>) -> String {
        let (covered, mut cuts) = source::covered(place.text, place.note);
        let body = place.note.body;
        let events: Vec<(Event<'_>, Range<usize>)> = Parser::new_ext(&covered[body..], opaque::options())
            .into_offset_iter()
            .map(|(event, range)| (event, range.start + body..range.end + body))
            .collect();
        let mut pairs = marks::pair(&covered, &events);
        cuts.append(&mut pairs.cuts);
        cuts.sort_by_key(|cut| cut.range.start);
        let mut page = Page {
            world: self,
            place,
            source: place.text.as_str(),
            links: place.note.links.iter().enumerate().map(|(at, link)| (link.span.start, at)).collect(),
            events: &events,
            pairs,
            cuts,
            part: place.widen(&events),
            writer: Writer::default(),
            frames: Vec::new(),
            title: None,
            hidden_to: 0,
            n_links: 0,
            columns: Vec::new(),
            footnotes: Footnotes::default(),
            prefix: match place.outer {
                Some(_) => format!("e{}-", self.n_embeds.get()),
                None => String::new(),
            },
        };
        page.find_footnotes();
        page.walk(0..events.len(), usize::MAX);
        page.write_footnotes();
        page.writer.finish()
    }
}

impl Place<'_> {
    /// The part; a block is widened from its text to the whole of it.
    fn widen(&self, events: &[(Event<'_>, Range<usize>)]) -> Range<usize> {
        let start = self.part.start;
        if !self.is_block {
            return self.part.clone();
        }
        let whole = events.iter().enumerate().find_map(|(at, (event, range))| match event {
            Event::Start(Tag::Item) if events.get(at + 1).is_some_and(|(_, inner)| inner.start == start) => Some(range),
            Event::Start(_) if range.start == start => Some(range),
            _ => None,
        });
        whole.cloned().unwrap_or_else(|| self.part.clone())
    }
}

/// A note while it is being written.
pub(super) struct Page<'p> {
    pub world: &'p World<'p>,
    pub place: &'p Place<'p>,
    pub source: &'p str,
    /// The note's links by where they start.
    links: HashMap<usize, usize>,
    events: &'p [(Event<'p>, Range<usize>)],
    pairs: Pairs,
    cuts: Vec<Cut>,
    part: Range<usize>,
    pub writer: Writer,
    frames: Vec<Frame>,
    /// The title of a callout while it is being written.
    title: Option<Title>,
    /// The source before this byte is written, or is not to be.
    hidden_to: usize,
    /// How many links are open.
    pub n_links: usize,
    columns: Vec<Column>,
    footnotes: Footnotes,
    /// Keeps the ids of an embed apart from those around it.
    prefix: String,
}

/// What the end of an element has to do.
enum Frame {
    /// Close down to a depth.
    Close(usize),
    /// Close a block down to a depth, or drop it if it shows nothing.
    Paragraph(usize),
    /// End the title of a callout, or the paragraph that its text became.
    CalloutHead,
    Callout {
        depth: usize,
        content: usize,
    },
    Link(usize),
    Table(usize),
    TableHead(usize),
    /// Nothing was opened.
    Nothing,
}

struct Title {
    /// How many elements are open inside the title.
    depth: usize,
    default: String,
    /// How many elements are open around the title and the content.
    outer: usize,
}

/// The columns of the table that is open.
struct Column {
    alignments: Vec<Alignment>,
    at: usize,
    is_head: bool,
}

#[derive(Default)]
struct Footnotes {
    /// The events of each definition.
    definitions: HashMap<String, Range<usize>>,
    numbers: HashMap<String, usize>,
    /// In the order of their numbers.
    used: Vec<Footnote>,
    /// How often each was referred to.
    n_references: Vec<usize>,
}

enum Footnote {
    Defined(Range<usize>),
    /// The first event and the source of the text.
    Inline(usize, Range<usize>),
}

impl<'p> Page<'p> {
    fn find_footnotes(&mut self) {
        for (at, (event, _)) in self.events.iter().enumerate() {
            if let Event::Start(Tag::FootnoteDefinition(label)) = event {
                self.footnotes.definitions.entry(fold(label)).or_insert(at + 1..self.pairs.ends[at]);
            }
        }
    }

    /// Writes events, as far as their source starts before `until`.
    fn walk(&mut self, events: Range<usize>, until: usize) {
        let mut at = events.start;
        while at < events.end && self.events[at].1.start < until {
            at = self.event(at, until);
        }
    }

    /// Writes an event and returns the next one.
    fn event(&mut self, at: usize, until: usize) -> usize {
        let events: &'p [(Event<'p>, Range<usize>)] = self.events;
        let (event, range) = &events[at];
        match event {
            Event::Start(tag) => {
                if self.is_hidden(range) {
                    return self.pairs.ends[at] + 1;
                }
                if !self.holds(range) {
                    if range.end <= self.part.start || range.start >= self.part.end {
                        return self.pairs.ends[at] + 1;
                    }
                    self.frames.push(Frame::Nothing);
                    return at + 1;
                }
                self.start(tag, at)
            }
            Event::End(_) => {
                self.end();
                at + 1
            }
            Event::Text(text) => {
                let last = self.pairs.ends[at];
                if self.pairs.is_verbatim[at] {
                    let end = events[last].1.end.min(until).min(self.part.end);
                    self.text(at, range.start.max(self.part.start)..end);
                } else if !self.is_hidden(range) && self.holds(range) {
                    self.writer.text(text);
                }
                last + 1
            }
            _ if self.is_hidden(range) || !self.holds(range) => at + 1,
            Event::Code(code) => {
                self.writer.open("code", &Attributes::new());
                self.writer.verbatim(code);
                self.writer.close();
                at + 1
            }
            Event::InlineMath(tex) => {
                self.writer.open("span", &Attributes::class("math inline"));
                self.writer.verbatim(tex);
                self.writer.close();
                at + 1
            }
            Event::DisplayMath(tex) => {
                self.display_math(tex, range.start);
                at + 1
            }
            Event::InlineHtml(html) => self.inline_html(html, at),
            Event::FootnoteReference(label) => {
                self.footnote_reference(label);
                at + 1
            }
            Event::SoftBreak | Event::HardBreak => {
                self.line_break(matches!(event, Event::HardBreak), range.end);
                at + 1
            }
            Event::Rule => {
                let attributes = self.line(Attributes::new(), range.start);
                self.writer.void("hr", &attributes);
                self.writer.newline();
                at + 1
            }
            Event::Html(_) | Event::TaskListMarker(_) => at + 1,
        }
    }

    /// Whether all of a range is hidden by what was written before it.
    fn is_hidden(&self, range: &Range<usize>) -> bool {
        range.start < self.hidden_to
            && (range.end <= self.hidden_to || self.slice(self.hidden_to..range.end).trim().is_empty())
    }

    /// Whether a range is in the part that is rendered.
    fn holds(&self, range: &Range<usize>) -> bool {
        self.part.start <= range.start
            && (range.end <= self.part.end
                || (range.start < self.part.end && self.slice(self.part.end..range.end).trim().is_empty()))
    }

    /// A piece of the source; nothing if it would begin or end inside a character.
    fn slice(&self, range: Range<usize>) -> &'p str {
        self.source.get(range).unwrap_or("")
    }

    /// Adds the line of the note to the attributes of a block; embeds have none of their own.
    pub fn line(&self, attributes: Attributes, byte: usize) -> Attributes {
        match self.place.outer {
            Some(_) => attributes,
            None => attributes.number("data-line", self.place.text.line_of(byte)),
        }
    }

    fn start(&mut self, tag: &Tag<'p>, at: usize) -> usize {
        let range = self.events[at].1.clone();
        let depth = self.writer.depth();
        let next = at + 1;
        let plain = match tag {
            Tag::Paragraph => {
                let attributes = self.line(Attributes::new(), range.start);
                self.writer.open("p", &attributes);
                self.frames.push(Frame::Paragraph(depth));
                return next;
            }
            Tag::Heading { level, .. } => {
                self.heading(*level as u8, &range);
                self.frames.push(Frame::Close(depth));
                return next;
            }
            Tag::BlockQuote(_) => return self.quote(at),
            Tag::CodeBlock(kind) => return self.code_block(kind, at),
            Tag::HtmlBlock => return self.html_block(at),
            Tag::FootnoteDefinition(_) => return self.pairs.ends[at] + 1,
            Tag::Item => return self.item(at),
            Tag::Table(alignments) => {
                let attributes = self.line(Attributes::new(), range.start);
                self.writer.open("table", &attributes);
                self.columns.push(Column { alignments: alignments.clone(), at: 0, is_head: false });
                self.frames.push(Frame::Table(depth));
                return next;
            }
            Tag::TableHead => {
                self.writer.open("thead", &Attributes::new());
                self.row(&range, true);
                self.frames.push(Frame::TableHead(depth));
                return next;
            }
            Tag::TableRow => {
                self.row(&range, false);
                self.frames.push(Frame::Close(depth));
                return next;
            }
            Tag::TableCell => {
                self.cell();
                self.frames.push(Frame::Close(depth));
                return next;
            }
            Tag::Link { link_type, dest_url, .. } => return self.link(*link_type, dest_url, at),
            Tag::Image { dest_url, .. } => return self.image(dest_url, at),
            Tag::List(start) => {
                let attributes = self.line(Attributes::new(), range.start);
                match start {
                    None => self.writer.open("ul", &attributes),
                    Some(1) => self.writer.open("ol", &attributes),
                    Some(start) => self.writer.open("ol", &attributes.with("start", &start.to_string())),
                }
                self.frames.push(Frame::Close(depth));
                return next;
            }
            Tag::Emphasis => Some("em"),
            Tag::Strong => Some("strong"),
            Tag::Strikethrough if self.slice(range.clone()).starts_with("~~") => Some("del"),
            Tag::Strikethrough => return self.single_tildes(at),
            Tag::Superscript => Some("sup"),
            Tag::Subscript => Some("sub"),
            Tag::DefinitionList | Tag::DefinitionListTitle | Tag::DefinitionListDefinition | Tag::MetadataBlock(_) => {
                None
            }
        };
        match plain {
            Some(name) => {
                self.writer.open(name, &Attributes::new());
                self.frames.push(Frame::Close(depth));
            }
            None => self.frames.push(Frame::Nothing),
        }
        next
    }

    fn end(&mut self) {
        match self.frames.pop() {
            Some(Frame::Close(depth)) => self.writer.close_to(depth),
            Some(Frame::Paragraph(depth)) => {
                self.writer.close_to(depth + 1);
                self.writer.close_or_drop();
                self.writer.newline();
            }
            Some(Frame::Link(depth)) => {
                self.n_links -= 1;
                self.writer.close_to(depth);
            }
            Some(Frame::CalloutHead) => self.end_callout_head(),
            Some(Frame::Callout { depth, content }) => {
                self.writer.close_to(content + 1);
                self.writer.close_or_drop();
                self.writer.close_to(depth);
                self.writer.newline();
            }
            Some(Frame::TableHead(depth)) => {
                self.writer.close_to(depth);
                self.writer.open("tbody", &Attributes::new());
            }
            Some(Frame::Table(depth)) => {
                self.columns.pop();
                self.writer.close_to(depth + 2);
                self.writer.close_or_drop();
                self.writer.close_to(depth);
                self.writer.newline();
            }
            Some(Frame::Nothing) | None => {}
        }
    }

    fn heading(&mut self, level: u8, range: &Range<usize>) {
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

    /// `~one~` is not struck out; only two tildes are.
    fn single_tildes(&mut self, at: usize) -> usize {
        let end = self.pairs.ends[at];
        self.writer.text("~");
        let mut next = at + 1;
        while next < end {
            next = self.event(next, usize::MAX);
        }
        self.writer.text("~");
        end + 1
    }

    fn quote(&mut self, at: usize) -> usize {
        let depth = self.writer.depth();
        let range = self.events[at].1.clone();
        let first = match (self.events.get(at + 1), self.events.get(at + 2)) {
            (Some((Event::Start(Tag::Paragraph), _)), Some((_, range))) => Some(range.start),
            _ => None,
        };
        let head = first.and_then(|first| Some((first, callout::head(self.slice(first..self.source.len()))?)));
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
    fn end_title(&mut self) {
        let Some(title) = self.title.take() else { return };
        self.writer.close_to(title.depth);
        if !self.writer.shows() {
            self.writer.text(&title.default);
        }
        self.writer.close_to(title.outer);
        self.writer.open("div", &Attributes::class("callout-content"));
    }

    fn end_callout_head(&mut self) {
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

    fn line_break(&mut self, is_hard: bool, next: usize) {
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

    fn code_block(&mut self, kind: &CodeBlockKind<'_>, at: usize) -> usize {
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

    fn html_block(&mut self, at: usize) -> usize {
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

    fn inline_html(&mut self, html: &str, at: usize) -> usize {
        let name = raw::tag_name(html);
        if let Some(&end) = self.pairs.html.get(&at) {
            let tamed = raw::tame(&self.raw_source(at, end), self.n_links > 0);
            if tamed.has_blocks {
                self.writer.beside_paragraph(|writer| writer.html(&tamed.html));
            } else {
                self.writer.html(&tamed.html);
            }
            self.hidden_to = self.hidden_to.max(self.events[end].1.end);
            return end + 1;
        }
        if raw::is_void(name) || html.ends_with("/>") {
            self.writer.html(&raw::tame(html, self.n_links > 0).html);
        } else if !name.is_empty() && !raw::is_known(name) {
            // `Vec<T>` in a sentence means what it says.
            self.writer.text(html);
        }
        at + 1
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

    fn item(&mut self, at: usize) -> usize {
        let depth = self.writer.depth();
        let range = self.events[at].1.clone();
        let mut next = at + 1;
        let paragraph = matches!(self.events.get(next), Some((Event::Start(Tag::Paragraph), _)));
        let first = self.events.get(next + usize::from(paragraph)).map(|(_, range)| range.start);
        if !self.writer.is_in_list() {
            self.writer.open("ul", &Attributes::new());
        }
        let task = first
            .filter(|first| range.contains(first))
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
            Some(_) => attributes
                .with("data-note", self.place.path.as_str())
                .number("data-note-line", self.place.text.line_of(byte)),
            None => self.line(attributes, byte),
        }
    }

    fn row(&mut self, range: &Range<usize>, is_head: bool) {
        if let Some(column) = self.columns.last_mut() {
            column.at = 0;
            column.is_head = is_head;
        }
        let attributes = self.line(Attributes::new(), range.start);
        self.writer.open("tr", &attributes);
    }

    fn cell(&mut self) {
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

    /// Writes text of the source, with what stands in the place of its cuts.
    fn text(&mut self, event: usize, range: Range<usize>) {
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
                let tex = self.slice(cut.range.clone()).trim_matches('$');
                let tex: Vec<&str> = tex.trim().lines().map(|line| line.trim_start_matches(['>', ' '])).collect();
                self.display_math(&tex.join("\n"), cut.range.start);
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
        if self.n_links == 0 {
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

    fn display_math(&mut self, tex: &str, byte: usize) {
        let attributes = self.line(Attributes::class("math block"), byte);
        self.writer.beside_paragraph(|writer| {
            writer.open("div", &attributes);
            writer.verbatim(tex);
            writer.close();
            writer.newline();
        });
    }

    fn footnote_reference(&mut self, label: &str) {
        let key = fold(label);
        let Some(events) = self.footnotes.definitions.get(&key).cloned() else {
            self.writer.text(&format!("[^{label}]"));
            return;
        };
        let number = match self.footnotes.numbers.get(&key) {
            Some(number) => *number,
            None => {
                self.footnotes.used.push(Footnote::Defined(events));
                let number = self.footnotes.used.len();
                self.footnotes.numbers.insert(key, number);
                number
            }
        };
        self.reference(number);
    }

    fn reference(&mut self, number: usize) {
        let prefix = &self.prefix;
        let n_references = &mut self.footnotes.n_references;
        n_references.resize(n_references.len().max(number), 0);
        n_references[number - 1] += 1;
        let id = match n_references[number - 1] {
            1 => format!("{prefix}fnref-{number}"),
            nth => format!("{prefix}fnref-{number}-{nth}"),
        };
        self.writer.open("sup", &Attributes::class("footnote-ref").with("id", &id));
        let attributes = Attributes::class("footnote-link").with("href", &format!("#{prefix}fn-{number}"));
        self.writer.open("a", &attributes.with("data-footnote", &number.to_string()));
        self.writer.text(&number.to_string());
        self.writer.close();
        self.writer.close();
    }

    /// Writes the footnotes that were referred to; those may refer to more.
    fn write_footnotes(&mut self) {
        if self.footnotes.used.is_empty() {
            return;
        }
        self.writer.newline();
        self.writer.open("section", &Attributes::class("footnotes"));
        self.writer.open("ol", &Attributes::new());
        self.part = 0..self.source.len();
        let mut at = 0;
        while let Some(footnote) = self.footnotes.used.get(at) {
            at += 1;
            let id = format!("{}fn-{at}", self.prefix);
            let depth = self.writer.depth();
            let (events, source) = match footnote {
                Footnote::Defined(events) => (events.clone(), 0..usize::MAX),
                Footnote::Inline(first, source) => (*first..self.events.len(), source.clone()),
            };
            let byte = match &self.events[events.start.min(self.events.len() - 1)] {
                _ if source.start > 0 => source.start,
                (_, range) => range.start,
            };
            let attributes = self.line(Attributes::new().with("id", &id).with("data-footnote", &at.to_string()), byte);
            self.writer.open("li", &attributes);
            self.hidden_to = source.start;
            self.walk(events, source.end);
            self.writer.close_to(depth + 1);
            let back = Attributes::class("footnote-backref").with("href", &format!("#{}fnref-{at}", self.prefix));
            self.writer.end_paragraph_with("a", &back, "↩");
            self.writer.close_to(depth);
            self.writer.newline();
        }
    }

    /// The events of a page, and where one ends that starts at `at`.
    pub fn events_in(&self, at: usize) -> (&'p [(Event<'p>, Range<usize>)], usize) {
        (self.events, self.pairs.ends[at])
    }

    /// The note's link that starts at a byte of the body.
    pub fn link_at(&self, byte: usize) -> Option<&'p crate::Link> {
        self.links.get(&byte).map(|&at| &self.place.note.links[at])
    }

    /// Opens a link whose content follows.
    pub fn open_link(&mut self, name: &'static str, attributes: &Attributes) {
        let depth = self.writer.depth();
        self.writer.open(name, attributes);
        self.n_links += 1;
        self.frames.push(Frame::Link(depth));
    }

    /// Notes that an element was opened for which nothing is written.
    pub fn open_nothing(&mut self) {
        self.frames.push(Frame::Nothing);
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
