//! The pictures of the documentation, taken from the real window: whoever changes a screen looks at it.
//!
//! They go to `target/pictures`; with `UPDATE_PICTURES=1` those that the README shows go to `docs/images` too.

use crate::steps::{DELETE, F2, file_has, let_agent_in, name, open_note, open_review, to_row, type_at_end};
use it::{Agent, Bench, Window, key};
use serde_json::json;
use std::path::{Path, PathBuf};

const F1: &str = "\u{e031}";
const F10: &str = "\u{e03a}";
const ALT: &str = "\u{e00a}";
const LEFT: &str = "\u{e012}";

const VAULT: &str = include_str!("field-notes.txt");

fn folders() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("tests/ lies in the root");
    let mut folders = vec![root.join("target/pictures")];
    if std::env::var_os("UPDATE_PICTURES").is_some() {
        folders.push(root.join("docs/images"));
    }
    folders
}

async fn picture(window: &Window, name: &str) -> anyhow::Result<()> {
    for folder in folders() {
        std::fs::create_dir_all(&folder)?;
        window.picture(&folder.join(format!("{name}.png"))).await?;
    }
    Ok(())
}

async fn tour(theme: &str) -> anyhow::Result<()> {
    let bench = Bench::new(VAULT);
    let shot = async |window: &Window, name: &str| picture(window, &format!("{name}-{theme}")).await;
    let window = Window::open(&bench, &[]).await?;
    window.find("main").await?;
    window.choose_theme(theme).await?;
    shot(&window, "welcome").await?;
    window.close().await?;

    let vault = bench.vault();
    let window = Window::open(&bench, &[vault.to_str().expect("a plain path")]).await?;
    open_note(&window, "Glacier survey").await?;
    window.find(".cm-content, .reading").await?;
    shot(&window, "editor").await?;
    let (url, token) = let_agent_in(&window, "Claude Code").await?;
    shot(&window, "agents").await?;
    let agent = Agent::http(&url, &token).await?;
    for (heading, new) in [("Stations", "Stations and transects"), ("Old instruments", "Instruments of 2025")] {
        let hash = agent.hash("Expedition/Glacier survey.md").await?;
        let arguments = json!({
            "rel_path": "Expedition/Glacier survey.md", "heading": heading, "new_heading": new, "expected_hash": hash,
            "reason": "The old name says nothing to a reader next year; everything below is from the 2025 season."
        });
        let answer = agent.call("rename_note_section", arguments).await?;
        assert!(!answer.is_error, "{answer:?}");
    }
    window.press(&[key::CONTROL], "e").await?;
    window.find(".reading h2").await?;
    shot(&window, "reading").await?;
    window.text_has("header.top .pill.seal", "2 to review").await?;
    open_review(&window).await?;
    // Whichever came first is shown first; the newest stands at the top of the queue.
    window.keys("k").await?;
    window.text_has("section.review [role=region]", "Moraine samples").await?;
    shot(&window, "review").await?;
    window.keys("a").await?;
    window.text_has("section.review", "Undo").await?;
    shot(&window, "decided").await?;
    open_note(&window, "Glacier survey").await?;
    window.press(&[key::CONTROL, key::SHIFT], "h").await?;
    window.text_has("aside, [data-pane=right]", "Claude Code").await?;
    shot(&window, "history").await?;
    window.press(&[key::CONTROL, key::SHIFT], "f").await?;
    window.keys("theodolite").await?;
    window.text_has("[data-pane=left]", "theodolite").await?;
    shot(&window, "search").await?;
    window.press(&[key::CONTROL], "p").await?;
    window.find("[role=dialog] [role=option]").await?;
    shot(&window, "palette").await?;
    window.keys(key::ESCAPE).await?;
    window.press(&[key::CONTROL], ",").await?;
    window.find("[role=dialog]").await?;
    shot(&window, "settings").await?;
    window.keys(key::ESCAPE).await?;
    window.keys(F1).await?;
    window.text_has("[role=dialog]", "Rename this heading").await?;
    shot(&window, "keys").await?;
    window.keys(key::ESCAPE).await?;
    window.press(&[key::CONTROL, key::SHIFT], "e").await?;
    open_note(&window, "Glacier survey").await?;
    window.press(&[key::CONTROL, ALT], key::ENTER).await?;
    window.find("[data-pane=centre][data-focused]").await?;
    open_note(&window, "Kit list").await?;
    shot(&window, "split").await?;
    window.close().await
}

/// What a person changes beside typing, and what other programs leave behind.
async fn changes(theme: &str) -> anyhow::Result<()> {
    let bench = Bench::new(VAULT);
    let copy = bench.read("Expedition/Kit list.md").replacen("Ice", "Six ice", 1).replacen("theodolite", "level", 1);
    bench.write("Expedition/Kit list (Ada's conflicted copy 2026-11-30).md", &format!("{copy}\n- A spare pole\n"));
    bench.write("Plan.md", "Pack after [[Expedition/Kit list#Probes]] and [the list](Expedition/Kit%20list.md), ask [her](People/Ines.md).\n");
    let shot = async |window: &Window, name: &str| picture(window, &format!("{name}-{theme}")).await;
    let vault = bench.vault();
    let window = Window::open(&bench, &[vault.to_str().expect("a plain path")]).await?;
    window.find("main").await?;
    window.choose_theme(theme).await?;

    to_row(&window, "Glacier survey").await?;
    window.press(&[key::SHIFT], F10).await?;
    window.find("[role=menu]").await?;
    shot(&window, "menu").await?;
    window.keys(key::ESCAPE).await?;
    window.press(&[key::CONTROL, key::SHIFT], "n").await?;
    window.find("[role=treeitem] input:focus").await?;
    shot(&window, "new-folder").await?;
    window.keys("a:b").await?;
    shot(&window, "new-folder-refused").await?;
    name(&window, "Photos").await?;
    window.text_has(".toasts", "Undo").await?;
    shot(&window, "new-folder-made").await?;
    window.press(&[], LEFT).await?;
    window.text_has("[role=treeitem]:focus", "Expedition").await?;
    window.keys(F2).await?;
    name(&window, "Ice").await?;
    window.find("[data-confirm]:focus").await?;
    shot(&window, "rename-folder").await?;
    window.click("[aria-modal=true] .text-button").await?;
    shot(&window, "rename-folder-files").await?;
    window.keys(key::ESCAPE).await?;
    window.keys(key::ESCAPE).await?;
    window.text_has("[role=treeitem]:focus", "Expedition").await?;
    window.keys(DELETE).await?;
    window.find("[data-confirm]:focus").await?;
    shot(&window, "delete-folder").await?;
    window.keys(key::ESCAPE).await?;

    open_note(&window, "Kit list (Ada").await?;
    window.find("[data-compare]").await?;
    shot(&window, "conflict").await?;
    window.click("[data-compare]").await?;
    window.find(".view [data-hunk]").await?;
    shot(&window, "compare").await?;

    std::fs::rename(vault.join("Expedition/Kit list.md"), vault.join("Reading/Kit list.md"))?;
    std::fs::rename(vault.join("People/Ines.md"), vault.join("Reading/Ines.md"))?;
    window.text_has("[role=status]", "moved by another program").await?;
    shot(&window, "outside-moves").await?;
    window
        .script("[...document.querySelectorAll('button')].find((one) => one.textContent === 'Show changes').click()")
        .await?;
    window.find("[data-confirm]:focus").await?;
    shot(&window, "outside-moves-shown").await?;
    window.keys(key::ESCAPE).await?;

    open_note(&window, "Glacier survey").await?;
    type_at_end(&window, "A last line.").await?;
    file_has(&bench, "Expedition/Glacier survey.md", "A last line.").await?;
    window.press(&[key::CONTROL, key::SHIFT], "h").await?;
    window.click("section.history [data-version]").await?;
    window.find(".view [data-hunk] .act button").await?;
    shot(&window, "part").await?;
    window.click(".view [data-hunk] .act button").await?;
    window.text_has(".view", "as before.").await?;
    shot(&window, "part-restored").await?;
    window.close().await
}

#[tokio::test]
async fn every_screen_in_light() -> anyhow::Result<()> {
    tour("light").await
}

#[tokio::test]
async fn every_screen_in_dark() -> anyhow::Result<()> {
    tour("dark").await
}

#[tokio::test]
async fn every_change_in_light() -> anyhow::Result<()> {
    changes("light").await
}

#[tokio::test]
async fn every_change_in_dark() -> anyhow::Result<()> {
    changes("dark").await
}
