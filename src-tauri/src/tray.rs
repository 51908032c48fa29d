//! The icon in the desktop's tray: how much waits, and the way back to a window that was closed.
//!
//! Many desktops have no tray, and some lack the library for it. Then there is no icon, and closing the window closes it.

use crate::events::ReviewWanted;
use crate::session;
use crate::window;
use headless::report;
use headless::settings;
use std::sync::{Arc, Mutex, PoisonError};
use tauri::image::Image;
use tauri::menu::{CheckMenuItem, Menu, MenuItem, PredefinedMenuItem};
use tauri::tray::{MouseButton, MouseButtonState, TrayIcon, TrayIconBuilder, TrayIconEvent};
use tauri::{AppHandle, Manager, Runtime};
use tauri_specta::Event as _;

/// The color of the seal, which means that something waits for a person.
const SEAL: [u8; 4] = [0xa6, 0x3a, 0x24, 0xff];
const PAPER: [u8; 4] = [0xfd, 0xfc, 0xfa, 0xff];

/// What the program keeps of the icon.
pub struct Tray<R: Runtime>(Mutex<State<R>>);

enum State<R: Runtime> {
    NotYet,
    Shown(Shown<R>),
    /// The library for it is not there, or refused.
    Impossible,
}

struct Shown<R: Runtime> {
    icon: TrayIcon<R>,
    review: MenuItem<R>,
    agents: CheckMenuItem<R>,
    says: Says,
}

/// What the icon and its menu tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Says {
    n_waiting: u32,
    agents_on: bool,
    has_vault: bool,
    visible: bool,
}

impl<R: Runtime> Default for Tray<R> {
    fn default() -> Tray<R> {
        Tray(Mutex::new(State::NotYet))
    }
}

/// Brings the icon up to date; it is made when it is first wanted.
pub fn refresh<R: Runtime>(app: &AppHandle<R>) {
    let Some(says) = says(app) else { return };
    let told = app.clone();
    // Menus belong to the window's thread.
    let _ = app.run_on_main_thread(move || {
        let Some(tray) = told.try_state::<Tray<R>>() else { return };
        let mut state = tray.0.lock().unwrap_or_else(PoisonError::into_inner);
        if matches!(*state, State::NotYet) && says.visible {
            // The library is looked for when it is first used, and the crate panics where it is not there.
            let made = report::expecting_panics(|| make(&told));
            *state = made.and_then(Result::ok).map_or(State::Impossible, State::Shown);
        }
        if let State::Shown(shown) = &mut *state {
            // A desktop that refuses one part of it shows the others.
            let _ = shown.tell(&told, says);
        }
    });
}

/// Tells whether a window that is hidden can be got back from the tray. Not to be called on the window's thread.
pub fn is_there<R: Runtime>(app: &AppHandle<R>) -> bool {
    let Some(tray) = app.try_state::<Tray<R>>() else { return false };
    let is_shown = match &*tray.0.lock().unwrap_or_else(PoisonError::into_inner) {
        State::Shown(shown) => shown.says.visible,
        State::NotYet | State::Impossible => false,
    };
    is_shown && has_host()
}

/// Tells whether the desktop has a tray.
pub fn has_host() -> bool {
    #[cfg(target_os = "linux")]
    {
        const PATIENCE: std::time::Duration = std::time::Duration::from_secs(2);
        let ask = || -> zbus::Result<bool> {
            let bus = zbus::blocking::connection::Builder::session()?.method_timeout(PATIENCE).build()?;
            let name = zbus::names::BusName::try_from("org.kde.StatusNotifierWatcher")?;
            Ok(zbus::blocking::fdo::DBusProxy::new(&bus)?.name_has_owner(name)?)
        };
        ask().unwrap_or(false)
    }
    #[cfg(not(target_os = "linux"))]
    true
}

fn says<R: Runtime>(app: &AppHandle<R>) -> Option<Says> {
    let sessions = app.try_state::<session::Sessions>()?;
    let windows = sessions.list();
    let waiting = windows.iter().filter_map(|session| Some(session.engine().ok()?.info().n_pending));
    Some(Says {
        n_waiting: waiting.sum(),
        agents_on: windows.first().is_some_and(|session| session.agents.summary().on),
        has_vault: windows.iter().any(|session| session.engine().is_ok()),
        visible: settings::load(&sessions.store).unwrap_or_default().tray_icon,
    })
}

fn make<R: Runtime>(app: &AppHandle<R>) -> tauri::Result<Shown<R>> {
    let says = Says { n_waiting: 0, agents_on: false, has_vault: false, visible: true };
    let open = MenuItem::with_id(app, "open", "Open Vidimus", true, None::<&str>)?;
    let review = MenuItem::with_id(app, "review", words(0), false, None::<&str>)?;
    let agents = CheckMenuItem::with_id(app, "agents", "Agents", false, false, None::<&str>)?;
    let quit = MenuItem::with_id(app, "quit", "Quit", true, None::<&str>)?;
    let line = PredefinedMenuItem::separator(app)?;
    let menu = Menu::with_items(app, &[&open, &review, &agents, &line, &quit])?;
    let mut builder = TrayIconBuilder::with_id("vidimus").menu(&menu).show_menu_on_left_click(false).tooltip("Vidimus");
    if let Some(icon) = app.default_window_icon() {
        builder = builder.icon(icon.clone());
    }
    let icon = builder
        .on_menu_event(|app, event| chosen(app, event.id().as_ref()))
        .on_tray_icon_event(|icon, event| {
            if let TrayIconEvent::Click { button: MouseButton::Left, button_state: MouseButtonState::Up, .. } = event {
                let app = icon.app_handle();
                window::to_front(app, &window::looked_at(app));
            }
        })
        .build(app)?;
    Ok(Shown { icon, review, agents, says })
}

fn chosen<R: Runtime>(app: &AppHandle<R>, item: &str) {
    match item {
        "open" => session::all(app).list().iter().for_each(|session| window::to_front(app, &session.window)),
        "review" => {
            let waits = |session: &Arc<session::Session>| session.engine().is_ok_and(|it| it.info().n_pending > 0);
            if let Some(session) = session::all(app).list().into_iter().find(waits) {
                window::to_front(app, &session.window);
                let _ = ReviewWanted.emit_to(app, session.window.as_str());
            }
        }
        "agents" => {
            let app = app.clone();
            tauri::async_runtime::spawn_blocking(move || {
                if let Some(session) = session::all(&app).list().first() {
                    // What could not be switched is said in the window; the check mark follows what is.
                    let _ = session.agents.switch(!session.agents.summary().on);
                }
                refresh(&app);
            });
        }
        "quit" => window::quit(app),
        _ => {}
    }
}

impl<R: Runtime> Shown<R> {
    fn tell(&mut self, app: &AppHandle<R>, says: Says) -> tauri::Result<()> {
        let was = std::mem::replace(&mut self.says, says);
        // The desktop may have ticked it by itself.
        self.agents.set_checked(says.agents_on)?;
        if was == says {
            return Ok(());
        }
        self.agents.set_enabled(says.has_vault)?;
        self.review.set_text(words(says.n_waiting))?;
        self.review.set_enabled(says.n_waiting > 0)?;
        if (was.n_waiting > 0) != (says.n_waiting > 0)
            && let Some(icon) = app.default_window_icon()
        {
            self.icon.set_icon(Some(if says.n_waiting > 0 { marked(icon) } else { icon.clone() }))?;
        }
        self.icon.set_title((says.n_waiting > 0).then(|| says.n_waiting.to_string()).or(Some(String::new())))?;
        self.icon.set_visible(says.visible)?;
        self.icon.set_tooltip(Some(match says.n_waiting {
            0 => "Vidimus".to_owned(),
            n => format!("Vidimus: {}", words(n).to_lowercase()),
        }))
    }
}

fn words(n: u32) -> String {
    match n {
        0 => "Nothing to review".to_owned(),
        1 => "Review 1 proposal".to_owned(),
        n => format!("Review {n} proposals"),
    }
}

/// The icon with a dot of the seal's color in its corner.
fn marked(icon: &Image<'_>) -> Image<'static> {
    let (width, height) = (icon.width(), icon.height());
    let mut pixels = icon.rgba().to_vec();
    let radius = f64::from(width.min(height)) * 0.22;
    let (x, y) = (f64::from(width) - radius - 0.5, radius - 0.5);
    for (at, pixel) in pixels.chunks_exact_mut(4).enumerate() {
        let at = u32::try_from(at).unwrap_or(u32::MAX);
        let (dx, dy) = (f64::from(at % width.max(1)) - x, f64::from(at / width.max(1)) - y);
        let away = dx.hypot(dy);
        // A ring of paper sets it off from whatever lies below.
        match away {
            away if away <= radius * 0.78 => pixel.copy_from_slice(&SEAL),
            away if away <= radius => pixel.copy_from_slice(&PAPER),
            _ => {}
        }
    }
    Image::new_owned(pixels, width, height)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_waits_is_said_in_words() {
        let said: Vec<String> = [0, 1, 2].map(words).into();
        assert_eq!(said, ["Nothing to review", "Review 1 proposal", "Review 2 proposals"]);
    }

    #[test]
    fn the_dot_is_in_the_corner_and_the_rest_as_it_was() {
        let icon = Image::new_owned(vec![7; 32 * 32 * 4], 32, 32);
        let marked = marked(&icon);
        assert_eq!((marked.width(), marked.height(), marked.rgba().len()), (32, 32, 32 * 32 * 4));
        let at = |x: usize, y: usize| marked.rgba()[(y * 32 + x) * 4..][..4].to_vec();
        assert_eq!(at(25, 6), SEAL);
        assert_eq!(at(2, 28), [7; 4]);
        assert_eq!(at(16, 16), [7; 4]);
        // Nothing to draw on is no reason to stumble.
        assert_eq!(super::marked(&Image::new_owned(Vec::new(), 0, 0)).width(), 0);
    }
}
