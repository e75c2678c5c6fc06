//! Approval of calls by a person.

use crate::run::{Decision, PendingCall};
use std::pin::Pin;

/// The future of a decision.
pub type DecisionFuture<'a> = Pin<Box<dyn Future<Output = Decision> + Send + 'a>>;

#[doc = include_str!("docs/approval.md")]
pub trait Approver: Send + Sync + 'static {
    /// Decides on a call. The run waits for the decision, which counts against the time limit of the run. If the
    /// tool does not accept edited arguments, this is called again, with the reason in
    /// [`PendingCall::refused_edit`]. After [`MAX_EDITS`] such edits the call is denied.
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

/// The treatment of calls in doubt when there is no approver. A call is in doubt when the process that made
/// it died before its result was recorded, so that the tool may have acted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum OnDoubt {
    /// The run is paused, until a person has decided.
    #[default]
    Wait,
    /// The model gets the result of [`Decision::Unknown`], that it is unknown whether the call was made, and
    /// the run continues. A further call of the tool with equal arguments requires approval.
    TellModel,
}

/// The number of edits of a call after which it is denied, if the tool accepts none of them. A broken approver would
/// edit the call forever.
pub const MAX_EDITS: usize = 10;

/// The reason for which a call is denied without an approver.
pub const NO_APPROVER: &str = "this tool needs a person's approval, and nobody is there to give \
                                 it";

/// The reason for which a call is denied when the tool accepted none of its edits.
pub(crate) fn too_many_edits() -> String {
    format!("its arguments were edited {MAX_EDITS} times and were never right for the tool")
}
