//! The window: made, dressed, asked to save, closed.

use crate::agents::Agents;
use crate::bindings::bindings;
use crate::cli::{self, Cli};
use crate::events::{CloseRequested, VaultOpened};
use crate::fault::Fault;
use crate::link::{self, Link};
use crate::session::{self, Session};
use crate::settings::{self, Theme};
use crate::store::Store;
use crate::{asset, follow, tray, vaults};
use clap::Parser;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::Duration;
use tauri::webview::PageLoadEvent;
use tauri::window::Color;
use tauri::{AppHandle, Manager, RunEvent, Runtime, WebviewUrl, WebviewWindowBuilder, WindowEvent};
use tauri_plugin_dialog::DialogExt;
use tauri_plugin_opener::OpenerExt;
use tauri_plugin_window_state::StateFlags;
use tauri_specta::Event;

/// The name of the window within the program.
pub const LABEL: &str = "main";
/// How long the page may take to save before the window closes without it.
const LAST_SAVE: Duration = Duration::from_secs(3);
/// How long the page may take to appear before the window is shown as it is.
const FIRST_PAINT: Duration = Duration::from_secs(4);
/// The page's own colors, so that nothing flashes before its first paint.
const PAPER: Color = Color(0xfd, 0xfc, 0xfa, 0xff);
const INK: Color = Color(0x19, 0x18, 0x17, 0xff);

/// Opens the window, with the vault or the link that was named, and runs until it is closed.
pub fn run(named: Option<PathBuf>) -> ExitCode {
    let (link, vault) = match named {
        Some(path) if path.to_str().is_some_and(link::is_link) => (path.to_str().map(str::to_owned), None),
        vault => (None, vault),
    };
    let store = match Store::of_this_account() {
        Ok(store) => store,
        Err(error) => {
            cli::complain(&error.to_string(), error.hint());
            return ExitCode::from(cli::FAILED);
        }
    };
    // A vault that was named wrongly is told where it was typed, before any window.
    if let Some(vault) = &vault
        && let Err(error) = vaults::find(&store, vault)
    {
        cli::complain(&error.to_string(), &error.hint());
        return ExitCode::from(cli::USAGE);
    }
    if let Err(stop) = can_show() {
        cli::complain(&stop.message, &stop.hint);
        return ExitCode::from(cli::FAILED);
    }
    prefer_a_light_renderer();
    let bindings = bindings();
    let typed = bindings.invoke_handler();
    let bytes: fn(tauri::ipc::Invoke) -> bool = tauri::generate_handler![crate::commands::files::add_file];
    let app = tauri::Builder::default()
        .plugin(tauri_plugin_single_instance::init(started_again))
        .plugin(tauri_plugin_deep_link::init())
        .plugin(tauri_plugin_dialog::init())
        .plugin(tauri_plugin_notification::init())
        .plugin(tauri_plugin_opener::init())
        .plugin(
            tauri_plugin_window_state::Builder::default()
                .with_state_flags(StateFlags::all() & !StateFlags::VISIBLE)
                .build(),
        )
        .register_asynchronous_uri_scheme_protocol(asset::SCHEME, asset::serve)
        .invoke_handler(move |invoke| match invoke.message.command() {
            "add_file" => bytes(invoke),
            _ => typed(invoke),
        })
        .setup(move |app| {
            bindings.mount_events(app);
            let agents = Agents::new(store.clone(), app.handle().clone());
            app.manage(Closing::default());
            app.manage(tray::Tray::<tauri::Wry>::default());
            app.manage(Session::new(store.clone(), agents));
            open_first(app.handle(), vault, link);
            hear_of_links(app.handle());
            close_when_told(app.handle().clone());
            make(app.handle())?;
            tray::refresh(app.handle());
            Ok(())
        })
        .build(tauri::generate_context!());
    let app = match app {
        Ok(app) => app,
        Err(error) => {
            cli::complain(
                &format!("the window cannot be opened: {error}"),
                "see whether the system's web view is installed",
            );
            return ExitCode::from(cli::FAILED);
        }
    };
    app.run(|app, event| {
        if let RunEvent::Exit = event {
            session::of(app).end();
        }
    });
    ExitCode::from(cli::DONE)
}

/// Tells whether there is a display; the libraries below would end the program without a word of help.
fn can_show() -> Result<(), cli::Stop> {
    #[cfg(all(unix, not(target_os = "macos")))]
    {
        let is_set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
        if !is_set("DISPLAY") && !is_set("WAYLAND_DISPLAY") {
            return Err(cli::Stop::failed(
                "there is no display to open a window on",
                "start it in a desktop session; agents need no window: `vidimus mcp --help`",
            ));
        }
    }
    Ok(())
}

/// Sets WebKitGTK's renderer to the one that needs less memory and works with every driver, unless it was chosen.
fn prefer_a_light_renderer() {
    #[cfg(target_os = "linux")]
    {
        const RENDERER: &str = "WEBKIT_DISABLE_DMABUF_RENDERER";
        if std::env::var_os(RENDERER).is_none() {
            #[expect(unsafe_code, reason = "no thread has been started yet that could read the environment")]
            unsafe {
                std::env::set_var(RENDERER, "1");
            }
        }
    }
}

/// Opens the vault that was named, or else the last one. A vault that cannot be opened is told in the window.
///
/// A link that was pressed brings its own vault; one that leads to none is told over the last one.
fn open_first<R: Runtime>(app: &AppHandle<R>, named: Option<PathBuf>, link: Option<String>) {
    let session = session::of(app);
    if let Some(link) = link {
        let means = Link::read(&link).map(|link| follow::vault_of(&session, &link));
        let last = || vaults::last(&session.store).ok().flatten();
        let path = if let Ok(Ok(Some(path))) = means { Some(path) } else { last() };
        if let Some(path) = &path {
            session.opens(path);
        }
        let app = app.clone();
        tauri::async_runtime::spawn_blocking(move || {
            if let Some(path) = &path {
                open_and_tell(&app, path);
            }
            follow::follow(&app, &link);
        });
        return;
    }
    let Some(path) = named.or_else(|| vaults::last(&session.store).ok().flatten()) else { return };
    session.opens(&path);
    let app = app.clone();
    // A headless owner may need a moment to give way; the window comes up meanwhile.
    tauri::async_runtime::spawn_blocking(move || open_and_tell(&app, &path));
}

fn open_and_tell<R: Runtime>(app: &AppHandle<R>, path: &Path) {
    session::of(app).open_announced(app, path);
    drop(VaultOpened { path: path.display().to_string() }.emit(app));
}

/// Where links come as an event of the system and not as another start of the program.
fn hear_of_links<R: Runtime>(app: &AppHandle<R>) {
    #[cfg(target_os = "macos")]
    {
        use tauri_plugin_deep_link::DeepLinkExt;
        let told = app.clone();
        app.deep_link().on_open_url(move |event| {
            for url in event.urls() {
                arrive(&told, url.to_string());
            }
        });
    }
    #[cfg(not(target_os = "macos"))]
    let _ = app;
}

/// Follows a link that the desktop handed over to the window that is there.
fn arrive<R: Runtime>(app: &AppHandle<R>, link: String) {
    let app = app.clone();
    tauri::async_runtime::spawn_blocking(move || follow::follow(&app, &link));
}

/// Shows the window, wherever it was.
pub fn to_front<R: Runtime>(app: &AppHandle<R>) {
    if let Some(window) = app.get_webview_window(LABEL) {
        let _ = window.unminimize();
        let _ = window.show();
        let _ = window.set_focus();
    }
}

/// A second start on the same desktop: the window that is there comes to the front, with the vault that was named.
fn started_again<R: Runtime>(app: &AppHandle<R>, args: Vec<String>, folder: String) {
    to_front(app);
    match Cli::try_parse_from(args).ok().and_then(|cli| cli.vault) {
        Some(named) if named.to_str().is_some_and(link::is_link) => arrive(app, named.display().to_string()),
        Some(named) => open_first(app, Some(Path::new(&folder).join(named)), None),
        None => {}
    }
}

fn make<R: Runtime>(app: &AppHandle<R>) -> tauri::Result<()> {
    let theme = session::of(app).settings().unwrap_or_default().theme;
    let window = WebviewWindowBuilder::new(app, LABEL, WebviewUrl::default())
        .title("Vidimus")
        .inner_size(1280.0, 840.0)
        .min_inner_size(760.0, 520.0)
        .theme(tauri_theme(theme))
        // It is shown once the page is there, and never white before.
        .visible(false)
        // Files that are dropped are the page's business: it knows the note under them.
        .disable_drag_drop_handler()
        .on_page_load(|window, payload| {
            if payload.event() == PageLoadEvent::Finished {
                let _ = window.show();
            }
        })
        .build()?;
    dress(app, theme);
    let late = window.clone();
    tauri::async_runtime::spawn(async move {
        tokio::time::sleep(FIRST_PAINT).await;
        let _ = late.show();
    });
    let app = app.clone();
    window.on_window_event(move |event| match event {
        WindowEvent::Focused(true) => {
            let app = app.clone();
            tauri::async_runtime::spawn_blocking(move || session::of(&app).rescan());
        }
        WindowEvent::CloseRequested { api, .. } => {
            api.prevent_close();
            ask_to_save(&app);
        }
        WindowEvent::ThemeChanged(_) => {
            let theme = session::of(&app).settings().unwrap_or_default().theme;
            paint(&app, theme);
        }
        _ => {}
    });
    Ok(())
}

/// The end of a desktop session, or a `kill`, lets the page save as well; nobody is there to answer questions then.
fn close_when_told<R: Runtime>(app: AppHandle<R>) {
    #[cfg(unix)]
    tauri::async_runtime::spawn(async move {
        use tokio::signal::unix::{SignalKind, signal};
        let (Ok(mut end), Ok(mut interrupt)) = (signal(SignalKind::terminate()), signal(SignalKind::interrupt()))
        else {
            return;
        };
        tokio::select! {
            _ = end.recv() => {}
            _ = interrupt.recv() => {}
        }
        app.state::<Closing>().quits.store(true, Ordering::SeqCst);
        let _ = CloseRequested.emit(&app);
        tokio::time::sleep(LAST_SAVE).await;
        close(&app);
    });
    #[cfg(not(unix))]
    drop(app);
}

/// What the person wants when the window closes.
#[derive(Default)]
struct Closing {
    /// Counts the wishes, so that one that the page turned down does not close it later.
    wishes: AtomicU32,
    /// Whether the program shall end, whatever the settings say of closing its window.
    quits: AtomicBool,
}

/// Ends the program once the page has saved everything.
pub fn quit<R: Runtime>(app: &AppHandle<R>) {
    app.state::<Closing>().quits.store(true, Ordering::SeqCst);
    ask_to_save(app);
}

/// Asks the page to save. If it does not answer, the window closes all the same: it must not be stuck.
fn ask_to_save<R: Runtime>(app: &AppHandle<R>) {
    let wish = app.state::<Closing>().wishes.fetch_add(1, Ordering::SeqCst) + 1;
    let _ = CloseRequested.emit(app);
    let app = app.clone();
    tauri::async_runtime::spawn(async move {
        tokio::time::sleep(LAST_SAVE).await;
        if app.state::<Closing>().wishes.load(Ordering::SeqCst) == wish {
            close(&app);
        }
    });
}

/// Leaves the window open: some text could not be saved, and the person is told.
pub fn keep<R: Runtime>(app: &AppHandle<R>) {
    let closing = app.state::<Closing>();
    closing.wishes.fetch_add(1, Ordering::SeqCst);
    closing.quits.store(false, Ordering::SeqCst);
    // It may have been hidden.
    to_front(app);
}

/// Closes the window, and with it the program, unless that runs on in the tray.
pub fn close<R: Runtime>(app: &AppHandle<R>) {
    let closing = app.state::<Closing>();
    // This wish is over, however long the page takes from now on.
    closing.wishes.fetch_add(1, Ordering::SeqCst);
    let Some(window) = app.get_webview_window(LABEL) else { return };
    let runs_on = session::of(app).settings().is_ok_and(|settings| settings.close_to_tray);
    if runs_on && !closing.quits.load(Ordering::SeqCst) && tray::is_there(app) {
        let _ = window.hide();
    } else {
        let _ = window.destroy();
    }
}

/// Gives the window the theme that the person chose.
pub fn dress<R: Runtime>(app: &AppHandle<R>, theme: Theme) {
    if let Some(window) = app.get_webview_window(LABEL) {
        let _ = window.set_theme(tauri_theme(theme));
    }
    paint(app, theme);
}

fn paint<R: Runtime>(app: &AppHandle<R>, theme: Theme) {
    let Some(window) = app.get_webview_window(LABEL) else { return };
    let is_dark = match theme {
        Theme::Dark => true,
        Theme::Light => false,
        Theme::System => matches!(window.theme(), Ok(tauri::Theme::Dark)),
    };
    let _ = window.set_background_color(Some(if is_dark { INK } else { PAPER }));
}

fn tauri_theme(theme: settings::Theme) -> Option<tauri::Theme> {
    match theme {
        Theme::System => None,
        Theme::Light => Some(tauri::Theme::Light),
        Theme::Dark => Some(tauri::Theme::Dark),
    }
}

/// Lets the person choose where a file goes; `None` if nothing was chosen.
pub fn choose_new_file<R: Runtime>(app: &AppHandle<R>, title: &str, name: &str) -> Option<PathBuf> {
    let mut dialog = app.dialog().file().set_title(title).set_file_name(name);
    if let Some(window) = app.get_webview_window(LABEL) {
        dialog = dialog.set_parent(&window);
    }
    dialog.blocking_save_file()?.into_path().ok()
}

/// Hands an address to the program of the system that is there for it.
pub fn open_elsewhere<R: Runtime>(app: &AppHandle<R>, address: &str) -> Result<(), Fault> {
    app.opener().open_url(address, None::<&str>).map_err(|error| {
        let hint = "see whether that program is installed, or set it up by its settings file";
        Fault::new("not_opened", format!("the link could not be opened: {error}"), hint)
    })
}

/// Lets the person choose a folder with the system's own dialog. Not to be called on the window's thread.
pub fn choose_folder<R: Runtime>(app: &AppHandle<R>) -> Option<String> {
    let mut dialog = app.dialog().file().set_title("Open a folder of notes");
    if let Some(window) = app.get_webview_window(LABEL) {
        dialog = dialog.set_parent(&window);
    }
    let chosen = dialog.blocking_pick_folder()?.into_path().ok()?;
    Some(chosen.display().to_string())
}
