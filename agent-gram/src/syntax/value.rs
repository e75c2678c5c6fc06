//! Values: what stands after the colon of a property.

use super::tape::{Kind, Part};
use super::{Name, Record};
use crate::span::Span;

/// A value and where it stands.
#[derive(Clone, Copy, Debug)]
pub struct Value<'t>(pub(super) Part<'t>);

impl<'t> Value<'t> {
    /// Where it stands, quotes included.
    #[must_use]
    pub fn span(&self) -> Span {
        self.0.span()
    }

    /// What it is.
    #[must_use]
    pub fn kind(&self) -> ValueKind<'t> {
        let part = self.0;
        match part.kind() {
            Kind::Number => ValueKind::Number(Number(part)),
            Kind::Boolean => ValueKind::Boolean(part.form() == 1),
            Kind::Symbol => ValueKind::Symbol(part.source()),
            Kind::String => {
                let (text, form) = string(part);
                ValueKind::String { text, form }
            }
            Kind::Tagged => match (part.parts().next(), part.parts().nth(1)) {
                (Some(tag), Some(content)) => {
                    let (text, form) = string(content);
                    let tag = Name(tag);
                    ValueKind::Tagged { tag, text, form }
                }
                _ => ValueKind::Invalid,
            },
            Kind::Range => {
                let mut numbers = part.parts().map(Number);
                let lower = range_ends(part.form()).0.then(|| numbers.next()).flatten();
                let upper = range_ends(part.form()).1.then(|| numbers.next()).flatten();
                ValueKind::Range { lower, upper }
            }
            Kind::Array => ValueKind::Array(Array(part)),
            Kind::Record => ValueKind::Map(Record(part)),
            _ => ValueKind::Invalid,
        }
    }
}

/// What a value is.
#[derive(Clone, Copy, Debug)]
pub enum ValueKind<'t> {
    /// A number of any form except a range.
    Number(Number<'t>),
    /// `true` or `false`.
    Boolean(bool),
    /// A bare word.
    Symbol(&'t str),
    /// Text.
    String {
        /// What it says, without quotes and escapes.
        text: &'t str,
        /// How it was quoted.
        form: StringForm,
    },
    /// Text with a tag.
    Tagged {
        /// The tag.
        tag: Name<'t>,
        /// What it says.
        text: &'t str,
        /// [`StringForm::Backtick`] or [`StringForm::Fence`].
        form: StringForm,
    },
    /// `lower..upper`, `lower...`, `...upper`; at least one end.
    Range {
        /// Where it starts.
        lower: Option<Number<'t>>,
        /// Where it ends.
        upper: Option<Number<'t>>,
    },
    /// `[…]`
    Array(Array<'t>),
    /// `{…}`
    Map(Record<'t>),
    /// Something that could not be read; an error stands at its place.
    Invalid,
}

/// `[value, …]`
#[derive(Clone, Copy, Debug)]
pub struct Array<'t>(Part<'t>);

impl<'t> Array<'t> {
    /// From `[` to `]`.
    #[must_use]
    pub fn span(&self) -> Span {
        self.0.span()
    }

    /// The values, in order.
    pub fn items(&self) -> impl Iterator<Item = Value<'t>> + Clone + use<'t> {
        self.0.parts().map(Value)
    }
}

/// A number and how it was written.
#[derive(Clone, Copy, Debug)]
pub struct Number<'t>(Part<'t>);

impl<'t> Number<'t> {
    /// Where it stands.
    #[must_use]
    pub fn span(&self) -> Span {
        self.0.span()
    }

    /// How it was written, unit included.
    #[must_use]
    pub fn text(&self) -> &'t str {
        self.0.source()
    }

    /// What it is.
    #[must_use]
    pub fn kind(&self) -> NumberKind<'t> {
        let text = self.text();
        let digits = self.0.unit_start() - self.span().start;
        // The parser has seen that these can be read.
        match NumberForm::of(self.0.form()) {
            NumberForm::Integer => NumberKind::Integer(text.parse().unwrap_or_default()),
            NumberForm::Hexadecimal => NumberKind::Integer(radix(text.get(2..), 16)),
            NumberForm::Octal => NumberKind::Integer(radix(text.get(1..), 8)),
            NumberForm::Decimal => NumberKind::Decimal(text.parse().unwrap_or_default()),
            NumberForm::Measurement => {
                let (value, unit) = text.split_at_checked(digits).unwrap_or((text, ""));
                NumberKind::Measurement {
                    value: value.parse().unwrap_or_default(),
                    unit,
                }
            }
        }
    }
}

fn radix(digits: Option<&str>, radix: u32) -> i128 {
    i128::from_str_radix(digits.unwrap_or_default(), radix).unwrap_or_default()
}

/// What a number is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum NumberKind<'t> {
    /// A whole number in decimal, hexadecimal or octal digits.
    Integer(i128),
    /// A number with a fraction.
    Decimal(f64),
    /// A number with a unit.
    Measurement {
        /// The number.
        value: f64,
        /// The unit.
        unit: &'t str,
    },
}

/// How a number was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NumberForm {
    Integer,
    Hexadecimal,
    Octal,
    Decimal,
    Measurement,
}

impl NumberForm {
    fn of(form: u8) -> Self {
        match form {
            0 => Self::Integer,
            1 => Self::Hexadecimal,
            2 => Self::Octal,
            3 => Self::Decimal,
            _ => Self::Measurement,
        }
    }
}

/// Which ends a range has, in the one byte that a part has for that.
pub(crate) fn range_form(lower: bool, upper: bool) -> u8 {
    u8::from(lower) | u8::from(upper) << 1
}

/// Whether a range has a lower and an upper end.
pub(crate) fn range_ends(form: u8) -> (bool, bool) {
    (form & 1 != 0, form & 2 != 0)
}

fn string(part: Part<'_>) -> (&str, StringForm) {
    let form = match part.form() {
        0 => StringForm::Double,
        1 => StringForm::Single,
        2 => StringForm::Backtick,
        _ => StringForm::Fence,
    };
    (part.content(1), form)
}

/// How a string was quoted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum StringForm {
    /// `"…"`
    Double,
    /// `'…'`
    Single,
    /// `` `…` ``
    Backtick,
    /// Three backticks, on lines of their own.
    Fence,
}
