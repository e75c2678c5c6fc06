//! The constraints that narrow a type. The keywords have the meaning that JSON Schema defines.

use crate::keyword::{Keyword, Side, constraint_rows};
use agent_gram::Value;
use agent_gram::value::{Decimal, Text};
use std::borrow::Cow;

/// The smallest or largest number allowed.
#[derive(Clone, Debug, PartialEq)]
pub enum Bound {
    /// A whole number.
    Int(i128),
    /// A number with a fraction.
    Double(Decimal),
}

impl Bound {
    /// The number, rounded to the nearest double.
    #[must_use]
    pub const fn as_f64(&self) -> f64 {
        match self {
            Bound::Int(value) => *value as f64,
            Bound::Double(value) => value.value(),
        }
    }

    /// Whether the number is above 0.
    #[must_use]
    pub const fn is_positive(&self) -> bool {
        Bound::Int(0).is_below(self)
    }

    /// Whether the number is less than another.
    #[must_use]
    pub const fn is_below(&self, other: &Bound) -> bool {
        match (self, other) {
            (Bound::Int(left), Bound::Int(right)) => *left < *right,
            (Bound::Double(left), Bound::Double(right)) => left.value() < right.value(),
            (Bound::Int(left), Bound::Double(right)) => is_int_below(*left, right.value()),
            (Bound::Double(left), Bound::Int(right)) => is_int_above(*right, left.value()),
        }
    }

    const fn borrowed(&'static self) -> Bound {
        match self {
            Bound::Int(value) => Bound::Int(*value),
            Bound::Double(value) => {
                Bound::Double(Decimal::from_static(value.value(), value.text()))
            }
        }
    }
}

/// The first double above every integer of 128 bits.
const BEYOND: f64 = 170_141_183_460_469_231_731_687_303_715_884_105_728.0;

/// Whether an integer is less than a double, without rounding either.
pub(crate) const fn is_int_below(integer: i128, double: f64) -> bool {
    if double >= BEYOND {
        return true;
    }
    if double < -BEYOND {
        return false;
    }
    let whole = double as i128;
    integer < whole || (integer == whole && (whole as f64) < double)
}

/// Whether an integer is greater than a double, without rounding either.
pub(crate) const fn is_int_above(integer: i128, double: f64) -> bool {
    if double >= BEYOND {
        return false;
    }
    if double < -BEYOND {
        return true;
    }
    let whole = double as i128;
    integer > whole || (integer == whole && (whole as f64) > double)
}

/// The value of one keyword.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Constraint<'a> {
    /// A list of values.
    Values(&'a [Value]),
    /// A text, a regular expression, or a JSON Schema.
    Text(&'a str),
    /// A number.
    Number(&'a Bound),
    /// A whole number, 0 or more.
    Count(u64),
}

impl Constraint<'_> {
    /// Whether a number or a count is less than another; `false` for other values.
    #[must_use]
    pub const fn is_below(self, other: Constraint<'_>) -> bool {
        match (self, other) {
            (Constraint::Number(left), Constraint::Number(right)) => left.is_below(right),
            (Constraint::Count(left), Constraint::Count(right)) => left < right,
            _ => false,
        }
    }
}

/// The type of a field, from the kind of its value.
macro_rules! held {
    (Values) => { Cow<'static, [Value]> };
    (Text) => { Option<Text> };
    (Pattern) => { Option<Text> };
    (Number) => { Option<Bound> };
    (Count) => { Option<u64> };
    (Schema) => { Option<Text> };
}

/// An unset field.
macro_rules! unset {
    (Values) => {
        Cow::Borrowed(&[])
    };
    ($value:ident) => {
        None
    };
}

/// A field from the constraint in a `const`, if there is one.
macro_rules! hold {
    (Values $given:expr) => {
        match $given {
            Some(Constraint::Values(values)) => Cow::Borrowed(values),
            _ => Cow::Borrowed(&[]),
        }
    };
    (Number $given:expr) => {
        match $given {
            Some(Constraint::Number(bound)) => Some(bound.borrowed()),
            _ => None,
        }
    };
    (Count $given:expr) => {
        match $given {
            Some(Constraint::Count(count)) => Some(count),
            _ => None,
        }
    };
    ($text:ident $given:expr) => {
        match $given {
            Some(Constraint::Text(text)) => Some(Text::from_static(text)),
            _ => None,
        }
    };
}

/// The constraint that a field holds, if it holds one.
macro_rules! given {
    (Values $field:expr) => {
        match &$field {
            Cow::Borrowed([]) => None,
            Cow::Borrowed(values) => Some(Constraint::Values(values)),
            Cow::Owned(values) if values.is_empty() => None,
            Cow::Owned(values) => Some(Constraint::Values(values.as_slice())),
        }
    };
    (Number $field:expr) => {
        match &$field {
            Some(bound) => Some(Constraint::Number(bound)),
            None => None,
        }
    };
    (Count $field:expr) => {
        match $field {
            Some(count) => Some(Constraint::Count(count)),
            None => None,
        }
    };
    ($text:ident $field:expr) => {
        match &$field {
            Some(text) => Some(Constraint::Text(text.as_str())),
            None => None,
        }
    };
}

/// Returns whether a field is unset.
macro_rules! is_unset {
    (Values $field:expr) => {
        match &$field {
            Cow::Borrowed([]) => true,
            Cow::Borrowed(_) => false,
            Cow::Owned(values) => values.is_empty(),
        }
    };
    ($value:ident $field:expr) => {
        matches!($field, None)
    };
}

/// Stores a constraint in a field.
macro_rules! store {
    (Values $field:expr, $constraint:expr) => {
        if let Constraint::Values(values) = $constraint {
            $field = Cow::Owned(values.to_vec());
        }
    };
    (Number $field:expr, $constraint:expr) => {
        if let Constraint::Number(bound) = $constraint {
            $field = Some(bound.clone());
        }
    };
    (Count $field:expr, $constraint:expr) => {
        if let Constraint::Count(count) = $constraint {
            $field = Some(count);
        }
    };
    ($text:ident $field:expr, $constraint:expr) => {
        if let Constraint::Text(text) = $constraint {
            $field = Some(Text::new(text));
        }
    };
}

macro_rules! define_constraints {
    ($($field:ident $Keyword:ident $name:literal $word:literal $value:ident $family:ident ($side:expr) $doc:literal;)+) => {
        /// The keywords that narrow a type. They have the meaning that JSON Schema defines.
        #[derive(Clone, Debug)]
        #[non_exhaustive]
        pub struct Constraints {
            $(#[doc = $doc] pub $field: held!($value),)+
        }

        impl Constraints {
            /// No constraints.
            pub const NONE: Constraints = Constraints {
                $($field: unset!($value),)+
            };

            /// Constraints for a `const`.
            #[doc(hidden)]
            #[must_use]
            pub const fn from_static(given: &[(Keyword, Constraint<'static>)]) -> Self {
                Self {
                    $($field: hold!($value find(given, Keyword::$Keyword)),)+
                }
            }

            /// Returns the constraints of `own`, and for each keyword that `own` does not set, the
            /// constraint of `base`. Both are `'static`, because the result is for a `const`.
            #[doc(hidden)]
            #[must_use]
            pub const fn over(own: &'static Constraints, base: &'static Constraints) -> Self {
                Self {
                    $($field: hold!($value match own.get(Keyword::$Keyword) {
                        None => base.get(Keyword::$Keyword),
                        own => own,
                    }),)+
                }
            }

            /// The constraint of a keyword, in a `const` too.
            #[must_use]
            pub const fn get(&self, keyword: Keyword) -> Option<Constraint<'_>> {
                match keyword {
                    $(Keyword::$Keyword => given!($value self.$field),)+
                    _ => None,
                }
            }

            /// Whether no keyword is set.
            #[must_use]
            #[expect(
                clippy::redundant_pattern_matching,
                reason = "a `const` may run a limited number of steps, and a call takes many of them"
            )]
            pub const fn is_none(&self) -> bool {
                $(is_unset!($value self.$field))&&+
            }

            /// Sets the constraint of a keyword. A constraint of another kind than the keyword's is
            /// ignored.
            pub fn set(&mut self, keyword: Keyword, constraint: Constraint<'_>) {
                match keyword {
                    $(Keyword::$Keyword => store!($value self.$field, constraint),)+
                    _ => {}
                }
            }
        }
    };
}

constraint_rows!(define_constraints);

impl Constraints {
    /// The allowed values, for a `const`.
    #[doc(hidden)]
    #[must_use]
    pub const fn one_of(values: &'static [Value]) -> Self {
        Self::from_static(&[(Keyword::Enum, Constraint::Values(values))])
    }

    /// The format of a text, for a `const`.
    pub(crate) const fn of_format(format: &'static str) -> Self {
        Self::from_static(&[(Keyword::Format, Constraint::Text(format))])
    }

    /// The allowed values, in a `const` too; empty when all are allowed.
    #[must_use]
    pub const fn enumeration(&self) -> &[Value] {
        match &self.enumeration {
            Cow::Borrowed(values) => values,
            Cow::Owned(values) => values.as_slice(),
        }
    }

    /// Returns the lower and the upper of two keywords that leave no value between them.
    #[must_use]
    pub fn opt_empty_range(&self) -> Option<(Keyword, Keyword)> {
        let lower = |keyword: &Keyword| matches!(keyword.side(), Side::Least(_));
        for least in Keyword::CONSTRAINTS.iter().copied().filter(lower) {
            for greatest in Keyword::CONSTRAINTS.iter().copied() {
                let are_ends = matches!(greatest.side(), Side::Greatest(_))
                    && greatest.family() == least.family()
                    && greatest.value() == least.value();
                if let (true, Some(low), Some(high)) =
                    (are_ends, self.get(least), self.get(greatest))
                {
                    let is_exclusive = least.is_exclusive() || greatest.is_exclusive();
                    if high.is_below(low) || (is_exclusive && !low.is_below(high)) {
                        return Some((least, greatest));
                    }
                }
            }
        }
        None
    }

    /// The keywords that are set, each with its constraint, in the order in which they are written.
    pub fn iter(&self) -> impl Iterator<Item = (Keyword, Constraint<'_>)> {
        let mut rest = Keyword::CONSTRAINTS.iter();
        std::iter::from_fn(move || {
            for keyword in rest.by_ref() {
                if let Some(constraint) = self.get(*keyword) {
                    return Some((*keyword, constraint));
                }
            }
            None
        })
    }
}

impl Default for Constraints {
    fn default() -> Self {
        Self::NONE
    }
}

/// The message about two keywords that leave no value between them.
pub fn empty_range(least: Keyword, greatest: Keyword) -> String {
    let relation = match least.is_exclusive() || greatest.is_exclusive() {
        true => "not below",
        false => "above",
    };
    let (least, greatest) = (least.name(), greatest.name());
    format!("`{least}` is {relation} `{greatest}`, so no value is allowed")
}

const fn find(
    given: &[(Keyword, Constraint<'static>)],
    keyword: Keyword,
) -> Option<Constraint<'static>> {
    let mut at = 0;
    while at < given.len() {
        if given[at].0.is(keyword) {
            return Some(given[at].1);
        }
        at += 1;
    }
    None
}
