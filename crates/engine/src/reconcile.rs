//! The one way in: whatever changed on disk, ours or not, enters memory here.
//!
//! Events are hints to look again. What a file holds is decided by its hash, never by a clock; the modification time
//! may only spare a read during a scan.

use crate::identity::{self, Taken};
use crate::operation::OpRecord;
use crate::stillness::Stillness;
use crate::writer::Writer;
use crate::{HealthNotice, NoteChange, Origin, View};
use index::{Fact, IgnoreFilters, Index, IndexStat, IndexView};
use note::{ContentHash, Note, NoteId, NoteText, RelPath};
use std::collections::{BTreeSet, HashSet};
use std::panic::{AssertUnwindSafe, catch_unwind};
use vault::{OpId, ReadError, SkipReason, Stat};

/// What a look at one path found.
pub(crate) enum Look {
    Note {
        path: RelPath,
        id: NoteId,
        stat: IndexStat,
        text: NoteText,
        note: Box<Note>,
    },
    Canvas {
        path: RelPath,
        stat: IndexStat,
        text: NoteText,
    },
    Attachment {
        path: RelPath,
        stat: IndexStat,
    },
    Gone {
        path: RelPath,
    },
    /// It is there and cannot be read now: its links are not known.
    Unread {
        path: RelPath,
    },
}

impl Writer {
    /// Looks at each path and tells the index, the history and the doors what is different.
    pub(crate) fn reconcile(&mut self, paths: impl IntoIterator<Item = RelPath>, origin: Origin) {
        let before = self.view().index;
        let mut looks = Vec::new();
        let mut rescan = false;
        let unique: BTreeSet<RelPath> = paths.into_iter().filter(|path| !path.is_hidden()).collect();
        let twins = twins(&unique);
        for path in unique {
            let may_be_a_twin = twins.contains(&path.fold()) || before.lookup_folded(&path.fold()).len() > 1;
            match self.look(&path, &before, may_be_a_twin) {
                Ok(Some(Look::Unread { path })) => {
                    self.unread.insert(path.as_str().to_owned());
                    // It may become readable without a sign.
                    self.look = None;
                }
                Ok(look) => {
                    self.unread.remove(path.as_str());
                    looks.extend(look);
                }
                Err(NeedsScan) => rescan = true,
            }
        }
        self.shared.tell_unread(&self.unread);
        if !looks.is_empty() {
            self.take_in(looks, &before, origin);
        }
        if rescan {
            self.scan();
        }
    }

    /// Compares the whole vault with the catalog by size and time, and queues what differs.
    pub(crate) fn scan(&mut self) {
        let View { reader, index, .. } = self.view();
        let look = self.shared.stillness(|stillness| stillness.begin(&index.folders()));
        let scan = match reader.scan() {
            Ok(scan) => scan,
            Err(error) => {
                self.shared.notice(HealthNotice {
                    message: format!("the vault cannot be listed: {error}"),
                    hint: "check that the folder is there and readable".to_owned(),
                });
                self.look = None;
                return;
            }
        };
        self.shared.stillness(|stillness| stillness.found(&scan.folders, look));
        self.look = Some(look);
        self.unread = scan
            .skipped
            .iter()
            .filter(|skipped| hides_links(&skipped.reason))
            .map(|skipped| skipped.path.clone())
            .collect();
        self.shared.tell_unread(&self.unread);
        self.note_folders(&scan.folders);
        let view = self.view().index;
        let queued: BTreeSet<RelPath> = self.queue.drain(..).collect();
        let mut differing: BTreeSet<RelPath> = BTreeSet::new();
        let mut n_known = 0;
        for found in &scan.files {
            let entry = view.entry(&found.path);
            n_known += usize::from(entry.is_some());
            let is_same = entry.is_some_and(|entry| entry.stat == index_stat(&found.stat));
            if !is_same || queued.contains(&found.path) {
                differing.insert(found.path.clone());
            }
        }
        // Every proposal and every decision looks at the whole vault, and mostly nothing is gone.
        if n_known < view.n_files() {
            let there: HashSet<&RelPath> = scan.files.iter().map(|found| &found.path).collect();
            differing.extend(view.files().map(|entry| entry.path.clone()).filter(|path| !there.contains(path)));
        }
        self.queue_total = differing.len();
        self.queue = differing.into_iter().collect();
        if self.queue.is_empty() {
            if !self.complete {
                self.is_complete();
            }
            self.all_is_known();
        }
    }

    /// Folders without files are part of the tree too.
    fn note_folders(&mut self, there: &[RelPath]) {
        let index = self.view().index;
        let there: BTreeSet<&RelPath> = there.iter().collect();
        let new = there
            .iter()
            .filter(|path| !index.has_folder(path.as_str()))
            .map(|path| Fact::Folder { path: RelPath::clone(path) });
        let gone = index.folders().into_iter().filter(|path| !there.contains(path)).map(|path| Fact::Gone { path });
        let facts: Vec<Fact<'_>> = new.chain(gone).collect();
        if !facts.is_empty() {
            self.tell_index(&facts);
        }
    }

    /// Tells the index, and builds it anew if it cannot take it: its folder may be deleted at any time, and nothing that
    /// a person or an agent does may depend on it.
    pub(crate) fn tell_index(&mut self, facts: &[Fact<'_>]) {
        let told = catch_unwind(AssertUnwindSafe(|| self.index.as_mut().map(|index| index.apply(facts))));
        match told {
            Ok(Some(Ok(view))) => self.publish(view),
            Ok(None) => {}
            Ok(Some(Err(_))) | Err(_) => self.rebuild_index(),
        }
    }

    /// Opens the index again, from whatever is left of it; everything is told to it anew.
    pub(crate) fn rebuild_index(&mut self) {
        self.look = None;
        self.shared.stillness(Stillness::forget);
        // Whatever state it is in, it goes before its folder is opened again.
        let broken = self.index.take();
        let _ = catch_unwind(AssertUnwindSafe(|| drop(broken)));
        match Index::open(&self.index_folder) {
            Ok((index, view)) => {
                self.index = Some(index);
                self.publish(view);
                self.read_settings();
                self.rescan = true;
            }
            Err(error) => self.shared.notice(HealthNotice {
                message: error.to_string(),
                hint: "search and links may be stale until the vault is opened again".to_owned(),
            }),
        }
    }

    /// Takes the vault's excluded files from Obsidian's settings, which another program may change at any time.
    pub(crate) fn read_settings(&mut self) {
        let config = self.view().reader.read_config("app.json");
        let settings: serde_json::Value =
            config.and_then(|bytes| serde_json::from_slice(&bytes).ok()).unwrap_or_default();
        let excluded = settings.get("userIgnoreFilters").and_then(serde_json::Value::as_array);
        let excluded: Vec<&str> = excluded.into_iter().flatten().filter_map(serde_json::Value::as_str).collect();
        if let Some(view) = self.index.as_mut().map(|index| index.ignore(IgnoreFilters::new(&excluded))) {
            self.publish(view);
        }
    }

    fn look(&self, path: &RelPath, index: &IndexView, may_be_a_twin: bool) -> Result<Option<Look>, NeedsScan> {
        let view = self.view();
        let known = index.entry(path);
        if may_be_a_twin && view.reader.exists(path) && !view.reader.is_spelled_so(path) {
            // Names have no case here, and the file of this one is spelled in another way by now.
            return Ok(known.map(|_| Look::Gone { path: path.clone() }));
        }
        let canvas = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("canvas"));
        if !path.is_note() && !canvas {
            return match view.reader.stat(path) {
                Ok(stat) if known.is_some_and(|entry| entry.stat == index_stat(&stat)) => Ok(None),
                Ok(stat) => Ok(Some(Look::Attachment { path: path.clone(), stat: index_stat(&stat) })),
                Err(ReadError::NotAFile { .. }) => Err(NeedsScan),
                Err(_) if known.is_some() => Ok(Some(Look::Gone { path: path.clone() })),
                // A folder that went away is reported as one path.
                Err(_) if index.has_folder(path.as_str()) => Err(NeedsScan),
                Err(_) => Ok(None),
            };
        }
        let file = match view.reader.read(path) {
            Ok(file) => file,
            Err(ReadError::Missing { .. }) if known.is_none() => return Ok(None),
            Err(ReadError::NotAFile { .. }) => return Err(NeedsScan),
            Err(ReadError::Outside { .. }) if known.is_none() => return Ok(None),
            Err(ReadError::Missing { .. } | ReadError::Outside { .. }) => {
                return Ok(Some(Look::Gone { path: path.clone() }));
            }
            // What cannot be read right now is not gone; the next event or scan looks again.
            Err(_) => return Ok(Some(Look::Unread { path: path.clone() })),
        };
        let stat = index_stat(&file.stat);
        if known.is_some_and(|entry| entry.hash == Some(file.hash) && entry.stat == stat) {
            return Ok(None);
        }
        let text = crate::plan::any_text(file.bytes);
        if canvas {
            return Ok(Some(Look::Canvas { path: path.clone(), stat, text }));
        }
        let note = note::parse(&text);
        // Which id it goes by depends on what else is found.
        let id = NoteId(ulid::Ulid::nil());
        Ok(Some(Look::Note { path: path.clone(), id, stat, text, note: Box::new(note) }))
    }

    fn take_in(&mut self, mut looks: Vec<Look>, before: &IndexView, origin: Origin) {
        let moves = if origin == Origin::Outside { self.follow_moves(&mut looks, before) } else { Vec::new() };
        self.name(&mut looks, &moves);
        let facts: Vec<Fact<'_>> = looks.iter().filter_map(fact).collect();
        self.tell_index(&facts);
        self.moved_outside(moves);
        let mut changed = Vec::new();
        for look in &looks {
            let path = look.path();
            let was = before.entry(path).and_then(|entry| entry.hash);
            let is = look.hash();
            let known = before.entry(path).is_some();
            // After a crash our own finished change is met here for the first time; the journal has it already.
            let ours = is.is_some() && self.last_written(path) == is;
            if origin == Origin::Outside && was != is && !ours && (known || self.complete) {
                self.keep_outside(path, was, look);
            }
            if was != is || !known || matches!(look, Look::Gone { .. }) {
                let text = |hash: Option<ContentHash>| hash.map(|hash| hash.to_string());
                changed.push(NoteChange { path: path.as_str().to_owned(), before: text(was), after: text(is), origin });
            }
        }
        if self.complete && !changed.is_empty() {
            self.shared.notes_changed(changed);
        }
    }

    fn last_written(&self, path: &RelPath) -> Option<ContentHash> {
        self.view().ledger().past(path).last().and_then(|past| past.after)
    }

    /// Another program's text becomes a version, so that it can be had back whatever comes later.
    fn keep_outside(&mut self, path: &RelPath, was: Option<ContentHash>, look: &Look) {
        if self.vault.closed().is_some() {
            return;
        }
        let is = match look {
            Look::Note { text, .. } | Look::Canvas { text, .. } => match self.vault.keep(text.bytes()) {
                Ok(hash) => Some(hash),
                Err(error) => {
                    self.shared.notice(HealthNotice {
                        message: format!("a version of `{path}` could not be kept: {error}"),
                        hint: "free some space on the disk that holds the app's data".to_owned(),
                    });
                    return;
                }
            },
            Look::Attachment { .. } | Look::Unread { .. } => return,
            Look::Gone { .. } => None,
        };
        self.record(OpId::generate(), OpRecord::Outside { path: path.clone(), before: was, after: is });
    }

    /// Gives an id that no other note goes by to every note that did not bring its own along.
    fn name(&self, looks: &mut [Look], moves: &[(RelPath, RelPath)]) {
        let arrived: BTreeSet<&RelPath> = moves.iter().map(|(_, to)| to).collect();
        let mut taken = Taken::default();
        for look in looks.iter() {
            match look {
                Look::Gone { path } => drop(taken.gone.insert(path.clone())),
                Look::Note { path, id, .. } if arrived.contains(path) => drop(taken.ids.insert(*id)),
                _ => {}
            }
        }
        let view = self.view();
        for look in looks {
            if let Look::Note { path, id, note, .. } = look
                && !arrived.contains(path)
            {
                *id = identity::id_of(&view, path, Some(note), &taken);
                taken.ids.insert(*id);
            }
        }
    }
}

/// Whether something that a scan leaves out may hold links that nobody can see.
fn hides_links(reason: &SkipReason) -> bool {
    match reason {
        SkipReason::Name | SkipReason::NotDownloaded | SkipReason::Unreadable { .. } => true,
        SkipReason::Outside | SkipReason::LinkedFolder | SkipReason::BrokenLink | SkipReason::NotAFile => false,
    }
}

/// The folded paths that several of these have.
fn twins(paths: &BTreeSet<RelPath>) -> BTreeSet<String> {
    let mut seen = BTreeSet::new();
    paths.iter().map(RelPath::fold).filter(|fold| !seen.insert(fold.clone())).collect()
}

/// A path turned out to be a folder, or to have been one.
struct NeedsScan;

impl Look {
    fn path(&self) -> &RelPath {
        match self {
            Look::Note { path, .. }
            | Look::Canvas { path, .. }
            | Look::Attachment { path, .. }
            | Look::Gone { path }
            | Look::Unread { path } => path,
        }
    }

    pub fn hash(&self) -> Option<ContentHash> {
        match self {
            Look::Note { text, .. } | Look::Canvas { text, .. } => Some(text.hash()),
            Look::Attachment { .. } | Look::Gone { .. } | Look::Unread { .. } => None,
        }
    }
}

fn fact(look: &Look) -> Option<Fact<'_>> {
    Some(match look {
        Look::Note { path, id, stat, text, note } => {
            Fact::Seen { path: path.clone(), id: *id, stat: *stat, hash: text.hash(), note, text: text.as_str() }
        }
        Look::Canvas { path, stat, text } => Fact::Canvas {
            path: path.clone(),
            stat: *stat,
            hash: text.hash(),
            links: note::canvas::canvas_links(text.as_str()),
            text: note::canvas::canvas_text(text.as_str()),
        },
        Look::Attachment { path, stat } => Fact::Attachment { path: path.clone(), stat: *stat },
        Look::Gone { path } => Fact::Gone { path: path.clone() },
        Look::Unread { .. } => return None,
    })
}

fn index_stat(stat: &Stat) -> IndexStat {
    IndexStat { len: stat.len, mtime_ns: stat.mtime_ns, created_ns: stat.created_ns }
}
