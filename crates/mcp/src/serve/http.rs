//! Streamable HTTP on this machine: one endpoint for both eras of the protocol, a token for each client.

use super::DeskFactory;
use super::handler::AgentServer;
use super::presence::Presence;
use super::tokens::{ClientName, Clients};
use crate::DoorSettings;
use axum::Router;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};
use std::io;
use std::net::Ipv4Addr;
use std::sync::Arc;
use std::time::Duration;
use thiserror::Error;
use tokio::net::TcpListener;
use tokio::task::JoinHandle;
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
    task: Option<JoinHandle<()>>,
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
/// The largest request that is read.
const MAX_BODY: usize = 4 * 1024 * 1024;

impl HttpServer {
    /// Starts listening on 127.0.0.1. Must be called within a tokio runtime.
    ///
    /// # Errors
    /// No port is free, or the system refuses.
    pub async fn start(config: HttpConfig) -> Result<HttpServer, HttpError> {
        let (listener, port) = listen(config.port).await?;
        let stop = CancellationToken::new();
        let app = app(config, port, &stop);
        let stopped = stop.clone();
        let task = tokio::spawn(async move {
            // Serving ends only when it is told to; the listener itself never fails.
            let _ = axum::serve(listener, app).with_graceful_shutdown(stopped.cancelled_owned()).await;
        });
        Ok(HttpServer { port, stop, task: Some(task) })
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
        if let Some(mut task) = self.task.take()
            && tokio::time::timeout(STOP_WAIT, &mut task).await.is_err()
        {
            task.abort();
        }
    }
}

impl Drop for HttpServer {
    fn drop(&mut self) {
        self.stop.cancel();
    }
}

async fn listen(first: u16) -> Result<(TcpListener, u16), HttpError> {
    let last = if first == 0 { 0 } else { first.saturating_add(N_PORTS - 1) };
    for port in first..=last {
        match TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await {
            Ok(listener) => {
                let port = listener.local_addr().map_or(port, |address| address.port());
                return Ok((listener, port));
            }
            Err(error) if error.kind() == io::ErrorKind::AddrInUse => {}
            Err(source) => return Err(HttpError::Listen { port, source }),
        }
    }
    Err(HttpError::PortsTaken { first, last })
}

struct Gate {
    clients: Arc<dyn Clients>,
    hosts: Vec<String>,
    origins: Vec<String>,
}

fn app(config: HttpConfig, port: u16, stop: &CancellationToken) -> Router {
    let HttpConfig { hosts, clients, desks, settings, presence, .. } = config;
    let hosts: Vec<String> = ["127.0.0.1", "localhost", "::1"].map(str::to_owned).into_iter().chain(hosts).collect();
    let origins: Vec<String> = ["127.0.0.1", "localhost"].iter().map(|host| format!("http://{host}:{port}")).collect();
    let transport = StreamableHttpServerConfig::default()
        .with_allowed_hosts(hosts.clone())
        .enforce_origin_validation()
        .with_allowed_origins(origins.clone())
        .with_legacy_session_mode(false)
        .with_json_response(true)
        .with_max_request_body_bytes(MAX_BODY)
        .with_cancellation_token(stop.clone());
    let server = AgentServer::by_token(desks, settings, presence);
    let service =
        StreamableHttpService::new(move || Ok(server.clone()), Arc::new(NeverSessionManager::default()), transport);
    let gate = Arc::new(Gate { clients, hosts, origins });
    Router::new().route_service("/mcp", service).layer(from_fn_with_state(gate, enter))
}

/// Lets a request in that is addressed to this machine, does not come from a web page, and carries a known token.
/// The transport checks host and origin once more; here they come first, so that a stranger learns nothing of tokens.
async fn enter(State(gate): State<Arc<Gate>>, mut request: Request, next: Next) -> Response {
    if !is_for_us(request.headers(), &gate.hosts) {
        return refuse(
            StatusCode::FORBIDDEN,
            "this server answers only on this machine: use the address that Vidimus shows\n",
        );
    }
    if !comes_from_no_page(request.headers(), &gate.origins) {
        return refuse(StatusCode::FORBIDDEN, "this server does not answer web pages\n");
    }
    let client = bearer(request.headers()).and_then(|token| gate.clients.client_of(token));
    let Some(client) = client else {
        return refuse(
            StatusCode::UNAUTHORIZED,
            "this server needs a token of its own for each client: in Vidimus open Settings, Agents, add the client there, \
             and send its token as `Authorization: Bearer TOKEN`\n",
        );
    };
    request.extensions_mut().insert(ClientName(client));
    next.run(request).await
}

fn refuse(status: StatusCode, text: &'static str) -> Response {
    (status, [(header::CONTENT_TYPE, "text/plain; charset=utf-8")], text).into_response()
}

fn bearer(headers: &HeaderMap) -> Option<&str> {
    let value = headers.get(header::AUTHORIZATION)?.to_str().ok()?;
    let (scheme, token) = value.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| token.trim())
}

fn is_for_us(headers: &HeaderMap, hosts: &[String]) -> bool {
    let Some(host) = headers.get(header::HOST).and_then(|host| host.to_str().ok()) else { return false };
    let name = match host.strip_prefix('[') {
        Some(rest) => rest.split(']').next().unwrap_or_default(),
        None => host.rsplit_once(':').map_or(host, |(name, _)| name),
    };
    hosts.iter().any(|known| known.eq_ignore_ascii_case(name))
}

fn comes_from_no_page(headers: &HeaderMap, origins: &[String]) -> bool {
    match headers.get(header::ORIGIN).map(|origin| origin.to_str()) {
        None => true,
        Some(Ok(origin)) => origins.iter().any(|known| known.eq_ignore_ascii_case(origin)),
        Some(Err(_)) => false,
    }
}
