//! What a server remembers between calls: how new the index is that search, links and listings answer from, and which
//! texts hold no secrets.

use super::Call;
use super::sections::Pieces;
use engine::ContentHash;
use note::NoteText;
use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// When the whole disk was last looked at for a client, how long that took, and which texts were found to be clean.
#[derive(Debug, Default)]
pub(crate) struct Remembered {
    look: Mutex<Option<Look>>,
    clean: Mutex<HashSet<ContentHash>>,
    /// Of some of them, into what pieces they are cut.
    pieces: Mutex<HashMap<ContentHash, Arc<Pieces>>>,
}

#[derive(Debug, Clone, Copy)]
struct Look {
    end: Instant,
    took: Duration,
}

/// How long a call waits for a vault that is being indexed for the first time.
const INDEX_WAIT: Duration = Duration::from_secs(10);
/// A look is worth its time again after so many times as long. The watcher tells of changes meanwhile; looking only
/// closes the moment between a change and its report, so in a large vault it need not happen at every call.
const REST: u32 = 10;

/// How many texts are remembered, so that what was read once is not read at each search.
const MAX_CLEAN: usize = 200_000;
/// Of how many the pieces are.
const MAX_PIECES: usize = 10_000;

impl Remembered {
    /// Whether a text is known to hold no secrets.
    pub fn is_clean(&self, hash: &ContentHash) -> bool {
        self.clean.lock().unwrap_or_else(PoisonError::into_inner).contains(hash)
    }

    /// Remembers a text that holds none. One whose characters may stand for bytes that are none is not remembered, so that
    /// what is can be written as it is shown.
    pub fn found_clean(&self, text: &NoteText) {
        if text.as_str().contains(char::REPLACEMENT_CHARACTER) {
            return;
        }
        let mut clean = self.clean.lock().unwrap_or_else(PoisonError::into_inner);
        if clean.len() >= MAX_CLEAN {
            clean.clear();
        }
        clean.insert(text.hash());
    }

    /// Returns the pieces of a text that holds no secrets, if they are known.
    pub fn pieces(&self, hash: &ContentHash) -> Option<Arc<Pieces>> {
        self.pieces.lock().unwrap_or_else(PoisonError::into_inner).get(hash).cloned()
    }

    /// Remembers the pieces of a text that holds no secrets.
    pub fn found_pieces(&self, hash: ContentHash, found: Arc<Pieces>) {
        let mut pieces = self.pieces.lock().unwrap_or_else(PoisonError::into_inner);
        if pieces.len() >= MAX_PIECES {
            pieces.clear();
        }
        pieces.insert(hash, found);
    }
}

/// Makes sure that the index knows the files of now, as far as that can be had in good time. Returns whether the whole
/// vault has been indexed.
pub(crate) fn refresh(call: &Call<'_>) -> bool {
    let ready = call.desk.wait_indexed(INDEX_WAIT);
    let last = *call.remembered.look.lock().unwrap_or_else(PoisonError::into_inner);
    if last.is_none_or(|look| look.is_old(Instant::now())) {
        look(call);
    }
    ready
}

/// Looks at the whole disk now, whatever it takes.
pub(crate) fn look(call: &Call<'_>) {
    let begin = Instant::now();
    call.desk.catch_up();
    let end = Instant::now();
    *call.remembered.look.lock().unwrap_or_else(PoisonError::into_inner) = Some(Look { end, took: end - begin });
}

/// Waits until titles and other spellings can be looked up.
pub(crate) fn wait_indexed(call: &Call<'_>) {
    call.desk.wait_indexed(INDEX_WAIT);
}

impl Look {
    fn is_old(self, now: Instant) -> bool {
        now.saturating_duration_since(self.end) >= self.took * REST
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quick_look_is_soon_old_and_a_slow_one_later() {
        let now = Instant::now();
        let after = |took: u64, passed: u64| {
            Look { end: now, took: Duration::from_millis(took) }.is_old(now + Duration::from_millis(passed))
        };
        assert!(after(1, 10) && !after(100, 900) && after(100, 1000));
    }
}
