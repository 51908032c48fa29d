//! Killed in the middle of a commit over several files, the program reopens to all of it or none of it.

use it::{Agent, Bench};
use std::collections::BTreeMap;

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
