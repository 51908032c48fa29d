//! The real program is killed at moments that nobody chose, in a stream of operations over several files.
//!
//! One state folder lives through all kills, so that what one start leaves is what the next one finds, and every third
//! time the start that has to recover is killed too. What was answered must be there; what was on its way is there in
//! every file, or in none.

use crate::asked::Asked;
use crate::chance::Chance;
use crate::past;
use anyhow::{Context, Result, bail, ensure};
use it::{Agent, Bench};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, Instant};
use tokio::process::{Child, Command};

/// Notes that link to the one that is renamed.
const LINKING: usize = 12;

/// A kill in the stream comes within this many times the time that one operation takes.
const OPERATIONS: u32 = 4;

/// Runs the kills and prints what they met.
pub fn run(asked: &Asked) -> Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let bench = Bench::new("");
    let outcome = runtime.block_on(kill(&bench, asked.count(500), asked.chance()));
    outcome.map_err(|error| error.context(format!("see {}", bench.keep().display())))
}

#[derive(Default)]
struct Figures {
    inside: usize,
    finished: usize,
    undone: usize,
    answered: usize,
    /// Operations that were at their end, and whose answer was not.
    unanswered: usize,
    /// Starts that had something to recover and were killed, and those of them that had not recovered it by then.
    recoveries: usize,
    cut_short: usize,
}

async fn kill(bench: &Bench, count: usize, mut chance: Chance) -> Result<()> {
    let mut at = 0;
    for (path, text) in Scene(at).files() {
        bench.write(&path, &text);
    }
    let mut figures = Figures::default();
    let pace = Pace::of(bench, &mut at).await?;
    for round in 0..count {
        at += in_the_stream(bench, at, pace.operation * OPERATIONS, &mut chance, &mut figures).await?;
        let journal = Journal::of(bench)?;
        figures.inside += usize::from(journal.pending.is_some());
        if round % 3 == 0 {
            in_the_start(bench, pace.start, &mut chance, &mut figures).await?;
        }
        let begun = journal.pending.is_some();
        let now = reopened(bench, at).with_context(|| format!("kill {round}"))?;
        figures.unanswered += usize::from(!begun && now > at);
        figures.finished += usize::from(begun && now > at);
        figures.undone += usize::from(begun && now == at);
        at = now;
    }
    let n_versions = restorable(bench)?;
    println!("kill: {count} kills in a stream of operations over {} files", LINKING + 1);
    println!(
        "  {} landed inside an operation, between its beginning and its end: {} of these are there whole, {} not at all",
        figures.inside, figures.finished, figures.undone
    );
    println!(
        "  {} starts that had to recover were killed as well, {} of them before they had",
        figures.recoveries, figures.cut_short
    );
    println!(
        "  {} operations were answered; lost of these 0, half operations 0, other bytes 0, manual repairs 0",
        figures.answered
    );
    println!("  {n_versions} versions can be restored");
    Ok(())
}

/// How long things take on this machine.
struct Pace {
    start: Duration,
    operation: Duration,
}

impl Pace {
    async fn of(bench: &Bench, at: &mut usize) -> Result<Pace> {
        let begin = Instant::now();
        let (mut program, agent) = start(bench).await?;
        let started = begin.elapsed();
        let begin = Instant::now();
        for _ in 0..8 {
            step(&agent, *at).await?;
            *at += 1;
        }
        let operation = begin.elapsed() / 8;
        stop(&mut program).await?;
        reopened(bench, *at)?;
        Ok(Pace { start: started, operation })
    }
}

/// Starts the program with a real client at its standard input and output.
async fn start(bench: &Bench) -> Result<(Child, Agent)> {
    let mut program = spawn(bench)?;
    let (stdout, stdin) = (program.stdout.take().context("piped")?, program.stdin.take().context("piped")?);
    let agent = Agent::over(stdout, stdin).await?;
    Ok((program, agent))
}

fn spawn(bench: &Bench) -> Result<Child> {
    let vault = bench.vault();
    let mut command = Command::from(bench.command(&["mcp", "--writes", "allow", "--vault"]));
    command.arg(vault).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).kill_on_drop(true);
    Ok(command.spawn()?)
}

/// SIGKILL, and the end of the process.
async fn stop(program: &mut Child) -> Result<()> {
    Ok(program.kill().await?)
}

/// Kills the program at some moment of a stream of operations; returns how many were answered.
async fn in_the_stream(
    bench: &Bench,
    at: usize,
    within: Duration,
    chance: &mut Chance,
    figures: &mut Figures,
) -> Result<usize> {
    let (mut program, agent) = start(bench).await?;
    let mut n_answered = 0;
    // Never at once: a killed program that had nothing to do proves nothing.
    let moment = within.mul_f64((1 + chance.below(1_000)) as f64 / 1_000.0);
    let stream = async {
        loop {
            step(&agent, at + n_answered).await?;
            n_answered += 1;
        }
    };
    let ended: Result<()> = tokio::select! {
        () = tokio::time::sleep(moment) => Ok(()),
        failed = stream => failed,
    };
    ended.context("an operation failed before the kill")?;
    stop(&mut program).await?;
    figures.answered += n_answered;
    Ok(n_answered)
}

/// Kills the program while it starts on what an earlier kill left.
async fn in_the_start(bench: &Bench, within: Duration, chance: &mut Chance, figures: &mut Figures) -> Result<()> {
    let had_to_recover = Journal::of(bench)?.pending.is_some();
    let mut program = spawn(bench)?;
    tokio::time::sleep(within.mul_f64(chance.below(1_000) as f64 / 1_000.0)).await;
    stop(&mut program).await?;
    if had_to_recover {
        figures.recoveries += 1;
        figures.cut_short += usize::from(Journal::of(bench)?.pending.is_some());
    }
    Ok(())
}

/// Opens the vault again and finds out what of the stream is there: everything up to `at`, and the next step or nothing
/// of it.
fn reopened(bench: &Bench, at: usize) -> Result<usize> {
    let vault = bench.vault();
    let (code, out, err) = bench.run(&["status", "--json", "--vault", vault.to_str().context("a plain path")?]);
    ensure!(code == 0, "it does not open again: {out}{err}");
    let status: Value = serde_json::from_str(&out)?;
    ensure!(status["n_interrupted"] == json!(0), "a person is asked to repair something: {status}");
    ensure!(Journal::of(bench)?.pending.is_none(), "an operation is still begun");
    let there: BTreeMap<String, String> =
        bench.files().into_iter().map(|(path, bytes)| (path, String::from_utf8_lossy(&bytes).into_owned())).collect();
    for now in [at, at + 1] {
        if there == Scene(now).files() {
            return Ok(now);
        }
    }
    let known = [Scene(at).files(), Scene(at + 1).files()];
    let odd: Vec<&String> = there
        .iter()
        .filter(|(path, text)| !known.iter().any(|files| files.get(*path) == Some(text)))
        .map(|(path, _)| path)
        .collect();
    bail!("half an operation after step {at}: {:?}; neither before nor after: {odd:?}", there.keys())
}

/// Counts the versions that can be had back, of every note that there ever was.
fn restorable(bench: &Bench) -> Result<usize> {
    let state = state_folder(bench)?;
    let engine = past::open(&bench.vault(), &state, "kill")?;
    let mut n_versions = 0;
    for path in Scene(0).files().into_keys().chain(Scene(3).files().into_keys()) {
        n_versions += past::listed_versions(&engine, &past::rel(&path)?)?.len();
    }
    engine.close();
    Ok(n_versions)
}

/// One step of the stream. Three of four rename the section; the fourth renames the note.
async fn step(agent: &Agent, at: usize) -> Result<()> {
    let (scene, next) = (Scene(at), Scene(at + 1));
    let answer = if scene.lead() == next.lead() {
        let arguments = json!({"rel_path": scene.lead(), "heading": scene.heading(), "new_heading": next.heading()});
        agent.call("rename_note_section", arguments).await?
    } else {
        agent.call("move_note", json!({"rel_path": scene.lead(), "new_rel_path": next.lead()})).await?
    };
    ensure!(!answer.is_error && answer.data["committed"] == json!(true), "step {at}: {:?}", answer.data);
    Ok(())
}

/// The vault after so many steps.
struct Scene(usize);

impl Scene {
    fn heading(&self) -> String {
        format!("Part {}", self.0 - self.0 / 4)
    }

    fn name(&self) -> &'static str {
        if (self.0 / 4).is_multiple_of(2) { "Lead" } else { "Chief" }
    }

    fn lead(&self) -> String {
        format!("{}.md", self.name())
    }

    fn files(&self) -> BTreeMap<String, String> {
        let (name, heading) = (self.name(), self.heading());
        let body = "A line that nobody may touch.\n".repeat(40);
        let lead = format!("# Lead\n\n{body}\n## {heading}\n\n[[#{heading}]]\n\n{body}");
        let linking = (0..LINKING).map(|n| {
            let body = format!("A line of note {n} that nobody may touch.\n").repeat(10 * (n + 1));
            (
                format!("Folder {}/Note {n}.md", n % 3),
                format!("{body}\n[[{name}#{heading}]] and ![[{name}#{heading}|x]]\n\n{body}"),
            )
        });
        linking.chain([(self.lead(), lead)]).collect()
    }
}

/// What the journal says, read as anyone can: a line of JSON for each entry.
struct Journal {
    /// The operation that was begun and not ended.
    pending: Option<String>,
}

impl Journal {
    fn of(bench: &Bench) -> Result<Journal> {
        let text = std::fs::read(state_folder(bench)?.join("journal.jsonl"))?;
        let mut pending = None;
        // A last line that was torn is none.
        for line in text.split(|byte| *byte == b'\n').filter_map(|line| serde_json::from_slice::<Value>(line).ok()) {
            let record = &line["record"];
            match record["kind"].as_str() {
                Some("begun") if record["done_at_ms"].is_null() => pending = record["op"].as_str().map(str::to_owned),
                Some("done" | "undone" | "released") if record["op"].as_str() == pending.as_deref() => pending = None,
                _ => {}
            }
        }
        Ok(Journal { pending })
    }
}

fn state_folder(bench: &Bench) -> Result<PathBuf> {
    let vaults = bench.home().join("data/vidimus/vaults");
    let only = |folder: &Path| -> Result<PathBuf> {
        Ok(std::fs::read_dir(folder)?.next().context("the vault was opened")??.path())
    };
    only(&vaults).with_context(|| vaults.display().to_string())
}
