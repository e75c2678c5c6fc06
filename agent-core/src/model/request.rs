//! The request to a model.

use crate::conversation::{Message, of_text};
use agent_spec::schema::Schema;
use agent_spec::{Model, SEARCH_TOOLS, Settings, Signature, ToolSpec};
use agent_tool::permissions::Permissions;
use std::sync::Arc;

/// A request to a model. Cloning is cheap.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ModelRequest {
    /// The model.
    pub model: Model,
    /// The name of the agent that asks, for hooks and tests. It is not sent. Empty in a request that no agent makes.
    pub agent: String,
    /// The system prompt.
    pub instruction: String,
    /// The history, oldest message first.
    pub messages: Vec<Message>,
    /// The tools that the model may call. If there are none, the request must not mention tools.
    pub tools: Arc<[ToolDefinition]>,
    /// The tools that the model searches, if the agent has `toolSearch`. In that case, [`tools`](Self::tools)
    /// has `searchTools` and `callTool`, with which any model finds and calls these tools. A provider with
    /// its own search sends these tools in place of the two, because the run accepts calls of either form.
    pub deferred: Arc<[ToolDefinition]>,
    /// The agent's settings, with the tool choice of this request.
    pub settings: Arc<Settings>,
    /// The id that the host gave the conversation. A provider that routes requests by a key may derive the key
    /// from the id, and must not send the id itself.
    pub conversation_id: Option<String>,
    /// The JSON Schema of a typed answer, when the answer is a record. A provider that can make the model write JSON
    /// of a schema uses it for answers in text. The answer may also be given by the call of a tool.
    pub answer_schema: Option<Schema>,
    /// The name of the tool among [`tools`](Self::tools) that receives the answer of
    /// [`answer_schema`](Self::answer_schema). A provider that makes the model write JSON of the schema
    /// leaves this tool out.
    pub answer_tool: Option<String>,
    /// The document of models with which the agent was checked: [`Agent::catalog`](agent_spec::Agent::catalog).
    pub catalog: Option<&'static str>,
    /// The permissions of the run, with which media are fetched for a provider that does not fetch media.
    #[doc(hidden)]
    pub permissions: RequestPermissions,
}

/// The permissions of a request. They are not sent, so any two values are equal.
#[derive(Clone, Debug)]
pub struct RequestPermissions(pub Permissions);

impl PartialEq for RequestPermissions {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Default for RequestPermissions {
    fn default() -> Self {
        Self(Permissions::none())
    }
}

impl ModelRequest {
    /// Creates a request without tools and settings.
    #[must_use]
    pub fn new(model: Model, instruction: impl Into<String>, messages: Vec<Message>) -> Self {
        Self {
            model,
            agent: String::new(),
            instruction: instruction.into(),
            messages,
            tools: Arc::new([]),
            deferred: Arc::new([]),
            settings: Arc::new(Settings::NONE),
            conversation_id: None,
            answer_schema: None,
            answer_tool: None,
            catalog: None,
            permissions: RequestPermissions::default(),
        }
    }

    /// Sets the tools.
    #[must_use]
    pub fn with_tools(mut self, tools: impl Into<Arc<[ToolDefinition]>>) -> Self {
        self.tools = tools.into();
        self
    }

    /// Sets the tools that the model searches.
    #[must_use]
    pub fn with_deferred(mut self, tools: impl Into<Arc<[ToolDefinition]>>) -> Self {
        self.deferred = tools.into();
        self
    }

    /// The tools that each request contains, for a provider that searches the [deferred](Self::deferred)
    /// tools itself.
    pub fn tools_beside_search(&self) -> impl Iterator<Item = &ToolDefinition> {
        let searches = !self.deferred.is_empty();
        let tools = self.tools.iter();
        tools.filter(move |tool| !(searches && SEARCH_TOOLS.contains(&tool.name())))
    }

    /// Sets the settings.
    #[must_use]
    pub fn with_settings(mut self, settings: Settings) -> Self {
        self.settings = Arc::new(settings);
        self
    }
}

/// The definition of a tool for a model.
#[derive(Clone, Debug)]
pub struct ToolDefinition {
    spec: ToolSpec,
    schema: Schema,
}

impl ToolDefinition {
    /// Creates the definition of a spec.
    #[must_use]
    pub fn new(spec: &ToolSpec) -> Self {
        Self::with_schema(spec, spec.signature().schema())
    }

    /// Creates the definition of a spec with the schema of the tool that implements it, which may be more
    /// exact where the spec has `Any`.
    pub(crate) fn with_schema(spec: &ToolSpec, schema: Schema) -> Self {
        Self {
            spec: spec.clone(),
            schema,
        }
    }

    /// Returns the name.
    #[must_use]
    pub fn name(&self) -> &str {
        self.spec.name()
    }

    /// Returns the description.
    #[must_use]
    pub fn description(&self) -> &str {
        self.spec.description()
    }

    /// Returns the type, for providers with a form of their own.
    #[must_use]
    pub fn signature(&self) -> &Signature {
        self.spec.signature()
    }

    /// Returns the JSON Schema of the arguments: the schema of the type. Where the type is `Any`, at any
    /// depth, it contains the tool's own schema.
    #[must_use]
    pub fn schema(&self) -> &Schema {
        &self.schema
    }
}

impl PartialEq for ToolDefinition {
    fn eq(&self, other: &Self) -> bool {
        self.name() == other.name()
            && self.description() == other.description()
            && self.signature() == other.signature()
    }
}

/// The estimated tokens of a tool besides its texts.
const FRAME_OF_TOOL: usize = 8;

/// The estimated tokens of an instruction and of tools.
pub fn overhead(instruction: &str, tools: &[ToolDefinition]) -> usize {
    let tools = tools.iter().map(|tool| {
        let schema = tool.schema().to_value().to_string();
        FRAME_OF_TOOL + of_text(tool.name()) + of_text(tool.description()) + of_text(&schema)
    });
    tools.fold(of_text(instruction), usize::saturating_add)
}
