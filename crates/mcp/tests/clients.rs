//! What one client learns of another's operations: nothing, whichever way it asks.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod harness;

use engine::{ContentHash, Decision, OpId, PlanDigest, RelPath, Writes};
use harness::http::{Http, http, legacy};
use harness::{Client, Fixture, steady};
use serde_json::{Map, Value, json};

const FILES: &[(&str, &str)] = &[("a.md", "# A\n\n## One\n\n## Two\n\n## Three\n\n## Four\n")];

/// Makes a proposal for each of the ways in which one may end, and returns their ids.
async fn operations(fixture: &Fixture, client: &mut Client) -> Vec<String> {
    let mut ids = Vec::new();
    for (n, heading) in ["One", "Two", "Three", "Four"].into_iter().enumerate() {
        let wish = json!({
            "rel_path": "a.md", "heading": heading, "new_heading": format!("New {n}"), "request_id": format!("r-{n}"),
        });
        let proposed = client.ok("rename_note_section", wish).await;
        ids.push(proposed["operation_id"].as_str().unwrap().to_owned());
    }
    let id = |n: usize| ids[n].parse::<OpId>().unwrap();
    fixture.engine.decide(id(1), Decision::Decline { comment: Some("no".to_owned()) }).unwrap();
    let seen = PlanDigest(fixture.engine.review(id(2)).unwrap().digest.unwrap());
    fixture.engine.decide(id(2), Decision::Approve { seen }).unwrap();
    client.ok("withdraw_operation", json!({"operation_id": ids[3]})).await;
    ids
}

/// Every request in which an operation can be named: each tool with an argument for an id, by the catalog, then the rest.
fn requests(tools: &Value, id: &str) -> Vec<(String, Value)> {
    let mut requests = Vec::new();
    for tool in tools.as_array().unwrap() {
        let schema = &tool["inputSchema"];
        for name in schema["properties"].as_object().unwrap().keys() {
            let takes_id = name.ends_with("_id") || name == "id" || name == "id_or_path" || name == "version";
            if !takes_id || name == "request_id" && tool["name"] != "get_operation" {
                continue;
            }
            let mut arguments = Map::from_iter([(name.clone(), json!(id))]);
            for needed in schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str) {
                let kind = &schema["properties"][needed]["type"];
                let value = match needed {
                    "edits" => json!([{"find": "# A", "replace": "# B"}]),
                    "position" => json!("end"),
                    "note" => json!("a.md"),
                    _ if kind == "string" => json!("New"),
                    _ => json!(1),
                };
                arguments.entry(needed).or_insert(value);
            }
            if schema["properties"].get("rel_path").is_some() && name != "id" {
                arguments.entry("rel_path").or_insert(json!("a.md"));
            }
            requests.push(("tools/call".to_owned(), json!({"name": tool["name"], "arguments": arguments})));
        }
    }
    let wait = json!({"name": "get_operation", "arguments": {"operation_id": id, "wait_seconds": 1}});
    let lower = json!({"name": "get_operation", "arguments": {"operation_id": id.to_lowercase()}});
    requests.extend([wait, lower].map(|call| ("tools/call".to_owned(), call)));
    requests.push(("resources/read".to_owned(), json!({"uri": format!("vault://operation/{id}")})));
    requests.push(("resources/subscribe".to_owned(), json!({"uri": format!("vault://operation/{id}")})));
    requests.extend(["tasks/get", "tasks/cancel"].map(|method| (method.to_owned(), json!({"taskId": id}))));
    requests
}

/// An answer without what is new in each, and with any id in it made the same.
fn plain(answer: &Value, id: &str) -> String {
    let answer = if answer["error"].is_null() { &answer["result"] } else { &answer["error"] };
    steady(answer).replace(id, "ID").replace(&id.to_lowercase(), "ID")
}

async fn over_http(http: &Http, method: &str, params: Value) -> Value {
    http.call(&[("MCP-Protocol-Version", "2025-11-25")], legacy(method, params)).await.1
}

#[tokio::test]
async fn another_clients_operation_is_as_unknown_as_none() {
    let fixture = Fixture::new(FILES);
    let (mut owner, http) = (fixture.client(Writes::Review).await, http(&fixture).await);
    let mut other = fixture.client_at(fixture.engine.desk("other", Writes::Review)).await;
    let mut homonym = fixture.client_at(fixture.engine.desk("You", Writes::Review)).await;
    let mut ids = operations(&fixture, &mut owner).await;
    // The person's own save is an operation, too.
    let (path, before) = (RelPath::new("a.md").unwrap(), fixture.read("a.md"));
    fixture.engine.save(&path, ContentHash::of(before.as_bytes()), format!("{before}\nmore\n")).unwrap();
    ids.push(fixture.engine.history(&path)[0].id.clone());
    let tools = other.request("tools/list", json!({})).await["result"]["tools"].clone();
    let unknown = OpId::generate().to_string();
    let mut n_asked = 0;
    for id in &ids {
        for ((method, params), (_, none)) in requests(&tools, id).into_iter().zip(requests(&tools, &unknown)) {
            // A version is named by the operation that made it, for everybody who may read the note.
            let is_version = params["arguments"].get("version").or(params["arguments"].get("version_id")).is_some();
            if is_version && (id == &ids[2] || id == ids.last().unwrap()) {
                continue;
            }
            n_asked += 1;
            for client in [&mut other, &mut homonym] {
                let (told, expected) =
                    (client.request(&method, params.clone()).await, client.request(&method, none.clone()).await);
                assert_eq!(plain(&told, id), plain(&expected, &unknown), "{method} {params}");
            }
            let (told, expected) =
                (over_http(&http, &method, params.clone()).await, over_http(&http, &method, none).await);
            assert_eq!(plain(&told, id), plain(&expected, &unknown), "{method} {params} over HTTP");
        }
    }
    assert!(n_asked > 60, "{n_asked}");
    for (n, id) in ids[..4].iter().enumerate() {
        let asked = other.fails("get_operation", json!({"request_id": format!("r-{n}")})).await;
        assert_eq!(asked["code"], "not_found");
        let own = owner.ok("get_operation", json!({"operation_id": id})).await;
        assert_eq!(own["operation_id"], json!(id));
    }
    assert_eq!(owner.ok("get_operation", json!({"operation_id": ids[0]})).await["status"], "proposed");
    http.server.stop().await;
}

#[tokio::test]
async fn nobody_is_told_when_another_clients_operation_moves_on() {
    let fixture = Fixture::new(FILES);
    let mut owner = fixture.client(Writes::Review).await;
    let mut other = fixture.client_at(fixture.engine.desk("other", Writes::Review)).await;
    let wish = json!({"rel_path": "a.md", "heading": "One", "new_heading": "New"});
    let id = owner.ok("rename_note_section", wish).await["operation_id"].as_str().unwrap().to_owned();
    for uri in [format!("vault://operation/{id}"), "vault://note/a.md".to_owned()] {
        other.request("resources/subscribe", json!({"uri": uri})).await;
    }
    fixture.engine.decide(id.parse().unwrap(), Decision::Decline { comment: None }).unwrap();
    fixture.write("a.md", "# A\n");
    fixture.engine.catch_up();
    // The first thing that it is told is what came after.
    let told = tokio::time::timeout(std::time::Duration::from_secs(20), other.receive()).await.expect("silence");
    assert_eq!(told["params"]["uri"], "vault://note/a.md", "{told}");
}
