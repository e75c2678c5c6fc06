//! What can be wrong with a library, and why a spec has no implementation in it.

use crate::error::Error;
use crate::time_limit::no_time;
use crate::tool::Tool;
use std::fmt;

/// Why a tool was not registered.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum LibraryError {
    /// The name given is not the tool's own.
    OtherName {
        /// The name given.
        given: String,
        /// The tool's own.
        own: String,
    },
    /// The name is not one that every provider takes.
    BadName(String),
    /// The timeout of the tool of this name is 0.
    NoTime(String),
    /// Two tools have one name.
    Duplicate {
        /// The name.
        name: String,
        /// What the tool that was there says it does.
        first: String,
        /// What the tool that was to be added says it does.
        second: String,
        /// The types of their toolboxes, for those that are methods.
        owners: [Option<String>; 2],
    },
}

impl LibraryError {
    pub(super) fn duplicate(first: &dyn Tool, second: &dyn Tool) -> Self {
        Self::Duplicate {
            name: first.descriptor().name().to_owned(),
            first: first.descriptor().description().to_owned(),
            second: second.descriptor().description().to_owned(),
            owners: [first, second].map(|tool| tool.owner().map(str::to_owned)),
        }
    }
}

impl fmt::Display for LibraryError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::OtherName { given, own } => write!(
                out,
                "the tool is named `{own}` and cannot be registered as `{given}`"
            ),
            Self::BadName(name) => write!(
                out,
                "`{name}` cannot name a tool; a name is a letter or `_`, then letters, digits, `_` \
                 or `-`, 63 at most"
            ),
            Self::NoTime(name) => {
                out.write_str(&no_time(&format!("the timeout of the tool `{name}`")))
            }
            Self::Duplicate {
                name,
                first,
                second,
                owners: [first_owner, second_owner],
            } => {
                write!(out, "two tools are named `{name}`: ")?;
                write_tool(out, first, first_owner.as_deref())?;
                out.write_str(" and ")?;
                write_tool(out, second, second_owner.as_deref())
            }
        }
    }
}

fn write_tool(out: &mut fmt::Formatter<'_>, description: &str, owner: Option<&str>) -> fmt::Result {
    write!(out, "\"{description}\"")?;
    match owner {
        Some(owner) => write!(out, " of the toolbox `{owner}`"),
        None => Ok(()),
    }
}

impl std::error::Error for LibraryError {}

/// Why one spec could not be bound.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BindFailure {
    tool: String,
    reasons: Vec<String>,
    is_configuration: bool,
}

impl BindFailure {
    pub(super) fn new(tool: &str, reasons: Vec<String>) -> Self {
        Self {
            tool: tool.to_owned(),
            reasons,
            is_configuration: false,
        }
    }

    /// A tool that fits, and cannot do its work as it is configured.
    pub(super) fn configuration(tool: &str, missing: &str) -> Self {
        Self {
            tool: tool.to_owned(),
            reasons: vec![format!("tool `{tool}`: {missing}")],
            is_configuration: true,
        }
    }

    /// Whether the tool fits, and only lacks something of its configuration, such as a key.
    #[must_use]
    pub fn is_configuration(&self) -> bool {
        self.is_configuration
    }

    /// The name of the spec.
    #[must_use]
    pub fn tool(&self) -> &str {
        &self.tool
    }

    /// Everything that does not match: at least one text.
    #[must_use]
    pub fn reasons(&self) -> &[String] {
        &self.reasons
    }
}

/// The reasons, one after the other. Each names the tool.
impl fmt::Display for BindFailure {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.reasons.join("\n"))
    }
}

impl std::error::Error for BindFailure {}

/// Why an agent could not be bound: every tool that failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BindError {
    agent: String,
    failures: Vec<BindFailure>,
}

impl BindError {
    pub(super) fn new(agent: &str, failures: Vec<BindFailure>) -> Self {
        Self {
            agent: agent.to_owned(),
            failures,
        }
    }

    /// The failures, in the order of the agent's tools: at least one.
    #[must_use]
    pub fn failures(&self) -> &[BindFailure] {
        &self.failures
    }
}

impl fmt::Display for BindError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "cannot bind the tools of the agent `{}`:", self.agent)?;
        for failure in &self.failures {
            write!(out, "\n{failure}")?;
        }
        Ok(())
    }
}

impl std::error::Error for BindError {}

/// A tool error, or a configuration error when nothing but configuration is missing.
impl From<BindError> for Error {
    fn from(error: BindError) -> Self {
        let failures = error.failures();
        if failures.iter().all(BindFailure::is_configuration) {
            return Self::configuration(error.to_string());
        }
        Self::tool(error.to_string())
    }
}
