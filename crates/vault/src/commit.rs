//! The only call that writes.
use crate::{Change, CommitError, Committed, Vault};
impl Vault {
    /// Makes a change: all of its steps or none.
    pub fn commit(&mut self, _change: Change) -> Result<Committed, CommitError> {
        todo!()
    }
}
