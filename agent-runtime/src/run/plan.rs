//! From an answer that calls tools to calls that can be made.

use super::feed::is_cut_off;
use super::rules::MAX_ITERATIONS;
use super::state::{Begun, CallState, Outcome, Phase, Turn, TurnCall, Weight};
use super::{Run, texts};
use crate::conversation::{Message, ToolCall};
use crate::error::Kind;
use crate::model::ModelReply;
use crate::tool::ToolError;
use std::collections::HashSet;

impl Run {
    /// Writes the answer into the history and judges each of its calls.
    pub(super) fn plan_turn(&mut self, reply: ModelReply) {
        let calls = self.with_ids(reply.tool_calls);
        let mut message = Message::assistant(reply.content.unwrap_or_default())
            .with_tool_calls(calls.iter().cloned());
        if let Some(data) = reply.provider_data {
            message = message.with_provider_data(data);
        }
        self.state.history.push(message);

        let most = self.max_iterations();
        if self.state.iterations >= most {
            self.stop_turn(calls);
            self.fail(Kind::Limit, texts::too_many_turns(self.agent.name(), most));
            return;
        }
        let used_up = self.used_up();
        if let Some(text) = used_up.or_else(|| self.too_many_calls(calls.len())) {
            self.stop_turn(calls);
            self.fail(Kind::Limit, text);
            return;
        }
        self.state.iterations += 1;
        if is_cut_off(&reply.finish_reason) {
            self.open_turn(calls, |_, _| {
                refused(ToolError::Validation(texts::CUT_OFF.to_owned()))
            });
        } else {
            let all = calls.clone();
            self.open_turn(calls, |run, call| run.judge(call, &all));
        }
        self.advance();
    }

    /// Answers calls that nothing will come of, since the run ends.
    fn stop_turn(&mut self, calls: Vec<ToolCall>) {
        let stopped = ToolError::Execution(texts::CALL_NOT_MADE.to_owned());
        self.open_turn(calls, |_, _| refused(stopped.clone()));
        self.answer_rest();
    }

    fn open_turn(&mut self, calls: Vec<ToolCall>, judge: impl Fn(&Self, &ToolCall) -> CallState) {
        let calls = calls
            .into_iter()
            .map(|call| TurnCall {
                state: judge(self, &call),
                call,
            })
            .collect();
        self.state.phase = Phase::Tools(Turn::new(calls, 0, 0));
    }

    fn judge(&self, call: &ToolCall, all: &[ToolCall]) -> CallState {
        let name = call.tool();
        if self.is_output(name)
            && let Some(outcome) = self.refused_answer(call.args_text(), all)
        {
            return CallState::Finished(outcome);
        }
        if let Some(outcome) = self.spent(name) {
            return CallState::Finished(outcome);
        }
        match self.rules.check(name, call.args_text()) {
            Err(outcome) => CallState::Finished(outcome),
            Ok(arguments) => {
                let rule = self.rules.tool(name);
                if rule.is_some_and(super::ToolRule::requires_approval) {
                    CallState::AwaitingApproval { arguments }
                } else {
                    CallState::Ready {
                        arguments,
                        begun: Begun::default(),
                    }
                }
            }
        }
    }

    /// What a call gets when its tool has no attempts left.
    pub(super) fn spent(&self, name: &str) -> Option<Outcome> {
        let (error, _) = self.state.attempts.get(name)?.exhausted.as_ref()?;
        Some(Outcome::refused(error.clone(), Weight::Spent))
    }

    /// How many turns of this run may call tools.
    pub(super) fn max_iterations(&self) -> u32 {
        self.agent
            .settings()
            .max_iterations
            .unwrap_or(MAX_ITERATIONS)
    }

    /// Whether a call of the history has this id.
    fn has_call(&self, id: &str) -> bool {
        let mut calls = self.state.history.iter().flat_map(Message::tool_calls);
        calls.any(|call| call.id() == id)
    }

    /// The calls with an id each that no other call of the conversation has. Some servers send no
    /// ids, the same for all calls of an answer, or the same in every answer.
    fn with_ids(&self, calls: Vec<ToolCall>) -> Vec<ToolCall> {
        if let [call] = calls.as_slice()
            && !call.id().is_empty()
            && !self.has_call(call.id())
        {
            return calls;
        }
        let said = self.state.history.iter();
        let mut used: HashSet<String> = said
            .flat_map(Message::tool_calls)
            .map(|call| call.id().to_owned())
            .collect();
        let mut sent: HashSet<String> = calls.iter().map(|call| call.id().to_owned()).collect();
        sent.extend(used.iter().cloned());
        let mut number = sent.len();
        let mut fresh = || loop {
            number += 1;
            let id = format!("call_{number}");
            if !sent.contains(&id) {
                return id;
            }
        };
        calls
            .into_iter()
            .map(|call| {
                let id = call.id().to_owned();
                let call = if id.is_empty() || used.contains(&id) {
                    call.with_id(fresh())
                } else {
                    call
                };
                used.insert(call.id().to_owned());
                call
            })
            .collect()
    }
}

fn refused(error: ToolError) -> CallState {
    CallState::Finished(Outcome::refused(error, Weight::Free))
}
