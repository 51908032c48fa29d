//! Keeps the state folder small: the journal is rewritten with what the rules of keeping leave, and then the texts that
//! it names no more are swept.
//!
//! The order is the promise: the shorter journal is durable before the first text is removed. A crash in between leaves
//! texts that nobody names, never a name without its text.

use std::collections::HashSet;
use std::io;

use note::ContentHash;

use crate::change::Entry;
use crate::disk::Kind;
use crate::recover::unfinished;
use crate::retain::{Past, Sizes, retain};
use crate::sense::{Meaning, Retention, Sense};
use crate::sweep::{Sweep, Wanted};
use crate::{MAX_FILE_LEN, Vault};

/// The journal is looked through again when it grew by this much, or when this time has passed.
const GROWN_BYTES: u64 = 256 * 1024;
const AGAIN_MS: u64 = 60 * 60 * 1000;

/// A rewrite that saves less than this, in bytes and in entries, is not worth it.
const WORTH_BYTES: u64 = 64 * 1024;
const WORTH_ENTRIES: usize = 64;

/// How far the housekeeping of this process is.
#[derive(Default)]
pub(crate) struct Tidying {
    sweep: Option<Sweep>,
    /// What the texts took when they were last swept.
    sizes: Sizes,
    /// Texts that this process gave up and has not seen go: some were too young for the sweep that followed.
    given_up: HashSet<ContentHash>,
    /// The length of the journal when it was last looked through, and when that was.
    seen: Option<(u64, u64)>,
    /// More is kept than may be, and that was not yet acted on.
    is_over: bool,
    /// More is kept than may be, and nothing of it can be given up.
    was_futile: bool,
    /// The engine knows something that could not be written: the journal is not all there is.
    pub(crate) refused: bool,
}

/// What a piece of housekeeping came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tidied {
    /// There is nothing to do for now.
    Nothing,
    /// There is more to do.
    More,
    /// The journal was rewritten: what was replayed from it is out of date. There is more to do.
    Rewritten,
}

impl Vault {
    /// Does a small piece of the housekeeping, so that nobody waits for it; call it while nothing else is to be done.
    pub fn tidy(&mut self, now_ms: u64, rule: &Retention, meaning: &dyn Meaning) -> Tidied {
        if let Some(sweep) = &mut self.tidying.sweep {
            let Some(sizes) = sweep.step(&self.blobs) else { return Tidied::More };
            self.tidying.is_over = sizes.values().sum::<u64>() > rule.max_bytes && !self.tidying.was_futile;
            self.tidying.given_up.retain(|hash| sizes.contains_key(hash));
            self.tidying.sizes = sizes;
            self.tidying.sweep = None;
            return Tidied::Nothing;
        }
        let is_due = match self.tidying.seen {
            None => true,
            Some((len, at_ms)) => {
                self.tidying.is_over
                    || self.journal.len() >= len + GROWN_BYTES
                    || now_ms >= at_ms.saturating_add(AGAIN_MS)
            }
        };
        // Temporary files that may still lie in the vault are known by the journal's last lines.
        if !is_due || !self.displaced.is_empty() || self.has_litter || self.tidying.refused || self.own().is_err() {
            return Tidied::Nothing;
        }
        // If the disk refuses, everything is as it was, and it is tried again after a while.
        let done = self.compact(now_ms, rule, meaning);
        self.tidying.seen = Some((self.journal.len(), now_ms));
        self.tidying.was_futile = self.tidying.is_over && !matches!(done, Ok(true));
        self.tidying.is_over = false;
        match done {
            Ok(true) => Tidied::Rewritten,
            Ok(false) => Tidied::More,
            Err(_) => Tidied::Nothing,
        }
    }

    /// Rewrites the journal if that is worth it, marks what it names, and gets the sweep ready.
    fn compact(&mut self, now_ms: u64, rule: &Retention, meaning: &dyn Meaning) -> io::Result<bool> {
        let sense = |entry: &Entry| match entry {
            Entry::Recorded { .. } | Entry::Begun { .. } => meaning.sense(entry),
            _ => Sense::Part,
        };
        let (waiting, sizes, is_over) = (&self.interrupted, &self.tidying.sizes, self.tidying.is_over);
        let shorter = self.journal.shorter(|entries| {
            let senses: Vec<Sense> = entries.iter().map(sense).collect();
            let waiting = waiting.iter().map(|waiting| waiting.op);
            let unfinished = waiting.chain(unfinished(entries).into_iter().map(|pending| pending.op)).collect();
            retain(&Past { entries, senses: &senses, unfinished: &unfinished, sizes, now_ms }, rule)
        })?;
        let is_worth_it = shorter.n_saved() >= WORTH_BYTES || shorter.n_dropped >= WORTH_ENTRIES || is_over;
        let rewrites = shorter.n_dropped > 0 && is_worth_it;
        if rewrites {
            self.journal.replace_with(&shorter)?;
            self.unswept = false;
        }
        let mut named = if rewrites {
            self.tidying.given_up.extend(shorter.named_before);
            shorter.named_after
        } else {
            shorter.named_before
        };
        named.extend(meaning.current());
        self.name_what_was_set_aside(&mut named)?;
        self.tidying.given_up.retain(|hash| !named.contains(hash));
        let given_up = self.tidying.given_up.clone();
        let wanted = Wanted { named, given_up, others_ms: rule.whole_ms, began_ms: now_ms };
        self.tidying.sweep = Some(Sweep::begin(wanted, shorter.order, &self.blobs)?);
        Ok(rewrites)
    }

    /// Lines and journals that could not be read are kept beside the journal; what they name may be wanted yet.
    fn name_what_was_set_aside(&self, named: &mut HashSet<ContentHash>) -> io::Result<()> {
        for entry in self.disk.list(self.state.path())? {
            let Some(name) = entry.name.to_str() else { continue };
            if !name.starts_with("journal.") || name == "journal.jsonl" || name == "journal.jsonl.new" {
                continue;
            }
            if entry.kind != Kind::File {
                continue;
            }
            let path = self.state.path().join(name);
            if self.disk.stat(&path)?.len > MAX_FILE_LEN {
                return Err(io::ErrorKind::FileTooLarge.into());
            }
            // If it cannot be read, nothing is swept.
            named.extend(hashes_in_bytes(&self.disk.read(&path)?));
        }
        Ok(())
    }
}

/// Finds every run of digits that reads as a hash.
pub(crate) fn hashes_in_bytes(bytes: &[u8]) -> impl Iterator<Item = ContentHash> {
    let runs = bytes.split(|byte| !byte.is_ascii_hexdigit());
    runs.filter_map(|run| std::str::from_utf8(run).ok()?.parse().ok())
}
