//! What a client is told without asking: that a note or operation it follows changed, and that notes came or went. In the
//! era of handshakes a session follows by `resources/subscribe`; since then a client listens by a request of its own.

use super::resources::{note_uri, operation_uri};
use engine::{Desk, Event};
use rmcp::RoleServer;
use rmcp::model::{ErrorData, ResourceUpdatedNotificationParam, SubscriptionFilter};
use rmcp::service::{Peer, SubscriptionContext};
use std::collections::{HashSet, VecDeque};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::RecvTimeoutError;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::mpsc;

/// What one session is told of.
#[derive(Debug, Clone, Default)]
pub(crate) struct Followed(Arc<Following>);

#[derive(Debug, Default)]
struct Following {
    /// The addresses that it follows.
    uris: Mutex<HashSet<String>>,
    begun: AtomicBool,
}

/// A change of the vault as a reader of resources sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Change {
    /// What stands behind this address changed.
    Updated(String),
    /// There are other resources than before.
    List,
}

/// Returns what a client may see at this moment: a person can change that, or take it away, while it listens.
pub(crate) type Leave = Arc<dyn Fn() -> Option<Desk> + Send + Sync>;

/// How many addresses one session may follow.
const MAX_FOLLOWED: usize = 1000;
/// How many clients may be on their way to listening at once.
const MAX_ASKED: usize = 256;
/// How often a thread looks whether anybody still listens while nothing happens.
const LOOK: Duration = Duration::from_secs(5);

impl Followed {
    /// Follows one address more.
    ///
    /// # Errors
    /// The session follows too many.
    pub fn add(&self, uri: String) -> Result<(), ErrorData> {
        let mut uris = self.uris();
        if uris.len() >= MAX_FOLLOWED && !uris.contains(&uri) {
            return Err(ErrorData::invalid_params(format!("a session follows at most {MAX_FOLLOWED} resources"), None));
        }
        uris.insert(uri);
        Ok(())
    }

    /// Follows one less.
    pub fn remove(&self, uri: &str) {
        self.uris().remove(uri);
    }

    /// Begins, once, to tell the session of changes, and goes on until it or the vault ends.
    pub fn begin(&self, desk: &Desk, peer: Peer<RoleServer>, leave: Leave) {
        if self.0.begun.swap(true, Ordering::Relaxed) {
            return;
        }
        let (followed, mut changes) = (self.clone(), changes(desk, Instant::now(), leave.clone()));
        tokio::spawn(async move {
            while let Some(change) = changes.recv().await {
                let told = match change {
                    _ if leave().is_none() => continue,
                    Change::List => peer.notify_resource_list_changed().await,
                    Change::Updated(uri) if followed.uris().contains(&uri) => {
                        peer.notify_resource_updated(ResourceUpdatedNotificationParam::new(uri)).await
                    }
                    Change::Updated(_) => continue,
                };
                if told.is_err() {
                    return;
                }
            }
            // The vault was closed; the session may follow the next one.
            followed.0.begun.store(false, Ordering::Relaxed);
        });
    }

    fn uris(&self) -> MutexGuard<'_, HashSet<String>> {
        self.0.uris.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns the part of a filter that can be served.
pub(crate) fn accepted(requested: &SubscriptionFilter) -> SubscriptionFilter {
    let mut accepted = SubscriptionFilter::new();
    accepted.resources_list_changed = requested.resources_list_changed;
    let uris = requested.resource_subscriptions.iter().flatten().take(MAX_FOLLOWED);
    accepted.resource_subscriptions = Some(uris.filter(|uri| super::resources::is_ours(uri)).cloned().collect());
    accepted
}

/// When clients asked to listen. The library asks what they may listen to, sends them that, and only then hands the rest over:
/// what happens in between is theirs to hear.
#[derive(Debug, Clone, Default)]
pub(crate) struct Asked(Arc<Mutex<VecDeque<(SubscriptionFilter, Instant)>>>);

impl Asked {
    /// Takes note that a client asks now.
    pub fn note(&self, requested: &SubscriptionFilter) {
        let mut waiting = self.waiting();
        // Those that went before they could listen are never taken out.
        while waiting.len() >= MAX_ASKED {
            waiting.pop_front();
        }
        waiting.push_back((requested.clone(), Instant::now()));
    }

    /// Returns when the one that listens asked. Of several that ask for the same, one may hear what another one missed.
    pub fn take(&self, requested: &SubscriptionFilter) -> Instant {
        let mut waiting = self.waiting();
        let at = waiting.iter().position(|(filter, _)| filter == requested);
        at.and_then(|at| waiting.remove(at)).map_or_else(Instant::now, |(_, at)| at)
    }

    fn waiting(&self) -> MutexGuard<'_, VecDeque<(SubscriptionFilter, Instant)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Tells a listening client of what its filter lets through since it asked, until it stops.
pub(crate) async fn listen(desk: &Desk, since: Instant, context: &SubscriptionContext, leave: Leave) {
    let mut changes = changes(desk, since, leave.clone());
    let (filter, sink) = (context.accepted(), context.sink());
    loop {
        let change = tokio::select! {
            () = context.cancelled() => return,
            change = changes.recv() => change,
        };
        let told = match change {
            None => return,
            Some(_) if leave().is_none() => continue,
            Some(Change::List) if filter.resources_list_changed == Some(true) => {
                sink.notify_resource_list_changed().await
            }
            Some(Change::Updated(uri)) if filter.resource_subscriptions.iter().flatten().any(|known| *known == uri) => {
                sink.notify_resource_updated(uri).await
            }
            Some(_) => continue,
        };
        if told.is_err() {
            return;
        }
    }
}

/// Follows the vault's events on a thread of its own, which ends soon after the receiver.
fn changes(desk: &Desk, since: Instant, leave: Leave) -> mpsc::Receiver<Change> {
    let events = desk.events(since);
    let (sender, receiver) = mpsc::channel(256);
    std::thread::spawn(move || {
        loop {
            match events.recv_timeout(LOOK) {
                Ok(event) => {
                    let told = leave().and_then(|desk| desk.told(event));
                    for change in told.map(changes_of).unwrap_or_default() {
                        if sender.blocking_send(change).is_err() {
                            return;
                        }
                    }
                }
                Err(RecvTimeoutError::Timeout) if !sender.is_closed() => {}
                Err(_) => return,
            }
        }
    });
    receiver
}

fn changes_of(event: Event) -> Vec<Change> {
    match event {
        Event::NotesChanged { changed, .. } => {
            let notes = || changed.iter().filter(|change| change.path.to_lowercase().ends_with(".md"));
            let is_other = notes().any(|change| change.before.is_none() != change.after.is_none());
            let updated = notes().map(|change| Change::Updated(note_uri(&change.path)));
            updated.chain(is_other.then_some(Change::List)).collect()
        }
        Event::OperationChanged { id, .. } => vec![Change::Updated(operation_uri(&id))],
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine::{Engine, OpenVault, Writes};

    #[tokio::test]
    async fn what_happens_between_the_answer_and_the_listening_is_heard() {
        let dir = tempfile::tempdir().unwrap();
        let (root, state) = (dir.path().join("vault"), dir.path().join("state"));
        std::fs::create_dir(&root).unwrap();
        std::fs::write(root.join("a.md"), "one\n").unwrap();
        let (name, vault_key) = ("Test".to_owned(), "k".to_owned());
        let vault = OpenVault { root: root.clone(), state, name, vault_key, system_trash: None };
        let engine = Arc::new(Engine::open(vault).unwrap());
        assert!(engine.wait_indexed(Duration::from_secs(30)));
        let desk = engine.desk("Test", Writes::Review);
        let leave: Leave = {
            let desk = desk.clone();
            Arc::new(move || Some(desk.clone()))
        };
        let asked = Asked::default();
        let filter = SubscriptionFilter::default();
        asked.note(&filter);
        std::fs::write(root.join("new.md"), "two\n").unwrap();
        engine.catch_up();
        let mut changes = changes(&desk, asked.take(&filter), leave);
        let change = tokio::time::timeout(Duration::from_secs(20), changes.recv()).await.expect("silence");
        assert_eq!(change, Some(Change::Updated(note_uri("new.md"))));
        engine.close();
    }
}
