//! The plan of a turn's calls: which are made, which wait for a person's approval, and which are answered at once.

use super::agent_call::AgentCall;
use super::agent_run::AgentRun;
use super::limits::MAX_ITERATIONS;
use super::meant_calls::meant_call;
use super::state::{CallState, Outcome, Phase, Turn, TurnCall, Weight};
use super::texts;
use super::tool_search::{CALL, SEARCH, called, search};
use crate::conversation::{Message, Taint, ToolCall};
use crate::model::{FinishReason, ModelReply};
use agent_spec::json::parse_json;
use agent_spec::{SEARCH_TOOLS, WhenTainted};
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
                    inner_taint: Taint::Clean,
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
            Ok(arguments) => self.plan_valid_call(name, arguments),
        }
    }

    /// Decides whether a call with valid arguments is made, waits for a person or is refused.
    fn plan_valid_call(&self, name: &str, arguments: String) -> CallState {
        let guarded = self.guarded(name, &arguments).map(Box::new);
        if let Some(guarded) = &guarded
            && self.when_tainted() == WhenTainted::Deny
        {
            let error = ToolError::Authorization(texts::guarded(name, guarded));
            return CallState::Finished(Outcome::refused(error, Weight::Free));
        }
        if guarded.is_some()
            || self.tools.requires_approval(name)
            || self.may_have_been_made(name, &arguments)
        {
            return CallState::AwaitingApproval {
                arguments,
                in_doubt: false,
                guarded,
            };
        }
        CallState::Ready {
            arguments,
            begun: self.host.begun(),
        }
    }

    /// Whether there is an earlier call with equal arguments for which it is not known whether it was made.
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
        // Checked here, before a person is asked about a call that cannot be made.
        if self.tools.is_agent(name)
            && let Ok((agent, _)) = self.tools.bound.agent(name)
        {
            AgentCall::check(&agent, &arguments)?;
        }
        Ok(arguments)
    }

    /// The result of a call whose tool has no attempts left. It does not repeat the last failure, so that the
    /// record distinguishes calls that failed from calls that were not made.
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
        let mut ids = self.call_ids();
        let calls = calls.into_iter().map(|call| {
            let id = ids.next(call.id());
            match id == call.id() {
                true => call,
                false => call.with_id(id),
            }
        });
        calls.collect()
    }

    /// The ids of the calls of the conversation, from which the calls of an answer get unique ids.
    pub(crate) fn call_ids(&self) -> CallIds {
        let calls = self.state.history.iter().flat_map(Message::tool_calls);
        CallIds(calls.map(|call| call.id().to_owned()).collect())
    }
}

/// The ids of calls that are taken.
pub(crate) struct CallIds(HashSet<String>);

impl CallIds {
    /// Returns the id of the next call: the provider's id, unless it is empty, has a `/` or belongs to an
    /// earlier call.
    pub(crate) fn next(&mut self, id: &str) -> String {
        let mut own = id.to_owned();
        let mut number = self.0.len();
        // A slash separates the ids of calls that lead to a nested run.
        while own.is_empty() || own.contains('/') || self.0.contains(&own) {
            number += 1;
            own = format!("call_{number}");
        }
        self.0.insert(own.clone());
        own
    }
}

/// Searches for tools, and calls of the tools that were found.
impl AgentRun {
    /// Whether the model searches for tools.
    fn searches(&self) -> bool {
        !self.deferred.is_empty()
    }

    /// Whether a call of this name searches for tools.
    pub(super) fn is_search(&self, name: &str) -> bool {
        self.searches() && name == SEARCH.name()
    }

    /// Whether a call searches for tools, by itself or through `callTool`.
    fn makes_search(&self, call: &ToolCall) -> bool {
        let target = self.target(call);
        self.is_search(target.as_ref().unwrap_or(call).tool())
    }

    /// Whether the model can call a tool of this name.
    pub(super) fn is_tool(&self, name: &str) -> bool {
        let is_of_search = self.searches() && SEARCH_TOOLS.contains(&name);
        is_of_search || self.is_output(name) || self.tools.get(name).is_some()
    }

    /// The call of another tool that a call of `callTool` stands for; `None` for any other call.
    pub(super) fn target(&self, call: &ToolCall) -> Option<ToolCall> {
        let is_meant = self.searches() && call.tool() == CALL.name();
        let target = is_meant.then(|| self.called(call).ok()).flatten();
        target.filter(|target| !self.is_output(target.tool()))
    }

    /// The call that a call of `callTool` stands for.
    fn called(&self, call: &ToolCall) -> Result<ToolCall, ToolError> {
        let target = called(call)?;
        Ok(meant_call(target, |name| self.is_tool(name)))
    }

    /// Finds the targets of the calls of a run that was saved.
    pub(super) fn find_targets(&mut self) {
        let Phase::Tools(turn) = &self.state.phase else {
            return;
        };
        let mut targets = Vec::new();
        for call in &turn.calls {
            targets.push(self.target(&call.call));
        }
        if let Phase::Tools(turn) = &mut self.state.phase {
            for call in turn.calls.iter_mut().rev() {
                call.target = targets.pop().flatten();
            }
        }
    }

    /// The outcome of a search, and of a call of `callTool` that stands for no call of another tool.
    pub(super) fn search_outcome(&self, call: &ToolCall) -> Option<Outcome> {
        if self.is_search(call.tool()) {
            return Some(match search(&self.deferred, call.args_text()) {
                Err(error) => Outcome::refused(error, Weight::Mistake),
                Ok(found) => Outcome {
                    arguments: Some(call.args_text().to_owned()),
                    result: Ok(found.into()),
                    parts: Vec::new(),
                    weight: Weight::Free,
                },
            });
        }
        if !self.searches() || call.tool() != CALL.name() {
            return None;
        }
        let error = match self.called(call) {
            Err(error) => error,
            Ok(target) if self.is_output(target.tool()) => {
                ToolError::Validation(texts::answer_by_call(target.tool()))
            }
            // The call of `callTool` by itself, which is no tool of the agent.
            Ok(_) => return None,
        };
        Some(Outcome::refused(error, Weight::Mistake))
    }

    /// Whether the model has called a tool in this run. A search for tools is no such call.
    pub(super) fn has_called(&self) -> bool {
        for message in &self.state.history[self.state.start..] {
            for call in message.tool_calls() {
                if !self.makes_search(call) {
                    return true;
                }
            }
        }
        false
    }

    /// The number of calls that are no searches.
    pub(super) fn count_without_searches(&self, calls: &[ToolCall]) -> usize {
        let mut count = 0;
        for call in calls {
            count += usize::from(!self.makes_search(call));
        }
        count
    }
}

fn refused(error: ToolError) -> CallState {
    CallState::Finished(Outcome::refused(error, Weight::Free))
}
