//! The agent, conversation and runtime that `agent run` and `agent chat` work with, and the options for them.

mod argument;
mod connection;
mod denied_calls;
mod environment_keys;
mod grants;
mod history;
mod limits;
mod missing_tools;
mod number;
#[cfg(feature = "otel")]
mod otel;
mod partial_answer;
mod price;
mod retention;
mod sent_variables;
mod servers;
mod trace;
mod usage_report;
mod variable;

pub(crate) use argument::Arguments;
pub(crate) use connection::ConnectionArgs;
pub(crate) use denied_calls::{ABOUT_DENIED, denied_tool};
pub(crate) use limits::{LimitArgs, dollars};
pub(crate) use missing_tools::warn_about_missing_tools;
pub(crate) use number::positive;
#[cfg(feature = "otel")]
pub(crate) use otel::settings as otel_settings;
pub(crate) use partial_answer::PartialAnswer;
pub(crate) use price::{ModelPrice, all_prices};
pub(crate) use retention::RetentionArgs;
pub(crate) use sent_variables::{SentVariables, refuse_plain_http};
pub(crate) use servers::Servers;
pub(crate) use trace::{start_tracing, start_tracing_with};
pub(crate) use usage_report::UsageReport;
pub(crate) use variable::{Variable, host_variables, refuse_duplicates, warn_about_unused};

use crate::document::ToolFiles;
use crate::input::refuse_stdin_twice;
use crate::models::ModelFiles;
use crate::named_conversation::ConversationArgs;
use crate::outcome::CommandError;
use crate::output::error_to_stderr;
use crate::provider;
use crate::style::Style;
use agent_catalog::Catalog;
use agent_mcp::McpServer;
use agent_project::source::Source;
use agent_runtime::redact::Redactor;
use agent_runtime::run::{Decision, PendingCall};
use agent_runtime::runtime::RuntimeBuilder;
use agent_runtime::{Agent, Conversation, Environment, Model, ToolLibrary};
use agent_spec::check::{Checked, choose_agent, listed};
use agent_spec::mcp::McpLock;
use agent_spec::model::PROVIDERS;
use argument::argument;

use price::prices_for;
use std::path::PathBuf;

/// The options that `agent run` and `agent chat` share.
#[derive(Debug, clap::Args)]
pub(crate) struct SessionArgs {
    /// The agent, when the document has several
    #[arg(long, value_name = "NAME")]
    agent: Option<String>,
    /// Use this model; also for the agents that the agent calls
    #[arg(long, value_name = "PROVIDER/ID", value_parser = Model::parse)]
    model: Option<Model>,
    #[command(flatten)]
    models: ModelFiles,
    /// Fill `{{NAME}}` in the instruction; may be given several times
    #[arg(long = "var", value_name = "NAME=VALUE")]
    variables: Vec<Variable>,
    /// Call the agent with this value for a parameter of its signature; may be given several times. A text is written
    /// as it is, an image, audio or a document as a file or a URL, and any other value as JSON. A message is the value
    /// of the required text that is left
    #[arg(long = "arg", value_name = "NAME=VALUE", value_parser = argument)]
    arguments: Vec<Variable>,
    /// The price of a model in dollars per million tokens: tokens sent, tokens written, and, if their prices
    /// differ, tokens read from the provider's cache and tokens stored in it; may be given several times
    #[arg(
        long = "price",
        value_name = "PROVIDER/ID=SENT,WRITTEN[,CACHED[,STORED]]"
    )]
    prices: Vec<ModelPrice>,
    /// Begin the conversation with the messages of this file, JSON or gram; `-` is standard input. Not with
    /// --conversation, because a stored conversation begins with its stored messages
    #[arg(long, value_name = "FILE", conflicts_with = "conversation")]
    history: Option<PathBuf>,
    /// Write the images, documents and audio of answers to files in this folder, which is created if it does not
    /// exist
    #[arg(long, value_name = "FOLDER")]
    pub(crate) save_media: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) conversation: ConversationArgs,
    #[command(flatten)]
    pub(crate) retention: RetentionArgs,
    #[command(flatten)]
    limits: LimitArgs,
    #[command(flatten)]
    pub(crate) connection: ConnectionArgs,
    /// Make calls that require approval without asking; not those that `whenTainted` guards
    #[arg(long)]
    yes: bool,
    /// The messages have words of strangers, such as a mail that you pass on: `whenTainted` guards calls from the start
    #[arg(long)]
    untrusted: bool,
    #[command(flatten)]
    tools: ToolFiles,
}

/// An agent, and the runtime to run it with.
pub(crate) struct Session {
    pub(crate) agent: Agent,
    /// The arguments of `--arg`.
    pub(crate) arguments: Arguments,
    /// Whether the offline model answers, whatever the agent's model is.
    pub(crate) is_offline: bool,
    /// The messages of `--history`.
    pub(crate) conversation: Conversation,
    /// The builder of the runtime.
    pub(crate) runtime: RuntimeBuilder,
}

impl SessionArgs {
    /// Whether there is a provider of this name: a built-in one, or one of `--provider` or of the project file.
    pub(crate) fn has_provider(&self, name: &str) -> bool {
        let mut given = self.tools.providers().iter();
        PROVIDERS.contains(&name) || given.any(|provider| provider.name == name)
    }

    /// Whether calls that require approval are made without asking.
    pub(crate) fn approves_all(&self) -> bool {
        self.yes
    }

    /// Reads the document and the history, and creates the session. If one of them has errors, prints
    /// them and returns `None`.
    ///
    /// # Errors
    /// Returns an error if a file cannot be read, or if an option does not fit the agent.
    pub(crate) fn prepare(
        &self,
        file: &PathBuf,
        environment: &Environment,
        style: &Style,
    ) -> Result<Option<Session>, CommandError> {
        refuse_stdin_twice(self.inputs(file))?;
        refuse_duplicates(&self.variables)?;
        let catalog = self.models.catalog(file)?;
        let tools = catalog
            .as_ref()
            .map(|catalog| self.tools.with_catalog(catalog));
        let tools = tools.as_ref().unwrap_or(&self.tools);
        let Some((source, checked)) = tools.read_document(file, style)? else {
            return Ok(None);
        };
        let Some(mut agent) = select_agent(&source, &checked, self.agent.as_deref())? else {
            return Ok(None);
        };
        let conversation = match &self.history {
            None => Conversation::new(),
            Some(path) => match history::read(path)? {
                Some(conversation) => conversation,
                None => return Ok(None),
            },
        };
        if let Some(model) = &self.model {
            agent = agent.with_model_everywhere(model);
        }
        if !self.connection.offline {
            provider::check_reachable(
                self.tools.providers(),
                &agent,
                self.connection.base_url.as_deref(),
                catalog.as_ref().unwrap_or(Catalog::builtin()),
            )?;
        }
        let prices = prices_for(&agent, &self.prices)?;
        let limits = self.limits.limits(self.connection.offline);
        warn_about_unused(&agent, &self.variables);
        let mut arguments = Arguments::read(&self.arguments, &agent)?;
        arguments.set_untrusted(self.untrusted);
        let mut runtime = self.runtime(agent.model().provider(), environment);
        if let Some(catalog) = catalog {
            runtime = runtime.catalog(catalog);
        }
        Ok(Some(Session {
            agent,
            arguments,
            is_offline: self.connection.offline,
            conversation,
            runtime: self
                .retention
                .compact(runtime.prices(prices).usage_limits(limits)),
        }))
    }

    /// Connects the servers of `--mcp` of which an agent has a tool, and adds their tools to a library. `set_up` gives each
    /// server its settings.
    ///
    /// # Errors
    /// Returns an error if a server cannot be connected.
    pub(crate) async fn connect_servers(
        &self,
        agent: &Agent,
        environment: &Environment,
        set_up: impl Fn(McpServer) -> McpServer,
        library: &mut ToolLibrary,
    ) -> Result<Servers, CommandError> {
        let files = self.tools.servers();
        let agents = std::slice::from_ref(agent);
        let check = |locks: &[McpLock]| self.connection.sent_variables.check(locks, true);
        Servers::connect(files, Some(agents), environment, check, set_up, library).await
    }

    /// Returns the names of the variables that are given a value.
    pub(crate) fn variable_names(&self) -> Vec<&str> {
        let variables = self.variables.iter();
        variables.map(|variable| variable.name.as_str()).collect()
    }

    /// Returns the files that the options name.
    pub(crate) fn inputs<'a>(
        &'a self,
        file: &'a PathBuf,
    ) -> impl Iterator<Item = &'a PathBuf> + use<'a> {
        std::iter::once(file)
            .chain(&self.history)
            .chain(self.tools.paths())
            .chain(self.models.paths())
    }

    /// Creates the runtime for an agent whose model has this provider.
    fn runtime(&self, agent_provider: &str, environment: &Environment) -> RuntimeBuilder {
        let providers = self.tools.providers();
        let mut builder = self
            .connection
            .runtime(environment, providers, Some(agent_provider));
        if self.yes {
            builder = builder.approver(approve_all);
        }
        for variable in &self.variables {
            builder = builder.variable(&variable.name, &variable.value);
        }
        builder
    }
}

/// The end of the reason for which `--yes` denies a call.
pub(crate) const NOT_BY_YES: &str = "`--yes` does not make such calls";

/// The decision of `--yes`: each call is made, but for those that `whenTainted` guards, because nobody has looked at them.
pub(crate) async fn approve_all(call: PendingCall) -> Decision {
    match call.guarded {
        None => Decision::Approve,
        Some(guarded) => Decision::Deny {
            reason: Some(format!("{guarded}; {NOT_BY_YES}")),
        },
    }
}

/// Returns the keys of the built-in providers and of search engines in the environment.
pub(crate) fn keys(environment: &Environment) -> impl Iterator<Item = String> {
    environment_keys::keys(environment, &[])
}

/// Creates a redactor of the keys in the environment.
pub(crate) fn redactor(environment: &Environment) -> Redactor {
    let redactor = Redactor::new();
    keys(environment).for_each(|key| redactor.add(&key));
    redactor
}

/// Returns the agent with a name, or the one that no other agent calls. If the document has no agent, prints an error and
/// returns `None`, because the document is wrong and not the command line.
///
/// # Errors
/// Returns an error if no agent has the name, or if there are several agents and no name.
pub(crate) fn select_agent(
    source: &Source,
    checked: &Checked,
    name: Option<&str>,
) -> Result<Option<Agent>, CommandError> {
    let file = source.display_name();
    if checked.agents.is_empty() {
        error_to_stderr(&format!("`{file}` declares tools, but no agent to run"));
        return Ok(None);
    }
    let none = match choose_agent(&checked.agents, name) {
        Ok(node) => return Ok(Some(node.agent.clone())),
        Err(none) => none,
    };
    let mut message = format!("`{file}` {}", none.reason);
    if !none.choices.is_empty() {
        let names = listed(&none.choices);
        message.push_str(&format!("; choose one with --agent: {names}"));
    }
    Err(CommandError::new(message))
}
