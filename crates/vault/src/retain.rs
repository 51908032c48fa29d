//! How long the history goes back: which entries of the journal stay, and what is left of their steps.
//!
//! This only computes. A version is what one step left of one note; giving it up joins its step with the next one, so
//! that what stays is still a chain: each step begins where the one before it ended.

use std::collections::{BTreeMap, HashMap, HashSet};

use note::{ContentHash, RelPath};

use crate::change::{Entry, OpId, State, Step};
use crate::sense::{Fate, Retention, Sense, fates};

const DAY_MS: u64 = 24 * 60 * 60 * 1000;

/// How much each kept text takes on the disk, as far as it was looked at.
pub(crate) type Sizes = HashMap<ContentHash, u64>;

/// What the rules are applied to.
pub(crate) struct Past<'a> {
    pub(crate) entries: &'a [Entry],
    /// What each entry means to the engine, one for each.
    pub(crate) senses: &'a [Sense],
    /// Operations that were begun and have not ended, or wait for a person.
    pub(crate) unfinished: &'a HashSet<OpId>,
    pub(crate) sizes: &'a Sizes,
    pub(crate) now_ms: u64,
}

/// One version of one file.
pub(crate) struct Bead {
    /// Which entry made it, and which of its steps.
    pub(crate) entry: usize,
    pub(crate) step: usize,
    pub(crate) at_ms: u64,
    pub(crate) before: State,
    pub(crate) after: State,
    /// It may be joined with nothing.
    pub(crate) locked: bool,
    pub(crate) typed: bool,
    /// It belongs to an operation that may be taken back while it is young.
    pub(crate) undoable: bool,
    /// Given up: the next bead begins where this one began.
    pub(crate) joined: bool,
}

/// A text beside the chain: it was saved from being lost and was never the note's own.
pub(crate) struct Aside {
    pub(crate) entry: usize,
    pub(crate) at_ms: u64,
    pub(crate) path: RelPath,
    pub(crate) hash: ContentHash,
    pub(crate) dropped: bool,
}

/// The history of everything, taken apart by file.
pub(crate) struct Chains {
    pub(crate) chains: BTreeMap<RelPath, Vec<Bead>>,
    pub(crate) asides: Vec<Aside>,
}

/// What stays.
pub(crate) struct Rest {
    /// Entries, each with the place of the one it comes from, in their order.
    pub(crate) entries: Vec<(usize, Entry)>,
    /// The texts that they need.
    pub(crate) named: HashSet<ContentHash>,
}

/// Says what stays of a history.
pub(crate) fn retain(past: &Past<'_>, rule: &Retention) -> Rest {
    // A vault that nobody writes to does not age, and a clock that runs ahead makes nothing old.
    let now_ms = past.now_ms.min(borne_out(past.entries));
    let fates = fates(past, now_ms.saturating_sub(rule.whole_ms));
    let mut history = Chains::of(past, &fates);
    for chain in history.chains.values_mut() {
        fold_typing(chain, rule, past.now_ms);
        thin(chain, rule, now_ms);
    }
    history.thin_asides(rule, now_ms);
    history.fit(past, &fates, rule, now_ms);
    let entries = history.rest(past, &fates, now_ms.saturating_sub(rule.whole_ms));
    let needs = |(at, entry): &(usize, Entry)| {
        // What an operation meant to change says nothing more once its steps say what it did.
        let is_spent = matches!(fates.get(&entry.op()), Some(Fate::Done { .. }))
            && matches!(past.senses[*at], Sense::Part | Sense::Opens | Sense::Closes)
            && matches!(entry, Entry::Recorded { .. });
        if is_spent { Vec::new() } else { entry.hashes() }
    };
    let named = entries.iter().flat_map(needs).collect();
    Rest { entries, named }
}

/// Returns the newest time that another day of not long before bears out: a clock that was wrong for an hour, and was written
/// by, is not believed until the next day that fits it.
fn borne_out(entries: &[Entry]) -> u64 {
    const NEAR: u64 = 100;
    let mut days: BTreeMap<u64, u64> = BTreeMap::new();
    for at_ms in entries.iter().map(Entry::at_ms) {
        let newest = days.entry(at_ms / DAY_MS).or_default();
        *newest = at_ms.max(*newest);
    }
    let earlier = days.keys().rev().skip(1).map(Some).chain([None]);
    let mut newest_first = days.iter().rev().zip(earlier);
    let is_borne_out = |(day, _): (&u64, &u64), earlier: Option<&u64>| earlier.is_none_or(|known| day - known <= NEAR);
    newest_first.find(|(day, earlier)| is_borne_out(*day, *earlier)).map_or(0, |((_, newest), _)| *newest)
}

/// Joins a person's saves of one note that lie close together.
fn fold_typing(chain: &mut [Bead], rule: &Retention, now_ms: u64) {
    let mut first = 0;
    for at in 1..chain.len() {
        let (known, next) = (&chain[at - 1], &chain[at]);
        let follows = known.typed && next.typed && !known.locked && !next.locked && known.after == next.before;
        let began_ms = chain[first].at_ms;
        // What is not long past may still be added to.
        let is_over = began_ms.saturating_add(2 * rule.fold_ms) < now_ms;
        let is_close = next.at_ms.checked_sub(began_ms).is_some_and(|ms| ms <= rule.fold_ms);
        if follows && is_over && is_close && known.may_be_given_up(next) {
            chain[at - 1].joined = true;
        } else {
            first = at;
        }
    }
}

/// Joins what is old with the last version of its day or week.
fn thin(chain: &mut [Bead], rule: &Retention, now_ms: u64) {
    for at in 1..chain.len() {
        let (known, next) = (&chain[at - 1], &chain[at]);
        let (here, there) = (span(known.at_ms, rule, now_ms), span(next.at_ms, rule, now_ms));
        if here.is_some() && here == there && known.may_be_given_up(next) {
            chain[at - 1].joined = true;
        }
    }
}

/// Names the day or the week of which one version is kept; nothing while all are.
fn span(at_ms: u64, rule: &Retention, now_ms: u64) -> Option<(u64, u64)> {
    match now_ms.saturating_sub(at_ms) {
        age if age < rule.whole_ms => None,
        age if age < rule.daily_ms => Some((DAY_MS, at_ms / DAY_MS)),
        _ => Some((7 * DAY_MS, at_ms / (7 * DAY_MS))),
    }
}

impl Bead {
    fn of(entry: usize, at_ms: u64, before: State, after: State) -> Bead {
        let (locked, typed, undoable, joined) = (false, false, false, false);
        Bead { entry, step: 0, at_ms, before, after, locked, typed, undoable, joined }
    }

    /// Says whether this version may be given up in favor of the next. That a file came and went stays, with the texts that
    /// it came and went with: a move is both.
    pub(crate) fn may_be_given_up(&self, next: &Bead) -> bool {
        let is_text = |state: State| state != State::Absent;
        !self.locked && !next.locked && [self.before, self.after, next.after].into_iter().all(is_text)
    }
}

impl Chains {
    fn of(past: &Past<'_>, fates: &HashMap<OpId, Fate>) -> Chains {
        let mut history = Chains { chains: BTreeMap::new(), asides: Vec::new() };
        for (entry, (told, sense)) in past.entries.iter().zip(past.senses).enumerate() {
            match (told, sense) {
                (Entry::Begun { op, at_ms, steps, folded, .. }, sense) => {
                    let locked = match fates.get(op) {
                        Some(Fate::Over { .. }) | None => continue,
                        Some(Fate::Held) => true,
                        Some(Fate::Done { begun, .. }) if *begun == entry => false,
                        Some(Fate::Done { .. }) => continue,
                    };
                    let typed = matches!(sense, Sense::Typing) && !folded;
                    let undoable = !typed && !folded;
                    for (step, of) in steps.iter().enumerate() {
                        let bead =
                            Bead { step, locked, typed, undoable, ..Bead::of(entry, *at_ms, of.before, of.after) };
                        history.chains.entry(of.path.clone()).or_default().push(bead);
                    }
                }
                (Entry::Version { at_ms, path, before, after, .. }, _)
                | (Entry::Recorded { at_ms, .. }, Sense::Version { path, before, after }) => {
                    history.add_version(entry, *at_ms, path, *before, *after);
                }
                (Entry::Kept { at_ms, kept }, _) => history.add_aside(entry, *at_ms, &kept.path, kept.hash),
                _ => {}
            }
        }
        history
    }

    fn add_version(&mut self, entry: usize, at_ms: u64, path: &RelPath, before: State, after: State) {
        let chain = self.chains.entry(path.clone()).or_default();
        let last = chain.iter().rev().find(|bead| !bead.locked);
        match (last, before, after) {
            (Some(last), State::Absent, State::Is(hash)) if last.after != State::Absent => {
                self.add_aside(entry, at_ms, path, hash);
            }
            _ => chain.push(Bead::of(entry, at_ms, before, after)),
        }
    }

    fn add_aside(&mut self, entry: usize, at_ms: u64, path: &RelPath, hash: ContentHash) {
        // The vault and the engine both write down what was saved.
        let dropped = self.asides.iter().rev().any(|known| known.hash == hash && known.path == *path);
        self.asides.push(Aside { entry, at_ms, path: path.clone(), hash, dropped });
    }

    fn thin_asides(&mut self, rule: &Retention, now_ms: u64) {
        let mut taken = HashSet::new();
        for aside in self.asides.iter_mut().rev().filter(|aside| !aside.dropped) {
            if let Some(span) = span(aside.at_ms, rule, now_ms) {
                aside.dropped = !taken.insert((aside.path.clone(), span));
            }
        }
    }

    /// Puts together what is left.
    fn rest(&self, past: &Past<'_>, fates: &HashMap<OpId, Fate>, old_ms: u64) -> Vec<(usize, Entry)> {
        let mut left: HashMap<(usize, usize), (State, State)> = HashMap::new();
        for chain in self.chains.values() {
            let groups = groups(chain);
            for (n, (last, before, after)) in groups.iter().enumerate() {
                // A note that came back to what it was has nothing to show for it, if its neighbors name the text.
                let is_named = |state: Option<State>| state == Some(*before);
                let known = n.checked_sub(1).map(|known| groups[known].2);
                let next = groups.get(n + 1).map(|next| next.1);
                if before != after || !(is_named(known) || is_named(next)) || chain[*last].locked {
                    left.insert((chain[*last].entry, chain[*last].step), (*before, *after));
                }
            }
        }
        let asides: HashSet<usize> = self.asides.iter().filter(|a| !a.dropped).map(|a| a.entry).collect();
        let aside_of_all: HashSet<usize> = self.asides.iter().map(|aside| aside.entry).collect();
        let mut newest: HashMap<&str, usize> = HashMap::new();
        for (at, sense) in past.senses.iter().enumerate() {
            if let Sense::Standing { subject } = sense {
                newest.insert(subject, at);
            }
        }
        // Whether anything is left of what an operation did.
        let has_left = |begun: usize| match &past.entries[begun] {
            Entry::Begun { steps, .. } => (0..steps.len()).any(|n| left.contains_key(&(begun, n))),
            _ => false,
        };
        let mut rest = Vec::new();
        for (at, (entry, sense)) in past.entries.iter().zip(past.senses).enumerate() {
            let fate = fates.get(&entry.op());
            if aside_of_all.contains(&at) {
                rest.extend(asides.contains(&at).then(|| (at, entry.clone())));
                continue;
            }
            match (entry, sense) {
                (Entry::Recorded { .. }, Sense::Standing { subject }) => {
                    // An older one tells whence the versions of its operation came.
                    let stays = newest.get(subject.as_str()) == Some(&at)
                        || match fate {
                            Some(Fate::Done { begun, .. }) => has_left(*begun),
                            _ => entry.at_ms() >= old_ms,
                        };
                    rest.extend(stays.then(|| (at, entry.clone())));
                }
                (Entry::Recorded { .. }, Sense::Unknown) => rest.push((at, entry.clone())),
                (Entry::Version { op, at_ms, path, .. }, _)
                | (Entry::Recorded { op, at_ms, .. }, Sense::Version { path, .. }) => {
                    let Some((before, after)) = left.get(&(at, 0)) else { continue };
                    let as_it_was = match (entry, sense) {
                        (Entry::Version { before, after, .. }, _) | (_, Sense::Version { before, after, .. }) => {
                            (*before, *after)
                        }
                        _ => continue,
                    };
                    if as_it_was == (*before, *after) {
                        rest.push((at, entry.clone()));
                    } else {
                        let (op, at_ms, path) = (*op, *at_ms, path.clone());
                        rest.push((at, Entry::Version { op, at_ms, path, before: *before, after: *after }));
                    }
                }
                _ => match fate {
                    None | Some(Fate::Held | Fate::Over { stays: true }) => rest.push((at, entry.clone())),
                    Some(Fate::Over { stays: false }) => {}
                    Some(Fate::Done { begun, done_ms }) => match entry {
                        Entry::Begun { op, at_ms, steps, label, folded } if *begun == at => {
                            let kept: Vec<Step> = steps
                                .iter()
                                .enumerate()
                                .filter_map(|(n, step)| {
                                    let (before, after) = *left.get(&(at, n))?;
                                    Some(Step { path: step.path.clone(), before, after })
                                })
                                .collect();
                            if kept.is_empty() {
                                continue;
                            }
                            let folded = *folded || kept != *steps || *at_ms < old_ms;
                            let (op, label) = (*op, label.clone());
                            rest.push((at, Entry::Begun { op, at_ms: *at_ms, steps: kept, label, folded }));
                            rest.push((at, Entry::Done { op, at_ms: *done_ms }));
                        }
                        Entry::Recorded { .. } => {
                            rest.extend(has_left(*begun).then(|| (at, entry.clone())));
                        }
                        _ => {}
                    },
                },
            }
        }
        rest
    }
}

/// Returns the versions that stay of a chain: the last bead of each, where it begins and where it ends.
pub(crate) fn groups(chain: &[Bead]) -> Vec<(usize, State, State)> {
    let mut groups = Vec::new();
    let mut before = None;
    for (at, bead) in chain.iter().enumerate() {
        let began = *before.get_or_insert(bead.before);
        if !bead.joined {
            groups.push((at, began, bead.after));
            before = None;
        }
    }
    groups
}
