//! Renaming sections, as a client sees it.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod harness;

use engine::{Decision, PlanDigest, Writes};
use harness::{Fixture, conforms};
use serde_json::{Value, json};

const FILES: &[(&str, &str)] =
    &[("n.md", "# T\n\n## Old\n\nx [[#Old]]\n\n## Log\n\n## Log\n"), ("l.md", "see [[n#Old|o]]\n")];

fn hash(text: &str) -> String {
    blake3::hash(text.as_bytes()).to_hex().to_string()
}

#[tokio::test]
async fn a_proposal_waits_and_a_person_decides() {
    let fixture = Fixture::new(FILES);
    let mut client = fixture.client(Writes::Review).await;
    let list = client.request("tools/list", json!({})).await["result"]["tools"].clone();
    let schema =
        |name: &str| list.as_array().unwrap().iter().find(|tool| tool["name"] == name).unwrap()["outputSchema"].clone();
    let wish = json!({"rel_path": "n", "heading": "Old", "new_heading": "New", "expected_hash": hash(FILES[0].1), "request_id": "r-1", "reason": "clearer"});

    let mut dry = wish.clone();
    dry["dry_run"] = json!(true);
    let planned = client.ok("rename_note_section", dry).await;
    conforms(&schema("rename_note_section"), &planned, "planned");
    assert_eq!((&planned["status"], planned.get("operation_id")), (&json!("planned"), None));
    assert_eq!(client.ok("get_operation", json!({})).await["operations"], json!([]));

    let proposed = client.ok("rename_note_section", wish.clone()).await;
    conforms(&schema("rename_note_section"), &proposed, "proposed");
    assert_eq!(
        (&proposed["status"], &proposed["committed"], &proposed["replayed"]),
        (&json!("proposed"), &json!(false), &json!(false))
    );
    assert_eq!(
        (&proposed["content_hash"], &proposed["before_hash"]),
        (&json!(hash(FILES[0].1)), &json!(hash(FILES[0].1)))
    );
    assert_eq!(proposed["renamed"]["links_updated"], 2);
    assert_eq!(proposed["renamed"]["notes_touched"], 2);
    let diff = proposed["diff"].as_str().unwrap();
    assert!(diff.contains("\n-## Old\n+## New\n") && diff.contains("+see [[n#New|o]]"), "{diff}");
    assert_eq!(fixture.read("n.md"), FILES[0].1);
    let replayed = client.ok("rename_note_section", wish.clone()).await;
    assert_eq!((&replayed["replayed"], &replayed["operation_id"]), (&json!(true), &proposed["operation_id"]));
    let open = client.ok("get_operation", json!({})).await;
    assert_eq!(open["operations"][0]["operation_id"], proposed["operation_id"]);
    conforms(&schema("get_operation"), &open, "open");
    assert_eq!(
        client.ok("get_note", json!({"id_or_path": "n.md"})).await["pending_operations"][0]["new_heading"],
        "New"
    );

    let id = proposed["operation_id"].as_str().unwrap().parse().unwrap();
    let engine = fixture.engine.clone();
    let person = std::thread::spawn(move || {
        let review = engine.review(id).unwrap();
        engine.decide(id, Decision::Approve { seen: PlanDigest(review.digest.unwrap()) }).unwrap();
    });
    let done = client.ok("get_operation", json!({"request_id": "r-1", "wait_seconds": 20})).await;
    person.join().unwrap();
    conforms(&schema("get_operation"), &done, "done");
    assert_eq!((&done["status"], &done["committed"]), (&json!("committed"), &json!(true)));
    assert_eq!(done["content_hash"], proposed["projected_hash"]);
    assert_eq!(done["files"][0]["after_hash"], done["content_hash"]);
    assert_eq!(fixture.read("l.md"), "see [[n#New|o]]\n");
    let error = client.fails("withdraw_operation", json!({"operation_id": proposed["operation_id"]})).await;
    assert_eq!(
        (&error["code"], &error["status"], &error["retryable"]),
        (&json!("conflict"), &json!("committed"), &json!(false))
    );
    let history = client.ok("get_note_history", json!({"note": "n.md"})).await;
    conforms(&schema("get_note_history"), &history, "history");
    assert_eq!(
        (&history["versions"][0]["actor"], &history["versions"][0]["client"]),
        (&json!("agent"), &json!("tester"))
    );
}

#[tokio::test]
async fn a_client_that_speaks_tasks_gets_one() {
    let fixture = Fixture::new(FILES);
    let mut client = fixture.client(Writes::Review).await;
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {"extensions": {"io.modelcontextprotocol/tasks": {}}},
    });
    let wish = |to: &str| json!({"name": "rename_note_section", "arguments": {"rel_path": "n.md", "heading": "Old", "new_heading": to}, "_meta": meta});
    let task = |id: &Value| json!({"taskId": id, "_meta": meta});
    let created = client.request("tools/call", wish("New")).await["result"].clone();
    assert_eq!(
        (&created["resultType"], &created["status"], &created["ttlMs"]),
        (&json!("task"), &json!("working"), &Value::Null),
        "{created}"
    );
    let id = created["taskId"].clone();
    assert_eq!(client.request("tasks/get", task(&id)).await["result"]["status"], "working");
    let op = id.as_str().unwrap().parse().unwrap();
    let review = fixture.engine.review(op).unwrap();
    fixture.engine.decide(op, Decision::Approve { seen: PlanDigest(review.digest.unwrap()) }).unwrap();
    let done = client.request("tasks/get", task(&id)).await["result"].clone();
    assert_eq!(
        (&done["status"], &done["result"]["structuredContent"]["committed"]),
        (&json!("completed"), &json!(true)),
        "{done}"
    );
    assert_eq!(done["result"]["structuredContent"]["renamed"]["new_heading"], "New");

    let mut other = wish("Newer");
    other["arguments"]["heading"] = json!("New");
    let second = client.request("tools/call", other.clone()).await["result"]["taskId"].clone();
    client.request("tasks/cancel", task(&second)).await;
    assert_eq!(client.request("tasks/get", task(&second)).await["result"]["status"], "cancelled");
    let third = client.request("tools/call", other).await["result"]["taskId"].clone();
    let op = third.as_str().unwrap().parse().unwrap();
    fixture.engine.decide(op, Decision::Decline { comment: Some("no".to_owned()) }).unwrap();
    let declined = client.request("tasks/get", task(&third)).await["result"].clone();
    assert_eq!((&declined["status"], &declined["result"]["isError"]), (&json!("completed"), &json!(true)));
    assert_eq!(declined["result"]["structuredContent"]["comment"], "no");
    assert_eq!(client.request("tasks/get", task(&json!("x"))).await["error"]["code"], -32602);
    let plain = client.ok("get_operation", json!({"operation_id": third})).await;
    assert_eq!(plain["status"], "declined");
}

#[tokio::test]
async fn a_past_text_can_be_read_again() {
    let fixture = Fixture::new(FILES);
    let mut client = fixture.client(Writes::Allow).await;
    for (old, new) in [("Old", "New"), ("New", "Newest")] {
        client.ok("rename_note_section", json!({"rel_path": "n.md", "heading": old, "new_heading": new})).await;
    }
    let history = client.ok("get_note_history", json!({"note": "n.md", "limit": 2})).await;
    let version = history["versions"][1]["version_id"].clone();
    let past = client.ok("get_note_history", json!({"note": "n.md", "version": version})).await;
    assert_eq!(harness::unwrapped(&past["content"]), FILES[0].1.replace("Old", "New"));
    assert!(past["diff"].as_str().unwrap().contains("\n-## New\n+## Newest\n"), "{past}");
    let part = client.ok("get_note_history", json!({"note": "n.md", "version": version, "limit": 3})).await;
    assert_eq!((harness::unwrapped(&part["content"]), &part["next_offset"]), ("# T".to_owned(), &json!(3)));
    assert_eq!(client.fails("get_note_history", json!({"note": "n.md", "version": "x"})).await["code"], "not_found");
}

#[tokio::test]
async fn a_heading_behind_an_open_fence_is_explained() {
    let fixture = Fixture::new(&[("n.md", "# T\n\n```\n## Old\n")]);
    let mut client = fixture.client(Writes::Allow).await;
    let error =
        client.fails("rename_note_section", json!({"rel_path": "n.md", "heading": "Old", "new_heading": "New"})).await;
    assert_eq!(error["code"], "heading_not_found");
    assert!(error["message"].as_str().unwrap().contains("code fence on line 3 is not closed"), "{error}");
}

#[tokio::test]
async fn a_proposal_can_be_declined_or_withdrawn() {
    let fixture = Fixture::new(FILES);
    let mut client = fixture.client(Writes::Review).await;
    let wish = |id: &str| json!({"rel_path": "n.md", "heading": "Old", "new_heading": "New", "request_id": id});
    let first = client.ok("rename_note_section", wish("a")).await;
    let id = first["operation_id"].as_str().unwrap().parse().unwrap();
    fixture.engine.decide(id, Decision::Decline { comment: Some("keep it".to_owned()) }).unwrap();
    let declined = client.ok("get_operation", json!({"operation_id": first["operation_id"]})).await;
    assert_eq!((&declined["status"], &declined["comment"]), (&json!("declined"), &json!("keep it")));
    let again = client.fails("rename_note_section", wish("a")).await;
    assert_eq!((&again["code"], &again["comment"]), (&json!("declined"), &json!("keep it")));
    let second = client.ok("rename_note_section", wish("b")).await;
    let withdrawn = client.ok("withdraw_operation", json!({"operation_id": second["operation_id"]})).await;
    assert_eq!(withdrawn["status"], "withdrawn");
    let twice = client.ok("withdraw_operation", json!({"operation_id": second["operation_id"]})).await;
    assert_eq!(twice["status"], "withdrawn");
    let mut stranger = fixture.client(Writes::Review).await;
    let third = client.ok("rename_note_section", wish("c")).await;
    assert_eq!(stranger.fails("withdraw_operation", json!({"operation_id": "x"})).await["code"], "not_found");
    fixture.write("n.md", "# T\n");
    let stale = client.ok("get_operation", json!({"operation_id": third["operation_id"]})).await;
    assert_eq!(stale["status"], "stale");
}

#[tokio::test]
async fn with_leave_a_change_is_done_at_once_and_only_once() {
    let fixture = Fixture::new(FILES);
    let mut client = fixture.client(Writes::Allow).await;
    let wish = json!({"rel_path": "n.md", "heading": "Old", "new_heading": "New", "expected_hash": hash(FILES[0].1), "request_id": "r"});
    let done = client.ok("rename_note_section", wish.clone()).await;
    assert_eq!(
        (&done["status"], &done["committed"], &done["indexed"]),
        (&json!("committed"), &json!(true), &json!(true))
    );
    assert_eq!(done["content_hash"], hash(&fixture.read("n.md")));
    let again = client.ok("rename_note_section", wish.clone()).await;
    assert_eq!((&again["replayed"], &again["content_hash"]), (&json!(true), &done["content_hash"]));
    assert!(again["diff"].as_str().unwrap().contains("+## New"));
    let mut other = wish.clone();
    other["new_heading"] = json!("Third");
    let error = client.fails("rename_note_section", other).await;
    assert_eq!((&error["code"], &error["current_hash"]), (&json!("request_id_reused"), &done["content_hash"]));
    fixture.write("n.md", "# T\n\n## Old\n");
    assert_eq!(client.fails("rename_note_section", wish).await["code"], "request_id_reused");
    assert_eq!(fixture.read("n.md"), "# T\n\n## Old\n");
}

#[tokio::test]
async fn refusals_say_what_the_next_call_needs_and_change_nothing() {
    let fixture = Fixture::new(FILES);
    let mut client = fixture.client(Writes::Allow).await;
    let current = hash(FILES[0].1);
    let wish = |more: Value| {
        let mut wish = json!({"rel_path": "n.md", "heading": "Old", "new_heading": "New"});
        wish.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        wish
    };
    for (more, code) in [
        (json!({"heading": "T"}), "heading_level_1"),
        (json!({"heading": "Odl"}), "heading_not_found"),
        (json!({"heading": "Log"}), "ambiguous_heading"),
        (json!({"heading": "Log", "heading_level": 2, "heading_occurrence": 1}), "hash_required"),
        (
            json!({"heading": "Log", "heading_level": 2, "heading_occurrence": 3, "expected_hash": current}),
            "heading_not_found",
        ),
        (json!({"new_heading": "log"}), "heading_collision"),
        (json!({"new_heading": " \t"}), "invalid_heading"),
        (json!({"new_heading": "a\nb"}), "invalid_heading"),
        (json!({"new_heading": "# a"}), "invalid_heading"),
        (json!({"expected_hash": "00".repeat(32)}), "conflict"),
        (json!({"expected_updated_at": "2001-01-01T00:00:00Z"}), "conflict"),
        (json!({"expected_updated_at": "then"}), "invalid_arguments"),
        (json!({"rel_path": "nope.md"}), "not_found"),
        (json!({"rel_path": "../n.md"}), "path_outside_vault"),
        (json!({"rel_path": null}), "invalid_arguments"),
        (json!({"id": "x"}), "invalid_arguments"),
        (json!({"heading_path": ["T", "Old"]}), "invalid_arguments"),
        (json!({"new_heading": "{{vidimus:secret:1}}"}), "invalid_arguments"),
    ] {
        let error = client.fails("rename_note_section", wish(more.clone())).await;
        assert_eq!(error["code"], code, "{more}: {error}");
    }
    let ambiguous = client.fails("rename_note_section", wish(json!({"heading": "Log"}))).await;
    let mut select = ambiguous["candidates"][1].clone();
    select.as_object_mut().unwrap().retain(|name, _| name != "heading_path" && name != "line");
    select["expected_hash"] = ambiguous["current_hash"].clone();
    assert_eq!(fixture.read("n.md"), FILES[0].1);
    client.ok("rename_note_section", wish(select)).await;
    assert_eq!(fixture.read("n.md"), FILES[0].1.replace("## Log\n\n## Log", "## Log\n\n## New"));
}

#[tokio::test]
async fn an_update_time_guards_like_a_hash() {
    let fixture = Fixture::new(FILES);
    let mut client = fixture.client(Writes::Allow).await;
    let read = client.ok("get_note", json!({"id_or_path": "n.md"})).await;
    let wish = json!({"id": read["id"], "heading_path": ["T", "Old"], "new_heading": "New", "expected_updated_at": read["updated_at"], "request_id": "r"});
    assert_eq!(client.ok("rename_note_section", wish.clone()).await["committed"], true);
    assert_eq!(client.ok("rename_note_section", wish).await["replayed"], true);
}

#[tokio::test]
async fn a_secret_in_a_heading_survives_a_rename() {
    let key = "AKIAIOSFODNN7EXAMPLE";
    let fixture = Fixture::new(&[("n.md", &format!("# T\n\n## Key {key}\n"))]);
    let mut client = fixture.client(Writes::Allow).await;
    let map = client.ok("get_note", json!({"id_or_path": "n.md", "format": "map"})).await;
    let heading = map["headings"][1]["select"]["heading"].clone();
    assert_eq!(heading, "Key {{vidimus:secret:1}}");
    let wish = json!({"rel_path": "n.md", "heading": heading, "new_heading": "The key {{vidimus:secret:1}}"});
    let done = client.ok("rename_note_section", wish).await;
    assert!(!done.to_string().contains(key), "{done}");
    assert_eq!(fixture.read("n.md"), format!("# T\n\n## The key {key}\n"));
}

#[tokio::test]
async fn calls_that_do_not_fit_get_an_answer_that_a_model_can_use() {
    let fixture = Fixture::new(FILES);
    let mut client = fixture.client(Writes::Review).await;
    for arguments in [json!([1]), json!("x"), json!(7)] {
        let answer = client.request("tools/call", json!({"name": "get_note", "arguments": arguments})).await;
        assert_eq!(answer["result"]["structuredContent"]["code"], "invalid_arguments", "{answer}");
    }
    let answer = client.request("tools/call", json!({"name": "get_notes", "arguments": {}})).await;
    assert_eq!((&answer["error"]["code"], &answer["error"]["data"]["nearest"]), (&json!(-32602), &json!("get_note")));
    let answer = client.request("tools/call", json!({"name": "get_note", "arguments": null})).await;
    assert_eq!(answer["result"]["structuredContent"]["code"], "invalid_arguments", "{answer}");
}
