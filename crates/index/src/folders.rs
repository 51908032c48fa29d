//! The folders of the vault, for a tree that is read one folder at a time.

use std::cmp::Ordering;
use std::collections::BTreeSet;
use std::sync::Arc;

use note::{RelPath, fold};
use serde::Serialize;

use crate::shards::Shards;

/// One row of a folder listing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Child {
    /// The file or folder.
    pub path: RelPath,
    /// Its last segment, as on disk.
    pub name: String,
    /// What it is.
    pub kind: ChildKind,
}

/// What a row of a folder listing is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ChildKind {
    /// A folder.
    Folder {
        /// Notes in it and in the folders below.
        n_notes: u32,
        /// Files of every kind in it and in the folders below.
        n_files: u32,
    },
    /// A Markdown file.
    Note,
    /// A `.canvas` file.
    Canvas,
    /// Anything else.
    Attachment,
}

/// Which folders exist, what is directly in each, and how much is below each.
#[derive(Debug, Clone, Default)]
pub(crate) struct Folders {
    /// Folder path to the paths directly in it.
    children: Shards<Arc<str>, Arc<Contents>>,
    /// Apart from `children`, because a new file changes the counts of every folder above it but
    /// the contents of one only.
    counts: Shards<Arc<str>, Counts>,
}

#[derive(Debug, Clone, Default)]
struct Contents {
    files: BTreeSet<RelPath>,
    folders: BTreeSet<RelPath>,
    /// Set when the folder was named by a fact of its own, so that it stays while it is empty.
    declared: bool,
}

#[derive(Debug, Clone, Copy, Default)]
struct Counts {
    n_notes: u32,
    n_files: u32,
}

impl Folders {
    pub(crate) fn add_file(&mut self, path: &RelPath, is_note: bool) {
        let parent: Arc<str> = path.parent().into();
        self.link_upwards(path.parent());
        if Arc::make_mut(self.children.entry(parent)).files.insert(path.clone()) {
            self.count(path.parent(), 1, is_note);
        }
    }

    pub(crate) fn remove_file(&mut self, path: &RelPath, is_note: bool) {
        let Some(contents) = self.children.get(path.parent()) else {
            return;
        };
        if !contents.files.contains(path) {
            return;
        }
        let parent: Arc<str> = path.parent().into();
        Arc::make_mut(self.children.entry(parent)).files.remove(path);
        self.count(path.parent(), -1, is_note);
        self.unlink_upwards(path.parent());
    }

    pub(crate) fn declare(&mut self, path: &RelPath) {
        self.link_upwards(path.as_str());
        Arc::make_mut(self.children.entry(path.as_str().into())).declared = true;
    }

    /// Takes back [`Folders::declare`]; the folder stays while it holds something.
    pub(crate) fn forget(&mut self, path: &RelPath) {
        if self.children.get(path.as_str()).is_some_and(|contents| contents.declared) {
            Arc::make_mut(self.children.entry(path.as_str().into())).declared = false;
            self.unlink_upwards(path.as_str());
        }
    }

    pub(crate) fn exists(&self, folder: &str) -> bool {
        folder.is_empty() || self.children.get(folder).is_some()
    }

    /// Every folder but the root, in path order.
    pub(crate) fn all(&self) -> Vec<RelPath> {
        let mut folders: Vec<RelPath> =
            self.children.iter().flat_map(|(_, contents)| contents.folders.iter().cloned()).collect();
        folders.sort();
        folders
    }

    /// The folders that stay while they are empty.
    pub(crate) fn declared(&self) -> Vec<RelPath> {
        let mut folders: Vec<RelPath> = self
            .children
            .iter()
            .filter(|(_, contents)| contents.declared)
            .filter_map(|(path, _)| RelPath::new(path).ok())
            .collect();
        folders.sort();
        folders
    }

    pub(crate) fn list(&self, folder: &str, kind_of: impl Fn(&RelPath) -> ChildKind) -> Vec<Child> {
        let Some(contents) = self.children.get(folder) else {
            return Vec::new();
        };
        let mut rows: Vec<(NaturalKey, Child)> = Vec::with_capacity(contents.files.len() + contents.folders.len());
        let folders = contents.folders.iter().map(|path| {
            let counts = self.counts.get(path.as_str()).copied().unwrap_or_default();
            (path, ChildKind::Folder { n_notes: counts.n_notes, n_files: counts.n_files })
        });
        let files = contents.files.iter().map(|path| (path, kind_of(path)));
        for (path, kind) in folders.chain(files) {
            let name = path.file_name().to_owned();
            rows.push((NaturalKey::new(&name), Child { path: path.clone(), name, kind }));
        }
        let is_file = |child: &Child| !matches!(child.kind, ChildKind::Folder { .. });
        rows.sort_by(|(a_key, a), (b_key, b)| {
            is_file(a).cmp(&is_file(b)).then_with(|| a_key.cmp(b_key)).then_with(|| a.name.cmp(&b.name))
        });
        rows.into_iter().map(|(_, child)| child).collect()
    }

    /// Makes every folder from `folder` up to the root known to its parent.
    fn link_upwards(&mut self, folder: &str) {
        if folder.is_empty() || self.children.get(folder).is_some() {
            return;
        }
        let Ok(path) = RelPath::new(folder) else {
            return;
        };
        let parent = parent_of(folder);
        self.link_upwards(parent);
        self.children.entry(folder.into());
        Arc::make_mut(self.children.entry(parent.into())).folders.insert(path);
    }

    /// Removes `folder` and the folders above it as far as nothing is left in them.
    fn unlink_upwards(&mut self, folder: &str) {
        let mut folder = folder;
        while !folder.is_empty() {
            let Some(contents) = self.children.get(folder) else {
                return;
            };
            if contents.declared || !contents.files.is_empty() || !contents.folders.is_empty() {
                return;
            }
            self.children.remove(folder);
            self.counts.remove(folder);
            let parent = parent_of(folder);
            let Ok(path) = RelPath::new(folder) else {
                return;
            };
            Arc::make_mut(self.children.entry(parent.into())).folders.remove(&path);
            folder = parent;
        }
    }

    fn count(&mut self, folder: &str, by: i32, is_note: bool) {
        let mut folder = folder;
        loop {
            let counts = self.counts.entry(folder.into());
            counts.n_files = counts.n_files.saturating_add_signed(by);
            if is_note {
                counts.n_notes = counts.n_notes.saturating_add_signed(by);
            }
            if folder.is_empty() {
                return;
            }
            folder = parent_of(folder);
        }
    }
}

fn parent_of(path: &str) -> &str {
    path.rfind('/').map_or("", |at| &path[..at])
}

/// Sorts `Note 2` before `Note 10`, and takes no notice of case.
#[derive(Debug, PartialEq, Eq)]
struct NaturalKey(Vec<Piece>);

#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Piece {
    /// The digits without leading zeros: a longer number is a greater one, whatever its size.
    Number(usize, String),
    Text(String),
}

impl NaturalKey {
    fn new(name: &str) -> NaturalKey {
        let folded = fold(name);
        let mut pieces = Vec::new();
        let mut rest = folded.as_str();
        while let Some(first) = rest.chars().next() {
            let digits = first.is_ascii_digit();
            let end = rest.find(|c: char| c.is_ascii_digit() != digits).unwrap_or(rest.len());
            let (piece, after) = rest.split_at(end);
            pieces.push(if digits {
                let number = piece.trim_start_matches('0');
                Piece::Number(number.len(), number.to_owned())
            } else {
                Piece::Text(piece.to_owned())
            });
            rest = after;
        }
        NaturalKey(pieces)
    }
}

impl Ord for NaturalKey {
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.cmp(&other.0)
    }
}

impl PartialOrd for NaturalKey {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Fact;
    use crate::fixture::{Vault, rel};

    fn listing(vault: &Vault, folder: &str) -> String {
        let rows = vault.view().folder(folder).into_iter().map(|child| match child.kind {
            ChildKind::Folder { n_notes, n_files } => format!("{}/ {n_notes}/{n_files}", child.name),
            ChildKind::Note | ChildKind::Canvas | ChildKind::Attachment => child.name,
        });
        rows.collect::<Vec<_>>().join(", ")
    }

    #[test]
    fn folders_first_in_natural_order_with_counts() {
        let vault = Vault::new(&[
            ("Note 10.md", ""),
            ("note 2.md", ""),
            ("Note 1.md", ""),
            ("éa.md", ""),
            ("z/deep/er/x.md", ""),
            ("z/a.png", ""),
            ("B/b.canvas", "{}"),
            ("a1/x.md", ""),
        ]);
        assert_eq!(listing(&vault, ""), "a1/ 1/1, B/ 0/1, z/ 1/2, Note 1.md, note 2.md, Note 10.md, éa.md");
        assert_eq!(listing(&vault, "z"), "deep/ 1/1, a.png");
        assert_eq!(listing(&vault, "z/deep"), "er/ 1/1");
        assert_eq!(listing(&vault, "nowhere"), "");
    }

    #[test]
    fn folders_come_and_go_with_their_files() {
        let mut vault = Vault::new(&[("a/b/x.md", ""), ("a/y.md", "")]);
        assert_eq!(vault.view().folders(), [rel("a"), rel("a/b")]);
        vault.gone(&["a/b/x.md"]);
        assert_eq!(vault.view().folders(), [rel("a")]);
        assert_eq!(listing(&vault, ""), "a/ 1/1");
        vault.gone(&["a/y.md"]);
        assert_eq!((listing(&vault, ""), vault.view().has_folder("a")), (String::new(), false));
        assert!(vault.view().has_folder(""));
    }

    #[test]
    fn an_empty_folder_stays_until_it_is_gone() {
        let mut vault = Vault::new(&[]);
        vault.index.apply(&[Fact::Folder { path: rel("e/mpty") }]).unwrap();
        assert_eq!((listing(&vault, ""), listing(&vault, "e")), ("e/ 0/0".into(), "mpty/ 0/0".into()));
        vault.tell(&[("e/mpty/x.md", "")]);
        vault.gone(&["e/mpty/x.md"]);
        assert_eq!(listing(&vault, "e"), "mpty/ 0/0");
        vault.index.flush().unwrap();
        let mut vault = vault.reopen();
        assert_eq!(listing(&vault, "e"), "mpty/ 0/0");
        vault.gone(&["e/mpty"]);
        assert_eq!(vault.view().folders(), []);
    }

    #[test]
    fn natural_order() {
        let mut names = ["a10", "A2", "a02", "a", "10", "9", "1b", "a1b10", "a1b9", "99999999999999999999999"];
        names.sort_by_key(|name| NaturalKey::new(name));
        assert_eq!(names, ["1b", "9", "10", "99999999999999999999999", "a", "a1b9", "a1b10", "A2", "a02", "a10"]);
    }
}
