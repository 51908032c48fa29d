//! The gate of the HTTP server: who may come in, how often, and which of the two servers behind it a request is for.

use super::handler::AgentServer;
use super::http::HttpConfig;
use super::lines::Line;
use super::pace::{Pace, TooMany, Turn};
use super::sessions::{SESSION, Sessions, Standing};
use super::tokens::{ClientName, Clients};
use axum::body::{Body, Bytes, HttpBody, to_bytes};
use axum::extract::{Request, State};
use axum::http::{HeaderMap, Method, StatusCode, header};
use axum::response::{IntoResponse, Response};
use hyper::body::{Frame, SizeHint};
use rmcp::model::{ClientRequest, JsonRpcMessage};
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};
use serde_json::{Value, json};
use std::future::poll_fn;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::{Duration, Instant};
use tokio_util::sync::CancellationToken;

#[cfg(not(feature = "conformance"))]
type Server = AgentServer;
#[cfg(feature = "conformance")]
type Server = super::conformance::Fixtures;

/// Where the protocol is spoken.
const PATH: &str = "/mcp";
/// The largest request that is read.
const MAX_BODY: usize = 4 * 1024 * 1024;

/// What stands between the network and the tools.
pub(crate) struct Gate {
    clients: Arc<dyn Clients>,
    hosts: Vec<String>,
    origins: Vec<String>,
    pace: Arc<Pace>,
    sessions: Sessions,
    /// How long a request may take to arrive whole.
    body_wait: Duration,
    /// Serves clients that opened a session with a handshake.
    in_session: StreamableHttpService<Server, LocalSessionManager>,
    /// Serves everybody else, each request on its own.
    alone: StreamableHttpService<Server, NeverSessionManager>,
}

impl Gate {
    pub fn new(config: HttpConfig, port: u16, body_wait: Duration, stop: &CancellationToken) -> Gate {
        let HttpConfig { hosts, clients, desks, settings, presence, .. } = config;
        let hosts: Vec<String> =
            ["127.0.0.1", "localhost", "::1"].map(str::to_owned).into_iter().chain(hosts).collect();
        let origins: Vec<String> =
            ["127.0.0.1", "localhost"].iter().map(|host| format!("http://{host}:{port}")).collect();
        let transport = StreamableHttpServerConfig::default()
            .with_allowed_hosts(hosts.clone())
            .enforce_origin_validation()
            .with_allowed_origins(origins.clone())
            .with_json_response(true)
            .with_max_request_body_bytes(MAX_BODY)
            .with_cancellation_token(stop.clone());
        let server = AgentServer::by_token(desks, settings, presence);
        #[cfg(feature = "conformance")]
        let server = super::conformance::Fixtures::around(server);
        let sessions = Sessions::default();
        let make = {
            let server = server.clone();
            move || Ok(server.for_session())
        };
        Gate {
            clients,
            hosts,
            origins,
            pace: Arc::default(),
            body_wait,
            in_session: StreamableHttpService::new(make, sessions.manager(), transport.clone()),
            alone: StreamableHttpService::new(
                move || Ok(server.clone()),
                Arc::new(NeverSessionManager::default()),
                transport.with_legacy_session_mode(false),
            ),
            sessions,
        }
    }

    fn client_of(&self, headers: &HeaderMap) -> Option<String> {
        #[cfg(feature = "conformance")]
        if !headers.contains_key(header::AUTHORIZATION) {
            return Some(super::conformance::CLIENT.to_owned());
        }
        self.clients.client_of(bearer(headers)?)
    }
}

/// Lets a request in that is addressed to this machine, does not come from a web page, and carries a known token.
/// The transport checks host and origin once more; here they come first, so that a stranger learns nothing of tokens.
pub(crate) async fn enter(State(gate): State<Arc<Gate>>, mut request: Request) -> Response {
    let (client, turn) = match admit(&gate, &request) {
        Ok((client, turn)) => (client, Arc::new(turn)),
        Err(refused) => {
            discard(request.into_body(), gate.body_wait).await;
            return refused;
        }
    };
    request.extensions_mut().insert(ClientName(client.clone()));
    // In a session a call goes on when its client hangs up, so the turn goes with the request too.
    request.extensions_mut().insert(turn.clone());
    let still_in = {
        let (gate, headers) = (gate.clone(), request.headers().clone());
        move || gate.client_of(&headers).is_some()
    };
    match pass(&gate, &client, request).await {
        Ok(response) => response.map(|body| Body::new(Watched { body, turn, still_in })),
        Err(refused) => refused,
    }
}

/// Finds out who asks and whether it is its turn.
#[allow(clippy::result_large_err, reason = "a refusal is given on at once")]
fn admit(gate: &Gate, request: &Request) -> Result<(String, Turn), Response> {
    if !is_for_us(request.headers(), &gate.hosts) {
        return Err(refuse(
            StatusCode::FORBIDDEN,
            "this server answers only on this machine: use the address that Vidimus shows\n",
        ));
    }
    if !comes_from_no_page(request.headers(), &gate.origins) {
        return Err(refuse(StatusCode::FORBIDDEN, "this server does not answer web pages\n"));
    }
    let Some(client) = gate.client_of(request.headers()) else {
        return Err(refuse(
            StatusCode::UNAUTHORIZED,
            "this server needs a token of its own for each client: in Vidimus open Settings, Agents, add the client there, \
             and send its token as `Authorization: Bearer TOKEN`\n",
        ));
    };
    if request.uri().path() != PATH {
        return Err(refuse(StatusCode::NOT_FOUND, "there is nothing here: the address ends with /mcp\n"));
    }
    match gate.pace.enter(&client, Instant::now()) {
        Ok(turn) => Ok((client, turn)),
        Err(TooMany::AtOnce) => {
            Err(slow_down("this client has too many requests running; wait until some are answered\n"))
        }
        Err(TooMany::InARow) => Err(slow_down("this client sends too many requests; wait a second\n")),
    }
}

/// Takes what comes of a refused request and forgets it: were it left unread, the connection would break under the client
/// that still sends, and the refusal be lost with it.
async fn discard(mut body: Body, wait: Duration) {
    let reading = async {
        let mut left = MAX_BODY;
        while let Some(Ok(frame)) = poll_fn(|cx| Pin::new(&mut body).poll_frame(cx)).await {
            let n_bytes = frame.data_ref().map_or(0, Bytes::len);
            let Some(rest) = left.checked_sub(n_bytes) else { break };
            left = rest;
        }
    };
    // Who does not send all of it in time is refused all the same.
    let _ = tokio::time::timeout(wait, reading).await;
}

/// Gives a request to the server that it is for.
async fn pass(gate: &Gate, client: &str, request: Request) -> Result<Response, Response> {
    let (mut parts, body) = request.into_parts();
    let mut bytes = Bytes::new();
    let mut opens = false;
    if parts.method == Method::POST {
        bytes = read(body, gate.body_wait).await?;
        opens = opens_a_session(&bytes)?;
    }
    let id = parts.headers.get(SESSION).and_then(|id| id.to_str().ok()).map(str::to_owned);
    let is_end = parts.method == Method::DELETE;
    let in_session = match id.as_deref().map(|id| gate.sessions.standing(id, client)) {
        Some(Standing::Open) => true,
        Some(Standing::Closed) => return Err(refuse(StatusCode::NOT_FOUND, "this session is over; open a new one\n")),
        // A session from before the server was started again: its client need not notice, as long as nothing but
        // answers is expected of it.
        Some(Standing::Unknown) if parts.method == Method::POST => {
            parts.headers.remove(SESSION);
            opens
        }
        Some(Standing::Unknown) => return Err(refuse(StatusCode::NOT_FOUND, "there is no such session\n")),
        None => opens,
    };
    let request = Request::from_parts(parts, Body::from(bytes));
    if !in_session {
        return Ok(gate.alone.handle(request).await.map(Body::new));
    }
    let response = gate.in_session.handle(request).await.map(Body::new);
    match (id, response.headers().get(SESSION).and_then(|id| id.to_str().ok())) {
        (Some(id), _) if is_end && response.status().is_success() => {
            gate.sessions.closed(&id);
            // Some clients take any other word for a failure.
            return Ok(StatusCode::NO_CONTENT.into_response());
        }
        (None, Some(id)) => gate.sessions.opened(id, client).await,
        _ => {}
    }
    Ok(response)
}

async fn read(body: Body, wait: Duration) -> Result<Bytes, Response> {
    match tokio::time::timeout(wait, to_bytes(body, MAX_BODY)).await {
        Ok(Ok(bytes)) => Ok(bytes),
        Ok(Err(_)) => Err(refuse(StatusCode::PAYLOAD_TOO_LARGE, "a request has at most 4 MiB\n")),
        Err(_) => Err(refuse(StatusCode::REQUEST_TIMEOUT, "the request did not arrive in time\n")),
    }
}

/// Whether a message is the first of a handshake; what is no message is answered as on every other way in.
fn opens_a_session(bytes: &[u8]) -> Result<bool, NoMessage> {
    if bytes.trim_ascii().is_empty() {
        let answer = json!({"jsonrpc": "2.0", "id": null, "error": {"code": -32700, "message": "there is no message"}});
        return Err(NoMessage(Some(answer)));
    }
    match Line::of(bytes) {
        Line::Message(message) => Ok(matches!(
            *message,
            JsonRpcMessage::Request(request) if matches!(request.request, ClientRequest::InitializeRequest(_))
        )),
        Line::Nothing => Err(NoMessage(None)),
        Line::Refused(answer) => Err(NoMessage(Some(answer))),
    }
}

/// What cannot be given on, and what there is to answer.
struct NoMessage(Option<Value>);

impl From<NoMessage> for Response {
    fn from(NoMessage(answer): NoMessage) -> Response {
        match answer {
            Some(answer) => (StatusCode::BAD_REQUEST, axum::Json(answer)).into_response(),
            None => StatusCode::ACCEPTED.into_response(),
        }
    }
}

fn refuse(status: StatusCode, text: &'static str) -> Response {
    (status, [(header::CONTENT_TYPE, "text/plain; charset=utf-8")], text).into_response()
}

fn slow_down(text: &'static str) -> Response {
    let mut response = refuse(StatusCode::TOO_MANY_REQUESTS, text);
    response.headers_mut().insert(header::RETRY_AFTER, header::HeaderValue::from_static("1"));
    response
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

/// An answer on its way out: it holds its client's turn, and ends when a person takes the client's token back.
struct Watched<F> {
    body: Body,
    #[allow(dead_code, reason = "held until the answer is out")]
    turn: Arc<Turn>,
    still_in: F,
}

impl<F: Fn() -> bool + Unpin> HttpBody for Watched<F> {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        match Pin::new(&mut self.body).poll_frame(cx) {
            Poll::Ready(Some(_)) if !(self.still_in)() => Poll::Ready(None),
            polled => polled,
        }
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
