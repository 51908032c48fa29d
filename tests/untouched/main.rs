//! `cargo xtask untouched DIR`: opens every note of a copy of a vault in the real window, types a character into it, takes
//! it back and closes it; then every byte of the vault must be what it was.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "its figures are for whoever started it")]

use anyhow::{Context, Result, bail, ensure};
use it::{Bench, READ_ONLY, RETYPED, Window, retype};
use std::collections::BTreeMap;
use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

const HELP: &str = "\
untouched DIR   open every note of a copy of DIR, type a character, undo it, close; compare every byte
";

#[tokio::main(flavor = "multi_thread", worker_threads = 1)]
async fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let ran = match &args[..] {
        [dir] if !dir.starts_with('-') => go_through(Path::new(dir)).await,
        _ => Err(anyhow::anyhow!("{HELP}")),
    };
    match ran {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("untouched: {error:#}");
            ExitCode::FAILURE
        }
    }
}

async fn go_through(dir: &Path) -> Result<()> {
    let bench = Bench::new("");
    it::copy(dir, &bench.vault()).with_context(|| format!("copying {}", dir.display()))?;
    let before = bench.files();
    let is_note = |path: &&String| path.ends_with(".md") && !path.split('/').any(|part| part.starts_with('.'));
    let notes: Vec<String> = before.keys().filter(is_note).cloned().collect();
    ensure!(!notes.is_empty(), "`{}` holds no note", dir.display());

    let begun = Instant::now();
    let vault = bench.vault();
    let window = Window::open(&bench, &[vault.to_str().context("the path is text")?]).await?;
    window.text_has("footer", "notes indexed").await?;
    let mut outcomes: BTreeMap<String, Vec<&String>> = BTreeMap::new();
    for (note, outcome) in notes.iter().zip(retype(&window, &notes).await?) {
        outcomes.entry(outcome).or_default().push(note);
    }
    window.close().await?;

    println!("{} notes of {} in {:.0} s", notes.len(), dir.display(), begun.elapsed().as_secs_f64());
    for (outcome, notes) in &outcomes {
        println!("{:>6} {outcome}", notes.len());
    }
    let after = bench.files();
    let changed: Vec<&String> = before.keys().filter(|path| after.get(*path) != before.get(*path)).collect();
    let new: Vec<&String> = after.keys().filter(|path| !before.contains_key(*path)).collect();
    println!("{:>6} files compared: {} changed, {} new", before.len(), changed.len(), new.len());
    let strange: Vec<_> =
        outcomes.iter().filter(|(outcome, _)| ![RETYPED, READ_ONLY].contains(&outcome.as_str())).collect();
    if !changed.is_empty() || !new.is_empty() || !strange.is_empty() {
        bail!("changed: {changed:#?}\nnew: {new:#?}\nnot gone through: {strange:#?}");
    }
    Ok(())
}
