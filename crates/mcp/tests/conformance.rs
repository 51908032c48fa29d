//! The protocol's own conformance suite against the real server, with the suite's fixtures around it. Whatever fails must
//! stand in a list of expected failures with its reason, and whatever stands there must fail.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod harness;

use engine::Writes;
use harness::Fixture;
use mcp::{DoorSettings, HttpConfig, HttpServer, Presence, TokenTable};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::Arc;
use tokio::process::Command;

#[tokio::test]
async fn the_stateless_era_conforms() {
    conforms(&["--requirements", "2026-07-28"], "conformance-2026-07-28.yaml", 190).await;
}

#[tokio::test]
async fn the_era_of_handshakes_conforms() {
    conforms(&["--suite", "all", "--spec-version", "2025-11-25"], "conformance-2025-11-25.yaml", 80).await;
}

/// `at_least` so many checks must pass, lest a run that looked at little be taken for a good one.
async fn conforms(which: &[&str], expected: &str, at_least: u32) {
    let fixture = Fixture::new(&[("a.md", "# A\n\n## One\n"), ("watched-resource.md", "# W\n")]);
    let engine = fixture.engine.clone();
    let server = HttpServer::start(HttpConfig {
        port: 0,
        hosts: Vec::new(),
        clients: Arc::new(TokenTable::default()),
        desks: Arc::new(move |client| Some(engine.desk(client, Writes::Review))),
        settings: DoorSettings::default(),
        presence: Presence::default(),
    })
    .await
    .unwrap();
    let results = tempfile::tempdir().unwrap();
    let suite = clients().join("node_modules/@modelcontextprotocol/conformance/dist/index.js");
    assert!(
        suite.is_file(),
        "the conformance suite is not installed: run `cargo xtask test`, or `npm ci` in tests/clients"
    );
    let said = Command::new(node())
        .arg(&suite)
        .args(["server", "--url", &server.url()])
        .args(which)
        .arg("--expected-failures")
        .arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(expected))
        .arg("--output-dir")
        .arg(results.path())
        .stdin(Stdio::null())
        .output()
        .await
        .expect("Node.js 22 is needed: `npm ci` in tests/clients brings it where its makers build it for npm");
    let text = format!("{}\n{}", String::from_utf8_lossy(&said.stdout), String::from_utf8_lossy(&said.stderr));
    assert!(said.status.success(), "the suite found something:\n{text}");
    let total = text.lines().find_map(|line| line.split_once("Total: ")?.1.split(' ').next()?.parse::<u32>().ok());
    assert!(total >= Some(at_least), "{total:?} checks passed:\n{text}");
    server.stop().await;
}

fn clients() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap().join("tests/clients")
}

/// The Node.js that was installed with the suite, or else the one of the system.
fn node() -> PathBuf {
    let system = match std::env::consts::OS {
        "macos" => "darwin",
        "windows" => "win",
        other => other,
    };
    let machine = match std::env::consts::ARCH {
        "x86_64" => "x64",
        "aarch64" => "arm64",
        other => other,
    };
    let bin = format!("node_modules/node-{system}-{machine}/bin/node{}", std::env::consts::EXE_SUFFIX);
    let own = clients().join(bin);
    if own.is_file() { own } else { "node".into() }
}
