//! The program without its window: the command line, and what the processes of one account share.
//!
//! Read `cli` for what can be said, `owner` and `control` for how several processes share a vault, `store` and `vaults` for
//! what is kept where, `door` for what a person asks of an engine, `agents` for who is let in and how clients learn of it,
//! `report` for what becomes of a fault. Nothing here needs a display or its libraries.

pub mod agents;
pub mod audit;
pub mod cli;
pub mod control;
pub mod door;
pub mod fault;
pub mod link;
pub mod listen;
pub mod memory;
pub mod owner;
pub mod record;
pub mod report;
pub mod settings;
pub mod store;
pub mod vaults;
