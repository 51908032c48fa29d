//! Several vaults at once, each in a window of its own with an engine of its own.

use crate::steps::{file_has, let_agent_in, open_note, type_at_end};
use anyhow::Context;
use it::{Agent, Bench, Window, until};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::Stdio;

const NOTES: &str = "\
//- /June.md
# June

Here.
";

/// Makes a second vault beside the bench's own.
fn other_vault(bench: &Bench) -> anyhow::Result<PathBuf> {
    let other = bench.home().join("Other notes");
    std::fs::create_dir_all(&other)?;
    std::fs::write(other.join("Far.md"), "# Far\n\nThere.\n")?;
    Ok(other)
}

fn text(path: &Path) -> anyhow::Result<&str> {
    path.to_str().context("a plain path")
}

async fn start(bench: &Bench, window: &Window, args: &[&str]) -> anyhow::Result<()> {
    let mut second = window.second(bench, args)?.stdout(Stdio::null()).stderr(Stdio::null()).spawn()?;
    until("the second start ends", || {
        let ended = second.try_wait();
        async { Ok(ended?) }
    })
    .await?;
    Ok(())
}

/// Calls a command of the program in the first window, and returns what it answers, or how it refuses.
async fn invoke(window: &Window, command: &str, arguments: &Value) -> anyhow::Result<Value> {
    let script = format!(
        "window.answered = undefined; window.__TAURI_INTERNALS__.invoke({command:?}, {arguments}).then(\
         (one) => (window.answered = {{ ok: one }}), (one) => (window.answered = {{ fault: one }})); return null"
    );
    window.script(&script).await?;
    until(command, || async {
        let answered = window.script("return window.answered ?? null").await?;
        Ok((!answered.is_null()).then_some(answered))
    })
    .await
}

fn who_has(bench: &Bench, vault: &Path) -> anyhow::Result<Value> {
    let (code, out, err) = bench.run(&["status", "--json", "--vault", text(vault)?]);
    anyhow::ensure!(code == 0, "{err}");
    Ok(serde_json::from_str(&out)?)
}

#[tokio::test]
async fn each_vault_has_a_window_and_only_one() -> anyhow::Result<()> {
    let bench = Bench::new(NOTES);
    let other = other_vault(&bench)?;
    let vault = bench.vault();
    let window = Window::open(&bench, &[text(&vault)?]).await?;
    open_note(&window, "June").await?;
    start(&bench, &window, &[text(&other)?]).await?;
    window.display.shows("Other notes").await?;
    window.display.shows("June · vault").await?;
    // Named once more, it is the same window.
    start(&bench, &window, &[text(&other)?]).await?;
    start(&bench, &window, &["vidimus://open?vault=Other%20notes&file=Far.md"]).await?;
    window.display.shows("Far · Other notes").await?;
    assert_eq!(window.display.titles().len(), 2, "{:?}", window.display.titles());
    // The first window heard nothing of it.
    window.text_has("[role=tab][aria-selected=true]", "June").await?;
    let refused = invoke(&window, "open_vault", &json!({ "path": text(&other)? })).await?;
    assert_eq!(refused["fault"]["code"], "open_elsewhere", "{refused}");
    window.text_has("[role=tab][aria-selected=true]", "June").await?;
    for path in [&vault, &other] {
        let status = who_has(&bench, path)?;
        assert!(status.to_string().contains("window"), "{status}");
    }
    // A new note of one vault is no news for the other.
    std::fs::write(other.join("Later.md"), "# Later\n")?;
    type_at_end(&window, " And now.").await?;
    file_has(&bench, "June.md", "And now.").await?;

    // A window that closes lets go of its vault, and saves first; the other one goes on.
    type_at_end(&window, " At last.").await?;
    let close = "window.__TAURI_INTERNALS__.invoke('plugin:event|emit_to', { target: { kind: 'AnyLabel', label: 'main' }, \
                 event: 'close_requested', payload: null }); return null";
    window.script(close).await?;
    until("one window is left", || async { Ok((window.display.titles() == ["Far · Other notes"]).then_some(())) })
        .await?;
    assert!(bench.read("June.md").contains("At last."));
    window.close().await?;

    // The next start opens what was open.
    let window = Window::open(&bench, &[]).await?;
    window.text_has("[role=tab][aria-selected=true]", "Far").await?;
    window.display.shows("Far · Other notes").await?;
    assert_eq!(window.display.titles().len(), 1);
    start(&bench, &window, &[text(&vault)?]).await?;
    window.display.shows("June · vault").await?;
    window.close().await?;
    let window = Window::open(&bench, &[]).await?;
    window.display.shows("June · vault").await?;
    window.display.shows("Far · Other notes").await?;
    // Whoever quits closes all of them, and finds them again.
    window.script("window.__TAURI_INTERNALS__.invoke('quit'); return null").await?;
    until("no window is left", || async { Ok(window.display.titles().is_empty().then_some(())) }).await?;
    window.close().await?;
    let window = Window::open(&bench, &[]).await?;
    window.display.shows("June · vault").await?;
    window.display.shows("Far · Other notes").await?;
    window.close().await
}

#[tokio::test]
async fn agents_reach_each_vault_at_an_address_of_its_own() -> anyhow::Result<()> {
    let bench = Bench::new(NOTES);
    let other = other_vault(&bench)?;
    let window = Window::open(&bench, &[text(&bench.vault())?]).await?;
    window.find("[role=tree] [role=treeitem]").await?;
    start(&bench, &window, &[text(&other)?]).await?;
    window.display.shows("Other notes").await?;
    let (url, token) = let_agent_in(&window, "Claude").await?;
    let agents = bench.home().join("config/vidimus/agents.json");
    let port = until("the other vault has a port", || async {
        let kept: Value = serde_json::from_slice(&std::fs::read(&agents)?)?;
        Ok(kept["ports"].as_object().and_then(|ports| ports.values().next().cloned()))
    })
    .await?;
    let far = format!("http://127.0.0.1:{port}/mcp");
    assert_ne!(far, url);
    let here = Agent::http(&url, &token).await?;
    let there = Agent::http(&far, &token).await?;
    here.hash("June.md").await?;
    there.hash("Far.md").await?;
    assert!(there.call("get_note", json!({ "id_or_path": "June.md" })).await?.is_error);
    assert!(here.call("get_note", json!({ "id_or_path": "Far.md" })).await?.is_error);

    // Who is put out in one window is out in the other.
    let view = invoke(&window, "agents", &json!({})).await?;
    let id = view["ok"]["clients"][0]["id"].clone();
    invoke(&window, "agents_revoke", &json!({ "id": id })).await?;
    assert!(Agent::http(&url, &token).await.is_err());
    assert!(Agent::http(&far, &token).await.is_err());
    invoke(&window, "agents_set", &json!({ "on": false })).await?;
    for address in [&url, &far] {
        let port = address.trim_start_matches("http://").trim_end_matches("/mcp");
        until("nobody listens any more", || async { Ok(std::net::TcpStream::connect(port).is_err().then_some(())) })
            .await?;
    }
    window.close().await
}
