//! Which programs there are: `vidimus`, and on Linux `vidimus-window` beside it.
//!
//! On Linux all libraries of a program are loaded before its first line runs, and those of a web view are a hundred and more.
//! So the window is a program of its own there, and whoever needs none never loads them.

use crate::cli::Stop;
use crate::start::Start;
use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};

const VIDIMUS: &str = "vidimus";
/// The program of the window, on Linux.
pub const WINDOW: &str = "vidimus-window";

/// Returns where `vidimus` is, in the way in which another program can start it. An AppImage runs from a folder that goes
/// away with it.
pub fn own_program() -> io::Result<PathBuf> {
    match std::env::var_os("APPIMAGE").filter(|image| !image.is_empty()) {
        Some(image) => Ok(image.into()),
        None => Ok(started_by(std::env::current_exe()?)),
    }
}

/// The window is never started by its own name.
fn started_by(running: PathBuf) -> PathBuf {
    // The system says `vidimus-window (deleted)` once another version has been installed.
    let is_window = running.file_name().and_then(OsStr::to_str).is_some_and(|name| name.starts_with(WINDOW));
    if is_window { running.with_file_name(VIDIMUS) } else { running }
}

/// Becomes the program of the window, in the same process and with the same arguments; returns only if that fails.
///
/// # Errors
/// That program is not beside this one, or the system does not start it.
#[cfg(target_os = "linux")]
pub fn become_window(_: Start) -> Result<u8, Stop> {
    use std::os::unix::process::CommandExt;
    let own = std::env::current_exe().map_err(|error| {
        Stop::failed(format!("cannot tell where this program is: {error}"), "see whether /proc is mounted")
    })?;
    let window = own.with_file_name(WINDOW);
    // It would become itself without end.
    if window.canonicalize().is_ok_and(|real| real == own) {
        return Err(Stop::failed(
            format!("the program of the window is only a link to this one: `{}`", window.display()),
            "install Vidimus again; without a window see `vidimus --help`",
        ));
    }
    let mut args = std::env::args_os();
    let mut command = std::process::Command::new(&window);
    // Desktops take a window's name from it.
    command.arg0(args.next().unwrap_or_else(|| VIDIMUS.into()));
    Err(not_started(&window, &command.args(args).exec()))
}

#[cfg(target_os = "linux")]
fn not_started(window: &Path, error: &io::Error) -> Stop {
    let window = window.display();
    match error.kind() {
        io::ErrorKind::NotFound => Stop::failed(
            format!("the program of the window is missing: `{window}`"),
            "put it there or install Vidimus again; without a window see `vidimus --help`",
        ),
        _ => Stop::failed(
            format!("the program of the window cannot be started: `{window}`: {error}"),
            "check the permissions of that file, or install Vidimus again",
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn others_start_vidimus_whichever_program_they_ask() {
        for (running, started) in [
            ("/opt/vidimus/vidimus", "/opt/vidimus/vidimus"),
            ("/opt/vidimus/vidimus-window", "/opt/vidimus/vidimus"),
            ("/opt/vidimus/vidimus-window (deleted)", "/opt/vidimus/vidimus"),
            ("/opt/vidimus-window/mine", "/opt/vidimus-window/mine"),
        ] {
            assert_eq!(started_by(running.into()), Path::new(started));
        }
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn why_no_window_opens_is_said_with_the_next_step() {
        let window = Path::new("/opt/vidimus/vidimus-window");
        for (kind, said) in [
            (io::ErrorKind::NotFound, "the program of the window is missing: `/opt/vidimus/vidimus-window`"),
            (
                io::ErrorKind::PermissionDenied,
                "the program of the window cannot be started: `/opt/vidimus/vidimus-window`: permission denied",
            ),
        ] {
            let stop = not_started(window, &kind.into());
            assert_eq!(stop.message, said);
            assert!(stop.hint.contains("install Vidimus again"), "{}", stop.hint);
        }
    }
}
