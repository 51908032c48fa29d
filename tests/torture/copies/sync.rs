//! A sync tool as most are: it remembers what both sides last agreed on, carries over what one side changed, lets the
//! newer win where both did, and leaves the other beside it under another name.

use anyhow::{Context, Result};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::time::SystemTime;

/// A file as the tool sees it.
#[derive(Debug, Clone)]
pub struct Seen {
    pub text: String,
    changed: SystemTime,
}

/// What both sides last agreed on.
pub struct Base(BTreeMap<String, String>);

/// What a merge did.
#[derive(Debug, Default)]
pub struct Merged {
    pub carried: usize,
    pub removed: usize,
    pub conflicts: usize,
}

impl Base {
    /// Takes a folder as agreed on.
    pub fn of(root: &Path) -> Result<Base> {
        Ok(Base(files(root)?.into_iter().map(|(path, seen)| (path, seen.text)).collect()))
    }
}

impl Merged {
    /// Adds another merge's figures.
    pub fn add(&mut self, other: Merged) {
        self.carried += other.carried;
        self.removed += other.removed;
        self.conflicts += other.conflicts;
    }
}

/// Makes both folders the same.
pub fn merge(left: &Path, right: &Path, base: &mut Base, round: usize) -> Result<Merged> {
    let sides = [(left, files(left)?), (right, files(right)?)];
    let paths: BTreeSet<&String> = sides.iter().flat_map(|(_, files)| files.keys()).chain(base.0.keys()).collect();
    let mut merged = Merged::default();
    for path in paths {
        let [one, other] = [0, 1].map(|side: usize| sides[side].1.get(path));
        let agreed = base.0.get(path);
        let text = |seen: Option<&Seen>| seen.map(|seen| seen.text.clone());
        if text(one) == text(other) {
            continue;
        }
        let is_changed = |seen: Option<&Seen>| seen.map(|seen| &seen.text) != agreed;
        let from = match (is_changed(one), is_changed(other)) {
            (true, false) => 0,
            (false, true) => 1,
            // Both changed: what is there wins over a removal, the newer over the older.
            _ => match (one, other) {
                (Some(one), Some(other)) => usize::from(other.changed > one.changed),
                (one, _) => usize::from(one.is_none()),
            },
        };
        let (winner, loser) = (sides[from].1.get(path), sides[1 - from].1.get(path));
        if let (Some(_), Some(loser)) = (winner, loser)
            && is_changed(Some(loser))
            && is_changed(winner)
        {
            let stem = path.strip_suffix(".md").unwrap_or(path);
            let copy = format!("{stem} (conflict {round}).md");
            for (root, _) in &sides {
                put(root, &copy, loser)?;
            }
            merged.conflicts += 1;
        }
        let to = sides[1 - from].0;
        match winner {
            Some(winner) => {
                put(to, path, winner)?;
                merged.carried += 1;
            }
            None => {
                std::fs::remove_file(to.join(path))?;
                merged.removed += 1;
            }
        }
    }
    *base = Base::of(left)?;
    let right = Base::of(right)?;
    anyhow::ensure!(base.0 == right.0, "the folders differ after a merge, which is the sync tool's own fault");
    Ok(merged)
}

/// Puts a file there under a temporary name, and then in its place, with its time.
fn put(root: &Path, path: &str, seen: &Seen) -> Result<()> {
    let file = root.join(path);
    let folder = file.parent().context("a file has a folder")?;
    std::fs::create_dir_all(folder)?;
    let beside = folder.join(".sync.partial");
    std::fs::write(&beside, &seen.text)?;
    std::fs::File::options().write(true).open(&beside)?.set_modified(seen.changed)?;
    std::fs::rename(beside, &file).with_context(|| format!("cannot write {path}"))
}

/// Reads a folder, but for hidden files other than the trash.
pub fn files(root: &Path) -> Result<BTreeMap<String, Seen>> {
    let mut found = BTreeMap::new();
    let mut folders = vec![String::new()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(root.join(&folder))? {
            let entry = entry?;
            let path = format!("{folder}{}", entry.file_name().to_string_lossy());
            let metadata = entry.metadata()?;
            if metadata.is_dir() {
                folders.push(format!("{path}/"));
            } else {
                let text = std::fs::read_to_string(entry.path())?;
                found.insert(path, Seen { text, changed: metadata.modified()? });
            }
        }
    }
    Ok(found)
}
