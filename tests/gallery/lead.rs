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
    /// Returns the heading with the most links whose note and title there is one of; in a vault without such links, the
    /// first heading of the note with the most headings.
    pub fn of(vault: &Path) -> Option<Lead> {
        let mut notes: BTreeMap<String, String> = BTreeMap::new();
        gather(vault, vault, &mut notes);
        let mut linked: BTreeMap<(&str, &str), usize> = BTreeMap::new();
        for (note, heading) in notes.values().flat_map(|text| links(text)) {
            *linked.entry((note, heading)).or_default() += 1;
        }
        let mut most: Vec<_> = linked.into_iter().collect();
        most.sort_by_key(|(_, n)| std::cmp::Reverse(*n));
        let linked = most.into_iter().find_map(|((note, heading), _)| {
            let is_called = |path: &&String| path.rsplit('/').next() == Some(&format!("{note}.md"));
            let mut named = notes.keys().filter(is_called);
            let (path, None) = (named.next()?, named.next()) else { return None };
            sections(&notes[path]).contains(&heading).then(|| Lead::at(path, heading))
        });
        let longest = || {
            let (path, titles) =
                notes.iter().map(|(path, text)| (path, sections(text))).max_by_key(|(_, t)| t.len())?;
            Some(Lead::at(path, titles.first()?))
        };
        linked.or_else(longest)
    }

    fn at(path: &str, heading: &str) -> Lead {
        let name = path.rsplit('/').next().unwrap_or(path).trim_end_matches(".md");
        Lead { path: path.to_owned(), name: name.to_owned(), heading: heading.to_owned() }
    }

    /// Returns a word to search for.
    pub fn word(&self) -> &str {
        self.name.split_whitespace().max_by_key(|word| word.len()).unwrap_or(&self.name)
    }
}

/// Returns the titles below the first level that stand once in a text.
fn sections(text: &str) -> Vec<&str> {
    let titles = text.lines().filter(|line| line.starts_with("##")).map(|line| line.trim_start_matches('#').trim());
    let n = |title: &str| text.lines().filter(|line| line.trim_start_matches('#').trim() == title).count();
    titles.filter(|title| !title.is_empty() && n(title) == 1).collect()
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
