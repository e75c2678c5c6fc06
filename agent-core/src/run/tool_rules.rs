//! The agent's tools as the loop sees them: the validation of calls and the settings of tools.

use super::meant_calls::without_namespace;
use super::texts;
use agent_spec::names::nearest;
use agent_spec::validate::Arguments;
use agent_spec::{Kind, Signature, ToolSettings};
use agent_tool::__private::{KeptMedia, ToolRule, trace_arguments, wrong_arguments};
use agent_tool::library::{BoundTool, BoundTools};
use agent_tool::tool::ToolError;

/// The agent's tools as the rules of a run see them.
#[derive(Clone, Debug)]
pub(super) struct ToolRules {
    pub(super) bound: BoundTools,
    /// Whether one of the tools is an agent.
    pub(super) has_agents: bool,
}

impl ToolRules {
    pub(super) fn new(tools: &BoundTools) -> Self {
        Self {
            bound: tools.clone(),
            has_agents: tools.iter().any(|tool| tool.rule().is_agent),
        }
    }

    pub(super) fn get(&self, name: &str) -> Option<&ToolRule> {
        self.bound.get(name).map(BoundTool::rule)
    }

    /// The settings of a tool.
    pub(super) fn settings(&self, name: &str) -> Option<&ToolSettings> {
        self.get(name).map(|rule| &rule.settings)
    }

    /// Whether a tool is an agent.
    pub(super) fn is_agent(&self, name: &str) -> bool {
        self.get(name).is_some_and(|rule| rule.is_agent)
    }

    /// Whether the calls of a tool run alone.
    pub(super) fn is_sequential(&self, name: &str) -> bool {
        self.get(name).is_some_and(|rule| rule.settings.sequential)
    }

    /// Whether the model may call a tool again after a failure. A tool that does not exist may be called
    /// again, because nothing ran.
    pub(super) fn is_retryable(&self, name: &str) -> bool {
        self.get(name).is_none_or(|rule| rule.settings.retryable)
    }

    pub(super) fn requires_approval(&self, name: &str) -> bool {
        self.get(name).is_some_and(ToolRule::requires_approval)
    }

    /// Returns the signature of a tool whose result is media. A result of the type `Any` is media if the call marked it.
    pub(super) fn media_signature(&self, name: &str, kept: &KeptMedia) -> Option<&Signature> {
        let signature = self.get(name)?.spec.signature();
        let is_media = match signature.returns().ty().kind() {
            Kind::Media(_) => true,
            Kind::Any => kept.is_of_parts(),
            _ => false,
        };
        is_media.then_some(signature)
    }

    /// Returns the arguments that a tool is called with, defaults included.
    ///
    /// # Errors
    /// The error result of the call.
    pub(super) fn validate(&self, name: &str, arguments: &str) -> Result<String, ToolError> {
        validate_call(self.find(name)?, arguments)
    }

    /// Returns the arguments of a call that a person edited. A person means every argument they write, so
    /// one that the tool does not have is an error, and is not dropped as a model's would be.
    ///
    /// # Errors
    /// The problems of the arguments, for the person.
    pub(super) fn validate_edit(&self, name: &str, arguments: &str) -> Result<String, ToolError> {
        let rule = self.find(name)?;
        let checked = check_arguments(rule, arguments)?;
        if !checked.dropped().is_empty() {
            let text = texts::no_such_arguments(checked.dropped(), rule.spec.signature());
            return Err(ToolError::Validation(text));
        }
        Ok(checked.into_text())
    }

    fn find(&self, name: &str) -> Result<&ToolRule, ToolError> {
        if let Some(rule) = self.get(name) {
            return Ok(rule);
        }
        let bare = without_namespace(name);
        if self.bound.is_undeclared(bare) {
            return Err(ToolError::Authorization(texts::undeclared(name)));
        }
        let names = || self.bound.iter().map(|tool| tool.rule().name());
        let meant = nearest(bare, names());
        Err(ToolError::Execution(texts::unknown_tool(
            name,
            meant,
            names(),
        )))
    }
}

/// Returns the arguments that a tool is called with: validated, with defaults, without arguments that the
/// signature does not name.
///
/// # Errors
/// The violations, for the model.
pub(crate) fn validate_call(rule: &ToolRule, arguments: &str) -> Result<String, ToolError> {
    let checked = check_arguments(rule, arguments)?;
    trace_arguments(rule.name(), &checked);
    Ok(checked.into_text())
}

fn check_arguments<'t>(rule: &ToolRule, arguments: &'t str) -> Result<Arguments<'t>, ToolError> {
    let signature = rule.spec.signature();
    let checked = signature
        .check_arguments(arguments, rule.implementation.as_ref())
        .map_err(wrong_arguments)?;
    rule.parts.check_arguments(&checked)?;
    Ok(checked)
}
