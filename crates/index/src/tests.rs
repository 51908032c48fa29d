//! Searching, keeping and rebuilding, over small vaults.

mod rebuild;
mod searching;
mod storing;
