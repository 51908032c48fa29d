//! The other program: writes one line at a time into the notes that are being renamed, in three ways, as fast as it can.
//!
//! Which lines count. A line counts once the call that put it into the file has returned (the write, or the rename over
//! the file). From then on it must be in a file or in a version. Lines are carried along as editors do: what replaces or
//! rewrites a note is the text that was read just before, with one line more. The program is alone in this, and does one
//! thing at a time; beside nobody but itself it loses nothing. So a line that is missing is missing because of us: either
//! our text displaced it, or this program read our text in the instant before the other one was put back, and wrote over
//! the latter.
//!
//! One case is its own: it empties a file *in place* that holds the line, and fills it with a text that it had read
//! without it. The bytes were in their file then, and the hand that destroyed them is the one that had written them;
//! whoever did not read them in between never can. It is decided by evidence: what is read through the very handle that
//! then empties the file. Such lines are told apart as overwritten, and looked for all the same. What it replaces by a
//! rename is not excused: a program that holds the replaced file can still read it.

use super::{Mode, line_of, lines_in};
use crate::chance::Chance;
use anyhow::{Context, Result};
use std::collections::HashSet;
use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, BufWriter, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Instant;

/// Lines written before it goes on to other notes: long enough to meet a commit, short enough to let others pass.
const BURST: usize = 120;

/// Runs until its input ends; each line of the input names the field (a folder of the vault) that it works in from then on.
pub fn run(mut args: impl Iterator<Item = String>) -> Result<()> {
    let mut next = |what: &str| args.next().with_context(|| format!("{what} is missing"));
    let vault = PathBuf::from(next("the vault")?);
    let log = File::create(next("the log")?)?;
    let seed = next("the seed")?.parse()?;
    let rest: u32 = next("the rest")?.parse()?;
    let mut outsider = Outsider { vault, log: BufWriter::new(log), chance: Chance::new(seed), n_lines: 0 };

    let field = Arc::new(AtomicUsize::new(0));
    let ended = Arc::new(AtomicBool::new(false));
    let (told, is_told) = (field.clone(), ended.clone());
    let mut input = BufReader::new(std::io::stdin());
    let mut first = String::new();
    input.read_line(&mut first)?;
    field.store(first.trim().parse()?, Ordering::SeqCst);
    std::thread::spawn(move || {
        for line in input.lines().map_while(Result::ok) {
            told.store(line.trim().parse().unwrap_or_default(), Ordering::SeqCst);
        }
        is_told.store(true, Ordering::SeqCst);
    });
    while !ended.load(Ordering::SeqCst) {
        let began = Instant::now();
        outsider.visit(field.load(Ordering::SeqCst))?;
        std::thread::sleep(began.elapsed() * rest);
    }
    outsider.log.flush()?;
    Ok(())
}

struct Outsider {
    vault: PathBuf,
    log: BufWriter<File>,
    chance: Chance,
    n_lines: u32,
}

impl Outsider {
    /// Picks one group of notes and writes into it for a while.
    fn visit(&mut self, field: usize) -> Result<()> {
        let group = super::Group { field, nth: self.chance.below(super::GROUPS) };
        let names: Vec<String> = group.notes().collect();
        for _ in 0..BURST {
            let at = self.chance.below(names.len());
            let note = self.vault.join(&names[at]);
            let mode = *self.chance.pick(&[Mode::Append, Mode::Replace, Mode::Rewrite]);
            self.n_lines += 1;
            let line = line_of(self.n_lines);
            let began = Instant::now();
            match mode {
                Mode::Append => append(&note, &line),
                Mode::Replace => replace(&note, &line),
                Mode::Rewrite => {
                    let destroyed = rewrite(&note, &line)?;
                    for n in destroyed {
                        writeln!(self.log, "overwrote {n} 0 {}", names[at])?;
                    }
                    Ok(())
                }
            }
            .with_context(|| format!("{mode:?} {}", note.display()))?;
            writeln!(self.log, "{} {} {} {}", mode.name(), self.n_lines, began.elapsed().as_millis(), names[at])?;
        }
        Ok(())
    }
}

fn append(note: &Path, line: &str) -> Result<()> {
    Ok(OpenOptions::new().append(true).open(note)?.write_all(line.as_bytes())?)
}

fn replace(note: &Path, line: &str) -> Result<()> {
    let text = std::fs::read(note)?;
    let beside = note.with_file_name(".outsider.swp");
    std::fs::write(&beside, [&text, line.as_bytes()].concat())?;
    Ok(std::fs::rename(beside, note)?)
}

/// Returns the lines that were in the file and not in what was written over them.
fn rewrite(note: &Path, line: &str) -> Result<Vec<u32>> {
    let text = std::fs::read(note)?;
    let mut file = OpenOptions::new().read(true).write(true).open(note)?;
    let mut there = Vec::with_capacity(text.len());
    file.read_to_end(&mut there)?;
    file.set_len(0)?;
    std::io::Seek::rewind(&mut file)?;
    file.write_all(&[&text, line.as_bytes()].concat())?;
    if there == text {
        return Ok(Vec::new());
    }
    let carried: HashSet<u32> = lines_in(&text).collect();
    Ok(lines_in(&there).filter(|n| !carried.contains(n)).collect())
}
