//! Whole numbers on the command line.

use std::num::IntErrorKind;

/// Parses a number of at least 1.
///
/// # Errors
/// Returns advice for anything else.
pub(crate) fn positive(text: &str) -> Result<u64, &'static str> {
    let number = parse(text).filter(|number| *number > 0);
    number.ok_or("write a whole number, 1 or more")
}

/// Parses a number of attempts, including the first.
///
/// # Errors
/// Returns advice for anything else.
pub(super) fn attempts(text: &str) -> Result<u32, &'static str> {
    positive(text).map(|number| u32::try_from(number).unwrap_or(u32::MAX))
}

/// Parses a number of at least 0.
///
/// # Errors
/// Returns advice for anything else.
pub(super) fn non_negative(text: &str) -> Result<u64, &'static str> {
    parse(text).ok_or("write a whole number, 0 or more")
}

/// Parses a number of at least 0 as `usize`.
///
/// # Errors
/// Returns advice for anything else.
pub(super) fn count(text: &str) -> Result<usize, &'static str> {
    non_negative(text).map(|number| usize::try_from(number).unwrap_or(usize::MAX))
}

/// Parses a number. A number above the maximum counts as the maximum.
fn parse(text: &str) -> Option<u64> {
    match text.trim().parse::<u64>() {
        Ok(number) => Some(number),
        Err(error) if *error.kind() == IntErrorKind::PosOverflow => Some(u64::MAX),
        Err(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parses_whole_numbers_and_rejects_other_texts() {
        let more = Err("write a whole number, 1 or more");
        for (text, expected) in [
            ("1", Ok(1)),
            (" 20 ", Ok(20)),
            ("99999999999999999999", Ok(u64::MAX)),
            ("0", more),
            ("-1", more),
            ("1.5", more),
            ("x", more),
            ("", more),
        ] {
            assert_eq!(positive(text), expected, "{text}");
        }
        assert_eq!(non_negative("0"), Ok(0));
        assert_eq!(count("x"), Err("write a whole number, 0 or more"));
    }
}
