//! The results of reading, with their positions in the document.

use crate::agent::Agent;
use crate::tool::ToolSpec;
use agent_gram::Span;
use agent_gram::print::writer::Trail;
use std::sync::Arc;

/// An agent of a document.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct AgentNode {
    /// The agent, with the specs of all tools that are defined in the document or known, and with
    /// references to the others.
    pub agent: Agent,
    /// The position of the name.
    pub name: Span,
    /// The value of its description; the name if it has none.
    pub description: Span,
    /// Whether it is defined inside another agent.
    pub is_inside: bool,
    /// Its own signature, if it has one.
    pub signature: Option<SignaturePlaces>,
    /// Its tools and the agents that it can call, in order.
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
        /// The position of the reference, for a tool that is defined elsewhere.
        reference: Option<Span>,
    },
    /// Another agent, defined here or referred to.
    Agent {
        /// The agent's name.
        name: String,
        /// The position of the name here.
        span: Span,
    },
    /// A reference to a tool that is neither defined in the document nor known; see
    /// [`super::Options::keep_unknown_references`].
    Unknown {
        /// The tool's name.
        name: String,
        /// The position of the reference.
        span: Span,
    },
}

/// A tool of a document.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ToolNode {
    /// The tool.
    pub spec: ToolSpec,
    /// The positions of its parts; all 0 for a tool that is not in the document.
    pub places: ToolPlaces,
}

/// The positions of the parts of a tool.
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

/// The positions of the parts of a signature. Parameters are in the order of the signature.
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

/// The positions of the parts of a parameter or result.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct ParamPlaces {
    /// The whole node.
    pub whole: Span,
    /// The name; the whole node when the node has no name.
    pub name: Span,
    /// The type label.
    pub label: Span,
    /// The value of `default` or `optional`, else the label.
    pub optional: Span,
    /// The value of `default`, else the label.
    pub default: Span,
    /// The value of `fields`, `elementType`, `valueType` or of the first keyword, else the label.
    pub details: Span,
    /// The parts of the type, each with the trail that leads to it.
    pub parts: Vec<(Trail, Span)>,
    /// The value of `description`, else the label.
    pub description: Span,
    /// A default that does not fit the type; see [`super::Options::defer_bad_defaults`].
    pub bad_default: Option<Box<crate::diagnostic::Diagnostic>>,
}
