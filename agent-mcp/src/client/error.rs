//! The error of connecting to a server.

use std::fmt;

/// The error of connecting to a server. It names the server.
#[derive(Clone, Debug)]
pub struct McpError {
    kind: Kind,
    text: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Configuration,
    Unauthorized,
    Timeout,
    Server,
}

impl McpError {
    pub(crate) fn new(kind: Kind, text: impl Into<String>) -> Self {
        let text = text.into();
        Self { kind, text }
    }

    /// Adds the error of an attempt before.
    pub(crate) fn after(mut self, earlier: &Self) -> Self {
        if self.text != earlier.text {
            self.text = format!("{}\nbefore: {}", self.text, earlier.text);
        }
        self
    }

    /// Whether the description of the server is wrong, such as a command that does not exist.
    #[must_use]
    pub fn is_configuration(&self) -> bool {
        self.kind == Kind::Configuration
    }

    /// Whether the server asks for a sign-in.
    #[must_use]
    pub fn is_unauthorized(&self) -> bool {
        self.kind == Kind::Unauthorized
    }

    /// Whether the server did not answer in time.
    #[must_use]
    pub fn is_timeout(&self) -> bool {
        self.kind == Kind::Timeout
    }
}

impl fmt::Display for McpError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.text)
    }
}

impl std::error::Error for McpError {}

/// A Configuration error: a host that cannot reach a server has not been set up for it.
impl From<McpError> for agent_runtime::Error {
    fn from(error: McpError) -> Self {
        Self::configuration(error.text.clone()).with_source(error)
    }
}
