//! What a client asks in the first moment is answered as it is later: a vault that was just opened is still being indexed.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod harness;

use engine::Writes;
use harness::Fixture;
use serde_json::{Value, json};

/// A note in the middle of many, a link to it from the last one, and one from it.
fn files() -> Vec<(String, String)> {
    let others = (0..300).map(|n| (format!("many/{n:03}.md"), format!("# Note {n}\n\n{}\n", "word ".repeat(200))));
    let named = [
        ("m.md", "# M\n\n## Old\n\nsee [[last one]]\n"),
        ("zz/last one.md", "---\naliases: [The end]\n---\n# Z\n\nrare [[m#Old]]\n"),
    ];
    others.chain(named.map(|(path, text)| (path.to_owned(), text.to_owned()))).collect()
}

fn just_opened() -> Fixture {
    let files = files();
    let files: Vec<(&str, &[u8])> = files.iter().map(|(path, text)| (path.as_str(), text.as_bytes())).collect();
    Fixture::just_opened(&files)
}

#[tokio::test]
async fn the_first_question_is_answered_as_any_other() {
    let heading = json!({"rel_path": "m.md", "heading": "Old", "new_heading": "New", "dry_run": true});
    let warning = "1 link to it in 1 note will lead nowhere: `zz/last one.md`";
    let moved = json!({"rel_path": "m.md", "new_rel_path": "n.md", "dry_run": true});
    for (tool, arguments, at, wanted) in [
        (
            "get_note",
            json!({"id_or_path": "m.md", "resolve_links": true}),
            "/links/0/rel_path",
            json!("zz/last one.md"),
        ),
        ("get_note", json!({"title": "The end"}), "/rel_path", json!("zz/last one.md")),
        ("get_note", json!({"id_or_path": "ZZ/Last One"}), "/rel_path", json!("zz/last one.md")),
        ("list_notes", json!({}), "/total", json!(302)),
        ("list_notes", json!({"folder": "zz"}), "/total", json!(1)),
        ("search_text", json!({"query": "rare"}), "/total", json!(1)),
        ("get_backlinks", json!({"target": "m.md"}), "/total", json!(1)),
        ("rename_note_section", heading, "/renamed/links_updated", json!(1)),
        ("move_note", moved, "/files/2/rel_path", json!("zz/last one.md")),
        ("delete_note", json!({"rel_path": "m.md", "dry_run": true}), "/warnings/0", json!(warning)),
    ] {
        let fixture = just_opened();
        let mut client = fixture.client(Writes::Review).await;
        let answer = client.ok(tool, arguments.clone()).await;
        assert_eq!(answer.pointer(at), Some(&wanted), "{tool} {arguments}: {answer}");
    }
}

#[tokio::test]
async fn so_are_resources_and_completion() {
    let fixture = just_opened();
    let mut client = fixture.client(Writes::Review).await;
    let note = json!({"type": "ref/resource", "uri": "vault://note/{+path}"});
    let asked = json!({"ref": note, "argument": {"name": "path", "value": "zz"}});
    let answer = client.request("completion/complete", asked).await;
    assert_eq!(answer["result"]["completion"]["values"], json!(["zz/last one.md"]), "{answer}");
    let fixture = just_opened();
    let mut client = fixture.client(Writes::Review).await;
    let prompt = json!({"type": "ref/prompt", "name": "fix_broken_links"});
    let asked = json!({"ref": prompt, "argument": {"name": "folder", "value": "z"}});
    let answer = client.request("completion/complete", asked).await;
    assert_eq!(answer["result"]["completion"]["values"], json!(["zz"]), "{answer}");
    let fixture = just_opened();
    let mut client = fixture.client(Writes::Review).await;
    let mut uris = Vec::new();
    let mut cursor = Value::Null;
    loop {
        let page = match &cursor {
            Value::Null => json!({}),
            cursor => json!({"cursor": cursor}),
        };
        let answer = client.request("resources/list", page).await["result"].clone();
        uris.extend(answer["resources"].as_array().unwrap().iter().map(|one| one["uri"].clone()));
        cursor = answer["nextCursor"].clone();
        if cursor.is_null() {
            break;
        }
    }
    assert!(uris.contains(&json!("vault://note/zz/last%20one.md")), "{} resources", uris.len());
}
