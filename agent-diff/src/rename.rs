//! Tools and parameters that were renamed: removed under one name and added under another.

use super::contracts::{Contracts, DocumentTool};
use super::gram_text::parameter_text;
use agent_spec::Param;
use agent_spec::names::nearness;
use std::collections::{HashMap, HashSet};

/// The tools that have another name and are otherwise the same.
pub(super) struct ToolRenames<'a> {
    /// The new tools by their old names.
    to: HashMap<&'a str, DocumentTool<'a>>,
    /// The old names by the new names.
    from: HashMap<&'a str, &'a str>,
}

impl<'a> ToolRenames<'a> {
    /// Finds the renamed tools of two documents: those with the same description and signature. If several
    /// tools match, they are paired in the order of the documents.
    pub(super) fn of(old: &Contracts<'a>, new: &Contracts<'a>) -> Self {
        let meaning = |tool: &DocumentTool<'_>| {
            // Descriptions are compared word by word, because line breaks in them do not matter.
            let words: Vec<&str> = tool.spec.description().split_whitespace().collect();
            (words.join(" "), tool.spec.signature().to_string())
        };
        let mut added: HashMap<_, Vec<DocumentTool<'a>>> = HashMap::new();
        // The tools are added from the last to the first, so that `pop` returns the first.
        for tool in new.tools.iter().rev() {
            if old.tool(tool.spec.name()).is_none() {
                added.entry(meaning(tool)).or_default().push(*tool);
            }
        }
        let mut to = HashMap::new();
        for tool in &old.tools {
            if new.tool(tool.spec.name()).is_none()
                && let Some(other) = added.get_mut(&meaning(tool)).and_then(Vec::pop)
            {
                to.insert(tool.spec.name(), other);
            }
        }
        let from = to
            .iter()
            .map(|(name, tool)| (tool.spec.name(), *name))
            .collect();
        Self { to, from }
    }

    /// Returns the new tool that was renamed from an old name.
    pub(super) fn renamed_from(&self, old_name: &str) -> Option<&DocumentTool<'a>> {
        self.to.get(old_name)
    }

    /// Whether a new name is that of a renamed tool.
    pub(super) fn is_new_name(&self, name: &str) -> bool {
        self.from.contains_key(name)
    }

    /// Returns the new name of a tool that both documents have.
    pub(super) fn new_name<'n>(
        &'n self,
        old: &Contracts<'_>,
        new: &Contracts<'_>,
        name: &'n str,
    ) -> Option<&'n str> {
        let is_kept = old.tool(name).is_some() && new.tool(name).is_some();
        let renamed = || self.to.get(name).map(|tool| tool.spec.name());
        is_kept.then_some(name).or_else(renamed)
    }

    /// Returns the old name of a tool that both documents have.
    pub(super) fn old_name<'n>(
        &'n self,
        old: &Contracts<'_>,
        new: &Contracts<'_>,
        name: &'n str,
    ) -> Option<&'n str> {
        let is_kept = old.tool(name).is_some() && new.tool(name).is_some();
        let renamed = || self.from.get(name).copied();
        is_kept.then_some(name).or_else(renamed)
    }
}

/// The maximum number of pairs of parameters whose names are compared. Beyond the limit, parameters are paired in their
/// order. An MCP server can rename ten thousands of parameters, and `agent mcp check` would take minutes for each tool.
const MAX_COMPARED_PAIRS: usize = 10_000;

/// The parameters that have another name and are otherwise the same.
#[derive(Default)]
pub(super) struct ParameterRenames<'a> {
    /// The new parameters by their old names.
    pub(super) to: HashMap<&'a str, &'a Param>,
    /// The old parameters by their new names.
    pub(super) from: HashMap<&'a str, &'a Param>,
}

impl<'a> ParameterRenames<'a> {
    /// Pairs each removed parameter with the added parameter that replaces it: of the same type and
    /// default, and with the same description or a near name. If several added parameters match, the
    /// parameter with the same description is chosen, then the parameter with the nearest name, then the
    /// first.
    pub(super) fn of(removed: &[&'a Param], added: &[&'a Param]) -> Self {
        let mut groups: HashMap<String, (Vec<&'a Param>, Vec<&'a Param>)> = HashMap::new();
        for param in removed {
            groups.entry(meaning(param)).or_default().0.push(param);
        }
        for param in added {
            if let Some(group) = groups.get_mut(&meaning(param)) {
                group.1.push(param);
            }
        }
        let mut renames = Self::default();
        for (from, to) in groups.into_values() {
            for (old, new) in pairs(&from, &to) {
                renames.to.insert(old.name(), new);
                renames.from.insert(new.name(), old);
            }
        }
        renames
    }
}

/// Pairs parameters that have the same meaning.
fn pairs<'a>(from: &[&'a Param], to: &[&'a Param]) -> Vec<(&'a Param, &'a Param)> {
    if from.len() * to.len() > MAX_COMPARED_PAIRS {
        let pairs = from.iter().copied().zip(to.iter().copied());
        return pairs
            .filter(|(old, new)| rename_rank(old, new).is_some())
            .collect();
    }
    let mut ranked = Vec::new();
    for (old_at, old) in from.iter().enumerate() {
        for (new_at, new) in to.iter().enumerate() {
            if let Some(rank) = rename_rank(old, new) {
                ranked.push((rank, old_at, new_at));
            }
        }
    }
    ranked.sort_unstable();
    let (mut old_taken, mut new_taken) = (HashSet::new(), HashSet::new());
    let mut pairs = Vec::new();
    for (_, old_at, new_at) in ranked {
        if !old_taken.contains(&old_at) && !new_taken.contains(&new_at) {
            old_taken.insert(old_at);
            new_taken.insert(new_at);
            pairs.push((from[old_at], to[new_at]));
        }
    }
    pairs
}

/// Ranks a pair of parameters with the same meaning, the likeliest rename lowest. `None` if neither the
/// descriptions nor the names are alike: an equal type alone is no rename, because many parameters are
/// texts.
fn rename_rank(old: &Param, new: &Param) -> Option<(bool, usize)> {
    let is_described = old.description().is_some() && old.description() == new.description();
    let distance = nearness(old.name(), new.name());
    (is_described || distance.is_some()).then(|| (!is_described, distance.unwrap_or(usize::MAX)))
}

/// Writes the type and default of a parameter, without its name and description.
fn meaning(param: &Param) -> String {
    let bare = Param::new("p", param.ty().clone());
    parameter_text(&match param.default() {
        Some(default) => bare.with_default(default.clone()),
        None => bare,
    })
}
