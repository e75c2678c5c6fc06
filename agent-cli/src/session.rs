//! An agent that can be talked to: what `agent run` and `agent chat` have in common.

#[cfg(feature = "otel")]
mod export;
mod grants;
mod history;
mod keys;
mod limits;
mod partial_answer;
mod price;
mod retention;
mod trace;
mod usage_report;
mod variable;
mod whole_number;

pub(crate) use partial_answer::{MARK, Unfinished};
pub(crate) use retention::KeepArgs;
pub(crate) use trace::trace;
pub(crate) use usage_report::Spent;

use crate::document::ToolFiles;
use crate::input::refuse_stdin_twice;
use crate::outcome::{Trouble, in_full};
use crate::output::error_to_stderr;
use crate::provider;
use crate::stored_conversation::KeptArgs;
use crate::style::Style;
use agent_lsp::source::Source;
use agent_runtime::cost::Prices;
use agent_runtime::run::Decision;
use agent_runtime::runtime::RuntimeBuilder;
use agent_runtime::{Agent, Conversation, Environment, Error, Model, Runtime};
use agent_spec::check::Checked;
use agent_spec::names::nearest;
use grants::GrantArgs;
use limits::LimitArgs;
use price::{ModelPrice, prices_for};
use std::path::PathBuf;
use variable::{Variable, refuse_twice, tell_unused};

/// Which agent is talked to, and how its models are reached.
#[derive(Debug, clap::Args)]
pub(crate) struct SessionArgs {
    /// The agent, when the document has several
    #[arg(long, value_name = "NAME")]
    agent: Option<String>,
    /// Answer with the built-in offline model, whatever the agent's model is
    #[arg(long)]
    offline: bool,
    /// Use this model, such as OpenAI/gpt-4o-mini, in place of the agent's
    #[arg(long, value_name = "PROVIDER/ID", value_parser = Model::parse)]
    model: Option<Model>,
    /// Reach the agent's provider here, as the vendor's SDK takes it (for OpenAI with `/v1`)
    #[arg(long, value_name = "URL", value_parser = clap::builder::NonEmptyStringValueParser::new())]
    base_url: Option<String>,
    /// Fill `{{NAME}}` in the instruction; may be given several times
    #[arg(long = "var", value_name = "NAME=VALUE")]
    variables: Vec<Variable>,
    /// Let this host have the key although only the document names it, as `baseUrl`; without a port,
    /// the usual one. Over plain http only this machine gets a key
    #[arg(long = "allow-key-host", value_name = "HOST[:PORT]")]
    key_hosts: Vec<String>,
    /// What a model costs, in dollars per million tokens, sent and written, and from the provider's
    /// cache, if that differs; may be given several times
    #[arg(long = "price", value_name = "PROVIDER/ID=SENT,WRITTEN[,CACHED]")]
    prices: Vec<ModelPrice>,
    /// Begin the conversation with the messages of this file, JSON or gram; `-` is standard input. A stored
    /// conversation begins with what it has, so it is not for use with --conversation
    #[arg(long, value_name = "FILE", conflicts_with = "conversation")]
    history: Option<PathBuf>,
    /// Where the conversation is kept
    #[command(flatten)]
    pub(crate) kept: KeptArgs,
    /// How much of it is sent
    #[command(flatten)]
    pub(crate) keep: KeepArgs,
    #[command(flatten)]
    limits: LimitArgs,
    #[command(flatten)]
    grants: GrantArgs,
    #[command(flatten)]
    tools: ToolFiles,
}

/// An agent that can be talked to.
pub(crate) struct Session {
    /// The agent.
    pub(crate) agent: Agent,
    /// Whether the offline model answers, whatever the agent's model is.
    pub(crate) is_offline: bool,
    /// What was said before the first message.
    pub(crate) conversation: Conversation,
    /// The runtime, to be built.
    pub(crate) runtime: RuntimeBuilder,
    /// What models cost.
    pub(crate) prices: Prices,
}

impl SessionArgs {
    /// Whether calls are made that require approval, without anybody being asked.
    pub(crate) fn approves_all(&self) -> bool {
        self.grants.approves_all()
    }

    /// Reads the document and the history, and says how models are reached. Gives nothing, having
    /// said why, when one of them has errors.
    ///
    /// # Errors
    /// When a file cannot be read, or the agent cannot be talked to.
    pub(crate) fn prepare(
        &self,
        file: &PathBuf,
        environment: &Environment,
        style: &Style,
    ) -> Result<Option<Session>, Trouble> {
        refuse_stdin_twice(self.inputs(file))?;
        refuse_twice(&self.variables)?;
        let Some((source, checked)) = self.tools.read_document(file, style)? else {
            return Ok(None);
        };
        let Some(mut agent) = choose(&source, &checked, self.agent.as_deref())? else {
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
            agent = agent.with_model(model.clone());
        }
        if !self.offline {
            provider::check_reachable(self.tools.providers(), &agent, self.base_url.as_deref())?;
        }
        let prices = prices_for(&agent, &self.prices)?;
        let limits = self.limits.limits(&agent, &prices)?;
        tell_unused(&agent, &self.variables);
        let runtime = self.runtime(agent.model().provider(), environment);
        Ok(Some(Session {
            agent,
            is_offline: self.offline,
            conversation,
            runtime: runtime.prices(prices.clone()).usage_limits(limits),
            prices,
        }))
    }

    /// The files that are read, besides those with tools.
    pub(crate) fn inputs<'a>(
        &'a self,
        file: &'a PathBuf,
    ) -> impl Iterator<Item = &'a PathBuf> + use<'a> {
        std::iter::once(file)
            .chain(&self.history)
            .chain(self.tools.paths())
    }

    /// The runtime for an agent whose own provider has this name.
    fn runtime(&self, own: &str, environment: &Environment) -> RuntimeBuilder {
        let mut builder = Runtime::builder().environment(environment.clone());
        builder = builder.grants(self.grants.grants());
        for key in keys::in_environment(environment, self.tools.providers()) {
            builder = builder.secret(key);
        }
        if self.grants.approves_all() {
            builder = builder.approver(|_| async { Decision::Approve });
        }
        if self.offline {
            builder = builder.offline();
        }
        if let Some(url) = &self.base_url {
            builder = builder.base_url(url);
        }
        for host in &self.key_hosts {
            builder = builder.allow_key_host(host);
        }
        for provider in self.tools.providers() {
            let own_base_url = self.base_url.as_deref().filter(|_| provider.name == own);
            if let Some(compatible) = provider.compatible(own_base_url) {
                builder = builder.compatible_provider(&provider.name, compatible);
            }
        }
        for variable in &self.variables {
            builder = builder.variable(&variable.name, &variable.value);
        }
        builder
    }
}

/// What ended a run, with its causes.
pub(crate) fn trouble_of(error: Error) -> Trouble {
    Trouble::new(in_full(&error))
}

/// What drives runs: everything on this thread, but tools that block.
///
/// # Errors
/// When the system refuses it.
pub(crate) fn driver() -> Result<tokio::runtime::Runtime, Trouble> {
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| Trouble::new(format!("cannot start: {error}")))
}

/// The agent of a name, or the only one. Gives nothing, having said so, when the document has no
/// agent: then the document is at fault, and not the command line.
///
/// # Errors
/// When there is no agent of the name, or there are several and no name was given.
fn choose(
    source: &Source,
    checked: &Checked,
    name: Option<&str>,
) -> Result<Option<Agent>, Trouble> {
    let agents = &checked.agents;
    let chosen = match name {
        Some(name) => agents.iter().find(|node| node.agent.name() == name),
        None if agents.len() == 1 => agents.first(),
        None => None,
    };
    if let Some(node) = chosen {
        return Ok(Some(node.agent.clone()));
    }
    let file = source.display_name();
    let names: Vec<&str> = agents.iter().map(|node| node.agent.name()).collect();
    let all = names.join(", ");
    if names.is_empty() {
        error_to_stderr(&format!(
            "`{file}` declares tools, but no agent that could be run"
        ));
        return Ok(None);
    }
    let message = match name {
        None => format!("`{file}` declares several agents; choose one with --agent: {all}"),
        Some(name) => match nearest(name, names) {
            Some(meant) => format!("`{file}` declares no agent `{name}`; did you mean `{meant}`?"),
            None => format!("`{file}` declares no agent `{name}`; it declares {all}"),
        },
    };
    Err(Trouble::new(message))
}
