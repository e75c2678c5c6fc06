//! The changes that a comparison reports.

use super::rule::Rule;
use agent_gram::Span;
use serde_json::{Map, Value};

/// One change between two versions of a document.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Change {
    /// The kind of change.
    pub rule: Rule,
    /// The agent's name, for a change of an agent.
    pub agent: Option<String>,
    /// The tool's name in the older document, or in the newer one if only that has the tool.
    pub tool: Option<String>,
    /// The name of a parameter, or of a variable of an agent's templates, in the older document, or in the newer one if
    /// only that has it.
    pub parameter: Option<String>,
    /// The new name of a renamed tool or parameter.
    pub renamed_to: Option<String>,
    /// The changed part as the older document has it; `None` for a part that was added.
    pub old: Option<DocumentPart>,
    /// The changed part as the newer document has it; `None` for a part that was removed.
    pub new: Option<DocumentPart>,
    /// The verdict for implementations of the older document that must serve the newer one.
    pub implementation: Verdict,
    /// The verdict for callers that were written for the older document and call the newer tool.
    pub caller: Verdict,
    /// A further remark, such as the meaning of a new default.
    pub note: Option<String>,
}

impl Change {
    /// Creates a change that breaks nobody and names no part yet.
    pub(super) const fn new(rule: Rule) -> Self {
        Self {
            rule,
            agent: None,
            tool: None,
            parameter: None,
            renamed_to: None,
            old: None,
            new: None,
            implementation: Verdict::Compatible,
            caller: Verdict::Compatible,
            note: None,
        }
    }
}

/// A part of a document, as gram text with its place.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct DocumentPart {
    /// The part as gram text, or a description in quotes.
    pub text: String,
    /// The place in the document; `None` for a part of a tool that the document names without defining.
    pub span: Option<Span>,
}

/// The verdict on a change for one side.
#[derive(Clone, Debug)]
pub enum Verdict {
    /// The side works as before.
    Compatible,
    /// The side no longer works in every case.
    Breaking(Evidence),
}

impl Verdict {
    /// Whether the change is breaking.
    #[must_use]
    pub const fn is_breaking(&self) -> bool {
        matches!(self, Verdict::Breaking(_))
    }
}

/// The evidence that a change is breaking.
#[derive(Clone, Debug)]
pub enum Evidence {
    /// A call that one document accepts and the other refuses.
    Witness(Box<Witness>),
    /// The reason why no witness was found.
    Missing(String),
}

/// A call that one document accepts and the other refuses.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Witness {
    /// The name of the called tool.
    pub tool: String,
    /// The arguments of the call.
    pub args: Map<String, Value>,
    /// The result of the call, when the refused part is the result.
    pub result: Option<Value>,
    /// The document that accepts the call; the other one refuses it.
    pub accepted_by: Version,
    /// The stage at which the call is refused.
    pub refused_at: Stage,
    /// The message of the validator, or of the binding rule, that refuses the call.
    pub refusal: String,
}

/// One of the two compared documents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Version {
    /// The older document.
    Old,
    /// The newer document.
    New,
}

impl Version {
    /// Returns the other document.
    #[must_use]
    pub const fn other(self) -> Self {
        match self {
            Version::Old => Version::New,
            Version::New => Version::Old,
        }
    }
}

/// The stage at which a call is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// The binding of the library, before any call.
    Binding,
    /// The lookup of the tool: the agent does not exist or does not offer the tool.
    Lookup,
    /// The validation of the arguments.
    Arguments,
    /// The validation of the result.
    Result,
}
