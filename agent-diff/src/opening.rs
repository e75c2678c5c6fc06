//! Changes that open a leak, an unbounded message, or a destructive tool without approval. Tools that say nothing of their effects
//! are left out, because a document often leaves the labels to the functions of its tools.

use super::change::{Change, DocumentPart};
use super::rule::Rule;
use agent_gram::Span;
use agent_spec::audit::audit;
use agent_spec::check::Checked;
use agent_spec::effects::audit::{AgentAudit, AuditedLeak};
use std::collections::{HashMap, HashSet};

/// The audits of the agents of a document.
struct Audits<'a> {
    agents: Vec<(Span, AgentAudit)>,
    places: HashMap<&'a str, usize>,
    /// The tools that say nothing of their effects.
    unknown: HashSet<String>,
}

impl<'a> Audits<'a> {
    fn of(checked: &'a Checked) -> Self {
        let nodes = checked.agents.iter();
        let names = nodes.clone().map(|node| node.agent.name());
        let audits = audit(&checked.agents, None);
        let unknown = audits.iter().flat_map(|audit| &audit.unknown);
        Self {
            places: names.enumerate().map(|(at, name)| (name, at)).collect(),
            unknown: unknown.cloned().collect(),
            agents: nodes.map(|node| node.name).zip(audits).collect(),
        }
    }

    fn agent(&self, name: &str) -> Option<&(Span, AgentAudit)> {
        self.agents.get(*self.places.get(name)?)
    }

    /// Returns the open leak of an agent, if each of its tools says what it does.
    fn leak<'l>(&self, audit: &'l AgentAudit) -> Option<&'l AuditedLeak> {
        let leak = audit.open_leak()?;
        let mut tools = [
            leak.private.first(),
            leak.words.first(),
            Some(&leak.way_out),
        ]
        .into_iter()
        .flatten();
        tools
            .all(|tool| !self.unknown.contains(tool))
            .then_some(leak)
    }

    /// Returns the destructive tools of an agent that say so, each with a text.
    fn destructive<'l>(
        &'l self,
        audit: &'l AgentAudit,
    ) -> impl Iterator<Item = &'l (String, String)> {
        let tools = audit.destructive.iter();
        tools.filter(|(tool, _)| !self.unknown.contains(tool))
    }
}

/// Finds what NEW opens and OLD does not have.
pub(super) fn changes(old: &Checked, new: &Checked) -> Vec<Change> {
    let (old, new) = (Audits::of(old), Audits::of(new));
    let mut found = Vec::new();
    for (span, audit) in &new.agents {
        let before = old.agent(&audit.name);
        let change = |rule, old_text: &str, new_text: String, note: &str| Change {
            agent: Some(audit.name.clone()),
            old: before.map(|(span, _)| part(old_text.to_owned(), *span)),
            new: Some(part(new_text, *span)),
            note: Some(note.to_owned()),
            ..Change::new(rule)
        };
        let had_leak = before.is_some_and(|(_, audit)| old.leak(audit).is_some());
        if let Some(leak) = new.leak(audit).filter(|_| !had_leak) {
            let way = format!(
                "{} and {} meet {}",
                leak.private.join(" → "),
                leak.words.join(" → "),
                leak.way_out
            );
            found.push(change(
                Rule::AgentLeakOpened,
                "no open leak",
                way,
                &leak.text,
            ));
        }
        // An agent that had no tools was bounded by that, and not by what it stated.
        let is_bounded =
            |audit: &AgentAudit| audit.bound.missing.is_none() && audit.bound.calls > 0;
        let had_bound = before.is_some_and(|(_, audit)| is_bounded(audit));
        if had_bound && audit.bound.missing.is_some() {
            let note = audit.unbounded.first().map_or("", String::as_str);
            let text = "an unbounded message".to_owned();
            found.push(change(
                Rule::AgentMessageUnbounded,
                "a bounded message",
                text,
                note,
            ));
        }
        let known: HashSet<&str> = before
            .into_iter()
            .flat_map(|(_, audit)| old.destructive(audit))
            .map(|(tool, _)| tool.as_str())
            .collect();
        for (tool, text) in new.destructive(audit) {
            if !known.contains(tool.as_str()) {
                let mut change = change(
                    Rule::AgentDestructiveToolOpened,
                    "no such call without approval",
                    format!("calls {tool} without approval"),
                    text,
                );
                change.tool = Some(tool.clone());
                found.push(change);
            }
        }
    }
    found
}

fn part(text: String, span: Span) -> DocumentPart {
    DocumentPart {
        text,
        span: Some(span),
    }
}
