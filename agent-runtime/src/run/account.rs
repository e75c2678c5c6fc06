//! Taking results into the history, in the order of the calls, and counting.

use super::rules::{MAX_BAD_CALLS, MAX_FAILURES};
use super::state::{CallState, Outcome, Phase, TurnCall, Weight};
use super::{Run, texts};
use crate::conversation::Message;
use crate::error::Kind;
use crate::response::ToolInvocation;
use crate::tool::ToolError;
use serde_json::Value;

impl Run {
    /// Takes finished calls into the history as far as their order allows, and opens the next
    /// calls when a barrier is passed.
    ///
    /// Results are counted in the order of the calls, not in that in which they came, so that a
    /// run depends on nothing but what it was fed.
    pub(super) fn advance(&mut self) {
        while let Phase::Tools(turn) = &mut self.state.phase {
            if turn.accounted < turn.open {
                let TurnCall { call, state } = &turn.calls[turn.accounted];
                let CallState::Finished(outcome) = state else {
                    return;
                };
                let (call, outcome) = (call.clone(), outcome.clone());
                turn.accounted += 1;
                self.account(&call, outcome);
                self.end_without_answer();
                if self.state.bad_calls >= MAX_BAD_CALLS && !self.is_over() {
                    self.answer_rest();
                    self.fail(Kind::Limit, texts::too_many_bad_calls(self.agent.name()));
                }
            } else if turn.accounted < turn.calls.len() {
                self.open_batch();
            } else {
                self.state.phase = Phase::AskModel;
            }
        }
    }

    /// Opens the calls up to the next barrier: a sequential tool's call stands alone. Calls of
    /// tools that have used up their attempts meanwhile are answered at once.
    fn open_batch(&mut self) {
        let Phase::Tools(turn) = &self.state.phase else {
            return;
        };
        let start = turn.accounted;
        let barrier =
            |call: &TurnCall| !call.is_finished() && self.rules.is_sequential(call.call.tool());
        let open = if barrier(&turn.calls[start]) {
            start + 1
        } else {
            let rest = turn.calls[start..].iter();
            start + rest.take_while(|call| !barrier(call)).count()
        };
        let spent: Vec<_> = (start..open)
            .filter(|at| !turn.calls[*at].is_finished())
            .filter_map(|at| Some((at, self.spent(turn.calls[at].call.tool())?)))
            .collect();
        let Phase::Tools(turn) = &mut self.state.phase else {
            return;
        };
        for (at, outcome) in spent {
            turn.calls[at].state = CallState::Finished(outcome);
        }
        turn.open = open;
    }

    /// Tells of every call that has no result that the run ended before it, and takes all into the
    /// history.
    pub(super) fn answer_rest(&mut self) {
        let Phase::Tools(turn) = &mut self.state.phase else {
            return;
        };
        let places = turn.accounted..turn.calls.len();
        let not_begun: Vec<bool> = places.map(|at| turn.is_not_begun(at)).collect();
        let rest: Vec<_> = turn.calls.drain(turn.accounted..).collect();
        for (TurnCall { call, state }, not_begun) in rest.into_iter().zip(not_begun) {
            let outcome = match state {
                CallState::Finished(outcome) => outcome,
                CallState::Ready { .. } | CallState::AwaitingApproval { .. } => {
                    let text = match not_begun {
                        true => texts::CALL_NOT_MADE,
                        false => texts::CALL_STOPPED,
                    };
                    Outcome::refused(ToolError::Execution(text.to_owned()), Weight::Free)
                }
            };
            self.account(&call, outcome);
        }
    }

    fn account(&mut self, call: &crate::conversation::ToolCall, outcome: Outcome) {
        let name = call.tool();
        let bound = self.rules.tool(name);
        let once = bound.is_some_and(|rule| !rule.settings.retryable);
        let attempts = self.state.attempts.entry(name.to_owned()).or_default();
        let attempt = attempts.failures.saturating_add(1);
        let mut error_text = None;
        match &outcome.result {
            Ok(_) => {
                attempts.failures = 0;
                self.state.bad_calls = 0;
            }
            Err(error) => {
                if outcome.weight.is_bad_call() {
                    self.state.bad_calls = self.state.bad_calls.saturating_add(1);
                }
                let text = match &attempts.exhausted {
                    Some((_, text)) if outcome.weight == Weight::Spent => text.clone(),
                    // It ran beside the call that used the last attempt up.
                    Some(_) => texts::no_attempts_left(name, error),
                    None => error.to_string(),
                };
                error_text = Some(text);
                if outcome.weight.uses_attempt() {
                    attempts.failures = attempt;
                }
                let spent = attempts.failures >= MAX_FAILURES
                    || (once && outcome.weight == Weight::Attempt);
                if spent && bound.is_some() && attempts.exhausted.is_none() {
                    let text = texts::no_attempts_left(name, error);
                    attempts.exhausted = Some((error.clone(), text.clone()));
                    error_text = Some(text);
                }
            }
        }
        let content = match &outcome.result {
            Err(error) => error_text.clone().unwrap_or_else(|| error.to_string()),
            Ok(Value::String(text)) => text.clone(),
            Ok(value) => value.to_string(),
        };
        let content = texts::bounded(content, self.result_limit);
        let mut message = Message::function(name, call.id(), content);
        if outcome.result.is_err() {
            message = message.into_error();
        }
        self.state.history.push(message);
        // What takes the answer is the run's own, no tool that the agent uses.
        if self.is_output(name) {
            tracing::debug!(answer = name, "an answer was refused");
            return;
        }
        let given = outcome.arguments.as_deref();
        self.state.invocations.push(ToolInvocation {
            tool: name.to_owned(),
            call_id: call.id().to_owned(),
            args: given
                .and_then(|text| serde_json::from_str(text).ok())
                .unwrap_or_else(|| call.args()),
            result: outcome.result,
            error_text,
            attempt,
        });
    }
}
