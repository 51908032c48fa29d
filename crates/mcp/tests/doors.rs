//! The other two ways in: HTTP on this machine and the local socket.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod harness;

use engine::{RelPath, Writes};
use harness::http::{http, legacy};
use harness::{Client, Fixture, steady};
use mcp::{
    Door, DoorSettings, Hello, HttpConfig, HttpServer, LocalListener, Presence, SocketError, TokenTable, Upstream,
    Welcome, connect, relay,
};
use serde_json::{Value, json};
use std::sync::Arc;
use tokio::net::TcpStream;
use tokio_util::sync::CancellationToken;

/// Who comes through a relay.
fn hello() -> Hello {
    Hello::new("pipe", Writes::Review)
}

#[tokio::test]
async fn both_eras_are_served_on_one_address() {
    let fixture = Fixture::new(&[("a.md", "# A\n")]);
    let http = http(&fixture).await;
    let opening =
        json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "c", "version": "1"}});
    let (status, opened) = http.call(&[], legacy("initialize", opening)).await;
    assert_eq!((status, &opened["result"]["protocolVersion"]), (200, &json!("2025-06-18")), "{opened}");
    let read = json!({"name": "get_note", "arguments": {"id_or_path": "a.md"}});
    let (status, answer) =
        http.call(&[("MCP-Protocol-Version", "2025-06-18")], legacy("tools/call", read.clone())).await;
    assert_eq!((status, &answer["result"]["structuredContent"]["rel_path"]), (200, &json!("a.md")), "{answer}");

    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
        "io.modelcontextprotocol/clientInfo": {"name": "modern", "version": "1"},
    });
    let modern = |method: &str, mut params: Value| {
        params["_meta"] = meta.clone();
        legacy(method, params)
    };
    let version = ("MCP-Protocol-Version", "2026-07-28");
    let (status, found) =
        http.call(&[version, ("Mcp-Method", "server/discover")], modern("server/discover", json!({}))).await;
    assert_eq!((status, found["result"]["instructions"].is_string()), (200, true), "{found}");
    let headers = [version, ("Mcp-Method", "tools/call"), ("Mcp-Name", "get_note")];
    let (status, answer) = http.call(&headers, modern("tools/call", read)).await;
    assert_eq!((status, &answer["result"]["resultType"]), (200, &json!("complete")), "{answer}");
    let (status, list) = http.call(&[version, ("Mcp-Method", "tools/list")], modern("tools/list", json!({}))).await;
    assert_eq!((status, list["result"]["ttlMs"].as_u64()), (200, Some(300_000)));
    let seen = &http.presence.clients()[0];
    assert_eq!((seen.client.as_str(), seen.program.as_deref(), seen.connected), ("Claude", Some("modern"), true));
    assert!(seen.n_calls >= 3);
    let calls = http.presence.calls();
    assert_eq!((calls.len(), calls[0].tool.as_str(), calls[0].subject.as_deref()), (2, "get_note", Some("a.md")));
    assert!(calls[0].refused.is_none() && !calls[0].waiting);
    http.server.stop().await;
}

#[tokio::test]
async fn every_door_and_era_answers_the_same() {
    let note = "---\ntags: [t]\n---\n# A\n\n## Old\ntext [[b]]\n\n## Old\n";
    let fixture = Fixture::new(&[("a.md", note), ("b.md", "# B\n[[a#Old]]\n")]);
    let http = http(&fixture).await;
    let mut lines = fixture.client(Writes::Review).await;
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
        "io.modelcontextprotocol/clientInfo": {"name": "modern", "version": "1"},
    });
    let hash = blake3::hash(note.as_bytes()).to_hex().to_string();
    for (tool, arguments) in [
        ("get_note", json!({"id_or_path": "a.md", "resolve_links": true, "include_content": true})),
        ("get_note", json!({"title": "a", "format": "map", "limit": 1.0, "offset": null})),
        ("get_note", json!({"id_or_path": "a.md", "heading_path": "[\"A\", \"Old\"]", "heading_occurrence": 2})),
        ("get_note", json!({"id_or_path": "a.md", "heading_path": ["A", "Old"]})),
        ("get_note", json!({"id_or_path": "a.md", "limit": "5", "ofset": 1})),
        ("get_note", json!({"id_or_path": "../a.md"})),
        ("list_notes", json!({"tags": ["t"]})),
        ("search_text", json!({"query": "text"})),
        ("get_backlinks", json!({"target": "a"})),
        (
            "rename_note_section",
            json!({"rel_path": "a.md", "heading": "Old", "heading_level": 2, "heading_occurrence": 1, "new_heading": "New", "expected_hash": hash, "dry_run": true}),
        ),
        ("rename_note_section", json!({"rel_path": "a.md", "heading": "A", "new_heading": "New"})),
        ("rename_note_section", json!({"rel_path": "a.md", "heading": "Old", "new_heading": "New"})),
    ] {
        let call = json!({"name": tool, "arguments": arguments});
        let mut modern = call.clone();
        modern["_meta"] = meta.clone();
        let headers = [("MCP-Protocol-Version", "2026-07-28"), ("Mcp-Method", "tools/call"), ("Mcp-Name", tool)];
        let handshake = [("MCP-Protocol-Version", "2025-06-18")];
        let answers = [
            lines.request("tools/call", call.clone()).await,
            lines.request("tools/call", modern.clone()).await,
            http.call(&handshake, legacy("tools/call", call)).await.1,
            http.call(&headers, legacy("tools/call", modern)).await.1,
        ];
        let first = &answers[0]["result"];
        assert!(first["structuredContent"].is_object(), "{tool} {arguments}: {}", answers[0]);
        for answer in &answers {
            let result = &answer["result"];
            let text: Value = serde_json::from_str(result["content"][0]["text"].as_str().unwrap()).unwrap();
            assert_eq!(text, result["structuredContent"], "{tool} {arguments}");
            assert_eq!(steady(&text), steady(&first["structuredContent"]), "{tool} {arguments}");
            assert_eq!(result["isError"] == true, first["isError"] == true, "{tool} {arguments}");
        }
    }
    http.server.stop().await;
}

#[tokio::test]
async fn strangers_stay_outside() {
    let fixture = Fixture::new(&[("a.md", "# A\n")]);
    let http = http(&fixture).await;
    let list = legacy("tools/list", json!({})).to_string();
    let bearer = format!("Bearer {}", http.token);
    let token = ("Authorization", bearer.as_str());
    let (status, body) = http.post(&[], &list).await;
    assert_eq!(status, 401);
    assert!(body.contains("Agents") && !body.contains("{"), "{body}");
    assert_eq!(http.post(&[("Authorization", "Bearer vidimus_00")], &list).await.0, 401);
    assert_eq!(http.post(&[("Authorization", "Basic Og==")], &list).await.0, 401);
    assert_eq!(http.post(&[token, ("Host", "evil.example")], &list).await.0, 403);
    for origin in ["http://evil.example", "null", "tauri://localhost", "http://localhost:1"] {
        assert_eq!(http.post(&[token, ("Origin", origin)], &list).await.0, 403, "{origin}");
        assert_eq!(http.post(&[("Origin", origin)], &list).await.0, 403, "{origin}");
    }
    let own = http.server.url().replace("/mcp", "");
    assert_eq!(http.post(&[token, ("Origin", &own)], &list).await.0, 200);
    assert_eq!(http.post(&[token], &"x".repeat(5 << 20)).await.0, 413);
    http.tokens.replace([]);
    assert_eq!(http.post(&[token], &list).await.0, 401);
    let port = http.server.port();
    http.server.stop().await;
    assert!(TcpStream::connect(("127.0.0.1", port)).await.is_err());
}

#[tokio::test]
async fn a_taken_port_gives_way_to_the_next() {
    let fixture = Fixture::new(&[("a.md", "# A\n")]);
    let first = http(&fixture).await;
    let engine = fixture.engine.clone();
    let second = HttpServer::start(HttpConfig {
        port: first.server.port(),
        hosts: Vec::new(),
        clients: Arc::new(TokenTable::default()),
        desks: Arc::new(move |client| Some(engine.desk(client, Writes::Review))),
        settings: DoorSettings::default(),
        presence: Presence::default(),
    })
    .await
    .unwrap();
    assert!(second.port() > first.server.port());
}

fn welcome(fixture: &Fixture) -> Welcome {
    let engine = fixture.engine.clone();
    Welcome {
        desk: Box::new(move |hello: &Hello| match hello.client.as_str() {
            "unwanted" => Err("not you".to_owned()),
            client => Ok(engine.desk(client, hello.writes)),
        }),
    }
}

#[cfg(unix)]
#[tokio::test]
async fn the_socket_lets_the_same_person_in() {
    use std::os::unix::fs::PermissionsExt;
    let fixture = Fixture::new(&[("a.md", "# A\n")]);
    let path = fixture.root().parent().unwrap().join("agents.sock");
    assert!(matches!(connect(&path, &Hello::new("x", Writes::Off)).await, Err(SocketError::Dead)));
    let (stop, presence) = (CancellationToken::new(), Presence::default());
    let listener = LocalListener::bind(&path).unwrap();
    assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    let serving =
        tokio::spawn(listener.serve(welcome(&fixture), DoorSettings::default(), presence.clone(), stop.clone()));

    let refused = connect(&path, &Hello::new("unwanted", Writes::Off)).await;
    assert!(matches!(refused, Err(SocketError::Refused { reason }) if reason == "not you"));
    let (client, ours) = tokio::io::duplex(1 << 16);
    let (read, write) = tokio::io::split(ours);
    let pipe_path = path.clone();
    let relaying = tokio::spawn(relay(read, write, hello(), move || {
        let path = pipe_path.clone();
        async move { connect(&path, &Hello::new("pipe", Writes::Review)).await }
    }));
    let mut client = Client::new(client);
    client.initialize().await;
    assert_eq!(client.ok("get_note", json!({"id_or_path": "a.md"})).await["rel_path"], "a.md");
    assert_eq!((presence.clients()[0].client.as_str(), presence.clients()[0].door), ("pipe", Door::Stdio));
    assert_eq!(presence.n_connected(), 1);

    stop.cancel();
    serving.await.unwrap();
    // The pipe's owner is gone and nobody took over: the relay says so to its caller.
    assert!(relaying.await.unwrap().is_err());
    assert!(matches!(connect(&path, &Hello::new("x", Writes::Off)).await, Err(SocketError::Dead)));
}

#[tokio::test]
async fn what_a_pipe_was_started_with_holds_at_the_owner() {
    let fixture = Fixture::new(&[("open/a.md", "# A\n"), ("closed/b.md", "# B\n")]);
    let path = fixture.root().parent().unwrap().join("agents.sock");
    let (stop, engine) = (CancellationToken::new(), fixture.engine.clone());
    let listener = LocalListener::bind(&path).unwrap();
    let welcome = Welcome { desk: Box::new(move |hello| Ok(hello.desk(&engine))) };
    tokio::spawn(listener.serve(welcome, DoorSettings::default(), Presence::default(), stop.clone()));
    let (client, ours) = tokio::io::duplex(1 << 16);
    let (read, write) = tokio::io::split(ours);
    tokio::spawn(relay(read, write, hello(), move || {
        let path = path.clone();
        let (folders, tools) = (vec![RelPath::new("open").unwrap()], vec!["get_note".to_owned()]);
        async move { connect(&path, &Hello::new("pipe", Writes::Off).limited_to(Some(folders), Some(tools))).await }
    }));
    let mut client = Client::new(client);
    client.initialize().await;
    assert_eq!(client.ok("get_note", json!({"title": "a"})).await["rel_path"], "open/a.md");
    assert_eq!(client.fails("get_note", json!({"id_or_path": "closed/b.md"})).await["code"], "not_found");
    assert_eq!(client.fails("list_notes", json!({})).await["code"], "tool_not_allowed");
    stop.cancel();
}

#[tokio::test]
async fn a_session_moves_from_one_engine_to_the_next() {
    let fixture = Fixture::new(&[("a.md", "# A\n")]);
    let (client, ours) = tokio::io::duplex(1 << 16);
    let (read, write) = tokio::io::split(ours);
    let stops = [CancellationToken::new(), CancellationToken::new()];
    let (mut left, engine) = (stops.clone().into_iter(), fixture.engine.clone());
    tokio::spawn(relay(read, write, hello(), move || {
        let stop = left.next();
        std::future::ready(stop.ok_or(()).map(|stop| {
            Upstream::to_desk(engine.desk("t", Writes::Review), DoorSettings::default(), Presence::default(), stop)
        }))
    }));
    let mut client = Client::new(client);
    client.initialize().await;
    client.ok("get_note", json!({"id_or_path": "a.md"})).await;
    stops[0].cancel();
    client.ok("get_note", json!({"id_or_path": "a.md"})).await;
}

#[tokio::test]
async fn a_call_that_waits_goes_on_waiting_at_the_next_owner() {
    let fixture = Fixture::new(&[("a.md", "# A\n\n## Old\n")]);
    let (client, ours) = tokio::io::duplex(1 << 16);
    let (read, write) = tokio::io::split(ours);
    let first = CancellationToken::new();
    let (mut left, engine) = ([first.clone(), CancellationToken::new()].into_iter(), fixture.engine.clone());
    let presence = Presence::default();
    let (seen, mut changes) = (presence.clone(), presence.changes());
    tokio::spawn(relay(read, write, hello(), move || {
        let stop = left.next().ok_or(());
        let desk = engine.desk("t", Writes::Review);
        std::future::ready(stop.map(|stop| Upstream::to_desk(desk, DoorSettings::default(), presence.clone(), stop)))
    }));
    let mut client = Client::new(client);
    client.initialize().await;
    let wish = json!({"rel_path": "a.md", "heading": "Old", "new_heading": "New"});
    let proposed = client.ok("rename_note_section", wish).await["operation_id"].clone();
    let waiting = json!({"name": "get_operation", "arguments": {"operation_id": proposed, "wait_seconds": 30}});
    client.send(&json!({"jsonrpc": "2.0", "id": 77, "method": "tools/call", "params": waiting})).await;
    let n_calls = |seen: &Presence| seen.clients()[0].n_calls;
    while n_calls(&seen) < 2 {
        changes.changed().await.unwrap();
    }
    first.cancel();
    while n_calls(&seen) < 3 {
        changes.changed().await.unwrap();
    }
    let id = proposed.as_str().unwrap().parse().unwrap();
    fixture.engine.decide(id, engine::Decision::Decline { comment: None }).unwrap();
    let answer = client.receive().await;
    assert_eq!(
        (&answer["id"], &answer["result"]["structuredContent"]["status"]),
        (&json!(77), &json!("declined")),
        "{answer}"
    );
}
