//! What a server remembers between calls: how new the index is that search, links and listings answer from, and which
//! texts hold no secrets.

use super::Call;
use super::sections::Pieces;
use crate::limits::secrets::Secrets;
use engine::{ContentHash, DeskView, NoteQuery, NoteSort};
use note::NoteText;
use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// When the whole disk was last looked at for a client, how long that took, and which texts were found to be clean.
#[derive(Debug, Default)]
pub(crate) struct Remembered {
    look: Mutex<Option<Look>>,
    clean: Mutex<HashSet<ContentHash>>,
    /// Whether somebody reads the texts that nobody has asked for yet, or has.
    is_acquainted: AtomicBool,
    /// Of some of them, into what pieces they are cut.
    pieces: Mutex<HashMap<ContentHash, Arc<Pieces>>>,
}

#[derive(Debug, Clone, Copy)]
struct Look {
    end: Instant,
    took: Duration,
}

/// How long a call waits for a vault that is being indexed for the first time.
pub(crate) const INDEX_WAIT: Duration = Duration::from_secs(10);
/// A look is worth its time again after so many times as long. The watcher tells of changes meanwhile; looking only
/// closes the moment between a change and its report, so in a large vault it need not happen at every call.
const REST: u32 = 10;

/// How many texts are remembered, so that what was read once is not read at each search.
const MAX_CLEAN: usize = 200_000;
/// Of how many the pieces are.
const MAX_PIECES: usize = 10_000;
/// A pause between two texts that nobody waits for, in which others have the disk.
const BETWEEN: Duration = Duration::from_micros(50);

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

/// Begins, once, to read the texts that searches may find, newest first, so that they need not be read while somebody waits.
/// It ends by itself, or with the server.
pub(crate) fn get_acquainted(call: &Call<'_>, view: &DeskView) {
    if call.remembered.is_acquainted.swap(true, Ordering::Relaxed) {
        return;
    }
    let (remembered, view, settings) = (Arc::downgrade(call.remembered), view.clone(), *call.settings);
    let read = move || {
        let newest = NoteQuery { sort: NoteSort::Updated, limit: MAX_PIECES / 2, ..NoteQuery::default() };
        for item in view.list_notes(&newest).notes {
            let Some(remembered) = remembered.upgrade() else { return };
            let is_known = item.content_hash.parse().is_ok_and(|hash| remembered.pieces(&hash).is_some());
            if let Some(text) = (!is_known).then(|| view.text(&item.path)).flatten()
                && (!settings.redact_secrets || Secrets::of(text.as_str()).is_empty())
            {
                remembered.found_clean(&text);
                let pieces = Pieces::of(&text, &note::parse(&text), &Secrets::none());
                remembered.found_pieces(text.hash(), Arc::new(pieces));
            }
            drop(remembered);
            std::thread::sleep(BETWEEN);
        }
    };
    // Without a thread searches read more, and nothing else is different.
    let _ = std::thread::Builder::new().name("vidimus-texts".to_owned()).spawn(read);
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
