//! Ctrl-C, as a signal.

use std::future::{Future, pending, poll_fn};
use std::pin::Pin;
use std::task::Poll;

/// Ctrl-C from the moment this was made. Once one was made, Ctrl-C no longer ends the program.
pub(super) struct Interrupt {
    signal: Pin<Box<dyn Future<Output = ()>>>,
    is_given: bool,
}

impl Interrupt {
    /// Listens, and has begun to when this returns: what is shown next may be answered by Ctrl-C.
    pub(super) async fn new() -> Self {
        let mut interrupt = Self {
            signal: Box::pin(signal()),
            is_given: false,
        };
        let given = poll_fn(|context| Poll::Ready(interrupt.signal.as_mut().poll(context))).await;
        interrupt.is_given = given.is_ready();
        interrupt
    }

    /// Waits for it.
    ///
    /// Cancel safety: dropping the future loses nothing.
    pub(super) async fn given(&mut self) {
        if !self.is_given {
            self.signal.as_mut().await;
            self.is_given = true;
        }
    }
}

/// Waits for Ctrl-C. Where the system cannot tell, it ends the program as it always did.
async fn signal() {
    if tokio::signal::ctrl_c().await.is_err() {
        pending::<()>().await;
    }
}
