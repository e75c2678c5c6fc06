//! Conversion to and from the patterns of the crate `relateby-pattern`, which other gram tools use.
//!
//! ```
//! use agent_gram::relateby::{Pattern as Theirs, Subject};
//!
//! let ours = agent_gram::parse_patterns("[ada:Person {born: 1815}]").expect("gram").remove(0);
//! let theirs = Theirs::<Subject>::try_from(&ours)?;
//! assert_eq!(theirs.value.identity.0, "ada");
//! assert_eq!(agent_gram::Pattern::try_from(&theirs)?, ours);
//! # Ok::<(), agent_gram::relateby::ConvertError>(())
//! ```
//!
//! A pattern that is converted there and back is equal to the original. A part that the other type
//! cannot represent is an error; nothing is rounded. For both types, equality does not depend on the
//! order of labels and keys. `relateby-pattern` does not keep that order, so labels and keys come back
//! sorted.
//!
//! | gram | `relateby-pattern` |
//! | --- | --- |
//! | integers | 64 bits; wider ones are refused |
//! | ends of ranges | floats: a whole one is an integer. A whole decimal (`1..2.0`) is refused, and so is an integer that no float holds, or a measurement |
//! | all other values | the same |
//!
//! In the other direction, these are refused: floats that are infinite or not a number; symbols, tags
//! and units of a form that gram does not have; a range without ends; patterns and values that nest
//! deeper than [`MAX_DEPTH`](crate::MAX_DEPTH). The depth is checked during the conversion, so that no
//! pattern exhausts the stack here. The depth of a `relateby-pattern` has no limit, and dropping or
//! cloning it recurses.

mod error;
mod from_theirs;
mod to_theirs;

pub use error::{ConvertError, Reason};
/// The types of `relateby-pattern`, in the version that this crate depends on.
pub use pattern_core::{Pattern, Subject};

use crate::value::Number;

/// Converts the end of a range. Returns `None` if the float is infinite or not a number.
///
/// `relateby-pattern` has every end as a float. A whole number becomes an integer, because that is
/// what people write, as in `1..10`. Minus zero becomes a decimal, because an integer cannot keep
/// the sign.
fn range_end(value: f64) -> Option<Number> {
    /// The limit below which every whole float fits 128 bits.
    const BEYOND: f64 = 170_141_183_460_469_231_731_687_303_715_884_105_728.0;
    let is_minus_zero = value == 0.0 && value.is_sign_negative();
    if value.fract() == 0.0 && value.abs() < BEYOND && !is_minus_zero {
        return Some(Number::Integer(value as i128));
    }
    crate::value::Decimal::new(value).ok().map(Number::Decimal)
}
