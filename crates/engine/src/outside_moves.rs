//! Notes that another program moved: their links are not touched unasked, but following them is offered.

use crate::operation::OpRecord;
use crate::reconcile::Look;
use crate::writer::{Msg, Writer, now_ms};
use crate::{Engine, Intent, OutsideMove, OutsideMoves};
use index::IndexView;
use note::{ContentHash, NoteId, RelPath};
use std::collections::HashSet;
use vault::OpId;

/// Moves that are remembered; whoever moves more at once is shown the first of them.
const MOST: usize = 1000;

/// How long a note that went away may take to come back elsewhere and still be the same note.
const ON_THE_WAY_MS: u64 = 10_000;

/// A note that is not where it was.
#[derive(Debug, Clone)]
pub(crate) struct Gone {
    path: RelPath,
    hash: ContentHash,
    id: NoteId,
    /// Milliseconds since 1970, UTC.
    at: u64,
}

impl Engine {
    /// Forgets the notes that another program moved: links to their old paths stay.
    pub fn dismiss_outside_moves(&self) {
        let _ = self.ask(|reply| Msg::DismissMoves { reply });
    }
}

impl Writer {
    /// A note that vanished while one of the same bytes appeared was moved: its id goes along. Returns the old and new
    /// paths. The two may be noticed one after the other, in either order.
    pub(crate) fn follow_moves(&mut self, looks: &mut [Look], before: &IndexView) -> Vec<(RelPath, RelPath)> {
        let now = now_ms();
        self.gone.retain(|gone| now.saturating_sub(gone.at) <= ON_THE_WAY_MS);
        let gone = |path: &RelPath| {
            let entry = before.entry(path)?;
            Some(Gone { path: path.clone(), hash: entry.hash?, id: entry.id?, at: now })
        };
        self.gone
            .extend(looks.iter().filter_map(|look| if let Look::Gone { path } = look { gone(path) } else { None }));
        let is_new = |look: &Look| matches!(look, Look::Note { path, .. } if before.entry(path).is_none());
        let new: HashSet<ContentHash> = looks.iter().filter(|look| is_new(look)).filter_map(Look::hash).collect();
        if new.is_empty() {
            return Vec::new();
        }
        let reader = self.view().reader;
        let is_missing = |path: &RelPath| matches!(reader.stat(path), Err(vault::ReadError::Missing { .. }));
        if self.complete {
            let known: HashSet<RelPath> = self.gone.iter().map(|gone| gone.path.clone()).collect();
            let equal = before.files().filter(|entry| entry.hash.is_some_and(|hash| new.contains(&hash)));
            let unseen = equal.filter(|entry| !known.contains(&entry.path) && is_missing(&entry.path));
            self.gone.extend(unseen.filter_map(|entry| gone(&entry.path)));
        }
        let mut records = Vec::new();
        let mut moves = Vec::new();
        for look in looks.iter_mut() {
            let Look::Note { path, id, text, .. } = look else { continue };
            if before.entry(path).is_some() {
                continue;
            }
            let hash = text.hash();
            let same = |gone: &Gone| gone.hash == hash && gone.path != *path && is_missing(&gone.path);
            let named = |gone: &Gone| same(gone) && gone.path.file_name() == path.file_name();
            let Some(at) = self.gone.iter().position(named).or_else(|| self.gone.iter().position(same)) else {
                continue;
            };
            let Gone { path: from, id: known, .. } = self.gone.swap_remove(at);
            *id = known;
            records.push(OpRecord::Identity { path: path.clone(), id: known, from: Some(from.clone()) });
            moves.push((from, path.clone()));
        }
        if !records.is_empty() {
            self.record_all(OpId::generate(), records);
        }
        moves
    }

    /// Remembers moves, once the index knows of them, if any link still names an old path.
    pub(crate) fn moved_outside(&mut self, moves: Vec<(RelPath, RelPath)>) {
        if moves.is_empty() {
            return;
        }
        let mut all = std::mem::take(&mut self.outside_moves);
        for (from, to) in moves {
            match all.iter_mut().find(|(_, known)| *known == from) {
                Some(known) => known.1 = to,
                None => all.push((from, to)),
            }
        }
        let view = self.view();
        // Whoever moved a note back, or put another in its place, has settled it.
        all.retain(|(from, to)| from != to && view.index.entry(from).is_none());
        all.truncate(MOST);
        self.outside_moves = all;
        self.offer_moves();
    }

    /// Forgets moves that an operation took care of.
    pub(crate) fn moves_followed(&mut self, moves: &[(RelPath, RelPath)]) {
        if !moves.is_empty() {
            self.outside_moves.retain(|moved| !moves.contains(moved));
            self.offer_moves();
        }
    }

    pub(crate) fn dismiss_moves(&mut self) {
        self.outside_moves.clear();
        self.offer_moves();
    }

    fn offer_moves(&mut self) {
        let plan = crate::plan(&Intent::RepairLinks { moves: self.outside_moves.clone() }, &self.view());
        let n_links = plan.map_or(0, |plan| plan.summary.n_links + plan.summary.n_bookmarks);
        let one = |(from, to): &(RelPath, RelPath)| OutsideMove { from: from.to_string(), to: to.to_string() };
        let offered = OutsideMoves { moves: self.outside_moves.iter().map(one).collect(), n_links };
        if n_links == 0 {
            self.outside_moves.clear();
        }
        self.shared.offer_moves(Some(offered).filter(|offered| offered.n_links > 0));
    }
}
