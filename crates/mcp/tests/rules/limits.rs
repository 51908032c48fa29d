//! How long an answer may be.

use super::harness::Fixture;
use super::harness::agent::Agent;
use engine::Writes;
use mcp::DoorSettings;
use serde_json::{Map, Value, json};

/// A vault in which everything is large.
fn large() -> Fixture {
    let long = "long ".repeat(120);
    let links: String = (0..400).map(|n| format!("[[missing note number {n}]] [[note {n}#{long}]] ")).collect();
    let same = "## Same\n\n".repeat(600);
    let tags: Vec<String> = (0..2000).map(|n| format!("tag-number-{n}")).collect();
    let big = format!(
        "---\ntags: [{}]\nlong: \"{}\"\n---\n# Big {long}\n{links}\n\n## {long}\ntext\n\n{same}# {}\n### {long}\n",
        tags.join(", "),
        "\\\"q\\\" ".repeat(3000),
        "very ".repeat(4000),
    );
    let notes: Vec<(String, String)> = (0..220)
        .map(|n| {
            (
                format!("folder {}/note {n}.md", n % 40),
                format!("---\naliases: [Alias]\n---\n# Title\n[[big#{}]]\n", long.trim()),
            )
        })
        .collect();
    let mut files: Vec<(&str, &str)> = notes.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    files.push(("big.md", &big));
    Fixture::new(&files)
}

#[tokio::test]
async fn a_limit_below_the_smallest_is_the_smallest() {
    let fixture = Fixture::new(&[("n.md", &"words of a note\n".repeat(1000))]);
    let settings = DoorSettings { max_response_chars: 10, ..DoorSettings::default() };
    let read = fixture.agent_with(Writes::Review, settings).await.read("n.md").await;
    let n = read.to_string().chars().count();
    assert!((3500..=4096).contains(&n), "{n}");
}

#[tokio::test]
async fn no_answer_is_longer_than_its_limit() {
    let fixture = large();
    for limit in [4096, 16_384] {
        let settings = DoorSettings { max_response_chars: limit, ..DoorSettings::default() };
        let agent: Agent = fixture.agent_with(Writes::Review, settings).await;
        let big = |more: Value| {
            let mut arguments = json!({"id_or_path": "big.md", "limit": 1_000_000});
            arguments.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            arguments
        };
        let map = agent.ok("get_note", big(json!({"format": "map", "offset": 1}))).await;
        let long = map["headings"][0]["select"]["heading"].clone();
        let title = "long ".repeat(120);
        let unknown: Map<String, Value> = (0..500).map(|n| (format!("unknown argument {n}"), json!(n))).collect();
        let rename = json!({"rel_path": "big.md", "heading": title.trim(), "heading_level": 2, "new_heading": format!("new {title}")});
        for (tool, arguments, is_error) in [
            ("get_note", big(json!({})), false),
            ("get_note", big(json!({"resolve_links": true})), false),
            ("get_note", big(json!({"resolve_links": true, "include_content": true})), false),
            ("get_note", big(json!({"format": "map"})), false),
            ("get_note", big(json!({"format": "map", "offset": 600})), false),
            ("get_note", big(json!({"format": "metadata"})), false),
            ("get_note", json!({"id_or_path": map["headings"][0]["chunk_id"]}), false),
            ("get_note", big(json!({"section": "Same"})), false),
            ("get_note", json!({"title": "Title"}), true),
            ("get_note", json!({"title": "Alias"}), true),
            ("get_note", json!({"id_or_path": "x/".repeat(2000)}), true),
            ("get_note", big(json!({"heading_path": ["Same"]})), true),
            ("get_note", big(json!({"section": "nothing like it"})), true),
            ("get_note", Value::Object(unknown), true),
            ("rename_note_section", json!({"rel_path": "big.md", "heading": "Same", "new_heading": "x"}), true),
            ("rename_note_section", rename.clone(), false),
            ("get_operation", json!({}), false),
            ("list_notes", json!({"limit": 200}), false),
            ("search_text", json!({"query": "long", "limit": 100}), false),
            ("get_backlinks", json!({"target": "big.md", "limit": 200}), false),
            ("get_note_history", json!({"note": "big.md"}), false),
            (
                "delete_note_section",
                json!({"rel_path": "big.md", "heading": title.trim(), "heading_level": 2, "expected_hash": map["content_hash"], "dry_run": true}),
                false,
            ),
        ] {
            let (failed, answer) = agent.call(tool, arguments.clone()).await;
            let n = answer.to_string().chars().count();
            let shown: String = arguments.to_string().chars().take(200).collect();
            assert!(n <= limit, "{tool} {shown}: {n} > {limit}: {:.600}", answer.to_string());
            assert_eq!(failed, is_error, "{tool} {shown}: {:.600}", answer.to_string());
        }
        let proposed = agent.ok("rename_note_section", rename).await;
        assert_eq!(proposed["renamed"]["notes_touched"], 221, "{:.800}", proposed.to_string());
        assert_eq!((&proposed["files_truncated"], &proposed["diff_truncated"]), (&json!(true), &json!(true)));
        let operation = agent.ok("get_operation", json!({"operation_id": proposed["operation_id"]})).await;
        assert!(operation.to_string().chars().count() <= limit);
        assert!(long.is_string());
    }
}

#[tokio::test]
async fn titles_that_grow_when_written_as_json_do_not_break_the_limit() {
    for mark in ["\"", "\u{1}", "\\\\", "é", "\u{301}"] {
        let title = mark.repeat(600);
        let text: String = (1..=6).map(|level| format!("{} a{title}{level}\n\nword\n\n", "#".repeat(level))).collect();
        let property = serde_json::to_string(&format!("b{title}")).unwrap();
        let fixture = Fixture::new(&[("n.md", &format!("---\ntitle: {property}\n---\n{text}")), ("l.md", "[[n]]\n")]);
        let settings = DoorSettings { max_response_chars: 4096, ..DoorSettings::default() };
        let agent = fixture.agent_with(Writes::Review, settings).await;
        let mut calls = vec![
            ("get_note", json!({"id_or_path": "n.md"})),
            ("get_note", json!({"id_or_path": "n.md", "section": "nothing"})),
            ("list_notes", json!({})),
            ("search_text", json!({"query": "word"})),
            ("get_backlinks", json!({"target": "n.md"})),
            ("get_note", json!({"id_or_path": "l.md", "resolve_links": true, "include_content": true})),
            ("rename_note_section", json!({"rel_path": "n.md", "heading": "none", "new_heading": "x"})),
        ];
        for offset in 0..6 {
            let page = json!({"id_or_path": "n.md", "format": "map", "offset": offset});
            let heading = agent.ok("get_note", page.clone()).await["headings"][0].clone();
            calls.push(("get_note", page));
            calls.push(("get_note", json!({"id_or_path": heading["chunk_id"]})));
            calls.push(("get_note", json!({"id_or_path": "n.md", "heading_path": heading["heading_path"]})));
            let mut wish = json!({"rel_path": "n.md", "new_heading": "x", "dry_run": true});
            wish.as_object_mut().unwrap().extend(heading["select"].as_object().unwrap().clone());
            calls.push(("rename_note_section", wish));
        }
        for (tool, arguments) in calls {
            let (_, answer) = agent.call(tool, arguments.clone()).await;
            let n = answer.to_string().chars().count();
            assert!(n <= 4096, "{mark:?} {tool} {:.200}: {n}: {:.600}", arguments.to_string(), answer.to_string());
        }
    }
}

#[tokio::test]
async fn an_error_that_quotes_much_keeps_the_limit() {
    let fixture = Fixture::new(&[("n.md", "# T\n\n## A\na\n")]);
    let settings = DoorSettings { max_response_chars: 4096, ..DoorSettings::default() };
    let agent = fixture.agent_with(Writes::Review, settings).await;
    for part in ["# ", "x", "\"", "\\", "é"] {
        let content = format!("# A {}", part.repeat(9_000));
        let wish = json!({"rel_path": "n.md", "heading": "A", "content": content});
        let refused = agent.refused("append_to_section", wish, "structure_changed").await;
        assert!(refused.to_string().chars().count() <= 4096, "{refused}");
        assert!(
            refused["reason"].as_str().is_some_and(|reason| reason.contains("is a heading of level 1")),
            "{refused}"
        );
    }
}
