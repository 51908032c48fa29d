//! Moves files from one state to another, and back: swap, then look.
//!
//! A check before a rename leaves a gap in which another program's text is lost. Here the new text and the file change
//! places in one step, and what was displaced is looked at afterwards: if it is not what it should have been, they change
//! places again. Whatever ends up in a temporary file is a blob before the file is removed.

use std::collections::{BTreeSet, HashMap};
use std::io;
use std::path::{Path, PathBuf};

use note::{ContentHash, RelPath};

use crate::blobs::Blobs;
use crate::change::{Kept, OpId, State, Step};
use crate::disk::{Audience, Disk, Kind, acts_as};
use crate::fault::crash_point;
use crate::place::{NoPlace, place, temp_beside};
use crate::{Health, HealthNotice, MAX_FILE_LEN, SECOND_LOOK_MS};

/// One step, with its real place and how it is carried out there.
#[derive(Debug)]
pub(crate) struct Item {
    pub(crate) path: RelPath,
    pub(crate) before: State,
    pub(crate) after: State,
    pub(crate) file: PathBuf,
    pub(crate) way: Way,
    pub(crate) progress: Progress,
    temp: PathBuf,
    missing_dirs: Vec<PathBuf>,
    made_dirs: Vec<PathBuf>,
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

/// A file that was replaced, until the second look.
#[derive(Debug, Clone)]
pub(crate) struct Displaced {
    pub(crate) temp: PathBuf,
    pub(crate) path: RelPath,
    pub(crate) op: OpId,
    pub(crate) after: State,
    pub(crate) due_ms: u64,
}

/// Why an operation did not go through, and at which item.
#[derive(Debug)]
pub(crate) struct Halt {
    pub(crate) item: usize,
    pub(crate) why: Stop,
}

#[derive(Debug)]
pub(crate) enum Stop {
    /// Somebody else wrote.
    Mismatch(State),
    /// The disk failed.
    Io(io::Error),
}

impl From<io::Error> for Stop {
    fn from(error: io::Error) -> Stop {
        Stop::Io(error)
    }
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
            file,
            way,
            progress: Progress::Untouched,
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
            let twin = are_twins(disk, &items[from], &items[to])?;
            items[from].way = Way::MoveTo { to, twin };
            items[to].way = Way::Carried;
        }
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

/// Says whether two names that differ in case only are one file, as on the usual disks of macOS and Windows.
fn are_twins(disk: &dyn Disk, from: &Item, to: &Item) -> io::Result<bool> {
    if from.path.fold() != to.path.fold() || disk_kind(disk, &to.file)?.is_none() {
        return Ok(false);
    }
    let listed = disk.list(to.dir())?;
    Ok(!listed.iter().any(|entry| Some(entry.name.as_os_str()) == to.file.file_name()))
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

fn is_absence(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

/// Carries out the items of one operation.
pub(crate) struct Settling<'a> {
    pub(crate) disk: &'a dyn Disk,
    pub(crate) blobs: &'a Blobs,
    pub(crate) health: &'a Health,
    pub(crate) op: OpId,
    /// Texts at hand, so that they need not be read from their blobs.
    pub(crate) texts: HashMap<ContentHash, Vec<u8>>,
    /// What had to be kept on the way.
    pub(crate) kept: Vec<Kept>,
    /// Temporary files that wait to be removed.
    pub(crate) displaced: Vec<Displaced>,
}

/// What came of carrying out the items, besides the files themselves.
pub(crate) struct Found {
    pub(crate) kept: Vec<Kept>,
    pub(crate) displaced: Vec<Displaced>,
}

impl Settling<'_> {
    /// Returns what was found, and lets go of the vault.
    pub(crate) fn found(self) -> Found {
        Found { kept: self.kept, displaced: self.displaced }
    }

    /// Brings every item from its `before` to its `after`, or stops at the first that cannot be.
    ///
    /// All new texts are on the disk before the first file changes, so that a full disk is noticed in time.
    pub(crate) fn forward(&mut self, items: &mut [Item]) -> Result<(), Halt> {
        for (item, it) in items.iter_mut().enumerate() {
            self.prepare(it).map_err(|source| Halt { item, why: Stop::Io(source) })?;
        }
        for item in 0..items.len() {
            self.carry_out(items, item)?;
        }
        self.sync_dirs(items)?;
        crash_point("syncdir");
        Ok(())
    }

    fn prepare(&mut self, item: &mut Item) -> io::Result<()> {
        if matches!(item.way, Way::Create | Way::Carried) {
            for dir in &item.missing_dirs {
                match self.disk.create_dir(dir, Audience::Usual) {
                    Ok(()) => item.made_dirs.push(dir.clone()),
                    Err(error) if error.kind() == io::ErrorKind::AlreadyExists => continue,
                    Err(error) => return Err(error),
                }
                if let Some(above) = dir.parent() {
                    self.disk.sync_dir(above)?;
                }
            }
        }
        match item.way {
            Way::Create => self.write_beside(item, item.after, None),
            Way::Replace => self.write_beside(item, item.after, Some(item.file.clone())),
            _ => Ok(()),
        }
    }

    fn write_beside(&mut self, item: &Item, state: State, like: Option<PathBuf>) -> io::Result<()> {
        let text = self.text(state)?;
        let audience = match like {
            // Until it has the mode of the file that it replaces, nobody else may look into it.
            Some(_) => Audience::Private,
            None => Audience::Usual,
        };
        match self.disk.write_temp(&item.temp, &text, audience) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                self.retire(&item.temp, &item.path, Some(item.after))?;
                self.disk.write_temp(&item.temp, &text, audience)?;
            }
            written => written?,
        }
        if let Some(like) = like {
            self.disk.set_attributes(&like, &item.temp)?;
        }
        self.disk.sync(&item.temp)?;
        crash_point("temp");
        Ok(())
    }

    fn text(&self, state: State) -> io::Result<Vec<u8>> {
        let State::Is(hash) = state else {
            return Ok(Vec::new());
        };
        match self.texts.get(&hash) {
            Some(text) => Ok(text.clone()),
            None => self
                .blobs
                .get(&hash)?
                .ok_or_else(|| io::Error::new(io::ErrorKind::NotFound, "its text is not in the history")),
        }
    }

    fn carry_out(&mut self, items: &mut [Item], at: usize) -> Result<(), Halt> {
        let mut blamed = at;
        let done = match items[at].way {
            Way::Guard | Way::Carried => Ok(()),
            Way::Create => self.create(&mut items[at]),
            Way::Replace => self.replace(&mut items[at]),
            Way::InPlace => self.write_in_place(&mut items[at]),
            Way::Remove => self.set_aside(&mut items[at]),
            Way::MoveTo { to, twin } => {
                let target = items[to].file.clone();
                let moved = self.move_to(&mut items[at], &target, twin);
                if matches!(moved, Err(Stop::Mismatch(_)))
                    && items[at].progress == Progress::Untouched
                    && look(self.disk, &items[at].file).is_ok_and(|found| found == items[at].before)
                {
                    blamed = to;
                }
                moved
            }
        };
        done.map_err(|why| Halt { item: blamed, why })
    }

    fn replace(&mut self, item: &mut Item) -> Result<(), Stop> {
        match self.disk.swap(&item.temp, &item.file) {
            Ok(()) => {}
            Err(error) if error.kind() == io::ErrorKind::Unsupported => {
                return self.replace_unswapped(item);
            }
            Err(error) if is_absence(&error) => {
                return match look(self.disk, &item.file)? {
                    found if found != item.before => Err(Stop::Mismatch(found)),
                    _ => Err(error.into()),
                };
            }
            Err(error) => return Err(error.into()),
        }
        item.progress = Progress::Carried;
        crash_point("swap");
        let found = look(self.disk, &item.temp)?;
        crash_point("look");
        if found == item.before {
            return Ok(());
        }
        self.swap_back(item)?;
        // Whichever text of theirs is in the file now, it is not ours.
        item.progress = Progress::Untouched;
        Err(Stop::Mismatch(found))
    }

    /// Exchanges the file and what it displaced once more; `false` if somebody wrote in between, whose text then stays.
    fn swap_back(&mut self, item: &mut Item) -> io::Result<bool> {
        self.disk.swap(&item.temp, &item.file)?;
        item.progress = Progress::Untouched;
        if look(self.disk, &item.temp)? == item.after {
            return Ok(true);
        }
        // The newest text belongs in the file; the one it displaces is kept when the temporary file is retired.
        self.disk.swap(&item.temp, &item.file)?;
        Ok(false)
    }

    fn replace_unswapped(&mut self, item: &mut Item) -> Result<(), Stop> {
        self.health.note(HealthNotice::NoAtomicSwap);
        let found = look(self.disk, &item.file)?;
        if found != item.before {
            return Err(Stop::Mismatch(found));
        }
        crash_point("look");
        self.disk.rename(&item.temp, &item.file)?;
        item.progress = Progress::Overwritten;
        crash_point("swap");
        Ok(())
    }

    fn create(&mut self, item: &mut Item) -> Result<(), Stop> {
        match self.disk.rename_new(&item.temp, &item.file) {
            Ok(()) => {}
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                return Err(Stop::Mismatch(look(self.disk, &item.file)?));
            }
            Err(error) => return Err(error.into()),
        }
        item.progress = Progress::Carried;
        crash_point("swap");
        Ok(())
    }

    fn set_aside(&mut self, item: &mut Item) -> Result<(), Stop> {
        match self.disk.rename_new(&item.file, &item.temp) {
            Ok(()) => {}
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Err(Stop::Mismatch(State::Absent));
            }
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                self.retire(&item.temp, &item.path, None)?;
                self.disk.rename_new(&item.file, &item.temp)?;
            }
            Err(error) => return Err(error.into()),
        }
        item.progress = Progress::Carried;
        crash_point("swap");
        let found = look(self.disk, &item.temp)?;
        crash_point("look");
        if found == item.before {
            return Ok(());
        }
        match self.disk.rename_new(&item.temp, &item.file) {
            // Somebody made a new file there; the one that was set aside is kept when it is retired.
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error.into()),
            _ => item.progress = Progress::Untouched,
        }
        Err(Stop::Mismatch(found))
    }

    fn move_to(&mut self, item: &mut Item, to: &Path, twin: bool) -> Result<(), Stop> {
        match self.rename(&item.file, to, twin) {
            Ok(()) => {}
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                return Err(Stop::Mismatch(look(self.disk, to)?));
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Err(Stop::Mismatch(look(self.disk, &item.file)?));
            }
            Err(error) => return Err(error.into()),
        }
        item.progress = Progress::Carried;
        crash_point("swap");
        let found = look(self.disk, to)?;
        crash_point("look");
        if found == item.before {
            return Ok(());
        }
        self.rename(to, &item.file, twin)?;
        item.progress = Progress::Untouched;
        Err(Stop::Mismatch(found))
    }

    fn rename(&self, from: &Path, to: &Path, twin: bool) -> io::Result<()> {
        if twin { self.disk.rename(from, to) } else { self.disk.rename_new(from, to) }
    }

    /// Not atomic: a crash in the middle leaves neither text, and both are blobs.
    fn write_in_place(&mut self, item: &mut Item) -> Result<(), Stop> {
        let text = self.text(item.after)?;
        let found = look(self.disk, &item.file)?;
        crash_point("look");
        if found != item.before {
            return Err(Stop::Mismatch(found));
        }
        item.progress = Progress::Half;
        self.disk.write_in_place(&item.file, &text)?;
        crash_point("swap");
        self.disk.sync(&item.file)?;
        item.progress = Progress::Carried;
        Ok(())
    }

    fn sync_dirs(&self, items: &[Item]) -> Result<(), Halt> {
        let mut synced = BTreeSet::new();
        for (item, it) in items.iter().enumerate() {
            if it.way != Way::Guard && synced.insert(it.dir()) {
                self.disk.sync_dir(it.dir()).map_err(|source| Halt { item, why: Stop::Io(source) })?;
            }
        }
        Ok(())
    }

    /// Brings every item back to its `before` where nobody else wrote since, and returns the others.
    pub(crate) fn take_back(&mut self, items: &mut [Item]) -> Vec<usize> {
        let mut left = Vec::new();
        for at in (0..items.len()).rev() {
            let target = match items[at].way {
                Way::MoveTo { to, .. } => items[to].file.clone(),
                _ => PathBuf::new(),
            };
            if !matches!(self.put_back(&mut items[at], &target), Ok(true)) {
                left.push(at);
            }
        }
        for item in items.iter_mut().rev() {
            self.retire_or_wait(item);
            for dir in item.made_dirs.drain(..).rev() {
                // It is not empty if somebody uses it by now.
                let _ = self.disk.remove_dir(&dir);
            }
        }
        left.reverse();
        left
    }

    fn put_back(&mut self, item: &mut Item, moved_to: &Path) -> io::Result<bool> {
        match item.progress {
            Progress::Untouched => return Ok(true),
            Progress::Half => return self.restore_in_place(item),
            Progress::Carried | Progress::Overwritten => {}
        }
        let here = match item.way {
            Way::MoveTo { .. } => moved_to,
            _ => &item.file,
        };
        let expected = match item.way {
            Way::MoveTo { .. } => item.before,
            _ => item.after,
        };
        if look(self.disk, here)? != expected {
            return Ok(false);
        }
        let restored = match item.way {
            Way::Guard | Way::Carried => true,
            Way::InPlace => return self.restore_in_place(item),
            Way::Replace if item.progress == Progress::Overwritten => {
                self.write_beside(item, item.before, Some(item.file.clone()))?;
                self.disk.rename(&item.temp, &item.file)?;
                true
            }
            Way::Replace => self.swap_back(item)?,
            Way::Create => {
                self.disk.rename_new(&item.file, &item.temp)?;
                let ours = look(self.disk, &item.temp)? == item.after;
                if !ours {
                    self.disk.rename_new(&item.temp, &item.file)?;
                }
                ours
            }
            Way::Remove => {
                self.disk.rename_new(&item.temp, &item.file)?;
                true
            }
            Way::MoveTo { twin, .. } => {
                self.rename(moved_to, &item.file, twin)?;
                let ours = look(self.disk, &item.file)? == item.before;
                if !ours {
                    self.rename(&item.file, moved_to, twin)?;
                }
                ours
            }
        };
        if restored {
            item.progress = Progress::Untouched;
            self.disk.sync_dir(item.dir())?;
        }
        Ok(restored)
    }

    fn restore_in_place(&mut self, item: &mut Item) -> io::Result<bool> {
        let there = self.disk.read(&item.file)?;
        let hash = ContentHash::of(&there);
        if State::Is(hash) != item.before {
            let text = self.text(item.before)?;
            if State::Is(hash) != item.after {
                // Half of our text, or somebody else's: we cannot tell, so it is kept.
                self.keep(&item.path, &hash, &there)?;
            }
            self.disk.write_in_place(&item.file, &text)?;
            self.disk.sync(&item.file)?;
        }
        item.progress = Progress::Untouched;
        Ok(true)
    }

    /// Removes a temporary file of ours, once what is in it is a blob.
    pub(crate) fn retire(&mut self, temp: &Path, path: &RelPath, after: Option<State>) -> io::Result<()> {
        match self.disk.stat(temp) {
            Err(error) if is_absence(&error) => return Ok(()),
            Err(error) => return Err(error),
            Ok(meta) => match meta.kind {
                // A link that was set aside holds no bytes of its own.
                Kind::Link => {}
                Kind::File if meta.len <= MAX_FILE_LEN => {
                    let text = self.disk.read(temp)?;
                    let hash = ContentHash::of(&text);
                    if !self.blobs.has(&hash)? && !self.is_part_of(&text, after)? {
                        self.keep(path, &hash, &text)?;
                    }
                }
                // Not something that we make; whoever did may have it.
                _ => return Ok(()),
            },
        }
        self.disk.remove(temp)
    }

    /// Says whether a text is what a crash leaves of a text that was being written.
    fn is_part_of(&self, text: &[u8], whole: Option<State>) -> io::Result<bool> {
        match whole {
            Some(State::Is(hash)) => Ok(self.blobs.get(&hash)?.is_some_and(|whole| whole.starts_with(text))),
            _ => Ok(false),
        }
    }

    fn keep(&mut self, path: &RelPath, hash: &ContentHash, text: &[u8]) -> io::Result<()> {
        self.blobs.put(hash, text)?;
        self.kept.push(Kept { op: self.op, path: path.clone(), hash: *hash });
        Ok(())
    }

    fn retire_or_wait(&mut self, item: &Item) {
        if self.retire(&item.temp, &item.path, Some(item.after)).is_err() {
            self.wait(item, 0);
        }
    }

    fn wait(&mut self, item: &Item, due_ms: u64) {
        self.displaced.push(Displaced {
            temp: item.temp.clone(),
            path: item.path.clone(),
            op: self.op,
            after: item.after,
            due_ms,
        });
    }

    /// Leaves what was displaced to the second look, and removes what was only prepared.
    pub(crate) fn clear_up(&mut self, items: &[Item]) {
        let due_ms = self.disk.now_ms() + SECOND_LOOK_MS;
        for item in items {
            match (item.way, item.progress) {
                (Way::Replace | Way::Remove, Progress::Carried) => self.wait(item, due_ms),
                (Way::Create | Way::Replace, Progress::Untouched) => self.retire_or_wait(item),
                _ => {}
            }
        }
    }
}
