//! Tests of the real window, driven by WebDriver. Few and slow: each starts the program, a display and a bus.

mod pictures;
mod review;
mod steps;
