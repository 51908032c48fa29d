//! One step of a change, found on the disk: where it is, how it is carried out there, and how far it has come.

use std::io;
use std::path::{Path, PathBuf};

use note::RelPath;

use crate::change::{OpId, State, Step};
use crate::disk::{Disk, Kind, Meta, acts_as};
use crate::place::{NoPlace, place, temp_beside};

/// One step, with its real place and how it is carried out there.
#[derive(Debug)]
pub(crate) struct Item {
    pub(crate) path: RelPath,
    pub(crate) before: State,
    pub(crate) after: State,
    pub(crate) file: PathBuf,
    pub(crate) way: Way,
    pub(crate) progress: Progress,
    /// Our new text stood in the file, if only for an instant: somebody may have opened it, and write to it yet.
    pub(crate) was_shown: bool,
    pub(crate) temp: PathBuf,
    /// The file whose mode, owner and attributes a new file gets: the note was there before.
    pub(crate) like: Option<PathBuf>,
    pub(crate) missing_dirs: Vec<PathBuf>,
    pub(crate) made_dirs: Vec<PathBuf>,
}

/// How a step is carried out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Way {
    /// Nothing is written.
    Guard,
    /// A new file.
    Create,
    /// A file changes places with its new text.
    Replace,
    /// A file that has other names, or another owner, must stay the same file.
    InPlace,
    /// A file (or a link, which then goes alone) is set aside.
    Remove,
    /// The file becomes that of another item, and so keeps its dates and attributes.
    MoveTo {
        /// That item.
        to: usize,
        /// Both names mean the same file here: only the case or the composition of its letters changes.
        twin: bool,
    },
    /// Another item's file is moved here.
    Carried,
}

/// How far a step has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Progress {
    /// The file is as it was.
    Untouched,
    /// The file is at its `after`; what was displaced lies beside it, if anything was.
    Carried,
    /// The file is at its `after`, and nothing was set aside because the file system cannot.
    Overwritten,
    /// The file was being written and may be half of each.
    Half,
}
impl Item {
    /// Finds out where a step happens and how.
    pub(crate) fn find(disk: &dyn Disk, root: &Path, op: OpId, step: &Step) -> Result<Item, NoPlace> {
        let place = place(disk, root, &step.path)?;
        let (way, file) = match (step.before, step.after) {
            (before, after) if before == after => (Way::Guard, place.file),
            (State::Absent, _) => (Way::Create, place.file),
            (_, State::Absent) => (Way::Remove, place.name),
            _ => {
                let own = match disk.stat(&place.file) {
                    Ok(meta) => meta.n_links == 1 && acts_as(meta.owner),
                    Err(error) if error.kind() == io::ErrorKind::NotFound => true,
                    Err(error) => return Err(error.into()),
                };
                (if own { Way::Replace } else { Way::InPlace }, place.file)
            }
        };
        Ok(Item {
            path: step.path.clone(),
            before: step.before,
            after: step.after,
            temp: temp_beside(&file, op),
            like: (way == Way::Replace).then(|| file.clone()),
            file,
            way,
            progress: Progress::Untouched,
            was_shown: false,
            missing_dirs: place.missing_dirs,
            made_dirs: Vec::new(),
        })
    }

    /// Returns the file's folder.
    pub(crate) fn dir(&self) -> &Path {
        self.file.parent().unwrap_or(Path::new(""))
    }

    /// Returns the folder, above the file, that exists already.
    pub(crate) fn existing_dir(&self) -> &Path {
        match self.missing_dirs.first() {
            Some(missing) => missing.parent().unwrap_or(Path::new("")),
            None => self.dir(),
        }
    }

    /// Returns what it was made from.
    pub(crate) fn step(&self) -> Step {
        Step { path: self.path.clone(), before: self.before, after: self.after }
    }
}

/// Joins a file that goes with one of the same bytes that comes: that is a move.
pub(crate) fn pair_moves(disk: &dyn Disk, items: &mut [Item]) -> io::Result<()> {
    for from in 0..items.len() {
        if items[from].way != Way::Remove || disk_kind(disk, &items[from].file)? != Some(Kind::File) {
            continue;
        }
        let to = items.iter().position(|item| item.way == Way::Create && item.after == items[from].before);
        if let Some(to) = to {
            let device = |meta: io::Result<Meta>| meta.map(|meta| meta.file_id.map(|(device, _)| device));
            if device(disk.stat(&items[from].file))? != device(disk.stat(items[to].existing_dir()))? {
                // A folder of the vault may be another disk; then it is a new file and a removed one.
                continue;
            }
            let twin = are_twins(disk, &items[from], &items[to])?;
            items[from].way = Way::MoveTo { to, twin };
            items[to].way = Way::Carried;
        }
    }
    pair_rewritten(disk, items)
}

/// Finds for each file that comes the one that it was, if its text changes on the way: links in a note that moves follow.
///
/// It is known by its name, and else by being the only one. A mistake costs nothing but attributes.
fn pair_rewritten(disk: &dyn Disk, items: &mut [Item]) -> io::Result<()> {
    let mut going = Vec::new();
    for (at, item) in items.iter().enumerate() {
        if item.way == Way::Remove && disk_kind(disk, &item.file)? == Some(Kind::File) {
            going.push(at);
        }
    }
    let mut coming: Vec<usize> = (0..items.len()).filter(|at| items[*at].way == Way::Create).collect();
    let name = |item: &Item| item.path.file_name().to_owned();
    coming.retain(|to| {
        let known = going.iter().position(|from| name(&items[*from]) == name(&items[*to]));
        known.is_none_or(|known| {
            items[*to].like = Some(items[going.remove(known)].file.clone());
            false
        })
    });
    if let ([from], [to]) = (&going[..], &coming[..]) {
        items[*to].like = Some(items[*from].file.clone());
    }
    Ok(())
}

fn disk_kind(disk: &dyn Disk, path: &Path) -> io::Result<Option<Kind>> {
    match disk.stat(path) {
        Ok(meta) => Ok(Some(meta.kind)),
        Err(error) if is_absence(&error) => Ok(None),
        Err(error) => Err(error),
    }
}

/// Says whether two names that differ in case only are one file, as on the usual disks of macOS and Windows, and that file
/// is not spelled like the second yet.
fn are_twins(disk: &dyn Disk, from: &Item, to: &Item) -> io::Result<bool> {
    if from.path.fold() != to.path.fold() || disk_kind(disk, &to.file)?.is_none() {
        return Ok(false);
    }
    match from.file.file_name() == to.file.file_name() {
        // Only a folder on the way is spelled in another way.
        true => is_one(disk, from.dir(), to.dir()),
        false => Ok(!is_listed(disk, &to.file)?),
    }
}

/// Says whether two paths that differ in case only are one thing.
pub(crate) fn is_one(disk: &dyn Disk, a: &Path, b: &Path) -> io::Result<bool> {
    match (disk.stat(a)?.file_id, disk.stat(b)?.file_id) {
        (Some(a), Some(b)) => Ok(a == b),
        _ => Ok(disk.canonical(a)? == disk.canonical(b)?),
    }
}

/// Says whether a folder lists a name in exactly this spelling.
pub(crate) fn is_listed(disk: &dyn Disk, path: &Path) -> io::Result<bool> {
    let listed = disk.list(path.parent().unwrap_or(Path::new("")))?;
    Ok(listed.iter().any(|entry| Some(entry.name.as_os_str()) == path.file_name()))
}

/// Looks at what is at a path; a link is followed.
pub(crate) fn look(disk: &dyn Disk, path: &Path) -> io::Result<State> {
    match disk_kind(disk, path)? {
        None => Ok(State::Absent),
        Some(Kind::Folder) => Err(io::ErrorKind::IsADirectory.into()),
        Some(Kind::Other) => Err(io::Error::new(io::ErrorKind::InvalidInput, "it is a pipe, a socket or a device")),
        Some(Kind::File | Kind::Link) => match disk.hash(path) {
            Ok(hash) => Ok(State::Is(hash)),
            Err(error) if is_absence(&error) => Ok(State::Absent),
            Err(error) => Err(error),
        },
    }
}

pub(crate) fn is_absence(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}
