//! The window: its door, what runs while it is up, and the switch that lets agents in over HTTP.
//!
//! Read `window`, `session`, `menu` and `tray` for what runs while the window is up, `follow` and `handler` for the links that
//! the desktop hands over, `commands` and `events` for what crosses to the page, `agents` for the HTTP switch. What needs no
//! window is in `crates/headless`, which the program `vidimus` is on Linux; this library is in `vidimus-window` there.

mod agents;
mod asset;
pub mod bindings;
mod commands;
mod events;
mod follow;
mod handler;
mod menu;
mod notify;
mod session;
mod tray;
mod window;

use std::process::ExitCode;

/// Does what the command line says.
pub fn main() -> ExitCode {
    headless::main(window::run)
}
