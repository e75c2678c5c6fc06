//! A client of rmcp that is connected to a server in memory.

use agent_mcp::{ServeError, Server};
use agent_runtime::serde_json::{Value, json};
use agent_runtime::tool::ToolConfig;
use agent_runtime::{ToolLibrary, tools};
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ClientCapabilities, ClientConfig,
    ElicitRequestParams, ElicitResult, ElicitationAction, ErrorCode, ErrorData, Implementation,
    InputRequiredResult, ProgressNotificationParam, ProtocolVersion,
};
use rmcp::service::{NotificationContext, RequestContext, RunningService, ServiceError};
use rmcp::{ClientHandler, ClientLifecycleMode, ClientServiceExt, RoleClient};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::sync::{Notify, mpsc};
use tokio::task::JoinHandle;

/// The revisions that every test of tools is made with.
pub(crate) const REVISIONS: [Revision; 2] = [Revision::Current, Revision::Earlier];

/// A revision of the protocol.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Revision {
    /// 2026-07-28.
    Current,
    /// 2025-11-25.
    Earlier,
}

/// Returns a library with the tool `wait`, which waits until its call is dropped, a notice that the call began, and a channel that is closed when the
/// tool and its calls are dropped.
pub(crate) fn waiting_tool(
    signature: &'static str,
) -> (ToolLibrary, Arc<Notify>, mpsc::Receiver<()>) {
    let (began, (held, dropped)) = (Arc::new(Notify::new()), mpsc::channel(1));
    let begins = Arc::clone(&began);
    let tool = ToolConfig::with_signature("wait", "Waits", signature)
        .timeout(Duration::from_secs(600))
        .build(move |_| {
            let (begins, held) = (Arc::clone(&begins), held.clone());
            async move {
                begins.notify_one();
                held.closed().await;
                Ok(Value::Null)
            }
        });
    (tools![tool.expect("a tool")], began, dropped)
}

/// The user of a client, and what the user saw.
#[derive(Default)]
pub(crate) struct User {
    /// The answer to questions; without it, the client cannot ask.
    pub(crate) answer: Option<(ElicitationAction, Value)>,
    pub(crate) takes_tasks: bool,
    pub(crate) asked: Mutex<Vec<String>>,
    pub(crate) progress: Mutex<Vec<(f64, String)>>,
}

impl User {
    pub(crate) fn answering(action: ElicitationAction) -> Self {
        Self {
            answer: Some((action, json!({}))),
            ..Self::default()
        }
    }

    pub(crate) fn asked(&self) -> Vec<String> {
        self.asked.lock().unwrap().clone()
    }

    pub(crate) fn progress(&self) -> Vec<(f64, String)> {
        self.progress.lock().unwrap().clone()
    }
}

impl ClientHandler for User {
    fn get_info(&self) -> ClientConfig {
        let mut capabilities = match &self.answer {
            Some(_) => ClientCapabilities::builder().enable_elicitation().build(),
            None => ClientCapabilities::default(),
        };
        if self.takes_tasks {
            let tasks = ClientCapabilities::builder().enable_tasks().build();
            capabilities.extensions = tasks.extensions;
        }
        ClientConfig::new(capabilities, Implementation::new("test", "1"))
            .with_protocol_version(ProtocolVersion::V_2025_11_25)
    }

    async fn create_elicitation(
        &self,
        request: ElicitRequestParams,
        _context: RequestContext<RoleClient>,
    ) -> Result<ElicitResult, ErrorData> {
        let ElicitRequestParams::FormElicitationParams { message, .. } = request else {
            panic!("a form");
        };
        self.asked.lock().unwrap().push(message);
        let (action, content) = self.answer.clone().expect("a client that can ask");
        Ok(ElicitResult::new(action).with_content(content))
    }

    async fn on_progress(
        &self,
        report: ProgressNotificationParam,
        _context: NotificationContext<RoleClient>,
    ) {
        let text = report.message.unwrap_or_default();
        self.progress.lock().unwrap().push((report.progress, text));
    }
}

pub(crate) type Client = RunningService<RoleClient, Arc<User>>;

/// Connects a client to a server.
pub(crate) async fn connect(server: Server, revision: Revision, user: User) -> (Client, Arc<User>) {
    let (client, user, _) = connect_to(server, revision, user).await;
    (client, user)
}

/// Connects a client to a server, whose task is returned, too.
pub(crate) async fn connect_to(
    server: Server,
    revision: Revision,
    user: User,
) -> (Client, Arc<User>, JoinHandle<Result<(), ServeError>>) {
    let (ours, theirs) = tokio::io::duplex(1 << 16);
    let (input, output) = tokio::io::split(ours);
    let served = tokio::spawn(server.stream(input, output));
    let lifecycle = match revision {
        Revision::Current => ClientLifecycleMode::Discover {
            preferred_versions: vec![ProtocolVersion::V_2026_07_28],
        },
        Revision::Earlier => ClientLifecycleMode::Initialize,
    };
    let user = Arc::new(user);
    let client = Arc::clone(&user).serve_with_lifecycle(theirs, lifecycle);
    (client.await.expect("a server of MCP"), user, served)
}

/// The parameters of a call.
pub(crate) fn params(tool: &str, arguments: Value) -> CallToolRequestParams {
    let params = CallToolRequestParams::new(tool.to_owned());
    match arguments {
        Value::Object(arguments) => params.with_arguments(arguments),
        _ => params,
    }
}

/// Calls a tool.
pub(crate) async fn call(
    client: &Client,
    tool: &str,
    arguments: Value,
) -> Result<CallToolResult, ServiceError> {
    client.call_tool(params(tool, arguments)).await
}

/// Calls a tool, which must require input.
pub(crate) async fn ask(client: &Client, first: &CallToolRequestParams) -> InputRequiredResult {
    let answer = client.call_tool_once(first.clone()).await.unwrap();
    let CallToolResponse::InputRequired(required) = answer else {
        panic!("input is required: {answer:?}");
    };
    required
}

/// The parameters of the call that follows, with an answer to all questions.
pub(crate) fn answer(
    first: &CallToolRequestParams,
    required: &InputRequiredResult,
    action: &str,
) -> CallToolRequestParams {
    let mut next = first.clone();
    next.request_state.clone_from(&required.request_state);
    let questions = required
        .input_requests
        .iter()
        .flat_map(|asked| asked.keys());
    let answers = questions.map(|key| (key.clone(), json!({"action": action})));
    next.input_responses = Some(answers.collect());
    next
}

/// Calls again with an answer. Returns the text of the result.
pub(crate) async fn approve(
    client: &Client,
    first: &CallToolRequestParams,
    required: &InputRequiredResult,
) -> Result<String, ServiceError> {
    match client
        .call_tool_once(answer(first, required, "accept"))
        .await?
    {
        CallToolResponse::Complete(result) => Ok(text(&result)),
        other => panic!("the call has ended: {other:?}"),
    }
}

/// The texts of a result.
pub(crate) fn text(result: &CallToolResult) -> String {
    let blocks = result.content.iter();
    let texts = blocks.filter_map(|block| Some(block.as_text()?.text.as_str()));
    texts.collect::<Vec<_>>().join("\n")
}

/// The code of an error of the protocol.
pub(crate) fn code(error: ServiceError) -> ErrorCode {
    match error {
        ServiceError::McpError(error) => error.code,
        error => panic!("an error of the protocol: {error}"),
    }
}
