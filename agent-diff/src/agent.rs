//! What changed in which agent offers which tools.

use super::change::{Change, Verdict, Version};
use super::contracts::{Contracts, Offer};
use super::gram_text::stated;
use super::rule::Rule;
use super::tool::{Renames, unknown};
use agent_gram::Span;
use std::collections::{HashMap, HashSet};

/// The changes of what agents offer. A tool that one of the documents does not have was told already.
pub(super) fn changes(
    old: &Contracts<'_>,
    new: &Contracts<'_>,
    renames: &Renames<'_>,
) -> Vec<Change> {
    let olds: HashSet<&str> = old.agents.iter().map(|agent| agent.name).collect();
    let news: HashMap<&str, &Offer<'_>> =
        new.agents.iter().map(|agent| (agent.name, agent)).collect();
    let mut found = Vec::new();
    for agent in &old.agents {
        match news.get(agent.name) {
            Some(other) => of_offers((old, agent), (new, other), renames, &mut found),
            None => found.push(remove(old, agent)),
        }
    }
    let added = new.agents.iter().filter(|agent| !olds.contains(agent.name));
    found.extend(added.map(|agent| Change {
        new: stated(offered(agent), Some(agent.span)),
        ..blank(Rule::AgentAdded, agent.name)
    }));
    found
}

fn of_offers(
    (old, agent): (&Contracts<'_>, &Offer<'_>),
    (new, other): (&Contracts<'_>, &Offer<'_>),
    renames: &Renames<'_>,
    found: &mut Vec<Change>,
) {
    let names = |offer: &Offer<'_>| -> HashSet<String> {
        offer
            .tools
            .iter()
            .map(|(name, _)| (*name).to_owned())
            .collect()
    };
    let (before, after) = (names(agent), names(other));
    for (name, span) in &agent.tools {
        if let Some(newer) = renames.newer(old, new, name)
            && !after.contains(newer)
        {
            let refusal = format!("the agent `{}` of NEW does not offer `{newer}`", agent.name);
            found.push(Change {
                tool: Some((*name).to_owned()),
                old: stated(offers(name), Some(*span)),
                caller: refused(old, name, refusal),
                ..blank(Rule::AgentToolRemoved, agent.name)
            });
        }
    }
    for (name, span) in &other.tools {
        if let Some(older) = renames.older(old, new, name)
            && !before.contains(older)
        {
            found.push(Change {
                tool: Some(older.to_owned()),
                new: stated(offers(name), Some(*span)),
                ..blank(Rule::AgentToolAdded, agent.name)
            });
        }
    }
}

fn remove(old: &Contracts<'_>, agent: &Offer<'_>) -> Change {
    let caller = match agent.tools.first() {
        Some((name, _)) => {
            let refusal = format!("NEW has no agent `{}`", agent.name);
            refused(old, name, refusal)
        }
        // Nobody can call what it does not have.
        None => Verdict::Compatible,
    };
    Change {
        old: stated(offered(agent), Some(agent.span)),
        caller,
        ..blank(Rule::AgentRemoved, agent.name)
    }
}

fn refused(old: &Contracts<'_>, tool: &str, refusal: String) -> Verdict {
    match old.tool(tool) {
        Some(tool) => unknown(tool, Version::Old, refusal),
        None => Verdict::Compatible,
    }
}

fn offers(tool: &str) -> String {
    format!("offers {tool}")
}

fn offered(agent: &Offer<'_>) -> String {
    let names: Vec<&str> = agent
        .tools
        .iter()
        .map(|(name, _): &(&str, Span)| *name)
        .collect();
    if names.is_empty() {
        "offers no tools".to_owned()
    } else {
        format!("offers {}", names.join(", "))
    }
}

fn blank(rule: Rule, agent: &str) -> Change {
    Change {
        agent: Some(agent.to_owned()),
        ..Change::new(rule)
    }
}
