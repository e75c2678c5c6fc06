//! Which parameter has only another name.

use super::gram_text::parameter;
use agent_spec::Param;
use agent_spec::names::nearness;
use std::collections::{HashMap, HashSet};

/// How many pairs of names are compared to tell which is which.
const MOST_COMPARED: usize = 10_000;

/// Parameters that have another name and are the same for the rest.
#[derive(Default)]
pub(super) struct Renamed<'a> {
    /// By the older name, the newer parameter.
    pub(super) to: HashMap<&'a str, &'a Param>,
    /// By the newer name, the older parameter.
    pub(super) from: HashMap<&'a str, &'a Param>,
}

/// Finds for each parameter that was removed the one that was added in its place: of the same type,
/// left out in the same way, and with the same description or a name that is near. Where several come into
/// question, the one with the same description is taken, then the one whose name is nearest, then the
/// first.
pub(super) fn renamed<'a>(removed: &[&'a Param], added: &[&'a Param]) -> Renamed<'a> {
    let mut groups: HashMap<String, (Vec<&'a Param>, Vec<&'a Param>)> = HashMap::new();
    for param in removed {
        groups.entry(meaning(param)).or_default().0.push(param);
    }
    for param in added {
        if let Some(group) = groups.get_mut(&meaning(param)) {
            group.1.push(param);
        }
    }
    let mut renamed = Renamed::default();
    for (from, to) in groups.into_values() {
        for (old, new) in pairs(&from, &to) {
            renamed.to.insert(old.name(), new);
            renamed.from.insert(new.name(), old);
        }
    }
    renamed
}

/// Which of some parameters that mean the same belong together.
fn pairs<'a>(from: &[&'a Param], to: &[&'a Param]) -> Vec<(&'a Param, &'a Param)> {
    if from.len() * to.len() > MOST_COMPARED {
        let pairs = from.iter().copied().zip(to.iter().copied());
        return pairs
            .filter(|(old, new)| likeness(old, new).is_some())
            .collect();
    }
    let mut ranked = Vec::new();
    for (at, old) in from.iter().enumerate() {
        for (other, new) in to.iter().enumerate() {
            if let Some(likeness) = likeness(old, new) {
                ranked.push((likeness, at, other));
            }
        }
    }
    ranked.sort_unstable();
    let (mut old_taken, mut new_taken) = (HashSet::new(), HashSet::new());
    let mut pairs = Vec::new();
    for (_, at, other) in ranked {
        if !old_taken.contains(&at) && !new_taken.contains(&other) {
            old_taken.insert(at);
            new_taken.insert(other);
            pairs.push((from[at], to[other]));
        }
    }
    pairs
}

/// How much two parameters that mean the same look like one, less being more; nothing when they do not.
/// One type alone makes none of two: many parameters are texts.
fn likeness(old: &Param, new: &Param) -> Option<(bool, usize)> {
    let is_described = old.description().is_some() && old.description() == new.description();
    let distance = nearness(old.name(), new.name());
    (is_described || distance.is_some()).then(|| (!is_described, distance.unwrap_or(usize::MAX)))
}

/// All that a parameter says besides its name and what it is for.
fn meaning(param: &Param) -> String {
    let bare = Param::new("p", param.ty().clone());
    parameter(&match param.default() {
        Some(default) => bare.with_default(default.clone()),
        None => bare,
    })
}
