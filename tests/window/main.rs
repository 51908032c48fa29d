//! Tests of the real window, driven by WebDriver. Few and slow: each starts the program, a display and a bus.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod diagrams;
mod drawing;
mod files;
mod folders;
mod keyboard;
mod links;
mod looks;
mod notes;
mod panes;
mod pictures;
mod properties;
mod reports;
mod review;
mod steps;
mod tabs;
mod tray;
mod untouched;
mod windows;
mod writing;
