//! The open documents: their agents and tools, and the findings about them.

use agent_gram::LineIndex;
use agent_project::report::Report;
use agent_runtime::{Agent, ToolLibrary};
use agent_spec::{AgentTool, Severity, ToolSpec};
use serde_json::{Value, json};
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
        json!({
            "document": report.source.name,
            "severity": match report.severity(diagnostic) {
                Severity::Error => "error",
                _ => "warning",
            },
            "code": diagnostic.code().to_string(),
            "message": diagnostic.message(),
            "help": diagnostic.help(),
            "line": start.line,
            "column": start.column,
            "endLine": end.line,
            "endColumn": end.column,
            "excerpt": excerpt.collect::<Value>(),
        })
    });
    findings.collect()
}

/// Returns the agents as the page gets them.
pub(crate) fn agents_json(agents: &[DocumentAgent]) -> Value {
    let agents = agents.iter().map(|DocumentAgent { agent, document }| {
        let signature = agent.has_own_signature().then(|| agent.signature());
        let mut called: Vec<&str> = agent.agents().into_iter().map(Agent::name).collect();
        called.retain(|name| *name != agent.name());
        json!({
            "name": agent.name(),
            "document": document,
            "description": agent.description().unwrap_or_default(),
            "instruction": agent.instruction().to_string(),
            "model": agent.model().to_string(),
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
        let settings = descriptor.settings();
        tools.insert(
            descriptor.name().to_owned(),
            json!({
                "name": descriptor.name(),
                "description": descriptor.description(),
                "signature": descriptor.to_signature().map_or_else(|_| String::new(), |signature| signature.to_string()),
                "parameters": tool.input_schema(),
                "requiresApproval": settings.requires_approval,
                "readOnly": settings.read_only,
                "destructive": settings.destructive,
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
        let json = spec_json(spec, tools.get(spec.name()));
        tools.insert(spec.name().to_owned(), json);
    }
    tools.into_values().collect()
}

/// A tool of an agent. `own` is the tool of the library with the same name, which is called.
fn spec_json(spec: &ToolSpec, own: Option<&Value>) -> Value {
    let setting = |name: &str| own.is_some_and(|own| own[name] == true);
    json!({
        "name": spec.name(),
        "description": spec.description(),
        "signature": spec.signature().to_string(),
        "parameters": spec.signature().schema(),
        "requiresApproval": spec.requires_approval() || setting("requiresApproval"),
        "readOnly": setting("readOnly"),
        "destructive": setting("destructive"),
        "source": "document",
        "callable": own.is_some(),
    })
}
