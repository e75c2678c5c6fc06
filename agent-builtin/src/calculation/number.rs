//! Numbers and what is done with them: integers stay exact as long as there is an exact answer.

use super::exact::{quotient, to_double};
use num_bigint::{BigInt, Sign};
use std::borrow::Cow;

/// How many bits an integer may have while an expression is computed: twice as many as the largest
/// that can be its result, which must have a nearest double.
pub(super) const MOST_BITS: u64 = 2048;

/// Up to here a double holds every integer.
pub(super) const EXACT_DOUBLE: f64 = 9_007_199_254_740_992.0;

/// Why there is no result, without the place.
pub(super) type Reason = Cow<'static, str>;

#[derive(Clone, Debug)]
pub(super) enum Number {
    Integer(BigInt),
    /// A finite one.
    Double(f64),
}

pub(super) const DIVISION_BY_ZERO: Reason = Cow::Borrowed("division by zero");
pub(super) const LARGE_INTEGER: Reason =
    Cow::Borrowed("overflow: the integer is beyond 2^2048, where this calculator ends");
pub(super) const LARGE_DOUBLE: Reason =
    Cow::Borrowed("overflow: the result is beyond the largest double, about 1.8e308");
const NOT_REAL: Reason = Cow::Borrowed("the result is no real number");

impl Number {
    /// An integer, unless it is too large.
    pub(super) fn integer(integer: BigInt) -> Result<Self, Reason> {
        if integer.bits() > MOST_BITS {
            return Err(LARGE_INTEGER);
        }
        Ok(Self::Integer(integer))
    }

    /// A double, unless it is none that is a number.
    pub(super) fn double(double: f64) -> Result<Self, Reason> {
        if double.is_nan() {
            Err(NOT_REAL)
        } else if double.is_infinite() {
            Err(LARGE_DOUBLE)
        } else {
            Ok(Self::Double(double))
        }
    }

    /// The double that comes nearest.
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

    /// An integer when integers divide without remainder, else the nearest double.
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

    /// What division leaves, with the sign of the dividend, as in Rust, C and JavaScript.
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

/// How large a power gets is known before it is computed, so that a large one takes no time.
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
    let least_bits = |exponent: u32| (base.bits() - 1) * u64::from(exponent);
    let exponent = u32::try_from(exponent.magnitude()).ok();
    match exponent.filter(|exponent| least_bits(*exponent) <= MOST_BITS) {
        Some(exponent) if is_inverse => {
            Number::double(quotient(&BigInt::from(1), &base.pow(exponent)))
        }
        Some(exponent) => Number::integer(base.pow(exponent)),
        // Nearer to 0 than any double.
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
            "a negative number to a power that is no integer is no real number; \
             the cube root is `cbrt`"
                .into(),
        );
    }
    Number::double(base.powf(exponent))
}

fn zero_to_negative() -> Reason {
    "division by zero: 0 to a negative power".into()
}
