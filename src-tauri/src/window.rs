//! The window: made, dressed, asked to save, closed.

mod closing;
mod web_view;

use crate::agents::Agents;
use crate::bindings::bindings;
use crate::events::VaultOpened;
use crate::session::{self, Session, Sessions};
use crate::{asset, events, follow, menu, tray};
use clap::Parser;
use headless::cli::{self, Cli, Stop};
use headless::fault::Fault;
use headless::link::{self, Link};
use headless::settings::{self, Theme};
use headless::start::Start;
use headless::vaults;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tauri::webview::PageLoadEvent;
use tauri::window::Color;
use tauri::{AppHandle, Manager, RunEvent, Runtime, WebviewUrl, WebviewWindow, WebviewWindowBuilder, WindowEvent};
use tauri_plugin_dialog::DialogExt;
use tauri_plugin_opener::OpenerExt;
use tauri_plugin_window_state::StateFlags;
use tauri_specta::Event;

use closing::{Quits, ask_to_save, close_when_told};
pub use closing::{close, keep, quit};

/// The name of the first window within the program.
const FIRST: &str = "main";
/// How long the page may take to appear before the window is shown as it is.
const FIRST_PAINT: Duration = Duration::from_secs(4);
/// The page's own colors, so that nothing flashes before its first paint.
const PAPER: Color = Color(0xfd, 0xfc, 0xfa, 0xff);
const INK: Color = Color(0x19, 0x18, 0x17, 0xff);

/// Opens the window, and runs until it is closed.
///
/// # Errors
/// The window cannot be opened.
pub fn run(start: Start) -> Result<u8, Stop> {
    let Start { store, vault, link } = start;
    web_view::prepare();
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
        // The one that Tauri makes ends the program without asking the page to save.
        .enable_macos_default_menu(false)
        .register_asynchronous_uri_scheme_protocol(asset::SCHEME, asset::serve)
        .invoke_handler(move |invoke| match invoke.message.command() {
            "add_file" => bytes(invoke),
            _ => typed(invoke),
        })
        .setup(move |app| {
            bindings.mount_events(app);
            app.manage(Quits::default());
            app.manage(tray::Tray::<tauri::Wry>::default());
            app.manage(Sessions::new(store.clone()));
            menu::start(app.handle());
            open_first(app.handle(), vault, link)?;
            hear_of_links(app.handle());
            close_when_told(app.handle().clone());
            tray::refresh(app.handle());
            events::forward_reports(app.handle().clone());
            #[cfg(debug_assertions)]
            headless::report::panic_if_told();
            Ok(())
        })
        .build(tauri::generate_context!());
    let app = app.map_err(|error| {
        let hint = "see whether the system's web view is installed";
        Stop::failed(format!("the window cannot be opened: {error}"), hint)
    })?;
    app.run(|app, event| {
        if let RunEvent::Exit = event {
            session::all(app).list().iter().for_each(|session| session.end());
        }
    });
    Ok(cli::DONE)
}

/// Opens the vault that was named, or else those of the last time, each in its window. One that cannot be opened is told
/// in its window.
///
/// A link that was pressed brings its own vault; one that leads to none is told over the last one.
fn open_first<R: Runtime>(app: &AppHandle<R>, named: Option<PathBuf>, link: Option<String>) -> tauri::Result<()> {
    let store = &session::all(app).store;
    let last = || vaults::last(store).ok().flatten();
    let of_link = link.as_ref().and_then(|link| {
        let link = Link::read(link).ok()?;
        follow::vault_of(app, None, &link).ok().flatten()
    });
    let is_usual = named.is_none() && link.is_none();
    let first = named.or(of_link).or_else(last);
    if !is_usual {
        // A list that cannot be written opens too much next time, and nothing is lost.
        let _ = vaults::starts_anew(store);
    }
    make(app, FIRST, first.as_deref())?;
    // A headless owner may need a moment to give way; the window comes up meanwhile.
    let asked = app.clone();
    tauri::async_runtime::spawn_blocking(move || {
        if let Some(path) = &first {
            open_in(&asked, FIRST, path);
        }
        if let Some(link) = link {
            follow::follow(&asked, Some(FIRST), &link);
        }
    });
    if is_usual {
        for path in vaults::others_open(store).unwrap_or_default() {
            open_beside(app, &path)?;
        }
    }
    Ok(())
}

/// Opens a vault in a window that has none.
fn open_in<R: Runtime>(app: &AppHandle<R>, window: &str, path: &Path) {
    let Some(session) = session::in_window(app, window) else { return };
    session.open_announced(app, path);
    drop(VaultOpened { path: path.display().to_string() }.emit_to(app, window));
}

/// Brings a vault to the front: in the window that has it, in one that has none, or in a new one. Returns the window's
/// name. Not to be called on the window's thread.
///
/// # Errors
/// There is no such folder, or no window could be made.
pub fn bring<R: Runtime>(app: &AppHandle<R>, path: &Path) -> Result<String, Fault> {
    let root = vaults::look(path)?;
    let sessions = session::all(app);
    if let Some(session) = sessions.holding(&root) {
        to_front(app, &session.window);
        return Ok(session.window.clone());
    }
    if let Some(session) = sessions.empty() {
        session.opens(&root);
        to_front(app, &session.window);
        open_in(app, &session.window, &root);
        return Ok(session.window.clone());
    }
    let window = free_name(&sessions);
    make(app, &window, Some(&root)).map_err(no_window)?;
    open_in(app, &window, &root);
    Ok(window)
}

/// Opens a vault in a new window, while that comes up.
fn open_beside<R: Runtime>(app: &AppHandle<R>, path: &Path) -> tauri::Result<()> {
    let window = free_name(&session::all(app));
    make(app, &window, Some(path))?;
    let (app, path) = (app.clone(), path.to_path_buf());
    tauri::async_runtime::spawn_blocking(move || open_in(&app, &window, &path));
    Ok(())
}

/// Opens a window with no vault in it, where the person chooses one. Not to be called on the window's thread.
///
/// # Errors
/// No window could be made.
pub fn open_empty<R: Runtime>(app: &AppHandle<R>) -> Result<(), Fault> {
    if let Some(session) = session::all(app).empty() {
        to_front(app, &session.window);
        return Ok(());
    }
    make(app, &free_name(&session::all(app)), None).map_err(no_window)
}

fn no_window(error: tauri::Error) -> Fault {
    Fault::new("no_window", format!("no window could be opened: {error}"), "close another window first, then try again")
}

/// A name that no window has; the lowest, so that a window finds the place and size of the last one of its name.
fn free_name(sessions: &Sessions) -> String {
    let names = std::iter::once(FIRST.to_owned()).chain((2..).map(|n: u32| format!("window-{n}")));
    let is_free = |name: &String| sessions.get(name).is_none();
    names.into_iter().find(is_free).unwrap_or_else(|| FIRST.to_owned())
}

/// Where links come as an event of the system and not as another start of the program.
fn hear_of_links<R: Runtime>(app: &AppHandle<R>) {
    #[cfg(target_os = "macos")]
    {
        use tauri_plugin_deep_link::DeepLinkExt;
        let told = app.clone();
        app.deep_link().on_open_url(move |event| {
            for url in event.urls() {
                let (app, link) = (told.clone(), url.to_string());
                tauri::async_runtime::spawn_blocking(move || follow::follow(&app, None, &link));
            }
        });
    }
    #[cfg(not(target_os = "macos"))]
    let _ = app;
}

/// Shows a window, wherever it was.
pub fn to_front<R: Runtime>(app: &AppHandle<R>, window: &str) {
    if let Some(window) = app.get_webview_window(window) {
        let _ = window.unminimize();
        let _ = window.show();
        let _ = window.set_focus();
    }
}

/// Finds the window that the person looks at, or else the first.
pub fn looked_at<R: Runtime>(app: &AppHandle<R>) -> String {
    let windows = app.webview_windows();
    let focused = windows.iter().find(|(_, window)| window.is_focused().unwrap_or(false));
    let first = || session::all(app).list().first().map(|session| session.window.clone());
    focused.map(|(name, _)| name.clone()).or_else(first).unwrap_or_else(|| FIRST.to_owned())
}

/// A second start on the same desktop: the vault that was named comes to the front, in a window of its own.
fn started_again<R: Runtime>(app: &AppHandle<R>, args: Vec<String>, folder: String) {
    let app = app.clone();
    tauri::async_runtime::spawn_blocking(move || match Cli::try_parse_from(args).ok().and_then(|cli| cli.vault) {
        Some(named) if named.to_str().is_some_and(link::is_link) => {
            follow::follow(&app, None, &named.display().to_string());
        }
        Some(named) => {
            if let Err(fault) = bring(&app, &Path::new(&folder).join(named)) {
                let window = looked_at(&app);
                to_front(&app, &window);
                follow::refuse(&app, &window, fault);
            }
        }
        None => to_front(&app, &looked_at(&app)),
    });
}

/// Makes a window, and what it holds; the page says what it `opens` until that is there.
fn make<R: Runtime>(app: &AppHandle<R>, name: &str, opens: Option<&Path>) -> tauri::Result<()> {
    let sessions = session::all(app);
    let store = sessions.store.clone();
    let theme = settings::load(&store).unwrap_or_default().theme;
    let agents = Agents::new(store.clone(), app.clone(), name);
    let session = sessions.add(Session::new(name, store, agents));
    if let Some(path) = opens {
        session.opens(path);
    }
    let built = WebviewWindowBuilder::new(app, name, WebviewUrl::default())
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
        .build();
    let window = match built {
        Ok(window) => window,
        Err(error) => {
            sessions.remove(name);
            return Err(error);
        }
    };
    dress(&window, theme);
    let late = window.clone();
    tauri::async_runtime::spawn(async move {
        tokio::time::sleep(FIRST_PAINT).await;
        let _ = late.show();
    });
    let watched = window.clone();
    window.on_window_event(move |event| match event {
        WindowEvent::Focused(true) => {
            let Ok(session) = session::of(&watched) else { return };
            tauri::async_runtime::spawn_blocking(move || session.rescan());
        }
        WindowEvent::CloseRequested { api, .. } => {
            api.prevent_close();
            ask_to_save(&watched);
        }
        WindowEvent::ThemeChanged(_) => {
            let theme = session::of(&watched).and_then(|session| session.settings()).unwrap_or_default().theme;
            paint(&watched, theme);
        }
        _ => {}
    });
    Ok(())
}

/// Gives every window the theme that the person chose.
pub fn dress_all<R: Runtime>(app: &AppHandle<R>, theme: Theme) {
    app.webview_windows().values().for_each(|window| dress(window, theme));
}

/// Gives the window the theme that the person chose.
fn dress<R: Runtime>(window: &WebviewWindow<R>, theme: Theme) {
    let _ = window.set_theme(tauri_theme(theme));
    paint(window, theme);
}

fn paint<R: Runtime>(window: &WebviewWindow<R>, theme: Theme) {
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
pub fn choose_new_file<R: Runtime>(window: &WebviewWindow<R>, title: &str, name: &str) -> Option<PathBuf> {
    let dialog = window.dialog().file().set_title(title).set_file_name(name).set_parent(window);
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
pub fn choose_folder<R: Runtime>(window: &WebviewWindow<R>) -> Option<String> {
    let dialog = window.dialog().file().set_title("Open a folder of notes").set_parent(window);
    let chosen = dialog.blocking_pick_folder()?.into_path().ok()?;
    Some(chosen.display().to_string())
}
