//! What is measured of an arm.

/// What is measured of an arm, over its runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Figure {
    /// The mean score. A run without an answer has the score 0; answers that could not be scored
    /// do not count.
    SuccessRate,
    /// The share of runs that ended without an answer.
    ErrorRate,
    /// Tool calls a run.
    ToolCalls,
    /// Tool calls a run that failed, were denied, or named no tool.
    FailedCalls,
    /// Tokens a run that were sent.
    InputTokens,
    /// Tokens a run that the model wrote.
    OutputTokens,
    /// Dollars a run. Not known when a model that the arm asked has no price.
    Cost,
    /// The seconds in which half of the answers came. Runs without an answer do not count here and
    /// below, since some fail at once.
    LatencyP50,
    /// The seconds in which nine of ten answers came.
    LatencyP90,
    /// The seconds in which 99 of 100 answers came.
    LatencyP99,
}

/// How many figures there are.
pub(super) const FIGURES: usize = Figure::ALL.len();

impl Figure {
    /// All of them, in the order of reports.
    pub const ALL: [Self; 10] = [
        Self::SuccessRate,
        Self::ErrorRate,
        Self::ToolCalls,
        Self::FailedCalls,
        Self::InputTokens,
        Self::OutputTokens,
        Self::Cost,
        Self::LatencyP50,
        Self::LatencyP90,
        Self::LatencyP99,
    ];

    /// Its key in JSON.
    #[must_use]
    pub const fn key(self) -> &'static str {
        match self {
            Self::SuccessRate => "successRate",
            Self::ErrorRate => "errorRate",
            Self::ToolCalls => "toolCalls",
            Self::FailedCalls => "failedCalls",
            Self::InputTokens => "inputTokens",
            Self::OutputTokens => "outputTokens",
            Self::Cost => "cost",
            Self::LatencyP50 => "latencyP50",
            Self::LatencyP90 => "latencyP90",
            Self::LatencyP99 => "latencyP99",
        }
    }

    /// The share of the answers that came within a latency; `None` for the other figures.
    pub(super) const fn quantile(self) -> Option<f64> {
        match self {
            Self::LatencyP50 => Some(0.50),
            Self::LatencyP90 => Some(0.90),
            Self::LatencyP99 => Some(0.99),
            _ => None,
        }
    }

    /// What people call it; those that are means over the runs are so a run.
    #[must_use]
    pub const fn label(self) -> &'static str {
        match self {
            Self::SuccessRate => "success",
            Self::ErrorRate => "errors",
            Self::ToolCalls => "calls",
            Self::FailedCalls => "failed calls",
            Self::InputTokens => "tokens in",
            Self::OutputTokens => "tokens out",
            Self::Cost => "cost",
            Self::LatencyP50 => "p50",
            Self::LatencyP90 => "p90",
            Self::LatencyP99 => "p99",
        }
    }
}
