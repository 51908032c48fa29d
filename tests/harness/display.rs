//! A display, a window manager and a session bus of our own, so that windows can be driven where nobody sits.

use std::io::Read;
use std::process::{Child, Command, Stdio};

/// Every window fills the screen and has no frame, so that a picture of the screen is a picture of the page.
const RULES: &str = r#"<?xml version="1.0"?>
<openbox_config xmlns="http://openbox.org/3.4/rc">
  <applications><application class="*" type="normal"><decor>no</decor><maximized>yes</maximized></application></applications>
</openbox_config>"#;

/// An X server without a screen. Ended when dropped.
pub struct Display {
    server: Child,
    manager: Child,
    /// The manager reads them when it is ready to; they stay as long as it runs.
    _rules: tempfile::NamedTempFile,
    /// `:N`
    pub name: String,
}

impl Display {
    /// Starts a display of the size that the screenshots have.
    pub fn start() -> Display {
        let (mut read, write) = std::io::pipe().expect("a pipe can be made");
        let mut server = Command::new("Xvfb");
        server.args(["-displayfd", "1", "-screen", "0", "1440x900x24", "-nolisten", "tcp", "-noreset"]);
        server.stdout(Stdio::from(write)).stderr(Stdio::null()).stdin(Stdio::null());
        let server = server.spawn().expect("Xvfb starts (package xvfb; `cargo xtask test` installs it)");
        let mut number = String::new();
        let mut byte = [0];
        while read.read(&mut byte).expect("Xvfb says its number") == 1 && byte[0] != b'\n' {
            number.push(char::from(byte[0]));
        }
        let name = format!(":{number}");
        let rules = tempfile::NamedTempFile::new().expect("a temporary file can be made");
        std::fs::write(rules.path(), RULES).expect("a temporary file can be written");
        let manager = Command::new("openbox")
            .arg("--config-file")
            .arg(rules.path())
            .env("DISPLAY", &name)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("openbox starts (package openbox; `cargo xtask test` installs it)");
        Display { server, manager, _rules: rules, name }
    }

    /// Lists the names of the windows that are shown.
    pub fn titles(&self) -> Vec<String> {
        let ask = |args: &[&str]| {
            let out = Command::new("xprop").args(["-display", &self.name, "-notype"]).args(args).output();
            let out = out.expect("`xprop` runs (package x11-utils; `cargo xtask test` installs it)");
            String::from_utf8_lossy(&out.stdout).into_owned()
        };
        let listed = ask(&["-root", "_NET_CLIENT_LIST"]);
        let windows = listed.split(['#', ',', ' ', '\n']).filter(|id| id.starts_with("0x"));
        let name = |id: &str| ask(&["-id", id, "8u", "-f", "_NET_WM_NAME", "8u", "_NET_WM_NAME"]);
        windows.map(|id| name(id).split('"').nth(1).unwrap_or_default().to_owned()).collect()
    }

    /// Waits until a window of that name is shown.
    pub async fn shows(&self, title: &str) -> anyhow::Result<()> {
        let is_there = || async { Ok(self.titles().iter().any(|shown| shown == title).then_some(())) };
        crate::until(&format!("a window is called {title:?}"), is_there).await
    }

    /// Writes a picture of the whole screen.
    pub fn screenshot(&self, to: &std::path::Path) {
        // A palette of 256 colors is plenty for a page of text, and a third of the size.
        let file = format!("PNG8:{}", to.display());
        let done = Command::new("import")
            .args(["-display", &self.name, "-window", "root", "-dither", "None", "-colors", "256", &file])
            .status();
        assert!(done.is_ok_and(|status| status.success()), "`import` takes a picture (package imagemagick)");
    }
}

impl Drop for Display {
    fn drop(&mut self) {
        for child in [&mut self.manager, &mut self.server] {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// Asks the system for a port that is free now.
pub fn free_port() -> u16 {
    let listener = std::net::TcpListener::bind(("127.0.0.1", 0)).expect("a port is free");
    listener.local_addr().expect("a bound socket has an address").port()
}
