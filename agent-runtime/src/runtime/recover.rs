//! Continuing runs whose process died.

use super::Runtime;
use super::run_builder::sealed::Sealed;
use super::run_builder::{RunBuilder, RunSource};
use super::run_options::RunOptions;
use super::saved_run::answered;
use super::stream::RunFuture;
use crate::model::Cassette;
use agent_core::__private::{
    CallPlaces, DriveOptions, Recorder, end_cancelled, held_elsewhere, not_read, not_stored, record,
};
use agent_core::conversation::{
    Conversation, ConversationName, ConversationStore, Message, StoreError,
};
use agent_core::journal::{Journal, Lease, Mail, RunFilter, RunInfo, RunState, StoredRun, Turn};
use agent_core::run::{Decision, Run, RunOutcome};
use agent_spec::json::parse_json;
use agent_tool::__private::ErrorKind;
use agent_tool::Error;
use agent_tool::library::{ToolLibrary, bind_agent_tools_with};
use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use serde_json::Value;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

/// The number of runs that are recovered at the same time.
const RUNS_AT_ONCE: usize = 32;

/// A run of the journal that is continued: see [`Runtime::recover_run`].
#[derive(Debug)]
pub struct RecordedRun {
    id: String,
    decisions: Vec<(String, Decision)>,
    key: Option<String>,
}

/// A run that was read from the journal.
struct Opened {
    recorder: Box<Recorder>,
    replayed: Replayed,
}

/// A run in its state after the last record.
struct Replayed {
    run: Run,
    /// The calls in doubt.
    doubted: CallPlaces,
    /// The elapsed part of the run's time limit.
    elapsed: Duration,
    /// The conversation that gets the messages of the run.
    stored_as: Option<ConversationName>,
}

/// A run that [`Runtime::recover`] continued.
#[derive(Debug)]
#[non_exhaustive]
pub struct RecoveredRun {
    /// The run's entry in the journal, as it was found.
    pub info: RunInfo,
    /// The end of the run, or the calls that wait for a decision.
    ///
    /// An error with [`is_journal`](Error::is_journal) leaves the run in the journal as it was; a tool error does, too,
    /// when a tool of the library no longer fits the spec that was recorded. After an error with
    /// [`is_configuration`](Error::is_configuration), such as a missing or rejected key, the run can be recovered again.
    pub outcome: Result<RunOutcome, Error>,
    /// The run, with its conversation; `None` if it could not be read or bound.
    pub run: Option<Run>,
}

impl RecoveredRun {
    /// A run that could not be read or bound.
    fn unread(info: RunInfo, error: Error) -> Self {
        Self {
            info,
            outcome: Err(error),
            run: None,
        }
    }

    /// The history of the run; `None` if it could not be read or bound.
    #[must_use]
    pub fn conversation(&self) -> Option<Conversation> {
        self.run.as_ref().map(Run::conversation)
    }
}

impl RunBuilder<'_, RecordedRun> {
    /// Adds decisions about calls that wait, by the ids of the calls, in the form that [`Run::approve`]
    /// accepts.
    pub fn decisions(mut self, decisions: impl IntoIterator<Item = (String, Decision)>) -> Self {
        self.source.decisions.extend(decisions);
        self
    }

    /// Continues the run only if it is paused and has this key, which [`pause_key`](Self::pause_key) set. A
    /// key can be used once: if several processes answer at the same time, only one continues the run. When
    /// the run is paused again, it has another key or none.
    pub fn answers(mut self, key: impl Into<String>) -> Self {
        self.source.key = Some(key.into());
        self
    }

    async fn execute(mut self) -> Result<RecoveredRun, Error> {
        let RecordedRun { id, decisions, key } = self.source;
        let runtime = self.runtime;
        let journal = runtime.journal()?;
        self.options.acquiring = Some(runtime.config.live.acquiring().await);
        let lease = acquired(journal, &id).await?;
        let library = self.library.unwrap_or_default();
        let opened = runtime.open(journal, lease, &library, key.as_deref());
        let (info, mut opened) = match opened.await? {
            (info, Ok(opened)) => (info, opened),
            (info, Err(error)) => return Ok(RecoveredRun::unread(info, error)),
        };
        if info.state.is_over() {
            return Err(has_ended(&id));
        }
        for (call, decision) in decisions {
            opened.replayed.run.approve(&call, decision.clone())?;
            opened.recorder.decided(&call, &decision);
        }
        Ok(runtime.continue_run(info, opened, self.options).await)
    }
}

impl Sealed for RecordedRun {}

impl<'a> RunSource<'a> for RecordedRun {
    type Output = RecoveredRun;

    fn execute(run: RunBuilder<'a, Self>) -> RunFuture<'a, RecoveredRun> {
        Box::pin(run.execute())
    }

    fn finish(run: RunBuilder<'a, Self>) -> RunFuture<'a, ()> {
        Box::pin(async {
            let recovered = run.execute().await?;
            match recovered.run {
                Some(run) => answered(recovered.outcome?, &run),
                None => recovered.outcome.map(drop),
            }
        })
    }
}

impl Runtime {
    /// Continues each run of the [journal](super::RuntimeBuilder::journal) that has not ended and whose process is
    /// gone, and returns them in the order in which they end. Runs that another task or process drives are left alone,
    /// and so are those that were paused for a person's decision: see [`recover_run`](Self::recover_run). A
    /// [damaged](RunState::Damaged) run has a journal error as its outcome until it is deleted.
    ///
    /// A run is continued with the agent and the tool specs that were recorded, whose implementations are those of
    /// `library`. It uses this runtime's models, keys, grants and hooks. Replies of models and results of calls that
    /// are in the journal are taken from there. A request that was under way is sent again. A call that was under way
    /// is made again if its tool is `idempotent` or `read_only`. For any other the runtime's
    /// [`Approver`](agent_core::approval::Approver) decides; without an approver, the run is paused.
    ///
    /// Call it when a program starts. Dropping the future leaves the runs unfinished, as a crash does.
    ///
    /// ```
    /// # use agent_runtime::journal::MemoryJournal;
    /// # use agent_runtime::{Error, Runtime, ToolLibrary};
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Error> {
    /// # let (journal, library) = (MemoryJournal::new(), ToolLibrary::new());
    /// let runtime = Runtime::builder().journal(journal).build()?;
    /// for recovered in runtime.recover(&library).await? {
    ///     match recovered.outcome {
    ///         Ok(_) => println!("{} went on", recovered.info.run),
    ///         Err(error) => eprintln!("{}: {error}", recovered.info.run),
    ///     }
    /// }
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Configuration when the runtime has no journal. A journal error when the list of runs cannot be read. The error
    /// of a run is in its [`outcome`](RecoveredRun::outcome).
    pub async fn recover(&self, library: &ToolLibrary) -> Result<Vec<RecoveredRun>, Error> {
        self.recover_with(library, |_| Some(RunOptions::new()))
            .await
    }

    /// Continues runs as [`recover`](Self::recover) does, each with the options that `options` returns for
    /// its entry in the journal: extensions of its owner, for example. Runs for which it returns `None` are
    /// left alone, such as those of another program that has the same journal.
    ///
    /// # Errors
    /// The errors of [`recover`](Self::recover).
    pub async fn recover_with(
        &self,
        library: &ToolLibrary,
        options: impl Fn(&RunInfo) -> Option<RunOptions>,
    ) -> Result<Vec<RecoveredRun>, Error> {
        let journal = self.journal()?;
        let filter = RunFilter::new().states([RunState::Running, RunState::Damaged]);
        let found = journal.list(&filter).await.map_err(not_read)?;
        let mut waiting = found
            .into_iter()
            .filter_map(|info| options(&info).map(|options| (info, options)));
        let mut going = FuturesUnordered::new();
        let mut recovered = Vec::new();
        loop {
            while going.len() < RUNS_AT_ONCE
                && let Some((info, options)) = waiting.next()
            {
                going.push(self.recover_unless_held(journal, info, library, options));
            }
            match going.next().await {
                Some(run) => recovered.extend(run),
                None => return Ok(recovered),
            }
        }
    }

    /// Sets up the continuation of one run of the journal that has not ended and that no task or process
    /// drives. The run may be paused: [`decisions`](RunBuilder::decisions) are given to its calls first.
    /// Awaiting the builder returns a [`RecoveredRun`]. [`recover`](Self::recover) describes which requests
    /// and calls are made again.
    ///
    /// Set the values that no journal has, as far as the run had them: an observer of its events, a signal
    /// that cancels it, and the extensions and grants of its tools. [Limits](RunBuilder::usage_limits)
    /// replace those of the run.
    ///
    /// Events of earlier steps are not reported again. A part of an answer that was streamed before the crash
    /// is lost, and [`Event::ModelCalled`](agent_core::event::Event::ModelCalled) begins the answer anew.
    ///
    /// Awaiting the builder fails with a configuration error when the runtime has no journal. It fails with a
    /// validation error when the journal has no such run, when the run has ended, when the run does not wait
    /// for decisions with the [key](RunBuilder::answers), or when a decision does not fit. The run is then
    /// left as it was. A journal error means that another task or process drives the run, or that its records
    /// cannot be read. Later errors are in [`RecoveredRun::outcome`].
    ///
    /// ```
    /// use agent_runtime::run::Decision;
    /// use agent_runtime::{Error, Runtime, ToolLibrary};
    ///
    /// async fn approve(runtime: &Runtime, library: &ToolLibrary, run: &str, call: &str) -> Result<(), Error> {
    ///     let recovered = runtime
    ///         .recover_run(run)
    ///         .tools(library)
    ///         .decisions([(call.to_owned(), Decision::Approve)])
    ///         .await?;
    ///     println!("{:?}", recovered.outcome?);
    ///     Ok(())
    /// }
    /// ```
    pub fn recover_run<'a>(&self, id: impl Into<String>) -> RunBuilder<'a, RecordedRun> {
        let run = RecordedRun {
            id: id.into(),
            decisions: Vec::new(),
            key: None,
        };
        RunBuilder::of(self, run)
    }

    /// Ends a run of the journal that has not ended, as cancelled, wherever it is driven. Its records stay, its
    /// [conversation](RunBuilder::stored_as) keeps what was done, and a call that was under way is in doubt, as when a run
    /// [is dropped](RunBuilder::on_drop). Returns its new entry in the list.
    ///
    /// If another process drives the run, that process is notified: at once if the journal
    /// [reports changes](agent_core::journal::Journal::watch), and otherwise within ten seconds. The returned
    /// entry is then that of a run that has not ended yet.
    ///
    /// Cancel safety: dropping the future leaves the run either as it was or cancelled.
    ///
    /// # Errors
    /// Configuration when the runtime has no journal. Validation when the journal has no such run, or when it has ended.
    /// A journal error when the journal cannot be read or written.
    pub async fn cancel_run(&self, id: &str) -> Result<RunInfo, Error> {
        let journal = self.journal()?;
        let acquiring = self.config.live.acquiring().await;
        if let Some(live) = self.config.live.get(id) {
            drop(acquiring);
            live.cancel();
            live.ended().await;
            return Ok(self.stored(id).await?.info);
        }
        let Some(lease) = journal.acquire(id).await.map_err(not_read)? else {
            let is_sent = journal.send(id, &Mail::Cancel).await.map_err(not_read)?;
            let info = self.stored(id).await?.info;
            return match is_sent {
                true => Ok(info),
                false if info.state.is_over() => Err(has_ended(id)),
                // Another process has just acquired the run, to continue it after a decision.
                false => Err(held_elsewhere(id)),
            };
        };
        let stored = unended(journal, &lease).await?;
        let replayed = self.recorded_events(&stored, stored.count);
        let recorder = Recorder::continued(journal, &self.config.redactor, lease, stored);
        match replayed {
            Ok((_, mut run)) => end_cancelled(&self.config, &mut run, recorder).await?,
            // A run that cannot be read can be ended all the same.
            Err(_) => return recorder.cancel(None).await,
        }
        Ok(self.stored(id).await?.info)
    }

    /// Ends a run as [`cancel_run`](Self::cancel_run) does, and adds messages to its
    /// [stored conversation](RunBuilder::stored_as) in the same commit, if the run has one. Use this in a
    /// program that continues the work of a run whose [end could not be written](Error::unended_run).
    ///
    /// # Errors
    /// The errors of [`cancel_run`](Self::cancel_run), and an error when the messages cannot be stored.
    pub async fn cancel_run_with(&self, id: &str, messages: &[Message]) -> Result<RunInfo, Error> {
        let journal = self.journal()?;
        let lease = acquired(journal, id).await?;
        let stored = unended(journal, &lease).await?;
        let redactor = &self.config.redactor;
        let recorder = Recorder::continued(journal, redactor, lease, stored);
        let mut turn = None;
        if let Some(name) = recorder.stored_as().filter(|_| !messages.is_empty()) {
            let messages = messages.iter().map(|message| message.redacted(redactor));
            let messages: Vec<Message> = messages.collect();
            let (store, is_of_journal) = self.config.store()?;
            match is_of_journal {
                true => turn = Some(Turn::new(name, messages)),
                false => {
                    let added = store.append_run(&name, id, &messages).await;
                    added.map_err(|error| not_stored(&name, error))?;
                }
            }
        }
        recorder.cancel(turn).await
    }

    /// Writes the requests of a run of the journal and the answers to them into the file of a
    /// [`Cassette`], which replays them in a test. Returns the number of requests. The requests are those of the agent
    /// that was recorded, before hooks; nothing is asked or called.
    ///
    /// An existing file is replaced. Without a request that was answered, no file is written.
    ///
    /// # Errors
    /// Configuration when the runtime has no journal, or when the file cannot be written. Validation when the journal has
    /// no such run. A journal error when it cannot be read. A tool error when a tool of `library` does not fit the spec
    /// that was recorded.
    pub async fn export_cassette(
        &self,
        id: &str,
        library: &ToolLibrary,
        path: impl AsRef<Path>,
    ) -> Result<usize, Error> {
        let stored = self.journal()?.read(id).await.map_err(not_read)?;
        let stored = stored.ok_or_else(|| has_no_run(id))?;
        stored.verify().map_err(not_read)?;
        let mut replay = None;
        let exchanges = parsed(&stored).filter_map(|record| {
            let (position, record) = match record {
                Ok(found) => found,
                Err(error) => return Some(Err(error)),
            };
            let Some(replay) = replay.as_mut().filter(|_| !record::is_started(&record)) else {
                let started = self.start_replay(&stored, (position, &record), library);
                return started.map(|started| replay = Some(started)).err().map(Err);
            };
            let answered = replay.apply(&record).and_then(|request| match request {
                Some(request) => Ok(Some((request, record::read_answer(&record)?))),
                None => Ok(None),
            });
            let answered = answered.map_err(|error| unreadable(&stored, position, error));
            answered.transpose()
        });
        Cassette::write(path.as_ref(), &self.config.redactor, exchanges)
    }

    /// The journal of this runtime.
    ///
    /// # Errors
    /// Configuration when there is none.
    pub fn journal(&self) -> Result<&Arc<dyn Journal>, Error> {
        self.config.journal.as_ref().ok_or_else(|| {
            Error::configuration(
                "the runtime has no journal; give it one with `Runtime::builder().journal(…)`",
            )
        })
    }

    /// The store of the [conversations](RunBuilder::stored_as) of this runtime.
    ///
    /// # Errors
    /// Configuration when there is none.
    pub fn conversations(&self) -> Result<Arc<dyn ConversationStore>, Error> {
        self.config.store().map(|(store, _)| store)
    }

    /// Continues a run, unless another task or process drives it or ended it meanwhile.
    async fn recover_unless_held(
        &self,
        journal: &Arc<dyn Journal>,
        found: RunInfo,
        library: &ToolLibrary,
        given: RunOptions,
    ) -> Option<RecoveredRun> {
        let lease = match journal.acquire(&found.run).await {
            Ok(lease) => lease?,
            Err(error) => return Some(RecoveredRun::unread(found, not_read(error))),
        };
        match self.open(journal, lease, library, None).await {
            Ok((info, _)) if info.state != RunState::Running => None,
            Ok((info, Ok(opened))) => {
                let mut options = DriveOptions::default();
                options.leaves_on_drop = true;
                given.apply(&mut options);
                Some(self.continue_run(info, opened, options).await)
            }
            Ok((info, Err(error))) => Some(RecoveredRun::unread(info, error)),
            Err(error) => Some(RecoveredRun::unread(found, error)),
        }
    }

    /// Reads a run whose lease was acquired, and replays its records. A run that does not wait for decisions with `key`
    /// is not replayed.
    async fn open(
        &self,
        journal: &Arc<dyn Journal>,
        lease: Lease,
        library: &ToolLibrary,
        key: Option<&str>,
    ) -> Result<(RunInfo, Result<Opened, Error>), Error> {
        let stored = journal.read(&lease.run).await;
        let stored = match stored.and_then(|stored| {
            let stored = stored.ok_or_else(|| StoreError::lease_lost(&lease.run))?;
            stored.verify().map(|()| stored)
        }) {
            Ok(stored) => stored,
            Err(error) => {
                journal.release(&lease);
                return Err(not_read(error));
            }
        };
        let info = stored.info.clone();
        if let Some(key) = key
            && !waits_for(&stored, key)
        {
            journal.release(&lease);
            return Err(Error::validation(format!(
                "the run `{}` does not wait for decisions with this key; they may have been made already",
                info.run
            )));
        }
        let replayed = self.replay(&stored, library);
        // Dropping the recorder gives the lease up.
        let recorder = Recorder::continued(journal, &self.config.redactor, lease, stored);
        Ok((info, replayed.map(|replayed| Opened { recorder, replayed })))
    }

    /// Replays all records of a run.
    fn replay(&self, stored: &StoredRun, library: &ToolLibrary) -> Result<Replayed, Error> {
        let (mut start, mut first, mut since) = (0, Value::Null, None);
        for record in parsed(stored).rev() {
            let (position, record) = record?;
            since = since.or_else(|| record::limited_since(&record));
            if record::is_started(&record) {
                (start, first) = (position, record);
                break;
            }
        }
        let mut replay = self.start_replay(stored, (start, &first), library)?;
        let stored_as = record::stored_as(&first);
        let stored_as = stored_as.map_err(|error| unreadable(stored, start, error))?;
        drop(first);
        let behind = usize::try_from(start)
            .unwrap_or(usize::MAX)
            .saturating_add(1);
        for record in parsed(stored).skip(behind) {
            let (position, record) = record?;
            let applied = replay.apply(&record);
            applied.map_err(|error| unreadable(stored, position, error))?;
        }
        let elapsed = since.and_then(|since| SystemTime::now().duration_since(since).ok());
        let (run, doubted) = replay.finish();
        Ok(Replayed {
            run,
            doubted,
            elapsed: elapsed.unwrap_or_default(),
            stored_as,
        })
    }

    /// Begins the replay of a run at the record that has its state.
    fn start_replay(
        &self,
        stored: &StoredRun,
        (position, first): (u64, &Value),
        library: &ToolLibrary,
    ) -> Result<record::Replay, Error> {
        let unreadable = |error| unreadable(stored, position, error);
        let saved = record::saved_run(first).map_err(unreadable)?;
        // Only those who follow the run need this. What they cannot read does not go on.
        record::recorded_host(first).map_err(unreadable)?;
        let agent = Run::saved_agent(saved)?;
        let tools = bind_agent_tools_with(&agent, library, self.config.bind_policy);
        let tools = tools.map_err(|error| {
            let run = &stored.info.run;
            let context = format!("the run `{run}` goes on with the agent with which it began");
            Error::from(error).with_context(context)
        })?;
        let mut run = Run::from_json(saved, &tools)?;
        run.set_host_values(&self.config.host);
        Ok(record::Replay::new(run, first))
    }

    async fn continue_run(
        &self,
        info: RunInfo,
        opened: Opened,
        mut options: DriveOptions<'_>,
    ) -> RecoveredRun {
        let mut recorder = opened.recorder;
        let Replayed {
            mut run,
            doubted,
            elapsed,
            stored_as,
        } = opened.replayed;
        for (place, id) in doubted {
            recorder.doubted(&place, &id);
            run.doubt(&place, &id);
        }
        let elapsed = match info.state {
            RunState::Running => elapsed,
            // A person may take any time to decide.
            _ => Duration::ZERO,
        };
        options.recorder = Some(recorder);
        options.elapsed = elapsed;
        options.stored_as = options.stored_as.or(stored_as);
        // The models are checked before anything is written, so that a missing key changes nothing.
        let outcome = match self.config.check_models(&run) {
            Ok(provider) => self.config.drive(&mut run, provider, options).await,
            Err(error) => Err(error),
        };
        RecoveredRun {
            info,
            outcome,
            run: Some(run),
        }
    }
}

/// Acquires the lease of a run.
async fn acquired(journal: &Arc<dyn Journal>, id: &str) -> Result<Lease, Error> {
    if let Some(lease) = journal.acquire(id).await.map_err(not_read)? {
        return Ok(lease);
    }
    Err(match journal.read(id).await.map_err(not_read)? {
        Some(_) => held_elsewhere(id),
        None => has_no_run(id),
    })
}

/// Reads a run whose lease was acquired. Releases the lease if the run has ended or cannot be read.
async fn unended(journal: &Arc<dyn Journal>, lease: &Lease) -> Result<StoredRun, Error> {
    let found = journal.read(&lease.run).await;
    if !matches!(&found, Ok(Some(stored)) if !stored.info.state.is_over()) {
        journal.release(lease);
    }
    match found.map_err(not_read)? {
        Some(stored) if stored.info.state.is_over() => Err(has_ended(&lease.run)),
        Some(stored) => Ok(stored),
        None => Err(not_read(StoreError::lease_lost(&lease.run))),
    }
}

/// Whether a run is paused and waits for decisions that have this key. In this case the question is the last
/// record.
fn waits_for(stored: &StoredRun, key: &str) -> bool {
    let asked = parsed(stored).next_back();
    stored.info.state == RunState::Waiting
        && asked.is_some_and(|asked| asked.is_ok_and(|(_, asked)| record::asks_for(&asked, key)))
}

pub(super) fn has_no_run(id: &str) -> Error {
    Error::validation(format!("the journal has no run `{id}`"))
}

fn has_ended(id: &str) -> Error {
    Error::validation(format!("the run `{id}` has ended"))
}

/// Returns the records as JSON, with their positions. Each record is parsed on demand, because a value takes
/// up to a hundred times the memory of its text.
pub(crate) fn parsed(
    stored: &StoredRun,
) -> impl DoubleEndedIterator<Item = Result<(u64, Value), Error>> {
    stored.records.iter().enumerate().map(|(at, record)| {
        let position = at as u64;
        match parse_json(&record.json()) {
            Ok(json) => Ok((position, json)),
            Err(error) => Err(unreadable(stored, position, error)),
        }
    })
}

pub(crate) fn unreadable(
    stored: &StoredRun,
    position: u64,
    error: impl std::error::Error + Send + Sync + 'static,
) -> Error {
    let run = &stored.info.run;
    let text = format!("record {position} of the run `{run}` cannot be read");
    Error::new(ErrorKind::Journal, text).with_source(error)
}
