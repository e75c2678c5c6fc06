//! Numbers: parsing literals, exact integers, and rounding to doubles.

use num_bigint::{BigInt, Sign};
use num_traits::float::FloatCore;
use num_traits::{FromPrimitive, ToPrimitive};
use std::borrow::Cow;

/// The maximum size of integers in bits. A model can write `9^9^9`, whose result would fill the memory. The size is
/// twice the size of the largest result, which must have a nearest double.
pub(super) const MAX_BITS: u64 = 2048;

/// The largest double up to which every integer is a double.
pub(super) const EXACT_DOUBLE: f64 = 9_007_199_254_740_992.0;

/// The reason of an error, without its position.
pub(super) type Reason = Cow<'static, str>;

#[derive(Clone, Debug)]
pub(super) enum Number {
    Integer(BigInt),
    /// A finite double.
    Double(f64),
}

pub(super) const DIVISION_BY_ZERO: Reason = Cow::Borrowed("division by zero");
pub(super) const LARGE_INTEGER: Reason =
    Cow::Borrowed("overflow: the integer is beyond 2^2048, the maximum of this calculator");
pub(super) const LARGE_DOUBLE: Reason =
    Cow::Borrowed("overflow: the result is beyond the largest double, about 1.8e308");
const NOT_REAL: Reason = Cow::Borrowed("the result is not a real number");

impl Number {
    /// Creates an integer, unless it is too large.
    pub(super) fn integer(integer: BigInt) -> Result<Self, Reason> {
        if integer.bits() > MAX_BITS {
            return Err(LARGE_INTEGER);
        }
        Ok(Self::Integer(integer))
    }

    /// Creates a double, unless it is infinite or NaN.
    pub(super) fn double(double: f64) -> Result<Self, Reason> {
        if double.is_nan() {
            Err(NOT_REAL)
        } else if double.is_infinite() {
            Err(LARGE_DOUBLE)
        } else {
            Ok(Self::Double(double))
        }
    }

    /// Returns the nearest double.
    pub(super) fn as_double(&self) -> Result<f64, Reason> {
        match self {
            Self::Double(double) => Ok(*double),
            Self::Integer(integer) => match to_double(integer) {
                double if double.is_finite() => Ok(double),
                _ => Err(LARGE_DOUBLE),
            },
        }
    }

    pub(super) fn negated(self) -> Self {
        match self {
            Self::Integer(integer) => Self::Integer(-integer),
            Self::Double(double) => Self::Double(-double),
        }
    }

    pub(super) fn is_negative(&self) -> bool {
        match self {
            Self::Integer(integer) => integer.sign() == Sign::Minus,
            Self::Double(double) => *double < 0.0,
        }
    }

    pub(super) fn is_zero(&self) -> bool {
        match self {
            Self::Integer(integer) => integer.sign() == Sign::NoSign,
            Self::Double(double) => *double == 0.0,
        }
    }

    pub(super) fn plus(&self, other: &Self) -> Result<Self, Reason> {
        self.combined(other, |a, b| a + b, |a, b| a + b)
    }

    pub(super) fn minus(&self, other: &Self) -> Result<Self, Reason> {
        self.combined(other, |a, b| a - b, |a, b| a - b)
    }

    pub(super) fn times(&self, other: &Self) -> Result<Self, Reason> {
        self.combined(other, |a, b| a * b, |a, b| a * b)
    }

    /// Divides. The quotient of integers is an integer when there is no remainder, else the nearest double.
    pub(super) fn over(&self, other: &Self) -> Result<Self, Reason> {
        if other.is_zero() {
            return Err(DIVISION_BY_ZERO);
        }
        match (self, other) {
            (Self::Integer(a), Self::Integer(b)) => {
                let whole = a / b;
                if &whole * b == *a {
                    Ok(Self::Integer(whole))
                } else {
                    Self::double(quotient(a, b))
                }
            }
            _ => Self::double(self.as_double()? / other.as_double()?),
        }
    }

    /// Returns the remainder, with the sign of the dividend, as in Rust, C and JavaScript.
    pub(super) fn remainder(&self, other: &Self) -> Result<Self, Reason> {
        if other.is_zero() {
            return Err(DIVISION_BY_ZERO);
        }
        self.combined(other, |a, b| a % b, |a, b| a % b)
    }

    pub(super) fn power(&self, exponent: &Self) -> Result<Self, Reason> {
        match (self, exponent) {
            (Self::Integer(base), Self::Integer(exponent)) => integer_power(base, exponent),
            _ => double_power(self.as_double()?, exponent.as_double()?),
        }
    }

    fn combined(
        &self,
        other: &Self,
        integers: impl Fn(&BigInt, &BigInt) -> BigInt,
        doubles: impl Fn(f64, f64) -> f64,
    ) -> Result<Self, Reason> {
        match (self, other) {
            (Self::Integer(a), Self::Integer(b)) => Self::integer(integers(a, b)),
            _ => Self::double(doubles(self.as_double()?, other.as_double()?)),
        }
    }
}

/// Returns the power of integers. Its size is estimated first, so that a huge power is refused at once.
fn integer_power(base: &BigInt, exponent: &BigInt) -> Result<Number, Reason> {
    let is_inverse = exponent.sign() == Sign::Minus;
    if base.magnitude().bits() <= 1 {
        return match base.sign() {
            Sign::NoSign if is_inverse => Err(zero_to_negative()),
            Sign::NoSign => Ok(Number::Integer(BigInt::from(u8::from(
                exponent.sign() == Sign::NoSign,
            )))),
            Sign::Minus if exponent.bit(0) => Ok(Number::Integer(BigInt::from(-1))),
            _ => Ok(Number::Integer(BigInt::from(1))),
        };
    }
    let min_bits = |exponent: u32| (base.bits() - 1) * u64::from(exponent);
    let exponent = u32::try_from(exponent.magnitude()).ok();
    match exponent.filter(|exponent| min_bits(*exponent) <= MAX_BITS) {
        Some(exponent) if is_inverse => {
            Number::double(quotient(&BigInt::from(1), &base.pow(exponent)))
        }
        Some(exponent) => Number::integer(base.pow(exponent)),
        // The quotient is less than the smallest double.
        None if is_inverse => Ok(Number::Double(0.0)),
        None => Err(LARGE_INTEGER),
    }
}

fn double_power(base: f64, exponent: f64) -> Result<Number, Reason> {
    if base == 0.0 && exponent < 0.0 {
        return Err(zero_to_negative());
    }
    if base < 0.0 && exponent.fract() != 0.0 {
        return Err(
            "a negative number to a power with a fraction is not a real number; \
             the cube root is `cbrt`"
                .into(),
        );
    }
    Number::double(base.powf(exponent))
}

fn zero_to_negative() -> Reason {
    "division by zero: 0 to a negative power".into()
}

/// The number of decimal digits of an integer of `MAX_BITS`.
const MAX_DIGITS: i64 = MAX_BITS as i64 * 302 / 1000;

/// Parses digits with an optional fraction, an optional exponent, and `_` between digits. `5.0` and `1e3`
/// are integers, because their fraction is zero.
pub(super) fn parse_literal(text: &str) -> Result<Number, Reason> {
    let text: String = text.chars().filter(|each| *each != '_').collect();
    let (mantissa, exponent) = match text.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, parse_exponent(exponent)),
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
        // A number with more digits than the largest double parses as infinity, which is an error below.
        return Number::double(text.parse().unwrap_or(f64::INFINITY));
    }
    if exponent.saturating_add(digits.len() as i64) > MAX_DIGITS {
        return Err(LARGE_INTEGER);
    }
    let integer: BigInt = digits.parse().map_err(|_| LARGE_INTEGER)?;
    Number::integer(integer * BigInt::from(10).pow(exponent as u32))
}

/// Parses an exponent. An exponent that does not fit is replaced by a huge exponent, which has the same
/// effect.
fn parse_exponent(text: &str) -> i64 {
    let limit = match text.starts_with('-') {
        true => i64::MIN / 2,
        false => i64::MAX / 2,
    };
    text.parse().map_or(limit, |exponent: i64| {
        exponent.clamp(i64::MIN / 2, i64::MAX / 2)
    })
}

/// The precision of a quotient in bits: the precision of a double, and enough bits to round it.
const QUOTIENT_BITS: i64 = 66;

/// Returns the double nearest to an integer; infinity beyond the largest double.
pub(super) fn to_double(integer: &BigInt) -> f64 {
    integer.to_f64().unwrap_or(f64::INFINITY)
}

/// Returns the double nearest to the quotient of two integers. The divisor must not be 0.
pub(super) fn quotient(dividend: &BigInt, divisor: &BigInt) -> f64 {
    if dividend.sign() == Sign::NoSign {
        return 0.0;
    }
    let shift = QUOTIENT_BITS - (dividend.bits() as i64 - divisor.bits() as i64);
    let (mut above, mut below) = (dividend.magnitude().clone(), divisor.magnitude().clone());
    if shift > 0 {
        above <<= shift.unsigned_abs();
    } else {
        below <<= shift.unsigned_abs();
    }
    let whole = &above / &below;
    // A remainder sets the last bit, so that a quotient just above a tie is not rounded down.
    let lost = &whole * &below != above;
    // `whole` has at most `QUOTIENT_BITS` + 1 bits.
    let leading = whole.to_u128().unwrap_or(u128::MAX) | u128::from(lost);
    let magnitude = scaled(leading as f64, -shift);
    match dividend.sign() == divisor.sign() {
        true => magnitude,
        false => -magnitude,
    }
}

/// Returns the integer part of a finite double.
pub(super) fn truncated(double: f64) -> BigInt {
    BigInt::from_f64(double).unwrap_or_default()
}

/// Returns a finite double exactly, as an integer over a power of 2.
pub(super) fn ratio(double: f64) -> (BigInt, BigInt) {
    let (mantissa, exponent, sign) = FloatCore::integer_decode(double);
    let above = BigInt::from(mantissa) * sign;
    match exponent {
        0.. => (above << exponent, BigInt::from(1)),
        _ => (above, BigInt::from(1) << -exponent),
    }
}

/// Returns the integer nearest to a quotient. A tie is rounded away from 0, as people do.
pub(super) fn nearest_integer(dividend: &BigInt, divisor: &BigInt) -> BigInt {
    let half = BigInt::from(divisor.magnitude().clone());
    let doubled = dividend * 2;
    let shifted = match dividend.sign() {
        Sign::Minus => doubled - half,
        _ => doubled + half,
    };
    shifted / (divisor * 2)
}

/// Multiplies a double by a power of 2, in steps, so that each factor is a finite double.
fn scaled(mut double: f64, mut exponent: i64) -> f64 {
    const STEP: i64 = 1000;
    while exponent > STEP && double.is_finite() {
        double *= power_of_two(STEP);
        exponent -= STEP;
    }
    while exponent < -STEP && double != 0.0 {
        double *= power_of_two(-STEP);
        exponent += STEP;
    }
    double * power_of_two(exponent.clamp(-STEP, STEP))
}

/// Returns 2 to a power, which must be in the range of normal doubles.
fn power_of_two(exponent: i64) -> f64 {
    f64::from_bits(((exponent + 1023) as u64) << 52)
}
