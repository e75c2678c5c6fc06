//! The two sides of a contract.

use agent_diff::{Change, Verdict};
use agent_lsp::source::Source;
use clap::ValueEnum;

/// Who depends on a contract.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum ContractSide {
    /// Tools written for OLD that must serve NEW
    Implementation,
    /// Who calls as OLD says and meets NEW
    Caller,
}

impl ContractSide {
    /// The sides that are judged: the one that was asked for, else both.
    pub(super) fn judged(asked: Option<ContractSide>) -> impl Iterator<Item = ContractSide> {
        let both = [ContractSide::Implementation, ContractSide::Caller].into_iter();
        both.filter(move |side| asked.is_none_or(|asked| asked == *side))
    }

    /// What a change is for this side.
    pub(super) const fn verdict(self, change: &Change) -> &Verdict {
        match self {
            ContractSide::Implementation => &change.implementation,
            ContractSide::Caller => &change.caller,
        }
    }

    /// How many of some changes break this side.
    pub(super) fn broken_by(self, changes: &[Change]) -> usize {
        let breaks = |change: &&Change| self.verdict(change).is_breaking();
        changes.iter().filter(breaks).count()
    }
}

/// What is to be shown.
pub(super) struct Comparison<'a> {
    pub(super) old: &'a Source,
    pub(super) new: &'a Source,
    /// The changes that were asked for.
    pub(super) changes: &'a [Change],
    /// How many there are besides.
    pub(super) hidden: usize,
    pub(super) side: Option<ContractSide>,
}
