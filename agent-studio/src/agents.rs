//! The agents and their tools, as the page gets them.

use crate::documents::{DocumentAgent, grants_json};
use crate::state::Served;
use crate::trial::settings_of;
use agent_runtime::{Agent, ToolLibrary};
use agent_spec::{AgentTool, ToolSettings, ToolSpec};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// Returns the agents that run, as the page gets them.
pub(crate) fn agents_json(served: &Served) -> Value {
    let agents = served
        .running
        .iter()
        .map(|DocumentAgent { agent, document }| {
            let signature = agent.has_own_signature().then(|| agent.signature());
            let mut called: Vec<&str> = agent.agents().into_iter().map(Agent::name).collect();
            called.retain(|name| *name != agent.name());
            json!({
                "name": agent.name(),
                "document": document,
                "description": agent.description().unwrap_or_default(),
                "instruction": agent.instruction().to_string(),
                "model": agent.model().to_string(),
                "settings": settings_of(agent),
                "changed": served.trials.contains_key(agent.name()),
                "grants": agent.settings().grants.as_ref().map(grants_json),
                "signature": agent.signature().to_string(),
                // An agent without a signature of its own is asked with a message.
                "parameters": signature.map(|signature| signature.schema()),
                "tools": agent.all_tools().map(AgentTool::name).collect::<Vec<_>>(),
                "agents": called,
            })
        });
    agents.collect()
}

/// Returns the tools of the agents, and those of the library that no agent has, as the page gets them.
pub(crate) fn tools_json(agents: &[DocumentAgent], library: &ToolLibrary) -> Value {
    let mut tools = BTreeMap::new();
    for tool in library.iter() {
        let descriptor = tool.descriptor();
        let signature = descriptor.to_signature().ok();
        tools.insert(
            descriptor.name().to_owned(),
            json!({
                "name": descriptor.name(),
                "description": descriptor.description(),
                "signature": signature.as_ref().map_or_else(String::new, ToString::to_string),
                "parameters": tool.input_schema(),
                "result": signature.as_ref().map(|signature| signature.return_schema()),
                "requiresApproval": descriptor.settings().requires_approval,
                "settings": settings_json(descriptor.settings()),
                "source": "built-in",
                "callable": true,
            }),
        );
    }
    let specs = agents.iter().flat_map(|agent| agent.agent.all_tools());
    for spec in specs.filter_map(|tool| match tool {
        AgentTool::Spec(spec) => Some(spec),
        _ => None,
    }) {
        let json = spec_json(spec, library);
        tools.insert(spec.name().to_owned(), json);
    }
    tools.into_values().collect()
}

/// A tool of an agent. The tool of the library with the same name is called.
fn spec_json(spec: &ToolSpec, library: &ToolLibrary) -> Value {
    let own = library.lookup(spec.name());
    let mut settings = own.map_or(ToolSettings::DEFAULT, |tool| *tool.descriptor().settings());
    settings.requires_approval |= spec.requires_approval();
    let timeouts = settings.timeout.into_iter().chain(spec.timeout());
    settings.timeout = timeouts.min();
    settings.effects = spec.effects().or(settings.effects);
    json!({
        "name": spec.name(),
        "description": spec.description(),
        "signature": spec.signature().to_string(),
        "parameters": spec.signature().schema(),
        "result": spec.signature().return_schema(),
        "requiresApproval": settings.requires_approval,
        "settings": settings_json(&settings),
        "source": "document",
        "callable": own.is_some(),
    })
}

/// The settings of a tool that are not as those of a tool without attributes.
fn settings_json(settings: &ToolSettings) -> Value {
    let all = [
        ("requiresApproval", settings.requires_approval),
        ("readOnly", settings.read_only),
        ("destructive", settings.destructive),
        ("idempotent", settings.idempotent),
        ("sequential", settings.sequential),
        ("inline", settings.inline),
    ];
    let set = all.into_iter().filter(|(_, is_set)| *is_set);
    let mut json: Map<String, Value> = set.map(|(key, _)| (key.to_owned(), true.into())).collect();
    for (effect, is) in settings.effects.iter() {
        json.insert(effect.key().to_owned(), is.into());
    }
    if let Some(timeout) = settings.timeout {
        json.insert("timeout".to_owned(), format!("{timeout:?}").into());
    }
    if !settings.retryable {
        json.insert("retryable".to_owned(), false.into());
    }
    json.into()
}
