//! Keys of records.

use super::{Proposal, ProposalKind};
use crate::language::hover::key_markdown;
use crate::language::keys;
use agent_spec::check::Place;

/// What is written after the key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Style {
    /// `: `, for the value to follow.
    Entry,
    /// Nothing, since there is a colon or a parenthesis already.
    Name,
    /// `(`, as annotations have it.
    Annotation,
}

impl Style {
    /// What is written after a key that ends here.
    pub(super) fn of(text: &str, end: usize, annotation: bool) -> Self {
        let rest = text.get(end..).unwrap_or_default().trim_start();
        match (annotation, rest.chars().next()) {
            (false, Some(':')) | (true, Some('(')) => Style::Name,
            (false, _) => Style::Entry,
            (true, _) => Style::Annotation,
        }
    }
}

/// The keys that mean something in a place, without those that are there.
pub(super) fn proposals(place: Place, others: &[&str], style: Style) -> Vec<Proposal> {
    place
        .keys()
        .filter(|key| !others.contains(key))
        .map(|key| {
            let known = keys::key(place, key);
            Proposal {
                label: key.to_owned(),
                kind: ProposalKind::Key,
                detail: known.map(|known| known.value.replace('`', "")),
                meaning: known.map(key_markdown),
                insert: match style {
                    Style::Entry => format!("{key}: "),
                    Style::Name => key.to_owned(),
                    Style::Annotation => format!("{key}("),
                },
            }
        })
        .collect()
}
