//! Links that a change of a note takes their heading or block from. They are named, never changed: only the person can
//! say what they should lead to instead.

use crate::follow::{bookmarks_in, bookmarks_path, is_canvas};
use crate::plan::any_text;
use crate::relocate::by_name;
use crate::rename::{aliases, leads_to};
use crate::{Carried, PlannedFile, View};
use note::{NoteChanged, NoteText, RelPath};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// The texts that files will have once a change is made that touches more than one of them.
pub(crate) type Texts<'t> = BTreeMap<&'t RelPath, &'t NoteText>;

/// Names every link in the vault, and every bookmark, that does not lead to the heading or block where it led; `after` is
/// the text of the note afterwards.
pub(crate) fn lost_links(view: &View, lead: &RelPath, changed: &NoteChanged<'_>, after: &NoteText) -> Vec<String> {
    let mut warnings = lost_among(view, lead, changed, after, &Texts::new());
    if !changed.keeps_all() {
        let unread = crate::view::unread_notice(&view.unread);
        warnings.extend(unread.map(|notice| format!("{}; links there were not looked at", notice.message)));
    }
    warnings
}

/// The same for a note that gets another text as a whole.
pub(crate) fn lost_by_text(view: &View, lead: &RelPath, before: &NoteText, after: &NoteText) -> Vec<String> {
    let edits = note::diff_lf(before, &after.lf());
    // The kinds of line endings aside, this is the text afterwards.
    let Ok(after) = edits.apply(before) else { return Vec::new() };
    let (before, parsed) = (note::parse(before), note::parse(&after));
    lost_links(view, lead, &NoteChanged::by_edits(&before, &parsed, &edits), &after)
}

/// The same where other files change too: their links are looked at as they will stand.
pub(crate) fn lost_among(
    view: &View,
    lead: &RelPath,
    changed: &NoteChanged<'_>,
    after: &NoteText,
    texts: &Texts<'_>,
) -> Vec<String> {
    if changed.keeps_all() {
        return Vec::new();
    }
    let mut known: HashMap<String, Option<String>> = HashMap::new();
    let mut lost = |subpath: &str| -> Option<String> {
        if subpath.trim().is_empty() {
            return None;
        }
        known.entry(subpath.to_owned()).or_insert_with(|| changed.lost_target(subpath)).clone()
    };
    let mut warnings = Vec::new();
    let mut name = |from: &RelPath, held: Held| {
        if let Some(what) = held.subpath.as_deref().and_then(&mut lost) {
            warnings.push(format!("`{from}` line {}: {} {what}", held.line, held.shown()));
        }
    };
    let means = |held: &Held, from: &RelPath| leads_to(view, &held.target, from, lead);
    // Its own links as they will stand: those that go away with the text lose nothing.
    held_by(lead, after).into_iter().filter(|held| means(held, lead)).for_each(|held| name(lead, held));

    let targets: Vec<&RelPath> = std::iter::once(lead).chain(aliases(view, lead)).collect();
    let backlinks = targets.iter().flat_map(|target| view.index.backlinks(target));
    let mut linking: BTreeMap<RelPath, BTreeMap<usize, Held>> = BTreeMap::new();
    for link in backlinks.filter(|link| !targets.contains(&&link.from)) {
        linking.entry(link.from).or_default().insert(link.link, Held::of(&link.fact));
    }
    let commenting: BTreeSet<RelPath> = targets.iter().flat_map(|target| view.index.commenting_notes(target)).collect();
    let holding: BTreeSet<&RelPath> = linking.keys().chain(&commenting).collect();
    for from in holding.into_iter().filter(|from| !targets.contains(from)) {
        if let Some(text) = texts.get(from) {
            held_by(from, text).into_iter().filter(|held| means(held, from)).for_each(|held| name(from, held));
            continue;
        }
        linking.get(from).into_iter().flat_map(BTreeMap::values).cloned().for_each(|held| name(from, held));
        if commenting.contains(from)
            && let Ok(file) = view.reader.read(from)
        {
            let inside = held_by(from, &any_text(file.bytes)).into_iter().filter(|held| held.in_comment);
            inside.filter(|held| means(held, from)).for_each(|held| name(from, held));
        }
    }
    let bookmarks = bookmarks_in(view, texts.get(&bookmarks_path()).copied());
    for bookmark in bookmarks.iter().filter(|bookmark| note::fold(&bookmark.path) == lead.fold()) {
        let Some(subpath) = bookmark.subpath.as_deref() else { continue };
        if let Some(what) = lost(subpath) {
            let (path, line) = (&bookmark.path, bookmark.line);
            warnings.push(format!("`{}` line {line}: bookmark `{path}#{subpath}` {what}", vault::BOOKMARKS));
        }
    }
    warnings.dedup();
    warnings
}

/// Names what a plan takes from links that it leaves as they are: headings and blocks of the notes that it changes, and
/// the files that it takes away. What comes back to its old path is not gone.
pub(crate) fn lost_by_undo(view: &View, files: &[PlannedFile], carried: &[Carried]) -> Vec<String> {
    let texts: Texts<'_> = files.iter().filter_map(|file| Some((&file.path, file.after.as_ref()?))).collect();
    let mut warnings = Vec::new();
    for file in files.iter().filter(|file| file.path.is_note()) {
        let (Some(before), Some(after)) = (&file.before, &file.after) else { continue };
        let edits = note::diff_lf(before, &after.lf());
        let Ok(after) = edits.apply(before) else { continue };
        let (before, parsed) = (note::parse(before), note::parse(&after));
        let changed = NoteChanged::by_edits(&before, &parsed, &edits);
        warnings.extend(lost_among(view, &file.path, &changed, &after, &texts));
    }
    let leaving = files.iter().filter(|file| file.after.is_none()).map(|file| &file.path);
    let gone: BTreeSet<&RelPath> = leaving.chain(carried.iter().filter_map(|file| file.from.as_ref())).collect();
    let coming = files.iter().filter(|file| file.before.is_none()).map(|file| &file.path);
    let back: BTreeSet<&RelPath> = coming.chain(carried.iter().filter_map(|file| file.to.as_ref())).collect();
    warnings.extend(lost_files(view, &gone, &back, &texts));
    warnings
}

fn lost_files(view: &View, gone: &BTreeSet<&RelPath>, back: &BTreeSet<&RelPath>, texts: &Texts<'_>) -> Vec<String> {
    if gone.is_empty() {
        return Vec::new();
    }
    let by_name = by_name(view);
    let named = |name: &str| {
        let there = by_name.get(name).into_iter().flatten().filter(|path| !gone.contains(path));
        let back = back.iter().copied().filter(|path| note::fold(path.file_name()) == name);
        there.chain(back).cloned().collect::<Vec<RelPath>>()
    };
    let mut linking: BTreeMap<RelPath, BTreeMap<usize, Held>> = BTreeMap::new();
    for link in gone.iter().flat_map(|target| view.index.backlinks(target)) {
        if !gone.contains(&link.from) {
            linking.entry(link.from).or_default().insert(link.link, Held::of(&link.fact));
        }
    }
    let mut warnings = Vec::new();
    for (from, links) in &linking {
        let leads_away = |held: &Held| view.index.resolve(&held.target, from).is_some_and(|to| gone.contains(&to));
        let held: Vec<Held> = match texts.get(from) {
            Some(text) => held_by(from, text).into_iter().filter(|held| !held.in_comment && leads_away(held)).collect(),
            None => links.values().cloned().collect(),
        };
        for held in held {
            // A card names a path from the root, and nothing else.
            let to = if held.is_card { None } else { note::resolve_link(&held.target, from, &named) };
            let leads = match to {
                Some(to) if back.contains(&to) => continue,
                Some(to) => format!("to `{to}` instead"),
                None => "nowhere".to_owned(),
            };
            warnings.push(format!("`{from}` line {}: {} will lead {leads}", held.line, held.shown()));
        }
    }
    let folded = |paths: &BTreeSet<&RelPath>| paths.iter().map(|path| path.fold()).collect::<BTreeSet<String>>();
    let (gone, back) = (folded(gone), folded(back));
    for bookmark in bookmarks_in(view, texts.get(&bookmarks_path()).copied()) {
        let path = note::fold(&bookmark.path);
        if gone.contains(&path) && !back.contains(&path) {
            let (file, line, path) = (vault::BOOKMARKS, bookmark.line, &bookmark.path);
            warnings.push(format!("`{file}` line {line}: bookmark `{path}` will lead nowhere"));
        }
    }
    warnings
}

/// A link in a file, whatever kind of file that is.
#[derive(Debug, Clone)]
pub(crate) struct Held {
    pub line: u32,
    pub target: String,
    pub subpath: Option<String>,
    /// It is a card of a canvas, which names a path from the root and nothing else.
    pub is_card: bool,
    /// It is inside a comment: nothing follows it, and renaming a heading names it too.
    pub in_comment: bool,
}

impl Held {
    fn of(fact: &index::LinkFact) -> Held {
        Held {
            line: fact.line,
            target: fact.target.to_string(),
            subpath: fact.subpath.as_deref().map(str::to_owned),
            is_card: fact.form == index::LinkForm::Canvas && fact.embed,
            in_comment: false,
        }
    }

    pub fn shown(&self) -> String {
        let what = if self.in_comment { "link in a comment" } else { "link" };
        let subpath = self.subpath.as_ref().map(|subpath| format!("#{subpath}")).unwrap_or_default();
        format!("{what} to `{}{subpath}`", self.target)
    }
}

/// Lists the links of a text, those in comments last.
pub(crate) fn held_by(path: &RelPath, text: &NoteText) -> Vec<Held> {
    if is_canvas(path) {
        let links = note::canvas::canvas_links(text.as_str()).into_iter();
        let held = |link: note::canvas::CanvasLink| {
            let (line, target, subpath, is_card) = (link.line, link.target, link.subpath, link.is_card);
            Held { line, target, subpath, is_card, in_comment: false }
        };
        return links.map(held).collect();
    }
    if !path.is_note() {
        return Vec::new();
    }
    let parsed = note::parse(text);
    let held = |link: note::Link, in_comment| {
        let (line, target, subpath) = (link.line, link.target, link.subpath);
        Held { line, target, subpath, is_card: false, in_comment }
    };
    let inside = parsed.links_in_comments(text);
    parsed
        .links
        .into_iter()
        .map(|link| held(link, false))
        .chain(inside.into_iter().map(|link| held(link, true)))
        .collect()
}
