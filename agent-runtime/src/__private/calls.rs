//! Calling the methods of a toolbox.

use super::arguments::{Arguments, DecodeError};
use super::broken_call;
use super::call::{Asked, call_async, call_blocking, call_inline};
use crate::tool::generated::Shareable;
use crate::tool::{MethodTool, Toolbox};
use crate::tool::{Tool, ToolError, ToolFuture};
use serde_json::Value;
use std::marker::PhantomData;
use std::sync::Arc;

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

/// What names it never compiles.
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
