//! The tools of a server as a document has them, and as the server has them now.

use crate::command::diff::CallerChanges;
use crate::display::{indented_text, name};
use crate::document::print_errors;
use crate::mcp_server::{login_command, signed_in};
use crate::outcome::CommandError;
use crate::output::{text_to_stdout, warning_to_stderr};
use crate::session::redactor;
use crate::style::Style;
use agent_mcp::{McpError, McpServer, RefusedTool};
use agent_project::report::{Report, counted};
use agent_project::source::{self, Source};
use agent_runtime::Environment;
use agent_spec::check::{Checked, Options, check};
use agent_spec::file::MAX_BYTES;
use agent_spec::mcp::McpLock;
use agent_spec::terminal;
use std::collections::BTreeSet;
use std::io::{self, IsTerminal};
use std::path::PathBuf;

/// The document of a server.
pub(super) struct LockFile {
    pub(super) source: Source,
    checked: Checked,
}

impl LockFile {
    /// Reads documents that declare one server each. If the documents have errors, prints the errors and
    /// returns `None`.
    ///
    /// # Errors
    /// Returns an error if a file cannot be read, or declares no server or several.
    pub(super) fn read_all(
        files: &[PathBuf],
        style: &Style,
    ) -> Result<Option<Vec<Self>>, CommandError> {
        let mut locks = Vec::new();
        let mut reports = Vec::new();
        for source in source::read_all(files)? {
            let checked = check(&source.text, Options::default());
            if checked.has_errors() {
                reports.push(Report::of(source, checked));
                continue;
            }
            if checked.servers.len() != 1 {
                let name = source.display_name();
                let found = match checked.servers.len() {
                    0 => "no MCP server",
                    _ => "several MCP servers",
                };
                return Err(CommandError::new(format!(
                    "`{name}` declares {found}; `agent mcp import` writes a document for each"
                )));
            }
            locks.push(Self { source, checked });
        }
        if reports.is_empty() {
            return Ok(Some(locks));
        }
        print_errors(&reports, style);
        Ok(None)
    }

    /// Returns the command that signs in at the server.
    pub(super) fn login(&self) -> String {
        login_command(self.lock().name(), &self.source.name)
    }

    /// The server and its tools.
    pub(super) fn lock(&self) -> &McpLock {
        // `read_all` has checked that there is one server.
        &self.checked.servers[0]
    }
}

/// The tools that a server has now.
pub(super) struct Live {
    pub(super) lock: McpLock,
    pub(super) refused: Vec<RefusedTool>,
    /// The document that an import would write.
    source: Source,
    checked: Checked,
}

impl Live {
    /// Requests the tools from the server of a document. Settings that somebody added to the tools in the
    /// document are kept. `login` is the command that signs in at the server, for errors.
    ///
    /// # Errors
    /// Returns an error if the server cannot be reached.
    pub(super) async fn ask(
        lock: &McpLock,
        login: &str,
        environment: &Environment,
    ) -> Result<Self, CommandError> {
        let server = McpServer::reached(lock, environment).map_err(unreachable)?;
        let server = signed_in(server, lock, login, environment);
        let server = server.redactor(&redactor(environment));
        let connected = server.connect().await.map_err(unreachable)?;
        let imported = connected.imported(lock.transport().clone());
        imported
            .warnings
            .iter()
            .for_each(|text| warning_to_stderr(text));
        connected.close().await;
        let lock = imported.lock.with_settings_of(lock);
        let text = lock.to_gram();
        if text.len() as u64 > MAX_BYTES {
            return Err(CommandError::new(format!(
                "the document of the server `{}` would have {} MiB, and {} MiB are the most",
                lock.name(),
                text.len() >> 20,
                MAX_BYTES >> 20
            )));
        }
        Ok(Self {
            checked: check(&text, Options::default()),
            source: Source::inline(&format!("the server {}", lock.name()), &text),
            refused: imported.refused,
            lock,
        })
    }

    /// Returns the changes since the document was written.
    pub(super) fn changes_since<'a>(&'a self, before: &'a LockFile) -> CallerChanges<'a> {
        CallerChanges::new(
            (&before.source, &before.checked),
            (&self.source, &self.checked),
        )
    }

    /// Returns the version and the revision of the protocol, if they changed: the name, and both values.
    pub(super) fn versions_since(&self, before: &McpLock) -> Vec<(&'static str, String, String)> {
        let pairs = [
            ("version", before.version(), self.lock.version()),
            ("protocol", before.protocol(), self.lock.protocol()),
        ];
        let changed = pairs.into_iter().filter(|(_, before, now)| before != now);
        let text = |text: Option<&str>| name(text.unwrap_or("none"));
        changed
            .map(|(what, before, now)| (what, text(before), text(now)))
            .collect()
    }
}

fn unreachable(error: McpError) -> CommandError {
    CommandError::new(error.to_string())
}

/// Prints the changes for people. Descriptions are shown in full, because a model obeys them.
///
/// # Errors
/// Returns an error if writing fails.
pub(super) fn print_changes(before: &LockFile, now: &Live, style: &Style) -> io::Result<()> {
    let changes = now.changes_since(before);
    let has_colour = style.has_colour_on(io::stdout().is_terminal());
    let mut text = changes.text(has_colour);
    for (what, old, new) in now.versions_since(before.lock()) {
        text.push_str(&format!("  {what}: {old} → {new}\n"));
    }
    for (tool, old, new) in changed_descriptions(before.lock(), &now.lock) {
        text.push_str(&format!(
            "\n  {tool} is described anew, and models obey descriptions. Before:\n    {}\n  Now:\n    {}\n",
            indented_text(old, 4),
            indented_text(new, 4)
        ));
    }
    text_to_stdout(&text)
}

/// Returns the tools with another description: the name, and both descriptions.
fn changed_descriptions<'a>(
    before: &'a McpLock,
    now: &'a McpLock,
) -> Vec<(&'a str, &'a str, &'a str)> {
    let mut changed = Vec::new();
    for tool in now.tools() {
        let mut old = before.tools().iter();
        let old = old.find(|old| old.spec().name() == tool.spec().name());
        if let Some(old) = old
            && old.spec().description() != tool.spec().description()
        {
            changed.push((
                tool.spec().name(),
                old.spec().description(),
                tool.spec().description(),
            ));
        }
    }
    changed
}

/// Warns about the tools that are not in a document because they cannot be used.
pub(super) fn warn_about_refused(file: &str, refused: &[RefusedTool]) {
    let (shown, more) = refused.split_at(refused.len().min(MOST_REFUSED));
    for tool in shown {
        warning_to_stderr(&format!(
            "{file}: the tool `{}` is left out: {}",
            tool.remote, tool.reason
        ));
    }
    if !more.is_empty() {
        let more = counted(more.len(), "more tool");
        warning_to_stderr(&format!("{file}: {more} left out"));
    }
}

/// Warns about the characters of a server's texts that control a terminal or cannot be seen. Gram has no escapes for them.
pub(super) fn warn_about_hidden(file: &str, document: &str) {
    let hidden = document.chars().filter(|c| terminal::controls_terminal(*c));
    let hidden: BTreeSet<char> = hidden.collect();
    if hidden.is_empty() {
        return;
    }
    let codes = hidden.iter().take(MOST_CODES);
    let codes: Vec<String> = codes.map(|c| format!("U+{:04X}", u32::from(*c))).collect();
    let more = match hidden.len() > MOST_CODES {
        true => " and others",
        false => "",
    };
    warning_to_stderr(&format!(
        "{file}: the server's texts hold characters that cannot be seen or control a terminal, and gram has no escapes for \
         them: {}{more}",
        codes.join(", ")
    ));
}

/// The maximum number of characters that a warning names, because an MCP server can send any number of them.
const MOST_CODES: usize = 10;

/// The maximum number of tools that are left out with a warning each, because an MCP server can list thousands.
const MOST_REFUSED: usize = 20;
