//! A vault in which a crash and another program's write interrupted an operation, for tests.

use crate::owner;
use crate::store::Store;
use crate::vaults;
use engine::Wish;
use std::fs;
use std::path::PathBuf;

/// The vault, which nobody has open.
pub struct Interrupted {
    _root: tempfile::TempDir,
    pub store: Store,
    pub vault: PathBuf,
    /// The operation: the heading `Old` becomes `New` in `a.md`, and the link in `b.md` follows.
    pub id: String,
}

impl Interrupted {
    /// Makes it: `b.md` is written, and `a.md` was changed by somebody else before it was.
    pub fn new() -> Interrupted {
        let root = tempfile::tempdir().unwrap();
        let vault = root.path().join("notes");
        fs::create_dir(&vault).unwrap();
        fs::write(vault.join("a.md"), "# A\n\n## Old\n").unwrap();
        fs::write(vault.join("b.md"), "[[a#Old]]\n").unwrap();
        let store = Store::at(root.path().join("config"), root.path().join("data"));
        let folder = vaults::locate(&store, &vault).unwrap();
        let engine = owner::open(&store, &folder).unwrap();
        engine.catch_up();
        let wish = Wish::RenameHeading { path: "a.md".into(), index: 1, new_heading: "New".into() };
        let id = engine.grant(&wish, None).unwrap().id;
        engine.close();
        // The journal of a process that died before it could say that the operation was done.
        let journal = store.state_folder(&folder.key).join("journal.jsonl");
        let text = fs::read_to_string(&journal).unwrap();
        let ends = |line: &&str| line.contains(r#""kind":"done""#) || line.contains(r#""kind":"swept""#);
        let kept: String = text.lines().filter(|line| !ends(line)).map(|line| format!("{line}\n")).collect();
        assert_ne!(kept, text);
        fs::write(&journal, kept).unwrap();
        fs::write(vault.join("a.md"), "# A\n\n## Old\n\ntheirs\n").unwrap();
        Interrupted { _root: root, store, vault, id }
    }

    pub fn read(&self, name: &str) -> String {
        fs::read_to_string(self.vault.join(name)).unwrap()
    }
}
