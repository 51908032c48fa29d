//! Puts old texts together, after a sweep has left only those that are needed.

use std::collections::{HashMap, HashSet};
use std::io;
use std::sync::Arc;

use note::ContentHash;

use crate::blobs::Blobs;
use crate::packs::{MOST_BYTES, MOST_TEXTS, Pack};
use crate::recent::{RecentFile, RecentText};
use crate::retain::Sizes;
use crate::sweep::Wanted;

/// Texts that were stored more lately than this stay single: they are likely to be wanted, or given up.
const COLD_MS: u64 = 24 * 60 * 60 * 1000;

/// Fewer texts than this are not worth a pack.
const WORTH_TEXTS: usize = 64;

/// A larger text gains nothing by company.
const LARGE_BYTES: u64 = 256 * 1024;

/// What a sweep found out about the single files and is needed to pack them.
#[derive(Default)]
pub(crate) struct Packing {
    /// The texts that are needed, those of one note beside each other, oldest first.
    order: Vec<ContentHash>,
    /// Those that stand alone and are old.
    cold: HashSet<ContentHash>,
    now_ms: u64,
}

impl Packing {
    pub(crate) fn begin(order: Vec<ContentHash>, now_ms: u64) -> Packing {
        Packing { order, cold: HashSet::new(), now_ms }
    }

    /// Takes in that a text stands alone.
    pub(crate) fn found(&mut self, hash: ContentHash, len: u64, made_ms: u64) {
        if len <= LARGE_BYTES && made_ms.saturating_add(COLD_MS) <= self.now_ms {
            self.cold.insert(hash);
        }
    }

    /// Says which files of recent texts are to be moved: those that make a pack, are old, or hold something that is not
    /// needed. The one that grows is closed if it is such a one.
    pub(crate) fn recent_to_move(&self, blobs: &Blobs, wanted: &Wanted) -> Vec<(Arc<str>, RecentFile)> {
        let old_ms = self.now_ms.saturating_sub(COLD_MS);
        let is_superfluous = |text: &RecentText| !wanted.needs(blobs, &text.hash, text.made_ms);
        blobs.recent().close(old_ms, is_superfluous);
        let mut closed = blobs.recent().closed();
        closed.retain(|(_, file)| {
            file.texts.len() >= WORTH_TEXTS
                || file.texts.iter().all(|text| text.made_ms <= old_ms)
                || file.texts.iter().any(is_superfluous)
        });
        closed
    }

    /// Moves what is needed of a file of recent texts to where it stays, then removes the file; one of which something
    /// needed is whole nowhere stays.
    pub(crate) fn move_recent(
        &mut self,
        blobs: &Blobs,
        wanted: &Wanted,
        (name, file): &(Arc<str>, RecentFile),
    ) -> io::Result<()> {
        let is_needed = |text: &&RecentText| wanted.needs(blobs, &text.hash, text.made_ms);
        let needed = file.texts.iter().filter(is_needed).map(|text| text.hash);
        let mut left: Vec<ContentHash> =
            needed.filter(|hash| !matches!(blobs.packs().get(hash), Ok(Some(_)))).collect();
        // Texts that are much alike stand together.
        let place: HashMap<&ContentHash, usize> = self.order.iter().enumerate().map(|(at, hash)| (hash, at)).collect();
        left.sort_by_key(|hash| (place.get(hash).copied().unwrap_or(usize::MAX), *hash));
        left.dedup();
        let (mut texts, mut n_bytes) = (Vec::new(), 0);
        for hash in &left {
            let text = blobs.get(hash)?.ok_or(io::ErrorKind::InvalidData)?;
            n_bytes += text.len();
            texts.push((*hash, text));
            if texts.len() == MOST_TEXTS || n_bytes >= MOST_BYTES {
                self.move_texts(blobs, &std::mem::take(&mut texts))?;
                n_bytes = 0;
            }
        }
        self.move_texts(blobs, &texts)?;
        blobs.recent().remove(name)
    }

    /// Puts texts into a pack, or into files of their own if they are few.
    fn move_texts(&mut self, blobs: &Blobs, texts: &[(ContentHash, Vec<u8>)]) -> io::Result<()> {
        if texts.len() >= WORTH_TEXTS {
            return blobs.packs().write(texts, self.now_ms);
        }
        let single: Vec<(ContentHash, &[u8])> = texts.iter().map(|(hash, text)| (*hash, text.as_slice())).collect();
        blobs.put_single(&single)?;
        self.cold.extend(single.iter().map(|(hash, _)| hash));
        Ok(())
    }

    /// Removes the packs of which nothing is needed, and takes apart those of which little is; returns what the texts of
    /// the others take.
    pub(crate) fn sweep_packs(&mut self, blobs: &Blobs, wanted: &Wanted) -> Sizes {
        let mut sizes = Sizes::new();
        let mut takes_apart = true;
        for (name, pack) in blobs.packs().all() {
            let is_needed = |hash: &ContentHash| wanted.needs(blobs, hash, pack.made_ms);
            let is_young = pack.made_ms.saturating_add(COLD_MS) > self.now_ms;
            let n_all: u64 = pack.texts.iter().map(|(_, len)| len).sum();
            let n_needed: u64 = pack.texts.iter().filter(|(hash, _)| is_needed(hash)).map(|(_, len)| len).sum();
            let has_any = pack.texts.iter().any(|(hash, _)| is_needed(hash));
            if !is_young && !has_any {
                // What cannot be removed today goes another day.
                let _ = blobs.packs().remove(&name);
                continue;
            }
            // One in each sweep: somebody may wait.
            if !is_young
                && n_needed < n_all / 2
                && std::mem::take(&mut takes_apart)
                && self.take_apart(blobs, &name, &pack, &is_needed).is_ok()
            {
                continue;
            }
            for (hash, len) in &pack.texts {
                sizes.insert(*hash, pack.len.saturating_mul(*len) / n_all.max(1));
            }
        }
        sizes
    }

    /// Stores elsewhere what is needed of a pack, then removes it.
    fn take_apart(
        &mut self,
        blobs: &Blobs,
        name: &str,
        pack: &Pack,
        is_needed: &dyn Fn(&ContentHash) -> bool,
    ) -> io::Result<()> {
        let mut texts = Vec::new();
        for (hash, _) in pack.texts.iter().filter(|(hash, _)| is_needed(hash)) {
            // One that is not whole in the pack cannot be lost by removing it.
            texts.extend(blobs.packs().get(hash)?.map(|text| (*hash, text)));
        }
        self.move_texts(blobs, &texts)?;
        blobs.packs().remove(name)
    }

    /// Puts the old texts in the order in which they are packed.
    fn line_up(&mut self) {
        let mut order = std::mem::take(&mut self.order);
        order.retain(|hash| self.cold.remove(hash));
        let mut rest: Vec<ContentHash> = std::mem::take(&mut self.cold).into_iter().collect();
        rest.sort_unstable();
        order.extend(rest);
        self.order = order;
    }

    /// Packs some of the old texts; says whether there are more.
    pub(crate) fn step(&mut self, blobs: &Blobs) -> bool {
        if !self.cold.is_empty() {
            self.line_up();
        }
        let mut texts = Vec::new();
        let mut n_bytes = 0;
        let mut rest = std::mem::take(&mut self.order).into_iter();
        for hash in rest.by_ref() {
            if matches!(blobs.packs().get(&hash), Ok(Some(_))) {
                // A crash left it in both places.
                blobs.singles().remove(&hash);
                continue;
            }
            // What cannot be read, or is not whole, is left as it is.
            let Ok(Some(text)) = blobs.singles().get(&hash) else { continue };
            n_bytes += text.len();
            texts.push((hash, text));
            if texts.len() == MOST_TEXTS || n_bytes >= MOST_BYTES {
                break;
            }
        }
        self.order = rest.collect();
        let packed = texts.len() >= WORTH_TEXTS && blobs.pack(&texts, self.now_ms).is_ok();
        packed && self.order.len() >= WORTH_TEXTS
    }
}
