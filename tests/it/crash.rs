//! Killed in the middle of a commit over several files, the program reopens to all of it or none of it.

use it::{Agent, Bench, Headless};
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::process::Stdio;
use std::time::Duration;

const VAULT: &str = "\
//- /Lead.md
# Lead

## Old

[[#Old]]
//- /One.md
[[Lead#Old]]
//- /Two.md
![[Lead#Old|x]]
";

/// The places at which the program can be told to end, each with how often a three-file commit passes it.
const POINTS: &[(&str, u32)] = &[("blobs", 1), ("begun", 1), ("temp", 3), ("swap", 3), ("look", 3), ("done", 1)];

#[tokio::test]
async fn a_kill_at_any_point_leaves_all_or_nothing() -> anyhow::Result<()> {
    let before = Bench::new(VAULT).files();
    let after: BTreeMap<String, Vec<u8>> = before
        .iter()
        .map(|(path, bytes)| (path.clone(), String::from_utf8_lossy(bytes).replace("Old", "New").into_bytes()))
        .collect();
    let mut outcomes = (0, 0);
    for (point, times) in POINTS {
        for n in 1..=*times {
            let bench = Bench::new(VAULT);
            let crash = format!("{point}:{n}");
            let agent = crash_at(&bench, &crash).await?;
            let answer = agent.rename("Lead.md", "Old", "New").await;
            assert!(answer.is_err(), "{crash}: the program was to end here, and answered {answer:?}");
            let vault = bench.vault();
            let (code, out, err) = bench.run(&["status", "--json", "--vault", vault.to_str().unwrap()]);
            assert_eq!(code, 0, "{crash}: {out}{err}");
            let files = bench.files();
            match () {
                () if files == before => outcomes.0 += 1,
                () if files == after => outcomes.1 += 1,
                () => panic!("{crash}: neither all nor nothing: {files:?}"),
            }
        }
    }
    assert!(outcomes.0 > 0 && outcomes.1 > 0, "both outcomes are reached: {outcomes:?}");
    Ok(())
}

async fn crash_at(bench: &Bench, point: &str) -> anyhow::Result<Agent> {
    Agent::stdio_with(bench, &["--writes", "allow"], &[("VIDIMUS_CRASH_AT", point)]).await
}

/// Real kills at moments that nobody chose, while renames stream in; each reopening must find all or nothing.
#[tokio::test]
async fn a_real_kill_leaves_all_or_nothing() -> anyhow::Result<()> {
    let bench = Bench::new(VAULT);
    let vault = bench.vault();
    let mut heading = "Old".to_owned();
    let mut stopped = 0;
    for round in 0..12u64 {
        let mut command =
            bench.command(&["mcp", "--writes", "allow", "--vault", vault.to_str().expect("a plain path")]);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut program = Headless(command.spawn()?);
        let mut stdin = program.0.stdin.take().expect("it is piped");
        let mut answers = BufReader::new(program.0.stdout.take().expect("it is piped"));
        writeln!(stdin, "{INITIALIZE}")?;
        let mut line = String::new();
        answers.read_line(&mut line)?;
        writeln!(stdin, r#"{{"jsonrpc":"2.0","method":"notifications/initialized"}}"#)?;
        for n in 0..40 {
            let new = format!("Title {round} {n}");
            let call = serde_json::json!({"jsonrpc": "2.0", "id": 10 + n, "method": "tools/call", "params": {
                "name": "rename_note_section", "arguments": {"rel_path": "Lead.md", "heading": heading, "new_heading": new}}});
            writeln!(stdin, "{call}")?;
            heading = new;
        }
        // The first answers show that renames are on their way; the kill then comes at a moment of its own.
        for _ in 0..=round % 4 {
            line.clear();
            answers.read_line(&mut line)?;
        }
        std::thread::sleep(Duration::from_micros(round * 1777 % 9000));
        drop(program);

        let (code, out, err) = bench.run(&["status", "--json", "--vault", vault.to_str().expect("a plain path")]);
        assert_eq!(code, 0, "round {round}: {out}{err}");
        let lead = bench.read("Lead.md");
        let now = lead.lines().find_map(|line| line.strip_prefix("## ")).expect("there is one heading").to_owned();
        stopped += usize::from(now != heading);
        for (path, wanted) in [
            ("Lead.md", format!("# Lead\n\n## {now}\n\n[[#{now}]]\n")),
            ("One.md", format!("[[Lead#{now}]]\n")),
            ("Two.md", format!("![[Lead#{now}|x]]\n")),
        ] {
            assert_eq!(bench.read(path), wanted, "round {round}");
        }
        let notes = bench.files();
        assert_eq!(notes.len(), 3, "round {round} left something behind: {:?}", notes.keys());
        heading = now;
    }
    assert!(stopped > 6, "most kills come while renames are on their way: {stopped} of 12");
    Ok(())
}

const INITIALIZE: &str = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"kill","version":"1"}}}"#;
