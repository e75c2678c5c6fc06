//! The rules of one turn: the model's answer, and the results of its calls in the history. `plan_calls.rs` decides on the
//! calls between the two.

use super::agent_run::AgentRun;
use super::limits::{MAX_BAD_CALLS, MAX_CALLS, MAX_FAILURES, MAX_PAUSES, MAX_RUN_BYTES};
use super::meant_calls::meant_calls;
use super::state::{CallState, Outcome, Phase, TurnCall, Weight};
use super::{limits, texts};
use crate::conversation::{Message, Part, Role, ToolCall};
use crate::model::{FinishReason, ModelReply, Usage};
use crate::response::ToolInvocation;
use agent_spec::json::{MAX_ARGUMENT_VALUES, parse_json, value_count};
use agent_tool::__private::ErrorKind;
use agent_tool::Error;
use agent_tool::tool::ToolError;
use agent_tool::trace::TARGET;
use serde_json::Value;
use std::sync::Arc;

/// The answer.
impl AgentRun {
    /// Continues the run with an answer of the model.
    pub(super) fn take_reply(&mut self, mut reply: ModelReply) {
        if has_too_many_values(&reply.tool_calls) {
            let text = texts::too_many_values(self.request_model());
            return self.fail(ErrorKind::Llm, text);
        }
        reply.tool_calls = meant_calls(reply.tool_calls, |name| self.is_tool(name));
        let calls = reply.tool_calls.len();
        if let Some(answer) = self.typed_answer(&reply) {
            self.finish_with(answer, reply);
        } else if calls == 0
            && reply.finish_reason == FinishReason::Paused
            && !reply.parts.is_empty()
        {
            self.take_paused(reply);
        } else if calls == 0 {
            self.take_text(reply);
        } else if calls > MAX_CALLS {
            let text = texts::too_many_calls(self.request_model(), calls);
            self.fail(ErrorKind::Llm, text);
        } else {
            self.state.asked_again = false;
            self.state.paused.clear();
            self.take_calls(reply);
        }
    }

    /// Applies the beginning of an answer that its provider paused. The model continues when it gets the
    /// beginning back.
    fn take_paused(&mut self, reply: ModelReply) {
        self.state.paused.extend(reply.parts.iter().cloned());
        self.push_answer(reply.parts);
        // No other message is between the pieces of an answer.
        let pieces = self.state.history[self.state.start..].iter().rev();
        let pieces = pieces.take_while(|message| message.role() == Role::Assistant);
        let reached = match pieces.count() > MAX_PAUSES {
            true => Some(texts::too_many_pauses(self.request_model())),
            false => self.limit_reached(),
        };
        if let Some(text) = reached {
            self.fail(ErrorKind::Limit, text);
        }
    }

    /// Applies an answer without calls.
    ///
    /// Without text, a stop is an answer once a tool has given a result, because the model may have nothing
    /// to add. Before that, and for another reason, the model is asked once more. It is not asked again when
    /// it reached its limit of tokens, because the second request would end in the same way.
    fn take_text(&mut self, reply: ModelReply) {
        let is_blank = !self.state.paused.iter().chain(&reply.parts).any(is_answer);
        if self.output.is_some() && !is_blank {
            self.state.paused.clear();
            return self.take_typed_text(reply);
        }
        if !is_blank || self.may_be_empty(&reply.finish_reason) {
            self.push_answer(reply.parts.clone());
            let mut parts = std::mem::take(&mut self.state.paused);
            parts.extend(reply.parts);
            self.state.phase = Phase::Done {
                parts,
                finish_reason: reply.finish_reason,
            };
            self.append_pending_messages();
        } else if is_cut_off(&reply.finish_reason) {
            let text = texts::cut_off_without_text(self.request_model());
            self.fail(ErrorKind::Llm, text);
        } else if self.state.asked_again {
            let text = texts::empty_answer(self.request_model(), &reply.finish_reason);
            let error = Error::llm(text);
            self.fail_with(match reply.finish_reason {
                FinishReason::ContentFilter => error.into_refused(),
                _ => error,
            });
        } else if let Some(text) = self.limit_reached() {
            self.fail(ErrorKind::Limit, text);
        } else {
            self.state.asked_again = true;
        }
    }

    /// Whether an answer without text ends the run: the model stopped by itself after a result of a tool. A
    /// typed answer is never empty.
    fn may_be_empty(&self, reason: &FinishReason) -> bool {
        let has_results = self.state.history[self.state.start..]
            .iter()
            .any(|message| message.role() == Role::Function);
        has_results && *reason == FinishReason::Stop && self.output.is_none()
    }

    /// Appends an answer without calls to the history.
    fn push_answer(&mut self, parts: Vec<Part>) {
        self.state.history.push(Message::assistant_parts(parts));
    }

    pub(super) fn fail(&mut self, kind: ErrorKind, message: String) {
        self.fail_with(Error::new(kind, message));
    }

    pub(super) fn fail_with(&mut self, error: Error) {
        self.state.phase = Phase::Failed(Arc::new(error));
        self.state.history.append(&mut self.state.said);
    }

    /// Writes the messages that were sent during the run into the history, if the model can get them next. A
    /// run that has its answer continues with these messages.
    pub(super) fn append_pending_messages(&mut self) {
        let is_between = match self.state.phase {
            Phase::AskModel | Phase::Summarise(_) => self.state.paused.is_empty(),
            Phase::Done { .. } => true,
            Phase::Tools(_) | Phase::Failed(_) => false,
        };
        if !is_between || self.state.said.is_empty() {
            return;
        }
        self.state.history.append(&mut self.state.said);
        if matches!(self.state.phase, Phase::Done { .. }) {
            self.state.phase = Phase::AskModel;
            self.state.asked_again = false;
            self.fail_at_limit();
        }
    }

    /// Adds the usage and the cost of an answer.
    pub(super) fn count(&mut self, reply: &ModelReply) {
        self.add_usage(&reply.counted(), self.cost_of(reply));
    }

    /// The cost of the request that is due, if its answer is this.
    pub(super) fn cost_of(&self, reply: &ModelReply) -> Option<f64> {
        let (model, prices) = (self.request_model(), &self.host.prices);
        if !reply.usage_parts.is_empty() && !prices.is_empty() {
            let parts = reply.usage_parts.iter();
            return parts.map(|part| prices.cost_of_part(model, part)).sum();
        }
        match prices.get(model) {
            Some(_) => prices.cost(model, &reply.counted()),
            None => reply.cost,
        }
    }

    /// Adds usage whose price is known.
    pub(super) fn add_usage(&mut self, usage: &Usage, price: Option<f64>) {
        self.state.usage.add(usage);
        self.state.cost = self.state.cost.and_then(|cost| Some(cost + price?));
    }

    /// The text that names the limit which forbids a further request.
    pub(super) fn limit_reached(&self) -> Option<String> {
        if self.state.bytes > MAX_RUN_BYTES {
            return Some(texts::too_many_bytes(self.agent.name()));
        }
        let limits = &self.state.limits;
        let reached = limits.reached(&self.state.usage, self.state.cost)?;
        Some(format!("the agent `{}` {reached}", self.agent.name()))
    }

    /// The text that names the limit of calls that `further` more calls would exceed.
    pub(super) fn call_limit_reached(&self, further: usize) -> Option<String> {
        let made = self.state.invocations.len();
        let made = made.saturating_add(self.state.nested_calls);
        self.calls_reached(made.saturating_add(further))
    }

    /// The text that names the limit of calls that `asked` calls exceed.
    pub(super) fn calls_reached(&self, asked: usize) -> Option<String> {
        let reached = self.state.limits.calls_reached(asked)?;
        Some(format!("the agent `{}` {reached}", self.agent.name()))
    }
}

/// The typed answer.
impl AgentRun {
    /// Whether a tool name is that of the call that gives the answer.
    pub(super) fn is_output(&self, tool: &str) -> bool {
        let output = self.output.as_ref();
        output.is_some_and(|output| output.name() == tool)
    }

    /// The typed answer, when the reply consists of the call that gives it. The same call repeated counts
    /// as one.
    fn typed_answer(&self, reply: &ModelReply) -> Option<String> {
        let output = self.output.as_ref()?;
        if is_cut_off(&reply.finish_reason) {
            return None;
        }
        let (call, more) = reply.tool_calls.split_first()?;
        let is_same =
            |other: &ToolCall| other.tool() == call.tool() && other.args_text() == call.args_text();
        if call.tool() != output.name() || !more.iter().all(is_same) {
            return None;
        }
        output.read(call.args_text()).ok()
    }

    /// The error result of a call that should give the answer and does not.
    pub(super) fn refused_answer(&self, arguments: &str, calls: &[ToolCall]) -> Option<Outcome> {
        let output = self.output.as_ref()?;
        if calls.len() > 1 {
            let is_answer = |call: &ToolCall| call.tool() == output.name();
            let text = match calls.iter().all(is_answer) {
                true => texts::answer_once(output.name(), calls.len()),
                false => texts::answer_alone(output.name()),
            };
            return Some(Outcome::refused(ToolError::Validation(text), Weight::Free));
        }
        let error = output.read(arguments).err()?;
        Some(Outcome::refused(error, Weight::Mistake))
    }

    /// Applies text where a typed answer is wanted. JSON of the type is the answer; otherwise the model is
    /// asked to give the answer by a call. The correction stays in the conversation, because the next request
    /// must begin as this one does.
    fn take_typed_text(&mut self, reply: ModelReply) {
        let Some(output) = &self.output else {
            return;
        };
        let text = reply.content();
        let read = output.read_text(&text);
        let name = output.name().to_owned();
        self.push_answer(reply.parts);
        match read {
            Ok(content) => {
                self.state.phase = Phase::Done {
                    parts: vec![Part::Text(content)],
                    finish_reason: reply.finish_reason,
                };
                self.append_pending_messages();
            }
            Err(_) if reply.finish_reason == FinishReason::ContentFilter => {
                let text = texts::refused(self.request_model(), &text);
                self.fail_with(Error::llm(text).into_refused());
            }
            Err(error) => {
                let attempts = self.state.attempts.entry(name).or_default();
                attempts.failures = attempts.failures.saturating_add(1);
                self.fail_without_answer(&error);
                if let Some(text) = self.limit_reached().filter(|_| !self.is_over()) {
                    self.fail(ErrorKind::Limit, text);
                }
                if !self.is_over() {
                    let correction = Message::correction(error.to_string());
                    self.state.history.push(correction);
                }
            }
        }
    }

    /// Ends the run with the typed answer of a call. The history keeps the call, and gets a result for it, so
    /// that it can be sent again as the model wrote it.
    fn finish_with(&mut self, content: String, reply: ModelReply) {
        self.state.paused.clear();
        let finish_reason = reply.finish_reason.clone();
        for call in self.push_calls(reply) {
            let result = Message::function(call.tool(), call.id(), texts::ANSWER_TAKEN);
            self.state.history.push(result);
        }
        self.state.phase = Phase::Done {
            parts: vec![Part::Text(content)],
            finish_reason,
        };
        self.append_pending_messages();
    }

    /// Ends the run with an error when the model failed too often to give the typed answer. `refused` is the reason for
    /// which the last answer was refused.
    fn fail_without_answer(&mut self, refused: &ToolError) {
        let Some(output) = &self.output else {
            return;
        };
        let attempts = self.state.attempts.get(output.name());
        if attempts.is_some_and(|attempts| attempts.failures >= MAX_FAILURES) {
            let wanted = output.type_text();
            let text =
                texts::no_answer_of_type(self.request_model(), MAX_FAILURES, &wanted, refused);
            self.fail(ErrorKind::Llm, text);
        }
    }
}

/// The results.
impl AgentRun {
    /// Writes finished calls into the history as far as call order allows, and opens the next calls when
    /// a barrier is passed.
    ///
    /// Results are counted in call order and not in the order of their arrival, so that a run depends on
    /// nothing but its inputs.
    pub(super) fn advance(&mut self) {
        if self.state.bytes > MAX_RUN_BYTES && matches!(self.state.phase, Phase::Tools(_)) {
            self.answer_rest();
            self.fail(ErrorKind::Limit, texts::too_many_bytes(self.agent.name()));
        }
        while let Phase::Tools(turn) = &mut self.state.phase {
            if turn.accounted < turn.open {
                let call = &mut turn.calls[turn.accounted];
                let Some(outcome) = call.take_outcome() else {
                    return;
                };
                let called = call.clone();
                turn.accounted += 1;
                let is_output = self.is_output(called.made().tool());
                let refused = outcome.result.as_ref().err().filter(|_| is_output).cloned();
                self.record_result(&called, outcome);
                if let Some(refused) = refused {
                    self.fail_without_answer(&refused);
                }
                if self.state.bad_calls >= MAX_BAD_CALLS && !self.is_over() {
                    self.answer_rest();
                    self.fail(
                        ErrorKind::Limit,
                        texts::too_many_bad_calls(self.agent.name()),
                    );
                }
            } else if turn.accounted < turn.calls.len() {
                self.open_batch();
            } else {
                self.state.phase = Phase::AskModel;
                // Agents that were called may have used what was left.
                self.fail_at_limit();
                self.append_pending_messages();
            }
        }
    }

    /// Opens the calls up to the next barrier: the call of a sequential tool is made alone. Calls of tools
    /// without attempts left are answered at once.
    fn open_batch(&mut self) {
        let Phase::Tools(turn) = &self.state.phase else {
            return;
        };
        let start = turn.accounted;
        let is_barrier =
            |call: &TurnCall| !call.is_finished() && self.tools.is_sequential(call.made().tool());
        let open = if is_barrier(&turn.calls[start]) {
            start + 1
        } else {
            let rest = turn.calls[start..].iter();
            start + rest.take_while(|call| !is_barrier(call)).count()
        };
        let exhausted: Vec<_> = (start..open)
            .filter(|at| !turn.calls[*at].is_finished())
            .filter_map(|at| Some((at, self.exhausted(turn.calls[at].made().tool())?)))
            .collect();
        let Phase::Tools(turn) = &mut self.state.phase else {
            return;
        };
        for (at, outcome) in exhausted {
            turn.calls[at].state = CallState::Finished(outcome);
        }
        turn.open = open;
    }

    /// Answers every call without a result with the end of the run, and writes all results into the
    /// history.
    pub(super) fn answer_rest(&mut self) {
        let Phase::Tools(turn) = &mut self.state.phase else {
            return;
        };
        let rest = turn.accounted..turn.calls.len();
        let not_begun: Vec<bool> = rest.map(|at| turn.is_not_begun(at)).collect();
        let rest: Vec<_> = turn.calls.drain(turn.accounted..).collect();
        for (mut call, not_begun) in rest.into_iter().zip(not_begun) {
            let outcome = call.take_outcome().unwrap_or_else(|| {
                let text = match &call.state {
                    CallState::AwaitingApproval { in_doubt: true, .. } => texts::NOT_KNOWN,
                    _ if not_begun => texts::CALL_NOT_MADE,
                    _ => texts::CALL_STOPPED,
                };
                let error = ToolError::Execution(text.to_owned());
                let mut outcome = Outcome::refused(error, Weight::Free);
                // The run of an agent had begun with these arguments.
                if let CallState::Ready { arguments, .. } = &call.state
                    && call.used.is_some()
                {
                    outcome.arguments = Some(arguments.clone());
                }
                outcome
            });
            self.record_result(&call, outcome);
        }
    }

    /// Writes a result into the history and the record of calls, and counts it against the tool's attempts.
    fn record_result(&mut self, turn_call: &TurnCall, outcome: Outcome) {
        let taint = self.taint_of(turn_call, &outcome);
        let (call, made) = (&turn_call.call, turn_call.made());
        let name = made.tool();
        let is_search = self.is_search(name);
        let attempts = self.state.attempts.entry(name.to_owned()).or_default();
        let attempt = attempts.failures.saturating_add(1);
        let mut error_text = None;
        match &outcome.result {
            Ok(_) => {
                attempts.failures = 0;
                // A search does not reset the count, because searches between bad calls would hide that these
                // continue.
                if !is_search {
                    self.state.bad_calls = 0;
                }
            }
            Err(error) => {
                if outcome.weight.is_bad_call() {
                    self.state.bad_calls = self.state.bad_calls.saturating_add(1);
                }
                if outcome.weight.uses_attempt() {
                    attempts.failures = attempt;
                }
                let once = !self.tools.is_retryable(name);
                let is_last = attempts.failures >= MAX_FAILURES
                    || (once && outcome.weight == Weight::Attempt);
                if is_last && self.tools.get(name).is_some() {
                    attempts.exhausted = true;
                }
                let text = match outcome.weight {
                    // The text says that no attempts are left.
                    Weight::Spent => error.to_string(),
                    // A call that ran at the same time as the call with the last attempt gets the same text.
                    _ if attempts.exhausted => texts::no_attempts_left(name, error),
                    _ => error.to_string(),
                };
                error_text = Some(text);
            }
        }
        let limit = self.host.result_limit;
        let mut message = if outcome.parts.is_empty() {
            let content = match (&outcome.result, &error_text) {
                (Err(_), Some(text)) => text.clone(),
                (Err(error), None) => error.to_string(),
                (Ok(Value::String(text)), _) => text.clone(),
                (Ok(value), _) => value.to_string(),
            };
            let content = texts::bounded(content, limit);
            self.state.bytes = self.state.bytes.saturating_add(content.len());
            Message::function(call.tool(), call.id(), content)
        } else {
            let parts = texts::bounded_parts(outcome.parts, limit);
            self.state.bytes = self.state.bytes.saturating_add(limits::parts_size(&parts));
            Message::function_parts(call.tool(), call.id(), parts)
        };
        if outcome.result.is_err() {
            message = message.into_error();
        }
        self.state.history.push(message.with_taint(taint));
        // The call that gives the answer belongs to the run, so it is no tool that the agent used.
        if self.is_output(name) {
            tracing::debug!(target: TARGET, answer = name, "an answer was refused");
            return;
        }
        if is_search {
            tracing::debug!(target: TARGET, tool = name, "the model searched for tools");
            return;
        }
        let given = outcome.arguments.as_deref();
        self.state.invocations.push(ToolInvocation {
            tool: name.to_owned(),
            call_id: call.id().to_owned(),
            args: given
                .and_then(|text| parse_json(text).ok())
                .unwrap_or_else(|| made.args()),
            result: outcome.result,
            error_text,
            attempt,
            usage: turn_call.used.map(|(usage, _)| usage),
            cost: turn_call.used.and_then(|(_, cost)| cost),
            taint,
        });
    }
}

/// Whether a reader of the answer sees a part.
fn is_answer(part: &Part) -> bool {
    match part {
        Part::Text(text) => !text.trim().is_empty(),
        part => part.media().is_some(),
    }
}

/// Whether the arguments of calls have more values together than those of one call may have.
fn has_too_many_values(calls: &[ToolCall]) -> bool {
    let arguments = calls.iter().map(|call| call.args_text().as_bytes());
    arguments.map(value_count).sum::<usize>() > MAX_ARGUMENT_VALUES
}

/// Whether an answer may end in the middle of its calls.
fn is_cut_off(reason: &FinishReason) -> bool {
    *reason == FinishReason::Length
}
