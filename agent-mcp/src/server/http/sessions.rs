//! The sessions of clients of earlier revisions, which are in the memory of the process.

use agent_spec::json::too_many_values;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use serde::Deserialize;
use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{Mutex, MutexGuard};

/// The maximum number of bytes of an `initialize` message, because its session keeps it.
const INITIALIZE_BYTES: usize = 64 << 10;

/// The maximum number of values of an `initialize` message, as `agent_spec::json::value_count` counts them.
const INITIALIZE_VALUES: usize = 2_000;

/// The sessions, and their maximum number.
pub(super) struct Sessions {
    manager: Arc<LocalSessionManager>,
    most: usize,
    /// Held while a session begins, so that two do not take the same place.
    beginning: Mutex<()>,
}

impl Sessions {
    /// Creates an empty list of sessions. A session ends when nothing was sent in it for the time `idle`.
    pub(super) fn new(most: usize, idle: Duration) -> Self {
        let mut manager = LocalSessionManager::default();
        manager.session_config.keep_alive = Some(idle);
        Self {
            manager: Arc::new(manager),
            most,
            beginning: Mutex::new(()),
        }
    }

    pub(super) fn manager(&self) -> Arc<LocalSessionManager> {
        Arc::clone(&self.manager)
    }

    /// Waits until a session may begin; `None` if there are too many. The session must begin before the guard is dropped.
    pub(super) async fn begin(&self) -> Option<MutexGuard<'_, ()>> {
        let guard = self.beginning.lock().await;
        let is_free = self.manager.sessions.read().await.len() < self.most;
        is_free.then_some(guard)
    }
}

/// Whether a message may begin a session.
pub(super) fn is_initialize(body: &[u8]) -> bool {
    #[derive(Deserialize)]
    struct Head<'a> {
        #[serde(borrow)]
        method: Option<Cow<'a, str>>,
    }
    match serde_json::from_slice::<Head>(body) {
        Ok(head) => head.method.is_some_and(|method| method == "initialize"),
        // JSON that this function and `rmcp` may understand differently, such as a message with two methods.
        Err(error) => error.is_data(),
    }
}

/// Returns the problem of an `initialize` message that is too large to be kept. `values` is the number of its values.
pub(super) fn too_large(body: &[u8], values: usize) -> Option<String> {
    if body.len() > INITIALIZE_BYTES {
        return Some(format!(
            "an `initialize` message has at most {INITIALIZE_BYTES} bytes"
        ));
    }
    let values = (values > INITIALIZE_VALUES).then(|| too_many_values(INITIALIZE_VALUES))?;
    Some(format!("the `initialize` message has {values}"))
}

#[cfg(test)]
mod tests {
    use super::is_initialize;

    #[test]
    fn a_message_that_may_begin_a_session_is_found() {
        for body in [
            &br#"{"method": "initialize"}"#[..],
            br#"{"params": {"method": "ping"}, "method": "\u0069nitialize"}"#,
            br#"{"method": "ping", "method": "initialize"}"#,
        ] {
            assert!(is_initialize(body), "{}", body.escape_ascii());
        }
        for body in [
            &br#"{"method": "ping", "params": {"method": "initialize"}}"#[..],
            br#"{"method": "initialize""#,
            b"{}",
            b"",
        ] {
            assert!(!is_initialize(body), "{}", body.escape_ascii());
        }
    }
}
