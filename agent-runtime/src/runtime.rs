//! Executing agents.

mod builder;
mod options;
mod run_builder;
mod stream;
mod summarise;

pub use builder::RuntimeBuilder;
pub use options::DriveOptions;
pub use run_builder::{Input, RunBuilder, RunResponse, TypedResponse};
pub use stream::RunStream;

use crate::approval::Approver;
use crate::conversation::Conversation;
use crate::cost::Prices;
use crate::drive::{Audience, Driver, HistoryGuard, Hooks, Watch, race, record_end, spans};
use crate::error::Error;
use crate::event::Event;
use crate::executable::Executable;
use crate::extensions::Extensions;
use crate::hook::RunContext;
use crate::library::{BindPolicy, BoundTools, ToolLibrary, bind_agent_tools_with};
use crate::model::{ChatModel, ModelRequest, Providers, ToolDefinition};
use crate::permissions::Permissions;
use crate::redact::Redactor;
use crate::response::AgentResponse;
use crate::run::{Run, RunOutcome, Step, UsageLimits};
use agent_spec::Agent;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

/// Executes agents: knows the model providers, the keys, the limits. Cloning is cheap.
///
/// It needs a tokio runtime with time (`#[tokio::main]` has it), and with I/O for providers over
/// HTTP.
#[derive(Clone, Debug)]
pub struct Runtime(Arc<Shared>);

/// What all runs of a runtime share.
pub(crate) struct Shared {
    pub(crate) providers: Providers,
    pub(crate) approver: Option<Box<dyn Approver>>,
    pub(crate) extensions: Extensions,
    permissions: Permissions,
    pub(crate) hooks: Box<Hooks>,
    redactor: Redactor,
    /// The redactor of traced content; `None` if content is not traced.
    pub(crate) trace_redactor: Option<Redactor>,
    pub(crate) tool_timeout: Duration,
    pub(crate) model_timeout: Duration,
    run_timeout: Option<Duration>,
    bind_policy: BindPolicy,
    variables: BTreeMap<String, String>,
    prices: Arc<Prices>,
    usage_limits: UsageLimits,
    result_limit: usize,
}

impl Runtime {
    /// A runtime with the keys and addresses of the process's environment, each looked up when it
    /// is first needed.
    ///
    /// # Errors
    /// Configuration when the environment cannot be used.
    pub fn from_env() -> Result<Self, Error> {
        Self::builder().build()
    }

    /// A runtime in which every model is the [`Offline`](crate::model::Offline) one: no key, no network.
    #[must_use]
    pub fn offline() -> Self {
        Self::with_model(crate::model::Offline::new())
    }

    /// A runtime in which every model is this one, whatever the agents say.
    #[must_use]
    pub fn with_model(model: impl ChatModel) -> Self {
        Self::builder().model(model).without_grants()
    }

    /// Settings for a runtime.
    pub fn builder() -> RuntimeBuilder {
        RuntimeBuilder::new()
    }

    /// Returns the redactor that knows this runtime's secrets: the keys and secret headers with which
    /// requests were sent so far, and those given with [`RuntimeBuilder::secret`].
    #[must_use]
    pub fn redactor(&self) -> Redactor {
        self.0.redactor.clone()
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
        RunBuilder::new(self, agent, input.into())
    }

    /// Executes an agent on an input, with the tools of a library: the short form of
    /// [`run`](Self::run) for a conversation.
    ///
    /// Dropping the future cancels the tools that run. The conversation then keeps what was done, as
    /// [`RunBuilder::conversation`] describes.
    ///
    /// # Errors
    /// The error that ended the run: see the `is_*` methods of [`Error`]. A call that fails ends no run.
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

    /// The prices of models, as given to [`RuntimeBuilder::prices`].
    #[must_use]
    pub fn prices(&self) -> &Prices {
        &self.0.prices
    }

    /// Checks that an agent can run with a library, for example when a program starts. No model is asked.
    ///
    /// The check finds tools that cannot be bound or lack their configuration, an unknown provider or one
    /// without a key, and usage limits that cannot be enforced. Variables of the instruction are not
    /// checked, because each run may set its own. Fallback models are not checked, because a run skips
    /// those that it cannot use.
    ///
    /// ```
    /// # use agent_runtime::{agent, Environment, Error, Runtime, ToolLibrary};
    /// # fn main() -> Result<(), Error> {
    /// let agent = agent! { [helper:Agent {instruction: "Help.", model: "OpenAI/gpt-4o-mini"}] };
    /// let runtime = Runtime::builder().environment(Environment::empty()).build()?;
    /// let error = runtime.check(&agent, &ToolLibrary::new()).unwrap_err();
    /// # #[cfg(feature = "http")]
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
        let limits = &self.0.usage_limits;
        let has_price = |model: &_| self.0.prices.get(model).is_some();
        let bound = bind_agent_tools_with(&agent, library, self.0.bind_policy);
        let checks = [
            crate::run::check_agent(&agent),
            bound.map(drop).map_err(Error::from),
            self.check_model(&agent),
            limits.check(&agent, has_price),
        ];
        Error::combined(checks.into_iter().filter_map(Result::err).collect())
    }

    /// Checks that a request to the agent's model can be sent.
    fn check_model(&self, agent: &Agent) -> Result<(), Error> {
        let provider = self.0.providers.model(agent.model().provider(), true)?;
        let tools: Vec<_> = agent.tools().iter().map(ToolDefinition::new).collect();
        let request = ModelRequest::new(agent.model().clone(), agent.instruction(), Vec::new())
            .with_tools(tools)
            .with_settings(agent.settings().clone());
        provider.check(&request)
    }

    /// Drives a run to its end, or until a person must decide and the runtime has no approver.
    /// [`Approver`] shows how it continues from there, in another process. Limits in the
    /// options replace those of the run.
    ///
    /// Dropping the future cancels the tools that run; the run then waits for their results again.
    ///
    /// # Errors
    /// The error that ended the run.
    pub async fn drive(
        &self,
        run: &mut Run,
        library: &ToolLibrary,
        options: DriveOptions<'_>,
    ) -> Result<RunOutcome, Error> {
        let tools = bind_agent_tools_with(run.agent(), library, self.0.bind_policy)?;
        if let Some(limits) = options.usage_limits {
            run.set_usage_limits(limits);
        }
        self.drive_bound(run, &tools, options).await
    }

    /// Reads a run that was saved with [`Run::to_json`] and binds its agent's tools again; then
    /// [`drive`](Self::drive) goes on with it.
    ///
    /// # Errors
    /// Validation when the JSON is no saved run; a tool error when a tool cannot be bound.
    pub fn resume(&self, json: &serde_json::Value, library: &ToolLibrary) -> Result<Run, Error> {
        let agent = Run::saved_agent(json)?;
        let tools = bind_agent_tools_with(&agent, library, self.0.bind_policy)?;
        Run::from_json(json, &tools)
    }

    /// Creates a run and binds its tools.
    fn prepare(
        &self,
        agent: Agent,
        input: &str,
        conversation: &Conversation,
        library: &ToolLibrary,
        run_variables: BTreeMap<String, String>,
        limits: Option<UsageLimits>,
    ) -> Result<(Run, BoundTools), Error> {
        crate::run::check_input(input)?;
        let tools = bind_agent_tools_with(&agent, library, self.0.bind_policy)?;
        let mut variables = self.0.variables.clone();
        variables.extend(run_variables);
        let limits = limits.unwrap_or(self.0.usage_limits);
        self.0.providers.model(agent.model().provider(), true)?;
        let run =
            Run::new(&agent, &tools, input, conversation, &variables)?.with_usage_limits(limits);
        Ok((run, tools))
    }

    async fn drive_bound(
        &self,
        run: &mut Run,
        tools: &BoundTools,
        options: DriveOptions<'_>,
    ) -> Result<RunOutcome, Error> {
        let limits = run.usage_limits();
        limits.check(run.agent(), |model| self.0.prices.get(model).is_some())?;
        run.set_host_values(Arc::clone(&self.0.prices), self.0.result_limit);
        let provider = self
            .0
            .providers
            .model(run.agent().model().provider(), true)?;
        let conversation_id = options.conversation_id.as_deref();
        let name = provider.trace_name();
        let mut operation = spans::invoke_agent(run, name, conversation_id);
        spans::record_output_type(&operation, run);
        let cancellation = options.cancellation.child();
        let _cancels_tools = cancellation.guard();
        let watch = Watch::new(self.0.run_timeout, options.cancellation);
        let mut permissions = self.0.permissions.clone();
        let narrower = [
            run.agent().settings().grants.as_ref(),
            options.grants.as_ref(),
        ];
        for grants in narrower.into_iter().flatten() {
            permissions = permissions.narrowed(grants);
        }
        let context = RunContext {
            run_id: run.id().to_owned(),
            agent: run.agent().clone(),
            conversation_id: options.conversation_id.clone(),
            extensions: self.0.extensions.overlaid(options.extensions),
            permissions,
            usage_limits: *run.usage_limits(),
        };
        let mut driver = Driver {
            shared: &self.0,
            context: &context,
            tools,
            audience: Audience {
                observer: options.observer,
                queue: options.queue,
                told: run.invocations().len(),
            },
            streaming: options.streaming,
            watch: watch.clone(),
            cancellation,
            may_pause: !options.denies,
        };
        let ended = operation.around(race(driver.drive(run), &watch)).await;
        let outcome = ended.unwrap_or_else(|stop| {
            stop.end(run);
            stopped(run)
        });
        driver.audience.tell_invocations(run);
        if let Ok(RunOutcome::Done(response)) = &outcome {
            driver.audience.tell_of(|| Event::Finished {
                response: response.clone(),
            });
        }
        record_end(&mut operation, run, &outcome);
        outcome
    }
}

/// The outcome of a run that was stopped from outside.
fn stopped(run: &Run) -> Result<RunOutcome, Error> {
    match run.next()? {
        Step::Done(response) => Ok(RunOutcome::Done(response)),
        _ => Err(Error::cancelled("the run was stopped")),
    }
}

impl std::fmt::Debug for Shared {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("Shared")
            .field("providers", &self.providers)
            .field("bind_policy", &self.bind_policy)
            .field("tool_timeout", &self.tool_timeout)
            .field("model_timeout", &self.model_timeout)
            .field("run_timeout", &self.run_timeout)
            .finish_non_exhaustive()
    }
}
