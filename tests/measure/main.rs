//! `cargo xtask bench window`: how long a person waits in the real window, and how much memory it takes.
//!
//! Prints each figure beside its budget and fails if one is over. The window is driven through WebKit's own driver on a
//! display of its own; times within the page are taken there, so that the driver's own are not counted.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "its figures are for whoever started it")]

mod memory;
mod page;
mod vault;

use anyhow::{Context, Result, bail};
use it::{Bench, Window, key, until};
use std::process::ExitCode;
use std::time::{Duration, Instant, SystemTime};

const HELP: &str = "\
measure [--notes N]   start, note switch, keystroke, search and memory in a vault of N notes (10,000)
";

#[tokio::main(flavor = "multi_thread", worker_threads = 1)]
async fn main() -> ExitCode {
    let ran = match asked(std::env::args().skip(1)) {
        Ok(n_notes) => measure(n_notes).await,
        Err(error) => Err(error),
    };
    match ran {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => {
            eprintln!("measure: a figure is over its budget");
            ExitCode::FAILURE
        }
        Err(error) => {
            eprintln!("measure: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn asked(mut args: impl Iterator<Item = String>) -> Result<usize> {
    let mut n_notes = 10_000;
    while let Some(arg) = args.next() {
        match arg.as_str() {
            "--notes" => n_notes = args.next().and_then(|n| n.parse().ok()).context("--notes takes a number")?,
            other => bail!("unknown argument `{other}`\n\n{HELP}"),
        }
    }
    Ok(n_notes)
}

/// What was measured, and what it may be.
struct Figure {
    what: &'static str,
    unit: &'static str,
    /// Sorted.
    values: Vec<f64>,
    budget: f64,
}

impl Figure {
    fn new(what: &'static str, unit: &'static str, budget: f64, mut values: Vec<f64>) -> Figure {
        values.sort_by(f64::total_cmp);
        Figure { what, unit, values, budget }
    }

    fn at(&self, share: f64) -> f64 {
        let last = self.values.len().saturating_sub(1);
        self.values.get((last as f64 * share).round() as usize).copied().unwrap_or(f64::NAN)
    }

    /// The median counts: one slow answer on a machine that does other things is no fault of the window.
    fn holds(&self) -> bool {
        self.at(0.5) <= self.budget
    }

    fn print(&self) {
        let Figure { what, unit, budget, values } = self;
        let verdict = if self.holds() { "" } else { "   OVER" };
        let (median, most) = (self.at(0.5), self.at(0.95));
        println!("{what:<44}{median:>9.1}{most:>9.1}{budget:>9.1} {unit:<4}{:>4}{verdict}", values.len());
    }
}

async fn measure(n_notes: usize) -> Result<bool> {
    let bench = Bench::new("");
    vault::fill(&bench, n_notes);
    println!("{n_notes} notes, {} MB; one more of 1 MB\n", vault::size(&bench) >> 20);
    println!("{:<44}{:>9}{:>9}{:>9}", "", "median", "95 %", "budget");
    let mut figures = Vec::new();
    let mut tell = |figure: Figure| {
        figure.print();
        figures.push(figure.holds());
    };

    let vault = bench.vault();
    let args = [vault.to_str().context("the path is text")?];
    // The first start builds the index; it is waited for, and is not what a person meets every day.
    let begun = Instant::now();
    let window = Window::open(&bench, &args).await?;
    let first = usable(&window).await?.as_secs_f64();
    window.text_has("footer", "notes indexed").await?;
    let indexed = begun.elapsed().as_secs_f64();
    window.close().await?;
    println!("{:<44}{first:>9.2}{:>9}{:>9} s", "first start, until notes can be read", "", "");
    println!("{:<44}{indexed:>9.2}{:>9}{:>9} s", "first start, until every note is found", "", "");

    let mut starts = Vec::new();
    for _ in 0..5 {
        let window = Window::open(&bench, &args).await?;
        starts.push(usable(&window).await?.as_secs_f64() * 1000.0);
        window.close().await?;
    }
    tell(Figure::new("start until usable", "ms", 1500.0, starts));

    let window = Window::open(&bench, &args).await?;
    usable(&window).await?;
    window.text_has("nav", "Switch 11").await?;
    window.text_has("footer", "notes indexed").await?;
    let megabytes = || anyhow::Ok(vec![memory::of_program()? as f64 / (1 << 20) as f64]);
    tell(Figure::new("memory of the process tree, opened", "MB", 350.0, megabytes()?));
    tell(Figure::new("switch to another note", "ms", 80.0, page::switch_notes(&window, 60).await?));
    tell(Figure::new("search as you type", "ms", 50.0, page::search(&window, 30).await?));
    page::open_big(&window).await?;
    tell(Figure::new("keystroke until laid out, 1 MB note", "ms", 16.0, page::keystrokes(&window, 120).await?));
    tell(Figure::new("keystroke until painted, 1 MB note", "ms", 34.0, page::painted(&window, 120).await?));
    tell(Figure::new("memory of the process tree, after all that", "MB", 350.0, megabytes()?));
    window.close().await?;
    Ok(figures.iter().all(|holds| *holds))
}

/// Waits until the notes are listed and the page takes keys; returns the time since the program's process began.
async fn usable(window: &Window) -> Result<Duration> {
    let script = "return document.querySelector('nav [role=treeitem]') && document.fonts.status === 'loaded' ? \
                  performance.timeOrigin + performance.now() : null";
    let at =
        until("the notes are listed", || async { Ok(window.script(script).await.ok().and_then(|at| at.as_f64())) });
    let at = SystemTime::UNIX_EPOCH + Duration::from_secs_f64(at.await? / 1000.0);
    let begun = memory::began()?;
    window.press(&[key::CONTROL], "o").await?;
    window.find("[role=dialog] input").await?;
    window.keys(key::ESCAPE).await?;
    Ok(at.duration_since(begun).unwrap_or_default())
}
