//! What was read, with the places where it stands.

use crate::agent::Agent;
use crate::tool::ToolSpec;
use agent_gram::Span;
use agent_gram::print::writer::Trail;
use std::sync::Arc;

/// An agent of a document.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct AgentNode {
    /// The agent, with all tools that are defined in the document or known.
    pub agent: Agent,
    /// Where its name stands.
    pub name: Span,
    /// Its elements, in order.
    pub elements: Vec<AgentElement>,
}

/// An element of an agent.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum AgentElement {
    /// A tool, defined here or referred to.
    Tool {
        /// The tool.
        tool: Arc<ToolNode>,
        /// Where the reference stands, when it is one.
        reference: Option<Span>,
    },
    /// A reference to a tool that the document does not define.
    Unknown {
        /// The tool's name.
        name: String,
        /// Where it stands.
        span: Span,
    },
}

/// A tool of a document.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ToolNode {
    /// The tool.
    pub spec: ToolSpec,
    /// Where its parts stand; all at 0 for a tool that does not stand in the document.
    pub places: ToolPlaces,
}

/// Where the parts of a tool stand.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct ToolPlaces {
    /// The whole tool.
    pub whole: Span,
    /// Its name.
    pub name: Span,
    /// The value of its description.
    pub description: Span,
    /// Its signature.
    pub signature: SignaturePlaces,
}

/// Where the parts of a signature stand. Parameters are in the order of the signature.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct SignaturePlaces {
    /// The whole signature.
    pub whole: Span,
    /// The parameters.
    pub params: Vec<ParamPlaces>,
    /// The result.
    pub returns: ParamPlaces,
    /// The arrow before the result, where a missing parameter belongs.
    pub last_arrow: Span,
}

/// Where the parts of a parameter or result stand.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct ParamPlaces {
    /// The whole node.
    pub whole: Span,
    /// The name; the whole node when it has none.
    pub name: Span,
    /// The type label.
    pub label: Span,
    /// What says whether it is optional: the value of `default` or `optional`, else the label.
    pub optional: Span,
    /// The value of `default`, else the label.
    pub default: Span,
    /// What says more about the type: the value of `fields`, `elementType`, `valueType` or of the
    /// first keyword, else the label.
    pub details: Span,
    /// The parts of what is said about the type, each with the trail that leads to it.
    pub parts: Vec<(Trail, Span)>,
    /// The value of `description`, else the label.
    pub description: Span,
    /// A default that does not fit the type; see [`super::Options::defer_bad_defaults`].
    pub bad_default: Option<Box<crate::diagnostic::Diagnostic>>,
}
