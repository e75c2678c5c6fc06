//! Limits of what one owner may use.

use crate::problem::Problem;
use agent_runtime::journal::{Journal, RunFilter, RunState};
use axum::http::StatusCode;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Limits of what one owner may use. Both limits are computed from the journal, and no other state is kept.
#[derive(Clone, Copy, Debug, Default)]
pub struct OwnerLimits {
    concurrent: Option<usize>,
    dollars: Option<f64>,
}

impl OwnerLimits {
    /// Creates limits that limit nothing.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Limits the number of concurrent runs. A run that waits for a decision does not count. Requests that
    /// reach several processes at the same moment may exceed the limit by as many runs.
    #[must_use]
    pub fn concurrent(mut self, runs: usize) -> Self {
        self.concurrent = Some(runs);
        self
    }

    /// Limits the cost of the runs since 00:00 UTC, in dollars. The limit is checked before a run begins, so
    /// the last run may exceed it. A run that was active today counts with all its cost. A run whose cost is
    /// unknown does not count.
    #[must_use]
    pub fn dollars_per_day(mut self, dollars: f64) -> Self {
        self.dollars = Some(dollars);
        self
    }

    /// Checks that a further run of an owner may begin.
    pub(crate) async fn check(&self, journal: &dyn Journal, owner: &str) -> Result<(), Problem> {
        let filter = RunFilter::new().owner(owner);
        let list = async |filter: RunFilter| {
            let listed = journal.list(&filter).await;
            listed.map_err(|error| Problem::of_store(&error))
        };
        let too_many = |text: String| Problem::new(StatusCode::TOO_MANY_REQUESTS, text);
        if let Some(most) = self.concurrent {
            let going = list(filter.clone().states([RunState::Running]))
                .await?
                .len();
            if going >= most {
                let text = format!("you have {going} runs in progress; the limit is {most}");
                return Err(too_many(text));
            }
        }
        if let Some(most) = self.dollars {
            let runs = list(filter.updated_since(midnight())).await?;
            let spent: f64 = runs.iter().filter_map(|run| run.cost).sum();
            if spent >= most {
                let text = format!(
                    "your runs of today have cost {spent:.2} dollars; the limit is {most:.2}"
                );
                return Err(too_many(text));
            }
        }
        Ok(())
    }
}

/// The last 00:00 UTC.
fn midnight() -> SystemTime {
    const DAY: u64 = 86_400;
    let now = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default();
    UNIX_EPOCH + Duration::from_secs(now.as_secs() / DAY * DAY)
}
