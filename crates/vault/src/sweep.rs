//! Removes the texts that nothing names any more, one shelf at a time.
//!
//! What is named was marked before the sweep began. A text that was stored, or named again, since then is not touched,
//! and neither is one that is hardly older than the sweep.

use std::collections::HashSet;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use note::ContentHash;

use crate::blobs::{Blobs, PACKS, RECENT};
use crate::disk::{Kind, Listed};
use crate::packing::Packing;
use crate::recent::RecentFile;
use crate::retain::Sizes;

/// A text must be older than this when the sweep begins: clocks and file systems do not agree to the second.
const GRACE_MS: u64 = 60 * 60 * 1000;

/// What a sweep spares.
pub(crate) struct Wanted {
    /// The texts that are needed.
    pub(crate) named: HashSet<ContentHash>,
    /// Those that the journal named until now. Others were never named by what can be read today: they may belong to a
    /// journal that was lost, or to a note that somebody only looked at.
    pub(crate) given_up: HashSet<ContentHash>,
    /// How long others are spared.
    pub(crate) others_ms: u64,
    pub(crate) began_ms: u64,
}

impl Wanted {
    /// Says whether a text stays that was stored at a time, or is asked for since the sweep began.
    pub(crate) fn needs(&self, blobs: &Blobs, hash: &ContentHash, made_ms: u64) -> bool {
        self.spares(hash, made_ms) || blobs.was_touched(hash)
    }

    fn spares(&self, hash: &ContentHash, made_ms: u64) -> bool {
        let grace_ms = if self.given_up.contains(hash) { GRACE_MS } else { self.others_ms.max(GRACE_MS) };
        self.named.contains(hash) || made_ms.saturating_add(grace_ms) > self.began_ms
    }
}

/// One sweep on its way.
pub(crate) struct Sweep {
    wanted: Wanted,
    shelves: Vec<PathBuf>,
    sizes: Sizes,
    packing: Packing,
    /// The files of recent texts that are to be moved, once every shelf is swept.
    recent: Option<Vec<(Arc<str>, RecentFile)>>,
    /// The packs are swept.
    is_swept: bool,
}

impl Sweep {
    /// Begins a sweep that spares what is wanted, and from now on whatever is stored or asked for.
    pub(crate) fn begin(wanted: Wanted, order: Vec<ContentHash>, blobs: &Blobs) -> io::Result<Sweep> {
        blobs.forget_touched();
        let listed = blobs.disk().list(blobs.dir())?;
        let is_shelf = |entry: &Listed| entry.kind == Kind::Folder && entry.name != PACKS && entry.name != RECENT;
        let folders = listed.into_iter().filter(is_shelf);
        let mut shelves: Vec<PathBuf> = folders.map(|entry| blobs.dir().join(entry.name)).collect();
        shelves.sort_unstable();
        let packing = Packing::begin(order, wanted.began_ms);
        Ok(Sweep { wanted, shelves, sizes: Sizes::new(), packing, recent: None, is_swept: false })
    }

    /// Sweeps the next shelf, then moves recent texts, sweeps the packs and packs what is old; returns what every text takes once all is done.
    pub(crate) fn step(&mut self, blobs: &Blobs) -> Option<Sizes> {
        if let Some(shelf) = self.shelves.pop() {
            // What cannot be listed or removed today is swept another day.
            let _ = self.sweep_shelf(&shelf, blobs);
            return None;
        }
        let (packing, wanted) = (&self.packing, &self.wanted);
        if let Some(file) = self.recent.get_or_insert_with(|| packing.recent_to_move(blobs, wanted)).pop() {
            // What cannot be moved today is moved another day.
            let _ = self.packing.move_recent(blobs, &self.wanted, &file);
            return None;
        }
        if !self.is_swept {
            self.is_swept = true;
            self.sizes.extend(blobs.recent().sizes());
            self.sizes.extend(self.packing.sweep_packs(blobs, &self.wanted));
            return None;
        }
        (!self.packing.step(blobs)).then(|| std::mem::take(&mut self.sizes))
    }

    fn sweep_shelf(&mut self, dir: &Path, blobs: &Blobs) -> io::Result<()> {
        let disk = blobs.disk();
        let mut n_left = 0;
        for entry in disk.list(dir)? {
            n_left += 1;
            let path = dir.join(&entry.name);
            let Some(entry_name) = entry.name.to_str().filter(|_| entry.kind == Kind::File) else { continue };
            let unfinished = entry_name.strip_prefix('.').and_then(|name| name.strip_suffix(".tmp"));
            // What is not named like ours is not ours.
            let Ok(hash) = unfinished.unwrap_or(entry_name).parse::<ContentHash>() else { continue };
            let meta = disk.stat(&path)?;
            let made_ms = u64::try_from(meta.mtime_ns / 1_000_000).unwrap_or(0);
            let is_spared = match unfinished {
                Some(_) => made_ms.saturating_add(GRACE_MS) > self.wanted.began_ms,
                None => self.wanted.spares(&hash, made_ms),
            };
            if is_spared || blobs.was_touched(&hash) {
                if unfinished.is_none() {
                    self.sizes.insert(hash, meta.len);
                    if self.wanted.named.contains(&hash) {
                        self.packing.found(hash, meta.len, made_ms);
                    }
                }
                continue;
            }
            disk.remove(&path)?;
            n_left -= 1;
        }
        if n_left == 0 { disk.remove_dir(dir) } else { Ok(()) }
    }
}
