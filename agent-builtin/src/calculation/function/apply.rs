//! What the functions compute. Each is called with as many arguments as it takes.

use super::super::exact::{nearest_integer, quotient, ratio, to_double, truncated};
use super::super::number::{EXACT_DOUBLE, LARGE_INTEGER, MOST_BITS, Number, Reason};
use num_bigint::{BigInt, Sign};
use num_integer::Integer as _;
use std::cmp::Ordering;

/// How many digits before or after the point `round` can round to: as many as a double can have.
const MOST_DIGITS: i32 = 308;

pub(super) fn double(arguments: &[Number], apply: fn(f64) -> f64) -> Result<Number, Reason> {
    Number::double(apply(arguments[0].as_double()?))
}

pub(super) fn doubles(arguments: &[Number], apply: fn(f64, f64) -> f64) -> Result<Number, Reason> {
    Number::double(apply(arguments[0].as_double()?, arguments[1].as_double()?))
}

/// Of a number from -1 to 1.
pub(super) fn within_one(arguments: &[Number], apply: fn(f64) -> f64) -> Result<Number, Reason> {
    match arguments[0].as_double()? {
        argument if argument.abs() <= 1.0 => Number::double(apply(argument)),
        _ => Err("the argument must be from -1 to 1".into()),
    }
}

pub(super) fn logarithm(arguments: &[Number], apply: fn(f64) -> f64) -> Result<Number, Reason> {
    match arguments[0].as_double()? {
        argument if argument > 0.0 => Number::double(apply(argument)),
        _ => Err("only positive numbers have a real logarithm".into()),
    }
}

/// To base 10, or to the base that is given: exact where a whole power of it is asked for.
pub(super) fn log(arguments: &[Number]) -> Result<Number, Reason> {
    let ten = Number::Integer(BigInt::from(10));
    let base = arguments.get(1).unwrap_or(&ten);
    let above = logarithm(arguments, f64::ln)?.as_double()?;
    let below = logarithm(std::slice::from_ref(base), f64::ln)?.as_double()?;
    if below == 0.0 {
        return Err("1 is no base of logarithms".into());
    }
    let value = above / below;
    let whole = Number::integer(truncated(value.round()))?;
    if let (Number::Integer(argument), Ok(Number::Integer(power))) =
        (&arguments[0], base.power(&whole))
        && *argument == power
    {
        return Ok(whole);
    }
    match arguments.len() {
        1 => logarithm(arguments, f64::log10),
        _ => Number::double(value),
    }
}

pub(super) fn abs(arguments: &[Number]) -> Result<Number, Reason> {
    let argument = arguments[0].clone();
    Ok(match argument.is_negative() {
        true => argument.negated(),
        false => argument,
    })
}

pub(super) fn sign(arguments: &[Number]) -> Result<Number, Reason> {
    let sign = match &arguments[0] {
        argument if argument.is_zero() => 0,
        argument if argument.is_negative() => -1,
        _ => 1,
    };
    Ok(Number::Integer(BigInt::from(sign)))
}

/// An integer for the square of one.
pub(super) fn sqrt(arguments: &[Number]) -> Result<Number, Reason> {
    let argument = &arguments[0];
    if argument.is_negative() {
        return Err("a negative number has no real square root".into());
    }
    if let Number::Integer(integer) = argument {
        let root = integer.sqrt();
        if &root * &root == *integer {
            return Ok(Number::Integer(root));
        }
        return double_root(integer, &root, f64::sqrt);
    }
    double(arguments, f64::sqrt)
}

/// An integer for the cube of one.
pub(super) fn cbrt(arguments: &[Number]) -> Result<Number, Reason> {
    if let Number::Integer(integer) = &arguments[0] {
        let root = integer.cbrt();
        if root.pow(3) == *integer {
            return Ok(Number::Integer(root));
        }
        return double_root(integer, &root, f64::cbrt);
    }
    double(arguments, f64::cbrt)
}

/// The root of an integer that may itself be beyond the doubles; then the whole part of its root has
/// far more digits than a double.
fn double_root(integer: &BigInt, whole: &BigInt, root: fn(f64) -> f64) -> Result<Number, Reason> {
    match to_double(integer) {
        double if double.is_finite() => Number::double(root(double)),
        _ => Number::double(to_double(whole)),
    }
}

/// An integer, by a function that drops the fraction of a double in its own way.
pub(super) fn rounded(arguments: &[Number], apply: fn(f64) -> f64) -> Result<Number, Reason> {
    match &arguments[0] {
        Number::Double(double) if !is_rough(*double) => Number::integer(truncated(apply(*double))),
        whole => Ok(whole.clone()),
    }
}

/// Whether a double is so large that it has no fraction. Its last digits are not those of the number
/// that it stands for, so it does not become an exact integer.
fn is_rough(double: f64) -> bool {
    double.abs() > EXACT_DOUBLE
}

/// To an integer, or to a number of digits behind the point; before it, when that is negative.
pub(super) fn round(arguments: &[Number]) -> Result<Number, Reason> {
    let digits = match arguments.get(1) {
        None => 0,
        Some(digits) => whole(digits)
            .and_then(|digits| i32::try_from(digits).ok())
            .filter(|digits| digits.abs() <= MOST_DIGITS)
            .ok_or("the number of digits must be an integer from -308 to 308")?,
    };
    let unit = BigInt::from(10).pow(digits.unsigned_abs());
    let (above, below) = match &arguments[0] {
        Number::Integer(integer) if digits >= 0 => return Ok(Number::Integer(integer.clone())),
        Number::Integer(integer) => (integer.clone(), BigInt::from(1)),
        Number::Double(double) => ratio(*double),
    };
    match digits {
        ..=0 if matches!(&arguments[0], Number::Double(double) if is_rough(*double)) => {
            Number::double(to_double(
                &(nearest_integer(&above, &(below * &unit)) * unit),
            ))
        }
        ..=0 => Number::integer(nearest_integer(&above, &(below * &unit)) * unit),
        _ => Number::double(quotient(&nearest_integer(&(above * &unit), &below), &unit)),
    }
}

pub(super) fn max(arguments: &[Number]) -> Result<Number, Reason> {
    extreme(arguments, Ordering::Greater)
}

pub(super) fn min(arguments: &[Number]) -> Result<Number, Reason> {
    extreme(arguments, Ordering::Less)
}

fn extreme(arguments: &[Number], wanted: Ordering) -> Result<Number, Reason> {
    let mut best = &arguments[0];
    for argument in &arguments[1..] {
        let order = match (argument, best) {
            (Number::Integer(a), Number::Integer(b)) => a.cmp(b),
            _ => argument.as_double()?.total_cmp(&best.as_double()?),
        };
        if order == wanted {
            best = argument;
        }
    }
    Ok(best.clone())
}

pub(super) fn sum(arguments: &[Number]) -> Result<Number, Reason> {
    let (first, rest) = arguments.split_at(1);
    rest.iter()
        .try_fold(first[0].clone(), |sum, argument| sum.plus(argument))
}

pub(super) fn mean(arguments: &[Number]) -> Result<Number, Reason> {
    sum(arguments)?.over(&Number::Integer(BigInt::from(arguments.len())))
}

pub(super) fn factorial(arguments: &[Number]) -> Result<Number, Reason> {
    let most = whole(&arguments[0])
        .filter(|integer| integer.sign() != Sign::Minus)
        .ok_or("only an integer from 0 on has a factorial")?;
    let most = u32::try_from(most).map_err(|_| LARGE_INTEGER)?;
    let mut product = BigInt::from(1);
    for factor in 2..=most {
        product *= factor;
        if product.bits() > MOST_BITS {
            return Err(LARGE_INTEGER);
        }
    }
    Ok(Number::Integer(product))
}

pub(super) fn gcd(arguments: &[Number]) -> Result<Number, Reason> {
    fold_integers(arguments, |a, b| a.gcd(b))
}

pub(super) fn lcm(arguments: &[Number]) -> Result<Number, Reason> {
    fold_integers(arguments, |a, b| a.lcm(b))
}

fn fold_integers(
    arguments: &[Number],
    combine: fn(&BigInt, &BigInt) -> BigInt,
) -> Result<Number, Reason> {
    let mut combined: Option<BigInt> = None;
    for argument in arguments {
        let integer = whole(argument).ok_or("the arguments must be integers")?;
        let next = combined.map_or_else(|| integer.clone(), |combined| combine(&combined, integer));
        if next.bits() > MOST_BITS {
            return Err(LARGE_INTEGER);
        }
        combined = Some(next);
    }
    Ok(Number::Integer(combined.unwrap_or_default()))
}

/// The number, if it is an exact integer.
fn whole(number: &Number) -> Option<&BigInt> {
    match number {
        Number::Integer(integer) => Some(integer),
        Number::Double(_) => None,
    }
}
