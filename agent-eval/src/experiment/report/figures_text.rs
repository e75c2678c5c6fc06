//! Figures as people read them.

use super::Interval;
use crate::experiment::figure::Figure;

/// What stands where a figure is not known.
pub(super) const UNKNOWN: &str = "-";

/// A figure of an arm, such as `75.0 %` or `12.3 ms`.
pub(super) fn value_text(figure: Figure, value: f64) -> String {
    let size = value.abs();
    let text = match figure {
        Figure::SuccessRate | Figure::ErrorRate => format!("{:.1} %", size * 100.0),
        Figure::ToolCalls | Figure::FailedCalls => quantity(size, 2),
        Figure::InputTokens | Figure::OutputTokens => quantity(size, 1),
        Figure::Cost => format!("${}", significant(size)),
        Figure::LatencyP50 | Figure::LatencyP90 | Figure::LatencyP99 => seconds(size),
    };
    // What is rounded to nothing has no sign.
    if value < 0.0 && text.contains(|digit| matches!(digit, '1'..='9')) {
        format!("-{text}")
    } else {
        text
    }
}

/// A difference between arms, such as `+25.0 pp`: always with a sign, and shares in percentage
/// points.
pub(super) fn difference_text(figure: Figure, value: f64) -> String {
    let text = value_text(figure, value).replace('%', "pp");
    let nothing = !text.contains(|digit| matches!(digit, '1'..='9'));
    if nothing || text.starts_with('-') {
        text
    } else {
        format!("+{text}")
    }
}

/// An interval, each end as `text` has it.
pub(super) fn interval_text(
    interval: Option<Interval>,
    figure: Figure,
    text: fn(Figure, f64) -> String,
) -> String {
    match interval {
        Some(Interval { low, high }) => {
            format!("{} … {}", text(figure, low), text(figure, high))
        }
        None => UNKNOWN.to_owned(),
    }
}

fn seconds(size: f64) -> String {
    // The bounds are where a smaller unit would be rounded up to the next one.
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

/// A number with so many decimals, or in millions and more.
fn quantity(size: f64, decimals: usize) -> String {
    for (factor, letter) in [(1e12, "T"), (1e9, "G"), (1e6, "M")] {
        if size >= factor {
            return format!("{:.2}{letter}", size / factor);
        }
    }
    let decimals = if size >= 1e3 { 0 } else { decimals };
    format!("{size:.decimals$}")
}

/// Three digits that count, at least; nothing below a billionth.
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
    fn figures_are_short_and_clear() {
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
    fn differences_have_a_sign_unless_they_are_nothing() {
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
