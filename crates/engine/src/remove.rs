//! The plans for deleting a note or a folder, by the vault's own setting for deleted files.

use crate::follow::{is_canvas, plural};
use crate::relocate::{files_below, folder_is_there, hash_of, lead_text, text_of};
use crate::{Carried, Plan, PlanError, PlannedFile, Summary, View};
use note::{NoteText, RelPath};
use std::collections::BTreeSet;

pub(crate) fn plan_delete(view: &View, path: &RelPath) -> Result<Plan, PlanError> {
    let text = lead_text(view, path)?;
    let mut summary = Summary { n_notes: 1, ..Summary::default() };
    warn_of_links(view.n_backlinks(path), &mut summary);
    let mut files = vec![gone(path, &text)];
    if keeps_trash(view) {
        let to = in_trash(view, path);
        summary.new_path = Some(to.as_str().to_owned());
        files.push(arrived(to, text));
    }
    Ok(Plan::new(path.clone(), files, summary))
}

pub(crate) fn plan_delete_folder(view: &View, path: &RelPath) -> Result<Plan, PlanError> {
    folder_is_there(view, path)?;
    let trash = keeps_trash(view).then(|| in_trash(view, path));
    let below = files_below(view, path);
    let (mut files, mut carried) = (Vec::new(), Vec::new());
    for from in &below {
        let to = trash
            .as_ref()
            .and_then(|trash| RelPath::new(&format!("{trash}{}", &from.as_str()[path.as_str().len()..])).ok());
        if from.is_note() || is_canvas(from) {
            let text = text_of(view, from)?;
            files.push(gone(from, &text));
            files.extend(to.map(|to| arrived(to, text)));
        } else {
            carried.push(Carried { hash: hash_of(view, from)?, from: from.clone(), to });
        }
    }
    let n = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
    let n_notes = n(below.iter().filter(|path| path.is_note()).count());
    let mut summary = Summary {
        new_path: trash.map(|trash| trash.as_str().to_owned()),
        n_moved: n(below.len()),
        n_notes,
        ..Summary::default()
    };
    let outside: BTreeSet<(RelPath, usize)> = below
        .iter()
        .flat_map(|target| view.index.backlinks(target))
        .filter(|link| !below.contains(&link.from))
        .map(|link| (link.from, link.link))
        .collect();
    warn_of_links(n(outside.len()), &mut summary);
    Ok(Plan::with_carried(path.clone(), files, carried, summary))
}

fn warn_of_links(n_links: u32, summary: &mut Summary) {
    if n_links > 0 {
        summary.warnings.push(format!("{n_links} link{} to it will lead nowhere", plural(n_links)));
    }
}

fn gone(path: &RelPath, text: &NoteText) -> PlannedFile {
    PlannedFile { path: path.clone(), before: Some(text.clone()), after: None, n_links: 0, link_repair: false }
}

fn arrived(path: RelPath, text: NoteText) -> PlannedFile {
    PlannedFile { path, before: None, after: Some(text), n_links: 0, link_repair: false }
}

/// Whether deleted files go into the vault's own `.trash`.
fn keeps_trash(view: &View) -> bool {
    view.setting("trashOption").as_deref() == Some("local")
}

/// `.trash` keeps the path below it; a name that is taken there gets a number.
fn in_trash(view: &View, path: &RelPath) -> RelPath {
    let (stem, extension) = match path.as_str().strip_suffix(".md") {
        Some(stem) => (stem, ".md"),
        None => (path.as_str(), ""),
    };
    let numbered = (2..).map(|n| format!(".trash/{stem} {n}{extension}"));
    std::iter::once(format!(".trash/{}", path.as_str()))
        .chain(numbered)
        .filter_map(|candidate| RelPath::new(&candidate).ok())
        .find(|candidate| !view.reader.exists(candidate))
        .expect("numbers do not run out")
}
