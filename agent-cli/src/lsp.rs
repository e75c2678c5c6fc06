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

use crate::outcome::{Outcome, Trouble};
use crate::output::error_to_stderr;
use agent_spec::ToolSpec;
use checker::Checker;
use known::{Known, OpenTexts};
use server::{Ended, Server};
use std::io::{BufRead, Write};
use std::path::PathBuf;
use std::sync::Arc;
use transport::Inbox;

/// The configuration of the server.
#[derive(Clone, Debug, Default)]
pub(crate) struct ServerConfig {
    /// The specs of the tools that every document may name.
    pub(crate) builtin_tools: Vec<ToolSpec>,
    /// The files whose tools every document may name. They are read again when they change.
    pub(crate) tool_files: Vec<PathBuf>,
    /// The providers that models may name besides [`agent_spec::model::PROVIDERS`].
    pub(crate) providers: Vec<String>,
    /// Whether warnings are sent as errors.
    pub(crate) deny_warnings: bool,
    /// The address of the published page of `docs/diagnostics.md`. Codes are links to it, if there is one.
    pub(crate) docs_page: Option<String>,
}

/// Serves one client until it goes.
///
/// # Errors
/// When a file of `--tools` cannot be read at the start, or the system gives no threads.
pub(crate) fn serve(
    config: ServerConfig,
    input: impl BufRead + Send + 'static,
    output: impl Write + Send + 'static,
) -> Result<Outcome, Trouble> {
    let known = Known::read(&config, &OpenTexts::new())?;
    let threads = |error| Trouble::new(format!("cannot start a thread: {error}"));
    let outbox = transport::write_to(output).map_err(threads)?;
    let inbox = Arc::new(Inbox::default());
    let config = Arc::new(config);
    let checker = Checker::start(Arc::clone(&config), Arc::clone(&inbox)).map_err(threads)?;
    transport::read_from(input, Arc::clone(&inbox), outbox.clone()).map_err(threads)?;
    Ok(
        match Server::new(config, known, checker, outbox).run(&inbox) {
            Ended::AfterShutdown => Outcome::Fine,
            Ended::WithoutShutdown => Outcome::Failed,
            Ended::Lost(reason) => {
                error_to_stderr(&reason);
                Outcome::Failed
            }
        },
    )
}
