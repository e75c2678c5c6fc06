//! A tool or an agent that is served, and its entry in the list.

use agent_runtime::spec::Kind;
use agent_runtime::tool::{AgentTool, Contract, ToolSettings};
use agent_runtime::{Runtime, Tool, ToolLibrary};
use rmcp::model::{JsonObject, Tool as Listed, ToolAnnotations};
use serde_json::{Value, json};
use std::fmt;
use std::sync::Arc;

/// The name of the member that has a result that is not an object, for revisions whose structured content is
/// an object.
pub(super) const WRAPPER: &str = "result";

/// An agent, and the runtime and tools that it runs with.
#[derive(Clone)]
pub(super) struct ServedAgent {
    pub(super) tool: AgentTool,
    pub(super) runtime: Runtime,
    pub(super) library: ToolLibrary,
}

impl fmt::Debug for ServedAgent {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.tool.fmt(out)
    }
}

/// A tool or an agent that is served.
pub(super) struct Offered {
    tool: Arc<dyn Tool>,
    agent: Option<ServedAgent>,
    /// Whether the result has images or other media, which are no structured content.
    pub(super) returns_media: bool,
    pub(super) has_output_schema: bool,
    /// Whether each result is an object.
    returns_object: bool,
    current: Listed,
    /// The entry for revisions before 2026-07-28.
    earlier: Listed,
}

impl Offered {
    /// Creates the entry of a tool of a library.
    pub(super) fn tool(tool: Arc<dyn Tool>) -> Self {
        Self::new(tool, None)
    }

    /// Creates the entry of an agent.
    pub(super) fn agent(agent: ServedAgent) -> Self {
        Self::new(Arc::new(agent.tool.clone()), Some(agent))
    }

    fn new(tool: Arc<dyn Tool>, agent: Option<ServedAgent>) -> Self {
        let descriptor = tool.descriptor();
        let returns_media = match descriptor.contract() {
            Contract::Signature(signature) => {
                matches!(signature.returns().ty().kind(), Kind::Media(_))
            }
            _ => false,
        };
        let output = descriptor.output_schema().filter(|_| !returns_media);
        let output = output.and_then(|schema| match schema {
            // Nothing is known about a result of the type `Any`, which may also be parts.
            Value::Object(schema) if !schema.is_empty() => Some(schema),
            _ => None,
        });
        let returns_object = output.as_ref().is_some_and(is_object);
        let mut current = Listed::new(
            descriptor.name().to_owned(),
            descriptor.description().to_owned(),
            input_schema(tool.input_schema()),
        );
        current.annotations = annotations(descriptor.settings());
        let mut earlier = current.clone();
        let has_output_schema = output.is_some();
        if let Some(schema) = output {
            let wrapped = match returns_object {
                true => schema.clone(),
                false => wrapped(schema.clone()),
            };
            earlier.output_schema = Some(Arc::new(wrapped));
            current.output_schema = Some(Arc::new(schema));
        }
        Self {
            tool,
            agent,
            returns_media,
            has_output_schema,
            returns_object,
            current,
            earlier,
        }
    }

    pub(super) fn name(&self) -> &str {
        self.tool.descriptor().name()
    }

    /// Whether a person must approve each call.
    pub(super) fn requires_approval(&self) -> bool {
        self.tool.descriptor().settings().requires_approval
    }

    /// Whether earlier revisions get even results that are objects wrapped in another object, because not
    /// each result is an object.
    pub(super) fn wraps_objects(&self) -> bool {
        self.has_output_schema && !self.returns_object
    }

    pub(super) fn as_tool(&self) -> &dyn Tool {
        &*self.tool
    }

    pub(super) fn as_agent(&self) -> Option<&ServedAgent> {
        self.agent.as_ref()
    }

    /// Returns the entry in the list of tools.
    pub(super) fn listed(&self, is_current: bool) -> Listed {
        match is_current {
            true => self.current.clone(),
            false => self.earlier.clone(),
        }
    }
}

/// Returns the schema of arguments, which the protocol requires to be that of an object.
fn input_schema(schema: Value) -> JsonObject {
    let mut schema = match schema {
        Value::Object(schema) => schema,
        _ => JsonObject::new(),
    };
    schema.entry("type").or_insert_with(|| "object".into());
    schema
}

fn is_object(schema: &JsonObject) -> bool {
    schema.get("type").is_some_and(|ty| ty == "object")
}

/// Returns the schema of an object whose only member has a value of a schema.
fn wrapped(mut schema: JsonObject) -> JsonObject {
    // References into the definitions begin at the root.
    let definitions = schema.remove("$defs");
    let dialect = schema.remove("$schema");
    let mut object = JsonObject::new();
    object.insert("type".into(), "object".into());
    object.insert("properties".into(), json!({ WRAPPER: schema }));
    object.insert("required".into(), json!([WRAPPER]));
    object.extend(definitions.map(|definitions| ("$defs".into(), definitions)));
    object.extend(dialect.map(|dialect| ("$schema".into(), dialect)));
    object
}

/// Returns the hints that the settings of a tool state. A setting that is not set gives no hint, because a
/// tool without hints counts as destructive.
fn annotations(settings: &ToolSettings) -> Option<ToolAnnotations> {
    let stated = |setting: bool| setting.then_some(true);
    let hints = ToolAnnotations::from_raw(
        None,
        stated(settings.read_only),
        stated(settings.destructive),
        stated(settings.idempotent),
        None,
    );
    (hints != ToolAnnotations::default()).then_some(hints)
}
