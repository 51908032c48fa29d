//! `cargo xtask bench peers`: how long an agent waits for the server, and what its tools cost to read, beside two others.
//!
//! All run at once, each on a copy of one vault, and are asked in turn, so that whatever else the machine does slows all
//! alike: the ratios count. Every answer is held against the vault before its time does.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "its figures are for whoever started it")]

mod catalog;
mod install;
mod servers;
mod times;
mod vault;

use anyhow::{Context, Result, bail};
use it::{Agent, until};
use servers::{Kind, Operation, Server, call};
use std::cell::RefCell;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};
use times::{Row, print};

const HELP: &str = "\
peers [--notes N] [--calls N] [--without NAME]   ask this server, Datacron and TurboVault the same (2000 notes, 40 calls)
";
/// How long one answer may take.
const PATIENCE: Duration = Duration::from_secs(120);
/// What a reader of the table must know.
const LEGEND: &str = "
first start: from a folder of notes alone, with all that a server wants done before, to a search that names the last note
ratio: the median beside ours over the same transport, so over 1 is slower than ours; answer B: the median size in bytes
search: passages are ranked by Vidimus and Datacron, notes by TurboVault; each note has its word once, and must be named
list: TurboVault has no list, but its search without words is meant for it
tools: those that write are offered by all; TurboVault has more that it does not list
TurboVault runs in its production profile; Datacron is indexed by its own command first; Vidimus over HTTP is its window";
/// How often a server is started.
const STARTS: usize = 5;

struct Asked {
    n_notes: usize,
    n_calls: usize,
    without: Vec<String>,
}

#[tokio::main(flavor = "multi_thread", worker_threads = 1)]
async fn main() -> ExitCode {
    let ran = match asked(std::env::args().skip(1)) {
        Ok(asked) => compare(&asked).await,
        Err(error) => Err(error),
    };
    match ran {
        Ok(missing) if missing.is_empty() => ExitCode::SUCCESS,
        Ok(missing) => {
            println!();
            missing.iter().for_each(|why| eprintln!("peers: {why}"));
            ExitCode::FAILURE
        }
        Err(error) => {
            eprintln!("peers: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn asked(mut args: impl Iterator<Item = String>) -> Result<Asked> {
    let mut asked = Asked { n_notes: 2000, n_calls: 40, without: Vec::new() };
    while let Some(arg) = args.next() {
        let value = args.next();
        let number = || value.as_deref().and_then(|n| n.parse().ok()).filter(|n| *n > 0);
        match arg.as_str() {
            "--notes" => asked.n_notes = number().context("--notes takes a number")?,
            "--calls" => asked.n_calls = number().context("--calls takes a number")?,
            "--without" => asked.without.push(value.context("--without takes a name")?),
            other => bail!("unknown argument `{other}`\n\n{HELP}"),
        }
    }
    if asked.n_notes > vault::MOST_NOTES {
        bail!("--notes takes at most {}", vault::MOST_NOTES);
    }
    Ok(asked)
}

/// Measures and prints; returns what could not be measured.
async fn compare(asked: &Asked) -> Result<Vec<String>> {
    let mut missing = Vec::new();
    let mut programs: Vec<(Kind, PathBuf)> = Vec::new();
    for kind in Kind::ALL {
        if asked.without.iter().any(|name| name.eq_ignore_ascii_case(kind.name())) {
            println!("{} is left out, as asked", kind.name());
            continue;
        }
        match kind.install() {
            Ok(program) => programs.push((kind, program)),
            Err(error) => missing.push(format!("{} could not be installed: {error:#}", kind.name())),
        }
    }
    println!("{} notes, times in milliseconds", asked.n_notes);
    println!("Datacron {}, TurboVault {} (with the feature http)\n", install::DATACRON, install::TURBOVAULT);

    let (mut rows, mut absent) = (Vec::new(), Vec::new());
    let mut servers = Vec::new();
    println!("{:<12}{:>7}{:>12}{:>16}{:>14}", "tools/list", "tools", "bytes", "tokens (B/4)", "instructions");
    for (kind, program) in programs {
        let server = Server::stdio(kind, program.clone(), asked.n_notes);
        match first(&server, asked.n_notes).await {
            Ok(took) => rows.push(Row::new("first start until a search finds", &server, "", vec![took])),
            Err(error) => {
                missing.push(format!("{} over stdio: {error:#}", kind.name()));
                continue;
            }
        }
        let weighed = tokio::time::timeout(PATIENCE, catalog::weigh(server.command())).await?;
        let catalog = weighed.with_context(|| kind.name())?;
        let (name, tokens) = (kind.name(), catalog.bytes / 4);
        println!("{name:<12}{:>7}{:>12}{tokens:>16}{:>14}", catalog.n_tools, catalog.bytes, catalog.instructions);
        servers.push(server);
        match kind.lacks_http() {
            Some(why) => absent.push(Row::absent("connect", kind, "HTTP", why)),
            None => match over_http(kind, program, asked.n_notes).await {
                Ok(server) => servers.push(server),
                Err(error) => missing.push(format!("{} over HTTP: {error:#}", kind.name())),
            },
        }
    }
    rows.extend(starts(&servers, asked.n_notes).await?);
    rows.extend(absent);
    let mut agents = Vec::new();
    for server in &servers {
        agents.push(within(server.connect()).await.with_context(|| server.label())?);
    }
    for operation in Operation::ALL {
        rows.extend(measure(operation, &servers, &agents, asked, &mut missing).await);
    }
    print(&rows);
    println!("{LEGEND}");
    for agent in agents {
        agent.close().await?;
    }
    for server in servers {
        server.close().await?;
    }
    Ok(missing)
}

/// Connects to all in turn, several times; over stdio this starts the program, on a vault that it has seen before.
async fn starts(servers: &[Server], n_notes: usize) -> Result<Vec<Row>> {
    let row = |server: &Server, stdio, http, tool| {
        Row::new(if server.transport == "stdio" { stdio } else { http }, server, tool, Vec::new())
    };
    let mut connected: Vec<Row> =
        servers.iter().map(|server| row(server, "start the program and connect", "connect", "initialize")).collect();
    let mut useful: Vec<Row> =
        servers.iter().map(|server| row(server, "start until a search finds", "connect and search", "")).collect();
    for _ in 0..STARTS {
        for ((server, connected), useful) in servers.iter().zip(&mut connected).zip(&mut useful) {
            let begun = Instant::now();
            let agent = within(server.connect()).await.with_context(|| server.label())?;
            connected.add(since(begun), None);
            found(server, &agent, n_notes).await.with_context(|| server.label())?;
            useful.add(since(begun), None);
            agent.close().await?;
        }
    }
    connected.extend(useful);
    Ok(connected)
}

/// Takes the time from nothing but a folder of notes until the word of its last note is found in it.
async fn first(server: &Server, n_notes: usize) -> Result<f64> {
    let begun = Instant::now();
    server.prepare()?;
    let agent = within(server.connect()).await?;
    found(server, &agent, n_notes).await?;
    let took = since(begun);
    agent.close().await?;
    Ok(took)
}

/// Starts a server over HTTP and lets it come to know its vault.
async fn over_http(kind: Kind, program: PathBuf, n_notes: usize) -> Result<Server> {
    let server = Server::http(kind, program, n_notes).await?;
    let agent = within(server.connect()).await?;
    found(&server, &agent, n_notes).await?;
    agent.close().await?;
    Ok(server)
}

/// Waits until the word of the last note is found in it.
async fn found(server: &Server, agent: &Agent, n_notes: usize) -> Result<()> {
    let last = n_notes - 1;
    let said = RefCell::new(String::new());
    let found = until("the last note is found", || async {
        let answer = answer(server, agent, Operation::Search, last, n_notes).await;
        Ok(answer.map_err(|error| *said.borrow_mut() = format!("{error:#}")).ok().map(drop))
    });
    found.await.map_err(|error| error.context(said.take()))
}

/// Asks all servers the same in turn, as often as was asked for; what a server answers first does not count.
async fn measure(
    operation: Operation,
    servers: &[Server],
    agents: &[Agent],
    asked: &Asked,
    missing: &mut Vec<String>,
) -> Vec<Row> {
    const UNCOUNTED: usize = 2;
    let mut rows: Vec<Row> = Vec::new();
    for server in servers {
        rows.push(match call(server.kind, operation, 0, asked.n_notes) {
            Ok((tool, _)) => Row::new(operation.name(), server, tool, Vec::new()),
            Err(why) => Row::absent(operation.name(), server.kind, server.transport, why),
        });
    }
    for round in 0..asked.n_calls + UNCOUNTED {
        // Neighbours in the list are neighbours on disk; a stride leads elsewhere each time.
        let nth = (round * 389 + 17) % asked.n_notes;
        for ((row, server), agent) in rows.iter_mut().zip(servers).zip(agents) {
            if row.why.is_some() {
                continue;
            }
            match answer(server, agent, operation, nth, asked.n_notes).await {
                Ok((took, bytes)) if round >= UNCOUNTED => row.add(took, bytes),
                Ok(_) => {}
                Err(error) => {
                    missing.push(format!("{}, {}: {error:#}", server.label(), operation.name()));
                    row.why = Some("its answer was not right, see below".to_owned());
                }
            }
        }
    }
    rows
}

/// Asks once; returns how long it took and how large a tool's answer was, if it was the right one.
async fn answer(
    server: &Server,
    agent: &Agent,
    operation: Operation,
    nth: usize,
    n_notes: usize,
) -> Result<(f64, Option<usize>)> {
    let (tool, arguments) = call(server.kind, operation, nth, n_notes).map_err(anyhow::Error::msg)?;
    let begun = Instant::now();
    if operation == Operation::ListTools {
        let n_tools = within(agent.list_tools()).await?;
        anyhow::ensure!(n_tools > 0, "it lists no tools");
        return Ok((since(begun), None));
    }
    let said = within(agent.whole(tool, arguments)).await?;
    let took = since(begun);
    let text = said.to_string();
    let wanted = operation.wanted(nth, n_notes);
    let is_right = said["isError"] != true && text.contains(&wanted);
    anyhow::ensure!(is_right, "{tool} did not say `{wanted}` but {}", text.chars().take(300).collect::<String>());
    Ok((took, Some(text.len())))
}

async fn within<T>(asking: impl Future<Output = Result<T>>) -> Result<T> {
    tokio::time::timeout(PATIENCE, asking).await.context("no answer in time")?
}

fn since(begun: Instant) -> f64 {
    begun.elapsed().as_secs_f64() * 1000.0
}
