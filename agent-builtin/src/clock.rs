//! The time.

use agent_runtime::ToolError;
use agent_runtime::tool;
use std::time::{SystemTime, UNIX_EPOCH};

/// Returns the current date and time
///
/// # Offsets
/// The text is as RFC 3339 has it, to the second: `2026-03-01T12:30:00Z`, or with an offset from UTC,
/// such as `+02:00`. Zones by name would need their rules.
///
/// # Errors
/// When the offset is none, or the clock stands before 1970.
#[tool(read_only, inline)]
pub fn current_time(
    #[tool(description = "Offset from UTC such as '+02:00'; UTC without it")] offset: Option<
        String,
    >,
) -> Result<String, ToolError> {
    let seconds = match &offset {
        Some(text) => seconds_of(text).ok_or_else(|| {
            ToolError::Execution(format!(
                "{text:.20?} is no offset from UTC; write one such as `+02:00` or `-03:30`"
            ))
        })?,
        None => 0,
    };
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    let since = since.map_err(|_| ToolError::Execution("the clock stands before 1970".into()))?;
    Ok(timestamp(since.as_secs().cast_signed(), seconds))
}

/// The seconds of `Z`, `+02:00` or `-03:30`: up to a day, as RFC 3339 has it.
fn seconds_of(offset: &str) -> Option<i64> {
    if matches!(offset, "Z" | "z") {
        return Some(0);
    }
    let (sign, rest) = match offset.strip_prefix('+') {
        Some(rest) => (1, rest),
        None => (-1, offset.strip_prefix('-')?),
    };
    let (hours, minutes) = rest.split_once(':')?;
    let number = |text: &str, below: i64| {
        let is_plain = text.len() == 2 && text.bytes().all(|byte| byte.is_ascii_digit());
        let number = text.parse::<i64>().ok().filter(|_| is_plain)?;
        (number < below).then_some(number)
    };
    Some(sign * (number(hours, 24)? * 60 + number(minutes, 60)?) * 60)
}

/// A time in seconds since 1970, as it is called where the clocks have this offset.
fn timestamp(seconds: i64, offset: i64) -> String {
    let local = seconds + offset;
    let (days, second) = (local.div_euclid(86_400), local.rem_euclid(86_400));
    let (year, month, day) = date(days);
    let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
    let zone = match offset {
        0 => "Z".to_owned(),
        _ => {
            let sign = if offset < 0 { '-' } else { '+' };
            let minutes = offset.abs() / 60;
            format!("{sign}{:02}:{:02}", minutes / 60, minutes % 60)
        }
    };
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}{zone}")
}

/// Year, month and day of a number of days since 1970. Years are counted from March, so that the leap
/// day comes last, and in periods of 400, after which the calendar repeats.
fn date(days: i64) -> (i64, i64, i64) {
    const PERIOD: i64 = 146_097;
    let days = days + 719_468;
    let (period, day_of_period) = (days.div_euclid(PERIOD), days.rem_euclid(PERIOD));
    let leap_days = day_of_period / 1460 - day_of_period / 36_524 + day_of_period / (PERIOD - 1);
    let year_of_period = (day_of_period - leap_days) / 365;
    let day_of_year =
        day_of_period - (365 * year_of_period + year_of_period / 4 - year_of_period / 100);
    let month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month + 2) / 5 + 1;
    let (month, later) = if month < 10 {
        (month + 3, 0)
    } else {
        (month - 9, 1)
    };
    (year_of_period + period * 400 + later, month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_are_dates() {
        for (seconds, offset, text) in [
            (0, 0, "1970-01-01T00:00:00Z"),
            (784_111_777, 0, "1994-11-06T08:49:37Z"),
            (951_825_599, 0, "2000-02-29T11:59:59Z"),
            (951_825_600, 7200, "2000-02-29T14:00:00+02:00"),
            (1_709_251_200, -12_600, "2024-02-29T20:30:00-03:30"),
            (4_107_542_400, 0, "2100-03-01T00:00:00Z"),
            (4_107_542_399, 0, "2100-02-28T23:59:59Z"),
            (0, -3600, "1969-12-31T23:00:00-01:00"),
            (253_402_300_799, 0, "9999-12-31T23:59:59Z"),
        ] {
            assert_eq!(timestamp(seconds, offset), text);
        }
    }

    /// The other way around is written without this one.
    #[test]
    fn every_day_of_eight_centuries_follows_the_one_before() {
        let mut expected = (1970, 1, 1);
        for day in 0..146_097 * 2 {
            assert_eq!(date(day), expected);
            let (year, month, day) = expected;
            let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
            let last = match month {
                2 => 28 + i64::from(is_leap),
                4 | 6 | 9 | 11 => 30,
                _ => 31,
            };
            expected = match (month, day) {
                (12, 31) => (year + 1, 1, 1),
                _ if day == last => (year, month + 1, 1),
                _ => (year, month, day + 1),
            };
        }
    }

    #[test]
    fn offsets_are_read_and_nonsense_is_not() {
        for (text, seconds) in [
            ("+02:00", 7200),
            ("-03:30", -12_600),
            ("Z", 0),
            ("+00:00", 0),
        ] {
            assert_eq!(seconds_of(text), Some(seconds), "{text}");
        }
        for wrong in [
            "", "2", "+2:00", "+24:00", "+02:60", "+0200", "++2:00", "+02:00 ", "CET", "+٠٢:00",
        ] {
            assert_eq!(seconds_of(wrong), None, "{wrong}");
            let error = current_time(Some(wrong.to_owned()))
                .unwrap_err()
                .to_string();
            assert!(
                error.contains("+02:00") && error.contains(wrong.trim()),
                "{error}"
            );
        }
    }
}
