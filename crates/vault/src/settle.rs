//! Moves files from one state to another, and back: swap, then look.
//!
//! A check before a rename leaves a gap in which another program's text is lost. Here the new text and the file change
//! places in one step, and what was displaced is looked at afterwards: if it is not what it should have been, they change
//! places again. Whatever ends up in a temporary file is a blob before the file is removed.

use std::collections::BTreeSet;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use note::RelPath;

use crate::blobs::Blobs;
use crate::change::{Kept, OpId, State};
use crate::commit::Texts;
use crate::disk::{Audience, Disk};
use crate::fault::crash_point;
use crate::item::{Item, Progress, Way, is_absence, look};
use crate::{Health, HealthNotice};

/// Carries out the items of one operation.
pub(crate) struct Settling<'a> {
    pub(crate) disk: &'a dyn Disk,
    pub(crate) blobs: &'a Blobs,
    pub(crate) health: &'a Health,
    pub(crate) op: OpId,
    /// Texts at hand, so that they need not be read from their blobs.
    pub(crate) texts: Texts,
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

/// A file that was replaced, until the second look.
#[derive(Debug)]
pub(crate) struct Displaced {
    pub(crate) lies: Lies,
    pub(crate) path: RelPath,
    pub(crate) op: OpId,
    pub(crate) after: State,
    pub(crate) due_ms: u64,
}

/// Where a displaced file is.
#[derive(Debug)]
pub(crate) enum Lies {
    /// In our hands, without a name: sync tools do not see it, and nobody can leave it behind.
    Held(File),
    /// Beside the file that took its place.
    Beside(PathBuf),
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
        let written = items.iter().filter(|item| matches!(item.way, Way::Create | Way::Replace));
        let temps: Vec<&Path> = written.map(|item| item.temp.as_path()).collect();
        if !temps.is_empty() {
            self.disk.sync(&temps).map_err(|source| Halt { item: 0, why: Stop::Io(source) })?;
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
                    self.disk.sync_dirs(&[above])?;
                }
            }
        }
        match item.way {
            Way::Create | Way::Replace => self.write_beside(item, item.after, item.like.as_deref()),
            _ => Ok(()),
        }
    }

    pub(crate) fn write_beside(&mut self, item: &Item, state: State, like: Option<&Path>) -> io::Result<()> {
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
            self.disk.set_attributes(like, &item.temp)?;
        }
        crash_point("temp");
        Ok(())
    }

    pub(crate) fn text(&self, state: State) -> io::Result<Vec<u8>> {
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
        item.was_shown = true;
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
    ///
    /// What goes back is kept too if it is another program's. Who read the file in the instant in which our text stood
    /// there may write over it from what was read then, and nobody else would have seen it.
    pub(crate) fn swap_back(&mut self, item: &mut Item) -> io::Result<bool> {
        let mut theirs = self.swap_and_read(item)?;
        item.progress = Progress::Untouched;
        let is_ours = look(self.disk, &item.temp)? == item.after;
        if !is_ours {
            // The newest text belongs in the file; the one it displaces is kept when the temporary file is retired.
            theirs.extend(self.swap_and_read(item)?);
        }
        for text in theirs {
            self.keep_theirs(item, &text);
        }
        Ok(is_ours)
    }

    /// Exchanges the file and its temporary file; returns what goes into the file, as it was before and after, since
    /// until then it could be written to through a handle.
    fn swap_and_read(&self, item: &Item) -> io::Result<Vec<Vec<u8>>> {
        let held = self.disk.hold(&item.temp).ok().flatten();
        let before = match &held {
            Some(file) => self.disk.read_held(file),
            None => self.disk.read(&item.temp),
        };
        self.disk.swap(&item.temp, &item.file)?;
        let after = held.and_then(|file| self.disk.read_held(&file).ok());
        Ok(before.ok().into_iter().chain(after).collect())
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
        item.was_shown = true;
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

    pub(crate) fn rename(&self, from: &Path, to: &Path, twin: bool) -> io::Result<()> {
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
        self.disk.sync(&[&item.file])?;
        item.progress = Progress::Carried;
        Ok(())
    }

    fn sync_dirs(&self, items: &[Item]) -> Result<(), Halt> {
        let written = items.iter().filter(|item| item.way != Way::Guard);
        let dirs: BTreeSet<&Path> = written.map(Item::dir).collect();
        let dirs: Vec<&Path> = dirs.into_iter().collect();
        self.disk.sync_dirs(&dirs).map_err(|source| Halt { item: 0, why: Stop::Io(source) })
    }
}
