//! The ids at the ends of lines, and the blocks that they name.

use std::ops::Range;

use super::Reader;
use crate::heading::trailing_block_id;
use crate::inline::Leaf;
use crate::opaque::holds;
use crate::parse::BlockId;

impl Reader<'_> {
    /// Takes in the ids at the ends of the leaf's lines. The last one may name what stands before the leaf.
    pub(super) fn block_ids(&mut self, leaf: &Leaf, from: usize) {
        let bytes = &self.source.as_bytes()[leaf.range.clone()];
        if memchr::memchr(b'^', &bytes[from - leaf.range.start..]).is_none() {
            return;
        }
        if let Some(title) = &self.title {
            // `# ^id` is a title, not an id of what stands before it.
            if title.shape.block_id.is_some() {
                self.block_id(leaf, leaf.range.end, false);
            }
            return;
        }
        for eol in memchr::memchr2_iter(b'\n', b'\r', bytes) {
            let is_first_of_two = bytes[eol] == b'\r' && bytes.get(eol + 1) == Some(&b'\n');
            if !is_first_of_two && eol + 1 < bytes.len() {
                self.block_id(leaf, leaf.range.start + eol, true);
            }
        }
        self.block_id(leaf, leaf.range.end, false);
    }

    /// Takes in the id that ends at a byte of the leaf.
    fn block_id(&mut self, leaf: &Leaf, end: usize, goes_on: bool) {
        let slice = &self.source[leaf.range.start..end];
        let Some((before, id)) = trailing_block_id(slice).or_else(|| self.id_behind_link(leaf.range.start, slice))
        else {
            return;
        };
        // A line that is an id names what stands before it only if nothing follows.
        let line = &before[memchr::memrchr2(b'\n', b'\r', before.as_bytes()).map_or(0, |eol| eol + 1)..];
        if goes_on && line.trim_matches([' ', '\t', '>']).is_empty() {
            return;
        }
        let start = leaf.range.start + before.len();
        if holds(&leaf.opaque, start).is_some() {
            return;
        }
        let text = leaf.range.start..leaf.range.start + before.trim_end().len();
        // Inside a quote or a table an id names the whole of it, but that of a list item names the item.
        let whole = self.containers.iter().rev().map_while(Option::as_ref).last();
        let block = match (text.is_empty(), goes_on) {
            _ if whole.is_some() => whole.cloned().unwrap_or(text),
            (_, true) => leaf.range.start..leaf.range.start + self.source[leaf.range.clone()].trim_end().len(),
            (false, _) => text,
            // `- ^id` names its own item.
            (true, _) if self.begins_item => leaf.range.clone(),
            (true, _) => self.block_before(leaf.range.start),
        };
        let span = start..start + 1 + id.len();
        let line = self.lines.line_of(start);
        self.found.blocks.push(BlockId { id: id.to_owned(), span, block, line });
    }

    /// Splits `![[picture]]^id`: behind a wikilink an id needs no blank.
    fn id_behind_link<'s>(&self, start: usize, text: &'s str) -> Option<(&'s str, &'s str)> {
        let text = text.trim_end_matches([' ', '\t', '\r', '\n']);
        let n_id = text.bytes().rev().take_while(|&b| b.is_ascii_alphanumeric() || b == b'-').count();
        let (before, id) = text.split_at(text.len() - n_id);
        let before = before.strip_suffix('^').filter(|before| !id.is_empty() && before.ends_with("]]"))?;
        let wikilinks = &self.found.links[self.first_wikilink..];
        let caret = start + before.len();
        wikilinks.binary_search_by_key(&caret, |link| link.span.end).is_ok().then_some((before, id))
    }

    /// The last block before a byte; a `$$` block is one, though the Markdown parser does not see it.
    fn block_before(&self, at: usize) -> Range<usize> {
        let hidden = &self.masked.hidden;
        let last = hidden[..hidden.partition_point(|range| range.end <= at)].last();
        let is_block = |math: &&Range<usize>| {
            let between = self.source.get(math.end..at).unwrap_or("-");
            math.start >= self.last_block.end.min(at)
                && self.source[(*math).clone()].starts_with('$')
                && between.trim().is_empty()
        };
        last.filter(is_block).unwrap_or(&self.last_block).clone()
    }
}
