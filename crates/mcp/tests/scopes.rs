//! A client that may see a part of the vault only: to it the rest is not there, whichever way it asks.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod harness;

use engine::{Decision, Desk, Intent, OpState, PlanDigest, RelPath, Writes};
use harness::http::{Http, legacy, line_with};
use harness::{Client, Fixture, steady};
use mcp::{DoorSettings, HttpConfig, HttpServer, Presence, TokenTable, new_token, token_hash};
use serde_json::{Map, Value, json};
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

/// What an argument that could name something may be: paths, titles, ids and words on both sides of the border.
fn values(name: &str, schema: &Value, ids: &[String]) -> Vec<Value> {
    let texts = [
        "open/a.md",
        "open/a",
        "a",
        "twin",
        "twin.md",
        "OPEN/TWIN",
        "open",
        "open/",
        "",
        "word",
        "Plan",
        "seen",
        "zorn/quillback.md",
        "zorn/quillback",
        "ZORN/QUILLBACK.md",
        "zorn/../zorn/twin.md",
        "zorn",
        "zorn/way",
        "zor",
        "quillback",
        "quill",
        "quillback root",
        "Umbra",
        "umb",
        "vexil",
        "wyvern",
        "krill",
        "kri",
        "ochre",
        "map.canvas",
        "zorn/map.canvas",
        "open/alias.md",
        "alias",
        "open/none.md",
        "none",
        "../x",
        ".obsidian/bookmarks.json",
        "path:zorn",
        "tag:ochre",
        "[pylon:tamber]",
        "word OR krill",
        "word -krill",
        "/kr.ll/",
        "file:quillback",
        "New",
    ];
    match name {
        "heading_path" => vec![json!(["Plan"]), json!(["Wyvern", "Plan"]), json!(["A", "Plan"]), json!(["x"])],
        "edits" => vec![json!([{"find": "word", "replace": "words"}]), json!([{"find": "krill", "replace": "x"}])],
        "tags" => vec![json!(["seen"]), json!(["ochre"]), json!(["och"])],
        "properties" => vec![json!({"pylon": "tamber"}), json!({"title": "Umbra"})],
        "set" => vec![json!({"k": "v"})],
        "remove" => vec![json!(["tags"]), json!(["pylon"])],
        "format" => ["full", "map", "chunk", "metadata"].map(Value::from).to_vec(),
        "position" => ["start", "end", "before", "last_child"].map(Value::from).to_vec(),
        "sort" => vec![json!("updated"), json!("title")],
        "modified_since" => vec![json!("1970-01-02")],
        "version" | "version_id" => ids.iter().map(|id| json!(id)).collect(),
        "expected_hash" | "expected_updated_at" | "reason" | "request_id" => Vec::new(),
        _ => match schema["type"].as_str() {
            Some("boolean") => vec![json!(true)],
            Some("string") => texts.map(Value::from).into_iter().chain(ids.iter().map(|id| json!(id))).collect(),
            _ => Vec::new(),
        },
    }
}

/// Calls of a tool in which each argument takes each of its values, the others being such that the call can succeed.
fn calls(tool: &Value, ids: &[String]) -> Vec<Value> {
    let schema = &tool["inputSchema"];
    let properties = schema["properties"].as_object().unwrap();
    let usual = |name: &str| match name {
        "rel_path" if tool["name"] == "create_note" => json!("open/new.md"),
        "rel_path" | "note" | "target" | "id_or_path" => json!("open/a.md"),
        "heading" | "destination_heading" => json!(if name == "heading" { "Plan" } else { "Log" }),
        "new_rel_path" => json!("open/moved.md"),
        "edits" => json!([{"find": "more", "replace": "less"}]),
        "set" => json!({"k": "v"}),
        "query" => json!("word"),
        "position" if tool["name"] == "move_note_section" => json!("after"),
        "position" => json!("end"),
        "expected_hash" => json!(null),
        _ => json!("New"),
    };
    let always = ["rel_path", "heading", "new_rel_path", "edits", "set", "query", "note", "target", "id_or_path"];
    let mut base = Map::new();
    for name in properties.keys() {
        let required = schema["required"].as_array().is_some_and(|names| names.contains(&json!(name)));
        if required || always.contains(&name.as_str()) {
            base.insert(name.clone(), usual(name));
        }
    }
    let mut calls = vec![Value::Object(base.clone())];
    for dry in [true, false] {
        for (name, schema) in properties {
            for value in values(name, schema, ids) {
                let mut arguments = base.clone();
                // These stand for one another.
                for other in
                    [("id", "rel_path"), ("heading_path", "heading"), ("id", "id_or_path"), ("title", "id_or_path")]
                {
                    if name == other.0 {
                        arguments.remove(other.1);
                    }
                }
                if name == "section" || name == "heading_path" {
                    arguments.remove("heading");
                }
                arguments.insert(name.clone(), value);
                if properties.contains_key("dry_run") {
                    arguments.insert("dry_run".to_owned(), json!(dry));
                } else if !dry {
                    continue;
                }
                if tool["name"] == "get_note" {
                    arguments.insert("resolve_links".to_owned(), json!(true));
                    arguments.insert("include_content".to_owned(), json!(true));
                    if arguments.get("format").is_some_and(|format| format != "full") {
                        arguments.remove("resolve_links");
                    }
                }
                calls.push(Value::Object(arguments));
            }
        }
    }
    calls
}

async fn told(client: &mut Client, method: &str, params: Value) -> Value {
    let answer = client.request(method, params.clone()).await;
    names_nothing_hidden(&answer, &params);
    answer
}

/// The ids of all notes and of the operations so far, as somebody who sees everything knows them.
async fn ids(fixture: &Fixture) -> Vec<String> {
    let mut person = fixture.client_at(fixture.engine.desk("all", Writes::Review)).await;
    let mut ids = Vec::new();
    let list = person.ok("list_notes", json!({})).await;
    for note in list["notes"].as_array().unwrap() {
        ids.push(note["id"].as_str().unwrap().to_owned());
        let map = person.ok("get_note", json!({"id_or_path": note["rel_path"], "format": "map"})).await;
        ids.extend(
            map["headings"].as_array().unwrap().iter().map(|heading| heading["chunk_id"].as_str().unwrap().to_owned()),
        );
        let history = person.ok("get_note_history", json!({"note": note["rel_path"]})).await;
        ids.extend(
            history["versions"].as_array().unwrap().iter().map(|one| one["version_id"].as_str().unwrap().to_owned()),
        );
    }
    let wish = json!({"rel_path": "zorn/twin.md", "heading": "Umbra twin", "content": "x"});
    ids.push(person.ok("append_to_section", wish).await["operation_id"].as_str().unwrap().to_owned());
    ids
}

#[tokio::test]
async fn no_tool_names_what_lies_beyond_the_scope_whatever_it_is_asked() {
    let fixture = vault();
    let ids = ids(&fixture).await;
    let mut client = fixture.client_at(scoped(&fixture, Writes::Review)).await;
    let tools = client.request("tools/list", json!({})).await["result"]["tools"].clone();
    let (mut n_asked, mut n_answered, mut proposed) = (0, 0, Vec::new());
    for tool in tools.as_array().unwrap() {
        for arguments in calls(tool, &ids) {
            let call = json!({"name": tool["name"], "arguments": arguments});
            // What the client wrote itself it may read again, so that only what it wrote without such words is asked
            // about later.
            let is_plain = !HIDDEN.iter().any(|word| call.to_string().to_lowercase().contains(word));
            let answer = told(&mut client, "tools/call", call).await;
            n_asked += 1;
            n_answered += usize::from(answer["result"]["isError"] != true);
            let id = answer["result"]["structuredContent"]["operation_id"].as_str();
            proposed.extend(id.filter(|_| is_plain && tool["name"] != "get_operation").map(str::to_owned));
        }
    }
    assert!(n_asked > 1500 && n_answered > 300, "{n_answered} of {n_asked}");
    for (method, params) in [
        ("resources/list", json!({})),
        ("resources/templates/list", json!({})),
        ("prompts/list", json!({})),
        ("prompts/get", json!({"name": "review_declined"})),
    ] {
        told(&mut client, method, params).await;
    }
    for typed in ["", "z", "o", "quill", "umbra"] {
        let argument = json!({"name": "path", "value": typed});
        let template = json!({"type": "ref/resource", "uri": "vault://note/{+path}"});
        told(&mut client, "completion/complete", json!({"ref": template, "argument": argument})).await;
        for (prompt, name) in [("tidy_headings", "path"), ("fix_broken_links", "folder")] {
            let prompt = json!({"type": "ref/prompt", "name": prompt});
            let argument = json!({"name": name, "value": typed});
            told(&mut client, "completion/complete", json!({"ref": prompt, "argument": argument})).await;
        }
    }
    for path in ["zorn/quillback.md", "quillback%20root.md", "twin.md", "open/a.md"] {
        told(&mut client, "resources/read", json!({"uri": format!("vault://note/{path}")})).await;
    }
    assert!(proposed.len() > 20, "{proposed:?}");
    for (n, id) in proposed.iter().enumerate() {
        let ask = [
            ("tools/call", json!({"name": "get_operation", "arguments": {"operation_id": id}})),
            ("resources/read", json!({"uri": format!("vault://operation/{id}")})),
            ("tasks/get", json!({"taskId": id})),
        ];
        for (method, params) in ask.clone() {
            told(&mut client, method, params).await;
        }
        let id = id.parse().unwrap();
        if let (Some(digest), 0) = (fixture.engine.review(id).unwrap().digest, n % 3) {
            // Some of them exclude one another.
            let _ = fixture.engine.decide(id, Decision::Approve { seen: PlanDigest(digest) });
        }
        for (method, params) in ask {
            told(&mut client, method, params).await;
        }
    }
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

/// Numbers that look thrown and are the same each time.
struct Dice(u64);

impl Dice {
    fn throw(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % n
    }

    fn pick<'v, T>(&mut self, all: &'v [T]) -> &'v T {
        &all[self.throw(all.len())]
    }
}

/// Whether an argument's text goes into a note, so that it may come back later.
fn is_kept(name: &str) -> bool {
    ["content", "new_content", "new_heading", "edits", "set", "reason"].contains(&name)
}

#[tokio::test]
async fn no_row_of_calls_brings_out_what_is_hidden_whatever_the_person_does_meanwhile() {
    let fixture = vault();
    let ids = ids(&fixture).await;
    let mut client = fixture.client_at(scoped(&fixture, Writes::Allow)).await;
    let tools = client.request("tools/list", json!({})).await["result"]["tools"].clone();
    let tools = tools.as_array().unwrap();
    let kept = ["open/a.md", "open/b.md", "open/twin.md"].map(|path| (path, fixture.read(path)));
    let mut dice = Dice(7);
    let (mut n_answered, mut n_hidden, mut open) = (0, 0, Vec::<String>::new());
    for turn in 0..1000 {
        let tool = dice.pick(tools);
        let calls = calls(tool, &ids);
        let mut arguments = if dice.throw(2) == 0 { &calls[0] } else { dice.pick(&calls) }.clone();
        for (name, value) in dice.pick(&calls).clone().as_object().unwrap() {
            if dice.throw(8) == 0 {
                arguments[name] = value.clone();
            }
        }
        if let Some(id) = open.last().filter(|_| dice.throw(2) == 0)
            && tool["inputSchema"]["properties"].get("operation_id").is_some()
        {
            arguments = json!({"operation_id": id});
        }
        // What the client writes into notes says nothing hidden, so that nothing of that may ever come back.
        let fields = arguments.as_object_mut().unwrap();
        fields.retain(|name, value| {
            !is_kept(name) || !HIDDEN.iter().any(|word| value.to_string().to_lowercase().contains(word))
        });
        let call = json!({"name": tool["name"], "arguments": arguments});
        let answer = told(&mut client, "tools/call", call).await;
        let answer = &answer["result"]["structuredContent"];
        n_answered += usize::from(answer["code"].is_null());
        n_hidden += usize::from(answer["warnings"].to_string().contains("beyond the folders open to you"));
        if answer["status"] == "proposed" {
            open.push(answer["operation_id"].as_str().unwrap().to_owned());
        }
        if turn % 3 == 0
            && let Some(id) = open.pop()
        {
            let id = id.parse().unwrap();
            let digest = fixture.engine.review(id).unwrap().digest;
            let decision = match digest {
                Some(digest) if dice.throw(3) > 0 => Decision::Approve { seen: PlanDigest(digest) },
                _ => Decision::Decline { comment: None },
            };
            // What excludes another that was approved is refused.
            let _ = fixture.engine.decide(id, decision);
        }
        if turn % 20 == 0 {
            // What went is there again, for another row of calls.
            kept.iter().for_each(|(path, text)| fixture.write(path, text));
            fixture.engine.catch_up();
        }
        if turn % 10 == 0 {
            let path = |path: &str| RelPath::new(path).unwrap();
            // No open note links to it, so that none is written into.
            let moves = [("zorn/way/c.md", "open/c.md"), ("open/c.md", "zorn/way/c.md")];
            let (from, to) = dice.pick(&moves);
            let _ = fixture.engine.carry(Intent::MoveNote { path: path(from), to: path(to) });
        }
    }
    assert!(n_answered > 200 && n_hidden > 20, "{n_answered} {n_hidden}");
}
