//! Agents of `gramwork-runtime` as durable objects of [Restate](https://restate.dev), for many machines.
//!
//! Restate keeps each step of a run, and continues the run on another machine when one dies. An agent is an object: each key
//! is a conversation, and one message of a conversation is under way at a time.
//!
//! ```no_run
//! use agent_restate::DurableAgent;
//! use agent_restate::restate_sdk::prelude::Endpoint;
//! use agent_runtime::{Runtime, agent, tool, tools};
//!
//! /// Pays an invoice
//! #[tool(requires_approval)]
//! async fn pay(invoice: &str) -> String {
//!     format!("{invoice} is paid")
//! }
//!
//! # async fn serve() -> Result<(), Box<dyn std::error::Error>> {
//! let clerk = agent! {
//!     tools: [pay],
//!     [clerk:Agent {instruction: "Pay what is due.", model: "OpenAI/gpt-6-luna"} | pay]
//! };
//! let clerk = DurableAgent::new(Runtime::builder(), &clerk, &tools![pay])?;
//! let endpoint = Endpoint::builder().bind(clerk.into_service()?).build();
//! agent_restate::serve(endpoint, "0.0.0.0:9080".parse()?).await?;
//! # Ok(())
//! # }
//! ```
//!
//! # Handlers
//!
//! | handler | takes | returns |
//! | --- | --- | --- |
//! | `send` | `{"message": "…"}`, or `{"arguments": {…}}` for an agent that is called as a function | the response, as [`AgentResponse::to_json`](agent_runtime::AgentResponse::to_json) writes it |
//! | `approve` | `{"call": "…", "decision": "approve"}`; `deny` with `reason`, `edit` with `arguments`; for a call in doubt also `done` with `result`, and `unknown` | nothing |
//! | `cancel` | nothing | whether a message was under way |
//! | `history` | nothing | the messages |
//! | `progress` | `{"since": 0}` | `events` since that number, `next`, whether earlier events `isMissing`, whether a message `isUnderWay`, the calls that are `waiting`, and why the last decisions were `refused` |
//!
//! `send` is exclusive: a second message of a conversation waits for the first. The other handlers are
//! shared, so that they need not wait.
//!
//! The page `book/src/reference/journal.md` of the repository has the crashes, the errors, sizing, operation and versions.

mod bounds;
mod cut;
mod input;
mod journal;
mod media;
mod message;
mod object;
mod progress;
mod results;
mod session;
mod step;
#[cfg(test)]
#[path = "../../agent-runtime/tests/journal/scenarios/table.rs"]
#[allow(dead_code, unreachable_pub, reason = "other crates use the rest of it")]
mod table;
#[cfg(test)]
mod tests;

pub use media::{MediaFolder, MediaStore};
pub use restate_sdk;

use agent_runtime::runtime::RuntimeBuilder;
use agent_runtime::{Agent, Error, ToolLibrary};
use journal::EngineJournal;
use object::AgentObject;
use restate_sdk::prelude::{Endpoint, HttpServer, ServiceDefinition};
use results::ResultBound;
use session::Served;
use std::net::SocketAddr;
use std::sync::Arc;
use std::{fmt, io};
use tokio::net::TcpSocket;

/// An agent that Restate keeps alive.
pub struct DurableAgent(Served);

impl DurableAgent {
    /// Creates the object of an agent, whose tools are those of `library`. The runs have the settings of `runtime`; its
    /// journal and its store of conversations are the engine.
    ///
    /// # Errors
    /// As [`RuntimeBuilder::build`](agent_runtime::runtime::RuntimeBuilder::build).
    pub fn new(
        runtime: RuntimeBuilder,
        agent: &Agent,
        library: &ToolLibrary,
    ) -> Result<Self, Error> {
        let runtime = runtime.journal(EngineJournal).hook(ResultBound);
        Ok(Self(Served {
            runtime: runtime.build()?,
            agent: agent.clone(),
            library: library.clone(),
            media: None,
        }))
    }

    /// Keeps images and other texts of 64 KiB and more in a store, and only their digests in the engine.
    /// Without a store, the engine keeps them, and messages, conversations and steps of more than a few MB
    /// are errors.
    #[must_use]
    pub fn media_store(mut self, store: impl MediaStore) -> Self {
        self.0.media = Some(Arc::new(store));
        self
    }

    /// Returns the object for an endpoint of Restate's SDK, named after the agent.
    /// [`options`](ServiceDefinition::options) can be set there.
    ///
    /// # Errors
    /// Configuration when Restate does not accept the agent's name.
    pub fn into_service(self) -> Result<ServiceDefinition, Error> {
        let served = Arc::new(self.0);
        AgentObject { served }.into_service()
    }
}

/// Serves agents, and other objects and services of Restate's SDK, until Ctrl-C. Requests under way then have
/// ten seconds to end; Restate continues the rest on another worker, or when this worker is started again.
///
/// Unlike the SDK's own `listen_and_serve`, this function sends small messages at once. With
/// `listen_and_serve`, the operating system holds back the second message of a step until the first is
/// acknowledged, which takes some 15 ms.
///
/// # Errors
/// When nobody can listen on the address.
pub async fn serve(endpoint: Endpoint, address: SocketAddr) -> io::Result<()> {
    let socket = match address.is_ipv4() {
        true => TcpSocket::new_v4(),
        false => TcpSocket::new_v6(),
    }?;
    // A worker that is started again listens on the same address. On Windows, this would let two workers
    // listen on it.
    #[cfg(not(windows))]
    socket.set_reuseaddr(true)?;
    // Accepted connections have the options of the listening socket.
    socket.set_nodelay(true)?;
    socket.bind(address)?;
    HttpServer::new(endpoint)
        .serve(socket.listen(BACKLOG)?)
        .await;
    Ok(())
}

/// The number of connections that wait to be accepted. Restate has few.
const BACKLOG: u32 = 1024;

impl fmt::Debug for DurableAgent {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("DurableAgent")
            .field("agent", &self.0.agent.name())
            .finish_non_exhaustive()
    }
}

/// Helpers of the table of runs.
#[cfg(test)]
mod support {
    use agent_runtime::ToolLibrary;
    use agent_runtime::conversation::ToolCall;
    use agent_runtime::model::ModelReply;
    use agent_runtime::tool::{DynamicTool, ToolConfig};

    pub(crate) fn config(name: &'static str) -> ToolConfig {
        ToolConfig::with_signature(name, "Does something.", "()==>(::Any)")
    }

    pub(crate) fn library(tools: impl IntoIterator<Item = DynamicTool>) -> ToolLibrary {
        let mut library = ToolLibrary::new();
        for tool in tools {
            library.add(tool).expect("a good name");
        }
        library
    }

    pub(crate) fn calls(calls: &[(&str, &str, &str)]) -> ModelReply {
        let calls = calls.iter();
        ModelReply::calls(calls.map(|(id, tool, args)| ToolCall::new(*id, *tool, *args)))
    }
}
