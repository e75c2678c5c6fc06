//! The metrics of an arm, and their display.

/// A metric of an arm, over its runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Figure {
    /// The mean score. A run without an answer has the score 0; answers that could not be scored do not
    /// count.
    SuccessRate,
    /// The share of runs that ended without an answer.
    ErrorRate,
    /// The tool calls per run.
    ToolCalls,
    /// The tool calls per run that failed, were denied, or named no tool.
    FailedCalls,
    /// The tokens per run that were sent.
    InputTokens,
    /// The tokens per run that the model wrote.
    OutputTokens,
    /// The dollars per run. Unknown when a model that the arm asked has no price.
    Cost,
    /// The seconds within which half of the answers arrived. Runs without an answer do not count in any
    /// latency, because some fail at once.
    LatencyP50,
    /// The seconds within which 90 % of the answers arrived.
    LatencyP90,
    /// The seconds within which 99 % of the answers arrived.
    LatencyP99,
}

/// The number of figures.
pub(crate) const FIGURES: usize = Figure::ALL.len();

impl Figure {
    /// All figures, in the order of reports.
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

    /// Returns the key in JSON.
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

    /// Returns the share of the answers that arrive within a latency; `None` for figures that are no latency.
    pub(crate) const fn quantile(self) -> Option<f64> {
        match self {
            Self::LatencyP50 => Some(0.50),
            Self::LatencyP90 => Some(0.90),
            Self::LatencyP99 => Some(0.99),
            _ => None,
        }
    }

    /// Returns the label in tables and plots.
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

/// The text in place of an unknown figure.
pub(crate) const UNKNOWN: &str = "-";

/// Formats a figure of an arm, such as `75.0 %` or `12.3 ms`.
pub(crate) fn value_text(figure: Figure, value: f64) -> String {
    let size = value.abs();
    let text = match figure {
        Figure::SuccessRate | Figure::ErrorRate => format!("{:.1} %", size * 100.0),
        Figure::ToolCalls | Figure::FailedCalls => quantity(size, 2),
        Figure::InputTokens | Figure::OutputTokens => quantity(size, 1),
        Figure::Cost => format!("${}", significant(size)),
        Figure::LatencyP50 | Figure::LatencyP90 | Figure::LatencyP99 => seconds(size),
    };
    // A value that is rounded to 0 has no sign.
    if value < 0.0 && text.contains(|digit| matches!(digit, '1'..='9')) {
        format!("-{text}")
    } else {
        text
    }
}

/// Formats a difference between arms, such as `+25.0 pp`: with a sign, and shares in percentage points.
pub(crate) fn difference_text(figure: Figure, value: f64) -> String {
    let text = value_text(figure, value).replace('%', "pp");
    let is_zero = !text.contains(|digit| matches!(digit, '1'..='9'));
    if is_zero || text.starts_with('-') {
        text
    } else {
        format!("+{text}")
    }
}

fn seconds(size: f64) -> String {
    // The bounds are the values from which the smaller unit would be rounded up to 1000.
    if size == 0.0 {
        "0 s".to_owned()
    } else if size >= 999.95 {
        format!("{} s", quantity(size, 0))
    } else if size >= 0.9995 {
        format!("{} s", significant(size.max(1.0)))
    } else if size >= 0.000_999_5 {
        format!("{} ms", significant((size * 1e3).max(1.0)))
    } else {
        format!("{:.0} µs", size * 1e6)
    }
}

/// Formats a number with so many decimals, or in millions, billions and trillions.
fn quantity(size: f64, decimals: usize) -> String {
    for (factor, letter) in [(1e12, "T"), (1e9, "G"), (1e6, "M")] {
        if size >= factor {
            return format!("{:.2}{letter}", size / factor);
        }
    }
    let decimals = if size >= 1e3 { 0 } else { decimals };
    format!("{size:.decimals$}")
}

/// Formats a number with at least three significant digits; a number below half a billionth is 0.
fn significant(size: f64) -> String {
    if size < 5e-10 {
        return "0".to_owned();
    }
    if size >= 1e5 {
        return quantity(size, 0);
    }
    let decimals = (2 - size.log10().floor() as i32).max(0);
    format!("{size:.0$}", decimals as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_figures_with_units() {
        for (figure, value, text) in [
            (Figure::SuccessRate, 0.75, "75.0 %"),
            (Figure::ErrorRate, 0.0, "0.0 %"),
            (Figure::ToolCalls, 1.5, "1.50"),
            (Figure::InputTokens, 1234.5, "1234"),
            (Figure::InputTokens, 12.25, "12.2"),
            (Figure::OutputTokens, 12_345_678.0, "12.35M"),
            (Figure::Cost, 0.0, "$0"),
            (Figure::Cost, 0.000_123_4, "$0.000123"),
            (Figure::Cost, 1.5, "$1.50"),
            (Figure::Cost, 1e-12, "$0"),
            (Figure::LatencyP50, 0.0, "0 s"),
            (Figure::LatencyP50, 0.000_012, "12 µs"),
            (Figure::LatencyP90, 0.0123, "12.3 ms"),
            (Figure::LatencyP99, 0.9999, "1.00 s"),
            (Figure::LatencyP99, 75.0, "75.0 s"),
            (Figure::LatencyP99, 86_400.0, "86400 s"),
        ] {
            assert_eq!(value_text(figure, value), text);
        }
    }

    #[test]
    fn formats_differences_with_a_sign_unless_they_round_to_0() {
        for (figure, value, text) in [
            (Figure::SuccessRate, 0.25, "+25.0 pp"),
            (Figure::SuccessRate, -0.25, "-25.0 pp"),
            (Figure::SuccessRate, 0.000_1, "0.0 pp"),
            (Figure::SuccessRate, -0.000_1, "0.0 pp"),
            (Figure::Cost, -0.5, "-$0.500"),
            (Figure::LatencyP50, 0.0, "0 s"),
            (Figure::LatencyP50, -0.002, "-2.00 ms"),
        ] {
            assert_eq!(difference_text(figure, value), text);
        }
    }
}
