//! `vidimus mcp`: MCP over standard input and output.

use super::say::note;
use super::{DONE, FAILED, McpArgs, Stop, WritesArg};
use crate::control::Role;
use crate::fault::Fault;
use crate::listen::Listener;
use crate::owner;
use crate::record::CallRecord;
use crate::store::{Sockets, Store};
use crate::vaults::{self, Folder};
use engine::{Engine, Writes};
use mcp::{DoorSettings, Hello, Presence, RelayError, SocketError, Upstream};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Mutex;
use tokio::time::{Instant, sleep};
use tokio_util::sync::CancellationToken;

/// How long to look for an owner, or to become it.
const PATIENCE: Duration = Duration::from_secs(20);
const PAUSE: Duration = Duration::from_millis(40);
/// How long a window that asked for the vault has it to itself.
const PRECEDENCE: Duration = Duration::from_secs(10);
/// How long an agent's process waits for another owner to come back before it becomes the owner itself.
const COURTESY: Duration = Duration::from_millis(300);

pub fn run(args: McpArgs) -> Result<u8, Stop> {
    let store = Store::of_this_account().map_err(Fault::from)?;
    let folder = vaults::locate(&store, &args.vault.vault).map_err(|error| Stop::opening(error.into()))?;
    let sockets = store.sockets(&folder.key);
    let writes = match args.leave.writes {
        WritesArg::Off => Writes::Off,
        WritesArg::Review => Writes::Review,
        WritesArg::Allow => Writes::Allow,
    };
    // Lines are passed on by one thread: to wake another for each step takes longer than the step. Tools have their own.
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(|error| {
        Stop::failed(format!("cannot start: {error}"), "see whether this account may start threads")
    })?;
    let hello = Hello::new(args.client, writes).limited_to(some(args.leave.only_folder), some(args.leave.only_tool));
    let session = Session {
        store,
        folder,
        sockets,
        hello: hello.clone(),
        presence: Presence::default(),
        owned: None,
        is_first: true,
    };
    let session = Arc::new(Mutex::new(session));
    let end = runtime.block_on(async {
        let end = mcp::relay_stdio(hello, || {
            let session = session.clone();
            async move { session.lock().await.connect().await }
        });
        let end = end.await;
        session.lock().await.let_go().await;
        end
    });
    // Standard input is read by a thread that only its end wakes up.
    runtime.shutdown_background();
    match end {
        Ok(()) => Ok(DONE),
        Err(RelayError::Connect(fault)) => Err(Stop::opening(fault)),
        // The client is gone; nobody is left to tell.
        Err(RelayError::Client(_)) => Ok(FAILED),
    }
}

/// Nothing named is no limit.
fn some<T>(named: Vec<T>) -> Option<Vec<T>> {
    (!named.is_empty()).then_some(named)
}

/// One agent's session, at whichever process has the vault at the moment.
struct Session {
    store: Store,
    folder: Folder,
    sockets: Sockets,
    hello: Hello,
    presence: Presence,
    owned: Option<Owned>,
    is_first: bool,
}

/// What this process holds while it owns the vault.
struct Owned {
    engine: Engine,
    listener: Option<Listener>,
    session: CancellationToken,
    /// Set when a window asked for the vault.
    gave_way: CancellationToken,
}

impl Session {
    /// Finds the owner of the vault, or becomes it.
    async fn connect(&mut self) -> Result<Upstream, Fault> {
        let gave_way = self.let_go().await;
        let begun = Instant::now();
        let own_from = match (std::mem::take(&mut self.is_first), gave_way) {
            (_, true) => begun + PRECEDENCE,
            (true, _) => begun,
            // Several processes may have lost their owner at once: they do not all jump at the same moment.
            (false, _) => begun + COURTESY + Duration::from_millis(u64::from(std::process::id() % 8) * 25),
        };
        loop {
            match mcp::connect(&self.sockets.agents, &self.hello).await {
                Ok(upstream) => return Ok(upstream),
                Err(SocketError::Refused { reason }) => {
                    return Err(Fault::new("vault_busy", reason, "close that program, then start this again"));
                }
                Err(_) => {}
            }
            if Instant::now() >= own_from {
                match self.own().await {
                    Err(fault) if fault.code == "vault_busy" && begun.elapsed() < PATIENCE => {}
                    owned => return owned,
                }
            }
            sleep(PAUSE).await;
        }
    }

    /// Opens the vault in this process, and listens for the others.
    async fn own(&mut self) -> Result<Upstream, Fault> {
        let (store, folder) = (self.store.clone(), self.folder.clone());
        let opened = tokio::task::spawn_blocking(move || owner::open(&store, &folder)).await;
        let engine = opened.map_err(|_| Fault::internal())??;
        for notice in engine.info().health {
            note(&format!("vidimus: {}", notice.message));
        }
        self.presence.keep_in(Some(Arc::new(CallRecord::in_folder(&self.store.state_folder(&self.folder.key)))));
        let (session, gave_way) = (CancellationToken::new(), CancellationToken::new());
        let listener = self.listen(&engine, gave_way.clone());
        let desk = self.hello.desk(&engine);
        let upstream = Upstream::to_desk(desk, DoorSettings::default(), self.presence.clone(), session.clone())
            .giving_way(gave_way.clone().cancelled_owned());
        self.owned = Some(Owned { engine, listener, session, gave_way });
        Ok(upstream)
    }

    /// Without a socket the agent is served all the same; only nobody else can reach the vault meanwhile.
    fn listen(&self, engine: &Engine, gave_way: CancellationToken) -> Option<Listener> {
        let give_way = move || {
            gave_way.cancel();
            true
        };
        match Listener::start(&self.sockets, engine, Role::Headless, &self.presence, give_way) {
            Ok(listener) => Some(listener),
            Err(error) => {
                note(&format!("vidimus: other programs cannot reach this vault while it is open here: {error}"));
                None
            }
        }
    }

    /// Closes the vault if this process owned it, and tells whether a window asked for it.
    async fn let_go(&mut self) -> bool {
        let Some(owned) = self.owned.take() else { return false };
        owned.session.cancel();
        if let Some(listener) = owned.listener {
            listener.stop().await;
        }
        let _ = tokio::task::spawn_blocking(move || owned.engine.close()).await;
        owned.gave_way.is_cancelled()
    }
}
