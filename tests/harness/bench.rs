//! A vault of its own for each test, with a home of its own beside it, so that no test sees another's state.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use tempfile::TempDir;

/// A vault in a temporary folder.
pub struct Bench {
    dir: TempDir,
}

impl Bench {
    /// Makes a vault from one text that has a `//- /path` line before each file.
    pub fn new(files: &str) -> Bench {
        let bench = Bench {
            dir: tempfile::Builder::new().prefix("vidimus-").tempdir().expect("a temporary folder can be made"),
        };
        for folder in ["vault", "home", "home/run"] {
            std::fs::create_dir_all(bench.dir.path().join(folder)).expect("a folder can be made");
        }
        private(&bench.dir.path().join("home/run"));
        for part in files.split("//- /").skip(1) {
            let (path, text) = part.split_once('\n').expect("a path, then its text");
            bench.write(path.trim(), text);
        }
        bench
    }

    /// Leaves everything where it is, to be looked into; returns the folder.
    pub fn keep(self) -> PathBuf {
        self.dir.keep()
    }

    /// Returns the vault's folder.
    pub fn vault(&self) -> PathBuf {
        self.dir.path().join("vault")
    }

    /// Returns the folder that stands in for the person's home.
    pub fn home(&self) -> PathBuf {
        self.dir.path().join("home")
    }

    /// Writes a file as another program would.
    pub fn write(&self, path: &str, text: &str) {
        let file = self.vault().join(path);
        std::fs::create_dir_all(file.parent().expect("a file has a folder")).expect("a folder can be made");
        std::fs::write(file, text).expect("a file can be written");
    }

    /// Reads a file of the vault.
    pub fn read(&self, path: &str) -> String {
        std::fs::read_to_string(self.vault().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
    }

    /// Returns every file of the vault with its bytes, also what a write in its middle has beside a note.
    pub fn files(&self) -> BTreeMap<String, Vec<u8>> {
        read_tree(&self.vault())
    }

    /// Returns the files below a folder that a person sees: nothing whose name begins with a dot.
    pub fn shown(&self, folder: &str) -> Vec<String> {
        let below = |path: &String| Path::new(path).starts_with(folder);
        let seen = |path: &String| !path.split('/').any(|name| name.starts_with('.'));
        self.files().into_keys().filter(|path| below(path) && seen(path)).collect()
    }

    /// Prepares the program with this bench's home, and without a display.
    pub fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(program());
        command.args(args);
        for (name, value) in self.env() {
            command.env(name, value);
        }
        for name in ["DISPLAY", "WAYLAND_DISPLAY", "DBUS_SESSION_BUS_ADDRESS"] {
            command.env_remove(name);
        }
        command
    }

    /// Returns the variables that keep the program inside this bench.
    pub fn env(&self) -> Vec<(&'static str, PathBuf)> {
        let home = self.home();
        [
            ("HOME", ""),
            ("XDG_CONFIG_HOME", "config"),
            ("XDG_DATA_HOME", "data"),
            ("XDG_CACHE_HOME", "cache"),
            ("XDG_STATE_HOME", "state"),
        ]
        .into_iter()
        .map(|(name, below)| (name, home.join(below)))
        .chain([("XDG_RUNTIME_DIR", home.join("run"))])
        .collect()
    }

    /// Runs the program to its end and returns its exit code, output and error output.
    pub fn run(&self, args: &[&str]) -> (i32, String, String) {
        let out = self.command(args).stdin(Stdio::null()).output().expect("the program starts");
        let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
        (out.status.code().unwrap_or(-1), text(out.stdout), text(out.stderr))
    }
}

/// A process that is killed when the test ends, however it ends.
pub struct Headless(pub Child);

impl Drop for Headless {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Returns the program under test: `VIDIMUS_BIN`, or what this build made.
pub fn program() -> PathBuf {
    if let Some(path) = std::env::var_os("VIDIMUS_BIN") {
        return PathBuf::from(path);
    }
    let own = std::env::current_exe().expect("a test knows where it is");
    // Tests live in target/<profile>/deps, the program beside that folder.
    let path = own.ancestors().skip(1).take(2).map(|folder| folder.join("vidimus")).find(|path| path.is_file());
    path.unwrap_or_else(|| panic!("build the program first: cargo build --workspace ({} has none)", own.display()))
}

/// Reads every file below a folder; a symbolic link stands for where it points.
///
/// What goes away while it is read, as a file does that stands beside a note for the time of a write, is left out.
pub fn read_tree(root: &Path) -> BTreeMap<String, Vec<u8>> {
    fn there<T>(read: std::io::Result<T>, what: &Path) -> Option<T> {
        match read {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => None,
            read => Some(read.unwrap_or_else(|error| panic!("{}: {error}", what.display()))),
        }
    }
    fn walk(root: &Path, folder: &Path, into: &mut BTreeMap<String, Vec<u8>>) {
        for entry in there(std::fs::read_dir(folder), folder).into_iter().flatten() {
            let path = entry.expect("an entry can be read").path();
            let name = path.strip_prefix(root).expect("it lies below").to_string_lossy().into_owned();
            if path.is_symlink() {
                let target = there(std::fs::read_link(&path), &path);
                into.extend(target.map(|target| (name, target.into_os_string().into_encoded_bytes())));
            } else if path.is_dir() {
                walk(root, &path, into);
            } else {
                into.extend(there(std::fs::read(&path), &path).map(|bytes| (name, bytes)));
            }
        }
    }
    assert!(root.is_dir(), "{} is not there", root.display());
    let mut files = BTreeMap::new();
    walk(root, root, &mut files);
    files
}

#[cfg(unix)]
fn private(folder: &Path) {
    use std::os::unix::fs::PermissionsExt;
    std::fs::set_permissions(folder, std::fs::Permissions::from_mode(0o700)).expect("a mode can be set");
}

#[cfg(not(unix))]
fn private(_folder: &Path) {}

/// Copies what lies in a folder; a symbolic link stays one.
pub fn copy(from: &Path, to: &Path) -> anyhow::Result<()> {
    std::fs::create_dir_all(to)?;
    for entry in std::fs::read_dir(from)? {
        let entry = entry?;
        let (source, target) = (entry.path(), to.join(entry.file_name()));
        if source.is_symlink() {
            std::os::unix::fs::symlink(std::fs::read_link(&source)?, &target)?;
        } else if source.is_dir() {
            copy(&source, &target)?;
        } else {
            std::fs::copy(&source, &target)?;
        }
    }
    Ok(())
}
