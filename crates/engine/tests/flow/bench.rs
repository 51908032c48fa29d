use engine::{DecideError, Decision, Engine, Intent, OpenVault, PlanDigest, ProposeError, RelPath, Request, Writes};
use note::SectionRef;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tempfile::TempDir;

pub const PATIENCE: Duration = Duration::from_secs(20);

/// A vault in a temporary folder, written as one text with a `//- /path` line before each file.
pub struct Bench {
    pub dir: TempDir,
    pub engine: Engine,
}

impl Bench {
    pub fn new(files: &str) -> Bench {
        let dir = TempDir::new().unwrap();
        let root = dir.path().join("vault");
        std::fs::create_dir(&root).unwrap();
        for part in files.split("//- /").skip(1) {
            let (path, text) = part.split_once('\n').unwrap();
            let file = root.join(path.trim());
            std::fs::create_dir_all(file.parent().unwrap()).unwrap();
            std::fs::write(file, text).unwrap();
        }
        let engine = open(dir.path());
        Bench { dir, engine }
    }

    pub fn root(&self) -> PathBuf {
        self.dir.path().join("vault")
    }

    pub fn read(&self, path: &str) -> String {
        std::fs::read_to_string(self.root().join(path)).unwrap()
    }

    pub fn write(&self, path: &str, text: &str) {
        std::fs::write(self.root().join(path), text).unwrap();
    }

    pub fn files(&self) -> BTreeMap<String, Vec<u8>> {
        files(&self.root(), "")
    }

    pub fn reopen(&mut self) {
        self.engine.close();
        self.engine = open(self.dir.path());
    }

    pub fn rename(
        &self,
        path: &str,
        old: &str,
        new: &str,
        request_id: Option<&str>,
    ) -> Result<engine::Proposed, ProposeError> {
        self.desk(Writes::Review).propose(
            Intent::RenameSection {
                path: rel(path),
                at: SectionRef::Heading { text: old.to_owned(), level: None, nth: None },
                new_heading: new.to_owned(),
                update_links: true,
                allow_h1: false,
            },
            Request {
                request_id: request_id.map(str::to_owned),
                fingerprint: format!("{path}|{old}|{new}"),
                ..Request::default()
            },
        )
    }

    pub fn desk(&self, writes: Writes) -> engine::Desk {
        self.engine.desk("Test agent", writes)
    }

    pub fn approve(&self, id: engine::OpId) -> Result<engine::OperationView, DecideError> {
        let seen = PlanDigest(self.engine.review(id).unwrap().digest.unwrap());
        self.engine.decide(id, Decision::Approve { seen })
    }
}

pub fn open(dir: &Path) -> Engine {
    let cfg = OpenVault {
        root: dir.join("vault"),
        state: dir.join("state"),
        name: "Test".to_owned(),
        vault_key: "key".to_owned(),
        system_trash: Some(dir.join("trash")),
    };
    let engine = Engine::open(cfg).unwrap();
    assert!(engine.wait_indexed(PATIENCE));
    engine
}

fn files(root: &Path, below: &str) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    for entry in std::fs::read_dir(root.join(below)).unwrap() {
        let entry = entry.unwrap();
        let path = format!("{below}{}", entry.file_name().to_str().unwrap());
        if entry.file_type().unwrap().is_dir() {
            found.extend(files(root, &format!("{path}/")));
        } else {
            found.insert(path, std::fs::read(entry.path()).unwrap());
        }
    }
    found
}

/// Says how far an operation goes: where its links are, and how many files change.
pub fn counts(summary: &engine::Summary) -> String {
    format!(
        "{} links in {} notes, {} canvases; {} notes, {} canvases change",
        summary.n_links, summary.n_linking_notes, summary.n_linking_canvases, summary.n_notes, summary.n_canvases
    )
}

pub fn rel(path: &str) -> RelPath {
    RelPath::new(path).unwrap()
}
