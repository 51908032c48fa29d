//! Hints that something changed: which paths to look at again.
//!
//! The kinds of events are ignored, since systems disagree about them; a hash says what happened. Our own writes come
//! back here like anybody's, and are recognised by their hash as nothing new.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread;
use std::time::{Duration, Instant};

use note::RelPath;
use notify::{Config, RecommendedWatcher, RecursiveMode, Watcher as _};

use crate::disk::Kind;
use crate::error::WatchError;
use crate::scan::{Reader, Walked};
use crate::{Health, HealthNotice};

/// Events are gathered this long from the first one on, so that a save is one look and not five.
const GATHER: Duration = Duration::from_millis(100);

/// Past this many paths, looking at everything is cheaper.
const MANY: usize = 20_000;

/// Where some folders cannot be watched, everything is looked at this often.
const RESCAN: Duration = Duration::from_secs(30);

/// What may have changed. It is a hint to look again, never a fact.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Watched {
    /// Look at these paths. One may be a folder; if it is gone, everything below it is gone too.
    Paths(BTreeSet<RelPath>),
    /// Look at everything: the system lost count, or cannot watch all of it.
    Rescan,
    /// What Obsidian keeps of the vault's settings and looks was written.
    Settings,
}

/// Watches until it is dropped.
#[derive(Debug)]
pub struct Watcher {
    stopped: Arc<AtomicBool>,
    messages: Sender<Message>,
}

impl Drop for Watcher {
    fn drop(&mut self) {
        self.stopped.store(true, Ordering::SeqCst);
        // If the thread is gone already, there is nobody to tell.
        let _ = self.messages.send(Message::Stop);
    }
}

enum Message {
    Event(notify::Result<notify::Event>),
    Stop,
}

/// Starts to watch; every change after the return is reported.
pub(crate) fn watch(reader: Reader, health: Health, on: Box<dyn Fn(Watched) + Send>) -> Result<Watcher, WatchError> {
    let refuse = |error: notify::Error| WatchError { reason: error.to_string() };
    let (messages, inbox) = mpsc::channel();
    let events = messages.clone();
    let watcher = RecommendedWatcher::new(
        move |event: notify::Result<notify::Event>| {
            // Reads are events too on Linux, and looking at a note would then be a reason to look at it again.
            if !event.as_ref().is_ok_and(|event| event.kind.is_access()) {
                let _ = events.send(Message::Event(event));
            }
        },
        Config::default().with_follow_symlinks(false),
    )
    .map_err(refuse)?;
    let mut folders = Folders { watcher, reader, health, n_refused: 0 };
    folders.watch_root().map_err(refuse)?;

    let stopped = Arc::new(AtomicBool::new(false));
    let is_stopped = stopped.clone();
    thread::Builder::new()
        .name("vault-watch".to_owned())
        .spawn(move || gather(&inbox, &is_stopped, folders, &*on))
        .map_err(|error| WatchError { reason: error.to_string() })?;
    Ok(Watcher { stopped, messages })
}

fn gather(inbox: &Receiver<Message>, is_stopped: &AtomicBool, mut folders: Folders, on: &dyn Fn(Watched)) {
    loop {
        let mut batch = Batch::default();
        match folders.wait(inbox) {
            Ok(Message::Event(event)) => batch.add(folders.reader.root(), event),
            Err(RecvTimeoutError::Timeout) => batch.everything = true,
            Ok(Message::Stop) | Err(RecvTimeoutError::Disconnected) => return,
        }
        let until = Instant::now() + GATHER;
        if !batch.is_empty() {
            loop {
                let left = until.saturating_duration_since(Instant::now());
                match inbox.recv_timeout(left) {
                    Ok(Message::Event(event)) => batch.add(folders.reader.root(), event),
                    Err(RecvTimeoutError::Timeout) => break,
                    Ok(Message::Stop) | Err(RecvTimeoutError::Disconnected) => return,
                }
            }
        }
        let settings = batch.settings.then(|| {
            folders.watch_settings();
            Watched::Settings
        });
        for watched in [settings, batch.finish(&mut folders)].into_iter().flatten() {
            if !is_stopped.load(Ordering::SeqCst) {
                on(watched);
            }
        }
    }
}

/// The events of a moment.
#[derive(Default)]
struct Batch {
    paths: BTreeSet<RelPath>,
    everything: bool,
    settings: bool,
}

impl Batch {
    fn is_empty(&self) -> bool {
        self.paths.is_empty() && !self.everything && !self.settings
    }

    fn add(&mut self, root: &Path, event: notify::Result<notify::Event>) {
        match event {
            Ok(event) => {
                self.everything |= event.need_rescan();
                for path in event.paths {
                    match relative(root, &path) {
                        Place::Note(path) => {
                            self.paths.insert(path);
                        }
                        Place::Root => self.everything = true,
                        Place::Settings => self.settings = true,
                        Place::Ignored => {}
                    }
                }
            }
            Err(_) => self.everything = true,
        }
    }

    /// New folders are watched, and what is in them by then is looked at.
    fn finish(mut self, folders: &mut Folders) -> Option<Watched> {
        let touched: Vec<RelPath> = self.paths.iter().cloned().collect();
        for path in touched {
            if folders.reader.is_folder(&path) {
                folders.watch_below(&path);
                for walked in folders.reader.walk_folder(&path) {
                    match walked {
                        Walked::File(found) => self.paths.insert(found.path),
                        Walked::Folder(path) => self.paths.insert(path),
                        Walked::Skipped(_) => false,
                    };
                }
            }
        }
        if self.everything || self.paths.len() > MANY {
            if cfg!(target_os = "linux") {
                folders.watch_all();
            }
            Some(Watched::Rescan)
        } else if self.paths.is_empty() {
            None
        } else {
            Some(Watched::Paths(self.paths))
        }
    }
}

enum Place {
    Note(RelPath),
    Root,
    Settings,
    Ignored,
}

fn relative(root: &Path, path: &Path) -> Place {
    let Ok(inside) = path.strip_prefix(root) else {
        return Place::Ignored;
    };
    if inside.as_os_str().is_empty() {
        return Place::Root;
    }
    let parts: Option<Vec<&str>> = inside.components().map(|part| part.as_os_str().to_str()).collect();
    let Some(Ok(path)) = parts.map(|parts| RelPath::new(&parts.join("/"))) else {
        return Place::Ignored;
    };
    if !path.is_hidden() {
        return Place::Note(path);
    }
    if is_settings(path.as_str()) {
        return Place::Settings;
    }
    // A placeholder that comes or goes is news about the file that it stands for.
    let stands_for = path.file_name().strip_prefix('.').and_then(|name| name.strip_suffix(".icloud")).map(|name| {
        match path.parent() {
            "" => name.to_owned(),
            parent => format!("{parent}/{name}"),
        }
    });
    match stands_for.and_then(|path| RelPath::new(&path).ok()) {
        Some(path) if !path.is_hidden() => Place::Note(path),
        _ => Place::Ignored,
    }
}

/// Whether the vault's settings or looks are kept there. What Obsidian writes with every step of a person is not.
fn is_settings(path: &str) -> bool {
    let Some(inside) = path.strip_prefix(".obsidian") else { return false };
    match inside.strip_prefix('/') {
        None => inside.is_empty(),
        Some("snippets" | "app.json" | "appearance.json" | "hotkeys.json" | "types.json") => true,
        Some(inside) => inside.strip_prefix("snippets/").is_some_and(|name| name.ends_with(".css")),
    }
}

/// The folders under watch.
struct Folders {
    watcher: RecommendedWatcher,
    reader: Reader,
    health: Health,
    n_refused: usize,
}

impl Folders {
    fn wait(&self, inbox: &Receiver<Message>) -> Result<Message, RecvTimeoutError> {
        if self.n_refused > 0 {
            inbox.recv_timeout(RESCAN)
        } else {
            inbox.recv().map_err(|_| RecvTimeoutError::Disconnected)
        }
    }

    /// On Linux each folder takes one of a limited number of watches, so hidden ones get none. Elsewhere one watch is enough.
    fn watch_root(&mut self) -> notify::Result<()> {
        let root = self.reader.root().to_owned();
        if cfg!(target_os = "linux") {
            match self.watcher.watch(&root, RecursiveMode::NonRecursive) {
                Ok(()) => {}
                Err(error) if is_limit(&error) => {}
                Err(error) => return Err(error),
            }
            self.watch_all();
            Ok(())
        } else {
            self.watcher.watch(&root, RecursiveMode::Recursive)
        }
    }

    fn watch_all(&mut self) {
        self.n_refused = 0;
        let root = self.reader.root().to_owned();
        self.watch_tree(root);
        self.watch_settings();
    }

    /// Of the hidden folders only these two are looked at as they change.
    fn watch_settings(&mut self) {
        if !cfg!(target_os = "linux") {
            return;
        }
        for folder in [".obsidian", ".obsidian/snippets"] {
            let path = self.reader.root().join(folder);
            if self.reader.disk().stat(&path).is_ok_and(|meta| meta.kind == Kind::Folder) {
                // Without a watch they are read with everything else, from time to time.
                if self.watcher.watch(&path, RecursiveMode::NonRecursive).is_err_and(|error| is_limit(&error)) {
                    self.n_refused += 1;
                }
            }
        }
    }

    fn watch_below(&mut self, folder: &RelPath) {
        if cfg!(target_os = "linux") {
            self.watch_tree(self.reader.root().join(folder.as_str()));
        }
    }

    /// Watches a folder before it lists it, so that nothing made in between is missed.
    fn watch_tree(&mut self, top: PathBuf) {
        let mut todo = vec![top];
        while let Some(dir) = todo.pop() {
            match self.watcher.watch(&dir, RecursiveMode::NonRecursive) {
                Err(error) if is_limit(&error) => self.n_refused += 1,
                // Gone again, or unreadable: then it is not scanned either.
                Err(_) => continue,
                Ok(()) => {}
            }
            for entry in self.reader.disk().list(&dir).unwrap_or_default() {
                let hidden = entry.name.as_encoded_bytes().starts_with(b".");
                if entry.kind == Kind::Folder && !hidden {
                    todo.push(dir.join(entry.name));
                }
            }
        }
        if self.n_refused > 0 {
            self.health.note(HealthNotice::WatchLimited { n_folders: self.n_refused });
        }
    }
}

fn is_limit(error: &notify::Error) -> bool {
    match &error.kind {
        notify::ErrorKind::MaxFilesWatch => true,
        notify::ErrorKind::Io(error) => error.kind() == std::io::ErrorKind::StorageFull,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;

    fn check(path: &str, meaning: Expect) {
        let shown = match relative(Path::new("/v"), Path::new(path)) {
            Place::Note(path) => path.to_string(),
            Place::Root => "everything".to_owned(),
            Place::Settings => "settings".to_owned(),
            Place::Ignored => "nothing".to_owned(),
        };
        meaning.assert_eq(&shown);
    }

    #[test]
    fn events_are_about_notes() {
        check("/v/plans/june.md", expect!["plans/june.md"]);
        check("/v", expect!["everything"]);
        check("/elsewhere/a.md", expect!["nothing"]);
        check("/v/.git/index", expect!["nothing"]);
        check("/v/.obsidian", expect!["settings"]);
        check("/v/.obsidian/hotkeys.json", expect!["settings"]);
        check("/v/.obsidian/snippets/wide.css", expect!["settings"]);
        check("/v/.obsidian/workspace.json", expect!["nothing"]);
        check("/v/.obsidian/snippets/wide.css.swp", expect!["nothing"]);
        check("/v/.obsidian2/app.json", expect!["nothing"]);
        check("/v/a/.obsidian/app.json", expect!["nothing"]);
        check("/v/plans/.june.md.01ARZ3NDEKTSV4RRFFQ69G5FAV.tmp", expect!["nothing"]);
        check("/v/plans/.june.md.icloud", expect!["plans/june.md"]);
        check("/v/.hidden/.june.md.icloud", expect!["nothing"]);
    }
}
