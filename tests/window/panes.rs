//! The panes beside the page: sections moved in the outline, names made links, and what the vault is filed under.

use crate::steps::{file_has, files_become, open_note, undo};
use anyhow::Context;
use it::{Agent, Bench, Window, key, until};

const ALT: &str = "\u{e00a}";
const UP: &str = "\u{e013}";

const KITS: &str = "\
//- /Kit.md
# Kit

## Probes

Firn probe.

## Ropes

Eight metres, see [[Nothing yet]].
//- /Day.md
Take the kit. #field/ice
//- /T/Day.md
# {{title}}
//- /.obsidian/daily-notes.json
{\"folder\": \"Days\", \"template\": \"T/Day\"}
//- /.obsidian/bookmarks.json
{\"items\": [{\"type\": \"file\", \"path\": \"Kit.md\", \"subpath\": \"#Ropes\", \"title\": \"Our ropes\"}]}
";

async fn open(bench: &Bench) -> anyhow::Result<Window> {
    let window = Window::open(bench, &[bench.vault().to_str().context("a plain path")?]).await?;
    open_note(&window, "Kit").await?;
    Ok(window)
}

#[tokio::test]
async fn a_section_goes_past_its_neighbor_and_back() -> anyhow::Result<()> {
    let bench = Bench::new(KITS);
    let before = bench.files();
    let window = open(&bench).await?;
    window.text_has("aside [role=treeitem]", "Ropes").await?;
    let to_ropes = "[...document.querySelectorAll('aside [role=treeitem]')].find((row) => row.textContent.includes('Ropes')).focus()";
    window.script(to_ropes).await?;
    window.press(&[ALT], UP).await?;
    let mut moved = before.clone();
    let text = "# Kit\n\n## Ropes\n\nEight metres, see [[Nothing yet]].\n\n## Probes\n\nFirn probe.\n";
    moved.insert("Kit.md".to_owned(), text.as_bytes().to_vec());
    files_become(&bench, "the section stands above its neighbor", &moved).await?;
    window.text_has("aside [role=treeitem]:focus", "Ropes").await?;
    undo(&window).await?;
    files_become(&bench, "undo gives every byte back", &before).await?;
    window.close().await
}

#[tokio::test]
async fn a_name_becomes_a_link_and_a_missing_note_is_made() -> anyhow::Result<()> {
    let bench = Bench::new(KITS);
    let before = bench.files();
    let window = open(&bench).await?;
    window.press(&[key::CONTROL, key::SHIFT], "l").await?;
    window.click("section[aria-label='Unlinked mentions'] h2 button").await?;
    window.click("section[aria-label='Unlinked mentions'] button[aria-label^='Link “kit”']").await?;
    let mut linked = before.clone();
    linked.insert("Day.md".to_owned(), b"Take the [[Kit|kit]]. #field/ice\n".to_vec());
    files_become(&bench, "the name is a link", &linked).await?;
    window.text_has("section[aria-label='Links to this note']", "Take the [[Kit|kit]]").await?;
    window
        .script("[...document.querySelectorAll('button')].find((one) => one.textContent.trim() === 'Undo').click()")
        .await?;
    files_become(&bench, "undo gives every byte back", &before).await?;
    window.click("button[aria-label='Create Nothing yet.md']").await?;
    window.text_has("[role=tab][aria-selected=true]", "Nothing yet").await?;
    assert_eq!(bench.read("Nothing yet.md"), "");
    window.close().await
}

#[tokio::test]
async fn tags_and_bookmarks_lead_to_notes_and_the_day_has_its_own() -> anyhow::Result<()> {
    let bench = Bench::new(KITS);
    let window = open(&bench).await?;
    window.click("#left-tab-tags").await?;
    window.text_has("nav [role=treeitem]", "field").await?;
    window.click("nav [role=treeitem]").await?;
    window.text_has("nav [aria-label=Results]", "Take the kit").await?;
    window.click("#left-tab-bookmarks").await?;
    window.text_has("nav [role=treeitem]", "Our ropes").await?;
    window.click("nav [role=treeitem]").await?;
    window.text_has("aside [role=treeitem][aria-selected=true]", "Ropes").await?;
    window.press(&[key::CONTROL, key::SHIFT], "d").await?;
    let day = until("the day has a note", || async { Ok(bench.shown("Days").pop()) }).await?;
    let title = day.trim_start_matches("Days/").trim_end_matches(".md").to_owned();
    file_has(&bench, &day, &format!("# {title}\n")).await?;
    window.text_has("[role=tab][aria-selected=true]", &title).await?;
    window.close().await
}

/// Lines that fit in a wide page have to take more room in a narrow one, with no line over another.
#[tokio::test]
async fn a_comparison_keeps_its_lines_apart_when_its_page_gets_narrow() -> anyhow::Result<()> {
    let long = "A line of prose that links to [[#Part]] and is far too long for half of a window; so it goes on and on, \
                for quite a while yet, until it stands in three rows where a wide page has it in two.";
    let bench = Bench::new(&format!("//- /Long.md\n# Long\n\n{long}\n\n{long}\n\n## Part\n"));
    let agent = Agent::stdio(&bench, &["--writes", "allow"]).await?;
    assert!(!agent.rename("Long.md", "Part", "Part of it").await?.is_error);
    agent.close().await?;
    let window = Window::open(&bench, &[bench.vault().to_str().context("a plain path")?]).await?;
    open_note(&window, "Long").await?;
    window.press(&[key::CONTROL, key::SHIFT], "h").await?;
    window.click("section.history [data-version]").await?;
    window.find(".view .line.added code").await?;
    window.press(&[key::CONTROL, ALT], key::ENTER).await?;
    window.find("[data-pane=centre][data-focused] .cm-content").await?;
    // The box of a text may be as short as its row though the text is not.
    let overhang = "const text = document.createRange(); \
                    return Math.max(...[...document.querySelectorAll('.view .line')].map((line) => { \
                      text.selectNodeContents(line.querySelector('code')); \
                      return text.getBoundingClientRect().bottom - line.getBoundingClientRect().bottom; }))";
    let over = window.script(overhang).await?;
    assert!(over.as_f64().is_some_and(|over| over < 1.0), "{over:?}");
    window.close().await
}
