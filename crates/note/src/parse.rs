//! Reading a note: one pass of the Markdown parser, and one over its text for Obsidian's syntax.

use std::collections::HashMap;
use std::ops::Range;

use pulldown_cmark::{CodeBlockKind, CowStr, Event, LinkType, Parser, Tag as Md, TagEnd};
use serde::{Deserialize, Serialize};

use crate::frontmatter::{self, Frontmatter, FrontmatterError};
use crate::hash::ContentHash;
use crate::heading::{Heading, Tally, heading_key, measure, trailing_block_id};
use crate::inline::{self, Leaf};
use crate::link::{self, Link, LinkKind};
use crate::opaque::{self, Masked, holds};
use crate::path::{RelPath, fold};
use crate::text::NoteText;

/// What a note holds, with the place of everything. Offsets count bytes of the whole text.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Note {
    /// The headings in the order of the text.
    pub headings: Vec<Heading>,
    /// The links in the order of the text, those of properties first.
    pub links: Vec<Link>,
    /// The tags in the body.
    pub tags: Vec<Tag>,
    /// The block ids.
    pub blocks: Vec<BlockId>,
    /// The properties.
    pub frontmatter: Option<Frontmatter>,
    /// Where the body starts: behind the properties, or behind a byte order mark.
    pub body: usize,
    /// Comments and math blocks, which Obsidian does not read as Markdown.
    pub hidden: Vec<Range<usize>>,
    /// What a person may want to mend.
    pub problems: Vec<Problem>,
    /// The length of the text.
    pub len: usize,
    /// The number of lines of the text.
    pub n_lines: u32,
    /// The hash of the text.
    pub hash: ContentHash,
}

/// A tag in the body.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tag {
    /// The name without its `#`.
    pub name: String,
    /// The bytes, `#` included.
    pub span: Range<usize>,
    /// The 1-based line.
    pub line: u32,
}

/// A block that links can point at.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BlockId {
    /// The id without its `^`.
    pub id: String,
    /// The bytes of `^id`.
    pub span: Range<usize>,
    /// The block that it names.
    pub block: Range<usize>,
    /// The 1-based line of the id.
    pub line: u32,
}

/// Something that makes a note read otherwise than it looks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Problem {
    /// The 1-based line where it starts.
    pub line: u32,
    /// What it is.
    pub kind: ProblemKind,
}

/// The kinds of [`Problem`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ProblemKind {
    /// A code fence that is never closed hides the rest of the note.
    UnclosedFence,
    /// A comment that is never closed hides the rest of the note.
    UnclosedComment,
    /// The properties cannot be read.
    Frontmatter(FrontmatterError),
    /// The file is not UTF-8.
    NotUtf8,
}

impl std::fmt::Display for Problem {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Problem { line, kind } = self;
        match kind {
            ProblemKind::UnclosedFence => write!(f, "code fence on line {line} is not closed"),
            ProblemKind::UnclosedComment => write!(f, "comment on line {line} is not closed"),
            ProblemKind::Frontmatter(error) => write!(f, "{error} (line {line})"),
            ProblemKind::NotUtf8 => f.write_str("text is not UTF-8"),
        }
    }
}

impl Note {
    /// The title: the `title` property, else the first heading of level 1, else the file's name.
    pub fn title(&self, path: &RelPath) -> String {
        let property = self.property("title").and_then(|value| value.as_text());
        let heading = || self.headings.iter().find(|heading| heading.level == 1).map(|h| h.text.as_str());
        [property, heading()]
            .into_iter()
            .flatten()
            .map(str::trim)
            .find(|title| !title.is_empty())
            .unwrap_or(path.stem())
            .to_owned()
    }

    /// The `aliases` property.
    pub fn aliases(&self) -> Vec<String> {
        let texts = self.property("aliases").map(|value| value.texts()).unwrap_or_default();
        texts.into_iter().map(|t| t.trim().to_owned()).filter(|t| !t.is_empty()).collect()
    }

    /// The tags of the properties and of the body, each once in its first spelling.
    pub fn all_tags(&self) -> Vec<String> {
        let listed = self.property("tags").map(|value| value.texts()).unwrap_or_default();
        let listed = listed.into_iter().map(|tag| tag.trim().trim_start_matches('#')).filter(|tag| inline::is_tag(tag));
        let mut seen = std::collections::HashSet::new();
        listed
            .chain(self.tags.iter().map(|tag| tag.name.as_str()))
            .filter(|tag| seen.insert(fold(tag)))
            .map(str::to_owned)
            .collect()
    }

    fn property(&self, key: &str) -> Option<&frontmatter::Value> {
        Some(&self.frontmatter.as_ref()?.get(key)?.value)
    }
}

/// Reads a note. Never fails: what cannot be read is a [`Problem`].
pub fn parse(text: &NoteText) -> Note {
    let source = text.as_str();
    let start = text.content_start();
    let found = frontmatter::find(source, start);
    let (frontmatter, mut links) = match found {
        Some(found) => (Some(found.frontmatter), found.links),
        None => (None, Vec::new()),
    };
    let body = frontmatter.as_ref().map_or(start, |frontmatter| frontmatter.span.end);
    let masked = opaque::mask(source, body);
    let mut reader = Reader::new(text, &masked, body);
    reader.read();

    let Reader { headings, links: body_links, tags, blocks, unclosed_fence, .. } = reader;
    links.extend(body_links);
    for link in &mut links {
        link.line = text.line_of(link.span.start);
    }
    let mut problems = Vec::new();
    if !text.is_exact() {
        problems.push(Problem { line: 1, kind: ProblemKind::NotUtf8 });
    }
    if let Some(error) = frontmatter.as_ref().and_then(|frontmatter| frontmatter.error.clone()) {
        let line = if let FrontmatterError::NotYaml { line, .. } = &error { *line } else { 1 };
        problems.push(Problem { line, kind: ProblemKind::Frontmatter(error) });
    }
    let hiding =
        [(unclosed_fence, ProblemKind::UnclosedFence), (masked.unclosed_comment, ProblemKind::UnclosedComment)];
    for (at, kind) in hiding {
        problems.extend(at.map(|at| Problem { line: text.line_of(at), kind }));
    }
    Note {
        headings: related(headings),
        links,
        tags,
        blocks,
        frontmatter,
        body,
        hidden: masked.hidden,
        problems,
        len: source.len(),
        n_lines: text.n_lines(),
        hash: text.hash(),
    }
}

struct Reader<'t> {
    text: &'t NoteText,
    source: &'t str,
    masked: &'t Masked,
    body: usize,
    headings: Vec<Heading>,
    links: Vec<Link>,
    tags: Vec<Tag>,
    blocks: Vec<BlockId>,
    unclosed_fence: Option<usize>,
    /// How many blocks are open around the current one.
    depth: usize,
    in_table_cell: bool,
    /// Inside a code or HTML block.
    in_opaque_block: bool,
    leaf: Option<Leaf>,
    open_links: Vec<OpenLink<'t>>,
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
    shape: crate::heading::Shape,
    text: String,
}

impl<'t> Reader<'t> {
    fn new(text: &'t NoteText, masked: &'t Masked, body: usize) -> Reader<'t> {
        Reader {
            text,
            source: text.as_str(),
            masked,
            body,
            headings: Vec::new(),
            links: Vec::new(),
            tags: Vec::new(),
            blocks: Vec::new(),
            unclosed_fence: None,
            depth: 0,
            in_table_cell: false,
            in_opaque_block: false,
            leaf: None,
            open_links: Vec::new(),
            title: None,
            last_block: body..body,
        }
    }

    fn read(&mut self) {
        let masked = self.masked;
        let parser = Parser::new_ext(&masked.text[self.body..], opaque::options());
        let definitions: Vec<(String, Range<usize>)> = parser
            .reference_definitions()
            .iter()
            .map(|(_, definition)| (definition.dest.to_string(), definition.span.clone()))
            .collect();
        for (event, range) in parser.into_offset_iter() {
            let range = range.start + self.body..range.end + self.body;
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
        self.links.sort_by_key(|link| (link.span.start, link.span.end));
    }

    fn block(&mut self, event: Event<'t>, range: Range<usize>) {
        self.end_leaf();
        match event {
            Event::Start(tag) => {
                match &tag {
                    Md::Heading { level, .. } if self.depth == 0 => {
                        let shape = measure(self.source, range);
                        self.title = Some(Title { level: *level as u8, shape, text: String::new() });
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
        self.links.extend(link.map(|link| Link { embed: is_image, alias, ..link }));
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
        self.links.extend(link.map(|link| Link { kind: LinkKind::Definition, ..link }));
    }

    fn end_leaf(&mut self) {
        let Some(mut leaf) = self.leaf.take() else {
            return;
        };
        let hidden = &self.masked.hidden;
        let first = hidden.partition_point(|range| range.end <= leaf.range.start);
        leaf.opaque.extend(hidden[first..].iter().take_while(|range| range.start < leaf.range.end).cloned());
        leaf.settle();
        let wikilinks = inline::wikilinks(self.source, &leaf);
        let spans: Vec<Range<usize>> = wikilinks.iter().map(|link| link.span.clone()).collect();
        for span in inline::tags(self.source, &leaf, &spans) {
            let name = self.source[span.start + 1..span.end].to_owned();
            self.tags.push(Tag { name, line: self.text.line_of(span.start), span });
        }
        // `[[a]](b)` is a wikilink with something behind it.
        let starts_one = |link: &Link| wikilinks.iter().any(|wiki| wiki.span.start == link.span.start);
        if !wikilinks.is_empty() {
            let from = self.links.partition_point(|link| link.span.start < leaf.range.start);
            let mut at = from;
            while at < self.links.len() {
                if starts_one(&self.links[at]) {
                    self.links.remove(at);
                } else {
                    at += 1;
                }
            }
        }
        self.links.extend(wikilinks);
        self.block_id(&leaf);
    }

    fn block_id(&mut self, leaf: &Leaf) {
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
        self.blocks.push(BlockId { id: id.to_owned(), span, block, line });
    }

    fn end_heading(&mut self) {
        let Some(Title { level, shape, text }) = self.title.take() else {
            return;
        };
        self.headings.push(Heading {
            level,
            text: text.trim().to_owned(),
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
            self.unclosed_fence = Some(range.start);
        }
    }
}

/// Adds what an event shows to a title. Comments and block ids show nothing.
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
                title.text.push_str(source.get(at..hidden.start.max(at)).unwrap_or(""));
                at = hidden.end;
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

/// Fills in what headings are to each other.
fn related(mut headings: Vec<Heading>) -> Vec<Heading> {
    let mut open: Vec<usize> = Vec::new();
    for index in 0..headings.len() {
        let level = headings[index].level;
        while open.last().is_some_and(|&above| headings[above].level >= level) {
            open.pop();
        }
        headings[index].parent = open.last().copied();
        open.push(index);
    }
    // One number for every different ancestry.
    let mut ancestry: Vec<usize> = Vec::with_capacity(headings.len());
    let mut known: HashMap<(Option<usize>, &str), usize> = HashMap::new();
    let mut of_text: HashMap<(&str, u8), Vec<usize>> = HashMap::new();
    let mut of_path: Vec<Vec<usize>> = Vec::new();
    for (index, heading) in headings.iter().enumerate() {
        let parent = heading.parent.map(|parent| ancestry[parent]);
        let id = *known.entry((parent, &heading.text)).or_insert_with(|| {
            of_path.push(Vec::new());
            of_path.len() - 1
        });
        ancestry.push(id);
        of_path[id].push(index);
        of_text.entry((&heading.text, heading.level)).or_default().push(index);
    }
    let groups_of_text: Vec<Vec<usize>> = of_text.into_values().collect();
    for group in of_path {
        for (nth, index) in group.iter().enumerate() {
            headings[*index].same_path = Tally { nth: nth as u32 + 1, of: group.len() as u32 };
        }
    }
    for group in groups_of_text {
        for (nth, index) in group.iter().enumerate() {
            headings[*index].same_text = Tally { nth: nth as u32 + 1, of: group.len() as u32 };
        }
    }
    headings
}

#[cfg(test)]
mod tests;
