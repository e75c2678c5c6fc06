//! Setting up the routes.

use crate::limits::OwnerLimits;
use crate::owner::{FindOwner, Owner};
use crate::state::{Decides, Given, Inner, SecondTurn};
use crate::web::Web;
use agent_runtime::journal::RunInfo;
use agent_runtime::run::PendingCall;
use agent_runtime::runtime::RunOptions;
use agent_runtime::{Agent, Error, Executable, Runtime, ToolLibrary};
use axum::http::request::Parts;
use std::collections::BTreeMap;
use std::fmt::Display;
use std::sync::Arc;

/// The names that no agent can have, because other routes use them.
const RESERVED: [&str; 5] = ["conversations", "health", "ready", "runs", "waiting"];

/// The maximum number of bytes of a body, unless [`WebBuilder::max_body`] sets another. A client can send without end,
/// which would fill the memory.
const MAX_BODY: usize = 16 << 20;

/// Sets up the routes of agents: see [`router`]. `O` is the owner of a request; without one, nothing can be built.
pub struct WebBuilder<O> {
    runtime: Runtime,
    agents: Vec<Result<Agent, Error>>,
    tools: ToolLibrary,
    owner: O,
    given: Given,
    second_turn: SecondTurn,
    limits: OwnerLimits,
    variables: Vec<String>,
    edits: bool,
    shows_reasons: bool,
    max_body: usize,
}

/// Begins to set up the routes of agents, whose tools are in a library. Call [`WebBuilder::owner`] next.
pub fn router<A: Executable>(
    runtime: &Runtime,
    agents: impl IntoIterator<Item = A>,
    tools: ToolLibrary,
) -> WebBuilder<()> {
    let agents = agents.into_iter();
    WebBuilder {
        runtime: runtime.clone(),
        agents: agents
            .map(|agent| agent.to_agent().map(|agent| agent.into_owned()))
            .collect(),
        tools,
        owner: (),
        given: Arc::new(|_, options| options),
        second_turn: SecondTurn::Refuse,
        limits: OwnerLimits::new(),
        variables: Vec::new(),
        edits: false,
        shows_reasons: false,
        max_body: MAX_BODY,
    }
}

impl WebBuilder<()> {
    /// Sets the function that finds the owner of a request, by its headers: its session, or its token. An
    /// error is answered with 401 and its text. The function is called again while a stream is sent, and the
    /// stream ends when the owner has changed.
    #[must_use]
    pub fn owner<O, F, E>(
        self,
        find: impl Fn(Parts) -> F + Send + Sync + 'static,
    ) -> WebBuilder<(FindOwner<O>, Decides<O>)>
    where
        O: Owner,
        F: Future<Output = Result<O, E>> + Send + 'static,
        E: Display,
    {
        let find: FindOwner<O> = Arc::new(move |parts| {
            let found = find(parts);
            Box::pin(async { found.await.map_err(|error| error.to_string()) })
        });
        let own: Decides<O> = Arc::new(|owner: &O, run, _| run.owner.as_ref() == Some(&owner.id()));
        WebBuilder {
            runtime: self.runtime,
            agents: self.agents,
            tools: self.tools,
            owner: (find, own),
            given: self.given,
            second_turn: self.second_turn,
            limits: self.limits,
            variables: self.variables,
            edits: self.edits,
            shows_reasons: self.shows_reasons,
            max_body: self.max_body,
        }
    }
}

impl<O: Owner> WebBuilder<(FindOwner<O>, Decides<O>)> {
    /// Gives each run, new or recovered, values for its tools. The function gets the id of the owner.
    #[must_use]
    pub fn each_run(
        mut self,
        give: impl Fn(&str, RunOptions) -> RunOptions + Send + Sync + 'static,
    ) -> Self {
        self.given = Arc::new(give);
        self
    }

    /// Sets who may decide on a call that waits. Without this, it is the owner of its run. A person who may decide on the
    /// calls of others finds them at `GET /waiting`, and sees nothing else of their runs.
    #[must_use]
    pub fn may_decide(
        mut self,
        decides: impl Fn(&O, &RunInfo, &PendingCall) -> bool + Send + Sync + 'static,
    ) -> Self {
        self.owner.1 = Arc::new(decides);
        self
    }

    /// Limits what each owner may use.
    #[must_use]
    pub fn per_owner(mut self, limits: OwnerLimits) -> Self {
        self.limits = limits;
        self
    }

    /// Sets the treatment of a message of a conversation whose last run has not ended. Without this, the
    /// message is [refused](SecondTurn::Refuse).
    #[must_use]
    pub fn second_turn(mut self, second: SecondTurn) -> Self {
        self.second_turn = second;
        self
    }

    /// Lets requests set these [variables](agent_runtime::runtime::RunBuilder::variable) of instructions.
    /// Other variables are an error, because an instruction belongs to the program.
    #[must_use]
    pub fn variables<T: Into<String>>(mut self, names: impl IntoIterator<Item = T>) -> Self {
        self.variables = names.into_iter().map(Into::into).collect();
        self
    }

    /// Lets a person change the arguments of a call that waits, and answer it in place of its tool. Without this, a call is
    /// made as the model wrote it, or denied.
    #[must_use]
    pub fn allow_edits(mut self) -> Self {
        self.edits = true;
        self
    }

    /// Tells clients why their runs failed. Without this, they get the reason only if it is a limit or an invalid input, because
    /// others may name the hosts, files and keys of the server: this is for servers whose clients own them.
    #[must_use]
    pub fn show_reasons(mut self) -> Self {
        self.shows_reasons = true;
        self
    }

    /// Sets the maximum number of bytes of a request's body, in place of 16 MiB.
    #[must_use]
    pub fn max_body(mut self, bytes: usize) -> Self {
        self.max_body = bytes;
        self
    }

    /// Builds the routes.
    ///
    /// # Errors
    /// Configuration when the runtime has no journal or no store of conversations. Validation when two agents have one name,
    /// or one has the name of another route: `runs`, `conversations`, `waiting`, `health` or `ready`. The error of an agent
    /// that cannot [run](Runtime::check) with the tools.
    pub fn build(self) -> Result<Web<O>, Error> {
        let journal = Arc::clone(self.runtime.journal()?);
        let conversations = self.runtime.conversations()?;
        let mut agents = BTreeMap::new();
        for agent in self.agents {
            let agent = agent?;
            let name = agent.name().to_owned();
            if RESERVED.contains(&name.as_str()) {
                return Err(Error::validation(format!(
                    "an agent cannot be named `{name}` here: there is a route of that name; rename the agent"
                )));
            }
            self.runtime.check(&agent, &self.tools)?;
            if agents.insert(name.clone(), agent).is_some() {
                return Err(Error::validation(format!("two agents are named `{name}`")));
            }
        }
        let (find, decides) = self.owner;
        Ok(Web::of(Inner {
            runtime: self.runtime,
            journal,
            conversations,
            agents,
            tools: self.tools,
            find,
            given: self.given,
            decides,
            second_turn: self.second_turn,
            limits: self.limits,
            variables: self.variables,
            edits: self.edits,
            shows_reasons: self.shows_reasons,
            max_body: self.max_body,
            starting: Default::default(),
            is_closing: Default::default(),
        }))
    }
}
