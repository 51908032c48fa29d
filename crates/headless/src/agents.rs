//! The agents that a person let in, what each may do, and how the program that each of them is learns of a vault.

pub mod bundle;
pub mod clients;
pub mod configs;
pub mod connecting;
mod entry;
mod links;
pub mod policy;
pub mod scope;
