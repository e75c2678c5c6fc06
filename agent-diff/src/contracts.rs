//! The parts of a document that are compared: its tools, and the tools that each agent offers.

use super::calls::WitnessBudget;
use super::change::{Change, DocumentPart};
use super::gram_text::tool_text;
use super::rule::Rule;
use agent_gram::Span;
use agent_spec::check::{AgentElement, Checked, SignaturePlaces, ToolPlaces};
use agent_spec::{Agent, ToolSpec};
use std::collections::HashMap;

/// The tools and agents of a document.
pub(super) struct Contracts<'a> {
    /// The tools that the document defines, then those that its agents only name; each once.
    pub(super) tools: Vec<DocumentTool<'a>>,
    /// The positions of the tools by name.
    positions: HashMap<&'a str, usize>,
    /// The agents.
    pub(super) agents: Vec<DocumentAgent<'a>>,
    /// The positions of the agents by name.
    agent_positions: HashMap<&'a str, usize>,
}

/// A tool of a document.
#[derive(Clone, Copy)]
pub(super) struct DocumentTool<'a> {
    pub(super) spec: &'a ToolSpec,
    /// The places of the tool's parts; `None` if the document only names the tool.
    pub(super) places: Option<&'a ToolPlaces>,
    /// The place of the definition, or else of the first reference.
    pub(super) span: Span,
    /// The budget of the comparison.
    pub(super) budget: &'a WitnessBudget,
}

/// An agent of a document.
pub(super) struct DocumentAgent<'a> {
    pub(super) name: &'a str,
    pub(super) span: Span,
    /// The names of the tools and agents that the agent offers, each with the place of its definition or reference.
    pub(super) tools: Vec<(&'a str, Span)>,
    pub(super) agent: &'a Agent,
    /// The places in its own signature, if it has one.
    pub(super) signature: Option<&'a SignaturePlaces>,
    /// The budget of the comparison.
    pub(super) budget: &'a WitnessBudget,
}

impl<'a> Contracts<'a> {
    /// Collects the tools and agents of a document.
    pub(super) fn of(checked: &'a Checked, budget: &'a WitnessBudget) -> Self {
        let mut contracts = Self {
            tools: Vec::new(),
            positions: HashMap::new(),
            agents: Vec::new(),
            agent_positions: HashMap::new(),
        };
        for node in &checked.tools {
            contracts.add(DocumentTool {
                spec: &node.spec,
                places: Some(&node.places),
                span: node.places.name,
                budget,
            });
        }
        for node in &checked.agents {
            let mut tools = Vec::new();
            for element in &node.elements {
                let (tool, reference) = match element {
                    AgentElement::Tool { tool, reference } => (tool, reference),
                    // Agents are compared as agents. For an unknown tool, the document has only the name.
                    AgentElement::Agent { name, span } | AgentElement::Unknown { name, span } => {
                        tools.push((name.as_str(), *span));
                        continue;
                    }
                    _ => continue,
                };
                let span = reference.unwrap_or(tool.places.name);
                tools.push((tool.spec.name(), span));
                // The tools that the document defines were added above.
                contracts.add(DocumentTool {
                    spec: &tool.spec,
                    places: None,
                    span,
                    budget,
                });
            }
            let position = contracts.agents.len();
            contracts
                .agent_positions
                .insert(node.agent.name(), position);
            contracts.agents.push(DocumentAgent {
                name: node.agent.name(),
                span: node.name,
                tools,
                agent: &node.agent,
                signature: node.signature.as_ref(),
                budget,
            });
        }
        contracts
    }

    /// Adds a tool, unless a tool of the same name was added before.
    fn add(&mut self, tool: DocumentTool<'a>) {
        let next = self.tools.len();
        let position = self.positions.entry(tool.spec.name()).or_insert(next);
        if *position == next {
            self.tools.push(tool);
        }
    }

    /// Returns the agent of a name.
    pub(super) fn agent(&self, name: &str) -> Option<&DocumentAgent<'a>> {
        self.agents.get(*self.agent_positions.get(name)?)
    }

    /// Returns the tool of a name.
    pub(super) fn tool(&self, name: &str) -> Option<&DocumentTool<'a>> {
        self.tools.get(*self.positions.get(name)?)
    }
}

impl DocumentTool<'_> {
    /// Creates a change of this tool that breaks nobody.
    pub(super) fn change(&self, rule: Rule) -> Change {
        Change {
            tool: Some(self.spec.name().to_owned()),
            ..Change::new(rule)
        }
    }

    /// Returns the whole tool, as its name and signature.
    pub(super) fn part(&self) -> Option<DocumentPart> {
        Some(DocumentPart {
            text: tool_text(self.spec),
            span: Some(self.span),
        })
    }
}

/// A tool that both documents have under one name.
pub(super) struct ToolPair<'a> {
    pub(super) old: DocumentTool<'a>,
    pub(super) new: DocumentTool<'a>,
}

impl ToolPair<'_> {
    /// Returns the name of the tool.
    pub(super) fn name(&self) -> &str {
        self.old.spec.name()
    }

    /// Creates a change of this tool that breaks nobody.
    pub(super) fn change(&self, rule: Rule) -> Change {
        self.old.change(rule)
    }
}
