//! Runs in tasks of their own, and messages to runs that are under way.

use super::Runtime;
use super::run_builder::{RunBuilder, RunSource};
use agent_core::__private::not_read;
use agent_core::journal::Mail;
use agent_core::run::{Input, check_message};
use agent_tool::Error;
use tokio::sync::oneshot;

impl<S: RunSource<'static>> RunBuilder<'static, S> {
    /// Starts the run in a task of its own, and returns its id when its beginning is in the journal. Nobody needs to wait
    /// for the run: [`Runtime::follow`] returns its events, [`Runtime::cancel_run`] ends it, and its answer
    /// is in the journal and in its [conversation](Self::stored_as). Models are asked to stream their
    /// answers.
    ///
    /// ```
    /// # use agent_runtime::journal::{Journal, MemoryJournal, RunState};
    /// # use agent_runtime::model::Offline;
    /// # use agent_runtime::{Runtime, agent};
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let agent = agent! { [guide:Agent {instruction: "Help.", model: "Offline/any"}] };
    /// let journal = MemoryJournal::new();
    /// let runtime = Runtime::builder().model(Offline::new()).journal(journal.clone()).build()?;
    /// let run = runtime.run(&agent, "Where am I?").spawn().await?;
    /// let mut events = runtime.follow(&run, None);
    /// while events.next().await.is_some() {}
    /// let stored = journal.read(&run).await?.expect("it is there");
    /// assert_eq!(stored.info.state, RunState::Done);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Configuration when the runtime has no journal. The error of a run that ends before its beginning is recorded, such as
    /// for a tool that is missing, or a conversation that [another run has](Self::exclusive).
    ///
    /// # Panics
    /// Outside of a tokio runtime. A panic of the run before its beginning is recorded is passed on.
    pub async fn spawn(mut self) -> Result<String, Error> {
        self.runtime.journal()?;
        let (started, begun) = oneshot::channel();
        self.options.started = Some(started);
        let task = tokio::spawn(S::finish(self.streaming()));
        if let Ok(run) = begun.await {
            return Ok(run);
        }
        match task.await {
            Ok(Err(error)) => Err(error),
            Ok(Ok(())) => Err(Error::validation("the run has ended already")),
            Err(failed) => match failed.try_into_panic() {
                Ok(panic) => std::panic::resume_unwind(panic),
                Err(_) => Err(Error::cancelled("the tokio runtime is shut down")),
            },
        }
    }
}

impl Runtime {
    /// Returns the ids of the runs of the journal that this process drives now.
    #[must_use]
    pub fn live_runs(&self) -> Vec<String> {
        self.config.live.ids()
    }

    /// Sends a message to the model of a run of the journal that is running, in this process or another one.
    /// The model gets the message with the next request; see [`RunHandle::say`](super::RunHandle::say).
    /// Another process gets the message at once if the journal
    /// [reports changes](agent_core::journal::Journal::watch), and otherwise within ten seconds.
    ///
    /// # Errors
    /// Configuration when the runtime has no journal. Validation when the message is blank, or when the run
    /// is not running, so that nobody would get the message. A journal error when the journal cannot be
    /// written.
    pub async fn say(&self, run: &str, message: impl Into<Input> + Send) -> Result<(), Error> {
        let message = message.into();
        let journal = self.journal()?;
        let _acquiring = self.config.live.acquiring().await;
        if let Some(live) = self.config.live.get(run) {
            return live.handle().say(message);
        }
        check_message(&message)?;
        let mail = Mail::Say(message.into_message());
        match journal.send(run, &mail).await.map_err(not_read)? {
            true => Ok(()),
            false => Err(Error::validation(format!(
                "the run `{run}` does not go on, so that the model does not get the message; begin another run with it"
            ))),
        }
    }
}
