//! Makes a history fit into the space that it may take: the oldest versions go first.

use std::collections::HashMap;

use note::{ContentHash, RelPath};

use crate::change::{Entry, OpId, State};
use crate::retain::{Bead, Chains, Past, groups};
use crate::sense::{Fate, Retention, Sense};

/// A version that may be given up.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Version {
    /// One in the chain of a file.
    Of(RelPath, usize),
    /// A text beside the chains.
    Beside(usize),
}

impl Chains {
    /// Gives up the oldest versions until what is left takes no more than it may.
    pub(crate) fn fit(&mut self, past: &Past<'_>, fates: &HashMap<OpId, Fate>, rule: &Retention, now_ms: u64) {
        let size = |hash: &ContentHash| past.sizes.get(hash).copied().unwrap_or(0);
        let mut n_named = self.n_named(past, fates);
        let mut total: u64 = n_named.keys().map(size).sum();
        if total <= rule.max_bytes {
            return;
        }
        let mut forget = |hash: Option<ContentHash>, total: &mut u64| {
            if let Some(hash) = hash
                && let Some(n) = n_named.get_mut(&hash)
            {
                *n = n.saturating_sub(1);
                if *n == 0 {
                    *total = total.saturating_sub(size(&hash));
                }
            }
        };
        let is_old = |at_ms: u64, age_ms: u64| now_ms.saturating_sub(at_ms) >= age_ms;
        let is_spent = |bead: &Bead| is_old(bead.at_ms, if bead.undoable { rule.whole_ms } else { rule.spared_ms });
        let mut oldest: Vec<(u64, Version)> = Vec::new();
        for (path, chain) in &self.chains {
            for at in 1..chain.len() {
                let (known, next) = (&chain[at - 1], &chain[at]);
                if !known.joined && known.may_be_given_up(next) && is_spent(known) && is_spent(next) {
                    oldest.push((known.at_ms, Version::Of(path.clone(), at - 1)));
                }
            }
        }
        for (at, aside) in self.asides.iter().enumerate() {
            if !aside.dropped && is_old(aside.at_ms, rule.spared_ms) {
                oldest.push((aside.at_ms, Version::Beside(at)));
            }
        }
        oldest.sort();
        for (_, version) in oldest {
            if total <= rule.max_bytes {
                return;
            }
            match version {
                Version::Of(path, at) => {
                    let Some(chain) = self.chains.get_mut(&path) else { continue };
                    chain[at].joined = true;
                    forget(chain[at].after.hash(), &mut total);
                    forget(chain[at + 1].before.hash(), &mut total);
                }
                Version::Beside(at) => {
                    self.asides[at].dropped = true;
                    forget(Some(self.asides[at].hash), &mut total);
                }
            }
        }
        // Only then what was deleted long ago.
        let is_gone = |chain: &Vec<Bead>| {
            let last = chain.last().filter(|last| last.after == State::Absent && is_old(last.at_ms, rule.whole_ms))?;
            (!chain.iter().any(|bead| bead.locked)).then_some(last.at_ms)
        };
        let mut gone: Vec<(u64, RelPath)> =
            self.chains.iter().filter_map(|(path, chain)| Some((is_gone(chain)?, path.clone()))).collect();
        gone.sort();
        for (_, path) in gone {
            if total <= rule.max_bytes {
                return;
            }
            for (_, before, after) in groups(&self.chains.remove(&path).unwrap_or_default()) {
                forget(before.hash(), &mut total);
                forget(after.hash(), &mut total);
            }
        }
    }

    /// Counts how often each text is named by what stays.
    fn n_named(&self, past: &Past<'_>, fates: &HashMap<OpId, Fate>) -> HashMap<ContentHash, usize> {
        let mut n_named: HashMap<ContentHash, usize> = HashMap::new();
        let mut name = |hash: Option<ContentHash>| {
            if let Some(hash) = hash {
                *n_named.entry(hash).or_default() += 1;
            }
        };
        for chain in self.chains.values() {
            for (_, before, after) in groups(chain) {
                name(before.hash());
                name(after.hash());
            }
        }
        self.asides.iter().filter(|aside| !aside.dropped).for_each(|aside| name(Some(aside.hash)));
        for (entry, sense) in past.entries.iter().zip(past.senses) {
            // Versions are in the chains, and what was rescued is beside them.
            let is_counted =
                matches!(sense, Sense::Version { .. }) || matches!(entry, Entry::Version { .. } | Entry::Kept { .. });
            if !is_counted && matches!(fates.get(&entry.op()), Some(Fate::Held | Fate::Over { stays: true })) {
                entry.hashes().into_iter().for_each(|hash| name(Some(hash)));
            }
        }
        n_named
    }
}
