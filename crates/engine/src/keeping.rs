//! How long the history is kept: what the journal's entries mean to the vault, and the housekeeping between two requests.

use crate::engine::health_notice;
use crate::operation::{CommitLabel, OpRecord};
use crate::writer::Writer;
use crate::{Actor, Intent};
use index::IndexView;
use note::ContentHash;
use std::time::{Duration, Instant};
use vault::{Entry, Meaning, Retention, Sense, State, Tidied};

/// Housekeeping in one go: no more than a person who saves meanwhile would notice.
const AT_ONCE: Duration = Duration::from_millis(20);

/// What the vault cannot know by itself.
struct Known {
    index: IndexView,
}

impl Meaning for Known {
    fn sense(&self, entry: &Entry) -> Sense {
        sense(entry)
    }

    fn current(&self) -> Vec<ContentHash> {
        self.index.files().filter_map(|entry| entry.hash).collect()
    }
}

impl Writer {
    /// Tells what the vault found out about its disk since it was last asked.
    pub(crate) fn tell_health(&mut self) {
        let health = self.vault.health();
        for notice in health.iter().filter(|notice| !self.told_health.contains(notice)) {
            self.shared.notice(health_notice(notice));
        }
        self.told_health = health;
    }

    /// Does a little of the housekeeping, once every file has been seen: until then it is not known what is current.
    pub(crate) fn keep_house(&mut self, now_ms: u64) {
        if !self.complete || !self.queue.is_empty() || self.index.is_none() {
            return;
        }
        let known = Known { index: self.view().index };
        let began = Instant::now();
        while began.elapsed() < AT_ONCE {
            match self.vault.tidy(now_ms, &Retention::default(), &known) {
                Tidied::Nothing => return,
                Tidied::More => {}
                Tidied::Rewritten => return self.replay_journal(),
            }
        }
    }
}

fn sense(entry: &Entry) -> Sense {
    let state = |hash: Option<ContentHash>| hash.map_or(State::Absent, State::Is);
    match entry {
        Entry::Begun { label, .. } if label.is_null() => Sense::Part,
        Entry::Begun { label, .. } => match serde_json::from_value::<CommitLabel>(label.clone()) {
            Ok(label) => match (label.actor, label.intent) {
                (Actor::Person, Intent::SaveText { .. }) => Sense::Typing,
                _ => Sense::Part,
            },
            Err(_) => Sense::Unknown,
        },
        Entry::Recorded { body, .. } => match serde_json::from_value::<OpRecord>(body.clone()) {
            Ok(OpRecord::Proposed { .. }) => Sense::Opens,
            Ok(OpRecord::Amended { .. } | OpRecord::Folders { .. }) => Sense::Part,
            Ok(OpRecord::Declined { .. } | OpRecord::Withdrawn) => Sense::Closes,
            Ok(OpRecord::Outside { path, before, after }) => {
                Sense::Version { path, before: state(before), after: state(after) }
            }
            Ok(OpRecord::Identity { path, .. }) => Sense::Standing { subject: path.as_str().to_owned() },
            Err(_) => Sense::Unknown,
        },
        _ => Sense::Part,
    }
}
