//! The program's own files: settings, known vaults, the agents' list, and a state folder for each vault.
//!
//! This is the one file of the crate that names `std::fs`, and it is never handed a path inside a vault.

use serde::{Serialize, de::DeserializeOwned};
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// The longest path that a Unix socket can have on every system we run on, less some room.
const LONGEST_SOCKET: usize = 100;

/// The two folders that belong to the program and not to any vault.
#[derive(Debug, Clone)]
pub struct Store {
    config: PathBuf,
    data: PathBuf,
}

/// Why one of the program's own files could not be used.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    #[error("this account has no folder for application data")]
    NoHome,
    #[error("cannot read `{}`: {source}", path.display())]
    Read { path: PathBuf, source: io::Error },
    #[error("cannot write `{}`: {source}", path.display())]
    Write { path: PathBuf, source: io::Error },
    #[error("`{}` is not what this program wrote there: {source}", path.display())]
    Malformed { path: PathBuf, source: serde_json::Error },
}

impl StoreError {
    /// Returns the next step for a person.
    pub fn hint(&self) -> &'static str {
        match self {
            StoreError::NoHome => "set HOME (or XDG_CONFIG_HOME and XDG_DATA_HOME) and start again",
            StoreError::Read { .. } | StoreError::Write { .. } => {
                "check the folder's permissions and the space left on the disk"
            }
            StoreError::Malformed { .. } => "mend the file, or move it away to start with a fresh one",
        }
    }
}

impl Store {
    /// Finds the folders of the account that runs the program.
    pub fn of_this_account() -> Result<Store, StoreError> {
        let config = dirs::config_dir().ok_or(StoreError::NoHome)?.join("vidimus");
        let data = dirs::data_local_dir().ok_or(StoreError::NoHome)?.join("vidimus");
        Ok(Store { config, data })
    }

    /// Finds the desktop's trash, where it is a folder that programs may write (freedesktop.org, Trash specification 1.0).
    pub fn system_trash(&self) -> Option<PathBuf> {
        let is_folder = cfg!(all(unix, not(target_os = "macos")));
        self.data.parent().filter(|_| is_folder).map(|shared| shared.join("Trash"))
    }

    /// Adds a program to those that the desktop knows (freedesktop.org, Desktop Entry Specification), and returns the folder
    /// of them.
    pub fn add_desktop_entry(&self, name: &str, text: &str) -> io::Result<PathBuf> {
        let entries = self.data.with_file_name("applications");
        fs::create_dir_all(&entries)?;
        fs::write(entries.join(name), text)?;
        Ok(entries)
    }

    /// Uses the given folders.
    #[cfg(test)]
    pub fn at(config: PathBuf, data: PathBuf) -> Store {
        Store { config, data }
    }

    /// Reads one of the configuration files; a missing one is the default.
    pub fn read<T: DeserializeOwned + Default>(&self, name: &str) -> Result<T, StoreError> {
        let path = self.config.join(name);
        match fs::read(&path) {
            Ok(bytes) => serde_json::from_slice(&bytes).map_err(|source| StoreError::Malformed { path, source }),
            Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
                Ok(T::default())
            }
            Err(source) => Err(StoreError::Read { path, source }),
        }
    }

    /// Changes one of the configuration files. Several processes of ours may do so at once: each waits for its turn
    /// and reads what the last one wrote.
    pub fn update<T, R>(&self, name: &str, change: impl FnOnce(&mut T) -> R) -> Result<R, StoreError>
    where
        T: Serialize + DeserializeOwned + Default,
    {
        let path = self.config.join(name);
        let failed = |source| StoreError::Write { path: path.clone(), source };
        create_private_dir(&self.config).map_err(failed)?;
        let turn = private_file(&self.config.join(format!(".{name}.lock")), false).map_err(failed)?;
        turn.lock().map_err(failed)?;
        let mut value: T = self.read(name)?;
        let result = change(&mut value);
        let mut bytes = serde_json::to_vec_pretty(&value).map_err(|error| failed(error.into()))?;
        bytes.push(b'\n');
        write_private(&path, &bytes).map_err(failed)?;
        Ok(result)
    }

    /// Returns the folder that holds the journal, the texts, the index, the lock and the socket of one vault.
    ///
    /// Where it cannot be made, the vault can be read all the same, and whoever opens it says why it is not written.
    pub fn state_folder(&self, key: &str) -> PathBuf {
        let path = self.data.join("vaults").join(key);
        let _ = create_private_dir(&path);
        path
    }

    /// Returns the folder that holds the reports of what went wrong. Where it cannot be made, none is kept.
    pub fn reports_folder(&self) -> PathBuf {
        let path = self.data.join("reports");
        let _ = create_private_dir(&path);
        path
    }

    /// Says whether a vault has been opened under a key.
    pub fn has_state(&self, key: &str) -> bool {
        self.data.join("vaults").join(key).is_dir()
    }

    /// Returns where the owner of a vault listens for other processes of this account.
    ///
    /// It lies in the vault's state folder, except where that path would be too long for a socket, or cannot be made.
    pub fn sockets(&self, key: &str) -> Sockets {
        let folder = self.state_folder(key);
        let beside = Sockets::in_folder(&folder);
        if beside.control.as_os_str().len() <= LONGEST_SOCKET && folder.is_dir() {
            return beside;
        }
        let short = dirs::runtime_dir().unwrap_or_else(std::env::temp_dir).join(format!("vidimus-{key}"));
        // Where this cannot be made either, nobody can listen, and that is told then.
        let _ = create_private_dir(&short);
        Sockets::in_folder(&short)
    }
}

/// Where the owner of a vault listens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sockets {
    /// For agents: MCP.
    pub agents: PathBuf,
    /// For the program's own commands.
    pub control: PathBuf,
}

impl Sockets {
    fn in_folder(folder: &Path) -> Sockets {
        Sockets { agents: folder.join("agents.sock"), control: folder.join("control.sock") }
    }
}

/// Reads a file of another program's settings, if it is there and readable.
pub fn read_foreign(path: &Path) -> io::Result<Option<Vec<u8>>> {
    match fs::metadata(path) {
        // A pipe would be waited for, a device read without end.
        Ok(metadata) if !metadata.is_file() => Err(io::Error::new(io::ErrorKind::InvalidInput, "it is no file")),
        Ok(_) => fs::read(path).map(Some),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// Replaces a file of another program's settings whole, keeping its mode and, where there was one, a copy of the old
/// text beside it. A link stays a link: what it points to is replaced.
pub fn write_foreign(path: &Path, bytes: &[u8]) -> io::Result<Option<PathBuf>> {
    let real = path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
    if let Some(parent) = real.parent() {
        fs::create_dir_all(parent)?;
    }
    let kept = match fs::metadata(&real) {
        // Whoever made it so, perhaps by another tool that writes it, does not want it changed.
        Ok(metadata) if metadata.permissions().readonly() => return Err(io::ErrorKind::PermissionDenied.into()),
        Ok(_) => {
            let kept = backup_of(&real);
            // A link of that name would have what it points to written over.
            match fs::remove_file(&kept) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                _ => fs::copy(&real, &kept)?,
            };
            Some(kept)
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => return Err(error),
    };
    let mut temp = real.file_name().unwrap_or_default().to_os_string();
    temp.push(".vidimus-new");
    let temp = real.with_file_name(temp);
    write_private(&temp, bytes)?;
    if let Ok(metadata) = fs::metadata(&real) {
        fs::set_permissions(&temp, metadata.permissions())?;
    }
    fs::rename(&temp, &real)?;
    Ok(kept)
}

/// Removes a file of another program's settings in which nothing stood but what was written here.
pub fn remove_foreign(path: &Path) -> io::Result<()> {
    fs::remove_file(path)
}

/// Writes a file that the person asked for, wherever they want it.
pub fn write_whole(path: &Path, bytes: &[u8]) -> io::Result<()> {
    fs::write(path, bytes)
}

/// Writes a file of the program's own into a folder that is there: whole or not at all.
pub fn write_own(path: &Path, bytes: &[u8]) -> io::Result<()> {
    write_private(path, bytes)
}

/// Names the copy of a settings file as it was before it was written.
pub fn backup_of(path: &Path) -> PathBuf {
    let real = path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
    let mut name = real.file_name().unwrap_or_default().to_os_string();
    name.push(".before-vidimus");
    real.with_file_name(name)
}

/// Writes a file that only this account may read: the old bytes or the new ones, never half.
fn write_private(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut name = path.file_name().unwrap_or_default().to_os_string();
    name.push(format!(".{}.tmp", std::process::id()));
    let temp = path.with_file_name(name);
    let written = private_file(&temp, true).and_then(|mut file| {
        file.write_all(bytes)?;
        file.sync_all()
    });
    match written.and_then(|()| fs::rename(&temp, path)) {
        Ok(()) => Ok(()),
        Err(error) => {
            let _ = fs::remove_file(&temp);
            Err(error)
        }
    }
}

fn private_file(path: &Path, truncate: bool) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(truncate);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

fn create_private_dir(path: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn store(root: &Path) -> Store {
        Store::at(root.join("config"), root.join("data"))
    }

    #[test]
    fn updates_of_several_threads_all_arrive() {
        let root = tempfile::tempdir().unwrap();
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    for _ in 0..5 {
                        store(root.path()).update("numbers.json", |numbers: &mut Vec<u32>| numbers.push(1)).unwrap();
                    }
                });
            }
        });
        let numbers: Vec<u32> = store(root.path()).read("numbers.json").unwrap();
        assert_eq!(numbers.len(), 40);
    }

    #[cfg(unix)]
    #[test]
    fn files_and_folders_are_for_this_account_only() {
        use std::os::unix::fs::PermissionsExt;
        let root = tempfile::tempdir().unwrap();
        let store = store(root.path());
        store.update("agents.json", |all: &mut Vec<u32>| all.push(1)).unwrap();
        let mode = |path: PathBuf| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(root.path().join("config/agents.json")), 0o600);
        assert_eq!(mode(store.state_folder("01A")), 0o700);
    }

    #[test]
    fn a_broken_file_is_named_and_left_alone() {
        let root = tempfile::tempdir().unwrap();
        fs::create_dir_all(root.path().join("config")).unwrap();
        fs::write(root.path().join("config/vaults.json"), "{oh").unwrap();
        let store = store(root.path());
        let error = store.update("vaults.json", |all: &mut Vec<u32>| all.push(1)).unwrap_err();
        assert!(matches!(error, StoreError::Malformed { .. }));
        assert_eq!(fs::read_to_string(root.path().join("config/vaults.json")).unwrap(), "{oh");
    }

    #[test]
    fn a_socket_path_is_short_enough_for_the_system() {
        let root = tempfile::tempdir().unwrap();
        let deep = root.path().join("d".repeat(120));
        let sockets = Store::at(deep.clone(), deep).sockets("01ARZ3NDEKTSV4RRFFQ69G5FAV");
        for socket in [sockets.agents, sockets.control] {
            assert!(socket.as_os_str().len() <= LONGEST_SOCKET, "{}", socket.display());
        }
    }

    #[test]
    fn another_programs_file_is_kept_beside_its_new_text() {
        let root = tempfile::tempdir().unwrap();
        let path = root.path().join("mcp.json");
        assert_eq!(write_foreign(&path, b"{}").unwrap(), None);
        let kept = write_foreign(&path, b"{\"a\":1}").unwrap().unwrap();
        assert_eq!(fs::read(kept).unwrap(), b"{}");
        assert_eq!(fs::read(&path).unwrap(), b"{\"a\":1}");
    }
}
