//! The system packages that the build and the tests need.

use anyhow::{Context, Result, bail};
use std::io::{BufRead, IsTerminal, Write};
use std::process::{Command, Stdio};

/// What the program is built with.
pub const BUILD: [&str; 5] =
    ["build-essential", "pkg-config", "libwebkit2gtk-4.1-dev", "librsvg2-dev", "libayatana-appindicator3-dev"];

/// What the window tests drive it with, and what the Python client is installed by.
pub const TEST: [&str; 11] = [
    "webkit2gtk-driver",
    "xvfb",
    "openbox",
    "dbus",
    "dbus-x11",
    "imagemagick",
    "fonts-dejavu-core",
    "procps",
    "x11-utils",
    "xdg-utils",
    "python3-venv",
];

/// Installs what is missing. Only Debian and its kin are known; elsewhere the build says what it lacks.
pub fn ensure(wanted: &[&str], yes: bool) -> Result<()> {
    if !cfg!(target_os = "linux") || !has("apt-get") {
        return Ok(());
    }
    let missing: Vec<&str> = wanted.iter().copied().filter(|package| !is_installed(package)).collect();
    if missing.is_empty() {
        return Ok(());
    }
    println!("These system packages are missing: {}", missing.join(" "));
    if !yes && !agreed()? {
        bail!("install them and run this again: apt-get install {}", missing.join(" "));
    }
    let is_root = Command::new("id").arg("-u").output().is_ok_and(|id| id.stdout.trim_ascii() == b"0");
    let apt = |args: &[&str]| -> Result<bool> {
        let mut command = if is_root { Command::new("apt-get") } else { Command::new("sudo") };
        if !is_root {
            command.arg("apt-get");
        }
        let status =
            command.args(args).env("DEBIAN_FRONTEND", "noninteractive").status().context("apt-get did not start")?;
        Ok(status.success())
    };
    // An old list is no reason to stop: what it names may still be there.
    let _ = apt(&["update", "-q"])?;
    let install: Vec<&str> = ["install", "-y", "-q", "--no-install-recommends"].into_iter().chain(missing).collect();
    if !apt(&install)? {
        bail!("the packages could not be installed");
    }
    Ok(())
}

fn agreed() -> Result<bool> {
    if !std::io::stdin().is_terminal() {
        return Ok(false);
    }
    print!("Install them now? [y/N] ");
    std::io::stdout().flush()?;
    let mut answer = String::new();
    std::io::stdin().lock().read_line(&mut answer)?;
    Ok(matches!(answer.trim().to_lowercase().as_str(), "y" | "yes"))
}

fn is_installed(package: &str) -> bool {
    let query =
        Command::new("dpkg-query").args(["-W", "-f", "${db:Status-Status}", package]).stderr(Stdio::null()).output();
    query.is_ok_and(|said| said.stdout == b"installed")
}

/// Tells whether a program can be started.
pub fn has(program: &str) -> bool {
    Command::new(program).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok()
}
