//! Agents as tools.

use super::{Tool, ToolError, ToolFuture};
use crate::context::ToolContext;
use crate::error::Error;
use agent_gram::value::Text;
use agent_spec::names::is_tool_name;
use agent_spec::{Agent, ToolDescriptor, ToolSettings};
use std::borrow::Borrow;
use std::fmt;
use std::sync::Arc;

/// An agent that other agents call as a tool: the agent, and the tools that it can call itself.
///
/// In a run, a call of the tool is a run of the agent inside of the calling run, and not a function call.
/// Cloning is cheap.
///
/// ```
/// use agent_runtime::conversation::ToolCall;
/// use agent_runtime::model::{ModelReply, Scripted};
/// use agent_runtime::tool::AgentTool;
/// use agent_runtime::{Error, Runtime, ToolLibrary, agent};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Error> {
/// let billing = agent! {
///     [billing:Agent {description: "Knows invoices", instruction: "Answer.", model: "Scripted/any"}]
/// };
/// let support = agent! {
///     tools: [dynamic billing],
///     [support:Agent {instruction: "Help.", model: "Scripted/any"} | billing]
/// };
///
/// let mut library = ToolLibrary::new();
/// library.add(AgentTool::new(billing, &ToolLibrary::new())?).expect("a new name");
/// let runtime = Runtime::with_model(Scripted::new([
///     ModelReply::calls([ToolCall::new("1", "billing", r#"{"message": "What do I owe?"}"#)]),
///     ModelReply::text("12 euros"),
///     ModelReply::text("You owe 12 euros."),
/// ]));
/// let response = runtime.run(&support, "What do I owe?").tools(&library).await?;
/// assert_eq!(response.content, "You owe 12 euros.");
/// assert_eq!(response.tools_used[0].result, Ok("12 euros".into()));
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct AgentTool(Arc<Parts>);

struct Parts {
    descriptor: ToolDescriptor,
    agent: Agent,
    tools: Arc<Vec<Arc<dyn Tool>>>,
}

impl AgentTool {
    /// Creates a tool from an agent and from the tools that the agent can call, such as those of a library.
    ///
    /// # Errors
    /// Validation when the agent has no description, by which a model knows when to call it, or when its name cannot be
    /// that of a tool.
    pub fn new<T: Borrow<Arc<dyn Tool>>>(
        agent: Agent,
        tools: impl IntoIterator<Item = T>,
    ) -> Result<Self, Error> {
        let tools = tools.into_iter().map(|tool| Arc::clone(tool.borrow()));
        Self::of_library(agent, Arc::new(tools.collect()))
    }

    pub(crate) fn of_library(agent: Agent, tools: Arc<Vec<Arc<dyn Tool>>>) -> Result<Self, Error> {
        let name = agent.name();
        if !is_tool_name(name) {
            return Err(Error::validation(format!(
                "the agent `{name}` cannot be a tool: the name of a tool is a letter or `_`, then letters, digits, `_` or \
                 `-`, 63 at most"
            )));
        }
        let Some(spec) = agent.to_spec() else {
            return Err(Error::validation(format!(
                "the agent `{name}` cannot be a tool: it has no `description`, by which a model knows when to call it"
            )));
        };
        let mut settings = ToolSettings::DEFAULT;
        settings.timeout = spec.timeout();
        settings.requires_approval = spec.requires_approval();
        let contract = agent_spec::Contract::Signature(spec.signature().clone());
        let (name, description) = (Text::new(name), Text::new(spec.description()));
        let descriptor = ToolDescriptor::new(name, description, contract, settings);
        Ok(Self(Arc::new(Parts {
            descriptor,
            tools,
            agent,
        })))
    }

    /// The agent.
    #[must_use]
    pub fn agent(&self) -> &Agent {
        &self.0.agent
    }

    /// The tools that the agent can call.
    #[must_use]
    pub fn tools(&self) -> &[Arc<dyn Tool>] {
        &self.0.tools
    }

    pub(crate) fn shared_tools(&self) -> &Arc<Vec<Arc<dyn Tool>>> {
        &self.0.tools
    }
}

impl Tool for AgentTool {
    fn descriptor(&self) -> &ToolDescriptor {
        &self.0.descriptor
    }

    fn call<'a>(&'a self, arguments: &'a str, context: &'a ToolContext) -> ToolFuture<'a> {
        call_agent(self.clone(), arguments, context)
    }

    fn agent(&self) -> Option<AgentTool> {
        Some(self.clone())
    }
}

impl fmt::Debug for AgentTool {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("AgentTool")
            .field("name", &self.0.agent.name())
            .finish_non_exhaustive()
    }
}

/// The run of a call, by which the body of a tool calls agents.
pub struct AgentHost {
    /// Calls an agent.
    pub call: CallAgent,
    /// The values that only the runtime knows.
    pub data: Arc<dyn std::any::Any + Send + Sync>,
}

/// Calls an agent with the runtime of a context.
pub type CallAgent = for<'a> fn(AgentTool, &'a str, &'a ToolContext) -> ToolFuture<'a>;

/// Calls an agent from the body of a tool, with the runtime of the context.
///
/// # Errors
/// When the context belongs to no run.
pub fn call_agent<'a>(
    agent: AgentTool,
    arguments: &'a str,
    context: &'a ToolContext,
) -> ToolFuture<'a> {
    match context.host::<AgentHost>() {
        Some(host) => (host.call)(agent, arguments, context),
        None => {
            let name = agent.agent().name();
            let text = format!(
                "the agent `{name}` cannot be called here, because the context belongs to no run; call it with \
                 `Runtime::call`"
            );
            Box::pin(async { Err(ToolError::Execution(text)) })
        }
    }
}
