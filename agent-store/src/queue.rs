//! A queue of writes, so that the writes of concurrent runs share a commit.

use agent_core::conversation::StoreError;
use std::future::poll_fn;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Poll, Waker};

/// The writes that wait, and whether a thread writes.
pub(crate) struct Queue<W, T = ()>(Mutex<State<W, T>>);

struct State<W, T> {
    waiting: Vec<Waiting<W, T>>,
    is_writing: bool,
}

/// A write that waits, and the place for its result.
pub(crate) struct Waiting<W, T = ()> {
    pub(crate) write: W,
    pub(crate) answer: Answer<T>,
}

/// The place for the result of a write.
pub(crate) struct Answer<T>(Arc<Mutex<Slot<T>>>);

struct Slot<T> {
    result: Option<Result<T, StoreError>>,
    waker: Option<Waker>,
}

impl<W, T> Queue<W, T> {
    pub(crate) fn new() -> Self {
        Self(Mutex::new(State {
            waiting: Vec::new(),
            is_writing: false,
        }))
    }

    /// Adds a write. Returns its answer, and whether the caller must start a thread that writes.
    pub(crate) fn push(&self, write: W) -> (Answer<T>, bool) {
        let slot = Arc::new(Mutex::new(Slot {
            result: None,
            waker: None,
        }));
        let answer = Answer(Arc::clone(&slot));
        let mut state = lock(&self.0);
        state.waiting.push(Waiting {
            write,
            answer: Answer(slot),
        });
        (answer, !std::mem::replace(&mut state.is_writing, true))
    }

    /// Takes all waiting writes. Returns `None` if no write waits, after which the calling thread must end.
    pub(crate) fn take(&self) -> Option<Vec<Waiting<W, T>>> {
        let mut state = lock(&self.0);
        let waiting = std::mem::take(&mut state.waiting);
        state.is_writing = !waiting.is_empty();
        (!waiting.is_empty()).then_some(waiting)
    }
}

impl<T> Answer<T> {
    pub(crate) fn give(&self, result: Result<T, StoreError>) {
        let mut slot = lock(&self.0);
        slot.result.get_or_insert(result);
        if let Some(waker) = slot.waker.take() {
            drop(slot);
            waker.wake();
        }
    }

    pub(crate) async fn wait(self) -> Result<T, StoreError> {
        poll_fn(|context| {
            let mut slot = lock(&self.0);
            match slot.result.take() {
                Some(result) => Poll::Ready(result),
                None => {
                    slot.waker = Some(context.waker().clone());
                    Poll::Pending
                }
            }
        })
        .await
    }
}

impl<W, T> Drop for Waiting<W, T> {
    /// Answers a write whose thread panicked or was never started.
    fn drop(&mut self) {
        let stopped = StoreError::unavailable("the work was stopped");
        self.answer.give(Err(stopped));
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
