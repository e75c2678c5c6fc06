//! The loop around a [`Run`]: it does the I/O that the run asks for, and decides nothing.

mod ask;
mod audience;
mod batch;
mod guard;
mod hooked;
mod race;
mod reports;
mod span_content;
pub(crate) mod spans;

pub(crate) use audience::{Audience, EventQueue, Observer};
pub(crate) use guard::HistoryGuard;
pub(crate) use hooked::Hooks;
pub(crate) use race::{Stop, Watch, race};

use crate::approval::{Approver, MAX_EDITS, NOBODY, never_right};
use crate::cancel::Cancellation;
use crate::error::Error;
use crate::hook::RunContext;
use crate::library::BoundTools;
use crate::run::{Decision, PendingCall, Run, RunOutcome, Step};
use crate::runtime::Shared;
use crate::trace::Operation;

/// What a run is driven with.
pub(crate) struct Driver<'a, 'o> {
    pub(crate) shared: &'a Shared,
    pub(crate) tools: &'a BoundTools,
    pub(crate) audience: Audience<'o>,
    /// Whether models are asked for their answers in parts.
    pub(crate) streaming: bool,
    /// The values of this run that hooks and tools see.
    pub(crate) context: &'a RunContext,
    /// What stops the run between two steps; during one, [`race`] does.
    pub(crate) watch: Watch,
    /// Given when the run is dropped or cancelled.
    pub(crate) cancellation: Cancellation,
    /// Whether to return when a person must decide and there is no approver, rather than deny.
    pub(crate) may_pause: bool,
}

impl Driver<'_, '_> {
    /// Drives a run to its end, or to where a person must decide.
    pub(crate) async fn drive(&mut self, run: &mut Run) -> Result<RunOutcome, Error> {
        loop {
            // Steps that are ready at once would otherwise keep others on this thread from giving
            // the signal, and nobody would look for it.
            tokio::task::coop::consume_budget().await;
            if let Some(stop) = self.watch.due() {
                // A run that has ended keeps what it came to.
                stop.end(run);
            }
            match run.next()? {
                Step::CallModel(request) => self.call_model(run, request).await?,
                Step::CallTools(calls) => self.call_tools(run, calls).await?,
                Step::AwaitApproval(calls) => {
                    if self.may_pause && self.shared.approver.is_none() {
                        return Ok(RunOutcome::AwaitingApproval(calls));
                    }
                    self.ask(run, calls).await?;
                }
                Step::Done(response) => return Ok(RunOutcome::Done(response)),
            }
            self.audience.tell_invocations(run);
        }
    }

    /// Asks about one call after the other: a person can only answer one question at a time. A
    /// decision may settle further calls, when a tool's attempts are used up meanwhile; those are
    /// not asked about.
    async fn ask(&mut self, run: &mut Run, calls: Vec<PendingCall>) -> Result<(), Error> {
        for call in calls {
            if self.watch.due().is_some() {
                break;
            }
            if !run.awaits_decision(&call.id) {
                continue;
            }
            match &self.shared.approver {
                Some(approver) => ask_about(&**approver, run, call).await?,
                None => run.approve(&call.id, deny(NOBODY))?,
            }
        }
        Ok(())
    }
}

/// Asks about a call, and again when it is edited into one that its tool cannot be given.
async fn ask_about(
    approver: &dyn Approver,
    run: &mut Run,
    mut call: PendingCall,
) -> Result<(), Error> {
    for _ in 0..MAX_EDITS {
        let decision = approver.decide(&call).await;
        let was_edited = matches!(decision, Decision::Edit { .. });
        match run.approve(&call.id, decision) {
            Err(error) if was_edited => call.refused_edit = Some(error.to_string()),
            settled => return settled,
        }
    }
    run.approve(&call.id, deny(&never_right()))
}

fn deny(reason: &str) -> Decision {
    Decision::Deny {
        reason: Some(reason.to_owned()),
    }
}

/// Writes into the run's span how it ended.
pub(crate) fn record_end(
    operation: &mut Operation<'_>,
    run: &Run,
    outcome: &Result<RunOutcome, Error>,
) {
    spans::record_run(operation, run, outcome.as_ref().err());
}
