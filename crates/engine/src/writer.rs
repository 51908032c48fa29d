//! The one thread that changes anything: it owns the vault and the index and works through a closed list of messages.

use crate::allowance::Allowance;
use crate::engine::Shared;
use crate::ledger::Ledger;
use crate::stillness::{Mark, Stillness};
use crate::{AmendError, DecideError, Decision, HealthNotice, Intent, Origin, PlanError};
use crate::{PlanDigest, ProposeError, Proposed, Request, SaveError, Saved, View};
use index::{Index, IndexView};
use note::{ContentHash, NoteText, RelPath};
use std::collections::{BTreeSet, VecDeque};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, TryRecvError};
use std::sync::{Arc, RwLockWriteGuard};
use std::time::Duration;
use vault::{Kept, OpId, Vault, Watched};

/// How long the thread sleeps when there is nothing to do, before it looks after what was displaced.
const TICK: Duration = Duration::from_secs(2);

/// Files read between two looks at the messages while the index is being built. Each batch makes files of its own in the
/// index, which takes longer than what is in them if they are few.
const BATCH: usize = 512;

/// Where an answer goes.
pub(crate) type Reply<T> = SyncSender<T>;

/// Everything that can be asked of the writer.
pub(crate) enum Msg {
    Save {
        path: RelPath,
        base: ContentHash,
        text: String,
        reply: Reply<Result<Saved, SaveError>>,
    },
    /// A person's wish, carried out at once.
    Carry {
        intent: Intent,
        /// What the person was shown of it, if anything.
        seen: Option<PlanDigest>,
        reply: Reply<Result<OpId, DecideError>>,
    },
    /// A file that a person puts beside a note.
    AddFile {
        note: RelPath,
        name: String,
        bytes: Vec<u8>,
        reply: Reply<Result<OpId, DecideError>>,
    },
    Propose {
        client: String,
        allowance: Allowance,
        intent: Intent,
        request: Request,
        dry_run: bool,
        reply: Reply<Result<Proposed, ProposeError>>,
    },
    Decide {
        id: OpId,
        decision: Decision,
        reply: Reply<Result<OpId, DecideError>>,
    },
    Amend {
        id: OpId,
        new_heading: String,
        reply: Reply<Result<OpId, AmendError>>,
    },
    Withdraw {
        id: OpId,
        client: String,
        reply: Reply<Result<OpId, DecideError>>,
    },
    /// A person decides about an operation that was interrupted.
    MakeFolder {
        path: RelPath,
        reply: Reply<Result<(), DecideError>>,
    },
    DismissMoves {
        reply: Reply<()>,
    },
    RemoveFolder {
        path: RelPath,
        reply: Reply<Result<bool, DecideError>>,
    },
    Settle {
        id: OpId,
        finish: bool,
        reply: Reply<Result<OpId, DecideError>>,
    },
    /// A person looks at this text; it must not be lost to what another program writes next.
    Keep {
        text: NoteText,
    },
    /// Answers once everything that changed on disk until now is known.
    CatchUp {
        reply: Reply<()>,
    },
    /// Looks at the whole disk, though nothing was heard of it.
    LookAgain,
    Watched(Watched),
    Close {
        reply: Reply<()>,
    },
}

pub(crate) struct Writer {
    pub(crate) vault: Vault,
    /// Absent only while it cannot be opened; everything but search and links goes on without it.
    pub(crate) index: Option<Index>,
    pub(crate) index_folder: PathBuf,
    /// What is there and could not be read, by path.
    pub(crate) unread: BTreeSet<String>,
    /// Everything must be looked at again, because the index was lost or a request ended in a panic.
    pub(crate) rescan: bool,
    pub(crate) shared: Arc<Shared>,
    /// Files that a scan found to differ and that have not been read yet.
    pub(crate) queue: VecDeque<RelPath>,
    pub(crate) queue_total: usize,
    /// The look that found what is in the queue, unless some of it could not be read.
    pub(crate) look: Option<Mark>,
    /// Notes that went away a moment ago and may come back elsewhere.
    pub(crate) gone: Vec<crate::outside_moves::Gone>,
    /// Notes that another program moved, from and to, as long as links name their old paths.
    pub(crate) outside_moves: Vec<(RelPath, RelPath)>,
    /// Whether every file has been seen once since the vault was opened.
    pub(crate) complete: bool,
    /// What the vault had to say of its health when it was last asked.
    pub(crate) told_health: Vec<vault::HealthNotice>,
    // Declared after the index, which may lie in it.
    pub(crate) _scratch: Option<vault::Scratch>,
}

impl Writer {
    /// Works until it is told to close or every sender is gone.
    pub fn run(mut self, messages: Receiver<Msg>) {
        self.guarded(Writer::read_settings);
        self.rescan = true;
        loop {
            if std::mem::take(&mut self.rescan) {
                self.guarded(Writer::scan);
            }
            let message = if self.queue.is_empty() {
                match messages.recv_timeout(TICK) {
                    Ok(message) => Some(message),
                    Err(RecvTimeoutError::Timeout) => None,
                    Err(RecvTimeoutError::Disconnected) => break,
                }
            } else {
                match messages.try_recv() {
                    Ok(message) => Some(message),
                    Err(TryRecvError::Empty) => {
                        self.guarded(Writer::index_batch);
                        continue;
                    }
                    Err(TryRecvError::Disconnected) => break,
                }
            };
            match message {
                None => drop(self.guarded(Writer::tick)),
                Some(Msg::Close { reply }) => {
                    self.guarded(Writer::close);
                    // The locks of vault and index go with the writer; whoever waits may open the vault again at once.
                    drop(self);
                    answer(reply, ());
                    return;
                }
                Some(message) => self.rescan |= !self.guarded(|writer| writer.handle(message)),
            }
        }
        self.guarded(Writer::close);
    }

    /// Does a piece of work; says whether it came to its end.
    ///
    /// A panic must not end the thread that everything waits for. What it left behind is found by looking at the disk
    /// again, and whoever asked sees the answer channel close.
    fn guarded(&mut self, work: impl FnOnce(&mut Writer)) -> bool {
        let done = catch_unwind(AssertUnwindSafe(|| work(self))).is_ok();
        if !done {
            self.shared.stillness(Stillness::forget);
            self.shared.notice(HealthNotice {
                message: "an operation ended in a fault of the program".to_owned(),
                hint: "the vault was looked at again and is whole; please report what you did".to_owned(),
            });
        }
        done
    }

    fn handle(&mut self, message: Msg) {
        match message {
            Msg::Save { path, base, text, reply } => {
                let (saved, landed) = match self.save(path, base, text) {
                    Ok((saved, landed)) => (Ok(saved), landed),
                    Err(error) => (Err(error), None),
                };
                answer(reply, saved);
                // Whatever is asked of this thread later still finds the index told.
                if let Some(landed) = landed {
                    self.let_in(landed);
                }
            }
            Msg::Carry { intent, seen, reply } => answer(reply, self.carry(intent, seen)),
            Msg::AddFile { note, name, bytes, reply } => answer(reply, self.add_file(note, name, &bytes)),
            Msg::Propose { client, allowance, intent, request, dry_run, reply } => {
                self.catch_up();
                answer(reply, self.propose(client, allowance, intent, request, dry_run));
            }
            Msg::Decide { id, decision, reply } => {
                self.catch_up();
                answer(reply, self.decide(id, decision));
            }
            Msg::Amend { id, new_heading, reply } => {
                self.catch_up();
                answer(reply, self.amend(id, &new_heading));
            }
            Msg::Withdraw { id, client, reply } => answer(reply, self.withdraw(id, &client)),
            Msg::DismissMoves { reply } => {
                self.dismiss_moves();
                answer(reply, ());
            }
            Msg::MakeFolder { path, reply } => answer(reply, self.make_folder(&path)),
            Msg::RemoveFolder { path, reply } => answer(reply, self.remove_folder(&path)),
            Msg::Settle { id, finish, reply } => answer(reply, self.settle(id, finish)),
            // Why nothing can be kept was told when the vault was opened.
            Msg::Keep { .. } if self.vault.closed().is_some() => {}
            Msg::Keep { text } => {
                if let Err(error) = self.vault.keep(text.bytes()) {
                    self.shared.notice(HealthNotice {
                        message: format!("the text of an opened note could not be kept: {error}"),
                        hint: "free some space on the disk that holds the app's data".to_owned(),
                    });
                }
            }
            Msg::CatchUp { reply } => {
                self.catch_up();
                answer(reply, ());
            }
            Msg::LookAgain => self.scan(),
            Msg::Watched(Watched::Paths(paths)) => self.reconcile(paths, Origin::Outside),
            Msg::Watched(Watched::Rescan) => {
                self.read_settings();
                self.shared.look_changed();
                self.scan();
            }
            Msg::Watched(Watched::Settings) => {
                self.read_settings();
                self.shared.look_changed();
            }
            Msg::Close { .. } => unreachable!("handled by the loop"),
        }
    }

    fn tick(&mut self) {
        let now = now_ms();
        let kept = self.vault.tick(now);
        self.take_kept(kept);
        if self.index.as_mut().is_none_or(|index| index.flush().is_err()) {
            self.rebuild_index();
        }
        self.keep_house(now);
        self.tell_health();
    }

    /// Takes in texts of other programs that were saved from being lost. The journal has them already.
    pub(crate) fn take_kept(&mut self, kept: Vec<Kept>) {
        let reader = self.view().reader;
        for kept in kept {
            // What went back into its file is nothing to be told about.
            if reader.read(&kept.path).ok().map(|file| file.hash) != Some(kept.hash) {
                self.shared.notice(HealthNotice {
                    message: format!("another program wrote `{}` while it was being replaced", kept.path),
                    hint: "its text is kept as a version in the note's history".to_owned(),
                });
            }
            self.ledger_mut().kept(now_ms(), kept);
        }
    }

    fn close(&mut self) {
        let _ = self.index.as_mut().map(Index::flush);
    }

    pub(crate) fn announce(&self, id: OpId) {
        let state = self.view().ledger().get(id).map(|op| op.state);
        if let Some(state) = state {
            self.shared.operation_changed(id, state);
        }
    }

    pub(crate) fn view(&self) -> View {
        self.shared.view()
    }

    pub(crate) fn publish(&self, index: IndexView) {
        self.shared.publish(index);
    }

    pub(crate) fn ledger_mut(&self) -> RwLockWriteGuard<'_, Ledger> {
        self.shared.ledger.write().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    fn index_batch(&mut self) {
        let n = self.queue.len().min(BATCH);
        let batch: BTreeSet<RelPath> = self.queue.drain(..n).collect();
        self.reconcile(batch, Origin::Outside);
        self.shared.indexing(self.queue_total - self.queue.len(), self.queue_total);
        if self.queue.is_empty() {
            self.is_complete();
            self.all_is_known();
        }
    }

    /// Takes in that everything that the last look found is in the index.
    pub(crate) fn all_is_known(&mut self) {
        if let Some(look) = self.look.take() {
            self.shared.stillness(|stillness| stillness.known(look));
        }
    }

    /// Takes in that every file has been seen.
    pub(crate) fn is_complete(&mut self) {
        self.complete = true;
        self.shared.indexed();
    }

    /// Reads everything that a look at the whole vault finds changed, so that a plan never rests on old links.
    pub(crate) fn catch_up(&mut self) {
        self.scan();
        while !self.queue.is_empty() {
            self.index_batch();
        }
    }
}

fn answer<T>(reply: Reply<T>, value: T) {
    // Whoever asked may have gone away; what was done is done.
    let _ = reply.send(value);
}

impl From<PlanError> for DecideError {
    fn from(error: PlanError) -> Self {
        DecideError::Blocked(error)
    }
}

pub(crate) fn now_ms() -> u64 {
    u64::try_from(now_ms_signed()).unwrap_or_default()
}

pub(crate) fn now_ms_signed() -> i64 {
    jiff::Timestamp::now().as_millisecond()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Engine, OpenVault};
    use std::sync::mpsc::sync_channel;

    #[test]
    fn a_save_is_answered_once_it_is_kept_and_the_index_is_told_before_anything_else_is_done() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().join("vault");
        std::fs::create_dir(&root).unwrap();
        std::fs::write(root.join("a.md"), "one\n").unwrap();
        let engine = Engine::open(OpenVault {
            root,
            state: dir.path().join("state"),
            name: "v".to_owned(),
            vault_key: "key".to_owned(),
            system_trash: None,
        })
        .unwrap();
        engine.catch_up();
        let path = RelPath::new("a.md").unwrap();
        let (base, after) = (ContentHash::of(b"one\n"), ContentHash::of(b"two\n"));
        let indexed = || engine.view().index.entry(&path).and_then(|entry| entry.hash);
        let kept = || engine.view().ledger().past(&path).last().and_then(|past| past.after) == Some(after);

        // The writer goes on only when its answer is taken.
        let (reply, answer) = sync_channel(0);
        let save = Msg::Save { path: path.clone(), base, text: "two\n".to_owned(), reply };
        let _: Option<()> = engine.ask(|_| save);
        while !kept() {
            std::thread::yield_now();
        }
        assert_eq!(indexed(), Some(base));
        assert_eq!(engine.view().reader.read(&path).unwrap().hash, after);
        let saved = answer.recv().unwrap().unwrap();
        assert_eq!(saved, Saved::Saved { hash: after.to_string(), changed: true });
        engine.catch_up();
        assert_eq!(indexed(), Some(after));
        engine.close();
    }
}
