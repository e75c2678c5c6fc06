//! Matching specs with implementations.

use super::ToolLibrary;
use super::by_schema::{compared_description, own_contract, schema_reasons};
#[cfg(feature = "schemars")]
use super::stated_types::stated_reasons;
use crate::context::ToolContext;
use crate::error::Error;
use crate::tool::invoke::invoke_within;
use crate::tool::{Contract, ContractGuard, PartSchemas, SchemaError, Tool, ToolError};
use agent_effects::Effects;
use agent_spec::binding::{Message, effects_reason, first_mismatch, mismatches};
use agent_spec::names::nearest;
use agent_spec::schema::Schema;
use agent_spec::types::{Field, Kind, Type, types_of};
use agent_spec::{Agent, AgentTool, Signature, ToolDescriptor, ToolSettings, ToolSpec};
use serde_json::Value;
use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

pub use agent_spec::binding::Policy as BindPolicy;

/// Binds each tool of an agent to the tool of its name in a library, by [`BindPolicy::Compatible`].
///
/// A tool that the agent only [refers to](Agent::references) gets the spec of the library's tool, so that it
/// matches by every policy.
///
/// # Errors
/// All tools that could not be bound, with the reasons.
pub fn bind_agent_tools(agent: &Agent, library: &ToolLibrary) -> Result<BoundTools, BindError> {
    bind_agent_tools_with(agent, library, BindPolicy::default())
}

/// Binds each tool of an agent to the tool of its name in a library, by a policy, as [`bind_agent_tools`]
/// does.
///
/// # Errors
/// All tools that could not be bound, with the reasons.
pub fn bind_agent_tools_with(
    agent: &Agent,
    library: &ToolLibrary,
    policy: BindPolicy,
) -> Result<BoundTools, BindError> {
    let mut binding = Binding {
        root: agent,
        library,
        policy,
        called: HashMap::new(),
    };
    let mut failures = Vec::new();
    let tools = binding.tools(agent, &mut failures);
    let agents = binding.agents(&mut failures);
    if !failures.is_empty() {
        return Err(BindError::new(agent.name(), failures));
    }
    Ok(BoundTools {
        tools,
        agents,
        policy,
    })
}

/// One binding of an agent, and of the agents that it can call.
struct Binding<'a> {
    root: &'a Agent,
    library: &'a ToolLibrary,
    policy: BindPolicy,
    /// The agents that were bound as tools, by name. All callers share one bound tool, because each agent has
    /// the specs of all agents that it can call: with a copy for each caller, memory would grow with the cube
    /// of the number of agents.
    called: HashMap<String, BoundTool>,
}

impl Binding<'_> {
    /// Binds the tools of one agent.
    fn tools(&mut self, agent: &Agent, failures: &mut Vec<BindFailure>) -> ToolTable {
        let library = self.library;
        let mut bound = Vec::with_capacity(agent.tools().len());
        for tool in agent.all_tools() {
            let tool = match tool {
                AgentTool::Spec(spec) if self.root.is_agent(spec.name()) => self.agent(spec),
                AgentTool::Spec(spec) => bind_tool(spec, library, self.policy),
                AgentTool::Reference(name) => bind_reference(name, library),
            };
            match tool {
                Ok(tool) => bound.push(tool),
                Err(failure) => failures.push(failure),
            }
        }
        let mut by_name = HashMap::new();
        for (place, tool) in bound.iter().enumerate() {
            by_name.entry(tool.rule.name().to_owned()).or_insert(place);
        }
        ToolTable {
            tools: bound.into(),
            by_name: Arc::new(by_name),
            library: library.clone(),
        }
    }

    /// Binds an agent of the document that another agent calls.
    fn agent(&mut self, spec: &ToolSpec) -> Result<BoundTool, BindFailure> {
        let name = spec.name();
        let bound = self.called.get(name);
        if let Some(bound) = bound.filter(|bound| bound.spec() == spec) {
            return Ok(bound.clone());
        }
        let tool = match bound {
            // Another caller may have written the spec by hand.
            Some(bound) => Arc::clone(&bound.tool),
            None => self.agent_tool(name)?,
        };
        let bound = bind_matching(spec.clone(), &tool, false)?;
        self.called
            .entry(name.to_owned())
            .or_insert_with(|| bound.clone());
        Ok(bound)
    }

    /// Returns an agent of the document as a tool.
    fn agent_tool(&self, name: &str) -> Result<Arc<dyn Tool>, BindFailure> {
        let Some(agent) = self.root.agent(name) else {
            return Err(BindFailure::new(name, vec![unknown(name, self.library)]));
        };
        let tool = self.library.agent_tool(agent);
        let failure =
            |error: Error| BindFailure::new(name, vec![format!("tool `{name}`: {error}")]);
        Ok(Arc::new(tool.map_err(failure)?))
    }

    /// Binds the tools of the agents of the document that the root can call, directly or through other
    /// agents.
    fn agents(&mut self, failures: &mut Vec<BindFailure>) -> Option<Arc<[BoundAgent]>> {
        let called = self.root.agents();
        if called.is_empty() {
            return None;
        }
        let agents = called.into_iter().filter_map(|called| {
            let agent = self.root.agent(called.name())?;
            let mut own = Vec::new();
            let tools = self.tools(&agent, &mut own);
            failures.extend(
                own.into_iter()
                    .map(|failure| failure.of_agent(agent.name())),
            );
            Some(BoundAgent { agent, tools })
        });
        Some(agents.collect())
    }
}

/// Binds a spec to the tool of a library that implements it.
pub(super) fn bind_tool(
    spec: &ToolSpec,
    library: &ToolLibrary,
    policy: BindPolicy,
) -> Result<BoundTool, BindFailure> {
    let name = spec.name();
    let Some(tool) = library.lookup(name) else {
        return Err(BindFailure::new(name, vec![unknown(name, library)]));
    };
    let reasons = reasons_against(spec, &**tool, policy);
    if !reasons.is_empty() {
        return Err(BindFailure::new(name, reasons));
    }
    bind_matching(spec.clone(), tool, false)
}

/// Binds the tool of a library that an agent refers to, with the tool's own spec.
fn bind_reference(name: &str, library: &ToolLibrary) -> Result<BoundTool, BindFailure> {
    let Some(tool) = library.lookup(name) else {
        return Err(BindFailure::new(name, vec![unknown(name, library)]));
    };
    let descriptor = tool.descriptor();
    let spec = spec_of_tool(descriptor).map_err(|reason| {
        let reason = format!("tool `{name}`: the agent only names it, and {reason}");
        BindFailure::new(name, vec![reason])
    })?;
    #[cfg(feature = "schemars")]
    if let Some(signature) = descriptor.signature() {
        let reasons = stated_reasons(name, signature);
        if !reasons.is_empty() {
            return Err(BindFailure::new(name, reasons));
        }
    }
    bind_matching(spec, tool, descriptor.description_may_differ())
}

const DEFINE: &str = "define it in the document, or with `Agent::with_tool`";

/// Returns the spec of an implementation, for an agent that only refers to it.
///
/// # Errors
/// The reason why the implementation has no spec, and what to do.
fn spec_of_tool(tool: &ToolDescriptor) -> Result<ToolSpec, String> {
    let (signature, description) = match tool.contract() {
        Contract::Signature(signature) => (signature.clone(), tool.description().to_owned()),
        Contract::Schema { input, output } => own_contract(tool, (input, output.as_ref()))
            .map_err(|error| {
                format!(
                    "a signature cannot express its JSON Schema: {error}\n  {DEFINE}, and bind it by its \
                     name alone: `agent_runtime::library::BindPolicy::Name`{}",
                    advised_losses(&error)
                )
            })?,
        _ => return Err(format!("it has no signature; {DEFINE}")),
    };
    let spec = ToolSpec::with_signature(tool.name().to_owned(), description, signature)
        .map_err(|found| format!("its spec is wrong: {found}"))?;
    Ok(spec.with_effects(tool.settings().effects))
}

/// Returns the advice to allow the losses of a schema, if that is enough to read it.
fn advised_losses(error: &agent_spec::schema::SchemaError) -> String {
    let losses = error.problems().iter().map(|problem| problem.loss());
    let Some(losses) = losses.collect::<Option<Vec<_>>>() else {
        return String::new();
    };
    let mut calls = Vec::new();
    for loss in losses {
        let call = format!("`.allowing(agent_runtime::spec::schema::Loss::{loss:?})`");
        if !calls.contains(&call) {
            calls.push(call);
        }
    }
    format!(
        "; or write {} at the tool's `agent_runtime::tool::ToolConfig`",
        calls.join(" and ")
    )
}

/// Binds a spec to a tool that matches it.
fn bind_matching(
    spec: ToolSpec,
    tool: &Arc<dyn Tool>,
    is_described_elsewhere: bool,
) -> Result<BoundTool, BindFailure> {
    let name = tool.descriptor().name();
    if let Err(missing) = tool.check_configuration() {
        return Err(BindFailure::configuration(name, &missing));
    }
    BoundTool::new(spec, Arc::clone(tool), is_described_elsewhere).map_err(|error| {
        let reason = format!("tool `{name}`: a schema of the tool cannot be used: {error}");
        BindFailure::new(name, vec![reason])
    })
}

fn unknown(name: &str, library: &ToolLibrary) -> String {
    if let Some(reason) = library.reason_of(name) {
        return format!("tool `{name}`: it was left out of the library: {reason}");
    }
    let start = format!("tool `{name}`: the library has no tool of this name");
    match nearest(name, library.names()) {
        Some(meant) => format!("{start}; did you mean `{meant}`?"),
        None if library.is_empty() => format!("{start}; it has no tools at all"),
        None => start,
    }
}

fn reasons_against(spec: &ToolSpec, tool: &dyn Tool, policy: BindPolicy) -> Vec<String> {
    if policy == BindPolicy::Name {
        return Vec::new();
    }
    let descriptor = tool.descriptor();
    let mut reasons: Vec<String> = effects_reason(spec, descriptor).into_iter().collect();
    reasons.extend(match descriptor.contract() {
        Contract::Signature(signature) => {
            let spec_side = (spec.description(), spec.signature());
            let tool_side = (compared_description(spec, descriptor), signature);
            let reasons = mismatches(spec_side, tool_side, policy)
                .into_iter()
                .map(|mismatch| {
                    let message = Message {
                        name: spec.name(),
                        spec: spec_side,
                        tool: tool_side,
                        mismatch,
                    };
                    message.text()
                });
            #[cfg(feature = "schemars")]
            let reasons = reasons.chain(stated_reasons(spec.name(), signature));
            reasons.collect::<Vec<_>>()
        }
        Contract::Schema { input, output } => {
            schema_reasons(spec, descriptor, (input, output.as_ref()), policy)
        }
        _ => vec![format!(
            "tool `{}`: what it takes is said in a way that cannot be compared",
            spec.name()
        )],
    });
    reasons
}

/// The tools of an agent, each with its implementation. Cloning is cheap.
#[derive(Clone, Debug, Default)]
pub struct BoundTools {
    tools: ToolTable,
    /// The agents of the same document that can be called.
    agents: Option<Arc<[BoundAgent]>>,
    policy: BindPolicy,
}

/// The tools of one agent.
#[derive(Clone, Debug, Default)]
struct ToolTable {
    tools: Arc<[BoundTool]>,
    by_name: Arc<HashMap<String, usize>>,
    library: ToolLibrary,
}

/// An agent of a document, with its tools.
#[derive(Debug)]
struct BoundAgent {
    agent: Agent,
    tools: ToolTable,
}

/// A spec with the tool that implements it. Cloning is cheap.
#[derive(Clone)]
pub struct BoundTool {
    rule: Arc<ToolRule>,
    tool: Arc<dyn Tool>,
    guard: Arc<ContractGuard>,
}

impl BoundTools {
    /// Returns an agent with the specs of these tools in the places of its
    /// [references](Agent::references).
    ///
    /// ```
    /// # use agent_runtime::library::bind_agent_tools;
    /// # use agent_runtime::{Agent, tool, tools};
    /// /// Says hello
    /// #[tool]
    /// fn say_hello(name: &str) -> String {
    ///     format!("Hello, {name}!")
    /// }
    ///
    /// # fn main() -> Result<(), agent_runtime::Error> {
    /// let agent = Agent::new("greeter", "Offline/any", "Greet the user.")?.with_reference("sayHello")?;
    /// let tools = bind_agent_tools(&agent, &tools![say_hello])?;
    /// let bound = tools.complete(agent)?;
    /// assert_eq!(bound.tools()[0].description(), "Says hello");
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// A tool error when a tool that the agent refers to is not among these, or when its signature nests
    /// too deep for gram.
    pub fn complete(&self, agent: Agent) -> Result<Agent, Error> {
        let mut specs = Vec::with_capacity(agent.references().len());
        for name in agent.references() {
            let Some(tool) = self.get(name) else {
                let text = format!("the tool `{name}` of the agent is not bound");
                return Err(Error::tool(text));
            };
            specs.push(tool.spec().clone());
        }
        if specs.is_empty() {
            return Ok(agent);
        }
        agent.with_tools(specs).map_err(|found| {
            Error::tool("a tool that the agent names cannot be part of an agent").with_source(found)
        })
    }

    /// The tools, in the order of the agent.
    pub fn iter(&self) -> std::slice::Iter<'_, BoundTool> {
        self.tools.tools.iter()
    }

    /// The tool of a name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&BoundTool> {
        let ToolTable { tools, by_name, .. } = &self.tools;
        tools.get(*by_name.get(name)?)
    }

    /// The number of tools.
    #[must_use]
    pub fn len(&self) -> usize {
        self.tools.tools.len()
    }

    /// Whether the model reads descriptions that somebody else may change at any time: those of tools of a server that the
    /// agent only names.
    #[must_use]
    pub fn has_foreign_descriptions(&self) -> bool {
        self.iter().any(|tool| tool.rule.is_described_elsewhere)
    }

    /// Whether the agent has no tools.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.tools.tools.is_empty()
    }

    /// The names of the library's tools that the agent does not declare.
    pub fn undeclared(&self) -> impl Iterator<Item = &str> {
        let names = self.tools.library.names();
        names.filter(|name| self.get(name).is_none())
    }

    /// Whether the library has a tool of a name that the agent does not declare.
    #[doc(hidden)]
    pub fn is_undeclared(&self, name: &str) -> bool {
        self.get(name).is_none() && self.tools.library.lookup(name).is_some()
    }

    /// The tools, and the tools of the agents of the same document that can be called.
    #[doc(hidden)]
    pub fn with_those_of_agents(&self) -> impl Iterator<Item = &BoundTool> {
        let agents = self.agents.iter().flat_map(|agents| agents.iter());
        self.iter()
            .chain(agents.flat_map(|agent| agent.tools.tools.iter()))
    }

    /// Returns the agent behind the tool of a name, with its own tools bound.
    ///
    /// # Errors
    /// When the tool is no agent, or its tools cannot be bound.
    #[doc(hidden)]
    pub fn agent(&self, name: &str) -> Result<(Agent, BoundTools), Error> {
        let of_document = self.agents.iter().flat_map(|agents| agents.iter());
        let mut of_document = of_document.filter(|bound| bound.agent.name() == name);
        if let Some(bound) = of_document.next() {
            let tools = Self {
                tools: bound.tools.clone(),
                agents: self.agents.clone(),
                policy: self.policy,
            };
            return Ok((bound.agent.clone(), tools));
        }
        let tool = self.get(name).and_then(|tool| tool.tool.agent());
        let Some(tool) = tool else {
            return Err(Error::tool(format!("the tool `{name}` is no agent")));
        };
        let library = ToolLibrary::of_agent(&tool);
        let tools = bind_agent_tools_with(tool.agent(), &library, self.policy)?;
        Ok((tool.agent().clone(), tools))
    }
}

impl BoundTool {
    /// Binds a spec to a tool. `is_described_elsewhere` means that the tool gave the spec, and may change its description.
    ///
    /// # Errors
    /// When the tool is written by hand and brings a JSON Schema that cannot be used.
    pub(super) fn new(
        spec: ToolSpec,
        tool: Arc<dyn Tool>,
        is_described_elsewhere: bool,
    ) -> Result<Self, SchemaError> {
        let descriptor = tool.descriptor();
        // Arguments may be left to the defaults of the tool only if the binding rule holds. A tool that was
        // bound by its name alone may break it.
        let is_compatible = |theirs: &&Signature| {
            let ours = ("", spec.signature());
            first_mismatch(ours, ("", theirs), BindPolicy::Compatible).is_none()
        };
        let implementation = descriptor.signature().filter(is_compatible).cloned();
        // If so, the tool allows everything that the spec allows, and no other default must be filled in.
        let is_covered = implementation.as_ref().is_some_and(|theirs| {
            theirs.params() == spec.signature().params() || !has_defaults(theirs.params())
        });
        let guard = match is_covered {
            true => ContractGuard::Covered,
            false => ContractGuard::of(&*tool)?,
        };
        let rule = ToolRule {
            parts: PartSchemas::of(spec.signature()),
            implementation,
            settings: *descriptor.settings(),
            // Under `BindPolicy::Name`, the spec may take back what the function states.
            effects: spec.effects().tightened_by(descriptor.settings().effects),
            schema: descriptor.schema_for(spec.signature()),
            is_agent: tool.agent().is_some(),
            is_described_elsewhere,
            spec,
        };
        Ok(Self {
            rule: Arc::new(rule),
            guard: Arc::new(guard),
            tool,
        })
    }

    /// The spec, which the model sees.
    #[must_use]
    pub fn spec(&self) -> &ToolSpec {
        &self.rule.spec
    }

    /// The tool that implements the spec.
    #[must_use]
    pub fn tool(&self) -> &Arc<dyn Tool> {
        &self.tool
    }

    #[doc(hidden)]
    pub fn rule(&self) -> &ToolRule {
        &self.rule
    }

    /// Calls the tool with a timeout. The arguments and the result are validated against the tool's own
    /// contract, as far as the validation against the spec does not cover it. The result is also validated
    /// against the spec, unless binding has proved that the return type of the tool satisfies the spec.
    ///
    /// # Errors
    /// The error of the call.
    #[doc(hidden)]
    pub async fn call(
        &self,
        arguments: &str,
        context: &ToolContext,
        timeout: Duration,
    ) -> Result<Value, ToolError> {
        let returns = match &self.rule.implementation {
            Some(_) => None,
            None => Some(self.spec().signature()),
        };
        invoke_within(
            (&*self.tool, &self.guard),
            (returns, Some(&self.rule.parts)),
            arguments,
            context,
            timeout,
        )
        .await
    }
}

/// Whether one of the fields, or a field inside of it, has a default.
fn has_defaults(fields: &[Field]) -> bool {
    fields
        .iter()
        .any(|field| field.default().is_some() || type_has_defaults(field.ty()))
}

fn type_has_defaults(ty: &Type) -> bool {
    match ty.kind() {
        Kind::Array(of) => type_has_defaults(of.get()),
        Kind::Tuple(types) | Kind::Union(types) => types_of(types).iter().any(type_has_defaults),
        Kind::Object(shape) => {
            has_defaults(shape.fields()) || shape.values().is_some_and(type_has_defaults)
        }
        _ => false,
    }
}

/// The part of a bound tool that a run needs: all but the implementation.
#[derive(Clone, Debug)]
pub struct ToolRule {
    /// The spec, which the model sees.
    pub spec: ToolSpec,
    /// The JSON Schemas of parts of the spec's signature.
    pub parts: PartSchemas,
    /// The tool's own signature, if missing arguments may be left to the tool's defaults.
    pub implementation: Option<Signature>,
    /// The settings of the tool.
    pub settings: ToolSettings,
    /// The statements of the spec and of the tool about its effects.
    pub effects: Effects,
    /// The JSON Schema of the arguments, for the model.
    pub schema: Schema,
    /// Whether the tool is an agent, which a run runs inside of itself.
    pub is_agent: bool,
    /// Whether the description is that of the implementation, which may change it at any time.
    pub is_described_elsewhere: bool,
}

impl ToolRule {
    /// The name of the tool.
    pub fn name(&self) -> &str {
        self.spec.name()
    }

    /// Whether the spec or the tool demands approval. Neither can waive it for the other.
    pub fn requires_approval(&self) -> bool {
        self.spec.requires_approval() || self.settings.requires_approval
    }
}

impl fmt::Debug for BoundTool {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("BoundTool")
            .field("name", &self.rule.name())
            .finish_non_exhaustive()
    }
}

/// The reasons for which a tool of an agent could not be bound.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BindFailure {
    tool: String,
    reasons: Vec<String>,
    is_configuration: bool,
}

impl BindFailure {
    pub(super) fn new(tool: &str, reasons: Vec<String>) -> Self {
        Self {
            tool: tool.to_owned(),
            reasons,
            is_configuration: false,
        }
    }

    /// Creates the failure of a tool that matches and lacks configuration.
    pub(super) fn configuration(tool: &str, missing: &str) -> Self {
        Self {
            tool: tool.to_owned(),
            reasons: vec![format!("tool `{tool}`: {missing}")],
            is_configuration: true,
        }
    }

    /// Adds the name of the called agent whose tool could not be bound to each reason.
    fn of_agent(mut self, agent: &str) -> Self {
        for reason in &mut self.reasons {
            *reason = format!("agent `{agent}`: {reason}");
        }
        self
    }

    /// Whether the tool matches and only lacks configuration, such as a key.
    #[must_use]
    pub fn is_configuration(&self) -> bool {
        self.is_configuration
    }

    /// The name of the tool.
    #[must_use]
    pub fn tool(&self) -> &str {
        &self.tool
    }

    /// The reasons: at least one.
    #[must_use]
    pub fn reasons(&self) -> &[String] {
        &self.reasons
    }
}

/// Prints the reasons, one a line. Each names the tool.
impl fmt::Display for BindFailure {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.reasons.join("\n"))
    }
}

impl std::error::Error for BindFailure {}

/// The failures of binding an agent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BindError {
    agent: String,
    failures: Vec<BindFailure>,
}

impl BindError {
    pub(super) fn new(agent: &str, failures: Vec<BindFailure>) -> Self {
        Self {
            agent: agent.to_owned(),
            failures,
        }
    }

    /// The failures, in the order of the agent's tools: at least one.
    #[must_use]
    pub fn failures(&self) -> &[BindFailure] {
        &self.failures
    }
}

impl fmt::Display for BindError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "cannot bind the tools of the agent `{}`:", self.agent)?;
        for failure in &self.failures {
            write!(out, "\n{failure}")?;
        }
        Ok(())
    }
}

impl std::error::Error for BindError {}

/// Converts to a tool error, or to a configuration error if only configuration is missing.
impl From<BindError> for Error {
    fn from(error: BindError) -> Self {
        let failures = error.failures();
        if failures.iter().all(BindFailure::is_configuration) {
            return Self::configuration(error.to_string());
        }
        Self::tool(error.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn callers_share_the_agent_that_they_call() {
        let text = r#"
            [a:Agent {instruction: "i", model: "OpenAI/m"} | b, c]
            [b:Agent {description: "d", instruction: "i", model: "OpenAI/m"} | d]
            [c:Agent {description: "d", instruction: "i", model: "OpenAI/m"} | d]
            [d:Agent {description: "d", instruction: "i", model: "OpenAI/m"}]
        "#;
        let agent = Agent::parse(text, Some("a"), Default::default()).expect("an agent");
        let tools = bind_agent_tools(&agent, &ToolLibrary::new()).expect("bound tools");
        let called_by = |caller| {
            let (_, tools) = tools.agent(caller).expect("an agent");
            tools.get("d").expect("a tool").clone()
        };
        let (one, other) = (called_by("b"), called_by("c"));
        assert!(Arc::ptr_eq(&one.tool, &other.tool));
        assert!(Arc::ptr_eq(&one.rule, &other.rule));
    }
}
