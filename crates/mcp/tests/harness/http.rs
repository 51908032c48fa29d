//! The HTTP server, and requests to it written by hand.

use super::Fixture;
use engine::Writes;
use mcp::{DoorSettings, HttpConfig, HttpServer, Presence, TokenTable, new_token, token_hash};
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader, Lines};
use tokio::net::TcpStream;

/// A server with one client.
pub struct Http {
    pub server: HttpServer,
    pub token: String,
    pub presence: Presence,
    pub tokens: Arc<TokenTable>,
    /// Whether a person keeps all clients out of the vault.
    pub kept_out: Arc<AtomicBool>,
}

pub async fn http(fixture: &Fixture) -> Http {
    let (token, tokens, presence) = (new_token().unwrap(), Arc::new(TokenTable::default()), Presence::default());
    tokens.replace([("Claude", token_hash(&token).as_str())]);
    let (engine, kept_out) = (fixture.engine.clone(), Arc::new(AtomicBool::new(false)));
    let is_out = kept_out.clone();
    let server = HttpServer::start(HttpConfig {
        port: 0,
        hosts: Vec::new(),
        clients: tokens.clone(),
        desks: Arc::new(move |client| (!is_out.load(Ordering::SeqCst)).then(|| engine.desk(client, Writes::Review))),
        settings: DoorSettings::default(),
        presence: presence.clone(),
    })
    .await
    .unwrap();
    Http { server, token, presence, tokens, kept_out }
}

/// What came back for a request.
#[derive(Debug)]
pub struct Reply {
    pub status: u16,
    pub head: String,
    pub body: String,
}

impl Reply {
    pub fn header(&self, name: &str) -> Option<&str> {
        let lines = self.head.lines().filter_map(|line| line.split_once(": "));
        lines.into_iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, value)| value)
    }

    /// The answer, be it the body or the last thing in a stream of events.
    pub fn json(&self) -> Value {
        let last = self.body.lines().rev().find_map(|line| line.strip_prefix("data: ").filter(|data| data.len() > 1));
        serde_json::from_str(last.unwrap_or(&self.body)).unwrap_or_default()
    }
}

impl Http {
    /// Sends one request and returns the status and the body.
    pub async fn post(&self, headers: &[(&str, &str)], body: &str) -> (u16, String) {
        let reply = self.send("POST", headers, body).await;
        (reply.status, reply.body)
    }

    pub async fn send(&self, method: &str, headers: &[(&str, &str)], body: &str) -> Reply {
        self.send_bytes(method, headers, body.as_bytes()).await
    }

    pub async fn send_bytes(&self, method: &str, headers: &[(&str, &str)], body: &[u8]) -> Reply {
        let request = self.request(method, &[headers, &[("Connection", "close")]].concat(), body);
        let mut stream = TcpStream::connect(("127.0.0.1", self.server.port())).await.unwrap();
        stream.write_all(&request).await.unwrap();
        let mut answer = Vec::new();
        let read = stream.read_to_end(&mut answer);
        tokio::time::timeout(Duration::from_secs(60), read).await.expect("no answer").unwrap();
        let answer = String::from_utf8(answer).unwrap();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        Reply { status, head: head.to_owned(), body: body.to_owned() }
    }

    /// Sends one request and returns the lines of its answer as they come.
    pub async fn stream(&self, method: &str, headers: &[(&str, &str)], body: &str) -> Lines<BufReader<TcpStream>> {
        let mut stream = TcpStream::connect(("127.0.0.1", self.server.port())).await.unwrap();
        let headers = [headers, &[("Connection", "close")]].concat();
        stream.write_all(&self.request(method, &headers, body.as_bytes())).await.unwrap();
        BufReader::new(stream).lines()
    }

    /// Writes a request out.
    pub fn request(&self, method: &str, headers: &[(&str, &str)], body: &[u8]) -> Vec<u8> {
        let mut request = format!("{method} /mcp HTTP/1.1\r\nContent-Length: {}\r\n", body.len());
        if !headers.iter().any(|(name, _)| *name == "Host") {
            request += &format!("Host: 127.0.0.1:{}\r\n", self.server.port());
        }
        request += "Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\n";
        headers.iter().for_each(|(name, value)| request += &format!("{name}: {value}\r\n"));
        [format!("{request}\r\n").as_bytes(), body].concat()
    }

    pub async fn call(&self, headers: &[(&str, &str)], message: Value) -> (u16, Value) {
        let bearer = self.bearer();
        let mut headers = headers.to_vec();
        headers.push(("Authorization", &bearer));
        let reply = self.send("POST", &headers, &message.to_string()).await;
        (reply.status, reply.json())
    }

    pub fn bearer(&self) -> String {
        format!("Bearer {}", self.token)
    }
}

/// A request of the era of handshakes.
pub fn legacy(method: &str, params: Value) -> Value {
    json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
}

/// Waits for a line with these words in it; `None` when the answer ends without.
pub async fn line_with(lines: &mut Lines<BufReader<TcpStream>>, words: &str) -> Option<String> {
    loop {
        let line = tokio::time::timeout(Duration::from_secs(30), lines.next_line()).await.expect("silence");
        // A connection that is cut off has ended too.
        let line = line.ok().flatten()?;
        if line.contains(words) {
            return Some(line);
        }
    }
}
