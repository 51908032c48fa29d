//! What the program holds while its window is up: the open vault, and the agents let in to it.

use crate::agents::Agents;
use crate::events;
use crate::follow::Followed;
use crate::tray;
use crate::window;
use engine::{Engine, HealthNotice, IndexProgress, VaultInfo};
use headless::control::Role;
use headless::fault::Fault;
use headless::listen::Listener;
use headless::owner;
use headless::settings::{self, Settings};
use headless::store::Store;
use headless::vaults::{self, Folder, KnownVault};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tauri::{AppHandle, Manager, Runtime, WebviewWindow};

/// Everything the page asks for when it starts, and again when a vault was opened or closed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, specta::Type)]
pub struct AppState {
    pub version: String,
    pub vault: Option<VaultInfo>,
    pub known_vaults: Vec<KnownVault>,
    pub indexing: Option<IndexProgress>,
    pub n_proposed: u32,
    pub agents: crate::events::AgentsChanged,
    pub notices: Vec<HealthNotice>,
    /// The vault that is being opened, where that takes its time: another process may have to let go of it first.
    pub opening: Option<String>,
    /// Why the vault of the last time, or the one named at the start, was not opened.
    pub not_opened: Option<Fault>,
}

/// What each window holds, by the window's name within the program.
pub struct Sessions {
    pub store: Store,
    by_window: Mutex<BTreeMap<String, Arc<Session>>>,
}

/// What one window holds.
pub struct Session {
    /// The window's name within the program.
    pub window: String,
    pub store: Store,
    pub agents: Arc<Agents>,
    open: Mutex<Option<Open>>,
    /// Opening and closing take turns; the commands beside them do not wait.
    turn: Mutex<()>,
    opening: Mutex<Option<PathBuf>>,
    opened: Condvar,
    not_opened: Mutex<Option<Fault>>,
    /// Where the last link led, until the page has fetched it.
    followed: Mutex<Option<Followed>>,
    /// Counts the wishes to close the window, so that one that the page turned down does not close it later.
    wishes: AtomicU32,
}

/// How long the page waits for a vault that is being opened before it says so.
const OPENING: Duration = Duration::from_millis(1500);

struct Open {
    engine: Engine,
    folder: Folder,
    listener: Option<Listener>,
}

impl Session {
    pub fn new(window: &str, store: Store, agents: Arc<Agents>) -> Session {
        Session {
            window: window.to_owned(),
            store,
            agents,
            open: Mutex::default(),
            turn: Mutex::default(),
            opening: Mutex::default(),
            opened: Condvar::new(),
            not_opened: Mutex::default(),
            followed: Mutex::default(),
            wishes: AtomicU32::new(0),
        }
    }

    /// Returns the engine of the open vault.
    pub fn engine(&self) -> Result<Engine, Fault> {
        lock(&self.open).as_ref().map(|open| open.engine.clone()).ok_or_else(Fault::no_vault)
    }

    /// Opens a vault in place of the one that is open. If it cannot be opened, the old one stays.
    pub fn open<R: Runtime>(&self, app: &AppHandle<R>, path: &Path) -> Result<VaultInfo, Fault> {
        let _turn = lock(&self.turn);
        let folder = vaults::locate(&self.store, path)?;
        if let Some(open) = &*lock(&self.open)
            && open.folder.key == folder.key
        {
            return Ok(open.engine.info());
        }
        let others = all(app).list().into_iter().filter(|session| session.window != self.window);
        if let Some(other) = others.into_iter().find(|session| session.holds(&folder.root)) {
            window::to_front(app, &other.window);
            return Err(Fault::new(
                "open_elsewhere",
                format!("the vault `{}` is open in another window", folder.name()),
                "that window is in front now",
            ));
        }
        let engine = owner::take(&self.store, &folder)?;
        if let Ok(old) = self.engine() {
            old.flush();
        }
        let before = lock(&self.open).as_ref().map(|open| open.folder.key.clone());
        self.shut();
        let events = engine.subscribe();
        let (told, window) = (app.clone(), self.window.clone());
        std::thread::Builder::new()
            .name("vidimus-events".into())
            .spawn(move || events::forward(events, told, window))
            .map_err(|_| Fault::internal())?;
        let listener = self.listen(&engine, &folder);
        // A list that cannot be written costs the next start its memory, not this one its vault.
        if let Some(before) = before {
            let _ = vaults::closed(&self.store, &before);
        }
        let _ = vaults::opened(&self.store, &folder.key);
        let info = engine.info();
        *lock(&self.not_opened) = None;
        let key = folder.key.clone();
        *lock(&self.open) = Some(Open { engine: engine.clone(), folder, listener });
        self.agents.vault_opened(engine, &key);
        tray::refresh(app);
        Ok(info)
    }

    /// Other processes of this account reach the vault through here. Without it the window works all the same.
    fn listen(&self, engine: &Engine, folder: &Folder) -> Option<Listener> {
        let sockets = self.store.sockets(&folder.key);
        tauri::async_runtime::block_on(async {
            Listener::start(&sockets, engine, Role::Window, self.agents.presence(), || false).ok()
        })
    }

    /// Says that a vault is about to be opened without the page having asked.
    pub fn opens(&self, path: &Path) {
        *lock(&self.opening) = Some(path.to_path_buf());
    }

    /// Opens the vault that was announced, and remembers why not, for the page to say.
    pub fn open_announced<R: Runtime>(&self, app: &AppHandle<R>, path: &Path) {
        let not_opened = self.open(app, path).err();
        *lock(&self.not_opened) = not_opened;
        self.is_opened();
    }

    /// Says that what was announced is over.
    pub fn is_opened(&self) {
        *lock(&self.opening) = None;
        self.opened.notify_all();
    }

    /// Notes another wish about closing the window, and returns its number; earlier ones are over.
    pub fn wishes_to_close(&self) -> u32 {
        self.wishes.fetch_add(1, Ordering::SeqCst) + 1
    }

    /// Tells whether that wish is still the last word.
    pub fn still_wishes(&self, wish: u32) -> bool {
        self.wishes.load(Ordering::SeqCst) == wish
    }

    /// Keeps where a link led, for the page.
    pub fn followed(&self, followed: Followed) {
        *lock(&self.followed) = Some(followed);
    }

    /// Hands over where the last link led, once.
    pub fn take_followed(&self) -> Option<Followed> {
        lock(&self.followed).take()
    }

    /// Closes the vault at the person's wish: the next start opens none.
    pub fn close(&self) -> Result<(), Fault> {
        let _turn = lock(&self.turn);
        let key = lock(&self.open).as_ref().map(|open| open.folder.key.clone());
        self.shut();
        if let Some(key) = key {
            vaults::closed(&self.store, &key)?;
        }
        Ok(())
    }

    /// Lets go of the vault when the program ends; the next start opens it again.
    pub fn end(&self) {
        let _turn = lock(&self.turn);
        self.shut();
    }

    fn shut(&self) {
        self.agents.vault_closed();
        let Some(open) = lock(&self.open).take() else { return };
        if let Some(listener) = open.listener {
            tauri::async_runtime::block_on(listener.stop());
        }
        open.engine.close();
    }

    /// Looks at the whole vault again: while the window was in the back, a watcher may have missed something.
    pub fn rescan(&self) {
        if let Ok(engine) = self.engine() {
            engine.rescan();
        }
    }

    pub fn state(&self) -> Result<AppState, Fault> {
        let opening = self.opened.wait_timeout_while(lock(&self.opening), OPENING, |opening| opening.is_some());
        let opening = opening.unwrap_or_else(PoisonError::into_inner).0.clone();
        let moved = |open: &Open| {
            open.folder.moved_from.as_ref().map(|from| HealthNotice {
                message: format!("this is the vault that was at `{}`; its history came along", from.display()),
                hint: String::new(),
            })
        };
        let (vault, moved) = match &*lock(&self.open) {
            Some(open) => (Some(open.engine.info()), moved(open)),
            None => (None, None),
        };
        let mut notices = vault.as_ref().map(|vault| vault.health.clone()).unwrap_or_default();
        notices.extend(moved);
        Ok(AppState {
            version: env!("CARGO_PKG_VERSION").into(),
            indexing: vault.as_ref().and_then(|vault| vault.indexing),
            n_proposed: vault.as_ref().map_or(0, |vault| vault.n_pending),
            vault,
            known_vaults: vaults::known(&self.store)?,
            agents: self.agents.summary(),
            notices,
            opening: opening.map(|path| path.display().to_string()),
            not_opened: lock(&self.not_opened).clone(),
        })
    }

    pub fn settings(&self) -> Result<Settings, Fault> {
        Ok(settings::load(&self.store)?)
    }
}

impl Sessions {
    pub fn new(store: Store) -> Sessions {
        Sessions { store, by_window: Mutex::default() }
    }

    /// Takes in what a new window holds.
    pub fn add(&self, session: Session) -> Arc<Session> {
        let session = Arc::new(session);
        lock(&self.by_window).insert(session.window.clone(), session.clone());
        session
    }

    /// Forgets a window that has closed, and hands over what it held.
    pub fn remove(&self, window: &str) -> Option<Arc<Session>> {
        lock(&self.by_window).remove(window)
    }

    pub fn get(&self, window: &str) -> Option<Arc<Session>> {
        lock(&self.by_window).get(window).cloned()
    }

    /// Lists what the windows hold, the first window first.
    pub fn list(&self) -> Vec<Arc<Session>> {
        lock(&self.by_window).values().cloned().collect()
    }

    /// Finds the window that has a vault open, or is about to.
    pub fn holding(&self, root: &Path) -> Option<Arc<Session>> {
        self.list().into_iter().find(|session| session.holds(root))
    }

    /// Finds a window with no vault in it.
    pub fn empty(&self) -> Option<Arc<Session>> {
        self.list().into_iter().find(|session| lock(&session.open).is_none() && lock(&session.opening).is_none())
    }
}

impl Session {
    fn holds(&self, root: &Path) -> bool {
        lock(&self.open).as_ref().is_some_and(|open| open.folder.root == root)
            || lock(&self.opening).as_ref().is_some_and(|opening| vaults::look(opening).is_ok_and(|path| path == root))
    }
}

/// Finds what all windows of the running program hold.
pub fn all<R: Runtime, M: Manager<R>>(app: &M) -> tauri::State<'_, Sessions> {
    app.state::<Sessions>()
}

/// Finds what a window holds; none if it has closed.
pub fn in_window<R: Runtime, M: Manager<R>>(app: &M, window: &str) -> Option<Arc<Session>> {
    all(app).get(window)
}

/// Finds what a window holds.
pub fn of<R: Runtime>(window: &WebviewWindow<R>) -> Result<Arc<Session>, Fault> {
    in_window(window, window.label()).ok_or_else(Fault::no_vault)
}

/// A panic inside one command leaves the values as they were; the others go on.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
