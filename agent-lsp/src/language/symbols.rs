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

/// The maximum number of symbols of a document, because an editor draws each of them.
pub(crate) const MAX_SYMBOLS: usize = 5_000;

/// The maximum number of characters of a name or a detail.
const MAX_TEXT: usize = 200;

/// Returns the agents with their tools, and the tools outside agents, in source order.
///
/// If a document has more than [`MAX_SYMBOLS`], references are left out first, then parameters, and then the agents
/// and tools at the end of the document.
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
    let mut tree = Tree::new(outline);
    roots
        .into_iter()
        .map_while(|(_, root)| match root {
            Root::Agent(agent) => tree.agent(agent),
            Root::Tool(tool) => tree.tool(tool),
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

/// The tree of symbols while it is built.
struct Tree<'a> {
    outline: &'a Outline,
    with_params: bool,
    with_references: bool,
    /// The number of symbols that may still be added.
    left: usize,
}

impl<'a> Tree<'a> {
    fn new(outline: &'a Outline) -> Self {
        let params = outline.agents.iter().map(|agent| agent.params.len());
        let params = params.chain(outline.tools.iter().map(|tool| tool.params.len()));
        let declared = outline.agents.len() + outline.tools.len() + params.sum::<usize>();
        let references = outline.references().take(MAX_SYMBOLS + 1).count();
        Self {
            outline,
            with_params: declared <= MAX_SYMBOLS,
            with_references: declared + references <= MAX_SYMBOLS,
            left: MAX_SYMBOLS,
        }
    }

    /// Adds an agent, if there is room. Agents nest no deeper than the parser reads brackets.
    fn agent(&mut self, agent: &AgentOutline) -> Option<Symbol> {
        self.left = self.left.checked_sub(1)?;
        let mut children = self.params(&agent.params);
        for element in &agent.elements {
            children.extend(match element {
                ElementOutline::Tool(at) => {
                    let tool = self.outline.tools.get(*at);
                    tool.and_then(|tool| self.tool(tool))
                }
                ElementOutline::Agent(at) => {
                    let inner = self.outline.agents.get(*at);
                    inner.and_then(|inner| self.agent(inner))
                }
                ElementOutline::Reference(mention) if self.with_references => {
                    self.reference(mention)
                }
                _ => None,
            });
        }
        Some(Symbol {
            name: cut(agent_name(agent)),
            detail: result_detail(agent.result.as_ref()),
            kind: SymbolKind::Agent,
            span: agent.whole,
            name_span: name_span(agent.name.as_ref(), agent.head, agent.whole),
            children,
        })
    }

    fn tool(&mut self, tool: &ToolOutline) -> Option<Symbol> {
        self.left = self.left.checked_sub(1)?;
        Some(Symbol {
            name: cut(tool_name(tool)),
            detail: result_detail(tool.result.as_ref()),
            kind: SymbolKind::Tool,
            span: tool.whole,
            name_span: name_span(tool.name.as_ref(), tool.head, tool.whole),
            children: self.params(&tool.params),
        })
    }

    fn reference(&mut self, mention: &Mention) -> Option<Symbol> {
        self.left = self.left.checked_sub(1)?;
        Some(Symbol {
            name: cut(&mention.name),
            detail: Some("reference".to_owned()),
            kind: SymbolKind::Reference,
            span: mention.span,
            name_span: mention.span,
            children: Vec::new(),
        })
    }

    fn params(&mut self, params: &[NodeOutline]) -> Vec<Symbol> {
        if !self.with_params {
            return Vec::new();
        }
        let params = &params[..params.len().min(self.left)];
        self.left -= params.len();
        params.iter().map(param_symbol).collect()
    }
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
