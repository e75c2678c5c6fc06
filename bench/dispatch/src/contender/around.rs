//! What can be put around a call, one thing at a time.

use super::ours::{called, library};
use super::{Failure, NAME, TEXT};
use agent_runtime::tool::{DEFAULT_TOOL_TIMEOUT, invoke_tool};
use agent_runtime::{ToolContext, ToolError, tool, tools};
use bench_shared::time::per_call;
use std::future::poll_fn;
use std::hint::black_box;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::task::Poll;

pub(super) async fn timeout(calls: u32) -> Result<f64, Failure> {
    let library = library();
    let context = ToolContext::detached();
    per_call(calls, async || {
        let tool = library.lookup(black_box(NAME)).ok_or("no such tool")?;
        let call = tool.call(black_box(TEXT), &context);
        black_box(tokio::time::timeout(DEFAULT_TOOL_TIMEOUT, call).await??);
        Ok(())
    })
    .await
}

pub(super) async fn panics(calls: u32) -> Result<f64, Failure> {
    let library = library();
    let context = ToolContext::detached();
    per_call(calls, async || {
        let tool = library.lookup(black_box(NAME)).ok_or("no such tool")?;
        let mut call = tool.call(black_box(TEXT), &context);
        let result = poll_fn(|waker| {
            let polled = catch_unwind(AssertUnwindSafe(|| call.as_mut().poll(waker)));
            polled.unwrap_or_else(|_| {
                Poll::Ready(Err(ToolError::Execution("the tool panicked".to_owned())))
            })
        });
        black_box(result.await?);
        Ok(())
    })
    .await
}

mod on_the_pool {
    use super::tool;

    /// Adds two numbers
    #[tool]
    pub(super) fn add(a: i64, b: i64) -> i64 {
        a + b
    }
}

pub(super) async fn pool(calls: u32) -> Result<f64, Failure> {
    // A change of threads takes so long that fewer of them say as much.
    called(tools![on_the_pool::add], calls / 10).await
}

pub(super) async fn invoked(calls: u32) -> Result<f64, Failure> {
    let library = library();
    let context = ToolContext::detached();
    per_call(calls, async || {
        let tool = library.lookup(black_box(NAME)).ok_or("no such tool")?;
        black_box(invoke_tool(&**tool, black_box(TEXT), &context).await?);
        Ok(())
    })
    .await
}
