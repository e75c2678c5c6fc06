//! Lengths of time as gram measurements: `500ms`, `10s`, `2min`, `1h`.

use crate::check::reader::Reader;
use agent_gram::syntax::{NumberKind, Value, ValueKind};
use agent_gram::value::Measurement;
use std::fmt;
use std::time::Duration;

/// Reads a length of time; 0 and less are refused.
pub(crate) fn read_duration(
    reader: &mut Reader<'_>,
    value: Value<'_>,
    what: impl fmt::Display + Copy,
) -> Option<Duration> {
    const EXPECTED: &str = "a length of time above 0, such as `500ms`, `10s`, `2min` or `1h`";
    const QUOTED: &str = "a length of time without quotes, such as `500ms`, `10s`, `2min` or `1h`";
    const TOO_LONG: &str = "a length of time of at most `5000000000000000h`";
    if let ValueKind::Number(number) = value.kind()
        && let NumberKind::Measurement {
            value: amount,
            unit,
        } = number.kind()
        && let Some(duration) = duration_of(amount, unit)
    {
        return Some(duration);
    }
    let expected = match value.kind() {
        ValueKind::String { .. } => QUOTED,
        _ if is_too_long(value) => TOO_LONG,
        _ => EXPECTED,
    };
    reader.wrong(value, what, expected)
}

/// Whether a value would be a length of time if less of it were asked for.
fn is_too_long(value: Value<'_>) -> bool {
    let ValueKind::Number(number) = value.kind() else {
        return false;
    };
    match number.kind() {
        NumberKind::Measurement {
            value: amount,
            unit,
        } => amount > 1.0 && duration_of(1.0, unit).is_some(),
        _ => false,
    }
}

/// The length of time of an amount and a unit, if there is one above 0.
#[must_use]
pub fn duration_of(amount: f64, unit: &str) -> Option<Duration> {
    let seconds = match unit {
        "ms" => amount / 1000.0,
        "s" => amount,
        "m" | "min" => amount * 60.0,
        "h" => amount * 3600.0,
        _ => return None,
    };
    Duration::try_from_secs_f64(seconds)
        .ok()
        .filter(|duration| !duration.is_zero())
}

/// A length of time as it is written: in whole seconds if it can be, else in milliseconds.
#[must_use]
pub fn measurement_of(duration: Duration) -> Measurement {
    let (amount, unit) = if duration.subsec_nanos() == 0 {
        (duration.as_secs_f64(), "s")
    } else {
        (duration.as_secs_f64() * 1000.0, "ms")
    };
    Measurement::new(amount, unit).expect("a finite number and a unit of letters")
}

/// A length of time as text, such as `10s`.
#[must_use]
pub fn duration_text(duration: Duration) -> String {
    let measurement = measurement_of(duration);
    format!("{}{}", measurement.number_text(), measurement.unit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_of_time_have_four_units() {
        for (amount, unit, millis) in [
            (500.0, "ms", 500),
            (10.0, "s", 10_000),
            (2.0, "min", 120_000),
            (1.0, "h", 3_600_000),
        ] {
            assert_eq!(
                duration_of(amount, unit),
                Some(Duration::from_millis(millis)),
                "{unit}"
            );
        }
        for (amount, unit) in [(0.0, "s"), (-1.0, "s"), (1.0, "d"), (f64::MAX, "h")] {
            assert_eq!(duration_of(amount, unit), None, "{amount}{unit}");
        }
    }

    #[test]
    fn a_length_of_time_is_written_in_the_largest_unit_that_fits() {
        for (millis, text) in [(10_000, "10s"), (1_500, "1500ms"), (60_000, "60s")] {
            assert_eq!(duration_text(Duration::from_millis(millis)), text);
        }
    }
}
