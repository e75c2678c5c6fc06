//! Asking the hooks of a runtime.

use crate::hook::{Hook, RunContext, StopRun, ToolVerdict};
use crate::library::BoundTool;
use crate::model::{ModelReply, ModelRequest};
use crate::run::{PendingCall, validate_call};
use crate::tool::ToolError;
use crate::tool::check_result;
use serde_json::Value;

/// The result of a call before which a hook stopped the run.
const STOPPED: &str = "not made: a hook stopped the run before the call was begun";

/// The hooks of a runtime, in the order in which they were added.
pub(crate) type Hooks = [Box<dyn Hook>];

/// What came of a call.
pub(super) struct Made {
    pub(super) result: Result<Value, ToolError>,
    /// The arguments that the tool was given, when a hook changed them.
    pub(super) arguments: Option<String>,
    pub(super) stop: Option<StopRun>,
}

impl Made {
    /// A call as the run wants it.
    pub(super) fn of(result: Result<Value, ToolError>) -> Self {
        Self {
            result,
            arguments: None,
            stop: None,
        }
    }

    fn stopped(stop: StopRun) -> Self {
        Self {
            stop: Some(stop),
            ..Self::of(Err(ToolError::Execution(STOPPED.to_owned())))
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

/// Makes a call between what the hooks do before and after it.
pub(super) async fn around_tool<F: Future<Output = Result<Value, ToolError>>>(
    hooks: &Hooks,
    run: &RunContext,
    tool: &BoundTool,
    call: &PendingCall,
    make: impl FnOnce(PendingCall) -> F,
) -> Made {
    let mut arguments = call.arguments.clone();
    let verdict = match before_tool(hooks, run, call, &mut arguments).await {
        Ok(verdict) => verdict,
        Err(stop) => return Made::stopped(stop),
    };
    let is_changed = arguments != call.arguments;
    let mut made = PendingCall {
        arguments,
        ..call.clone()
    };
    let mut result = match verdict {
        ToolVerdict::Answer(result) => result,
        ToolVerdict::Call if is_changed => match validate_call(&tool.rule(), &made.arguments) {
            Ok(arguments) => {
                made.arguments = arguments;
                make(made.clone()).await
            }
            Err(error) => Err(error),
        },
        ToolVerdict::Call => make(made.clone()).await,
    };
    let stop = after_tool(hooks, run, &made, &mut result).await.err();
    // What a hook makes of a result is held against its type as what a tool returns is.
    if let Ok(value) = &result
        && let Err(error) = check_result(tool.spec().signature(), value)
    {
        result = Err(error);
    }
    Made {
        result,
        arguments: is_changed.then_some(made.arguments),
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
