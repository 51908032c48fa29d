//! Which parts of the full text are joined, so that their number stays small.
//!
//! Every commit adds a segment, and every commit and every search look into all of them. Joining is
//! done in the background; segments of like size are joined, so that a save never has a large part
//! of the vault written anew.

use tantivy::index::SegmentMeta;
use tantivy::merge_policy::{MergeCandidate, MergePolicy};

/// The largest number of documents in each tier but the last.
const TIERS: [u32; 3] = [1 << 8, 1 << 12, 1 << 16];

/// How many segments of one tier are joined.
const N_JOINED: usize = 6;

/// A large segment of which this share is deleted is written anew without it.
const MOSTLY: f64 = 0.5;

/// Joins segments of like size.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Tiers;

impl MergePolicy for Tiers {
    fn compute_merge_candidates(&self, segments: &[SegmentMeta]) -> Vec<MergeCandidate> {
        let mut tiers: [Vec<&SegmentMeta>; TIERS.len() + 1] = Default::default();
        for segment in segments {
            tiers[TIERS.iter().take_while(|most| segment.num_docs() > **most).count()].push(segment);
        }
        let mut candidates = Vec::new();
        for tier in tiers {
            if tier.len() >= N_JOINED {
                candidates.push(MergeCandidate(tier.iter().map(|segment| segment.id()).collect()));
            } else {
                let spent = |segment: &&SegmentMeta| {
                    let (n_deleted, n_all) = (f64::from(segment.num_deleted_docs()), segment.max_doc());
                    n_all > TIERS[0] && n_deleted > MOSTLY * f64::from(n_all)
                };
                candidates.extend(tier.into_iter().filter(spent).map(|segment| MergeCandidate(vec![segment.id()])));
            }
        }
        candidates
    }
}
