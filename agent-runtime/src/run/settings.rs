//! The settings of one request.

use super::Run;
use super::output::Output;
use crate::error::Error;
use crate::model::ToolDefinition;
use agent_gram::value::Text;
use agent_spec::{Agent, Model, Settings, ToolChoice};
use std::sync::Arc;

impl Run {
    /// The settings of the request that is due. A call that is demanded is demanded until an answer
    /// has called tools: a run whose every answer must call tools has no end.
    pub(super) fn settings_for(&self, model: &Model) -> Arc<Settings> {
        let is_other = model.provider() != self.agent.model().provider();
        let choice = self.settings.tool_choice.as_ref();
        let is_met = self.state.iterations > 0 && choice.is_some_and(ToolChoice::is_forced);
        let answer = self.only_answer();
        if !is_other && !is_met && answer.is_none() {
            return Arc::clone(&self.settings);
        }
        let mut settings = Settings::clone(&self.settings);
        if is_other {
            settings.leave_provider();
        }
        if is_met {
            settings.tool_choice = Some(ToolChoice::Auto);
        }
        if let Some(answer) = answer {
            settings.tool_choice = Some(ToolChoice::Tool(Text::new(answer.name())));
        }
        Arc::new(settings)
    }

    /// The tools of the request that is due.
    pub(super) fn tools(&self) -> Arc<[ToolDefinition]> {
        match self.only_answer() {
            Some(answer) => Arc::new([answer.definition()]),
            None => Arc::clone(&self.definitions),
        }
    }

    /// The answer of a type, when it is all that the model may give. It is given by a call, so a choice
    /// that forbids the agent's tools must not forbid that one.
    fn only_answer(&self) -> Option<&Output> {
        let is_none = self.settings.tool_choice == Some(ToolChoice::None);
        self.output.as_ref().filter(|_| is_none)
    }
}

/// Checks that a call that is demanded can be made.
pub(super) fn check_tool_choice(agent: &Agent) -> Result<(), Error> {
    let name = agent.name();
    let text = match &agent.settings().tool_choice {
        Some(ToolChoice::Required) if agent.tools().is_empty() => {
            format!("the agent `{name}` must call a tool and has none")
        }
        Some(ToolChoice::Tool(tool)) if agent.tool(tool).is_none() => {
            format!("the agent `{name}` must call the tool `{tool}`, which it does not have")
        }
        _ => return Ok(()),
    };
    Err(Error::validation(text))
}
