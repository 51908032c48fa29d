//! What another process of this account may ask the owner of a vault, one JSON line each way.
//!
//! It has a socket of its own beside the agents': the agent door knows no decisions, and this one knows no MCP. The
//! socket is open to this account only. Whoever can reach it can also write the notes themselves, so deciding about
//! proposals is allowed here, as it is on the command line.

use crate::door;
use crate::fault::Fault;
use engine::{Engine, VaultInfo};
use interprocess::local_socket::tokio::{Listener, Stream as TokioStream, prelude::*};
use interprocess::local_socket::{Stream, traits::Stream as _};
use mcp::SocketError;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::io::{self, BufRead, BufReader, Write};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _};
use tokio::task::JoinHandle;

/// How long an owner may think about a question.
const PATIENCE: Duration = Duration::from_secs(15);
/// How long it may work on a request; a large proposal takes a moment to write.
const WORKING: Duration = Duration::from_secs(60);

/// What can be asked.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "control", rename_all = "snake_case")]
pub enum Request {
    /// Give the vault to a window: close it as soon as what is being done is done.
    Yield,
    Status,
    Operations,
    Review {
        id: String,
    },
    Approve {
        id: String,
        seen: String,
    },
    Decline {
        id: String,
        comment: Option<String>,
    },
    /// End an operation that was interrupted: carry it through, or take it back.
    Settle {
        id: String,
        finish: bool,
    },
}

impl Request {
    fn patience(&self) -> Duration {
        match self {
            Request::Status | Request::Operations | Request::Review { .. } => PATIENCE,
            Request::Yield | Request::Approve { .. } | Request::Decline { .. } | Request::Settle { .. } => WORKING,
        }
    }
}

/// What kind of process owns a vault.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// A window: it keeps the vault.
    Window,
    /// A `vidimus mcp`: it gives the vault to a window that asks.
    Headless,
}

/// How a vault's owner describes itself.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct OwnerStatus {
    pub role: Role,
    pub pid: u32,
    pub info: VaultInfo,
}

/// Answers one request that came over the socket. `give_way` is called for `yield` and says whether the owner will.
pub fn answer(engine: &Engine, role: Role, line: &Value, give_way: impl FnOnce() -> bool) -> Value {
    let request = match serde_json::from_value::<Request>(line.clone()) {
        Ok(request) => request,
        Err(_) => {
            let fault = Fault::new(
                "invalid_arguments",
                "this request is not known here",
                "use the same version of Vidimus for both",
            );
            return json!({ "fault": fault });
        }
    };
    let answered = match request {
        Request::Yield if give_way() => Ok(Value::Bool(true)),
        Request::Yield => {
            Err(Fault::new("vault_busy", "the vault is open in another window", "use that window, or close it first"))
        }
        request => ask(engine, role, request),
    };
    match answered {
        Ok(value) => json!({ "ok": value }),
        Err(fault) => json!({ "fault": fault }),
    }
}

/// Answers one request with an engine of this process.
pub fn ask(engine: &Engine, role: Role, request: Request) -> Result<Value, Fault> {
    match request {
        Request::Yield => value(&true),
        Request::Status => value(&OwnerStatus { role, pid: std::process::id(), info: engine.info() }),
        Request::Operations => value(&engine.operations()),
        Request::Review { id } => value(&door::review(engine, &id)?),
        Request::Approve { id, seen } => value(&door::approve(engine, &id, seen)?),
        Request::Decline { id, comment } => value(&door::decline(engine, &id, comment)?),
        Request::Settle { id, finish } => value(&door::settle(engine, &id, finish)?),
    }
}

fn value(answer: &impl Serialize) -> Result<Value, Fault> {
    serde_json::to_value(answer).map_err(|_| Fault::internal())
}

/// Answers the other processes of this account until it is dropped.
pub struct Control {
    task: JoinHandle<()>,
}

impl Control {
    /// Starts to listen at `socket`. Whoever calls this holds the vault's lock: a socket that is there is a dead one.
    /// Must be called within a tokio runtime.
    pub fn start(
        socket: &Path,
        answer: impl Fn(&Value) -> Value + Send + Sync + 'static,
    ) -> Result<Control, SocketError> {
        let listener = mcp::listen_locally(socket)?;
        Ok(Control { task: tokio::spawn(serve(listener, Arc::new(answer))) })
    }
}

impl Drop for Control {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn serve(listener: Listener, answer: Arc<dyn Fn(&Value) -> Value + Send + Sync>) {
    loop {
        match listener.accept().await {
            Ok(stream) => drop(tokio::spawn(attend(stream, answer.clone()))),
            // Out of file handles, most likely; a moment later there may be some.
            Err(_) => tokio::time::sleep(Duration::from_millis(100)).await,
        }
    }
}

async fn attend(stream: TokioStream, answer: Arc<dyn Fn(&Value) -> Value + Send + Sync>) -> io::Result<()> {
    let mut lines = tokio::io::BufReader::new(&stream).lines();
    let mut out = &stream;
    while let Some(line) = lines.next_line().await? {
        let answer = answer.clone();
        let answered = tokio::task::spawn_blocking(move || {
            let request = serde_json::from_str(&line).unwrap_or_default();
            answer(&request)
        });
        let reply = answered.await.unwrap_or_else(|_| json!({ "fault": Fault::internal() }));
        out.write_all(format!("{reply}\n").as_bytes()).await?;
        out.flush().await?;
    }
    Ok(())
}

/// A connection to the owner of a vault.
pub struct Owner {
    stream: BufReader<Stream>,
}

impl Owner {
    /// Connects to the owner; `None` where nobody listens.
    pub fn reach(socket: &Path) -> Result<Option<Owner>, SocketError> {
        match Stream::connect(mcp::local_name(socket)?) {
            Ok(stream) => Ok(Some(Owner { stream: BufReader::new(stream) })),
            // A socket file that its owner left behind refuses; one that was never there is not found.
            Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::ConnectionRefused) => {
                Ok(None)
            }
            Err(error) => Err(error.into()),
        }
    }

    /// Asks the owner.
    pub fn ask<T: DeserializeOwned>(&mut self, request: &Request) -> Result<T, Fault> {
        #[derive(Serialize)]
        struct Hello<'a> {
            vidimus: u32,
            #[serde(flatten)]
            request: &'a Request,
        }
        #[derive(Deserialize)]
        #[serde(rename_all = "snake_case")]
        enum Answer {
            Ok(Value),
            Fault(Fault),
        }
        let silent = |_| {
            Fault::new("vault_busy", "the program that has the vault open does not answer", "wait a moment, or end it")
                .retryable()
        };
        let mut line = serde_json::to_vec(&Hello { vidimus: 1, request }).map_err(|_| Fault::internal())?;
        line.push(b'\n');
        self.stream.get_mut().set_recv_timeout(Some(request.patience())).map_err(silent)?;
        self.stream.get_mut().write_all(&line).map_err(silent)?;
        let mut answer = Vec::new();
        self.stream.read_until(b'\n', &mut answer).map_err(silent)?;
        if !answer.ends_with(b"\n") {
            return Err(Fault::new(
                "vault_busy",
                "the program that had the vault open ended before it answered",
                "what was asked may be done all the same: see `vidimus review list --all`, then try again",
            ));
        }
        let other_version = || {
            Fault::new(
                "vault_busy",
                "the program that has the vault open is of another version",
                "close it and try again",
            )
        };
        match serde_json::from_slice(&answer).map_err(|_| other_version())? {
            Answer::Ok(value) => serde_json::from_value(value).map_err(|_| other_version()),
            Answer::Fault(fault) => Err(fault),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::owner::{self, Reach};
    use crate::store::Store;
    use crate::vaults;
    use engine::{Intent, OperationView, RelPath};
    use std::sync::atomic::{AtomicBool, Ordering};

    struct Owned {
        _root: tempfile::TempDir,
        store: Store,
        vault: std::path::PathBuf,
        engine: Engine,
        asked: Arc<AtomicBool>,
        runtime: tokio::runtime::Runtime,
        control: Control,
    }

    #[cfg(unix)]
    #[test]
    fn an_owner_that_ends_in_the_middle_is_no_other_version() {
        let folder = tempfile::tempdir().unwrap();
        let socket = folder.path().join("control.sock");
        let listener = std::os::unix::net::UnixListener::bind(&socket).unwrap();
        for said in ["", "{\"ok\": tr"] {
            std::thread::scope(|scope| {
                scope.spawn(|| {
                    let (mut stream, _) = listener.accept().unwrap();
                    BufReader::new(&stream).read_line(&mut String::new()).unwrap();
                    stream.write_all(said.as_bytes()).unwrap();
                });
                let mut owner = Owner::reach(&socket).unwrap().unwrap();
                let fault = owner.ask::<bool>(&Request::Yield).unwrap_err();
                assert!(fault.message.contains("ended before it answered"), "{fault:?}");
            });
        }
    }

    fn owned(role: Role) -> Owned {
        let root = tempfile::tempdir().unwrap();
        let vault = root.path().join("notes");
        std::fs::create_dir(&vault).unwrap();
        let store = Store::at(root.path().join("config"), root.path().join("data"));
        let folder = vaults::locate(&store, &vault).unwrap();
        let engine = owner::open(&store, &folder).unwrap();
        let (answering, asked) = (engine.clone(), Arc::new(AtomicBool::new(false)));
        let noted = asked.clone();
        let give_way = move || {
            noted.store(true, Ordering::SeqCst);
            role == Role::Headless
        };
        let runtime = tokio::runtime::Runtime::new().unwrap();
        let socket = store.sockets(&folder.key).control;
        let control = runtime
            .block_on(async { Control::start(&socket, move |line| answer(&answering, role, line, &give_way)) })
            .unwrap();
        Owned { _root: root, store, vault, engine, asked, runtime, control }
    }

    #[test]
    fn another_process_is_answered_as_the_owner_would_be() {
        let owned = owned(Role::Window);
        owned.engine.carry(Intent::CreateNote { path: RelPath::new("a.md").unwrap(), text: "# A\n".into() }).unwrap();
        let mut reach = Reach::find(&owned.store, &owned.vault).unwrap();
        assert!(matches!(reach, Reach::There(_)));
        let status: OwnerStatus = reach.ask(Request::Status).unwrap();
        assert_eq!((status.role, status.pid, status.info.name.as_str()), (Role::Window, std::process::id(), "notes"));
        let operations: Vec<OperationView> = reach.ask(Request::Operations).unwrap();
        assert_eq!(operations, owned.engine.operations());
        let fault = reach.ask::<Value>(Request::Review { id: "no".into() }).unwrap_err();
        assert_eq!(fault.code, "not_found");
        owned.engine.close();
    }

    #[test]
    fn a_window_keeps_the_vault_and_a_headless_owner_gives_it() {
        for (role, gives) in [(Role::Window, false), (Role::Headless, true)] {
            let owned = owned(role);
            let mut reach = Reach::find(&owned.store, &owned.vault).unwrap();
            assert_eq!(reach.ask::<bool>(Request::Yield).is_ok(), gives);
            assert!(owned.asked.load(Ordering::SeqCst));
            owned.engine.close();
        }
    }

    #[test]
    fn a_window_takes_the_vault_as_soon_as_it_is_let_go() {
        let owned = owned(Role::Headless);
        let folder = vaults::locate(&owned.store, &owned.vault).unwrap();
        let asked = owned.asked.clone();
        let letting_go = std::thread::spawn(move || {
            while !asked.load(Ordering::SeqCst) {
                std::thread::yield_now();
            }
            drop(owned.control);
            owned.engine.close();
            (owned._root, owned.runtime)
        });
        let taken = owner::take(&owned.store, &folder).unwrap();
        taken.close();
        drop(letting_go.join());
    }

    #[test]
    fn what_is_not_understood_is_said() {
        let owned = owned(Role::Headless);
        let reply = answer(&owned.engine, Role::Headless, &json!({ "vidimus": 1, "control": "dance" }), || true);
        assert_eq!(reply["fault"]["code"], "invalid_arguments");
        owned.engine.close();
    }
}
