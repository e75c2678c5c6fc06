//! The agents, tools and parameters that a document declares, as a tree.

use super::analysis::Analysis;
use agent_gram::Span;
use agent_spec::check::Outline;
use agent_spec::check::outline::{AgentOutline, ElementOutline, Mention, NodeOutline, ToolOutline};

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

/// Returns the agents with their tools, and the tools outside agents, in source order.
pub(crate) fn symbols(analysis: &Analysis) -> Vec<Symbol> {
    let outline = analysis.outline();
    let mut is_in_agent = vec![false; outline.tools.len()];
    let mut is_called_inside = vec![false; outline.agents.len()];
    for element in outline.agents.iter().flat_map(|agent| &agent.elements) {
        let inside = match element {
            ElementOutline::Tool(at) => is_in_agent.get_mut(*at),
            ElementOutline::Agent(at) => is_called_inside.get_mut(*at),
            _ => None,
        };
        if let Some(inside) = inside {
            *inside = true;
        }
    }
    let agents = outline.agents.iter().zip(is_called_inside);
    let agents = agents
        .filter(|(_, is_inside)| !is_inside)
        .map(|(agent, _)| agent_symbol(agent, outline));
    let tools = outline.tools.iter().zip(is_in_agent);
    let tools = tools.filter(|(_, is_in_agent)| !is_in_agent);
    let mut symbols: Vec<Symbol> = agents
        .chain(tools.map(|(tool, _)| tool_symbol(tool)))
        .collect();
    symbols.sort_by_key(|symbol| symbol.span);
    symbols
}

/// Agents nest no deeper than the parser reads brackets.
fn agent_symbol(agent: &AgentOutline, outline: &Outline) -> Symbol {
    let params = agent.params.iter().map(param_symbol);
    let children = agent.elements.iter().filter_map(|element| match element {
        ElementOutline::Tool(at) => outline.tools.get(*at).map(tool_symbol),
        ElementOutline::Agent(at) => outline
            .agents
            .get(*at)
            .map(|agent| agent_symbol(agent, outline)),
        ElementOutline::Reference(mention) => Some(Symbol {
            name: mention.name.clone(),
            detail: Some("reference".to_owned()),
            kind: SymbolKind::Reference,
            span: mention.span,
            name_span: mention.span,
            children: Vec::new(),
        }),
        _ => None,
    });
    Symbol {
        name: name_or(agent.name.as_ref(), "(agent without a name)"),
        detail: result_detail(agent.result.as_ref()),
        kind: SymbolKind::Agent,
        span: agent.whole,
        name_span: name_span(agent.name.as_ref(), agent.head, agent.whole),
        children: params.chain(children).collect(),
    }
}

fn tool_symbol(tool: &ToolOutline) -> Symbol {
    Symbol {
        name: name_or(tool.name.as_ref(), "(tool without a name)"),
        detail: result_detail(tool.result.as_ref()),
        kind: SymbolKind::Tool,
        span: tool.whole,
        name_span: name_span(tool.name.as_ref(), tool.head, tool.whole),
        children: tool.params.iter().map(param_symbol).collect(),
    }
}

fn result_detail(result: Option<&NodeOutline>) -> Option<String> {
    let label = result?.label.as_ref()?;
    Some(format!("→ {}", label.name))
}

fn param_symbol(param: &NodeOutline) -> Symbol {
    let label = param.label.as_ref();
    Symbol {
        name: name_or(param.name.as_ref(), "(parameter without a name)"),
        detail: label.map(|label| label.name.clone()),
        kind: SymbolKind::Parameter,
        span: param.whole,
        name_span: name_span(param.name.as_ref(), param.whole, param.whole),
        children: Vec::new(),
    }
}

/// Returns the name, or `otherwise` if there is no name or it is blank.
fn name_or(mention: Option<&Mention>, otherwise: &str) -> String {
    let name = mention.map(|mention| mention.name.trim());
    name.filter(|name| !name.is_empty())
        .unwrap_or(otherwise)
        .to_owned()
}

/// Returns the span of the name, or else `otherwise`, cut to `whole`, because editors refuse symbols whose
/// name is outside.
fn name_span(mention: Option<&Mention>, otherwise: Span, whole: Span) -> Span {
    let span = mention.map_or(otherwise, |mention| mention.span);
    let start = span.start.clamp(whole.start, whole.end);
    Span::new(start, span.end.clamp(start, whole.end))
}
