//! Names of tools among the elements of an agent.

use super::{Proposal, ProposalKind};
use crate::language::markdown::plain;
use agent_gram::Span;
use agent_spec::ToolSpec;
use agent_spec::check::Outline;
use agent_spec::check::outline::{AgentOutline, ElementOutline};
use std::collections::HashSet;

/// The tools that the agent with this element can name: those of the document, then the known ones,
/// without those that it has.
pub(super) fn proposals(outline: &Outline, element: Span, known: &[ToolSpec]) -> Vec<Proposal> {
    let mut taken: HashSet<&str> = outline
        .agents
        .iter()
        .find(|agent| has_element(agent, element))
        .into_iter()
        .flat_map(|agent| names(agent, outline, Some(element)))
        .collect();
    let mut proposals = Vec::new();
    let own = outline.tools.iter().filter_map(|tool| tool.name.as_ref());
    for mention in own {
        if taken.insert(&mention.name) {
            proposals.push(proposal(&mention.name, "tool of this document", None));
        }
    }
    for spec in known {
        if taken.insert(spec.name()) {
            let meaning = plain(spec.description());
            proposals.push(proposal(
                spec.name(),
                &spec.signature().to_string(),
                Some(meaning),
            ));
        }
    }
    proposals
}

fn proposal(name: &str, detail: &str, meaning: Option<String>) -> Proposal {
    Proposal {
        label: name.to_owned(),
        kind: ProposalKind::Tool,
        detail: Some(detail.to_owned()),
        meaning,
        insert: name.to_owned(),
        behind: 0,
    }
}

fn has_element(agent: &AgentOutline, element: Span) -> bool {
    agent.elements.iter().any(|own| match own {
        ElementOutline::Reference(mention) => mention.span == element,
        _ => false,
    })
}

/// The names of the tools of an agent, but for the element here.
pub(super) fn names<'a>(
    agent: &'a AgentOutline,
    outline: &'a Outline,
    except: Option<Span>,
) -> impl Iterator<Item = &'a str> {
    agent.elements.iter().filter_map(move |element| {
        let mention = match element {
            ElementOutline::Tool(at) => outline.tools.get(*at)?.name.as_ref()?,
            ElementOutline::Reference(mention) => mention,
            _ => return None,
        };
        (Some(mention.span) != except).then_some(mention.name.as_str())
    })
}
