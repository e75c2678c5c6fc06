//! A model that plays a script, for tests.

use super::{ChatFuture, ChatModel, ModelReply, ModelRequest};
use crate::error::Error;
use std::collections::VecDeque;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A model that plays a script: the first request gets the first answer, and so on. It records the
/// requests. Clones share script and record, so a test keeps one and gives the other away.
///
/// ```
/// use agent_runtime::{ModelReply, Scripted};
///
/// let model = Scripted::new([ModelReply::call("sayHello", "{}"), ModelReply::text("Done.")]);
/// assert_eq!(model.requests().len(), 0);
/// assert_eq!(model.remaining(), 2);
/// ```
#[derive(Clone, Default)]
pub struct Scripted(Arc<Mutex<Script>>);

#[derive(Default)]
struct Script {
    turns: VecDeque<Result<ModelReply, Error>>,
    requests: Vec<ModelRequest>,
}

impl Scripted {
    /// A script of answers.
    #[must_use]
    pub fn new(replies: impl IntoIterator<Item = ModelReply>) -> Self {
        replies.into_iter().fold(Self::default(), Self::then)
    }

    /// The same script with one more answer.
    #[must_use]
    pub fn then(self, reply: ModelReply) -> Self {
        self.script().turns.push_back(Ok(reply));
        self
    }

    /// The same script with a request that fails.
    #[must_use]
    pub fn then_error(self, error: Error) -> Self {
        self.script().turns.push_back(Err(error));
        self
    }

    /// The requests so far, oldest first.
    #[must_use]
    pub fn requests(&self) -> Vec<ModelRequest> {
        self.script().requests.clone()
    }

    /// How many answers were not used yet.
    #[must_use]
    pub fn remaining(&self) -> usize {
        self.script().turns.len()
    }

    /// Asserts that every answer was used.
    ///
    /// # Panics
    /// When answers are left.
    #[track_caller]
    pub fn assert_complete(&self) {
        let (used, left) = (self.requests().len(), self.remaining());
        assert!(
            left == 0,
            "the script has {left} answers left after {used} requests"
        );
    }

    fn script(&self) -> MutexGuard<'_, Script> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ChatModel for Scripted {
    fn chat<'a>(&'a self, request: &'a ModelRequest) -> ChatFuture<'a> {
        Box::pin(async move {
            let mut script = self.script();
            script.requests.push(request.clone());
            let number = script.requests.len();
            script.turns.pop_front().unwrap_or_else(|| {
                Err(Error::llm(format!(
                    "the script has no answer for request {number}"
                )))
            })
        })
    }

    fn trace_name(&self) -> &'static str {
        "scripted"
    }
}

impl fmt::Debug for Scripted {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Scripted")
            .field("remaining", &self.remaining())
            .field("requests", &self.script().requests.len())
            .finish()
    }
}
