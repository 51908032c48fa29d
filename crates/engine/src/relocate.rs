//! The plans for moving and deleting a note: the file, and every link in the vault that leads to it.

use crate::follow::{follow, follow_bookmarks, is_canvas, plural, warn};
use crate::plan::free;
use crate::{NoteError, Plan, PlanError, PlannedFile, Summary, View};
use note::{LinkFormat, NoteText, NotesMoved, RelPath};
use std::collections::{BTreeSet, HashMap};

/// What a link that does not follow still names.
const OLD: &str = "the old path";

pub(crate) fn plan_move(view: &View, path: &RelPath, to: &RelPath) -> Result<Plan, PlanError> {
    let text = lead_text(view, path)?;
    if !to.is_note() {
        return Err(NoteError::NotANote { wanted: to.as_str().to_owned() }.into());
    }
    free(view, to, Some(path))?;
    let renames = [(path.clone(), to.clone())];
    let mut by_name: HashMap<String, Vec<RelPath>> = HashMap::new();
    for entry in view.index.files() {
        by_name.entry(note::fold(entry.path.file_name())).or_default().push(entry.path.clone());
    }
    let named = |name: &str| by_name.get(name).cloned().unwrap_or_default();
    let moved = NotesMoved::new(&renames, &named, link_format(view));
    let mut summary = Summary { new_path: Some(to.as_str().to_owned()), ..Summary::default() };

    let (lead_after, lead_links) = if text.is_exact() {
        let own = note::repoint_note_links(&text, &note::parse(&text), path, &moved);
        warn(&mut summary, path, &own);
        (own.edits.apply(&text).expect("the edits were made from this very text"), own.n_links)
    } else {
        (text.clone(), 0)
    };
    let mut files = vec![
        PlannedFile { path: path.clone(), before: Some(text), after: None, n_links: 0, link_repair: false },
        PlannedFile {
            path: to.clone(),
            before: None,
            after: Some(lead_after),
            n_links: lead_links,
            link_repair: false,
        },
    ];
    for other in affected(view, path, to, &named) {
        let repoint = |text: &NoteText| match is_canvas(&other) {
            true => note::repoint_canvas_notes(text, &other, &moved),
            false => note::repoint_note_links(text, &note::parse(text), &other, &moved),
        };
        files.extend(follow(view, &other, OLD, &repoint, &mut summary));
    }
    let repoint = |text: &NoteText| note::repoint_bookmarks_notes(text, &moved);
    files.extend(follow_bookmarks(view, OLD, &repoint, &mut summary));
    summary.count(&files[1..]);
    Ok(Plan::new(path.clone(), files, summary))
}

pub(crate) fn plan_delete(view: &View, path: &RelPath) -> Result<Plan, PlanError> {
    let text = lead_text(view, path)?;
    let n_links = view.n_backlinks(path);
    let mut summary = Summary { n_notes: 1, ..Summary::default() };
    if n_links > 0 {
        summary.warnings.push(format!("{n_links} link{} to it will lead nowhere", plural(n_links)));
    }
    let mut files = Vec::new();
    if view.setting("trashOption").as_deref() == Some("local") {
        let to = in_trash(view, path);
        summary.new_path = Some(to.as_str().to_owned());
        files.push(PlannedFile { path: to, before: None, after: Some(text.clone()), n_links: 0, link_repair: false });
    }
    files
        .insert(0, PlannedFile { path: path.clone(), before: Some(text), after: None, n_links: 0, link_repair: false });
    Ok(Plan::new(path.clone(), files, summary))
}

fn lead_text(view: &View, path: &RelPath) -> Result<NoteText, PlanError> {
    let open = view.open_note(path)?;
    match open.writable {
        Err(reason) if !open.not_utf8 => Err(PlanError::ReadOnly { path: open.path, reason }),
        _ => Ok(open.text),
    }
}

/// The files with links that may mean something else afterwards: those that link to the note, and those that link to a
/// file whose name it takes.
fn affected(view: &View, path: &RelPath, to: &RelPath, named: &dyn Fn(&str) -> Vec<RelPath>) -> BTreeSet<RelPath> {
    let twins = named(&note::fold(to.file_name()));
    let targets = std::iter::once(path.clone()).chain(twins);
    targets.flat_map(|target| view.index.linking_notes(&target)).filter(|other| other != path).collect()
}

/// Obsidian's own setting for the paths of links.
fn link_format(view: &View) -> LinkFormat {
    match view.setting("newLinkFormat").as_deref() {
        Some("relative") => LinkFormat::Relative,
        Some("absolute") => LinkFormat::Absolute,
        _ => LinkFormat::Shortest,
    }
}

/// `.trash` keeps the path below it; a name that is taken there gets a number.
fn in_trash(view: &View, path: &RelPath) -> RelPath {
    let stem = path.as_str().strip_suffix(".md").unwrap_or(path.as_str());
    let numbered = (2..).map(|n| format!(".trash/{stem} {n}.md"));
    std::iter::once(format!(".trash/{}", path.as_str()))
        .chain(numbered)
        .filter_map(|candidate| RelPath::new(&candidate).ok())
        .find(|candidate| !view.reader.exists(candidate))
        .expect("numbers do not run out")
}
