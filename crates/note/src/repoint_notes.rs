//! Following notes that move: links to them get their new path, and links in them still lead where
//! they led.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use crate::edit::{Edit, Edits};
use crate::link::{Link, LinkEncoding, LinkKind};
use crate::parse::{Note, parse};
use crate::path::{RelPath, fold};
use crate::repoint::{LinkWarning, Repointed, changed_title, titled};
use crate::resolve::{is_relative, join, resolve_link};
use crate::text::NoteText;

mod spelling;

use spelling::{Care, spell};

/// Files that get other paths, all at once.
pub struct NotesMoved<'a> {
    /// The new path of each old one.
    new_paths: HashMap<&'a RelPath, &'a RelPath>,
    /// The new paths by their folded file names.
    arriving: HashMap<String, Vec<&'a RelPath>>,
    named: &'a dyn Fn(&str) -> Vec<RelPath>,
    format: LinkFormat,
}

/// How a vault writes the path of a link (Obsidian's `newLinkFormat`).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LinkFormat {
    /// The file's name if no other file has it, else the path from the vault's root.
    #[default]
    Shortest,
    /// The path from the note's folder.
    Relative,
    /// The path from the vault's root.
    Absolute,
}

impl<'a> NotesMoved<'a> {
    /// Takes the old path of each file with its new one.
    ///
    /// `named` gives the files of the vault before the move whose [folded](fold) file name is the
    /// one asked for; what links mean before and after follows from that. `format` is how the vault
    /// writes paths.
    pub fn new(
        renames: &'a [(RelPath, RelPath)],
        named: &'a dyn Fn(&str) -> Vec<RelPath>,
        format: LinkFormat,
    ) -> NotesMoved<'a> {
        let mut arriving: HashMap<String, Vec<&RelPath>> = HashMap::new();
        for (_, to) in renames {
            arriving.entry(fold(to.file_name())).or_default().push(to);
        }
        NotesMoved { new_paths: renames.iter().map(|(from, to)| (from, to)).collect(), arriving, named, format }
    }

    /// Files that appear without having been anywhere else; `named` does not give them.
    pub fn arriving(
        arriving: &'a [RelPath],
        named: &'a dyn Fn(&str) -> Vec<RelPath>,
        format: LinkFormat,
    ) -> NotesMoved<'a> {
        let mut moved = NotesMoved::new(&[], named, format);
        for path in arriving {
            moved.arriving.entry(fold(path.file_name())).or_default().push(path);
        }
        moved
    }

    /// The path that a file has afterwards.
    pub fn new_path<'p>(&'p self, old: &'p RelPath) -> &'p RelPath {
        self.new_paths.get(old).copied().unwrap_or(old)
    }

    /// The new path of a file that is named by its path, as cards of a canvas do.
    pub(crate) fn new_path_of_card(&self, path: &str) -> Option<&RelPath> {
        let old = crate::resolve::exact(path, self.named)?;
        self.new_paths.get(&old).copied().filter(|new| new.as_str() != path)
    }

    /// The file that a link's path means now, before the move.
    fn before(&self, linkpath: &str, from: &RelPath) -> Option<RelPath> {
        resolve_link(linkpath, from, self.named)
    }

    /// The file that a link's path means after the move, in a note at its new path.
    fn after(&self, linkpath: &str, from: &RelPath) -> Option<RelPath> {
        resolve_link(linkpath, from, &|name: &str| self.named_after(name))
    }

    fn named_after(&self, name: &str) -> Vec<RelPath> {
        let mut files = (self.named)(name);
        files.retain(|file| !self.new_paths.contains_key(file));
        files.extend(self.arriving.get(name).into_iter().flatten().copied().cloned());
        files
    }
}

/// Plans the new targets of a note's links when files move.
///
/// `from` is the note's path before the move. A link whose path still leads to its file stays as it
/// is; so does one that led nowhere. Only the path changes, spelled the way the link is written:
/// alias, subpath, extension and encoding stay, but for an extension that is added where the name
/// without it means nothing or another file. The result is read again, and a link that would not
/// mean its file any more stays as it was, with a warning. So does a link whose file no path names.
///
/// Whom to ask: the files that move, those that link to one of them, and those that link to a file
/// whose name a moved file takes, for a short link may now mean the newcomer.
pub fn repoint_note_links(text: &NoteText, note: &Note, from: &RelPath, moved: &NotesMoved<'_>) -> Repointed {
    let new_from = moved.new_path(from);
    let mut known: HashMap<(&str, bool), Option<Target>> = HashMap::new();
    let mut changes: Vec<Change<'_>> = Vec::new();
    let mut warnings = Vec::new();
    for link in note.links.iter().filter(|link| !link.target.trim().is_empty()) {
        let key = (link.target.as_str(), is_url(link));
        let target = known.entry(key).or_insert_with(|| target(link, from, new_from, moved));
        match target {
            Some(target) if target.paths.is_empty() => warnings.push(unnamed(link, &target.file)),
            Some(target) => changes.push(Change { link, target: target.clone(), nth: 0, care: Care::Usual }),
            None => {}
        }
    }
    let edits = loop {
        let edits = edits_of(text, &changes);
        let wrong = misread(text, note, &changes, &edits, new_from, moved);
        if wrong.is_empty() {
            break edits;
        }
        for &at in wrong.iter().rev() {
            let change = &mut changes[at];
            if let Some(care) = change.care.more() {
                change.care = care;
            } else if change.nth + 1 < change.target.paths.len() {
                (change.nth, change.care) = (change.nth + 1, Care::Usual);
            } else {
                let Change { link, target, .. } = changes.remove(at);
                warnings.push(unnamed(link, &target.file));
            }
        }
    };
    warnings.extend(changed_titles(text, note, &changes, &edits));
    warnings.sort_by_key(|warning| warning.line);
    Repointed { n_links: edits.edits.len() as u32, edits, warnings }
}

fn unnamed(link: &Link, file: &RelPath) -> LinkWarning {
    let text = format!("link to `{}` could not be followed: it cannot name `{file}`", link.target);
    LinkWarning { line: link.line, text }
}

/// Titles that hold a link which changes: a link to such a heading names it by the old words.
fn changed_titles(text: &NoteText, note: &Note, changes: &[Change<'_>], edits: &Edits) -> Vec<LinkWarning> {
    let mut titles: Vec<usize> = changes.iter().filter_map(|change| titled(note, change.link)).collect();
    titles.sort_unstable();
    titles.dedup();
    let Some(after) = (!titles.is_empty()).then(|| edits.apply(text).ok()).flatten() else { return Vec::new() };
    let after = parse(&after);
    let has_other_words = |&index: &usize| after.headings.get(index).is_none_or(|h| h.key != note.headings[index].key);
    titles.into_iter().filter(has_other_words).map(|index| changed_title(&note.headings[index])).collect()
}

/// What a link is to say.
#[derive(Debug, Clone)]
struct Target {
    /// The paths to try, the best one first; empty if none leads to the file.
    paths: Vec<String>,
    file: RelPath,
}

/// A link that must get another path.
struct Change<'n> {
    link: &'n Link,
    target: Target,
    /// Which of the target's paths is tried.
    nth: usize,
    care: Care,
}

/// The paths that a link can get; `None` if it can stay.
fn target(link: &Link, from: &RelPath, new_from: &RelPath, moved: &NotesMoved<'_>) -> Option<Target> {
    let old = moved.before(&link.target, from)?;
    let file = moved.new_path(&old).clone();
    let leads_there = moved.after(&link.target, new_from).as_ref() == Some(&file);
    let style = Style::of(link, &old, from, moved.format);
    // A path from the note's folder goes on being one, even where Obsidian would find the file anyway.
    let was_relative = style == Style::Relative && is_relative_to(&link.target, &old, from);
    // In a note at the root such a path is the one from the vault's root, too.
    let is_only_relative = was_relative && (moved.format == LinkFormat::Relative || !from.parent().is_empty());
    let is_stale = is_only_relative && !is_relative_to(&link.target, &file, new_from);
    if leads_there && !is_stale {
        return None;
    }
    let mut paths = match style {
        Style::Dotted => vec![dotted(&file, new_from)],
        Style::Slash => vec![format!("/{file}")],
        Style::Relative => vec![relative(&file, new_from), dotted(&file, new_from)],
        Style::Shortest => vec![file.file_name().to_owned()],
        Style::Absolute => Vec::new(),
    };
    if style == Style::Shortest && moved.named_after(&fold(file.file_name())).len() != 1 {
        paths.clear();
    }
    paths.push(file.as_str().to_owned());
    paths.push(format!("/{file}"));
    let leads = |path: &String| moved.after(path, new_from).as_ref() == Some(&file);
    // `n .md` and, beside an `a.md`, `a.md.md` have to be named in full.
    let has_extension = !file.is_note() || names_extension(&link.target, &old);
    let without_extension = |path: &str| path[..path.rfind('.').unwrap_or(path.len())].to_owned();
    let spellings = |path: String| (!has_extension).then(|| without_extension(&path)).into_iter().chain([path]);
    let paths: Vec<String> = paths.into_iter().flat_map(spellings).filter(leads).take(2).collect();
    let can_stay = leads_there && paths.first().is_none_or(|path| *path == link.target);
    (!can_stay).then_some(Target { paths, file })
}

/// How the path of a link is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Style {
    /// From the note's folder, starting with `./` or `../`.
    Dotted,
    /// From the vault's root, starting with `/`.
    Slash,
    /// From the note's folder.
    Relative,
    /// The name alone, if that is enough.
    Shortest,
    /// From the vault's root.
    Absolute,
}

impl Style {
    fn of(link: &Link, old: &RelPath, from: &RelPath, format: LinkFormat) -> Style {
        match format {
            _ if is_relative(&link.target) => Style::Dotted,
            _ if link.target.starts_with('/') => Style::Slash,
            // Other programs read a path in a Markdown link from the note's folder.
            _ if is_url(link)
                && link.target.contains('/')
                && format != LinkFormat::Absolute
                && is_relative_to(&link.target, old, from) =>
            {
                Style::Relative
            }
            LinkFormat::Relative => Style::Relative,
            LinkFormat::Shortest => Style::Shortest,
            LinkFormat::Absolute => Style::Absolute,
        }
    }
}

fn is_url(link: &Link) -> bool {
    matches!(link.kind, LinkKind::Markdown | LinkKind::Definition)
}

/// Whether a path leads to a file when it is followed from a note's folder.
fn is_relative_to(linkpath: &str, file: &RelPath, from: &RelPath) -> bool {
    let Some(joined) = join(from.parent(), linkpath).map(|joined| fold(&joined)) else { return false };
    let folded = file.fold();
    joined == folded || file.is_note() && folded.strip_prefix(&joined).is_some_and(|rest| rest == ".md")
}

fn names_extension(linkpath: &str, old: &RelPath) -> bool {
    let extension = old.extension().map(|extension| format!(".{}", fold(extension)));
    extension.is_none_or(|extension| {
        let folded = fold(linkpath.trim());
        folded.ends_with(&extension) && fold(crate::resolve::last_segment(&folded)) == fold(old.file_name())
    })
}

/// The way from a note to a file.
fn relative(file: &RelPath, from: &RelPath) -> String {
    let folders: Vec<&str> = from.parent().split('/').filter(|folder| !folder.is_empty()).collect();
    let segments: Vec<&str> = file.as_str().split('/').collect();
    let n_shared = folders.iter().zip(&segments[..segments.len() - 1]).take_while(|(a, b)| a == b).count();
    let up = std::iter::repeat_n("..", folders.len() - n_shared);
    up.chain(segments[n_shared..].iter().copied()).collect::<Vec<_>>().join("/")
}

fn dotted(file: &RelPath, from: &RelPath) -> String {
    let relative = relative(file, from);
    if relative.starts_with("../") { relative } else { format!("./{relative}") }
}

fn edits_of(text: &NoteText, changes: &[Change<'_>]) -> Edits {
    let edits = changes.iter().map(|Change { link, target, nth, care }| {
        let written = &text.as_str()[link.target_span.clone()];
        Edit { range: link.target_span.clone(), new: spell(&target.paths[*nth], link.encoding, written, *care) }
    });
    Edits::new(text, edits.collect())
}

/// The changes after which a link is not there any more, or means another file.
fn misread(
    text: &NoteText,
    note: &Note,
    changes: &[Change<'_>],
    edits: &Edits,
    new_from: &RelPath,
    moved: &NotesMoved<'_>,
) -> Vec<usize> {
    if edits.is_empty() {
        return Vec::new();
    }
    let Ok(after) = edits.apply(text) else { return (0..changes.len()).collect() };
    let after = parse(&after);
    let is_broken = |note: &Note| note.frontmatter.as_ref().is_some_and(|block| block.error.is_some());
    if is_broken(&after) && !is_broken(note) {
        // Between quotes a path breaks nothing.
        let all = |is_it: &dyn Fn(&Link) -> bool| -> Vec<usize> {
            (0..changes.len()).filter(|&at| is_it(changes[at].link)).collect()
        };
        let plain = all(&|link| link.encoding == LinkEncoding::Plain);
        return if plain.is_empty() { all(&|link| link.kind == LinkKind::Property) } else { plain };
    }
    // Every link starts where it did, but for the edits before it.
    let mut starts: HashMap<(usize, LinkKind), usize> = HashMap::with_capacity(note.links.len());
    let mut pending = edits.edits.iter().peekable();
    let mut delta = 0isize;
    let mut links: Vec<&Link> = note.links.iter().collect();
    links.sort_by_key(|link| link.span.start);
    for link in links {
        while let Some(edit) = pending.next_if(|edit| edit.range.end <= link.span.start) {
            delta += edit.new.len() as isize - edit.range.len() as isize;
        }
        starts.insert((link.span.start, link.kind), (link.span.start as isize + delta) as usize);
    }
    let found: HashMap<(usize, LinkKind), &Link> =
        after.links.iter().map(|link| ((link.span.start, link.kind), link)).collect();
    let is_right = |Change { link, target, .. }: &Change<'_>| {
        let start = starts.get(&(link.span.start, link.kind));
        let Some(new) = start.and_then(|&start| found.get(&(start, link.kind))) else { return false };
        new.subpath == link.subpath
            && new.alias == link.alias
            && new.embed == link.embed
            && moved.after(&new.target, new_from).as_ref() == Some(&target.file)
    };
    (0..changes.len()).filter(|&at| !is_right(&changes[at])).collect()
}

#[cfg(test)]
mod tests;
