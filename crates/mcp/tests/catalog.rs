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
    let size = list.to_string().len();
    assert!(size < 24_000, "the catalog has {size} bytes");
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

#[tokio::test]
async fn notes_are_resources_and_prompts_know_the_vault() {
    let fixture = Fixture::new(&[("a/b c#1.md", "# A\ntext\n"), ("d.md", "# D\n\n## Old\n")]);
    let mut client = fixture.client(Writes::Review).await;
    let list = client.request("resources/list", json!({})).await["result"]["resources"].clone();
    assert_eq!(list[0]["uri"], "vault://note/a/b%20c%231.md");
    assert_eq!((&list[0]["name"], &list[0]["title"]), (&json!("a/b c#1.md"), &json!("A")));
    let read = client.request("resources/read", json!({"uri": list[0]["uri"]})).await["result"]["contents"].clone();
    assert_eq!(harness::unwrapped(&read[0]["text"]), "# A\ntext\n");
    let gone = client.request("resources/read", json!({"uri": "vault://note/x.md"})).await["error"].clone();
    assert_eq!((&gone["code"], &gone["data"]["code"]), (&json!(-32002), &json!("not_found")));
    assert_eq!(client.request("resources/read", json!({"uri": "file:///etc/passwd"})).await["error"]["code"], -32002);
    let path = json!({"ref": {"type": "ref/resource", "uri": "vault://note/{+path}"}, "argument": {"name": "path", "value": "B"}});
    let completion = client.request("completion/complete", path).await["result"]["completion"].clone();
    assert_eq!(completion["values"], json!(["a/b c#1.md"]));
    let folder =
        json!({"ref": {"type": "ref/prompt", "name": "fix_broken_links"}, "argument": {"name": "folder", "value": ""}});
    assert_eq!(client.request("completion/complete", folder).await["result"]["completion"]["values"], json!(["a"]));

    let prompts = client.request("prompts/list", json!({})).await["result"]["prompts"].clone();
    assert_eq!(prompts.as_array().unwrap().len(), 3);
    let tidy = json!({"name": "tidy_headings", "arguments": {"path": "d.md"}});
    let text = client.request("prompts/get", tidy).await["result"]["messages"][0]["content"]["text"].clone();
    assert!(text.as_str().unwrap().contains("\"d.md\""));
    assert_eq!(client.request("prompts/get", json!({"name": "tidy_headings"})).await["error"]["code"], -32602);
    let wish = json!({"rel_path": "d.md", "heading": "Old", "new_heading": "New"});
    let proposed = client.ok("rename_note_section", wish).await;
    let operation = json!({"uri": format!("vault://operation/{}", proposed["operation_id"].as_str().unwrap())});
    let read = client.request("resources/read", operation).await["result"]["contents"][0]["text"].clone();
    assert!(read.as_str().unwrap().contains("\"status\":\"proposed\""));
    let id = proposed["operation_id"].as_str().unwrap().parse().unwrap();
    fixture.engine.decide(id, engine::Decision::Decline { comment: Some("too new".to_owned()) }).unwrap();
    let declined = client.request("prompts/get", json!({"name": "review_declined"})).await["result"].to_string();
    assert!(declined.contains("too new"), "{declined}");
}
