//! The commands of the README: `cargo xtask run`, `cargo xtask test` and `cargo xtask build`, and those that take longer
//! than a test may: `cargo xtask torture`, `storm`, `untouched`, `pictures` and `bench`.
//!
//! They install what is missing, build the page, build the program, and run it, its tests or what tries to break it.
//! Whatever a `#[test]` can do is not here.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "this is what a person reads")]

mod packages;
mod steps;

use anyhow::{Result, bail};
use std::path::PathBuf;
use std::process::ExitCode;

const HELP: &str = "\
cargo xtask run [--yes] [--release] [DIR]   build everything that is needed and open the window, with the vault DIR
cargo xtask test [--yes]                    build everything and run every check and test
cargo xtask build [--yes] [--release]       build the program and say where it is

cargo xtask torture neighbour|kill|race|copies|all [--count N] [--seconds S] [--seed N]
    try to make the program lose a byte, and count; in release, with the real program:
    neighbour  another program writes into the files of 1,000 renames, for 60 seconds; so it does to a naive commit
    kill       the program is killed 500 times in a stream of operations over several files
    race       two agents change one section with one hash, 1,000 times
    copies     two copies of a vault are edited apart and merged by a sync tool, 200 times
cargo xtask bench window [--notes N]
    measure the real window in release with a vault of 10,000 notes: start, note switch, keystroke, search, memory
cargo xtask bench peers [--notes N] [--calls N] [--without NAME]
    install Datacron and TurboVault into the target folder, ask them and this server the same over stdio and HTTP in a
    vault of 2,000 notes, and compare the times and the size of the list of tools; compiling TurboVault takes long
cargo xtask storm DIR [--most N] [--linked]
    rename every heading of a copy of the vault DIR there and back, and check every link after each
cargo xtask untouched DIR
    open every note of a copy of the vault DIR in the real window, type a character and undo it, and compare every byte
cargo xtask pictures DIR [--to FOLDER]
    picture every screen of the real window with a copy of the vault DIR, in light and dark (into target/pictures)

--yes      install missing system packages without asking (so does CI=true)
--release  build what people install: slower to build, faster to use
";

fn main() -> ExitCode {
    match parse(std::env::args().skip(1)).and_then(|what| what.run()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("xtask: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// What was asked for.
struct What {
    task: Task,
    yes: bool,
    release: bool,
}

enum Task {
    Help,
    Run { vault: Option<PathBuf> },
    Test,
    Build,
    Torture { args: Vec<String> },
    Storm { args: Vec<String> },
    Untouched { args: Vec<String> },
    Pictures { args: Vec<String> },
    Bench { what: Benchmark, args: Vec<String> },
}

#[derive(Clone, Copy)]
enum Benchmark {
    Window,
    Peers,
}

fn parse(args: impl Iterator<Item = String>) -> Result<What> {
    let mut what =
        What { task: Task::Help, yes: std::env::var("CI").is_ok_and(|ci| ci == "true" || ci == "1"), release: false };
    let mut args = args.peekable();
    // What these are given is theirs to understand.
    let its_own =
        args.next_if(|first| matches!(first.as_str(), "torture" | "storm" | "untouched" | "pictures" | "bench"));
    if let Some(task) = its_own {
        let args: Vec<String> = args.collect();
        let asks_for_help = args.first().is_none_or(|first| first == "--help" || first == "-h");
        what.task = match task.as_str() {
            _ if asks_for_help => Task::Help,
            "torture" => Task::Torture { args },
            "bench" => {
                let what = match args[0].as_str() {
                    "window" => Benchmark::Window,
                    "peers" => Benchmark::Peers,
                    other => bail!("unknown benchmark `{other}`\n\n{HELP}"),
                };
                Task::Bench { what, args: args[1..].to_vec() }
            }
            "untouched" => Task::Untouched { args },
            "pictures" => Task::Pictures { args },
            _ => Task::Storm { args },
        };
        return Ok(what);
    }
    let mut plain = Vec::new();
    for arg in args {
        match arg.as_str() {
            "--yes" | "-y" => what.yes = true,
            "--release" => what.release = true,
            "--help" | "-h" => return Ok(What { task: Task::Help, ..what }),
            flag if flag.starts_with('-') => bail!("unknown option `{flag}`\n\n{HELP}"),
            _ => plain.push(arg),
        }
    }
    let mut plain = plain.into_iter();
    what.task = match plain.next().as_deref() {
        None | Some("help") => Task::Help,
        Some("run") => Task::Run { vault: plain.next().map(PathBuf::from) },
        Some("test") => Task::Test,
        Some("build") => Task::Build,
        Some(other) => bail!("unknown command `{other}`\n\n{HELP}"),
    };
    if let Some(more) = plain.next() {
        bail!("unexpected argument `{more}`\n\n{HELP}");
    }
    Ok(what)
}

impl What {
    fn run(self) -> Result<()> {
        match self.task {
            Task::Help => {
                print!("{HELP}");
                Ok(())
            }
            Task::Run { vault } => {
                // A path means what it means where the command was typed.
                let vault = vault.map(std::path::absolute).transpose()?;
                packages::ensure(&packages::BUILD, self.yes)?;
                let program = steps::build(self.release)?;
                steps::start(&program, vault.as_deref())
            }
            Task::Build => {
                packages::ensure(&packages::BUILD, self.yes)?;
                let program = steps::build(self.release)?;
                println!("{}", program.display());
                Ok(())
            }
            Task::Torture { args } => {
                if matches!(args.first().map(String::as_str), Some("kill" | "race" | "all")) {
                    packages::ensure(&packages::BUILD, self.yes)?;
                    return steps::torture(&args, Some(&steps::build(true)?));
                }
                steps::torture(&args, None)
            }
            Task::Storm { args } => steps::storm(&args),
            Task::Untouched { args } => {
                packages::ensure(&[&packages::BUILD[..], &packages::TEST[..]].concat(), self.yes)?;
                steps::in_window("untouched", &args, &steps::build(true)?)
            }
            Task::Pictures { args } => {
                packages::ensure(&[&packages::BUILD[..], &packages::TEST[..]].concat(), self.yes)?;
                steps::in_window("gallery", &args, &steps::build(true)?)
            }
            Task::Bench { what, args } => {
                packages::ensure(&[&packages::BUILD[..], &packages::TEST[..]].concat(), self.yes)?;
                let program = steps::build(true)?;
                match what {
                    Benchmark::Window => steps::measure(&args, &program),
                    Benchmark::Peers => steps::peers(&args, &program),
                }
            }
            Task::Test => {
                packages::ensure(&[&packages::BUILD[..], &packages::TEST[..]].concat(), self.yes)?;
                steps::test()
            }
        }
    }
}
