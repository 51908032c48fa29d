//! Who is there: which clients are connected or have asked lately, for a person to see.

use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};
use tokio::sync::watch;

/// The clients of all doors of a program. Cheap to clone; all clones are one.
#[derive(Debug, Clone)]
pub struct Presence(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    clients: Mutex<BTreeMap<(String, Door), Client>>,
    calls: Mutex<VecDeque<Called>>,
    /// Where calls are kept beyond the life of the program.
    log: Mutex<Option<Arc<dyn Record>>>,
    changed: watch::Sender<u64>,
}

#[derive(Debug, Clone)]
struct Client {
    connections: u32,
    last_seen: SystemTime,
    n_calls: u64,
    program: Option<String>,
}

/// The way in that a client took.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Door {
    /// Its own process started this program, which may be a pipe to the one that has the vault open.
    #[serde(alias = "socket")]
    Stdio,
    /// HTTP on this machine.
    Http,
}

impl Door {
    /// Returns the name that other programs see.
    pub fn as_str(self) -> &'static str {
        match self {
            Door::Stdio => "stdio",
            Door::Http => "http",
        }
    }
}

/// What is known of one client.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClientPresence {
    /// The name under which a person let it in.
    pub client: String,
    /// Which way it came.
    pub door: Door,
    /// What the program calls itself, if it said so.
    pub program: Option<String>,
    /// Whether it holds a connection, or has asked within the last minutes where connections are not held.
    pub connected: bool,
    /// When it last asked for something.
    pub last_seen: SystemTime,
    /// How many requests it made.
    pub n_calls: u64,
}

/// One call of a tool, for a person to see what agents do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Called {
    /// When it was answered.
    pub at: SystemTime,
    /// Who called.
    pub client: String,
    /// Which way the call came.
    pub door: Door,
    /// What was called.
    pub tool: String,
    /// The note, query or operation that it was about.
    pub subject: Option<String>,
    /// The code of the error, if it was refused or failed.
    pub refused: Option<String>,
    /// Whether it left something that waits for a person.
    pub waiting: bool,
    /// How long the answer took.
    pub took: Duration,
}

/// Where calls are kept beyond the life of the program.
pub trait Record: Send + Sync + std::fmt::Debug {
    /// Adds a call that was answered.
    ///
    /// # Errors
    /// It cannot be kept.
    fn add(&self, call: &Called) -> std::io::Result<()>;
    /// Returns all that is kept, oldest first.
    ///
    /// # Errors
    /// It cannot be read.
    fn calls(&self) -> std::io::Result<Vec<Called>>;
}

/// How many calls are remembered.
const MAX_CALLS: usize = 200;

/// Over HTTP nothing stays open between requests, so a client counts as there for so long.
const HTTP_LINGER: Duration = Duration::from_secs(300);

impl Default for Presence {
    fn default() -> Presence {
        Presence(Arc::new(Inner {
            clients: Mutex::default(),
            calls: Mutex::default(),
            log: Mutex::default(),
            changed: watch::Sender::new(0),
        }))
    }
}

impl Presence {
    /// Lists all clients that were here since the program began, by name.
    pub fn clients(&self) -> Vec<ClientPresence> {
        let now = SystemTime::now();
        self.lock()
            .iter()
            .map(|((name, door), client)| ClientPresence {
                client: name.clone(),
                door: *door,
                program: client.program.clone(),
                connected: client.connections > 0 || (*door == Door::Http && is_fresh(client.last_seen, now)),
                last_seen: client.last_seen,
                n_calls: client.n_calls,
            })
            .collect()
    }

    /// Counts the clients that are there now.
    pub fn n_connected(&self) -> usize {
        self.clients().iter().filter(|client| client.connected).count()
    }

    /// Lists the last calls, newest first.
    pub fn calls(&self) -> Vec<Called> {
        self.0.calls.lock().unwrap_or_else(PoisonError::into_inner).iter().rev().cloned().collect()
    }

    /// Keeps calls in the record of a vault from now on, and takes up what it holds; with `None`, in none.
    pub fn keep_in(&self, log: Option<Arc<dyn Record>>) {
        let mut kept = log.as_ref().and_then(|log| log.calls().ok()).unwrap_or_default();
        kept.drain(..kept.len().saturating_sub(MAX_CALLS));
        *self.0.log.lock().unwrap_or_else(PoisonError::into_inner) = log;
        *self.0.calls.lock().unwrap_or_else(PoisonError::into_inner) = kept.into();
        self.tell();
    }

    /// Notes a call that was answered.
    pub(crate) fn called(&self, call: Called) {
        if let Some(log) = &*self.0.log.lock().unwrap_or_else(PoisonError::into_inner) {
            // A record that cannot be written is no reason to refuse a call that was answered already.
            let _ = log.add(&call);
        }
        let mut calls = self.0.calls.lock().unwrap_or_else(PoisonError::into_inner);
        if calls.len() == MAX_CALLS {
            calls.pop_front();
        }
        calls.push_back(call);
        drop(calls);
        self.tell();
    }

    /// Returns a channel whose value changes whenever a client comes, goes or asks for something.
    pub fn changes(&self) -> watch::Receiver<u64> {
        self.0.changed.subscribe()
    }

    /// Forgets a client that a person has shut out.
    pub fn forget(&self, client: &str) {
        self.lock().retain(|(name, _), _| name != client);
        self.tell();
    }

    /// Notes a connection for as long as the guard lives.
    pub(crate) fn connected(&self, client: &str, door: Door) -> Connected {
        self.update(client, door, |entry| entry.connections += 1);
        Connected { presence: self.clone(), client: client.to_owned(), door }
    }

    /// Notes a request.
    pub(crate) fn seen(&self, client: &str, door: Door, program: Option<String>) {
        self.update(client, door, |entry| {
            entry.n_calls += 1;
            entry.last_seen = SystemTime::now();
            if let Some(program) = program {
                entry.program = Some(program.chars().filter(|c| !c.is_control()).take(80).collect());
            }
        });
    }

    fn update(&self, client: &str, door: Door, change: impl FnOnce(&mut Client)) {
        let fresh = || Client { connections: 0, last_seen: SystemTime::now(), n_calls: 0, program: None };
        change(self.lock().entry((client.to_owned(), door)).or_insert_with(fresh));
        self.tell();
    }

    fn tell(&self) {
        self.0.changed.send_modify(|n| *n = n.wrapping_add(1));
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<(String, Door), Client>> {
        self.0.clients.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn is_fresh(last_seen: SystemTime, now: SystemTime) -> bool {
    now.duration_since(last_seen).map_or(true, |age| age < HTTP_LINGER)
}

/// A connection that is held.
#[derive(Debug)]
pub(crate) struct Connected {
    presence: Presence,
    client: String,
    door: Door,
}

impl Drop for Connected {
    fn drop(&mut self) {
        self.presence.update(&self.client, self.door, |entry| entry.connections = entry.connections.saturating_sub(1));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_earlier_versions_wrote_down_is_read() {
        let read = |text: &str| serde_json::from_str::<Door>(text).unwrap();
        assert_eq!([read("\"socket\""), read("\"stdio\""), read("\"http\"")], [Door::Stdio, Door::Stdio, Door::Http]);
    }

    #[test]
    fn clients_come_ask_and_go() {
        let presence = Presence::default();
        let changes = presence.changes();
        let connection = presence.connected("Claude", Door::Stdio);
        presence.seen("Claude", Door::Stdio, Some("claude\u{7}-code".to_owned()));
        presence.seen("Cursor", Door::Http, None);
        let shown: Vec<_> =
            presence.clients().into_iter().map(|c| (c.client, c.connected, c.n_calls, c.program)).collect();
        assert_eq!(
            shown,
            [("Claude".to_owned(), true, 1, Some("claude-code".to_owned())), ("Cursor".to_owned(), true, 1, None),]
        );
        drop(connection);
        assert_eq!(presence.n_connected(), 1);
        assert!(changes.has_changed().unwrap());
        presence.forget("Cursor");
        assert_eq!(presence.n_connected(), 0);
    }
}
