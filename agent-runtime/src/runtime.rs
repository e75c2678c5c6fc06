//! Executing agents.

mod builder;
#[cfg(feature = "http")]
mod compatible;
mod options;
mod providers;
mod stream;
mod summarise;
mod typed;

pub use builder::RuntimeBuilder;
#[cfg(feature = "http")]
pub use compatible::CompatibleProvider;
pub use options::ExecuteOptions;
pub use stream::RunStream;
pub use typed::TypedResponse;

use crate::approval::Approver;
use crate::conversation::Conversation;
use crate::cost::Prices;
use crate::drive::{Audience, Driver, HistoryGuard, Hooks, Watch, race, record_end};
use crate::error::Error;
use crate::event::Event;
use crate::executable::Executable;
use crate::extensions::Extensions;
use crate::granted::Granted;
use crate::key_mask::KeyMask;
use crate::library::{BindPolicy, BoundTools, ToolLibrary, bind_agent_tools_with};
use crate::model::ChatModel;
use crate::response::AgentResponse;
use crate::run::{PendingCall, Run, Step, UsageLimits};
use crate::trace::{self, Mask};
use providers::Providers;
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
    granted: Granted,
    pub(crate) hooks: Box<Hooks>,
    /// What takes secrets out of what is said, when that is to be traced.
    trace_mask: Option<TraceMask>,
    pub(crate) tool_timeout: Duration,
    pub(crate) model_timeout: Duration,
    run_timeout: Option<Duration>,
    bind_policy: BindPolicy,
    variables: BTreeMap<String, String>,
    prices: Arc<Prices>,
    usage_limits: UsageLimits,
    result_limit: usize,
}

type TraceMask = Box<dyn Fn(&str) -> String + Send + Sync>;

impl Shared {
    pub(crate) fn mask(&self) -> Option<Mask<'_>> {
        self.trace_mask.as_deref().map(|mask| mask as Mask<'_>)
    }
}

/// How far a run came.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Progress {
    /// It has ended with this answer.
    Done(AgentResponse),
    /// A person must decide on these calls: give each decision to [`Run::approve`], then drive the
    /// run on. It can be saved in between.
    AwaitApproval(Vec<PendingCall>),
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

    /// A runtime in which every model is the [`Offline`](crate::Offline) one: no key, no network.
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

    /// What takes the keys that requests were sent with out of what is shown and stored.
    #[must_use]
    pub fn key_mask(&self) -> KeyMask {
        self.0.providers.key_mask()
    }

    /// Executes an agent on an input, with the tools of a library.
    ///
    /// The agent's tools are bound before the first request. The conversation gets the input, the
    /// calls, their results and the answer.
    ///
    /// Dropping the future cancels the tools that run. Then, and after an error, the conversation
    /// keeps what was done so far and can be sent again; calls without a result are answered as
    /// cancelled, and an input that the model did not answer at all is taken back.
    ///
    /// # Errors
    /// What ended the run: see the `is_*` methods of [`Error`]. A call that fails does not.
    pub async fn execute<A: Executable + ?Sized>(
        &self,
        agent: &A,
        input: &str,
        conversation: &mut Conversation,
        library: &ToolLibrary,
    ) -> Result<AgentResponse, Error> {
        let options = ExecuteOptions::new();
        self.execute_with(agent, input, conversation, library, options)
            .await
    }

    /// Executes an agent without a library: one that has no tools.
    ///
    /// # Errors
    /// As [`execute`](Self::execute); an agent that has tools cannot be bound.
    pub async fn execute_agent<A: Executable + ?Sized>(
        &self,
        agent: &A,
        input: &str,
        conversation: &mut Conversation,
    ) -> Result<AgentResponse, Error> {
        let library = ToolLibrary::new();
        self.execute(agent, input, conversation, &library).await
    }

    /// Executes an agent, watched, cancellable, or with variables of its own. Dropping the future
    /// does what it does with [`execute`](Self::execute).
    ///
    /// # Errors
    /// As [`execute`](Self::execute), and cancelled.
    pub async fn execute_with<A: Executable + ?Sized>(
        &self,
        agent: &A,
        input: &str,
        conversation: &mut Conversation,
        library: &ToolLibrary,
        options: ExecuteOptions<'_>,
    ) -> Result<AgentResponse, Error> {
        let (run, tools) = self.prepare(agent, input, conversation, library, &options)?;
        let mut guard = HistoryGuard::new(conversation, run);
        match self
            .drive_bound(&mut guard.run, &tools, options, false)
            .await?
        {
            Progress::Done(response) => Ok(response),
            // Without an approver, calls are denied rather than waited for.
            Progress::AwaitApproval(_) => Err(Error::cancelled("the run waits for a decision")),
        }
    }

    /// Executes an agent as [`execute`](Self::execute) does, and tells what happens as it happens,
    /// the parts of the model's answers included. The last event is
    /// [`Event::Finished`](crate::Event::Finished), or the error that ended the run.
    ///
    /// Nothing happens until the stream is read, and a model that sends faster than the stream is
    /// read is slowed down. Dropping the stream ends the run as dropping the future of `execute`
    /// does.
    ///
    /// ```
    /// # use agent_runtime::{agent, Conversation, Error, Event, Runtime, ToolLibrary};
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Error> {
    /// let agent = agent! { [helper:Agent {instruction: "Help.", model: "Offline/any"}] };
    /// let (runtime, library) = (Runtime::offline(), ToolLibrary::new());
    /// let mut conversation = Conversation::new();
    /// let mut events = runtime.stream(&agent, "Hello", &mut conversation, &library);
    /// while let Some(event) = events.next().await {
    ///     if let Event::TextDelta { text, .. } = event? {
    ///         print!("{text}");
    ///     }
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn stream<'a, A: Executable + ?Sized>(
        &'a self,
        agent: &'a A,
        input: &'a str,
        conversation: &'a mut Conversation,
        library: &'a ToolLibrary,
    ) -> RunStream<'a> {
        self.stream_with(agent, input, conversation, library, ExecuteOptions::new())
    }

    /// As [`stream`](Self::stream), watched, cancellable, or with variables of its own.
    pub fn stream_with<'a, A: Executable + ?Sized>(
        &'a self,
        agent: &'a A,
        input: &'a str,
        conversation: &'a mut Conversation,
        library: &'a ToolLibrary,
        options: ExecuteOptions<'a>,
    ) -> RunStream<'a> {
        RunStream::new(options.streaming(), |options| {
            self.execute_with(agent, input, conversation, library, options)
        })
    }

    /// What models cost, as far as somebody said.
    #[cfg(feature = "experiment")]
    pub(crate) fn prices(&self) -> &Prices {
        &self.0.prices
    }

    /// Whether a run of this agent can begin.
    #[cfg(feature = "experiment")]
    pub(crate) fn check_start(
        &self,
        agent: &agent_spec::Agent,
        input: &str,
        library: &ToolLibrary,
    ) -> Result<(), Error> {
        let run = self.start(agent, input, &Conversation::new(), library)?;
        let has_price = |model: &_| self.0.prices.get(model).is_some();
        run.usage_limits().check(agent, has_price)?;
        match run.next()? {
            Step::CallModel(request) => {
                let provider = request.model.provider();
                self.0.providers.model(provider, true)?.check(&request)
            }
            _ => Ok(()),
        }
    }

    /// A run that has not begun, for a host that drives it itself or saves it in between.
    ///
    /// # Errors
    /// As [`execute`](Self::execute), as far as they show before the first request.
    pub fn start<A: Executable + ?Sized>(
        &self,
        agent: &A,
        input: &str,
        conversation: &Conversation,
        library: &ToolLibrary,
    ) -> Result<Run, Error> {
        let options = ExecuteOptions::new();
        self.start_with(agent, input, conversation, library, &options)
    }

    /// A run that has not begun, as [`start`](Self::start) gives it, with variables and limits of its
    /// own; the other options are for [`drive`](Self::drive).
    ///
    /// # Errors
    /// As [`start`](Self::start).
    pub fn start_with<A: Executable + ?Sized>(
        &self,
        agent: &A,
        input: &str,
        conversation: &Conversation,
        library: &ToolLibrary,
        options: &ExecuteOptions<'_>,
    ) -> Result<Run, Error> {
        let (run, _) = self.prepare(agent, input, conversation, library, options)?;
        Ok(run)
    }

    /// Drives a run to its end, or to where a person must decide and this runtime has no approver;
    /// [`Approver`](crate::Approver) shows how it goes on from there, in another process.
    /// Limits among the options replace those of the run; variables mean nothing here, since the
    /// instruction is filled when the run is [started](Self::start_with).
    ///
    /// Dropping the future cancels the tools that run; the run then waits for their results anew.
    ///
    /// # Errors
    /// What ended the run.
    pub async fn drive(
        &self,
        run: &mut Run,
        library: &ToolLibrary,
        options: ExecuteOptions<'_>,
    ) -> Result<Progress, Error> {
        let tools = bind_agent_tools_with(run.agent(), library, self.0.bind_policy)?;
        if let Some(limits) = options.usage_limits {
            run.set_usage_limits(limits);
        }
        self.drive_bound(run, &tools, options, true).await
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

    fn prepare<A: Executable + ?Sized>(
        &self,
        agent: &A,
        input: &str,
        conversation: &Conversation,
        library: &ToolLibrary,
        options: &ExecuteOptions<'_>,
    ) -> Result<(Run, BoundTools), Error> {
        let agent = agent.to_agent()?;
        crate::run::check_input(input)?;
        let tools = bind_agent_tools_with(&agent, library, self.0.bind_policy)?;
        let mut variables = self.0.variables.clone();
        variables.extend(options.variables.clone());
        let limits = options.usage_limits.unwrap_or(self.0.usage_limits);
        let run =
            Run::new(&agent, &tools, input, conversation, &variables)?.with_usage_limits(limits);
        self.0.providers.model(agent.model().provider(), true)?;
        Ok((run, tools))
    }

    async fn drive_bound(
        &self,
        run: &mut Run,
        tools: &BoundTools,
        options: ExecuteOptions<'_>,
        may_pause: bool,
    ) -> Result<Progress, Error> {
        let limits = run.usage_limits();
        limits.check(run.agent(), |model| self.0.prices.get(model).is_some())?;
        run.set_host_values(Arc::clone(&self.0.prices), self.0.result_limit);
        let provider = self
            .0
            .providers
            .model(run.agent().model().provider(), true)?;
        let conversation_id = options.conversation_id.as_deref();
        let name = provider.trace_name();
        let mut operation = trace::invoke_agent(run, name, conversation_id);
        trace::record_output_type(&operation, run);
        let cancellation = options.cancellation.child();
        let _cancels_tools = cancellation.guard();
        let watch = Watch::new(self.0.run_timeout, options.cancellation);
        let granted = match &run.agent().settings().grants {
            Some(grants) => self.0.granted.narrowed(grants),
            None => self.0.granted.clone(),
        };
        let mut driver = Driver {
            shared: &self.0,
            granted,
            tools,
            audience: Audience {
                observer: options.observer,
                queue: options.queue,
                told: run.invocations().len(),
            },
            streaming: options.streaming,
            conversation_id,
            watch: watch.clone(),
            cancellation,
            may_pause,
        };
        let ended = operation.around(race(driver.drive(run), &watch)).await;
        let outcome = ended.unwrap_or_else(|stop| {
            stop.end(run);
            stopped(run)
        });
        driver.audience.tell_invocations(run);
        if let Ok(Progress::Done(response)) = &outcome {
            driver.audience.tell_of(|| Event::Finished {
                response: response.clone(),
            });
        }
        record_end(&mut operation, run, &outcome);
        outcome
    }
}

/// What a run that was stopped came to.
fn stopped(run: &Run) -> Result<Progress, Error> {
    match run.next()? {
        Step::Done(response) => Ok(Progress::Done(response)),
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
