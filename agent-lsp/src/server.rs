//! The server: connection, documents, and the conversion between the protocol and [`crate::language`].
//!
//! Two threads read and write messages ([`transport`]). One thread checks documents ([`checker`]). The main
//! thread owns the [`State`](state::State) and handles one message after another ([`main_loop`]). Answers
//! come from [`crate::language`], the checker and the formatter; this module only handles clients, documents,
//! positions ([`text`]) and conversions.
//!
//! [`request`] explains how to add a request.

mod capabilities;
mod checker;
mod client;
mod config;
mod diagnostics;
mod documents;
mod file_cache;
mod loaded_tools;
mod main_loop;
mod notification;
mod parent_process;
mod request;
mod state;
mod text;
mod transport;
mod uri;
mod workspace;

pub use config::ServerConfig;

use agent_project::known_tools::KnownToolsError;
use checker::Checker;
use loaded_tools::{LoadedTools, OpenTexts};
use main_loop::{MainLoop, StopReason};
use state::State;
use std::error::Error;
use std::fmt;
use std::io::{self, ErrorKind};
use std::sync::Arc;
use transport::Transport;

/// Serves one client on standard input and output until the connection ends.
///
/// # Errors
/// Returns an error if the tool files cannot be read, or if a thread cannot be started.
pub fn serve(config: ServerConfig) -> Result<Exit, ServeError> {
    let tools = LoadedTools::load(&config, &OpenTexts::new()).map_err(ServeError::Tools)?;
    let config = Arc::new(config);
    let checker = Checker::start(Arc::clone(&config)).map_err(ServeError::Thread)?;
    let transport = Transport::stdio().map_err(ServeError::Thread)?;
    let state = State::new(config, tools, transport.outgoing);
    let main_loop = MainLoop::new(state, checker, transport.reading);
    let (reason, is_shut_down) = main_loop.run(&transport.incoming);
    match reason {
        StopReason::EndOfMessages => {}
        // The reader thread may block on an input that stays open, so it is not joined.
        StopReason::Disconnected => return Ok(Exit::WithoutShutdown),
        StopReason::CheckerPanicked => return Ok(Exit::Failed("the check panicked".to_owned())),
    }
    Ok(match transport.threads.join() {
        // The client closed the output of the server, which is not a failure of the server.
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Exit::Failed(error.to_string()),
        _ if is_shut_down => Exit::AfterShutdown,
        _ => Exit::WithoutShutdown,
    })
}

/// The end of a connection.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Exit {
    /// The client sent `shutdown`.
    AfterShutdown,
    /// The connection ended without `shutdown`.
    WithoutShutdown,
    /// The client sent a malformed message, or the server failed. Contains the reason.
    Failed(String),
}

/// The error of [`serve`].
#[derive(Debug)]
#[non_exhaustive]
pub enum ServeError {
    /// The tool files cannot be read.
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
