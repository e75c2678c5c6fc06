//! Whole numbers on the command line.

use std::num::IntErrorKind;
use std::str::FromStr;

/// Parses a number of at least 1.
///
/// # Errors
/// Returns advice for anything else.
pub(crate) fn positive(text: &str) -> Result<u64, &'static str> {
    match parse(text, u64::MAX) {
        Some(number) if number > 0 => Ok(number),
        _ => Err("write a whole number, 1 or more"),
    }
}

/// Parses a number of attempts, of which the first is one.
///
/// # Errors
/// Returns advice for anything else.
pub(super) fn attempts(text: &str) -> Result<u32, &'static str> {
    match parse(text, u32::MAX) {
        Some(number) if number > 0 => Ok(number),
        _ => Err("write a whole number, 1 or more"),
    }
}

/// Parses a number of at least 0.
///
/// # Errors
/// Returns advice for anything else.
pub(super) fn non_negative(text: &str) -> Result<u64, &'static str> {
    parse(text, u64::MAX).ok_or("write a whole number, 0 or more")
}

/// Parses a number of at least 0 as `usize`.
///
/// # Errors
/// Returns advice for anything else.
pub(super) fn count(text: &str) -> Result<usize, &'static str> {
    parse(text, usize::MAX).ok_or("write a whole number, 0 or more")
}

/// Parses a number. A number above the maximum counts as the maximum.
fn parse<N: FromStr<Err = std::num::ParseIntError>>(text: &str, max: N) -> Option<N> {
    match text.trim().parse() {
        Ok(number) => Some(number),
        Err(error) if *error.kind() == IntErrorKind::PosOverflow => Some(max),
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
