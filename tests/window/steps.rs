//! What a person does in the window, step by step.

use anyhow::Context;
use it::{Bench, Window, key, until};
use std::collections::BTreeMap;

pub const F2: &str = "\u{e032}";
pub const DELETE: &str = "\u{e017}";

/// Opens the note of that name from the switcher, by keyboard alone.
pub async fn open_note(window: &Window, name: &str) -> anyhow::Result<()> {
    window.open_note(name).await
}

/// Types at the end of the open note in the editor.
pub async fn type_at_end(window: &Window, text: &str) -> anyhow::Result<()> {
    window.click(".cm-content").await?;
    window.press(&[key::CONTROL], key::END).await?;
    window.keys(text).await
}

/// Waits until a file of the vault is there and holds something.
pub async fn file_has(bench: &Bench, path: &str, wanted: &str) -> anyhow::Result<()> {
    let holds = || bench.vault().join(path).is_file() && bench.read(path).contains(wanted);
    until(&format!("{path} holds {wanted:?}"), || async { Ok(holds().then_some(())) }).await
}

/// Switches agents on and lets one in; returns the URL and the token.
pub async fn let_agent_in(window: &Window, name: &str) -> anyhow::Result<(String, String)> {
    window.let_agent_in(name).await
}

/// Opens the review by its key, once something waits.
pub async fn open_review(window: &Window) -> anyhow::Result<()> {
    window.open_review().await
}

pub type Files = BTreeMap<String, Vec<u8>>;

pub async fn files_become(bench: &Bench, what: &str, wanted: &Files) -> anyhow::Result<()> {
    let done = until(what, || async { Ok((&bench.files() == wanted).then_some(())) }).await;
    if done.is_err() {
        assert_eq!(&bench.files(), wanted, "{what}");
    }
    done
}

/// Gives the keyboard to the row of the tree that is the open note's.
pub async fn to_row(window: &Window, name: &str) -> anyhow::Result<()> {
    open_note(window, name).await?;
    window.text_has("nav [role=treeitem][aria-selected=true]", name).await?;
    window.script("document.querySelector('nav [role=treeitem][aria-selected=true]').focus()").await?;
    Ok(())
}

/// Puts another name into the field that stands in a row, and asks for it.
pub async fn name(window: &Window, new_name: &str) -> anyhow::Result<()> {
    window.find("[role=treeitem] input:focus").await?;
    window.press(&[key::CONTROL], "a").await?;
    window.keys(new_name).await?;
    window.keys(key::ENTER).await.with_context(|| format!("Enter after {new_name}"))
}

/// Takes the last change back where the keyboard is.
///
/// The driver's own keys wait in vain for an element that goes away under them, so here and in `confirm` the page presses.
pub async fn undo(window: &Window) -> anyhow::Result<()> {
    let pressed = "new KeyboardEvent('keydown', { key: 'z', ctrlKey: true, bubbles: true, cancelable: true })";
    window.script(&format!("document.activeElement.dispatchEvent({pressed})")).await?;
    Ok(())
}

pub async fn confirm(window: &Window, shown: &str) -> anyhow::Result<()> {
    window.text_has("[aria-modal=true]", shown).await?;
    window.find("[data-confirm]:focus").await?;
    window.script("document.activeElement.click()").await?;
    Ok(())
}
