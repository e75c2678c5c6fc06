//! Continuing runs of a journal.

use super::ResumeArgs;
use crate::display::{answer_text, guarded_line, marked_text, name, shortened};
use crate::mcp_server::{about_document, document_of_tool};
use crate::old_runs::delete_old;
use crate::outcome::{CommandError, Outcome, with_causes};
use crate::output::{error_to_stderr, line_to_stdout, to_stderr};
use crate::session::{Servers, all_prices};
use agent_mcp::McpServer;
use agent_runtime::journal::Journal;
use agent_runtime::redact::Redactor;
use agent_runtime::run::{Decision, PendingCall, RunOutcome};
use agent_runtime::runtime::RecoveredRun;
use agent_runtime::{Environment, Error, Runtime, ToolLibrary};
use agent_spec::mcp::McpLock;
use agent_spec::terminal;
use agent_store::SqliteJournal;
use agent_studio::steps::{INTERRUPTED, NEEDS_APPROVAL};

/// A runtime that continues runs with the built-in tools and those of servers.
pub(super) struct Resuming {
    journal: SqliteJournal,
    runtime: Runtime,
    library: ToolLibrary,
    redactor: Redactor,
    servers: Servers,
    /// Whether the command names no MCP server.
    lacks_servers: bool,
}

impl Resuming {
    pub(super) async fn new(
        journal: &SqliteJournal,
        options: &ResumeArgs,
        environment: &Environment,
    ) -> Result<Self, CommandError> {
        let connection = &options.connection;
        let runtime = connection.runtime(environment, &options.providers, None);
        let runtime = runtime.prices(all_prices(&options.prices)?);
        let runtime = runtime.journal(journal.clone()).build()?;
        delete_old(journal).await;
        let redactor = runtime.redactor();
        let mut library = agent_builtin::library_with(environment);
        let files = &options.servers;
        let check = |locks: &[McpLock]| connection.sent_variables.check(locks, true);
        let set_up = |server: McpServer| server.redactor(&redactor);
        let servers = Servers::connect(files, None, environment, check, set_up, &mut library);
        let servers = servers.await?;
        Ok(Self {
            journal: journal.clone(),
            redactor,
            runtime,
            library,
            servers,
            lacks_servers: options.servers.is_empty(),
        })
    }

    /// Continues a run after a decision, if there is one.
    pub(super) async fn run(
        &self,
        run: &str,
        decision: Option<(String, Decision)>,
    ) -> Result<Outcome, CommandError> {
        let recovered = self
            .runtime
            .recover_run(run)
            .tools(&self.library)
            .decisions(decision)
            .await;
        self.servers.close().await;
        let recovered = recovered?;
        let outcome = self.print(&recovered).await?;
        match &recovered.outcome {
            // The error was printed already.
            Err(error) if error.is_configuration() || error.is_journal() => {
                Err(CommandError::from_messages(Vec::new()))
            }
            _ => Ok(outcome),
        }
    }

    /// Continues all runs whose programs are gone.
    pub(super) async fn all(&self) -> Result<Outcome, CommandError> {
        let recovered = self.runtime.recover(&self.library).await;
        self.servers.close().await;
        let recovered = recovered?;
        if recovered.is_empty() {
            to_stderr("no run was interrupted\n");
        }
        let mut outcome = Outcome::Fine;
        for run in &recovered {
            if self.print(run).await? != Outcome::Fine {
                outcome = Outcome::Failed;
            }
        }
        let mut outcomes = recovered.iter().map(|run| &run.outcome);
        match outcomes.any(|outcome| outcome.as_ref().is_err_and(Error::is_journal)) {
            // The error was printed already.
            true => Err(CommandError::from_messages(Vec::new())),
            false => Ok(outcome),
        }
    }

    /// Prints the end of a run, or the calls that it waits for.
    async fn print(&self, recovered: &RecoveredRun) -> Result<Outcome, CommandError> {
        let (run, agent) = (name(&recovered.info.run), name(&recovered.info.agent));
        match &recovered.outcome {
            Ok(RunOutcome::Done(response)) => {
                line_to_stdout(&format!("{run}  done  {agent}"))?;
                let answer = self.redactor.text(answer_text(response));
                line_to_stdout(&format!("🤖 {}", marked_text(&answer)))?;
                Ok(Outcome::Fine)
            }
            Ok(RunOutcome::AwaitingApproval(calls)) => {
                line_to_stdout(&format!("{run}  waiting  {agent}"))?;
                for call in calls {
                    line_to_stdout(&waiting_line(call, &self.redactor))?;
                }
                to_stderr(ABOUT_WAITING);
                Ok(Outcome::Failed)
            }
            Err(error) => {
                let stored = self.journal.read(&recovered.info.run).await;
                let info = stored.ok().flatten().map(|stored| stored.info);
                let state = info.map_or(recovered.info.state, |info| info.state);
                line_to_stdout(&format!("{run}  {state}  {agent}"))?;
                error_to_stderr(&with_causes(error));
                if !state.is_over() && error.is_configuration() {
                    to_stderr(ABOUT_CONFIGURATION);
                }
                if error.unended_run().is_some() {
                    to_stderr(ABOUT_UNENDED);
                }
                if error.is_tool() && self.lacks_servers {
                    to_stderr(&about_servers(error));
                }
                Ok(Outcome::Failed)
            }
        }
    }
}

/// The ways to decide on calls.
pub(crate) const ABOUT_WAITING: &str = "decide with `agent runs approve`, `deny`, `edit` or, for an interrupted call that had been made, `done`\n";

/// The way to continue a run after an error of configuration.
const ABOUT_CONFIGURATION: &str = "the run stays in the journal; mend this and continue it with `agent runs resume`, or decide again\n";

/// The way to continue a run whose journal could not be written.
const ABOUT_UNENDED: &str = "nothing more was called, and the journal has the run up to its last record; continue it with `agent runs \
                             resume`, which asks about a call that was made and not recorded\n";

/// Returns advice about the tools that an error names, because a journal does not keep the tools of MCP
/// servers.
fn about_servers(error: &Error) -> String {
    let text = with_causes(error);
    let mut quoted = text.split('`').skip(1).step_by(2);
    let found = quoted.find_map(|name| Some(about_document(name, &document_of_tool(name)?)));
    let advice = found.unwrap_or_else(|| {
        "`agent runs` has the built-in tools and those of MCP servers, which no journal keeps: give the `--mcp FILE` of \
         the run again"
            .to_owned()
    });
    format!("  {advice}\n")
}

/// Writes a call that waits for a decision on one line, with its id. The reason of a call that `whenTainted` guards is on a second
/// line.
pub(crate) fn waiting_line(call: &PendingCall, redactor: &Redactor) -> String {
    let tool = match call.path.matches('/').count() {
        0 | 1 => name(&call.tool),
        _ => shortened(&call.path),
    };
    let arguments = redactor.text(&call.arguments.replace(['\n', '\r', '\t'], " "));
    let why = match call.in_doubt {
        true => INTERRUPTED,
        false => NEEDS_APPROVAL,
    };
    let id = name(&call.id);
    // The arguments are not shortened, because the user must see all that is approved.
    let line = format!("🛠️ {tool} {} {why} ({id})", terminal::json(&arguments));
    match &call.guarded {
        Some(guarded) => format!("{line}\n   {}", guarded_line(guarded)),
        None => line,
    }
}
