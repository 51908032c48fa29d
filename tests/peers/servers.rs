//! The servers, how each is started, and which of its tools does what is asked of all.

use crate::{install, vault};
use anyhow::{Context, Result, bail};
use it::display::free_port;
use it::{Agent, Bench, Headless, Window, program, until};
use serde_json::{Value, json};
use std::path::PathBuf;
use std::process::{Command, Stdio};

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Vidimus,
    Datacron,
    TurboVault,
}

impl Kind {
    pub const ALL: [Kind; 3] = [Kind::Vidimus, Kind::Datacron, Kind::TurboVault];

    pub fn name(self) -> &'static str {
        match self {
            Kind::Vidimus => "Vidimus",
            Kind::Datacron => "Datacron",
            Kind::TurboVault => "TurboVault",
        }
    }

    /// Installs it if it is another's, and returns its program.
    pub fn install(self) -> Result<PathBuf> {
        match self {
            Kind::Vidimus => Ok(program()),
            Kind::Datacron => install::datacron(),
            Kind::TurboVault => install::turbovault(),
        }
    }

    /// Why it has no server over HTTP.
    pub fn lacks_http(self) -> Option<&'static str> {
        (self == Kind::Datacron).then_some("Datacron serves stdio only")
    }
}

/// What is asked of every server.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Operation {
    ListTools,
    ReadNote,
    ReadSection,
    Outline,
    Search,
    ListNotes,
    Backlinks,
}

impl Operation {
    pub const ALL: [Operation; 7] = [
        Operation::ListTools,
        Operation::ReadNote,
        Operation::ReadSection,
        Operation::Outline,
        Operation::Search,
        Operation::ListNotes,
        Operation::Backlinks,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Operation::ListTools => "list tools",
            Operation::ReadNote => "read a note",
            Operation::ReadSection => "read a section",
            Operation::Outline => "read the outline",
            Operation::Search => "search a word that 20 notes have",
            Operation::ListNotes => "list 20 notes",
            Operation::Backlinks => "backlinks of a note",
        }
    }

    /// Returns what every right answer about that note has in it.
    pub fn wanted(self, nth: usize, n_notes: usize) -> String {
        match self {
            Operation::ListTools => String::new(),
            Operation::ReadNote | Operation::ReadSection => vault::reading(nth),
            Operation::Outline => "Next steps".to_owned(),
            Operation::Search => vault::path(nth),
            Operation::ListNotes => ".md".to_owned(),
            Operation::Backlinks => vault::path((nth + n_notes - 1) % n_notes),
        }
    }
}

/// Returns the tool of a server that does it, with its arguments; or why there is none.
pub fn call(
    kind: Kind,
    operation: Operation,
    nth: usize,
    n_notes: usize,
) -> Result<(&'static str, Value), &'static str> {
    let path = vault::path(nth);
    let section = json!([vault::title(nth), "Readings"]);
    let turbovault = kind == Kind::TurboVault;
    Ok(match operation {
        Operation::ListTools => ("tools/list", json!({})),
        Operation::ReadNote if turbovault => ("read_note", json!({"path": path})),
        Operation::ReadNote => ("get_note", json!({"id_or_path": path})),
        Operation::ReadSection if turbovault => ("read_note", json!({"path": path, "heading_equals": "Readings"})),
        Operation::ReadSection => ("get_note", json!({"id_or_path": path, "heading_path": section})),
        Operation::Outline if turbovault => return Err("no tool of it lists a note's headings"),
        Operation::Outline => ("get_note", json!({"id_or_path": path, "format": "map"})),
        Operation::Search => {
            let tool = if turbovault { "search" } else { "search_text" };
            (tool, json!({"query": vault::word(nth, n_notes), "limit": 20}))
        }
        // It has no list as such; a search for everything is what its description offers instead.
        Operation::ListNotes if turbovault => ("search", json!({"limit": 20})),
        Operation::ListNotes => ("list_notes", json!({"limit": 20})),
        Operation::Backlinks if turbovault => ("get_links", json!({"path": path, "limit": 20})),
        Operation::Backlinks => ("get_backlinks", json!({"target": path, "limit": 20})),
    })
}

/// A server on a vault of its own.
pub struct Server {
    pub kind: Kind,
    pub transport: &'static str,
    bench: Bench,
    program: PathBuf,
    door: Door,
}

/// What keeps a server over HTTP running.
enum Door {
    Stdio,
    Window { url: String, token: String, window: Box<Window> },
    Http { url: String, _process: Headless },
}

impl Server {
    /// Gives a server over stdio its vault; nothing runs yet.
    pub fn stdio(kind: Kind, program: PathBuf, n_notes: usize) -> Server {
        let bench = Bench::new("");
        vault::fill(&bench, n_notes);
        Server { kind, transport: "stdio", bench, program, door: Door::Stdio }
    }

    /// Starts a server over HTTP and waits until it can be connected to.
    pub async fn http(kind: Kind, program: PathBuf, n_notes: usize) -> Result<Server> {
        let mut server = Server { transport: "HTTP", ..Server::stdio(kind, program, n_notes) };
        let vault = server.bench.vault();
        let vault = vault.to_str().context("the path is text")?;
        server.door = match kind {
            Kind::Vidimus => {
                let window = Box::new(Window::open(&server.bench, &[vault]).await?);
                window.find("[role=tree] [role=treeitem]").await?;
                let (url, token) = window.let_agent_in("Peers").await?;
                Door::Window { url, token, window }
            }
            Kind::TurboVault => {
                let port = free_port().to_string();
                let mut command = server.bare();
                command.args(["--vault", vault, "--profile", "production", "--transport", "http", "--port", &port]);
                command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
                Door::Http { url: format!("http://127.0.0.1:{port}/mcp"), _process: Headless(command.spawn()?) }
            }
            Kind::Datacron => bail!("{} over HTTP: it has no such server", kind.name()),
        };
        until("the server answers", || async { Ok(server.connect().await.ok()) }).await?.close().await?;
        Ok(server)
    }

    /// Does what must be done once for a new vault before the server is started on it.
    pub fn prepare(&self) -> Result<()> {
        if self.kind != Kind::Datacron {
            return Ok(());
        }
        for (first, more) in [("init", &[][..]), ("index", &["--vault"][..])] {
            let out = self.bare().arg(first).args(more).arg(self.bench.vault()).stdin(Stdio::null()).output()?;
            anyhow::ensure!(out.status.success(), "datacron {first}: {}", String::from_utf8_lossy(&out.stderr));
        }
        Ok(())
    }

    /// Connects; over stdio this starts the program.
    pub async fn connect(&self) -> Result<Agent> {
        match &self.door {
            Door::Stdio => Agent::start(self.command(), Stdio::null()).await,
            Door::Window { url, token, .. } => Agent::http(url, token).await,
            Door::Http { url, .. } => Agent::http(url, "none").await,
        }
    }

    /// Prepares the program as a client would start it.
    pub fn command(&self) -> Command {
        let mut command = self.bare();
        let vault = self.bench.vault();
        match self.kind {
            Kind::Vidimus => command.args(["mcp", "--vault"]).arg(vault),
            // Its tools that write are offered, as ours are.
            Kind::Datacron => command.env("DATACRON_WRITE_PATHS", &vault).args(["mcp", "serve", "--vault"]).arg(vault),
            // Its other profile, for development, logs every step.
            Kind::TurboVault => command.args(["--profile", "production", "--vault"]).arg(vault),
        };
        command
    }

    /// Names it in a complaint.
    pub fn label(&self) -> String {
        format!("{} over {}", self.kind.name(), self.transport)
    }

    /// Ends it.
    pub async fn close(self) -> Result<()> {
        match self.door {
            Door::Window { window, .. } => window.close().await,
            Door::Stdio | Door::Http { .. } => Ok(()),
        }
    }

    /// The program with a home of its own, without a display.
    fn bare(&self) -> Command {
        let mut command = Command::new(&self.program);
        command.envs(self.bench.env());
        for name in ["DISPLAY", "WAYLAND_DISPLAY", "DBUS_SESSION_BUS_ADDRESS"] {
            command.env_remove(name);
        }
        command.current_dir(self.bench.home());
        command
    }
}
