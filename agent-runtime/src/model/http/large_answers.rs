//! Bounding the memory of the answers that are read at the same time.

use std::sync::Arc;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// The maximum size of an answer, in bytes. A model or a broken server can write without end, which would fill the
/// memory.
pub(super) const MAX_BODY: usize = 32 * 1_048_576;

/// The number of bytes of an answer that are kept without a turn. It is more than the longest text of any model, so that
/// only images and other media wait.
const SMALL: usize = 2 << 20;

/// The number of large answers that are read at the same time.
const AT_ONCE: usize = 8;

/// The turns of answers that are larger than [`SMALL`]. Without them, the answers to agents that are called at the same
/// time would take a gigabyte.
#[derive(Clone, Debug)]
pub(super) struct LargeAnswers(Arc<Semaphore>);

impl Default for LargeAnswers {
    fn default() -> Self {
        Self(Arc::new(Semaphore::new(AT_ONCE)))
    }
}

impl LargeAnswers {
    /// Creates the turn of an answer. The answer has to [wait](Turn::wait) for its turn.
    pub(super) fn turn(&self) -> Turn {
        Turn {
            turns: Some(Arc::clone(&self.0)),
            permit: None,
        }
    }
}

/// The turn of an answer. Dropping the turn lets another answer continue.
#[derive(Debug)]
pub(super) struct Turn {
    turns: Option<Arc<Semaphore>>,
    permit: Option<OwnedSemaphorePermit>,
}

impl Turn {
    /// Returns a turn that waits for no other.
    pub(super) fn free() -> Self {
        Self {
            turns: None,
            permit: None,
        }
    }

    /// Waits for the turn of an answer that keeps `kept` bytes.
    ///
    /// Cancel safety: dropping the future leaves the answer without a turn.
    pub(super) async fn wait(&mut self, kept: usize) {
        if kept > SMALL
            && self.permit.is_none()
            && let Some(turns) = &self.turns
        {
            // The semaphore is never closed.
            self.permit = Arc::clone(turns).acquire_owned().await.ok();
        }
    }
}

/// Adds bytes to an answer of at most `most` bytes. Its capacity doubles, but never beyond `most`, because it
/// could otherwise be up to twice as much.
pub(super) fn extend(answer: &mut Vec<u8>, bytes: &[u8], most: usize) {
    let needed = answer.len() + bytes.len();
    if needed > answer.capacity() {
        let room = (2 * answer.capacity()).min(most).max(needed);
        answer.reserve_exact(room - answer.len());
    }
    answer.extend_from_slice(bytes);
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::future::Future;
    use std::pin::pin;
    use std::task::{Context, Waker};

    #[test]
    fn the_room_of_an_answer_is_at_most_its_maximum() {
        let mut answer = Vec::new();
        for _ in 0..99 {
            extend(&mut answer, &[1; 10], 1_000);
        }
        assert_eq!((answer.len(), answer.capacity()), (990, 1_000));
        extend(&mut answer, &[1; 20], 1_000);
        assert_eq!(answer, [1; 1_010]);
    }

    #[test]
    fn few_large_answers_are_read_at_the_same_time() {
        let answers = LargeAnswers::default();
        let begins = |turn: &mut Turn, kept: usize| {
            let wait = pin!(turn.wait(kept));
            wait.poll(&mut Context::from_waker(Waker::noop()))
                .is_ready()
        };
        let mut turns: Vec<Turn> = (0..AT_ONCE).map(|_| answers.turn()).collect();
        for turn in &mut turns {
            assert!(begins(turn, SMALL + 1));
        }
        let mut next = answers.turn();
        assert!(begins(&mut next, SMALL));
        assert!(!begins(&mut next, SMALL + 1));
        assert!(begins(&mut turns[0], 2 * SMALL), "it has its turn");
        turns.pop();
        assert!(begins(&mut next, SMALL + 1));
        assert!(begins(&mut Turn::free(), SMALL + 1));
    }
}
