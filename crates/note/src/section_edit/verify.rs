//! Applying a planned change, and reading the result again before anybody sees it.

use std::ops::Range;

use super::content::Content;
use super::{SectionEditError, SectionEdited};
use crate::blocks::{self, BlockKind};
use crate::changed;
use crate::edit::{Edit, Edits};
use crate::heading::{Heading, HeadingStyle};
use crate::link::LinkKind;
use crate::parse::{Note, parse};
use crate::text::NoteText;

mod reason;

/// A piece of the new text.
#[derive(Debug, Clone)]
pub(super) enum Part {
    /// Bytes of the old text.
    Kept(Range<usize>),
    /// Bytes that were not there.
    New(String),
}

/// What is to happen, with what must be true afterwards.
pub(super) struct Planned {
    /// The heading whose section changes.
    section: usize,
    /// What is replaced where it stands.
    replaced: Vec<Edit>,
    /// What is taken from one place to another.
    moved: Option<Moved>,
    /// The headings whose level changes, and by how much.
    relevelled: (Range<usize>, i8),
    /// The heading that the moved section must belong to.
    parent: Option<Option<usize>>,
    /// A block of the old text that the content goes on with, and that may grow.
    grown: Option<Range<usize>>,
}

pub(super) struct Moved {
    /// The bytes that leave their place.
    pub cut: Range<usize>,
    /// Where they go.
    pub at: usize,
    /// What goes there.
    pub parts: Vec<Part>,
    /// The headings that go there.
    pub headings: Range<usize>,
}

/// Blank lines that keep apart what would read as one.
#[derive(Debug, Clone, Copy, Default)]
struct Blanks {
    before_moved: bool,
    behind_moved: bool,
    at_cut: bool,
}

/// What is not as it was.
enum Difference {
    Frontmatter,
    /// A heading of the old text is gone, or reads otherwise.
    Heading(usize),
    /// A heading of the old text belongs to another one.
    Parent(usize),
    /// A heading of the new text is none of the content's.
    NewHeading(usize),
    /// Something at a byte of the old text.
    Node(usize),
    /// Something is not closed.
    Problem(usize),
}

/// A change that was applied and read again.
struct Attempt {
    edits: Edits,
    text: NoteText,
    note: Note,
    /// Stretches of the old text, and where they are in the new one.
    kept: Vec<(Range<usize>, usize)>,
}

impl Planned {
    /// A stretch of a section replaced.
    pub fn insertion(section: usize, cut: Range<usize>, new: String, grown: Option<Range<usize>>) -> Planned {
        let is_edit = !cut.is_empty() || !new.is_empty();
        let replaced = is_edit.then_some(Edit { range: cut, new }).into_iter().collect();
        Planned { section, replaced, moved: None, relevelled: (0..0, 0), parent: None, grown }
    }

    /// A section taken to another place, or left in its place, with other levels.
    pub fn movement(
        section: usize,
        moved: Result<Moved, Vec<Edit>>,
        relevelled: (Range<usize>, i8),
        parent: Option<usize>,
    ) -> Planned {
        let (moved, replaced) = match moved {
            Ok(moved) => (Some(moved), Vec::new()),
            Err(replaced) => (None, replaced),
        };
        Planned { section, replaced, moved, relevelled, parent: Some(parent), grown: None }
    }

    /// Carries the change out, with as few added blank lines as keep the note's structure.
    pub fn with_blank_lines(
        &self,
        text: &NoteText,
        note: &Note,
        content: Option<&Content>,
    ) -> Result<SectionEdited, SectionEditError> {
        if !text.is_exact() {
            return Err(SectionEditError::NotUtf8);
        }
        let mut first_failure = None;
        for bits in 0..8u8 {
            let blanks = Blanks { at_cut: bits & 1 > 0, before_moved: bits & 2 > 0, behind_moved: bits & 4 > 0 };
            if self.moved.is_none() && bits > 1 {
                break;
            }
            let Some(attempt) = self.attempt(text, blanks) else { continue };
            match self.verify(text, note, &attempt) {
                Ok(moved) => return Ok(self.edited(note, attempt, moved)),
                Err(difference) => first_failure = first_failure.or(Some((attempt, difference))),
            }
        }
        let Some((attempt, difference)) = first_failure else { return Err(SectionEditError::NotUtf8) };
        Err(reason::explain(text, note, &attempt, &difference, content))
    }

    fn edited(&self, note: &Note, attempt: Attempt, moved: Vec<Option<usize>>) -> SectionEdited {
        let taken: Vec<usize> = (0..moved.len()).filter(|&old| moved[old].is_none()).collect();
        let taken = note.candidates(&taken, |heading| heading.same_text.nth);
        let to_new = |range: &Range<usize>| attempt.to_new(range).map(|new| new.start);
        let moved_blocks = changed::blocks(note, &attempt.note, &to_new);
        let Attempt { edits, text, note, .. } = attempt;
        SectionEdited { edits, text, note, index: moved[self.section], moved, moved_blocks, taken }
    }

    fn attempt(&self, text: &NoteText, blanks: Blanks) -> Option<Attempt> {
        let eol = text.eol().as_str();
        let source = text.as_str();
        let mut edits = self.replaced.clone();
        // Every edit, with the parts that its replacement is made of.
        let mut made: Vec<(Range<usize>, Vec<Part>)> = Vec::new();
        if let Some(Moved { cut, at, parts, .. }) = &self.moved {
            let blank = |is_wanted: bool| is_wanted.then(|| Part::New(eol.to_owned()));
            let parts: Vec<Part> = blank(blanks.before_moved)
                .into_iter()
                .chain(parts.iter().cloned())
                .chain(blank(blanks.behind_moved))
                .collect();
            let new = parts.iter().map(|part| part.text(source)).collect();
            edits.push(Edit { range: *at..*at, new });
            edits.push(Edit { range: cut.clone(), new: String::new() });
            made.push((*at..*at, parts));
        }
        if blanks.at_cut {
            edits.last_mut()?.new.push_str(eol);
        }
        let edits = Edits::new(text, edits);
        let mut kept = Vec::new();
        let (mut from, mut new_at) = (0, 0);
        for edit in &edits.edits {
            kept.push((from..edit.range.start, new_at));
            new_at += edit.range.start.checked_sub(from)?;
            from = edit.range.end;
            let mut part_at = new_at;
            let parts = made.iter().find(|(range, _)| *range == edit.range).map_or(&[][..], |(_, parts)| parts);
            for part in parts {
                if let Part::Kept(range) = part {
                    kept.push((range.clone(), part_at));
                }
                part_at += part.text(source).len();
            }
            new_at += edit.new.len();
        }
        kept.push((from..source.len(), new_at));
        kept.retain(|(range, _)| !range.is_empty());
        let after = edits.apply(text).ok()?;
        let note = parse(&after);
        Some(Attempt { edits, text: after, note, kept })
    }

    /// The headings of the old text in the order of the new one, and how many of them stand before
    /// headings that come in.
    fn order(&self, note: &Note) -> (Vec<usize>, usize) {
        let all = 0..note.headings.len();
        let start = |index: usize| note.headings[index].span.start.max(note.body);
        match &self.moved {
            Some(Moved { at, headings, .. }) => {
                let (before, behind): (Vec<usize>, Vec<usize>) =
                    all.filter(|index| !headings.contains(index)).partition(|&index| start(index) < *at);
                let order: Vec<usize> = before.into_iter().chain(headings.clone()).chain(behind).collect();
                let n_before = order.len();
                (order, n_before)
            }
            None if self.parent.is_some() => (all.clone().collect(), all.end),
            None => {
                let cut = self.replaced.first().map_or(0..0, |edit| edit.range.clone());
                let order: Vec<usize> = all.filter(|&index| !cut.contains(&start(index))).collect();
                let n_before = order.iter().filter(|&&index| start(index) < cut.start).count();
                (order, n_before)
            }
        }
    }

    /// Checks that the change did what it should and nothing else; returns where each heading went.
    fn verify(&self, text: &NoteText, note: &Note, attempt: &Attempt) -> Result<Vec<Option<usize>>, Difference> {
        let after = &attempt.note;
        if note.frontmatter != after.frontmatter || note.body != after.body {
            return Err(Difference::Frontmatter);
        }
        let moved = self.headings(note, after)?;
        let (old, new) = (nodes(text, note), nodes(&attempt.text, after));
        if let Some(node) = first_difference(old, new, attempt, self.grown.as_ref()) {
            return Err(Difference::Node(node));
        }
        let is_known = |kind| note.problems.iter().any(|problem| problem.kind == kind);
        if let Some(at) = after.problems.iter().position(|problem| !is_known(problem.kind.clone())) {
            return Err(Difference::Problem(at));
        }
        Ok(moved)
    }

    fn headings(&self, note: &Note, after: &Note) -> Result<Vec<Option<usize>>, Difference> {
        let (order, n_before) = self.order(note);
        let section = &note.headings[self.section];
        let n_new = after.headings.len().checked_sub(order.len());
        let n_shift = n_new.unwrap_or(0);
        let mut moved: Vec<Option<usize>> = vec![None; note.headings.len()];
        for (rank, &old) in order.iter().enumerate() {
            let new = rank + if rank >= n_before { n_shift } else { 0 };
            let is_same =
                after.headings.get(new).is_some_and(|heading| self.is_same(old, &note.headings[old], heading));
            if !is_same {
                return Err(Difference::Heading(old));
            }
            moved[old] = Some(new);
        }
        if n_new.is_none() {
            return Err(Difference::Heading(order.last().copied().unwrap_or(self.section)));
        }
        let comes_in = n_before..n_before + n_shift;
        for new in comes_in.clone() {
            if self.parent.is_some() || after.headings[new].level <= section.level {
                return Err(Difference::NewHeading(new));
            }
        }
        for &old in &order {
            let parent = match self.parent {
                Some(parent) if old == self.section => parent,
                _ => note.headings[old].parent,
            };
            let is = moved[old].and_then(|new| after.headings[new].parent);
            if is != parent.and_then(|parent| moved[parent]) {
                return Err(Difference::Parent(old));
            }
        }
        // A heading that the content brings back is the one that was there.
        for new in comes_in {
            let key = &after.headings[new].key;
            let is_it = |old: &usize| moved[*old].is_none() && note.headings[*old].key == *key;
            if let Some(old) = (0..moved.len()).find(is_it) {
                moved[old] = Some(new);
            }
        }
        Ok(moved)
    }

    fn is_same(&self, index: usize, old: &Heading, new: &Heading) -> bool {
        let delta = if self.relevelled.0.contains(&index) { self.relevelled.1 } else { 0 };
        let level = old.level.saturating_add_signed(delta);
        let style = if level > 2 { HeadingStyle::Atx } else { old.style };
        level == new.level && style == new.style && old.raw == new.raw && old.block_id == new.block_id
    }
}

impl Part {
    fn text<'t>(&'t self, source: &'t str) -> &'t str {
        match self {
            Part::Kept(range) => &source[range.clone()],
            Part::New(new) => new,
        }
    }
}

impl Attempt {
    /// Where a stretch of the old text is in the new one, if it was kept in one piece.
    fn to_new(&self, range: &Range<usize>) -> Option<Range<usize>> {
        let holds = |kept: &Range<usize>| kept.start <= range.start && range.end <= kept.end;
        let (kept, new) = self.kept.iter().find(|(kept, _)| holds(kept))?;
        Some(range.start - kept.start + new..range.end - kept.start + new)
    }

    /// Where a byte of the new text was in the old one.
    fn to_old(&self, at: usize) -> Option<usize> {
        let (kept, new) = self.kept.iter().find(|(kept, new)| *new <= at && at < new + kept.len())?;
        Some(kept.start + at - new)
    }

    /// Whether a stretch of the new text holds bytes of the old one.
    fn is_old(&self, range: &Range<usize>) -> bool {
        self.kept.iter().any(|(kept, new)| *new < range.end && range.start < new + kept.len())
    }
}

/// Something that a note holds. Its first two fields are its place.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Node<'n> {
    start: usize,
    end: usize,
    what: What<'n>,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum What<'n> {
    Block(BlockKind),
    Link(u8, &'n str, Option<&'n str>),
    Tag,
    BlockId,
    Hidden,
}

fn nodes<'n>(text: &NoteText, note: &'n Note) -> Vec<Node<'n>> {
    let node = |range: &Range<usize>, what| Node { start: range.start, end: range.end, what };
    let link = |kind: LinkKind| match kind {
        LinkKind::Wiki => 0,
        LinkKind::Markdown => 1,
        LinkKind::Definition => 2,
        LinkKind::Property => 3,
    };
    let blocks = blocks::outermost(text.as_str(), note.body);
    let mut nodes: Vec<Node<'n>> = blocks.iter().map(|block| node(&block.range, What::Block(block.kind))).collect();
    nodes.extend(
        note.links
            .iter()
            .filter(|of| of.kind != LinkKind::Property)
            .map(|of| node(&of.span, What::Link(link(of.kind), &of.target, of.subpath.as_deref()))),
    );
    nodes.extend(note.tags.iter().map(|tag| node(&tag.span, What::Tag)));
    nodes.extend(note.blocks.iter().map(|block| node(&block.span, What::BlockId)));
    nodes.extend(note.hidden.iter().map(|hidden| node(hidden, What::Hidden)));
    nodes
}

/// The first byte of the old text where something is not what it was.
fn first_difference(
    old: Vec<Node<'_>>,
    new: Vec<Node<'_>>,
    attempt: &Attempt,
    grown: Option<&Range<usize>>,
) -> Option<usize> {
    let grown_new = grown.and_then(|grown| attempt.to_new(grown));
    let may_grow = |node: &Node<'_>| {
        let covers = |grown: &Range<usize>| node.start <= grown.start && grown.end <= node.end;
        matches!(node.what, What::Block(_)) && grown_new.as_ref().is_some_and(covers)
    };
    let mut wanted: Vec<Node<'_>> = Vec::with_capacity(old.len());
    for node in old {
        if let Some(range) = attempt.to_new(&(node.start..node.end)) {
            wanted.push(Node { start: range.start, end: range.end, ..node });
        }
    }
    let mut found: Vec<Node<'_>> = new.into_iter().filter(|node| attempt.is_old(&(node.start..node.end))).collect();
    for list in [&mut wanted, &mut found] {
        // Headings are compared as headings: one that got another level is in pieces.
        list.retain(|node| !may_grow(node) && node.what != What::Block(BlockKind::Heading));
        list.sort();
    }
    let n_same = wanted.iter().zip(&found).take_while(|(wanted, found)| wanted == found).count();
    let place = |list: &[Node<'_>]| list.get(n_same).map(|node| node.start);
    let at = [place(&wanted), place(&found)].into_iter().flatten().min()?;
    let next = || attempt.kept.iter().filter(|(_, new)| *new >= at).min_by_key(|(_, new)| *new);
    attempt.to_old(at).or_else(|| next().map(|(kept, _)| kept.start))
}
