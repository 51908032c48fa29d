//! Links that another program hands over: the one window follows them, whatever they ask for.

use crate::steps::open_note;
use anyhow::{Context, bail};
use it::{Bench, Window, key, until};
use std::process::Stdio;

const NOTES: &str = "\
//- /June.md
# June

See [July](obsidian://open?vault=vault&file=July%23Plans).
//- /July.md
# July

## Plans

Go.
";

/// Starts the program once more on the window's desktop, as the desktop does with a link that was pressed.
async fn press(bench: &Bench, window: &Window, link: &str) -> anyhow::Result<()> {
    let mut second = window.second(bench, &[link])?;
    second.stdout(Stdio::null()).stderr(Stdio::null());
    let mut second = second.spawn()?;
    let ended = until("the second start hands the link over and ends", || {
        let ended = second.try_wait();
        async { Ok(ended?) }
    })
    .await?;
    if !ended.success() {
        bail!("the second start failed: {ended}");
    }
    Ok(())
}

#[tokio::test]
async fn a_link_of_another_program_leads_to_its_place() -> anyhow::Result<()> {
    let bench = Bench::new(NOTES);
    let other = bench.home().join("Other notes");
    std::fs::create_dir_all(&other)?;
    std::fs::write(other.join("Far.md"), "# Far\n")?;
    // A vault that was never opened is opened by no link.
    let window = Window::open(&bench, &[bench.vault().to_str().context("a plain path")?]).await?;
    open_note(&window, "June").await?;
    press(&bench, &window, "vidimus://open?vault=vault&file=July&heading=Plans").await?;
    window.text_has("[role=tab][aria-selected=true]", "July").await?;
    press(&bench, &window, "vidimus://open?vault=Other%20notes&file=Far.md").await?;
    window.text_has("[role=alert], [role=status]", "No vault called “Other notes” has been opened here").await?;
    press(&bench, &window, "vidimus://open?vault=vault&file=../home/config/vidimus/vaults.json").await?;
    window.text_has("[role=alert], [role=status]", "This path leaves the vault").await?;
    press(&bench, &window, "vidimus://new?vault=vault&file=New&content=x").await?;
    window.text_has("[role=alert], [role=status]", "This link would do more than open a note").await?;
    assert!(!bench.vault().join("New.md").exists());

    // Once it was opened, by the person, a link leads there, in the window that it has.
    press(&bench, &window, other.to_str().context("a plain path")?).await?;
    window.display.shows("Other notes").await?;
    press(&bench, &window, "vidimus://open?vault=Other%20notes&file=Far.md").await?;
    window.display.shows("Far · Other notes").await?;
    press(&bench, &window, "vidimus://open?vault=vault&file=June.md&line=3").await?;
    window.text_has("[role=tab][aria-selected=true]", "June").await?;
    assert_eq!(window.display.titles().len(), 2);
    window.close().await
}

#[tokio::test]
async fn a_link_starts_the_program_and_links_in_notes_stay_in_it() -> anyhow::Result<()> {
    let bench = Bench::new(NOTES);
    let vault = bench.vault();
    let window = Window::open(&bench, &[vault.to_str().context("a plain path")?]).await?;
    open_note(&window, "June").await?;
    window.close().await?;
    let window = Window::open(&bench, &["vidimus://open?vault=vault&file=June.md"]).await?;
    window.text_has("[role=tab][aria-selected=true]", "June").await?;
    window.press(&[key::CONTROL], "e").await?;
    window.click(".reading a[data-external]").await?;
    window.text_has("[role=tab][aria-selected=true]", "July").await?;
    assert_eq!(bench.files().len(), 2);

    // A program that nobody installed is made known to the desktop when the person says so, and not before.
    let entry = bench.home().join("data/applications/vidimus-handler.desktop");
    assert!(!entry.exists());
    window.press(&[key::CONTROL], ",").await?;
    window.find("[role=dialog]").await?;
    window.text_has("[role=dialog] button", "Open them here").await?;
    let press = "[...document.querySelectorAll('[role=dialog] button')].find((one) => one.textContent === 'Open them here').click()";
    window.script(press).await?;
    window.text_has("[role=dialog]", "Those of other programs open here").await?;
    assert!(std::fs::read_to_string(entry)?.contains("x-scheme-handler/vidimus"));
    window.close().await
}
