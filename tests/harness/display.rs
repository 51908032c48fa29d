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
