//! What of a document is compared: its tools, and which agent offers which.

use agent_gram::Span;
use agent_spec::ToolSpec;
use agent_spec::check::{AgentElement, Checked, ToolPlaces};
use std::collections::HashMap;

/// The contracts of a document.
pub(super) struct Contracts<'a> {
    /// The tools that it defines, then those that its agents only name; each once.
    pub(super) tools: Vec<Declared<'a>>,
    places: HashMap<&'a str, usize>,
    /// The agents.
    pub(super) agents: Vec<Offer<'a>>,
}

/// A tool of a document.
#[derive(Clone, Copy)]
pub(super) struct Declared<'a> {
    pub(super) spec: &'a ToolSpec,
    /// Where its parts stand, when the document defines it.
    pub(super) places: Option<&'a ToolPlaces>,
    /// Where it is defined, else where it is first named.
    pub(super) span: Span,
}

/// An agent, and the tools that it offers.
pub(super) struct Offer<'a> {
    pub(super) name: &'a str,
    pub(super) span: Span,
    /// Their names, and where each is defined or named.
    pub(super) tools: Vec<(&'a str, Span)>,
}

impl<'a> Contracts<'a> {
    /// The contracts of a document that is free of errors.
    pub(super) fn of(checked: &'a Checked) -> Self {
        let mut contracts = Self {
            tools: Vec::new(),
            places: HashMap::new(),
            agents: Vec::new(),
        };
        for node in &checked.tools {
            contracts.add(Declared {
                spec: &node.spec,
                places: Some(&node.places),
                span: node.places.name,
            });
        }
        for node in &checked.agents {
            let mut tools = Vec::new();
            for element in &node.elements {
                let AgentElement::Tool { tool, reference } = element else {
                    continue;
                };
                let span = reference.unwrap_or(tool.places.name);
                tools.push((tool.spec.name(), span));
                // What the document defines is there already.
                contracts.add(Declared {
                    spec: &tool.spec,
                    places: None,
                    span,
                });
            }
            contracts.agents.push(Offer {
                name: node.agent.name(),
                span: node.name,
                tools,
            });
        }
        contracts
    }

    fn add(&mut self, tool: Declared<'a>) {
        let at = self.tools.len();
        let place = self.places.entry(tool.spec.name()).or_insert(at);
        if *place == at {
            self.tools.push(tool);
        }
    }

    /// The tool of a name.
    pub(super) fn tool(&self, name: &str) -> Option<&Declared<'a>> {
        self.tools.get(*self.places.get(name)?)
    }
}
