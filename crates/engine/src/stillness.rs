//! Whether the vault's folders were still since they were last looked at, so that an answer needs no look at all of them.
//!
//! The watcher gathers what happens before it tells of it, and an answer must know what another program wrote the moment
//! before. The kernel notes an event before the call that causes it returns: if nothing is noted, nothing was written.

use note::RelPath;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use vault::Ear;

/// What is heard of a vault's folders, and how much of that is known. Never still where the system tells nothing.
pub(crate) struct Stillness {
    root: PathBuf,
    /// Listens from the first question on: each takes one of the few that the system gives an account.
    ear: Option<Ear>,
    is_asked: bool,
    /// Grows with everything that was heard.
    heard: u64,
    /// What had been heard when the look began whose findings are all taken in.
    known: Option<u64>,
    looked: Instant,
    took: Duration,
}

/// How much had been heard when a look began.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Mark {
    heard: u64,
    at: Instant,
}

/// Some writes are not told by the system (through a second name of the file elsewhere, or through memory), so the vault
/// is looked at so often all the same, while it is asked about.
const LOOK_AGAIN: Duration = Duration::from_secs(2);
/// In a vault that takes long to look at, less often.
const REST: u32 = 20;

impl Stillness {
    /// Will listen to the folder of a vault.
    pub fn of(root: &Path) -> Stillness {
        let (looked, took) = (Instant::now(), Duration::ZERO);
        Stillness { root: root.to_owned(), ear: None, is_asked: false, heard: 0, known: None, looked, took }
    }

    /// Whether everything that was done in the vault until now is known.
    pub fn is_still(&mut self) -> bool {
        self.is_asked = true;
        self.listen();
        self.ear.as_ref().is_some_and(Ear::is_whole) && self.known == Some(self.heard)
    }

    /// Begins a look at the whole vault, with the folders that are known.
    pub fn begin(&mut self, folders: &[RelPath]) -> Mark {
        if self.is_asked && self.ear.is_none() {
            self.ear = Ear::at(&self.root);
            self.known = None;
        }
        self.turn_to(folders);
        self.listen();
        Mark { heard: self.heard, at: Instant::now() }
    }

    /// Takes in which folders the look found. What was done in a new one meanwhile was not heard.
    pub fn found(&mut self, folders: &[RelPath], mark: Mark) {
        self.heard += u64::from(self.turn_to(folders));
        (self.looked, self.took) = (Instant::now(), mark.at.elapsed());
    }

    /// Takes in that all that the look found is known.
    pub fn known(&mut self, mark: Mark) {
        self.known = Some(mark.heard);
    }

    /// Takes in that nothing is known any more.
    pub fn forget(&mut self) {
        self.known = None;
    }

    /// Whether it is time to look again, still or not. Says so once.
    pub fn is_due(&mut self) -> bool {
        let is_due = self.looked.elapsed() >= LOOK_AGAIN.max(self.took * REST);
        if is_due {
            self.looked = Instant::now();
        }
        is_due
    }

    /// Listens no more.
    pub fn end(&mut self) {
        (self.ear, self.is_asked, self.known) = (None, false, None);
    }

    fn turn_to(&mut self, folders: &[RelPath]) -> bool {
        self.ear.as_mut().is_some_and(|ear| ear.turn_to(folders))
    }

    fn listen(&mut self) {
        self.heard += u64::from(self.ear.as_mut().is_some_and(Ear::hears));
    }
}

#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests {
    use super::*;
    use std::fs;
    use std::io::Write;

    /// A folder in memory, of which all can be heard: the usual one may be on a file system that others write to as well.
    fn in_memory() -> tempfile::TempDir {
        tempfile::tempdir_in("/dev/shm").expect("Linux has a folder in memory")
    }

    /// Something that a program does, and how.
    type Step<'a> = (&'a str, Box<dyn FnMut() + 'a>);

    #[test]
    fn whatever_is_done_in_a_folder_is_heard_at_once_and_what_is_done_beside_it_is_not() {
        let dir = in_memory();
        let root = dir.path().join("vault");
        fs::create_dir_all(root.join("a/b")).unwrap();
        fs::create_dir_all(root.join(".hidden")).unwrap();
        fs::write(root.join("a/b/note.md"), "one").unwrap();
        let mut stillness = Stillness::of(&root);
        let folders = || -> Vec<RelPath> {
            let mut out = Vec::new();
            let mut left = vec![root.clone()];
            while let Some(folder) = left.pop() {
                for entry in fs::read_dir(folder).unwrap().flatten() {
                    let path = entry.path();
                    if path.is_dir() && !entry.file_name().to_string_lossy().starts_with('.') {
                        out.push(RelPath::new(path.strip_prefix(&root).unwrap().to_str().unwrap()).unwrap());
                        left.push(path);
                    }
                }
            }
            out
        };
        let look = |stillness: &mut Stillness| {
            let mark = stillness.begin(&folders());
            stillness.found(&folders(), mark);
            stillness.known(mark);
        };
        assert!(!stillness.is_still(), "nothing was looked at");
        look(&mut stillness);
        let mut open = fs::OpenOptions::new().append(true).open(root.join("a/b/note.md")).unwrap();
        let at = |path: &str| root.join(path);
        let steps: Vec<Step<'_>> = vec![
            ("appends", Box::new(move || open.write_all(b"two").unwrap())),
            ("writes", Box::new(|| fs::write(at("a/new.md"), "x").unwrap())),
            ("empties", Box::new(|| drop(fs::File::create(at("a/new.md")).unwrap()))),
            ("renames", Box::new(|| fs::rename(at("a/new.md"), at("top.md")).unwrap())),
            (
                "replaces",
                Box::new(|| {
                    fs::write(dir.path().join("other"), "y").unwrap();
                    fs::rename(dir.path().join("other"), at("top.md")).unwrap();
                }),
            ),
            ("makes a folder", Box::new(|| fs::create_dir(at("a/c")).unwrap())),
            ("writes into the new folder", Box::new(|| fs::write(at("a/c/in.md"), "z").unwrap())),
            ("moves a folder", Box::new(|| fs::rename(at("a/c"), at("d")).unwrap())),
            ("writes into the moved folder", Box::new(|| fs::write(at("d/in.md"), "zz").unwrap())),
            (
                "puts another folder in its place",
                Box::new(|| {
                    fs::rename(at("d"), dir.path().join("away")).unwrap();
                    fs::create_dir(at("d")).unwrap();
                }),
            ),
            ("writes into that", Box::new(|| fs::write(at("d/in.md"), "a").unwrap())),
            (
                "sets a time",
                Box::new(|| {
                    let file = fs::File::options().write(true).open(at("d/in.md")).unwrap();
                    file.set_modified(std::time::SystemTime::UNIX_EPOCH).unwrap();
                }),
            ),
            ("removes", Box::new(|| fs::remove_file(at("d/in.md")).unwrap())),
            ("removes a folder", Box::new(|| fs::remove_dir(at("d")).unwrap())),
        ];
        for (what, mut step) in steps {
            look(&mut stillness);
            // A folder that was new to the look has to be looked at once more.
            look(&mut stillness);
            assert!(stillness.is_still() && stillness.is_still(), "before: {what}");
            step();
            assert!(!stillness.is_still() && !stillness.is_still(), "{what}");
        }
        look(&mut stillness);
        fs::write(root.join(".hidden/x"), "x").unwrap();
        fs::write(dir.path().join("beside.md"), "x").unwrap();
        fs::read(root.join("a/b/note.md")).unwrap();
        assert!(stillness.is_still());
        stillness.forget();
        assert!(!stillness.is_still());
        look(&mut stillness);
        assert!(stillness.is_still());
        stillness.end();
        assert!(!stillness.is_still());
    }

    #[test]
    fn what_is_done_during_a_look_is_not_taken_for_known() {
        let dir = in_memory();
        let mut stillness = Stillness::of(dir.path());
        assert!(!stillness.is_still());
        let mark = stillness.begin(&[]);
        fs::write(dir.path().join("a.md"), "x").unwrap();
        stillness.found(&[], mark);
        stillness.known(mark);
        assert!(!stillness.is_still());
    }

    #[test]
    fn a_folder_that_a_look_finds_first_is_looked_at_twice() {
        let dir = in_memory();
        let mut stillness = Stillness::of(dir.path());
        assert!(!stillness.is_still());
        fs::create_dir(dir.path().join("new")).unwrap();
        let new = [RelPath::new("new").unwrap()];
        let mark = stillness.begin(&[]);
        stillness.found(&new, mark);
        stillness.known(mark);
        assert!(!stillness.is_still());
        let mark = stillness.begin(&new);
        stillness.found(&new, mark);
        stillness.known(mark);
        assert!(stillness.is_still());
    }
}
