//! `get_note` as a Datacron client calls it.

use super::harness::agent::Agent;
use super::harness::{Fixture, unwrapped};
use super::hash;
use engine::Writes;
use mcp::DoorSettings;
use serde_json::{Value, json};

const NOTE: &str = "---\ntags: [garden, plan]\naliases: [Beds]\ncreated: 2020-02-03\nupdated: 2021-04-05\nrank: 2\n---\n\
# Garden\nabout\n\n## *Spring* jobs [[tools]]\nsow\n\n### Peas\nearly\n\n## Log\nfirst\n\n## Log\nsecond\n\n### Peas\nlate\n";
const KEY: &str = "AKIAIOSFODNN7EXAMPLE";

fn body() -> &'static str {
    &NOTE[NOTE.find("# Garden").unwrap()..]
}

async fn garden() -> (Fixture, Agent) {
    let fixture = Fixture::new(&[("plots/garden.md", NOTE), ("tools.md", "# Tools\n")]);
    let agent = fixture.agent(Writes::Review).await;
    (fixture, agent)
}

/// Every argument, with nulls where the schema's default is null.
fn all(id_or_path: &Value, more: Value) -> Value {
    let mut arguments = json!({"id_or_path": id_or_path, "format": "full", "offset": null, "limit": null, "heading_path": null, "heading_occurrence": null});
    arguments.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    arguments
}

#[tokio::test]
async fn a_note_is_named_by_id_path_or_chunk_id() {
    let (_fixture, agent) = garden().await;
    let map = agent.ok("get_note", json!({"id_or_path": "plots/garden.md", "format": "map"})).await;
    let (id, chunk) = (map["id"].clone(), map["headings"][2]["chunk_id"].clone());
    for (name, format) in [
        (json!("plots/garden.md"), "full"),
        (json!("plots/garden"), "full"),
        (json!("./plots/garden.md"), "full"),
        (json!("PLOTS/Garden.md"), "full"),
        (id.clone(), "full"),
        (json!(id.as_str().unwrap().to_lowercase()), "full"),
        (chunk.clone(), "chunk"),
    ] {
        let answer = agent.ok("get_note", all(&name, json!({}))).await;
        assert_eq!((&answer["format"], &answer["id"]), (&json!(format), &id), "{name}");
    }
    for (arguments, code) in [
        (json!({}), "invalid_arguments"),
        (json!({"id_or_path": null}), "invalid_arguments"),
        (json!({"id_or_path": "plots/none.md"}), "not_found"),
        (json!({"id_or_path": "plots"}), "not_found"),
        (json!({"id_or_path": ""}), "not_found"),
        (json!({"id_or_path": "plots/garden.md", "format": "whole"}), "invalid_arguments"),
        (json!({"id_or_path": "plots/garden.md", "format": "chunk"}), "invalid_arguments"),
    ] {
        agent.refused("get_note", arguments, code).await;
    }
}

/// The fields of the output schema, the formats that have them here, and their kinds; `?` is also null.
const FIELDS: &[(&str, &str, &str)] = &[
    ("format", "full map chunk metadata", "string"),
    ("rel_path", "full map chunk metadata", "string"),
    ("id", "full map chunk metadata", "string"),
    ("title", "full map chunk metadata", "string"),
    ("writable", "full map chunk metadata", "boolean"),
    ("source_vault", "full map chunk metadata", "string"),
    ("content_hash", "full map chunk metadata", "string"),
    ("note_content_hash", "full map chunk metadata", "string"),
    ("content_hash_contract", "full map chunk metadata", "string"),
    ("truncated", "full map chunk metadata", "boolean"),
    ("offset", "full map metadata", "number"),
    ("limit_applied", "full map metadata", "number"),
    ("next_offset", "full map metadata", "number?"),
    ("total", "map metadata", "number"),
    ("returned", "map metadata", "number"),
    ("total_chars", "full metadata", "number"),
    ("returned_chars", "full chunk metadata", "number"),
    ("returned_estimated_tokens", "full metadata", "number"),
    ("estimated_tokens", "full chunk", "number"),
    ("content", "full chunk", "string"),
    ("headings", "full map", "array"),
    ("tags", "full", "array"),
    ("aliases", "full", "array"),
    ("frontmatter", "full", "object"),
    ("created", "full", "string"),
    ("updated", "full", "string"),
    ("section", "section", "object"),
    ("metadata_truncated", "large", "boolean"),
    ("metadata_json", "metadata", "string"),
    ("note_id", "chunk", "string"),
    ("chunk_id", "chunk", "string"),
    ("chunk_count", "map chunk", "number"),
    ("header_path", "chunk", "string"),
    ("line_start", "chunk", "number"),
    ("line_end", "chunk", "number"),
    ("prev_chunk_id", "chunk", "string?"),
    ("next_chunk_id", "chunk", "string?"),
    ("chunk_content_hash", "chunk", "string"),
    ("source_mount", "", "string"),
];

#[tokio::test]
async fn every_field_is_where_the_table_says() {
    let large = format!("---\nlong: {}\n---\n# L\n", "word ".repeat(2000));
    let fixture = Fixture::new(&[("garden.md", NOTE), ("large.md", &large)]);
    let small = DoorSettings { max_response_chars: 8192, ..DoorSettings::default() };
    let agent = fixture.agent_with(Writes::Review, small).await;
    let map = agent.ok("get_note", json!({"id_or_path": "garden.md", "format": "map"})).await;
    let mut answers = vec![("map", map.clone())];
    for (format, arguments) in [
        ("full", json!({"id_or_path": "garden.md"})),
        ("section", json!({"id_or_path": "garden.md", "heading_path": ["Garden"]})),
        ("large", json!({"id_or_path": "large.md"})),
        ("metadata", json!({"id_or_path": "garden.md", "format": "metadata"})),
        ("chunk", json!({"id_or_path": map["headings"][0]["chunk_id"]})),
    ] {
        answers.push((format, agent.ok("get_note", arguments).await));
    }
    for (field, formats, kind) in FIELDS {
        for (format, answer) in &answers {
            let kept = match *format {
                "section" | "large" => formats.split(' ').any(|known| known == *format || known == "full"),
                _ => formats.split(' ').any(|known| known == *format),
            };
            let Some(value) = answer.get(*field) else {
                assert!(!kept, "{format} lacks {field}: {answer}");
                continue;
            };
            assert!(kept, "{format} has {field}: {answer}");
            let found = match value {
                Value::Null => "null",
                Value::Bool(_) => "boolean",
                Value::Number(number) if number.is_u64() => "number",
                Value::Number(_) => "fraction",
                Value::String(_) => "string",
                Value::Array(_) => "array",
                Value::Object(_) => "object",
            };
            assert!(
                found == kind.trim_end_matches('?') || (found == "null" && kind.ends_with('?')),
                "{field}: {value}"
            );
        }
    }
    let full = &answers[1].1;
    assert_eq!((&full["tags"], &full["aliases"]), (&json!(["garden", "plan"]), &json!(["Beds"])));
    assert_eq!((&full["created"], &full["updated"]), (&json!("2020-02-03"), &json!("2021-04-05")));
    assert_eq!((&full["frontmatter"]["rank"], &full["source_vault"]), (&json!(2), &json!("Test")));
    assert_eq!((&full["content_hash"], &full["note_content_hash"]), (&json!(hash(NOTE)), &json!(hash(NOTE))));
    let chars = body().chars().count();
    assert_eq!((&full["total_chars"], &full["estimated_tokens"]), (&json!(chars), &json!(chars / 4)));
}

#[tokio::test]
async fn the_body_comes_in_a_sandbox_and_in_pages() {
    let (_fixture, agent) = garden().await;
    let whole = agent.read("plots/garden.md").await;
    assert!(whole["content"].as_str().unwrap().contains("\n<vault_content path=\"plots/garden.md\" boundary=\""));
    assert_eq!((unwrapped(&whole["content"]).as_str(), &whole["next_offset"]), (body(), &Value::Null));
    for limit in [1, 7, 50, 10_000] {
        let pages = agent.pages(all(&json!("plots/garden.md"), json!({"limit": limit}))).await;
        let text: String = pages.iter().map(|page| unwrapped(&page["content"])).collect();
        assert_eq!(text, body(), "limit {limit}");
        for page in &pages {
            let n = unwrapped(&page["content"]).chars().count();
            assert_eq!((&page["returned_chars"], &page["limit_applied"]), (&json!(n), &json!(limit)));
            assert_eq!(page["returned_estimated_tokens"], n / 4);
        }
    }
}

#[tokio::test]
async fn a_note_that_changes_between_pages_has_another_hash() {
    let (fixture, agent) = garden().await;
    for (format, limit) in [("full", 10), ("map", 1), ("metadata", 10)] {
        let arguments = |offset: &Value| json!({"id_or_path": "plots/garden.md", "format": format, "limit": limit, "offset": offset});
        let first = agent.ok("get_note", arguments(&json!(0))).await;
        fixture.write("plots/garden.md", &format!("{NOTE}{format}\n"));
        let second = agent.ok("get_note", arguments(&first["next_offset"])).await;
        assert_ne!(second["content_hash"], first["content_hash"], "{format}");
        assert_eq!(second["content_hash"], hash(&format!("{NOTE}{format}\n")));
    }
}

#[tokio::test]
async fn the_map_pages_by_headings() {
    let (_fixture, agent) = garden().await;
    let whole = agent.ok("get_note", json!({"id_or_path": "plots/garden.md", "format": "map"})).await;
    let titles: Vec<&Value> = whole["headings"].as_array().unwrap().iter().map(|heading| &heading["text"]).collect();
    assert_eq!(titles, ["Garden", "Spring jobs [[tools]]", "Peas", "Log", "Log", "Peas"]);
    for limit in [1, 4, 6, 99] {
        let pages = agent.pages(json!({"id_or_path": "plots/garden.md", "format": "map", "limit": limit})).await;
        let all: Vec<Value> = pages.iter().flat_map(|page| page["headings"].as_array().unwrap().clone()).collect();
        assert_eq!(json!(all), whole["headings"], "limit {limit}");
        for page in &pages {
            assert_eq!((&page["total"], &page["limit_applied"]), (&json!(6), &json!(limit)));
            assert_eq!(page["returned"], page["headings"].as_array().unwrap().len());
        }
    }
}

#[tokio::test]
async fn metadata_pages_make_one_json_text() {
    let note =
        format!("---\ntitle: Keys\ntime: 14:30\nversion: 1.10\nkey: {KEY}\nlist: [a, {{b: \"q\\\"\"}}]\nnone:\n---\n");
    let fixture = Fixture::new(&[("keys.md", &note)]);
    let agent = fixture.agent(Writes::Review).await;
    for limit in [1, 10, 10_000] {
        let pages = agent.pages(json!({"id_or_path": "keys.md", "format": "metadata", "limit": limit})).await;
        let text: String = pages.iter().map(|page| page["metadata_json"].as_str().unwrap()).collect();
        let metadata: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(
            metadata["frontmatter"],
            json!({"title": "Keys", "time": "14:30", "version": "1.10", "key": "{{vidimus:secret:1}}", "list": ["a", {"b": "q\""}], "none": null})
        );
        for page in &pages {
            let n = page["metadata_json"].as_str().unwrap().chars().count();
            assert_eq!((&page["returned_chars"], &page["returned"]), (&json!(n), &json!(n)));
            assert_eq!(
                (&page["total_chars"], &page["total"]),
                (&json!(text.chars().count()), &json!(text.chars().count()))
            );
            assert_eq!(page["content_hash"], hash(&note));
        }
    }
}

#[tokio::test]
async fn large_properties_are_left_out_and_said_to_be() {
    let long = "word ".repeat(4000);
    let fixture = Fixture::new(&[("n.md", &format!("---\nlong: {}\n---\ntext\n", long.trim()))]);
    let agent =
        fixture.agent_with(Writes::Review, DoorSettings { max_response_chars: 4096, ..DoorSettings::default() }).await;
    let full = agent.read("n.md").await;
    assert_eq!((&full["metadata_truncated"], &full["frontmatter"]), (&json!(true), &json!({})));
    assert_eq!(unwrapped(&full["content"]), "text\n");
    let pages = agent.pages(json!({"id_or_path": "n.md", "format": "metadata"})).await;
    let text: String = pages.iter().map(|page| page["metadata_json"].as_str().unwrap()).collect();
    assert_eq!(serde_json::from_str::<Value>(&text).unwrap()["frontmatter"]["long"], long.trim());
}

#[tokio::test]
async fn every_answer_stays_under_the_limit() {
    let lines: String =
        (0..400).map(|n| format!("## A \"title\" \\ {n}\n\n{}\n\n", "words\tand \"more\" ".repeat(20))).collect();
    let fixture = Fixture::new(&[("big.md", &format!("---\nlong: {}\n---\n{lines}", "\"q\" ".repeat(3000)))]);
    for limit in [4096, 20_000] {
        let settings = DoorSettings { max_response_chars: limit, ..DoorSettings::default() };
        let agent = fixture.agent_with(Writes::Review, settings).await;
        let map = agent.pages(json!({"id_or_path": "big.md", "format": "map"})).await;
        let chunk = map[0]["headings"][3]["chunk_id"].clone();
        let mut answers = map;
        answers.extend(agent.pages(json!({"id_or_path": "big.md", "limit": 100_000})).await);
        answers.extend(agent.pages(json!({"id_or_path": "big.md", "format": "metadata", "limit": 100_000})).await);
        answers.push(agent.ok("get_note", json!({"id_or_path": chunk})).await);
        for answer in answers {
            assert!(answer.to_string().chars().count() <= limit, "{limit}: {}", answer.to_string().chars().count());
        }
    }
}

#[tokio::test]
async fn a_heading_path_selects_one_subtree() {
    let (_fixture, agent) = garden().await;
    let text = |from: &str, to: &str| {
        let start = body().find(from).unwrap();
        body()[start..].split(to).next().unwrap().to_owned()
    };
    let second = &body()[body().rfind("## Log").unwrap()..];
    for (path, occurrence, expected, lines) in [
        (json!(["Garden"]), Value::Null, body().to_owned(), (8, 24)),
        (json!(["Garden", "Spring jobs [[tools]]"]), Value::Null, text("## *Spring*", "## Log"), (11, 16)),
        (json!(["Garden", "Spring jobs [[tools]]", "Peas"]), Value::Null, "### Peas\nearly\n\n".to_owned(), (14, 16)),
        (json!("[\"Garden\", \"Spring jobs [[tools]]\"]"), Value::Null, text("## *Spring*", "## Log"), (11, 16)),
        (json!(["Garden", "Log"]), json!(1), "## Log\nfirst\n\n".to_owned(), (17, 19)),
        (json!(["Garden", "Log"]), json!(2), second.to_owned(), (20, 24)),
        (json!(["Garden", "Log"]), json!(2.0), second.to_owned(), (20, 24)),
        (json!(["Garden", "Log", "Peas"]), Value::Null, "### Peas\nlate\n".to_owned(), (23, 24)),
    ] {
        let arguments = all(&json!("plots/garden.md"), json!({"heading_path": path, "heading_occurrence": occurrence}));
        let answer = agent.ok("get_note", arguments).await;
        assert_eq!(unwrapped(&answer["content"]), expected, "{path}");
        let section = &answer["section"];
        assert_eq!((&section["line_start"], &section["line_end"]), (&json!(lines.0), &json!(lines.1)), "{path}");
        let of = if path == json!(["Garden", "Log"]) { 2 } else { 1 };
        let nth = if occurrence.is_null() { 1 } else { occurrence.as_f64().unwrap() as u64 };
        assert_eq!(
            (&section["matching_headings"], &section["heading_occurrence"]),
            (&json!(of), &json!(nth)),
            "{path}"
        );
        assert_eq!((&answer["content_hash"], &answer["format"]), (&json!(hash(NOTE)), &json!("full")));
        assert_eq!(answer["total_chars"], expected.chars().count());
    }
    for (path, occurrence, code) in [
        (json!(["Garden", "Log"]), Value::Null, "ambiguous_heading"),
        (json!(["Garden", "Log"]), json!(3), "heading_not_found"),
        (json!(["Garden", "Log"]), json!(0), "invalid_arguments"),
        (json!(["Garden", "Log"]), json!("2"), "invalid_arguments"),
        (json!(["Garden", "*Spring*"]), Value::Null, "heading_not_found"),
        (json!(["Garden", "log"]), json!(1), "heading_not_found"),
        (json!(["Log", "Garden"]), Value::Null, "heading_not_found"),
        (json!([]), Value::Null, "invalid_arguments"),
        (json!([1]), Value::Null, "invalid_arguments"),
        (Value::Null, json!(1), "invalid_arguments"),
    ] {
        let arguments = all(&json!("plots/garden.md"), json!({"heading_path": path, "heading_occurrence": occurrence}));
        let error = agent.refused("get_note", arguments, code).await;
        if code == "ambiguous_heading" {
            let again = error["candidates"][1].clone();
            let arguments =
                json!({"heading_path": again["heading_path"], "heading_occurrence": again["heading_occurrence"]});
            let answer = agent.ok("get_note", all(&json!("plots/garden.md"), arguments)).await;
            assert_eq!(unwrapped(&answer["content"]), second);
        }
    }
}

#[tokio::test]
async fn a_section_needs_full_text_of_a_note() {
    let (_fixture, agent) = garden().await;
    let map = agent.ok("get_note", json!({"id_or_path": "plots/garden.md", "format": "map"})).await;
    let chunk = map["headings"][0]["chunk_id"].clone();
    for (name, format) in [
        (json!("plots/garden.md"), "map"),
        (json!("plots/garden.md"), "metadata"),
        (map["id"].clone(), "map"),
        (chunk.clone(), "chunk"),
        (chunk, "full"),
    ] {
        let arguments = json!({"id_or_path": name, "format": format, "heading_path": ["Garden"]});
        let error = agent.refused("get_note", arguments, "invalid_arguments").await;
        assert_eq!(error["arguments"][0]["name"], "heading_path", "{format}");
    }
}

#[tokio::test]
async fn a_section_pages_in_what_is_shown_of_it() {
    let note = format!("# K\n{KEY}\n## S\nbefore {KEY} after\n### T\nend\n## U\n");
    let fixture = Fixture::new(&[("k.md", &note)]);
    let agent = fixture.agent(Writes::Review).await;
    let shown = "## S\nbefore {{vidimus:secret:1}} after\n### T\nend\n";
    for limit in [5, 11, 1000] {
        let pages = agent.pages(json!({"id_or_path": "k.md", "heading_path": ["K", "S"], "limit": limit})).await;
        let text: String = pages.iter().map(|page| unwrapped(&page["content"])).collect();
        assert_eq!(text, shown, "limit {limit}");
        for page in pages {
            assert_eq!((&page["total_chars"], &page["content_hash"]), (&json!(shown.len()), &json!(hash(&note))));
            let offset = shown.find("### T").unwrap();
            assert_eq!(page["headings"][1], json!({"level": 3, "text": "T", "offset": offset}));
        }
    }
}

#[tokio::test]
async fn the_tool_says_that_it_only_reads() {
    let (_fixture, agent) = garden().await;
    let tool = agent.tool("get_note");
    assert_eq!(
        tool["annotations"],
        json!({"readOnlyHint": true, "destructiveHint": false, "idempotentHint": true, "openWorldHint": false})
    );
    let inputs = &tool["inputSchema"]["properties"];
    for name in ["id_or_path", "format", "offset", "limit", "heading_path", "heading_occurrence"] {
        assert!(inputs[name]["description"].is_string(), "{name}");
    }
    assert_eq!(inputs["format"]["enum"], json!(["full", "map", "chunk", "metadata"]));
    for name in ["format", "rel_path"] {
        assert!(tool["outputSchema"]["required"].as_array().unwrap().contains(&json!(name)), "{name}");
    }
}

#[tokio::test]
async fn the_map_selects_for_every_section_tool() {
    let (fixture, agent) = garden().await;
    let map = agent.ok("get_note", json!({"id_or_path": "plots/garden.md", "format": "map"})).await;
    for heading in map["headings"].as_array().unwrap() {
        let mut wish = heading["select"].clone();
        wish["rel_path"] = json!("plots/garden.md");
        wish["expected_hash"] = map["content_hash"].clone();
        wish["content"] = json!("MARK");
        wish["position"] = json!("start");
        wish["dry_run"] = json!(true);
        let planned = agent.ok("append_to_section", wish).await;
        let diff = planned["diff"].as_str().unwrap();
        let line = NOTE.lines().nth(heading["line"].as_u64().unwrap() as usize - 1).unwrap();
        assert!(diff.contains(&format!(" {line}\n+MARK\n")), "{line}: {diff}");
    }
    assert_eq!(fixture.read("plots/garden.md"), NOTE);
}
