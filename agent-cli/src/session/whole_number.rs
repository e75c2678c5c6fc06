//! Whole numbers on the command line.

use std::num::IntErrorKind;
use std::str::FromStr;

/// A number of at least one.
///
/// # Errors
/// What to write.
pub(super) fn one_or_more(text: &str) -> Result<u64, &'static str> {
    match whole(text, u64::MAX) {
        Some(number) if number > 0 => Ok(number),
        _ => Err("write a whole number, 1 or more"),
    }
}

/// A number that may be zero.
///
/// # Errors
/// What to write.
pub(super) fn any(text: &str) -> Result<u64, &'static str> {
    whole(text, u64::MAX).ok_or("write a whole number, 0 or more")
}

/// As [`any`], for a number of things in memory.
///
/// # Errors
/// What to write.
pub(super) fn any_count(text: &str) -> Result<usize, &'static str> {
    whole(text, usize::MAX).ok_or("write a whole number, 0 or more")
}

/// The number; of so many that they cannot be counted, as many as can.
fn whole<N: FromStr<Err = std::num::ParseIntError>>(text: &str, most: N) -> Option<N> {
    match text.trim().parse() {
        Ok(number) => Some(number),
        Err(error) if *error.kind() == IntErrorKind::PosOverflow => Some(most),
        Err(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_and_everything_else_is_told() {
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
            assert_eq!(one_or_more(text), expected, "{text}");
        }
        assert_eq!(any("0"), Ok(0));
        assert_eq!(any_count("x"), Err("write a whole number, 0 or more"));
    }
}
