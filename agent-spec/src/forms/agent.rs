//! Agents made in code, with the checks and messages of a document, and their forms.

use crate::agent::{Agent, AgentTool, OwnTool};
use crate::check::{Options, check_agent};
use crate::diagnostic::{Code, Diagnostics};
use crate::instruction::{InstructionPart, not_a_variable, parts};
use crate::lens::{
    AgentPattern, agent_pattern, conflict_between, read_agent_pattern, tool_pattern,
};
use crate::model::Model;
use crate::settings::Settings;
use crate::style::Style;
use crate::tool::ToolSpec;
use agent_gram::value::Text;
use agent_gram::{Pattern, Subject};
use agent_types::names::is_tool_name;
use std::collections::HashMap;

impl Agent {
    /// Makes an agent without tools from its name, model and instruction.
    ///
    /// # Errors
    /// Returns the diagnostics of a document with this agent. Any provider name is accepted, because the
    /// runtime knows which providers exist.
    ///
    /// ```
    /// use agent_spec::{Agent, ToolSpec};
    ///
    /// let agent = Agent::new("greeter", "OpenAI/gpt-6-luna", "Greet people.")?
    ///     .with_tool(ToolSpec::new("sayHello", "Greets.", "(name::Text)==>(::String)")?)?;
    /// assert_eq!(agent.tools().len(), 1);
    /// # Ok::<(), agent_spec::Diagnostics>(())
    /// ```
    pub fn new(
        name: impl Into<Text>,
        model: &str,
        instruction: impl Into<Text>,
    ) -> Result<Self, Diagnostics> {
        let (name, instruction) = (name.into(), instruction.into());
        if name.is_empty() {
            return Err(Diagnostics::without_text(
                Code::MissingName,
                "Agent must have a non-empty pattern identifier (name)",
            ));
        }
        if instruction.trim().is_empty() {
            return Err(Diagnostics::without_text(
                Code::MissingInstruction,
                "the instruction of an agent must not be empty",
            ));
        }
        let malformed = parts(&instruction).into_iter().find_map(|part| match part {
            InstructionPart::Malformed(text) => Some(text),
            _ => None,
        });
        if let Some(text) = malformed {
            let message = not_a_variable(text);
            return Err(Diagnostics::without_text(Code::BadVariable, message));
        }
        let model = Model::parse(model)
            .map_err(|error| Diagnostics::without_text(Code::BadModel, error.to_string()))?;
        Ok(Self::from_parts(name, instruction, model))
    }

    /// Adds a tool. A [reference](Self::references) to the tool is replaced by it.
    ///
    /// # Errors
    /// When the agent has the spec of a tool of this name, or the tool's signature nests too deep for gram.
    pub fn with_tool(self, tool: ToolSpec) -> Result<Self, Diagnostics> {
        self.with_tools(vec![tool])
    }

    /// Adds the specs of several tools, each as [`with_tool`](Self::with_tool) does.
    ///
    /// # Errors
    /// When the agent has the spec of a tool of one of these names, when two of them have one name, or when a
    /// signature nests too deep for gram.
    pub fn with_tools(mut self, specs: Vec<ToolSpec>) -> Result<Self, Diagnostics> {
        let mut tools = self.take_tools();
        let places = tools.iter().enumerate();
        let mut by_name: HashMap<String, usize> = places
            .map(|(place, tool)| (tool.name().to_owned(), place))
            .collect();
        for spec in specs {
            let place = by_name.get(spec.name()).copied();
            if let Some(OwnTool::Spec(ours)) = place.map(|place| &tools[place]) {
                return Err(twice(ours.name()));
            }
            // A tool inside an agent is one level deeper than a tool alone.
            let pattern = Pattern::from(tool_pattern(&spec));
            Pattern::new(Subject::default(), vec![pattern])
                .map_err(|error| Diagnostics::without_text(Code::GramTooDeep, error.to_string()))?;
            let spec = OwnTool::Spec(spec);
            match place {
                Some(place) => tools[place] = spec,
                None => {
                    by_name.insert(spec.name().to_owned(), tools.len());
                    tools.push(spec);
                }
            }
        }
        self.set_tools(tools);
        Ok(self)
    }

    /// Adds another agent, which this agent can call as a tool with the other agent's name, description and
    /// signature. The agents that the other agent can call are added, too.
    ///
    /// # Errors
    /// When the other agent has no description, because a model decides by the description when to call it,
    /// or a name that no tool can have; when this agent has a tool of the name; when both can call different
    /// agents of one name; or when agents would call each other more than
    /// [`MAX_AGENT_DEPTH`](crate::MAX_AGENT_DEPTH) deep.
    ///
    /// ```
    /// use agent_spec::Agent;
    ///
    /// let billing = Agent::new("billing", "Offline/any", "Answer questions about invoices.")?
    ///     .with_description("Knows all invoices");
    /// let support = Agent::new("support", "Offline/any", "Help the customer.")?.with_agent(&billing)?;
    /// assert_eq!(support.tools()[0].name(), "billing");
    /// assert_eq!(support.agent("billing"), Some(billing));
    /// # Ok::<(), agent_spec::Diagnostics>(())
    /// ```
    pub fn with_agent(self, agent: &Agent) -> Result<Self, Diagnostics> {
        let name = agent.name();
        let Some(spec) = agent.to_spec() else {
            let message = format!(
                "the agent `{name}` needs a description: it is how the agent that calls it knows when to"
            );
            return Err(Diagnostics::without_text(Code::MissingDescription, message));
        };
        if !is_tool_name(name) {
            let message = format!("`{name}` is not a name that every provider takes for a tool");
            return Err(Diagnostics::without_text(Code::BadName, message));
        }
        if self.all_tools().any(|tool| tool.name() == name) {
            return Err(twice(name));
        }
        let mut tools = self.clone().take_tools();
        tools.push(OwnTool::Spec(spec));
        let mut caller = self;
        caller.set_tools(tools);
        caller
            .add_agents(std::iter::once(agent).chain(agent.agents()))
            .map_err(|name| different_agents(&name))?;
        // Depth, and a name that is both a tool and an agent, are checked as in a document.
        let mut read = agent_pattern(&caller).to_agent()?;
        read.catalog = caller.catalog;
        Ok(read)
    }

    /// Adds a reference to a tool. A library provides the spec of the tool when the agent is bound.
    ///
    /// # Errors
    /// When the agent has a tool of this name, or a reference to it, or when no tool can have the name.
    pub fn with_reference(mut self, name: impl Into<Text>) -> Result<Self, Diagnostics> {
        let name = name.into();
        if !is_tool_name(&name) {
            return Err(Diagnostics::without_text(
                Code::BadName,
                format!("`{name}` is not a name that every provider takes for a tool"),
            ));
        }
        if self.all_tools().any(|tool| tool.name() == &*name) {
            return Err(twice(&name));
        }
        let mut tools = self.take_tools();
        tools.push(OwnTool::Reference(name));
        self.set_tools(tools);
        Ok(self)
    }

    /// Sets the run settings. The agent must already have the tool that `tool_choice` names.
    ///
    /// # Errors
    /// The diagnostics of a document with these settings.
    pub fn with_settings(mut self, settings: Settings) -> Result<Self, Diagnostics> {
        self.set_settings(settings);
        let mut read = agent_pattern(&self).to_agent()?;
        read.catalog = self.catalog;
        Ok(read)
    }

    /// Reads an agent from a pattern. Any provider name is accepted.
    ///
    /// # Errors
    /// All diagnostics of the pattern. Their spans are in the pattern's gram text.
    pub fn from_pattern(pattern: &Pattern) -> Result<Self, Diagnostics> {
        read_agent_pattern(pattern)
    }

    /// Returns this agent with the tools of another agent added: first the tools of this agent, in
    /// order, then the tools that only the other agent has. Name, description, instruction, model,
    /// settings and further properties are those of this agent.
    ///
    /// A tool that both agents have with equal specs is kept once. If only one of them has the spec of a
    /// tool, and the other refers to it, the spec is kept.
    ///
    /// # Errors
    /// When both agents have a tool of one name with different specs. The diagnostics name all such
    /// tools.
    ///
    /// ```
    /// use agent_spec::{Agent, ToolSpec};
    ///
    /// let tool = |name: &'static str| ToolSpec::new(name, "Says something.", "(name::Text)==>(::String)");
    /// let greeter = Agent::new("greeter", "OpenAI/gpt-6-luna", "Greet people.")?;
    /// let greeter = greeter.with_tool(tool("sayHello")?)?;
    /// let leaver = Agent::new("leaver", "Offline/any", "Say goodbye.")?;
    /// let leaver = leaver.with_tool(tool("sayGoodbye")?)?.with_tool(tool("sayHello")?)?;
    ///
    /// let host = greeter.extend(&leaver)?;
    /// assert_eq!(host.instruction(), "Greet people.");
    /// let names: Vec<_> = host.tools().iter().map(ToolSpec::name).collect();
    /// assert_eq!(names, ["sayHello", "sayGoodbye"]);
    /// # Ok::<(), agent_spec::Diagnostics>(())
    /// ```
    pub fn extend(&self, other: &Agent) -> Result<Agent, Diagnostics> {
        let mut extended = self.clone();
        let mut tools = extended.take_tools();
        let mut conflicts = Vec::new();
        for theirs in other.all_tools() {
            match (self.tool(theirs.name()), theirs) {
                (None, AgentTool::Spec(theirs)) => put(&mut tools, theirs.clone()),
                (None, AgentTool::Reference(name)) => {
                    if tools.iter().all(|ours| ours.name() != name) {
                        tools.push(OwnTool::Reference(Text::new(name)));
                    }
                }
                (Some(ours), AgentTool::Spec(theirs)) if ours != theirs => {
                    let names = (self.name(), other.name());
                    conflicts.push(conflict_between(names, ours, theirs));
                }
                (Some(_), _) => {}
            }
        }
        if !conflicts.is_empty() {
            return Err(Diagnostics::new(String::new(), conflicts));
        }
        extended.set_tools(tools);
        extended
            .add_agents(other.agents())
            .map_err(|name| different_agents(&name))?;
        Ok(extended)
    }

    /// Reads the one agent of a document, or the one of this name.
    ///
    /// The name of a tool that is neither in the document nor in
    /// [`known_tools`](Options::known_tools) is kept as a [reference](Self::references).
    ///
    /// # Errors
    /// All diagnostics of the document; also when it has no such agent, or several and no name was
    /// given.
    pub fn parse(
        source: &str,
        name: Option<&str>,
        options: Options<'_>,
    ) -> Result<Self, Diagnostics> {
        check_agent(source, name, options)
    }

    /// Returns the agent as a pattern. Reading the pattern gives an equal agent.
    #[must_use]
    pub fn to_pattern(&self) -> AgentPattern {
        agent_pattern(self)
    }

    /// Returns the agent as a pattern with the signatures of its tools in a style. Reading the pattern
    /// gives an equal agent.
    #[must_use]
    pub fn to_pattern_in(&self, style: Style) -> AgentPattern {
        let pattern = self.to_pattern();
        pattern.in_style(style).unwrap_or(pattern)
    }

    /// Returns the agent as gram in the canonical layout, without a final line end.
    #[must_use]
    pub fn to_gram(&self) -> String {
        agent_gram::print::print_with_references(self.to_pattern().as_pattern())
    }

    /// Returns the agent as gram in the canonical layout, without a final line end, the signatures of
    /// its tools in a style. [`restyle`](crate::restyle) lists the parts that the style cannot express.
    #[must_use]
    pub fn to_gram_in(&self, style: Style) -> String {
        agent_gram::print::print_with_references(self.to_pattern_in(style).as_pattern())
    }
}

fn different_agents(name: &str) -> Diagnostics {
    let message = format!("both agents can call an agent `{name}`, and the two differ");
    Diagnostics::without_text(Code::DuplicateAgent, message)
}

/// Puts a spec in the place of the reference to it, or at the end.
fn put(tools: &mut Vec<OwnTool>, spec: ToolSpec) {
    match tools.iter_mut().find(|ours| ours.name() == spec.name()) {
        Some(place) => *place = OwnTool::Spec(spec),
        None => tools.push(OwnTool::Spec(spec)),
    }
}

fn twice(tool: &str) -> Diagnostics {
    let message = format!("the agent has the tool `{tool}` twice");
    Diagnostics::without_text(Code::DuplicateTool, message)
}
