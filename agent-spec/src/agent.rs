//! Declared agents.

use crate::instruction::variables;
use crate::model::Model;
use crate::settings::Settings;
use crate::tool::ToolSpec;
use agent_gram::value::{Record, Text};
use agent_types::{Kind, Param, Returns, Signature, Type};
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

/// A declared agent: its model, its instruction and its tools. It holds no code.
///
/// An agent has the spec of a tool, or only refers to the tool by its name. Binding puts the spec of the
/// library's tool in the place of a [reference](Self::references).
///
/// An agent that can call another agent has a spec of it among its tools, with the other agent's name,
/// description and signature. [`agent`](Self::agent) returns the other agent.
#[derive(Clone, Debug)]
pub struct Agent {
    name: Text,
    description: Option<Text>,
    instruction: Text,
    model: Model,
    settings: Settings,
    tools: Cow<'static, [ToolSpec]>,
    /// The references, ordered by place.
    references: Cow<'static, [Reference]>,
    extra: Record,
    function: AgentFunction,
    agents: Agents,
    /// The catalogue of models; not a part of the gram, and not compared.
    pub(crate) catalog: Option<&'static str>,
}

/// The parts by which an agent is called as a function.
#[doc(hidden)]
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AgentFunction {
    signature: Option<Signature>,
    prompt: Option<Text>,
    /// The variables that the host fills, if the agent lists them.
    variables: Option<Cow<'static, [Text]>>,
    timeout: Option<Duration>,
    requires_approval: bool,
}

impl AgentFunction {
    /// An agent that is called with a message alone.
    pub const NONE: Self = Self {
        signature: None,
        prompt: None,
        variables: None,
        timeout: None,
        requires_approval: false,
    };

    /// The parts for a `const`.
    #[must_use]
    pub const fn from_static(
        signature: Option<Signature>,
        prompt: Option<&'static str>,
        variables: Option<&'static [Text]>,
        timeout: Option<Duration>,
        requires_approval: bool,
    ) -> Self {
        Self {
            signature,
            prompt: match prompt {
                Some(text) => Some(Text::from_static(text)),
                None => None,
            },
            variables: match variables {
                Some(names) => Some(Cow::Borrowed(names)),
                None => None,
            },
            timeout,
            requires_approval,
        }
    }

    pub(crate) fn new(
        signature: Option<Signature>,
        prompt: Option<Text>,
        variables: Option<Vec<Text>>,
        timeout: Option<Duration>,
        requires_approval: bool,
    ) -> Self {
        Self {
            signature,
            prompt,
            variables: variables.map(Cow::Owned),
            timeout,
            requires_approval,
        }
    }
}

/// The agents that an agent can call, itself or through others. All agents of a document share one list,
/// in which no agent has a list of its own, so that agents can call each other in a circle.
#[derive(Clone, Debug)]
enum Agents {
    Static(&'static [Agent]),
    Shared(Arc<SharedAgents>),
}

/// A list of agents with their positions by name, because a document may have thousands of agents.
#[derive(Debug)]
pub(crate) struct SharedAgents {
    agents: Vec<Agent>,
    by_name: HashMap<String, usize>,
}

impl SharedAgents {
    /// Makes a list of agents, none of which has a list of its own. If several agents have one name, a lookup
    /// by name finds the first.
    pub(crate) fn new(agents: Vec<Agent>) -> Self {
        let mut by_name = HashMap::new();
        for (place, agent) in agents.iter().enumerate() {
            by_name.entry(agent.name().to_owned()).or_insert(place);
        }
        Self { agents, by_name }
    }

    fn get(&self, name: &str) -> Option<&Agent> {
        self.agents.get(*self.by_name.get(name)?)
    }

    /// Adds an agent. The list must not contain an agent of the same name.
    fn push(&mut self, agent: Agent) {
        self.by_name
            .insert(agent.name().to_owned(), self.agents.len());
        self.agents.push(agent);
    }
}

/// The maximum number of calls through which agents of a document can reach an agent. Gram writes a called agent inside of
/// its caller, so that a longer chain in somebody else's document would nest deeper than gram can be read.
pub const MAX_AGENT_DEPTH: usize = 32;

/// The signature of an agent without one of its own: `(message::Text)==>(::String)`.
static MESSAGE_SIGNATURE: Signature = {
    const TEXT: &Type = &Type::new(Kind::Text);
    const MESSAGE: &[Param] = &[Param::from_static("message", TEXT, None, None)];
    Signature::from_static(MESSAGE, Returns::from_static(TEXT, None))
};

/// A reference of an agent to a tool, for a `const` and for this crate.
#[doc(hidden)]
#[derive(Clone, Debug, PartialEq)]
pub struct Reference {
    name: Text,
    /// The index among all tools of the agent, those with a spec included.
    place: usize,
}

impl Reference {
    /// A reference for a `const`: the name of the tool, and its index among all tools of the agent.
    #[must_use]
    pub const fn from_static(name: &'static str, place: usize) -> Self {
        Self {
            name: Text::from_static(name),
            place,
        }
    }
}

/// A tool of an agent: its spec, or a reference to it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum AgentTool<'a> {
    /// The agent has the tool's spec.
    Spec(&'a ToolSpec),
    /// The agent has only the tool's name.
    Reference(&'a str),
}

impl<'a> AgentTool<'a> {
    /// Returns the name of the tool.
    #[must_use]
    pub const fn name(self) -> &'a str {
        match self {
            Self::Spec(spec) => spec.name(),
            Self::Reference(name) => name,
        }
    }
}

/// An agent that another agent can call, itself or through others.
pub(crate) struct CalledAgent<'a> {
    pub(crate) agent: &'a Agent,
    /// The position of the agent's first caller in the list of called agents; `None` if the caller is the
    /// agent that the list belongs to.
    pub(crate) caller: Option<usize>,
}

/// A tool that an agent owns: its spec, or a reference to it.
pub(crate) enum OwnTool {
    Spec(ToolSpec),
    Reference(Text),
}

impl OwnTool {
    pub(crate) fn name(&self) -> &str {
        match self {
            Self::Spec(spec) => spec.name(),
            Self::Reference(name) => name,
        }
    }
}

impl Agent {
    /// An agent from parts that were checked, for a `const` and for this crate.
    #[doc(hidden)]
    #[must_use]
    pub const fn from_parts(name: Text, instruction: Text, model: Model) -> Self {
        Self {
            name,
            description: None,
            instruction,
            model,
            settings: Settings::NONE,
            tools: Cow::Borrowed(&[]),
            references: Cow::Borrowed(&[]),
            extra: Record::new(),
            function: AgentFunction::NONE,
            agents: Agents::Static(&[]),
            catalog: None,
        }
    }

    /// An agent for a `const`, from parts that the macro checked. The references are ordered by place.
    #[doc(hidden)]
    #[must_use]
    #[expect(
        clippy::too_many_arguments,
        reason = "a `const` cannot set a field of a value, because that would drop the old one"
    )]
    pub const fn from_static(
        name: &'static str,
        description: Option<&'static str>,
        instruction: &'static str,
        model: Model,
        settings: Settings,
        tools: &'static [ToolSpec],
        references: &'static [Reference],
        extra: Record,
        function: AgentFunction,
        agents: &'static [Agent],
    ) -> Self {
        Self {
            name: Text::from_static(name),
            description: match description {
                Some(text) => Some(Text::from_static(text)),
                None => None,
            },
            instruction: Text::from_static(instruction),
            model,
            settings,
            tools: Cow::Borrowed(tools),
            references: Cow::Borrowed(references),
            extra,
            function,
            agents: Agents::Static(agents),
            catalog: None,
        }
    }

    /// Returns the same agent with the document of models with which the macro checked it, for a `const`.
    #[doc(hidden)]
    #[must_use]
    pub const fn with_static_catalog(mut self, catalog: &'static str) -> Self {
        self.catalog = Some(catalog);
        self
    }

    /// The name.
    #[must_use]
    pub const fn name(&self) -> &str {
        self.name.as_str()
    }

    /// Returns the description, for people and for other agents.
    #[must_use]
    pub const fn description(&self) -> Option<&str> {
        match &self.description {
            Some(text) => Some(text.as_str()),
            None => None,
        }
    }

    /// Returns the instruction, which becomes the system message.
    #[must_use]
    pub const fn instruction(&self) -> &str {
        self.instruction.as_str()
    }

    /// Returns the template of the user message, if the agent has one.
    #[must_use]
    pub const fn prompt(&self) -> Option<&str> {
        match &self.function.prompt {
            Some(text) => Some(text.as_str()),
            None => None,
        }
    }

    /// The signature by which the agent is called: its own, or `(message::Text)==>(::String)`.
    ///
    /// ```
    /// use agent_spec::Agent;
    ///
    /// let source = "[echo:Agent {instruction: \"Say it in {{language}}.\", model: \"Offline/any\"} |
    ///     (text::Text)==>(language::Text)==>(::String)]";
    /// let agent = Agent::parse(source, None, Default::default())?;
    /// assert_eq!(agent.signature().params().len(), 2);
    /// assert!(agent.has_own_signature());
    /// # Ok::<(), agent_spec::Diagnostics>(())
    /// ```
    #[must_use]
    pub const fn signature(&self) -> &Signature {
        match &self.function.signature {
            Some(signature) => signature,
            None => &MESSAGE_SIGNATURE,
        }
    }

    /// Whether the agent has a signature of its own.
    #[must_use]
    pub const fn has_own_signature(&self) -> bool {
        self.function.signature.is_some()
    }

    /// Returns the parameter whose text is the message of the user: the only required text that the instruction
    /// does not name, in an agent without a [`prompt`](Self::prompt).
    #[must_use]
    pub fn message_parameter(&self) -> Option<&Param> {
        if self.prompt().is_some() {
            return None;
        }
        message_parameter(self.signature(), self.instruction())
    }

    /// Returns the type of the values that the agent answers with; none if it answers with plain text, with media or with
    /// nothing.
    #[must_use]
    pub fn stated_output(&self) -> Option<&Type> {
        let ty = self.own_signature()?.returns().ty();
        let is_value = match ty.kind() {
            Kind::Text => ty.is_optional() || !ty.constraints().is_none(),
            Kind::Null | Kind::Media(_) => false,
            _ => true,
        };
        is_value.then_some(ty)
    }

    /// The agent's own signature, if it has one.
    pub(crate) const fn own_signature(&self) -> Option<&Signature> {
        self.function.signature.as_ref()
    }

    /// Returns the variables that the host fills, if the agent lists them. Other variables of its templates are
    /// parameters.
    #[must_use]
    pub fn host_variables(&self) -> Option<&[Text]> {
        self.function.variables.as_deref()
    }

    /// Returns the time limit of a call by another agent, if there is one.
    #[must_use]
    pub const fn timeout(&self) -> Option<Duration> {
        self.function.timeout
    }

    /// Whether a person must approve every call by another agent.
    #[must_use]
    pub const fn requires_approval(&self) -> bool {
        self.function.requires_approval
    }

    /// Returns the agent of a name that this agent can call, itself or through others, with the agents that it
    /// can call in turn. An agent of this name that is no [tool](Self::tools) of this agent is called by others
    /// only.
    #[must_use]
    pub fn agent(&self, name: &str) -> Option<Agent> {
        let mut found = self.shared_agent(name)?.clone();
        found.agents = self.agents.clone();
        Some(found)
    }

    /// Whether a tool of this agent is another agent.
    #[must_use]
    pub fn is_agent(&self, tool: &str) -> bool {
        self.shared_agent(tool).is_some()
    }

    /// Returns the agents that this agent can call, itself or through others: first those that it calls itself.
    /// They include this agent if others can call it.
    #[must_use]
    pub fn agents(&self) -> Vec<&Agent> {
        self.called_agents()
            .into_iter()
            .map(|called| called.agent)
            .collect()
    }

    /// Returns the same agents as [`agents`](Self::agents), each with the first agent that can call it. A
    /// caller comes before the agents that it calls.
    pub(crate) fn called_agents(&self) -> Vec<CalledAgent<'_>> {
        let shared = self.shared_agents();
        let mut places = HashMap::new();
        for (place, agent) in shared.iter().enumerate() {
            places.entry(agent.name()).or_insert(place);
        }
        let mut seen = vec![false; shared.len()];
        let mut found: Vec<CalledAgent<'_>> = Vec::new();
        let (mut caller, mut next) = (None, self);
        loop {
            for place in next
                .tools()
                .iter()
                .filter_map(|tool| places.get(tool.name()).copied())
            {
                if !std::mem::replace(&mut seen[place], true) {
                    found.push(CalledAgent {
                        agent: &shared[place],
                        caller,
                    });
                }
            }
            let at = caller.map_or(0, |at: usize| at + 1);
            let Some(called) = found.get(at) else {
                return found;
            };
            (caller, next) = (Some(at), called.agent);
        }
    }

    /// Adds agents that can be called. An existing agent of the same name is kept.
    ///
    /// # Errors
    /// Returns the name of an existing agent that differs from the added agent.
    pub(crate) fn add_agents<'a>(
        &mut self,
        added: impl IntoIterator<Item = &'a Agent>,
    ) -> Result<(), String> {
        let mut all = SharedAgents::new(self.shared_agents().to_vec());
        for agent in added {
            match all.get(agent.name()) {
                Some(ours) if !ours.is_alone_equal(agent) => return Err(agent.name().to_owned()),
                Some(_) => {}
                None => {
                    let mut agent = agent.clone();
                    agent.agents = Agents::Static(&[]);
                    all.push(agent);
                }
            }
        }
        self.set_agents(Arc::new(all));
        Ok(())
    }

    fn shared_agent(&self, name: &str) -> Option<&Agent> {
        match &self.agents {
            Agents::Static(agents) => agents.iter().find(|agent| agent.name() == name),
            Agents::Shared(shared) => shared.get(name),
        }
    }

    fn shared_agents(&self) -> &[Agent] {
        match &self.agents {
            Agents::Static(agents) => agents,
            Agents::Shared(shared) => &shared.agents,
        }
    }

    /// Returns the spec by which another agent calls this agent. `None` without a description, because a
    /// model decides by the description when to call the agent.
    #[must_use]
    pub fn to_spec(&self) -> Option<ToolSpec> {
        let description = self.description.clone()?;
        let mut spec =
            ToolSpec::from_parts(self.name.clone(), description, self.signature().clone());
        spec.set_timeout(self.function.timeout);
        spec.set_requires_approval(self.function.requires_approval);
        Some(spec)
    }

    /// The model.
    #[must_use]
    pub const fn model(&self) -> &Model {
        &self.model
    }

    /// The run settings.
    #[must_use]
    pub const fn settings(&self) -> &Settings {
        &self.settings
    }

    /// The tools whose specs the agent has, in order.
    #[must_use]
    pub const fn tools(&self) -> &[ToolSpec] {
        match &self.tools {
            Cow::Borrowed(tools) => tools,
            Cow::Owned(tools) => tools.as_slice(),
        }
    }

    /// The tool of a name, if the agent has its spec.
    #[must_use]
    pub fn tool(&self, name: &str) -> Option<&ToolSpec> {
        self.tools().iter().find(|tool| tool.name() == name)
    }

    /// Returns the names of the tools that the agent only refers to, in order.
    ///
    /// A library provides their specs when the agent is bound. Before binding, [`with_tool`](Self::with_tool)
    /// replaces a reference with a spec.
    ///
    /// ```
    /// use agent_spec::{Agent, ToolSpec};
    ///
    /// let source = "[reader:Agent {instruction: \"Read.\", model: \"Offline/any\"} | readFile, calculator]";
    /// let agent = Agent::parse(source, None, Default::default())?;
    /// assert!(agent.references().eq(["readFile", "calculator"]));
    ///
    /// let spec = ToolSpec::new("readFile", "Reads a file.", "(path::Text)==>(::String)")?;
    /// let agent = agent.with_tool(spec)?;
    /// assert!(agent.references().eq(["calculator"]));
    /// # Ok::<(), agent_spec::Diagnostics>(())
    /// ```
    pub fn references(&self) -> impl ExactSizeIterator<Item = &str> {
        self.references.iter().map(|reference| &*reference.name)
    }

    /// Returns all tools in order: those whose specs the agent has, and references.
    pub fn all_tools(&self) -> impl Iterator<Item = AgentTool<'_>> {
        let (mut specs, mut references) = (self.tools().iter(), self.references.iter().peekable());
        let mut place = 0;
        std::iter::from_fn(move || {
            let next = references
                .next_if(|reference| reference.place == place)
                .map(|reference| AgentTool::Reference(&reference.name))
                .or_else(|| specs.next().map(AgentTool::Spec));
            place += 1;
            next
        })
    }

    /// Returns the properties without a meaning, which are kept.
    #[must_use]
    pub const fn extra(&self) -> &Record {
        &self.extra
    }

    /// Returns the document of models, in gram, with which `agent!` checked the agent, if its option `models` names one.
    /// The runtime layers it beneath its own documents of models.
    ///
    /// It is no part of the agent's gram, and [`PartialEq`] does not compare it.
    #[must_use]
    pub const fn catalog(&self) -> Option<&'static str> {
        self.catalog
    }

    /// Returns the same agent with a description.
    #[must_use]
    pub fn with_description(mut self, description: impl Into<Text>) -> Self {
        self.set_description(Some(description.into()));
        self
    }

    /// Returns the same agent with another model. When the provider changes, `baseUrl` and `extra` are
    /// dropped, because they were written for the old provider.
    #[must_use]
    pub fn with_model(mut self, model: Model) -> Self {
        if model.provider() != self.model().provider() {
            let mut settings = self.settings().clone();
            settings.leave_provider();
            self.set_settings(settings);
        }
        self.set_model(model);
        self
    }

    /// Returns the same agent with another model for itself and for the agents that it can call; see
    /// [`with_model`](Self::with_model).
    #[must_use]
    pub fn with_model_everywhere(mut self, model: &Model) -> Self {
        let agents = self.shared_agents().iter();
        let agents: Vec<_> = agents
            .map(|agent| agent.clone().with_model(model.clone()))
            .collect();
        if !agents.is_empty() {
            self.set_agents(Arc::new(SharedAgents::new(agents)));
        }
        self.with_model(model.clone())
    }

    /// Returns the same agent with approval required for the chosen tools, its own and those of the agents that
    /// it can call. Tools that required approval before still do.
    ///
    /// A [reference](Self::references) cannot be chosen, because the agent does not have the tool's spec:
    /// put the spec in its place before, with [`with_tool`](Self::with_tool).
    #[must_use]
    pub fn requiring_approval(mut self, of: impl Fn(&ToolSpec) -> bool) -> Self {
        let mut agents = self.shared_agents().to_vec();
        for agent in &mut agents {
            // The spec by which an agent is called must stay equal to the agent.
            let spec = agent.to_spec();
            agent.function.requires_approval |= spec.is_some_and(|spec| of(&spec));
            agent.require_approval(&of);
        }
        self.require_approval(&of);
        if !agents.is_empty() {
            self.set_agents(Arc::new(SharedAgents::new(agents)));
        }
        self
    }

    fn require_approval(&mut self, of: &dyn Fn(&ToolSpec) -> bool) {
        let mut tools = self.tools().to_vec();
        for tool in &mut tools {
            let requires = tool.requires_approval() || of(tool);
            tool.set_requires_approval(requires);
        }
        self.tools = Cow::Owned(tools);
    }

    pub(crate) fn set_description(&mut self, description: Option<Text>) {
        self.description = description;
    }

    pub(crate) fn set_model(&mut self, model: Model) {
        self.model = model;
    }

    pub(crate) fn set_settings(&mut self, settings: Settings) {
        self.settings = settings;
    }

    /// Takes all tools out of the agent, in order.
    pub(crate) fn take_tools(&mut self) -> Vec<OwnTool> {
        let mut specs = std::mem::take(&mut self.tools).into_owned().into_iter();
        let references = std::mem::take(&mut self.references).into_owned();
        let mut tools = Vec::with_capacity(specs.len() + references.len());
        for reference in references {
            let before = reference.place.saturating_sub(tools.len());
            tools.extend(specs.by_ref().take(before).map(OwnTool::Spec));
            tools.push(OwnTool::Reference(reference.name));
        }
        tools.extend(specs.map(OwnTool::Spec));
        tools
    }

    pub(crate) fn set_tools(&mut self, all: impl IntoIterator<Item = OwnTool>) {
        let (mut tools, mut references) = (Vec::new(), Vec::new());
        for (place, tool) in all.into_iter().enumerate() {
            match tool {
                OwnTool::Spec(spec) => tools.push(spec),
                OwnTool::Reference(name) => references.push(Reference { name, place }),
            }
        }
        self.tools = Cow::Owned(tools);
        self.references = Cow::Owned(references);
    }

    /// Puts specs in the places of the references to them.
    pub(crate) fn fill_references(&mut self, mut spec_of: impl FnMut(&str) -> Option<ToolSpec>) {
        let tools = self.take_tools().into_iter().map(|tool| match tool {
            OwnTool::Reference(name) => match spec_of(&name) {
                Some(spec) => OwnTool::Spec(spec),
                None => OwnTool::Reference(name),
            },
            tool => tool,
        });
        let tools: Vec<OwnTool> = tools.collect();
        self.set_tools(tools);
    }

    pub(crate) fn set_extra(&mut self, extra: Record) {
        self.extra = extra;
    }

    pub(crate) fn set_function(&mut self, function: AgentFunction) {
        self.function = function;
    }

    /// Sets the agents that agents of this document can call. Each of them must have no list of its own.
    pub(crate) fn set_agents(&mut self, agents: Arc<SharedAgents>) {
        self.agents = Agents::Shared(agents);
    }
}

/// The only required text among parameters that an instruction does not name.
pub(crate) fn message_parameter<'s>(
    signature: &'s Signature,
    instruction: &str,
) -> Option<&'s Param> {
    let named = variables(instruction);
    let named: HashSet<&str> = named.into_iter().collect();
    let mut texts = signature.params().iter().filter(|param| {
        matches!(param.ty().kind(), Kind::Text)
            && !param.is_optional()
            && !named.contains(param.name())
    });
    texts.next().filter(|_| texts.next().is_none())
}

/// Compares the agents and those that they can call.
impl PartialEq for Agent {
    fn eq(&self, other: &Self) -> bool {
        self.is_alone_equal(other) && {
            let (ours, theirs) = (self.agents(), other.agents());
            ours.len() == theirs.len()
                && ours
                    .iter()
                    .zip(theirs)
                    .all(|(ours, theirs)| ours.is_alone_equal(theirs))
        }
    }
}

impl Agent {
    /// Whether all parts are equal but for the agents that they can call.
    fn is_alone_equal(&self, other: &Self) -> bool {
        self.name == other.name
            && self.description == other.description
            && self.instruction == other.instruction
            && self.model == other.model
            && self.settings == other.settings
            && self.tools() == other.tools()
            && self.references == other.references
            && self.extra == other.extra
            && self.function == other.function
    }
}
