//! Black-box tests of the built program and of the house itself. One binary, because each costs a link.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod cli;
mod clients;
mod crash;
mod headless;
mod interrupted;
mod recovered;
mod tidy;
mod torture;
