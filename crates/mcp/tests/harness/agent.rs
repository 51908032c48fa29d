//! A session of the MCP library's own client, which holds every answer against what was advertised.

use super::conforms;
use rmcp::model::CallToolRequestParams;
use rmcp::service::RunningService;
use rmcp::{RoleClient, ServiceExt};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use tokio::io::DuplexStream;

/// A connected client.
pub struct Agent {
    client: RunningService<RoleClient, ()>,
    /// Each tool as it was listed.
    tools: BTreeMap<String, Value>,
}

impl Agent {
    pub async fn open(stream: DuplexStream) -> Agent {
        let client = ().serve(tokio::io::split(stream)).await.unwrap();
        let list = client.list_all_tools().await.unwrap();
        let tools = list.iter().map(|tool| (tool.name.to_string(), serde_json::to_value(tool).unwrap())).collect();
        Agent { client, tools }
    }

    /// Returns a tool as it was listed.
    pub fn tool(&self, name: &str) -> &Value {
        &self.tools[name]
    }

    /// Returns the tools as they were listed.
    pub fn tools(&self) -> impl Iterator<Item = (&str, &Value)> {
        self.tools.iter().map(|(name, tool)| (name.as_str(), tool))
    }

    /// Calls a tool and returns whether it failed, and its structured answer, which the text must repeat.
    pub async fn call(&self, tool: &str, arguments: Value) -> (bool, Value) {
        let arguments = arguments.as_object().cloned().unwrap_or_default();
        let request = CallToolRequestParams::new(tool.to_owned()).with_arguments(arguments);
        let result = serde_json::to_value(self.client.call_tool(request).await.unwrap()).unwrap();
        let structured = result["structuredContent"].clone();
        assert!(structured.is_object(), "no structured answer: {result}");
        let text = result["content"][0]["text"].as_str().unwrap();
        assert_eq!(serde_json::from_str::<Value>(text).unwrap(), structured, "the text says something else");
        (result["isError"] == json!(true), structured)
    }

    /// Calls a tool that must succeed.
    pub async fn ok(&self, tool: &str, arguments: Value) -> Value {
        let (is_error, answer) = self.call(tool, arguments.clone()).await;
        assert!(!is_error, "{tool} {arguments}: {answer}");
        conforms(&self.tools[tool]["outputSchema"], &answer, tool);
        answer
    }

    /// Calls a tool that must fail, and returns its error.
    pub async fn fails(&self, tool: &str, arguments: Value) -> Value {
        let (is_error, answer) = self.call(tool, arguments.clone()).await;
        assert!(is_error, "{tool} {arguments}: {answer}");
        for field in ["code", "message", "hint"] {
            assert!(answer[field].is_string(), "{field}: {answer}");
        }
        assert!(answer["retryable"].is_boolean(), "{answer}");
        answer
    }

    /// Calls a tool that must fail with this code.
    pub async fn refused(&self, tool: &str, arguments: Value, code: &str) -> Value {
        let error = self.fails(tool, arguments.clone()).await;
        assert_eq!(error["code"], code, "{tool} {arguments}: {error}");
        error
    }

    /// Reads a note whole.
    pub async fn read(&self, path: &str) -> Value {
        self.ok("get_note", json!({"id_or_path": path})).await
    }

    /// Follows `next_offset` to the end and returns every page. The note must not change meanwhile.
    pub async fn pages(&self, arguments: Value) -> Vec<Value> {
        let (mut pages, mut offset) = (Vec::new(), json!(0));
        while !offset.is_null() {
            let mut arguments = arguments.clone();
            arguments["offset"] = offset.clone();
            let page = self.ok("get_note", arguments).await;
            assert_eq!(page["offset"], offset, "a page begins where the last one said");
            assert_eq!(page["truncated"], json!(!page["next_offset"].is_null()));
            offset = page["next_offset"].clone();
            pages.push(page);
        }
        assert!(pages.iter().all(|page| page["content_hash"] == pages[0]["content_hash"]));
        pages
    }
}
