//! Sessions of clients that open with a handshake over HTTP: they are there so that such a client can be told of changes.
//! Whoever answers nothing but requests needs none, and goes on without when the server was started again.

use rmcp::transport::streamable_http_server::session::SessionManager;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The header that names a session.
pub(crate) const SESSION: &str = "mcp-session-id";
/// How many sessions one client may have; the one that was used longest ago gives way. A client opens one for each of its
/// windows and seldom closes any.
const MAX_OPEN: usize = 16;
/// How many ended sessions are remembered, so that their clients are told to open new ones.
const MAX_CLOSED: usize = 1000;

/// The open sessions and whose they are.
pub(crate) struct Sessions {
    manager: Arc<LocalSessionManager>,
    known: Mutex<Known>,
}

#[derive(Default)]
struct Known {
    /// The one used last comes last.
    open: VecDeque<Open>,
    closed: VecDeque<String>,
}

struct Open {
    id: String,
    client: String,
}

/// How a session stands towards a client.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Standing {
    /// It is the client's own.
    Open,
    /// It was ended, or is somebody else's.
    Closed,
    /// This run of the server never opened it, or gave it up.
    Unknown,
}

impl Default for Sessions {
    fn default() -> Sessions {
        let mut manager = LocalSessionManager::default();
        // A client that is told of changes may be silent for days; the number of sessions is what bounds them.
        manager.session_config.keep_alive = None;
        Sessions { manager: Arc::new(manager), known: Mutex::default() }
    }
}

impl Sessions {
    pub fn manager(&self) -> Arc<LocalSessionManager> {
        self.manager.clone()
    }

    /// Says how a session stands, and that it was used.
    pub fn standing(&self, id: &str, client: &str) -> Standing {
        let mut known = self.known();
        let Some(at) = known.open.iter().position(|open| open.id == id) else {
            return if known.closed.iter().any(|closed| closed == id) { Standing::Closed } else { Standing::Unknown };
        };
        match known.open.remove(at) {
            Some(open) if open.client == client => {
                known.open.push_back(open);
                Standing::Open
            }
            Some(other) => {
                known.open.insert(at, other);
                Standing::Closed
            }
            None => Standing::Unknown,
        }
    }

    /// Notes a new session; its client's oldest gives way if it has too many.
    pub async fn opened(&self, id: &str, client: &str) {
        let oldest = {
            let mut known = self.known();
            known.open.push_back(Open { id: id.to_owned(), client: client.to_owned() });
            let is_full = known.open.iter().filter(|open| open.client == client).count() > MAX_OPEN;
            let oldest = known.open.iter().position(|open| is_full && open.client == client);
            oldest.and_then(|at| known.open.remove(at))
        };
        if let Some(Open { id, .. }) = oldest {
            // One that has ended by itself meanwhile is as good as closed.
            let _ = self.manager.close_session(&id.into()).await;
        }
    }

    /// Notes that a client ended its session.
    pub fn closed(&self, id: &str) {
        let mut known = self.known();
        known.open.retain(|open| open.id != id);
        known.closed.push_back(id.to_owned());
        if known.closed.len() > MAX_CLOSED {
            known.closed.pop_front();
        }
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
