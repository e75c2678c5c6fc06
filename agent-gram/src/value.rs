//! The values of properties.
//!
//! Every type here can be built in a `const` from parts with a static lifetime, and at run time
//! from owned parts. The constructors refuse values that gram cannot express, so that every value
//! can be printed and read back.

mod nest;
mod number;
mod record;
mod symbol;
mod text;

pub use nest::Nest;
pub use number::{Decimal, Measurement, Number, Range};
pub use record::{Array, Record};
pub(crate) use symbol::is_symbol_byte;
pub use symbol::{Symbol, Tagged, is_symbol};
pub use text::Text;

/// A value of gram: the part of a property after its `:`.
///
/// Two maps are equal if their entries are, in any order. The rarer kinds are in a [`Nest`], so
/// that a value takes 32 bytes.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// A whole number of up to 128 bits. Hexadecimal and octal numbers are read as integers, too.
    Integer(i128),
    /// A number with a fraction.
    Decimal(Decimal),
    /// `true` or `false`.
    Boolean(bool),
    /// Text. The form of its quotes is not kept.
    String(Text),
    /// A bare word such as `Person`. `null` is a symbol, because gram has no null.
    Symbol(Symbol),
    /// Text with a tag that names its notation, such as ``date`2026-11-21` ``.
    Tagged(Nest<Tagged>),
    /// `[1, 2]`.
    Array(Array),
    /// `{a: 1}`.
    Map(Record),
    /// `1..10`, `1...`, `...10`.
    Range(Nest<Range>),
    /// A number with a unit, such as `10s`.
    Measurement(Nest<Measurement>),
}

impl From<Tagged> for Value {
    fn from(tagged: Tagged) -> Self {
        Self::Tagged(Nest::new(tagged))
    }
}

impl From<Range> for Value {
    fn from(range: Range) -> Self {
        Self::Range(Nest::new(range))
    }
}

impl From<Measurement> for Value {
    fn from(measurement: Measurement) -> Self {
        Self::Measurement(Nest::new(measurement))
    }
}

impl From<Number> for Value {
    fn from(number: Number) -> Self {
        match number {
            Number::Integer(value) => Self::Integer(value),
            Number::Decimal(value) => Self::Decimal(value),
            Number::Measurement(value) => Self::from(value),
        }
    }
}
