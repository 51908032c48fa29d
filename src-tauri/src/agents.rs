//! The agents' switch: while it is on and a vault is open, agents reach it over HTTP on this computer.

mod allowed;
mod connecting;

use crate::events::AgentsChanged;
use crate::{session, tray};
pub use connecting::Newcomer;
use engine::Engine;
use headless::agents::bundle;
use headless::agents::clients::{self, Book, Client};
use headless::agents::configs::{ClientConfig, ClientKind, Way};
use headless::agents::connecting::known;
use headless::agents::policy::{self, Policies, Policy};
use headless::agents::scope::{self, AgentTool, Scope};
use headless::fault::Fault;
use headless::programs::own_program;
use headless::record::CallRecord;
use headless::store::{Store, write_whole};
use mcp::{DoorSettings, HttpConfig, HttpServer, Presence, Record, TokenTable};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant};
use tauri::{AppHandle, Runtime};
use tauri_specta::Event;

/// Where the first try is made to listen; taken ports are stepped over.
pub const FIRST_PORT: u16 = 27870;

const SETTLE: Duration = Duration::from_millis(150);
/// How often it is kept when agents were seen.
const KEEP: Duration = Duration::from_secs(60);

/// Everything that the page shows about agents.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, specta::Type)]
pub struct AgentsView {
    /// Whether the person turned it on. It is on at the next start, too.
    pub on: bool,
    /// Where agents connect to; absent while nothing listens.
    pub url: Option<String>,
    pub port: Option<u16>,
    pub n_connected: u32,
    pub clients: Vec<ClientView>,
    /// The tools that an agent can be given.
    pub tools: Vec<AgentTool>,
    /// Newest first.
    pub activity: Vec<Activity>,
    /// Why nothing listens although it is on.
    pub error: Option<Fault>,
}

/// One call of an agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, specta::Type)]
pub struct Activity {
    /// RFC 3339, UTC.
    pub at: String,
    pub client: String,
    pub tool: String,
    /// What it was about: a path, a query, an operation.
    pub subject: Option<String>,
    /// Whether it made a proposal that waits for the person.
    pub waiting: bool,
    pub failed: bool,
}

impl From<mcp::Called> for Activity {
    fn from(called: mcp::Called) -> Activity {
        Activity {
            at: clients::time(called.at),
            client: called.client,
            tool: called.tool,
            subject: called.subject,
            waiting: called.waiting,
            failed: called.refused.is_some(),
        }
    }
}

/// One agent that was let in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, specta::Type)]
pub struct ClientView {
    pub id: String,
    pub name: String,
    /// RFC 3339, UTC.
    pub created_at: String,
    pub last_seen_at: Option<String>,
    pub connected: bool,
    /// What it may do in the vault that is open.
    pub policy: Policy,
    /// What of that vault it may see, and with which tools.
    pub scope: Scope,
}

/// An agent that was just let in, with the token that nobody can be told again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, specta::Type)]
pub struct NewClient {
    pub client: ClientView,
    pub token: String,
}

/// The switch and what hangs on it.
pub struct Agents {
    store: Store,
    book: Mutex<Book>,
    engine: Mutex<Option<Engine>>,
    /// The key of the vault that is open, by which policies are kept.
    vault_key: Mutex<Option<String>>,
    policies: Policies,
    server: Mutex<Option<HttpServer>>,
    error: Mutex<Option<Fault>>,
    tokens: Arc<TokenTable>,
    presence: Presence,
    /// Starting and stopping take turns.
    turn: Mutex<()>,
    tell: Box<dyn Fn(AgentsChanged) + Send + Sync>,
    /// Has the other windows read again whom the person let in.
    spread: Box<dyn Fn() + Send + Sync>,
}

impl Agents {
    pub fn new<R: Runtime>(store: Store, app: AppHandle<R>, window: &str) -> Arc<Agents> {
        let (window, here, others) = (window.to_owned(), window.to_owned(), app.clone());
        let (book, error) = match Book::load(&store) {
            Ok(book) => (book, None),
            // Nobody is let in by a list that cannot be read.
            Err(error) => (Book::default(), Some(Fault::from(error))),
        };
        let agents = Arc::new(Agents {
            store,
            book: Mutex::default(),
            engine: Mutex::default(),
            vault_key: Mutex::default(),
            policies: Policies::default(),
            server: Mutex::default(),
            error: Mutex::new(error),
            tokens: Arc::default(),
            presence: Presence::default(),
            turn: Mutex::default(),
            tell: Box::new(move |event| {
                tray::refresh(&app);
                drop(event.emit_to(&app, window.as_str()));
            }),
            spread: Box::new(move || {
                let others = session::all(&others).list().into_iter().filter(|session| session.window != here);
                others.for_each(|session| session.agents.take_over());
            }),
        });
        agents.keep(book);
        tauri::async_runtime::spawn(follow(Arc::downgrade(&agents), agents.presence.clone()));
        agents
    }

    /// Returns where clients are noted, for the local socket.
    pub fn presence(&self) -> &Presence {
        &self.presence
    }

    /// Takes over what the file says now.
    fn keep(&self, book: Book) {
        let vault = lock(&self.vault_key).clone();
        self.policies.replace(&book, vault.as_deref());
        let let_in = book.clients.iter().filter(|client| policy::of(client, vault.as_deref()) != Policy::Off);
        self.tokens.replace(let_in.map(|client| (client.name.as_str(), client.token_hash.as_str())));
        *lock(&self.book) = book;
    }

    /// Reads again what was changed in another window: who lost its token there loses it here.
    fn take_over(&self) {
        let Ok(book) = Book::load(&self.store) else { return };
        let gone: Vec<String> = {
            let kept = lock(&self.book);
            let is_gone = |client: &&Client| !book.clients.iter().any(|other| other.id == client.id);
            kept.clients.iter().filter(is_gone).map(|client| client.name.clone()).collect()
        };
        let turns_on = book.on;
        {
            let _turn = lock(&self.turn);
            self.keep(book);
            if turns_on != lock(&self.server).is_some() {
                self.stop();
                if turns_on {
                    self.start();
                }
            }
        }
        gone.iter().for_each(|name| self.presence.forget(name));
        self.changed();
    }

    /// A vault was opened: agents are let in to it if the switch is on.
    pub fn vault_opened(&self, engine: Engine, key: &str) {
        let _turn = lock(&self.turn);
        *lock(&self.engine) = Some(engine);
        *lock(&self.vault_key) = Some(key.to_owned());
        self.presence.keep_in(Some(Arc::new(CallRecord::in_folder(&self.store.state_folder(key)))));
        let book = lock(&self.book).clone();
        self.keep(book);
        if lock(&self.book).on {
            self.start();
        }
    }

    /// The vault is about to be closed: nobody may hold on to it.
    pub fn vault_closed(&self) {
        let _turn = lock(&self.turn);
        self.stop();
        *lock(&self.engine) = None;
        *lock(&self.vault_key) = None;
        self.presence.keep_in(None);
    }

    /// Writes every call that agents made in the open vault to a file, as comma-separated values.
    ///
    /// # Errors
    /// No vault is open, or the record cannot be read or the file not written.
    pub fn export(&self, file: &Path) -> Result<(), Fault> {
        let key = lock(&self.vault_key).clone().ok_or_else(Fault::no_vault)?;
        let calls = CallRecord::in_folder(&self.store.state_folder(&key)).calls();
        let written = calls.and_then(|calls| write_whole(file, headless::audit::csv(&calls).as_bytes()));
        let hint = "choose another place, or make room on the disk";
        written.map_err(|error| Fault::new("not_written", format!("`{}`: {error}", file.display()), hint))
    }

    /// Turns the switch, and keeps it so for the next start.
    pub fn switch(&self, on: bool) -> Result<AgentsView, Fault> {
        {
            let _turn = lock(&self.turn);
            let book = clients::change(&self.store, |book| book.on = on)?;
            self.keep(book);
            self.stop();
            if on {
                self.start();
            }
        }
        (self.spread)();
        self.changed();
        Ok(self.view())
    }

    /// Lets an agent in.
    pub fn create(&self, name: &str) -> Result<NewClient, Fault> {
        let (book, client, token) = clients::add(&self.store, name)?;
        self.keep(book);
        (self.spread)();
        self.changed();
        Ok(NewClient { client: self.client_view(&client), token })
    }

    /// Takes an agent's token back; its next call is refused.
    pub fn revoke(&self, id: &str) -> Result<AgentsView, Fault> {
        let name = lock(&self.book).clients.iter().find(|client| client.id == id).map(|client| client.name.clone());
        let book = clients::change(&self.store, |book| book.clients.retain(|client| client.id != id))?;
        self.keep(book);
        if let Some(name) = name {
            self.presence.forget(&name);
        }
        (self.spread)();
        self.changed();
        Ok(self.view())
    }

    pub fn view(&self) -> AgentsView {
        let port = lock(&self.server).as_ref().map(HttpServer::port);
        let book = lock(&self.book).clone();
        AgentsView {
            on: book.on,
            url: port.map(url),
            port,
            n_connected: self.n_connected(),
            clients: book.clients.iter().map(|client| self.client_view(client)).collect(),
            tools: scope::all_tools(),
            activity: self.presence.calls().into_iter().map(Activity::from).collect(),
            error: lock(&self.error).clone(),
        }
    }

    pub fn summary(&self) -> AgentsChanged {
        let on = lock(&self.book).on;
        AgentsChanged { on, n_connected: self.n_connected(), writes_allowed: on && self.policies.allow_something() }
    }

    /// Returns what to write into the settings of each client, or of the one that is named.
    pub fn configs(
        &self,
        client: Option<String>,
        token: Option<String>,
        vault: &str,
    ) -> Result<Vec<ClientConfig>, Fault> {
        let one = |kind: ClientKind| {
            kind.config(&self.way(kind, client.as_deref(), token.clone(), vault), &started(kind, None, vault))
        };
        Ok(ClientKind::ALL.into_iter().map(one).collect())
    }

    /// How a client reaches the vault that is open here.
    fn way(&self, kind: ClientKind, client: Option<&str>, token: Option<String>, vault: &str) -> Way {
        if kind.speaks_http() {
            let running = lock(&self.server).as_ref().map(HttpServer::port);
            let port = running.unwrap_or_else(|| self.usual_port());
            return Way::Http { url: url(port), token };
        }
        started(kind, client, vault)
    }

    /// Returns the link that adds the open vault to a client.
    ///
    /// # Errors
    /// There is no such client, or it knows no such links.
    pub fn link(&self, program: &str, vault: &str) -> Result<String, Fault> {
        let kind = known(program)?;
        kind.link(&started(kind, None, vault)).ok_or_else(|| {
            let hint = "set it up by its settings file";
            Fault::new("no_link", format!("{} knows no links that add a server", kind.title()), hint)
        })
    }

    /// Writes a bundle for the open vault, for Claude Desktop to open.
    ///
    /// # Errors
    /// A path cannot stand in a bundle, or the file cannot be written.
    pub fn write_bundle(&self, vault: &str, file: &Path) -> Result<(), Fault> {
        let bundle = bundle::bundle(&started(ClientKind::ClaudeDesktop, None, vault))?;
        let hint = "choose another place, or make room on the disk";
        write_whole(file, &bundle)
            .map_err(|error| Fault::new("not_written", format!("`{}`: {error}", file.display()), hint))
    }

    fn usual_port(&self) -> u16 {
        let book = lock(&self.book);
        let own = lock(&self.vault_key).as_ref().and_then(|key| book.ports.get(key).copied());
        own.or(book.port).unwrap_or(FIRST_PORT)
    }

    fn start(&self) {
        let Some(engine) = lock(&self.engine).clone() else { return };
        let policies = self.policies.clone();
        let config = HttpConfig {
            port: self.usual_port(),
            hosts: Vec::new(),
            clients: self.tokens.clone(),
            desks: Arc::new(move |client| policies.desk(&engine, client)),
            settings: DoorSettings::default(),
            presence: self.presence.clone(),
        };
        let started = tauri::async_runtime::block_on(HttpServer::start(config));
        match started {
            Ok(server) => {
                let port = server.port();
                // An address that was given to an agent leads to the same vault tomorrow.
                let key = lock(&self.vault_key).clone();
                let noted = clients::change(&self.store, |book| match (book.port, key) {
                    (Some(usual), Some(key)) if usual != port => drop(book.ports.insert(key, port)),
                    _ => book.port = Some(port),
                });
                if let Ok(book) = noted {
                    self.keep(book);
                }
                *lock(&self.server) = Some(server);
                *lock(&self.error) = None;
            }
            Err(error) => {
                let hint = "turn Agents off and on again, or use `vidimus mcp`, which needs no port";
                *lock(&self.error) = Some(Fault::new("cannot_listen", error.to_string(), hint).retryable());
            }
        }
    }

    fn stop(&self) {
        if let Some(server) = lock(&self.server).take() {
            tauri::async_runtime::block_on(server.stop());
        }
        *lock(&self.error) = None;
    }

    /// Keeps when agents were last seen; once in a while, not at each call.
    fn keep_last_seen(&self) {
        let seen = self.presence.clients();
        let change = |book: &mut Book| {
            for client in &mut book.clients {
                let last = seen.iter().filter(|seen| seen.client == client.name).map(|seen| seen.last_seen).max();
                if let Some(last) = last {
                    client.last_seen_at = Some(clients::time(last));
                }
            }
        };
        if let Ok(book) = clients::change(&self.store, change) {
            self.keep(book);
        }
    }

    fn n_connected(&self) -> u32 {
        u32::try_from(self.presence.n_connected()).unwrap_or(u32::MAX)
    }

    fn client_view(&self, client: &Client) -> ClientView {
        let seen = self.presence.clients();
        let (policy, scope) = self.policies.get(&client.name);
        let seen = || seen.iter().filter(|seen| seen.client == client.name);
        ClientView {
            id: client.id.clone(),
            name: client.name.clone(),
            created_at: client.created_at.clone(),
            last_seen_at: seen()
                .map(|seen| seen.last_seen)
                .max()
                .map(clients::time)
                .or_else(|| client.last_seen_at.clone()),
            connected: seen().any(|seen| seen.connected),
            policy,
            scope,
        }
    }

    fn changed(&self) {
        (self.tell)(self.summary());
    }
}

/// Tells the window when clients come, go or ask for something, until the program ends.
async fn follow(agents: Weak<Agents>, presence: Presence) {
    let mut changes = presence.changes();
    // Held here, it would never end, and neither would this after its window has closed.
    drop(presence);
    let mut kept: Option<Instant> = None;
    while changes.changed().await.is_ok() {
        // A burst of calls is one change on the screen.
        tokio::time::sleep(SETTLE).await;
        changes.mark_unchanged();
        let Some(agents) = agents.upgrade() else { break };
        agents.changed();
        if kept.is_none_or(|kept| kept.elapsed() > KEEP) {
            kept = Some(Instant::now());
            let _ = tauri::async_runtime::spawn_blocking(move || agents.keep_last_seen()).await;
        }
    }
}

/// How a client starts this program for a vault.
fn started(kind: ClientKind, client: Option<&str>, vault: &str) -> Way {
    Way::Stdio {
        program: own_program().unwrap_or_else(|_| PathBuf::from("vidimus")),
        vault: vault.into(),
        client: client.unwrap_or(kind.title()).to_owned(),
        leave: Vec::new(),
    }
}

fn url(port: u16) -> String {
    format!("http://127.0.0.1:{port}/mcp")
}

/// A panic elsewhere leaves the values as they were.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
