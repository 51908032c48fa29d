//! `cargo xtask pictures DIR`: walks through every screen of the real window with a copy of a vault, in light and dark, and
//! writes a picture of each: what looks good with a few notes of one's own may not with those of somebody else.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "it says to whoever started it where the pictures are")]

mod lead;

use anyhow::{Context, Result, ensure};
use it::{Agent, Bench, Window, key};
use lead::Lead;
use serde_json::json;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

const HELP: &str = "\
pictures DIR [--to FOLDER]   picture every screen with a copy of the vault DIR, in light and dark
";

const ALT: &str = "\u{e00a}";
const F1: &str = "\u{e031}";

#[tokio::main(flavor = "multi_thread", worker_threads = 1)]
async fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let plain: Vec<&str> = args.iter().map(String::as_str).collect();
    let ran = match plain[..] {
        [dir] if !dir.starts_with('-') => walk(Path::new(dir), None).await,
        [dir, "--to", to] if !dir.starts_with('-') => walk(Path::new(dir), Some(to.into())).await,
        _ => Err(anyhow::anyhow!("{HELP}")),
    };
    match ran {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("pictures: {error:#}");
            ExitCode::FAILURE
        }
    }
}

async fn walk(dir: &Path, to: Option<PathBuf>) -> Result<()> {
    let name = dir.file_name().context("the vault has a name")?.to_string_lossy().into_owned();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("tests/ lies in the root");
    let to = to.unwrap_or_else(|| root.join("target/pictures").join(name));
    std::fs::create_dir_all(&to).with_context(|| format!("making {}", to.display()))?;
    for theme in ["light", "dark"] {
        Walk { to: &to, theme }.through(dir).await.with_context(|| format!("in {theme}"))?;
    }
    println!("{}", to.display());
    Ok(())
}

struct Walk<'a> {
    to: &'a Path,
    theme: &'a str,
}

impl Walk<'_> {
    async fn shot(&self, window: &Window, name: &str) -> Result<()> {
        it::until("nothing loads", || async {
            let loads =
                "return document.querySelector('[role=status][aria-label^=Loading], [aria-busy=true]') !== null";
            Ok((window.script(loads).await? == false).then_some(()))
        })
        .await?;
        window.picture(&self.to.join(format!("{name}-{}.png", self.theme))).await.with_context(|| name.to_owned())
    }

    async fn through(&self, dir: &Path) -> Result<()> {
        let bench = Bench::new("");
        it::copy(dir, &bench.vault()).with_context(|| format!("copying {}", dir.display()))?;
        let lead = Lead::of(&bench.vault()).context("no heading with a link to it was found")?;
        let vault = bench.vault();
        let window = Window::open(&bench, &[vault.to_str().context("the path is text")?]).await?;
        window.find("main").await?;
        window.text_has("footer", "notes indexed").await?;
        window.choose_theme(self.theme).await?;
        self.shot(&window, "vault").await?;

        window.open_note(&lead.name).await?;
        self.shot(&window, "editor").await?;
        for (held, name) in [("o", "outline"), ("l", "links"), ("h", "history-empty")] {
            window.press(&[key::CONTROL, key::SHIFT], held).await?;
            self.shot(&window, name).await?;
        }
        window.press(&[key::CONTROL], "e").await?;
        window.find(".reading").await?;
        self.shot(&window, "reading").await?;
        window.press(&[key::CONTROL], "e").await?;

        let (url, token) = window.let_agent_in("Claude Code").await?;
        self.shot(&window, "agents").await?;
        let agent = Agent::http(&url, &token).await?;
        let answer = agent
            .call(
                "rename_note_section",
                json!({
                    "rel_path": lead.path, "heading": lead.heading, "new_heading": format!("{}, in short", lead.heading),
                    "expected_hash": agent.hash(&lead.path).await?,
                    "reason": "The name should say what the section is about."
                }),
            )
            .await?;
        ensure!(!answer.is_error, "{answer:?}");
        window.open_review().await?;
        window.text_has("section.review [role=region]", "in short").await?;
        self.shot(&window, "review").await?;
        window.keys("a").await?;
        window.text_has("section.review", "Undo").await?;
        self.shot(&window, "decided").await?;
        window.open_note(&lead.name).await?;
        window.press(&[key::CONTROL, key::SHIFT], "h").await?;
        window.text_has("section.history", "Claude Code").await?;
        window.click("section.history [data-version]").await?;
        self.shot(&window, "history").await?;

        window.press(&[key::CONTROL, key::SHIFT], "f").await?;
        window.keys(lead.word()).await?;
        window.text_has("[data-pane=left]", lead.word()).await?;
        self.shot(&window, "search").await?;
        let panes =
            [("bookmarks", "Bookmarks"), ("tags", "Tags of all notes"), ("properties", "Properties of all notes")];
        for (name, title) in panes {
            window.run_command(title).await?;
            self.shot(&window, name).await?;
        }
        window.press(&[key::CONTROL], "o").await?;
        window.find("[role=dialog] [role=option]").await?;
        self.shot(&window, "finder").await?;
        window.keys(key::ESCAPE).await?;
        window.press(&[key::CONTROL], "p").await?;
        window.find("[role=dialog] [role=option]").await?;
        self.shot(&window, "palette").await?;
        window.keys(key::ESCAPE).await?;
        window.press(&[key::CONTROL], ",").await?;
        window.find("[role=dialog]").await?;
        self.shot(&window, "settings").await?;
        window.keys(key::ESCAPE).await?;
        window.keys(F1).await?;
        window.text_has("[role=dialog]", "Rename this heading").await?;
        self.shot(&window, "keys").await?;
        window.keys(key::ESCAPE).await?;
        window.press(&[key::CONTROL, key::SHIFT], "e").await?;
        window.open_note(&lead.name).await?;
        window.press(&[key::CONTROL, ALT], key::ENTER).await?;
        window.find("[data-pane=centre][data-focused]").await?;
        window.press(&[key::CONTROL], "e").await?;
        window.find(".reading").await?;
        self.shot(&window, "split").await?;
        window.close().await
    }
}
