//! Reading agents and tools from a document, with every rule checked.
//!
//! One checker serves the macros, the command and the conversions at run time. It walks the syntax tree,
//! because only the tree has positions, and returns what it read with the positions, so that `agent!`
//! can point at them.

mod agent;
mod agent_properties;
mod catalogs;
mod definitions;
mod document;
mod keys;
mod mcp;
mod model_rules;
mod nesting;
pub mod outline;
mod places;
mod reader;
mod shapes;
mod signature;
mod templates;
mod tool;
mod type_rules;
mod type_values;
mod types;
mod written_types;

pub use catalogs::{check_catalog, is_catalog};
pub use mcp::{ServedTool, ServedTools};
pub use model_rules::ModelRules;
pub use outline::{Outline, outline};
pub use places::{AgentElement, AgentNode, ParamPlaces, SignaturePlaces, ToolNode, ToolPlaces};
pub(crate) use reader::{Reader, items};
pub(crate) use shapes::{VisitParts, walk_parts};
pub use type_rules::applies_to;
pub(crate) use type_values::{Meaning, TypeValue, type_values, type_values_of_signature};
pub(crate) use written_types::is_word;

use crate::agent::Agent;
use crate::diagnostic::{Code, Diagnostic, Diagnostics, FindingList, Severity, Unlisted};
use crate::tool::ToolSpec;
use agent_gram::Span;
use agent_types::Signature;
use agent_types::names::nearest;
use std::collections::HashSet;
use std::sync::Arc;

/// The context of a check: what exists outside the document.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options<'a> {
    /// Providers that the host registered, besides those that are always there.
    pub providers: &'a [&'a str],
    /// Whether models may be of any provider, because only the runtime knows which providers exist.
    pub any_provider: bool,
    /// Tools that a reference may name although the document does not define them.
    pub known_tools: &'a [ToolSpec],
    /// Whether a reference to a tool that is neither in the document nor in `known_tools` is kept and not
    /// an error. `agent!` resolves it among the registered tools, which only the compiler knows. The
    /// readers of one agent, such as [`Agent::parse`], always keep it, because binding resolves it.
    pub keep_unknown_references: bool,
    /// Whether a default that does not fit the type of its parameter becomes a
    /// [`ParamPlaces::bad_default`] and not an error: `agent!` first compares the type with the
    /// function's, because with a wrong type a right default looks wrong.
    pub defer_bad_defaults: bool,
    /// The variables that get a value in a run, if they are known: then any other variable of an
    /// instruction is an error.
    pub variables: Option<&'a [&'a str]>,
    /// The facts about models. Without these facts, models are not checked, as when requests go to another
    /// server than the vendor's.
    pub model_rules: Option<ModelRules<'a>>,
    /// The tools of the documents of MCP servers. Each is the contract for the definitions of a tool with its
    /// name (feature `mcp`).
    pub served: Option<&'a ServedTools>,
}

/// The message about a pattern that is used as an agent and has another label, or none.
pub const NOT_AN_AGENT: &str = "Pattern must have Agent label";

/// The agents and tools of a document, and its diagnostics.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Checked {
    /// The agents that are free of errors.
    pub agents: Vec<AgentNode>,
    /// The tools that are free of errors, those inside agents included, in source order.
    pub tools: Vec<Arc<ToolNode>>,
    /// The MCP servers that are free of errors, in source order.
    pub servers: Vec<crate::mcp::McpLock>,
    /// The findings, in source order, at most [`MAX_FINDINGS`](crate::diagnostic::MAX_FINDINGS) errors and as
    /// many warnings.
    pub diagnostics: Vec<Diagnostic>,
    /// The numbers of findings that `diagnostics` leaves out.
    pub unlisted: Unlisted,
}

impl Checked {
    fn without_declarations(found: FindingList) -> Self {
        let (diagnostics, unlisted) = found.into_sorted();
        Self {
            diagnostics,
            unlisted,
            ..Self::default()
        }
    }

    /// Whether an error was found. Warnings do not count.
    #[must_use]
    pub fn has_errors(&self) -> bool {
        self.diagnostics
            .iter()
            .any(|found| found.severity() == Severity::Error)
    }
}

/// Reads and checks a document.
///
/// Syntax errors are among the diagnostics. The code around a syntax error is not checked further, so
/// that one mistake gives one diagnostic; the rest of the document is checked.
#[must_use]
pub fn check(source: &str, options: Options<'_>) -> Checked {
    document::check_document(source, options)
}

/// Checks the notation only: syntax errors, and a warning for a key given twice. Reads neither agents nor tools.
#[must_use]
pub fn check_gram(source: &str) -> Checked {
    let parsed = agent_gram::parse(source);
    let mut found = FindingList::default();
    for error in &parsed.errors {
        found.push(Diagnostic::from(error));
    }
    found.add_unlisted_errors(parsed.more_errors);
    document::warn_of_duplicate_keys(&parsed.document, &mut found);
    Checked::without_declarations(found)
}

/// Reads one bare signature.
///
/// # Errors
/// Returns the diagnostics of the signature, with the text.
pub fn check_signature(source: &str) -> Result<(Signature, SignaturePlaces), Checked> {
    signature::check_bare_signature(source)
}

/// Reads the one agent of a document, or the agent of this name. References to unknown tools are kept.
///
/// # Errors
/// All diagnostics of the document; also when it has no such agent, or several and no name was given.
pub(crate) fn check_agent(
    source: &str,
    name: Option<&str>,
    options: Options<'_>,
) -> Result<Agent, Diagnostics> {
    let options = Options {
        keep_unknown_references: true,
        ..options
    };
    let checked = check(source, options);
    if checked.has_errors() {
        return Err(Diagnostics::new(source, checked.diagnostics));
    }
    match choose_agent(&checked.agents, name) {
        Ok(node) => Ok(node.agent.clone()),
        Err(none) => {
            let mut message = format!("the document {}", none.reason);
            if !none.choices.is_empty() {
                message.push_str(&format!("; choose one of {}", listed(&none.choices)));
            }
            Err(Diagnostics::without_text(Code::NothingDeclared, message))
        }
    }
}

/// The reason why no agent of a document was chosen.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct NotChosen<'a> {
    /// The rest of a sentence about the document, such as "declares several agents".
    pub reason: String,
    /// The names of the agents of which one must be chosen, if a name was not given and is necessary.
    pub choices: Vec<&'a str>,
}

/// Returns the agent with a name. Without a name, returns the agent that the document is about: its only
/// agent, else the only agent that no other agent calls. If every agent is called by another agent, returns
/// the only agent that is not defined inside another agent.
///
/// # Errors
/// Returns the reason if there is no such agent, or if there are several.
pub fn choose_agent<'a>(
    agents: &'a [AgentNode],
    name: Option<&str>,
) -> Result<&'a AgentNode, NotChosen<'a>> {
    let chosen = match name {
        Some(name) => agents.iter().find(|node| node.agent.name() == name),
        None => root(agents),
    };
    chosen.ok_or_else(|| {
        let (reason, choices) = match name {
            Some(name) if !agents.is_empty() => (unknown_agent(name, agents), Vec::new()),
            _ => no_root(agents),
        };
        NotChosen { reason, choices }
    })
}

fn unknown_agent(name: &str, agents: &[AgentNode]) -> String {
    let all: Vec<&str> = agents.iter().map(|node| node.agent.name()).collect();
    let hint = match nearest(name, all.iter().copied()) {
        Some(meant) => format!("did you mean `{meant}`?"),
        None => format!("it declares {}", listed(&all)),
    };
    format!("declares no agent `{name}`; {hint}")
}

fn root(agents: &[AgentNode]) -> Option<&AgentNode> {
    if let [node] = agents {
        return Some(node);
    }
    let mut roots = roots(agents).peekable();
    if roots.peek().is_some() {
        return roots.next().filter(|_| roots.next().is_none());
    }
    let mut outer = agents.iter().filter(|node| !node.is_inside);
    outer.next().filter(|_| outer.next().is_none())
}

fn no_root(agents: &[AgentNode]) -> (String, Vec<&str>) {
    let roots: Vec<&str> = roots(agents).map(|node| node.agent.name()).collect();
    if agents.is_empty() {
        return ("declares no agent".to_owned(), roots);
    }
    if roots.is_empty() {
        let all = agents.iter().map(|node| node.agent.name());
        let reason = "declares agents that are all called by others";
        return (reason.to_owned(), all.collect());
    }
    let mut reason = "declares several agents".to_owned();
    if let Some((name, meant)) = misspelt_agent(agents, &roots) {
        reason.push_str(&format!(
            ", and one of them names `{name}`, which is none (did you mean `{meant}`?)"
        ));
    }
    (reason, roots)
}

/// Returns the first unknown name among the elements of agents that nearly spells the name of one of `roots`,
/// and the name of that root. The misspelling may be the reason why no agent calls the root.
fn misspelt_agent<'a>(agents: &'a [AgentNode], roots: &[&'a str]) -> Option<(&'a str, &'a str)> {
    /// The number of unknown names and of agents that are compared.
    const MOST: usize = 100;
    let elements = agents.iter().flat_map(|node| &node.elements);
    let unknown = elements.filter_map(|element| match element {
        AgentElement::Unknown { name, .. } => Some(name.as_str()),
        _ => None,
    });
    let meant = |name| nearest(name, roots.iter().copied().take(MOST));
    let mut found = unknown.take(MOST);
    found.find_map(|name| Some((name, meant(name)?)))
}

/// Returns names in one line, at most 20 of them.
#[must_use]
pub fn listed(names: &[&str]) -> String {
    const MOST: usize = 20;
    let shown = names.get(..MOST).unwrap_or(names).join(", ");
    match names.len().saturating_sub(MOST) {
        0 => shown,
        more => format!("{shown} and {more} more"),
    }
}

/// Returns the agents that no other agent calls.
pub fn roots(agents: &[AgentNode]) -> impl Iterator<Item = &AgentNode> {
    let mut called = HashSet::new();
    for node in agents {
        for element in &node.elements {
            if let AgentElement::Agent { name, .. } = element
                && name != node.agent.name()
            {
                called.insert(name.as_str());
            }
        }
    }
    agents
        .iter()
        .filter(move |node| !called.contains(node.agent.name()))
}

/// Reads one bare signature.
///
/// # Errors
/// All diagnostics, with the text.
pub fn parse_signature(source: &str) -> Result<Signature, Diagnostics> {
    check_signature(source)
        .map(|(signature, _)| signature)
        .map_err(|checked| Diagnostics::new(source, checked.diagnostics))
}

pub(crate) fn nothing_declared(source: &str) -> Diagnostic {
    // A caller may pass a text with a byte-order mark, which does not count as content.
    let is_empty = source.trim_start_matches('\u{feff}').trim().is_empty();
    let span = if is_empty {
        Span::at(0)
    } else {
        Span::new(0, first_line(source))
    };
    let message = if is_empty {
        "the document is empty; it must declare an agent or a tool"
    } else {
        "the document declares no agent and no tool"
    };
    Diagnostic::new(Code::NothingDeclared, span, message).with_help(
        "declare an agent with `[name:Agent {instruction: \"…\", model: \"Provider/model-id\"}]`, \
         or check the notation only",
    )
}

fn first_line(source: &str) -> usize {
    source.find('\n').unwrap_or(source.len())
}
