//! What stays of a history, computed alone: chains stay chains, and what must stay does.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::change::Kept;
use crate::recover::unfinished;
use crate::retain::{Past, Sizes, retain};
use crate::sense::{Retention, Sense};
use crate::{Entry, Meaning};

const MINUTE: u64 = 60_000;
const DAY: u64 = 24 * 60 * MINUTE;

/// The rules, with the ages shortened so that a short history crosses all of them.
const RULE: Retention =
    Retention { fold_ms: 5 * MINUTE, whole_ms: 30 * DAY, daily_ms: 90 * DAY, max_bytes: u64::MAX, spared_ms: DAY };

/// What the tests of this crate write into the journal in the engine's place.
pub(super) struct Words;

impl Meaning for Words {
    fn sense(&self, entry: &Entry) -> Sense {
        let words = match entry {
            Entry::Recorded { body, .. } => body,
            Entry::Begun { label, .. } => label,
            _ => return Sense::Part,
        };
        let state = |key: &str| serde_json::from_value(words[key].clone()).unwrap();
        match words["kind"].as_str() {
            Some("typed") => Sense::Typing,
            Some("opens") => Sense::Opens,
            Some("closes") => Sense::Closes,
            Some("seen") => {
                Sense::Version { path: state_path(&words["path"]), before: state("before"), after: state("after") }
            }
            Some("stands") => Sense::Standing { subject: words["subject"].to_string() },
            Some("strange") => Sense::Unknown,
            _ => Sense::Part,
        }
    }

    fn current(&self) -> Vec<ContentHash> {
        Vec::new()
    }
}

fn state_path(path: &serde_json::Value) -> RelPath {
    rel(path.as_str().unwrap())
}

/// One thing that happens to a vault.
#[derive(Debug, Clone)]
enum Event {
    Typed(usize),
    Agent(Vec<usize>),
    Outside(usize),
    Deleted(usize),
    Rescued(usize),
    Proposed,
    Closed,
    Failed(usize),
    Interrupted(usize, bool),
    Stands(usize),
    Strange,
}

const PATHS: usize = 3;

fn event() -> impl Strategy<Value = Event> {
    let path = 0..PATHS;
    prop_oneof![
        8 => path.clone().prop_map(Event::Typed),
        3 => prop::collection::btree_set(path.clone(), 1..=PATHS).prop_map(|paths| Event::Agent(paths.into_iter().collect())),
        3 => path.clone().prop_map(Event::Outside),
        1 => path.clone().prop_map(Event::Deleted),
        1 => path.clone().prop_map(Event::Rescued),
        1 => Just(Event::Proposed),
        1 => Just(Event::Closed),
        1 => path.clone().prop_map(Event::Failed),
        1 => (path.clone(), any::<bool>()).prop_map(|(path, ended)| Event::Interrupted(path, ended)),
        1 => path.prop_map(Event::Stands),
        1 => Just(Event::Strange),
    ]
}

fn pause() -> impl Strategy<Value = u64> {
    prop_oneof![4 => 1..4 * MINUTE, 2 => MINUTE..DAY, 2 => DAY..10 * DAY, 1 => 10 * DAY..60 * DAY]
}

/// Tells a history as the journal would.
struct Teller {
    entries: Vec<Entry>,
    now: Vec<State>,
    at_ms: u64,
    n: u64,
    opened: Option<OpId>,
}

impl Teller {
    fn of(events: &[(u64, Event)]) -> Teller {
        let mut teller = Teller {
            entries: Vec::new(),
            now: vec![State::Absent; PATHS + 1],
            at_ms: 1_700_000_000_000,
            n: 0,
            opened: None,
        };
        for (pause, event) in events {
            teller.at_ms += pause;
            teller.tell(event);
        }
        // Whatever did not say that it was done is followed by this, and so had ended.
        teller.tell(&Event::Typed(PATHS));
        teller
    }

    fn text(&mut self) -> State {
        self.n += 1;
        // Some texts come back.
        is(&format!("text {}", self.n % 17))
    }

    fn begin(&mut self, op: OpId, paths: &[usize], label: &str, deletes: bool) -> Vec<Step> {
        let mut steps = Vec::new();
        for path in paths {
            let before = self.now[*path];
            let after = if deletes { State::Absent } else { self.text() };
            if before != after {
                steps.push(Step { path: path_of(*path), before, after });
            }
        }
        if !steps.is_empty() {
            let (at_ms, label) = (self.at_ms, json!({"kind": label}));
            self.entries.push(Entry::Begun { op, at_ms, steps: steps.clone(), label, folded: false });
        }
        steps
    }

    fn did(&mut self, steps: &[Step]) {
        for step in steps {
            let path = (0..=PATHS).find(|path| path_of(*path) == step.path).unwrap();
            self.now[path] = step.after;
        }
    }

    fn tell(&mut self, event: &Event) {
        self.n += 1;
        let (op, at_ms) = (op(self.n), self.at_ms);
        let record = |body| Entry::Recorded { op, at_ms, body };
        match event {
            Event::Typed(path) => {
                let steps = self.begin(op, &[*path], "typed", false);
                self.did(&steps);
                self.entries.push(Entry::Done { op, at_ms });
            }
            Event::Agent(paths) => {
                self.entries.push(record(json!({"kind": "opens", "base": self.now[paths[0]]})));
                let steps = self.begin(op, paths, "agent", false);
                self.did(&steps);
                // The line that says so may be lost.
                if !self.n.is_multiple_of(5) {
                    self.entries.push(Entry::Done { op, at_ms });
                }
            }
            Event::Deleted(path) => {
                let steps = self.begin(op, &[*path], "agent", true);
                self.did(&steps);
                self.entries.push(Entry::Done { op, at_ms });
            }
            Event::Outside(path) => {
                let (before, after) = (self.now[*path], self.text());
                if before == after {
                    return;
                }
                self.now[*path] = after;
                let path = path_of(*path);
                self.entries
                    .push(record(json!({"kind": "seen", "path": path.as_str(), "before": before, "after": after})));
            }
            Event::Rescued(path) => {
                let hash = ContentHash::of(format!("rescued {}", self.n).as_bytes());
                self.entries.push(Entry::Kept { at_ms, kept: Kept { op, path: path_of(*path), hash } });
            }
            Event::Proposed => {
                let wanted = ContentHash::of(format!("wanted {}", self.n).as_bytes());
                self.entries.push(record(json!({"kind": "opens", "wants": {"to": wanted}})));
                self.opened = Some(op);
            }
            Event::Closed => {
                if let Some(op) = self.opened.take() {
                    self.entries.push(Entry::Recorded { op, at_ms, body: json!({"kind": "closes"}) });
                }
            }
            Event::Failed(path) => {
                self.begin(op, &[*path], "agent", false);
                self.entries.push(Entry::Undone { op, at_ms });
            }
            Event::Interrupted(path, ended) => {
                self.begin(op, &[*path], "agent", false);
                let files = vec![path_of(*path)];
                self.entries.push(Entry::Interrupted { op, at_ms, files });
                if *ended {
                    self.entries.push(Entry::Released { op, at_ms });
                }
            }
            Event::Stands(path) => self.entries.push(record(json!({"kind": "stands", "subject": path, "n": self.n}))),
            Event::Strange => {
                let named = ContentHash::of(format!("strange {}", self.n).as_bytes());
                self.entries.push(record(json!({"kind": "strange", "names": [named]})));
            }
        }
    }
}

fn path_of(n: usize) -> RelPath {
    rel(&format!("{n}.md"))
}

fn senses(entries: &[Entry]) -> Vec<Sense> {
    entries.iter().map(|entry| Words.sense(entry)).collect()
}

fn waiting(entries: &[Entry]) -> HashSet<OpId> {
    unfinished(entries).into_iter().map(|pending| pending.op).collect()
}

fn retained(entries: &[Entry], rule: &Retention, sizes: &Sizes, now_ms: u64) -> Vec<Entry> {
    let (senses, unfinished) = (senses(entries), waiting(entries));
    let past = Past { entries, senses: &senses, unfinished: &unfinished, sizes, now_ms };
    let rest = retain(&past, rule).entries;
    assert!(rest.windows(2).all(|two| two[0].0 <= two[1].0), "the order stays");
    rest.into_iter().map(|(_, entry)| entry).collect()
}

fn needed(entries: &[Entry], rule: &Retention, sizes: &Sizes, now_ms: u64) -> HashSet<ContentHash> {
    let (senses, unfinished) = (senses(entries), waiting(entries));
    retain(&Past { entries, senses: &senses, unfinished: &unfinished, sizes, now_ms }, rule).named
}

/// The versions of one file, as they are listed: when, from what, to what, and whether one may still be taken back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Listed {
    pub(super) at_ms: u64,
    pub(super) before: State,
    pub(super) after: State,
    typed: bool,
    undoable: bool,
}

/// Lists what the entries tell of each file, without what was rescued beside its history.
pub(super) fn listed(entries: &[Entry]) -> BTreeMap<RelPath, Vec<Listed>> {
    let waiting = waiting(entries);
    let taken_back: HashSet<OpId> = entries
        .iter()
        .filter(|entry| matches!(entry, Entry::Undone { .. } | Entry::Released { .. }))
        .map(Entry::op)
        .collect();
    let mut all: BTreeMap<RelPath, Vec<Listed>> = BTreeMap::new();
    for entry in entries {
        match (entry, Words.sense(entry)) {
            (Entry::Begun { op, at_ms, steps, folded, .. }, sense)
                if !taken_back.contains(op) && !waiting.contains(op) =>
            {
                let typed = sense == Sense::Typing;
                for step in steps {
                    let (before, after, undoable) = (step.before, step.after, !folded && !typed);
                    let version = Listed { at_ms: *at_ms, before, after, typed, undoable };
                    all.entry(step.path.clone()).or_default().push(version);
                }
            }
            (Entry::Version { at_ms, path, before, after, .. }, _) => {
                let version = Listed { at_ms: *at_ms, before: *before, after: *after, typed: false, undoable: false };
                all.entry(path.clone()).or_default().push(version);
            }
            (Entry::Recorded { at_ms, .. }, Sense::Version { path, before, after }) => {
                let version = Listed { at_ms: *at_ms, before, after, typed: false, undoable: false };
                all.entry(path).or_default().push(version);
            }
            _ => {}
        }
    }
    all
}

/// Checks that each version begins where the one before it ended.
pub(super) fn assert_chains(all: &BTreeMap<RelPath, Vec<Listed>>) {
    for (path, versions) in all {
        for two in versions.windows(2) {
            assert_eq!(two[0].after, two[1].before, "{path}: {versions:#?}");
        }
    }
}

fn named(entries: &[Entry]) -> HashSet<ContentHash> {
    entries.iter().flat_map(Entry::hashes).collect()
}

/// A note that moves there and back: whence it came each time is told as long as the move is.
#[test]
fn what_stood_before_stays_with_its_operation() {
    let start = 1_700_000_000_000;
    let stands = |n: u64, subject: &str, days: u64| Entry::Recorded {
        op: op(n),
        at_ms: start + days * DAY,
        body: json!({"kind": "stands", "subject": subject}),
    };
    let mut entries = Vec::new();
    for n in 0..6 {
        let (at_ms, there, back) = (start + n * DAY, path_of(0), path_of(1));
        let (from, to) = if n % 2 == 0 { (there, back) } else { (back, there) };
        let steps = vec![
            Step { path: from, before: is("text"), after: State::Absent },
            Step { path: to.clone(), before: State::Absent, after: is("text") },
        ];
        entries.push(Entry::Begun { op: op(n), at_ms, steps, label: json!({"kind": "agent"}), folded: false });
        entries.push(Entry::Done { op: op(n), at_ms });
        entries.push(stands(n, to.as_str(), n));
    }
    // Another program's moves have no operation of ours; they stay as long as everything does.
    let (old, young) = (stands(90, "elsewhere", 1), stands(91, "elsewhere", 70));
    let newest = stands(92, "elsewhere", 80);
    entries.extend([old.clone(), young, newest]);
    let rest = retained(&entries, &RULE, &Sizes::new(), start + 80 * DAY);
    let told = |entries: &[Entry]| -> Vec<Entry> {
        entries.iter().filter(|entry| matches!(entry, Entry::Recorded { .. }) && **entry != old).cloned().collect()
    };
    assert_eq!(told(&rest), told(&entries));
    assert!(!rest.contains(&old));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_must_stay_stays(
        events in prop::collection::vec((pause(), event()), 1..80),
        later in 0..40 * DAY,
    ) {
        let told = Teller::of(&events);
        let newest_ms = told.entries.last().map_or(0, Entry::at_ms);
        let now_ms = told.at_ms + later;
        let rest = retained(&told.entries, &RULE, &Sizes::new(), now_ms);
        let (before, after) = (listed(&told.entries), listed(&rest));
        assert_chains(&before);
        assert_chains(&after);
        let age = |at_ms: u64| newest_ms.saturating_sub(at_ms);
        for (path, versions) in &before {
            let Some(left) = after.get(path) else {
                // Only a note that was never there can have nothing to tell.
                panic!("{path} is forgotten: {versions:#?}");
            };
            prop_assert_eq!(left[0].before, versions[0].before, "the text that was found");
            prop_assert_eq!(left[left.len() - 1].after, versions[versions.len() - 1].after, "the newest");
            for (at, version) in versions.iter().enumerate() {
                let is_whole = left.iter().any(|left| left == version);
                let stays = left.iter().any(|left| left.before == version.after || left.after == version.after);
                if version.before == State::Absent {
                    let came = left.iter().any(|left| left.before == State::Absent && left.after == version.after);
                    prop_assert!(came, "what came: {:?} of {:#?}", version, left);
                }
                if version.after == State::Absent {
                    let deleted = left.iter().any(|left| left.before == version.before && left.after == State::Absent);
                    prop_assert!(deleted, "what was deleted: {:?} of {:#?}", version, left);
                }
                if age(version.at_ms) < RULE.whole_ms {
                    prop_assert!(is_whole || version.typed, "young: {:?} of {:#?}", version, left);
                }
                let next = versions.get(at + 1);
                let ends_its_day = next.is_none_or(|next| next.at_ms / DAY != version.at_ms / DAY);
                let is_daily = age(version.at_ms) < RULE.daily_ms && !version.typed;
                prop_assert!(stays || !(is_daily && ends_its_day), "the last of a day: {version:?} of {left:#?}");
                let ends_its_week = next.is_none_or(|next| next.at_ms / (7 * DAY) != version.at_ms / (7 * DAY));
                prop_assert!(stays || !ends_its_week || version.typed, "the last of a week: {version:?} of {left:#?}");
                // A save that was folded away has one that follows within five minutes of where it began.
                if version.typed && !stays && age(version.at_ms) < RULE.whole_ms {
                    let near = next.is_some_and(|next| next.typed && next.at_ms - version.at_ms <= RULE.fold_ms);
                    prop_assert!(near, "{version:?} of {left:#?}");
                }
            }
        }
        // Whatever waits is told in the same words.
        prop_assert_eq!(waiting(&rest), waiting(&told.entries));
        for op in waiting(&told.entries).into_iter().chain(told.opened) {
            let of = |entries: &[Entry]| entries.iter().filter(|e| e.op() == op).cloned().collect::<Vec<Entry>>();
            prop_assert_eq!(of(&rest), of(&told.entries));
        }
        let strange = |entries: &[Entry]| entries.iter().filter(|e| Words.sense(e) == Sense::Unknown).count();
        prop_assert_eq!(strange(&rest), strange(&told.entries));
        let subjects = |entries: &[Entry]| {
            let standing = entries.iter().filter_map(|e| match Words.sense(e) {
                Sense::Standing { subject } => Some((subject, e.clone())),
                _ => None,
            });
            // The last of each is the one that counts.
            standing.collect::<Vec<_>>().into_iter().collect::<std::collections::HashMap<_, _>>()
        };
        prop_assert_eq!(subjects(&rest), subjects(&told.entries));
        // Nothing is named that was not, and doing it again changes nothing.
        prop_assert!(named(&rest).is_subset(&named(&told.entries)));
        prop_assert_eq!(&retained(&rest, &RULE, &Sizes::new(), now_ms), &rest);
        // Later it only gets less, and still makes chains.
        let later = retained(&rest, &RULE, &Sizes::new(), now_ms + 400 * DAY);
        assert_chains(&listed(&later));
        prop_assert!(named(&later).is_subset(&named(&rest)));
    }

    #[test]
    fn what_is_too_much_goes_oldest_first(
        events in prop::collection::vec((pause(), event()), 1..80),
        max_bytes in 0..600_u64,
    ) {
        let told = Teller::of(&events);
        let newest_ms = told.entries.last().map_or(0, Entry::at_ms);
        let sizes: Sizes = named(&told.entries).into_iter().map(|hash| (hash, 10)).collect();
        let rule = Retention { max_bytes, ..RULE };
        let rest = retained(&told.entries, &rule, &sizes, told.at_ms);
        let (before, after) = (listed(&told.entries), listed(&rest));
        assert_chains(&after);
        prop_assert_eq!(waiting(&rest), waiting(&told.entries));
        for (path, versions) in &before {
            let last = &versions[versions.len() - 1];
            let left = after.get(path).map_or(&[][..], Vec::as_slice);
            let is_gone = last.after == State::Absent && newest_ms - last.at_ms >= RULE.whole_ms;
            prop_assert!(is_gone || left.last().map(|left| left.after) == Some(last.after), "{last:?} of {left:#?}");
            for version in versions.iter().filter(|version| version.undoable) {
                let is_young = newest_ms - version.at_ms < RULE.whole_ms;
                prop_assert!(!is_young || left.contains(version), "{version:?} of {left:#?}");
            }
        }
        let needed = |rule: &Retention| needed(&told.entries, rule, &sizes, told.at_ms);
        if (needed(&rule).len() as u64) * 10 > max_bytes {
            // What is left can only be what must stay: nothing more goes.
            let none = Retention { max_bytes: 0, ..RULE };
            prop_assert_eq!(needed(&none), needed(&rule));
        }
        // No more goes than has to: one version frees no more than the texts at its two ends.
        let is_all = needed(&rule) == needed(&Retention { max_bytes: u64::MAX, ..RULE });
        let frees = (needed(&rule).len() as u64) * 10 + 20;
        prop_assert!(is_all || frees > max_bytes || after.len() < before.len(), "{frees} of {max_bytes}");
    }
}

#[test]
fn a_person_who_writes_for_hours_keeps_a_version_of_every_five_minutes() {
    let events: Vec<(u64, Event)> = (0..120).map(|_| (MINUTE, Event::Typed(0))).collect();
    let told = Teller::of(&events);
    let rest = retained(&told.entries, &RULE, &Sizes::new(), told.at_ms + 60 * MINUTE);
    let versions = &listed(&rest)[&path_of(0)];
    // Six saves, a minute apart, lie within five minutes; what the note came with stands alone.
    assert_eq!(versions.len(), 21);
    assert_chains(&listed(&rest));
}

#[test]
fn what_was_just_typed_is_not_folded_yet() {
    let events: Vec<(u64, Event)> = (0..4).map(|_| (MINUTE, Event::Typed(0))).collect();
    let told = Teller::of(&events);
    assert_eq!(retained(&told.entries, &RULE, &Sizes::new(), told.at_ms), told.entries);
}

#[test]
fn a_vault_that_nobody_writes_to_does_not_age() {
    let events: Vec<(u64, Event)> = (0..40).map(|_| (20 * MINUTE, Event::Outside(0))).collect();
    let told = Teller::of(&events);
    assert_eq!(retained(&told.entries, &RULE, &Sizes::new(), u64::MAX), told.entries);
    let days: BTreeSet<u64> = told.entries.iter().map(|entry| entry.at_ms() / DAY).collect();
    let events: Vec<(u64, Event)> = events.into_iter().chain([(80 * DAY, Event::Outside(0))]).collect();
    let told = Teller::of(&events);
    assert_eq!(listed(&retained(&told.entries, &RULE, &Sizes::new(), u64::MAX))[&path_of(0)].len(), days.len() + 2);
}
