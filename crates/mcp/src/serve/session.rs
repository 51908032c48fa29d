//! What a relay remembers of a session, so that it can go on with another owner of the vault.

use crate::tools;
use crate::wire::error::{Code, ToolError};
use rmcp::model::CallToolResult;
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::{Value, json};
use std::collections::{BTreeMap, HashMap, HashSet};

/// A request that stays open as long as the client wants to be told of changes.
const LISTEN: &str = "subscriptions/listen";

/// What is needed to go on with a session elsewhere.
#[derive(Debug, Default)]
pub(crate) struct Session {
    /// The request and the notification that opened it.
    initialize: Option<(Value, Vec<u8>)>,
    initialized: Option<Vec<u8>>,
    /// Whether the opening was answered, so that its next answer is not for the client.
    opened: bool,
    /// Ids whose next answer is not for the client, because it has had one.
    swallow: HashSet<String>,
    /// What the client follows, by address.
    followed: BTreeMap<String, (String, Vec<u8>)>,
    /// Questions without an answer yet, by their id as JSON.
    open: HashMap<String, (Value, Vec<u8>)>,
}

/// What tells an answer from a request of the owner's. What it says is long, and nothing to a relay.
#[derive(Deserialize)]
struct Answer {
    #[serde(default)]
    id: Option<Value>,
    #[serde(default)]
    method: Option<IgnoredAny>,
}

impl Session {
    /// Whether every question has been answered, the one that opened the session too.
    pub fn is_idle(&self) -> bool {
        // Listening is no question that an answer is waited for.
        let asks = |(message, _): &(Value, Vec<u8>)| message.get("method").is_none_or(|method| method != LISTEN);
        !self.open.values().any(asks) && (self.initialize.is_none() || self.opened)
    }

    /// Notes what the client sent.
    pub fn asked(&mut self, line: &[u8]) {
        let Ok(message) = serde_json::from_slice::<Value>(line) else { return };
        let method = message.get("method").and_then(Value::as_str);
        match (method, message.get("id")) {
            (Some("initialize"), Some(id)) => self.initialize = Some((id.clone(), line.to_vec())),
            (Some("notifications/initialized"), None) => self.initialized = Some(line.to_vec()),
            (Some("notifications/cancelled"), None) => {
                if let Some(id) = message.pointer("/params/requestId") {
                    self.open.remove(&id.to_string());
                }
            }
            (Some(method @ ("resources/subscribe" | "resources/unsubscribe")), Some(id)) => {
                let uri = message.pointer("/params/uri").and_then(Value::as_str).unwrap_or_default().to_owned();
                match method {
                    "resources/subscribe" => drop(self.followed.insert(uri, (id.to_string(), line.to_vec()))),
                    _ => drop(self.followed.remove(&uri)),
                }
                self.open.insert(id.to_string(), (message.clone(), line.to_vec()));
            }
            (Some(_), Some(id)) => drop(self.open.insert(id.to_string(), (message.clone(), line.to_vec()))),
            _ => {}
        }
    }

    /// Notes what came back; false when the client has had that answer before.
    pub fn answered(&mut self, line: &[u8]) -> bool {
        let Ok(Answer { id: Some(id), method: None }) = serde_json::from_slice::<Answer>(line) else { return true };
        if self.swallow.remove(&id.to_string()) {
            return false;
        }
        if self.initialize.as_ref().is_some_and(|(known, _)| *known == id) {
            self.opened = true;
        }
        self.open.remove(&id.to_string());
        true
    }

    /// Returns what to send to the next owner, and what to answer to the client in its place.
    pub fn reopen(&mut self) -> (Vec<Vec<u8>>, Vec<Vec<u8>>) {
        let (mut again, mut failed) = (Vec::new(), Vec::new());
        self.swallow.clear();
        if let Some((id, line)) = &self.initialize {
            again.push(line.clone());
            self.swallow.extend(self.opened.then(|| id.to_string()));
        }
        again.extend(self.initialized.iter().filter(|_| self.opened).cloned());
        for (id, line) in self.followed.values().filter(|(id, _)| !self.open.contains_key(id)) {
            again.push(line.clone());
            self.swallow.insert(id.clone());
        }
        let open = std::mem::take(&mut self.open);
        for (key, (message, line)) in open {
            if may_repeat(&message) {
                again.push(line.clone());
                self.open.insert(key, (message, line));
            } else {
                failed.push(broken_off(&message));
            }
        }
        (again, failed)
    }
}

/// Whether asking twice does no harm: everything but a write, and a write whose retry token makes it harmless.
fn may_repeat(message: &Value) -> bool {
    if message.get("method").and_then(Value::as_str) != Some("tools/call") {
        return true;
    }
    let name = message.pointer("/params/name").and_then(Value::as_str).unwrap_or_default();
    let token = message.pointer("/params/arguments/request_id").is_some_and(Value::is_string);
    token || tools::find(name).is_none_or(|tool| !tool.is_write())
}

fn broken_off(message: &Value) -> Vec<u8> {
    let error = ToolError::new(
        Code::VaultBusy,
        "the vault changed hands while this call ran; it may have been recorded",
        "call get_operation without arguments to see your open operations, then decide whether to call again",
    );
    let result = CallToolResult::structured_error(error.to_json());
    let answer = json!({"jsonrpc": "2.0", "id": message.get("id"), "result": result});
    let mut line = answer.to_string().into_bytes();
    line.push(b'\n');
    line
}
