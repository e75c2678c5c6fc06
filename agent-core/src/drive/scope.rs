//! The values of a run while it is driven: of the first run, or of the run of an agent that was called.

use super::event_queue::Reporter;
use super::host::Host;
use super::shared::Shared;
use super::spans;
use crate::event::Event;
use crate::hook::RunContext;
use crate::run::{AgentRun, Place};
use crate::trace::Operation;
use agent_tool::__private::{AgentHost, Cause, ErrorKind};
use agent_tool::Error;
use agent_tool::redact::Redactor;
use agent_tool::tool::ToolError;
use serde_json::Value;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::Instant;

/// A run while it is driven.
pub(super) struct Scope {
    pub(super) shared: Arc<Shared>,
    /// The operations of an agent that was called: its run, and its call.
    operations: Option<(Operation<'static>, Operation<'static>)>,
    /// The value by which the body of a tool calls agents.
    pub(super) host: Arc<AgentHost>,
    pub(super) inherited: Arc<Host>,
    timer: Option<Timer>,
}

/// The time limit of an agent that was called. It does not run while a person decides.
struct Timer {
    limit: Duration,
    left: Duration,
    since: Instant,
}

impl Scope {
    /// Creates the scope of a run. `operations` are those of the run and the call of an agent, and `None` for the first
    /// run.
    pub(super) fn new(
        run: &AgentRun,
        place: &Place,
        context: RunContext,
        operations: Option<(Operation<'static>, Operation<'static>)>,
        limit: Option<Duration>,
        host: impl FnOnce(Arc<Shared>) -> Host,
    ) -> Self {
        let span = operations.as_ref().map(|(run, _)| run.span().clone());
        let shared = Arc::new(Shared::new(run, place, context, span));
        let inherited = Arc::new(host(Arc::clone(&shared)));
        Self {
            host: Arc::new(AgentHost {
                call: inherited.config.call_agent,
                data: Arc::clone(&inherited) as Arc<_>,
            }),
            inherited,
            shared,
            operations,
            timer: limit.map(|limit| Timer {
                limit,
                left: limit,
                since: Instant::now(),
            }),
        }
    }

    /// Runs `work` within the span of the run.
    pub(super) fn within<T>(&self, work: impl FnOnce() -> T) -> T {
        self.shared.within(work)
    }

    /// Records the end of the run of an agent, and the result of its call; the content of the result only with a
    /// redactor.
    pub(super) fn close(
        &mut self,
        run: &AgentRun,
        result: Option<&Result<Value, ToolError>>,
        redactor: Option<&Redactor>,
    ) {
        let Some((mut run_operation, mut call)) = self.operations.take() else {
            return;
        };
        spans::record_run(&mut run_operation, run, run.failure());
        if let Some(result) = result {
            spans::record_call(&mut call, result, redactor);
        }
    }

    /// The time at which the run is stopped.
    pub(super) fn deadline(&self) -> Option<Instant> {
        let timer = self.timer.as_ref()?;
        timer.since.checked_add(timer.left)
    }

    /// The error of a run that took too long.
    pub(super) fn late(&self) -> Option<Error> {
        let timer = self.timer.as_ref()?;
        (timer.since.elapsed() >= timer.left).then(|| {
            let limit = timer.limit;
            Error::new(
                ErrorKind::Limit,
                format!("the agent took longer than {limit:?}"),
            )
            .with_cause(Cause::Timeout)
        })
    }

    /// Stops the time while a person decides.
    pub(super) fn pause(&mut self) {
        if let Some(timer) = &mut self.timer {
            timer.left = timer.left.saturating_sub(timer.since.elapsed());
        }
    }

    /// Continues the time limit after a pause.
    pub(super) fn go_on(&mut self) {
        if let Some(timer) = &mut self.timer {
            timer.since = Instant::now();
        }
    }
}

/// Reports the events of one run.
#[derive(Clone)]
pub(super) struct RunReporter {
    pub(super) reporter: Reporter,
    pub(super) shared: Arc<Shared>,
}

impl RunReporter {
    /// Reports an event that must not be lost.
    pub(super) fn event(&self, event: Event) {
        let event = self.shared.event(event);
        self.reporter.send(event);
    }

    /// Reports the progress of a tool.
    pub(super) fn progress(&self, event: Event) {
        self.reporter.send_progress(self.shared.event(event));
    }
}
