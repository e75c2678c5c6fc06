//! `agent graph`: prints the agents and tools of a document, and who may call whom, as a diagram.

use crate::document::{ToolFiles, tools_of};
use crate::outcome::{CommandError, Outcome};
use crate::output::document_to_stdout;
use crate::style::Style;
use agent_spec::check::{AgentElement, Checked};
use agent_spec::terminal::controls_terminal;
use clap::ValueEnum;
use std::collections::HashMap;
use std::fmt::Write as _;
use std::path::PathBuf;

const LONG_ABOUT: &str = "\
Print a diagram of the agents and tools of a document, and who may call whom

Agents are boxes, tools are rounded, and an arrow leads from an agent to each agent and tool that it may call. An
arrow with the text `approval` leads to one whose calls a person must approve.

GitHub, GitLab and many editors show the format mermaid in Markdown, in a block of the language `mermaid`. The
programs of Graphviz read the format dot.";

const AFTER_HELP: &str = "\
Examples:
  agent graph agents/support.gram
  agent graph agents/support.gram --format dot | dot -Tsvg > support.svg";

/// Print a diagram of the agents and tools of a document, and who may call whom
#[derive(Debug, clap::Args)]
#[command(long_about = LONG_ABOUT, after_help = AFTER_HELP)]
pub(crate) struct Args {
    /// The document; `-` is standard input
    file: PathBuf,
    /// The format of the diagram
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    #[command(flatten)]
    tools: ToolFiles,
}

/// The format of a diagram.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Format {
    /// Mermaid, for Markdown
    #[default]
    Mermaid,
    /// DOT, for Graphviz
    Dot,
}

/// Prints the diagram of a document.
pub(crate) fn graph(args: Args, style: &Style) -> Result<Outcome, CommandError> {
    let Some((_, checked)) = args.tools.read_document(&args.file, style)? else {
        return Ok(Outcome::Failed);
    };
    let graph = Graph::of(&checked);
    document_to_stdout(&match args.format {
        Format::Mermaid => graph.mermaid(),
        Format::Dot => graph.dot(),
    })?;
    Ok(Outcome::Fine)
}

/// The agents and tools of a document, and the calls between them.
struct Graph<'a> {
    nodes: Vec<Node<'a>>,
    calls: Vec<CallEdge>,
}

struct Node<'a> {
    name: &'a str,
    is_agent: bool,
}

/// An agent, and an agent or tool that it may call, by their indexes among the nodes.
struct CallEdge {
    from: usize,
    to: usize,
    requires_approval: bool,
}

impl<'a> Graph<'a> {
    fn of(checked: &'a Checked) -> Self {
        let agents = checked.agents.iter().map(|node| Node {
            name: node.agent.name(),
            is_agent: true,
        });
        let tools = tools_of(checked).into_iter().map(|tool| Node {
            name: tool.name(),
            is_agent: false,
        });
        let nodes: Vec<Node<'_>> = agents.chain(tools).collect();
        let mut places = HashMap::new();
        for (place, node) in nodes.iter().enumerate() {
            places.insert((node.is_agent, node.name), place);
        }
        let mut calls = Vec::new();
        for (from, node) in checked.agents.iter().enumerate() {
            for element in &node.elements {
                let (key, requires_approval) = match element {
                    AgentElement::Tool { tool, .. } => {
                        ((false, tool.spec.name()), tool.spec.requires_approval())
                    }
                    AgentElement::Agent { name, .. } => ((true, name.as_str()), false),
                    // A document with a name that nothing defines has errors.
                    _ => continue,
                };
                let Some(&to) = places.get(&key) else {
                    continue;
                };
                let called = checked.agents.get(to).filter(|_| key.0);
                let asks = called.is_some_and(|called| called.agent.requires_approval());
                calls.push(CallEdge {
                    from,
                    to,
                    requires_approval: requires_approval || asks,
                });
            }
        }
        Self { nodes, calls }
    }

    fn mermaid(&self) -> String {
        let mut out = "flowchart LR\n".to_owned();
        for (place, node) in self.nodes.iter().enumerate() {
            let name = mermaid_text(node.name);
            let _ = match node.is_agent {
                true => writeln!(out, "  n{place}[\"{name}\"]"),
                false => writeln!(out, "  n{place}([\"{name}\"])"),
            };
        }
        for call in &self.calls {
            let text = match call.requires_approval {
                true => "|approval|",
                false => "",
            };
            let _ = writeln!(out, "  n{} -->{text} n{}", call.from, call.to);
        }
        out
    }

    fn dot(&self) -> String {
        let mut out = "digraph agents {\n  rankdir=LR;\n".to_owned();
        for (place, node) in self.nodes.iter().enumerate() {
            let name = dot_text(node.name);
            let style = match node.is_agent {
                true => "",
                false => ", style=rounded",
            };
            let _ = writeln!(out, "  n{place} [label=\"{name}\", shape=box{style}];");
        }
        for call in &self.calls {
            let text = match call.requires_approval {
                true => " [label=\"approval\"]",
                false => "",
            };
            let _ = writeln!(out, "  n{} -> n{}{text};", call.from, call.to);
        }
        out.push_str("}\n");
        out
    }
}

/// Whether a character would break the line or show a name as another one.
fn is_hidden(c: char) -> bool {
    c.is_control() || controls_terminal(c)
}

/// Escapes a name for a text in quotes: characters that mean something in Mermaid or HTML become their numbers.
fn mermaid_text(name: &str) -> String {
    let mut out = String::new();
    for c in name.chars() {
        if is_hidden(c) {
            out.push(' ');
        } else if c.is_ascii_punctuation() && !"_-.,:/".contains(c) {
            let _ = write!(out, "#{};", u32::from(c));
        } else {
            out.push(c);
        }
    }
    out
}

/// Escapes a name for a text in quotes.
fn dot_text(name: &str) -> String {
    let mut out = String::new();
    for c in name.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            // Graphviz reads entities of HTML in each text.
            '&' => out.push_str("&amp;"),
            c if is_hidden(c) => out.push(' '),
            c => out.push(c),
        }
    }
    out
}
