//! The ways in. Everything async in this crate is here; a tool itself runs on a thread of its own.

mod answers;
mod anteroom;
#[cfg(feature = "conformance")]
mod conformance;
mod gate;
mod gated;
mod handler;
pub(crate) mod http;
mod lines;
mod pace;
pub(crate) mod presence;
mod prompts;
pub(crate) mod relay;
mod resources;
mod session;
mod sessions;
pub(crate) mod socket;
mod subscriptions;
mod tasks;
pub(crate) mod tokens;

use crate::DoorSettings;
use engine::Desk;
use handler::AgentServer;
use lines::LineTransport;
use presence::{Door, Presence};
use rmcp::service::ServerInitializeError;
use std::sync::Arc;
use thiserror::Error;
use tokio::io::{AsyncRead, AsyncWrite};

/// Makes a desk for a client that a person has let in; `None` when no vault is open.
pub type DeskFactory = Arc<dyn Fn(&str) -> Option<Desk> + Send + Sync>;

/// Why a session could not be held.
#[derive(Debug, Error)]
pub enum ServeError {
    /// The client did not speak the protocol.
    #[error("the client did not open an MCP session: {reason}")]
    NotMcp { reason: String },
    /// The session's own task ended badly.
    #[error("the session ended early")]
    Ended,
}

/// Serves one client over standard input and output until it closes them.
///
/// # Errors
/// The client does not speak the protocol.
pub async fn serve_stdio(desk: Desk, settings: DoorSettings, presence: &Presence) -> Result<(), ServeError> {
    let (read, write) = rmcp::transport::stdio_pipes();
    serve(read, write, desk, settings, presence, Door::Stdio).await
}

/// Serves one client over a pair of streams until it closes them.
///
/// # Errors
/// The client does not speak the protocol.
pub async fn serve_stream<R, W>(
    read: R,
    write: W,
    desk: Desk,
    settings: DoorSettings,
    presence: &Presence,
) -> Result<(), ServeError>
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    serve(read, write, desk, settings, presence, Door::Stdio).await
}

async fn serve<R, W>(
    read: R,
    write: W,
    desk: Desk,
    settings: DoorSettings,
    presence: &Presence,
    door: Door,
) -> Result<(), ServeError>
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    let _connected = presence.connected(desk.client(), door);
    let server = AgentServer::for_desk(desk, settings, presence.clone(), door);
    match rmcp::serve_server(server, LineTransport::new(read, write)).await {
        Ok(session) => session.waiting().await.map(drop).map_err(|_| ServeError::Ended),
        // A client that only looked whether somebody is there.
        Err(ServerInitializeError::ConnectionClosed(_) | ServerInitializeError::Cancelled) => Ok(()),
        Err(error) => Err(ServeError::NotMcp { reason: error.to_string() }),
    }
}
