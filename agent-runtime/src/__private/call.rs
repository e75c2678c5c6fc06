//! Calling the function behind a tool: the part that is the same for all of them, so that the code
//! that is made for each stays small.
//!
//! `read` takes the parameters out of the arguments and gives back what calls the function. It may
//! be asked twice, see [`decode`]. What it is made of differs from tool to tool, so it is boxed at
//! once: what stands behind, tokio's tasks above all, is compiled for this crate alone and not for
//! each tool. The box of a closure that holds nothing takes no memory.

use super::arguments::{Arguments, DecodeError, decode, encode};
use super::broken_call;
use crate::context::ToolContext;
use crate::tool::generated::Shareable;
use crate::tool::{MethodTool, Tool, ToolError, ToolFuture, Toolbox};
use agent_spec::ToolDescriptor;
use serde_json::Value;
use std::marker::PhantomData;
use std::sync::Arc;
use tokio::task::JoinHandle;
use tracing::Span;

/// A call: the tool, the text of the arguments, and the context.
pub(super) type Asked<'a> = (&'static ToolDescriptor, &'a str, &'a ToolContext);

/// Reads the parameters of a tool from the arguments.
type Read<'a, C> = Box<dyn Fn(&Arguments<'_>) -> Result<C, DecodeError> + Send + 'a>;

/// The result of a function.
type Outcome = Result<Value, ToolError>;

/// Calls an async function.
pub fn call_async<'a, C, F>(
    asked: Asked<'a>,
    read: impl Fn(&Arguments<'_>) -> Result<C, DecodeError> + Send + 'a,
) -> ToolFuture<'a>
where
    C: FnOnce() -> F + Send + 'a,
    F: Future<Output = Result<Value, ToolError>> + Send + 'a,
{
    let read: Read<'a, ToolFuture<'a>> = Box::new(move |arguments| {
        let call = read(arguments)?;
        arguments.finish()?;
        Ok(Box::pin(call()))
    });
    awaited(asked, read)
}

fn awaited<'a>(asked: Asked<'a>, read: Read<'a, ToolFuture<'a>>) -> ToolFuture<'a> {
    Box::pin(async move { encode(asked.0, decode(asked, read)?.await) })
}

/// Calls a synchronous function on the task of the caller.
pub fn call_inline<'a, C>(
    asked: Asked<'a>,
    read: impl Fn(&Arguments<'_>) -> Result<C, DecodeError> + Send + 'a,
) -> ToolFuture<'a>
where
    C: FnOnce() -> Result<Value, ToolError> + 'a,
{
    // The function is called when all its parameters were read, so once.
    let read: Read<'a, Outcome> = Box::new(move |arguments| {
        let call = read(arguments)?;
        arguments.finish()?;
        Ok(call())
    });
    at_once(asked, read)
}

fn at_once<'a>(asked: Asked<'a>, read: Read<'a, Outcome>) -> ToolFuture<'a> {
    Box::pin(async move { encode(asked.0, decode(asked, read)?) })
}

/// Calls a synchronous function on the blocking pool, so that the caller can stop waiting for it. A
/// function that still waits for a thread then is never run; otherwise its thread runs on until the
/// function returns. A panic goes on in the caller, who takes care of it.
pub fn call_blocking<'a, C>(
    asked: Asked<'a>,
    read: impl Fn(&Arguments<'_>) -> Result<C, DecodeError> + Send + 'a,
) -> ToolFuture<'a>
where
    C: FnOnce() -> Result<Value, ToolError> + Send + 'static,
{
    let read: Read<'a, Blocking> = Box::new(move |arguments| {
        let call = read(arguments)?;
        arguments.finish()?;
        Ok(Box::new(call))
    });
    on_the_pool(asked, read)
}

type Blocking = Box<dyn FnOnce() -> Outcome + Send>;

fn on_the_pool<'a>(asked: Asked<'a>, read: Read<'a, Blocking>) -> ToolFuture<'a> {
    Box::pin(async move {
        let call = decode(asked, read)?;
        // What the function traces belongs to the span of the call.
        let span = Span::current();
        let task = tokio::task::spawn_blocking(move || span.in_scope(call));
        encode(asked.0, finished(AbortOnDrop(task)).await)
    })
}

async fn finished(mut task: AbortOnDrop<Outcome>) -> Outcome {
    match (&mut task.0).await {
        Ok(result) => result,
        Err(error) => match error.try_into_panic() {
            Ok(panic) => std::panic::resume_unwind(panic),
            Err(_) => Err(ToolError::Execution(
                "the runtime is shutting down".to_owned(),
            )),
        },
    }
}

/// A task on the blocking pool that is taken from its queue when nobody waits for it any longer.
struct AbortOnDrop<T>(JoinHandle<T>);

impl<T> Drop for AbortOnDrop<T> {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// Calls the methods of a toolbox. That a type cannot be shared is reported once, where it becomes a
/// toolbox. It must not be reported again for each method that takes it along, so there rustc finds
/// [`FallbackCalls`].
#[derive(Debug)]
pub struct Calls<B>(PhantomData<B>);

impl<B: Shareable> Calls<B> {
    /// A tool for each method of a toolbox.
    #[must_use]
    pub fn tools(toolbox: &Arc<B>) -> Vec<Arc<dyn Tool>>
    where
        B: Toolbox + Send + Sync,
    {
        MethodTool::all(toolbox)
    }

    /// Calls an async method.
    pub fn call_async<'a, C, F>(
        asked: Asked<'a>,
        read: impl Fn(&Arguments<'_>) -> Result<C, DecodeError> + Send + 'a,
    ) -> ToolFuture<'a>
    where
        C: FnOnce() -> F + Send + 'a,
        F: Future<Output = Result<Value, ToolError>> + Send + 'a,
    {
        call_async(asked, read)
    }

    /// Calls a synchronous method on the task of the caller.
    pub fn call_inline<'a, C>(
        asked: Asked<'a>,
        read: impl Fn(&Arguments<'_>) -> Result<C, DecodeError> + Send + 'a,
    ) -> ToolFuture<'a>
    where
        C: FnOnce() -> Result<Value, ToolError> + 'a,
    {
        call_inline(asked, read)
    }

    /// Calls a synchronous method on the blocking pool.
    pub fn call_blocking<'a, C>(
        asked: Asked<'a>,
        read: impl Fn(&Arguments<'_>) -> Result<C, DecodeError> + Send + 'a,
    ) -> ToolFuture<'a>
    where
        C: FnOnce() -> Result<Value, ToolError> + Send + 'static,
    {
        call_blocking(asked, read)
    }
}

/// Stands in for a missing block of methods; a program that names it does not compile.
pub trait FallbackCalls {
    /// No tools.
    #[must_use]
    fn tools<B>(_: &Arc<B>) -> Vec<Arc<dyn Tool>> {
        Vec::new()
    }

    /// Fails.
    fn call_async<'a, C, F>(
        _: Asked<'a>,
        _: impl Fn(&Arguments<'_>) -> Result<C, DecodeError> + 'a,
    ) -> ToolFuture<'a>
    where
        C: FnOnce() -> F + 'a,
        F: Future<Output = Result<Value, ToolError>> + 'a,
    {
        broken_call()
    }

    /// Fails.
    fn call_inline<'a, C>(
        _: Asked<'a>,
        _: impl Fn(&Arguments<'_>) -> Result<C, DecodeError> + 'a,
    ) -> ToolFuture<'a>
    where
        C: FnOnce() -> Result<Value, ToolError> + 'a,
    {
        broken_call()
    }

    /// Fails.
    fn call_blocking<'a, C>(
        _: Asked<'a>,
        _: impl Fn(&Arguments<'_>) -> Result<C, DecodeError> + 'a,
    ) -> ToolFuture<'a>
    where
        C: FnOnce() -> Result<Value, ToolError> + 'a,
    {
        broken_call()
    }
}

impl<B> FallbackCalls for Calls<B> {}
