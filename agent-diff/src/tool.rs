//! What changed in the tools.

use super::calls::Calls;
use super::change::{Change, Evidence, Stage, Verdict, Version};
use super::contracts::{Contracts, Declared};
use super::gram_text::{description, refusal_of_rule, stated};
use super::inclusion::{Extra, Members, members};
use super::rule::Rule;
use super::{parameter, result};
use agent_spec::binding::description_matches;
use agent_spec::write::signature_text;
use std::collections::HashMap;
use std::time::Duration;

/// A tool of both documents.
pub(super) struct Pair<'a> {
    pub(super) old: Declared<'a>,
    pub(super) new: Declared<'a>,
}

/// The changes of the tools: of those that the older document has, in its order, then those that were
/// added.
pub(super) fn changes(
    old: &Contracts<'_>,
    new: &Contracts<'_>,
    renames: &Renames<'_>,
) -> Vec<Change> {
    let mut found = Vec::new();
    for tool in &old.tools {
        let name = tool.spec.name();
        if let Some(other) = new.tool(name) {
            let pair = Pair {
                old: *tool,
                new: *other,
            };
            pair.changes(&mut found);
        } else if let Some(other) = renames.to.get(name) {
            found.push(rename(tool, other));
        } else {
            found.push(remove(tool));
        }
    }
    let added = new.tools.iter().filter(|tool| {
        let name = tool.spec.name();
        old.tool(name).is_none() && !renames.from.contains_key(name)
    });
    found.extend(added.map(add));
    found
}

/// Tools that have another name and are the same for the rest.
pub(super) struct Renames<'a> {
    /// By the older name, the newer tool.
    to: HashMap<&'a str, Declared<'a>>,
    /// By the newer name, the older one.
    from: HashMap<&'a str, &'a str>,
}

impl<'a> Renames<'a> {
    /// The renames between two documents.
    pub(super) fn of(old: &Contracts<'a>, new: &Contracts<'a>) -> Self {
        let to = renamed(old, new);
        let from = to
            .iter()
            .map(|(name, tool)| (tool.spec.name(), *name))
            .collect();
        Self { to, from }
    }

    /// What NEW calls a tool of OLD, if it has it.
    pub(super) fn newer<'n>(
        &'n self,
        old: &Contracts<'_>,
        new: &Contracts<'_>,
        name: &'n str,
    ) -> Option<&'n str> {
        let is_kept = old.tool(name).is_some() && new.tool(name).is_some();
        let renamed = || self.to.get(name).map(|tool| tool.spec.name());
        is_kept.then_some(name).or_else(renamed)
    }

    /// What OLD calls a tool of NEW, if it has it.
    pub(super) fn older<'n>(
        &'n self,
        old: &Contracts<'_>,
        new: &Contracts<'_>,
        name: &'n str,
    ) -> Option<&'n str> {
        let is_kept = old.tool(name).is_some() && new.tool(name).is_some();
        is_kept
            .then_some(name)
            .or_else(|| self.from.get(name).copied())
    }
}

/// By the older name, tools that have another name and are the same for the rest.
fn renamed<'a>(old: &Contracts<'a>, new: &Contracts<'a>) -> HashMap<&'a str, Declared<'a>> {
    let meaning = |tool: &Declared<'_>| {
        // Single line breaks count as blanks, and where they stand makes no other tool.
        let words: Vec<&str> = tool.spec.description().split_whitespace().collect();
        (words.join(" "), signature_text(tool.spec.signature()))
    };
    let mut added: HashMap<_, Vec<Declared<'a>>> = HashMap::new();
    // From the last to the first, so that the first is taken first.
    for tool in new.tools.iter().rev() {
        if old.tool(tool.spec.name()).is_none() {
            added.entry(meaning(tool)).or_default().push(*tool);
        }
    }
    let removed = old
        .tools
        .iter()
        .filter(|tool| new.tool(tool.spec.name()).is_none());
    removed
        .filter_map(|tool| {
            let other = added.get_mut(&meaning(tool))?.pop()?;
            Some((tool.spec.name(), other))
        })
        .collect()
}

fn whole(tool: &Declared<'_>) -> Option<super::change::DocumentPart> {
    let text = format!(
        "{} {}",
        tool.spec.name(),
        signature_text(tool.spec.signature())
    );
    stated(text, Some(tool.span))
}

fn blank(rule: Rule, tool: &Declared<'_>) -> Change {
    Change {
        tool: Some(tool.spec.name().to_owned()),
        ..Change::new(rule)
    }
}

/// That a call of a tool of one document is refused by the other, which has none of the name.
pub(super) fn unknown(tool: &Declared<'_>, by: Version, refusal: String) -> Verdict {
    let signature = tool.spec.signature();
    Calls::new(tool.spec.name(), signature, signature).refused_at(Stage::Lookup, by, refusal)
}

fn lacks_implementation(tool: &Declared<'_>) -> Verdict {
    let refusal = format!("a library for OLD has no tool `{}`", tool.spec.name());
    unknown(tool, Version::New, refusal)
}

fn lacks_tool(tool: &Declared<'_>) -> Verdict {
    let refusal = format!("NEW has no tool `{}`", tool.spec.name());
    unknown(tool, Version::Old, refusal)
}

fn remove(tool: &Declared<'_>) -> Change {
    Change {
        old: whole(tool),
        caller: lacks_tool(tool),
        ..blank(Rule::ToolRemoved, tool)
    }
}

fn add(tool: &Declared<'_>) -> Change {
    Change {
        new: whole(tool),
        implementation: lacks_implementation(tool),
        ..blank(Rule::ToolAdded, tool)
    }
}

fn rename(old: &Declared<'_>, new: &Declared<'_>) -> Change {
    Change {
        old: whole(old),
        new: whole(new),
        implementation: lacks_implementation(new),
        caller: lacks_tool(old),
        renamed_to: Some(new.spec.name().to_owned()),
        ..blank(Rule::ToolRenamed, old)
    }
}

impl Pair<'_> {
    /// The name of the tool.
    pub(super) fn name(&self) -> &str {
        self.old.spec.name()
    }

    /// A change that breaks nobody yet.
    pub(super) fn change(&self, rule: Rule) -> Change {
        blank(rule, &self.old)
    }

    fn changes(&self, found: &mut Vec<Change>) {
        let (old, new) = (self.old.spec, self.new.spec);
        let calls = Calls::new(self.name(), old.signature(), new.signature());
        let before = found.len();
        found.extend(self.described(&calls));
        found.extend(self.settings());
        found.extend(parameter::changes(self, &calls));
        found.extend(result::changes(self, &calls));
        let own = &found[before..];
        if !own.is_empty() {
            let whole = self.sum(own, &calls);
            found.extend(whole);
        }
    }

    fn described(&self, calls: &Calls<'_>) -> Option<Change> {
        let (old, new) = (self.old.spec.description(), self.new.spec.description());
        if description_matches(old, new) {
            return None;
        }
        let refusal = format!(
            "tool `{}`: the description differs from the function's; the function must take it over, \
             or the library be bound by names alone",
            self.name()
        );
        Some(Change {
            old: stated(
                description(Some(old)),
                self.old.places.map(|places| places.description),
            ),
            new: stated(
                description(Some(new)),
                self.new.places.map(|places| places.description),
            ),
            implementation: calls.refused_by_rule(refusal),
            ..self.change(Rule::ToolDescriptionChanged)
        })
    }

    fn settings(&self) -> Vec<Change> {
        let (old, new) = (self.old.spec, self.new.spec);
        let mut found = Vec::new();
        if old.timeout() != new.timeout() {
            found.push(Change {
                old: stated(timeout(old.timeout()), Some(self.old.span)),
                new: stated(timeout(new.timeout()), Some(self.new.span)),
                ..self.change(Rule::ToolTimeoutChanged)
            });
        }
        if old.requires_approval() != new.requires_approval() {
            found.push(Change {
                old: stated(approval(old.requires_approval()), Some(self.old.span)),
                new: stated(approval(new.requires_approval()), Some(self.new.span)),
                ..self.change(Rule::ToolApprovalChanged)
            });
        }
        found
    }

    /// What is true of the tool as a whole and of none of its changes: the sum of the verdicts is never
    /// kinder than the binding rule, nor than a comparison of all parameters at once.
    fn sum(&self, changes: &[Change], calls: &Calls<'_>) -> Option<Change> {
        let (old, new) = (self.old.spec, self.new.spec);
        let breaks =
            |side: fn(&Change) -> &Verdict| changes.iter().any(|change| side(change).is_breaking());
        let mut whole = Change {
            old: whole(&self.old),
            new: whole(&self.new),
            ..self.change(Rule::ToolContractChanged)
        };
        if !breaks(|change| &change.implementation) {
            let spec = (new.description(), new.signature());
            let tool = (old.description(), old.signature());
            if let Some(rule) = refusal_of_rule(self.name(), spec, tool) {
                whole.implementation = calls.refused_by_rule(rule);
            }
        }
        if !breaks(|change| &change.caller) {
            let (of, to) = (old.signature().params(), new.signature().params());
            if !matches!(members(of, to, Extra::Refused), Members::Fit) {
                let reason = calls.unproven(Version::Old);
                whole.caller = Verdict::Breaking(Evidence::Missing(reason));
            }
        }
        let is_any = whole.implementation.is_breaking() || whole.caller.is_breaking();
        is_any.then_some(whole)
    }
}

fn timeout(limit: Option<Duration>) -> String {
    match limit {
        Some(limit) => format!("timeout {limit:?}"),
        None => "no timeout".to_owned(),
    }
}

fn approval(required: bool) -> &'static str {
    if required {
        "a person approves every call"
    } else {
        "no approval"
    }
}
