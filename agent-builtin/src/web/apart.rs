//! Work on a thread of its own, which keeps nothing else of the program waiting.

use agent_runtime::Cancellation;
use agent_runtime::ToolError;
use std::future::poll_fn;
use std::io;
use std::pin::pin;
use std::task::Poll;
use tokio::runtime::{Builder, Runtime};

/// Does work that a server can keep busy: what it sends fast enough is read again and again before any
/// timer is looked at. So the caller's runtime only waits, and its timers stay on time.
///
/// Cancel safety: dropping the future stops the work at its next step, and drops what it holds.
///
/// # Errors
/// Those of the work; Execution when there is no thread for it.
pub(super) async fn apart<T, F>(work: impl FnOnce() -> F + Send + 'static) -> Result<T, ToolError>
where
    T: Send + 'static,
    F: Future<Output = Result<T, ToolError>>,
{
    let stop = Cancellation::new();
    let _stop_on_drop = CancelOnDrop(stop.clone());
    let whole = move || {
        let runtime = runtime().map_err(|error| {
            ToolError::Execution(format!("cannot set up what asks for pages: {error}"))
        })?;
        let result = runtime.block_on(async move {
            let mut stopped = pin!(stop.cancelled());
            let mut work = pin!(work());
            poll_fn(|context| match stopped.as_mut().poll(context) {
                Poll::Ready(()) => Poll::Ready(Err(ToolError::Timeout)),
                Poll::Pending => work.as_mut().poll(context),
            })
            .await
        });
        // Looking up a name cannot be stopped, and is not waited for.
        runtime.shutdown_background();
        result
    };
    tokio::task::spawn_blocking(whole)
        .await
        .unwrap_or_else(|_| Err(ToolError::Execution("asking for the page failed".into())))
}

struct CancelOnDrop(Cancellation);

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        self.0.cancel();
    }
}

/// A runtime that looks at its timers, and at whether it is to stop, after each step of a connection.
fn runtime() -> io::Result<Runtime> {
    Builder::new_current_thread()
        .enable_all()
        .event_interval(1)
        .build()
}
