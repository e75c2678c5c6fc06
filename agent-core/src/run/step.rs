//! The steps of a run, for the driver that does them.

use super::Run;
use super::guarded::Guarded;
use super::saved::form;
use crate::conversation::ReadError;
use crate::model::ModelRequest;
use crate::response::AgentResponse;
use agent_spec::json::parse_json;
use agent_tool::__private::{ErrorKind, shortened};
use agent_tool::Error;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::fmt;

/// The next step of a run, which its driver does.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Step {
    /// Send this request to the model, then call [`Run::model_replied`](super::Run::model_replied) or
    /// [`Run::model_failed`](super::Run::model_failed).
    CallModel(ModelRequest),
    /// Send this request to the model, then call the same methods as for [`CallModel`](Self::CallModel). The answer
    /// is a summary of the beginning of the conversation, and no part of the run's answer.
    Summarise(ModelRequest),
    /// Make these calls, all at the same time if possible, and give each result to
    /// [`Run::tool_finished`](super::Run::tool_finished), in any order.
    CallTools(Vec<PendingCall>),
    /// Ask a person about these calls, and give each decision to
    /// [`Run::approve`](super::Run::approve). Agents that the run called wait, too.
    AwaitApproval(Vec<PendingCall>),
    /// Do these steps at the same time if possible: those of agents that the run called, and calls of its own. Each is
    /// a request or calls. When one of them has its outcome, [`Run::next`](super::Run::next) returns the steps that are
    /// open then.
    Parallel(Vec<NestedStep>),
    /// The run has ended with this answer.
    Done(AgentResponse),
}

/// A step of a run, or of an agent that it called, itself or through others.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct NestedStep {
    /// The ids of the calls that lead to the run of the step, joined by `/`, such as `call_3/call_1`. Empty for the run
    /// itself. [`Run::nested_model_replied`] and [`Run::nested_model_failed`] accept these ids.
    pub run: String,
    /// The names of the agents that lead there, joined by `/`, such as `support/billing`.
    pub path: String,
    /// The step: [`CallModel`](Step::CallModel), [`Summarise`](Step::Summarise) or [`CallTools`](Step::CallTools).
    pub step: Step,
}

/// The state in which a run is left: see `Runtime::resume`.
#[derive(Clone, Debug, PartialEq)]
pub enum RunOutcome {
    /// The run has ended with this response.
    Done(AgentResponse),
    /// A person must decide on these calls: give each decision to [`Run::approve`](super::Run::approve),
    /// then resume the run. The run can be saved in between.
    AwaitingApproval(Vec<PendingCall>),
}

/// A run that pauses for a person's approval, held by an [`Error`] with
/// [`is_awaiting_approval`](Error::is_awaiting_approval).
///
/// Give each decision to [`Run::approve`], then resume the run, in this process or, after [`Run::to_json`], in
/// another.
///
/// ```
/// use agent_runtime::conversation::ToolCall;
/// use agent_runtime::model::{ModelReply, Scripted};
/// use agent_runtime::run::{AwaitingApproval, Decision, RunOutcome};
/// use agent_runtime::{Error, Runtime, agent, tool, tools};
///
/// /// Deletes a file
/// #[tool(requires_approval)]
/// fn delete(path: &str) -> String {
///     format!("{path} is deleted")
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Error> {
/// let agent = agent! {
///     tools: [delete],
///     [keeper:Agent {instruction: "Tidy up.", model: "Scripted/any"} | delete]
/// };
/// let model = Scripted::new([
///     ModelReply::calls([ToolCall::new("1", "delete", r#"{"path": "a.txt"}"#)]),
///     ModelReply::text("Done."),
/// ]);
/// let (runtime, library) = (Runtime::with_model(model), tools![delete]);
/// let error = runtime.run(&agent, "Delete a.txt").tools(&library).await.unwrap_err();
/// let paused = AwaitingApproval::of(&error).expect("the tool requires approval");
/// assert_eq!(paused.calls[0].tool, "delete");
///
/// let mut run = paused.run.clone();
/// run.approve(&paused.calls[0].id, Decision::Approve)?;
/// let RunOutcome::Done(response) = runtime.resume(&mut run).tools(&library).await? else {
///     panic!("no further call needs approval");
/// };
/// assert_eq!(response.content, "Done.");
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct AwaitingApproval {
    /// The run.
    pub run: Run,
    /// The calls that wait for a decision.
    pub calls: Vec<PendingCall>,
}

impl fmt::Display for AwaitingApproval {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "calls that wait: {}", waiting_calls(&self.calls))
    }
}

/// The maximum number of calls that an error names, because a model can make hundreds.
const MAX_NAMED: usize = 10;

/// The maximum length of the id and of the path of a call in an error, because a server can send an id of any length.
const MAX_ID: usize = 200;

/// Names the calls that wait for a person, for errors.
pub(super) fn waiting_calls(calls: &[PendingCall]) -> String {
    let named: Vec<String> = calls.iter().take(MAX_NAMED).map(named).collect();
    let named = named.join(", ");
    match calls.len().saturating_sub(MAX_NAMED) {
        0 => named,
        more => format!("{named} and {more} more"),
    }
}

/// Names a call for errors. Its id is the text of a provider.
fn named(call: &PendingCall) -> String {
    let (id, path) = (shortened(&call.id, MAX_ID), shortened(&call.path, MAX_ID));
    format!("`{id}` of `{path}`")
}

impl std::error::Error for AwaitingApproval {}

impl From<AwaitingApproval> for Error {
    fn from(paused: AwaitingApproval) -> Self {
        let text = format!(
            "the run waits for a person's decision on {}, and the runtime has no approver",
            match paused.calls.as_slice() {
                [call] => format!("the call {}", named(call)),
                calls => format!("the calls {}", waiting_calls(calls)),
            }
        );
        Self::new(ErrorKind::AwaitingApproval, text).with_source(paused)
    }
}

impl AwaitingApproval {
    #[doc(hidden)]
    pub fn new(run: Run, calls: Vec<PendingCall>) -> Self {
        Self { run, calls }
    }

    /// Returns the paused run of an error with [`is_awaiting_approval`](Error::is_awaiting_approval).
    #[must_use]
    pub fn of(error: &Error) -> Option<&Self> {
        std::error::Error::source(error)?.downcast_ref()
    }
}

/// A call that waits to be made, or to be approved.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct PendingCall {
    /// The id of the call. For a call of an agent that the run called, it begins with the ids of the calls that lead to
    /// that agent: `call_3/call_1`.
    pub id: String,
    /// The name of the tool, which is one of the agent's.
    pub tool: String,
    /// The names of the agents that lead to the tool, and its own, joined by `/`: `support/billing/lookUp`. Two calls
    /// of one agent have the same path.
    pub path: String,
    /// The validated arguments: JSON text of an object. In the JSON of a call they are a value, `args`.
    #[serde(rename = "args", with = "args")]
    pub arguments: String,
    /// Whether the call was begun by a process that died before the result was recorded: the tool may have acted.
    /// Besides making the call again or denying it, such a call may be answered with [`Decision::Done`].
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub in_doubt: bool,
    /// The reason for which the call waits, if words of strangers are in the conversation and `whenTainted` guards the call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub guarded: Option<Box<Guarded>>,
    /// The reason for which the last edit was rejected, when an [`Approver`](crate::approval::Approver) is asked
    /// again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refused_edit: Option<String>,
}

form!(
    args: String,
    |text| parse_json(text).unwrap_or_default(),
    |json| Ok(json.to_string()),
);

impl PendingCall {
    /// Creates a call of a tool that belongs to no run, for a host that calls tools itself and asks an
    /// [`Approver`](crate::approval::Approver) first.
    ///
    /// ```
    /// use agent_runtime::run::PendingCall;
    ///
    /// let call = PendingCall::new("call_1", "pay", r#"{"amount": 5}"#);
    /// assert_eq!(call.args()["amount"], 5);
    /// assert!(call.path == "pay" && !call.in_doubt);
    /// ```
    #[must_use]
    pub fn new(
        id: impl Into<String>,
        tool: impl Into<String>,
        arguments: impl Into<String>,
    ) -> Self {
        let tool = tool.into();
        Self {
            id: id.into(),
            path: tool.clone(),
            tool,
            arguments: arguments.into(),
            in_doubt: false,
            guarded: None,
            refused_edit: None,
        }
    }

    /// The arguments as a value.
    #[must_use]
    pub fn args(&self) -> Value {
        parse_json(&self.arguments).unwrap_or_default()
    }
}

/// A person's decision on a call.
///
/// Its JSON is an object whose `type` is its name: `{"type": "approve"}`, `{"type": "deny", "reason": "too expensive"}`,
/// `{"type": "edit", "args": {"amount": 5}}`, `{"type": "done", "result": "paid"}`, `{"type": "unknown"}`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "camelCase", deny_unknown_fields)]
#[non_exhaustive]
pub enum Decision {
    /// Make the call.
    Approve,
    /// Deny the call. The model reads the denial.
    Deny {
        /// The reason, which the model reads.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reason: Option<String>,
    },
    /// Make the call with other arguments. They are validated as those of the model are, but unknown arguments are
    /// an error and not dropped. After an invalid edit the call still waits.
    Edit {
        /// The arguments: an object.
        args: Value,
    },
    /// The call was made before the crash that left it [in doubt](PendingCall::in_doubt), with this result. It is an
    /// error for a call that is not in doubt.
    Done {
        /// The result, which the model reads.
        result: Value,
    },
    /// It is not known whether the call that is [in doubt](PendingCall::in_doubt) was made. The model reads that, and a
    /// further call of the tool with equal arguments requires approval. It is an error for a call that is not in doubt.
    Unknown,
}
