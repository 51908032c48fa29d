//! A person renames, deletes and takes back by keyboard alone, and every byte of the vault is accounted for.

use crate::steps::{DELETE, F2, confirm, files_become, name, to_row, undo};
use anyhow::Context;
use it::{Bench, Window};

const KITS: &str = "\
//- /Kit.md
# Kit

## Probes

See [[#Probes]] and [[Glacier]].
//- /Glacier.md
# Glacier

Take [[Kit]], ![[Kit#Probes|the probes]] and `[[Kit]]`.
//- /deep/Daily.md
[Kit](../Kit.md#Probes)\r
//- /Untouched.md
Nothing of that kind.\r
";

#[tokio::test]
async fn notes_and_headings_are_renamed_and_deleted_by_keyboard_and_taken_back() -> anyhow::Result<()> {
    let bench = Bench::new(KITS);
    let before = bench.files();
    let vault = bench.vault();
    let window = Window::open(&bench, &[vault.to_str().context("a plain path")?]).await?;

    // A note: its links follow, and nothing else changes.
    to_row(&window, "Kit").await?;
    window.keys(F2).await?;
    name(&window, "Gear").await?;
    confirm(&window, "3 links in 2 notes follow.").await?;
    let mut renamed = before.clone();
    let kit = renamed.remove("Kit.md").context("it was there")?;
    renamed.insert("Gear.md".to_owned(), kit);
    renamed.insert(
        "Glacier.md".to_owned(),
        b"# Glacier\n\nTake [[Gear]], ![[Gear#Probes|the probes]] and `[[Kit]]`.\n".to_vec(),
    );
    renamed.insert("deep/Daily.md".to_owned(), b"[Kit](../Gear.md#Probes)\r\n".to_vec());
    files_become(&bench, "the note and its links have the new name", &renamed).await?;
    window.text_has("[role=tab][aria-selected=true]", "Gear").await?;
    window.find("nav [role=treeitem][aria-selected=true]:focus").await?;
    undo(&window).await?;
    files_become(&bench, "undo gives every byte back", &before).await?;
    window.text_has("nav [role=treeitem]:focus", "Kit").await?;
    window.text_has("[role=tab][aria-selected=true]", "Kit").await?;

    // A heading, in the outline.
    window.script("[...document.querySelectorAll('aside [role=treeitem]')].find((row) => row.textContent.includes('Probes')).focus()").await?;
    window.keys(F2).await?;
    name(&window, "Sondes").await?;
    confirm(&window, "3 links in 3 notes follow.").await?;
    let mut retitled = before.clone();
    retitled.insert("Kit.md".to_owned(), b"# Kit\n\n## Sondes\n\nSee [[#Sondes]] and [[Glacier]].\n".to_vec());
    retitled.insert(
        "Glacier.md".to_owned(),
        b"# Glacier\n\nTake [[Kit]], ![[Kit#Sondes|the probes]] and `[[Kit]]`.\n".to_vec(),
    );
    retitled.insert("deep/Daily.md".to_owned(), b"[Kit](../Kit.md#Sondes)\r\n".to_vec());
    files_become(&bench, "the heading and its links have the new title", &retitled).await?;
    window.text_has(".cm-content", "Sondes").await?;
    window.find("aside [role=treeitem]:focus").await?;
    undo(&window).await?;
    files_become(&bench, "undo gives every byte back", &before).await?;
    window.text_has("aside [role=treeitem]:focus", "Probes").await?;

    // A note goes away, and comes back.
    to_row(&window, "Kit").await?;
    window.keys(DELETE).await?;
    confirm(&window, "You can undo this.").await?;
    let mut without = before.clone();
    without.remove("Kit.md");
    files_become(&bench, "only the note is gone", &without).await?;
    window.text_has(".toasts", "Deleted Kit").await?;
    window.click(".toasts .text-button").await?;
    files_become(&bench, "undo gives every byte back", &before).await?;
    window.text_has("[role=tab][aria-selected=true]", "Kit").await?;
    window.close().await
}
