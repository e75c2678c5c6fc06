//! A run that is driven, and its end, also when its driver is dropped.

use super::stop::StopReason;
use super::{CallingTool, Inbox, LiveRun, Recorder, RuntimeConfig, not_stored};
use crate::conversation::ConversationName;
use crate::event::Event;
use crate::journal::Turn;
use crate::run::record::RunRecord;
use crate::run::{Run, RunOutcome, Step};
use agent_tool::Error;
use agent_tool::trace::TARGET;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::runtime::Handle;

/// A run that is driven, and its inbox. When it is dropped, the run keeps the messages that the model did not get, and its
/// usage is counted for the run whose tool called the agent.
pub(super) struct DrivenRun<'r> {
    pub(super) run: &'r mut Run,
    pub(super) inbox: Inbox,
    /// The call whose tool called the agent.
    pub(super) caller: Option<CallingTool>,
    pub(super) end: RunEnd,
    /// Whether the run is cancelled when this is dropped.
    pub(super) cancels_on_drop: bool,
}

/// The record, the conversation and the text that are kept when a run ends.
pub(super) struct RunEnd {
    pub(super) config: Arc<RuntimeConfig>,
    /// The record of the run in the journal.
    pub(super) recorder: Option<Box<Recorder>>,
    /// The stored conversation that gets the messages.
    pub(super) stored_as: Option<ConversationName>,
    pub(super) shown: Shown,
    /// The run as others in this process see it, if it is in a journal.
    pub(super) live: Option<Arc<LiveRun>>,
}

/// The text of the answer that is being streamed, as far as it has arrived.
#[derive(Clone, Default)]
pub(super) struct Shown(Arc<Mutex<String>>);

impl Shown {
    pub(super) fn lock(&self) -> MutexGuard<'_, String> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl RunEnd {
    /// Adds a record of the run to the journal, if there is one.
    pub(super) fn record(&mut self, record: impl FnOnce() -> RunRecord) {
        if let Some(recorder) = &mut self.recorder {
            recorder.put(record());
        }
    }

    /// Writes what was recorded into the journal.
    pub(super) async fn commit(&mut self, run: &Run) -> Result<(), Error> {
        if let Some(recorder) = &mut self.recorder {
            recorder.commit(run).await?;
        }
        self.begin_step();
        Ok(())
    }

    /// Begins the step after the records that are in the journal.
    fn begin_step(&self) {
        if let (Some(recorder), Some(live)) = (&self.recorder, &self.live) {
            live.begin_step(recorder.position());
        }
    }

    /// Ends the run for a reason. Does nothing to a run that has already ended, so that its outcome is kept.
    pub(super) fn stop(&mut self, run: &mut Run, reason: StopReason) {
        if run.is_over() {
            return;
        }
        if let Some(recorder) = &mut self.recorder {
            for (place, id) in run.doubt_begun_calls() {
                recorder.doubted(&place, &id);
            }
        }
        reason.end(run);
        self.record_stop(run);
    }

    /// Takes the run out of those that this process drives.
    fn leave(&mut self, run: &str) {
        if let Some(live) = self.live.take() {
            self.config.live.end(run, &live);
        }
    }

    pub(super) fn record_stop(&mut self, run: &Run) {
        if let Some(error) = run.first().failure() {
            self.record(|| RunRecord::stopped("", error));
        }
    }

    /// Gives a run that ended without an answer the beginning of the answer that was streamed, because the user has
    /// read it.
    pub(super) fn keep_shown(&mut self, run: &mut Run) {
        let text = std::mem::take(&mut *self.shown.lock());
        if run.first_mut().keep_interrupted(&text) {
            self.record(|| RunRecord::AnswerInterrupted { text });
        }
    }

    /// Records how the drive ended, and adds the messages of a run that has ended to its stored conversation.
    pub(super) async fn write(
        &mut self,
        run: &Run,
        outcome: &Result<RunOutcome, Error>,
    ) -> Result<(), Error> {
        // The remaining writes are repeated when the run is recovered.
        if matches!(outcome, Err(error) if error.is_journal()) {
            return Ok(());
        }
        if let Some(recorder) = &mut self.recorder
            && recorder.stays(outcome)
        {
            return recorder.keep(run).await;
        }
        let mut turn = None;
        if let Some(name) = self.stored_as.clone().filter(|_| run.is_over()) {
            let redactor = &self.config.redactor;
            let messages = run.first().added_messages();
            let messages = messages.iter().map(|message| message.redacted(redactor));
            let messages: Vec<_> = messages.collect();
            let (store, is_of_journal) = self.config.store()?;
            if is_of_journal && self.recorder.is_some() {
                turn = Some(Turn::new(name, messages));
            } else {
                // The answer must be in the journal first, because another process would otherwise ask the
                // model for another answer.
                self.commit(run).await?;
                let added = store.append_run(&name, run.id(), &messages).await;
                added.map_err(|error| match self.recorder {
                    Some(_) => not_stored(&name, error).with_unended_run(run.id()),
                    None => not_stored(&name, error),
                })?;
            }
        }
        if let Some(recorder) = &mut self.recorder {
            recorder.end(run, outcome, turn).await?;
        }
        self.begin_step();
        Ok(())
    }
}

impl DrivenRun<'_> {
    /// Cancels the run. A task of its own, which holds the lease of the run, writes the end of the run. Where
    /// no task can be spawned, a run of a journal stays in the journal unchanged, so that it can be
    /// recovered.
    fn cancel(&mut self) {
        let is_written = self.end.recorder.is_some() || self.end.stored_as.is_some();
        let Some(handle) = is_written.then(Handle::try_current).transpose().ok() else {
            return;
        };
        self.end.stop(self.run, StopReason::Cancelled);
        self.end.keep_shown(self.run);
        let Some(handle) = handle else {
            return;
        };
        let mut run = self.run.clone();
        let mut end = RunEnd {
            config: Arc::clone(&self.end.config),
            recorder: self.end.recorder.take(),
            stored_as: self.end.stored_as.take(),
            shown: Shown::default(),
            live: self.end.live.take(),
        };
        handle.spawn(async move {
            let outcome = stopped_outcome(&mut run);
            if let Err(error) = end.write(&run, &outcome).await {
                let run = run.id();
                tracing::warn!(target: TARGET, run, %error, "the end of a run that was dropped cannot be written");
            } else if let (Some(live), Err(error)) = (&end.live, &outcome) {
                live.push(Event::of_error(error));
            }
            end.leave(run.id());
        });
    }
}

impl Drop for DrivenRun<'_> {
    fn drop(&mut self) {
        for message in self.inbox.close() {
            self.run.append_late_message(message);
        }
        if self.cancels_on_drop {
            self.cancel();
        }
        self.end.leave(self.run.id());
        if let Some(caller) = &self.caller {
            caller.spend(self.run);
        }
    }
}

/// Ends a run of the journal that nobody drives, as cancelled. The calls that were begun are in doubt, and
/// the messages of the run are added to its stored conversation.
///
/// # Errors
/// A journal error when the journal or the conversation cannot be written, or another process took the run over.
pub async fn end_cancelled(
    config: &Arc<RuntimeConfig>,
    run: &mut Run,
    recorder: Box<Recorder>,
) -> Result<(), Error> {
    let stored_as = recorder.stored_as();
    let mut end = RunEnd {
        config: Arc::clone(config),
        recorder: Some(recorder),
        stored_as,
        shown: Shown::default(),
        live: None,
    };
    end.stop(run, StopReason::Cancelled);
    let outcome = stopped_outcome(run);
    end.write(run, &outcome).await
}

/// The outcome of a run that was cancelled or took too long.
pub(super) fn stopped_outcome(run: &mut Run) -> Result<RunOutcome, Error> {
    match run.next()? {
        Step::Done(response) => Ok(RunOutcome::Done(response)),
        _ => Err(Error::cancelled("the run was stopped")),
    }
}
