//! The scripted model, for tests.

use super::{ChatFuture, ChatModel, ModelReply, ModelRequest, trace_name};
use agent_tool::Error;
use std::collections::{BTreeMap, VecDeque};
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A model that returns the replies of a script in order, and records the requests. Clones share the script
/// and the record, so a test can keep one clone and give the other to a runtime.
///
/// ```
/// use agent_runtime::model::{ModelReply, Scripted};
/// use agent_runtime::{Conversation, Runtime, agent, tool, tools};
///
/// /// Tells the time in a city
/// #[tool]
/// fn clock(city: String) -> String {
///     format!("Noon in {city}.")
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), agent_runtime::Error> {
/// let agent = agent! {
///     tools: [clock],
///     [timekeeper:Agent {instruction: "Tell the time.", model: "OpenAI/gpt-6-luna"} | clock]
/// };
/// let model = Scripted::new([ModelReply::call("clock", r#"{"city": "Rome"}"#)])
///     // A reply can depend on the request.
///     .then_with(|request| {
///         let result = request.messages.last().expect("the result of the call");
///         assert_eq!(result.content(), "Noon in Rome.");
///         Ok(ModelReply::text(result.content()))
///     });
///
/// let mut conversation = Conversation::new();
/// let response = Runtime::with_model(model.clone())
///     .execute(&agent, "What time is it in Rome?", &mut conversation, &tools![clock])
///     .await?;
///
/// assert_eq!(response.content, "Noon in Rome.");
/// assert_eq!(model.requests()[0].tools[0].name(), "clock");
/// model.assert_complete();
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Default)]
pub struct Scripted(Arc<Mutex<Script>>);

#[derive(Default)]
struct Script {
    turns: VecDeque<Turn>,
    /// The replies to the agents that have a script of their own.
    agents: BTreeMap<String, VecDeque<Turn>>,
    requests: Vec<ModelRequest>,
}

/// Creates the reply to one request.
type Turn = Box<dyn FnOnce(&ModelRequest) -> Result<ModelReply, Error> + Send>;

impl Scripted {
    /// Creates a script of replies.
    #[must_use]
    pub fn new(replies: impl IntoIterator<Item = ModelReply>) -> Self {
        replies.into_iter().fold(Self::default(), Self::then)
    }

    /// Adds a reply.
    #[must_use]
    pub fn then(self, reply: ModelReply) -> Self {
        self.then_with(|_| Ok(reply))
    }

    /// Adds an error.
    #[must_use]
    pub fn then_error(self, error: Error) -> Self {
        self.then_with(|_| Err(error))
    }

    /// Adds a reply that a function creates from the request. The function may also assert properties of the
    /// request, because its panic fails the test that awaits the run.
    #[must_use]
    pub fn then_with<F>(self, answer: F) -> Self
    where
        F: FnOnce(&ModelRequest) -> Result<ModelReply, Error> + Send + 'static,
    {
        self.script().turns.push_back(Box::new(answer));
        self
    }

    /// Adds replies to the requests of the agent of a name, for agents that are called at the same time. An agent with
    /// a script of its own gets no other reply.
    ///
    /// ```
    /// use agent_runtime::model::{ModelReply, Scripted};
    ///
    /// let model = Scripted::new([ModelReply::call("billing", r#"{"message": "Hello"}"#)])
    ///     .then(ModelReply::text("Billing says hello."))
    ///     .agent("billing", [ModelReply::text("Hello!")]);
    /// assert_eq!(model.remaining(), 3);
    /// ```
    #[must_use]
    pub fn agent(self, name: &str, replies: impl IntoIterator<Item = ModelReply>) -> Self {
        replies
            .into_iter()
            .fold(self, |script, reply| script.agent_with(name, |_| Ok(reply)))
    }

    /// Adds a reply to an agent that has a script of its own, which a function creates from the request; see
    /// [`agent`](Self::agent) and [`then_with`](Self::then_with).
    #[must_use]
    pub fn agent_with<F>(self, name: &str, answer: F) -> Self
    where
        F: FnOnce(&ModelRequest) -> Result<ModelReply, Error> + Send + 'static,
    {
        let mut script = self.script();
        let turns = script.agents.entry(name.to_owned()).or_default();
        turns.push_back(Box::new(answer));
        drop(script);
        self
    }

    /// Returns the requests so far, oldest first.
    #[must_use]
    pub fn requests(&self) -> Vec<ModelRequest> {
        self.script().requests.clone()
    }

    /// Returns the number of unused replies.
    #[must_use]
    pub fn remaining(&self) -> usize {
        let script = self.script();
        let of_agents: usize = script.agents.values().map(VecDeque::len).sum();
        script.turns.len() + of_agents
    }

    /// Asserts that every reply was used.
    ///
    /// # Panics
    /// When replies are left.
    #[track_caller]
    pub fn assert_complete(&self) {
        let (used, left) = (self.requests().len(), self.remaining());
        let number = |count: usize, thing: &str| match count {
            1 => format!("1 {thing}"),
            _ => format!("{count} {thing}s"),
        };
        assert!(
            left == 0,
            "the script has {} left after {}",
            number(left, "answer"),
            number(used, "request")
        );
    }

    fn script(&self) -> MutexGuard<'_, Script> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ChatModel for Scripted {
    fn chat<'a>(&'a self, request: &'a ModelRequest) -> ChatFuture<'a> {
        Box::pin(async move {
            let (turn, number) = {
                let mut script = self.script();
                script.requests.push(request.clone());
                let number = script.requests.len();
                let own = script.agents.get_mut(&request.agent);
                let turn = match own {
                    Some(turns) => turns.pop_front(),
                    None => script.turns.pop_front(),
                };
                (turn, number)
            };
            // Unlocked, so that the function may use the script.
            match turn {
                Some(answer) => answer(request),
                None => Err(Error::llm(format!(
                    "the script has no answer for request {number}, of the agent `{}`",
                    request.agent
                ))),
            }
        })
    }

    fn trace_name(&self) -> &'static str {
        trace_name::SCRIPTED
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[should_panic(expected = "the script has 1 answer left after 0 requests")]
    fn assert_complete_panics_for_an_unused_reply() {
        Scripted::new([ModelReply::text("Done.")]).assert_complete();
    }
}
