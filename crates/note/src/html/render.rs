//! Walks the Markdown parser's events and writes HTML.

use std::cell::Cell;
use std::collections::HashMap;
use std::ops::Range;

use pulldown_cmark::{Alignment, Event, Parser, Tag, TagEnd};

use self::footnotes::Footnotes;

use super::RenderOptions;
use super::marks::{self, Pairs};
use super::source::{self, Cut};
use super::writer::{Attributes, Writer};
use crate::opaque;
use crate::parse::Note;
use crate::path::RelPath;
use crate::text::NoteText;

mod blocks;

mod inline;

mod footnotes;

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
            .filter(|(event, range)| {
                let is_heading = matches!(event, Event::Start(Tag::Heading { .. }) | Event::End(TagEnd::Heading(_)));
                !is_heading || !opaque::is_trace(&covered, &place.note.hidden, range)
            })
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
            phrase_link: None,
            phrases: HashMap::new(),
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
        let begins_item = |at: usize| {
            let is_content = |(event, _): &&(Event<'_>, Range<usize>)| !matches!(event, Event::TaskListMarker(_));
            events[at + 1..].iter().find(is_content).is_some_and(|(_, inner)| inner.start == start)
        };
        let whole = events.iter().enumerate().find_map(|(at, (event, range))| match event {
            Event::Start(Tag::Item) if begins_item(at) => Some(range),
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
    n_links: usize,
    /// How deep the link is that a tag of the note opened.
    phrase_link: Option<usize>,
    /// For each end tag in a sentence how many elements were open before its start tag.
    phrases: HashMap<usize, usize>,
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
    /// Write the tilde that the parser took for a mark.
    Tilde,
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

impl<'p> Page<'p> {
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
            // A line breaks unless its end is hidden: the blanks before it may be, behind the head of a callout.
            Event::SoftBreak | Event::HardBreak if self.hidden_to < range.end && self.holds(range) => {
                self.line_break(matches!(event, Event::HardBreak), range.end);
                at + 1
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
            Event::Rule => {
                let attributes = self.line(Attributes::new(), range.start);
                self.writer.void("hr", &attributes);
                self.writer.newline();
                at + 1
            }
            Event::Html(_) | Event::TaskListMarker(_) | Event::SoftBreak | Event::HardBreak => at + 1,
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
            None => attributes.number("data-line", self.line_of(byte)),
        }
    }

    /// The line of the first thing that stands at a byte or behind it: the parser lets a nested
    /// block begin with the white space before it.
    fn line_of(&self, byte: usize) -> u32 {
        let rest = self.slice(byte..self.source.len());
        let blank = rest.bytes().position(|b| !b.is_ascii_whitespace()).unwrap_or(0);
        self.place.text.line_of(byte + blank)
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
            Tag::Strikethrough => {
                // `~one~` is not struck out; only two tildes are.
                self.writer.text("~");
                self.frames.push(Frame::Tilde);
                return next;
            }
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
            Some(Frame::Tilde) => self.writer.text("~"),
            Some(Frame::Nothing) | None => {}
        }
        self.leave_phrase();
    }

    /// The events of a page, and where one ends that starts at `at`.
    pub fn events_in(&self, at: usize) -> (&'p [(Event<'p>, Range<usize>)], usize) {
        (self.events, self.pairs.ends[at])
    }

    /// The note's link that starts at a byte of the body.
    pub fn link_at(&self, byte: usize) -> Option<&'p crate::Link> {
        self.links.get(&byte).map(|&at| &self.place.note.links[at])
    }

    /// Whether a link is open, in which there can be no other.
    pub fn in_link(&self) -> bool {
        self.n_links > 0 || self.phrase_link.is_some()
    }

    /// Forgets the link of a tag once it is closed.
    fn leave_phrase(&mut self) {
        if self.phrase_link.is_some_and(|depth| self.writer.depth() <= depth) {
            self.phrase_link = None;
        }
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
