//! A new run: an agent, its input and the conversation that it continues.

use super::Runtime;
use super::run_builder::sealed::Sealed;
use super::run_builder::{NewRun, RunBuilder, RunSource};
use super::stream::RunFuture;
use crate::executable::Executable;
use agent_core::__private::{Recorder, RunSetup, check_input, not_read};
use agent_core::conversation::{
    Compaction, Conversation, Retention, StoreError, StoredConversation,
};
use agent_core::model::ChatModel;
use agent_core::response::AgentResponse;
use agent_core::run::{AwaitingApproval, Input, Run, RunOutcome, UsageLimits};
use agent_spec::types::Type;
use agent_spec::{Agent, GramType};
use agent_tool::__private::{ErrorAtPath, ReadFn, read_as, read_json};
use agent_tool::Error;
use agent_tool::library::{ToolLibrary, bind_agent_tools_with};
use serde_core::de::DeserializeOwned;
use std::borrow::Cow;
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
pub trait RunResponse: Sealed + Sized {
    /// The type of the answer and its reader, unless the answer is text.
    #[doc(hidden)]
    fn output() -> Option<(&'static Type, ReadFn)>;

    /// Converts the response to this type.
    ///
    /// # Errors
    /// Llm when the answer is not of the type.
    #[doc(hidden)]
    fn from_response(response: AgentResponse) -> Result<Self, Error>;
}

impl Sealed for AgentResponse {}
impl<T> Sealed for TypedResponse<T> {}

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
        match read_json(&response.content) {
            Ok(value) => Ok(Self { value, response }),
            Err(error) => {
                let error = ErrorAtPath::new("$", &response.content, &error, read_as::<T>);
                Err(Error::llm("the answer is not of the type that is wanted").with_source(error))
            }
        }
    }
}

impl NewRun<'_> {
    pub(super) fn new(agent: impl Executable, input: Input) -> Self {
        Self {
            agent: agent.to_agent().map(Cow::into_owned),
            input,
            conversation: None,
            variables: BTreeMap::new(),
            compaction: None,
            retention: None,
            response: PhantomData,
        }
    }
}

impl<'a> RunBuilder<'a> {
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
    pub fn output<T>(self) -> RunBuilder<'a, NewRun<'a, TypedResponse<T>>>
    where
        T: GramType + DeserializeOwned,
    {
        self.output_as()
    }

    /// Asks for an answer of the type of the response `R`.
    pub(crate) fn output_as<R>(self) -> RunBuilder<'a, NewRun<'a, R>> {
        let new = self.source;
        RunBuilder {
            runtime: self.runtime,
            library: self.library,
            options: self.options,
            on_drop: self.on_drop,
            source: NewRun {
                agent: new.agent,
                input: new.input,
                conversation: new.conversation,
                variables: new.variables,
                compaction: new.compaction,
                retention: new.retention,
                response: PhantomData,
            },
        }
    }
}

impl<'a, R: RunResponse + 'a> RunBuilder<'a, NewRun<'a, R>> {
    /// Continues a conversation. It gets the input, the calls, their results and the answer, also when
    /// the run ends with an error or is dropped: it keeps what was done and can be sent again. Calls
    /// without a result are answered as cancelled. An input that the model did not answer is removed; the beginning of an
    /// answer that was streamed stays, marked [`[interrupted]`](agent_core::conversation::INTERRUPTED).
    ///
    /// When the run pauses for a person's approval, the conversation stays as it was before the run,
    /// because the paused run holds the history.
    pub fn conversation(mut self, conversation: &'a mut Conversation) -> Self {
        self.source.conversation = Some(conversation);
        self
    }

    /// Sets the value of `{{name}}` in the instruction, in place of the runtime's value.
    pub fn variable(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.source.variables.insert(name.into(), value.into());
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
        self.source.compaction = Some(compaction);
        self
    }

    /// Sends only the last part of the conversation, without a summary. The conversation keeps all messages.
    pub fn retention(mut self, retention: Retention) -> Self {
        self.source.retention = Some(retention);
        self
    }

    /// Returns the run, not begun, for a host that [saves](Run::to_json) it or [continues](Runtime::resume)
    /// it step by step. Its tools are bound; variables, limits and the type of the answer become part of it.
    /// Other options are lost: give them to [`Runtime::resume`]. The conversation is not written to: the run
    /// holds the history.
    ///
    /// A run that is [read again](Runtime::read_run) has only the gram type of its answer: it no longer rejects an answer
    /// of this type that only serde rejects.
    ///
    /// # Errors
    /// The errors of awaiting the builder, as far as they occur before the first request.
    pub fn start(self) -> Result<Run, Error> {
        let mut new = self.source;
        let conversation = new.conversation.take();
        let library = self.library.unwrap_or_default();
        let limits = self.options.usage_limits;
        let history = conversation.as_deref();
        let (run, _) = new.create(&self.runtime, &library, limits, history)?;
        Ok(run)
    }

    async fn execute(self) -> Result<R, Error> {
        let Self {
            runtime,
            library,
            mut options,
            source: mut new,
            ..
        } = self;
        let conversation = new.conversation.take();
        if let (Some(owner), Some(name)) = (&options.owner, &options.stored_as)
            && name.owner().is_none()
        {
            let name = name.of_owner(owner);
            let name = name.map_err(|error| Error::validation(error.to_string()))?;
            options.stored_as = Some(name);
        }
        let mut stored = None;
        if let (Some(name), None) = (&options.stored_as, &conversation) {
            let (store, _) = runtime.config.store()?;
            stored = store.load(name).await.map_err(not_read)?;
        }
        let history = conversation.as_deref();
        let history = history.or(stored.as_ref().map(|stored| &stored.conversation));
        let library = library.unwrap_or_default();
        let (run, provider) = new.create(&runtime, &library, options.usage_limits, history)?;
        options.caller = runtime.caller.clone();
        if let (Some(journal), None) = (&runtime.config.journal, &options.caller) {
            let (redactor, stored_as) = (&runtime.config.redactor, options.stored_as.as_ref());
            let mut recorder = Recorder::new(journal, redactor, &run, stored_as);
            recorder.set_owner(options.owner.clone(), options.is_exclusive);
            if let (Some(name), true) = (stored_as, options.is_exclusive) {
                recorder.begin(&run).await?;
                // From here on, no other run can write to the conversation.
                let (store, _) = runtime.config.store()?;
                let now = store.load(name).await.map_err(not_read)?;
                let revision = |stored: &Option<StoredConversation>| {
                    stored.as_ref().map(|stored| stored.revision)
                };
                if conversation.is_none() && revision(&now) != revision(&stored) {
                    drop(recorder);
                    journal.delete(run.id()).await.map_err(not_read)?;
                    return Err(not_read(StoreError::conflict(name)));
                }
            }
            options.recorder = Some(recorder);
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

impl<R: RunResponse> NewRun<'_, R> {
    /// Creates the run, binds its tools and finds its provider.
    fn create(
        self,
        runtime: &Runtime,
        library: &ToolLibrary,
        limits: Option<UsageLimits>,
        history: Option<&Conversation>,
    ) -> Result<(Run, Arc<dyn ChatModel>), Error> {
        let config = &runtime.config;
        let agent = self.agent?;
        check_input(&self.input)?;
        let tools = bind_agent_tools_with(&agent, library, config.bind_policy)?;
        let provider = config.own_provider(&agent)?;
        config.check_called_addresses(&agent, &tools)?;
        let mut variables = config.variables.clone();
        variables.extend(self.variables);
        let setup = RunSetup {
            output: R::output(),
            limits: limits.unwrap_or(config.usage_limits),
            compaction: self.compaction.or_else(|| config.compaction.clone()),
            retention: self.retention,
            host: config.host.clone(),
        };
        let empty = Conversation::new();
        let history = history.unwrap_or(&empty);
        let run = Run::create(agent, &tools, self.input, history, &variables, setup)?;
        Ok((run, provider))
    }
}

impl<R> Sealed for NewRun<'_, R> {}

impl<'a, R: RunResponse + 'a> RunSource<'a> for NewRun<'a, R> {
    type Output = R;

    fn execute(run: RunBuilder<'a, Self>) -> RunFuture<'a, R> {
        Box::pin(run.execute())
    }

    fn finish(run: RunBuilder<'a, Self>) -> RunFuture<'a, ()> {
        Box::pin(async { run.execute().await.map(drop) })
    }
}

impl<R> fmt::Debug for NewRun<'_, R> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("NewRun")
            .field("agent", &self.agent.as_ref().map(Agent::name))
            .field("input", &self.input)
            .finish_non_exhaustive()
    }
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
