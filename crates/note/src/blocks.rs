//! The outermost blocks of a text: what stands beside a heading, not inside of anything.

use std::ops::Range;

use pulldown_cmark::{CodeBlockKind, Event, Parser, Tag, TagEnd};

use crate::opaque;

/// What an outermost block is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum BlockKind {
    Paragraph,
    Heading,
    Quote,
    List,
    IndentedCode,
    Fence,
    Html,
    Table,
    Rule,
    Other,
}

/// An outermost block, without the blanks around it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Block {
    pub kind: BlockKind,
    pub range: Range<usize>,
}

/// The outermost blocks of a text from `body` on. Comments and math blocks are none.
pub(crate) fn outermost(text: &str, body: usize) -> Vec<Block> {
    let (_, blocks) = opaque::read_masked(text, body, |masked, layout| blocks_of(masked, body, layout));
    blocks
}

fn blocks_of(masked: &opaque::Masked<'_>, body: usize, layout: &mut opaque::Layout) -> Vec<Block> {
    let opaque::Masked { text: masked, hidden, .. } = masked;
    let mut blocks = Vec::new();
    let mut depth = 0usize;
    for (event, range) in Parser::new_ext(&masked[body..], opaque::options()).into_offset_iter() {
        let range = range.start + body..range.end + body;
        if layout.is_wanted {
            layout.see(&event, &range);
        }
        let kind = match &event {
            Event::Start(Tag::Heading { .. }) | Event::End(TagEnd::Heading(_))
                if opaque::is_trace(masked, hidden, &range) =>
            {
                None
            }
            Event::Start(tag) => {
                depth += 1;
                (depth == 1).then(|| kind_of(tag))
            }
            Event::End(_) => {
                depth -= 1;
                None
            }
            Event::Rule if depth == 0 => Some(BlockKind::Rule),
            _ => None,
        };
        if let Some(kind) = kind {
            let slice = &masked[range.clone()];
            let start = range.start + (slice.len() - slice.trim_start().len());
            blocks.push(Block { kind, range: start..start + slice.trim().len() });
        }
    }
    blocks
}

fn kind_of(tag: &Tag<'_>) -> BlockKind {
    match tag {
        Tag::Paragraph => BlockKind::Paragraph,
        Tag::Heading { .. } => BlockKind::Heading,
        Tag::BlockQuote(_) => BlockKind::Quote,
        Tag::List(_) => BlockKind::List,
        Tag::CodeBlock(CodeBlockKind::Indented) => BlockKind::IndentedCode,
        Tag::CodeBlock(CodeBlockKind::Fenced(_)) => BlockKind::Fence,
        Tag::HtmlBlock => BlockKind::Html,
        Tag::Table(_) => BlockKind::Table,
        _ => BlockKind::Other,
    }
}
