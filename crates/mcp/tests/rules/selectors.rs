//! What is handed out to name a section by names it when it is sent back.

use super::harness::Fixture;
use super::harness::agent::Agent;
use super::hash;
use engine::Writes;
use mcp::DoorSettings;
use serde_json::{Value, json};

/// A note with titles of these lengths, some of them equal or alike, some below others.
fn note(lengths: &[usize]) -> String {
    let mut text = "# Top\n\n".to_owned();
    for n in lengths {
        let title = "long ".repeat(n / 5 + 1)[..*n].trim().to_owned() + "x";
        text += &format!("## {title}\ntext {n}\n\n### {title} child\nx\n\n#### Deep {n}\ny\n\n### Same\nz\n\n");
        // Alike up to their ends, and equal ones.
        text += &format!("## {title} a\n\n## {title} b\n\n## {title}\n\n### Same\n\n");
    }
    let long = lengths.last().unwrap();
    text += &format!("two {}\nlines {}\n---\n\n", "é".repeat(long / 4), "👩\u{200d}👩\u{200d}👧".repeat(long / 4));
    text += &format!("## {} sk-ant-api03-{} {}\n\n## Last\n", "s ".repeat(60), "Ab1".repeat(31), "t ".repeat(long / 2));
    text
}

/// Reads the whole map.
async fn map(agent: &Agent) -> Vec<Value> {
    let (mut headings, mut offset) = (Vec::new(), json!(0));
    while !offset.is_null() {
        let page = agent.ok("get_note", json!({"id_or_path": "n.md", "format": "map", "offset": offset})).await;
        headings.extend(page["headings"].as_array().unwrap().clone());
        offset = page["next_offset"].clone();
    }
    headings
}

#[tokio::test]
async fn a_title_of_any_length_can_be_sent_back() {
    for (limit, lengths) in [(4096, &[1, 127, 128, 500][..]), (131_072, &[4095, 10_001])] {
        let text = note(lengths);
        let fixture = Fixture::new(&[("n.md", &text)]);
        let settings = DoorSettings { max_response_chars: limit, ..DoorSettings::default() };
        let agent = fixture.agent_with(Writes::Review, settings).await;
        let headings = map(&agent).await;
        assert_eq!(headings.len(), 1 + lengths.len() * 8 + 3);
        for heading in &headings {
            let line = &heading["line"];
            let about = format!("line {line}, limit {limit}: {:.300}", heading["select"].to_string());
            let by_path = |tool_path: &Value| json!({"id_or_path": "n.md", "heading_path": tool_path, "heading_occurrence": heading["heading_occurrence"], "limit": 1});
            let read = agent.ok("get_note", by_path(&heading["heading_path"])).await;
            assert_eq!(&read["section"]["line_start"], line, "{about}");
            let again = agent.ok("get_note", by_path(&read["section"]["heading_path"])).await;
            assert_eq!(&again["section"]["line_start"], line, "{about}");
            let chunk = agent.ok("get_note", json!({"id_or_path": heading["chunk_id"]})).await;
            let third = agent.ok("get_note", by_path(&chunk["heading_path"])).await;
            assert_eq!(&third["section"]["line_start"], line, "{about}");
            if heading["level"] == 1 {
                continue;
            }
            let with = |wish: &Value| {
                let mut wish = wish.clone();
                let more =
                    json!({"rel_path": "n.md", "new_heading": "New", "dry_run": true, "expected_hash": hash(&text)});
                wish.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
                wish
            };
            let path =
                json!({"heading_path": heading["heading_path"], "heading_occurrence": heading["heading_occurrence"]});
            for wish in [&heading["select"], &path] {
                let planned = agent.ok("rename_note_section", with(wish)).await;
                assert_eq!(&planned["renamed"]["line"], line, "{about}");
            }
            let mut wish = with(&json!({"heading": "Last", "position": "before"}));
            wish.as_object_mut().unwrap().remove("new_heading");
            for (to, from) in [("heading", "heading"), ("level", "heading_level"), ("occurrence", "heading_occurrence")]
            {
                if let Some(value) = heading["select"].get(from).filter(|_| heading["text"] != "Last") {
                    wish[format!("destination_{to}")] = value.clone();
                }
            }
            if heading["text"] != "Last" {
                let (_, moved) = agent.call("move_note_section", wish).await;
                assert!(moved["code"].is_null() || moved["code"] == "structure_changed", "{about}: {moved:.300}");
            }
        }
    }
}

#[tokio::test]
async fn a_candidate_can_be_sent_back_whatever_its_length() {
    let text = note(&[100, 511, 512, 2000]);
    let fixture = Fixture::new(&[("n.md", &text)]);
    let settings = DoorSettings { max_response_chars: 16_384, ..DoorSettings::default() };
    let agent = fixture.agent_with(Writes::Review, settings).await;
    let mut n = 0;
    for heading in map(&agent).await.iter().filter(|heading| heading["level"] == 2) {
        let mut wish = json!({"rel_path": "n.md", "heading": heading["select"]["heading"], "new_heading": "New"});
        wish["heading_level"] = json!(3);
        let (is_error, refused) = agent.call("rename_note_section", wish.clone()).await;
        assert!(is_error && refused["code"] == "heading_not_found", "{refused:.500}");
        for suggestion in refused["suggestions"].as_array().unwrap() {
            for name in ["heading", "heading_level", "heading_occurrence"] {
                wish[name] = suggestion[name].clone();
            }
            wish["expected_hash"] = json!(hash(&text));
            wish["dry_run"] = json!(true);
            let planned = agent.ok("rename_note_section", wish.clone()).await;
            assert_eq!(planned["renamed"]["line"], suggestion["line"]);
            n += 1;
        }
    }
    assert!(n > 20, "{n}");
}

#[tokio::test]
async fn what_stands_for_a_title_holds_for_the_text_it_was_read_from() {
    let long = "long ".repeat(2000);
    let text = format!("# Top\n\n## {long}\na\n\n## B\nb\n");
    let fixture = Fixture::new(&[("n.md", &text)]);
    let agent = fixture.agent(Writes::Allow).await;
    let select = map(&agent).await[1]["select"].clone();
    let with = |select: &Value, more: Value| {
        let mut wish = select.clone();
        wish.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        wish["rel_path"] = json!("n.md");
        wish
    };
    let first = with(&select, json!({"content": "more", "request_id": "r"}));
    let done = agent.ok("append_to_section", first.clone()).await;
    assert_eq!(fixture.read("n.md"), text.replace("\na\n", "\na\n\nmore\n"));
    // A retry is the first call; anything else is another text.
    assert_eq!(agent.ok("append_to_section", first).await["replayed"], true);
    let stale = with(&select, json!({"content": "again"}));
    let refused = agent.refused("append_to_section", stale, "stale_chunk").await;
    assert_eq!(refused["current_hash"], done["content_hash"]);
    let fresh = json!({"heading_path": refused["heading_path"], "content": "again"});
    agent.ok("append_to_section", with(&fresh, json!({}))).await;
    let stale = with(&select, json!({"content": "x", "expected_hash": hash(&text)}));
    agent.refused("append_to_section", stale, "conflict").await;
}
