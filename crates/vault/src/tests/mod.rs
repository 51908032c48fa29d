//! A vault in a temporary folder, and the tests that need a whole one.

mod commits;
mod crashes;
mod faults;
mod folders;
mod journals;
mod outsiders;
mod packing;
mod reading;
mod recent;
mod recovery;
mod retaining;
mod state;
mod tidying;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use note::{ContentHash, RelPath};
use serde_json::json;
use tempfile::TempDir;

use crate::{Change, Disk, OpId, RealDisk, Settled, State, StateDir, Step, Vault};

/// The files of a vault, by path.
type Files = BTreeMap<String, String>;

struct World {
    dir: TempDir,
}

impl World {
    /// Makes a vault with these files.
    fn new(files: &[(&str, &str)]) -> World {
        let world = World { dir: temp_dir() };
        fs::create_dir(world.root()).unwrap();
        for (path, text) in files {
            world.put(path, text);
        }
        world
    }

    fn root(&self) -> PathBuf {
        self.dir.path().join("vault")
    }

    fn state(&self) -> PathBuf {
        self.dir.path().join("state/of/it")
    }

    fn path(&self, path: &str) -> PathBuf {
        self.root().join(path)
    }

    fn put(&self, path: &str, text: &str) {
        put(&self.path(path), text);
    }

    fn get(&self, path: &str) -> Option<String> {
        fs::read_to_string(self.path(path)).ok()
    }

    fn open(&self) -> (Vault, Vec<Settled>) {
        self.try_open(Arc::new(RealDisk)).unwrap()
    }

    fn try_open(&self, disk: Arc<dyn Disk>) -> Result<(Vault, Vec<Settled>), crate::OpenError> {
        Vault::open(&self.root(), StateDir::new(self.state()), disk)
    }

    /// Returns every file, hidden ones too.
    fn files(&self) -> Files {
        let mut files = Files::new();
        collect(&self.root(), "", &mut files);
        files
    }

    /// Returns the folders, so that a test sees those left behind.
    fn folders(&self) -> Vec<String> {
        let mut folders = Vec::new();
        let mut todo = vec![self.root()];
        while let Some(dir) = todo.pop() {
            for entry in fs::read_dir(&dir).unwrap() {
                let entry = entry.unwrap();
                if entry.file_type().unwrap().is_dir() {
                    folders.push(relative(&self.root(), &entry.path()));
                    todo.push(entry.path());
                }
            }
        }
        folders.sort();
        folders
    }
}

fn relative(root: &Path, path: &Path) -> String {
    path.strip_prefix(root).unwrap().to_str().unwrap().to_owned()
}

fn collect(dir: &Path, prefix: &str, files: &mut Files) {
    for entry in fs::read_dir(dir).unwrap() {
        let entry = entry.unwrap();
        let name = entry.file_name().into_string().unwrap();
        if entry.file_type().unwrap().is_dir() {
            collect(&entry.path(), &format!("{prefix}{name}/"), files);
        } else if let Ok(text) = fs::read_to_string(entry.path()) {
            files.insert(format!("{prefix}{name}"), text);
        }
    }
}

/// Memory is fast to sync, and these tests sync a lot.
fn temp_dir() -> TempDir {
    let memory = Path::new("/dev/shm");
    if memory.is_dir() { tempfile::tempdir_in(memory).unwrap() } else { tempfile::tempdir().unwrap() }
}

fn put(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

fn rel(path: &str) -> RelPath {
    RelPath::new(path).unwrap()
}

fn is(text: &str) -> State {
    State::Is(ContentHash::of(text.as_bytes()))
}

fn state(text: Option<&str>) -> State {
    text.map_or(State::Absent, is)
}

fn op(n: u64) -> OpId {
    OpId::from_parts(1_700_000_000_000 + n, u128::from(n))
}

/// A step, and the text that it needs.
type Asked<'a> = (&'a str, Option<&'a str>, Option<&'a str>);

fn change(n: u64, steps: &[Asked<'_>]) -> Change {
    Change {
        op: op(n),
        steps: steps
            .iter()
            .map(|(path, before, after)| Step { path: rel(path), before: state(*before), after: state(*after) })
            .collect(),
        contents: steps.iter().filter_map(|(_, _, after)| after.map(|text| text.as_bytes().to_vec())).collect(),
        label: json!({"kind": "test"}),
    }
}

fn files(files: &[(&str, &str)]) -> Files {
    files.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect()
}
