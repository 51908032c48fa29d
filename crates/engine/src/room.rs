//! Whether there is room for a file or a folder at a path, and how the folders on the way are spelled on disk.

use crate::{NoteError, PlanError, View};
use note::RelPath;
use std::path::Path;

/// Refuses a path that cannot hold a new file; `moving` is the file that comes from there and may differ in case only.
pub(crate) fn free(view: &View, path: &RelPath, moving: Option<&RelPath>) -> Result<(), PlanError> {
    if path.is_hidden() {
        return Err(NoteError::Hidden { wanted: path.as_str().to_owned() }.into());
    }
    if let Some(reason) = view.reader.is_read_only() {
        return Err(PlanError::ReadOnly { path: path.clone(), reason });
    }
    fits(view, path)?;
    let case_only = moving.is_some_and(|from| from != path && from.fold() == path.fold());
    match view.reader.stat(path) {
        Ok(_) | Err(vault::ReadError::NotAFile { .. }) if case_only => {}
        Ok(_) => return Err(PlanError::PathTaken { path: path.clone(), existing: path.clone() }),
        Err(vault::ReadError::Missing { .. }) => nothing_in_the_way(view, path)?,
        // What is there is no file, or the way to it leaves the vault.
        Err(error) => return Err(view.read_error(path.as_str(), error).into()),
    }
    let folders = view.index.folders().into_iter().filter(|folder| folder.fold() == path.fold());
    if let Some(existing) = folders.into_iter().find(|folder| Some(folder) != moving) {
        return Err(PlanError::PathTaken { path: path.clone(), existing });
    }
    let twins = view.index.lookup_folded(&path.fold()).into_iter().filter(|twin| Some(twin) != moving);
    match twins.into_iter().find(|twin| view.reader.stat(twin).is_ok()) {
        Some(existing) => Err(PlanError::PathTaken { path: path.clone(), existing }),
        None => Ok(()),
    }
}

/// Refuses a path that the system would not take for its length.
pub(crate) fn fits(view: &View, path: &RelPath) -> Result<(), PlanError> {
    match is_too_long(view.reader.root(), path) {
        true => Err(PlanError::PathTooLong { path: path.clone() }),
        false => Ok(()),
    }
}

/// Refuses a path that nothing is at, and that nothing can be put at for what its names are.
fn nothing_in_the_way(view: &View, path: &RelPath) -> Result<(), PlanError> {
    let blocked = |at: &RelPath, what| Err(PlanError::InTheWay { path: path.clone(), at: at.clone(), what });
    for folder in path.as_str().match_indices('/').filter_map(|(at, _)| RelPath::new(&path.as_str()[..at]).ok()) {
        if !view.reader.exists(&folder) {
            return Ok(());
        }
        match view.reader.real(&folder) {
            Some(real) if view.reader.is_folder(&real) => {}
            Some(_) => return blocked(&folder, "a file, not a folder"),
            None => return blocked(&folder, BROKEN),
        }
    }
    if view.reader.exists(path) { blocked(path, BROKEN) } else { Ok(()) }
}

const BROKEN: &str = "a symbolic link that leads nowhere";

fn is_too_long(root: &Path, path: &RelPath) -> bool {
    const NAME: usize = 255;
    const PATH: usize = if cfg!(windows) {
        32_767
    } else if cfg!(target_os = "macos") {
        1024
    } else {
        4096
    };
    // A file is first written under another name beside its own.
    const BESIDE: usize = 40;
    let name_len = |name: &str| if cfg!(windows) { name.encode_utf16().count() } else { name.len() };
    root.as_os_str().len() + path.as_str().len() + BESIDE > PATH
        || path.as_str().split('/').any(|name| name_len(name) > NAME)
}

impl View {
    /// Spells the folders of a path as they are on disk, be it in another case or composition, and those that are
    /// symbolic links as the folders that they lead to. A second folder that differs in nothing else would be the same
    /// one on many systems.
    pub(crate) fn on_disk(&self, path: &RelPath) -> RelPath {
        let mut spelled = String::new();
        for name in path.parent().split('/').filter(|name| !name.is_empty()) {
            let wanted = format!("{spelled}{name}");
            let other = || self.folder_like(&spelled, &wanted).or_else(|| self.linked_folder(&wanted));
            let twin = if self.index.has_folder(&wanted) { None } else { other() };
            spelled = twin.map_or(wanted, |twin| twin.as_str().to_owned()) + "/";
        }
        RelPath::new(&(spelled + path.file_name())).unwrap_or_else(|_| path.clone())
    }

    /// Whether what is found at a path is another file whose name differs in case only, where names have no case.
    pub(crate) fn is_spelled_otherwise(&self, path: &RelPath) -> bool {
        let twins = self.index.lookup_folded(&path.fold());
        twins.iter().any(|twin| twin != path) && !self.reader.is_spelled_so(path)
    }

    /// The folder that is `wanted` but for its last name's spelling.
    fn folder_like(&self, within: &str, wanted: &str) -> Option<RelPath> {
        let folded = note::fold(wanted);
        let mut twins = self.index.folders().into_iter().filter(|folder| {
            folder.fold() == folded && folder.as_str().starts_with(within) && self.reader.is_folder(folder)
        });
        twins.next()
    }

    /// The folder of the vault that `wanted` leads to, if it is a symbolic link to one.
    fn linked_folder(&self, wanted: &str) -> Option<RelPath> {
        let real = self.reader.real(&RelPath::new(wanted).ok()?)?;
        (real.as_str() != wanted && self.reader.is_folder(&real)).then_some(real)
    }

    /// Returns the name that a note is asked for by, if that is a symbolic link to it.
    pub fn named_by_link(&self, wanted: &str) -> Option<RelPath> {
        let spellings = [wanted.to_owned(), format!("{wanted}.md")];
        let mut paths = spellings.iter().filter_map(|path| RelPath::lenient(path).ok()).filter(RelPath::is_note);
        let (path, stat) = paths.find_map(|path| Some((path.clone(), self.reader.stat(&path).ok()?)))?;
        stat.is_symlink.then_some(path)
    }
}

/// Refuses to move a note by the name of a symbolic link to it: the link would be left leading nowhere.
pub(crate) fn no_link(view: &View, path: &RelPath) -> Result<(), PlanError> {
    match view.reader.stat(path).is_ok_and(|stat| stat.is_symlink).then(|| view.reader.real(path)).flatten() {
        Some(real) => Err(PlanError::IsLink { path: path.clone(), real }),
        None => Ok(()),
    }
}
