//! `cargo xtask torture`: tries to make the program lose a byte, and counts.
//!
//! The promise: whatever happens, every byte that anyone wrote is either in its file or in a version that the person can
//! restore, and an operation over several files is all or nothing. Each torture prints its figures and fails if one of
//! them breaks the promise; the folder of a failed run stays, to be looked into.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "its figures are for whoever started it")]

mod asked;
mod chance;
mod past;

// The tortures, one module each.
mod neighbour;

mod kill;

mod race;

mod copies;

use anyhow::{Result, bail};
use asked::Asked;
use std::process::ExitCode;

const HELP: &str = "\
torture neighbour [--count N] [--seconds S]  another program writes into the files of N renames, for at least S seconds
torture kill [--count N]                     the program is killed N times in a stream of renames
torture race [--count N]                     two agents change one section with one hash, N times
torture copies [--count N]                   two copies of a vault are edited and merged by a sync tool, N times
torture all                                  one after the other

--count and --seconds default to the full run; --seed repeats the choices of an earlier one; --rest N lets the other
program rest N times as long as it wrote, for builds that are slow
";

fn main() -> ExitCode {
    let mut args = std::env::args().skip(1);
    let what = args.next().unwrap_or_default();
    let ran = match what.as_str() {
        neighbour::OUTSIDER => neighbour::be_the_outsider(args),
        _ => Asked::parse(args).and_then(|asked| run(&what, &asked)),
    };
    match ran {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("torture {what}: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(what: &str, asked: &Asked) -> Result<()> {
    match what {
        "neighbour" => neighbour::run(asked),
        "kill" => kill::run(asked),
        "race" => race::run(asked),
        "copies" => copies::run(asked),
        "all" => {
            // Each is told of, whatever came of the ones before.
            let outcomes = ["neighbour", "kill", "race", "copies"].map(|what| (what, run(what, asked)));
            let failed: Vec<String> = outcomes
                .into_iter()
                .filter_map(|(what, ran)| ran.err().map(|error| format!("{what}: {error:#}")))
                .collect();
            if failed.is_empty() { Ok(()) } else { bail!("{}", failed.join("\n")) }
        }
        _ => bail!("say what to do:\n\n{HELP}"),
    }
}
