//! Following a run of the journal: its past events, and then its new events.

use super::Runtime;
use super::recover::{has_no_run, parsed, unreadable};
use super::stand_in::StandIns;
use agent_core::__private::{Followed, HostValues, LiveRun, not_read, record};
use agent_core::conversation::Message;
use agent_core::event::{Event, EventId, FollowedEvent};
use agent_core::journal::{RunInfo, RunState, RunWatch, StoredRun};
use agent_core::run::{PendingCall, Run};
use agent_tool::Error;
use agent_tool::library::{BindPolicy, ToolLibrary, bind_agent_tools_with};
use serde_json::Value;
use std::collections::VecDeque;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

/// The time after which a run is read again, if the journal reports no change.
const POLL_INTERVAL: Duration = Duration::from_millis(500);

/// The events of a run of the journal, from [`Runtime::follow`].
pub struct RunFollower {
    runtime: Runtime,
    run: String,
    /// The id of the last event that was returned.
    last: Option<EventId>,
    /// All events of the steps before this one were returned.
    known: u64,
    ready: VecDeque<FollowedEvent>,
    /// The run, while this process drives it and until its last event.
    live: Option<Arc<LiveRun>>,
    is_over: bool,
}

/// A run of the journal as it was when it was read, from [`Runtime::snapshot`].
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct RunSnapshot {
    /// The run's entry in the list.
    pub info: RunInfo,
    /// The messages that the run continues and its own, also an input that the model has not answered yet, and calls
    /// without results.
    pub messages: Vec<Message>,
    /// The calls on which a person must decide.
    pub waiting: Vec<PendingCall>,
    /// The id of the last event, after which the run can be [followed](Runtime::follow).
    pub last: Option<EventId>,
}

impl Runtime {
    /// Follows a run of the journal, from any process that has the journal. Returns the events after the
    /// event `after`, or all events: first the past events and then new ones, until the run ends or is
    /// paused.
    ///
    /// In the process that drives the run, the parts of its answers are among the events, as far as they are
    /// not too old. Other processes get whole answers when the journal has them: at once if the journal
    /// [reports changes](agent_core::journal::Journal::watch), and otherwise within half a second.
    ///
    /// A client that was disconnected continues with the [id](FollowedEvent::id) of the last event that it
    /// got. If this event is in the middle of a step that another process, or the process after a crash,
    /// reports anew, the first event is [`Event::StepReset`].
    ///
    /// ```
    /// use agent_runtime::journal::MemoryJournal;
    /// use agent_runtime::model::Offline;
    /// use agent_runtime::{Event, Runtime, agent};
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), agent_runtime::Error> {
    /// let agent = agent! { [guide:Agent {instruction: "Help.", model: "Offline/any"}] };
    /// let runtime = Runtime::builder().model(Offline::new()).journal(MemoryJournal::new()).build()?;
    /// let run = runtime.run(&agent, "Where am I?").spawn().await?;
    /// let mut events = runtime.follow(&run, None);
    /// let mut answer = String::new();
    /// while let Some(followed) = events.next().await {
    ///     if let Event::Finished { response, .. } = followed?.event {
    ///         answer = response.content;
    ///     }
    /// }
    /// // Later, it is read from the journal.
    /// let mut events = runtime.follow(&run, None);
    /// let first = events.next().await.expect("an event")?;
    /// assert!(matches!(first.event, Event::ModelCalled { .. }));
    /// # assert!(!answer.is_empty());
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn follow(&self, run: impl Into<String>, after: Option<EventId>) -> RunFollower {
        RunFollower {
            runtime: self.clone(),
            run: run.into(),
            last: after,
            known: 0,
            ready: VecDeque::new(),
            live: None,
            is_over: false,
        }
    }

    /// Reads a run of the journal: its messages so far, and the calls that wait for a person's decision. The
    /// run is only read, so that others may read it at the same time, and its tools need not be available.
    ///
    /// # Errors
    /// Configuration when the runtime has no journal, validation when the journal has no such run, and a journal error when
    /// it cannot be read.
    pub async fn snapshot(&self, run: &str) -> Result<RunSnapshot, Error> {
        let stored = self.stored(run).await?;
        let (events, run) = self.recorded_events(&stored, 0)?;
        Ok(RunSnapshot {
            messages: run.first().messages(),
            waiting: match stored.info.state {
                RunState::Waiting => run.awaiting_approval(),
                _ => Vec::new(),
            },
            last: events.last().map(|event| event.id),
            info: stored.info,
        })
    }

    /// Reads a run of the journal.
    pub(super) async fn stored(&self, run: &str) -> Result<StoredRun, Error> {
        let stored = self.journal()?.read(run).await.map_err(not_read)?;
        let stored = stored.ok_or_else(|| has_no_run(run))?;
        stored.verify().map_err(not_read)?;
        Ok(stored)
    }

    /// Returns the events that the records of a run contain, from the step `first` on, and the run in its
    /// state after the last record.
    pub(super) fn recorded_events(
        &self,
        stored: &StoredRun,
        first: u64,
    ) -> Result<(Vec<FollowedEvent>, Run), Error> {
        let mut events: Option<record::RecordedEvents> = None;
        for record in parsed(stored) {
            let (position, record) = record?;
            match &mut events {
                Some(events) if record::is_started(&record) => {
                    let run = self.run_of_start(stored, position, &record)?;
                    events.start_again(run, &record);
                }
                Some(events) => {
                    let applied = events.apply(&record);
                    applied.map_err(|error| unreadable(stored, position, error))?;
                }
                None => {
                    let run = self.run_of_start(stored, position, &record)?;
                    events = Some(record::RecordedEvents::new(run, &record));
                }
            }
        }
        let events = events.ok_or_else(|| has_no_run(&stored.info.run))?;
        let is_waiting = stored.info.state == RunState::Waiting;
        Ok(events.finish(first, is_waiting, stored.count))
    }

    /// Returns the run that the record of a start contains. Its tools are not called.
    fn run_of_start(&self, stored: &StoredRun, position: u64, start: &Value) -> Result<Run, Error> {
        let unreadable = |error| unreadable(stored, position, error);
        let saved = record::saved_run(start).map_err(unreadable)?;
        let (recorded, settings) = record::recorded_host(start).map_err(unreadable)?;
        let agent = Run::saved_agent(saved)?;
        let mut stand_ins = StandIns::new(&ToolLibrary::new(), settings)?;
        stand_ins.add(&agent)?;
        let tools = bind_agent_tools_with(&agent, stand_ins.library(), BindPolicy::Name)?;
        let mut run = Run::from_json(saved, &tools)?;
        run.set_host_values(&HostValues {
            prices: Arc::clone(&self.config.host.prices),
            ..recorded
        });
        Ok(run)
    }
}

impl RunFollower {
    /// The id of the run.
    #[must_use]
    pub fn run(&self) -> &str {
        &self.run
    }

    /// Waits for the next event; `None` after the last event, which reports that the run ended or was paused.
    ///
    /// Cancel safety: dropping the future loses no event.
    ///
    /// # Errors
    /// Configuration when the runtime has no journal, validation when the journal has no such run, and a journal error when
    /// it cannot be read. Nothing follows an error.
    pub async fn next(&mut self) -> Option<Result<FollowedEvent, Error>> {
        loop {
            if let Some(next) = self.ready.pop_front() {
                self.last = Some(next.id);
                self.is_over = next.event.is_last();
                return Some(Ok(next));
            }
            if self.is_over {
                return None;
            }
            if let Err(error) = self.fetch().await {
                self.is_over = true;
                return Some(Err(error));
            }
        }
    }

    /// Gets the next events, or waits for a change.
    async fn fetch(&mut self) -> Result<(), Error> {
        if self.live.is_none() {
            self.live = self.runtime.config.live.get(&self.run);
        }
        let Some(live) = &self.live else {
            return self.fetch_recorded(None).await;
        };
        // The watch begins before the events are read, so that no event in between is missed.
        let mut changed = live.watch();
        match live.after(self.last, self.known) {
            Followed::Events(events) if events.is_empty() => {
                let _ = changed.changed().await;
            }
            Followed::Events(events) => self.ready = events.into(),
            Followed::Recorded(first) => return self.fetch_recorded(Some(first)).await,
            Followed::Over => self.live = None,
        }
        Ok(())
    }

    /// Gets the next events of the journal. If this process reports the steps from `end` on, only the steps
    /// before `end`.
    async fn fetch_recorded(&mut self, end: Option<u64>) -> Result<(), Error> {
        let watch = self.runtime.journal()?.watch(&self.run);
        let stored = self.runtime.stored(&self.run).await?;
        let first = self.last.map_or(0, |last| last.step).max(self.known);
        let (mut events, _) = self.runtime.recorded_events(&stored, first)?;
        events.retain(|event| end.is_none_or(|end| event.id.step < end));
        match self.last {
            Some(last) if last.step < self.known => {}
            Some(last) if last.holder == 0 => {
                events.retain(|event| (event.id.step, event.id.number) > (last.step, last.number));
            }
            Some(last) if !events.is_empty() => {
                let id = EventId::new(last.step, 0, 0);
                events.insert(0, FollowedEvent::new(id, Event::step_reset(last.step)));
            }
            _ => {}
        }
        let is_complete = end.is_some_and(|end| stored.count >= end);
        if is_complete {
            self.known = self.known.max(end.unwrap_or_default());
        }
        if !events.is_empty() {
            self.ready = events.into();
        } else if end.is_none() && stored.info.state != RunState::Running {
            self.is_over = true;
        } else if !is_complete {
            wait(watch).await;
        }
        Ok(())
    }
}

/// Waits until the run may have changed. The wait has a limit, so that the caller also finds out whether this
/// process drives the run now.
async fn wait(watch: Option<RunWatch>) {
    let changed = async {
        match watch {
            Some(mut watch) => watch.changed().await,
            None => std::future::pending().await,
        }
    };
    let _ = tokio::time::timeout(POLL_INTERVAL, changed).await;
}

impl fmt::Debug for RunFollower {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("RunFollower")
            .field("run", &self.run)
            .field("last", &self.last)
            .finish_non_exhaustive()
    }
}
