//! Patterns to and from those of the crate `relateby-pattern`, which other gram tools work with.
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
//! What goes over comes back equal; the rest is refused, and nothing is rounded. Neither side keeps
//! the order of labels and keys as part of what is equal, and theirs keeps none at all, so that
//! labels and keys come back sorted.
//!
//! | gram | theirs |
//! | --- | --- |
//! | integers | 64 bits; wider ones are refused |
//! | ends of ranges | floats: a whole one is an integer. A whole decimal (`1..2.0`) is refused, and so is an integer that no float holds, or a measurement |
//! | all other values | the same |
//!
//! The other way, these are refused: floats that are infinite or not a number; symbols, tags and
//! units of a form that gram does not have; a range without ends; patterns and values that nest
//! deeper than [`MAX_DEPTH`](crate::MAX_DEPTH). How deep theirs nest is looked at on the way down,
//! so that no pattern exhausts the stack here. Theirs can be nested without bound, and to drop or
//! clone them recurses.

mod error;
mod from_theirs;
mod to_theirs;

pub use error::{ConvertError, Reason};
/// The types of `relateby-pattern`, of the version that this crate has.
pub use pattern_core::{Pattern, Subject};

use crate::value::Number;

/// An end of a range as it is read from theirs. `None` for a float that is no number.
///
/// They write every end as a float. One that is a whole number is read as an integer, since `1..10`
/// is what people write. Minus zero is not one: an integer has no sign to keep at zero.
fn range_end(value: f64) -> Option<Number> {
    /// Doubles below this are whole numbers that 128 bits hold, if they are whole.
    const BEYOND: f64 = 170_141_183_460_469_231_731_687_303_715_884_105_728.0;
    let is_minus_zero = value == 0.0 && value.is_sign_negative();
    if value.fract() == 0.0 && value.abs() < BEYOND && !is_minus_zero {
        return Some(Number::Integer(value as i128));
    }
    crate::value::Decimal::new(value).ok().map(Number::Decimal)
}
