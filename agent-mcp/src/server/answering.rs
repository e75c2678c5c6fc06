//! The memory of answers that clients have not read yet.
//!
//! A client that does not read its answers makes the server keep them. So the memory of all answers together
//! is bounded, and a request frees its place when it was answered, not when its answer was read.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// The memory of the answers that are sent, in KiB.
const SENT: u32 = 256 << 10;

/// The memory of the answers that wait until others were read, in KiB.
const WAITING: u32 = 256 << 10;

/// The time for which an answer waits until others were read.
const WAIT: Duration = Duration::from_secs(60);

/// The maximum number of bytes of an answer that always fits, because there are few connections.
const SMALL: usize = 64 << 10;

/// The memory for the answers of all requests together.
pub(super) struct AnswerMemory {
    sent: Arc<Semaphore>,
    waiting: Semaphore,
}

impl AnswerMemory {
    pub(super) fn new() -> Self {
        Self {
            sent: Arc::new(Semaphore::new(SENT as usize)),
            waiting: Semaphore::new(WAITING as usize),
        }
    }
}

/// The place and the memory that a request takes until its answer was sent. Clones are of the same request.
#[derive(Clone)]
pub(super) struct Answering(Arc<Taken>);

struct Taken {
    memory: Arc<AnswerMemory>,
    permits: Mutex<Vec<OwnedSemaphorePermit>>,
}

impl Answering {
    /// Begins to answer a request, which has taken its place and its memory.
    pub(super) fn new(memory: &Arc<AnswerMemory>, permits: Vec<OwnedSemaphorePermit>) -> Self {
        Self(Arc::new(Taken {
            memory: Arc::clone(memory),
            permits: Mutex::new(permits),
        }))
    }

    /// Takes memory for an answer of this many bytes in place of what the request has taken. Waits until the answers of
    /// other requests were read.
    ///
    /// # Errors
    /// The problem, if the answers of other requests are not read in time.
    pub(super) async fn reserve(&self, bytes: usize) -> Result<(), String> {
        let permit = match bytes > SMALL {
            true => Some(self.take(bytes).await.ok_or_else(|| {
                format!(
                    "the answer of {} MiB was dropped, because the answers to other requests take too much memory until \
                     their clients have read them; ask for less, or later",
                    bytes.div_ceil(1 << 20)
                )
            })?),
            false => None,
        };
        let mut permits = self
            .0
            .permits
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        *permits = permit.into_iter().collect();
        Ok(())
    }

    async fn take(&self, bytes: usize) -> Option<OwnedSemaphorePermit> {
        // A single answer always fits.
        let kibibytes = u32::try_from(bytes >> 10).unwrap_or(SENT).min(SENT);
        let AnswerMemory { sent, waiting } = &*self.0.memory;
        if let Ok(permit) = Arc::clone(sent).try_acquire_many_owned(kibibytes) {
            return Some(permit);
        }
        // A waiting answer is held as a value, which most messages have twice: as text, and as structured
        // content.
        let _waiting = waiting.try_acquire_many(kibibytes / 2).ok()?;
        let permit = Arc::clone(sent).acquire_many_owned(kibibytes);
        tokio::time::timeout(WAIT, permit).await.ok()?.ok()
    }
}

#[cfg(test)]
mod tests {
    use super::{AnswerMemory, Answering, SENT, SMALL};
    use std::future::poll_fn;
    use std::pin::Pin;
    use std::sync::Arc;
    use std::task::Poll;
    use tokio::sync::Semaphore;

    const MIB: usize = 1 << 20;

    async fn is_pending<F: Future>(work: &mut Pin<Box<F>>) -> bool {
        poll_fn(|context| Poll::Ready(work.as_mut().poll(context).is_pending())).await
    }

    #[tokio::test]
    async fn answers_share_a_bound_of_memory() {
        let memory = Arc::new(AnswerMemory::new());
        let request = || Answering::new(&memory, Vec::new());
        let (first, second, third) = (request(), request(), request());
        first.reserve(200 * MIB).await.expect("it fits");
        let mut waits = Box::pin(second.reserve(250 * MIB));
        let mut waits_longer = Box::pin(third.reserve(250 * MIB));
        assert!(is_pending(&mut waits).await && is_pending(&mut waits_longer).await);
        // As many wait as fit into memory.
        let refused = request().reserve(100 * MIB).await;
        let refused = refused.expect_err("too many wait");
        assert!(refused.contains("100 MiB"), "{refused}");
        request().reserve(SMALL).await.expect("it always fits");
        drop(first);
        waits.await.expect("the first was read");
        drop(second);
        waits_longer.await.expect("both were read");
        // A single answer always fits.
        drop(third);
        request()
            .reserve(10 * SENT as usize * 1024)
            .await
            .expect("it is the only one");
    }

    #[tokio::test]
    async fn a_request_gives_its_place_back_when_it_was_answered() {
        let memory = Arc::new(AnswerMemory::new());
        for bytes in [10, 2 * SMALL] {
            let places = Arc::new(Semaphore::new(1));
            let place = Arc::clone(&places).try_acquire_owned().expect("a place");
            let request = Answering::new(&memory, vec![place]);
            assert_eq!(places.available_permits(), 0);
            request.reserve(bytes).await.expect("it fits");
            assert_eq!(places.available_permits(), 1);
        }
    }
}
