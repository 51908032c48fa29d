//! Tabs: a note takes the place of the one that is shown, unless a tab of its own is asked for.

use crate::steps::{file_has, open_note, type_at_end};
use anyhow::Context;
use it::{Bench, Window, key, until};

const ALT: &str = "\u{e00a}";
const LEFT: &str = "\u{e012}";

const NOTES: &str = "\
//- /June.md
# June

See [[July]] and [[August]].
//- /July.md
# July

Back to [[June]].
//- /August.md
# August
";

/// Waits until these notes have tabs, in this order.
async fn tabs_are(window: &Window, wanted: &[&str]) -> anyhow::Result<()> {
    let listed =
        "return [...document.querySelectorAll('[data-tab-bar] [role=tab] .title')].map((one) => one.textContent)";
    until(&format!("the tabs are {wanted:?}"), || async {
        let shown: Vec<String> = serde_json::from_value(window.script(listed).await?)?;
        Ok((shown == wanted).then_some(()))
    })
    .await
}

/// Presses a link in the open note, with Ctrl held.
async fn press_with_ctrl(window: &Window, css: &str) -> anyhow::Result<()> {
    let link = window.find(css).await?;
    let ctrl = key::CONTROL.chars().next().context("a key is a character")?;
    let chain = window.driver.action_chain().key_down(ctrl).move_to_element_center(&link).click().key_up(ctrl);
    chain.perform().await.context("Ctrl and a click")
}

#[tokio::test]
async fn a_note_takes_the_place_of_the_one_that_is_shown_unless_asked_otherwise() -> anyhow::Result<()> {
    let bench = Bench::new(NOTES);
    let window = Window::open(&bench, &[bench.vault().to_str().context("a plain path")?]).await?;
    open_note(&window, "July").await?;
    type_at_end(&window, "Typed here.").await?;
    open_note(&window, "June").await?;
    tabs_are(&window, &["June"]).await?;
    file_has(&bench, "July.md", "Typed here.").await?;

    // The way back leads to the note as it was, and what was typed in it can be taken back.
    window.press(&[ALT], LEFT).await?;
    tabs_are(&window, &["July"]).await?;
    window.click(".cm-content").await?;
    window.press(&[key::CONTROL], "z").await?;
    until("what was typed is taken back", || async {
        Ok((!bench.read("July.md").contains("Typed here.")).then_some(()))
    })
    .await?;

    window.click(".cm-drawn-link").await?;
    tabs_are(&window, &["June"]).await?;
    press_with_ctrl(&window, ".cm-drawn-link").await?;
    tabs_are(&window, &["June", "July"]).await?;
    window.press(&[key::CONTROL], "o").await?;
    window.find("[role=dialog] input").await?;
    window.keys("aug").await?;
    window.text_has("[role=dialog] [role=option] mark", "Aug").await?;
    window.press(&[key::CONTROL], key::ENTER).await?;
    tabs_are(&window, &["June", "July", "August"]).await?;

    window.press(&[key::CONTROL], "e").await?;
    window.find(".reading").await?;
    open_note(&window, "July").await?;
    press_with_ctrl(&window, ".cm-drawn-link").await?;
    tabs_are(&window, &["June", "July", "August"]).await?;
    window.text_has("[role=tab][aria-selected=true]", "June").await?;
    assert_eq!(bench.read("June.md"), "# June\n\nSee [[July]] and [[August]].\n");
    window.close().await
}
