//! Constants and functions of expressions.

use super::error::clipped;
use super::number::{
    EXACT_DOUBLE, LARGE_INTEGER, MAX_BITS, Number, Reason, nearest_integer, quotient, ratio,
    to_double, truncated,
};
use agent_spec::names::nearest;
use num_bigint::{BigInt, Sign};
use num_integer::Integer as _;
use std::cmp::Ordering;
use std::f64::consts;
use std::ops::RangeInclusive;

/// The meaning of a name.
#[derive(Clone, Copy)]
pub(super) enum Word {
    Constant(f64),
    Function(&'static Function),
}

pub(super) struct Function {
    name: &'static str,
    /// The numbers of arguments that the function accepts.
    arity: RangeInclusive<usize>,
    apply: fn(&[Number]) -> Result<Number, Reason>,
}

impl Function {
    pub(super) fn call(&self, arguments: &[Number]) -> Result<Number, Reason> {
        if !self.arity.contains(&arguments.len()) {
            return Err(self.arity_error(arguments.len()).into());
        }
        (self.apply)(arguments)
    }

    fn arity_error(&self, found: usize) -> String {
        let (least, most) = (*self.arity.start(), *self.arity.end());
        let arguments = |number| if number == 1 { "argument" } else { "arguments" };
        let takes = if most == ANY {
            format!("{least} {} or more", arguments(least))
        } else if least == most {
            format!("{least} {}", arguments(least))
        } else {
            format!("{least} or {most} {}", arguments(most))
        };
        let name = self.name;
        let verb = if found == 1 { "is" } else { "are" };
        format!("`{name}` takes {takes}, and {found} {verb} given")
    }
}

const ANY: usize = usize::MAX;

const CONSTANTS: &[(&str, f64)] = &[
    ("pi", consts::PI),
    ("π", consts::PI),
    ("e", consts::E),
    ("tau", consts::TAU),
    ("τ", consts::TAU),
];

const fn function(
    name: &'static str,
    arity: RangeInclusive<usize>,
    apply: fn(&[Number]) -> Result<Number, Reason>,
) -> Function {
    Function { name, arity, apply }
}

static FUNCTIONS: &[Function] = &[
    function("abs", 1..=1, abs),
    function("acos", 1..=1, |a| within_one(a, f64::acos)),
    function("asin", 1..=1, |a| within_one(a, f64::asin)),
    function("atan", 1..=1, |a| double(a, f64::atan)),
    function("atan2", 2..=2, |a| doubles(a, f64::atan2)),
    function("cbrt", 1..=1, cbrt),
    function("ceil", 1..=1, |a| rounded(a, f64::ceil)),
    function("cos", 1..=1, |a| double(a, f64::cos)),
    function("cosh", 1..=1, |a| double(a, f64::cosh)),
    function("degrees", 1..=1, |a| double(a, f64::to_degrees)),
    function("exp", 1..=1, |a| double(a, f64::exp)),
    function("factorial", 1..=1, factorial),
    function("floor", 1..=1, |a| rounded(a, f64::floor)),
    function("gcd", 2..=ANY, gcd),
    function("hypot", 2..=2, |a| doubles(a, f64::hypot)),
    function("lcm", 2..=ANY, lcm),
    function("ln", 1..=1, |a| logarithm(a, f64::ln)),
    function("log", 1..=2, log),
    function("log10", 1..=1, |a| logarithm(a, f64::log10)),
    function("log2", 1..=1, |a| logarithm(a, f64::log2)),
    function("max", 1..=ANY, max),
    function("mean", 1..=ANY, mean),
    function("min", 1..=ANY, min),
    function("pow", 2..=2, |a| a[0].power(&a[1])),
    function("radians", 1..=1, |a| double(a, f64::to_radians)),
    function("round", 1..=2, round),
    function("sign", 1..=1, sign),
    function("sin", 1..=1, |a| double(a, f64::sin)),
    function("sinh", 1..=1, |a| double(a, f64::sinh)),
    function("sqrt", 1..=1, sqrt),
    function("sum", 1..=ANY, sum),
    function("tan", 1..=1, |a| double(a, f64::tan)),
    function("tanh", 1..=1, |a| double(a, f64::tanh)),
    function("trunc", 1..=1, |a| rounded(a, f64::trunc)),
];

pub(super) fn find_word(name: &str) -> Option<Word> {
    if let Some((_, value)) = CONSTANTS.iter().find(|(known, _)| *known == name) {
        return Some(Word::Constant(*value));
    }
    let found = FUNCTIONS
        .binary_search_by(|function| function.name.cmp(name))
        .ok()?;
    Some(Word::Function(&FUNCTIONS[found]))
}

/// The error for an unknown name: it suggests the nearest known name, else lists all names.
pub(super) fn unknown_word(name: &str) -> Reason {
    let constants = CONSTANTS.iter().map(|(name, _)| *name);
    let known = || {
        constants
            .clone()
            .chain(FUNCTIONS.iter().map(|function| function.name))
    };
    // Other languages write `math.sqrt`.
    let last = name.rsplit('.').next().unwrap_or(name);
    let excerpt = clipped(name);
    let reason = match nearest(last, known()) {
        Some(near) => format!("there is no `{excerpt}`; did you mean `{near}`?"),
        None => {
            let known: Vec<_> = known().filter(|name| name.is_ascii()).collect();
            format!("there is no `{excerpt}`; there are {}", known.join(", "))
        }
    };
    reason.into()
}

/// The maximum number of digits before or after the point for `round`: as many as a double can have.
const MAX_DIGITS: i32 = 308;

fn double(arguments: &[Number], apply: fn(f64) -> f64) -> Result<Number, Reason> {
    Number::double(apply(arguments[0].as_double()?))
}

fn doubles(arguments: &[Number], apply: fn(f64, f64) -> f64) -> Result<Number, Reason> {
    Number::double(apply(arguments[0].as_double()?, arguments[1].as_double()?))
}

/// Applies a function that is defined from -1 to 1.
fn within_one(arguments: &[Number], apply: fn(f64) -> f64) -> Result<Number, Reason> {
    match arguments[0].as_double()? {
        argument if argument.abs() <= 1.0 => Number::double(apply(argument)),
        _ => Err("the argument must be from -1 to 1".into()),
    }
}

fn logarithm(arguments: &[Number], apply: fn(f64) -> f64) -> Result<Number, Reason> {
    match arguments[0].as_double()? {
        argument if argument > 0.0 => Number::double(apply(argument)),
        _ => Err("only positive numbers have a real logarithm".into()),
    }
}

/// The logarithm to base 10 or to the given base; exact when the argument is an integer power of the base.
fn log(arguments: &[Number]) -> Result<Number, Reason> {
    let ten = Number::Integer(BigInt::from(10));
    let base = arguments.get(1).unwrap_or(&ten);
    let above = logarithm(arguments, f64::ln)?.as_double()?;
    let below = logarithm(std::slice::from_ref(base), f64::ln)?.as_double()?;
    if below == 0.0 {
        return Err("1 is not a base of logarithms".into());
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

fn abs(arguments: &[Number]) -> Result<Number, Reason> {
    let argument = arguments[0].clone();
    Ok(match argument.is_negative() {
        true => argument.negated(),
        false => argument,
    })
}

fn sign(arguments: &[Number]) -> Result<Number, Reason> {
    let sign = match &arguments[0] {
        argument if argument.is_zero() => 0,
        argument if argument.is_negative() => -1,
        _ => 1,
    };
    Ok(Number::Integer(BigInt::from(sign)))
}

/// The square root, which is an integer for the square of an integer.
fn sqrt(arguments: &[Number]) -> Result<Number, Reason> {
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

/// The cube root, which is an integer for the cube of an integer.
fn cbrt(arguments: &[Number]) -> Result<Number, Reason> {
    if let Number::Integer(integer) = &arguments[0] {
        let root = integer.cbrt();
        if root.pow(3) == *integer {
            return Ok(Number::Integer(root));
        }
        return double_root(integer, &root, f64::cbrt);
    }
    double(arguments, f64::cbrt)
}

/// The root of an integer as a double. For an integer beyond the largest double, the integer part of the
/// root has far more digits than a double, so that rounding it loses nothing.
fn double_root(
    integer: &BigInt,
    integer_part: &BigInt,
    root: fn(f64) -> f64,
) -> Result<Number, Reason> {
    match to_double(integer) {
        double if double.is_finite() => Number::double(root(double)),
        _ => Number::double(to_double(integer_part)),
    }
}

/// Rounds to an integer with a function such as `f64::floor`.
fn rounded(arguments: &[Number], apply: fn(f64) -> f64) -> Result<Number, Reason> {
    match &arguments[0] {
        Number::Double(double) if !is_inexact(*double) => {
            Number::integer(truncated(apply(*double)))
        }
        argument => Ok(argument.clone()),
    }
}

/// Whether a double is so large that its last digits are unknown, so that it must not become an exact
/// integer.
fn is_inexact(double: f64) -> bool {
    double.abs() > EXACT_DOUBLE
}

/// Rounds to an integer, or to a number of digits after the point; before the point, when it is negative.
fn round(arguments: &[Number]) -> Result<Number, Reason> {
    let digits = match arguments.get(1) {
        None => 0,
        Some(digits) => as_integer(digits)
            .and_then(|digits| i32::try_from(digits).ok())
            .filter(|digits| digits.abs() <= MAX_DIGITS)
            .ok_or("the number of digits must be an integer from -308 to 308")?,
    };
    let unit = BigInt::from(10).pow(digits.unsigned_abs());
    let (above, below) = match &arguments[0] {
        Number::Integer(integer) if digits >= 0 => return Ok(Number::Integer(integer.clone())),
        Number::Integer(integer) => (integer.clone(), BigInt::from(1)),
        Number::Double(double) => ratio(*double),
    };
    match digits {
        ..=0 if matches!(&arguments[0], Number::Double(double) if is_inexact(*double)) => {
            Number::double(to_double(
                &(nearest_integer(&above, &(below * &unit)) * unit),
            ))
        }
        ..=0 => Number::integer(nearest_integer(&above, &(below * &unit)) * unit),
        _ => Number::double(quotient(&nearest_integer(&(above * &unit), &below), &unit)),
    }
}

fn max(arguments: &[Number]) -> Result<Number, Reason> {
    extreme(arguments, Ordering::Greater)
}

fn min(arguments: &[Number]) -> Result<Number, Reason> {
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

fn sum(arguments: &[Number]) -> Result<Number, Reason> {
    let (first, rest) = arguments.split_at(1);
    rest.iter()
        .try_fold(first[0].clone(), |sum, argument| sum.plus(argument))
}

fn mean(arguments: &[Number]) -> Result<Number, Reason> {
    sum(arguments)?.over(&Number::Integer(BigInt::from(arguments.len())))
}

fn factorial(arguments: &[Number]) -> Result<Number, Reason> {
    let max = as_integer(&arguments[0])
        .filter(|integer| integer.sign() != Sign::Minus)
        .ok_or("only an integer from 0 on has a factorial")?;
    let max = u32::try_from(max).map_err(|_| LARGE_INTEGER)?;
    let mut product = BigInt::from(1);
    for factor in 2..=max {
        product *= factor;
        if product.bits() > MAX_BITS {
            return Err(LARGE_INTEGER);
        }
    }
    Ok(Number::Integer(product))
}

fn gcd(arguments: &[Number]) -> Result<Number, Reason> {
    fold_integers(arguments, |a, b| a.gcd(b))
}

fn lcm(arguments: &[Number]) -> Result<Number, Reason> {
    fold_integers(arguments, |a, b| a.lcm(b))
}

fn fold_integers(
    arguments: &[Number],
    combine: fn(&BigInt, &BigInt) -> BigInt,
) -> Result<Number, Reason> {
    let mut combined: Option<BigInt> = None;
    for argument in arguments {
        let integer = as_integer(argument).ok_or("the arguments must be integers")?;
        let next = combined.map_or_else(|| integer.clone(), |combined| combine(&combined, integer));
        if next.bits() > MAX_BITS {
            return Err(LARGE_INTEGER);
        }
        combined = Some(next);
    }
    Ok(Number::Integer(combined.unwrap_or_default()))
}

/// Returns the value of an exact integer.
fn as_integer(number: &Number) -> Option<&BigInt> {
    match number {
        Number::Integer(integer) => Some(integer),
        Number::Double(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_functions_are_sorted_and_each_is_found() {
        assert!(FUNCTIONS.is_sorted_by_key(|function| function.name));
        for function in FUNCTIONS {
            assert!(matches!(find_word(function.name), Some(Word::Function(_))));
        }
    }
}
