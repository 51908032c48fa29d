//! What is offered, as it is offered: names, inputs and outputs are frozen once released.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod harness;

use engine::Writes;
use expect_test::expect_file;
use harness::Fixture;
use serde_json::{Value, json};

#[tokio::test]
async fn the_catalog_is_as_agreed_and_small() {
    let fixture = Fixture::new(&[("a.md", "# A\n")]);
    let mut client = fixture.client(Writes::Review).await;
    let list = client.request("tools/list", json!({})).await["result"].clone();
    let size = list["tools"].to_string().len();
    assert!(size <= 24 * 1024, "the catalog has {size} bytes");
    for tool in list["tools"].as_array().unwrap() {
        let name = tool["name"].as_str().unwrap();
        assert!(tool["title"].is_string() && tool["description"].is_string(), "{name}");
        assert_eq!(tool["inputSchema"]["additionalProperties"], false, "{name}");
        assert!(tool["outputSchema"]["type"] == "object", "{name}");
        for (argument, schema) in tool["inputSchema"]["properties"].as_object().unwrap() {
            assert!(schema["description"].is_string(), "{name}.{argument}");
        }
        for hint in ["readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"] {
            assert!(tool["annotations"][hint].is_boolean(), "{name}.{hint}");
        }
    }
    let names: Vec<&Value> = list["tools"].as_array().unwrap().iter().map(|tool| &tool["name"]).collect();
    assert!(names.is_sorted_by_key(|name| name.as_str()));
    expect_file!["catalog.json"].assert_eq(&format!("{:#}\n", list["tools"]));
}

#[tokio::test]
async fn the_instructions_are_short() {
    let fixture = Fixture::new(&[("a.md", "# A\n")]);
    let (ours, theirs) = tokio::io::duplex(1 << 16);
    let (read, write) = tokio::io::split(theirs);
    let desk = fixture.engine.desk("t", Writes::Review);
    tokio::spawn(async move { mcp::serve_stream(read, write, desk, Default::default(), &Default::default()).await });
    let opened = harness::Client::new(ours).initialize().await;
    let instructions = opened["instructions"].as_str().unwrap();
    assert!(instructions.len() <= 1024, "{} bytes", instructions.len());
    assert_eq!(opened["serverInfo"]["name"], "vidimus");
}

#[tokio::test]
async fn whoever_may_not_write_sees_only_tools_that_read() {
    let fixture = Fixture::new(&[("a.md", "# A\n\n## B\n")]);
    let mut client = fixture.client(Writes::Off).await;
    let list = client.request("tools/list", json!({})).await["result"].clone();
    assert!(list["tools"].as_array().unwrap().iter().all(|tool| tool["annotations"]["readOnlyHint"] == true));
    let error =
        client.fails("rename_note_section", json!({"rel_path": "a.md", "heading": "B", "new_heading": "C"})).await;
    assert_eq!(error["code"], "writes_off");
    assert_eq!(client.ok("get_note", json!({"id_or_path": "a.md"})).await["writable"], false);
}
