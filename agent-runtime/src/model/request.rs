//! What a model is asked.

use crate::conversation::Message;
use agent_spec::schema::Schema;
use agent_spec::{Model, Settings, Signature, ToolSpec};
use std::sync::Arc;

/// What a model is asked. Cloning is cheap.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ModelRequest {
    /// Which model.
    pub model: Model,
    /// What the model is told first.
    pub instruction: String,
    /// What was said so far, oldest first.
    pub messages: Vec<Message>,
    /// The tools the model may call; none at all means that the request must not mention tools.
    pub tools: Arc<[ToolDefinition]>,
    /// Temperature and the like, as the agent says them; what a tool choice is for this request.
    pub settings: Arc<Settings>,
}

impl ModelRequest {
    /// A request without tools and settings.
    #[must_use]
    pub fn new(model: Model, instruction: impl Into<String>, messages: Vec<Message>) -> Self {
        Self {
            model,
            instruction: instruction.into(),
            messages,
            tools: Arc::new([]),
            settings: Arc::new(Settings::NONE),
        }
    }

    /// The same request with tools.
    #[must_use]
    pub fn with_tools(mut self, tools: impl Into<Arc<[ToolDefinition]>>) -> Self {
        self.tools = tools.into();
        self
    }

    /// The same request with settings.
    #[must_use]
    pub fn with_settings(mut self, settings: Settings) -> Self {
        self.settings = Arc::new(settings);
        self
    }
}

/// A tool as a model sees it.
#[derive(Clone, Debug)]
pub struct ToolDefinition {
    spec: ToolSpec,
    schema: Schema,
}

impl ToolDefinition {
    /// A tool as its spec says.
    #[must_use]
    pub fn new(spec: &ToolSpec) -> Self {
        Self::bound(spec, None)
    }

    /// A tool as its spec says, with what the function that implements it knows besides.
    pub(crate) fn bound(spec: &ToolSpec, implementation: Option<&Signature>) -> Self {
        Self {
            spec: spec.clone(),
            schema: spec.signature().schema_for(implementation),
        }
    }

    /// The name.
    #[must_use]
    pub fn name(&self) -> &str {
        self.spec.name()
    }

    /// What the tool does.
    #[must_use]
    pub fn description(&self) -> &str {
        self.spec.description()
    }

    /// The type, for providers that want it in a form of their own.
    #[must_use]
    pub fn signature(&self) -> &Signature {
        self.spec.signature()
    }

    /// The JSON Schema of the arguments.
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
