//! What holds for every tool: arguments, answers, errors, marks, secrets and limits.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

#[path = "../harness/mod.rs"]
mod harness;

mod answers;
mod arguments;
mod failures;
mod fuzzed;
mod get_note;
mod limits;
mod secrets;
mod selectors;
mod text;

use harness::Fixture;
use serde_json::{Map, Value, json};

const NOTE: &str = "---\nkind: plan\n---\n# T\n\n## A\nold [[l]]\n\n### A1\nx\n\n## B\nb\n";

fn hash(text: &str) -> String {
    blake3::hash(text.as_bytes()).to_hex().to_string()
}

const FILES: [(&str, &str); 3] = [("n.md", NOTE), ("l.md", "# L\n[[n#A]] [[n#B]]\n"), ("sub/o.md", "# O\nold\n")];

fn vault() -> Fixture {
    Fixture::new(&FILES)
}

/// A call of each tool that succeeds in `vault`; nothing is written.
fn calls() -> Vec<(&'static str, Value)> {
    let dry = |mut wish: Value| {
        wish["rel_path"] = json!("n.md");
        wish["dry_run"] = json!(true);
        wish["expected_hash"] = json!(hash(NOTE));
        wish
    };
    vec![
        ("append_to_section", dry(json!({"heading": "A", "content": "new"}))),
        ("create_note", json!({"rel_path": "new.md", "content": "x", "dry_run": true})),
        ("delete_note", dry(json!({}))),
        ("delete_note_section", dry(json!({"heading": "A"}))),
        ("edit_note", dry(json!({"edits": [{"find": "old", "replace": "new"}]}))),
        ("get_backlinks", json!({"target": "n.md"})),
        ("get_note", json!({"id_or_path": "n.md"})),
        ("get_note", json!({"id_or_path": "n.md", "format": "map"})),
        ("get_note", json!({"id_or_path": "n.md", "format": "metadata"})),
        (
            "get_note",
            json!({"id_or_path": "n.md", "heading_path": ["T", "A"], "resolve_links": true, "include_content": true}),
        ),
        ("get_note_history", json!({"note": "n.md"})),
        ("get_operation", json!({})),
        ("list_notes", json!({})),
        ("move_note", dry(json!({"new_rel_path": "moved.md"}))),
        ("move_note_section", dry(json!({"heading": "A", "destination_heading": "B", "position": "after"}))),
        ("patch_note_section", dry(json!({"heading": "A", "new_content": "new"}))),
        ("rename_note_section", dry(json!({"heading": "A", "new_heading": "C"}))),
        ("search_text", json!({"query": "old"})),
        ("set_properties", dry(json!({"set": {"kind": "log"}}))),
    ]
}

/// These need an earlier write, and are called in other tests.
const LATER: [&str; 2] = ["revert_note", "withdraw_operation"];

fn properties(tool: &Value) -> &Map<String, Value> {
    tool["inputSchema"]["properties"].as_object().unwrap()
}
