//! `rename_note_section` as a Datacron client calls it.

use super::harness::Fixture;
use super::harness::agent::Agent;
use super::hash;
use engine::Writes;
use serde_json::{Value, json};

const TOOL: &str = "rename_note_section";

/// Every argument, with nulls where the schema's default is null.
fn all(more: Value) -> Value {
    let mut arguments = json!({"rel_path": "n.md", "heading": "Old", "new_heading": "New", "expected_hash": null, "request_id": null, "heading_level": null, "heading_occurrence": null});
    arguments.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    arguments
}

async fn note(text: &str) -> (Fixture, Agent) {
    let fixture = Fixture::new(&[("n.md", text)]);
    let agent = fixture.agent(Writes::Allow).await;
    (fixture, agent)
}

/// Renames in a note of this text, guarded by its hash, and compares what comes of it byte for byte.
async fn check(before: &str, more: Value, after: &str) -> Value {
    let (fixture, agent) = note(before).await;
    let mut arguments = all(more);
    if arguments["expected_hash"].is_null() {
        arguments["expected_hash"] = json!(hash(before));
    }
    let answer = agent.ok(TOOL, arguments).await;
    assert_eq!(fixture.read("n.md"), after);
    assert_eq!((&answer["committed"], &answer["content_hash"]), (&json!(true), &json!(hash(after))));
    answer
}

#[tokio::test]
async fn the_title_of_any_level_but_the_first_changes_alone() {
    for level in 2..=6 {
        let marks = "#".repeat(level);
        let below = if level < 6 { format!("{marks}# Child\nx\n") } else { String::new() };
        let before = format!("---\ntitle: Old\n---\n# Old top\n{marks} Old\nOld text  \n{below}{marks} Next\n");
        let answer = check(&before, json!({}), &before.replace("# Old\nOld", "# New\nOld")).await;
        assert_eq!((&answer["renamed"]["level"], &answer["renamed"]["line"]), (&json!(level), &json!(5)));
    }
}

#[tokio::test]
async fn both_ways_to_write_a_heading_are_renamed() {
    for (before, after) in [
        ("## Old\n", "## New\n"),
        ("## Old", "## New"),
        ("   ##  Old  ##  \nx\n", "   ##  New  ##  \nx\n"),
        ("## Old ^id\n", "## New ^id\n"),
        ("Old\n---\nx\n", "New\n---\nx\n"),
        ("x\n\nOld\n-----\n", "x\n\nNew\n-----\n"),
        ("## Old\r\nx\r\n", "## New\r\nx\r\n"),
        ("\u{feff}## Old\nx\n", "\u{feff}## New\nx\n"),
    ] {
        check(before, json!({}), after).await;
    }
}

#[tokio::test]
async fn headings_in_code_are_not_seen() {
    let fenced = "```\n## Old\n```\n\n~~~md\n## Old\n~~~\n\n    ## Old\n\n## Old\n";
    check(fenced, json!({}), &format!("{}## New\n", fenced.strip_suffix("## Old\n").unwrap())).await;
    let (fixture, agent) = note("# T\n\n```\n## Old\n```\n").await;
    agent.refused(TOOL, all(json!({})), "heading_not_found").await;
    assert_eq!(fixture.read("n.md"), "# T\n\n```\n## Old\n```\n");
}

#[tokio::test]
async fn every_field_of_the_answer_is_there() {
    let (_fixture, agent) = note("# T\n\n## Old\n").await;
    let answer = agent.ok(TOOL, all(json!({"request_id": "r"}))).await;
    for (field, value) in [
        ("indexed", json!(true)),
        ("rel_path", json!("n.md")),
        ("replayed", json!(false)),
        ("committed", json!(true)),
        ("content_hash", json!(hash("# T\n\n## New\n"))),
    ] {
        assert_eq!(answer[field], value, "{field}");
    }
    assert!(answer["operation_id"].is_string());
    assert_eq!(
        answer["renamed"],
        json!({"rel_path": "n.md", "old_heading": "Old", "new_heading": "New", "level": 2, "line": 3, "heading_occurrence": 1, "links_updated": 0, "notes_touched": 1})
    );
    let required = agent.tool(TOOL)["outputSchema"]["required"].clone();
    for field in ["indexed", "content_hash"] {
        assert!(required.as_array().unwrap().contains(&json!(field)), "{field}: {required}");
    }
}

#[tokio::test]
async fn without_leave_the_rename_waits_and_says_so() {
    let fixture = Fixture::new(&[("n.md", "## Old\n")]);
    let agent = fixture.agent(Writes::Review).await;
    let answer = agent.ok(TOOL, all(json!({}))).await;
    assert_eq!((&answer["committed"], &answer["status"]), (&json!(false), &json!("proposed")));
    assert_eq!((&answer["content_hash"], &answer["renamed"]["new_heading"]), (&json!(hash("## Old\n")), &json!("New")));
    assert_eq!(fixture.read("n.md"), "## Old\n");
}

#[tokio::test]
async fn the_hash_guards_the_bytes_that_were_read() {
    const BEFORE: &str = "# T\n\n## Old\n";
    for (expected, code) in [
        (json!(hash("another text")), "conflict"),
        (json!(hash(BEFORE).to_uppercase()), "invalid_arguments"),
        (json!("abc"), "invalid_arguments"),
        (json!(5), "invalid_arguments"),
    ] {
        let (fixture, agent) = note(BEFORE).await;
        let error = agent.refused(TOOL, all(json!({"expected_hash": expected})), code).await;
        assert!(code != "conflict" || error["current_hash"] == hash(BEFORE), "{error}");
        assert_eq!(fixture.read("n.md"), BEFORE);
    }
    let (fixture, agent) = note(BEFORE).await;
    let read = agent.read("n.md").await["content_hash"].clone();
    fixture.write("n.md", "# T\n\nmore\n\n## Old\n");
    let error = agent.refused(TOOL, all(json!({"expected_hash": read})), "conflict").await;
    agent.ok(TOOL, all(json!({"expected_hash": error["current_hash"]}))).await;
    assert_eq!(fixture.read("n.md"), "# T\n\nmore\n\n## New\n");
}

#[tokio::test]
async fn the_first_level_and_equal_titles_are_refused() {
    const NOTE: &str = "# Top\n\n## Old\n\n## Taken\n\n### Deeper\n";
    for (more, code) in [
        (json!({"heading": "Top"}), "heading_level_1"),
        (json!({"heading": "Top", "heading_level": 1}), "heading_level_1"),
        (json!({"new_heading": "Taken"}), "heading_collision"),
        (json!({"new_heading": "Taken "}), "heading_collision"),
        (json!({"new_heading": "*Taken*"}), "heading_collision"),
        (json!({"heading": "Missing"}), "heading_not_found"),
        (json!({"heading": "Old", "heading_level": 3}), "heading_not_found"),
        (json!({"heading": "Old", "heading_level": 7}), "invalid_arguments"),
        (json!({"new_heading": ""}), "invalid_heading"),
    ] {
        let (fixture, agent) = note(NOTE).await;
        let error = agent.refused(TOOL, all(more.clone()), code).await;
        assert!(code != "heading_collision" || error["collides_with"]["line"] == 5, "{more}: {error}");
        assert_eq!(fixture.read("n.md"), NOTE, "{more}");
    }
}

#[tokio::test]
async fn equal_titles_are_told_apart_by_occurrence_level_and_hash() {
    const NOTE: &str = "# T\n\n## Log\na\n\n### Log\nb\n\n## Log\nc\n\n## Day\n\n### Log\nd\n";
    for (level, nth, old) in [(2, 1, "## Log\na"), (2, 2, "## Log\nc"), (3, 1, "### Log\nb"), (3, 2, "### Log\nd")] {
        let more = json!({"heading": "Log", "heading_level": level, "heading_occurrence": nth});
        let answer = check(NOTE, more, &NOTE.replace(old, &old.replace("Log", "New"))).await;
        assert_eq!(answer["renamed"]["heading_occurrence"], nth);
    }
    let guarded = json!({"expected_hash": hash(NOTE)});
    for (more, code) in [
        (json!({}), "ambiguous_heading"),
        (json!({"heading_level": 2}), "ambiguous_heading"),
        (json!({"heading_level": 2, "heading_occurrence": 2}), "hash_required"),
        (json!({"heading_level": 2, "heading_occurrence": 3, "guarded": true}), "heading_not_found"),
        (json!({"heading_level": 2, "heading_occurrence": 0, "guarded": true}), "invalid_arguments"),
        (json!({"heading_level": 2, "heading_occurrence": 1.5, "guarded": true}), "invalid_arguments"),
    ] {
        let (fixture, agent) = note(NOTE).await;
        let mut wish = all(json!({"heading": "Log"}));
        wish.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        if wish.as_object_mut().unwrap().remove("guarded").is_some() {
            wish["expected_hash"] = guarded["expected_hash"].clone();
        }
        let error = agent.refused(TOOL, wish, code).await;
        assert!(code != "ambiguous_heading" || error["candidates"].as_array().unwrap().len() >= 2, "{error}");
        assert_eq!(fixture.read("n.md"), NOTE, "{more}");
    }
    // The ordinal belongs to the bytes: with another text it is a conflict, whatever it would mean there.
    let (fixture, agent) = note(NOTE).await;
    fixture.write("n.md", &format!("## Log\n\n{NOTE}"));
    let stale = json!({"heading": "Log", "heading_level": 2, "heading_occurrence": 2, "expected_hash": hash(NOTE)});
    agent.refused(TOOL, all(stale), "conflict").await;
}

#[tokio::test]
async fn a_request_id_makes_a_retry_safe() {
    let (fixture, agent) = note("# T\n\n## Old\n").await;
    let wish = all(json!({"request_id": "try-1", "expected_hash": hash("# T\n\n## Old\n")}));
    let first = agent.ok(TOOL, wish.clone()).await;
    let again = agent.ok(TOOL, wish.clone()).await;
    assert_eq!((&first["replayed"], &again["replayed"]), (&json!(false), &json!(true)));
    for field in ["operation_id", "content_hash", "committed", "rel_path", "renamed", "diff"] {
        let plain = |value: &Value| match value.as_str() {
            Some(text) if field == "diff" => json!(super::harness::unwrapped(&json!(text))),
            _ => value.clone(),
        };
        assert_eq!(plain(&first[field]), plain(&again[field]), "{field}");
    }
    for more in [json!({"new_heading": "Third"}), json!({"heading": "New"}), json!({"expected_hash": null})] {
        let mut other = wish.clone();
        other.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        agent.refused(TOOL, other, "request_id_reused").await;
    }
    assert_eq!(fixture.read("n.md"), "# T\n\n## New\n");
    for id in ["", "a b", "ä", &"x".repeat(129)] {
        agent.refused(TOOL, all(json!({"request_id": id})), "invalid_arguments").await;
    }
}

#[tokio::test]
async fn what_is_required_and_what_is_unknown_is_named() {
    let (fixture, agent) = note("# T\n\n## Old\n").await;
    let chunk =
        agent.ok("get_note", json!({"id_or_path": "n.md", "format": "map"})).await["headings"][1]["chunk_id"].clone();
    for (arguments, named) in [
        (json!({}), json!(["heading", "new_heading", "rel_path"])),
        (json!({"rel_path": "n.md", "heading": "Old"}), json!(["new_heading"])),
        (all(json!({"rel_path": null, "heading": null})), json!(["heading", "rel_path"])),
        (all(json!({"chunk_id": chunk})), json!(["chunk_id"])),
        (
            all(json!({"rel_path": 1, "heading": ["Old"], "new_heading": {}})),
            json!(["heading", "new_heading", "rel_path"]),
        ),
    ] {
        let error = agent.refused(TOOL, arguments, "invalid_arguments").await;
        let mut names: Vec<&str> =
            error["arguments"].as_array().unwrap().iter().map(|argument| argument["name"].as_str().unwrap()).collect();
        names.sort_unstable();
        assert_eq!(json!(names), named, "{error}");
    }
    agent.refused(TOOL, all(json!({"rel_path": chunk})), "not_found").await;
    assert_eq!(fixture.read("n.md"), "# T\n\n## Old\n");
}

#[tokio::test]
async fn the_tool_says_that_it_destroys() {
    let (_fixture, agent) = note("# T\n").await;
    let hints = &agent.tool(TOOL)["annotations"];
    assert_eq!((&hints["readOnlyHint"], &hints["destructiveHint"]), (&json!(false), &json!(true)));
    let inputs = &agent.tool(TOOL)["inputSchema"]["properties"];
    for name in
        ["rel_path", "heading", "new_heading", "expected_hash", "request_id", "heading_level", "heading_occurrence"]
    {
        assert!(inputs[name]["description"].is_string(), "{name}");
    }
}
