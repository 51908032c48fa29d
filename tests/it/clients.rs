//! The clients that other people wrote, in both eras and at both doors: each does what an agent does, to the end.
//!
//! Each lists the tools, reads a note, pages a long one, asks what cannot be answered, proposes a rename and waits for
//! the person, twice. What it saw is held here against what the person did.

use engine::{Decision, Engine, Event, OpId, OpState, OpenVault, PlanDigest, Writes};
use it::{Bench, foreign, node, python};
use mcp::{DoorSettings, HttpConfig, HttpServer, Presence, TokenTable, new_token, token_hash};
use serde_json::{Value, json};
use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, BufReader};
use tokio::process::Command;

const GLACIER: &str = "\
//- /Glacier notes.md
# Glacier

## Old tools

See [[#Old tools|here]]: \u{c5}se's probes, 氷河, 🧊.
//- /Kit.md
Probes: [[Glacier notes#Old tools]].
";
const NOTE: &str = "Glacier notes.md";
const LONG: &str = "Long.md";
/// How long a client may take for all of it.
const PATIENCE: Duration = Duration::from_secs(120);

#[derive(Clone, Copy)]
enum Language {
    TypeScript,
    Python,
}

#[derive(Clone, Copy, PartialEq)]
enum Era {
    Modern,
    Legacy,
}

#[tokio::test]
async fn typescript_over_stdio() -> anyhow::Result<()> {
    over_stdio(Language::TypeScript, Era::Modern).await?;
    over_stdio(Language::TypeScript, Era::Legacy).await
}

#[tokio::test]
async fn python_over_stdio() -> anyhow::Result<()> {
    over_stdio(Language::Python, Era::Modern).await?;
    over_stdio(Language::Python, Era::Legacy).await
}

#[tokio::test]
async fn typescript_over_http() -> anyhow::Result<()> {
    over_http(Language::TypeScript, Era::Modern).await?;
    over_http(Language::TypeScript, Era::Legacy).await
}

#[tokio::test]
async fn python_over_http() -> anyhow::Result<()> {
    over_http(Language::Python, Era::Modern).await?;
    over_http(Language::Python, Era::Legacy).await
}

/// The real program, with the person at a terminal.
async fn over_stdio(language: Language, era: Era) -> anyhow::Result<()> {
    let bench = vault();
    let vault = bench.vault();
    let vault = vault.to_str().unwrap();
    let program = it::program();
    let how = json!({"command": [program, "mcp", "--vault", vault, "--client", "Foreign"]});
    let outcome = journey(&bench, language, era, how, |id, approve| {
        let (code, out, err) = match approve {
            true => bench.run(&["review", "approve", id, "--yes", "--vault", vault]),
            false => bench.run(&["review", "decline", id, "--comment", "keep the name", "--vault", vault]),
        };
        assert_eq!(code, 0, "{out}{err}");
    });
    check(&bench, era, &outcome.await?);
    Ok(())
}

/// The server of the window, with the person at the engine.
async fn over_http(language: Language, era: Era) -> anyhow::Result<()> {
    let bench = vault();
    let engine = open(&bench)?;
    let (server, token) = serve(&engine).await?;
    let how = json!({"url": server.url(), "token": token});
    let outcome = journey(&bench, language, era, how, |id, approve| {
        let id: OpId = id.parse().expect("an id of ours");
        let decision = match approve {
            true => {
                let seen = engine.review(id).expect("it waits").digest.expect("it fits");
                Decision::Approve { seen: PlanDigest(seen) }
            }
            false => Decision::Decline { comment: Some("keep the name".to_owned()) },
        };
        engine.decide(id, decision).expect("it can be decided");
    });
    check(&bench, era, &outcome.await?);
    server.stop().await;
    Ok(())
}

/// The inspector looks at every tool for what some client would not take.
#[tokio::test]
async fn the_inspector_finds_nothing_amiss() -> anyhow::Result<()> {
    let bench = Bench::new(GLACIER);
    let engine = open(&bench)?;
    let (server, token) = serve(&engine).await?;
    for era in ["modern", "legacy"] {
        let listed =
            inspect(&bench, &server, &token, &["--protocol-era", era, "--method", "tools/list", "--strict"]).await?;
        assert!(listed.contains("rename_note_section"), "{listed}");
    }
    server.stop().await;
    Ok(())
}

/// It takes a call that waits for a person as a task, and follows that to its end.
#[tokio::test]
async fn the_inspector_follows_a_proposal() -> anyhow::Result<()> {
    let bench = Bench::new(GLACIER);
    let engine = open(&bench)?;
    let (server, token) = serve(&engine).await?;
    let (events, person) = (engine.subscribe(), engine.clone());
    let deciding = tokio::task::spawn_blocking(move || {
        while let Ok(event) = events.recv_timeout(PATIENCE) {
            if let Event::OperationChanged { id, state: OpState::Proposed } = event {
                let id: OpId = id.parse().expect("an id of ours");
                let seen = person.review(id).expect("it waits").digest.expect("it fits");
                return person.decide(id, Decision::Approve { seen: PlanDigest(seen) }).map(drop);
            }
        }
        panic!("nothing was proposed");
    });
    let path = format!("rel_path={NOTE}");
    let wish = ["--tool-arg", &path, "heading=Old tools", "new_heading=Instruments"];
    let call = ["--protocol-era", "modern", "--method", "tools/call", "--tool-name", "rename_note_section"];
    let said = inspect(&bench, &server, &token, &[&call[..], &wish[..]].concat()).await?;
    deciding.await??;
    let answer: Value = serde_json::from_str(&said)?;
    assert_eq!(answer["structuredContent"]["status"], "committed", "{said}");
    assert_eq!(bench.read("Kit.md"), "Probes: [[Glacier notes#Instruments]].\n");
    server.stop().await;
    Ok(())
}

/// Runs the inspector, which must have nothing to complain about, and returns what it says.
async fn inspect(bench: &Bench, server: &HttpServer, token: &str, asked: &[&str]) -> anyhow::Result<String> {
    let mut command = Command::new(node());
    command.arg(foreign("node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js"));
    command.args([
        "--cli",
        &server.url(),
        "--transport",
        "http",
        "--header",
        &format!("Authorization: Bearer {token}"),
    ]);
    let said = command.args(asked).envs(bench.env()).stdin(Stdio::null()).kill_on_drop(true).output();
    let said = tokio::time::timeout(PATIENCE, said).await??;
    let (found, told) = (String::from_utf8_lossy(&said.stderr), String::from_utf8_lossy(&said.stdout));
    anyhow::ensure!(said.status.success() && found.is_empty(), "{asked:?}: {found}\n{told}");
    Ok(told.into_owned())
}

fn open(bench: &Bench) -> anyhow::Result<Engine> {
    Ok(Engine::open(OpenVault {
        root: bench.vault(),
        state: bench.home().join("state"),
        name: "Test".to_owned(),
        vault_key: "k".to_owned(),
        system_trash: None,
    })?)
}

async fn serve(engine: &Engine) -> anyhow::Result<(HttpServer, String)> {
    let (token, tokens) = (new_token()?, Arc::new(TokenTable::default()));
    tokens.replace([("Foreign", token_hash(&token).as_str())]);
    let engine = engine.clone();
    let server = HttpServer::start(HttpConfig {
        port: 0,
        hosts: Vec::new(),
        clients: tokens,
        desks: Arc::new(move |client| Some(engine.desk(client, Writes::Review))),
        settings: DoorSettings::default(),
        presence: Presence::default(),
    })
    .await?;
    Ok((server, token))
}

fn vault() -> Bench {
    let bench = Bench::new(GLACIER);
    let line = "A line of a long note with 🧊, a\u{301} and \u{1f469}\u{200d}\u{1f680} in it.\n";
    let text = line.repeat(200_000 / line.chars().count() + 1);
    assert!(text.chars().count() >= 200_000);
    bench.write(LONG, &text);
    bench
}

/// Starts a client and plays the person; returns what the client saw in the end.
async fn journey(
    bench: &Bench,
    language: Language,
    era: Era,
    how: Value,
    decide: impl Fn(&str, bool),
) -> anyhow::Result<Value> {
    let file = |path: &str| json!({"path": path, "file": bench.vault().join(path)});
    let mut asked = json!({
        "era": if era == Era::Modern { "modern" } else { "legacy" },
        "short": file(NOTE),
        "long": file(LONG),
    });
    asked.as_object_mut().unwrap().extend(how.as_object().unwrap().clone());
    let (runner, script) = match language {
        Language::TypeScript => {
            foreign("node_modules/@modelcontextprotocol/client");
            (node(), foreign("client.mjs"))
        }
        Language::Python => (python(), foreign("client.py")),
    };
    let mut command = Command::new(&runner);
    command.arg(script).arg(asked.to_string()).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.envs(bench.env()).env_remove("DISPLAY").env_remove("WAYLAND_DISPLAY").kill_on_drop(true);
    let mut child = command.spawn()?;
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut complaints = child.stderr.take().unwrap();
    let complaints = tokio::spawn(async move {
        let mut text = String::new();
        complaints.read_to_string(&mut text).await.map(|_| text)
    });
    let mut approvals = [true, false].into_iter();
    let read = async {
        while let Some(line) = lines.next_line().await? {
            let said: Value = serde_json::from_str(&line)?;
            match said["proposed"].as_str() {
                Some(id) => decide(id, approvals.next().expect("two proposals")),
                None => return anyhow::Ok(said),
            }
        }
        Ok(Value::Null)
    };
    let outcome = tokio::time::timeout(PATIENCE, read).await??;
    let ended = tokio::time::timeout(PATIENCE, child.wait()).await??;
    let complaints = complaints.await??;
    anyhow::ensure!(ended.success() && complaints.is_empty(), "the client ended with {ended}: {complaints}");
    Ok(outcome)
}

fn check(bench: &Bench, era: Era, outcome: &Value) {
    let version = if era == Era::Modern { "2026-07-28" } else { "2025-11-25" };
    assert_eq!(outcome["version"], version);
    assert_eq!(outcome["tools"], 18);
    assert!(outcome["pages"].as_u64() >= Some(10), "{}", outcome["pages"]);
    let [approved, declined] = [&outcome["approved"], &outcome["declined"]];
    assert_eq!((&approved["status"], &approved["committed"]), (&json!("committed"), &json!(true)), "{approved}");
    assert_eq!(
        (&declined["status"], &declined["comment"]),
        (&json!("declined"), &json!("keep the name")),
        "{declined}"
    );
    assert!(bench.read(NOTE).contains("## Instruments\n\nSee [[#Instruments|here]]"));
    assert_eq!(bench.read("Kit.md"), "Probes: [[Glacier notes#Instruments]].\n");
}
