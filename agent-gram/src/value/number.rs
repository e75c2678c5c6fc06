//! Numbers other than integers: decimals, measurements, ranges.

use super::Text;
use crate::error::ValueError;

/// A finite number with a fraction. It holds its canonical text, so that it can be printed in a
/// `const`.
#[derive(Clone, Debug)]
pub struct Decimal(Repr);

/// The representation takes three words, like that of [`Text`], so that a [`Value`](super::Value)
/// stays small.
#[derive(Clone, Debug)]
enum Repr {
    Static(f64, &'static str),
    Owned(Box<(f64, String)>),
}

impl Decimal {
    /// Creates a decimal.
    ///
    /// # Errors
    /// If the number is infinite or not a number, because gram cannot express it.
    pub fn new(value: f64) -> Result<Self, ValueError> {
        if !value.is_finite() {
            return Err(ValueError::NotFinite);
        }
        let text = Self::canonical_text(value);
        Ok(Self(Repr::Owned(Box::new((value, text)))))
    }

    /// Creates a decimal in a `const`. `text` must be equal to [`Decimal::canonical_text`] of
    /// `value`, which code generators compute, because a `const` cannot.
    #[must_use]
    pub const fn from_static(value: f64, text: &'static str) -> Self {
        assert!(value.is_finite(), "gram has no infinite numbers and no NaN");
        Self(Repr::Static(value, text))
    }

    /// Returns the canonical text of a number: the shortest digits that read back as the same
    /// number, always with a fraction (`2.0`), never with an exponent.
    #[must_use]
    pub fn canonical_text(value: f64) -> String {
        let mut text = value.to_string();
        if !text.contains('.') {
            text.push_str(".0");
        }
        text
    }

    /// Returns the number.
    #[must_use]
    pub const fn value(&self) -> f64 {
        match &self.0 {
            Repr::Static(value, _) => *value,
            Repr::Owned(spelt) => spelt.0,
        }
    }

    /// Returns the canonical text.
    #[must_use]
    pub const fn text(&self) -> &str {
        match &self.0 {
            Repr::Static(_, text) => text,
            Repr::Owned(spelt) => spelt.1.as_str(),
        }
    }
}

impl PartialEq for Decimal {
    fn eq(&self, other: &Self) -> bool {
        self.value() == other.value()
    }
}

/// A number with a unit, such as `10s` or `1.5kg`.
#[derive(Clone, Debug, PartialEq)]
pub struct Measurement {
    value: Decimal,
    unit: Text,
}

impl Measurement {
    /// Creates a measurement.
    ///
    /// # Errors
    /// If the number is not finite, if the unit is not one or more ASCII letters, or if both
    /// together would be read as a hexadecimal number (`0` and `xA`).
    pub fn new(value: f64, unit: impl Into<Text>) -> Result<Self, ValueError> {
        let unit = unit.into();
        if !Self::is_unit_for(value, &unit) {
            return Err(ValueError::BadUnit(unit.into_string()));
        }
        Ok(Self {
            value: Decimal::new(value)?,
            unit,
        })
    }

    /// Whether a number and a unit, printed next to each other, are read back as a measurement.
    pub(crate) fn is_unit_for(value: f64, unit: &str) -> bool {
        let hex_tail = unit
            .strip_prefix('x')
            .is_some_and(|rest| !rest.is_empty() && rest.bytes().all(|b| b.is_ascii_hexdigit()));
        let plain_zero = value == 0.0 && value.is_sign_positive();
        !unit.is_empty()
            && unit.bytes().all(|b| b.is_ascii_alphabetic())
            && !(plain_zero && hex_tail)
    }

    /// Creates a measurement in a `const`; see [`Decimal::from_static`].
    #[must_use]
    pub const fn from_static(value: Decimal, unit: &'static str) -> Self {
        Self {
            value,
            unit: Text::from_static(unit),
        }
    }

    /// Returns the number.
    #[must_use]
    pub const fn value(&self) -> f64 {
        self.value.value()
    }

    /// Returns the number with its canonical text.
    #[must_use]
    pub const fn number(&self) -> &Decimal {
        &self.value
    }

    /// Returns the number as it is printed: without a fraction if that is zero.
    #[must_use]
    pub const fn number_text(&self) -> &str {
        let text = self.value.text();
        let bytes = text.as_bytes();
        let len = bytes.len();
        if len > 2 && bytes[len - 2] == b'.' && bytes[len - 1] == b'0' {
            text.split_at(len - 2).0
        } else {
            text
        }
    }

    /// Returns the unit, which consists of ASCII letters.
    #[must_use]
    pub const fn unit(&self) -> &str {
        self.unit.as_str()
    }
}

/// An end of a [`Range`].
#[derive(Clone, Debug, PartialEq)]
pub enum Number {
    /// A whole number.
    Integer(i128),
    /// A number with a fraction.
    Decimal(Decimal),
    /// A number with a unit.
    Measurement(Measurement),
}

/// A range, `1..10`, `1...` or `...10`, with one end or both.
#[derive(Clone, Debug, PartialEq)]
pub struct Range {
    lower: Option<Number>,
    upper: Option<Number>,
}

impl Range {
    /// Creates a range.
    ///
    /// # Errors
    /// If both ends are missing, because `...` alone is not gram.
    pub fn new(lower: Option<Number>, upper: Option<Number>) -> Result<Self, ValueError> {
        if lower.is_none() && upper.is_none() {
            return Err(ValueError::EmptyRange);
        }
        Ok(Self { lower, upper })
    }

    /// Creates a range in a `const`.
    ///
    /// # Panics
    /// If both ends are missing.
    #[must_use]
    pub const fn from_static(lower: Option<Number>, upper: Option<Number>) -> Self {
        assert!(
            lower.is_some() || upper.is_some(),
            "a range needs at least one end"
        );
        Self { lower, upper }
    }

    /// Returns the lower end, or `None` if the range is open there.
    #[must_use]
    pub const fn lower(&self) -> Option<&Number> {
        self.lower.as_ref()
    }

    /// Returns the upper end, or `None` if the range is open there.
    #[must_use]
    pub const fn upper(&self) -> Option<&Number> {
        self.upper.as_ref()
    }
}
