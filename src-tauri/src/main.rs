//! `vidimus`: see `vidimus --help`.
//!
//! Nothing of this package's library is named here on Linux, so that none of the web view's libraries is loaded.

use std::process::ExitCode;

fn main() -> ExitCode {
    #[cfg(target_os = "linux")]
    return headless::main(headless::programs::become_window);
    #[cfg(not(target_os = "linux"))]
    return vidimus::main();
}
