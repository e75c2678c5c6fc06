//! Executing agents.

mod agent_in_tool;
mod batch;
mod builder;
mod follow;
mod new_run;
mod on_drop;
mod recover;
mod run_builder;
mod run_options;
mod saved_run;
mod spawn;
pub(crate) mod stand_in;
mod stream;

pub use agent_core::RunHandle;
pub use agent_core::run::Input;
pub use batch::{BatchBuilder, BatchProgress, BatchResult, BatchStream};
pub use builder::RuntimeBuilder;
pub use follow::{RunFollower, RunSnapshot};
pub use new_run::{RunResponse, TypedResponse};
pub use on_drop::OnDrop;
pub use recover::{RecordedRun, RecoveredRun};
pub(crate) use recover::{parsed, unreadable};
pub(crate) use run_builder::sealed::Sealed;
pub use run_builder::{NewRun, RunBuilder, RunSource};
pub use run_options::RunOptions;
pub use saved_run::SavedRun;
pub use stream::RunStream;

use crate::executable::Executable;
use agent_core::__private::{
    CallingTool, RuntimeConfig, check_compaction, overhead, stated_compaction,
};
use agent_core::conversation::Conversation;
use agent_core::cost::Prices;
use agent_core::model::{ChatModel, ModelRequest, ToolDefinition};
use agent_core::response::AgentResponse;
use agent_spec::{Agent, Model};
use agent_tool::Error;
use agent_tool::library::{BoundTools, ToolLibrary, bind_agent_tools_with};
use agent_tool::redact::Redactor;
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Executes agents. It has the model providers, the keys and the limits. Cloning is cheap.
///
/// It needs a tokio runtime with time, such as that of `#[tokio::main]`, and with I/O for providers over HTTP.
/// Without a tokio runtime, a run ends with a configuration error that says so. If you build the tokio runtime
/// yourself, call `enable_all` on its builder: without time, tokio panics with a text that names `enable_time`,
/// and without I/O with one that names `enable_io`.
#[derive(Clone, Debug)]
pub struct Runtime {
    config: Arc<RuntimeConfig>,
    /// The call whose tool calls agents; see [`Runtime::of`].
    caller: Option<CallingTool>,
}

impl Runtime {
    /// Creates a runtime with the keys and addresses of the process's environment, which are looked up when they
    /// are first needed.
    ///
    /// # Errors
    /// Configuration when the environment cannot be used.
    pub fn from_env() -> Result<Self, Error> {
        Self::builder().build()
    }

    /// Creates a runtime in which every model is [`Offline`](agent_core::model::Offline), without keys and network.
    #[must_use]
    pub fn offline() -> Self {
        Self::with_model(agent_core::model::Offline::new())
    }

    /// Creates a runtime in which every model is this one, regardless of the models that agents name.
    #[must_use]
    pub fn with_model(model: impl ChatModel) -> Self {
        Self::builder().model(model).without_grants()
    }

    /// Returns a builder for a runtime.
    pub fn builder() -> RuntimeBuilder {
        RuntimeBuilder::new()
    }

    /// Returns the redactor that knows this runtime's secrets: the keys and secret headers with which
    /// requests were sent so far, and those given with [`RuntimeBuilder::secret`].
    #[must_use]
    pub fn redactor(&self) -> Redactor {
        self.config.redactor.clone()
    }

    /// Sets up a run of an agent on an input. Awaiting the builder executes the run.
    ///
    /// ```
    /// # use agent_runtime::{agent, tool, tools, Conversation, Error, Runtime};
    /// /// Says hello
    /// #[tool]
    /// fn say_hello(name: &str) -> String {
    ///     format!("Hello, {name}!")
    /// }
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Error> {
    /// let agent = agent! {
    ///     tools: [say_hello],
    ///     [greeter:Agent {instruction: "Greet the user.", model: "Offline/any"} | sayHello]
    /// };
    /// let (runtime, library) = (Runtime::offline(), tools![say_hello]);
    /// let mut conversation = Conversation::new();
    /// let response = runtime
    ///     .run(&agent, "Hello, I'm Ada")
    ///     .tools(&library)
    ///     .conversation(&mut conversation)
    ///     .await?;
    /// println!("{}", response.content);
    /// # Ok(())
    /// # }
    /// ```
    pub fn run<'a>(&self, agent: impl Executable, input: impl Into<Input>) -> RunBuilder<'a> {
        RunBuilder::of(self, NewRun::new(agent, input.into()))
    }

    /// Calls an agent with arguments, as a function: `arguments` is an object with a member for each parameter of
    /// its [signature](Agent::signature). It is validated as the arguments of a tool are, and fills the templates of
    /// the agent. If the signature has a result other than plain text, the answer is JSON of that type: in
    /// [`content`](agent_core::AgentResponse::content) as text, and by
    /// [`output`](crate::runtime::RunBuilder::output) as a value.
    ///
    /// A run of an agent with one required text and no other required parameter may also be begun with a message
    /// alone, by [`run`](Self::run).
    ///
    /// ```
    /// use agent_runtime::model::{ModelReply, Scripted};
    /// use agent_runtime::serde_json::json;
    /// use agent_runtime::{Error, Runtime, agent};
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Error> {
    /// let agent = agent! {
    ///     [translate:Agent {instruction: "Translate into {{language}}.", model: "Scripted/any"} |
    ///         (text::Text)==>(language::Text {enum: ["de", "fr"]})==>(::String)
    ///     ]
    /// };
    /// let model = Scripted::new([ModelReply::text("Bonjour")]);
    /// let runtime = Runtime::with_model(model.clone());
    /// let arguments = json!({"text": "Guten Tag", "language": "fr"});
    /// assert_eq!(runtime.call(&agent, arguments).await?.content, "Bonjour");
    /// assert_eq!(model.requests()[0].instruction, "Translate into fr.");
    /// assert_eq!(model.requests()[0].messages[0].content(), "Guten Tag");
    ///
    /// let wrong = runtime.call(&agent, json!({"text": "Guten Tag", "language": "es"})).await;
    /// assert!(wrong.unwrap_err().is_validation());
    /// # Ok(())
    /// # }
    /// ```
    pub fn call<'a>(
        &self,
        agent: impl Executable,
        arguments: impl Into<serde_json::Value>,
    ) -> RunBuilder<'a> {
        RunBuilder::of(self, NewRun::new(agent, Input::from_arguments(arguments)))
    }

    /// Executes an agent on an input, with the tools of a library: the short form of
    /// [`run`](Self::run) for a conversation.
    ///
    /// Dropping the future cancels the tools that run. The conversation then keeps the completed part of the run;
    /// see [`RunBuilder::conversation`].
    ///
    /// # Errors
    /// The error that ended the run: see the `is_*` methods of [`Error`]. A failed call does not end a run.
    pub async fn execute<A: Executable + ?Sized>(
        &self,
        agent: &A,
        input: &str,
        conversation: &mut Conversation,
        library: &ToolLibrary,
    ) -> Result<AgentResponse, Error> {
        self.run(agent, input)
            .tools(library)
            .conversation(conversation)
            .await
    }

    /// Whether runs are kept in a [journal](RuntimeBuilder::journal).
    ///
    /// ```
    /// # use agent_runtime::{Error, Runtime, journal::MemoryJournal};
    /// # fn main() -> Result<(), Error> {
    /// let runtime = Runtime::builder().offline().journal(MemoryJournal::new()).build()?;
    /// assert!(runtime.has_journal() && !Runtime::offline().has_journal());
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn has_journal(&self) -> bool {
        self.config.journal.is_some()
    }

    /// The prices of models, as given to [`RuntimeBuilder::prices`].
    #[must_use]
    pub fn prices(&self) -> &Prices {
        &self.config.host.prices
    }

    /// Returns the prices of the models of an agent, of its fallback models, and of the agents that it calls: those given to
    /// [`RuntimeBuilder::prices`], else those of the [catalogue](crate::catalog), for models that are asked at their vendors.
    #[must_use]
    pub fn prices_of(&self, agent: &Agent) -> Prices {
        self.config.prices_of(agent)
    }

    /// Checks that an agent can run with a library, for example when a program starts. No model is asked.
    ///
    /// The check looks at the agents that the agent can call, too. It finds tools that cannot be bound or lack their configuration, an unknown provider or one
    /// without a key, usage limits that cannot be enforced, and a compaction whose limit is too low. Variables of the instruction are not
    /// checked, because each run may set its own. Fallback models are not checked, because a run skips
    /// those that it cannot use.
    ///
    /// ```
    /// # use agent_runtime::{agent, Environment, Error, Runtime, ToolLibrary};
    /// # fn main() -> Result<(), Error> {
    /// let agent = agent! { [helper:Agent {instruction: "Help.", model: "OpenAI/gpt-6-luna"}] };
    /// let runtime = Runtime::builder().environment(Environment::empty()).build()?;
    /// let error = runtime.check(&agent, &ToolLibrary::new()).unwrap_err();
    /// #
    /// assert!(error.to_string().contains("OPENAI_API_KEY"));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// All problems in one error, one a line. Its kind is that of the first problem: Validation for an agent
    /// that breaks a rule, Tool for bindings, Configuration for everything else.
    pub fn check(&self, agent: impl Executable, library: &ToolLibrary) -> Result<(), Error> {
        let agent = agent.to_agent()?;
        let bound = bind_agent_tools_with(&agent, library, self.config.bind_policy);
        let (tools, unbound) = match bound {
            Ok(tools) => (Some(tools), None),
            Err(error) => (None, Some(Error::from(error))),
        };
        let mut problems = self.problems(&agent, agent.model(), tools.as_ref(), unbound);
        let limits = &self.config.usage_limits;
        problems.extend(self.config.check_limits(limits, &agent).err());
        let mut seen = BTreeSet::new();
        let mut waiting: Vec<BoundTools> = tools.into_iter().collect();
        while let Some(tools) = waiting.pop() {
            for tool in tools.iter().filter(|tool| tool.rule().is_agent) {
                let name = tool.spec().name();
                if !seen.insert(name.to_owned()) {
                    continue;
                }
                let (found, tools) = match tools.agent(name) {
                    Ok((called, tools)) => {
                        let problems = self.problems(&called, agent.model(), Some(&tools), None);
                        (problems, Some(tools))
                    }
                    Err(error) => (vec![error], None),
                };
                let found = found.into_iter();
                problems.extend(found.map(|error| error.of_agent(name)));
                waiting.extend(tools);
            }
        }
        Error::combined(problems)
    }

    /// The problems of an agent that is bound to these tools, or could not be bound. `own` is the model of the first agent.
    fn problems(
        &self,
        agent: &Agent,
        own: &Model,
        tools: Option<&BoundTools>,
        unbound: Option<Error>,
    ) -> Vec<Error> {
        let mut unbound = unbound;
        let mut agent = Cow::Borrowed(agent);
        if let Some(tools) = tools {
            // The model is checked with the specs that a run would send.
            match tools.complete(agent.clone().into_owned()) {
                Ok(complete) => agent = Cow::Owned(complete),
                Err(error) => unbound = Some(error),
            }
        }
        let checks = [
            agent_core::__private::check_agent(&agent),
            unbound.map_or(Ok(()), Err),
            self.check_model(&agent, own),
            self.check_compaction(&agent),
        ];
        checks.into_iter().filter_map(Result::err).collect()
    }

    /// Checks that the instruction and the tools are within the limit of the compaction.
    fn check_compaction(&self, agent: &Agent) -> Result<(), Error> {
        let stated = stated_compaction(agent, &self.config.host);
        let Some(options) = self.config.compaction.as_ref().or(stated.as_ref()) else {
            return Ok(());
        };
        let tools: Vec<_> = agent.tools().iter().map(ToolDefinition::new).collect();
        check_compaction(options, agent, overhead(agent.instruction(), &tools))
    }

    /// Checks that a request to the agent's model can be sent.
    fn check_model(&self, agent: &Agent, own: &Model) -> Result<(), Error> {
        let provider = self.config.provider_of(agent.model(), own)?;
        let tools: Vec<_> = agent.tools().iter().map(ToolDefinition::new).collect();
        let request = ModelRequest::new(agent.model().clone(), agent.instruction(), Vec::new())
            .with_tools(tools)
            .with_settings(agent.settings().clone());
        provider.check(&request)
    }
}
