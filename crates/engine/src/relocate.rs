//! The plans for files that get other paths: the files, and every link in the vault that leads to one of them.

use crate::follow::{follow, follow_bookmarks, is_canvas, warn};
use crate::plan::any_text;
use crate::room::{fits, free, no_link};
use crate::{Carried, NoteError, Plan, PlanError, PlannedFile, Summary, View};
use note::{ContentHash, LinkFormat, NoteText, NotesMoved, RelPath, Repointed};
use std::collections::{BTreeSet, HashMap};
use vault::Leads;

/// What a link that does not follow still names.
const OLD: &str = "the old path";

pub(crate) fn plan_move(view: &View, path: &RelPath, to: &RelPath) -> Result<Plan, PlanError> {
    no_link(view, path)?;
    let to = &view.on_disk(to);
    let text = lead_text(view, path)?;
    if !to.is_note() {
        return Err(NoteError::NotANote { wanted: to.as_str().to_owned() }.into());
    }
    free(view, to, Some(path))?;
    let renames = [(path.clone(), to.clone())];
    let mut relocation =
        Relocation::new(view, Summary { new_path: Some(to.as_str().to_owned()), ..Summary::default() });
    relocation.move_files(&renames, renames.iter().zip([text]));
    Ok(relocation.finish(path, Vec::new()))
}

pub(crate) fn plan_move_folder(view: &View, path: &RelPath, to: &RelPath) -> Result<Plan, PlanError> {
    folder_is_there(view, path)?;
    let to = &view.on_disk(to);
    if to.as_str().starts_with(&format!("{path}/")) {
        return Err(PlanError::IntoItself { path: path.clone() });
    }
    free(view, to, Some(path))?;
    let (mut renames, mut texts, mut carried, mut links) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let mut unsure = Vec::new();
    let below: BTreeSet<RelPath> = view.reader.links_below(path).into_iter().collect();
    for from in files_below(view, path).union(&below).cloned() {
        let new = RelPath::new(&format!("{to}{}", &from.as_str()[path.as_str().len()..]))
            .map_err(|_| NoteError::OutsideVault { wanted: to.as_str().to_owned() })?;
        fits(view, &new)?;
        if below.contains(&from) {
            let (link, leads) = view.reader.move_link(&from, &new, (path, to));
            if let Leads::Unsure(says) = leads {
                unsure.push(format!(
                    "`{from}` is a symbolic link to `{says}`, and may lead elsewhere from its new place"
                ));
            }
            links.push(link);
        } else if from.is_note() || is_canvas(&from) {
            texts.push(text_of(view, &from)?);
        } else {
            carried.push(Carried { hash: hash_of(view, &from)?, from: Some(from.clone()), to: Some(new.clone()) });
        }
        renames.push((from, new));
    }
    let n_moved = u32::try_from(renames.len()).unwrap_or(u32::MAX);
    let summary = Summary { new_path: Some(to.as_str().to_owned()), n_moved, warnings: unsure, ..Summary::default() };
    let mut relocation = Relocation::new(view, summary);
    let with_text = renames.iter().filter(|(from, _)| (from.is_note() || is_canvas(from)) && !below.contains(from));
    relocation.move_files(&renames, with_text.zip(texts));
    Ok(relocation.finish(path, carried).with_links(links))
}

pub(crate) fn plan_repair(view: &View, moves: &[(RelPath, RelPath)]) -> Result<Plan, PlanError> {
    let Some((_, lead)) = moves.first() else { return Err(PlanError::NothingMoved) };
    if let Some(reason) = view.reader.is_read_only() {
        return Err(PlanError::ReadOnly { path: lead.clone(), reason });
    }
    let mut relocation = Relocation::new(view, Summary::default());
    relocation.repair_links(moves);
    Ok(relocation.finish(lead, Vec::new()))
}

/// What a relocation comes to, as far as it is worked out.
pub(crate) struct Relocation<'v> {
    view: &'v View,
    files: Vec<PlannedFile>,
    summary: Summary,
}

impl<'v> Relocation<'v> {
    pub fn new(view: &'v View, summary: Summary) -> Relocation<'v> {
        Relocation { view, files: Vec::new(), summary }
    }

    /// Moves files and lets every link follow; `texts` are those of the notes and canvases among them.
    pub fn move_files<'r>(
        &mut self,
        renames: &'r [(RelPath, RelPath)],
        texts: impl Iterator<Item = (&'r (RelPath, RelPath), NoteText)>,
    ) {
        let by_name = by_name(self.view);
        let named = |name: &str| by_name.get(name).cloned().unwrap_or_default();
        let moved = NotesMoved::new(renames, &named, link_format(self.view));
        for ((from, to), text) in texts {
            let (after, n_links) = self.own_links(from, &text, &moved);
            self.files.push(PlannedFile {
                path: from.clone(),
                before: Some(text),
                after: None,
                n_links: 0,
                link_repair: false,
            });
            self.files.push(PlannedFile {
                path: to.clone(),
                before: None,
                after: Some(after),
                n_links,
                link_repair: false,
            });
        }
        let arriving: BTreeSet<&RelPath> = renames.iter().map(|(_, to)| to).collect();
        let leaving: BTreeSet<&RelPath> = renames.iter().map(|(from, _)| from).collect();
        let targets = leaving.iter().copied().cloned().chain(arriving.iter().flat_map(|to| twins(&named, to)));
        self.repair(targets.collect(), &leaving, &moved);
        self.warn_of_symlinks(&leaving);
        let repoint = |text: &NoteText| note::repoint_bookmarks_notes(text, &moved);
        self.files.extend(follow_bookmarks(self.view, OLD, &repoint, &mut self.summary));
    }

    /// Lets links follow a move that happened already, by another program's hand.
    pub fn repair_links(&mut self, renames: &[(RelPath, RelPath)]) {
        let mut by_name = by_name(self.view);
        // What links meant before: the files where they were.
        for (from, to) in renames {
            by_name.entry(note::fold(to.file_name())).or_default().retain(|path| path != to);
            by_name.entry(note::fold(from.file_name())).or_default().push(from.clone());
        }
        let named = |name: &str| by_name.get(name).cloned().unwrap_or_default();
        let moved = NotesMoved::new(renames, &named, link_format(self.view));
        let mut targets: BTreeSet<RelPath> = renames.iter().map(|(from, _)| from.clone()).collect();
        targets.extend(renames.iter().flat_map(|(_, to)| twins(&named, to)));
        let naming = |target: &RelPath| self.view.index.naming_notes(target);
        let affected: BTreeSet<RelPath> =
            targets.iter().flat_map(naming).chain(renames.iter().map(|(_, to)| to.clone())).collect();
        for path in affected {
            // A moved note is read where it is now, and its links meant what they did from its old place.
            let from = renames.iter().find(|(_, to)| *to == path).map_or(&path, |(from, _)| from);
            let repoint = |text: &NoteText| repoint(text, from, &path, &moved);
            self.files.extend(follow(self.view, &path, OLD, &repoint, &mut self.summary));
        }
        let repoint = |text: &NoteText| note::repoint_bookmarks_notes(text, &moved);
        self.files.extend(follow_bookmarks(self.view, OLD, &repoint, &mut self.summary));
    }

    /// Keeps every link on its file when a new one takes a name that others have.
    pub fn make_room(&mut self, path: &RelPath) {
        let by_name = by_name(self.view);
        let named = |name: &str| by_name.get(name).cloned().unwrap_or_default();
        let arriving = [path.clone()];
        let moved = NotesMoved::arriving(&arriving, &named, link_format(self.view));
        self.repair(twins(&named, path).into_iter().collect(), &BTreeSet::new(), &moved);
    }

    fn repair(&mut self, targets: BTreeSet<RelPath>, leaving: &BTreeSet<&RelPath>, moved: &NotesMoved<'_>) {
        let linking = |target: &RelPath| self.view.index.linking_notes(target);
        let affected: BTreeSet<RelPath> =
            targets.iter().flat_map(linking).filter(|path| !leaving.contains(path)).collect();
        for path in affected {
            let repoint = |text: &NoteText| repoint(text, &path, &path, moved);
            self.files.extend(follow(self.view, &path, OLD, &repoint, &mut self.summary));
        }
    }

    /// Names the symbolic links that will lead nowhere, for links in notes may lead through them.
    fn warn_of_symlinks(&mut self, leaving: &BTreeSet<&RelPath>) {
        let index = &self.view.index;
        let hashes: BTreeSet<ContentHash> = leaving.iter().filter_map(|path| index.entry(path)?.hash).collect();
        // What a link leads to has the same bytes, so that few files have to be looked at.
        let equal = index.files().filter(|entry| entry.hash.is_some_and(|hash| hashes.contains(&hash)));
        let staying: BTreeSet<&RelPath> =
            equal.map(|entry| &entry.path).filter(|path| !leaving.contains(path)).collect();
        for path in staying {
            if let Some(real) = self.view.reader.real(path).filter(|real| leaving.contains(real)) {
                let warning = format!("`{path}` is a symbolic link to `{real}` and will lead nowhere");
                self.summary.warnings.push(warning);
            }
        }
    }

    fn own_links(&mut self, from: &RelPath, text: &NoteText, moved: &NotesMoved<'_>) -> (NoteText, u32) {
        if !text.is_exact() {
            return (text.clone(), 0);
        }
        let own = repoint(text, from, from, moved);
        warn(&mut self.summary, from, &own);
        (own.edits.apply(text).expect("the edits were made from this very text"), own.n_links)
    }

    pub fn add(&mut self, file: PlannedFile) {
        self.files.push(file);
    }

    pub fn finish(mut self, lead: &RelPath, carried: Vec<Carried>) -> Plan {
        let there: Vec<&PlannedFile> = self.files.iter().filter(|file| file.after.is_some()).collect();
        self.summary.count(&there);
        Plan::with_carried(lead.clone(), self.files, carried, self.summary)
    }
}

/// The files of the vault by their folded names.
pub(crate) fn by_name(view: &View) -> HashMap<String, Vec<RelPath>> {
    let mut by_name: HashMap<String, Vec<RelPath>> = HashMap::new();
    for entry in view.index.files() {
        by_name.entry(note::fold(entry.path.file_name())).or_default().push(entry.path.clone());
    }
    by_name
}

/// The new targets of the links of a note or a canvas.
fn repoint(text: &NoteText, from: &RelPath, now: &RelPath, moved: &NotesMoved<'_>) -> Repointed {
    match is_canvas(now) {
        true => note::repoint_canvas_notes(text, from, moved),
        false => note::repoint_note_links(text, &note::parse(text), from, moved),
    }
}

/// The files whose links may mean this one from now on: those of its name, and the notes that a link names so which leaves
/// their `.md` out.
fn twins(named: &dyn Fn(&str) -> Vec<RelPath>, path: &RelPath) -> Vec<RelPath> {
    let name = note::fold(path.file_name());
    [named(&name), named(&format!("{name}.md"))].concat()
}

pub(crate) fn lead_text(view: &View, path: &RelPath) -> Result<NoteText, PlanError> {
    let open = view.open_note(path)?;
    match open.writable {
        Err(reason) if !open.not_utf8 => Err(PlanError::ReadOnly { path: open.path, reason }),
        _ => Ok(open.text),
    }
}

/// Refuses a folder that is not there, or cannot be written.
pub(crate) fn folder_is_there(view: &View, path: &RelPath) -> Result<(), PlanError> {
    if path.is_hidden() {
        return Err(NoteError::Hidden { wanted: path.as_str().to_owned() }.into());
    }
    if !view.index.has_folder(path.as_str()) {
        return Err(PlanError::UnknownFolder { path: path.clone() });
    }
    match view.reader.is_read_only() {
        Some(reason) => Err(PlanError::ReadOnly { path: path.clone(), reason }),
        None => Ok(()),
    }
}

/// Every file in a folder and below it, in path order.
pub(crate) fn files_below(view: &View, folder: &RelPath) -> BTreeSet<RelPath> {
    let start = format!("{folder}/");
    view.index.files().map(|entry| &entry.path).filter(|path| path.as_str().starts_with(&start)).cloned().collect()
}

/// Hashes an attachment that goes along with its folder.
pub(crate) fn hash_of(view: &View, path: &RelPath) -> Result<ContentHash, PlanError> {
    Ok(view.reader.read(path).map_err(|error| view.read_error(path.as_str(), error))?.hash)
}

/// Reads a note or a canvas that goes along with its folder; any bytes will do.
pub(crate) fn text_of(view: &View, path: &RelPath) -> Result<NoteText, PlanError> {
    let file = view.reader.read(path).map_err(|error| view.read_error(path.as_str(), error))?;
    Ok(any_text(file.bytes))
}

/// Obsidian's own setting for the paths of links.
fn link_format(view: &View) -> LinkFormat {
    match view.setting("newLinkFormat").as_deref() {
        Some("relative") => LinkFormat::Relative,
        Some("absolute") => LinkFormat::Absolute,
        _ => LinkFormat::Shortest,
    }
}
