//! From a typed word to an approved proposal, in the window, with a real agent at the other end.

use crate::steps::{file_has, let_agent_in, open_note, open_review, type_at_end};
use anyhow::Context;
use it::{Agent, Bench, Window, key, until};
use serde_json::json;

const GLACIER: &str = "\
//- /Glacier.md
# Glacier

## Old tools

See [[#Old tools|here]].
//- /Kit.md
Probes: [[Glacier#Old tools]] and `[[Glacier#Old tools]]`.
//- /deep/Daily.md
![[Glacier#Glacier#Old tools]]
//- /Untouched.md
[[Kit]]\r
";

#[tokio::test]
async fn a_person_types_and_reviews_what_an_agent_proposes_over_http() -> anyhow::Result<()> {
    let bench = Bench::new(GLACIER);
    let vault = bench.vault();
    let window = Window::open(&bench, &[vault.to_str().context("a plain path")?]).await?;
    open_note(&window, "Kit").await?;
    type_at_end(&window, "Typed here. ").await?;
    file_has(&bench, "Kit.md", "Typed here. ").await?;

    let typed = bench.read("Kit.md");
    bench.write("Kit.md", &format!("Written elsewhere.\n{typed}"));
    window.text_has(".cm-content", "Written elsewhere.").await?;

    let (url, token) = let_agent_in(&window, "Claude Code").await?;
    let agent = Agent::http(&url, &token).await?;
    let before = bench.files();
    let proposed = agent.rename("Glacier.md", "Old tools", "Instruments").await?;
    assert_eq!(proposed.text("status"), "proposed", "{proposed:?}");
    assert_eq!(bench.files(), before, "nothing is written before a person decides");

    open_review(&window).await?;
    window.text_has("section.review", "Instruments").await?;
    window.text_has("section.review [role=region]", "Kit.md").await?;
    window.keys("a").await?;
    let id = proposed.text("operation_id");
    let outcome = agent.call("get_operation", json!({"operation_id": id, "wait_seconds": 20})).await?;
    assert_eq!(outcome.text("status"), "committed", "{outcome:?}");
    window.text_has("section.review", "All reviewed").await?;

    let mut expected = before.clone();
    expected.insert("Glacier.md".to_owned(), b"# Glacier\n\n## Instruments\n\nSee [[#Instruments|here]].\n".to_vec());
    expected.insert("deep/Daily.md".to_owned(), b"![[Glacier#Glacier#Instruments]]\n".to_vec());
    let kit =
        String::from_utf8(before["Kit.md"].clone())?.replacen("[[Glacier#Old tools]]", "[[Glacier#Instruments]]", 1);
    expected.insert("Kit.md".to_owned(), kit.into_bytes());
    assert_eq!(bench.files(), expected);

    window.keys("u").await?;
    until("undo takes every byte back", || async { Ok((bench.files() == before).then_some(())) }).await?;
    window.close().await
}

#[tokio::test]
async fn stdio_beside_a_window_is_a_pipe_to_it() -> anyhow::Result<()> {
    let bench = Bench::new(GLACIER);
    let vault = bench.vault();
    let window = Window::open(&bench, &[vault.to_str().context("a plain path")?]).await?;
    window.find("[role=tree] [role=treeitem]").await?;
    let agent = Agent::stdio(&bench, &["--client", "Terminal agent"]).await?;
    let proposed = agent.rename("Glacier.md", "Old tools", "Instruments").await?;
    open_review(&window).await?;
    window.text_has("section.review", "Terminal agent").await?;
    window.keys("x").await?;
    window.keys("too vague").await?;
    window.keys(key::ENTER).await?;
    let id = proposed.text("operation_id");
    let outcome = agent.call("get_operation", json!({"operation_id": id, "wait_seconds": 20})).await?;
    assert_eq!((outcome.text("status"), outcome.text("comment")), ("declined".to_owned(), "too vague".to_owned()));
    agent.close().await?;
    window.close().await
}
