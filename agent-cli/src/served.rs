//! The agents of documents that a command serves, and how they run.

use crate::document::{Document, ToolFiles, known_instead};
use crate::models::{ModelFiles, has_errors};
use crate::outcome::CommandError;
use crate::provider;
use crate::session::{
    ConnectionArgs, LimitArgs, ModelPrice, Servers, Variable, all_prices, redactor,
    refuse_duplicates, warn_about_unused,
};
use crate::style::Style;
use agent_catalog::Catalog;
use agent_mcp::McpServer;
use agent_project::known_tools::KnownModels;
use agent_runtime::runtime::RuntimeBuilder;
use agent_runtime::{Agent, Environment, Model, ToolLibrary};
use agent_spec::check::roots;
use agent_spec::mcp::McpLock;
use std::path::PathBuf;

/// The options that `agent serve` and `agent mcp serve` share.
#[derive(Debug, clap::Args)]
pub(crate) struct ServedArgs {
    /// The documents
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    /// Serve this agent, and no others but those that are named so; may be given several times
    #[arg(long = "agent", value_name = "NAME")]
    agents: Vec<String>,
    /// Use this model; also for the agents that the agents call
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
    #[command(flatten)]
    pub(crate) connection: ConnectionArgs,
    /// Make calls that require approval without asking; not those that `whenTainted` guards
    #[arg(long)]
    pub(crate) yes: bool,
    #[command(flatten)]
    tools: ToolFiles,
}

impl ServedArgs {
    /// Returns the documents, which may be folders.
    pub(crate) fn files(&self) -> &[PathBuf] {
        &self.files
    }

    /// Returns the facts about models by which `agent check` checks documents; `None` if the requests go to another server.
    ///
    /// # Errors
    /// Returns an error if the environment names a day that does not exist.
    pub(crate) fn known_models(
        &self,
        environment: &Environment,
    ) -> Result<Option<KnownModels>, CommandError> {
        if self.connection.base_url.is_some() {
            return Ok(None);
        }
        let files = ModelFiles::default();
        let models = files
            .read(environment, self.tools.providers())?
            .map_err(has_errors)?;
        let instead = self.model.clone();
        Ok(Some(KnownModels { instead, ..models }))
    }

    /// Returns the tools and providers that the documents may name.
    pub(crate) fn tools(&self) -> &ToolFiles {
        &self.tools
    }

    /// Returns the files that the options name.
    pub(crate) fn inputs(&self) -> impl Iterator<Item = &PathBuf> {
        self.files.iter().chain(self.tools.paths())
    }

    /// Reads and checks the documents. If a document has errors, prints the errors and returns `None`.
    ///
    /// # Errors
    /// Returns an error if a file cannot be read, or if a variable is given twice.
    pub(crate) fn documents(&self, style: &Style) -> Result<Option<Vec<Document>>, CommandError> {
        refuse_duplicates(&self.variables)?;
        let documents = self.files.iter();
        documents
            .map(|file| self.tools.read_document(file, style))
            .collect()
    }

    /// Returns the agents that are served, with their models: those that `--agent` names, or those that no
    /// other agent calls. Returns no agents if the documents have no agents.
    ///
    /// # Errors
    /// Returns an error if no document declares an agent of `--agent`.
    pub(crate) fn select(&self, documents: &[Document]) -> Result<Vec<Agent>, CommandError> {
        let nodes = documents.iter().flat_map(|(_, checked)| &checked.agents);
        let all: Vec<&Agent> = nodes.map(|node| &node.agent).collect();
        let names: Vec<&str> = all.iter().map(|agent| agent.name()).collect();
        let mut agents = Vec::new();
        for name in &self.agents {
            let found = all.iter().find(|agent| agent.name() == name);
            agents.push(found.copied().cloned().ok_or_else(|| {
                let instead = known_instead(name, &names);
                CommandError::new(format!("no document declares an agent `{name}`; {instead}"))
            })?);
        }
        if self.agents.is_empty() {
            let roots = documents
                .iter()
                .flat_map(|(_, checked)| roots(&checked.agents));
            agents.extend(roots.map(|node| node.agent.clone()));
        }
        let with_model = |agent: Agent| match &self.model {
            Some(model) => agent.with_model_everywhere(model),
            None => agent,
        };
        Ok(agents.into_iter().map(with_model).collect())
    }

    /// Creates the builder of a runtime that is the same for all of these agents.
    ///
    /// # Errors
    /// Returns an error if the options do not fit the agents.
    pub(crate) fn runtime(
        &self,
        agents: &[Agent],
        environment: &Environment,
    ) -> Result<RuntimeBuilder, CommandError> {
        let providers = self.tools.providers();
        let base_url = self.connection.base_url.as_deref();
        let mut own = agents.iter().map(|agent| agent.model().provider());
        let first = own.next();
        if base_url.is_some()
            && let Some(other) = own.find(|provider| Some(*provider) != first)
        {
            let first = first.unwrap_or_default();
            return Err(CommandError::new(format!(
                "`--base-url` is the address of one provider, and the agents have models of {first} and {other}; serve \
                 them by two commands, each with `--agent NAME`, or write the address into each document, as `baseUrl`"
            )));
        }
        for agent in agents {
            if !self.connection.is_offline() {
                provider::check_reachable(providers, agent, base_url, Catalog::builtin())?;
            }
            warn_about_unused(agent, &self.variables);
        }
        let mut builder = self.connection.runtime(environment, providers, first);
        builder = builder
            .prices(all_prices(&self.prices)?)
            .usage_limits(self.limits.limits(self.connection.is_offline()));
        for variable in &self.variables {
            builder = builder.variable(&variable.name, &variable.value);
        }
        Ok(builder)
    }

    /// Connects the servers of `--mcp` of which one of these agents has a tool, or all without a list of agents, and adds
    /// their tools to a library. Nobody is asked for consent, because a server may have no terminal.
    ///
    /// # Errors
    /// Returns an error if a server cannot be connected.
    pub(crate) async fn connect(
        &self,
        agents: Option<&[Agent]>,
        environment: &Environment,
        library: &mut ToolLibrary,
    ) -> Result<Servers, CommandError> {
        let files = self.tools.servers();
        let redactor = redactor(environment);
        let check = |locks: &[McpLock]| self.connection.sent_variables.check(locks, false);
        let set_up = |server: McpServer| server.redactor(&redactor);
        Servers::connect(files, agents, environment, check, set_up, library).await
    }
}
