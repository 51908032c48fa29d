//! What the protocol's conformance suite asks of a server besides the product: tools, resources and prompts of its own.
//!
//! They stand around the real server, which answers everything else, so that a run goes through the real transport and
//! the real checks. Only a test can build this: it is no part of the program.
#![allow(deprecated, reason = "the suite asks for logging and for subscriptions of the era of handshakes")]

mod answers;
mod asking;
mod jobs;
mod pages;
mod rounds;

#[cfg(not(debug_assertions))]
compile_error!("the fixtures of the conformance suite are for tests; they let in who brings no token");

use super::handler::AgentServer;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CancelTaskParams, ClientCapabilities, CompleteRequestParams,
    CompleteResult, CustomRequest, CustomResult, ErrorData, GetPromptRequestParams, GetPromptResponse, GetTaskParams,
    GetTaskResult, JsonObject, ListPromptsResult, ListResourceTemplatesResult, ListResourcesResult, ListToolsResult,
    PaginatedRequestParams, ReadResourceRequestParams, ReadResourceResponse, ServerConfig, SetLevelRequestParams,
    SubscribeRequestParams, SubscriptionFilter, Tool, UnsubscribeRequestParams, UpdateTaskParams,
};
use rmcp::service::{NotificationContext, RequestContext, SubscriptionContext};
use rmcp::{RoleServer, ServerHandler};
use serde_json::{Value, json};
use std::sync::Arc;

/// The client that a request without a token comes from.
pub(crate) const CLIENT: &str = "conformance";

/// The real server with the fixtures around it.
#[derive(Clone)]
pub(crate) struct Fixtures {
    server: AgentServer,
    jobs: jobs::Jobs,
}

impl Fixtures {
    pub fn around(server: AgentServer) -> Fixtures {
        Fixtures { server, jobs: jobs::Jobs::default() }
    }

    /// Begins a session of its own, with the jobs of all.
    pub fn for_session(&self) -> Fixtures {
        Fixtures { server: self.server.for_session(), jobs: self.jobs.clone() }
    }
}

/// A tool of the suite.
fn tool(name: &'static str, about: &'static str, properties: Value) -> Tool {
    let required: Vec<String> =
        properties.as_object().map(|object| object.keys().cloned().collect()).unwrap_or_default();
    schema_tool(name, about, json!({"type": "object", "properties": properties, "required": required}))
}

fn schema_tool(name: &'static str, about: &'static str, schema: Value) -> Tool {
    let schema: JsonObject = schema.as_object().cloned().unwrap_or_default();
    Tool::new(name, about, Arc::new(schema))
}

fn tools() -> Vec<Tool> {
    [answers::tools(), asking::tools(), rounds::tools(), jobs::tools()].concat()
}

/// The capabilities of a client, as they stand on the wire.
fn capabilities(value: Value) -> ClientCapabilities {
    serde_json::from_value(value).unwrap_or_default()
}

/// Whether an address is one of the suite's.
fn is_fixture(uri: &str) -> bool {
    uri.starts_with("test://")
}

/// The note that is really followed when the suite follows a resource of its own.
fn followed(uri: String) -> String {
    match uri.strip_prefix("test://") {
        Some(name) => super::resources::note_uri(&format!("{name}.md")),
        None => uri,
    }
}

impl ServerHandler for Fixtures {
    fn get_info(&self) -> ServerConfig {
        let mut info = self.server.get_info();
        info.capabilities.logging = Some(JsonObject::new());
        info
    }

    async fn list_tools(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let mut list = self.server.list_tools(request, context).await?;
        list.tools.extend(tools());
        Ok(list)
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        tools().into_iter().find(|tool| tool.name == name).or_else(|| self.server.get_tool(name))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        if let Some(answer) = answers::call(&request, &context).await? {
            return Ok(answer);
        }
        if let Some(answer) = asking::call(&request, &context).await? {
            return Ok(answer);
        }
        if let Some(answer) = rounds::call(&request, &context)? {
            return Ok(answer);
        }
        if let Some(answer) = self.jobs.call(&request, &context)? {
            return Ok(answer);
        }
        self.server.call_tool(request, context).await
    }

    async fn list_resources(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let mut list = self.server.list_resources(request, context).await?;
        list.resources.extend(pages::resources());
        Ok(list)
    }

    async fn list_resource_templates(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        let mut list = self.server.list_resource_templates(request, context).await?;
        list.resource_templates.push(pages::template());
        Ok(list)
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        match pages::read(&request.uri) {
            Some(page) => Ok(page.into()),
            None => self.server.read_resource(request, context).await,
        }
    }

    async fn list_prompts(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        let mut list = self.server.list_prompts(request, context).await?;
        list.prompts.extend(pages::prompts());
        Ok(list)
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        if let Some(answer) = rounds::prompt(&request)? {
            return Ok(answer);
        }
        match pages::prompt(&request) {
            Some(prompt) => Ok(prompt.into()),
            None => self.server.get_prompt(request, context).await,
        }
    }

    async fn set_level(
        &self,
        _request: SetLevelRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        Ok(())
    }

    async fn subscribe(
        &self,
        mut request: SubscribeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        request.uri = followed(request.uri);
        self.server.subscribe(request, context).await
    }

    async fn unsubscribe(
        &self,
        mut request: UnsubscribeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        request.uri = followed(request.uri);
        self.server.unsubscribe(request, context).await
    }

    async fn get_task(
        &self,
        request: GetTaskParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetTaskResult, ErrorData> {
        match self.jobs.get(&request) {
            Some(job) => Ok(job),
            None => self.server.get_task(request, context).await,
        }
    }

    async fn update_task(
        &self,
        request: UpdateTaskParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        match self.jobs.knows(&request.task_id) {
            true => self.jobs.update(request),
            false => self.server.update_task(request, context).await,
        }
    }

    async fn cancel_task(
        &self,
        request: CancelTaskParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        match self.jobs.knows(&request.task_id) {
            true => self.jobs.cancel(&request),
            false => self.server.cancel_task(request, context).await,
        }
    }

    fn accepted_subscription_filter(&self, requested: &SubscriptionFilter) -> Option<SubscriptionFilter> {
        self.server.accepted_subscription_filter(requested)
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        self.server.listen(context).await
    }

    async fn complete(
        &self,
        request: CompleteRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        self.server.complete(request, context).await
    }

    async fn on_initialized(&self, context: NotificationContext<RoleServer>) {
        self.server.on_initialized(context).await;
    }

    async fn on_custom_request(
        &self,
        request: CustomRequest,
        context: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        self.server.on_custom_request(request, context).await
    }
}
