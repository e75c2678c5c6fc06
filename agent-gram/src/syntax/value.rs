//! Values: the part of a property after its colon.

use super::tape::{Kind, TapePart};
use super::{Name, Record};
use crate::span::Span;

/// A value.
#[derive(Clone, Copy, Debug)]
pub struct Value<'t>(pub(super) TapePart<'t>);

impl<'t> Value<'t> {
    /// Returns the span of the value with its quotes.
    #[must_use]
    pub fn span(&self) -> Span {
        self.0.span()
    }

    /// Returns the kind of the value, with its parts.
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

/// The kind of a value.
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
        /// The content, without quotes and escapes.
        text: &'t str,
        /// The form of the quotes.
        form: StringForm,
    },
    /// Text with a tag.
    Tagged {
        /// The tag.
        tag: Name<'t>,
        /// The content, without quotes and escapes.
        text: &'t str,
        /// [`StringForm::Backtick`] or [`StringForm::Fence`].
        form: StringForm,
    },
    /// `lower..upper`, `lower...`, `...upper`; at least one end.
    Range {
        /// The lower end.
        lower: Option<Number<'t>>,
        /// The upper end.
        upper: Option<Number<'t>>,
    },
    /// `[…]`
    Array(Array<'t>),
    /// `{…}`
    Map(Record<'t>),
    /// A value that could not be parsed; an error was reported at its place.
    Invalid,
}

/// `[value, …]`
#[derive(Clone, Copy, Debug)]
pub struct Array<'t>(TapePart<'t>);

impl<'t> Array<'t> {
    /// Returns the span from `[` to `]`.
    #[must_use]
    pub fn span(&self) -> Span {
        self.0.span()
    }

    /// Returns the values, in order.
    pub fn items(&self) -> impl Iterator<Item = Value<'t>> + Clone + use<'t> {
        self.0.parts().map(Value)
    }
}

/// A number, as it is written.
#[derive(Clone, Copy, Debug)]
pub struct Number<'t>(TapePart<'t>);

impl<'t> Number<'t> {
    /// Returns the span of the number.
    #[must_use]
    pub fn span(&self) -> Span {
        self.0.span()
    }

    /// Returns the number as it is written, with its unit.
    #[must_use]
    pub fn text(&self) -> &'t str {
        self.0.source()
    }

    /// Returns the kind and the value of the number.
    #[must_use]
    pub fn kind(&self) -> NumberKind<'t> {
        let text = self.text();
        let digits = self.0.unit_start() - self.span().start;
        // The parser has checked that these can be read.
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

/// The kind and the value of a number.
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

/// The notation of a number.
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

/// Encodes the ends that a range has in one byte, as a part stores it.
pub(crate) fn range_form(lower: bool, upper: bool) -> u8 {
    u8::from(lower) | u8::from(upper) << 1
}

/// Decodes whether a range has a lower and an upper end.
pub(crate) fn range_ends(form: u8) -> (bool, bool) {
    (form & 1 != 0, form & 2 != 0)
}

fn string(part: TapePart<'_>) -> (&str, StringForm) {
    let form = match part.form() {
        0 => StringForm::Double,
        1 => StringForm::Single,
        2 => StringForm::Backtick,
        _ => StringForm::Fence,
    };
    (part.content(1), form)
}

/// The form of the quotes of a text.
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
