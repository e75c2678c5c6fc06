//! A run as a stream of events.

use agent_core::__private::EventQueue;
use agent_core::event::Event;
use agent_tool::Error;
use futures_core::Stream;
use std::fmt;
use std::future::poll_fn;
use std::pin::Pin;
use std::task::{Context, Poll};

/// The future of a run, boxed.
pub(super) type RunFuture<'a, R> = Pin<Box<dyn Future<Output = Result<R, Error>> + Send + 'a>>;

/// The events of a run, from [`RunBuilder::stream`](super::RunBuilder::stream). It is a
/// [`Stream`](futures_core::Stream), and can also be read with [`next`](Self::next) alone.
///
/// The run only continues while the stream is read. Dropping the stream cancels the run, unless
/// [`on_drop`](super::RunBuilder::on_drop) says otherwise.
pub struct RunStream<'a> {
    /// `None` once the run has ended.
    run: Option<RunFuture<'a, ()>>,
    queue: EventQueue,
    /// The callback of the host, which gets the events as well.
    observer: Option<&'a mut (dyn FnMut(&Event) + Send)>,
    error: Option<Error>,
}

impl<'a> RunStream<'a> {
    /// A stream of the events that `run` puts into `queue`.
    pub(super) fn new(
        queue: EventQueue,
        observer: Option<&'a mut (dyn FnMut(&Event) + Send)>,
        run: RunFuture<'a, ()>,
    ) -> Self {
        Self {
            run: Some(run),
            queue,
            observer,
            error: None,
        }
    }

    /// Waits for the next event; `None` after the run has ended.
    ///
    /// Cancel safety: dropping the future loses no event.
    pub async fn next(&mut self) -> Option<Result<Event, Error>> {
        poll_fn(|context| self.poll(context)).await
    }

    fn pop(&mut self) -> Option<Event> {
        let event = self.queue.pop()?;
        if let Some(observer) = &mut self.observer {
            observer(&event);
        }
        Some(event)
    }

    fn poll(&mut self, context: &mut Context<'_>) -> Poll<Option<Result<Event, Error>>> {
        if let Some(event) = self.pop() {
            return Poll::Ready(Some(Ok(event)));
        }
        if let Some(run) = &mut self.run {
            match run.as_mut().poll(context) {
                Poll::Ready(ended) => {
                    // Dropped at once, because it holds the conversation.
                    self.run = None;
                    self.error = ended.err();
                    if let Some(error) = &self.error {
                        self.queue.finish(|| Event::of_error(error));
                    }
                }
                // A model that waits for room was polled above, because the queue was empty.
                Poll::Pending => {
                    return self
                        .queue
                        .poll_waiting(context)
                        .map(|()| self.pop().map(Ok));
                }
            }
        }
        let event = self.pop().map(Ok);
        Poll::Ready(event.or_else(|| self.error.take().map(Err)))
    }
}

impl Drop for RunStream<'_> {
    fn drop(&mut self) {
        // Nobody reads the events of a run that goes on, and it must not wait for room.
        self.queue.close();
    }
}

impl Stream for RunStream<'_> {
    type Item = Result<Event, Error>;

    fn poll_next(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Event, Error>>> {
        self.poll(context)
    }
}

impl fmt::Debug for RunStream<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("RunStream")
            .field("ended", &self.run.is_none())
            .finish_non_exhaustive()
    }
}
