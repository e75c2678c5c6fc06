//! Between exact integers and doubles, with nothing lost but what a double has no room for.

use num_bigint::{BigInt, Sign};

/// How many bits a quotient is computed to: those of a double, and more than enough to round them.
const QUOTIENT_BITS: i64 = 66;

/// The double that comes nearest to an integer: infinite, beyond the largest one.
pub(super) fn to_double(integer: &BigInt) -> f64 {
    match i128::try_from(integer) {
        Ok(small) => small as f64,
        Err(_) => {
            let dropped = integer.bits() - QUOTIENT_BITS as u64;
            let leading = small(&(integer.magnitude() >> dropped).into());
            let lost = integer.trailing_zeros().unwrap_or(0) < dropped;
            let magnitude = scaled((leading | u128::from(lost)) as f64, dropped as i64);
            with_sign(magnitude, integer.sign() == Sign::Minus)
        }
    }
}

/// The double that comes nearest to the quotient of two integers, of which the second is not 0.
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
    // What the division leaves makes the last bit 1, so that rounding knows of it.
    let lost = &whole * &below != above;
    let leading = small(&whole.into()) | u128::from(lost);
    let is_negative = dividend.sign() != divisor.sign();
    with_sign(scaled(leading as f64, -shift), is_negative)
}

/// The integer that is left of a finite double without its fraction.
pub(super) fn truncated(double: f64) -> BigInt {
    let (above, below) = ratio(double);
    above / below
}

/// A finite double as what it is exactly: an integer over a power of 2.
pub(super) fn ratio(double: f64) -> (BigInt, BigInt) {
    let bits = double.to_bits();
    let exponent = (bits >> 52 & 0x7ff) as i64;
    let fraction = bits & ((1 << 52) - 1);
    // Numbers below the normal ones have no leading 1 of their own.
    let (fraction, exponent) = match exponent {
        0 => (fraction, -1074),
        _ => (fraction | 1 << 52, exponent - 1075),
    };
    let above = BigInt::from(fraction);
    let above = if double.is_sign_negative() {
        -above
    } else {
        above
    };
    let power = |exponent: i64| BigInt::from(1) << exponent.unsigned_abs();
    match exponent {
        0.. => (above * power(exponent), BigInt::from(1)),
        _ => (above, power(exponent)),
    }
}

/// A quotient as the nearest integer; one in the middle goes away from 0, as people round.
pub(super) fn nearest_integer(dividend: &BigInt, divisor: &BigInt) -> BigInt {
    let half = BigInt::from(divisor.magnitude().clone());
    let doubled = dividend * 2;
    let moved = match dividend.sign() {
        Sign::Minus => doubled - half,
        _ => doubled + half,
    };
    moved / (divisor * 2)
}

/// A number that has few enough bits.
fn small(integer: &BigInt) -> u128 {
    u128::try_from(integer).unwrap_or(u128::MAX)
}

fn with_sign(magnitude: f64, is_negative: bool) -> f64 {
    if is_negative { -magnitude } else { magnitude }
}

/// A double times a power of 2, in steps that are doubles themselves.
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

/// 2 to a power within those of normal doubles.
fn power_of_two(exponent: i64) -> f64 {
    f64::from_bits(((exponent + 1023) as u64) << 52)
}
