//! What an agent is told about the tools before it has asked for anything.

use anyhow::{Context, Result};
use serde_json::{Value, json};
use std::process::{Command, Stdio};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, Lines};
use tokio::process::{ChildStdin, ChildStdout};

/// The size of a server's `tools/list`, and of what it says at the handshake.
pub struct Catalog {
    pub n_tools: usize,
    pub bytes: usize,
    pub instructions: usize,
}

/// Asks a server over stdio, line by line: a client library would leave out what it does not know.
pub async fn weigh(command: Command) -> Result<Catalog> {
    let mut command = tokio::process::Command::from(command);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).kill_on_drop(true);
    let mut child = command.spawn()?;
    let mut to = child.stdin.take().context("it has an input")?;
    let mut from = BufReader::new(child.stdout.take().context("it has an output")?).lines();
    let who = json!({"name": "peers", "version": "1"});
    let hello = json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": who});
    let hello = ask(&mut to, &mut from, 1, "initialize", hello).await?;
    let ready = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
    to.write_all(format!("{ready}\n").as_bytes()).await?;
    let instructions = hello["instructions"].as_str().map_or(0, str::len);
    let mut catalog = Catalog { n_tools: 0, bytes: 0, instructions };
    let mut params = json!({});
    for id in 2.. {
        let page = ask(&mut to, &mut from, id, "tools/list", params).await?;
        catalog.n_tools += page["tools"].as_array().map_or(0, Vec::len);
        catalog.bytes += page.to_string().len();
        let Some(cursor) = page["nextCursor"].as_str() else { break };
        params = json!({"cursor": cursor});
    }
    Ok(catalog)
}

async fn ask(
    to: &mut ChildStdin,
    from: &mut Lines<BufReader<ChildStdout>>,
    id: u32,
    method: &str,
    params: Value,
) -> Result<Value> {
    let request = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
    to.write_all(format!("{request}\n").as_bytes()).await?;
    loop {
        let line = from.next_line().await?.with_context(|| format!("the server ended before it answered {method}"))?;
        let mut said: Value = serde_json::from_str(&line)?;
        if said["id"] == id {
            anyhow::ensure!(said.get("result").is_some(), "{method}: {}", said["error"]);
            return Ok(said["result"].take());
        }
    }
}
