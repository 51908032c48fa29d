//! Lines that are no messages: each is answered, and the next one is served.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod harness;

use engine::{Engine, Writes};
use harness::{Client, Fixture};
use mcp::{DoorSettings, Hello, LocalListener, Presence, Upstream, Welcome, connect, relay};
use serde_json::{Value, json};
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// A line, the id under which it is answered, and the code.
fn lines() -> Vec<(&'static str, Vec<u8>, Value, i64)> {
    let call = |text: &[u8]| {
        let mut line = br#"{"jsonrpc":"2.0","id":901,"method":"tools/call","params":{"name":"get_note","x":""#.to_vec();
        line.extend_from_slice(text);
        line.extend_from_slice(br#""}}"#);
        line
    };
    let nested = |n: usize| format!("{}{}", "[".repeat(n), "]".repeat(n));
    let text = |text: &str| text.as_bytes().to_vec();
    vec![
        ("lone surrogate", call(br"\ud800"), json!(901), -32600),
        ("invalid UTF-8", call(b"\xff\xfe"), json!(901), -32600),
        (
            "deep in a request",
            format!(r#"{{"jsonrpc":"2.0","method":"tools/call","params":{},"id":"deep"}}"#, nested(5000)).into_bytes(),
            json!("deep"),
            -32600,
        ),
        ("deep alone", nested(5000).into_bytes(), Value::Null, -32700),
        ("cut off after the id", text(r#"{"jsonrpc":"2.0","id":7,"method":"tools/li"#), json!(7), -32600),
        ("cut off before the id", text(r#"{"jsonrpc":"2.0","method":"tools/list","pa"#), Value::Null, -32700),
        ("cut off in the id", text(r#"{"jsonrpc":"2.0","method":"tools/list","id":12"#), Value::Null, -32700),
        ("no JSON", text("hello"), Value::Null, -32700),
        ("no bytes of text", b"\xff\xfe\x00".to_vec(), Value::Null, -32700),
        ("surrogate in the id", text(r#"{"jsonrpc":"2.0","id":"\ud800","method":"ping"}"#), Value::Null, -32700),
        ("no message", text("{}"), Value::Null, -32600),
        ("a batch", text(r#"[{"jsonrpc":"2.0","id":1,"method":"ping"}]"#), Value::Null, -32600),
        ("another version", text(r#"{"jsonrpc":"1.0","id":8,"method":"ping"}"#), json!(8), -32600),
        ("an id that is none", text(r#"{"jsonrpc":"2.0","id":{"a":1},"method":"ping"}"#), Value::Null, -32600),
        ("a broken answer", text(r#"{"jsonrpc":"2.0","id":9,"result":"\ud800"}"#), Value::Null, -32700),
    ]
}

async fn hear(client: &mut Client, about: &str) -> Value {
    tokio::time::timeout(Duration::from_secs(20), client.receive()).await.unwrap_or_else(|_| panic!("{about}: silence"))
}

async fn every_line_is_answered(client: &mut Client) {
    client.send_bytes(br#"{"jsonrpc":"2.0","id":3,"method":"#).await;
    assert_eq!(hear(client, "before the opening").await["error"]["code"], -32600);
    client.initialize().await;
    for (about, line, id, code) in lines() {
        client.send_bytes(&line).await;
        let answer = hear(client, about).await;
        assert_eq!((&answer["id"], &answer["error"]["code"]), (&id, &json!(code)), "{about}: {answer}");
        assert!(answer.as_object().unwrap().contains_key("id"), "{about}: {answer}");
        assert_eq!(answer["jsonrpc"], "2.0", "{about}");
        assert!(answer["error"]["message"].is_string(), "{about}: {answer}");
    }
    client.send_bytes(b"").await;
    client.send_bytes(b"  \r").await;
    client.send_bytes(br#"{"jsonrpc":"2.0","method":"window/didMove"}"#).await;
    client.ok("get_note", json!({"id_or_path": "a.md"})).await;
}

fn to_desk(engine: &Engine) -> Upstream {
    let desk = engine.desk("t", Writes::Review);
    Upstream::to_desk(desk, DoorSettings::default(), Presence::default(), CancellationToken::new())
}

/// Who comes through a relay.
fn hello() -> Hello {
    Hello::new("pipe", Writes::Review)
}

#[tokio::test]
async fn a_session_answers_them() {
    let fixture = Fixture::new(&[("a.md", "# A\n")]);
    let (ours, theirs) = tokio::io::duplex(1 << 20);
    let (read, write) = tokio::io::split(theirs);
    let desk = fixture.engine.desk("tester", Writes::Review);
    tokio::spawn(
        async move { mcp::serve_stream(read, write, desk, DoorSettings::default(), &Presence::default()).await },
    );
    every_line_is_answered(&mut Client::new(ours)).await;
}

#[tokio::test]
async fn a_relay_answers_them_itself() {
    let fixture = Fixture::new(&[("a.md", "# A\n")]);
    let (client, ours) = tokio::io::duplex(1 << 16);
    let (read, write) = tokio::io::split(ours);
    let engine = fixture.engine.clone();
    let relaying = tokio::spawn(relay(read, write, hello(), move || std::future::ready(Ok::<_, ()>(to_desk(&engine)))));
    let mut client = Client::new(client);
    every_line_is_answered(&mut client).await;
    client.break_off(br#"{"jsonrpc":"2.0","id":77,"method":"tools/call","par"#).await;
    assert_eq!(hear(&mut client, "broken off by the end").await["id"], 77);
    relaying.await.unwrap().unwrap();
}

#[cfg(unix)]
#[tokio::test]
async fn so_does_a_relay_to_the_socket() {
    let fixture = Fixture::new(&[("a.md", "# A\n")]);
    let path = fixture.root().parent().unwrap().join("agents.sock");
    let engine = fixture.engine.clone();
    let welcome = Welcome { desk: Box::new(move |hello: &Hello| Ok(engine.desk(&hello.client, hello.writes))) };
    let listener = LocalListener::bind(&path).unwrap();
    tokio::spawn(listener.serve(welcome, DoorSettings::default(), Presence::default(), CancellationToken::new()));
    let (client, ours) = tokio::io::duplex(1 << 16);
    let (read, write) = tokio::io::split(ours);
    tokio::spawn(relay(read, write, hello(), move || {
        let path = path.clone();
        async move { connect(&path, &Hello::new("pipe", Writes::Review)).await }
    }));
    every_line_is_answered(&mut Client::new(client)).await;
}

#[tokio::test]
async fn a_line_without_end_is_refused_and_skipped() {
    let fixture = Fixture::new(&[("a.md", "# A\n")]);
    let mut client = fixture.client(Writes::Review).await;
    let mut line = br#"{"jsonrpc":"2.0","id":5,"method":"ping","params":{"x":""#.to_vec();
    line.resize(40 << 20, b'x');
    client.send_bytes(&line).await;
    let answer = hear(&mut client, "too long").await;
    assert_eq!((&answer["id"], &answer["error"]["code"]), (&json!(5), &json!(-32600)), "{answer}");
    client.ok("get_note", json!({"id_or_path": "a.md"})).await;
}
