//! Moving and deleting notes, as a client sees it.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod harness;

use engine::{Decision, PlanDigest, Writes};
use harness::Fixture;
use harness::agent::Agent;
use serde_json::{Value, json};

const NOTE: &str = "# Plan\nsee [[other]] and [x](../other.md)\n";

fn hash(text: &str) -> String {
    blake3::hash(text.as_bytes()).to_hex().to_string()
}

async fn vault(writes: Writes) -> (Fixture, Agent) {
    let fixture = Fixture::of_bytes(&[
        ("area/plan.md", NOTE.as_bytes()),
        ("other.md", b"[[plan]] [[area/plan#Plan|p]]\n"),
        ("taken.md", b"x\n"),
        ("bytes.md", b"\xff\n"),
    ]);
    let agent = fixture.agent(writes).await;
    (fixture, agent)
}

fn wish(more: Value) -> Value {
    let mut wish = json!({"rel_path": "area/plan.md", "expected_hash": hash(NOTE)});
    wish.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    wish
}

#[tokio::test]
async fn a_note_moves_and_its_links_follow() {
    let (fixture, agent) = vault(Writes::Allow).await;
    let id = agent.read("area/plan.md").await["id"].clone();
    let arguments = wish(json!({"new_rel_path": "done/old plan", "request_id": "r"}));
    let mut dry = arguments.clone();
    dry["dry_run"] = json!(true);
    let planned = agent.ok("move_note", dry).await;
    assert_eq!(
        (&planned["status"], &planned["rel_path"], &planned["new_rel_path"], &planned["content_hash"]),
        (&json!("planned"), &json!("area/plan.md"), &json!("done/old plan.md"), &json!(hash(NOTE)))
    );
    assert_eq!(
        planned["files"],
        json!([
            {"rel_path": "area/plan.md", "kind": "move", "links_changed": 0},
            {"rel_path": "done/old plan.md", "kind": "move", "links_changed": 0},
            {"rel_path": "other.md", "kind": "links", "links_changed": 2},
        ])
    );
    assert_eq!(fixture.read("area/plan.md"), NOTE);

    let done = agent.ok("move_note", arguments.clone()).await;
    assert_eq!((&done["committed"], &done["new_rel_path"]), (&json!(true), &json!("done/old plan.md")));
    let now = fixture.read("done/old plan.md");
    assert_eq!(done["content_hash"], hash(&now));
    assert!(!fixture.root().join("area/plan.md").exists());
    let other = fixture.read("other.md");
    assert!(other.contains("old plan]]") && other.contains("#Plan|p]]") && !other.contains("area/"), "{other}");
    assert_eq!(agent.ok("get_note", json!({"id": id})).await["rel_path"], "done/old plan.md");
    let again = agent.ok("move_note", arguments.clone()).await;
    assert_eq!((&again["replayed"], &again["operation_id"]), (&json!(true), &done["operation_id"]));
    assert_eq!((&again["new_rel_path"], &again["content_hash"]), (&done["new_rel_path"], &done["content_hash"]));
    let operation = agent.ok("get_operation", json!({"request_id": "r"})).await;
    assert_eq!(
        (&operation["new_rel_path"], &operation["content_hash"]),
        (&done["new_rel_path"], &done["content_hash"])
    );
    let mut another = arguments;
    another["new_rel_path"] = json!("elsewhere.md");
    agent.refused("move_note", another, "request_id_reused").await;
}

#[tokio::test]
async fn a_change_of_case_alone_is_a_move() {
    let (fixture, agent) = vault(Writes::Allow).await;
    let done = agent.ok("move_note", wish(json!({"new_rel_path": "area/Plan.md"}))).await;
    assert_eq!((&done["committed"], &done["content_hash"]), (&json!(true), &json!(hash(NOTE))));
    assert_eq!(fixture.read("area/Plan.md"), NOTE);
}

#[tokio::test]
async fn a_note_goes_away_and_links_to_it_are_told_of() {
    for trash in [None, Some("local")] {
        let (fixture, agent) = vault(Writes::Allow).await;
        if let Some(option) = trash {
            std::fs::create_dir_all(fixture.root().join(".obsidian")).unwrap();
            fixture.write(".obsidian/app.json", &format!("{{\"trashOption\": \"{option}\"}}"));
        }
        let arguments = wish(json!({"request_id": "r"}));
        let done = agent.ok("delete_note", arguments.clone()).await;
        assert_eq!((&done["committed"], done.get("content_hash")), (&json!(true), None), "{done}");
        assert_eq!((done.get("new_rel_path"), &done["rel_path"]), (None, &json!("area/plan.md")));
        assert!(done["warnings"].to_string().contains("2 links"), "{}", done["warnings"]);
        assert!(!fixture.root().join("area/plan.md").exists());
        let kept = fixture.root().join(".trash/area/plan.md");
        assert_eq!(std::fs::read_to_string(kept).ok().as_deref(), trash.map(|_| NOTE));
        assert_eq!(agent.ok("delete_note", arguments).await["replayed"], true);
        agent.refused("get_note", json!({"id_or_path": "area/plan.md"}), "not_found").await;
        agent.refused("delete_note", wish(json!({"request_id": "s"})), "not_found").await;
    }
}

#[tokio::test]
async fn both_wait_for_a_person() {
    for (tool, more) in [("move_note", json!({"new_rel_path": "b.md"})), ("delete_note", json!({}))] {
        let (fixture, agent) = vault(Writes::Review).await;
        let proposed = agent.ok(tool, wish(more)).await;
        assert_eq!(
            (&proposed["status"], &proposed["content_hash"]),
            (&json!("proposed"), &json!(hash(NOTE))),
            "{tool}"
        );
        assert_eq!(fixture.read("area/plan.md"), NOTE);
        let id = proposed["operation_id"].as_str().unwrap().parse().unwrap();
        let digest = fixture.engine.review(id).unwrap().digest.unwrap();
        fixture.engine.decide(id, Decision::Approve { seen: PlanDigest(digest) }).unwrap();
        let operation = agent.ok("get_operation", json!({"operation_id": proposed["operation_id"]})).await;
        assert_eq!((&operation["status"], &operation["kind"]), (&json!("committed"), &json!(tool)));
        assert!(!fixture.root().join("area/plan.md").exists());
    }
}

#[tokio::test]
async fn what_cannot_go_there_is_refused_and_nothing_moves() {
    let (fixture, agent) = vault(Writes::Allow).await;
    for (to, code) in [
        ("taken.md", "conflict"),
        ("TAKEN", "conflict"),
        ("area/plan.md", "invalid_arguments"),
        ("area/plan", "invalid_arguments"),
        ("../plan.md", "path_outside_vault"),
        ("/plan.md", "path_outside_vault"),
        (".obsidian/plan.md", "path_not_allowed"),
        ("plan.txt", "not_a_note"),
        ("a: b.md", "invalid_arguments"),
        ("con.md", "invalid_arguments"),
        ("", "invalid_arguments"),
    ] {
        let error = agent.refused("move_note", wish(json!({"new_rel_path": to})), code).await;
        assert!(code != "conflict" || (error["existing"] == "taken.md" && error["retryable"] == false), "{error}");
        assert!(code != "invalid_arguments" || error["arguments"][0]["name"] == "new_rel_path", "{error}");
    }
    for (tool, arguments, code) in [
        ("move_note", json!({"rel_path": "bytes.md", "new_rel_path": "b.md"}), "not_utf8"),
        ("delete_note", json!({"rel_path": "bytes.md"}), "not_utf8"),
        ("move_note", wish(json!({"expected_hash": "00".repeat(32), "new_rel_path": "b.md"})), "conflict"),
        ("delete_note", wish(json!({"expected_hash": "00".repeat(32)})), "conflict"),
        ("delete_note", json!({"rel_path": "none.md"}), "not_found"),
        ("delete_note", json!({}), "invalid_arguments"),
        ("move_note", json!({"rel_path": "area/plan.md"}), "invalid_arguments"),
    ] {
        agent.refused(tool, arguments, code).await;
    }
    assert_eq!(fixture.read("area/plan.md"), NOTE);
}

#[tokio::test]
async fn a_name_from_another_tool_is_understood_as_what_was_meant() {
    let (_fixture, agent) = vault(Writes::Allow).await;
    for (tool, sent, meant) in [
        ("get_note", "rel_path", "id_or_path"),
        ("get_note", "target", "id_or_path"),
        ("get_backlinks", "rel_path", "target"),
        ("get_note_history", "id_or_path", "note"),
        ("get_note_history", "version_id", "version"),
        ("rename_note_section", "id_or_path", "rel_path"),
        ("rename_note_section", "section", "heading"),
        ("patch_note_section", "content", "new_content"),
        ("append_to_section", "new_content", "content"),
        ("move_note", "new_path", "new_rel_path"),
        ("revert_note", "version", "version_id"),
    ] {
        let error = agent.refused(tool, json!({ sent: "x" }), "invalid_arguments").await;
        let argument = error["arguments"].as_array().unwrap().iter().find(|argument| argument["name"] == sent).unwrap();
        assert_eq!(argument["nearest"], meant, "{tool}: {error}");
    }
}

#[tokio::test]
async fn a_path_where_no_note_can_be_is_refused_with_the_reason() {
    let (fixture, agent) = vault(Writes::Allow).await;
    let deep = format!("{}n.md", "folder/".repeat(580));
    let mut refusals = vec![
        ("taken.md/x.md", "path_not_allowed", "`taken.md` is in the way: it is a file, not a folder"),
        (deep.as_str(), "invalid_arguments", "longer than the system allows"),
    ];
    if cfg!(unix) {
        refusals.push((
            "broken.md",
            "path_not_allowed",
            "`broken.md` is in the way: it is a symbolic link that leads nowhere",
        ));
    }
    #[cfg(unix)]
    std::os::unix::fs::symlink("gone.md", fixture.root().join("broken.md")).unwrap();
    for (path, code, reason) in refusals {
        let made = agent.refused("create_note", json!({"rel_path": path, "content": "x"}), code).await;
        let moved = agent.refused("move_note", wish(json!({"new_rel_path": path})), code).await;
        for answer in [made, moved] {
            assert!(answer.to_string().contains(reason), "{answer}");
        }
    }
    assert_eq!(fixture.read("area/plan.md"), NOTE);
}

#[tokio::test]
async fn a_folder_that_is_there_is_used_in_whatever_case() {
    let (fixture, agent) = vault(Writes::Allow).await;
    let made = agent.ok("create_note", json!({"rel_path": "AREA/new.md", "content": "x"})).await;
    assert_eq!(made["rel_path"], "area/new.md");
    let moved = agent.ok("move_note", wish(json!({"new_rel_path": "Area/moved.md"}))).await;
    assert_eq!((&moved["rel_path"], &moved["new_rel_path"]), (&json!("area/plan.md"), &json!("area/moved.md")));
    assert!(moved["content_hash"].is_string());
    assert!(!fixture.root().join("AREA").exists() || cfg!(not(target_os = "linux")));
}

#[cfg(unix)]
#[tokio::test]
async fn a_note_does_not_go_by_the_name_of_a_link_to_it() {
    let (fixture, agent) = vault(Writes::Allow).await;
    let link = |to: &str, at: &str| std::os::unix::fs::symlink(to, fixture.root().join(at)).unwrap();
    link("area/plan.md", "alias.md");
    link("../alias.md", "area/far.md");
    link("area", "folder");
    fixture.engine.catch_up();
    // In other letters, and by an id of its own, if the link has one.
    let listed = agent.ok("list_notes", json!({})).await;
    let of_link = |note: &&serde_json::Value| note["rel_path"] == "alias.md" && note["id"].is_string();
    let id = listed["notes"].as_array().unwrap().iter().find(of_link).map(|note| json!({"id": note["id"]}));
    let by_path = ["alias.md", "alias", "ALIAS.md", "./alias.md", "area/far.md", "folder/far"];
    for name in by_path.into_iter().map(|path| json!({"rel_path": path})).chain(id) {
        for (tool, act) in [("move_note", "move"), ("delete_note", "delete")] {
            let mut wish = name.clone();
            wish["expected_hash"] = json!(hash(NOTE));
            if act == "move" {
                wish["new_rel_path"] = json!("alias2.md");
            }
            let refused = agent.refused(tool, wish, "invalid_arguments").await;
            assert_eq!(refused["rel_path"], "area/plan.md", "{refused}");
            assert!(refused["message"].as_str().unwrap().contains("is a symbolic link to the note `area/plan.md`"));
            assert!(refused["hint"].as_str().unwrap().contains(act), "{refused}");
        }
    }
    for name in ["area/plan.md", "alias.md", "area/far.md", "folder/plan.md"] {
        assert_eq!(fixture.read(name), NOTE);
    }
    for name in ["alias.md", "area/far.md", "folder"] {
        assert!(fixture.root().join(name).is_symlink(), "{name}");
    }
}

#[cfg(unix)]
#[tokio::test]
async fn a_note_in_a_linked_folder_goes_as_the_note_that_it_is() {
    for by in ["folder/plan.md", "area/plan.md"] {
        let (fixture, agent) = vault(Writes::Allow).await;
        std::os::unix::fs::symlink("area", fixture.root().join("folder")).unwrap();
        let wish = json!({"rel_path": by, "expected_hash": hash(NOTE), "new_rel_path": "folder/moved.md"});
        let moved = agent.ok("move_note", wish).await;
        assert_eq!((&moved["rel_path"], &moved["new_rel_path"]), (&json!("area/plan.md"), &json!("area/moved.md")));
        let gone = agent
            .ok("delete_note", json!({"rel_path": "folder/moved.md", "expected_hash": moved["content_hash"]}))
            .await;
        assert_eq!(gone["rel_path"], "area/moved.md");
        assert!(!fixture.root().join("area/moved.md").exists());
        assert!(fixture.root().join("folder").is_symlink());
    }
}
