//! Calls the function behind a tool. This part is the same for all tools, so that the generated code of
//! each tool stays small.
//!
//! `read` takes the parameters out of the arguments and returns a closure that calls the function. It may
//! be called twice, see [`decode`]. Its type differs from tool to tool, so it is boxed at once: the rest,
//! above all tokio's tasks, is then compiled once in this crate and not for each tool. The box of a
//! closure without captured variables takes no memory.

use super::arguments::{Arguments, Asked, DecodeError, decode, encode};
use super::broken_call;
use super::result::Given;
use crate::tool::generated::Shareable;
use crate::tool::{MethodTool, Tool, ToolError, ToolFuture, Toolbox};
use std::marker::PhantomData;
use std::pin::Pin;
use std::sync::Arc;
use tokio::task::JoinHandle;
use tracing::Span;

/// Reads the parameters of a tool from the arguments.
type Read<'a, C> = Box<dyn Fn(&Arguments<'_>) -> Result<C, DecodeError> + Send + 'a>;

/// The result of a function.
type Outcome = Result<Given, ToolError>;

/// The future of a function.
type OutcomeFuture<'a> = Pin<Box<dyn Future<Output = Outcome> + Send + 'a>>;

/// Calls an async function.
pub fn call_async<'a, C, F>(
    asked: Asked<'a>,
    read: impl Fn(&Arguments<'_>) -> Result<C, DecodeError> + Send + 'a,
) -> ToolFuture<'a>
where
    C: FnOnce() -> F + Send + 'a,
    F: Future<Output = Result<Given, ToolError>> + Send + 'a,
{
    let read: Read<'a, OutcomeFuture<'a>> = Box::new(move |arguments| {
        let call = read(arguments)?;
        arguments.finish()?;
        Ok(Box::pin(call()))
    });
    awaited(asked, read)
}

fn awaited<'a>(asked: Asked<'a>, read: Read<'a, OutcomeFuture<'a>>) -> ToolFuture<'a> {
    Box::pin(async move { encode(asked, decode(asked, read)?.await) })
}

/// Calls a synchronous function on the task of the caller.
pub fn call_inline<'a, C>(
    asked: Asked<'a>,
    read: impl Fn(&Arguments<'_>) -> Result<C, DecodeError> + Send + 'a,
) -> ToolFuture<'a>
where
    C: FnOnce() -> Result<Given, ToolError> + 'a,
{
    // The function is called after all its parameters were read, so it is called once.
    let read: Read<'a, Outcome> = Box::new(move |arguments| {
        let call = read(arguments)?;
        arguments.finish()?;
        Ok(call())
    });
    at_once(asked, read)
}

fn at_once<'a>(asked: Asked<'a>, read: Read<'a, Outcome>) -> ToolFuture<'a> {
    Box::pin(async move { encode(asked, decode(asked, read)?) })
}

/// Calls a synchronous function on the blocking pool, so that the caller can stop waiting for it. If the
/// function still waits for a thread then, it is never called; otherwise it runs to its end. A panic is
/// resumed in the caller.
pub fn call_blocking<'a, C>(
    asked: Asked<'a>,
    read: impl Fn(&Arguments<'_>) -> Result<C, DecodeError> + Send + 'a,
) -> ToolFuture<'a>
where
    C: FnOnce() -> Result<Given, ToolError> + Send + 'static,
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
        // Events of the function belong to the span of the call.
        let span = Span::current();
        let task = tokio::task::spawn_blocking(move || span.in_scope(call));
        encode(asked, finished(AbortOnDrop(task)).await)
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

/// A task on the blocking pool that is removed from the queue when its future is dropped.
struct AbortOnDrop<T>(JoinHandle<T>);

impl<T> Drop for AbortOnDrop<T> {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// Calls the methods of a toolbox. A type that cannot be shared between threads is reported once, where it
/// becomes a toolbox. For its methods rustc finds [`FallbackCalls`], so that they do not report it again.
#[derive(Debug)]
pub struct Calls<B>(PhantomData<B>);

impl<B: Shareable> Calls<B> {
    /// Returns a tool for each method of a toolbox.
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
        F: Future<Output = Result<Given, ToolError>> + Send + 'a,
    {
        call_async(asked, read)
    }

    /// Calls a synchronous method on the task of the caller.
    pub fn call_inline<'a, C>(
        asked: Asked<'a>,
        read: impl Fn(&Arguments<'_>) -> Result<C, DecodeError> + Send + 'a,
    ) -> ToolFuture<'a>
    where
        C: FnOnce() -> Result<Given, ToolError> + 'a,
    {
        call_inline(asked, read)
    }

    /// Calls a synchronous method on the blocking pool.
    pub fn call_blocking<'a, C>(
        asked: Asked<'a>,
        read: impl Fn(&Arguments<'_>) -> Result<C, DecodeError> + Send + 'a,
    ) -> ToolFuture<'a>
    where
        C: FnOnce() -> Result<Given, ToolError> + Send + 'static,
    {
        call_blocking(asked, read)
    }
}

/// The calls of a type that cannot be a toolbox. A program in which rustc chooses them does not compile,
/// because the type was reported before.
pub trait FallbackCalls {
    /// Returns no tools.
    #[must_use]
    fn tools<B>(_: &Arc<B>) -> Vec<Arc<dyn Tool>> {
        Vec::new()
    }

    /// Never called.
    fn call_async<'a, C, F>(
        _: Asked<'a>,
        _: impl Fn(&Arguments<'_>) -> Result<C, DecodeError> + 'a,
    ) -> ToolFuture<'a>
    where
        C: FnOnce() -> F + 'a,
        F: Future<Output = Result<Given, ToolError>> + 'a,
    {
        broken_call()
    }

    /// Never called.
    fn call_inline<'a, C>(
        _: Asked<'a>,
        _: impl Fn(&Arguments<'_>) -> Result<C, DecodeError> + 'a,
    ) -> ToolFuture<'a>
    where
        C: FnOnce() -> Result<Given, ToolError> + 'a,
    {
        broken_call()
    }

    /// Never called.
    fn call_blocking<'a, C>(
        _: Asked<'a>,
        _: impl Fn(&Arguments<'_>) -> Result<C, DecodeError> + 'a,
    ) -> ToolFuture<'a>
    where
        C: FnOnce() -> Result<Given, ToolError> + 'a,
    {
        broken_call()
    }
}

impl<B> FallbackCalls for Calls<B> {}
