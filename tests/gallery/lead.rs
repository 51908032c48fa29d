//! The heading of a vault that most links lead to: its note has something to show on every screen.

use std::collections::BTreeMap;
use std::path::Path;

pub struct Lead {
    /// Where the note is in its vault.
    pub path: String,
    /// What the note is called.
    pub name: String,
    pub heading: String,
}

impl Lead {
    /// Returns the heading with the most links whose note and title there is one of.
    pub fn of(vault: &Path) -> Option<Lead> {
        let mut notes: BTreeMap<String, String> = BTreeMap::new();
        gather(vault, vault, &mut notes);
        let mut linked: BTreeMap<(&str, &str), usize> = BTreeMap::new();
        for (note, heading) in notes.values().flat_map(|text| links(text)) {
            *linked.entry((note, heading)).or_default() += 1;
        }
        let mut most: Vec<_> = linked.into_iter().collect();
        most.sort_by_key(|(_, n)| std::cmp::Reverse(*n));
        most.into_iter().find_map(|((note, heading), _)| {
            let is_called = |path: &&String| path.rsplit('/').next() == Some(&format!("{note}.md"));
            let mut named = notes.keys().filter(is_called);
            let (path, None) = (named.next()?, named.next()) else { return None };
            let titles = notes[path].lines().filter(|line| line.trim_start_matches('#').trim() == heading);
            let is_section = titles.clone().count() == 1 && titles.clone().all(|line| line.starts_with("##"));
            is_section.then(|| Lead { path: path.clone(), name: note.to_owned(), heading: heading.to_owned() })
        })
    }

    /// Returns a word to search for.
    pub fn word(&self) -> &str {
        self.name.split_whitespace().max_by_key(|word| word.len()).unwrap_or(&self.name)
    }
}

/// Returns the note and the heading of each wikilink to a heading of another note.
fn links(text: &str) -> impl Iterator<Item = (&str, &str)> {
    text.split("[[").skip(1).filter_map(|rest| {
        let link = rest.split_once("]]")?.0.split('|').next()?;
        let (note, heading) = link.split_once('#')?;
        let name = note.rsplit('/').next()?;
        (!name.is_empty() && !heading.contains(['#', '^'])).then_some((name, heading))
    })
}

fn gather(root: &Path, dir: &Path, notes: &mut BTreeMap<String, String>) {
    for entry in std::fs::read_dir(dir).into_iter().flatten().flatten() {
        let path = entry.path();
        if entry.file_name().to_string_lossy().starts_with('.') {
            continue;
        }
        if path.is_dir() {
            gather(root, &path, notes);
        } else if path.extension().is_some_and(|end| end == "md")
            && let (Ok(text), Ok(inside)) = (std::fs::read_to_string(&path), path.strip_prefix(root))
        {
            notes.insert(inside.to_string_lossy().into_owned(), text);
        }
    }
}
