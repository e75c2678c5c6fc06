//! Running requests on threads of their own.

use agent_tool::{Cancellation, ToolError};
use std::future::poll_fn;
use std::io;
use std::pin::pin;
use std::task::Poll;
use tokio::runtime::{Builder, Runtime};

/// Runs a request on a thread of its own, so that the timers of the caller are on time: a server that sends
/// fast enough keeps a connection always ready, and tokio does not check its timers then.
///
/// Cancel safety: dropping the future stops the request at its next step and drops its connection.
///
/// # Errors
/// The errors of the request; Execution when the thread cannot be set up.
pub(super) async fn run_on_thread<T, F>(
    request: impl FnOnce() -> F + Send + 'static,
) -> Result<T, ToolError>
where
    T: Send + 'static,
    F: Future<Output = Result<T, ToolError>>,
{
    let cancellation = Cancellation::new();
    let _cancel_on_drop = cancellation.guard();
    let run = move || {
        let runtime = runtime()
            .map_err(|error| ToolError::Execution(format!("cannot set up HTTP: {error}")))?;
        let result = runtime.block_on(async move {
            let mut cancelled = pin!(cancellation.cancelled());
            let mut request = pin!(request());
            poll_fn(|context| match cancelled.as_mut().poll(context) {
                Poll::Ready(()) => Poll::Ready(Err(ToolError::Timeout)),
                Poll::Pending => request.as_mut().poll(context),
            })
            .await
        });
        // Does not wait for a lookup of a name, which cannot be cancelled.
        runtime.shutdown_background();
        result
    };
    tokio::task::spawn_blocking(run)
        .await
        .unwrap_or_else(|_| Err(ToolError::Execution("the request failed".into())))
}

/// Creates a runtime that checks its timers, and thereby the cancellation, after each step.
fn runtime() -> io::Result<Runtime> {
    Builder::new_current_thread()
        .enable_all()
        .event_interval(1)
        .build()
}
