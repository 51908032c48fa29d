//! `vidimus mcp`: the engine itself, without a display, spoken to by a real client over stdio.

use it::{Agent, Bench};
use serde_json::json;

const GLACIER: &str = "\
//- /Glacier.md
# Glacier

## Old tools

See [[#Old tools|here]].
//- /Kit.md
Probes: [[Glacier#Old tools]] and `[[Glacier#Old tools]]`.
//- /deep/Daily.md
![[Glacier#Glacier#Old tools]]
";

#[tokio::test]
async fn a_proposal_waits_for_a_person_at_the_terminal() -> anyhow::Result<()> {
    let bench = Bench::new(GLACIER);
    let before = bench.files();
    let vault = bench.vault();
    let vault = vault.to_str().unwrap();
    let agent = Agent::stdio(&bench, &["--client", "Test agent"]).await?;
    let proposed = agent.rename("Glacier.md", "Old tools", "Instruments").await?;
    assert!(!proposed.is_error, "{proposed:?}");
    assert_eq!((proposed.text("status"), proposed.data["committed"].clone()), ("proposed".to_owned(), json!(false)));
    assert_eq!(bench.files(), before);

    let (code, listed, _) = bench.run(&["review", "list", "--vault", vault]);
    assert_eq!(code, 0);
    assert!(
        listed.contains("Old tools") && listed.contains("Instruments") && listed.contains("Test agent"),
        "{listed}"
    );
    let id = proposed.text("operation_id");
    let (code, _, said) = bench.run(&["review", "approve", &id, "--vault", vault]);
    assert_ne!(code, 0, "without a terminal an approval needs --yes");
    assert!(said.contains("--yes"), "{said}");
    // An empty variable of a script, or next to nothing, is no id.
    for typed in ["", " ", &id[..1], &id[id.len() - 3..]] {
        let (code, _, said) = bench.run(&["review", "approve", typed, "--yes", "--vault", vault]);
        assert_eq!(code, 2, "{typed:?}: {said}");
        assert!(said.contains("too short"), "{said}");
    }
    assert_eq!(bench.files(), before);
    let (code, out, err) = bench.run(&["review", "approve", &id, "--yes", "--vault", vault]);
    assert_eq!(code, 0, "{out}{err}");

    let outcome = agent.call("get_operation", json!({"operation_id": id, "wait_seconds": 10})).await?;
    assert_eq!((outcome.text("status"), outcome.data["committed"].clone()), ("committed".to_owned(), json!(true)));
    assert_eq!(bench.read("Glacier.md"), "# Glacier\n\n## Instruments\n\nSee [[#Instruments|here]].\n");
    assert_eq!(bench.read("Kit.md"), "Probes: [[Glacier#Instruments]] and `[[Glacier#Old tools]]`.\n");
    assert_eq!(bench.read("deep/Daily.md"), "![[Glacier#Glacier#Instruments]]\n");
    assert_eq!(outcome.text("content_hash"), blake3::hash(bench.read("Glacier.md").as_bytes()).to_hex().to_string());
    assert_eq!(bench.files().len(), 3, "nothing but the notes is left in the vault: {:?}", bench.files().keys());
    agent.close().await
}

#[tokio::test]
async fn an_agent_sees_and_uses_what_it_was_started_with() -> anyhow::Result<()> {
    let bench = Bench::new(GLACIER);
    // The first process owns the vault, the second is a pipe to it; both are held to what they were started with.
    let words = ["--only-folder", "deep", "--only-tool", "get_note", "--only-tool", "rename_note_section"];
    let first = Agent::stdio(&bench, &words).await?;
    let second = Agent::stdio(&bench, &words).await?;
    let whole = Agent::stdio(&bench, &[]).await?;
    for agent in [&first, &second] {
        let seen = agent.call("get_note", json!({"title": "daily"})).await?;
        assert_eq!(seen.text("rel_path"), "deep/Daily.md");
        assert_eq!(agent.call("get_note", json!({"id_or_path": "Glacier.md"})).await?.text("code"), "not_found");
        assert_eq!(agent.call("search_text", json!({"query": "tools"})).await?.text("code"), "tool_not_allowed");
    }
    assert_eq!(whole.call("get_note", json!({"id_or_path": "Glacier.md"})).await?.text("rel_path"), "Glacier.md");
    for agent in [first, second, whole] {
        agent.close().await?;
    }
    Ok(())
}

#[tokio::test]
async fn what_agents_asked_for_is_on_record_for_the_person() -> anyhow::Result<()> {
    let bench = Bench::new(GLACIER);
    let vault = bench.vault();
    let vault = vault.to_str().unwrap();
    let agent = Agent::stdio(&bench, &["--client", "Test agent"]).await?;
    agent.call("get_note", json!({"id_or_path": "Glacier.md"})).await?;
    agent.call("get_note", json!({"id_or_path": "Nowhere.md"})).await?;
    agent.rename("Glacier.md", "Old tools", "Instruments").await?;
    agent.close().await?;
    let (code, out, _) = bench.run(&["audit", "--json", "--vault", vault]);
    assert_eq!(code, 0);
    let calls: Vec<serde_json::Value> = out.lines().map(serde_json::from_str).collect::<Result<_, _>>()?;
    let told: Vec<String> = calls
        .iter()
        .map(|call| ["client", "door", "tool", "subject", "outcome"].map(|key| call[key].as_str().unwrap()).join(" | "))
        .collect();
    assert_eq!(
        told,
        [
            "Test agent | stdio | get_note | Glacier.md | ok",
            "Test agent | stdio | get_note | Nowhere.md | not_found",
            // The client looks at the note before it proposes.
            "Test agent | stdio | get_note | Glacier.md | ok",
            "Test agent | stdio | rename_note_section | Glacier.md | proposed",
        ]
    );
    let (_, csv, _) = bench.run(&["audit", "--csv", "--vault", vault]);
    assert_eq!(csv.lines().count(), 5, "{csv}");
    Ok(())
}

#[tokio::test]
async fn a_declined_proposal_tells_the_agent_why() -> anyhow::Result<()> {
    let bench = Bench::new(GLACIER);
    let before = bench.files();
    let vault = bench.vault();
    let agent = Agent::stdio(&bench, &[]).await?;
    let id = agent.rename("Glacier.md", "Old tools", "Instruments").await?.text("operation_id");
    let vault = vault.to_str().unwrap();
    let (code, out, err) = bench.run(&["review", "decline", &id, "--comment", "keep the name", "--vault", vault]);
    assert_eq!(code, 0, "{out}{err}");
    let outcome = agent.call("get_operation", json!({"operation_id": id})).await?;
    assert_eq!((outcome.text("status"), outcome.text("comment")), ("declined".to_owned(), "keep the name".to_owned()));
    assert_eq!(bench.files(), before);
    agent.close().await
}

#[tokio::test]
async fn two_processes_share_one_engine() -> anyhow::Result<()> {
    let bench = Bench::new(GLACIER);
    let owner = Agent::stdio(&bench, &["--client", "First"]).await?;
    let piped = Agent::stdio(&bench, &["--client", "Second"]).await?;
    let id = piped.rename("Glacier.md", "Old tools", "Instruments").await?.text("operation_id");
    assert!(!id.is_empty());
    let seen = owner.call("get_note", json!({"id_or_path": "Glacier.md"})).await?;
    assert_eq!(seen.data["pending_operations"].as_array().map(Vec::len), Some(1), "{seen:?}");
    let none = owner.call("withdraw_operation", json!({"operation_id": id})).await?;
    assert!(none.is_error, "an agent takes back only its own");
    assert!(!piped.call("withdraw_operation", json!({"operation_id": id})).await?.is_error);
    piped.close().await?;
    owner.close().await
}

#[tokio::test]
async fn writes_off_offers_reading_only() -> anyhow::Result<()> {
    let bench = Bench::new(GLACIER);
    let agent = Agent::stdio(&bench, &["--writes", "off"]).await?;
    let read = agent.call("get_note", json!({"id_or_path": "Glacier"})).await?;
    assert!(!read.is_error && read.data["writable"] == json!(false), "{read:?}");
    let refused = agent.rename("Glacier.md", "Old tools", "X").await;
    assert!(refused.is_err() || refused.is_ok_and(|answer| answer.is_error && answer.text("code") == "writes_off"));
    agent.close().await
}

#[tokio::test]
async fn a_vault_that_cannot_be_listed_is_served_and_that_is_said() -> anyhow::Result<()> {
    let bench = Bench::new(GLACIER);
    // Where the program's settings belong, nothing can be made.
    std::fs::write(bench.home().join("config"), "in the way")?;
    let vault = bench.vault();
    let vault = vault.to_str().unwrap();
    let owner = Agent::stdio(&bench, &["--writes", "allow"]).await?;
    let renamed = owner.rename("Glacier.md", "Old tools", "Instruments").await?;
    assert!(!renamed.is_error, "{renamed:?}");
    assert_eq!(bench.read("deep/Daily.md"), "![[Glacier#Glacier#Instruments]]\n");
    // Others find the same engine, and the same state later.
    let piped = Agent::stdio(&bench, &[]).await?;
    assert!(!piped.hash("Kit.md").await?.is_empty());
    let notices = |out: &str| -> anyhow::Result<String> {
        Ok(serde_json::from_str::<serde_json::Value>(out)?["notices"].to_string())
    };
    let (code, out, err) = bench.run(&["status", "--json", "--vault", vault]);
    assert_eq!(code, 0, "{out}{err}");
    assert!(notices(&out)?.contains("the list of known vaults cannot be written"), "{out}");
    piped.close().await?;
    owner.close().await?;
    let (code, out, err) = bench.run(&["review", "list", "--vault", vault]);
    assert_eq!(code, 0, "{out}{err}");
    Ok(())
}
