//! How much one client may ask for, so that a client that runs wild leaves the computer to its person and to the others.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

/// How many requests of one client may run at once, those that wait for a person or for changes among them.
const AT_ONCE: usize = 64;
/// How many may come in one go.
const BURST: f64 = 2000.0;
/// How many more are let in with each second.
const PER_SECOND: f64 = 100.0;

/// What each client has left. There are as many as a person let in.
#[derive(Default)]
pub(crate) struct Pace(Mutex<HashMap<String, Left>>);

struct Left {
    allowance: f64,
    seen: Instant,
    running: usize,
}

/// Why a request must wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TooMany {
    AtOnce,
    InARow,
}

/// The right to be answered; it lasts until the work is done and the answer is out.
pub(crate) struct Turn {
    pace: Arc<Pace>,
    client: String,
}

impl Pace {
    /// Lets a request in, or says why it must wait.
    pub fn enter(self: &Arc<Pace>, client: &str, now: Instant) -> Result<Turn, TooMany> {
        let mut clients = self.clients();
        let left = clients.entry(client.to_owned()).or_insert(Left { allowance: BURST, seen: now, running: 0 });
        let gained = now.saturating_duration_since(left.seen).as_secs_f64() * PER_SECOND;
        left.allowance = (left.allowance + gained).min(BURST);
        left.seen = now.max(left.seen);
        if left.running >= AT_ONCE {
            return Err(TooMany::AtOnce);
        }
        if left.allowance < 1.0 {
            return Err(TooMany::InARow);
        }
        left.allowance -= 1.0;
        left.running += 1;
        Ok(Turn { pace: self.clone(), client: client.to_owned() })
    }

    fn clients(&self) -> MutexGuard<'_, HashMap<String, Left>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        if let Some(left) = self.pace.clients().get_mut(&self.client) {
            left.running = left.running.saturating_sub(1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn ten_thousand_requests_in_a_minute_are_too_many_for_one_and_nothing_to_another() {
        let (pace, begin) = (Arc::new(Pace::default()), Instant::now());
        let let_in = |client: &str, n: u64| {
            let times = (0..n).map(|k| begin + Duration::from_millis(k * 60_000 / n));
            times.filter(|at| pace.enter(client, *at).is_ok()).count()
        };
        assert!((7_900..=8_100).contains(&let_in("wild", 10_000)));
        assert_eq!(let_in("busy", 6_000), 6_000);
        assert_eq!(pace.enter("wild", begin + Duration::from_secs(60)).err(), Some(TooMany::InARow));
        assert!(pace.enter("wild", begin + Duration::from_secs(62)).is_ok());
        // A clock that goes backwards gives nothing away.
        assert!(pace.enter("busy", begin).is_ok());
    }

    #[test]
    fn a_turn_is_over_when_its_answer_is_out() {
        let (pace, now) = (Arc::new(Pace::default()), Instant::now());
        let mut turns: Vec<Turn> = (0..AT_ONCE).map(|_| pace.enter("a", now).unwrap()).collect();
        assert_eq!(pace.enter("a", now).err(), Some(TooMany::AtOnce));
        assert!(pace.enter("b", now).is_ok());
        turns.pop();
        turns.push(pace.enter("a", now).unwrap());
        assert_eq!(pace.enter("a", now).err(), Some(TooMany::AtOnce));
    }
}
