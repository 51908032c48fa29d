//! Closing a window: the page saves first, and may say no.

use super::to_front;
use crate::events::CloseRequested;
use crate::{session, tray};
use headless::cli;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tauri::{AppHandle, Manager, Runtime, WebviewWindow};
use tauri_specta::Event as _;

/// How long the page may take to save before the window closes without it.
const LAST_SAVE: Duration = Duration::from_secs(3);

/// The end of a desktop session, or a `kill`, lets the pages save as well; nobody is there to answer questions then.
pub fn close_when_told<R: Runtime>(app: AppHandle<R>) {
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
        app.state::<Quits>().0.store(true, Ordering::SeqCst);
        let _ = CloseRequested.emit(&app);
        tokio::time::sleep(LAST_SAVE).await;
        let windows = app.webview_windows();
        drop(tauri::async_runtime::spawn_blocking(move || windows.values().for_each(close)).await);
    });
    #[cfg(not(unix))]
    drop(app);
}

/// Whether the program shall end, whatever the settings say of closing its window.
#[derive(Default)]
pub struct Quits(AtomicBool);

/// Ends the program once the pages have saved everything.
pub fn quit<R: Runtime>(app: &AppHandle<R>) {
    app.state::<Quits>().0.store(true, Ordering::SeqCst);
    app.webview_windows().values().for_each(ask_to_save);
}

/// Asks the page to save. If it does not answer, the window closes all the same: it must not be stuck.
pub fn ask_to_save<R: Runtime>(window: &WebviewWindow<R>) {
    let Ok(session) = session::of(window) else { return };
    let wish = session.wishes_to_close();
    let _ = CloseRequested.emit_to(window, window.label());
    let window = window.clone();
    tauri::async_runtime::spawn(async move {
        tokio::time::sleep(LAST_SAVE).await;
        if session.still_wishes(wish) {
            drop(tauri::async_runtime::spawn_blocking(move || close(&window)).await);
        }
    });
}

/// Leaves the window open: some text could not be saved, and the person is told.
pub fn keep<R: Runtime>(window: &WebviewWindow<R>) {
    if let Ok(session) = session::of(window) {
        session.wishes_to_close();
    }
    window.state::<Quits>().0.store(false, Ordering::SeqCst);
    // It may have been hidden.
    to_front(window.app_handle(), window.label());
}

/// Closes a window, and with the last one the program, unless that runs on in the tray. Not to be called on the
/// window's thread.
pub fn close<R: Runtime>(window: &WebviewWindow<R>) {
    let Ok(session) = session::of(window) else { return };
    // This wish is over, however long the page takes from now on.
    session.wishes_to_close();
    let app = window.app_handle();
    let quits = app.state::<Quits>().0.load(Ordering::SeqCst);
    if session::all(app).list().len() > 1 {
        session::all(app).remove(window.label());
        // The others stay open at the next start, too; of a program that ends, all do.
        if quits {
            session.end();
        } else if let Err(error) = session.close() {
            cli::complain(&error.message, &error.hint);
        }
        let _ = window.destroy();
        tray::refresh(app);
        return;
    }
    let runs_on = session.settings().is_ok_and(|settings| settings.close_to_tray);
    if runs_on && !quits && tray::is_there(app) {
        let _ = window.hide();
    } else {
        let _ = window.destroy();
    }
}
