//! Folders that hold no file: made and removed on their own, since no text is at stake.

use std::io;
use std::path::Path;

use note::RelPath;

use crate::Vault;
use crate::disk::{Audience, Disk, Kind};
use crate::error::CommitError;
use crate::item::is_one;
use crate::place::{NoPlace, is_off_limits, place};

impl Vault {
    /// Makes a folder, and the folders above it that are missing. One that is there already is as good.
    pub fn make_folder(&mut self, path: &RelPath) -> Result<(), CommitError> {
        let folder = self.folder(path)?;
        let refuse = |source| CommitError::from_io(path, source);
        for dir in folder.missing_dirs.iter().chain([&folder.file]) {
            match self.disk.create_dir(dir, Audience::Usual) {
                Ok(()) => {}
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => continue,
                Err(error) => return Err(refuse(error)),
            }
            if let Some(above) = dir.parent() {
                self.disk.sync_dirs(&[above]).map_err(refuse)?;
            }
        }
        match self.disk.stat(&folder.file).map_err(refuse)?.kind {
            Kind::Folder => Ok(()),
            _ => Err(CommitError::Invalid { path: path.clone(), reason: "a file of that name is there".to_owned() }),
        }
    }

    /// Spells a folder in another way, where both spellings are one folder; elsewhere nothing is done.
    pub fn respell_folder(&mut self, from: &RelPath, to: &RelPath) -> Result<(), CommitError> {
        let (old, new) = (self.folder(from)?.file, self.folder(to)?.file);
        let refuse = |source| CommitError::from_io(from, source);
        if old == new || from.fold() != to.fold() || !is_one(&*self.disk, &old, &new).unwrap_or(false) {
            return Ok(());
        }
        self.disk.rename(&old, &new).map_err(refuse)?;
        let dir = new.parent().unwrap_or(Path::new(""));
        self.disk.sync_dirs(&[dir]).map_err(refuse)
    }

    /// Removes a folder with the folders in it, as far as they hold no file, hidden ones included. Says whether it is
    /// gone.
    pub fn remove_empty_folders(&mut self, path: &RelPath) -> Result<bool, CommitError> {
        let folder = self.folder(path)?;
        let gone = remove(&*self.disk, &folder.file).map_err(|source| CommitError::from_io(path, source))?;
        Ok(gone)
    }

    fn folder(&mut self, path: &RelPath) -> Result<crate::place::Place, CommitError> {
        if let Some(reason) = self.own().err().or_else(|| self.reader.is_read_only()) {
            return Err(CommitError::ReadOnly { path: path.clone(), reason });
        }
        if is_off_limits(path) {
            return Err(CommitError::Outside { path: path.clone() });
        }
        place(&*self.disk, self.reader.root(), path).map_err(|no| match no {
            NoPlace::Outside => CommitError::Outside { path: path.clone() },
            NoPlace::Blocked(reason) => CommitError::ReadOnly { path: path.clone(), reason: reason.to_owned() },
            NoPlace::Io(source) => CommitError::from_io(path, source),
        })
    }
}

fn remove(disk: &dyn Disk, dir: &Path) -> io::Result<bool> {
    let mut is_empty = true;
    let entries = match disk.list(dir) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(true),
        Err(error) => return Err(error),
    };
    for entry in entries {
        // A link to a folder is not that folder.
        is_empty &= entry.kind == Kind::Folder && remove(disk, &dir.join(&entry.name))?;
    }
    if !is_empty {
        return Ok(false);
    }
    match disk.remove_dir(dir) {
        Ok(()) => Ok(true),
        // Somebody put a file there in this moment.
        Err(error) if error.kind() == io::ErrorKind::DirectoryNotEmpty => Ok(false),
        Err(error) => Err(error),
    }
}
