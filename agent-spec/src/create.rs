//! Making specs in code, with the checks and the messages that a document gets.

use crate::agent::Agent;
use crate::check::Options;
use crate::diagnostic::{Code, Diagnostics};
use crate::lens;
use crate::model::Model;
use crate::names::is_tool_name;
use crate::settings::Settings;
use crate::signature::Signature;
use crate::tool::ToolSpec;
use agent_gram::Pattern;
use agent_gram::value::Text;

impl ToolSpec {
    /// A tool spec of a name, a description and a signature in gram, such as
    /// `(personName::Text {default: "world"})==>(::String)`.
    ///
    /// # Errors
    /// What a document with such a tool would be told.
    ///
    /// ```
    /// let spec = agent_spec::ToolSpec::new("sayHello", "Greets.", "(name::Text)==>(::String)")?;
    /// assert_eq!(spec.signature().params().len(), 1);
    /// # Ok::<(), agent_spec::Diagnostics>(())
    /// ```
    pub fn new(
        name: impl Into<Text>,
        description: impl Into<Text>,
        signature: &str,
    ) -> Result<Self, Diagnostics> {
        Self::with_signature(name, description, Signature::parse(signature)?)
    }

    /// A tool spec of a name, a description and a signature.
    ///
    /// # Errors
    /// What a document with such a tool would be told.
    pub fn with_signature(
        name: impl Into<Text>,
        description: impl Into<Text>,
        signature: Signature,
    ) -> Result<Self, Diagnostics> {
        let (name, description) = (name.into(), description.into());
        if name.is_empty() {
            return Err(Diagnostics::without_text(
                Code::MissingName,
                "Tool must have a non-empty pattern identifier (name)",
            ));
        }
        if !is_tool_name(&name) {
            return Err(Diagnostics::without_text(
                Code::BadName,
                format!("`{name}` is not a name that every provider takes for a tool"),
            ));
        }
        if description.trim().is_empty() {
            return Err(Diagnostics::without_text(
                Code::MissingDescription,
                format!("the description of the tool `{name}` must not be empty"),
            ));
        }
        // A signature made in code may hold what its text could not, such as a name twice.
        let signature = Signature::parse(&signature.to_string())?;
        Ok(Self::from_parts(name, description, signature))
    }

    /// Reads a tool from a pattern.
    ///
    /// # Errors
    /// What is wrong with it. The places are those in the pattern's gram text.
    pub fn from_pattern(pattern: &Pattern) -> Result<Self, Diagnostics> {
        lens::read_tool_pattern(pattern)
    }
}

impl Agent {
    /// An agent of a name, a model and an instruction, without tools.
    ///
    /// # Errors
    /// What a document with such an agent would be told. Any provider is taken: who runs the agent
    /// knows which exist.
    ///
    /// ```
    /// use agent_spec::{Agent, ToolSpec};
    ///
    /// let agent = Agent::new("greeter", "OpenAI/gpt-4o-mini", "Greet people.")?
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
        let model = Model::parse(model)
            .map_err(|error| Diagnostics::without_text(Code::BadModel, error.to_string()))?;
        Ok(Self::from_parts(name, instruction, model))
    }

    /// The same agent with one more tool.
    ///
    /// # Errors
    /// When it has a tool of that name, or the tool's signature nests too deep for gram.
    pub fn with_tool(mut self, tool: ToolSpec) -> Result<Self, Diagnostics> {
        if self.tool(tool.name()).is_some() {
            return Err(Diagnostics::without_text(
                Code::DuplicateTool,
                format!("the agent has the tool `{}` twice", tool.name()),
            ));
        }
        // Inside an agent a tool stands one level deeper than alone.
        let pattern = agent_gram::Pattern::from(tool.to_pattern());
        agent_gram::Pattern::new(agent_gram::Subject::default(), vec![pattern])
            .map_err(|error| Diagnostics::without_text(Code::GramTooDeep, error.to_string()))?;
        let mut tools = self.tools().to_vec();
        tools.push(tool);
        self.set_tools(tools);
        Ok(self)
    }

    /// The same agent with a description.
    #[must_use]
    pub fn with_description(mut self, description: impl Into<Text>) -> Self {
        self.set_description(Some(description.into()));
        self
    }

    /// The same agent with these run settings. A tool that `toolChoice` names must be there already.
    ///
    /// # Errors
    /// What a document with such settings would be told.
    pub fn with_settings(mut self, settings: Settings) -> Result<Self, Diagnostics> {
        self.set_settings(settings);
        self.to_pattern().to_agent()
    }

    /// The same agent, whose calls of the chosen tools require a person's approval. Those that
    /// required it before still do.
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

    /// The same agent with another model. `baseUrl` and `extra` belong to the provider that
    /// they were written for, so they are dropped when the provider changes.
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

    /// Reads an agent from a pattern. Any provider is taken: who runs the agent knows which exist.
    ///
    /// # Errors
    /// What is wrong with it. The places are those in the pattern's gram text.
    pub fn from_pattern(pattern: &Pattern) -> Result<Self, Diagnostics> {
        lens::read_agent_pattern(pattern)
    }

    /// Reads the one agent of a document, or the one of this name.
    ///
    /// # Errors
    /// What is wrong with the document; also when there is no such agent, or several and no name
    /// was given.
    pub fn parse(
        source: &str,
        name: Option<&str>,
        options: Options<'_>,
    ) -> Result<Self, Diagnostics> {
        let checked = crate::check::check(source, options);
        if checked.has_errors() {
            return Err(Diagnostics::new(source, checked.diagnostics));
        }
        let names: Vec<&str> = checked
            .agents
            .iter()
            .map(|node| node.agent.name())
            .collect();
        let chosen = match name {
            Some(name) => checked.agents.iter().find(|node| node.agent.name() == name),
            None if checked.agents.len() == 1 => checked.agents.first(),
            None => None,
        };
        if let Some(node) = chosen {
            return Ok(node.agent.clone());
        }
        let message = match (name, names.as_slice()) {
            (_, []) => "the document declares no agent".to_owned(),
            (Some(name), all) => match crate::names::nearest(name, all.iter().copied()) {
                Some(meant) => {
                    format!("the document declares no agent `{name}`; did you mean `{meant}`?")
                }
                None => format!(
                    "the document declares no agent `{name}`; it declares {}",
                    all.join(", ")
                ),
            },
            (None, all) => {
                format!(
                    "the document declares several agents; choose one of {}",
                    all.join(", ")
                )
            }
        };
        Err(Diagnostics::without_text(Code::NothingDeclared, message))
    }
}
