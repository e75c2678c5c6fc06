//! The state of a run: all values that change, which are saved with it.

use super::guarded::Guarded;
use super::limits::UsageLimits;
use super::saved;
use super::step::PendingCall;
use crate::conversation::{Compaction, Message, Part, SummaryScope, Taint, ToolCall};
use crate::model::{FinishReason, Usage};
use crate::response::ToolInvocation;
use agent_spec::WhenTainted;
use agent_tool::Error;
use agent_tool::tool::ToolError;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

/// The state of a run.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct State {
    pub(crate) id: String,
    #[serde(with = "saved::history")]
    pub(crate) history: Vec<Message>,
    /// The index of the user's input in the history, where the messages of this run begin.
    pub(crate) start: usize,
    /// The number of messages at the beginning of the history that the host's retention leaves out.
    pub(crate) hidden: usize,
    pub(crate) compaction: Option<Compaction>,
    pub(crate) phase: Phase,
    /// Whether the driver has got the answer, so that no further message is accepted.
    pub(crate) is_answer_taken: bool,
    /// The messages that were sent during the run and that the model cannot get yet.
    #[serde(with = "saved::messages")]
    pub(crate) said: Vec<Message>,
    /// The number of turns that called tools.
    pub(crate) iterations: u32,
    /// The attempts by called name, also by names of unknown tools.
    pub(crate) attempts: HashMap<String, Attempts>,
    /// The number of bad calls since the last successful one.
    pub(crate) bad_calls: u32,
    /// The parts of the answer before its provider paused it.
    #[serde(with = "saved::parts")]
    pub(crate) paused: Vec<Part>,
    /// Whether the model was already asked again after an empty answer.
    pub(crate) asked_again: bool,
    /// The number of fallback models that were tried.
    pub(crate) fallback: usize,
    /// The first provider error of the request that is due. The run ends with this error if every fallback
    /// fails, too.
    #[serde(with = "saved::opt_error")]
    pub(crate) unavailable: Option<Arc<Error>>,
    pub(crate) usage: Usage,
    /// The warnings about the requests so far.
    pub(crate) warnings: Vec<String>,
    /// The cost in dollars. `None` when a model has no price or its provider did not report tokens.
    pub(crate) cost: Option<f64>,
    pub(crate) limits: UsageLimits,
    #[serde(with = "saved::invocations")]
    pub(crate) invocations: Vec<ToolInvocation>,
    /// The number of calls of the agents that were called and have ended.
    pub(crate) nested_calls: usize,
    /// The size of the answers and results, for [`MAX_RUN_BYTES`](super::MAX_RUN_BYTES).
    pub(crate) bytes: usize,
    /// The tools and arguments of the calls of which it is not known whether they were made, also by the agents that
    /// called this one and by those that it called.
    pub(crate) unknown_calls: Vec<(String, String)>,
    /// The variables of the host, for the agents that are called, and for a replay with another agent.
    pub(crate) variables: Arc<BTreeMap<String, String>>,
    /// The arguments with which the agent was called as a function, or the text of a message in their place, for a
    /// replay with another agent. Null for an agent that is not called as a function.
    pub(crate) given: Value,
    /// The `whenTainted` of the agents that called this one.
    #[serde(default)]
    pub(crate) when_tainted: WhenTainted,
    /// The results with values of strangers in the conversations of the agents that called this one. The model may get such a value
    /// in the instruction.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) touched: Vec<String>,
}

impl State {
    /// Creates the state of a run before its first request. The input is the last message.
    pub(crate) fn new(id: String, history: Vec<Message>, limits: UsageLimits) -> Self {
        Self {
            id,
            start: history.len().saturating_sub(1),
            history,
            hidden: 0,
            compaction: None,
            phase: Phase::AskModel,
            is_answer_taken: false,
            said: Vec::new(),
            iterations: 0,
            attempts: HashMap::new(),
            bad_calls: 0,
            paused: Vec::new(),
            asked_again: false,
            fallback: 0,
            unavailable: None,
            usage: Usage::default(),
            warnings: Vec::new(),
            cost: Some(0.0),
            limits,
            invocations: Vec::new(),
            nested_calls: 0,
            bytes: 0,
            unknown_calls: Vec::new(),
            variables: Arc::default(),
            given: Value::Null,
            when_tainted: WhenTainted::Allow,
            touched: Vec::new(),
        }
    }
}

/// The phase of a run.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(
    tag = "name",
    rename_all = "camelCase",
    rename_all_fields = "camelCase"
)]
pub(crate) enum Phase {
    AskModel,
    /// A summary is needed before the request that is due.
    Summarise(Summarising),
    Tools(Turn),
    Done {
        #[serde(with = "saved::parts")]
        parts: Vec<Part>,
        #[serde(with = "saved::finish_reason")]
        finish_reason: FinishReason,
    },
    /// The error is shared, because each call of [`next`](super::Run::next) returns it.
    Failed(#[serde(with = "saved::error")] Arc<Error>),
}

/// The summary that is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Summarising {
    /// The messages that the summary replaces.
    #[serde(flatten)]
    pub(crate) scope: SummaryScope,
    /// Whether a further summary follows.
    pub(crate) is_first_part: bool,
    /// Whether the model was already asked again after an answer that was no summary.
    pub(crate) asked_again: bool,
    /// The usage of the answers that were no summary.
    pub(crate) usage: Usage,
}

/// The attempts at one tool.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Attempts {
    /// The number of failures since the last success.
    pub(crate) failures: u32,
    /// Whether no attempts are left, so that further calls are not made.
    pub(crate) exhausted: bool,
}

/// The calls of one answer of the model, in order.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(try_from = "SavedTurn", into = "SavedTurn")]
pub(crate) struct Turn {
    pub(crate) calls: Vec<TurnCall>,
    /// The index before which all calls have their results in the history.
    pub(crate) accounted: usize,
    /// The index before which calls may be made. Calls behind it wait for a barrier.
    pub(crate) open: usize,
    /// The maximum number of calls that wait for a decision. It is 0 after all decisions, so that not every step
    /// searches all calls.
    undecided: usize,
    /// The index of each call by its id, if there are more than [`FEW`]. There may be thousands.
    places: HashMap<String, usize>,
    /// The index before which the driver has got all calls that may be made.
    taken: usize,
}

/// The saved part of a turn; the rest follows from it.
#[derive(Serialize, Deserialize)]
struct SavedTurn {
    calls: Vec<TurnCall>,
    accounted: usize,
    open: usize,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct TurnCall {
    /// The call as the model made it.
    #[serde(with = "saved::tool_call")]
    pub(crate) call: ToolCall,
    /// The call of another tool, if the model calls it through `callTool`.
    #[serde(skip)]
    pub(crate) target: Option<ToolCall>,
    #[serde(flatten)]
    pub(crate) state: CallState,
    /// The usage and the cost of the agents that were called, so far.
    pub(crate) used: Option<(Usage, Option<f64>)>,
    /// The taint of the agents that were called.
    #[serde(default, skip_serializing_if = "Taint::is_clean")]
    pub(crate) inner_taint: Taint,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(
    tag = "state",
    rename_all = "camelCase",
    rename_all_fields = "camelCase"
)]
pub(crate) enum CallState {
    AwaitingApproval {
        arguments: String,
        /// Whether the call was begun before a crash, so that it may have been made.
        in_doubt: bool,
        /// The reason for which the call waits, if `whenTainted` guards it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        guarded: Option<Box<Guarded>>,
    },
    Ready {
        arguments: String,
        begun: Begun,
    },
    Finished(Outcome),
}

/// The report of the driver whether a call was begun. If the run ends before the call, the result reports
/// this to the model, because a call that was begun may have had an effect.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum Begun {
    /// The driver does not report which calls it begins.
    #[default]
    Unsaid,
    No,
    Yes,
}

/// The outcome of a call.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Outcome {
    /// The arguments that the tool was given. `None` if it was not called.
    pub(crate) arguments: Option<String>,
    #[serde(with = "saved::result")]
    pub(crate) result: Result<Value, ToolError>,
    /// The parts that the model reads in place of the result's JSON, if the result is media.
    #[serde(with = "saved::parts")]
    pub(crate) parts: Vec<Part>,
    pub(crate) weight: Weight,
}

/// The effect of a failure on the tool's attempts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum Weight {
    /// The tool ran and failed. One such failure uses up all attempts of a tool that is not retryable.
    Attempt,
    /// The model's arguments were invalid, or the tool asked for others.
    Mistake,
    /// The tool had no attempts left.
    Spent,
    /// Neither the tool nor the model made a mistake.
    Free,
}

impl Weight {
    /// Whether the failure uses up an attempt.
    pub(crate) fn uses_attempt(self) -> bool {
        matches!(self, Self::Attempt | Self::Mistake)
    }

    /// Whether the call counts as bad. Too many bad calls in a row end a run.
    pub(crate) fn is_bad_call(self) -> bool {
        self != Self::Free
    }
}

impl Outcome {
    /// Creates the failure of a call whose tool was not called.
    pub(crate) fn refused(error: ToolError, weight: Weight) -> Self {
        Self {
            arguments: None,
            result: Err(error),
            parts: Vec::new(),
            weight,
        }
    }
}

impl TurnCall {
    /// The call that is made.
    pub(crate) fn made(&self) -> &ToolCall {
        self.target.as_ref().unwrap_or(&self.call)
    }

    pub(crate) fn is_finished(&self) -> bool {
        matches!(self.state, CallState::Finished(_))
    }

    /// Takes the outcome of a finished call, to write it into the history and the record of calls. The call
    /// keeps only the weight, because a result may be large.
    pub(crate) fn take_outcome(&mut self) -> Option<Outcome> {
        let CallState::Finished(outcome) = &mut self.state else {
            return None;
        };
        let taken = Outcome {
            arguments: None,
            result: Ok(Value::Null),
            parts: Vec::new(),
            weight: outcome.weight,
        };
        Some(std::mem::replace(outcome, taken))
    }

    pub(crate) fn awaits_decision(&self) -> bool {
        matches!(self.state, CallState::AwaitingApproval { .. })
    }

    pub(super) fn pending(&self, arguments: &str) -> PendingCall {
        PendingCall::new(self.call.id(), self.made().tool(), arguments)
    }
}

/// The number of calls up to which a linear search is faster than a map.
const FEW: usize = 8;

impl Turn {
    pub(crate) fn new(calls: Vec<TurnCall>, accounted: usize, open: usize) -> Self {
        let places = if calls.len() > FEW {
            let ids = calls.iter().map(|call| call.call.id().to_owned());
            ids.zip(0..).collect()
        } else {
            HashMap::new()
        };
        Self {
            places,
            undecided: calls.iter().filter(|call| call.awaits_decision()).count(),
            calls,
            accounted,
            open,
            taken: 0,
        }
    }

    /// The calls that a person must decide on.
    pub(crate) fn awaiting_approval(&self) -> Vec<PendingCall> {
        if self.undecided == 0 {
            return Vec::new();
        }
        self.calls
            .iter()
            .filter_map(|call| match &call.state {
                CallState::AwaitingApproval {
                    arguments,
                    in_doubt,
                    guarded,
                } => Some(PendingCall {
                    in_doubt: *in_doubt,
                    guarded: guarded.clone(),
                    ..call.pending(arguments)
                }),
                _ => None,
            })
            .collect()
    }

    /// The calls that may be made now.
    pub(crate) fn ready(&self) -> Vec<PendingCall> {
        // Calls with results are skipped at once, because a turn of a sequential tool gets here before each
        // of its calls.
        self.ready_from(self.accounted)
    }

    fn ready_from(&self, from: usize) -> Vec<PendingCall> {
        self.calls[from..self.open]
            .iter()
            .filter_map(|call| match &call.state {
                CallState::Ready { arguments, .. } => Some(call.pending(arguments)),
                _ => None,
            })
            .collect()
    }

    /// Returns the calls that may be made now and that the driver has not got.
    pub(crate) fn take_ready(&mut self) -> Vec<PendingCall> {
        let from = std::mem::replace(&mut self.taken, self.open);
        self.ready_from(from.max(self.accounted).min(self.open))
    }

    /// Lets the driver get all calls again.
    pub(crate) fn forget_taken(&mut self) {
        self.taken = 0;
    }

    /// Answers the call of an agent that cannot begin.
    pub(crate) fn refuse(&mut self, id: &str, error: ToolError) {
        let weight = match &error {
            ToolError::Validation(_) => Weight::Mistake,
            // The model did nothing wrong, and must be able to read this after any number of calls.
            ToolError::Authorization(_) => Weight::Free,
            _ => Weight::Attempt,
        };
        if let Some(call) = self.open_call_mut(id)
            && let CallState::Ready { arguments, .. } = &mut call.state
        {
            let arguments = Some(std::mem::take(arguments));
            let outcome = Outcome {
                arguments,
                ..Outcome::refused(error, weight)
            };
            call.state = CallState::Finished(outcome);
        }
    }

    /// Whether a call may wait for a person.
    pub(crate) fn has_undecided(&self) -> bool {
        self.undecided > 0
    }

    /// Whether the call at an index was not begun. Calls that wait for a person or a barrier were not begun,
    /// and no call is begun while another call waits for a person.
    pub(crate) fn is_not_begun(&self, at: usize) -> bool {
        match &self.calls[at].state {
            CallState::AwaitingApproval { in_doubt, .. } => !in_doubt,
            CallState::Ready { begun, .. } => {
                *begun == Begun::No
                    || *begun == Begun::Unsaid && (at >= self.open || self.undecided > 0)
            }
            CallState::Finished(_) => false,
        }
    }

    /// Marks the calls of which no driver reported whether they were begun.
    pub(crate) fn note_begun(&mut self, so_far: Begun) {
        for call in &mut self.calls {
            if let CallState::Ready { begun, .. } = &mut call.state
                && *begun == Begun::Unsaid
            {
                *begun = so_far;
            }
        }
    }

    /// Returns the call of an id.
    pub(crate) fn call(&self, id: &str) -> Option<&TurnCall> {
        self.calls.get(self.place(id)?)
    }

    /// Sets the state of a call after a person's decision.
    pub(crate) fn decided(&mut self, id: &str, state: CallState) {
        let at = self.place(id);
        if let Some(call) = at.and_then(|at| self.calls.get_mut(at)) {
            call.state = state;
            self.undecided = self.undecided.saturating_sub(1);
        }
    }

    /// Lets a call that may be made wait for a decision. `in_doubt` means that the call may have been made
    /// before a crash.
    pub(crate) fn ask(&mut self, id: &str, in_doubt: bool, guarded: Option<Box<Guarded>>) {
        if let Some(call) = self.open_call_mut(id)
            && let CallState::Ready { arguments, .. } = &mut call.state
        {
            call.state = CallState::AwaitingApproval {
                arguments: std::mem::take(arguments),
                in_doubt,
                guarded,
            };
            self.undecided += 1;
        }
    }

    /// Returns the call of an id, if it may be made now.
    pub(crate) fn open_call(&self, id: &str) -> Option<&TurnCall> {
        let at = self.place(id)?;
        self.calls[..self.open].get(at)
    }

    /// Returns the call of an id, if it may be made now, to change it.
    pub(crate) fn open_call_mut(&mut self, id: &str) -> Option<&mut TurnCall> {
        let at = self.place(id)?;
        self.calls[..self.open].get_mut(at)
    }

    /// Returns the index of the call of an id.
    pub(crate) fn place(&self, id: &str) -> Option<usize> {
        if self.calls.len() > FEW {
            return self.places.get(id).copied();
        }
        self.calls.iter().position(|call| call.call.id() == id)
    }
}

impl From<Turn> for SavedTurn {
    fn from(turn: Turn) -> Self {
        Self {
            calls: turn.calls,
            accounted: turn.accounted,
            open: turn.open,
        }
    }
}

impl TryFrom<SavedTurn> for Turn {
    type Error = &'static str;

    fn try_from(saved: SavedTurn) -> Result<Self, Self::Error> {
        match saved.accounted <= saved.open && saved.open <= saved.calls.len() {
            true => Ok(Self::new(saved.calls, saved.accounted, saved.open)),
            false => Err("the calls of the turn do not add up"),
        }
    }
}
