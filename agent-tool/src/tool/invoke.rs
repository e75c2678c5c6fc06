//! Making one call, with a timeout, and with a panic turned into an error.

use crate::config_checks::check_timers;
use crate::context::ToolContext;
use crate::media::{KeptMedia, Part, read_media_result};
use crate::tool::contract_guard::ContractGuard;
use crate::tool::{Contract, PartSchemas, Tool, ToolError, shortened};
use crate::trace::{TARGET, WIRE};
use agent_spec::Signature;
use serde_json::Value;
use std::any::Any;
use std::future::poll_fn;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

/// The timeout of a call if neither the tool nor the agent sets one.
pub const DEFAULT_TOOL_TIMEOUT: Duration = Duration::from_secs(10);

/// The maximum number of bytes of a panic's message in an error or in a text for the model. The trace of
/// content has the whole message.
pub const PANIC_TEXT: usize = 200;

/// Calls a tool with arguments: JSON text of an object.
///
/// The arguments are validated against the tool's own signature or JSON Schema, and its defaults are filled
/// in, as in a run, so that this function accepts the same arguments as a run. For a tool that is written by
/// hand and has JSON Schemas, the schemas are compiled at each call. A run also validates a call against the
/// spec of the agent, which is not known here.
///
/// The call is stopped at its own timeout (10 s, unless the tool sets one) or at the
/// context's deadline, whichever comes first; a panic becomes an error, except in programs built
/// with `panic = "abort"`; the result is validated against the return type of the tool's signature or
/// against its output schema. Dropping the future cancels the call.
///
/// # Errors
/// The reason for which there is no result.
pub async fn invoke_tool(
    tool: &dyn Tool,
    arguments: &str,
    context: &ToolContext,
) -> Result<Value, ToolError> {
    check_timers().map_err(|error| ToolError::Execution(error.to_string()))?;
    let timeout = tool.descriptor().settings().timeout;
    let timeout = timeout.unwrap_or(DEFAULT_TOOL_TIMEOUT);
    let guard = ContractGuard::of(tool).map_err(|error| {
        let name = tool.descriptor().name();
        ToolError::Execution(format!(
            "a schema of the tool `{name}` cannot be used: {error}"
        ))
    })?;
    let none = (None, None);
    invoke_within((tool, &guard), none, arguments, context, timeout).await
}

/// Calls a tool with a timeout, behind its guard. The result is also validated against the return type of the spec and the
/// schemas of its parts, if they are given.
pub(crate) async fn invoke_within(
    (tool, guard): (&dyn Tool, &ContractGuard),
    (spec, parts): (Option<&Signature>, Option<&PartSchemas>),
    arguments: &str,
    context: &ToolContext,
    timeout: Duration,
) -> Result<Value, ToolError> {
    let arguments = &*guard.arguments(tool.descriptor(), arguments)?;
    let timeout = timeout.min(context.time_left().unwrap_or(Duration::MAX));
    let are_valid = matches!(guard, ContractGuard::Covered) && tool.trusts_validation();
    let context = context.clone().with_valid_arguments(are_valid);
    // A timeout too long for the clock is no limit.
    let context = match Instant::now().checked_add(timeout) {
        Some(deadline) => context.with_deadline(deadline),
        None => context,
    };
    // Work that the call started elsewhere is cancelled when the call ends, however it ends.
    let call = context.cancellation().child();
    let context = context.with_cancellation(call.clone());
    let cancel_on_drop = call.guard();
    // A tool may also panic before it returns its future.
    let work = catch_panic(async { tool.call(arguments, &context).await });
    let result = match tokio::time::timeout(timeout, work).await {
        Err(_) => return Err(ToolError::Timeout),
        Ok(Err(message)) => return Err(panicked(tool, &message)),
        Ok(Ok(result)) => result?,
    };
    drop(cancel_on_drop);
    let mut result = result;
    guard.result(&result)?;
    if let Contract::Signature(signature) = tool.descriptor().contract() {
        take_result(signature, &mut result, context.kept_media())?;
    }
    if let Some(spec) = spec {
        take_result(spec, &mut result, context.kept_media())?;
    }
    if let Some(parts) = parts {
        parts.check_result(&result)?;
    }
    Ok(result)
}

/// Validates a result against the return type of a signature.
pub fn check_call_result(signature: &Signature, result: &Value) -> Result<(), ToolError> {
    signature
        .returns()
        .ty()
        .validate(result)
        .map_err(|violations| {
            ToolError::Validation(format!("the tool's result is not right: {violations}"))
        })
}

/// Validates a result against the return type of a signature, and returns the parts of a result of media.
/// Bytes of media in the result are kept and replaced by their digest.
pub fn take_result(
    signature: &Signature,
    result: &mut Value,
    kept: &KeptMedia,
) -> Result<Vec<Part>, ToolError> {
    check_call_result(signature, result)?;
    read_media_result(signature.returns().ty(), result, kept).map_err(|problem| {
        ToolError::Validation(format!("the tool's result is not right: {problem}"))
    })
}

fn panicked(tool: &dyn Tool, text: &str) -> ToolError {
    let name = tool.descriptor().name();
    // The message may quote private content, so it is only in the trace of content.
    tracing::error!(target: TARGET, tool = name, "a tool panicked");
    tracing::trace!(target: WIRE, tool = name, panic = text, "a tool panicked");
    ToolError::Execution(format!(
        "the tool panicked: {}",
        shortened(text, PANIC_TEXT)
    ))
}

/// Awaits `work`. If it panics, returns the message of the panic.
///
/// In a program built with `panic = "abort"`, the panic ends the program.
///
/// ```
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// let work = agent_runtime::tool::catch_panic(async { panic!("out of paper") });
/// assert_eq!(work.await, Err::<(), _>("out of paper".to_owned()));
/// # }
/// ```
///
/// # Errors
/// The message of the panic.
pub async fn catch_panic<T>(work: impl Future<Output = T>) -> Result<T, String> {
    let mut work = pin!(work);
    // The future is not polled again after a panic, so it need not be unwind safe.
    let poll = |context: &mut Context<'_>| match catch_unwind(AssertUnwindSafe(|| {
        work.as_mut().poll(context)
    })) {
        Ok(poll) => poll.map(Ok),
        Err(panic) => Poll::Ready(Err(panic_message(&*panic).to_owned())),
    };
    poll_fn(poll).await
}

fn panic_message(panic: &(dyn Any + Send)) -> &str {
    match (panic.downcast_ref::<&str>(), panic.downcast_ref::<String>()) {
        (Some(text), _) => text,
        (_, Some(text)) => text.as_str(),
        _ => "no message",
    }
}
