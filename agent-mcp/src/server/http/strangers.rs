//! The connections of clients that have not made a request which they may make.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use tokio::task::AbortHandle;

/// The connections of strangers, in their order. If there are too many connections, the oldest of these ends, so that clients
/// who only connect do not lock out the others.
#[derive(Default)]
pub(super) struct Strangers(Mutex<Connections>);

#[derive(Default)]
struct Connections {
    next: u64,
    handles: BTreeMap<u64, AbortHandle>,
}

impl Strangers {
    /// Adds the connection that `spawn` begins to serve, which gets the number of the connection.
    pub(super) fn add(&self, spawn: impl FnOnce(u64) -> AbortHandle) {
        // Locked until the handle is there, because the connection may be removed at once.
        let mut connections = self.connections();
        let number = connections.next;
        connections.next += 1;
        let handle = spawn(number);
        connections.handles.insert(number, handle);
    }

    /// Removes a connection that has ended, or whose client may make requests.
    pub(super) fn remove(&self, number: u64) {
        self.connections().handles.remove(&number);
    }

    /// Ends the oldest connection.
    pub(super) fn end_oldest(&self) {
        if let Some((_, handle)) = self.connections().handles.pop_first() {
            handle.abort();
        }
    }

    fn connections(&self) -> MutexGuard<'_, Connections> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
