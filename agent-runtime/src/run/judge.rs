//! Whether a call is one that its tool can be given.

use super::rules::{Rules, ToolRule};
use super::state::{Outcome, Weight};
use super::texts;
use crate::tool::ToolError;
use agent_spec::names::nearest;
use agent_spec::validate::Arguments;

/// The arguments to give a tool.
pub(crate) fn call_arguments(rule: &ToolRule, arguments: &str) -> Result<String, ToolError> {
    let checked = checked(rule, arguments)?;
    for dropped in checked.dropped() {
        tracing::debug!(
            tool = rule.name(),
            argument = dropped.as_str(),
            "an argument that the tool does not have was dropped"
        );
    }
    Ok(checked.into_parts().0)
}

/// The arguments to give a tool when a person wrote them. A person means what they write: where a model
/// that sends too much is not troubled with it, an argument that the tool does not have is a mistake.
fn edited_arguments(rule: &ToolRule, arguments: &str) -> Result<String, ToolError> {
    let checked = checked(rule, arguments)?;
    if !checked.dropped().is_empty() {
        let text = texts::no_such_arguments(checked.dropped(), rule.spec.signature());
        return Err(ToolError::Validation(text));
    }
    Ok(checked.into_parts().0)
}

fn checked(rule: &ToolRule, arguments: &str) -> Result<Arguments, ToolError> {
    let signature = rule.spec.signature();
    signature
        .check_arguments(arguments, rule.implementation.as_ref())
        .map_err(|violations| ToolError::Validation(texts::violations(&violations)))
}

impl Rules {
    /// The arguments to give the tool, or why the call is not made.
    pub(crate) fn check(&self, name: &str, arguments: &str) -> Result<String, Outcome> {
        let rule = self.tool(name).ok_or_else(|| self.unknown(name));
        rule.and_then(|rule| call_arguments(rule, arguments))
            .map_err(|error| Outcome::refused(error, Weight::Mistake))
    }

    /// The arguments that a person gives the tool, or what is wrong with them.
    pub(crate) fn check_edit(&self, name: &str, arguments: &str) -> Result<String, ToolError> {
        let rule = self.tool(name).ok_or_else(|| self.unknown(name))?;
        edited_arguments(rule, arguments)
    }

    fn unknown(&self, name: &str) -> ToolError {
        if self.is_undeclared(name) {
            return ToolError::Authorization(texts::undeclared(name));
        }
        let meant = nearest(name, self.names());
        ToolError::Execution(texts::unknown_tool(name, meant, self.names()))
    }
}
