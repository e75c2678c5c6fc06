//! Making a call, with the hooks around it.

use super::hooks::{HookedCall, around_tool};
use super::reports::Report;
use super::scope::RunReporter;
use super::{RuntimeConfig, spans};
use crate::run::PendingCall;
use agent_tool::__private::KeptMedia;
use agent_tool::ToolContext;
use agent_tool::library::BoundTool;
use agent_tool::redact::Redactor;
use agent_tool::tool::ToolError;
use serde_json::Value;
use std::future::poll_fn;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::Poll;
use std::time::Duration;

/// A call, and the values that making it needs.
pub(super) struct Call<'a> {
    pub(super) config: &'a RuntimeConfig,
    pub(super) tool: BoundTool,
    pub(super) call: PendingCall,
    pub(super) context: ToolContext,
    pub(super) timeout: Duration,
    pub(super) attempt: u32,
    pub(super) reporter: RunReporter,
}

impl Call<'_> {
    /// Makes the call.
    pub(super) async fn make(&self) -> HookedCall {
        let redactor = self.config.trace_redactor.as_ref();
        let (tool, context) = (&self.tool, &self.context);
        let (timeout, attempt) = (self.timeout, self.attempt);
        let hooks = &*self.config.hooks;
        if hooks.is_empty() {
            let result = traced(tool, &self.call, context, timeout, attempt, redactor).await;
            return HookedCall::plain(result);
        }
        let run = &self.reporter.shared.context;
        let hooked = around_tool(hooks, run, tool, &self.call, |call| async move {
            traced(tool, &call, context, timeout, attempt, redactor).await
        });
        // Boxed, because a call without hooks needs far less room.
        Box::pin(hooked).await
    }

    /// Calls the hooks before and after the call of an agent. Its run is no future: the driver begins it when the hooks
    /// let the call pass, and gives its result.
    pub(super) async fn make_agent(&self, id: String, result: AgentResult) -> HookedCall {
        let hooks = &*self.config.hooks;
        let (run, reporter) = (&self.reporter.shared.context, &self.reporter);
        around_tool(hooks, run, &self.tool, &self.call, |call| {
            reporter.reporter.send(Report::BeginAgent {
                place: reporter.shared.place.clone(),
                id,
                arguments: call.arguments,
            });
            result.wait()
        })
        .await
    }
}

/// The place for the result of an agent. The driver fills it, and polls all calls after that.
#[derive(Clone, Default)]
pub(super) struct AgentResult(Arc<Mutex<Option<Result<Value, ToolError>>>>);

impl AgentResult {
    pub(super) fn give(&self, result: Result<Value, ToolError>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(result);
    }

    async fn wait(self) -> Result<Value, ToolError> {
        poll_fn(|_| {
            let mut result = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            result.take().map_or(Poll::Pending, Poll::Ready)
        })
        .await
    }
}

/// The outcome of a call, with the bytes of the media of its result.
pub(super) struct CallOutcome {
    pub(super) hooked: HookedCall,
    pub(super) kept: KeptMedia,
}

/// Makes a call within its span.
async fn traced(
    tool: &BoundTool,
    call: &PendingCall,
    context: &ToolContext,
    timeout: Duration,
    attempt: u32,
    redactor: Option<&Redactor>,
) -> Result<Value, ToolError> {
    let mut operation = spans::execute_tool(call, tool.spec().description(), attempt, redactor);
    let work = tool.call(&call.arguments, context, timeout);
    let result = operation.around(work).await;
    spans::record_call(&mut operation, &result, redactor);
    result
}
