//! A whole morning without a pointer: everything is reached by keys alone, as the keyboard sends them to the window, and
//! nothing is clicked, focused or called from a script.

use crate::steps::{F2, Files, file_has, files_become};
use anyhow::{Context, bail};
use it::{Agent, Bench, Window, key, until};
use serde_json::json;

const ALT: char = '\u{e00a}';
const CONTROL: char = '\u{e009}';
const SHIFT: char = '\u{e008}';
const UP: &str = "\u{e013}";

const KITS: &str = "\
//- /Kit.md
# Kit

## Probes

Firn probe.

## Ropes

Eight metres.
//- /Day.md
# Day

Coil [[Kit#Ropes]] first.
//- /Log.md
# Log

## Monday

Snow.
";

#[tokio::test]
async fn a_person_works_without_a_pointer() -> anyhow::Result<()> {
    let bench = Bench::new(KITS);
    let before = bench.files();
    let vault = bench.vault();
    let window = Window::open(&bench, &[vault.to_str().context("a plain path")?]).await?;
    window.find("[role=tree] [role=treeitem]").await?;
    let keyboard = Keyboard { window: &window };

    // A folder of notes is chosen among those opened before.
    keyboard.command("Open another folder").await?;
    window.text_has("main.welcome", "Opened before").await?;
    keyboard.tab_to("vault").await?;
    keyboard.press(&[], key::ENTER).await?;
    window.find("[role=tree] [role=treeitem]").await?;

    // A note is found, and typed into.
    keyboard.open_note("Kit").await?;
    keyboard.press(&[CONTROL], key::END).await?;
    keyboard.press(&[], "Worn. ").await?;
    file_has(&bench, "Kit.md", "Eight metres.\nWorn. ").await?;
    let mut wanted: Files = before.clone();
    put(&mut wanted, "Kit.md", "# Kit\n\n## Probes\n\nFirn probe.\n\n## Ropes\n\nEight metres.\nWorn. ");
    files_become(&bench, "what was typed is saved", &wanted).await?;

    // A section goes past its neighbor.
    keyboard.press(&[CONTROL, SHIFT], "o").await?;
    keyboard.down_to("aside [role=treeitem]:focus", "Ropes").await?;
    keyboard.press(&[ALT], UP).await?;
    until("the section stands above its neighbor", || async {
        Ok(bench.read("Kit.md").starts_with("# Kit\n\n## Ropes\n").then_some(()))
    })
    .await?;

    // Its heading gets another title, and the link to it follows.
    window.text_has("aside [role=treeitem]:focus", "Ropes").await?;
    keyboard.press(&[], F2).await?;
    window.find("aside [role=treeitem] input:focus").await?;
    keyboard.press(&[CONTROL], "a").await?;
    keyboard.press(&[], "Lines").await?;
    keyboard.press(&[], key::ENTER).await?;
    window.text_has("[aria-modal=true]", "1 link in 1 note").await?;
    keyboard.press(&[], key::ENTER).await?;
    file_has(&bench, "Day.md", "Coil [[Kit#Lines]] first.").await?;
    file_has(&bench, "Kit.md", "## Lines").await?;
    // As long as a dialog is there, it has the keyboard.
    until("the dialog is gone", || async {
        let there = window.script("return document.querySelector('[aria-modal=true]') !== null").await?;
        Ok((there == false).then_some(()))
    })
    .await?;

    // Three proposals: one is approved, one declined with a reason, one approved after its title was bettered.
    let agent = Agent::stdio(&bench, &["--client", "Terminal agent"]).await?;
    let mut ids = Vec::new();
    for (path, heading, new_heading) in
        [("Kit.md", "Probes", "Sondes"), ("Log.md", "Monday", "Stuff"), ("Kit.md", "Lines", "Cords")]
    {
        ids.push(agent.rename(path, heading, new_heading).await?.text("operation_id"));
    }
    let reviewed = review(&bench, &keyboard, &agent, &ids).await;
    agent.close().await?;
    reviewed?;

    // The note gets its first text back.
    keyboard.press(&[CONTROL, SHIFT], "r").await?;
    keyboard.press(&[CONTROL, SHIFT], "h").await?;
    window.find("section.history [data-version]:focus").await?;
    keyboard.press(&[], key::DOWN).await?;
    keyboard.down_to("section.history [data-version][aria-current=true]:focus", "As it was before").await?;
    keyboard.tab_to("Restore").await?;
    keyboard.press(&[], key::ENTER).await?;
    file_has(&bench, "Kit.md", "## Probes").await?;
    assert_eq!(bench.files()["Kit.md"], before["Kit.md"]);
    window.close().await
}

async fn review(bench: &Bench, keyboard: &Keyboard<'_>, agent: &Agent, ids: &[String]) -> anyhow::Result<()> {
    keyboard.press(&[CONTROL, SHIFT], "r").await?;
    let mut waiting = vec!["Sondes", "Stuff", "Cords"];
    while !waiting.is_empty() {
        keyboard.decide(bench, &mut waiting).await?;
    }
    keyboard.window.text_has("section.review", "All reviewed").await?;
    let mut outcomes = Vec::new();
    for id in ids {
        let outcome = agent.call("get_operation", json!({"operation_id": id, "wait_seconds": 20})).await?;
        outcomes.push((outcome.text("status"), outcome.text("comment")));
    }
    let wanted = [("committed", ""), ("declined", "says nothing"), ("committed", "")];
    assert_eq!(outcomes, wanted.map(|(status, comment)| (status.to_owned(), comment.to_owned())));
    assert!(bench.read("Kit.md").contains("## Sondes\n") && bench.read("Kit.md").contains("## Cordage\n"));
    assert!(bench.read("Day.md").contains("[[Kit#Cordage]]"));
    Ok(())
}

fn put(files: &mut Files, path: &str, text: &str) {
    files.insert(path.to_owned(), text.as_bytes().to_vec());
}

/// Sends keys to the window and not to an element, as a keyboard does; looks at the page only to see what came of them.
struct Keyboard<'a> {
    window: &'a Window,
}

impl Keyboard<'_> {
    async fn press(&self, held: &[char], pressed: &str) -> anyhow::Result<()> {
        let mut chain = self.window.driver.action_chain();
        for key in held {
            chain = chain.key_down(*key);
        }
        chain = chain.send_keys(pressed);
        for key in held {
            chain = chain.key_up(*key);
        }
        Ok(chain.perform().await?)
    }

    async fn command(&self, title: &str) -> anyhow::Result<()> {
        self.press(&[CONTROL], "p").await?;
        self.window.find("[role=dialog] input:focus").await?;
        self.press(&[], title).await?;
        self.window.text_has("[role=option][aria-selected=true]", title).await?;
        self.press(&[], key::ENTER).await
    }

    async fn open_note(&self, name: &str) -> anyhow::Result<()> {
        self.press(&[CONTROL], "o").await?;
        self.window.find("[role=dialog] input:focus").await?;
        self.press(&[], name).await?;
        self.window.text_has("[role=dialog] [role=option][aria-selected=true]", name).await?;
        self.press(&[], key::ENTER).await?;
        self.window.text_has("[role=tab][aria-selected=true]", name).await?;
        self.window.find(".cm-content:focus").await.map(|_| ())
    }

    /// What has the focus, by its name for a screen reader.
    async fn focused(&self) -> anyhow::Result<String> {
        let name =
            "const one = document.activeElement; return one.getAttribute('aria-label') ?? one.textContent.trim()";
        Ok(self.window.script(name).await?.as_str().unwrap_or_default().to_owned())
    }

    async fn tab_to(&self, name: &str) -> anyhow::Result<()> {
        let mut passed = Vec::new();
        for _ in 0..80 {
            let focused = self.focused().await?;
            if focused.starts_with(name) {
                return Ok(());
            }
            passed.push(focused.chars().take(40).collect::<String>());
            self.press(&[], key::TAB).await?;
        }
        bail!("Tab never comes to {name:?}; it passes {passed:#?}")
    }

    async fn down_to(&self, css: &str, wanted: &str) -> anyhow::Result<()> {
        self.window.find(css).await?;
        for _ in 0..40 {
            if self.focused().await?.contains(wanted) {
                return Ok(());
            }
            self.press(&[], key::DOWN).await?;
        }
        bail!("the arrow never comes to {wanted:?}")
    }

    /// Decides about the one of those that wait which is shown, by what it proposes.
    async fn decide(&self, bench: &Bench, waiting: &mut Vec<&str>) -> anyhow::Result<()> {
        let window = self.window;
        window.find("section.review [data-operation][aria-current=true]:focus").await?;
        let shown = "return document.querySelector('section.review [role=region]')?.textContent ?? ''";
        let shown = until("a proposal that waits is shown", || async {
            let text = window.script(shown).await?.as_str().unwrap_or_default().to_owned();
            Ok(waiting.iter().position(|title| text.contains(title)))
        });
        match waiting.remove(shown.await?) {
            "Sondes" => {
                self.press(&[], "a").await?;
                file_has(bench, "Kit.md", "## Sondes").await
            }
            "Stuff" => {
                self.press(&[], "x").await?;
                window.find("section.review textarea:focus, section.review input:focus").await?;
                self.press(&[], "says nothing").await?;
                self.press(&[], key::ENTER).await?;
                until("it is declined", || async {
                    let text = window.script("return document.querySelector('section.review').textContent").await?;
                    Ok(text.as_str().is_some_and(|text| text.contains("eclined")).then_some(()))
                })
                .await
            }
            _ => {
                self.press(&[], "e").await?;
                window.find("section.review input:focus").await?;
                self.press(&[CONTROL], "a").await?;
                self.press(&[], "Cordage").await?;
                self.press(&[], key::ENTER).await?;
                window.text_has("section.review [role=region]", "Cordage").await?;
                self.press(&[], "a").await?;
                file_has(bench, "Kit.md", "## Cordage").await
            }
        }
    }
}
