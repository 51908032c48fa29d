//! The local socket beside a vault's state: another process of the same person is a pipe to the engine that owns the
//! vault. The first line of a connection says who comes; the answer's first line says whether it is let in; then MCP.

use super::gated::Gated;
use super::presence::Presence;
use super::relay::Upstream;
use super::{ServeError, serve_stream};
use crate::DoorSettings;
use crate::tools::Tool;
use engine::{Desk, Engine, RelPath, Writes};
use interprocess::local_socket::tokio::prelude::*;
use interprocess::local_socket::tokio::{Listener, Stream};
use interprocess::local_socket::{ListenerOptions, Name};
use serde::{Deserialize, Serialize};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use thiserror::Error;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWrite, AsyncWriteExt, BufReader};
use tokio_util::sync::CancellationToken;

/// Who comes through the socket.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hello {
    vidimus: u32,
    /// The name under which the person started the pipe.
    pub client: String,
    /// What the person allows it.
    pub writes: Writes,
    /// The folders that it may see, if not all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    folders: Option<Vec<RelPath>>,
    /// The tools that it may use, if not all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    tools: Option<Vec<String>>,
}

#[derive(Debug, Default, Serialize, Deserialize)]
struct Reply {
    vidimus: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

/// The version of the two first lines.
const VERSION: u32 = 1;
/// The version of a greeting that asks for less than everything: an owner that would not understand that must refuse it.
const LIMITED: u32 = 2;
/// How long a first line may take, and how long it may be.
const HELLO_WAIT: Duration = Duration::from_secs(5);
const MAX_HELLO: u64 = 65_536;

impl Hello {
    /// Makes the line of a pipe.
    pub fn new(client: impl Into<String>, writes: Writes) -> Hello {
        Hello { vidimus: VERSION, client: client.into(), writes, folders: None, tools: None }
    }

    /// Asks for these folders and tools only; `None` is all of them.
    #[must_use]
    pub fn limited_to(self, folders: Option<Vec<RelPath>>, tools: Option<Vec<String>>) -> Hello {
        let vidimus = if folders.is_some() || tools.is_some() { LIMITED } else { VERSION };
        Hello { vidimus, folders, tools, ..self }
    }

    /// Whether a tool is offered to who comes so.
    pub(crate) fn offers(&self, tool: &Tool) -> bool {
        let is_given = self.tools.as_ref().is_none_or(|tools| tools.iter().any(|name| name == tool.name));
        is_given && !(tool.is_write() && self.writes == Writes::Off)
    }

    /// Makes the desk that is asked for.
    pub fn desk(&self, engine: &Engine) -> Desk {
        let mut desk = engine.desk(&self.client, self.writes);
        if let Some(folders) = &self.folders {
            desk = desk.seeing(folders);
        }
        if let Some(tools) = &self.tools {
            desk = desk.using(tools);
        }
        desk
    }
}

/// Why the socket cannot be used.
#[derive(Debug, Error)]
pub enum SocketError {
    /// Nobody listens: the caller may take the vault itself.
    #[error("nobody serves this vault")]
    Dead,
    /// The owner does not let us in.
    #[error("the vault's owner refused the connection: {reason}")]
    Refused {
        /// What it said.
        reason: String,
    },
    /// The socket's path is longer than the system allows.
    #[error("the path of the vault's socket is too long for this system; use a shorter state folder")]
    PathTooLong,
    /// The system refuses.
    #[error("the vault's socket failed: {0}")]
    Io(#[from] io::Error),
    /// The session itself failed.
    #[error(transparent)]
    Serve(#[from] ServeError),
}

/// Makes the desk of somebody who comes, or says why not.
pub type Admission = Box<dyn Fn(&Hello) -> Result<Desk, String> + Send + Sync>;

/// What the owner of a vault does with somebody who comes.
pub struct Welcome {
    /// Lets the visitor in or not.
    pub desk: Admission,
}

/// A listening socket.
pub struct LocalListener {
    listener: Listener,
    path: PathBuf,
}

impl LocalListener {
    /// Listens at `path`, for this user alone. Whoever calls this holds the vault's lock, so a socket that is already
    /// there is a dead one and is replaced. Must be called within a tokio runtime.
    ///
    /// # Errors
    /// The path is too long, or the system refuses.
    pub fn bind(path: &Path) -> Result<LocalListener, SocketError> {
        Ok(LocalListener { listener: listen_locally(path)?, path: path.to_owned() })
    }

    /// Returns where it listens.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Serves everybody who comes until `stop` is cancelled; then the socket is gone and every session is ended.
    pub async fn serve(self, welcome: Welcome, settings: DoorSettings, presence: Presence, stop: CancellationToken) {
        let welcome = Arc::new(welcome);
        loop {
            let stream = tokio::select! {
                stream = self.listener.accept() => stream,
                () = stop.cancelled() => return,
            };
            let Ok(stream) = stream else {
                // Out of file handles, most likely; a moment later there may be some.
                tokio::time::sleep(Duration::from_millis(100)).await;
                continue;
            };
            let (welcome, presence, stop) = (welcome.clone(), presence.clone(), stop.clone());
            tokio::spawn(async move {
                tokio::select! {
                    // One visitor's failure is that visitor's; it sees its connection close.
                    _ = receive(stream, &welcome, settings, &presence, &stop) => {}
                    () = stop.cancelled() => {}
                }
            });
        }
    }
}

/// Listens at a path for this user alone, and replaces a dead socket there. Must be called within a tokio runtime.
///
/// # Errors
/// The path is too long, or the system refuses.
pub fn listen_locally(path: &Path) -> Result<Listener, SocketError> {
    let name = local_name(path)?;
    let options = ListenerOptions::new().name(name).try_overwrite(true).max_spin_time(Duration::from_secs(1));
    Ok(private(options).create_tokio()?)
}

async fn receive(
    stream: Stream,
    welcome: &Welcome,
    settings: DoorSettings,
    presence: &Presence,
    stop: &CancellationToken,
) -> Result<(), SocketError> {
    let (read, mut write) = tokio::io::split(stream);
    let mut read = BufReader::new(read);
    let hello: Hello = match read_line(&mut read).await.map(|line| serde_json::from_str(&line)) {
        Ok(Ok(hello)) => hello,
        _ => return Err(refuse(&mut write, "the first line is not a greeting").await),
    };
    if ![VERSION, LIMITED].contains(&hello.vidimus) {
        return Err(refuse(&mut write, "another version of Vidimus owns this vault; update and restart both").await);
    }
    match (welcome.desk)(&hello) {
        Ok(desk) => {
            write_line(&mut write, &Reply { vidimus: VERSION, error: None }).await?;
            Ok(serve_stream(read, Gated::new(write, stop.clone()), desk, settings, presence).await?)
        }
        Err(reason) => Err(refuse(&mut write, &reason).await),
    }
}

async fn refuse(write: &mut (impl AsyncWrite + Unpin), reason: &str) -> SocketError {
    let reply = Reply { vidimus: VERSION, error: Some(reason.to_owned()) };
    match write_line(write, &reply).await {
        Ok(()) => SocketError::Refused { reason: reason.to_owned() },
        Err(error) => error.into(),
    }
}

/// Connects to the engine that owns the vault.
///
/// # Errors
/// [`SocketError::Dead`] when nobody is there, and the caller may take over.
pub async fn connect(path: &Path, hello: &Hello) -> Result<Upstream, SocketError> {
    let stream = match tokio::time::timeout(HELLO_WAIT, Stream::connect(local_name(path)?)).await {
        Ok(Ok(stream)) => stream,
        Ok(Err(error)) if is_dead(&error) => return Err(SocketError::Dead),
        Ok(Err(error)) => return Err(error.into()),
        Err(_) => return Err(io::Error::from(io::ErrorKind::TimedOut).into()),
    };
    let (read, mut write) = tokio::io::split(stream);
    let mut read = BufReader::new(read);
    // An owner that ends while we knock leaves nobody behind.
    write_line(&mut write, hello).await.map_err(|_| SocketError::Dead)?;
    let line = read_line(&mut read).await.map_err(|_| SocketError::Dead)?;
    let reply: Reply = serde_json::from_str(&line)
        .map_err(|_| SocketError::Refused { reason: "it does not answer as Vidimus does".to_owned() })?;
    match reply.error {
        None => Ok(Upstream::new(read, write)),
        Some(reason) => Err(SocketError::Refused { reason }),
    }
}

fn is_dead(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::ConnectionRefused | io::ErrorKind::NotFound | io::ErrorKind::ConnectionReset)
}

async fn read_line(read: &mut (impl AsyncBufReadExt + Unpin)) -> io::Result<String> {
    let mut line = String::new();
    let mut limited = read.take(MAX_HELLO);
    let n = tokio::time::timeout(HELLO_WAIT, limited.read_line(&mut line)).await??;
    match n > 0 && line.ends_with('\n') {
        true => Ok(line),
        false => Err(io::ErrorKind::UnexpectedEof.into()),
    }
}

async fn write_line(write: &mut (impl AsyncWrite + Unpin), value: &impl Serialize) -> io::Result<()> {
    let mut line = serde_json::to_vec(value)?;
    line.push(b'\n');
    write.write_all(&line).await?;
    write.flush().await
}

/// The longest path that fits a socket's address everywhere.
#[cfg(unix)]
const MAX_PATH: usize = 103;

/// Makes the system's name of the socket at a path.
///
/// # Errors
/// The path is too long.
#[cfg(unix)]
pub fn local_name(path: &Path) -> Result<Name<'_>, SocketError> {
    use interprocess::local_socket::{GenericFilePath, ToFsName};
    if path.as_os_str().len() > MAX_PATH {
        return Err(SocketError::PathTooLong);
    }
    Ok(path.to_fs_name::<GenericFilePath>()?)
}

/// Makes the system's name of the socket at a path. Windows has one flat space of pipe names, so the path becomes a
/// digest in it.
///
/// # Errors
/// None here; elsewhere the path may be too long.
#[cfg(windows)]
pub fn local_name(path: &Path) -> Result<Name<'static>, SocketError> {
    use interprocess::local_socket::{GenericNamespaced, ToNsName};
    let digest = blake3::hash(path.as_os_str().as_encoded_bytes()).to_hex();
    Ok(format!("vidimus-{}", &digest[..32]).to_ns_name::<GenericNamespaced>()?)
}

#[cfg(target_os = "linux")]
fn private(options: ListenerOptions<'_>) -> ListenerOptions<'_> {
    use interprocess::os::unix::local_socket::ListenerOptionsExt;
    options.mode(0o600)
}

/// Elsewhere the folder around the socket, which only this user may enter, keeps others out.
#[cfg(not(target_os = "linux"))]
fn private(options: ListenerOptions<'_>) -> ListenerOptions<'_> {
    options
}
