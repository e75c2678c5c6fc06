//! The tool `currentTime`.

use agent_tool::{ToolError, tool};
use jiff::Timestamp;
use jiff::tz::Offset;
use std::time::SystemTime;

/// Returns the current date and time
///
/// # Offsets
/// The result is in the format of RFC 3339, to the second: `2026-03-01T12:30:00Z`, or with an offset from
/// UTC, such as `+02:00`. Names of time zones are not accepted, because they need a database of their rules.
///
/// # Errors
/// Execution when the offset is invalid.
#[tool(read_only, inline, untrusted = false)]
pub fn current_time(
    #[tool(description = "Offset from UTC such as '+02:00'; UTC without it")] offset: Option<
        String,
    >,
) -> Result<String, ToolError> {
    let offset = match &offset {
        Some(text) => parse_offset(text).ok_or_else(|| {
            ToolError::Execution(format!(
                "{text:.20?} is not an offset from UTC; write one such as `+02:00` or `-03:30`"
            ))
        })?,
        None => Offset::UTC,
    };
    let now = Timestamp::try_from(SystemTime::now()).map_err(ToolError::execution)?;
    format_time(now.as_second(), offset).map_err(ToolError::execution)
}

/// Parses `Z`, `+02:00` or `-03:30`, up to 23:59 as in RFC 3339.
fn parse_offset(text: &str) -> Option<Offset> {
    if matches!(text, "Z" | "z") {
        return Some(Offset::UTC);
    }
    let (sign, rest) = match text.strip_prefix('+') {
        Some(rest) => (1, rest),
        None => (-1, text.strip_prefix('-')?),
    };
    let (hours, minutes) = rest.split_once(':')?;
    let parse = |digits: &str, limit: i32| {
        let is_plain = digits.len() == 2 && digits.bytes().all(|byte| byte.is_ascii_digit());
        let number = digits.parse::<i32>().ok().filter(|_| is_plain)?;
        (number < limit).then_some(number)
    };
    let minutes = parse(hours, 24)? * 60 + parse(minutes, 60)?;
    Offset::from_seconds(sign * minutes * 60).ok()
}

/// Formats a time in seconds since 1970.
fn format_time(seconds: i64, offset: Offset) -> Result<String, jiff::Error> {
    let time = Timestamp::from_second(seconds)?;
    Ok(match offset {
        Offset::UTC => time.to_string(),
        offset => time.display_with_offset(offset).to_string(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_times_with_offsets() {
        for (seconds, offset, text) in [
            (0, 0, "1970-01-01T00:00:00Z"),
            (784_111_777, 0, "1994-11-06T08:49:37Z"),
            (951_825_599, 0, "2000-02-29T11:59:59Z"),
            (951_825_600, 7200, "2000-02-29T14:00:00+02:00"),
            (1_709_251_200, -12_600, "2024-02-29T20:30:00-03:30"),
            (4_107_542_400, 0, "2100-03-01T00:00:00Z"),
            (4_107_542_399, 0, "2100-02-28T23:59:59Z"),
            (0, -3600, "1969-12-31T23:00:00-01:00"),
            (0, 86_340, "1970-01-01T23:59:00+23:59"),
        ] {
            let offset = Offset::from_seconds(offset).expect("an offset");
            assert_eq!(format_time(seconds, offset).expect("a time"), text);
        }
    }

    #[test]
    fn parses_offsets_and_rejects_other_texts() {
        for (text, seconds) in [
            ("+02:00", 7200),
            ("-03:30", -12_600),
            ("Z", 0),
            ("+00:00", 0),
        ] {
            assert_eq!(parse_offset(text).map(Offset::seconds), Some(seconds));
        }
        for wrong in [
            "", "2", "+2:00", "+24:00", "+02:60", "+0200", "++2:00", "+02:00 ", "CET", "+٠٢:00",
        ] {
            assert_eq!(parse_offset(wrong), None, "{wrong}");
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
