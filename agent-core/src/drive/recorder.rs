//! Recording a run in a journal while it is driven.

use super::RunOutcome;
use crate::conversation::{ConversationName, StoreError};
use crate::journal::{Commit, Journal, Lease, Record, RunInfo, RunState, StoredRun, Turn};
use crate::run::record::{self, RunRecord, TimedRecord};
use crate::run::{Decision, Run};
use agent_spec::json::{MAX_VALUES, has_more_values_than, too_many_values};
use agent_tool::__private::ErrorKind;
use agent_tool::Error;
use agent_tool::media::Sha256;
use agent_tool::redact::Redactor;
use serde::Serialize;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};
use tokio::time::Instant;

/// The journal of a run that is driven, and the records that are not in the journal yet.
pub struct Recorder {
    journal: Arc<dyn Journal>,
    redactor: Redactor,
    lease: Lease,
    info: RunInfo,
    /// The number of records that the journal has for certain.
    position: u64,
    /// The checksum of the last sealed record.
    last_checksum: Sha256,
    /// The records that were sealed for a commit whose future was dropped before it ended.
    sealed: Vec<Record>,
    /// The records of the current step, not yet written.
    pending: Vec<RunRecord>,
    /// The number of the last mail that the records have.
    taken: Option<u64>,
    renewed: Instant,
    /// Whether the lease must be given up when the recorder is dropped.
    is_held: bool,
    /// Whether an earlier drive began the run.
    is_continued: bool,
}

impl Recorder {
    /// Begins the record of a run that no journal has. `stored_as` names the conversation that gets its messages.
    pub fn new(
        journal: &Arc<dyn Journal>,
        redactor: &Redactor,
        run: &Run,
        stored_as: Option<&ConversationName>,
    ) -> Box<Self> {
        let mut recorder = Self {
            lease: journal.begin(run.id()),
            journal: Arc::clone(journal),
            redactor: redactor.clone(),
            info: RunInfo::new(run.id(), run.agent().name()),
            position: 0,
            last_checksum: Record::first_checksum(),
            sealed: Vec::new(),
            pending: Vec::new(),
            taken: None,
            renewed: Instant::now(),
            is_held: true,
            is_continued: false,
        };
        recorder.start(run, stored_as);
        Box::new(recorder)
    }

    /// Continues the record of a run whose lease was acquired.
    pub fn continued(
        journal: &Arc<dyn Journal>,
        redactor: &Redactor,
        lease: Lease,
        stored: StoredRun,
    ) -> Box<Self> {
        Box::new(Self {
            journal: Arc::clone(journal),
            redactor: redactor.clone(),
            lease,
            position: stored.count,
            last_checksum: stored.last_checksum,
            info: stored.info,
            sealed: Vec::new(),
            pending: Vec::new(),
            taken: None,
            renewed: Instant::now(),
            is_held: true,
            is_continued: true,
        })
    }

    /// Finds the record of a run that its host begins or continues.
    ///
    /// # Errors
    /// Validation when the run has ended. A journal error when another process holds the run, or when the journal
    /// cannot be read.
    pub(crate) async fn find(
        journal: &Arc<dyn Journal>,
        redactor: &Redactor,
        run: &Run,
        stored_as: Option<&ConversationName>,
    ) -> Result<Box<Self>, Error> {
        let id = run.id();
        let Some(lease) = journal.acquire(id).await.map_err(not_read)? else {
            return match journal.read(id).await.map_err(not_read)? {
                None => Ok(Self::new(journal, redactor, run, stored_as)),
                Some(_) => Err(held_elsewhere(id)),
            };
        };
        let stored = match journal.read(id).await {
            Ok(Some(stored)) => stored,
            found => {
                journal.release(&lease);
                let error = found.err().unwrap_or_else(|| StoreError::lease_lost(id));
                return Err(not_read(error));
            }
        };
        if stored.info.state.is_over() {
            journal.release(&lease);
            return Err(Error::validation(format!(
                "the run `{id}` has ended, as its journal says, and cannot be continued"
            )));
        }
        let mut recorder = Self::continued(journal, redactor, lease, stored);
        let stored_as = stored_as.cloned().or(recorder.info.conversation.take());
        // The host may have decided on calls since, so that the earlier records no longer lead to this state.
        recorder.start(run, stored_as.as_ref());
        Ok(recorder)
    }

    pub(super) fn journal(&self) -> Arc<dyn Journal> {
        Arc::clone(&self.journal)
    }

    pub(super) fn lease(&self) -> Lease {
        self.lease.clone()
    }

    /// The number of records that the journal has for certain.
    pub(super) fn position(&self) -> u64 {
        self.position
    }

    /// Notes that the records of the next commit have the mail of this number.
    pub(super) fn took(&mut self, mail: u64) {
        self.taken = Some(mail);
    }

    /// Sets the owner of the run, and whether the run is exclusive in its conversation.
    pub fn set_owner(&mut self, owner: Option<String>, is_exclusive: bool) {
        let stored_as = self.info.conversation.as_ref();
        self.info.owner = owner.or_else(|| stored_as.and_then(ConversationName::owner));
        self.info.is_exclusive = is_exclusive;
    }

    /// Writes the beginning of a new run, before it is driven.
    ///
    /// # Errors
    /// A journal error when the journal cannot be written, or another run has the conversation.
    pub async fn begin(&mut self, run: &Run) -> Result<(), Error> {
        self.commit(run).await
    }

    /// The stored conversation that gets the messages of the run.
    pub fn stored_as(&self) -> Option<ConversationName> {
        self.info.conversation.clone()
    }

    fn start(&mut self, run: &Run, stored_as: Option<&ConversationName>) {
        self.info.conversation = stored_as.cloned();
        self.put(RunRecord::started(run, stored_as));
    }

    /// Adds a record to the next commit.
    pub(super) fn put(&mut self, record: RunRecord) {
        self.pending.push(record);
    }

    /// Records a person's decision on a call.
    pub fn decided(&mut self, call: &str, decision: &Decision) {
        self.put(RunRecord::decision_made(call, decision));
    }

    /// Records that a call of the run at a place is in doubt.
    pub fn doubted(&mut self, place: &str, id: &str) {
        self.put(RunRecord::CallInDoubt {
            run: place.to_owned(),
            call: id.to_owned(),
        });
    }

    /// The time at which the lease must be renewed.
    pub(super) fn renewal(&self) -> Instant {
        self.renewed + Lease::LIFETIME / 3
    }

    /// Appends the records of the step that ends, and renews the lease if it is time.
    ///
    /// Cancel safety: if this commit is dropped, the next one writes its records.
    ///
    /// # Errors
    /// A journal error when the journal cannot be written, or another process took the run over.
    pub(super) async fn commit(&mut self, run: &Run) -> Result<(), Error> {
        if !self.pending.is_empty() || !self.sealed.is_empty() {
            return self.append(run.cost(), RunState::Running, None).await;
        }
        if self.renewal() <= Instant::now() {
            let renewed = self.journal.renew(&self.lease).await;
            renewed.map_err(|error| self.not_written(error))?;
            self.renewed = Instant::now();
        }
        Ok(())
    }

    async fn append(
        &mut self,
        cost: Option<f64>,
        state: RunState,
        turn: Option<Turn>,
    ) -> Result<(), Error> {
        let now = SystemTime::now();
        let at = now.duration_since(UNIX_EPOCH).unwrap_or_default();
        let at = u64::try_from(at.as_millis()).unwrap_or(u64::MAX);
        let step = self.position + self.sealed.len() as u64;
        for record in self.pending.drain(..) {
            let position = self.position + self.sealed.len() as u64;
            let record = TimedRecord {
                record: &record,
                step,
                at,
            };
            let mut json = to_text(&record);
            if self.redactor.text(&json) != json {
                let record = serde_json::to_value(&record).unwrap_or_default();
                json = to_text(&record::without_secrets(&record, &self.redactor));
            }
            if let Some(problem) = problem_of_reading(json.as_bytes()) {
                let record = serde_json::to_value(&record).unwrap_or_default();
                let kind = record["kind"].as_str().unwrap_or_default();
                let text = format!("the journal cannot keep the record `{kind}`: it {problem}");
                return Err(Error::new(ErrorKind::Journal, text).with_unended_run(&self.lease.run));
            }
            let record = Record::sealed(&self.lease.run, position, json, &self.last_checksum);
            self.last_checksum = *record.checksum();
            self.sealed.push(record);
        }
        self.info.updated = now;
        self.info.cost = cost;
        let info = RunInfo {
            state,
            ..self.info.clone()
        };
        let mut commit = Commit::new(self.position, self.sealed.clone(), info);
        commit.turn = turn;
        commit.taken = self.taken;
        let appended = self.journal.append(&self.lease, commit).await;
        appended.map_err(|error| self.not_written(error))?;
        self.position += self.sealed.len() as u64;
        self.sealed.clear();
        self.taken = None;
        self.renewed = Instant::now();
        self.is_held = state == RunState::Running;
        Ok(())
    }

    /// Records how a drive of the run ended. After this, the run is held by nobody. `turn` is part of the
    /// commit that ends the run.
    ///
    /// # Errors
    /// A journal error when the journal cannot be written, or another process took the run over.
    pub(super) async fn end(
        &mut self,
        run: &Run,
        outcome: &Result<RunOutcome, Error>,
        turn: Option<Turn>,
    ) -> Result<(), Error> {
        let state = match (outcome, run.is_over()) {
            (Ok(RunOutcome::AwaitingApproval(_)), _) => RunState::Waiting,
            (_, true) => match run.first().failure() {
                Some(error) if error.is_cancelled() => RunState::Cancelled,
                Some(_) => RunState::Failed,
                None => RunState::Done,
            },
            (_, false) => return Ok(()),
        };
        if state.is_over() {
            self.put(RunRecord::ended(run));
        }
        self.append(run.cost(), state, turn).await
    }

    /// Whether a run stays in the journal after a request failed with a configuration error, such as a
    /// missing or rejected key. A run that only failed with its first request does not stay. A new run of a
    /// stored conversation does not stay either, so that the next message of the conversation follows its
    /// message there.
    pub(super) fn stays(&self, outcome: &Result<RunOutcome, Error>) -> bool {
        let is_begun = self.is_continued || self.position > 1 && self.info.conversation.is_none();
        is_begun
            && matches!(outcome, Err(error) if error.is_configuration())
            && self.pending.iter().any(RunRecord::is_request_failed)
    }

    /// Leaves the run in the journal as it was before its last request, which is sent again when the run is recovered.
    ///
    /// # Errors
    /// A journal error when the journal cannot be written, or another process took the run over.
    pub(super) async fn keep(&mut self, run: &Run) -> Result<(), Error> {
        self.pending.retain(|record| !record.is_request_failed());
        match self.pending.is_empty() && self.sealed.is_empty() {
            true => Ok(()),
            false => self.append(run.cost(), RunState::Running, None).await,
        }
    }

    pub(super) fn not_written(&self, error: StoreError) -> Error {
        let run = &self.lease.run;
        if error.busy_run().is_some() {
            let text = "the conversation has another run that has not ended";
            return Error::new(ErrorKind::Journal, text).with_source(error);
        }
        let text = match error.is_lease_lost() {
            true => format!("the run `{run}` is continued by another process"),
            false => format!("the run `{run}` cannot be written to the journal"),
        };
        let is_ours = !error.is_lease_lost();
        let error = Error::new(ErrorKind::Journal, text).with_source(error);
        match is_ours {
            true => error.with_unended_run(run),
            false => error,
        }
    }

    /// Records that the run was cancelled, with the messages of `turn`. The records of the run are not read,
    /// so that a run whose tools are gone can be cancelled.
    ///
    /// # Errors
    /// A journal error when the journal cannot be written, or another process took the run over.
    pub async fn cancel(mut self, turn: Option<Turn>) -> Result<RunInfo, Error> {
        self.put(RunRecord::cancelled(self.info.cost));
        self.append(self.info.cost, RunState::Cancelled, turn)
            .await?;
        let info = self.info.clone();
        Ok(RunInfo {
            state: RunState::Cancelled,
            ..info
        })
    }
}

impl Drop for Recorder {
    fn drop(&mut self) {
        if self.is_held {
            self.journal.release(&self.lease);
        }
    }
}

/// Writes a record, whose keys are texts, so that this cannot fail.
fn to_text(record: &impl Serialize) -> String {
    serde_json::to_string(record).unwrap_or_default()
}

/// The nesting depth from which a JSON text is not read.
const TOO_DEEP: usize = 128;

/// Returns the reason for which a record could not be read after a crash, such as the result of a tool that is nested very
/// deep.
fn problem_of_reading(json: &[u8]) -> Option<String> {
    if has_more_values_than(json, MAX_VALUES) {
        return Some(format!("has {}", too_many_values(MAX_VALUES)));
    }
    let (mut depth, mut bytes) = (0_usize, json.iter());
    while let Some(byte) = bytes.next() {
        match byte {
            b'[' | b'{' => depth += 1,
            b']' | b'}' => depth = depth.saturating_sub(1),
            b'"' => {
                while let Some(byte) = bytes.next() {
                    match byte {
                        b'"' => break,
                        b'\\' => _ = bytes.next(),
                        _ => {}
                    }
                }
            }
            _ => {}
        }
        if depth >= TOO_DEEP {
            return Some(format!("has {TOO_DEEP} lists or objects within each other"));
        }
    }
    None
}

/// The error of a run that another process drives.
pub fn held_elsewhere(run: &str) -> Error {
    let text = format!("the run `{run}` is driven by another task or process");
    Error::new(ErrorKind::Journal, text)
}

/// The error of a journal that cannot be read.
pub fn not_read(error: StoreError) -> Error {
    Error::new(ErrorKind::Journal, "the journal cannot be read").with_source(error)
}

/// The error of messages that cannot be added to a stored conversation.
pub fn not_stored(conversation: &ConversationName, error: StoreError) -> Error {
    let text = format!("the messages cannot be added to the conversation `{conversation}`");
    Error::new(ErrorKind::Journal, text).with_source(error)
}
