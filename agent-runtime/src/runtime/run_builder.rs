//! The builder of a run.

use super::Runtime;
use super::stream::{RunFuture, RunStream};
use crate::executable::Executable;
use agent_core::__private::{EventQueue, Recorder, RunSetup, check_input, not_read};
use agent_core::conversation::{Compaction, Conversation, ConversationName, Retention};
use agent_core::event::Event;
use agent_core::model::ChatModel;
use agent_core::response::AgentResponse;
use agent_core::run::{AwaitingApproval, Input, Run, RunOutcome, UsageLimits};
use agent_core::{DriveOptions, RunHandle};
use agent_spec::types::Type;
use agent_spec::{Agent, GramType, Grants};
use agent_tool::__private::{ErrorAtPath, ReadFn, read_as};
use agent_tool::library::{ToolLibrary, bind_agent_tools_with};
use agent_tool::{Cancellation, Error};
use serde_core::de::DeserializeOwned;
use std::collections::BTreeMap;
use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

/// The response of a run whose answer is a value of a type: see [`RunBuilder::output`].
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct TypedResponse<T> {
    /// The answer.
    pub value: T,
    /// The response, whose content is the answer as JSON.
    pub response: AgentResponse,
}

/// The response of a run: an [`AgentResponse`], or a [`TypedResponse`] after [`RunBuilder::output`].
pub trait RunResponse: sealed::Sealed + Sized {
    /// The type of the answer and its reader, unless the answer is text.
    #[doc(hidden)]
    fn output() -> Option<(&'static Type, ReadFn)>;

    /// The response as this type.
    ///
    /// # Errors
    /// Llm when the answer is not of the type.
    #[doc(hidden)]
    fn from_response(response: AgentResponse) -> Result<Self, Error>;
}

impl RunResponse for AgentResponse {
    fn output() -> Option<(&'static Type, ReadFn)> {
        None
    }

    fn from_response(response: AgentResponse) -> Result<Self, Error> {
        Ok(response)
    }
}

impl<T: GramType + DeserializeOwned> RunResponse for TypedResponse<T> {
    fn output() -> Option<(&'static Type, ReadFn)> {
        Some((T::TYPE, read_as::<T>))
    }

    fn from_response(response: AgentResponse) -> Result<Self, Error> {
        match serde_json::from_str(&response.content) {
            Ok(value) => Ok(Self { value, response }),
            Err(error) => {
                let error = ErrorAtPath::new("$", &response.content, &error, read_as::<T>);
                Err(Error::llm("the answer is not of the type that is wanted").with_source(error))
            }
        }
    }
}

pub(crate) mod sealed {
    pub trait Sealed {}
    impl Sealed for super::AgentResponse {}
    impl<T> Sealed for super::TypedResponse<T> {}
}

/// A run that is being set up: see [`Runtime::run`].
///
/// Awaiting it gives the response. [`stream`](Self::stream) gives the events of the run instead, and
/// [`start`](Self::start) the [`Run`] itself, not begun.
///
/// It owns its values, except for a [`conversation`](Self::conversation) and an
/// [`observer`](Self::observer), which it borrows. Without these, its future and its stream are
/// `Send + 'static`: they can be spawned, and returned from an HTTP handler.
#[must_use = "a run does nothing until it is awaited or streamed"]
pub struct RunBuilder<'a, R = AgentResponse> {
    runtime: Runtime,
    agent: Result<Agent, Error>,
    input: Input,
    library: ToolLibrary,
    conversation: Option<&'a mut Conversation>,
    variables: BTreeMap<String, String>,
    compaction: Option<Compaction>,
    retention: Option<Retention>,
    options: DriveOptions<'a>,
    response: PhantomData<fn() -> R>,
}

impl<'a> RunBuilder<'a> {
    pub(super) fn new(runtime: &Runtime, agent: impl Executable, input: Input) -> Self {
        Self {
            runtime: runtime.clone(),
            agent: agent.to_agent().map(std::borrow::Cow::into_owned),
            input,
            library: ToolLibrary::new(),
            conversation: None,
            variables: BTreeMap::new(),
            compaction: None,
            retention: None,
            options: DriveOptions::new(),
            response: PhantomData,
        }
    }

    /// Asks for an answer that is a value of a type.
    ///
    /// The model gives it by calling a tool that is added to the agent's, named `finalAnswer`, whose
    /// parameters are the fields of the type (or one, `answer`, when the type is no record). Wrong
    /// arguments are answered as those of any tool are; after three such failures the run ends with an
    /// llm error. An answer written as text is accepted when it is JSON of the type. The agent's tools may
    /// be called before that call, not beside it. The calls that give the answer, refused ones included,
    /// are in the conversation, but not among the [`tools_used`](AgentResponse::tools_used).
    ///
    /// The conversation keeps what the model wrote, so that the next request can begin with it: the call that
    /// gives the answer and a short result, or the text. The last message is therefore not the answer. The
    /// response has it: [`value`](TypedResponse::value) and, as JSON text,
    /// [`response.content`](AgentResponse::content).
    ///
    /// ```
    /// use agent_runtime::conversation::ToolCall;
    /// use agent_runtime::model::{ModelReply, Scripted};
    /// use agent_runtime::{Error, GramType, Runtime, agent};
    /// use serde::Deserialize;
    ///
    /// #[derive(Debug, Deserialize, GramType, PartialEq)]
    /// struct Town {
    ///     name: String,
    ///     inhabitants: u32,
    /// }
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Error> {
    /// let agent = agent! { [geographer:Agent {instruction: "Answer.", model: "Scripted/any"}] };
    /// let given = r#"{"name": "Ulm", "inhabitants": 128000}"#;
    /// let model = Scripted::new([ModelReply::calls([ToolCall::new("1", "finalAnswer", given)])]);
    /// let runtime = Runtime::with_model(model);
    /// let answer = runtime.run(&agent, "Where is the highest steeple?").output::<Town>().await?;
    /// assert_eq!(answer.value, Town { name: "Ulm".into(), inhabitants: 128_000 });
    /// # Ok(())
    /// # }
    /// ```
    pub fn output<T>(self) -> RunBuilder<'a, TypedResponse<T>>
    where
        T: GramType + DeserializeOwned,
    {
        self.output_as()
    }

    /// Asks for an answer of a type that the response has.
    pub(crate) fn output_as<R>(self) -> RunBuilder<'a, R> {
        RunBuilder {
            runtime: self.runtime,
            agent: self.agent,
            input: self.input,
            library: self.library,
            conversation: self.conversation,
            variables: self.variables,
            compaction: self.compaction,
            retention: self.retention,
            options: self.options,
            response: PhantomData,
        }
    }
}

impl<'a, R: RunResponse> RunBuilder<'a, R> {
    /// Sets the library that implements the agent's tools.
    pub fn tools(mut self, library: &ToolLibrary) -> Self {
        self.library = library.clone();
        self
    }

    /// Continues a conversation. It gets the input, the calls, their results and the answer, also when
    /// the run ends with an error or is dropped: it keeps what was done and can be sent again. Calls
    /// without a result are answered as cancelled, and an input that the model did not answer is removed.
    ///
    /// When the run pauses for a person's approval, the conversation stays as it was before the run,
    /// because the paused run holds the history.
    pub fn conversation(mut self, conversation: &'a mut Conversation) -> Self {
        self.conversation = Some(conversation);
        self
    }

    /// Sets the value of `{{name}}` in the instruction, in place of the runtime's value.
    pub fn variable(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.variables.insert(name.into(), value.into());
        self
    }

    /// Calls `observer` with each event. It runs on the run's own task and should return at once.
    pub fn observer(mut self, observer: &'a mut (dyn FnMut(&Event) + Send)) -> Self {
        self.options = self.options.observer(observer);
        self
    }

    /// Asks models to stream their answers, and reports each part to the observer.
    pub fn streaming(mut self) -> Self {
        self.options = self.options.streaming();
        self
    }

    /// Ends the run when this signal is given. The conversation keeps what was done.
    pub fn cancellation(mut self, cancellation: Cancellation) -> Self {
        self.options = self.options.cancellation(cancellation);
        self
    }

    /// Limits what this run may use, in place of the runtime's limits.
    pub fn usage_limits(mut self, limits: UsageLimits) -> Self {
        self.options = self.options.usage_limits(limits);
        self
    }

    /// Sets when the beginning of a long conversation is summarised by a model, in place of the runtime's
    /// compaction and the agent's `compactAbove`. The conversation gets the summary and keeps all messages; the
    /// next run sends the summary without asking for it again.
    ///
    /// ```
    /// use agent_runtime::conversation::Compaction;
    /// use agent_runtime::model::{ModelReply, Scripted};
    /// use agent_runtime::{Conversation, Error, Message, Runtime, agent};
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Error> {
    /// let agent = agent! { [guide:Agent {instruction: "Help.", model: "Scripted/any"}] };
    /// let model = Scripted::new([
    ///     ModelReply::text("Ada is in Vienna."),
    ///     ModelReply::text("You are Ada."),
    ///     ModelReply::text("In Vienna."),
    /// ]);
    /// let runtime = Runtime::with_model(model.clone());
    /// let long = "The journey was long. ".repeat(50);
    /// let mut conversation: Conversation = [
    ///     Message::user(format!("I'm Ada. {long} Now I am in Vienna.")),
    ///     Message::assistant("Good morning, Ada."),
    /// ]
    /// .into_iter()
    /// .collect();
    /// for question in ["Who am I?", "Where am I?"] {
    ///     let run = runtime.run(&agent, question).conversation(&mut conversation);
    ///     run.compaction(Compaction::above(200)).await?;
    /// }
    /// // One request for the summary, and two for the answers.
    /// let requests = model.requests();
    /// assert_eq!(requests.len(), 3);
    /// let summary = "Summary of the conversation so far:\nAda is in Vienna.";
    /// assert_eq!(requests[1].messages[0].content(), summary);
    /// assert_eq!(requests[1].messages[1].content(), "Who am I?");
    /// assert_eq!(requests[2].messages[..2], requests[1].messages[..]);
    /// // All messages are still there.
    /// assert!(conversation.messages()[0].content().contains("The journey was long."));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// The request for the summary is sent like the others: to a fallback model if the provider is down, through the
    /// hooks, and counted by the limits and in the usage. When a model writes no summary, or one that is cut off or
    /// longer than the messages that it replaces, it is asked once more, and then the run ends with an llm error.
    /// The conversation keeps all that was done. A limit that the instruction and the tools exceed alone is a
    /// configuration error before the first request.
    pub fn compaction(mut self, compaction: Compaction) -> Self {
        self.compaction = Some(compaction);
        self
    }

    /// Sends only the last part of the conversation, without a summary. The conversation keeps all messages.
    pub fn retention(mut self, retention: Retention) -> Self {
        self.retention = Some(retention);
        self
    }

    /// Returns a handle, by which another task says something to the model while the run goes on.
    #[must_use]
    pub fn handle(&self) -> RunHandle {
        self.options.handle()
    }

    /// Sets the id of the conversation, which links all runs of one conversation in traces. The key for OpenAI's
    /// prompt cache is derived from it; the id itself is not sent to a provider.
    pub fn conversation_id(mut self, id: impl Into<String>) -> Self {
        self.options = self.options.conversation_id(id);
        self
    }

    /// Adds the messages of the run to the stored conversation of this name when the run ends, also with an error. The
    /// run continues the stored conversation, or the one that [`conversation`](Self::conversation) sets, which the host
    /// loaded. Secrets that the runtime's redactor knows are replaced in the stored messages.
    ///
    /// The store is that of the runtime's [journal](agent_core::journal::Journal::conversations), or the one that
    /// [`conversations`](crate::runtime::RuntimeBuilder::conversations) sets. With a journal, the messages are added once,
    /// also if the process is killed and another one [recovers](Runtime::recover) the run. A run that is paused adds its
    /// messages when it was continued and ends.
    ///
    /// ```
    /// use agent_runtime::conversation::{ConversationName, ConversationStore, MemoryStore};
    /// use agent_runtime::{Runtime, agent};
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let agent = agent! { [guide:Agent {instruction: "Help.", model: "Offline/any"}] };
    /// let store = MemoryStore::new();
    /// let runtime = Runtime::builder().conversations(store.clone()).build()?;
    /// let ada = ConversationName::new("ada")?;
    /// for question in ["Where am I?", "And who am I?"] {
    ///     runtime.run(&agent, question).stored_as(ada.clone()).await?;
    /// }
    /// let stored = store.load(&ada).await?.expect("it is there");
    /// assert_eq!(stored.conversation.turns().count(), 2);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// A runtime without a store is a configuration error. If the store cannot be read or written, the run ends with an
    /// error with [`is_journal`](Error::is_journal).
    pub fn stored_as(mut self, name: ConversationName) -> Self {
        self.options = self.options.stored_as(name);
        self
    }

    /// Gives the tools and hooks of this run a value, which they find by its type. It replaces the
    /// runtime's value of that type.
    pub fn extension<T: Send + Sync + 'static>(mut self, value: T) -> Self {
        self.options = self.options.extension(value);
        self
    }

    /// Narrows what the tools of this run may access. Grants that the runtime or the agent does not give
    /// are never added.
    pub fn grants(mut self, grants: Grants) -> Self {
        self.options = self.options.grants(grants);
        self
    }

    /// Denies calls that need a person's approval when the runtime has no
    /// [`Approver`](agent_core::approval::Approver). Without this, the run pauses, and awaiting it gives
    /// an error with [`is_awaiting_approval`](Error::is_awaiting_approval).
    pub fn deny_without_approver(mut self) -> Self {
        self.options = self.options.deny_without_approver();
        self
    }

    /// Returns the run, not begun, for a host that [drives](Runtime::drive) it or saves it in between.
    /// Variables, limits and the type of the answer become part of it; other options are those of
    /// [`DriveOptions`]. The conversation is not written to: the run holds the history.
    ///
    /// A run that is [resumed](Runtime::resume) has only the gram type of its answer: it no longer rejects an answer
    /// of this type that only serde rejects.
    ///
    /// # Errors
    /// As awaiting it, as far as they show before the first request.
    pub fn start(mut self) -> Result<Run, Error> {
        let conversation = self.conversation.take();
        let prepared = self.prepare(conversation.as_deref())?;
        Ok(prepared.run)
    }

    /// Returns the events of the run, the parts of the model's answers included. The last item is
    /// [`Event::Finished`], or the error that ended the run; an error with
    /// [`is_awaiting_approval`](Error::is_awaiting_approval) when the run pauses.
    ///
    /// The run only continues while the stream is read, and a model that sends faster than the stream is read is
    /// slowed down. Dropping the stream ends the run as dropping the future does.
    ///
    /// ```
    /// # use agent_runtime::{agent, Error, Event, Runtime};
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Error> {
    /// let agent = agent! { [helper:Agent {instruction: "Help.", model: "Offline/any"}] };
    /// let runtime = Runtime::offline();
    /// let mut events = runtime.run(&agent, "Hello").stream();
    /// while let Some(event) = events.next().await {
    ///     if let Event::TextDelta { text, .. } = event? {
    ///         print!("{text}");
    ///     }
    /// }
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn stream(self) -> RunStream<'a>
    where
        R: 'a,
    {
        let queue = EventQueue::default();
        let mut run = self.streaming().with_queue(queue.clone());
        let observer = run.options.observer.take();
        let run = Box::pin(async { run.execute().await.map(drop) });
        RunStream::new(queue, observer, run)
    }

    /// Puts the events of the run into a queue.
    pub(super) fn with_queue(mut self, queue: EventQueue) -> Self {
        self.options.queue = Some(queue);
        self
    }

    /// Creates the run, binds its tools and finds its provider.
    fn prepare(self, conversation: Option<&Conversation>) -> Result<PreparedRun<'a>, Error> {
        let config = &self.runtime.config;
        let agent = self.agent?;
        check_input(&self.input)?;
        let tools = bind_agent_tools_with(&agent, &self.library, config.bind_policy)?;
        let provider = config.own_provider(&agent)?;
        let mut variables = config.variables.clone();
        variables.extend(self.variables);
        let setup = RunSetup {
            output: R::output(),
            limits: self.options.usage_limits.unwrap_or(config.usage_limits),
            compaction: self.compaction.or_else(|| config.compaction.clone()),
            retention: self.retention,
            host: config.host.clone(),
        };
        let empty = Conversation::new();
        let history = conversation.unwrap_or(&empty);
        let run = Run::create(agent, &tools, self.input, history, &variables, setup)?;
        Ok(PreparedRun {
            run,
            provider,
            options: self.options,
        })
    }

    async fn execute(mut self) -> Result<R, Error> {
        let runtime = self.runtime.clone();
        let mut stored = None;
        if let (Some(name), None) = (&self.options.stored_as, &self.conversation) {
            let (store, _) = runtime.config.store()?;
            stored = store.load(name).await.map_err(not_read)?;
        }
        let stored = stored.map(|stored| stored.conversation);
        let conversation = self.conversation.take();
        let prepared = self.prepare(conversation.as_deref().or(stored.as_ref()))?;
        let PreparedRun {
            run,
            provider,
            options,
        } = prepared;
        let mut options = options;
        options.caller = runtime.caller.clone();
        if let (Some(journal), None) = (&runtime.config.journal, &options.caller) {
            let (redactor, stored_as) = (&runtime.config.redactor, options.stored_as.as_ref());
            options.recorder = Some(Recorder::new(journal, redactor, &run, stored_as));
        }
        let mut guard = HistoryGuard { conversation, run };
        let outcome = runtime.config.drive(&mut guard.run, provider, options);
        match outcome.await? {
            RunOutcome::Done(response) => R::from_response(response),
            RunOutcome::AwaitingApproval(calls) => {
                Err(AwaitingApproval::new(guard.discard(), calls).into())
            }
        }
    }
}

/// A run that can be driven, with what driving it needs.
struct PreparedRun<'a> {
    run: Run,
    provider: Arc<dyn ChatModel>,
    options: DriveOptions<'a>,
}

/// A run and the conversation that it continues. When the guard is dropped, it writes the history of the run
/// into the conversation, in a form that can be sent: after the end, after an error, and when the caller
/// dropped the future in between.
struct HistoryGuard<'a> {
    conversation: Option<&'a mut Conversation>,
    run: Run,
}

impl HistoryGuard<'_> {
    /// Returns the run and leaves the conversation as it was.
    fn discard(mut self) -> Run {
        self.conversation = None;
        self.run.clone()
    }
}

impl Drop for HistoryGuard<'_> {
    fn drop(&mut self) {
        if let Some(conversation) = &mut self.conversation {
            **conversation = self.run.conversation();
        }
    }
}

impl<'a, R: RunResponse + 'a> IntoFuture for RunBuilder<'a, R> {
    type Output = Result<R, Error>;
    type IntoFuture = RunFuture<'a, R>;

    /// Executes the run. The agent's tools are bound before the first request.
    ///
    /// Dropping the future cancels the tools that run; the conversation then keeps what was done.
    ///
    /// # Errors
    /// The error that ended the run: see the `is_*` methods of [`Error`]. A call that fails ends no run.
    fn into_future(self) -> Self::IntoFuture {
        Box::pin(self.execute())
    }
}

impl<R> fmt::Debug for RunBuilder<'_, R> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("RunBuilder")
            .field("agent", &self.agent.as_ref().map(Agent::name))
            .field("input", &self.input)
            .field("options", &self.options)
            .finish_non_exhaustive()
    }
}
