//! The agents, tools and parameters that a document declares, as a tree.

use super::analysis::Analysis;
use agent_gram::Span;
use agent_spec::check::Outline;
use agent_spec::check::outline::{AgentOutline, ElementOutline, Mention, NodeOutline, ToolOutline};
use agent_spec::terminal;

/// A declaration or a reference.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Symbol {
    /// The name, which is never empty, because editors refuse symbols without names.
    pub(crate) name: String,
    /// A short description, such as the type of a parameter.
    pub(crate) detail: Option<String>,
    /// The kind.
    pub(crate) kind: SymbolKind,
    /// The span of the whole symbol.
    pub(crate) span: Span,
    /// The span of the name, within `span`.
    pub(crate) name_span: Span,
    /// The symbols inside this one.
    pub(crate) children: Vec<Symbol>,
}

/// The kind of a symbol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SymbolKind {
    /// An agent.
    Agent,
    /// A tool.
    Tool,
    /// The name of a tool that is defined elsewhere.
    Reference,
    /// A parameter.
    Parameter,
}

/// A declaration of an agent or a tool, with the name of the agent that contains it.
pub(crate) struct Declaration<'a> {
    pub(crate) name: &'a str,
    pub(crate) kind: SymbolKind,
    /// The span of the whole declaration.
    pub(crate) span: Span,
    pub(crate) container: Option<&'a str>,
}

/// The maximum number of characters of a name or a detail, because an editor shows each on one line.
const MAX_TEXT: usize = 200;

/// Returns the agents with their tools, and the tools outside agents, in source order.
pub(crate) fn symbols(analysis: &Analysis) -> Vec<Symbol> {
    let outline = analysis.outline();
    let (in_agent, inside) = containers(outline);
    let agents = outline.agents.iter().zip(&inside);
    let agents = agents.filter(|(_, inside)| inside.is_none());
    let agents = agents.map(|(agent, _)| (agent.whole, Root::Agent(agent)));
    let tools = outline.tools.iter().zip(&in_agent);
    let tools = tools.filter(|(_, inside)| inside.is_none());
    let tools = tools.map(|(tool, _)| (tool.whole, Root::Tool(tool)));
    let mut roots: Vec<(Span, Root<'_>)> = agents.chain(tools).collect();
    roots.sort_by_key(|(span, _)| *span);
    roots
        .into_iter()
        .map(|(_, root)| match root {
            Root::Agent(agent) => agent_symbol(outline, agent),
            Root::Tool(tool) => tool_symbol(tool),
        })
        .collect()
}

/// Returns the agents and tools that a document declares.
pub(crate) fn declarations(analysis: &Analysis) -> impl Iterator<Item = Declaration<'_>> {
    let outline = analysis.outline();
    let (in_agent, inside) = containers(outline);
    let container = move |at: Option<usize>| Some(agent_name(outline.agents.get(at?)?));
    let agents = outline.agents.iter().zip(inside);
    let agents = agents.map(move |(agent, inside)| Declaration {
        name: agent_name(agent),
        kind: SymbolKind::Agent,
        span: agent.whole,
        container: container(inside),
    });
    let tools = outline.tools.iter().zip(in_agent);
    let tools = tools.map(move |(tool, inside)| Declaration {
        name: tool_name(tool),
        kind: SymbolKind::Tool,
        span: tool.whole,
        container: container(inside),
    });
    agents.chain(tools)
}

/// The indexes of the agents that contain each tool and each agent.
fn containers(outline: &Outline) -> (Vec<Option<usize>>, Vec<Option<usize>>) {
    let mut of_tools = vec![None; outline.tools.len()];
    let mut of_agents = vec![None; outline.agents.len()];
    for (index, agent) in outline.agents.iter().enumerate() {
        for element in &agent.elements {
            let inside = match element {
                ElementOutline::Tool(at) => of_tools.get_mut(*at),
                ElementOutline::Agent(at) => of_agents.get_mut(*at),
                _ => None,
            };
            if let Some(inside) = inside {
                *inside = Some(index);
            }
        }
    }
    (of_tools, of_agents)
}

/// A declaration at the top of the tree.
enum Root<'a> {
    Agent(&'a AgentOutline),
    Tool(&'a ToolOutline),
}

/// Returns the symbol of an agent. Agents nest no deeper than the parser reads brackets.
fn agent_symbol(outline: &Outline, agent: &AgentOutline) -> Symbol {
    let mut children = param_symbols(&agent.params);
    children.extend(agent.elements.iter().filter_map(|element| match element {
        ElementOutline::Tool(at) => outline.tools.get(*at).map(tool_symbol),
        ElementOutline::Agent(at) => {
            let inner = outline.agents.get(*at);
            inner.map(|inner| agent_symbol(outline, inner))
        }
        ElementOutline::Reference(mention) => Some(reference_symbol(mention)),
        _ => None,
    }));
    Symbol {
        name: cut(agent_name(agent)),
        detail: result_detail(agent.result.as_ref()),
        kind: SymbolKind::Agent,
        span: agent.whole,
        name_span: name_span(agent.name.as_ref(), agent.head, agent.whole),
        children,
    }
}

fn tool_symbol(tool: &ToolOutline) -> Symbol {
    Symbol {
        name: cut(tool_name(tool)),
        detail: result_detail(tool.result.as_ref()),
        kind: SymbolKind::Tool,
        span: tool.whole,
        name_span: name_span(tool.name.as_ref(), tool.head, tool.whole),
        children: param_symbols(&tool.params),
    }
}

fn reference_symbol(mention: &Mention) -> Symbol {
    Symbol {
        name: cut(&mention.name),
        detail: Some("reference".to_owned()),
        kind: SymbolKind::Reference,
        span: mention.span,
        name_span: mention.span,
        children: Vec::new(),
    }
}

fn param_symbols(params: &[NodeOutline]) -> Vec<Symbol> {
    params.iter().map(param_symbol).collect()
}

fn result_detail(result: Option<&NodeOutline>) -> Option<String> {
    let label = result?.label.as_ref()?;
    Some(format!("→ {}", cut(&label.name)))
}

fn param_symbol(param: &NodeOutline) -> Symbol {
    let label = param.label.as_ref();
    Symbol {
        name: cut(name_or(param.name.as_ref(), "(parameter without a name)")),
        detail: label.map(|label| cut(&label.name)),
        kind: SymbolKind::Parameter,
        span: param.whole,
        name_span: name_span(param.name.as_ref(), param.whole, param.whole),
        children: Vec::new(),
    }
}

fn agent_name(agent: &AgentOutline) -> &str {
    name_or(agent.name.as_ref(), "(agent without a name)")
}

fn tool_name(tool: &ToolOutline) -> &str {
    name_or(tool.name.as_ref(), "(tool without a name)")
}

/// Returns a text on one line, with at most [`MAX_TEXT`] characters, and `…` if it was longer.
pub(crate) fn cut(text: &str) -> String {
    terminal::line(text, MAX_TEXT)
}

/// Returns the name, or `otherwise` if there is no name or it is blank.
fn name_or<'a>(mention: Option<&'a Mention>, otherwise: &'a str) -> &'a str {
    let name = mention.map(|mention| mention.name.trim());
    name.filter(|name| !name.is_empty()).unwrap_or(otherwise)
}

/// Returns the span of the name, or else `otherwise`, cut to `whole`, because editors refuse symbols whose
/// name is outside.
fn name_span(mention: Option<&Mention>, otherwise: Span, whole: Span) -> Span {
    let span = mention.map_or(otherwise, |mention| mention.span);
    let start = span.start.clamp(whole.start, whole.end);
    Span::new(start, span.end.clamp(start, whole.end))
}
