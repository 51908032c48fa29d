//! Another program writes into the notes of an operation while it is carried out.
//!
//! The same is done to a commit that looks and then renames, as most programs save. It must lose lines: if it does not,
//! the other program was not close enough to prove anything about ours.

mod naive;
mod ours;
mod outsider;

use crate::asked::{Asked, Ground, write};
use anyhow::{Context, Result, ensure};
use std::collections::{BTreeSet, HashSet};
use std::io::Write;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// The word that makes this program the other one.
pub const OUTSIDER: &str = "be-the-outsider";

pub use outsider::run as be_the_outsider;

/// Groups of notes in one field; the other program is in one of them, a rename in another or the same.
const GROUPS: usize = 8;

/// Renames in one field, and time spent in it. Then both go on to the next, so that no note grows for a whole minute.
const IN_A_FIELD: usize = 25;
const TIME_IN_A_FIELD: Duration = Duration::from_secs(2);

/// Notes that link to the lead of their group.
const LINKING: usize = 3;

/// Both programs do their worst this much longer than asked before a run is given up.
const PATIENCE: u32 = 30;

/// Runs the product, then the naive one, and prints what became of the other program's lines.
pub fn run(asked: &Asked) -> Result<()> {
    let count = asked.count(1_000);
    let ours = against(asked, (count, asked.rest), asked.at_least(60), ours::Ours::new)?;
    let naive = against(asked, (count.max(200), 0), Duration::ZERO, naive::Naive::new)?;
    ensure!(ours.lost.is_empty(), "{} lines are nowhere: {:?}", ours.lost.len(), first(&ours.lost));
    ensure!(!naive.lost.is_empty(), "the naive commit lost nothing either: this run proves nothing, make it longer");
    Ok(())
}

/// Whoever renames sections while the other program writes.
trait Renamer {
    /// Tries to rename the section of a group's lead, and its links; says whether several files were changed.
    fn rename(&mut self, group: Group) -> Result<bool>;
    /// Ends, and returns the lines that are in versions of some notes.
    fn end(self, notes: &BTreeSet<String>) -> Result<HashSet<u32>>;
    /// Says who it is and what it met.
    fn met(&self) -> String;
}

/// What became of the lines.
struct Account {
    lost: Vec<u32>,
}

fn against<R: Renamer>(
    asked: &Asked,
    (count, rest): (usize, u32),
    at_least: Duration,
    renamer: impl FnOnce(&Ground) -> Result<R>,
) -> Result<Account> {
    let ground = Ground::new("neighbour")?;
    let outcome = contend(asked, (count, rest), at_least, &ground, renamer);
    let failed = match &outcome {
        // What is left tells how it came; the naive one is meant to lose.
        Ok(account) if at_least > Duration::ZERO && !account.lost.is_empty() => {
            Err(anyhow::anyhow!("lines are nowhere: {:?}", first(&account.lost)))
        }
        Ok(_) => Ok(()),
        Err(error) => Err(anyhow::anyhow!("{error:#}")),
    };
    ground.end(failed)?;
    outcome
}

fn contend<R: Renamer>(
    asked: &Asked,
    (count, rest): (usize, u32),
    at_least: Duration,
    ground: &Ground,
    renamer: impl FnOnce(&Ground) -> Result<R>,
) -> Result<Account> {
    let vault = ground.path("vault");
    sow(&vault, 0)?;
    let mut renamer = renamer(ground)?;
    let mut chance = asked.chance();
    let log = ground.path("log");
    let mut outsider = start(&vault, &log, chance.draw(), rest)?;
    let mut input = outsider.stdin.take().context("it is piped")?;
    writeln!(input, "0")?;

    let start = Instant::now();
    let (mut done, mut tried) = (0, 0);
    let (mut field, mut in_field, mut since) = (0, 0, start);
    let limit = at_least.max(Duration::from_secs(6)) * PATIENCE;
    while done < count || start.elapsed() < at_least {
        ensure!(start.elapsed() < limit, "only {done} of {tried} tried renames got through in {limit:?}");
        ensure!(outsider.try_wait()?.is_none(), "the other program ended early");
        let group = Group { field, nth: chance.below(GROUPS) };
        tried += 1;
        done += usize::from(renamer.rename(group)?);
        if done >= in_field + IN_A_FIELD || since.elapsed() > TIME_IN_A_FIELD {
            field += 1;
            (in_field, since) = (done, Instant::now());
            sow(&vault, field)?;
            writeln!(input, "{field}")?;
        }
    }
    let seconds = start.elapsed().as_secs_f64();
    drop(input);
    ensure!(outsider.wait()?.success(), "the other program failed");

    let met = renamer.met();
    let mut in_files = HashSet::new();
    for group in (0..=field).flat_map(|field| (0..GROUPS).map(move |nth| Group { field, nth })) {
        for note in group.notes() {
            in_files.extend(lines_in(&std::fs::read(vault.join(note))?));
        }
    }
    let told = Told::read(&std::fs::read_to_string(&log)?)?;
    let missing = told.written.iter().filter(|written| !in_files.contains(&written.n));
    let in_versions = renamer.end(&missing.map(|written| written.note.clone()).collect())?;
    println!("{met}: {done} renames got through of {tried} tried, in {seconds:.1} s");
    Ok(told.account(&in_files, &in_versions))
}

/// A line that the other program wrote.
struct Written {
    mode: Mode,
    n: u32,
    /// From before it opened the note until the line was in it: who holds a file open for long may write late.
    took_ms: u64,
    note: String,
}

/// What the other program says it did.
struct Told {
    written: Vec<Written>,
    overwritten: HashSet<u32>,
}

impl Told {
    fn read(log: &str) -> Result<Told> {
        let mut told = Told { written: Vec::new(), overwritten: HashSet::new() };
        for entry in log.lines() {
            let mut words = entry.splitn(4, ' ');
            let (what, n) = (words.next().unwrap_or_default(), words.next().context("a number")?.parse()?);
            let took_ms = words.next().context("a time")?.parse()?;
            let note = words.next().context("a note")?.to_owned();
            match Mode::ALL.into_iter().find(|mode| mode.name() == what) {
                Some(mode) => told.written.push(Written { mode, n, took_ms, note }),
                None => drop(told.overwritten.insert(n)),
            }
        }
        Ok(told)
    }

    /// Compares it with what is there.
    fn account(&self, in_files: &HashSet<u32>, in_versions: &HashSet<u32>) -> Account {
        let n = |mode: Mode| self.written.iter().filter(|written| written.mode == mode).count();
        println!(
            "  the other program wrote {} lines: {} appended, {} by a new file in the place of the old, {} by rewriting",
            self.written.len(),
            n(Mode::Append),
            n(Mode::Replace),
            n(Mode::Rewrite)
        );
        let missing = self.written.iter().map(|written| written.n).filter(|n| !in_files.contains(n));
        let (own, missing): (Vec<u32>, Vec<u32>) = missing.partition(|n| self.overwritten.contains(n));
        let (kept, lost): (Vec<u32>, Vec<u32>) = missing.into_iter().partition(|n| in_versions.contains(n));
        // A handful can be looked into one by one.
        if lost.len() <= 10 {
            for Written { mode, n, took_ms, note } in self.written.iter().filter(|written| lost.contains(&written.n)) {
                println!("  nowhere: line {n}, {} in {took_ms} ms, {note}", mode.name());
            }
        }
        let slowest = self.written.iter().map(|written| written.took_ms).max().unwrap_or(0);
        println!("  its slowest write took {slowest} ms");
        let n_counted = self.written.len() - own.len();
        println!(
            "  of {n_counted} that count, {} are in files, {} only in versions, {} nowhere",
            n_counted - kept.len() - lost.len(),
            kept.len(),
            lost.len()
        );
        let own_kept = own.iter().filter(|n| in_versions.contains(n)).count();
        println!("  it overwrote {} of its own itself; {own_kept} of these are in versions all the same", own.len());
        Account { lost }
    }
}

/// A note with a section, and the notes that link to it.
#[derive(Debug, Clone, Copy)]
struct Group {
    field: usize,
    nth: usize,
}

impl Group {
    fn lead(self) -> String {
        format!("Field {}/Lead {}-{}.md", self.field, self.field, self.nth)
    }

    fn links(self, title: &str) -> String {
        format!("[[Lead {}-{}#{title}]]", self.field, self.nth)
    }

    fn linking(self) -> impl Iterator<Item = String> {
        (0..LINKING).map(move |n| format!("Field {}/Note {}-{}-{n}.md", self.field, self.field, self.nth))
    }

    fn notes(self) -> impl Iterator<Item = String> {
        std::iter::once(self.lead()).chain(self.linking())
    }
}

/// How the other program writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mode {
    /// Adds to the end of the file.
    Append,
    /// Writes a new file and renames it over the old one.
    Replace,
    /// Empties the file and writes it anew.
    Rewrite,
}

impl Mode {
    const ALL: [Mode; 3] = [Mode::Append, Mode::Replace, Mode::Rewrite];

    fn name(self) -> &'static str {
        match self {
            Mode::Append => "appended",
            Mode::Replace => "replaced",
            Mode::Rewrite => "rewrote",
        }
    }
}

const LINE: &str = "- line ";

fn line_of(n: u32) -> String {
    format!("{LINE}{n}.\n")
}

/// Finds the other program's lines in a text; a part of a line is none.
fn lines_in(text: &[u8]) -> impl Iterator<Item = u32> {
    text.split(|byte| *byte == b'\n')
        .filter_map(|line| std::str::from_utf8(line).ok()?.strip_prefix(LINE)?.strip_suffix('.')?.parse().ok())
}

/// Writes the notes of a field.
fn sow(vault: &Path, field: usize) -> Result<()> {
    for nth in 0..GROUPS {
        let group = Group { field, nth };
        write(vault, &group.lead(), &format!("# Lead\n\n## Part\n\nSee {}.\n\n", group.links("Part")))?;
        for note in group.linking() {
            write(vault, &note, &format!("# Note\n\n{}\n\n", group.links("Part")))?;
        }
    }
    Ok(())
}

fn start(vault: &Path, log: &Path, seed: u64, rest: u32) -> Result<Child> {
    let mut command = Command::new(std::env::current_exe()?);
    command.arg(OUTSIDER).args([vault, log]).args([seed.to_string(), rest.to_string()]).stdin(Stdio::piped());
    command.spawn().context("the other program does not start")
}

fn first(lost: &[u32]) -> &[u32] {
    &lost[..lost.len().min(10)]
}
