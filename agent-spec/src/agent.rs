//! Declared agents.

use crate::model::Model;
use crate::settings::Settings;
use crate::tool::ToolSpec;
use agent_gram::value::{Record, Text};
use std::borrow::Cow;

/// A declared agent: its model, its instruction and its tools. It holds no code.
///
/// An agent has the spec of a tool, or only refers to the tool by its name. Binding puts the spec of the
/// library's tool in the place of a [reference](Self::references).
#[derive(Clone, Debug, PartialEq)]
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
}

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
        }
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
    /// A library gives their specs when the agent is bound. [`with_tool`](Self::with_tool) puts a spec in
    /// the place of a reference before.
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

    /// Returns the same agent with approval required for the chosen tools. Tools that required approval
    /// before still do.
    ///
    /// A [reference](Self::references) cannot be chosen, because the agent does not have the tool's spec:
    /// put the spec in its place before, with [`with_tool`](Self::with_tool).
    #[must_use]
    pub fn requiring_approval(mut self, of: impl Fn(&ToolSpec) -> bool) -> Self {
        let mut tools = self.tools().to_vec();
        for tool in &mut tools {
            let requires = tool.requires_approval() || of(tool);
            tool.set_requires_approval(requires);
        }
        self.tools = Cow::Owned(tools);
        self
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
        let specs = std::mem::take(&mut self.tools).into_owned();
        let mut tools: Vec<OwnTool> = specs.into_iter().map(OwnTool::Spec).collect();
        for reference in std::mem::take(&mut self.references).into_owned() {
            // Those before are in their places already.
            let place = reference.place.min(tools.len());
            tools.insert(place, OwnTool::Reference(reference.name));
        }
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

    pub(crate) fn set_extra(&mut self, extra: Record) {
        self.extra = extra;
    }
}
