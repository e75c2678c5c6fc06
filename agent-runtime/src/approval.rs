//! Asking a person before a call is made.

use crate::run::{Decision, PendingCall};
use std::pin::Pin;

/// A decision while somebody makes it.
pub type DecisionFuture<'a> = Pin<Box<dyn Future<Output = Decision> + Send + 'a>>;

/// Decides on calls of tools that require approval. Any async closure from [`PendingCall`] to
/// [`Decision`] is one.
pub trait Approver: Send + Sync + 'static {
    /// Decides on a call. The run waits for it; its own time limit goes on.
    fn decide<'a>(&'a self, call: &'a PendingCall) -> DecisionFuture<'a>;
}

impl<F, R> Approver for F
where
    F: Fn(PendingCall) -> R + Send + Sync + 'static,
    R: Future<Output = Decision> + Send + 'static,
{
    fn decide<'a>(&'a self, call: &'a PendingCall) -> DecisionFuture<'a> {
        Box::pin(self(call.clone()))
    }
}

/// What the model is told when there is nobody to ask.
pub(crate) const NOBODY: &str = "this tool needs a person's approval, and nobody is there to give \
                                 it";
