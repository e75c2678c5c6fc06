//! Lengths of time as gram measurements: `500ms`, `10s`, `2min`, `1h`.

use crate::host::TextForm;
use agent_gram::value::Measurement;
use serde_json::json;
use std::time::Duration;

/// Returns the length of time of an amount and a unit, if the result is a valid duration above 0.
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

/// Writes a duration in whole seconds if possible, else in milliseconds.
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

/// The text form of a `Duration`: models write a text, serde writes seconds and nanoseconds.
pub(crate) const TEXT_FORM: &TextForm = &TextForm {
    expected: "a length of time such as `500ms`, `5s`, `2min` or `PT1H30M`",
    read,
    write,
};

fn read(text: &str) -> Option<serde_json::Value> {
    let duration = parse(text.trim())?;
    Some(json!({"secs": duration.as_secs(), "nanos": duration.subsec_nanos()}))
}

fn write(value: &serde_json::Value) -> Option<String> {
    let nanos = u32::try_from(value.get("nanos")?.as_u64()?).ok()?;
    Some(text_of(value.get("secs")?.as_u64()?, nanos))
}

fn parse(text: &str) -> Option<Duration> {
    if text.starts_with(['P', 'p']) {
        return parse_iso(&text[1..]);
    }
    let unit = text.find(|c: char| c.is_ascii_alphabetic())?;
    let amount = text[..unit].trim();
    if amount.chars().all(|c| c == '0' || c == '.') && amount.contains('0') {
        // An amount of zero needs a unit, too.
        return duration_of(1.0, &text[unit..]).map(|_| Duration::ZERO);
    }
    duration_of(amount.parse().ok()?, &text[unit..])
}

/// Parses `nDTnHnMnS` or `nW`. Each number may have a fraction. Years and months are refused,
/// because their length is not fixed.
fn parse_iso(text: &str) -> Option<Duration> {
    let (days, time) = match text.split_once(['T', 't']) {
        Some((_, "")) => return None,
        Some((days, time)) => (days, time),
        None => (text, ""),
    };
    let mut total = Duration::ZERO;
    let mut found = false;
    for (part, units) in [
        (days, [('W', 604_800), ('D', 86_400)].as_slice()),
        (time, [('H', 3_600), ('M', 60), ('S', 1)].as_slice()),
    ] {
        let mut rest = part;
        let mut units = units.iter();
        while !rest.is_empty() {
            let end = rest.find(|c: char| c.is_ascii_alphabetic())?;
            let letter = rest[end..].chars().next()?.to_ascii_uppercase();
            let seconds = units.find(|(unit, _)| *unit == letter)?.1;
            total = total.checked_add(times(&rest[..end], seconds)?)?;
            rest = &rest[end + 1..];
            found = true;
        }
    }
    found.then_some(total)
}

/// Multiplies a decimal number by `seconds`, without rounding down to nanoseconds.
fn times(number: &str, seconds: u32) -> Option<Duration> {
    let (whole, fraction) = number.split_once(['.', ',']).unwrap_or((number, "0"));
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if !digits(whole) || !digits(fraction) || fraction.len() > 9 {
        return None;
    }
    let whole: u64 = whole.parse().ok()?;
    let nanos: u32 = format!("{fraction:0<9}").parse().ok()?;
    Duration::new(whole.checked_mul(u64::from(seconds))?, 0)
        .checked_add(Duration::new(0, nanos).checked_mul(seconds)?)
}

/// The ISO 8601 form in hours, minutes and seconds.
fn text_of(seconds: u64, nanos: u32) -> String {
    let (hours, minutes, rest) = (seconds / 3_600, seconds / 60 % 60, seconds % 60);
    let mut text = String::from("PT");
    for (count, unit) in [(hours, 'H'), (minutes, 'M')] {
        if count > 0 {
            text.push_str(&format!("{count}{unit}"));
        }
    }
    if nanos > 0 {
        let fraction = format!("{nanos:09}");
        text.push_str(&format!("{rest}.{}S", fraction.trim_end_matches('0')));
    } else if rest > 0 || text == "PT" {
        text.push_str(&format!("{rest}S"));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_have_four_units() {
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
    fn writes_durations_in_the_largest_fitting_unit() {
        for (millis, text) in [(10_000, "10s"), (1_500, "1500ms"), (60_000, "60s")] {
            assert_eq!(duration_text(Duration::from_millis(millis)), text);
        }
    }

    #[test]
    fn reads_durations_from_texts() {
        for (text, seconds, nanos) in [
            ("5s", 5, 0),
            ("500ms", 0, 500_000_000),
            ("1.5 h", 5_400, 0),
            ("0s", 0, 0),
            ("PT1H30M", 5_400, 0),
            ("P1DT1S", 86_401, 0),
            ("P2W", 1_209_600, 0),
            ("PT0.5S", 0, 500_000_000),
            ("PT1.000000001S", 1, 1),
        ] {
            assert_eq!(parse(text), Some(Duration::new(seconds, nanos)), "{text}");
        }
        for text in [
            "", "5", "s", "P", "PT", "P1Y", "PT1M2H", "-5s", "PT-5S", "P1M", "1e400s", "5 apples",
        ] {
            assert_eq!(parse(text), None, "{text}");
        }
    }

    #[test]
    fn reads_what_it_writes() {
        for (seconds, nanos, text) in [
            (0, 0, "PT0S"),
            (90, 0, "PT1M30S"),
            (3_600, 0, "PT1H"),
            (0, 1, "PT0.000000001S"),
            (u64::MAX, 999_999_999, "PT5124095576030431H15.999999999S"),
        ] {
            assert_eq!(text_of(seconds, nanos), text);
            assert_eq!(parse(text), Some(Duration::new(seconds, nanos)), "{text}");
            let json = json!({"secs": seconds, "nanos": nanos});
            assert_eq!(write(&json).as_deref(), Some(text));
            assert_eq!(read(text), Some(json), "{text}");
        }
    }
}
