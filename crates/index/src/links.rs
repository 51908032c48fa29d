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
                found.push(Backlink {
                    from: from.clone(),
                    link,
                    fact: fact.clone(),
                });
            }
        }
        found
    }

    /// The files with a link to `to`, in path order; `to` itself if it links to itself.
    pub(crate) fn linking_notes(&self, to: &RelPath) -> Vec<RelPath> {
        let keys = keys_of(to);
        let links = |from: &RelPath| {
            self.entry(from)
                .is_some_and(|entry| self.links_to(entry, to, &keys).next().is_some())
        };
        self.sources(to, &keys).into_iter().filter(links).collect()
    }

    /// Every link that means no file, in the files that `within` admits.
    pub(crate) fn unresolved(&self, within: impl Fn(&RelPath) -> bool) -> Vec<Unresolved> {
        let mut found = Vec::new();
        for (from, entry) in self.entries.iter().filter(|(path, _)| within(path)) {
            for (link, fact) in entry.links.iter().enumerate() {
                if self.resolve(&fact.target, from).is_none() {
                    found.push(Unresolved {
                        from: from.clone(),
                        link,
                        fact: fact.clone(),
                    });
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
            keys.contains(&link.key())
                && self.resolve(&link.target, &from.path).as_ref() == Some(to)
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
