//! The test for `multipleOf`, in decimal arithmetic without rounding: 0.3 is a multiple of 0.1, although the
//! doubles nearest to the two are not.

use crate::constraints::Bound;

/// A number: an integer, or a text of decimal digits with the nearest double.
#[derive(Clone, Copy)]
pub(crate) enum Amount<'a> {
    Integer(i128),
    Decimal(&'a str, f64),
}

impl<'a> Amount<'a> {
    pub(crate) const fn of(bound: &'a Bound) -> Self {
        match bound {
            Bound::Int(value) => Amount::Integer(*value),
            Bound::Double(value) => Amount::Decimal(value.text(), value.value()),
        }
    }

    const fn as_f64(self) -> f64 {
        match self {
            Amount::Integer(value) => value as f64,
            Amount::Decimal(_, value) => value,
        }
    }

    /// The number without its sign, without rounding; `None` for more than 38 digits.
    const fn exact(self) -> Option<Exact> {
        match self {
            Amount::Integer(value) => Some(Exact::of_integer(value.unsigned_abs())),
            Amount::Decimal(text, _) => Exact::of_text(text.as_bytes()),
        }
    }
}

/// Whether a number is a multiple of another. Numbers of too many digits are compared as doubles. No
/// number is a multiple of 0.
pub(crate) const fn is_multiple(number: Amount<'_>, of: Amount<'_>) -> bool {
    match (number.exact(), of.exact()) {
        (_, Some(Exact { digits: 0, .. })) => false,
        (Some(number), Some(of)) => number.is_multiple(of),
        _ => number.as_f64() % of.as_f64() == 0.0,
    }
}

/// The number `digits * 10^exponent`. The last digit is not 0, except in the number 0.
#[derive(Clone, Copy)]
struct Exact {
    digits: u128,
    exponent: i32,
}

impl Exact {
    const fn of_integer(mut digits: u128) -> Self {
        let mut exponent = 0;
        while digits > 0 && digits.is_multiple_of(10) {
            digits /= 10;
            exponent += 1;
        }
        Self { digits, exponent }
    }

    /// Reads digits with a point and an exponent, such as `-1.50e-7`.
    const fn of_text(text: &[u8]) -> Option<Self> {
        let (mut digits, mut zeros) = (0_u128, 0_i32);
        let (mut exponent, mut decimals) = (0_i32, 0_i32);
        let mut is_after_point = false;
        let mut at = 0;
        while at < text.len() {
            match text[at] {
                b'0' => zeros += 1,
                digit @ b'1'..=b'9' => {
                    while zeros >= 0 && digits > 0 {
                        let Some(longer) = digits.checked_mul(10) else {
                            return None;
                        };
                        digits = longer;
                        zeros -= 1;
                    }
                    zeros = 0;
                    let Some(longer) = digits.checked_add((digit - b'0') as u128) else {
                        return None;
                    };
                    digits = longer;
                }
                b'.' => is_after_point = true,
                b'e' | b'E' => {
                    let Some(read) = read_exponent(text.split_at(at + 1).1) else {
                        return None;
                    };
                    exponent = read;
                    break;
                }
                _ => {}
            }
            decimals += (is_after_point && text[at] != b'.') as i32;
            at += 1;
        }
        Some(Self {
            digits,
            exponent: exponent - decimals + zeros,
        })
    }

    const fn is_multiple(self, of: Exact) -> bool {
        if self.digits == 0 {
            return true;
        }
        // A multiple of `of.digits` and of 10 ends with 0, which `self.digits` does not.
        if self.exponent < of.exponent {
            return false;
        }
        let mut rest = self.digits % of.digits;
        let mut left = self.exponent - of.exponent;
        while left > 0 && rest > 0 {
            rest = ten_times(rest, of.digits);
            left -= 1;
        }
        rest == 0
    }
}

/// Returns the exponent; `None` for one beyond the doubles.
const fn read_exponent(text: &[u8]) -> Option<i32> {
    let (is_negative, start) = match text {
        [b'-', ..] => (true, 1),
        [b'+', ..] => (false, 1),
        _ => (false, 0),
    };
    let mut value = 0;
    let mut at = start;
    while at < text.len() {
        if !text[at].is_ascii_digit() || value > 1_000 {
            return None;
        }
        value = value * 10 + (text[at] - b'0') as i32;
        at += 1;
    }
    Some(if is_negative { -value } else { value })
}

/// `10 * rest % of`, without overflow. `rest` is below `of`.
const fn ten_times(rest: u128, of: u128) -> u128 {
    let twice = sum(rest, rest, of);
    let four = sum(twice, twice, of);
    sum(sum(four, four, of), twice, of)
}

/// `(left + right) % of`, without overflow. Both are below `of`.
const fn sum(left: u128, right: u128, of: u128) -> u128 {
    if left >= of - right {
        left - (of - right)
    } else {
        left + right
    }
}

#[cfg(test)]
mod tests {
    use super::{Amount, is_multiple};

    fn amount(text: &str) -> Amount<'_> {
        match text.parse() {
            Ok(integer) => Amount::Integer(integer),
            Err(_) => Amount::Decimal(text, text.parse().expect("a number")),
        }
    }

    #[test]
    fn finds_multiples_without_rounding() {
        for (number, of, expected) in [
            ("0", "3", true),
            ("0.0", "0.1", true),
            ("9", "3", true),
            ("-9", "3", true),
            ("10", "3", false),
            ("3", "0", false),
            ("3", "0.0", false),
            ("0.3", "0.1", true),
            ("0.30", "0.1", true),
            ("-0.3", "0.1", true),
            ("0.35", "0.1", false),
            ("1.1", "0.01", true),
            ("1", "0.1", true),
            ("1", "0.3", false),
            ("3", "0.3", true),
            ("4.5", "1.5", true),
            ("1e3", "250", true),
            ("1.5e-7", "5e-8", true),
            ("1.5e-7", "1e-7", false),
            ("1e300", "0.1", true),
            ("1e300", "3", false),
            ("3e300", "3", true),
            ("100", "100.0", true),
            ("1000000000000000000000000000000000000", "7", false),
            (
                "170141183460469231731687303715884105727",
                "170141183460469231731687303715884105727",
                true,
            ),
            (
                "1701411834604692317316873037158841057270",
                "170141183460469231731687303715884105727",
                true,
            ),
            // Too many digits: the doubles are equal.
            (
                "0.1000000000000000055511151231257827021181583404541015625",
                "0.1",
                true,
            ),
        ] {
            let found = is_multiple(amount(number), amount(of));
            assert_eq!(found, expected, "{number} of {of}");
        }
    }
}
