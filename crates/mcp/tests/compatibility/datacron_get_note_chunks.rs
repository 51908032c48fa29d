//! `get_note` for a chunk id, as a Datacron client calls it.

use super::harness::{Fixture, unwrapped};
use super::hash;
use engine::Writes;
use serde_json::{Value, json};

const KEY: &str = "AKIAIOSFODNN7EXAMPLE";

#[tokio::test]
async fn chunks_follow_each_other_and_ignore_windows() {
    let long = "a paragraph of words ".repeat(100);
    let note = format!("---\na: 1\n---\nbefore\n\n# One\n{long}\n\n{long}\n\n{long}\n\n## Two\n{KEY}\n# One\nagain\n");
    let fixture = Fixture::new(&[("n.md", &note)]);
    let agent = fixture.agent(Writes::Review).await;
    let map = agent.ok("get_note", json!({"id_or_path": "n.md", "format": "map"})).await;
    let mut id = map["headings"][0]["chunk_id"].clone();
    let first = agent.ok("get_note", json!({"id_or_path": id})).await;
    assert!(!first["prev_chunk_id"].is_null(), "there is text before the first heading");
    id = first["prev_chunk_id"].clone();
    let (mut text, mut n, mut before) = (String::new(), 0, Value::Null);
    while !id.is_null() {
        let chunk = agent.ok("get_note", json!({"id_or_path": id, "offset": 3, "limit": 2})).await;
        assert_eq!((&chunk["format"], &chunk["chunk_id"], &chunk["prev_chunk_id"]), (&json!("chunk"), &id, &before));
        assert_eq!((&chunk["note_id"], &chunk["chunk_count"]), (&map["id"], &map["chunk_count"]));
        let shown = unwrapped(&chunk["content"]);
        let line = note.lines().nth(chunk["line_start"].as_u64().unwrap() as usize - 1).unwrap();
        assert!(shown.starts_with(line), "{line}");
        let last = note.lines().nth(chunk["line_end"].as_u64().unwrap() as usize - 1).unwrap();
        assert!(last.contains(KEY) || shown.lines().last().unwrap() == last, "{last}");
        assert_eq!(chunk["chunk_content_hash"], hash(&shown.replace("{{vidimus:secret:1}}", KEY)));
        assert_eq!(chunk["estimated_tokens"], shown.chars().count() / 4);
        (before, id) = (id, chunk["next_chunk_id"].clone());
        text += &shown;
        n += 1;
    }
    assert_eq!(text.replace("{{vidimus:secret:1}}", KEY), &note[note.find("before").unwrap()..]);
    assert_eq!(map["chunk_count"], n);
    let two = agent.ok("get_note", json!({"id_or_path": map["headings"][1]["chunk_id"]})).await;
    assert_eq!(two["header_path"], "One / Two");
}

#[tokio::test]
async fn a_search_hit_leads_to_its_chunk() {
    let fixture = Fixture::new(&[
        ("n.md", "# One\nbefore the heron came\n\n## Two\nthe heron stood\n\n## Two\na heron again\n"),
        ("plain.md", "no heading, one heron\n"),
    ]);
    let agent = fixture.agent(Writes::Review).await;
    let found = agent.ok("search_text", json!({"query": "heron"})).await;
    let results = found["results"].as_array().unwrap();
    assert_eq!(results.len(), 4, "{found}");
    for hit in results {
        let chunk = agent.ok("get_note", json!({"id_or_path": hit["chunk_id"]})).await;
        assert_eq!((&chunk["format"], &chunk["rel_path"]), (&json!("chunk"), &hit["rel_path"]));
        assert_eq!((&chunk["heading_path"], &chunk["line_start"]), (&hit["heading_path"], &hit["line_start"]));
        assert!(unwrapped(&chunk["content"]).contains("heron"), "{chunk}");
    }
}

#[tokio::test]
async fn a_chunk_of_another_text_says_what_became_of_it() {
    const BEFORE: &str = "# A\nzero\n\n## B\none\n\n### C\ntwo\n\n## B\nthree\n";
    // The chunk asked for, the note after an edit, the heading that covers it now with its occurrence, what became of the
    // chunk, and what stands there now.
    for (nth, after, path, occurrence, became, text) in [
        (1, BEFORE.replace("three", "four"), json!(["A", "B"]), 1, "unchanged", "## B\none\n\n"),
        (1, BEFORE.replace("one", "uno"), json!(["A", "B"]), 1, "changed", "## B\nuno\n\n"),
        (2, BEFORE.replace("## B\none", "## Other\none"), json!(["A", "Other", "C"]), 1, "unchanged", "### C\ntwo\n\n"),
        (2, BEFORE.replace("### C\ntwo\n\n", ""), json!(["A", "B"]), 1, "gone", "## B\none\n\n"),
        (3, BEFORE.replace("## B\none", "## B\nnew\n\n## B\none"), json!(["A", "B"]), 3, "unchanged", "## B\nthree\n"),
        (1, BEFORE.replace("## B\none", "## B\nnew\n\n## B\none"), json!(["A", "B"]), 2, "unchanged", "## B\none\n\n"),
        (3, BEFORE.replace("## B\none", "one"), json!(["A", "B"]), 1, "unchanged", "## B\nthree\n"),
        (0, format!("top\n\n{BEFORE}"), json!(["A"]), 1, "unchanged", "# A\nzero\n\n"),
        (1, "# A\n".to_owned(), json!(["A"]), 1, "gone", "# A\n"),
    ] {
        let fixture = Fixture::new(&[("n.md", BEFORE)]);
        let agent = fixture.agent(Writes::Review).await;
        let map = agent.ok("get_note", json!({"id_or_path": "n.md", "format": "map"})).await;
        let id = map["headings"][nth]["chunk_id"].clone();
        fixture.write("n.md", &after);
        let error = agent.refused("get_note", json!({"id_or_path": id}), "stale_chunk").await;
        assert_eq!((&error["current_hash"], &error["rel_path"]), (&json!(hash(&after)), &json!("n.md")), "{after}");
        assert_eq!((&error["heading_path"], &error["heading_occurrence"]), (&path, &json!(occurrence)), "{after}");
        assert_eq!((&error["became"], &error["retryable"]), (&json!(became), &json!(true)), "{after}");
        let now = agent.ok("get_note", json!({"id_or_path": error["chunk_id"]})).await;
        assert_eq!(unwrapped(&now["content"]), text, "{after}");
        let section = json!({"id_or_path": "n.md", "heading_path": error["heading_path"], "heading_occurrence": error["heading_occurrence"]});
        assert!(unwrapped(&agent.ok("get_note", section).await["content"]).starts_with(text), "{after}");
    }
}

#[tokio::test]
async fn a_chunk_id_outlives_edits_elsewhere_without_its_hash() {
    let fixture = Fixture::new(&[("n.md", "# A\n\n## B\none\n\n## C\ntwo\n")]);
    let agent = fixture.agent(Writes::Review).await;
    let map = agent.ok("get_note", json!({"id_or_path": "n.md", "format": "map"})).await;
    let id = map["headings"][2]["chunk_id"].as_str().unwrap().to_owned();
    fixture.write("n.md", "# A\nmore\n\n## B\nuno\n\n## C\ntwo\n");
    let bare = id.split('@').next().unwrap();
    assert_eq!(unwrapped(&agent.read(bare).await["content"]), "## C\ntwo\n");
    // The new id differs in nothing but what tells the two texts apart.
    let error = agent.refused("get_note", json!({"id_or_path": id}), "stale_chunk").await;
    assert!(error["chunk_id"].as_str().unwrap().starts_with(&format!("{bare}@")), "{error}");
    std::fs::remove_file(fixture.root().join("n.md")).unwrap();
    agent.refused("get_note", json!({"id_or_path": id}), "not_found").await;
}
