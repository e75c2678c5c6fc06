//! The choice of what becomes of a run whose future or stream is dropped.

use super::stream::RunFuture;
use agent_tool::Error;
use std::fmt;
use std::pin::Pin;
use std::task::{Context, Poll};

/// A choice of what becomes of a run when its future or its stream is dropped before it ends: see
/// [`RunBuilder::on_drop`](super::RunBuilder::on_drop).
///
/// `'a` is the time for which the run borrows values. Only a run that borrows nothing can continue.
#[derive(Clone, Copy)]
pub struct OnDrop<'a>(Then<'a>);

#[derive(Clone, Copy)]
enum Then<'a> {
    Cancel,
    Leave,
    /// Continues the run.
    Continue(fn(RunFuture<'a, ()>)),
}

impl<'a> OnDrop<'a> {
    /// The run is cancelled, as a [signal](super::RunBuilder::cancellation) would cancel it. A task of its
    /// own writes the end of the run into the journal and the stored conversation.
    pub const CANCEL: Self = Self(Then::Cancel);

    /// The run stops where it is. A run of a journal stays there as running, and
    /// [`recover`](super::Runtime::recover) continues it, as after a crash.
    pub const LEAVE: Self = Self(Then::Leave);

    /// Whether the run is left as it is when it is dropped.
    pub(super) fn leaves(self) -> bool {
        !matches!(self.0, Then::Cancel)
    }

    /// Returns a future that treats the run by this choice when the future is dropped. Only a run that
    /// continues needs a future of its own; the driver of the run handles the other choices.
    pub(super) fn guarded<R: 'a>(self, run: RunFuture<'a, R>) -> RunFuture<'a, R> {
        match self.0 {
            Then::Continue(go_on) => Box::pin(ContinueOnDrop {
                run: Some(run),
                go_on,
            }),
            Then::Cancel | Then::Leave => run,
        }
    }
}

impl OnDrop<'static> {
    /// The run goes on to its end in a task of its own, without its caller. Where no task can be spawned, it is
    /// [left](Self::LEAVE).
    pub const CONTINUE: Self = Self(Then::Continue(|run| {
        if let Ok(handle) = tokio::runtime::Handle::try_current() {
            // The result is dropped, because the end of the run is in the journal and in the conversation.
            handle.spawn(async { drop(run.await) });
        }
    }));
}

impl fmt::Debug for OnDrop<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self.0 {
            Then::Cancel => "CANCEL",
            Then::Leave => "LEAVE",
            Then::Continue(_) => "CONTINUE",
        })
    }
}

/// A run that continues when its caller drops it.
struct ContinueOnDrop<'a, R: 'a> {
    /// `None` after the end.
    run: Option<RunFuture<'a, R>>,
    go_on: fn(RunFuture<'a, ()>),
}

impl<R> Future for ContinueOnDrop<'_, R> {
    type Output = Result<R, Error>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let Some(run) = &mut self.run else {
            return Poll::Pending;
        };
        let ended = run.as_mut().poll(context);
        if ended.is_ready() {
            self.run = None;
        }
        ended
    }
}

impl<'a, R: 'a> Drop for ContinueOnDrop<'a, R> {
    fn drop(&mut self) {
        if let Some(run) = self.run.take() {
            (self.go_on)(Box::pin(async { run.await.map(drop) }));
        }
    }
}
