//! Many futures on one task.

use std::collections::VecDeque;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Wake, Waker};

/// The maximum number of polls before other tasks of the thread run.
const POLLS_AT_ONCE: usize = 64;

/// Futures that run on one task. Each is polled only after it was woken, so that a thousand futures that wait
/// cost nothing. Dropping the set drops the futures.
pub(super) struct FutureSet<'a, T> {
    /// `None` for a place that is free.
    places: Vec<Option<Place<'a, T>>>,
    free: Vec<usize>,
    woken: Arc<Mutex<Woken>>,
}

struct Place<'a, T> {
    future: Pin<Box<dyn Future<Output = T> + Send + 'a>>,
    signal: Arc<Signal>,
}

/// The places whose futures were woken, and the task of the set.
#[derive(Default)]
struct Woken {
    places: VecDeque<usize>,
    task: Option<Waker>,
}

/// The waker of a future.
struct Signal {
    place: usize,
    /// Whether the future is among those that were woken.
    is_woken: AtomicBool,
    woken: Arc<Mutex<Woken>>,
}

impl<'a, T> FutureSet<'a, T> {
    pub(super) fn new() -> Self {
        Self {
            places: Vec::new(),
            free: Vec::new(),
            woken: Arc::default(),
        }
    }

    /// The number of futures.
    pub(super) fn len(&self) -> usize {
        self.places.len() - self.free.len()
    }

    /// Adds a future, which the next poll of the set polls first.
    pub(super) fn push(&mut self, future: impl Future<Output = T> + Send + 'a) {
        let place = self.free.pop().unwrap_or_else(|| {
            self.places.push(None);
            self.places.len() - 1
        });
        let signal = Arc::new(Signal {
            place,
            is_woken: AtomicBool::new(true),
            woken: Arc::clone(&self.woken),
        });
        self.places[place] = Some(Place {
            future: Box::pin(future),
            signal,
        });
        lock(&self.woken).places.push_back(place);
    }

    /// Polls the futures that were woken, until one of them finishes. Returns `None` for an empty set.
    pub(super) fn poll_next(&mut self, context: &mut Context<'_>) -> Poll<Option<T>> {
        if self.len() == 0 {
            return Poll::Ready(None);
        }
        // Set before the futures are polled, so that no wake is missed.
        let before = lock(&self.woken).task.replace(context.waker().clone());
        drop(before);
        for _ in 0..POLLS_AT_ONCE {
            let Some(index) = lock(&self.woken).places.pop_front() else {
                return Poll::Pending;
            };
            // The future of an earlier wake may have finished.
            let Some(place) = &mut self.places[index] else {
                continue;
            };
            place.signal.is_woken.store(false, Ordering::Release);
            let waker = Waker::from(Arc::clone(&place.signal));
            let polled = place.future.as_mut().poll(&mut Context::from_waker(&waker));
            if let Poll::Ready(finished) = polled {
                self.places[index] = None;
                self.free.push(index);
                return Poll::Ready(Some(finished));
            }
        }
        context.waker().wake_by_ref();
        Poll::Pending
    }
}

impl Wake for Signal {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        if self.is_woken.swap(true, Ordering::AcqRel) {
            return;
        }
        let mut woken = lock(&self.woken);
        woken.places.push_back(self.place);
        let task = woken.task.take();
        // Unlocked first, because the task may poll the set at once.
        drop(woken);
        if let Some(task) = task {
            task.wake();
        }
    }
}

/// Locks the wakes. After a panic they would still be valid: no change is left half done.
fn lock(woken: &Mutex<Woken>) -> MutexGuard<'_, Woken> {
    woken.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::future::{pending, poll_fn, ready};
    use std::sync::atomic::AtomicUsize;

    #[tokio::test]
    async fn only_woken_futures_are_polled() {
        let polls = AtomicUsize::new(0);
        let waker = Mutex::new(None);
        let is_ready = AtomicBool::new(false);
        let mut set = FutureSet::new();
        for _ in 0..100 {
            set.push(poll_fn(|_| {
                polls.fetch_add(1, Ordering::Relaxed);
                Poll::<usize>::Pending
            }));
        }
        set.push(poll_fn(|context| {
            *waker.lock().expect("a lock") = Some(context.waker().clone());
            match is_ready.load(Ordering::Relaxed) {
                true => Poll::Ready(7),
                false => Poll::Pending,
            }
        }));
        let mut tests = 0;
        let finished = poll_fn(|context| {
            tests += 1;
            let polled = set.poll_next(context);
            if polled.is_pending() && waker.lock().expect("a lock").is_some() {
                is_ready.store(true, Ordering::Relaxed);
                let waker = waker.lock().expect("a lock").take().expect("a waker");
                waker.wake_by_ref();
                waker.wake();
            }
            polled
        });
        assert_eq!(finished.await, Some(7));
        assert_eq!(polls.load(Ordering::Relaxed), 100);
        assert_eq!((set.len(), tests), (100, 3));
    }

    #[tokio::test]
    async fn places_are_used_again() {
        let mut set = FutureSet::new();
        for round in 0..3 {
            set.push(ready(round));
            set.push(ready(round));
            for expected in [Some(round), Some(round), None] {
                let next = poll_fn(|context| set.poll_next(context));
                assert_eq!(next.await, expected);
            }
        }
        assert_eq!(set.places.len(), 2);
        set.push(pending());
        assert_eq!(set.len(), 1);
    }
}
