//! The language server of `agent lsp`: the protocol's side of it.
//!
//! Threads of `lsp_server` read and write messages, one thread makes findings ([`checker`]), and
//! [`main_loop`] owns the open documents and answers, one message after another. What an answer says about a text comes from elsewhere:
//! findings from the checker, layout from the formatter. So what is here knows clients, documents,
//! places ([`text`]) and conversions, and nothing of gram.
//!
//! To answer a further request, add a file to [`request`], which says how.

mod capabilities;
mod checker;
mod client;
mod diagnostics;
mod documents;
mod file_cache;
mod loaded_tools;
mod main_loop;
mod notification;
mod parent_process;
mod request;
mod text;
mod uri;
mod workspace;

use crate::known_tools::KnownToolsError;
use agent_spec::ToolSpec;
use checker::Checker;
use loaded_tools::{Known, OpenTexts};
use lsp_server::Connection;
use main_loop::{Ended, Server};
use std::error::Error;
use std::fmt;
use std::io::{self, ErrorKind};
use std::path::PathBuf;
use std::sync::Arc;

/// The maximum number of characters of the reason in [`Exit::Failed`].
const MAX_ERROR: usize = 500;

/// The configuration of the server.
#[derive(Clone, Debug, Default)]
pub struct ServerConfig {
    /// The specs of the tools that every document may name.
    pub builtin_tools: Vec<ToolSpec>,
    /// The files whose tools every document may name. They are read again when they change.
    pub tool_files: Vec<PathBuf>,
    /// The providers that models may name besides [`agent_spec::model::PROVIDERS`].
    pub providers: Vec<String>,
    /// Whether warnings are sent as errors.
    pub deny_warnings: bool,
    /// The address of the published page of `docs/diagnostics.md`. Codes are links to it, if there is one.
    pub docs_page: Option<String>,
}

/// Serves one client on standard input and output until the connection ends.
///
/// # Errors
/// Returns an error if the files of tools cannot be read, or if a thread cannot be started.
pub fn serve(config: ServerConfig) -> Result<Exit, ServeError> {
    let known = Known::read(&config, &OpenTexts::new()).map_err(ServeError::Tools)?;
    let config = Arc::new(config);
    let checker = Checker::start(Arc::clone(&config)).map_err(ServeError::Thread)?;
    let (Connection { sender, receiver }, threads) = Connection::stdio();
    let (ended, is_shut_down) = Server::new(config, known, checker, sender).run(&receiver);
    match ended {
        Ended::ByClient => {}
        // The reader may block on an input that stays open, so its thread is not joined.
        Ended::Disconnected => return Ok(Exit::WithoutShutdown),
        Ended::CheckerPanicked => return Ok(Exit::Failed("the check panicked".to_owned())),
    }
    Ok(match threads.join() {
        // The client does not read any more, which is no error of the server.
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Exit::Failed(shorten(&error)),
        _ if is_shut_down => Exit::AfterShutdown,
        _ => Exit::WithoutShutdown,
    })
}

/// Returns the text of an error, cut, because the error of a malformed message contains the message.
fn shorten(error: &io::Error) -> String {
    error.to_string().chars().take(MAX_ERROR).collect()
}

/// The end of a connection.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Exit {
    /// The client sent `shutdown`.
    AfterShutdown,
    /// The client is gone without `shutdown`.
    WithoutShutdown,
    /// The client sent a malformed message, or the server failed. Contains the reason.
    Failed(String),
}

/// The error of [`serve`].
#[derive(Debug)]
#[non_exhaustive]
pub enum ServeError {
    /// The files of tools cannot be read.
    Tools(KnownToolsError),
    /// A thread cannot be started.
    Thread(io::Error),
}

impl Error for ServeError {}

impl fmt::Display for ServeError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tools(error) => error.fmt(out),
            Self::Thread(error) => write!(out, "cannot start a thread: {error}"),
        }
    }
}
