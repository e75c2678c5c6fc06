//! The agents and tools of documents that are served.

use crate::document::{Document, ToolFiles, known_instead, tools_of};
use crate::old_runs::delete_old;
use crate::outcome::CommandError;
use crate::output::error_to_stderr;
use crate::provider;
use crate::session::{
    ConnectionArgs, LimitArgs, ModelPrice, Servers, Variable, all_prices, redactor,
    refuse_duplicates, warn_about_unused,
};
use crate::style::Style;
use agent_catalog::Catalog;
use agent_mcp::{Approvals, McpServer, Server};
use agent_project::source::is_stdin;
use agent_runtime::run::{Decision, PendingCall};
use agent_runtime::tool::{Contract, ToolDescriptor, ToolFuture};
use agent_runtime::{
    Agent, Environment, Model, Permissions, Runtime, Tool, ToolContext, ToolLibrary,
};
use agent_spec::ToolSpec;
use agent_spec::check::roots;
use agent_spec::mcp::McpLock;
use agent_store::SqliteJournal;
use std::path::PathBuf;
use std::sync::Arc;

/// The options that say what is served, and how agents run.
#[derive(Debug, clap::Args)]
pub(super) struct ServedArgs {
    /// The documents
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    /// Serve this agent, and no others but those that are named so; may be given several times
    #[arg(long = "agent", value_name = "NAME")]
    agents: Vec<String>,
    /// Use this model, such as OpenAI/gpt-6-luna, instead of that of each agent and of those that it calls
    #[arg(long, value_name = "PROVIDER/ID", value_parser = Model::parse)]
    model: Option<Model>,
    /// Fill `{{NAME}}` in the instructions; may be given several times
    #[arg(long = "var", value_name = "NAME=VALUE")]
    variables: Vec<Variable>,
    /// The price of a model, as for `agent run`; may be given several times
    #[arg(
        long = "price",
        value_name = "PROVIDER/ID=SENT,WRITTEN[,CACHED[,STORED]]"
    )]
    prices: Vec<ModelPrice>,
    #[command(flatten)]
    limits: LimitArgs,
    /// Keep each run in this journal
    #[arg(long, value_name = "FILE")]
    journal: Option<PathBuf>,
    #[command(flatten)]
    connection: ConnectionArgs,
    /// Make calls that require approval without asking
    #[arg(help_heading = "Access of tools", long)]
    yes: bool,
    #[command(flatten)]
    tools: ToolFiles,
}

impl ServedArgs {
    /// Creates the server, and connects the servers whose tools its agents have. If a document has errors, prints them and
    /// returns `None`.
    ///
    /// # Errors
    /// Returns an error if a file cannot be read, if an option does not fit the documents, or if a server cannot be
    /// connected.
    pub(super) async fn server(
        &self,
        environment: &Environment,
        style: &Style,
    ) -> Result<Option<(Server, Servers)>, CommandError> {
        if self
            .files
            .iter()
            .chain(self.tools.paths())
            .any(|path| is_stdin(path))
        {
            return Err(CommandError::new(
                "a document cannot be `-`, because the client uses standard input",
            ));
        }
        refuse_duplicates(&self.variables)?;
        let mut documents = Vec::new();
        for file in &self.files {
            match self.tools.read_document(file, style)? {
                Some(document) => documents.push(document),
                None => return Ok(None),
            }
        }
        let (agents, tools) = self.select(&documents)?;
        let mut library = agent_builtin::library_with(environment);
        let mut offered = ToolLibrary::new();
        for spec in tools {
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
        let permissions = Permissions::new(&self.connection.grants())?;
        let redactor = redactor(environment);
        let mut server = Server::new(&offered)
            .name("agent")
            .context(ToolContext::detached().with_permissions(permissions))
            .redactor(&redactor);
        if self.yes {
            let approver = async |_: PendingCall| Decision::Approve;
            server = server.approvals(Approvals::Host(Arc::new(approver)));
        }
        let journal = match &self.journal {
            Some(path) => {
                let journal = SqliteJournal::open(path).await?;
                delete_old(&journal).await;
                Some(journal)
            }
            None => None,
        };
        let with_model = |agent: Agent| match &self.model {
            Some(model) => agent.with_model_everywhere(model),
            None => agent,
        };
        let agents: Vec<Agent> = agents.into_iter().map(with_model).collect();
        if let Some(agent) = agents.iter().find(|agent| agent.description().is_none()) {
            error_to_stderr(&format!(
                "the agent `{}` cannot be served: it has no `description`, by which the client's model knows when to call \
                 it",
                agent.name()
            ));
            return Ok(None);
        }
        let runtimes = agents
            .iter()
            .map(|agent| self.runtime(agent, environment, journal.as_ref()));
        let runtimes: Vec<Runtime> = runtimes.collect::<Result<_, _>>()?;
        // The servers are started last, so that a mistake starts none.
        let files = self.tools.servers();
        // The client uses standard input, so nobody can be asked.
        let check = |locks: &[McpLock]| self.connection.sent_variables.check(locks, false);
        let set_up = |server: McpServer| server.redactor(&redactor);
        let (agents_of, into) = (Some(agents.as_slice()), &mut library);
        let servers = Servers::connect(files, agents_of, environment, check, set_up, into);
        let servers = servers.await?;
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

    /// Returns the agents that are served, and the tools if no document has agents.
    fn select<'d>(
        &self,
        documents: &'d [Document],
    ) -> Result<(Vec<Agent>, Vec<&'d ToolSpec>), CommandError> {
        let nodes = documents.iter().flat_map(|(_, checked)| &checked.agents);
        let all: Vec<&Agent> = nodes.map(|node| &node.agent).collect();
        if !self.agents.is_empty() {
            let names: Vec<&str> = all.iter().map(|agent| agent.name()).collect();
            let named = self.agents.iter().map(|name| {
                let found = all.iter().find(|agent| agent.name() == name);
                found.map(|agent| (*agent).clone()).ok_or_else(|| {
                    let instead = known_instead(name, &names);
                    CommandError::new(format!("no document declares an agent `{name}`; {instead}"))
                })
            });
            return Ok((named.collect::<Result<_, _>>()?, Vec::new()));
        }
        if all.is_empty() {
            let tools = documents.iter().flat_map(|(_, checked)| tools_of(checked));
            return Ok((Vec::new(), tools.collect()));
        }
        let roots = documents
            .iter()
            .flat_map(|(_, checked)| roots(&checked.agents));
        let roots = roots.map(|node| node.agent.clone());
        Ok((roots.collect(), Vec::new()))
    }

    /// Creates the runtime of an agent.
    fn runtime(
        &self,
        agent: &Agent,
        environment: &Environment,
        journal: Option<&SqliteJournal>,
    ) -> Result<Runtime, CommandError> {
        let providers = self.tools.providers();
        if !self.connection.is_offline() {
            let base_url = self.connection.base_url.as_deref();
            provider::check_reachable(providers, agent, base_url, Catalog::builtin())?;
        }
        warn_about_unused(agent, &self.variables);
        let prices = all_prices(&self.prices)?;
        let limits = self.limits.limits();
        let own = Some(agent.model().provider());
        let mut builder = self.connection.runtime(environment, providers, own);
        builder = builder.prices(prices).usage_limits(limits);
        for variable in &self.variables {
            builder = builder.variable(&variable.name, &variable.value);
        }
        if let Some(journal) = journal {
            builder = builder.journal(journal.clone());
        }
        Ok(builder.build()?)
    }
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
