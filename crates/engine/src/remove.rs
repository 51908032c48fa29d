//! The plans for deleting a note or a folder, by the vault's own setting for deleted files.

use crate::find::n32;
use crate::follow::{bookmarks, is_canvas, plural};
use crate::relocate::{by_name, files_below, folder_is_there, hash_of, lead_text, text_of};
use crate::writer::Writer;
use crate::{Carried, HealthNotice, Intent, Plan, PlanError, PlannedFile, Summary, View};
use index::{LinkFact, LinkForm};
use note::{ContentHash, NoteText, RelPath};
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

pub(crate) fn plan_delete(view: &View, path: &RelPath) -> Result<Plan, PlanError> {
    let text = lead_text(view, path)?;
    let mut summary = Summary { n_notes: 1, ..Summary::default() };
    warn_of_links(view, &BTreeSet::from([path.clone()]), &mut summary);
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
            carried.push(Carried { hash: hash_of(view, from)?, from: Some(from.clone()), to });
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
    warn_of_links(view, &below, &mut summary);
    Ok(Plan::with_carried(path.clone(), files, carried, summary))
}

/// What a deletion puts into the desktop's trash.
#[derive(Debug)]
pub(crate) struct Thrown {
    from: RelPath,
    texts: Vec<(RelPath, NoteText)>,
    carried: Vec<(RelPath, ContentHash)>,
}

impl Thrown {
    /// Looks whether an intent deletes something, in a vault that sends deleted files to the desktop's trash.
    pub fn by(intent: &Intent, plan: &Plan, view: &View) -> Option<Thrown> {
        let (Intent::DeleteNote { path } | Intent::DeleteFolder { path }) = intent else { return None };
        // Obsidian's own default.
        if view.setting("trashOption").is_some_and(|option| option != "system") {
            return None;
        }
        let texts = plan.files.iter().filter_map(|file| Some((file.path.clone(), file.before.clone()?)));
        let carried = plan.carried.iter().filter_map(|file| Some((file.from.clone()?, file.hash)));
        Some(Thrown { from: path.clone(), texts: texts.collect(), carried: carried.collect() })
    }
}

impl Writer {
    /// Puts a copy of what was deleted into the desktop's trash. It is in the history already, so whatever goes wrong
    /// here is only told.
    pub(crate) fn throw_away(&self, thrown: &Thrown) {
        let (Some(trash), root) = self.shared.trash() else { return };
        let reader = self.view().reader;
        let carried: Vec<(&RelPath, Vec<u8>)> =
            thrown.carried.iter().filter_map(|(path, hash)| Some((path, reader.blob(hash).ok().flatten()?))).collect();
        let below = |path: &RelPath| {
            let rest = path.as_str().strip_prefix(thrown.from.as_str()).unwrap_or(path.as_str());
            PathBuf::from(rest.trim_start_matches('/'))
        };
        let texts = thrown.texts.iter().map(|(path, text)| (below(path), text.bytes()));
        let files: Vec<(PathBuf, &[u8])> =
            texts.chain(carried.iter().map(|(path, bytes)| (below(path), bytes.as_slice()))).collect();
        if files.is_empty() {
            return;
        }
        let at = jiff::ZonedDateTime::now().strftime("%Y-%m-%dT%H:%M:%S").to_string();
        let from = root.join(thrown.from.as_str());
        if let Err(error) = vault::throw_away(trash, &vault::Thrown { from: &from, at: &at, files }) {
            self.shared.notice(HealthNotice {
                message: format!("`{}` could not be put into the trash: {error}", thrown.from),
                hint: "it is kept in the history; undo the deletion to have it back".to_owned(),
            });
        }
    }
}

/// Names what links to files that go away: the links that will lead nowhere, and those that another file of that name
/// takes over.
fn warn_of_links(view: &View, gone: &BTreeSet<RelPath>, summary: &mut Summary) {
    let by_name = by_name(view);
    let named = |name: &str| {
        let files = by_name.get(name).into_iter().flatten();
        files.filter(|file| !gone.contains(file)).cloned().collect::<Vec<RelPath>>()
    };
    let linking: BTreeMap<(RelPath, usize), LinkFact> = gone
        .iter()
        .flat_map(|target| view.index.backlinks(target))
        .filter(|link| !gone.contains(&link.from))
        .map(|link| ((link.from, link.link), link.fact))
        .collect();
    // Those that lead nowhere come first.
    let mut led: BTreeMap<Option<RelPath>, Vec<RelPath>> = BTreeMap::new();
    for ((from, _), fact) in linking {
        // A card names a path from the root, and nothing else.
        let is_card = fact.form == LinkForm::Canvas && fact.embed;
        let to = if is_card { None } else { note::resolve_link(&fact.target, &from, &named) };
        led.entry(to).or_default().push(from);
    }
    summary.warnings.extend(led.into_iter().map(|(to, from)| {
        let what = count(from.len(), "link");
        let from: BTreeSet<RelPath> = from.into_iter().collect();
        let (canvases, notes): (Vec<&RelPath>, Vec<&RelPath>) = from.iter().partition(|path| is_canvas(path));
        let holders = match (notes.len(), canvases.len()) {
            (n_notes, 0) => count(n_notes, "note"),
            (0, 1) => "1 canvas".to_owned(),
            (0, n_canvases) => format!("{n_canvases} canvases"),
            (n_notes, 1) => format!("{} and 1 canvas", count(n_notes, "note")),
            (n_notes, n_canvases) => format!("{} and {n_canvases} canvases", count(n_notes, "note")),
        };
        let leads = to.map_or("nowhere".to_owned(), |to| format!("to `{to}` instead"));
        format!("{what} to it in {holders} will lead {leads}: {}", listed(&from))
    }));
    let gone: BTreeSet<String> = gone.iter().map(RelPath::fold).collect();
    let n_bookmarks = bookmarks(view).iter().filter(|bookmark| gone.contains(&note::fold(&bookmark.path))).count();
    if n_bookmarks > 0 {
        summary.warnings.push(format!("{} of it will lead nowhere", count(n_bookmarks, "bookmark")));
    }
}

fn count(n: usize, what: &str) -> String {
    format!("{n} {what}{}", plural(n32(n)))
}

/// The first of some files, and how many more there are.
fn listed(paths: &BTreeSet<RelPath>) -> String {
    const NAMED: usize = 10;
    let named: Vec<String> = paths.iter().take(NAMED).map(|path| format!("`{path}`")).collect();
    match paths.len().saturating_sub(NAMED) {
        0 => named.join(", "),
        more => format!("{} and {more} more", named.join(", ")),
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
