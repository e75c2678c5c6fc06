//! The language server of `agent lsp`: the protocol's side of it.
//!
//! One thread reads messages ([`transport`]), one writes them, one makes findings ([`checker`]), and
//! [`server`] owns the open documents and answers, one message after another. What an answer says about a text comes from elsewhere:
//! findings from the checker, layout from the formatter. So what is here knows clients, documents,
//! places ([`text`]) and conversions, and nothing of gram.
//!
//! To answer a further request, add a file to [`request`], which says how.

mod capabilities;
mod checker;
mod client;
mod diagnostics;
mod documents;
mod files;
mod known;
mod notification;
mod parent;
mod request;
mod server;
mod text;
mod transport;
mod uri;
mod workspace;

use crate::known_tools::KnownToolsError;
use agent_spec::ToolSpec;
use checker::Checker;
use known::{Known, OpenTexts};
use server::Server;
use std::error::Error;
use std::fmt;
use std::io::{self, BufRead, Write};
use std::path::PathBuf;
use std::sync::Arc;
use transport::Inbox;

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

/// Serves one client until it goes.
///
/// # Errors
/// When a file of `--tools` cannot be read at the start, or the system gives no threads.
pub fn serve(
    config: ServerConfig,
    input: impl BufRead + Send + 'static,
    output: impl Write + Send + 'static,
) -> Result<Exit, ServeError> {
    let known = Known::read(&config, &OpenTexts::new()).map_err(ServeError::Tools)?;
    let outbox = transport::write_to(output).map_err(ServeError::Thread)?;
    let inbox = Arc::new(Inbox::default());
    let config = Arc::new(config);
    let checker =
        Checker::start(Arc::clone(&config), Arc::clone(&inbox)).map_err(ServeError::Thread)?;
    transport::read_from(input, Arc::clone(&inbox), outbox.clone()).map_err(ServeError::Thread)?;
    Ok(Server::new(config, known, checker, outbox).run(&inbox))
}

/// The end of a connection.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Exit {
    /// The client sent `shutdown`.
    AfterShutdown,
    /// The client is gone without `shutdown`.
    WithoutShutdown,
    /// The connection failed, with the reason.
    Lost(String),
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
