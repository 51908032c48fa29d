//! Finding things in a snapshot: the file tree, links, search, the switcher, the outline, the reading view.

use crate::listing::{EntryKind, kind_of};
use crate::plan::any_text;
use crate::view::NoteRef;
use crate::{NoteError, View};
use index::{FileKind, Query, TitleMatch};
use note::{Link, Note, NoteText, RelPath};
use serde::{Deserialize, Serialize};

/// Where the window serves the vault's images from.
const ASSETS: &str = "vault-asset://localhost/";

/// Where a link leads.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct LinkTarget {
    pub path: String,
    pub heading: Option<String>,
    /// 1-based line to show, when the link names a heading or a block that is there.
    pub line: Option<u32>,
}

/// A link to a note, seen from that note.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct BacklinkView {
    pub path: String,
    pub id: String,
    pub title: String,
    pub line: u32,
    /// The line that holds the link, shortened.
    pub snippet: String,
    /// `wiki`, `markdown`, `embed`, `property`, `canvas`.
    pub kind: String,
    pub subpath: Option<String>,
}

/// The first links to a note, and how many there are.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct Backlinks {
    pub links: Vec<BacklinkView>,
    pub total: u32,
}

/// One page of search results.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct SearchPage {
    pub hits: Vec<SearchHit>,
    pub total: u32,
    /// How the query was understood, when not as typed.
    pub query_note: Option<String>,
}

/// One section that matches.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct SearchHit {
    pub path: String,
    pub id: String,
    pub title: String,
    pub heading_path: Vec<String>,
    /// 1-based, inclusive.
    pub line_start: u32,
    pub line_end: u32,
    pub snippet: String,
    /// Matches in the snippet, as start and end in UTF-16 code units (what a window counts in).
    pub highlights: Vec<(u32, u32)>,
    pub score: f32,
}

/// One row of the switcher.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct QuickHit {
    pub path: String,
    pub title: String,
    /// The alias or heading that matched, when it was not the name.
    pub matched: Option<String>,
}

/// One heading of an outline.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct HeadingView {
    pub level: u8,
    pub text: String,
    /// 1-based.
    pub line: u32,
    /// The place of the nearest heading above of a lower level, in this list.
    pub parent: Option<u32>,
    /// 1-based among the headings with the same ancestry, and how many there are.
    pub nth: u32,
    pub of: u32,
}

impl View {
    /// Finds where a link's text (path and `#` part) leads, seen from a note.
    pub fn resolve_link(&self, from: &RelPath, linktext: &str) -> Option<LinkTarget> {
        let (target, subpath) =
            linktext.split_once('#').map_or((linktext, None), |(target, subpath)| (target, Some(subpath)));
        let path = self.index.resolve(target, from)?;
        let place = subpath.filter(|subpath| !subpath.is_empty()).and_then(|subpath| {
            let open = self.open_note(&path).ok()?;
            line_of_subpath(&open.note, &open.text, subpath)
        });
        let (heading, line) = place.map_or((None, None), |(heading, line)| (heading, Some(line)));
        Some(LinkTarget { path: path.as_str().to_owned(), heading, line })
    }

    /// Resolves the path part of a link, seen from a note.
    pub fn resolve_path(&self, from: &RelPath, target: &str) -> Option<RelPath> {
        self.index.resolve(target, from)
    }

    /// Lists the links to a note, by path and line.
    pub fn backlinks(&self, to: &RelPath) -> Vec<BacklinkView> {
        self.first_backlinks(to, usize::MAX).links
    }

    /// Lists the first links to a note, by path and line. The notes that hold the others are not read.
    pub fn first_backlinks(&self, to: &RelPath, limit: usize) -> Backlinks {
        let found: Vec<index::Backlink> =
            self.index.backlinks(to).into_iter().filter(|link| link.from != *to).collect();
        let mut lines: Option<(RelPath, Vec<String>)> = None;
        let mut views = Vec::new();
        for link in found.iter().take(limit) {
            if lines.as_ref().is_none_or(|(path, _)| *path != link.from) {
                let text = self.reader.read(&link.from).map(|file| any_text(file.bytes).lf()).unwrap_or_default();
                lines = Some((link.from.clone(), text.split('\n').map(str::to_owned).collect()));
            }
            let line = link.fact.line;
            let snippet = lines
                .as_ref()
                .and_then(|(_, lines)| lines.get(line.saturating_sub(1) as usize))
                .cloned()
                .unwrap_or_default();
            let entry = self.index.entry(&link.from);
            views.push(BacklinkView {
                path: link.from.as_str().to_owned(),
                id: entry.and_then(|entry| entry.id).map(|id| id.to_string()).unwrap_or_default(),
                title: entry.map_or_else(|| link.from.stem().to_owned(), |entry| entry.title.clone()),
                line,
                snippet: shorten(&snippet),
                kind: link_kind(&link.fact).to_owned(),
                subpath: link.fact.subpath.as_deref().map(str::to_owned),
            });
        }
        Backlinks { links: views, total: n32(found.len()) }
    }

    /// Counts the links to a note from other notes.
    pub fn n_backlinks(&self, to: &RelPath) -> u32 {
        n32(self.index.backlinks(to).iter().filter(|link| link.from != *to).count())
    }

    /// Searches the text of the vault.
    pub fn search(&self, query: &Query) -> SearchPage {
        self.search_where(query, &|_| true)
    }

    /// The same as if only the files that are admitted were there.
    pub(crate) fn search_where(&self, query: &Query, admits: &dyn Fn(&index::Entry) -> bool) -> SearchPage {
        let Ok(found) = self.index.search_where(query, admits) else {
            let query_note = Some("the index is being rebuilt; try again in a moment".to_owned());
            return SearchPage { hits: Vec::new(), total: 0, query_note };
        };
        let hit = |hit: index::Hit| {
            let entry = self.index.entry(&hit.path);
            SearchHit {
                path: hit.path.as_str().to_owned(),
                id: entry.and_then(|entry| entry.id).map(|id| id.to_string()).unwrap_or_default(),
                title: entry.map_or_else(|| hit.path.stem().to_owned(), |entry| entry.title.clone()),
                highlights: hit
                    .highlights
                    .iter()
                    .map(|range| (utf16(&hit.snippet, range.start), utf16(&hit.snippet, range.end)))
                    .collect(),
                heading_path: hit.heading_path,
                line_start: hit.line_start,
                line_end: hit.line_end,
                snippet: hit.snippet,
                score: hit.score,
            }
        };
        SearchPage {
            hits: found.hits.into_iter().map(hit).collect(),
            total: n32(found.total),
            query_note: found.query_note,
        }
    }

    /// Finds notes by name, alias or title for the switcher, best first; an empty query lists those written last.
    pub fn quick(&self, query: &str, limit: usize) -> Vec<QuickHit> {
        let wanted = note::fold(query.trim());
        if wanted.is_empty() {
            let hit = |path: RelPath| QuickHit { path: path.to_string(), title: path.stem().to_owned(), matched: None };
            return self.newest(limit).into_iter().map(|(path, _)| hit(path)).collect();
        }
        let mut ranked: Vec<(u32, usize, QuickHit)> = Vec::new();
        for entry in self.index.files().filter(|entry| entry.kind == FileKind::Note) {
            let best = entry
                .names()
                .filter_map(|name| rank(&note::fold(name), &wanted).map(|rank| (rank, name)))
                .min_by_key(|(rank, _)| *rank);
            let path_rank = rank(&entry.path.fold(), &wanted).map(|rank| rank + 40);
            let (rank, name) = match (best, path_rank) {
                (Some(best), _) => best,
                (None, Some(rank)) => (rank, entry.path.stem()),
                (None, None) => continue,
            };
            let own = name == entry.path.stem() || name == entry.title;
            let hit = QuickHit {
                path: entry.path.as_str().to_owned(),
                title: entry.path.stem().to_owned(),
                matched: (!own).then(|| name.to_owned()),
            };
            ranked.push((rank, entry.path.as_str().len(), hit));
        }
        ranked.sort_by(|a, b| (a.0, a.1, &a.2.path).cmp(&(b.0, b.1, &b.2.path)));
        ranked.into_iter().take(limit).map(|(_, _, hit)| hit).collect()
    }

    /// Renders a note, or a text that is not saved yet, as safe HTML.
    ///
    /// # Errors
    /// The note cannot be opened.
    pub fn render(
        &self,
        path: &RelPath,
        text: Option<&str>,
        strict_line_breaks: bool,
    ) -> Result<note::html::RenderedNote, NoteError> {
        let (text, note) = match text {
            Some(text) => {
                let text = NoteText::from_str(text);
                let note = note::parse(&text);
                (text, note)
            }
            None => {
                let open = self.note(&NoteRef::Path(path.as_str().to_owned()))?;
                (open.text, open.note)
            }
        };
        let resolve = |from: &RelPath, link: &Link| match self.index.resolve(&link.target, from) {
            Some(path) if path.is_note() => note::html::Resolved::Note { path },
            Some(path) => note::html::Resolved::Attachment { path },
            None => note::html::Resolved::Missing,
        };
        let embed = |path: &RelPath| {
            let open = self.open_note(path).ok()?;
            Some(note::html::Embedded { text: open.text, note: open.note })
        };
        let options = note::html::RenderOptions {
            path,
            resolve: &resolve,
            embed: &embed,
            strict_line_breaks,
            asset_base: Some(ASSETS),
        };
        Ok(note::html::render(&text, &note, &options))
    }

    /// Finds a note by its title.
    pub fn find_title(&self, title: &str) -> Option<RelPath> {
        match self.index.find_title(title) {
            TitleMatch::One(path) => Some(path),
            TitleMatch::Many(_) | TitleMatch::None { .. } => None,
        }
    }

    /// Reads an image, sound, film or PDF of the vault for the reading view.
    ///
    /// # Errors
    /// It is none of these, not in the vault, or too large.
    pub fn attachment(&self, path: &str) -> Result<Vec<u8>, NoteError> {
        let wanted = || path.to_owned();
        let path = RelPath::lenient(path).map_err(|_| NoteError::OutsideVault { wanted: wanted() })?;
        if !matches!(kind_of(&path), EntryKind::Image | EntryKind::Audio | EntryKind::Video | EntryKind::Pdf) {
            return Err(NoteError::NotFound { wanted: wanted(), suggestions: Vec::new() });
        }
        let file = self.reader.read(&path).map_err(|error| self.read_error(path.as_str(), error))?;
        Ok(file.bytes)
    }
}

/// Lists the headings of a text (line feeds only) that need not be saved.
pub fn outline(text: &str) -> Vec<HeadingView> {
    headings(&note::parse(&NoteText::from_str(text)))
}

/// Lists the headings of a parsed note.
pub fn headings(note: &Note) -> Vec<HeadingView> {
    let one = |heading: &note::Heading| HeadingView {
        level: heading.level,
        text: heading.text.clone(),
        line: heading.line,
        parent: heading.parent.map(n32),
        nth: heading.same_path.nth,
        of: heading.same_path.of,
    };
    note.headings.iter().map(one).collect()
}

fn line_of_subpath(note: &Note, text: &NoteText, subpath: &str) -> Option<(Option<String>, u32)> {
    if let Some(id) = subpath.trim().strip_prefix('^') {
        let block = note.blocks.iter().find(|block| block.id.eq_ignore_ascii_case(id))?;
        return Some((None, text.line_of(block.span.start)));
    }
    let chain = note.find_heading(subpath)?;
    let heading = &note.headings[*chain.last()?];
    Some((Some(heading.text.clone()), heading.line))
}

pub(crate) fn link_kind(fact: &index::LinkFact) -> &'static str {
    use index::LinkForm::{Canvas, Definition, Markdown, Property, Wiki};
    match fact.form {
        Canvas => "canvas",
        Property => "property",
        _ if fact.embed => "embed",
        Wiki => "wiki",
        Markdown | Definition => "markdown",
    }
}

/// Ranks how well a name answers a query, lower is better: equal, beginning, word start, part, all words in any order,
/// beginnings of words, letters in order.
fn rank(name: &str, wanted: &str) -> Option<u32> {
    if name == wanted {
        return Some(0);
    }
    if name.starts_with(wanted) {
        return Some(10);
    }
    if let Some(at) = name.find(wanted) {
        let word = name[..at].chars().next_back().is_some_and(|before| !before.is_alphanumeric());
        return Some(if word { 20 } else { 30 });
    }
    if wanted.split_whitespace().all(|word| name.contains(word)) {
        return Some(40);
    }
    let words = name.split(|c: char| !c.is_alphanumeric());
    if in_order(words.filter_map(|word| word.chars().next()), wanted) {
        return Some(60);
    }
    in_order(name.chars(), wanted).then_some(80)
}

fn in_order(mut letters: impl Iterator<Item = char>, wanted: &str) -> bool {
    wanted.chars().filter(|c| !c.is_whitespace()).all(|c| letters.any(|letter| letter == c))
}

fn shorten(line: &str) -> String {
    const MOST: usize = 240;
    let line = line.trim();
    if line.chars().count() <= MOST { line.to_owned() } else { line.chars().take(MOST).chain(['…']).collect() }
}

pub(crate) fn utf16(text: &str, byte: usize) -> u32 {
    n32(text.get(..byte).unwrap_or(text).encode_utf16().count())
}

pub(crate) fn n32(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::rank;

    #[test]
    fn the_nearer_a_name_is_to_what_was_typed_the_sooner_it_comes() {
        for (wanted, best_first) in [
            ("kit", vec!["kit", "kit list", "ice kit", "whitekitchen", "keep it tidy", "knitting"]),
            (
                "list kit",
                vec!["list kit", "list kit of ice", "my list kit", "kit list", "l i s t k i t", "last mistakes in it"],
            ),
            ("kl", vec!["kl", "klaxon", "a klaxon", "inkling", "kit list", "kernel"]),
        ] {
            let ranks: Vec<_> = best_first.iter().map(|name| rank(name, wanted)).collect();
            assert!(ranks.iter().all(Option::is_some), "{wanted}: {ranks:?}");
            assert!(ranks.is_sorted(), "{wanted}: {ranks:?}");
        }
        for (wanted, name) in [("kit", "tik"), ("kit list", "kit"), ("x", "")] {
            assert_eq!(rank(name, wanted), None, "{wanted} in {name}");
        }
    }
}
