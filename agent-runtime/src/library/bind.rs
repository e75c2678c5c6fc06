//! Matching specs with implementations.

use super::stated::stated_reasons;
use super::{BindError, BindFailure, BindPolicy, BoundTool, BoundTools, ToolLibrary};
use crate::tool::{Contract, Tool};
use agent_spec::binding::{Message, description_matches, mismatches};
use agent_spec::names::nearest;
use agent_spec::schema::same_schema;
use agent_spec::{Agent, ToolSpec};
use serde_json::Value;
use std::sync::Arc;

/// Binds every tool of an agent to the tool of its name in a library, matched as
/// [`BindPolicy::Compatible`] demands.
///
/// # Errors
/// Every tool that failed, and why.
pub fn bind_agent_tools(agent: &Agent, library: &ToolLibrary) -> Result<BoundTools, BindError> {
    bind_agent_tools_with(agent, library, BindPolicy::default())
}

/// Binds every tool of an agent, matched as closely as the policy demands.
///
/// # Errors
/// Every tool that failed, and why.
pub fn bind_agent_tools_with(
    agent: &Agent,
    library: &ToolLibrary,
    policy: BindPolicy,
) -> Result<BoundTools, BindError> {
    let mut bound = Vec::with_capacity(agent.tools().len());
    let mut failures = Vec::new();
    for spec in agent.tools() {
        match bind_tool(spec, library, policy) {
            Ok(tool) => bound.push(BoundTool::new(spec.clone(), tool)),
            Err(failure) => failures.push(failure),
        }
    }
    if !failures.is_empty() {
        return Err(BindError::new(agent.name(), failures));
    }
    let undeclared = library
        .names()
        .filter(|name| agent.tool(name).is_none())
        .map(str::to_owned)
        .collect();
    Ok(BoundTools::new(bound, undeclared))
}

/// The tool of a library that implements a spec.
pub(super) fn bind_tool(
    spec: &ToolSpec,
    library: &ToolLibrary,
    policy: BindPolicy,
) -> Result<Arc<dyn Tool>, BindFailure> {
    let name = spec.name();
    let Some(tool) = library.lookup(name) else {
        return Err(BindFailure::new(name, vec![unknown(name, library)]));
    };
    let reasons = reasons_against(spec, &**tool, policy);
    if !reasons.is_empty() {
        return Err(BindFailure::new(name, reasons));
    }
    match tool.check_configuration() {
        Ok(()) => Ok(Arc::clone(tool)),
        Err(missing) => Err(BindFailure::configuration(name, &missing)),
    }
}

fn unknown(name: &str, library: &ToolLibrary) -> String {
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
    match descriptor.contract() {
        Contract::Signature(signature) => {
            let spec_side = (spec.description(), spec.signature());
            let tool_side = (descriptor.description(), signature);
            let stated = stated_reasons(spec.name(), signature);
            mismatches(spec_side, tool_side, policy)
                .into_iter()
                .map(|mismatch| {
                    let message = Message {
                        name: spec.name(),
                        spec: spec_side,
                        tool: tool_side,
                        mismatch,
                    };
                    message.text()
                })
                .chain(stated)
                .collect()
        }
        Contract::Schema { input, output } => {
            schema_reasons(spec, descriptor.description(), input, output.as_ref())
        }
        _ => vec![format!(
            "tool `{}`: what it takes is said in a way that cannot be compared",
            spec.name()
        )],
    }
}

/// A tool that has only JSON Schemas must have those that the spec's signature makes. One that
/// does not say what it returns may return anything.
fn schema_reasons(
    spec: &ToolSpec,
    description: &str,
    input: &Value,
    output: Option<&Value>,
) -> Vec<String> {
    let name = spec.name();
    let mut reasons = Vec::new();
    if !description_matches(spec.description(), description) {
        reasons.push(format!(
            "tool `{name}`: the description differs from the tool's\n  the agent says: {:?}\n  the \
             tool says:  {description:?}",
            spec.description()
        ));
    }
    let mut compare = |what: &str, ours: Value, theirs: &Value| {
        if !same_schema(&ours, theirs) {
            reasons.push(format!(
                "tool `{name}`: the schema of the {what} differs from the tool's\n  the agent says: \
                 {ours}\n  the tool says:  {theirs}"
            ));
        }
    };
    compare("arguments", spec.signature().schema().to_value(), input);
    if let Some(output) = output {
        let ours = spec.signature().return_schema().to_value();
        compare("result", ours, output);
    }
    reasons
}
