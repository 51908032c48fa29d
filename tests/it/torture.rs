//! The tortures, a few seconds of each; `cargo xtask torture` runs them in full.

use std::process::Command;

fn torture(args: &[&str]) -> String {
    let out = Command::new(env!("CARGO_BIN_EXE_torture"))
        .args(args)
        .env("VIDIMUS_BIN", it::program())
        .output()
        .expect("the torture starts");
    let said = String::from_utf8_lossy(&out.stdout).into_owned();
    assert!(out.status.success(), "{args:?}: {said}{}", String::from_utf8_lossy(&out.stderr));
    said
}

#[test]
fn no_line_of_another_program_is_lost() {
    let said = torture(&["neighbour", "--count", "12", "--seconds", "0", "--rest", "8"]);
    assert!(said.contains("Vidimus (") && said.contains("a naive commit ("), "{said}");
}

#[test]
fn kills_leave_all_or_nothing() {
    torture(&["kill", "--count", "12"]);
}

#[test]
fn one_of_two_agents_wins() {
    torture(&["race", "--count", "40"]);
}

#[test]
fn two_copies_of_a_vault_lose_nothing_when_they_meet() {
    torture(&["copies", "--count", "6"]);
}
