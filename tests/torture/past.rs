//! An engine on a torture's ground, and what a person can have back from it.

use anyhow::{Context, Result, ensure};
use engine::{ContentHash, Engine, OpenVault, RelPath};
use std::path::Path;
use std::time::Duration;

const PATIENCE: Duration = Duration::from_secs(120);

/// The list of a note's versions ends here; a torture must not need more.
const LISTED: usize = 500;

/// Opens a vault and waits until all of it is known.
pub fn open(root: &Path, state: &Path, key: &str) -> Result<Engine> {
    let cfg = OpenVault {
        root: root.to_owned(),
        state: state.to_owned(),
        name: "Torture".to_owned(),
        vault_key: key.to_owned(),
        system_trash: None,
    };
    let engine = Engine::open(cfg).context("the vault does not open")?;
    ensure!(engine.wait_indexed(PATIENCE), "the vault is not indexed after {PATIENCE:?}");
    Ok(engine)
}

/// Turns a text into a path.
pub fn rel(path: &str) -> Result<RelPath> {
    RelPath::new(path).map_err(|error| anyhow::anyhow!("{path}: {error}"))
}

/// Returns the text of every version of a note, each asked for as a person does: from the list, by its id.
///
/// A version that is listed as one to restore and gives no text, or another one, breaks the promise.
pub fn versions(engine: &Engine, path: &RelPath) -> Result<Vec<String>> {
    let texts = listed_versions(engine, path)?;
    ensure!(texts.len() < LISTED, "{path} has more versions than a list holds: the run must be spread over more notes");
    Ok(texts)
}

/// The same for a note that may have more of them than a list holds.
pub fn listed_versions(engine: &Engine, path: &RelPath) -> Result<Vec<String>> {
    let listed = engine.history(path);
    let mut texts = Vec::with_capacity(listed.len());
    for version in listed {
        let Some(hash) = version.after_hash else { continue };
        ensure!(version.restorable, "{path}: version {} ({}) cannot be restored", version.id, version.kind);
        let text = engine
            .version_text(path, &version.id)
            .with_context(|| format!("{path}: version {} ({})", version.id, version.kind))?;
        ensure!(
            ContentHash::of(text.as_bytes()).to_string() == hash,
            "{path}: version {} ({}) gives another text than it lists",
            version.id,
            version.kind
        );
        texts.push(text);
    }
    Ok(texts)
}
