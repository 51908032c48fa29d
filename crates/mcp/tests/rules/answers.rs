//! What a success looks like.

use super::{LATER, NOTE, calls, vault};
use engine::Writes;
use serde_json::{Value, json};
use std::collections::BTreeSet;

#[tokio::test]
async fn every_tool_succeeds_as_its_schema_says() {
    let fixture = vault();
    let agent = fixture.agent(Writes::Allow).await;
    let mut called: BTreeSet<&str> = LATER.into();
    for (tool, arguments) in calls() {
        agent.ok(tool, arguments).await;
        called.insert(tool);
    }
    assert_eq!(called, agent.tools().map(|(name, _)| name).collect(), "a tool is not called here");
    assert_eq!(fixture.read("n.md"), NOTE);
}

#[tokio::test]
async fn what_does_not_apply_is_absent_and_not_null() {
    fn nulls(value: &Value, at: &str, found: &mut Vec<String>) {
        match value {
            Value::Null => found.push(at.to_owned()),
            Value::Array(items) => items.iter().for_each(|item| nulls(item, at, found)),
            // What a person wrote there may be null.
            Value::Object(object) => object
                .iter()
                .filter(|(name, _)| *name != "frontmatter")
                .for_each(|(name, value)| nulls(value, &format!("{at}.{name}"), found)),
            _ => {}
        }
    }
    const NULLABLE: [&str; 3] = [".next_offset", ".prev_chunk_id", ".next_chunk_id"];
    let fixture = vault();
    let agent = fixture.agent(Writes::Allow).await;
    let map = agent.ok("get_note", json!({"id_or_path": "n.md", "format": "map"})).await;
    let mut all = calls();
    all.push(("get_note", json!({"id_or_path": map["headings"][0]["chunk_id"]})));
    for (tool, arguments) in all {
        let mut found = Vec::new();
        nulls(&agent.ok(tool, arguments).await, "", &mut found);
        found.retain(|at| !NULLABLE.contains(&at.as_str()));
        assert!(found.is_empty(), "{tool}: {found:?}");
    }
}
