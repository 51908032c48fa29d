//! The plan for a section rename: one title, and every link in the vault that means it.

use crate::view::OpenNote;
use crate::{Plan, PlanError, PlannedFile, Summary, View};
use note::{Edits, HeadingMoved, Link, NoteText, RelPath, Repointed, SectionRef};
use std::collections::BTreeSet;

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
            match follow(view, &path, &open.path, &moved, &mut summary) {
                Some(file) => files.push(file),
                None => continue,
            }
        }
    }
    let lead_after = lead_edits.apply(&open.text).expect("both edits were made from this very text");
    let lead = PlannedFile {
        path: open.path.clone(),
        before: Some(open.text.clone()),
        after: Some(lead_after),
        n_links: lead_links,
        link_repair: false,
    };
    summary.n_links = lead_links + files.iter().map(|file| file.n_links).sum::<u32>();
    let n = |canvas: bool| {
        u32::try_from(files.iter().filter(|file| is_canvas(&file.path) == canvas).count()).unwrap_or(u32::MAX)
    };
    summary.n_canvases = n(true);
    summary.n_notes = n(false) + 1;
    files.insert(0, lead);
    Ok(Plan::new(open.path.clone(), files, summary))
}

/// Repoints the links of one other file; `None` if none of them means the heading.
fn follow(
    view: &View,
    path: &RelPath,
    lead: &RelPath,
    moved: &HeadingMoved<'_>,
    summary: &mut Summary,
) -> Option<PlannedFile> {
    let Ok(file) = view.reader.read(path) else {
        summary.warnings.push(format!("`{path}` could not be read; a link in it may still name the old heading"));
        return None;
    };
    let (text, exact) = match NoteText::new(file.bytes) {
        Ok(text) => (text, true),
        Err(error) => (NoteText::lossy(error.bytes), false),
    };
    let repointed = if is_canvas(path) {
        note::canvas::repoint_canvas(&text, moved, &|target| leads_to(view, target, path, lead))
    } else {
        let note = note::parse(&text);
        note::repoint_links(&text, &note, moved, &|link| means(view, link, path, lead))
    };
    warn(summary, path, &repointed);
    if repointed.n_links == 0 {
        return None;
    }
    if !exact || !file.writable {
        let why = if exact { "is read-only" } else { "is not UTF-8" };
        let n = repointed.n_links;
        summary.warnings.push(format!(
            "`{path}` {why}: {n} link{} in it still name{} the old heading",
            plural(n),
            if n == 1 { "s" } else { "" }
        ));
        return None;
    }
    let after = repointed.edits.apply(&text).expect("the edits were made from this very text");
    Some(PlannedFile {
        path: path.clone(),
        before: Some(text),
        after: Some(after),
        n_links: repointed.n_links,
        link_repair: true,
    })
}

fn means(view: &View, link: &Link, from: &RelPath, lead: &RelPath) -> bool {
    leads_to(view, &link.target, from, lead)
}

/// Whether a target means the note, be it by the path of a symbolic link to it.
fn leads_to(view: &View, target: &str, from: &RelPath, lead: &RelPath) -> bool {
    view.index.resolve(target, from).is_some_and(|to| to == *lead || is_alias(view, &to, lead))
}

/// Whether a path of the vault is a symbolic link to the note. Equal bytes are asked for first, since that costs nothing.
fn is_alias(view: &View, path: &RelPath, lead: &RelPath) -> bool {
    let hash = |path: &RelPath| view.index.entry(path).and_then(|entry| entry.hash);
    path != lead && hash(path) == hash(lead) && view.reader.real(path).as_ref() == Some(lead)
}

/// Returns every other file with a link that may mean the note, in path order; each file once, by whatever names it has.
fn linking_files(view: &View, lead: &RelPath) -> BTreeSet<RelPath> {
    let aliases = view.index.files().map(|entry| &entry.path).filter(|path| is_alias(view, path, lead));
    let linking: BTreeSet<RelPath> = std::iter::once(lead)
        .chain(aliases)
        .flat_map(|target| view.index.linking_notes(target))
        .map(|path| view.reader.real(&path).unwrap_or(path))
        .filter(|path| path != lead)
        .collect();
    let mut seen = BTreeSet::new();
    let own = |path: &RelPath| view.reader.stat(path).ok().and_then(|stat| stat.file_id);
    linking.into_iter().filter(|path| own(path).is_none_or(|file| seen.insert(file))).collect()
}

pub(crate) fn is_canvas(path: &RelPath) -> bool {
    path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("canvas"))
}

pub(crate) fn warn(summary: &mut Summary, path: &RelPath, repointed: &Repointed) {
    summary
        .warnings
        .extend(repointed.warnings.iter().map(|warning| format!("`{path}` line {}: {}", warning.line, warning.text)));
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

pub(crate) fn plural(n: u32) -> &'static str {
    if n == 1 { "" } else { "s" }
}
