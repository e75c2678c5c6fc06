//! What is different about one execution.

use crate::cancel::Cancellation;
use crate::drive::{EventQueue, Observer};
use crate::event::Event;
use crate::run::UsageLimits;
use std::collections::BTreeMap;
use std::fmt;

/// What is different about one execution.
#[derive(Default)]
#[must_use]
pub struct ExecuteOptions<'a> {
    pub(crate) observer: Observer<'a>,
    pub(super) queue: Option<EventQueue>,
    pub(super) streaming: bool,
    pub(crate) cancellation: Cancellation,
    pub(super) variables: BTreeMap<String, String>,
    pub(super) usage_limits: Option<UsageLimits>,
    pub(super) conversation_id: Option<String>,
}

impl<'a> ExecuteOptions<'a> {
    /// Nothing is different.
    pub fn new() -> Self {
        Self::default()
    }

    /// Tells a callback what happens, as it happens. It is called on the run's own task and should
    /// return at once.
    pub fn observer(mut self, observer: &'a mut (dyn FnMut(&Event) + Send)) -> Self {
        self.observer = Some(observer);
        self
    }

    /// Asks models for their answers in parts, and tells the observer of each part.
    pub fn streaming(mut self) -> Self {
        self.streaming = true;
        self
    }

    /// Ends the run when this signal is given. What was done stays in the conversation.
    pub fn cancellation(mut self, cancellation: Cancellation) -> Self {
        self.cancellation = cancellation;
        self
    }

    /// What this run may use up, in place of the runtime's limits.
    pub fn usage_limits(mut self, limits: UsageLimits) -> Self {
        self.usage_limits = Some(limits);
        self
    }

    /// What traces call the conversation, by which they can find all its runs.
    pub fn conversation_id(mut self, id: impl Into<String>) -> Self {
        self.conversation_id = Some(id.into());
        self
    }

    /// A value for `{{name}}` in the instruction; it beats the runtime's.
    pub fn variable(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.variables.insert(name.into(), value.into());
        self
    }
}

impl fmt::Debug for ExecuteOptions<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("ExecuteOptions")
            .field("observed", &self.observer.is_some())
            .field("streaming", &self.streaming)
            .field("cancellation", &self.cancellation)
            .finish_non_exhaustive()
    }
}
