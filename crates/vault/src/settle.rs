//! Placeholder.
pub(crate) struct Displaced;
