//! Tools and agents from JSON: the pattern first, then the one checker.

use super::{JsonError, agent_pattern_from_json, tool_pattern_from_json};
use crate::agent::Agent;
use crate::diagnostic::Diagnostics;
use crate::tool::ToolSpec;
use serde_core::de::{Deserialize, Deserializer, Error as _};
use std::fmt;

/// Why JSON is no tool or agent.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SpecError {
    /// The JSON is not of the right form.
    Form(JsonError),
    /// The form is right, but what it says is not. Places are those in the gram text of the same
    /// content.
    Content(Diagnostics),
}

impl fmt::Display for SpecError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Form(error) => error.fmt(out),
            Self::Content(found) => found.fmt(out),
        }
    }
}

impl std::error::Error for SpecError {}

impl ToolSpec {
    /// Reads the JSON form of a tool. `schema` is ignored: `typeSignature` says it.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn from_json(json: &serde_json::Value) -> Result<Self, SpecError> {
        let pattern = tool_pattern_from_json(json).map_err(SpecError::Form)?;
        Self::from_pattern(&pattern).map_err(SpecError::Content)
    }
}

impl Agent {
    /// Reads the JSON form of an agent. Any provider is taken: who runs the agent knows which
    /// exist.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn from_json(json: &serde_json::Value) -> Result<Self, SpecError> {
        let pattern = agent_pattern_from_json(json).map_err(SpecError::Form)?;
        Self::from_pattern(&pattern).map_err(SpecError::Content)
    }
}

impl<'de> Deserialize<'de> for ToolSpec {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let json = serde_json::Value::deserialize(deserializer)?;
        Self::from_json(&json).map_err(D::Error::custom)
    }
}

impl<'de> Deserialize<'de> for Agent {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let json = serde_json::Value::deserialize(deserializer)?;
        Self::from_json(&json).map_err(D::Error::custom)
    }
}
