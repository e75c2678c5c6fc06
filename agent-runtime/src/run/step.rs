//! What a run wants done.

use crate::model::ModelRequest;
use crate::response::AgentResponse;
use serde_json::Value;

/// What a run wants done next.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Step {
    /// Send this to the model, then call [`Run::model_replied`](super::Run::model_replied) or
    /// [`Run::model_failed`](super::Run::model_failed).
    CallModel(ModelRequest),
    /// Make these calls, all at the same time if possible, and give each result to
    /// [`Run::tool_finished`](super::Run::tool_finished), in any order.
    CallTools(Vec<PendingCall>),
    /// Ask a person about these calls, and give each decision to
    /// [`Run::approve`](super::Run::approve).
    AwaitApproval(Vec<PendingCall>),
    /// The run has ended with this answer.
    Done(AgentResponse),
}

/// A call that waits to be made, or to be approved.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct PendingCall {
    /// The id of the call.
    pub id: String,
    /// The name of the tool, which is one of the agent's.
    pub tool: String,
    /// The validated arguments: JSON text of an object.
    pub arguments: String,
    /// Why the edit that was last decided on was not taken, when an [`Approver`](crate::Approver)
    /// is asked again.
    pub refused_edit: Option<String>,
}

impl PendingCall {
    /// The arguments as a value.
    #[must_use]
    pub fn args(&self) -> Value {
        serde_json::from_str(&self.arguments).unwrap_or_default()
    }
}

/// What a person decides about a call.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Decision {
    /// Make the call.
    Approve,
    /// Do not make it; the model is told so.
    Deny {
        /// Why, for the model.
        reason: Option<String>,
    },
    /// Make it with other arguments. They are validated like those of the model, and must be arguments
    /// that the tool has, where others of a model are left out; when they are not right, the call goes
    /// on waiting.
    Edit {
        /// The arguments: an object.
        args: Value,
    },
}
