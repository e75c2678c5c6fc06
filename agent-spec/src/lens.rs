//! Agents and tools as patterns, with typed access: get and set without leaving the pattern.
//!
//! A pattern is the source, and [`Agent`] and [`ToolSpec`] are compiled from it. Both have the same
//! content, and both can be run.
//!
//! Each getter with its setter is a lens: a getter returns the value that was set, setting the current
//! value changes nothing, and the last of several settings counts. A setter keeps everything else: other
//! properties, labels, elements, the order of keys. A value with several spellings (`1` and `1.0`, one
//! text and a list of one) keeps its spelling while it is set to an equal value, and a tagged text keeps
//! its tag.
//!
//! A getter treats a property of another kind as missing. [`AgentPattern::to_agent`] and
//! [`ToolPattern::to_tool_spec`] report the mistakes of a pattern.
//!
//! ```
//! use agent_spec::{AgentPattern, Model};
//!
//! let source = "[greeter:Agent {instruction: \"Greet people.\", model: \"OpenAI/gpt-6-sol\", owner: sales}]";
//! let greeter = AgentPattern::parse(source)?;
//!
//! // One agent is derived from another: what is not set stays.
//! let mut terse = greeter.clone();
//! terse.set_name("terse_greeter");
//! terse.set_instruction("Greet people in one word.");
//! terse.set_model(&Model::from_static("OpenAI", "gpt-6-luna"));
//! assert_eq!(
//!     terse.as_pattern().to_string(),
//!     "(terse_greeter::Agent {
//!   instruction: \"Greet people in one word.\",
//!   model: \"OpenAI/gpt-6-luna\",
//!   owner: sales
//! })"
//! );
//! # Ok::<(), agent_spec::Diagnostics>(())
//! ```
//!
//! [`Agent`]: crate::Agent
//! [`ToolSpec`]: crate::ToolSpec

mod agent;
mod convert;
mod property;
mod tool;

use crate::agent::Agent;
use crate::check::{self, NOT_AN_AGENT, Options};
use crate::diagnostic::{Code, Diagnostic, Diagnostics};
use crate::tool::ToolSpec;
use crate::vocabulary::TOOL_LABELS;
use agent_gram::{Pattern, Span};

/// A pattern that is labelled as an agent.
///
/// Only the label is certain: what else an agent needs is checked by [`AgentPattern::to_agent`],
/// so that a pattern can be put together step by step.
#[derive(Clone, Debug, PartialEq)]
pub struct AgentPattern(Pattern);

/// A pattern that is labelled as a tool.
///
/// Only the label is certain: what else a tool needs is checked by [`ToolPattern::to_tool_spec`].
#[derive(Clone, Debug, PartialEq)]
pub struct ToolPattern(Pattern);

impl AgentPattern {
    /// The pattern.
    #[must_use]
    pub fn as_pattern(&self) -> &Pattern {
        &self.0
    }

    /// Compiles the pattern to an agent. Any provider name is accepted, because the runtime knows which
    /// providers exist.
    ///
    /// # Errors
    /// Returns the diagnostics. Their positions are in the pattern's gram text.
    pub fn to_agent(&self) -> Result<Agent, Diagnostics> {
        read_agent_pattern(&self.0)
    }
}

impl ToolPattern {
    /// The pattern.
    #[must_use]
    pub fn as_pattern(&self) -> &Pattern {
        &self.0
    }

    /// Compiles the pattern to a tool spec.
    ///
    /// # Errors
    /// Returns the diagnostics. Their positions are in the pattern's gram text.
    pub fn to_tool_spec(&self) -> Result<ToolSpec, Diagnostics> {
        read_tool_pattern(&self.0)
    }
}

impl TryFrom<Pattern> for AgentPattern {
    type Error = Diagnostics;

    fn try_from(pattern: Pattern) -> Result<Self, Diagnostics> {
        if is_agent(&pattern) {
            return Ok(Self(pattern));
        }
        Err(no_agent())
    }
}

impl TryFrom<Pattern> for ToolPattern {
    type Error = Diagnostics;

    fn try_from(pattern: Pattern) -> Result<Self, Diagnostics> {
        if is_tool(&pattern) {
            return Ok(Self(pattern));
        }
        Err(no_tool())
    }
}

impl From<AgentPattern> for Pattern {
    fn from(agent: AgentPattern) -> Self {
        agent.0
    }
}

impl From<ToolPattern> for Pattern {
    fn from(tool: ToolPattern) -> Self {
        tool.0
    }
}

fn is_agent(pattern: &Pattern) -> bool {
    pattern.subject().has_label("Agent")
}

fn is_tool(pattern: &Pattern) -> bool {
    TOOL_LABELS
        .iter()
        .any(|label| pattern.subject().has_label(label))
}

fn no_agent() -> Diagnostics {
    Diagnostics::without_text(Code::MissingLabel, NOT_AN_AGENT)
}

fn no_tool() -> Diagnostics {
    let message = "Tool specification must have ToolSpecification label";
    Diagnostics::without_text(Code::MissingLabel, message)
}

pub(crate) use convert::{
    CalledHere, effect_value, reference_pattern, setting_value, with_called_agents,
};
pub(crate) use convert::{agent_pattern, tool_pattern};

pub(crate) fn read_agent_pattern(pattern: &Pattern) -> Result<Agent, Diagnostics> {
    if !is_agent(pattern) {
        return Err(no_agent());
    }
    let options = Options {
        any_provider: true,
        keep_unknown_references: true,
        ..Options::default()
    };
    let source = agent_gram::print::print_pattern(pattern);
    let checked = check::check(&source, options);
    let failed = checked.has_errors();
    // Agents are read outer ones first, so the first is the pattern itself.
    match checked.agents.into_iter().next() {
        Some(node) if !failed => Ok(node.agent),
        _ => Err(Diagnostics::new(source, checked.diagnostics)),
    }
}

pub(crate) fn read_tool_pattern(pattern: &Pattern) -> Result<ToolSpec, Diagnostics> {
    if !is_tool(pattern) {
        return Err(no_tool());
    }
    let source = agent_gram::print::print_pattern(pattern);
    let checked = check::check(&source, Options::default());
    let failed = checked.has_errors();
    match checked.tools.into_iter().next() {
        Some(node) if !failed => Ok(node.spec.clone()),
        _ => Err(Diagnostics::new(source, checked.diagnostics)),
    }
}

/// The finding for two specs that are not equal.
pub(crate) fn conflict_between(
    agents: (&str, &str),
    ours: &ToolSpec,
    theirs: &ToolSpec,
) -> Diagnostic {
    let difference = if ours.signature() != theirs.signature() {
        format!("`{}` and `{}`", ours.signature(), theirs.signature())
    } else if ours.description() != theirs.description() {
        let (ours, theirs) = (ours.description(), theirs.description());
        format!("the descriptions are {ours:?} and {theirs:?}")
    } else {
        "their other properties differ".to_owned()
    };
    conflict(agents, ours.name(), &difference)
}

/// Creates the diagnostic of two tools of one name, with the difference in words.
pub(crate) fn conflict((first, second): (&str, &str), tool: &str, difference: &str) -> Diagnostic {
    let message = format!(
        "the agents `{first}` and `{second}` have different tools named `{tool}`: {difference}"
    );
    Diagnostic::new(Code::ConflictingTools, Span::at(0), message)
        .with_help("make them equal, or rename one")
}
