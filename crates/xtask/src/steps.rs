//! The steps of a build and of a test run, each one command that could be typed.

use crate::packages::has;
use anyhow::{Context, Result, bail};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Every cargo command takes the same packages: another selection means other features, and the heavy libraries
/// would be built again for it.
const SELECTION: [&str; 2] = ["--workspace", "--all-targets"];
/// The same packages; benchmarks are measured, not tested.
const TESTS: [&str; 4] = ["--workspace", "--lib", "--bins", "--tests"];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).map(Path::to_path_buf).unwrap_or_default()
}

/// Builds the page and the program, and returns where the program is.
pub fn build(release: bool) -> Result<PathBuf> {
    install_page()?;
    npm(&["run", "--silent", "build"])?;
    if release {
        cargo(&["build", "--release", "--package", "vidimus", "--features", "tauri/custom-protocol"])?;
    } else {
        cargo(&[&["build"], &SELECTION[..]].concat())?;
    }
    let folder = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from);
    let name = if cfg!(windows) { "vidimus.exe" } else { "vidimus" };
    Ok(folder.join(if release { "release" } else { "debug" }).join(name))
}

/// Starts the program and waits for its end.
pub fn start(program: &Path, vault: Option<&Path>) -> Result<()> {
    let mut command = Command::new(program);
    command.args(vault);
    run(&mut command)
}

/// Tries to make the program lose something; `program` is the real one, for what starts it.
pub fn torture(args: &[String], program: Option<&Path>) -> Result<()> {
    let mut command = cargo_command(&["run", "--release", "--quiet", "--package", "it", "--bin", "torture", "--"]);
    if let Some(program) = program {
        command.env("VIDIMUS_BIN", program);
    }
    run(command.args(args))
}

/// Renames every heading of a copy of a vault there and back.
pub fn storm(args: &[String]) -> Result<()> {
    let mut command =
        cargo_command(&["run", "--release", "--quiet", "--package", "engine", "--example", "storm", "--"]);
    // A path means what it means where the command was typed.
    let (dir, more) = args.split_first().context("which vault?")?;
    run(command.arg(std::path::absolute(dir)?).args(more))
}

/// Runs every check and every test. The test runners come last, so that their own summaries are.
pub fn test() -> Result<()> {
    install_page()?;
    npm(&["run", "--silent", "build"])?;
    npm(&["run", "--silent", "check"])?;
    cargo(&["fmt", "--all", "--check"])?;
    cargo(&[&["clippy"], &SELECTION[..], &["--", "-D", "warnings"]].concat())?;
    npm(&["run", "--silent", "test"])?;
    cargo(&[&["test"], &TESTS[..]].concat())
}

/// Installs the page's packages, unless those of this lock file are there.
fn install_page() -> Result<()> {
    if !has("npm") {
        bail!("npm is missing: install Node.js 20 or newer, which brings it");
    }
    let ui = root().join("ui");
    let written = |path: PathBuf| path.metadata().and_then(|metadata| metadata.modified()).ok();
    let installed = written(ui.join("node_modules/.package-lock.json"));
    let locked = written(ui.join("package-lock.json"));
    if installed.is_some() && installed >= locked {
        return Ok(());
    }
    npm(&["ci", "--no-audit", "--no-fund"])
}

fn npm(args: &[&str]) -> Result<()> {
    // On Windows npm is a script that only a shell finds.
    let mut command = if cfg!(windows) { Command::new("cmd") } else { Command::new("npm") };
    if cfg!(windows) {
        command.args(["/C", "npm"]);
    }
    run(command.args(args).current_dir(root().join("ui")))
}

fn cargo(args: &[&str]) -> Result<()> {
    run(&mut cargo_command(args))
}

fn cargo_command(args: &[&str]) -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.args(args).current_dir(root());
    command
}

fn run(command: &mut Command) -> Result<()> {
    let words: Vec<String> = std::iter::once(command.get_program())
        .chain(command.get_args())
        .map(|word| {
            Path::new(word)
                .file_name()
                .filter(|_| Path::new(word).is_absolute())
                .unwrap_or(word)
                .to_string_lossy()
                .into_owned()
        })
        .collect();
    let line = words.join(" ");
    println!("\n$ {line}");
    let status = command.status().with_context(|| format!("`{line}` did not start"))?;
    if !status.success() {
        bail!("`{line}` failed ({status})");
    }
    Ok(())
}
