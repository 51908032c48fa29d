//! The walk over the Markdown parser's events.

use std::ops::Range;

use pulldown_cmark::{CodeBlockKind, CowStr, Event, LinkType, Parser, Tag as Md, TagEnd};

use super::title::{Title, push_title_text};
use super::{BlockId, Tag};
use crate::heading::{Heading, Tally, heading_key, measure};
use crate::inline::{self, Leaf};
use crate::link::{self, Link, LinkKind};
use crate::opaque::{self, Layout, Masked};
use crate::text::{LineCount, NoteText};

mod block_ids;

/// What the body of a note holds.
#[derive(Default)]
pub(super) struct Read {
    pub headings: Vec<Heading>,
    pub links: Vec<Link>,
    pub tags: Vec<Tag>,
    pub blocks: Vec<BlockId>,
    pub unclosed_fence: Option<usize>,
    /// The number of lines of the whole text.
    pub n_lines: u32,
}

/// Walks over what the Markdown parser reports, and collects.
pub(super) fn read(text: &NoteText, masked: &Masked<'_>, body: usize, layout: &mut Layout) -> Read {
    if masked.is_too_dense {
        return Read { n_lines: text.n_lines(), ..Read::default() };
    }
    let mut reader = Reader::new(text, masked, body);
    reader.read(layout);
    reader.found
}

struct Reader<'t> {
    lines: LineCount<'t>,
    source: &'t str,
    masked: &'t Masked<'t>,
    body: usize,
    found: Read,
    /// How many blocks are open around the current one.
    depth: usize,
    in_table_cell: bool,
    /// Inside a code or HTML block.
    in_opaque_block: bool,
    leaf: Option<Leaf>,
    /// An empty list for the next leaf.
    spare: Vec<Range<usize>>,
    open_links: Vec<OpenLink<'t>>,
    /// The links that are done with.
    n_links_before_leaf: usize,
    /// Where the wikilinks of the current leaf are among the links.
    first_wikilink: usize,
    title: Option<Title>,
    /// The last block before the current leaf, for a block id on a line of its own.
    last_block: Range<usize>,
    /// The list items, quotes and tables that are open; the ranges of the latter.
    containers: Vec<Option<Range<usize>>>,
    /// Whether nothing stands before the current leaf in its list item.
    begins_item: bool,
}

struct OpenLink<'t> {
    destination: Option<CowStr<'t>>,
    is_image: bool,
    /// Where the link's text ends, as far as it is read.
    text_end: usize,
}

impl<'t> Reader<'t> {
    fn new(text: &'t NoteText, masked: &'t Masked<'t>, body: usize) -> Reader<'t> {
        // To grow a list step by step costs more than what most notes leave unused of this.
        let n_usual = (text.bytes().len() / 640).min(64);
        Reader {
            lines: LineCount::new(text),
            source: text.as_str(),
            masked,
            body,
            found: Read {
                headings: Vec::with_capacity(n_usual),
                links: Vec::with_capacity(n_usual),
                ..Read::default()
            },
            depth: 0,
            in_table_cell: false,
            in_opaque_block: false,
            leaf: None,
            spare: Vec::new(),
            open_links: Vec::new(),
            n_links_before_leaf: 0,
            first_wikilink: 0,
            title: None,
            last_block: body..body,
            containers: Vec::new(),
            begins_item: false,
        }
    }

    fn read(&mut self, layout: &mut Layout) {
        let masked = self.masked;
        let parser = Parser::new_ext(&masked.text[self.body..], opaque::options());
        let definitions: Vec<(String, Range<usize>)> = parser
            .reference_definitions()
            .iter()
            .map(|(_, definition)| (definition.dest.to_string(), definition.span.clone()))
            .collect();
        let mut events = parser.into_offset_iter();
        // An event is large: it is looked at where it lies.
        while let Some((event, range)) = &events.next() {
            let range = range.start + self.body..range.end + self.body;
            if layout.is_wanted {
                layout.see(event, &range);
            }
            if self.in_opaque_block {
                if matches!(event, Event::End(TagEnd::CodeBlock | TagEnd::HtmlBlock)) {
                    self.in_opaque_block = false;
                    self.depth -= 1;
                    self.last_block = range;
                }
            } else if opaque::is_inline(event) {
                self.inline(event, range);
            } else {
                self.block(event, range);
            }
        }
        self.end_leaf();
        for (destination, span) in definitions {
            self.definition(&destination, span.start + self.body..span.end + self.body);
        }
        let place = |link: &Link| (link.span.start, link.span.end);
        if !self.found.links.is_sorted_by_key(place) {
            self.found.links.sort_by_key(place);
        }
        self.found.n_lines = self.lines.n_lines();
    }

    fn block(&mut self, event: &Event<'t>, range: Range<usize>) {
        self.end_leaf();
        if matches!(event, Event::Start(Md::Heading { .. }) | Event::End(TagEnd::Heading(_)))
            && opaque::is_trace(&self.masked.text, &self.masked.hidden, &range)
        {
            return;
        }
        match event {
            Event::Start(tag) => {
                match tag {
                    Md::Heading { level, .. } if self.depth == 0 => {
                        let shape = measure(self.source, self.body, range.clone());
                        let text = String::with_capacity(shape.raw.len());
                        self.title = Some(Title { level: *level as u8, shape, text });
                    }
                    Md::CodeBlock(kind) => {
                        if self.depth == 0 && matches!(kind, CodeBlockKind::Fenced(_)) {
                            self.look_for_closing_fence(range.clone());
                        }
                        self.in_opaque_block = true;
                    }
                    Md::HtmlBlock => self.in_opaque_block = true,
                    Md::TableCell => self.in_table_cell = true,
                    _ => {}
                }
                match tag {
                    Md::Item => self.containers.push(None),
                    Md::BlockQuote(_) | Md::Table(_) => self.containers.push(Some(range)),
                    _ => {}
                }
                self.begins_item = matches!(tag, Md::Item) || self.begins_item && matches!(tag, Md::Paragraph);
                self.depth += 1;
            }
            Event::End(tag) => {
                self.depth -= 1;
                match tag {
                    TagEnd::Heading(_) => self.end_heading(),
                    TagEnd::TableCell => self.in_table_cell = false,
                    TagEnd::Item | TagEnd::BlockQuote(_) | TagEnd::Table => {
                        self.containers.pop();
                    }
                    _ => {}
                }
                self.last_block = range;
                self.begins_item = false;
            }
            Event::Rule => self.last_block = range,
            _ => {}
        }
    }

    fn inline(&mut self, event: &Event<'t>, range: Range<usize>) {
        if let (Event::Text(_), Some(leaf), None, []) = (event, &mut self.leaf, &self.title, &self.open_links[..]) {
            // What nearly every event is.
            leaf.range = leaf.range.start.min(range.start)..leaf.range.end.max(range.end);
            return;
        }
        let in_table = self.in_table_cell;
        let spare = &mut self.spare;
        let new = || Leaf { range: range.clone(), opaque: std::mem::take(spare), in_table };
        let leaf = self.leaf.get_or_insert_with(new);
        leaf.range = leaf.range.start.min(range.start)..leaf.range.end.max(range.end);
        if matches!(event, Event::Code(_) | Event::InlineHtml(_) | Event::InlineMath(_) | Event::DisplayMath(_)) {
            leaf.opaque.push(range.clone());
        }
        if let Some(title) = &mut self.title {
            push_title_text(title, event, range.clone(), self.source, &self.masked.hidden);
        }
        let is_start = matches!(event, Event::Start(_));
        match event {
            Event::Start(Md::Link { link_type, dest_url, .. }) => {
                self.open_link(*link_type, dest_url, &range, false);
            }
            Event::Start(Md::Image { link_type, dest_url, .. }) => {
                self.open_link(*link_type, dest_url, &range, true);
            }
            Event::End(TagEnd::Link | TagEnd::Image) => self.close_link(range.clone()),
            _ => {}
        }
        if let Some(around) = self.open_links.last_mut()
            && !is_start
        {
            around.text_end = around.text_end.max(range.end);
        }
    }

    fn open_link(&mut self, kind: LinkType, destination: &CowStr<'t>, range: &Range<usize>, is_image: bool) {
        if matches!(kind, LinkType::Autolink | LinkType::Email)
            && let Some(leaf) = &mut self.leaf
        {
            leaf.opaque.push(range.clone());
        }
        let destination = matches!(kind, LinkType::Inline).then(|| destination.clone());
        let text_start = range.start + if is_image { 2 } else { 1 };
        self.open_links.push(OpenLink { destination, is_image, text_end: text_start });
    }

    fn close_link(&mut self, span: Range<usize>) {
        let Some(OpenLink { destination: Some(unescaped), is_image, text_end }) = self.open_links.pop() else {
            return;
        };
        let bytes = &self.source.as_bytes()[..span.end];
        let Some(bracket) = bytes.get(text_end..).and_then(|rest| rest.windows(2).position(|w| w == b"](")) else {
            return;
        };
        let bracket = text_end + bracket;
        let text_start = span.start + if is_image { 2 } else { 1 };
        let Some((raw, is_angle)) = link::find_destination(bytes, bracket + 2) else {
            return;
        };
        if let Some(leaf) = &mut self.leaf {
            leaf.opaque.push(raw.clone());
        }
        let link = link::destination(self.source, span, raw, &unescaped, is_angle);
        let alias = || self.source.get(text_start..bracket).map(str::to_owned);
        self.found.links.extend(link.map(|link| Link { embed: is_image, alias: alias(), ..link }));
    }

    fn definition(&mut self, unescaped: &str, span: Range<usize>) {
        let bytes = &self.source.as_bytes()[..span.end];
        let Some(colon) = (span.start..span.end)
            .find(|&at| bytes[at] == b']' && bytes.get(at + 1) == Some(&b':') && !opaque::is_escaped(bytes, at))
        else {
            return;
        };
        let Some((raw, is_angle)) = link::find_destination(bytes, colon + 2) else {
            return;
        };
        let line = self.lines.line_of(span.start);
        let link = link::destination(self.source, span, raw, unescaped, is_angle);
        self.found.links.extend(link.map(|link| Link { kind: LinkKind::Definition, line, ..link }));
    }

    fn end_leaf(&mut self) {
        let Some(mut leaf) = self.leaf.take() else {
            return;
        };
        let hidden = &self.masked.hidden;
        let first = hidden.partition_point(|range| range.end <= leaf.range.start);
        leaf.opaque.extend(hidden[first..].iter().take_while(|range| range.start < leaf.range.end).cloned());
        leaf.settle();
        // Most text holds nothing of the kind.
        let bytes = &self.source.as_bytes()[leaf.range.clone()];
        if let Some(first) = memchr::memchr3(b'[', b'#', b'^', bytes) {
            self.wikilinks_and_tags(&leaf, leaf.range.start + first);
            self.n_links_before_leaf = self.found.links.len();
            self.block_ids(&leaf, leaf.range.start + first);
        }
        leaf.opaque.clear();
        self.spare = leaf.opaque;
        self.begins_item = false;
    }

    /// Takes in the wikilinks and tags of a leaf, none of which stands before `from`.
    fn wikilinks_and_tags(&mut self, leaf: &Leaf, from: usize) {
        let first = self.found.links.len();
        self.first_wikilink = first;
        inline::wikilinks(self.source, leaf, from, &mut self.found.links);
        let wikilinks = &self.found.links[first..];
        inline::tags(self.source, leaf, from, wikilinks, |span| {
            let name = self.source[span.start + 1..span.end].to_owned();
            self.found.tags.push(Tag { name, line: self.lines.line_of(span.start), span });
        });
        // `[[a]](b)` is a wikilink with something behind it, and `[[a|[b](c)]]` one with an alias.
        if !wikilinks.is_empty() && self.n_links_before_leaf < first {
            let wikilinks = self.found.links.split_off(first);
            let of_leaf = self.found.links.split_off(self.n_links_before_leaf);
            let stands = |link: &Link| {
                let after = wikilinks.partition_point(|wiki| wiki.span.start <= link.span.start);
                let around = wikilinks[..after].last();
                around.is_none_or(|wiki| wiki.span.start < link.span.start && wiki.span.end <= link.span.start)
            };
            self.found.links.extend(of_leaf.into_iter().filter(stands));
            self.first_wikilink = self.found.links.len();
            self.found.links.extend(wikilinks);
        }
        for link in &mut self.found.links[self.n_links_before_leaf..] {
            link.line = self.lines.line_of(link.span.start);
        }
    }

    fn end_heading(&mut self) {
        let Some(Title { level, shape, text }) = self.title.take() else {
            return;
        };
        let trimmed = text.trim();
        let text = if trimmed.len() == text.len() { text } else { trimmed.to_owned() };
        self.found.headings.push(Heading {
            level,
            text,
            key: heading_key(&shape.raw),
            line: self.lines.line_of(shape.title.start.max(shape.span.start)),
            raw: shape.raw,
            style: shape.style,
            span: shape.span,
            title: shape.title,
            block_id: shape.block_id,
            parent: None,
            same_path: Tally { nth: 1, of: 1 },
            same_text: Tally { nth: 1, of: 1 },
        });
    }

    fn look_for_closing_fence(&mut self, range: Range<usize>) {
        let reaches_end = self.source[range.end..].trim().is_empty();
        if !reaches_end {
            return;
        }
        let block = self.source[range.clone()].trim_start_matches([' ', '\t']);
        let fence = block.chars().next().unwrap_or('`');
        let n_opening = block.len() - block.trim_start_matches(fence).len();
        let last = block.trim_end_matches(['\n', '\r', ' ', '\t']);
        let (_, last_line) = match last.rfind(['\n', '\r']) {
            Some(eol) => last.split_at(eol + 1),
            None => ("", ""),
        };
        let closing = last_line.trim_start_matches([' ', '\t']);
        let is_closed = closing.len() >= n_opening && closing.chars().all(|c| c == fence);
        if !is_closed {
            self.found.unclosed_fence = Some(range.start);
        }
    }
}
