//! The loop around a [`Run`]: it does the I/O that the run asks for, and decides nothing.

mod batch;
mod guard;
mod race;
mod reports;

pub(crate) use guard::HistoryGuard;
pub(crate) use race::{Watch, race};

use crate::approval::NOBODY;
use crate::cancel::Cancellation;
use crate::error::Error;
use crate::event::Event;
use crate::library::BoundTools;
use crate::model::ModelRequest;
use crate::run::{Decision, PendingCall, Run, Step};
use crate::runtime::{Progress, Shared};
use crate::trace;
use tracing::{Instrument, Span};

/// What watches a run.
pub(crate) type Observer<'a> = Option<&'a mut (dyn FnMut(&Event) + Send)>;

/// What a run is driven with.
pub(crate) struct Driver<'a, 'o> {
    pub(crate) shared: &'a Shared,
    pub(crate) tools: &'a BoundTools,
    pub(crate) observer: Observer<'o>,
    /// What stops the run between two steps; during one, [`race`] does.
    pub(crate) watch: Watch,
    /// Given when the run is dropped or cancelled.
    pub(crate) cancellation: Cancellation,
    /// Whether to return when a person must decide and there is no approver, rather than deny.
    pub(crate) may_pause: bool,
    /// How many of the run's invocations the observer has seen.
    pub(crate) reported: usize,
}

impl Driver<'_, '_> {
    /// Drives a run to its end, or to where a person must decide.
    pub(crate) async fn drive(&mut self, run: &mut Run) -> Result<Progress, Error> {
        loop {
            // Steps that are ready at once would otherwise keep others on this thread from giving
            // the signal, and nobody would look for it.
            tokio::task::yield_now().await;
            if let Some(stop) = self.watch.due() {
                // A run that has ended keeps what it came to.
                stop.end(run);
            }
            match run.next()? {
                Step::CallModel(request) => self.call_model(run, request).await?,
                Step::CallTools(calls) => self.call_tools(run, calls).await?,
                Step::AwaitApproval(calls) => {
                    if self.may_pause && self.shared.approver.is_none() {
                        return Ok(Progress::AwaitApproval(calls));
                    }
                    self.ask(run, calls).await?;
                }
                Step::Done(response) => return Ok(Progress::Done(response)),
            }
            self.report_invocations(run);
        }
    }

    async fn call_model(&mut self, run: &mut Run, request: ModelRequest) -> Result<(), Error> {
        self.report(&Event::ModelCalled {
            model: request.model.clone(),
        });
        let own = request.model.provider() == run.agent().model().provider();
        let model = match self.shared.providers.model(request.model.provider(), own) {
            Ok(model) => model,
            Err(error) => return run.model_failed(error),
        };
        let span = trace::chat(&request, model.trace_name());
        let limit = self.shared.model_timeout;
        let answer = tokio::time::timeout(limit, model.chat(&request))
            .instrument(span.clone())
            .await
            .unwrap_or_else(|_| {
                let model = &request.model;
                let text = format!("`{model}` did not answer within {limit:?}");
                Err(Error::llm(text).into_unavailable())
            });
        match answer {
            Ok(reply) => {
                trace::record_reply(&span, &reply);
                self.report(&Event::ModelReplied {
                    content: reply.content.clone(),
                    calls: reply.tool_calls.len(),
                    usage: reply.usage,
                });
                run.model_replied(reply)
            }
            Err(error) => {
                trace::record_failure(&span, &error);
                run.model_failed(error)
            }
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
            let decision = match &self.shared.approver {
                Some(approver) => approver.decide(&call).await,
                None => Decision::Deny {
                    reason: Some(NOBODY.to_owned()),
                },
            };
            run.approve(&call.id, decision)?;
        }
        Ok(())
    }

    fn report(&mut self, event: &Event) {
        if let Some(observer) = &mut self.observer {
            observer(event);
        }
    }

    /// Reports the calls that got their result since the last time.
    pub(crate) fn report_invocations(&mut self, run: &Run) {
        let all = run.invocations();
        for invocation in all.get(self.reported..).unwrap_or_default() {
            let invocation = invocation.clone();
            self.report(&Event::ToolFinished { invocation });
        }
        self.reported = all.len();
    }
}

/// Writes into the run's span how it ended.
pub(crate) fn record_end(span: &Span, run: &Run, outcome: &Result<Progress, Error>) {
    trace::record_total(span, &run.usage());
    if let Err(error) = outcome {
        trace::record_failure(span, error);
    }
}
