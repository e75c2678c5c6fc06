//! Asking a person before a call is made.

use crate::run::{Decision, PendingCall};
use std::pin::Pin;

/// A decision while somebody makes it.
pub type DecisionFuture<'a> = Pin<Box<dyn Future<Output = Decision> + Send + 'a>>;

#[doc = include_str!("docs/approval.md")]
pub trait Approver: Send + Sync + 'static {
    /// Decides on a call. The run waits for it; its own time limit goes on. When edited arguments
    /// are not right for the tool, it is asked again, with [`PendingCall::refused_edit`] saying
    /// why; a call whose edits are never right is denied after [`MAX_EDITS`] of them.
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

/// How many edits of a call are refused before the call is denied.
pub const MAX_EDITS: usize = 10;

/// What the model is told when there is nobody to ask.
pub(crate) const NOBODY: &str = "this tool needs a person's approval, and nobody is there to give \
                                 it";

/// What the model is told when whoever is asked never edits a call into a right one.
pub(crate) fn never_right() -> String {
    format!("its arguments were edited {MAX_EDITS} times and were never right for the tool")
}
