//! Making a call, with the hooks around it.

use super::hooks::{HookedCall, around_tool};
use super::scope::RunReporter;
use super::{RuntimeConfig, spans};
use crate::run::PendingCall;
use agent_spec::Agent;
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

/// Returns the timeout of a call: the shortest of the timeouts of the tool, the spec and the agent. If none of them is
/// set, it is the timeout of the runtime. `tool/invoke.rs` of agent-tool enforces it.
pub(super) fn timeout(config: &RuntimeConfig, agent: &Agent, tool: &BoundTool) -> Duration {
    let timeouts = [
        tool.tool().descriptor().settings().timeout,
        tool.spec().timeout(),
        agent.settings().tool_timeout,
    ];
    let shortest = timeouts.into_iter().flatten().min();
    shortest.unwrap_or(config.tool_timeout)
}

/// A call, and the values that making it needs.
pub(super) struct DrivenCall<'a> {
    pub(super) config: &'a RuntimeConfig,
    pub(super) tool: BoundTool,
    pub(super) call: PendingCall,
    pub(super) context: ToolContext,
    pub(super) timeout: Duration,
    pub(super) attempt: u32,
    pub(super) reporter: RunReporter,
}

impl DrivenCall<'_> {
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

    /// Calls the hooks before and after the call of an agent. The run of the agent is no future: the driver
    /// begins the run when the hooks allow the call, and passes its result to the call.
    pub(super) async fn make_agent(&self, agent: HookedAgent) -> HookedCall {
        let hooks = &*self.config.hooks;
        let run = &self.reporter.shared.context;
        around_tool(hooks, run, &self.tool, &self.call, |call| {
            agent.set(HookedStep::Passed {
                arguments: call.arguments,
            });
            agent.result()
        })
        .await
    }
}

/// The call of an agent with hooks around it. The driver checks the state of the call after it has polled the
/// calls, and polls them again after it has changed the state.
#[derive(Clone, Default)]
pub(super) struct HookedAgent(Arc<Mutex<HookedStep>>);

#[derive(Default)]
enum HookedStep {
    /// The hooks or the run of the agent are in progress.
    #[default]
    Going,
    /// The hooks allowed the call, with these arguments.
    Passed { arguments: String },
    /// The agent has ended.
    Ended(Result<Value, ToolError>),
}

impl HookedAgent {
    /// Takes the arguments of a call that the hooks allowed, once.
    pub(super) fn take_passed(&self) -> Option<String> {
        let mut step = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match std::mem::take(&mut *step) {
            HookedStep::Passed { arguments } => Some(arguments),
            other => {
                *step = other;
                None
            }
        }
    }

    /// Whether the hooks allowed the call, and the agent has not begun.
    pub(super) fn has_passed(&self) -> bool {
        let step = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        matches!(*step, HookedStep::Passed { .. })
    }

    /// Sets the result of the agent.
    pub(super) fn end(&self, result: Result<Value, ToolError>) {
        self.set(HookedStep::Ended(result));
    }

    fn set(&self, step: HookedStep) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = step;
    }

    async fn result(self) -> Result<Value, ToolError> {
        poll_fn(|_| {
            let mut step = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            match std::mem::take(&mut *step) {
                HookedStep::Ended(result) => Poll::Ready(result),
                other => {
                    *step = other;
                    Poll::Pending
                }
            }
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
