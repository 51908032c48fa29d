//! Every tool, asked for everything: with all arguments that could lead beyond the scope, and in long rows while the person
//! decides and moves notes.

use super::harness::Fixture;
use super::{HIDDEN, scoped, told, vault};
use engine::{Decision, Intent, PlanDigest, RelPath, Writes};
use serde_json::{Map, Value, json};

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
