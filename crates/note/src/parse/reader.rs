//! The walk over the Markdown parser's events.

use std::ops::Range;

use pulldown_cmark::{CodeBlockKind, CowStr, Event, LinkType, Parser, Tag as Md, TagEnd};

use super::{BlockId, Tag};
use crate::heading::{Heading, Shape, Tally, heading_key, measure, trailing_block_id};
use crate::inline::{self, Leaf};
use crate::link::{self, Link, LinkKind};
use crate::opaque::{self, Layout, Masked, holds};
use crate::text::NoteText;

/// What the body of a note holds.
#[derive(Default)]
pub(super) struct Read {
    pub headings: Vec<Heading>,
    pub links: Vec<Link>,
    pub tags: Vec<Tag>,
    pub blocks: Vec<BlockId>,
    pub unclosed_fence: Option<usize>,
}

/// Walks over what the Markdown parser reports, and collects.
pub(super) fn read(text: &NoteText, masked: &Masked<'_>, body: usize, layout: &mut Layout) -> Read {
    if masked.is_too_dense {
        return Read::default();
    }
    let mut reader = Reader::new(text, masked, body);
    reader.read(layout);
    reader.found
}

struct Reader<'t> {
    text: &'t NoteText,
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
    open_links: Vec<OpenLink<'t>>,
    /// The links that are done with.
    n_links_before_leaf: usize,
    title: Option<Title>,
    /// The last block before the current leaf, for a block id on a line of its own.
    last_block: Range<usize>,
}

struct OpenLink<'t> {
    destination: Option<CowStr<'t>>,
    is_image: bool,
    /// Where the link's text ends, as far as it is read.
    text_end: usize,
}

/// A heading that is being read.
struct Title {
    level: u8,
    shape: Shape,
    text: String,
}

impl<'t> Reader<'t> {
    fn new(text: &'t NoteText, masked: &'t Masked<'t>, body: usize) -> Reader<'t> {
        Reader {
            text,
            source: text.as_str(),
            masked,
            body,
            found: Read::default(),
            depth: 0,
            in_table_cell: false,
            in_opaque_block: false,
            leaf: None,
            open_links: Vec::new(),
            n_links_before_leaf: 0,
            title: None,
            last_block: body..body,
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
        for (event, range) in parser.into_offset_iter() {
            let range = range.start + self.body..range.end + self.body;
            layout.see(&event, &range);
            if self.in_opaque_block {
                if matches!(event, Event::End(TagEnd::CodeBlock | TagEnd::HtmlBlock)) {
                    self.in_opaque_block = false;
                    self.depth -= 1;
                    self.last_block = range;
                }
            } else if opaque::is_inline(&event) {
                self.inline(event, range);
            } else {
                self.block(event, range);
            }
        }
        self.end_leaf();
        for (destination, span) in definitions {
            self.definition(&destination, span.start + self.body..span.end + self.body);
        }
        self.found.links.sort_by_key(|link| (link.span.start, link.span.end));
    }

    fn block(&mut self, event: Event<'t>, range: Range<usize>) {
        self.end_leaf();
        match event {
            Event::Start(tag) => {
                match &tag {
                    Md::Heading { level, .. } if self.depth == 0 => {
                        let shape = measure(self.source, self.body, range);
                        let text = String::with_capacity(shape.raw.len());
                        self.title = Some(Title { level: *level as u8, shape, text });
                    }
                    Md::CodeBlock(kind) => {
                        if self.depth == 0 && matches!(kind, CodeBlockKind::Fenced(_)) {
                            self.look_for_closing_fence(range);
                        }
                        self.in_opaque_block = true;
                    }
                    Md::HtmlBlock => self.in_opaque_block = true,
                    Md::TableCell => self.in_table_cell = true,
                    _ => {}
                }
                self.depth += 1;
            }
            Event::End(tag) => {
                self.depth -= 1;
                match tag {
                    TagEnd::Heading(_) => self.end_heading(),
                    TagEnd::TableCell => self.in_table_cell = false,
                    _ => {}
                }
                self.last_block = range;
            }
            _ => {}
        }
    }

    fn inline(&mut self, event: Event<'t>, range: Range<usize>) {
        let in_table = self.in_table_cell;
        let leaf = self.leaf.get_or_insert_with(|| Leaf { range: range.clone(), opaque: Vec::new(), in_table });
        leaf.range = leaf.range.start.min(range.start)..leaf.range.end.max(range.end);
        if matches!(event, Event::Code(_) | Event::InlineHtml(_) | Event::InlineMath(_) | Event::DisplayMath(_)) {
            leaf.opaque.push(range.clone());
        }
        if let Some(title) = &mut self.title {
            push_title_text(title, &event, range.clone(), self.source, &self.masked.hidden);
        }
        let is_start = matches!(event, Event::Start(_));
        match event {
            Event::Start(Md::Link { link_type, dest_url, .. }) => {
                self.open_link(link_type, dest_url, &range, false);
            }
            Event::Start(Md::Image { link_type, dest_url, .. }) => {
                self.open_link(link_type, dest_url, &range, true);
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

    fn open_link(&mut self, kind: LinkType, destination: CowStr<'t>, range: &Range<usize>, is_image: bool) {
        if matches!(kind, LinkType::Autolink | LinkType::Email)
            && let Some(leaf) = &mut self.leaf
        {
            leaf.opaque.push(range.clone());
        }
        let destination = matches!(kind, LinkType::Inline).then_some(destination);
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
        let alias = self.source.get(text_start..bracket).map(str::to_owned);
        let link = link::destination(self.source, span, raw, &unescaped, is_angle);
        self.found.links.extend(link.map(|link| Link { embed: is_image, alias, ..link }));
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
        let link = link::destination(self.source, span, raw, unescaped, is_angle);
        self.found.links.extend(link.map(|link| Link { kind: LinkKind::Definition, ..link }));
    }

    fn end_leaf(&mut self) {
        let Some(mut leaf) = self.leaf.take() else {
            return;
        };
        let hidden = &self.masked.hidden;
        let first = hidden.partition_point(|range| range.end <= leaf.range.start);
        leaf.opaque.extend(hidden[first..].iter().take_while(|range| range.start < leaf.range.end).cloned());
        leaf.settle();
        // Most text holds neither.
        if memchr::memchr2(b'[', b'#', &self.source.as_bytes()[leaf.range.clone()]).is_some() {
            self.wikilinks_and_tags(&leaf);
        }
        self.n_links_before_leaf = self.found.links.len();
        self.block_id(&leaf);
    }

    fn wikilinks_and_tags(&mut self, leaf: &Leaf) {
        let wikilinks = inline::wikilinks(self.source, leaf);
        for span in inline::tags(self.source, leaf, &wikilinks) {
            let name = self.source[span.start + 1..span.end].to_owned();
            self.found.tags.push(Tag { name, line: self.text.line_of(span.start), span });
        }
        // `[[a]](b)` is a wikilink with something behind it, and `[[a|[b](c)]]` one with an alias.
        if !wikilinks.is_empty() && self.n_links_before_leaf < self.found.links.len() {
            let of_leaf = self.found.links.split_off(self.n_links_before_leaf);
            let stands = |link: &Link| {
                let after = wikilinks.partition_point(|wiki| wiki.span.start <= link.span.start);
                let around = wikilinks[..after].last();
                around.is_none_or(|wiki| wiki.span.start < link.span.start && wiki.span.end <= link.span.start)
            };
            self.found.links.extend(of_leaf.into_iter().filter(stands));
        }
        self.found.links.extend(wikilinks);
    }

    fn block_id(&mut self, leaf: &Leaf) {
        // `# ^id` is a title, not an id of what stands before it.
        if self.title.as_ref().is_some_and(|title| title.shape.block_id.is_none()) {
            return;
        }
        let slice = &self.source[leaf.range.clone()];
        let Some((before, id)) = trailing_block_id(slice) else {
            return;
        };
        let start = leaf.range.start + before.len();
        if holds(&leaf.opaque, start).is_some() {
            return;
        }
        let block = if before.trim().is_empty() {
            self.last_block.clone()
        } else {
            leaf.range.start..leaf.range.start + before.trim_end().len()
        };
        let span = start..start + 1 + id.len();
        let line = self.text.line_of(start);
        self.found.blocks.push(BlockId { id: id.to_owned(), span, block, line });
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
            line: self.text.line_of(shape.title.start.max(shape.span.start)),
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

/// Adds what an event shows to a title. Comments and block ids show nothing, math shows its source.
fn push_title_text(title: &mut Title, event: &Event<'_>, range: Range<usize>, source: &str, hidden: &[Range<usize>]) {
    if range.start >= title.shape.title.end {
        return;
    }
    match event {
        Event::Text(CowStr::Borrowed(shown)) if shown.len() == range.len() => {
            let range = range.start..range.end.min(title.shape.title.end);
            let mut at = range.start;
            let first = hidden.partition_point(|hidden| hidden.end <= range.start);
            for hidden in hidden[first..].iter().take_while(|hidden| hidden.start < range.end) {
                let is_math = source[hidden.clone()].starts_with('$');
                if !is_math {
                    title.text.push_str(source.get(at..hidden.start.max(at)).unwrap_or(""));
                    at = hidden.end;
                }
            }
            title.text.push_str(source.get(at..range.end).unwrap_or(""));
        }
        Event::Text(shown) | Event::Code(shown) => title.text.push_str(shown),
        Event::InlineMath(_) | Event::DisplayMath(_) | Event::FootnoteReference(_) => {
            title.text.push_str(&source[range]);
        }
        Event::SoftBreak | Event::HardBreak => title.text.push(' '),
        _ => {}
    }
}
