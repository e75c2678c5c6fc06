//! The values that all requests and calls of a run share.

use crate::event::Event;
use crate::hook::RunContext;
use crate::model::request_digests::RequestDigests;
use crate::run::{AgentRun, Place};
use agent_tool::library::BoundTools;
use std::sync::Mutex;
use tracing::Span;

/// The values of a run that its requests and calls need.
pub(super) struct Shared {
    pub(super) place: Place,
    pub(super) context: RunContext,
    pub(super) tools: BoundTools,
    /// The digests of its requests, if they are recorded.
    pub(super) digests: Mutex<Option<RequestDigests>>,
    /// The span of the run; `None` for the first run, in whose span everything happens.
    span: Option<Span>,
}

impl Shared {
    pub(super) fn new(
        run: &AgentRun,
        place: &Place,
        context: RunContext,
        span: Option<Span>,
    ) -> Self {
        Self {
            place: place.clone(),
            context,
            tools: run.tools().clone(),
            digests: Mutex::new(None),
            span,
        }
    }

    pub(super) fn is_first(&self) -> bool {
        self.span.is_none()
    }

    pub(super) fn span(&self) -> Option<&Span> {
        self.span.as_ref()
    }

    /// Runs `work` within the span of the run.
    pub(super) fn within<T>(&self, work: impl FnOnce() -> T) -> T {
        match &self.span {
            Some(span) => span.in_scope(work),
            None => work(),
        }
    }

    /// Returns an event of this run as the observers of the first run get it.
    pub(super) fn event(&self, event: Event) -> Event {
        match self.is_first() {
            true => event,
            false => event.nested(&self.place.path, &self.place.run),
        }
    }
}
