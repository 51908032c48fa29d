//! Reading a note: one pass of the Markdown parser, and one over its text for Obsidian's syntax.

use std::collections::HashMap;
use std::ops::Range;

use serde::{Deserialize, Serialize};

use crate::frontmatter::{self, Frontmatter, FrontmatterError};
use crate::hash::ContentHash;
use crate::heading::{Heading, Tally};
use crate::inline;
use crate::link::Link;
use crate::opaque;
use crate::path::{RelPath, fold};
use crate::text::{LineCount, NoteText};

mod reader;

mod title;

use reader::Read;

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
    /// The text holds millions of marks; none of them is read.
    TooDense,
}

impl std::fmt::Display for Problem {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Problem { line, kind } = self;
        match kind {
            ProblemKind::UnclosedFence => write!(f, "code fence on line {line} is not closed"),
            ProblemKind::UnclosedComment => write!(f, "comment on line {line} is not closed"),
            ProblemKind::Frontmatter(error) => write!(f, "{error} (line {line})"),
            ProblemKind::NotUtf8 => f.write_str("text is not UTF-8"),
            ProblemKind::TooDense => f.write_str("text holds more marks than any note, so it is read as plain words"),
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
    let found = frontmatter::find(text);
    let (frontmatter, property_links) = match found {
        Some(found) => (Some(found.frontmatter), found.links),
        None => (None, Vec::new()),
    };
    let body = frontmatter.as_ref().map_or(start, |frontmatter| frontmatter.span.end);
    let (masked, read) = opaque::read_masked(source, body, |masked, layout| reader::read(text, masked, body, layout));
    let Read { headings, mut links, tags, blocks, unclosed_fence, n_lines } = read;
    if !property_links.is_empty() {
        let mut lines = LineCount::new(text);
        let mut all = property_links;
        all.iter_mut().for_each(|link| link.line = lines.line_of(link.span.start));
        all.append(&mut links);
        links = all;
    }
    let mut problems = Vec::new();
    if !text.is_exact() {
        problems.push(Problem { line: 1, kind: ProblemKind::NotUtf8 });
    }
    if masked.is_too_dense {
        problems.push(Problem { line: text.line_of(body), kind: ProblemKind::TooDense });
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
        n_lines,
        hash: text.hash(),
    }
}

/// Fills in what headings are to each other.
fn related(mut headings: Vec<Heading>) -> Vec<Heading> {
    // The last heading of each level that is still open.
    let mut open = [None::<usize>; 6];
    for (index, heading) in headings.iter_mut().enumerate() {
        let level = level_index(heading);
        heading.parent = open[..level].iter().rev().find_map(|above| *above);
        open[level] = Some(index);
        open[level + 1..].fill(None);
    }
    if !are_few_and_different(&headings) {
        let tallies = tallies(&headings);
        for (heading, (same_path, same_text)) in headings.iter_mut().zip(tallies) {
            heading.same_path = same_path;
            heading.same_text = same_text;
        }
    }
    headings
}

/// Whether each heading is known to be the only one of its text, as the reader says of every heading.
fn are_few_and_different(headings: &[Heading]) -> bool {
    let is_new = |(index, heading): (usize, &Heading)| headings[..index].iter().all(|other| other.text != heading.text);
    headings.len() <= 2 * FEW && headings.iter().enumerate().all(is_new)
}

/// Which one each heading is among those of the same ancestry, and of the same text and level.
fn tallies(headings: &[Heading]) -> Vec<(Tally, Tally)> {
    // One number for every different text, one for every different ancestry.
    let (mut texts, mut paths) = (Numbers::new(), Numbers::new());
    let mut of_text: Vec<[u32; 6]> = Vec::new();
    let mut of_path: Vec<u32> = Vec::new();
    let mut known: Vec<(usize, usize)> = Vec::with_capacity(headings.len());
    let mut tallies = Vec::with_capacity(headings.len());
    for heading in headings {
        let text = texts.number(heading.text.as_str());
        let path = paths.number((heading.parent.map(|parent| known[parent].0), text));
        known.push((path, text));
        if text == of_text.len() {
            of_text.push([0; 6]);
        }
        if path == of_path.len() {
            of_path.push(0);
        }
        let n_text = &mut of_text[text][level_index(heading)];
        let n_path = &mut of_path[path];
        (*n_text, *n_path) = (*n_text + 1, *n_path + 1);
        tallies.push((Tally { nth: *n_path, of: 0 }, Tally { nth: *n_text, of: 0 }));
    }
    for ((heading, (path, text)), (same_path, same_text)) in headings.iter().zip(known).zip(&mut tallies) {
        same_path.of = of_path[path];
        same_text.of = of_text[text][level_index(heading)];
    }
    tallies
}

/// Numbers different things in the order in which they come.
struct Numbers<K> {
    few: Vec<K>,
    many: HashMap<K, usize>,
}

/// So few that looking at each is faster than hashing one.
const FEW: usize = 16;

impl<K: Eq + std::hash::Hash + Copy> Numbers<K> {
    fn new() -> Numbers<K> {
        Numbers { few: Vec::with_capacity(FEW), many: HashMap::new() }
    }

    fn number(&mut self, key: K) -> usize {
        if let Some(known) = self.few.iter().position(|few| *few == key) {
            return known;
        }
        if self.few.len() < FEW {
            self.few.push(key);
            return self.few.len() - 1;
        }
        let next = FEW + self.many.len();
        *self.many.entry(key).or_insert(next)
    }
}

fn level_index(heading: &Heading) -> usize {
    usize::from(heading.level.clamp(1, 6)) - 1
}

#[cfg(test)]
mod tests;
