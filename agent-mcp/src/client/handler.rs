//! The messages that a server sends unasked: progress, changed lists, and questions.

use super::input::{InputAnswer, InputForm, InputHandler, InputRequest};
use agent_runtime::__private::shortened;
use agent_runtime::ToolContext;
use rmcp::ClientHandler;
use rmcp::model::{
    ClientCapabilities, ClientConfig, ElicitRequestParams, ElicitResult, ElicitationAction,
    ElicitationCapability, ErrorData, FormElicitationCapability, Implementation,
    ProgressNotificationParam, ProgressToken, UrlElicitationCapability,
};
use rmcp::service::{NotificationContext, RequestContext, RoleClient};
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use tokio::sync::Mutex;

/// The maximum number of bytes of a report of progress.
const PROGRESS_TEXT: usize = 1 << 10;

/// The maximum number of bytes of a question.
const QUESTION_TEXT: usize = 16 << 10;

/// The client's side of one connection. Clones share their state.
#[derive(Clone)]
pub(crate) struct Handler {
    server: Arc<str>,
    input: Option<InputHandler>,
    pub(crate) progress: Progress,
    /// The number of changes of the server's list of tools.
    pub(crate) changes: Arc<AtomicU64>,
}

/// The calls that wait for progress. A call is sent and added under one lock, so that its first report finds
/// it.
pub(crate) type Progress = Arc<Mutex<HashMap<ProgressToken, Reported>>>;

/// A call, and the progress that it reported last.
pub(crate) struct Reported {
    context: ToolContext,
    last: f64,
}

impl Reported {
    pub(crate) fn new(context: ToolContext) -> Self {
        let last = f64::NEG_INFINITY;
        Self { context, last }
    }
}

impl Handler {
    pub(crate) fn new(server: Arc<str>, input: Option<InputHandler>) -> Self {
        Self {
            server,
            input,
            progress: Progress::default(),
            changes: Arc::default(),
        }
    }

    /// Answers a question of the server: by the host, or by declining.
    pub(crate) async fn answer(&self, asked: ElicitRequestParams) -> ElicitResult {
        let Some(input) = &self.input else {
            return ElicitResult::new(ElicitationAction::Decline);
        };
        let (message, form) = match asked {
            ElicitRequestParams::FormElicitationParams {
                message,
                requested_schema,
                ..
            } => match serde_json::to_value(requested_schema) {
                Ok(schema) => (message, InputForm::Fields(schema)),
                Err(_) => return ElicitResult::new(ElicitationAction::Decline),
            },
            ElicitRequestParams::UrlElicitationParams { message, url, .. } => {
                (message, InputForm::Page(url))
            }
            _ => return ElicitResult::new(ElicitationAction::Decline),
        };
        let request = InputRequest {
            server: self.server.to_string(),
            message: shortened(&message, QUESTION_TEXT),
            form,
        };
        match input.answer(request).await {
            InputAnswer::Accept(content) => {
                let result = ElicitResult::new(ElicitationAction::Accept);
                match content.is_null() {
                    true => result,
                    false => result.with_content(content),
                }
            }
            InputAnswer::Decline => ElicitResult::new(ElicitationAction::Decline),
            InputAnswer::Cancel => ElicitResult::new(ElicitationAction::Cancel),
        }
    }
}

impl ClientHandler for Handler {
    fn get_info(&self) -> ClientConfig {
        let mut capabilities = ClientCapabilities::default();
        capabilities.elicitation = self.input.as_ref().map(|_| {
            ElicitationCapability::new()
                .with_form(FormElicitationCapability::default())
                .with_url(UrlElicitationCapability::default())
        });
        let client = Implementation::new("agent-mcp", env!("CARGO_PKG_VERSION"));
        ClientConfig::new(capabilities, client)
    }

    async fn create_elicitation(
        &self,
        request: ElicitRequestParams,
        context: RequestContext<RoleClient>,
    ) -> Result<ElicitResult, ErrorData> {
        tokio::select! {
            answer = self.answer(request) => Ok(answer),
            () = context.ct.cancelled() => Ok(ElicitResult::new(ElicitationAction::Cancel)),
        }
    }

    /// Refuses the request, because a server gets its folders from its arguments. rmcp would answer with an
    /// empty list.
    #[expect(deprecated, reason = "older servers still ask")]
    async fn list_roots(
        &self,
        _context: RequestContext<RoleClient>,
    ) -> Result<rmcp::model::ListRootsResult, ErrorData> {
        Err(refused("roots/list"))
    }

    async fn on_progress(
        &self,
        reported: ProgressNotificationParam,
        _context: NotificationContext<RoleClient>,
    ) {
        let mut calls = self.progress.lock().await;
        let Some(call) = calls.get_mut(&reported.progress_token) else {
            return;
        };
        // Each report is handled by its own task, so an older report may arrive after a newer one.
        if reported.progress <= call.last {
            return;
        }
        call.last = reported.progress;
        let text = match (&reported.message, reported.total) {
            (Some(message), _) => shortened(message, PROGRESS_TEXT),
            (None, Some(total)) => format!("{} of {total}", reported.progress),
            (None, None) => reported.progress.to_string(),
        };
        call.context.report(&text);
    }

    async fn on_tool_list_changed(&self, _context: NotificationContext<RoleClient>) {
        self.changes.fetch_add(1, Ordering::SeqCst);
    }
}

/// The error for a request of a server that this client does not allow.
pub(crate) fn refused(method: &str) -> ErrorData {
    let text = format!("this client does not allow `{method}`");
    ErrorData::new(rmcp::model::ErrorCode::METHOD_NOT_FOUND, text, None)
}
