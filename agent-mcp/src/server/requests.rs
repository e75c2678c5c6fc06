//! The requests of a client that have no answer yet.

use rmcp::model::RequestId;
use std::collections::{BTreeMap, HashMap};
use std::sync::{Mutex, MutexGuard, PoisonError};
use tokio::sync::Notify;

/// The maximum number of requests that are let through at a time.
const MOST: usize = 256;

/// The maximum memory of the requests that are let through, in bytes. A client can send many requests of megabytes,
/// which would fill the memory. A single request may take more.
const MOST_MEMORY: usize = 64 << 20;

/// The number of the longest messages that take as much memory as all requests that are held as text.
const MOST_HELD: usize = 16;

/// The memory of a request that is held, besides its text, in bytes.
const OVERHEAD: usize = 200;

/// The requests that were let through.
#[derive(Default)]
pub(super) struct UnderWay {
    requests: Mutex<Requests>,
    ended: Notify,
}

/// Requests, and the memory that each takes.
#[derive(Default)]
struct Requests {
    memory: HashMap<RequestId, usize>,
    sum: usize,
    is_client_gone: bool,
}

impl UnderWay {
    /// Lets a request through, unless there are too many.
    pub(super) fn begin(&self, id: &RequestId, memory: usize) -> bool {
        let mut requests = self.requests();
        let fits = requests.memory.is_empty()
            || requests.memory.len() < MOST && requests.sum + memory <= MOST_MEMORY;
        if fits {
            requests.memory.insert(id.clone(), memory);
            requests.sum += memory;
        }
        fits
    }

    pub(super) fn has(&self, id: &RequestId) -> bool {
        self.requests().memory.contains_key(id)
    }

    /// Makes room, because a request was answered or cancelled.
    pub(super) fn end(&self, id: &RequestId) {
        let mut requests = self.requests();
        if let Some(memory) = requests.memory.remove(id) {
            requests.sum -= memory;
            self.ended.notify_one();
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.requests().memory.is_empty()
    }

    /// Notes that the client reads no answers any more.
    pub(super) fn client_is_gone(&self) {
        self.requests().is_client_gone = true;
        self.ended.notify_one();
    }

    pub(super) fn is_client_gone(&self) -> bool {
        self.requests().is_client_gone
    }

    /// Waits until a request has ended since this was awaited last.
    pub(super) async fn ended(&self) {
        self.ended.notified().await;
    }

    fn requests(&self) -> MutexGuard<'_, Requests> {
        self.requests.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The requests that wait until others have ended, in their order.
#[derive(Default)]
pub(super) struct Held {
    lines: BTreeMap<u64, Line>,
    numbers: HashMap<RequestId, u64>,
    next: u64,
    bytes: usize,
    most_bytes: usize,
}

/// A request that is held.
struct Line {
    id: RequestId,
    /// The memory that the request takes when it is parsed.
    memory: usize,
    text: Vec<u8>,
}

impl Held {
    /// Creates an empty list. `message_bytes` is the maximum number of bytes of a message.
    pub(super) fn new(message_bytes: usize) -> Self {
        Self {
            most_bytes: message_bytes.saturating_mul(MOST_HELD),
            ..Self::default()
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }

    pub(super) fn has(&self, id: &RequestId) -> bool {
        self.numbers.contains_key(id)
    }

    /// Adds a request.
    ///
    /// # Errors
    /// The id, if too many requests are held.
    pub(super) fn push(
        &mut self,
        id: RequestId,
        memory: usize,
        text: Vec<u8>,
    ) -> Result<(), RequestId> {
        let bytes = text.len() + OVERHEAD;
        if self.bytes + bytes > self.most_bytes {
            return Err(id);
        }
        self.bytes += bytes;
        self.numbers.insert(id.clone(), self.next);
        self.lines.insert(self.next, Line { id, memory, text });
        self.next += 1;
        Ok(())
    }

    /// The id of the first request, and the memory that it takes.
    pub(super) fn first(&self) -> Option<(&RequestId, usize)> {
        let (_, line) = self.lines.first_key_value()?;
        Some((&line.id, line.memory))
    }

    /// Removes the first request, and returns its id and its text.
    pub(super) fn pop(&mut self) -> Option<(RequestId, Vec<u8>)> {
        let (_, line) = self.lines.pop_first()?;
        self.numbers.remove(&line.id);
        self.bytes -= line.text.len() + OVERHEAD;
        Some((line.id, line.text))
    }

    /// Removes a request that was cancelled.
    pub(super) fn remove(&mut self, id: &RequestId) {
        let number = self.numbers.remove(id);
        if let Some(line) = number.and_then(|number| self.lines.remove(&number)) {
            self.bytes -= line.text.len() + OVERHEAD;
        }
    }
}
