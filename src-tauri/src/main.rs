//! `vidimus`: see `vidimus --help`.

use std::process::ExitCode;

fn main() -> ExitCode {
    vidimus::main()
}
