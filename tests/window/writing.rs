//! A person writes while other programs write too, looks back, and comes again the next day.

use crate::steps::{file_has, let_agent_in, open_note, type_at_end};
use anyhow::Context;
use it::{Agent, Bench, Window, key, until};
use serde_json::json;

const VAULT: &str = "\
//- /Diary.md
# Diary

First line.
//- /Other.md
See [[Diary]].
";

#[tokio::test]
async fn unsaved_words_and_an_outside_edit_are_both_kept() -> anyhow::Result<()> {
    let bench = Bench::new(VAULT);
    let vault = bench.vault();
    let window = Window::open(&bench, &[vault.to_str().context("a plain path")?]).await?;
    open_note(&window, "Diary").await?;
    type_at_end(&window, "Typed and not saved yet.").await?;
    bench.write("Diary.md", "# Diary\n\nFrom another program.\n\nFirst line.\n");
    file_has(&bench, "Diary.md", "Typed and not saved yet.").await?;
    file_has(&bench, "Diary.md", "From another program.").await?;
    assert_eq!(bench.read("Diary.md"), "# Diary\n\nFrom another program.\n\nFirst line.\nTyped and not saved yet.");
    window.text_has(".cm-content", "From another program.").await?;

    window.press(&[key::CONTROL, key::SHIFT], "h").await?;
    window.text_has("section.history", "You").await?;
    window.click("section.history ul:last-of-type li:last-child button").await?;
    window.text_has(".view [role=region]", "First line.").await?;
    window.click(".view .button").await?;
    window.text_has(".view", "Restored").await?;
    assert_eq!(bench.read("Diary.md"), "# Diary\n\nFirst line.\n");
    window.close().await
}

#[tokio::test]
async fn an_agent_let_in_today_is_let_in_tomorrow() -> anyhow::Result<()> {
    let bench = Bench::new(VAULT);
    let vault = bench.vault();
    let vault = vault.to_str().context("a plain path")?;
    let window = Window::open(&bench, &[vault]).await?;
    window.find("[role=tree] [role=treeitem]").await?;
    let (url, token) = let_agent_in(&window, "Cursor").await?;
    let agent = Agent::http(&url, &token).await?;
    let proposed = agent.call("get_note", json!({"id_or_path": "Diary"})).await?;
    assert!(!proposed.is_error, "{proposed:?}");
    window.close().await?;
    assert!(Agent::http(&url, &token).await.is_err(), "nothing listens when the window is closed");

    let window = Window::open(&bench, &[]).await?;
    window.text_has("header.top", "Agents on").await?;
    let agent = Agent::http(&url, &token).await?;
    assert!(!agent.call("get_note", json!({"id_or_path": "Diary"})).await?.is_error);
    assert!(Agent::http(&url, "vidimus_wrong").await.is_err(), "a wrong token is shut out");
    window.close().await
}

#[tokio::test]
async fn what_was_typed_is_undone_by_the_editor_and_kept_by_nobody_else() -> anyhow::Result<()> {
    let bench = Bench::new(VAULT);
    let vault = bench.vault();
    let window = Window::open(&bench, &[vault.to_str().context("a plain path")?]).await?;
    open_note(&window, "Diary").await?;
    type_at_end(&window, "Soon undone.").await?;
    let is_kept = "return document.queryCommandEnabled('undo')";
    assert_eq!(window.script(is_kept).await?, true, "the web view keeps what is typed");
    window.press(&[key::CONTROL], "w").await?;
    window.text_has("main", "No note is open").await?;
    until("the web view has let go", || async { Ok((window.script(is_kept).await? == false).then_some(())) }).await?;
    window.close().await
}

#[tokio::test]
async fn a_full_disk_keeps_the_words_in_the_editor_until_there_is_room() -> anyhow::Result<()> {
    let bench = Bench::new(VAULT);
    let vault = bench.vault();
    let sign = bench.home().join("disk-is-full");
    let env = [("VIDIMUS_FULL_DISK", sign.to_str().context("a plain path")?)];
    let window = Window::open_with(&bench, &[vault.to_str().context("a plain path")?], &env).await?;
    open_note(&window, "Diary").await?;
    let before = bench.files();
    std::fs::write(&sign, "")?;
    type_at_end(&window, "Words for later.").await?;
    window.text_has("[role=alert]", "Free some space").await?;
    assert_eq!(bench.files(), before, "nothing is half-written");
    window.text_has(".cm-content", "Words for later.").await?;
    std::fs::remove_file(&sign)?;
    type_at_end(&window, " And more.").await?;
    file_has(&bench, "Diary.md", "Words for later. And more.").await?;
    window.close().await
}
