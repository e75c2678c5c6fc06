//! The sessions of clients of earlier revisions, which are in the memory of the process.

use crate::server::handler::CallerName;
use agent_spec::json::too_many_values;
use hyper::HeaderMap;
use rmcp::model::RequestId;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use serde::Deserialize;
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::sync::{self, Arc, PoisonError};
use std::time::Duration;
use tokio::sync::{Mutex, MutexGuard};

/// The header with the id of a session.
const SESSION: &str = "mcp-session-id";

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
    /// The callers that began the sessions. A caller that only knows the id of a session cannot use it.
    owners: sync::Mutex<HashMap<String, Option<CallerName>>>,
    /// The requests that have no answer yet.
    requests: Requests,
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
            owners: sync::Mutex::default(),
            requests: Requests::default(),
        }
    }

    /// Whether a caller may use the session that a request names. A session that does not exist is left to rmcp.
    pub(super) fn may_use(&self, headers: &HeaderMap, caller: Option<&CallerName>) -> bool {
        let owners = self.owners();
        let owner = id_in(headers).and_then(|id| owners.get(id));
        owner.is_none_or(|owner| owner.as_ref() == caller)
    }

    /// Records the caller of the session that an answer begins, if it begins a session.
    pub(super) fn record(&self, answer: &HeaderMap, caller: Option<CallerName>) {
        if let Some(id) = id_in(answer) {
            self.owners().insert(id.to_owned(), caller);
        }
    }

    /// Begins a request in the session that its headers name, if they name one.
    ///
    /// # Errors
    /// When another request of this id has no answer yet.
    pub(super) fn begin_request(
        &self,
        headers: &HeaderMap,
        id: &RequestId,
    ) -> Result<Option<UnderWay>, ()> {
        let Some(session) = id_in(headers) else {
            return Ok(None);
        };
        let key = (session.to_owned(), id.clone());
        let mut requests = self.requests.lock().unwrap_or_else(PoisonError::into_inner);
        if !requests.insert(key.clone()) {
            return Err(());
        }
        let requests = Arc::clone(&self.requests);
        Ok(Some(UnderWay(Arc::new(Entry { requests, key }))))
    }

    fn owners(&self) -> sync::MutexGuard<'_, HashMap<String, Option<CallerName>>> {
        self.owners.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn manager(&self) -> Arc<LocalSessionManager> {
        Arc::clone(&self.manager)
    }

    /// Waits until a session may begin; `None` if there are too many. The session must begin before the guard is dropped.
    pub(super) async fn begin(&self) -> Option<MutexGuard<'_, ()>> {
        let guard = self.beginning.lock().await;
        let sessions = self.manager.sessions.read().await;
        self.owners().retain(|id, _| sessions.contains_key(&**id));
        (sessions.len() < self.most).then_some(guard)
    }
}

/// Returns the id of the session in the headers of a request or an answer.
fn id_in(headers: &HeaderMap) -> Option<&str> {
    headers.get(SESSION)?.to_str().ok()
}

/// The members of a message that sessions need.
#[derive(Default)]
pub(super) struct Head {
    /// Whether the message may begin a session.
    pub(super) is_initialize: bool,
    /// The id, if the message is a request.
    pub(super) id: Option<RequestId>,
}

impl Head {
    pub(super) fn read(body: &[u8]) -> Self {
        #[derive(Deserialize)]
        struct Members<'a> {
            #[serde(borrow)]
            method: Option<Cow<'a, str>>,
            id: Option<RequestId>,
        }
        match serde_json::from_slice::<Members>(body) {
            Ok(Members { method, id }) => Self {
                is_initialize: method.as_ref().is_some_and(|method| method == "initialize"),
                id: id.filter(|_| method.is_some()),
            },
            // JSON that this function and `rmcp` may understand differently, such as a message with two methods.
            Err(error) => Self {
                is_initialize: error.is_data(),
                id: None,
            },
        }
    }
}

/// A request in a session that has no answer yet. rmcp matches an answer to its request by the id. If two
/// requests had one id, one of their answers would be lost and kept in the memory of the session.
#[derive(Clone)]
pub(super) struct UnderWay(#[expect(dead_code, reason = "it is dropped")] Arc<Entry>);

type Requests = Arc<sync::Mutex<HashSet<(String, RequestId)>>>;

struct Entry {
    requests: Requests,
    key: (String, RequestId),
}

impl Drop for Entry {
    fn drop(&mut self) {
        let mut requests = self.requests.lock().unwrap_or_else(PoisonError::into_inner);
        requests.remove(&self.key);
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
    use super::Head;
    use rmcp::model::RequestId;

    #[test]
    fn a_message_that_may_begin_a_session_is_found() {
        for body in [
            &br#"{"method": "initialize"}"#[..],
            br#"{"params": {"method": "ping"}, "method": "\u0069nitialize"}"#,
            br#"{"method": "ping", "method": "initialize"}"#,
        ] {
            assert!(Head::read(body).is_initialize, "{}", body.escape_ascii());
        }
        for body in [
            &br#"{"method": "ping", "params": {"method": "initialize"}}"#[..],
            br#"{"method": "initialize""#,
            b"{}",
            b"",
        ] {
            assert!(!Head::read(body).is_initialize, "{}", body.escape_ascii());
        }
    }

    #[test]
    fn the_id_is_that_of_a_request() {
        for (body, id) in [
            (r#"{"id": 1, "method": "ping"}"#, Some(RequestId::Number(1))),
            (
                r#"{"method": "ping", "id": "a"}"#,
                Some(RequestId::String("a".into())),
            ),
            (r#"{"id": 1, "result": {}}"#, None),
            (r#"{"method": "notifications/initialized"}"#, None),
        ] {
            assert_eq!(Head::read(body.as_bytes()).id, id, "{body}");
        }
    }
}
