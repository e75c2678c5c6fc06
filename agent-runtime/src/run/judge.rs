//! Whether a call is one that its tool can be given.

use super::rules::{Rules, ToolRule};
use super::state::{Outcome, Weight};
use super::texts;
use crate::tool::ToolError;
use agent_spec::names::nearest;

/// The arguments to give a tool.
pub(crate) fn call_arguments(rule: &ToolRule, arguments: &str) -> Result<String, ToolError> {
    let checked = rule
        .spec
        .signature()
        .check_arguments(arguments, rule.implementation.as_ref())
        .map_err(|violations| ToolError::Validation(texts::violations(&violations)))?;
    for dropped in checked.dropped() {
        tracing::debug!(
            tool = rule.name(),
            argument = dropped.as_str(),
            "an argument that the tool does not have was dropped"
        );
    }
    Ok(checked.into_parts().0)
}

impl Rules {
    /// The arguments to give the tool, or why the call is not made.
    pub(crate) fn check(&self, name: &str, arguments: &str) -> Result<String, Outcome> {
        self.arguments_for(name, arguments)
            .map_err(|error| Outcome::refused(error, Weight::Mistake))
    }

    /// The arguments to give the tool, or what is wrong with these.
    pub(crate) fn arguments_for(&self, name: &str, arguments: &str) -> Result<String, ToolError> {
        let rule = self.tool(name).ok_or_else(|| self.unknown(name))?;
        call_arguments(rule, arguments)
    }

    fn unknown(&self, name: &str) -> ToolError {
        if self.is_undeclared(name) {
            return ToolError::Authorization(texts::undeclared(name));
        }
        let meant = nearest(name, self.names());
        ToolError::Execution(texts::unknown_tool(name, meant, self.names()))
    }
}
