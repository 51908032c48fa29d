//! Black-box tests of the built program and of the house itself. One binary, because each costs a link.

mod cli;
mod crash;
mod headless;
mod tidy;
