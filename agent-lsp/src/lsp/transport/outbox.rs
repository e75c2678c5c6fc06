//! What waits to be written to the client.

use super::body::Body;
use std::collections::VecDeque;
use std::io::{self, Write};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// How many messages wait to be written. With none at all, each answer would wait until the client
/// has taken the one before.
const WAITING: usize = 4;

/// How long the end waits for a client that does not read.
const PATIENCE: Duration = Duration::from_secs(2);

/// Nobody reads any more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::lsp) struct Closed;

/// The way to the client. What is put there is written by a thread of its own.
#[derive(Clone, Debug)]
pub(in crate::lsp) struct Outbox(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    state: Mutex<State>,
    /// Something came, went, or ended.
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    waiting: VecDeque<Body>,
    /// Since when nobody waits for ever for a client that does not read.
    hurried: Option<Instant>,
    /// Nothing more will be put here.
    is_complete: bool,
    /// Nothing more will be written: all is, or nobody reads.
    is_closed: bool,
}

impl Outbox {
    pub(super) fn start(output: impl Write + Send + 'static) -> io::Result<Self> {
        let shared = Arc::new(Shared::default());
        let written = Arc::clone(&shared);
        thread::Builder::new()
            .name("lsp-writer".to_owned())
            .spawn(move || {
                // Whether all is written or nobody reads, this is the end.
                let _ = write_all(&written, output);
                written.lock().is_closed = true;
                written.changed.notify_all();
            })?;
        Ok(Self(shared))
    }

    /// Sends a message, as soon as the client has read enough of those before.
    ///
    /// # Errors
    /// When the client does not read any more.
    pub(in crate::lsp) fn send(&self, body: Body) -> Result<(), Closed> {
        let has_room = |state: &State| state.is_closed || state.waiting.len() < WAITING;
        let mut state = self.0.wait_until(has_room).ok_or(Closed)?;
        if state.is_closed {
            return Err(Closed);
        }
        state.waiting.push_back(body);
        self.0.changed.notify_all();
        Ok(())
    }

    /// From now on nobody waits for ever: the client is about to go, and may not read any more.
    pub(in crate::lsp) fn hurry(&self) {
        self.0.lock().hurried.get_or_insert_with(Instant::now);
        self.0.changed.notify_all();
    }

    /// Waits until everything is written, but not for ever.
    pub(in crate::lsp) fn finish(self) {
        self.0.lock().is_complete = true;
        self.hurry();
        // Whether it was written in time or not, this is the end.
        let _ = self.0.wait_until(|state| state.is_closed);
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until something is so: for ever, but for a moment only where there is hurry.
    fn wait_until(&self, is_so: impl Fn(&State) -> bool) -> Option<MutexGuard<'_, State>> {
        let start = Instant::now();
        let mut state = self.lock();
        while !is_so(&state) {
            state = match state.hurried.map(|since| since.max(start) + PATIENCE) {
                None => self
                    .changed
                    .wait(state)
                    .unwrap_or_else(PoisonError::into_inner),
                Some(until) => {
                    let wait = until.saturating_duration_since(Instant::now());
                    if wait.is_zero() {
                        return None;
                    }
                    let waited = self.changed.wait_timeout(state, wait);
                    waited.unwrap_or_else(PoisonError::into_inner).0
                }
            };
        }
        Some(state)
    }

    /// The next message, when it comes; nothing when none will.
    fn take(&self) -> Option<Body> {
        let mut state = self.lock();
        loop {
            if let Some(body) = state.waiting.pop_front() {
                self.changed.notify_all();
                return Some(body);
            }
            if state.is_complete {
                return None;
            }
            state = self
                .changed
                .wait(state)
                .unwrap_or_else(PoisonError::into_inner);
        }
    }
}

/// Writes until there is nothing more to write, or nobody reads.
fn write_all(waiting: &Shared, mut output: impl Write) -> io::Result<()> {
    while let Some(Body(body)) = waiting.take() {
        // In one piece: standard output would write the lines of the header by themselves.
        let mut bytes = format!("Content-Length: {}\r\n\r\n", body.len()).into_bytes();
        bytes.extend_from_slice(&body);
        output.write_all(&bytes)?;
        output.flush()?;
    }
    Ok(())
}
