//! Driving a run from one step to the next.

use crate::journal::Invocation;
use crate::object::conversation_name;
use crate::step::{Outcome, Snapshot, Step, with_causes};
use agent_runtime::run::{Decision, RunOutcome};
use agent_runtime::runtime::{DriveOptions, Input};
use agent_runtime::{
    Agent, AgentResponse, Cancellation, Conversation, Error, Runtime, ToolLibrary,
};
use restate_sdk::errors::HandlerResult;
use std::future::poll_fn;
use std::pin::Pin;
use std::sync::Arc;
use std::task::Poll;

/// An agent, and what its runs need.
pub(crate) struct Served {
    pub(crate) runtime: Runtime,
    pub(crate) agent: Agent,
    pub(crate) library: ToolLibrary,
}

/// A run, as far as this attempt of the invocation drives it.
pub(crate) struct Session {
    served: Arc<Served>,
    /// The key of the object.
    conversation_id: String,
    input: Input,
    history: Conversation,
    cancellation: Cancellation,
    /// The decisions on the calls that waited.
    decisions: Vec<(String, Decision)>,
    /// The run that is driven; `None` before the first step of this attempt that the engine does not have yet, and while
    /// the run waits for a person.
    driven: Option<Driven>,
}

struct Driven {
    invocation: Arc<Invocation>,
    work: Pin<Box<dyn Future<Output = Ended> + Send>>,
}

/// The end of a drive of the run.
enum Ended {
    Outcome(Outcome),
    /// No model could be asked, for this reason. The step is tried again.
    Unavailable(String),
}

impl Session {
    pub(crate) fn new(
        served: Arc<Served>,
        conversation_id: &str,
        input: Input,
        history: Conversation,
    ) -> Self {
        Self {
            served,
            conversation_id: conversation_id.to_owned(),
            input,
            history,
            cancellation: Cancellation::new(),
            decisions: Vec::new(),
            driven: None,
        }
    }

    /// Lets the next step end the run as cancelled.
    pub(crate) fn cancel(&self) {
        self.cancellation.cancel();
    }

    /// Gives the decisions on the calls that waited to the next step.
    pub(crate) fn decide(&mut self, decisions: Vec<(String, Decision)>) {
        self.decisions = decisions;
    }

    /// Drives the run until it has a commit for the engine, or stops. `stored` are the records that the engine has, and
    /// those of the step before are among them.
    ///
    /// # Errors
    /// A retryable error when no model could be asked.
    pub(crate) async fn next(&mut self, stored: Snapshot) -> HandlerResult<Step> {
        let mut driven = match self.driven.take() {
            Some(driven) => driven,
            None => self.drive(stored),
        };
        driven.invocation.keep();
        let mut last = None;
        loop {
            let (invocation, work) = (&driven.invocation, &mut driven.work);
            let ended = poll_fn(|context| {
                let ended = work.as_mut().poll(context);
                // The run puts its commit there while it is polled.
                match (ended, invocation.waiting_commit()) {
                    (Poll::Ready(ended), _) => Poll::Ready(Err(ended)),
                    (Poll::Pending, Some(commit)) => Poll::Ready(Ok(commit)),
                    (Poll::Pending, None) => Poll::Pending,
                }
            })
            .await;
            match ended {
                Ok(commit) if !commit.is_running() => {
                    // Nothing of the run comes after it but its outcome, which belongs to the same step.
                    driven.invocation.keep();
                    last = Some(commit);
                }
                Ok(commit) => {
                    self.driven = Some(driven);
                    return Ok(Step {
                        commit: Some(commit),
                        outcome: None,
                    });
                }
                Err(Ended::Outcome(outcome)) => {
                    return Ok(Step {
                        commit: last,
                        outcome: Some(outcome),
                    });
                }
                Err(Ended::Unavailable(text)) => return Err(text.into()),
            }
        }
    }

    /// Begins the run, or continues it after its last record.
    fn drive(&mut self, stored: Snapshot) -> Driven {
        let served = Arc::clone(&self.served);
        let run = stored.run().to_owned();
        let is_new = stored.is_empty();
        let history = std::mem::take(&mut self.history);
        let invocation = Invocation::new(history, (!is_new).then_some(stored));
        let (input, decisions) = (self.input.clone(), std::mem::take(&mut self.decisions));
        let (id, cancellation) = (self.conversation_id.clone(), self.cancellation.clone());
        let work = async move {
            match is_new {
                true => begin(&served, input, id, cancellation).await,
                false => go_on(&served, &run, decisions, id, cancellation).await,
            }
        };
        Driven {
            work: Box::pin(invocation.scope(work)),
            invocation,
        }
    }
}

async fn begin(
    served: &Served,
    input: Input,
    conversation_id: String,
    cancellation: Cancellation,
) -> Ended {
    let run = served.runtime.run(&served.agent, input);
    let run = run.tools(&served.library).stored_as(conversation_name());
    let run = run
        .conversation_id(conversation_id)
        .cancellation(cancellation);
    ended(run.await)
}

async fn go_on(
    served: &Served,
    run: &str,
    decisions: Vec<(String, Decision)>,
    conversation_id: String,
    cancellation: Cancellation,
) -> Ended {
    let options = DriveOptions::new()
        .conversation_id(conversation_id)
        .cancellation(cancellation);
    let recovered = served
        .runtime
        .recover_run_with(run, &served.library, decisions, options);
    match recovered.await {
        // The journal is as it was.
        Err(error) if error.is_validation() => {
            Ended::Outcome(Outcome::Refused(with_causes(&error)))
        }
        Err(error) => ended(Err(error)),
        Ok(recovered) => match recovered.outcome {
            Ok(RunOutcome::Done(response)) => ended(Ok(response)),
            Ok(RunOutcome::AwaitingApproval(calls)) => Ended::Outcome(Outcome::waiting(&calls)),
            Ok(_) => Ended::Outcome(Outcome::Refused(
                "the run has an unknown outcome".to_owned(),
            )),
            Err(error) => ended(Err(error)),
        },
    }
}

fn ended(outcome: Result<AgentResponse, Error>) -> Ended {
    match outcome {
        Ok(response) => Ended::Outcome(Outcome::done(&response)),
        Err(error) => match error.awaiting_approval() {
            Some(paused) => Ended::Outcome(Outcome::waiting(&paused.calls)),
            // A journal error means that the worker cannot take the run: the records are as they were.
            None if error.is_unavailable() || error.is_journal() || error.is_tool() => {
                Ended::Unavailable(with_causes(&error))
            }
            None => Ended::Outcome(Outcome::failed(&error)),
        },
    }
}
