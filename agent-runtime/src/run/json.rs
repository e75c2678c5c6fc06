//! The saved form of a run.
//!
//! It holds everything that the run needs to go on, the agent included; the tools are bound anew.
//! The texts of arguments are kept to the letter, so that a run that was saved goes on as if it
//! had not been.

mod check;
mod read;
mod write;

use super::Run;
use super::output::Output;
use crate::conversation::text;
use crate::error::Error;
use crate::library::BoundTools;
use agent_spec::Agent;
use agent_spec::json::agent_pattern_from_json;
use serde_json::{Value, json};

/// What tells a saved run from other JSON.
const FORMAT: &str = "agent-run";

/// The version that is written, and the only one that is read.
const VERSION: u64 = 1;

impl Run {
    /// The run as JSON, to go on later with [`Run::from_json`], also in another process. It holds
    /// the conversation, so it is as private as that; it holds no key.
    #[must_use]
    pub fn to_json(&self) -> Value {
        json!({
            "format": FORMAT,
            "version": VERSION,
            "agent": self.agent.to_json(),
            "instruction": self.instruction,
            "output": self.output.as_ref().map(Output::to_json),
            "state": write::state(&self.state),
        })
    }

    /// The agent of a saved run, whose tools are to be bound for [`Run::from_json`].
    ///
    /// # Errors
    /// Validation when the JSON is no saved run of this version.
    pub fn saved_agent(json: &Value) -> Result<Agent, Error> {
        check_format(json)?;
        let agent = json.get("agent").unwrap_or(&Value::Null);
        let pattern = agent_pattern_from_json(agent).map_err(unreadable)?;
        Ok(Agent::from_pattern(&pattern)?)
    }

    /// Reads a saved run. `tools` are those of [`Run::saved_agent`], bound again; the run goes on
    /// exactly as it would have.
    ///
    /// # Errors
    /// Validation when the JSON is no saved run of this version, or one that cannot go on: its history
    /// could not be sent to a model, or the calls that wait are not those that the model asked for. A
    /// tool error when a tool of the agent is not among `tools`.
    pub fn from_json(json: &Value, tools: &BoundTools) -> Result<Self, Error> {
        let agent = Self::saved_agent(json)?;
        if let Some(spec) = agent
            .tools()
            .iter()
            .find(|spec| tools.get(spec.name()).is_none())
        {
            return Err(Error::tool(format!(
                "the saved run needs the tool `{}`, which is not bound",
                spec.name()
            )));
        }
        let instruction = text(json, "instruction").map_err(unreadable)?;
        let state = json.get("state").unwrap_or(&Value::Null);
        let state = read::state(state).map_err(unreadable)?;
        let output = Output::from_json(json.get("output").unwrap_or(&Value::Null));
        let mut run = Self::assemble(agent, instruction, tools, state);
        run.set_output(output.map_err(unreadable)?);
        check::check(&run).map_err(unreadable)?;
        // Nothing is due for a run that was saved between two steps; one that was tampered with
        // must not stand still for ever.
        run.advance();
        Ok(run)
    }
}

fn check_format(json: &Value) -> Result<(), Error> {
    if json.get("format").and_then(Value::as_str) != Some(FORMAT) {
        return Err(Error::validation("this JSON is not a saved run"));
    }
    match json.get("version").and_then(Value::as_u64) {
        Some(VERSION) => Ok(()),
        found => Err(Error::validation(format!(
            "the saved run has version {}; this program reads version {VERSION}",
            found.map_or_else(|| "?".to_owned(), |version| version.to_string())
        ))),
    }
}

fn unreadable(error: impl std::error::Error + Send + Sync + 'static) -> Error {
    Error::validation("the saved run cannot be read").with_source(error)
}
