//! The calculator.
//!
//! An expression is computed while it is read: [`token`] gives its words, [`evaluate`] joins them by
//! how tightly their operators bind, and [`number`] and [`function`] compute. Length, nesting and the
//! size of integers have bounds, so every expression takes a bounded time.

mod error;
mod evaluate;
mod exact;
mod function;
mod literal;
mod number;
mod token;

pub use error::CalculationError;

use agent_runtime::{GramType, tool};
use error::Fault;
use evaluate::evaluate;
use number::{EXACT_DOUBLE, LARGE_DOUBLE, Number};
use serde::ser::{Serialize, SerializeStruct as _, Serializer};
use serde_json::Number as JsonNumber;

/// How many bytes an expression may have.
const MOST_BYTES: usize = 4096;

/// Evaluates mathematical expressions.
///
/// # Expressions
///
/// | | |
/// | --- | --- |
/// | numbers | `42`, `3.14`, `.5`, `6.02e23`, `1_000_000` |
/// | operators, those that bind loosest first | `+` `-`; `*` `/` `%`; signs; `^`, also written `**` |
/// | constants | `pi`, `e`, `tau` |
/// | roots, powers, logarithms | `sqrt` `cbrt` `hypot` `pow` `exp` `ln` `log2` `log10`; `log(x)` is to base 10, `log(x, b)` to base b |
/// | angles, in radians | `sin` `cos` `tan` `asin` `acos` `atan` `atan2` `sinh` `cosh` `tanh` `degrees` `radians` |
/// | rounding | `round(x)`, half away from 0; `round(x, digits)`; `floor` `ceil` `trunc` `abs` `sign` |
/// | of many | `min` `max` `sum` `mean` `gcd` `lcm` |
/// | integers | `factorial` |
///
/// `^` groups from the right and binds tighter than a sign: `2^3^2` is 512, and `-2^2` is -4. `%` is
/// the remainder, with the sign of its left side: `-7 % 3` is -1. `0^0` is 1.
///
/// # Exactness
/// Integers are exact, up to 2048 bits while an expression is computed. What has an exact integer as
/// its answer gives it: `+`, `-`, `*`, `%` and `^` of integers, `/` where nothing is left, roots of
/// squares and cubes. A number without fraction is an integer however it is written, `5.0` and `1e3`.
/// Everything else is the double nearest to what IEEE 754 arithmetic gives.
///
/// A result beyond 64 bits (those of `Int`) comes as the nearest double in `result`, and exactly in
/// `exact`.
///
/// # Errors
/// When the expression cannot be read, divides by zero, has no real result or one beyond the largest
/// double, is longer than 4096 bytes, or nests deeper than 64 levels: with the place in it.
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
#[tool(idempotent, read_only, inline)]
pub fn calculator(
    #[tool(description = "Math expression like '2 + 2'")] expression: &str,
) -> Result<Calculation, CalculationError> {
    let calculated = match expression.len() {
        ..=MOST_BYTES => evaluate(expression),
        length => Err(Fault::new(
            0,
            format!("the expression has {length} bytes, and {MOST_BYTES} are read at most"),
        )),
    };
    calculated
        .and_then(|number| Calculation::of(&number).map_err(|reason| Fault::new(0, reason)))
        .map_err(|fault| fault.within(expression))
}

/// What an expression comes to.
#[derive(Clone, Debug, PartialEq, GramType)]
pub struct Calculation {
    // It is always there; the schema of the design documents demands no member of a result.
    #[gram(type = "Double")]
    #[serde(default)]
    result: JsonNumber,
    // The integer that `result` comes near to, when it has more than 64 bits.
    exact: Option<String>,
}

impl Calculation {
    fn of(number: &Number) -> Result<Self, number::Reason> {
        let double = number.as_double()?;
        let whole = match number {
            Number::Integer(integer) => i64::try_from(integer).ok(),
            // Models, as people, write 5 and not 5.0.
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

    /// The result, or the double that comes nearest to it.
    #[must_use]
    pub fn result(&self) -> f64 {
        self.result.as_f64().unwrap_or(f64::NAN)
    }

    /// The result, if it is an integer of 64 bits.
    #[must_use]
    pub fn as_integer(&self) -> Option<i64> {
        self.result.as_i64()
    }

    /// The digits of a result that is an integer of more than 64 bits.
    #[must_use]
    pub fn exact(&self) -> Option<&str> {
        self.exact.as_deref()
    }
}

impl Serialize for Calculation {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let fields = 1 + usize::from(self.exact.is_some());
        let mut object = serializer.serialize_struct("Calculation", fields)?;
        object.serialize_field("result", &self.result)?;
        match &self.exact {
            Some(exact) => object.serialize_field("exact", exact)?,
            None => object.skip_field("exact")?,
        }
        object.end()
    }
}
