//! What is said when two agents have different tools of one name.

use crate::diagnostic::{Code, Diagnostic};
use crate::tool::ToolSpec;
use agent_gram::Span;

/// The finding for two specs that are not equal.
pub(crate) fn between(agents: (&str, &str), ours: &ToolSpec, theirs: &ToolSpec) -> Diagnostic {
    let difference = if ours.signature() != theirs.signature() {
        format!("`{}` and `{}`", ours.signature(), theirs.signature())
    } else if ours.description() != theirs.description() {
        let (ours, theirs) = (ours.description(), theirs.description());
        format!("the descriptions are {ours:?} and {theirs:?}")
    } else {
        "their other properties differ".to_owned()
    };
    of(agents, ours.name(), &difference)
}

/// The finding for two tools of a name, with the difference in words.
pub(crate) fn of((first, second): (&str, &str), tool: &str, difference: &str) -> Diagnostic {
    let message = format!(
        "the agents `{first}` and `{second}` have different tools named `{tool}`: {difference}"
    );
    Diagnostic::new(Code::ConflictingTools, Span::at(0), message)
        .with_help("make them equal, or rename one")
}
