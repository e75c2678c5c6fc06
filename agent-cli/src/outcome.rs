//! How a command ends, and the exit code that says so.

use crate::output::to_stderr;
use agent_lsp::ServeError;
use agent_lsp::known_tools::KnownToolsError;
use agent_lsp::source::ReadError;
use agent_lsp::terminal::sanitize;
use std::error::Error;
use std::fmt;
use std::io;
use std::process::ExitCode;

/// How a command that could do its work ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// Nothing is wrong; warnings may have been shown.
    Fine,
    /// The input has errors, or a run failed. What is wrong has been shown.
    Failed,
    /// Somebody stopped a run with Ctrl-C.
    Stopped,
}

impl Outcome {
    /// [`Outcome::Failed`] when there are errors.
    pub(crate) fn of_errors(errors: bool) -> Self {
        if errors { Self::Failed } else { Self::Fine }
    }

    /// The exit code: 0, 1 or, as of a program that Ctrl-C has ended, 130.
    pub(crate) fn exit_code(self) -> ExitCode {
        match self {
            Self::Fine => ExitCode::SUCCESS,
            Self::Failed => ExitCode::from(1),
            Self::Stopped => ExitCode::from(130),
        }
    }
}

/// Why a command could not do its work: wrong usage, input or output, or configuration. The exit
/// code is 2.
#[derive(Debug)]
pub(crate) struct Trouble {
    /// What is shown, each on a line of its own after `error: `.
    messages: Vec<String>,
}

impl Trouble {
    /// Trouble in one message.
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self {
            messages: vec![message.into()],
        }
    }

    /// Several troubles, a message each.
    pub(crate) fn of_all(messages: Vec<String>) -> Self {
        Self { messages }
    }

    /// This trouble, and another if there is one.
    pub(crate) fn and(mut self, other: Option<Self>) -> Self {
        self.messages
            .extend(other.into_iter().flat_map(|other| other.messages));
        self
    }

    /// The messages.
    pub(crate) fn messages(&self) -> impl Iterator<Item = &str> {
        self.messages.iter().map(String::as_str)
    }

    /// The exit code.
    pub(crate) fn exit_code() -> ExitCode {
        ExitCode::from(2)
    }
}

impl From<KnownToolsError> for Trouble {
    fn from(error: KnownToolsError) -> Self {
        Self::of_all(error.messages())
    }
}

impl From<ServeError> for Trouble {
    fn from(error: ServeError) -> Self {
        match error {
            ServeError::Tools(error) => error.into(),
            error => Self::new(error.to_string()),
        }
    }
}

impl From<ReadError> for Trouble {
    fn from(error: ReadError) -> Self {
        Self::new(error.to_string())
    }
}

impl From<Vec<ReadError>> for Trouble {
    fn from(errors: Vec<ReadError>) -> Self {
        Self::of_all(errors.iter().map(ToString::to_string).collect())
    }
}

/// Standard output could not be written to.
impl From<io::Error> for Trouble {
    fn from(error: io::Error) -> Self {
        Self::new(format!("cannot write to standard output: {error}"))
    }
}

impl fmt::Display for Trouble {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.messages.join("\n"))
    }
}

/// An error with what caused it.
pub(crate) fn in_full(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        text.push_str(&format!("\n  caused by: {cause}"));
        source = cause.source();
    }
    text
}

/// Tells the user what is no error.
pub(crate) fn warn(message: &str) {
    to_stderr(&format!("warning: {}\n", sanitize(message)));
}
