//! Changes of which agent offers which tools.

use super::change::{Change, DocumentPart, Verdict, Version};
use super::contracts::{Contracts, DocumentAgent};
use super::rename::ToolRenames;
use super::rule::Rule;
use super::tool::refused_at_lookup;
use agent_gram::Span;
use std::collections::{HashMap, HashSet};

/// Finds the changes of agents. Tools that only one of the documents has are reported with the tools.
pub(super) fn changes(
    old: &Contracts<'_>,
    new: &Contracts<'_>,
    renames: &ToolRenames<'_>,
) -> Vec<Change> {
    let olds: HashSet<&str> = old.agents.iter().map(|agent| agent.name).collect();
    let news: HashMap<&str, &DocumentAgent<'_>> =
        new.agents.iter().map(|agent| (agent.name, agent)).collect();
    let mut found = Vec::new();
    for agent in &old.agents {
        match news.get(agent.name) {
            Some(other) => {
                found.extend(removed_tools((old, agent), (new, other), renames));
                found.extend(added_tools((old, agent), (new, other), renames));
            }
            None => found.push(removed(old, agent)),
        }
    }
    let added = new.agents.iter().filter(|agent| !olds.contains(agent.name));
    found.extend(added.map(|agent| Change {
        new: part(all_offered(agent), agent.span),
        ..change(Rule::AgentAdded, agent.name)
    }));
    found
}

fn removed_tools(
    (old, agent): (&Contracts<'_>, &DocumentAgent<'_>),
    (new, other): (&Contracts<'_>, &DocumentAgent<'_>),
    renames: &ToolRenames<'_>,
) -> Vec<Change> {
    let after = tool_names(other);
    let removed = agent.tools.iter().filter_map(|(name, span)| {
        let new_name = renames.new_name(old, new, name)?;
        if after.contains(new_name) {
            return None;
        }
        let refusal = format!(
            "the agent `{}` of NEW does not offer `{new_name}`",
            agent.name
        );
        Some(Change {
            tool: Some((*name).to_owned()),
            old: part(offered(name), *span),
            caller: refused(old, name, refusal),
            ..change(Rule::AgentToolRemoved, agent.name)
        })
    });
    removed.collect()
}

fn added_tools(
    (old, agent): (&Contracts<'_>, &DocumentAgent<'_>),
    (new, other): (&Contracts<'_>, &DocumentAgent<'_>),
    renames: &ToolRenames<'_>,
) -> Vec<Change> {
    let before = tool_names(agent);
    let added = other.tools.iter().filter_map(|(name, span)| {
        let old_name = renames.old_name(old, new, name)?;
        if before.contains(old_name) {
            return None;
        }
        Some(Change {
            tool: Some(old_name.to_owned()),
            new: part(offered(name), *span),
            ..change(Rule::AgentToolAdded, agent.name)
        })
    });
    added.collect()
}

fn tool_names<'a>(agent: &DocumentAgent<'a>) -> HashSet<&'a str> {
    agent.tools.iter().map(|(name, _)| *name).collect()
}

fn removed(old: &Contracts<'_>, agent: &DocumentAgent<'_>) -> Change {
    let caller = match agent.tools.first() {
        Some((name, _)) => {
            let refusal = format!("NEW has no agent `{}`", agent.name);
            refused(old, name, refusal)
        }
        // An agent without tools takes no calls.
        None => Verdict::Compatible,
    };
    Change {
        old: part(all_offered(agent), agent.span),
        caller,
        ..change(Rule::AgentRemoved, agent.name)
    }
}

fn refused(old: &Contracts<'_>, tool: &str, refusal: String) -> Verdict {
    match old.tool(tool) {
        Some(tool) => refused_at_lookup(tool, Version::Old, refusal),
        None => Verdict::Compatible,
    }
}

fn offered(tool: &str) -> String {
    format!("offers {tool}")
}

fn all_offered(agent: &DocumentAgent<'_>) -> String {
    let names: Vec<&str> = agent.tools.iter().map(|(name, _)| *name).collect();
    if names.is_empty() {
        "offers no tools".to_owned()
    } else {
        format!("offers {}", names.join(", "))
    }
}

fn part(text: String, span: Span) -> Option<DocumentPart> {
    let span = Some(span);
    Some(DocumentPart { text, span })
}

fn change(rule: Rule, agent: &str) -> Change {
    Change {
        agent: Some(agent.to_owned()),
        ..Change::new(rule)
    }
}
