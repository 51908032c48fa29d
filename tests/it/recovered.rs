//! What a crash leaves in the history, and what an interrupted operation does to those that come after it.

use it::{Agent, Bench};
use serde_json::{Value, json};

const VAULT: &str = "\
//- /Lead.md
# Lead

## Old

## Other
//- /One.md
[[Lead#Old]]
//- /Two.md
[[Lead#Old]]

## Own
";

async fn crash_in_a_rename(bench: &Bench, point: &str) -> anyhow::Result<()> {
    let agent = Agent::stdio_with(bench, &["--writes", "allow"], &[("VIDIMUS_CRASH_AT", point)]).await?;
    let answer = agent.rename("Lead.md", "Old", "New").await;
    assert!(answer.is_err(), "the program was to end at {point}, and answered {answer:?}");
    Ok(())
}

/// Whatever of a change recovery finishes is that change in the history of each file, not another program's.
#[tokio::test]
async fn what_recovery_finishes_is_told_once_and_under_its_own_name() -> anyhow::Result<()> {
    for point in ["begun:1", "swap:1", "swap:3", "look:3", "done:1"] {
        let bench = Bench::new(VAULT);
        crash_in_a_rename(&bench, point).await?;
        let agent = Agent::stdio(&bench, &[]).await?;
        for path in ["Lead.md", "One.md", "Two.md"] {
            let hash = agent.hash(path).await?;
            let history = agent.call("get_note_history", json!({"note": path})).await?;
            let versions = history.data["versions"].as_array().unwrap();
            // What the file held before anything was written is kept too, and nobody wrote that.
            let written = versions.iter().filter(|version| version["kind"] != "as_found");
            let told: Vec<(&str, &Value)> =
                written.map(|version| (version["actor"].as_str().unwrap(), &version["after_hash"])).collect();
            let is_written = bench.read(path).contains("New");
            let expected: &[(&str, &Value)] = if is_written { &[("agent", &json!(hash))] } else { &[] };
            assert_eq!(told, expected, "{point}: {path}: {}", history.data);
        }
        agent.close().await?;
    }
    Ok(())
}

/// The older operation waits for a person; what it stands in the way of is refused, and nothing of it happened.
#[tokio::test]
async fn an_operation_refused_for_an_interrupted_one_is_not_itself_interrupted() -> anyhow::Result<()> {
    let bench = Bench::new(VAULT);
    crash_in_a_rename(&bench, "swap:3").await?;
    bench.write("Two.md", "[[Lead#Old]] and more\n\n## Own\n");
    let agent = Agent::stdio(&bench, &["--writes", "allow"]).await?;
    // Whoever connects is greeted before the vault is open; a note is read once it is, and all is settled.
    agent.hash("Lead.md").await?;
    let before = bench.files();
    let refused = agent.rename("Two.md", "Own", "Another").await?;
    assert!(refused.is_error, "{}", refused.data);
    assert_eq!(refused.text("code"), "vault_busy", "{}", refused.data);
    assert_eq!(bench.files(), before);
    let vault = bench.vault();
    let (code, out, err) = bench.run(&["review", "list", "--json", "--vault", vault.to_str().unwrap()]);
    assert_eq!(code, 0, "{err}");
    let listed: Value = serde_json::from_str(&out)?;
    let listed = listed.as_array().unwrap_or_else(|| panic!("a list: {out}"));
    assert_eq!(listed.len(), 1, "{out}");
    assert_eq!(listed[0]["state"], "interrupted", "{out}");
    assert_eq!(listed[0]["summary"]["new_heading"], "New", "{out}");
    agent.close().await
}
