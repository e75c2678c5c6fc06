//! Driving a run from one step to the next.

use crate::bounds::{RESPONSE_BYTES, too_large};
use crate::cut::cut_calls;
use crate::journal::Invocation;
use crate::media::{MediaStore, Text, escaped_len};
use crate::progress;
use crate::step::{Commit, Outcome, Records, Step, conversation_name};
use agent_runtime::__private::with_causes;
use agent_runtime::conversation::StoreError;
use agent_runtime::run::{AwaitingApproval, Decision, RunOutcome};
use agent_runtime::runtime::{Input, OnDrop};
use agent_runtime::{
    Agent, AgentResponse, Cancellation, Conversation, Error, Runtime, ToolLibrary,
};
use serde_json::Value;
use std::future::poll_fn;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

/// The time after which a step without a commit ends, so that the handler notices a cancellation, and the
/// engine notices that the worker is alive.
const STEP_TIME: Duration = Duration::from_secs(5);

/// An agent, and what its runs need.
pub(crate) struct Served {
    pub(crate) runtime: Runtime,
    pub(crate) agent: Agent,
    pub(crate) library: ToolLibrary,
    pub(crate) media: Option<Arc<dyn MediaStore>>,
}

impl Served {
    /// Returns the outcome with a response. Arguments and results of its calls are cut if it is too large with them.
    ///
    /// # Errors
    /// When the store of media cannot be written.
    async fn done(&self, mut response: Value) -> Result<Outcome, String> {
        let is_large = |text: &str| escaped_len(text) > RESPONSE_BYTES;
        // A person's decision may have a key that no reply may have.
        let redacted = |response: &Value| {
            let text = response.to_string();
            self.runtime.redactor().text(&text)
        };
        let mut text = redacted(&response);
        if is_large(&text) {
            cut_calls(&mut response);
            text = redacted(&response);
        }
        if is_large(&text) {
            let text = too_large("the response", escaped_len(&text), RESPONSE_BYTES);
            let kind = "tooLarge".to_owned();
            return Ok(Outcome::Failed { kind, text });
        }
        let text = Text::keep(text, self.media.as_deref()).await;
        let text = text.map_err(|error| with_causes(&error))?;
        Ok(Outcome::Done(text))
    }
}

/// A run, as far as this attempt of the invocation drives it.
pub(crate) struct Session {
    served: Arc<Served>,
    /// The key of the object.
    conversation_id: String,
    /// The id of the invocation, for errors.
    invocation: String,
    input: Input,
    history: Arc<Conversation>,
    cancellation: Cancellation,
    /// The records that the engine has.
    records: Records,
    /// The last step and its JSON, until the handler got it from the engine. The handler does not get a step during which
    /// the invocation was cancelled, and the next step has its records, too.
    unkept: Option<(Step, Vec<u8>)>,
    /// The decisions on the calls that waited.
    decisions: Vec<(String, Decision)>,
    /// The run that is driven; `None` before the first step of this attempt that the engine does not have yet, and while
    /// the run waits for a person.
    driven: Option<Driven>,
}

/// A step that the engine has.
#[derive(Default)]
pub(crate) struct Kept {
    pub(crate) events: Vec<progress::Event>,
    /// The messages that the run adds to the conversation.
    pub(crate) messages: Option<Text>,
    pub(crate) outcome: Option<Outcome>,
}

struct Driven {
    invocation: Arc<Invocation>,
    work: Pin<Box<dyn Future<Output = Result<Drive, Error>> + Send>>,
}

/// The way in which a drive of the run ended.
enum Drive {
    Done(AgentResponse),
    Stopped(Outcome),
}

/// The first event while a run is driven.
enum Event {
    Ended(Result<Drive, Error>),
    Committed(Commit),
    TimeIsUp,
}

impl Session {
    pub(crate) fn new(
        served: Arc<Served>,
        conversation_id: &str,
        invocation: &str,
        input: Input,
        history: Arc<Conversation>,
    ) -> Self {
        Self {
            served,
            conversation_id: conversation_id.to_owned(),
            invocation: invocation.to_owned(),
            input,
            history,
            cancellation: Cancellation::new(),
            records: Records::default(),
            unkept: None,
            decisions: Vec::new(),
            driven: None,
        }
    }

    /// Returns the name of the next step.
    pub(crate) fn next_step(&self) -> String {
        self.records.next_step()
    }

    /// Lets the next step end the run as cancelled.
    pub(crate) fn cancel(&self) {
        self.cancellation.cancel();
    }

    /// Gives the decisions on the calls that waited to the next step.
    pub(crate) fn decide(&mut self, decisions: Vec<(String, Decision)>) {
        self.decisions = decisions;
    }

    /// Records a step that the engine has, and returns its parts.
    ///
    /// # Errors
    /// When another version of this crate wrote the step.
    pub(crate) fn keep(&mut self, json: &[u8]) -> Result<Kept, StoreError> {
        let step = match self.unkept.take() {
            Some((step, unkept)) if unkept == json => step,
            _ => Step::read(json)?,
        };
        let mut kept = Kept {
            outcome: step.outcome,
            ..Kept::default()
        };
        if let Some(mut commit) = step.commit {
            kept.messages = commit.messages.take();
            kept.events = self.records.add(commit);
            // The decisions are among the records now.
            self.decisions.clear();
        }
        Ok(kept)
    }

    /// Drives the run until it has a commit for the engine, or stops, or the time of a step is over. Returns
    /// the step as JSON.
    ///
    /// # Errors
    /// The reason for which the step must be tried again.
    pub(crate) async fn next(&mut self) -> Result<Vec<u8>, String> {
        let redactor = self.served.runtime.redactor().clone();
        let step = self.step().await;
        let mut step = step.map_err(|text| redactor.text(&text))?;
        if let Some(Outcome::Failed { text, .. } | Outcome::Refused(text)) = &mut step.outcome {
            *text = redactor.text(text);
        }
        let json = step.write().map_err(|error| error.to_string())?;
        self.unkept = Some((step, json.clone()));
        Ok(json)
    }

    async fn step(&mut self) -> Result<Step, String> {
        // The run has stopped, and the handler did not get that step.
        if let Some((step, _)) = &mut self.unkept
            && let Some(outcome) = &step.outcome
        {
            let asks = matches!(outcome, Outcome::Waiting(_) | Outcome::Refused(_));
            // Nobody is asked: the step after this one ends the run.
            if asks && self.cancellation.is_cancelled() {
                step.outcome = None;
            }
            return Ok(step.clone());
        }
        let earlier = self.unkept.take().and_then(|(step, _)| step.commit);
        let mut driven = match self.driven.take() {
            Some(driven) => driven,
            None => {
                let driven = self.drive().await;
                driven.map_err(|error| self.stuck(&with_causes(&error)))?
            }
        };
        driven.invocation.keep();
        let is_begun = !self.records.is_empty() || earlier.is_some();
        let mut last: Option<Commit> = None;
        let mut step_timer = pin!(tokio::time::sleep(STEP_TIME));
        loop {
            let (invocation, work) = (&driven.invocation, &mut driven.work);
            let event = poll_fn(|context| {
                if let Poll::Ready(ended) = work.as_mut().poll(context) {
                    return Poll::Ready(Event::Ended(ended));
                }
                // The run stores its commit in the invocation while it is polled.
                if let Some(commit) = invocation.take_commit() {
                    return Poll::Ready(Event::Committed(commit));
                }
                let is_late = step_timer.as_mut().poll(context).is_ready();
                match is_late {
                    true => Poll::Ready(Event::TimeIsUp),
                    false => Poll::Pending,
                }
            })
            .await;
            match event {
                Event::Committed(commit) if !commit.is_running() => {
                    // Only the outcome of the run follows this commit, and it belongs to the same step.
                    driven.invocation.keep();
                    last = Some(commit);
                }
                Event::Committed(commit) => {
                    self.driven = Some(driven);
                    return Ok(Step::new(Some(commit.after(earlier)), None));
                }
                Event::TimeIsUp if last.is_none() => {
                    self.driven = Some(driven);
                    return Ok(Step::new(earlier, None));
                }
                Event::TimeIsUp => {}
                Event::Ended(ended) => {
                    let refused = driven.invocation.refused();
                    let ended = match refused {
                        Some(text) if ended.is_err() => Err(Outcome::Failed {
                            kind: "tooLarge".to_owned(),
                            text,
                        }),
                        _ => self.classified(ended, is_begun, last.as_ref())?,
                    };
                    let outcome = match ended {
                        Ok(response) => self.served.done(response.to_json()).await?,
                        Err(outcome) => outcome,
                    };
                    let commit = match last {
                        Some(commit) => Some(commit.after(earlier)),
                        None => earlier,
                    };
                    return Ok(Step::new(commit, Some(outcome)));
                }
            }
        }
    }

    /// Returns the response of a drive that ended with a response, and otherwise the outcome of the message.
    ///
    /// # Errors
    /// The reason for which the step must be tried again.
    fn classified(
        &self,
        ended: Result<Drive, Error>,
        is_begun: bool,
        last: Option<&Commit>,
    ) -> Result<Result<AgentResponse, Outcome>, String> {
        let error = match ended {
            Ok(Drive::Done(response)) => return Ok(Ok(response)),
            Ok(Drive::Stopped(outcome)) => return Ok(Err(outcome)),
            Err(error) => error,
        };
        if let Some(paused) = AwaitingApproval::of(&error) {
            return Ok(Err(Outcome::waiting(&paused.calls)));
        }
        if error.is_unavailable() {
            return Err(with_causes(&error));
        }
        let is_over = last.is_some_and(Commit::is_over);
        let is_begun = is_begun || last.is_some();
        match is_over || !is_begun && !error.is_journal() {
            true => Ok(Err(Outcome::failed(&error))),
            // The records are as they were: another worker may continue the run.
            false => Err(self.stuck(&with_causes(&error))),
        }
    }

    /// The error of a run that this worker cannot continue.
    fn stuck(&self, reason: &str) -> String {
        format!(
            "this worker cannot continue the run: {reason}. Nothing is lost: deploy a worker that can, and let it continue \
             with `restate invocations pause {0}` and `restate invocations resume {0} --deployment latest`",
            self.invocation
        )
    }

    /// Begins the run, or continues it after its last record.
    async fn drive(&mut self) -> Result<Driven, StoreError> {
        let served = Arc::clone(&self.served);
        let stored = self.records.to_stored(served.media.as_deref()).await?;
        let run = stored.as_ref().map(|stored| stored.info.run.clone());
        let history = Arc::clone(&self.history);
        let invocation = Invocation::new(history, served.media.clone(), stored);
        let input = self.input.clone();
        let decisions = std::mem::take(&mut self.decisions);
        let (id, cancellation) = (self.conversation_id.clone(), self.cancellation.clone());
        let work = async move {
            match run {
                None => begin(&served, input, id, cancellation).await,
                Some(run) => go_on(&served, &run, decisions, id, cancellation).await,
            }
        };
        Ok(Driven {
            work: Box::pin(invocation.scope(work)),
            invocation,
        })
    }
}

async fn begin(
    served: &Served,
    input: Input,
    conversation_id: String,
    cancellation: Cancellation,
) -> Result<Drive, Error> {
    let run = served.runtime.run(&served.agent, input);
    let run = run.tools(&served.library).stored_as(conversation_name());
    let run = run
        .conversation_id(conversation_id)
        .cancellation(cancellation)
        .on_drop(OnDrop::LEAVE);
    run.await.map(Drive::Done)
}

async fn go_on(
    served: &Served,
    run: &str,
    decisions: Vec<(String, Decision)>,
    conversation_id: String,
    cancellation: Cancellation,
) -> Result<Drive, Error> {
    let recovered = served
        .runtime
        .recover_run(run)
        .tools(&served.library)
        .decisions(decisions)
        .conversation_id(conversation_id)
        .cancellation(cancellation)
        .on_drop(OnDrop::LEAVE);
    let recovered = match recovered.await {
        // The journal is unchanged.
        Err(error) if error.is_validation() => {
            return Ok(Drive::Stopped(Outcome::Refused(with_causes(&error))));
        }
        recovered => recovered?,
    };
    Ok(match recovered.outcome? {
        RunOutcome::Done(response) => Drive::Done(response),
        RunOutcome::AwaitingApproval(calls) => Drive::Stopped(Outcome::waiting(&calls)),
    })
}
