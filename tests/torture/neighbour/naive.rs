//! A commit as most programs make it: read, plan, then for each file look once more, write a new file and rename it over.
//!
//! It keeps every text that it read, which is more than most do, and still loses what comes after the look.

use super::{Group, Renamer, lines_in};
use crate::asked::Ground;
use anyhow::Result;
use std::collections::{BTreeSet, HashSet};
use std::fs::File;
use std::io::Write;
use std::path::PathBuf;

pub(super) struct Naive {
    vault: PathBuf,
    n_renames: usize,
    n_conflicts: usize,
    in_versions: HashSet<u32>,
}

impl Naive {
    pub(super) fn new(ground: &Ground) -> Result<Naive> {
        Ok(Naive { vault: ground.path("vault"), n_renames: 0, n_conflicts: 0, in_versions: HashSet::new() })
    }

    fn read(&mut self, note: &str) -> Result<Vec<u8>> {
        let text = std::fs::read(self.vault.join(note))?;
        self.in_versions.extend(lines_in(&text));
        Ok(text)
    }

    fn replace(&mut self, note: &str, before: &[u8], after: &str) -> Result<bool> {
        if blake3::hash(&self.read(note)?) != blake3::hash(before) {
            return Ok(false);
        }
        let file = self.vault.join(note);
        let beside = file.with_file_name(".naive.tmp");
        let mut new = File::create(&beside)?;
        new.write_all(after.as_bytes())?;
        new.sync_all()?;
        std::fs::rename(beside, file)?;
        Ok(true)
    }
}

impl Renamer for Naive {
    fn rename(&mut self, group: Group) -> Result<bool> {
        let lead = String::from_utf8(self.read(&group.lead())?)?;
        let Some(old) = lead.lines().find_map(|line| line.strip_prefix("## ")).map(str::to_owned) else {
            return Ok(false);
        };
        let new = format!("Part {}", self.n_renames);
        let change = |text: &str| {
            text.replacen(&format!("## {old}\n"), &format!("## {new}\n"), 1)
                .replace(&group.links(&old), &group.links(&new))
        };
        let mut n_changed = 0;
        for note in group.notes() {
            let before = self.read(&note)?;
            let after = change(std::str::from_utf8(&before)?);
            if after.as_bytes() == before {
                continue;
            }
            if !self.replace(&note, &before, &after)? {
                self.n_conflicts += 1;
                return Ok(false);
            }
            n_changed += 1;
        }
        self.n_renames += 1;
        Ok(n_changed > 0)
    }

    fn end(self, _notes: &BTreeSet<String>) -> Result<HashSet<u32>> {
        Ok(self.in_versions)
    }

    fn met(&self) -> String {
        format!("a naive commit ({} conflicts)", self.n_conflicts)
    }
}
