//! The facade: one vault, opened.

use crate::ledger::{Ledger, changed_files};
use crate::operation::{CommitLabel, OpRecord};
use crate::stillness::Stillness;
use crate::subscribers::Subscribers;
use crate::writer::{Msg, Reply, Writer, now_ms_signed};
use crate::{
    AmendError, DecideError, Decision, Desk, Event, HealthNotice, Intent, NoteChange, OpState, OperationView,
    OutsideMoves, Review,
};
use crate::{NoteError, NoteRef, OpenNote, ReviewError, SaveError, Saved, View, Writes};
use arc_swap::ArcSwap;
use index::{Index, IndexView};
use note::{ContentHash, RelPath};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeSet, HashMap, VecDeque};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, Sender, channel, sync_channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, RwLock};
use std::time::{Duration, Instant};
use thiserror::Error;
use vault::{Disk, Entry, OpId, Reader, RealDisk, Scratch, StateDir, Vault, Watcher};

/// How long an agent's read waits for the window to save what a person just typed.
const FLUSH_PATIENCE: Duration = Duration::from_millis(1500);

/// Which vault to open, and where its state lives.
#[derive(Debug, Clone)]
pub struct OpenVault {
    pub root: PathBuf,
    /// The vault's own folder among the app's data: journal, blobs, lock, index.
    pub state: PathBuf,
    /// The name shown to people and agents.
    pub name: String,
    /// The random key that ids are derived from; stays with the vault when its folder moves.
    pub vault_key: String,
    /// The desktop's trash folder, for vaults that send deleted files there; without one they are kept in the history.
    pub system_trash: Option<PathBuf>,
}

/// Why a vault cannot be opened.
#[derive(Debug, Error)]
pub enum OpenError {
    #[error(transparent)]
    Vault(#[from] vault::OpenError),
    #[error(transparent)]
    Index(#[from] index::IndexError),
}

impl OpenError {
    /// Tells whether another process has the vault open.
    pub fn is_locked(&self) -> bool {
        matches!(
            self,
            OpenError::Vault(vault::OpenError::Locked { .. }) | OpenError::Index(index::IndexError::Locked { .. })
        )
    }

    /// Returns the next step for a person.
    pub fn hint(&self) -> &'static str {
        match self {
            OpenError::Vault(error) => error.hint(),
            OpenError::Index(_) => "free or repair this folder; it can be deleted, and is then built anew",
        }
    }
}

/// What the window's frame shows of a vault.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct VaultInfo {
    pub name: String,
    pub root: String,
    pub n_notes: u32,
    pub n_pending: u32,
    /// Why nothing can be written, if so.
    pub read_only: Option<String>,
    pub health: Vec<HealthNotice>,
    /// Present while the index is being built.
    pub indexing: Option<IndexProgress>,
    /// Notes that another program moved, if links could follow.
    pub outside_moves: Option<OutsideMoves>,
    /// Whether what is deleted goes into the desktop's trash.
    pub uses_system_trash: bool,
    /// Obsidian's setting: a single line break is kept as a space rather than a break.
    pub strict_line_breaks: bool,
    pub readable_line_length: bool,
}

/// How far the index is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct IndexProgress {
    pub done: u32,
    pub total: u32,
}

/// An open vault. Cheap to clone; every method may be called from any thread.
#[derive(Clone)]
pub struct Engine {
    pub(crate) shared: Arc<Shared>,
}

/// A text before and one after; `None` is no text.
type TwoTexts = (Option<ContentHash>, Option<ContentHash>);

/// What the writer thread and the callers share.
pub(crate) struct Shared {
    cfg: OpenVault,
    reader: Reader,
    index: ArcSwap<IndexView>,
    unread: ArcSwap<Vec<String>>,
    pub(crate) ledger: Arc<RwLock<Ledger>>,
    vault_key: Arc<str>,
    /// How many characters came and went from one text to another, by their hashes. Held for moments only.
    pub(crate) counted: Mutex<HashMap<TwoTexts, (u32, u32)>>,
    /// Held for moments only.
    stillness: Mutex<Stillness>,
    to_writer: Mutex<Option<Sender<Msg>>>,
    /// The small things that callers wait for. Held for moments only, never while another lock is taken.
    signals: Mutex<Signals>,
    changed: Condvar,
}

#[derive(Default)]
struct Signals {
    subscribers: Subscribers,
    /// Notes with unsaved text in a window.
    editing: BTreeSet<RelPath>,
    health: Vec<HealthNotice>,
    progress: Option<IndexProgress>,
    outside_moves: Option<OutsideMoves>,
    indexed: bool,
    watcher: Option<Watcher>,
}

impl Engine {
    /// Opens a vault: takes its lock, settles what a crash left, and begins to index in the background.
    ///
    /// # Errors
    /// Says what is wrong with the folder or the state, and what to do.
    pub fn open(cfg: OpenVault) -> Result<Engine, OpenError> {
        Engine::open_on(Arc::new(RealDisk), cfg)
    }

    pub(crate) fn open_on(disk: Arc<dyn Disk>, cfg: OpenVault) -> Result<Engine, OpenError> {
        let (vault, _settled) = Vault::open(&cfg.root, StateDir::new(cfg.state.clone()), disk)?;
        // The index of a vault that can only be read lives as long as this process.
        let scratch =
            vault.closed().is_some().then(Scratch::new).transpose().map_err(vault::OpenError::from_scratch)?;
        let index_folder = scratch.as_ref().map_or(&*cfg.state, Scratch::path).join("index");
        let (index, view) = Index::open(&index_folder)?;
        let (sender, receiver) = channel();
        let shared = Arc::new(Shared {
            reader: vault.reader(),
            index: ArcSwap::from_pointee(view),
            unread: ArcSwap::default(),
            ledger: Arc::new(RwLock::new(replay(&vault).unwrap_or_default())),
            vault_key: Arc::from(cfg.vault_key.as_str()),
            counted: Mutex::default(),
            stillness: Mutex::new(Stillness::of(vault.reader().root())),
            to_writer: Mutex::new(Some(sender.clone())),
            signals: Mutex::new(Signals { health: health_of(&vault), ..Signals::default() }),
            changed: Condvar::new(),
            cfg,
        });
        match vault.watch(Box::new(move |watched| drop(sender.send(Msg::Watched(watched))))) {
            Ok(watcher) => lock(&shared.signals).watcher = Some(watcher),
            Err(error) => shared.notice(HealthNotice {
                message: format!("outside changes are not seen at once: {error}"),
                hint: "they are seen when the window comes to the front".to_owned(),
            }),
        }
        let writer = Writer {
            told_health: vault.health(),
            vault,
            index: Some(index),
            index_folder,
            _scratch: scratch,
            unread: BTreeSet::new(),
            gone: Vec::new(),
            outside_moves: Vec::new(),
            rescan: false,
            shared: shared.clone(),
            queue: VecDeque::new(),
            queue_total: 0,
            look: None,
            complete: false,
        };
        std::thread::Builder::new()
            .name("vidimus-writer".to_owned())
            .spawn(move || writer.run(receiver))
            .expect("the system can start a thread");
        Ok(Engine { shared })
    }

    /// Returns the snapshot of now.
    pub fn view(&self) -> View {
        self.shared.view()
    }

    /// Returns the name shown to people and agents.
    pub fn name(&self) -> &str {
        &self.shared.cfg.name
    }

    /// Returns what the window's frame shows.
    pub fn info(&self) -> VaultInfo {
        let view = self.view();
        let config: serde_json::Value = view
            .reader
            .read_config("app.json")
            .and_then(|bytes| serde_json::from_slice(&bytes).ok())
            .unwrap_or_default();
        let flag = |name: &str, default: bool| config.get(name).and_then(serde_json::Value::as_bool).unwrap_or(default);
        let to_system = config.get("trashOption").and_then(serde_json::Value::as_str).is_none_or(|to| to == "system");
        let signals = lock(&self.shared.signals);
        let mut health = signals.health.clone();
        health.extend(crate::view::unread_notice(&view.unread));
        VaultInfo {
            name: self.shared.cfg.name.clone(),
            root: self.shared.cfg.root.display().to_string(),
            n_notes: u32::try_from(view.index.n_notes()).unwrap_or(u32::MAX),
            n_pending: u32::try_from(view.ledger().open_proposals().count()).unwrap_or(u32::MAX),
            read_only: view.reader.is_read_only(),
            health,
            indexing: signals.progress.filter(|_| !signals.indexed),
            outside_moves: signals.outside_moves.clone(),
            uses_system_trash: to_system && self.shared.trash().0.is_some(),
            strict_line_breaks: flag("strictLineBreaks", false),
            readable_line_length: flag("readableLineLength", true),
        }
    }

    /// Saves a person's text (line feeds only), typed on top of the bytes with hash `base`.
    ///
    /// # Errors
    /// Says why the text is not on disk; it stays with the caller.
    pub fn save(&self, path: &RelPath, base: ContentHash, text: String) -> Result<Saved, SaveError> {
        self.ask(|reply| Msg::Save { path: path.clone(), base, text, reply }).unwrap_or(Err(SaveError::Closed))
    }

    /// Carries out a person's own wish at once: a new note, a restored version, an undo, a rename.
    ///
    /// # Errors
    /// Says what stands in the way.
    pub fn carry(&self, intent: Intent) -> Result<OperationView, DecideError> {
        let id = self.ask(|reply| Msg::Carry { intent, seen: None, reply }).unwrap_or(Err(DecideError::Closed))?;
        self.operation(id).ok_or(DecideError::Unknown)
    }

    /// Takes back a finished operation, every file of it.
    ///
    /// # Errors
    /// `Blocked` names the files that changed since.
    pub fn undo(&self, id: OpId) -> Result<OperationView, DecideError> {
        self.carry(Intent::Undo { op: id })
    }

    /// Decides about a proposal.
    ///
    /// # Errors
    /// `Changed` asks for another look; nothing was written.
    pub fn decide(&self, id: OpId, decision: Decision) -> Result<OperationView, DecideError> {
        if matches!(decision, Decision::Approve { .. }) {
            self.shared.flush(|_| true);
        }
        let id = self.ask(|reply| Msg::Decide { id, decision, reply }).unwrap_or(Err(DecideError::Closed))?;
        self.operation(id).ok_or(DecideError::Unknown)
    }

    /// Gives a proposed rename another new heading, planned anew.
    ///
    /// # Errors
    /// Says why that heading will not do.
    pub fn amend(&self, id: OpId, new_heading: &str) -> Result<Review, AmendError> {
        let new_heading = new_heading.to_owned();
        let asked = self.ask(|reply| Msg::Amend { id, new_heading, reply });
        let id = asked.unwrap_or(Err(AmendError::Decide(DecideError::Closed)))?;
        self.review(id).map_err(|_| AmendError::Decide(DecideError::Unknown))
    }

    /// Finishes or takes back an operation that was stopped half-way.
    ///
    /// # Errors
    /// Says why it could not be settled.
    pub fn settle(&self, id: OpId, finish: bool) -> Result<OperationView, DecideError> {
        let id = self.ask(|reply| Msg::Settle { id, finish, reply }).unwrap_or(Err(DecideError::Closed))?;
        self.operation(id).ok_or(DecideError::Unknown)
    }

    /// Lists operations, newest first: every open proposal, and the last decided and finished ones but for plain saves.
    pub fn operations(&self) -> Vec<OperationView> {
        crate::review::list(&self.view())
    }

    /// Returns one operation.
    pub fn operation(&self, id: OpId) -> Option<OperationView> {
        crate::review::one(&self.view(), id)
    }

    /// Plans a proposal on the text of now and shows every byte it would change.
    ///
    /// # Errors
    /// The operation is not known.
    pub fn review(&self, id: OpId) -> Result<Review, ReviewError> {
        crate::review::review(&self.view(), id)
    }

    /// Waits until an operation is decided, or the time is up, and returns how it stands.
    pub fn wait_operation(&self, id: OpId, timeout: Duration) -> Option<OperationView> {
        self.shared.wait_decided(id, timeout);
        self.operation(id)
    }

    /// Opens a note for a person, and keeps its text: whatever another program writes from now on, the text that the
    /// person saw can be had back.
    ///
    /// # Errors
    /// As `View::note`.
    pub fn open_note(&self, at: &NoteRef) -> Result<OpenNote, NoteError> {
        let open = self.view().note(at)?;
        // A closed vault keeps nothing; the note was read all the same.
        self.tell_writer(Msg::Keep { text: open.text.clone() });
        Ok(open)
    }

    /// Says that a window has, or no longer has, text of a note that is not on disk.
    pub fn editing(&self, path: &RelPath, dirty: bool) {
        let mut signals = lock(&self.shared.signals);
        if dirty {
            signals.editing.insert(path.clone());
        } else {
            signals.editing.remove(path);
        }
        drop(signals);
        self.shared.changed.notify_all();
    }

    /// Asks whoever edits to save now, and waits a moment for it: before the vault is closed under an open window.
    pub fn flush(&self) {
        self.shared.flush(|_| true);
    }

    /// Returns events from now on; a receiver that is dropped is forgotten.
    pub fn subscribe(&self) -> Receiver<Event> {
        lock(&self.shared.signals).subscribers.add()
    }

    /// Returns what changed in notes and operations since a moment, at most some seconds ago, and then all events.
    pub fn subscribe_since(&self, since: Instant) -> Receiver<Event> {
        lock(&self.shared.signals).subscribers.add_since(since)
    }

    /// Waits until the whole vault has been indexed once.
    pub fn wait_indexed(&self, timeout: Duration) -> bool {
        let signals = lock(&self.shared.signals);
        let waited = self.shared.changed.wait_timeout_while(signals, timeout, |signals| !signals.indexed);
        waited.unwrap_or_else(PoisonError::into_inner).0.indexed
    }

    /// Whether what is known is what is on disk at this moment, as far as the system tells.
    pub(crate) fn is_still(&self) -> bool {
        self.shared.stillness(Stillness::is_still)
    }

    /// Tells whoever looks at this vault's health of something that was found beside it.
    pub fn notice(&self, notice: HealthNotice) {
        self.shared.notice(notice);
    }

    /// Returns when everything that changed on disk until now is known. Looks at the whole disk for that, unless nothing
    /// has happened there since the last look.
    pub fn catch_up(&self) {
        let (is_still, is_due) = self.shared.stillness(|stillness| (stillness.is_still(), stillness.is_due()));
        match (is_still, is_due) {
            (true, false) => {}
            (true, true) => self.tell_writer(Msg::LookAgain),
            (false, _) => drop(self.ask(|reply| Msg::CatchUp { reply })),
        }
    }

    /// Has the whole disk looked at again soon, without waiting for it: the window came to the front, the machine woke.
    pub fn rescan(&self) {
        // A closed vault has nothing to look at.
        self.tell_writer(Msg::Watched(vault::Watched::Rescan));
    }

    /// Returns what an agent is handed.
    pub fn desk(&self, client: &str, writes: Writes) -> Desk {
        Desk::new(self.clone(), client.to_owned(), writes)
    }

    /// Ends the writer thread and gives the vault's lock back. Later calls answer `Closed`.
    pub fn close(&self) {
        lock(&self.shared.signals).watcher = None;
        let (reply, answer) = sync_channel(1);
        let sender = lock(&self.shared.to_writer).take();
        if let Some(sender) = sender
            && sender.send(Msg::Close { reply }).is_ok()
        {
            let _ = answer.recv();
        }
        self.shared.stillness(Stillness::end);
        // Nothing will happen any more; whoever waits for it need not go on.
        lock(&self.shared.signals).subscribers.clear();
    }

    /// Sends a message to the writer that nobody waits for. A closed vault does not get it.
    fn tell_writer(&self, message: Msg) {
        if let Some(sender) = &*lock(&self.shared.to_writer) {
            let _ = sender.send(message);
        }
    }

    /// Sends a message to the writer and waits for its answer; `None` when the vault is closed.
    pub(crate) fn ask<T>(&self, message: impl FnOnce(Reply<T>) -> Msg) -> Option<T> {
        let (reply, answer) = sync_channel(1);
        let sender = lock(&self.shared.to_writer).clone()?;
        sender.send(message(reply)).ok()?;
        answer.recv().ok()
    }
}

impl Shared {
    pub fn view(&self) -> View {
        View {
            index: IndexView::clone(&self.index.load()),
            reader: self.reader.clone(),
            ledger: self.ledger.clone(),
            vault_key: self.vault_key.clone(),
            unread: self.unread.load_full(),
        }
    }

    /// Asks or tells what is heard of the vault's folders.
    pub fn stillness<T>(&self, with: impl FnOnce(&mut Stillness) -> T) -> T {
        with(&mut lock(&self.stillness))
    }

    /// Takes in what could not be read; a person is told, for its links cannot follow anything.
    pub fn tell_unread(&self, unread: &BTreeSet<String>) {
        if self.unread.load().iter().ne(unread) {
            self.unread.store(Arc::new(unread.iter().cloned().collect()));
        }
    }

    pub fn publish(&self, index: IndexView) {
        self.index.store(Arc::new(index));
    }

    pub fn notice(&self, notice: HealthNotice) {
        let mut signals = lock(&self.signals);
        if !signals.health.contains(&notice) {
            signals.health.push(notice);
        }
        let notices = signals.health.clone();
        signals.subscribers.tell(&Event::Health { notices });
    }

    /// Returns the desktop's trash, if there is one to use, and the vault's own folder.
    pub fn trash(&self) -> (Option<&Path>, &Path) {
        (self.cfg.system_trash.as_deref(), &self.cfg.root)
    }

    /// Tells the doors which outside moves links could follow.
    pub fn offer_moves(&self, offered: Option<OutsideMoves>) {
        let mut signals = lock(&self.signals);
        if signals.outside_moves != offered {
            signals.outside_moves = offered;
            let notices = signals.health.clone();
            signals.subscribers.tell(&Event::Health { notices });
        }
    }

    pub fn look_changed(&self) {
        lock(&self.signals).subscribers.tell(&Event::LookChanged);
    }

    pub fn notes_changed(&self, changed: Vec<NoteChange>) {
        let generation = u32::try_from(self.index.load().generation()).unwrap_or(u32::MAX);
        lock(&self.signals).subscribers.tell(&Event::NotesChanged { changed, generation });
    }

    pub fn operation_changed(&self, id: OpId, state: OpState) {
        lock(&self.signals).subscribers.tell(&Event::OperationChanged { id: id.to_string(), state });
        self.changed.notify_all();
    }

    pub fn indexing(&self, done: usize, total: usize) {
        let n = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        let mut signals = lock(&self.signals);
        if signals.indexed && done < total {
            return;
        }
        signals.progress = Some(IndexProgress { done: n(done), total: n(total) });
        signals.subscribers.tell(&Event::Indexing { done: n(done), total: n(total) });
    }

    /// Every file has been seen once.
    pub fn indexed(&self) {
        let mut signals = lock(&self.signals);
        if !signals.indexed {
            signals.indexed = true;
            let total = signals.progress.map_or(0, |progress| progress.total);
            signals.subscribers.tell(&Event::Indexing { done: total, total });
        }
        drop(signals);
        self.changed.notify_all();
    }

    /// Asks the window to save the unsaved notes that `wanted` picks, and waits a little for it. Says whether there are any.
    pub fn flush(&self, wanted: impl Fn(&RelPath) -> bool) -> bool {
        let mut signals = lock(&self.signals);
        let paths: Vec<RelPath> = signals.editing.iter().filter(|path| wanted(path)).cloned().collect();
        if paths.is_empty() {
            return false;
        }
        for path in &paths {
            signals.subscribers.tell(&Event::FlushWanted { path: path.as_str().to_owned() });
        }
        let waiting = |signals: &mut Signals| paths.iter().any(|path| signals.editing.contains(path));
        drop(self.changed.wait_timeout_while(signals, FLUSH_PATIENCE, waiting));
        true
    }

    fn wait_decided(&self, id: OpId, timeout: Duration) {
        let end = Instant::now() + timeout;
        let mut signals = lock(&self.signals);
        loop {
            let state = self.ledger.read().unwrap_or_else(PoisonError::into_inner).get(id).map(|op| op.state);
            let left = end.saturating_duration_since(Instant::now());
            if !matches!(state, Some(OpState::Proposed | OpState::Begun)) || left.is_zero() {
                return;
            }
            signals = self.changed.wait_timeout(signals, left).unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}

/// Rebuilds the ledger from the journal.
pub(crate) fn replay(vault: &Vault) -> Result<Ledger, vault::JournalError> {
    let mut ledger = Ledger::default();
    let at = |ms: u64| i64::try_from(ms).unwrap_or_else(|_| now_ms_signed());
    for entry in vault.entries()? {
        match entry {
            Entry::Recorded { op, at_ms, body } => {
                if let Ok(record) = serde_json::from_value::<OpRecord>(body) {
                    ledger.record(op, at(at_ms), record);
                }
            }
            Entry::Begun { op, label, .. } if label.is_null() => ledger.taking_back(op),
            Entry::Begun { op, at_ms, steps, label, folded } => {
                if let Ok(label) = serde_json::from_value::<CommitLabel>(label) {
                    let files = changed_files(&steps, &label);
                    ledger.begun(op, at(at_ms), label, files);
                    if folded {
                        ledger.folded(op);
                    }
                }
            }
            Entry::Version { op, at_ms, path, before, after } => {
                ledger.record(op, at(at_ms), OpRecord::Outside { path, before: before.hash(), after: after.hash() })
            }
            Entry::Done { op, .. } => ledger.done(op),
            Entry::Undone { op, .. } => ledger.failed(op),
            Entry::Interrupted { op, .. } => ledger.interrupted(op),
            Entry::Released { op, .. } => ledger.failed(op),
            Entry::Kept { at_ms, kept } => ledger.kept(at_ms, kept),
        }
    }
    Ok(ledger)
}

fn health_of(vault: &Vault) -> Vec<HealthNotice> {
    vault.health().iter().map(health_notice).collect()
}

pub(crate) fn health_notice(notice: &vault::HealthNotice) -> HealthNotice {
    HealthNotice { message: notice.to_string(), hint: String::new() }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
