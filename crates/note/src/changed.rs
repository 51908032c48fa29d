//! Links that lose what they mean when a note changes.

use std::collections::HashMap;
use std::ops::Range;

use crate::edit::Edits;
use crate::heading::Heading;
use crate::parse::{BlockId, Note};
use crate::section_edit::SectionEdited;

/// A note before and after a change, as the links that lead into it see it.
#[derive(Debug, Clone)]
pub struct NoteChanged<'a> {
    /// The note as it was.
    pub before: &'a Note,
    /// The note as it will be.
    pub after: &'a Note,
    /// Where each heading went.
    headings: Vec<Option<usize>>,
    /// Where each block with an id went.
    blocks: Vec<Option<usize>>,
}

impl<'a> NoteChanged<'a> {
    /// A note changed by edits: what they leave alone is what it was, and what they write again under
    /// the same name is taken for the same.
    pub fn by_edits(before: &'a Note, after: &'a Note, edits: &Edits) -> NoteChanged<'a> {
        let to_new = |range: &Range<usize>| to_new(edits, range);
        let at = |range: &Range<usize>| {
            let new = to_new(range)?;
            after.headings.binary_search_by_key(&new, |heading| heading.title.start).ok()
        };
        let mut headings: Vec<Option<usize>> = before.headings.iter().map(|heading| at(&heading.title)).collect();
        for old in 0..headings.len() {
            if headings[old].is_none() {
                // Edits keep the order, so it can only be between its neighbors.
                let first = headings[..old].iter().rev().find_map(|new| *new).map_or(0, |new| new + 1);
                let end = headings[old..].iter().find_map(|new| *new).unwrap_or(after.headings.len());
                let key = &before.headings[old].key;
                headings[old] = (first..end).find(|&new| after.headings[new].key == *key);
            }
        }
        let blocks = blocks(before, after, &to_new);
        NoteChanged { before, after, headings, blocks }
    }

    /// Whether no link can have lost its target, whatever it says.
    pub fn keeps_all(&self) -> bool {
        let (old, new) = (&self.before.headings, &self.after.headings);
        let is_same = |(old, new): (&Heading, &Heading)| old.level == new.level && old.key == new.key;
        let is_same_id = |(old, new): (&BlockId, &BlockId)| old.id.eq_ignore_ascii_case(&new.id);
        let all_stay = |went: &[Option<usize>]| went.iter().enumerate().all(|(old, new)| *new == Some(old));
        old.len() == new.len()
            && old.iter().zip(new).all(is_same)
            && self.before.blocks.len() == self.after.blocks.len()
            && self.before.blocks.iter().zip(&self.after.blocks).all(is_same_id)
            && all_stay(&self.headings)
            && all_stay(&self.blocks)
    }

    /// What becomes of a link into the note with this subpath (without its `#`), if it led to a
    /// heading or a block and does not lead there any more.
    pub fn lost_target(&self, subpath: &str) -> Option<String> {
        match subpath.trim().strip_prefix('^') {
            Some(id) => self.lost_block(id),
            None => self.lost_heading(subpath),
        }
    }

    fn lost_block(&self, id: &str) -> Option<String> {
        let find = |note: &Note| note.blocks.iter().position(|block| block.id.eq_ignore_ascii_case(id));
        let was = find(self.before)?;
        let now = find(self.after);
        if now.is_some() && now == self.blocks[was] {
            return None;
        }
        let line = self.before.blocks[was].line;
        Some(match now {
            Some(now) => {
                let origin = came_from(&self.blocks, now).map(|old| self.before.blocks[old].line);
                let now = place(origin, self.after.blocks[now].line);
                format!("meant the block on line {line} and now means another of that id ({now})")
            }
            None => format!("meant the block on line {line}, which is gone"),
        })
    }

    fn lost_heading(&self, subpath: &str) -> Option<String> {
        let find = |note: &Note| note.find_heading(subpath).and_then(|chain| chain.last().copied());
        let was = find(self.before)?;
        let now = find(self.after);
        if now.is_some() && now == self.headings[was] {
            return None;
        }
        let old = &self.before.headings[was];
        let now = now.map_or("no heading".to_owned(), |now| {
            let origin = came_from(&self.headings, now).map(|old| self.before.headings[old].line);
            let heading = &self.after.headings[now];
            format!("`{}` ({})", heading.text, place(origin, heading.line))
        });
        Some(format!("meant `{}` (line {}) and now means {now}", old.text, old.line))
    }
}

impl SectionEdited {
    /// The change, as the links that lead into the note see it; `before` is the note as it was.
    pub fn changed<'a>(&'a self, before: &'a Note) -> NoteChanged<'a> {
        NoteChanged { before, after: &self.note, headings: self.moved.clone(), blocks: self.moved_blocks.clone() }
    }
}

/// Finds where each block with an id went; `to_new` says where a stretch that was kept starts now.
pub(crate) fn blocks(
    before: &Note,
    after: &Note,
    to_new: &dyn Fn(&Range<usize>) -> Option<usize>,
) -> Vec<Option<usize>> {
    let starts: HashMap<usize, usize> =
        after.blocks.iter().enumerate().map(|(new, block)| (block.span.start, new)).collect();
    let at = |block: &BlockId| starts.get(&to_new(&block.span)?).copied();
    let mut blocks: Vec<Option<usize>> = before.blocks.iter().map(at).collect();
    for (old, block) in before.blocks.iter().enumerate() {
        if blocks[old].is_none() {
            let is_it = |(new, other): (usize, &BlockId)| {
                other.id.eq_ignore_ascii_case(&block.id) && !blocks.contains(&Some(new))
            };
            blocks[old] = after.blocks.iter().enumerate().position(is_it);
        }
    }
    blocks
}

fn came_from(went: &[Option<usize>], now: usize) -> Option<usize> {
    went.iter().position(|new| *new == Some(now))
}

/// Tells a place in the text afterwards from those in the text before.
fn place(origin: Option<u32>, line: u32) -> String {
    match origin {
        Some(origin) if origin == line => format!("line {line}"),
        Some(origin) => format!("line {origin}, line {line} afterwards"),
        None => format!("new, line {line} afterwards"),
    }
}

/// Where a stretch that edits leave alone starts afterwards.
fn to_new(edits: &Edits, range: &Range<usize>) -> Option<usize> {
    let mut start = range.start;
    for edit in &edits.edits {
        if edit.range.start >= range.end.max(range.start + 1) {
            break;
        }
        if edit.range.end > range.start {
            return None;
        }
        start = start + edit.new.len() - edit.range.len();
    }
    Some(start)
}

#[cfg(test)]
mod tests;
