//! A client that may see a part of the vault only: to it the rest is not there, whichever way it asks.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

#[path = "../harness/mod.rs"]
mod harness;

mod whatever;

use engine::{Decision, Desk, OpState, PlanDigest, RelPath, Writes};
use harness::http::{Http, legacy, line_with};
use harness::{Client, Fixture, steady};
use mcp::{DoorSettings, HttpConfig, HttpServer, Presence, TokenTable, new_token, token_hash};
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// What only notes beyond the scope hold, in their paths, titles, aliases, tags, properties, headings and texts.
const HIDDEN: &[&str] = &["zorn", "quillback", "umbra", "vexil", "ochre", "pylon", "tamber", "wyvern", "krill"];

/// Two open folders, one of them below a closed one. Hidden notes link to open ones and the other way round, one of
/// each name is open where another is hidden, and links lead through the border.
fn vault() -> Fixture {
    let hidden = "---\ntitle: Umbra\naliases: [Vexil]\ntags: [ochre]\npylon: tamber\n---\n# Wyvern\n\n## Plan\n\nkrill [[open/a#Plan]] [[open/a]] [a](../open/a.md#Plan)\n";
    let fixture = Fixture::new(&[
        ("open/a.md", "---\ntags: [seen]\n---\n# A\n\n## Plan\n\nword ![[twin]] [[a#Log]]\n\n## Log\n\nmore\n"),
        ("open/b.md", "# B\n\nword [[a#Plan]] [[twin]]\n"),
        ("open/twin.md", "# Twin\n\nword\n"),
        ("zorn/quillback.md", hidden),
        ("zorn/twin.md", "# Umbra twin\n\nkrill [[open/a#Plan]]\n"),
        ("zorn/way/c.md", "# C\n\nword\n"),
        ("zorn/way/deep/d.md", "# D\n\nword\n"),
        ("quillback root.md", "# Umbra\n\nkrill word [[a#Plan]]\n"),
        (
            "zorn/map.canvas",
            r##"{"nodes":[{"id":"1","type":"file","file":"open/a.md","subpath":"#Plan"},{"id":"2","type":"text","text":"krill [[a#Plan]]"}],"edges":[]}"##,
        ),
        (
            ".obsidian/bookmarks.json",
            r##"{"items":[{"type":"file","path":"zorn/quillback.md","title":"Umbra"},{"type":"file","path":"open/a.md","subpath":"#Plan"}]}"##,
        ),
    ]);
    // A link to a hidden file has its text and its title, and an open name.
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink("../zorn/quillback.md", fixture.root().join("open/alias.md")).unwrap();
        fixture.engine.catch_up();
    }
    fixture
}

fn scoped(fixture: &Fixture, writes: Writes) -> Desk {
    fixture.engine.desk("tester", writes).seeing(&[RelPath::new("open").unwrap()])
}

fn names_nothing_hidden(answer: &Value, asked: &Value) {
    // What the client said itself it may be told again.
    let (text, asked) = (answer.to_string().to_lowercase(), asked.to_string().to_lowercase());
    for word in HIDDEN.iter().filter(|word| !asked.contains(**word)) {
        assert!(!text.contains(word), "`{word}` in the answer to {asked}:\n{answer:#}");
    }
}

async fn told(client: &mut Client, method: &str, params: Value) -> Value {
    let answer = client.request(method, params.clone()).await;
    names_nothing_hidden(&answer, &params);
    answer
}

#[tokio::test]
async fn what_is_hidden_counts_nowhere_and_nothing_stands_in_its_place() {
    let fixture = vault();
    let mut client = fixture.client_at(scoped(&fixture, Writes::Review)).await;
    let list = client.ok("list_notes", json!({})).await;
    assert_eq!((&list["total"], &list["folders"]), (&json!(3), &json!(["open"])));
    let found = client.ok("search_text", json!({"query": "word"})).await;
    assert_eq!((&found["total"], &found["returned"]), (&json!(3), &json!(3)), "{found}");
    for query in ["krill", "path:zorn", "tag:ochre", "[pylon:tamber]"] {
        assert_eq!(client.ok("search_text", json!({"query": query})).await["total"], 0, "{query}");
    }
    let links = client.ok("get_backlinks", json!({"target": "open/a.md"})).await;
    assert_eq!((&links["total"], &links["backlinks"][0]["rel_path"]), (&json!(1), &json!("open/b.md")), "{links}");
    // A title that would mean two notes, or a hidden one before this one, means the one that is there.
    assert_eq!(client.ok("get_note", json!({"title": "twin"})).await["rel_path"], "open/twin.md");
    for at in [json!({"title": "umbra"}), json!({"id_or_path": "zorn/twin"}), json!({"id_or_path": "ZORN/twin.md"})] {
        let error = client.fails("get_note", at).await;
        let suggestions = error["suggestions"].as_array().unwrap();
        assert_eq!(error["code"], "not_found", "{error}");
        assert!(suggestions.iter().all(|path| path == "open/twin.md"), "{error}");
    }
    let error = client.fails("list_notes", json!({"folder": "zorn"})).await;
    assert_eq!((&error["code"], &error["suggestions"]), (&json!("not_found"), &json!([])));
}

#[tokio::test]
async fn a_folder_below_a_closed_one_is_reached_by_its_path() {
    let fixture = vault();
    let desk = fixture.engine.desk("tester", Writes::Review).seeing(&[RelPath::new("zorn/way").unwrap()]);
    let mut client = fixture.client_at(desk).await;
    let list = client.ok("list_notes", json!({})).await;
    assert_eq!((&list["total"], &list["folders"]), (&json!(2), &json!(["zorn"])), "{list}");
    let list = client.ok("list_notes", json!({"folder": "zorn"})).await;
    assert_eq!((&list["total"], &list["folders"]), (&json!(2), &json!(["zorn/way"])), "{list}");
    let list = client.ok("list_notes", json!({"folder": "zorn/way"})).await;
    assert_eq!((&list["total"], &list["folders"]), (&json!(2), &json!(["zorn/way/deep"])), "{list}");
}

#[tokio::test]
async fn a_rename_reaches_what_is_hidden_and_says_how_much_that_is() {
    let fixture = vault();
    // Whatever the person allowed: what the client cannot see waits for the person.
    let mut client = fixture.client_at(scoped(&fixture, Writes::Allow)).await;
    let rename = json!({"rel_path": "open/a.md", "heading": "Plan", "new_heading": "New"});
    let proposed = client.ok("rename_note_section", rename).await;
    assert_eq!(proposed["status"], "proposed");
    let files: Vec<&str> =
        proposed["files"].as_array().unwrap().iter().map(|file| file["rel_path"].as_str().unwrap()).collect();
    assert_eq!(files, ["open/a.md", "open/b.md"], "{proposed}");
    let said = "5 files beyond the folders open to you are shown to the person only";
    assert_eq!(proposed["warnings"], json!([said]), "{proposed}");
    let id = proposed["operation_id"].as_str().unwrap().parse().unwrap();
    let review = fixture.engine.review(id).unwrap();
    assert_eq!(review.files.len(), 7, "the person sees all");
    fixture.engine.decide(id, Decision::Approve { seen: PlanDigest(review.digest.unwrap()) }).unwrap();
    assert!(fixture.read("zorn/quillback.md").contains("[[open/a#New]]"));
    let done = client.ok("get_operation", json!({"operation_id": proposed["operation_id"]})).await;
    assert_eq!((&done["status"], done["files"].as_array().unwrap().len()), (&json!("committed"), 2));
    assert_eq!(done["warnings"], json!([said]), "{done}");
    // Where no other file is touched, the leave holds.
    let append = json!({"rel_path": "open/a.md", "heading": "Log", "content": "x"});
    assert_eq!(client.ok("append_to_section", append).await["status"], "committed");
}

#[tokio::test]
async fn nothing_is_made_or_moved_beyond_the_scope() {
    let fixture = vault();
    let mut client = fixture.client_at(scoped(&fixture, Writes::Allow)).await;
    for (tool, arguments) in [
        ("create_note", json!({"rel_path": "zorn/new.md", "content": "x"})),
        ("create_note", json!({"rel_path": "zorn/quillback.md", "content": "x"})),
        ("create_note", json!({"rel_path": "root.md", "content": "x"})),
        ("create_note", json!({"rel_path": "opened/x.md", "content": "x"})),
        ("move_note", json!({"rel_path": "open/b.md", "new_rel_path": "zorn/b.md"})),
        ("move_note", json!({"rel_path": "open/b.md", "new_rel_path": "zorn/quillback.md"})),
    ] {
        let error = client.fails(tool, arguments.clone()).await;
        assert_eq!(error["code"], "path_not_allowed", "{tool} {arguments}: {error}");
    }
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink("../zorn", fixture.root().join("open/link")).unwrap();
        fixture.engine.catch_up();
        let error = client.fails("get_note", json!({"id_or_path": "open/link/quillback.md"})).await;
        assert_eq!(error["code"], "not_found", "{error}");
        for name in ["quillback", "new"] {
            let create = json!({"rel_path": format!("open/link/{name}.md"), "content": "x"});
            let error = client.fails("create_note", create).await;
            assert_eq!(error["code"], "path_not_allowed", "{error}");
        }
    }
    assert!(!fixture.root().join("zorn/new.md").exists());
}

#[tokio::test]
async fn an_operation_about_what_was_closed_since_is_unknown() {
    let fixture = vault();
    let mut before = fixture.client(Writes::Review).await;
    let wish = json!({"rel_path": "zorn/twin.md", "heading": "Umbra twin", "content": "krill", "request_id": "r"});
    let id = before.ok("append_to_section", wish).await["operation_id"].clone();
    let mut client = fixture.client_at(scoped(&fixture, Writes::Review)).await;
    assert_eq!(client.ok("get_operation", json!({})).await["operations"], json!([]));
    for (tool, arguments) in [
        ("get_operation", json!({"operation_id": id})),
        ("get_operation", json!({"request_id": "r"})),
        ("withdraw_operation", json!({"operation_id": id})),
    ] {
        assert_eq!(client.fails(tool, arguments).await["code"], "not_found");
    }
    let other = json!({"rel_path": "open/a.md", "heading": "Log", "content": "x", "request_id": "r"});
    let error = client.fails("append_to_section", other).await;
    assert_eq!((&error["code"], error.get("current_hash")), (&json!("request_id_reused"), None), "{error}");
    assert_eq!(fixture.engine.operations()[0].state, OpState::Proposed);
}

#[tokio::test]
async fn it_is_told_of_changes_within_the_scope_only() {
    let fixture = vault();
    let mut client = fixture.client_at(scoped(&fixture, Writes::Review)).await;
    for uri in ["vault://note/zorn/quillback.md", "vault://note/open/b.md"] {
        client.request("resources/subscribe", json!({"uri": uri})).await;
    }
    fixture.write("zorn/quillback.md", "krill\n");
    fixture.write("zorn/added.md", "krill\n");
    fixture.engine.catch_up();
    fixture.write("open/b.md", "# B\n");
    fixture.engine.catch_up();
    let told = tokio::time::timeout(std::time::Duration::from_secs(20), client.receive()).await.expect("silence");
    assert_eq!(told["params"]["uri"], "vault://note/open/b.md", "{told}");
}

#[tokio::test]
async fn a_tool_that_was_not_given_is_neither_listed_nor_carried_out() {
    let fixture = vault();
    let tools = ["get_note", "search_text", "edit_note"].map(str::to_owned);
    let mut client = fixture.client_at(fixture.engine.desk("tester", Writes::Review).using(&tools)).await;
    let listed = client.request("tools/list", json!({})).await["result"]["tools"].clone();
    let all = fixture.client(Writes::Review).await.request("tools/list", json!({})).await["result"]["tools"].clone();
    let names: Vec<&str> = listed.as_array().unwrap().iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["edit_note", "get_note", "search_text"]);
    for tool in all.as_array().unwrap() {
        let (is_error, answer) = client.call(tool["name"].as_str().unwrap(), json!({})).await;
        let expected =
            if names.contains(&tool["name"].as_str().unwrap()) { "invalid_arguments" } else { "tool_not_allowed" };
        assert!(is_error && answer["code"] == expected, "{answer}");
    }
    // Nor is there another way to it.
    assert_eq!(client.request("resources/list", json!({})).await["result"]["resources"], json!([]));
    let read = client.request("resources/read", json!({"uri": "vault://operation/x"})).await;
    assert_eq!(read["error"]["data"]["code"], "tool_not_allowed", "{read}");
    assert!(client.request("prompts/get", json!({"name": "review_declined"})).await["error"].is_object());
    let desk = fixture.engine.desk("tester", Writes::Off).using(&tools);
    let listed = fixture.client_at(desk).await.request("tools/list", json!({})).await["result"]["tools"].clone();
    assert_eq!(listed.as_array().unwrap().len(), 2);
}

#[tokio::test]
async fn over_http_a_scope_holds_from_the_next_call_on_in_a_session_that_is_open_too() {
    let fixture = vault();
    let (token, tokens) = (new_token().unwrap(), Arc::new(TokenTable::default()));
    tokens.replace([("Claude", token_hash(&token).as_str())]);
    let (engine, is_narrow) = (fixture.engine.clone(), Arc::new(AtomicBool::new(false)));
    let narrow = is_narrow.clone();
    let server = HttpServer::start(HttpConfig {
        port: 0,
        hosts: Vec::new(),
        clients: tokens.clone(),
        desks: Arc::new(move |client| {
            let desk = engine.desk(client, Writes::Review);
            let tools = ["get_note", "list_notes"].map(str::to_owned);
            Some(match narrow.load(Ordering::SeqCst) {
                true => desk.seeing(&[RelPath::new("open").unwrap()]).using(&tools),
                false => desk,
            })
        }),
        settings: DoorSettings::default(),
        presence: Presence::default(),
    })
    .await
    .unwrap();
    let http = Http { server, token, presence: Presence::default(), tokens, kept_out: Arc::default() };
    let bearer = http.bearer();
    let params =
        json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "c", "version": "1"}});
    let reply = http.send("POST", &[("Authorization", &bearer)], &legacy("initialize", params).to_string()).await;
    let session = reply.header("mcp-session-id").unwrap().to_owned();
    let headers =
        [("Authorization", bearer.as_str()), ("Mcp-Session-Id", &session), ("MCP-Protocol-Version", "2025-11-25")];
    let begun = json!({"jsonrpc": "2.0", "method": "notifications/initialized"}).to_string();
    assert_eq!(http.send("POST", &headers, &begun).await.status, 202);
    let ask = async |method: &str, params: Value| {
        http.send("POST", &headers, &legacy(method, params).to_string()).await.json()["result"].clone()
    };
    let read = || json!({"name": "get_note", "arguments": {"id_or_path": "zorn/quillback.md"}});
    for uri in ["vault://note/zorn/quillback.md", "vault://note/open/b.md"] {
        assert!(ask("resources/subscribe", json!({"uri": uri})).await.is_object());
    }
    let mut events = http.stream("GET", &headers, "").await;
    assert!(line_with(&mut events, "200 OK").await.is_some());
    assert_eq!(ask("tools/call", read()).await["isError"], false);
    assert_eq!(ask("tools/list", json!({})).await["tools"].as_array().unwrap().len(), 18);

    is_narrow.store(true, Ordering::SeqCst);
    assert_eq!(ask("tools/call", read()).await["structuredContent"]["code"], "not_found");
    assert_eq!(ask("tools/list", json!({})).await["tools"].as_array().unwrap().len(), 2);
    let search = json!({"name": "search_text", "arguments": {"query": "word"}});
    assert_eq!(ask("tools/call", search).await["structuredContent"]["code"], "tool_not_allowed");
    fixture.write("zorn/quillback.md", "krill\n");
    fixture.engine.catch_up();
    fixture.write("open/b.md", "# B\n");
    fixture.engine.catch_up();
    // The first that is told is the second that happened.
    let told = line_with(&mut events, "resources/updated").await.unwrap();
    assert!(told.contains("vault://note/open/b.md"), "{told}");
    http.server.stop().await;
}

#[tokio::test]
async fn a_link_that_gets_longer_does_not_tell_where_it_leads() {
    let fixture = Fixture::new(&[
        ("open/a.md", "# A\n\n[[ledger]] and [it](<../zorn/my ledger.md>)\n\n## More\n\n[[my ledger]]\n"),
        ("zorn/ledger.md", "# L\n"),
        ("zorn/my ledger.md", "# M\n"),
    ]);
    let plain = fixture.read("open/a.md");
    // Where a folder is named already, naming it again is no news.
    let mut client = fixture.client_at(scoped(&fixture, Writes::Allow)).await;
    let create = |dry: bool| json!({"rel_path": "open/ledger.md", "content": "x", "dry_run": dry, "request_id": "r"});
    for dry in [true, false] {
        let answer = client.ok("create_note", create(dry)).await;
        assert!(!answer.to_string().contains("zorn"), "{answer}");
        assert_eq!(answer["status"], if dry { "planned" } else { "proposed" }, "the person allowed no such thing");
        let said = "1 part about files beyond the folders open to you is shown to the person only";
        assert_eq!(answer["warnings"], json!([said]), "{answer}");
    }
    assert_eq!(fixture.read("open/a.md"), plain);
    let status = client.ok("get_operation", json!({"request_id": "r"})).await;
    assert!(!status.to_string().contains("zorn"), "{status}");
    // A guess is answered like any other words, be it right or wrong.
    let mut said = Vec::new();
    for guess in ["zorn/ledger", "zurn/ledger"] {
        let wish = json!({"rel_path": "open/a.md", "heading": "More", "content": guess, "dry_run": true});
        let answer = client.ok("append_to_section", wish).await;
        let fields = ["status", "warnings", "files", "diff"].map(|field| steady(&answer[field]));
        said.push(fields.join(" ").replace(guess, "GUESS"));
    }
    assert_eq!(said[0], said[1]);
}
