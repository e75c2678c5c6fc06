//! Calling the hooks of a runtime.

use crate::hook::{Hook, RunContext, StopRun, ToolVerdict};
use crate::library::BoundTool;
use crate::model::{ModelReply, ModelRequest};
use crate::run::{PendingCall, validate_call};
use crate::tool::{ToolError, check_result};
use serde_json::Value;

/// The result of a call before which a hook stopped the run.
const STOPPED: &str = "not made: a hook stopped the run before the call was begun";

/// The hooks of a runtime, in the order in which they were added.
pub(crate) type Hooks = [Box<dyn Hook>];

/// The outcome of a call and of the hooks around it.
pub(super) struct HookedCall {
    pub(super) result: Result<Value, ToolError>,
    /// The arguments that the tool was given, when a hook changed them.
    pub(super) arguments: Option<String>,
    pub(super) stop: Option<StopRun>,
}

impl HookedCall {
    /// The outcome of a call without hooks.
    pub(super) fn plain(result: Result<Value, ToolError>) -> Self {
        Self {
            result,
            arguments: None,
            stop: None,
        }
    }

    fn stopped(stop: StopRun) -> Self {
        Self {
            stop: Some(stop),
            ..Self::plain(Err(ToolError::Execution(STOPPED.to_owned())))
        }
    }
}

pub(super) async fn before_model(
    hooks: &Hooks,
    run: &RunContext,
    request: &mut ModelRequest,
) -> Result<(), StopRun> {
    for hook in hooks {
        hook.before_model(run, request).await?;
    }
    Ok(())
}

pub(super) async fn after_model(
    hooks: &Hooks,
    run: &RunContext,
    request: &ModelRequest,
    reply: &mut ModelReply,
) -> Result<(), StopRun> {
    for hook in hooks.iter().rev() {
        hook.after_model(run, request, reply).await?;
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
        Err(stop) => return HookedCall::stopped(stop),
    };
    let is_changed = arguments != call.arguments;
    let mut call = PendingCall {
        arguments,
        ..call.clone()
    };
    let mut result = match verdict {
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
    let stop = after_tool(hooks, run, &call, &mut result).await.err();
    // A hook may have changed the result, so it is validated as the tool's own result is.
    if let Ok(value) = &result
        && let Err(error) = check_result(tool.spec().signature(), value)
    {
        result = Err(error);
    }
    HookedCall {
        result,
        arguments: is_changed.then_some(call.arguments),
        stop,
    }
}

async fn before_tool(
    hooks: &Hooks,
    run: &RunContext,
    call: &PendingCall,
    arguments: &mut String,
) -> Result<ToolVerdict, StopRun> {
    for hook in hooks {
        let verdict = hook.before_tool(run, call, arguments).await?;
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
) -> Result<(), StopRun> {
    for hook in hooks.iter().rev() {
        hook.after_tool(run, call, result).await?;
    }
    Ok(())
}
