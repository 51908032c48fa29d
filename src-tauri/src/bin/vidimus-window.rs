//! `vidimus-window`: what `vidimus` becomes on Linux when a window is to be opened.

use std::process::ExitCode;

#[cfg(target_os = "linux")]
fn main() -> ExitCode {
    vidimus::main()
}

/// Elsewhere `vidimus` has the window itself. Cargo knows no program for one system only.
#[cfg(not(target_os = "linux"))]
fn main() -> ExitCode {
    headless::cli::complain("the window is in `vidimus` itself on this system", "start `vidimus`");
    ExitCode::from(headless::cli::FAILED)
}
