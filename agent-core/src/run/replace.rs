//! Replacing the agent that a run was recorded with, for replays.

use super::agent_call::AgentCall;
use super::agent_run::AgentRun;
use super::output::Output;
use super::state::State;
use super::{Input, PendingCall, check_agent, stated_compaction, stated_output};
use crate::conversation::Taint;
use agent_spec::Agent;
use agent_tool::Error;
use agent_tool::library::BoundTools;
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::Arc;

impl AgentRun {
    /// Returns a run with the input of this one that has not begun.
    pub(super) fn anew(&self) -> Self {
        let own = &self.state;
        let history = own.history[..=own.start].to_vec();
        self.clone().with_state(State {
            hidden: own.hidden,
            compaction: own.compaction.clone(),
            variables: Arc::clone(&own.variables),
            given: own.given.clone(),
            when_tainted: own.when_tainted,
            touched: own.touched.clone(),
            ..State::new(crate::id::run_id(), history, own.limits)
        })
    }

    /// Returns this run with another agent, and with the same input, calls and results. `variables` are added
    /// to those of the run.
    pub(super) fn with_agent(
        &self,
        agent: Agent,
        tools: &BoundTools,
        variables: &BTreeMap<String, String>,
    ) -> Result<Self, Error> {
        let mut run = self.clone();
        let mut all = BTreeMap::clone(&run.state.variables);
        all.extend(variables.clone());
        run.state.variables = Arc::new(all);
        let call = AgentCall::new(&agent, run.input(), &run.state.variables)?;
        run.replaced(agent, call, tools)
    }

    /// Returns this run, which a call of `caller` began, with the agent of the same name that `caller` has.
    pub(super) fn with_agent_of(&self, caller: &Self, call: &PendingCall) -> Result<Self, Error> {
        let (agent, tools) = caller.tools().agent(self.agent.name())?;
        let agent = tools.complete(agent)?;
        let mut run = self.clone();
        run.state.variables = Arc::clone(&caller.state.variables);
        let call = AgentCall::of_arguments(&agent, call.args(), &run.state.variables)?;
        run.replaced(agent, call, &tools)
    }

    /// The input that the run was created with.
    fn input(&self) -> Input {
        let message = &self.state.history[self.state.start];
        let beside_text = || {
            let parts = message.parts().iter();
            parts.filter(|part| part.as_text().is_none()).cloned()
        };
        match &self.state.given {
            Value::Null => Input::from(message.parts().to_vec()),
            Value::String(text) => beside_text().fold(Input::new(text), Input::part),
            arguments => {
                let media = beside_text().filter_map(|part| part.media().cloned());
                let input = Input::from_arguments(arguments.clone()).argument_media(media);
                let taken = AgentCall::media_arguments(&self.agent, arguments);
                beside_text().skip(taken).fold(input, Input::part)
            }
        }
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
        let taint = match call.is_untrusted || tools.has_foreign_descriptions() {
            true => Taint::Tainted,
            false => state.history[state.start].taint(),
        };
        state.history[state.start] = call.message.with_taint(taint);
        if state.compaction == stated_compaction(&self.agent, &self.host) {
            state.compaction = stated_compaction(&agent, &self.host);
        }
        let mut run = Self::assemble(agent, call.instruction, tools, output, state);
        run.host = self.host;
        Ok(run)
    }
}
