//! Numbers as they are written.

use super::number::{LARGE_INTEGER, MOST_BITS, Number, Reason};
use num_bigint::BigInt;

/// How many decimal digits an integer of that many bits can have.
const MOST_DIGITS: i64 = MOST_BITS as i64 * 302 / 1000;

/// Reads digits, perhaps with a fraction, an exponent, and `_` between digits. A number that is an
/// integer is one, however it is written: `5.0` and `1e3`.
pub(super) fn read_literal(text: &str) -> Result<Number, Reason> {
    let text: String = text.chars().filter(|each| *each != '_').collect();
    let (mantissa, exponent) = match text.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, read_exponent(exponent)),
        None => (text.as_str(), 0),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let mut digits = format!("{whole}{fraction}");
    let mut exponent = exponent.saturating_sub(fraction.len() as i64);
    while exponent < 0 && digits.ends_with('0') {
        digits.pop();
        exponent += 1;
    }
    let digits = digits.trim_start_matches('0');
    if digits.is_empty() {
        return Ok(Number::Integer(BigInt::ZERO));
    }
    if exponent < 0 {
        // An infinite one has more digits than the largest double, and says so.
        return Number::double(text.parse().unwrap_or(f64::INFINITY));
    }
    if exponent.saturating_add(digits.len() as i64) > MOST_DIGITS {
        return Err(LARGE_INTEGER);
    }
    let integer: BigInt = digits.parse().map_err(|_| LARGE_INTEGER)?;
    Number::integer(integer * BigInt::from(10).pow(exponent as u32))
}

/// An exponent of more digits than fit is as good as the largest.
fn read_exponent(text: &str) -> i64 {
    let limit = match text.starts_with('-') {
        true => i64::MIN / 2,
        false => i64::MAX / 2,
    };
    text.parse().map_or(limit, |exponent: i64| {
        exponent.clamp(i64::MIN / 2, i64::MAX / 2)
    })
}
