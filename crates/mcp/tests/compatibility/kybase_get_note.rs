//! `get_note` as a Kybase client calls it.

use super::harness::agent::Agent;
use super::harness::{Fixture, unwrapped};
use engine::{Decision, PlanDigest, Writes};
use serde_json::{Value, json};

/// Every argument, with nulls for those that are not sent.
fn all(more: Value) -> Value {
    let mut arguments = json!({"id": null, "title": null, "limit": null, "offset": null, "section": null, "resolve_links": null, "include_content": null});
    arguments.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    arguments
}

async fn vault(files: &[(&str, &str)]) -> (Fixture, Agent) {
    let fixture = Fixture::new(files);
    let agent = fixture.agent(Writes::Review).await;
    (fixture, agent)
}

#[tokio::test]
async fn titles_are_found_by_what_one_remembers_of_them() {
    let (_fixture, agent) = vault(&[
        ("Plan.md", "x\n"),
        ("Plan for June.md", "x\n"),
        ("sub/Garden notes.md", "# The walled garden\n"),
        ("sub/b.md", "---\ntitle: Übersicht der Kräuter\naliases: [Herbs, Tisane]\n---\n# Other\n"),
        ("c/Same.md", "x\n"),
        ("d/Same.md", "x\n"),
    ])
    .await;
    for (title, found) in [
        // Exact wins, though it begins another title too.
        ("Plan", "Plan.md"),
        ("plan", "Plan.md"),
        ("PLAN FOR JUNE", "Plan for June.md"),
        ("plan for", "Plan for June.md"),
        ("Garden notes", "sub/Garden notes.md"),
        ("garden notes.md", "sub/Garden notes.md"),
        ("The walled garden", "sub/Garden notes.md"),
        ("walled", "sub/Garden notes.md"),
        ("  den not  ", "sub/Garden notes.md"),
        ("übersicht der kräuter", "sub/b.md"),
        ("U\u{308}bersicht", "sub/b.md"),
        ("tisane", "sub/b.md"),
        ("her", "sub/b.md"),
        ("June", "Plan for June.md"),
    ] {
        let answer = agent.ok("get_note", all(json!({"title": title}))).await;
        assert_eq!(answer["rel_path"], found, "{title}");
    }
    for (title, candidates) in [("same", 2), ("pla", 2), ("e", 5)] {
        let error = agent.refused("get_note", all(json!({"title": title})), "ambiguous_title").await;
        let listed = error["candidates"].as_array().unwrap().clone();
        assert_eq!(listed.len(), candidates, "{title}: {error}");
        for candidate in listed {
            let again = agent.ok("get_note", all(json!({"id": candidate["id"]}))).await;
            assert_eq!((&again["title"], &again["rel_path"]), (&candidate["title"], &candidate["rel_path"]));
        }
    }
    let error = agent.refused("get_note", all(json!({"title": "Gadren nots"})), "not_found").await;
    assert_eq!(error["suggestions"][0], "sub/Garden notes.md");
    agent.refused("get_note", all(json!({"title": " "})), "not_found").await;
    agent.refused("get_note", all(json!({})), "invalid_arguments").await;
    agent.refused("get_note", all(json!({"id": "01ARZ3NDEKTSV4RRFFQ69G5FAV"})), "not_found").await;
}

#[tokio::test]
async fn a_large_note_comes_in_windows_of_twenty_thousand() {
    let body: String = (0..900).map(|n| format!("line {n} of a note with many lines in it 🦔\n")).collect();
    let note = format!("---\ntags: [x]\n---\n# Large\n{body}");
    let whole = &note[note.find("# Large").unwrap()..];
    let (_fixture, agent) = vault(&[("large.md", &note)]).await;
    let (mut text, mut offset) = (String::new(), Value::Null);
    loop {
        let page = agent.ok("get_note", all(json!({"title": "large", "offset": offset}))).await;
        let part = unwrapped(&page["content"]);
        assert_eq!(page["content_total_length"], whole.chars().count());
        assert_eq!(page["content_truncated"], json!(!page["next_offset"].is_null()));
        assert!(page["content_truncated"] == json!(false) || part.chars().count() == 20_000);
        text += &part;
        offset = page["next_offset"].clone();
        if offset.is_null() {
            break;
        }
    }
    assert_eq!(text, whole);
    let small = agent.ok("get_note", all(json!({"title": "large", "limit": 10, "offset": 2}))).await;
    assert_eq!((unwrapped(&small["content"]).as_str(), &small["next_offset"]), ("Large\nline", &json!(12)));
}

const OUTLINE: &str =
    "intro 🧭\n# One\na\n## Two & more\nb\n### Three\nc\n#### Four\nd\n##### Five\ne\n## Two & more\nf\n# Last\n";

#[tokio::test]
async fn headings_tell_what_the_window_left_out() {
    let (_fixture, agent) = vault(&[("n.md", OUTLINE)]).await;
    for limit in [1, 10, 1000] {
        let answer = agent.ok("get_note", all(json!({"title": "n", "limit": limit}))).await;
        let headings = answer["headings"].as_array().unwrap();
        let listed: Vec<(u64, &str)> = headings
            .iter()
            .map(|heading| (heading["level"].as_u64().unwrap(), heading["text"].as_str().unwrap()))
            .collect();
        assert_eq!(listed, [(1, "One"), (2, "Two & more"), (3, "Three"), (2, "Two & more"), (1, "Last")]);
        for heading in headings {
            let there = agent.ok("get_note", all(json!({"title": "n", "offset": heading["offset"]}))).await;
            let marks = "#".repeat(heading["level"].as_u64().unwrap() as usize);
            let line = format!("{marks} {}", heading["text"].as_str().unwrap());
            assert!(unwrapped(&there["content"]).starts_with(&line), "{line}");
        }
    }
}

#[tokio::test]
async fn a_section_is_named_by_title_or_slug() {
    let first = &OUTLINE[OUTLINE.find("## Two").unwrap()..OUTLINE.rfind("## Two").unwrap()];
    let (_fixture, agent) =
        vault(&[("n.md", OUTLINE), ("q.md", "# Q&A\none\n# QA\ntwo\n# C/C++ notes_x\nthree\n")]).await;
    for (title, section, text, matching) in [
        ("n", "Two & more", first, 2),
        ("n", "two & MORE", first, 2),
        ("n", "two--more", first, 2),
        ("n", "two-more", first, 2),
        ("n", " Two & more ", first, 2),
        ("n", "four", "#### Four\nd\n##### Five\ne\n", 1),
        ("n", "last", "# Last\n", 1),
        // A title is nearer than a slug that comes before it.
        ("q", "QA", "# QA\ntwo\n", 1),
        ("q", "q&a", "# Q&A\none\n", 1),
        ("q", "cc-notes_x", "# C/C++ notes_x\nthree\n", 1),
        ("q", "c-c-notes-x", "# C/C++ notes_x\nthree\n", 1),
        ("q", "c-c-notes_x", "# C/C++ notes_x\nthree\n", 1),
    ] {
        let answer = agent.ok("get_note", all(json!({"title": title, "section": section}))).await;
        assert_eq!(unwrapped(&answer["content"]), text, "{section}");
        assert_eq!(answer["section"]["matching_headings"], matching, "{section}");
        let length = text.chars().count();
        assert_eq!((&answer["content_total_length"], &answer["content_truncated"]), (&json!(length), &json!(false)));
    }
    let error = agent.refused("get_note", all(json!({"title": "n", "section": "Tree"})), "heading_not_found").await;
    assert_eq!(error["suggestions"][0]["heading_path"], json!(["One", "Two & more", "Three"]));
    agent.refused("get_note", all(json!({"title": "n", "section": ""})), "heading_not_found").await;
}

#[tokio::test]
async fn within_a_section_headings_and_offsets_are_its_own() {
    let text = &OUTLINE[OUTLINE.find("## Two").unwrap()..OUTLINE.rfind("## Two").unwrap()];
    let (_fixture, agent) = vault(&[("n.md", OUTLINE)]).await;
    let arguments = |more: Value| {
        let mut arguments = all(json!({"title": "n", "section": "two-more"}));
        arguments.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        arguments
    };
    let answer = agent.ok("get_note", arguments(json!({}))).await;
    let three = text.find("### Three").unwrap();
    assert_eq!(
        answer["headings"],
        json!([{"level": 2, "text": "Two & more", "offset": 0}, {"level": 3, "text": "Three", "offset": three}])
    );
    let there = agent.ok("get_note", arguments(json!({"offset": three, "limit": 9}))).await;
    assert_eq!(unwrapped(&there["content"]), "### Three");
    assert_eq!((&there["content_truncated"], &there["next_offset"]), (&json!(true), &json!(three + 9)));
    assert_eq!(there["content_total_length"], text.chars().count());
}

#[tokio::test]
async fn links_are_resolved_one_level_deep_when_asked_for() {
    let long = format!("# Long\n{}", "é".repeat(5000));
    let note = "[[b]] and [[b#Part|again]] ![[sub/Long]] [[n]] [[nowhere]] [[nowhere#x]] [[gone|that]] `[[code]]` [md](b.md)\n";
    let (_fixture, agent) = vault(&[
        ("n.md", note),
        ("b.md", "---\ntags: [t]\n---\n# Bee\n[[deep]]\n"),
        ("sub/Long.md", &long),
        ("deep.md", "d\n"),
    ])
    .await;
    for arguments in [json!({}), json!({"resolve_links": false}), json!({"include_content": true})] {
        let mut arguments = all(arguments);
        arguments["title"] = json!("n");
        let plain = agent.ok("get_note", arguments).await;
        assert!(plain.get("links").is_none() && plain.get("unresolved_links").is_none());
    }
    let bare = agent.ok("get_note", all(json!({"title": "n", "resolve_links": true}))).await;
    let id = |path: &'static str| {
        let agent = &agent;
        async move { agent.read(path).await["id"].clone() }
    };
    assert_eq!(
        bare["links"],
        json!([
            {"id": id("b.md").await, "title": "Bee", "folder_path": "", "rel_path": "b.md"},
            {"id": id("sub/Long.md").await, "title": "Long", "folder_path": "sub", "rel_path": "sub/Long.md"},
            {"id": id("n.md").await, "title": "n", "folder_path": "", "rel_path": "n.md"},
        ])
    );
    assert_eq!(bare["unresolved_links"], json!(["nowhere", "gone"]));
    let full = agent.ok("get_note", all(json!({"title": "n", "resolve_links": true, "include_content": true}))).await;
    assert_eq!(unwrapped(&full["links"][0]["content"]), "# Bee\n[[deep]]\n");
    assert_eq!(full["links"][0]["content_truncated"], false);
    let cut: String = long.chars().take(4000).collect();
    assert_eq!((unwrapped(&full["links"][1]["content"]), &full["links"][1]["content_truncated"]), (cut, &json!(true)));
    let rest = agent.ok("get_note", all(json!({"id": full["links"][1]["id"]}))).await;
    assert_eq!(unwrapped(&rest["content"]), long);
}

#[tokio::test]
async fn only_an_own_edit_moves_content_updated_at() {
    let (fixture, agent) = vault(&[("a.md", "# A\n\n## Old\n"), ("l.md", "see [[a#Old]]\n")]).await;
    let before = agent.ok("get_note", all(json!({"title": "l"}))).await;
    let wish = json!({"rel_path": "a.md", "heading": "Old", "new_heading": "New"});
    let proposed = agent.ok("rename_note_section", wish).await;
    let id = proposed["operation_id"].as_str().unwrap().parse().unwrap();
    let digest = fixture.engine.review(id).unwrap().digest.unwrap();
    fixture.engine.decide(id, Decision::Approve { seen: PlanDigest(digest) }).unwrap();
    let repaired = agent.ok("get_note", all(json!({"title": "l"}))).await;
    assert_eq!(unwrapped(&repaired["content"]), "see [[a#New]]\n");
    assert_ne!(repaired["updated_at"], before["updated_at"]);
    assert_eq!(repaired["content_updated_at"], before["content_updated_at"]);
    fixture.write("l.md", "see [[a#New]] again\n");
    let edited = agent.ok("get_note", all(json!({"title": "l"}))).await;
    assert_ne!(edited["content_updated_at"], repaired["content_updated_at"]);
    assert_eq!(edited["content_updated_at"], edited["updated_at"]);
}

#[tokio::test]
async fn updated_at_guards_a_write() {
    let fixture = Fixture::new(&[("a.md", "# A\n\n## Old\n")]);
    let agent = fixture.agent(Writes::Allow).await;
    let read = agent.ok("get_note", all(json!({"title": "a"}))).await;
    let wish = |time: &Value, old: &str, new: &str| json!({"id": read["id"], "heading": old, "new_heading": new, "expected_updated_at": time});
    agent.ok("rename_note_section", wish(&read["updated_at"], "Old", "New")).await;
    let error = agent.refused("rename_note_section", wish(&read["updated_at"], "New", "Newer"), "conflict").await;
    let now = agent.ok("get_note", all(json!({"title": "a"}))).await;
    assert_eq!((&error["current_hash"], &error["current_updated_at"]), (&now["content_hash"], &now["updated_at"]));
    agent.ok("rename_note_section", wish(&now["updated_at"], "New", "Newer")).await;
    assert_eq!(fixture.read("a.md"), "# A\n\n## Newer\n");
}

#[tokio::test]
async fn every_input_and_field_is_there() {
    let (_fixture, agent) = vault(&[("sub/n.md", "# N\ntext\n")]).await;
    let inputs = &agent.tool("get_note")["inputSchema"]["properties"];
    for (name, kind) in [
        ("id", "string"),
        ("limit", "integer"),
        ("title", "string"),
        ("offset", "integer"),
        ("section", "string"),
        ("resolve_links", "boolean"),
        ("include_content", "boolean"),
    ] {
        assert_eq!(inputs[name]["type"], kind, "{name}");
    }
    let answer = agent.ok("get_note", all(json!({"title": "n", "limit": 5.0, "offset": 0.0}))).await;
    for name in ["id", "title", "folder_path", "content", "updated_at", "content_updated_at"] {
        assert!(answer[name].is_string(), "{name}: {answer}");
    }
    assert!(answer["content_truncated"].is_boolean() && answer["content_total_length"].is_u64());
    assert!(answer["headings"].is_array() && answer["next_offset"].is_u64());
    assert_eq!((&answer["folder_path"], &answer["title"]), (&json!("sub"), &json!("N")));
}
