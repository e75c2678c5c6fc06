//! Declared agents.

use crate::model::Model;
use crate::settings::Settings;
use crate::tool::ToolSpec;
use agent_gram::value::{Record, Text};
use std::borrow::Cow;

/// A declared agent: its model, its instruction and its tools. It holds no code.
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
            extra: Record::new(),
        }
    }

    /// An agent for a `const`, from parts that the macro checked.
    #[doc(hidden)]
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
    #[must_use]
    pub fn requiring_approval(mut self, of: impl Fn(&ToolSpec) -> bool) -> Self {
        let mut tools = self.tools().to_vec();
        for tool in &mut tools {
            let requires = tool.requires_approval() || of(tool);
            tool.set_requires_approval(requires);
        }
        self.set_tools(tools);
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

    pub(crate) fn set_tools(&mut self, tools: Vec<ToolSpec>) {
        self.tools = Cow::Owned(tools);
    }

    pub(crate) fn set_extra(&mut self, extra: Record) {
        self.extra = extra;
    }
}
