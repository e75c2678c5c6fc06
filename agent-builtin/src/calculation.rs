//! The tool `calculator`.
//!
//! [`token`] splits an expression into tokens, [`evaluate`] parses and evaluates them in one pass, with the
//! arithmetic of [`number`] and [`function`]. The length, the nesting and the size of integers are limited,
//! so the time of every evaluation is bounded.

mod error;
mod evaluate;
mod function;
mod number;
mod token;

pub use error::CalculationError;

use agent_tool::{GramType, tool};
use error::Fault;
use evaluate::evaluate;
use number::{EXACT_DOUBLE, LARGE_DOUBLE, Number};
use serde::Serialize;
use serde_json::Number as JsonNumber;

/// The maximum length of an expression in bytes. A model can write millions of operations, whose long fractions would
/// occupy a thread for minutes.
const MAX_BYTES: usize = 4096;

/// Evaluates mathematical expressions.
///
/// # Expressions
///
/// | | |
/// | --- | --- |
/// | numbers | `42`, `3.14`, `.5`, `6.02e23`, `1_000_000` |
/// | operators, in order of increasing precedence | `+` `-`; `*` `/` `%`; signs; `^`, also written `**` |
/// | constants | `pi`, `e`, `tau` |
/// | roots, powers, logarithms | `sqrt` `cbrt` `hypot` `pow` `exp` `ln` `log2` `log10`; `log(x)` is to base 10, `log(x, b)` to base b |
/// | angles, in radians | `sin` `cos` `tan` `asin` `acos` `atan` `atan2` `sinh` `cosh` `tanh` `degrees` `radians` |
/// | rounding | `round(x)`, half away from 0; `round(x, digits)`; `floor` `ceil` `trunc` `abs` `sign` |
/// | aggregates | `min` `max` `sum` `mean` `gcd` `lcm` |
/// | integers | `factorial` |
///
/// `^` groups from the right and binds tighter than a sign: `2^3^2` is 512, and `-2^2` is -4. `%` is
/// the remainder, with the sign of its left side: `-7 % 3` is -1. `0^0` is 1.
///
/// # Exactness
/// Integers of up to 2048 bits are exact: the results of `+`, `-`, `*`, `%` and `^` of integers, of `/`
/// without remainder, and the roots of squares and cubes. A number without fraction is an integer, also when
/// written as `5.0` or `1e3`. All other results are doubles, by IEEE 754 arithmetic.
///
/// An integer result of more than 64 bits is returned as the nearest double in `result` and exactly in
/// `exact`.
///
/// # Errors
/// When the expression is invalid, divides by zero, has no real result or a result beyond the largest
/// double, is longer than 4096 bytes, or nests deeper than 64 levels. The error has the position.
///
/// ```
/// use agent_builtin::calculator;
///
/// assert_eq!(calculator("(3 + 4) * 5 ^ 2 - sqrt(16)")?.result(), 171.0);
/// assert_eq!(calculator("2^64 + 1")?.exact(), Some("18446744073709551617"));
/// let error = calculator("1 / (2 - 2)").unwrap_err();
/// assert_eq!(error.to_string(), "division by zero (at character 3: `/ (2 - 2)`)");
/// # Ok::<(), agent_builtin::CalculationError>(())
/// ```
#[tool(idempotent, read_only, inline, untrusted = false)]
pub fn calculator(
    #[tool(description = "Math expression like '2 + 2'")] expression: &str,
) -> Result<Calculation, CalculationError> {
    let calculated = match expression.len() {
        ..=MAX_BYTES => evaluate(expression),
        length => Err(Fault::new(
            0,
            format!("the expression has {length} bytes, and the maximum is {MAX_BYTES}"),
        )),
    };
    calculated
        .and_then(|number| Calculation::new(&number).map_err(|reason| Fault::new(0, reason)))
        .map_err(|fault| fault.in_expression(expression))
}

/// The result of an expression.
#[derive(Clone, Debug, PartialEq, Serialize, GramType)]
pub struct Calculation {
    // Always present. The schema of the design documents requires no field of a result.
    #[gram(type = "Double")]
    #[serde(default)]
    result: JsonNumber,
    // The digits of an integer of more than 64 bits.
    #[serde(skip_serializing_if = "Option::is_none")]
    exact: Option<String>,
}

impl Calculation {
    fn new(number: &Number) -> Result<Self, number::Reason> {
        let double = number.as_double()?;
        let whole = match number {
            Number::Integer(integer) => i64::try_from(integer).ok(),
            // An integer is written as 5 and not as 5.0.
            Number::Double(double) if double.fract() == 0.0 && double.abs() <= EXACT_DOUBLE => {
                Some(*double as i64)
            }
            Number::Double(_) => None,
        };
        let result = match whole {
            Some(whole) => JsonNumber::from(whole),
            None => JsonNumber::from_f64(double).ok_or(LARGE_DOUBLE)?,
        };
        let exact = match number {
            Number::Integer(integer) if whole.is_none() => Some(integer.to_string()),
            _ => None,
        };
        Ok(Self { result, exact })
    }

    /// Returns the result, or the nearest double.
    #[must_use]
    pub fn result(&self) -> f64 {
        self.result.as_f64().unwrap_or(f64::NAN)
    }

    /// Returns the result if it is an integer of at most 64 bits.
    #[must_use]
    pub fn as_integer(&self) -> Option<i64> {
        self.result.as_i64()
    }

    /// Returns the digits of an integer result of more than 64 bits.
    #[must_use]
    pub fn exact(&self) -> Option<&str> {
        self.exact.as_deref()
    }
}
