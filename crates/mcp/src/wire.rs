//! The public contract as values: arguments in, answers and errors out, and the schemas that describe both.

pub(crate) mod args;
pub(crate) mod error;
pub(crate) mod lists;
pub(crate) mod nearest;
pub(crate) mod notes;
pub(crate) mod operations;
pub(crate) mod schema;
