//! Following a renamed heading: the links to it get its new title.

use std::collections::{BTreeSet, HashMap};
use std::ops::Range;
use std::rc::Rc;

use crate::edit::{Edit, Edits};
use crate::heading::{Heading, strip_heading_for_link};
use crate::link::{Link, LinkEncoding, LinkKind};
use crate::parse::{Note, parse};
use crate::section::{heading_keys, slug};
use crate::text::NoteText;

pub(crate) mod spelling;

use spelling::{Care, says, spell};

/// A renamed heading, seen in its note before and after.
#[derive(Debug, Clone, Copy)]
pub struct HeadingMoved<'a> {
    /// The note with the old title.
    pub before: &'a Note,
    /// The note with the new title.
    pub after: &'a Note,
    /// The heading's place in both.
    pub index: usize,
}

/// What following means for one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Repointed {
    /// The edits of the links.
    pub edits: Edits,
    /// How many links change.
    pub n_links: u32,
    /// Links that could not follow, or that now mean something else.
    pub warnings: Vec<LinkWarning>,
}

/// A link that a person should look at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LinkWarning {
    /// The 1-based line of the link.
    pub line: u32,
    /// What is the matter with it.
    pub text: String,
}

/// Plans the new target of every link of a note that means the renamed heading.
///
/// `resolves` says whether a link's path, seen from its note, means the note of that heading. Only
/// the segment that names the heading changes, spelled the way the link is written. The result is
/// read again: a link that would not mean the heading any more stays as it is, with a warning.
/// Doing it twice changes nothing more.
pub fn repoint_links(
    text: &NoteText,
    note: &Note,
    moved: &HeadingMoved<'_>,
    resolves: &dyn Fn(&Link) -> bool,
) -> Repointed {
    let mut before = Memo::new(moved.before);
    let mut after = Memo::new(moved.after);
    let Some(heading) = moved.after.headings.get(moved.index) else {
        return Repointed { edits: Edits::none(text), n_links: 0, warnings: Vec::new() };
    };
    let mut warnings = Vec::new();
    let mut changes: Vec<Change<'_>> = Vec::new();
    for (at, link) in note.links.iter().enumerate() {
        let Some(subpath) = link.subpath.as_deref().filter(|subpath| !subpath.starts_with('^')) else { continue };
        if subpath.trim().is_empty() || !resolves(link) {
            continue;
        }
        let Some(chain) = before.find(subpath) else {
            warnings.extend(web_anchor(link, subpath, moved));
            continue;
        };
        match chain.iter().position(|&index| index == moved.index) {
            // The new title holds a link to itself; were it followed, the title would be another one.
            Some(_)
                if titled(note, link).is_some_and(|at| at == moved.index && note.headings[at].raw == heading.raw) =>
            {
                warnings.push(warning(link, "stands in the new title itself and was left alone"));
            }
            Some(nth) => match segment(text.as_str(), link, nth, chain.len()) {
                Some(segment) => changes.push(Change { link, at, chain, segment, care: Care::Usual }),
                None => warnings.push(warning(link, "could not be followed: its heading is written in an unusual way")),
            },
            None => warnings.extend(shadowing(link, &chain, after.find(subpath), moved)),
        }
    }
    let (mut edits, mut lost) = settle(text, note, &mut changes, &heading.raw, &mut after);
    // What stood in a link's way may be spelled otherwise by now.
    let mut retries = [Care::Usual, Care::Bare].into_iter().peekable();
    while let Some(care) = retries.peek().copied().filter(|_| !lost.is_empty()) {
        let again = lost.iter().map(|change| Change { care, ..change.clone() });
        let mut retried: Vec<Change<'_>> = changes.iter().cloned().chain(again).collect();
        retried.sort_by_key(|change| change.at);
        let (new_edits, still_lost) = settle(text, note, &mut retried, &heading.raw, &mut after);
        if still_lost.len() >= lost.len() {
            retries.next();
            continue;
        }
        (changes, edits, lost) = (retried, new_edits, still_lost);
    }
    for Change { link, chain, .. } in &lost {
        let now = link.subpath.as_deref().and_then(|subpath| after.find(subpath));
        let unfollowed = warning(link, "could not be followed: no spelling of the new title keeps it a link");
        warnings.push(shadowing(link, chain, now, moved).unwrap_or(unfollowed));
    }
    let is_edited =
        |change: &&Change<'_>| edits.edits.binary_search_by_key(&change.segment.start, |edit| edit.range.start).is_ok();
    let mut changed_titles: Vec<usize> =
        changes.iter().filter(is_edited).filter_map(|change| titled(note, change.link)).collect();
    changed_titles.dedup();
    warnings.extend(changed_titles.into_iter().map(|index| changed_title(&note.headings[index])));
    let in_comments = note.links_in_comments(text);
    let mut left = in_comments.iter().filter(|link| {
        let subpath = link.subpath.as_deref().unwrap_or_default();
        let chain = before.find(subpath).filter(|chain| chain.contains(&moved.index) && resolves(link));
        chain.is_some() && after.find(subpath) != chain
    });
    if let Some(first) = left.next() {
        let text = match 1 + left.count() {
            1 => "1 link in a comment still names the old heading".to_owned(),
            n => format!("{n} links in comments still name the old heading"),
        };
        warnings.push(LinkWarning { line: first.line, text });
    }
    warnings.sort_by_key(|warning| warning.line);
    Repointed { n_links: edits.edits.len() as u32, edits, warnings }
}

/// The new form of a bare subpath (without its `#`), if it means the renamed heading. The error
/// says what becomes of one that cannot follow, or that means something else now.
pub(crate) fn repoint_subpath(subpath: &str, moved: &HeadingMoved<'_>) -> Result<Option<String>, String> {
    let Some(chain) = moved.before.find_heading(subpath) else { return Ok(None) };
    let Some(nth) = chain.iter().position(|&index| index == moved.index) else {
        let now = moved.after.find_heading(subpath);
        return shadowed(&chain, now.as_deref(), moved).map_or(Ok(None), Err);
    };
    let title = moved.after.headings.get(moved.index).map_or("", |heading| &heading.raw);
    let title = strip_heading_for_link(title);
    let mut segments: Vec<&str> = subpath.split('#').filter(|segment| !segment.trim().is_empty()).collect();
    if let Some(segment) = segments.get_mut(nth) {
        *segment = &title;
    }
    let new = segments.join("#");
    match moved.after.find_heading(&new) {
        Some(now) if now == chain => Ok(Some(new)),
        now => Err(shadowed(&chain, now.as_deref(), moved).unwrap_or_else(|| "could not be followed".to_owned())),
    }
}

/// A link that must get a new segment.
#[derive(Clone)]
struct Change<'n> {
    link: &'n Link,
    /// Its place among the links.
    at: usize,
    /// What the whole chain means.
    chain: Rc<[usize]>,
    /// The bytes of the segment.
    segment: Range<usize>,
    care: Care,
}

/// The headings that subpaths mean, each looked up once. Says what [`Note::find_heading`] says, for
/// notes with many headings and many links.
struct Memo<'n> {
    note: &'n Note,
    known: HashMap<String, Option<Rc<[usize]>>>,
    of_key: HashMap<&'n str, Vec<usize>>,
}

impl<'n> Memo<'n> {
    fn new(note: &'n Note) -> Memo<'n> {
        let mut of_key: HashMap<&str, Vec<usize>> = HashMap::new();
        for (index, heading) in note.headings.iter().enumerate() {
            of_key.entry(&heading.key).or_default().push(index);
        }
        Memo { note, known: HashMap::new(), of_key }
    }

    fn find(&mut self, subpath: &str) -> Option<Rc<[usize]>> {
        if let Some(known) = self.known.get(subpath) {
            return known.clone();
        }
        let found = self.look_up(subpath).map(Rc::from);
        self.known.insert(subpath.to_owned(), found.clone());
        found
    }

    fn look_up(&self, subpath: &str) -> Option<Vec<usize>> {
        let (mut chain, mut from, mut level) = (Vec::new(), 0, 0);
        for key in heading_keys(subpath)? {
            let named = self.of_key.get(key.as_str())?;
            let named = &named[named.partition_point(|&index| index < from)..];
            let index = *named.iter().find(|&&index| self.note.headings[index].level > level)?;
            (from, level) = (index + 1, self.note.headings[index].level);
            chain.push(index);
        }
        Some(chain)
    }
}

/// Spells the changes so that each link reads back as it must. Takes out those that no spelling
/// keeps, and returns them.
fn settle<'n>(
    text: &NoteText,
    note: &Note,
    changes: &mut Vec<Change<'n>>,
    title: &str,
    after: &mut Memo<'_>,
) -> (Edits, Vec<Change<'n>>) {
    let mut lost = Vec::new();
    loop {
        let edits = edits_of(text, changes, title);
        let wrong = misread(text, note, changes, &edits, after);
        if wrong.is_empty() {
            return (edits, lost);
        }
        let mut wrong = wrong.into_iter().peekable();
        let mut at = 0;
        changes.retain_mut(|change| {
            at += 1;
            if wrong.next_if(|wrong| *wrong == at - 1).is_none() {
                return true;
            }
            let more = change.care.more();
            match more {
                Some(care) => change.care = care,
                None => lost.push(change.clone()),
            }
            more.is_some()
        });
    }
}

fn edits_of(text: &NoteText, changes: &[Change<'_>], title: &str) -> Edits {
    // Most links to a heading are written alike, one after the other.
    let mut last: Option<(LinkEncoding, Care, &str, String)> = None;
    let mut edits = Vec::with_capacity(changes.len());
    for Change { link, segment, care, .. } in changes {
        let written = &text.as_str()[segment.clone()];
        let all = link.subpath_span.clone().map_or("", |span| &text.as_str()[span]);
        let new = match &last {
            Some((encoding, with, habit, new)) if (*encoding, *with, *habit) == (link.encoding, *care, all) => new,
            _ => &last.insert((link.encoding, *care, all, spell(title, link.encoding, all, *care))).3,
        };
        if written != new && !(*care == Care::Usual && says(written, title, link.encoding)) {
            edits.push(Edit { range: segment.clone(), new: new.clone() });
        }
    }
    Edits::new(text, edits)
}

/// The changes after which a link is not there any more, or means something else.
fn misread(text: &NoteText, note: &Note, changes: &[Change<'_>], edits: &Edits, after: &mut Memo<'_>) -> Vec<usize> {
    if edits.is_empty() {
        return Vec::new();
    }
    let Ok(new_text) = edits.apply(text) else { return (0..changes.len()).collect() };
    let new_note = parse(&new_text);
    // Both are in the order of the text, so one walk tells where each link went.
    let mut starts: Vec<usize> = Vec::with_capacity(note.links.len());
    let mut pending = edits.edits.iter().peekable();
    let mut delta = 0isize;
    for link in &note.links {
        while let Some(edit) = pending.next_if(|edit| edit.range.end <= link.span.start) {
            delta += edit.new.len() as isize - edit.range.len() as isize;
        }
        starts.push((link.span.start as isize + delta) as usize);
    }
    let is_right = |change: &Change<'_>, after: &mut Memo<'_>| {
        let (old, start) = (change.link, starts[change.at]);
        let from = new_note.links.partition_point(|link| link.span.start < start);
        let here = new_note.links[from..].iter().take_while(|link| link.span.start == start);
        let Some(new) = here.into_iter().find(|link| link.kind == old.kind) else { return false };
        // The text of a link may hold another one, which changes too.
        let first = edits.edits.partition_point(|edit| edit.range.start < old.span.start);
        let holds_change = edits.edits.get(first).is_some_and(|edit| edit.range.end < old.target_span.start);
        let same_text = new.alias == old.alias || holds_change;
        let same = new.target == old.target && same_text && new.embed == old.embed;
        let means = new.subpath.as_deref().and_then(|subpath| after.find(subpath));
        same && means.as_ref() == Some(&change.chain)
    };
    let wrong: Vec<usize> = (0..changes.len()).filter(|&at| !is_right(&changes[at], after)).collect();
    if wrong.is_empty() { meddling(note, &new_note, &starts, changes) } else { wrong }
}

/// The changes by which another link comes or goes, as a bracket does in the text of a link around it: those within that
/// link, or else the last one before it.
fn meddling(note: &Note, new_note: &Note, starts: &[usize], changes: &[Change<'_>]) -> Vec<usize> {
    if new_note.links.len() == note.links.len() {
        return Vec::new();
    }
    let before = |at: usize| changes.partition_point(|change| change.at < at).saturating_sub(1);
    let mut wrong = BTreeSet::new();
    for (at, link) in note.links.iter().enumerate() {
        let from = new_note.links.partition_point(|new| new.span.start < starts[at]);
        let mut here = new_note.links[from..].iter().take_while(|new| new.span.start == starts[at]);
        if here.any(|new| new.kind == link.kind) {
            continue;
        }
        let first = changes.partition_point(|change| change.at <= at);
        let n_within = changes[first..].iter().take_while(|change| change.link.span.end <= link.span.end).count();
        if n_within == 0 {
            wrong.insert(before(at));
        }
        wrong.extend(first..first + n_within);
    }
    for link in &new_note.links {
        let at = starts.partition_point(|start| *start <= link.span.start);
        if at == 0 || starts[at - 1] != link.span.start {
            wrong.insert(before(at));
        }
    }
    wrong.into_iter().filter(|nth| *nth < changes.len()).collect()
}

/// The heading whose title holds a link.
pub(crate) fn titled(note: &Note, link: &Link) -> Option<usize> {
    let after = note.headings.partition_point(|heading| heading.span.start <= link.span.start);
    let index = after.checked_sub(1)?;
    (link.span.end <= note.headings[index].title.end).then_some(index)
}

/// What to say of a heading whose title changes with a link in it.
pub(crate) fn changed_title(heading: &Heading) -> LinkWarning {
    let text = format!("heading `{}` holds a link that was followed; links to it may find it no more", heading.text);
    LinkWarning { line: heading.line, text }
}

/// The bytes of one segment of a link's heading chain.
fn segment(text: &str, link: &Link, nth: usize, n_segments: usize) -> Option<Range<usize>> {
    let span = link.subpath_span.clone()?;
    let written = &text[span.clone()];
    let is_encoded = matches!(link.encoding, LinkEncoding::Percent | LinkEncoding::Angle);
    let bytes = written.as_bytes();
    let is_whole = !(bytes.contains(&b'#') || is_encoded && bytes.contains(&b'%'));
    if is_whole && n_segments == 1 {
        let n_lead = written.len() - written.trim_start().len();
        return Some(span.start + n_lead..span.start + n_lead + written.trim().len());
    }
    let mut segments = Vec::new();
    let (mut start, mut at) = (0, 0);
    while at < bytes.len() {
        let n_separator = match &bytes[at..] {
            [b'#', ..] if !(is_encoded && written[..at].ends_with('&')) => 1,
            [b'%', b'2', b'3', ..] if is_encoded => 3,
            _ => 0,
        };
        if n_separator > 0 {
            segments.push(start..at);
            start = at + n_separator;
        }
        at += n_separator.max(1);
    }
    segments.push(start..bytes.len());
    segments.retain(|range| !written[range.clone()].trim().is_empty());
    if segments.len() != n_segments {
        return None;
    }
    let range = segments.swap_remove(nth);
    let slice = &written[range.clone()];
    let n_lead = slice.len() - slice.trim_start().len();
    let start = span.start + range.start + n_lead;
    Some(start..start + slice.trim().len())
}

fn shadowing(link: &Link, chain: &[usize], now: Option<Rc<[usize]>>, moved: &HeadingMoved<'_>) -> Option<LinkWarning> {
    shadowed(chain, now.as_deref(), moved).map(|what| warning(link, &what))
}

/// What to say of a link that meant one heading and now means another, or none.
fn shadowed(chain: &[usize], now: Option<&[usize]>, moved: &HeadingMoved<'_>) -> Option<String> {
    let old = chain.last()?;
    let was = moved.before.headings.get(*old)?;
    let new = match now {
        Some(now) if now.last() == Some(old) => return None,
        Some(now) => {
            let heading = moved.after.headings.get(*now.last()?)?;
            format!("`{}` (line {})", heading.text, heading.line)
        }
        None => "no heading".to_owned(),
    };
    Some(format!("meant `{}` (line {}) and now means {new}", was.text, was.line))
}

/// A fragment that a website would understand; Obsidian does not, so it is left alone.
fn web_anchor(link: &Link, subpath: &str, moved: &HeadingMoved<'_>) -> Option<LinkWarning> {
    let is_url = matches!(link.kind, LinkKind::Markdown | LinkKind::Definition);
    let heading = moved.before.headings.get(moved.index)?;
    let is_slug = is_url && !heading.text.is_empty() && slug(&heading.text) == subpath.to_lowercase();
    is_slug.then(|| warning(link, "names the old title as a website would; it was left alone"))
}

fn warning(link: &Link, what: &str) -> LinkWarning {
    let subpath = link.subpath.as_deref().unwrap_or_default();
    LinkWarning { line: link.line, text: format!("link to `{}#{subpath}` {what}", link.target) }
}

#[cfg(test)]
mod tests;
