//! Removes the texts that nothing names any more, one shelf at a time.
//!
//! What is named was marked before the sweep began. A text that was stored, or named again, since then is not touched,
//! and neither is one that is hardly older than the sweep.

use std::collections::HashSet;
use std::io;
use std::path::{Path, PathBuf};

use note::ContentHash;

use crate::blobs::{Blobs, PACKS};
use crate::disk::{Kind, Listed};
use crate::packing::Packing;
use crate::retain::Sizes;

/// A text must be older than this when the sweep begins: clocks and file systems do not agree to the second.
const GRACE_MS: u64 = 60 * 60 * 1000;

/// One sweep on its way.
pub(crate) struct Sweep {
    named: HashSet<ContentHash>,
    began_ms: u64,
    shelves: Vec<PathBuf>,
    sizes: Sizes,
    packing: Packing,
    /// Every shelf is swept.
    is_swept: bool,
}

impl Sweep {
    /// Begins a sweep that spares `named`, and from now on whatever is stored or asked for.
    pub(crate) fn begin(
        named: HashSet<ContentHash>,
        order: Vec<ContentHash>,
        began_ms: u64,
        blobs: &Blobs,
    ) -> io::Result<Sweep> {
        blobs.forget_touched();
        let listed = blobs.disk().list(blobs.dir())?;
        let is_shelf = |entry: &Listed| entry.kind == Kind::Folder && entry.name != PACKS;
        let folders = listed.into_iter().filter(is_shelf);
        let mut shelves: Vec<PathBuf> = folders.map(|entry| blobs.dir().join(entry.name)).collect();
        shelves.sort_unstable();
        let packing = Packing::begin(order, began_ms);
        Ok(Sweep { named, began_ms, shelves, sizes: Sizes::new(), packing, is_swept: false })
    }

    /// Sweeps the next shelf, then the packs, then packs what is old; returns what every text takes once all is done.
    pub(crate) fn step(&mut self, blobs: &Blobs) -> Option<Sizes> {
        if let Some(shelf) = self.shelves.pop() {
            // What cannot be listed or removed today is swept another day.
            let _ = self.sweep_shelf(&shelf, blobs);
            return None;
        }
        if !self.is_swept {
            self.is_swept = true;
            self.sizes.extend(self.packing.sweep_packs(blobs, &self.named));
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
            let is_young = made_ms.saturating_add(GRACE_MS) > self.began_ms;
            let is_named = unfinished.is_none() && self.named.contains(&hash);
            if is_named || is_young || blobs.was_touched(&hash) {
                if unfinished.is_none() {
                    self.sizes.insert(hash, meta.len);
                    self.packing.found(hash, meta.len, made_ms);
                }
                continue;
            }
            disk.remove(&path)?;
            n_left -= 1;
        }
        if n_left == 0 { disk.remove_dir(dir) } else { Ok(()) }
    }
}
