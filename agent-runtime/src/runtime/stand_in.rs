//! Tools in the place of the tools of a library, and of tools that the library does not have, so that a run
//! can be replayed without them.

use agent_core::run::Run;
use agent_spec::{Agent, AgentTool, ToolDescriptor, ToolSettings, ToolSpec};
use agent_tool::library::ToolLibrary;
use agent_tool::tool::{AgentTool as CalledAgent, Tool, ToolConfig, ToolError, ToolFuture};
use agent_tool::{Error, ToolContext};
use serde_json::Value;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

/// The result of a call of a tool that the program does not have.
const NOT_HERE: &str = "not made: this program does not have the tool";

/// A tool that is never called, so that it needs no configuration.
struct NotCalled(Arc<dyn Tool>);

impl Tool for NotCalled {
    fn descriptor(&self) -> &ToolDescriptor {
        self.0.descriptor()
    }

    fn call<'a>(&'a self, _: &'a str, _: &'a ToolContext) -> ToolFuture<'a> {
        Box::pin(async { Err(ToolError::Execution(NOT_HERE.to_owned())) })
    }

    fn validates_arguments(&self) -> bool {
        self.0.validates_arguments()
    }

    fn input_schema(&self) -> Value {
        self.0.input_schema()
    }

    fn agent(&self) -> Option<CalledAgent> {
        self.0.agent()
    }
}

/// A library, and tools in the place of tools that the library does not have.
pub(crate) struct StandIns {
    library: ToolLibrary,
    /// The settings of the recorded tools.
    settings: BTreeMap<String, ToolSettings>,
    names: Vec<String>,
}

impl StandIns {
    pub(crate) fn new(
        library: &ToolLibrary,
        settings: BTreeMap<String, ToolSettings>,
    ) -> Result<Self, Error> {
        let mut not_called = ToolLibrary::new();
        for tool in library.iter() {
            let tool: Arc<dyn Tool> = Arc::new(NotCalled(Arc::clone(tool)));
            let added = not_called.add(tool);
            added.map_err(|error| Error::tool(error.to_string()))?;
        }
        Ok(Self {
            library: not_called,
            settings,
            names: Vec::new(),
        })
    }

    /// Adds the tools that an agent, and the agents that it can call, describe.
    pub(crate) fn add(&mut self, agent: &Agent) -> Result<(), Error> {
        for one in std::iter::once(agent).chain(agent.agents()) {
            for spec in one.tools() {
                if !agent.is_agent(spec.name()) {
                    self.add_spec(spec)?;
                }
            }
        }
        Ok(())
    }

    /// Adds the tools that an agent only names, with the specs of a recorded run.
    pub(crate) fn add_referenced(&mut self, agent: &Agent, recorded: &Run) -> Result<(), Error> {
        let known: Vec<_> = recorded.first().tools().with_those_of_agents().collect();
        // If several tools have one name, the first is used.
        let by_name: HashMap<&str, &ToolSpec> = known
            .iter()
            .rev()
            .map(|tool| (tool.spec().name(), tool.spec()))
            .collect();
        for one in std::iter::once(agent).chain(agent.agents()) {
            for tool in one.all_tools() {
                if let AgentTool::Reference(wanted) = tool
                    && let Some(spec) = by_name.get(wanted)
                {
                    self.add_spec(spec)?;
                }
            }
        }
        Ok(())
    }

    fn add_spec(&mut self, spec: &ToolSpec) -> Result<(), Error> {
        let name = spec.name();
        if self.library.lookup(name).is_some() {
            return Ok(());
        }
        let settings = self.settings.get(name).copied();
        let config = ToolConfig::of_spec(spec).settings(settings.unwrap_or(ToolSettings::DEFAULT));
        let tool = config.build(async |_| Err(ToolError::Execution(NOT_HERE.to_owned())));
        let unusable = |error: &dyn std::fmt::Display| {
            Error::tool(format!(
                "the tool `{name}` of the agent cannot be used: {error}"
            ))
        };
        let tool = tool.map_err(|error| unusable(&error))?;
        self.library.add(tool).map_err(|error| unusable(&error))?;
        self.names.push(name.to_owned());
        Ok(())
    }

    pub(crate) fn library(&self) -> &ToolLibrary {
        &self.library
    }

    /// The names of the tools that the library does not have.
    pub(crate) fn into_names(self) -> Vec<String> {
        self.names
    }
}
