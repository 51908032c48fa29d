//! Folders: what happens to them around the files of an operation, and those that hold no file.

use crate::event::Origin;
use crate::operation::OpRecord;
use crate::room::free;
use crate::writer::{Msg, Writer};
use crate::{DecideError, Engine, HealthNotice, Intent, NoteChange, Plan, PlanError};
use index::Fact;
use note::RelPath;
use std::collections::{BTreeSet, HashMap};
use vault::LinkMove;

/// Folders that an operation makes and removes beside its files.
#[derive(Debug, Default)]
pub(crate) struct Around {
    make: Vec<RelPath>,
    /// Symbolic links that go along.
    pub(crate) links: Vec<LinkMove>,
    remove: Vec<RelPath>,
    /// Removed if nothing is left in them.
    tidy: Vec<RelPath>,
}

impl Engine {
    /// Makes a folder, and the folders above it that are missing.
    ///
    /// # Errors
    /// `Blocked` when something of that name is there, or the name cannot be used.
    pub fn create_folder(&self, path: &RelPath) -> Result<(), DecideError> {
        let path = path.clone();
        self.ask(|reply| Msg::MakeFolder { path, reply }).unwrap_or(Err(DecideError::Closed))
    }

    /// Removes a folder that holds no file. Says whether it is gone.
    ///
    /// # Errors
    /// The folder is not known or cannot be removed.
    pub fn remove_empty_folder(&self, path: &RelPath) -> Result<bool, DecideError> {
        let path = path.clone();
        self.ask(|reply| Msg::RemoveFolder { path, reply }).unwrap_or(Err(DecideError::Closed))
    }
}

impl Writer {
    pub(crate) fn make_folder(&mut self, path: &RelPath) -> Result<(), DecideError> {
        let view = self.view();
        let path = &view.on_disk(path);
        free(&view, path, None)?;
        if view.index.has_folder(path.as_str()) {
            return Err(PlanError::PathTaken { path: path.clone(), existing: path.clone() }.into());
        }
        self.vault.make_folder(path).map_err(crate::WriteError::from)?;
        self.tell_of_folders(std::slice::from_ref(path), &[], Origin::Person);
        Ok(())
    }

    pub(crate) fn remove_folder(&mut self, path: &RelPath) -> Result<bool, DecideError> {
        crate::relocate::folder_is_there(&self.view(), path)?;
        let gone = self.vault.remove_empty_folders(path).map_err(crate::WriteError::from)?;
        self.scan();
        if gone {
            self.tell_of_folders(&[], std::slice::from_ref(path), Origin::Person);
        }
        Ok(gone)
    }

    /// What an intent means for folders, by the folders of now; `inverse` when it is taken back.
    pub(crate) fn around(&self, intent: &Intent, inverse: bool) -> Around {
        match intent {
            Intent::MoveFolder { path, to } => {
                let to = &self.view().on_disk(to);
                let (from, to) = if inverse { (to, path) } else { (path, to) };
                Around { make: self.folders_at(from, to), remove: vec![from.clone()], ..Around::default() }
            }
            Intent::DeleteFolder { path } if inverse => Around { make: vec![path.clone()], ..Around::default() },
            Intent::DeleteFolder { path } => Around { remove: vec![path.clone()], ..Around::default() },
            Intent::Undo { op } => {
                let Some(undone) = self.view().ledger().get(*op).cloned() else { return Around::default() };
                let mut around = Around { tidy: undone.made_folders.clone(), ..self.around(&undone.intent, !inverse) };
                if !around.make.is_empty() {
                    around.make.extend(undone.deleted_folders.iter().cloned());
                }
                around
            }
            _ => Around::default(),
        }
    }

    /// The folders below one that an intent deletes.
    pub(crate) fn deleted_folders(&self, intent: &Intent) -> Vec<RelPath> {
        let Intent::DeleteFolder { path } = intent else { return Vec::new() };
        let mut below = self.folders_at(path, path);
        below.retain(|folder| folder != path);
        below
    }

    /// The folders, the outermost of each, that a plan will make.
    pub(crate) fn missing_folders(&self, plan: &Plan, around: &Around) -> Vec<RelPath> {
        let created = plan.files.iter().filter(|file| file.before.is_none()).map(|file| &file.path);
        let created = created.chain(plan.carried.iter().filter_map(|file| file.to.as_ref()));
        let reader = self.view().reader;
        let outermost = |path: &str| {
            let folders = path.match_indices('/').filter_map(|(at, _)| RelPath::new(&path[..at]).ok());
            let mut folders = folders.filter(|folder| !folder.is_hidden());
            folders.find(|folder| matches!(reader.stat(folder), Err(vault::ReadError::Missing { .. })))
        };
        let made = created.filter_map(|path| outermost(path.as_str()));
        let made = made.chain(around.make.iter().filter_map(|folder| outermost(&format!("{folder}/"))));
        made.collect::<BTreeSet<RelPath>>().into_iter().collect()
    }

    /// The folder at its new path, and the folders in it.
    fn folders_at(&self, from: &RelPath, to: &RelPath) -> Vec<RelPath> {
        let start = format!("{from}/");
        let below = self.view().index.folders().into_iter();
        let below = below.filter_map(|folder| folder.as_str().strip_prefix(&start).map(str::to_owned));
        let below = below.filter_map(|rest| RelPath::new(&format!("{to}/{rest}")).ok());
        std::iter::once(to.clone()).chain(below).collect()
    }

    /// Makes and removes the folders of an operation whose files are where they belong. No text hangs on it: what cannot
    /// be done is told, and the operation stands.
    pub(crate) fn change_folders(&mut self, around: Around, origin: Origin) {
        let Around { make, links, remove, tidy } = around;
        if make.is_empty() && links.is_empty() && remove.is_empty() && tidy.is_empty() {
            return;
        }
        for path in &make {
            if let Err(error) = self.vault.make_folder(path) {
                self.folder_notice(format!("the folder `{path}` could not be made: {error}"));
            }
        }
        for link in &links {
            if let Err(error) = self.vault.move_link(link) {
                self.folder_notice(format!("the symbolic link `{}` could not be moved: {error}", link.from));
            }
        }
        self.reconcile(links.iter().flat_map(|link| [link.from.clone(), link.to.clone()]), origin);
        let respelled = |from: &RelPath| make.first().filter(|to| *to != from && to.fold() == from.fold());
        for (from, to) in remove.iter().filter_map(|from| Some((from, respelled(from)?))) {
            if let Err(error) = self.vault.respell_folder(from, to) {
                self.folder_notice(format!("the folder `{from}` could not be spelled `{to}`: {error}"));
            }
        }
        let reader = self.view().reader;
        for path in remove.iter().filter(|path| reader.is_spelled_so(path)) {
            match self.vault.remove_empty_folders(path) {
                Ok(true) => {}
                Ok(false) => self.folder_notice(format!("files that are not part of the vault are left in `{path}`")),
                Err(error) => self.folder_notice(format!("the folder `{path}` could not be removed: {error}")),
            }
        }
        for path in &tidy {
            // Whoever has put something there since keeps the folder.
            let _ = self.vault.remove_empty_folders(path);
        }
        self.scan();
        self.tell_of_folders(&make, &[remove, tidy].concat(), origin);
    }

    fn folder_notice(&self, message: String) {
        let hint = "look at the folder with the file manager".to_owned();
        self.shared.notice(HealthNotice { message, hint });
    }

    fn tell_of_folders(&mut self, made: &[RelPath], removed: &[RelPath], origin: Origin) {
        let facts: Vec<Fact<'_>> = made.iter().map(|path| Fact::Folder { path: path.clone() }).collect();
        if !facts.is_empty() {
            self.tell_index(&facts);
        }
        let change = |path: &RelPath| NoteChange { path: path.as_str().to_owned(), before: None, after: None, origin };
        self.shared.notes_changed(made.iter().chain(removed).map(change).collect());
    }

    /// Which notes of a plan arrive from elsewhere: their ids and their history follow.
    pub(crate) fn arrivals(&self, plan: &Plan, intent: &Intent) -> Vec<OpRecord> {
        let moves: Vec<(RelPath, RelPath)> = match intent {
            Intent::MoveNote { path, to } => vec![(path.clone(), self.view().on_disk(to))],
            Intent::MoveFolder { path, to } => {
                let to = self.view().on_disk(to);
                let moved = |from: &RelPath| {
                    let rest = from.as_str().strip_prefix(path.as_str())?;
                    Some((from.clone(), RelPath::new(&format!("{to}{rest}")).ok()?))
                };
                let leaving = plan.files.iter().filter(|file| file.after.is_none());
                let links = plan.links.iter().map(|link| (link.from.clone(), link.to.clone()));
                leaving.filter_map(|file| moved(&file.path)).chain(links).collect()
            }
            _ => return Vec::new(),
        };
        let index = self.view().index;
        let ids: HashMap<&RelPath, _> =
            moves.iter().filter_map(|(from, _)| Some((from, index.entry(from)?.id?))).collect();
        let arrived = |(from, to): &(RelPath, RelPath)| {
            let id = *ids.get(from)?;
            Some(OpRecord::Identity { path: to.clone(), id, from: Some(from.clone()) })
        };
        moves.iter().filter_map(arrived).collect()
    }
}
