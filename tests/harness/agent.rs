//! A real MCP client, over stdio or HTTP.

use crate::Bench;
use rmcp::model::{CallToolRequestParams, ClientRequest, ListToolsRequest, ServerResult};
use rmcp::service::RunningService;
use rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;
use rmcp::transport::{StreamableHttpClientTransport, TokioChildProcess};
use rmcp::{RoleClient, ServiceExt};
use serde_json::{Map, Value, json};
use std::process::{Command, Stdio};
use tokio::process::{ChildStdin, ChildStdout};

/// A connected client.
pub struct Agent {
    client: RunningService<RoleClient, ()>,
}

/// What a tool answered.
#[derive(Debug, Clone)]
pub struct Answer {
    /// Whether the tool said that it failed.
    pub is_error: bool,
    /// The structured content.
    pub data: Value,
}

impl Agent {
    /// Starts `vidimus mcp` on a bench's vault and connects to it over stdio.
    pub async fn stdio(bench: &Bench, more: &[&str]) -> anyhow::Result<Agent> {
        Agent::stdio_with(bench, more, &[]).await
    }

    /// The same, with variables set for the program.
    pub async fn stdio_with(bench: &Bench, more: &[&str], env: &[(&str, &str)]) -> anyhow::Result<Agent> {
        let vault = bench.vault();
        let mut args = vec!["mcp", "--vault", vault.to_str().expect("temporary folders have plain names")];
        args.extend(more);
        let mut command = bench.command(&args);
        command.envs(env.iter().copied());
        Agent::start(command, Stdio::inherit()).await
    }

    /// Starts any server and connects to it over stdio; its complaints go to `stderr`.
    pub async fn start(command: Command, stderr: Stdio) -> anyhow::Result<Agent> {
        let command = tokio::process::Command::from(command);
        let (transport, _) = TokioChildProcess::builder(command).stderr(stderr).spawn()?;
        Ok(Agent { client: ().serve(transport).await? })
    }

    /// Connects over the pipes of a program that the caller started, and may kill.
    pub async fn over(stdout: ChildStdout, stdin: ChildStdin) -> anyhow::Result<Agent> {
        Ok(Agent { client: ().serve((stdout, stdin)).await? })
    }

    /// Connects to a server's URL with a bearer token.
    pub async fn http(url: &str, token: &str) -> anyhow::Result<Agent> {
        let config = StreamableHttpClientTransportConfig::with_uri(url.to_owned()).auth_header(token.to_owned());
        let transport = StreamableHttpClientTransport::from_config(config);
        Ok(Agent { client: ().serve(transport).await? })
    }

    /// Calls a tool.
    pub async fn call(&self, tool: &str, arguments: Value) -> anyhow::Result<Answer> {
        let result = self.whole(tool, arguments).await?;
        let is_error = result.get("isError").and_then(Value::as_bool).unwrap_or(false);
        Ok(Answer { is_error, data: result.get("structuredContent").cloned().unwrap_or(Value::Null) })
    }

    /// Calls a tool and returns all that it answers, in the protocol's own form.
    pub async fn whole(&self, tool: &str, arguments: Value) -> anyhow::Result<Value> {
        let arguments: Map<String, Value> = arguments.as_object().cloned().unwrap_or_default();
        let request = CallToolRequestParams::new(tool.to_owned()).with_arguments(arguments);
        Ok(serde_json::to_value(self.client.call_tool(request).await?)?)
    }

    /// Asks for the list of tools and returns how many its first page has. The server is asked each time, while the
    /// client's own call may answer from what it remembers.
    pub async fn list_tools(&self) -> anyhow::Result<usize> {
        let request = ClientRequest::ListToolsRequest(ListToolsRequest::default());
        match self.client.send_request(request).await? {
            ServerResult::ListToolsResult(list) => Ok(list.tools.len()),
            other => anyhow::bail!("tools/list was answered with {other:?}"),
        }
    }

    /// Returns a note's hash, as an agent would learn it.
    pub async fn hash(&self, path: &str) -> anyhow::Result<String> {
        let answer = self.call("get_note", json!({"id_or_path": path, "format": "map"})).await?;
        Ok(answer.text("content_hash"))
    }

    /// Proposes to rename a section, guarded by the note's hash of now.
    pub async fn rename(&self, path: &str, heading: &str, new_heading: &str) -> anyhow::Result<Answer> {
        let hash = self.hash(path).await?;
        let arguments =
            json!({"rel_path": path, "heading": heading, "new_heading": new_heading, "expected_hash": hash});
        self.call("rename_note_section", arguments).await
    }

    /// Ends the connection, and with it a server that was started for it.
    pub async fn close(self) -> anyhow::Result<()> {
        self.client.cancel().await?;
        Ok(())
    }
}

impl Answer {
    /// Returns a text field of the structured content; empty if it is absent.
    pub fn text(&self, field: &str) -> String {
        self.data.get(field).and_then(Value::as_str).unwrap_or_default().to_owned()
    }
}
