//! Links that a person is about to write: which notes they may lead to, and how the vault writes them.

use crate::View;
use crate::find::n32;
use index::{Entry, FileKind};
use note::RelPath;
use serde::{Deserialize, Serialize};

/// A note that a link may lead to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct LinkOffer {
    pub path: String,
    /// The file name without its extension.
    pub title: String,
    /// The alias that matched, when it was not the name.
    pub alias: Option<String>,
}

impl View {
    /// Lists the notes that a link may lead to, best first; with no query those that changed last. Notes that the vault
    /// excludes come after all others.
    pub fn link_offers(&self, query: &str, limit: usize) -> Vec<LinkOffer> {
        let mut offers = if query.trim().is_empty() { self.newest(limit) } else { self.named(query, limit) };
        // Sorting keeps the order of equals.
        offers.sort_by_key(|(path, _)| self.index.is_ignored(path));
        offers.truncate(limit);
        offers
            .into_iter()
            .map(|(path, alias)| LinkOffer { title: path.stem().to_owned(), path: path.as_str().to_owned(), alias })
            .collect()
    }

    /// Returns the notes that were written last, those that are excluded behind all others.
    pub(crate) fn newest(&self, limit: usize) -> Vec<(RelPath, Option<String>)> {
        let mut all: Vec<&Entry> = self.index.files().filter(|entry| entry.kind == FileKind::Note).collect();
        all.sort_by_key(|entry| {
            (self.index.is_ignored(&entry.path), std::cmp::Reverse(entry.stat.mtime_ns), entry.path.clone())
        });
        all.into_iter().take(limit).map(|entry| (entry.path.clone(), None)).collect()
    }

    fn named(&self, query: &str, limit: usize) -> Vec<(RelPath, Option<String>)> {
        // More than are asked for, because those that are excluded give way.
        let hits = self.quick(query, limit.saturating_mul(4));
        hits.into_iter().filter_map(|hit| Some((RelPath::new(&hit.path).ok()?, hit.matched))).collect()
    }

    /// Writes a link from one note to another as the vault's own settings want it. `subpath` begins with `#`.
    ///
    /// A name that no wikilink can say is written as a Markdown link.
    pub fn new_link(&self, from: &RelPath, to: &RelPath, subpath: Option<&str>, shown: Option<&str>) -> String {
        let target = if from == to && subpath.is_some() { String::new() } else { self.link_path(from, to) };
        let subpath = subpath.unwrap_or_default();
        if self.flag("useMarkdownLinks") || target.contains(['|', '#', '^', '[', ']']) {
            let words = || if subpath.is_empty() { to.stem() } else { subpath.trim_start_matches(['#', '^']) };
            let extension = if target.is_empty() || !has_extension(to) { "" } else { ".md" };
            let block = subpath.strip_prefix("#^").map(|id| format!("#^{id}"));
            let heading = || subpath.strip_prefix('#').map(|heading| format!("#{}", encoded(heading)));
            let anchor = block.or_else(heading).unwrap_or_default();
            return format!("[{}]({}{extension}{anchor})", shown.unwrap_or_else(words), encoded(&target));
        }
        // A path is more than a reader wants to see.
        let name = (shown.is_none() && subpath.is_empty() && target.contains('/')).then(|| to.stem());
        match shown.or(name).filter(|shown| *shown != target) {
            Some(shown) => format!("[[{target}{subpath}|{shown}]]"),
            None => format!("[[{target}{subpath}]]"),
        }
    }

    /// The path of a link, without the extension of a note.
    pub(crate) fn link_path(&self, from: &RelPath, to: &RelPath) -> String {
        let full = to.as_str().strip_suffix(".md").unwrap_or(to.as_str());
        let name = if to.is_note() { to.stem() } else { to.file_name() };
        match self.setting("newLinkFormat").as_deref() {
            Some("absolute") => full.to_owned(),
            Some("relative") => relative(from, full),
            _ if self.index.resolve(name, from).as_ref() == Some(to) => name.to_owned(),
            _ => full.to_owned(),
        }
    }
}

fn has_extension(path: &RelPath) -> bool {
    path.as_str().ends_with(".md")
}

fn relative(from: &RelPath, to: &str) -> String {
    let own: Vec<&str> = from.parent().split('/').filter(|name| !name.is_empty()).collect();
    let wanted: Vec<&str> = to.split('/').collect();
    let n_same = own.iter().zip(&wanted[..wanted.len() - 1]).take_while(|(a, b)| a == b).count();
    let ups = std::iter::repeat_n("..", own.len() - n_same);
    ups.chain(wanted[n_same..].iter().copied()).collect::<Vec<_>>().join("/")
}

/// A path in a Markdown link: whatever Markdown or a link could take for its own is percent-encoded.
pub(crate) fn encoded(path: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || !c.is_ascii() || matches!(c, '-' | '_' | '.' | '/' | '~' | ',' | '\'');
    path.chars().map(|c| if plain(c) { c.to_string() } else { format!("%{:02X}", n32(c as usize)) }).collect()
}
