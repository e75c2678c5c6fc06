//! Calling the hooks of a runtime.

use crate::hook::{Hook, RunContext, StopRun, ToolVerdict};
use crate::model::{ModelReply, ModelRequest};
use crate::run::{PendingCall, validate_call};
use agent_tool::__private::{ErrorKind, PANIC_TEXT, check_call_result, shortened};
use agent_tool::Error;
use agent_tool::library::BoundTool;
use agent_tool::redact::Redactor;
use agent_tool::tool::{ToolError, catch_panic};
use agent_tool::trace::{TARGET, WIRE};
use serde_json::Value;

/// The result of a call before which a hook ended the run.
const STOPPED: &str = "not made: a hook stopped the run before the call was begun";

/// The hooks of a runtime, in the order in which they were added.
pub(crate) type Hooks = [Box<dyn Hook>];

/// The outcome of a call and of the hooks around it.
pub(super) struct HookedCall {
    pub(super) result: Result<Value, ToolError>,
    /// The arguments that the tool was given, when a hook changed them.
    pub(super) arguments: Option<String>,
    pub(super) end: Option<HookEnd>,
}

impl HookedCall {
    /// Replaces the secrets in the result.
    pub(super) fn redact(&mut self, redactor: &Redactor) {
        self.result = match &self.result {
            Ok(value) => Ok(redactor.value(value)),
            Err(error) => Err(error.redacted(redactor)),
        };
        if let Some(arguments) = &mut self.arguments {
            *arguments = redactor.text(arguments);
        }
    }
}

/// The reason for which a hook ends the run.
pub(super) enum HookEnd {
    Stopped(StopRun),
    Panicked { method: &'static str, text: String },
}

impl HookEnd {
    /// Returns the error that ends the run. The message of a panic may quote anything, so its secrets are
    /// replaced.
    pub(super) fn into_error(self, redactor: &Redactor) -> Error {
        match self {
            Self::Stopped(stop) => Error::cancelled(stop.to_string()),
            Self::Panicked { method, text } => {
                let text = shortened(&redactor.text(&text), PANIC_TEXT);
                let text = format!("a hook panicked in `{method}`: {text}");
                Error::new(ErrorKind::Panic, text)
            }
        }
    }
}

/// Awaits a method of a hook, and catches its panic.
async fn guarded<T>(
    method: &'static str,
    work: impl Future<Output = Result<T, StopRun>>,
) -> Result<T, HookEnd> {
    match catch_panic(work).await {
        Ok(done) => done.map_err(HookEnd::Stopped),
        Err(text) => {
            tracing::error!(target: TARGET, method, "a hook panicked");
            tracing::trace!(target: WIRE, method, panic = text, "a hook panicked");
            Err(HookEnd::Panicked { method, text })
        }
    }
}

impl HookedCall {
    /// The outcome of a call without hooks.
    pub(super) fn plain(result: Result<Value, ToolError>) -> Self {
        Self {
            result,
            arguments: None,
            end: None,
        }
    }

    fn ended(end: HookEnd) -> Self {
        Self {
            end: Some(end),
            ..Self::plain(Err(ToolError::Execution(STOPPED.to_owned())))
        }
    }
}

pub(super) async fn before_model(
    hooks: &Hooks,
    run: &RunContext,
    request: &mut ModelRequest,
) -> Result<(), HookEnd> {
    for hook in hooks {
        // Inside `async`, because a hook may panic before it returns its future.
        guarded("before_model", async {
            hook.before_model(run, request).await
        })
        .await?;
    }
    Ok(())
}

pub(super) async fn after_model(
    hooks: &Hooks,
    run: &RunContext,
    request: &ModelRequest,
    reply: &mut ModelReply,
) -> Result<(), HookEnd> {
    for hook in hooks.iter().rev() {
        guarded("after_model", async {
            hook.after_model(run, request, reply).await
        })
        .await?;
    }
    Ok(())
}

/// Calls the hooks before and after a call. `invoke` makes the call.
pub(super) async fn around_tool<F: Future<Output = Result<Value, ToolError>>>(
    hooks: &Hooks,
    run: &RunContext,
    tool: &BoundTool,
    call: &PendingCall,
    invoke: impl FnOnce(PendingCall) -> F,
) -> HookedCall {
    let mut arguments = call.arguments.clone();
    let verdict = match before_tool(hooks, run, call, &mut arguments).await {
        Ok(verdict) => verdict,
        Err(end) => return HookedCall::ended(end),
    };
    let is_changed = arguments != call.arguments;
    let mut call = PendingCall {
        arguments,
        ..call.clone()
    };
    let result = match verdict {
        ToolVerdict::Answer(result) => result,
        ToolVerdict::Call if is_changed => match validate_call(tool.rule(), &call.arguments) {
            Ok(arguments) => {
                call.arguments = arguments;
                invoke(call.clone()).await
            }
            Err(error) => Err(error),
        },
        ToolVerdict::Call => invoke(call.clone()).await,
    };
    HookedCall {
        arguments: is_changed.then(|| call.arguments.clone()),
        ..after_call(hooks, run, tool, &call, result).await
    }
}

/// Calls the hooks after a call.
pub(super) async fn after_call(
    hooks: &Hooks,
    run: &RunContext,
    tool: &BoundTool,
    call: &PendingCall,
    mut result: Result<Value, ToolError>,
) -> HookedCall {
    let end = after_tool(hooks, run, call, &mut result).await.err();
    // A hook may have changed the result, so it is validated as the tool's own result is.
    if let Ok(value) = &result
        && let Err(error) = check_call_result(tool.spec().signature(), value)
            .and_then(|()| tool.rule().parts.check_result(value))
    {
        result = Err(error);
    }
    HookedCall {
        result,
        arguments: None,
        end,
    }
}

async fn before_tool(
    hooks: &Hooks,
    run: &RunContext,
    call: &PendingCall,
    arguments: &mut String,
) -> Result<ToolVerdict, HookEnd> {
    for hook in hooks {
        let work = async { hook.before_tool(run, call, arguments).await };
        let verdict = guarded("before_tool", work).await?;
        if verdict != ToolVerdict::Call {
            return Ok(verdict);
        }
    }
    Ok(ToolVerdict::Call)
}

async fn after_tool(
    hooks: &Hooks,
    run: &RunContext,
    call: &PendingCall,
    result: &mut Result<Value, ToolError>,
) -> Result<(), HookEnd> {
    for hook in hooks.iter().rev() {
        guarded("after_tool", async {
            hook.after_tool(run, call, result).await
        })
        .await?;
    }
    Ok(())
}
