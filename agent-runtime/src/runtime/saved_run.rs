//! A run that is continued: it was started, saved, or paused for a person's decision.

use super::Runtime;
use super::run_builder::sealed::Sealed;
use super::run_builder::{RunBuilder, RunSource};
use super::stream::RunFuture;
use agent_core::run::{AwaitingApproval, Run, RunOutcome};
use agent_tool::Error;
use agent_tool::library::{ToolLibrary, bind_agent_tools_with};
use serde_json::Value;

/// A run that is continued: see [`Runtime::resume`].
#[derive(Debug)]
pub struct SavedRun<'a>(&'a mut Run);

impl Runtime {
    /// Reads a run that was saved with [`Run::to_json`], and binds its agent's tools again. [`resume`](Self::resume)
    /// continues the run.
    ///
    /// # Errors
    /// Validation when the JSON is no saved run; a tool error when a tool cannot be bound.
    pub fn read_run(&self, json: &Value, library: &ToolLibrary) -> Result<Run, Error> {
        let agent = Run::saved_agent(json)?;
        let tools = bind_agent_tools_with(&agent, library, self.config.bind_policy)?;
        Run::from_json(json, &tools)
    }

    /// Sets up the continuation of a run that was [started](RunBuilder::start), [read](Self::read_run), or
    /// paused. Awaiting the builder returns the [outcome](RunOutcome): the response, or the calls on which a
    /// person must decide when the runtime has no approver. [`Approver`](agent_core::approval::Approver)
    /// shows how the run continues from there, in another process.
    ///
    /// The run gets the prices and the result limit of this runtime. [Limits](RunBuilder::usage_limits) replace those of
    /// the run, and a [library](RunBuilder::tools) replaces the implementations of its tools.
    ///
    /// Dropping the future cancels the tools that run. When the run is resumed again, their calls are made again; with a
    /// [journal](super::RuntimeBuilder::journal), a call of a tool that is neither `idempotent` nor `read_only` first waits
    /// for a decision, as [in doubt](agent_core::run::PendingCall::in_doubt). Resuming a run that has ended returns its
    /// outcome again.
    ///
    /// ```
    /// # use agent_runtime::run::RunOutcome;
    /// # use agent_runtime::{Error, Runtime, ToolLibrary, agent};
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Error> {
    /// let agent = agent! { [helper:Agent {instruction: "Help.", model: "Offline/any"}] };
    /// let runtime = Runtime::offline();
    /// let saved = runtime.run(&agent, "Hello").start()?.to_json();
    ///
    /// let mut run = runtime.read_run(&saved, &ToolLibrary::new())?;
    /// let RunOutcome::Done(response) = runtime.resume(&mut run).await? else {
    ///     panic!("the agent has no tool that needs an approval");
    /// };
    /// assert_eq!(run.conversation().messages().len(), 2);
    /// # let _ = response;
    /// # Ok(())
    /// # }
    /// ```
    pub fn resume<'a>(&self, run: &'a mut Run) -> RunBuilder<'a, SavedRun<'a>> {
        RunBuilder::of(self, SavedRun(run))
    }
}

impl<'a> RunBuilder<'a, SavedRun<'a>> {
    async fn execute(&mut self) -> Result<RunOutcome, Error> {
        let config = &self.runtime.config;
        let SavedRun(run) = &mut self.source;
        if let Some(library) = &self.library {
            let tools = bind_agent_tools_with(run.agent(), library, config.bind_policy)?;
            run.set_tools(&tools)?;
        }
        run.set_host_values(&config.host);
        let provider = config.own_provider(run.agent())?;
        if !run.is_over() {
            config.check_called_addresses(run.agent(), run.first().tools())?;
        }
        let mut options = std::mem::take(&mut self.options);
        options.caller = self.runtime.caller.clone();
        config.drive(run, provider, options).await
    }
}

impl Sealed for SavedRun<'_> {}

impl<'a> RunSource<'a> for SavedRun<'a> {
    type Output = RunOutcome;

    fn execute(mut run: RunBuilder<'a, Self>) -> RunFuture<'a, RunOutcome> {
        Box::pin(async move { run.execute().await })
    }

    fn finish(mut run: RunBuilder<'a, Self>) -> RunFuture<'a, ()> {
        Box::pin(async move {
            let outcome = run.execute().await?;
            answered(outcome, run.source.0)
        })
    }
}

/// Returns an error if a run did not end with an answer but waits for a person.
pub(super) fn answered(outcome: RunOutcome, run: &Run) -> Result<(), Error> {
    match outcome {
        RunOutcome::Done(_) => Ok(()),
        RunOutcome::AwaitingApproval(calls) => {
            Err(AwaitingApproval::new(run.clone(), calls).into())
        }
    }
}
