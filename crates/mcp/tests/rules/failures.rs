//! What a failure looks like.

use super::NOTE;
use super::harness::Fixture;
use engine::Writes;
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// A tool, arguments, the code, whether the same wish can succeed, words of the message, and details.
type Failure = (&'static str, Value, &'static str, bool, &'static str, &'static [&'static str]);

/// Calls that fail, each with its code, whether the same wish can succeed, the words its message must hold, and the
/// details that the next call needs.
fn failures() -> Vec<Failure> {
    let rename = |more: Value| {
        let mut wish = json!({"rel_path": "n.md", "heading": "A", "new_heading": "C"});
        wish.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        wish
    };
    vec![
        ("get_note", json!({}), "invalid_arguments", false, "id_or_path", &["arguments"]),
        ("get_note", json!({"title": "Oxo"}), "not_found", false, "`Oxo`", &["suggestions"]),
        ("get_note", json!({"id_or_path": "no/such.md"}), "not_found", false, "`no/such.md`", &["suggestions"]),
        ("get_note", json!({"title": "twin"}), "ambiguous_title", false, "`twin`", &["candidates"]),
        ("get_note", json!({"id_or_path": "TWIN.md"}), "ambiguous_title", false, "`TWIN.md`", &["candidates"]),
        (
            "get_note",
            json!({"id_or_path": "d.md", "heading_path": ["D"]}),
            "ambiguous_heading",
            false,
            "`D`",
            &["candidates", "current_hash"],
        ),
        (
            "rename_note_section",
            rename(json!({"rel_path": "d.md", "heading": "D"})),
            "ambiguous_heading",
            false,
            "`D`",
            &["candidates", "current_hash"],
        ),
        (
            "get_note",
            json!({"id_or_path": "n.md", "section": "Aa"}),
            "heading_not_found",
            false,
            "`Aa`",
            &["suggestions", "current_hash"],
        ),
        (
            "rename_note_section",
            rename(json!({"heading": "T"})),
            "heading_level_1",
            false,
            "`T`",
            &["current_hash", "line"],
        ),
        (
            "rename_note_section",
            rename(json!({"new_heading": "B"})),
            "heading_collision",
            false,
            "`B`",
            &["collides_with", "current_hash"],
        ),
        (
            "rename_note_section",
            rename(json!({"new_heading": "# B"})),
            "invalid_heading",
            false,
            "`# B`",
            &["current_hash"],
        ),
        (
            "delete_note_section",
            json!({"rel_path": "n.md", "heading": "A"}),
            "hash_required",
            false,
            "expected_hash",
            &[],
        ),
        (
            "rename_note_section",
            rename(json!({"expected_hash": "00".repeat(32)})),
            "conflict",
            true,
            "`n.md`",
            &["current_hash"],
        ),
        (
            "get_note",
            json!({"id_or_path": "CHUNK"}),
            "stale_chunk",
            true,
            "`n.md`",
            &["current_hash", "heading_path", "chunk_id"],
        ),
        (
            "append_to_section",
            json!({"rel_path": "n.md", "heading": "A", "content": "```"}),
            "structure_changed",
            false,
            "fence",
            &["current_hash", "reason"],
        ),
        ("get_note", json!({"id_or_path": "../n.md"}), "path_outside_vault", false, "`../n.md`", &[]),
        ("get_note", json!({"id_or_path": "/etc/passwd"}), "path_outside_vault", false, "`/etc/passwd`", &[]),
        (
            "get_note",
            json!({"id_or_path": ".obsidian/app.json"}),
            "path_not_allowed",
            false,
            "`.obsidian/app.json`",
            &[],
        ),
        ("get_note", json!({"id_or_path": "data.txt"}), "not_a_note", false, "`data.txt`", &[]),
        ("rename_note_section", rename(json!({"rel_path": "bytes.md"})), "not_utf8", false, "`bytes.md`", &[]),
        ("get_note", json!({"id_or_path": "huge.md"}), "too_large", false, "`huge.md`", &[]),
        (
            "rename_note_section",
            rename(json!({"request_id": "used", "new_heading": "D"})),
            "request_id_reused",
            false,
            "`used`",
            &["current_hash", "request_id"],
        ),
        (
            "rename_note_section",
            rename(json!({"request_id": "declined"})),
            "declined",
            false,
            "`n.md`",
            &["operation_id", "comment"],
        ),
        ("search_text", json!({"query": "x", "folder": "subb"}), "not_found", false, "`subb`", &["suggestions"]),
        ("list_notes", json!({"folder": "subb"}), "not_found", false, "`subb`", &["suggestions"]),
        ("get_operation", json!({"operation_id": "none"}), "not_found", false, "`none`", &[]),
        ("withdraw_operation", json!({"operation_id": "none"}), "not_found", false, "`none`", &[]),
        ("revert_note", json!({"rel_path": "n.md", "version_id": "none"}), "not_found", false, "`none`", &[]),
        (
            "create_note",
            json!({"rel_path": "N.md", "content": ""}),
            "conflict",
            false,
            "`n.md`",
            &["existing", "current_hash"],
        ),
    ]
}

#[tokio::test]
async fn every_failure_has_its_code_and_what_the_next_call_needs() {
    let fixture = Fixture::of_bytes(&[
        ("n.md", NOTE.as_bytes()),
        ("d.md", b"# D\n\n# D\n"),
        ("oo1.md", b"x\n"),
        ("a/twin.md", b"x\n"),
        ("Twin.md", b"x\n"),
        ("twin.md", b"x\n"),
        ("data.txt", b"x"),
        ("bytes.md", b"## A\n\xff\n"),
        ("sub/o.md", b"# O\n"),
        (".obsidian/app.json", b"{}"),
    ]);
    std::fs::File::create(fixture.root().join("huge.md")).unwrap().set_len(300 << 20).unwrap();
    let agent = fixture.agent(Writes::Review).await;
    let wish = |id: &str| json!({"rel_path": "n.md", "heading": "A", "new_heading": "C", "request_id": id});
    agent.ok("rename_note_section", wish("used")).await;
    let declined = agent.ok("rename_note_section", wish("declined")).await;
    let id = declined["operation_id"].as_str().unwrap().parse().unwrap();
    fixture.engine.decide(id, engine::Decision::Decline { comment: Some("no".to_owned()) }).unwrap();
    let map = agent.ok("get_note", json!({"id_or_path": "n.md", "format": "map"})).await;
    let chunk = map["headings"][1]["chunk_id"].as_str().unwrap().replace('@', "@0000");
    let mut codes = BTreeSet::new();
    for (tool, mut arguments, code, retryable, words, details) in failures() {
        if arguments["id_or_path"] == "CHUNK" {
            arguments["id_or_path"] = json!(chunk);
        }
        let error = agent.refused(tool, arguments.clone(), code).await;
        assert_eq!(error["retryable"], retryable, "{tool} {arguments}: {error}");
        let message = error["message"].as_str().unwrap();
        assert!(message.contains(words), "{tool} {arguments}: {message}");
        assert!(!message.ends_with('.') && message.chars().next().is_some_and(|c| !c.is_uppercase()), "{message}");
        for detail in details {
            assert!(error.get(*detail).is_some(), "{tool} {arguments}: no {detail} in {error}");
        }
        let said = error.to_string();
        let root = fixture.root();
        for leak in [root.to_str().unwrap(), ".rs:", "panicked", "backtrace"] {
            assert!(!said.contains(leak), "{tool} {arguments}: {said}");
        }
        codes.insert(code);
    }
    let reader = fixture.agent(Writes::Off).await;
    reader.refused("rename_note_section", wish("off"), "writes_off").await;
    codes.insert("writes_off");
    fixture.engine.close();
    let error = agent.refused("rename_note_section", wish("closed"), "vault_busy").await;
    assert_eq!(error["retryable"], true, "{error}");
    codes.insert("vault_busy");
    assert_eq!(codes.len(), 21, "all codes but internal: {codes:?}");
    assert_eq!(fixture.read("n.md"), NOTE);
}
