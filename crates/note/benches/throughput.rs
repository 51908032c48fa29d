//! How fast notes are read, beside the bare Markdown parser over the same bytes.
//!
//! `cargo bench -p note` reads 2,000 made-up notes that look like those of a vault; `cargo bench -p note -- DIR`
//! reads those of a folder. Both sides are timed in turns over a few notes at a time, and the best turn of each counts: so
//! what else the machine does meanwhile hardly does.

#![allow(clippy::print_stdout, reason = "it reports to whoever started it")]

use note::{NoteText, parse};
use pulldown_cmark::{Options, Parser};
use std::hint::black_box;
use std::path::Path;
use std::time::{Duration, Instant};

mod vault;

const N_NOTES: usize = 2000;
const N_TURNS: usize = 40;
/// Smaller corpora get more turns, until as much is read as of this one.
const USUAL_BYTES: usize = 10_000_000;
const MAX_TURNS: usize = 2000;
/// So few that a turn is short.
const N_IN_GROUP: usize = 50;

fn main() {
    // `cargo bench` passes `--bench` along.
    let dir = std::env::args().skip(1).find(|arg| !arg.starts_with("--"));
    let sources = match &dir {
        Some(dir) => notes_below(Path::new(dir)),
        None => vault::notes(N_NOTES),
    };
    let n_bytes: usize = sources.iter().map(String::len).sum();
    let (mut bare, mut read, mut hashed) = (Duration::ZERO, Duration::ZERO, Duration::ZERO);
    let (mut n_links, mut n_headings) = (0, 0);
    let n_turns = (N_TURNS * USUAL_BYTES / n_bytes.max(1)).clamp(N_TURNS, MAX_TURNS);
    for group in sources.chunks(N_IN_GROUP) {
        let (mut best_bare, mut best_read, mut best_hashed) = (Duration::MAX, Duration::MAX, Duration::MAX);
        for turn in 0..n_turns {
            best_bare = best_bare.min(timed(|| {
                for source in group {
                    for event in Parser::new_ext(source, options()).into_offset_iter() {
                        black_box(&event);
                    }
                }
            }));
            // A fresh text each turn: a text remembers where its lines start.
            let mut texts = Vec::new();
            best_hashed =
                best_hashed.min(timed(|| texts = group.iter().map(|source| NoteText::from_str(source)).collect()));
            best_read = best_read.min(timed(|| {
                for text in &texts {
                    let note = black_box(parse(text));
                    if turn == 0 {
                        n_links += note.links.len();
                        n_headings += note.headings.len();
                    }
                }
            }));
        }
        bare += best_bare;
        read += best_read;
        hashed += best_hashed;
    }
    let speed = |time: Duration| n_bytes as f64 / 1e6 / time.as_secs_f64();
    println!("{} notes, {:.1} MB, {n_headings} headings, {n_links} links", sources.len(), n_bytes as f64 / 1e6);
    println!("taking the text and its hash  {:>8.1} MB/s", speed(hashed));
    println!("bare Markdown parser          {:>8.1} MB/s", speed(bare));
    println!("parse with links              {:>8.1} MB/s", speed(read));
    println!("ratio of the times            {:>8.2}", read.as_secs_f64() / bare.as_secs_f64());
}

/// The options of `parse`.
fn options() -> Options {
    Options::ENABLE_TABLES
        | Options::ENABLE_FOOTNOTES
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_TASKLISTS
        | Options::ENABLE_MATH
}

fn timed(act: impl FnOnce()) -> Duration {
    let start = Instant::now();
    act();
    start.elapsed()
}

fn notes_below(dir: &Path) -> Vec<String> {
    let mut notes = Vec::new();
    let mut folders = vec![dir.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).expect("a folder that can be read").flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "md") {
                notes.extend(std::fs::read_to_string(&path));
            }
        }
    }
    notes
}
