//! What was read and waits for its answer.

use super::decode::Refusal;
use crate::lsp::checker::Made;
use lsp_server::{Message, RequestId};
use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// How many messages wait at most.
const MAX_WAITING: usize = 1024;

/// How many bytes of messages wait at most. A message that is longer waits alone.
const MAX_BYTES: usize = 16 << 20;

/// The notification by which a client takes a request back.
const CANCEL: &str = "$/cancelRequest";

/// Something to handle.
pub(in crate::lsp) enum Incoming {
    /// A message.
    Message(Message),
    /// Something that is no message, to be answered so.
    Malformed(Refusal),
    /// A request that was taken back before anybody looked at it.
    Cancelled(RequestId),
    /// What came of a job. Nothing waits longer for it than for what the client says.
    Made(Box<Made>),
}

/// Why nothing comes any more.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::lsp) enum End {
    /// The input ended between two messages.
    Closed,
    /// It cannot be told where the next message begins.
    Lost(String),
}

/// What a look into the inbox gives.
pub(in crate::lsp) enum Received {
    /// The oldest that waited.
    Incoming(Incoming),
    /// Nothing came in time.
    Idle,
    /// Nothing will come.
    End(End),
}

/// A queue of bounded size between the thread that reads and the one that answers.
#[derive(Default)]
pub(in crate::lsp) struct Inbox {
    state: Mutex<State>,
    /// Something came, went, or ended.
    changed: Condvar,
}

#[derive(Default)]
struct State {
    made: Option<Box<Made>>,
    waiting: VecDeque<(Incoming, usize)>,
    bytes: usize,
    end: Option<End>,
}

impl Inbox {
    /// Adds what was read from so many bytes, as soon as there is room. A request that is taken back
    /// while it waits is put out here, since whoever answers would see that too late.
    pub(super) fn put(&self, read: Result<Message, Refusal>, bytes: usize) {
        let mut state = self.lock();
        let incoming = match read {
            Ok(Message::Notification(cancel)) if cancel.method == CANCEL => {
                if let Ok(id) = serde_json::from_value(cancel.params["id"].clone()) {
                    state.cancel(&id);
                }
                return;
            }
            Ok(message) => Incoming::Message(message),
            Err(refusal) => Incoming::Malformed(refusal),
        };
        while !state.has_room_for(bytes) {
            state = self
                .changed
                .wait(state)
                .unwrap_or_else(PoisonError::into_inner);
        }
        state.waiting.push_back((incoming, bytes));
        state.bytes += bytes;
        self.changed.notify_all();
    }

    /// Adds what came of a job, before all that waits. There is one job at a time.
    pub(in crate::lsp) fn put_made(&self, made: Made) {
        self.lock().made = Some(Box::new(made));
        self.changed.notify_all();
    }

    /// Waits for what comes of a job, whatever else waits, but not beyond this instant.
    pub(in crate::lsp) fn receive_made(&self, until: Instant) -> Option<Made> {
        let wait = until.saturating_duration_since(Instant::now());
        let waited = self
            .changed
            .wait_timeout_while(self.lock(), wait, |state| state.made.is_none());
        let (mut state, _) = waited.unwrap_or_else(PoisonError::into_inner);
        state.made.take().map(|made| *made)
    }

    /// Says that nothing will come any more.
    pub(in crate::lsp) fn end(&self, end: End) {
        self.lock().end = Some(end);
        self.changed.notify_all();
    }

    /// Takes the oldest that waits, or waits for it: until this instant, or for ever.
    pub(in crate::lsp) fn receive(&self, until: Option<Instant>) -> Received {
        let mut state = self.lock();
        loop {
            if let Some(made) = state.made.take() {
                return Received::Incoming(Incoming::Made(made));
            }
            if let Some((incoming, bytes)) = state.waiting.pop_front() {
                state.bytes -= bytes;
                self.changed.notify_all();
                return Received::Incoming(incoming);
            }
            if let Some(end) = &state.end {
                return Received::End(end.clone());
            }
            state = match until.map(|until| until.saturating_duration_since(Instant::now())) {
                Some(Duration::ZERO) => return Received::Idle,
                Some(wait) => {
                    let waited = self.changed.wait_timeout(state, wait);
                    waited.unwrap_or_else(PoisonError::into_inner).0
                }
                None => self
                    .changed
                    .wait(state)
                    .unwrap_or_else(PoisonError::into_inner),
            };
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn has_room_for(&self, bytes: usize) -> bool {
        self.waiting.is_empty()
            || self.waiting.len() < MAX_WAITING && self.bytes + bytes <= MAX_BYTES
    }

    fn cancel(&mut self, id: &RequestId) {
        for (incoming, _) in &mut self.waiting {
            let is_meant = matches!(
                incoming,
                Incoming::Message(Message::Request(request)) if request.id == *id
            );
            if is_meant {
                *incoming = Incoming::Cancelled(id.clone());
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lsp_server::{Notification, Request};
    use serde_json::json;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::thread;

    fn request(id: i32) -> Result<Message, Refusal> {
        let request = Request::new(RequestId::from(id), "x".to_owned(), json!({}));
        Ok(Message::Request(request))
    }

    fn cancel(id: i32) -> Result<Message, Refusal> {
        let notification = Notification::new(CANCEL.to_owned(), json!({ "id": id }));
        Ok(Message::Notification(notification))
    }

    fn next(inbox: &Inbox) -> String {
        match inbox.receive(Some(Instant::now())) {
            Received::Incoming(Incoming::Message(Message::Request(request))) => {
                format!("request {}", request.id)
            }
            Received::Incoming(Incoming::Cancelled(id)) => format!("cancelled {id}"),
            Received::Idle => "idle".to_owned(),
            Received::End(end) => format!("{end:?}"),
            Received::Incoming(_) => panic!("nothing else was put in"),
        }
    }

    #[test]
    fn what_waits_comes_in_order_and_the_end_comes_last() {
        let inbox = Inbox::default();
        assert_eq!(next(&inbox), "idle");
        inbox.put(request(1), 1);
        inbox.put(request(2), 1);
        inbox.end(End::Closed);
        assert_eq!(next(&inbox), "request 1");
        assert_eq!(next(&inbox), "request 2");
        assert_eq!(next(&inbox), "Closed");
        assert_eq!(next(&inbox), "Closed");
    }

    #[test]
    fn only_a_request_that_waits_can_be_taken_back() {
        let inbox = Inbox::default();
        inbox.put(request(1), 1);
        inbox.put(request(2), 1);
        inbox.put(cancel(2), 1);
        inbox.put(cancel(3), 1);
        inbox.put(request(3), 1);
        assert_eq!(next(&inbox), "request 1");
        assert_eq!(next(&inbox), "cancelled 2");
        assert_eq!(next(&inbox), "request 3");
        assert_eq!(next(&inbox), "idle");
    }

    #[test]
    fn whoever_fills_it_waits_for_room() {
        for (bytes, room) in [
            (0, MAX_WAITING),
            (MAX_BYTES / 4, 4),
            (MAX_BYTES, 1),
            (2 * MAX_BYTES, 1),
        ] {
            let inbox = Arc::new(Inbox::default());
            let count = Arc::new(AtomicUsize::new(0));
            let (filled, counted) = (Arc::clone(&inbox), Arc::clone(&count));
            let filler = thread::spawn(move || {
                for id in 0..2 * MAX_WAITING as i32 {
                    filled.put(request(id), bytes);
                    counted.fetch_add(1, Ordering::SeqCst);
                }
            });
            for id in 0..2 * MAX_WAITING as i32 {
                let Received::Incoming(Incoming::Message(Message::Request(request))) =
                    inbox.receive(None)
                else {
                    panic!("a request is to come");
                };
                assert_eq!(request.id, RequestId::from(id));
                // One more than was taken may be counted late, never early.
                let waiting = count.load(Ordering::SeqCst).saturating_sub(id as usize);
                assert!(waiting <= room + 1, "{waiting} wait, of {bytes} bytes");
            }
            filler.join().unwrap();
        }
    }
}
