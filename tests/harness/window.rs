//! The real window, driven through WebKit's own driver.

use crate::Bench;
use crate::display::{Display, free_port};
use anyhow::{Context, bail};
use serde_json::{Value, json};
use std::future::Future;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use thirtyfour::{By, Capabilities, WebDriver, WebElement};

/// How long anything in the window may take before a test gives up.
const PATIENCE: Duration = Duration::from_secs(30);

/// Keys that are not characters, as WebDriver names them.
pub mod key {
    pub const ENTER: &str = "\u{e007}";
    pub const ESCAPE: &str = "\u{e00c}";
    pub const CONTROL: &str = "\u{e009}";
    pub const SHIFT: &str = "\u{e008}";
    pub const DOWN: &str = "\u{e015}";
    pub const TAB: &str = "\u{e004}";
    pub const END: &str = "\u{e010}";
    /// Lets go of held keys.
    pub const NULL: &str = "\u{e000}";
}

/// An open window of the program.
pub struct Window {
    pub driver: WebDriver,
    pub display: Display,
    process: Child,
}

impl Window {
    /// Starts the program with a window, as `vidimus ARGS` would.
    pub async fn open(bench: &Bench, args: &[&str]) -> anyhow::Result<Window> {
        Window::open_with(bench, args, &[]).await
    }

    /// The same, with variables set for the program.
    pub async fn open_with(bench: &Bench, args: &[&str], env: &[(&str, &str)]) -> anyhow::Result<Window> {
        let display = Display::start();
        let port = free_port();
        let mut command = Command::new("dbus-run-session");
        command.args(["--", "WebKitWebDriver", "--host=127.0.0.1", &format!("--port={port}")]);
        command.envs(bench.env()).envs(env.iter().copied()).env("DISPLAY", &display.name).env_remove("WAYLAND_DISPLAY");
        command
            .env("TAURI_WEBVIEW_AUTOMATION", "true")
            .env("GDK_BACKEND", "x11")
            .env("WEBKIT_DISABLE_DMABUF_RENDERER", "1");
        command.stdout(Stdio::null()).stderr(Stdio::null()).stdin(Stdio::null());
        group(&mut command);
        let process = command.spawn().context("WebKitWebDriver starts (packages webkit2gtk-driver, dbus)")?;
        let options = json!({"webkitgtk:browserOptions": {"binary": crate::program(), "args": args}});
        let mut capabilities = Capabilities::new();
        capabilities.set("webkitgtk:browserOptions", options["webkitgtk:browserOptions"].clone())?;
        let url = format!("http://127.0.0.1:{port}");
        let driver =
            until("the driver answers", || async { Ok(WebDriver::new(&url, capabilities.clone()).await.ok()) }).await;
        match driver {
            Ok(driver) => Ok(Window { driver, display, process }),
            Err(error) => {
                end(process);
                Err(error)
            }
        }
    }

    /// Prepares another start of the program on the same desktop, as a shell or a link in another program would start it.
    pub fn second(&self, bench: &Bench, args: &[&str]) -> anyhow::Result<Command> {
        let mut command = bench.command(args);
        command.env("DISPLAY", &self.display.name).env("GDK_BACKEND", "x11");
        command.env("DBUS_SESSION_BUS_ADDRESS", self.bus()?);
        Ok(command)
    }

    /// Returns the address of the bus that the window's desktop has.
    pub fn bus(&self) -> anyhow::Result<String> {
        const BUS: &str = "DBUS_SESSION_BUS_ADDRESS=";
        let in_group = |pid: &str| {
            let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
            // Behind the name in parentheses: state, parent, group.
            let group = stat.rsplit_once(')')?.1.split_whitespace().nth(2)?.parse().ok();
            (group == Some(self.process.id())).then(|| std::fs::read(format!("/proc/{pid}/environ")).ok())?
        };
        let bus = std::fs::read_dir("/proc")?.flatten().find_map(|entry| {
            let environ = in_group(entry.file_name().to_str()?)?;
            let set = environ.split(|byte| *byte == 0).find_map(|set| set.strip_prefix(BUS.as_bytes()))?;
            String::from_utf8(set.to_vec()).ok()
        });
        bus.context("the window has a bus of its own")
    }

    /// Switches agents on and lets one in; returns the URL and the token.
    pub async fn let_agent_in(&self, name: &str) -> anyhow::Result<(String, String)> {
        self.press(&[key::CONTROL, key::SHIFT], "a").await?;
        self.click("section.agents [role=switch]").await?;
        self.find("section.agents [role=switch][aria-checked=true]").await?;
        let url = self.find("section.agents [data-url]").await?.text().await?;
        self.click("[data-let-in]").await?;
        self.keys(name).await?;
        self.click("section.agents form button[type=submit]").await?;
        let token = self.find("section.agents [data-token]").await?.text().await?;
        Ok((url, token))
    }

    /// Opens the note of that name from the switcher, by keyboard alone.
    pub async fn open_note(&self, name: &str) -> anyhow::Result<()> {
        self.find("[role=tree] [role=treeitem]").await?;
        self.press(&[key::CONTROL], "o").await?;
        self.find("[role=dialog] input").await?;
        self.keys(name).await?;
        self.text_has("[role=dialog] [role=option]", name).await?;
        self.keys(key::ENTER).await?;
        self.text_has("[role=tab][aria-selected=true]", name).await
    }

    /// Runs the command of that name from the palette.
    pub async fn run_command(&self, title: &str) -> anyhow::Result<()> {
        self.press(&[key::CONTROL], "p").await?;
        self.find("[role=dialog] input").await?;
        self.keys(title).await?;
        self.text_has("[role=dialog] [role=option]", title).await?;
        self.keys(key::ENTER).await
    }

    /// Opens the review by its key, once something waits.
    pub async fn open_review(&self) -> anyhow::Result<()> {
        self.text_has("header.top .pill.seal", "to review").await?;
        self.press(&[key::CONTROL, key::SHIFT], "r").await?;
        self.find("section.review").await?;
        Ok(())
    }

    /// Picks light, dark or system in the settings.
    pub async fn choose_theme(&self, theme: &str) -> anyhow::Result<()> {
        self.press(&[key::CONTROL], ",").await?;
        self.find("[role=dialog]").await?;
        let css = format!("[role=dialog] [value={theme}], [role=dialog] [data-value={theme}]");
        self.script(&format!("document.querySelector({css:?}).click()")).await?;
        self.find(&format!("html[data-theme={theme}]")).await?;
        self.keys(key::ESCAPE).await
    }

    /// Waits for an element and returns it.
    pub async fn find(&self, css: &str) -> anyhow::Result<WebElement> {
        let found = until(css, || async { Ok(self.driver.find(By::Css(css)).await.ok()) }).await;
        self.explain(found)
    }

    /// Leaves a picture of the screen beside an error, because what was waited for is seldom what was seen.
    fn explain<T>(&self, result: anyhow::Result<T>) -> anyhow::Result<T> {
        result.map_err(|error| {
            let picture =
                std::env::temp_dir().join(format!("vidimus-failed-{}.png", self.display.name.trim_start_matches(':')));
            self.screenshot(&picture);
            error.context(format!("the screen is in {}", picture.display()))
        })
    }

    /// Waits until an element's text holds something.
    pub async fn text_has(&self, css: &str, wanted: &str) -> anyhow::Result<()> {
        let what = format!("{css} says {wanted:?}");
        let found = until(&what, || async {
            let script =
                format!("return [...document.querySelectorAll({css:?})].map((e) => e.textContent).join('\\n')");
            let text = self.script(&script).await.unwrap_or_default();
            Ok(text.as_str().is_some_and(|text| text.contains(wanted)).then_some(()))
        })
        .await;
        self.explain(found)
    }

    /// Clicks an element once it is there.
    pub async fn click(&self, css: &str) -> anyhow::Result<()> {
        let clicked = until(&format!("click {css}"), || async {
            let Ok(element) = self.driver.find(By::Css(css)).await else { return Ok(None) };
            Ok(element.click().await.ok())
        })
        .await;
        self.explain(clicked)
    }

    /// Types into whatever has the focus, as a keyboard would. A key of `key` before a character is held with it.
    pub async fn keys(&self, keys: &str) -> anyhow::Result<()> {
        let focus = self.driver.active_element().await?;
        focus.send_keys(keys).await?;
        Ok(())
    }

    /// Presses a key while others are held.
    pub async fn press(&self, held: &[&str], pressed: &str) -> anyhow::Result<()> {
        self.keys(&format!("{}{pressed}{}", held.concat(), key::NULL)).await
    }

    /// Runs a script in the page and returns its value.
    pub async fn script(&self, script: &str) -> anyhow::Result<Value> {
        Ok(self.driver.execute(script, Vec::new()).await?.json().clone())
    }

    /// Writes a picture of the screen as it is.
    pub fn screenshot(&self, to: &Path) {
        self.display.screenshot(to);
    }

    /// Writes a picture of the screen once the page is still: its fonts are there and nothing moves any more.
    pub async fn picture(&self, to: &Path) -> anyhow::Result<()> {
        let still = "return document.fonts.status === 'loaded' && document.getAnimations().every((a) => \
                     a.playState !== 'running' || a.effect.getTiming().iterations === Infinity)";
        until("the page is still", || async { Ok(self.script(still).await?.as_bool().filter(|still| *still)) }).await?;
        // What the page holds is not on the screen before it has been drawn: the third frame begins when the first is shown.
        let draw = "const page = document.documentElement; const next = (n) => requestAnimationFrame(() => \
                    n > 0 ? next(n - 1) : page.setAttribute('data-drawn', '')); page.removeAttribute('data-drawn'); next(2)";
        self.script(draw).await?;
        let drawn = "return document.documentElement.hasAttribute('data-drawn')";
        until("the page is drawn", || async { Ok(self.script(drawn).await?.as_bool().filter(|drawn| *drawn)) }).await?;
        self.screenshot(to);
        Ok(())
    }

    /// Closes the window.
    pub async fn close(self) -> anyhow::Result<()> {
        // The program ends with its session; the driver and the bus end with their group.
        let _ = self.driver.clone().quit().await;
        Ok(())
    }
}

impl Drop for Window {
    fn drop(&mut self) {
        kill_group(&mut self.process);
    }
}

/// Asks again and again until there is an answer.
pub async fn until<T, F: Future<Output = anyhow::Result<Option<T>>>>(
    what: &str,
    mut ask: impl FnMut() -> F,
) -> anyhow::Result<T> {
    let start = Instant::now();
    loop {
        if let Some(answer) = ask().await? {
            return Ok(answer);
        }
        if start.elapsed() > PATIENCE {
            bail!("waited {} s in vain: {what}", PATIENCE.as_secs());
        }
        tokio::time::sleep(Duration::from_millis(30)).await;
    }
}

fn end(mut process: Child) {
    kill_group(&mut process);
}

fn group(command: &mut Command) {
    use std::os::unix::process::CommandExt;
    command.process_group(0);
}

fn kill_group(process: &mut Child) {
    let _ = Command::new("kill").args(["-KILL", "--", &format!("-{}", process.id())]).status();
    let _ = process.wait();
}
