//! What the black-box tests stand on: a vault on disk, the built program, real MCP clients, a real window.

mod agent;
mod bench;
mod clients;
pub mod display;
mod retype;
mod window;

pub use agent::{Agent, Answer};
pub use bench::{Bench, Headless, copy, program, read_tree};
pub use clients::{foreign, node, python};
pub use retype::{READ_ONLY, RETYPED, retype};
pub use window::{Window, key, until};
