//! Reading, as a client sees it: sessions over a stream, JSON in lines.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod harness;

use engine::Writes;
use harness::{Client, Fixture, conforms, unwrapped};
use mcp::DoorSettings;
use serde_json::{Value, json};

const NOTE: &str = "---\ntags: [work]\naliases: [Plan B]\ndue: 14:30\nversion: 1.10\ncount: 3\n---\n# Plan\nintro\n\n## Risks\nnone\n### Old 👩🏽‍💻\ndetail\n## Risks\nmore\n";

async fn checked(client: &mut Client, arguments: Value) -> Value {
    let list = client.request("tools/list", json!({})).await["result"].clone();
    let tool = list["tools"].as_array().unwrap().iter().find(|tool| tool["name"] == "get_note").unwrap().clone();
    let answer = client.ok("get_note", arguments).await;
    conforms(&tool["outputSchema"], &answer, "get_note");
    answer
}

#[tokio::test]
async fn a_note_is_read_whole() {
    let fixture = Fixture::new(&[("sub/plan.md", NOTE), ("b.md", "[[plan#Risks]]\n")]);
    let mut client = fixture.client(Writes::Review).await;
    let answer = checked(&mut client, json!({"id_or_path": "sub/plan"})).await;
    assert_eq!(unwrapped(&answer["content"]), &NOTE[NOTE.find("# Plan").unwrap()..]);
    assert_eq!(answer["content_hash"], blake3::hash(NOTE.as_bytes()).to_hex().as_str());
    assert_eq!(answer["content_hash_contract"], "blake3-bytes-v1");
    assert_eq!(answer["frontmatter"]["due"], "14:30");
    assert_eq!(answer["frontmatter"]["version"], "1.10");
    assert_eq!(answer["frontmatter"]["count"], 3);
    assert_eq!(answer["tags"], json!(["work"]));
    assert_eq!(answer["aliases"], json!(["Plan B"]));
    assert_eq!((&answer["title"], &answer["folder_path"]), (&json!("Plan"), &json!("sub")));
    assert_eq!((&answer["truncated"], &answer["next_offset"]), (&json!(false), &Value::Null));
    assert_eq!(answer["headings"].as_array().unwrap().len(), 4);
    for (title, path) in [("plan b", "sub/plan.md"), ("PLA", "sub/plan.md")] {
        assert_eq!(client.ok("get_note", json!({"title": title})).await["rel_path"], path);
    }
    let id = answer["id"].clone();
    assert_eq!(client.ok("get_note", json!({"id": id})).await["rel_path"], "sub/plan.md");
}

#[tokio::test]
async fn windows_make_the_whole_and_offsets_point_at_headings() {
    let fixture = Fixture::new(&[("plan.md", NOTE)]);
    let mut client = fixture.client(Writes::Review).await;
    let body = &NOTE[NOTE.find("# Plan").unwrap()..];
    let (mut whole, mut offset) = (String::new(), json!(0));
    while !offset.is_null() {
        let answer = checked(&mut client, json!({"id_or_path": "plan.md", "offset": offset, "limit": 7})).await;
        whole.push_str(&unwrapped(&answer["content"]));
        assert_eq!(answer["truncated"], !answer["next_offset"].is_null());
        assert_eq!(answer["content_total_length"], body.chars().count());
        offset = answer["next_offset"].clone();
    }
    assert_eq!(whole, body);
    let outline = client.ok("get_note", json!({"id_or_path": "plan.md"})).await["headings"].clone();
    for heading in outline.as_array().unwrap() {
        let at =
            client.ok("get_note", json!({"id_or_path": "plan.md", "offset": heading["offset"], "limit": 300})).await;
        let line = unwrapped(&at["content"]).lines().next().unwrap().to_owned();
        assert_eq!(line.trim_start_matches('#').trim(), heading["text"].as_str().unwrap());
    }
}

#[tokio::test]
async fn one_section_is_read_by_path_or_by_name() {
    let fixture = Fixture::new(&[("plan.md", NOTE)]);
    let mut client = fixture.client(Writes::Review).await;
    let second = json!({"id_or_path": "plan.md", "heading_path": ["Plan", "Risks"], "heading_occurrence": 2});
    let answer = checked(&mut client, second).await;
    assert_eq!(unwrapped(&answer["content"]), "## Risks\nmore\n");
    assert_eq!(
        answer["section"],
        json!({"heading_path": ["Plan", "Risks"], "heading_occurrence": 2, "matching_headings": 2, "line_start": 15, "line_end": 16})
    );
    assert_eq!(answer["headings"], json!([{"level": 2, "text": "Risks", "offset": 0}]));
    let loose = checked(&mut client, json!({"title": "plan", "section": "RISKS", "include_children": false})).await;
    assert_eq!(unwrapped(&loose["content"]), "## Risks\nnone\n");
    assert_eq!((&loose["section"]["matching_headings"], &loose["section"]["line_end"]), (&json!(2), &json!(12)));
    let error = client.fails("get_note", json!({"id_or_path": "plan.md", "heading_path": "[\"Risks\"]"})).await;
    assert_eq!(error["code"], "ambiguous_heading");
    assert_eq!(error["candidates"].as_array().unwrap().len(), 2);
    let error = client.fails("get_note", json!({"id_or_path": "plan.md", "section": "Rsks"})).await;
    assert_eq!(
        (&error["code"], &error["suggestions"][0]["heading_path"][1]),
        (&json!("heading_not_found"), &json!("Risks"))
    );
}

#[tokio::test]
async fn the_map_names_every_section_for_later_calls() {
    let fixture = Fixture::new(&[("plan.md", NOTE)]);
    let mut client = fixture.client(Writes::Review).await;
    let map = checked(&mut client, json!({"id_or_path": "plan.md", "format": "map", "limit": 3})).await;
    assert_eq!((&map["total"], &map["returned"], &map["next_offset"]), (&json!(4), &json!(3), &json!(3)));
    let risks = &map["headings"][1];
    assert_eq!(risks["select"], json!({"heading": "Risks", "heading_level": 2, "heading_occurrence": 1}));
    assert_eq!((&risks["path"], &risks["line"], &risks["line_end"]), (&json!("Plan / Risks"), &json!(11), &json!(14)));
    let chunk = checked(&mut client, json!({"id_or_path": risks["chunk_id"]})).await;
    assert_eq!(unwrapped(&chunk["content"]), "## Risks\nnone\n");
    assert_eq!(chunk["format"], "chunk");
    let next = checked(&mut client, json!({"id_or_path": chunk["next_chunk_id"], "format": "chunk"})).await;
    assert_eq!(next["heading_path"], json!(["Plan", "Risks", "Old 👩🏽‍💻"]));
    fixture.write("plan.md", &NOTE.replace("none", "some"));
    let error = client.fails("get_note", json!({"id_or_path": risks["chunk_id"]})).await;
    assert_eq!((&error["code"], &error["heading_path"]), (&json!("stale_chunk"), &json!(["Plan", "Risks"])));
    let now = client.ok("get_note", json!({"id_or_path": error["chunk_id"]})).await;
    assert_eq!(now["content_hash"], error["current_hash"]);
    let metadata = checked(&mut client, json!({"id_or_path": "plan.md", "format": "metadata"})).await;
    let properties: Value = serde_json::from_str(metadata["metadata_json"].as_str().unwrap()).unwrap();
    assert_eq!(properties["frontmatter"]["version"], "1.10");
}

#[tokio::test]
async fn linked_notes_come_along_when_asked_for() {
    let fixture = Fixture::new(&[
        ("a.md", "[[b]] [[b#x]] [[nowhere]] ![[c|d]] `[[code]]`\n"),
        ("b.md", "text of b\n"),
        ("sub/c.md", &"x".repeat(5000)),
    ]);
    let mut client = fixture.client(Writes::Review).await;
    let plain = checked(&mut client, json!({"id_or_path": "a.md", "resolve_links": true})).await;
    let paths: Vec<&Value> = plain["links"].as_array().unwrap().iter().map(|link| &link["rel_path"]).collect();
    assert_eq!(paths, ["b.md", "sub/c.md"]);
    assert_eq!(plain["unresolved_links"], json!(["nowhere"]));
    let full =
        checked(&mut client, json!({"id_or_path": "a.md", "resolve_links": true, "include_content": true})).await;
    assert_eq!(unwrapped(&full["links"][0]["content"]), "text of b\n");
    assert_eq!(unwrapped(&full["links"][1]["content"]).len(), 4000);
    assert_eq!(full["links"][1]["content_truncated"], true);
}

#[tokio::test]
async fn secrets_stay_here_and_are_not_found() {
    let key = "AKIAIOSFODNN7EXAMPLE";
    let note = format!("# Keys\nuse {key} well\n## After\nplain text\n");
    let fixture = Fixture::new(&[("keys.md", &note), ("link.md", &format!("{key} [[keys#After]]\n"))]);
    let mut client = fixture.client(Writes::Review).await;
    let shown = client.ok("get_note", json!({"id_or_path": "keys.md"})).await;
    assert!(!shown.to_string().contains(key));
    assert_eq!(unwrapped(&shown["content"]), note.replace(key, "{{vidimus:secret:1}}"));
    let after = &shown["headings"][1]["offset"];
    let window = client.ok("get_note", json!({"id_or_path": "keys.md", "offset": after})).await;
    assert!(unwrapped(&window["content"]).starts_with("## After"));
    assert_eq!(client.ok("search_text", json!({"query": key})).await["total"], 0);
    let found = client.ok("search_text", json!({"query": "use well"})).await;
    assert_eq!(found["results"][0]["rel_path"], "keys.md");
    let backlinks = client.ok("get_backlinks", json!({"target": "keys"})).await;
    assert_eq!(backlinks["total"], 1);
    assert!(!format!("{found}{backlinks}").contains(key));
    let open = DoorSettings { redact_secrets: false, ..DoorSettings::default() };
    let mut trusted = fixture.client_with(Writes::Review, open).await;
    assert!(unwrapped(&trusted.ok("get_note", json!({"id_or_path": "keys.md"})).await["content"]).contains(key));
}

#[tokio::test]
async fn an_answer_stays_under_its_limit() {
    let lines: String = (0..600).map(|n| format!("## Heading \"{n}\"\n\tbody \\ of {n}\n")).collect();
    let front = format!("---\nlong: {}\n---\n", "word ".repeat(2000));
    let fixture = Fixture::new(&[("big.md", &format!("{front}{lines}"))]);
    let settings = DoorSettings { max_response_chars: 4096, ..DoorSettings::default() };
    let mut client = fixture.client_with(Writes::Review, settings).await;
    let (mut whole, mut offset) = (String::new(), json!(0));
    while !offset.is_null() {
        let answer = checked(&mut client, json!({"id_or_path": "big.md", "offset": offset, "limit": 100000})).await;
        assert!(answer.to_string().chars().count() <= 4096);
        assert_eq!(answer["metadata_truncated"], true);
        whole.push_str(&unwrapped(&answer["content"]));
        offset = answer["next_offset"].clone();
    }
    assert_eq!(whole, lines);
    for arguments in [json!({"format": "map"}), json!({"format": "metadata"})] {
        let mut arguments = arguments;
        arguments["id_or_path"] = json!("big.md");
        let answer = checked(&mut client, arguments).await;
        assert!(answer.to_string().chars().count() <= 4096);
        assert_eq!(answer["truncated"], true);
    }
}

#[tokio::test]
async fn notes_are_found_and_listed() {
    let fixture = Fixture::new(&[
        ("area/one.md", "# One\n## Résumé\nthe quick fox #work/deep\n"),
        ("area/two.md", "# Two\nlinks to [[one#Résumé|cv]] and [x](one.md)\n"),
        ("b.md", "---\ntags: work\n---\nquick\n"),
    ]);
    let mut client = fixture.client(Writes::Review).await;
    let found = client.ok("search_text", json!({"query": "resume"})).await;
    assert_eq!(found["results"][0]["rel_path"], "area/one.md");
    assert_eq!(found["results"][0]["heading_path"], json!(["One", "Résumé"]));
    let chunk = client.ok("get_note", json!({"id_or_path": found["results"][0]["chunk_id"]})).await;
    assert!(unwrapped(&chunk["content"]).contains("quick fox"));
    assert_eq!(client.ok("search_text", json!({"query": "quick", "folder": "Area"})).await["total"], 1);
    let error = client.fails("search_text", json!({"query": "quick", "folder": "aera"})).await;
    assert_eq!((&error["code"], &error["suggestions"]), (&json!("not_found"), &json!(["area"])));

    let backlinks = client.ok("get_backlinks", json!({"target": "One"})).await;
    assert_eq!((&backlinks["total"], &backlinks["resolved_rel_path"]), (&json!(2), &json!("area/one.md")));
    assert_eq!(backlinks["backlinks"][0]["text"], "[[one#Résumé|cv]]");
    let narrow = client.ok("get_backlinks", json!({"target": "area/one.md", "heading_path": ["Résumé"]})).await;
    assert_eq!(narrow["total"], 1);

    let all = client.ok("list_notes", json!({"limit": 2})).await;
    assert_eq!((&all["total"], &all["next_offset"], &all["folders"]), (&json!(3), &json!(2), &json!(["area"])));
    let tagged = client.ok("list_notes", json!({"tags": ["#work"]})).await;
    assert_eq!(tagged["total"], 2);
    assert_eq!(client.ok("list_notes", json!({"modified_since": "2999-01-01"})).await["total"], 0);
}

#[tokio::test]
async fn what_cannot_be_read_says_why_without_a_path_of_this_machine() {
    let fixture = Fixture::new(&[
        ("Twin.md", "1"),
        ("twin.md", "2"),
        ("x/alpha.md", "# Same\n"),
        ("x/beta.md", "# Same\n"),
        ("data.txt", ""),
    ]);
    let mut client = fixture.client(Writes::Review).await;
    for (arguments, code) in [
        (json!({"id_or_path": "nope.md"}), "not_found"),
        (json!({"id_or_path": "TWIN.md"}), "ambiguous_title"),
        (json!({"title": "same"}), "ambiguous_title"),
        (json!({"id_or_path": "../x.md"}), "path_outside_vault"),
        (json!({"id_or_path": "/etc/passwd"}), "path_outside_vault"),
        (json!({"id_or_path": ".obsidian/app.json"}), "path_not_allowed"),
        (json!({"id_or_path": "data.txt"}), "not_a_note"),
        (json!({"id": "01ARZ3NDEKTSV4RRFFQ69G5FAV"}), "not_found"),
        (json!({"id_or_path": "01ARZ3NDEKTSV4RRFFQ69G5FAV::a::0"}), "not_found"),
        (json!({"id": "x"}), "invalid_arguments"),
        (json!({}), "invalid_arguments"),
        (json!({"id": "x", "title": "y"}), "invalid_arguments"),
        (json!({"id_or_path": "a.md", "section": "x", "format": "map"}), "invalid_arguments"),
    ] {
        let error = client.fails("get_note", arguments.clone()).await;
        assert_eq!(error["code"], code, "{arguments}: {error}");
        assert!(!error.to_string().contains(fixture.root().to_str().unwrap()));
    }
    let candidates = client.fails("get_note", json!({"title": "same"})).await["candidates"].clone();
    assert_eq!(candidates.as_array().unwrap().len(), 2);
}
