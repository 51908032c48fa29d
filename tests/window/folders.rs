//! A person makes a folder and moves notes by keyboard, another program moves notes too, and every byte is accounted for.

use crate::steps::{F2, confirm, file_has, files_become, name, open_note, to_row, undo};
use anyhow::Context;
use it::{Bench, Window, key, until};

const SHELF: &str = "\
//- /Kit.md
# Kit

See [[Glacier]].
//- /Glacier.md
# Glacier

Take [the kit](Kit.md) and [[Kit]].
//- /deep/Daily.md
[Kit](../Kit.md)\r
//- /Untouched.md
Nothing of that kind.\r
";

/// Gives the keyboard to the row that says exactly this.
async fn row(window: &Window, name: &str) -> anyhow::Result<()> {
    let focus = format!(
        "const row = [...document.querySelectorAll('nav [role=treeitem]')].find((row) => row.querySelector('.name')?.textContent === {name:?}); row?.focus(); return Boolean(row)"
    );
    until(&format!("a row {name}"), || async { Ok(window.script(&focus).await?.as_bool().filter(|found| *found)) })
        .await?;
    Ok(())
}

async fn redo(window: &Window) -> anyhow::Result<()> {
    let pressed =
        "new KeyboardEvent('keydown', { key: 'Z', ctrlKey: true, shiftKey: true, bubbles: true, cancelable: true })";
    window.script(&format!("document.activeElement.dispatchEvent({pressed})")).await?;
    Ok(())
}

async fn folder_is(bench: &Bench, path: &str, there: bool) -> anyhow::Result<()> {
    until(&format!("folder {path} is there: {there}"), || async {
        Ok((bench.vault().join(path).is_dir() == there).then_some(()))
    })
    .await
}

#[tokio::test]
async fn a_folder_is_made_filled_renamed_and_all_of_it_taken_back_by_keyboard() -> anyhow::Result<()> {
    let bench = Bench::new(SHELF);
    let before = bench.files();
    let vault = bench.vault();
    let window = Window::open(&bench, &[vault.to_str().context("a plain path")?]).await?;

    to_row(&window, "Kit").await?;
    window.press(&[key::CONTROL, key::SHIFT], "n").await?;
    name(&window, "Gear").await?;
    folder_is(&bench, "Gear", true).await?;
    window.text_has("nav [role=treeitem]:focus", "Gear").await?;

    // The note goes in; the link that names its place follows, and those that name it alone stay.
    row(&window, "Kit").await?;
    window.press(&[key::CONTROL, key::SHIFT], "m").await?;
    window.text_has("[role=dialog] [role=option]", "Gear").await?;
    window.keys("Gear").await?;
    window.keys(key::ENTER).await?;
    confirm(&window, "1 link in 1 note follows.").await?;
    let mut moved = before.clone();
    let kit = moved.remove("Kit.md").context("it was there")?;
    moved.insert("Gear/Kit.md".to_owned(), kit.clone());
    moved.insert("deep/Daily.md".to_owned(), b"[Kit](../Gear/Kit.md)\r\n".to_vec());
    files_become(&bench, "the note is in the folder", &moved).await?;
    window.text_has("nav [role=treeitem]:focus", "Kit").await?;
    window.text_has("[role=tab][aria-selected=true]", "Kit").await?;

    // The folder gets another name; it stays open, and so does the note.
    row(&window, "Gear").await?;
    window.keys(F2).await?;
    name(&window, "Old gear").await?;
    confirm(&window, "1 link in 1 note follows.").await?;
    let mut renamed = moved.clone();
    renamed.remove("Gear/Kit.md");
    renamed.insert("Old gear/Kit.md".to_owned(), kit);
    renamed.insert("deep/Daily.md".to_owned(), b"[Kit](../Old%20gear/Kit.md)\r\n".to_vec());
    files_become(&bench, "the folder and the links have the new name", &renamed).await?;
    folder_is(&bench, "Gear", false).await?;
    window.text_has("nav [role=treeitem][aria-expanded=true]", "Old gear").await?;
    window.text_has(".cm-content", "See").await?;

    for (what, files) in [("the old name is back", &moved), ("the note is back", &before)] {
        undo(&window).await?;
        files_become(&bench, what, files).await?;
        window.text_has(".toasts", "Redo").await?;
    }
    window.text_has("[role=tab][aria-selected=true]", "Kit").await?;
    folder_is(&bench, "Gear", true).await?;
    redo(&window).await?;
    files_become(&bench, "the note is in the folder again", &moved).await?;
    window.text_has(".toasts", "Moved").await?;
    undo(&window).await?;
    files_become(&bench, "and back once more", &before).await?;
    window.text_has(".toasts", "Redo").await?;
    undo(&window).await?;
    folder_is(&bench, "Gear", false).await?;
    window.close().await
}

#[tokio::test]
async fn links_follow_a_note_that_another_program_moved_once_that_was_shown() -> anyhow::Result<()> {
    let bench = Bench::new(SHELF);
    let vault = bench.vault();
    let window = Window::open(&bench, &[vault.to_str().context("a plain path")?]).await?;
    open_note(&window, "Kit").await?;
    std::fs::create_dir(vault.join("far"))?;
    std::fs::rename(vault.join("Kit.md"), vault.join("far/Kit.md"))?;
    window.text_has("[role=status]", "“Kit” was moved by another program. 1 link still names its old place.").await?;
    let moved = bench.files();
    window
        .script("[...document.querySelectorAll('button')].find((one) => one.textContent === 'Show changes').click()")
        .await?;
    confirm(&window, "Another program moved").await?;
    file_has(&bench, "deep/Daily.md", "[Kit](../far/Kit.md)").await?;
    window.text_has(".toasts", "Repaired 1 link").await?;
    window.click(".toasts .text-button").await?;
    files_become(&bench, "undo gives every byte back", &moved).await?;
    window.close().await
}

#[tokio::test]
async fn a_copy_of_a_sync_tool_is_laid_beside_the_note() -> anyhow::Result<()> {
    let bench = Bench::new(SHELF);
    bench.write("Kit (Ada's conflicted copy 2026-11-30).md", "# Kit\n\nSee [[Glacier]] and more.\n");
    let vault = bench.vault();
    let window = Window::open(&bench, &[vault.to_str().context("a plain path")?]).await?;
    window.text_has("nav [role=treeitem]", "Kept by a sync tool as another version of Kit").await?;
    open_note(&window, "Kit (Ada").await?;
    window.click("[data-compare]").await?;
    window.text_has(".view del", "and more").await?;
    window.keys(key::ESCAPE).await?;
    window.find("[data-compare]:focus").await?;
    window.close().await
}
