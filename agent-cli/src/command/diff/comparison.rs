//! The changes to show, and the two sides that they are judged for.

use agent_diff::{Change, Verdict};
use agent_project::source::Source;
use clap::ValueEnum;

/// A side of a contract.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum ContractSide {
    /// Tools that implement OLD and are used with NEW
    Implementation,
    /// Callers that follow OLD and call tools of NEW
    Caller,
}

impl ContractSide {
    /// Returns the sides to judge: the given one, or both.
    pub(super) fn judged(given: Option<ContractSide>) -> impl Iterator<Item = ContractSide> {
        let both = [ContractSide::Implementation, ContractSide::Caller].into_iter();
        both.filter(move |side| given.is_none_or(|given| given == *side))
    }

    /// Returns the verdict on a change for this side.
    pub(super) const fn verdict(self, change: &Change) -> &Verdict {
        match self {
            ContractSide::Implementation => &change.implementation,
            ContractSide::Caller => &change.caller,
        }
    }

    /// Counts the changes that break this side.
    pub(super) fn broken_by(self, changes: &[Change]) -> usize {
        let breaks = |change: &&Change| self.verdict(change).is_breaking();
        changes.iter().filter(breaks).count()
    }
}

/// The changes between two documents, filtered by the options.
pub(super) struct Comparison<'a> {
    pub(super) old: &'a Source,
    pub(super) new: &'a Source,
    /// The changes to show.
    pub(super) changes: &'a [Change],
    /// The number of other changes.
    pub(super) hidden: usize,
    pub(super) side: Option<ContractSide>,
}
