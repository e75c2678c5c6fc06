//! Calls that wait for an answer of their user in memory: calls of tools that ask while they run, and runs
//! that are too long to be sealed.

use super::call::OfferedCall;
use super::paused::Binding;
use super::user::Round;
use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use uuid::Uuid;

/// The maximum number of calls that wait.
const MOST: usize = 1000;

/// A call that waits for answers.
pub(super) struct Waiting {
    pub(super) call: OfferedCall,
    pub(super) round: Round,
}

/// Calls that wait for the answers of their users, each under a random handle that is used once. A call that is not
/// answered in time is dropped, which cancels it.
pub(super) struct WaitingCalls {
    calls: Mutex<HashMap<String, (Instant, Waiting)>>,
    time_to_live: Duration,
}

impl WaitingCalls {
    pub(super) fn new(time_to_live: Duration) -> Self {
        Self {
            calls: Mutex::default(),
            time_to_live,
        }
    }

    /// Keeps a call and returns its handle; `None` if too many calls wait.
    pub(super) fn keep(&self, waiting: Waiting) -> Option<String> {
        let mut calls = self.calls();
        if calls.len() >= MOST {
            return None;
        }
        // From the operating system's random numbers, because anybody who has the handle can approve the
        // call.
        let handle = Uuid::new_v4().simple().to_string();
        calls.insert(handle.clone(), (Instant::now(), waiting));
        Some(handle)
    }

    /// Takes a call, if the same caller calls the same tool with the same arguments again.
    pub(super) fn take(&self, handle: &str, binding: &Binding) -> Option<Waiting> {
        let mut calls = self.calls();
        let (_, waiting) = calls.get(handle)?;
        if waiting.call.binding() != binding {
            return None;
        }
        Some(calls.remove(handle)?.1)
    }

    pub(super) fn clear(&self) {
        self.calls().clear();
    }

    /// Locks the calls that have time left.
    fn calls(&self) -> MutexGuard<'_, HashMap<String, (Instant, Waiting)>> {
        let mut calls = self.calls.lock().unwrap_or_else(PoisonError::into_inner);
        calls.retain(|_, (since, _)| since.elapsed() < self.time_to_live);
        calls
    }
}
