//! The program: the window's door, the command line, and the switch that lets agents in.
//!
//! Read `cli` for what can be said, `window`, `session`, `menu` and `tray` for what runs while the window is up, `link` and
//! `follow` for what the desktop hands over, `commands` and `events` for what crosses to the page, `agents` for the HTTP
//! switch, `report` for what becomes of a fault, `owner` and `control` for how the processes of one account share a vault.

mod agents;
mod asset;
pub mod bindings;
mod commands;
mod events;
mod follow;
mod menu;
mod notify;
mod session;
mod tray;
mod window;

use clap::Parser;
use headless::{cli, memory, report};
use std::process::ExitCode;

/// Does what the command line says.
pub fn main() -> ExitCode {
    memory::keep_little();
    report::keep_panics();
    let cli = cli::Cli::parse();
    match cli.command {
        // Before anything of the window is touched: these need no display.
        Some(command) => cli::run(command),
        None => window::run(cli.vault),
    }
}
