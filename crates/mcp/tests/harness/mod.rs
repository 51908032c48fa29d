//! A vault in a temporary folder, a client that speaks JSON-RPC lines to it without any MCP library, and in `agent` the
//! client of the MCP library; in `http` the server for everybody else.

#![allow(dead_code, reason = "each test file uses a part of it")]

pub mod agent;
pub mod http;

use agent::Agent;
use engine::{Desk, Engine, OpenVault, Writes};
use mcp::{DoorSettings, Presence, serve_stream};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::Duration;
use tempfile::TempDir;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, ReadHalf, WriteHalf};

/// A vault with an engine.
pub struct Fixture {
    dir: TempDir,
    pub engine: Engine,
}

impl Fixture {
    /// Makes a vault of these files and waits until it is indexed.
    pub fn new(files: &[(&str, &str)]) -> Fixture {
        let files: Vec<(&str, &[u8])> = files.iter().map(|(path, text)| (*path, text.as_bytes())).collect();
        Fixture::of_bytes(&files)
    }

    /// The same of files that need not be text.
    pub fn of_bytes(files: &[(&str, &[u8])]) -> Fixture {
        let fixture = Fixture::just_opened(files);
        assert!(fixture.engine.wait_indexed(Duration::from_secs(30)));
        fixture
    }

    /// The same, and does not wait for the index.
    pub fn just_opened(files: &[(&str, &[u8])]) -> Fixture {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().join("vault");
        std::fs::create_dir_all(&root).unwrap();
        for (path, text) in files {
            let full = root.join(path);
            std::fs::create_dir_all(full.parent().unwrap()).unwrap();
            std::fs::write(full, text).unwrap();
        }
        let engine = Engine::open(OpenVault {
            root,
            state: dir.path().join("state"),
            name: "Test".to_owned(),
            vault_key: "k".to_owned(),
            system_trash: None,
        })
        .unwrap();
        Fixture { dir, engine }
    }

    pub fn root(&self) -> PathBuf {
        self.dir.path().join("vault")
    }

    pub fn read(&self, path: &str) -> String {
        std::fs::read_to_string(self.root().join(path)).unwrap()
    }

    pub fn write(&self, path: &str, text: &str) {
        std::fs::write(self.root().join(path), text).unwrap();
    }

    /// Opens a session as a client with this leave.
    pub async fn client(&self, writes: Writes) -> Client {
        self.client_with(writes, DoorSettings::default()).await
    }

    /// Opens a session of the MCP library's own client with this leave.
    pub async fn agent(&self, writes: Writes) -> Agent {
        self.agent_with(writes, DoorSettings::default()).await
    }

    pub async fn agent_with(&self, writes: Writes, settings: DoorSettings) -> Agent {
        Agent::open(self.serve(writes, settings)).await
    }

    pub async fn client_with(&self, writes: Writes, settings: DoorSettings) -> Client {
        let mut client = Client::new(self.serve(writes, settings));
        client.initialize().await;
        client
    }

    /// Opens a session of the client that this desk is for.
    pub async fn client_at(&self, desk: Desk) -> Client {
        let mut client = Client::new(serve(desk, DoorSettings::default()));
        client.initialize().await;
        client
    }

    fn serve(&self, writes: Writes, settings: DoorSettings) -> DuplexStream {
        serve(self.engine.desk("tester", writes), settings)
    }
}

fn serve(desk: Desk, settings: DoorSettings) -> DuplexStream {
    let (ours, theirs) = tokio::io::duplex(1 << 20);
    let (read, write) = tokio::io::split(theirs);
    tokio::spawn(async move { serve_stream(read, write, desk, settings, &Presence::default()).await });
    ours
}

/// One session.
pub struct Client {
    read: BufReader<ReadHalf<DuplexStream>>,
    write: WriteHalf<DuplexStream>,
    id: u64,
}

impl Client {
    pub fn new(stream: DuplexStream) -> Client {
        let (read, write) = tokio::io::split(stream);
        Client { read: BufReader::new(read), write, id: 0 }
    }

    pub async fn initialize(&mut self) -> Value {
        let params =
            json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}});
        let answer = self.request("initialize", params).await;
        self.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"})).await;
        answer["result"].clone()
    }

    pub async fn send(&mut self, message: &Value) {
        self.write.write_all(format!("{message}\n").as_bytes()).await.unwrap();
    }

    /// Sends a line as it is, whether or not it is a message.
    pub async fn send_bytes(&mut self, line: &[u8]) {
        self.write.write_all(line).await.unwrap();
        self.write.write_all(b"\n").await.unwrap();
    }

    /// Sends the beginning of a line and closes this side.
    pub async fn break_off(&mut self, line: &[u8]) {
        self.write.write_all(line).await.unwrap();
        self.write.shutdown().await.unwrap();
    }

    pub async fn receive(&mut self) -> Value {
        let mut line = String::new();
        self.read.read_line(&mut line).await.unwrap();
        serde_json::from_str(&line).unwrap_or_default()
    }

    pub async fn request(&mut self, method: &str, params: Value) -> Value {
        self.id += 1;
        let id = self.id;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})).await;
        loop {
            let answer = self.receive().await;
            if answer["id"] == id {
                return answer;
            }
            assert!(!answer.is_null(), "the server ended");
        }
    }

    /// Calls a tool and returns its structured answer, with `is_error` as it was.
    pub async fn call(&mut self, tool: &str, arguments: Value) -> (bool, Value) {
        let answer = self.request("tools/call", json!({"name": tool, "arguments": arguments})).await;
        let result = &answer["result"];
        let structured = result["structuredContent"].clone();
        assert!(structured.is_object(), "no structured answer: {answer}");
        let text = result["content"][0]["text"].as_str().unwrap();
        assert_eq!(serde_json::from_str::<Value>(text).unwrap(), structured, "the text says something else");
        (result["isError"] == true, structured)
    }

    /// Calls a tool that must succeed.
    pub async fn ok(&mut self, tool: &str, arguments: Value) -> Value {
        let (is_error, answer) = self.call(tool, arguments).await;
        assert!(!is_error, "{answer}");
        answer
    }

    /// Calls a tool that must fail, and returns its error.
    pub async fn fails(&mut self, tool: &str, arguments: Value) -> Value {
        let (is_error, answer) = self.call(tool, arguments).await;
        assert!(is_error, "{answer}");
        for field in ["code", "message", "hint"] {
            assert!(answer[field].is_string(), "{field}: {answer}");
        }
        assert!(answer["retryable"].is_boolean(), "{answer}");
        answer
    }
}

/// Takes note text out of its marks.
pub fn unwrapped(content: &Value) -> String {
    let text = content.as_str().unwrap();
    let nonce = text.split("boundary=\"").nth(1).unwrap().split('"').next().unwrap();
    let open = format!("boundary=\"{nonce}\">\n");
    let start = text.find(&open).unwrap() + open.len();
    let end = text.find(&format!("\n</vault_content boundary=\"{nonce}\">")).unwrap();
    text[start..end].to_owned()
}

/// Takes out of an answer what is new in each: the random word of the marks.
pub fn steady(answer: &Value) -> String {
    let text = answer.to_string();
    let words: BTreeSet<String> =
        text.split("boundary=\\\"").skip(1).filter_map(|rest| rest.split('\\').next().map(str::to_owned)).collect();
    words.iter().fold(text.clone(), |text, word| text.replace(word.as_str(), "WORD"))
}

/// Holds a value against a JSON schema, as far as this project's schemas go.
pub fn conforms(schema: &Value, value: &Value, at: &str) {
    let Some(schema) = schema.as_object() else { return };
    let type_of = |value: &Value| match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(n) if n.is_f64() => "number",
        Value::Number(_) => "integer",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    };
    let kind = type_of(value);
    let fits = |name: &Value| name == kind || (name == "number" && kind == "integer");
    match schema.get("type") {
        Some(Value::Array(names)) => assert!(names.iter().any(fits), "{at}: {kind} is none of {names:?}"),
        Some(name) => assert!(fits(name), "{at}: {kind} is not {name}"),
        None => {}
    }
    if let Some(Value::Array(words)) = schema.get("enum") {
        assert!(words.contains(value), "{at}: {value} is none of {words:?}");
    }
    for name in schema.get("required").and_then(Value::as_array).into_iter().flatten() {
        assert!(value.get(name.as_str().unwrap()).is_some(), "{at}: {name} is missing");
    }
    if let (Some(object), Some(Value::Object(properties))) = (value.as_object(), schema.get("properties")) {
        for (name, value) in object {
            // A schema may leave a field out: JSON Schema allows more than it names.
            let property = properties.get(name);
            property.into_iter().for_each(|schema| conforms(schema, value, &format!("{at}.{name}")));
        }
    }
    if let (Some(items), Some(schema)) = (value.as_array(), schema.get("items")) {
        items.iter().enumerate().for_each(|(n, item)| conforms(schema, item, &format!("{at}[{n}]")));
    }
}
