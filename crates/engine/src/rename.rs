//! The plan for a section rename: one title, and every link in the vault that means it.

use crate::follow::{follow, follow_bookmarks, is_canvas, warn};
use crate::view::OpenNote;
use crate::{Plan, PlanError, PlannedFile, Summary, View};
use note::{Edits, HeadingMoved, Link, NoteText, RelPath, SectionRef};
use std::collections::BTreeSet;

/// What a link that does not follow still names.
const OLD: &str = "the old heading";

pub(crate) fn plan_rename(
    view: &View,
    open: &OpenNote,
    at: &SectionRef,
    new_heading: &str,
    update_links: bool,
    allow_h1: bool,
) -> Result<Plan, PlanError> {
    let renamed = note::rename_heading(&open.text, &open.note, at, new_heading, allow_h1)
        .map_err(|error| PlanError::Rename { path: open.path.clone(), error, current: open.text.hash() })?;
    let after_rename = renamed.edits.apply(&open.text).expect("the edits were made from this very text");
    let after_note = note::parse(&after_rename);
    let moved = HeadingMoved { before: &open.note, after: &after_note, index: renamed.index };
    let mut summary = Summary {
        old_heading: Some(renamed.old.clone()),
        new_heading: Some(renamed.new.clone()),
        level: Some(renamed.level),
        line: Some(renamed.line),
        heading_occurrence: Some(renamed.occurrence),
        warnings: renamed.warnings.clone(),
        ..Summary::default()
    };

    let mut lead_edits = renamed.edits.clone();
    let mut lead_links = 0;
    let mut files = Vec::new();
    if update_links {
        let own =
            note::repoint_links(&open.text, &open.note, &moved, &|link| means(view, link, &open.path, &open.path));
        lead_links = own.n_links;
        warn(&mut summary, &open.path, &own);
        lead_edits = merge(lead_edits, own.edits);
        summary.warnings.extend(
            crate::view::unread_notice(&view.unread)
                .map(|notice| format!("{}; links there stay as they are", notice.message)),
        );
        for path in linking_files(view, &open.path) {
            let repoint = |text: &NoteText| match is_canvas(&path) {
                true => note::repoint_canvas(text, &moved, &|target| leads_to(view, target, &path, &open.path)),
                false => {
                    note::repoint_links(text, &note::parse(text), &moved, &|link| means(view, link, &path, &open.path))
                }
            };
            files.extend(follow(view, &path, OLD, &repoint, &mut summary));
        }
        let repoint = |text: &NoteText| note::repoint_bookmarks(text, &open.path, &moved);
        files.extend(follow_bookmarks(view, OLD, &repoint, &mut summary));
    }
    let lead_after = lead_edits.apply(&open.text).expect("both edits were made from this very text");
    let lead = PlannedFile {
        path: open.path.clone(),
        before: Some(open.text.clone()),
        after: Some(lead_after),
        n_links: lead_links,
        link_repair: false,
    };
    files.insert(0, lead);
    summary.count(&files.iter().collect::<Vec<_>>());
    Ok(Plan::new(open.path.clone(), files, summary))
}

fn means(view: &View, link: &Link, from: &RelPath, lead: &RelPath) -> bool {
    leads_to(view, &link.target, from, lead)
}

/// Whether a target means the note, be it by the path of a symbolic link to it.
pub(crate) fn leads_to(view: &View, target: &str, from: &RelPath, lead: &RelPath) -> bool {
    view.index.resolve(target, from).is_some_and(|to| to == *lead || is_alias(view, &to, lead))
}

/// Whether a path of the vault is a symbolic link to the note. Equal bytes are asked for first, since that costs nothing.
fn is_alias(view: &View, path: &RelPath, lead: &RelPath) -> bool {
    let hash = |path: &RelPath| view.index.entry(path).and_then(|entry| entry.hash);
    path != lead && hash(path) == hash(lead) && view.reader.real(path).as_ref() == Some(lead)
}

/// Returns the paths of the vault that are symbolic links to the note.
pub(crate) fn aliases<'v>(view: &'v View, lead: &RelPath) -> impl Iterator<Item = &'v RelPath> {
    let hash = view.index.entry(lead).and_then(|entry| entry.hash);
    let equal = view.index.files().filter(move |entry| entry.hash == hash).map(|entry| &entry.path);
    equal.filter(|path| is_alias(view, path, lead))
}

/// Returns every other file with a link that may mean the note, be it in a comment, in path order; each file once, by
/// whatever names it has.
fn linking_files(view: &View, lead: &RelPath) -> BTreeSet<RelPath> {
    let linking: BTreeSet<RelPath> = std::iter::once(lead)
        .chain(aliases(view, lead))
        .flat_map(|target| view.index.linking_notes(target).into_iter().chain(view.index.commenting_notes(target)))
        .map(|path| view.reader.real(&path).unwrap_or(path))
        .filter(|path| path != lead)
        .collect();
    let mut seen = BTreeSet::new();
    let own = |path: &RelPath| view.reader.stat(path).ok().and_then(|stat| stat.file_id);
    linking.into_iter().filter(|path| own(path).is_none_or(|file| seen.insert(file))).collect()
}

/// Joins the heading's edit with those of links in the same note; a link inside the renamed title is the title's business.
fn merge(title: Edits, links: Edits) -> Edits {
    let outside = |range: &std::ops::Range<usize>| {
        title.edits.iter().all(|edit| edit.range.end <= range.start || range.end <= edit.range.start)
    };
    let mut edits: Vec<_> =
        links.edits.into_iter().filter(|edit| outside(&edit.range)).chain(title.edits.iter().cloned()).collect();
    edits.sort_by_key(|edit| edit.range.start);
    Edits { base: title.base, edits }
}
