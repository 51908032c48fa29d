//! What a client is told without asking, in both eras, at every door.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod harness;

use engine::Writes;
use harness::{Client, Fixture};
use mcp::{DoorSettings, Hello, HttpConfig, HttpServer, Presence, TokenTable, Upstream, new_token, relay, token_hash};
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpStream;
use tokio_util::sync::CancellationToken;

const NOTE: &str = "vault://note/sub/a%20b.md";

fn vault() -> Fixture {
    Fixture::new(&[("sub/a b.md", "# A\n"), ("c.md", "# C\n\n## Old\n")])
}

/// Writes a note as another program would, and has the engine look at it.
fn write(fixture: &Fixture, path: &str, text: &str) {
    fixture.write(path, text);
    fixture.engine.catch_up();
}

/// Returns the next thing the client is told.
async fn told(client: &mut Client) -> (String, Value) {
    loop {
        let message = tokio::time::timeout(Duration::from_secs(20), client.receive()).await.expect("silence");
        assert!(!message.is_null(), "the server ended");
        if let Some(method) = message["method"].as_str() {
            return (method.to_owned(), message["params"].clone());
        }
    }
}

async fn is_told_of_an_update(client: &mut Client, uri: &str) {
    let (method, params) = told(client).await;
    assert_eq!((method.as_str(), &params["uri"]), ("notifications/resources/updated", &json!(uri)));
}

/// Who comes through a relay.
fn hello() -> Hello {
    Hello::new("pipe", Writes::Review)
}

#[tokio::test]
async fn a_session_follows_notes_and_operations() {
    let fixture = vault();
    let mut client = fixture.client(Writes::Review).await;
    for uri in ["vault://note/none.md", NOTE, "vault://operation/x"] {
        let answer = client.request("resources/subscribe", json!({"uri": uri})).await;
        assert!(answer["result"].is_object(), "{answer}");
    }
    let answer = client.request("resources/subscribe", json!({"uri": "file:///etc/passwd"})).await;
    assert_eq!(answer["error"]["code"], -32002);
    write(&fixture, "c.md", "# C\n\nnobody follows this\n\n## Old\n");
    write(&fixture, "sub/a b.md", "# A\nmore\n");
    is_told_of_an_update(&mut client, NOTE).await;

    client.request("resources/unsubscribe", json!({"uri": NOTE})).await;
    write(&fixture, "sub/a b.md", "# A\nmore and more\n");
    write(&fixture, "new.md", "x\n");
    assert_eq!(told(&mut client).await.0, "notifications/resources/list_changed");
    std::fs::remove_file(fixture.root().join("new.md")).unwrap();
    fixture.engine.catch_up();
    assert_eq!(told(&mut client).await.0, "notifications/resources/list_changed");

    let wish = json!({"rel_path": "c.md", "heading": "Old", "new_heading": "New"});
    let proposed = client.ok("rename_note_section", wish).await;
    let uri = format!("vault://operation/{}", proposed["operation_id"].as_str().unwrap());
    client.request("resources/subscribe", json!({"uri": uri})).await;
    let id = proposed["operation_id"].as_str().unwrap().parse().unwrap();
    fixture.engine.decide(id, engine::Decision::Decline { comment: None }).unwrap();
    is_told_of_an_update(&mut client, &uri).await;
}

fn listen(id: u64) -> Value {
    let filter =
        json!({"resourcesListChanged": true, "toolsListChanged": true, "resourceSubscriptions": [NOTE, "file:///x"]});
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
        "io.modelcontextprotocol/clientInfo": {"name": "modern", "version": "1"},
    });
    json!({"jsonrpc": "2.0", "id": id, "method": "subscriptions/listen", "params": {"notifications": filter, "_meta": meta}})
}

#[tokio::test]
async fn a_client_without_a_session_listens() {
    let fixture = vault();
    let mut client = fixture.client(Writes::Review).await;
    client.send(&listen(500)).await;
    let (method, params) = told(&mut client).await;
    assert_eq!(method, "notifications/subscriptions/acknowledged");
    let accepted = json!({"resourcesListChanged": true, "resourceSubscriptions": [NOTE]});
    assert_eq!(params["notifications"], accepted);
    write(&fixture, "sub/a b.md", "# A\nmore\n");
    let (method, params) = told(&mut client).await;
    assert_eq!((method.as_str(), &params["uri"]), ("notifications/resources/updated", &json!(NOTE)));
    assert_eq!(params["_meta"]["io.modelcontextprotocol/subscriptionId"], 500, "{params}");
    client.send(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 500}})).await;
    client.ok("get_note", json!({"id_or_path": "c.md"})).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_happens_as_soon_as_a_client_hears_that_it_listens_is_told() {
    let fixture = vault();
    let mut client = fixture.client(Writes::Review).await;
    for id in 1000..1200 {
        client.send(&listen(id)).await;
        // A file that is written over may have been seen while it was empty, too: the one before is told of that as well.
        while told(&mut client).await.0 != "notifications/subscriptions/acknowledged" {}
        write(&fixture, "sub/a b.md", &format!("# A\n{id}\n"));
        while told(&mut client).await.1["_meta"]["io.modelcontextprotocol/subscriptionId"] != id {}
        client.send(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id}})).await;
    }
}

#[tokio::test]
async fn so_it_does_over_http() {
    let fixture = vault();
    let (token, tokens) = (new_token().unwrap(), Arc::new(TokenTable::default()));
    tokens.replace([("Claude", token_hash(&token).as_str())]);
    let engine = fixture.engine.clone();
    let server = HttpServer::start(HttpConfig {
        port: 0,
        hosts: Vec::new(),
        clients: tokens,
        desks: Arc::new(move |client| Some(engine.desk(client, Writes::Review))),
        settings: DoorSettings::default(),
        presence: Presence::default(),
    })
    .await
    .unwrap();
    let (body, port) = (listen(7).to_string(), server.port());
    let head = format!(
        "POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nAuthorization: Bearer {token}\r\nContent-Type: application/json\r\n\
         Accept: application/json, text/event-stream\r\nMCP-Protocol-Version: 2026-07-28\r\nMcp-Method: subscriptions/listen\r\n\
         Content-Length: {}\r\n\r\n",
        body.len()
    );
    let mut stream = TcpStream::connect(("127.0.0.1", port)).await.unwrap();
    stream.write_all(format!("{head}{body}").as_bytes()).await.unwrap();
    let mut lines = BufReader::new(stream).lines();
    for (wanted, also) in [("subscriptions/acknowledged", NOTE), ("resources/updated", NOTE)] {
        loop {
            let line = tokio::time::timeout(Duration::from_secs(20), lines.next_line()).await.expect("silence");
            let line = line.unwrap().expect("the stream ended");
            if line.contains(wanted) {
                assert!(line.contains(also), "{line}");
                break;
            }
        }
        write(&fixture, "sub/a b.md", "# A\nmore\n");
    }
    drop(lines);
    server.stop().await;
}

#[tokio::test]
async fn what_a_session_follows_goes_along_to_the_next_owner() {
    let fixture = vault();
    let (client, ours) = tokio::io::duplex(1 << 16);
    let (read, write_half) = tokio::io::split(ours);
    let stops = [CancellationToken::new(), CancellationToken::new()];
    let (mut left, engine) = (stops.clone().into_iter(), fixture.engine.clone());
    let relaying = tokio::spawn(relay(read, write_half, hello(), move || {
        let stop = left.next();
        std::future::ready(stop.ok_or(()).map(|stop| {
            Upstream::to_desk(engine.desk("t", Writes::Review), DoorSettings::default(), Presence::default(), stop)
        }))
    }));
    let mut client = Client::new(client);
    client.initialize().await;
    client.request("resources/subscribe", json!({"uri": NOTE})).await;
    client.request("resources/subscribe", json!({"uri": "vault://note/c.md"})).await;
    client.request("resources/unsubscribe", json!({"uri": "vault://note/c.md"})).await;
    client.send(&listen(900)).await;
    assert_eq!(told(&mut client).await.0, "notifications/subscriptions/acknowledged");
    stops[0].cancel();
    // The next owner says anew that it listens; what had its answer before is not answered again.
    assert_eq!(told(&mut client).await.0, "notifications/subscriptions/acknowledged");
    client.ok("get_note", json!({"id_or_path": "c.md"})).await;
    write(&fixture, "c.md", "# C\nnobody follows this\n");
    write(&fixture, "sub/a b.md", "# A\nmore\n");
    for _ in 0..2 {
        is_told_of_an_update(&mut client, NOTE).await;
    }
    // A client that listens and goes does not keep the relay.
    client.break_off(b"").await;
    tokio::time::timeout(Duration::from_secs(20), relaying).await.expect("the relay ends").unwrap().unwrap();
}
