//! The agents, tools and parameters of a document, as a tree.

use super::analysis::Analysis;
use agent_gram::Span;
use agent_spec::check::outline::{AgentOutline, ElementOutline, Mention, NodeOutline, ToolOutline};

/// Something that a document declares.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Symbol {
    /// Its name; never empty.
    pub(crate) name: String,
    /// More about it.
    pub(crate) detail: Option<String>,
    /// What it is.
    pub(crate) kind: SymbolKind,
    /// All of it.
    pub(crate) whole: Span,
    /// Its name, inside of it.
    pub(crate) place: Span,
    /// What is inside of it.
    pub(crate) children: Vec<Symbol>,
}

/// What a symbol is.
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

/// The agents, with their tools, then the tools that stand alone: each in source order.
pub(crate) fn symbols(analysis: &Analysis) -> Vec<Symbol> {
    let outline = analysis.outline();
    let mut inside = vec![false; outline.tools.len()];
    for agent in &outline.agents {
        for element in &agent.elements {
            if let ElementOutline::Tool(at) = element
                && let Some(inside) = inside.get_mut(*at)
            {
                *inside = true;
            }
        }
    }
    let agents = outline
        .agents
        .iter()
        .map(|agent| agent_symbol(agent, &outline.tools));
    let alone = outline.tools.iter().zip(inside);
    let tools = alone.filter(|(_, inside)| !inside);
    let mut symbols: Vec<Symbol> = agents
        .chain(tools.map(|(tool, _)| tool_symbol(tool)))
        .collect();
    symbols.sort_by_key(|symbol| symbol.whole);
    symbols
}

fn agent_symbol(agent: &AgentOutline, tools: &[ToolOutline]) -> Symbol {
    let children = agent.elements.iter().filter_map(|element| match element {
        ElementOutline::Tool(at) => tools.get(*at).map(tool_symbol),
        ElementOutline::Reference(mention) => Some(Symbol {
            name: mention.name.clone(),
            detail: Some("reference".to_owned()),
            kind: SymbolKind::Reference,
            whole: mention.span,
            place: mention.span,
            children: Vec::new(),
        }),
        _ => None,
    });
    Symbol {
        name: name_or(agent.name.as_ref(), "(agent without a name)"),
        detail: None,
        kind: SymbolKind::Agent,
        whole: agent.whole,
        place: place(agent.name.as_ref(), agent.head, agent.whole),
        children: children.collect(),
    }
}

fn tool_symbol(tool: &ToolOutline) -> Symbol {
    let result = tool.result.as_ref().and_then(|node| node.label.as_ref());
    Symbol {
        name: name_or(tool.name.as_ref(), "(tool without a name)"),
        detail: result.map(|label| format!("→ {}", label.name)),
        kind: SymbolKind::Tool,
        whole: tool.whole,
        place: place(tool.name.as_ref(), tool.head, tool.whole),
        children: tool.params.iter().map(param_symbol).collect(),
    }
}

fn param_symbol(param: &NodeOutline) -> Symbol {
    let label = param.label.as_ref();
    Symbol {
        name: name_or(param.name.as_ref(), "(parameter without a name)"),
        detail: label.map(|label| label.name.clone()),
        kind: SymbolKind::Parameter,
        whole: param.whole,
        place: place(param.name.as_ref(), param.whole, param.whole),
        children: Vec::new(),
    }
}

/// Editors refuse symbols without names.
fn name_or(mention: Option<&Mention>, otherwise: &str) -> String {
    let name = mention.map(|mention| mention.name.trim());
    name.filter(|name| !name.is_empty())
        .unwrap_or(otherwise)
        .to_owned()
}

/// Where the name stands, else what stands for it; inside the whole, as editors demand.
fn place(mention: Option<&Mention>, otherwise: Span, whole: Span) -> Span {
    let span = mention.map_or(otherwise, |mention| mention.span);
    let start = span.start.clamp(whole.start, whole.end);
    Span::new(start, span.end.clamp(start, whole.end))
}
