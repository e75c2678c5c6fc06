//! What is found: changes, whom they break, and what shows it.

use super::rule::Rule;
use agent_gram::Span;
use serde_json::{Map, Value};

/// One change of a contract.
#[derive(Clone, Debug)]
pub struct Change {
    /// What kind of change.
    pub rule: Rule,
    /// The agent, when it is about what an agent offers.
    pub agent: Option<String>,
    /// The tool, by its older name.
    pub tool: Option<String>,
    /// The parameter, by its older name.
    pub parameter: Option<String>,
    /// The newer name of what was renamed.
    pub renamed_to: Option<String>,
    /// What the older document says, if anything.
    pub old: Option<Stated>,
    /// What the newer document says, if anything.
    pub new: Option<Stated>,
    /// Whether it breaks an implementation of the older spec that must now serve the newer one.
    pub implementation: Verdict,
    /// Whether it breaks a caller of the older schema who now meets the newer tool.
    pub caller: Verdict,
    /// What else there is to know.
    pub note: Option<String>,
}

impl Change {
    /// A change that is about nothing yet, and breaks nobody.
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

/// What a document says, and where.
#[derive(Clone, Debug)]
pub struct Stated {
    /// In the words of gram.
    pub text: String,
    /// Where; nothing for what the document names without defining it.
    pub span: Option<Span>,
}

/// Whether a change breaks one side.
#[derive(Clone, Debug)]
pub enum Verdict {
    /// That side goes on as before.
    Compatible,
    /// It does not.
    Breaking(Evidence),
}

impl Verdict {
    /// Whether it is breaking.
    pub const fn is_breaking(&self) -> bool {
        matches!(self, Verdict::Breaking(_))
    }
}

/// What shows that a change is breaking.
#[derive(Clone, Debug)]
pub enum Evidence {
    /// A call that one side takes and the other refuses.
    Witness(Box<Witness>),
    /// None was found, for the reason given.
    Missing(String),
}

/// A call that one document takes and the other refuses.
#[derive(Clone, Debug)]
pub struct Witness {
    /// The tool that is called.
    pub tool: String,
    /// The arguments.
    pub args: Map<String, Value>,
    /// What the call gives, when the results are what differs.
    pub result: Option<Value>,
    /// Which document takes it; the other one refuses it.
    pub accepted_by: Version,
    /// When it is refused.
    pub refused_at: Stage,
    /// Why, in the words of what refuses it.
    pub refusal: String,
}

/// One of the two documents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Version {
    /// The older one.
    Old,
    /// The newer one.
    New,
}

impl Version {
    /// The other one.
    pub const fn other(self) -> Self {
        match self {
            Version::Old => Version::New,
            Version::New => Version::Old,
        }
    }
}

/// When a call is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Before any call: binding refuses the library.
    Binding,
    /// When the tool is looked up by its name: it is not offered, or the agent is not there.
    Lookup,
    /// When the arguments are checked.
    Arguments,
    /// When the result is checked.
    Result,
}
