//! Placeholder.
use crate::{Health, Reader, error::WatchError};
use note::RelPath;
use std::collections::BTreeSet;

/// What may have changed. It is a hint to look again, never a fact.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Watched {
    /// Look at these paths. One that is gone may have been a folder: then everything below it is gone too.
    Paths(BTreeSet<RelPath>),
    /// Look at everything: the system lost count.
    Rescan,
}

/// Watches until it is dropped.
pub struct Watcher;

pub(crate) fn watch(_reader: Reader, _health: Health, _on: Box<dyn Fn(Watched) + Send>) -> Result<Watcher, WatchError> {
    Ok(Watcher)
}
