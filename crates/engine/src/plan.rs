//! From an intent to the exact bytes it means right now. Reads, never writes; preview, review and commit all call this.

use crate::relocate::Relocation;
use crate::view::OpenNote;
use crate::{ChangedFile, Intent, NoteError, NoteRef, PlanDigest, Summary, View};
use note::{ContentHash, FindReplaceError, NoteText, PropertyEditError, RelPath, RenameError, SectionEditError};
use std::collections::BTreeMap;
use thiserror::Error;
use vault::{LinkMove, OpId, State, Step};

/// The exact effect of an intent on every file.
#[derive(Debug, Clone)]
pub struct Plan {
    /// The lead note first, then the notes whose links follow.
    pub files: Vec<PlannedFile>,
    /// What goes along with a folder, or goes away with it, without being read as text.
    pub carried: Vec<Carried>,
    /// Symbolic links that go along with a folder.
    pub links: Vec<LinkMove>,
    pub digest: PlanDigest,
    pub summary: Summary,
    pub lead: RelPath,
}

/// One file of a plan.
#[derive(Debug, Clone)]
pub struct PlannedFile {
    pub path: RelPath,
    /// `None`: the file does not exist yet.
    pub before: Option<NoteText>,
    /// `None`: the file goes away.
    pub after: Option<NoteText>,
    pub n_links: u32,
    /// Whether the file changes only because links in it follow.
    pub link_repair: bool,
}

/// A file whose bytes nobody looks at: only its path changes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Carried {
    /// `None`: the file does not exist yet, and its bytes are kept.
    pub from: Option<RelPath>,
    /// `None`: the file goes away.
    pub to: Option<RelPath>,
    pub hash: ContentHash,
}

/// Why an intent cannot be carried out on the notes of now.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum PlanError {
    #[error(transparent)]
    Note(#[from] NoteError),
    #[error("{error}")]
    Rename { path: RelPath, error: RenameError, current: ContentHash },
    #[error("{error}")]
    Section { path: RelPath, error: SectionEditError, current: ContentHash },
    #[error("{error}")]
    Text { path: RelPath, error: FindReplaceError, current: ContentHash },
    #[error("{error}")]
    Properties { path: RelPath, error: PropertyEditError, current: ContentHash },
    #[error("the note is not UTF-8 and is never written: `{path}`")]
    NotUtf8 { path: RelPath },
    #[error("the note cannot be written: `{path}` ({reason})")]
    ReadOnly { path: RelPath, reason: String },
    #[error("a file of that name exists: `{existing}`")]
    PathTaken { path: RelPath, existing: RelPath },
    #[error("`{at}` is in the way: it is {what}")]
    InTheWay { path: RelPath, at: RelPath, what: &'static str },
    #[error("the path is longer than the system allows: `{}`", start(.path.as_str()))]
    PathTooLong { path: RelPath },
    #[error("`{path}` is a symbolic link to the note `{real}`")]
    IsLink { path: RelPath, real: RelPath },
    #[error("the folder is not there: `{path}`")]
    UnknownFolder { path: RelPath },
    #[error("a folder cannot be moved into itself: `{path}`")]
    IntoItself { path: RelPath },
    #[error("not a name for a file: `{}`", start(.name))]
    NotAFileName { name: String },
    #[error("`{name}` is larger than what can be put into a note here: {} MB, at most {} MB", megabytes(*.len), megabytes(crate::MOST_ADDED_BYTES))]
    FileTooLarge { name: String, len: u64 },
    #[error("the vault's own settings keep attachments in a folder that is not part of it: `{setting}`")]
    AttachmentFolder { setting: String },
    #[error("no file is named that moved: `moves` is empty")]
    NothingMoved,
    #[error("notes changed since: {}", list(.paths))]
    ChangedSince { paths: Vec<RelPath> },
    #[error("that version's text is no longer kept")]
    VersionGone,
    #[error("only a finished operation can be undone")]
    NotDone,
    #[error("the operation is not known")]
    UnknownOperation,
}

fn list(paths: &[RelPath]) -> String {
    paths.iter().map(|path| format!("`{path}`")).collect::<Vec<_>>().join(", ")
}

/// As much of a long path as helps to know it again.
fn start(path: &(impl AsRef<str> + ?Sized)) -> String {
    const SHOWN: usize = 80;
    let path = path.as_ref();
    let start: String = path.chars().take(SHOWN).collect();
    if start.len() < path.len() { start + "…" } else { start }
}

/// Rounded up, so that what is too large never reads as what is allowed.
fn megabytes(len: u64) -> u64 {
    len.div_ceil(1024 * 1024)
}

/// Works out what `intent` means on the text of now.
///
/// # Errors
/// Names what stands in the way, with what the next attempt needs.
pub fn plan(intent: &Intent, view: &View) -> Result<Plan, PlanError> {
    match intent {
        Intent::RenameSection { path, at, new_heading, update_links, allow_h1 } => {
            let open = writable(view, path)?;
            crate::rename::plan_rename(view, &open, at, new_heading, *update_links, *allow_h1)
        }
        Intent::EditSection { path, at, edit } => crate::edit::plan_section(view, &writable(view, path)?, at, edit),
        Intent::EditText { path, edits } => crate::edit::plan_text(view, &writable(view, path)?, edits),
        Intent::SetProperties { path, set, remove } => {
            crate::edit::plan_properties(&writable(view, path)?, set, remove)
        }
        Intent::MoveNote { path, to } => crate::relocate::plan_move(view, path, to),
        Intent::DeleteNote { path } => crate::remove::plan_delete(view, path),
        Intent::MoveFolder { path, to } => crate::relocate::plan_move_folder(view, path, to),
        Intent::DeleteFolder { path } => crate::remove::plan_delete_folder(view, path),
        Intent::RepairLinks { moves } => crate::relocate::plan_repair(view, moves),
        Intent::AddFile { note, name, content } => crate::add_file::plan_add_file(view, note, name, *content),
        Intent::CreateNote { path, text } => plan_create(view, path, text),
        Intent::SaveText { path, base, text } => plan_save(view, path, *base, text),
        Intent::Restore { path, to } => plan_restore(view, path, *to),
        Intent::Undo { op } => plan_undo(view, *op),
    }
}

/// Opens the note that a plan is about, and refuses what could not be written anyway.
fn writable(view: &View, path: &RelPath) -> Result<OpenNote, PlanError> {
    let open = view.note(&NoteRef::Path(path.as_str().to_owned()))?;
    refuse_unwritable(&open.path, open.not_utf8, &open.writable)?;
    Ok(open)
}

fn refuse_unwritable(path: &RelPath, not_utf8: bool, writable: &Result<(), String>) -> Result<(), PlanError> {
    match writable {
        _ if not_utf8 => Err(PlanError::NotUtf8 { path: path.clone() }),
        Err(reason) => Err(PlanError::ReadOnly { path: path.clone(), reason: reason.clone() }),
        Ok(()) => Ok(()),
    }
}

fn plan_create(view: &View, path: &RelPath, text: &str) -> Result<Plan, PlanError> {
    let path = &view.on_disk(path);
    crate::room::free(view, path, None)?;
    let mut relocation = Relocation::new(view, Summary::default());
    relocation.add(PlannedFile {
        path: path.clone(),
        before: None,
        after: Some(NoteText::from_str(text)),
        n_links: 0,
        link_repair: false,
    });
    relocation.make_room(path);
    Ok(relocation.finish(path, Vec::new()))
}

/// The caller has made sure that `base` is what is on disk.
fn plan_save(view: &View, path: &RelPath, base: ContentHash, text: &str) -> Result<Plan, PlanError> {
    // Nothing of a save depends on what the text means, and reading that takes longer than all the rest in a long note.
    let read = view.read_note(path)?;
    refuse_unwritable(path, read.not_utf8, &read.writable)?;
    if read.text.hash() != base {
        return Err(PlanError::ChangedSince { paths: vec![path.clone()] });
    }
    let edits = note::diff_lf(&read.text, text);
    let after = edits.apply(&read.text).expect("the edits were made from this very text");
    let file =
        PlannedFile { path: path.clone(), before: Some(read.text), after: Some(after), n_links: 0, link_repair: false };
    Ok(Plan::new(path.clone(), vec![file], Summary::default()))
}

fn plan_restore(view: &View, path: &RelPath, to: ContentHash) -> Result<Plan, PlanError> {
    if let Some(reason) = view.reader.is_read_only() {
        return Err(PlanError::ReadOnly { path: path.clone(), reason });
    }
    let before = current(view, path)?;
    let after = kept(view, to)?;
    let warnings = before.as_ref().map(|before| crate::lost::lost_by_text(view, path, before, &after));
    let summary = Summary { warnings: warnings.unwrap_or_default(), ..Summary::default() };
    let file = PlannedFile { path: path.clone(), before, after: Some(after), n_links: 0, link_repair: false };
    Ok(Plan::new(path.clone(), vec![file], summary))
}

fn plan_undo(view: &View, id: OpId) -> Result<Plan, PlanError> {
    let operation = view.ledger().get(id).cloned().ok_or(PlanError::UnknownOperation)?;
    if operation.state != crate::OpState::Done {
        return Err(PlanError::NotDone);
    }
    if operation.folded {
        return Err(PlanError::VersionGone);
    }
    if let Some(reason) = view.reader.is_read_only() {
        return Err(PlanError::ReadOnly { path: operation.lead.clone(), reason });
    }
    let mut files = Vec::new();
    let mut changed = Vec::new();
    let carried = carried_back(view, &operation, &mut changed)?;
    for file in operation.files.iter().filter(|file| !is_carried(&operation, file)) {
        let before = current(view, &file.path)?;
        let after = file.before.map(|hash| kept(view, hash)).transpose()?;
        let after = if before.as_ref().map(NoteText::hash) == file.after {
            after
        } else if let Some(merged) = taken_back(view, file, before.as_ref(), after.as_ref()) {
            Some(merged)
        } else {
            changed.push(file.path.clone());
            continue;
        };
        files.push(PlannedFile {
            path: file.path.clone(),
            before,
            after,
            n_links: file.n_links,
            link_repair: file.link_repair,
        });
    }
    if !changed.is_empty() {
        return Err(PlanError::ChangedSince { paths: changed });
    }
    let back = operation.links.iter().rev().map(LinkMove::reversed);
    let (links, others): (Vec<LinkMove>, Vec<LinkMove>) = back.partition(|link| view.reader.can_move_link(link));
    let other = |link: LinkMove| format!("`{}` is not the symbolic link any more that was moved, and stays", link.from);
    let there = &operation.summary;
    let summary = Summary {
        old_heading: there.new_heading.clone(),
        new_heading: there.old_heading.clone(),
        warnings: others.into_iter().map(other).chain(crate::lost::lost_by_undo(view, &files, &carried)).collect(),
        ..there.clone()
    };
    Ok(Plan::with_carried(operation.lead.clone(), files, carried, summary).with_links(links))
}

/// Whether a step of a past operation moved, brought or took away a file with its bytes unseen.
fn is_carried(operation: &crate::Operation, file: &ChangedFile) -> bool {
    let is_text = file.path.is_note() || crate::follow::is_canvas(&file.path) || file.path.as_str() == vault::BOOKMARKS;
    let is_alone = || file.before.is_none() != file.after.is_none();
    !is_text && (is_alone() || operation.files.iter().any(|other| other.is_other_half_of(file)))
}

/// Carries what went along with a folder back to where it was, brings back what was taken away, and takes away what was
/// brought; what was changed since is named in `changed`.
fn carried_back(
    view: &View,
    operation: &crate::Operation,
    changed: &mut Vec<RelPath>,
) -> Result<Vec<Carried>, PlanError> {
    let here = |path: &RelPath| view.reader.read(path).ok().map(|file| file.hash);
    let mut arrived: Vec<&ChangedFile> =
        operation.files.iter().filter(|file| file.before.is_none() && is_carried(operation, file)).collect();
    let left = operation.files.iter().filter(|file| file.after.is_none() && is_carried(operation, file));
    let mut carried = Vec::new();
    for file in left {
        // Of files with the same bytes any will do.
        let Some(hash) = file.before else { continue };
        let to = Some(file.path.clone());
        let Some(at) = arrived.iter().position(|other| other.is_other_half_of(file)) else {
            if here(&file.path).is_some() && !view.is_spelled_otherwise(&file.path) {
                changed.push(file.path.clone());
            } else if view.reader.has_blob(&hash) {
                carried.push(Carried { from: None, to, hash });
            } else {
                return Err(PlanError::VersionGone);
            }
            continue;
        };
        let from = arrived.swap_remove(at).path.clone();
        match here(&from).filter(|now| *now == hash) {
            Some(hash) => carried.push(Carried { from: Some(from), to, hash }),
            None => changed.push(from),
        }
    }
    for file in arrived {
        match here(&file.path).filter(|now| Some(*now) == file.after) {
            Some(hash) => carried.push(Carried { from: Some(file.path.clone()), to: None, hash }),
            None => changed.push(file.path.clone()),
        }
    }
    Ok(carried)
}

/// Takes a change out of a note that was written since, where the two do not meet.
fn taken_back(view: &View, file: &ChangedFile, now: Option<&NoteText>, before: Option<&NoteText>) -> Option<NoteText> {
    let written = kept(view, file.after?).ok()?;
    let (now, before) = (now?, before?);
    if ![now, before, &written].iter().all(|text| text.is_exact()) {
        return None;
    }
    crate::merge::carry_over(written.as_str(), before.as_str(), now.as_str()).map(|text| NoteText::from_str(&text))
}

/// Reads what a file holds now; any bytes will do.
pub(crate) fn current(view: &View, path: &RelPath) -> Result<Option<NoteText>, PlanError> {
    match view.reader.read(path) {
        Ok(_) if view.is_spelled_otherwise(path) => Ok(None),
        Ok(file) => Ok(Some(any_text(file.bytes))),
        Err(vault::ReadError::Missing { .. }) => Ok(None),
        Err(error) => Err(NoteError::Unreadable { wanted: path.as_str().to_owned(), reason: error.to_string() }.into()),
    }
}

pub(crate) fn kept(view: &View, hash: ContentHash) -> Result<NoteText, PlanError> {
    view.reader.blob(&hash).ok().flatten().map(any_text).ok_or(PlanError::VersionGone)
}

pub(crate) fn any_text(bytes: Vec<u8>) -> NoteText {
    NoteText::new(bytes).unwrap_or_else(|error| NoteText::lossy(error.bytes))
}

impl Plan {
    pub(crate) fn new(lead: RelPath, files: Vec<PlannedFile>, summary: Summary) -> Plan {
        Plan::with_carried(lead, files, Vec::new(), summary)
    }

    /// Drops files that would not change and fixes the digest over the rest.
    pub(crate) fn with_carried(
        lead: RelPath,
        mut files: Vec<PlannedFile>,
        carried: Vec<Carried>,
        summary: Summary,
    ) -> Plan {
        files.retain(|file| file.before_hash() != file.after_hash());
        let mut hasher = blake3::Hasher::new();
        let state = |hash: Option<ContentHash>| hash.map_or_else(|| "absent".to_owned(), |hash| hash.to_string());
        for file in &files {
            for part in [file.path.as_str(), &state(file.before_hash()), &state(file.after_hash())] {
                hasher.update(&(part.len() as u64).to_le_bytes());
                hasher.update(part.as_bytes());
            }
        }
        for file in &carried {
            let from = file.from.as_ref().map_or("", RelPath::as_str);
            for part in [from, file.to.as_ref().map_or("", RelPath::as_str), &file.hash.to_string()] {
                hasher.update(&(part.len() as u64).to_le_bytes());
                hasher.update(part.as_bytes());
            }
        }
        let digest = PlanDigest(hasher.finalize().to_hex().to_string());
        Plan { files, carried, links: Vec::new(), digest, summary, lead }
    }

    /// Adds the symbolic links that go along.
    pub(crate) fn with_links(mut self, links: Vec<LinkMove>) -> Plan {
        if !links.is_empty() {
            let moves = serde_json::to_vec(&(&self.digest, &links)).expect("links are plain data");
            self.digest = PlanDigest(blake3::hash(&moves).to_hex().to_string());
            self.links = links;
        }
        self
    }

    /// Returns the disk steps, and the bytes for every new content.
    pub(crate) fn steps(&self) -> (Vec<Step>, Vec<Vec<u8>>) {
        let state = |text: &Option<NoteText>| text.as_ref().map_or(State::Absent, |text| State::Is(text.hash()));
        let steps = self.files.iter().map(|file| Step {
            path: file.path.clone(),
            before: state(&file.before),
            after: state(&file.after),
        });
        let contents: BTreeMap<ContentHash, &NoteText> =
            self.files.iter().filter_map(|f| f.after.as_ref()).map(|t| (t.hash(), t)).collect();
        let carried = self.carried.iter().flat_map(|file| {
            let is = State::Is(file.hash);
            let goes = file.from.clone().map(|path| Step { path, before: is, after: State::Absent });
            let comes = file.to.clone().map(|path| Step { path, before: State::Absent, after: is });
            goes.into_iter().chain(comes)
        });
        (steps.chain(carried).collect(), contents.values().map(|text| text.bytes().to_vec()).collect())
    }

    pub(crate) fn changed_files(&self) -> Vec<ChangedFile> {
        let one = |file: &PlannedFile| ChangedFile {
            path: file.path.clone(),
            before: file.before_hash(),
            after: file.after_hash(),
            n_links: file.n_links,
            link_repair: file.link_repair,
        };
        let carried = self.carried.iter().flat_map(|file| {
            let step = |path: &RelPath, before, after| ChangedFile {
                path: path.clone(),
                before,
                after,
                n_links: 0,
                link_repair: false,
            };
            let comes = file.to.as_ref().map(|to| step(to, None, Some(file.hash)));
            let goes = file.from.as_ref().map(|from| step(from, Some(file.hash), None));
            goes.into_iter().chain(comes)
        });
        self.files.iter().map(one).chain(carried).collect()
    }
}

impl PlannedFile {
    pub fn before_hash(&self) -> Option<ContentHash> {
        self.before.as_ref().map(NoteText::hash)
    }

    pub fn after_hash(&self) -> Option<ContentHash> {
        self.after.as_ref().map(NoteText::hash)
    }
}
