//! The program without its window: the command line, and what the processes of one account share.
//!
//! Read `cli` for what can be said, `start` and `programs` for how a window is opened, `owner` and `control` for how several
//! processes share a vault, `store` and `vaults` for what is kept where, `door` for what a person asks of an engine, `agents`
//! for who is let in and how clients learn of it, `report` for what becomes of a fault. Nothing here needs a display or its
//! libraries.

pub mod agents;
pub mod audit;
pub mod cli;
pub mod control;
pub mod door;
pub mod fault;
pub mod link;
pub mod listen;
pub mod memory;
pub mod owner;
pub mod programs;
pub mod record;
pub mod report;
pub mod settings;
pub mod start;
pub mod store;
pub mod vaults;

use clap::Parser;
use cli::{Cli, Stop};
use start::Start;
use std::process::ExitCode;

/// Does what the command line says; where that is to open a window, `open_window` does it.
pub fn main(open_window: impl FnOnce(Start) -> Result<u8, Stop>) -> ExitCode {
    memory::keep_little();
    report::keep_panics();
    let cli = Cli::parse();
    let done = match cli.command {
        Some(command) => cli::run(command),
        None => Start::of(cli.vault).and_then(open_window),
    };
    match done {
        Ok(code) => ExitCode::from(code),
        Err(stop) => {
            cli::complain(&stop.message, &stop.hint);
            ExitCode::from(stop.code)
        }
    }
}
