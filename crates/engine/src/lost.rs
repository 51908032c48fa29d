//! Links that a change of a note takes their heading or block from. They are named, never changed: only the person can
//! say what they should lead to instead.

use crate::View;
use crate::follow::bookmarks;
use crate::rename::{aliases, leads_to};
use note::{NoteChanged, NoteText, RelPath};
use std::collections::{BTreeMap, HashMap};

/// Names every link in the vault, and every bookmark, that does not lead to the heading or block where it led.
pub(crate) fn lost_links(view: &View, lead: &RelPath, changed: &NoteChanged<'_>) -> Vec<String> {
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
    // Its own links as they will stand: those that go away with the text lose nothing.
    for link in changed.after.links.iter().filter(|link| leads_to(view, &link.target, lead, lead)) {
        let Some(subpath) = link.subpath.as_deref() else { continue };
        if let Some(what) = lost(subpath) {
            warnings.push(format!("`{lead}` line {}: link to `{}#{subpath}` {what}", link.line, link.target));
        }
    }
    let targets: Vec<&RelPath> = std::iter::once(lead).chain(aliases(view, lead)).collect();
    let linking: BTreeMap<_, _> = targets
        .iter()
        .flat_map(|target| view.index.backlinks(target))
        .filter(|link| !targets.contains(&&link.from))
        .map(|link| ((link.from, link.link), link.fact))
        .collect();
    for ((from, _), fact) in linking {
        let Some(subpath) = fact.subpath.as_deref() else { continue };
        if let Some(what) = lost(subpath) {
            warnings.push(format!("`{from}` line {}: link to `{}#{subpath}` {what}", fact.line, fact.target));
        }
    }
    for bookmark in bookmarks(view).iter().filter(|bookmark| note::fold(&bookmark.path) == lead.fold()) {
        let Some(subpath) = bookmark.subpath.as_deref() else { continue };
        if let Some(what) = lost(subpath) {
            let (path, line) = (&bookmark.path, bookmark.line);
            warnings.push(format!("`{}` line {line}: bookmark `{path}#{subpath}` {what}", vault::BOOKMARKS));
        }
    }
    warnings.dedup();
    let unread = crate::view::unread_notice(&view.unread);
    warnings.extend(unread.map(|notice| format!("{}; links there were not looked at", notice.message)));
    warnings
}

/// The same for a note that gets another text as a whole.
pub(crate) fn lost_by_text(view: &View, lead: &RelPath, before: &NoteText, after: &NoteText) -> Vec<String> {
    let edits = note::diff_lf(before, &after.lf());
    // The kinds of line endings aside, this is the text afterwards.
    let Ok(after) = edits.apply(before) else { return Vec::new() };
    let (before, after) = (note::parse(before), note::parse(&after));
    lost_links(view, lead, &NoteChanged::by_edits(&before, &after, &edits))
}
