//! HTTP as a stranger, a clumsy client or a client that runs wild would use it; and sessions over it.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod harness;

use engine::Decision;
use harness::Fixture;
use harness::http::{Http, Reply, http, legacy, line_with};
use mcp::{new_token, token_hash};
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader, Lines};
use tokio::net::TcpStream;

const NOTE: &str = "vault://note/a.md";

/// Opens a session and returns its name.
async fn open(http: &Http, bearer: &str) -> String {
    let params =
        json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "c", "version": "1"}});
    let reply = http.send("POST", &[("Authorization", bearer)], &legacy("initialize", params).to_string()).await;
    assert_eq!((reply.status, reply.json()["result"]["protocolVersion"].as_str()), (200, Some("2025-11-25")));
    let id = reply.header("mcp-session-id").unwrap().to_owned();
    let begun = json!({"jsonrpc": "2.0", "method": "notifications/initialized"}).to_string();
    assert_eq!(http.send("POST", &in_session(bearer, &id), &begun).await.status, 202);
    id
}

fn in_session<'a>(bearer: &'a str, id: &'a str) -> Vec<(&'a str, &'a str)> {
    vec![("Authorization", bearer), ("Mcp-Session-Id", id), ("MCP-Protocol-Version", "2025-11-25")]
}

async fn ask(http: &Http, bearer: &str, id: &str, method: &str, params: Value) -> Reply {
    http.send("POST", &in_session(bearer, id), &legacy(method, params).to_string()).await
}

#[tokio::test]
async fn a_session_is_told_of_changes_and_nobody_else_uses_it() {
    let fixture = Fixture::new(&[("a.md", "# A\n")]);
    let http = http(&fixture).await;
    let (mine, other) = (http.bearer(), new_token().unwrap());
    http.tokens.replace([("Claude", token_hash(&http.token).as_str()), ("Cursor", token_hash(&other).as_str())]);
    let other = format!("Bearer {other}");
    let id = open(&http, &mine).await;
    assert_ne!(id, open(&http, &mine).await);
    let reply = ask(&http, &mine, &id, "resources/subscribe", json!({"uri": NOTE})).await;
    assert!(reply.json()["result"].is_object(), "{reply:?}");
    let reply = ask(&http, &mine, &id, "resources/subscribe", json!({"uri": "file:///etc/passwd"})).await;
    assert_eq!(reply.json()["error"]["code"], -32002);
    let mut events = http.stream("GET", &in_session(&mine, &id), "").await;
    assert!(line_with(&mut events, "200 OK").await.is_some());
    fixture.write("a.md", "# A\nmore\n");
    fixture.engine.catch_up();
    assert!(line_with(&mut events, "resources/updated").await.unwrap().contains(NOTE));
    fixture.write("b.md", "# B\n");
    fixture.engine.catch_up();
    assert!(line_with(&mut events, "resources/list_changed").await.is_some());

    assert_eq!(ask(&http, &other, &id, "tools/list", json!({})).await.status, 404);
    assert_eq!(http.send("GET", &in_session(&other, &id), "").await.status, 404);
    assert_eq!(http.send("DELETE", &in_session(&other, &id), "").await.status, 404);

    let ended = http.send("DELETE", &in_session(&mine, &id), "").await;
    assert_eq!(ended.status, 204, "{ended:?}");
    assert!(line_with(&mut events, "no such line").await.is_none(), "the stream ends with its session");
    assert_eq!(ask(&http, &mine, &id, "tools/list", json!({})).await.status, 404);
    http.server.stop().await;
}

#[tokio::test]
async fn a_client_of_an_earlier_run_goes_on_without_its_session() {
    let fixture = Fixture::new(&[("a.md", "# A\n")]);
    let http = http(&fixture).await;
    let (mine, id) = (http.bearer(), "8c3b6d8e-8a53-4ee2-8d7d-64cf2ff3d8cb");
    let reply = ask(&http, &mine, id, "tools/call", json!({"name": "get_note", "arguments": {"title": "a"}})).await;
    assert_eq!(reply.json()["result"]["structuredContent"]["rel_path"], "a.md", "{reply:?}");
    // Nothing else is promised to it.
    let reply = ask(&http, &mine, id, "resources/subscribe", json!({"uri": NOTE})).await;
    assert_eq!(reply.json()["error"]["code"], -32601, "{reply:?}");
    assert_eq!(http.send("GET", &in_session(&mine, id), "").await.status, 404);
    http.server.stop().await;
}

#[tokio::test]
async fn a_client_has_so_many_sessions_and_no_more() {
    let fixture = Fixture::new(&[("a.md", "# A\n")]);
    let http = http(&fixture).await;
    let mine = http.bearer();
    let first = open(&http, &mine).await;
    let mut events = http.stream("GET", &in_session(&mine, &first), "").await;
    assert!(line_with(&mut events, "200 OK").await.is_some());
    let mut last = String::new();
    for _ in 0..16 {
        last = open(&http, &mine).await;
    }
    assert!(line_with(&mut events, "no such line").await.is_none(), "the oldest gives way");
    let reply = ask(&http, &mine, &last, "resources/subscribe", json!({"uri": NOTE})).await;
    assert!(reply.json()["result"].is_object(), "{reply:?}");
    http.server.stop().await;
}

/// Follows a note in both eras and returns what each is told on.
async fn followers(http: &Http, bearer: &str) -> [Lines<BufReader<TcpStream>>; 2] {
    let id = open(http, bearer).await;
    ask(http, bearer, &id, "resources/subscribe", json!({"uri": NOTE})).await;
    let meta = json!({"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}});
    let listen =
        legacy("subscriptions/listen", json!({"notifications": {"resourceSubscriptions": [NOTE]}, "_meta": meta}));
    let modern =
        [("Authorization", bearer), ("MCP-Protocol-Version", "2026-07-28"), ("Mcp-Method", "subscriptions/listen")];
    let asked = || http.presence.clients().iter().map(|client| client.n_calls).sum::<u64>();
    let (n_before, mut seen) = (asked(), http.presence.changes());
    let mut streams = [
        http.stream("GET", &in_session(bearer, &id), "").await,
        http.stream("POST", &modern, &listen.to_string()).await,
    ];
    assert!(line_with(&mut streams[0], "200 OK").await.is_some());
    assert!(line_with(&mut streams[1], "acknowledged").await.is_some());
    // It is acknowledged a moment before it is looked who listens.
    seen.wait_for(|_| asked() > n_before).await.unwrap();
    streams
}

#[tokio::test]
async fn who_loses_the_token_is_told_no_more() {
    let fixture = Fixture::new(&[("a.md", "# A\n")]);
    let http = http(&fixture).await;
    let mut streams = followers(&http, &http.bearer()).await;
    fixture.write("a.md", "# A\nmore\n");
    fixture.engine.catch_up();
    for stream in &mut streams {
        assert!(line_with(stream, "resources/updated").await.is_some());
    }
    http.tokens.replace([]);
    fixture.write("a.md", "# A\nsecret plans\n");
    fixture.engine.catch_up();
    for stream in &mut streams {
        assert!(line_with(stream, "resources/updated").await.is_none(), "a revoked client is told of a change");
    }
    http.server.stop().await;
}

#[tokio::test]
async fn who_is_kept_out_is_told_nothing_meanwhile() {
    let fixture = Fixture::new(&[("a.md", "# A\n")]);
    let http = http(&fixture).await;
    let mut streams = followers(&http, &http.bearer()).await;
    http.kept_out.store(true, Ordering::SeqCst);
    let (status, answer) = http.call(&[], legacy("resources/list", json!({}))).await;
    assert_eq!((status, answer["error"]["code"].as_i64()), (200, Some(-32603)), "{answer}");
    fixture.write("a.md", "# A\nsecret plans\n");
    fixture.engine.catch_up();
    for stream in &mut streams {
        let told = tokio::time::timeout(Duration::from_millis(500), line_with(stream, "resources/updated")).await;
        assert!(told.is_err(), "it was told of a change: {told:?}");
    }
    http.kept_out.store(false, Ordering::SeqCst);
    fixture.write("a.md", "# A\nplans for all\n");
    fixture.engine.catch_up();
    for stream in &mut streams {
        assert!(line_with(stream, "resources/updated").await.is_some());
    }
    http.server.stop().await;
}

#[tokio::test]
async fn what_is_no_message_is_answered_and_does_no_harm() {
    let fixture = Fixture::new(&[("a.md", "# A\n")]);
    let http = http(&fixture).await;
    let mine = http.bearer();
    let deep = format!("{}1{}", "[".repeat(100_000), "]".repeat(100_000));
    let with_deep = format!(r#"{{"jsonrpc":"2.0","id":5,"method":"tools/list","params":{{"x":{deep}}}}}"#);
    let call =
        r#"{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"get_note","arguments":{"title":"\ud800"}}}"#;
    let cases: [(&[u8], u16, i64, Value); 15] = [
        (b"", 400, -32700, Value::Null),
        (b"{", 400, -32700, Value::Null),
        (b"null", 400, -32600, Value::Null),
        (b"7", 400, -32600, Value::Null),
        (b"[]", 400, -32600, Value::Null),
        (br#"[{"jsonrpc":"2.0","id":1,"method":"ping"}]"#, 400, -32600, Value::Null),
        (br#"{"jsonrpc":"2.0","id":1}"#, 400, -32600, Value::Null),
        (br#"{"jsonrpc":"2.0","id":{},"method":"ping"}"#, 400, -32600, Value::Null),
        (br#"{"jsonrpc":"1.0","id":2,"method":"ping"}"#, 400, -32600, json!(2)),
        (br#"{"jsonrpc":"2.0","id":"x","method":5}"#, 400, -32600, json!("x")),
        (call.as_bytes(), 400, -32600, json!(3)),
        (b"{\"jsonrpc\":\"2.0\",\"id\":4,\"method\":\"ping\xff\"}", 400, -32600, json!(4)),
        (with_deep.as_bytes(), 400, -32600, json!(5)),
        (deep.as_bytes(), 400, -32700, Value::Null),
        (b"POST / HTTP/1.1\r\n\r\n", 400, -32700, Value::Null),
    ];
    for (body, status, code, id) in cases {
        let reply = http.send_bytes("POST", &[("Authorization", &mine)], body).await;
        let (shown, answer) = (String::from_utf8_lossy(&body[..body.len().min(90)]), reply.json());
        assert_eq!((reply.status, answer["error"]["code"].as_i64()), (status, Some(code)), "{shown}: {reply:?}");
        assert_eq!(answer["id"], id, "{shown}: {reply:?}");
    }
    for method in ["GET", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE"] {
        let status = http.send(method, &[("Authorization", &mine)], "").await.status;
        assert!((400..500).contains(&status), "{method}: {status}");
    }
    let (status, answer) = http.call(&[], legacy("ping", json!({}))).await;
    assert_eq!((status, &answer["result"]), (200, &json!({})));
    http.server.stop().await;
}

#[tokio::test]
async fn a_client_that_runs_wild_is_told_to_slow_down_and_hinders_nobody() {
    let fixture = Fixture::new(&[("a.md", "# A\n")]);
    let http = Arc::new(http(&fixture).await);
    let other = new_token().unwrap();
    http.tokens.replace([("Claude", token_hash(&http.token).as_str()), ("Cursor", token_hash(&other).as_str())]);
    let ping = legacy("ping", json!({})).to_string();
    let request = Arc::new(http.request("POST", &[("Authorization", &http.bearer())], ping.as_bytes()));
    let wild: Vec<_> = (0..4)
        .map(|_| {
            let (http, request) = (http.clone(), request.clone());
            tokio::spawn(async move {
                let stream = TcpStream::connect(("127.0.0.1", http.server.port())).await.unwrap();
                let mut stream = BufReader::new(stream);
                let mut statuses = Vec::new();
                for _ in 0..2500 {
                    stream.write_all(&request).await.unwrap();
                    statuses.push(status(&mut stream).await);
                }
                statuses
            })
        })
        .collect();
    let bearer = format!("Bearer {other}");
    for _ in 0..20 {
        let read = legacy("tools/call", json!({"name": "get_note", "arguments": {"title": "a"}})).to_string();
        let headers = [("Authorization", bearer.as_str())];
        let asked = http.send("POST", &headers, &read);
        let reply = tokio::time::timeout(Duration::from_secs(20), asked).await.expect("the other client waits");
        assert_eq!(reply.json()["result"]["structuredContent"]["rel_path"], "a.md", "{reply:?}");
    }
    let mut statuses = Vec::new();
    for one in wild {
        statuses.extend(one.await.unwrap());
    }
    let n_answered = statuses.iter().filter(|status| **status == 200).count();
    assert_eq!(statuses.iter().filter(|status| **status == 429).count() + n_answered, 10_000);
    assert!((2_000..10_000).contains(&n_answered), "{n_answered} were answered");
}

/// A refusal that comes while the client still sends must reach it, and leave the connection for better requests.
#[tokio::test]
async fn who_is_refused_is_told_so_on_a_connection_that_stays() {
    let fixture = Fixture::new(&[("a.md", "# A\n")]);
    let http = http(&fixture).await;
    let (mine, port) = (http.bearer(), http.server.port());
    let body = vec![b' '; 2 << 20];
    let ping = http.request("POST", &[("Authorization", &mine)], legacy("ping", json!({})).to_string().as_bytes());
    let elsewhere = http.request("POST", &[("Authorization", &mine)], &body);
    let elsewhere = [b"POST /other", elsewhere.strip_prefix(b"POST /mcp").unwrap()].concat();
    let page = [("Authorization", mine.as_str()), ("Origin", "https://example.com")];
    for (request, wanted) in [
        (http.request("POST", &[("Authorization", "Bearer wrong")], &body), 401),
        (http.request("POST", &[("Authorization", &mine), ("Host", "example.com")], &body), 403),
        (http.request("POST", &page, &body), 403),
        (elsewhere, 404),
    ] {
        let mut stream = BufReader::new(TcpStream::connect(("127.0.0.1", port)).await.unwrap());
        let (head, rest) = request.split_at(request.len() - body.len());
        stream.write_all(head).await.unwrap();
        let sent = tokio::time::timeout(Duration::from_secs(30), stream.write_all(rest)).await;
        sent.unwrap_or_else(|_| panic!("{wanted}: nobody reads the rest")).unwrap();
        assert_eq!(status(&mut stream).await, wanted);
        stream.write_all(&ping).await.unwrap();
        assert_eq!(status(&mut stream).await, 200, "after {wanted}");
    }
    http.server.stop().await;
}

#[tokio::test]
async fn who_hangs_up_on_calls_that_wait_has_no_more_of_them() {
    let fixture = Fixture::new(&[("a.md", "# A\n\n## Old\n")]);
    let http = http(&fixture).await;
    let mine = http.bearer();
    let id = open(&http, &mine).await;
    let wish = json!({"name": "rename_note_section", "arguments": {"rel_path": "a.md", "heading": "Old", "new_heading": "New"}});
    let proposed = ask(&http, &mine, &id, "tools/call", wish).await.json()["result"]["structuredContent"].clone();
    let operation = proposed["operation_id"].as_str().unwrap();
    let waiting = json!({"name": "get_operation", "arguments": {"operation_id": operation, "wait_seconds": 45}});
    for call in 0..64 {
        let message = json!({"jsonrpc": "2.0", "id": call, "method": "tools/call", "params": waiting}).to_string();
        let mut lines = http.stream("POST", &in_session(&mine, &id), &message).await;
        assert!(line_with(&mut lines, "200 OK").await.is_some(), "call {call}");
    }
    let ping = legacy("ping", json!({})).to_string();
    let reply = http.send("POST", &[("Authorization", &mine)], &ping).await;
    assert_eq!((reply.status, reply.header("retry-after")), (429, Some("1")), "{reply:?}");
    fixture.engine.decide(operation.parse().unwrap(), Decision::Decline { comment: None }).unwrap();
    let asking = async { while http.send("POST", &[("Authorization", &mine)], &ping).await.status != 200 {} };
    tokio::time::timeout(Duration::from_secs(30), asking).await.expect("its turn never comes again");
    http.server.stop().await;
}

#[tokio::test]
async fn what_one_client_proposed_another_neither_follows_nor_takes_back() {
    let fixture = Fixture::new(&[("a.md", "# A\n\n## Old\n")]);
    let http = http(&fixture).await;
    let (mine, other) = (http.bearer(), new_token().unwrap());
    http.tokens.replace([("Claude", token_hash(&http.token).as_str()), ("Cursor", token_hash(&other).as_str())]);
    let other = format!("Bearer {other}");
    let call = async |bearer: &str, name: &str, arguments: Value| {
        let message = legacy("tools/call", json!({"name": name, "arguments": arguments})).to_string();
        http.send("POST", &[("Authorization", bearer)], &message).await.json()["result"].clone()
    };
    let wish = json!({"rel_path": "a.md", "heading": "Old", "new_heading": "New", "request_id": "mine-1"});
    let proposed = call(&mine, "rename_note_section", wish).await["structuredContent"].clone();
    let id = &proposed["operation_id"];
    for (name, arguments) in
        [("get_operation", json!({"request_id": "mine-1"})), ("withdraw_operation", json!({"operation_id": id}))]
    {
        let answer = call(&other, name, arguments.clone()).await;
        assert_eq!(answer["structuredContent"]["code"], "not_found", "{name} {arguments}: {answer}");
    }
    assert_eq!(call(&other, "get_operation", json!({})).await["structuredContent"]["operations"], json!([]));
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {"extensions": {"io.modelcontextprotocol/tasks": {}}},
    });
    for method in ["tasks/get", "tasks/update", "tasks/cancel"] {
        let mut params = json!({"taskId": id, "inputResponses": {}});
        params["_meta"] = meta.clone();
        let message = legacy(method, params).to_string();
        let mut codes = Vec::new();
        for bearer in [&other, &mine] {
            let headers = [
                ("Authorization", bearer.as_str()),
                ("MCP-Protocol-Version", "2026-07-28"),
                ("Mcp-Method", method),
                ("Mcp-Name", id.as_str().unwrap()),
            ];
            codes.push(http.send("POST", &headers, &message).await.json()["error"]["code"].clone());
        }
        assert_eq!(codes, [json!(-32602), Value::Null], "{method}");
    }
    http.server.stop().await;
}

#[tokio::test]
async fn a_body_without_end_is_not_read_to_its_end() {
    let fixture = Fixture::new(&[("a.md", "# A\n")]);
    let http = http(&fixture).await;
    let head = format!(
        "POST /mcp HTTP/1.1\r\nHost: localhost\r\nAuthorization: {}\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n",
        http.bearer()
    );
    let (read, mut write) = TcpStream::connect(("127.0.0.1", http.server.port())).await.unwrap().into_split();
    write.write_all(head.as_bytes()).await.unwrap();
    let chunk = [format!("{:x}\r\n", 1 << 16).into_bytes(), vec![b' '; 1 << 16], b"\r\n".to_vec()].concat();
    let sending = tokio::spawn(async move {
        // The server closes its end at some time, and that is what ends this.
        for _ in 0..1_000 {
            if write.write_all(&chunk).await.is_err() {
                return true;
            }
        }
        false
    });
    let mut lines = BufReader::new(read).lines();
    let first = tokio::time::timeout(Duration::from_secs(30), lines.next_line()).await.expect("silence");
    // The connection is closed with much unread, which may overtake the answer.
    if let Ok(Some(line)) = first {
        assert!(line.contains(" 413 "), "{line}");
    }
    drop(lines);
    assert!(sending.await.unwrap(), "64 MiB were read");
    http.server.stop().await;
}

/// Reads one answer off a connection that stays open.
async fn status(stream: &mut BufReader<TcpStream>) -> u16 {
    let (mut line, mut status, mut length) = (String::new(), 0, 0);
    loop {
        line.clear();
        stream.read_line(&mut line).await.unwrap();
        if let Some(rest) = line.strip_prefix("HTTP/1.1 ") {
            status = rest[..3].parse().unwrap();
        } else if let Some((name, value)) = line.split_once(": ") {
            if name.eq_ignore_ascii_case("content-length") {
                length = value.trim().parse().unwrap();
            }
        } else if line == "\r\n" {
            stream.read_exact(&mut vec![0; length]).await.unwrap();
            return status;
        }
    }
}
