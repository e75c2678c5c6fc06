//! The server of the agents and tools of documents.

use crate::document::tools_of;
use crate::old_runs::delete_old;
use crate::outcome::CommandError;
use crate::output::error_to_stderr;
use crate::served::ServedArgs;
use crate::session::{Servers, approve_all, redactor};
use crate::style::Style;
use agent_mcp::{Approvals, Server};
use agent_project::source::is_stdin;
use agent_runtime::tool::{Contract, ToolDescriptor, ToolFuture};
use agent_runtime::{Environment, Permissions, Runtime, Tool, ToolContext, ToolLibrary};
use agent_spec::ToolSpec;
use agent_store::SqliteJournal;
use std::path::Path;
use std::sync::Arc;

/// Creates the server, and connects the servers whose tools its agents have. Runs are kept in the journal, if there is
/// one. If a document has errors, prints them and returns `None`.
///
/// # Errors
/// Returns an error if a file cannot be read, if an option does not fit the documents, or if a server cannot be
/// connected.
pub(super) async fn server(
    served: &ServedArgs,
    journal: Option<&Path>,
    environment: &Environment,
    style: &Style,
) -> Result<Option<(Server, Servers)>, CommandError> {
    if served.inputs().any(|path| is_stdin(path)) {
        return Err(CommandError::new(
            "a document cannot be `-`, because the client uses standard input",
        ));
    }
    let Some(documents) = served.documents(style)? else {
        return Ok(None);
    };
    let agents = served.select(&documents)?;
    let mut library = agent_builtin::library_with(environment);
    let mut offered = ToolLibrary::new();
    // If the documents have agents, only the agents are served.
    let tools = documents.iter().filter(|_| agents.is_empty());
    for spec in tools.flat_map(|(_, checked)| tools_of(checked)) {
        let name = spec.name();
        if library.lookup(name).is_none() {
            error_to_stderr(&format!(
                "the tool `{name}` cannot be served, because the command has no function for it; built-in tools \
                 can be served, and agents"
            ));
            return Ok(None);
        }
        let tool = match library.bind(spec) {
            Ok(tool) => DocumentedTool::new(spec, tool),
            Err(failure) => {
                error_to_stderr(&format!("the tool `{name}` cannot be served: {failure}"));
                return Ok(None);
            }
        };
        offered
            .add(Arc::new(tool) as Arc<dyn Tool>)
            .map_err(|error| CommandError::new(error.to_string()))?;
    }
    let permissions = Permissions::new(&served.connection.grants())?;
    let redactor = redactor(environment);
    let mut server = Server::new(&offered)
        .name("agent")
        .context(ToolContext::detached().with_permissions(permissions))
        .redactor(&redactor);
    if served.yes {
        server = server.approvals(Approvals::Host(Arc::new(approve_all)));
    }
    let journal = match journal {
        Some(path) => {
            let journal = SqliteJournal::open(path).await?;
            delete_old(&journal).await;
            Some(journal)
        }
        None => None,
    };
    if let Some(agent) = agents.iter().find(|agent| agent.description().is_none()) {
        error_to_stderr(&format!(
            "the agent `{}` cannot be served: it has no `description`, by which the client's model knows when to call \
             it",
            agent.name()
        ));
        return Ok(None);
    }
    let runtimes = agents.iter().map(|agent| {
        let mut builder = served.runtime(std::slice::from_ref(agent), environment)?;
        if let Some(journal) = &journal {
            builder = builder.journal(journal.clone());
        }
        Ok(builder.build()?)
    });
    let runtimes: Vec<Runtime> = runtimes.collect::<Result<_, CommandError>>()?;
    // The servers are started last, so that no server is started if there is a mistake.
    let servers = served
        .connect(Some(&agents), environment, &mut library)
        .await?;
    for (agent, runtime) in agents.iter().zip(&runtimes) {
        match server.agent(runtime, agent, &library) {
            Ok(with_agent) => server = with_agent,
            Err(error) => {
                servers.close().await;
                return Err(error.into());
            }
        }
    }
    Ok(Some((server, servers)))
}

/// A tool as a document has it: its description, its signature, and whether it requires approval.
struct DocumentedTool {
    tool: Arc<dyn Tool>,
    descriptor: ToolDescriptor,
}

impl DocumentedTool {
    fn new(spec: &ToolSpec, tool: Arc<dyn Tool>) -> Self {
        let mut settings = *tool.descriptor().settings();
        settings.requires_approval |= spec.requires_approval();
        settings.timeout = [settings.timeout, spec.timeout()]
            .into_iter()
            .flatten()
            .min();
        let contract = Contract::Signature(spec.signature().clone());
        let (name, description) = (spec.name().to_owned(), spec.description().to_owned());
        Self {
            descriptor: ToolDescriptor::new(name.into(), description.into(), contract, settings),
            tool,
        }
    }
}

impl Tool for DocumentedTool {
    fn descriptor(&self) -> &ToolDescriptor {
        &self.descriptor
    }

    fn call<'a>(&'a self, arguments: &'a str, context: &'a ToolContext) -> ToolFuture<'a> {
        self.tool.call(arguments, context)
    }

    fn check_configuration(&self) -> Result<(), String> {
        self.tool.check_configuration()
    }
}
