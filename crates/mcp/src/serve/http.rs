//! Streamable HTTP on this machine: one endpoint for both eras of the protocol, a token for each client.

use super::DeskFactory;
use super::gate::{Gate, enter};
use super::presence::Presence;
use super::tokens::Clients;
use crate::DoorSettings;
use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use std::convert::Infallible;
use std::io;
use std::net::Ipv4Addr;
use std::sync::Arc;
use std::time::Duration;
use thiserror::Error;
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::Builder;
use tokio::sync::{Semaphore, oneshot};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

/// How the server is to run.
pub struct HttpConfig {
    /// The port to begin with; if it is taken, the next ones are tried. 0 takes any.
    pub port: u16,
    /// Names besides the loopback ones under which a request may address this server.
    pub hosts: Vec<String>,
    /// Who may come in.
    pub clients: Arc<dyn Clients>,
    /// Makes each client's desk.
    pub desks: DeskFactory,
    /// What a person has set.
    pub settings: DoorSettings,
    /// Where clients are noted.
    pub presence: Presence,
}

/// A running server. Dropping it stops it.
#[derive(Debug)]
pub struct HttpServer {
    port: u16,
    stop: CancellationToken,
    /// Closes when nothing is served any more.
    end: oneshot::Receiver<Infallible>,
}

/// Why the server did not start.
#[derive(Debug, Error)]
pub enum HttpError {
    /// Every port that was tried is taken.
    #[error("ports {first} to {last} are taken; choose another port")]
    PortsTaken {
        /// The first one tried.
        first: u16,
        /// The last one tried.
        last: u16,
    },
    /// The system does not let us listen.
    #[error("cannot listen on 127.0.0.1:{port}")]
    Listen {
        /// The port that was tried.
        port: u16,
        /// What the system said.
        source: io::Error,
    },
}

/// How many ports are tried.
const N_PORTS: u16 = 20;
/// How long running requests may take to end when the server stops.
const STOP_WAIT: Duration = Duration::from_secs(2);
/// How many connections are open at once; further ones wait.
const MAX_CONNECTIONS: usize = 512;
/// How long to wait when the system has no connection to give, which happens when too many files are open.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// How long the server waits for a client, which is on this machine.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Patience {
    /// For a connection to say what it wants; it may lie idle as long between two requests.
    pub head: Duration,
    /// For the rest of a request.
    pub body: Duration,
}

impl Default for Patience {
    fn default() -> Patience {
        Patience { head: Duration::from_secs(30), body: Duration::from_secs(30) }
    }
}

impl HttpServer {
    /// Starts listening on 127.0.0.1.
    ///
    /// # Errors
    /// No port is free, or the system refuses.
    pub async fn start(config: HttpConfig) -> Result<HttpServer, HttpError> {
        HttpServer::start_with(config, Patience::default()).await
    }

    async fn start_with(config: HttpConfig, patience: Patience) -> Result<HttpServer, HttpError> {
        let (listener, port) = listen(config.port)?;
        let refused = |source| HttpError::Listen { port, source };
        // A request goes through a dozen small tasks. On one thread each follows the other at once; a window's threads would
        // have to be woken for each. Tools have threads of their own.
        let runtime = Builder::new_current_thread().enable_all().build().map_err(refused)?;
        let (stop, (ended, end)) = (CancellationToken::new(), oneshot::channel());
        let stopped = stop.clone();
        let serving = move || {
            runtime.block_on(async move {
                let Ok(listener) = TcpListener::from_std(listener) else { return };
                let gate = Arc::new(Gate::new(config, port, patience.body, &stopped));
                serve(listener, Router::new().fallback(enter).with_state(gate), patience.head, stopped).await;
            });
            // Calls that still run are left to end by themselves.
            runtime.shutdown_background();
            drop(ended);
        };
        std::thread::Builder::new().name("vidimus-http".to_owned()).spawn(serving).map_err(refused)?;
        Ok(HttpServer { port, stop, end })
    }

    /// Returns the port that is listened on.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Returns the address that a client is configured with.
    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}/mcp", self.port)
    }

    /// Stops: no new request is taken, running ones get a moment to end.
    pub async fn stop(mut self) {
        self.stop.cancel();
        // Nothing is ever sent: its sender goes with the thread.
        let _ = (&mut self.end).await;
    }
}

impl Drop for HttpServer {
    fn drop(&mut self) {
        self.stop.cancel();
    }
}

fn listen(first: u16) -> Result<(std::net::TcpListener, u16), HttpError> {
    let last = if first == 0 { 0 } else { first.saturating_add(N_PORTS - 1) };
    for port in first..=last {
        match std::net::TcpListener::bind((Ipv4Addr::LOCALHOST, port)) {
            Ok(listener) => {
                listener.set_nonblocking(true).map_err(|source| HttpError::Listen { port, source })?;
                let port = listener.local_addr().map_or(port, |address| address.port());
                return Ok((listener, port));
            }
            Err(error) if error.kind() == io::ErrorKind::AddrInUse => {}
            Err(source) => return Err(HttpError::Listen { port, source }),
        }
    }
    Err(HttpError::PortsTaken { first, last })
}

/// Takes connections until it is told to stop, then waits for those that still have an answer coming.
async fn serve(listener: TcpListener, app: Router, head: Duration, stop: CancellationToken) {
    let slots = Arc::new(Semaphore::new(MAX_CONNECTIONS));
    let mut connections = JoinSet::new();
    loop {
        let accepted = tokio::select! {
            () = stop.cancelled() => break,
            accepted = accept(&listener, &slots) => accepted,
        };
        while connections.try_join_next().is_some() {}
        match accepted {
            Ok((stream, slot)) => {
                let (app, stop) = (app.clone(), stop.clone());
                connections.spawn(async move {
                    hold(stream, app, head, stop).await;
                    drop(slot);
                });
            }
            Err(_) => tokio::time::sleep(ACCEPT_PAUSE).await,
        }
    }
    drop(listener);
    let _ = tokio::time::timeout(STOP_WAIT, async { while connections.join_next().await.is_some() {} }).await;
}

async fn accept(
    listener: &TcpListener,
    slots: &Arc<Semaphore>,
) -> io::Result<(TcpStream, tokio::sync::OwnedSemaphorePermit)> {
    let slot = slots.clone().acquire_owned().await.map_err(io::Error::other)?;
    let (stream, _) = listener.accept().await?;
    stream.set_nodelay(true)?;
    Ok((stream, slot))
}

/// Holds one connection until either side ends it. What goes wrong on it is the client's to notice.
async fn hold(stream: TcpStream, app: Router, head: Duration, stop: CancellationToken) {
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(head)
        .serve_connection(TokioIo::new(stream), TowerToHyperService::new(app));
    let mut connection = std::pin::pin!(connection);
    tokio::select! {
        _ = connection.as_mut() => return,
        () = stop.cancelled() => connection.as_mut().graceful_shutdown(),
    }
    let _ = connection.await;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{TokenTable, token_hash};
    use tokio::io::{AsyncReadExt, AsyncWriteExt};

    /// Sends what there is of a request and returns what comes back before the server gives up.
    async fn answer_to(server: &HttpServer, part: &str) -> String {
        let mut stream = TcpStream::connect((Ipv4Addr::LOCALHOST, server.port())).await.unwrap();
        stream.write_all(part.as_bytes()).await.unwrap();
        let mut answer = Vec::new();
        let read = stream.read_to_end(&mut answer);
        tokio::time::timeout(Duration::from_secs(60), read).await.expect("the server waits forever").unwrap();
        String::from_utf8(answer).unwrap()
    }

    #[tokio::test]
    async fn who_sends_half_a_request_is_not_waited_for() {
        let tokens = TokenTable::default();
        tokens.replace([("Slow", token_hash("t").as_str())]);
        let config = HttpConfig {
            port: 0,
            hosts: Vec::new(),
            clients: Arc::new(tokens),
            desks: Arc::new(|_| None),
            settings: DoorSettings::default(),
            presence: Presence::default(),
        };
        let patience = Patience { head: Duration::from_millis(300), body: Duration::from_millis(300) };
        let server = HttpServer::start_with(config, patience).await.unwrap();
        for part in ["", "POST", "POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nX-A: b"] {
            let answer = answer_to(&server, part).await;
            assert!(answer.is_empty() || answer.contains(" 408 "), "{answer}");
        }
        let head = "POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer t\r\nConnection: close\r\n";
        for rest in ["Content-Length: 10\r\n\r\n{", "Transfer-Encoding: chunked\r\n\r\n1\r\n{\r\n"] {
            let answer = answer_to(&server, &format!("{head}{rest}")).await;
            assert!(answer.contains(" 408 "), "{answer}");
        }
        server.stop().await;
    }
}
