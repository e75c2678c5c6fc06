//! Everything of a run that changes, and must survive when it is saved.

use super::limits::UsageLimits;
use super::step::PendingCall;
use crate::conversation::{Message, ToolCall};
use crate::error::{Error, Kind};
use crate::model::{FinishReason, Usage};
use crate::response::ToolInvocation;
use crate::tool::ToolError;
use serde_json::Value;
use std::collections::HashMap;
use std::sync::Arc;

#[derive(Clone, Debug)]
pub(crate) struct State {
    pub(crate) id: String,
    pub(crate) history: Vec<Message>,
    /// Where this run's part of the history begins: the user's input.
    pub(crate) start: usize,
    /// Where the history has a line of the run's own, which nobody said: it is no part of the
    /// conversation.
    pub(crate) asides: Vec<usize>,
    pub(crate) phase: Phase,
    /// How many turns called tools.
    pub(crate) iterations: u32,
    /// By the name that was called, tool or not.
    pub(crate) attempts: HashMap<String, Attempts>,
    /// How many calls were bad since the last one that succeeded.
    pub(crate) bad_calls: u32,
    /// Whether an empty answer was already followed by asking again.
    pub(crate) asked_again: bool,
    /// How many fallback models were turned to.
    pub(crate) fallback: usize,
    /// Why a fallback was turned to for the request that is due. This, and not what is wrong with
    /// the fallbacks, is what a run ends with when none of them works.
    pub(crate) unavailable: Option<Arc<Error>>,
    pub(crate) usage: Usage,
    /// What that cost, in dollars; nothing when a model has no price or did not count.
    pub(crate) cost: Option<f64>,
    pub(crate) limits: UsageLimits,
    pub(crate) invocations: Vec<ToolInvocation>,
}

impl State {
    /// A run about to send its first request; the input is the last message.
    pub(crate) fn new(id: String, history: Vec<Message>, limits: UsageLimits) -> Self {
        Self {
            id,
            start: history.len().saturating_sub(1),
            history,
            asides: Vec::new(),
            phase: Phase::AskModel,
            iterations: 0,
            attempts: HashMap::new(),
            bad_calls: 0,
            asked_again: false,
            fallback: 0,
            unavailable: None,
            usage: Usage::default(),
            cost: Some(0.0),
            limits,
            invocations: Vec::new(),
        }
    }
}

/// Where a run is.
#[derive(Clone, Debug)]
pub(crate) enum Phase {
    AskModel,
    Tools(Turn),
    Done {
        content: String,
        finish_reason: FinishReason,
    },
    Failed {
        kind: Kind,
        message: String,
    },
}

/// What became of the calls of one name.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Attempts {
    /// How many failed since the last one that did not.
    pub(crate) failures: u32,
    /// The failure after which no attempts are left, and what the model read then.
    pub(crate) exhausted: Option<(ToolError, String)>,
}

/// The calls of one answer of the model, in its order.
#[derive(Clone, Debug)]
pub(crate) struct Turn {
    pub(crate) calls: Vec<TurnCall>,
    /// The calls before this one have their results in the history.
    pub(crate) accounted: usize,
    /// The calls before this one may be made; those after it wait for a barrier.
    pub(crate) open: usize,
    /// How many calls a person must decide on at most. None once all were asked about, which spares
    /// the look at each call before every step.
    undecided: usize,
    /// The place of each call, by its id, if there are more than a [`FEW`]: there may be thousands.
    places: HashMap<String, usize>,
}

#[derive(Clone, Debug)]
pub(crate) struct TurnCall {
    pub(crate) call: ToolCall,
    pub(crate) state: CallState,
}

#[derive(Clone, Debug)]
pub(crate) enum CallState {
    AwaitingApproval { arguments: String },
    Ready { arguments: String, begun: Begun },
    Finished(Outcome),
}

/// Whether somebody has begun to make a call. It is told when the run ends before the call does: a call
/// that was not made may be made again, and one that was begun may have done something.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Begun {
    /// Whoever makes the calls does not say.
    #[default]
    Unsaid,
    No,
    Yes,
}

/// What came of a call.
#[derive(Clone, Debug)]
pub(crate) struct Outcome {
    /// The arguments the tool was given, if it was reached.
    pub(crate) arguments: Option<String>,
    pub(crate) result: Result<Value, ToolError>,
    pub(crate) weight: Weight,
}

/// How a failure counts against the tool's attempts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Weight {
    /// The tool ran and failed. One such failure is enough for a tool that is not retryable.
    Attempt,
    /// The model's arguments were not right: the tool was not reached, or asked for others.
    Mistake,
    /// The tool had no attempts left, and the model called it all the same.
    Spent,
    /// Nothing that the tool or the model could have done better.
    Free,
}

impl CallState {
    /// A call that may be made, of which the driver has reported nothing yet.
    pub(crate) fn ready(arguments: String) -> Self {
        Self::Ready {
            arguments,
            begun: Begun::default(),
        }
    }
}

impl Weight {
    /// Whether it uses up one of the tool's attempts.
    pub(crate) fn uses_attempt(self) -> bool {
        matches!(self, Self::Attempt | Self::Mistake)
    }

    /// Whether it is one of the bad calls that end a run when there are too many in a row.
    pub(crate) fn is_bad_call(self) -> bool {
        self != Self::Free
    }
}

impl Outcome {
    /// A failure without the tool having been reached.
    pub(crate) fn refused(error: ToolError, weight: Weight) -> Self {
        Self {
            arguments: None,
            result: Err(error),
            weight,
        }
    }
}

impl TurnCall {
    pub(crate) fn is_finished(&self) -> bool {
        matches!(self.state, CallState::Finished(_))
    }

    pub(crate) fn awaits_decision(&self) -> bool {
        matches!(self.state, CallState::AwaitingApproval { .. })
    }

    fn pending(&self, arguments: &str) -> PendingCall {
        PendingCall {
            id: self.call.id().to_owned(),
            tool: self.call.tool().to_owned(),
            arguments: arguments.to_owned(),
            refused_edit: None,
        }
    }
}

/// How many calls are looked through faster than they are looked up.
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
                CallState::AwaitingApproval { arguments } => Some(call.pending(arguments)),
                _ => None,
            })
            .collect()
    }

    /// The calls that may be made now.
    pub(crate) fn ready(&self) -> Vec<PendingCall> {
        // Those that have their results are left out at once: a turn of a sequential tool comes here
        // before each of its calls.
        self.calls[self.accounted..self.open]
            .iter()
            .filter_map(|call| match &call.state {
                CallState::Ready { arguments, .. } => Some(call.pending(arguments)),
                _ => None,
            })
            .collect()
    }

    /// The calls that nobody has begun, by their places: those that wait for a person or for a barrier,
    /// and all while a person is asked.
    pub(crate) fn is_not_begun(&self, at: usize) -> bool {
        match &self.calls[at].state {
            CallState::AwaitingApproval { .. } => true,
            CallState::Ready { begun, .. } => {
                *begun == Begun::No
                    || *begun == Begun::Unsaid && (at >= self.open || self.undecided > 0)
            }
            CallState::Finished(_) => false,
        }
    }

    /// Notes that the calls of which nothing was said are not begun.
    pub(crate) fn note_not_begun(&mut self) {
        for call in &mut self.calls {
            if let CallState::Ready { begun, .. } = &mut call.state
                && *begun == Begun::Unsaid
            {
                *begun = Begun::No;
            }
        }
    }

    /// The call of an id.
    pub(crate) fn call(&self, id: &str) -> Option<&TurnCall> {
        self.calls.get(self.place(id)?)
    }

    /// Writes what became of a call that a person has decided on.
    pub(crate) fn decided(&mut self, id: &str, state: CallState) {
        let at = self.place(id);
        if let Some(call) = at.and_then(|at| self.calls.get_mut(at)) {
            call.state = state;
            self.undecided = self.undecided.saturating_sub(1);
        }
    }

    /// The call of an id, if it may be made now.
    pub(crate) fn open_call_mut(&mut self, id: &str) -> Option<&mut TurnCall> {
        let at = self.place(id)?;
        self.calls[..self.open].get_mut(at)
    }

    fn place(&self, id: &str) -> Option<usize> {
        if self.calls.len() > FEW {
            return self.places.get(id).copied();
        }
        self.calls.iter().position(|call| call.call.id() == id)
    }
}
