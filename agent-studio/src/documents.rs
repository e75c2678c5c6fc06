//! The open documents: their agents and tools, and the findings about them.

use crate::models::settings_of;
use crate::state::Served;
use agent_gram::LineIndex;
use agent_project::report::Report;
use agent_runtime::{Agent, ToolLibrary};
use agent_spec::{AgentTool, Diagnostic, Grants, Severity, ToolSettings, ToolSpec};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// The documents as they are in their files.
#[derive(Clone, Debug, Default)]
pub struct Documents {
    /// A report about each document, also about those without findings, and one about each further file with errors.
    pub reports: Vec<Report>,
    /// The agents of the documents, if no document has errors.
    pub agents: Option<Vec<DocumentAgent>>,
    /// The reason why the documents cannot be read, or why their agents cannot run.
    pub problem: Option<String>,
}

/// An agent of a document.
#[derive(Clone, Debug)]
pub struct DocumentAgent {
    /// The agent.
    pub agent: Agent,
    /// The name of the document.
    pub document: String,
}

/// The maximum number of lines of an excerpt.
const MAX_EXCERPT: usize = 9;

/// The maximum number of characters of a line of an excerpt.
const MAX_LINE: usize = 400;

/// Returns the documents as the page gets them. `runs` says which version of them runs: `this`, `last good` or `none`.
pub(crate) fn documents_json(reports: &[Report], runs: &str) -> Value {
    let documents = reports.iter().map(|report| {
        let errors = report.error_count();
        json!({
            "path": report.source.name,
            "errors": errors,
            "warnings": report.diagnostics.len() + report.unlisted.total() - errors,
            "runs": runs,
        })
    });
    documents.collect()
}

/// Returns the findings, each with the lines that it is about.
pub(crate) fn findings_json(reports: &[Report]) -> Value {
    reports.iter().flat_map(findings_of).collect()
}

fn findings_of(report: &Report) -> Vec<Value> {
    let index = LineIndex::new(&report.source.text);
    let lines: Vec<&str> = report.source.text.lines().collect();
    let findings = report.diagnostics.iter().map(|diagnostic| {
        let (start, end) = (
            index.position(diagnostic.span().start),
            index.position(diagnostic.span().end),
        );
        let (first, last) = (start.line.saturating_sub(1), end.line.max(start.line));
        let excerpt = lines
            .iter()
            .enumerate()
            .take(last + 1)
            .skip(first.saturating_sub(1))
            .take(MAX_EXCERPT);
        let excerpt = excerpt.map(|(at, line)| {
            let text: String = line.chars().take(MAX_LINE).collect();
            json!({"line": at + 1, "text": text})
        });
        let mut json = finding_json(diagnostic);
        json["severity"] = word(report.severity(diagnostic)).into();
        json["document"] = report.source.name.as_str().into();
        json["line"] = start.line.into();
        json["column"] = start.column.into();
        json["endLine"] = end.line.into();
        json["endColumn"] = end.column.into();
        json["excerpt"] = excerpt.collect();
        json
    });
    findings.collect()
}

/// Returns a finding without its place.
pub(crate) fn finding_json(diagnostic: &Diagnostic) -> Value {
    json!({
        "severity": word(diagnostic.severity()),
        "code": diagnostic.code().to_string(),
        "message": diagnostic.message(),
        "help": diagnostic.help(),
    })
}

fn word(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        _ => "warning",
    }
}

/// Returns what grants let tools access, a text for each.
pub(crate) fn grants_json(grants: &Grants) -> Value {
    let parts = grants.parts().into_iter();
    let texts =
        parts.flat_map(|(key, texts)| texts.iter().map(move |text| format!("{key} {text}")));
    texts.collect()
}

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
    if let Some(timeout) = settings.timeout {
        json.insert("timeout".to_owned(), format!("{timeout:?}").into());
    }
    if !settings.retryable {
        json.insert("retryable".to_owned(), false.into());
    }
    json.into()
}
