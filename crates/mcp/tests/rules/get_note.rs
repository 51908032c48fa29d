//! What `get_note` takes and answers.

use super::harness::agent::Agent;
use super::harness::{Fixture, unwrapped};
use super::hash;
use engine::Writes;
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;

const NOTE: &str = "---\naliases: [Other]\ntags: [a/b]\n---\nbefore #c\n\n# T\nown\n\n## A ^id\ntext [[l]]\n\n### *B* `c`\nx\n\n## A\ny\n\n#### Deep\nz\n";

async fn note() -> (Fixture, Agent) {
    let fixture = Fixture::new(&[("sub/n.md", NOTE), ("l.md", "# L\n")]);
    let agent = fixture.agent(Writes::Review).await;
    (fixture, agent)
}

fn keys(value: &Value) -> BTreeSet<&str> {
    value.as_object().unwrap().keys().map(String::as_str).collect()
}

fn words(list: &'static str) -> BTreeSet<&'static str> {
    list.split_whitespace().collect()
}

const IDENTITY: &str =
    "format rel_path folder_path id title content_hash note_content_hash content_hash_contract source_vault writable ";

#[tokio::test]
async fn each_format_has_its_fields_and_no_others() {
    let (_fixture, agent) = note().await;
    let map = agent.ok("get_note", json!({"id_or_path": "sub/n.md", "format": "map"})).await;
    let full = "tags aliases frontmatter created updated updated_at content_updated_at content offset limit_applied total_chars \
        returned_chars next_offset truncated content_truncated content_total_length estimated_tokens returned_estimated_tokens \
        headings pending_operations ";
    for (arguments, fields) in [
        (json!({"id_or_path": "sub/n.md"}), full.to_owned()),
        (json!({"id_or_path": "sub/n.md", "section": "A"}), format!("{full} section")),
        (json!({"id_or_path": "sub/n.md", "resolve_links": true}), format!("{full} links unresolved_links")),
        (
            json!({"id_or_path": "sub/n.md", "format": "map"}),
            "headings chunk_count total returned offset limit_applied next_offset truncated".to_owned(),
        ),
        (
            json!({"id_or_path": map["headings"][0]["chunk_id"]}),
            "chunk_id note_id header_path heading_path line_start line_end content returned_chars truncated estimated_tokens \
             chunk_content_hash prev_chunk_id next_chunk_id chunk_count"
                .to_owned(),
        ),
        (
            json!({"id_or_path": "sub/n.md", "format": "metadata"}),
            "metadata_json offset limit_applied total returned total_chars returned_chars next_offset truncated \
             returned_estimated_tokens"
                .to_owned(),
        ),
    ] {
        let answer = agent.ok("get_note", arguments.clone()).await;
        let expected: BTreeSet<&str> = IDENTITY.split_whitespace().chain(fields.split_whitespace()).collect();
        assert_eq!(keys(&answer), expected, "{arguments}");
    }
    let section = agent.ok("get_note", json!({"id_or_path": "sub/n.md", "section": "A"})).await;
    assert_eq!(
        keys(&section["section"]),
        words("heading_path heading_occurrence matching_headings line_start line_end")
    );
    assert_eq!(keys(&section["headings"][0]), words("level text offset"));
    let heading =
        "level text raw path heading_path heading_occurrence select line line_start line_end offset chars chunk_id";
    assert_eq!(keys(&map["headings"][0]), words(heading));
    assert_eq!(keys(&map["headings"][1]), words(heading).into_iter().chain(["block_id"]).collect());
}

#[tokio::test]
async fn the_map_says_of_each_heading_where_it_is_and_how_it_reads() {
    let (_fixture, agent) = note().await;
    let map = agent.ok("get_note", json!({"id_or_path": "sub/n.md", "format": "map"})).await;
    let body = &NOTE[NOTE.find("before").unwrap()..];
    let headings = map["headings"].as_array().unwrap();
    for (n, level, text, raw, path, occurrence, select, lines, block_id) in [
        (0, 1, "T", "T", json!(["T"]), 1, json!({"heading": "T", "heading_level": 1}), (7, 19), Value::Null),
        (
            1,
            2,
            "A",
            "A",
            json!(["T", "A"]),
            1,
            json!({"heading": "A", "heading_level": 2, "heading_occurrence": 1}),
            (10, 15),
            json!("id"),
        ),
        (
            2,
            3,
            "B c",
            "*B* `c`",
            json!(["T", "A", "B c"]),
            1,
            json!({"heading": "B c", "heading_level": 3}),
            (13, 15),
            Value::Null,
        ),
        (
            3,
            2,
            "A",
            "A",
            json!(["T", "A"]),
            2,
            json!({"heading": "A", "heading_level": 2, "heading_occurrence": 2}),
            (16, 20),
            Value::Null,
        ),
        (
            4,
            4,
            "Deep",
            "Deep",
            json!(["T", "A", "Deep"]),
            1,
            json!({"heading": "Deep", "heading_level": 4}),
            (19, 20),
            Value::Null,
        ),
    ] {
        let heading = &headings[n];
        assert_eq!((&heading["level"], &heading["text"], &heading["raw"]), (&json!(level), &json!(text), &json!(raw)));
        let titles: Vec<&str> = path.as_array().unwrap().iter().map(|title| title.as_str().unwrap()).collect();
        assert_eq!((&heading["heading_path"], &heading["path"]), (&path, &json!(titles.join(" / "))));
        assert_eq!((&heading["heading_occurrence"], &heading["select"]), (&json!(occurrence), &select));
        let end = if n == 0 { 20 } else { lines.1 };
        assert_eq!(
            (&heading["line_start"], &heading["line_end"], &heading["line"]),
            (&json!(lines.0), &json!(end), &json!(lines.0))
        );
        assert_eq!(heading.get("block_id").unwrap_or(&Value::Null), &block_id);
        let (offset, chars) =
            (heading["offset"].as_u64().unwrap() as usize, heading["chars"].as_u64().unwrap() as usize);
        let section: String = body.chars().skip(offset).take(chars).collect();
        assert!(section.starts_with(&format!("{} {raw}", "#".repeat(level))), "{section}");
    }
    assert_eq!((&map["chunk_count"], &map["total"], &map["truncated"]), (&json!(6), &json!(5), &json!(false)));
}

#[tokio::test]
async fn a_path_is_exact_first_and_then_folded() {
    let fixture = Fixture::new(&[
        ("Ärger/e\u{301}.md", "decomposed\n"),
        ("One.md", "upper\n"),
        ("one.md", "lower\n"),
        ("lone/File Name.md", "lone\n"),
        ("a.b.md", "dots\n"),
        ("md.md.md", "twice\n"),
    ]);
    let agent = fixture.agent(Writes::Review).await;
    for (asked, found) in [
        ("Ärger/e\u{301}.md", "Ärger/e\u{301}.md"),
        ("Ärger/\u{e9}.md", "Ärger/e\u{301}.md"),
        ("A\u{308}RGER/\u{c9}", "Ärger/e\u{301}.md"),
        ("One.md", "One.md"),
        ("one", "one.md"),
        ("LONE/file name", "lone/File Name.md"),
        ("lone//File Name.md", "lone/File Name.md"),
        ("a.b", "a.b.md"),
        ("md.md", "md.md.md"),
    ] {
        let answer = agent.ok("get_note", json!({"id_or_path": asked})).await;
        assert_eq!(answer["rel_path"], found, "{asked}");
    }
    let error = agent.refused("get_note", json!({"id_or_path": "ONE.md"}), "ambiguous_title").await;
    let candidates = error["candidates"].as_array().unwrap();
    assert_eq!(candidates.iter().map(|candidate| &candidate["rel_path"]).collect::<Vec<_>>(), ["One.md", "one.md"]);
    assert!(candidates.iter().all(|candidate| keys(candidate) == words("id title rel_path")));
}

#[tokio::test]
async fn arguments_that_do_not_go_together_are_refused() {
    let (_fixture, agent) = note().await;
    let map = agent.ok("get_note", json!({"id_or_path": "sub/n.md", "format": "map"})).await;
    let chunk = &map["headings"][0]["chunk_id"];
    for (arguments, name) in [
        (json!({}), "id_or_path"),
        (json!({"id_or_path": "sub/n.md", "title": "n"}), "title"),
        (json!({"id_or_path": "sub/n.md", "id": map["id"]}), "id"),
        (json!({"id": map["id"], "title": "n"}), "title"),
        (json!({"title": "n", "section": "A", "heading_path": ["T", "A"]}), "section"),
        (json!({"title": "n", "section": "A", "heading_occurrence": 1}), "heading_occurrence"),
        (json!({"title": "n", "heading_occurrence": 1}), "heading_occurrence"),
        (json!({"title": "n", "section": "A", "format": "map"}), "section"),
        (json!({"title": "n", "section": "A", "format": "metadata"}), "section"),
        (json!({"title": "n", "heading_path": ["T"], "format": "map"}), "heading_path"),
        (json!({"title": "n", "resolve_links": true, "format": "map"}), "resolve_links"),
        (json!({"id_or_path": chunk, "section": "A"}), "section"),
        (json!({"id_or_path": chunk, "resolve_links": true}), "resolve_links"),
        (json!({"title": "n", "format": "chunk"}), "format"),
        (json!({"title": "n", "limit": 0}), "limit"),
    ] {
        let error = agent.refused("get_note", arguments.clone(), "invalid_arguments").await;
        let named: Vec<&Value> =
            error["arguments"].as_array().unwrap().iter().map(|argument| &argument["name"]).collect();
        assert_eq!(named, [name], "{arguments}: {error}");
    }
}

#[tokio::test]
async fn a_section_has_its_subtree_unless_told_otherwise() {
    let (_fixture, agent) = note().await;
    let own = "## A ^id\ntext [[l]]\n\n";
    let whole = "## A ^id\ntext [[l]]\n\n### *B* `c`\nx\n\n";
    for (more, text, line_end, headings) in [
        (json!({"section": "a"}), whole, 15, 2),
        (json!({"section": "a", "include_children": true}), whole, 15, 2),
        (json!({"section": "a", "include_children": false}), own, 12, 1),
        (json!({"heading_path": ["T", "A"], "heading_occurrence": 1, "include_children": false}), own, 12, 1),
        (json!({"heading_path": ["A", "B c"]}), "### *B* `c`\nx\n\n", 15, 1),
        (json!({"heading_path": ["B c"]}), "### *B* `c`\nx\n\n", 15, 1),
        (json!({"heading_path": ["*B* `c`"]}), "### *B* `c`\nx\n\n", 15, 1),
    ] {
        let mut arguments = json!({"id_or_path": "sub/n.md"});
        arguments.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let answer = agent.ok("get_note", arguments).await;
        assert_eq!(unwrapped(&answer["content"]), text, "{more}");
        assert_eq!(answer["section"]["line_end"], line_end, "{more}");
        assert_eq!(answer["headings"].as_array().unwrap().len(), headings, "{more}");
    }
    // An ending that several paths have names none of them.
    let fixture = Fixture::new(&[("n.md", "# A\n## X\n# B\n## X\n")]);
    let agent = fixture.agent(Writes::Review).await;
    let error = agent.refused("get_note", json!({"title": "n", "heading_path": ["X"]}), "ambiguous_heading").await;
    assert_eq!(error["candidates"][1]["heading_path"], json!(["B", "X"]));
    agent.ok("get_note", json!({"title": "n", "heading_path": ["B", "X"]})).await;
}

#[tokio::test]
async fn links_are_those_of_the_text_that_was_asked_for() {
    let note = "---\nup: \"[[p]]\"\n---\n[[a]] ![[i.png]] ![[none.png]]\n# S\n[[b#x|y]] [[#S]] [[gone]] `[[code]]` %%[[hidden]]%%\n## T\n[[a]]\n";
    let fixture = Fixture::of_bytes(&[
        ("n.md", note.as_bytes()),
        ("a.md", b"a\n"),
        ("b.md", b"b\n"),
        ("p.md", b"p\n"),
        ("i.png", b"png"),
    ]);
    let agent = fixture.agent(Writes::Review).await;
    for (more, linked, unresolved) in [
        (json!({}), vec!["p.md", "a.md", "b.md"], vec!["none.png", "gone"]),
        (json!({"section": "S"}), vec!["b.md", "a.md"], vec!["gone"]),
        (json!({"section": "S", "include_children": false}), vec!["b.md"], vec!["gone"]),
        (json!({"section": "T"}), vec!["a.md"], vec![]),
        // The window does not matter: links are those of the whole text that is paged.
        (json!({"section": "S", "limit": 1}), vec!["b.md", "a.md"], vec!["gone"]),
    ] {
        let mut arguments = json!({"id_or_path": "n.md", "resolve_links": true});
        arguments.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let answer = agent.ok("get_note", arguments).await;
        let links: Vec<&Value> = answer["links"].as_array().unwrap().iter().map(|link| &link["rel_path"]).collect();
        assert_eq!(links, linked, "{more}");
        assert_eq!(answer["unresolved_links"], json!(unresolved), "{more}");
        assert!(answer["links"].as_array().unwrap().iter().all(|link| link.get("content").is_none()));
    }
}

#[tokio::test]
async fn properties_are_yaml_1_2() {
    let note = "---\ntime: 14:30\nversion: 1.10\nyes: yes\nno: No\non: on\noctal: 010\nhex: 0x1F\nreal: 1.5\nexp: 1e3\nbig: 123456789012345678901234567890\n\
        minus: -7\ndate: 2024-02-30\nnull: ~\nempty:\ntrue: true\nquoted: \"14:30 \\u00e9\"\nlist:\n  - 1\n  - two\nmap: {a: {b: [c]}}\n\
        block: |\n  one\n  two\ncssclasses: wide\n---\n";
    let expected = json!({
        "time": "14:30", "version": "1.10", "yes": "yes", "no": "No", "on": "on", "real": 1.5, "minus": -7,
        "date": "2024-02-30", "null": null, "empty": null, "true": true, "quoted": "14:30 é", "list": [1, "two"],
        "map": {"a": {"b": ["c"]}}, "block": "one\ntwo\n", "cssclasses": "wide",
        // What JSON would write otherwise stays the text that it is.
        "octal": "010", "hex": "0x1F", "exp": "1e3", "big": "123456789012345678901234567890",
    });
    let fixture = Fixture::new(&[("n.md", note)]);
    let agent = fixture.agent(Writes::Review).await;
    let full = agent.read("n.md").await;
    let metadata = agent.ok("get_note", json!({"id_or_path": "n.md", "format": "metadata"})).await;
    let metadata: Value = serde_json::from_str(metadata["metadata_json"].as_str().unwrap()).unwrap();
    for (name, value) in expected.as_object().unwrap() {
        assert_eq!(full["frontmatter"][name], *value, "{name}");
    }
    assert_eq!(metadata["frontmatter"], full["frontmatter"]);
    assert_eq!(keys(&metadata), words("title tags aliases frontmatter"));
}

#[tokio::test]
async fn updated_at_guards_every_write() {
    let (fixture, agent) = note().await;
    let read = agent.read("sub/n.md").await;
    let mut n = 0;
    for (tool, arguments) in super::calls() {
        let inputs = agent.tool(tool)["inputSchema"]["properties"].as_object().unwrap();
        if !inputs.contains_key("expected_updated_at") {
            continue;
        }
        let mut wish: Map<String, Value> = arguments.as_object().unwrap().clone();
        wish.insert("rel_path".to_owned(), json!("sub/n.md"));
        for (name, old, new) in [("heading", "A", "Deep"), ("destination_heading", "B", "T")] {
            if wish.get(name) == Some(&json!(old)) {
                wish.insert(name.to_owned(), json!(new));
            }
        }
        if wish.contains_key("position") && tool == "move_note_section" {
            wish.insert("position".to_owned(), json!("first_child"));
        }
        if wish.contains_key("edits") {
            wish.insert("edits".to_owned(), json!([{"find": "own", "replace": "new"}]));
        }
        // A section is deleted only by its hash; the time may stand beside it.
        match tool {
            "delete_note_section" => drop(wish.insert("expected_hash".to_owned(), read["content_hash"].clone())),
            _ => drop(wish.remove("expected_hash")),
        }
        wish.insert("expected_updated_at".to_owned(), read["updated_at"].clone());
        agent.ok(tool, json!(wish)).await;
        if tool != "delete_note_section" {
            wish.insert("expected_updated_at".to_owned(), json!("2001-01-01T00:00:00Z"));
            let error = agent.refused(tool, json!(wish), "conflict").await;
            assert_eq!(
                (&error["current_hash"], &error["current_updated_at"]),
                (&json!(hash(NOTE)), &read["updated_at"])
            );
        }
        wish.insert("expected_updated_at".to_owned(), json!("yesterday"));
        agent.refused(tool, json!(wish), "invalid_arguments").await;
        n += 1;
    }
    assert!(n >= 7, "{n}");
    assert_eq!(fixture.read("sub/n.md"), NOTE);
}

#[tokio::test]
async fn a_proposal_that_waits_is_told_of() {
    let (_fixture, agent) = note().await;
    assert_eq!(agent.read("sub/n.md").await["pending_operations"], json!([]));
    let wish = json!({"rel_path": "sub/n.md", "heading": "Deep", "new_heading": "Deeper"});
    let proposed = agent.ok("rename_note_section", wish).await;
    assert_eq!(
        agent.read("sub/n.md").await["pending_operations"],
        json!([{"operation_id": proposed["operation_id"], "kind": "rename_section", "client": "tester", "heading": "Deep", "new_heading": "Deeper", "line": 19}])
    );
}
