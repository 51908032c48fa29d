//! Where the peers come from: their registries, at pinned versions, into the target folder.

use anyhow::{Context, Result, bail};
use std::path::{Path, PathBuf};
use std::process::Command;

pub const DATACRON: &str = "2026.1020.0";
pub const TURBOVAULT: &str = "4.0.1";

/// Returns Datacron's program, from PyPI.
pub fn datacron() -> Result<PathBuf> {
    let venv = folder()?.join(format!("datacron-{DATACRON}"));
    let bin = venv.join(if cfg!(windows) { "Scripts" } else { "bin" });
    let program = bin.join(executable("datacron"));
    if !program.is_file() {
        eprintln!("installing Datacron {DATACRON}");
        let python = if cfg!(windows) { "python" } else { "python3" };
        run(Command::new(python).args(["-m", "venv", "--clear"]).arg(&venv))?;
        let install = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check"];
        run(Command::new(bin.join(executable(python))).args(install).arg(format!("datacron=={DATACRON}")))?;
    }
    Ok(program)
}

/// Returns TurboVault's program, from crates.io. It must be compiled, which may take half an hour; HTTP is a feature that
/// is off by default.
pub fn turbovault() -> Result<PathBuf> {
    let root = folder()?.join(format!("turbovault-{TURBOVAULT}"));
    let program = root.join("bin").join(executable("turbovault"));
    if !program.is_file() {
        eprintln!("compiling TurboVault {TURBOVAULT}");
        let mut command = if cfg!(unix) { Command::new("nice") } else { Command::new("cargo") };
        if cfg!(unix) {
            command.args(["-n", "19", "cargo"]);
        }
        command.args([
            "install",
            "turbovault",
            "--version",
            TURBOVAULT,
            "--locked",
            "--features",
            "http",
            "--jobs",
            "1",
        ]);
        run(command.arg("--root").arg(&root).arg("--target-dir").arg(folder()?.join("build")))?;
    }
    Ok(program)
}

/// Returns `target/peers`.
fn folder() -> Result<PathBuf> {
    let own = std::env::current_exe()?;
    let target = own.ancestors().find(|path| path.join("CACHEDIR.TAG").is_file());
    Ok(target.context("this program lies in a target folder")?.join("peers"))
}

fn executable(name: &str) -> String {
    format!("{name}{}", std::env::consts::EXE_SUFFIX)
}

fn run(command: &mut Command) -> Result<()> {
    let name = Path::new(command.get_program()).display().to_string();
    let status = command.status().with_context(|| format!("{name} did not start"))?;
    if !status.success() {
        bail!("{name} ended with {status}");
    }
    Ok(())
}
