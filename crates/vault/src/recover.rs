//! Placeholder.
use crate::{CommitError, Kept, OpId, PutBack, Settled, Vault, journal::Replay};
impl Vault {
    pub(crate) fn recover(&mut self, _replay: Replay) -> Vec<Settled> {
        vec![]
    }
    pub(crate) fn close(&mut self) {}
    /// Tries again to finish an interrupted operation.
    pub fn settle(&mut self, _op: OpId) -> Result<Settled, CommitError> {
        todo!()
    }
    /// Puts back every file of an interrupted operation that is still at its `after`, and ends it.
    pub fn undo(&mut self, _op: OpId) -> Result<PutBack, CommitError> {
        todo!()
    }
    /// Ends an interrupted operation, leaving every file as it is.
    pub fn release(&mut self, _op: OpId) -> Result<(), CommitError> {
        todo!()
    }
    /// Looks again at what was displaced; returns what had to be kept since the last call.
    pub fn tick(&mut self, _now_ms: u64) -> Vec<Kept> {
        vec![]
    }
}
