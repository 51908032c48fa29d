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
/// The same packages once more with what the protocol's conformance suite asks for, which no other build may have in it.
const CONFORMANCE: [&str; 5] = ["--workspace", "--features", "mcp/conformance", "--test", "conformance"];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).map(Path::to_path_buf).unwrap_or_default()
}

/// Builds the page and the program, and returns where the program is.
pub fn build(release: bool) -> Result<PathBuf> {
    install_page()?;
    npm(PAGE, &["run", "--silent", "build"])?;
    if release {
        cargo(&["build", "--release", "--package", "vidimus", "--features", "tauri/custom-protocol"])?;
    } else {
        cargo(&[&["build"], &SELECTION[..]].concat())?;
    }
    let folder = target();
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

/// Measures the real window; `program` is the one that people install.
pub fn measure(args: &[String], program: &Path) -> Result<()> {
    let mut command = cargo_command(&["run", "--release", "--quiet", "--package", "it", "--bin", "measure", "--"]);
    run(command.env("VIDIMUS_BIN", program).args(args))
}

/// Asks other servers what `program`, the one that people install, is asked.
pub fn peers(args: &[String], program: &Path) -> Result<()> {
    let mut command = cargo_command(&["run", "--release", "--quiet", "--package", "it", "--bin", "peers", "--"]);
    run(command.env("VIDIMUS_BIN", program).args(args))
}

/// Has a copy of a vault gone through in the real window; `program` is the one that people install.
pub fn in_window(what: &str, args: &[String], program: &Path) -> Result<()> {
    let mut command = cargo_command(&["run", "--release", "--quiet", "--package", "it", "--bin", what, "--"]);
    let (dir, more) = args.split_first().context("which vault?")?;
    run(command.env("VIDIMUS_BIN", program).arg(std::path::absolute(dir)?).args(more))
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
    install_clients()?;
    npm(PAGE, &["run", "--silent", "build"])?;
    npm(PAGE, &["run", "--silent", "check"])?;
    cargo(&["fmt", "--all", "--check"])?;
    cargo(&[&["clippy"], &SELECTION[..], &["--", "-D", "warnings"]].concat())?;
    cargo(&[&["clippy"], &CONFORMANCE[..], &["--", "-D", "warnings"]].concat())?;
    npm(PAGE, &["run", "--silent", "test"])?;
    cargo(&[&["test"], &CONFORMANCE[..]].concat())?;
    cargo(&[&["test"], &TESTS[..]].concat())
}

const PAGE: &str = "ui";
const CLIENTS: &str = "tests/clients";

/// Installs the page's packages.
fn install_page() -> Result<()> {
    if !has("npm") {
        bail!("npm is missing: install Node.js 20 or newer, which brings it");
    }
    npm_ci(PAGE, &[])
}

/// Installs the MCP clients that the server is tried with: those for Node.js beside their list, those for Python in the
/// target folder.
fn install_clients() -> Result<()> {
    // None of them needs a script to be run, so none is.
    npm_ci(CLIENTS, &["--ignore-scripts"])?;
    let wanted = root().join(CLIENTS).join("requirements.txt");
    let venv = target().join("clients");
    let installed = venv.join("installed.txt");
    let same =
        |one: &Path, other: &Path| std::fs::read(one).is_ok_and(|text| std::fs::read(other).is_ok_and(|o| o == text));
    if same(&wanted, &installed) {
        return Ok(());
    }
    let (python, bin) = if cfg!(windows) { ("python", "Scripts") } else { ("python3", "bin") };
    if !has(python) {
        bail!("{python} is missing: install Python 3.10 or newer");
    }
    run(Command::new(python).args(["-m", "venv", "--clear"]).arg(&venv))?;
    let own = venv.join(bin).join(python);
    let install = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--requirement"];
    run(Command::new(own).args(install).arg(&wanted))?;
    std::fs::copy(&wanted, &installed).context("the Python client could not be noted as installed")?;
    Ok(())
}

/// Installs a folder's packages, unless those of its lock file are there.
fn npm_ci(folder: &str, more: &[&str]) -> Result<()> {
    let within = root().join(folder);
    let written = |path: PathBuf| path.metadata().and_then(|metadata| metadata.modified()).ok();
    let installed = written(within.join("node_modules/.package-lock.json"));
    let locked = written(within.join("package-lock.json"));
    if installed.is_some() && installed >= locked {
        return Ok(());
    }
    npm(folder, &[&["ci", "--no-audit", "--no-fund", "--loglevel=error"], more].concat())
}

fn npm(folder: &str, args: &[&str]) -> Result<()> {
    // On Windows npm is a script that only a shell finds.
    let mut command = if cfg!(windows) { Command::new("cmd") } else { Command::new("npm") };
    if cfg!(windows) {
        command.args(["/C", "npm"]);
    }
    run(command.args(args).current_dir(root().join(folder)))
}

/// Where everything that is built goes.
fn target() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from)
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
