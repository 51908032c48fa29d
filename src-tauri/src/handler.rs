//! Whether the desktop hands its links to this program, and having it do so.

use headless::fault::Fault;
use tauri::{AppHandle, Runtime};

/// Tells whether the desktop hands its links to this program; `None` where that is settled by its installer.
pub fn comes_here<R: Runtime>(app: &AppHandle<R>) -> Option<bool> {
    system::comes_here(app).ok()
}

/// Has the desktop hand its links to this program from now on.
///
/// # Errors
/// The desktop does not take it.
pub fn take<R: Runtime>(app: &AppHandle<R>) -> Result<(), Fault> {
    let hint = "install the package xdg-utils, or install the program from its package";
    system::take(app)
        .map_err(|error| Fault::new("not_registered", format!("the desktop did not take it: {error}"), hint))
}

/// The plugin would name the program that runs, and that is the window's; people and desktops start `vidimus`.
#[cfg(target_os = "linux")]
mod system {
    use crate::session;
    use headless::link::SCHEME;
    use headless::programs::own_program;
    use std::io;
    use std::path::Path;
    use std::process::{Command, Stdio};
    use tauri::{AppHandle, Runtime};

    const ENTRY: &str = "vidimus-handler.desktop";

    pub fn comes_here<R: Runtime>(_: &AppHandle<R>) -> io::Result<bool> {
        let said = run("xdg-mime", &["query", "default", &kind()])?;
        Ok(said.lines().next().map(str::trim) == Some(ENTRY))
    }

    pub fn take<R: Runtime>(app: &AppHandle<R>) -> io::Result<()> {
        let entries = session::all(app).store.add_desktop_entry(ENTRY, &entry(&own_program()?))?;
        // It speeds the desktop up, and not every one has it.
        let _ = run("update-desktop-database", &[&entries.display().to_string()]);
        run("xdg-mime", &["default", ENTRY, &kind()]).map(drop)
    }

    fn kind() -> String {
        format!("x-scheme-handler/{SCHEME}")
    }

    fn run(program: &str, args: &[&str]) -> io::Result<String> {
        let done = Command::new(program).args(args).stdin(Stdio::null()).output()?;
        match done.status.success() {
            true => Ok(String::from_utf8_lossy(&done.stdout).into_owned()),
            false => Err(io::Error::other(format!("`{program}` failed ({})", done.status))),
        }
    }

    fn entry(program: &Path) -> String {
        let (program, kind) = (quoted(&program.display().to_string()), kind());
        format!(
            "[Desktop Entry]\nType=Application\nName=Vidimus\nExec={program} %u\nTerminal=false\nMimeType={kind};\nNoDisplay=true\n"
        )
    }

    /// Quotes a word of `Exec` (freedesktop.org, Desktop Entry Specification 1.5): once as a word of a command, and what
    /// that yields once more as a value of the file, where a backslash is written as two.
    fn quoted(word: &str) -> String {
        let mut value = String::from("\"");
        for c in word.chars() {
            match c {
                '"' | '`' | '$' => value.extend(["\\\\", c.encode_utf8(&mut [0; 4])]),
                '\\' => value.push_str("\\\\\\\\"),
                '%' => value.push_str("%%"),
                c => value.push(c),
            }
        }
        value.push('"');
        value
    }

    #[cfg(test)]
    mod tests {
        use super::*;
        use expect_test::expect;

        #[test]
        fn the_desktop_starts_the_program_whatever_its_folder_is_called() {
            expect![[r#"
                [Desktop Entry]
                Type=Application
                Name=Vidimus
                Exec="/home/ana/100%% \\$a \\"b\\" \\\\ \\`c/vidimus" %u
                Terminal=false
                MimeType=x-scheme-handler/vidimus;
                NoDisplay=true
            "#]]
            .assert_eq(&entry(Path::new(r#"/home/ana/100% $a "b" \ `c/vidimus"#)));
        }
    }
}

#[cfg(not(target_os = "linux"))]
mod system {
    use headless::link::SCHEME;
    use tauri::{AppHandle, Runtime};
    use tauri_plugin_deep_link::{DeepLinkExt, Result};

    pub fn comes_here<R: Runtime>(app: &AppHandle<R>) -> Result<bool> {
        app.deep_link().is_registered(SCHEME)
    }

    pub fn take<R: Runtime>(app: &AppHandle<R>) -> Result<()> {
        app.deep_link().register(SCHEME)
    }
}
