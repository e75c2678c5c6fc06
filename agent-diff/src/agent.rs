//! Changes of agents: which tools they offer, how they are called, and what their templates need.

use super::calls::Calls;
use super::change::{Change, DocumentPart, Evidence, Verdict, Version};
use super::contracts::{Contracts, DocumentAgent, DocumentTool, ToolPair};
use super::gram_text::description_text;
use super::rename::ToolRenames;
use super::rule::Rule;
use super::tool::{approval_text, refused_at_lookup, timeout_text};
use super::{parameter, result};
use agent_gram::Span;
use agent_spec::check::ToolPlaces;
use agent_spec::instruction::variables;
use agent_spec::{Agent, Param, ToolSpec};
use std::collections::{BTreeSet, HashMap, HashSet};

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
                found.extend(call_changes(agent, other));
                found.extend(signature_changes(agent, other));
                found.extend(prompt_change(agent, other));
                found.extend(variable_changes(agent, other));
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
        let new_name = match renames.new_name(old, new, name) {
            Some(new_name) => new_name,
            // An agent that NEW lacks is reported itself.
            None if is_agent(old, name) && is_agent(new, name) => name,
            None => return None,
        };
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
        let old_name = match renames.old_name(old, new, name) {
            Some(old_name) => old_name,
            None if is_agent(old, name) && is_agent(new, name) => name,
            None => return None,
        };
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

fn is_agent(contracts: &Contracts<'_>, name: &str) -> bool {
    contracts.agent(name).is_some()
}

/// Returns the agent as a tool, which is how another agent calls it.
fn spec_of(agent: &DocumentAgent<'_>) -> Option<ToolSpec> {
    let signature = agent.agent.signature().clone();
    let description = agent.agent.description().unwrap_or("-").to_owned();
    ToolSpec::with_signature(
        agent.name.to_owned(),
        description.clone(),
        signature.clone(),
    )
    // An agent that nobody calls may have a name that no tool can have.
    .or_else(|_| ToolSpec::with_signature("agent".to_owned(), description, signature))
    .ok()
}

/// Finds the changes of an agent's signature, as those of a tool. They break no implementation, because the model is
/// asked anew.
fn signature_changes(agent: &DocumentAgent<'_>, other: &DocumentAgent<'_>) -> Vec<Change> {
    if agent.signature.is_none() && other.signature.is_none() {
        return Vec::new();
    }
    let (Some(old), Some(new)) = (spec_of(agent), spec_of(other)) else {
        return Vec::new();
    };
    let (old_places, new_places) = (places_of(agent), places_of(other));
    let pair = ToolPair {
        old: document_tool(agent, &old, old_places.as_ref()),
        new: document_tool(other, &new, new_places.as_ref()),
    };
    let calls = Calls::new(old.name(), old.signature(), new.signature(), agent.budget);
    let mut found = parameter::changes(&pair, &calls);
    found.extend(result::changes(&pair, &calls));
    found
        .into_iter()
        .map(|change| Change {
            agent: Some(agent.name.to_owned()),
            tool: None,
            implementation: Verdict::Compatible,
            ..change
        })
        .collect()
}

fn places_of(agent: &DocumentAgent<'_>) -> Option<ToolPlaces> {
    let mut places = ToolPlaces::default();
    places.signature = agent.signature?.clone();
    Some(places)
}

fn document_tool<'a>(
    agent: &DocumentAgent<'a>,
    spec: &'a ToolSpec,
    places: Option<&'a ToolPlaces>,
) -> DocumentTool<'a> {
    DocumentTool {
        spec,
        places,
        span: agent.span,
        budget: agent.budget,
    }
}

/// Finds the changes of an agent, besides its signature, on which a caller depends. No call is refused
/// because of these changes.
fn call_changes(agent: &DocumentAgent<'_>, other: &DocumentAgent<'_>) -> Vec<Change> {
    let of = |rule, text: &dyn Fn(&Agent) -> String| {
        let (old, new) = (text(agent.agent), text(other.agent));
        (old != new).then(|| Change {
            old: part(old, agent.span),
            new: part(new, other.span),
            ..change(rule, agent.name)
        })
    };
    let description = |agent: &Agent| match agent.description() {
        None => "no description".to_owned(),
        description => description_text(description),
    };
    let timeout = |agent: &Agent| timeout_text(agent.timeout());
    let approval = |agent: &Agent| approval_text(agent.requires_approval()).to_owned();
    let found = [
        of(Rule::AgentDescriptionChanged, &description),
        of(Rule::AgentTimeoutChanged, &timeout),
        of(Rule::AgentApprovalChanged, &approval),
    ];
    found.into_iter().flatten().collect()
}

fn prompt_change(agent: &DocumentAgent<'_>, other: &DocumentAgent<'_>) -> Option<Change> {
    let (old, new) = (agent.agent.prompt(), other.agent.prompt());
    let text = |prompt: Option<&str>| match prompt {
        Some(prompt) => format!("prompt {}", description_text(Some(prompt))),
        None => "no prompt".to_owned(),
    };
    (old != new).then(|| Change {
        old: part(text(old), agent.span),
        new: part(text(new), other.span),
        ..change(Rule::AgentPromptChanged, agent.name)
    })
}

/// Finds the variables that the program must fill, and those that it fills no longer.
fn variable_changes(agent: &DocumentAgent<'_>, other: &DocumentAgent<'_>) -> Vec<Change> {
    let (old, new) = (variables_of(agent.agent), variables_of(other.agent));
    let removed = old.difference(&new).map(|name| Change {
        parameter: Some((*name).to_owned()),
        old: part(format!("{{{{{name}}}}}"), agent.span),
        ..change(Rule::AgentVariableRemoved, agent.name)
    });
    let added = new.difference(&old).map(|name| {
        let reason = format!("a program for OLD gives `{name}` no value, so that each run fails");
        Change {
            parameter: Some((*name).to_owned()),
            new: part(format!("{{{{{name}}}}}"), other.span),
            implementation: Verdict::Breaking(Evidence::Missing(reason)),
            ..change(Rule::AgentVariableAdded, agent.name)
        }
    });
    removed.chain(added).collect()
}

/// Returns the variables of an agent's templates that are no parameters.
fn variables_of(agent: &Agent) -> BTreeSet<&str> {
    let is_function = agent.has_own_signature() || agent.prompt().is_some();
    let params = agent.signature().params().iter();
    let params: HashSet<&str> = params.filter(|_| is_function).map(Param::name).collect();
    let templates = [Some(agent.instruction()), agent.prompt()];
    let named = templates.into_iter().flatten().flat_map(variables);
    named.filter(|name| !params.contains(name)).collect()
}

fn removed(old: &Contracts<'_>, agent: &DocumentAgent<'_>) -> Change {
    let refusal = format!("NEW has no agent `{}`", agent.name);
    let caller = match (spec_of(agent), agent.tools.first()) {
        (Some(spec), _) => {
            refused_at_lookup(&document_tool(agent, &spec, None), Version::Old, refusal)
        }
        (None, Some((name, _))) => refused(old, name, refusal),
        (None, None) => Verdict::Breaking(Evidence::Missing(refusal)),
    };
    Change {
        old: part(all_offered(agent), agent.span),
        caller,
        ..change(Rule::AgentRemoved, agent.name)
    }
}

fn refused(old: &Contracts<'_>, tool: &str, refusal: String) -> Verdict {
    if let Some(tool) = old.tool(tool) {
        return refused_at_lookup(tool, Version::Old, refusal);
    }
    let Some((agent, spec)) = old
        .agent(tool)
        .and_then(|agent| Some((agent, spec_of(agent)?)))
    else {
        return Verdict::Compatible;
    };
    refused_at_lookup(&document_tool(agent, &spec, None), Version::Old, refusal)
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
