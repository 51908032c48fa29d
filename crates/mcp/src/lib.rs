//! The agent door: MCP tools over an engine's [`engine::Desk`].
//!
//! An agent reads and proposes here; deciding is not offered, because a desk has no way to. `tools` holds what each
//! tool does, `wire` the public contract as values, `limits` what leaves at once and between which marks, `serve` the
//! ways in: standard input and output, a local socket, and HTTP on this machine.

mod limits;
mod serve;
mod tools;
mod wire;

pub use serve::http::{HttpConfig, HttpError, HttpServer};
pub use serve::presence::{Called, ClientPresence, Door, Presence, Record};
pub use serve::relay::{RelayError, Upstream, relay, relay_stdio};
pub use serve::socket::{Admission, Hello, LocalListener, SocketError, Welcome, connect, listen_locally, local_name};
pub use serve::tokens::{Clients, TokenTable, new_token, token_hash};
pub use serve::{DeskFactory, ServeError, serve_stdio, serve_stream};
pub use tools::tools;

/// What a person can set about this door.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DoorSettings {
    /// Whether secrets of well-known shapes are kept back.
    pub redact_secrets: bool,
    /// How many characters of JSON one answer may have; at least [`DoorSettings::MIN_RESPONSE_CHARS`].
    pub max_response_chars: usize,
}

impl DoorSettings {
    /// The smallest answer in which a note can still be read in windows.
    pub const MIN_RESPONSE_CHARS: usize = 4096;

    /// Returns the settings with every value brought into its bounds.
    pub(crate) fn checked(self) -> DoorSettings {
        DoorSettings { max_response_chars: self.max_response_chars.max(Self::MIN_RESPONSE_CHARS), ..self }
    }
}

impl Default for DoorSettings {
    fn default() -> DoorSettings {
        DoorSettings { redact_secrets: true, max_response_chars: 131_072 }
    }
}
