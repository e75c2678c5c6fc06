//! A run as a stream of events.

use super::ExecuteOptions;
use crate::drive::EventQueue;
use crate::error::Error;
use crate::event::Event;
use crate::response::AgentResponse;
use futures_core::Stream;
use std::fmt;
use std::future::poll_fn;
use std::pin::Pin;
use std::task::{Context, Poll};

type Work<'a> = Pin<Box<dyn Future<Output = Result<AgentResponse, Error>> + Send + 'a>>;

/// The events of a run, made by [`Runtime::stream`](super::Runtime::stream). It is a
/// [`Stream`](futures_core::Stream), and can also be read with [`next`](Self::next) alone.
///
/// The run goes on only while the stream is read. Dropping the stream ends the run.
pub struct RunStream<'a> {
    /// None once the run has ended.
    work: Option<Work<'a>>,
    queue: EventQueue,
    error: Option<Error>,
}

impl<'a> RunStream<'a> {
    pub(super) fn new<F>(
        mut options: ExecuteOptions<'a>,
        work: impl FnOnce(ExecuteOptions<'a>) -> F,
    ) -> Self
    where
        F: Future<Output = Result<AgentResponse, Error>> + Send + 'a,
    {
        let queue = EventQueue::default();
        options.queue = Some(queue.clone());
        Self {
            work: Some(Box::pin(work(options))),
            queue,
            error: None,
        }
    }

    /// What happened next; nothing after the run has ended.
    ///
    /// Cancel safety: dropping the future loses no event.
    pub async fn next(&mut self) -> Option<Result<Event, Error>> {
        poll_fn(|context| self.poll(context)).await
    }

    fn poll(&mut self, context: &mut Context<'_>) -> Poll<Option<Result<Event, Error>>> {
        if let Some(event) = self.queue.pop() {
            return Poll::Ready(Some(Ok(event)));
        }
        if let Some(work) = &mut self.work {
            match work.as_mut().poll(context) {
                Poll::Ready(ended) => {
                    // Dropped at once: it holds the conversation.
                    self.work = None;
                    self.error = ended.err();
                }
                // What waits for room was polled above all else: the queue was empty.
                Poll::Pending => {
                    return match self.queue.pop() {
                        Some(event) => Poll::Ready(Some(Ok(event))),
                        None => Poll::Pending,
                    };
                }
            }
        }
        let event = self.queue.pop().map(Ok);
        Poll::Ready(event.or_else(|| self.error.take().map(Err)))
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
            .field("ended", &self.work.is_none())
            .finish_non_exhaustive()
    }
}
