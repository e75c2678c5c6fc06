//! Another agent in the place of the one that a run was recorded with, for replays.

use super::agent_call::AgentCall;
use super::output::Output;
use super::place::Place;
use super::state::{CallState, Phase, State};
use super::{Input, Run, UsageLimits, check_agent, stated_compaction, stated_output};
use agent_spec::Agent;
use agent_spec::json::parse_json;
use agent_tool::Error;
use agent_tool::library::BoundTools;
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::Arc;

impl Run {
    /// Returns a run with the input of this one that has not begun.
    #[doc(hidden)]
    #[must_use]
    pub fn anew(&self) -> Self {
        let own = &self.state;
        let history = own.history[..=own.start].to_vec();
        Self {
            state: State {
                hidden: own.hidden,
                compaction: own.compaction.clone(),
                variables: Arc::clone(&own.variables),
                given: own.given.clone(),
                ..State::new(crate::id::run_id(), history, own.limits)
            },
            is_request_taken: false,
            ..self.clone()
        }
    }

    /// Returns this run with another agent, which has the same input, calls and results behind it. `variables` are
    /// added to those of the run.
    ///
    /// # Errors
    /// Validation when the agent does not take the input, configuration when a variable is missing, and a tool error
    /// when an agent that was called and goes on is missing.
    #[doc(hidden)]
    pub fn with_agent(
        &self,
        agent: Agent,
        tools: &BoundTools,
        variables: &BTreeMap<String, String>,
    ) -> Result<Self, Error> {
        let mut run = self.clone();
        let mut all = BTreeMap::clone(&run.state.variables);
        all.extend(variables.clone());
        run.state.variables = Arc::new(all);
        let call = AgentCall::new(&agent, run.input()?, &run.state.variables)?;
        let mut run = run.replaced(agent, call, tools)?;
        run.set_place(Place::first(&run.agent));
        Ok(run)
    }

    /// Drops the limits of what the run may use. A run that was continued with others has no record of them, and a replay
    /// has no prices.
    #[doc(hidden)]
    #[must_use]
    pub fn without_limits(mut self) -> Self {
        self.state.limits = UsageLimits::new();
        self
    }

    /// The input that the run was created with.
    fn input(&self) -> Result<Input, Error> {
        let message = &self.state.history[self.state.start];
        let is_function = self.agent.has_own_signature() || self.agent.prompt().is_some();
        let beside_text = || {
            let parts = message.parts().iter();
            parts.filter(|part| part.as_text().is_none()).cloned()
        };
        Ok(match &self.state.given {
            Value::Null if is_function => {
                return Err(Error::validation(format!(
                    "the record has no arguments of the agent `{}`, because an older version wrote it, so that no \
                     other agent can be called with them",
                    self.agent.name()
                )));
            }
            Value::Null => Input::from(message.parts().to_vec()),
            Value::String(text) => beside_text().fold(Input::new(text), Input::part),
            arguments => {
                let media = beside_text().filter_map(|part| part.media().cloned());
                let input = Input::from_arguments(arguments.clone()).argument_media(media);
                let taken = AgentCall::media_arguments(&self.agent, arguments);
                beside_text().skip(taken).fold(input, Input::part)
            }
        })
    }

    fn replaced(self, agent: Agent, call: AgentCall, tools: &BoundTools) -> Result<Self, Error> {
        check_agent(&agent)?;
        let agent = tools.complete(agent)?;
        let output = match (stated_output(&agent), &self.output) {
            (Some(ty), _) => Some(Output::new(ty, agent.tools(), None)?),
            (None, Some(asked)) if stated_output(&self.agent).is_none() => {
                Some(asked.for_tools(agent.tools())?)
            }
            _ => None,
        };
        let mut state = self.state;
        state.history[state.start] = call.message;
        if state.compaction == stated_compaction(&self.agent, &self.host) {
            state.compaction = stated_compaction(&agent, &self.host);
        }
        if let Phase::Tools(turn) = &mut state.phase {
            for called in &mut turn.calls {
                if let CallState::Agent { arguments, run } = &mut called.state {
                    let (agent, tools) = tools.agent(run.agent.name())?;
                    let agent = tools.complete(agent)?;
                    let arguments = parse_json(arguments).unwrap_or_default();
                    let variables = &state.variables;
                    run.state.variables = Arc::clone(variables);
                    let call = AgentCall::of_arguments(&agent, arguments, variables)?;
                    **run = run.clone().replaced(agent, call, &tools)?;
                }
            }
        }
        let mut run = Self::assemble(agent, call.instruction, tools, output, state);
        run.place = self.place;
        run.host = self.host;
        Ok(run)
    }
}
