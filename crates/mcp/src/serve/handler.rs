//! The protocol's requests, turned into calls of tools.

use super::answers::{self, INSTRUCTIONS, internal, result, subject, unknown_tool};
use super::presence::{Called, Door, Presence};
use super::sessions::SESSION;
use super::socket::Hello;
use super::subscriptions::{self, Asked, Followed, Leave};
use super::tokens::ClientName;
use super::{DeskFactory, prompts, resources, tasks};
use crate::DoorSettings;
use crate::tools::{self, Remembered};
use crate::wire::error::{Code, ToolError};
use axum::http::request::Parts;
use engine::Desk;
use rmcp::model::{
    CacheScope, CallToolRequestParams, CallToolResponse, CancelTaskParams, CompleteRequestParams, CompleteResult,
    CompletionInfo, CustomRequest, CustomResult, ErrorCode, ErrorData, Extensions, GetPromptRequestParams,
    GetPromptResponse, GetTaskParams, GetTaskResult, Implementation, JsonObject, ListPromptsResult,
    ListResourceTemplatesResult, ListResourcesResult, ListToolsResult, PaginatedRequestParams,
    ReadResourceRequestParams, ReadResourceResponse, Reference, ServerCapabilities, ServerConfig,
    SubscribeRequestParams, SubscriptionFilter, Tool, UnsubscribeRequestParams, UpdateTaskParams,
};
use rmcp::service::{NotificationContext, RequestContext, SubscriptionContext};
use rmcp::{RoleServer, ServerHandler};
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Instant, SystemTime};

/// One client's view of the server.
#[derive(Clone)]
pub(crate) struct AgentServer {
    desks: Desks,
    settings: DoorSettings,
    presence: Presence,
    remembered: Arc<Remembered>,
    /// What the session follows, where there are sessions.
    followed: Followed,
    asked: Asked,
    door: Door,
}

#[derive(Clone)]
enum Desks {
    /// One client for the whole session.
    One(Box<Desk>),
    /// Each request says by its token who asks.
    ByToken(DeskFactory),
    /// One client, whose vault is still being opened.
    NotYet(Hello),
}

/// How long a client may keep the list of tools; it changes only with the program.
const LIST_TTL_MS: u64 = 300_000;

impl AgentServer {
    /// Makes a server for one client.
    pub fn for_desk(desk: Desk, settings: DoorSettings, presence: Presence, door: Door) -> AgentServer {
        AgentServer {
            desks: Desks::One(Box::new(desk)),
            settings: settings.checked(),
            presence,
            remembered: Arc::default(),
            followed: Followed::default(),
            asked: Asked::default(),
            door,
        }
    }

    /// Makes a server that can only say what there will be to ask.
    pub fn not_yet(hello: &Hello) -> AgentServer {
        AgentServer {
            desks: Desks::NotYet(hello.clone()),
            settings: DoorSettings::default(),
            presence: Presence::default(),
            remembered: Arc::default(),
            followed: Followed::default(),
            asked: Asked::default(),
            door: Door::Stdio,
        }
    }

    /// Makes a server for clients that come with tokens.
    pub fn by_token(desks: DeskFactory, settings: DoorSettings, presence: Presence) -> AgentServer {
        AgentServer {
            desks: Desks::ByToken(desks),
            settings: settings.checked(),
            presence,
            remembered: Arc::default(),
            followed: Followed::default(),
            asked: Asked::default(),
            door: Door::Http,
        }
    }

    /// Returns the same server for a session that follows what it likes.
    pub fn for_session(&self) -> AgentServer {
        AgentServer { followed: Followed::default(), ..self.clone() }
    }

    fn desk_for(&self, extensions: &Extensions) -> Option<Desk> {
        match &self.desks {
            Desks::One(desk) => Some(desk.as_ref().clone()),
            Desks::ByToken(make) => {
                make(&extensions.get::<Parts>().and_then(|parts| parts.extensions.get::<ClientName>())?.0)
            }
            Desks::NotYet(_) => None,
        }
    }

    fn leave(&self, desk: &Desk) -> Leave {
        match &self.desks {
            Desks::One(desk) => {
                let desk = desk.as_ref().clone();
                Arc::new(move || Some(desk.clone()))
            }
            Desks::ByToken(make) => {
                let (make, client) = (make.clone(), desk.client().to_owned());
                Arc::new(move || make(&client))
            }
            Desks::NotYet(_) => Arc::new(|| None),
        }
    }

    /// Finds out who asks, and takes note that it did.
    fn desk(&self, context: &RequestContext<RoleServer>) -> Result<Desk, ToolError> {
        let desk = self.desk_for(&context.extensions).ok_or_else(|| {
            ToolError::new(
                Code::VaultBusy,
                "no vault is open",
                "the person must open a vault in Vidimus; then call again",
            )
        })?;
        let program = context.client_info().map(|info| info.title.unwrap_or(info.name));
        self.presence.seen(desk.client(), self.door, program);
        Ok(desk)
    }

    async fn call(
        &self,
        name: &str,
        arguments: Option<JsonObject>,
        context: &RequestContext<RoleServer>,
    ) -> Result<Value, ToolError> {
        let Some(tool) = tools::find(name) else {
            return Err(ToolError::new(Code::Internal, "the tool is not known", "list the tools"));
        };
        let desk = self.desk(context)?;
        let client = desk.client().to_owned();
        let asked = subject(arguments.as_ref());
        let begun = Instant::now();
        let outcome = self.work(tool, desk, arguments, context).await;
        let found = outcome.as_ref().ok().and_then(|answer| answer.get("rel_path")).and_then(Value::as_str);
        self.presence.called(Called {
            at: SystemTime::now(),
            client,
            door: self.door,
            tool: tool.name.to_owned(),
            subject: found.map(str::to_owned).or(asked),
            refused: outcome.as_ref().err().map(|error| error.code.as_str().to_owned()),
            waiting: tool.is_write() && outcome.as_ref().is_ok_and(|answer| answer["status"] == "proposed"),
            took: begun.elapsed(),
        });
        outcome
    }

    /// Does something for the client that asks, on a thread of its own.
    async fn with_desk<T: Send + 'static>(
        &self,
        context: &RequestContext<RoleServer>,
        work: impl FnOnce(&Desk) -> Result<T, ErrorData> + Send + 'static,
    ) -> Result<T, ErrorData> {
        let desk = self.desk(context).map_err(|error| ErrorData::internal_error(error.message, None))?;
        let done = tokio::task::spawn_blocking(move || work(&desk)).await;
        done.unwrap_or_else(|_| Err(ErrorData::internal_error(internal().message, None)))
    }

    /// Runs a tool on a thread of its own.
    async fn work(
        &self,
        tool: &'static tools::Tool,
        desk: Desk,
        arguments: Option<JsonObject>,
        context: &RequestContext<RoleServer>,
    ) -> Result<Value, ToolError> {
        let (settings, remembered) = (self.settings, self.remembered.clone());
        let gone = Gone::default();
        let cancelled = gone.0.clone();
        let work = tokio::task::spawn_blocking(move || {
            tools::call(tool, &desk, &settings, &remembered, arguments.as_ref(), &cancelled)
        });
        tokio::select! {
            // A panic of a tool ends that call alone.
            done = work => done.unwrap_or_else(|_| Err(internal())),
            () = context.ct.cancelled() => Err(ToolError::new(Code::Internal, "the call was cancelled", "call again if it is still wanted")),
        }
    }
}

/// Tells a running tool, when it goes, that nobody waits for its answer.
#[derive(Default)]
struct Gone(Arc<AtomicBool>);

impl Drop for Gone {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

impl ServerHandler for AgentServer {
    fn get_info(&self) -> ServerConfig {
        let about = Implementation::new("vidimus", env!("CARGO_PKG_VERSION")).with_title("Vidimus").with_description(
            "A person's Markdown notes: read section by section, propose changes that the person decides on.",
        );
        let capabilities = ServerCapabilities::builder()
            .enable_completions()
            .enable_prompts()
            .enable_resources()
            .enable_resources_list_changed()
            .enable_resources_subscribe()
            .enable_tools()
            .enable_tasks()
            .build();
        ServerConfig::new(capabilities).with_server_info(about).with_instructions(INSTRUCTIONS)
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let tools = match (&self.desks, self.desk(&context)) {
            (Desks::NotYet(hello), _) => tools::catalog(|tool| hello.offers(tool)),
            (_, Ok(desk)) => tools::catalog(|tool| tool.check_leave(&desk).is_ok()),
            (_, Err(_)) => tools::catalog(|_| true),
        };
        let mut list = ListToolsResult::with_all_items(tools);
        list.ttl_ms = Some(LIST_TTL_MS);
        list.cache_scope = Some(CacheScope::Private);
        Ok(list)
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        tools::catalog(|tool| tool.name == name).pop()
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        if tools::find(&request.name).is_none() {
            return Err(unknown_tool(&request.name));
        }
        let outcome = self.call(&request.name, request.arguments, &context).await;
        let speaks_tasks = context.client_capabilities().is_some_and(|client| client.supports_tasks());
        if let (true, Ok(answer)) = (speaks_tasks, &outcome) {
            let answer = answer.clone();
            let task = self.with_desk(&context, move |desk| Ok(tasks::created(desk, &answer))).await?;
            if let Some(task) = task {
                return Ok(CallToolResponse::Task(task));
            }
        }
        Ok(result(outcome).into())
    }

    async fn list_resources(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let cursor = request.and_then(|request| request.cursor);
        let settings = self.settings;
        self.with_desk(&context, move |desk| resources::list(desk, &settings, cursor.as_deref())).await
    }

    async fn list_resource_templates(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        let mut list = resources::templates();
        (list.ttl_ms, list.cache_scope) = (Some(LIST_TTL_MS), Some(CacheScope::Private));
        Ok(list)
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let (settings, remembered) = (self.settings, self.remembered.clone());
        let read = move |desk: &Desk| resources::read(desk, &settings, &remembered, &request.uri);
        self.with_desk(&context, read).await.map(Into::into)
    }

    /// From here on a session with a handshake is told what changes.
    async fn on_initialized(&self, context: NotificationContext<RoleServer>) {
        if let Some(desk) = self.desk_for(&context.extensions) {
            self.followed.begin(&desk, context.peer, self.leave(&desk));
        }
    }

    #[allow(deprecated, reason = "clients of the handshake era follow resources so")]
    async fn subscribe(
        &self,
        request: SubscribeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        // A request without a session has nowhere to be told anything later.
        let headers = context.extensions.get::<Parts>().map(|parts| &parts.headers);
        if headers.is_some_and(|headers| !headers.contains_key(SESSION)) {
            return Err(ErrorData::new(ErrorCode::METHOD_NOT_FOUND, "resources/subscribe needs a session", None));
        }
        if !resources::is_ours(&request.uri) {
            let uri = json!({"uri": request.uri});
            return Err(ErrorData::resource_not_found("no resource has this address", Some(uri)));
        }
        let desk = self.desk(&context).map_err(|error| ErrorData::internal_error(error.message, None))?;
        self.followed.begin(&desk, context.peer, self.leave(&desk));
        self.followed.add(request.uri)
    }

    #[allow(deprecated, reason = "clients of the handshake era follow resources so")]
    async fn unsubscribe(
        &self,
        request: UnsubscribeRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.followed.remove(&request.uri);
        Ok(())
    }

    fn accepted_subscription_filter(&self, requested: &SubscriptionFilter) -> Option<SubscriptionFilter> {
        self.asked.note(requested);
        Some(subscriptions::accepted(requested))
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        let since = self.asked.take(context.requested());
        let desk = self.desk(context.request_context());
        let desk = desk.map_err(|error| ErrorData::internal_error(error.message, None))?;
        subscriptions::listen(&desk, since, &context, self.leave(&desk)).await;
        Ok(())
    }

    async fn list_prompts(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        let mut list = prompts::list();
        (list.ttl_ms, list.cache_scope) = (Some(LIST_TTL_MS), Some(CacheScope::Private));
        Ok(list)
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        let settings = self.settings;
        let get = move |desk: &Desk| prompts::get(desk, &settings, &request.name, request.arguments.as_ref());
        self.with_desk(&context, get).await.map(Into::into)
    }

    async fn complete(
        &self,
        request: CompleteRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        let CompleteRequestParams { r#ref, argument, .. } = request;
        let complete = move |desk: &Desk| {
            Ok(match r#ref {
                Reference::Resource(template)
                    if template.uri == resources::NOTE_TEMPLATE && argument.name == "path" =>
                {
                    resources::complete_path(desk, &argument.value)
                }
                Reference::Prompt(prompt) => prompts::complete(desk, &prompt.name, &argument.name, &argument.value),
                _ => CompletionInfo::default(),
            })
        };
        self.with_desk(&context, complete).await.map(CompleteResult::new)
    }

    async fn get_task(
        &self,
        request: GetTaskParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetTaskResult, ErrorData> {
        let (settings, remembered) = (self.settings, self.remembered.clone());
        self.with_desk(&context, move |desk| tasks::get(desk, &settings, &remembered, &request.task_id)).await
    }

    async fn cancel_task(
        &self,
        request: CancelTaskParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.with_desk(&context, move |desk| tasks::cancel(desk, &request.task_id)).await
    }

    /// Nothing is ever asked of a client in the middle of a task, so there is nothing to take in.
    async fn update_task(
        &self,
        request: UpdateTaskParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.with_desk(&context, move |desk| tasks::own(desk, &request.task_id).map(drop)).await
    }

    /// A call whose arguments are not an object does not fit the protocol's type and arrives here: it gets the same
    /// kind of answer as any other wrong argument, so that a model can correct itself.
    async fn on_custom_request(
        &self,
        request: CustomRequest,
        _context: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        answers::misshapen(request)
    }
}
