//! What can be wrong with the JSON form of a pattern, a tool or an agent.

use std::fmt;

/// JSON that is not the form of what was to be read: where, what was expected and what was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JsonError {
    pub(super) path: String,
    pub(super) expected: String,
    pub(super) found: String,
}

impl JsonError {
    /// Where it is, such as `$.tools[0].name`.
    #[must_use]
    pub fn path(&self) -> &str {
        &self.path
    }

    /// What should stand there.
    #[must_use]
    pub fn expected(&self) -> &str {
        &self.expected
    }

    /// What stands there.
    #[must_use]
    pub fn found(&self) -> &str {
        &self.found
    }
}

impl fmt::Display for JsonError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            path,
            expected,
            found,
        } = self;
        write!(out, "`{path}`: expected {expected}, found {found}")
    }
}

impl std::error::Error for JsonError {}
