//! The link graph.
//!
//! What a link means can change without a change of the note that holds it: a file with a better
//! claim to the name appears, or the one that had it goes. So the graph stores no answers. It files
//! each note under the last segments of its link targets, which nothing elsewhere can alter, and
//! resolves on demand.

use std::collections::BTreeSet;

use note::{RelPath, fold};

use crate::catalog::Catalog;
use crate::entry::{Entry, LinkFact};

/// A link to a file, seen from that file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Backlink {
    /// The note or canvas that holds the link.
    pub from: RelPath,
    /// The place of the link in the `links` of that file's entry.
    pub link: usize,
    /// The link itself.
    pub fact: LinkFact,
}

/// A link that means no file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unresolved {
    /// The note or canvas that holds the link.
    pub from: RelPath,
    /// The place of the link in the `links` of that file's entry.
    pub link: usize,
    /// The link itself.
    pub fact: LinkFact,
}

impl Catalog {
    /// Every link to `to`, links within it included, ordered by path and place.
    pub(crate) fn backlinks(&self, to: &RelPath) -> Vec<Backlink> {
        let keys = keys_of(to);
        let mut found = Vec::new();
        for from in self.sources(to, &keys) {
            let Some(entry) = self.entry(&from) else {
                continue;
            };
            for (link, fact) in self.links_to(entry, to, &keys) {
                found.push(Backlink { from: from.clone(), link, fact: fact.clone() });
            }
        }
        found
    }

    /// The files with a link to `to`, in path order; `to` itself if it links to itself.
    pub(crate) fn linking_notes(&self, to: &RelPath) -> Vec<RelPath> {
        let keys = keys_of(to);
        let links =
            |from: &RelPath| self.entry(from).is_some_and(|entry| self.links_to(entry, to, &keys).next().is_some());
        self.sources(to, &keys).into_iter().filter(links).collect()
    }

    /// The files with a link that names a file as `to` is named, wherever it leads, in path order.
    pub(crate) fn naming_notes(&self, to: &RelPath) -> Vec<RelPath> {
        let keys = keys_of(to);
        let notes: BTreeSet<&RelPath> = keys.iter().flat_map(|key| self.by_link.paths(key.as_str())).collect();
        notes.into_iter().cloned().collect()
    }

    /// The notes with a link inside a comment that may mean `to`, in path order.
    pub(crate) fn commenting_notes(&self, to: &RelPath) -> Vec<RelPath> {
        let keys = keys_of(to);
        let notes: BTreeSet<&RelPath> =
            keys.iter().flat_map(|key| self.by_name_in_comment.paths(key.as_str())).collect();
        notes.into_iter().cloned().collect()
    }

    /// Every link that means no file, in the files that `within` admits.
    pub(crate) fn unresolved(&self, within: impl Fn(&RelPath) -> bool) -> Vec<Unresolved> {
        let mut found = Vec::new();
        for (from, entry) in self.entries.iter().filter(|(path, _)| within(path)) {
            for (link, fact) in entry.links.iter().enumerate() {
                if self.resolve(&fact.target, from).is_none() {
                    found.push(Unresolved { from: from.clone(), link, fact: fact.clone() });
                }
            }
        }
        found.sort_by(|a, b| (&a.from, a.link).cmp(&(&b.from, b.link)));
        found
    }

    /// The files that may link to `to`, and `to` itself for links without a path.
    fn sources(&self, to: &RelPath, keys: &[String]) -> BTreeSet<RelPath> {
        let named = keys.iter().flat_map(|key| self.by_link.paths(key.as_str()));
        named.chain([to]).cloned().collect()
    }

    fn links_to<'c>(
        &'c self,
        from: &'c Entry,
        to: &'c RelPath,
        keys: &'c [String],
    ) -> impl Iterator<Item = (usize, &'c LinkFact)> {
        from.links.iter().enumerate().filter(move |(_, link)| {
            if link.target.is_empty() {
                return from.path == *to;
            }
            keys.contains(&link.key()) && self.resolve(&link.target, &from.path).as_ref() == Some(to)
        })
    }
}

/// The last segments by which a link can name this file.
fn keys_of(path: &RelPath) -> Vec<String> {
    let mut keys = vec![fold(path.file_name())];
    if path.is_note() {
        keys.push(fold(path.stem()));
    }
    keys
}

#[cfg(test)]
mod tests {
    use crate::fixture::{Vault, rel};

    /// The backlinks as `from:line target`.
    fn backlinks(vault: &Vault, to: &str) -> Vec<String> {
        let found = vault.view().backlinks(&rel(to));
        found.iter().map(|link| format!("{}:{} {}", link.from, link.fact.line, link.fact.target)).collect()
    }

    #[test]
    fn every_form_counts() {
        let vault = Vault::new(&[
            ("n.md", "# N\n\n[[#N]]\n"),
            ("l.md", "---\nup: \"[[n]]\"\n---\n[[n#N|x]] ![[N.md]]\n\n[t](n.md#N) `[[n]]`\n\n[d]: n.md\n"),
            ("other.md", "[[o]] [[m]]\n"),
        ]);
        assert_eq!(
            backlinks(&vault, "n.md"),
            ["l.md:2 n", "l.md:4 n", "l.md:4 N.md", "l.md:6 n.md", "l.md:8 n.md", "n.md:3 "]
        );
        assert_eq!(vault.view().linking_notes(&rel("n.md")), [rel("l.md"), rel("n.md")]);
        assert_eq!(vault.view().linking_notes(&rel("other.md")), []);
        assert_eq!(vault.view().naming_notes(&rel("was/here/N.md")), [rel("l.md")]);
        assert_eq!(vault.view().naming_notes(&rel("other.md")), []);
    }

    #[test]
    fn links_follow_the_files_that_come_and_go() {
        let mut vault = Vault::new(&[("x/l.md", "[[Note]] [[sub/Note]]\n")]);
        assert_eq!(vault.view().unresolved("").len(), 2);
        vault.tell(&[("a/sub/Note.md", "")]);
        assert_eq!(backlinks(&vault, "a/sub/Note.md"), ["x/l.md:1 Note", "x/l.md:1 sub/Note"]);
        vault.tell(&[("x/Note.md", "")]);
        assert_eq!(backlinks(&vault, "x/Note.md"), ["x/l.md:1 Note"]);
        assert_eq!(backlinks(&vault, "a/sub/Note.md"), ["x/l.md:1 sub/Note"]);
        vault.tell(&[("Note.md", "")]);
        assert_eq!(backlinks(&vault, "Note.md"), ["x/l.md:1 Note"]);
        assert_eq!(backlinks(&vault, "x/Note.md"), Vec::<String>::new());
        vault.gone(&["Note.md", "x/Note.md"]);
        assert_eq!(backlinks(&vault, "a/sub/Note.md").len(), 2);
        vault.tell(&[("x/l.md", "nothing\n")]);
        assert_eq!(backlinks(&vault, "a/sub/Note.md"), Vec::<String>::new());
    }

    #[test]
    fn links_in_comments_are_no_backlinks_but_can_be_asked_for() {
        let mut vault = Vault::new(&[("n.md", ""), ("c.md", "%% see [[x/N#H]] %%\n"), ("d.md", "%% none %%\n")]);
        assert_eq!(backlinks(&vault, "n.md"), Vec::<String>::new());
        assert_eq!(vault.view().commenting_notes(&rel("n.md")), [rel("c.md")]);
        vault.tell(&[("c.md", "gone\n"), ("d.md", "%%\n[t](n.md)\n%%\n")]);
        assert_eq!(vault.view().commenting_notes(&rel("n.md")), [rel("d.md")]);
        vault.gone(&["d.md"]);
        assert_eq!(vault.view().commenting_notes(&rel("n.md")), []);
    }

    #[test]
    fn names_with_dots_and_attachments() {
        let vault = Vault::new(&[
            ("v1.2.md", ""),
            ("pic.png", ""),
            ("l.md", "[[v1.2]] ![[pic.png|100]] [[v1.2.md]] [[PIC.PNG]]\n"),
        ]);
        assert_eq!(backlinks(&vault, "v1.2.md").len(), 2);
        assert_eq!(backlinks(&vault, "pic.png").len(), 2);
    }

    #[test]
    fn unresolved_links_are_listed_by_folder() {
        let vault =
            Vault::new(&[("a/x.md", "[[gone]]\n\n[[x]]"), ("ab/y.md", "[[./gone]]"), ("z.md", "[[https://e.org]]")]);
        let shown = |folder: &str| -> Vec<String> {
            let links = vault.view().unresolved(folder);
            links.iter().map(|link| format!("{}:{} {}", link.from, link.fact.line, link.fact.target)).collect()
        };
        assert_eq!(shown("a"), ["a/x.md:1 gone"]);
        assert_eq!(shown(""), ["a/x.md:1 gone", "ab/y.md:1 ./gone", "z.md:1 https://e.org"]);
    }
}
