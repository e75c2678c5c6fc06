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

use crate::docs::Docs;
use crate::outcome::{Outcome, Trouble};
use crate::output::error_to_stderr;
use crate::tools::ToolFiles;
use checker::Checker;
use known::{Known, OpenTexts};
use server::{Ended, Server};
use std::io::{BufRead, Write};
use std::sync::Arc;
use transport::Inbox;

/// What the command line and the environment say.
pub(crate) struct Settings {
    /// Which tools and providers documents may name.
    pub(crate) tools: ToolFiles,
    /// Whether warnings are errors.
    pub(crate) deny_warnings: bool,
    /// Where codes lead.
    pub(crate) docs: Docs,
}

/// Serves one client until it goes.
///
/// # Errors
/// When a file of `--tools` cannot be read at the start, or the system gives no threads.
pub(crate) fn serve(
    settings: Settings,
    input: impl BufRead + Send + 'static,
    output: impl Write + Send + 'static,
) -> Result<Outcome, Trouble> {
    let known = Known::read(&settings.tools, &OpenTexts::new())?;
    let threads = |error| Trouble::new(format!("cannot start a thread: {error}"));
    let outbox = transport::write_to(output).map_err(threads)?;
    let inbox = Arc::new(Inbox::default());
    let settings = Arc::new(settings);
    let checker = Checker::start(Arc::clone(&settings), Arc::clone(&inbox)).map_err(threads)?;
    transport::read_from(input, Arc::clone(&inbox), outbox.clone()).map_err(threads)?;
    Ok(
        match Server::new(settings, known, checker, outbox).run(&inbox) {
            Ended::AfterShutdown => Outcome::Fine,
            Ended::WithoutShutdown => Outcome::Failed,
            Ended::Lost(reason) => {
                error_to_stderr(&reason);
                Outcome::Failed
            }
        },
    )
}
