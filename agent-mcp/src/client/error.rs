//! The error of connecting to a server.

use agent_runtime::__private::shortened;
use std::fmt;

/// The maximum number of bytes of a text of a server in an error.
pub(crate) const ERROR_TEXT: usize = 4 << 10;

/// The error of connecting to a server. It names the server.
#[derive(Clone, Debug)]
pub struct McpError {
    kind: Kind,
    text: String,
    challenge: Option<Box<Challenge>>,
}

/// The answer of a server that wants a sign-in, or a sign-in with more rights.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Challenge {
    /// The header `WWW-Authenticate`.
    pub(crate) header: String,
    /// The scopes that the sign-in lacks.
    pub(crate) scope: Option<String>,
    /// Whether the server knows the caller, and wants more rights.
    pub(crate) is_about_scopes: bool,
}

impl Challenge {
    /// The challenge of a server that wants a sign-in, as a part of the error about it.
    pub(crate) fn words(&self) -> String {
        match (&self.scope, self.is_about_scopes) {
            (Some(scope), true) => {
                format!("the sign-in lacks the scope `{}`", shortened(scope, 200))
            }
            (None, true) => "the sign-in does not allow it".to_owned(),
            _ => "it asks for a sign-in".to_owned(),
        }
    }
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
        Self {
            kind,
            text,
            challenge: None,
        }
    }

    /// Adds the answer of a server that wants a sign-in.
    pub(crate) fn with_challenge(mut self, challenge: Challenge) -> Self {
        self.challenge = Some(Box::new(challenge));
        self
    }

    pub(crate) fn challenge(&self) -> Option<&Challenge> {
        self.challenge.as_deref()
    }

    /// Adds the error of an earlier attempt.
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

    /// Whether the server asks for a sign-in or for one with more rights, or a sign-in failed.
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

/// Returns a Configuration error, because a host that cannot reach a server has not been set up for it.
impl From<McpError> for agent_runtime::Error {
    fn from(error: McpError) -> Self {
        Self::configuration(error.text.clone()).with_source(error)
    }
}
