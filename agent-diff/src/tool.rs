//! Changes of the tools.

use super::accept::UndeclaredMembers;
use super::calls::Calls;
use super::change::{Change, DocumentPart, Evidence, Stage, Verdict, Version};
use super::contracts::{Contracts, DocumentTool, ToolPair};
use super::gram_text::{binding_refusal, description_text};
use super::inclusion::{Inclusion, member_inclusion};
use super::rename::ToolRenames;
use super::rule::Rule;
use super::{parameter, result};
use agent_spec::binding::description_matches;
use std::time::Duration;

/// Finds the changes of the tools: those of the old document in its order, then the added ones.
pub(super) fn changes(
    old: &Contracts<'_>,
    new: &Contracts<'_>,
    renames: &ToolRenames<'_>,
) -> Vec<Change> {
    let mut found = Vec::new();
    for tool in &old.tools {
        let name = tool.spec.name();
        if let Some(other) = new.tool(name) {
            let pair = ToolPair {
                old: *tool,
                new: *other,
            };
            found.extend(pair_changes(&pair));
        } else if let Some(other) = renames.renamed_from(name) {
            found.push(renamed(tool, other));
        } else {
            found.push(removed(tool));
        }
    }
    let is_added = |tool: &&DocumentTool<'_>| {
        let name = tool.spec.name();
        old.tool(name).is_none() && !renames.is_new_name(name)
    };
    found.extend(new.tools.iter().filter(is_added).map(added));
    found
}

/// Returns the verdict that a call of a tool of one document is refused by the other, which does not offer
/// the tool.
pub(super) fn refused_at_lookup(
    tool: &DocumentTool<'_>,
    accepted_by: Version,
    refusal: String,
) -> Verdict {
    let signature = tool.spec.signature();
    let calls = Calls::new(tool.spec.name(), signature, signature, tool.budget);
    calls.refused_at(Stage::Lookup, accepted_by, refusal)
}

fn lacks_implementation(tool: &DocumentTool<'_>) -> Verdict {
    let refusal = format!("a library for OLD has no tool `{}`", tool.spec.name());
    refused_at_lookup(tool, Version::New, refusal)
}

fn lacks_tool(tool: &DocumentTool<'_>) -> Verdict {
    let refusal = format!("NEW has no tool `{}`", tool.spec.name());
    refused_at_lookup(tool, Version::Old, refusal)
}

fn removed(tool: &DocumentTool<'_>) -> Change {
    Change {
        old: tool.part(),
        caller: lacks_tool(tool),
        ..tool.change(Rule::ToolRemoved)
    }
}

fn added(tool: &DocumentTool<'_>) -> Change {
    Change {
        new: tool.part(),
        implementation: lacks_implementation(tool),
        ..tool.change(Rule::ToolAdded)
    }
}

fn renamed(old: &DocumentTool<'_>, new: &DocumentTool<'_>) -> Change {
    Change {
        old: old.part(),
        new: new.part(),
        implementation: lacks_implementation(new),
        caller: lacks_tool(old),
        renamed_to: Some(new.spec.name().to_owned()),
        ..old.change(Rule::ToolRenamed)
    }
}

fn pair_changes(pair: &ToolPair<'_>) -> Vec<Change> {
    let (old, new) = (pair.old.spec.signature(), pair.new.spec.signature());
    let calls = Calls::new(pair.name(), old, new, pair.old.budget);
    let mut found = Vec::new();
    found.extend(description_change(pair, &calls));
    found.extend(setting_changes(pair));
    found.extend(parameter::changes(pair, &calls));
    found.extend(result::changes(pair, &calls));
    if !found.is_empty() {
        found.extend(contract_change(pair, &found, &calls));
    }
    found
}

fn description_change(pair: &ToolPair<'_>, calls: &Calls<'_>) -> Option<Change> {
    let (old, new) = (pair.old.spec.description(), pair.new.spec.description());
    if description_matches(old, new) {
        return None;
    }
    let refusal = format!(
        "tool `{}`: the description differs from the function's; the function must take it over, \
         or the library be bound by names alone",
        pair.name()
    );
    let part = |tool: &DocumentTool<'_>| DocumentPart {
        text: description_text(Some(tool.spec.description())),
        span: tool.places.map(|places| places.description),
    };
    Some(Change {
        old: Some(part(&pair.old)),
        new: Some(part(&pair.new)),
        implementation: calls.refused_by_binding(refusal),
        ..pair.change(Rule::ToolDescriptionChanged)
    })
}

fn setting_changes(pair: &ToolPair<'_>) -> Vec<Change> {
    let (old, new) = (pair.old.spec, pair.new.spec);
    let change = |rule, old: String, new: String| Change {
        old: Some(DocumentPart {
            text: old,
            span: Some(pair.old.span),
        }),
        new: Some(DocumentPart {
            text: new,
            span: Some(pair.new.span),
        }),
        ..pair.change(rule)
    };
    let mut found = Vec::new();
    if old.timeout() != new.timeout() {
        let (old, new) = (timeout_text(old.timeout()), timeout_text(new.timeout()));
        found.push(change(Rule::ToolTimeoutChanged, old, new));
    }
    if old.requires_approval() != new.requires_approval() {
        let (old, new) = (
            approval_text(old.requires_approval()),
            approval_text(new.requires_approval()),
        );
        found.push(change(Rule::ToolApprovalChanged, old.into(), new.into()));
    }
    if old.effects() != new.effects() {
        let (old, new) = (old.effects().to_string(), new.effects().to_string());
        found.push(change(Rule::ToolEffectsChanged, old, new));
    }
    found
}

/// Compares the tool as a whole, so that its changes together are never kinder than the binding rule, nor
/// than a comparison of all parameters at once. Returns a change if the whole breaks a side that none of
/// the single changes breaks.
fn contract_change(pair: &ToolPair<'_>, changes: &[Change], calls: &Calls<'_>) -> Option<Change> {
    let (old, new) = (pair.old.spec, pair.new.spec);
    let is_broken =
        |side: fn(&Change) -> &Verdict| changes.iter().any(|change| side(change).is_breaking());
    let mut whole = Change {
        old: pair.old.part(),
        new: pair.new.part(),
        ..pair.change(Rule::ToolContractChanged)
    };
    if !is_broken(|change| &change.implementation) {
        let spec = (new.description(), new.signature());
        let tool = (old.description(), old.signature());
        if let Some(refusal) = binding_refusal(pair.name(), spec, tool) {
            whole.implementation = calls.refused_by_binding(refusal);
        }
    }
    if !is_broken(|change| &change.caller) {
        let (of, to) = (old.signature().params(), new.signature().params());
        let inclusion = member_inclusion(of, to, UndeclaredMembers::Refused);
        if inclusion != Inclusion::Included {
            let reason = calls.missing_reason(Version::Old);
            whole.caller = Verdict::Breaking(Evidence::Missing(reason));
        }
    }
    let is_any = whole.implementation.is_breaking() || whole.caller.is_breaking();
    is_any.then_some(whole)
}

pub(super) fn timeout_text(limit: Option<Duration>) -> String {
    match limit {
        Some(limit) => format!("timeout {limit:?}"),
        None => "no timeout".to_owned(),
    }
}

pub(super) fn approval_text(required: bool) -> &'static str {
    if required {
        "a person approves every call"
    } else {
        "no approval"
    }
}
