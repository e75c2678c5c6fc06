//! The outcome of a command, and its exit code.

use crate::output::errors_to_stderr;
use agent_lsp::ServeError;
use agent_project::known_tools::KnownToolsError;
use agent_project::source::ReadError;
use agent_runtime::conversation::StoreError;
use std::error::Error;
use std::fmt;
use std::io;
use std::process::ExitCode;

/// The outcome of a command that could do its work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// No errors; warnings may have been printed.
    Fine,
    /// The input has errors, or a run failed. The errors have been printed.
    Failed,
    /// The user stopped a run with Ctrl-C.
    Stopped,
}

impl Outcome {
    /// Returns [`Outcome::Failed`] if there are errors.
    pub(crate) fn of_errors(errors: bool) -> Self {
        if errors { Self::Failed } else { Self::Fine }
    }

    /// Returns the exit code: 0, 1, or 130, which shells use for programs that Ctrl-C ends.
    pub(crate) fn exit_code(self) -> ExitCode {
        match self {
            Self::Fine => ExitCode::SUCCESS,
            Self::Failed => ExitCode::from(1),
            Self::Stopped => ExitCode::from(130),
        }
    }
}

/// The error of a command that could not do its work: wrong usage, unreadable input, or wrong
/// configuration. Its exit code is 2.
#[derive(Clone, Debug)]
pub(crate) struct CommandError {
    /// The messages, which are printed on lines of their own after `error: `.
    messages: Vec<String>,
}

impl CommandError {
    /// Creates an error with one message.
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self::from_messages(vec![message.into()])
    }

    /// Creates an error with several messages, or with none if they have been printed already.
    pub(crate) fn from_messages(messages: Vec<String>) -> Self {
        Self { messages }
    }

    /// Adds the messages of another error, if there is one.
    pub(crate) fn and(mut self, other: Option<Self>) -> Self {
        if let Some(other) = other {
            self.messages.extend(other.messages);
        }
        self
    }

    /// Writes the messages to standard error.
    pub(crate) fn print(&self) {
        errors_to_stderr(&self.messages);
    }

    /// Returns the messages.
    pub(crate) fn messages(&self) -> impl Iterator<Item = &str> {
        self.messages.iter().map(String::as_str)
    }

    /// Returns the exit code.
    pub(crate) fn exit_code() -> ExitCode {
        ExitCode::from(2)
    }
}

impl From<KnownToolsError> for CommandError {
    fn from(error: KnownToolsError) -> Self {
        Self::from_messages(error.messages())
    }
}

impl From<ServeError> for CommandError {
    fn from(error: ServeError) -> Self {
        match error {
            ServeError::Tools(error) => error.into(),
            error => Self::new(error.to_string()),
        }
    }
}

impl From<ReadError> for CommandError {
    fn from(error: ReadError) -> Self {
        Self::new(error.to_string())
    }
}

impl From<Vec<ReadError>> for CommandError {
    fn from(errors: Vec<ReadError>) -> Self {
        Self::from_messages(errors.iter().map(ToString::to_string).collect())
    }
}

impl From<agent_runtime::Error> for CommandError {
    fn from(error: agent_runtime::Error) -> Self {
        Self::new(with_causes(&error))
    }
}

impl From<StoreError> for CommandError {
    fn from(error: StoreError) -> Self {
        Self::new(with_causes(&error))
    }
}

/// Converts an error of writing to standard output.
impl From<io::Error> for CommandError {
    fn from(error: io::Error) -> Self {
        Self::new(format!("cannot write to standard output: {error}"))
    }
}

impl fmt::Display for CommandError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.messages.join("\n"))
    }
}

/// Formats an error and its causes, one line each.
pub(crate) fn with_causes(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        text.push_str(&format!("\n  caused by: {cause}"));
        source = cause.source();
    }
    text
}
