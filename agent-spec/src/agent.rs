//! Declared agents.

pub use crate::settings::{
    AGENT_KEYS, RESERVED_EXTRAS, ReasoningEffort, Settings, TOOL_CHOICES, ToolChoice,
};

use crate::diagnostic::{Code, Diagnostic, Diagnostics};
use crate::model::Model;
use crate::tool::ToolSpec;
use agent_gram::Span;
use agent_gram::value::{Record, Text};
use std::borrow::Cow;

/// A declared agent: which model, told what, with which tools. It holds no code.
#[derive(Clone, Debug, PartialEq)]
pub struct Agent {
    name: Text,
    description: Option<Text>,
    instruction: Text,
    model: Model,
    settings: Settings,
    tools: Cow<'static, [ToolSpec]>,
    extra: Record,
}

impl Agent {
    /// An agent from parts that were checked, for a `const` and for this crate.
    #[must_use]
    pub const fn from_parts(name: Text, instruction: Text, model: Model) -> Self {
        Self {
            name,
            description: None,
            instruction,
            model,
            settings: Settings::NONE,
            tools: Cow::Borrowed(&[]),
            extra: Record::new(),
        }
    }

    /// An agent for a `const`, from parts that the macro checked.
    #[must_use]
    pub const fn from_static(
        name: &'static str,
        description: Option<&'static str>,
        instruction: &'static str,
        model: Model,
        settings: Settings,
        tools: &'static [ToolSpec],
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
            extra,
        }
    }

    /// The name.
    #[must_use]
    pub const fn name(&self) -> &str {
        self.name.as_str()
    }

    /// What the agent is for.
    #[must_use]
    pub const fn description(&self) -> Option<&str> {
        match &self.description {
            Some(text) => Some(text.as_str()),
            None => None,
        }
    }

    /// What the model is told.
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

    /// The tools, in order.
    #[must_use]
    pub const fn tools(&self) -> &[ToolSpec] {
        match &self.tools {
            Cow::Borrowed(tools) => tools,
            Cow::Owned(tools) => tools.as_slice(),
        }
    }

    /// The tool of a name.
    #[must_use]
    pub fn tool(&self, name: &str) -> Option<&ToolSpec> {
        self.tools().iter().find(|tool| tool.name() == name)
    }

    /// Properties that mean nothing here; they are kept.
    #[must_use]
    pub const fn extra(&self) -> &Record {
        &self.extra
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

    pub(crate) fn set_tools(&mut self, tools: Vec<ToolSpec>) {
        self.tools = Cow::Owned(tools);
    }

    pub(crate) fn set_extra(&mut self, extra: Record) {
        self.extra = extra;
    }
}

impl Agent {
    /// This agent with the tools of another one as well: its own first, in order, then those of the
    /// other that it does not have. All else is this agent's: name, description, instruction,
    /// model, settings, and the properties that mean nothing here.
    ///
    /// A tool that both have is one, if its specs are equal.
    ///
    /// # Errors
    /// When both have a tool of a name with different specs. The findings name all such tools.
    ///
    /// ```
    /// use agent_spec::{Agent, ToolSpec};
    ///
    /// let tool = |name: &'static str| ToolSpec::new(name, "Says something.", "(name::Text)==>(::String)");
    /// let greeter = Agent::new("greeter", "OpenAI/gpt-4o-mini", "Greet people.")?;
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
        let mut tools = self.tools().to_vec();
        let mut conflicts = Vec::new();
        for theirs in other.tools() {
            match self.tool(theirs.name()) {
                None => tools.push(theirs.clone()),
                Some(ours) if ours == theirs => {}
                Some(ours) => {
                    let names = (self.name(), other.name());
                    conflicts.push(conflict_between(names, ours, theirs));
                }
            }
        }
        if !conflicts.is_empty() {
            return Err(Diagnostics::new(String::new(), conflicts));
        }
        let mut extended = self.clone();
        extended.set_tools(tools);
        Ok(extended)
    }
}

/// The finding for two specs that are not equal.
pub(crate) fn conflict_between(
    agents: (&str, &str),
    ours: &ToolSpec,
    theirs: &ToolSpec,
) -> Diagnostic {
    let difference = if ours.signature() != theirs.signature() {
        format!("`{}` and `{}`", ours.signature(), theirs.signature())
    } else if ours.description() != theirs.description() {
        let (ours, theirs) = (ours.description(), theirs.description());
        format!("the descriptions are {ours:?} and {theirs:?}")
    } else {
        "their other properties differ".to_owned()
    };
    conflict(agents, ours.name(), &difference)
}

/// The finding for two tools of a name, with the difference in words.
pub(crate) fn conflict((first, second): (&str, &str), tool: &str, difference: &str) -> Diagnostic {
    let message = format!(
        "the agents `{first}` and `{second}` have different tools named `{tool}`: {difference}"
    );
    Diagnostic::new(Code::ConflictingTools, Span::at(0), message)
        .with_help("make them equal, or rename one")
}
