//! The selection of runs in a list.

use super::{RunInfo, RunState, milliseconds};
use crate::conversation::ConversationName;
use std::time::SystemTime;

/// Selects runs for [`Journal::list`](super::Journal::list). A run must satisfy all that is set; an empty filter selects
/// all runs.
///
/// ```
/// use agent_runtime::journal::{RunFilter, RunInfo, RunState};
///
/// let filter = RunFilter::new().owner("ada").states([RunState::Running, RunState::Waiting]);
/// let mut run = RunInfo::new("run-1", "guide");
/// assert!(!filter.selects(&run));
/// run.owner = Some("ada".to_owned());
/// assert!(filter.selects(&run));
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct RunFilter {
    /// The owner of the runs.
    pub owner: Option<String>,
    /// The stored conversation of the runs.
    pub conversation: Option<ConversationName>,
    /// The states that a run may have. An empty list selects all states.
    pub states: Vec<RunState>,
    /// The time since which a run must have been written to, in milliseconds, as journals keep it.
    pub updated_since: Option<SystemTime>,
}

impl RunFilter {
    /// Creates a filter that selects all runs.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Selects the runs of an owner.
    #[must_use]
    pub fn owner(mut self, owner: impl Into<String>) -> Self {
        self.owner = Some(owner.into());
        self
    }

    /// Selects the runs of a stored conversation.
    #[must_use]
    pub fn conversation(mut self, conversation: ConversationName) -> Self {
        self.conversation = Some(conversation);
        self
    }

    /// Selects the runs that have one of these states.
    #[must_use]
    pub fn states(mut self, states: impl IntoIterator<Item = RunState>) -> Self {
        self.states = states.into_iter().collect();
        self
    }

    /// Selects the runs that were written to since a time.
    #[must_use]
    pub fn updated_since(mut self, time: SystemTime) -> Self {
        self.updated_since = Some(time);
        self
    }

    /// Whether the filter selects a run.
    #[must_use]
    pub fn selects(&self, run: &RunInfo) -> bool {
        let owner = self.owner.as_ref();
        let conversation = self.conversation.as_ref();
        owner.is_none_or(|owner| run.owner.as_ref() == Some(owner))
            && conversation.is_none_or(|name| run.conversation.as_ref() == Some(name))
            && (self.states.is_empty() || self.states.contains(&run.state))
            && self
                .updated_since
                .is_none_or(|time| milliseconds::of(run.updated) >= milliseconds::of(time))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::{Duration, UNIX_EPOCH};

    #[test]
    fn a_run_must_satisfy_all_that_is_set() {
        let name = |text: &str| -> ConversationName { text.parse().expect("a name") };
        let time = |micros| UNIX_EPOCH + Duration::from_micros(micros);
        let mut run = RunInfo::new("run", "agent");
        run.owner = Some("ada".to_owned());
        run.conversation = Some(name("ada/trip"));
        run.updated = time(5_700);
        let all = RunFilter::new;
        for (filter, is_selected) in [
            (all(), true),
            (all().owner("ada"), true),
            (all().owner("Ada"), false),
            (all().conversation(name("ada/trip")), true),
            (all().conversation(name("trip")), false),
            (all().states([RunState::Done, RunState::Running]), true),
            (all().states([RunState::Done]), false),
            (all().states([]), true),
            (all().updated_since(time(4_000)), true),
            // The same millisecond.
            (all().updated_since(time(5_900)), true),
            (all().updated_since(time(6_000)), false),
            (all().owner("ada").states([RunState::Running]), true),
            (all().owner("ada").states([RunState::Waiting]), false),
            (all().owner("bob").states([RunState::Running]), false),
        ] {
            assert_eq!(filter.selects(&run), is_selected, "{filter:?}");
        }
        let anybody = RunInfo::new("run", "agent");
        assert!(
            !all().owner("").selects(&anybody),
            "no owner is no empty owner"
        );
    }
}
