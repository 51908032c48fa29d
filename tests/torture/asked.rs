//! What was asked for on the command line, and the ground on which it happens.

use crate::chance::Chance;
use anyhow::{Context, Result, bail};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use tempfile::TempDir;

/// How much, how long, and from which seed.
pub struct Asked {
    count: Option<usize>,
    seconds: Option<u64>,
    seed: u64,
    /// How many times as long as it wrote the other program rests, so that a slow build gets anywhere beside it.
    pub rest: u32,
}

impl Asked {
    /// Reads the options behind the name of a torture.
    pub fn parse(mut args: impl Iterator<Item = String>) -> Result<Asked> {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_nanos() as u64);
        let mut asked = Asked { count: None, seconds: None, seed: now % 1_000_000, rest: 0 };
        while let Some(arg) = args.next() {
            let value = args.next().with_context(|| format!("`{arg}` takes a number"))?;
            let value: u64 = value.parse().with_context(|| format!("not a number: `{value}`"))?;
            match arg.as_str() {
                "--count" => asked.count = Some(usize::try_from(value)?),
                "--seconds" => asked.seconds = Some(value),
                "--seed" => asked.seed = value,
                "--rest" => asked.rest = u32::try_from(value)?,
                _ => bail!("unknown option `{arg}`"),
            }
        }
        Ok(asked)
    }

    /// Returns how often, unless it was said.
    pub fn count(&self, full: usize) -> usize {
        self.count.unwrap_or(full)
    }

    /// Returns how long at least, unless it was said.
    pub fn at_least(&self, full: u64) -> Duration {
        Duration::from_secs(self.seconds.unwrap_or(full))
    }

    /// Returns the choices of this run, and says how to have them again.
    pub fn chance(&self) -> Chance {
        println!("  --seed {}", self.seed);
        Chance::new(self.seed)
    }
}

/// A temporary folder that stays when the run that it was made for fails.
pub struct Ground {
    dir: Option<TempDir>,
}

impl Ground {
    /// Makes a folder.
    pub fn new(what: &str) -> Result<Ground> {
        Ok(Ground { dir: Some(tempfile::Builder::new().prefix(&format!("vidimus-{what}-")).tempdir()?) })
    }

    /// Returns a path in it.
    pub fn path(&self, below: &str) -> PathBuf {
        self.dir.as_ref().map_or_else(PathBuf::new, |dir| dir.path().join(below))
    }

    /// Ends the run: the folder goes if all was well, and is named if not.
    pub fn end(mut self, outcome: Result<()>) -> Result<()> {
        if outcome.is_err()
            && let Some(dir) = self.dir.take()
        {
            return outcome.with_context(|| format!("see {}", dir.keep().display()));
        }
        outcome
    }
}

/// Writes a file and the folders above it.
pub fn write(root: &Path, path: &str, text: &str) -> Result<()> {
    let file = root.join(path);
    if let Some(folder) = file.parent() {
        std::fs::create_dir_all(folder)?;
    }
    std::fs::write(&file, text).with_context(|| format!("cannot write {path}"))
}
