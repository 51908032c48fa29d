//! Which folders are vaults, and which state belongs to which.
//!
//! A vault's state is kept under a random key, not under its path: the list remembers the path *and* what the file
//! system calls the folder, so that a vault that was moved finds its history again.

use crate::store::{Store, StoreError, read_foreign};
use engine::{ContentHash, HealthNotice};
use serde::{Deserialize, Serialize};
use std::io;
use std::path::{Path, PathBuf};
#[cfg(unix)]
use std::time::UNIX_EPOCH;

const FILE: &str = "vaults.json";

/// A folder that can be opened, and the key of its state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Folder {
    pub root: PathBuf,
    pub key: String,
    /// Where this vault lay when it was last opened, if it has been moved since.
    pub moved_from: Option<PathBuf>,
    /// Why the list of known vaults could not take in what is new about this one, if so.
    pub unlisted: Option<String>,
}

impl Folder {
    /// Returns the name shown to people: the folder's own.
    pub fn name(&self) -> String {
        name_of(&self.root)
    }

    /// Returns what a person should know of how the vault was found.
    pub fn notice(&self) -> Option<HealthNotice> {
        self.unlisted.as_ref().map(|reason| HealthNotice {
            message: format!("the list of known vaults cannot be written: {reason}"),
            hint: "the vault works all the same; until the list can be written, its history is found by its path alone"
                .to_owned(),
        })
    }
}

/// A vault that the welcome page offers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, specta::Type)]
pub struct KnownVault {
    pub path: String,
    pub name: String,
    pub source: VaultSource,
    /// Whether the folder is there now.
    pub exists: bool,
}

/// Whence a vault is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, specta::Type)]
#[serde(rename_all = "snake_case")]
pub enum VaultSource {
    /// Opened here before.
    Recent,
    /// Listed in Obsidian's own settings.
    Obsidian,
}

/// Why a path is no vault.
#[derive(Debug, thiserror::Error)]
pub enum FolderError {
    #[error("no such folder: `{}`", path.display())]
    Missing { path: PathBuf },
    #[error("not a folder: `{}`", path.display())]
    NotAFolder { path: PathBuf },
    #[error("cannot read the folder `{}`: {source}", path.display())]
    Unreadable { path: PathBuf, source: io::Error },
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl FolderError {
    /// Returns the next step for a person.
    pub fn hint(&self) -> String {
        match self {
            FolderError::Missing { .. } => "check the spelling, or create the folder first".into(),
            FolderError::NotAFolder { path } => match path.parent() {
                Some(parent) => {
                    format!("a vault is a folder of notes; name the one that holds it: `{}`", parent.display())
                }
                None => "a vault is a folder of notes".into(),
            },
            FolderError::Unreadable { .. } => "give this account the right to read and enter the folder".into(),
            FolderError::Store(error) => error.hint().into(),
        }
    }
}

#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
struct Book {
    vaults: Vec<Known>,
    /// The key of the vault that the next start opens first.
    last: Option<String>,
    /// The keys of all that are open; the next start opens them again.
    open: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Known {
    key: String,
    path: PathBuf,
    folder: Option<Identity>,
    /// Milliseconds since 1970; absent until a window has opened it.
    opened_at: Option<i64>,
}

/// What the file system calls a folder, whatever its path. The time of birth guards against a number used again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
struct Identity {
    device: u64,
    inode: u64,
    born_ms: Option<u64>,
}

/// Finds the folder of a vault and the key of its state; a vault seen for the first time gets a new key.
///
/// A list that cannot be written keeps nobody from a vault: what cannot be listed goes by a key that follows from its
/// path, so that every process finds the same state, and keeps that key when it is listed after all.
pub fn locate(store: &Store, path: &Path) -> Result<Folder, FolderError> {
    let root = look(path)?;
    let identity = identity_of(&root);
    let by_path = key_of(&root);
    let key = || if store.has_state(&by_path) { by_path.clone() } else { ulid::Ulid::generate().to_string() };
    match store.update(FILE, |book: &mut Book| book.locate(root.clone(), identity, key)) {
        Err(error @ StoreError::Write { .. }) => {
            let listed: Book = store.read(FILE)?;
            let mut book = listed.clone();
            let folder = book.locate(root, identity, || by_path.clone());
            Ok(Folder { unlisted: (book != listed).then(|| error.to_string()), ..folder })
        }
        located => Ok(located?),
    }
}

/// Returns the key of a vault that is in no list.
fn key_of(root: &Path) -> String {
    let hash = ContentHash::of(root.as_os_str().as_encoded_bytes()).to_string();
    format!("by-path-{}", &hash[..16])
}

/// Finds the state of a vault that was opened before, and changes nothing.
pub fn find(store: &Store, path: &Path) -> Result<(PathBuf, Option<Folder>), FolderError> {
    let root = look(path)?;
    let identity = identity_of(&root);
    let mut book: Book = store.read(FILE)?;
    let n_known = book.vaults.len();
    let by_path = key_of(&root);
    let folder = book.locate(root.clone(), identity, || by_path.clone());
    let was_opened = book.vaults.len() == n_known || store.has_state(&by_path);
    Ok((root, was_opened.then_some(folder)))
}

/// Notes that a window opened a vault, so that the next start opens it again.
pub fn opened(store: &Store, key: &str) -> Result<(), StoreError> {
    store.update(FILE, |book: &mut Book| {
        book.last = Some(key.to_owned());
        if !book.open.iter().any(|open| open == key) {
            book.open.push(key.to_owned());
        }
        if let Some(known) = book.vaults.iter_mut().find(|known| known.key == key) {
            known.opened_at = Some(jiff::Timestamp::now().as_millisecond());
        }
    })
}

/// Notes that the person closed a vault: the next start does not open it.
pub fn closed(store: &Store, key: &str) -> Result<(), StoreError> {
    store.update(FILE, |book: &mut Book| {
        book.open.retain(|open| open != key);
        if book.last.as_deref() == Some(key) {
            book.last = book.open.last().cloned();
        }
    })
}

/// Forgets which vaults were open: this start opens what was asked for, and nothing else.
pub fn starts_anew(store: &Store) -> Result<(), StoreError> {
    store.update(FILE, |book: &mut Book| book.open.clear())
}

/// Returns the vaults that were open last and are there, beside the one that is opened first.
pub fn others_open(store: &Store) -> Result<Vec<PathBuf>, StoreError> {
    let book: Book = store.read(FILE)?;
    let is_other = |known: &&Known| book.open.contains(&known.key) && book.last.as_ref() != Some(&known.key);
    let paths = book.vaults.iter().filter(is_other).map(|known| known.path.clone());
    Ok(paths.filter(|path| path.is_dir()).collect())
}

/// Returns the vault that was open last, unless the person closed it or it is gone.
pub fn last(store: &Store) -> Result<Option<PathBuf>, StoreError> {
    let book: Book = store.read(FILE)?;
    let last = book.vaults.into_iter().find(|known| book.last.as_ref() == Some(&known.key));
    Ok(last.map(|known| known.path).filter(|path| path.is_dir()))
}

/// Lists the vaults opened before, newest first, then those that only Obsidian knows.
pub fn known(store: &Store) -> Result<Vec<KnownVault>, StoreError> {
    let mut book: Book = store.read(FILE)?;
    book.vaults.retain(|known| known.opened_at.is_some());
    book.vaults.sort_by_key(|known| std::cmp::Reverse(known.opened_at));
    let mut all: Vec<KnownVault> =
        book.vaults.iter().map(|known| KnownVault::at(&known.path, VaultSource::Recent)).collect();
    for path in obsidian_vaults() {
        let vault = KnownVault::at(&path, VaultSource::Obsidian);
        if vault.exists && !all.iter().any(|known| known.path == vault.path) {
            all.push(vault);
        }
    }
    Ok(all)
}

/// Lists the vaults of that name that a window has opened and that are there, the last one first.
pub fn named(store: &Store, name: &str) -> Result<Vec<PathBuf>, StoreError> {
    let fold = |name: &str| name.to_lowercase();
    let opened = opened_here(store)?;
    let (exact, alike): (Vec<PathBuf>, Vec<PathBuf>) =
        opened.into_iter().filter(|path| fold(&name_of(path)) == fold(name)).partition(|path| name_of(path) == name);
    Ok(if exact.is_empty() { alike } else { exact })
}

/// Finds the vault that a window has opened and that holds a file; of vaults in each other the inner one.
pub fn around(store: &Store, file: &Path) -> Result<Option<PathBuf>, StoreError> {
    let opened = opened_here(store)?;
    Ok(opened.into_iter().filter(|root| file.starts_with(root)).max_by_key(|root| root.as_os_str().len()))
}

fn opened_here(store: &Store) -> Result<Vec<PathBuf>, StoreError> {
    let mut book: Book = store.read(FILE)?;
    book.vaults.retain(|known| known.opened_at.is_some() && known.path.is_dir());
    book.vaults.sort_by_key(|known| std::cmp::Reverse(known.opened_at));
    Ok(book.vaults.into_iter().map(|known| known.path).collect())
}

impl KnownVault {
    fn at(path: &Path, source: VaultSource) -> KnownVault {
        KnownVault { path: path.display().to_string(), name: name_of(path), source, exists: path.is_dir() }
    }
}

impl Book {
    fn locate(&mut self, root: PathBuf, identity: Option<Identity>, new_key: impl FnOnce() -> String) -> Folder {
        let found = |root, key, moved_from| Folder { root, key, moved_from, unlisted: None };
        if let Some(known) = self.vaults.iter_mut().find(|known| known.path == root) {
            // The same path is the same vault, even where a backup or a clone put another folder there.
            known.folder = identity;
            return found(root, known.key.clone(), None);
        }
        let moved = identity.and_then(|identity| {
            // A folder that still stands at its old path is another one (a bind mount, say), not a moved one.
            self.vaults.iter_mut().find(|known| known.folder == Some(identity) && !known.path.is_dir())
        });
        if let Some(known) = moved {
            let moved_from = std::mem::replace(&mut known.path, root.clone());
            return found(root, known.key.clone(), Some(moved_from));
        }
        let key = new_key();
        self.vaults.push(Known { key: key.clone(), path: root.clone(), folder: identity, opened_at: None });
        found(root, key, None)
    }
}

/// Finds the folder at a path, whether or not it was ever opened.
pub fn look(path: &Path) -> Result<PathBuf, FolderError> {
    let failed = |source: io::Error| match source.kind() {
        io::ErrorKind::NotFound => FolderError::Missing { path: path.to_path_buf() },
        io::ErrorKind::NotADirectory => FolderError::NotAFolder { path: path.to_path_buf() },
        _ => FolderError::Unreadable { path: path.to_path_buf(), source },
    };
    let root = path.canonicalize().map_err(failed)?;
    if !root.is_dir() {
        return Err(FolderError::NotAFolder { path: path.to_path_buf() });
    }
    root.read_dir().map_err(failed)?;
    Ok(root)
}

#[cfg(unix)]
fn identity_of(folder: &Path) -> Option<Identity> {
    use std::os::unix::fs::MetadataExt;
    let metadata = folder.metadata().ok()?;
    let born = metadata.created().ok().and_then(|at| at.duration_since(UNIX_EPOCH).ok());
    let born_ms = born.and_then(|since| u64::try_from(since.as_millis()).ok());
    Some(Identity { device: metadata.dev(), inode: metadata.ino(), born_ms })
}

/// Elsewhere the standard library tells no number of a folder: a moved vault starts anew.
#[cfg(not(unix))]
fn identity_of(_: &Path) -> Option<Identity> {
    None
}

fn name_of(path: &Path) -> String {
    match path.file_name() {
        Some(name) => name.to_string_lossy().into_owned(),
        None => path.display().to_string(),
    }
}

/// Reads the vaults that Obsidian lists in its own settings. They are only read; a missing or strange file means none.
fn obsidian_vaults() -> Vec<PathBuf> {
    #[derive(Deserialize)]
    struct Settings {
        #[serde(default)]
        vaults: std::collections::BTreeMap<String, Vault>,
    }
    #[derive(Deserialize)]
    struct Vault {
        path: PathBuf,
        #[serde(default)]
        ts: f64,
    }
    let homes = [
        dirs::config_dir().map(|config| config.join("obsidian")),
        dirs::home_dir().map(|home| home.join(".var/app/md.obsidian.Obsidian/config/obsidian")),
        dirs::home_dir().map(|home| home.join("snap/obsidian/current/.config/obsidian")),
    ];
    let mut found = Vec::new();
    for home in homes.into_iter().flatten() {
        let Ok(Some(bytes)) = read_foreign(&home.join("obsidian.json")) else { continue };
        let Ok(settings) = serde_json::from_slice::<Settings>(&bytes) else { continue };
        found.extend(settings.vaults.into_values());
    }
    found.sort_by(|a, b| b.ts.total_cmp(&a.ts));
    found.into_iter().map(|vault| vault.path).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Desk {
        root: tempfile::TempDir,
        store: Store,
    }

    fn desk() -> Desk {
        let root = tempfile::tempdir().unwrap();
        let store = Store::at(root.path().join("config"), root.path().join("data"));
        Desk { root, store }
    }

    impl Desk {
        fn folder(&self, name: &str) -> PathBuf {
            let path = self.root.path().join(name);
            std::fs::create_dir_all(&path).unwrap();
            path
        }
    }

    #[test]
    fn the_same_folder_keeps_its_key() {
        let desk = desk();
        let notes = desk.folder("notes");
        let first = locate(&desk.store, &notes).unwrap();
        assert_eq!(locate(&desk.store, &notes.join(".")).unwrap(), first);
        assert_ne!(locate(&desk.store, &desk.folder("other")).unwrap().key, first.key);
    }

    #[cfg(unix)]
    #[test]
    fn a_moved_vault_keeps_its_key_and_says_whence_it_came() {
        let desk = desk();
        let old = desk.folder("old");
        let first = locate(&desk.store, &old).unwrap();
        let new = desk.root.path().join("new");
        std::fs::rename(&old, &new).unwrap();
        let moved = locate(&desk.store, &new).unwrap();
        assert_eq!((moved.key, moved.moved_from), (first.key, Some(first.root)));
        assert_eq!(locate(&desk.store, &new).unwrap().moved_from, None);
    }

    #[test]
    fn a_copy_is_another_vault() {
        let desk = desk();
        let first = locate(&desk.store, &desk.folder("one")).unwrap();
        assert_ne!(locate(&desk.store, &desk.folder("copy")).unwrap().key, first.key);
    }

    #[test]
    fn looking_does_not_write() {
        let desk = desk();
        let notes = desk.folder("notes");
        assert_eq!(find(&desk.store, &notes).unwrap().1, None);
        assert_eq!(find(&desk.store, &notes).unwrap().1, None);
        let made = locate(&desk.store, &notes).unwrap();
        assert_eq!(find(&desk.store, &notes).unwrap().1, Some(made));
    }

    #[test]
    fn a_list_that_cannot_be_written_keeps_nobody_from_a_vault() {
        let desk = desk();
        let (listed, notes) = (locate(&desk.store, &desk.folder("listed")).unwrap(), desk.folder("notes"));
        let in_the_way = desk.root.path().join("config/.vaults.json.lock");
        std::fs::remove_file(&in_the_way).unwrap();
        std::fs::create_dir(&in_the_way).unwrap();
        // What the list knows is as it was, and nothing is said.
        assert_eq!(locate(&desk.store, &listed.root).unwrap(), listed);
        // What it does not know has one key, whoever asks, and keeps it when the list can be written again.
        let unlisted = locate(&desk.store, &notes).unwrap();
        assert!(unlisted.notice().unwrap().message.contains("vaults.json"), "{unlisted:?}");
        assert_eq!(locate(&desk.store, &notes).unwrap(), unlisted);
        assert_eq!(find(&desk.store, &notes).unwrap().1, None);
        let engine = crate::owner::open(&desk.store, &unlisted).unwrap();
        assert!(engine.info().health.contains(&unlisted.notice().unwrap()), "{:?}", engine.info().health);
        assert_eq!(engine.info().read_only, None);
        engine.close();
        assert_eq!(find(&desk.store, &notes).unwrap().1.unwrap().key, unlisted.key);
        std::fs::remove_dir(&in_the_way).unwrap();
        for _ in 0..2 {
            let again = locate(&desk.store, &notes).unwrap();
            assert_eq!((again.key, again.unlisted), (unlisted.key.clone(), None));
        }
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_home_that_holds_nothing_of_ours_leaves_a_vault_to_read() {
        let desk = desk();
        // Neither folder can be made.
        let nowhere = Path::new("/proc/vidimus");
        let store = Store::at(nowhere.join("config"), nowhere.join("data"));
        let notes = desk.folder("notes");
        std::fs::write(notes.join("a.md"), "# A\n").unwrap();
        let engine = crate::owner::open(&store, &locate(&store, &notes).unwrap()).unwrap();
        engine.catch_up();
        let info = engine.info();
        assert_eq!(info.n_notes, 1);
        assert!(info.read_only.is_some_and(|reason| reason.contains("/proc/vidimus/data")));
        engine.close();
    }

    #[test]
    fn what_is_no_folder_is_named_with_the_next_step() {
        let desk = desk();
        let missing = desk.root.path().join("nothing");
        assert!(matches!(locate(&desk.store, &missing), Err(FolderError::Missing { .. })));
        let file = desk.root.path().join("note.md");
        std::fs::write(&file, "x").unwrap();
        let error = locate(&desk.store, &file).unwrap_err();
        assert!(matches!(error, FolderError::NotAFolder { .. }));
        assert!(error.hint().contains(&desk.root.path().display().to_string()));
    }

    #[test]
    fn a_vault_is_found_by_name_only_where_it_was_opened() {
        let desk = desk();
        let open = |path: &str, at: i64| {
            let folder = locate(&desk.store, &desk.folder(path)).unwrap();
            let change = |book: &mut Book| book.vaults.last_mut().unwrap().opened_at = Some(at);
            desk.store.update(FILE, change).unwrap();
            folder.root
        };
        let (old, new, inner) = (open("a/Notes", 1), open("b/Notes", 2), open("b/Notes/inner", 3));
        locate(&desk.store, &desk.folder("c/only listed")).unwrap();
        assert_eq!(named(&desk.store, "Notes").unwrap(), [new.clone(), old.clone()]);
        assert_eq!(named(&desk.store, "notes").unwrap(), [new.clone(), old.clone()]);
        assert_eq!(named(&desk.store, "only listed").unwrap(), [""; 0].map(PathBuf::from));
        assert_eq!(around(&desk.store, &inner.join("x.md")).unwrap(), Some(inner));
        assert_eq!(around(&desk.store, &new.join("x.md")).unwrap(), Some(new));
        assert_eq!(around(&desk.store, Path::new("/x.md")).unwrap(), None);
        std::fs::remove_dir(&old).unwrap();
        assert_eq!(named(&desk.store, "Notes").unwrap().len(), 1);
    }

    #[test]
    fn the_last_vault_comes_back_unless_it_was_closed() {
        let desk = desk();
        let one = locate(&desk.store, &desk.folder("one")).unwrap();
        assert_eq!(last(&desk.store).unwrap(), None);
        opened(&desk.store, &one.key).unwrap();
        assert_eq!(last(&desk.store).unwrap(), Some(one.root.clone()));
        let two = locate(&desk.store, &desk.folder("two")).unwrap();
        opened(&desk.store, &two.key).unwrap();
        assert_eq!(last(&desk.store).unwrap(), Some(two.root.clone()));
        assert_eq!(others_open(&desk.store).unwrap(), std::slice::from_ref(&one.root));
        closed(&desk.store, &two.key).unwrap();
        assert_eq!(last(&desk.store).unwrap(), Some(one.root.clone()));
        closed(&desk.store, &one.key).unwrap();
        assert_eq!(last(&desk.store).unwrap(), None);
        assert!(others_open(&desk.store).unwrap().is_empty());
        let known = known(&desk.store).unwrap();
        assert!(known.iter().any(|vault| vault.path == one.root.display().to_string() && vault.exists));
    }
}
