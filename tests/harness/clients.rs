//! Where the clients that other people wrote are, once they are installed.

use std::path::{Path, PathBuf};

const HOW: &str = "`cargo xtask test` installs it";

/// Returns a file or folder of `tests/clients`.
pub fn foreign(path: &str) -> PathBuf {
    let found = Path::new(env!("CARGO_MANIFEST_DIR")).join("clients").join(path);
    assert!(found.exists(), "{} is missing: {HOW}", found.display());
    found
}

/// Returns the Node.js that is installed with the clients, or else the one of the system.
pub fn node() -> PathBuf {
    let system = match std::env::consts::OS {
        "macos" => "darwin",
        "windows" => "win",
        other => other,
    };
    let machine = match std::env::consts::ARCH {
        "x86_64" => "x64",
        "aarch64" => "arm64",
        other => other,
    };
    let bin = format!("clients/node_modules/node-{system}-{machine}/bin/node{}", std::env::consts::EXE_SUFFIX);
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join(bin);
    if own.is_file() { own } else { "node".into() }
}

/// Returns the Python that has the client's packages.
pub fn python() -> PathBuf {
    let bin = if cfg!(windows) { "clients/Scripts/python.exe" } else { "clients/bin/python" };
    let own = std::env::current_exe().expect("a test knows where it is");
    let found = own.ancestors().map(|folder| folder.join(bin)).find(|path| path.is_file());
    found.unwrap_or_else(|| panic!("the Python client is missing: {HOW}"))
}
