//! The way back, and the end of what was set aside: a temporary file is removed once its text is a blob.

use std::io;
use std::path::{Path, PathBuf};

use note::{ContentHash, RelPath};

use crate::change::{Kept, State};
use crate::disk::{Kind, n_to_hold};
use crate::item::{Item, Progress, Way, is_absence, look};
use crate::settle::{Displaced, Lies, Settling};
use crate::{MAX_FILE_LEN, SECOND_LOOK_MS};

impl Settling<'_> {
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
        let mut n_held = 0;
        for item in items.iter_mut().rev() {
            if item.was_shown && self.secure(&item.temp, &item.path, Some(item.after)).is_ok() {
                let lies = self.hold(item, &mut n_held);
                self.wait(item, lies);
            } else {
                self.retire_or_wait(item);
            }
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
                self.write_beside(item, item.before, Some(&item.file))?;
                self.disk.sync(&[&item.temp])?;
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
            self.disk.sync_dirs(&[item.dir()])?;
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
            self.disk.sync(&[&item.file])?;
        }
        item.progress = Progress::Untouched;
        Ok(true)
    }

    /// Removes a temporary file of ours, once what is in it is a blob.
    pub(crate) fn retire(&mut self, temp: &Path, path: &RelPath, after: Option<State>) -> io::Result<()> {
        match self.secure(temp, path, after)? {
            Secured::Nothing => Ok(()),
            Secured::Known | Secured::Kept => self.disk.remove(temp),
        }
    }

    /// Looks at a displaced file and lets go of it, unless somebody has just written to it: they may not be finished.
    pub(crate) fn look_again(&mut self, displaced: &Displaced) -> io::Result<bool> {
        let (path, after) = (&displaced.path, Some(displaced.after));
        match &displaced.lies {
            Lies::Held(file) => {
                let text = self.disk.read_held(file)?;
                Ok(!matches!(self.secure_text(&text, path, after)?, Secured::Kept))
            }
            Lies::Beside(temp) => match self.secure(temp, path, after)? {
                Secured::Nothing => Ok(true),
                Secured::Known => self.disk.remove(temp).map(|()| true),
                Secured::Kept => Ok(false),
            },
        }
    }

    /// Looks at a displaced file for the last time.
    pub(crate) fn let_go(&mut self, displaced: &Displaced) -> io::Result<()> {
        let (path, after) = (&displaced.path, Some(displaced.after));
        match &displaced.lies {
            Lies::Held(file) => {
                let text = self.disk.read_held(file)?;
                self.secure_text(&text, path, after).map(|_| ())
            }
            Lies::Beside(temp) => self.retire(temp, path, after),
        }
    }

    /// Makes sure that the text of a temporary file is a blob.
    fn secure(&mut self, temp: &Path, path: &RelPath, after: Option<State>) -> io::Result<Secured> {
        let meta = match self.disk.stat(temp) {
            Err(error) if is_absence(&error) => return Ok(Secured::Nothing),
            meta => meta?,
        };
        match meta.kind {
            // A link that was set aside holds no bytes of its own.
            Kind::Link => return Ok(Secured::Known),
            Kind::File if meta.len <= MAX_FILE_LEN => {}
            // Not something that we make; whoever did may have it.
            _ => return Ok(Secured::Nothing),
        }
        let text = self.disk.read(temp)?;
        self.secure_text(&text, path, after)
    }

    fn secure_text(&mut self, text: &[u8], path: &RelPath, after: Option<State>) -> io::Result<Secured> {
        let hash = ContentHash::of(text);
        if self.blobs.claim(&hash) || self.is_part_of(text, after)? {
            return Ok(Secured::Known);
        }
        self.keep(path, &hash, text)?;
        Ok(Secured::Kept)
    }

    /// Says whether a text is what a crash leaves of a text that was being written.
    fn is_part_of(&self, text: &[u8], whole: Option<State>) -> io::Result<bool> {
        match whole {
            Some(State::Is(hash)) => Ok(self.blobs.get(&hash)?.is_some_and(|whole| whole.starts_with(text))),
            _ => Ok(false),
        }
    }

    fn keep(&mut self, path: &RelPath, hash: &ContentHash, text: &[u8]) -> io::Result<()> {
        self.blobs.put(&[(*hash, text)])?;
        let kept = Kept { op: self.op, path: path.clone(), hash: *hash };
        if !self.kept.contains(&kept) {
            self.kept.push(kept);
        }
        Ok(())
    }

    /// Keeps a text of another program that goes back into its file.
    pub(crate) fn keep_theirs(&mut self, item: &Item, text: &[u8]) {
        let hash = ContentHash::of(text);
        if ![item.before, item.after].contains(&State::Is(hash)) {
            // If it cannot be kept, it is in its file all the same.
            let _ = self.keep(&item.path, &hash, text);
        }
    }

    fn retire_or_wait(&mut self, item: &Item) {
        if self.retire(&item.temp, &item.path, Some(item.after)).is_err() {
            self.wait(item, Lies::Beside(item.temp.clone()));
        }
    }

    fn wait(&mut self, item: &Item, lies: Lies) {
        self.displaced.push(Displaced {
            lies,
            path: item.path.clone(),
            op: self.op,
            after: item.after,
            due_ms: self.disk.now_ms().saturating_add(SECOND_LOOK_MS),
        });
    }

    /// Leaves what was displaced to the second look, and removes what was only prepared.
    pub(crate) fn clear_up(&mut self, items: &[Item]) {
        let mut n_held = 0;
        for item in items {
            match (item.way, item.progress) {
                (Way::Replace | Way::Remove, Progress::Carried) => {
                    let lies = self.hold(item, &mut n_held);
                    self.wait(item, lies);
                }
                (Way::Create | Way::Replace, Progress::Untouched) => self.retire_or_wait(item),
                _ => {}
            }
        }
    }

    /// Takes a displaced file out of the vault at once, if it can be looked at again all the same.
    ///
    /// Should this process die before the second look, a late write is lost with it; against that, a name that stays is
    /// carried off by sync tools after every save.
    fn hold(&self, item: &Item, n_held: &mut usize) -> Lies {
        let is_file = self.disk.stat(&item.temp).is_ok_and(|meta| meta.kind == Kind::File);
        if is_file && *n_held < n_to_hold() {
            // What cannot be held waits under its name.
            if let Ok(Some(file)) = self.disk.remove_and_hold(&item.temp) {
                *n_held += 1;
                return Lies::Held(file);
            }
        }
        Lies::Beside(item.temp.clone())
    }
}

/// What was in a temporary file.
enum Secured {
    /// There is none that is ours.
    Nothing,
    /// A text that was a blob already, or a part of one.
    Known,
    /// A text that has just become a blob.
    Kept,
}
