//! The plan of a turn's calls: which are made, which wait for a person's approval, and which are answered at once.

use super::agent_call::AgentCall;
use super::agent_run::AgentRun;
use super::limits::MAX_ITERATIONS;
use super::state::{CallState, Outcome, Phase, Turn, TurnCall, Weight};
use super::texts;
use crate::conversation::{Message, ToolCall};
use crate::model::{FinishReason, ModelReply};
use agent_spec::json::parse_json;
use agent_tool::__private::ErrorKind;
use agent_tool::tool::ToolError;
use std::collections::HashSet;

impl AgentRun {
    /// Appends an answer that calls tools to the history. Returns the calls, each with an id of its own.
    pub(super) fn push_calls(&mut self, reply: ModelReply) -> Vec<ToolCall> {
        let calls = self.with_unique_ids(reply.tool_calls);
        let message = Message::assistant_parts(reply.parts).with_tool_calls(calls.iter().cloned());
        self.state.history.push(message);
        calls
    }

    /// Appends an answer that calls tools to the history and validates each call.
    pub(super) fn take_calls(&mut self, reply: ModelReply) {
        let finish_reason = reply.finish_reason.clone();
        let calls = self.push_calls(reply);
        let settings = self.agent.settings();
        let most = settings.max_iterations.unwrap_or(MAX_ITERATIONS);
        let reached = if self.state.iterations >= most {
            Some(texts::too_many_turns(self.agent.name(), most))
        } else {
            let reached = self.limit_reached();
            let tools = self.count_without_searches(&calls);
            reached.or_else(|| self.call_limit_reached(tools))
        };
        if let Some(text) = reached {
            let error = ToolError::Execution(texts::CALL_NOT_MADE.to_owned());
            self.open_turn(calls, |_, _| refused(error.clone()));
            self.answer_rest();
            return self.fail(ErrorKind::Limit, text);
        }
        self.state.iterations += 1;
        let problem = match finish_reason {
            FinishReason::Length => Some(texts::CUT_OFF),
            FinishReason::ContentFilter => Some(texts::FILTERED),
            _ => None,
        };
        if let Some(problem) = problem {
            let error = ToolError::Validation(problem.to_owned());
            self.open_turn(calls, |_, _| refused(error.clone()));
        } else {
            let all = calls.clone();
            self.open_turn(calls, |run, call| run.plan_call(call, &all));
        }
        self.advance();
    }

    fn open_turn(&mut self, calls: Vec<ToolCall>, plan: impl Fn(&Self, &ToolCall) -> CallState) {
        let calls = calls
            .into_iter()
            .map(|call| {
                let target = self.target(&call);
                let state = plan(self, target.as_ref().unwrap_or(&call));
                TurnCall {
                    call,
                    target,
                    state,
                    used: None,
                }
            })
            .collect();
        self.state.phase = Phase::Tools(Turn::new(calls, 0, 0));
    }

    /// Decides whether a call is made, waits for a person or is answered at once.
    fn plan_call(&self, call: &ToolCall, all: &[ToolCall]) -> CallState {
        let name = call.tool();
        if self.is_output(name)
            && let Some(outcome) = self.refused_answer(call.args_text(), all)
        {
            return CallState::Finished(outcome);
        }
        if let Some(outcome) = self.search_outcome(call) {
            return CallState::Finished(outcome);
        }
        if let Some(outcome) = self.exhausted(name) {
            return CallState::Finished(outcome);
        }
        match self.validated(name, call.args_text()) {
            Err(error) => CallState::Finished(Outcome::refused(error, Weight::Mistake)),
            Ok(arguments)
                if self.tools.requires_approval(name)
                    || self.may_have_been_made(name, &arguments) =>
            {
                CallState::AwaitingApproval {
                    arguments,
                    in_doubt: false,
                }
            }
            Ok(arguments) => CallState::Ready {
                arguments,
                begun: self.host.begun(),
            },
        }
    }

    /// Whether it is not known of an earlier call with equal arguments whether it was made.
    fn may_have_been_made(&self, name: &str, arguments: &str) -> bool {
        let mut unknown = self.state.unknown_calls.iter();
        unknown.any(|(tool, made)| {
            tool == name
                && (made == arguments
                    || parse_json(made).is_ok_and(|made| {
                        parse_json(arguments).is_ok_and(|arguments| made == arguments)
                    }))
        })
    }

    /// The arguments of a call as its tool or agent gets them.
    fn validated(&self, name: &str, arguments: &str) -> Result<String, ToolError> {
        let arguments = self.tools.validate(name, arguments)?;
        // Before a person is asked about a call that cannot be made.
        if self.tools.is_agent(name)
            && let Ok((agent, _)) = self.tools.bound.agent(name)
        {
            AgentCall::check(&agent, &arguments)?;
        }
        Ok(arguments)
    }

    /// The result of a call whose tool has no attempts left. It does not repeat the last failure, so that
    /// the record tells the calls that failed from those that were not made.
    pub(super) fn exhausted(&self, name: &str) -> Option<Outcome> {
        let is_exhausted = self.state.attempts.get(name)?.exhausted;
        let error = || ToolError::Execution(texts::not_made_without_attempts(name));
        is_exhausted.then(|| Outcome::refused(error(), Weight::Spent))
    }

    /// Gives each call an id that no other call of the conversation has. Some servers send no ids, one id
    /// for all calls of an answer, or the same ids in every answer. Ids of earlier messages never change,
    /// because they were sent already.
    fn with_unique_ids(&self, calls: Vec<ToolCall>) -> Vec<ToolCall> {
        let earlier = || self.state.history.iter().flat_map(Message::tool_calls);
        if let [call] = calls.as_slice()
            && !call.id().is_empty()
            && !call.id().contains('/')
            && earlier().all(|other| other.id() != call.id())
        {
            return calls;
        }
        let mut used: HashSet<String> = earlier().map(|call| call.id().to_owned()).collect();
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
                // A slash separates the ids of calls that lead to a nested run.
                let call = if id.is_empty() || id.contains('/') || used.contains(&id) {
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
