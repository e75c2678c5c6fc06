//! The signal of Ctrl-C.

use std::future::{Future, pending, poll_fn};
use std::pin::Pin;
use std::task::Poll;

/// A listener for Ctrl-C. After the first listener is created, Ctrl-C no longer ends the program.
pub(super) struct Interrupt {
    signal: Pin<Box<dyn Future<Output = ()>>>,
    is_received: bool,
}

impl Interrupt {
    /// Creates a listener. The listener is active before this function returns, so that the user can answer
    /// the next output with Ctrl-C.
    pub(super) async fn new() -> Self {
        let mut interrupt = Self {
            signal: Box::pin(signal()),
            is_received: false,
        };
        let received =
            poll_fn(|context| Poll::Ready(interrupt.signal.as_mut().poll(context))).await;
        interrupt.is_received = received.is_ready();
        interrupt
    }

    /// Waits for Ctrl-C.
    ///
    /// Cancel safety: dropping the future loses nothing.
    pub(super) async fn received(&mut self) {
        if !self.is_received {
            self.signal.as_mut().await;
            self.is_received = true;
        }
    }
}

/// Waits for Ctrl-C. If the system cannot report Ctrl-C, it still ends the program.
async fn signal() {
    if tokio::signal::ctrl_c().await.is_err() {
        pending::<()>().await;
    }
}
