//! Changing sections, pieces of text, properties and whole notes, as a client sees it.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod harness;

use engine::{Decision, PlanDigest, Writes};
use harness::{Client, Fixture, conforms};
use serde_json::{Value, json};

const NOTE: &str =
    "---\nstatus: draft\ntime: 14:30\n---\n# T\n\n## A\nold\n\n### A1\nx\n\n## B\nb\n\n## Log\n\n## Log\n";

fn hash(text: &str) -> String {
    blake3::hash(text.as_bytes()).to_hex().to_string()
}

/// Calls a tool on `n.md` with `before` in it, and compares the note with `after`.
async fn check(tool: &str, arguments: Value, before: &str, after: &str) -> Value {
    let fixture = Fixture::new(&[("n.md", before), ("l.md", "[[n#A]] [[n#B]]\n")]);
    let mut client = fixture.client(Writes::Allow).await;
    let mut wish = json!({"rel_path": "n.md", "expected_hash": hash(before), "request_id": "r"});
    wish.as_object_mut().unwrap().extend(arguments.as_object().unwrap().clone());
    let done = client.ok(tool, wish.clone()).await;
    conforms(&schema(&mut client, tool).await, &done, tool);
    assert_eq!((&done["status"], fixture.read("n.md").as_str()), (&json!("committed"), after), "{arguments}: {done}");
    assert_eq!(done["content_hash"], hash(after));
    assert_eq!(done["projected_hash"], hash(after));
    let again = client.ok(tool, wish.clone()).await;
    assert_eq!((&again["replayed"], &again["operation_id"]), (&json!(true), &done["operation_id"]), "{again}");
    assert_eq!(fixture.read("n.md"), after, "the repeated call did something");
    wish["reason"] = json!("another");
    assert_eq!(client.fails(tool, wish).await["code"], "request_id_reused");
    done
}

async fn schema(client: &mut Client, name: &str) -> Value {
    let list = client.request("tools/list", json!({})).await["result"]["tools"].clone();
    list.as_array().unwrap().iter().find(|tool| tool["name"] == name).unwrap()["outputSchema"].clone()
}

#[tokio::test]
async fn a_section_is_rewritten_with_or_without_what_is_below_it() {
    for (arguments, after) in [
        (json!({"heading": "A", "new_content": "new"}), NOTE.replace("old", "new")),
        (json!({"heading_path": ["T", "A"], "new_content": "new"}), NOTE.replace("old", "new")),
        (
            json!({"heading": "A", "new_content": "new", "include_children": true}),
            NOTE.replace("old\n\n### A1\nx", "new"),
        ),
        (
            json!({"heading": "Log", "heading_level": 2, "heading_occurrence": 2, "new_content": "second"}),
            format!("{NOTE}second\n"),
        ),
    ] {
        check("patch_note_section", arguments, NOTE, &after).await;
    }
    let crlf = "## A\r\nold\r\n\r\n## B\r\n";
    let content = json!({"heading": "A", "new_content": "$& $$\n$1"});
    check("patch_note_section", content, crlf, "## A\r\n$& $$\r\n$1\r\n\r\n## B\r\n").await;
}

#[tokio::test]
async fn text_is_added_at_either_end_of_a_section() {
    let list = "## A\n- b\n\n### C\n";
    check("append_to_section", json!({"heading": "A", "content": "- c"}), list, "## A\n- b\n- c\n\n### C\n").await;
    let start = json!({"heading": "A", "content": "- a", "position": "start"});
    check("append_to_section", start, list, "## A\n- a\n- b\n\n### C\n").await;
}

#[tokio::test]
async fn a_section_moves_and_keeps_its_level_unless_asked() {
    let moved = json!({"heading": "A", "destination_heading": "B", "position": "after"});
    let after = "## B\nb\n\n## A\na\n";
    check("move_note_section", moved, "## A\na\n\n## B\nb\n", after).await;
    let below = json!({"heading": "A", "destination_heading": "B", "position": "last_child", "relevel": true});
    check("move_note_section", below, "## A\na\n\n## B\nb\n", "## B\nb\n\n### A\na\n").await;
}

#[tokio::test]
async fn a_deletion_names_what_goes_along_and_which_links_lose_their_target() {
    let done =
        check("delete_note_section", json!({"heading": "A"}), NOTE, &NOTE.replace("## A\nold\n\n### A1\nx\n\n", ""))
            .await;
    let warnings = done["warnings"].to_string();
    assert!(warnings.contains("A1") && warnings.contains("l.md"), "{warnings}");
}

#[tokio::test]
async fn quoted_pieces_and_properties_change_and_nothing_else() {
    let edits = json!({"edits": [{"find": "old", "replace": "new"}, {"find": "## Log", "replace": "## Day", "expected_count": 2.0}]});
    check("edit_note", edits, NOTE, &NOTE.replace("old", "new").replace("## Log", "## Day")).await;
    let properties = json!({"set": {"status": "done", "rank": 3}, "remove": ["time"]});
    check("set_properties", properties, NOTE, &NOTE.replace("draft\ntime: 14:30\n", "done\nrank: 3\n")).await;
}

#[tokio::test]
async fn a_note_is_made_where_none_is() {
    let fixture = Fixture::new(&[("A/n.md", "x\n")]);
    let mut client = fixture.client(Writes::Allow).await;
    let wish = json!({"rel_path": "A/New one", "content": "# New\n", "request_id": "r"});
    let mut dry = wish.clone();
    dry["dry_run"] = json!(true);
    let planned = client.ok("create_note", dry).await;
    assert_eq!((&planned["status"], planned.get("content_hash")), (&json!("planned"), None));
    assert_eq!(planned["files"][0]["kind"], "create");
    let done = client.ok("create_note", wish.clone()).await;
    assert_eq!((&done["rel_path"], &done["content_hash"]), (&json!("A/New one.md"), &json!(hash("# New\n"))));
    assert_eq!(fixture.read("A/New one.md"), "# New\n");
    assert_eq!(client.ok("create_note", wish).await["replayed"], true);
    for (path, code) in [
        ("A/new ONE.md", "conflict"),
        ("A/n.md", "conflict"),
        ("../x.md", "path_outside_vault"),
        ("/x.md", "path_outside_vault"),
        (".obsidian/x.md", "path_not_allowed"),
        ("x.txt", "not_a_note"),
        ("a\\b.md", "invalid_arguments"),
        ("", "invalid_arguments"),
        ("a\nb.md", "invalid_arguments"),
        ("a: b.md", "invalid_arguments"),
        ("con.md", "invalid_arguments"),
        ("a /b.md", "invalid_arguments"),
    ] {
        let error = client.fails("create_note", json!({"rel_path": path, "content": ""})).await;
        assert_eq!(error["code"], code, "{path}: {error}");
    }
    let taken = client.fails("create_note", json!({"rel_path": "a/N.md", "content": ""})).await;
    assert_eq!((&taken["existing"], &taken["current_hash"]), (&json!("A/n.md"), &json!(hash("x\n"))));
    let secret = json!({"rel_path": "s.md", "content": "{{vidimus:secret:1}}"});
    assert_eq!(client.fails("create_note", secret).await["code"], "invalid_arguments");
}

#[tokio::test]
async fn a_note_gets_an_earlier_text_back() {
    let fixture = Fixture::new(&[("n.md", NOTE)]);
    let mut client = fixture.client(Writes::Allow).await;
    for text in ["one", "two"] {
        client.ok("patch_note_section", json!({"rel_path": "n.md", "heading": "A", "new_content": text})).await;
    }
    let history = client.ok("get_note_history", json!({"note": "n.md"})).await;
    let version = history["versions"][1]["version_id"].clone();
    let wish = json!({"rel_path": "n.md", "version_id": version, "expected_hash": history["content_hash"]});
    assert_eq!(client.ok("revert_note", wish.clone()).await["committed"], true);
    assert_eq!(fixture.read("n.md"), NOTE.replace("old", "one"));
    assert_eq!(client.fails("revert_note", wish).await["code"], "conflict");
    let unknown = json!({"rel_path": "n.md", "version_id": "x"});
    assert_eq!(client.fails("revert_note", unknown).await["code"], "not_found");
}

#[tokio::test]
async fn refusals_say_what_the_next_call_needs_and_change_nothing() {
    let fixture = Fixture::new(&[("n.md", NOTE)]);
    let mut client = fixture.client(Writes::Allow).await;
    let current = hash(NOTE);
    let stale = "00".repeat(32);
    for (tool, arguments, code, says) in [
        ("patch_note_section", json!({"heading": "A", "new_content": "```\nx"}), "structure_changed", "fence"),
        ("patch_note_section", json!({"heading": "A", "new_content": "%%x"}), "structure_changed", "comment"),
        ("patch_note_section", json!({"heading": "A", "new_content": "# X"}), "structure_changed", "X"),
        ("patch_note_section", json!({"heading": "Z", "new_content": ""}), "heading_not_found", "Z"),
        ("patch_note_section", json!({"heading": "Log", "new_content": ""}), "ambiguous_heading", "Log"),
        ("patch_note_section", json!({"heading": "Z", "new_content": "", "expected_hash": stale}), "conflict", "n.md"),
        ("patch_note_section", json!({"heading": "A"}), "invalid_arguments", "new_content"),
        ("patch_note_section", json!({"new_content": ""}), "invalid_arguments", "heading"),
        (
            "append_to_section",
            json!({"heading": "Log", "heading_occurrence": 1, "content": "x"}),
            "hash_required",
            "heading_occurrence",
        ),
        (
            "append_to_section",
            json!({"heading": "A", "content": "x", "position": "middle"}),
            "invalid_arguments",
            "start",
        ),
        (
            "append_to_section",
            json!({"heading": "A", "content": "{{vidimus:secret:1}}"}),
            "invalid_arguments",
            "secret",
        ),
        ("delete_note_section", json!({"heading": "A"}), "hash_required", "expected_hash"),
        ("delete_note_section", json!({"heading": "A", "expected_hash": stale}), "conflict", "n.md"),
        (
            "move_note_section",
            json!({"heading": "A", "destination_heading": "A1", "position": "after"}),
            "invalid_arguments",
            "A",
        ),
        (
            "move_note_section",
            json!({"heading": "A", "destination_heading": "Z", "position": "after"}),
            "heading_not_found",
            "Z",
        ),
        (
            "move_note_section",
            json!({"heading": "A", "destination_heading": "Log", "position": "after"}),
            "ambiguous_heading",
            "destination_occurrence",
        ),
        (
            "move_note_section",
            json!({"heading": "A", "destination_heading": "Log", "destination_occurrence": 1, "position": "after"}),
            "hash_required",
            "destination_occurrence",
        ),
        (
            "edit_note",
            json!({"edits": [{"find": "nope", "replace": ""}]}),
            "invalid_arguments",
            "edits[0].find occurs 0 times",
        ),
        ("edit_note", json!({"edits": [{"find": "", "replace": ""}]}), "invalid_arguments", "edits[0].find"),
        ("edit_note", json!({"edits": []}), "invalid_arguments", "edits"),
        ("edit_note", json!({"edits": [{"find": "old", "replace": "", "count": 1}]}), "invalid_arguments", "edits"),
        (
            "edit_note",
            json!({"edits": [{"find": "old", "replace": "", "expected_count": "1"}]}),
            "invalid_arguments",
            "edits",
        ),
        (
            "edit_note",
            json!({"edits": [{"find": "old", "replace": ""}, {"find": "ld", "replace": ""}]}),
            "invalid_arguments",
            "overlap",
        ),
        ("set_properties", json!({}), "invalid_arguments", "remove"),
        ("set_properties", json!({"set": {"": 1}}), "invalid_arguments", "name"),
        ("set_properties", json!({"set": {"a": 1}, "remove": ["a"]}), "invalid_arguments", "twice"),
    ] {
        let mut wish = json!({"rel_path": "n.md"});
        wish.as_object_mut().unwrap().extend(arguments.as_object().unwrap().clone());
        let error = client.fails(tool, wish).await;
        assert_eq!(error["code"], code, "{tool} {arguments}: {error}");
        assert!(error["message"].as_str().unwrap().contains(says), "{tool} {arguments}: {error}");
        if matches!(code, "structure_changed" | "conflict") {
            assert_eq!(error["current_hash"], current, "{error}");
        }
    }
    assert_eq!(fixture.read("n.md"), NOTE);
    let fence = client
        .fails("patch_note_section", json!({"rel_path": "n.md", "heading": "A", "new_content": "x\n```\n"}))
        .await;
    assert_eq!((&fence["line"], fence["reason"].is_string()), (&json!(2), true), "{fence}");
}

#[tokio::test]
async fn a_proposal_waits_with_its_kind() {
    let fixture = Fixture::new(&[("n.md", NOTE)]);
    let mut client = fixture.client(Writes::Review).await;
    let (on, current) = ("n.md", hash(NOTE));
    for (tool, arguments, kind) in [
        ("patch_note_section", json!({"heading": "B", "new_content": "x"}), "patch_section"),
        ("append_to_section", json!({"heading": "B", "content": "x"}), "append_to_section"),
        ("move_note_section", json!({"heading": "A", "destination_heading": "B", "position": "after"}), "move_section"),
        ("delete_note_section", json!({"heading": "B", "expected_hash": current}), "delete_section"),
        ("edit_note", json!({"edits": [{"find": "old", "replace": "x"}]}), "edit_note"),
        ("set_properties", json!({"set": {"a": [1, "b"]}}), "set_properties"),
        ("create_note", json!({"rel_path": "m.md", "content": "x\n"}), "create_note"),
    ] {
        let mut wish = json!({"rel_path": on});
        wish.as_object_mut().unwrap().extend(arguments.as_object().unwrap().clone());
        let proposed = client.ok(tool, wish).await;
        assert_eq!((&proposed["status"], proposed.get("renamed")), (&json!("proposed"), None), "{proposed}");
        assert!(proposed["diff"].as_str().unwrap().contains("@@"), "{proposed}");
        let asked = client.ok("get_operation", json!({"operation_id": proposed["operation_id"]})).await;
        assert_eq!((&asked["kind"], &asked["status"]), (&json!(kind), &json!("proposed")));
        assert_eq!(fixture.read("n.md"), NOTE);
        let id = proposed["operation_id"].as_str().unwrap().parse().unwrap();
        match kind {
            "create_note" => {
                let review = fixture.engine.review(id).unwrap();
                fixture.engine.decide(id, Decision::Approve { seen: PlanDigest(review.digest.unwrap()) }).unwrap();
                let done = client.ok("get_operation", json!({"operation_id": proposed["operation_id"]})).await;
                assert_eq!((&done["committed"], &done["content_hash"]), (&json!(true), &json!(hash("x\n"))));
            }
            _ => drop(client.ok("withdraw_operation", json!({"operation_id": proposed["operation_id"]})).await),
        }
    }
}

#[tokio::test]
async fn a_secret_stays_here_and_stays_where_it_is() {
    let key = "AKIAIOSFODNN7EXAMPLE";
    let fixture = Fixture::new(&[("n.md", &format!("## A\nkey: {key}\n\n## B\n"))]);
    let mut client = fixture.client(Writes::Allow).await;
    let wish = json!({"rel_path": "n.md", "heading": "A", "new_content": "the key: {{vidimus:secret:1}}"});
    let done = client.ok("patch_note_section", wish).await;
    assert!(!done.to_string().contains(key), "{done}");
    assert_eq!(fixture.read("n.md"), format!("## A\nthe key: {key}\n\n## B\n"));
    let missing = json!({"rel_path": "n.md", "edits": [{"find": "no {{vidimus:secret:1}}", "replace": ""}]});
    let missing = client.fails("edit_note", missing).await;
    assert!(!missing.to_string().contains(key) && missing.to_string().contains("{{vidimus:secret:1}}"), "{missing}");
    let out =
        json!({"rel_path": "n.md", "edits": [{"find": "{{vidimus:secret:1}}", "replace": "gone"}], "request_id": "r"});
    let done = client.ok("edit_note", out.clone()).await;
    assert!(!done.to_string().contains(key), "what goes away is shown: {done}");
    assert_eq!(fixture.read("n.md"), "## A\nthe key: gone\n\n## B\n");
    let again = client.ok("edit_note", out).await;
    assert!(again["replayed"] == true && !again.to_string().contains(key), "{again}");
    let history = client.ok("get_note_history", json!({"note": "n.md"})).await;
    let version = history["versions"][1]["version_id"].clone();
    let back = client.ok("revert_note", json!({"rel_path": "n.md", "version_id": version, "dry_run": true})).await;
    assert!(!back.to_string().contains(key), "what would come back is shown: {back}");
}

#[tokio::test]
async fn notes_are_listed_by_property() {
    let fixture = Fixture::new(&[("a.md", NOTE), ("b.md", "---\nstatus: [done, Draft]\n---\n"), ("c.md", "x\n")]);
    let mut client = fixture.client(Writes::Review).await;
    let mut paths = async |arguments: Value| {
        let list = client.ok("list_notes", arguments).await;
        let names: Vec<String> = list["notes"]
            .as_array()
            .unwrap()
            .iter()
            .map(|note| note["rel_path"].as_str().unwrap().to_owned())
            .collect();
        (names.join(" "), list["total"].clone(), list["next_offset"].clone())
    };
    assert_eq!(
        paths(json!({"properties": {"Status": "draft"}})).await,
        ("a.md b.md".to_owned(), json!(2), Value::Null)
    );
    assert_eq!(
        paths(json!({"properties": {"status": "draft"}, "limit": 1})).await,
        ("a.md".to_owned(), json!(2), json!(1))
    );
    assert_eq!(paths(json!({"limit": 1, "offset": 2})).await, ("c.md".to_owned(), json!(3), Value::Null));
    assert_eq!(paths(json!({"offset": 9})).await, (String::new(), json!(3), Value::Null));
}

#[tokio::test]
async fn a_call_that_could_not_be_written_leaves_nothing_behind() {
    let fixture = Fixture::new(&[("n.md", "x\n")]);
    let mut client = fixture.client(Writes::Allow).await;
    let wish = json!({"rel_path": "n.md/x.md", "content": "y\n", "request_id": "r"});
    let error = client.fails("create_note", wish).await;
    assert_eq!(error["code"], "path_not_allowed");
    assert!(!error.to_string().contains(fixture.root().to_str().unwrap()), "{error}");
    assert_eq!(client.ok("get_operation", json!({})).await["operations"], json!([]));
    let done = client.ok("create_note", json!({"rel_path": "y.md", "content": "y\n", "request_id": "r"})).await;
    assert_eq!((&done["committed"], &done["replayed"]), (&json!(true), &json!(false)));
}
